/* Element by element functions of plain numbers, AVX-512. */
#include "kernel/each.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline))
enum { N = 16 };
typedef __m512 V;
typedef __m512i I;
typedef __mmask16 U;

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
#define vnear(a) \
    _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

TARGET INLINE V
pick_nan(V v, V r)
{
    return _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), v);
}

#define uset 0
#define unan(u, v) ((U)((u) | _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q)))
#define uany(u) ((u) != 0)
#define iload(p) _mm512_loadu_si512(p)
#define iput(p, v) _mm512_storeu_si512(p, v)
#define iset(i) _mm512_set1_epi32(i)
#define iadd(a, b) _mm512_add_epi32(a, b)
#define isub(a, b) _mm512_sub_epi32(a, b)
#define imin(a, b) _mm512_min_epi32(a, b)
#define imax(a, b) _mm512_max_epi32(a, b)
#define ireal(a) _mm512_cvtepi32_ps(a)
#define iload8(p) \
    _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(p)))
#define iput8(p, v) _mm_storeu_si128((void *)(p), _mm512_cvtepi32_epi8(v))

#include "kernel/each_lanes.inc"

const SnEach sn_each_avx512 = {f32,  difference, real,   nearest,
                               code, bounds,     extreme};

#else
typedef int sn_no_each_avx512_t;
#endif
