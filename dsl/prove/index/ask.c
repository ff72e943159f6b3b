// SPDX-License-Identifier: Apache-2.0
/* Questions about facts, by Farkas' lemma. */
#include "dsl/prove/index/ask.h"

#include <string.h>
#include "dsl/prove/index/seen.h"

enum { NFACT = SN_FARKAS_COLS - 2, NTRIPLE = 40 };

typedef struct Question {
    SnPoly p;
    uint32_t n;
    SnPoly fact[NFACT];
    SnWhyTerm of[NFACT];      /* the kind of each */
    bool seen[SN_POLY_NATOM]; /* of the atoms there are */
} Question;

static void
start(const SnFacts *f, Question *q, SnPoly p)
{
    q->p = p;
    q->n = 0;
    memset(q->seen, 0, f->P->n * sizeof *q->seen);
}

static void
see(Question *q, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++)
            q->seen[p.m[i].atom[k]] = true;
}

static bool
touches(const Question *q, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++)
            if (q->seen[p.m[i].atom[k]])
                return true;
    return false;
}

static void
put(Question *q, SnPoly p, SnWhyTerm of)
{
    if (q->n == NFACT)
        return;
    q->of[q->n] = of;
    q->fact[q->n++] = p;
}

static SnWhyTerm
one(char kind, uint32_t i)
{
    return (SnWhyTerm){.n = 1, .of = {{kind, i}}};
}

/* Products of two or three of the question's facts that are not products
 * themselves. */
static SnWhyTerm
times(const SnWhyTerm *a, const SnWhyTerm *b, const SnWhyTerm *c)
{
    SnWhyTerm t = {.n = c ? 3 : 2, .of = {a->of[0], b->of[0]}};

    if (c)
        t.of[2] = c->of[0];
    return t;
}

/* 0 <= x - q * (x div q) < q, for each relevant quotient. */
static void
remainders(SnFacts *f, Question *q)
{
    for (uint32_t i = 0; i < f->P->n; i++) {
        SnPolyAtom t = f->P->atom[i];
        if (t.name || !q->seen[i])
            continue;
        SnPoly r = sn_poly_sub(f->P, t.x,
                               sn_poly_mul(f->P, t.q, sn_poly_atom(f->P, i)));
        put(q, r, one('l', i));
        put(q, sn_poly_plus(f->P, sn_poly_sub(f->P, t.q, r), -1), one('u', i));
        see(q, t.x);
        see(q, t.q);
    }
}

/* Facts about seen atoms add their atoms. */
static void
spread(const SnFacts *f, Question *q, bool all)
{
    bool more = true;

    while (more) {
        more = false;
        for (uint32_t i = 0; i < f->n; i++)
            if (all || touches(q, f->ge[i]))
                for (uint32_t k = 0; k < f->ge[i].n; k++)
                    for (unsigned j = 0; j < f->ge[i].m[k].n; j++) {
                        bool *s = &q->seen[f->ge[i].m[k].atom[j]];
                        more |= !*s;
                        *s = true;
                    }
    }
}

/* Facts about the atoms of the question, and about theirs; or all of them. */
static void
gather(SnFacts *f, Question *q, bool all)
{
    see(q, q->p);
    spread(f, q, all);
    remainders(f, q);
    spread(f, q, all);
    for (uint32_t i = 0; i < f->n; i++)
        if (all || touches(q, f->ge[i]))
            put(q, f->ge[i], one('f', i));
}

/* The last monomial has the most atoms. */
static unsigned
degree(SnPoly p)
{
    return p.n ? p.m[p.n - 1].n : 0;
}

/* Three facts of degree 1, if degree 3 is seen and there are few: the wanted
 * ones, where all, and their pairs, are inside a monomial. */
static void
triples(SnFacts *f, Question *q, uint32_t n, const SnSeen *s, SnArena *keep)
{
    SnArena *mine = f->P->a;
    bool in[NTRIPLE] = {false};

    if (!s->cubic || n > NTRIPLE)
        return;
    for (uint32_t i = 0; i < n; i++)
        in[i] = degree(q->fact[i]) == 1 && sn_seen_inside(s, q->fact[i]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n && degree(q->fact[i]) == 1; k++) {
            if (degree(q->fact[k]) != 1)
                continue;
            f->P->a = keep;
            SnPoly two = sn_poly_mul(f->P, q->fact[i], q->fact[k]);
            if (in[i] && in[k])
                put(q, two, times(&q->of[i], &q->of[k], NULL));
            f->P->a = mine;
            for (uint32_t j = k; j < n && q->n < NFACT; j++) {
                if (degree(q->fact[j]) != 1 ||
                    (!(in[i] && in[k] && in[j]) &&
                     !sn_seen_product(f->P, s, two, q->fact[j])))
                    continue;
                f->P->a = keep;
                put(q, sn_poly_mul(f->P, two, q->fact[j]),
                    times(&q->of[i], &q->of[k], &q->of[j]));
                f->P->a = mine;
            }
        }
}

/* Products of facts are facts (D. Handelman, 1988): adds the relevant ones. */
static bool
products(SnFacts *f, Question *q)
{
    SnArena *a = f->P->a, *mine = sn_arena_new();
    SnSeen s = {.a = mine};
    uint32_t n = q->n;

    sn_seen_note(&s, q->p);
    for (uint32_t i = 0; i < n; i++)
        sn_seen_note(&s, q->fact[i]);
    for (uint32_t i = 0; s.n && i < n && q->n < NFACT; i++)
        for (uint32_t k = i; k < n; k++) {
            unsigned d = degree(q->fact[i]), e = degree(q->fact[k]);
            if (!d || !e || d + e > 3)
                continue;
            f->P->a = mine; /* most are not needed */
            bool want = sn_seen_product(f->P, &s, q->fact[i], q->fact[k]);
            f->P->a = a;
            if (want)
                put(q, sn_poly_mul(f->P, q->fact[i], q->fact[k]),
                    times(&q->of[i], &q->of[k], NULL));
        }
    f->P->a = mine;
    triples(f, q, n, &s, a);
    f->P->a = a;
    sn_arena_free(mine);
    return q->n > n;
}

/* The factors over one denominator; NULL: it is too large. */
static const SnTraceWhy *
why_of(SnFacts *f, const Question *q, uint32_t n, const SnFactor *v)
{
    SnTraceWhy *w = SN_NEW(f->P->a, SnTraceWhy);
    SnWhyTerm *t = SN_NEW_N(f->P->a, SnWhyTerm, n + 1);
    bool over = false;

    w->den = 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t a = w->den, b = v[i].den;
        while (b) {
            int64_t r = a % b;
            a = b;
            b = r;
        }
        over |= __builtin_mul_overflow(w->den / a, v[i].den, &w->den);
    }
    for (uint32_t i = 0; i < n && !over; i++) {
        t[i] = q->of[v[i].fact];
        over |= __builtin_mul_overflow(w->den / v[i].den, v[i].num, &t[i].num);
    }
    w->n = n;
    w->v = t;
    return over ? NULL : w;
}

/* By the facts, or by them and their products. */
static const SnTraceWhy *
worked_out(SnFacts *f, Question *q)
{
    SnFactor *v;
    uint32_t n;

    if (sn_farkas(f->P->a, q->p, q->n, q->fact, &n, &v))
        return why_of(f, q, n, v);
    return products(f, q) && sn_farkas(f->P->a, q->p, q->n, q->fact, &n, &v)
               ? why_of(f, q, n, v)
               : NULL;
}

/* w, whose facts are places in of. */
static const SnTraceWhy *
renamed(SnFacts *f, const SnTraceWhy *w, const SnWhyRef *of)
{
    SnTraceWhy *r = sn_memdup(f->P->a, w, sizeof *w);
    SnWhyTerm *t = sn_memdup(f->P->a, w->v, w->n * sizeof *t);

    for (uint32_t i = 0; i < w->n; i++)
        for (unsigned k = 0; k < t[i].n; k++)
            t[i].of[k] = of[t[i].of[k].i];
    r->v = t;
    return r;
}

const SnTraceWhy *
sn_facts_ask(SnFacts *f, SnPoly p, bool all)
{
    SnWhyRef of[NFACT];
    Question q;
    bool known;

    start(f, &q, p);
    f->nfarkas++;
    gather(f, &q, all);
    if (!f->forms)
        return worked_out(f, &q);
    SnMemoForm *form =
        sn_memo_form(f->forms, f->P->n, q.seen, p, q.n, q.fact, &known);
    for (uint32_t i = 0; i < q.n; i++) {
        of[i] = q.of[i].of[0];
        q.of[i].of[0] = (SnWhyRef){'f', i};
    }
    if (!known) {
        bool over = f->P->over;
        f->P->over = false;
        const SnTraceWhy *why = worked_out(f, &q);
        sn_memo_answer(f->forms, form, why, f->P->over);
        f->P->over = over;
    }
    f->P->over |= form->over;
    return form->why ? renamed(f, form->why, of) : NULL;
}

const SnTraceWhy *
sn_facts_ask_plain(SnFacts *f, SnPoly p)
{
    Question q;
    SnFactor *v;
    uint32_t n;

    start(f, &q, p);
    see(&q, p);
    spread(f, &q, false);
    for (uint32_t i = 0; i < f->n; i++)
        if (touches(&q, f->ge[i]))
            put(&q, f->ge[i], one('f', i));
    return sn_farkas(f->P->a, p, q.n, q.fact, &n, &v) ? why_of(f, &q, n, v)
                                                      : NULL;
}
