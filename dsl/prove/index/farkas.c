// SPDX-License-Identifier: Apache-2.0
/* The first phase of the simplex method over fractions, by Bland's rule (R. G.
 * Bland, New finite pivoting rules for the simplex method, 1977), which never
 * cycles.  One row a monomial, one column a fact, and one for the number 1;
 * each row has an artificial column until a fact replaces it. */
#include "dsl/prove/index/farkas.h"

#include <string.h>

#include "base/num.h"

__extension__ typedef __int128 Wide;

typedef struct Frac {
    Wide n, d; /* d > 0, in lowest terms */
} Frac;

typedef struct Simplex {
    uint32_t nrow, ncol;
    SnMonomial row[SN_FARKAS_ROWS];
    Frac *t; /* [nrow + 1][ncol + 1]: the last row is what remains to be
                removed, the last column the right side; artificial columns are
                not kept, as none returns */
    int32_t base[SN_FARKAS_ROWS]; /* column, -1: the artificial one */
    bool over;
} Simplex;

/* ---- fractions ---- */

static Wide
gcd(Wide a, Wide b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    if (a <= INT64_MAX && b <= INT64_MAX)
        return sn_gcd((int64_t)a, (int64_t)b);
    while (b) {
        Wide r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static Frac
frac(Simplex *s, Wide n, Wide d)
{
    if (d == 1) /* most are integers */
        return (Frac){n, d};
    Wide g = gcd(n, d);

    if (d == 0 || g == 0) {
        s->over |= d == 0;
        return (Frac){0, 1};
    }
    if (d < 0)
        g = -g;
    return (Frac){n / g, d / g};
}

static Wide
mul(Simplex *s, Wide a, Wide b)
{
    Wide r = 0;

    s->over |= __builtin_mul_overflow(a, b, &r);
    return s->over ? 0 : r;
}

static Frac
over(Simplex *s, Frac a, Frac b)
{
    return frac(s, mul(s, a.n, b.d), mul(s, a.d, b.n));
}

/* Does it fit 63 bits, so that no product or sum of three exceeds 128? */
static bool
small(Wide a)
{
    return a == (int64_t)a && a != INT64_MIN;
}

/* a - b * c. */
static Frac
less(Simplex *s, Frac a, Frac b, Frac c)
{
    if (b.n == 0 || c.n == 0)
        return a;
    if (a.d == 1 && b.d == 1 && c.d == 1 && small(a.n) && small(b.n) &&
        small(c.n))
        return (Frac){a.n - b.n * c.n, 1};
    Frac p = frac(s, mul(s, b.n, c.n), mul(s, b.d, c.d));
    Wide r = 0;
    s->over |= __builtin_sub_overflow(mul(s, a.n, p.d), mul(s, p.n, a.d), &r);
    return frac(s, s->over ? 0 : r, mul(s, a.d, p.d));
}

/* a < b. */
static bool
below(Simplex *s, Frac a, Frac b)
{
    return mul(s, a.n, b.d) < mul(s, b.n, a.d);
}

/* ---- the table ---- */

static Frac *
cell(Simplex *s, uint32_t row, uint32_t col)
{
    return &s->t[(size_t)row * (s->ncol + 1) + col];
}

static int32_t
row_of(Simplex *s, const SnMonomial *m)
{
    for (uint32_t i = 0; i < s->nrow; i++)
        if (sn_monomial_same(&s->row[i], m))
            return (int32_t)i;
    if (s->nrow == SN_FARKAS_ROWS)
        return -1;
    s->row[s->nrow] = *m;
    return (int32_t)s->nrow++;
}

/* The rows of p's monomials, then of the facts' ones, into at. */
static bool
rows(Simplex *s, SnPoly p, uint32_t nfact, const SnPoly *fact, uint8_t *at)
{
    static const SnMonomial one = {.c = 1};
    bool fits = row_of(s, &one) == 0;

    for (uint32_t k = 0; k <= nfact && fits; k++) {
        SnPoly f = k ? fact[k - 1] : p;
        for (uint32_t i = 0; i < f.n && fits; i++) {
            int32_t r = row_of(s, &f.m[i]);
            fits = r >= 0;
            *at++ = (uint8_t)r;
        }
    }
    return fits;
}

/* How often a row has each sign among the facts that are left. */
typedef struct Signs {
    uint32_t above, below;
    int64_t want; /* p's coefficient */
} Signs;

static void
count(Signs *g, SnPoly f, const uint8_t *at, uint32_t by)
{
    for (uint32_t i = 0; i < f.n; i++)
        if (f.m[i].c > 0)
            g[at[i]].above += by;
        else
            g[at[i]].below += by;
}

/* Does a monomial of f, of which p has none, have one sign in all facts that
 * are left?  Then f's factor is 0. */
static bool
is_alone(const Signs *g, SnPoly f, const uint8_t *at)
{
    for (uint32_t i = 0; i < f.n; i++)
        if (!g[at[i]].want && (!g[at[i]].above || !g[at[i]].below))
            return true;
    return false;
}

/* Drops facts whose factor is 0 in each answer: fact[] and their rows become
 * fewer, *of says which are left.  False: no answer is left.  Row 0 is that of
 * the number 1, of which any may be left over. */
static bool
sieve(Simplex *s, SnPoly p, uint32_t *nfact, SnPoly *fact, uint8_t **at,
      uint32_t *of)
{
    Signs g[SN_FARKAS_ROWS] = {{.above = 1}};
    uint32_t n = 0, was;

    for (uint32_t i = 0; i < p.n; i++)
        g[at[0][i]].want = p.m[i].c;
    for (uint32_t k = 0; k < *nfact; k++)
        count(g, fact[k], at[k + 1], 1);
    do {
        was = *nfact;
        n = 0;
        for (uint32_t k = 0; k < was; k++) {
            if (is_alone(g, fact[k], at[k + 1])) {
                count(g, fact[k], at[k + 1], UINT32_MAX);
                continue;
            }
            fact[n] = fact[k];
            at[n + 1] = at[k + 1];
            of[n++] = of[k];
        }
        *nfact = n;
    } while (n < was);
    for (uint32_t r = 0; r < s->nrow; r++)
        if ((g[r].want > 0 && !g[r].above) || (g[r].want < 0 && !g[r].below))
            return false;
    return true;
}

static void
fill(Simplex *s, uint32_t col, SnPoly p, const uint8_t *at)
{
    for (uint32_t i = 0; i < p.n; i++)
        cell(s, at[i], col)->n = p.m[i].c;
}

/* Right sides are made positive; the last row is the sum of the others. */
static void
ready(Simplex *s)
{
    for (uint32_t i = 0; i < s->nrow; i++) {
        bool neg = cell(s, i, s->ncol)->n < 0;
        s->base[i] = -1;
        for (uint32_t k = 0; k <= s->ncol; k++) {
            Frac *c = cell(s, i, k), *z = cell(s, s->nrow, k);
            c->n = neg ? -c->n : c->n;
            z->n += c->n;
        }
    }
}

static void
pivot(Simplex *s, uint32_t row, uint32_t col)
{
    Frac by = *cell(s, row, col);
    uint32_t n = 0, at[SN_FARKAS_COLS + 1]; /* columns that are not 0 there */

    for (uint32_t k = 0; k <= s->ncol; k++)
        if (cell(s, row, k)->n) {
            *cell(s, row, k) = over(s, *cell(s, row, k), by);
            at[n++] = k;
        }
    for (uint32_t i = 0; i <= s->nrow; i++) {
        Frac f = *cell(s, i, col);
        if (i == row || f.n == 0)
            continue;
        for (uint32_t k = 0; k < n; k++)
            *cell(s, i, at[k]) =
                less(s, *cell(s, i, at[k]), f, *cell(s, row, at[k]));
    }
    s->base[row] = (int32_t)col;
}

/* The row that leaves: the least ratio, the first column of equal ones. */
static int32_t
leaves(Simplex *s, uint32_t col)
{
    int32_t best = -1;
    Frac least = {0, 1};

    for (uint32_t i = 0; i < s->nrow; i++) {
        if (cell(s, i, col)->n <= 0)
            continue;
        Frac q = over(s, *cell(s, i, s->ncol), *cell(s, i, col));
        bool same = best >= 0 && q.n == least.n && q.d == least.d;
        if (best < 0 || below(s, q, least) ||
            (same && s->base[i] < s->base[best])) {
            best = (int32_t)i;
            least = q;
        }
    }
    return best;
}

static bool
solve(Simplex *s)
{
    while (!s->over && cell(s, s->nrow, s->ncol)->n != 0) {
        uint32_t col = 0;
        while (col < s->ncol && cell(s, s->nrow, col)->n <= 0)
            col++;
        if (col == s->ncol)
            return false;
        int32_t row = leaves(s, col);
        if (row < 0)
            return false;
        pivot(s, (uint32_t)row, col);
    }
    return !s->over;
}

/* The factors that the bases have; the number 1 is the last column. */
static bool
factors(Simplex *s, SnArena *a, uint32_t *n, SnFactor **out)
{
    *n = 0;
    *out = SN_NEW_N(a, SnFactor, s->nrow + 1);
    for (uint32_t i = 0; i < s->nrow; i++) {
        Frac f = *cell(s, i, s->ncol);
        if (s->base[i] < 0 || f.n == 0 || (uint32_t)s->base[i] == s->ncol - 1)
            continue;
        if (f.n > INT64_MAX || f.d > INT64_MAX)
            return false;
        (*out)[(*n)++] =
            (SnFactor){(uint32_t)s->base[i], (int64_t)f.n, (int64_t)f.d};
    }
    return true;
}

/* The simplex method over what sieve() leaves. */
static bool
answer(Simplex *s, SnPoly p, uint32_t nfact, const SnPoly *fact, uint8_t **at,
       SnArena *mine)
{
    size_t ncell;

    s->ncol = nfact + 1;
    ncell = (size_t)(s->nrow + 1) * (s->ncol + 1);
    s->t = SN_NEW_N(mine, Frac, ncell);
    for (size_t i = 0; i < ncell; i++)
        s->t[i].d = 1;
    for (uint32_t k = 0; k < nfact; k++)
        fill(s, k, fact[k], at[k + 1]);
    cell(s, 0, nfact)->n = 1;
    fill(s, s->ncol, p, at[0]);
    ready(s);
    return solve(s);
}

bool
sn_farkas(SnArena *a, SnPoly p, uint32_t nfact, const SnPoly *fact, uint32_t *n,
          SnFactor **out)
{
    SnArena *mine = sn_arena_new(); /* the table may be large */
    Simplex s = {0};
    SnPoly left[SN_FARKAS_COLS];
    uint32_t of[SN_FARKAS_COLS], nmono = p.n;
    uint8_t *at[SN_FARKAS_COLS + 1];
    bool found = nfact < SN_FARKAS_COLS;

    for (uint32_t k = 0; k < nfact && found; k++) {
        left[k] = fact[k];
        of[k] = k;
        nmono += fact[k].n;
    }
    uint8_t *all = SN_NEW_N(mine, uint8_t, nmono + 1);
    found = found && rows(&s, p, nfact, fact, all);
    at[0] = all;
    for (uint32_t k = 0; k < nfact && found; k++)
        at[k + 1] = at[k] + (k ? fact[k - 1].n : p.n);
    found = found && sieve(&s, p, &nfact, left, at, of) &&
            answer(&s, p, nfact, left, at, mine) && factors(&s, a, n, out);
    for (uint32_t i = 0; i < (found ? *n : 0); i++)
        (*out)[i].fact = of[(*out)[i].fact];
    sn_arena_free(mine);
    return found;
}
