// SPDX-License-Identifier: Apache-2.0
/* Scales along an axis of a summed operand.  A sum of products of codes is one
 * integer, scaled once: so all codes of one sum must be of one slice, that of
 * the place outside the set, which holds the result's channel.  Derived from
 * the map's declaration, and from ranks that the node's invariants state. */
#include "dsl/resolve/resolver.h"

typedef struct Along {
    SnDefNode *n;
    const SnDefSem *sem;
    const SnMapDecl *d;
} Along;

/* k: e says rank(p) == k. */
static bool
says_rank(const SnExpr *e, const SnDefPort *p, int64_t *k)
{
    const SnExpr *r = e->nkid ? e->kid[0] : NULL;

    if (e->ek != SN_E_BIN)
        return false;
    if (e->op == SN_OP_AND)
        return says_rank(e->kid[0], p, k) || says_rank(e->kid[1], p, k);
    if (e->op != SN_OP_EQ || r->ek != SN_E_CALL || r->fn != SN_FN_RANK ||
        !sn_name_same(r->kid[0]->s, p->name) || e->kid[1]->ek != SN_E_INT)
        return false;
    *k = e->kid[1]->i;
    return true;
}

/* p's rank; -1: no invariant states it. */
static int64_t
rank_of(const Along *v, const SnDefPort *p)
{
    int64_t k = -1;

    for (uint32_t i = 0; i < v->n->nrinv; i++)
        if (says_rank(v->n->rinv[i]->expr, p, &k))
            return k;
    return -1;
}

/* The item of a pattern that axis `at` of an operand is, -1: it depends on the
 * rank, which is not known. */
static int
item_at(const SnMapParam *m, int at, int64_t rank)
{
    int n = 0, item = -1;

    for (int i = 0; i < m->nitem; i++) {
        if (m->item[i].kind == SN_MI_RUN || m->item[i].kind == SN_MI_JOIN ||
            m->item[i].kind == SN_MI_ALONG) {
            if (rank < 0)
                return item; /* -1, or an earlier one */
            continue;
        }
        if (m->item[i].kind != SN_MI_DIM && rank < 0)
            return item;
        if (n++ == at)
            item = i;
    }
    return rank < 0 || rank == n ? item : -1;
}

/* The operand that the node gives for a parameter; NULL: none, or not an
 * operand. */
static const SnDefPort *
given(const Along *v, int param)
{
    return param >= 0 && (uint32_t)param < v->sem->narg &&
                   v->sem->arg[param]->rk == SN_R_PORT
               ? sn_def_operand(v->n, v->sem->arg[param]->s)
               : NULL;
}

static int
param_at(const SnMapDecl *d, int64_t slot)
{
    for (int i = 0; i < d->nparam; i++)
        if (d->param[i].kind != SN_MP_OPERAND && d->param[i].slot == slot)
            return i;
    return -1;
}

static int32_t
let_at(const SnMapDecl *d, int64_t slot)
{
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_LET && d->stmt[i].slot == slot)
            return d->stmt[i].e;
    return -1;
}

enum { NO, YES, OPEN };

static int
truth(const Along *v, int32_t at)
{
    const SnMapExpr *e = &v->d->expr[at];
    int32_t let = e->op == SN_MO_NAME ? let_at(v->d, e->v) : -1;
    int p = e->op == SN_MO_NAME ? param_at(v->d, e->v) : -1;
    int a = e->nkid > 0 ? truth(v, e->kid) : OPEN;
    int b = e->nkid > 1 ? truth(v, e->kid + 1) : OPEN;

    if (let >= 0)
        return truth(v, let);
    if (p >= 0 && (uint32_t)p < v->sem->narg && v->sem->arg[p]->ek == SN_E_BOOL)
        return v->sem->arg[p]->i ? YES : NO;
    switch ((SnMapOp)e->op) {
    case SN_MO_NOT:
        return a == OPEN ? OPEN : !a;
    case SN_MO_AND:
        return a == NO || b == NO ? NO : a == YES && b == YES ? YES : OPEN;
    case SN_MO_OR:
        return a == YES || b == YES ? YES : a == NO && b == NO ? NO : OPEN;
    case SN_MO_EQ:
    case SN_MO_GT: {
        const SnMapExpr *x = &v->d->expr[e->kid], *y = x + 1;
        const SnDefPort *of = x->op == SN_MO_RANK ? given(v, (int)x->v) : NULL;
        int64_t k = of && y->op == SN_MO_INT ? rank_of(v, of) : -1;
        if (k < 0)
            return OPEN;
        return e->op == SN_MO_EQ ? k == y->v : k > y->v;
    }
    default:
        return OPEN;
    }
}

/* The slot of the place in the result that the index consists of, or -1. */
static int64_t
place_of(const Along *v, int32_t at)
{
    const SnMapExpr *e = &v->d->expr[at];
    const SnMapStmt *res = sn_map_stmt(v->d, SN_MS_RESULT);
    int32_t let = e->op == SN_MO_NAME ? let_at(v->d, e->v) : -1;

    if (let >= 0)
        return place_of(v, let);
    for (int k = 0; e->op == SN_MO_SELECT && k < e->nkid; k += 2) {
        int holds = k + 1 < e->nkid ? truth(v, e->kid + k) : YES;
        if (holds == YES)
            return place_of(v, e->kid + (k + 1 < e->nkid ? k + 1 : k));
        if (holds == OPEN)
            return -1;
    }
    for (unsigned k = 0; e->op == SN_MO_NAME && res && k < res->n; k++)
        if (res->bound[k].slot == e->v)
            return e->v;
    return -1;
}

/* Is p read, along that axis, only at the place outside the set? */
static bool
one_slice(const Along *v, const SnDefPort *p, int axis)
{
    const SnMapStmt *beside = sn_map_stmt(v->d, SN_MS_BESIDE);
    bool read = false;

    if (!beside || beside->n != 1)
        return false;
    int64_t want = place_of(v, beside->index[0]);
    for (unsigned i = 0; i < v->d->nstmt; i++) {
        const SnMapStmt *s = &v->d->stmt[i];
        if (s->kind != SN_MS_READ || given(v, s->param) != p)
            continue;
        int at = item_at(&v->d->param[s->param], axis, rank_of(v, p));
        if (at < 0 || want < 0 || place_of(v, s->index[at]) != want)
            return false;
        read = true;
    }
    /* operands that no read names are added outside the sum, one for each
     * channel */
    return read || axis == 0;
}

/* The rank of p if each item of its pattern is one axis. */
static int
plain_rank(const Along *v, const SnDefPort *p)
{
    int n = 0;

    for (int i = 0; i < v->d->nparam; i++)
        for (int k = 0; given(v, i) == p && k < v->d->param[i].nitem; k++)
            n += v->d->param[i].item[k].kind == SN_MI_DIM ||
                 v->d->param[i].item[k].kind == SN_MI_MAYBE;
    return n;
}

void
sn_resolve_along(SnResolver *rs, SnDefNode *n, const SnDefSem *s)
{
    Along v = {n, s, s->decl ? s->decl->decl : NULL};

    if (s->cls != SN_C_CONTRACT || !v.d || !sn_port_quant(n, s->out))
        return;
    for (uint32_t i = 0; i < n->ntuple; i++)
        for (uint32_t j = 0; j < n->nin; j++) {
            SnDefConc c = n->tuple[i].in[j];
            const SnDefPort *p = n->in[j];
            if (c.elem == SN_ABSENT || c.axis < 0 || one_slice(&v, p, c.axis))
                continue;
            sn_error(rs->d, n->tuple[i].pos, "SN120",
                     "type %s (scales along axis %d) reaches %s.%s, of which "
                     "one sum over '%s' may take elements of several slices",
                     sn_conc_str(rs, c), c.axis, n->name, p->name, s->map);
            if (rank_of(&v, p) < 0 && plain_rank(&v, p) > 0)
                sn_diag_help(rs->d, "invariant rank(%s) == %d;", p->name,
                             plain_rank(&v, p));
            rs->bad_node[n->kind] = true;
            return;
        }
}
