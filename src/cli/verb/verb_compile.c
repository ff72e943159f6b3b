// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

#include "aot/aot.h"
#include "rewrite/rewrite.h"

static SnStatus
check_target(SnCli *c, const SnAotTarget **t)
{
    const char *name = c->args.compile_target;

    *t = sn_aot_target(name);
    return *t ? SN_OK
              : sn_fail(c->d, SN_EUSAGE, "--target",
                        "no target is named '%s'; there are %s", name,
                        sn_aot_targets(c->a));
}

/* A word of C, as it begins the names of functions. */
static SnStatus
check_name(SnCli *c, const char *s)
{
    bool ok = isalpha((unsigned char)s[0]) != 0;

    for (size_t i = 0; s[i]; i++)
        ok = ok && (isalnum((unsigned char)s[i]) || s[i] == '_');
    return ok && strlen(s) <= 40
               ? SN_OK
               : sn_fail(c->d, SN_EUSAGE, "--name",
                         "'%s' is no name of C: expected a letter, then "
                         "letters, digits and _, 40 at most",
                         s);
}

/* ---- what it takes ---- */

/* A table of its steps. */
static void
put_report(SnCli *c, const SnAot *p)
{
    sn_putf(&c->out, "%10s %10s %12s  node\n", "flash", "ram", "operations");
    for (uint32_t i = 0; i < p->ncost; i++)
        sn_putf(&c->out, "%10lu %10lu %12.0f  %s\n",
                (unsigned long)p->cost[i].flash, (unsigned long)p->cost[i].live,
                p->cost[i].ops, sn_shown(c->a, p->cost[i].label));
}

static size_t
takes(const SnAotCost *x, bool ram)
{
    return ram ? x->live : x->flash;
}

/* The three steps that take the most. */
static const char *
largest(SnCli *c, const SnAot *p, bool ram)
{
    bool *said = SN_NEW_N(c->a, bool, p->ncost + 1);
    SnBuf b;

    sn_buf_init(&b, c->a);
    for (int k = 0; k < 3; k++) {
        uint32_t most = p->ncost;
        for (uint32_t i = 0; i < p->ncost; i++)
            if (!said[i] &&
                (most == p->ncost ||
                 takes(&p->cost[i], ram) > takes(&p->cost[most], ram)))
                most = i;
        if (most == p->ncost || takes(&p->cost[most], ram) == 0)
            break;
        said[most] = true;
        sn_putf(&b, "%s%s: %lu", b.n ? ", " : "",
                sn_shown(c->a, p->cost[most].label),
                (unsigned long)takes(&p->cost[most], ram));
    }
    return sn_buf_str(&b);
}

static SnStatus
check_limit(SnCli *c, const SnAot *p, bool ram)
{
    const char *option = ram ? "--max-ram" : "--max-flash";
    size_t have = ram ? p->arena : p->weights + p->tables;
    unsigned long most =
        (unsigned long)(ram ? c->args.max_ram : c->args.max_flash);

    if (most == 0 || have <= most)
        return SN_OK;
    SnStatus s =
        sn_fail(c->d, SN_ECHECK, option,
                "%s take%s %lu bytes, more than %lu; the largest: %s",
                ram ? "the arena" : "constants and tables", ram ? "s" : "",
                (unsigned long)have, most, largest(c, p, ram));
    if (!ram)
        sn_diag_help(c->d, "one scale for all weights of a node "
                           "(quantize --per-tensor) takes less, and so does "
                           "a network with fewer channels");
    else if (p->bound > most)
        sn_diag_help(c->d,
                     "this order of nodes needs %lu: a smaller input, or fewer "
                     "channels where pictures are large",
                     (unsigned long)p->bound);
    return s;
}

SnStatus
sn_verb_compile(SnCli *c)
{
    SnAotOpts o = {.name = c->args.name ? c->args.name : "net"};
    const SnExec *x;
    const SnAot *p;
    const char *path;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, 1, &path));
    if (!c->args.output && !c->args.report)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "is missing: expected the directory to write into, or "
                       "--report");
    SN_TRY(check_name(c, o.name));
    SN_TRY(check_target(c, &o.target));
    bool codes = c->args.io && !strcmp(c->args.io, "int8");
    if (c->args.io && !codes && strcmp(c->args.io, "model"))
        return sn_fail(c->d, SN_EUSAGE, "--io", "'%s'; expected model or int8",
                       c->args.io);
    SN_TRY(sn_cli_load(c, path, &g));
    if (sn_is_onnx(path)) {
        SnRewriter *rw = sn_rewriter_new(c->a, &sn_rewrite_defaults, c->d);
        SN_TRY(sn_rewrite(rw, g, "optimize"));
        SN_TRY(sn_verify(g, c->d));
    }
    if (codes) {
        SN_TRY(sn_aot_codes(g, c->d));
        SN_TRY(sn_verify(g, c->d));
    }
    SN_TRY(sn_exec_prepare(c->a, g, NULL, c->d, &x));
    if (c->args.input.n)
        SN_TRY(sn_cli_samples(c, x, &c->args.input, "--input", &o.samples));
    SN_TRY(sn_aot(c->a, x, &o, c->d, &p));
    if (c->args.report)
        put_report(c, p);
    SN_TRY(check_limit(c, p, true));
    SN_TRY(check_limit(c, p, false));
    if (c->args.output)
        SN_TRY(sn_aot_write(p, c->args.output, c->d));
    sn_putf(&c->out,
            "%s: arena %lu bytes (lower bound %lu), constants %lu, tables "
            "%lu\n",
            c->args.output ? c->args.output : path, (unsigned long)p->arena,
            (unsigned long)p->bound, (unsigned long)p->weights,
            (unsigned long)p->tables);
    return SN_OK;
}
