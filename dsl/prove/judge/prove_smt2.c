// SPDX-License-Identifier: Apache-2.0
/* Obligations as SMT-LIB: the questions that the calculus decides by its
 * lemmas, for a solver to decide independently.  One file a rule; unsat means
 * that the rule holds.
 *
 * Elements represent tensors: a move carries one, a set has two.  For `exact`,
 * q and d are functions of which the solver is told that they never decrease,
 * and that d after q is undone (L0); for `refines` they are saturations
 * between bounds that are told as far as types and the condition say. */
#include "dsl/prove/calculus/prove_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/file.h"
#include "dsl/resolve/resolver.h"

typedef struct Smt {
    SnCalculus *l;
    SnArena *a;
    bool exact, lhs;
    SnBuf decl, fact;
    uint32_t nname;
    const char **name;
    uint32_t nreal; /* clamps of float nodes */
    const char **real;
} Smt;

static bool
first(Smt *s, const char *name)
{
    if (sn_name_among(s->name, s->nname, name))
        return false;
    SN_PUSH(s->a, s->name, s->nname, name);
    return true;
}

static const char *
symbol(Smt *s, const char *kind, const char *name)
{
    char *v = sn_format(s->a, "|%s%s|", kind, name);

    for (char *p = v + 1; p[1]; p++)
        if (*p == '|' || *p == '\\')
            *p = '/';
    return v;
}

static const char *
real_const(Smt *s, const char *name)
{
    char *end;
    double v = strtod(name, &end);

    if (*name && !*end)
        return v < 0 ? sn_format(s->a, "(- %.17f)", -v)
                     : sn_format(s->a, "%.17f", v);
    const char *c = symbol(s, "", name);
    if (first(s, c))
        sn_putf(&s->decl, "(declare-const %s Real)\n", c);
    return c;
}

/* lo or hi of a saturation. */
static const char *
limit(Smt *s, const char *side, const char *sat)
{
    const char *lo = symbol(s, "lo ", sat), *hi = symbol(s, "hi ", sat);

    if (first(s, lo)) {
        sn_putf(&s->decl,
                "(declare-const %s Real)\n"
                "(declare-const %s Real)\n",
                lo, hi);
        sn_putf(&s->fact, "(assert (<= %s %s))\n", lo, hi);
    }
    return *side == 'l' ? lo : hi;
}

static const char *
type_sat(Smt *s, const char *type)
{
    return sn_format(s->a, "@%s", sn_calculus_rep(s->l, type));
}

static const char *
clamped(Smt *s, const char *sat, const char *v)
{
    return sn_format(s->a, "(clamp %s %s %s)", limit(s, "lo", sat),
                     limit(s, "hi", sat), v);
}

static const char *put(Smt *s, const SnTree *t, const char *at);

static const char *
apply(Smt *s, const SnTree *t, const char *op, const char *at, bool twice)
{
    SnBuf b, sig;
    const char *f = symbol(s, "f ", op);

    sn_buf_init(&b, s->a);
    sn_buf_init(&sig, s->a);
    for (uint32_t i = 0; i < t->nkid; i++) {
        sn_putf(&b, " %s",
                put(s, t->kid[i], twice ? sn_format(s->a, "%s.0", at) : at));
        sn_puts(&sig, " Real");
        if (twice) {
            sn_putf(&b, " %s", put(s, t->kid[i], sn_format(s->a, "%s.1", at)));
            sn_puts(&sig, " Real");
        }
    }
    if (first(s, f))
        sn_putf(&s->decl, "(declare-fun %s (%s) Real)\n", f, sn_buf_str(&sig));
    return sn_format(s->a, "(%s%s)", f, sn_buf_str(&b));
}

static const SnExpr *
bounds(Smt *s, const char *sat)
{
    sat = sn_calculus_name(s->l, sat);
    for (uint32_t i = 0; i < s->l->nbound; i++)
        if (s->l->bound[i].name == sat)
            return s->l->bound[i].e;
    return NULL;
}

static const char *
base(Smt *s, const SnTree *t)
{
    const char *f = symbol(s, sn_format(s->a, "%s ", t->op),
                           sn_calculus_rep(s->l, t->type));

    if (first(s, f)) {
        sn_putf(&s->decl, "(declare-fun %s (Real) Real)\n", f);
        sn_putf(&s->fact,
                "(assert (forall ((u Real) (v Real)) (=> (<= u v) "
                "(<= (%s u) (%s v)))))\n",
                f, f);
    }
    return f;
}

/* A saturation of codes: its bounds are codes, or the codes of the bounds that
 * a float node had. */
static const char *
code_clamp(Smt *s, const char *f, const char *sat, const char *v)
{
    const char *lo = limit(s, "lo", sat), *hi = limit(s, "hi", sat);

    for (uint32_t i = 0; i < s->nreal; i++)
        if (s->real[i] == sat)
            return sn_format(s->a, "(clamp (%s %s) (%s %s) %s)", f, lo, f, hi,
                             v);
    return sn_format(s->a, "(clamp %s %s %s)", lo, hi, v);
}

/* A conversion as a function: for `exact`. */
static const char *
function(Smt *s, const SnTree *t, const char *v)
{
    bool real = sn_calculus_is_real(s->l, t->type);
    const char *f = real ? NULL : base(s, t);

    if (f)
        v = sn_format(s->a, "(%s %s)", f, v);
    for (uint32_t i = t->nsat; i-- > 0;) {
        const char *c = sn_calculus_rep(s->l, t->sat[i]);
        const SnExpr *e = bounds(s, t->sat[i]);
        if (e) { /* bounds(T, lo, hi) is max and min with q:T of them */
            for (uint32_t k = 1; k < 3; k++) {
                const char *x = sn_expr_str(s->a, e->kid[k]);
                if (e->kid[k]->ek == SN_E_WILD)
                    continue;
                x = real_const(s, sn_calculus_rep(s->l, x));
                v = sn_format(s->a, f ? "(%s %s (%s %s))" : "(%s %s %s%s)",
                              k == 1 ? "max2" : "min2", v, f ? f : "", x);
            }
            continue;
        }
        if (real)
            SN_PUSH(s->a, s->real, s->nreal, c);
        v = real ? clamped(s, c, v) : code_clamp(s, f, c, v);
    }
    return v;
}

static const char *
saturation(Smt *s, const SnTree *t, const char *v)
{
    const char *ty = type_sat(s, t->type);
    bool real = sn_calculus_is_real(s->l, t->type);

    for (uint32_t i = t->nsat; i-- > 0;) {
        const char *c = sn_calculus_rep(s->l, t->sat[i]);
        if (s->lhs && !real && *c != '@') /* a clamp lies in its type */
            sn_putf(&s->fact, "(assert (and (<= %s %s) (>= %s %s)))\n",
                    limit(s, "lo", ty), limit(s, "lo", c), limit(s, "hi", ty),
                    limit(s, "hi", c));
        v = clamped(s, c, v);
    }
    return real ? v : clamped(s, ty, v);
}

static const char *
put_conv(Smt *s, const SnTree *t, const char *at)
{
    const SnTree *k = t->kid[0];
    const char *v = put(s, k, at);

    if (s->exact)
        return function(s, t, v);
    if (sn_calculus_is_q(t))
        return saturation(s, t, v);
    if (k->var && !sn_calculus_is_real(s->l, t->type)) /* codes' range */
        sn_putf(&s->fact, "(assert (and (<= %s %s) (>= %s %s)))\n",
                limit(s, "lo", type_sat(s, t->type)), v,
                limit(s, "hi", type_sat(s, t->type)), v);
    return v;
}

/* Comparisons and connectives whose operands can be exchanged. */
static bool
truth_op(SnOp op)
{
    return op == SN_OP_EQ || op == SN_OP_NE || op == SN_OP_AND ||
           op == SN_OP_OR;
}

/* As a number: 1 or 0. */
static const char *
truth(Smt *s, const SnTree *t, const char *at)
{
    bool and = t->bin == SN_OP_AND, zero = and || t->bin == SN_OP_OR;
    const char *a = put(s, t->kid[0], at), *b = put(s, t->kid[1], at);

    if (zero)
        return sn_format(s->a, "(ite (%s (= %s 0.0) (= %s 0.0)) 0.0 1.0)",
                         and? "or" : "and", a, b);
    return sn_format(s->a, "(ite (= %s %s) %s)", a, b,
                     t->bin == SN_OP_EQ ? "1.0 0.0" : "0.0 1.0");
}

static const char *
put(Smt *s, const SnTree *t, const char *at)
{
    if (t->var)
        return real_const(
            s, sn_format(s->a, "%s%s", sn_calculus_rep(s->l, t->op), at));
    if (t->kind == SN_TR_TYPE)
        return real_const(
            s, sn_format(s->a, "type %s", sn_calculus_rep(s->l, t->type)));
    if (t->nkid == 0)
        return real_const(s, t->op);
    if (t->type)
        return put_conv(s, t, at);
    if (t->kind == SN_TR_ROW && !s->exact)
        return put(s, t->kid[0], at);
    if (t->kind == SN_TR_MOVE && t->nkid == 1)
        return put(s, t->kid[0], at);
    if (t->kind == SN_TR_MOVE) { /* the fill, or an element */
        const char *c = symbol(s, "fills ", t->op);
        if (first(s, c))
            sn_putf(&s->decl, "(declare-const %s Bool)\n", c);
        return sn_format(s->a, "(ite %s %s %s)", c, put(s, t->kid[1], at),
                         put(s, t->kid[0], at));
    }
    if (sn_calculus_is_minmax(t, true))
        return sn_format(s->a, "(%s2 %s %s)", sn_fns[t->fn].word,
                         put(s, t->kid[0], sn_format(s->a, "%s.0", at)),
                         put(s, t->kid[0], sn_format(s->a, "%s.1", at)));
    bool arith = t->kind == SN_TR_BIN && t->bin <= SN_OP_MUL;
    bool sel = sn_calculus_is_minmax(t, false);
    if (arith || sel)
        return sn_format(s->a, "(%s%s %s %s)", t->op, sel ? "2" : "",
                         put(s, t->kid[0], at), put(s, t->kid[1], at));
    if (t->kind == SN_TR_BIN && truth_op(t->bin))
        return truth(s, t, at);
    return apply(s, t, t->op, at, t->kind == SN_TR_OVER);
}

/* ---- the condition ---- */

/* A bound of a name in the condition: a saturation, or reach(v). */
static const char *
known(Smt *s, const char *side, const SnCover *k)
{
    const SnDefVar *v = k->reach;

    if (!v)
        return limit(s, side, sn_calculus_rep(s->l, k->name));
    if (v->index >= 64 || !s->l->type[v->index])
        return NULL;
    const char *t = limit(s, side, type_sat(s, s->l->type[v->index]));
    if (!v->node || !v->node->clamp)
        return t;
    const char *c =
        limit(s, side,
              sn_calculus_rep(s->l, sn_format(s->a, "%s.%s", v->name,
                                              v->node->clamp->name)));
    return sn_format(s->a, "(%s %s %s)", *side == 'l' ? "max2" : "min2", t, c);
}

static void
conditions(Smt *s)
{
    for (uint32_t k = 0; k < s->l->ncov; k++) {
        const char *a0 = known(s, "lo", &s->l->cov[k][0]);
        const char *b0 = known(s, "lo", &s->l->cov[k][1]);
        const char *a1 = known(s, "hi", &s->l->cov[k][0]);
        const char *b1 = known(s, "hi", &s->l->cov[k][1]);
        if (a0 && b0 && a1 && b1)
            sn_putf(&s->fact, "(assert (and (<= %s %s) (>= %s %s)))\n", a0, b0,
                    a1, b1);
    }
}

/* L0, for every type with both conversions. */
static void
undone(Smt *s)
{
    for (uint32_t i = 0, n = s->nname; i < n; i++) {
        const char *q = s->name[i];
        if (strncmp(q, "|q ", 3))
            continue;
        const char *d = sn_format(s->a, "|d%s", q + 2);
        if (sn_name_among(s->name, n, d))
            sn_putf(&s->fact,
                    "(assert (forall ((c Real)) (= (%s (%s c)) c)))\n", q, d);
    }
}

/* Moves are elements only if both sides move alike. */
static void
moved(const SnTree *t, SnBuf *b)
{
    if (t->kind == SN_TR_MOVE)
        sn_putf(b, "%s;", t->op);
    for (uint32_t i = 0; i < t->nkid; i++)
        moved(t->kid[i], b);
}

const char *
sn_prove_file_name(SnArena *a, const char *name)
{
    char *v = sn_strdup(a, name);

    for (char *p = v; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return v;
}

void
sn_prove_smt2(SnProver *pv, const SnInstance *pr, const SnProof *p)
{
    SnCalculus l;
    SnTree *a, *b;
    SnBuf x, y, out;
    Smt s = {.l = &l, .a = pv->a};

    if (p->layer != SN_LAYER_LEMMA || pr->commutes || pr->swap ||
        pr->r->claim.kind == SN_CLAIM_WITHIN ||
        !sn_calculus_sides(pv, pr, 0, &l, &a, &b))
        return;
    s.exact = pr->r->claim.kind == SN_CLAIM_EXACT;
    sn_buf_init(&x, pv->a);
    sn_buf_init(&y, pv->a);
    moved(a, &x);
    moved(b, &y);
    if (strcmp(sn_buf_str(&x), sn_buf_str(&y)))
        return;
    sn_buf_init(&s.decl, pv->a);
    sn_buf_init(&s.fact, pv->a);
    s.lhs = true;
    const char *left = put(&s, a, "");
    s.lhs = false;
    const char *right = put(&s, b, "");
    undone(&s);
    if (!s.exact)
        conditions(&s);
    else if (l.ncov) /* saturations without effect under the condition */
        return;
    sn_buf_init(&out, pv->a);
    sn_putf(&out, "; %s: %s\n(set-logic ALL)\n", p->name, p->claim);
    sn_puts(&out,
            "(define-fun max2 ((u Real) (v Real)) Real (ite (>= u v) u v))\n"
            "(define-fun min2 ((u Real) (v Real)) Real (ite (<= u v) u v))\n"
            "(define-fun clamp ((l Real) (h Real) (v Real)) Real "
            "(min2 (max2 v l) h))\n");
    sn_putf(&out,
            "%s%s(assert (not (= %s\n               %s)))\n"
            "(check-sat)\n",
            sn_buf_str(&s.decl), sn_buf_str(&s.fact), left, right);
    const char *path = sn_path_join(
        pv->a, pv->o->smt2,
        sn_format(pv->a, "%s.smt2", sn_prove_file_name(pv->a, p->name)));
    sn_file_update(pv->d, path, sn_buf_str(&out), strlen(sn_buf_str(&out)));
}
