// SPDX-License-Identifier: Apache-2.0
/* Normal forms over the reals. */
#include "dsl/prove/real/ring.h"

#include <math.h>
#include <string.h>

/* ---- comparison ---- */

/* The tolerance for constants written in rules, and the residue that sums of
 * binary64 leave of a zero difference. */
static const double CLOSE = 0x1p-22, NOTHING = 0x1p-40;

static bool
close_to(const SnRings *R, double a, double b)
{
    double m = fmax(fabs(a), fabs(b));

    return a == b || (!R->strict && fabs(a - b) <= m * CLOSE);
}

static int
factors_cmp(const SnRingTerm *a, const SnRingTerm *b)
{
    for (unsigned i = 0; i < a->n && i < b->n; i++) {
        if (a->f[i].atom != b->f[i].atom)
            return a->f[i].atom < b->f[i].atom ? -1 : 1;
        if (a->f[i].pow != b->f[i].pow)
            return a->f[i].pow < b->f[i].pow ? -1 : 1;
    }
    return a->n < b->n ? -1 : a->n > b->n;
}

bool
sn_ring_same(const SnRings *R, SnRing a, SnRing b)
{
    if (a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (factors_cmp(&a.t[i], &b.t[i]) != 0 ||
            !close_to(R, a.t[i].c, b.t[i].c))
            return false;
    return true;
}

bool
sn_ring_is_num(SnRing a, double *v)
{
    *v = a.n ? a.t[0].c : 0;
    return a.n == 0 || (a.n == 1 && a.t[0].n == 0);
}

/* ---- how expressions are made ---- */

SnRing
sn_ring_made(SnRings *R, SnRing x, char kind, const char *name, uint32_t n,
             const SnRing *arg, uint32_t npoly, const SnPoly *poly)
{
    uint32_t *kid = SN_NEW_N(R->a, uint32_t, n + 1);
    SnRingMade m = {.kind = kind,
                    .v = kind == '#' && x.n ? x.t[0].c : 0,
                    .name = name,
                    .n = n,
                    .npoly = npoly,
                    .kid = kid,
                    .poly = poly};

    for (uint32_t i = 0; i < n; i++)
        kid[i] = arg[i].made;
    SN_PUSH(R->a, R->made, R->nmade, m);
    x.made = R->nmade;
    return x;
}

void
sn_ring_forget(SnRings *R)
{
    R->nmade = 0;
    R->made = NULL;
}

static SnRing
made_of(SnRings *R, SnRing x, char kind, SnRing a, SnRing b)
{
    const SnRing two[] = {a, b};

    return sn_ring_made(R, x, kind, NULL, 2, two, 0, NULL);
}

/* ---- atoms ---- */

static bool
is_atom(const SnRings *R, const SnRingAtom *k, const char *name, uint32_t n,
        const SnRing *arg)
{
    if (k->name != name || k->n != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!sn_ring_same(R, k->arg[i], arg[i]))
            return false;
    return true;
}

static uint16_t
intern(SnRings *R, SnRingKind kind, const char *name, uint32_t n,
       const SnRing *arg)
{
    R->names.a = R->a;
    name = sn_texts_one(&R->names, sn_strdup(R->a, name));
    for (uint32_t i = 0; i < R->n; i++)
        if (is_atom(R, &R->atom[i], name, n, arg))
            return (uint16_t)i;
    if (R->n == SN_RING_NATOM) {
        R->over = true;
        return 0;
    }
    SnRing *copy = SN_NEW_N(R->a, SnRing, n + 1);
    for (uint32_t i = 0; i < n; i++)
        copy[i] = arg[i];
    SnRingAtom new = {kind, name, n, copy};
    SN_PUSH(R->a, R->atom, R->n, new);
    return (uint16_t)(R->n - 1);
}

static SnRing
one_term(SnRings *R, SnRingTerm t)
{
    SnRingTerm *p = SN_NEW(R->a, SnRingTerm);

    *p = t;
    return (SnRing){.n = t.c != 0, .t = p};
}

SnRing
sn_ring_num(SnRings *R, double v)
{
    if (!isfinite(v))
        R->over = true;
    SnRing x = one_term(R, (SnRingTerm){.c = v});
    return sn_ring_made(R, x, '#', NULL, 0, NULL, 0, NULL);
}

static SnRing
atom(SnRings *R, SnRingKind kind, const char *name, uint32_t n,
     const SnRing *arg)
{
    SnRingTerm t = {.c = 1, .n = 1};

    t.f[0] = (SnRingFactor){intern(R, kind, name, n, arg), 1};
    return one_term(R, t);
}

SnRing
sn_ring_atom(SnRings *R, SnRingKind kind, const char *name, uint32_t n,
             const SnRing *arg)
{
    return sn_ring_made(R, atom(R, kind, name, n, arg), 'f', name, n, arg, 0,
                        NULL);
}

SnRing
sn_ring_term(SnRings *R, const SnRingTerm *t)
{
    return one_term(R, *t);
}

/* ---- sums and products ---- */

static SnRing
sum(SnRings *R, SnRing a, SnRing b)
{
    SnRingTerm *v = SN_NEW_N(R->a, SnRingTerm, a.n + b.n + 1);
    uint32_t n = 0, i = 0, k = 0;

    while (i < a.n || k < b.n) {
        int c = i == a.n ? 1 : k == b.n ? -1 : factors_cmp(&a.t[i], &b.t[k]);
        v[n] = c <= 0 ? a.t[i] : b.t[k];
        if (c == 0) {
            double m = fmax(fabs(a.t[i].c), fabs(b.t[k].c));
            v[n].c = a.t[i].c + b.t[k].c;
            if (!R->strict && fabs(v[n].c) <= m * NOTHING)
                v[n].c = 0;
        }
        i += c <= 0;
        k += c >= 0;
        n += v[n].c != 0;
    }
    return (SnRing){.n = n, .t = v};
}

SnRing
sn_ring_add(SnRings *R, SnRing a, SnRing b)
{
    return made_of(R, sum(R, a, b), '+', a, b);
}

SnRing
sn_ring_scale(SnRings *R, SnRing a, double k)
{
    SnRingTerm *v = SN_NEW_N(R->a, SnRingTerm, a.n + 1);

    if (!isfinite(k))
        R->over = true;
    for (uint32_t i = 0; i < a.n; i++) {
        v[i] = a.t[i];
        v[i].c *= k;
    }
    return (SnRing){.n = k != 0 ? a.n : 0, .t = v};
}

SnRing
sn_ring_sub(SnRings *R, SnRing a, SnRing b)
{
    return made_of(R, sum(R, a, sn_ring_scale(R, b, -1)), '-', a, b);
}

static void
put_factor(SnRings *R, SnRingTerm *t, SnRingFactor f)
{
    if (t->n == SN_RING_NFACTOR)
        R->over = true;
    else if (f.pow)
        t->f[t->n++] = f;
}

static SnRingTerm
product(SnRings *R, const SnRingTerm *a, const SnRingTerm *b)
{
    SnRingTerm t = {.c = a->c * b->c};
    unsigned i = 0, k = 0;

    while (i < a->n || k < b->n) {
        SnRingFactor x = i < a->n ? a->f[i] : (SnRingFactor){UINT16_MAX, 0};
        SnRingFactor y = k < b->n ? b->f[k] : (SnRingFactor){UINT16_MAX, 0};
        SnRingFactor f = x.atom <= y.atom ? x : y;
        if (x.atom == y.atom) {
            f.pow = (int16_t)(x.pow + y.pow);
            if (R->atom[f.atom].kind == SN_RING_FLAG)
                f.pow = 1;
        }
        put_factor(R, &t, f);
        i += x.atom <= y.atom;
        k += y.atom <= x.atom;
    }
    return t;
}

static SnRing
products(SnRings *R, SnRing a, SnRing b)
{
    SnRing r = {0};

    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t k = 0; k < b.n; k++)
            r = sum(R, r, one_term(R, product(R, &a.t[i], &b.t[k])));
    if (r.n > 4096)
        R->over = true;
    if (R->over)
        r.n = 0;
    return r;
}

SnRing
sn_ring_mul(SnRings *R, SnRing a, SnRing b)
{
    return made_of(R, products(R, a, b), '*', a, b);
}

SnRing
sn_ring_unit(SnRings *R, SnRing a, double *k)
{
    *k = a.n ? a.t[0].c : 1;
    return sn_ring_scale(R, a, 1 / *k);
}

static SnRing
inverse(SnRings *R, SnRing a)
{
    SnRingTerm t = {.c = 1};
    double k;

    if (a.n == 0) {
        R->over = true;
        return a;
    }
    if (a.n > 1) {
        SnRing u = sn_ring_unit(R, a, &k);
        a = sn_ring_scale(R, atom(R, SN_RING_NAME, "group", 1, &u), k);
    }
    t.c = 1 / a.t[0].c;
    for (unsigned i = 0; i < a.t[0].n; i++) {
        SnRingFactor f = a.t[0].f[i];
        f.pow = (int16_t)-f.pow;
        put_factor(R, &t, f);
    }
    return one_term(R, t);
}

SnRing
sn_ring_div(SnRings *R, SnRing a, SnRing b)
{
    return made_of(R, products(R, a, inverse(R, b)), '/', a, b);
}

static bool
at_least_zero(const SnRings *R, const SnRingTerm *t)
{
    for (unsigned k = 0; k < t->n; k++) {
        const SnRingAtom *a = &R->atom[t->f[k].atom];
        bool even = t->f[k].pow % 2 == 0;
        if (!even && a->kind != SN_RING_ABOVE && a->kind != SN_RING_FLAG)
            return false;
    }
    return t->c > 0;
}

bool
sn_ring_positive(const SnRings *R, SnRing a)
{
    bool above = false;

    for (uint32_t i = 0; i < a.n; i++) {
        if (!at_least_zero(R, &a.t[i]))
            return false;
        above |= a.t[i].n == 0;
    }
    return above;
}

/* ---- text ---- */

bool
sn_ring_atom_mentions(const SnRings *R, uint16_t atom, const char *text)
{
    const SnRingAtom *k = &R->atom[atom];

    if (strstr(k->name, text)) /* in a sum it is bound by the sum */
        return k->kind != SN_RING_SUM;
    for (uint32_t i = 0; i < k->n; i++)
        if (sn_ring_mentions(R, k->arg[i], text))
            return true;
    return false;
}

bool
sn_ring_mentions(const SnRings *R, SnRing a, const char *text)
{
    for (uint32_t i = 0; i < a.n; i++)
        for (unsigned k = 0; k < a.t[i].n; k++)
            if (sn_ring_atom_mentions(R, a.t[i].f[k].atom, text))
                return true;
    return false;
}

static void
put_atom(const SnRings *R, SnBuf *b, SnRingFactor f)
{
    const SnRingAtom *k = &R->atom[f.atom];

    sn_puts(b, k->name);
    for (uint32_t i = 0; i < k->n; i++) {
        sn_puts(b, i ? ", " : "(");
        sn_ring_put(R, b, k->arg[i]);
    }
    sn_puts(b, k->n ? ")" : "");
    if (f.pow != 1)
        sn_putf(b, "^%d", f.pow);
}

void
sn_ring_put(const SnRings *R, SnBuf *b, SnRing a)
{
    if (a.n == 0)
        sn_puts(b, "0");
    for (uint32_t i = 0; i < a.n; i++) {
        const SnRingTerm *t = &a.t[i];
        bool one = fabs(t->c) == 1 && t->n;
        sn_puts(b, t->c < 0 ? i ? " - " : "-" : i ? " + " : "");
        if (!one)
            sn_putf(b, "%.9g", fabs(t->c));
        for (unsigned k = 0; k < t->n; k++) {
            sn_puts(b, k || !one ? " " : "");
            put_atom(R, b, t->f[k]);
        }
    }
}

const char *
sn_ring_text(const SnRings *R, SnRing a)
{
    SnBuf b;

    sn_buf_init(&b, R->a);
    sn_ring_put(R, &b, a);
    return sn_buf_str(&b);
}
