// SPDX-License-Identifier: Apache-2.0
/* The right side of rules, and the terms of tests. */
#include <string.h>
#include "dsl/model/onnx.h"
#include "dsl/resolve/resolver.h"

static bool
no(SnScope *sc)
{
    sc->bad = true;
    return false;
}

/* ---- names ---- */

static const SnDefVar *
term_var(SnScope *sc, SnPos at, const char *name)
{
    const SnDefVar *v = sn_resolve_var(sc, name);
    SnCands c = sn_cands(sc->rs);

    if (v)
        return v;
    sc->bad = true;
    if (sc->kind == SN_SC_RULE) {
        sn_error(sc->rs->d, at, "SN202",
                 "'%s' is used %s but never bound on the left", name, sc->part);
        return NULL;
    }
    for (uint32_t i = 0; i < sc->nvar; i++)
        sn_cands_add(&c, sc->var[i]->name, &sc->var[i]->pos);
    sn_resolve_unknown(sc->rs, at, "value", name, NULL, &c);
    return NULL;
}

/* A variable that names a node with attributes (like, copy). */
static const SnDefVar *
node_var(SnScope *sc, SnPos at, const char *name, const char *word)
{
    const SnDefVar *v = term_var(sc, at, name);

    if (!v || v->vk == SN_V_NODE)
        return v;
    if (v->vk == SN_V_LET && v->let && v->let->node && sc->kind == SN_SC_TEST)
        return v;
    sn_error(sc->rs->d, at, "SN104", "'%s %s' needs a node; '%s' is a value",
             word, name, name);
    sn_diag_help(sc->rs->d, "capture the node on the left: Kind(..) @%s", name);
    no(sc);
    return NULL;
}

/* ---- attributes ---- */

static bool
is_data(const SnDefNode *n)
{
    return n->nin == 0 && n->rsem[0]->cls == SN_C_SOURCE && !n->has_effect;
}

/* name = e if there is no such attribute; true if it is a flag. */
static bool
flag(SnScope *sc, const SnDefNode *n, bool clamps, SnAsg *a)
{
    SnResolver *rs = sc->rs;

    if (a->word == SN_W_CALIBRATED && clamps) {
        sn_resolve_cond(sc, a->e, "'calibrated'");
        return true;
    }
    if (sc->kind != SN_SC_TEST || !n || !is_data(n))
        return false;
    SnTy t;
    if (a->word == SN_W_SPLAT) {
        t = sn_resolve_expr(sc, a->e);
        if (t == SN_TY_INT || t == SN_TY_REAL || t == SN_TY_NONE)
            return true;
    } else if (a->word == SN_W_DATA) {
        t = sn_resolve_expr(sc, a->e);
        if (sn_ty_is_list(t) || t == SN_TY_NONE)
            return true;
    } else {
        return false;
    }
    sn_error(rs->d, a->e->pos, "SN104", "'%s' is %s, expected %s", a->name,
             sn_ty_name(t), *a->name == 's' ? "a number" : "a list");
    no(sc);
    return true;
}

/* name = ATTRIBUTE of an operator's declaration, as in the model. */
static bool
of_operator(SnScope *sc, const SnDefNode *n, SnAsg *a)
{
    const SnDefVar *v =
        a->e->ek == SN_E_NAME ? sn_resolve_var(sc, a->e->s) : NULL;
    const SnDefAttr *t =
        v && v->val && v->val->attr ? v->val->attr->type : NULL;

    if (!t)
        return false;
    a->e->rk = SN_R_VAR;
    a->e->ref = v;
    if (t->ty == a->attr->ty ||
        (t->ty == SN_A_INT && a->attr->ty == SN_A_BOOL) ||
        (t->ty == SN_A_INT && a->attr->ty == SN_A_INTS && !a->attr->fixed) ||
        (t->ty == SN_A_STR && a->attr->ty == SN_A_ENUM))
        return true;
    sn_error(sc->rs->d, a->e->pos, "SN104",
             "attribute '%s' of %s is not of the type that '%s' has", a->name,
             n->name, t->name);
    no(sc);
    return true;
}

/* name = MAP(..) of an operator's declaration, resolved there. */
static bool
of_map(SnScope *sc, const SnDefNode *n, SnAsg *a)
{
    if (a->e->rk != SN_R_MAP)
        return false;
    if (a->attr->ty == SN_A_INTS)
        return true;
    sn_error(sc->rs->d, a->e->pos, "SN104",
             "attribute '%s' of %s is not an int[]: '%s' gives the sizes of a "
             "result",
             a->name, n->name, sn_expr_str(sc->rs->a, a->e));
    no(sc);
    return true;
}

static void
assign(SnScope *sc, const SnDefNode *n, const SnDefVar *copied, SnAsg *a)
{
    SnResolver *rs = sc->rs;
    SnCands v = sn_cands(rs);
    const SnDefNode *of = n ? n : sn_var_node(copied);
    const char *name = of ? of->name : copied->pat->cls->name;

    a->attr = n ? sn_def_attr(n, a->name) : sn_var_attr(rs, copied, a->name);
    if (a->attr && n && (of_map(sc, n, a) || of_operator(sc, n, a)))
        return;
    if (a->attr) {
        SnDefNode some = {.name = name};
        sn_resolve_value(sc, a->e, of ? of : &some, a->attr);
        return;
    }
    bool clamps = n ? n->clamp != NULL
                    : sn_var_attr(rs, copied, sn_words[SN_W_CLAMP]) != NULL;
    if (flag(sc, of, clamps, a))
        return;
    for (uint32_t i = 0; of && i < of->nall; i++)
        sn_cands_add(&v, of->all[i]->name, &of->all[i]->pos);
    if (clamps)
        sn_cands_add(&v, "calibrated", NULL);
    sn_resolve_unknown(rs, a->pos, "attribute", a->name, name, &v);
    no(sc);
}

static void
assigns(SnScope *sc, const SnDefNode *n, const SnDefVar *copied, SnTerm *t)
{
    for (uint32_t i = 0; i < t->nasg; i++) {
        assign(sc, n, copied, &t->asg[i]);
        uint32_t was = sn_entry_at(t->asg, i, sizeof *t->asg, t->asg[i].name);
        if (was < i) {
            sn_resolve_twice(sc->rs, t->asg[i].pos, "attribute", t->asg[i].name,
                             t->asg[was].pos);
            no(sc);
        }
    }
}

/* Every attribute without a default must be given. */
static void
all_given(SnScope *sc, const SnTerm *t)
{
    for (uint32_t i = 0; i < t->node->nall; i++) {
        const SnDefAttr *a = t->node->all[i];
        bool given = a->def != NULL;
        for (uint32_t j = 0; j < t->nasg; j++)
            given |= t->asg[j].attr == a;
        if (t->like_var && !given) {
            const SnDefAttr *b = sn_var_attr(sc->rs, t->like_var, a->name);
            given = b && b->ty == a->ty;
        }
        if (given)
            continue;
        sn_error(sc->rs->d, t->pos, "SN129",
                 "attribute '%s' of %s has no default and is not given",
                 a->name, t->node->name);
        no(sc);
        return;
    }
}

/* ---- operands ---- */

static bool
arity(SnScope *sc, const SnTerm *t, uint32_t npos)
{
    sn_error(sc->rs->d, t->pos, "SN102", "%s takes %u operand%s (%s), not %u",
             t->node->name, t->node->nin, t->node->nin == 1 ? "" : "s",
             sn_resolve_ports(sc->rs, t->node->in, t->node->nin, true), npos);
    return no(sc);
}

/* The port of positional operand i of npos. */
static uint32_t
port_of(const SnDefNode *n, uint32_t i, uint32_t npos)
{
    for (uint32_t p = 0; p < n->nin; p++)
        if (n->in[p]->variadic) {
            uint32_t after = n->nin - p - 1;
            if (i < p)
                return i;
            return npos - i <= after ? n->nin - (npos - i) : p;
        }
    return i;
}

static bool
place(SnScope *sc, SnTerm *t, SnTerm *a, uint32_t p)
{
    const SnDefPort *port = t->node->in[p];

    if (port->variadic) {
        SN_PUSH(sc->rs->a, t->list, t->nlist, a);
        if (!t->by_port[p])
            t->by_port[p] = a;
        return true;
    }
    if (t->by_port[p]) {
        sn_error(sc->rs->d, a->pos, "SN102",
                 "operand '%s' of %s is given twice", port->name,
                 t->node->name);
        return no(sc);
    }
    t->by_port[p] = a;
    if (a->tk == SN_T_EACH ||
        (a->tk == SN_T_VAR && a->var && a->var->vk == SN_V_LIST)) {
        sn_error(sc->rs->d, a->pos, "SN104",
                 "'%s' of %s takes one operand, not a list", port->name,
                 t->node->name);
        return no(sc);
    }
    return true;
}

static bool
named_arg(SnScope *sc, SnTerm *t, SnTerm *a)
{
    const SnDefNode *n = t->node;
    SnCands v = sn_cands(sc->rs);

    const SnDefPort *x = sn_def_operand(n, a->port);
    if (x)
        return place(sc, t, a, x->index);
    for (uint32_t p = 0; p < n->nin; p++)
        sn_cands_add(&v, n->in[p]->name, &n->in[p]->pos);
    sn_resolve_unknown(sc->rs, a->pos, "operand", a->port, n->name, &v);
    return no(sc);
}

static bool
operands(SnScope *sc, SnTerm *t)
{
    const SnDefNode *n = t->node;
    uint32_t npos = 0, seen = 0;
    bool variadic = false, ok = true;

    t->by_port = SN_NEW_N(sc->rs->a, SnTerm *, n->nin);
    for (uint32_t i = 0; i < n->nin; i++)
        variadic |= n->in[i]->variadic;
    for (uint32_t i = 0; i < t->narg; i++)
        npos += !t->arg[i]->port;
    if (!variadic && npos > n->nin)
        return arity(sc, t, npos);
    for (uint32_t i = 0; i < t->narg && ok; i++) {
        SnTerm *a = t->arg[i];
        if (a->port)
            ok = named_arg(sc, t, a);
        else
            ok = place(sc, t, a, port_of(n, seen++, npos));
    }
    for (uint32_t p = 0; p < n->nin && ok; p++) {
        SnTerm *a = t->by_port[p];
        bool none = !a || a->tk == SN_T_NONE;
        if (none && a)
            t->by_port[p] = NULL;
        if (!none || n->in[p]->optional || n->in[p]->variadic)
            continue;
        if (!a)
            return arity(sc, t, npos);
        sn_error(sc->rs->d, a->pos, "SN102",
                 "operand '%s' of %s is not optional", n->in[p]->name, n->name);
        return no(sc);
    }
    return ok;
}

/* ---- terms ---- */

static bool
term_call(SnScope *sc, SnTerm *t)
{
    bool ok = true;

    t->node = sn_resolve_node(sc->rs, t->pos, t->name);
    if (!t->node)
        no(sc);
    for (uint32_t i = 0; i < t->narg; i++)
        ok &= sn_resolve_term(sc, t->arg[i]);
    if (t->like) {
        t->like_var = node_var(sc, t->like_pos, t->like, "like");
        ok &= t->like_var != NULL;
    }
    if (t->named) {
        t->named_var = term_var(sc, t->pos, t->named);
        ok &= t->named_var != NULL;
    }
    if (t->type)
        sn_resolve_etype(sc, t->type);
    if (sn_resolve_bad(sc->rs, t->node)) {
        t->node = NULL;
        return no(sc);
    }
    ok = ok && operands(sc, t);
    assigns(sc, t->node, NULL, t);
    if (ok && !sc->bad)
        all_given(sc, t);
    return ok && !sc->bad;
}

static bool
term_copy(SnScope *sc, SnTerm *t)
{
    t->var = node_var(sc, t->pos, t->name, "copy");
    if (t->type)
        sn_resolve_etype(sc, t->type);
    if (!t->var || !t->var->pat || (!t->var->pat->node && !t->var->pat->cls))
        return no(sc);
    t->node = sn_var_node(t->var);
    assigns(sc, NULL, t->var, t);
    return !sc->bad;
}

static bool
term_func(SnScope *sc, SnTerm *t)
{
    t->tk = SN_T_FUNC;
    if (t->narg != 1) {
        sn_error(sc->rs->d, t->pos, "SN102", "%s takes one value, not %u",
                 t->name, t->narg);
        return no(sc);
    }
    return sn_resolve_term(sc, t->arg[0]);
}

static bool
term_each(SnScope *sc, SnTerm *t)
{
    bool was = sc->each;

    sc->each = true;
    bool ok = sn_resolve_term(sc, t->arg[0]);
    sc->each = was;
    return ok;
}

bool
sn_resolve_term(SnScope *sc, SnTerm *t)
{
    switch (t->tk) {
    case SN_T_VAR:
        t->var = term_var(sc, t->pos, t->name);
        if (!t->var || t->var->each == sc->each || !t->var->each)
            return t->var != NULL;
        sn_error(sc->rs->d, t->pos, "SN104",
                 "'%s' is bound for each element of a list", t->name);
        sn_diag_help(sc->rs->d, "each %s", t->name);
        return no(sc);
    case SN_T_CALL:
        if (t->fn == SN_FN_FOLD || t->fn == SN_FN_REGRID)
            return term_func(sc, t);
        return term_call(sc, t);
    case SN_T_COPY:
        return term_copy(sc, t);
    case SN_T_FUNC:
        return term_func(sc, t);
    case SN_T_EACH:
        return term_each(sc, t);
    case SN_T_NONE:
        return true;
    }
    return false;
}
