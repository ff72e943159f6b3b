// SPDX-License-Identifier: Apache-2.0
/* Element by element functions of plain numbers, AVX2. */
#include "kernel/each/each.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx2.h"

typedef __m256i I;
typedef __m256 U;

#define vnear(a) \
    _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* r in the lanes where x is below 0. */
#define vbelow(x, r) \
    _mm256_blendv_ps(x, r, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ))

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
#define iload8(p) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(p)))

TARGET INLINE void
iput8(int8_t *p, I v)
{
    __m128i s = _mm_packs_epi32(_mm256_castsi256_si128(v),
                                _mm256_extracti128_si256(v, 1));

    _mm_storel_epi64((void *)p, _mm_packs_epi16(s, s));
}

#include "kernel/each/each_lanes.inc"

static const SnEach table = {f32,     difference, lines,  real,
                             nearest, code,       bounds, extreme};

void sn_register_each_avx2(void);
void
sn_register_each_avx2(void)
{
    sn_variant_add(&sn_each_variants, SN_ISA_AVX2, &table);
}

#else

void sn_register_each_avx2(void);
void
sn_register_each_avx2(void)
{
}

#endif
