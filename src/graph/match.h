// SPDX-License-Identifier: Apache-2.0
/* Two graphs beside each other: whether types are the same, and which node of
 * one is which of the other, for `sinter diff`. */
#ifndef SN_MATCH_H
#define SN_MATCH_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of two pools; NULL is only equal to itself. */
bool sn_type_equal(const SnType *x, const SnType *y);

typedef struct SnMatch {
    SnId *of_x; /* [x->nnode] the node of y, 0: x alone has it */
    SnId *of_y; /* [y->nnode] the other way round */
} SnMatch;

/* Pairs nodes, each with one at most: those of one name (a Save: of one
 * output); then those that compute the same from the same; then what reads, or
 * is read by, a pair at the same operand, where its kind is the same. Allocates
 * in a. */
SnMatch sn_graph_match(SnArena *a, const SnGraph *x, const SnGraph *y);

#ifdef __cplusplus
}
#endif

#endif
