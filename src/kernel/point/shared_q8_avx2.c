// SPDX-License-Identifier: Apache-2.0
/* Sums, Quantize, pools and LRN on codes in AVX2: programs also contain this
 * file or sections of it. */
#include "kernel/point/pool_q8.h"
#include "kernel/point/quant_q8.h"
#include "kernel/point/sum_q8.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include "kernel/codes_avx2.h"
#endif

/* ---- sum ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
AVX2 HELP __m256
eight(const int8_t *x)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x)));
}

/* 32 codes: a step of each saturates, as in the tiles. */
AVX2 HELP __m256i
sum8(const SnSum8 *p, const int8_t *a, const int8_t *b)
{
    __m256 u = eight(a), v = eight(b);

    v = _mm256_fmadd_ps(_mm256_set1_ps(p->rb), v, _mm256_set1_ps(p->f));
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_set1_ps(p->ra), u, v));
}

AVX2 void
sn_sum8_avx2(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
             int8_t *y)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i z = _mm256_set1_epi16((int16_t)p->z);
    const __m256i lo = _mm256_set1_epi8(p->lo), hi = _mm256_set1_epi8(p->hi);
    const SnSum8 q = *p; /* y may alias anything but this */

    for (int64_t i = 0; i < n; i += 32, a += 32, b += 32) {
        __m256i u = _mm256_packs_epi32(sum8(&q, a, b), sum8(&q, a + 8, b + 8));
        __m256i v = _mm256_packs_epi32(sum8(&q, a + 16, b + 16),
                                       sum8(&q, a + 24, b + 24));
        u = _mm256_packs_epi16(_mm256_adds_epi16(u, z),
                               _mm256_adds_epi16(v, z));
        u = _mm256_permutevar8x32_epi32(u, order);
        u = _mm256_min_epi8(_mm256_max_epi8(u, lo), hi);
        _mm256_storeu_si256((void *)(y + i), u);
    }
}
#else
void
sn_sum8_avx2(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
             int8_t *y)
{
    sn_sum8_c(p, a, b, n, y);
}
#endif

/* ---- quant ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
AVX2 void
sn_quant8_avx2(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    __m256 s = _mm256_set1_ps(p->scale), lo = _mm256_set1_ps(p->lo);
    __m256 hi = _mm256_set1_ps(p->hi);
    __m256i z = _mm256_set1_epi32(p->zp);
    int64_t i = 0;

    for (; i + 8 <= n; i += 8)
        store8(y + i, _mm256_div_ps(_mm256_loadu_ps(x + i), s), lo, hi, z);
    sn_quant8_c(p, x + i, n - i, y + i);
}
#else
void
sn_quant8_avx2(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    sn_quant8_c(p, x, n, y);
}
#endif

/* ---- max ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
AVX2 void
sn_max8_avx2(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c,
             int8_t *y)
{
    int64_t i = 0;

    for (; i + 32 <= c; i += 32) {
        __m256i v = _mm256_loadu_si256((const void *)(x + tap[0] + i));
        for (int64_t t = 1; t < ntap; t++)
            v = _mm256_max_epi8(
                v, _mm256_loadu_si256((const void *)(x + tap[t] + i)));
        _mm256_storeu_si256((void *)(y + i), v);
    }
    for (; i + 16 <= c; i += 16) {
        __m128i v = _mm_loadu_si128((const void *)(x + tap[0] + i));
        for (int64_t t = 1; t < ntap; t++)
            v = _mm_max_epi8(v,
                             _mm_loadu_si128((const void *)(x + tap[t] + i)));
        _mm_storeu_si128((void *)(y + i), v);
    }
    if (i < c)
        sn_max8_c(x + i, tap, ntap, c - i, y + i);
}
#else
void
sn_max8_avx2(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c,
             int8_t *y)
{
    sn_max8_c(x, tap, ntap, c, y);
}
#endif

/* ---- avg ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
AVX2 void
sn_avg8_avx2(const SnPool8 *p, const int8_t *x, const int64_t *tap,
             int64_t ntap, int64_t part, int64_t nall, int8_t *y)
{
    __m256 xs = _mm256_set1_ps(p->xs), ys = _mm256_set1_ps(p->ys);
    __m256 n = _mm256_set1_ps((float)nall), off = _mm256_set1_ps(p->off);
    __m256 lo = _mm256_set1_ps(p->lo), hi = _mm256_set1_ps(p->hi), v;
    __m256 mean = _mm256_set1_ps(p->xs / (p->ys * (float)nall));
    __m256i xz = _mm256_set1_epi32(p->xz), yz = _mm256_set1_epi32(p->yz);
    SnPool8 rest = *p;
    int64_t i = 0;

    for (; i + 8 <= p->geo.c; i += 8) {
        __m256i isum = _mm256_setzero_si256();
        __m256 sum = _mm256_setzero_ps();
        for (int64_t t = 0; p->whole && t < ntap; t++)
            isum = _mm256_add_epi32(isum, load8(x + tap[t] + i, xz));
        for (int64_t t = 0; !p->whole && t < ntap;) {
            __m256 column = _mm256_setzero_ps();
            for (int64_t end = t + part; t < end; t++) {
                v = _mm256_cvtepi32_ps(load8(x + tap[t] + i, xz));
                column = _mm256_add_ps(column, _mm256_mul_ps(v, xs));
            }
            sum = _mm256_add_ps(sum, column);
        }
        if (p->whole)
            v = _mm256_mul_ps(_mm256_cvtepi32_ps(isum), mean);
        else
            v = _mm256_div_ps(_mm256_div_ps(sum, n), ys);
        if (!p->whole && p->off != 0)
            v = _mm256_add_ps(v, off);
        store8(y + i, v, lo, hi, yz);
    }
    rest.geo.c -= i;
    sn_avg8_c(&rest, x + i, tap, ntap, part, nall, y + i);
}
#else
void
sn_avg8_avx2(const SnPool8 *p, const int8_t *x, const int64_t *tap,
             int64_t ntap, int64_t part, int64_t nall, int8_t *y)
{
    sn_avg8_c(p, x, tap, ntap, part, nall, y);
}
#endif

/* ---- lrn ---- */

#if defined(__x86_64__) && !defined(SN_TWINS)
AVX2 HELP __m256
lrn_y(const SnLrn8 *p, __m256i q, __m256i s)
{
    __m256 t = _mm256_fmadd_ps(_mm256_set1_ps(p->coef), _mm256_cvtepi32_ps(s),
                               _mm256_set1_ps(p->k));
    __m256 r = _mm256_sqrt_ps(t);
    __m256 d = _mm256_mul_ps(_mm256_cvtepi32_ps(q), _mm256_set1_ps(p->xs));

    d = _mm256_div_ps(d, _mm256_mul_ps(r, _mm256_sqrt_ps(r)));
    return _mm256_div_ps(d, _mm256_set1_ps(p->ys));
}

/* One pixel, its squares in place; the last codes go through a padded copy. */
AVX2 static void
lrn_px(const SnLrn8 *p, const int8_t *x, const int32_t *sq, int8_t *y)
{
    int64_t size = p->before + p->after + 1;
    __m256 lo = _mm256_set1_ps(p->lo), hi = _mm256_set1_ps(p->hi);
    __m256i xz = _mm256_set1_epi32(p->xz), yz = _mm256_set1_epi32(p->yz);

    for (int64_t i = 0; i < p->c; i += 8) {
        int8_t in[8] = {0}, out[8];
        size_t n = p->c - i < 8 ? (size_t)(p->c - i) : 8;
        __m256i s = _mm256_loadu_si256((const void *)(sq + i));
        for (int64_t j = 1; j < size; j++)
            s = _mm256_add_epi32(
                s, _mm256_loadu_si256((const void *)(sq + i + j)));
        memcpy(in, x + i, n);
        store8(out, lrn_y(p, load8(in, xz), s), lo, hi, yz);
        memcpy(y + i, out, n);
    }
}

AVX2 void
sn_lrn8_avx2(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
             int64_t pitch, int8_t *y)
{
    for (int64_t n = 0; n < npx; n++)
        for (int64_t i = 0; i < p->c; i++) {
            int32_t q = x[n * p->c + i] - p->xz;
            sq[n * pitch + p->before + i] = q * q;
        }
    for (int64_t n = 0; n < npx; n++)
        lrn_px(p, x + n * p->c, sq + n * pitch, y + n * p->c);
}
#else
void
sn_lrn8_avx2(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq,
             int64_t pitch, int8_t *y)
{
    sn_lrn8_c(p, x, npx, sq, pitch, y);
}
#endif
