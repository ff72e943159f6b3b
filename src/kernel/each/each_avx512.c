// SPDX-License-Identifier: Apache-2.0
/* Element by element functions of plain numbers, AVX-512. */
#include "kernel/each/each.h"

#if defined(__x86_64__)
#include "kernel/lanes_avx512.h"

typedef __m512i I;
typedef __mmask16 U;

#define vnear(a) \
    _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* r in the lanes where x is below 0. */
#define vbelow(x, r)    \
    _mm512_mask_mov_ps( \
        x, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ), r)

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
#define iload8(p) _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(p)))
#define iput8(p, v) _mm_storeu_si128((void *)(p), _mm512_cvtepi32_epi8(v))

#include "kernel/each/each_lanes.inc"

static const SnEach table = {f32,     difference, lines,  real,
                             nearest, code,       bounds, extreme};

void sn_register_each_avx512(void);
void
sn_register_each_avx512(void)
{
    sn_variant_add(&sn_each_variants, SN_ISA_VNNI, &table);
}

#else

void sn_register_each_avx512(void);
void
sn_register_each_avx512(void)
{
}

#endif
