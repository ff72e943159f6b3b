// SPDX-License-Identifier: Apache-2.0
/* Relevant products of facts. */
#include "dsl/prove/index/seen.h"

static bool
is_seen(const SnSeen *s, const SnMonomial *m)
{
    uint32_t i = 0;

    while (i < s->n && !sn_monomial_same(s->v[i], m))
        i++;
    return i < s->n;
}

void
sn_seen_note(SnSeen *s, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++) {
        s->cubic |= p.m[i].n == 3;
        if (p.m[i].n > 1 && !is_seen(s, &p.m[i]))
            SN_PUSH(s->a, s->v, s->n, &p.m[i]);
    }
}

/* Nothing cancels the product of the last ones: multiplication keeps their
 * order. */
bool
sn_seen_product(SnPolys *P, const SnSeen *s, SnPoly a, SnPoly b)
{
    SnMonomial last = sn_monomial_times(P, &a.m[a.n - 1], &b.m[b.n - 1]);
    bool all = is_seen(s, &last);

    if (!all)
        return false;
    SnPoly p = sn_poly_mul(P, a, b);
    for (uint32_t i = 0; i < p.n && all; i++)
        all = p.m[i].n < 2 || is_seen(s, &p.m[i]);
    return all;
}

bool
sn_seen_inside(const SnSeen *s, SnPoly p)
{
    for (uint32_t i = 0; i < s->n; i++) {
        bool all = s->v[i]->n == 3;
        for (uint32_t k = 0; k < p.n && all; k++)
            for (unsigned j = 0; j < p.m[k].n && all; j++)
                all = sn_poly_has((SnPoly){1, s->v[i]}, p.m[k].atom[j]);
        if (all)
            return true;
    }
    return false;
}
