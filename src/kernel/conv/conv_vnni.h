// SPDX-License-Identifier: Apache-2.0
/* Shared by conv_vnni.c and conv_vnni_dw.c: steps of AVX-512 VNNI kernels. */
#ifndef SN_CONV_VNNI_H
#define SN_CONV_VNNI_H

#include "kernel/conv/conv_run.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include <immintrin.h>
#include <string.h>

#define VNNI        \
    __attribute__(( \
        target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define INLINE static inline __attribute__((always_inline))

/* rne((float)v * mul), saturated above; values that are too low or NaN become
 * the lowest integer. */
VNNI INLINE __m512i
scale(__m512i v, const float *mul, const SnEnd *e)
{
    __m512 f = _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_loadu_ps(mul));

    if (!e->small) /* NaN, the second operand, passes through */
        f = _mm512_min_ps(_mm512_set1_ps(e->hi), f);
    return _mm512_cvtps_epi32(f);
}

/* What the end of every sum needs, in registers. */
typedef struct Last {
    __m512i zp, low, high, order;
} Last;

VNNI INLINE Last
last(const SnEnd *e)
{
    return (Last){
        _mm512_set1_epi16((int16_t)e->zp),
        _mm512_set1_epi8(e->low),
        _mm512_set1_epi8(e->high),
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
    };
}

/* Four registers of scaled sums to 64 codes: each step saturates, and the
 * clamp is applied at the end.  The bytes of lane l are 4 of a, 4 of b, of c,
 * of d. */
VNNI INLINE __m512i
codes(const Last *l, __m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i ab = _mm512_adds_epi16(_mm512_packs_epi32(a, b), l->zp);
    __m512i cd = _mm512_adds_epi16(_mm512_packs_epi32(c, d), l->zp);

    return _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(ab, cd), l->low),
                           l->high);
}

/* n codes, in order. */
VNNI INLINE void
store(int8_t *y, int n, __m512i v)
{
    if (n == 64) {
        _mm512_storeu_si512(y, v);
    } else if (n == 48) {
        _mm256_storeu_si256((void *)y, _mm512_castsi512_si256(v));
        _mm_storeu_si128((void *)(y + 32), _mm512_extracti32x4_epi32(v, 2));
    } else if (n == 32) {
        _mm256_storeu_si256((void *)y, _mm512_castsi512_si256(v));
    } else if (n == 16) {
        _mm_storeu_si128((void *)y, _mm512_castsi512_si128(v));
    } else {
        _mm512_mask_storeu_epi8(y, ~0ull >> (64 - n), v);
    }
}

VNNI INLINE __m512i
times(__m512i v, __m512 mul)
{
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(v), mul));
}

#endif

/* Depthwise, in conv_vnni_dw.c. */
SnDwFn sn_dw_vnni;
SnDw3Fn sn_dw3_vnni_step1, sn_dw3_vnni_step2;

#endif
