// SPDX-License-Identifier: Apache-2.0
/* Expressions over the reals in normal form: sums of products of atoms with
 * coefficients.  An atom is a name (an element, an attribute, a number that is
 * not known) or a function of such sums.  Two expressions with the same normal
 * form are equal wherever no divisor is 0.
 *
 * Coefficients are binary64; two with a relative difference of at most 2^-22
 * count as equal, so that rules may write 0.1666667 for 1 / 6 (docs/proofs.md,
 * "Rules over the reals"). */
#ifndef SN_RING_H
#define SN_RING_H

#include "base/arena.h"
#include "base/buf.h"
#include "dsl/model/texts.h"
#include "dsl/prove/poly/poly.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_RING_NFACTOR = 12, SN_RING_NATOM = 2048 };

typedef struct SnRingFactor {
    uint16_t atom;
    int16_t pow; /* not 0; below 0 for divisors */
} SnRingFactor;

typedef struct SnRingTerm {
    double c; /* not 0 */
    uint8_t n;
    SnRingFactor f[SN_RING_NFACTOR]; /* ascending atoms */
} SnRingTerm;

typedef struct SnRing {
    uint32_t n;
    uint32_t made;       /* number + 1 of how it was made; 0: the number 0 */
    const SnRingTerm *t; /* ascending */
} SnRing;

/* How an expression was made from others, for certificates: their checker makes
 * its own normal form from it.  Kinds are those of its lines `r`. */
typedef struct SnRingMade {
    char kind;
    double v;         /* # */
    const char *name; /* l, f, c */
    uint32_t n, npoly;
    const uint32_t *kid; /* SnRing.made of its parts */
    const SnPoly *poly;  /* l, p, s, c */
    uint32_t line;       /* number + 1 of its line; 0: not written yet */
} SnRingMade;

/* Known facts about an atom's value. */
typedef enum SnRingKind {
    SN_RING_NAME,  /* nothing */
    SN_RING_FLAG,  /* 0 or 1: it is its own square */
    SN_RING_ABOVE, /* at least 0 */
    SN_RING_SUM    /* of its argument, over the places in its name */
} SnRingKind;

typedef struct SnRingAtom {
    SnRingKind kind;
    const char *name; /* of a function, or of the atom */
    uint32_t n;
    const SnRing *arg;
} SnRingAtom;

typedef struct SnRings {
    SnArena *a;
    SnTexts names;
    uint32_t n;
    SnRingAtom *atom;
    uint32_t nmade;
    SnRingMade *made;
    bool strict; /* coefficients are compared exactly */
    bool over;   /* something was too large: nothing is proved */
} SnRings;

/* Records that x was made from these expressions and polynomials. */
SnRing sn_ring_made(SnRings *R, SnRing x, char kind, const char *name,
                    uint32_t n, const SnRing *arg, uint32_t npoly,
                    const SnPoly *poly);
/* Expressions made until now are not used again. */
void sn_ring_forget(SnRings *R);

SnRing sn_ring_num(SnRings *R, double v);
/* The atom `name` of these arguments; equal ones are one atom. */
SnRing sn_ring_atom(SnRings *R, SnRingKind kind, const char *name, uint32_t n,
                    const SnRing *arg);
SnRing sn_ring_add(SnRings *R, SnRing a, SnRing b);
SnRing sn_ring_sub(SnRings *R, SnRing a, SnRing b);
SnRing sn_ring_mul(SnRings *R, SnRing a, SnRing b);
/* a / b, where b is not 0: the inverse of a sum is an atom. */
SnRing sn_ring_div(SnRings *R, SnRing a, SnRing b);
/* k * a, for normal forms: no operation of a formula, and not recorded. */
SnRing sn_ring_scale(SnRings *R, SnRing a, double k);
/* a / the coefficient of its first term, which becomes 1; *k: that number. */
SnRing sn_ring_unit(SnRings *R, SnRing a, double *k);

bool sn_ring_same(const SnRings *R, SnRing a, SnRing b);
bool sn_ring_is_num(SnRing a, double *v);
/* Is it above 0 for all values of its atoms? */
bool sn_ring_positive(const SnRings *R, SnRing a);
/* One product. */
SnRing sn_ring_term(SnRings *R, const SnRingTerm *t);
/* Does its text contain that? */
bool sn_ring_mentions(const SnRings *R, SnRing a, const char *text);
bool sn_ring_atom_mentions(const SnRings *R, uint16_t atom, const char *text);

void sn_ring_put(const SnRings *R, SnBuf *b, SnRing a);
const char *sn_ring_text(const SnRings *R, SnRing a);

#endif
