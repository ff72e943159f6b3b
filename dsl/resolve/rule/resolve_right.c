// SPDX-License-Identifier: Apache-2.0
/* What a right side may take from the left one: the data of a source, and the
 * values of constants. */
#include <string.h>
#include "dsl/resolve/resolver.h"

typedef struct Ctx {
    SnResolver *rs;
    const SnDefRule *r;
    bool bad;
} Ctx;

/* Runs f on every term of the right side, lets first. */
static void
walk(Ctx *c, SnTerm *t, void (*f)(Ctx *c, const SnTerm *t))
{
    for (uint32_t i = 0; i < t->narg; i++)
        walk(c, t->arg[i], f);
    f(c, t);
}

static void
walk_all(Ctx *c, void (*f)(Ctx *c, const SnTerm *t))
{
    for (uint32_t i = 0; i < c->r->nlet; i++)
        walk(c, c->r->let[i], f);
    if (c->r->rhs)
        walk(c, c->r->rhs, f);
    for (uint32_t i = 0; i < c->r->nmore; i++)
        walk(c, c->r->more[i], f);
}

/* ---- sources ---- */

static bool
is_source(const SnDefNode *n)
{
    return n && n->nout && n->rsem[0]->cls == SN_C_SOURCE;
}

/* The first pattern of that kind, or NULL. */
static const SnPat *
pattern_of(const SnPat *p, const SnDefNode *n)
{
    if (p->node == n)
        return p;
    for (uint32_t i = 0; i < p->narg; i++) {
        const SnPat *q = pattern_of(p->arg[i], n);
        if (q)
            return q;
    }
    return NULL;
}

/* A source on the right replaces one on the left, whose data it takes over: the
 * node it is like, or the root. */
static void
source(Ctx *c, const SnTerm *t)
{
    const SnDefNode *n = t->node;

    if (t->tk != SN_T_CALL || !is_source(n))
        return;
    const SnDefNode *of = t->like_var ? sn_var_node(t->like_var) : c->r->root;
    if (of == n)
        return;
    c->bad = true;
    sn_error(c->rs->d, t->pos, "SN212",
             "%s on the right has no data: %s is no %s", n->name,
             t->like_var ? sn_format(c->rs->a, "'%s'", t->like_var->name)
                         : "the root",
             n->name);
    const SnPat *p = pattern_of(c->r->pat, n);
    const char *cap = p && p->capture ? p->capture : NULL;
    if (cap)
        sn_diag_help(c->rs->d,
                     "%s() like %s takes over the data of the left side",
                     n->name, cap);
    else if (p)
        sn_diag_help(c->rs->d,
                     "capture the one on the left, %s() @c, and "
                     "write %s() like c",
                     n->name, n->name);
    else
        sn_diag_help(c->rs->d,
                     "a rule can make new data only with fold(..) or Splat");
}

/* ---- fold ---- */

/* Does the condition say const(v)? */
static bool
requires_const(const SnExpr *e, const SnDefVar *v)
{
    if (!e)
        return false;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return requires_const(e->kid[0], v) || requires_const(e->kid[1], v);
    return e->fn == SN_FN_CONST && e->nkid == 1 && e->kid[0]->rk == SN_R_VAR &&
           e->kid[0]->ref == v;
}

static const char *
pattern_str(const SnPat *p)
{
    return p->capture ? p->capture : p->name ? p->name : "_";
}

/* The part of p that need not be constant, or NULL. */
static const char *
changing(const Ctx *c, const SnPat *p)
{
    const SnDefVar *v = p->cap ? p->cap : p->var;

    if (v && requires_const(c->r->when, v))
        return NULL;
    if (p->pk == SN_P_EACH)
        return changing(c, p->arg[0]);
    if (p->pk != SN_P_CALL && p->pk != SN_P_FORMS)
        return pattern_str(p);
    if (p->node->has_effect)
        return pattern_str(p);
    for (uint32_t i = 0; i < p->node->nin; i++) {
        const char *s =
            p->by_port[i] ? changing(c, p->by_port[i]) : p->node->in[i]->name;
        if (s)
            return s;
    }
    return NULL;
}

static void
fold(Ctx *c, const SnTerm *t)
{
    const SnTerm *k = t->narg ? t->arg[0] : NULL;

    if (t->tk != SN_T_FUNC || t->fn != SN_FN_FOLD || k->tk != SN_T_VAR ||
        !k->var || !k->var->pat)
        return; /* of a term: folded if its leaves happen to be constant */
    if (k->var->vk != SN_V_NODE && requires_const(c->r->when, k->var))
        return;
    const char *s =
        k->var->vk == SN_V_NODE ? changing(c, k->var->pat) : k->var->name;
    if (!s)
        return;
    c->bad = true;
    sn_error(c->rs->d, t->pos, "SN213",
             "fold(%s) evaluates '%s', and '%s' need not be constant",
             k->var->name, k->var->name, s);
    sn_diag_help(c->rs->d, "%s const(%s)     (or match a Constant)",
                 c->r->when ? "and" : "when", *s == '_' ? k->var->name : s);
}

bool
sn_resolve_right(SnResolver *rs, const SnDefRule *r)
{
    Ctx c = {.rs = rs, .r = r};

    walk_all(&c, source);
    walk_all(&c, fold);
    return !c.bad;
}
