// SPDX-License-Identifier: Apache-2.0
/* Polynomials with integer coefficients over atoms: names (a dimension, an
 * attribute, a position) and quotients.  Two polynomials are equal for all
 * values of their atoms exactly if they are identical; atoms are interned, so
 * that equal names and equal quotients are one atom.
 *
 * A coefficient that leaves int64 or a monomial of more than SN_POLY_DEGREE
 * atoms sets `over`: every proof must check it at the end. */
#ifndef SN_POLY_H
#define SN_POLY_H

#include "base/arena.h"
#include "base/buf.h"
#include "dsl/model/texts.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_POLY_DEGREE = 6, SN_POLY_NATOM = 4096 };

typedef struct SnMonomial {
    int64_t c; /* never 0 */
    uint8_t n;
    uint16_t atom[SN_POLY_DEGREE]; /* ascending */
} SnMonomial;

typedef struct SnPoly {
    uint32_t n;
    const SnMonomial *m; /* ascending by atoms; none twice */
} SnPoly;

typedef struct SnPolyAtom {
    const char *name; /* NULL: a quotient */
    SnPoly x, q;      /* x div q, rounded down */
} SnPolyAtom;

typedef struct SnPolys {
    SnArena *a;
    SnTexts texts;
    uint32_t n;
    SnPolyAtom *atom;
    bool over;
} SnPolys;

/* The unique pointer for s, which lives as long as P's arena. */
const char *sn_poly_word(SnPolys *P, const char *s);

SnPoly sn_poly_int(SnPolys *P, int64_t v);
/* The number of the atom of that name, -1: there is none; names are compared as
 * text. */
int32_t sn_poly_find(SnPolys *P, const char *name);
/* That atom, or a new one. */
SnPoly sn_poly_name(SnPolys *P, const char *name);
/* The atom x div q as it is; sn_facts_div simplifies it under facts. */
SnPoly sn_poly_quotient(SnPolys *P, SnPoly x, SnPoly q);
SnPoly sn_poly_atom(SnPolys *P, uint32_t atom);
/* The sum of monomials in any order; these may become its own. */
SnPoly sn_poly_sum(SnPolys *P, uint32_t n, const SnMonomial *m);

SnPoly sn_poly_add(SnPolys *P, SnPoly a, SnPoly b);
SnPoly sn_poly_sub(SnPolys *P, SnPoly a, SnPoly b);
SnPoly sn_poly_mul(SnPolys *P, SnPoly a, SnPoly b);
SnPoly sn_poly_scale(SnPolys *P, SnPoly a, int64_t k);
/* a + k. */
SnPoly sn_poly_plus(SnPolys *P, SnPoly a, int64_t k);
/* a with the atom replaced by p in every monomial; quotients are unchanged. */
SnPoly sn_poly_replace(SnPolys *P, SnPoly a, uint32_t atom, SnPoly p);

/* a * b, atoms in order. */
SnMonomial sn_monomial_times(SnPolys *P, const SnMonomial *a,
                             const SnMonomial *b);
/* The order of monomials: 0, or which side comes first. */
int sn_monomial_cmp(const SnMonomial *a, const SnMonomial *b);
/* Are they products of the same atoms? */
static inline bool
sn_monomial_same(const SnMonomial *a, const SnMonomial *b)
{
    return a->n == b->n &&
           (!a->n || (a->atom[0] == b->atom[0] && !sn_monomial_cmp(a, b)));
}
bool sn_poly_same(SnPoly a, SnPoly b);
/* Is it a number?  *v: which. */
bool sn_poly_is_int(SnPoly a, int64_t *v);
/* Is a - b one?  *v: which. */
bool sn_poly_gap(SnPoly a, SnPoly b, int64_t *v);
bool sn_poly_has(SnPoly a, uint32_t atom);

void sn_poly_put(const SnPolys *P, SnBuf *b, SnPoly a);
const char *sn_poly_text(const SnPolys *P, SnPoly a);

#endif
