// SPDX-License-Identifier: Apache-2.0
/* Reals in the registers of AVX2, for loops whose text is the same for all
 * widths (kernel/lanes_avx512.h gives the same names).  The names are short:
 * include it last, and only in kernels.
 *     TARGET, INLINE  attributes;
 *     N, V, NW, W     floats to a register, its type; the same of doubles;
 *     load(p), load_n(p, n), put(p, v), put_n(p, n, v)  n < N lanes: first(n);
 *     set(f), vadd, vsub, vmul, vdiv, wset(d), wadd, wsub, wmul;
 *     vmax(a, b), vmin(a, b), wmin(a, b)  b where they are equal or one is NaN;
 *     vabs(a), vsign(x, a)  a with the sign of x, a not below 0;
 *     vfma(a, b, c), vfms, vfnma  a * b + c, a * b - c, c - a * b, rounded
 *     once;
 *     pick_nan(v, r)  v where it is NaN, else r; clamped(v, lo, hi);
 *     Bits  an unsigned integer of N bits, one for each lane; unequal(a, b)
 *     those that differ or are NaN; between(a, b, c)  a < b < c;
 *     VI, as_int(v)  the bits of lanes; shifted(i, n)  to the right;
 *     TABLE(name, ROWS)  ROWS(R) is 32 times R of 8 floats; look(name, i, t)
 *     V t[8] from the rows i % 32. */
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
#define vabs(a) _mm256_andnot_ps(set(-0.0f), a)
#define vsign(x, a) _mm256_or_ps(_mm256_and_ps(x, set(-0.0f)), a)
#define vfma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define vfms(a, b, c) _mm256_fmsub_ps(a, b, c)
#define vfnma(a, b, c) _mm256_fnmadd_ps(a, b, c)

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

typedef uint8_t Bits;
typedef __m256i VI;
#define as_int(v) _mm256_castps_si256(v)
#define shifted(i, n) _mm256_srli_epi32(i, n)

TARGET INLINE Bits
unequal(V a, V b)
{
    return (Bits)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ));
}

TARGET INLINE Bits
between(V a, V b, V c)
{
    return (Bits)_mm256_movemask_ps(_mm256_and_ps(
        _mm256_cmp_ps(a, b, _CMP_LT_OQ), _mm256_cmp_ps(b, c, _CMP_LT_OQ)));
}

#define TABLE_ROW(...) {__VA_ARGS__},
#define TABLE(name, ROWS) static const float name[32][8] = {ROWS(TABLE_ROW)}

/* Four floats of the rows i and j. */
TARGET INLINE V
halves(const float *i, const float *j)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(i)),
                                _mm_loadu_ps(j), 1);
}

/* Columns k to k + 3: in each half of the registers four rows change places
 * with four columns. */
TARGET INLINE void
look_four(const float (*rows)[8], const int32_t i[8], int k, V t[4])
{
    V a = halves(rows[i[0]] + k, rows[i[4]] + k);
    V b = halves(rows[i[1]] + k, rows[i[5]] + k);
    V c = halves(rows[i[2]] + k, rows[i[6]] + k);
    V d = halves(rows[i[3]] + k, rows[i[7]] + k);
    V ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);

    t[0] = _mm256_shuffle_ps(ab, cd, 0x44);
    t[1] = _mm256_shuffle_ps(ab, cd, 0xee);
    ab = _mm256_unpackhi_ps(a, b);
    cd = _mm256_unpackhi_ps(c, d);
    t[2] = _mm256_shuffle_ps(ab, cd, 0x44);
    t[3] = _mm256_shuffle_ps(ab, cd, 0xee);
}

TARGET INLINE void
look(const float (*rows)[8], VI at, V t[8])
{
    int32_t i[8];

    _mm256_storeu_si256((VI *)i, _mm256_and_si256(at, _mm256_set1_epi32(31)));
    look_four(rows, i, 0, t);
    look_four(rows, i, 4, t + 4);
}

#define wset(d) _mm256_set1_pd(d)
#define wadd(a, b) _mm256_add_pd(a, b)
#define wsub(a, b) _mm256_sub_pd(a, b)
#define wmul(a, b) _mm256_mul_pd(a, b)
#define wmin(a, b) _mm256_min_pd(a, b)

#endif
