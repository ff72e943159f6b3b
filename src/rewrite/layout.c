// SPDX-License-Identifier: Apache-2.0
/* sink Transpose: a Transpose above a node moves below it (lemma L1: a move
 * commutes with every per-element function).  Axis arguments of the node's
 * map are renumbered; Constants beside the Transpose are transposed back. */
#include <string.h>
#include "kernel/eval/eval.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kinds.h"

/* How an attribute of a map depends on the order of axes. */
typedef enum AxisUse {
    AXIS_NONE,  /* not at all */
    AXIS_INDEX, /* an axis number */
    AXIS_LIST,  /* a list of axis numbers */
    AXIS_EACH,  /* one entry for each axis */
    AXIS_PAIRS  /* all befores, then all afters */
} AxisUse;

static const struct {
    SnMapId map;
    AxisUse arg[SN_MAXARG]; /* by argument position; operands are NONE */
} through[] = {
    {SN_MAP_EACH, {0}},
    {SN_MAP_BROADCAST, {0}},
    {SN_MAP_CONCAT, {0, AXIS_INDEX}},
    {SN_MAP_ROW, {0, AXIS_INDEX}},
    {SN_MAP_SLICE, {0, AXIS_EACH, AXIS_EACH, AXIS_EACH}},
    {SN_MAP_TILE, {0, AXIS_EACH}},
    {SN_MAP_FLIP, {0, AXIS_LIST}},
    {SN_MAP_PAD, {0, AXIS_PAIRS, 0}},
};
enum { NTHROUGH = sizeof through / sizeof *through };

static SnInts
perm_of(const SnGraph *g, SnId t)
{
    return sn_transpose_attr(g, t)->perm;
}

static int64_t
axis_below(SnInts perm, int64_t axis)
{
    return perm.v[axis < 0 ? axis + (int64_t)perm.n : axis];
}

/* Rewrites one attribute from the transposed order to the original one:
 * axis i of the transposed value is axis perm[i] of the original. */
static bool
renumber(SnArena *a, void *at, SnAttrKind kind, AxisUse use, SnInts perm)
{
    if (use == AXIS_NONE)
        return true;
    if (use == AXIS_INDEX) {
        if (kind != SN_A_INT)
            return false;
        *(int64_t *)at = axis_below(perm, *(int64_t *)at);
        return true;
    }
    SnInts *v = at;
    if (kind != SN_A_INTS)
        return false;
    int64_t *w = SN_NEW_N(a, int64_t, v->n + 1);
    uint32_t want = use == AXIS_PAIRS ? 2 * perm.n : perm.n;
    if (use != AXIS_LIST && v->n != want)
        return false;
    for (uint32_t i = 0; i < v->n; i++) {
        if (use == AXIS_LIST)
            w[i] = axis_below(perm, v->v[i]);
        else
            w[(i / perm.n) * perm.n + (uint32_t)perm.v[i % perm.n]] = v->v[i];
    }
    v->v = w;
    return true;
}

static int
row_of(const SnKindDesc *d)
{
    int row = 0;

    while (d->sem && row < NTHROUGH && through[row].map != d->sem[0].map)
        row++;
    return d->sem ? row : NTHROUGH;
}

bool
sn_axes_free(const SnKindDesc *d)
{
    return row_of(d) < NTHROUGH;
}

bool
sn_axes_renumber(SnArena *a, const SnKindDesc *d, void *attr, SnInts perm)
{
    const SnSem *s = &d->sem[0];
    int row = row_of(d);

    if (row == NTHROUGH)
        return false;
    for (uint8_t i = 0; i < s->narg; i++) {
        AxisUse use = through[row].arg[i];
        if (use == AXIS_NONE)
            continue;
        if (s->arg[i].kind != SN_ARG_ATTR)
            return false;
        const SnAttrDesc *ad = &d->attr[s->arg[i].v];
        if (!renumber(a, sn_attr_at(attr, ad), ad->kind, use, perm))
            return false;
    }
    return true;
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
    if (sh->rank > (int)perm.n || sn_type(g, c)->nq > 1)
        return 0;
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

/* Why the node and its kind let no Transpose sink below, or NULL. */
static const char *
barred(const SnGraph *g, SnId id, uint32_t join)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    if (d->effect)
        return "an output ends what can be moved";
    if (n->nres != 1)
        return "it has more than one result";
    if (!sn_joins(d, join))
        return "no derive line has it sink";
    if (!sn_axes_free(d))
        return "its map fixes the order of axes";
    if (n->res[0].type->nq > 1)
        return "its result has scales along an axis";
    return NULL;
}

/* The Transposes that the node reads, all alike and read by it alone: one of
 * them in *t, 0 when there is none.  Returns why they cannot sink, or NULL. */
static const char *
group_alike(const SnGraph *g, SnId id, SnId *t)
{
    const SnNode *n = sn_node(g, id);
    bool absent = false;

    *t = 0;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        absent |= v == 0;
        if (!v || sn_kind(g, v) != SN_K_TRANSPOSE)
            continue;
        if (*t && !sn_ints_equal(perm_of(g, *t), perm_of(g, SN_NODE(v))))
            return "the Transposes permute differently";
        *t = SN_NODE(v);
        /* Another reader would leave a copy behind.  Of the slots that read
         * one value, the list's first looks at it all. */
        const SnUse *u = sn_res(g, v)->uses;
        for (bool mine = u == &n->in[s]; u && (mine || u->user != id);
             u = u->next)
            if (u->user != id)
                return "another node reads the Transpose";
    }
    if (*t && absent)
        return "an operand is missing";
    if (*t && (int)perm_of(g, *t).n != n->res[0].shape->rank)
        return "the result has another rank";
    return NULL;
}

static bool
decline(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, const char *why)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin && sn_wants_declined(rw); s++)
        if (n->in[s].ref && sn_kind(g, n->in[s].ref) == SN_K_TRANSPOSE)
            sn_declined(rw, rule, g, SN_NODE(n->in[s].ref), "sink below %s: %s",
                        sn_label(g, id, sn_scratch(rw)), why);
    return false;
}

bool
sn_layout(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnId t = 0;
    const char *why = barred(g, id, join);

    if (!why)
        why = group_alike(g, id, &t);
    if (why)
        return decline(g, rw, id, rule, why);
    if (!t)
        return false;
    SnInts perm = perm_of(g, t);
    SnEdit e = sn_edit(g, id);
    if (!sn_axes_renumber(g->arena, d, e.attr, perm))
        return decline(g, rw, id, rule, "its attributes name axes otherwise");
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        if (sn_kind(g, v) == SN_K_TRANSPOSE)
            e.in[s] = sn_in(g, SN_NODE(v), 0);
        else if (d->sem[0].map != SN_MAP_BROADCAST || !sn_def(g, v)->data ||
                 !constant_back(g, v, perm, true))
            return decline(g, rw, id, rule,
                           "an operand beside it is neither "
                           "a Transpose nor a Constant that can be turned");
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
    sn_fire_end(rw, g);
    sn_rename(g, SN_REF(below, 0), sn_format(g->arena, "%s.t", name));
    sn_rename(g, SN_REF(m, 0), name);
    return true;
}
