// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32, AVX-512. */
#include "kernel/point/point_f32.h"

#if defined(__x86_64__)
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"
#include "kernel/doubt.h"
#include "kernel/lanes_avx512.h"

#define vsqrt(a) _mm512_sqrt_ps(a)

#define low(v) _mm512_cvtps_pd(_mm512_castps512_ps256(v))
#define high(v) _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1))
#define join(a, b)                                                 \
    _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), \
                       _mm512_cvtpd_ps(b), 1)
#define wfma(a, b, c) _mm512_fmadd_pd(a, b, c)
#define wdiv(a, b) _mm512_div_pd(a, b)
#define wabs(a) _mm512_abs_pd(a)
#define wmax(a, b) _mm512_max_pd(a, b)
#define wsign(x, a) _mm512_or_pd(_mm512_and_pd(x, wset(-0.0)), a)

TARGET INLINE W
wpow2(W k)
{
    __m512i e = _mm512_cvtpd_epi64(_mm512_add_pd(k, wset(1023)));

    return _mm512_castsi512_pd(_mm512_slli_epi64(e, 52));
}

/* Adding the distance from sqrt(1/2) to 1 carries into the exponent from
 * sqrt(2) on. */
TARGET INLINE W
wsplit(W x, W *k)
{
    __m512i u = _mm512_castpd_si512(x);
    __m512i bump = _mm512_set1_epi64(0x00095f619980c433);
    __m512i one = _mm512_set1_epi64(1023);
    __m512i e = _mm512_srli_epi64(_mm512_add_epi64(u, bump), 52);

    e = _mm512_sub_epi64(e, one);
    *k = _mm512_cvtepi64_pd(e);
    return _mm512_castsi512_pd(_mm512_sub_epi64(u, _mm512_slli_epi64(e, 52)));
}

TARGET INLINE uint32_t
unlike(W a, W b)
{
    return _mm256_cmp_ps_mask(_mm512_cvtpd_ps(a), _mm512_cvtpd_ps(b),
                              _CMP_NEQ_UQ);
}

TARGET INLINE uint32_t
beyond(V x)
{
    uint32_t in = _mm512_cmp_ps_mask(x, set(0), _CMP_GT_OQ) &
                  (uint32_t)_mm512_cmp_ps_mask(x, set(FLT_MAX), _CMP_LE_OQ);

    return ~in & 0xffff;
}

enum { STEPS = 32 };
#define EPS 0x1p-35f

TARGET INLINE V
pick(const void *t, V k)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(t), _mm512_castps_si512(k),
                                  _mm512_loadu_ps((const char *)t + 64));
}

TARGET INLINE V
raised(V t, V k)
{
    __m512i i = _mm512_slli_epi32(_mm512_castps_si512(k), 18);

    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(t), i));
}

TARGET INLINE V
settled(V x, V s, V l, V h, bool below, Bits *doubt)
{
    __mmask16 live =
        below ? _mm512_cmp_ps_mask(x, set(-104), _CMP_NLT_UQ) : (__mmask16)-1;
    __mmask16 tame = below ? _mm512_cmp_ps_mask(x, set(-64), _CMP_GE_OQ)
                           : _mm512_cmp_ps_mask(vabs(x), set(64), _CMP_LE_OQ);
    V y = below ? _mm512_maskz_add_ps(live, s, l) : vadd(s, l);
    V z = _mm512_mask_add_ps(set(NAN), tame, s, h);

    *doubt = (Bits)_mm512_mask_cmp_ps_mask(live, y, z, _CMP_NEQ_UQ);
    return y;
}

TARGET INLINE float
top_lane(V v)
{
    return _mm512_reduce_max_ps(v);
}

TARGET INLINE V
less(V a, V b, V t, V f)
{
    return _mm512_mask_mov_ps(f, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), t);
}

#include "kernel/near_lanes.inc"
#include "kernel/point/tanh_lanes.inc"
#include "kernel/point/point_exp_lanes.inc"
#include "kernel/point/curve_lanes.inc"
#include "kernel/point/point_f32_lanes.inc"
#include "kernel/point/softmax_f32_lanes.inc"

static const SnPointF32 table = {clamp, norm, max, avg, lrn, softmax, curve};

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
