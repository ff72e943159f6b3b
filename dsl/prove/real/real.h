// SPDX-License-Identifier: Apache-2.0
/* Rules over the reals: both sides of a rule as expressions of its operands'
 * elements, in normal form, for each rank that they may have, every dimension,
 * attribute and place.  Without arithmetic, the elements have the same bits. */
#ifndef SN_REAL_H
#define SN_REAL_H

#include "dsl/prove/prover.h"

typedef struct SnRealVerdict {
    bool proved;
    bool reached; /* not proved: a step fails, else the rule is out of reach */
    const char *why; /* not proved: the step that fails */
    uint32_t npath;
    const char
        *certificate; /* proved: what shows it (index/trace.h), or NULL */
} SnRealVerdict;

SnRealVerdict sn_real_prove(SnProver *pv, const SnInstance *pr);

#endif
