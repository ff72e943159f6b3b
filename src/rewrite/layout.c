// SPDX-License-Identifier: Apache-2.0
/* sink Transpose: a Transpose above a node moves below it (lemma L1: a move
 * commutes with every per-element function).  Axis arguments of the node's
 * map are renumbered; Constants beside the Transpose are transposed back. */
#include <string.h>
#include "graph/axes.h"
#include "graph/list.h"
#include "kernel/eval/eval.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kind_constant.h"
#include "sn_kind_reshape.h"
#include "sn_kind_transpose.h"

static SnInts
perm_of(const SnGraph *g, SnId t)
{
    return sn_transpose_attr(g, t)->perm;
}

static SnRef
empty_back(SnGraph *g, SnRef c, SnInts perm, const int64_t *full)
{
    int64_t dim[SN_MAXRANK];
    const SnType *t = sn_type(g, c);

    for (uint32_t i = 0; i < perm.n; i++)
        dim[perm.v[i]] = full[i];
    SnSpec s = {.kind = SN_K_CONSTANT,
                .name = sn_name(g, c),
                .type = &t,
                .shape = sn_shape(g->pool, (int)perm.n, dim),
                .data = sn_def(g, c)->data};
    return SN_REF(sn_add(g, &s, NULL), 0);
}

/* A Constant beside the Transpose: at full rank, and in the original order.
 * One element needs nothing.  Without elements only the shape is another; a
 * Reshape would take its 0 for "as before". */
static SnRef
constant_back(SnGraph *g, SnRef c, SnInts perm, bool dry)
{
    const SnShape *sh = sn_shape_of(g, c);

    if (sn_shape_count(sh) == 1 && sh->rank <= (int)perm.n)
        return c;
    if (sh->rank > (int)perm.n || sn_type(g, c)->nq > 1 ||
        sn_tensor_nbyte(sn_type(g, c), sh) > SN_EVAL_MOST / 2)
        return 0; /* it is evaluated twice: its shape, and its order */
    if (dry)
        return c;
    int64_t full[SN_MAXRANK], inv[SN_MAXRANK];
    int pad = (int)perm.n - sh->rank;
    for (int i = 0; i < (int)perm.n; i++) {
        full[i] = i < pad ? 1 : sh->dim[i - pad];
        inv[perm.v[i]] = i;
    }
    if (sn_shape_count(sh) == 0)
        return empty_back(g, c, perm, full);
    SnReshapeAttr ra = {.dims = {perm.n, full}};
    SnTransposeAttr ta = {.perm = {perm.n, inv}};
    const SnType *t = sn_type(g, c);
    SnId r = sn_reshape_new(g, NULL, c, &ra, t);
    SnId p = sn_transpose_new(g, NULL, SN_REF(r, 0), &ta, t);
    SnArena *a = sn_arena_new();
    const void *data = sn_eval_const(g, SN_REF(p, 0), a);
    SnSpec s = {.kind = SN_K_CONSTANT,
                .name = sn_name(g, c),
                .type = &t,
                .shape = sn_shape_of(g, SN_REF(p, 0)),
                .data = data};
    SnRef v = SN_REF(sn_add(g, &s, NULL), 0);
    sn_arena_free(a);
    sn_remove(g, p);
    sn_remove(g, r);
    return v;
}

static bool
alike(const SnGraph *g, SnId a, SnId b)
{
    return sn_ints_equal(perm_of(g, a), perm_of(g, b));
}

bool
sn_layout(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnAbove a = {g,
                 id,
                 SN_K_TRANSPOSE,
                 join,
                 alike,
                 true,
                 "the Transposes permute differently"};
    SnId t = 0;
    const char *why = sn_above_barred(&a, id);

    if (!why)
        why = sn_above(&a, &t);
    if (!why && !t)
        return false;
    if (!why && (int)perm_of(g, t).n != n->res[0].shape->rank)
        why = "the result has another rank";
    if (why)
        return sn_above_declined(&a, rw, rule, why);
    SnInts perm = perm_of(g, t);
    SnEdit e = sn_edit(g, id);
    if (!sn_axes_renumber(g->arena, d, e.attr, perm))
        return sn_above_declined(&a, rw, rule,
                                 "its attributes name axes differently");
    why = sn_attrs_where_why(sn_scratch(rw), d, e.attr);
    if (why)
        return sn_above_declined(&a, rw, rule, why);
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        if (sn_kind(g, v) == SN_K_TRANSPOSE)
            e.in[s] = sn_in(g, SN_NODE(v), 0);
        else if (!sn_axes_repeat(d) || !sn_def(g, v)->data ||
                 !constant_back(g, v, perm, true))
            return sn_above_declined(&a, rw, rule,
                                     "another operand is neither a Transpose "
                                     "nor a Constant that can be transposed");
    }
    if (!sn_fire(rw, rule, g, id))
        return false;
    for (uint32_t s = 0; s < n->nin; s++)
        if (sn_kind(g, n->in[s].ref) != SN_K_TRANSPOSE)
            e.in[s] = constant_back(g, n->in[s].ref, perm, false);
    /* The node keeps its name, so that profiles still match; the Transpose
     * below gets one of its own.  Neither takes a numbered name meanwhile:
     * finding a free number is slow when names go back and forth. */
    const char *name = sn_name(g, SN_REF(id, 0));
    e.name = sn_format(g->arena, "%s.n", name);
    SnId m = sn_edit_add(g, &e);
    SnTransposeAttr ta = {.perm = perm};
    SnId below = sn_transpose_new(g, sn_format(g->arena, "%s.t", name),
                                  SN_REF(m, 0), &ta, n->res[0].type);
    sn_fired(rw, g, SN_REF(id, 0), SN_REF(below, 0));
    if (!sn_fire_end(rw, g))
        return true; /* the next visit declines */
    sn_rename(g, SN_REF(below, 0), sn_format(g->arena, "%s.t", name));
    sn_rename(g, SN_REF(m, 0), name);
    return true;
}
