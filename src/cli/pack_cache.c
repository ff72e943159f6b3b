// SPDX-License-Identifier: Apache-2.0
/* --pack-cache: packed weights in a file beside the model; what a model is
 * prepared with. */
#include <string.h>

#include "cli/cli.h"
#include "kernel/isa.h"
#include "kernel/pack.h"
#include "kernel/tune/tune.h"
#include "run/exec.h"

static bool
is_text(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && !strcmp(path + n - 3, ".sn");
}

SnStatus
sn_cli_pack_check(SnCli *c, const char *path)
{
    if (!c->args.pack_cache)
        return SN_OK;
    if (!is_text(path))
        return sn_fail(
            c->d, SN_EUSAGE, "--pack-cache",
            "requires a .sn model, beside which it writes; %s is not one",
            path);
    if (c->args.check_kernels)
        return sn_fail(c->d, SN_EUSAGE, "--pack-cache",
                       "cannot be combined with "
                       "--check-kernels");
    return SN_OK;
}

SnStatus
sn_cli_need_kernels(SnCli *c, const SnBackendDesc *b)
{
    const SnArgs *a = &c->args;
    const char *what = a->tune         ? "--tune"
                       : a->tune_file  ? "--tuned"
                       : a->pack_cache ? "--pack-cache"
                                       : NULL;

    if (b->nkernel || !what)
        return SN_OK;
    return sn_fail(c->d, SN_EUSAGE, what,
                   "requires a backend with kernels: %s has none", b->name);
}

SnStatus
sn_cli_prepare(SnCli *c, const char *path, const SnRewriteOpts *o, SnGraph *g,
               const SnExec **out)
{
    SnPack *pack = NULL;
    SnTune *tune = NULL;

    if (c->args.pack_cache && is_text(path))
        pack = sn_pack_open(
            c->a, sn_format(c->a, "%sw.pack-%s", path, sn_isa_name(sn_isa())),
            NULL);
    if (path == c->args.pos.v[0])
        SN_TRY(sn_cli_tune_load(c, &tune));
    SN_TRY(sn_launch(o, c->a, g, c->d));
    if (c->args.as_c) /* the program in C has the weights, too */
        SN_TRY(
            sn_exec_prepare_tune(c->a, g, o->backend, pack, tune, c->d, out));
    else
        SN_TRY(
            sn_exec_prepare_only(c->a, g, o->backend, pack, tune, c->d, out));
    SN_TRY(sn_cli_tune_complete(c, tune));
    return pack ? sn_pack_save(pack, c->d, NULL) : SN_OK;
}
