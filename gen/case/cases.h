// SPDX-License-Identifier: Apache-2.0
/* Graphs for tests of each rule instance, made only from the declarations. */
#ifndef SN_GEN_CASES_H
#define SN_GEN_CASES_H

#include "dsl/prove/trial/case.h"
#include "gen/rule/rule_gen.h"

/* Writes sn_cases.c: the table sn_cases[] of tests/cases/cases.h. */
void sn_emit_cases(SnDefs *defs, const char *outdir, SnDiag *d);

/* Changes one thing about a drawn left side that the soundness engine does not
 * vary: an element of a list, a sign, a flag, a clamp, the shape of an operand
 * that a broadcast repeats, everything to one number.  False: shapes no longer
 * fit. */
bool sn_case_vary(SnProofCase *c);

#endif
