// SPDX-License-Identifier: Apache-2.0
/* The static memory planner: one arena for every tensor a graph computes.
 * Constants keep their own storage and are not counted.  A buffer lives from
 * the step that writes it to the last step that reads it; graph inputs live
 * from the start, graph outputs to the end. */
#ifndef SN_PLAN_H
#define SN_PLAN_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_PLAN_ALIGN = 64 };

typedef struct SnBlock { /* one buffer */
    size_t nbyte;
    uint32_t first, last; /* steps, both inclusive */
    size_t offset, end;   /* result: its offset, and the first offset after
                             it */
} SnBlock;

/* Gives every block an offset, multiple of SN_PLAN_ALIGN, such that blocks
 * alive at the same step do not overlap: largest first, each at the lowest
 * place that fits.  Blocks of 0 bytes take SN_PLAN_ALIGN.
 * Returns the size of the arena. */
size_t sn_plan_blocks(SnArena *scratch, SnBlock *b, uint32_t n);

typedef struct SnPlanStep {
    SnId node;
    size_t live; /* bytes of all buffers alive at this step, unpadded */
} SnPlanStep;

typedef struct SnPlan {
    uint32_t nstep;
    SnPlanStep *step; /* the live nodes in topological order */
    uint32_t nblock;
    SnBlock *block;
    SnRef *owner; /* [nblock] the result that the block holds */
    size_t arena; /* bytes */
    size_t peak;  /* largest `live` */
    uint32_t peak_step;
    size_t constants; /* bytes of all Constants, for the report */
} SnPlan;

SnPlan *sn_plan(SnArena *a, const SnGraph *g);

/* A value that lies `offset` bytes into the memory of another (base), which
 * may be a view itself; base 0: a value with its own memory. */
typedef struct SnView {
    SnRef base;
    size_t offset;
} SnView;

/* view[nnode << SN_RESBITS] or NULL.  A block lives as long as any value that
 * is in it. */
SnPlan *sn_plan_views(SnArena *a, const SnGraph *g, const SnView *view);
/* Nodes that run block by block: what any of them reads or writes is live while
 * all of them run. */
typedef struct SnPlanRun {
    const SnId *node; /* [n] in the order of the plan */
    uint32_t n;
    const struct SnPlanRun *next;
} SnPlanRun;
SnPlan *sn_plan_runs(SnArena *a, const SnGraph *g, const SnView *view,
                     const SnPlanRun *run);
/* The value whose block holds ref; *offset: its place in the block. */
SnRef sn_view_root(const SnView *view, SnRef ref, size_t *offset);

#ifdef __cplusplus
}
#endif

#endif
