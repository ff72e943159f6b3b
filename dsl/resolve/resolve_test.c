// SPDX-License-Identifier: Apache-2.0
/* Test blocks: small graphs with named values, and expectations about them. */
#include <string.h>
#include "dsl/resolve/resolver.h"

static void
define(SnScope *sc, const SnDefTestLine *l)
{
    SnDefVar *v = sn_resolve_var(sc, l->name);

    if (v) {
        sn_resolve_twice(sc->rs, l->pos, "value", l->name, v->pos);
        return;
    }
    v = SN_NEW(sc->rs->a, SnDefVar);
    v->name = l->name;
    v->pos = l->pos;
    v->vk = l->kind == SN_TL_INPUT ? SN_V_VALUE : SN_V_LET;
    v->let = l->term;
    v->node = l->term ? l->term->node : NULL;
    v->index = sc->nvar;
    SN_PUSH(sc->rs->a, sc->var, sc->nvar, v);
}

/* A node of a test must state its type if more than one plain kind is
 * possible. */
static void
typed(SnScope *sc, SnTerm *t)
{
    SnResolver *rs = sc->rs;
    const SnDefNode *n = t->node;

    for (uint32_t i = 0; i < t->narg; i++)
        typed(sc, t->arg[i]);
    if (t->tk != SN_T_CALL || t->type || !n || !n->nout)
        return;
    SnDefConc c = n->tuple[0].out[0];
    bool one = !sn_conc_quant(c);
    for (uint32_t i = 1; i < n->ntuple; i++)
        one &= sn_conc_equal(n->tuple[i].out[0], c);
    if (one) {
        SnExpr *e = sn_expr_new(rs->a, SN_E_NAME, t->pos, sn_conc_str(rs, c));
        e->ty = SN_TY_ETYPE;
        e->rk = SN_R_TYPE;
        e->ref = sn_def_type(rs->defs, e->s);
        t->forced = e;
        return;
    }
    sn_error(rs->d, t->pos, "SN203",
             "the type of %s is not known: nothing forces it", t->name);
    sn_diag_help(rs->d, "%s(..) : %s", t->name,
                 sn_conc_quant(c)
                     ? sn_format(rs->a, "%s(0.1, 0)", sn_conc_str(rs, c))
                     : sn_conc_str(rs, c));
}

static void
input(SnScope *sc, const SnDefTestLine *l)
{
    sn_resolve_etype(sc, l->e);
    if (l->e->ty == SN_TY_ETYPE && l->e->ek != SN_E_INDEX) {
        sn_error(sc->rs->d, l->e->pos, "SN104", "input '%s' needs a shape",
                 l->name);
        sn_diag_help(sc->rs->d, "%s : %s[2, 3];", l->name,
                     sn_expr_str(sc->rs->a, l->e));
    }
    for (uint32_t i = 1; l->e->ek == SN_E_INDEX && i < l->e->nkid; i++)
        if (l->e->kid[i]->ek != SN_E_INT) {
            sn_error(sc->rs->d, l->e->kid[i]->pos, "SN104",
                     "a dimension is a number");
            return;
        }
}

static void
term(SnScope *sc, const SnDefTestLine *l)
{
    sc->bad = false;
    if (sn_resolve_term(sc, l->term) && !sc->bad)
        typed(sc, l->term);
}

static void using(SnResolver *rs, const SnDefTest *t, const SnDefTestLine *l)
{
    SnCands v = sn_cands(rs);

    for (uint32_t i = 0; i < rs->defs->npass; i++) {
        const SnDefPass *p = rs->defs->pass[i];
        if (t->pass && !t->pass->backend && p != t->pass)
            continue;
        for (uint32_t j = 0; j < p->nrule; j++)
            sn_cands_add(&v, p->rule[j]->name, &p->rule[j]->pos);
        for (uint32_t j = 0; j < p->nderive; j++)
            sn_cands_add(&v, p->derive[j]->family, &p->derive[j]->pos);
    }
    for (uint32_t i = 0; i < l->nname; i++) {
        if (!sn_name_among(v.s, (uint32_t)v.n, l->names[i]))
            sn_resolve_unknown(rs, l->pos, "rule", l->names[i], NULL, &v);
    }
}

static void
assume(SnResolver *rs, const SnDefTestLine *l)
{
    SnCands v = sn_cands(rs);

    SnWord w = sn_word_named(l->name);
    if (w == SN_W_CALIBRATED || w == SN_W_NOTHING)
        return;
    sn_cands_add(&v, sn_words[SN_W_CALIBRATED], NULL);
    sn_cands_add(&v, sn_words[SN_W_NOTHING], NULL);
    sn_resolve_unknown(rs, l->pos, "assumption", l->name, NULL, &v);
}

static void
expect(SnScope *sc, const SnDefTestLine *l)
{
    SnCands v = sn_cands(sc->rs);

    term(sc, l);
    if (sn_resolve_var(sc, l->name))
        return;
    for (uint32_t i = 0; i < sc->nvar; i++)
        sn_cands_add(&v, sc->var[i]->name, &sc->var[i]->pos);
    sn_resolve_unknown(sc->rs, l->pos, "value", l->name, NULL, &v);
}

void
sn_resolve_test(SnResolver *rs, SnDefTest *t)
{
    SnScope sc = {.rs = rs, .kind = SN_SC_TEST};
    bool some = false;

    for (uint32_t i = 0; i < t->nline; i++) {
        SnDefTestLine *l = t->line[i];
        switch (l->kind) {
        case SN_TL_INPUT:
            input(&sc, l);
            define(&sc, l);
            break;
        case SN_TL_VALUE:
            term(&sc, l);
            define(&sc, l);
            break;
        case SN_TL_EXPECT:
            expect(&sc, l);
            some = true;
            break;
        case SN_TL_COND:
            sn_resolve_cond(&sc, l->e, "an expectation");
            some = true;
            break;
        case SN_TL_REJECT:
            some = true;
            break;
        case SN_TL_USING:
            using(rs, t, l);
            break;
        case SN_TL_ASSUME:
            assume(rs, l);
            break;
        }
    }
    if (!some) {
        sn_error(rs->d, t->pos, "SN130", "test '%s' expects nothing", t->name);
        sn_diag_help(rs->d, "expect name = TERM; or expect CONDITION;");
    }
}
