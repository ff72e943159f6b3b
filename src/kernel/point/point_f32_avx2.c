// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32, AVX2. */
#include "kernel/point/point_f32.h"

#if defined(__x86_64__)
#include <float.h>
#include <string.h>

#include "base/fmath.h"
#include "kernel/doubt.h"
#include "kernel/lanes_avx2.h"

#define vsqrt(a) _mm256_sqrt_ps(a)

#define low(v) _mm256_cvtps_pd(_mm256_castps256_ps128(v))
#define high(v) _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1))
#define join(a, b) _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))
#define wfma(a, b, c) _mm256_fmadd_pd(a, b, c)
#define wdiv(a, b) _mm256_div_pd(a, b)
#define wabs(a) _mm256_andnot_pd(wset(-0.0), a)
#define wmax(a, b) _mm256_max_pd(a, b)
#define wsign(x, a) _mm256_or_pd(_mm256_and_pd(x, wset(-0.0)), a)

TARGET INLINE W
wpow2(W k)
{
    __m128i e = _mm256_cvtpd_epi32(_mm256_add_pd(k, wset(1023)));

    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_cvtepi32_epi64(e), 52));
}

/* Adding the distance from sqrt(1/2) to 1 carries into the exponent from
 * sqrt(2) on.  The biased exponent becomes a double in the mantissa of 2^52. */
TARGET INLINE W
wsplit(W x, W *k)
{
    __m256i u = _mm256_castpd_si256(x);
    __m256i bump = _mm256_set1_epi64x(0x00095f619980c433);
    __m256i two52 = _mm256_set1_epi64x(0x4330000000000000);
    __m256i e = _mm256_srli_epi64(_mm256_add_epi64(u, bump), 52);

    *k = wsub(_mm256_castsi256_pd(_mm256_or_si256(e, two52)),
              wset(0x1p52 + 1023));
    e = _mm256_sub_epi64(e, _mm256_set1_epi64x(1023));
    return _mm256_castsi256_pd(_mm256_sub_epi64(u, _mm256_slli_epi64(e, 52)));
}

TARGET INLINE uint32_t
unlike(W a, W b)
{
    return (uint32_t)_mm_movemask_ps(
        _mm_cmp_ps(_mm256_cvtpd_ps(a), _mm256_cvtpd_ps(b), _CMP_NEQ_UQ));
}

TARGET INLINE uint32_t
beyond(V x)
{
    __m256 in = _mm256_and_ps(_mm256_cmp_ps(x, set(0), _CMP_GT_OQ),
                              _mm256_cmp_ps(x, set(FLT_MAX), _CMP_LE_OQ));

    return ~(uint32_t)_mm256_movemask_ps(in) & 0xff;
}

enum { STEPS = 8 };
#define EPS 0x1p-31f

TARGET INLINE V
pick(const void *t, V k)
{
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(t), _mm256_castps_si256(k));
}

TARGET INLINE V
raised(V t, V k)
{
    __m256i i = _mm256_slli_epi32(_mm256_castps_si256(k), 20);

    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(t), i));
}

TARGET INLINE V
settled(V x, V s, V l, V h, bool below, Bits *doubt)
{
    V y = vadd(s, l), z = vadd(s, h);
    V wild = below ? _mm256_cmp_ps(x, set(-64), _CMP_NGE_UQ)
                   : _mm256_cmp_ps(vabs(x), set(64), _CMP_NLE_UQ);
    V bad = _mm256_or_ps(wild, _mm256_cmp_ps(y, z, _CMP_NEQ_UQ));

    if (below) {
        V live = _mm256_cmp_ps(x, set(-104), _CMP_NLT_UQ);
        bad = _mm256_and_ps(live, bad);
        y = _mm256_and_ps(live, y);
    }
    *doubt = (Bits)_mm256_movemask_ps(bad);
    return y;
}

TARGET INLINE float
top_lane(V v)
{
    __m128 a =
        _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)));
}

TARGET INLINE V
less(V a, V b, V t, V f)
{
    return _mm256_blendv_ps(f, t, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

#include "kernel/near_lanes.inc"
#include "kernel/point/tanh_lanes.inc"
#include "kernel/point/point_exp_lanes.inc"
#include "kernel/point/curve_lanes.inc"
#include "kernel/point/point_f32_lanes.inc"
#include "kernel/point/softmax_f32_lanes.inc"

static const SnPointF32 table = {clamp, norm, max, avg, lrn, softmax, curve};

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
