// SPDX-License-Identifier: Apache-2.0
/* Late Constants: the elements are computed when they are first read.  Used for
 * large weights of a model's file and for results of folding them.  Kernels
 * that are declared `late` make rows of one as they pack or use it; for others
 * run/stage.h computes it just before its kernel packs it. */
#ifndef SN_LATE_H
#define SN_LATE_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes slices [i0, i1) of the first axis to `to`, contiguous; work is scratch
 * memory of the size of what is written.  May be called by several threads at
 * once, and more than once for a slice.  Cannot fail. */
typedef void SnLateRows(const SnLate *l, int64_t i0, int64_t i1, void *to,
                        void *work);

/* The first member of the struct that an SnLateRows function reads. */
struct SnLate {
    SnLateRows *rows;
    SnArena *a; /* of the data's addresses */
    int64_t nrow;
    size_t nbyte;
    const void *at; /* all elements, if they are in memory already, or NULL */
    bool file; /* at is mapped from a file; rows() reads it, which is faster */
};

/* Whether the data of n is not in memory yet: reading it is a segmentation
 * fault.  sn_node_data computes it. */
static inline bool
sn_is_late(const SnNode *n)
{
    return n->late && !n->late->at;
}

/* Sets *l, and *data to addresses that cannot be read yet, for a Constant of
 * type t and shape s.  Returns false if no addresses are left, s has no axis or
 * no element, or a's memory is supplied by a host program. */
bool sn_late_init(SnLate *l, SnArena *a, SnLateRows *rows, const SnType *t,
                  const SnShape *s, const void **data);

/* Sets *l for elements that are in memory at data and that nobody writes while
 * *l is used, so that results of folding them can be late. */
void sn_late_from(SnLate *l, SnLateRows *rows, const SnType *t,
                  const SnShape *s, const void *data);

/* Writes all elements, nbyte bytes, to `to`, on the threads of base/team. */
void sn_late_fill(const SnLate *l, void *to);

#ifdef __cplusplus
}
#endif

#endif
