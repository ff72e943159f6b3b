// SPDX-License-Identifier: Apache-2.0
/* Facts about polynomials: normal form, and questions. */
#include "dsl/prove/index/facts.h"

#include "dsl/prove/index/ask.h"

/* ABSURD, PLAIN: depths that no question uses. */
enum { DEEP = 3, DIVISORS = 16, PLAIN = 254, ABSURD = 255 };

/* ---- adding facts ---- */

static void
taken(SnFacts *f, uint8_t kind, SnPoly p)
{
    if (f->memo)
        f->state = sn_memo_next(f->memo, f->state, kind, p);
}

void
sn_facts_at_least(SnFacts *f, SnPoly p)
{
    SnPoly read = p;
    int64_t v;

    p = sn_facts_norm(f, p);
    if (sn_poly_is_int(p, &v) && v >= 0)
        return;
    for (uint32_t i = 0; i < f->n; i++)
        if (sn_poly_same(f->ge[i], p))
            return;
    if (f->trace)
        sn_trace_fact(f->trace, f->by_split ? 's' : '>', read);
    taken(f, 0, p);
    SN_PUSH(f->P->a, f->ge, f->n, p);
}

SnFactsMark
sn_facts_lend(SnFacts *f, uint32_t n, const SnPoly *p)
{
    SnFactsMark m = {f->n, f->state};

    if (f->trace)
        sn_trace_lend(f->trace, f->n, n, p);
    for (uint32_t i = 0; i < n; i++) {
        taken(f, 0, p[i]);
        SN_PUSH(f->P->a, f->ge, f->n, p[i]);
    }
    return m;
}

void
sn_facts_back(SnFacts *f, SnFactsMark m)
{
    f->n = m.n;
    f->state = m.state;
    if (f->trace)
        sn_trace_back(f->trace);
}

/* The atom that p = 0 gives a value: alone in its monomial, factor 1 or -1, in
 * no other monomial and in no quotient of p.  Takes the latest one, as those of
 * shapes and attributes come first. */
static bool
solved(const SnFacts *f, SnPoly p, SnEquation *e, SnPolys *P)
{
    for (uint32_t i = p.n; i-- > 0;) {
        const SnMonomial *m = &p.m[i];
        if (m->n != 1 || (m->c != 1 && m->c != -1))
            continue;
        SnMonomial one = {.c = m->c, .n = 1, .atom = {m->atom[0]}};
        SnPoly rest = sn_poly_sub(P, p, (SnPoly){1, &one});
        bool in = sn_poly_has(rest, m->atom[0]);
        for (uint32_t k = 0; k < rest.n && !in; k++)
            for (unsigned j = 0; j < rest.m[k].n; j++)
                in |= !P->atom[rest.m[k].atom[j]].name;
        if (in || !f->P->atom[m->atom[0]].name)
            continue;
        *e = (SnEquation){m->atom[0], sn_poly_scale(P, rest, -m->c)};
        return true;
    }
    return false;
}

void
sn_facts_zero(SnFacts *f, SnPoly p)
{
    SnPoly read = p;
    SnEquation e;
    int64_t v;

    p = sn_facts_norm(f, p);
    if (sn_poly_is_int(p, &v) && v == 0)
        return;
    if (solved(f, p, &e, f->P)) {
        if (f->trace)
            sn_trace_equation(f->trace, f->by_split ? 'e' : '=', read, e.atom);
        taken(f, 1, p);
        for (uint32_t i = 0; i < f->neq; i++)
            f->eq[i].is = sn_poly_replace(f->P, f->eq[i].is, e.atom, e.is);
        SN_PUSH(f->P->a, f->eq, f->neq, e);
        for (uint32_t i = 0; i < f->n; i++)
            f->ge[i] = sn_facts_norm(f, f->ge[i]);
        return;
    }
    sn_facts_at_least(f, read);
    sn_facts_at_least(f, sn_poly_scale(f->P, read, -1));
}

/* ---- normal form ---- */

static SnPoly divide(SnFacts *f, SnPoly x, SnPoly q);

static void
divided(SnFacts *f, SnPoly x, SnPoly q, SnPoly r)
{
    const SnPolyAtom *k = r.n == 1 && r.m[0].c == 1 && r.m[0].n == 1
                              ? &f->P->atom[r.m[0].atom[0]]
                              : NULL;

    if (!f->trace ||
        (k && !k->name && sn_poly_same(k->x, x) && sn_poly_same(k->q, q)))
        return;
    sn_trace_div(f->trace, x, q, r);
}

static SnPoly
equations(SnFacts *f, SnPoly p)
{
    for (uint32_t i = 0; i < f->neq; i++)
        p = sn_poly_replace(f->P, p, f->eq[i].atom, f->eq[i].is);
    return p;
}

static bool
quotients(const SnFacts *f, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++)
            if (!f->P->atom[p.m[i].atom[k]].name)
                return true;
    return false;
}

static SnPoly
norm_atom(SnFacts *f, uint16_t atom)
{
    SnPolyAtom at = f->P->atom[atom];

    if (at.name)
        return sn_poly_atom(f->P, atom);
    SnPoly r = divide(f, sn_facts_norm(f, at.x), sn_facts_norm(f, at.q));
    divided(f, at.x, at.q, r);
    return r;
}

SnPoly
sn_facts_norm(SnFacts *f, SnPoly p)
{
    SnPoly r = {0};

    p = equations(f, p);
    if (!quotients(f, p))
        return p;
    for (uint32_t i = 0; i < p.n; i++) {
        SnPoly t = sn_poly_int(f->P, p.m[i].c);
        for (unsigned k = 0; k < p.m[i].n; k++) {
            t = sn_poly_mul(f->P, t, norm_atom(f, p.m[i].atom[k]));
        }
        r = sn_poly_add(f->P, r, t);
    }
    return equations(f, r);
}

/* m = q * the result, if q's monomial divides it. */
static bool
divides(const SnMonomial *q, const SnMonomial *m, SnMonomial *r)
{
    unsigned i = 0;

    *r = (SnMonomial){.c = m->c / q->c};
    if (m->c % q->c)
        return false;
    for (unsigned k = 0; k < m->n; k++) {
        if (i < q->n && m->atom[k] == q->atom[i])
            i++;
        else
            r->atom[r->n++] = m->atom[k];
    }
    return i == q->n;
}

static void positive(SnFacts *f, SnPoly q);

/* (x div p) div q = x div pq. */
static bool
nested(SnFacts *f, SnPoly r, SnPoly q, SnPoly *out)
{
    if (r.n != 1 || r.m[0].c != 1 || r.m[0].n != 1)
        return false;
    SnPolyAtom in = f->P->atom[r.m[0].atom[0]];
    if (in.name)
        return false;
    SnPoly by = sn_facts_norm(f, sn_poly_mul(f->P, in.q, q));
    positive(f, in.q);
    positive(f, q);
    *out = sn_facts_div(f, in.x, by);
    return true;
}

/* 0 <= r < q, and -q <= r < 0. */
static bool
within(SnFacts *f, SnPoly r, SnPoly q)
{
    return sn_facts_is_at_least(f, r) &&
           sn_facts_is_at_least(
               f, sn_poly_plus(f->P, sn_poly_sub(f->P, q, r), -1));
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* x = q * a + r by monomials; then r is checked. */
static SnPoly
divide(SnFacts *f, SnPoly x, SnPoly q)
{
    SnPolys *P = f->P;
    SnPoly a = {0}, r = {0}, in;
    SnMonomial m;
    int64_t u, v;

    if (sn_poly_is_int(q, &v) && v == 1)
        return x;
    if (sn_poly_is_int(x, &u) && sn_poly_is_int(q, &v) && v > 0)
        return sn_poly_int(P, floor_div(u, v));
    if (q.n != 1)
        return within(f, x, q) ? a : sn_poly_quotient(P, x, q);
    for (uint32_t i = 0; i < x.n; i++)
        if (divides(&q.m[0], &x.m[i], &m))
            a = sn_poly_add(P, a, (SnPoly){1, &m});
        else
            r = sn_poly_add(P, r, (SnPoly){1, &x.m[i]});
    if (!r.n || within(f, r, q))
        return a;
    if (within(f, sn_poly_add(P, r, q), q))
        return sn_poly_plus(P, a, -1);
    if (within(f, sn_poly_sub(P, r, q), q))
        return sn_poly_plus(P, a, 1);
    if (!a.n && nested(f, r, q, &in))
        return in;
    return sn_poly_add(P, a, sn_poly_quotient(P, r, q));
}

SnPoly
sn_facts_div(SnFacts *f, SnPoly x, SnPoly q)
{
    SnPoly r = divide(f, x, q);

    divided(f, x, q, r);
    return r;
}

SnPoly
sn_facts_mod(SnFacts *f, SnPoly x, SnPoly q)
{
    return sn_poly_sub(f->P, x, sn_poly_mul(f->P, q, sn_facts_div(f, x, q)));
}

/* ---- questions ---- */

/* 1 times fact i, or no fact. */
static const SnTraceWhy *
one_fact(SnFacts *f, uint32_t n, uint32_t i)
{
    SnWhyTerm *t = SN_NEW(f->P->a, SnWhyTerm);
    SnTraceWhy *w = SN_NEW(f->P->a, SnTraceWhy);

    *t = (SnWhyTerm){.num = 1, .n = 1, .of = {{'f', i}}};
    *w = (SnTraceWhy){1, n, t};
    return w;
}

/* p - fact is a non-negative number. */
static const SnTraceWhy *
at_once(SnFacts *f, SnPoly p)
{
    int64_t v;

    for (uint32_t i = 0; i < f->n; i++)
        if (sn_poly_gap(p, f->ge[i], &v) && v >= 0)
            return one_fact(f, 1, i);
    return NULL;
}

/* The largest lower bound that a fact gives for the atom, or -1; *which: that
 * fact. */
static int64_t
at_least(const SnFacts *f, uint16_t atom, uint32_t *which)
{
    int64_t best = -1;

    for (uint32_t i = 0; i < f->n; i++) {
        SnPoly g = f->ge[i];
        if (g.n == 0 || g.n > 2)
            continue;
        const SnMonomial *m = &g.m[g.n - 1];
        if (m->n != 1 || m->atom[0] != atom || m->c != 1 ||
            (g.n == 2 && g.m[0].n))
            continue;
        int64_t k = g.n == 2 ? -g.m[0].c : 0;
        if (k <= best)
            continue;
        best = k;
        *which = i;
    }
    return best;
}

/* Writes each atom as its least value plus an excess: if no term is below 0, p
 * is a sum of products of the facts that give these values.  Answers for
 * products of many atoms, which Farkas' lemma does not. */
static const SnTraceWhy *
no_term_below(SnFacts *f, SnPoly p)
{
    struct {
        uint16_t atom;
        uint32_t fact;
    } of[64];
    uint32_t n = 0, which = 0;
    SnPoly asked = p;

    for (uint32_t i = 0; i < asked.n; i++)
        for (unsigned k = 0; k < asked.m[i].n; k++) {
            uint16_t atom = asked.m[i].atom[k];
            uint32_t j = 0;
            while (j < n && of[j].atom != atom)
                j++;
            if (j < n)
                continue;
            int64_t least = at_least(f, atom, &which);
            if (least < 0 || n == 64)
                return NULL;
            of[n].atom = atom;
            of[n++].fact = which;
            if (least)
                p = sn_poly_replace(
                    f->P, p, atom,
                    sn_poly_plus(f->P, sn_poly_atom(f->P, atom), least));
        }
    SnWhyTerm *v = SN_NEW_N(f->P->a, SnWhyTerm, p.n + 1);
    SnTraceWhy *w = SN_NEW(f->P->a, SnTraceWhy);
    *w = (SnTraceWhy){1, 0, v};
    for (uint32_t i = 0; i < p.n; i++) {
        if (p.m[i].c < 0)
            return NULL;
        SnWhyTerm t = {.num = p.m[i].c, .n = p.m[i].n};
        for (unsigned k = 0; k < t.n; k++) {
            uint32_t j = 0;
            while (of[j].atom != p.m[i].atom[k])
                j++;
            t.of[k] = (SnWhyRef){'f', of[j].fact};
        }
        if (t.n) /* the number is the rest */
            v[w->n++] = t;
    }
    return w;
}

static const SnTraceWhy *
answer(SnFacts *f, SnPoly p)
{
    const SnTraceWhy *why = at_once(f, p);

    why = why ? why : no_term_below(f, p);
    if (why || f->depth >= DEEP)
        return why;
    f->depth++;
    why = sn_facts_ask(f, p, false);
    f->depth--;
    return why;
}

/* The answer of the memo, else that of `how`, which is stored. */
static const SnTraceWhy *
remembered(SnFacts *f, uint8_t depth, SnPoly p,
           const SnTraceWhy *(*how)(SnFacts *f, SnPoly p))
{
    uint32_t state = f->state;
    bool known;

    if (!f->memo)
        return how(f, p);
    SnMemoLine *m = sn_memo_question(f->memo, state, depth, p, &known);
    if (known)
        return m->yes ? m->why : NULL;
    const SnTraceWhy *why = how(f, p);
    m = sn_memo_question(f->memo, state, depth, p, &known);
    m->yes = why != NULL;
    m->why = why;
    return why;
}

/* By the facts only, without the bounds of remainders. */
static const SnTraceWhy *
plainly(SnFacts *f, SnPoly p)
{
    const SnTraceWhy *why = at_once(f, p);

    why = why ? why : no_term_below(f, p);
    return why ? why : sn_facts_ask_plain(f, p);
}

/* The certificate must show that a divisor is above 0 before it states a
 * remainder. */
static void
positive(SnFacts *f, SnPoly q)
{
    SnPoly p = sn_poly_plus(f->P, q, -1);

    if (!f->trace || sn_trace_knows(f->trace, p))
        return;
    /* a divisor that depends on its own remainder, some steps away */
    if (f->npositive >= DIVISORS) {
        f->P->over = true;
        return;
    }
    f->npositive++;
    const SnTraceWhy *why = remembered(f, PLAIN, sn_facts_norm(f, p), plainly);
    f->npositive--;
    if (why)
        sn_trace_yes(f->trace, p, why);
    else
        sn_trace_fact(f->trace, '/', p);
}

static void
positive_divisors(SnFacts *f, const SnTraceWhy *why)
{
    for (uint32_t i = 0; i < why->n && f->trace; i++)
        for (unsigned k = 0; k < why->v[i].n; k++)
            if (why->v[i].of[k].kind != 'f')
                positive(f, f->P->atom[why->v[i].of[k].i].q);
}

bool
sn_facts_is_at_least(SnFacts *f, SnPoly p)
{
    SnPoly asked = p;
    const SnTraceWhy *why;
    int64_t v;

    f->nasked++;
    p = sn_facts_norm(f, p);
    if (sn_poly_is_int(p, &v))
        why = v >= 0 ? one_fact(f, 0, 0) : NULL;
    else
        why = remembered(f, (uint8_t)f->depth, p, answer);
    if (why && f->trace && !sn_trace_knows(f->trace, asked)) {
        positive_divisors(f, why);
        sn_trace_yes(f->trace, asked, why);
    }
    return why != NULL;
}

/* b * p = 0 gives p = 0 where b >= 1: atoms that all monomials share go.  *by:
 * their product. */
static SnPoly
cancel(SnFacts *f, SnPoly p, SnPoly *by)
{
    *by = sn_poly_int(f->P, 1);
    while (p.n && p.m[0].n) {
        uint32_t at = 0;
        bool found = false;
        for (unsigned k = 0; k < p.m[0].n && !found; k++) {
            SnMonomial b = {.c = 1, .n = 1, .atom = {p.m[0].atom[k]}}, m;
            found = true;
            for (uint32_t i = 0; i < p.n; i++)
                found &= divides(&b, &p.m[i], &m);
            at = p.m[0].atom[k];
            found =
                found && sn_facts_is_at_least(
                             f, sn_poly_plus(f->P, sn_poly_atom(f->P, at), -1));
        }
        if (!found)
            return p;
        SnMonomial b = {.c = 1, .n = 1, .atom = {(uint16_t)at}}, m;
        SnPoly r = {0};
        for (uint32_t i = 0; i < p.n; i++) {
            divides(&b, &p.m[i], &m);
            r = sn_poly_add(f->P, r, (SnPoly){1, &m});
        }
        p = r;
        *by = sn_poly_mul(f->P, *by, (SnPoly){1, &b});
    }
    return p;
}

bool
sn_facts_is_zero(SnFacts *f, SnPoly p)
{
    SnPoly by, rest = cancel(f, sn_facts_norm(f, p), &by);
    bool yes =
        !rest.n || (sn_facts_is_at_least(f, rest) &&
                    sn_facts_is_at_least(f, sn_poly_scale(f->P, rest, -1)));

    if (yes && f->trace && p.n)
        sn_trace_zero(f->trace, p, rest, by);
    return yes;
}

static const SnTraceWhy *
contradiction(SnFacts *f, SnPoly no)
{
    int64_t v;

    for (uint32_t i = 0; i < f->n; i++)
        if (sn_poly_is_int(f->ge[i], &v) && v < 0)
            return one_fact(f, 1, i);
    return sn_facts_ask(f, no, true);
}

static const SnTraceWhy *
absurd(SnFacts *f)
{
    return f->n ? remembered(f, ABSURD, sn_poly_int(f->P, -1), contradiction)
                : NULL;
}

bool
sn_facts_absurd(SnFacts *f)
{
    return absurd(f) != NULL;
}

bool
sn_facts_end(SnFacts *f)
{
    const SnTraceWhy *why = absurd(f);

    if (why && f->trace) {
        positive_divisors(f, why);
        sn_trace_absurd(f->trace, why);
    }
    return why != NULL;
}
