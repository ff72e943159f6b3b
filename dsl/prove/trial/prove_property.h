// SPDX-License-Identifier: Apache-2.0
/* What follows from the formula of a row: lemmas say it of q(d(x)), and an
 * arithmetic's own row need not have it. */
#ifndef SN_PROVE_PROPERTY_H
#define SN_PROVE_PROPERTY_H

#include "base/buf.h"
#include "dsl/model/arith.h"

typedef enum SnRowTruth {
    SN_ROW_OPEN,    /* not derived, and not refuted */
    SN_ROW_DERIVED, /* of all operands and grids for which nothing wraps */
    SN_ROW_RUN,     /* computed for all codes on some grids */
    SN_ROW_REFUTED
} SnRowTruth;

typedef struct SnRowProperty {
    SnRowTruth truth;
    const char *counter; /* refuted: codes and what they give; else "" */
} SnRowProperty;

/* A larger operand gives no smaller code: L2 for conversions. */
SnRowProperty sn_row_monotone(SnArena *a, const SnDefRowOf *r);
/* A conversion to its own type gives each code again: L0. */
SnRowProperty sn_row_identity(SnArena *a, const SnDefRowOf *r);
/* With zero points 0 the opposite operands give the opposite code, but where
 * something saturates. */
SnRowProperty sn_row_odd(SnArena *a, const SnDefRowOf *r);
/* Exchanging the operands and their grids changes nothing. */
SnRowProperty sn_row_commutes(const SnDefRowOf *r);

/* A line of each row of each arithmetic. */
void sn_row_properties(SnArena *a, const SnDefs *defs, SnBuf *b);

#endif
