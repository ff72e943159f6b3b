// SPDX-License-Identifier: Apache-2.0
/* Conditions on integers that follow from others by arithmetic: for
 * prove_legal.c.  Expressions are in the names of the rule. */
#ifndef SN_PROVE_NUMBERS_H
#define SN_PROVE_NUMBERS_H

#include "dsl/prove/calculus/prove_tree.h"

/* No facts but that dimensions and ranks are not below 0. */
SnNumbers *sn_numbers_new(SnCalculus *l);
/* e holds; what it says of anything but integers is ignored. */
void sn_numbers_fact(SnNumbers *n, const SnExpr *e);
/* Does e follow?  False also where that is not seen. */
bool sn_numbers_hold(SnNumbers *n, const SnExpr *e);
/* Writes all steps, and adds the names of their atoms, in order. */
void sn_numbers_steps(SnNumbers *n, SnBuf *out, uint32_t *natom,
                      const char ***atom);

#endif
