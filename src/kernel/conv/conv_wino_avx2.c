// SPDX-License-Identifier: Apache-2.0
/* Convolutions by tiles of two by two results for AVX2
 * (kernel/conv/conv_wino.h). */
#include "kernel/conv/conv_wino.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
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

#define START(r) __m256i a##r = zero, b##r = zero;
#define BEGIN(r) const char *x##r = x + r * pitch;
#define SAVE(r) sum[p][r][0] = a##r, sum[p][r][1] = b##r;
#define PLACES(M)                                                            \
    AVX2 static void places##M(const SnWinoGroup *t, Sums *sum)              \
    {                                                                        \
        const int64_t n = t->cg * 2, pitch = t->c * 2 * SN_WINO_POS;         \
        const char *x = (const char *)(t->tile->v + t->x0), *w = t->w;       \
        const __m256i zero = _mm256_setzero_si256();                         \
        for (int p = 0; p < SN_WINO_POS; p++, x += t->c * 2) {               \
            const char *ahead = p % t->turns == t->turn                      \
                                    ? t->ahead + (w - (const char *)t->w)    \
                                    : w;                                     \
            ROWS##M(START) ROWS##M(BEGIN) for (int64_t k = 0; k < n; k += 4) \
            {                                                                \
                __m256i w0 = _mm256_loadu_si256((const void *)w);            \
                __m256i w1 = _mm256_loadu_si256((const void *)(w + 32));     \
                _mm_prefetch(ahead, _MM_HINT_T1);                            \
                ahead += 64;                                                 \
                ROWS##M(STEP) w += 64;                                       \
            }                                                                \
            ROWS##M(SAVE)                                                    \
        }                                                                    \
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

#else
#include <string.h>

#include "base/num.h"

static void
in(const int16_t *x, int64_t line, int64_t c, int16_t *v)
{
    for (int64_t i = 0; i < c; i++) {
        int t[4][4];
        for (int j = 0; j < 4; j++) {
            const int16_t *p = x + i + j * c;
            t[j][0] = p[0] - p[2 * line];
            t[j][1] = p[line] + p[2 * line];
            t[j][2] = p[2 * line] - p[line];
            t[j][3] = p[line] - p[3 * line];
        }
        for (int k = 0; k < 4; k++) {
            int16_t *to = v + k * 4 * c + i;
            to[0] = (int16_t)(t[0][k] - t[2][k]);
            to[c] = (int16_t)(t[1][k] + t[2][k]);
            to[2 * c] = (int16_t)(t[2][k] - t[1][k]);
            to[3 * c] = (int16_t)(t[1][k] - t[3][k]);
        }
    }
}

/* Four results of a channel, whose place is `at`. */
static void
four(const SnWinoGroup *t, const SnWinoTile *p, int at, int32_t *y)
{
    const int16_t *w = (const int16_t *)t->w + at * 2;
    int32_t s[SN_WINO_POS], u[2][4];

    for (int i = 0; i < SN_WINO_POS; i++) {
        const int16_t *v = p->v + t->x0 + i * t->c;
        uint32_t sum = 0;
        for (int64_t e = 0; e < t->cg; e++)
            sum +=
                (uint32_t)(v[e] * w[(i * t->cg + e / 2 * 2) * SN_LANE + e % 2]);
        s[i] = (int32_t)sum;
    }
    for (int j = 0; j < 4; j++) {
        u[0][j] = s[j] + s[4 + j] + s[8 + j];
        u[1][j] = s[4 + j] - s[8 + j] - s[12 + j];
    }
    for (int i = 0; i < 2; i++) {
        y[2 * i] = (u[i][0] + u[i][1] + u[i][2]) / 4;
        y[2 * i + 1] = (u[i][1] - u[i][2] - u[i][3]) / 4;
    }
}

static int8_t
code(const SnEnd *e, int at, int32_t sum)
{
    uint32_t s = (uint32_t)sum + (uint32_t)e->bias[at];

    return (int8_t)(sn_rne_clamp(sn_mulf((float)(int32_t)s, e->mul[at]),
                                 (int32_t)e->lo, (int32_t)e->hi) +
                    e->zp);
}

static void
group(const SnWinoGroup *t)
{
    for (const SnWinoTile *p = t->tile; p < t->tile + t->ntile; p++)
        for (int c = 0; c < t->ncol; c++) {
            int at = sn_place_avx2(c);
            int8_t *y = p->y + t->c0 + c;
            int32_t s[4];
            four(t, p, at, s);
            y[0] = code(&t->end, at, s[0]);
            if (p->right)
                y[t->pitch] = code(&t->end, at, s[1]);
            if (p->below)
                y[t->line] = code(&t->end, at, s[2]);
            if (p->right && p->below)
                y[t->line + t->pitch] = code(&t->end, at, s[3]);
        }
}
#endif

const SnWino sn_wino_avx2 = {in, group, sn_wino_run};
