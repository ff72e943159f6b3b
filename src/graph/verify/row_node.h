// SPDX-License-Identifier: Apache-2.0
/* What a row of an arithmetic reads of a node: which row it is, grids, and
 * what its operands and sums may be.  For what checks a node against its
 * arithmetic (admits.c) and bounds it (twin.c). */
#ifndef SN_ROW_NODE_H
#define SN_ROW_NODE_H

#include "graph/desc.h"
#include "graph/verify/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of 8 or 16 bits? */
bool sn_row_is_code(const SnType *t);
/* The slot of the operand that the meaning of result 0 calls its i-th, or -1;
 * and of the bias of a contract. */
int sn_row_slot(const SnCall *c, int i);
int sn_row_bias_slot(const SnCall *c);

/* Codes of a role within storage. */
void sn_row_span(const SnCall *c, SnRole role, const SnType *t, int64_t *lo,
                 int64_t *hi);
/* The largest |code - zero point| that an operand may have. */
double sn_row_most(const SnCall *c, SnRole role, const SnType *t);
/* Elements that a result of a set is made of, at most. */
double sn_row_taps(const SnCall *c);
/* What the terms of a sum of products of channel `at`, bias included, add up
 * to, at most; w: NULL where the filter is not one matrix, for any channel. */
double sn_row_most_sum(const SnCall *c, const SnType *x, const SnType *wt,
                       const SnWeights *w, int64_t at);

/* SN_WHEN_ flags of operands x and w (or NULL), but for SAME. */
unsigned sn_row_when(const SnCall *c, SnForm form, const SnType *x,
                     const SnType *w);
/* What rows depend on besides types; and the types, w: slice of it. */
SnRowGrids sn_row_grids(const SnCall *c, SnForm form);
void sn_row_set_types(SnRowGrids *g, const SnType *y, const SnType *x,
                      const SnType *w, uint32_t slice);
/* The row that c->rounding has for these, NULL: none. */
const SnArithRow *sn_row_of(const SnCall *c, SnForm form, const SnType *x,
                            const SnType *w, const SnRowGrids *g);

#ifdef __cplusplus
}
#endif

#endif
