// SPDX-License-Identifier: Apache-2.0
/* Rows of codes to variance 1, in AVX2. */
#include "kernel/row/normal_q8.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx2.h"

TARGET INLINE int64_t
total(__m256i v)
{
    __m128i s = _mm_add_epi64(_mm256_castsi256_si128(v),
                              _mm256_extracti128_si256(v, 1));

    return _mm_cvtsi128_si64(s) + _mm_extract_epi64(s, 1);
}

TARGET static void
sums(const int8_t *x, int64_t n, int64_t *sum, int64_t *squares)
{
    const __m256i none = _mm256_setzero_si256(), top = _mm256_set1_epi8(-128);
    __m256i s = none, q = none;
    int64_t i = 0;

    for (; i + 32 <= n; i += 32) {
        __m256i v = _mm256_loadu_si256((const void *)(x + i));
        __m256i a = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(v));
        __m256i b = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(v, 1));
        s = _mm256_add_epi64(s,
                             _mm256_sad_epu8(_mm256_xor_si256(v, top), none));
        q = _mm256_add_epi32(q, _mm256_madd_epi16(a, a));
        q = _mm256_add_epi32(q, _mm256_madd_epi16(b, b));
    }
    *sum += total(s) - 128 * i;
    q = _mm256_add_epi64(_mm256_srli_epi64(q, 32),
                         _mm256_and_si256(q, _mm256_set1_epi64x(0xffffffff)));
    *squares += total(q);
    for (; i < n; i++) {
        *sum += x[i];
        *squares += x[i] * x[i];
    }
}

TARGET INLINE __m256i
eight(SnLine l, const int8_t *x)
{
    __m256i v = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x));

    v = _mm256_mullo_epi32(v, _mm256_set1_epi32(l.a));
    return _mm256_sra_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(l.b)),
                            _mm_cvtsi32_si128(l.shift));
}

/* Packing saturates as sn_line_at does. */
TARGET static void
line(SnLine l, const int8_t *x, int64_t n, int8_t *y)
{
    int64_t i = 0;

    for (; i + 16 <= n; i += 16) {
        __m256i v = _mm256_packs_epi32(eight(l, x + i), eight(l, x + i + 8));
        v = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0));
        _mm_storeu_si128((void *)(y + i),
                         _mm_packs_epi16(_mm256_castsi256_si128(v),
                                         _mm256_extracti128_si256(v, 1)));
    }
    for (; i < n; i++)
        y[i] = (int8_t)sn_line_at(l, x[i]);
}

static const SnNormal8 normal8 = {sums, line};

void sn_register_normal_q8_avx2(void);
void
sn_register_normal_q8_avx2(void)
{
    sn_variant_add(&sn_normal_q8_variants, SN_ISA_AVX2, &normal8);
}

#else

void sn_register_normal_q8_avx2(void);
void
sn_register_normal_q8_avx2(void)
{
}

#endif
