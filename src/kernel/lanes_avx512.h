// SPDX-License-Identifier: Apache-2.0
/* Reals in the registers of AVX-512: as kernel/lanes_avx2.h, with this
 * width. */
#ifndef SN_LANES_AVX512_H
#define SN_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

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
#define vmax(a, b) _mm512_max_ps(a, b)
#define vmin(a, b) _mm512_min_ps(a, b)

TARGET INLINE V
pick_nan(V v, V r)
{
    return _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), v);
}

TARGET INLINE V
clamped(V v, V lo, V hi)
{
    return vmin(hi, vmax(lo, v));
}

#define wset(d) _mm512_set1_pd(d)
#define wadd(a, b) _mm512_add_pd(a, b)
#define wsub(a, b) _mm512_sub_pd(a, b)
#define wmul(a, b) _mm512_mul_pd(a, b)
#define wmin(a, b) _mm512_min_pd(a, b)

#endif
