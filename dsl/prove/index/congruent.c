// SPDX-License-Identifier: Apache-2.0
/* Two indices with the same expression are equal if all names in it are equal:
 * nothing else needs to be decided then. */
#include "dsl/prove/index/side.h"

typedef struct Pair {
    const SnIndexEnv *a, *b;
    SnAxis ta, tb;
} Pair;

static bool congruent(SnIndex *cx, Pair p, int32_t at);

static bool
equal_numbers(SnIndex *cx, SnIndexNum x, SnIndexNum y)
{
    if (sn_path_stopped(&cx->path) || x.axis != y.axis || x.real != y.real)
        return false;
    return x.axis ? sn_axis_same(x.at, y.at)
                  : sn_facts_is_zero(&cx->path.F,
                                     sn_poly_sub(&cx->path.P, x.p, y.p));
}

/* The attribute's own axis, where it follows a permutation. */
static SnAxis
own_axis(SnIndex *cx, const SnIndexAttr *a, SnAxis t)
{
    return a->perm && a->use != SN_MX_INDEX ? sn_axis_apply(cx, t, -a->perm)
                                            : t;
}

static bool
equal_params(SnIndex *cx, Pair p, unsigned i)
{
    const SnMapParam *m = &p.a->node->map->param[i];
    const SnIndexAttr *a = sn_index_arg(p.a->node, i);
    const SnIndexAttr *b = sn_index_arg(p.b->node, i);

    if (a && b && a->own && b->own && m->length != SN_ML_ONE) {
        SnAxis x = own_axis(cx, a, p.ta), y = own_axis(cx, b, p.tb);
        return a->own == b->own && sn_axis_same(x, y) &&
               (m->dflt < 0 || congruent(cx, p, m->dflt));
    }
    if (a && b && a->own && b->own && m->kind != SN_MP_AXIS)
        return a->own == b->own;
    return equal_numbers(cx, sn_index_param(cx, p.a->node, i, 0, p.ta),
                         sn_index_param(cx, p.b->node, i, 0, p.tb));
}

static bool
equal_names(SnIndex *cx, Pair p, int slot)
{
    const SnMapDecl *d = p.a->node->map;
    const SnMapStmt *r = sn_map_stmt(d, SN_MS_RESULT);

    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].kind != SN_MP_OPERAND && d->param[i].slot == slot)
            return equal_params(cx, p, i);
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_LET && d->stmt[i].slot == slot)
            return congruent(cx, p, d->stmt[i].e);
    for (unsigned i = 0; r->n == 1 && i < r->n; i++)
        if (r->bound[i].slot == slot)
            return p.a->at && p.b->at &&
                   sn_index_equal_at(cx, p.a->at, p.ta, p.b->at, p.tb);
    return equal_numbers(cx, sn_index_slot(cx, p.a, slot, p.ta),
                         sn_index_slot(cx, p.b, slot, p.tb));
}

/* The axis is in the attribute's list on both sides, or on none. */
static bool
equal_member(SnIndex *cx, Pair p, const SnMapExpr *e)
{
    const SnMapDecl *d = p.a->node->map;
    const SnMapExpr *x = &d->expr[e->kid], *list = &d->expr[e->kid + 1];

    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++)
        if (d->param[i].kind == SN_MP_AXES && d->param[i].slot == list->v &&
            x->op == SN_MO_AXIS)
            return equal_params(cx, p, i);
    return false;
}

static bool
congruent(SnIndex *cx, Pair p, int32_t at)
{
    const SnMapExpr *e = &p.a->node->map->expr[at];
    SnIndexNum x, y;

    if (sn_path_stopped(&cx->path))
        return false;
    switch ((SnMapOp)e->op) {
    case SN_MO_NAME:
        return equal_names(cx, p, (int)e->v);
    case SN_MO_IN:
        return equal_member(cx, p, e);
    case SN_MO_ELEM:
        x = sn_index_eval(cx, p.a, e->kid + 1, p.ta);
        y = sn_index_eval(cx, p.b, e->kid + 1, p.tb);
        if (!x.axis || !y.axis)
            return false;
        return congruent(cx, (Pair){p.a, p.b, x.at, y.at}, e->kid);
    case SN_MO_AXIS:
    case SN_MO_INVERSE:
    case SN_MO_BEFORE:
    case SN_MO_SUM:
    case SN_MO_PRODUCT:
    case SN_MO_LAST:
    case SN_MO_FLAT:
    case SN_MO_UNFLAT:
    case SN_MO_DATA:
    case SN_MO_COUNT:
        return false;
    default:
        break;
    }
    for (unsigned k = 0; k < e->nkid; k++)
        if (!congruent(cx, p, e->kid + (int32_t)k))
            return false;
    return true;
}

bool
sn_index_congruent(SnIndex *cx, const SnIndexEnv *a, SnAxis ta,
                   const SnIndexEnv *b, SnAxis tb, int32_t e)
{
    return a->node->map == b->node->map &&
           congruent(cx, (Pair){a, b, ta, tb}, e);
}

/* A place that equals that of the result, in another order of axes: that place,
 * and its axis. */
static const SnIndexPlace *
peel(SnIndex *cx, const SnIndexPlace *p, SnAxis *t)
{
    while (p->node && !sn_path_stopped(&cx->path)) {
        const SnMapDecl *d = p->node->map;
        const SnMapStmt *r = sn_map_stmt(d, SN_MS_RESULT);
        SnIndexEnv v = {p->node, p->at, p->tap, NULL};
        const SnMapExpr *e = &d->expr[p->read->index[0]], *list = e;
        if (r->n != 1 || p->read->n != 1 ||
            d->param[p->read->param].item[0].kind != SN_MI_RUN)
            break;
        if (e->op == SN_MO_ELEM)
            list = &d->expr[e->kid];
        if (list->op != SN_MO_NAME || list->v != r->bound[0].slot)
            break;
        if (e->op == SN_MO_ELEM) {
            SnIndexNum x = sn_index_eval(cx, &v, e->kid + 1, *t);
            if (!x.axis)
                break;
            *t = x.at;
        }
        p = p->at;
    }
    return p;
}

bool
sn_index_equal_at(SnIndex *cx, const SnIndexPlace *a, SnAxis ta,
                  const SnIndexPlace *b, SnAxis tb)
{
    a = peel(cx, a, &ta);
    b = peel(cx, b, &tb);
    if (sn_path_stopped(&cx->path))
        return false;
    if (a->node && b->node && a->read == b->read &&
        sn_index_item(cx, a->node, (unsigned)a->read->param, ta) ==
            sn_index_item(cx, b->node, (unsigned)b->read->param, tb)) {
        int k = sn_index_item(cx, a->node, (unsigned)a->read->param, ta);
        SnIndexEnv x = {a->node, a->at, a->tap, NULL};
        SnIndexEnv y = {b->node, b->at, b->tap, NULL};
        if (a->node->map->param[a->read->param].item[k].kind == SN_MI_RUN &&
            sn_index_congruent(cx, &x, ta, &y, tb, a->read->index[k]))
            return true;
    }
    SnPoly i = sn_index_at(cx, a, ta), j = sn_index_at(cx, b, tb);
    SnPoly d = sn_poly_sub(&cx->path.P, i, j);
    if (sn_path_stopped(&cx->path) || !sn_facts_is_zero(&cx->path.F, d))
        return false;
    sn_trace_goal(&cx->path.trace, d, "place");
    return true;
}
