// SPDX-License-Identifier: Apache-2.0
/* A proof as a certificate: each fact that was read, each case
 * distinction with both sides, and for each answer "yes" the sum of facts that
 * shows it.  dsl/prove/check reads it back; its header has the format.
 *
 * Paths of a proof begin alike: lines that a path repeats from the previous one
 * are compared with it and not written again. */
#ifndef SN_TRACE_H
#define SN_TRACE_H

#include "dsl/prove/poly/poly.h"

enum { SN_TRACE_NSPLIT = 96 };

/* One thing that is at least 0: a fact by its number, or that the remainder of
 * an atom x div q is at least 0 (`l`) or below q (`u`). */
typedef struct SnWhyRef {
    char kind; /* 'f', 'l', 'u'; 0: none */
    uint32_t i;
} SnWhyRef;

typedef struct SnWhyTerm {
    int64_t num; /* over the common denominator */
    uint8_t n;
    SnWhyRef of[SN_POLY_DEGREE];
} SnWhyTerm;

/* Why a polynomial is at least 0: den * p is a non-negative number plus the sum
 * of num times the product of the facts that `of` names. */
typedef struct SnTraceWhy {
    int64_t den;
    uint32_t n;
    const SnWhyTerm *v;
} SnTraceWhy;

typedef struct SnTraceEvent {
    uint64_t key;
    uint32_t before; /* number + 1 of one with the same end of its key */
    bool holds;      /* not while facts were lent */
} SnTraceEvent;

typedef struct SnTrace {
    SnArena *a;
    const SnPolys *P;
    SnBuf out, line;
    uint32_t natom; /* that are written */
    uint32_t n, at; /* events; of this path so far */
    SnTraceEvent *event;
    uint32_t last[256];
    uint32_t nsplit, split[SN_TRACE_NSPLIT]; /* events */
    uint32_t nlent, lent_at, kept;
    const SnPoly *lent; /* not written yet, or NULL */
    bool closed;        /* the path is finished */
    bool broken;        /* a path did not begin as the one before */
} SnTrace;

/* A path begins; another one, which takes split number i the other way. */
void sn_trace_begin(SnTrace *t);
void sn_trace_other(SnTrace *t, uint32_t i);

/* p >= 0 (`>`, `s`) or p = 0 (`=`, `e`, solved for an atom) is a fact: it was
 * read (`>`, `=`), or a split says it (`s`, `e`). */
void sn_trace_fact(SnTrace *t, char kind, SnPoly p);
void sn_trace_equation(SnTrace *t, char kind, SnPoly p, uint32_t atom);
/* n facts for a while, in addition to the `kept` ones that stay. */
void sn_trace_lend(SnTrace *t, uint32_t kept, uint32_t n, const SnPoly *p);
void sn_trace_back(SnTrace *t);

/* Has it been shown on this path that p >= 0?  It is, by why. */
bool sn_trace_knows(SnTrace *t, SnPoly p);
void sn_trace_yes(SnTrace *t, SnPoly p, const SnTraceWhy *why);
/* p = 0, as p = rest * by and rest = 0. */
void sn_trace_zero(SnTrace *t, SnPoly p, SnPoly rest, SnPoly by);
/* x div q = r. */
void sn_trace_div(SnTrace *t, SnPoly x, SnPoly q, SnPoly r);

/* A case distinction, by p >= 0; an operand must be shown, then the others. */
void sn_trace_split(SnTrace *t, SnPoly p);
void sn_trace_each(SnTrace *t, const char *text);
/* What was seen here, in words: `shape` and `same` begin those that a path
 * needs (dsl/prove/check). */
void sn_trace_mark(SnTrace *t, const char *what);
/* Two nodes are alike, and this many operands must be shown: an `&` each. */
void sn_trace_nodes(SnTrace *t, uint32_t n, const char *what);
/* That p = 0 had to be shown and was: its text, likewise. */
void sn_trace_goal(SnTrace *t, SnPoly p, const char *what);
/* That p >= 0 wherever the lent facts hold, also afterwards. */
void sn_trace_implied(SnTrace *t, SnPoly p);
/* One line: a word, or one of an expression over the reals. */
void sn_trace_line(SnTrace *t, char kind, const char *what);
void sn_trace_put(SnBuf *b, SnPoly p);
/* The path ends: with a contradiction, or for that reason. */
void sn_trace_absurd(SnTrace *t, const SnTraceWhy *why);
void sn_trace_end(SnTrace *t, const char *reason);

#endif
