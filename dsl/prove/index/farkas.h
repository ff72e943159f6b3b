// SPDX-License-Identifier: Apache-2.0
/* Farkas' lemma as a procedure: is p a sum of facts with non-negative factors?
 * Facts are polynomials known to be at least 0; each monomial counts as a
 * separate variable.  Exact arithmetic: a "yes" comes with the factors, and can
 * be checked by adding up. */
#ifndef SN_FARKAS_H
#define SN_FARKAS_H

#include "dsl/prove/poly/poly.h"

/* num / den > 0 of the fact. */
typedef struct SnFactor {
    uint32_t fact;
    int64_t num, den;
} SnFactor;

enum { SN_FARKAS_ROWS = 96, SN_FARKAS_COLS = 160 };

/* p = rest + the sum of factor * fact, rest >= 0 a number; the factors into
 * *out, in a, *n of them.  False: none exist, or the question is too large
 * for SN_FARKAS_ROWS monomials, SN_FARKAS_COLS facts or 128 bits. */
bool sn_farkas(SnArena *a, SnPoly p, uint32_t nfact, const SnPoly *fact,
               uint32_t *n, SnFactor **out);

#endif
