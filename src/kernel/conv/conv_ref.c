// SPDX-License-Identifier: Apache-2.0
/* Tiles in portable C, in the s16 form: the loops over channels have constant
 * counts, so that compilers can vectorize them. */
#include "base/num.h"
#include "kernel/conv/conv_run.h"

static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    int16_t *to = y;

    for (int64_t i = 0; i < n; i++)
        to[i] = (int16_t)(x[i] - z);
}

static void
put(const SnEnd *e, const int32_t *acc, int n, int8_t *y)
{
    if (e->sums) {
        memcpy(y, acc, (size_t)n * sizeof *acc);
        return;
    }
    for (int i = 0; i < n; i++) {
        uint32_t v = (uint32_t)acc[i] + (uint32_t)e->bias[i];
        y[i] = (int8_t)(sn_rne_clamp((float)(int32_t)v * e->mul[i],
                                     (int32_t)e->lo, (int32_t)e->hi) +
                        e->zp);
    }
}

/* acc += x * w over n taps, eight at a time so that acc is seldom stored.  A
 * sum of eight products of 9-bit numbers fits; acc wraps. */
static void
mac(uint32_t *acc, const int16_t *x, const int16_t *w, int64_t n)
{
    enum { L = SN_LANE };

    for (; n >= 8; n -= 8, x += 8, w += 8 * L)
        for (int c = 0; c < L; c++)
            acc[c] += (uint32_t)(x[0] * w[c] + x[1] * w[L + c] +
                                 x[2] * w[2 * L + c] + x[3] * w[3 * L + c] +
                                 x[4] * w[4 * L + c] + x[5] * w[5 * L + c] +
                                 x[6] * w[6 * L + c] + x[7] * w[7 * L + c]);
    for (; n > 0; n--, x++, w += L)
        for (int c = 0; c < L; c++)
            acc[c] += (uint32_t)(x[0] * w[c]);
}

static void
tile(const SnTile *t)
{
    for (const SnPx *p = t->px, *e = p + t->ntile; p < e; p++) {
        uint32_t acc[SN_LANE] = {0};
        int32_t out[SN_LANE];
        for (int64_t i = 0; i < t->nrun; i++)
            mac(acc, (const void *)(p->x + t->x0 + t->run[i].x),
                (const int16_t *)t->w + t->run[i].w * SN_LANE, t->nstep);
        for (int c = 0; c < SN_LANE; c++)
            out[c] = (int32_t)acc[c];
        put(&t->end, out, t->ncol, p->y + t->c0);
    }
}

static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        int32_t acc[SN_LANE] = {0};
        const int16_t *w = d->w;
        for (int64_t t = 0; t < d->ntap; t++, w += SN_LANE) {
            const int16_t *v = (const void *)(x + d->tap[t]);
            for (int c = 0; c < SN_LANE; c++)
                acc[c] = (int32_t)((uint32_t)acc[c] + (uint32_t)(v[c] * w[c]));
        }
        put(&d->end, acc, d->nc, y);
    }
}

const SnConvTiles sn_tiles_portable = {
    .esize = 2,
    .mtile = {1},
    .widen = widen,
    .tile = {{tile}},
    .dw = dw,
};
