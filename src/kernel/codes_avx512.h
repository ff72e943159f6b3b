// SPDX-License-Identifier: Apache-2.0
/* 8-bit codes in the registers of AVX-512, for kernels only. */
#ifndef SN_CODES_AVX512_H
#define SN_CODES_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define V512        \
    __attribute__(( \
        target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
/* May be unused in a program. */
#define HELP static inline __attribute__((always_inline, unused))

V512 HELP __mmask16
mask16(int64_t n)
{
    return (__mmask16)(n >= 16 ? 0xffffu : (1u << n) - 1u);
}

V512 HELP __mmask64
mask64(int64_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1u;
}

/* 16 codes as differences from z. */
V512 HELP __m512i
load16(__mmask16 k, const int8_t *x, __m512i z)
{
    return _mm512_sub_epi32(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(k, x)),
                            z);
}

/* rne of v in [lo, hi], plus z; NaN gives lo. */
V512 HELP void
store16(__mmask16 k, int8_t *y, __m512 v, __m512 lo, __m512 hi, __m512i z)
{
    v = _mm512_min_ps(_mm512_max_ps(v, lo), hi);
    _mm512_mask_cvtepi32_storeu_epi8(
        y, k, _mm512_add_epi32(_mm512_cvtps_epi32(v), z));
}

#endif
