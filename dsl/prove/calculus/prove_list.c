// SPDX-License-Identifier: Apache-2.0
/* Operands of a list, one by one, and roots that write their operands. */
#include "dsl/prove/calculus/prove_tree.h"

/* ---- each of a list ---- */

typedef uint64_t Vars; /* bit per variable of the rule */

static Vars
vars_of(const SnPat *p)
{
    const SnDefVar *v[2] = {p->var, p->cap};
    Vars r = 0;

    for (int i = 0; i < 2; i++)
        if (v[i])
            r |= v[i]->index < 64 ? UINT64_C(1) << v[i]->index : UINT64_MAX;
    for (uint32_t i = 0; i < p->narg; i++)
        r |= vars_of(p->arg[i]);
    return r;
}

static Vars
each_of_pattern(const SnPat *p)
{
    Vars r = 0;

    if (p->pk == SN_P_EACH)
        return vars_of(p);
    for (uint32_t i = 0; i < p->narg; i++)
        r |= each_of_pattern(p->arg[i]);
    return r;
}

static bool
is_in(Vars s, const SnDefVar *v)
{
    return v && (v->index >= 64 || (s >> v->index & 1));
}

/* except x.type: then all have one type (gen/rule/emit_before.c). */
static bool
names(const SnExpr *e, Vars s)
{
    bool r = e && e->rk == SN_R_VAR && is_in(s, e->ref);

    if (e && e->ek == SN_E_MEMBER && e->word == SN_W_TYPE)
        return false;
    for (uint32_t i = 0; e && i < e->nkid && !r; i++)
        r = names(e->kid[i], s);
    return r;
}

/* Outside of `each`. */
static bool
term_names(const SnTerm *t, Vars s)
{
    bool r = t->tk != SN_T_EACH && (is_in(s, t->var) || is_in(s, t->like_var) ||
                                    names(t->type, s) || names(t->forced, s));

    for (uint32_t i = 0; i < t->nasg && !r; i++)
        r = names(t->asg[i].e, s);
    for (uint32_t i = 0; i < t->narg && !r; i++)
        r = t->arg[i]->tk != SN_T_EACH && term_names(t->arg[i], s);
    return r;
}

bool
sn_calculus_one_by_one(const SnDefRule *r)
{
    Vars s = each_of_pattern(r->pat);

    return r->rhs && !r->nlet && !term_names(r->rhs, s);
}

/* ---- saved values ---- */

bool
sn_calculus_saves(const SnDefRule *r)
{
    const SnDefNode *n = r->root;

    return n && n->has_effect && n->nout == 0 && n->nin == 1 &&
           r->pat->pk == SN_P_CALL;
}

/* t : type as a real; t itself if it is not a code. */
static SnTree *
as_real(SnCalculus *l, SnTree *t, const char *type)
{
    SnTree *d = t ? sn_calculus_fn(l, SN_FN_D, 1, &t) : NULL;

    if (d)
        d->type = type;
    return d;
}

bool
sn_calculus_saved(SnCalculus *l, SnTree **a, SnTree **b)
{
    const SnDefRule *r = l->pr->r;
    const SnPat *p = r->pat->by_port ? r->pat->by_port[0] : NULL;
    const SnTerm *t = r->rhs;
    const char *ty = NULL, *tr = NULL;

    if (!p || p->pk == SN_P_WILD || t->tk != SN_T_CALL || t->node != r->root ||
        t->nasg || !t->like_var || t->like_var != r->pat->cap ||
        !t->by_port[0] || t->by_port[0]->tk == SN_T_NONE) {
        sn_calculus_out(l, "another Save, or one with other attributes");
        return false;
    }
    *a = sn_calculus_build_pat(l, p, &ty);
    if (*a)
        sn_calculus_assume(l, r->need, false);
    *b = *a ? sn_calculus_build_term(l, t->by_port[0], &tr) : NULL;
    if (l->why || !*b || !ty || !tr)
        return false;
    *a = as_real(l, *a, ty);
    *b = as_real(l, *b, tr);
    return !l->why;
}
