// SPDX-License-Identifier: Apache-2.0
/* Conditions of a node that cannot be satisfied: a default that breaks its own
 * 'where', constraints and invariants that contradict one another.  Each
 * comparison bounds a number, or the difference of two; other conditions bound
 * nothing. */
#include <math.h>
#include "dsl/model/expr_tree.h"
#include "dsl/resolve/resolver.h"

/* A number lies between the bounds; open: the bound itself is excluded. */
typedef struct Bound {
    const char *text;
    double lo, hi;
    bool open_lo, open_hi;
} Bound;

typedef struct Bounds {
    SnArena *a;
    uint32_t n;
    Bound *v;
} Bounds;

static bool
number(const SnExpr *e, double *v)
{
    if (e->rk == SN_R_WORD || e->ek == SN_E_BOOL) {
        *v = (double)e->i;
        return true;
    }
    return sn_expr_number(e, v);
}

static bool
is_int(SnTy t)
{
    return t == SN_TY_INT || t == SN_TY_INTS || t == SN_TY_BOOL ||
           t == SN_TY_ENUM;
}

static Bound *
bound_of(Bounds *b, const char *text, const SnExpr *e)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (sn_name_same(b->v[i].text, text))
            return &b->v[i];
    Bound new = {.text = text, .lo = -INFINITY, .hi = INFINITY};
    if (e && (e->fn == SN_FN_RANK || e->fn == SN_FN_DIM ||
              e->fn == SN_FN_DIMS || e->fn == SN_FN_COUNT))
        new.lo = 0;
    SN_PUSH(b->a, b->v, b->n, new);
    return &b->v[b->n - 1];
}

static SnOp
turned(SnOp op)
{
    return op == SN_OP_LT   ? SN_OP_GT
           : op == SN_OP_LE ? SN_OP_GE
           : op == SN_OP_GT ? SN_OP_LT
           : op == SN_OP_GE ? SN_OP_LE
                            : op;
}

/* From here on, the number with this bound is `op v`; false: no number
 * satisfies this. */
static bool
narrow(Bound *b, SnOp op, double v, bool whole)
{
    bool open = !whole && (op == SN_OP_LT || op == SN_OP_GT);

    if (whole && op == SN_OP_LT)
        v = ceil(v) - 1;
    if (whole && op == SN_OP_GT)
        v = floor(v) + 1;
    if ((op == SN_OP_GE || op == SN_OP_GT || op == SN_OP_EQ) && v >= b->lo) {
        b->open_lo = open || (v == b->lo && b->open_lo);
        b->lo = v;
    }
    if ((op == SN_OP_LE || op == SN_OP_LT || op == SN_OP_EQ) && v <= b->hi) {
        b->open_hi = open || (v == b->hi && b->open_hi);
        b->hi = v;
    }
    if (op == SN_OP_EQ && (v < b->lo || v > b->hi))
        return false;
    return b->lo < b->hi || (b->lo == b->hi && !b->open_lo && !b->open_hi);
}

/* x op y, neither of them a constant: bounds their difference. */
static bool
compared(Bounds *b, const SnExpr *e)
{
    const SnExpr *x = e->kid[0], *y = e->kid[1];
    const char *s = sn_expr_str(b->a, x), *t = sn_expr_str(b->a, y);
    const char *back = sn_format(b->a, "%s - %s", t, s);
    bool whole = is_int(x->ty) && is_int(y->ty);

    for (uint32_t i = 0; i < b->n; i++)
        if (sn_name_same(b->v[i].text, back))
            return narrow(&b->v[i], turned(e->op), 0, whole);
    return narrow(bound_of(b, sn_format(b->a, "%s - %s", s, t), NULL), e->op, 0,
                  whole);
}

/* A list may be empty, and then nothing bounds it. */
static bool
may_be_empty(const SnExpr *e)
{
    const SnDefAttr *a = e->rk == SN_R_ATTR ? e->ref : NULL;

    return sn_ty_is_list(e->ty) && !(a && a->fixed);
}

/* False: nothing satisfies e and the conditions before. */
static bool
meets(Bounds *b, const SnExpr *e)
{
    double v;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return meets(b, e->kid[0]) && meets(b, e->kid[1]);
    if (e->ek == SN_E_NOT && e->kid[0]->rk == SN_R_ATTR)
        return narrow(bound_of(b, sn_expr_str(b->a, e->kid[0]), NULL), SN_OP_EQ,
                      0, true);
    if (e->rk == SN_R_ATTR && e->ty == SN_TY_BOOL)
        return narrow(bound_of(b, sn_expr_str(b->a, e), NULL), SN_OP_EQ, 1,
                      true);
    if (e->ek != SN_E_BIN || e->op < SN_OP_EQ || e->op > SN_OP_GE ||
        e->op == SN_OP_NE || may_be_empty(e->kid[0]) || may_be_empty(e->kid[1]))
        return true;
    for (int i = 0; i < 2; i++)
        if (number(e->kid[!i], &v) && !number(e->kid[i], &v)) {
            const SnExpr *x = e->kid[i];
            (void)number(e->kid[!i], &v);
            return narrow(bound_of(b, sn_expr_str(b->a, x), x),
                          i ? turned(e->op) : e->op, v, is_int(x->ty));
        }
    if (e->kid[0]->ek == SN_E_LIST || e->kid[1]->ek == SN_E_LIST)
        return true;
    return compared(b, e);
}

/* ---- defaults ---- */

/* e with the default of attribute a, of a list element i. */
static bool
value(const SnExpr *e, const SnDefAttr *a, uint32_t i, double *v)
{
    double k[2];

    if (e->rk == SN_R_ATTR && e->ref == a)
        e = a->def;
    if (e->ek == SN_E_LIST)
        return i < e->nkid && number(e->kid[i], v);
    if (e->ek != SN_E_BIN || e->op > SN_OP_MUL)
        return number(e, v);
    if (!value(e->kid[0], a, i, &k[0]) || !value(e->kid[1], a, i, &k[1]))
        return false;
    *v = e->op == SN_OP_ADD   ? k[0] + k[1]
         : e->op == SN_OP_SUB ? k[0] - k[1]
                              : k[0] * k[1];
    return true;
}

static bool
not_among(const SnExpr *e, const SnDefAttr *a, uint32_t i)
{
    double x, y;

    if (!value(e->kid[0], a, i, &x))
        return false;
    for (uint32_t k = 1; k < e->nkid; k++)
        if (!number(e->kid[k], &y) || x == y)
            return false;
    return true;
}

/* Does element i of a's default break its 'where'? */
static bool
breaks(const SnExpr *e, const SnDefAttr *a, uint32_t i)
{
    double x, y;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return breaks(e->kid[0], a, i) || breaks(e->kid[1], a, i);
    if (e->ek == SN_E_BIN && e->op == SN_OP_OR)
        return breaks(e->kid[0], a, i) && breaks(e->kid[1], a, i);
    if (e->ek == SN_E_IN)
        return not_among(e, a, i);
    if (e->ek != SN_E_BIN || e->op < SN_OP_EQ || e->op > SN_OP_GE ||
        !value(e->kid[0], a, i, &x) || !value(e->kid[1], a, i, &y))
        return false;
    return sn_op_apply(e->op, x, y) == 0;
}

static void
never(SnResolver *rs, SnDefNode *n, SnPos at, const char *what)
{
    sn_error(rs->d, at, "SN134", "no graph meets %s of %s", what, n->name);
    sn_diag_help(rs->d, "it contradicts itself or an earlier condition");
    rs->bad_node[n->kind] = true;
}

void
sn_resolve_never(SnResolver *rs, SnDefNode *n)
{
    Bounds b = {.a = rs->a};

    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *a = n->all[i];
        uint32_t len = a->def && a->def->ek == SN_E_LIST ? a->def->nkid : 1;
        bool broken = false;
        for (uint32_t k = 0; a->def && a->where && k < len; k++)
            broken |= breaks(a->where, a, k);
        if (broken) {
            sn_error(rs->d, a->def->pos, "SN134",
                     "the default of '%s' of %s breaks its own 'where': %s is "
                     "not %s",
                     a->name, n->name, sn_expr_str(rs->a, a->def),
                     sn_expr_str(rs->a, a->where));
            rs->bad_node[n->kind] = true;
        }
        if (a->where && !meets(&b, a->where))
            never(rs, n, a->where->pos,
                  sn_format(rs->a, "the 'where' of '%s'", a->name));
    }
    for (uint32_t i = 0; i < n->nrinv && !rs->bad_node[n->kind]; i++)
        if (!meets(&b, n->rinv[i]->expr))
            never(rs, n, n->rinv[i]->expr->pos, "an invariant");
}
