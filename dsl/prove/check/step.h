// SPDX-License-Identifier: Apache-2.0
/* Inside the checker: its place in a certificate, and the facts known there. */
#ifndef SN_STEP_H
#define SN_STEP_H

#include "dsl/prove/check/check.h"

typedef struct SnStepPolys {
    uint32_t n;
    SnPoly *v;
} SnStepPolys;

/* p >= 0 where the lent facts hold. */
typedef struct SnStepImplied {
    SnPoly p;
    uint32_t n;
    const SnPoly *lent;
} SnStepImplied;

/* What holds at one place of a path. */
typedef struct SnStepKnown {
    SnStepPolys fact; /* by number: each at least 0 */
    SnStepPolys known, zero;
    uint32_t neq, nimplied;
    SnCheckEquation *eq;
    SnStepImplied *implied;
    bool shape, same; /* it has been seen that shape, elements are equal */
    uint32_t owed;    /* operands that must still be shown */
} SnStepKnown;

typedef struct SnStepSplit {
    char kind;
    bool other; /* its second side */
    SnPoly p;
    SnStepKnown before;
} SnStepSplit;

typedef struct SnCheckSteps {
    SnArena *a; /* of this certificate */
    SnArena *says;
    SnCheck *c;
    SnPolys P;
    const char *at; /* the rest of the line */
    SnStepKnown now;
    uint32_t nsplit, nlent, nused;
    SnPoly *used; /* the facts that the step names */
    SnStepSplit *split;
    SnStepKnown before_lent;
    bool closed;
    struct SnCheckTerms *terms;
    struct SnCheckReals *reals; /* NULL: none on this path */
} SnCheckSteps;

/* The step does not follow; returns false. */
bool sn_step_fail(SnCheckSteps *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sn_step_add(SnCheckSteps *s, SnStepPolys *v, SnPoly p);
/* Substitutes equations as long as one fits. */
SnPoly sn_step_norm(SnCheckSteps *s, SnPoly p);
/* p = 0 gives the atom its value. */
bool sn_step_equation(SnCheckSteps *s, SnPoly p, uint32_t atom);
/* Has p >= 0, p = 0 been shown? */
bool sn_step_at_least(SnCheckSteps *s, SnPoly p);
bool sn_step_zero(SnCheckSteps *s, SnPoly p);
/* The reason at s->at shows that p >= 0. */
bool sn_step_why(SnCheckSteps *s, SnPoly p);
/* x div q = r. */
bool sn_step_div(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r);

/* A line of expressions over the reals (normal.c). */
bool sn_step_real(SnCheckSteps *s, char kind);

/* A line of the calculus. */
bool sn_step_term(SnCheckSteps *s, char kind);

/* A polynomial, a number, at s->at, which moves behind it; then behind blanks.
 */
bool sn_step_read(SnCheckSteps *s, SnPoly *p);
bool sn_step_number(SnCheckSteps *s, int64_t *v);
/* A number in [least, end); *v is 0 if it is not. */
bool sn_step_below(SnCheckSteps *s, int64_t least, uint32_t end, int32_t *v);
void sn_step_blank(SnCheckSteps *s);

#endif
