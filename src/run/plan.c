// SPDX-License-Identifier: Apache-2.0
#include "run/plan.h"

#include <stdlib.h>
#include <string.h>
#include "graph/desc.h"
#include "run/shelf.h"

/* Bytes that a buffer takes.  One without elements takes room as well: no other
 * buffer begins at its place. */
static size_t
align_up(size_t n)
{
    if (n == 0)
        return SN_PLAN_ALIGN;
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

/* The lowest offset, from `at` on, where b fits among those near it, which are
 * alive together with it. */
static size_t
lowest_gap(const SnBlock *b, SnNear *near, size_t at)
{
    const SnBlock *x;

    for (uint32_t i = 0; (x = sn_near_at(near, i)) != NULL; i++) {
        if (x->offset >= at + align_up(b->nbyte))
            break;
        if (x->end > at)
            at = x->end;
    }
    return at;
}

size_t
sn_plan_blocks(SnArena *scratch, SnBlock *b, uint32_t n)
{
    SnBlock **order = SN_NEW_N(scratch, SnBlock *, n + 1);
    SnBlock **room = SN_NEW_N(scratch, SnBlock *, n + 1);
    size_t arena = 0;
    uint32_t last = 0;

    for (uint32_t i = 0; i < n; i++) {
        order[i] = &b[i];
        last = b[i].last > last ? b[i].last : last;
    }
    SnShelf *s = sn_shelf_new(scratch, last);
    qsort(order, n, sizeof *order, by_size);
    for (uint32_t i = 0; i < n; i++) {
        SnBlock *x = order[i];
        uint32_t step;
        size_t floor = sn_shelf_floor(s, x, &step);
        SnNear near = sn_shelf_near(s, x, floor, room);
        x->offset = lowest_gap(x, &near, floor);
        x->end = x->offset + align_up(x->nbyte);
        sn_shelf_put(s, x, step, &near);
        arena = x->end > arena ? x->end : arena;
    }
    return arena;
}

static bool
is_constant(const SnNode *n)
{
    return n->data != NULL;
}

SnRef
sn_view_root(const SnView *view, SnRef ref, size_t *offset)
{
    *offset = 0;
    for (; view && view[ref].base; ref = view[ref].base)
        *offset += view[ref].offset;
    return ref;
}

static void
add_results(SnArena *a, SnPlan *p, const SnGraph *g, const SnView *view,
            uint32_t step)
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
        if ((r > 0 && res->nuse == 0) || (view && view[SN_REF(id, r)].base))
            continue;
        SnBlock b = {.nbyte = nbyte, .first = step, .last = step};
        uint32_t nowner = p->nblock;
        SN_PUSH(a, p->owner, nowner, SN_REF(id, r));
        SN_PUSH(a, p->block, p->nblock, b);
    }
}

/* Makes block b last from the step of ref to its last reader. */
static void
extend(SnBlock *b, const SnPlan *p, const SnGraph *g, const uint32_t *step_of,
       SnRef ref)
{
    const SnNode *n = sn_def(g, ref);
    uint32_t first = step_of[SN_NODE(ref)];

    if (n->nin == 0 && sn_desc(n->kind)->effect)
        first = 0;
    if (first < b->first)
        b->first = first;
    for (const SnUse *u = sn_res(g, ref)->uses; u; u = u->next) {
        uint32_t s = step_of[u->user];
        if (sn_desc(sn_node(g, u->user)->kind)->effect)
            s = p->nstep - 1;
        if (s > b->last)
            b->last = s;
    }
}

/* Makes the block of ref, unless it is a Constant's, last from step `first` to
 * step `last`. */
static void
span(SnPlan *p, const SnGraph *g, const SnView *view, const uint32_t *block,
     SnRef ref, uint32_t first, uint32_t last)
{
    size_t offset;
    SnRef root = ref ? sn_view_root(view, ref, &offset) : 0;

    if (!root || is_constant(sn_def(g, root)))
        return;
    SnBlock *b = &p->block[block[root]];
    b->first = b->first < first ? b->first : first;
    b->last = b->last > last ? b->last : last;
}

static void
span_run(SnPlan *p, const SnGraph *g, const SnView *view, const uint32_t *block,
         const uint32_t *step_of, const SnPlanRun *run)
{
    uint32_t first = step_of[run->node[0]],
             last = step_of[run->node[run->n - 1]];

    for (uint32_t i = 0; i < run->n; i++) {
        const SnNode *n = sn_node(g, run->node[i]);
        for (uint32_t k = 0; k < n->nin; k++)
            span(p, g, view, block, n->in[k].ref, first, last);
        span(p, g, view, block, SN_REF(run->node[i], 0), first, last);
    }
}

static void
set_lifetimes(SnArena *tmp, SnPlan *p, const SnGraph *g, const SnView *view,
              const uint32_t *step_of, const SnPlanRun *run)
{
    size_t nref = (size_t)g->nnode << SN_RESBITS, offset;
    uint32_t *block = SN_NEW_N(tmp, uint32_t, nref);

    for (uint32_t i = 0; i < p->nblock; i++) {
        block[p->owner[i]] = i;
        extend(&p->block[i], p, g, step_of, p->owner[i]);
    }
    for (SnRef r = 0; view && r < nref; r++)
        if (view[r].base)
            extend(&p->block[block[sn_view_root(view, r, &offset)]], p, g,
                   step_of, r);
    for (; run; run = run->next)
        span_run(p, g, view, block, step_of, run);
    for (uint32_t i = 0; i < p->nblock; i++) {
        const SnBlock *b = &p->block[i];
        /* Differences here, sums below: wrapping is undone by the sum. */
        p->step[b->first].live += b->nbyte;
        p->step[b->last + 1].live -= b->nbyte;
    }
    for (uint32_t s = 1; s < p->nstep; s++)
        p->step[s].live += p->step[s - 1].live;
}

SnPlan *
sn_plan(SnArena *a, const SnGraph *g)
{
    return sn_plan_views(a, g, NULL);
}

SnPlan *
sn_plan_views(SnArena *a, const SnGraph *g, const SnView *view)
{
    return sn_plan_runs(a, g, view, NULL);
}

SnPlan *
sn_plan_runs(SnArena *a, const SnGraph *g, const SnView *view,
             const SnPlanRun *run)
{
    SnPlan *p = SN_NEW(a, SnPlan);
    SnArena *tmp = sn_arena_new();
    SnId *topo = sn_topo(g, tmp, &p->nstep);
    uint32_t *step_of = SN_NEW_N(tmp, uint32_t, g->nnode);

    p->step = SN_NEW_N(a, SnPlanStep, p->nstep + 1);
    for (uint32_t i = 0; i < p->nstep; i++) {
        p->step[i].node = topo[i];
        step_of[topo[i]] = i;
    }
    for (uint32_t i = 0; i < p->nstep; i++)
        add_results(a, p, g, view, i);
    set_lifetimes(tmp, p, g, view, step_of, run);
    p->arena = sn_plan_blocks(tmp, p->block, p->nblock);
    sn_arena_free(tmp);
    for (uint32_t i = 0; i < p->nstep; i++) {
        if (p->step[i].live > p->peak) {
            p->peak = p->step[i].live;
            p->peak_step = i;
        }
    }
    return p;
}
