// SPDX-License-Identifier: Apache-2.0
/* Conditions as literals: which exclude each other, and which imply each
 * other. */
#include <math.h>
#include <string.h>
#include "dsl/model/expr_tree.h"
#include "dsl/order/order_term.h"

/* ---- hashes ---- */

uint64_t
sn_order_rule_mix(uint64_t h, uint64_t v)
{
    h ^= v + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
    return h * UINT64_C(0xff51afd7ed558ccd);
}

uint64_t
sn_order_rule_hash_str(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; s && *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static SnOrderTerm *
operand_of(SnOrderTerm *t, const char *name)
{
    const SnDefPort *p = t->node ? sn_def_operand(t->node, name) : NULL;

    return p && p->index < t->narg ? t->arg[p->index] : NULL;
}

SnOrderTerm *
sn_order_rule_var_term(const SnOrderRule *r, const SnExpr *e)
{
    if (e->rk != SN_R_VAR)
        return NULL;
    const SnDefVar *v = e->ref;
    return v->vk == SN_V_LET ? NULL : r->var[v->index];
}

static uint64_t
attr_hash(SnOrderTerm *t, const char *name)
{
    return sn_order_rule_mix(sn_order_rule_hash_str(name),
                             (uint64_t)(uintptr_t)sn_order_term_get(t));
}

/* A number built from literals, as a float attribute holds it: 0.1 and
 * 0.10000000149 are one. */
static bool
number(const SnExpr *e, double *v)
{
    double a, b;

    switch (e->ek) {
    case SN_E_INT:
        *v = (double)e->i;
        return e->i > -(1 << 24) && e->i < 1 << 24;
    case SN_E_REAL:
        *v = (double)(float)e->r;
        return true;
    case SN_E_NEG:
        if (!number(e->kid[0], &a))
            return false;
        *v = 0 - a;
        return true;
    case SN_E_BIN:
        if (e->op > SN_OP_MUL || !number(e->kid[0], &a) ||
            !number(e->kid[1], &b))
            return false;
        *v = (double)(float)(e->op == SN_OP_ADD   ? a + b
                             : e->op == SN_OP_SUB ? a - b
                                                  : a * b);
        return true;
    default:
        return false;
    }
}

static uint64_t
hash_num(double v)
{
    uint64_t bits;

    v += 0.0; /* -0 */
    memcpy(&bits, &v, sizeof bits);
    return sn_order_rule_mix(SN_E_REAL, bits);
}

uint64_t
sn_order_rule_hash(const SnOrderRule *r, const SnExpr *e)
{
    double v;

    if (number(e, &v))
        return hash_num(v);
    uint64_t h =
        sn_order_rule_mix((uint64_t)e->ek, e->ek == SN_E_BIN ? e->op + 1u : 0);
    SnOrderTerm *t;

    if (e->ek == SN_E_NAME && (t = sn_order_rule_var_term(r, e)))
        return (uint64_t)(uintptr_t)sn_order_term_get(t);
    if (e->ek == SN_E_MEMBER && (t = sn_order_rule_var_term(r, e->kid[0]))) {
        SnOrderTerm *o = operand_of(sn_order_term_get(t), e->s);
        return o ? (uint64_t)(uintptr_t)sn_order_term_get(o)
                 : attr_hash(t, e->s);
    }
    h = sn_order_rule_mix(h, sn_order_rule_hash_str(e->s));
    h = sn_order_rule_mix(h, (uint64_t)e->i);
    for (uint32_t i = 0; i < e->nkid; i++)
        h = sn_order_rule_mix(h, sn_order_rule_hash(r, e->kid[i]));
    return h ? h : 1;
}

static bool
constant(const SnExpr *e)
{
    if (e->ek == SN_E_NAME)
        return e->rk == SN_R_WORD || e->rk == SN_R_TYPE;
    if (e->ek == SN_E_MEMBER || e->ek == SN_E_CALL)
        return false;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (!constant(e->kid[i]))
            return false;
    return true;
}

static uint64_t
binary(const SnOrderRule *r, const SnExpr *e, SnOp op, bool swap)
{
    uint64_t a = sn_order_rule_hash(r, e->kid[swap]),
             b = sn_order_rule_hash(r, e->kid[!swap]);

    if (op == SN_OP_EQ && a > b) {
        uint64_t t = a;
        a = b;
        b = t;
    }
    return sn_order_rule_mix(
        sn_order_rule_mix(sn_order_rule_mix((uint64_t)SN_E_BIN, op + 1u), a),
        b);
}

/* ---- literals ---- */

static void
range(SnLit *l, uint64_t of, double lo, double hi)
{
    l->of = of;
    l->lo = lo;
    l->hi = hi;
}

/* term OP number, where the term is one number and not a list; a negated
 * comparison of reals says nothing about NaN. */
static void
compared(const SnOrderRule *r, SnLit *l, const SnExpr *e, bool denied)
{
    static const SnOp swapped[] = {
        [SN_OP_EQ] = SN_OP_EQ, [SN_OP_NE] = SN_OP_NE, [SN_OP_LT] = SN_OP_GT,
        [SN_OP_LE] = SN_OP_GE, [SN_OP_GT] = SN_OP_LT, [SN_OP_GE] = SN_OP_LE};
    double v;
    bool right = number(e->kid[1], &v);

    if (e->op < SN_OP_EQ || e->op > SN_OP_GE ||
        (!right && !number(e->kid[0], &v)))
        return;
    const SnExpr *t = e->kid[!right];
    SnOp op = right ? e->op : swapped[e->op];
    bool whole = t->ty == SN_TY_INT;
    if ((!whole && (t->ty != SN_TY_REAL || denied)) || constant(t))
        return;
    op = denied ? sn_op_opposite(op) : op;
    if (op == SN_OP_NE)
        return;
    range(l, sn_order_rule_hash(r, t),
          op == SN_OP_LT || op == SN_OP_LE ? -INFINITY : v,
          op == SN_OP_GT || op == SN_OP_GE ? INFINITY : v);
    l->lo_open = op == SN_OP_GT;
    l->hi_open = op == SN_OP_LT;
    if (whole && l->lo_open)
        l->lo = floor(l->lo) + 1;
    if (whole && l->hi_open)
        l->hi = ceil(l->hi) - 1;
    l->lo_open &= !whole;
    l->hi_open &= !whole;
}

SnLit
sn_order_rule_lit(const SnOrderRule *r, const SnExpr *e)
{
    SnLit l = {.e = e};

    while (e->ek == SN_E_NOT) {
        l.neg = !l.neg;
        e = e->kid[0];
    }
    if (e->ek != SN_E_BIN) {
        l.hash = sn_order_rule_hash(r, e);
        return l;
    }
    compared(r, &l, e, l.neg);
    switch (e->op) {
    case SN_OP_EQ:
    case SN_OP_NE:
        l.neg ^= e->op == SN_OP_NE;
        l.hash = binary(r, e, SN_OP_EQ, false);
        for (int k = 0; k < 2; k++)
            if (constant(e->kid[!k]) && !constant(e->kid[k])) {
                l.hash = sn_order_rule_hash(r, e->kid[k]);
                l.value = sn_order_rule_hash(r, e->kid[!k]);
            }
        break;
    case SN_OP_GE: /* not a < b */
        l.neg = !l.neg;
        l.hash = binary(r, e, SN_OP_LT, false);
        break;
    case SN_OP_LE: /* not b < a */
        l.neg = !l.neg;
        l.hash = binary(r, e, SN_OP_LT, true);
        break;
    case SN_OP_GT:
        l.hash = binary(r, e, SN_OP_LT, true);
        break;
    default:
        l.hash = binary(r, e, e->op, false);
        break;
    }
    return l;
}

/* What a pattern requires of attributes: {trans_b = true}. */
static void
asg_lits(SnOrder *c, const SnOrderRule *r, SnOrderTerm *t, SnLit **v,
         uint32_t *n)
{
    for (uint32_t i = 0; i < t->nasg && !t->fresh; i++) {
        const SnExpr *e = t->asg[i].e;
        SnLit l = {.hash = attr_hash(t, t->asg[i].name)};
        double x;
        if (number(e, &x))
            range(&l, l.hash, x, x);
        if (e->ek == SN_E_BOOL)
            l.neg = !e->i;
        else
            l.value = sn_order_rule_hash(r, e);
        SN_PUSH(c->a, *v, *n, l);
    }
    for (uint32_t i = 0; i < t->narg; i++)
        asg_lits(c, r, t->arg[i], v, n);
}

uint32_t
sn_order_rule_lits(SnOrder *c, const SnOrderRule *r, SnLit **v)
{
    uint32_t n = 0;

    *v = NULL;
    for (uint32_t i = 0; i < r->nguard; i++) {
        SnLit l = sn_order_rule_lit(r, r->guard[i]);
        SN_PUSH(c->a, *v, n, l);
    }
    asg_lits(c, r, r->lhs, v, &n);
    return n;
}

static bool
apart(const SnLit *a, const SnLit *b)
{
    if (!a->of || a->of != b->of)
        return false;
    return a->hi < b->lo || b->hi < a->lo ||
           (a->hi == b->lo && (a->hi_open || b->lo_open)) ||
           (b->hi == a->lo && (b->hi_open || a->lo_open));
}

static bool
within(const SnLit *a, const SnLit *b)
{
    return a->of && a->of == b->of &&
           (a->lo > b->lo || (a->lo == b->lo && (a->lo_open || !b->lo_open))) &&
           (a->hi < b->hi || (a->hi == b->hi && (a->hi_open || !b->hi_open)));
}

bool
sn_lits_disjoint(const SnLit *a, uint32_t na, const SnLit *b, uint32_t nb)
{
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++)
            if (apart(&a[i], &b[j]) ||
                (a[i].hash == b[j].hash &&
                 (a[i].value == b[j].value
                      ? a[i].neg != b[j].neg
                      : a[i].value && b[j].value && !a[i].neg && !b[j].neg)))
                return true;
    return false;
}

bool
sn_lits_imply(const SnLit *a, uint32_t na, SnLit b)
{
    for (uint32_t i = 0; i < na; i++)
        if ((a[i].hash == b.hash && a[i].value == b.value &&
             a[i].neg == b.neg) ||
            within(&a[i], &b))
            return true;
    return false;
}
