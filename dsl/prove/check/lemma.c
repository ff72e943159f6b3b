// SPDX-License-Identifier: Apache-2.0
/* Lemmas L0 to L5 of docs/proofs.md, applied to two terms; and real functions,
 * which are made from the terms here. */
#include "dsl/prove/check/terms.h"

#include <string.h>

static SnCheckTerm
term(const SnCheckSteps *s, uint32_t i)
{
    return s->terms->v[i];
}

static bool
is_f32(SnCheckSteps *s, int32_t type)
{
    return sn_check_term_may(s, type) == (SN_TYPE_IS_F32 | SN_TYPE_F32);
}

static bool
wraps(SnCheckSteps *s, int32_t type)
{
    return !is_f32(s, type) && (sn_check_term_may(s, type) & SN_TYPE_WRAPS);
}

static uint32_t
over_kid(SnCheckSteps *s, const SnCheckTerm *f, uint32_t kid)
{
    return sn_check_term_with(s, *f, 1, &kid);
}

/* q:T of a constant, without saturations. */
static uint32_t
constant(SnCheckSteps *s, int32_t type, int32_t value)
{
    uint32_t c = sn_check_term_with(
        s, (SnCheckTerm){.kind = 'c', .name = value, .type = -1}, 0, NULL);
    SnCheckTerm q = {.kind = 'q', .name = -1, .type = type};

    return over_kid(s, &q, c);
}

static bool
choice(const SnCheckTerm *t)
{
    return strchr("xmXM", t->kind) != NULL;
}

static bool
is_move(const SnCheckTerm *t)
{
    return t->kind == 'p' || t->kind == 'P';
}

/* ---- rules that keep each bit: is t = j? ---- */

/* Without the clamps that cover the range of the type. */
static bool
drops_wide(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    int32_t *v = SN_NEW_N(s->a, int32_t, t.nsat + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < t.nsat; i++)
        if (!sn_check_term_idle(s, t.sat[i], "@", t.type))
            v[n++] = t.sat[i];
    t.sat = v;
    t.nsat = n;
    return t.kind == 'q' &&
           sn_check_term_alike(s, over_kid(s, &t, t.kid[0]), j);
}

/* q and d of reals do nothing, except for integers that binary32 rounds. */
static bool
nothing(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    SnCheckTerm x = term(s, t.kid[0]);
    bool rough = t.kind == 'q' && x.kind == 'd' && !is_f32(s, x.type) &&
                 (sn_check_term_may(s, x.type) & SN_TYPE_WIDE);

    return (t.kind == 'q' || t.kind == 'd') && is_f32(s, t.type) && !t.nsat &&
           !rough && sn_check_term_alike(s, t.kid[0], j);
}

/* L0: q:T(d:T(x)) = x. */
static bool
there_and_back(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    SnCheckTerm d = term(s, t.kid[0]), x = term(s, d.kid[0]);
    bool idle = !t.nsat || x.kind == 'v';

    for (uint32_t i = 0; i < t.nsat && idle; i++)
        idle = sn_check_term_idle(s, t.sat[i], "reach ", x.name);
    return t.kind == 'q' && d.kind == 'd' && t.type == d.type && idle &&
           !(sn_check_term_may(s, t.type) & SN_TYPE_QI32) &&
           sn_check_term_alike(s, d.kid[0], j);
}

/* Is no value of t NaN, where f is q of codes?  Sums and products of numbers
 * are numbers: the reals that codes represent do not overflow. */
static bool
is_number(SnCheckSteps *s, const SnCheckTerm *f, SnCheckTerm t)
{
    if (t.kind == 'c')
        return true;
    if (t.kind == 'd')
        return f->own || !(sn_check_term_may(s, t.type) & SN_TYPE_F32);
    bool all = strchr("pPnxmXMeo+-*", t.kind) != NULL;
    for (uint32_t i = 0; i < t.nkid && all; i++)
        all = is_number(s, f, term(s, t.kid[i]));
    return all;
}

/* q:T[S](d:T(q:T[S2](e))), and q:T[S](q:f32[S2](e)), = q:T[S, S2](e). */
static bool
joins(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    SnCheckTerm d = term(s, t.kid[0]);
    bool codes = d.kind == 'd';
    SnCheckTerm in = codes ? term(s, d.kid[0]) : d;
    int32_t *v = SN_NEW_N(s->a, int32_t, t.nsat + in.nsat + 1);

    if (t.kind != 'q' || in.kind != 'q' ||
        (codes ? d.type != t.type || in.type != t.type ||
                     (sn_check_term_may(s, t.type) & SN_TYPE_QI32)
               : !is_f32(s, in.type) ||
                     (in.nsat && !is_number(s, &t, term(s, in.kid[0])))))
        return false;
    for (uint32_t i = 0; i < t.nsat + in.nsat; i++)
        v[i] = i < t.nsat ? t.sat[i] : in.sat[i - t.nsat];
    t.sat = v;
    t.nsat += in.nsat;
    return sn_check_term_alike(s, over_kid(s, &t, in.kid[0]), j);
}

/* L3, as the guard compares: q:T(d:S(q:S(c))) = q:T(c). */
static bool
rounds_alike(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    SnCheckTerm d = term(s, t.kid[0]), q = term(s, d.kid[0]),
                c = term(s, q.kid[0]);

    return sn_check_term_fact(s, 'K', -1, -1, -1, -1) && t.kind == 'q' &&
           d.kind == 'd' && q.kind == 'q' && c.kind == 'c' &&
           sn_check_term_alike(s, constant(s, t.type, c.name), j);
}

/* q:T[S, bounds(T, lo, hi), S2](e) =
 * q:T[S](d:T(min(max(q:T[S2](e), q:T(lo)), q:T(hi)))). */
static bool
unbounded(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    const SnCheckFact *f = NULL;
    uint32_t at = 0;

    while (at < t.nsat &&
           !(f = sn_check_term_fact(s, 'B', t.sat[at], t.type, -1, -1)))
        at++;
    if (t.kind != 'q' || !f || (sn_check_term_may(s, t.type) & SN_TYPE_ALONG))
        return false;
    SnCheckTerm in = t, d = {.kind = 'd', .name = -1, .type = t.type};
    in.nsat -= at + 1;
    in.sat += at + 1;
    uint32_t e = over_kid(s, &in, t.kid[0]);
    for (int i = 0; i < 2; i++) {
        SnCheckTerm m = {.kind = i ? 'm' : 'x', .name = -1, .type = -1};
        if (f->v[2 + i] >= 0)
            e = sn_check_term_with(
                s, m, 2, (uint32_t[]){e, constant(s, t.type, f->v[2 + i])});
    }
    t.nsat = at;
    if (at)
        e = over_kid(s, &t, over_kid(s, &d, e));
    return sn_check_term_alike(s, e, j);
}

/* L1, L2: q and d move inside moves, and inside max and min where they keep
 * order. */
static bool
goes_inside(SnCheckSteps *s, SnCheckTerm f, uint32_t j)
{
    SnCheckTerm x = term(s, f.kid[0]);
    uint32_t kid[SN_TERM_NKID];
    bool ok = is_move(&x)
                  ? !(sn_check_term_may(s, f.type) & SN_TYPE_ALONG)
                  : choice(&x) &&
                        (f.kind == 'd' || is_f32(s, f.type) ||
                         ((f.own || !wraps(s, f.type)) && is_number(s, &f, x)));

    if ((f.kind != 'q' && f.kind != 'd') || !ok)
        return false;
    for (uint32_t i = 0; i < x.nkid; i++)
        kid[i] = over_kid(s, &f, x.kid[i]);
    return sn_check_term_alike(s, sn_check_term_with(s, x, x.nkid, kid), j);
}

/* The same value everywhere. */
static bool
is_fixed(SnCheckSteps *s, SnCheckTerm t)
{
    bool all = t.kind != 'v';

    for (uint32_t i = 0; i < t.nkid && all; i++)
        all = is_fixed(s, term(s, t.kid[i]));
    return all;
}

/* The shape that t takes from its operands; -1: not known. */
static int32_t
shape_of(SnCheckSteps *s, SnCheckTerm t)
{
    const SnCheckFact *f =
        t.kind == 'v' ? sn_check_term_fact(s, 'H', t.name, -1, -1, -1) : NULL;
    int32_t all = -1;

    if (t.kind == 'v' || is_move(&t) || strchr("XMeo", t.kind))
        return f ? f->v[1] : -1;
    for (uint32_t i = 0; i < t.nkid; i++) {
        SnCheckTerm k = term(s, t.kid[i]);
        int32_t one = is_fixed(s, k) ? all : shape_of(s, k);
        if (!is_fixed(s, k) && (one < 0 || (all >= 0 && one != all)))
            return -1;
        all = one;
    }
    return all;
}

/* One move of operands with one shape, or a permutation of axes: these combine
 * as the moved operands do. */
static bool
meet_alike(SnCheckSteps *s, const SnCheckTerm *m, const SnCheckTerm *k)
{
    int32_t x = shape_of(s, term(s, m->kid[0]));

    return m->kind == k->kind && m->name == k->name &&
           (m->kind == 'P' || (x >= 0 && x == shape_of(s, term(s, k->kid[0]))));
}

/* L1: a move below a function of elements comes out. */
static bool
comes_out(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    SnCheckTerm m = {.kind = 0};
    uint32_t kid[SN_TERM_NKID];

    if (strchr("pPrXMeo", t.kind) ||
        (t.type >= 0 && (sn_check_term_may(s, t.type) & SN_TYPE_ALONG)))
        return false;
    for (uint32_t i = 0; i < t.nkid; i++) {
        SnCheckTerm k = term(s, t.kid[i]);
        bool stays = is_fixed(s, k);
        if (!stays &&
            (!is_move(&k) || k.nkid != 1 || (m.kind && !meet_alike(s, &m, &k))))
            return false;
        m = stays ? m : k;
        kid[i] = stays ? t.kid[i] : k.kid[0];
    }
    return m.kind &&
           sn_check_term_alike(
               s, over_kid(s, &m, sn_check_term_with(s, t, t.nkid, kid)), j);
}

/* max of the value x with q:T(c), where bounds(T, c, _) does nothing to x. */
static bool
beyond(SnCheckSteps *s, char kind, SnCheckTerm x, SnCheckTerm q)
{
    if (x.kind != 'v' || q.kind != 'q' || q.nsat ||
        (sn_check_term_may(s, q.type) & SN_TYPE_F32) ||
        term(s, q.kid[0]).kind != 'c')
        return false;
    int32_t c = term(s, q.kid[0]).name;
    for (uint32_t i = 0; i < s->terms->nfact; i++) {
        const SnCheckFact *f = &s->terms->fact[i];
        if (f->kind == 'B' && f->v[1] == q.type &&
            f->v[kind == 'x' ? 2 : 3] == c &&
            sn_check_term_idle(s, f->v[0], "reach ", x.name))
            return true;
    }
    return false;
}

/* Two constants, of one type if they are codes, for which x >= y was read. */
static bool
is_least(SnCheckSteps *s, SnCheckTerm x, SnCheckTerm y)
{
    if (x.kind != y.kind || x.type != y.type || x.nsat || y.nsat)
        return false;
    if (x.kind == 'q') {
        x = term(s, x.kid[0]);
        y = term(s, y.kid[0]);
    }
    return x.kind == 'c' && y.kind == 'c' &&
           sn_check_term_fact(s, 'W', x.name, y.name, -1, -1);
}

static bool
clears(SnCheckSteps *s, char kind, SnCheckTerm x, SnCheckTerm k)
{
    if (x.kind != 'x' && x.kind != 'm')
        return kind == 'x' ? is_least(s, x, k) : is_least(s, k, x);
    bool a = clears(s, kind, term(s, x.kid[0]), k),
         b = clears(s, kind, term(s, x.kid[1]), k);
    return x.kind == kind ? a || b : a && b;
}

/* An operand of max or min that equals the result, the first of equal ones. */
static bool
is_operand(SnCheckSteps *s, SnCheckTerm t, uint32_t j)
{
    if (t.kind != 'x' && t.kind != 'm')
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        SnCheckTerm in = term(s, t.kid[i]), other = term(s, t.kid[!i]);
        bool within =
            in.kind == t.kind &&
            (sn_check_term_alike(s, in.kid[0], t.kid[!i]) ||
             (i == 0 && sn_check_term_alike(s, in.kid[1], t.kid[!i])));
        if (sn_check_term_alike(s, t.kid[i], j) &&
            (within || beyond(s, t.kind, in, other) ||
             (i == 0 && (sn_check_term_alike(s, t.kid[0], t.kid[1]) ||
                         clears(s, t.kind, in, other)))))
            return true;
    }
    return false;
}

bool
sn_check_term_follows(SnCheckSteps *s, char rule, uint32_t i, uint32_t j)
{
    static const struct {
        char rule;
        bool (*gives)(SnCheckSteps *s, SnCheckTerm t, uint32_t j);
    } rules[] = {{'d', drops_wide},  {'r', nothing},      {'0', there_and_back},
                 {'1', joins},       {'k', rounds_alike}, {'b', unbounded},
                 {'p', goes_inside}, {'e', comes_out},    {'x', is_operand}};
    SnCheckTerm t = term(s, i);
    size_t k = 0;

    while (k < sizeof rules / sizeof *rules && rules[k].rule != rule)
        k++;
    return t.nkid && k < sizeof rules / sizeof *rules &&
           rules[k].gives(s, t, j);
}

/* ---- the real function ---- */

/* The path that propagates a rounding: operand `kid` of that term, and so
 * on. */
typedef struct Via {
    const struct Via *on; /* NULL: the root */
    uint32_t term, kid;
} Via;

typedef struct Round {
    int32_t type;
    const Via *via;
} Round;

typedef struct Rounds {
    uint32_t n;
    Round *v;
} Rounds;

/* The function of t, with q as saturations; NULL via: at the root. */
static uint32_t
real(SnCheckSteps *s, uint32_t i, const Via *via, Rounds *r)
{
    static const Via top = {.on = NULL};
    SnCheckTerm t = term(s, i);
    uint32_t kid[SN_TERM_NKID];

    if (t.kind == 'd')
        return real(s, t.kid[0], via, r);
    for (uint32_t k = 0; k < t.nkid; k++) {
        Via *v = SN_NEW(s->a, Via);
        *v = (Via){via ? via : &top, i, k};
        kid[k] =
            real(s, t.kid[k], strchr("pPrnqxmXM+-e", t.kind) ? v->on : v, r);
    }
    if (t.kind == 'r')
        return kid[0];
    if (t.kind != 'q')
        return sn_check_term_with(s, t, t.nkid, kid);
    if (!t.own && wraps(s, t.type))
        (void)sn_step_fail(s, "integers that a conversion cuts");
    SnCheckTerm in = term(s, kid[0]), c = {.kind = 'S', .name = -1, .type = -1};
    uint32_t n = in.kind == 'S' ? in.nsat : 0;
    int32_t *v = SN_NEW_N(s->a, int32_t, t.nsat + n + 1);
    if (!is_f32(s, t.type)) {
        Round one = {t.type, via};
        v[c.nsat] = sn_check_term_named(s, "@", t.type);
        if (v[c.nsat++] < 0)
            (void)sn_step_fail(s, "a type whose range has no name");
        if (via)
            SN_PUSH(s->a, r->v, r->n, one);
    }
    for (uint32_t k = 0; k < t.nsat + n; k++)
        v[c.nsat++] = k < t.nsat ? t.sat[k] : in.sat[k - t.nsat];
    c.sat = v;
    if (!c.nsat)
        return kid[0];
    return over_kid(s, &c, n ? in.kid[0] : kid[0]);
}

/* L5: are t's values some of variables that lie in sat? */
static bool
lies_inside(SnCheckSteps *s, SnCheckTerm t, int32_t sat)
{
    if (t.kind == 'v')
        for (uint32_t i = 0; i < s->terms->nfact; i++) {
            SnCheckFact f = s->terms->fact[i];
            if (f.kind == 'I' && f.v[0] == t.name &&
                sn_check_term_named(s, "@", f.v[1]) == sat)
                return true;
        }
    bool all = t.nkid > 0 && (is_move(&t) || choice(&t));
    for (uint32_t i = 0; i < t.nkid && all; i++)
        all = lies_inside(s, term(s, t.kid[i]), sat);
    return all;
}

/* Can saturation i directly follow number j? */
static bool
comes_behind(SnCheckSteps *s, const SnCheckTerm *t, uint32_t i, uint32_t j)
{
    bool all = true;

    for (uint32_t k = i + 1; k < j && all; k++)
        all = sn_check_term_meet(s, t->sat[i], t->sat[k]);
    return all;
}

static bool
is_idle(SnCheckSteps *s, const SnCheckTerm *t, uint32_t i)
{
    SnCheckTerm x = term(s, t->kid[0]);

    if (comes_behind(s, t, i, t->nsat) &&
        (lies_inside(s, x, t->sat[i]) ||
         (x.kind == 'v' && sn_check_term_idle(s, t->sat[i], "reach ", x.name))))
        return true;
    for (uint32_t j = 0; j < t->nsat; j++)
        if (j != i &&
            sn_check_term_fact(s, 'V', t->sat[i], t->sat[j], -1, -1) &&
            (j < i || comes_behind(s, t, i, j)))
            return true;
    return false;
}

/* i without the saturations that have no effect. */
static uint32_t
drop(SnCheckSteps *s, uint32_t at)
{
    SnCheckTerm t = term(s, at);

    for (uint32_t i = 0; i < t.nkid; i++)
        t.kid[i] = drop(s, t.kid[i]);
    int32_t *v = SN_NEW_N(s->a, int32_t, t.nsat + 1);
    memcpy(v, t.sat, t.nsat * sizeof *v);
    t.sat = v;
    for (uint32_t i = 0; i < t.nsat;) {
        if (!is_idle(s, &t, i)) {
            i++;
            continue;
        }
        memmove(v + i, v + i + 1, (--t.nsat - i) * sizeof *v);
        i = 0;
    }
    return t.kind == 'S' && !t.nsat ? t.kid[0]
                                    : sn_check_term_with(s, t, t.nkid, t.kid);
}

static bool
same_via(SnCheckSteps *s, const Via *a, const Via *b)
{
    for (; a->on && b->on; a = a->on, b = b->on) {
        SnCheckTerm t = term(s, a->term), u = term(s, b->term);
        bool swaps = sn_check_term_commutes(s, &t);
        if (t.kind != u.kind || t.name != u.name || t.type != u.type ||
            t.nkid != u.nkid || (a->kid != b->kid && !swaps))
            return false;
        for (uint32_t i = 1; i < t.nkid; i++)
            if (!sn_check_term_alike(s, t.kid[(a->kid + i) % t.nkid],
                                     u.kid[(b->kid + i) % t.nkid]))
                return false;
    }
    return !a->on && !b->on;
}

static bool
are_among(SnCheckSteps *s, const Rounds *a, const Rounds *b)
{
    bool *used = SN_NEW_N(s->a, bool, b->n + 1);

    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t j = 0;
        while (j < b->n && (used[j] || a->v[i].type != b->v[j].type ||
                            !same_via(s, a->v[i].via, b->v[j].via)))
            j++;
        if (j == b->n)
            return false;
        used[j] = true;
    }
    return true;
}

bool
sn_check_term_refines(SnCheckSteps *s, uint32_t i, uint32_t j, bool both)
{
    Rounds l = {0}, r = {0};
    uint32_t a = real(s, i, NULL, &l), b = real(s, j, NULL, &r);

    a = drop(s, a);
    b = drop(s, b);
    return !s->c->error && sn_check_term_alike(s, a, b) &&
           are_among(s, &r, &l) && (!both || are_among(s, &l, &r));
}
