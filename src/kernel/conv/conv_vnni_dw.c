// SPDX-License-Identifier: Apache-2.0
/* Depthwise convolutions with AVX-512 VNNI, 64 channels at a time.
 *
 * Four taps are interleaved so that each lane holds the four bytes of one
 * channel.  Unpacking works inside 128-bit lanes: register q holds channels
 * 16 l + 4 q + 0..3 of lane l, and packing the results puts them back in
 * order. */
#include "kernel/conv/conv_vnni.h"

#if defined(__x86_64__) && !defined(SN_TWINS)

/* Codes + 128. */
VNNI INLINE __m512i
u8(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_set1_epi8(-128));
}

#define I(at) _mm512_loadu_si512(at)
#define F(at) _mm512_loadu_ps(at)
#define W(i) I((const char *)d->w + 64 * (i))
#define ZERO _mm512_setzero_si512()

/* What the 64 lanes hold: 64 channels, fewer, or up to 32 of two rows. */
enum { WHOLE, PART, PAIR };

/* Sums to codes, n to a pixel; any: products may leave int32. */
VNNI INLINE __m512i
ended(const SnEnd *e, const Last *l, bool any, __m512i a, __m512i b, __m512i c,
      __m512i d)
{
    const float *m = e->mul;

    if (any)
        return codes(l, scale(a, m, e), scale(b, m + 16, e),
                     scale(c, m + 32, e), scale(d, m + 48, e));
    return codes(l, times(a, F(m)), times(b, F(m + 16)), times(c, F(m + 32)),
                 times(d, F(m + 48)));
}

/* y1: the pixel in the second row. */
VNNI INLINE void
put(__m512i v, int mode, __mmask64 k, int8_t *y, int8_t *y1)
{
    if (mode == WHOLE) {
        _mm512_storeu_si512(y, v);
    } else if (mode == PART) {
        _mm512_mask_storeu_epi8(y, k, v);
    } else {
        _mm256_mask_storeu_epi8(y, (__mmask32)k, _mm512_castsi512_si256(v));
        _mm256_mask_storeu_epi8(y1, (__mmask32)k,
                                _mm512_extracti64x4_epi64(v, 1));
    }
}

/* Four taps of each channel: q0 to q3 from the bytes of a, b, c, e. */
#define QUADS(a, b, c, e)                         \
    __m512i ab_ = _mm512_unpacklo_epi8(a, b);     \
    __m512i ce_ = _mm512_unpacklo_epi8(c, e);     \
    __m512i ab1 = _mm512_unpackhi_epi8(a, b);     \
    __m512i ce1 = _mm512_unpackhi_epi8(c, e);     \
    __m512i q0 = _mm512_unpacklo_epi16(ab_, ce_); \
    __m512i q1 = _mm512_unpackhi_epi16(ab_, ce_); \
    __m512i q2 = _mm512_unpacklo_epi16(ab1, ce1); \
    __m512i q3 = _mm512_unpackhi_epi16(ab1, ce1)

VNNI void
sn_dw_vnni(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;
    const int32_t *bias = d->end.bias;
    const Last l = last(&d->end);
    const bool any = !d->end.small;
    const __mmask64 k = ~0ull >> (64 - d->nc);

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m512i s0 = I(bias), s1 = I(bias + 16);
        __m512i s2 = I(bias + 32), s3 = I(bias + 48);
        for (int64_t t = 0; t < d->ntap; t += 4) {
            const int64_t *tap = d->tap + t;
            __m512i a = u8(I(x + tap[0])), b = u8(I(x + tap[1]));
            __m512i c = u8(I(x + tap[2])), e = u8(I(x + tap[3]));
            QUADS(a, b, c, e);
            s0 = _mm512_dpbusd_epi32(s0, q0, W(t));
            s1 = _mm512_dpbusd_epi32(s1, q1, W(t + 1));
            s2 = _mm512_dpbusd_epi32(s2, q2, W(t + 2));
            s3 = _mm512_dpbusd_epi32(s3, q3, W(t + 3));
        }
        s0 = any ? ended(&d->end, &l, true, s0, s1, s2, s3)
                 : ended(&d->end, &l, false, s0, s1, s2, s3);
        put(s0, d->nc == 64 ? WHOLE : PART, k, y, NULL);
    }
}

/* ---- three by three ----
 * A column of three pixels of x contributes to the results above it: sums that
 * wait for one more column are in m, for two in n. */

/* Columns of x under a row of results, from left to right. */
typedef struct Walk {
    const int8_t *r0, *r1, *r2, *pad;
    const int8_t *s0, *s1, *s2; /* of the second row */
    int64_t at, px;             /* bytes */
    int64_t col, width;
} Walk;

VNNI INLINE Walk
begin(const SnDw3 *d, int64_t r, int64_t second)
{
    const int8_t *const *row = d->row + r * d->sh;
    const int8_t *const *row1 = d->row + second * d->sh;

    return (Walk){.r0 = row[0],
                  .r1 = row[d->dh],
                  .r2 = row[2 * d->dh],
                  .pad = d->pad,
                  .s0 = row1[0],
                  .s1 = row1[d->dh],
                  .s2 = row1[2 * d->dh],
                  .at = d->col * d->px + d->x0,
                  .px = d->px,
                  .col = d->col,
                  .width = d->width};
}

VNNI INLINE __m512i
pixel(const int8_t *x, const int8_t *x1, int mode, __mmask64 k)
{
    if (mode == WHOLE)
        return u8(I(x));
    if (mode == PART)
        return u8(_mm512_maskz_loadu_epi8(k, x));
    __m512i v =
        _mm512_castsi256_si512(_mm256_maskz_loadu_epi8((__mmask32)k, x));
    return u8(
        _mm512_inserti64x4(v, _mm256_maskz_loadu_epi8((__mmask32)k, x1), 1));
}

/* c0 to c2: the pixels of the next column. */
#define COLUMN                                                  \
    bool in_ = (uint64_t)x.col < (uint64_t)x.width;             \
    const int8_t *p0 = in_ ? x.r0 + x.at : x.pad;               \
    const int8_t *p1 = in_ ? x.r1 + x.at : x.pad;               \
    const int8_t *p2 = in_ ? x.r2 + x.at : x.pad;               \
    __m512i c0 = pixel(p0, in_ ? x.s0 + x.at : x.pad, mode, k); \
    __m512i c1 = pixel(p1, in_ ? x.s1 + x.at : x.pad, mode, k); \
    __m512i c2 = pixel(p2, in_ ? x.s2 + x.at : x.pad, mode, k); \
    x.col++;                                                    \
    x.at += x.px;                                               \
    QUADS(c0, c1, c2, c2)
#define DP4(to, from, w)                            \
    to##0 = _mm512_dpbusd_epi32(from##0, q0, w##0); \
    to##1 = _mm512_dpbusd_epi32(from##1, q1, w##1); \
    to##2 = _mm512_dpbusd_epi32(from##2, q2, w##2); \
    to##3 = _mm512_dpbusd_epi32(from##3, q3, w##3)
#define DECL_W(w, i) \
    const __m512i w##0 = W(i), w##1 = W(i + 1), w##2 = W(i + 2), w##3 = W(i + 3)
/* With the filter's codes as they are, each column of sums of x counts wz
 * times less. */
#define MINUS(to)                            \
    if (wz) {                                \
        to##0 = _mm512_sub_epi32(to##0, z0); \
        to##1 = _mm512_sub_epi32(to##1, z1); \
        to##2 = _mm512_sub_epi32(to##2, z2); \
        to##3 = _mm512_sub_epi32(to##3, z3); \
    }
#define ZCOLUMN(i) \
    _mm512_mullo_epi32(_mm512_dpbusd_epi32(ZERO, q##i, ones), I(wz + 16 * i))
#define DECL_Z                                          \
    __m512i z0 = ZERO, z1 = ZERO, z2 = ZERO, z3 = ZERO; \
    if (wz) {                                           \
        z0 = ZCOLUMN(0);                                \
        z1 = ZCOLUMN(1);                                \
        z2 = ZCOLUMN(2);                                \
        z3 = ZCOLUMN(3);                                \
    }
#define BY64(d)                                                       \
    const __m512i ones = _mm512_set1_epi32(0x00010101);               \
    const Last l = last(&d->end);                                     \
    const __mmask64 k = ~0ull >> (64 - d->nc);                        \
    const int64_t pitch = d->pitch, npx = d->npx;                     \
    const int rows = mode == PAIR ? 2 : 1;                            \
    const __m512i b0 = I(d->end.bias), b1 = I(d->end.bias + 16);      \
    const __m512i b2 = I(d->end.bias + 32), b3 = I(d->end.bias + 48); \
    DECL_W(u, 0);                                                     \
    DECL_W(v, 4);                                                     \
    DECL_W(w, 8)

VNNI INLINE void
by1(const SnDw3 *d, const int32_t *wz, bool any, int mode)
{
    BY64(d);

    for (int64_t r = 0; r < d->nrow; r += rows) {
        int64_t more = mode == PAIR && r + 1 < d->nrow;
        Walk x = begin(d, r, r + more);
        int8_t *y = d->y + r * d->line - 2 * pitch;
        __m512i m0 = b0, m1 = b1, m2 = b2, m3 = b3;
        __m512i n0 = b0, n1 = b1, n2 = b2, n3 = b3;
        for (int64_t i = -2; i < npx; i++, y += pitch) {
            COLUMN;
            DECL_Z
            if (i >= 0) {
                DP4(m, m, w);
                MINUS(m);
                put(ended(&d->end, &l, any, m0, m1, m2, m3), mode, k, y,
                    y + more * d->line);
            }
            DP4(m, n, v);
            MINUS(m);
            DP4(n, b, u);
            MINUS(n);
        }
    }
}

VNNI INLINE void
by2(const SnDw3 *d, const int32_t *wz, bool any, int mode)
{
    BY64(d);

    for (int64_t r = 0; r < d->nrow; r += rows) {
        int64_t more = mode == PAIR && r + 1 < d->nrow;
        Walk x = begin(d, r, r + more);
        int8_t *y = d->y + r * d->line - pitch;
        __m512i m0 = b0, m1 = b1, m2 = b2, m3 = b3;
        for (int64_t i = -1; i < npx; i++, y += pitch) {
            {
                COLUMN;
                DECL_Z
                if (i >= 0) {
                    DP4(m, m, w);
                    MINUS(m);
                    put(ended(&d->end, &l, any, m0, m1, m2, m3), mode, k, y,
                        y + more * d->line);
                }
                if (i + 1 == npx)
                    break;
                DP4(m, b, u);
                MINUS(m);
            }
            COLUMN;
            DECL_Z
            DP4(m, m, v);
            MINUS(m);
        }
    }
}

/* ---- the same for at most 16 channels: one register of each ----
 * Three pixels side by side are transposed, dwords across lanes, then bytes
 * inside them. */

/* Lane 0 of four consecutive registers. */
VNNI INLINE __m512i
lanes0(const void *p)
{
    const char *at = p;
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)at));

    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(at + 64)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(at + 128)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(at + 192)), 3);
}

VNNI INLINE __m512i
quads16(__m128i a, __m128i b, __m128i c)
{
    const __m512i dwords =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i v = _mm512_inserti32x4(_mm512_castsi128_si512(a), b, 1);

    v = _mm512_permutexvar_epi32(dwords, _mm512_inserti32x4(v, c, 2));
    return u8(_mm512_shuffle_epi8(v, bytes));
}

typedef struct End16 {
    __m512 mul;
    __m512i low, high, zp;
    __mmask16 k;
} End16;

VNNI INLINE void
put16(const End16 *e, __m512i s, int8_t *y)
{
    s = _mm512_max_epi32(times(s, e->mul), e->low);
    s = _mm512_add_epi32(_mm512_min_epi32(s, e->high), e->zp);
    if (e->k == 0xffff)
        _mm_storeu_si128((void *)y, _mm512_cvtepi32_epi8(s));
    else
        _mm512_mask_cvtepi32_storeu_epi8(y, e->k, s);
}

#define BY16(d)                                         \
    const __m512i u = lanes0((const char *)d->w);       \
    const __m512i v = lanes0((const char *)d->w + 256); \
    const __m512i w = lanes0((const char *)d->w + 512); \
    const __m512i b = lanes0(d->end.bias);              \
    const End16 e = {                                   \
        _mm512_castsi512_ps(lanes0(d->end.mul)),        \
        _mm512_set1_epi32(d->end.low - d->end.zp),      \
        _mm512_set1_epi32(d->end.high - d->end.zp),     \
        _mm512_set1_epi32(d->end.zp),                   \
        (__mmask16)(0xffffu >> (16 - d->nc)),           \
    }
#define LOAD16(p) _mm_maskz_loadu_epi8(e.k, p)
#define COLUMN16                                             \
    bool in_ = (uint64_t)x.col < (uint64_t)x.width;          \
    const int8_t *p0 = in_ ? x.r0 + x.at : x.pad;            \
    const int8_t *p1 = in_ ? x.r1 + x.at : x.pad;            \
    const int8_t *p2 = in_ ? x.r2 + x.at : x.pad;            \
    __m512i q = quads16(LOAD16(p0), LOAD16(p1), LOAD16(p2)); \
    x.col++;                                                 \
    x.at += x.px
#define DOT16(a, w) _mm512_dpbusd_epi32(a, q, w)

VNNI static void
by1_16(const SnDw3 *d)
{
    BY16(d);

    for (int64_t r = 0; r < d->nrow; r++) {
        Walk x = begin(d, r, r);
        int8_t *y = d->y + r * d->line - 2 * d->pitch;
        __m512i m = b, n = b;
        for (int64_t i = -2; i < d->npx; i++, y += d->pitch) {
            COLUMN16;
            if (i >= 0)
                put16(&e, DOT16(m, w), y);
            m = DOT16(n, v);
            n = DOT16(b, u);
        }
    }
}

VNNI static void
by2_16(const SnDw3 *d)
{
    BY16(d);

    for (int64_t r = 0; r < d->nrow; r++) {
        Walk x = begin(d, r, r);
        int8_t *y = d->y + r * d->line - d->pitch;
        __m512i m = b;
        for (int64_t i = -1; i < d->npx; i++, y += d->pitch) {
            {
                COLUMN16;
                if (i >= 0)
                    put16(&e, DOT16(m, w), y);
                if (i + 1 == d->npx)
                    break;
                m = DOT16(b, u);
            }
            COLUMN16;
            m = DOT16(m, v);
        }
    }
}

/* The usual case is compiled without zero points and saturation. */
VNNI void
sn_dw3_vnni_step1(const SnDw3 *d)
{
    if (d->end.wz)
        by1(d, d->end.wz, true, PART);
    else if (!d->end.small)
        by1(d, NULL, true, PART);
    else if (d->nc <= 16)
        by1_16(d);
    else if (d->nc <= 32)
        by1(d, NULL, false, PAIR);
    else if (d->nc < 64)
        by1(d, NULL, false, PART);
    else
        by1(d, NULL, false, WHOLE);
}

VNNI void
sn_dw3_vnni_step2(const SnDw3 *d)
{
    if (d->end.wz)
        by2(d, d->end.wz, true, PART);
    else if (!d->end.small)
        by2(d, NULL, true, PART);
    else if (d->nc <= 16)
        by2_16(d);
    else if (d->nc <= 32)
        by2(d, NULL, false, PAIR);
    else if (d->nc < 64)
        by2(d, NULL, false, PART);
    else
        by2(d, NULL, false, WHOLE);
}

#else
typedef int sn_no_vnni_dw_t; /* conv_vnni.c has equivalents in C */
#endif
