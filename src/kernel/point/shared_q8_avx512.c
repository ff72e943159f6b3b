// SPDX-License-Identifier: Apache-2.0
/* Sums, Quantize, pools and LRN on codes in AVX-512: programs also contain this
 * file or sections of it. */
#include "kernel/point/pool_q8.h"
#include "kernel/point/quant_q8.h"
#include "kernel/point/sum_q8.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include "kernel/codes_avx512.h"
#endif

/* ---- sum ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
/* 16 sums; p is in the order of the operands. */
V512 HELP __m512i
sum16(const SnSum8 *p, const int8_t *a, const int8_t *b)
{
    __m512i u = _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)a));
    __m512i v = _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)b));
    __m512 s = _mm512_fmadd_ps(_mm512_set1_ps(p->rb), _mm512_cvtepi32_ps(v),
                               _mm512_set1_ps(p->f));

    s = _mm512_fmadd_ps(_mm512_set1_ps(p->ra), _mm512_cvtepi32_ps(u), s);
    return _mm512_cvtps_epi32(s);
}

V512 void
sn_sum8_avx512(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i z = _mm512_set1_epi16((int16_t)p->z);
    const __m512i lo = _mm512_set1_epi8(p->lo), hi = _mm512_set1_epi8(p->hi);
    const SnSum8 q = *p; /* y may alias anything but this */

    for (int64_t i = 0; i < n; i += 64, a += 64, b += 64) {
        __m512i u =
            _mm512_packs_epi32(sum16(&q, a, b), sum16(&q, a + 16, b + 16));
        __m512i v = _mm512_packs_epi32(sum16(&q, a + 32, b + 32),
                                       sum16(&q, a + 48, b + 48));
        u = _mm512_packs_epi16(_mm512_adds_epi16(u, z),
                               _mm512_adds_epi16(v, z));
        u = _mm512_permutexvar_epi32(order, u);
        u = _mm512_min_epi8(_mm512_max_epi8(u, lo), hi);
        _mm512_storeu_si512(y + i, u);
    }
}
#else
void
sn_sum8_avx512(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    sn_sum8_c(p, a, b, n, y);
}
#endif

/* ---- quant ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
/* x / s for rounding: a product with 1 / s is at most four units in the last
 * place off, which matters near ties only (numerics.md).  In [-512, 512] these
 * are 2^-13; above, and for NaN, the comparison fails. */
V512 HELP __m512
quotient(__m512 v, __m512 s, __m512 inv)
{
    __m512 q = _mm512_mul_ps(v, inv);
    __m512 off = _mm512_abs_ps(_mm512_sub_ps(q, _mm512_roundscale_ps(q, 0)));
    __mmask16 near =
        _mm512_cmp_ps_mask(off, _mm512_set1_ps(0.5f - 0x1p-13f), _CMP_NLT_UQ) |
        _mm512_cmp_ps_mask(_mm512_abs_ps(q), _mm512_set1_ps(512), _CMP_NLT_UQ);

    return near ? _mm512_div_ps(v, s) : q;
}

V512 void
sn_quant8_avx512(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    __m512 s = _mm512_set1_ps(p->scale), lo = _mm512_set1_ps(p->lo);
    __m512 hi = _mm512_set1_ps(p->hi), inv = _mm512_set1_ps(1 / p->scale);
    __m512i z = _mm512_set1_epi32(p->zp);

    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 k = mask16(n - i);
        __m512 v = _mm512_maskz_loadu_ps(k, x + i);
        store16(k, y + i, quotient(v, s, inv), lo, hi, z);
    }
}
#else
void
sn_quant8_avx512(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    sn_quant8_c(p, x, n, y);
}
#endif

/* ---- max ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
V512 void
sn_max8_avx512(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c,
               int8_t *y)
{
    int64_t i = 0;

    for (; i + 64 <= c; i += 64) {
        __m512i v = _mm512_loadu_si512(x + tap[0] + i);
        for (int64_t t = 1; t < ntap; t++)
            v = _mm512_max_epi8(v, _mm512_loadu_si512(x + tap[t] + i));
        _mm512_storeu_si512(y + i, v);
    }
    if (i < c) {
        __mmask64 k = mask64(c - i);
        __m512i v = _mm512_maskz_loadu_epi8(k, x + tap[0] + i);
        for (int64_t t = 1; t < ntap; t++)
            v = _mm512_max_epi8(v, _mm512_maskz_loadu_epi8(k, x + tap[t] + i));
        _mm512_mask_storeu_epi8(y + i, k, v);
    }
}
#else
void
sn_max8_avx512(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c,
               int8_t *y)
{
    sn_max8_c(x, tap, ntap, c, y);
}
#endif

/* ---- avg ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
V512 void
sn_avg8_avx512(const SnPool8 *p, const int8_t *x, const int64_t *tap,
               int64_t ntap, int64_t part, int64_t nall, int8_t *y)
{
    __m512 xs = _mm512_set1_ps(p->xs), ys = _mm512_set1_ps(p->ys);
    __m512 n = _mm512_set1_ps((float)nall), off = _mm512_set1_ps(p->off);
    __m512 lo = _mm512_set1_ps(p->lo), hi = _mm512_set1_ps(p->hi), v;
    __m512 mean = _mm512_set1_ps(p->xs / (p->ys * (float)nall));
    __m512i xz = _mm512_set1_epi32(p->xz), yz = _mm512_set1_epi32(p->yz);

    for (int64_t i = 0; i < p->geo.c; i += 16) {
        __mmask16 k = mask16(p->geo.c - i);
        __m512i isum = _mm512_setzero_si512();
        __m512 sum = _mm512_setzero_ps();
        for (int64_t t = 0; p->whole && t < ntap; t++)
            isum = _mm512_add_epi32(isum, load16(k, x + tap[t] + i, xz));
        for (int64_t t = 0; !p->whole && t < ntap;) {
            __m512 column = _mm512_setzero_ps();
            for (int64_t end = t + part; t < end; t++) {
                v = _mm512_cvtepi32_ps(load16(k, x + tap[t] + i, xz));
                column = _mm512_add_ps(column, _mm512_mul_ps(v, xs));
            }
            sum = _mm512_add_ps(sum, column);
        }
        if (p->whole)
            v = _mm512_mul_ps(_mm512_cvtepi32_ps(isum), mean);
        else
            v = _mm512_div_ps(_mm512_div_ps(sum, n), ys);
        if (!p->whole && p->off != 0)
            v = _mm512_add_ps(v, off);
        store16(k, y + i, v, lo, hi, yz);
    }
}
#else
void
sn_avg8_avx512(const SnPool8 *p, const int8_t *x, const int64_t *tap,
               int64_t ntap, int64_t part, int64_t nall, int8_t *y)
{
    sn_avg8_c(p, x, tap, ntap, part, nall, y);
}
#endif

/* ---- lrn ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
/* One pixel, its squares in place. */
V512 HELP void
lrn_px(const SnLrn8 *p, const int8_t *x, const int32_t *sq, int8_t *y)
{
    int64_t size = p->before + p->after + 1;
    __m512 xs = _mm512_set1_ps(p->xs), ys = _mm512_set1_ps(p->ys);
    __m512 lo = _mm512_set1_ps(p->lo), hi = _mm512_set1_ps(p->hi);
    __m512 coef = _mm512_set1_ps(p->coef), base = _mm512_set1_ps(p->k);
    __m512i xz = _mm512_set1_epi32(p->xz), yz = _mm512_set1_epi32(p->yz);

    for (int64_t i = 0; i < p->c; i += 16) {
        __mmask16 k = mask16(p->c - i);
        __m512i s = _mm512_loadu_si512(sq + i);
        for (int64_t j = 1; j < size; j++)
            s = _mm512_add_epi32(s, _mm512_loadu_si512(sq + i + j));
        __m512 t = _mm512_fmadd_ps(coef, _mm512_cvtepi32_ps(s), base);
        __m512 r = _mm512_sqrt_ps(t);
        __m512 d = _mm512_mul_ps(_mm512_cvtepi32_ps(load16(k, x + i, xz)), xs);
        d = _mm512_div_ps(d, _mm512_mul_ps(r, _mm512_sqrt_ps(r)));
        store16(k, y + i, _mm512_div_ps(d, ys), lo, hi, yz);
    }
}

V512 void
sn_lrn8_avx512(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
               int64_t pitch, int8_t *y)
{
    __m512i xz = _mm512_set1_epi32(p->xz);

    for (int64_t n = 0; n < npx; n++)
        for (int64_t i = 0; i < p->c; i += 16) {
            __mmask16 k = mask16(p->c - i);
            __m512i v = load16(k, x + n * p->c + i, xz);
            _mm512_mask_storeu_epi32(sq + n * pitch + p->before + i, k,
                                     _mm512_mullo_epi32(v, v));
        }
    for (int64_t n = 0; n < npx; n++)
        lrn_px(p, x + n * p->c, sq + n * pitch, y + n * p->c);
}
#else
void
sn_lrn8_avx512(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
               int64_t pitch, int8_t *y)
{
    sn_lrn8_c(p, x, npx, sq, pitch, y);
}
#endif
