// SPDX-License-Identifier: Apache-2.0
/* Shapes of convolutions, pools and matrix products.  Images are NHWC, filters
 * [out, kh, kw, in / group], pads top, left, bottom, right. */
#include "graph/shape/shape_priv.h"

/* Lengths this small cannot overflow 64 bits when two are multiplied. */
#define WINDOW_MAX ((INT64_C(1) << 30) - 1)

/* Geometry along height (0) and width (1). */
typedef struct Window {
    int64_t in[2], kernel[2];
    SnInts stride, pads, dilate;
} Window;

/* Arguments first .. first + 2 are stride, pads, dilate. */
static bool
window_args(SnShapeCall *c, Window *w, unsigned first)
{
    if (!sn_arg_ints(c, first, 2, 1, WINDOW_MAX, &w->stride) ||
        !sn_arg_ints(c, first + 1, 4, 0, WINDOW_MAX, &w->pads) ||
        !sn_arg_ints(c, first + 2, 2, 1, WINDOW_MAX, &w->dilate))
        return false;
    for (int i = 0; i < 2; i++)
        if (w->in[i] > WINDOW_MAX || w->kernel[i] > WINDOW_MAX)
            return sn_shape_fail(c, "an image or window is too large");
    return true;
}

/* Elements one window spans, gaps included. */
static int64_t
extent(const Window *w, int i)
{
    return w->dilate.v[i] * (w->kernel[i] - 1) + 1;
}

/* Number of windows.  With ceil_mode the last one may hang over the end, but
 * must start inside the input or the padding before it (ONNX, Pool). */
static bool
count(SnShapeCall *c, const Window *w, int i, bool ceil_mode, int64_t *out)
{
    int64_t stride = w->stride.v[i], before = w->pads.v[i];
    int64_t padded = w->in[i] + before + w->pads.v[i + 2];
    int64_t span = padded - extent(w, i);
    int64_t up = ceil_mode ? span + stride - 1 : span;

    *out = (up < 0 ? -1 : up / stride) + 1;
    if (ceil_mode && (*out - 1) * stride >= w->in[i] + before)
        --*out;
    if (*out > 0)
        return true;
    return sn_shape_fail(c, "a window of %lld does not fit into %lld",
                         (long long)extent(w, i), (long long)padded);
}

/* The shapes and channels of a convolution's x and w. */
static bool
conv_args(SnShapeCall *c, const SnShape **x, const SnShape **f, Window *w)
{
    int64_t group = sn_arg_int(c, 5, 1);

    if (!sn_arg_shape(c, 0, 4, x) || !sn_arg_shape(c, 1, 4, f))
        return false;
    for (int i = 0; i < 2; i++) {
        w->in[i] = (*x)->dim[1 + i];
        w->kernel[i] = (*f)->dim[1 + i];
        if (w->kernel[i] < 1)
            return sn_shape_fail(c, "the filter is empty");
    }
    if (group < 1 || (*f)->dim[0] % group != 0)
        return sn_shape_fail(c, "%lld filters do not divide into %lld groups",
                             (long long)(*f)->dim[0], (long long)group);
    if ((*x)->dim[3] % group != 0 || (*x)->dim[3] / group != (*f)->dim[3])
        return sn_shape_fail(
            c, "%lld channels in %lld groups do not fit filters over %lld",
            (long long)(*x)->dim[3], (long long)group, (long long)(*f)->dim[3]);
    return window_args(c, w, 2);
}

bool
sn_shape_conv(SnShapeCall *c)
{
    const SnShape *x, *f;
    Window w;

    if (!conv_args(c, &x, &f, &w) || !count(c, &w, 0, false, &c->dim[1]) ||
        !count(c, &w, 1, false, &c->dim[2]))
        return false;
    c->rank = 4;
    c->dim[0] = x->dim[0];
    c->dim[3] = f->dim[0];
    return true;
}

bool
sn_shape_conv_transpose(SnShapeCall *c)
{
    const SnShape *x, *f;
    SnInts more;
    Window w;

    if (!conv_args(c, &x, &f, &w) ||
        !sn_arg_ints(c, 6, 2, 0, WINDOW_MAX, &more))
        return false;
    c->rank = 4;
    c->dim[0] = x->dim[0];
    c->dim[3] = f->dim[0];
    for (int i = 0; i < 2; i++) {
        c->dim[1 + i] = w.stride.v[i] * (w.in[i] - 1) + more.v[i] +
                        extent(&w, i) - w.pads.v[i] - w.pads.v[i + 2];
        if (w.in[i] < 1 || c->dim[1 + i] < 1)
            return sn_shape_fail(c, "padding leaves nothing of the result");
    }
    return true;
}

bool
sn_shape_pool(SnShapeCall *c)
{
    bool ceil_mode = sn_arg_int(c, 5, 0) != 0;
    const SnShape *x;
    SnInts kernel;
    Window w;

    if (!sn_arg_shape(c, 0, 4, &x) ||
        !sn_arg_ints(c, 1, 2, 1, WINDOW_MAX, &kernel))
        return false;
    for (int i = 0; i < 2; i++) {
        w.in[i] = x->dim[1 + i];
        w.kernel[i] = kernel.v[i];
    }
    if (!window_args(c, &w, 2) || !count(c, &w, 0, ceil_mode, &c->dim[1]) ||
        !count(c, &w, 1, ceil_mode, &c->dim[2]))
        return false;
    c->rank = 4;
    c->dim[0] = x->dim[0];
    c->dim[3] = x->dim[3];
    return true;
}

/* As ONNX MatMul: a vector on the left is a row, on the right a column, and
 * leaves no dimension behind; dimensions before the last two broadcast.  The
 * trans flags swap the last two and mean nothing for a vector. */
bool
sn_shape_matmul(SnShapeCall *c)
{
    bool ta = sn_arg_int(c, 2, 0) != 0, tb = sn_arg_int(c, 3, 0) != 0;
    const SnShape *a, *b;

    if (!sn_arg_shape(c, 0, -1, &a) || !sn_arg_shape(c, 1, -1, &b))
        return false;
    int ra = a->rank, rb = b->rank;
    if (ra < 1 || rb < 1)
        return sn_shape_fail(c, "a matrix product needs vectors or matrices");
    int64_t ka = a->dim[ra > 1 && ta ? ra - 2 : ra - 1];
    int64_t kb = b->dim[rb > 1 && !tb ? rb - 2 : rb - 1];
    if (ka != kb)
        return sn_shape_fail(
            c, "'%s' has %lld elements to sum over, '%s' has %lld",
            sn_arg_name(c, 0), (long long)ka, sn_arg_name(c, 1), (long long)kb);
    if (ra > 2 && !sn_shape_join(c, a->dim, ra - 2))
        return false;
    if (rb > 2 && !sn_shape_join(c, b->dim, rb - 2))
        return false;
    if (ra > 1)
        c->dim[c->rank++] = a->dim[ta ? ra - 1 : ra - 2];
    if (rb > 1)
        c->dim[c->rank++] = b->dim[tb ? rb - 2 : rb - 1];
    return true;
}
