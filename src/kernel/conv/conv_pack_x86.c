// SPDX-License-Identifier: Apache-2.0
/* Sixteen channels of a filter that comes with a run, for instruction sets
 * whose tiles take four codes a step (conv_pack.c). */
#include "kernel/conv/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline))

AVX2 INLINE __m128i
load(const int8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

/* Stores four codes of each of four channels, and adds them to its sums. */
AVX2 INLINE void
put(const SnPack16 *p, char *to, __m128i v, __m128i *sum)
{
    __m128i two = _mm_maddubs_epi16(_mm_set1_epi8(1), v);

    _mm_storeu_si128((void *)to,
                     _mm_xor_si128(v, _mm_set1_epi8((char)p->flip)));
    *sum = _mm_add_epi32(*sum, _mm_madd_epi16(two, _mm_set1_epi16(1)));
}

/* A channel's codes are neighbours: four steps of four channels are a matrix
 * of 32-bit words, to be transposed. */
AVX2 INLINE void
by_rows(const SnPack16 *p, const int8_t *w, char *to, __m128i *sum)
{
    for (int64_t k = 0; k < p->len; k += 16, w += 16, to += 4 * p->line) {
        __m128i a = load(w), b = load(w + p->step_c);
        __m128i c = load(w + 2 * p->step_c), d = load(w + 3 * p->step_c);
        __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
        put(p, to, _mm_unpacklo_epi64(ab, cd), sum);
        put(p, to + p->line, _mm_unpackhi_epi64(ab, cd), sum);
        ab = _mm_unpackhi_epi32(a, b);
        cd = _mm_unpackhi_epi32(c, d);
        put(p, to + 2 * p->line, _mm_unpacklo_epi64(ab, cd), sum);
        put(p, to + 3 * p->line, _mm_unpackhi_epi64(ab, cd), sum);
    }
}

/* Channels are neighbours: four rows of sixteen codes are interleaved. */
AVX2 INLINE void
by_columns(const SnPack16 *p, __m128i sum[4])
{
    const int8_t *w = p->w;
    char *to = p->to;

    for (int64_t k = 0; k < p->len; k += 4, w += 4 * p->step_k, to += p->line) {
        __m128i a = load(w), b = load(w + p->step_k);
        __m128i c = load(w + 2 * p->step_k), d = load(w + 3 * p->step_k);
        __m128i ab = _mm_unpacklo_epi8(a, b), cd = _mm_unpacklo_epi8(c, d);
        put(p, to, _mm_unpacklo_epi16(ab, cd), sum);
        put(p, to + p->apart, _mm_unpackhi_epi16(ab, cd), sum + 1);
        ab = _mm_unpackhi_epi8(a, b);
        cd = _mm_unpackhi_epi8(c, d);
        put(p, to + 2 * p->apart, _mm_unpacklo_epi16(ab, cd), sum + 2);
        put(p, to + 3 * p->apart, _mm_unpackhi_epi16(ab, cd), sum + 3);
    }
}

AVX2 bool
sn_conv_pack16_x86(const SnPack16 *p, int32_t sum[16])
{
    __m128i s[4] = {_mm_setzero_si128(), _mm_setzero_si128(),
                    _mm_setzero_si128(), _mm_setzero_si128()};

    if (p->step_k == 1 && p->len % 16 == 0)
        for (int i = 0; i < 4; i++)
            by_rows(p, p->w + 4 * i * p->step_c, p->to + i * p->apart, s + i);
    else if (p->step_c == 1 && p->len % 4 == 0)
        by_columns(p, s);
    else
        return false;
    for (int i = 0; i < 4; i++)
        _mm_storeu_si128((void *)(sum + 4 * i), s[i]);
    return true;
}
#endif
