// SPDX-License-Identifier: Apache-2.0
/* Conditions on integers: what the left side and the condition say as facts
 * about polynomials, and whether what the right side needs follows from them.
 * The steps go into the certificate. */
#include "dsl/prove/calculus/prove_numbers.h"

#include "dsl/model/expr_tree.h"
#include "dsl/prove/index/path.h"

struct SnNumbers {
    SnCalculus *l;
    SnPath path;
};

SnNumbers *
sn_numbers_new(SnCalculus *l)
{
    SnNumbers *n = SN_NEW(l->a, SnNumbers);

    n->l = l;
    sn_path_init(&n->path, l->pv, l->a);
    sn_path_begin(&n->path);
    return n;
}

/* ---- polynomials ---- */

/* e by its text: the same text has the same value. */
static SnPoly
by_text(SnNumbers *n, const SnExpr *e)
{
    SnCalculus *l = n->l;
    SnPolys *P = &n->path.P;
    const char *s = sn_calculus_rep(l, sn_expr_str(l->a, e));
    bool size =
        e->ek == SN_E_CALL && (e->fn == SN_FN_DIM || e->fn == SN_FN_RANK);

    bool known = sn_poly_find(P, s) >= 0;
    SnPoly p = sn_poly_name(P, s);
    if (size && !known)
        sn_facts_at_least(&n->path.F, p);
    return p;
}

static SnPoly
poly(SnNumbers *n, const SnExpr *e)
{
    SnPolys *P = &n->path.P;

    if (e->ek == SN_E_INT)
        return sn_poly_int(P, e->i);
    if (e->ek == SN_E_NEG)
        return sn_poly_scale(P, poly(n, e->kid[0]), -1);
    if (e->ek != SN_E_BIN || e->op > SN_OP_MUL)
        return by_text(n, e);
    SnPoly a = poly(n, e->kid[0]), b = poly(n, e->kid[1]);
    return e->op == SN_OP_ADD   ? sn_poly_add(P, a, b)
           : e->op == SN_OP_SUB ? sn_poly_sub(P, a, b)
                                : sn_poly_mul(P, a, b);
}

/* Is e (neg: its opposite) a comparison of integers?  Then *op says how *d, the
 * difference of both, compares with 0.  What is said of a list's elements is
 * nothing where it is empty. */
static bool
compares(SnNumbers *n, const SnExpr *e, bool neg, SnOp *op, SnPoly *d)
{
    if (e->ek != SN_E_BIN || e->op < SN_OP_EQ || e->op > SN_OP_GE ||
        e->kid[0]->ty != SN_TY_INT || e->kid[1]->ty != SN_TY_INT)
        return false;
    *d = sn_poly_sub(&n->path.P, poly(n, e->kid[0]), poly(n, e->kid[1]));
    *op = neg ? sn_op_opposite(e->op) : e->op;
    return true;
}

/* The polynomial that is at least 0 exactly where d OP 0: not of == and !=. */
static SnPoly
at_least(SnNumbers *n, SnOp op, SnPoly d)
{
    SnPolys *P = &n->path.P;
    bool up = op == SN_OP_GT || op == SN_OP_GE;

    return sn_poly_plus(P, sn_poly_scale(P, d, up ? 1 : -1),
                        op == SN_OP_GT || op == SN_OP_LT ? -1 : 0);
}

/* ---- facts, and what follows ---- */

static void
fact(SnNumbers *n, const SnExpr *e, bool neg)
{
    SnFacts *F = &n->path.F;
    SnPoly d;
    SnOp op;

    if (e->ek == SN_E_NOT) {
        fact(n, e->kid[0], !neg);
    } else if (e->ek == SN_E_BIN && e->op == (neg ? SN_OP_OR : SN_OP_AND)) {
        fact(n, e->kid[0], neg);
        fact(n, e->kid[1], neg);
    } else if (compares(n, e, neg, &op, &d)) {
        if (op == SN_OP_EQ)
            sn_facts_zero(F, d);
        else if (op != SN_OP_NE)
            sn_facts_at_least(F, at_least(n, op, d));
    }
}

void
sn_numbers_fact(SnNumbers *n, const SnExpr *e)
{
    fact(n, e, false);
}

static bool
holds(SnNumbers *n, const SnExpr *e, bool neg)
{
    SnFacts *F = &n->path.F;
    SnPoly d;
    SnOp op;

    if (e->ek == SN_E_NOT)
        return holds(n, e->kid[0], !neg);
    if (e->ek == SN_E_BIN && (e->op == SN_OP_AND || e->op == SN_OP_OR)) {
        bool all = (e->op == SN_OP_AND) != neg;
        return holds(n, e->kid[0], neg) == all ? holds(n, e->kid[1], neg)
                                               : !all;
    }
    if (!compares(n, e, neg, &op, &d))
        return false;
    if (op == SN_OP_EQ)
        return sn_facts_is_zero(F, d);
    if (op != SN_OP_NE)
        return sn_facts_is_at_least(F, at_least(n, op, d));
    return sn_facts_is_at_least(F, at_least(n, SN_OP_GT, d)) ||
           sn_facts_is_at_least(F, at_least(n, SN_OP_LT, d));
}

bool
sn_numbers_hold(SnNumbers *n, const SnExpr *e)
{
    return holds(n, e, false) && !n->path.P.over;
}

void
sn_numbers_steps(SnNumbers *n, SnBuf *out, uint32_t *natom, const char ***atom)
{
    const SnTrace *t = &n->path.trace;

    sn_putn(out, t->out.s, t->out.n);
    for (uint32_t i = 0; i < t->natom; i++)
        SN_PUSH(n->l->a, *atom, *natom, n->path.P.atom[i].name);
}
