// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>
#include "base/json.h"
#include "graph/text/text.h"
#include "quant/island.h"
#include "rewrite/rewrite.h"
#include "rewrite/witness/witness.h"

/* Where the graph goes to standard output, the report goes to the other. */
static bool
to_stdout(const SnCli *c)
{
    return !c->args.output || strcmp(c->args.output, "-") == 0;
}

static void
put_json(SnBuf *b, const SnRewriter *rw, const SnIslands *f)
{
    const char *sep = "\n";

    sn_puts(b, "{\"fires\": [");
    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        const SnRuleDesc *r = sn_rule(i);
        if (sn_rule_count(rw, (uint16_t)i) == 0)
            continue;
        sn_putf(b, "%s {\"rule\": ", sep);
        sn_put_json(b, sn_format(b->a, "%s.%s", r->pass, r->name));
        sn_putf(b, ", \"count\": %u}", sn_rule_count(rw, (uint16_t)i));
        sep = ",\n";
    }
    sn_puts(b, "],\n ");
    sn_put_floats_json(b, f);
    sn_puts(b, "}\n");
}

/* Reports --stats and checks --require-int8 on the graph that rw rewrote. */
static SnStatus
report(SnCli *c, const SnGraph *g, const SnRewriter *rw)
{
    SnIslands f = {0};
    SnBuf b;

    if (!c->args.stats && !c->args.require_int8)
        return SN_OK;
    if (sn_cli_quantized(c, g))
        SN_TRY(sn_floats_left(c->a, g, rw, sn_opts(rw), NULL, sn_diag_new(c->a),
                              &f));
    sn_buf_init(&b, c->a);
    if (c->args.stats && c->args.json)
        put_json(&b, rw, &f);
    else if (c->args.stats && sn_cli_quantized(c, g))
        sn_put_floats(&b, &f);
    if (b.n && c->args.json && !to_stdout(c))
        sn_puts(&c->out, sn_buf_str(&b));
    else if (b.n)
        fputs(sn_buf_str(&b), stderr);
    return c->args.require_int8 ? sn_cli_check_int8(c, g, &f) : SN_OK;
}

SnStatus
sn_verb_opt(SnCli *c)
{
    const char *path = "-", *passes = "optimize";
    SnWitness *log = NULL;
    SnRewriteOpts o;
    SnGraph *g;

    if (c->args.pos.n)
        SN_TRY(sn_cli_model(c, 1, &path));
    if (c->args.passes && c->args.pipeline)
        return sn_fail(c->d, SN_EUSAGE, "--pipeline", "excludes --passes");
    if (c->args.passes)
        passes = c->args.passes;
    if (c->args.pipeline)
        passes = c->args.pipeline;
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){"-o", to_stdout(c) ? "-" : c->args.output, NULL,
                       "a graph as text", .text = true, .in_place = true}));
    SN_TRY(sn_cli_writable(c, &(SnOutput){"--log", c->args.log, NULL,
                                          "a log as text", .text = true}));
    if (c->args.json && !c->args.stats)
        return sn_fail(c->d, SN_EUSAGE, "--json",
                       "requires --stats, whose report it writes");
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    if (c->args.log)
        log = sn_witness_new(c->a, &o);
    SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
    sn_record_declined(rw, c->args.stats || c->args.require_int8);
    SnStatus st = sn_rewrite(rw, g, passes);
    sn_cli_rewrite_report(c, rw, c->args.stats && !c->args.json);
    if (st != SN_OK)
        return st;
    SN_TRY(sn_verify(g, c->d));
    SN_TRY(report(c, g, rw));
    if (log)
        SN_TRY(sn_witness_save(log, g, c->args.log, c->d));
    if (!to_stdout(c))
        return sn_text_save(g, c->args.output, c->d);
    if (c->args.elide)
        sn_print_brief(g, &c->out);
    else
        sn_print(g, &c->out, NULL, NULL);
    return SN_OK;
}
