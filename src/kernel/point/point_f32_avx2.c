// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32, AVX2. */
#include "kernel/point/point_f32.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx2.h"

#define vsqrt(a) _mm256_sqrt_ps(a)

TARGET INLINE W
widen(const float *p, int64_t n)
{
    __m128i m = _mm256_castsi256_si128(first(n));

    return _mm256_cvtps_pd(_mm_maskload_ps(p, m));
}

TARGET INLINE void
narrow(float *p, int64_t n, W w)
{
    _mm_maskstore_ps(p, _mm256_castsi256_si128(first(n)), _mm256_cvtpd_ps(w));
}

#define low(v) _mm256_cvtps_pd(_mm256_castps256_ps128(v))
#define high(v) _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1))
#define join(a, b) _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))
#define wmax(a, b) _mm256_max_pd(a, b)
#define wtrunc(a) _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

TARGET INLINE W
wpow2(W k)
{
    __m128i e = _mm256_cvtpd_epi32(_mm256_add_pd(k, wset(1023)));

    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_cvtepi32_epi64(e), 52));
}

TARGET INLINE W
wzero_below(W x, W lim, W v)
{
    return _mm256_andnot_pd(_mm256_cmp_pd(x, lim, _CMP_LT_OQ), v);
}

#include "kernel/point/point_f32_lanes.inc"

static const SnPointF32 table = {clamp, norm, max,  avg,
                                 lrn,   expn, over, logistic};

void sn_register_point_f32_avx2(void);
void
sn_register_point_f32_avx2(void)
{
    sn_variant_add(&sn_point_f32_variants, SN_ISA_AVX2, &table);
}

#else

void sn_register_point_f32_avx2(void);
void
sn_register_point_f32_avx2(void)
{
}

#endif
