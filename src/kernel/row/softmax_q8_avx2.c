// SPDX-License-Identifier: Apache-2.0
/* Softmax of codes in AVX2. */
#include "kernel/row/softmax_q8.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx2.h"

#define numbers(p) _mm256_cvtepi32_ps(_mm256_loadu_si256((const void *)(p)))
#define vround(x) _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT)
#define other(a, b) \
    (uint32_t) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ))
#define some(x) (_mm256_movemask_ps(_mm256_cmp_ps(x, set(0), _CMP_GT_OQ)) != 0)

TARGET INLINE void
put_codes(int8_t *p, V x, int32_t z)
{
    __m256i v = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(z));
    __m128i w = _mm_packs_epi32(_mm256_castsi256_si128(v),
                                _mm256_extracti128_si256(v, 1));

    _mm_storel_epi64((void *)p, _mm_packs_epi16(w, w));
}

#include "kernel/row/softmax_q8_lanes.inc"

TARGET static int
top(const int8_t *x, int64_t n)
{
    __m256i v = _mm256_set1_epi8(-128);
    int most = -128;
    int64_t i = 0;

    for (; i + 32 <= n; i += 32)
        v = _mm256_max_epi8(v, _mm256_loadu_si256((const void *)(x + i)));
    for (; i < n; i++)
        most = x[i] > most ? x[i] : most;
    __m128i m =
        _mm_max_epi8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 8));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 4));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 2));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 1));
    int lane = (int8_t)_mm_cvtsi128_si32(m);
    return lane > most ? lane : most;
}

static const SnSoftmax8 softmax8 = {top, share, NULL};

void sn_register_softmax_q8_avx2(void);
void
sn_register_softmax_q8_avx2(void)
{
    sn_variant_add(&sn_softmax_q8_variants, SN_ISA_AVX2, &softmax8);
}

#else

void sn_register_softmax_q8_avx2(void);
void
sn_register_softmax_q8_avx2(void)
{
}

#endif
