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
#define vabs(a) _mm512_abs_ps(a)
#define vsign(x, a) _mm512_or_ps(_mm512_and_ps(x, set(-0.0f)), a)
#define vfma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define vfms(a, b, c) _mm512_fmsub_ps(a, b, c)
#define vfnma(a, b, c) _mm512_fnmadd_ps(a, b, c)

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

typedef uint16_t Bits;
typedef __m512i VI;
#define as_int(v) _mm512_castps_si512(v)
#define shifted(i, n) _mm512_srli_epi32(i, n)

TARGET INLINE Bits
unequal(V a, V b)
{
    return (Bits)_mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
}

TARGET INLINE Bits
between(V a, V b, V c)
{
    __mmask16 m = _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);

    return (Bits)_mm512_mask_cmp_ps_mask(m, b, c, _CMP_LT_OQ);
}

/* A table lies by columns, each in two registers. */
#define COLUMN0(a, b, c, d, e, f, g, h) a,
#define COLUMN1(a, b, c, d, e, f, g, h) b,
#define COLUMN2(a, b, c, d, e, f, g, h) c,
#define COLUMN3(a, b, c, d, e, f, g, h) d,
#define COLUMN4(a, b, c, d, e, f, g, h) e,
#define COLUMN5(a, b, c, d, e, f, g, h) f,
#define COLUMN6(a, b, c, d, e, f, g, h) g,
#define COLUMN7(a, b, c, d, e, f, g, h) h,
#define TABLE(name, ROWS)                                                   \
    static const float name[8][32] = {                                      \
        {ROWS(COLUMN0)}, {ROWS(COLUMN1)}, {ROWS(COLUMN2)}, {ROWS(COLUMN3)}, \
        {ROWS(COLUMN4)}, {ROWS(COLUMN5)}, {ROWS(COLUMN6)}, {ROWS(COLUMN7)}}

#define COLUMN(k) \
    _mm512_permutex2var_ps(load(columns[k]), at, load(columns[k] + 16))

/* Written out: gcc would go around a loop. */
TARGET INLINE void
look(const float (*columns)[32], VI at, V t[8])
{
    t[0] = COLUMN(0);
    t[1] = COLUMN(1);
    t[2] = COLUMN(2);
    t[3] = COLUMN(3);
    t[4] = COLUMN(4);
    t[5] = COLUMN(5);
    t[6] = COLUMN(6);
    t[7] = COLUMN(7);
}

#define wset(d) _mm512_set1_pd(d)
#define wadd(a, b) _mm512_add_pd(a, b)
#define wsub(a, b) _mm512_sub_pd(a, b)
#define wmul(a, b) _mm512_mul_pd(a, b)
#define wmin(a, b) _mm512_min_pd(a, b)

#endif
