// SPDX-License-Identifier: Apache-2.0
/* Running single nodes: finds the tuple and calls its evaluator. */
#include "kernel/eval/eval.h"

#include <string.h>

#include "base/budget.h"
#include "base/team/spread.h"
#include "kernel/eval/map.h"
#include "map/facts.h"

const char *
sn_eval_why_not(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    if (n->data)
        return NULL;
    if (sn_desc(n->kind)->effect)
        return "it is not a computation";
    const SnTuple *t = sn_node_tuple(g, id);
    if (t == NULL)
        return "no legal tuple has these types";
    if (t->eval == NULL)
        return "its meaning is opaque: it runs only lowered";
    return NULL;
}

static SnCall
call_of(const SnGraph *g, SnId id, const SnTensor *in, const SnTensor *out,
        SnArena *scratch, char *why)
{
    const SnNode *n = sn_node(g, id);

    return (SnCall){.kind = sn_desc(n->kind),
                    .attr = n->attr,
                    .nin = n->nin,
                    .nout = n->nres,
                    .in = in,
                    .out = out,
                    .scratch = scratch,
                    .why = why,
                    .rounding = g->rounding};
}

SnStatus
sn_eval_node(const SnGraph *g, SnId id, const SnTensor *in, const SnTensor *out,
             SnArena *scratch, SnDiag *d)
{
    const SnNode *n = sn_node(g, id);
    char why[SN_WHY] = "";

    if (n->data && n->nres == 1) {
        if (out[0].data)
            memcpy(out[0].data, sn_node_data(g, id),
                   sn_tensor_nbyte(n->res[0].type, n->res[0].shape));
        return SN_OK;
    }
    if (sn_node_empty(g, id))
        return SN_OK;
    const char *not = sn_eval_why_not(g, id);
    if (not )
        return sn_fail(d, SN_EUNSUPPORTED, sn_label(g, id, scratch), "%s",
                       not );
    const SnTuple *t = sn_node_tuple(g, id);
    SnCall c = call_of(g, id, in, out, scratch, why);
    SnStatus s = t->eval(&c);
    if (s != SN_OK)
        return sn_fail(d, s, sn_label(g, id, scratch), "%s", why);
    return SN_OK;
}

/* ---- what a node costs ---- */

/* More than any budget allows; the sum of two does not wrap. */
#define MOST ((uint64_t)1 << 60)

static double
taps(const SnGraph *g, SnId id, SnArena *scratch)
{
    const SnNode *n = sn_node(g, id);
    SnTensor *in = SN_NEW_N(scratch, SnTensor, n->nin + 1u);
    SnTensor out[SN_MAXRES] = {{0}};
    char why[SN_WHY];
    SnCall c = call_of(g, id, in, out, scratch, why);

    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref)
            in[i] = (SnTensor){sn_type(g, n->in[i].ref),
                               sn_shape_of(g, n->in[i].ref), NULL};
    for (unsigned i = 0; i < n->nres; i++)
        out[i] = (SnTensor){n->res[i].type, n->res[i].shape, NULL};
    return sn_map_taps(&c, 0);
}

double
sn_node_ops(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    SnClass cls = sn_desc(n->kind)->sem[0].cls;
    double nout = (double)sn_shape_count(n->res[0].shape);

    if (cls == SN_C_POINT)
        return nout;
    if (cls != SN_C_CONTRACT && cls != SN_C_WINDOW)
        return 0;
    SnArena *scratch = sn_arena_new();
    double ntap = taps(g, id, scratch);
    sn_arena_free(scratch);
    return nout * ntap * (cls == SN_C_CONTRACT ? 2 : 1);
}

uint64_t
sn_node_charge(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    double sum = sn_node_ops(g, id);

    for (unsigned i = 0; i < n->nres; i++)
        sum += (double)sn_shape_count(n->res[i].shape);
    return sum < (double)MOST ? (uint64_t)sum : MOST;
}

void
sn_graph_charge(const SnGraph *g)
{
    SnArena *a = sn_arena_new();
    uint64_t sum = 0;

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (n->dead || n->data || sn_desc(n->kind)->effect ||
            sn_node_empty(g, id))
            continue;
        sum += sn_node_charge(g, id);
        sum = sum < MOST ? sum : MOST;
        if (sum <= sn_budget_limit_of(SN_CHARGE_OPS))
            continue;
        sn_budget_at("running", sn_label(g, id, a));
        sn_charge_level(SN_CHARGE_OPS, sum);
    }
    sn_arena_free(a);
}

/* ---- in parts ---- */

enum { MOST_OPERANDS = 4 };

/* Is an element of the only result computed from reals at its own place in each
 * operand, or at one that is repeated?  Then rows of it can be computed apart:
 * such an evaluator does not fail and takes no memory. */
bool
sn_eval_by_rows(const SnCall *c)
{
    const SnSem *sem = c->kind->sem;
    bool reals = c->nout == 1 && c->out[0].type->elem == SN_F32;

    for (uint32_t i = 0; i < c->nin; i++)
        reals = reals && c->in[i].type && c->in[i].type->elem == SN_F32;
    return reals && c->nin <= MOST_OPERANDS && c->out[0].shape->rank > 0 &&
           sem && sem[0].cls == SN_C_POINT && sem[0].decl &&
           sn_map_in_place(sem[0].decl);
}

/* Rows [i0, i1) of a tensor whose first axis is that of `of`; all of one that
 * is repeated along it. */
static SnTensor
rows_of(const SnTensor *t, const SnShape *of, int64_t i0, int64_t i1,
        SnShape *shape)
{
    SnTensor r = *t;

    *shape = *t->shape;
    r.shape = shape;
    if (shape->rank < of->rank || shape->dim[0] == 1)
        return r;
    shape->dim[0] = 1;
    r.data = (float *)t->data + i0 * sn_shape_count(shape);
    shape->dim[0] = i1 - i0;
    return r;
}

typedef struct Rows {
    const SnCall *c;
    SnEvalFn *eval;
} Rows;

void
sn_eval_rows(SnEvalFn *eval, const SnCall *all, uint32_t slot, void *to,
             int64_t i0, int64_t i1)
{
    SnCall c = *all;
    SnShape shape[MOST_OPERANDS + 1];
    SnTensor in[MOST_OPERANDS], out;

    for (uint32_t i = 0; i < c.nin; i++)
        in[i] = rows_of(&all->in[i], all->out[0].shape, i0, i1, &shape[i]);
    out =
        rows_of(&all->out[0], all->out[0].shape, i0, i1, &shape[MOST_OPERANDS]);
    if (to)
        in[slot].data = out.data = to;
    c.in = in;
    c.out = &out;
    c.scratch = NULL;
    c.why = NULL;
    if (eval(&c) != SN_OK)
        sn_bug("%s failed in parts", c.kind->name);
}

static void
run_rows(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Rows *r = ctx;

    (void)part;
    sn_eval_rows(r->eval, r->c, 0, NULL, i0, i1);
}

/* The evaluator, on the team of this thread where that is worth it. */
static SnStatus
evaluate(SnEvalFn *eval, const SnCall *c, size_t nbyte)
{
    Rows r = {c, eval};
    int64_t rows = c->out[0].shape->rank > 0 ? c->out[0].shape->dim[0] : 1;
    unsigned nparts = sn_spread_parts(rows, nbyte);

    if (nparts == 1 || !sn_eval_by_rows(c))
        return eval(c);
    sn_spread(rows, nparts, run_rows, &r);
    return SN_OK;
}

/* ---- constants ---- */

enum { MAXDEPTH = 200 };

typedef struct Memo { /* results found so far, a small open list */
    SnRef ref;
    const void *data;
} Memo;

typedef struct Fold {
    const SnGraph *g;
    SnArena *a;
    Memo *memo;
    size_t nmemo;
    size_t nbyte; /* of results so far */
    SnRef top;    /* the requested result, */
    void *to;     /* and its destination, or NULL */
} Fold;

bool
sn_eval_too_large(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    size_t nbyte = sn_tensor_nbyte(n->res[0].type, n->res[0].shape), from = 0;

    if (nbyte > SN_EVAL_MOST)
        return true;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef x = n->in[i].ref;
        if (x)
            from += sn_tensor_nbyte(sn_type(g, x), sn_shape_of(g, x));
    }
    return nbyte > from && nbyte > sn_budget_left(SN_CHARGE_FOLD_NBYTE);
}

static const void *fold(Fold *f, SnRef r, int depth);

void
sn_eval_charge(const SnGraph *g, SnRef r, SnArena *a)
{
    size_t nbyte = sn_tensor_nbyte(sn_type(g, r), sn_shape_of(g, r));

    sn_budget_at("folding", sn_label(g, SN_NODE(r), a));
    sn_charge(SN_CHARGE_FOLD_NBYTE, nbyte);
    sn_charge(SN_CHARGE_FOLD_OPS, sn_node_charge(g, SN_NODE(r)));
}

static const void *
compute(Fold *f, SnRef r, int depth)
{
    const SnGraph *g = f->g;
    const SnNode *n = sn_def(g, r);
    const SnTuple *t = sn_node_tuple(g, SN_NODE(r));
    char why[SN_WHY];

    if (t == NULL || t->eval == NULL)
        return NULL;
    SnTensor *in = SN_NEW_N(f->a, SnTensor, n->nin);
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef x = n->in[i].ref;
        if (x == 0)
            continue;
        in[i].type = sn_type(g, x);
        in[i].shape = sn_shape_of(g, x);
        in[i].data = (void *)(uintptr_t)fold(f, x, depth + 1);
        if (in[i].data == NULL)
            return NULL;
    }
    size_t nbyte = sn_tensor_nbyte(sn_type(g, r), sn_shape_of(g, r));
    if (nbyte > SN_EVAL_MOST - f->nbyte)
        return NULL;
    f->nbyte += nbyte;
    sn_eval_charge(g, r, f->a);
    SnTensor out[SN_MAXRES] = {0};
    for (unsigned i = 0; i < n->nres; i++) {
        out[i].type = n->res[i].type;
        out[i].shape = n->res[i].shape;
        if (SN_RES(r) == i)
            out[i].data = r == f->top && f->to ? f->to : sn_alloc(f->a, nbyte);
    }
    SnCall c = call_of(g, SN_NODE(r), in, out, f->a, why);
    SnStatus s =
        sn_node_empty(g, SN_NODE(r)) ? SN_OK : evaluate(t->eval, &c, nbyte);
    return s == SN_OK ? out[SN_RES(r)].data : NULL;
}

static const void *
fold(Fold *f, SnRef r, int depth)
{
    const SnNode *n = sn_def(f->g, r);

    if (n->data)
        return sn_node_data(f->g, SN_NODE(r));
    if (depth > MAXDEPTH || sn_desc(n->kind)->effect)
        return NULL;
    for (size_t i = 0; i < f->nmemo; i++)
        if (f->memo[i].ref == r)
            return f->memo[i].data;
    Memo m = {r, compute(f, r, depth)};
    SN_PUSH(f->a, f->memo, f->nmemo, m);
    return m.data;
}

const void *
sn_eval_const(const SnGraph *g, SnRef r, SnArena *a)
{
    Fold f = {.g = g, .a = a};

    return r ? fold(&f, r, 0) : NULL;
}

const void *
sn_eval_const_at(const SnGraph *g, SnRef r, SnArena *a, void *to)
{
    Fold f = {.g = g, .a = a, .top = r, .to = to};

    return fold(&f, r, 0);
}

bool
sn_eval_inplace(const SnGraph *g, SnRef r, uint32_t slot)
{
    const SnNode *n = sn_def(g, r);
    const SnKindDesc *d = sn_desc(n->kind);
    SnRef v = sn_in(g, SN_NODE(r), slot);

    return v && n->nres == 1 && d->sem && d->sem[0].cls == SN_C_POINT &&
           d->sem[0].decl && sn_map_in_place(d->sem[0].decl) &&
           sn_type(g, r)->elem == SN_F32 && sn_type(g, v)->elem == SN_F32 &&
           sn_shape_equal(sn_shape_of(g, r), sn_shape_of(g, v));
}
