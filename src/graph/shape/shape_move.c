// SPDX-License-Identifier: Apache-2.0
/* Shapes of the maps that move elements. */
#include <math.h>
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/shape/shape_priv.h"

#define DIM_MAX ((INT64_C(1) << 40) - 1)

bool
sn_shape_permute(SnShapeCall *c)
{
    const SnShape *x;
    unsigned seen = 0;
    SnInts perm;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, x->rank, 0, x->rank - 1, &perm))
        return false;
    for (int i = 0; i < x->rank; i++) {
        if (seen >> perm.v[i] & 1)
            return sn_shape_fail(c, "'%s' names axis %lld twice",
                                 sn_arg_name(c, 1), (long long)perm.v[i]);
        seen |= 1u << perm.v[i];
        c->dim[c->rank++] = x->dim[perm.v[i]];
    }
    return true;
}

/* 0 keeps x's dimension at that place; -1, once, is what remains. */
bool
sn_shape_reshape(SnShapeCall *c)
{
    const SnShape *x;
    int64_t n = 1, left;
    int wild = -1;
    SnInts dims;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, -1, -1, DIM_MAX, &dims))
        return false;
    if (dims.n > SN_MAXRANK)
        return sn_shape_fail(c, "'%s' has %u dimensions; the limit is %d",
                             sn_arg_name(c, 1), (unsigned)dims.n, SN_MAXRANK);
    left = sn_shape_count(x);
    c->rank = (int)dims.n;
    for (int i = 0; i < c->rank; i++) {
        int64_t v = dims.v[i];
        if (v == 0 && i >= x->rank)
            return sn_shape_fail(c, "'%s' keeps dimension %d, but '%s' has %d",
                                 sn_arg_name(c, 1), i, sn_arg_name(c, 0),
                                 x->rank);
        if (v < 0 && wild >= 0)
            return sn_shape_fail(c, "'%s' has more than one -1",
                                 sn_arg_name(c, 1));
        if (v < 0)
            wild = i;
        c->dim[i] = v < 0 ? 1 : v == 0 ? x->dim[i] : v;
        if (c->dim[i] > 1 && n > DIM_MAX / c->dim[i])
            return sn_shape_fail(c, "'%s' asks for too many elements",
                                 sn_arg_name(c, 1));
        n *= c->dim[i];
    }
    if (wild >= 0 && n > 0 && left % n == 0)
        c->dim[wild] = left / n;
    else if (wild >= 0 || n != left)
        return sn_shape_fail(c, "%lld elements do not fit into '%s'",
                             (long long)left, sn_arg_name(c, 1));
    return true;
}

/* Two operands of a concatenation agree in all axes but one. */
static bool
concat_fits(const SnShape *x, const SnShape *y, int64_t axis)
{
    for (int i = 0; i < x->rank && x->rank == y->rank; i++)
        if (i != axis && x->dim[i] != y->dim[i])
            return false;
    return x->rank == y->rank;
}

bool
sn_shape_concat(SnShapeCall *c)
{
    int64_t axis = sn_arg_int(c, 1, 0), given = axis;
    uint32_t first, count;
    const SnShape *x;

    if (!sn_arg_shape(c, 0, -1, &x))
        return false;
    if (x->rank == 0 || !sn_axis_ok(&axis, x->rank))
        return sn_shape_fail(c, "there is no axis %lld in %d dimensions",
                             (long long)given, x->rank);
    sn_shape_like(c, x);
    sn_port_slots(c->d, c->nin, (uint32_t)c->sem->arg[0].v, &first, &count);
    for (uint32_t s = first + 1; s < first + count; s++) {
        if (!c->in[s] || !concat_fits(x, c->in[s], axis))
            return sn_shape_fail(
                c, "operand %u differs from the first beyond axis %lld",
                s - first + 1, (long long)axis);
        c->dim[axis] += c->in[s]->dim[axis];
        if (c->dim[axis] > DIM_MAX)
            return sn_shape_fail(c, "the result is too large");
    }
    return true;
}

bool
sn_shape_slice(SnShapeCall *c)
{
    SnInts start, size, step;
    const SnShape *x;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, x->rank, 0, DIM_MAX, &start) ||
        !sn_arg_ints(c, 2, x->rank, 0, DIM_MAX, &size) ||
        !sn_arg_ints(c, 3, x->rank, -DIM_MAX, DIM_MAX, &step))
        return false;
    c->rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        int64_t n = size.v[i], s = start.v[i], d = x->dim[i];
        int64_t by = step.v[i] < 0 ? -step.v[i] : step.v[i];
        int64_t room = step.v[i] < 0 ? s : d - 1 - s;
        if (by == 0)
            return sn_shape_fail(c, "'%s' holds a 0", sn_arg_name(c, 3));
        if (n > 0 && (s >= d || (n - 1) > room / by))
            return sn_shape_fail(
                c, "axis %d: %lld elements from %lld by %lld leave [0, %lld)",
                i, (long long)n, (long long)s, (long long)step.v[i],
                (long long)d);
        c->dim[i] = n;
    }
    return true;
}

bool
sn_shape_tile(SnShapeCall *c)
{
    const SnShape *x;
    SnInts repeats;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, x->rank, 0, DIM_MAX, &repeats))
        return false;
    c->rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        if (x->dim[i] > 0 && repeats.v[i] > DIM_MAX / x->dim[i])
            return sn_shape_fail(c, "the result is too large");
        c->dim[i] = x->dim[i] * repeats.v[i];
    }
    return true;
}

bool
sn_shape_flip(SnShapeCall *c)
{
    const SnShape *x;
    unsigned seen = 0;
    SnInts axes;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, -1, -x->rank, x->rank - 1, &axes))
        return false;
    for (uint32_t i = 0; i < axes.n; i++) {
        int64_t axis = axes.v[i];
        if (!sn_axis_ok(&axis, x->rank) || (seen >> axis & 1))
            return sn_shape_fail(c, "'%s' names axis %lld twice",
                                 sn_arg_name(c, 1), (long long)axes.v[i]);
        seen |= 1u << axis;
    }
    sn_shape_like(c, x);
    return true;
}

/* Space to depth and its inverse, on NHWC images. */
bool
sn_shape_block(SnShapeCall *c)
{
    int64_t block = sn_arg_int(c, 1, 0);
    bool inverse = sn_arg_int(c, 2, 0) != 0;
    const SnShape *x;

    if (!sn_arg_shape(c, 0, 4, &x))
        return false;
    if (block < 1 || block > 1 << 15)
        return sn_shape_fail(c, "'%s' is %lld, outside [1, 32768]",
                             sn_arg_name(c, 1), (long long)block);
    sn_shape_like(c, x);
    for (int i = inverse ? 3 : 1; i < (inverse ? 4 : 3); i++) {
        int64_t by = inverse ? block * block : block;
        if (x->dim[i] % by != 0)
            return sn_shape_fail(c, "axis %d: %lld is no multiple of %lld", i,
                                 (long long)x->dim[i], (long long)by);
        c->dim[i] = x->dim[i] / by;
    }
    for (int i = inverse ? 1 : 3; i < (inverse ? 3 : 4); i++) {
        int64_t by = inverse ? block : block * block;
        if (x->dim[i] > DIM_MAX / by)
            return sn_shape_fail(c, "the result is too large");
        c->dim[i] = x->dim[i] * by;
    }
    return true;
}

/* Negative pads crop.  A mirror needs one element beyond what it shows, an
 * edge needs an element at all. */
bool
sn_shape_pad(SnShapeCall *c)
{
    const char *mode = sn_arg_word(c, 2, "constant");
    bool edge = !strcmp(mode, "edge"), mirror = !strcmp(mode, "reflect");
    const SnShape *x;
    SnInts pads;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, 2 * x->rank, -DIM_MAX, DIM_MAX, &pads))
        return false;
    c->rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        int64_t d = x->dim[i], b = pads.v[i], a = pads.v[i + x->rank];
        int64_t most = !edge && !mirror ? DIM_MAX
                       : d == 0         ? 0
                       : edge           ? DIM_MAX
                                        : d - 1;
        if (b < -d || a < -d || d + b + a < 0)
            return sn_shape_fail(c, "axis %d: %lld elements cropped by %lld", i,
                                 (long long)d,
                                 (long long)(b < 0 && a < 0 ? -b - a
                                             : b < 0        ? -b
                                                            : -a));
        if (b > most || a > most)
            return sn_shape_fail(
                c, "axis %d: %lld elements are too few to pad by %lld", i,
                (long long)d, (long long)(b > a ? b : a));
        c->dim[i] = d + b + a;
    }
    return true;
}

bool
sn_shape_gather(SnShapeCall *c)
{
    int64_t axis = sn_arg_int(c, 2, 0), given = axis;
    const SnShape *x, *index;

    if (!sn_arg_shape(c, 0, -1, &x) || !sn_arg_shape(c, 1, -1, &index))
        return false;
    if (x->rank == 0 || !sn_axis_ok(&axis, x->rank))
        return sn_shape_fail(c, "there is no axis %lld in %d dimensions",
                             (long long)given, x->rank);
    if (x->rank - 1 + index->rank > SN_MAXRANK)
        return sn_shape_fail(c, "the result has %d dimensions; the limit is %d",
                             x->rank - 1 + index->rank, SN_MAXRANK);
    for (int i = 0; i < axis; i++)
        c->dim[c->rank++] = x->dim[i];
    for (int i = 0; i < index->rank; i++)
        c->dim[c->rank++] = index->dim[i];
    for (int64_t i = axis + 1; i < x->rank; i++)
        c->dim[c->rank++] = x->dim[i];
    return true;
}

/* No scales: the ratio of the dimensions. */
bool
sn_shape_nearest(SnShapeCall *c)
{
    const SnShape *x;
    SnReals scale;
    SnInts dims;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, x->rank, 0, DIM_MAX, &dims) ||
        !sn_arg_reals(c, 2, &scale))
        return false;
    if (scale.n > 0 && scale.n != dims.n)
        return sn_shape_fail(c, "'%s' must have %u numbers, not %u",
                             sn_arg_name(c, 2), (unsigned)dims.n,
                             (unsigned)scale.n);
    c->rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        if (scale.n > 0 && (!(scale.v[i] > 0) || isinf(scale.v[i])))
            return sn_shape_fail(c, "'%s' must be positive and finite",
                                 sn_arg_name(c, 2));
        if (x->dim[i] == 0 && dims.v[i] > 0)
            return sn_shape_fail(c, "axis %d is empty", i);
        c->dim[i] = dims.v[i];
    }
    return true;
}
