// SPDX-License-Identifier: Apache-2.0
/* Sums of codes in AVX-512. */
#include "kernel/point/sum_q8.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include <immintrin.h>

#define V512        \
    __attribute__(( \
        target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define INLINE static inline __attribute__((always_inline))

/* 16 sums; p is in the order of the operands. */
V512 INLINE __m512i
sum16(const SnSum8 *p, const int8_t *a, const int8_t *b)
{
    __m512i u = _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)a));
    __m512i v = _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)b));
    __m512 s = _mm512_fmadd_ps(_mm512_set1_ps(p->rb), _mm512_cvtepi32_ps(v),
                               _mm512_set1_ps(p->f));

    s = _mm512_fmadd_ps(_mm512_set1_ps(p->ra), _mm512_cvtepi32_ps(u), s);
    return _mm512_cvtps_epi32(s);
}

V512 void
sn_sum8_avx512(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i z = _mm512_set1_epi16((int16_t)p->z);
    const __m512i lo = _mm512_set1_epi8(p->lo), hi = _mm512_set1_epi8(p->hi);
    const SnSum8 q = *p; /* y may be anything but this */

    for (int64_t i = 0; i < n; i += 64, a += 64, b += 64) {
        __m512i u =
            _mm512_packs_epi32(sum16(&q, a, b), sum16(&q, a + 16, b + 16));
        __m512i v = _mm512_packs_epi32(sum16(&q, a + 32, b + 32),
                                       sum16(&q, a + 48, b + 48));
        u = _mm512_packs_epi16(_mm512_adds_epi16(u, z),
                               _mm512_adds_epi16(v, z));
        u = _mm512_permutexvar_epi32(order, u);
        u = _mm512_min_epi8(_mm512_max_epi8(u, lo), hi);
        _mm512_storeu_si512(y + i, u);
    }
}
#else
void
sn_sum8_avx512(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    sn_sum8_c(p, a, b, n, y);
}
#endif
