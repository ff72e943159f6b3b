// SPDX-License-Identifier: Apache-2.0
/* Depthwise sums by AVX2, also where there are longer registers: sixteen
 * channels at a time, two taps to a product. */
#include "kernel/depth/depth_sums.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static __m256i
differences(const int8_t *x, __m256i xz)
{
    __m128i v = _mm_loadu_si128((const void *)x);

    return _mm256_sub_epi16(_mm256_cvtepi8_epi16(v), xz);
}

/* Differences and weights are at most 255, so that a pair's sum fits. */
AVX2 static void
sixteen(const SnDepthSums *k, const int8_t *x, SnDepthTaps taps, int64_t c,
        int32_t *y)
{
    __m256i lo = _mm256_setzero_si256(), hi = lo, none = lo;
    __m256i xz = _mm256_set1_epi16((int16_t)k->xz);

    for (int64_t t = 0; t < taps.n; t += 2) {
        bool two = t + 1 < taps.n;
        __m256i a = differences(x + taps.at[t] + c, xz);
        __m256i b = two ? differences(x + taps.at[t + 1] + c, xz) : none;
        __m256i v = _mm256_loadu_si256((const void *)(k->w + taps.of[t] + c));
        __m256i w =
            two ? _mm256_loadu_si256((const void *)(k->w + taps.of[t + 1] + c))
                : none;
        lo = _mm256_add_epi32(lo,
                              _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b),
                                                _mm256_unpacklo_epi16(v, w)));
        hi = _mm256_add_epi32(hi,
                              _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b),
                                                _mm256_unpackhi_epi16(v, w)));
    }
    _mm256_storeu_si256((void *)(y + c),
                        _mm256_permute2x128_si256(lo, hi, 0x20));
    _mm256_storeu_si256((void *)(y + c + 8),
                        _mm256_permute2x128_si256(lo, hi, 0x31));
}

AVX2 static void
sums(const SnDepthSums *k, const int8_t *x, SnDepthTaps taps, int64_t n,
     int32_t *y)
{
    int64_t c = 0;

    for (; c + 16 <= n; c += 16)
        sixteen(k, x, taps, c, y);
    if (c == n)
        return;
    if (n >= 16) { /* the last sixteen once more */
        sixteen(k, x, taps, n - 16, y);
        return;
    }
    for (; c < n; c++) {
        int32_t sum = 0;
        for (int64_t t = 0; t < taps.n; t++)
            sum += (x[taps.at[t] + c] - k->xz) * k->w[taps.of[t] + c];
        y[c] = sum;
    }
}

static const SnDepth depth_avx2 = {sums};

void sn_register_depth_avx2(void);
void
sn_register_depth_avx2(void)
{
    sn_variant_add(&sn_depth_variants, SN_ISA_AVX2, &depth_avx2);
}
#else
void sn_register_depth_avx2(void);
void
sn_register_depth_avx2(void)
{
}
#endif
