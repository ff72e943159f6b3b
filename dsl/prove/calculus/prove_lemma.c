// SPDX-License-Identifier: Apache-2.0
/* The calculus.  Both sides become trees over the rule's variables: each node
 * is replaced by its formula, each result by q:T(..), each d(x) by d:T(..).
 *
 * Exact: the trees are brought to a normal form that keeps every bit,
 *   L0  q:T(d:T(X)) = X, and d:f32, q:f32 are nothing
 *   L1  a move commutes with every per-element function
 *   L2  q and d commute with max and min: they never decrease
 * and must be equal.  Refines: q and d go away, but their saturations stay,
 *   L4  d(q:T(v)) is v within range(T), plus a rounding
 *   L5  saturating to A then B is saturating to B if A covers B; nothing
 *       happens to a value already inside (prove_sat.c)
 * the trees must be equal, and the right side may round nowhere that the left
 * side does not.  What is proved holds for all shapes, scales and lengths. */
#include "dsl/prove/calculus/prove_tree.h"

#include <string.h>
#include "dsl/model/reads.h"
#include "dsl/resolve/resolver.h"

static SnTree *norm(SnCalculus *l, SnTree *t);

/* ---- normal form of bits ---- */

/* Max and min of elements or over a set: monotone, so q and d go inside. */
static bool
monotone(const SnTree *t)
{
    return sn_calculus_is_minmax(t, false) || sn_calculus_is_minmax(t, true);
}

static SnTree *
wrap(SnCalculus *l, const SnTree *f, SnTree *x)
{
    SnTree *t = sn_calculus_like(l, f, 1, &x);

    if (t) {
        t->type = f->type;
        t->own = f->own;
        t->nsat = f->nsat;
        t->sat = f->sat;
    }
    return t;
}

/* Does the guard say that no value of X lies outside these saturations? */
static bool
idle(SnCalculus *l, const SnTree *q, const SnTree *x)
{
    bool all = true;

    for (uint32_t i = 0; i < q->nsat; i++) {
        bool hit = false;
        for (uint32_t k = 0; k < l->ncov; k++)
            hit |= sn_calculus_rep(l, l->cov[k][0].name) ==
                       sn_calculus_rep(l, q->sat[i]) &&
                   l->cov[k][1].name == sn_calculus_reach(l, x);
        all &= hit;
    }
    if (q->nsat && all)
        l->used |= 1u << 5;
    return all;
}

/* Removes the clamps that cover the range of the type. */
static void
drop_wide(SnCalculus *l, SnTree *q)
{
    const char *ty = sn_calculus_name(
        l, sn_format(l->a, "@%s", sn_calculus_rep(l, q->type)));
    const char **v = SN_NEW_N(l->a, const char *, q->nsat + 1);
    SnTree was = *q;
    uint32_t n = 0;

    for (uint32_t i = 0; i < q->nsat; i++) {
        bool wide = false;
        for (uint32_t k = 0; k < l->ncov; k++)
            wide |= sn_calculus_rep(l, l->cov[k][0].name) ==
                        sn_calculus_rep(l, q->sat[i]) &&
                    l->cov[k][1].name == ty;
        if (wide)
            l->used |= 1u << 5;
        else
            v[n++] = q->sat[i];
    }
    q->sat = v;
    q->nsat = n;
    if (n < was.nsat)
        sn_calculus_step(l, &was, q, 'd');
}

/* A number or an attribute: not computed by the graph. */
static bool
constant(const SnTree *t)
{
    return t->nkid == 0 && !t->var;
}

/* Sums, differences and products of numbers are numbers: the reals that codes
 * represent do not overflow (docs/proofs.md, A2). */
static bool
makes_numbers(const SnTree *t)
{
    if (t->kind == SN_TR_BIN)
        return t->bin == SN_OP_ADD || t->bin == SN_OP_SUB ||
               (t->bin == SN_OP_MUL && !t->placed);
    return t->kind == SN_TR_MOVE || t->kind == SN_TR_NEG ||
           t->kind == SN_TR_OVER || monotone(t);
}

/* Is no value of t NaN, where q makes codes?  If the node does not make codes
 * from reals, its operands have no NaN then. */
static bool
is_number(SnCalculus *l, const SnTree *q, const SnTree *t)
{
    if (constant(t))
        return true;
    if (sn_calculus_is_d(t))
        return q->own || !(sn_calculus_may(l, t->type).elems >> SN_F32 & 1);
    if (!makes_numbers(t))
        return false;
    for (uint32_t i = 0; i < t->nkid; i++)
        if (!is_number(l, q, t->kid[i]))
            return false;
    return true;
}

/* Plain integers, which a conversion cuts towards 0 and wraps around. */
static bool
may_wrap(SnCalculus *l, const char *type)
{
    return !sn_calculus_is_real(l, type) &&
           (sn_calculus_may(l, type).elems &
            (1u << SN_I8 | 1u << SN_I32 | 1u << SN_I64 | 1u << SN_BOOL)) != 0;
}

/* q turns NaN into a code, and integers wrap around, so it moves inside max and
 * min only if neither can happen; codes, and reals that d makes from them, are
 * ordered. */
static bool
keeps_order(SnCalculus *l, const SnTree *f, const SnTree *x)
{
    if (sn_calculus_is_d(f) || sn_calculus_is_real(l, f->type))
        return true;
    return (f->own || !may_wrap(l, f->type)) && is_number(l, f, x);
}

static SnTree *
push_in(SnCalculus *l, SnTree *f)
{
    SnTree *x = f->kid[0], *kid[2] = {NULL}, *in[2] = {NULL}, *to;

    l->used |= x->kind == SN_TR_MOVE ? 1u << 1 : 1u << 2;
    l->along |= x->kind == SN_TR_MOVE && sn_calculus_may(l, f->type).axis;
    for (uint32_t i = 0; i < x->nkid && i < 2; i++)
        in[i] = wrap(l, f, x->kid[i]);
    to = sn_calculus_like(l, x, x->nkid, in);
    sn_calculus_step(l, f, to, 'p');
    for (uint32_t i = 0; i < x->nkid && i < 2; i++)
        kid[i] = norm(l, in[i]);
    x = sn_calculus_like(l, x, x->nkid, kid);
    sn_calculus_step(l, to, x, 'c');
    return norm(l, x);
}

/* The clamp bounds(T, lo, hi) that s names, or NULL. */
static const SnExpr *
bounds_of(SnCalculus *l, const char *s)
{
    s = sn_calculus_name(l, s);
    for (uint32_t i = 0; i < l->nbound; i++)
        if (l->bound[i].name == s)
            return l->bound[i].e;
    return NULL;
}

/* The first such clamp of a q: its number; q->nsat: none. */
static uint32_t
bound_at(SnCalculus *l, const SnTree *q)
{
    uint32_t k = 0;

    while (k < q->nsat && !bounds_of(l, q->sat[k]))
        k++;
    return k;
}

/* The inner term `in`, clamped to e's bounds, and by the clamps of t before
 * number `at`. */
static SnTree *
bounded(SnCalculus *l, const SnTree *t, uint32_t at, const SnExpr *e,
        SnTree *in)
{
    for (uint32_t i = 1; i < 3 && in; i++) {
        if (e->kid[i]->ek == SN_E_WILD)
            continue;
        SnTree *lim = sn_calculus_tree(
            l, SN_TR_NAME, sn_calculus_rep(l, sn_expr_str(l->a, e->kid[i])), 0,
            NULL);
        SnTree *kid[2] = {in, sn_calculus_fn(l, SN_FN_Q, 1, &lim)};
        kid[1]->type = t->type;
        in = sn_calculus_fn(l, i == 1 ? SN_FN_MAX : SN_FN_MIN, 2, kid);
    }
    if (at == 0 || !in)
        return in;
    in = sn_calculus_fn(l, SN_FN_D, 1, &in);
    in->type = t->type;
    in = wrap(l, t, in);
    in->nsat = at;
    return in;
}

/* q:T[S, bounds(T, lo, hi), S2](e), where the last clamp comes first, =
 * q:T[S](d:T(min(max(q:T[S2](e), q:T(lo)), q:T(hi)))). */
static SnTree *
unbound(SnCalculus *l, SnTree *t, uint32_t at)
{
    const SnExpr *e = bounds_of(l, t->sat[at]);
    SnTree *q = wrap(l, t, t->kid[0]), *to;

    q->nsat -= at + 1;
    q->sat += at + 1;
    l->used |= 1u << 2;
    l->along |= sn_calculus_may(l, t->type).axis;
    to = bounded(l, t, at, e, q);
    sn_calculus_step(l, t, to, 'b');
    q = bounded(l, t, at, e, norm(l, q));
    sn_calculus_step(l, to, q, 'c');
    return at == 0 || !q ? q : norm(l, q);
}

/* q:T[S](d:T(q:T[S2](e))) = q:T[S, S2](e). */
static SnTree *
requantized(SnCalculus *l, const SnTree *t, const SnTree *in)
{
    SnTree *q = wrap(l, t, in->kid[0]);

    q->nsat = 0;
    q->sat = NULL;
    for (uint32_t i = 0; i < t->nsat; i++)
        sn_calculus_add_sat(l, &q->nsat, &q->sat, t->sat[i]);
    for (uint32_t i = 0; i < in->nsat; i++)
        sn_calculus_add_sat(l, &q->nsat, &q->sat, in->sat[i]);
    l->used |= 1;
    l->wide |= sn_calculus_may(l, t->type).elems >> SN_QI32 & 1;
    sn_calculus_step(l, t, q, '1');
    return norm(l, q);
}

/* Integers that binary32 may not hold? */
static bool
is_wide(SnCalculus *l, const SnTree *x)
{
    return sn_calculus_is_d(x) && !sn_calculus_is_real(l, x->type) &&
           (sn_calculus_may(l, x->type).elems &
            (1u << SN_I32 | 1u << SN_I64)) != 0;
}

static SnTree *
norm_conv(SnCalculus *l, SnTree *t)
{
    SnTree *x = t->kid[0];

    if (sn_calculus_is_q(t))
        drop_wide(l, t);
    if (sn_calculus_is_real(l, t->type) && !t->nsat) {
        l->rough |= sn_calculus_is_q(t) && is_wide(l, x);
        sn_calculus_step(l, t, x, 'r');
        return x;
    }
    if (sn_calculus_is_q(t) && sn_calculus_is_d(x) &&
        sn_calculus_rep(l, t->type) == sn_calculus_rep(l, x->type) &&
        (!t->nsat || idle(l, t, x->kid[0]))) {
        l->used |= 1;
        l->wide |= sn_calculus_may(l, t->type).elems >> SN_QI32 & 1;
        sn_calculus_step(l, t, x->kid[0], '0');
        return x->kid[0];
    }
    if ((l->pr->commutes || l->pr->swap) && sn_calculus_is_q(t) &&
        sn_calculus_is_d(x) && sn_calculus_is_q(x->kid[0]) &&
        constant(x->kid[0]->kid[0])) {
        l->used |= 1u << 3; /* the guard's comparison; L3 for zeros */
        SnTree *q = sn_calculus_fn(l, SN_FN_Q, 1, &x->kid[0]->kid[0]);
        q->type = t->type;
        sn_calculus_step(l, t, q, 'k');
        return q;
    }
    if (sn_calculus_is_q(t) && bound_at(l, t) < t->nsat)
        return unbound(l, t, bound_at(l, t));
    if (sn_calculus_is_q(t) && sn_calculus_is_d(x) &&
        sn_calculus_is_q(x->kid[0]) &&
        sn_calculus_rep(l, t->type) == sn_calculus_rep(l, x->type) &&
        sn_calculus_rep(l, t->type) == sn_calculus_rep(l, x->kid[0]->type))
        return requantized(l, t, x->kid[0]);
    /* q keeps order, so clamps can be merged; a clamp of reals passes NaN on,
     * which q turns into a code. */
    if (sn_calculus_is_q(t) && sn_calculus_is_q(x) &&
        sn_calculus_is_real(l, x->type) &&
        (!x->nsat || is_number(l, t, x->kid[0]))) {
        SnTree *q = wrap(l, t, x->kid[0]);
        q->sat = NULL;
        q->nsat = 0;
        for (uint32_t i = 0; i < t->nsat + x->nsat; i++)
            sn_calculus_add_sat(l, &q->nsat, &q->sat,
                                i < t->nsat ? t->sat[i] : x->sat[i - t->nsat]);
        l->used |= 1u << 2;
        sn_calculus_step(l, t, q, '1');
        return norm(l, q);
    }
    if (x->kind == SN_TR_MOVE || (monotone(x) && keeps_order(l, t, x)))
        return push_in(l, t);
    return t;
}

/* The same value everywhere: numbers, attributes, and terms of these. */
static bool
fixed(const SnTree *t)
{
    for (uint32_t i = 0; i < t->nkid; i++)
        if (!fixed(t->kid[i]))
            return false;
    return !t->var;
}

static bool
same_name(SnCalculus *l, const SnTree *a, const SnTree *b)
{
    return sn_calculus_name(l, a->op) == sn_calculus_name(l, b->op);
}

/* The name of the shape that t takes from its operands, or NULL. */
static const char *
shape_of(SnCalculus *l, const SnTree *t)
{
    const char *all = NULL;

    if (t->var && !t->nkid)
        return sn_calculus_rep(l, sn_format(l->a, "shape(%s)", t->op));
    if (t->kind == SN_TR_MOVE || t->kind == SN_TR_OVER)
        return NULL;
    for (uint32_t i = 0; i < t->nkid; i++) {
        const char *one = fixed(t->kid[i]) ? all : shape_of(l, t->kid[i]);
        if (!fixed(t->kid[i]) && (!one || (all && one != all)))
            return NULL;
        all = one;
    }
    return all;
}

/* Do equal moves of x and y combine as x and y do, if these may be broadcast?
 * They do with one shape, and for permutations of axes, which have equally
 * many. */
static bool
meet_alike(SnCalculus *l, const SnTree *m, const SnTree *k)
{
    const char *x = shape_of(l, m->kid[0]), *y = shape_of(l, k->kid[0]);

    return m->ranked || (x && x == y);
}

/* Pulls a move below a per-element function out of it. */
static SnTree *
norm_elem(SnCalculus *l, SnTree *t)
{
    SnTree *kid[4];

    if (t->nkid == 0 || t->nkid > 4 || t->kind == SN_TR_MOVE ||
        t->kind == SN_TR_ROW || t->kind == SN_TR_OVER)
        return t;
    const SnTree *m = NULL;
    for (uint32_t i = 0; i < t->nkid; i++) {
        const SnTree *k = t->kid[i];
        if (fixed(k))
            continue;
        if (k->kind != SN_TR_MOVE || k->nkid != 1 ||
            (m && (!same_name(l, k, m) || !meet_alike(l, m, k))))
            return t;
        m = k;
    }
    if (!m)
        return t;
    for (uint32_t i = 0; i < t->nkid; i++)
        kid[i] = fixed(t->kid[i]) ? t->kid[i] : t->kid[i]->kid[0];
    l->used |= 1u << 1;
    l->along |= t->type && sn_calculus_may(l, t->type).axis;
    SnTree *in = sn_calculus_like(l, t, t->nkid, kid);
    SnTree *to = sn_calculus_like(l, m, 1, &in), *out;
    sn_calculus_step(l, t, to, 'e');
    in = norm(l, in);
    out = in ? sn_calculus_like(l, m, 1, &in) : NULL;
    sn_calculus_step(l, to, out, 'c');
    return norm(l, out);
}

/* Does the guard say that max (min) with the constant q:T(c) leaves x, a value
 * of codes, unchanged: covers(bounds(T, c, _), reach(x))? */
static bool
beyond(SnCalculus *l, SnFn fn, const SnTree *x, const SnTree *q)
{
    if (!x->var || x->nkid || !sn_calculus_is_q(q) || q->nsat ||
        !constant(q->kid[0]) || sn_calculus_is_real(l, q->type) ||
        (sn_calculus_may(l, q->type).elems >> SN_F32 & 1))
        return false;
    for (uint32_t k = 0; k < l->ncov; k++) {
        const SnCover *c = &l->cov[k][0];
        const char *side = c->side[fn == SN_FN_MIN];
        if (c->type && side && l->cov[k][1].name == sn_calculus_reach(l, x) &&
            sn_calculus_rep(l, c->type) == sn_calculus_rep(l, q->type) &&
            sn_calculus_rep(l, side) == sn_calculus_rep(l, q->kid[0]->op)) {
            l->used |= 1u << 5;
            return true;
        }
    }
    return false;
}

/* Are both constants, of one type if they are codes, and is x >= y? */
static bool
is_least(SnCalculus *l, const SnTree *x, const SnTree *y)
{
    bool q = sn_calculus_is_q(x);

    if (q != sn_calculus_is_q(y) ||
        (q && (x->nsat || y->nsat ||
               sn_calculus_rep(l, x->type) != sn_calculus_rep(l, y->type))))
        return false;
    x = q ? x->kid[0] : x;
    y = q ? y->kid[0] : y;
    if (!constant(x) || !constant(y))
        return false;
    for (uint32_t i = 0; i < l->nleast; i++)
        if (sn_calculus_rep(l, l->least[i][0]) == sn_calculus_rep(l, x->op) &&
            sn_calculus_rep(l, l->least[i][1]) == sn_calculus_rep(l, y->op))
            return true;
    return false;
}

/* Is x at least the constant k (fn: max), or at most?  max and min give one of
 * their operands, q keeps order; NaN is unordered and passes through. */
static bool
clears(SnCalculus *l, SnFn fn, const SnTree *x, const SnTree *k)
{
    if (!sn_calculus_is_minmax(x, false))
        return fn == SN_FN_MAX ? is_least(l, x, k) : is_least(l, k, x);
    bool a = clears(l, fn, x->kid[0], k), b = clears(l, fn, x->kid[1], k);
    return x->fn == fn ? a || b : a && b;
}

/* max(max(a, b), b) = max(a, b) = max(a, max(a, b)): the first of equal
 * zeros. */
static SnTree *
norm_max(SnCalculus *l, SnTree *t)
{
    for (uint32_t i = 0; i < 2; i++) {
        const SnTree *in = t->kid[i];
        const char *other = sn_calculus_text(l, t->kid[!i]);
        if (!sn_calculus_is_minmax(in, false) || in->fn != t->fn)
            continue;
        if (sn_calculus_text(l, in->kid[0]) == other ||
            (i == 0 && sn_calculus_text(l, in->kid[1]) == other))
            return t->kid[i];
    }
    for (uint32_t i = 0; i < 2; i++)
        if (beyond(l, t->fn, t->kid[i], t->kid[!i]))
            return t->kid[i];
    if (sn_calculus_text(l, t->kid[0]) == sn_calculus_text(l, t->kid[1]))
        return t->kid[0];
    if (clears(l, t->fn, t->kid[0], t->kid[1])) { /* the first of equal ones */
        l->used |= 1u << 2;
        return t->kid[0];
    }
    return t;
}

static SnTree *
norm(SnCalculus *l, SnTree *t)
{
    if (!t || l->why)
        return NULL;
    SnTree *kid[4];
    if (t->nkid > 4)
        return sn_calculus_out(l, "a formula outside the calculus");
    for (uint32_t i = 0; i < t->nkid; i++)
        if (!(kid[i] = norm(l, t->kid[i])))
            return NULL;
    SnTree *r = sn_calculus_like(l, t, t->nkid, kid);
    r->var = t->var;
    r->type = t->type;
    r->own = t->own;
    r->nsat = t->nsat;
    r->sat = t->sat;
    sn_calculus_step(l, t, r, 'c');
    if (sn_calculus_is_q(r) || sn_calculus_is_d(r))
        return norm_conv(l, r);
    if (sn_calculus_is_minmax(r, false)) {
        t = norm_max(l, r);
        sn_calculus_step(l, r, t, 'x');
        r = t;
    }
    return norm_elem(l, r);
}

/* ---- the real function ---- */

typedef struct Round {
    uint32_t n;
    const char *at[32];
} Round;

static void
put_round(SnCalculus *l, Round *r, const char *s)
{
    if (r->n < 32)
        r->at[r->n++] = s;
    else
        (void)sn_calculus_out(l, "too many roundings");
}

/* A variable's values are within the range of its type. */
static void
put_inside(SnCalculus *l, const SnTree *d)
{
    if (!d->kid[0]->var || d->kid[0]->nkid || l->ninside == 64)
        return;
    l->inside[l->ninside][0] = sn_calculus_rep(l, d->kid[0]->op);
    l->inside[l->ninside++][1] = sn_calculus_name(
        l, sn_format(l->a, "@%s", sn_calculus_rep(l, d->type)));
}

/* The functions that propagate a rounding of kid i: none, if the function never
 * moves farther than its operand; else this function with its other operands,
 * before `via`. */
static const char *
carried(SnCalculus *l, const SnTree *t, uint32_t i, const char *via)
{
    SnBuf b;

    if (t->kind == SN_TR_MOVE || t->kind == SN_TR_ROW || t->kind == SN_TR_NEG ||
        sn_calculus_is_q(t) || sn_calculus_is_d(t) ||
        sn_calculus_is_minmax(t, false) || sn_calculus_is_minmax(t, true) ||
        (t->kind == SN_TR_BIN &&
         (t->bin == SN_OP_ADD || t->bin == SN_OP_SUB)) ||
        (t->kind == SN_TR_OVER && t->fn == SN_FN_MEAN))
        return via;
    sn_buf_init(&b, l->a);
    sn_putf(&b, "%s %s", via, t->op);
    for (uint32_t k = 0; k < t->nkid; k++)
        if (k != i)
            sn_putf(&b, " (%s)", sn_calculus_text(l, t->kid[k]));
    return sn_buf_str(&b);
}

/* Turns q and d into saturations; collects where rounding happens.  reach(r) of
 * a captured Rescale r means its type and clamp together.  via: NULL at the
 * root, else the functions that propagate a rounding to it. */
static SnTree *
real(SnCalculus *l, SnTree *t, Round *r, const char *via)
{
    SnTree *kid[4];

    if (!t || t->nkid > 4)
        return sn_calculus_out(l, "a formula outside the calculus");
    if (sn_calculus_is_d(t)) {
        put_inside(l, t);
        return real(l, t->kid[0], r, via);
    }
    for (uint32_t i = 0; i < t->nkid; i++)
        if (!(kid[i] = real(l, t->kid[i], r, carried(l, t, i, via ? via : ""))))
            return NULL;
    if (t->kind == SN_TR_ROW)
        return kid[0];
    l->rough |= sn_calculus_is_q(t) && !t->own && may_wrap(l, t->type);
    if (!sn_calculus_is_q(t)) {
        SnTree *n = sn_calculus_like(l, t, t->nkid, kid);
        n->var = t->var;
        return n;
    }
    SnTree *c = sn_calculus_tree(l, SN_TR_SAT, "sat", 1, kid);
    const char *ty = sn_calculus_rep(l, t->type);
    if (ty != l->f32) /* the type's own range follows each of them */
        sn_calculus_add_sat(l, &c->nsat, &c->sat, sn_format(l->a, "@%s", ty));
    for (uint32_t i = 0; i < t->nsat; i++)
        sn_calculus_add_sat(l, &c->nsat, &c->sat, t->sat[i]);
    if (via && ty != l->f32)
        put_round(l, r, sn_format(l->a, "%s%s", ty, via));
    if (!c->nsat)
        return kid[0];
    if (kid[0]->kind == SN_TR_SAT) { /* L5: one list */
        for (uint32_t i = 0; i < kid[0]->nsat; i++)
            sn_calculus_add_sat(l, &c->nsat, &c->sat, kid[0]->sat[i]);
        c->kid[0] = kid[0]->kid[0];
        l->used |= 1u << 5;
    }
    return c;
}

static bool
subset(SnCalculus *l, const Round *a, const Round *b)
{
    bool used[32] = {false};

    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t j = 0;
        while (j < b->n && (used[j] || sn_calculus_rep(l, a->at[i]) !=
                                           sn_calculus_rep(l, b->at[j])))
            j++;
        if (j == b->n)
            return false;
        used[j] = true;
    }
    return true;
}

/* covers(reach(r), X) of a conversion r is covers(r's type) and of its clamp,
 * reach(x) of a variable x is what its type holds. */
static void
spread_reach(SnCalculus *l)
{
    uint32_t n = l->ncov;

    for (uint32_t k = 0; k < n; k++) {
        const SnDefVar *v = l->cov[k][0].reach;
        if (!v || v->index >= 64 || !l->type[v->index] || l->ncov > 13)
            continue;
        bool clamp = v->node && v->node->clamp;
        for (int c = 0; c < (clamp ? 2 : 1); c++) {
            const char *s =
                c ? sn_format(l->a, "%s.%s", v->name, v->node->clamp->name)
                  : sn_format(l->a, "@%s",
                              sn_calculus_rep(l, l->type[v->index]));
            l->cov[l->ncov][0] = (SnCover){.name = sn_calculus_name(l, s)};
            l->cov[l->ncov++][1] = l->cov[k][1];
        }
    }
}

/* Does the node name axes that a Transpose renumbers? */
static bool
axes(const SnDefNode *n)
{
    return n->rsem[0]->map && !sn_sem_each_repeats(n->rsem[0]);
}

bool
sn_calculus_sides(SnProver *pv, const SnInstance *pr, uint32_t res,
                  SnCalculus *l, SnTree **a, SnTree **b)
{
    const char *ty = NULL, *tr = NULL;

    *l = (SnCalculus){.pv = pv, .a = pv->a, .pr = pr, .names = {.a = pv->a}};
    l->res = res;
    l->f32 = sn_calculus_name(l, "f32");
    l->full = sn_calculus_name(l, "full");
    l->none = sn_calculus_name(l, SN_CALCULUS_NONE);
    if (pr->r->nlet || pr->r->nmore || !pr->r->rhs || pr->r->nvar > 64 ||
        (pr->renumber && axes(pr->node)) || pr->bounded) {
        l->why = "a guard or an attribute outside the calculus";
        return false;
    }
    sn_calculus_assume(l, pr->r->need, true);
    if (sn_calculus_saves(pr->r))
        return sn_calculus_saved(l, a, b) && sn_calculus_legal(l);
    *a = sn_calculus_build_pat(l, pr->r->pat, &ty);
    if (*a) {
        sn_calculus_assume(l, pr->r->need, false);
        sn_calculus_assume_clamps(l, pr->r->need);
    }
    l->right = true;
    *b = *a ? sn_calculus_build_term(l, pr->r->rhs, &tr) : NULL;
    if (!l->why && res) {
        *a = l->later[1];
        *b = l->later[0];
    }
    return !l->why && *a && *b && sn_calculus_legal(l);
}

/* A constant with its own dimensions may make the result of the left side
 * larger than its operands: does the condition give the right side that
 * shape? */
static bool
keeps_shape(SnCalculus *l, const SnTree *b)
{
    const SnDefVar *o = l->pr->r->pat->cap;

    if (!l->several || (!l->fills[0] && !l->fills[1]))
        return true;
    return o && !l->fills[1] &&
           shape_of(l, b) ==
               sn_calculus_rep(l, sn_format(l->a, "shape(%s)", o->name));
}

static SnLemma
one_result(SnProver *pv, const SnInstance *pr, uint32_t res, SnWritten *w)
{
    SnWrittenMark mark = sn_calculus_mark(w);
    SnLemma r = {.none = true};
    Round rl = {0}, rr = {0};
    SnCalculus l;
    SnTree *a, *b;

    if (!sn_calculus_sides(pv, pr, res, &l, &a, &b)) {
        r.why = l.why ? l.why : "a later result";
        r.failed = l.illegal;
        return r;
    }
    if (!keeps_shape(&l, b)) {
        r.why = "the shape of a constant";
        return r;
    }
    spread_reach(&l);
    bool along = l.along;
    r.none = false;
    l.bits = true;
    l.w = w;
    if (!res) {
        sn_calculus_write_legal(&l);
        mark = sn_calculus_mark(w);
    }
    sn_calculus_claim(&l, 'e');
    SnTree *na = norm(&l, a), *nb = norm(&l, b);
    /* L0 is of codes below 2^24, which binary32 holds: not of every int32.  Nor
     * is it known that bounds, image and covers take a type along an axis for
     * its first slice, or for all of them together. */
    r.exact = na && nb &&
              sn_calculus_text(&l, na) == sn_calculus_text(&l, nb) && !l.wide &&
              !l.along;
    r.used = l.used;
    r.exact &= !l.rough;
    if (r.exact && l.apart) {
        r.failed = true;
        r.why = "clamps of reals that may have no common point";
    }
    r.exact &= !l.apart;
    if (r.exact) {
        sn_calculus_shown(&l, a, b);
        r.refines = true;
        return r;
    }
    sn_calculus_unwrite(w, mark);
    if (l.rough)
        return r;
    l.used = 0;
    l.bits = false;
    SnTree *ra = real(&l, a, &rl, NULL), *rb = real(&l, b, &rr, NULL);
    ra = ra ? sn_calculus_drop(&l, ra) : NULL;
    rb = rb ? sn_calculus_drop(&l, rb) : NULL;
    if (!along && !l.rough && !l.why && ra && rb &&
        sn_calculus_text(&l, ra) == sn_calculus_text(&l, rb) &&
        subset(&l, &rr, &rl)) {
        r.refines = true;
        r.within1 = !l.apart && subset(&l, &rl, &rr);
        r.used = l.used | 1u << 4;
        sn_calculus_claim(&l, r.within1 ? 'w' : 'r');
        sn_calculus_shown(&l, a, b);
    }
    return r;
}

/* The largest number of results of a node of the pattern. */
static uint32_t
results(const SnPat *p)
{
    uint32_t n = p->node ? p->node->nout : 0;

    for (uint32_t i = 0; i < p->narg; i++) {
        uint32_t m = results(p->arg[i]);
        n = m > n ? m : n;
    }
    return n;
}

SnLemma
sn_calculus_lemma(SnProver *pv, const SnInstance *pr)
{
    SnWritten *w = sn_calculus_written(pv->a);
    SnLemma r = one_result(pv, pr, 0, w);
    uint32_t n = r.none || !pr->r->pat ? 1 : results(pr->r->pat);

    for (uint32_t res = 1; res < n; res++) {
        SnWrittenMark mark = sn_calculus_mark(w);
        SnLemma k = one_result(pv, pr, res, w);
        bool carried = !k.none && (!r.exact || k.exact) &&
                       (!r.refines || k.refines) &&
                       (!r.within1 || k.within1 || k.exact);
        r.first |= !carried;
        if (carried)
            r.used |= k.used;
        else
            sn_calculus_unwrite(w, mark);
    }
    r.certificate = sn_calculus_certificate(w);
    return r;
}
