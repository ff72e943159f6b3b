// SPDX-License-Identifier: Apache-2.0
/* The values of a map's names at an axis: dimensions, attributes, places. */
#include "dsl/prove/index/side.h"

#include "dsl/model/expr_tree.h"
#include "dsl/model/reads.h"

static SnIndexNum
number(SnPoly p)
{
    return (SnIndexNum){.p = p};
}

static SnIndexNum
out(SnIndex *cx, const char *what)
{
    sn_path_stop(&cx->path, SN_PATH_OUT, "%s", what);
    return number((SnPoly){0});
}

static SnPoly
below(SnIndex *cx, SnPoly bound, SnPoly p)
{
    return sn_poly_plus(&cx->path.P, sn_poly_sub(&cx->path.P, bound, p), -1);
}

/* ---- operands and attributes of a map's parameters ---- */

static const SnExpr *
arg_of(const SnIndexNode *n, unsigned param)
{
    uint32_t k, i = sn_sem_param_args(n->sem, param, &k);

    return i < n->sem->narg ? n->sem->arg[i] : NULL;
}

unsigned
sn_index_noperand(const SnIndexNode *n, unsigned param)
{
    uint32_t k = 0;

    return sn_sem_param_args(n->sem, param, &k) < n->sem->narg ? k : 0;
}

const SnIndexValue *
sn_index_operand(const SnIndexNode *n, unsigned param, unsigned k)
{
    uint32_t of;
    uint32_t i = sn_sem_param_args(n->sem, param, &of) + k;

    if (i >= n->sem->narg || n->sem->arg[i]->rk != SN_R_PORT)
        return NULL;
    return n->in[((const SnDefPort *)n->sem->arg[i]->ref)->index];
}

const SnIndexAttr *
sn_index_arg(const SnIndexNode *n, unsigned param)
{
    const SnExpr *e = arg_of(n, param);

    if (!e || e->rk != SN_R_ATTR)
        return NULL;
    return n->attr[((const SnDefAttr *)e->ref)->index];
}

/* ---- expressions of rules ---- */

static SnIndexNum own(SnIndex *cx, const SnIndexAttr *a, int half, SnAxis t);

/* An attribute of a captured node; compose of two such; numbers. */
SnIndexNum
sn_index_rule_expr(SnIndex *cx, const SnExpr *e, int half, SnAxis t)
{
    const SnIndexAttr *a;
    SnIndexNum x, y;

    switch (e->ek) {
    case SN_E_INT:
    case SN_E_BOOL:
        return number(sn_poly_int(&cx->path.P, e->i));
    case SN_E_MEMBER:
        a = sn_index_member(cx, e);
        return a ? own(cx, a, half, t) : out(cx, "a member of a value");
    case SN_E_NAME:
        if (e->rk == SN_R_WORD)
            return number(sn_poly_int(&cx->path.P, e->i));
        break;
    case SN_E_CALL:
        if (e->fn == SN_FN_COMPOSE) {
            x = sn_index_rule_expr(cx, e->kid[1], half, t);
            if (x.axis)
                return sn_index_rule_expr(cx, e->kid[0], half, x.at);
        }
        if (e->fn == SN_FN_ONES || e->fn == SN_FN_ZEROS)
            return number(sn_poly_int(&cx->path.P, e->fn == SN_FN_ONES));
        break;
    case SN_E_BIN:
        if (e->op > SN_OP_MUL)
            break;
        x = sn_index_rule_expr(cx, e->kid[0], half, t);
        y = sn_index_rule_expr(cx, e->kid[1], half, t);
        if (x.axis || y.axis)
            break;
        return number(e->op == SN_OP_ADD ? sn_poly_add(&cx->path.P, x.p, y.p)
                      : e->op == SN_OP_SUB
                          ? sn_poly_sub(&cx->path.P, x.p, y.p)
                          : sn_poly_mul(&cx->path.P, x.p, y.p));
    default:
        break;
    }
    return out(cx, sn_format(cx->a, "'%s' is outside the index calculus",
                             sn_expr_str(cx->a, e)));
}

/* ---- attributes ---- */

/* Does the map treat the list as a permutation? */
static bool
is_perm(const SnMapDecl *d, int slot)
{
    for (unsigned i = 0; i < d->nexpr; i++) {
        const SnMapExpr *e = &d->expr[i];
        if (e->op == SN_MO_INVERSE && d->expr[e->kid].op == SN_MO_NAME &&
            d->expr[e->kid].v == slot)
            return true;
    }
    return false;
}

/* The parameter that the attribute is given to, on its own node. */
static const SnMapParam *
param_of(const SnIndexAttr *a)
{
    const SnIndexNode *n = a->node;

    for (unsigned i = 0; i < n->map->nparam; i++)
        if (arg_of(n, i) && arg_of(n, i)->ref == a->attr)
            return &n->map->param[i];
    return NULL;
}

static SnIndexNum
scalar(SnIndex *cx, const SnIndexAttr *a, const SnMapParam *p)
{
    SnPoly v = sn_poly_name(&cx->path.P, a->own);

    if (p->kind == SN_MP_BOOL && sn_path_first(&cx->path, a->own)) {
        sn_path_assume(&cx->path, v);
        sn_path_assume(&cx->path, below(cx, sn_poly_int(&cx->path.P, 2), v));
    }
    sn_index_touch_numbers(cx, a->node);
    return number(v);
}

/* An attribute of the left side at an axis of its own node. */
static SnIndexNum
own(SnIndex *cx, const SnIndexAttr *a, int half, SnAxis t)
{
    const SnMapParam *p;

    if (!a->own)
        return sn_index_rule_expr(cx, a->e, half, t);
    p = param_of(a);
    if (!p)
        return out(cx, "an attribute that the map does not take");
    if (p->kind == SN_MP_AXIS)
        return (SnIndexNum){.axis = true,
                            .at = {.base = sn_index_base(cx, a->own)}};
    if (p->length == SN_ML_ONE)
        return scalar(cx, a, p);
    if (p->length == SN_ML_OWN && p->kind != SN_MP_REAL)
        return out(cx, "a list with a length of its own");
    if (is_perm(a->node->map, p->slot))
        return (SnIndexNum){
            .axis = true, .at = sn_axis_apply(cx, t, sn_index_gen(cx, a->own))};
    SnPoly v = sn_poly_name(&cx->path.P, sn_format(cx->a, "%s%s[%s]", a->own,
                                                   p->length != SN_ML_PAIR ? ""
                                                   : half ? ".after"
                                                          : ".before",
                                                   sn_axis_text(cx, t)));
    sn_index_touch(cx, a->node, t);
    return (SnIndexNum){.real = p->kind == SN_MP_REAL, .p = v};
}

/* The default of the declaration, if it replaces a missing list. */
static SnIndexNum
dflt(SnIndex *cx, const SnIndexNode *n, const SnMapParam *p, SnAxis t)
{
    SnIndexEnv v = {.node = n};

    if (p->dflt < 0)
        return out(cx, "an attribute without a value");
    return sn_index_eval(cx, &v, p->dflt, t);
}

SnIndexNum
sn_index_param(SnIndex *cx, const SnIndexNode *n, unsigned param, int half,
               SnAxis t)
{
    const SnMapParam *p = &n->map->param[param];
    const SnIndexAttr *a = sn_index_arg(n, param);
    const SnExpr *e = arg_of(n, param);
    SnIndexNum r;

    if (!e)
        return dflt(cx, n, p, t);
    if (!a)
        return sn_index_rule_expr(cx, e, half, t);
    if (a->own && p->dflt >= 0 && p->length != SN_ML_ONE &&
        sn_path_decide_name(&cx->path, sn_format(cx->a, "{%s is []}", a->own)))
        return dflt(cx, n, p, t);
    if (a->own && (!param_of(a) || param_of(a)->kind != p->kind ||
                   param_of(a)->length != p->length))
        return out(cx, "an attribute of another node that is of another type");
    if (a->perm && (a->use == SN_MX_EACH || a->use == SN_MX_PAIRS))
        t = sn_axis_apply(cx, t, -a->perm);
    r = own(cx, a, half, t);
    if (a->perm && a->use == SN_MX_INDEX && r.axis)
        r.at = sn_axis_apply(cx, r.at, a->perm);
    return r;
}

/* ---- dimensions ---- */

static SnPoly
leaf_dim(SnIndex *cx, const SnIndexValue *v, SnAxis t, const SnPoly *which)
{
    const char *of = v->each && which
                         ? sn_format(cx->a, "%s(%s)", v->name,
                                     sn_poly_text(&cx->path.P, *which))
                         : v->name;
    const char *name = sn_format(cx->a, "dim(%s)[%s]", of, sn_axis_text(cx, t));
    SnPoly d = sn_poly_name(&cx->path.P, name);

    if (sn_path_first(&cx->path, name))
        sn_path_assume(&cx->path, d);
    return d;
}

/* Which item of the pattern axis t falls to: runs around a named axis are one
 * run, as neither is considered separately. */
int
sn_index_item(SnIndex *cx, const SnIndexNode *n, unsigned param, SnAxis t)
{
    const SnMapParam *p = &n->map->param[param];

    if (p->nitem == 1 &&
        (p->item[0].kind == SN_MI_RUN || p->item[0].kind == SN_MI_JOIN))
        return 0;
    for (int i = 0; i < p->nitem; i++) {
        SnIndexEnv v = {.node = n};
        if (p->item[i].kind != SN_MI_AT)
            continue;
        SnIndexNum at = sn_index_slot(cx, &v, p->item[i].along, t);
        if (!at.axis)
            break;
        return sn_axis_decide(cx, t, at.at) ? 1 : 0;
    }
    out(cx, "a pattern with several single axes");
    return 0;
}

static SnPoly
result_dim(SnIndex *cx, const SnIndexNode *n, SnAxis t)
{
    const SnMapStmt *r = sn_map_stmt(n->map, SN_MS_RESULT);
    SnIndexEnv v = {.node = n};
    unsigned k = 0;

    if (sn_index_is_flat(n->map))
        return sn_index_flat_dim(cx, n, t);
    if (r->n == 3)
        k = (unsigned)sn_index_item(cx, n, 0, t);
    else if (r->n != 1)
        out(cx, "a result of several runs");
    if (r->bound[k].when >= 0 && !sn_index_truth(cx, &v, r->bound[k].when, t))
        out(cx, "a result without some of the axes");
    return sn_index_poly(cx, &v, r->bound[k].e, t);
}

SnPoly
sn_index_dim(SnIndex *cx, const SnIndexValue *v, SnAxis t, const SnPoly *which)
{
    SnPoly d;

    if (sn_path_stopped(&cx->path))
        return (SnPoly){0};
    if (!v->def)
        return leaf_dim(cx, v, t, which);
    if (v->each && which) { /* the operand of a list, through its node */
        SnIndexEnv in = {.node = v->def, .which = which};
        const SnMapStmt *r = sn_map_stmt(v->def->map, SN_MS_RESULT);
        if (r->n != 1)
            return out(cx, "operands of a list that are not single runs").p;
        sn_index_touch(cx, v->def, t);
        return sn_index_poly(cx, &in, r->bound[0].e, t);
    }
    sn_index_touch(cx, v->def, t);
    d = result_dim(cx, v->def, t);
    return d;
}

/* ---- names of maps ---- */

bool
sn_index_joins(const SnIndexNode *n, unsigned param)
{
    const SnMapParam *p = &n->map->param[param];

    return p->nitem == 1 && p->item[0].kind == SN_MI_JOIN;
}

/* The common dimension of everything that is broadcast: the one that is not
 * 1. */
static SnPoly
joined(SnIndex *cx, const SnIndexNode *n, unsigned param, SnAxis t)
{
    SnPoly one = sn_poly_int(&cx->path.P, 1), d = one;
    bool wide = false;

    for (unsigned i = 0; i < sn_index_noperand(n, param); i++) {
        const SnIndexValue *x = sn_index_operand(n, param, i);
        if (!x || x->each)
            return out(cx, "a list of operands that are broadcast").p;
        SnPoly k = sn_index_dim(cx, x, t, NULL);
        if (sn_path_decide_zero(&cx->path, sn_poly_sub(&cx->path.P, k, one)))
            continue;
        if (wide && n->left)
            sn_path_assume_zero(&cx->path, sn_poly_sub(&cx->path.P, k, d));
        else if (wide &&
                 !sn_facts_is_zero(&cx->path.F, sn_poly_sub(&cx->path.P, k, d)))
            sn_path_stop(&cx->path, SN_PATH_FAIL,
                         "operands of %s cannot be broadcast", n->name);
        d = wide ? d : k;
        wide = true;
    }
    return d;
}

static const SnMapItem *
item_of(const SnMapDecl *d, int slot, unsigned *param)
{
    for (unsigned i = 0; i < d->nparam; i++)
        for (unsigned k = 0; k < d->param[i].nitem; k++)
            if (d->param[i].item[k].slot == slot) {
                *param = i;
                return &d->param[i].item[k];
            }
    return NULL;
}

static SnIndexNum
dimension(SnIndex *cx, const SnIndexEnv *v, const SnMapItem *m, unsigned param,
          SnAxis t)
{
    const SnIndexValue *x = sn_index_operand(v->node, param, 0);

    if (!x)
        return out(cx, "a missing operand");
    if (m->kind == SN_MI_JOIN)
        return number(joined(cx, v->node, param, t));
    if (m->kind == SN_MI_AT) {
        SnIndexNum at = sn_index_slot(cx, v, m->along, t);
        if (!at.axis)
            return out(cx, "an axis that is a number");
        return number(sn_index_dim(cx, x, at.at, m->vary ? v->which : NULL));
    }
    if (m->kind != SN_MI_RUN)
        return out(cx, "a single axis by its place");
    return number(sn_index_dim(
        cx, x, t,
        x->each && v->node->map->param[param].variadic ? NULL : v->which));
}

static const SnMapBound *
bound_of(const SnMapStmt *s, int slot, unsigned *k)
{
    for (*k = 0; s && *k < s->n; ++*k)
        if (s->bound[*k].slot == slot)
            return &s->bound[*k];
    return NULL;
}

static SnIndexNum
place_name(SnIndex *cx, const SnIndexEnv *v, const SnMapStmt *r, unsigned k,
           SnAxis t)
{
    SnIndexEnv shape = {.node = v->node};

    if (!v->at)
        return out(cx, "a place where there is none");
    if (r->n == 3 && k == 1) { /* along the named axis */
        const SnMapItem *m = &v->node->map->param[0].item[1];
        t = sn_index_slot(cx, &shape, m->along, t).at;
    }
    return number(sn_index_at(cx, v->at, t));
}

SnIndexNum
sn_index_slot(SnIndex *cx, const SnIndexEnv *v, int slot, SnAxis t)
{
    const SnMapDecl *d = v->node->map;
    const SnMapItem *m;
    unsigned k;

    if (sn_path_stopped(&cx->path))
        return number((SnPoly){0});
    if ((m = item_of(d, slot, &k)))
        return dimension(cx, v, m, k, t);
    for (k = 0; k < d->nparam; k++)
        if (d->param[k].kind != SN_MP_OPERAND && d->param[k].slot == slot)
            return sn_index_param(cx, v->node, k, 0, t);
    for (k = 0; k < d->nstmt; k++)
        if (d->stmt[k].kind == SN_MS_LET && d->stmt[k].slot == slot)
            return sn_index_eval(cx, v, d->stmt[k].e, t);
    if (bound_of(sn_map_stmt(d, SN_MS_RESULT), slot, &k))
        return place_name(cx, v, sn_map_stmt(d, SN_MS_RESULT), k, t);
    if (bound_of(sn_map_stmt(d, SN_MS_TAPS), slot, &k) && v->tap)
        return number(v->tap[k]);
    return out(cx, "a name that is not known here");
}

/* ---- places ---- */

/* The place in the result: one name per axis, within its dimension. */
static SnPoly
root_at(SnIndex *cx, const SnIndexPlace *p, SnAxis t)
{
    const char *name = sn_format(cx->a, "i[%s]", sn_axis_text(cx, t));
    SnPoly i = sn_poly_name(&cx->path.P, name);

    if (sn_path_first(&cx->path, name)) {
        SnPoly d = sn_index_dim(cx, p->of, t, NULL);
        sn_path_assume(&cx->path, i);
        sn_path_assume(&cx->path, below(cx, d, i));
    }
    return i;
}

static SnPoly
joined_at(SnIndex *cx, const SnIndexPlace *p, SnPoly i, SnAxis t)
{
    SnPoly d = sn_index_dim(cx, p->of, t, NULL);

    if (sn_path_decide_zero(&cx->path, sn_poly_plus(&cx->path.P, d, -1)))
        i = (SnPoly){0};
    return i;
}

SnPoly
sn_index_at(SnIndex *cx, const SnIndexPlace *p, SnAxis t)
{
    if (sn_path_stopped(&cx->path))
        return (SnPoly){0};
    if (!p->node)
        return root_at(cx, p, t);
    if (sn_index_is_flat(p->node->map))
        return sn_index_flat_at(cx, p, t);
    SnPoly which = {0};
    SnIndexEnv v = {p->node, p->at, p->tap, NULL};
    unsigned param = (unsigned)p->read->param;
    const SnMapParam *m = &p->node->map->param[param];
    if (p->read->which >= 0) {
        which = sn_index_poly(cx, &v, p->read->which, t);
        v.which = &which;
    }
    int k = sn_index_item(cx, p->node, param, t);
    sn_index_touch(cx, p->node, t);
    SnPoly i = sn_index_poly(cx, &v, p->read->index[k], t);
    if (m->item[k].kind == SN_MI_JOIN)
        return joined_at(cx, p, i, t);
    if (p->inside && sn_path_first(&cx->path, sn_format(cx->a, "inside %p %s",
                                                        (const void *)p,
                                                        sn_axis_text(cx, t)))) {
        SnPoly d = sn_index_dim(cx, p->of, t, v.which);
        sn_path_assume(&cx->path, i);
        sn_path_assume(&cx->path, below(cx, d, i));
    }
    return i;
}

/* ---- facts from the left side's legality ---- */

/* The k-th pair of dimensions along t that are equal where n is legal: of
 * operands along one run, and of the operands of a list. */
bool
sn_index_fits(SnIndex *cx, const SnIndexNode *n, SnAxis t, uint32_t k,
              SnPoly *x, SnPoly *y)
{
    const SnIndexValue *first = NULL;

    for (unsigned i = 0; i < n->map->nparam; i++)
        for (unsigned j = 0; j < sn_index_noperand(n, i); j++) {
            const SnIndexValue *v = sn_index_operand(n, i, j);
            SnPoly one = sn_poly_name(&cx->path.P, "k");
            if (!v || sn_index_joins(n, i) || sn_index_is_flat(n->map))
                continue;
            bool list = n->map->param[i].variadic && v->each &&
                        sn_index_item(cx, n, i, t) != 1;
            if (list && k-- == 0) {
                *x = sn_index_dim(cx, v, t, &one);
                *y = sn_index_dim(cx, v, t, NULL);
                return true;
            }
            if (first && k-- == 0) {
                *x = sn_index_dim(cx, v, t, NULL);
                *y = sn_index_dim(cx, first, t, NULL);
                return true;
            }
            first = first ? first : v;
        }
    return false;
}

static void
touch_operands(SnIndex *cx, const SnIndexNode *n, SnAxis t)
{
    uint32_t k = 0;
    SnPoly x, y;

    while (!sn_path_stopped(&cx->path) && sn_index_fits(cx, n, t, k++, &x, &y))
        if (!sn_path_stopped(&cx->path))
            sn_path_assume_zero(&cx->path, sn_poly_sub(&cx->path.P, x, y));
}

/* Operands that are broadcast fit each other. */
static void
touch_joined(SnIndex *cx, const SnIndexNode *n, SnAxis t)
{
    for (unsigned i = 0; i < n->map->nparam; i++)
        if (sn_index_joins(n, i))
            (void)joined(cx, n, i, t);
}

/* What the condition of the rule says about lists. */
/* A list that does not run along the axes of any operand. */
static bool
own_length(SnIndex *cx, const SnExpr *e)
{
    const SnIndexAttr *a = sn_index_member(cx, e);
    const SnMapParam *p = a && a->own ? param_of(a) : NULL;

    return p && p->length == SN_ML_OWN;
}

static void
alike_at(SnIndex *cx, const SnIndexAlike *e, int half, SnAxis t)
{
    const SnExpr *k[2] = {e->a, e->b};
    SnIndexNum x[2];

    for (int j = 0; j < 2; j++)
        if (own_length(cx, k[j]))
            return;
        else if (k[j]->fn == SN_FN_SHAPE || k[j]->fn == SN_FN_DIMS)
            x[j] = number(sn_index_dim(
                cx, cx->bind[((const SnDefVar *)k[j]->kid[0]->ref)->index], t,
                NULL));
        else
            x[j] = sn_index_rule_expr(cx, k[j], half, t);
    if (!x[0].axis && !x[1].axis && !sn_path_stopped(&cx->path))
        sn_path_assume_zero(&cx->path,
                            sn_poly_sub(&cx->path.P, x[0].p, x[1].p));
}

static void
touch_guard(SnIndex *cx, SnAxis t)
{
    for (uint32_t i = 0; i < cx->nalike; i++)
        for (int half = 0; half < 2; half++)
            alike_at(cx, &cx->alike[i], half, t);
}

void
sn_index_touch_numbers(SnIndex *cx, const SnIndexNode *n)
{
    SnIndexEnv v = {.node = n};

    if (sn_path_stopped(&cx->path) || !n->left || sn_index_is_flat(n->map) ||
        !sn_path_first(&cx->path, sn_format(cx->a, "numbers %s", n->name)))
        return;
    for (unsigned i = 0; i < n->map->nstmt; i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        if (s->kind == SN_MS_REQUIRE && !s->late &&
            !sn_index_is_list(n->map, s->e))
            sn_index_claim(cx, &v, s->e, sn_axis_any());
    }
}

void
sn_index_touch(SnIndex *cx, const SnIndexNode *n, SnAxis t)
{
    SnIndexEnv v = {.node = n};

    if (sn_path_stopped(&cx->path) || !n->left ||
        !sn_path_first(&cx->path, sn_format(cx->a, "touch %s %s", n->name,
                                            sn_axis_text(cx, t))))
        return;
    for (unsigned i = 0; i < n->map->nstmt && !sn_index_is_flat(n->map); i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        if (s->kind == SN_MS_REQUIRE && !s->late &&
            sn_index_is_list(n->map, s->e))
            sn_index_claim(cx, &v, s->e, t);
    }
    touch_operands(cx, n, t);
    touch_joined(cx, n, t);
    if (sn_path_first(&cx->path,
                      sn_format(cx->a, "guard %s", sn_axis_text(cx, t))))
        touch_guard(cx, t);
}
