// SPDX-License-Identifier: Apache-2.0
/* Expressions where a certain type is required: conditions, attribute values,
 * element types, constants. */
#include <string.h>
#include "dsl/resolve/resolver.h"

void
sn_resolve_cond(SnScope *sc, SnExpr *e, const char *what)
{
    SnTy t = sn_resolve_expr(sc, e);

    if (t == SN_TY_BOOL || t == SN_TY_NONE)
        return;
    sn_error(sc->rs->d, e->pos, "SN104", "%s must be true or false; '%s' is %s",
             what, sn_expr_str(sc->rs->a, e), sn_ty_name(t));
    sc->bad = true;
}

static const char *
attr_type_str(SnResolver *rs, const SnDefAttr *a)
{
    bool list = a->ty == SN_A_INTS || a->ty == SN_A_REALS;

    if (a->ty == SN_A_INTS && a->fixed)
        return sn_format(rs->a, "int[%u]", a->fixed);
    if (a->ty == SN_A_RANGE && a->range_of)
        return sn_format(rs->a, "range(%s)", a->range_of);
    return sn_format(rs->a, "%s%s", sn_attr_kind_words[a->ty].word,
                     list ? "[]" : "");
}

/* Does a value of type t (as e) fit attribute a? */
static bool
fits(const SnExpr *e, SnTy t, const SnDefAttr *a)
{
    bool list = e->ek == SN_E_LIST;

    return t == sn_attr_ty(a) || (a->ty == SN_A_REAL && t == SN_TY_INT) ||
           (a->ty == SN_A_REALS && t == SN_TY_INTS && list) ||
           (a->ty == SN_A_RANGE && sn_ty_is_list(t) && list && e->nkid == 2);
}

/* The number of e that is written out, but no int; NULL: none. */
static const SnExpr *
no_int(const SnExpr *e, const SnDefAttr *a, bool constant)
{
    const SnExpr *bad = NULL;
    int64_t i;
    double v;

    if (a->ty != SN_A_INT && a->ty != SN_A_INTS)
        return NULL;
    for (uint32_t k = 0; e->ek == SN_E_LIST && k < e->nkid && !bad; k++)
        bad = no_int(e->kid[k], a, constant);
    if (e->ek == SN_E_LIST || !(constant || sn_expr_number(e, &v)))
        return bad;
    return sn_expr_int(e, &i) ? NULL : e;
}

void
sn_resolve_value(SnScope *sc, SnExpr *e, const SnDefNode *n, const SnDefAttr *a)
{
    SnResolver *rs = sc->rs;
    const SnDefAttr *was = sc->enum_of;
    double lo, hi;

    if (a->ty == SN_A_ENUM)
        sc->enum_of = a;
    SnTy t = sn_resolve_expr(sc, e);
    sc->enum_of = was;
    if (t == SN_TY_NONE)
        return;
    if (!fits(e, t, a) || (t == SN_TY_ENUM && !sn_words_same(a, e->ref))) {
        sn_error(rs->d, e->pos, "SN104",
                 "attribute '%s' of %s is %s; '%s' is %s", a->name, n->name,
                 attr_type_str(rs, a), sn_expr_str(rs->a, e), sn_ty_name(t));
        sc->bad = true;
        return;
    }
    const SnExpr *k = no_int(e, a, sc->kind == SN_SC_CONST);
    if (k) {
        sn_error(rs->d, k->pos, "SN104",
                 "attribute '%s' of %s: '%s' is not an int of 64 bits", a->name,
                 n->name, sn_expr_str(rs->a, k));
        sc->bad = true;
        return;
    }
    if (a->fixed && e->ek == SN_E_LIST && e->nkid != a->fixed) {
        sn_error(rs->d, e->pos, "SN104",
                 "attribute '%s' of %s takes %u values, not %u", a->name,
                 n->name, a->fixed, e->nkid);
        sc->bad = true;
    }
    if (a->ty == SN_A_RANGE && e->ek == SN_E_LIST &&
        sn_expr_number(e->kid[0], &lo) && sn_expr_number(e->kid[1], &hi) &&
        lo > hi) {
        sn_error(rs->d, e->pos, "SN104",
                 "the bounds of '%s' of %s are crossed: %s", a->name, n->name,
                 sn_expr_str(rs->a, e));
        sn_diag_help(rs->d, "[%g, %g]", hi, lo);
        sc->bad = true;
    }
    if (a->ty == SN_A_RANGE)
        e->ty = SN_TY_RANGE;
}

void
sn_resolve_etype(SnScope *sc, SnExpr *e)
{
    SnResolver *rs = sc->rs;
    SnTy t = sn_resolve_expr(sc, e);
    const SnExpr *k = e->ek == SN_E_INDEX ? e->kid[0] : e;

    if (t == SN_TY_NONE)
        return;
    if (t != SN_TY_ETYPE) {
        sn_error(rs->d, e->pos, "SN104", "'%s' is %s, not a type",
                 sn_expr_str(rs->a, e), sn_ty_name(t));
        if (t == SN_TY_VALUE || t == SN_TY_NODE)
            sn_diag_help(rs->d, "%s.type", sn_expr_str(rs->a, e));
    } else if (k->ek == SN_E_NAME && k->rk == SN_R_TYPE) {
        const SnDefType *d = k->ref;
        if (d->nconc == 1 &&
            (!sn_conc_quant(d->conc[0]) || d->conc[0].elem == SN_ROW8))
            return;
        sn_error(rs->d, e->pos, "SN104",
                 d->nconc > 1 ? "'%s' names several types"
                              : "type '%s' needs a scale and a zero point",
                 k->s);
        if (d->nconc == 1)
            sn_diag_help(rs->d, "%s(scale, zp)", k->s);
    } else {
        return;
    }
    e->ty = SN_TY_NONE;
    sc->bad = true;
}

/* ---- types with scales ---- */

/* A literal that can't be a scale. */
static bool
not_a_scale(const SnExpr *e)
{
    double v = 1;

    if (e->ek == SN_E_NEG)
        return e->kid[0]->ek == SN_E_INT || e->kid[0]->ek == SN_E_REAL;
    if (e->ek == SN_E_INT)
        v = (double)e->i;
    else if (e->ek == SN_E_REAL)
        v = e->r;
    for (uint32_t i = 0; e->ek == SN_E_LIST && i < e->nkid; i++)
        if (not_a_scale(e->kid[i]))
            return true;
    return !(v >= 0x1p-100 && v <= 0x1p100);
}

/* A literal that can't be a zero point of c, or NULL. */
static const SnExpr *
not_a_zp(const SnExpr *e, SnDefConc c)
{
    const SnExpr *k = e->ek == SN_E_NEG ? e->kid[0] : e, *bad = NULL;
    int64_t lo, hi;

    for (uint32_t i = 0; e->ek == SN_E_LIST && i < e->nkid && !bad; i++)
        bad = not_a_zp(e->kid[i], c);
    if (k->ek != SN_E_INT)
        return bad;
    int64_t z = k == e ? k->i : -k->i;
    sn_conc_zp(c, &lo, &hi);
    return z < lo || z > hi ? e : NULL;
}

SnTy
sn_resolve_type_with(SnScope *sc, SnExpr *e)
{
    const SnDefType *t = sn_def_type(sc->rs->defs, e->s);

    e->rk = SN_R_TYPE;
    e->ref = t;
    if (!t->nconc)
        return SN_TY_NONE;
    if (t->nconc != 1 || !sn_conc_quant(t->conc[0]) ||
        t->conc[0].elem == SN_ROW8)
        return sn_resolve_fail(
            sc, e->pos,
            sn_format(sc->rs->a, "'%s' is not one type with a scale", e->s));
    if (e->nkid != 2)
        return sn_resolve_fail(sc, e->pos,
                               sn_format(sc->rs->a,
                                         "%s takes (scale, zp), not %u values",
                                         e->s, e->nkid));
    for (uint32_t i = 0; i < 2; i++) {
        SnTy k = sn_resolve_expr(sc, e->kid[i]);
        bool axis = t->conc[0].axis >= 0;
        if (k == SN_TY_NONE)
            return k;
        if (axis ? k != SN_TY_INTS && (i || k != SN_TY_REALS) &&
                       !(k == SN_TY_INT || k == SN_TY_REAL)
            : i ? k != SN_TY_INT
                : !(k == SN_TY_INT || k == SN_TY_REAL))
            return sn_resolve_mismatch(sc, e->kid[i],
                                       axis ? "one number a slice"
                                       : i  ? "an int"
                                            : "a number");
    }
    if (not_a_scale(e->kid[0]))
        return sn_resolve_fail(
            sc, e->kid[0]->pos,
            "a scale lies above 0, between 2^-100 and 2^100");
    const SnExpr *z = not_a_zp(e->kid[1], t->conc[0]);
    int64_t lo, hi;
    sn_conc_zp(t->conc[0], &lo, &hi);
    if (z)
        return sn_resolve_fail(
            sc, z->pos,
            lo == hi ? sn_format(sc->rs->a, "the zero point of %s is 0", e->s)
                     : sn_format(sc->rs->a,
                                 "a zero point of %s lies in "
                                 "[%lld, %lld]",
                                 e->s, (long long)lo, (long long)hi));
    return SN_TY_ETYPE;
}

/* ---- constants ---- */

bool
sn_resolve_const(SnResolver *rs, const SnExpr *e, double *v)
{
    if (sn_expr_number(e, v))
        return true;
    sn_error(rs->d, e->pos, "SN104", "'%s' is not a constant number",
             sn_expr_str(rs->a, e));
    return false;
}
