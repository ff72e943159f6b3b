// SPDX-License-Identifier: Apache-2.0
/* Does a step follow from the known facts? */
#include "dsl/prove/check/step.h"

#include <string.h>

/* Rounds of equations: more would be a cycle. */
enum { NROUND = 64 };

/* ---- known facts ---- */

void
sn_step_add(SnCheckSteps *s, SnStepPolys *v, SnPoly p)
{
    SN_PUSH(s->a, v->v, v->n, p);
}

static bool
has(const SnStepPolys *v, SnPoly p)
{
    uint32_t i = v->n;

    while (i && !sn_poly_same(v->v[i - 1], p))
        i--;
    return i;
}

/* An equation that gives an atom of p a value, or NULL. */
static const SnCheckEquation *
given(const SnCheckSteps *s, SnPoly p)
{
    for (uint32_t i = 0; i < s->now.neq; i++)
        if (sn_poly_has(p, s->now.eq[i].atom))
            return &s->now.eq[i];
    return NULL;
}

SnPoly
sn_step_norm(SnCheckSteps *s, SnPoly p)
{
    const SnCheckEquation *e;

    for (int i = 0; i < NROUND && (e = given(s, p)); i++)
        p = sn_poly_replace(&s->P, p, e->atom, e->is);
    return p;
}

static void
new_equation(SnCheckSteps *s, uint32_t atom, SnPoly is)
{
    SnCheckEquation e = {atom, is};

    if (!given(s, sn_poly_atom(&s->P, atom)) && !sn_poly_has(is, atom))
        SN_PUSH(s->a, s->now.eq, s->now.neq, e);
}

bool
sn_step_equation(SnCheckSteps *s, SnPoly p, uint32_t atom)
{
    SnPoly rest = {0};
    int64_t c = 0;

    p = sn_step_norm(s, p);
    for (uint32_t i = 0; i < p.n; i++)
        if (p.m[i].n == 1 && p.m[i].atom[0] == atom)
            c = p.m[i].c;
        else
            rest = sn_poly_add(&s->P, rest, (SnPoly){1, &p.m[i]});
    if ((c != 1 && c != -1) || sn_poly_has(rest, atom))
        return sn_step_fail(s, "%s = 0 does not give atom %u a value",
                            sn_poly_text(&s->P, p), atom);
    new_equation(s, atom, sn_poly_scale(&s->P, rest, -c));
    return true;
}

bool
sn_step_at_least(SnCheckSteps *s, SnPoly p)
{
    int64_t v;

    if (has(&s->now.known, p))
        return true;
    p = sn_step_norm(s, p);
    if (sn_poly_is_int(p, &v))
        return v >= 0;
    for (uint32_t i = s->now.known.n; i-- > 0;)
        if (sn_poly_same(sn_step_norm(s, s->now.known.v[i]), p))
            return true;
    return false;
}

/* ---- questions ---- */

static void
ask(SnCheckSteps *s, SnCheckQuestion q)
{
    if (!s->c->ask)
        return;
    q.P = &s->P;
    q.neq = s->now.neq;
    q.eq = s->now.eq;
    s->c->ask(s->c->arg, &q);
}

bool
sn_step_zero(SnCheckSteps *s, SnPoly p)
{
    if (has(&s->now.zero, p))
        return true;
    if (!sn_step_norm(s, p).n) {
        ask(s, (SnCheckQuestion){.kind = 'z', .p = p});
        return true;
    }
    return sn_step_at_least(s, p) &&
           sn_step_at_least(s, sn_poly_scale(&s->P, p, -1));
}

/* ---- sums of facts ---- */

static bool
left_over(SnCheckSteps *s, char kind, uint32_t atom, SnPoly *out)
{
    if (s->P.atom[atom].name)
        return sn_step_fail(s, "atom %u is no quotient", atom);
    SnPolyAtom t = s->P.atom[atom];
    SnPoly above = sn_poly_plus(&s->P, t.q, -1);
    SnPoly r = sn_poly_sub(&s->P, t.x,
                           sn_poly_mul(&s->P, t.q, sn_poly_atom(&s->P, atom)));
    if (!sn_step_at_least(s, above))
        return sn_step_fail(s, "the divisor %s is not shown to be above 0",
                            sn_poly_text(&s->P, t.q));
    SN_PUSH(s->a, s->used, s->nused, above);
    *out = kind == 'l' ? r : sn_poly_sub(&s->P, above, r);
    return true;
}

static bool
factor(SnCheckSteps *s, SnPoly *out)
{
    char kind = *s->at;
    int32_t i;

    if (kind != 'f' && kind != 'l' && kind != 'u')
        return sn_step_fail(s, "expected f, l or u and a number at '%.20s'",
                            s->at);
    s->at++;
    if (!sn_step_below(s, 0, kind == 'f' ? s->now.fact.n : s->P.n, &i))
        return false;
    if (kind != 'f')
        return left_over(s, kind, (uint32_t)i, out);
    *out = s->now.fact.v[i];
    SN_PUSH(s->a, s->used, s->nused, *out);
    return true;
}

/* One factor or several. */
static bool
product(SnCheckSteps *s, SnPoly *out)
{
    SnPoly b;

    if (!factor(s, out))
        return false;
    while (*s->at && *s->at != ' ') {
        if (!factor(s, &b))
            return false;
        *out = sn_poly_mul(&s->P, *out, b);
    }
    return true;
}

static bool
sum_of_facts(SnCheckSteps *s, SnPoly p, int64_t den)
{
    SnPoly f, rest = sn_poly_scale(&s->P, p, den);
    int64_t num, v;

    for (sn_step_blank(s); *s->at; sn_step_blank(s)) {
        if (!sn_step_number(s, &num) || num < 0)
            return sn_step_fail(s, "expected a factor that is not negative");
        if (!product(s, &f))
            return false;
        rest = sn_poly_sub(&s->P, rest, sn_poly_scale(&s->P, f, num));
    }
    rest = sn_step_norm(s, rest);
    if (!sn_poly_is_int(rest, &v) || v < 0)
        return sn_step_fail(s, "the sum of facts leaves %s of %s",
                            sn_poly_text(&s->P, rest), sn_poly_text(&s->P, p));
    return true;
}

bool
sn_step_why(SnCheckSteps *s, SnPoly p)
{
    int64_t den;

    if (!sn_step_number(s, &den) || den < 1)
        return sn_step_fail(s, "expected a denominator");
    s->nused = 0;
    if (!sum_of_facts(s, p, den))
        return false;
    ask(s, (SnCheckQuestion){
               .kind = 'y', .p = p, .nfact = s->nused, .fact = s->used});
    return true;
}

/* ---- quotients ---- */

/* r = a + (y div q), where x = q * a + y; in r the quotient may be cancelled.
 */
static bool
by_terms(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    for (uint32_t i = 0; i < s->P.n; i++) {
        SnPolyAtom t = s->P.atom[i];
        if (t.name || sn_step_norm(s, sn_poly_sub(&s->P, t.q, q)).n)
            continue;
        SnPoly a = sn_poly_sub(&s->P, r, sn_poly_atom(&s->P, i));
        SnPoly y = sn_poly_add(&s->P, sn_poly_mul(&s->P, q, a), t.x);
        if (!sn_step_norm(s, sn_poly_sub(&s->P, x, y)).n)
            return true;
    }
    return false;
}

static bool quotient_is(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r);

/* (y div p) div q = y div pq. */
static bool
nested(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    x = sn_step_norm(s, x);
    if (x.n != 1 || x.m[0].n != 1 || x.m[0].c != 1 ||
        s->P.atom[x.m[0].atom[0]].name)
        return false;
    SnPolyAtom t = s->P.atom[x.m[0].atom[0]];
    return sn_step_at_least(s, sn_poly_plus(&s->P, q, -1)) &&
           sn_step_at_least(s, sn_poly_plus(&s->P, t.q, -1)) &&
           quotient_is(s, sn_step_norm(s, t.x),
                       sn_step_norm(s, sn_poly_mul(&s->P, t.q, q)), r);
}

/* 0 <= x - q * r < q. */
static bool
is_inside(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r, SnPoly fact[2])
{
    fact[0] = sn_poly_sub(&s->P, x, sn_poly_mul(&s->P, q, r));
    fact[1] = sn_poly_plus(&s->P, sn_poly_sub(&s->P, q, fact[0]), -1);
    return sn_step_at_least(s, fact[0]) && sn_step_at_least(s, fact[1]);
}

static bool
quotient_is(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    SnPoly fact[2];
    bool inside = is_inside(s, x, q, r, fact);

    if (!inside && !by_terms(s, x, q, r) && !nested(s, x, q, r))
        return false;
    ask(s, (SnCheckQuestion){.kind = 'd',
                             .p = x,
                             .q = q,
                             .r = r,
                             .nfact = inside ? 2 : 0,
                             .fact = fact});
    return true;
}

bool
sn_step_div(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    if (!quotient_is(s, x, q, r))
        return sn_step_fail(s, "(%s) div (%s) = %s is not shown",
                            sn_poly_text(&s->P, x), sn_poly_text(&s->P, q),
                            sn_poly_text(&s->P, r));
    for (uint32_t i = 0; i < s->P.n; i++)
        if (!s->P.atom[i].name && sn_poly_same(s->P.atom[i].x, x) &&
            sn_poly_same(s->P.atom[i].q, q))
            new_equation(s, i, r);
    return true;
}
