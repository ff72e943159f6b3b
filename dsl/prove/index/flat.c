// SPDX-License-Identifier: Apache-2.0
/* Maps that keep the row-major number of a place (reshape).  Their result has
 * other axes than their operand; both share that number and the number of
 * elements. */
#include "dsl/prove/index/side.h"

#include "dsl/model/expr_tree.h"
#include "dsl/model/reads.h"

/* result [i < size]; read x[unflat(flat(i, size), d)]; */
bool
sn_index_is_flat(const SnMapDecl *d)
{
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);
    const SnMapStmt *read = sn_map_stmt(d, SN_MS_READ);
    const SnMapExpr *e, *f, *v = d->expr;

    if (!res || !read || sn_map_count(d, SN_MS_READ) != 1 || res->n != 1 ||
        read->n != 1 || read->when >= 0 || read->els != SN_ME_NONE ||
        sn_map_stmt(d, SN_MS_TAPS) || res->bound[0].when >= 0)
        return false;
    e = &v[read->index[0]];
    f = &v[e->kid];
    return e->op == SN_MO_UNFLAT && f->op == SN_MO_FLAT &&
           v[f->kid].op == SN_MO_NAME && v[f->kid].v == res->bound[0].slot &&
           v[f->kid + 1].op == SN_MO_NAME &&
           v[res->bound[0].e].op == SN_MO_NAME &&
           v[f->kid + 1].v == v[res->bound[0].e].v &&
           v[e->kid + 1].op == SN_MO_NAME && d->param[read->param].nitem == 1 &&
           v[e->kid + 1].v == d->param[read->param].item[0].slot;
}

static const SnIndexValue *
operand(const SnIndexNode *n)
{
    return sn_index_operand(n, (unsigned)sn_map_stmt(n->map, SN_MS_READ)->param,
                            0);
}

/* ---- shapes ---- */

static bool
same_dims(SnIndex *cx, const SnIndexValue *a, const SnIndexValue *b)
{
    SnAxis t = sn_axis_of(cx, a);

    if (a == b)
        return true;
    if (sn_index_rank_rep(cx, a->rank) != sn_index_rank_rep(cx, b->rank))
        return false;
    SnPoly x = sn_index_dim(cx, a, t, NULL), y = sn_index_dim(cx, b, t, NULL);
    return !sn_path_stopped(&cx->path) &&
           sn_facts_is_zero(&cx->path.F, sn_poly_sub(&cx->path.P, x, y));
}

/* Equal attributes, equal dimensions above: equal results. */
static bool
twins(SnIndex *cx, const SnIndexNode *a, const SnIndexNode *b)
{
    if (a == b)
        return true;
    if (a->n != b->n || !operand(a) || !operand(b) ||
        !same_dims(cx, operand(a), operand(b)))
        return false;
    for (unsigned i = 0; i < a->map->nparam; i++) {
        const SnIndexAttr *x = sn_index_arg(a, i), *y = sn_index_arg(b, i);
        if (x != y &&
            (!x || !y || !x->own || !y->own ||
             (x->own != y->own && !sn_index_said_equal(cx, x->own, y->own))))
            return false;
    }
    return true;
}

/* The highest known value with as many elements as v. */
static const SnIndexValue *
size_of(SnIndex *cx, const SnIndexValue *v)
{
    while (v->def && !sn_path_stopped(&cx->path)) {
        const SnIndexValue *x = v->def->in[0];
        if (sn_index_is_flat(v->def->map))
            x = operand(v->def);
        else if (!x || !sn_map_in_place(v->def->map) || !same_dims(cx, v, x))
            break;
        v = x;
    }
    return v;
}

/* {dims = dims(o)} of a value with as many elements, no dimension 0. */
static const SnIndexValue *
dims_of(SnIndex *cx, const SnIndexNode *n)
{
    for (unsigned i = 0; i < n->map->nparam; i++) {
        const SnIndexAttr *a = sn_index_arg(n, i);
        const SnExpr *e = a && !a->own ? a->e : NULL;
        if (!e || e->fn != SN_FN_DIMS || e->kid[0]->rk != SN_R_VAR)
            continue;
        const SnIndexValue *o =
            cx->bind[((const SnDefVar *)e->kid[0]->ref)->index];
        if (o && sn_index_said_positive(cx, sn_expr_str(cx->a, e)) &&
            size_of(cx, o) == size_of(cx, operand(n)))
            return o;
    }
    return NULL;
}

SnPoly
sn_index_flat_dim(SnIndex *cx, const SnIndexNode *n, SnAxis t)
{
    const SnIndexNode *twin = NULL;

    for (uint32_t i = 0; i < cx->nnode && !twin; i++)
        if (cx->node[i]->left && sn_index_is_flat(cx->node[i]->map) &&
            twins(cx, cx->node[i], n))
            twin = cx->node[i];
    if (twin) {
        const char *name =
            sn_format(cx->a, "dim(%s)[%s]", twin->name, sn_axis_text(cx, t));
        SnPoly d = sn_poly_name(&cx->path.P, name);
        if (sn_path_first(&cx->path, name))
            sn_path_assume(&cx->path, d);
        return d;
    }
    const SnIndexValue *o = dims_of(cx, n);
    if (o)
        return sn_index_dim(cx, o, t, NULL);
    sn_path_stop(&cx->path, SN_PATH_OUT, "%s to other dimensions", n->n->name);
    return (SnPoly){0};
}

/* ---- places ---- */

/* The place that p takes over unchanged, or NULL. */
static const SnIndexPlace *
taken_over(SnIndex *cx, const SnIndexPlace *p)
{
    const SnMapDecl *d = p->node->map;
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);
    const SnMapExpr *e = &d->expr[p->read->index[0]];

    if (res->n != 1 || p->read->n != 1 || p->read->which >= 0 ||
        e->op != SN_MO_NAME || e->v != res->bound[0].slot ||
        !same_dims(cx, p->of, p->node->out))
        return NULL;
    return p->at;
}

/* The place whose row-major number p has. */
static const SnIndexPlace *
numbered(SnIndex *cx, const SnIndexPlace *p)
{
    while (p && p->node && !sn_path_stopped(&cx->path))
        p = sn_index_is_flat(p->node->map) ? p->at : taken_over(cx, p);
    return p;
}

SnPoly
sn_index_flat_at(SnIndex *cx, const SnIndexPlace *p, SnAxis t)
{
    const SnIndexPlace *b = numbered(cx, p->at);
    const SnIndexValue *shape = p->of;

    if (!b) {
        sn_path_stop(&cx->path, SN_PATH_OUT, "the number of a place");
        return (SnPoly){0};
    }
    if (same_dims(cx, b->of, p->of))
        return sn_index_at(cx, b, t);
    /* the first of that shape */
    for (uint32_t i = cx->nvalue; i-- > 0;)
        if (!cx->value[i]->each && same_dims(cx, cx->value[i], p->of))
            shape = cx->value[i];
    const char *name =
        sn_format(cx->a, "unflat(%s)[%s]", shape->name, sn_axis_text(cx, t));
    SnPoly at = sn_poly_name(&cx->path.P, name);
    if (sn_path_first(&cx->path, name)) {
        SnPoly d = sn_index_dim(cx, p->of, t, NULL);
        sn_path_assume(&cx->path, at);
        sn_path_assume(
            &cx->path,
            sn_poly_plus(&cx->path.P, sn_poly_sub(&cx->path.P, d, at), -1));
    }
    return at;
}

/* ---- other axes around a named one ---- */

static bool
is_flat_node(const SnDefNode *n)
{
    return n && n->nin == 1 && n->nout == 1 && n->rsem[0]->decl &&
           n->rsem[0]->decl->decl && sn_index_is_flat(n->rsem[0]->decl->decl) &&
           n->rsem[0]->formula && n->rsem[0]->formula->rk == SN_R_PORT;
}

/* Is each operand of that pattern a leaf below a node that keeps numbers, and
 * the leaf that operand of t? */
static bool
flat_operands(const SnPat *p, const SnTerm *t)
{
    for (uint32_t i = 0; i < p->narg && p->narg == t->narg; i++) {
        const SnPat *x = p->arg[i];
        const SnTerm *y = t->arg[i];
        bool each = x->pk == SN_P_EACH;
        if (each != (y->tk == SN_T_EACH))
            return false;
        x = each ? x->arg[0] : x;
        y = each ? y->arg[0] : y;
        if (x->pk != SN_P_CALL || !is_flat_node(x->node) || x->narg != 1 ||
            x->arg[0]->pk != SN_P_VAR || y->tk != SN_T_VAR ||
            y->var != x->arg[0]->var)
            return false;
    }
    return p->narg > 0 && p->narg == t->narg;
}

bool
sn_index_regroups(const SnInstance *pr)
{
    const SnDefRule *r = pr->r;
    const SnDefNode *n = pr->node;
    const SnTerm *t = r->rhs, *below;

    if (!pr->derive || !pr->renumber || !n || !sn_node_regroups(n) ||
        r->pat->node != n || !t || t->tk != SN_T_CALL ||
        !is_flat_node(t->node) || t->narg != 1)
        return false;
    below = t->arg[0];
    return flat_operands(r->pat, below) && below->tk == SN_T_CALL &&
           below->node == n && below->like_var &&
           below->like_var == r->pat->cap && !below->nasg;
}
