/* Element by element functions of plain numbers, AVX2. */
#include "kernel/each.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))
enum { N = 8 };
typedef __m256 V;
typedef __m256i I;
typedef __m256 U;

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
#define vnear(a) \
    _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

TARGET INLINE V
pick_nan(V v, V r)
{
    return _mm256_blendv_ps(r, v, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

#define uset _mm256_setzero_ps()
#define unan(u, v) _mm256_or_ps(u, _mm256_cmp_ps(v, v, _CMP_UNORD_Q))
#define uany(u) (_mm256_movemask_ps(u) != 0)
#define iload(p) _mm256_loadu_si256((const void *)(p))
#define iput(p, v) _mm256_storeu_si256((void *)(p), v)
#define iset(i) _mm256_set1_epi32(i)
#define iadd(a, b) _mm256_add_epi32(a, b)
#define isub(a, b) _mm256_sub_epi32(a, b)
#define imin(a, b) _mm256_min_epi32(a, b)
#define imax(a, b) _mm256_max_epi32(a, b)
#define ireal(a) _mm256_cvtepi32_ps(a)
#define iload8(p) \
    _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(p)))

TARGET INLINE void
iput8(int8_t *p, I v)
{
    __m128i s = _mm_packs_epi32(_mm256_castsi256_si128(v),
                                _mm256_extracti128_si256(v, 1));

    _mm_storel_epi64((void *)p, _mm_packs_epi16(s, s));
}

#include "kernel/each_lanes.inc"

const SnEach sn_each_avx2 = {f32,  difference, real,   nearest,
                             code, bounds,     extreme};

#else
typedef int sn_no_each_avx2_t;
#endif
