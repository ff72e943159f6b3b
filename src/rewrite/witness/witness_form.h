// SPDX-License-Identifier: Apache-2.0
/* Does a step have the form of its rule?  Read from the rule's own text, not
 * from what is generated of it. */
#ifndef SN_WITNESS_FORM_H
#define SN_WITNESS_FORM_H

#include "rewrite/rewrite.h"

/* Value `old` was replaced by `now`.  A written rule: `old` matches the pattern
 * on its left, node by node and operand by operand, in either order where
 * operands commute; `now` is what the right side begins with.  A derived one:
 * the two are what the family makes (docs/proofs.md).  Guards and types are not
 * looked at here. */
bool sn_witness_formed(const SnGraph *g, const SnRuleDesc *r, SnRef old,
                       SnRef now);

#endif
