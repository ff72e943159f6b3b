// SPDX-License-Identifier: Apache-2.0
/* Running single nodes with their generated evaluators. */
#ifndef SN_EVAL_H
#define SN_EVAL_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates node id: in[slot] tensors (data NULL for missing operands), out[]
 * as allocated by the caller (data NULL: unwanted).  scratch is used and not
 * reset.  A run-time error is reported through d with the node's label.  A node
 * without a result that has elements does nothing (sn_node_empty). */
SnStatus sn_eval_node(const SnGraph *g, SnId id, const SnTensor *in,
                      const SnTensor *out, SnArena *scratch, SnDiag *d);

/* Why sn_eval_node could not run the node (no tuple, opaque), or NULL. */
const char *sn_eval_why_not(const SnGraph *g, SnId id);

/* Products and sums that the node takes: taps in padding count, moves cost
 * none. */
double sn_node_ops(const SnGraph *g, SnId id);
/* What a budget charges for it: these, and each element of a result. */
uint64_t sn_node_charge(const SnGraph *g, SnId id);

/* Charges the budget for one sample of g; called by import and when a run is
 * prepared. */
void sn_graph_charge(const SnGraph *g);

/* Evaluates one result whose operands are all Constants, recursively through
 * foldable nodes: the data of r in a, or NULL when it is not constant (or takes
 * more than 1 GiB on the way).  Charged as folding. */
const void *sn_eval_const(const SnGraph *g, SnRef r, SnArena *a);
/* Larger results are left to the run. */
#define SN_EVAL_MOST ((size_t)1 << 30)
/* Is the node left to the run, though its operands are constant?  A result of
 * more than SN_EVAL_MOST bytes is, and one that is larger than its operands
 * (of a Tile, a sum that broadcasts) if folding may not take so many bytes any
 * more. */
bool sn_eval_too_large(const SnGraph *g, SnId id);
/* The same into `to`, the data of operand `slot` of r's node: sn_eval_inplace
 * says whether that can be done. */
const void *sn_eval_const_at(const SnGraph *g, SnRef r, SnArena *a, void *to);
/* Is element i of r computed from element i of this operand and no other one of
 * it, and can that not fail?  Then r may take its memory. */
bool sn_eval_inplace(const SnGraph *g, SnRef r, uint32_t slot);
/* Charges folding of r to the graph's budget (base/budget.h), as sn_eval_const
 * does. */
void sn_eval_charge(const SnGraph *g, SnRef r, SnArena *a);

/* ---- rows ---- */
/* Whether each element of c's only result depends on one element of each
 * operand, at its own place or broadcast, all of them reals.  Then slices of
 * the first axis can be computed separately, which cannot fail. */
bool sn_eval_by_rows(const SnCall *c);
/* Computes slices [i0, i1) of the first axis in place: `to` holds those of
 * operand `slot` and receives the result; data of that operand and of the
 * result is not read.  to NULL: from the operand's data into the result's. */
void sn_eval_rows(SnEvalFn *eval, const SnCall *c, uint32_t slot, void *to,
                  int64_t i0, int64_t i1);

#ifdef __cplusplus
}
#endif

#endif
