// SPDX-License-Identifier: Apache-2.0
/* erf of reals, and rows to mean 0 and variance 1, AVX-512. */
#include "kernel/each/erf_f32.h"

#if defined(__x86_64__)
#include "base/fmath.h"
#include "kernel/doubt.h"
#include "kernel/lanes_avx512.h"

typedef __m512i T;

#define wload(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define wput(p, w) _mm256_storeu_ps(p, _mm512_cvtpd_ps(w))
#define wfma(a, b, c) _mm512_fmadd_pd(a, b, c)
#define wabs(a) _mm512_abs_pd(a)
#define wfloor(a) _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF)
#define terms(w) _mm512_cvttpd_epi64(w)

TARGET INLINE W
term(T t, int k)
{
    const double *c = sn_erf_terms[k];

    return _mm512_permutex2var_pd(_mm512_loadu_pd(c), t,
                                  _mm512_loadu_pd(c + 8));
}

TARGET INLINE W
wone(W x, W a, W y)
{
    W sign = _mm512_and_pd(x, wset(-0.0));
    __mmask8 far = _mm512_cmp_pd_mask(a, wset(4), _CMP_GE_OQ);

    return _mm512_mask_mov_pd(y, far, _mm512_or_pd(sign, wset(1)));
}

TARGET INLINE uint32_t
unlike(W a, W b)
{
    return _mm256_cmp_ps_mask(_mm512_cvtpd_ps(a), _mm512_cvtpd_ps(b),
                              _CMP_NEQ_UQ);
}

TARGET INLINE V
column(const float *p, int64_t n)
{
    __m512i at =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    return _mm512_i32gather_ps(
        _mm512_mullo_epi32(at, _mm512_set1_epi32((int32_t)n)), p, 4);
}

#include "kernel/each/erf_f32_lanes.inc"

static const SnErfF32 table = {many, gelu, moments, scale};

void sn_register_erf_f32_avx512(void);
void
sn_register_erf_f32_avx512(void)
{
    sn_variant_add(&sn_erf_f32_variants, SN_ISA_VNNI, &table);
}

#else

void sn_register_erf_f32_avx512(void);
void
sn_register_erf_f32_avx512(void)
{
}

#endif
