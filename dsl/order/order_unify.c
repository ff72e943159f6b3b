// SPDX-License-Identifier: Apache-2.0
/* Unification of left sides, and rewriting. */
#include <string.h>
#include "dsl/order/order_term.h"

/* ---- copies ---- */

typedef struct Memo {
    SnOrder *c;
    uint32_t n;
    const SnOrderTerm **old;
    SnOrderTerm **new_;
    const SnOrderType **oty;
    SnOrderType **nty;
    uint32_t nty_n;
} Memo;

static SnOrderType *
copy_type(Memo *m, const SnOrderType *t)
{
    uint32_t n = m->nty_n;

    if (!t)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (m->oty[i] == t)
            return m->nty[i];
    SnOrderType *u = sn_memdup(m->c->a, t, sizeof *t);
    SN_PUSH(m->c->a, m->oty, n, t);
    SN_PUSH(m->c->a, m->nty, m->nty_n, u);
    u->same = copy_type(m, t->same);
    return u;
}

static SnOrderTerm *
copy(Memo *m, const SnOrderTerm *t)
{
    uint32_t n;

    if (!t)
        return NULL;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->old[i] == t)
            return m->new_[i];
    SnOrderTerm *u = sn_memdup(m->c->a, t, sizeof *t);
    n = m->n;
    SN_PUSH(m->c->a, m->old, n, t);
    SN_PUSH(m->c->a, m->new_, m->n, u);
    u->type = copy_type(m, t->type);
    u->arg = SN_NEW_N(m->c->a, SnOrderTerm *, t->narg + 1);
    for (uint32_t i = 0; i < t->narg; i++)
        u->arg[i] = copy(m, t->arg[i]);
    u->like = copy(m, t->like);
    u->type_of = copy(m, t->type_of);
    if (!u->fresh && !u->attr)
        u->attr = (uint64_t)(uintptr_t)u;
    return u;
}

SnOrderRule *
sn_order_rule_copy(SnOrder *c, const SnOrderRule *r)
{
    Memo m = {.c = c};
    SnOrderRule *s = sn_memdup(c->a, r, sizeof *r);

    s->lhs = copy(&m, r->lhs);
    s->rhs = SN_NEW_N(c->a, SnOrderTerm *, r->nrhs + 1);
    for (uint32_t i = 0; i < r->nrhs; i++)
        s->rhs[i] = copy(&m, r->rhs[i]);
    uint32_t nvar = r->rule ? r->rule->nvar : 0;
    s->var = SN_NEW_N(c->a, SnOrderTerm *, nvar + 1);
    for (uint32_t i = 0; i < nvar; i++)
        s->var[i] = copy(&m, r->var[i]);
    return s;
}

/* ---- unification ---- */

static SnOrderType *
type_end(SnOrderType *t)
{
    while (t->same)
        t = t->same;
    return t;
}

static bool
join_types(SnOrderType *a, SnOrderType *b)
{
    a = type_end(a);
    b = type_end(b);
    if (a == b)
        return true;
    if (a->hash && b->hash)
        return a->hash == b->hash;
    if (a->hash)
        b->same = a;
    else
        a->same = b;
    return true;
}

/* Types without a scale are the same if their elements are. */
static bool
same_type(const SnOrderTerm *a, const SnOrderTerm *b)
{
    uint32_t plain = 0;

    for (int e = SN_F32; e <= SN_BOOL; e++) {
        SnDefConc k = {(int8_t)e, -1};
        plain |= sn_conc_quant(k) ? 0 : sn_order_term_bit(k);
    }
    if (a->elems == b->elems && !(a->elems & ~plain) &&
        !(a->elems & (a->elems - 1)))
        return true;
    return type_end(a->type) == type_end(b->type);
}

bool
sn_order_term_may(const SnOrder *c, const SnOrderTerm *a, const SnOrderTerm *b)
{
    if (!(a->elems & b->elems))
        return false;
    if (a->var || b->var)
        return true;
    if (!sn_order_meets(c, a->kinds, b->kinds))
        return false;
    for (uint32_t i = 0; i < a->narg && i < b->narg; i++)
        if (!sn_order_term_may(c, a->arg[i], b->arg[i]))
            return false;
    return true;
}

static const uint64_t *
both_kinds(SnOrder *c, const SnOrderTerm *a, const SnOrderTerm *b)
{
    uint64_t *k = sn_order_set(c, NULL);

    for (uint32_t i = 0; i < c->nword; i++)
        k[i] = a->kinds[i] & b->kinds[i];
    return k;
}

static bool
bind_to(SnOrderTerm *a, SnOrderTerm *b)
{
    a->bind = b;
    b->elems &= a->elems;
    b->once |= a->once;
    b->is_const |= a->is_const;
    if (!b->name)
        b->name = a->name;
    return join_types(a->type, b->type) && b->elems;
}

/* Is a inside b?  No graph contains itself. */
static bool
occurs(const SnOrderTerm *a, SnOrderTerm *b)
{
    for (uint32_t i = 0; !b->var && !b->open && i < b->narg; i++) {
        SnOrderTerm *t = sn_order_term_get(b->arg[i]);
        if (t == a || occurs(a, t))
            return true;
    }
    return false;
}

bool
sn_order_term_unify(SnOrder *c, SnOrderTerm *a, SnOrderTerm *b)
{
    a = sn_order_term_get(a);
    b = sn_order_term_get(b);
    if (a == b)
        return true;
    if (occurs(a, b) || occurs(b, a))
        return false;
    if (a->var)
        return bind_to(a, b);
    if (b->var)
        return bind_to(b, a);
    if (!sn_order_meets(c, a->kinds, b->kinds))
        return false;
    if (a->open != b->open) { /* the one whose operands are read is kept */
        SnOrderTerm *t = a->open ? b : a;
        a = a->open ? a : b;
        b = t;
    }
    b->kinds = both_kinds(c, a, b);
    if (!b->node)
        b->node = a->node;
    if (!bind_to(a, b))
        return false;
    for (uint32_t i = 0; !a->open && i < a->narg && i < b->narg; i++)
        if (!sn_order_term_unify(c, a->arg[i], b->arg[i]))
            return false;
    return true;
}

/* ---- types ---- */

static const SnExpr *
type_member(const SnExpr *e)
{
    return e->ek == SN_E_MEMBER && e->word == SN_W_TYPE ? e->kid[0] : NULL;
}

/* a.type == b.type, of two values of the left side */
static bool
types_equal(const SnOrderRule *r, const SnExpr *e, SnOrderTerm **a,
            SnOrderTerm **b)
{
    if (e->ek != SN_E_BIN || e->op != SN_OP_EQ)
        return false;
    const SnExpr *x = type_member(e->kid[0]), *y = type_member(e->kid[1]);
    if (!x || !y)
        return false;
    *a = sn_order_rule_var_term(r, x);
    *b = sn_order_rule_var_term(r, y);
    return *a && *b;
}

bool
sn_order_rule_assume(SnOrder *c, const SnOrderRule *r)
{
    SnOrderTerm *a, *b;

    (void)c;
    for (uint32_t i = 0; i < r->nguard; i++)
        if (types_equal(r, r->guard[i], &a, &b)) {
            a = sn_order_term_get(a);
            b = sn_order_term_get(b);
            uint32_t both = a->elems & b->elems;
            if (!both || !join_types(a->type, b->type))
                return false;
            a->elems = b->elems = both;
        }
    return true;
}

/* ---- matching ---- */

bool
sn_order_term_equal(SnOrderTerm *a, SnOrderTerm *b, bool attrs)
{
    a = sn_order_term_get(a);
    b = sn_order_term_get(b);
    if (a == b)
        return true;
    if (a->var || b->var || a->narg != b->narg || a->open != b->open ||
        a->node != b->node || (attrs && a->attr != b->attr) || !same_type(a, b))
        return false;
    if (a->open && a->like != b->like)
        return false;
    for (uint32_t i = 0; i < a->narg; i++)
        if (!sn_order_term_equal(a->arg[i], b->arg[i], attrs))
            return false;
    return true;
}

/* p requires another value of an attribute than t was given. */
static bool
asks_other(const SnOrderTerm *p, const SnOrderTerm *t)
{
    for (uint32_t i = 0; i < p->nasg; i++)
        for (uint32_t k = 0; k < t->nasg; k++) {
            const SnExpr *a = p->asg[i].e, *b = t->asg[k].e;
            if (p->asg[i].attr == t->asg[k].attr && a->ek == b->ek &&
                (a->ek == SN_E_BOOL || a->ek == SN_E_INT) && a->i != b->i)
                return true;
        }
    return false;
}

bool
sn_order_term_match(const SnOrder *c, SnOrderTerm *p, SnOrderTerm *t)
{
    while (t->bind)
        t = t->bind;
    if (p->match)
        return sn_order_term_equal(p->match, t, true);
    if (!(p->elems & t->elems) ||
        (!c->lenient && !p->var && (t->elems & ~p->elems)))
        return false;
    p->match = t;
    if (p->var)
        return true;
    if (t->var || !sn_order_subset(c, t->kinds, p->kinds) || asks_other(p, t))
        return false;
    if (p->open)
        return true;
    if (t->open || p->narg != t->narg)
        return false;
    for (uint32_t i = 0; i < p->narg; i++)
        if (!sn_order_term_match(c, p->arg[i], t->arg[i]))
            return false;
    return true;
}

void
sn_order_term_unmatch(SnOrderTerm *p)
{
    p->match = NULL;
    for (uint32_t i = 0; i < p->narg; i++)
        sn_order_term_unmatch(p->arg[i]);
}

/* ---- rewriting ---- */

static SnOrderTerm *
stands_for(SnOrderTerm *t)
{
    return sn_order_term_get(t);
}

static SnOrderType *
written_type(SnOrder *c, const SnOrderRule *r, const SnExpr *e)
{
    SnOrderType *t = SN_NEW(c->a, SnOrderType);

    t->hash = sn_order_rule_hash(r, e);
    return t;
}

static SnOrderTerm *
build(SnOrder *c, const SnOrderRule *r, SnOrderTerm *t, Memo *m)
{
    uint32_t n = m->n;

    if (!t->fresh)
        return stands_for(t);
    for (uint32_t i = 0; i < n; i++)
        if (m->old[i] == t)
            return m->new_[i];
    SnOrderTerm *like =
        t->like ? sn_order_term_get((SnOrderTerm *)(uintptr_t)t->like) : NULL;
    SnOrderTerm *u = sn_memdup(c->a, t, sizeof *t);
    SN_PUSH(c->a, m->old, n, t);
    SN_PUSH(c->a, m->new_, m->n, u);
    u->attr =
        sn_order_rule_mix(sn_order_rule_hash_str(t->node ? t->node->name : ""),
                          like ? like->attr : 0);
    if (like && !t->nasg && (t->node == like->node || t->copy))
        u->attr = like->attr;
    for (uint32_t i = 0; i < t->nasg; i++)
        u->attr = sn_order_rule_mix(
            sn_order_rule_mix(u->attr, sn_order_rule_hash_str(t->asg[i].name)),
            sn_order_rule_hash(r, t->asg[i].e));
    if (r->derive && r->derive->fam == SN_FAM_MERGE)
        /* its clamp is new */
        u->attr = sn_order_rule_mix(u->attr, sn_order_rule_hash_str("merge"));
    SnOrderTerm *from = t->copy && like ? like : t;
    if (t->copy && like) {
        u->node = like->node;
        u->kinds = like->kinds;
        u->open = like->open;
        u->narg = like->narg;
    }
    u->arg = SN_NEW_N(c->a, SnOrderTerm *, from->narg + 1);
    for (uint32_t i = 0; i < from->narg; i++)
        u->arg[i] = from == t ? build(c, r, t->arg[i], m) : like->arg[i];
    u->fresh = u->copy = false;
    u->once = false;
    if (t->type_of) {
        SnOrderTerm *o =
            sn_order_term_get((SnOrderTerm *)(uintptr_t)t->type_of);
        u->type = o->type;
        u->elems &= o->elems;
    } else if (t->type_expr) {
        u->type = written_type(c, r, t->type_expr);
    } else {
        u->type = SN_NEW(c->a, SnOrderType);
        u->type->hash = u->attr ? u->attr : 1;
    }
    u->bind = u->match = NULL;
    return u;
}

SnOrderTerm *
sn_order_rule_build(SnOrder *c, const SnOrderRule *r)
{
    Memo m = {.c = c};

    return r->nrhs ? build(c, r, r->rhs[0], &m) : NULL;
}

static bool
covering(const SnExpr *e)
{
    return e->fn == SN_FN_COVERS;
}

static bool
types_in(const SnOrderRule *r, const SnExpr *e)
{
    (void)r;
    if (e->ek == SN_E_IN)
        return type_member(e->kid[0]) != NULL;
    return e->ek == SN_E_BIN && e->op == SN_OP_EQ &&
           ((type_member(e->kid[0]) && e->kid[1]->rk == SN_R_TYPE) ||
            (type_member(e->kid[1]) && e->kid[0]->rk == SN_R_TYPE));
}

/* Does the condition hold for the terms that r's left side is bound to? */
static bool
holds(const SnOrderRule *r, const SnLit *known, uint32_t nknown)
{
    SnOrderTerm *a, *b;

    for (uint32_t i = 0; i < r->nguard; i++) {
        const SnExpr *e = r->guard[i];
        if (types_equal(r, e, &a, &b)) {
            if (!same_type(sn_order_term_get(a), sn_order_term_get(b)))
                return false;
        } else if (known && !covering(e) && !types_in(r, e) &&
                   !sn_lits_imply(known, nknown, sn_order_rule_lit(r, e))) {
            return false;
        }
    }
    return true;
}

/* The condition narrowed variables: do their terms fit? */
static bool
fits(const SnOrderTerm *p)
{
    const SnOrderTerm *t = p->match;

    while (t && t->bind)
        t = t->bind;
    if (t && (t->elems & ~p->elems) && p->elems != SN_ORDER_TERM_ALL)
        return false;
    for (uint32_t i = 0; i < p->narg; i++)
        if (!fits(p->arg[i]))
            return false;
    return true;
}

/* known NULL: every condition that is not about types holds. */
SnOrderTerm *
sn_order_rule_apply(SnOrder *c, SnOrderRule *r, SnOrderTerm *t,
                    const SnLit *known, uint32_t nknown)
{
    SnOrderTerm *u = NULL;

    c->lenient = !known;
    if (r->nrhs && sn_order_term_match(c, r->lhs, t) &&
        (!known || fits(r->lhs)) && holds(r, known, nknown))
        u = sn_order_rule_build(c, r);
    c->lenient = false;
    sn_order_term_unmatch(r->lhs);
    return u;
}
