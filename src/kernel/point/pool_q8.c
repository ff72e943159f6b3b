// SPDX-License-Identifier: Apache-2.0
/* Pools and LRN on codes: what does not depend on the instruction set. Programs
 * get the sections that they call. */
#include "kernel/point/pool_q8.h"

#include <string.h>

#include "base/num.h"

/* ---- pool ---- */

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

void
sn_pool8_by(SnMax8Fn *max, SnAvg8Fn *avg, const SnPool8 *p, const int8_t *x,
            int8_t *y, int64_t pitch, int64_t *tap, int64_t r0, int64_t r1)
{
    const SnConvGeo *o = &p->geo;

    y += r0 * o->ow * pitch;
    for (int64_t r = r0; r < r1; r++) {
        const int8_t *image = x + r / o->oh * o->h * o->w * o->c, *at = image;
        int64_t nt = 0, part = 1;
        for (int64_t j = 0; j < o->ow; j++, y += pitch) {
            /* From one whole window to the next only the place changes. */
            if (j > 0 && whole_columns(o, j - 1) && whole_columns(o, j)) {
                at += o->sw * o->c;
            } else {
                nt = taps(p, r % o->oh, j, tap, &part);
                at = image;
            }
            if (max)
                max(at, tap, nt, o->c, y);
            else
                avg(p, at, tap, nt, part, p->count_pad ? o->kh * o->kw : nt, y);
        }
    }
}

/* ---- max ---- */

void
sn_max8_c(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c,
          int8_t *y)
{
    memcpy(y, x + tap[0], (size_t)c);
    for (int64_t t = 1; t < ntap; t++) {
        const int8_t *v = x + tap[t];
        for (int64_t i = 0; i < c; i++)
            y[i] = v[i] > y[i] ? v[i] : y[i];
    }
}

/* ---- avg ---- */

void
sn_avg8_c(const SnPool8 *p, const int8_t *x, const int64_t *tap, int64_t ntap,
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
                column = column + sn_mulf((float)q, p->xs);
            }
            sum = sum + column;
        }
        if (p->whole) {
            v = sn_mulf((float)isum, p->xs / (p->ys * n));
        } else {
            v = (sum / n) / p->ys;
            v = p->off != 0 ? v + p->off : v;
        }
        y[i] =
            (int8_t)(sn_rne_clamp(v, (int32_t)p->lo, (int32_t)p->hi) + p->yz);
    }
}

/* ---- lrn ---- */

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
sn_lrn8_by(SnLrn8Fn *lrn, const SnLrn8 *p, const int8_t *x, int8_t *y,
           void *work, int64_t p0, int64_t p1)
{
    memset(work, 0, sn_lrn8_work(p));
    for (int64_t i = p0; i < p1; i += LRN_PX) {
        int64_t n = p1 - i < LRN_PX ? p1 - i : LRN_PX;
        lrn(p, x + i * p->c, n, work, lrn_pitch(p), y + i * p->c);
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
        float r = sqrtf(t);
        float v = sn_dequant(x[i], p->xs, p->xz) / (r * sqrtf(r));
        y[i] =
            (int8_t)(sn_rne_clamp(v / p->ys, (int32_t)p->lo, (int32_t)p->hi) +
                     p->yz);
    }
}

void
sn_lrn8_c(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
          int64_t pitch, int8_t *y)
{
    for (int64_t i = 0; i < npx; i++)
        lrn_px_ref(p, x + i * p->c, sq + i * pitch, y + i * p->c);
}
