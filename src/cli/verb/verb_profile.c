// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>

#include "quant/profile/profile.h"

/* sinter profile merge A.json B.json ... -o C.json */
static SnStatus
merge(SnCli *c)
{
    uint32_t n = c->args.pos.n - 1;
    const char *const *path = (const char *const *)c->args.pos.v + 1;
    SnProfile *p;

    if (n == 0)
        return sn_fail(c->d, SN_EUSAGE, "merge", "requires profile files");
    if (c->args.calib.n || c->args.shard)
        return sn_fail(c->d, SN_EUSAGE, "merge",
                       "reads profiles: --calib and --shard do not apply");
    SN_TRY(
        sn_cli_writable(c, &(SnOutput){"-o", c->args.output, NULL, "a profile",
                                       .text = true, .in_place = true}));
    SN_TRY(sn_profile_join(c->a, n, path, c->d, &p));
    sn_note(c->d, (SnPos){0}, NULL, "%u profile%s of '%s', %llu samples", n,
            n == 1 ? "" : "s", p->model, (unsigned long long)p->nsample);
    sn_profile_warn_parts(c->a, p, "merge", c->d);
    if (!c->args.output) {
        sn_profile_put(p, &c->out);
        return SN_OK;
    }
    return sn_profile_save(p, c->args.output, c->d);
}

SnStatus
sn_verb_profile(SnCli *c)
{
    const char *path, *to;
    SnShard shard;
    SnStrs files;
    SnProfile *p;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, UINT32_MAX, &path));
    if (!strcmp(path, "merge"))
        return merge(c);
    SN_TRY(sn_cli_shard_output(c, &to));
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){"-o", to, NULL, "a profile", .text = true}));
    files = sn_cli_files(c, &c->args.calib);
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(sn_cli_profile(c, g, &files, false, &p));
    SN_TRY(sn_cli_shard(c, &shard));
    sn_profile_shard(c->a, p, shard.index, shard.count);
    if (!to) {
        sn_profile_put(p, &c->out);
        return SN_OK;
    }
    return sn_profile_save(p, to, c->d);
}
