// SPDX-License-Identifier: Apache-2.0
/* Softmax of codes in AVX-512. */
#include "kernel/point/softmax_q8.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx512.h"

#define numbers(p) _mm512_cvtepi32_ps(_mm512_loadu_si512(p))
#define vround(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT)
#define put_codes(p, x, z)                                  \
    _mm_storeu_si128((void *)(p),                           \
                     _mm512_cvtepi32_epi8(_mm512_add_epi32( \
                         _mm512_cvtps_epi32(x), _mm512_set1_epi32(z))))
#define other(a, b) (uint32_t) _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ)
#define some(x) (_mm512_cmp_ps_mask(x, set(0), _CMP_GT_OQ) != 0)

#include "kernel/point/softmax_q8_lanes.inc"

TARGET static int
top(const int8_t *x, int64_t n)
{
    __m512i low = _mm512_set1_epi8(-128), v = low;

    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 k = n - i >= 64 ? ~0ull : (1ull << (n - i)) - 1u;
        v = _mm512_max_epi8(v, _mm512_mask_loadu_epi8(low, k, x + i));
    }
    __m256i h = _mm256_max_epi8(_mm512_castsi512_si256(v),
                                _mm512_extracti64x4_epi64(v, 1));
    __m128i m =
        _mm_max_epi8(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 8));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 4));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 2));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 1));
    return (int8_t)_mm_cvtsi128_si32(m);
}

static const SnSoftmax8 softmax8 = {top, share};

void sn_register_softmax_q8_avx512(void);
void
sn_register_softmax_q8_avx512(void)
{
    sn_variant_add(&sn_softmax_q8_variants, SN_ISA_VNNI, &softmax8);
}

#else

void sn_register_softmax_q8_avx512(void);
void
sn_register_softmax_q8_avx512(void)
{
}

#endif
