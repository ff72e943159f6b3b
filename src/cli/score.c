// SPDX-License-Identifier: Apache-2.0
#include "cli/score.h"

#include <math.h>
#include <unistd.h>
#include "run/batch.h"
#include "run/npy.h"

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    SnResults *res = ctx;

    SN_TRY(sn_samples_fill(res->samples, sample, r));
    if (res->seen)
        res->seen(res->seen_ctx, sample, r);
    return SN_OK;
}

static void
keep(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    SnResults *res = ctx;

    (void)worker;
    for (uint32_t i = 0; i < res->x->noutput; i++) {
        const SnPort *p = &res->x->output[i];
        float *v = res->value[i] + sample * res->count[i];
        sn_to_real(p->type, p->shape, sn_run_output(r, i), v);
        for (int64_t k = 0; p->u8 && k < res->count[i]; k++)
            v[k] += 128;
    }
}

SnStatus
sn_results_run(SnCli *c, SnResults *r)
{
    uint32_t nout = r->x->noutput;
    int64_t n = r->samples->n;
    SnBatch b = {.x = r->x,
                 .nsample = n,
                 .njob = (unsigned)c->args.njob,
                 .fill = fill,
                 .done = keep,
                 .ctx = r,
                 .progress = isatty(2)};

    SN_TRY(sn_cli_run_threads(c, n, &b.nthread));
    r->count = SN_NEW_N(c->a, int64_t, nout + 1);
    r->value = SN_NEW_N(c->a, float *, nout + 1);
    for (uint32_t i = 0; i < nout; i++) {
        r->count[i] = sn_shape_count(r->x->output[i].shape);
        r->value[i] = SN_NEW_N(c->a, float, n * r->count[i] + 1);
    }
    return sn_batch_run(&b, c->d);
}

int64_t
sn_argmax(const float *v, int64_t n)
{
    int64_t best = n > 0 ? 0 : -1;

    for (int64_t i = 1; i < n; i++)
        if (v[i] > v[best])
            best = i;
    return best;
}

static int64_t
rows_of(const SnExec *x, const SnSamples *samples, uint32_t k)
{
    const SnShape *s = x->output[k].shape;
    int64_t rows = x->ninput ? samples->feed[0].file[0].rows : 1;

    return s->rank > 0 && s->dim[0] == rows ? rows : 1;
}

int64_t
sn_results_rows(const SnResults *r, uint32_t k)
{
    return rows_of(r->x, r->samples, k);
}

/* Output 0 must be one row of classes for each label: of its axes after the
 * rows only one is longer than 1. */
static SnStatus
check_classes(SnCli *c, const SnExec *x, int64_t rows)
{
    const SnPort *p = x->output;
    const char *place = c->args.labels ? "--labels" : "folders of classes";
    int wide = 0;

    if (x->noutput == 0 || sn_shape_count(p->shape) == 0)
        return sn_fail(c->d, SN_EINPUT, place,
                       "the model has no output to score");
    for (int i = rows > 1; i < p->shape->rank; i++)
        wide += p->shape->dim[i] > 1;
    if (wide <= 1)
        return SN_OK;
    return sn_fail(c->d, SN_EINPUT, place,
                   "cannot score output '%s', "
                   "which is %s: expected one row of classes, such as "
                   "[1, 10]",
                   p->name, sn_dims_str(c->a, p->shape->rank, p->shape->dim));
}

/* One label for each row of all samples of the files; where -n or --skip take
 * a part of them, labels up to the end of that part will do. */
static SnStatus
check_nlabel(SnCli *c, const SnData *t, const SnSamples *s, int64_t rows)
{
    int64_t have = t->rank > 0 ? t->dim[0] : 1;
    bool part = s->n < s->all;

    if (sn_data_count(t) != have)
        return sn_fail(c->d, SN_EINPUT, c->args.labels,
                       "holds %s, expected "
                       "one class number for each sample",
                       sn_dims_str(c->a, t->rank, t->dim));
    if (have == s->all * rows || (part && have >= (s->skip + s->n) * rows))
        return SN_OK;
    return sn_fail(c->d, SN_EINPUT, c->args.labels,
                   "has %lld labels for "
                   "%lld samples",
                   (long long)have, (long long)((s->skip + s->n) * rows));
}

bool
sn_results_labelled(SnCli *c, const SnSamples *s)
{
    return c->args.labels || sn_cli_has_classes(s);
}

SnStatus
sn_results_labels(SnCli *c, const SnExec *x, const SnSamples *s, SnData *out)
{
    int64_t rows = x->noutput ? rows_of(x, s, 0) : 1;

    SN_TRY(check_classes(c, x, rows));
    int64_t m = sn_shape_count(x->output[0].shape) / rows;
    if (!c->args.labels)
        return sn_cli_folder_labels(c, s, m, out);
    SN_TRY(sn_npy_read(c->a, c->args.labels, c->d, out));
    if (sn_dtype_real(out->dtype))
        return sn_fail(c->d, SN_EINPUT, c->args.labels,
                       "holds %s, expected integer class numbers",
                       sn_dtype_name(out->dtype));
    SN_TRY(check_nlabel(c, out, s, rows));
    int64_t n = s->n * rows, skip = s->skip * rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = sn_data_int(out, skip + i);
        if (k < 0 || k >= m)
            return sn_fail(c->d, SN_EINPUT, c->args.labels,
                           "label %lld of sample %lld is out of range: the "
                           "output has %lld classes, numbered from 0",
                           (long long)k, (long long)(skip + i), (long long)m);
    }
    return SN_OK;
}

SnScore
sn_results_score(const SnResults *r, const SnData *labels)
{
    int64_t rows = sn_results_rows(r, 0), m = r->count[0] / rows;
    int64_t skip = r->samples->skip * rows;
    SnScore s = {.n = r->samples->n * rows, .nclass = m};

    for (int64_t i = 0; i < s.n; i++) {
        const float *v = r->value[0] + i * m;
        int64_t label = sn_data_int(labels, skip + i), before = 0;
        for (int64_t k = 0; k < m; k++)
            before += k != label &&
                      (!(v[k] <= v[label]) || (v[k] == v[label] && k < label));
        s.right += sn_argmax(v, m) == label;
        s.right5 += before < 5;
    }
    return s;
}

double
sn_results_sqnr(const SnResults *ref, const SnResults *r, uint32_t k)
{
    double signal = 0, noise = 0;

    for (int64_t i = 0; i < r->samples->n * r->count[k]; i++) {
        double x = (double)ref->value[k][i];
        double e = (double)r->value[k][i] - x;
        signal += x * x;
        noise += e * e;
    }
    if (noise == 0)
        return INFINITY;
    return signal > 0 ? 10 * log10(signal / noise) : -INFINITY;
}

int64_t
sn_results_agree(const SnResults *ref, const SnResults *r, uint32_t k)
{
    int64_t rows = sn_results_rows(r, k), m = r->count[k] / rows, agree = 0;

    for (int64_t i = 0; i < r->samples->n * rows; i++)
        agree += sn_argmax(ref->value[k] + i * m, m) ==
                 sn_argmax(r->value[k] + i * m, m);
    return agree;
}
