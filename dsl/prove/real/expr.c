// SPDX-License-Identifier: Apache-2.0
/* Expressions of rules and of nodes' constraints: numbers, and the facts of
 * conditions. */
#include "dsl/prove/real/box.h"

#include "dsl/model/expr_tree.h"

SnNums
sn_real_list(SnRealProof *cx, uint32_t n)
{
    return (SnNums){true, n, SN_NEW_N(cx->a, SnPoly, n + 1)};
}

SnNums
sn_real_one(SnRealProof *cx, SnPoly p)
{
    SnNums r = sn_real_list(cx, 1);

    r.list = false;
    r.v[0] = p;
    return r;
}

static SnNums
integer(SnRealProof *cx, int64_t v)
{
    return sn_real_one(cx, sn_poly_int(&cx->path.P, v));
}

static SnNums
out(SnRealProof *cx, const char *why)
{
    sn_real_out(cx, why);
    return integer(cx, 0);
}

bool
sn_real_has_call(const SnExpr *e)
{
    bool r = e->ek == SN_E_CALL;

    for (uint32_t i = 0; i < e->nkid && !r; i++)
        r = sn_real_has_call(e->kid[i]);
    return r;
}

/* ---- names ---- */

static SnBox *
value_of(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    if (e->rk == SN_R_VAR)
        return cx->bind[((const SnDefVar *)e->ref)->index];
    if (e->rk == SN_R_PORT && n) {
        const SnDefPort *p = e->ref;
        return p->out ? n->out : n->in[p->index];
    }
    return NULL;
}

/* The attribute that an expression names, or NULL. */
static SnBoxAttr *
attr_of(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    const SnDefAttr *a = NULL;

    if (e->ek == SN_E_MEMBER && e->kid[0]->rk == SN_R_VAR) {
        n = cx->bound[((const SnDefVar *)e->kid[0]->ref)->index];
        a = n ? sn_def_attr(n->n, e->s) : NULL;
    } else if (e->ek == SN_E_NAME && e->rk == SN_R_ATTR && n) {
        a = sn_def_attr(n->n, e->s);
    }
    return a ? sn_real_attr(n, a) : NULL;
}

static bool
is_int_attr(const SnBoxAttr *a)
{
    return a && (a->attr->ty == SN_A_INT || a->attr->ty == SN_A_BOOL ||
                 a->attr->ty == SN_A_ENUM || a->attr->ty == SN_A_INTS);
}

/* ---- numbers ---- */

static SnNums
pairwise(SnRealProof *cx, SnOp op, SnNums a, SnNums b)
{
    SnPolys *P = &cx->path.P;
    uint32_t n = a.list ? a.n : b.n;
    SnNums r = sn_real_list(cx, n);

    if (a.list && b.list && a.n != b.n)
        return out(cx, "lists of different lengths");
    r.list = a.list || b.list;
    for (uint32_t i = 0; i < n; i++) {
        SnPoly x = a.v[a.list ? i : 0], y = b.v[b.list ? i : 0];
        r.v[i] = op == SN_OP_ADD   ? sn_poly_add(P, x, y)
                 : op == SN_OP_SUB ? sn_poly_sub(P, x, y)
                                   : sn_poly_mul(P, x, y);
    }
    return r;
}

static SnNums
dims_of(SnRealProof *cx, SnBox *v)
{
    SnNums r;

    if (!v)
        return out(cx, "the shape of a missing operand");
    sn_real_shape(cx, v);
    if (sn_real_stopped(cx))
        return integer(cx, 0);
    r = sn_real_list(cx, (uint32_t)v->rank);
    for (int i = 0; i < v->rank; i++)
        r.v[i] = v->dim[i];
    return r;
}

static SnNums
element(SnRealProof *cx, SnNums list, SnNums at)
{
    int64_t i;

    /* each possible value */
    for (int64_t k = -(int64_t)list.n;
         k < list.n && !sn_real_stopped(cx) &&
         !sn_poly_is_int(sn_real_norm(cx, at.v[0]), &i);
         k++)
        (void)sn_path_decide_zero(&cx->path,
                                  sn_poly_plus(&cx->path.P, at.v[0], -k));
    if (sn_real_stopped(cx))
        return integer(cx, 0);
    if (!sn_poly_is_int(sn_real_norm(cx, at.v[0]), &i))
        i = list.n;
    i = i < 0 ? i + list.n : i;
    if (i < 0 || i >= list.n) {
        sn_path_stop(&cx->path, SN_PATH_DEAD, "no such element");
        return integer(cx, 0);
    }
    return sn_real_one(cx, list.v[i]);
}

static SnNums
filled(SnRealProof *cx, SnNums count, int64_t v)
{
    int64_t n;

    if (!sn_poly_is_int(sn_real_norm(cx, count.v[0]), &n) || n < 0 || n > 64)
        return out(cx, "a list of unknown length");
    SnNums r = sn_real_list(cx, (uint32_t)n);
    for (uint32_t i = 0; i < r.n; i++)
        r.v[i] = sn_poly_int(&cx->path.P, v);
    return r;
}

static SnNums
call(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnNums k;

    switch (e->fn) {
    case SN_FN_DIM:
        k = dims_of(cx, value_of(cx, n, e->kid[0]));
        return element(cx, k, sn_real_nums(cx, n, e->kid[1]));
    case SN_FN_DIMS:
        return dims_of(cx, value_of(cx, n, e->kid[0]));
    case SN_FN_RANK:
        return integer(cx, dims_of(cx, value_of(cx, n, e->kid[0])).n);
    case SN_FN_ONES:
    case SN_FN_ZEROS:
        k = sn_real_nums(cx, n, e->kid[0]);
        return filled(cx, k, e->fn == SN_FN_ONES);
    default:
        return out(cx, "a function of the condition");
    }
}

SnNums
sn_real_nums(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnBoxAttr *a;
    SnNums r;

    if (sn_real_stopped(cx))
        return integer(cx, 0);
    if ((a = attr_of(cx, n, e))) {
        if (!is_int_attr(a) || (a->attr->ty == SN_A_INTS && !a->known))
            return out(cx, "an attribute that is no known list");
        return a->i;
    }
    switch (e->ek) {
    case SN_E_INT:
    case SN_E_BOOL:
        return integer(cx, e->i);
    case SN_E_LIST:
        r = sn_real_list(cx, e->nkid);
        for (uint32_t i = 0; i < e->nkid; i++)
            r.v[i] = sn_real_nums(cx, n, e->kid[i]).v[0];
        return r;
    case SN_E_NEG:
        return pairwise(cx, SN_OP_SUB, integer(cx, 0),
                        sn_real_nums(cx, n, e->kid[0]));
    case SN_E_BIN:
        if (e->op != SN_OP_ADD && e->op != SN_OP_SUB && e->op != SN_OP_MUL)
            break;
        r = sn_real_nums(cx, n, e->kid[0]);
        return pairwise(cx, e->op, r, sn_real_nums(cx, n, e->kid[1]));
    case SN_E_INDEX:
        r = sn_real_nums(cx, n, e->kid[0]);
        return element(cx, r, sn_real_nums(cx, n, e->kid[1]));
    case SN_E_CALL:
        return call(cx, n, e);
    default:
        break;
    }
    return e->rk == SN_R_WORD ? integer(cx, e->i)
                              : out(cx, "an expression of the condition");
}

SnRing
sn_real_number(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnBoxAttr *a = attr_of(cx, n, e);
    double v;
    SnRing x;

    if (a && a->attr->ty == SN_A_REAL)
        return a->r;
    if (sn_expr_number(e, &v))
        return sn_ring_num(&cx->R, v);
    if (e->ek == SN_E_CALL && e->fn == SN_FN_SQRT) {
        x = sn_real_number(cx, n, e->kid[0]);
        return sn_ring_atom(&cx->R, SN_RING_ABOVE, "sqrt", 1, &x);
    }
    if (e->ek == SN_E_CALL && e->nkid == 2 &&
        (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN)) {
        x = sn_real_number(cx, n, e->kid[0]);
        SnRing y = sn_real_number(cx, n, e->kid[1]);
        return sn_real_stopped(cx)
                   ? x
                   : sn_real_extreme(cx, cx->building_left, e->fn, x, y);
    }
    if (e->ek == SN_E_BIN && e->op <= SN_OP_DIV) {
        x = sn_real_number(cx, n, e->kid[0]);
        SnRing y = sn_real_number(cx, n, e->kid[1]);
        if (sn_real_stopped(cx))
            return x;
        return e->op == SN_OP_MUL   ? sn_ring_mul(&cx->R, x, y)
               : e->op == SN_OP_DIV ? sn_ring_div(&cx->R, x, y)
               : e->op == SN_OP_ADD ? sn_ring_add(&cx->R, x, y)
                                    : sn_ring_sub(&cx->R, x, y);
    }
    sn_real_out(cx, "a real that is not known");
    return (SnRing){0};
}

/* ---- facts of conditions ---- */

static void
dead(SnRealProof *cx)
{
    sn_path_stop(&cx->path, SN_PATH_DEAD, "the condition does not hold");
}

static void
assume(SnRealProof *cx, SnPoly p, bool zero)
{
    if (zero)
        sn_path_assume_zero(&cx->path, p);
    else
        sn_path_assume(&cx->path, p);
    if (sn_facts_absurd(&cx->path.F))
        dead(cx);
}

/* For a comparison: p >= 0, or p = 0 (*zero), element by element. */
static SnNums
difference(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e, bool *zero)
{
    bool less = e->op == SN_OP_LT || e->op == SN_OP_LE;
    SnNums a = sn_real_nums(cx, n, e->kid[less]);
    SnNums b = sn_real_nums(cx, n, e->kid[!less]);

    *zero = e->op == SN_OP_EQ;
    a = pairwise(cx, SN_OP_SUB, a, b);
    for (uint32_t i = 0; i < a.n; i++)
        if (e->op == SN_OP_LT || e->op == SN_OP_GT)
            a.v[i] = sn_poly_plus(&cx->path.P, a.v[i], -1);
    return a;
}

static bool
is_numbers(SnTy t)
{
    return t == SN_TY_INT || t == SN_TY_INTS || t == SN_TY_BOOL ||
           t == SN_TY_ENUM;
}

static bool
compares(const SnExpr *e)
{
    return e->ek == SN_E_BIN && e->op >= SN_OP_EQ && e->op <= SN_OP_GE &&
           e->op != SN_OP_NE && is_numbers(e->kid[0]->ty) &&
           is_numbers(e->kid[1]->ty);
}

/* Whether the calculus can express it; leaving it out is not an error. */
static bool
within_reach(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    const SnBoxAttr *a = attr_of(cx, n, e);

    if (a)
        return is_int_attr(a) && (a->attr->ty != SN_A_INTS || a->known);
    if (e->ek == SN_E_CALL && e->fn != SN_FN_DIM && e->fn != SN_FN_DIMS &&
        e->fn != SN_FN_RANK && e->fn != SN_FN_ONES && e->fn != SN_FN_ZEROS)
        return false;
    if (e->ek == SN_E_CALL && e->fn <= SN_FN_DIMS)
        return value_of(cx, n, e->kid[0]) != NULL;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (!within_reach(cx, n, e->kid[i]))
            return false;
    return true;
}

/* A real attribute, or a number. */
static bool
is_plain_real(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    const SnBoxAttr *a = attr_of(cx, n, e);
    double v;

    return (a && a->attr->ty == SN_A_REAL) || sn_expr_number(e, &v);
}

/* For two reals: one is at least the other. */
static bool
orders(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    return e->ek == SN_E_BIN && e->op >= SN_OP_LT && e->op <= SN_OP_GE &&
           is_plain_real(cx, n, e->kid[0]) && is_plain_real(cx, n, e->kid[1]);
}

static void
assume_order(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    bool less = e->op == SN_OP_LT || e->op == SN_OP_LE;
    SnRing x = sn_real_number(cx, n, e->kid[less]);
    SnRing y = sn_real_number(cx, n, e->kid[!less]);

    sn_real_at_least(cx, x, y, e->op == SN_OP_LT || e->op == SN_OP_GT);
}

void
sn_real_assume(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnBoxAttr *a = attr_of(cx, n, e->ek == SN_E_NOT ? e->kid[0] : e);
    bool zero;

    if (sn_real_stopped(cx))
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        sn_real_assume(cx, n, e->kid[0]);
        sn_real_assume(cx, n, e->kid[1]);
    } else if (a && a->attr->ty == SN_A_BOOL) {
        assume(cx,
               sn_poly_plus(&cx->path.P, a->i.v[0], e->ek == SN_E_NOT ? 0 : -1),
               true);
    } else if (compares(e) && within_reach(cx, n, e)) {
        SnNums d = difference(cx, n, e, &zero);
        for (uint32_t i = 0; i < d.n && !sn_real_stopped(cx); i++)
            assume(cx, d.v[i], zero);
    } else if (orders(cx, n, e)) {
        assume_order(cx, n, e);
    }
}

/* ---- known conditions ---- */

static bool
holds_real(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnRing x = sn_real_number(cx, n, e->kid[0]);
    double want, is;

    if (sn_real_stopped(cx) || !sn_expr_number(e->kid[1], &want))
        return false;
    if (sn_ring_is_num(x, &is))
        return e->op == SN_OP_GE   ? is >= want
               : e->op == SN_OP_GT ? is > want
               : e->op == SN_OP_LE ? is <= want
               : e->op == SN_OP_LT ? is < want
                                   : is == want;
    for (uint32_t i = 0; i < cx->nfact; i++) {
        const SnExpr *f = cx->fact[i];
        double said;
        if (f->ek != SN_E_BIN || f->op != e->op ||
            f->kid[0]->ty != SN_TY_REAL || !sn_expr_number(f->kid[1], &said) ||
            said != want)
            continue;
        if (sn_ring_same(&cx->R, sn_real_number(cx, NULL, f->kid[0]), x))
            return true;
    }
    return false;
}

bool
sn_real_holds(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e)
{
    SnBoxAttr *a = attr_of(cx, n, e->ek == SN_E_NOT ? e->kid[0] : e);
    bool zero;

    if (sn_real_stopped(cx))
        return true;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return sn_real_holds(cx, n, e->kid[0]) &&
               sn_real_holds(cx, n, e->kid[1]);
    if (e->ek == SN_E_BIN && e->op == SN_OP_OR)
        return sn_real_holds(cx, n, e->kid[0]) ||
               sn_real_holds(cx, n, e->kid[1]);
    if (a && a->attr->ty == SN_A_BOOL)
        return sn_real_knows_zero(cx, sn_poly_plus(&cx->path.P, a->i.v[0],
                                                   e->ek == SN_E_NOT ? 0 : -1));
    if (e->ek == SN_E_BIN && e->op >= SN_OP_EQ && e->op <= SN_OP_GE &&
        e->kid[0]->ty == SN_TY_REAL)
        return holds_real(cx, n, e);
    if (!compares(e))
        return false;
    SnNums d = difference(cx, n, e, &zero);
    for (uint32_t i = 0; i < d.n && !sn_real_stopped(cx); i++)
        if (!(zero ? sn_real_knows_zero(cx, d.v[i])
                   : sn_real_knows(cx, d.v[i])))
            return false;
    return true;
}

/* ---- the condition of the rule ---- */

static bool
says_list(SnRealProof *cx, const SnExpr *e)
{
    SnBoxAttr *a = attr_of(cx, NULL, e->kid[0]);

    if (!a || a->attr->ty != SN_A_INTS || a->known ||
        e->kid[1]->ek != SN_E_LIST || sn_real_has_call(e->kid[1]))
        return false;
    a->i = sn_real_nums(cx, NULL, e->kid[1]);
    a->known = true;
    return true;
}

static void
one_fact(SnRealProof *cx, const SnExpr *e)
{
    bool no = e->ek == SN_E_NOT;
    const SnExpr *c = no ? e->kid[0] : e;

    if (c->ek == SN_E_CALL && c->fn == SN_FN_PRESENT) {
        bool there;
        if (c->kid[0]->ek == SN_E_MEMBER) {
            const SnBoxNode *n =
                cx->bound[((const SnDefVar *)c->kid[0]->kid[0]->ref)->index];
            const SnDefPort *p = n ? sn_def_operand(n->n, c->kid[0]->s) : NULL;
            if (!p)
                return;
            there = n->in[p->index] != NULL;
        } else {
            there = value_of(cx, NULL, c->kid[0]) != NULL;
        }
        if (there == no)
            dead(cx);
        return;
    }
    if (e->ek == SN_E_BIN && e->op == SN_OP_EQ) {
        SnBoxAttr *a = attr_of(cx, NULL, e->kid[0]);
        if (a && a->attr->ty == SN_A_RANGE && e->kid[1]->word == SN_W_FULL)
            a->full = true;
        if (says_list(cx, e))
            return;
    }
    if (cx->nfact < sizeof cx->fact / sizeof *cx->fact)
        cx->fact[cx->nfact++] = e;
}

void
sn_real_split(SnRealProof *cx, const SnExpr *e)
{
    if (sn_real_stopped(cx))
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        sn_real_split(cx, e->kid[0]);
        sn_real_split(cx, e->kid[1]);
    } else if (e->ek == SN_E_BIN && e->op == SN_OP_OR) {
        bool first = sn_path_decide_name(
            &cx->path, sn_format(cx->a, "{%s}", sn_expr_str(cx->a, e->kid[0])));
        sn_real_split(cx, e->kid[!first]);
    } else {
        one_fact(cx, e);
    }
}

bool
sn_real_same_shape(SnRealProof *cx, const SnExpr *e, SnBox **a, SnBox **b)
{
    if (e->ek != SN_E_BIN || e->op != SN_OP_EQ || e->kid[0]->ek != SN_E_CALL ||
        e->kid[0]->fn != SN_FN_SHAPE || e->kid[1]->ek != SN_E_CALL ||
        e->kid[1]->fn != SN_FN_SHAPE)
        return false;
    *a = value_of(cx, NULL, e->kid[0]->kid[0]);
    *b = value_of(cx, NULL, e->kid[1]->kid[0]);
    return *a && *b;
}
