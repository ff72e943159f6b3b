// SPDX-License-Identifier: Apache-2.0
/* Sums of terms with constant factors, and what division makes of them.  With
 * 0 <= r < c the quotient of c * q + r is q and the rest is r; so an index that
 * is put together from places and taken apart again is simple again. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "map/term_priv.h"

enum { MAXLIN = 2 * SN_MAP_NVAR };

/* v + the sum of k * t, t ascending. */
typedef struct Lin {
    int64_t v;
    int n;
    SnMapLin at[MAXLIN];
    bool over; /* a number or the sum is too large */
} Lin;

static void
lin_none(Lin *l)
{
    l->v = 0;
    l->n = 0;
    l->over = false;
}

/* ---- ranges, which end at SN_MAP_FAR ---- */

static int64_t
near(int64_t v)
{
    return v > SN_MAP_FAR ? SN_MAP_FAR : v < -SN_MAP_FAR ? -SN_MAP_FAR : v;
}

/* a + k * b. */
static int64_t
reach(int64_t a, int64_t k, int64_t b)
{
    int64_t p;

    if (__builtin_mul_overflow(k, b, &p))
        return (k < 0) != (b < 0) ? -SN_MAP_FAR : SN_MAP_FAR;
    return near(near(p) + a);
}

static bool
is_far(int64_t v)
{
    return v >= SN_MAP_FAR || v <= -SN_MAP_FAR;
}

static void
lin_range(const SnMapTerms *T, const Lin *l, int64_t *lo, int64_t *hi)
{
    bool low = true, high = true;

    *lo = *hi = l->v;

    for (int i = 0; i < l->n; i++) {
        const SnMapTerm *t = &T->v[l->at[i].t];
        int64_t k = l->at[i].k;
        int64_t tl = k < 0 ? t->hi : t->lo, th = k < 0 ? t->lo : t->hi;
        low &= !is_far(tl);
        high &= !is_far(th);
        *lo = reach(*lo, k, tl);
        *hi = reach(*hi, k, th);
    }
    *lo = low ? *lo : -SN_MAP_FAR;
    *hi = high ? *hi : SN_MAP_FAR;
}

/* ---- sums ---- */

static void
lin_add_term(const SnMapTerms *T, Lin *l, int32_t t, int64_t k)
{
    int i = 0;

    while (i < l->n && l->at[i].t < t)
        i++;
    if (i < l->n && l->at[i].t == t) {
        l->over |= __builtin_add_overflow(l->at[i].k, k, &l->at[i].k);
        if (l->at[i].k == 0 && !T->v[t].partial) {
            l->n--;
            memmove(&l->at[i], &l->at[i + 1],
                    (size_t)(l->n - i) * sizeof *l->at);
        }
        return;
    }
    if (k == 0 && !T->v[t].partial)
        return;
    if (l->n == MAXLIN) {
        l->over = true;
        return;
    }
    memmove(&l->at[i + 1], &l->at[i], (size_t)(l->n - i) * sizeof *l->at);
    l->at[i] = (SnMapLin){t, k};
    l->n++;
}

/* l += k * x. */
static void
lin_add(const SnMapTerms *T, Lin *l, SnMapNum x, int64_t k)
{
    int64_t p;

    if (x.t >= 0 && T->v[x.t].op != SN_TM_LIN) {
        lin_add_term(T, l, x.t, k);
        return;
    }
    int64_t v = x.t >= 0 ? T->v[x.t].v : x.v;
    l->over |= __builtin_mul_overflow(v, k, &p) ||
               __builtin_add_overflow(l->v, p, &l->v);
    for (int64_t i = 0; x.t >= 0 && i < T->v[x.t].n; i++) {
        const SnMapLin *m = &T->v[x.t].lin[i];
        l->over |= __builtin_mul_overflow(m->k, k, &p);
        lin_add_term(T, l, m->t, p);
    }
}

static SnMapNum
lin_term(SnMapTerms *T, const Lin *l)
{
    SnMapTerm t = {.op = SN_TM_LIN, .v = l->v, .n = l->n, .lin = l->at};

    if (l->over || is_far(l->v))
        return sn_num_undefined();
    if (l->n == 0)
        return sn_num(l->v);
    if (l->n == 1 && l->at[0].k == 1 && l->v == 0)
        return (SnMapNum){0, l->at[0].t};
    lin_range(T, l, &t.lo, &t.hi);
    return sn_term_add(T, t);
}

/* Where l has k * c * (x / c) + k * (x % c), that is k * x. */
static bool
join_rest(SnMapTerms *T, Lin *l, int i)
{
    const SnMapTerm *m = &T->v[l->at[i].t];
    int64_t k = l->at[i].k, kc;

    if (m->op != SN_TM_MOD || m->kid[1].t != SN_NUM_INT || m->partial ||
        __builtin_mul_overflow(k, m->kid[1].v, &kc))
        return false;
    SnMapNum x = m->kid[0];
    SnMapNum q = sn_term_divide(T, x, m->kid[1], false);
    if (q.t < 0 || T->v[q.t].op == SN_TM_LIN)
        return false;
    for (int j = 0; j < l->n; j++)
        if (l->at[j].t == q.t && l->at[j].k == kc) {
            int32_t rest = l->at[i].t;
            lin_add_term(T, l, q.t, -kc);
            lin_add_term(T, l, rest, -k);
            lin_add(T, l, x, k);
            return true;
        }
    return false;
}

SnMapNum
sn_term_linear(SnMapTerms *T, SnMapNum a, SnMapNum b, int64_t k)
{
    Lin l;

    if (a.t == SN_NUM_INT && b.t == SN_NUM_INT)
        return sn_num_sum(a.v, b.v, k);
    lin_none(&l);
    lin_add(T, &l, a, 1);
    lin_add(T, &l, b, k);
    for (int i = 0; i < l.n; i++)
        if (join_rest(T, &l, i))
            i = -1;
    return lin_term(T, &l);
}

SnMapNum
sn_term_product(SnMapTerms *T, SnMapNum a, SnMapNum b)
{
    int64_t al, ah, bl, bh;

    if (b.t == SN_NUM_INT)
        return sn_term_linear(T, sn_num(0), a, b.v);
    if (a.t == SN_NUM_INT)
        return sn_term_linear(T, sn_num(0), b, a.v);
    sn_num_range(T, a, &al, &ah);
    sn_num_range(T, b, &bl, &bh);
    if (al < 0 || bl < 0 || is_far(ah) || is_far(bh))
        return sn_term_new(T, SN_TM_MUL, a, b, -SN_MAP_FAR, SN_MAP_FAR);
    return sn_term_new(T, SN_TM_MUL, a, b, reach(0, al, bl), reach(0, ah, bh));
}

/* ---- division ---- */

static int64_t
floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;

    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* l = c * q + r with 0 <= factors of r < c. */
static void
lin_split(const SnMapTerms *T, const Lin *l, int64_t c, Lin *q, Lin *r)
{
    q->v = floor_div(l->v, c);
    r->v = l->v - q->v * c;
    for (int i = 0; i < l->n; i++) {
        int64_t k = floor_div(l->at[i].k, c);
        lin_add_term(T, q, l->at[i].t, k);
        lin_add_term(T, r, l->at[i].t, l->at[i].k - k * c);
    }
}

/* A part g of c such that what of r is no multiple of g, *low, stays below g,
 * and so says nothing about r / c. */
static int64_t
unit(const SnMapTerms *T, const Lin *r, int64_t c, Lin *low)
{
    int64_t all = c, best = 1, lo, hi;

    for (int i = 0; i < r->n; i++)
        all = sn_gcd(all, r->at[i].k);
    *low = (Lin){0};
    for (int i = -1; i < r->n; i++) {
        int64_t g = i < 0 ? all : sn_gcd(c, r->at[i].k);
        Lin l = {.v = r->v % g};
        bool sure = g > best;
        for (int j = 0; j < r->n; j++)
            if (r->at[j].k % g) {
                lin_add_term(T, &l, r->at[j].t, r->at[j].k);
                sure &= !T->v[r->at[j].t].partial;
            }
        lin_range(T, &l, &lo, &hi);
        if (sure && lo >= 0 && hi < g) {
            best = g;
            *low = l;
        }
    }
    return best;
}

/* A quotient in what is divided: (r + y / b) / c is (b * r + y) / (b * c). */
static bool
unnest(const SnMapTerms *T, const Lin *r, int64_t *c, Lin *out)
{
    int i = 0;

    while (i < r->n && (r->at[i].k != 1 || T->v[r->at[i].t].op != SN_TM_DIV ||
                        T->v[r->at[i].t].kid[1].t != SN_NUM_INT ||
                        T->v[r->at[i].t].kid[1].v <= 0))
        i++;
    if (i == r->n)
        return false;
    const SnMapTerm *t = &T->v[r->at[i].t];
    int64_t by = t->kid[1].v, p;
    *out = (Lin){.over = r->over};
    out->over |= __builtin_mul_overflow(*c, by, &p) ||
                 __builtin_mul_overflow(r->v, by, &out->v);
    for (int j = 0; j < r->n; j++) {
        int64_t k;
        out->over |= __builtin_mul_overflow(r->at[j].k, by, &k);
        if (j != i)
            lin_add_term(T, out, r->at[j].t, k);
    }
    lin_add(T, out, t->kid[0], 1);
    if (out->over || is_far(p) || is_far(out->v))
        return false;
    *c = p;
    return true;
}

/* r / c or r % c, which are not known. */
static SnMapNum
divide_rest(SnMapTerms *T, Lin *r, int64_t c, bool mod)
{
    Lin low, high = {0}, whole;
    int64_t g = unit(T, r, c, &low), lo, hi;

    high.v = r->v / g;
    for (int i = 0; i < r->n; i++)
        if (r->at[i].k % g == 0)
            lin_add_term(T, &high, r->at[i].t, r->at[i].k / g);
    *r = high;
    lin_range(T, r, &lo, &hi);
    c /= g;
    SnMapNum x = lin_term(T, r), by = sn_num(c);
    if (mod) {
        SnMapNum m = sn_term_new(T, SN_TM_MOD, x, by, 0, c - 1);
        return sn_term_linear(T, lin_term(T, &low), m, g);
    }
    if (c == 1 || x.t == SN_NUM_UNDEFINED)
        return x;
    if (unnest(T, r, &by.v, &whole))
        return sn_term_divide(T, lin_term(T, &whole), by, false);
    return sn_term_new(T, SN_TM_DIV, x, sn_num(c),
                       is_far(lo) ? lo : floor_div(lo, c),
                       is_far(hi) ? hi : floor_div(hi, c));
}

/* Of a sum of terms, by a number above 0. */
static SnMapNum
divide_sum(SnMapTerms *T, SnMapNum a, int64_t c, bool mod)
{
    int64_t lo, hi;
    Lin l, q, r;

    lin_none(&l);
    lin_none(&q);
    lin_none(&r);
    lin_add(T, &l, a, 1);
    lin_split(T, &l, c, &q, &r);
    lin_range(T, &r, &lo, &hi);
    if (lo >= 0 && hi < c)
        return lin_term(T, mod ? &r : &q);
    if (mod)
        return divide_rest(T, &r, c, true);
    return sn_term_linear(T, divide_rest(T, &r, c, false), lin_term(T, &q), 1);
}

SnMapNum
sn_term_divide(SnMapTerms *T, SnMapNum a, SnMapNum b, bool mod)
{
    if (b.t >= 0) {
        SnMapNum x = sn_term_new(T, mod ? SN_TM_MOD : SN_TM_DIV, a, b,
                                 -SN_MAP_FAR, SN_MAP_FAR);
        if (x.t >= 0)
            T->v[x.t].partial = true;
        return x;
    }
    if (b.v == 0 || (b.v == -1 && a.v == INT64_MIN))
        return sn_num_undefined();
    if (a.t == SN_NUM_INT) {
        int64_t v = floor_div(a.v, b.v);
        return sn_num(mod ? a.v - v * b.v : v);
    }
    if (b.v < 0) /* a / -b, or what it leaves */
        return sn_term_new(T, mod ? SN_TM_MOD : SN_TM_DIV, a, b, -SN_MAP_FAR,
                           SN_MAP_FAR);
    return divide_sum(T, a, b.v, mod);
}

/* ---- reading ---- */

bool
sn_term_affine(const SnMapTerms *T, SnMapNum x, int64_t *coef, int64_t *v)
{
    memset(coef, 0, SN_MAP_NVAR * sizeof *coef);
    *v = x.v;
    if (x.t < 0)
        return x.t == SN_NUM_INT;
    const SnMapTerm *t = &T->v[x.t];
    if (t->op == SN_TM_VAR) {
        *v = 0;
        coef[t->v] = 1;
        return true;
    }
    if (t->op != SN_TM_LIN)
        return false;
    *v = t->v;
    for (int64_t i = 0; i < t->n; i++) {
        const SnMapTerm *u = &T->v[t->lin[i].t];
        if (u->op != SN_TM_VAR)
            return false;
        coef[u->v] = t->lin[i].k;
    }
    return true;
}
