// SPDX-License-Identifier: Apache-2.0
/* Roundings of a rule over the reals: their number, by its formulas, and
 * whether the drawn cases stay within their sum. */
#ifndef SN_PROVE_ROUNDS_H
#define SN_PROVE_ROUNDS_H

#include "dsl/prove/trial/case.h"

/* "roundings: 2 + 1 a tap, then 1", and how much of them was used. */
const char *sn_prove_roundings(SnProver *pv, const SnInstance *pr,
                               const SnTrial *t);
/* SN301, and true, if results differ by more than that. */
bool sn_prove_too_rough(SnProver *pv, const SnInstance *pr, const SnTrial *t);

#endif
