// SPDX-License-Identifier: Apache-2.0
/* Constants whose elements are made when they are first needed: large weights
 * that lie in a model's file in another order, and what folding makes of them.
 * Where a kernel packs such a weight it is made a few rows at a time for that,
 * and only what is packed takes memory. */
#ifndef SN_LATE_H
#define SN_LATE_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes slices [i0, i1) of the first axis at `to`, one after the other.
 * Several threads may ask for some at a time, and again. */
typedef void SnLateRows(const SnLate *l, int64_t i0, int64_t i1, void *to);

/* The first member of what a maker of rows keeps. */
struct SnLate {
    SnLateRows *rows;
    SnArena *a; /* where data will be */
    int64_t nrow;
    size_t nbyte;
    const void *at; /* where all elements are already, as data is, or NULL */
};

/* Can nobody read the data of n yet? */
static inline bool
sn_is_late(const SnNode *n)
{
    return n->late && !n->late->at;
}

/* Sets *l, whose first axis is that of s, and *data, for a Constant of type t
 * and shape s: an address that nobody can read yet.  False: this process, or
 * the owner of a's memory, has no such addresses. */
bool sn_late_init(SnLate *l, SnArena *a, SnLateRows *rows, const SnType *t,
                  const SnShape *s, const void **data);

/* The same of data that is there and is never written: what folding makes of it
 * may be late. */
void sn_late_from(SnLate *l, SnLateRows *rows, const SnType *t,
                  const SnShape *s, const void *data);

/* All elements, at `to`. */
void sn_late_fill(const SnLate *l, void *to);

#ifdef __cplusplus
}
#endif

#endif
