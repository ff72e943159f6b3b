// SPDX-License-Identifier: Apache-2.0
/* The index calculus: both sides of a rule as comprehensions over the declared
 * relations of their maps (maps.def), compared element by element for every
 * rank, every dimension, every attribute and every place at once.
 *
 * Element functions are symbols here: two nodes compute the same if they are of
 * one kind, have equal attributes and types, and read equal elements.
 * dsl/prove/calculus handles formulas. */
#ifndef SN_INDEX_H
#define SN_INDEX_H

#include "dsl/prove/prover.h"

typedef struct SnIndexVerdict {
    bool proved;
    bool reached;     /* not proved: a step fails, else it is out of reach */
    const char *why;  /* not proved: the step that fails */
    uint32_t npath;   /* cases that the proof distinguishes */
    uint64_t nfarkas; /* questions that Farkas' lemma answered */
    const char *certificate; /* proved: what shows it (trace.h), or NULL */
} SnIndexVerdict;

/* Does the right side of pr give the same bits as the left one, and is it legal
 * wherever the left one is? */
SnIndexVerdict sn_index_prove(SnProver *pv, const SnInstance *pr);

/* Are n's reads without a rule for places outside always inside its operands,
 * wherever n is legal?  For maps of one run of axes without taps. */
SnIndexVerdict sn_index_reads(SnProver *pv, const SnDefNode *n);

#endif
