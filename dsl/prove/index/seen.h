// SPDX-License-Identifier: Apache-2.0
/* Monomials of degree 2 and above that a question or a fact has: which products
 * of facts can matter to the answer. */
#ifndef SN_SEEN_H
#define SN_SEEN_H

#include "dsl/prove/poly/poly.h"

typedef struct SnSeen {
    SnArena *a;
    uint32_t n;
    const SnMonomial **v;
    bool cubic; /* one of degree 3 */
} SnSeen;

/* Those of p, which must live as long as s. */
void sn_seen_note(SnSeen *s, SnPoly p);
/* Are all of a * b seen?  Neither is 0. */
bool sn_seen_product(SnPolys *P, const SnSeen *s, SnPoly a, SnPoly b);
/* Does p have only atoms of a monomial of degree 3? */
bool sn_seen_inside(const SnSeen *s, SnPoly p);

#endif
