// SPDX-License-Identifier: Apache-2.0
/* How far a node's codes, as the graph's arithmetic computes them, may be from
 * those of its twin: the operator of reals between DequantizeLinear and
 * QuantizeLinear that ONNX writes it as (docs/export.md), on equal operands. */
#ifndef SN_TWIN_H
#define SN_TWIN_H

#include "base/lang/row_bound.h"
#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnTwinBound {
    SnRowBound by;   /* by.why: there is no bound */
    const char *row; /* the row that computes the node; NULL: its own steps */
} SnTwinBound;

/* Of result 0 of the node c: operands have types and shapes, and data where
 * they are constants.  False: it has no codes of 8 or 16 bits, or nothing
 * computes them. */
bool sn_twin_bound(const SnCall *c, SnTwinBound *b);

#ifdef __cplusplus
}
#endif

#endif
