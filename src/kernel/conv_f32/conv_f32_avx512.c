// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX-512: a register holds 16 output channels of one pixel.  Sums
 * are named variables in functions that hold nothing but the loop over taps:
 * gcc 12 keeps arrays of them on the stack. */
#include "kernel/conv_f32/conv_f32.h"

#if defined(__x86_64__)
#include <immintrin.h>

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

AVX512 INLINE void
put(const SnTileF32 *t, int r, int j, __m512 v)
{
    if (t->last)
        v = clamped(v, t->lo, t->hi);
    _mm512_mask_storeu_ps(t->y[r] + 16 * j, lanes(t->ncol, j), v);
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
#define PUT1(r) put(t, r, 0, a##r##0);
#define PUT2(r) PUT1(r) put(t, r, 1, a##r##1);
#define PUT3(r) PUT2(r) put(t, r, 2, a##r##2);
#define PUT4(r) PUT3(r) put(t, r, 3, a##r##3);
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

AVX512 INLINE void
few_put(const SnTileF32 *t, int s, __m512 v)
{
    __mmask8 m = (__mmask8)lanes(t->ncol, 0);
    float *const *y = t->y + 4 * s;
    int n = t->nrow - 4 * s;

    if (t->last)
        v = clamped(v, t->lo, t->hi);
    _mm_mask_storeu_ps(y[0], m, _mm512_castps512_ps128(v));
    if (n > 1)
        _mm_mask_storeu_ps(y[1], m, _mm512_extractf32x4_ps(v, 1));
    if (n > 2)
        _mm_mask_storeu_ps(y[2], m, _mm512_extractf32x4_ps(v, 2));
    if (n > 3)
        _mm_mask_storeu_ps(y[3], m, _mm512_extractf32x4_ps(v, 3));
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
#include "kernel/conv_f32/conv_f32_turn.inc"

/* ---- depthwise: channels in lanes, four pixels at a time ---- */

#define DW_STEP(r, at) \
    s##r = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, (at)), w, s##r)
#define DW_PUT(r, at) \
    _mm512_mask_storeu_ps((at), m, clamped(s##r, d->lo, d->hi))

AVX512 static void
dw_four(const SnDwF32 *d, const float *x, float *y, int64_t c, __mmask16 m)
{
    __m512 s0 = _mm512_loadu_ps(d->bias + c), s1 = s0, s2 = s0, s3 = s0;
    const float *x1 = x + d->step, *x2 = x1 + d->step, *x3 = x2 + d->step;

    for (int64_t t = 0; t < d->ntap; t++) {
        __m512 w = _mm512_loadu_ps(d->w + d->row[t] * d->wpitch + c);
        int64_t at = d->tap[t];
        DW_STEP(0, x + at);
        DW_STEP(1, x1 + at);
        DW_STEP(2, x2 + at);
        DW_STEP(3, x3 + at);
    }
    DW_PUT(0, y);
    DW_PUT(1, y + d->pitch);
    DW_PUT(2, y + 2 * d->pitch);
    DW_PUT(3, y + 3 * d->pitch);
}

AVX512 static void
dw_one(const SnDwF32 *d, const float *x, float *y, int64_t c, __mmask16 m)
{
    __m512 s0 = _mm512_loadu_ps(d->bias + c);

    for (int64_t t = 0; t < d->ntap; t++) {
        __m512 w = _mm512_loadu_ps(d->w + d->row[t] * d->wpitch + c);
        DW_STEP(0, x + d->tap[t]);
    }
    DW_PUT(0, y);
}

/* Nine taps, three to a row of x, at even distances: the filter stays in
 * registers. */
#define NINE(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8)
#define NINE_W(t) \
    __m512 w##t = _mm512_loadu_ps(d->w + d->row[t] * d->wpitch + c);
#define NINE_STEP(t, at) \
    s = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, (at)), w##t, s)

/* Pixels from number i on. */
AVX512 static void
dw_nine(const SnDwF32 *d, int64_t c, __mmask16 m, int64_t i)
{
    const __m512 bias = _mm512_loadu_ps(d->bias + c);
    const float *x = d->x + c + i * d->step;
    const float *x0 = x + d->tap[0], *x1 = x + d->tap[3], *x2 = x + d->tap[6];
    float *y = d->y + c + i * d->pitch;
    int64_t col = d->tap[1] - d->tap[0];
    NINE(NINE_W)

    for (; i < d->npx; i++) {
        __m512 s = bias;
        NINE_STEP(0, x0);
        NINE_STEP(1, x0 + col);
        NINE_STEP(2, x0 + 2 * col);
        NINE_STEP(3, x1);
        NINE_STEP(4, x1 + col);
        NINE_STEP(5, x1 + 2 * col);
        NINE_STEP(6, x2);
        NINE_STEP(7, x2 + col);
        NINE_STEP(8, x2 + 2 * col);
        _mm512_mask_storeu_ps(y, m, clamped(s, d->lo, d->hi));
        x0 += d->step;
        x1 += d->step;
        x2 += d->step;
        y += d->pitch;
    }
}

/* Nine taps whose columns are neighbouring pixels: a column is fetched once for
 * the three pixels that read it. */
#define COLUMN(k)                        \
    p##k = _mm512_maskz_loadu_ps(m, x0); \
    q##k = _mm512_maskz_loadu_ps(m, x1); \
    r##k = _mm512_maskz_loadu_ps(m, x2); \
    x0 += d->step;                       \
    x1 += d->step;                       \
    x2 += d->step;
#define SLIDE_STEP(v, t) s = _mm512_fmadd_ps(v, w##t, s)
#define SLIDE(i, j, k)                                     \
    COLUMN(k)                                              \
    s = bias;                                              \
    SLIDE_STEP(p##i, 0);                                   \
    SLIDE_STEP(p##j, 1);                                   \
    SLIDE_STEP(p##k, 2);                                   \
    SLIDE_STEP(q##i, 3);                                   \
    SLIDE_STEP(q##j, 4);                                   \
    SLIDE_STEP(q##k, 5);                                   \
    SLIDE_STEP(r##i, 6);                                   \
    SLIDE_STEP(r##j, 7);                                   \
    SLIDE_STEP(r##k, 8);                                   \
    _mm512_mask_storeu_ps(y, m, clamped(s, d->lo, d->hi)); \
    y += d->pitch;

AVX512 static void
dw_slide(const SnDwF32 *d, int64_t c, __mmask16 m)
{
    const __m512 bias = _mm512_loadu_ps(d->bias + c);
    const float *x0 = d->x + c + d->tap[0], *x1 = d->x + c + d->tap[3];
    const float *x2 = d->x + c + d->tap[6];
    float *y = d->y + c;
    __m512 p0, p1, p2, q0, q1, q2, r0, r1, r2, s;
    int64_t i = 0;
    NINE(NINE_W)

    if (d->npx < 3) {
        dw_nine(d, c, m, 0);
        return;
    }
    COLUMN(0)
    COLUMN(1)
    for (; i + 3 <= d->npx; i += 3) {
        SLIDE(0, 1, 2)
        SLIDE(1, 2, 0)
        SLIDE(2, 0, 1)
    }
    dw_nine(d, c, m, i);
}

static bool
is_nine(const SnDwF32 *d)
{
    const int64_t *t = d->tap;

    if (d->ntap != 9)
        return false;
    for (int i = 0; i < 9; i += 3)
        if (t[i + 1] - t[i] != t[1] - t[0] ||
            t[i + 2] - t[i] != 2 * (t[1] - t[0]))
            return false;
    return true;
}

AVX512 static void
dw(const SnDwF32 *d)
{
    bool nine = is_nine(d);

    for (int64_t c = 0; c < d->nc; c += 16) {
        const float *x = d->x + c;
        float *y = d->y + c;
        __mmask16 m = lanes(d->nc - c, 0);
        int64_t i = 0;
        if (nine && d->tap[1] - d->tap[0] == d->step) {
            dw_slide(d, c, m);
            continue;
        }
        if (nine) {
            dw_nine(d, c, m, 0);
            continue;
        }
        for (; i + 4 <= d->npx; i += 4, x += 4 * d->step, y += 4 * d->pitch)
            dw_four(d, x, y, c, m);
        for (; i < d->npx; i++, x += d->step, y += d->pitch)
            dw_one(d, x, y, c, m);
    }
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
    .few = {few1, few2, few3, few4, few5, few6, few7, few8},
    .set = 4,
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
