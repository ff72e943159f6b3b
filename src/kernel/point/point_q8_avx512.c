// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels in AVX-512: tails by masks, the same steps in
 * the same order as the portable ones in each lane. */
#include "kernel/point/point_q8.h"

#if defined(__x86_64__)
#include "kernel/codes_avx512.h"

V512 static void
pair(const SnPair8 *p, const int8_t *a, const int8_t *b, int64_t n, int8_t *y)
{
    __m512 as = _mm512_set1_ps(p->as), bs = _mm512_set1_ps(p->bs);
    __m512 ys = _mm512_set1_ps(p->ys), lo = _mm512_set1_ps(p->lo);
    __m512 hi = _mm512_set1_ps(p->hi);
    __m512i az = _mm512_set1_epi32(p->az), bz = _mm512_set1_epi32(p->bz);
    __m512i yz = _mm512_set1_epi32(p->yz);

    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 k = mask16(n - i);
        __m512 u = _mm512_mul_ps(_mm512_cvtepi32_ps(load16(k, a + i, az)), as);
        __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(load16(k, b + i, bz)), bs);
        u = p->mul ? _mm512_mul_ps(u, v) : _mm512_add_ps(u, v);
        store16(k, y + i, _mm512_div_ps(u, ys), lo, hi, yz);
    }
}

V512 static void
dequant(const SnQuant8 *p, const int8_t *x, int64_t n, float *y)
{
    __m512 s = _mm512_set1_ps(p->scale);
    __m512i z = _mm512_set1_epi32(p->zp);

    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 k = mask16(n - i);
        __m512 v = _mm512_cvtepi32_ps(load16(k, x + i, z));
        _mm512_mask_storeu_ps(y + i, k, _mm512_mul_ps(v, s));
    }
}

/* mask64 for code of another target. */
static inline uint64_t
first(int64_t n)
{
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

/* 128 entries at once, twice; the sign bit of x chooses. */
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"))) static void
lookup(const SnTable8 *p, const int8_t *x, int64_t n, int8_t *y)
{
    __m512i t0 = _mm512_loadu_si512(p->t + 128);
    __m512i t1 = _mm512_loadu_si512(p->t + 192);
    __m512i t2 = _mm512_loadu_si512(p->t);
    __m512i t3 = _mm512_loadu_si512(p->t + 64);

    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 k = first(n - i);
        __m512i v = _mm512_maskz_loadu_epi8(k, x + i);
        __m512i pos = _mm512_permutex2var_epi8(t0, v, t1);
        __m512i neg = _mm512_permutex2var_epi8(t2, v, t3);
        v = _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), pos, neg);
        _mm512_mask_storeu_epi8(y + i, k, v);
    }
}

V512 static void
table(const SnTable8 *p, const int8_t *x, int64_t n, int8_t *y)
{
    if (__builtin_cpu_supports("avx512vbmi")) {
        lookup(p, x, n, y);
        return;
    }
    if (!p->clamp) {
        sn_point8_ref.table(p, x, n, y);
        return;
    }
    __m512i lo = _mm512_set1_epi8(p->lo), hi = _mm512_set1_epi8(p->hi);
    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 k = mask64(n - i);
        __m512i v = _mm512_maskz_loadu_epi8(k, x + i);
        v = _mm512_min_epi8(_mm512_max_epi8(v, lo), hi);
        _mm512_mask_storeu_epi8(y + i, k, v);
    }
}

/* Which byte of r (from 0), g (from 64) or b (from 0) each byte of 64 pixels
 * is: byte i is channel i % 3 of pixel i / 3. */
#define PIXEL(p) (p), 64 + (p), (p)
#define PIXELS4(p) PIXEL(p), PIXEL(p + 1), PIXEL(p + 2), PIXEL(p + 3)
#define PIXELS16(p) PIXELS4(p), PIXELS4(p + 4), PIXELS4(p + 8), PIXELS4(p + 12)
static const int8_t pixels[3][64] = {
    {PIXELS16(0), PIXELS4(16), PIXEL(20), 21},
    {64 + 21, 21, PIXELS16(22), PIXELS4(38), 42, 64 + 42},
    {42, PIXEL(43), PIXELS16(44), PIXELS4(60)},
};

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"))) static int64_t
planes_vbmi(const int8_t *r, const int8_t *g, const int8_t *b, int64_t n,
            int8_t *y)
{
    static const __mmask64 third[3] = {0x4924924924924924, 0x2492492492492492,
                                       0x9249249249249249};

    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 k = first(n - i);
        __m512i u = _mm512_maskz_loadu_epi8(k, r + i);
        __m512i v = _mm512_maskz_loadu_epi8(k, g + i);
        __m512i w = _mm512_maskz_loadu_epi8(k, b + i);
        for (int64_t j = 0; j < 3 && 3 * (n - i) > 64 * j; j++) {
            __m512i at = _mm512_loadu_si512(pixels[j]);
            __m512i px = _mm512_mask_permutexvar_epi8(
                _mm512_permutex2var_epi8(u, at, v), third[j], at, w);
            _mm512_mask_storeu_epi8(y + 3 * i + 64 * j,
                                    first(3 * (n - i) - 64 * j), px);
        }
    }
    return n;
}

static int64_t
planes(const int8_t *r, const int8_t *g, const int8_t *b, int64_t n, int8_t *y)
{
    return __builtin_cpu_supports("avx512vbmi") ? planes_vbmi(r, g, b, n, y)
                                                : 0;
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"))) static void
permute_vbmi(const uint8_t index[64], int64_t n, const int8_t *x, int64_t count,
             int8_t *y)
{
    __m512i order = _mm512_loadu_si512(index);
    __mmask64 k = first(n);

    for (; count > 0; count--, x += n, y += n)
        _mm512_mask_storeu_epi8(
            y, k,
            _mm512_permutexvar_epi8(order, _mm512_maskz_loadu_epi8(k, x)));
}

static bool
permute(const uint8_t index[64], int64_t n, const int8_t *x, int64_t count,
        int8_t *y)
{
    if (!__builtin_cpu_supports("avx512vbmi"))
        return false;
    permute_vbmi(index, n, x, count, y);
    return true;
}

static const SnPoint8 point8 = {
    pair,           sn_sum8_avx512, sn_quant8_avx512, dequant, table,
    sn_max8_avx512, sn_avg8_avx512, sn_lrn8_avx512,   planes,  permute};

void sn_register_point_q8_avx512(void);
void
sn_register_point_q8_avx512(void)
{
    sn_variant_add(&sn_point_q8_variants, SN_ISA_VNNI, &point8);
}

#else

void sn_register_point_q8_avx512(void);
void
sn_register_point_q8_avx512(void)
{
}

#endif
