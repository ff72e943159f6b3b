// SPDX-License-Identifier: Apache-2.0
/* Normal forms of expressions over the reals, made from the lines of a
 * certificate: sums of products of atoms.  An atom is an atom of a polynomial,
 * an element, a function, a sum over places, or a sum in brackets that is
 * divided by. */
#include "dsl/prove/check/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tolerance for numbers in rules; the residue that binary64 leaves of a
 * zero difference. */
static const double CLOSE = 0x1p-22, NOTHING = 0x1p-40;

enum { NPLACE = 64, NPRODUCT = 4096, NPOWER = 4, NROUND = 9999 };

typedef struct Factor {
    uint32_t atom;
    int32_t pow; /* not 0 */
} Factor;

typedef struct Product {
    double c; /* not 0 */
    uint32_t n;
    const Factor *f; /* ascending atoms */
} Product;

typedef struct Sum {
    uint32_t n;
    const Product *v;     /* ascending */
    SnCheckRounds rounds; /* of an expression of the certificate */
} Sum;

/* What a line b, f or h says of an atom of polynomials. */
typedef struct Said {
    char kind;
    uint32_t atom;
    SnPoly p;
    uint64_t bit; /* a place's own; else 0 */
    /* At least 0: both of a place, it and p - 1 - it; the first, p, where a
     * flag is 1, the second where it is 0. */
    SnPoly side[2];
} Said;

typedef struct Atom {
    char kind;        /* p polynomial's, l element, f function, s sum, ( */
    const Said *flag; /* p: its line, if it is 0 or 1 */
    const char *name; /* l, f */
    uint32_t nkid, npoly;
    const Sum *kid;
    const SnPoly *poly;
    uint64_t over; /* s: its places */
    uint64_t free; /* places that it depends on */
} Atom;

typedef struct Order {
    uint32_t atom;
    Sum of;
} Order;

struct SnCheckReals {
    bool on, exactly;
    uint32_t nterm, natom, nplace, nsaid, norder;
    Sum *term;
    Atom *atom;
    Said *said;
    Order *order;
};

/* ---- functions ---- */

enum { MAX, MIN, POW };

/* Functions that the checker knows by name, and how many roundings each counts
 * for (docs/proofs.md, "Rules over the reals").  The last row, without a name,
 * is for every other function: abs, floor, ceil and round are exact. */
static const struct {
    const char *name;
    uint32_t rounds;
} functions[] = {
    [MAX] = {"max", 0}, [MIN] = {"min", 0}, [POW] = {"pow", 4},
    {"sqrt", 1},        {"exp", 4},         {"log", 4},
    {"tanh", 4},        {"erf", 4},         {NULL, 0},
};

static int
function_of(const char *name)
{
    int i = 0;

    while (functions[i].name && strcmp(functions[i].name, name))
        i++;
    return i;
}

/* ---- one normal form or two? ---- */

static int
compare(const Product *a, const Product *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        if (a->f[i].atom != b->f[i].atom)
            return a->f[i].atom < b->f[i].atom ? -1 : 1;
        if (a->f[i].pow != b->f[i].pow)
            return a->f[i].pow < b->f[i].pow ? -1 : 1;
    }
    return a->n < b->n ? -1 : a->n > b->n;
}

static bool
same(const SnCheckSteps *s, Sum a, Sum b)
{
    double near = s->reals->exactly ? 0 : CLOSE;
    bool is = a.n == b.n;

    for (uint32_t i = 0; i < a.n && is; i++)
        is = !compare(&a.v[i], &b.v[i]) &&
             fabs(a.v[i].c - b.v[i].c) <=
                 near * fmax(fabs(a.v[i].c), fabs(b.v[i].c));
    return is;
}

static bool
same_atom(const SnCheckSteps *s, const Atom *a, const Atom *b)
{
    bool is = a->kind == b->kind && a->over == b->over && a->nkid == b->nkid &&
              a->npoly == b->npoly && !strcmp(a->name, b->name);

    for (uint32_t i = 0; i < a->nkid && is; i++)
        is = same(s, a->kid[i], b->kid[i]);
    for (uint32_t i = 0; i < a->npoly && is; i++)
        is = sn_poly_same(a->poly[i], b->poly[i]);
    return is;
}

/* ---- places ---- */

static const Said *
said(const SnCheckSteps *s, char kind, uint32_t atom)
{
    for (uint32_t i = 0; i < s->reals->nsaid; i++)
        if (s->reals->said[i].kind == kind && s->reals->said[i].atom == atom)
            return &s->reals->said[i];
    return NULL;
}

/* The places that p depends on. */
static uint64_t
places(SnCheckSteps *s, SnPoly p)
{
    const struct SnCheckReals *R = s->reals;
    uint64_t free = 0;

    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++) {
            SnPolyAtom t = s->P.atom[p.m[i].atom[k]];
            bool is = !t.name || !strchr(t.name, '$');
            if (!t.name)
                free |= places(s, t.x) | places(s, t.q);
            for (uint32_t j = 0; j < R->nsaid; j++)
                if (R->said[j].atom == p.m[i].atom[k]) {
                    bool place = R->said[j].kind == 'b';
                    free |= place ? R->said[j].bit : places(s, R->said[j].p);
                    is = true;
                }
            if (!is)
                sn_step_fail(s, "what '%s' depends on is not known", t.name);
        }
    return free;
}

static uint64_t
places_of(const SnCheckSteps *s, const Product *p)
{
    uint64_t free = 0;

    for (uint32_t i = 0; i < p->n; i++)
        free |= s->reals->atom[p->f[i].atom].free;
    return free;
}

/* ---- sums and products ---- */

static Sum
single(SnCheckSteps *s, double c, uint32_t n, const Factor *f)
{
    Product p = {c, n, sn_memdup(s->a, f, n * sizeof *f)};

    if (!isfinite(c))
        sn_step_fail(s, "a number that is not finite");
    return (Sum){.n = c != 0, .v = sn_memdup(s->a, &p, sizeof p)};
}

static Sum
number(SnCheckSteps *s, double v)
{
    return single(s, v, 0, NULL);
}

static Sum
atom(SnCheckSteps *s, Atom a)
{
    struct SnCheckReals *R = s->reals;
    uint32_t i = 0;

    a.name = a.name ? a.name : "";
    while (i < R->natom && !same_atom(s, &R->atom[i], &a))
        i++;
    for (uint32_t k = 0; k < a.npoly && i == R->natom; k++)
        a.free |= places(s, a.poly[k]);
    for (uint32_t k = 0; k < a.nkid && i == R->natom; k++)
        for (uint32_t j = 0; j < a.kid[k].n; j++)
            a.free |= places_of(s, &a.kid[k].v[j]) & ~a.over;
    if (i == R->natom)
        SN_PUSH(s->a, R->atom, R->natom, a);
    return single(s, 1, 1, &(Factor){i, 1});
}

static Sum
add(SnCheckSteps *s, Sum a, Sum b)
{
    Product *v = SN_NEW_N(s->a, Product, a.n + b.n + 1);
    uint32_t n = 0, i = 0, k = 0;

    while (i < a.n || k < b.n) {
        int c = i == a.n ? 1 : k == b.n ? -1 : compare(&a.v[i], &b.v[k]);
        v[n] = c <= 0 ? a.v[i] : b.v[k];
        if (c == 0) {
            double x = a.v[i].c, y = b.v[k].c, most = fmax(fabs(x), fabs(y));
            bool none = fabs(x + y) <= (s->reals->exactly ? 0 : most * NOTHING);
            v[n].c = none ? 0 : x + y;
        }
        i += c <= 0;
        k += c >= 0;
        n += v[n].c != 0;
    }
    if (n > NPRODUCT)
        sn_step_fail(s, "more than %u products", NPRODUCT);
    return (Sum){.n = s->c->error ? 0 : n, .v = v};
}

static Sum
times(SnCheckSteps *s, const Product *a, const Product *b)
{
    Factor *f = SN_NEW_N(s->a, Factor, a->n + b->n + 1);
    uint32_t n = 0, i = 0, k = 0;

    while (i < a->n || k < b->n) {
        bool left = k == b->n || (i < a->n && a->f[i].atom <= b->f[k].atom);
        bool both =
            left && i < a->n && k < b->n && a->f[i].atom == b->f[k].atom;
        f[n] = left ? a->f[i] : b->f[k];
        if (both && s->reals->atom[f[n].atom].flag && f[n].pow > 0 &&
            b->f[k].pow > 0)
            f[n].pow = 1;
        else if (both)
            f[n].pow += b->f[k].pow;
        i += left;
        k += !left || both;
        n += f[n].pow != 0;
    }
    return single(s, a->c * b->c, n, f);
}

static Sum
multiply(SnCheckSteps *s, Sum a, Sum b)
{
    Sum r = {0};

    for (uint32_t i = 0; i < a.n && !s->c->error; i++)
        for (uint32_t k = 0; k < b.n && !s->c->error; k++)
            r = add(s, r, times(s, &a.v[i], &b.v[k]));
    return r;
}

static Sum
scaled(SnCheckSteps *s, Sum a, double k)
{
    return multiply(s, number(s, k), a);
}

/* 1 / a, where a is not 0: one product, or an atom of a sum whose first product
 * has factor 1. */
static Sum
inverse(SnCheckSteps *s, Sum a)
{
    if (!a.n) {
        sn_step_fail(s, "a division by 0");
        return a;
    }
    if (a.n > 1) {
        double k = a.v[0].c;
        Sum *unit = SN_NEW(s->a, Sum);
        *unit = scaled(s, a, 1 / k);
        a = scaled(s, atom(s, (Atom){.kind = '(', .nkid = 1, .kid = unit}), k);
    }
    Factor *f = SN_NEW_N(s->a, Factor, a.v[0].n + 1);
    for (uint32_t i = 0; i < a.v[0].n; i++)
        f[i] = (Factor){a.v[0].f[i].atom, -a.v[0].f[i].pow};
    return single(s, 1 / a.v[0].c, a.v[0].n, f);
}

static Sum
of_poly(SnCheckSteps *s, SnPoly p)
{
    Sum r = {0};

    p = sn_step_norm(s, p);
    for (uint32_t i = 0; i < p.n && !s->c->error; i++) {
        Sum t = number(s, (double)p.m[i].c);
        for (unsigned k = 0; k < p.m[i].n; k++) {
            SnPoly *of = SN_NEW(s->a, SnPoly);
            *of = sn_poly_atom(&s->P, p.m[i].atom[k]);
            Atom a = {.kind = 'p',
                      .flag = said(s, 'f', p.m[i].atom[k]),
                      .npoly = 1,
                      .poly = of};
            t = multiply(s, t, atom(s, a));
        }
        r = add(s, r, t);
    }
    return r;
}

/* ---- functions ---- */

static bool
is_number(Sum a)
{
    return !a.n || (a.n == 1 && !a.v[0].n);
}

/* max(k x, k y) = k max(x, y) for k > 0; a number comes last. */
static Sum
extreme(SnCheckSteps *s, const char *name, Sum a, Sum b)
{
    double x = a.n ? a.v[0].c : 0, y = b.n ? b.v[0].c : 0;
    Sum *kid = SN_NEW_N(s->a, Sum, 2);

    if (same(s, a, b))
        return a;
    if (is_number(a) && is_number(b))
        return (x < y) == (function_of(name) == MIN) ? a : b;
    kid[0] = is_number(a) ? b : a;
    kid[1] = is_number(a) ? a : b;
    double k = fabs(kid[0].v[0].c);
    for (int i = 0; i < 2; i++)
        kid[i] = scaled(s, kid[i], 1 / k);
    return scaled(
        s, atom(s, (Atom){.kind = 'f', .name = name, .nkid = 2, .kid = kid}),
        k);
}

/* The atom is the place of x in the order of values; a size is none. */
static bool
is_order(SnCheckSteps *s, uint32_t of, Sum x)
{
    struct SnCheckReals *R = s->reals;
    const char *name = s->P.atom[of].name;
    Order new = {of, x};

    if (!name || strncmp(name, "order ", 6) != 0)
        return false;
    for (uint32_t i = 0; i < R->norder; i++)
        if (R->order[i].atom == of)
            return same(s, R->order[i].of, x);
    SN_PUSH(s->a, R->order, R->norder, new);
    return true;
}

/* One of a and b, the first of equal ones, by their known order. */
static Sum
choice(SnCheckSteps *s, const char *name, Sum a, Sum b, const SnPoly *order)
{
    bool most = function_of(name) == MAX;
    SnPoly d = sn_poly_sub(&s->P, order[!most], order[most]);

    for (int i = 0; i < 2; i++)
        if (order[i].n != 1 || order[i].m[0].n != 1 || order[i].m[0].c != 1 ||
            !is_order(s, order[i].m[0].atom[0], i ? b : a)) {
            sn_step_fail(s, "an order of two values");
            return a;
        }
    if (same(s, a, b) || sn_step_at_least(s, d))
        return a;
    if (!sn_step_at_least(s,
                          sn_poly_plus(&s->P, sn_poly_scale(&s->P, d, -1), -1)))
        sn_step_fail(s, "%s of two values whose order is not known", name);
    return b;
}

/* ---- sums over places ---- */

/* Is q >= 0 where the flags of p but number i are 1: by one of them, or because
 * a place is at least 0 or below its bound?  Only for places of p, or of its
 * sum: others may have no value. */
static bool
is_there(SnCheckSteps *s, uint64_t over, const Product *p, uint32_t i, SnPoly q)
{
    const struct SnCheckReals *R = s->reals;
    uint64_t of = over | places_of(s, p);

    for (uint32_t k = 0; k < R->nsaid; k++)
        if ((of & R->said[k].bit) && (sn_poly_same(q, R->said[k].side[0]) ||
                                      sn_poly_same(q, R->said[k].side[1])))
            return true;
    for (uint32_t k = 0; k < p->n; k++) {
        const Atom *a = &R->atom[p->f[k].atom];
        if (k != i && a->flag && sn_poly_same(q, a->flag->p))
            return true;
    }
    return false;
}

/* The value of factor i, a flag, where the others are 1: 1, 0, or unknown
 * (-1). */
static int
implied(SnCheckSteps *s, uint64_t over, const Product *p, uint32_t i)
{
    const Atom *a = &s->reals->atom[p->f[i].atom];

    for (uint32_t k = 0; k < s->now.nimplied && a->flag; k++) {
        const SnStepImplied *m = &s->now.implied[k];
        SnPoly is = sn_step_norm(s, m->p);
        bool yes = sn_poly_same(is, a->flag->side[0]);
        uint32_t j = 0;
        if (!yes && !sn_poly_same(is, a->flag->side[1]))
            continue;
        while (j < m->n && is_there(s, over, p, i, sn_step_norm(s, m->lent[j])))
            j++;
        if (j == m->n)
            return yes;
    }
    return -1;
}

/* Without the flags that the others imply; false: one of them is 0. */
static bool
thinned(SnCheckSteps *s, uint64_t over, Product *p)
{
    Factor *f = sn_memdup(s->a, p->f, p->n * sizeof *f);

    p->f = f;
    for (uint32_t i = 0; i < p->n;) {
        int is = implied(s, over, p, i);
        if (is == 0)
            return false;
        if (is > 0)
            memmove(&f[i], &f[i + 1], (--p->n - i) * sizeof *f);
        i += is < 0;
    }
    return true;
}

/* The sum of one product: factors that do not depend on a place are moved
 * before it, and a place that nothing depends on multiplies by its size. */
static Sum
sum_of(SnCheckSteps *s, uint64_t over, Product p)
{
    const struct SnCheckReals *R = s->reals;
    Factor *in = SN_NEW_N(s->a, Factor, p.n + 1),
           *out = SN_NEW_N(s->a, Factor, p.n + 1);
    uint32_t nin = 0, nout = 0;
    uint64_t used = 0;

    for (uint32_t i = 0; i < p.n; i++) {
        uint64_t free = R->atom[p.f[i].atom].free & over;
        used |= free;
        if (free)
            in[nin++] = p.f[i];
        else
            out[nout++] = p.f[i];
    }
    Sum r = single(s, p.c, nout, out), *body = SN_NEW(s->a, Sum);
    uint64_t free = 0;
    for (uint32_t k = 0; k < R->nsaid; k++) {
        SnPoly size = R->said[k].p;
        if (used & R->said[k].bit)
            free |= places(s, size);
        else if (over & R->said[k].bit && sn_step_at_least(s, size))
            r = multiply(s, r, of_poly(s, size));
        else if (over & R->said[k].bit)
            sn_step_fail(s, "a sum over %s places, perhaps less than none",
                         sn_poly_text(&s->P, size));
    }
    *body = single(s, 1, nin, in);
    Atom a = {.kind = 's', .over = used, .free = free, .nkid = 1, .kid = body};
    return nin ? multiply(s, r, atom(s, a)) : r;
}

static Sum
sum_over(SnCheckSteps *s, uint32_t n, const SnPoly *at, Sum body)
{
    uint64_t over = 0, bound = 0;
    Sum r = {0};

    for (uint32_t i = 0; i < n; i++) {
        const Said *is = at[i].n == 1 && at[i].m[0].n == 1 && at[i].m[0].c == 1
                             ? said(s, 'b', at[i].m[0].atom[0])
                             : NULL;
        if (!is || over & is->bit) {
            sn_step_fail(s, "a sum along what is no place");
            return r;
        }
        over |= is->bit;
        bound |= places(s, is->p);
    }
    if (over & bound)
        sn_step_fail(s, "a place whose bound depends on the sum");
    for (uint32_t i = 0; i < body.n && !s->c->error; i++) {
        Product p = body.v[i];
        if (thinned(s, over, &p))
            r = add(s, r, sum_of(s, over, p));
    }
    return r;
}

/* ---- lines ---- */

static bool
count(SnCheckSteps *s, uint32_t *n)
{
    int32_t v;
    bool ok = sn_step_below(s, 0, UINT16_MAX, &v);

    *n = (uint32_t)v;
    return ok;
}

/* Earlier polynomials and expressions; v[n] of them. */
static bool
polys(SnCheckSteps *s, uint32_t n, SnPoly **v)
{
    bool ok = true;

    *v = SN_NEW_N(s->a, SnPoly, n + 1);
    for (uint32_t i = 0; i < n && ok; i++) {
        ok = sn_step_read(s, &(*v)[i]);
        (*v)[i] = sn_step_norm(s, (*v)[i]);
    }
    return ok;
}

static bool
kids(SnCheckSteps *s, uint32_t n, Sum **v)
{
    int32_t k;

    *v = SN_NEW_N(s->a, Sum, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!sn_step_below(s, 0, s->reals->nterm, &k))
            return false;
        (*v)[i] = s->reals->term[k];
    }
    sn_step_blank(s);
    return true;
}

/* An element has as many places as its operand has dimensions, where these are
 * known by `rank(NAME)`; an element of an element-by-element rule has none.
 */
static bool
has_rank(SnCheckSteps *s, const char *name, uint32_t n)
{
    const char *rank = sn_format(s->a, "rank(%s)", name);
    int32_t i = sn_poly_find(&s->P, rank);

    if (i < 0 ? !n
              : sn_step_zero(s, sn_poly_plus(&s->P,
                                             sn_poly_atom(&s->P, (uint32_t)i),
                                             -(int64_t)n)))
        return true;
    return sn_step_fail(s, "%s is not shown to be %u", rank, n);
}

/* An integer power is a product. */
static Sum
function(SnCheckSteps *s, uint32_t n, const Sum *kid)
{
    const char *name = s->at;
    int f = function_of(name);

    if (n == 2 && f == POW && is_number(kid[1])) {
        double most = kid[1].n ? kid[1].v[0].c : 0;
        Sum r = number(s, 1);
        for (int i = 0; i < most && i < NPOWER; i++)
            r = multiply(s, r, kid[0]);
        if (most >= 0 && most <= NPOWER && most == (double)(int)most)
            return r;
    }
    if (n == 2 && !s->reals->exactly && (f == MAX || f == MIN))
        return extreme(s, name, kid[0], kid[1]);
    return atom(s, (Atom){.kind = 'f', .name = name, .nkid = n, .kid = kid});
}

/* Is x 0, 1 or -1, and nothing is rounded for it? */
static bool
is_unit(SnCheckSteps *s, Sum x)
{
    return !x.rounds.n && !x.rounds.tap &&
           same(s, multiply(s, multiply(s, x, x), x), x);
}

/* The roundings of an expression: factors, divisors and powers pass on those of
 * each, others those of the worst of their parts.  The number of taps is an
 * integer; conditions and signs as factors, and choices, round nothing. */
static SnCheckRounds
rounds(SnCheckSteps *s, char kind, uint32_t n, const Sum *kid)
{
    int f = kind == 'f' ? function_of(s->at) : MAX;
    SnCheckRounds r = {0, 0};

    bool exact = (kind == '*' || kind == 's') &&
                 (is_unit(s, kid[0]) || is_unit(s, kid[n - 1]));
    for (uint32_t i = 0; i < n; i++) {
        SnCheckRounds k = kid[i].rounds;
        bool all = f == POW || strchr("*/", kind);
        r.n = all ? r.n + k.n : r.n > k.n ? r.n : k.n;
        r.tap = all ? r.tap + k.tap : r.tap > k.tap ? r.tap : k.tap;
    }
    r.n += functions[f].rounds + (strchr("+-*/", kind) && !exact);
    r.tap += kind == 's' && !exact;
    if (r.n > NROUND || r.tap > NROUND)
        sn_step_fail(s, "more than %u roundings", NROUND);
    return r;
}

/* The next expression. */
static bool
expression(SnCheckSteps *s)
{
    struct SnCheckReals *R = s->reals;
    char kind = *s->at;
    uint32_t npoly = kind == 'p' ? 1 : kind == 'c' ? 2 : 0;
    uint32_t nkid = strchr("+-*/c", kind) ? 2 : kind == 's';
    double v = 0;
    SnPoly *p;
    Sum *kid, x = {0};

    if (!kind || !strchr("#plf+-*/sc", kind))
        return sn_step_fail(s, "an expression that begins with '%c'", kind);
    s->at++;
    if (kind == '#') {
        char *end;
        v = strtod(s->at, &end);
        s->at = end;
    }
    if ((strchr("ls", kind) && !count(s, &npoly)) ||
        (kind == 'f' && !count(s, &nkid)) || !polys(s, npoly, &p) ||
        !kids(s, nkid, &kid))
        return false;
    switch (kind) {
    case '#':
        x = number(s, v);
        break;
    case 'p':
        x = of_poly(s, p[0]);
        break;
    case 'l':
        if (!has_rank(s, s->at, npoly))
            return false;
        x = atom(s,
                 (Atom){.kind = 'l', .name = s->at, .npoly = npoly, .poly = p});
        break;
    case 'f':
        x = function(s, nkid, kid);
        break;
    case '+':
        x = add(s, kid[0], kid[1]);
        break;
    case '*':
        x = multiply(s, kid[0], kid[1]);
        break;
    case '/':
        x = multiply(s, kid[0], inverse(s, kid[1]));
        break;
    case '-':
        x = add(s, kid[0], scaled(s, kid[1], -1));
        break;
    case 's':
        x = sum_over(s, npoly, p, kid[0]);
        break;
    default:
        x = choice(s, s->at, kid[0], kid[1], p);
        break;
    }
    x.rounds = rounds(s, kind, nkid, kid);
    SN_PUSH(s->a, R->term, R->nterm, x);
    return !s->c->error;
}

/* Facts about an atom of polynomials: places and flags. */
static bool
says(SnCheckSteps *s, char kind)
{
    struct SnCheckReals *R = s->reals;
    Said new = {.kind = kind};
    SnPoly none = {0};
    bool place = kind == 'b';

    if (!count(s, &new.atom) || !sn_step_read(s, &new.p))
        return false;
    SnPoly at = sn_poly_atom(&s->P, new.atom);
    if (new.atom >= s->P.n || !s->P.atom[new.atom].name ||
        !sn_poly_same(sn_step_norm(s, at), at) || said(s, 'b', new.atom) ||
        said(s, 'f', new.atom) || R->nplace == NPLACE || R->nterm)
        return sn_step_fail(s, "an atom of which more is known");
    new.p = sn_step_norm(s, new.p);
    new.side[0] = place ? at : new.p;
    new.side[1] = sn_poly_sub(&s->P, place ? new.p : none, new.side[0]);
    new.side[1] = sn_poly_plus(&s->P, new.side[1], -1);
    new.bit = place ? (uint64_t)1 << R->nplace++ : 0;
    SN_PUSH(s->a, R->said, R->nsaid, new);
    return true;
}

/* Is there a place in p, except in flags? */
static bool
has_place(const SnCheckSteps *s, SnPoly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        for (unsigned k = 0; k < p.m[i].n; k++) {
            SnPolyAtom t = s->P.atom[p.m[i].atom[k]];
            if (said(s, 'b', p.m[i].atom[k]) ||
                (!t.name && (has_place(s, t.x) || has_place(s, t.q))))
                return true;
        }
    return false;
}

/* Nothing is assumed about a place except its bounds. */
static bool
places_are_free(SnCheckSteps *s)
{
    bool is = false;

    for (uint32_t i = 0; i < s->now.fact.n; i++)
        is |= has_place(s, s->now.fact.v[i]);
    for (uint32_t i = 0; i < s->now.known.n; i++)
        is |= has_place(s, s->now.known.v[i]);
    for (uint32_t i = 0; i < s->now.neq; i++)
        is |= has_place(s, sn_poly_atom(&s->P, s->now.eq[i].atom)) ||
              has_place(s, s->now.eq[i].is);
    return !is || sn_step_fail(s, "something is assumed of a place");
}

static bool
alike(SnCheckSteps *s)
{
    Sum *x;

    if (!kids(s, 2, &x) || !places_are_free(s))
        return false;
    for (uint32_t i = 0; i < x[0].n; i++)
        if (places_of(s, &x[0].v[i]))
            return sn_step_fail(s, "a place outside of its sum");
    if (!same(s, x[0], x[1]))
        return sn_step_fail(s, "both sides have other normal forms");
    s->c->counted = true;
    for (int i = 0; i < 2; i++) {
        SnCheckRounds *most = &s->c->rounds[i], r = x[i].rounds;
        most->n = most->n > r.n ? most->n : r.n;
        most->tap = most->tap > r.tap ? most->tap : r.tap;
    }
    return s->now.same = true;
}

bool
sn_step_real(SnCheckSteps *s, char kind)
{
    if (kind == 'R') {
        s->reals = SN_NEW(s->a, struct SnCheckReals);
        s->reals->exactly = !strcmp(s->at, "exactly");
        return s->reals->exactly || !strcmp(s->at, "real") ||
               sn_step_fail(s, "expected real or exactly");
    }
    if (!s->reals)
        return sn_step_fail(s, "an expression before the line R");
    return kind == 'r' ? expression(s) : kind == 'l' ? alike(s) : says(s, kind);
}
