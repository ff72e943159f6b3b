// SPDX-License-Identifier: Apache-2.0
/* Reals in the registers of AVX2, for loops whose text is the same for all
 * widths (kernel/lanes_avx512.h gives the same names).  The names are short:
 * include it last, and only in kernels.
 *     TARGET, INLINE  attributes;
 *     N, V, NW, W     floats to a register, its type; the same of doubles;
 *     load(p), load_n(p, n), put(p, v), put_n(p, n, v)  n < N lanes: first(n);
 *     set(f), vadd, vsub, vmul, vdiv, wset(d), wadd, wsub, wmul;
 *     vmax(a, b), vmin(a, b), wmin(a, b)  b where they are equal or one is NaN;
 *     pick_nan(v, r)  v where it is NaN, else r; clamped(v, lo, hi). */
#ifndef SN_LANES_AVX2_H
#define SN_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))
enum { N = 8, NW = 4 };
typedef __m256 V;
typedef __m256d W;

TARGET INLINE __m256i
first(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#define load(p) _mm256_loadu_ps(p)
#define load_n(p, n) _mm256_maskload_ps(p, first(n))
#define put(p, v) _mm256_storeu_ps(p, v)
#define put_n(p, n, v) _mm256_maskstore_ps(p, first(n), v)
#define set(f) _mm256_set1_ps(f)
#define vadd(a, b) _mm256_add_ps(a, b)
#define vsub(a, b) _mm256_sub_ps(a, b)
#define vmul(a, b) _mm256_mul_ps(a, b)
#define vdiv(a, b) _mm256_div_ps(a, b)
#define vmax(a, b) _mm256_max_ps(a, b)
#define vmin(a, b) _mm256_min_ps(a, b)

TARGET INLINE V
pick_nan(V v, V r)
{
    return _mm256_blendv_ps(r, v, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

TARGET INLINE V
clamped(V v, V lo, V hi)
{
    return vmin(hi, vmax(lo, v));
}

#define wset(d) _mm256_set1_pd(d)
#define wadd(a, b) _mm256_add_pd(a, b)
#define wsub(a, b) _mm256_sub_pd(a, b)
#define wmul(a, b) _mm256_mul_pd(a, b)
#define wmin(a, b) _mm256_min_pd(a, b)

#endif
