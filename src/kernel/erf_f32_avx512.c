/* erf of reals, and rows to mean 0 and variance 1, AVX-512. */
#include "kernel/erf_f32.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "base/fmath.h"

#define TARGET \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline))
enum { N = 16, NW = 8 };
typedef __m512 V;
typedef __m512d W;
typedef __m512i T;

#define wload(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define wput(p, w) _mm256_storeu_ps(p, _mm512_cvtpd_ps(w))
#define wset(d) _mm512_set1_pd(d)
#define wadd(a, b) _mm512_add_pd(a, b)
#define wsub(a, b) _mm512_sub_pd(a, b)
#define wmul(a, b) _mm512_mul_pd(a, b)
#define wfma(a, b, c) _mm512_fmadd_pd(a, b, c)
#define wabs(a) _mm512_abs_pd(a)
#define wmin(a, b) _mm512_min_pd(b, a)
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

#define load(p) _mm512_loadu_ps(p)
#define put(p, v) _mm512_storeu_ps(p, v)
#define set(f) _mm512_set1_ps(f)
#define vadd(a, b) _mm512_add_ps(a, b)
#define vsub(a, b) _mm512_sub_ps(a, b)
#define vmul(a, b) _mm512_mul_ps(a, b)
#define vdiv(a, b) _mm512_div_ps(a, b)

TARGET INLINE V
column(const float *p, int64_t n)
{
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                   13, 14, 15);

    return _mm512_i32gather_ps(
        _mm512_mullo_epi32(at, _mm512_set1_epi32((int32_t)n)), p, 4);
}

#include "kernel/erf_f32_lanes.inc"

const SnErfF32 sn_erf_f32_avx512 = {many, moments, scale};

#else
typedef int sn_no_erf_f32_avx512_t;
#endif
