// SPDX-License-Identifier: Apache-2.0
/* Polynomials over interned atoms. */
#include "dsl/prove/poly/poly.h"

/* ---- monomials ---- */

int
sn_monomial_cmp(const SnMonomial *a, const SnMonomial *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (unsigned i = 0; i < a->n; i++)
        if (a->atom[i] != b->atom[i])
            return a->atom[i] < b->atom[i] ? -1 : 1;
    return 0;
}

SnMonomial
sn_monomial_times(SnPolys *P, const SnMonomial *a, const SnMonomial *b)
{
    SnMonomial r = {.n = 0};
    unsigned i = 0, k = 0;

    if (a->n + b->n > SN_POLY_DEGREE ||
        __builtin_mul_overflow(a->c, b->c, &r.c)) {
        P->over = true;
        return (SnMonomial){.c = 1};
    }
    while (i < a->n || k < b->n)
        r.atom[r.n++] = k == b->n || (i < a->n && a->atom[i] <= b->atom[k])
                            ? a->atom[i++]
                            : b->atom[k++];
    return r;
}

/* ---- making ---- */

SnPoly
sn_poly_int(SnPolys *P, int64_t v)
{
    SnMonomial *m = SN_NEW(P->a, SnMonomial);

    m->c = v;
    return (SnPoly){v != 0, m};
}

SnPoly
sn_poly_atom(SnPolys *P, uint32_t atom)
{
    SnMonomial *m = SN_NEW(P->a, SnMonomial);

    m->c = 1;
    m->n = 1;
    m->atom[0] = (uint16_t)atom;
    return (SnPoly){1, m};
}

static SnPoly
intern(SnPolys *P, SnPolyAtom new)
{
    if (P->n == SN_POLY_NATOM) {
        P->over = true;
        return sn_poly_int(P, 0);
    }
    SN_PUSH(P->a, P->atom, P->n, new);
    return sn_poly_atom(P, P->n - 1);
}

const char *
sn_poly_word(SnPolys *P, const char *s)
{
    P->texts.a = P->a;
    return sn_texts_one(&P->texts, s);
}

int32_t
sn_poly_find(SnPolys *P, const char *name)
{
    name = sn_poly_word(P, name);
    for (uint32_t i = 0; i < P->n; i++)
        if (P->atom[i].name == name)
            return (int32_t)i;
    return -1;
}

SnPoly
sn_poly_name(SnPolys *P, const char *name)
{
    int32_t i = sn_poly_find(P, name);

    return i < 0 ? intern(P, (SnPolyAtom){.name = sn_poly_word(P, name)})
                 : sn_poly_atom(P, (uint32_t)i);
}

SnPoly
sn_poly_quotient(SnPolys *P, SnPoly x, SnPoly q)
{
    for (uint32_t i = 0; i < P->n; i++)
        if (!P->atom[i].name && sn_poly_same(P->atom[i].x, x) &&
            sn_poly_same(P->atom[i].q, q))
            return sn_poly_atom(P, i);
    return intern(P, (SnPolyAtom){.x = x, .q = q});
}

/* ---- arithmetic ---- */

/* a + k * b, merged, into v. */
static SnPoly
merge(SnPolys *P, SnPoly a, SnPoly b, int64_t k, SnMonomial *v)
{
    uint32_t n = 0, i = 0, j = 0;

    while (i < a.n || j < b.n) {
        int c = i == a.n   ? 1
                : j == b.n ? -1
                           : sn_monomial_cmp(&a.m[i], &b.m[j]);
        SnMonomial m = c <= 0 ? a.m[i] : b.m[j];
        int64_t s = 0;
        if (c >= 0)
            P->over |= __builtin_mul_overflow(b.m[j].c, k, &s);
        m.c = c <= 0 ? a.m[i].c : 0;
        P->over |= __builtin_add_overflow(m.c, s, &m.c);
        i += c <= 0;
        j += c >= 0;
        if (m.c)
            v[n++] = m;
    }
    return (SnPoly){n, v};
}

/* Sums are built in stack memory, and then take no more than they need. */
enum { SMALL = 24 };

static SnPoly
keep(SnPolys *P, SnPoly p)
{
    SnMonomial *v = p.n ? SN_NEW_N(P->a, SnMonomial, p.n) : NULL;

    for (uint32_t i = 0; i < p.n; i++)
        v[i] = p.m[i];
    return (SnPoly){p.n, v};
}

static SnPoly
join(SnPolys *P, SnPoly a, SnPoly b, int64_t k)
{
    SnMonomial small[SMALL];

    if (b.n == 0)
        return a; /* b may be on the caller's stack */
    if (a.n + b.n > SMALL)
        return merge(P, a, b, k, SN_NEW_N(P->a, SnMonomial, a.n + b.n + 1));
    return keep(P, merge(P, a, b, k, small));
}

SnPoly
sn_poly_add(SnPolys *P, SnPoly a, SnPoly b)
{
    return join(P, a, b, 1);
}

SnPoly
sn_poly_sum(SnPolys *P, uint32_t n, const SnMonomial *m)
{
    uint32_t i = 0;

    while (i < n && m[i].c && (!i || sn_monomial_cmp(&m[i - 1], &m[i]) < 0))
        i++;
    SnPoly r = {i, m};
    for (; i < n; i++)
        r = sn_poly_add(P, r, (SnPoly){m[i].c != 0, &m[i]});
    return r;
}

SnPoly
sn_poly_sub(SnPolys *P, SnPoly a, SnPoly b)
{
    return join(P, a, b, -1);
}

SnPoly
sn_poly_scale(SnPolys *P, SnPoly a, int64_t k)
{
    return join(P, (SnPoly){0}, a, k);
}

SnPoly
sn_poly_plus(SnPolys *P, SnPoly a, int64_t k)
{
    return join(P, a, sn_poly_int(P, k), 1);
}

/* a * b, which keeps the order of a's monomials. */
static SnPoly
times(SnPolys *P, SnPoly a, const SnMonomial *b)
{
    SnMonomial *v = SN_NEW_N(P->a, SnMonomial, a.n);

    for (uint32_t i = 0; i < a.n; i++)
        v[i] = sn_monomial_times(P, &a.m[i], b);
    return (SnPoly){a.n, v};
}

SnPoly
sn_poly_mul(SnPolys *P, SnPoly a, SnPoly b)
{
    SnMonomial small[2][SMALL];
    bool fits = (uint64_t)a.n * b.n <= SMALL;
    uint32_t at = 0;
    SnPoly r = {0};

    if (a.n == 1 && b.n)
        return times(P, b, &a.m[0]);
    if (b.n == 1 && a.n)
        return times(P, a, &b.m[0]);
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < b.n; j++) {
            SnMonomial m = sn_monomial_times(P, &a.m[i], &b.m[j]);
            SnPoly one = {1, &m};
            r = fits ? merge(P, r, one, 1, small[at++ % 2])
                     : join(P, r, one, 1);
        }
    return fits ? keep(P, r) : r;
}

SnPoly
sn_poly_replace(SnPolys *P, SnPoly a, uint32_t atom, SnPoly p)
{
    SnPoly r = {0};

    if (!sn_poly_has(a, atom))
        return a;
    for (uint32_t i = 0; i < a.n; i++) {
        SnMonomial rest = {.c = a.m[i].c};
        unsigned k = 0;
        for (unsigned j = 0; j < a.m[i].n; j++) {
            if (a.m[i].atom[j] == atom)
                k++;
            else
                rest.atom[rest.n++] = a.m[i].atom[j];
        }
        SnPoly t = {1, &rest};
        while (k--)
            t = sn_poly_mul(P, t, p);
        r = join(P, r, t, 1);
    }
    return r;
}

/* ---- queries ---- */

bool
sn_poly_same(SnPoly a, SnPoly b)
{
    if (a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.m[i].c != b.m[i].c || sn_monomial_cmp(&a.m[i], &b.m[i]))
            return false;
    return true;
}

bool
sn_poly_is_int(SnPoly a, int64_t *v)
{
    *v = a.n ? a.m[0].c : 0;
    return a.n == 0 || (a.n == 1 && a.m[0].n == 0);
}

bool
sn_poly_gap(SnPoly a, SnPoly b, int64_t *v)
{
    bool i = a.n && a.m[0].n == 0, k = b.n && b.m[0].n == 0;
    bool over = __builtin_sub_overflow(i ? a.m[0].c : 0, k ? b.m[0].c : 0, v);

    if (i)
        a = (SnPoly){a.n - 1, a.m + 1};
    if (k)
        b = (SnPoly){b.n - 1, b.m + 1};
    return !over && sn_poly_same(a, b);
}

bool
sn_poly_has(SnPoly a, uint32_t atom)
{
    for (uint32_t i = 0; i < a.n; i++)
        for (unsigned k = 0; k < a.m[i].n; k++)
            if (a.m[i].atom[k] == atom)
                return true;
    return false;
}

static void
put_atom(const SnPolys *P, SnBuf *b, uint32_t i)
{
    const SnPolyAtom *t = &P->atom[i];

    if (t->name) {
        sn_puts(b, t->name);
        return;
    }
    sn_putc(b, '(');
    sn_poly_put(P, b, t->x);
    sn_puts(b, " div ");
    sn_poly_put(P, b, t->q);
    sn_putc(b, ')');
}

void
sn_poly_put(const SnPolys *P, SnBuf *b, SnPoly a)
{
    if (!a.n)
        sn_putc(b, '0');
    for (uint32_t i = 0; i < a.n; i++) {
        const SnMonomial *m = &a.m[i];
        bool one = m->n && (m->c == 1 || m->c == -1);
        sn_puts(b, i ? m->c < 0 ? " - " : " + " : m->c < 0 ? "-" : "");
        if (!one)
            sn_putf(b, "%llu",
                    m->c < 0 ? 0ull - (unsigned long long)m->c
                             : (unsigned long long)m->c);
        for (unsigned k = 0; k < m->n; k++) {
            if (k || !one)
                sn_putc(b, '*');
            put_atom(P, b, m->atom[k]);
        }
    }
}

const char *
sn_poly_text(const SnPolys *P, SnPoly a)
{
    SnBuf b;

    sn_buf_init(&b, P->a);
    sn_poly_put(P, &b, a);
    return sn_buf_str(&b);
}
