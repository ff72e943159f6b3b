/* What the tiles of AVX2 share: sums of 16 channels in two registers, and what
 * becomes of them. */
#ifndef SN_CONV_AVX2_H
#define SN_CONV_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "kernel/conv_q8.h"

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

AVX2 INLINE __m256i
times(__m256i v, const float *mul)
{
    return _mm256_cvtps_epi32(
        _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_loadu_ps(mul)));
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
    if (n >= 16) {
        _mm_storeu_si128((void *)y, v);
    } else {
        int8_t tail[16];
        _mm_storeu_si128((void *)tail, v);
        memcpy(y, tail, (size_t)n);
    }
}

AVX2 INLINE __m256i
two(const char *x)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return _mm256_set1_epi32(v);
}

/* Four instructions in this order need two registers beside the twelve sums and
 * the filter's two; gcc would take more and keep sums on the stack. */
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
#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)

#endif
