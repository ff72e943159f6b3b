// SPDX-License-Identifier: Apache-2.0
#include "kernel/depth/depth_sums.h"

SnVariants sn_depth_variants;

enum { MOST_TAPS = 1 << 14 }; /* of 255 * 255 each */

bool
sn_depth_sums_holds(const SnConvGeo *o)
{
    return o->group == o->c && o->oc == o->c && o->kh < MOST_TAPS &&
           o->kh * o->kw < MOST_TAPS;
}

size_t
sn_depth_sums_work(const SnDepthSums *k)
{
    return (size_t)(2 * k->geo.kh * k->geo.kw) * sizeof(int64_t);
}

/* Channels [0, L) of the taps; L is a constant where it is inlined. */
static inline void
block(const SnDepthSums *k, const int8_t *x, SnDepthTaps taps, int64_t c0,
      int64_t L, int32_t *y)
{
    int32_t acc[16] = {0};

    for (int64_t t = 0; t < taps.n; t++) {
        const int8_t *v = x + taps.at[t] + c0;
        const int16_t *w = k->w + taps.of[t] + c0;
        for (int64_t c = 0; c < L; c++)
            acc[c] += (v[c] - k->xz) * w[c];
    }
    for (int64_t c = 0; c < L; c++)
        y[c0 + c] = acc[c];
}

static void
sums_ref(const SnDepthSums *k, const int8_t *x, SnDepthTaps taps, int64_t n,
         int32_t *y)
{
    int64_t c = 0;

    for (; c + 16 <= n; c += 16)
        block(k, x, taps, c, 16, y);
    if (c < n)
        block(k, x, taps, c, n - c, y);
}

static const SnDepth depth_ref = {sums_ref};

void sn_register_depth_portable(void);
void
sn_register_depth_portable(void)
{
    sn_variant_add(&sn_depth_variants, SN_ISA_PORTABLE, &depth_ref);
}

/* The taps of result (r, j) that lie in the image. */
static int64_t
find_taps(const SnConvGeo *o, int64_t r, int64_t j, int64_t *at, int64_t *of)
{
    int64_t h = r * o->sh - o->pt, w = j * o->sw - o->pl, n = 0;

    for (int64_t i = 0; i < o->kh; i++)
        for (int64_t l = 0; l < o->kw; l++) {
            int64_t y = h + i * o->dh, x = w + l * o->dw;
            if (y < 0 || y >= o->h || x < 0 || x >= o->w)
                continue;
            at[n] = (y * o->w + x) * o->c;
            of[n++] = (i * o->kw + l) * o->c;
        }
    return n;
}

static bool
inside(const SnConvGeo *o, int64_t j)
{
    int64_t w = j * o->sw - o->pl;

    return w >= 0 && w + (o->kw - 1) * o->dw < o->w;
}

void
sn_depth_sums_run(SnIsa isa, const SnDepthSums *k, const int8_t *x, int32_t *y,
                  void *work, int64_t r0, int64_t r1)
{
    const SnDepth *fn = sn_variant(&sn_depth_variants, isa);
    const SnConvGeo *o = &k->geo;
    int64_t *at = work, *of = at + o->kh * o->kw;
    SnDepthTaps taps = {0, at, of};

    y += r0 * o->ow * o->c;
    for (int64_t r = r0; r < r1; r++) {
        const int8_t *from = x;
        for (int64_t j = 0; j < o->ow; j++, y += o->c) {
            /* From one whole window to the next only the place changes. */
            if (j > 0 && inside(o, j - 1) && inside(o, j)) {
                from += o->sw * o->c;
            } else {
                taps.n = find_taps(o, r, j, at, of);
                from = x;
            }
            fn->sums(k, from, taps, o->c, y);
        }
    }
}
