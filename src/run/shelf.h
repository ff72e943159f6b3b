// SPDX-License-Identifier: Apache-2.0
/* Placed blocks of memory, found by when they live and how far up they reach,
 * so that placing n of them does not look at all pairs. */
#ifndef SN_SHELF_H
#define SN_SHELF_H

#include "base/arena.h"
#include "run/plan.h"

typedef struct SnShelf SnShelf;

/* For blocks that live within steps 0 .. last. */
SnShelf *sn_shelf_new(SnArena *a, uint32_t last);
/* An offset below which everything is taken at some step of b's life; *step is
 * that step.  Not the highest there is. */
size_t sn_shelf_floor(SnShelf *s, const SnBlock *b, uint32_t *step);
/* Blocks by offset, which are put into order as they are asked for: mostly a
 * gap lies below the first few. */
typedef struct SnNear {
    uint32_t n, nheap;
    SnBlock **v; /* [nheap] a heap, the lowest first; then those that were asked
                    for, the lowest last */
} SnNear;

/* The i-th, or NULL. */
const SnBlock *sn_near_at(SnNear *x, uint32_t i);
/* The blocks that are alive at some step of b and end above `floor`; room is
 * for all blocks. */
SnNear sn_shelf_near(SnShelf *s, const SnBlock *b, size_t floor,
                     SnBlock **room);
/* b has its place, offset to end.  near: what sn_shelf_near found above the
 * floor that b has at `step`. */
void sn_shelf_put(SnShelf *s, SnBlock *b, uint32_t step, SnNear *near);

#endif
