// SPDX-License-Identifier: Apache-2.0
/* The checker of certificates: does each step that a proof wrote down follow
 * from what it read?  Shares the polynomials with the provers, and nothing
 * else.  docs/proofs.md, "Certificates", says what is left to trust.
 *
 * A certificate is lines.  A polynomial P is `-1+2.0.3`: monomials, each a
 * number and the atoms that it is multiplied by.  Atoms are numbered as they
 * come; facts, too, from 0 on each path.
 *
 *   a NAME        the next atom is a name
 *   q P Q         the next atom is P div Q, rounded down
 *   > P           read: P >= 0, the next fact
 *   / P           read: P >= 0, of a divisor; no fact
 *   = P A         read: P = 0, which gives atom A its value
 *   y P D REF..   P >= 0, as D * P is a number >= 0 plus the sum of REFs
 *   y P 0 REF..   P >= 0, as no term of it is below 0 when each atom is written
 *                 as what it exceeds its least value by, which REFs are
 *   z P R B       P = 0, as P = B * R and R = 0
 *   d P Q R       P div Q = R
 *   g P TEXT      a goal: P = 0
 *   m TEXT        what else was seen
 *   n N TEXT      two nodes are alike, of N operands that are to be seen
 *   ? P           a case distinction: P >= 0; other side: -P - 1 >= 0
 *   ! P           P = 0; other side: P /= 0
 *   % P           P - 1 >= 0; other side: -P - 1 >= 0; where P /= 0
 *   ^ P, v P      P - 1 >= 0 where P >= 0 and P /= 0; -P - 1 >= 0 likewise
 *   s P, e P A    `>` and `=` of what the last distinctions say
 *   | TEXT        a distinction that was read: it holds; it does not
 *   & TEXT        an operand is to be seen; the others
 *   + P           a fact for a while; - N: the last N of these go again
 *   x D REF..     the path is closed: -D is a number >= 0 plus the sum of REFs
 *   . TEXT        the path is closed: `through`, or what was read
 *   \ N           the other side of the last distinction that has but one,
 *                 which is number N of its path, from 0
 *   L NAME        instead of all this: a lemma of the provers
 *
 * A REF is a number, of y's second form none, and one or two factors: fN, a
 * fact; lN, the remainder of atom N; uN, its divisor - 1 - the remainder. */
#ifndef SN_CHECK_H
#define SN_CHECK_H

#include "dsl/prove/poly/poly.h"

/* What a step says: equations and facts imply what it shows. */
typedef struct SnCheckQuestion {
    const SnPolys *P;
    uint32_t nfact, neq;
    const SnPoly *fact; /* that the step names: each at least 0 */
    const SnPoly *eq;   /* each 0 */
    char kind;          /* y: p >= 0; z: p = 0; d: p div q = r, where q >= 1 */
    SnPoly p, q, r;
} SnCheckQuestion;

typedef struct SnCheck {
    const char *error; /* in a; NULL: each step follows */
    uint32_t line;     /* of the certificate, from 1: that of the error */
    uint32_t nread;    /* facts that were read */
    uint32_t nstep;    /* steps that were checked */
    uint32_t npath, nabsurd, nthrough, nclosed; /* closed by what was read */
    uint32_t nlemma;
    /* NULL, or asked of each step that Farkas' lemma or a normal form shows */
    void (*ask)(void *arg, const SnCheckQuestion *q);
    void *arg;
} SnCheck;

/* Checks one certificate; false: it is refused, error and line say why. */
bool sn_check_certificate(SnArena *a, const char *text, SnCheck *c);

/* The questions of a certificate that the checker takes, each once, as SMT-LIB
 * that a solver answers by `unsat`; *n: how many.  NULL: it is refused. */
const char *sn_check_smt2(SnArena *a, const char *text, uint32_t *n);

#endif
