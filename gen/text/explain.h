// SPDX-License-Identifier: Apache-2.0
/* Which rewrite families each node joins, and why. */
#ifndef SN_EXPLAIN_H
#define SN_EXPLAIN_H

#include "dsl/prove/prove.h"
#include "gen/text/emit.h"

/* The table node x family, as text; v (or NULL) adds claim, guard and proof of
 * each instance. */
void sn_explain(const SnDefs *s, const SnProofs *v, SnBuf *b);

#endif
