// SPDX-License-Identifier: Apache-2.0
/* Earlier answers.  Facts are added one after the other, and paths of one proof
 * have much in common: a state is the sequence of added facts, and has a
 * number; a question in a state is asked once. */
#ifndef SN_MEMO_H
#define SN_MEMO_H

#include "base/buf.h"
#include "dsl/prove/index/trace.h"

typedef struct SnMemoLine {
    uint32_t state; /* before; with a question: it is asked there */
    uint8_t kind;   /* of fact, or how deep the question is asked */
    bool yes;
    SnPoly p;
    const SnTraceWhy *why; /* yes: what shows it */
} SnMemoLine;

typedef struct SnMemoTable {
    uint32_t n, cap; /* cap: a power of two, or 0 */
    SnMemoLine *v;
    uint32_t *at; /* [cap]: number + 1 of a line, 0: free */
} SnMemoTable;

typedef struct SnMemo {
    SnArena *a;
    SnMemoTable fact, answer;
} SnMemo;

/* The state after this fact; 0 is the state without facts. */
uint32_t sn_memo_next(SnMemo *m, uint32_t state, uint8_t kind, SnPoly p);
/* The line of a question, with its answer once that was given; *known: it was
 * asked. */
SnMemoLine *sn_memo_question(SnMemo *m, uint32_t state, uint8_t depth, SnPoly p,
                             bool *known);

/* Answers for all proofs of a run: rules that are alike ask the same of other
 * atoms.  Which atoms a question is about does not matter, only their order. */
typedef struct SnMemoForm {
    uint64_t hash;
    size_t nkey;
    const char *key;
    const SnTraceWhy *why; /* facts by their place in the question; NULL: no */
    bool over; /* a number was too large on the way (SnPolys.over) */
} SnMemoForm;

typedef struct SnMemoForms {
    SnArena *a;
    uint32_t n, cap; /* cap: a power of two, or 0 */
    SnMemoForm *v;
    uint32_t *at; /* [cap]: number + 1 of a form, 0: free */
    SnBuf key;
} SnMemoForms;

SnMemoForms *sn_memo_forms(SnArena *a);
/* The form of "does p >= 0 follow from these facts", until the next one is
 * asked; *known: it was answered.  is_in says of each of natom atoms, those of
 * p and the facts at least, whether it counts. */
SnMemoForm *sn_memo_form(SnMemoForms *m, uint32_t natom, const bool *is_in,
                         SnPoly p, uint32_t n, const SnPoly *fact, bool *known);
/* Its answer, whose terms are copied. */
void sn_memo_answer(SnMemoForms *m, SnMemoForm *form, const SnTraceWhy *why,
                    bool over);

#endif
