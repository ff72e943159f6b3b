// SPDX-License-Identifier: Apache-2.0
/* Declared maps of a case's nodes. */
#ifndef SN_PROVE_MAPPING_H
#define SN_PROVE_MAPPING_H

#include "dsl/prove/trial/case.h"
#include "map/mapping.h"

/* If n is element by element, the operand whose shape all operands and the
 * result have.  NULL: the map must be opened. */
const SnCaseValue *sn_case_one_shape(const SnCaseNode *n);
/* The map of n's first result, opened; false: c->fail says why. */
bool sn_case_mapping(SnProofCase *c, SnCaseNode *n, SnMapping *u);
/* Draws shapes of operands that have none, and parameters that the pattern does
 * not give. */
bool sn_case_draw_declared(SnProofCase *c, SnCaseNode *n);

/* Does the formula have no value for an empty set? */
bool sn_case_requires_elements(const SnDefSem *s);

#endif
