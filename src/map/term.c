// SPDX-License-Identifier: Apache-2.0
/* Making terms. */
#include "map/term.h"

#include <math.h>

#include "base/num.h"
#include "map/term_priv.h"

SnMapNum
sn_num_real(float r)
{
    return (SnMapNum){(int32_t)sn_bits_f32(r), SN_NUM_REAL};
}

float
sn_num_float(SnMapNum x)
{
    return x.t == SN_NUM_INT ? (float)x.v : sn_f32_of_bits((uint32_t)x.v);
}

void
sn_num_range(const SnMapTerms *T, SnMapNum x, int64_t *lo, int64_t *hi)
{
    *lo = -SN_MAP_FAR;
    *hi = SN_MAP_FAR;
    if (x.t == SN_NUM_INT) {
        *lo = *hi = x.v;
    } else if (x.t >= 0 && !T->v[x.t].real) {
        *lo = T->v[x.t].lo;
        *hi = T->v[x.t].hi;
    }
}

uint32_t
sn_num_vars(const SnMapTerms *T, SnMapNum x)
{
    return x.t >= 0 ? T->v[x.t].vars : 0;
}

/* ---- one place for each term ---- */

static bool
same_lin(const SnMapTerm *a, const SnMapTerm *b)
{
    for (int64_t i = 0; i < a->n; i++)
        if (a->lin[i].t != b->lin[i].t || a->lin[i].k != b->lin[i].k)
            return false;
    return true;
}

static bool
same_term(const SnMapTerm *a, const SnMapTerm *b)
{
    if (a->op != b->op || a->v != b->v || a->n != b->n || a->tab != b->tab)
        return false;
    for (int i = 0; i < 3; i++)
        if (a->kid[i].t != b->kid[i].t || a->kid[i].v != b->kid[i].v)
            return false;
    return a->op != SN_TM_LIN || same_lin(a, b);
}

static uint64_t
mix(uint64_t h, int64_t v)
{
    return (h ^ (uint64_t)v) * UINT64_C(0x100000001b3);
}

static uint64_t
hash_of(const SnMapTerm *t)
{
    uint64_t h = mix(mix(t->op, t->v), t->n);

    for (int i = 0; i < 3; i++)
        h = mix(mix(h, t->kid[i].t), t->kid[i].v);
    for (int64_t i = 0; t->op == SN_TM_LIN && i < t->n; i++)
        h = mix(mix(h, t->lin[i].t), t->lin[i].k);
    return h;
}

/* What t has from the terms it is made of. */
static void
inherit(const SnMapTerms *T, SnMapTerm *t, SnMapNum x)
{
    if (x.t == SN_NUM_UNDEFINED)
        t->partial = true;
    if (x.t < 0)
        return;
    t->vars |= T->v[x.t].vars;
    t->data |= T->v[x.t].data;
    t->partial |= T->v[x.t].partial;
}

SnMapNum
sn_term_add(SnMapTerms *T, SnMapTerm t)
{
    for (int i = 0; i < 3; i++) {
        if (t.op <= SN_TM_LIN)
            t.kid[i] = sn_num(0);
        inherit(T, &t, t.kid[i]);
    }
    for (int64_t i = 0; t.op == SN_TM_LIN && i < t.n; i++)
        inherit(T, &t, (SnMapNum){0, t.lin[i].t});
    if (t.op == SN_TM_DEFINED)
        t.partial = false;
    if (t.lo < -SN_MAP_FAR)
        t.lo = -SN_MAP_FAR;
    if (t.hi > SN_MAP_FAR)
        t.hi = SN_MAP_FAR;
    if (!t.real && !t.partial && t.lo == t.hi)
        return sn_num(t.lo);
    uint64_t hash = hash_of(&t);
    size_t probe = 0;
    for (uint32_t i;
         (i = sn_hashes_next(&T->known, hash, &probe)) != SN_HASHES_END;)
        if (same_term(&T->v[i], &t))
            return (SnMapNum){0, (int32_t)i};
    sn_hashes_add(&T->known, hash, T->n);
    if (t.op == SN_TM_LIN)
        t.lin = sn_memdup(T->a, t.lin, (size_t)t.n * sizeof *t.lin);
    SN_PUSH(T->a, T->v, T->n, t);
    return (SnMapNum){0, (int32_t)T->n - 1};
}

SnMapNum
sn_term_new(SnMapTerms *T, SnTermOp op, SnMapNum a, SnMapNum b, int64_t lo,
            int64_t hi)
{
    return sn_term_add(T, (SnMapTerm){.op = (uint8_t)op,
                                      .lo = lo,
                                      .hi = hi,
                                      .kid = {a, b, sn_num(0)}});
}

SnMapNum
sn_term_var(SnMapTerms *T, unsigned v, int64_t hi)
{
    return sn_term_add(T, (SnMapTerm){.op = SN_TM_VAR,
                                      .v = v,
                                      .vars = UINT32_C(1) << v,
                                      .lo = 0,
                                      .hi = hi > 0 ? hi : 0});
}

/* ---- reals ---- */

static bool
is_real(const SnMapTerms *T, SnMapNum x)
{
    return x.t == SN_NUM_REAL || (x.t >= 0 && T->v[x.t].real);
}

static SnMapNum
to_real(SnMapTerms *T, SnMapNum x)
{
    if (is_real(T, x))
        return x;
    if (x.t == SN_NUM_INT)
        return sn_num_real((float)x.v);
    return sn_term_add(T, (SnMapTerm){.op = SN_TM_REAL,
                                      .real = true,
                                      .kid = {x, sn_num(0), sn_num(0)}});
}

static SnMapNum
real_term(SnMapTerms *T, SnTermOp op, SnMapNum a, SnMapNum b)
{
    bool truth = op == SN_TM_REQ || op == SN_TM_RLT || op == SN_TM_RLE;

    a = to_real(T, a);
    b = to_real(T, b);
    if (a.t == SN_NUM_REAL && b.t == SN_NUM_REAL) {
        int64_t v = sn_term_compute(op, a.v, b.v, 0);
        return (SnMapNum){v, truth ? SN_NUM_INT : SN_NUM_REAL};
    }
    return sn_term_add(T, (SnMapTerm){.op = (uint8_t)op,
                                      .real = !truth,
                                      .lo = 0,
                                      .hi = 1,
                                      .kid = {a, b, sn_num(0)}});
}

/* floor, ceil: an integer, where there is one. */
static SnMapNum
real_to_int(SnMapTerms *T, SnTermOp op, SnMapNum a)
{
    if (!is_real(T, a))
        return a;
    if (a.t == SN_NUM_REAL) {
        int64_t v = sn_term_compute(op, a.v, 0, 0);
        return v == SN_MAP_UNDEFINED ? sn_num_undefined() : sn_num(v);
    }
    return sn_term_add(T, (SnMapTerm){.op = (uint8_t)op,
                                      .partial = true,
                                      .lo = -SN_MAP_FAR,
                                      .hi = SN_MAP_FAR,
                                      .kid = {a, sn_num(0), sn_num(0)}});
}

static SnMapNum
apply_real(SnMapTerms *T, SnMapOp op, SnMapNum a, SnMapNum b)
{
    static const uint8_t as[] = {
        [SN_MO_ADD] = SN_TM_RADD, [SN_MO_SUB] = SN_TM_RSUB,
        [SN_MO_MUL] = SN_TM_RMUL, [SN_MO_DIV] = SN_TM_RDIV,
        [SN_MO_MIN] = SN_TM_RMIN, [SN_MO_MAX] = SN_TM_RMAX,
        [SN_MO_EQ] = SN_TM_REQ,   [SN_MO_NE] = SN_TM_REQ,
        [SN_MO_LT] = SN_TM_RLT,   [SN_MO_LE] = SN_TM_RLE,
        [SN_MO_GT] = SN_TM_RLT,   [SN_MO_GE] = SN_TM_RLE};
    bool swap = op == SN_MO_GT || op == SN_MO_GE;

    if (op == SN_MO_NEG)
        return real_term(T, SN_TM_RSUB, sn_num_real(-0.0f), a);
    if (op == SN_MO_ABS)
        return real_term(T, SN_TM_RABS, a, sn_num_real(0));
    if (op >= sizeof as || !as[op])
        return sn_num_undefined();
    SnMapNum r = real_term(T, as[op], swap ? b : a, swap ? a : b);
    return op == SN_MO_NE ? sn_term_apply(T, SN_MO_NOT, r, r) : r;
}

/* ---- integers and truth values ---- */

static SnMapNum
compare(SnMapTerms *T, SnTermOp op, SnMapNum a, SnMapNum b)
{
    int64_t lo, hi, most = op == SN_TM_LT ? -1 : 0;

    /* the difference with 0: it may be a number although neither is one */
    SnMapNum d = sn_term_linear(T, a, b, -1);
    if (d.t == SN_NUM_UNDEFINED)
        return d;
    sn_num_range(T, d, &lo, &hi);
    if (d.t == SN_NUM_INT || !T->v[d.t].partial) {
        if (op == SN_TM_EQ && (lo > 0 || hi < 0))
            return sn_num(0);
        if (op == SN_TM_EQ && lo == 0 && hi == 0)
            return sn_num(1);
        if (op != SN_TM_EQ && hi <= most)
            return sn_num(1);
        if (op != SN_TM_EQ && lo > most)
            return sn_num(0);
    }
    return sn_term_new(T, op, d, sn_num(0), 0, 1);
}

static SnMapNum
negated(SnMapTerms *T, SnMapNum a)
{
    if (a.t == SN_NUM_INT)
        return sn_num(!a.v);
    return a.t < 0 ? a : sn_term_new(T, SN_TM_NOT, a, sn_num(0), 0, 1);
}

static SnMapNum
both(SnMapTerms *T, SnMapNum a, SnMapNum b, bool any)
{
    if (a.t == SN_NUM_UNDEFINED)
        return a;
    if (a.t == SN_NUM_INT)
        return (a.v != 0) == any ? sn_num(any) : b;
    if (sn_num_is(b, !any))
        return a;
    return sn_term_new(T, any ? SN_TM_OR : SN_TM_AND, a, b, 0, 1);
}

static SnMapNum
extreme(SnMapTerms *T, SnMapNum a, SnMapNum b, bool max)
{
    int64_t al, ah, bl, bh;

    sn_num_range(T, a, &al, &ah);
    sn_num_range(T, b, &bl, &bh);
    bool sure =
        !(a.t >= 0 && T->v[a.t].partial) && !(b.t >= 0 && T->v[b.t].partial);
    if (sure && (max ? al >= bh : ah <= bl))
        return a;
    if (sure && (max ? bl >= ah : bh <= al))
        return b;
    if (max)
        return sn_term_new(T, SN_TM_MAX, a, b, al > bl ? al : bl,
                           ah > bh ? ah : bh);
    return sn_term_new(T, SN_TM_MIN, a, b, al < bl ? al : bl,
                       ah < bh ? ah : bh);
}

static SnMapNum
absolute(SnMapTerms *T, SnMapNum a)
{
    int64_t lo, hi;

    sn_num_range(T, a, &lo, &hi);
    if (a.t == SN_NUM_INT)
        return a.v == INT64_MIN ? sn_num_undefined()
                                : sn_num(a.v < 0 ? -a.v : a.v);
    if (lo >= 0)
        return a;
    return sn_term_new(T, SN_TM_ABS, a, sn_num(0), 0, -lo > hi ? -lo : hi);
}

static SnMapNum
apply_int(SnMapTerms *T, SnMapOp op, SnMapNum a, SnMapNum b)
{
    switch (op) {
    case SN_MO_NEG:
        return sn_term_linear(T, sn_num(0), a, -1);
    case SN_MO_ADD:
        return sn_term_linear(T, a, b, 1);
    case SN_MO_SUB:
        return sn_term_linear(T, a, b, -1);
    case SN_MO_MUL:
        return sn_term_product(T, a, b);
    case SN_MO_DIV:
        return sn_term_divide(T, a, b, false);
    case SN_MO_MOD:
        return sn_term_divide(T, a, b, true);
    case SN_MO_MIN:
        return extreme(T, a, b, false);
    case SN_MO_MAX:
        return extreme(T, a, b, true);
    case SN_MO_ABS:
        return absolute(T, a);
    case SN_MO_EQ:
        return compare(T, SN_TM_EQ, a, b);
    case SN_MO_NE:
        return negated(T, compare(T, SN_TM_EQ, a, b));
    case SN_MO_LT:
        return compare(T, SN_TM_LT, a, b);
    case SN_MO_LE:
        return compare(T, SN_TM_LE, a, b);
    case SN_MO_GT:
        return compare(T, SN_TM_LT, b, a);
    case SN_MO_GE:
        return compare(T, SN_TM_LE, b, a);
    default:
        return sn_num_undefined();
    }
}

SnMapNum
sn_term_apply(SnMapTerms *T, SnMapOp op, SnMapNum a, SnMapNum b)
{
    SnMapNum r;

    if (a.t == SN_NUM_INT && b.t == SN_NUM_INT &&
        sn_num_apply(op, a.v, b.v, &r))
        return r;
    bool one = op == SN_MO_NEG || op == SN_MO_NOT || op == SN_MO_ABS ||
               op == SN_MO_FLOOR || op == SN_MO_CEIL || op == SN_MO_TOREAL;

    if (op == SN_MO_AND || op == SN_MO_OR)
        return both(T, a, b, op == SN_MO_OR);
    if (a.t == SN_NUM_UNDEFINED)
        return a;
    if (!one && b.t == SN_NUM_UNDEFINED)
        return b;
    switch (op) {
    case SN_MO_NOT:
        return negated(T, a);
    case SN_MO_TOREAL:
        return to_real(T, a);
    case SN_MO_FLOOR:
        return real_to_int(T, SN_TM_FLOOR, a);
    case SN_MO_CEIL:
        return real_to_int(T, SN_TM_CEIL, a);
    default:
        if (is_real(T, a) || (!one && is_real(T, b)))
            return apply_real(T, op, a, b);
        return apply_int(T, op, a, b);
    }
}

SnMapNum
sn_term_select(SnMapTerms *T, SnMapNum c, SnMapNum a, SnMapNum b)
{
    int64_t al, ah, bl, bh;

    if (c.t == SN_NUM_UNDEFINED)
        return c;
    if (c.t == SN_NUM_INT)
        return c.v ? a : b;
    if (a.t == b.t && a.v == b.v && !T->v[c.t].partial)
        return a;
    bool real = is_real(T, a) || is_real(T, b);
    if (real) {
        a = a.t == SN_NUM_UNDEFINED ? a : to_real(T, a);
        b = b.t == SN_NUM_UNDEFINED ? b : to_real(T, b);
    }
    sn_num_range(T, a, &al, &ah);
    sn_num_range(T, b, &bl, &bh);
    return sn_term_add(T, (SnMapTerm){.op = SN_TM_SELECT,
                                      .real = real,
                                      .lo = al < bl ? al : bl,
                                      .hi = ah > bh ? ah : bh,
                                      .kid = {c, a, b}});
}

SnMapNum
sn_term_defined(SnMapTerms *T, SnMapNum a)
{
    if (a.t >= 0 && T->v[a.t].partial)
        return sn_term_new(T, SN_TM_DEFINED, a, sn_num(0), 0, 1);
    return sn_num(a.t != SN_NUM_UNDEFINED);
}

SnMapNum
sn_term_list(SnMapTerms *T, const SnMapNum *v, int64_t n, SnMapNum i)
{
    int64_t lo, hi, *tab = SN_NEW_N(T->a, int64_t, n);
    int64_t least = SN_MAP_FAR, most = -SN_MAP_FAR;

    sn_num_range(T, i, &lo, &hi);
    for (int64_t k = 0; k < n; k++) {
        if (v[k].t != SN_NUM_INT)
            return sn_num_undefined();
        tab[k] = v[k].v;
        least = tab[k] < least ? tab[k] : least;
        most = tab[k] > most ? tab[k] : most;
    }
    return sn_term_add(T, (SnMapTerm){.op = SN_TM_LIST,
                                      .n = n,
                                      .tab = tab,
                                      .partial = lo < 0 || hi >= n,
                                      .lo = least,
                                      .hi = most,
                                      .kid = {i, sn_num(0), sn_num(0)}});
}

SnMapNum
sn_term_data(SnMapTerms *T, const void *data, int width, int64_t n, SnMapNum i)
{
    int64_t far = width < 8 ? INT64_C(1) << (8 * width - 1) : SN_MAP_FAR;

    return sn_term_add(T, (SnMapTerm){.op = SN_TM_DATA,
                                      .v = width,
                                      .n = n,
                                      .tab = data,
                                      .partial = true,
                                      .data = true,
                                      .lo = -far,
                                      .hi = width < 8 ? far - 1 : far,
                                      .kid = {i, sn_num(0), sn_num(0)}});
}
