// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "cli/score.h"
#include "graph/graph.h"
#include "rewrite/rewrite.h"
#include "rewrite/rule.h"

/* As of compare: noise of 1 % of the signal. */
#define DEFAULT_DB 20.0

typedef struct Bisect {
    SnCli *c;
    const char *passes;
    const SnBackendDesc *engine;
    SnRewriteOpts o;
    const SnGraph *g; /* as it was loaded */
    SnResults ref;    /* its outputs */
    double want;
    SnBuf text; /* a line for each number of rewrites tried */
} Bisect;

/* The outputs after some rewrites. */
typedef struct Step {
    uint32_t nfire;
    double db;               /* of the worst output; NaN counts as bad */
    const char *rule, *node; /* of the last rewrite, in the Bisect's arena */
    const char *pass;
} Step;

static bool
is_good(const Bisect *b, const Step *s)
{
    return s->db >= b->want;
}

static SnStatus
outputs(SnCli *c, SnGraph *g, const SnBackendDesc *engine, SnResults *out)
{
    SN_TRY(sn_exec_prepare(c->a, g, engine, c->d, &out->x));
    SN_TRY(sn_cli_samples(c, out->x, &c->args.input, "--input", &out->samples));
    return sn_results_run(c, out);
}

/* Rewrites a copy, up to `limit` times (-1: without a limit), and runs it; all
 * that this takes is in c->a. */
static SnStatus
rewritten(Bisect *b, SnArena *keep, long limit, Step *s)
{
    SnCli *c = b->c;
    SnRewriteOpts o = b->o;
    SnResults r = {0};
    const SnSite *site;
    uint32_t n;

    o.opt_limit = limit;
    SnGraph *g = sn_graph_clone(b->g, c->a);
    SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
    SN_TRY(sn_rewrite(rw, g, b->passes));
    SN_TRY(sn_verify(g, c->d));
    SN_TRY(outputs(c, g, b->engine, &r));
    site = sn_sites(rw, &n);
    *s = (Step){.nfire = n, .db = INFINITY};
    for (uint32_t i = 0; i < r.x->noutput; i++) {
        double db = sn_results_sqnr(&b->ref, &r, i);
        if (!(db >= s->db))
            s->db = db;
    }
    if (n > 0) {
        s->pass = sn_rule(site[n - 1].rule)->pass;
        s->rule = sn_rule(site[n - 1].rule)->name;
        s->node = sn_strdup(keep, site[n - 1].node);
    }
    return SN_OK;
}

/* The same in an arena of its own: there may be many. */
static SnStatus
try(Bisect *b, long limit, Step *s)
{
    SnArena *keep = b->c->a;

    b->c->a = sn_arena_new();
    SnStatus st = rewritten(b, keep, limit, s);
    sn_arena_free(b->c->a);
    b->c->a = keep;
    if (st == SN_OK)
        sn_putf(&b->text, "%9u %9.2f  %s\n", s->nfire, s->db,
                is_good(b, s) ? "good" : "bad");
    return st;
}

/* ---- reports ---- */

static void
put_step(SnBuf *t, const char *key, const Step *s)
{
    sn_putf(t, "\"%s\": {\"rewrites\": %u, \"worst_output_db\": ", key,
            s->nfire);
    sn_put_json_f64(t, s->db);
    sn_puts(t, "}");
}

static void
report(Bisect *b, const Step *good, const Step *bad, bool found)
{
    SnBuf *out = &b->c->out;

    if (b->c->args.json) {
        sn_puts(out, "{");
        put_step(out, "last", bad);
        if (found) {
            sn_puts(out, ", ");
            put_step(out, "before", good);
            sn_puts(out, ", \"rule\": ");
            sn_put_json(out, sn_format(b->c->a, "%s.%s", bad->pass, bad->rule));
            sn_puts(out, ", \"node\": ");
            sn_put_json(out, bad->node);
        }
        sn_puts(out, "}\n");
        return;
    }
    sn_putf(out, "%9s %9s\n%s", "rewrites", "SQNR, dB", sn_buf_str(&b->text));
    if (!found) {
        sn_putf(out, "every output keeps %g dB\n", b->want);
        return;
    }
    sn_putf(out,
            "rewrite %u is responsible: %s.%s at %s takes the worst output "
            "from %.2f to %.2f dB\nwithout it: --disable=%s.%s; the graph "
            "before it: --opt-limit %u\n",
            bad->nfire, bad->pass, bad->rule, bad->node, good->db, bad->db,
            bad->pass, bad->rule, good->nfire);
}

/* ---- the verb ---- */

static SnStatus
options(Bisect *b)
{
    const SnArgs *a = &b->c->args;
    char *end;

    b->passes = a->passes ? a->passes : a->pipeline ? a->pipeline : "optimize";
    if (a->passes && a->pipeline)
        return sn_fail(b->c->d, SN_EUSAGE, "--pipeline", "excludes --passes");
    b->want = a->threshold ? strtod(a->threshold, &end) : DEFAULT_DB;
    if (a->threshold && (end == a->threshold || *end || isnan(b->want)))
        return sn_fail(b->c->d, SN_EUSAGE, "--threshold",
                       "'%s' is not a number of dB", a->threshold);
    SN_TRY(sn_cli_rewrite_opts(b->c, &b->o));
    return sn_cli_engine(b->c, &b->engine);
}

/* Halves [good, bad] until they are neighbours. */
static SnStatus
halve(Bisect *b, Step *good, Step *bad)
{
    while (bad->nfire - good->nfire > 1) {
        Step s;
        SN_TRY(try(b, good->nfire + (bad->nfire - good->nfire) / 2, &s));
        *(is_good(b, &s) ? good : bad) = s;
    }
    return SN_OK;
}

SnStatus
sn_verb_bisect(SnCli *c)
{
    Bisect b = {.c = c};
    Step good, bad;
    const char *path;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(options(&b));
    SN_TRY(sn_cli_load(c, path, &g));
    b.g = g;
    sn_buf_init(&b.text, c->a);
    SN_TRY(outputs(c, sn_graph_clone(g, c->a), b.engine, &b.ref));
    SN_TRY(try(&b, b.o.opt_limit, &bad));
    if (is_good(&b, &bad)) {
        report(&b, NULL, &bad, false);
        return SN_OK;
    }
    SN_TRY(try(&b, 0, &good));
    if (!is_good(&b, &good)) {
        report(&b, &good, &good, false);
        return sn_fail(c->d, SN_ECHECK, path,
                       "the worst output has %.2f dB without any rewrite: a "
                       "built-in step of %s changes it",
                       good.db, b.passes);
    }
    SN_TRY(halve(&b, &good, &bad));
    report(&b, &good, &bad, true);
    return sn_fail(c->d, SN_ECHECK, path, "%s.%s at %s changes the outputs",
                   bad.pass, bad.rule, bad.node);
}
