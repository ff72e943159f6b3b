// SPDX-License-Identifier: Apache-2.0
/* Functions of formulas on plain integers: shr, div, <<, sat, wrap, and rne and
 * f32 between them and reals (SN_WHOLE_FNS). */
#include "dsl/resolve/resolver.h"

static bool
mode(SnScope *sc, const SnExpr *call, SnExpr *e)
{
    SnMode m = e->ek == SN_E_NAME ? sn_mode_named(e->s) : SN_MODE_NONE;
    SnBuf b;

    if (m != SN_MODE_NONE) {
        e->rk = SN_R_MODE;
        e->i = m;
        e->ty = SN_TY_ENUM;
        return true;
    }
    sn_buf_init(&b, sc->rs->a);
    for (int i = SN_MODE_NONE + 1; i < SN_NMODE; i++)
        sn_putf(&b, "%s%s", b.n ? ", " : "", sn_mode_words[i]);
    sn_error(sc->rs->d, e->pos, "SN113",
             "'%s' is not a rounding of %s: expected one of %s",
             sn_expr_str(sc->rs->a, e), call->s, sn_buf_str(&b));
    return !(sc->bad = true);
}

/* Widths are literals, so that every shift by them is defined. */
static bool
width(SnScope *sc, const SnExpr *call, const SnExpr *e)
{
    if (e->ek == SN_E_INT && e->i >= 1 && e->i <= 64)
        return true;
    sn_error(sc->rs->d, e->pos, "SN113",
             "'%s' is not a width of %s: expected a number from 1 to 64",
             sn_expr_str(sc->rs->a, e), call->s);
    return !(sc->bad = true);
}

/* The conversion that makes e the required number; NULL: none. */
static const char *
repair(const SnScope *sc, const SnExpr *e, char kind)
{
    const char *s = sn_expr_str(sc->rs->a, e);
    SnExpr *const *k = e->kid;

    if (e->ty == SN_TY_CODE)
        s = sn_format(sc->rs->a, "d(%s)", s);
    else if (e->ty != (kind == 'I' ? SN_TY_REAL : SN_TY_INT))
        return NULL;
    if (kind != 'I')
        return e->ty == SN_TY_INT ? sn_format(sc->rs->a, "f32(%s)", s) : s;
    /* a quotient of integers is called a real */
    if (e->ek == SN_E_BIN && e->op == SN_OP_DIV && k[0]->ty == SN_TY_INT &&
        k[1]->ty == SN_TY_INT)
        return sn_format(sc->rs->a, "%s(%s, %s, %s)", sn_fns[SN_FN_DIV].word,
                         sn_expr_str(sc->rs->a, k[0]),
                         sn_expr_str(sc->rs->a, k[1]),
                         sn_mode_words[SN_MODE_ZERO]);
    return sn_format(sc->rs->a, "%s(%s)", sn_fns[SN_FN_RNE].word, s);
}

static bool
number(SnScope *sc, SnExpr *e, char kind)
{
    SnTy t = sn_resolve_expr(sc, e);

    if (t == SN_TY_NONE || (t == SN_TY_INT && kind != 'R') ||
        (t == SN_TY_REAL && kind != 'I'))
        return t != SN_TY_NONE;
    sn_error(sc->rs->d, e->pos, "SN113", "'%s' is %s, expected %s",
             sn_expr_str(sc->rs->a, e), sn_ty_name(t),
             kind == 'I'   ? "an int"
             : kind == 'R' ? "a real"
                           : "a number");
    const char *to = repair(sc, e, kind);
    if (to)
        sn_diag_help(sc->rs->d, "%s", to);
    return !(sc->bad = true);
}

SnTy
sn_resolve_whole(SnScope *sc, SnExpr *e)
{
    const SnFnWord *f = &sn_fns[e->fn];
    bool ok = true;

    for (uint32_t i = 0; i < e->nkid; i++)
        ok &= f->whole[i] == 'M'   ? mode(sc, e, e->kid[i])
              : f->whole[i] == 'W' ? width(sc, e, e->kid[i])
                                   : number(sc, e->kid[i], f->whole[i]);
    return ok ? f->ty : SN_TY_NONE;
}
