// SPDX-License-Identifier: Apache-2.0
/* The loops of dot.c for AVX2 and FMA: eight lanes to a register, the same
 * order within each lane. */
#include "kernel/eval/dot.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,fma")))

/* 64 lanes: all sums stay in registers. */
AVX2 static void
f32_64(const SnMap *m, const float *x, const float *pack, float *acc)
{
    __m256 v0 = _mm256_loadu_ps(acc), v1 = _mm256_loadu_ps(acc + 8);
    __m256 v2 = _mm256_loadu_ps(acc + 16), v3 = _mm256_loadu_ps(acc + 24);
    __m256 v4 = _mm256_loadu_ps(acc + 32), v5 = _mm256_loadu_ps(acc + 40);
    __m256 v6 = _mm256_loadu_ps(acc + 48), v7 = _mm256_loadu_ps(acc + 56);

    for (uint32_t s = 0; s < m->nseg; s++) {
        const float *p = pack + m->seg[s].k * 64, *a = x + m->seg[s].a;
        int64_t n = m->seg[s].n, step = m->step_a;
        for (int64_t j = 0; j < n; j++, p += 64, a += step) {
            __m256 t = _mm256_broadcast_ss(a);
            v0 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p), v0);
            v1 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 8), v1);
            v2 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 16), v2);
            v3 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 24), v3);
            v4 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 32), v4);
            v5 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 40), v5);
            v6 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 48), v6);
            v7 = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 56), v7);
        }
    }
    _mm256_storeu_ps(acc, v0);
    _mm256_storeu_ps(acc + 8, v1);
    _mm256_storeu_ps(acc + 16, v2);
    _mm256_storeu_ps(acc + 24, v3);
    _mm256_storeu_ps(acc + 32, v4);
    _mm256_storeu_ps(acc + 40, v5);
    _mm256_storeu_ps(acc + 48, v6);
    _mm256_storeu_ps(acc + 56, v7);
}

AVX2 static void
f32_8(const SnMap *m, const float *x, const float *pack, int64_t width,
      float *acc)
{
    __m256 v = _mm256_loadu_ps(acc);

    for (uint32_t s = 0; s < m->nseg; s++) {
        const float *p = pack + m->seg[s].k * width, *a = x + m->seg[s].a;
        int64_t n = m->seg[s].n, step = m->step_a;
        for (int64_t j = 0; j < n; j++, p += width, a += step)
            v = _mm256_fmadd_ps(_mm256_broadcast_ss(a), _mm256_loadu_ps(p), v);
    }
    _mm256_storeu_ps(acc, v);
}

AVX2 static void
f32_16(const SnMap *m, const float *x, const float *pack, int64_t width,
       float *acc)
{
    __m256 v = _mm256_loadu_ps(acc), u = _mm256_loadu_ps(acc + 8);

    for (uint32_t s = 0; s < m->nseg; s++) {
        const float *p = pack + m->seg[s].k * width, *a = x + m->seg[s].a;
        int64_t n = m->seg[s].n, step = m->step_a;
        for (int64_t j = 0; j < n; j++, p += width, a += step) {
            __m256 t = _mm256_broadcast_ss(a);
            v = _mm256_fmadd_ps(t, _mm256_loadu_ps(p), v);
            u = _mm256_fmadd_ps(t, _mm256_loadu_ps(p + 8), u);
        }
    }
    _mm256_storeu_ps(acc, v);
    _mm256_storeu_ps(acc + 8, u);
}

static void
dot_f32(const SnMap *m, const float *x, const float *pack, int64_t width,
        float *acc)
{
    int64_t i = 0;

    if (width == 64) {
        f32_64(m, x, pack, acc);
        return;
    }
    for (; i + 16 <= width; i += 16)
        f32_16(m, x, pack + i, width, acc + i);
    for (; i < width; i += 8)
        f32_8(m, x, pack + i, width, acc + i);
}

/* 8 lanes of nv registers; a pair of taps makes one 32-bit product sum. */
AVX2 static inline __m256i
pair(__m256i acc, __m256i x, const int16_t *p)
{
    return _mm256_add_epi32(
        acc, _mm256_madd_epi16(x, _mm256_loadu_si256((const void *)p)));
}

AVX2 static void
s16_32(const int16_t *x, const int16_t *pack, int64_t kpad, int64_t width,
       int32_t *acc)
{
    __m256i v0 = _mm256_setzero_si256(), v1 = v0, v2 = v0, v3 = v0;

    for (int64_t k = 0; k < kpad; k += 2, pack += 2 * width) {
        int32_t two;
        __builtin_memcpy(&two, x + k, 4);
        __m256i t = _mm256_set1_epi32(two);
        v0 = pair(v0, t, pack);
        v1 = pair(v1, t, pack + 16);
        v2 = pair(v2, t, pack + 32);
        v3 = pair(v3, t, pack + 48);
    }
    _mm256_storeu_si256((void *)acc, v0);
    _mm256_storeu_si256((void *)(acc + 8), v1);
    _mm256_storeu_si256((void *)(acc + 16), v2);
    _mm256_storeu_si256((void *)(acc + 24), v3);
}

AVX2 static void
s16_8(const int16_t *x, const int16_t *pack, int64_t kpad, int64_t width,
      int32_t *acc)
{
    __m256i v = _mm256_setzero_si256();

    for (int64_t k = 0; k < kpad; k += 2, pack += 2 * width) {
        int32_t two;
        __builtin_memcpy(&two, x + k, 4);
        v = pair(v, _mm256_set1_epi32(two), pack);
    }
    _mm256_storeu_si256((void *)acc, v);
}

static void
dot_s16(const int16_t *x, const int16_t *pack, int64_t kpad, int64_t width,
        int32_t *acc)
{
    int64_t i = 0;

    for (; i + 32 <= width; i += 32)
        s16_32(x, pack + 2 * i, kpad, width, acc + i);
    for (; i < width; i += 8)
        s16_8(x, pack + 2 * i, kpad, width, acc + i);
}

AVX2 static void
mac_f32(const float *x, const float *w, int64_t n, float *acc)
{
    int64_t i = 0;

    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(acc + i, _mm256_fmadd_ps(_mm256_loadu_ps(x + i),
                                                  _mm256_loadu_ps(w + i),
                                                  _mm256_loadu_ps(acc + i)));
    for (; i < n; i++)
        acc[i] = fmaf(x[i], w[i], acc[i]);
}

AVX2 static void
mac_s8(const int8_t *x, int32_t zx, const int16_t *w, int64_t n, int32_t *acc)
{
    __m256i z = _mm256_set1_epi32(zx);
    int64_t i = 0;

    for (; i + 8 <= n; i += 8) {
        __m256i a = _mm256_sub_epi32(
            _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(x + i))), z);
        __m256i b =
            _mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)(w + i)));
        __m256i s = _mm256_loadu_si256((const void *)(acc + i));
        _mm256_storeu_si256((void *)(acc + i),
                            _mm256_add_epi32(s, _mm256_mullo_epi32(a, b)));
    }
    for (; i < n; i++)
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)((x[i] - zx) * w[i]));
}

static const SnDotLoops table = {dot_f32, dot_s16, mac_f32, mac_s8};

void sn_register_dot_avx2(void);
void
sn_register_dot_avx2(void)
{
    sn_variant_add(&sn_dot_variants, SN_ISA_AVX2, &table);
}

#else

void sn_register_dot_avx2(void);
void
sn_register_dot_avx2(void)
{
}

#endif
