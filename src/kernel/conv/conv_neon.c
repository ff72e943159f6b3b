// SPDX-License-Identifier: Apache-2.0
/* Tiles for NEON with the dot product (Armv8.2-A): sdot of s8 codes by s8
 * filters, four taps of x at a time by lane.  Four registers hold 16 channels
 * of the filter; the correction for x.zp is in the bias. */
#include "kernel/conv/conv_run.h"

#include <string.h>

static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    (void)z;
    memcpy(y, x, (size_t)n);
}

#if defined(__aarch64__) && !defined(SN_TWINS)
#include <arm_neon.h>

#include "kernel/tile_rows.h"

#define DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#define INLINE static inline __attribute__((always_inline))

DOT INLINE int32_t
sum_of(const char *x, const SnConvRun *run, int64_t nrun, int64_t len)
{
    int8x16_t ones = vdupq_n_s8(1);
    int32x4_t s = vdupq_n_s32(0);
    int32_t rest = 0;

    for (int64_t r = 0; r < nrun; r++) {
        const int8_t *v = (const int8_t *)x + run[r].x;
        int64_t i = 0;
        for (; i + 16 <= len; i += 16)
            s = vdotq_s32(s, vld1q_s8(v + i), ones);
        for (; i < len; i++)
            rest += v[i];
    }
    return rest + vaddvq_s32(s);
}

DOT SN_SPARE static void
sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run, int64_t nrun,
    int64_t len, int32_t *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = sum_of(px[i].x + x0, run, nrun, len);
}

/* rne((float)v * mul), saturated; sums and multipliers are finite. */
INLINE int32x4_t
requant(int32x4_t v, const float *mul, const SnEnd *e)
{
    float32x4_t f = vmulq_f32(vcvtq_f32_s32(v), vld1q_f32(mul));

    f = vmaxq_f32(f, vdupq_n_f32(e->lo));
    f = vminq_f32(f, vdupq_n_f32(e->hi));
    return vaddq_s32(vcvtnq_s32_f32(f), vdupq_n_s32(e->zp));
}

/* 16 channels, bias included, to n codes. */
INLINE void
store(const SnEnd *e, int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d, int n,
      int8_t *y)
{
    int16x8_t ab = vcombine_s16(vqmovn_s32(requant(a, e->mul, e)),
                                vqmovn_s32(requant(b, e->mul + 4, e)));
    int16x8_t cd = vcombine_s16(vqmovn_s32(requant(c, e->mul + 8, e)),
                                vqmovn_s32(requant(d, e->mul + 12, e)));
    int8x16_t v = vcombine_s8(vqmovn_s16(ab), vqmovn_s16(cd));

    if (n >= 16) {
        vst1q_s8(y, v);
    } else {
        int8_t tail[16];
        vst1q_s8(tail, v);
        memcpy(y, tail, (size_t)n);
    }
}

INLINE int32x4_t
less(int32x4_t v, int32_t s, const int32_t *wz)
{
    return vmlsq_s32(v, vdupq_n_s32(s), vld1q_s32(wz));
}

/* n of 16 sums themselves. */
INLINE void
put_sums(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d, int n, int8_t *y)
{
    int32_t v[16];

    vst1q_s32(v, a);
    vst1q_s32(v + 4, b);
    vst1q_s32(v + 8, c);
    vst1q_s32(v + 12, d);
    memcpy(y, v, (size_t)(n < 16 ? n : 16) * sizeof *v);
}

INLINE void
put(const SnTile *t, const SnPx *p, int32x4_t a, int32x4_t b, int32x4_t c,
    int32x4_t d)
{
    const int32_t *wz = t->end.wz;

    if (wz) {
        a = less(a, t->rowsum[p - t->px], wz);
        b = less(b, t->rowsum[p - t->px], wz + 4);
        c = less(c, t->rowsum[p - t->px], wz + 8);
        d = less(d, t->rowsum[p - t->px], wz + 12);
    }
    if (t->end.sums)
        put_sums(a, b, c, d, t->ncol, p->y + t->c0);
    else
        store(&t->end, a, b, c, d, t->ncol, p->y + t->c0);
}

INLINE int8x16_t
four(const char *x)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return vreinterpretq_s8_s32(vdupq_n_s32(v));
}

#define BIAS(i) vld1q_s32(t->end.bias + 4 * (i))
#define DECL(r)                               \
    int32x4_t a##r = BIAS(0), b##r = BIAS(1); \
    int32x4_t c##r = BIAS(2), d##r = BIAS(3);
#define FROM(r) const char *x##r = p[r].x + t->x0 + t->run[i].x;
#define STEP(r)                    \
    v = four(x##r + k);            \
    a##r = vdotq_s32(a##r, v, w0); \
    b##r = vdotq_s32(b##r, v, w1); \
    c##r = vdotq_s32(c##r, v, w2); \
    d##r = vdotq_s32(d##r, v, w3);
#define PUT(r) put(t, p + r, a##r, b##r, c##r, d##r);
#define TILE(M)                                                             \
    DOT SN_SPARE static void tile1##M(const SnTile *t)                      \
    {                                                                       \
        int64_t n = t->nstep * 4;                                           \
        for (const SnPx *p = t->px, *e = p + t->ntile * M; p < e; p += M) { \
            ROWS##M(DECL) for (int64_t i = 0; i < t->nrun; i++)             \
            {                                                               \
                const int8_t *w = (const int8_t *)t->w + t->run[i].w * 64;  \
                ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4, w += 64)   \
                {                                                           \
                    int8x16_t v, w0 = vld1q_s8(w);                          \
                    int8x16_t w1 = vld1q_s8(w + 16);                        \
                    int8x16_t w2 = vld1q_s8(w + 32);                        \
                    int8x16_t w3 = vld1q_s8(w + 48);                        \
                    ROWS##M(STEP)                                           \
                }                                                           \
            }                                                               \
            ROWS##M(PUT)                                                    \
        }                                                                   \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

/* ---- depthwise: 16 channels; a product of two codes fits 16 bits ---- */

SN_SPARE static void
dw(const SnDw *d)
{
    const int8_t *x = (const int8_t *)d->x;
    const int32_t *bias = d->end.bias;
    int8_t *y = d->y;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        const int8_t *w = d->w;
        int32x4_t s0 = vld1q_s32(bias), s1 = vld1q_s32(bias + 4);
        int32x4_t s2 = vld1q_s32(bias + 8), s3 = vld1q_s32(bias + 12);
        for (int64_t t = 0; t < d->ntap; t++, w += 16) {
            int8x16_t v = vld1q_s8(x + d->tap[t]), k = vld1q_s8(w);
            int16x8_t lo = vmull_s8(vget_low_s8(v), vget_low_s8(k));
            int16x8_t hi = vmull_high_s8(v, k);
            s0 = vaddw_s16(s0, vget_low_s16(lo));
            s1 = vaddw_high_s16(s1, lo);
            s2 = vaddw_s16(s2, vget_low_s16(hi));
            s3 = vaddw_high_s16(s3, hi);
        }
        store(&d->end, s0, s1, s2, s3, d->nc, y);
    }
}

#else
#define TWIN_X(p, i) ((const int8_t *)(p))[i]
#define TWIN_W int8_t
#define TWIN_STEP 4
#define TWIN_PLACE(n, c) ((void)(n), (c))
#define TWIN_BLOCK 16
#define TWIN_TAPS 1
#define TWIN_DW(c) (c)
#include "kernel/conv/conv_twin.inc"

SN_SPARE static void
sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run, int64_t nrun,
    int64_t len, int32_t *to)
{
    for (int64_t p = 0; p < n; p++) {
        int32_t s = 0;
        for (int64_t r = 0; r < nrun; r++)
            for (int64_t i = 0; i < len; i++)
                s += TWIN_X(px[p].x + x0 + run[r].x, i);
        to[p] = s;
    }
}

TWIN(1, 1)
TWIN(1, 2)
TWIN(1, 3)
TWIN(1, 4)
TWIN(1, 5)
TWIN(1, 6)

SN_SPARE static void
dw(const SnDw *d)
{
    twin_dw(d);
}
#endif

/* ---- programs of `sinter compile` have nothing from here on ---- */

const SnConvTiles sn_tiles_neon = {
    .esize = 1,
    .offset = 0,
    .inside = true,
    .mtile = {6},
    .widen = widen,
    .sum = sum,
    .tile = {{tile11, tile12, tile13, tile14, tile15, tile16}},
    .dw = dw,
};
