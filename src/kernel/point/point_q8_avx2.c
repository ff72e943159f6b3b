// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels in AVX2: whole vectors here, tails by the
 * portable loops, which give the same bits. */
#include "kernel/point/point_q8.h"

#if defined(__x86_64__)
#include "kernel/codes_avx2.h"

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

static const SnPoint8 point8 = {
    pair,         sn_sum8_avx2, sn_quant8_avx2, dequant, table,
    sn_max8_avx2, sn_avg8_avx2, sn_lrn8_avx2,   NULL,    NULL};

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
