// SPDX-License-Identifier: Apache-2.0
/* What is counted to show that a pass terminates, and how a rule changes it.
 *
 * A rule does exactly what the term rewrite says, at any place of any
 * graph: an operand `x` may hold any number of nodes, an inner node without
 * :1 may have other users and stay. */
#include <string.h>
#include "dsl/order/order_term.h"

bool
sn_order_subset(const SnOrder *c, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < c->nword; i++)
        if (a[i] & ~b[i])
            return false;
    return true;
}

bool
sn_order_meets(const SnOrder *c, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < c->nword; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* ---- nodes, each once ---- */

enum { MAXNODE = 256 };

typedef struct Nodes {
    uint32_t n;
    const SnOrderTerm *v[MAXNODE];
} Nodes;

static void
nodes(Nodes *s, const SnOrderTerm *t)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i] == t)
            return;
    if (t->var || s->n == MAXNODE || (t->fresh && t->is_const))
        return; /* data is not counted */
    s->v[s->n++] = t;
    for (uint32_t i = 0; i < t->narg; i++)
        nodes(s, t->arg[i]);
}

uint32_t
sn_order_count(const SnOrder *c, const uint64_t *kinds, const SnOrderTerm *t)
{
    Nodes s;
    uint32_t n = 0;

    s.n = 0;
    nodes(&s, t);
    for (uint32_t i = 0; i < s.n; i++)
        n += sn_order_meets(c, s.v[i]->kinds, kinds);
    return n;
}

/* The left nodes that a fire removes: the root and nodes that only it used,
 * except those that the right side still uses. */
static void
removed_nodes(Nodes *s, const SnOrderTerm *t, bool root)
{
    if (t->var || (!root && !t->once) || s->n == MAXNODE)
        return;
    s->v[s->n++] = t;
    for (uint32_t i = 0; i < t->narg; i++)
        removed_nodes(s, t->arg[i], false);
}

static bool
has(const Nodes *s, const SnOrderTerm *t)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i] == t)
            return true;
    return false;
}

SnOrderTake
sn_order_take(SnOrder *c, const uint64_t *kinds, const SnOrderRule *r)
{
    Nodes all, old, right; /* of which little is ever used */
    bool paired[MAXNODE];
    SnOrderTake k = {0, 0, 0};

    all.n = old.n = right.n = 0;
    nodes(&all, r->lhs);
    removed_nodes(&old, r->lhs, true);
    memset(paired, 0, old.n * sizeof *paired);
    for (uint32_t i = 0; i < r->nrhs; i++)
        nodes(&right, r->rhs[i]);
    for (uint32_t i = 0; i < right.n; i++) {
        const SnOrderTerm *t = right.v[i];
        bool again = false;
        if (!t->fresh)
            continue;
        /* A changed node in place of a removed one of the same kind. */
        for (uint32_t j = 0; j < old.n && t->open && !again; j++)
            if (old.v[j] == t->like && !paired[j] && !has(&right, old.v[j]))
                paired[j] = again = true;
        k.made += !again && sn_order_meets(c, t->kinds, kinds);
    }
    for (uint32_t i = 0; i < old.n; i++)
        k.removed += !paired[i] && !has(&right, old.v[i]) &&
                     sn_order_subset(c, old.v[i]->kinds, kinds);
    for (uint32_t i = 0; i < all.n; i++)
        k.kept +=
            !has(&old, all.v[i]) && sn_order_meets(c, all.v[i]->kinds, kinds);
    return k;
}

/* ---- nodes along paths ---- */

/* Terms that may contain more of what is counted: a variable, or a node of a
 * class (and its changed copies) with its operands. */
typedef struct Elem {
    const SnOrderTerm *key; /* NULL: it is itself counted */
    uint32_t depth;
    bool done;
} Elem;
typedef struct Elems {
    uint32_t n;
    bool full;
    Elem v[1024];
} Elems;

static void
elem(Elems *e, const SnOrderTerm *key, uint32_t depth)
{
    if (e->n == sizeof e->v / sizeof *e->v) {
        e->full = true;
        return;
    }
    e->v[e->n++] = (Elem){key, depth, false};
}

/* heights: count only conversions, by the other nodes below them. */
static void
walk(const SnOrder *c, Elems *e, const uint64_t *kinds, const SnOrderTerm *t,
     uint32_t depth, bool heights)
{
    if (t->fresh && t->is_const)
        return;
    if (t->var) {
        if (t->elems != SN_ORDER_TERM_ABSENT)
            elem(e, t, depth);
        return;
    }
    if (t->open) {
        elem(e, t->copy ? t->like : t, depth);
        return;
    }
    bool in = sn_order_meets(c, t->kinds, kinds);
    if (in)
        elem(e, NULL, depth);
    for (uint32_t i = 0; i < t->narg; i++)
        walk(c, e, kinds, t->arg[i], depth + (heights && !in), heights);
}

/* Removes what both sides have; then everything on the right must lie under
 * something on the left. */
static SnFall
multiset(Elems *l, Elems *r)
{
    bool some = false;

    if (l->full || r->full)
        return SN_RISES;
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t j = 0; j < l->n && !r->v[i].done; j++)
            if (!l->v[j].done && l->v[j].key == r->v[i].key &&
                l->v[j].depth == r->v[i].depth)
                l->v[j].done = r->v[i].done = true;
    for (uint32_t i = 0; i < r->n; i++) {
        bool under = r->v[i].done;
        for (uint32_t j = 0; j < l->n && !under; j++)
            under = !l->v[j].done && l->v[j].key == r->v[i].key &&
                    l->v[j].depth > r->v[i].depth;
        if (!under)
            return SN_RISES;
    }
    for (uint32_t j = 0; j < l->n; j++)
        some |= !l->v[j].done && !l->v[j].key;
    return some ? SN_FALLS : SN_LEVEL;
}

static SnFall
along_paths(SnOrder *c, const SnMeasure *m, const SnOrderRule *r)
{
    static Elems l, s; /* too large for a stack frame */
    SnFall worst = SN_FALLS;

    for (uint32_t i = 0; i < r->nrhs; i++) {
        bool heights = m->mk == SN_M_HEIGHT;
        l.n = s.n = 0;
        l.full = s.full = false;
        walk(c, &l, m->kinds, r->lhs, 0, heights);
        walk(c, &s, m->kinds, r->rhs[i], 0, heights);
        SnFall f = multiset(&l, &s);
        worst = f < worst ? f : worst;
    }
    return worst;
}

/* ---- contracts ---- */

static bool
names_kind(SnOrder *c, const uint64_t *kinds, const char *const *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const SnDefNode *k = sn_def_node(c->defs, v[i]);
        if (k && sn_order_meets(c, sn_order_set(c, k), kinds))
            return true;
    }
    return false;
}

/* A builder: only what its contract states. */
static SnFall
by_contract(SnOrder *c, const SnMeasure *m, const SnOrderRule *r)
{
    const SnDefRule *q = r->rule;

    if (!q || !q->custom)
        return SN_RISES;
    bool makes = names_kind(c, m->kinds, q->makes, q->nmakes);
    bool takes = names_kind(c, m->kinds, q->removes, q->nremoves);
    if (m->mk != SN_M_COUNT || makes)
        return SN_RISES;
    return takes ? SN_FALLS : SN_LEVEL;
}

static SnFall
count(SnOrder *c, const SnMeasure *m, const SnOrderRule *r)
{
    SnOrderTake k = sn_order_take(c, m->kinds, r);

    return k.made < k.removed    ? SN_FALLS
           : k.made == k.removed ? SN_LEVEL
                                 : SN_RISES;
}

static SnFall
floats(SnOrder *c, const SnOrderRule *r)
{
    Nodes s;

    if (r->floats)
        return SN_FALLS;
    s.n = 0;
    for (uint32_t i = 0; i < r->nrhs; i++)
        nodes(&s, r->rhs[i]);
    for (uint32_t i = 0; i < s.n; i++)
        if (s.v[i]->fresh &&
            !sn_order_term_every(c, s.v[i], sn_order_term_convert) &&
            (s.v[i]->elems & UINT32_C(1) << 2 * SN_F32))
            return SN_RISES;
    return r->nrhs ? SN_LEVEL : SN_RISES;
}

SnFall
sn_order_fall(SnOrder *c, const SnMeasure *m, const SnOrderRule *r)
{
    if (m->mk == SN_M_FLOATS)
        return floats(c, r);
    if (r->floats) /* makes conversions, and no node of another kind */
        return SN_RISES;
    if (!r->nrhs)
        return by_contract(c, m, r);
    return m->mk == SN_M_COUNT ? count(c, m, r) : along_paths(c, m, r);
}
