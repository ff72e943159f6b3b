// SPDX-License-Identifier: Apache-2.0
/* Invariants of the right side's nodes, and constraints of their attributes.
 * Drawn cases are small: what they meet may fail for large dimensions and
 * numbers.  Each is found again, in the names of the rule, in what the left
 * side's nodes or the condition say; or it follows from that by arithmetic; or
 * it is about literals alone, and then each case decides it. */
#include "dsl/prove/calculus/prove_numbers.h"

#include "dsl/model/expr_tree.h"

/* A node of either side: p or t; neither: expressions are the rule's. */
typedef struct Side {
    SnCalculus *l;
    const SnDefNode *n;
    const SnPat *p;
    const SnTerm *t;
    const char *name; /* of p */
    bool free;        /* found: something that differs between graphs */
} Side;

typedef struct Facts {
    uint32_t n;
    struct {
        const SnExpr *e;
        const char *text;
    } * v;
} Facts;

/* ---- names of values, and of shapes ---- */

static const SnDefNode *
kind_of(const SnCalculus *l, const SnPat *p)
{
    return p->pk != SN_P_CALL && l->pr->any ? l->pr->any : p->node;
}

/* Has the result the shape of its one operand? */
static bool
keeps_shape(const SnDefNode *n)
{
    return n && n->nout && n->nin == 1 && !n->in[0]->variadic &&
           n->rsem[0]->over == SN_MW_EACH;
}

static const char *pat_value(SnCalculus *l, const SnPat *p, bool shape);

static const char *
shape_text(SnCalculus *l, const char *value)
{
    return sn_calculus_rep(l, sn_format(l->a, "shape(%s)", value));
}

/* The value whose shape p's result has: of operands that are broadcast, where
 * the condition says that they have one; or NULL. */
static const char *
same_shape(SnCalculus *l, const SnPat *p)
{
    const SnDefNode *n = kind_of(l, p);

    if (!n || !p->by_port || !n->nin || !p->by_port[0])
        return NULL;
    const char *x = pat_value(l, p->by_port[0], true);
    if (keeps_shape(n))
        return x;
    if (n->nin != 2 || n->rsem[0]->over != SN_MW_BROADCAST || !p->by_port[1])
        return NULL;
    const char *y = pat_value(l, p->by_port[1], true);
    return x && y && shape_text(l, x) == shape_text(l, y) ? x : NULL;
}

/* NULL: none that the right side has, too. */
static const char *
pat_value(SnCalculus *l, const SnPat *p, bool shape)
{
    const char *same;

    if (!p || p->pk == SN_P_WILD)
        return NULL;
    if (p->pk == SN_P_EACH)
        return pat_value(l, p->arg[0], shape);
    if (p->pk == SN_P_VAR || p->pk == SN_P_LIST)
        return p->name;
    same = shape ? same_shape(l, p) : NULL;
    return same ? same : p->capture;
}

static const SnPat *
captured(const SnPat *p, const SnDefVar *v)
{
    const SnPat *r = p->cap == v ? p : NULL;

    for (uint32_t i = 0; i < p->narg && !r; i++)
        r = captured(p->arg[i], v);
    return r;
}

static const char *
var_value(SnCalculus *l, const SnDefVar *v, bool shape)
{
    const SnPat *p = captured(l->pr->r->pat, v);

    return p ? pat_value(l, p, shape) : v->name;
}

static const char *
term_value(SnCalculus *l, const SnTerm *t, bool shape)
{
    if (!t || t->tk == SN_T_NONE)
        return SN_CALCULUS_NONE;
    if (t->tk == SN_T_VAR || (t->tk == SN_T_COPY && shape))
        return var_value(l, t->var, shape);
    if (t->tk == SN_T_EACH || (t->tk == SN_T_FUNC && shape))
        return term_value(l, t->arg[0], shape);
    if (t->tk == SN_T_CALL && shape && keeps_shape(t->node))
        return term_value(l, t->by_port[0], shape);
    return NULL;
}

/* The result of t: of the right side's root it has the left one's shape. */
static const char *
result(SnCalculus *l, const SnTerm *t, bool shape)
{
    const SnTerm *r = l->pr->r->rhs;

    while (r != t && r->tk == SN_T_CALL && keeps_shape(r->node) &&
           r->by_port[0])
        r = r->by_port[0];
    return shape && r == t ? pat_value(l, l->pr->r->pat, true) : NULL;
}

/* ---- expressions in the names of the rule ---- */

static SnExpr *put(Side *s, const SnExpr *e);

static SnExpr *
leaf(Side *s, const SnExpr *at, const char *name)
{
    SnCalculus *l = s->l;

    s->free = true;
    SnExpr *e = sn_expr_new(l->a, SN_E_NAME, at->pos,
                            name ? sn_calculus_rep(l, name)
                                 : sn_format(l->a, "#%u", l->fresh++));
    e->ty = at->ty;
    return e;
}

static SnExpr *
port(Side *s, const SnExpr *e, bool shape)
{
    const SnDefPort *p = e->ref;
    uint32_t i = p->index;

    if (!s->n)
        return leaf(s, e, NULL);
    if (p->out)
        return leaf(s, e,
                    p->index ? NULL
                    : s->t   ? result(s->l, s->t, shape)
                    : shape  ? pat_value(s->l, s->p, true)
                             : s->name);
    if (s->t)
        return leaf(s, e,
                    term_value(s->l,
                               p->variadic && s->t->nlist == 1
                                   ? s->t->list[0]
                                   : s->t->by_port[i],
                               shape));
    return leaf(
        s, e, s->p->by_port ? pat_value(s->l, s->p->by_port[i], shape) : NULL);
}

/* As assigned, like another node's, or as the declaration has it. */
static SnExpr *
attr(Side *s, const SnExpr *e)
{
    const SnDefAttr *a = e->ref;
    const SnTerm *t = s->t;
    Side rule = {.l = s->l};
    const SnDefNode *like = t && t->like_var ? t->like_var->node : NULL;

    if (!t)
        return leaf(s, e, sn_format(s->l->a, "%s.%s", s->name, a->name));
    if (t->like && !like)
        like = s->l->pr->any;
    const SnDefAttr *same = like ? sn_def_attr(like, a->name) : NULL;
    const SnExpr *is = same ? NULL : a->def;
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].attr == a)
            is = t->asg[i].e;
    if (!is)
        return leaf(
            s, e, same ? sn_format(s->l->a, "%s.%s", t->like, a->name) : NULL);
    SnExpr *r = put(&rule, is);
    if (a->ty == SN_A_REAL) /* which rounds an integer to binary32 */
        r->ty = SN_TY_REAL;
    s->free |= rule.free;
    return r;
}

static bool
is_of_shape(const SnExpr *e)
{
    return e->ek == SN_E_CALL && (e->fn == SN_FN_DIM || e->fn == SN_FN_DIMS ||
                                  e->fn == SN_FN_RANK || e->fn == SN_FN_SHAPE);
}

static SnExpr *
put(Side *s, const SnExpr *e)
{
    SnArena *a = s->l->a;

    if (e->rk == SN_R_PORT)
        return port(s, e, false);
    if (e->rk == SN_R_ATTR && s->n)
        return attr(s, e);
    if (e->ek == SN_E_MEMBER && e->kid[0]->rk == SN_R_VAR)
        return leaf(s, e, sn_expr_str(a, e));
    if (e->rk == SN_R_VAR)
        return leaf(s, e, var_value(s->l, e->ref, false));
    SnExpr *r = sn_memdup(a, e, sizeof *e);
    r->kid = SN_NEW_N(a, SnExpr *, e->nkid + 1);
    for (uint32_t i = 0; i < e->nkid; i++) {
        const SnExpr *k = e->kid[i];
        if (is_of_shape(e) && k->rk == SN_R_PORT)
            r->kid[i] = port(s, k, true);
        else if (is_of_shape(e) && k->rk == SN_R_VAR)
            r->kid[i] = leaf(s, k, var_value(s->l, k->ref, true));
        else
            r->kid[i] = put(s, k);
    }
    return r;
}

/* ---- what the left side and the condition say ---- */

static void
add(Facts *f, Side s, const SnExpr *e)
{
    SnArena *a = s.l->a;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        add(f, s, e->kid[0]);
        add(f, s, e->kid[1]);
        return;
    }
    f->v = sn_grow(a, f->v, f->n, sizeof *f->v);
    f->v[f->n].e = put(&s, e);
    f->v[f->n].text = sn_calculus_name(s.l, sn_expr_str(a, f->v[f->n].e));
    f->n++;
}

static void
add_pattern(Facts *f, SnCalculus *l, const SnPat *p)
{
    const SnDefNode *n = kind_of(l, p);
    Side s = {.l = l, .n = n, .p = p, .name = p->capture};

    for (uint32_t i = 0; i < p->narg; i++)
        add_pattern(f, l, p->arg[i]);
    if (p->pk == SN_P_VAR || p->pk == SN_P_LIST || p->pk == SN_P_WILD ||
        p->pk == SN_P_EACH || !n)
        return;
    if (!s.name)
        s.name = sn_format(l->a, "#%u", l->fresh++);
    for (uint32_t i = 0; i < n->nrinv; i++)
        add(f, s, n->rinv[i]->expr);
    for (uint32_t i = 0; i < n->nall; i++)
        if (n->all[i]->where)
            add(f, s, n->all[i]->where);
}

/* ---- what the right side needs ---- */

static bool
follows(const Facts *f, SnCalculus *l, const SnExpr *e)
{
    if (!l->numbers) {
        l->numbers = sn_numbers_new(l);
        for (uint32_t i = 0; i < f->n; i++)
            sn_numbers_fact(l->numbers, f->v[i].e);
    }
    return sn_numbers_hold(l->numbers, e);
}

/* A quotient of integers is real in a constraint, and cut off in a rule. */
static bool
same_quotients(const SnExpr *a, const SnExpr *b)
{
    bool same = a->nkid == b->nkid &&
                (a->ek != SN_E_BIN || a->op != SN_OP_DIV || a->ty == b->ty);

    for (uint32_t i = 0; same && i < a->nkid; i++)
        same = same_quotients(a->kid[i], b->kid[i]);
    return same;
}

static bool
holds(const Facts *f, Side s, const SnExpr *e)
{
    bool found = false;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return holds(f, s, e->kid[0]) && holds(f, s, e->kid[1]);
    const SnExpr *x = put(&s, e);
    if (!s.free)
        return true;
    if (x->ek == SN_E_BIN && x->op == SN_OP_EQ &&
        sn_calculus_rep(s.l, sn_expr_str(s.l->a, x->kid[0])) ==
            sn_calculus_rep(s.l, sn_expr_str(s.l->a, x->kid[1])))
        return true;
    const char *text = sn_calculus_name(s.l, sn_expr_str(s.l->a, x));
    for (uint32_t i = 0; i < f->n && !found; i++)
        found = f->v[i].text == text && same_quotients(f->v[i].e, x);
    return found || follows(f, s.l, x);
}

static bool
node(const Facts *f, SnCalculus *l, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    Side s = {.l = l, .n = n, .t = t};

    for (uint32_t i = 0; i < n->nrinv; i++)
        if (!holds(f, s, n->rinv[i]->expr)) {
            l->why = sn_format(l->a, "an invariant of %s", n->name);
            return false;
        }
    for (uint32_t i = 0; i < n->nall; i++)
        if (n->all[i]->where && !holds(f, s, n->all[i]->where)) {
            l->why = sn_format(l->a, "the constraint of '%s' of %s",
                               n->all[i]->name, n->name);
            return false;
        }
    return true;
}

static bool
terms(const Facts *f, SnCalculus *l, const SnTerm *t)
{
    bool ok = true;

    for (uint32_t i = 0; i < t->narg && ok; i++)
        ok = terms(f, l, t->arg[i]);
    return ok && (t->tk != SN_T_CALL || !t->node || node(f, l, t));
}

bool
sn_calculus_legal(SnCalculus *l)
{
    Side rule = {.l = l};
    Facts f = {0};

    add_pattern(&f, l, l->pr->r->pat);
    if (l->pr->r->need)
        add(&f, rule, l->pr->r->need);
    l->illegal = !terms(&f, l, l->pr->r->rhs);
    return !l->illegal;
}
