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
 *   z P R B       P = 0, as P = B * R and R = 0
 *   d P Q R       P div Q = R
 *   g P TEXT      a goal: P = 0
 *   m TEXT        what else was seen
 *   n N TEXT      two nodes are alike, of N operands that are to be seen
 *   ? P           a case distinction: P >= 0; other side: -P - 1 >= 0
 *   s P, e P A    `>` and `=` of what has been shown, or distinguished
 *   & TEXT        an operand is to be seen; the others
 *   + P           a fact for a while; - N: the last N of these go again
 *   i P           P >= 0 holds wherever what is lent does, also afterwards
 *   x D REF..     the path is closed: -D is a number >= 0 plus the sum of REFs
 *   . TEXT        the path is closed: `through`, `lemma NAME` (a lemma of the
 *                 provers), or what was read
 *   \ N           the other side of the last distinction that has but one,
 *                 which is number N of its path, from 0
 *
 * One over the reals ends with how both elements are made, from
 *
 *   R real        or `exactly`: expressions follow, from 0 on
 *   b A P         atom A is a place in sums, from 0 to below P
 *   f A P         atom A is 1 where P >= 0, else 0
 *   h A P         atom A depends on what P does, and on other lines' P
 *   r KIND ..     the next expression; KIND: `# V` a number, `p P` a
 *                 polynomial, `l N P.. NAME` an element at N places, `f N I..
 *                 NAME` a function of expressions, `+ I J`, `- I J`, `* I J`,
 *                 `/ I J`, `s N A.. I` a sum along N places, `c I J A B NAME`
 *                 the max or min whose order atoms A and B have, which are
 *                 names that begin with `order `
 *   l I J         expressions I, of the left side, and J have one normal form
 *
 * These are the operations of the formulas, one by one: their roundings are
 * counted.
 *
 * One of the calculus may begin with why the right side is legal, on one path
 * of such lines.  Then it has a claim for each result: names (`a`), and
 *
 *   C e|w|r       what is claimed of two terms: equal bits; equal up to what
 *                 single roundings may move; no worse; what follows is of it
 *   t K OWN NAME TYPE N KID.. S SAT..   the next term; K:
 *                 v value, c constant, q to codes of TYPE, d to reals, x max,
 *                 m min of two, X and M over sets, e mean, o another function
 *                 over sets, p move, P one that permutes axes, r row, y the
 * type of one, n minus, f another function; + - * and b of two operands, of
 * which + and
 *                 * change places.  SATs: q's saturations, the last one first
 *   ~ I J R       terms I and J are equal by rule R: c alike; d without clamps
 *                 that cover the type; r reals; 0 there and back; 1 two
 *                 roundings to one type, or behind a real; k a constant; b a
 *                 clamp by bounds; p inside of a move, of max and min; e out of
 *                 a function of elements; x one operand of max and min
 *   E I J         the claim is shown
 *   k T BITS      read: what type T may be
 *   V A B         read: saturation A does nothing to what lies in B
 *   B A T LO HI   read: A is bounds(T, LO, HI)
 *   O A T         read: A is a clamp of codes of T
 *   W A B         read: number A is at least B
 *   H A S         read: value A has shape S
 *   K             read: constants round alike on both ways
 *
 * A REF is a number and factors: fN, a fact; lN, the remainder of atom N; uN,
 * its divisor - 1 - the remainder. */
#ifndef SN_CHECK_H
#define SN_CHECK_H

#include "dsl/prove/poly/poly.h"

typedef struct SnCheckEquation {
    uint32_t atom;
    SnPoly is;
} SnCheckEquation;

/* The contents of a step: equations and facts imply what it shows. */
typedef struct SnCheckQuestion {
    SnPolys *P;
    uint32_t nfact, neq;
    const SnPoly *fact; /* that the step names: each at least 0 */
    const SnCheckEquation *eq;
    char kind; /* y: p >= 0; z: p = 0; d: p div q = r, where q >= 1 */
    SnPoly p, q, r;
} SnCheckQuestion;

/* An element passes at most n roundings, and `tap` for each tap of a sum. */
typedef struct SnCheckRounds {
    uint32_t n, tap;
} SnCheckRounds;

typedef struct SnCheck {
    SnArena *scratch;  /* or NULL; cleared at the end */
    const char *error; /* in a; NULL: each step follows */
    uint32_t line;     /* of the certificate, from 1: that of the error */
    uint32_t nread;    /* facts that were read */
    uint32_t nstep;    /* steps that were checked */
    uint32_t npath, nabsurd, nthrough, nclosed; /* closed by what was read */
    uint32_t nlemma;
    uint32_t ncalculus;      /* claims that were shown */
    char shown;              /* the weakest of them: 'e', 'w' or 'r'; 0: none */
    bool counted;            /* equality over the reals was shown: */
    SnCheckRounds rounds[2]; /* of the left side and of the right one */
    /* NULL, or asked of each step that Farkas' lemma or a normal form shows */
    void (*ask)(void *arg, const SnCheckQuestion *q);
    void *arg;
} SnCheck;

/* Checks one certificate; false: it is refused, error and line say why. */
bool sn_check_certificate(SnArena *a, const char *text, SnCheck *c);

#endif
