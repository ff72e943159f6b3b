// SPDX-License-Identifier: Apache-2.0
/* What the tiles in 256-bit registers, of AVX2 and of vpdpbusd, share: ends of
 * 16 channels in two registers. */
#ifndef SN_CONV_256_H
#define SN_CONV_256_H

#include <immintrin.h>
#include <string.h>

#include "kernel/conv/conv_run.h"

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))

AVX2 INLINE __m256i
requant(__m256i v, const float *mul, const SnEnd *e)
{
    __m256 f = _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_loadu_ps(mul));

    f = _mm256_max_ps(f, _mm256_set1_ps(e->lo)); /* NaN gives lo */
    f = _mm256_min_ps(f, _mm256_set1_ps(e->hi));
    return _mm256_cvtps_epi32(f);
}

/* n of 16 codes. */
AVX2 INLINE void
put_codes(__m128i v, int n, int8_t *y)
{
    if (n >= 16) {
        _mm_storeu_si128((void *)y, v);
    } else {
        int8_t tail[16];
        _mm_storeu_si128((void *)tail, v);
        memcpy(y, tail, (size_t)n);
    }
}

/* n of 16 sums themselves. */
AVX2 INLINE void
put_sums(__m256i a, __m256i b, int n, int8_t *y)
{
    __m256i v[] = {a, b};

    if (n >= 16) {
        _mm256_storeu_si256((void *)y, a);
        _mm256_storeu_si256((void *)(y + 32), b);
    } else {
        memcpy(y, v, (size_t)n * sizeof(int32_t));
    }
}

#endif
