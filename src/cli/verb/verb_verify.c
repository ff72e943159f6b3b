// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include "graph/graph.h"
#include "rewrite/witness/witness.h"

static void
report(SnCli *c, const SnVerdict *v)
{
    if (c->args.json) {
        sn_putf(&c->out,
                "{\"steps\": %u, \"rewrites\": %u, \"compared\": %u}\n",
                v->nstep, v->nfire, v->nran);
        return;
    }
    sn_putf(&c->out, "steps: %u; rewrites: %u; compared on values: %u\n",
            v->nstep, v->nfire, v->nran);
}

SnStatus
sn_verb_verify(SnCli *c)
{
    SnRewriteOpts o;
    SnGraph *before, *after;
    SnVerdict v;

    if (c->args.pos.n != 2)
        return sn_fail(c->d, SN_EUSAGE, "verify",
                       "expected two models, the one before and the one "
                       "after, got %u",
                       c->args.pos.n);
    if (!c->args.log)
        return sn_fail(c->d, SN_EUSAGE, "--log",
                       "is missing: expected the file that 'sinter opt --log' "
                       "wrote");
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, c->args.pos.v[0], &before));
    SN_TRY(sn_cli_load(c, c->args.pos.v[1], &after));
    /* As sn_rewrite takes it over. */
    if (o.backend && before->rounding == SN_ROUNDING_FLOAT)
        before->rounding = o.backend->rounding;
    SN_TRY(sn_witness_verify(c->a, before, after, c->args.log, &o, c->d, &v));
    report(c, &v);
    return SN_OK;
}
