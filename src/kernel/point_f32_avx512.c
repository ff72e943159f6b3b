/* Point nodes, pools, LRN and softmax on f32, AVX-512. */
#include "kernel/point_f32.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline))
enum { N = 16, NW = 8 };
typedef __m512 V;
typedef __m512d W;

TARGET INLINE __mmask16
first(int64_t n)
{
    return (__mmask16)((1u << n) - 1);
}

#define load(p) _mm512_loadu_ps(p)
#define load_n(p, n) _mm512_maskz_loadu_ps(first(n), p)
#define put(p, v) _mm512_storeu_ps(p, v)
#define put_n(p, n, v) _mm512_mask_storeu_ps(p, first(n), v)
#define set(f) _mm512_set1_ps(f)
#define vadd(a, b) _mm512_add_ps(a, b)
#define vsub(a, b) _mm512_sub_ps(a, b)
#define vmul(a, b) _mm512_mul_ps(a, b)
#define vdiv(a, b) _mm512_div_ps(a, b)
#define vsqrt(a) _mm512_sqrt_ps(a)
#define vmax(a, b) _mm512_max_ps(a, b)
#define vmin(a, b) _mm512_min_ps(a, b)

TARGET INLINE V
pick_nan(V v, V r)
{
    return _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), v);
}

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
#define join(a, b)                                                        \
    _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)),        \
                       _mm512_cvtpd_ps(b), 1)
#define wset(d) _mm512_set1_pd(d)
#define wadd(a, b) _mm512_add_pd(a, b)
#define wsub(a, b) _mm512_sub_pd(a, b)
#define wmul(a, b) _mm512_mul_pd(a, b)
#define wmin(a, b) _mm512_min_pd(a, b)
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

#include "kernel/point_f32_lanes.inc"

const SnPointF32 sn_point_f32_avx512 = {clamp, norm, max,  avg,
                                        lrn,   expn, over, logistic};

#else
typedef int sn_no_point_f32_avx512_t;
#endif
