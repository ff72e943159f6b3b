// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels: what all variants share, and the portable
 * one. */
#include "kernel/point/point_q8.h"

#include <string.h>
#include "base/num.h"
#include "kernel/eval/rows.h"

SnVariants sn_point_q8_variants;

static const SnPoint8 *
point8(SnIsa isa)
{
    return sn_variant(&sn_point_q8_variants, isa);
}

/* ---- shared ---- */

void
sn_table8_open(SnTable8 *p, const int8_t t[256])
{
    memcpy(p->t, t, 256);
    p->lo = t[0];
    p->hi = t[255];
    p->clamp = p->lo <= p->hi;
    for (int i = 0; i < 256; i++) {
        int v = i - 128;
        p->clamp &= t[i] == (v < p->lo ? p->lo : v > p->hi ? p->hi : v);
    }
}

void
sn_table8_run(SnIsa isa, const SnTable8 *p, const int8_t *x, int64_t n,
              int8_t *y)
{
    point8(isa)->table(p, x, n, y);
}

void
sn_table16_run(const int8_t *t, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = t[(a[i] + 128) * 256 + b[i] + 128];
}

void
sn_pair8_run(SnIsa isa, const SnPair8 *p, const int8_t *a, const int8_t *b,
             int64_t n, int8_t *y)
{
    point8(isa)->pair(p, a, b, n, y);
}

void
sn_sum8_run(SnIsa isa, const SnSum8 *p, const int8_t *a, const int8_t *b,
            int64_t n, int8_t *y)
{
    sn_sum8_by(point8(isa)->sum, p, a, b, n, y);
}

/* What the formula gives for each pair of codes. */
static void
all_pairs(const SnPoint8 *k, const SnPair8 *formula, int8_t *t)
{
    int8_t a[256], b[256];

    sn_codes8(b);
    for (int i = 0; i < 256; i++) {
        memset(a, i - 128, sizeof a);
        k->pair(formula, a, b, 256, t + 256 * i);
    }
}

bool
sn_sum8_fit(SnIsa isa, SnSum8 *p, const int8_t *table, const SnPair8 *formula)
{
    const SnPoint8 *k = point8(isa);
    int8_t t[65536];

    if (!k->sum)
        return false;
    if (!table)
        all_pairs(k, formula, t);
    return sn_sum8_fit_by(k->sum, p, table ? table : t);
}

void
sn_quant8_run(SnIsa isa, const SnQuant8 *p, const float *x, int64_t n,
              int8_t *y)
{
    point8(isa)->quant(p, x, n, y);
}

void
sn_dequant8_run(SnIsa isa, const SnQuant8 *p, const int8_t *x, int64_t n,
                float *y)
{
    point8(isa)->dequant(p, x, n, y);
}

void
sn_planes8_run(SnIsa isa, const int8_t *r, const int8_t *g, const int8_t *b,
               int64_t n, int8_t *y)
{
    const SnPoint8 *v = point8(isa);
    int64_t i = v->planes ? v->planes(r, g, b, n, y) : 0;

    for (; i < n; i++) {
        y[3 * i] = r[i];
        y[3 * i + 1] = g[i];
        y[3 * i + 2] = b[i];
    }
}

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

size_t
sn_pool8_work(const SnPool8 *p)
{
    return (size_t)(p->geo.kh * p->geo.kw) * sizeof(int64_t);
}

/* The taps of a result pixel along the rows, or down the columns, of which each
 * has `part`. */
static int64_t
taps(const SnPool8 *p, int64_t oh, int64_t ow, int64_t *tap, int64_t *part)
{
    const SnConvGeo *o = &p->geo;
    int64_t h = oh * o->sh - o->pt, w = ow * o->sw - o->pl, n = 0;
    int64_t h0, h1, w0, w1;

    valid(h, o->dh, o->h, o->kh, &h0, &h1);
    valid(w, o->dw, o->w, o->kw, &w0, &w1);
    *part = p->columns ? h1 - h0 : 1;
    for (int64_t j = w0; p->columns && j < w1; j++)
        for (int64_t i = h0; i < h1; i++)
            tap[n++] = ((h + i * o->dh) * o->w + w + j * o->dw) * o->c;
    for (int64_t i = h0; !p->columns && i < h1; i++)
        for (int64_t j = w0; j < w1; j++)
            tap[n++] = ((h + i * o->dh) * o->w + w + j * o->dw) * o->c;
    return n;
}

static bool
whole_columns(const SnConvGeo *o, int64_t ow)
{
    int64_t w = ow * o->sw - o->pl;

    return w >= 0 && w + (o->kw - 1) * o->dw < o->w;
}

typedef struct Pooling {
    const SnPool8 *p;
    SnMax8Fn *max; /* or */
    SnAvg8Fn *avg;
} Pooling;

static void
pool(const Pooling *k, const int8_t *x, int8_t *y, int64_t pitch, int64_t *tap,
     int64_t r0, int64_t r1)
{
    const SnPool8 *p = k->p;
    const SnConvGeo *o = &p->geo;

    y += r0 * o->ow * pitch;
    for (int64_t r = r0; r < r1; r++) {
        const int8_t *image = x + r / o->oh * o->h * o->w * o->c, *at = image;
        int64_t nt = 0, part = 1;
        for (int64_t j = 0; j < o->ow; j++, y += pitch) {
            /* Between two whole windows only the place changes. */
            if (j > 0 && whole_columns(o, j - 1) && whole_columns(o, j)) {
                at += o->sw * o->c;
            } else {
                nt = taps(p, r % o->oh, j, tap, &part);
                at = image;
            }
            if (k->max)
                k->max(at, tap, nt, o->c, y);
            else
                k->avg(p, at, tap, nt, part, p->count_pad ? o->kh * o->kw : nt,
                       y);
        }
    }
}

void
sn_maxpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                int64_t pitch, void *work, int64_t r0, int64_t r1)
{
    pool(&(Pooling){p, point8(isa)->max, NULL}, x, y, pitch, work, r0, r1);
}

void
sn_avgpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                int64_t pitch, void *work, int64_t r0, int64_t r1)
{
    pool(&(Pooling){p, NULL, point8(isa)->avg}, x, y, pitch, work, r0, r1);
}

enum { LRN_PX = 32 };

static int64_t
lrn_pitch(const SnLrn8 *p)
{
    return (p->c + p->before + p->after + 31) / 16 * 16;
}

size_t
sn_lrn8_work(const SnLrn8 *p)
{
    return (size_t)(lrn_pitch(p) * LRN_PX + 64) * sizeof(int32_t);
}

void
sn_lrn8_run(SnIsa isa, const SnLrn8 *p, const int8_t *x, int8_t *y, void *work,
            int64_t p0, int64_t p1)
{
    SnLrn8Fn *lrn = point8(isa)->lrn;

    memset(work, 0, sn_lrn8_work(p));
    for (int64_t i = p0; i < p1; i += LRN_PX) {
        int64_t n = p1 - i < LRN_PX ? p1 - i : LRN_PX;
        lrn(p, x + i * p->c, n, work, lrn_pitch(p), y + i * p->c);
    }
}

/* ---- portable ---- */

static void
table_ref(const SnTable8 *p, const int8_t *x, int64_t n, int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = p->t[x[i] + 128];
}

static void
pair_ref(const SnPair8 *p, const int8_t *a, const int8_t *b, int64_t n,
         int8_t *y)
{
    int32_t lo = (int32_t)p->lo, hi = (int32_t)p->hi;

    for (int64_t i = 0; i < n; i++) {
        float da = sn_dequant(a[i], p->as, p->az);
        float db = sn_dequant(b[i], p->bs, p->bz);
        float v = p->mul ? da * db : da + db;
        y[i] = (int8_t)(sn_rne_clamp(v / p->ys, lo, hi) + p->yz);
    }
}

static void
quant_ref(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    int32_t lo = (int32_t)p->lo, hi = (int32_t)p->hi;

    for (int64_t i = 0; i < n; i++)
        y[i] = (int8_t)(sn_rne_clamp(x[i] / p->scale, lo, hi) + p->zp);
}

static void
dequant_ref(const SnQuant8 *p, const int8_t *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = sn_dequant(x[i], p->scale, p->zp);
}

static void
max_ref(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c, int8_t *y)
{
    memcpy(y, x + tap[0], (size_t)c);
    for (int64_t t = 1; t < ntap; t++) {
        const int8_t *v = x + tap[t];
        for (int64_t i = 0; i < c; i++)
            y[i] = v[i] > y[i] ? v[i] : y[i];
    }
}

static void
avg_ref(const SnPool8 *p, const int8_t *x, const int64_t *tap, int64_t ntap,
        int64_t part, int64_t nall, int8_t *y)
{
    float n = (float)nall;

    for (int64_t i = 0; i < p->geo.c; i++) {
        int32_t isum = 0;
        float sum = 0, v;
        for (int64_t t = 0; t < ntap;) {
            float column = 0;
            for (int64_t end = t + part; t < end; t++) {
                int32_t q = x[tap[t] + i] - p->xz;
                isum += q;
                column = column + (float)q * p->xs;
            }
            sum = sum + column;
        }
        if (p->whole) {
            v = (float)isum * (p->xs / (p->ys * n));
        } else {
            v = (sum / n) / p->ys;
            v = p->off != 0 ? v + p->off : v;
        }
        y[i] =
            (int8_t)(sn_rne_clamp(v, (int32_t)p->lo, (int32_t)p->hi) + p->yz);
    }
}

static void
lrn_px_ref(const SnLrn8 *p, const int8_t *x, int32_t *sq, int8_t *y)
{
    int64_t size = p->before + p->after + 1;

    for (int64_t i = 0; i < p->c; i++) {
        int32_t q = x[i] - p->xz;
        sq[p->before + i] = q * q;
    }
    for (int64_t i = 0; i < p->c; i++) {
        int32_t s = 0;
        for (int64_t j = 0; j < size; j++)
            s += sq[i + j];
        float t = fmaf(p->coef, (float)s, p->k);
        float v = sn_lrn_y(sn_dequant(x[i], p->xs, p->xz), t, 0.75f);
        y[i] =
            (int8_t)(sn_rne_clamp(v / p->ys, (int32_t)p->lo, (int32_t)p->hi) +
                     p->yz);
    }
}

static void
lrn_ref(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
        int64_t pitch, int8_t *y)
{
    for (int64_t i = 0; i < npx; i++)
        lrn_px_ref(p, x + i * p->c, sq + i * pitch, y + i * p->c);
}

const SnPoint8 sn_point8_ref = {pair_ref,    NULL,      quant_ref,
                                dequant_ref, table_ref, max_ref,
                                avg_ref,     lrn_ref,   NULL};

void sn_register_point_q8_portable(void);
void
sn_register_point_q8_portable(void)
{
    sn_variant_add(&sn_point_q8_variants, SN_ISA_PORTABLE, &sn_point8_ref);
}
