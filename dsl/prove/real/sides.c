// SPDX-License-Identifier: Apache-2.0
/* Both sides of a rule as values and nodes, for one path. */
#include "dsl/prove/real/box.h"

#include <math.h>
#include "dsl/model/expr_tree.h"
#include "dsl/resolve/resolver.h"
#include "map/facts.h"

void
sn_real_out(SnRealProof *cx, const char *why)
{
    sn_path_stop(&cx->path, SN_PATH_OUT, "%s", why);
}

bool
sn_real_is_point(const SnMapDecl *d)
{
    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].kind == SN_MP_OPERAND &&
            (d->param[i].nitem != 1 || d->param[i].data ||
             (d->param[i].item[0].kind != SN_MI_JOIN &&
              d->param[i].item[0].kind != SN_MI_RUN)))
            return false;
    return sn_map_in_place(d);
}

SnBoxAttr *
sn_real_attr(const SnBoxNode *n, const SnDefAttr *a)
{
    return n->attr[a->index];
}

/* ---- attributes ---- */

static SnPoly
name(SnRealProof *cx, const char *s)
{
    return sn_poly_name(&cx->path.P, s);
}

static void
between(SnRealProof *cx, SnPoly p, int64_t below)
{
    SnPolys *P = &cx->path.P;

    sn_path_assume(&cx->path, p);
    sn_path_assume(&cx->path,
                   sn_poly_plus(P, sn_poly_scale(P, p, -1), below - 1));
}

static SnRing
real_name(SnRealProof *cx, const char *s)
{
    return sn_ring_atom(&cx->R, SN_RING_NAME, s, 0, NULL);
}

/* An attribute of the left side without known facts. */
static void
own(SnRealProof *cx, SnBoxAttr *r, const SnDefAttr *a)
{
    switch (a->ty) {
    case SN_A_INT:
    case SN_A_BOOL:
    case SN_A_ENUM:
        r->i = sn_real_one(cx, name(cx, r->name));
        if (a->ty != SN_A_INT)
            between(cx, r->i.v[0], a->ty == SN_A_BOOL ? 2 : a->nword);
        break;
    case SN_A_INTS:
        r->known = a->fixed > 0;
        r->i = sn_real_list(cx, a->fixed);
        for (uint32_t i = 0; i < a->fixed; i++)
            r->i.v[i] = name(cx, sn_format(cx->a, "%s[%u]", r->name, i));
        break;
    case SN_A_REAL:
        r->r = real_name(cx, r->name);
        break;
    case SN_A_RANGE:
        for (int k = 0; k < 2; k++) {
            r->has[k] = true;
            r->side[k] = real_name(
                cx, sn_format(cx->a, "%s(%s)", k ? "hi" : "lo", r->name));
        }
        break;
    case SN_A_REALS:
    case SN_A_STR:
    case SN_A_TYPE:
        break;
    }
}

/* The bounds of a literal clamp: [lo, hi], full, or another's. */
static void
clamp(SnRealProof *cx, SnBoxAttr *r, const SnExpr *e)
{
    if (e->ek == SN_E_NAME && e->word == SN_W_FULL) {
        r->full = true;
        return;
    }
    if (e->ek == SN_E_MEMBER && e->kid[0]->rk == SN_R_VAR) {
        const SnBoxNode *n =
            cx->bound[((const SnDefVar *)e->kid[0]->ref)->index];
        const SnDefAttr *a = n ? sn_def_attr(n->n, e->s) : NULL;
        if (a && a->ty == SN_A_RANGE) {
            const SnBoxAttr *o = sn_real_attr(n, a);
            r->full = o->full;
            for (int k = 0; k < 2; k++) {
                r->has[k] = o->has[k];
                r->side[k] = o->side[k];
            }
            return;
        }
    }
    if (e->ek != SN_E_LIST || e->nkid != 2) {
        sn_real_out(cx, "a clamp that is computed");
        return;
    }
    for (int k = 0; k < 2; k++) {
        r->has[k] = e->kid[k]->ek != SN_E_WILD;
        if (r->has[k])
            r->side[k] = sn_real_number(cx, NULL, e->kid[k]);
    }
}

/* Is e calculated, in binary32, which rounds, or is it -0?  The normal form has
 * one 0. */
static bool
is_calculated(const SnExpr *e)
{
    double v;
    bool any = e->ek == SN_E_BIN;

    if (sn_expr_number(e, &v))
        return v == 0 && signbit(v);
    for (uint32_t i = 0; i < e->nkid && !any; i++)
        any = is_calculated(e->kid[i]);
    return any;
}

static void
given(SnRealProof *cx, SnBoxAttr *r, const SnDefAttr *a, const SnExpr *e)
{
    *r = (SnBoxAttr){.attr = a, .e = e, .known = !cx->point};
    if (cx->point && a->ty == SN_A_INTS)
        return;
    if (a->ty == SN_A_RANGE)
        clamp(cx, r, e);
    else if (a->ty == SN_A_REAL && sn_real_exact(cx) && is_calculated(e))
        sn_real_out(cx, "a real that is calculated");
    else if (a->ty == SN_A_REAL)
        r->r = sn_real_number(cx, NULL, e);
    else if (a->ty == SN_A_INT || a->ty == SN_A_BOOL || a->ty == SN_A_ENUM ||
             a->ty == SN_A_INTS)
        r->i = sn_real_nums(cx, NULL, e);
    else
        sn_real_out(cx, "an attribute that is no number");
}

static const SnExpr *
assigned(const SnAsg *v, uint32_t n, const SnDefAttr *a)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i].attr == a)
            return v[i].e;
    return NULL;
}

/* ---- nodes ---- */

static SnBox *
value(SnRealProof *cx, const char *s, SnBoxNode *def)
{
    SnBox *v = SN_NEW(cx->a, SnBox);

    *v = (SnBox){.name = sn_poly_word(&cx->path.P, s),
                 .def = def,
                 .rank = -1,
                 .want = -1,
                 .elems = UINT32_MAX};
    return v;
}

static SnBoxNode *
node(SnRealProof *cx, const SnDefNode *n, const char *s)
{
    SnBoxNode *v = SN_NEW(cx->a, SnBoxNode);

    if (!n || n->nout == 0 || n->has_effect || !n->rsem[0]->decl ||
        !n->rsem[0]->decl->decl || !n->rsem[0]->formula) {
        sn_real_out(cx, "a node without one result over a map");
        return NULL;
    }
    *v = (SnBoxNode){.n = n,
                     .sem = n->rsem[0],
                     .map = n->rsem[0]->decl->decl,
                     .name = sn_poly_word(&cx->path.P, s),
                     .left = cx->building_left};
    if (sn_map_stmt(v->map, SN_MS_PRIMITIVE))
        sn_real_out(cx, "a choice that is no map");
    v->in = SN_NEW_N(cx->a, SnBox *, n->nin + 1);
    v->attr = SN_NEW_N(cx->a, SnBoxAttr *, n->nall + 1);
    for (uint32_t i = 0; i < n->nall; i++)
        v->attr[n->all[i]->index] = SN_NEW(cx->a, SnBoxAttr);
    SN_PUSH(cx->a, cx->node, cx->nnode, v);
    v->out = value(cx, s, v);
    return v;
}

static SnBox *pattern(SnRealProof *cx, const SnPat *p);

/* x:{f32} */
static void
typed(SnBox *v, const SnPat *p)
{
    uint32_t elems = 0;

    for (uint32_t i = 0; i < p->nconc; i++)
        elems |= 1u << p->conc[i].elem;
    if (p->ntype)
        v->elems &= elems;
}

/* Does the condition say that the list has one operand? */
static bool
is_one(const SnExpr *e, const SnDefVar *list)
{
    if (e && e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return is_one(e->kid[0], list) || is_one(e->kid[1], list);
    return e && e->ek == SN_E_BIN && e->op == SN_OP_EQ &&
           e->kid[0]->ek == SN_E_CALL && e->kid[0]->fn == SN_FN_COUNT &&
           e->kid[0]->kid[0]->ref == list && e->kid[1]->ek == SN_E_INT &&
           e->kid[1]->i == 1;
}

static SnBox *
port_of_pattern(SnRealProof *cx, SnBoxNode *v, const SnDefPort *port,
                const SnPat *arg)
{
    bool leaf = !arg || arg->pk == SN_P_WILD || arg->pk == SN_P_VAR;

    if (port->variadic && arg && arg->pk == SN_P_LIST &&
        is_one(cx->pr->r->need, arg->var)) {
        cx->bind[arg->var->index] = value(cx, arg->name, NULL);
        return cx->bind[arg->var->index];
    }
    if (port->variadic) {
        sn_real_out(cx, "a list of operands");
        return NULL;
    }
    if (port->optional && leaf &&
        !sn_path_decide_name(&cx->path, sn_format(cx->a, "{%s.%s is there}",
                                                  v->name, port->name)))
        return NULL;
    if (!arg || arg->pk == SN_P_WILD)
        return value(cx, sn_format(cx->a, "%s.%s", v->name, port->name), NULL);
    return pattern(cx, arg);
}

static SnBox *
pattern_node(SnRealProof *cx, const SnPat *p)
{
    const SnDefNode *n =
        p->pk == SN_P_CALL || !cx->pr->any ? p->node : cx->pr->any;
    SnBoxNode *v = node(
        cx, n, p->capture ? p->capture : sn_format(cx->a, "#%u", cx->nnode));

    for (uint32_t i = 0; v && i < n->nin && !sn_real_stopped(cx); i++)
        v->in[i] =
            port_of_pattern(cx, v, n->in[i], p->by_port ? p->by_port[i] : NULL);
    for (uint32_t i = 0; v && i < n->nall && !sn_real_stopped(cx); i++) {
        SnBoxAttr *r = sn_real_attr(v, n->all[i]);
        const SnExpr *e = assigned(p->asg, p->nasg, n->all[i]);
        *r = (SnBoxAttr){
            .name = sn_poly_word(&cx->path.P, sn_format(cx->a, "%s.%s", v->name,
                                                        n->all[i]->name)),
            .attr = n->all[i]};
        if (e)
            given(cx, r, n->all[i], e);
        else
            own(cx, r, n->all[i]);
    }
    if (!v)
        return NULL;
    typed(v->out, p);
    if (p->cap) {
        cx->bind[p->cap->index] = v->out;
        cx->bound[p->cap->index] = v;
    }
    return v->out;
}

static SnBox *
pattern(SnRealProof *cx, const SnPat *p)
{
    if (sn_real_stopped(cx))
        return NULL;
    switch (p->pk) {
    case SN_P_VAR:
        if (!cx->bind[p->var->index])
            cx->bind[p->var->index] = value(cx, p->name, NULL);
        typed(cx->bind[p->var->index], p);
        return cx->bind[p->var->index];
    case SN_P_CALL:
    case SN_P_FORMS:
    case SN_P_ANY:
        return pattern_node(cx, p);
    default:
        sn_real_out(cx, "a pattern outside this calculus");
        return NULL;
    }
}

/* ---- right side ---- */

static SnBox *term(SnRealProof *cx, const SnTerm *t);

static void
term_attr(SnRealProof *cx, SnBoxNode *v, const SnDefAttr *a, const SnTerm *t)
{
    SnBoxAttr *r = sn_real_attr(v, a);
    const SnBoxNode *like = t->like_var ? cx->bound[t->like_var->index] : NULL;
    const SnDefAttr *same = like ? sn_def_attr(like->n, a->name) : NULL;
    const SnExpr *e = assigned(t->asg, t->nasg, a);

    if (e) {
        given(cx, r, a, e);
    } else if (same) {
        *r = *sn_real_attr(like, same);
        if (same != a && same->ty != a->ty)
            sn_real_out(cx, "an attribute like that of another kind");
        r->attr = a;
    } else if (a->def) {
        given(cx, r, a, a->def);
    } else {
        sn_real_out(cx, "an attribute without a value");
    }
}

/* The operands of a list that are written one by one. */
static void
term_list(SnRealProof *cx, SnBoxNode *v, const SnTerm *t)
{
    if (!t->nlist || t->chain) {
        sn_real_out(cx, "a list of operands");
        return;
    }
    v->list = SN_NEW_N(cx->a, SnBox *, t->nlist);
    for (uint32_t i = 0; i < t->nlist && !sn_real_stopped(cx); i++)
        v->list[v->nlist++] = term(cx, t->list[i]);
}

static SnBox *
term_node(SnRealProof *cx, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    SnBoxNode *v = node(cx, n, sn_format(cx->a, "#%u", cx->nnode));

    for (uint32_t i = 0; v && i < n->nin && !sn_real_stopped(cx); i++) {
        const SnTerm *a = t->by_port[i];
        if (n->in[i]->variadic)
            term_list(cx, v, t);
        else if (a && a->tk != SN_T_NONE)
            v->in[i] = term(cx, a);
        if (v->nlist && n->in[i]->variadic)
            v->in[i] = v->list[0];
    }
    for (uint32_t i = 0; v && i < n->nall && !sn_real_stopped(cx); i++)
        term_attr(cx, v, n->all[i], t);
    return v ? v->out : NULL;
}

static SnBox *
term(SnRealProof *cx, const SnTerm *t)
{
    if (sn_real_stopped(cx))
        return NULL;
    if (t->tk == SN_T_CALL)
        return term_node(cx, t);
    if (t->tk != SN_T_VAR) {
        sn_real_out(cx, "a term outside this calculus");
        return NULL;
    }
    if (!cx->bind[t->var->index] && t->var->let)
        cx->bind[t->var->index] = term(cx, t->var->let);
    else if (!cx->bind[t->var->index] && t->var->vk != SN_V_VALUE)
        sn_real_out(cx, "a variable of another kind");
    return cx->bind[t->var->index]; /* NULL: a missing operand */
}

static void
attr_constraints(SnRealProof *cx, const SnBoxNode *v)
{
    for (uint32_t i = 0; i < v->n->nall; i++)
        if (v->n->all[i]->where)
            sn_real_assume(cx, v, v->n->all[i]->where);
}

void
sn_real_facts(SnRealProof *cx, bool all)
{
    for (uint32_t i = 0; i < cx->nfact && !sn_real_stopped(cx); i++)
        if (all || !sn_real_has_call(cx->fact[i]))
            sn_real_assume(cx, NULL, cx->fact[i]);
}

bool
sn_real_sides(SnRealProof *cx, SnBox **l, SnBox **r)
{
    const SnDefRule *rule = cx->pr->r;
    SnBox *a, *b;

    cx->bind = SN_NEW_N(cx->a, SnBox *, rule->nvar + 1);
    cx->bound = SN_NEW_N(cx->a, SnBoxNode *, rule->nvar + 1);
    cx->nnode = cx->nfact = 0;
    cx->node = NULL;
    if (!rule->rhs || rule->nmore || cx->pr->renumber || cx->pr->derive)
        sn_real_out(cx, "a rule of another form");
    cx->building_left = true;
    *l = pattern(cx, rule->pat);
    for (uint32_t i = 0; i < cx->nnode && !sn_real_stopped(cx); i++)
        attr_constraints(cx, cx->node[i]);
    if (rule->need && !sn_real_stopped(cx))
        sn_real_split(cx, rule->need);
    sn_real_facts(cx, false);
    for (uint32_t i = 0; i < cx->nnode && !cx->point; i++)
        if (sn_map_stmt(cx->node[i]->map, SN_MS_READ) &&
            !sn_real_is_point(cx->node[i]->map))
            sn_real_shape(cx, cx->node[i]->out);
    if (!cx->point)
        sn_real_facts(cx, true);
    for (uint32_t i = 0; i < cx->nfact && !cx->point; i++)
        if (sn_real_same_shape(cx, cx->fact[i], &a, &b)) {
            sn_real_shape(cx, a);
            sn_real_shape(cx, b);
        }
    for (uint32_t i = 0; i < cx->nnode && !sn_real_stopped(cx); i++)
        if (cx->node[i]->out->rank >= 0 && !cx->node[i]->slot)
            sn_real_fits(cx, cx->node[i]);
    cx->building_left = false;
    if (!sn_real_stopped(cx))
        *r = term(cx, rule->rhs);
    return !sn_real_stopped(cx);
}
