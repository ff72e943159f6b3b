#include "run/plan.h"

#include <stdlib.h>
#include <string.h>
#include "graph/desc.h"

static size_t
align_up(size_t n)
{
    return (n + SN_PLAN_ALIGN - 1) & ~(size_t)(SN_PLAN_ALIGN - 1);
}

/* Order of placement: large first, then early, then as given. */
static int
by_size(const void *x, const void *y)
{
    const SnBlock *a = *(SnBlock *const *)x, *b = *(SnBlock *const *)y;

    if (a->nbyte != b->nbyte)
        return a->nbyte > b->nbyte ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int
by_offset(const void *x, const void *y)
{
    const SnBlock *a = *(SnBlock *const *)x, *b = *(SnBlock *const *)y;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The lowest offset where b fits among the blocks of near[0..n), which are
 * alive together with it. */
static size_t
lowest_gap(const SnBlock *b, SnBlock **near, uint32_t n)
{
    size_t at = 0;

    qsort(near, n, sizeof *near, by_offset);
    for (uint32_t i = 0; i < n; i++) {
        if (near[i]->offset >= at + align_up(b->nbyte))
            break;
        size_t end = near[i]->offset + align_up(near[i]->nbyte);
        if (end > at)
            at = end;
    }
    return at;
}

size_t
sn_plan_blocks(SnArena *scratch, SnBlock *b, uint32_t n)
{
    SnBlock **order = SN_NEW_N(scratch, SnBlock *, n + 1);
    SnBlock **near = SN_NEW_N(scratch, SnBlock *, n + 1);
    size_t arena = 0;

    for (uint32_t i = 0; i < n; i++)
        order[i] = &b[i];
    qsort(order, n, sizeof *order, by_size);
    for (uint32_t i = 0; i < n; i++) {
        SnBlock *x = order[i];
        uint32_t nnear = 0;
        for (uint32_t k = 0; k < i; k++)
            if (order[k]->first <= x->last && x->first <= order[k]->last)
                near[nnear++] = order[k];
        x->offset = lowest_gap(x, near, nnear);
        if (x->offset + align_up(x->nbyte) > arena)
            arena = x->offset + align_up(x->nbyte);
    }
    return arena;
}

static bool
is_constant(const SnNode *n)
{
    return n->data != NULL;
}

static void
add_results(SnArena *a, SnPlan *p, const SnGraph *g, uint32_t step)
{
    SnId id = p->step[step].node;
    const SnNode *n = sn_node(g, id);

    for (unsigned r = 0; r < n->nres; r++) {
        const SnResult *res = &n->res[r];
        size_t nbyte = sn_tensor_nbyte(res->type, res->shape);
        if (is_constant(n)) {
            p->constants += nbyte;
            continue;
        }
        if (r > 0 && res->nuse == 0)
            continue;
        SnBlock b = {.nbyte = nbyte, .first = step, .last = step};
        uint32_t nowner = p->nblock;
        SN_PUSH(a, p->owner, nowner, SN_REF(id, r));
        SN_PUSH(a, p->block, p->nblock, b);
    }
}

static void
set_lifetimes(SnPlan *p, const SnGraph *g, const uint32_t *step_of)
{
    for (uint32_t i = 0; i < p->nblock; i++) {
        SnBlock *b = &p->block[i];
        const SnNode *n = sn_def(g, p->owner[i]);
        if (n->nin == 0 && sn_desc(n->kind)->effect)
            b->first = 0;
        for (const SnUse *u = sn_res(g, p->owner[i])->uses; u; u = u->next) {
            uint32_t s = step_of[u->user];
            if (sn_desc(sn_node(g, u->user)->kind)->effect)
                s = p->nstep - 1;
            if (s > b->last)
                b->last = s;
        }
        for (uint32_t s = b->first; s <= b->last; s++)
            p->step[s].live += b->nbyte;
    }
}

SnPlan *
sn_plan(SnArena *a, const SnGraph *g)
{
    SnPlan *p = SN_NEW(a, SnPlan);
    SnId *topo = sn_topo(g, a, &p->nstep);
    uint32_t *step_of = SN_NEW_N(a, uint32_t, g->nnode);

    p->step = SN_NEW_N(a, SnPlanStep, p->nstep + 1);
    for (uint32_t i = 0; i < p->nstep; i++) {
        p->step[i].node = topo[i];
        step_of[topo[i]] = i;
    }
    for (uint32_t i = 0; i < p->nstep; i++)
        add_results(a, p, g, i);
    set_lifetimes(p, g, step_of);
    p->arena = sn_plan_blocks(a, p->block, p->nblock);
    for (uint32_t i = 0; i < p->nstep; i++) {
        if (p->step[i].live > p->peak) {
            p->peak = p->step[i].live;
            p->peak_step = i;
        }
    }
    return p;
}
