// SPDX-License-Identifier: Apache-2.0
/* Draws for a declared map, from its signature: shapes that its patterns accept
 * and small parameters, repeated until its conditions hold. */
#include "dsl/prove/trial/prove_mapping.h"

#include <string.h>

enum { NSLOT = 32, NTRY = 40, UNKNOWN = -2 };

/* The values of names so far. */
typedef struct Names {
    int n[NSLOT]; /* UNKNOWN; -1: a number; else a list */
    int64_t v[NSLOT][SN_CASE_RANK];
} Names;

static int64_t
some_dim(SnProofCase *c)
{
    return 1 + sn_case_about(c, c->wide ? 5 : 3);
}

/* ---- operands ---- */

/* The number of axes of an item, if known. */
static int
item_length(const Names *e, const SnMapItem *it)
{
    switch (it->kind) {
    case SN_MI_RUN:
    case SN_MI_JOIN:
        return e->n[it->slot];
    case SN_MI_ALONG:
        return e->n[it->along];
    default:
        return 1;
    }
}

/* Names of an operand that has its shape. */
static void
learn(Names *e, const SnMapParam *p, const SnCaseValue *x)
{
    int left = x->rank, at = 0;

    for (int i = 0; i < p->nitem; i++)
        left -= item_length(e, &p->item[i]) == UNKNOWN
                    ? 0
                    : item_length(e, &p->item[i]);
    for (int i = 0; i < p->nitem && at <= x->rank; i++) {
        const SnMapItem *it = &p->item[i];
        int k = item_length(e, it);
        bool list = it->kind >= SN_MI_RUN && it->kind <= SN_MI_JOIN;
        if (k == UNKNOWN) { /* the first takes the rest */
            k = left > 0 ? left : 0;
            left = 0;
        }
        if (at + k > x->rank)
            return;
        if (e->n[it->slot] == UNKNOWN && !it->vary) {
            e->n[it->slot] = list ? k : -1;
            memcpy(e->v[it->slot], x->dim + at, (size_t)k * sizeof *x->dim);
        }
        at += k;
    }
}

static void
name_item(SnProofCase *c, Names *e, const SnMapItem *it)
{
    int k = item_length(e, it);

    if (k == UNKNOWN)
        k = (int)sn_case_below(c, 4);
    if (e->n[it->slot] != UNKNOWN)
        return;
    e->n[it->slot] = it->kind >= SN_MI_RUN && it->kind <= SN_MI_JOIN ? k : -1;
    for (int i = 0; i < k; i++)
        e->v[it->slot][i] = some_dim(c);
}

/* A shape of the pattern, from known names and new ones. */
static void
shape_operand(SnProofCase *c, Names *e, const SnMapParam *p, SnCaseValue *x)
{
    int64_t dim[2 * SN_CASE_RANK];
    int rank = 0;

    for (int i = 0; i < p->nitem; i++) {
        const SnMapItem *it = &p->item[i];
        name_item(c, e, it);
        int k = e->n[it->slot] < 0 ? 1 : e->n[it->slot], from = 0;
        if (it->kind == SN_MI_MAYBE && sn_case_chance(c, 20))
            continue;
        if (it->kind == SN_MI_JOIN && sn_case_chance(c, 25))
            from = (int)sn_case_below(c, (uint32_t)k + 1);
        for (int j = from; j < k && rank < SN_CASE_RANK; j++) {
            bool one = it->kind == SN_MI_JOIN && sn_case_chance(c, 20);
            dim[rank++] = one ? 1 : it->vary ? some_dim(c) : e->v[it->slot][j];
        }
    }
    sn_case_set_shape(x, rank, dim);
}

/* ---- parameters ---- */

/* Often a value that moves nothing, else a small one. */
static int64_t
some_number(SnProofCase *c, bool quiet)
{
    static const int64_t few[] = {0, 1, 1, 1, 2};

    if (quiet)
        return 1;
    return sn_case_chance(c, 10)
               ? -1 - (int64_t)sn_case_below(c, 2)
               : few[sn_case_below(c, 5)] + sn_case_about(c, 1);
}

static void
set_list(SnProofCase *c, SnExprValue *v, SnTy ty, uint32_t n, const double *x)
{
    *v = (SnExprValue){.ty = ty, .n = n};
    v->list = sn_memdup(c->a, x, (n + 1) * sizeof *x);
}

static uint32_t
list_length(SnProofCase *c, const Names *e, const SnMapParam *p)
{
    int k = p->length == SN_ML_OWN ? (int)sn_case_below(c, 4) : e->n[p->along];

    if (p->length == SN_ML_PAIR)
        k *= 2;
    return k < 0 || k > 2 * SN_CASE_RANK ? 0 : (uint32_t)k;
}

static void
draw_axes(SnProofCase *c, const SnMapParam *p, int rank, SnExprValue *v)
{
    double x[SN_CASE_RANK + 1] = {0};
    uint32_t n = 0;

    for (int i = 0; i < rank; i++)
        if (p->kind == SN_MP_AXIS || sn_case_chance(c, 40))
            x[n++] = sn_case_chance(c, 30) ? i - rank : i;
    if (p->kind == SN_MP_AXES)
        set_list(c, v, SN_TY_INTS, n, x);
    else
        v->r = n ? x[sn_case_below(c, n)] : 0;
}

static void
draw_param(SnProofCase *c, const Names *e, const SnMapParam *p, int rank,
           SnExprValue *v, bool quiet)
{
    double x[2 * SN_CASE_RANK + 1];

    if (p->kind == SN_MP_AXIS || p->kind == SN_MP_AXES) {
        draw_axes(c, p, rank, v);
        return;
    }
    if (p->kind != SN_MP_INT && p->kind != SN_MP_REAL)
        return; /* truth values and words are drawn with the node */
    if (p->length == SN_ML_ONE) {
        v->r = (double)some_number(c, quiet);
        return;
    }
    uint32_t n = list_length(c, e, p);
    for (uint32_t i = 0; i < n; i++)
        x[i] = p->kind == SN_MP_INT ? (double)some_number(c, quiet)
                                    : (double)(1 + sn_case_below(c, 3)) / 2;
    if (p->dflt >= 0 && sn_case_chance(c, 25))
        n = 0;
    set_list(c, v, p->kind == SN_MP_INT ? SN_TY_INTS : SN_TY_REALS, n, x);
}

/* ---- */

static int
rank_of(const SnCaseNode *n, const SnMapParam *p)
{
    const SnCaseValue *x = sn_case_map_port(n, (unsigned)p->along);

    return x && x->rank > 0 ? x->rank : 0;
}

/* Lists whose length the node fixes name their runs. */
static void
fixed_runs(const SnCaseNode *n, const SnMapDecl *d, Names *e)
{
    for (unsigned i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        const SnExpr *a =
            i < sn_case_sem(n)->narg ? sn_case_sem(n)->arg[i] : NULL;
        uint32_t k =
            a && a->rk == SN_R_ATTR ? ((const SnDefAttr *)a->ref)->fixed : 0;
        if (k && p->length == SN_ML_RUN)
            e->n[p->along] = (int)k;
        if (k && p->length == SN_ML_PAIR)
            e->n[p->along] = (int)k / 2;
        if (e->n[p->along < 0 ? 0 : p->along] >= 0 && p->along >= 0 && k)
            for (int j = 0; j < SN_CASE_RANK; j++)
                e->v[p->along][j] = 0;
    }
}

static void
draw_names(SnProofCase *c, const SnMapDecl *d, Names *e)
{
    for (int s = 0; s < NSLOT && s < d->nslot; s++)
        for (int j = 0; e->n[s] >= 0 && j < e->n[s]; j++)
            if (e->v[s][j] == 0)
                e->v[s][j] = some_dim(c);
}

static void
draw_once(SnProofCase *c, SnCaseNode *n, const SnMapDecl *d, uint64_t *open)
{
    bool quiet = sn_case_chance(c, 30);
    Names e;

    for (int i = 0; i < NSLOT; i++)
        e.n[i] = UNKNOWN;
    fixed_runs(n, d, &e);
    for (unsigned i = 0; i < d->nparam; i++) {
        SnCaseValue *x = sn_case_map_port(n, i);
        if (d->param[i].kind == SN_MP_OPERAND && x && x->rank >= 0)
            learn(&e, &d->param[i], x);
    }
    draw_names(c, d, &e);
    for (unsigned i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        const SnExpr *a =
            i < sn_case_sem(n)->narg ? sn_case_sem(n)->arg[i] : NULL;
        for (uint32_t s = 0; a && p->kind == SN_MP_OPERAND && s < n->nin; s++) {
            bool its = a->rk == SN_R_PORT &&
                       ((const SnDefPort *)a->ref)->index == n->port[s];
            if (!its || !n->in[s] || n->in[s]->rank >= 0)
                continue;
            shape_operand(c, &e, p, n->in[s]);
            n->in[s]->index = p->data != 0;
            *open |= UINT64_C(1) << (s & 63);
        }
    }
    for (unsigned i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        SnExprValue *v = sn_case_map_attr(n, i);
        if (p->kind != SN_MP_OPERAND && v && !v->given)
            draw_param(c, &e, p, rank_of(n, p), v, quiet);
    }
}

bool
sn_case_draw_declared(SnProofCase *c, SnCaseNode *n)
{
    const SnMapDecl *d = sn_case_sem(n)->decl->decl;
    SnMapping u;

    if (d->nslot > NSLOT)
        return sn_case_no(c, "a map of too many names to draw for");
    for (int k = 0; k < NTRY; k++) {
        uint64_t open = 0;
        draw_once(c, n, d, &open);
        if (sn_case_mapping(c, n, &u))
            return true;
        if (k == NTRY - 1)
            break;
        c->fail = NULL;
        for (uint32_t s = 0; s < n->nin && s < 64; s++)
            if (open >> s & 1)
                n->in[s]->rank = -1;
    }
    return false;
}

/* ---- stacked matrices ---- */

/* Matrices, vectors, stacks of matrices. */
static int
matmul_rank(SnProofCase *c)
{
    return sn_case_chance(c, 80) ? 2 : sn_case_chance(c, 30) ? 1 : 3;
}

/* A stack of matrices that is multiplied by the stack y, with m rows: their
 * columns are y's rows, or the other way round if they are transposed. */
static void
stack_beside(SnCaseValue *x, const SnCaseValue *y, int64_t m, bool tx, bool ty)
{
    int64_t d[SN_CASE_RANK];
    int r = y->rank;

    memcpy(d, y->dim, sizeof d);
    d[r - 2] = tx ? y->dim[r - (ty ? 1 : 2)] : m;
    d[r - 1] = tx ? m : y->dim[r - (ty ? 1 : 2)];
    sn_case_set_shape(x, r, d);
}

void
sn_case_draw_matmul(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *a = sn_case_map_port(n, 0), *b = sn_case_map_port(n, 1);
    bool ta = sn_case_map_num(n, 2, 0) != 0, tb = sn_case_map_num(n, 3, 0) != 0;
    int64_t m = 1 + sn_case_below(c, 3), k = 3, o = 1 + sn_case_below(c, 3);

    if (c->wide)
        k = 1 + sn_case_about(c, 4);
    int ra = matmul_rank(c), rb = matmul_rank(c);

    if (a && b && a->rank < 0 && b->rank > 3) {
        stack_beside(a, b, m, ta, tb);
    } else if (a && a->rank < 0) {
        int64_t d[3] = {2, ta ? k : m, ta ? m : k};
        d[2] = ra == 1 ? k : d[2];
        sn_case_set_shape(a, ra, d + 3 - ra);
    }
    if (a && a->rank > 0)
        k = a->rank == 1 ? a->dim[0] : a->dim[a->rank - (ta ? 2 : 1)];
    if (a && b && b->rank < 0 && a->rank > 3) {
        stack_beside(b, a, o, !tb, !ta);
    } else if (b && b->rank < 0) {
        int64_t d[3] = {1 + sn_case_below(c, 2), tb ? o : k, tb ? k : o};
        d[2] = rb == 1 ? k : d[2];
        sn_case_set_shape(b, rb, d + 3 - rb);
    }
}
