// SPDX-License-Identifier: Apache-2.0
/* The nodes of a quantized model that stay float, as `inspect`, `opt` and
 * `why` report them. */
#include "base/json.h"
#include "cli/cli.h"
#include "quant/island.h"

void
sn_put_floats(SnBuf *b, const SnIslands *f)
{
    sn_putf(b, "%u node%s between quantized values stay%s float\n", f->n,
            f->n == 1 ? "" : "s", f->n == 1 ? "s" : "");
    for (uint32_t i = 0; i < f->n; i++)
        sn_putf(b, "  %s stays float: %s\n", sn_shown(b->a, f->node[i].node),
                f->node[i].why);
}

void
sn_put_floats_json(SnBuf *b, const SnIslands *f)
{
    sn_puts(b, "\"stays_float\": [");
    for (uint32_t i = 0; i < f->n; i++) {
        sn_puts(b, i ? ",\n {\"node\": " : "\n {\"node\": ");
        sn_put_json(b, f->node[i].node);
        sn_puts(b, ", \"reason\": ");
        sn_put_json(b, f->node[i].why);
        sn_putc(b, '}');
    }
    sn_putc(b, ']');
}

/* Nothing says so twice: what the passes note is the verb's own business. */
SnStatus
sn_cli_floats(SnCli *c, const SnGraph *g, SnIslands *out)
{
    SnDiag *quiet = sn_diag_new(c->a);
    SnRewriteOpts o;

    *out = (SnIslands){0};
    if (!sn_cli_quantized(c, g))
        return SN_OK;
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SnStatus st = sn_why_floats(c->a, g, &o, "optimize", NULL, quiet, out);
    return st == SN_OK
               ? SN_OK
               : sn_fail(c->d, st, g->name, "%s", sn_diag_text(quiet, c->a));
}

SnStatus
sn_cli_check_int8(SnCli *c, const SnGraph *g, const SnIslands *f)
{
    if (!sn_cli_quantized(c, g)) {
        sn_fail(c->d, SN_ECHECK, "--require-int8",
                "'%s' has no quantized value; nothing was written", g->name);
        sn_diag_help(c->d, "'sinter quantize' makes an int8 model of a float "
                           "one");
        return SN_ECHECK;
    }
    for (uint32_t i = 0; i < f->n; i++)
        sn_fail(c->d, SN_ECHECK, f->node[i].node, "stays float: %s",
                f->node[i].why);
    return f->n == 0 ? SN_OK
                     : sn_fail(c->d, SN_ECHECK, "--require-int8",
                               "%u node%s would stay float; nothing was "
                               "written",
                               f->n, f->n == 1 ? "" : "s");
}
