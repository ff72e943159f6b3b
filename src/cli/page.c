// SPDX-License-Identifier: Apache-2.0
#include "cli/page.h"

/* Of the graph as the CPU backend runs it. */
static SnStatus
time_graph(SnCli *c, const SnGraph *quant, const SnBench **out)
{
    SnGraph *g = sn_graph_clone(quant, c->a);
    SnRewriteOpts o;
    const SnExec *x;
    unsigned nthread;
    SnBench *b;

    SN_TRY(sn_cli_threads(c, &nthread));
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    if (!c->args.backend)
        o.backend = sn_backend_named("CPU");
    SN_TRY(sn_launch(&o, c->a, g, c->d));
    SN_TRY(sn_exec_prepare_fast(c->a, g, o.backend, c->d, &x));
    SN_TRY(sn_bench(c->a, x, nthread, (uint32_t)c->args.nrun, c->d, &b));
    *out = b;
    return SN_OK;
}

SnStatus
sn_cli_report_fill(SnCli *c, const SnTwoModels *p, SnReport *r)
{
    SnWhy *why = SN_NEW(c->a, SnWhy);
    SnIslands *floats = SN_NEW(c->a, SnIslands);
    SnRewriteOpts o;

    r->flt = p->o.flt->g;
    r->quant = p->o.quant->g;
    r->comparison = &p->k;
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(
        sn_why_rescales(c->a, r->quant, &o, "quant_cleanup", NULL, c->d, why));
    SN_TRY(sn_why_floats(c->a, r->quant, &o, "optimize", NULL, c->d, floats));
    r->why = why;
    r->floats = floats;
    return c->args.untimed ? SN_OK : time_graph(c, r->quant, &r->bench);
}
