// SPDX-License-Identifier: Apache-2.0
/* sink Reshape: a Reshape above a node that takes its elements as they come
 * moves below it (lemma L1).  A node that works along one axis finds an axis
 * with as many elements before and after it. */
#include "graph/map_args.h"
#include "map/facts.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kind_reshape.h"
#include "sn_kind_splat.h"

static const SnShape *
before(const SnGraph *g, SnId t)
{
    return sn_shape_of(g, sn_in(g, t, 0));
}

/* Of operands laid end to end the axis decides. */
static bool
alike(const SnGraph *g, SnId a, SnId b)
{
    return before(g, a)->rank == before(g, b)->rank &&
           sn_shape_of(g, SN_REF(a, 0))->rank ==
               sn_shape_of(g, SN_REF(b, 0))->rank;
}

static int64_t
count(const SnShape *s, int from, int to)
{
    int64_t n = 1;

    for (int i = from; i < to; i++)
        n *= s->dim[i];
    return n;
}

/* Is axis k of x what axis `axis` of y is? */
static bool
same_axis(const SnShape *x, int k, const SnShape *y, int axis)
{
    return x->dim[k] == y->dim[axis] && count(x, 0, k) == count(y, 0, axis) &&
           count(x, k + 1, x->rank) == count(y, axis + 1, y->rank) &&
           sn_shape_count(x) > 0;
}

/* The axis above the Reshapes that is `axis` below them, or -1. */
static int
axis_above(const SnGraph *g, const SnNode *n, int axis)
{
    const SnShape *x0 = before(g, SN_NODE(n->in[0].ref));

    for (int k = 0; k < x0->rank; k++) {
        bool ok = true;
        for (uint32_t s = 0; ok && s < n->nin; s++) {
            const SnShape *x = before(g, SN_NODE(n->in[s].ref));
            ok = same_axis(x, k, sn_shape_of(g, n->in[s].ref), axis);
            for (int i = 0; ok && i < x->rank; i++)
                ok = i == k || x->dim[i] == x0->dim[i];
        }
        if (ok)
            return k;
    }
    return -1;
}

/* A Constant beside the Reshape that means the same above it: one number, or
 * along last axes that the Reshape leaves. */
static bool
stays(const SnGraph *g, SnRef c, const SnShape *x, const SnShape *y)
{
    const SnShape *s = sn_shape_of(g, c);

    if (s->rank > x->rank || sn_type(g, c)->nq > 1)
        return false;
    if (sn_shape_count(s) == 1)
        return true;
    for (int i = 1; i <= s->rank; i++)
        if (i > y->rank || x->dim[x->rank - i] != y->dim[y->rank - i])
            return false;
    return true;
}

/* Why operands by broadcasting do not agree, or NULL. */
static const char *
shapes_why(const SnGraph *g, SnId id, SnId t)
{
    const SnNode *n = sn_node(g, id);
    const SnShape *y = n->res[0].shape, *x = before(g, t);

    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        if (sn_kind(g, v) == SN_K_RESHAPE) {
            if (!sn_shape_equal(sn_shape_of(g, v), y) ||
                !sn_shape_equal(before(g, SN_NODE(v)), x))
                return "the operands have other shapes";
        } else if ((!sn_def(g, v)->data && sn_kind(g, v) != SN_K_SPLAT) ||
                   !stays(g, v, x, y)) {
            return "another operand is neither a Reshape nor a Constant whose "
                   "axes stay";
        }
    }
    return NULL;
}

/* The node as it is above the Reshapes: e.  Returns why it cannot be. */
static const char *
raised(const SnGraph *g, SnId id, SnId t, SnEdit *e)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnSem *s = &d->sem[0];

    if (sn_map_regroups(s->decl)) {
        uint32_t given;
        const SnArg *arg =
            sn_map_param_args(s, sn_map_axis_param(s->decl), &given);
        if (!given || arg->kind != SN_ARG_ATTR ||
            d->attr[arg->v].kind != SN_A_INT)
            return "its axis is not a number";
        const SnAttrDesc *ad = &d->attr[arg->v];
        for (uint32_t i = 0; i < n->nin; i++)
            if (sn_kind(g, n->in[i].ref) != SN_K_RESHAPE)
                return "another operand is not a Reshape";
        int64_t *axis = sn_attr_at(e->attr, ad);
        int rank = n->res[0].shape->rank;
        int k = axis_above(g, n, (int)(*axis < 0 ? *axis + rank : *axis));
        if (k < 0)
            return "no axis above has as many elements before and after it";
        *axis = k;
    } else if (sn_map_repeats(s->decl)) {
        const char *why = shapes_why(g, id, t);
        if (why)
            return why;
    }
    for (uint32_t i = 0; i < n->nin; i++)
        if (sn_kind(g, n->in[i].ref) == SN_K_RESHAPE)
            e->in[i] = sn_in(g, SN_NODE(n->in[i].ref), 0);
    return NULL;
}

bool
sn_regroup(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    const SnNode *n = sn_node(g, id);
    SnAbove a = {g,
                 id,
                 SN_K_RESHAPE,
                 join,
                 alike,
                 false,
                 "the Reshapes have other ranks"};
    SnId t = 0;
    const char *why = sn_above_barred(&a, id);

    if (!why)
        why = sn_above(&a, &t);
    if (!why && !t)
        return false;
    SnEdit e = sn_edit(g, id);
    if (!why)
        why = raised(g, id, t, &e);
    if (why)
        return sn_above_declined(&a, rw, rule, why);
    if (!sn_fire(rw, rule, g, id))
        return false;
    /* As of a Transpose: the node keeps its name.  So does the Reshape where
     * what is below is the same real. */
    const char *name = sn_name(g, SN_REF(id, 0));
    const char *own = sn_name(g, SN_REF(t, 0));
    bool same = sn_desc(n->kind)->sem[0].cls == SN_C_CONVERT;
    SnEdit below = sn_edit(g, t);
    if (!sn_shape_equal(n->res[0].shape, sn_shape_of(g, SN_REF(t, 0))))
        ((SnReshapeAttr *)below.attr)->dims =
            sn_dims(g->arena, n->res[0].shape);
    e.name = sn_format(g->arena, "%s.n", name);
    below.name = sn_format(g->arena, "%s.s", name);
    below.type[0] = n->res[0].type;
    SnId m = sn_edit_add(g, &e);
    below.in[0] = SN_REF(m, 0);
    SnId r = sn_edit_add(g, &below);
    sn_fired(rw, g, SN_REF(id, 0), SN_REF(r, 0));
    if (!sn_fire_end(rw, g))
        return true; /* the next visit declines */
    sn_rename(g, SN_REF(r, 0),
              same && sn_node(g, t)->dead ? own
                                          : sn_format(g->arena, "%s.s", name));
    sn_rename(g, SN_REF(m, 0), name);
    return true;
}
