// SPDX-License-Identifier: Apache-2.0
/* Weights of a triangle, as integers of WEIGHT_BITS fractional bits, so that
 * results are the same everywhere. */
#include "image/image.h"

#include <math.h>

enum { WEIGHT_BITS = 22, HALF = 1 << (WEIGHT_BITS - 1) };

/* Which source pixels make each pixel of an axis. */
typedef struct Axis {
    int64_t n;      /* pixels of the result */
    int64_t most;   /* weights of one, at most */
    int64_t *first; /* [n] */
    int64_t *count; /* [n] */
    int32_t *w;     /* [n][most] */
} Axis;

static Axis
open_axis(SnArena *a, int64_t from, int64_t to)
{
    double scale = (double)from / (double)to;
    double reach = scale > 1 ? scale : 1; /* of the triangle, to each side */
    Axis x = {.n = to, .most = (int64_t)ceil(reach) * 2 + 1};

    x.first = SN_NEW_N(a, int64_t, to);
    x.count = SN_NEW_N(a, int64_t, to);
    x.w = sn_alloc_n(a, (size_t)to, (size_t)x.most * sizeof *x.w);
    double *real = SN_NEW_N(a, double, x.most);
    for (int64_t i = 0; i < to; i++) {
        double centre = ((double)i + 0.5) * scale, sum = 0;
        int64_t lo = (int64_t)(centre - reach + 0.5);
        int64_t hi = (int64_t)(centre + reach + 0.5);
        lo = lo < 0 ? 0 : lo;
        hi = hi > from ? from : hi;
        for (int64_t k = lo; k < hi; k++) {
            double at = fabs((double)k - centre + 0.5) / reach;
            real[k - lo] = at < 1 ? 1 - at : 0;
            sum += real[k - lo];
        }
        x.first[i] = lo;
        x.count[i] = hi - lo;
        for (int64_t k = 0; k < hi - lo; k++)
            x.w[i * x.most + k] =
                (int32_t)(0.5 + real[k] / sum * (1 << WEIGHT_BITS));
    }
    return x;
}

static uint8_t
rounded(int32_t sum)
{
    int32_t v = sum >> WEIGHT_BITS;

    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* One line: y[i] of pixels that lie `step` bytes apart in x and y. */
static void
resize_line(const Axis *ax, const uint8_t *x, uint8_t *y, int64_t step)
{
    for (int64_t i = 0; i < ax->n; i++) {
        const int32_t *w = ax->w + i * ax->most;
        const uint8_t *from = x + ax->first[i] * step;
        int32_t sum[3] = {HALF, HALF, HALF};
        for (int64_t k = 0; k < ax->count[i]; k++)
            for (int c = 0; c < 3; c++)
                sum[c] += from[k * step + c] * w[k];
        for (int c = 0; c < 3; c++)
            y[i * step + c] = rounded(sum[c]);
    }
}

void
sn_image_resize(SnArena *a, const SnImage *x, int64_t w, int64_t h,
                SnImage *out)
{
    SnImage mid = *x;
    SnArena *own = sn_arena_new();

    *out = (SnImage){w, h, sn_alloc_n(a, (size_t)w * (size_t)h, 3)};
    if (w != x->w) {
        Axis ax = open_axis(own, x->w, w);
        mid.w = w;
        mid.rgb =
            h == x->h ? out->rgb : sn_alloc_n(own, (size_t)w * (size_t)x->h, 3);
        for (int64_t i = 0; i < x->h; i++)
            resize_line(&ax, x->rgb + i * x->w * 3, mid.rgb + i * w * 3, 3);
    }
    if (h != x->h) {
        Axis ax = open_axis(own, x->h, h);
        for (int64_t i = 0; i < w; i++)
            resize_line(&ax, mid.rgb + i * 3, out->rgb + i * 3, w * 3);
    } else if (w == x->w) {
        for (int64_t i = 0; i < w * h * 3; i++)
            out->rgb[i] = x->rgb[i];
    }
    sn_arena_free(own);
}
