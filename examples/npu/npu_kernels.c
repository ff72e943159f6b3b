// SPDX-License-Identifier: Apache-2.0
/* Kernels of the NPU backend, as its simulator would have them: plain loops,
 * with the arithmetic of sinter's evaluators (docs/numerics.md), so that
 * results are equal bit for bit.  NPUPool has none and runs on the evaluator
 * generated from its meaning. */
#include "npu_kernels.h"

#include <sinter_plugin.h>

/* The clamp of a result as codes. */
static void
limits(SnRange r, int32_t *lo, int32_t *hi)
{
    *lo = r.has_lo && r.lo > -128 ? (int32_t)r.lo : -128;
    *hi = r.has_hi && r.hi < 127 ? (int32_t)r.hi : 127;
}

typedef struct Conv {
    const SnNPUConvAttr *at;
    const int64_t *xd, *wd; /* [n, h, w, c], [out, kh, kw, in] */
    const int8_t *x, *w;
    int32_t xz, wz;
} Conv;

/* Sum of (x - zp) * (w - zp) for one output; padding adds nothing.  Unsigned,
 * because sums may pass through values that do not fit. */
static int32_t
accumulate(const Conv *c, int64_t n, int64_t oy, int64_t ox, int64_t o)
{
    uint32_t sum = 0;

    for (int64_t ky = 0; ky < c->wd[1]; ky++)
        for (int64_t kx = 0; kx < c->wd[2]; kx++) {
            int64_t iy = oy * c->at->stride.v[0] - c->at->pads.v[0] +
                         ky * c->at->dilate.v[0];
            int64_t ix = ox * c->at->stride.v[1] - c->at->pads.v[1] +
                         kx * c->at->dilate.v[1];
            if (iy < 0 || iy >= c->xd[1] || ix < 0 || ix >= c->xd[2])
                continue;
            const int8_t *x =
                c->x + ((n * c->xd[1] + iy) * c->xd[2] + ix) * c->xd[3];
            const int8_t *w =
                c->w + ((o * c->wd[1] + ky) * c->wd[2] + kx) * c->wd[3];
            for (int64_t i = 0; i < c->wd[3]; i++)
                sum += (uint32_t)((x[i] - c->xz) * (w[i] - c->wz));
        }
    return (int32_t)sum;
}

SnStatus
npu_conv_q8(const SnCall *call)
{
    const SnType *xt = call->in[0].type, *wt = call->in[1].type;
    const SnType *yt = call->out[0].type;
    Conv c = {.at = call->attr,
              .xd = call->in[0].shape->dim,
              .wd = call->in[1].shape->dim,
              .x = call->in[0].data,
              .w = call->in[1].data,
              .xz = xt->zp[0],
              .wz = wt->zp[0]};
    const int32_t *b = call->nin > 2 ? call->in[2].data : NULL;
    const int64_t *yd = call->out[0].shape->dim;
    const SnRowUse *row = sn_row_uses(call, xt, wt, yt, "conv", 0);
    int8_t *y = call->out[0].data;
    int32_t lo, hi;

    limits(c.at->clamp, &lo, &hi);
    for (int64_t n = 0; n < yd[0]; n++)
        for (int64_t oy = 0; oy < yd[1]; oy++)
            for (int64_t ox = 0; ox < yd[2]; ox++)
                for (int64_t o = 0; o < yd[3]; o++) {
                    int32_t acc = accumulate(&c, n, oy, ox, o);
                    if (b)
                        acc = sn_add32(acc, b[o]);
                    *y++ = (int8_t)sn_row_at(row, acc, 0, lo, hi);
                }
    return SN_OK;
}

SnStatus
npu_max_splat_q8(const SnCall *call)
{
    const SnType *t = call->in[0].type;
    const SnNPUMaxSplatAttr *at = call->attr;
    const int8_t *x = call->in[0].data;
    int8_t *y = call->out[0].data;
    int64_t n = sn_shape_count(call->in[0].shape);
    int8_t v = (int8_t)sn_quant(at->value, t->scale[0], t->zp[0], -128, 127);

    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > v ? x[i] : v;
    return SN_OK;
}

/* A product of fewer than 16 columns does not fill the array: it is lowered,
 * and its parts run on the host.  Everything else goes by the keep list. */
int
npu_lower(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    if (n->kind != SN_K_FULLY_CONNECTED)
        return -1;
    return sn_shape_of(g, SN_REF(id, 0))->dim[1] < 16 ? 1 : -1;
}
