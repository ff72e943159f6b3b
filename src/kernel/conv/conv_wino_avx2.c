// SPDX-License-Identifier: Apache-2.0
/* Convolutions by tiles of two by two results for AVX2
 * (kernel/conv/conv_wino.h). */
#include "kernel/conv/conv_wino.h"

#if defined(__x86_64__)
#include "kernel/conv/conv_avx2.h"

/* ---- windows ---- */

typedef struct Four {
    __m256i v[4];
} Four;

/* Bt along one axis. */
AVX2 INLINE Four
window(__m256i a, __m256i b, __m256i c, __m256i d)
{
    return (Four){{_mm256_sub_epi16(a, c), _mm256_add_epi16(b, c),
                   _mm256_sub_epi16(c, b), _mm256_sub_epi16(b, d)}};
}

AVX2 INLINE __m256i
load(const int16_t *x)
{
    return _mm256_loadu_si256((const void *)x);
}

AVX2 static void
in(const int16_t *x, int64_t line, int64_t c, int16_t *v)
{
    for (int64_t i = 0; i < c; i += 16) {
        Four t[4];
        for (int j = 0; j < 4; j++) {
            const int16_t *at = x + i + j * c;
            t[j] = window(load(at), load(at + line), load(at + 2 * line),
                          load(at + 3 * line));
        }
        for (int k = 0; k < 4; k++) {
            Four r = window(t[0].v[k], t[1].v[k], t[2].v[k], t[3].v[k]);
            for (int j = 0; j < 4; j++)
                _mm256_storeu_si256((void *)(v + (k * 4 + j) * c + i), r.v[j]);
        }
    }
}

/* ---- products ---- */

/* Sums of one place of the window. */
typedef __m256i Sums[SN_WINO_TILES][2];

#define ZERO(r) __m256i a##r = zero, b##r = zero;
#define FROM(r) const char *x##r = x + r * pitch;
#define SAVE(r) sum[p][r][0] = a##r, sum[p][r][1] = b##r;
#define PLACES(M)                                                          \
    AVX2 static void places##M(const SnWinoGroup *t, Sums *sum)            \
    {                                                                      \
        const int64_t n = t->cg * 2, pitch = t->c * 2 * SN_WINO_POS;       \
        const char *x = (const char *)(t->tile->v + t->x0), *w = t->w;     \
        const __m256i zero = _mm256_setzero_si256();                       \
        for (int p = 0; p < SN_WINO_POS; p++, x += t->c * 2) {             \
            const char *ahead = p % t->turns == t->turn                    \
                                    ? t->ahead + (w - (const char *)t->w)  \
                                    : w;                                   \
            ROWS##M(ZERO) ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4) \
            {                                                              \
                __m256i w0 = _mm256_loadu_si256((const void *)w);          \
                __m256i w1 = _mm256_loadu_si256((const void *)(w + 32));   \
                _mm_prefetch(ahead, _MM_HINT_T1);                          \
                ahead += 64;                                               \
                ROWS##M(STEP) w += 64;                                     \
            }                                                              \
            ROWS##M(SAVE)                                                  \
        }                                                                  \
    }
PLACES(1)
PLACES(2)
PLACES(3)
PLACES(4)
PLACES(5)
PLACES(6)

/* ---- results ---- */

AVX2 INLINE __m256i
plus(__m256i a, __m256i b, __m256i c)
{
    return _mm256_add_epi32(_mm256_add_epi32(a, b), c);
}

AVX2 INLINE __m256i
minus(__m256i a, __m256i b, __m256i c)
{
    return _mm256_sub_epi32(_mm256_sub_epi32(a, b), c);
}

/* At sum A, eight channels: four times the results, by rows. */
AVX2 INLINE Four
results(Sums *sum, int r, int h, __m256i bias)
{
    __m256i t[2][4];
    Four y;

    for (int j = 0; j < 4; j++) {
        __m256i m1 = sum[4 + j][r][h], m2 = sum[8 + j][r][h];
        t[0][j] = plus(sum[j][r][h], m1, m2);
        t[1][j] = minus(m1, m2, sum[12 + j][r][h]);
    }
    for (int i = 0; i < 2; i++) {
        y.v[2 * i] = plus(t[i][0], t[i][1], t[i][2]);
        y.v[2 * i + 1] = minus(t[i][1], t[i][2], t[i][3]);
    }
    for (int i = 0; i < 4; i++)
        y.v[i] = _mm256_add_epi32(_mm256_srai_epi32(y.v[i], 2), bias);
    return y;
}

AVX2 static void
group(const SnWinoGroup *t)
{
    static void (*const places[])(const SnWinoGroup *, Sums *) = {
        places1, places2, places3, places4, places5, places6};
    const __m256i *bias = (const void *)t->end.bias;
    __m256i b0 = _mm256_loadu_si256(bias), b1 = _mm256_loadu_si256(bias + 1);
    Sums sum[SN_WINO_POS];

    places[t->ntile - 1](t, sum);
    for (int r = 0; r < t->ntile; r++) {
        const SnWinoTile *p = &t->tile[r];
        Four a = results(sum, r, 0, b0), b = results(sum, r, 1, b1);
        int8_t *y = p->y + t->c0;
        put(&t->end, a.v[0], b.v[0], t->ncol, y);
        if (p->right)
            put(&t->end, a.v[1], b.v[1], t->ncol, y + t->pitch);
        y += t->line;
        if (p->below)
            put(&t->end, a.v[2], b.v[2], t->ncol, y);
        if (p->below && p->right)
            put(&t->end, a.v[3], b.v[3], t->ncol, y + t->pitch);
    }
}

const SnWino sn_wino_avx2 = {.in = in, .group = group};

#else
typedef int sn_no_wino_avx2_t;
#endif
