// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32: what all variants share, and
 * the portable one. */
#include "kernel/point/point_f32.h"

#include <math.h>
#include <string.h>
#include "base/fmath.h"
#include "base/num.h"
#include "kernel/eval/rows.h"

SnVariants sn_point_f32_variants;

static const SnPointF32 *
variant(SnIsa isa)
{
    return sn_variant(&sn_point_f32_variants, isa);
}

void
sn_clampf_run(SnIsa isa, float lo, float hi, const float *x, int64_t n,
              float *y)
{
    variant(isa)->clamp(lo, hi, x, n, y);
}

void
sn_normf_run(SnIsa isa, const SnNormF32 *p, const float *x, int64_t n, float *y)
{
    variant(isa)->norm(p, x, n, y);
}

/* ---- pools ---- */

/* First and last + 1 tap k with 0 <= base + k * step < size. */
static void
valid(int64_t base, int64_t step, int64_t size, int64_t nk, int64_t *lo,
      int64_t *hi)
{
    *lo = base < 0 ? (-base + step - 1) / step : 0;
    *hi = base >= size ? 0 : (size - 1 - base) / step + 1;
    if (*hi > nk)
        *hi = nk;
}

typedef struct Pooling {
    const SnPointF32 *v;
    const SnPoolF32 *p;
    int64_t *whole; /* the taps of a window without pads */
    int64_t *part;
} Pooling;

/* Taps [h0, h1) x [w0, w1) relative to the window's first. */
static int64_t
list(const SnPoolF32 *p, int64_t h0, int64_t h1, int64_t w0, int64_t w1,
     int64_t *tap)
{
    const SnConvGeo *o = &p->geo;
    int64_t n = 0;

    for (int64_t j = w0; p->columns && j < w1; j++)
        for (int64_t i = h0; i < h1; i++)
            tap[n++] = (i * o->dh * o->w + j * o->dw) * o->c;
    for (int64_t i = h0; !p->columns && i < h1; i++)
        for (int64_t j = w0; j < w1; j++)
            tap[n++] = (i * o->dh * o->w + j * o->dw) * o->c;
    return n;
}

/* x: the image. */
static void
window(Pooling *k, const float *x, int64_t oh, int64_t ow, float *y)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t h = oh * o->sh - o->pt, w = ow * o->sw - o->pl;
    int64_t h0, h1, w0, w1, n = o->kh * o->kw, *tap = k->whole;
    int64_t base = (h * o->w + w) * o->c;

    valid(h, o->dh, o->h, o->kh, &h0, &h1);
    valid(w, o->dw, o->w, o->kw, &w0, &w1);
    if ((h1 - h0) * (w1 - w0) != n) {
        tap = k->part;
        n = list(k->p, h0, h1, w0, w1, tap);
        for (int64_t t = 0; t < n; t++)
            tap[t] += base;
        base = 0;
    }
    if (!k->p->avg) {
        k->v->max(x + base, tap, n, o->c, y);
        return;
    }
    int64_t all = k->p->count_pad ? o->kh * o->kw : n;
    SnAvgF32 a = {k->p->columns ? h1 - h0 : 1,
                  sn_pool_start(k->p->columns, k->p->whole, w1 - w0 == o->kw),
                  (float)all, k->p->lo, k->p->hi};
    k->v->avg(&a, x + base, tap, n, o->c, y);
}

size_t
sn_poolf_work(const SnPoolF32 *p)
{
    return 2 * (size_t)(p->geo.kh * p->geo.kw) * sizeof(int64_t);
}

void
sn_poolf_run(SnIsa isa, const SnPoolF32 *p, const float *x, float *y,
             void *work, int64_t from, int64_t to)
{
    const SnConvGeo *o = &p->geo;
    Pooling k;

    k.v = variant(isa);
    k.p = p;
    k.whole = work;
    k.part = k.whole + o->kh * o->kw;
    list(p, 0, o->kh, 0, o->kw, k.whole);
    for (; from < to; from++)
        for (int64_t j = 0; j < o->ow; j++)
            window(&k, x + from / o->oh * o->h * o->w * o->c, from % o->oh, j,
                   y + (from * o->ow + j) * o->c);
}

/* ---- LRN ---- */

size_t
sn_lrnf_work(const SnLrnF32 *p)
{
    return (size_t)(p->c + p->before + p->after + 64) * sizeof(float);
}

void
sn_lrnf_run(SnIsa isa, const SnLrnF32 *p, const float *x, int64_t npx, float *y,
            void *work)
{
    SnLrnF32Fn *fn = variant(isa)->lrn;

    memset(work, 0, sn_lrnf_work(p));
    for (int64_t i = 0; i < npx; i++)
        fn(p, x + i * p->c, work, y + i * p->c);
}

/* ---- softmax ---- */

void
sn_softmaxf_run(SnIsa isa, const float *x, int64_t nrow, int64_t n, float *y)
{
    variant(isa)->softmax(x, nrow, n, y);
}

/* ---- portable ---- */

static void
clamp_ref(float lo, float hi, const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = sn_clampf(x[i], (SnLimF){lo, hi});
}

static void
norm_ref(const SnNormF32 *p, const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++) {
        float v = (x[i] - p->mean[i]) / p->dev[i] * p->gamma[i];
        y[i] = v + p->beta[i];
    }
}

static void
max_ref(const float *x, const int64_t *tap, int64_t ntap, int64_t c, float *y)
{
    memcpy(y, x + tap[0], (size_t)c * sizeof *y);
    for (int64_t t = 1; t < ntap; t++)
        for (int64_t i = 0; i < c; i++)
            y[i] = sn_maxf(y[i], x[tap[t] + i]);
}

static void
avg_ref(const SnAvgF32 *p, const float *x, const int64_t *tap, int64_t ntap,
        int64_t c, float *y)
{
    for (int64_t i = 0; i < c; i++) {
        float sum = p->start;
        for (int64_t t = 0; t < ntap;) {
            float column = -0.0f;
            for (int64_t end = t + p->part; t < end; t++)
                column = column + x[tap[t] + i];
            sum = sum + column;
        }
        y[i] = sn_clampf(sum / p->all, (SnLimF){p->lo, p->hi});
    }
}

static void
lrn_ref(const SnLrnF32 *p, const float *x, float *sq, float *y)
{
    for (int64_t i = 0; i < p->c; i++)
        sq[p->before + i] = x[i] * x[i];
    for (int64_t i = 0; i < p->c; i++) {
        float sum = 0;
        for (int64_t j = 0; j <= p->before + p->after; j++)
            sum = sum + sq[i + j];
        y[i] = x[i] / sn_lrn_pow(p->k + p->coef * sum, 0.75f);
    }
}

static void
softmax_ref(const float *x, int64_t nrow, int64_t n, float *y)
{
    for (; nrow > 0; nrow--, x += n, y += n) {
        float top = x[0], sum = 0;
        for (int64_t i = 1; i < n; i++)
            top = sn_maxf(top, x[i]);
        for (int64_t i = 0; i < n; i++) {
            y[i] = sn_expf(x[i] - top);
            sum = sum + y[i];
        }
        for (int64_t i = 0; i < n; i++)
            y[i] = y[i] / sum;
    }
}

const SnPointF32 sn_point_f32_ref = {
    clamp_ref, norm_ref, max_ref, avg_ref, lrn_ref, softmax_ref, sn_curvef_ref};

void sn_register_point_f32_portable(void);
void
sn_register_point_f32_portable(void)
{
    sn_variant_add(&sn_point_f32_variants, SN_ISA_PORTABLE, &sn_point_f32_ref);
}
