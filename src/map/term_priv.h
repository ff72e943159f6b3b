// SPDX-License-Identifier: Apache-2.0
/* Between the files that make, simplify and run terms. */
#ifndef SN_MAP_TERM_PRIV_H
#define SN_MAP_TERM_PRIV_H

#include "map/term.h"

/* t, or the one that is there already, or a number where its range has one. */
SnMapNum sn_term_add(SnMapTerms *T, SnMapTerm t);
SnMapNum sn_term_new(SnMapTerms *T, SnTermOp op, SnMapNum a, SnMapNum b,
                     int64_t lo, int64_t hi);
/* a + k * b, a * b, a / b (floor) or what that leaves, of integers. */
SnMapNum sn_term_linear(SnMapTerms *T, SnMapNum a, SnMapNum b, int64_t k);
SnMapNum sn_term_product(SnMapTerms *T, SnMapNum a, SnMapNum b);
SnMapNum sn_term_divide(SnMapTerms *T, SnMapNum a, SnMapNum b, bool mod);
/* Element i of a SN_TM_DATA. */
int64_t sn_term_element(const SnMapTerm *t, int64_t i);
/* What op makes of values. */
int64_t sn_term_compute(SnTermOp op, int64_t a, int64_t b, int64_t c);

#endif
