// SPDX-License-Identifier: Apache-2.0
/* The questions of a certificate as SMT-LIB.  A quotient is the solver's own
 * `div`, which rounds down for the divisors that are above 0; the solver must
 * find products of two facts itself. */
#include <inttypes.h>
#include <xxhash.h>

#include "base/hashes.h"
#include "dsl/prove/check/check.h"
#include "dsl/prove/prover.h"

typedef struct Smt {
    SnArena *a;
    SnBuf out;
    uint32_t natom; /* that are declared */
    uint32_t n;
    SnHashes seen;
} Smt;

static void
put(SnBuf *b, SnPoly p)
{
    sn_puts(b, "(+ 0 0");
    for (uint32_t i = 0; i < p.n; i++) {
        const SnMonomial *m = &p.m[i];
        bool neg = m->c < 0;
        sn_putf(b, neg ? " (* (- %" PRIu64 ")" : " (* %" PRIu64,
                neg ? 0 - (uint64_t)m->c : (uint64_t)m->c);
        for (unsigned k = 0; k < m->n; k++)
            sn_putf(b, " a%u", m->atom[k]);
        sn_puts(b, m->n ? ")" : " 1)");
    }
    sn_putc(b, ')');
}

static void
declare(Smt *s, const SnPolys *P)
{
    for (; s->natom < P->n; s->natom++) {
        const SnPolyAtom *k = &P->atom[s->natom];
        if (k->name) {
            sn_putf(&s->out, "(declare-const a%u Int) ; %s\n", s->natom,
                    k->name);
            continue;
        }
        sn_putf(&s->out, "(define-fun a%u () Int (div ", s->natom);
        put(&s->out, k->x);
        sn_putc(&s->out, ' ');
        put(&s->out, k->q);
        sn_puts(&s->out, "))\n");
    }
}

static void
put_assert(SnBuf *b, const char *is, SnPoly p)
{
    sn_putf(b, "(assert (%s ", is);
    put(b, p);
    sn_puts(b, " 0))\n");
}

static void
see(bool *seen, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++)
            seen[p.m[i].atom[k]] = true;
}

/* The equations that a normal form of the question may need. */
static void
put_equations(SnArena *a, SnBuf *b, const SnCheckQuestion *q)
{
    bool *seen = SN_NEW_N(a, bool, SN_POLY_NATOM);
    bool *taken = SN_NEW_N(a, bool, q->neq + 1), more = true;

    see(seen, q->p);
    see(seen, q->q);
    see(seen, q->r);
    for (uint32_t i = 0; i < q->nfact; i++)
        see(seen, q->fact[i]);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < q->neq; i++) {
            if (taken[i] || !seen[q->eq[i].atom])
                continue;
            taken[i] = more = true;
            see(seen, q->eq[i].is);
            put_assert(b, "=",
                       sn_poly_sub(q->P, sn_poly_atom(q->P, q->eq[i].atom),
                                   q->eq[i].is));
        }
    }
}

static void
ask(void *arg, const SnCheckQuestion *q)
{
    Smt *s = arg;
    size_t probe = 0;
    SnBuf b;

    sn_buf_init(&b, s->a);
    put_equations(s->a, &b, q);
    for (uint32_t i = 0; i < q->nfact; i++)
        put_assert(&b, ">=", q->fact[i]);
    if (q->kind == 'd') {
        sn_puts(&b, "(assert (> ");
        put(&b, q->q);
        sn_puts(&b, " 0))\n(assert (not (= (div ");
        put(&b, q->p);
        sn_putc(&b, ' ');
        put(&b, q->q);
        sn_puts(&b, ") ");
        put(&b, q->r);
        sn_puts(&b, ")))\n");
    } else {
        sn_putf(&b, "(assert (not (%s ", q->kind == 'z' ? "=" : ">=");
        put(&b, q->p);
        sn_puts(&b, " 0)))\n");
    }
    uint64_t h = XXH3_64bits(sn_buf_str(&b), b.n);
    if (sn_hashes_next(&s->seen, h, &probe) != SN_HASHES_END)
        return;
    sn_hashes_add(&s->seen, h, s->n++);
    declare(s, q->P);
    sn_putf(&s->out, "(push 1)\n%s(check-sat)\n(pop 1)\n", sn_buf_str(&b));
}

const char *
sn_prove_smt2_steps(SnArena *a, const char *text, uint32_t *n)
{
    Smt s = {.a = a};
    SnCheck c = {.ask = ask, .arg = &s};

    sn_buf_init(&s.out, a);
    sn_hashes_init(&s.seen, a);
    sn_puts(&s.out, "(set-logic QF_NIA)\n");
    bool ok = sn_check_certificate(a, text, &c);
    *n = s.n;
    return ok ? sn_buf_str(&s.out) : NULL;
}
