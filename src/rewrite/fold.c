// SPDX-License-Identifier: Apache-2.0
/* Constant folding and common subexpressions. */
#include <string.h>
#include <xxhash.h>
#include "kernel/eval/eval.h"
#include "rewrite/internal.h"
#include "sn_kind_constant.h"
#include "sn_kind_splat.h"
#include "sn_maps.h"

void
sn_remove_unused(SnGraph *g, SnId id)
{
    SnNode *n = sn_node(g, id);

    if (n->dead || sn_desc(n->kind)->effect)
        return;
    for (unsigned i = 0; i < n->nres; i++)
        if (n->res[i].nuse)
            return;
    uint32_t nin = n->nin;
    SnId *in = SN_NEW_N(g->arena, SnId, nin + 1);
    for (uint32_t i = 0; i < nin; i++)
        in[i] = n->in[i].ref ? SN_NODE(n->in[i].ref) : 0;
    sn_remove(g, id);
    for (uint32_t i = 0; i < nin; i++)
        if (in[i] && !sn_node(g, in[i])->data)
            sn_remove_unused(g, in[i]);
}

/* Results from here on are not copied into the graph's arena: they stay where
 * they were computed, with at most a quarter as much beside them. */
enum { KEEP_NBYTE = 1 << 16 };

static void
free_arena(void *a)
{
    sn_arena_free(a);
}

/* A large operand of v's node that gives v its memory when nothing else reads
 * it, or 0: a filter times the scales of its channels is as large as it was. */
static SnRef
giver(const SnGraph *g, SnRef v)
{
    const SnNode *n = sn_def(g, v);

    if (sn_tensor_nbyte(sn_type(g, v), sn_shape_of(g, v)) < KEEP_NBYTE)
        return 0;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef w = n->in[i].ref;
        if (w && sn_def(g, w)->own && sn_eval_inplace(g, v, i))
            return w;
    }
    return 0;
}

/* v's node becomes a Constant with the data of s; what only it read goes. */
static void
become(SnGraph *g, SnRef v, const SnSpec *s)
{
    const SnNode *n = sn_def(g, v);
    SnId *in = SN_NEW_N(g->arena, SnId, n->nin);
    uint32_t nin = n->nin;

    for (uint32_t i = 0; i < nin; i++)
        in[i] = SN_NODE(n->in[i].ref);
    sn_become(g, SN_NODE(v), s);
    for (uint32_t i = 0; i < nin; i++)
        if (in[i] && !sn_node(g, in[i])->dead)
            sn_remove_unused(g, in[i]);
}

bool
sn_fold_waits(const SnGraph *g, SnRef v)
{
    SnRef w = giver(g, v);

    return w && sn_nuse(g, w) > 1;
}

bool
sn_fold_inplace(SnGraph *g, SnRef v)
{
    SnRef w = giver(g, v);

    if (!w || sn_nuse(g, w) > 1)
        return false;
    void *to = (void *)(uintptr_t)sn_def(g, w)->data;
    SnArena *a = sn_arena_new();
    bool done = sn_eval_const_at(g, v, a, to) != NULL;
    sn_arena_free(a);
    if (!done)
        return false;
    become(g, v,
           &(SnSpec){
               .kind = SN_K_CONSTANT, .data = to, .borrow = true, .own = true});
    return true;
}

/* The elements of v, or NULL; *keep: they stay where they were computed, in
 * memory that goes with the graph, and else are for the caller to copy before
 * it frees *a. */
static const void *
computed(SnGraph *g, SnRef v, SnArena **a, bool *keep)
{
    size_t n = sn_tensor_nbyte(sn_type(g, v), sn_shape_of(g, v));
    const void *data;

    *a = sn_arena_new();
    data = sn_eval_const(g, v, *a);
    *keep = data && n >= KEEP_NBYTE && sn_arena_nbyte(*a) <= n + n / 4;
    if (*keep)
        sn_arena_at_free(g->arena, free_arena, *a);
    return data;
}

SnRef
sn_fold(SnGraph *g, SnRef v)
{
    SnArena *a = NULL;
    const SnType *t = sn_type(g, v);
    SnSpec s = {.kind = SN_K_CONSTANT,
                .name = sn_name(g, v),
                .type = &t,
                .shape = sn_shape_of(g, v)};
    SnRef c = 0;

    if (sn_def(g, v)->data)
        return v;
    if (!sn_fold_late(g, v, &s))
        s.data = computed(g, v, &a, &s.own);
    s.borrow |= s.own;
    if (s.data)
        c = SN_REF(sn_add(g, &s, NULL), 0);
    if (!s.own)
        sn_arena_free(a);
    if (c && sn_nuse(g, v) == 0)
        sn_remove_unused(g, SN_NODE(v));
    return c;
}

void
sn_fold_here(SnGraph *g, SnRef v)
{
    SnSpec s = {.kind = SN_K_CONSTANT, .borrow = true};
    SnArena *a = NULL;

    if (sn_fold_inplace(g, v))
        return;
    if (!sn_fold_late(g, v, &s))
        s.data = computed(g, v, &a, &s.own);
    if (s.data && !s.own && !s.late)
        s.data = sn_memdup(g->arena, s.data,
                           sn_tensor_nbyte(sn_type(g, v), sn_shape_of(g, v)));
    if (s.data)
        become(g, v, &s);
    if (!s.own)
        sn_arena_free(a);
}

/* The Constant whose name survives: what a chain of moves starts from. */
static SnRef
named_source(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    if (d->sem[0].cls != SN_C_MOVE || n->nin == 0 || !n->in[0].ref ||
        !sn_def(g, n->in[0].ref)->data || sn_nuse(g, n->in[0].ref) != 1)
        return 0;
    return n->in[0].ref;
}

static bool
foldable(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    if (d->effect || n->data || n->nres != 1 || n->nin == 0 || !d->sem ||
        d->sem[0].cls == SN_C_CONVERT || sn_eval_why_not(g, id))
        return false;
    if (sn_eval_too_large(g, id))
        return false;
    bool data = false;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef v = n->in[i].ref;
        if (v && !sn_def(g, v)->data && sn_kind(g, v) != SN_K_SPLAT)
            return false;
        data |= v && sn_def(g, v)->data;
    }
    return data;
}

SnStatus
sn_fold_pass(SnRewriter *rw, SnGraph *g)
{
    uint32_t n;
    const SnId *topo = sn_order(rw, g, &n);

    for (uint32_t i = 0; i < n; i++) {
        SnId id = topo[i], mark = g->nnode;
        if (sn_node(g, id)->dead || !foldable(g, id))
            continue;
        SnRef src = named_source(g, id), v = SN_REF(id, 0);
        const char *name = src ? sn_name(g, src) : NULL;
        /* A log has nodes that come and go, not what they become. */
        if (!rw->o.watch && sn_fold_inplace(g, v))
            continue;
        SnRef c = sn_fold(g, v);
        if (!c)
            continue; /* an index out of range: running it says which */
        sn_replace(g, v, c, mark);
        sn_remove_unused(g, id);
        if (name) {
            if (!sn_def(g, src)->dead)
                sn_remove(g, SN_NODE(src));
            sn_rename(g, c, name);
        }
    }
    sn_dce(g);
    return SN_OK;
}

/* ---- numbers ---- */

/* Is v, a value of one f32 element, read by element-wise nodes only? */
static bool
is_number(const SnGraph *g, SnRef v)
{
    const SnShape *s = sn_shape_of(g, v);

    if (sn_type(g, v)->elem != SN_F32 || !s || sn_shape_count(s) != 1 ||
        sn_nuse(g, v) == 0)
        return false;
    for (const SnUse *u = sn_res(g, v)->uses; u; u = u->next) {
        const SnKindDesc *d = sn_desc(sn_node(g, u->user)->kind);
        if (!d->sem || d->sem[0].cls != SN_C_POINT ||
            d->sem[0].decl != &sn_map_decl_broadcast)
            return false;
    }
    return true;
}

static void
to_splat(SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnShape *s = n->res[0].shape;
    SnSplatAttr at = {.value = *(const float *)sn_node_data(g, id)};
    SnSpec sp = {.kind = SN_K_SPLAT,
                 .type = &n->res[0].type,
                 .name = n->res[0].name,
                 .attr = &at};

    at.dims.n = (uint32_t)s->rank;
    at.dims.v = s->dim;
    SnRef v = SN_REF(id, 0);
    SnId mark = g->nnode;
    sn_replace(g, v, SN_REF(sn_add(g, &sp, NULL), 0), mark);
}

static void
to_constant(SnGraph *g, SnId id)
{
    SnRef v = SN_REF(id, 0);
    SnId mark = g->nnode;

    sn_replace(g, v, sn_fold(g, v), mark);
}

void
sn_numbers_pass(SnRewriter *rw, SnGraph *g, bool splats)
{
    uint32_t n;
    const SnId *topo = sn_order(rw, g, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        bool from = splats ? node->data != NULL : node->kind == SN_K_SPLAT;
        if (!from || node->dead || !is_number(g, SN_REF(topo[i], 0)))
            continue;
        if (splats)
            to_splat(g, topo[i]);
        else
            to_constant(g, topo[i]);
    }
    sn_dce(g);
}

/* ---- common subexpressions ---- */

static bool
same_node(const SnGraph *g, SnId a, SnId b)
{
    const SnNode *x = sn_node(g, a), *y = sn_node(g, b);

    if (x->kind != y->kind || x->nin != y->nin || x->nres != y->nres ||
        x->calibrated != y->calibrated)
        return false;
    for (uint32_t i = 0; i < x->nin; i++)
        if (x->in[i].ref != y->in[i].ref)
            return false;
    for (unsigned i = 0; i < x->nres; i++)
        if (x->res[i].type != y->res[i].type ||
            x->res[i].shape != y->res[i].shape)
            return false;
    if (!sn_attrs_equal(sn_desc(x->kind), x->attr, y->attr))
        return false;
    if (!x->data != !y->data)
        return false;
    return !x->data ||
           !memcmp(sn_node_data(g, a), sn_node_data(g, b),
                   sn_tensor_nbyte(x->res[0].type, x->res[0].shape));
}

static uint64_t
node_hash(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    uint64_t h = XXH64(&n->kind, sizeof n->kind, 1);

    for (uint32_t i = 0; i < n->nin; i++)
        h = XXH64(&n->in[i].ref, sizeof n->in[i].ref, h);
    for (unsigned i = 0; i < n->nres; i++) {
        h = XXH64(&n->res[i].type, sizeof n->res[i].type, h);
        h = XXH64(&n->res[i].shape, sizeof n->res[i].shape, h);
    }
    h = sn_attrs_hash(sn_desc(n->kind), n->attr, h);
    if (n->data)
        h = XXH64(sn_node_data(g, id),
                  sn_tensor_nbyte(n->res[0].type, n->res[0].shape), h);
    return h;
}

typedef struct Seen {
    SnId id;
    uint64_t hash;
} Seen;

SnStatus
sn_cse_pass(SnRewriter *rw, SnGraph *g)
{
    uint32_t n, cap = 64;
    const SnId *topo = sn_order(rw, g, &n);

    while (cap < 2 * n)
        cap *= 2;
    Seen *table = SN_NEW_N(rw->scratch, Seen, cap);
    for (uint32_t i = 0; i < n; i++) {
        SnId id = topo[i];
        const SnNode *x = sn_node(g, id);
        if (x->dead || sn_desc(x->kind)->effect)
            continue;
        uint64_t hash = node_hash(g, id);
        uint32_t h = (uint32_t)hash & (cap - 1);
        while (table[h].id &&
               (table[h].hash != hash || !same_node(g, table[h].id, id)))
            h = (h + 1) & (cap - 1);
        if (!table[h].id) {
            table[h] = (Seen){id, hash};
            continue;
        }
        for (unsigned k = 0; k < x->nres; k++)
            sn_replace_uses(g, SN_REF(id, k), SN_REF(table[h].id, k));
        sn_remove(g, id);
    }
    return SN_OK;
}
