// SPDX-License-Identifier: Apache-2.0
/* quantize --eval: what the int8 model is worth on data that gave it no range,
 * beside the float model and beside the calibration data. */
#include "cli/score.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include "base/json.h"
#include "cli/inputs.h"

/* Warn that --eval differs from the calibration data when more than this share
 * of an input's values lies outside the calibrated range, or when the values
 * fill less than this part of it. */
#define SHARE_BEYOND 0.01
#define PART_FILLED 0.5

static bool
same_file(const char *x, const char *y)
{
    struct stat a, b;

    return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* The samples of f, counted within its file, that lie in [*from, *to) of s. */
static void
window(const SnSamples *s, const SnFileData *f, int64_t *from, int64_t *to)
{
    int64_t last = s->skip + s->n - f->first;

    *from = s->skip > f->first ? s->skip - f->first : 0;
    *to = last < f->n ? last : f->n;
}

/* A score on what gave the ranges would say nothing of other data. */
static SnStatus
check_apart(SnCli *c, const SnSamples *calib, const SnSamples *eval)
{
    for (uint32_t i = 0; i < eval->ninput; i++)
        for (uint32_t k = 0; k < eval->feed[i].nfile; k++)
            for (uint32_t m = 0; m < calib->feed[i].nfile; m++) {
                const SnFileData *e = &eval->feed[i].file[k];
                const SnFileData *f = &calib->feed[i].file[m];
                int64_t a, b, x, y;
                window(eval, e, &a, &b);
                window(calib, f, &x, &y);
                int64_t from = a > x ? a : x, to = b < y ? b : y;
                if (from >= to || !same_file(e->file.path, f->file.path))
                    continue;
                return sn_fail(
                    c->d, SN_EUSAGE, "--eval",
                    "samples %lld to %lld of %s are used for calibration, too: "
                    "their score says nothing about other data; separate them "
                    "by -n, --skip, --eval-n and --eval-skip",
                    (long long)from, (long long)(to - 1), e->file.path);
            }
    return SN_OK;
}

static SnStatus
check_options(SnCli *c)
{
    const SnArgs *a = &c->args;
    const char *stray = a->labels        ? "--labels"
                        : a->eval_n >= 0 ? "--eval-n"
                        : a->eval_skip   ? "--eval-skip"
                                         : NULL;

    if (!a->eval.n && stray)
        return sn_fail(c->d, SN_EUSAGE, stray, "requires --eval FILE");
    return SN_OK;
}

SnStatus
sn_cli_eval_open(SnCli *c, const SnGraph *g, SnEval **out)
{
    const SnArgs *a = &c->args;
    SnGraph *f;

    *out = NULL;
    SN_TRY(check_options(c));
    if (!a->eval.n)
        return SN_OK;
    SnEval *e = SN_NEW(c->a, SnEval);
    SN_TRY(sn_cli_lowered(c, g, true, &f));
    SN_TRY(sn_exec_prepare(c->a, f, sn_backend_named("CPU"), c->d, &e->flt.x));
    SN_TRY(sn_cli_window(c, e->flt.x, &a->eval, "--eval", a->eval_n,
                         "--eval-skip", a->eval_skip, &e->flt.samples));
    if (sn_results_labelled(c, e->flt.samples))
        SN_TRY(sn_results_labels(c, e->flt.x, e->flt.samples, &e->labels));
    if (a->calib.n) {
        SnStrs files = sn_cli_files(c, &a->calib);
        e->calib_flt.x = e->flt.x;
        SN_TRY(sn_cli_samples(c, e->flt.x, &files, "--calib",
                              &e->calib_flt.samples));
        SN_TRY(check_apart(c, e->calib_flt.samples, e->flt.samples));
    }
    *out = e;
    return SN_OK;
}

/* ---- is the data like what was calibrated on? ---- */

static void
warn_unlike(SnCli *c, const SnInputs *in)
{
    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnInputSeen *e = &in->seen[i];
        if (!e->ranged || e->n == 0)
            continue;
        const char *name = in->x->input[i].name;
        double from = (double)e->from, to = (double)e->to;
        double lo = (double)e->lo, hi = (double)e->hi;
        double share = (double)e->beyond / (double)e->n;
        if (share > SHARE_BEYOND)
            sn_warn(c->d, (SnPos){0}, NULL,
                    "%.1f %% of the values that --eval gives input '%s' lie "
                    "outside the calibrated range, %g to %g: calibrate on data "
                    "like it",
                    100 * share, name, from, to);
        else if ((hi - lo) / (to - from) < PART_FILLED)
            sn_warn(
                c->d, (SnPos){0}, NULL,
                "--eval gives input '%s' values from %g to %g, but the "
                "calibrated range is %g to %g: is this data of the same kind?",
                name, lo, hi, from, to);
    }
}

/* ---- running ---- */

static SnStatus
run_float(SnCli *c, SnEval *e, const SnProfile *p)
{
    SnInputs *in = sn_inputs_new(c->a, e->flt.x, e->flt.samples);

    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnHist *h = sn_profile_find(p, in->x->input[i].name);
        in->seen[i].ranged = h && h->count;
        in->seen[i].from = h ? h->min : 0;
        in->seen[i].to = h ? h->max : 0;
    }
    e->flt.seen = sn_inputs_see;
    e->flt.seen_ctx = in;
    SN_TRY(sn_results_run(c, &e->flt));
    warn_unlike(c, in);
    return SN_OK;
}

SnStatus
sn_cli_eval_run(SnCli *c, SnEval *e, const SnGraph *q, const SnProfile *p)
{
    const SnArgs *a = &c->args;
    const SnBackendDesc *b;

    SN_TRY(sn_cli_engine(c, &b));
    SN_TRY(sn_exec_prepare_fast(c->a, q, b, c->d, &e->quant.x));
    SN_TRY(sn_cli_window(c, e->quant.x, &a->eval, "--eval", a->eval_n,
                         "--eval-skip", a->eval_skip, &e->quant.samples));
    SN_TRY(run_float(c, e, p));
    SN_TRY(sn_results_run(c, &e->quant));
    if (sn_results_labelled(c, e->flt.samples)) {
        e->flt_score = sn_results_score(&e->flt, &e->labels);
        e->quant_score = sn_results_score(&e->quant, &e->labels);
    }
    if (!e->calib_flt.x)
        return SN_OK;
    SnStrs files = sn_cli_files(c, &a->calib);
    e->calib_quant.x = e->quant.x;
    SN_TRY(sn_cli_samples(c, e->quant.x, &files, "--calib",
                          &e->calib_quant.samples));
    SN_TRY(sn_results_run(c, &e->calib_flt));
    return sn_results_run(c, &e->calib_quant);
}

/* ---- what it says ---- */

static double
top1(SnScore s)
{
    return s.n ? (double)s.right / (double)s.n : 0;
}

static const char *
db_str(SnArena *a, double db)
{
    return isinf(db) ? db > 0 ? "exact" : "-inf dB"
                     : sn_format(a, "%.2f dB", db);
}

void
sn_cli_eval_text(const SnEval *e, SnBuf *b)
{
    sn_putf(b, "evaluated: %lld %ssamples\n", (long long)e->flt.samples->n,
            e->calib_flt.x ? "held-out " : "");
    if (e->flt_score.n)
        sn_putf(b, "  top-1: float %.4f, int8 %.4f (%lld and %lld of %lld)\n",
                top1(e->flt_score), top1(e->quant_score),
                (long long)e->flt_score.right, (long long)e->quant_score.right,
                (long long)e->flt_score.n);
    for (uint32_t k = 0; k < e->flt.x->noutput; k++) {
        sn_putf(b, "  %s: SQNR %s, same argmax %lld of %lld",
                e->flt.x->output[k].name,
                db_str(b->a, sn_results_sqnr(&e->flt, &e->quant, k)),
                (long long)sn_results_agree(&e->flt, &e->quant, k),
                (long long)(e->flt.samples->n * sn_results_rows(&e->flt, k)));
        if (e->calib_flt.x)
            sn_putf(b, "; on the calibration data %s",
                    db_str(b->a,
                           sn_results_sqnr(&e->calib_flt, &e->calib_quant, k)));
        sn_puts(b, "\n");
    }
}

void
sn_cli_eval_json(const SnEval *e, SnBuf *b)
{
    sn_putf(b, "{\"samples\": %lld", (long long)e->flt.samples->n);
    if (e->flt_score.n)
        sn_putf(b, ", \"top1_float\": %.6f, \"top1\": %.6f", top1(e->flt_score),
                top1(e->quant_score));
    sn_puts(b, ", \"outputs\": [");
    for (uint32_t k = 0; k < e->flt.x->noutput; k++) {
        sn_puts(b, k ? ", {\"output\": " : "{\"output\": ");
        sn_put_json(b, e->flt.x->output[k].name);
        sn_puts(b, ", \"sqnr_db\": ");
        sn_put_json_f64(b, sn_results_sqnr(&e->flt, &e->quant, k));
        sn_putf(b, ", \"same_argmax\": %lld",
                (long long)sn_results_agree(&e->flt, &e->quant, k));
        if (e->calib_flt.x) {
            sn_puts(b, ", \"calib_sqnr_db\": ");
            sn_put_json_f64(b,
                            sn_results_sqnr(&e->calib_flt, &e->calib_quant, k));
        }
        sn_puts(b, "}");
    }
    sn_puts(b, "]}");
}
