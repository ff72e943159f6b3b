// SPDX-License-Identifier: Apache-2.0
/* Types of operators: comparisons, arithmetic, and, or, not, in. */
#include <string.h>
#include "dsl/resolve/resolver.h"

/* The attribute of an enum-typed expression. */
static const SnDefAttr *
enum_attr(const SnExpr *e)
{
    return e->ty == SN_TY_ENUM ? e->ref : NULL;
}

/* A list with a number, for each element, or with one of its type, or with one
 * written out, whose whole numbers are reals too. */
static bool
lists_fit(const SnExpr *a, const SnExpr *b)
{
    bool literal = b->ek == SN_E_LIST && a->ty == SN_TY_REALS;

    return a->ek != SN_E_LIST && (sn_ty_is_num(b->ty) || b->ty == a->ty ||
                                  (literal && b->ty == SN_TY_INTS));
}

/* May a and b be compared for equality? */
static bool
comparable(const SnExpr *a, const SnExpr *b)
{
    SnTy s = a->ty, t = b->ty;

    if (sn_ty_is_num(s) && sn_ty_is_num(t))
        return true;
    if (s == SN_TY_ENUM && t == SN_TY_ENUM)
        return sn_words_same(a->ref, b->ref);
    if (sn_ty_is_list(s))
        return lists_fit(a, b);
    if (s == SN_TY_RANGE && sn_ty_is_list(t))
        return b->ek == SN_E_LIST && b->nkid == 2;
    return s == t && s != SN_TY_REACH;
}

/* x.type == q8 is meaningless: a type with scales needs them. */
static bool
bare_quant(const SnExpr *e)
{
    const SnDefType *t = e->ref;

    return e->ek == SN_E_NAME && e->rk == SN_R_TYPE && t->nconc &&
           (t->nconc > 1 || sn_conc_quant(t->conc[0]));
}

static SnTy
compare(SnScope *sc, SnExpr *e)
{
    SnExpr *a = e->kid[0], *b = e->kid[1];
    const SnDefAttr *was = sc->enum_of;

    sn_resolve_expr(sc, a);
    if (a->ty == SN_TY_ENUM)
        sc->enum_of = enum_attr(a);
    sn_resolve_expr(sc, b);
    sc->enum_of = was;
    if (a->ty == SN_TY_NONE || b->ty == SN_TY_NONE)
        return SN_TY_NONE;
    bool order = e->op != SN_OP_EQ && e->op != SN_OP_NE;
    bool lists = sn_ty_is_list(a->ty), both = lists && sn_ty_is_list(b->ty);
    if (order ? !(sn_ty_is_num(a->ty) || lists || a->ty == SN_TY_CODE) ||
                    both || !comparable(a, b)
              : !comparable(a, b)) {
        sn_error(sc->rs->d, e->pos, "SN104", "'%s' compares %s with %s",
                 sn_expr_str(sc->rs->a, e), sn_ty_name(a->ty),
                 sn_ty_name(b->ty));
        if (order && both)
            sn_diag_help(sc->rs->d, "lists are equal or not; every element "
                                    "is compared with a number");
        else if (a->ek == SN_E_LIST && comparable(b, a))
            sn_diag_help(
                sc->rs->d, "%s %s %s", sn_expr_str(sc->rs->a, b),
                e->op == SN_OP_EQ ? "==" : "!=", sn_expr_str(sc->rs->a, a));
        sc->bad = true;
        return SN_TY_NONE;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (a->ty == SN_TY_ETYPE && bare_quant(e->kid[i])) {
            sn_error(sc->rs->d, e->kid[i]->pos, "SN104",
                     "'%s' is not a single type: it has a scale", e->kid[i]->s);
            sn_diag_help(sc->rs->d, "%s in [%s]",
                         sn_expr_str(sc->rs->a, e->kid[!i]), e->kid[i]->s);
            sc->bad = true;
            return SN_TY_NONE;
        }
    return SN_TY_BOOL;
}

/* Numbers without a point are divided as integers, which is not intended
 * here. */
static SnTy
not_whole(SnScope *sc, const SnExpr *e)
{
    int64_t x = e->kid[0]->i, y = e->kid[1]->i;

    if (y == 0) {
        sn_error(sc->rs->d, e->pos, "SN214", "division by zero");
    } else {
        sn_error(sc->rs->d, e->pos, "SN214",
                 "'%s' is %lld: integers are divided here",
                 sn_expr_str(sc->rs->a, e), (long long)(x / y));
        sn_diag_help(sc->rs->d, "%lld.0 / %lld", (long long)x, (long long)y);
    }
    sc->bad = true;
    return SN_TY_NONE;
}

static SnTy
of_maps(SnScope *sc, const SnExpr *e)
{
    SnTy t =
        sn_resolve_fail(sc, e->pos,
                        sn_format(sc->rs->a, "'%s' can be said in maps only",
                                  sn_expr_str(sc->rs->a, e)));

    if (e->op == SN_OP_AMONG)
        sn_diag_help(sc->rs->d, "%s in [..]",
                     sn_expr_str(sc->rs->a, e->kid[0]));
    return t;
}

static SnTy
expr_bin(SnScope *sc, SnExpr *e)
{
    SnExpr *a = e->kid[0], *b = e->kid[1];

    if (e->op >= SN_OP_MOD)
        return of_maps(sc, e);
    if (e->op == SN_OP_AND || e->op == SN_OP_OR) {
        SnTy s = sn_resolve_expr(sc, a), t = sn_resolve_expr(sc, b);
        if (s != SN_TY_NONE && s != SN_TY_BOOL)
            return sn_resolve_mismatch(sc, a, "true or false");
        if (t != SN_TY_NONE && t != SN_TY_BOOL)
            return sn_resolve_mismatch(sc, b, "true or false");
        return s == SN_TY_NONE ? s : t;
    }
    if (e->op >= SN_OP_EQ)
        return compare(sc, e);
    SnTy s = sn_resolve_expr(sc, a), t = sn_resolve_expr(sc, b);
    if (s == SN_TY_NONE || t == SN_TY_NONE)
        return SN_TY_NONE;
    if (s == SN_TY_CODE || t == SN_TY_CODE) {
        const SnExpr *c = s == SN_TY_CODE ? a : b;
        sn_error(sc->rs->d, c->pos, "SN113",
                 "'%s' is a code; arithmetic is on real values",
                 sn_expr_str(sc->rs->a, c));
        sn_diag_help(sc->rs->d, "d(%s)", sn_expr_str(sc->rs->a, c));
        sc->bad = true;
        return SN_TY_NONE;
    }
    if (!sn_ty_is_num(s))
        return sn_resolve_mismatch(sc, a, "a number");
    if (!sn_ty_is_num(t))
        return sn_resolve_mismatch(sc, b, "a number");
    if (e->op == SN_OP_DIV &&
        (sc->kind == SN_SC_FORMULA || sc->kind == SN_SC_ATTR ||
         sc->kind == SN_SC_SHAPE))
        return SN_TY_REAL; /* elsewhere integers are divided */
    if (e->op == SN_OP_DIV && a->ek == SN_E_INT && b->ek == SN_E_INT &&
        (sc->kind == SN_SC_RULE || sc->kind == SN_SC_TEST) &&
        (b->i == 0 || a->i % b->i))
        return not_whole(sc, e);
    return s == SN_TY_REAL ? s : t;
}

static SnTy
expr_in(SnScope *sc, SnExpr *e)
{
    SnExpr *a = e->kid[0];
    const SnDefAttr *was = sc->enum_of;
    SnTy s = sn_resolve_expr(sc, a), all = SN_TY_BOOL;

    if (s == SN_TY_ENUM)
        sc->enum_of = enum_attr(a);
    for (uint32_t i = 1; i < e->nkid; i++) {
        SnTy t = sn_resolve_expr(sc, e->kid[i]);
        if (t == SN_TY_NONE || s == SN_TY_NONE)
            all = SN_TY_NONE;
        else if (!comparable(a, e->kid[i]))
            all = sn_resolve_mismatch(sc, e->kid[i], sn_ty_name(s));
    }
    sc->enum_of = was;
    return all;
}

static SnTy
expr_not(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e->kid[0]);

    if (t != SN_TY_BOOL && t != SN_TY_NONE)
        return sn_resolve_mismatch(sc, e->kid[0], "true or false");
    return t;
}

static SnTy
expr_neg(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e->kid[0]);

    if (t != SN_TY_NONE && !sn_ty_is_num(t))
        return sn_resolve_mismatch(sc, e->kid[0], "a number");
    return t;
}

SnTy
sn_resolve_operator(SnScope *sc, SnExpr *e)
{
    switch (e->ek) {
    case SN_E_NOT:
        return expr_not(sc, e);
    case SN_E_NEG:
        return expr_neg(sc, e);
    case SN_E_IN:
        return expr_in(sc, e);
    default:
        return expr_bin(sc, e);
    }
}
