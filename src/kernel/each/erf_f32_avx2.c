// SPDX-License-Identifier: Apache-2.0
/* erf of reals, and rows to mean 0 and variance 1, AVX2. */
#include "kernel/each/erf_f32.h"

#if defined(__x86_64__)
#include "base/fmath.h"
#include "kernel/doubt.h"
#include "kernel/lanes_avx2.h"

typedef __m128i T;

#define wload(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define wput(p, w) _mm_storeu_ps(p, _mm256_cvtpd_ps(w))
#define wfma(a, b, c) _mm256_fmadd_pd(a, b, c)
#define wabs(a) _mm256_andnot_pd(wset(-0.0), a)
#define wfloor(a) _mm256_floor_pd(a)
#define terms(w) _mm256_cvttpd_epi32(w)
#define term(t, k) _mm256_i32gather_pd(sn_erf_terms[k], t, 8)

TARGET INLINE W
wone(W x, W a, W y)
{
    W sign = _mm256_and_pd(x, wset(-0.0));

    return _mm256_blendv_pd(y, _mm256_or_pd(sign, wset(1)),
                            _mm256_cmp_pd(a, wset(4), _CMP_GE_OQ));
}

TARGET INLINE uint32_t
unlike(W a, W b)
{
    return (uint32_t)_mm_movemask_ps(
        _mm_cmp_ps(_mm256_cvtpd_ps(a), _mm256_cvtpd_ps(b), _CMP_NEQ_UQ));
}

TARGET INLINE V
column(const float *p, int64_t n)
{
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    return _mm256_i32gather_ps(
        p, _mm256_mullo_epi32(at, _mm256_set1_epi32((int32_t)n)), 4);
}

#include "kernel/each/erf_f32_lanes.inc"

static const SnErfF32 table = {many, gelu, moments, scale};

void sn_register_erf_f32_avx2(void);
void
sn_register_erf_f32_avx2(void)
{
    sn_variant_add(&sn_erf_f32_variants, SN_ISA_AVX2, &table);
}

#else

void sn_register_erf_f32_avx2(void);
void
sn_register_erf_f32_avx2(void)
{
}

#endif
