// SPDX-License-Identifier: Apache-2.0
/* How a formula reads a port: its codes directly, or through d(); at which
 * places; and what a node sees of the other axes. */
#ifndef SN_READS_H
#define SN_READS_H

#include "dsl/model/model.h"

typedef struct SnReads {
    uint32_t raw, deq; /* how often directly, through d() */
    const SnExpr *at;  /* first raw read */
    bool places;       /* a map takes its codes for places */
} SnReads;
/* e may be NULL: a meaning without a formula. */
SnReads sn_formula_reads(const SnExpr *e, const SnDefPort *p);

/* Is each element computed from the operands' elements in the same place?  With
 * `repeats`, also if they are repeated along axes. */
bool sn_sem_each(const SnDefSem *s);
bool sn_sem_each_repeats(const SnDefSem *s);

/* Arguments that parameter number i of the declared map takes: *n of them, from
 * the returned one on; 0 from narg on: it is omitted. */
uint32_t sn_sem_param_args(const SnDefSem *s, unsigned i, uint32_t *n);

/* Is the node over a map along one axis (sn_map_regroups) that one of its
 * attributes names, and does it mean the same for any number of this axis and
 * any other dimensions? */
bool sn_node_regroups(const SnDefNode *n);

#endif
