// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "cli/pair.h"
#include "quant/advise.h"

/* The outputs' SQNR that advice aims at where no threshold is given: noise of
 * 1 % of the signal. */
#define DEFAULT_DB 20.0

enum { LEAST_NAME = 12 }; /* columns of a name, however narrow it gets */

/* ---- text ---- */

static const char *
db_str(SnArena *a, double db)
{
    if (isinf(db))
        return db > 0 ? "exact" : "-inf";
    return sn_format(a, "%.2f", db);
}

static void
put_text(SnBuf *b, const SnComparison *k, uint32_t top, unsigned width)
{
    sn_putf(b,
            "%lld samples; SQNR in dB, worst first\n%9s %10s %9s %10s  "
            "%-4s %s\n",
            (long long)k->nsample, "local", "cumulative", "cosine", "max error",
            "type", "value");
    for (uint32_t i = 0; i < top; i++) {
        const SnCompared *v = &k->value[i];
        const SnErrors *e = v->constant ? &v->local : &v->cumulative;
        size_t from = b->n;
        sn_putf(b, "%9s %10s %9.6f %10.3g  %-4s ",
                v->has_local ? db_str(b->a, sn_sqnr(&v->local)) : "-",
                v->constant ? "-" : db_str(b->a, sn_sqnr(&v->cumulative)),
                sn_cosine(e), e->worst, v->type);
        const char *what = v->constant ? " (weights)"
                           : v->output ? " (output)"
                                       : "";
        size_t used = b->n - from + strlen(what);
        unsigned room =
            width > used + LEAST_NAME ? width - (unsigned)used : LEAST_NAME;
        sn_puts(b, sn_fit_name(b->a,
                               sn_shown(b->a, v->constant ? v->name : v->node),
                               room));
        sn_putf(b, "%s\n", what);
    }
    if (top < k->n)
        sn_putf(b, "%u more values lose less\n", k->n - top);
    if (k->nunmatched)
        sn_putf(b, "%u values have no counterpart in the float model\n",
                k->nunmatched);
    sn_putf(b, "worst output: %s%s\n", db_str(b->a, k->worst_output),
            isinf(k->worst_output) ? "" : " dB");
}

/* One thing tried; NaN: it was not. */
static void
put_tried(SnBuf *b, double db, double want, const char *options)
{
    if (!isnan(db))
        sn_putf(b, "%9s  %s%s\n", db_str(b->a, db), options,
                db >= want ? "" : " (not enough)");
}

static void
put_advice(SnBuf *b, const SnAdvice *v, double want)
{
    if (!v->same) {
        sn_putf(b,
                "for %g dB: no advice: quantizing the float model again with "
                "the types of this one gives %s dB, not %s, so that options "
                "cannot be tried\n",
                want, db_str(b->a, v->again), db_str(b->a, v->given));
        return;
    }
    sn_putf(b,
            "for %g dB, tried in %u models on %lld samples, quantized "
            "with one more option:\n",
            want, v->nmodel, (long long)v->nsample);
    if (v->sliced > v->given)
        put_tried(b, v->sliced, want, "--channelwise --rowwise");
    if (v->int16 > v->given)
        put_tried(b, v->int16, want, "--precision int16");
    if (!v->nkeep)
        return;
    SnBuf k;
    sn_buf_init(&k, b->a);
    for (uint32_t i = 0; i < v->nkeep; i++)
        sn_putf(&k, "%s%s", i ? "," : "--keep-float '", v->keep[i]);
    sn_puts(&k, "'");
    put_tried(b, v->kept, want, sn_buf_str(&k));
}

/* ---- JSON ---- */

static void
put_errors(SnBuf *b, const char *key, const SnErrors *e)
{
    sn_putf(b, ", \"%s\": {\"sqnr_db\": ", key);
    sn_put_json_f64(b, sn_sqnr(e));
    sn_puts(b, ", \"cosine\": ");
    sn_put_json_f64(b, sn_cosine(e));
    sn_puts(b, ", \"max_error\": ");
    sn_put_json_f64(b, e->worst);
    sn_puts(b, "}");
}

static void
put_json(SnBuf *b, const SnComparison *k, uint32_t top)
{
    sn_putf(b,
            "{\"samples\": %lld, \"worst_output_db\": ", (long long)k->nsample);
    sn_put_json_f64(b, k->worst_output);
    sn_putf(b, ", \"unmatched\": %u,\n \"values\": [", k->nunmatched);
    for (uint32_t i = 0; i < top; i++) {
        const SnCompared *v = &k->value[i];
        sn_puts(b, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        sn_put_json(b, v->name);
        sn_puts(b, ", \"node\": ");
        sn_put_json(b, v->node);
        sn_putf(b, ", \"type\": \"%s\", \"weights\": %s, \"output\": %s",
                v->type, v->constant ? "true" : "false",
                v->output ? "true" : "false");
        if (v->has_local)
            put_errors(b, "local", &v->local);
        if (!v->constant)
            put_errors(b, "cumulative", &v->cumulative);
        sn_puts(b, "}");
    }
    sn_puts(b, "]");
}

static void
put_db(SnBuf *b, const char *key, double db)
{
    if (isnan(db))
        return;
    sn_putf(b, ", \"%s\": ", key);
    sn_put_json_f64(b, db);
}

/* v NULL: the threshold is met. */
static void
put_json_advice(SnBuf *b, const SnAdvice *v, double want)
{
    sn_puts(b, ",\n \"advice\": ");
    if (v) {
        sn_putf(b, "{\"db\": %g, \"models\": %u, \"samples\": %lld", want,
                v->nmodel, (long long)v->nsample);
        put_db(b, "given", v->given);
        put_db(b, "again", v->again);
        put_db(b, "channelwise_rowwise", v->sliced);
        put_db(b, "int16", v->int16);
        put_db(b, "keep_float", v->kept);
        sn_puts(b, "}");
    } else {
        sn_puts(b, "null");
    }
    sn_puts(b, ",\n \"keep_float\": [");
    for (uint32_t i = 0; v && i < v->nkeep; i++) {
        sn_puts(b, i ? ", " : "");
        sn_put_json(b, v->keep[i]);
    }
    sn_puts(b, "]}\n");
}

/* ---- the verb ---- */

static SnStatus
get_threshold(SnCli *c, double *db)
{
    const char *s = c->args.threshold;
    char *end;

    *db = DEFAULT_DB;
    if (!s)
        return SN_OK;
    *db = strtod(s, &end);
    if (end == s || *end || !isfinite(*db))
        return sn_fail(c->d, SN_EUSAGE, "--threshold",
                       "'%s' is not a number of dB", s);
    return SN_OK;
}

static SnStatus
advise(SnCli *c, const SnTwoModels *p, double db, SnAdvice *out)
{
    SnAdviseOpts w = {.model = p->model,
                      .flt = p->o.flt->g,
                      .quant = p->o.quant->g,
                      .c = &p->k,
                      .db = db,
                      .fill = p->o.fill_flt,
                      .ctx = p->o.ctx_flt,
                      .fill_quant = p->o.fill_quant,
                      .ctx_quant = p->o.ctx_quant,
                      .nsample = p->o.nsample,
                      .njob = p->o.njob,
                      .nthread = p->o.nthread};

    SN_TRY(sn_cli_rewrite_opts(c, &w.rewrite));
    return sn_advise(c->a, &w, c->d, out);
}

SnStatus
sn_verb_compare(SnCli *c)
{
    SnWindow w = sn_cli_input_window(c);
    SnTwoModels p = {0};
    SnAdvice v;
    double db;

    SN_TRY(get_threshold(c, &db));
    SN_TRY(sn_cli_pair_load(c, &p));
    SN_TRY(sn_cli_pair_run(c, &p, &w));
    uint32_t top = c->args.top && c->args.top < (long)p.k.n
                       ? (uint32_t)c->args.top
                       : p.k.n;
    bool met = p.k.worst_output >= db;
    if (!met)
        SN_TRY(advise(c, &p, db, &v));
    if (c->args.json) {
        put_json(&c->out, &p.k, top);
        put_json_advice(&c->out, met ? NULL : &v, db);
    } else {
        put_text(&c->out, &p.k, top, sn_cli_width());
        if (!met)
            put_advice(&c->out, &v, db);
    }
    if (c->args.threshold && p.k.worst_output < db)
        return sn_fail(c->d, SN_ECHECK, "--threshold",
                       "the worst output has "
                       "%s dB, less than %g",
                       db_str(c->a, p.k.worst_output), db);
    return SN_OK;
}
