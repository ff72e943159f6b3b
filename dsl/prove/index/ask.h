// SPDX-License-Identifier: Apache-2.0
/* Questions about facts that Farkas' lemma answers: for facts.c. */
#ifndef SN_ASK_H
#define SN_ASK_H

#include "dsl/prove/index/facts.h"

/* Why p >= 0 follows from f's facts, the bounds of remainders, and products of
 * both; NULL: no answer was found.  all: every fact counts, else those about
 * p's atoms, and about theirs. */
const SnTraceWhy *sn_facts_ask(SnFacts *f, SnPoly p, bool all);
/* The same by the facts about p's atoms, and about theirs, alone. */
const SnTraceWhy *sn_facts_ask_plain(SnFacts *f, SnPoly p);

#endif
