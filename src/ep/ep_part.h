// SPDX-License-Identifier: Apache-2.0
/* Division of a graph into parts that can be taken out of it as one node. */
#ifndef SN_EP_PART_H
#define SN_EP_PART_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define SN_EP_NONE UINT32_MAX /* no value, no node, no part */

/* Who makes what each node reads. */
typedef struct SnEpDag {
    uint32_t n;
    uint32_t *nbefore;
    uint32_t **before; /* any order, perhaps several times */
} SnEpDag;
/* Divides the nodes that can be taken into parts: part[i] is from 1 on, 0 of
 * others; returns how many there are.  No path between two nodes of a part
 * leads outside, parts as wholes do not depend on each other in a circle, and
 * of up to 64 parts no two could be one; of more, no two of which one reads the
 * other. */
uint32_t sn_ep_parts(SnArena *a, const SnEpDag *g, const bool *can,
                     uint32_t *part);

#endif
