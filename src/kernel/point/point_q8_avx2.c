// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels in AVX2: whole vectors here, tails by the
 * portable loops, which give the same bits. */
#include "kernel/point/point_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))

/* 8 codes as differences from z. */
AVX2 INLINE __m256i
load8(const int8_t *x, __m256i z)
{
    return _mm256_sub_epi32(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x)), z);
}

/* rne of v in [lo, hi], plus z; NaN gives lo. */
AVX2 INLINE void
store8(int8_t *y, __m256 v, __m256 lo, __m256 hi, __m256i z)
{
    v = _mm256_min_ps(_mm256_max_ps(v, lo), hi);
    __m256i q = _mm256_add_epi32(_mm256_cvtps_epi32(v), z);
    __m128i s = _mm_packs_epi32(_mm256_castsi256_si128(q),
                                _mm256_extracti128_si256(q, 1));
    _mm_storel_epi64((void *)y, _mm_packs_epi16(s, s));
}

AVX2 static void
pair(const SnPair8 *p, const int8_t *a, const int8_t *b, int64_t n, int8_t *y)
{
    __m256 as = _mm256_set1_ps(p->as), bs = _mm256_set1_ps(p->bs);
    __m256 ys = _mm256_set1_ps(p->ys), lo = _mm256_set1_ps(p->lo);
    __m256 hi = _mm256_set1_ps(p->hi);
    __m256i az = _mm256_set1_epi32(p->az), bz = _mm256_set1_epi32(p->bz);
    __m256i yz = _mm256_set1_epi32(p->yz);
    int64_t i = 0;

    for (; i + 8 <= n; i += 8) {
        __m256 u = _mm256_mul_ps(_mm256_cvtepi32_ps(load8(a + i, az)), as);
        __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(load8(b + i, bz)), bs);
        u = p->mul ? _mm256_mul_ps(u, v) : _mm256_add_ps(u, v);
        store8(y + i, _mm256_div_ps(u, ys), lo, hi, yz);
    }
    sn_point8_ref.pair(p, a + i, b + i, n - i, y + i);
}

AVX2 static void
quant(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    __m256 s = _mm256_set1_ps(p->scale), lo = _mm256_set1_ps(p->lo);
    __m256 hi = _mm256_set1_ps(p->hi);
    __m256i z = _mm256_set1_epi32(p->zp);
    int64_t i = 0;

    for (; i + 8 <= n; i += 8)
        store8(y + i, _mm256_div_ps(_mm256_loadu_ps(x + i), s), lo, hi, z);
    sn_point8_ref.quant(p, x + i, n - i, y + i);
}

AVX2 static void
dequant(const SnQuant8 *p, const int8_t *x, int64_t n, float *y)
{
    __m256 s = _mm256_set1_ps(p->scale);
    __m256i z = _mm256_set1_epi32(p->zp);
    int64_t i = 0;

    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i,
                         _mm256_mul_ps(_mm256_cvtepi32_ps(load8(x + i, z)), s));
    sn_point8_ref.dequant(p, x + i, n - i, y + i);
}

AVX2 static void
table(const SnTable8 *p, const int8_t *x, int64_t n, int8_t *y)
{
    __m256i lo = _mm256_set1_epi8(p->lo), hi = _mm256_set1_epi8(p->hi);
    int64_t i = 0;

    for (; p->clamp && i + 32 <= n; i += 32) {
        __m256i v = _mm256_loadu_si256((const void *)(x + i));
        v = _mm256_min_epi8(_mm256_max_epi8(v, lo), hi);
        _mm256_storeu_si256((void *)(y + i), v);
    }
    sn_point8_ref.table(p, x + i, n - i, y + i);
}

AVX2 static void
max(const int8_t *x, const int64_t *tap, int64_t ntap, int64_t c, int8_t *y)
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
        sn_point8_ref.max(x + i, tap, ntap, c - i, y + i);
}

AVX2 static void
avg(const SnPool8 *p, const int8_t *x, const int64_t *tap, int64_t ntap,
    int64_t part, int64_t nall, int8_t *y)
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
    sn_point8_ref.avg(&rest, x + i, tap, ntap, part, nall, y + i);
}

AVX2 INLINE __m256
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

AVX2 static void
lrn(const SnLrn8 *p, const int8_t *x, int64_t npx, int32_t *sq, int64_t pitch,
    int8_t *y)
{
    for (int64_t n = 0; n < npx; n++)
        for (int64_t i = 0; i < p->c; i++) {
            int32_t q = x[n * p->c + i] - p->xz;
            sq[n * pitch + p->before + i] = q * q;
        }
    for (int64_t n = 0; n < npx; n++)
        lrn_px(p, x + n * p->c, sq + n * pitch, y + n * p->c);
}

static const SnPoint8 point8 = {pair, sn_sum8_avx2, quant, dequant, table,
                                max,  avg,          lrn,   NULL};

void sn_register_point_q8_avx2(void);
void
sn_register_point_q8_avx2(void)
{
    sn_variant_add(&sn_point_q8_variants, SN_ISA_AVX2, &point8);
}

#else

void sn_register_point_q8_avx2(void);
void
sn_register_point_q8_avx2(void)
{
}

#endif
