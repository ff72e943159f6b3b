// SPDX-License-Identifier: Apache-2.0
/* What is known on one path of a proof: polynomials that are at least 0, and
 * equations that give an atom's value.  Questions about other polynomials are
 * answered only from these, by normal form and Farkas' lemma; "no" only says
 * that no answer was found. */
#ifndef SN_FACTS_H
#define SN_FACTS_H

#include "dsl/prove/index/farkas.h"
#include "dsl/prove/index/memo.h"

typedef struct SnEquation {
    uint32_t atom;
    SnPoly is; /* without that atom */
} SnEquation;

typedef struct SnFacts {
    SnPolys *P;
    uint32_t n;
    SnPoly *ge; /* each at least 0 */
    uint32_t neq;
    SnEquation *eq;
    uint32_t depth;     /* of questions that ask questions */
    uint32_t npositive; /* divisors that are being shown to be above 0 */
    uint32_t state;     /* of the memo, which may be NULL */
    SnMemo *memo;
    SnMemoForms *forms; /* of all proofs, or NULL */
    SnTrace *trace;     /* or NULL */
    bool by_split;      /* the next fact is a side of a case distinction */
    uint64_t nasked, nfarkas;
} SnFacts;

/* p >= 0 from here on. */
void sn_facts_at_least(SnFacts *f, SnPoly p);
/* p = 0. */
void sn_facts_zero(SnFacts *f, SnPoly p);

/* Facts that hold for a while: returns the argument with which sn_facts_back
 * removes them.  No other fact may be added in between. */
typedef struct SnFactsMark {
    uint32_t n, state;
} SnFactsMark;
SnFactsMark sn_facts_lend(SnFacts *f, uint32_t n, const SnPoly *p);
void sn_facts_back(SnFacts *f, SnFactsMark m);

/* p with equations substituted and quotients in normal form. */
SnPoly sn_facts_norm(SnFacts *f, SnPoly p);
/* x div q, rounded down, and x - q * (x div q): the caller must know that q is
 * above 0. */
SnPoly sn_facts_div(SnFacts *f, SnPoly x, SnPoly q);
SnPoly sn_facts_mod(SnFacts *f, SnPoly x, SnPoly q);

/* Is p >= 0, p = 0 known?  Do the facts contradict each other? */
bool sn_facts_is_at_least(SnFacts *f, SnPoly p);
bool sn_facts_is_zero(SnFacts *f, SnPoly p);
bool sn_facts_absurd(SnFacts *f);
/* The path ends with a contradiction; false: there is none. */
bool sn_facts_end(SnFacts *f);

#endif
