// SPDX-License-Identifier: Apache-2.0
/* Shared by the files that judge an instance: prove.c and prove_under.c. */
#ifndef SN_PROVE_JUDGE_H
#define SN_PROVE_JUDGE_H

#include "dsl/prove/trial/case.h"

/* Arithmetics other than float: cases, because the calculus treats a Rescale as
 * q of d, and the properties that its lemmas need.  Adds the results to p. */
void sn_judge_arithmetics(SnProver *pv, const SnInstance *pr, uint64_t seed,
                          SnProof *p);

/* ---- messages ---- */

/* The rule's name, and " on KIND" or " (derived)". */
const char *sn_judge_name(const SnInstance *pr);
const char *sn_judge_whose(SnProver *pv, const SnInstance *pr);
/* The counterexample of t, if any, and the distance between its sides. */
void sn_judge_show(SnProver *pv, const SnTrial *t);
const char *sn_judge_how_much(SnProver *pv, const SnTrial *t);
/* SN312: no case meets the condition. */
void sn_judge_unseen(SnProver *pv, const SnInstance *pr, const SnTrial *t);
/* Cases to be drawn. */
uint32_t sn_judge_ndraw(const SnProver *pv, const SnInstance *pr);

#endif
