// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "cli/inputs.h"
#include "quant/advise.h"

/* The outputs' SQNR that advice aims at where no threshold is given: noise of
 * 1 % of the signal. */
#define DEFAULT_DB 20.0

/* *model, where it is not NULL: the graph as it was loaded. */
static SnStatus
load(SnCli *c, const char *path, bool flt, const SnGraph **model,
     const SnExec **x)
{
    const SnBackendDesc *b;
    SnRewriteOpts o;
    SnGraph *g;

    SN_TRY(sn_cli_engine(c, &b));
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    if (model)
        *model = g;
    if (flt)
        SN_TRY(sn_cli_placed(c, g, &g));
    else if (sn_is_onnx(path))
        SN_TRY(sn_rewrite(sn_rewriter_new(c->a, &o, c->d), g, "optimize"));
    return sn_exec_prepare(c->a, g, b, c->d, x);
}

/* The models in their order, with inputs of the same shapes: what else would
 * be seen as two models that share nothing. */
static SnStatus
check_pair(SnCli *c, const SnExec *f, const SnExec *q)
{
    const char *const *path = c->args.pos.v;

    if (sn_cli_quantized(c, f->g) && !sn_cli_quantized(c, q->g))
        return sn_fail(c->d, SN_EUSAGE, path[0],
                       "is quantized and %s is not: "
                       "expected the float model first",
                       path[1]);
    for (uint32_t i = 0; i < f->ninput && i < q->ninput; i++) {
        const SnShape *a = f->input[i].shape, *b = q->input[i].shape;
        if (a->rank == b->rank &&
            !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim))
            continue;
        return sn_fail(c->d, SN_EINPUT, path[1],
                       "input '%s' is %s, but that "
                       "of %s is %s: --batch, --dim and --shape give an ONNX "
                       "model the shape that the other was quantized with",
                       q->input[i].name, sn_dims_str(c->a, b->rank, b->dim),
                       path[0], sn_dims_str(c->a, a->rank, a->dim));
    }
    return SN_OK;
}

/* ---- text ---- */

static const char *
db_str(SnArena *a, double db)
{
    if (isinf(db))
        return db > 0 ? "exact" : "-inf";
    return sn_format(a, "%.2f", db);
}

static void
put_text(SnBuf *b, const SnComparison *k)
{
    sn_putf(b,
            "%lld samples; SQNR in dB, worst first\n%9s %10s %9s %10s  "
            "%-4s %s\n",
            (long long)k->nsample, "local", "cumulative", "cosine", "max error",
            "type", "value");
    for (uint32_t i = 0; i < k->n; i++) {
        const SnCompared *v = &k->value[i];
        const SnErrors *e = v->constant ? &v->local : &v->cumulative;
        sn_putf(b, "%9s %10s %9.6f %10.3g  %-4s %s%s\n",
                v->has_local ? db_str(b->a, sn_sqnr(&v->local)) : "-",
                v->constant ? "-" : db_str(b->a, sn_sqnr(&v->cumulative)),
                sn_cosine(e), e->worst, v->type,
                sn_shown(b->a, v->constant ? v->name : v->node),
                v->constant ? " (weights)"
                : v->output ? " (output)"
                            : "");
    }
    if (k->nunmatched)
        sn_putf(b, "%u values have no float value of their name\n",
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
                "for %g dB: no advice; quantized again with the types of "
                "this model, the float one gets %s dB and not %s, so that "
                "nothing can be tried\n",
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
put_json(SnBuf *b, const SnComparison *k)
{
    sn_putf(b,
            "{\"samples\": %lld, \"worst_output_db\": ", (long long)k->nsample);
    sn_put_json_f64(b, k->worst_output);
    sn_putf(b, ", \"unmatched\": %u,\n \"values\": [", k->nunmatched);
    for (uint32_t i = 0; i < k->n; i++) {
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

/* w has the float model as it was loaded. */
static SnStatus
advise(SnCli *c, const SnCompareOpts *o, const SnComparison *k, double db,
       SnAdviseOpts *w, SnAdvice *out)
{
    w->flt = o->flt->g;
    w->quant = o->quant->g;
    w->c = k;
    w->db = db;
    w->fill = o->fill_flt;
    w->ctx = o->ctx_flt;
    w->fill_quant = o->fill_quant;
    w->ctx_quant = o->ctx_quant;
    w->nsample = o->nsample;
    w->njob = o->njob;
    w->nthread = o->nthread;
    SN_TRY(sn_cli_rewrite_opts(c, &w->rewrite));
    return sn_advise(c->a, w, c->d, out);
}

SnStatus
sn_verb_compare(SnCli *c)
{
    SnCompareOpts o = {.fill_flt = sn_samples_fill,
                       .fill_quant = sn_inputs_fill,
                       .njob = (unsigned)c->args.njob};
    SnAdviseOpts w = {.c = NULL};
    SnSamples *f, *q;
    SnComparison k;
    SnAdvice v;
    double db;

    if (c->args.pos.n != 2)
        return sn_fail(c->d, SN_EUSAGE, "compare",
                       "wants two models: the "
                       "float one and the quantized one");
    SN_TRY(sn_cli_threads(c, &o.nthread));
    SN_TRY(get_threshold(c, &db));
    SN_TRY(load(c, c->args.pos.v[0], true, &w.model, &o.flt));
    SN_TRY(load(c, c->args.pos.v[1], false, NULL, &o.quant));
    SN_TRY(check_pair(c, o.flt, o.quant));
    SN_TRY(sn_cli_samples(c, o.flt, &c->args.input, "--input", &f));
    SN_TRY(sn_cli_samples(c, o.quant, &c->args.input, "--input", &q));
    if (f->n != q->n)
        return sn_fail(c->d, SN_EINPUT, "--input",
                       "gives %lld samples to "
                       "one model and %lld to the other",
                       (long long)f->n, (long long)q->n);
    SnInputs *in = sn_inputs_new(c->a, o.quant, q);
    o.ctx_flt = f;
    o.ctx_quant = in;
    o.nsample = f->n;
    SN_TRY(sn_compare(c->a, &o, c->d, &k));
    sn_inputs_warn_finite(c, in, "--input");
    sn_inputs_warn_range(c, in, "--input");
    bool met = k.worst_output >= db;
    if (!met)
        SN_TRY(advise(c, &o, &k, db, &w, &v));
    if (c->args.json) {
        put_json(&c->out, &k);
        put_json_advice(&c->out, met ? NULL : &v, db);
    } else {
        put_text(&c->out, &k);
        if (!met)
            put_advice(&c->out, &v, db);
    }
    if (c->args.threshold && k.worst_output < db)
        return sn_fail(c->d, SN_ECHECK, "--threshold",
                       "the worst output has "
                       "%s dB, less than %g",
                       db_str(c->a, k.worst_output), db);
    return SN_OK;
}
