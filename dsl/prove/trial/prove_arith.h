// SPDX-License-Identifier: Apache-2.0
/* Rows of arithmetics on numbers: the trees that resolve_row.c made, evaluated
 * as they stand.  Evaluators have them as C (gen/node/emit_arith.c). */
#ifndef SN_PROVE_ARITH_H
#define SN_PROVE_ARITH_H

#include "base/saturate.h"
#include "dsl/model/arith.h"

/* What a row is evaluated with; real: of a row for any point. */
typedef struct SnRowAt {
    SnRowGrids g;
    int64_t in[2];
    float real;
} SnRowAt;

/* The code, not clamped yet. */
int64_t sn_row_value(const SnX *x, const SnRowAt *at);
/* Is a ratio outside of a window beyond which graphs are refused? */
bool sn_row_outside(const SnX *x, const SnRowAt *at);
/* Does nothing wrap that x says wrap(v, bits) of?  Graphs where it would are
 * refused (SnArithRow.fits). */
bool sn_row_fits(const SnX *x, const SnRowAt *at);
/* What the mode makes of a quotient. */
int64_t sn_row_rounded(SnMode m, SnQuot q);
/* Rescales under that arithmetic, for saturate.h. */
SnRescaler sn_row_rescaler(const SnDefs *defs, SnRounding by);

#endif
