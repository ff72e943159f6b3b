// SPDX-License-Identifier: Apache-2.0
/* Attributes of an operator's term that are the sizes of a map's result. */
#include "dsl/model/expr_tree.h"
#include "dsl/model/onnx.h"
#include "dsl/resolve/resolver.h"

static void
wrong(SnScope *sc, const SnExpr *e, const SnMapDecl *d, const SnMapParam *p,
      const char *want)
{
    sn_error(sc->rs->d, e->pos, "SN102",
             "'%s' of map %s is %s of the operator, not '%s'", p->name, d->name,
             want, sn_expr_str(sc->rs->a, e));
    sc->bad = true;
}

static void
operand(SnScope *sc, SnExpr *e, const SnMapDecl *d, const SnMapParam *p)
{
    const SnDefVar *v = e->ek == SN_E_NAME ? sn_resolve_var(sc, e->s) : NULL;
    SnDefOpIn *in = v && !v->val->count ? v->val->in : NULL;

    if (!in || in->what != SN_OP_ONE) {
        wrong(sc, e, d, p, "an operand");
        return;
    }
    e->rk = SN_R_VAR;
    e->ref = v;
    in->used = true;
}

static void
value(SnScope *sc, SnExpr *e, const SnMapDecl *d, const SnMapParam *p)
{
    const SnDefVar *v = e->ek == SN_E_NAME ? sn_resolve_var(sc, e->s) : NULL;
    SnDefOpAttr *a = v ? v->val->attr : NULL;
    int kind = sn_resolve_map_attr(p);
    double num;

    if (e->ek == SN_E_BOOL && kind == SN_A_BOOL)
        return;
    if (kind == SN_A_INT && (e->ek == SN_E_INT || e->ek == SN_E_NEG) &&
        sn_expr_number(e, &num))
        return;
    if (!a || (int)a->type->ty != kind) {
        wrong(sc, e, d, p,
              kind == SN_A_INT    ? "a number, or an int"
              : kind == SN_A_BOOL ? "true, false, or a bool"
                                  : "an int[]");
        return;
    }
    e->rk = SN_R_VAR;
    e->ref = v;
    a->used = true;
    if (a->in)
        a->in->used = true;
}

static bool
has_sizes(SnScope *sc, const SnExpr *e, const SnMapDecl *d)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        bool operand = p->kind == SN_MP_OPERAND;
        bool word = p->kind == SN_MP_REAL || p->kind == SN_MP_ENUM;
        if (operand ? p->variadic || p->data : word)
            why = operand ? "an operand that an operator's shape does not say"
                          : "a real or a word";
        if (why) {
            sn_error(sc->rs->d, e->pos, "SN132",
                     "map %s cannot be used for sizes: '%s' is %s", d->name,
                     p->name, why);
            return false;
        }
    }
    return true;
}

void
sn_resolve_op_sizes(SnScope *sc, SnExpr *e)
{
    const SnDefMap *m =
        e->ek == SN_E_CALL ? sn_def_map(sc->rs->defs, e->s) : NULL;
    const SnMapDecl *d = m ? m->decl : NULL;
    uint32_t must = d ? d->nparam : 0;

    if (!m)
        return;
    e->rk = SN_R_MAP;
    e->ref = m;
    if (!d || !has_sizes(sc, e, d)) {
        sc->bad = true;
        return;
    }
    while (must > 0 && d->param[must - 1].dflt >= 0)
        must--;
    if (e->nkid < must || e->nkid > d->nparam) {
        sn_error(sc->rs->d, e->pos, "SN102",
                 "map %s takes %u argument%s, not %u", d->name, d->nparam,
                 d->nparam == 1 ? "" : "s", e->nkid);
        sc->bad = true;
        return;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        if (d->param[i].kind == SN_MP_OPERAND)
            operand(sc, e->kid[i], d, &d->param[i]);
        else
            value(sc, e->kid[i], d, &d->param[i]);
}
