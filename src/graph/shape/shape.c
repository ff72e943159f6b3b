// SPDX-License-Identifier: Apache-2.0
/* Shapes of results: the driver, its access to a map's arguments, and the
 * maps that need little. */
#include "graph/shape/shape_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph_priv.h"

bool
sn_shape_fail(SnShapeCall *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->why, SN_WHY, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- arguments ---- */

const char *
sn_arg_name(const SnShapeCall *c, unsigned i)
{
    const SnArg *g = &c->sem->arg[i];

    if (i >= c->sem->narg)
        return "a missing argument";
    return g->kind == SN_ARG_PORT   ? c->d->in[g->v].name
           : g->kind == SN_ARG_ATTR ? c->d->attr[g->v].name
                                    : "a number";
}

bool
sn_arg_shape(SnShapeCall *c, unsigned i, int rank, const SnShape **s)
{
    const SnArg *g = &c->sem->arg[i];
    uint32_t first = 0, count = 0;

    if (i < c->sem->narg && g->kind == SN_ARG_PORT)
        sn_port_slots(c->d, c->nin, (uint32_t)g->v, &first, &count);
    if (count == 0 || !c->in[first])
        return sn_shape_fail(c, "operand '%s' is missing", sn_arg_name(c, i));
    *s = c->in[first];
    if (rank < 0 || (*s)->rank == rank)
        return true;
    return sn_shape_fail(c, "operand '%s' must have %d dimensions, not %d",
                         sn_arg_name(c, i), rank, (*s)->rank);
}

int64_t
sn_arg_int(const SnShapeCall *c, unsigned i, int64_t dflt)
{
    const SnArg *g = &c->sem->arg[i];

    if (i >= c->sem->narg)
        return dflt;
    if (g->kind != SN_ARG_ATTR)
        return g->v;
    const SnAttrDesc *at = &c->d->attr[g->v];
    const void *p = sn_attr_at(c->attr, at);
    switch (at->kind) {
    case SN_A_INT:
        return *(const int64_t *)p;
    case SN_A_BOOL:
        return *(const bool *)p;
    case SN_A_ENUM:
        return *(const int32_t *)p;
    default:
        return dflt;
    }
}

bool
sn_arg_ints(SnShapeCall *c, unsigned i, int n, int64_t lo, int64_t hi,
            SnInts *v)
{
    const SnArg *g = &c->sem->arg[i];

    if (i >= c->sem->narg || g->kind == SN_ARG_PORT)
        return sn_shape_fail(c, "the map lacks its argument %u", i + 1);
    if (g->kind == SN_ARG_ATTR && c->d->attr[g->v].kind == SN_A_INTS) {
        *v = *(const SnInts *)sn_attr_at(c->attr, &c->d->attr[g->v]);
    } else {
        c->one = sn_arg_int(c, i, 0);
        *v = (SnInts){1, &c->one};
    }
    if (n >= 0 && v->n != (uint32_t)n)
        return sn_shape_fail(c, "'%s' must have %d numbers, not %u",
                             sn_arg_name(c, i), n, (unsigned)v->n);
    for (uint32_t k = 0; k < v->n; k++)
        if (v->v[k] < lo || v->v[k] > hi)
            return sn_shape_fail(c, "'%s' holds %lld, outside [%lld, %lld]",
                                 sn_arg_name(c, i), (long long)v->v[k],
                                 (long long)lo, (long long)hi);
    return true;
}

bool
sn_arg_reals(SnShapeCall *c, unsigned i, SnReals *v)
{
    const SnArg *g = &c->sem->arg[i];

    if (i >= c->sem->narg || g->kind != SN_ARG_ATTR ||
        c->d->attr[g->v].kind != SN_A_REALS)
        return sn_shape_fail(c, "the map lacks its argument %u", i + 1);
    *v = *(const SnReals *)sn_attr_at(c->attr, &c->d->attr[g->v]);
    return true;
}

const char *
sn_arg_word(const SnShapeCall *c, unsigned i, const char *dflt)
{
    const SnArg *g = &c->sem->arg[i];

    if (i >= c->sem->narg || g->kind != SN_ARG_ATTR ||
        c->d->attr[g->v].kind != SN_A_ENUM)
        return dflt;
    const SnAttrDesc *at = &c->d->attr[g->v];
    return at->words[*(const int32_t *)sn_attr_at(c->attr, at)];
}

void
sn_shape_like(SnShapeCall *c, const SnShape *s)
{
    c->rank = s->rank;
    memcpy(c->dim, s->dim, sizeof c->dim);
}

/* ---- maps ---- */

static bool
shape_each(SnShapeCall *c)
{
    const SnShape *x;

    if (!sn_arg_shape(c, 0, -1, &x))
        return false;
    sn_shape_like(c, x);
    return true;
}

static bool
shape_fill(SnShapeCall *c)
{
    SnInts dims;

    if (!sn_arg_ints(c, 0, -1, 0, INT64_MAX, &dims))
        return false;
    if (dims.n > SN_MAXRANK)
        return sn_shape_fail(c, "'%s' has %u dimensions; the limit is %d",
                             sn_arg_name(c, 0), (unsigned)dims.n, SN_MAXRANK);
    c->rank = (int)dims.n;
    for (int i = 0; i < c->rank; i++)
        c->dim[i] = dims.v[i];
    return true;
}

bool
sn_shape_join(SnShapeCall *c, const int64_t *dim, int rank)
{
    if (rank > c->rank) {
        int more = rank - c->rank;
        memmove(c->dim + more, c->dim, (size_t)c->rank * sizeof *c->dim);
        for (int i = 0; i < more; i++)
            c->dim[i] = 1;
        c->rank = rank;
    }
    for (int i = 0; i < rank; i++) {
        int64_t *y = &c->dim[c->rank - rank + i];
        if (*y == dim[i] || dim[i] == 1)
            continue;
        if (*y != 1)
            return sn_shape_fail(c, "cannot broadcast %lld against %lld",
                                 (long long)*y, (long long)dim[i]);
        *y = dim[i];
    }
    return true;
}

static bool
shape_broadcast(SnShapeCall *c)
{
    for (unsigned i = 0; i < c->sem->narg; i++) {
        const SnArg *g = &c->sem->arg[i];
        uint32_t first, count;
        if (g->kind != SN_ARG_PORT)
            continue;
        sn_port_slots(c->d, c->nin, (uint32_t)g->v, &first, &count);
        for (uint32_t s = first; s < first + count; s++)
            if (c->in[s] && !sn_shape_join(c, c->in[s]->dim, c->in[s]->rank))
                return false;
    }
    return true;
}

/* Argument i as an axis of a shape with this rank. */
static bool
arg_axis(SnShapeCall *c, unsigned i, int rank, int64_t *axis)
{
    *axis = sn_arg_int(c, i, -1);
    int64_t given = *axis;
    if (rank > 0 && sn_axis_ok(axis, rank))
        return true;
    return sn_shape_fail(c, "there is no axis %lld in %d dimensions",
                         (long long)given, rank);
}

static bool
shape_row(SnShapeCall *c)
{
    int64_t axis;

    return shape_each(c) && arg_axis(c, 1, c->rank, &axis);
}

/* No axes at all means every axis, as in ONNX. */
static bool
shape_reduce(SnShapeCall *c)
{
    bool drop[SN_MAXRANK] = {false};
    const SnShape *x;
    SnInts axes;

    if (!sn_arg_shape(c, 0, -1, &x) ||
        !sn_arg_ints(c, 1, -1, -x->rank, x->rank - 1, &axes))
        return false;
    for (uint32_t k = 0; k < axes.n; k++) {
        int64_t axis = axes.v[k];
        if (!sn_axis_ok(&axis, x->rank) || drop[axis])
            return sn_shape_fail(c, "'%s' names axis %lld twice",
                                 sn_arg_name(c, 1), (long long)axes.v[k]);
        drop[axis] = true;
    }
    /* As of a window: nothing has no largest element and no mean.  Where there
     * is no result none is asked for. */
    int none = -1;
    bool wanted = c->sem->nonempty;
    for (int i = 0; i < x->rank; i++) {
        if (drop[i] || axes.n == 0)
            none = none < 0 && x->dim[i] == 0 ? i : none;
        else
            wanted &= x->dim[i] > 0;
    }
    if (wanted && none >= 0)
        return sn_shape_fail(c, "axis %d of '%s' has no element to reduce",
                             none, sn_arg_name(c, 0));
    for (int i = 0; i < x->rank; i++) {
        if (!drop[i] && axes.n > 0)
            c->dim[c->rank++] = x->dim[i];
        else if (sn_arg_int(c, 2, 1))
            c->dim[c->rank++] = 1;
    }
    return true;
}

static bool
shape_window_channel(SnShapeCall *c)
{
    if (!shape_each(c))
        return false;
    if (c->rank < 1)
        return sn_shape_fail(c, "operand '%s' needs at least one dimension",
                             sn_arg_name(c, 0));
    if (sn_arg_int(c, 1, 0) < 1)
        return sn_shape_fail(c, "'%s' must be positive", sn_arg_name(c, 1));
    return true;
}

static bool
shape_table(SnShapeCall *c)
{
    const SnShape *t;

    return shape_each(c) && sn_arg_shape(c, 1, 1, &t);
}

/* Bag i is index[offset[i] .. offset[i + 1]), so there is one offset more
 * than there are bags; without offsets it is row i of index. */
static bool
shape_bag(SnShapeCall *c)
{
    const SnShape *t, *index, *offset;

    bool rows = c->sem->narg < 3;

    if (!sn_arg_shape(c, 0, 2, &t) || !sn_arg_shape(c, 1, rows ? 2 : 1, &index))
        return false;
    c->rank = 2;
    c->dim[1] = t->dim[1];
    c->dim[0] = index->dim[0];
    if (rows)
        return true;
    if (!sn_arg_shape(c, 2, 1, &offset))
        return false;
    if (offset->dim[0] < 1)
        return sn_shape_fail(c, "operand '%s' needs at least one element",
                             sn_arg_name(c, 2));
    c->dim[0] = offset->dim[0] - 1;
    return true;
}

static bool
shape_topk(SnShapeCall *c)
{
    int64_t axis, k = sn_arg_int(c, 1, 0);

    if (!shape_each(c) || !arg_axis(c, 2, c->rank, &axis))
        return false;
    if (k < 0 || k > c->dim[axis])
        return sn_shape_fail(c, "'%s' is %lld, but axis %lld has %lld elements",
                             sn_arg_name(c, 1), (long long)k, (long long)axis,
                             (long long)c->dim[axis]);
    c->dim[axis] = k;
    return true;
}

static bool
shape_none(SnShapeCall *c)
{
    return sn_shape_fail(c, "%s says nothing about the shape of its results",
                         c->d->name);
}

static SnShapeFn *const maps[SN_NMAP] = {
    [SN_MAP_NONE] = shape_none,
    [SN_MAP_EACH] = shape_each,
    [SN_MAP_FILL] = shape_fill,
    [SN_MAP_BROADCAST] = shape_broadcast,
    [SN_MAP_CONV] = sn_shape_conv,
    [SN_MAP_CONV_TRANSPOSE] = sn_shape_conv_transpose,
    [SN_MAP_MATMUL] = sn_shape_matmul,
    [SN_MAP_POOL] = sn_shape_pool,
    [SN_MAP_ROW] = shape_row,
    [SN_MAP_REDUCE] = shape_reduce,
    [SN_MAP_WINDOW_CHANNEL] = shape_window_channel,
    [SN_MAP_PERMUTE] = sn_shape_permute,
    [SN_MAP_RESHAPE] = sn_shape_reshape,
    [SN_MAP_CONCAT] = sn_shape_concat,
    [SN_MAP_SLICE] = sn_shape_slice,
    [SN_MAP_TILE] = sn_shape_tile,
    [SN_MAP_FLIP] = sn_shape_flip,
    [SN_MAP_BLOCK] = sn_shape_block,
    [SN_MAP_PAD] = sn_shape_pad,
    [SN_MAP_GATHER] = sn_shape_gather,
    [SN_MAP_NEAREST] = sn_shape_nearest,
    [SN_MAP_TABLE] = shape_table,
    [SN_MAP_BAG] = shape_bag,
    [SN_MAP_TOPK] = shape_topk,
};

/* What is pinned to the accumulator of a sum of products (its bias) has one
 * element for each output channel, the last axis of the result. */
static bool
channels_ok(SnShapeCall *c)
{
    if (c->sem->cls != SN_C_CONTRACT || c->rank == 0)
        return true;
    for (uint32_t port = 0; port < c->d->nin; port++) {
        uint32_t first, count;
        if (c->d->in[port].fact != SN_PIN)
            continue;
        sn_port_slots(c->d, c->nin, port, &first, &count);
        const SnShape *s = count ? c->in[first] : NULL;
        int64_t n = c->dim[c->rank - 1];
        if (s && (s->rank != 1 || s->dim[0] != n))
            return sn_shape_fail(c,
                                 "operand '%s' must have %lld elements, one "
                                 "for each output channel",
                                 c->d->in[port].name, (long long)n);
    }
    return true;
}

bool
sn_infer_shapes(SnPool *p, const SnKindDesc *d, const void *attr, uint32_t nin,
                const SnShape *const *in, const SnShape **out, char *why)
{
    why[0] = '\0';
    for (uint32_t k = 0; k < d->nout; k++) {
        SnShapeCall c = {.d = d,
                         .attr = attr,
                         .nin = nin,
                         .in = in,
                         .sem = &d->sem[k],
                         .why = why};
        if (!maps[c.sem->map](&c) || !channels_ok(&c))
            return false;
        out[k] = sn_shape(p, c.rank, c.dim);
        if (!out[k])
            return sn_shape_fail(&c, "result '%s' is too large",
                                 d->out[k].name);
    }
    return true;
}
