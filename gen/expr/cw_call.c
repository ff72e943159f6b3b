// SPDX-License-Identifier: Apache-2.0
/* Calls as C, by the function's row in sn_fns. */
#include "gen/expr/cw.h"

#include <string.h>

/* A clamp, a type or a reach, as a reach. */
static const char *
reach(SnCw *w, const SnExpr *e)
{
    SnCVal x = sn_cw(w, e);

    if (x.ty == SN_TY_REACH)
        return x.s;
    if (x.ty == SN_TY_RANGE && x.dom)
        return sn_format(w->a, "sn_clamp_reach(%s, %s)", x.dom, x.s);
    if (x.ty == SN_TY_ETYPE || x.ty == SN_TY_VALUE)
        return sn_format(w->a, "sn_type_reach(%s)", w->type(w, e));
    return w->none(w, e).s;
}

static const char *
argument(SnCw *w, const SnExpr *e, char kind)
{
    const char *s;

    switch (kind) {
    case 'V':
        s = w->ref(w, e);
        return s ? s : w->none(w, e).s;
    case 'R':
        return sn_cw_range(w, e);
    case 'C':
        return reach(w, e);
    case 'T':
        return w->type(w, e);
    default:
        return sn_cw(w, e).s;
    }
}

/* A number as an argument of a function of reals. */
static const char *
real_arg(SnCw *w, const SnExpr *e, SnCVal v, bool wide)
{
    double n;

    return v.ty != SN_TY_INT || sn_const_num(e, &n)
               ? v.s
               : sn_format(w->a, "(%s)%s", wide ? "double" : "float",
                           sn_cw_paren(w, v, P_UNARY));
}

/* min, max, abs and sqrt. */
static SnCVal
number_fn(SnCw *w, const SnExpr *e)
{
    SnCVal a = sn_cw(w, e->kid[0]), b = {.ty = SN_TY_INT};
    bool sq = e->fn == SN_FN_SQRT;

    if (e->nkid > 1)
        b = sn_cw(w, e->kid[1]);
    bool real = sn_cw_is_real(a) || sn_cw_is_real(b) || sq;
    const char *f = sq                   ? "sqrtf"
                    : !real              ? sn_format(w->a, "sn_int_%s", e->s)
                    : e->fn == SN_FN_ABS ? "fabsf"
                                         : sn_format(w->a, "sn_%sf", e->s);
    bool wide = a.wide || b.wide || (real && w->place == SN_CP_CONSTRAINT);
    if (wide) /* without the last f */
        f = sn_strndup(w->a, f, strlen(f) - 1);
    if (real) {
        a.s = real_arg(w, e->kid[0], a, wide);
        b.s = e->nkid > 1 ? real_arg(w, e->kid[1], b, wide) : NULL;
    }
    if (!real && e->fn == SN_FN_ABS)
        return sn_cval(SN_TY_INT, sn_cw_int(w, e, "abs", a.s));
    SnCVal x = sn_cval(real ? SN_TY_REAL : SN_TY_INT,
                       e->nkid > 1 ? sn_format(w->a, "%s(%s, %s)", f, a.s, b.s)
                                   : sn_format(w->a, "%s(%s)", f, a.s));
    x.wide = wide;
    return x;
}

SnCVal
sn_cw_call(SnCw *w, const SnExpr *e)
{
    const SnFnWord *f = &sn_fns[e->fn];
    const char *c = w->place == SN_CP_RULE         ? f->rule
                    : w->place == SN_CP_CONSTRAINT ? f->inv
                                                   : NULL;
    SnBuf b;

    if (f->max && f->args && w->place != SN_CP_FORMULA)
        return number_fn(w, e);
    if (!c)
        return w->none(w, e);
    sn_buf_init(&b, w->a);
    for (const char *p = c; *p; p++)
        if (*p == '$') {
            unsigned i = (unsigned)(*++p - '0');
            sn_puts(&b, argument(w, e->kid[i], f->args[i]));
        } else {
            sn_putc(&b, *p);
        }
    SnCVal v = {.s = sn_buf_str(&b),
                .prec = strstr(c, " != ") ? P_EQ : P_PRIM,
                .ty = f->ty};
    if (e->fn == SN_FN_LO || e->fn == SN_FN_HI)
        v.wide = true;
    if (e->fn == SN_FN_MEET)
        v.dom = sn_cw(w, e->kid[0]).dom;
    return v;
}
