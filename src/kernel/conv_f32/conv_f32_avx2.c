// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX2 with FMA: two registers hold 16 output channels of one pixel;
 * see conv_f32_avx512.c for the shape of the code. */
#include "kernel/conv_f32/conv_f32.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#include "kernel/tile_rows.h"

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))

/* All ones in lanes i < n. */
AVX2 INLINE __m256i
lanes(int64_t n)
{
    int32_t most = n > 8 ? 8 : n < 0 ? 0 : (int32_t)n;

    return _mm256_cmpgt_epi32(_mm256_set1_epi32(most),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

AVX2 INLINE __m256
clamped(__m256 v, float lo, float hi)
{
    /* The second operand is the result where they are equal or one is NaN. */
    v = _mm256_max_ps(_mm256_set1_ps(lo), v);
    return _mm256_min_ps(_mm256_set1_ps(hi), v);
}

AVX2 INLINE __m256
start(const SnTileF32 *t, int r, int j)
{
    return t->bias
               ? _mm256_loadu_ps(t->bias + 8 * j)
               : _mm256_maskload_ps(t->y[r] + 8 * j, lanes(t->ncol - 8 * j));
}

AVX2 INLINE void
put(const SnTileF32 *t, int r, __m256 a, __m256 b)
{
    if (t->last) {
        a = clamped(a, t->lo, t->hi);
        b = clamped(b, t->lo, t->hi);
    }
    if (t->ncol == 16) {
        _mm256_storeu_ps(t->y[r], a);
        _mm256_storeu_ps(t->y[r] + 8, b);
        return;
    }
    _mm256_maskstore_ps(t->y[r], lanes(t->ncol), a);
    _mm256_maskstore_ps(t->y[r] + 8, lanes(t->ncol - 8), b);
}

#define DECL(r) __m256 a##r = start(t, r, 0), b##r = start(t, r, 1);
#define STEP(r)                          \
    v = _mm256_broadcast_ss(x##r + k);   \
    a##r = _mm256_fmadd_ps(v, w0, a##r); \
    b##r = _mm256_fmadd_ps(v, w1, b##r);
#define PUT(r) put(t, r, a##r, b##r);
#define FROM(r) const float *x##r = t->x[r] + t->run[i].x;

#define TILE(M)                                                    \
    AVX2 static void tile##M(const SnTileF32 *t)                   \
    {                                                              \
        ROWS##M(DECL) for (int64_t i = 0; i < t->nrun; i++)        \
        {                                                          \
            const float *w = t->w + t->run[i].k * 16;              \
            int64_t n = t->run[i].n;                               \
            ROWS##M(FROM) for (int64_t k = 0; k < n; k++, w += 16) \
            {                                                      \
                __m256 v, w0 = _mm256_loadu_ps(w);                 \
                __m256 w1 = _mm256_loadu_ps(w + 8);                \
                ROWS##M(STEP)                                      \
            }                                                      \
        }                                                          \
        ROWS##M(PUT)                                               \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

#define STRIP_DECL(r)                       \
    __m256 a##r = _mm256_loadu_ps(s->bias); \
    __m256 b##r = _mm256_loadu_ps(s->bias + 8);
#define STRIP_FROM(r) const float *x##r = x + r * s->step;
#define STRIP_BOUND(r)                  \
    a##r = clamped(a##r, s->lo, s->hi); \
    b##r = clamped(b##r, s->lo, s->hi);
#define STRIP_ALL(r)                          \
    _mm256_storeu_ps(y + r * s->pitch, a##r); \
    _mm256_storeu_ps(y + r * s->pitch + 8, b##r);
#define STRIP_PUT(r)                                 \
    _mm256_maskstore_ps(y + r * s->pitch, m0, a##r); \
    _mm256_maskstore_ps(y + r * s->pitch + 8, m1, b##r);

AVX2 static void
strip(const SnStripF32 *s)
{
    const float *x = s->x;
    float *y = s->y;
    bool bound = s->lo > -INFINITY || s->hi < INFINITY;
    __m256i m0 = lanes(s->ncol), m1 = lanes(s->ncol - 8);

    for (int64_t i = 0; i < s->ntile; i++) {
        const float *w = s->w;
        ROWS6(STRIP_DECL)
        ROWS6(STRIP_FROM) for (int64_t k = 0; k < s->ntap; k++, w += 16)
        {
            __m256 v, w0 = _mm256_loadu_ps(w), w1 = _mm256_loadu_ps(w + 8);
            ROWS6(STEP)
        }
        if (bound) {
            ROWS6(STRIP_BOUND)
        }
        if (s->ncol == 16) {
            ROWS6(STRIP_ALL)
        } else {
            ROWS6(STRIP_PUT)
        }
        x += 6 * s->step;
        y += 6 * s->pitch;
    }
}

/* ---- few channels: four of them in lanes, of two pixels ---- */

AVX2 INLINE __m256
two(const float *const *x, int64_t at, __m128i m)
{
    return _mm256_set_m128(_mm_maskload_ps(x[1] + at, m),
                           _mm_maskload_ps(x[0] + at, m));
}

AVX2 INLINE __m256
few_start(const SnTileF32 *t, int s)
{
    if (t->bias)
        return _mm256_broadcast_ps((const __m128 *)t->bias);
    return two((const float *const *)(t->y + 2 * s), 0,
               _mm256_castsi256_si128(lanes(t->ncol)));
}

AVX2 INLINE void
few_put(const SnTileF32 *t, int s, __m256 v)
{
    __m128i m = _mm256_castsi256_si128(lanes(t->ncol));

    if (t->last)
        v = clamped(v, t->lo, t->hi);
    _mm_maskstore_ps(t->y[2 * s], m, _mm256_castps256_ps128(v));
    if (2 * s + 1 < t->nrow)
        _mm_maskstore_ps(t->y[2 * s + 1], m, _mm256_extractf128_ps(v, 1));
}

#define TAP(s, i) \
    a##s = _mm256_fmadd_ps(_mm256_permute_ps(v, 0x55 * i), w##i, a##s)
#define FEW_W(i) \
    __m256 w##i = _mm256_broadcast_ps((const __m128 *)(w + 16 * i));
#define FEW_DECL(s) __m256 a##s = few_start(t, s);
#define FEW_FOUR(s)                                         \
    v = _mm256_set_m128(_mm_loadu_ps(t->x[2 * s + 1] + at), \
                        _mm_loadu_ps(t->x[2 * s] + at));    \
    TAP(s, 0);                                              \
    TAP(s, 1);                                              \
    TAP(s, 2);                                              \
    TAP(s, 3);
#define FEW_ONE(s)                                          \
    v = two(t->x + 2 * s, at, _mm_setr_epi32(-1, 0, 0, 0)); \
    TAP(s, 0);
#define FEW_PUT(s) few_put(t, s, a##s);

#define FEW_TARGET AVX2
typedef __m256 FewV;
#include "kernel/conv_f32/conv_f32_few.inc"
#include "kernel/conv_f32/conv_f32_turn.inc"

/* ---- depthwise: whole registers of channels, and those that remain ---- */

#define DW_N 8
typedef __m256 DwV;
typedef __m256i DwM;
#define DW_ARGS \
    const SnDwF32 *d, const float *x, float *y, const float *w, DwV s0, DwM m
typedef void DwFn(DW_ARGS);
#define dwall(p) _mm256_loadu_ps(p)
#define dwfma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define dwget(p, m) ((void)m, _mm256_loadu_ps(p))
#define dwput(p, m, v, lo, hi) _mm256_storeu_ps(p, clamped(v, lo, hi))
#define DW_AS(n) dw_full_##n
#include "kernel/conv_f32/conv_f32_dw.inc"

#define dwget(p, m) _mm256_maskload_ps(p, m)
#define dwput(p, m, v, lo, hi) _mm256_maskstore_ps(p, m, clamped(v, lo, hi))
#define DW_AS(n) dw_part_##n
#include "kernel/conv_f32/conv_f32_dw.inc"

AVX2 static void
dw(const SnDwF32 *d)
{
    int64_t c = 0;

    for (; c + 8 <= d->nc; c += 8)
        dw_full_block(d, c, lanes(8));
    if (c < d->nc)
        dw_part_block(d, c, lanes(d->nc - c));
}

static const SnGemmF32 table = {
    .npanel = 1,
    .nrow = {6},
    .tile = {{tile1, tile2, tile3, tile4, tile5, tile6}},
    .few = {[3] = few4, few5, few6, few7, few8},
    .set = 2,
    .strip = {strip},
    .nstrip = {6},
    .dw = dw,
    .turn = turn,
};

void sn_register_conv_f32_avx2(void);
void
sn_register_conv_f32_avx2(void)
{
    sn_variant_add(&sn_conv_f32_variants, SN_ISA_AVX2, &table);
}

#else

void sn_register_conv_f32_avx2(void);
void
sn_register_conv_f32_avx2(void)
{
}

#endif
