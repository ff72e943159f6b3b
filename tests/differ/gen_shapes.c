// SPDX-License-Identifier: Apache-2.0
/* Operators that move elements, in all three forms. */
#include "gen.h"

#include <math.h>
#include <string.h>

/* An operand: codes as they are in a QOperator model, else floats. */
static int
operand(Gen *g, int v)
{
    return g->form == GEN_QOP ? v : gen_real(g, v);
}

static bool
moved(Gen *g, DmNode *n, int from)
{
    int out = n->out;

    if (g->form != GEN_QOP)
        return gen_result(g, n);
    g->m->val[out].scale = g->m->val[from].scale;
    g->m->val[out].zp = g->m->val[from].zp;
    if (!gen_done(g))
        return false;
    gen_keep(g, out);
    return true;
}

static int
small(Gen *g, int rank, const int64_t *dim, int64_t lo, int64_t hi)
{
    int64_t n = sn_dims_count(rank, dim);
    int64_t *p = SN_NEW_N(g->m->a, int64_t, n);

    for (int64_t i = 0; i < n; i++)
        p[i] = gen_in(g, lo, hi);
    return gen_const(g, SN_D_I64, rank, dim, p);
}

/* ---- Resize ---- */

/* The sizes or factors of the last two dimensions. */
static void
resize_to(Gen *g, DmNode *n, const SnData *t, bool half)
{
    static const float by[] = {1, 2, 3, 0.5F, 1.5F, 4};
    float f[4] = {1, 1, 1, 1};
    int64_t size[4], four = 4;

    dm_in(n, -1);
    if (half && gen_chance(g, 2)) {
        for (int i = 0; i < 4; i++)
            size[i] = i < 2 ? t->dim[i] : gen_in(g, 1, 2 * t->dim[i] + 2);
        dm_in(n, -1);
        dm_in(n, dm_i64s(g->m, 4, size));
        return;
    }
    for (int i = 2; i < 4; i++)
        do
            f[i] = by[gen_below(g, sizeof by / sizeof *by)];
        while (floorf(f[i] * (float)t->dim[i]) < 1);
    dm_in(n, gen_const(g, SN_D_F32, 1, &four, f));
}

bool
gen_resize(Gen *g, const char *op)
{
    static const char *const where[] = {"half_pixel", "asymmetric",
                                        "align_corners", "pytorch_half_pixel"};
    static const char *const round[] = {"round_prefer_floor", "floor", "ceil",
                                        "round_prefer_ceil"};
    int v = gen_pick(g, 4), x = operand(g, v);
    uint32_t mode = g->form == GEN_QOP ? 0 : gen_below(g, 3);
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    resize_to(g, n, &g->m->val[v].data, mode > 0);
    dm_text(n, "mode", mode == 0 ? "nearest" : mode == 1 ? "linear" : "cubic");
    if (mode == 0)
        dm_text(n, "nearest_mode", round[gen_below(g, 4)]);
    dm_text(n, "coordinate_transformation_mode", where[gen_below(g, 4)]);
    return moved(g, n, v);
}

/* ---- the order of elements ---- */

/* A value with a dimension of 1, and where that is. */
static int
with_one(Gen *g, int64_t *axis)
{
    int64_t dim[3] = {gen_in(g, 1, 5), gen_in(g, 1, 5), gen_in(g, 1, 5)};

    *axis = gen_below(g, 3);
    dim[*axis] = 1;
    return gen_input(g, 3, dim);
}

/* Flatten, Squeeze, Unsqueeze, Identity, Expand, Tile. */
bool
gen_shuffle(Gen *g, const char *op)
{
    bool squeeze = strcmp(op, "Squeeze") == 0;
    int64_t axis, dim[SN_DATA_MAXRANK + 1];
    int v = squeeze ? with_one(g, &axis) : gen_pick(g, 0);
    int x = operand(g, v);
    const SnData *t = &g->m->val[v].data;
    DmNode *n;

    if (!squeeze)
        axis = gen_below(g, (uint32_t)t->rank);

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (strcmp(op, "Flatten") == 0)
        dm_int(n, "axis", axis - (gen_chance(g, 2) ? t->rank : 0));
    if (squeeze || strcmp(op, "Unsqueeze") == 0)
        dm_in(n, dm_i64s(g->m, 1, &axis));
    if (strcmp(op, "Expand") == 0) {
        dim[0] = gen_in(g, 1, 3);
        for (int i = 0; i < t->rank; i++)
            dim[1 + i] = gen_chance(g, 2) ? 1 : t->dim[i];
        if (gen_chance(g, 2))
            dm_in(n, dm_i64s(g->m, t->rank, dim + 1));
        else
            dm_in(n, dm_i64s(g->m, t->rank + 1, dim));
    }
    if (strcmp(op, "Tile") == 0) {
        for (int i = 0; i < t->rank; i++)
            dim[i] = gen_in(g, 1, 2);
        dm_in(n, dm_i64s(g->m, t->rank, dim));
    }
    return moved(g, n, v);
}

/* DepthToSpace and SpaceToDepth. */
bool
gen_blocks(Gen *g, const char *op)
{
    bool depth = strcmp(op, "DepthToSpace") == 0;
    int64_t b = gen_in(g, 1, 3),
            dim[4] = {1, gen_in(g, 1, 3), gen_in(g, 1, 4), gen_in(g, 1, 4)};
    int v, x;
    DmNode *n;

    for (int i = 0; i < 2; i++)
        if (depth)
            dim[1] *= b;
        else
            dim[2 + i] *= b;
    v = gen_input(g, 4, dim);
    x = operand(g, v);
    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_int(n, "blocksize", b);
    if (depth && gen_chance(g, 2))
        dm_text(n, "mode", "CRD");
    return moved(g, n, v);
}

/* Gather and GatherElements, from either end. */
bool
gen_gather(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = operand(g, v), rank = (int)gen_below(g, 3);
    const SnData *t = &g->m->val[v].data;
    int axis = (int)gen_below(g, (uint32_t)t->rank);
    int64_t dim[SN_DATA_MAXRANK] = {gen_in(g, 1, 4), gen_in(g, 1, 3)};
    DmNode *n;

    if (x < 0)
        return false;
    if (strcmp(op, "GatherElements") == 0) {
        rank = t->rank;
        memcpy(dim, t->dim, sizeof dim);
        dim[axis] = gen_in(g, 1, 5);
    }
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, small(g, rank, dim, -t->dim[axis], t->dim[axis] - 1));
    dm_int(n, "axis", axis);
    return moved(g, n, v);
}

/* Split into two, of which one is the result. */
bool
gen_split(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = operand(g, v), axis, y;
    const SnData *t = &g->m->val[v].data;
    int64_t size[2];
    DmNode *n;

    axis = (int)gen_below(g, (uint32_t)t->rank);
    if (x < 0 || t->dim[axis] < 2)
        return false;
    size[0] = gen_in(g, 1, t->dim[axis] - 1);
    size[1] = t->dim[axis] - size[0];
    n = dm_node(g->m, "", op);
    y = dm_more(g->m, n);
    if (gen_chance(g, 2)) {
        n->more[0] = n->out;
        g->m->out = n->out = y;
    }
    dm_in(n, x);
    dm_in(n, dm_i64s(g->m, 2, size));
    dm_int(n, "axis", axis);
    return moved(g, n, v);
}

/* ArgMax, ArgMin and TopK: ranks, and the values of TopK. */
bool
gen_order(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = operand(g, v), y;
    const SnData *t = &g->m->val[v].data;
    int axis = (int)gen_below(g, (uint32_t)t->rank);
    int64_t k = gen_in(g, 1, t->dim[axis]);
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_int(n, "axis", axis);
    if (strcmp(op, "TopK") != 0) {
        dm_int(n, "keepdims", gen_chance(g, 2));
        dm_int(n, "select_last_index", gen_chance(g, 2));
        return gen_done(g);
    }
    y = dm_more(g->m, n);
    dm_in(n, dm_i64s(g->m, 1, &k));
    dm_int(n, "largest", gen_chance(g, 2));
    if (gen_chance(g, 2))
        return moved(g, n, v);
    g->m->out = y;
    return gen_done(g);
}

/* CumSum and Trilu. */
bool
gen_cumulate(Gen *g, const char *op)
{
    bool sum = strcmp(op, "CumSum") == 0;
    int v = gen_pick(g, gen_chance(g, 2) ? 2 : 4), x = operand(g, v);
    int64_t axis = gen_below(g, (uint32_t)g->m->val[v].data.rank);
    int64_t off = gen_in(g, -3, 3);
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, gen_const(g, SN_D_I64, 0, NULL, sum ? &axis : &off));
    if (!sum)
        dm_int(n, "upper", gen_chance(g, 2));
    for (int i = 0; sum && i < 2; i++)
        if (gen_chance(g, 2))
            dm_int(n, i == 0 ? "exclusive" : "reverse", 1);
    return moved(g, n, v);
}
