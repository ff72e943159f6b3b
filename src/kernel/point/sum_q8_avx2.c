// SPDX-License-Identifier: Apache-2.0
/* Sums of codes in AVX2. */
#include "kernel/point/sum_q8.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))

AVX2 INLINE __m256
eight(const int8_t *x)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x)));
}

/* 32 codes: a step of each saturates, as in the tiles. */
AVX2 INLINE __m256i
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
    const SnSum8 q = *p; /* y may be anything but this */

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
