// SPDX-License-Identifier: Apache-2.0
/* Rows of arithmetics on numbers: the trees that resolve_row.c made, evaluated
 * directly.  Evaluators have them as C (gen/node/emit_arith.c). */
#ifndef SN_PROVE_ARITH_H
#define SN_PROVE_ARITH_H

#include "base/buf.h"
#include "base/saturate.h"
#include "dsl/model/arith.h"

/* The inputs of a row's evaluation; real: for a row for any point. */
typedef struct SnRowAt {
    SnRowGrids g;
    int64_t in[2];
    float real;
} SnRowAt;

/* The code, not clamped yet. */
int64_t sn_row_value(const SnX *x, const SnRowAt *at);
/* x on grids g, to be evaluated for many inputs: what is the same for all of
 * them is a number. */
const SnX *sn_row_on(SnArena *a, const SnX *x, const SnRowGrids *g);
/* Is a ratio outside the window within which graphs are accepted? */
bool sn_row_outside(const SnX *x, const SnRowAt *at);
/* Does no wrap(v, bits) in x wrap?  Graphs where one would are refused
 * (SnArithRow.fits). */
bool sn_row_fits(const SnX *x, const SnRowAt *at);
/* The quotient rounded by the mode. */
int64_t sn_row_rounded(SnMode m, SnQuot q);
/* Rescales under that arithmetic, for saturate.h. */
SnRescaler sn_row_rescaler(const SnDefs *defs, SnRounding by);

/* ---- what follows from a row's formula (prove_property.c) ----
 *
 * Lemmas state it for q(d(x)), and an arithmetic's own row need not have it. */

typedef enum SnRowTruth {
    SN_ROW_OPEN,    /* not derived, and not refuted */
    SN_ROW_DERIVED, /* for all operands and grids for which nothing wraps */
    SN_ROW_RUN,     /* computed for all codes on some grids */
    SN_ROW_REFUTED
} SnRowTruth;

typedef struct SnRowProperty {
    SnRowTruth truth;
    const char *counter; /* refuted: codes and what they give; else "" */
} SnRowProperty;

/* A larger operand never gives a smaller code: L2 for conversions. */
SnRowProperty sn_row_monotone(SnArena *a, const SnDefRowOf *r);
/* A conversion to its own type gives each code again: L0. */
SnRowProperty sn_row_identity(SnArena *a, const SnDefRowOf *r);
/* With zero points 0, opposite operands give the opposite code, unless
 * something saturates. */
SnRowProperty sn_row_odd(SnArena *a, const SnDefRowOf *r);
/* Exchanging the operands and their grids changes nothing. */
SnRowProperty sn_row_commutes(const SnDefRowOf *r);

/* A line of each row of each arithmetic. */
void sn_row_properties(SnArena *a, const SnDefs *defs, SnBuf *b);

#endif
