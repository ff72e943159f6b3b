// SPDX-License-Identifier: Apache-2.0
/* Does one step follow from what is known? */
#include "dsl/prove/check/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of equations: more go round in a circle. */
enum { NROUND = 64 };

/* What numbers of rules may differ by, as the provers have it. */
static const double CLOSE = 0x1p-22;

/* ---- what is known ---- */

static uint64_t
hash(SnPoly p)
{
    uint64_t h = p.n;

    for (uint32_t i = 0; i < p.n; i++) {
        h = (h ^ (uint64_t)p.m[i].c) * 0x9e3779b97f4a7c15u;
        for (unsigned k = 0; k < p.m[i].n; k++)
            h = ((h >> 7) ^ p.m[i].atom[k]) * 0x9e3779b97f4a7c15u;
    }
    return h;
}

void
sn_step_add(SnCheckSteps *s, SnStepPolys *v, SnPoly p)
{
    SnStepPoly one = {p, hash(p)};

    SN_PUSH(s->a, v->v, v->n, one);
}

bool
sn_step_has(const SnStepPolys *v, SnPoly p)
{
    uint64_t h = hash(p);

    for (uint32_t i = v->n; i-- > 0;)
        if (v->v[i].hash == h && sn_poly_same(v->v[i].p, p))
            return true;
    return false;
}

/* An atom of p that an equation gives a value, or -1. */
static int32_t
given(const SnCheckSteps *s, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++)
            if (s->equation[p.m[i].atom[k]])
                return p.m[i].atom[k];
    return -1;
}

SnPoly
sn_step_norm(SnCheckSteps *s, SnPoly p)
{
    int32_t atom;

    for (int i = 0; i < NROUND && (atom = given(s, p)) >= 0; i++)
        p = sn_poly_replace(&s->P, p, (uint32_t)atom,
                            s->eq[s->equation[atom] - 1].is);
    return p;
}

static void
new_equation(SnCheckSteps *s, uint32_t atom, SnPoly is)
{
    SnCheckEquation e = {atom, is};

    if (s->equation[atom] || sn_poly_has(is, atom))
        return;
    SN_PUSH(s->a, s->eq, s->neq, e);
    s->equation[atom] = s->neq;
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

    if (sn_step_has(&s->known, p))
        return true;
    p = sn_step_norm(s, p);
    if (sn_poly_is_int(p, &v))
        return v >= 0;
    if (sn_step_has(&s->known, p))
        return true;
    for (uint32_t i = s->known.n; i-- > 0;)
        if (sn_poly_same(sn_step_norm(s, s->known.v[i].p), p))
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
    q.neq = s->neq;
    q.eq = s->eq;
    s->c->ask(s->c->arg, &q);
}

bool
sn_step_zero(SnCheckSteps *s, SnPoly p)
{
    if (sn_step_has(&s->zero, p))
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
    if (atom >= s->P.n || s->P.atom[atom].name)
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
    char *end;
    unsigned long i;

    if (kind != 'f' && kind != 'l' && kind != 'u')
        return sn_step_fail(s, "expected f, l or u and a number at '%.20s'",
                            s->at);
    i = strtoul(++s->at, &end, 10);
    if (end == s->at || i > UINT16_MAX)
        return sn_step_fail(s, "no number after '%c'", kind);
    s->at = end;
    if (kind != 'f')
        return left_over(s, kind, (uint32_t)i, out);
    if (i >= s->fact.n)
        return sn_step_fail(s, "there are %u facts, no fact %lu", s->fact.n, i);
    *out = s->fact.v[i].p;
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
more(SnCheckSteps *s)
{
    while (*s->at == ' ')
        s->at++;
    return *s->at && *s->at != '\n';
}

/* The fact says atom >= k, k >= 0. */
static bool
least(SnCheckSteps *s, SnPoly f, uint16_t *atom, int64_t *k)
{
    const SnMonomial *m = f.n ? &f.m[f.n - 1] : NULL;

    if (!m || f.n > 2 || m->n != 1 || m->c != 1 ||
        (f.n == 2 && (f.m[0].n || f.m[0].c > 0)))
        return sn_step_fail(s, "%s >= 0 bounds no atom from below",
                            sn_poly_text(&s->P, f));
    *atom = m->atom[0];
    *k = f.n == 2 ? -f.m[0].c : 0;
    return true;
}

/* Is each atom of p among these? */
static bool
covered(SnCheckSteps *s, SnPoly p, uint32_t n, const uint16_t *atom)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++) {
            uint32_t j = 0;
            while (j < n && atom[j] != p.m[i].atom[k])
                j++;
            if (j == n)
                return sn_step_fail(
                    s, "%s has no least value",
                    sn_poly_text(&s->P, sn_poly_atom(&s->P, p.m[i].atom[k])));
        }
    return true;
}

/* With what each atom exceeds its least value by in its place. */
static bool
no_term_below(SnCheckSteps *s, SnPoly p)
{
    SnPoly all = sn_step_norm(s, p), q = all, f;
    uint32_t natom = 0;
    uint16_t *atom = NULL;

    while (more(s)) {
        uint16_t of = 0;
        int64_t k = 0;
        if (!product(s, &f) || !least(s, sn_step_norm(s, f), &of, &k))
            return false;
        for (uint32_t i = 0; i < natom; i++)
            if (atom[i] == of)
                return sn_step_fail(s, "two least values of one atom");
        SN_PUSH(s->a, atom, natom, of);
        q = sn_poly_replace(&s->P, q, of,
                            sn_poly_plus(&s->P, sn_poly_atom(&s->P, of), k));
    }
    if (!covered(s, all, natom, atom))
        return false;
    for (uint32_t i = 0; i < q.n; i++)
        if (q.m[i].c < 0)
            return sn_step_fail(s, "a term of %s is below 0",
                                sn_poly_text(&s->P, q));
    return true;
}

static bool
sum_of_facts(SnCheckSteps *s, SnPoly p, int64_t den)
{
    SnPoly f, rest = sn_poly_scale(&s->P, p, den);
    int64_t num, v;

    while (more(s)) {
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

    if (!sn_step_number(s, &den) || den < 0)
        return sn_step_fail(s, "expected a denominator");
    s->nused = 0;
    if (!(den == 0 ? no_term_below(s, p) : sum_of_facts(s, p, den)))
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

/* (y div p) div q = y div pq. */
static bool
nested(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    x = sn_step_norm(s, x);
    if (x.n != 1 || x.m[0].n != 1 || x.m[0].c != 1 ||
        s->P.atom[x.m[0].atom[0]].name)
        return false;
    SnPolyAtom t = s->P.atom[x.m[0].atom[0]];
    SnPoly by = sn_step_norm(s, sn_poly_mul(&s->P, t.q, q));
    if (!sn_step_at_least(s, sn_poly_plus(&s->P, q, -1)) ||
        !sn_step_at_least(s, sn_poly_plus(&s->P, t.q, -1)))
        return false;
    for (uint32_t i = 0; i < s->ndiv; i++) {
        const SnStepDiv *d = &s->div[i];
        if (!sn_step_norm(s, sn_poly_sub(&s->P, d->x, t.x)).n &&
            !sn_step_norm(s, sn_poly_sub(&s->P, d->q, by)).n &&
            !sn_step_norm(s, sn_poly_sub(&s->P, d->r, r)).n)
            return true;
    }
    return by_terms(s, t.x, by, r);
}

bool
sn_step_div(SnCheckSteps *s, SnPoly x, SnPoly q, SnPoly r)
{
    SnPoly left = sn_poly_sub(&s->P, x, sn_poly_mul(&s->P, q, r));
    SnPoly above = sn_poly_plus(&s->P, sn_poly_sub(&s->P, q, left), -1);
    SnStepDiv d = {x, q, r};

    bool inside = sn_step_at_least(s, left) && sn_step_at_least(s, above);
    if (!inside && !by_terms(s, x, q, r) && !nested(s, x, q, r))
        return sn_step_fail(s, "(%s) div (%s) = %s is not shown",
                            sn_poly_text(&s->P, x), sn_poly_text(&s->P, q),
                            sn_poly_text(&s->P, r));
    SnPoly fact[] = {left, above};
    ask(s, (SnCheckQuestion){.kind = 'd',
                             .p = x,
                             .q = q,
                             .r = r,
                             .nfact = inside ? 2 : 0,
                             .fact = fact});
    SN_PUSH(s->a, s->div, s->ndiv, d);
    for (uint32_t i = 0; i < s->P.n; i++)
        if (!s->P.atom[i].name && sn_poly_same(s->P.atom[i].x, x) &&
            sn_poly_same(s->P.atom[i].q, q))
            new_equation(s, i, r);
    return true;
}

/* ---- reals ---- */

static bool
begins_number(const char *s, const char *p)
{
    bool inside = p > s && (p[-1] == '_' || (p[-1] >= '0' && p[-1] <= '9') ||
                            (p[-1] >= 'a' && p[-1] <= 'z') ||
                            (p[-1] >= 'A' && p[-1] <= 'Z'));

    return *p >= '0' && *p <= '9' && !inside;
}

bool
sn_step_same_text(const char *a, const char *b, bool exactly)
{
    const char *p = a, *q = b;

    while (*p && *q) {
        if (!begins_number(a, p) || !begins_number(b, q)) {
            if (*p++ != *q++)
                return false;
            continue;
        }
        char *pe, *qe;
        double x = strtod(p, &pe), y = strtod(q, &qe);
        if (fabs(x - y) > (exactly ? 0 : fmax(fabs(x), fabs(y)) * CLOSE))
            return false;
        p = pe;
        q = qe;
    }
    return !*p && !*q;
}
