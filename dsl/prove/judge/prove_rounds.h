// SPDX-License-Identifier: Apache-2.0
/* Roundings of a rule over the reals: their number, and whether the drawn cases
 * stay within their sum. */
#ifndef SN_PROVE_ROUNDS_H
#define SN_PROVE_ROUNDS_H

#include "dsl/prove/check/check.h"
#include "dsl/prove/trial/case.h"

/* "roundings: 2 + 1 a tap on the left, 2 on the right, ": what was counted in a
 * certificate. */
const char *sn_prove_roundings(SnArena *a, const SnCheck *k);
/* SN301, and true, if results differ by more than that. */
bool sn_prove_too_rough(SnProver *pv, const SnInstance *pr, const SnTrial *t);

#endif
