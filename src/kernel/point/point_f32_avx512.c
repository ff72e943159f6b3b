// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32, AVX-512. */
#include "kernel/point/point_f32.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx512.h"

#define vsqrt(a) _mm512_sqrt_ps(a)

TARGET INLINE W
widen(const float *p, int64_t n)
{
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)first(n), p));
}

TARGET INLINE void
narrow(float *p, int64_t n, W w)
{
    _mm256_mask_storeu_ps(p, (__mmask8)first(n), _mm512_cvtpd_ps(w));
}

#define low(v) _mm512_cvtps_pd(_mm512_castps512_ps256(v))
#define high(v) _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1))
#define join(a, b)                                                 \
    _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), \
                       _mm512_cvtpd_ps(b), 1)
#define wmax(a, b) _mm512_max_pd(a, b)
#define wtrunc(a) _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO)

TARGET INLINE W
wpow2(W k)
{
    __m512i e = _mm512_cvtpd_epi64(_mm512_add_pd(k, wset(1023)));

    return _mm512_castsi512_pd(_mm512_slli_epi64(e, 52));
}

TARGET INLINE W
wzero_below(W x, W lim, W v)
{
    return _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(x, lim, _CMP_LT_OQ),
                              _mm512_setzero_pd());
}

#include "kernel/point/point_f32_lanes.inc"

static const SnPointF32 table = {clamp, norm, max,  avg,
                                 lrn,   expn, over, logistic};

void sn_register_point_f32_avx512(void);
void
sn_register_point_f32_avx512(void)
{
    sn_variant_add(&sn_point_f32_variants, SN_ISA_VNNI, &table);
}

#else

void sn_register_point_f32_avx512(void);
void
sn_register_point_f32_avx512(void)
{
}

#endif
