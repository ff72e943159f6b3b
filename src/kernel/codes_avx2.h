// SPDX-License-Identifier: Apache-2.0
/* 8-bit codes in the registers of AVX2, for kernels only. */
#ifndef SN_CODES_AVX2_H
#define SN_CODES_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,fma")))
/* May be unused in a program. */
#define HELP static inline __attribute__((always_inline, unused))

/* 8 codes as differences from z. */
AVX2 HELP __m256i
load8(const int8_t *x, __m256i z)
{
    return _mm256_sub_epi32(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x)), z);
}

/* rne of v in [lo, hi], plus z; NaN gives lo. */
AVX2 HELP void
store8(int8_t *y, __m256 v, __m256 lo, __m256 hi, __m256i z)
{
    v = _mm256_min_ps(_mm256_max_ps(v, lo), hi);
    __m256i q = _mm256_add_epi32(_mm256_cvtps_epi32(v), z);
    __m128i s = _mm_packs_epi32(_mm256_castsi256_si128(q),
                                _mm256_extracti128_si256(q, 1));
    _mm_storel_epi64((void *)y, _mm_packs_epi16(s, s));
}

#endif
