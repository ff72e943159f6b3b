// SPDX-License-Identifier: Apache-2.0
/* Facts that the calculus takes from a rule's condition: equal names, clamps
 * that cover others, ordered constants. */
#include "dsl/prove/calculus/prove_tree.h"

#include <math.h>
#include "dsl/model/expr_tree.h"
#include "dsl/resolve/resolver.h"

static SnCover
cover(SnCalculus *l, const SnExpr *e)
{
    const char *s = sn_expr_str(l->a, e);
    SnCover c = {.reach = NULL};

    if (e->fn == SN_FN_REACH && e->kid[0]->rk == SN_R_VAR) {
        c.reach = e->kid[0]->ref;
        s = sn_format(l->a, "reach %s", e->kid[0]->s);
        if (c.reach->index < 64 && l->type[c.reach->index])
            l->along |= sn_calculus_may(l, l->type[c.reach->index]).axis;
    } else if (e->ty == SN_TY_ETYPE && sn_calculus_type_expr(l, e)) {
        s = sn_format(l->a, "@%s",
                      sn_calculus_rep(l, sn_calculus_type_expr(l, e)));
        l->along |= sn_calculus_may(l, sn_calculus_type_expr(l, e)).axis;
    } else if (e->fn == SN_FN_BOUNDS) {
        c.type = sn_calculus_type_expr(l, e->kid[0]);
        for (uint32_t i = 0; i < 2; i++)
            if (e->kid[i + 1]->ek != SN_E_WILD)
                c.side[i] =
                    sn_calculus_name(l, sn_expr_str(l->a, e->kid[i + 1]));
    }
    c.name = sn_calculus_name(l, s);
    return c;
}

/* A comparison of two reals, each an attribute or a number. */
static void
note_order(SnCalculus *l, const SnExpr *e)
{
    bool less = e->op == SN_OP_LT || e->op == SN_OP_LE;
    const SnExpr *x = e->kid[less], *y = e->kid[!less];

    if (e->op < SN_OP_LT || e->op > SN_OP_GE || x->ty != SN_TY_REAL ||
        l->nleast == 8)
        return;
    l->least[l->nleast][0] = sn_calculus_name(l, sn_expr_str(l->a, x));
    l->least[l->nleast++][1] = sn_calculus_name(l, sn_expr_str(l->a, y));
}

/* ---- clamps of reals that have a common point ---- */

/* Does the condition exclude f32 for type `to`? */
static bool
leaves_codes(SnCalculus *l, const SnExpr *e, const char *to)
{
    bool both = e->ek == SN_E_BIN && e->op == SN_OP_OR;

    if (both || (e->ek == SN_E_BIN && e->op == SN_OP_AND)) {
        bool a = leaves_codes(l, e->kid[0], to),
             b = leaves_codes(l, e->kid[1], to);
        return both ? a && b : a || b;
    }
    if ((e->ek != SN_E_IN && !(e->ek == SN_E_BIN && e->op == SN_OP_EQ)) ||
        e->kid[0]->ty != SN_TY_ETYPE)
        return false;
    const char *of = sn_calculus_type_expr(l, e->kid[0]);
    bool codes = of && sn_calculus_rep(l, of) == sn_calculus_rep(l, to);
    for (uint32_t i = 1; i < e->nkid && codes; i++) {
        const SnDefType *t = e->kid[i]->rk == SN_R_TYPE ? e->kid[i]->ref : NULL;
        codes = t && t->nconc;
        for (uint32_t k = 0; codes && k < t->nconc; k++)
            codes = t->conc[k].elem != SN_F32;
    }
    return codes;
}

/* Does e, a condition, say x <= y of reals of type `to`? */
static bool
says_order(SnCalculus *l, const SnExpr *e, const char *x, const char *y,
           const char *to)
{
    bool less = e->op == SN_OP_LT || e->op == SN_OP_LE;

    if (e->ek != SN_E_BIN)
        return false;
    if (e->op == SN_OP_AND)
        return says_order(l, e->kid[0], x, y, to) ||
               says_order(l, e->kid[1], x, y, to);
    if (e->op == SN_OP_OR) {
        for (int i = 0; i < 2; i++)
            if (!says_order(l, e->kid[i], x, y, to) &&
                !leaves_codes(l, e->kid[i], to))
                return false;
        return true;
    }
    if (e->op < SN_OP_LT || e->op > SN_OP_GE ||
        (e->kid[0]->ty != SN_TY_REAL && e->kid[1]->ty != SN_TY_REAL))
        return false;
    return sn_calculus_name(l, sn_expr_str(l->a, e->kid[!less])) == x &&
           sn_calculus_name(l, sn_expr_str(l->a, e->kid[less])) == y;
}

/* A clamp's lower (0) or upper bound; NULL: it is open. */
static const char *
side_of(SnCalculus *l, const SnExpr *e, int k, double *v)
{
    static const char *const word[] = {"lo", "hi"};

    if (e->fn == SN_FN_BOUNDS && e->kid[k + 1]->ek == SN_E_WILD)
        return NULL;
    if (e->fn == SN_FN_BOUNDS && sn_expr_number(e->kid[k + 1], v))
        return sn_calculus_name(l, sn_expr_str(l->a, e->kid[k + 1]));
    *v = NAN;
    return sn_calculus_name(
        l, e->fn == SN_FN_BOUNDS
               ? sn_expr_str(l->a, e->kid[k + 1])
               : sn_format(l->a, "%s(%s)", word[k], sn_expr_str(l->a, e)));
}

static bool
is_below(SnCalculus *l, const SnExpr *a, const SnExpr *b, const char *to)
{
    double v, w;
    const char *x = side_of(l, a, 0, &v), *y = side_of(l, b, 1, &w);
    const SnExpr *need = l->pr->r->need;

    return !x || !y || v <= w || (need && says_order(l, need, x, y, to));
}

bool
sn_calculus_meets(SnCalculus *l, const SnExpr *a, const SnExpr *b,
                  const char *to)
{
    if (!(sn_calculus_may(l, to).elems >> SN_F32 & 1) ||
        (a->ek == SN_E_NAME && a->word == SN_W_FULL) ||
        (b->ek == SN_E_NAME && b->word == SN_W_FULL))
        return true;
    for (int i = 0; i < 2; i++) {
        const SnExpr *e = i ? b : a, *o = i ? a : b;
        if (e->fn == SN_FN_MEET)
            return sn_calculus_meets(l, e->kid[0], o, to) &&
                   sn_calculus_meets(l, e->kid[1], o, to);
    }
    if ((a->fn != SN_FN_BOUNDS && a->ek != SN_E_MEMBER) ||
        (b->fn != SN_FN_BOUNDS && b->ek != SN_E_MEMBER))
        return false;
    return is_below(l, a, b, to) && is_below(l, b, a, to);
}

/* Two clamps, neither of them a word, are equal. */
static bool
is_clamps(const SnExpr *e)
{
    return e->ek == SN_E_BIN && e->op == SN_OP_EQ &&
           e->kid[0]->ek == SN_E_MEMBER && e->kid[1]->ek == SN_E_MEMBER &&
           e->kid[0]->ty == SN_TY_RANGE && e->kid[1]->ty == SN_TY_RANGE;
}

static const char *
type_of_member(SnCalculus *l, const SnExpr *e)
{
    const SnDefVar *v = e->kid[0]->rk == SN_R_VAR ? e->kid[0]->ref : NULL;

    return v && v->index < 64 && l->type[v->index]
               ? sn_calculus_rep(l, l->type[v->index])
               : NULL;
}

void
sn_calculus_assume_clamps(SnCalculus *l, const SnExpr *e)
{
    if (!e)
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        sn_calculus_assume_clamps(l, e->kid[0]);
        sn_calculus_assume_clamps(l, e->kid[1]);
    } else if (is_clamps(e) && type_of_member(l, e->kid[0]) &&
               type_of_member(l, e->kid[0]) == type_of_member(l, e->kid[1])) {
        sn_calculus_equate(l, sn_expr_str(l->a, e->kid[0]),
                           sn_expr_str(l->a, e->kid[1]));
    }
}

void
sn_calculus_assume(SnCalculus *l, const SnExpr *e, bool early)
{
    if (!e)
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        sn_calculus_assume(l, e->kid[0], early);
        sn_calculus_assume(l, e->kid[1], early);
        return;
    }
    if (is_clamps(e))
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_EQ) {
        const SnExpr *x = e->kid[0], *y = e->kid[1];
        bool ty = x->ty == SN_TY_ETYPE;
        const char *a =
            ty && !early ? sn_calculus_type_expr(l, x) : sn_expr_str(l->a, x);
        const char *b =
            ty && !early ? sn_calculus_type_expr(l, y) : sn_expr_str(l->a, y);
        if (a && b && ty != early)
            sn_calculus_equate(l, a, b);
        return;
    }
    if (early)
        sn_calculus_note_guard(l, e);
    if (early && e->ek == SN_E_BIN)
        note_order(l, e);
    if (early && e->ek == SN_E_NOT && e->kid[0]->fn == SN_FN_PRESENT) {
        sn_calculus_equate(l, sn_expr_str(l->a, e->kid[0]->kid[0]),
                           SN_CALCULUS_NONE);
        return;
    }
    if (!early && e->fn == SN_FN_COVERS && l->ncov < 16) {
        l->cov[l->ncov][0] = cover(l, e->kid[0]);
        l->cov[l->ncov++][1] = cover(l, e->kid[1]);
    }
}
