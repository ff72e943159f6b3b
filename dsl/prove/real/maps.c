// SPDX-License-Identifier: Apache-2.0
/* Expressions of map declarations over polynomials, lists as long as they are.
 * A truth value is 0, 1 or, if it depends on a place in a sum, an atom that is
 * one of them. */
#include "dsl/prove/real/box.h"

#include <string.h>

typedef struct Ev {
    SnRealProof *cx;
    const SnBoxNode *n;
    const SnNums *slot;
} Ev;

static SnNums eval(const Ev *v, int32_t at);

static SnNums
integer(SnRealProof *cx, int64_t v)
{
    return sn_real_one(cx, sn_poly_int(&cx->path.P, v));
}

static SnNums
out(const Ev *v, const char *why)
{
    sn_real_out(v->cx, why);
    return integer(v->cx, 0);
}

/* ---- known facts ---- */

/* Facts about places in sums hold during a question. */
static SnFactsMark
with_binders(SnRealProof *cx)
{
    return sn_facts_lend(&cx->path.F, cx->nbinder, cx->binder);
}

bool
sn_real_knows(SnRealProof *cx, SnPoly p)
{
    SnFactsMark m = with_binders(cx);
    bool yes = sn_facts_is_at_least(&cx->path.F, p);

    sn_facts_back(&cx->path.F, m);
    return yes;
}

bool
sn_real_knows_zero(SnRealProof *cx, SnPoly p)
{
    SnFactsMark m = with_binders(cx);
    bool yes = sn_facts_is_zero(&cx->path.F, p);

    sn_facts_back(&cx->path.F, m);
    return yes;
}

bool
sn_real_implies(SnRealProof *cx, SnPoly p)
{
    SnFactsMark m = with_binders(cx);
    bool yes = sn_facts_is_at_least(&cx->path.F, p);

    if (yes)
        sn_trace_implied(&cx->path.trace, p);
    sn_facts_back(&cx->path.F, m);
    return yes;
}

SnPoly
sn_real_norm(SnRealProof *cx, SnPoly p)
{
    SnFactsMark m = with_binders(cx);

    p = sn_facts_norm(&cx->path.F, p);
    sn_facts_back(&cx->path.F, m);
    return p;
}

/* Is a place in a sum part of p? */
static bool
of_sums(SnRealProof *cx, SnPoly p)
{
    return strchr(sn_poly_text(&cx->path.P, p), '$') != NULL;
}

static SnPoly
open_flag(SnRealProof *cx, SnPoly p)
{
    SnPolys *P = &cx->path.P;
    SnPoly f =
        sn_poly_name(P, sn_format(cx->a, "[%s >= 0]", sn_poly_text(P, p)));

    sn_path_assume(&cx->path, f);
    sn_path_assume(&cx->path, sn_poly_plus(P, sn_poly_scale(P, f, -1), 1));
    SnBoxFlag new = {P->atom[f.m[0].atom[0]].name, p};
    SN_PUSH(cx->a, cx->flag, cx->nflag, new);
    return f;
}

SnPoly
sn_real_is(SnRealProof *cx, SnPoly p)
{
    SnPolys *P = &cx->path.P;
    SnPoly no = sn_poly_plus(P, sn_poly_scale(P, p, -1), -1);

    if (sn_real_knows(cx, p)) {
        /* as a fact, others follow from its products */
        p = sn_real_norm(cx, p);
        if (cx->reading && p.n && p.m[p.n - 1].n > 1 && !of_sums(cx, p))
            sn_path_assume(&cx->path, p);
        return sn_poly_int(P, 1);
    }
    if (sn_real_knows(cx, no))
        return sn_poly_int(P, 0);
    p = sn_real_norm(cx, p);
    if (of_sums(cx, p))
        return open_flag(cx, p);
    return sn_poly_int(P, sn_path_decide(&cx->path, p));
}

static SnPoly
is_zero(SnRealProof *cx, SnPoly p)
{
    SnPolys *P = &cx->path.P;

    if (sn_real_knows_zero(cx, p))
        return sn_poly_int(P, 1);
    p = sn_real_norm(cx, p);
    if (of_sums(cx, p)) /* p >= 0 and -p >= 0 */
        return sn_poly_mul(P, sn_real_is(cx, p),
                           sn_real_is(cx, sn_poly_scale(P, p, -1)));
    return sn_poly_int(P, sn_path_decide_zero(&cx->path, p));
}

/* A condition: decided, unless it depends on a place in a sum. */
static SnPoly
truth(SnRealProof *cx, SnPoly c)
{
    int64_t v;

    c = sn_real_norm(cx, c);
    if (sn_poly_is_int(c, &v) || of_sums(cx, c) || sn_real_stopped(cx))
        return c;
    return sn_poly_int(&cx->path.P, !sn_path_decide_zero(&cx->path, c));
}

/* ---- operators ---- */

static SnPoly
quotient(SnRealProof *cx, SnMapOp op, SnPoly a, SnPoly b)
{
    SnPolys *P = &cx->path.P;
    SnFactsMark m;

    if (!sn_real_knows(cx, sn_poly_plus(P, b, -1)) &&
        !sn_path_decide(&cx->path, sn_poly_plus(P, b, -1)) &&
        !sn_real_stopped(cx)) {
        sn_real_out(cx, "a divisor that may not be above 0");
        return b;
    }
    m = with_binders(cx);
    a = sn_facts_norm(&cx->path.F, a);
    b = sn_facts_norm(&cx->path.F, b);
    a = op == SN_MO_DIV ? sn_facts_div(&cx->path.F, a, b)
                        : sn_facts_mod(&cx->path.F, a, b);
    sn_facts_back(&cx->path.F, m);
    return a;
}

/* a where c, else b; c is 0, 1 or open. */
static SnPoly
either(SnRealProof *cx, SnPoly c, SnPoly a, SnPoly b)
{
    SnPolys *P = &cx->path.P;

    return sn_poly_add(P, b, sn_poly_mul(P, c, sn_poly_sub(P, a, b)));
}

static SnPoly
binary(SnRealProof *cx, SnMapOp op, SnPoly a, SnPoly b)
{
    SnPolys *P = &cx->path.P;
    SnPoly d = sn_poly_sub(P, a, b);

    switch (op) {
    case SN_MO_ADD:
        return sn_poly_add(P, a, b);
    case SN_MO_SUB:
        return d;
    case SN_MO_MUL:
    case SN_MO_AND:
        return sn_poly_mul(P, a, b);
    case SN_MO_OR:
        return sn_poly_sub(P, sn_poly_add(P, a, b), sn_poly_mul(P, a, b));
    case SN_MO_EQ:
        return is_zero(cx, d);
    case SN_MO_NE:
        return sn_poly_plus(P, sn_poly_scale(P, is_zero(cx, d), -1), 1);
    case SN_MO_GE:
        return sn_real_is(cx, d);
    case SN_MO_GT:
        return sn_real_is(cx, sn_poly_plus(P, d, -1));
    case SN_MO_LE:
        return sn_real_is(cx, sn_poly_scale(P, d, -1));
    case SN_MO_LT:
        return sn_real_is(cx, sn_poly_plus(P, sn_poly_scale(P, d, -1), -1));
    case SN_MO_MAX:
        return either(cx, sn_real_is(cx, d), a, b);
    case SN_MO_MIN:
        return either(cx, sn_real_is(cx, d), b, a);
    default:
        return quotient(cx, op, a, b);
    }
}

static SnNums
pairs(const Ev *v, const SnMapExpr *e)
{
    SnNums a = eval(v, e->kid), b;
    bool logic = e->op == SN_MO_AND || e->op == SN_MO_OR;
    int64_t is;

    for (uint32_t i = 0; i < a.n && logic; i++)
        a.v[i] = truth(v->cx, a.v[i]);
    if (!a.list && logic && a.n && sn_poly_is_int(a.v[0], &is) &&
        is == (e->op == SN_MO_OR))
        return a;
    b = eval(v, e->kid + 1);
    if (sn_real_stopped(v->cx))
        return integer(v->cx, 0);
    for (uint32_t i = 0; i < b.n && logic; i++)
        b.v[i] = truth(v->cx, b.v[i]);
    if (a.list && b.list && a.n != b.n)
        return out(v, "lists of different lengths");
    SnNums r = sn_real_list(v->cx, a.list ? a.n : b.n);
    r.list = a.list || b.list;
    for (uint32_t i = 0; i < r.n; i++)
        r.v[i] = binary(v->cx, (SnMapOp)e->op, a.v[a.list ? i : 0],
                        b.v[b.list ? i : 0]);
    return r;
}

static SnNums
unary(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    SnNums a = eval(v, e->kid), r = sn_real_list(v->cx, a.n);

    r.list = a.list;
    for (uint32_t i = 0; i < a.n; i++) {
        SnPoly no = sn_poly_scale(P, a.v[i], -1);
        r.v[i] = e->op == SN_MO_NEG ? no
                 : e->op == SN_MO_NOT
                     ? sn_poly_plus(P, no, 1)
                     : either(v->cx, sn_real_is(v->cx, a.v[i]), a.v[i], no);
    }
    return r;
}

/* Evaluates only the chosen side if the condition is known. */
static SnNums
selected(const Ev *v, const SnMapExpr *e, unsigned k)
{
    SnNums c, a, b;
    int64_t is;

    if (k + 1 >= e->nkid)
        return eval(v, e->kid + (int32_t)k);
    c = eval(v, e->kid + (int32_t)k);
    if (sn_real_stopped(v->cx))
        return c;
    bool known = true, first = true, second = true;
    for (uint32_t i = 0; i < c.n; i++) {
        c.v[i] = truth(v->cx, c.v[i]);
        known &= sn_poly_is_int(c.v[i], &is);
        first &= known && is == 1;
        second &= known && is == 0;
    }
    if (first && (c.n || !c.list))
        return eval(v, e->kid + (int32_t)k + 1);
    if (second && (c.n || !c.list))
        return selected(v, e, k + 2);
    a = eval(v, e->kid + (int32_t)k + 1);
    b = selected(v, e, k + 2);
    if (sn_real_stopped(v->cx))
        return integer(v->cx, 0);
    SnNums r = sn_real_list(v->cx, c.list ? c.n : a.list ? a.n : b.n);
    r.list = c.list || a.list || b.list;
    for (uint32_t i = 0; i < r.n; i++)
        r.v[i] = either(v->cx, c.v[c.list ? i : 0], a.v[a.list ? i : 0],
                        b.v[b.list ? i : 0]);
    return r;
}

/* ---- lists ---- */

static SnNums
element(const Ev *v, const SnMapExpr *e)
{
    SnNums list = eval(v, e->kid), at = eval(v, e->kid + 1), r;
    int64_t k;

    r = sn_real_list(v->cx, at.n);
    r.list = at.list;
    for (uint32_t i = 0; i < at.n && !sn_real_stopped(v->cx); i++) {
        bool is = sn_poly_is_int(sn_real_norm(v->cx, at.v[i]), &k);
        /* after the end: no value, unless it is not chosen */
        r.v[i] = is && k >= 0 && k < list.n ? list.v[k]
                                            : sn_poly_name(&v->cx->path.P, "?");
    }
    return r;
}

static SnNums
inverse(const Ev *v, const SnMapExpr *e)
{
    SnNums p = eval(v, e->kid), r = sn_real_list(v->cx, p.n);
    int64_t k;

    for (uint32_t i = 0; i < p.n; i++)
        r.v[i] = sn_poly_int(&v->cx->path.P, -1);
    for (uint32_t i = 0; i < p.n && !sn_real_stopped(v->cx); i++) {
        if (!sn_poly_is_int(sn_real_norm(v->cx, p.v[i]), &k))
            return out(v, "a permutation that is not known");
        if (k >= 0 && k < p.n)
            r.v[k] = sn_poly_int(&v->cx->path.P, i);
    }
    return r;
}

static SnNums
among(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    SnNums x = eval(v, e->kid), list = eval(v, e->kid + 1);
    SnNums r = sn_real_list(v->cx, x.n);

    r.list = x.list;
    for (uint32_t i = 0; i < x.n; i++) {
        r.v[i] = sn_poly_int(P, 0);
        for (uint32_t k = 0; k < list.n && !sn_real_stopped(v->cx); k++)
            r.v[i] = binary(v->cx, SN_MO_OR, r.v[i],
                            is_zero(v->cx, sn_poly_sub(P, x.v[i], list.v[k])));
    }
    return r;
}

/* product, sum, last, count. */
static SnNums
folded(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    SnNums a = eval(v, e->kid);
    SnPoly r = sn_poly_int(P, e->op == SN_MO_PRODUCT);

    if (e->op == SN_MO_COUNT)
        return integer(v->cx, a.n);
    if (e->op == SN_MO_LAST)
        return a.n ? sn_real_one(v->cx, a.v[a.n - 1])
                   : out(v, "the last of no elements");
    for (uint32_t i = 0; i < a.n; i++)
        r = e->op == SN_MO_PRODUCT ? sn_poly_mul(P, r, a.v[i])
                                   : sn_poly_add(P, r, a.v[i]);
    return sn_real_one(v->cx, sn_real_norm(v->cx, r));
}

static SnNums
before(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    SnNums a = eval(v, e->kid), r = sn_real_list(v->cx, a.n);
    SnPoly s = sn_poly_int(P, 0);

    for (uint32_t i = 0; i < a.n; i++) {
        r.v[i] = s;
        s = sn_poly_add(P, s, a.v[i]);
    }
    return r;
}

static SnNums
flat(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    SnPoly r = sn_poly_int(P, 0);

    if (e->nkid != 2)
        return out(v, "the offset of a tap");
    SnNums at = eval(v, e->kid), d = eval(v, e->kid + 1);
    for (uint32_t i = 0; i < at.n && i < d.n; i++)
        r = sn_poly_add(P, sn_poly_mul(P, r, d.v[i]), at.v[i]);
    return sn_real_one(v->cx, sn_real_norm(v->cx, r));
}

/* If a place exists, no dimension is 0. */
static SnNums
unflat(const Ev *v, const SnMapExpr *e)
{
    SnNums x = eval(v, e->kid), d = eval(v, e->kid + 1);
    SnNums r = sn_real_list(v->cx, d.n);
    SnPoly rest = x.v[0];

    for (uint32_t i = d.n; i-- > 0 && !sn_real_stopped(v->cx);) {
        if (i == 0) {
            r.v[0] = rest;
            break;
        }
        if (!sn_real_knows(v->cx, sn_poly_plus(&v->cx->path.P, d.v[i], -1)) &&
            !sn_path_decide(&v->cx->path,
                            sn_poly_plus(&v->cx->path.P, d.v[i], -1)))
            return out(v, "a place in a box without elements");
        r.v[i] = quotient(v->cx, SN_MO_MOD, rest, d.v[i]);
        rest = quotient(v->cx, SN_MO_DIV, rest, d.v[i]);
    }
    return r;
}

/* ---- all expressions ---- */

/* The element of an operand of integers: a name for it. */
static SnNums
data(const Ev *v, const SnMapExpr *e)
{
    SnBox *x = sn_real_operand(v->n, (unsigned)e->v);
    SnBuf b;

    if (!x || x->def)
        return out(v, "elements of an operand that is computed");
    sn_buf_init(&b, v->cx->a);
    sn_putf(&b, "%s{", x->name);
    uint32_t from = v->cx->nelem;
    for (unsigned k = 0; k < e->nkid; k++) {
        SnNums i = eval(v, e->kid + (int32_t)k);
        for (uint32_t j = 0; j < i.n; j++) {
            SnBoxNamed at = {.of = sn_real_norm(v->cx, i.v[j])};
            sn_puts(&b, k || j ? ", " : "");
            sn_poly_put(&v->cx->path.P, &b, at.of);
            SN_PUSH(v->cx->a, v->cx->elem, v->cx->nelem, at);
        }
    }
    sn_putc(&b, '}');
    SnPoly p = sn_poly_name(&v->cx->path.P, sn_buf_str(&b));
    for (; from < v->cx->nelem; from++) /* those inside have theirs */
        if (!v->cx->elem[from].p.n)
            v->cx->elem[from].p = p;
    return sn_real_one(v->cx, p);
}

static SnNums
half(const Ev *v, const SnMapExpr *e)
{
    SnNums a = eval(v, e->kid), r = sn_real_list(v->cx, a.n / 2);

    for (uint32_t i = 0; i < r.n; i++)
        r.v[i] = a.v[(uint32_t)e->v * r.n + i];
    return r;
}

static SnNums
numbered(const Ev *v, const SnMapExpr *e)
{
    SnNums a = eval(v, e->kid), r = sn_real_list(v->cx, a.n);

    for (uint32_t i = 0; i < a.n; i++)
        r.v[i] = sn_poly_int(&v->cx->path.P, i);
    return r;
}

static SnNums
name(const Ev *v, const SnMapExpr *e)
{
    const SnMapDecl *d = v->n->map;

    if (v->slot[e->v].v)
        return v->slot[e->v];
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_LET && d->stmt[i].slot == e->v)
            return eval(v, d->stmt[i].e);
    return out(v, "a name that is not known here");
}

static SnNums
eval(const Ev *v, int32_t at)
{
    const SnMapExpr *e = &v->n->map->expr[at];

    if (sn_real_stopped(v->cx))
        return integer(v->cx, 0);
    switch ((SnMapOp)e->op) {
    case SN_MO_INT:
        return integer(v->cx, e->v);
    case SN_MO_NAME:
        return name(v, e);
    case SN_MO_ELEM:
        return element(v, e);
    case SN_MO_HALF:
        return half(v, e);
    case SN_MO_DATA:
        return data(v, e);
    case SN_MO_NEG:
    case SN_MO_NOT:
    case SN_MO_ABS:
        return unary(v, e);
    case SN_MO_ADD:
    case SN_MO_SUB:
    case SN_MO_MUL:
    case SN_MO_DIV:
    case SN_MO_MOD:
    case SN_MO_EQ:
    case SN_MO_NE:
    case SN_MO_LT:
    case SN_MO_LE:
    case SN_MO_GT:
    case SN_MO_GE:
    case SN_MO_AND:
    case SN_MO_OR:
    case SN_MO_MIN:
    case SN_MO_MAX:
        return pairs(v, e);
    case SN_MO_IN:
        return among(v, e);
    case SN_MO_SELECT:
        return selected(v, e, 0);
    case SN_MO_AXIS:
        return numbered(v, e);
    case SN_MO_COUNT:
    case SN_MO_PRODUCT:
    case SN_MO_SUM:
    case SN_MO_LAST:
        return folded(v, e);
    case SN_MO_BEFORE:
        return before(v, e);
    case SN_MO_FLAT:
        return flat(v, e);
    case SN_MO_UNFLAT:
        return unflat(v, e);
    case SN_MO_INVERSE:
        return inverse(v, e);
    case SN_MO_RANK: {
        SnBox *x = sn_real_operand(v->n, (unsigned)e->v);
        if (x)
            sn_real_shape(v->cx, x);
        return x ? integer(v->cx, x->rank) : out(v, "a missing operand");
    }
    case SN_MO_REAL:
    case SN_MO_DEFINED:
    case SN_MO_ASCENDS:
    case SN_MO_LOW:
    case SN_MO_FLOOR:
    case SN_MO_CEIL:
    case SN_MO_TOREAL:
    case SN_NMAPOP:
        break;
    }
    return out(v, "a function of the map");
}

/* p >= 0, or p = 0, of each element. */
static void
claim(const Ev *v, const SnMapExpr *e)
{
    SnPolys *P = &v->cx->path.P;
    bool less = e->op == SN_MO_LT || e->op == SN_MO_LE;
    SnNums a = eval(v, e->kid + less), b = eval(v, e->kid + !less);
    uint32_t n = a.list ? a.n : b.n;

    for (uint32_t i = 0; i < n && !sn_real_stopped(v->cx); i++) {
        SnPoly d = sn_poly_sub(P, a.v[a.list ? i : 0], b.v[b.list ? i : 0]);
        if (strchr(sn_poly_text(P, d), '?'))
            continue;
        if (e->op == SN_MO_EQ)
            sn_path_assume_zero(&v->cx->path, d);
        else
            sn_path_assume(&v->cx->path, e->op == SN_MO_LT || e->op == SN_MO_GT
                                             ? sn_poly_plus(P, d, -1)
                                             : d);
    }
    if (!sn_real_stopped(v->cx) && sn_facts_absurd(&v->cx->path.F))
        sn_path_stop(&v->cx->path, SN_PATH_DEAD, "the left side is not legal");
}

bool
sn_real_claim(SnRealProof *cx, const SnBoxNode *n, int32_t at)
{
    const SnMapExpr *e = &n->map->expr[at];
    Ev v = {cx, n, n->slot};

    if (e->op == SN_MO_AND)
        return sn_real_claim(cx, n, e->kid) && sn_real_claim(cx, n, e->kid + 1);
    if (e->op < SN_MO_EQ || e->op > SN_MO_GE || e->op == SN_MO_NE)
        return false;
    claim(&v, e);
    return true;
}

SnNums
sn_real_map(SnRealProof *cx, const SnBoxNode *n, const SnNums *slot, int32_t e)
{
    Ev v = {cx, n, slot};
    SnNums r = eval(&v, e);

    for (uint32_t i = 0; i < r.n && !sn_real_stopped(cx); i++)
        if (strchr(sn_poly_text(&cx->path.P, r.v[i]), '?'))
            return out(&v, "an element of a list that is not there, or by a "
                           "number that is not known");
    return r;
}

SnPoly
sn_real_truth(SnRealProof *cx, const SnBoxNode *n, const SnNums *slot,
              int32_t e)
{
    SnNums c = sn_real_map(cx, n, slot, e);
    SnPoly all = sn_poly_int(&cx->path.P, 1);

    for (uint32_t i = 0; i < c.n; i++)
        all = sn_poly_mul(&cx->path.P, all, truth(cx, c.v[i]));
    return all;
}
