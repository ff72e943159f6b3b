// SPDX-License-Identifier: Apache-2.0
/* What the tiles of AVX2 share: sums of 16 channels in two registers, and their
 * conversion to codes. */
#ifndef SN_CONV_AVX2_H
#define SN_CONV_AVX2_H

#include "kernel/conv/conv_256.h"
#include "kernel/tile_rows.h"

AVX2 INLINE __m256i
times(__m256i v, const float *mul)
{
    return _mm256_cvtps_epi32(
        _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_loadu_ps(mul)));
}

/* 16 sums, bias included, to n codes.  The low register holds channels 0..3
 * and 8..11, the high one the others, which packing puts in order.  Products
 * that stay in int32 are clamped at the end: each step before saturates. */
AVX2 INLINE void
put(const SnEnd *e, __m256i a, __m256i b, int n, int8_t *y)
{
    if (e->sums) { /* in order */
        put_sums(a, b, n, y);
        return;
    }
    __m256i z = _mm256_set1_epi16((int16_t)e->zp);

    if (e->small)
        a = _mm256_packs_epi32(times(a, e->mul), times(b, e->mul + 8));
    else
        a = _mm256_packs_epi32(requant(a, e->mul, e),
                               requant(b, e->mul + 8, e));
    a = _mm256_adds_epi16(a, z);
    __m128i v = _mm_packs_epi16(_mm256_castsi256_si128(a),
                                _mm256_extracti128_si256(a, 1));
    v = _mm_max_epi8(v, _mm_set1_epi8(e->low));
    v = _mm_min_epi8(v, _mm_set1_epi8(e->high));
    put_codes(v, n, y);
}

AVX2 INLINE __m256i
two(const char *x)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return _mm256_set1_epi32(v);
}

/* Four instructions in this order need two registers in addition to the twelve
 * sums and the filter's two; gcc would take more and keep sums on the stack. */
#define STEP(r)                                                \
    {                                                          \
        __m256i u, v = two(x##r + k);                          \
        __asm__("vpmaddwd %4, %1, %0\n\t"                      \
                "vpmaddwd %5, %1, %1\n\t"                      \
                "vpaddd %0, %2, %2\n\t"                        \
                "vpaddd %1, %3, %3"                            \
                : "=&x"(u), "+&x"(v), "+&x"(a##r), "+&x"(b##r) \
                : "x"(w0), "x"(w1));                           \
    }

#endif
