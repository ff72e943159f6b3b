// SPDX-License-Identifier: Apache-2.0
/* Rows of codes to variance 1, in AVX-512. */
#include "kernel/row/normal_q8.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx512.h"

TARGET INLINE __mmask64
codes(int64_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1u;
}

TARGET static void
sums(const int8_t *x, int64_t n, int64_t *sum, int64_t *squares)
{
    const __m512i none = _mm512_setzero_si512(), top = _mm512_set1_epi8(-128);
    __m512i s = none, q = none;

    for (int64_t i = 0; i < n; i += 64) {
        __m512i v = _mm512_maskz_loadu_epi8(codes(n - i), x + i);
        __m512i a = _mm512_cvtepi8_epi16(_mm512_castsi512_si256(v));
        __m512i b = _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(v, 1));
        s = _mm512_add_epi64(s,
                             _mm512_sad_epu8(_mm512_xor_si512(v, top), none));
        q = _mm512_add_epi32(q, _mm512_madd_epi16(a, a));
        q = _mm512_add_epi32(q, _mm512_madd_epi16(b, b));
    }
    *sum += _mm512_reduce_add_epi64(s) - 128 * ((n + 63) / 64 * 64);
    q = _mm512_add_epi64(_mm512_srli_epi64(q, 32),
                         _mm512_and_si512(q, _mm512_set1_epi64(0xffffffff)));
    *squares += _mm512_reduce_add_epi64(q);
}

/* _mm512_cvtsepi32_epi8 saturates as sn_line_at does. */
TARGET static void
line(SnLine l, const int8_t *x, int64_t n, int8_t *y)
{
    const __m512i a = _mm512_set1_epi32(l.a), b = _mm512_set1_epi32(l.b);
    const __m128i shift = _mm_cvtsi32_si128(l.shift);

    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 k = (__mmask16)(n - i >= 16 ? 0xffffu : (1u << (n - i)) - 1u);
        __m128i c = _mm_maskz_loadu_epi8(k, x + i);
        __m512i v = _mm512_mullo_epi32(_mm512_cvtepi8_epi32(c), a);
        v = _mm512_sra_epi32(_mm512_add_epi32(v, b), shift);
        _mm_mask_storeu_epi8(y + i, k, _mm512_cvtsepi32_epi8(v));
    }
}

static const SnNormal8 normal8 = {sums, line};

void sn_register_normal_q8_avx512(void);
void
sn_register_normal_q8_avx512(void)
{
    sn_variant_add(&sn_normal_q8_variants, SN_ISA_VNNI, &normal8);
}

#else

void sn_register_normal_q8_avx512(void);
void
sn_register_normal_q8_avx512(void)
{
}

#endif
