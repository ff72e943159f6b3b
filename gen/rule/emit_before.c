// SPDX-License-Identifier: Apache-2.0
/* What a rule tests after its pattern and guard and before sn_fire: everything
 * that could make the right side fail. */
#include "gen/rule/rule_gen.h"

#include <string.h>

static bool
asg_mentions(const SnTerm *t, const SnDefVar *v)
{
    for (uint32_t i = 0; i < t->nasg; i++)
        if (sn_rule_mentions(t->asg[i].e, v))
            return true;
    return t->type && sn_rule_mentions(t->type, v);
}

/* Does the term need the value, rather than pass it on where it may be
 * missing? */
static bool
term_needs(const SnTerm *t, const SnDefVar *v)
{
    if (!t)
        return false;
    if (asg_mentions(t, v))
        return true;
    for (uint32_t i = 0; i < t->narg; i++)
        if (term_needs(t->arg[i], v))
            return true;
    for (uint32_t i = 0; t->by_port && t->node && i < t->node->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (k && k->tk == SN_T_VAR && !t->node->in[i]->optional && k->var == v)
            return true;
    }
    return false;
}

/* A variable that may be missing and is read: the rule must test it. */
static void
presence(SnRuleGen *cx)
{
    const SnDefRule *r = cx->rule;

    for (uint32_t i = 0; i < r->nvar; i++) {
        const SnDefVar *v = r->var[i];
        if (!cx->bind[v->index].missing)
            continue;
        if (r->when && sn_rule_asks_present(r->when, v))
            continue;
        bool need = (r->when && sn_rule_mentions(r->when, v)) ||
                    term_needs(r->rhs, v) ||
                    (r->rhs && r->rhs->tk == SN_T_VAR && r->rhs->var == v);
        for (uint32_t k = 0; k < r->nlet; k++)
            need |= term_needs(r->let[k], v);
        for (uint32_t k = 0; k < r->nmore; k++)
            need |= term_needs(r->more[k], v);
        if (need)
            sn_rule_fail_if(
                cx, sn_format(cx->a, "!%s", sn_rule_local(cx, v->name)));
    }
}

/* How an expression uses variable `name`: not at all, by its type,
 * otherwise. */
enum { NOT_AT_ALL, BY_TYPE, OTHERWISE };

static int
mention_of(const SnExpr *e, const SnDefVar *v)
{
    int most = NOT_AT_ALL;

    if (!e)
        return most;
    if (e->rk == SN_R_VAR && e->ref == v)
        return OTHERWISE;
    if (e->ek == SN_E_MEMBER && e->word == SN_W_TYPE)
        return mention_of(e->kid[0], v) ? BY_TYPE : NOT_AT_ALL;
    for (uint32_t i = 0; i < e->nkid; i++) {
        int k = mention_of(e->kid[i], v);
        most = k > most ? k : most;
    }
    return most;
}

/* The same for a term, except the parts under `each`. */
static int
outside(const SnTerm *t, const SnDefVar *v)
{
    int most, k;

    if (!t || t->tk == SN_T_EACH)
        return NOT_AT_ALL;
    if (t->var == v || t->like_var == v)
        return OTHERWISE;
    most = mention_of(t->type ? t->type : t->forced, v);
    for (uint32_t i = 0; i < t->nasg; i++) {
        k = mention_of(t->asg[i].e, v);
        most = k > most ? k : most;
    }
    for (uint32_t i = 0; i < t->narg; i++) {
        k = outside(t->arg[i], v);
        most = k > most ? k : most;
    }
    return most;
}

static bool
inside(const SnPat *p, const SnPat *x)
{
    if (p == x)
        return true;
    for (uint32_t i = 0; i < p->narg; i++)
        if (inside(p->arg[i], x))
            return true;
    return false;
}

const SnRuleRun *
sn_rule_run_of(const SnRuleGen *cx, const SnDefVar *v)
{
    for (uint32_t i = 0; i < cx->neach; i++)
        if (v->each && inside(cx->each[i].pat, v->pat))
            return &cx->each[i];
    return NULL;
}

/* A variable bound under `each` represents several values.  Outside `each` only
 * their type may be named, and then it is one type. */
static void
uniform(SnRuleGen *cx)
{
    const SnDefRule *r = cx->rule;

    for (uint32_t i = 0; i < r->nvar && cx->neach; i++) {
        const SnDefVar *v = r->var[i];
        int how = v->each ? outside(r->rhs, v) : NOT_AT_ALL;
        if (how == OTHERWISE)
            sn_error(cx->d, r->rhs->pos, "SN104",
                     "'%s' has several values: outside of 'each' only %s.type "
                     "is allowed",
                     v->name, v->name);
        if (how != BY_TYPE)
            continue;
        SnExpr n = {.ek = SN_E_NAME, .s = v->name, .pos = v->pos};
        const char *first = sn_rule_type(cx, &n);
        sn_rule_loop(cx, sn_rule_run_of(cx, v));
        sn_rule_fail_if(
            cx, sn_format(cx->a, "%s != %s", sn_rule_type(cx, &n), first));
        sn_rule_loop_end(cx);
    }
}

const char *
sn_rule_term_type(SnRuleGen *cx, const SnTerm *t)
{
    const SnExpr *e = t->type ? t->type : t->forced;

    if (t->tk == SN_T_VAR) {
        SnExpr n = {.ek = SN_E_NAME, .s = t->name, .pos = t->pos};
        return sn_rule_type(cx, &n);
    }
    if (e)
        return sn_rule_type(cx, e);
    if (t->tk == SN_T_COPY && t->var)
        return sn_format(cx->a, "sn_type(g, SN_REF(%s, 0))",
                         sn_rule_of(cx, t->var));
    sn_error(cx->d, t->pos, "SN203", "no fact forces the type of %s", t->name);
    return "NULL";
}

SnRuleRegrid
sn_rule_regrid(SnRuleGen *cx, const SnTerm *t, uint32_t port,
               const SnTerm *call)
{
    const SnTerm *k = call->arg[0];
    const SnDefVar *v = sn_rule_var(cx, k->name);
    const SnDefPort *p = t->node->in[port];
    SnRuleRegrid r = {.b = "0", .consumer = cx->root, .new_x = "NULL"};

    if (!v || p->fact != SN_PIN || !t->by_port[p->pin[0]]) {
        sn_error(cx->d, call->pos, "SN104",
                 "regrid takes an operand of the left side to a pinned port");
        return r;
    }
    r.b = sn_rule_local(cx, v->name);
    if (cx->bind[v->index].id)
        r.consumer = cx->bind[v->index].id;
    r.new_x = sn_rule_term_type(cx, t->by_port[p->pin[0]]);
    return r;
}

static bool
reads(const SnExpr *e, bool lets)
{
    const SnDefVar *v = e->rk == SN_R_VAR ? e->ref : NULL;
    bool r = v && (!lets || v->vk == SN_V_LET);

    for (uint32_t i = 0; i < e->nkid; i++)
        r |= reads(e->kid[i], lets);
    return r;
}

/* A calculated scale or zero point may be invalid. */
static void
type_exists(SnRuleGen *cx, const SnTerm *t)
{
    const SnExpr *e = t->type;

    if (e && e->ek == SN_E_CALL && reads(e, false) && !reads(e, true))
        sn_rule_fail_if(cx, sn_format(cx->a, "!%s", sn_rule_type(cx, e)));
}

/* A type for which the kind has no tuple (SN208). */
static void
tuple_exists(SnRuleGen *cx, const SnTerm *t)
{
    if (t->ntakes && !reads(t->type, true))
        sn_rule_fail_if(cx,
                        sn_format(cx->a, "!(%s)",
                                  sn_cw_in_set(&cx->w, sn_rule_term_type(cx, t),
                                               t->takes, t->ntakes)));
}

/* Numbers of attributes and types.  What a let builds exists only after
 * sn_fire, where no number can hold the rule back any more. */
static void
numbers_fit(SnRuleGen *cx, const SnTerm *t)
{
    for (uint32_t i = 0; i <= t->nasg; i++) {
        const SnExpr *e = i < t->nasg ? t->asg[i].e : t->type;
        if (!e || !sn_rule_calculates(e))
            continue;
        if (reads(e, true))
            sn_error(cx->d, e->pos, "SN104",
                     "'%s' calculates an integer from what let builds, which "
                     "does not exist before the rule fires",
                     sn_expr_str(cx->a, e));
        else
            sn_rule_fits(cx, e);
    }
}

/* Everything that may fail is checked before anything is built. */
static void
dry_run(SnRuleGen *cx, const SnTerm *t)
{
    if (!t)
        return;
    numbers_fit(cx, t);
    type_exists(cx, t);
    tuple_exists(cx, t);
    for (uint32_t i = 0; i < t->narg; i++)
        dry_run(cx, t->arg[i]);
    if (t->tk == SN_T_FUNC && t->fn == SN_FN_FOLD &&
        t->arg[0]->tk == SN_T_VAR && t->arg[0]->var &&
        t->arg[0]->var->vk != SN_V_LET) {
        SnExpr n = {.ek = SN_E_NAME, .s = t->arg[0]->name, .pos = t->pos};
        SnExpr *kid[] = {&n};
        SnExpr is = {.ek = SN_E_CALL,
                     .s = "const",
                     .fn = SN_FN_CONST,
                     .nkid = 1,
                     .kid = kid,
                     .pos = t->pos};
        sn_rule_fail_if(cx, sn_rule_cond(cx, &is, true));
    }
    for (uint32_t i = 0; t->by_port && t->node && i < t->node->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (!k || k->tk != SN_T_FUNC || k->fn != SN_FN_REGRID)
            continue;
        SnRuleRegrid r = sn_rule_regrid(cx, t, i, k);
        sn_rule_line(cx, NULL,
                     "const char *why = sn_regrid_why(g, %s, %s, "
                     "%s);",
                     r.b, r.consumer, r.new_x);
        sn_rule_line(cx, NULL, "if (why) {");
        sn_rule_line(cx, NULL, "    sn_declined(rw, %s, g, %s, \"%%s\", why);",
                     sn_rule_enum(cx->defs, cx->rule), r.consumer);
        sn_rule_line(cx, NULL, "    return false;");
        sn_rule_line(cx, NULL, "}");
    }
}

static bool
asks_unused(const SnExpr *e)
{
    if (e->fn == SN_FN_UNUSED)
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (asks_unused(e->kid[i]))
            return true;
    return false;
}

/* Does the right side give every result of the root, or does the guard say that
 * the others are unused? */
static bool
whole_root(const SnDefRule *r)
{
    const SnDefNode *n = r->pat->node;

    if (!n || n->nout <= 1 || r->nmore + 1 >= n->nout ||
        (r->when && asks_unused(r->when)))
        return true;
    return (r->rhs->tk == SN_T_CALL || r->rhs->tk == SN_T_COPY) &&
           r->rhs->node && r->rhs->node->nout == n->nout;
}

void
sn_rule_before(SnRuleGen *cx)
{
    const SnDefRule *r = cx->rule;

    presence(cx);
    if (r->when)
        sn_rule_guard(cx, r->when);
    if (!r->rhs)
        return;
    uniform(cx);
    if (!whole_root(r))
        sn_rule_fail_if(cx, sn_format(cx->a, "!sn_rest_unused(g, %s, %u)",
                                      cx->root, r->nmore + 1));
    for (uint32_t i = 0; i < r->nlet; i++)
        dry_run(cx, r->let[i]);
    dry_run(cx, r->rhs);
    for (uint32_t i = 0; i < r->nmore; i++)
        dry_run(cx, r->more[i]);
}
