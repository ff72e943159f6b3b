// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX-512: a register holds 16 output channels of one pixel.  Sums
 * are named variables in functions that hold nothing but the loop over taps:
 * gcc 12 keeps arrays of them on the stack. */
#include "kernel/conv_f32/conv_f32.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#include "kernel/tile_rows.h"

#define AVX512 \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline))

/* Lanes of panel j that exist. */
AVX512 INLINE __mmask16
lanes(int64_t n, int j)
{
    int64_t left = n - 16 * j;

    return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
}

AVX512 INLINE __m512
clamped(__m512 v, float lo, float hi)
{
    /* The second operand is the result where they are equal or one is NaN. */
    v = _mm512_max_ps(_mm512_set1_ps(lo), v);
    return _mm512_min_ps(_mm512_set1_ps(hi), v);
}

AVX512 INLINE __m512
start(const SnTileF32 *t, int r, int j)
{
    return t->bias ? _mm512_loadu_ps(t->bias + 16 * j)
                   : _mm512_maskz_loadu_ps(lanes(t->ncol, j), t->y[r] + 16 * j);
}

/* Where the sums are not ready the bounds change none of them. */
AVX512 INLINE void
put(float *y, __mmask16 m, __m512 v, __m512 lo, __m512 hi)
{
    _mm512_mask_storeu_ps(y, m, _mm512_min_ps(hi, _mm512_max_ps(lo, v)));
}

#define FMA(r, j) a##r##j = _mm512_fmadd_ps(v, w##j, a##r##j)
#define DECL1(r) __m512 a##r##0 = start(t, r, 0);
#define DECL2(r) DECL1(r) __m512 a##r##1 = start(t, r, 1);
#define DECL3(r) DECL2(r) __m512 a##r##2 = start(t, r, 2);
#define DECL4(r) DECL3(r) __m512 a##r##3 = start(t, r, 3);
#define LOAD1 __m512 w0 = _mm512_loadu_ps(w);
#define LOAD2 LOAD1 __m512 w1 = _mm512_loadu_ps(w + 16);
#define LOAD3 LOAD2 __m512 w2 = _mm512_loadu_ps(w + 32);
#define LOAD4 LOAD3 __m512 w3 = _mm512_loadu_ps(w + 48);
#define STEP1(r)                 \
    v = _mm512_set1_ps(x##r[k]); \
    FMA(r, 0);
#define STEP2(r) STEP1(r) FMA(r, 1);
#define STEP3(r) STEP2(r) FMA(r, 2);
#define STEP4(r) STEP3(r) FMA(r, 3);
#define PUT(r, j, m) put(t->y[r] + 16 * j, m, a##r##j, lo, hi);
#define ALL(r, j) PUT(r, j, (__mmask16)0xffff)
#define PUT1(r) PUT(r, 0, some)
#define PUT2(r) ALL(r, 0) PUT(r, 1, some)
#define PUT3(r) ALL(r, 0) ALL(r, 1) PUT(r, 2, some)
#define PUT4(r) ALL(r, 0) ALL(r, 1) ALL(r, 2) PUT(r, 3, some)
#define FROM(r) const float *x##r = t->x[r] + t->run[i].x;

#define TILE(N, M)                                                     \
    AVX512 static void tile##N##M(const SnTileF32 *t)                  \
    {                                                                  \
        ROWS##M(DECL##N) for (int64_t i = 0; i < t->nrun; i++)         \
        {                                                              \
            const float *w = t->w + t->run[i].k * 16 * N;              \
            int64_t n = t->run[i].n;                                   \
            ROWS##M(FROM) for (int64_t k = 0; k < n; k++, w += 16 * N) \
            {                                                          \
                __m512 v;                                              \
                LOAD##N ROWS##M(STEP##N)                               \
            }                                                          \
        }                                                              \
        __m512 lo = _mm512_set1_ps(t->last ? t->lo : -INFINITY);       \
        __m512 hi = _mm512_set1_ps(t->last ? t->hi : INFINITY);        \
        __mmask16 some = lanes(t->ncol, N - 1);                        \
        ROWS##M(PUT##N)                                                \
    }
#define TILES(N) \
    TILE(N, 1) TILE(N, 2) TILE(N, 3) TILE(N, 4) TILE(N, 5) TILE(N, 6)
TILES(1)
TILE(1, 7)
TILE(1, 8)
TILES(2)
TILE(2, 7)
TILE(2, 8)
TILES(3)
TILE(3, 7)
TILE(3, 8)
TILES(4)

/* ---- strips ---- */

#define STRIP_DECL(r, j) __m512 a##r##j = _mm512_loadu_ps(s->bias + 16 * j);
#define STRIP_DECL1(r) STRIP_DECL(r, 0)
#define STRIP_DECL2(r) STRIP_DECL1(r) STRIP_DECL(r, 1)
#define STRIP_DECL3(r) STRIP_DECL2(r) STRIP_DECL(r, 2)
#define STRIP_DECL4(r) STRIP_DECL3(r) STRIP_DECL(r, 3)
#define STRIP_FROM(r) const float *x##r = x + r * s->step;
#define STRIP_BOUND(r, j) \
    a##r##j = _mm512_min_ps(hi, _mm512_max_ps(lo, a##r##j));
#define STRIP_BOUND1(r) STRIP_BOUND(r, 0)
#define STRIP_BOUND2(r) STRIP_BOUND1(r) STRIP_BOUND(r, 1)
#define STRIP_BOUND3(r) STRIP_BOUND2(r) STRIP_BOUND(r, 2)
#define STRIP_BOUND4(r) STRIP_BOUND3(r) STRIP_BOUND(r, 3)
#define STRIP_ALL(r, j) _mm512_storeu_ps(y + r * s->pitch + 16 * j, a##r##j);
#define STRIP_PUT(r, j) \
    _mm512_mask_storeu_ps(y + r * s->pitch + 16 * j, some, a##r##j);
#define STRIP_PUT1(r) STRIP_PUT(r, 0)
#define STRIP_PUT2(r) STRIP_ALL(r, 0) STRIP_PUT(r, 1)
#define STRIP_PUT3(r) STRIP_ALL(r, 0) STRIP_ALL(r, 1) STRIP_PUT(r, 2)
#define STRIP_PUT4(r) \
    STRIP_ALL(r, 0) STRIP_ALL(r, 1) STRIP_ALL(r, 2) STRIP_PUT(r, 3)

/* Bounds that are infinite change nothing, not even a NaN. */
#define STRIP_BEGIN                                     \
    const float *x = s->x;                              \
    float *y = s->y;                                    \
    bool bound = s->lo > -INFINITY || s->hi < INFINITY; \
    __m512 lo = _mm512_set1_ps(s->lo), hi = _mm512_set1_ps(s->hi)

#define STRIP(N, M)                                              \
    AVX512 static void strip##N(const SnStripF32 *s)             \
    {                                                            \
        STRIP_BEGIN;                                             \
        __mmask16 some = lanes(s->ncol, N - 1);                  \
        for (int64_t i = 0; i < s->ntile; i++) {                 \
            const float *w = s->w;                               \
            ROWS##M(STRIP_DECL##N);                              \
            ROWS##M(STRIP_FROM);                                 \
            for (int64_t k = 0; k < s->ntap; k++, w += 16 * N) { \
                __m512 v;                                        \
                LOAD##N;                                         \
                ROWS##M(STEP##N);                                \
            }                                                    \
            if (bound) {                                         \
                ROWS##M(STRIP_BOUND##N);                         \
            }                                                    \
            ROWS##M(STRIP_PUT##N);                               \
            x += M * s->step;                                    \
            y += M * s->pitch;                                   \
        }                                                        \
    }
STRIP(2, 8)
STRIP(3, 8)
STRIP(4, 6)

/* One panel: sixteen pixels, so that a weight is fetched for as many products;
 * four pointers reach them all. */
#define ONE_DECL(r) STRIP_DECL(r, 0)
#define ONE_BOUND(r) STRIP_BOUND(r, 0)
#define ONE_PUT(r) STRIP_PUT(r, 0)
#define ONE_STEP(r, q, at) \
    a##r##0 = _mm512_fmadd_ps(_mm512_set1_ps(q[at]), w0, a##r##0)
#define ONE_FOUR(r0, r1, r2, r3, q) \
    ONE_STEP(r0, q, 0);             \
    ONE_STEP(r1, q, d);             \
    ONE_STEP(r2, q, 2 * d);         \
    ONE_STEP(r3, q, d3);            \
    q++

AVX512 static void
strip1(const SnStripF32 *s)
{
    STRIP_BEGIN;
    __mmask16 some = lanes(s->ncol, 0);
    int64_t d = s->step, d3 = 3 * d;

    for (int64_t i = 0; i < s->ntile; i++) {
        const float *w = s->w, *q0 = x, *q1 = x + 4 * d, *q2 = x + 8 * d;
        const float *q3 = q2 + 4 * d;
        ROWS16(ONE_DECL);
        for (int64_t k = 0; k < s->ntap; k++, w += 16) {
            LOAD1;
            ONE_FOUR(0, 1, 2, 3, q0);
            ONE_FOUR(4, 5, 6, 7, q1);
            ONE_FOUR(8, 9, 10, 11, q2);
            ONE_FOUR(12, 13, 14, 15, q3);
        }
        if (bound) {
            ROWS16(ONE_BOUND);
        }
        ROWS16(ONE_PUT);
        x += 16 * d;
        y += 16 * s->pitch;
    }
}

/* One panel of 8 or 16 taps: their weights stay in registers.  Tiles of eight
 * pixels, two to one of strip1. */
#define HOLD_W(k) __m512 w##k = _mm512_loadu_ps(s->w + 16 * k);
#define HOLD(r, k) \
    a##r##0 = _mm512_fmadd_ps(_mm512_set1_ps(x##r[k]), w##k, a##r##0);
#define HOLD_TAP(k) \
    HOLD(0, k)      \
    HOLD(1, k) HOLD(2, k) HOLD(3, k) HOLD(4, k) HOLD(5, k) HOLD(6, k) HOLD(7, k)
#define HOLDING(NTAP)                                  \
    AVX512 static void hold##NTAP(const SnStripF32 *s) \
    {                                                  \
        STRIP_BEGIN;                                   \
        __mmask16 some = lanes(s->ncol, 0);            \
        ROWS##NTAP(HOLD_W);                            \
        for (int64_t i = 0; i < 2 * s->ntile; i++) {   \
            ROWS8(ONE_DECL);                           \
            ROWS8(STRIP_FROM);                         \
            ROWS##NTAP(HOLD_TAP);                      \
            if (bound) {                               \
                ROWS8(ONE_BOUND);                      \
            }                                          \
            ROWS8(ONE_PUT);                            \
            x += 8 * s->step;                          \
            y += 8 * s->pitch;                         \
        }                                              \
    }
HOLDING(8)
HOLDING(16)

AVX512 static void
strip_one(const SnStripF32 *s)
{
    if (s->ntap == 8)
        hold8(s);
    else if (s->ntap == 16)
        hold16(s);
    else
        strip1(s);
}

/* ---- few channels: four of them in lanes, of four pixels ---- */

AVX512 INLINE __m512
four(const float *const *x, int64_t at, __mmask8 m)
{
    __m512 v = _mm512_castps128_ps512(_mm_maskz_loadu_ps(m, x[0] + at));

    v = _mm512_insertf32x4(v, _mm_maskz_loadu_ps(m, x[1] + at), 1);
    v = _mm512_insertf32x4(v, _mm_maskz_loadu_ps(m, x[2] + at), 2);
    return _mm512_insertf32x4(v, _mm_maskz_loadu_ps(m, x[3] + at), 3);
}

AVX512 INLINE __m512
few_start(const SnTileF32 *t, int s)
{
    if (t->bias)
        return _mm512_broadcast_f32x4(_mm_loadu_ps(t->bias));
    return four((const float *const *)(t->y + 4 * s), 0,
                (__mmask8)lanes(t->ncol, 0));
}

/* A part of a register is stored by a mask of its own lanes: gcc makes one
 * instruction of taking it and storing it by a mask register, which faults
 * where lanes without a bit lie on a page that does not exist. */
AVX512 INLINE void
few_put(const SnTileF32 *t, int s, __m512 v)
{
    __m128i m = _mm_movm_epi32((__mmask8)lanes(t->ncol, 0));
    float *const *y = t->y + 4 * s;
    int n = t->nrow - 4 * s;

    if (t->last)
        v = clamped(v, t->lo, t->hi);
    _mm_maskstore_ps(y[0], m, _mm512_castps512_ps128(v));
    if (n > 1)
        _mm_maskstore_ps(y[1], m, _mm512_extractf32x4_ps(v, 1));
    if (n > 2)
        _mm_maskstore_ps(y[2], m, _mm512_extractf32x4_ps(v, 2));
    if (n > 3)
        _mm_maskstore_ps(y[3], m, _mm512_extractf32x4_ps(v, 3));
}

#define TAP(s, i) \
    a##s = _mm512_fmadd_ps(_mm512_permute_ps(v, 0x55 * i), w##i, a##s)
#define FEW_W(i) __m512 w##i = _mm512_broadcast_f32x4(_mm_loadu_ps(w + 16 * i));
#define FEW_DECL(s) __m512 a##s = few_start(t, s);
#define FEW_FOUR(s)                  \
    v = four(t->x + 4 * s, at, 0xf); \
    TAP(s, 0);                       \
    TAP(s, 1);                       \
    TAP(s, 2);                       \
    TAP(s, 3);
#define FEW_ONE(s)                 \
    v = four(t->x + 4 * s, at, 1); \
    TAP(s, 0);
#define FEW_PUT(s) few_put(t, s, a##s);

#define FEW_TARGET AVX512
typedef __m512 FewV;
#include "kernel/conv_f32/conv_f32_few.inc"
FEW(3)
#include "kernel/conv_f32/conv_f32_turn.inc"

/* ---- depthwise ---- */

#define DW_N 16
typedef __m512 DwV;
typedef __mmask16 DwM;
#define DW_ARGS \
    const SnDwF32 *d, const float *x, float *y, const float *w, DwV s0, DwM m
typedef void DwFn(DW_ARGS);
#define dwall(p) _mm512_loadu_ps(p)
#define dwfma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define dwget(p, m) _mm512_maskz_loadu_ps(m, p)
#define dwput(p, m, v, lo, hi) _mm512_mask_storeu_ps(p, m, clamped(v, lo, hi))
#define DW_AS(n) dw_##n
#include "kernel/conv_f32/conv_f32_dw.inc"

AVX512 static void
dw(const SnDwF32 *d)
{
    for (int64_t c = 0; c < d->nc; c += 16)
        dw_block(d, c, lanes(d->nc - c, 0));
}

#define SIX(N) \
    tile##N##1, tile##N##2, tile##N##3, tile##N##4, tile##N##5, tile##N##6
#define EIGHT(N)                       \
    {                                  \
        SIX(N), tile##N##7, tile##N##8 \
    }
static const SnGemmF32 table = {
    .npanel = 4,
    .nrow = {8, 8, 8, 6},
    .tile = {EIGHT(1), EIGHT(2), EIGHT(3), {SIX(4)}},
    .few = {[2] = few3, few4, few5, few6, few7, few8},
    .set = 4,
    .strip = {strip_one, strip2, strip3, strip4},
    .nstrip = {16, 8, 8, 6},
    .dw = dw,
    .turn = turn,
};

void sn_register_conv_f32_avx512(void);
void
sn_register_conv_f32_avx512(void)
{
    sn_variant_add(&sn_conv_f32_variants, SN_ISA_VNNI, &table);
}

#else

void sn_register_conv_f32_avx512(void);
void
sn_register_conv_f32_avx512(void)
{
}

#endif
