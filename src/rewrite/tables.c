// SPDX-License-Identifier: Apache-2.0
/* The built-in pass `tables`: what is worked out of one 8-bit value element by
 * element, in however many steps, by codes or by reals, and becomes codes
 * again, is a table of 256 entries.  The evaluators fill it, so that no bit
 * changes. */
#include "base/num.h"
#include "kernel/eval/eval.h"
#include "map/facts.h"
#include "rewrite/copy.h"
#include "rewrite/internal.h"
#include "sn_kind_constant.h"
#include "sn_kind_lookup_table.h"
#include "sn_kind_splat.h"

enum { NCODE = 256, DEPTH_MOST = 256 };

typedef struct Tables {
    SnGraph *g;
    SnRef *of; /* [nnode] of each node the value it is a function of, or 0 */
    uint32_t *depth; /* [nnode] steps from there */
    SnRef *made;     /* [nnode] of the function under way: the same of codes */
} Tables;

static bool
is_q8(const SnGraph *g, SnRef v)
{
    const SnType *t = sn_type(g, v);

    return t->elem == SN_QI8 && sn_type_per_tensor(t);
}

/* One number, wherever it is read. */
static bool
is_one(const SnGraph *g, SnRef v)
{
    return (sn_def(g, v)->data || sn_kind(g, v) == SN_K_SPLAT) &&
           sn_type(g, v)->axis < 0 && sn_shape_count(sn_shape_of(g, v)) == 1;
}

bool
sn_pointwise(const SnNode *n)
{
    const SnKindDesc *d = sn_desc(n->kind);

    if (n->nres != 1 || n->nin == 0 || d->effect || !d->sem ||
        n->res[0].type->axis >= 0)
        return false;
    return (d->sem[0].cls == SN_C_POINT || d->sem[0].cls == SN_C_CONVERT) &&
           d->sem[0].decl && sn_map_in_place(d->sem[0].decl);
}

bool
sn_has_kernel(const SnBackendDesc *b, SnKind kind)
{
    for (uint16_t i = 0; i < b->nkernel; i++)
        if (b->kernel[i].kind == kind)
            return true;
    return false;
}

static SnRef
source(const Tables *t, SnRef v)
{
    SnRef s = t->of[SN_NODE(v)];

    return s ? s : is_q8(t->g, v) ? v : 0;
}

static bool
same_shape(const SnGraph *g, SnId id, SnRef v)
{
    const SnShape *a = sn_shape_of(g, SN_REF(id, 0)), *b = sn_shape_of(g, v);

    return a && b && sn_shape_equal(a, b);
}

/* What id is a function of, when its operands are numbers and functions of
 * one value. */
static void
look(Tables *t, SnId id)
{
    const SnNode *n = sn_node(t->g, id);
    SnRef of = 0;
    uint32_t depth = 0;

    if (!sn_pointwise(n))
        return;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        if (v && is_one(t->g, v))
            continue;
        SnRef x = v ? source(t, v) : 0;
        if (!x || (of && x != of))
            return;
        of = x;
        if (t->depth[SN_NODE(v)] > depth)
            depth = t->depth[SN_NODE(v)];
    }
    if (!of || depth == DEPTH_MOST || !same_shape(t->g, id, of))
        return;
    t->of[id] = of;
    t->depth[id] = depth + 1;
}

/* v of the codes all in place of x: copies of the nodes between. */
static SnRef
copied(Tables *t, SnRef v, SnRef x, SnRef codes)
{
    SnId id = SN_NODE(v);

    if (v == x)
        return codes;
    if (is_one(t->g, v))
        return v;
    if (!t->made[id]) {
        SnEdit e = sn_edit(t->g, id);
        for (uint32_t s = 0; s < e.nin; s++)
            e.in[s] = copied(t, e.in[s], x, codes);
        t->made[id] = SN_REF(sn_edit_add(t->g, &e), 0);
    }
    return t->made[id];
}

static void
forget(Tables *t, SnRef v, SnRef x)
{
    const SnNode *n = sn_def(t->g, v);

    if (v == x || is_one(t->g, v) || !t->made[SN_NODE(v)])
        return;
    t->made[SN_NODE(v)] = 0;
    for (uint32_t s = 0; s < n->nin; s++)
        forget(t, n->in[s].ref, x);
}

/* The entries, or 0 where a node cannot be run. */
static SnRef
entries(Tables *t, SnId id, SnRef x)
{
    SnGraph *g = t->g;
    int8_t code[NCODE];
    int64_t n = NCODE;
    SnArena *a = sn_arena_new();
    const SnType *type = sn_type(g, x), *to = sn_type(g, SN_REF(id, 0));
    SnRef c = 0;

    for (int i = 0; i < NCODE; i++)
        code[i] = (int8_t)(i - NCODE / 2);
    SnSpec s = {.kind = SN_K_CONSTANT,
                .type = &type,
                .shape = sn_shape(g->pool, 1, &n),
                .data = code};
    SnRef codes = SN_REF(sn_add(g, &s, NULL), 0);
    const void *data = sn_eval_const(g, copied(t, SN_REF(id, 0), x, codes), a);
    forget(t, SN_REF(id, 0), x);
    if (data) {
        s.type = &to;
        s.data = data;
        s.name = sn_format(g->arena, "%s.table", sn_name(g, SN_REF(id, 0)));
        c = SN_REF(sn_add(g, &s, NULL), 0);
    }
    sn_arena_free(a);
    return c;
}

/* A single node of one operand is a table to its kernel already. */
static bool
worth(const Tables *t, SnId id)
{
    const SnNode *n = sn_node(t->g, id);

    return t->of[id] && !n->dead && n->res[0].nuse > 0 &&
           is_q8(t->g, SN_REF(id, 0)) && (t->depth[id] > 1 || n->nin > 1);
}

void
sn_tables_pass(SnRewriter *rw, SnGraph *g)
{
    uint32_t n, nnode = g->nnode;
    const SnId *topo = sn_order(rw, g, &n);
    Tables t = {g, SN_NEW_N(rw->scratch, SnRef, nnode),
                SN_NEW_N(rw->scratch, uint32_t, nnode),
                SN_NEW_N(rw->scratch, SnRef, nnode)};

    if (!sn_has_kernel(sn_opts(rw)->backend, SN_K_LOOKUP_TABLE))
        return;
    for (uint32_t i = 0; i < n; i++)
        look(&t, topo[i]);
    for (uint32_t i = n; i-- > 0;) {
        SnId id = topo[i], mark = g->nnode;
        if (!worth(&t, id))
            continue;
        SnRef in[2] = {t.of[id], entries(&t, id, t.of[id])};
        if (!in[1])
            continue;
        SnSpec s = {.kind = SN_K_LOOKUP_TABLE,
                    .nin = 2,
                    .in = in,
                    .type = &sn_node(g, id)->res[0].type};
        SnRef y = SN_REF(sn_add(g, &s, NULL), 0);
        sn_replace(g, SN_REF(id, 0), y, mark);
        sn_remove_unused(g, id);
    }
    sn_dce(g);
}
