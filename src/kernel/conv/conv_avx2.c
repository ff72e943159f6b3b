// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX2: vpmaddwd of s16 differences x - x.zp, two taps at a time,
 * with s16 filters: nothing saturates.  Panels of 16 channels, two registers
 * each. */
#include "kernel/conv/conv_run.h"

#include <string.h>

#include "kernel/conv/conv_wino.h"

#if defined(__x86_64__) && !defined(SN_TWINS)
#include "kernel/conv/conv_avx2.h"

AVX2 static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    int16_t *to = y;
    __m256i zp = _mm256_set1_epi16((int16_t)z);
    int64_t i = 0;

    for (; i + 16 <= n; i += 16) {
        __m256i v =
            _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(x + i)));
        _mm256_storeu_si256((void *)(to + i), _mm256_sub_epi16(v, zp));
    }
    for (; i < n; i++)
        to[i] = (int16_t)(x[i] - z);
}

#define MAC(s, v, w) s = _mm256_add_epi32(s, _mm256_madd_epi16(v, w))
#define DECL(r) __m256i a##r = bias0, b##r = bias1;
#define FROM(r) const char *x##r = p[r].x + t->x0 + t->run[i].x;
#define PUT(r) put(&t->end, a##r, b##r, t->ncol, p[r].y + t->c0);
#define TILE(M)                                                              \
    AVX2 SN_SPARE static void tile1##M(const SnTile *t)                      \
    {                                                                        \
        const int64_t n = t->nstep * 4;                                      \
        const char *ahead = t->ahead;                                        \
        const __m256i *bias = (const void *)t->end.bias;                     \
        for (const SnPx *p = t->px, *e = p + t->ntile * M; p < e; p += M) {  \
            __m256i bias0 = _mm256_loadu_si256(bias);                        \
            __m256i bias1 = _mm256_loadu_si256(bias + 1);                    \
            ROWS##M(DECL) if (ahead >= t->aheadto) ahead = t->w;             \
            for (int64_t i = 0; i < t->nrun; i++) {                          \
                const char *w = (const char *)t->w + t->run[i].w * 64;       \
                ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4)             \
                {                                                            \
                    __m256i w0 = _mm256_loadu_si256((const void *)w);        \
                    __m256i w1 = _mm256_loadu_si256((const void *)(w + 32)); \
                    _mm_prefetch(ahead, _MM_HINT_T1);                        \
                    ahead += 64;                                             \
                    ROWS##M(STEP) w += 64;                                   \
                }                                                            \
            }                                                                \
            ROWS##M(PUT)                                                     \
        }                                                                    \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

/* ---- depthwise: 16 channels; two taps interleaved ---- */

AVX2 SN_SPARE static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;
    const SnEnd *e = &d->end;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m256i s0 = _mm256_loadu_si256((const void *)e->bias);
        __m256i s1 = _mm256_loadu_si256((const void *)(e->bias + 8));
        const char *w = d->w;
        for (int64_t t = 0; t < d->ntap; t += 2, w += 64) {
            __m256i a = _mm256_loadu_si256((const void *)(x + d->tap[t]));
            __m256i b = _mm256_loadu_si256((const void *)(x + d->tap[t + 1]));
            MAC(s0, _mm256_unpacklo_epi16(a, b),
                _mm256_loadu_si256((const void *)w));
            MAC(s1, _mm256_unpackhi_epi16(a, b),
                _mm256_loadu_si256((const void *)(w + 32)));
        }
        put(e, s0, s1, d->nc, y);
    }
}

#else
static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    for (int64_t i = 0; i < n; i++)
        ((int16_t *)y)[i] = (int16_t)(x[i] - z);
}

#define TWIN_X(p, i) ((const int16_t *)(const void *)(p))[i]
#define TWIN_W int16_t
#define TWIN_STEP 2
#define TWIN_PLACE(n, c) ((void)(n), sn_place_avx2(c))
#define TWIN_BLOCK 16
#define TWIN_TAPS 2
#define TWIN_DW(c) sn_place_avx2(c)
#include "kernel/conv/conv_twin.inc"

TWIN(1, 1)
TWIN(1, 2)
TWIN(1, 3)
TWIN(1, 4)
TWIN(1, 5)
TWIN(1, 6)

SN_SPARE static void
dw(const SnDw *d)
{
    twin_dw(d);
}
#endif

/* ---- programs of `sinter compile` have nothing from here on ---- */

const SnConvTiles sn_tiles_avx2 = {
    .esize = 2,
    .mtile = {6},
    .widen = widen,
    .tile = {{tile11, tile12, tile13, tile14, tile15, tile16}},
    .dw = dw,
    .wino = &sn_wino_avx2,
};
