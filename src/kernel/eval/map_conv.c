// SPDX-License-Identifier: Apache-2.0
/* Maps of sliding windows: conv, conv_transpose, pool.  All are NHWC with
 * filters [out, kh, kw, in / group].
 *
 * conv: a group is one result pixel and one filter group; lanes are the
 * group's output channels, which share the x taps.  A depthwise convolution
 * (one channel in and out per group) makes the channels lanes that shift both
 * operands instead.  pool: a group is one result pixel, lanes are channels. */
#include "kernel/eval/map_priv.h"

/* Places in SnMap.p. */
enum {
    P_H,
    P_W,
    P_C,
    P_OH,
    P_OW,
    P_KH,
    P_KW,
    P_SH,
    P_SW,
    P_DH,
    P_DW,
    P_PT,
    P_PL,
    P_N,     /* images */
    P_GROUP, /* filter groups that are loop groups */
    P_CIG,   /* taps per (kh, kw): input channels of a group */
    P_YC,    /* channels of y */
    P_COUNT, /* pads count in a mean */
    P_COLS,  /* a mean goes down the columns */
    P_PAD    /* some pad is not 0 */
};

static int64_t
at(SnInts v, uint32_t i, int64_t els)
{
    return i < v.n ? v.v[i] : els;
}

/* The geometry that conv and pool share. */
static SnStatus
open_window(SnMap *m, const SnCall *c, const SnShape *x, const SnShape *y,
            SnInts stride, SnInts pads, SnInts dilate)
{
    int64_t *p = m->p;

    if (x->rank != 4 || y->rank != 4)
        return sn_call_fail(c, "a window needs tensors of rank 4 (NHWC)");
    p[P_N] = x->dim[0];
    p[P_H] = x->dim[1];
    p[P_W] = x->dim[2];
    p[P_C] = x->dim[3];
    p[P_OH] = y->dim[1];
    p[P_OW] = y->dim[2];
    p[P_YC] = y->dim[3];
    p[P_SH] = at(stride, 0, 1);
    p[P_SW] = at(stride, 1, 1);
    p[P_DH] = at(dilate, 0, 1);
    p[P_DW] = at(dilate, 1, 1);
    p[P_PT] = at(pads, 0, 0);
    p[P_PL] = at(pads, 1, 0);
    for (uint32_t i = 0; i < pads.n; i++)
        p[P_PAD] |= pads.v[i] != 0;
    return SN_OK;
}

SnStatus
sn_open_conv(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    const SnShape *w = sn_map_port(c, s, 1)->shape;
    int64_t group = sn_map_int(c, s, 5, 1), *p = m->p;

    SN_TRY(open_window(m, c, x, c->out[res].shape, sn_map_ints(c, s, 2),
                       sn_map_ints(c, s, 3), sn_map_ints(c, s, 4)));
    if (w->rank != 4 || group < 1 || x->dim[3] != w->dim[3] * group ||
        w->dim[0] % group || c->out[res].shape->dim[3] != w->dim[0])
        return sn_call_fail(c, "the filter does not fit x, y and group");
    p[P_KH] = w->dim[1];
    p[P_KW] = w->dim[2];
    p[P_CIG] = w->dim[3];
    int64_t taps = p[P_KH] * p[P_KW] * p[P_CIG];
    bool depthwise =
        p[P_CIG] == 1 && w->dim[0] == group && m->id == SN_MAP_CONV;
    p[P_GROUP] = depthwise ? 1 : group;
    m->ngroup = p[P_GROUP] * p[P_N] * p[P_OH] * p[P_OW];
    m->nlane = w->dim[0] / p[P_GROUP];
    m->lane_a = depthwise ? 1 : 0;
    m->lane_b = taps;
    m->lane_y = 1;
    m->step_a = depthwise ? p[P_DW] * p[P_C] : 1;
    m->maxtap = taps;
    m->nall = taps;
    m->seg = SN_NEW_N(c->scratch, SnSeg, p[P_KH] * p[P_KW]);
    return SN_OK;
}

/* Splits a group number into filter group, image and result pixel. */
static void
pixel(SnMap *m, int64_t g, int64_t *n, int64_t *oh, int64_t *ow, int64_t *fg)
{
    const int64_t *p = m->p;

    *ow = g % p[P_OW];
    g /= p[P_OW];
    *oh = g % p[P_OH];
    g /= p[P_OH];
    *n = g % p[P_N];
    *fg = g / p[P_N];
    m->chan0 = *fg * m->nlane;
    m->y0 = ((*n * p[P_OH] + *oh) * p[P_OW] + *ow) * p[P_YC] + m->chan0;
    m->b0 = m->chan0 * m->lane_b;
}

/* First and last + 1 tap k with 0 <= base + k * step < size. */
static void
valid(int64_t base, int64_t step, int64_t size, int64_t nk, int64_t *lo,
      int64_t *hi)
{
    *lo = base < 0 ? (-base + step - 1) / step : 0;
    *hi = base >= size ? 0 : (size - 1 - base) / step + 1;
    if (*hi > nk)
        *hi = nk;
    if (*lo > *hi)
        *lo = *hi;
}

void
sn_segs_conv(SnMap *m, int64_t g)
{
    const int64_t *p = m->p;
    int64_t n, oh, ow, fg, h0, h1, w0, w1, cig = p[P_CIG];

    pixel(m, g, &n, &oh, &ow, &fg);
    int64_t h = oh * p[P_SH] - p[P_PT], w = ow * p[P_SW] - p[P_PL];
    valid(h, p[P_DH], p[P_H], p[P_KH], &h0, &h1);
    valid(w, p[P_DW], p[P_W], p[P_KW], &w0, &w1);
    /* whole rows of taps lie side by side unless dilation or groups part
     * them; a depthwise row is one run with a step */
    bool row = m->lane_a == 1 || (p[P_DW] == 1 && cig == p[P_C]);
    m->nseg = 0;
    for (int64_t i = h0; i < h1; i++) {
        int64_t a =
            ((n * p[P_H] + h + i * p[P_DH]) * p[P_W] + w) * p[P_C] + fg * cig;
        int64_t k = i * p[P_KW] * cig;
        if (row && w0 < w1)
            m->seg[m->nseg++] = (SnSeg){a + w0 * p[P_DW] * p[P_C], k + w0 * cig,
                                        (w1 - w0) * cig};
        for (int64_t j = w0; !row && j < w1; j++)
            m->seg[m->nseg++] =
                (SnSeg){a + j * p[P_DW] * p[P_C], k + j * cig, cig};
    }
    m->ntap = (h1 - h0) * (w1 - w0) * cig;
}

/* Result pixel (oh, ow) gets x[ih, iw] * w[kh, kw] where oh + pad = ih *
 * stride + kh * dilate. */
void
sn_segs_deconv(SnMap *m, int64_t g)
{
    const int64_t *p = m->p;
    int64_t n, oh, ow, fg, cig = p[P_CIG];

    pixel(m, g, &n, &oh, &ow, &fg);
    m->nseg = 0;
    for (int64_t i = 0; i < p[P_KH]; i++) {
        int64_t h = oh + p[P_PT] - i * p[P_DH];
        if (h < 0 || h % p[P_SH] || h / p[P_SH] >= p[P_H])
            continue;
        for (int64_t j = 0; j < p[P_KW]; j++) {
            int64_t w = ow + p[P_PL] - j * p[P_DW];
            if (w < 0 || w % p[P_SW] || w / p[P_SW] >= p[P_W])
                continue;
            int64_t px = (n * p[P_H] + h / p[P_SH]) * p[P_W] + w / p[P_SW];
            m->seg[m->nseg++] =
                (SnSeg){px * p[P_C] + fg * cig, (i * p[P_KW] + j) * cig, cig};
        }
    }
    m->ntap = m->nseg * cig;
}

/* ---- pool ---- */

bool
sn_pool_columns(const SnCall *c, int64_t stride)
{
    const SnAttrDesc *round = sn_attr_named(c->kind, "round");

    /* `round` says where a zero point is added: nothing of reals */
    return stride <= 2 && (!round || c->out[0].type->nq == 0 ||
                           *(const int32_t *)sn_attr_at(c->attr, round) == 0);
}

SnStatus
sn_open_pool(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    SnInts kernel = sn_map_ints(c, s, 1);
    int64_t *p = m->p, lo, hi;

    SN_TRY(open_window(m, c, x, c->out[res].shape, sn_map_ints(c, s, 2),
                       sn_map_ints(c, s, 3), sn_map_ints(c, s, 4)));
    p[P_KH] = at(kernel, 0, 1);
    p[P_KW] = at(kernel, 1, 1);
    p[P_COUNT] = sn_map_int(c, s, 6, 0);
    p[P_GROUP] = p[P_CIG] = 1;
    m->ngroup = p[P_N] * p[P_OH] * p[P_OW];
    m->nlane = p[P_C];
    m->lane_a = m->lane_y = 1;
    m->step_a = p[P_DW] * p[P_C];
    m->maxtap = p[P_KH] * p[P_KW];
    m->whole = p[P_KH] == p[P_H] && p[P_KW] == p[P_W] && !p[P_PAD] &&
               p[P_DH] == 1 && p[P_DW] == 1;
    p[P_COLS] = s->mean && sn_pool_columns(c, p[P_SW]);
    if (p[P_COLS])
        m->step_a = p[P_DH] * p[P_W] * p[P_C];
    m->seg = SN_NEW_N(c->scratch, SnSeg, p[P_COLS] ? p[P_KW] : p[P_KH]);
    for (int64_t i = 0; i < p[P_OH]; i++) {
        valid(i * p[P_SH] - p[P_PT], p[P_DH], p[P_H], p[P_KH], &lo, &hi);
        if (lo == hi)
            return sn_call_fail(c,
                                "the window of row %lld of the result has "
                                "no valid element",
                                (long long)i);
    }
    for (int64_t i = 0; i < p[P_OW]; i++) {
        valid(i * p[P_SW] - p[P_PL], p[P_DW], p[P_W], p[P_KW], &lo, &hi);
        if (lo == hi)
            return sn_call_fail(c,
                                "the window of column %lld of the result "
                                "has no valid element",
                                (long long)i);
    }
    return SN_OK;
}

void
sn_segs_pool(SnMap *m, int64_t g)
{
    const int64_t *p = m->p;
    int64_t n, oh, ow, fg, h0, h1, w0, w1;

    pixel(m, g, &n, &oh, &ow, &fg);
    int64_t h = oh * p[P_SH] - p[P_PT], w = ow * p[P_SW] - p[P_PL];
    valid(h, p[P_DH], p[P_H], p[P_KH], &h0, &h1);
    valid(w, p[P_DW], p[P_W], p[P_KW], &w0, &w1);
    int64_t from =
        ((n * p[P_H] + h + h0 * p[P_DH]) * p[P_W] + w + w0 * p[P_DW]) * p[P_C];
    m->nseg = 0;
    m->part = p[P_COLS] ? h1 - h0 : 1;
    m->start = sn_pool_start(p[P_COLS], m->whole, w1 - w0 == p[P_KW]);
    for (int64_t j = w0; p[P_COLS] && j < w1; j++)
        m->seg[m->nseg++] = (SnSeg){from + (j - w0) * p[P_DW] * p[P_C],
                                    j * p[P_KH] + h0, h1 - h0};
    for (int64_t i = h0; !p[P_COLS] && i < h1; i++)
        m->seg[m->nseg++] = (SnSeg){from + (i - h0) * p[P_DH] * p[P_W] * p[P_C],
                                    i * p[P_KW] + w0, w1 - w0};
    m->ntap = (h1 - h0) * (w1 - w0);
    m->nall = p[P_COUNT] ? p[P_KH] * p[P_KW] : m->ntap;
}
