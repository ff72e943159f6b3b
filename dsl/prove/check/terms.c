// SPDX-License-Identifier: Apache-2.0
/* Certificates of the calculus: their lines, and which terms are alike. */
#include "dsl/prove/check/terms.h"

#include <string.h>

/* ---- facts ---- */

const SnCheckFact *
sn_check_term_fact(SnCheckSteps *s, char kind, int32_t a, int32_t b, int32_t c,
                   int32_t d)
{
    const int32_t is[SN_TERM_NKID] = {a, b, c, d};

    for (uint32_t i = 0; i < s->terms->nfact; i++) {
        const SnCheckFact *f = &s->terms->fact[i];
        bool hit = f->kind == kind;
        for (int k = 0; k < SN_TERM_NKID; k++)
            hit &= is[k] == -1 || is[k] == f->v[k];
        if (hit)
            return f;
    }
    return NULL;
}

uint32_t
sn_check_term_may(SnCheckSteps *s, int32_t type)
{
    const SnCheckFact *f =
        type < 0 ? NULL : sn_check_term_fact(s, 'k', type, -1, -1, -1);

    return f ? (uint32_t)f->v[1] : ~(uint32_t)SN_TYPE_IS_F32;
}

static const char *
name(SnCheckSteps *s, int32_t atom)
{
    return atom < 0 ? "" : s->P.atom[atom].name;
}

int32_t
sn_check_term_named(SnCheckSteps *s, const char *prefix, int32_t of)
{
    int32_t i =
        sn_poly_find(&s->P, sn_format(s->a, "%s%s", prefix, name(s, of)));

    return i < 0 ? SN_TERM_NO_ATOM : i;
}

bool
sn_check_term_idle(SnCheckSteps *s, int32_t a, const char *prefix, int32_t of)
{
    return sn_check_term_fact(s, 'V', a, sn_check_term_named(s, prefix, of), -1,
                              -1);
}

/* ---- saturations ---- */

static bool
clamp_of(SnCheckSteps *s, int32_t a, int32_t b)
{
    for (uint32_t i = 0; i < s->terms->nfact; i++) {
        const SnCheckFact *f = &s->terms->fact[i];
        if ((f->kind == 'O' || f->kind == 'B') && f->v[0] == a &&
            b == sn_check_term_named(s, "@", f->v[1]))
            return true;
    }
    return false;
}

bool
sn_check_term_meet(SnCheckSteps *s, int32_t a, int32_t b)
{
    return (name(s, a)[0] == '@' && name(s, b)[0] == '@') ||
           clamp_of(s, a, b) || clamp_of(s, b, a) ||
           sn_check_term_fact(s, 'V', a, b, -1, -1) ||
           sn_check_term_fact(s, 'V', b, a, -1, -1);
}

/* The saturations of t in canonical order: the last of one that occurs twice,
 * without a type's own range; returns how many. */
static uint32_t
ordered(SnCheckSteps *s, const SnCheckTerm *t, int32_t *v)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->nsat; i++) {
        uint32_t k = 0;
        while (k < n && v[k] != t->sat[i])
            k++;
        if (k == n && !(t->type >= 0 &&
                        t->sat[i] == sn_check_term_named(s, "@", t->type)))
            v[n++] = t->sat[i];
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t best = at;
        for (uint32_t i = at + 1; i < n; i++) {
            bool first = v[i] < v[best];
            for (uint32_t k = at; k < i && first; k++)
                first = sn_check_term_meet(s, v[k], v[i]);
            best = first ? i : best;
        }
        int32_t one = v[best];
        memmove(v + at + 1, v + at, (best - at) * sizeof *v);
        v[at] = one;
    }
    return n;
}

static bool
same_saturations(SnCheckSteps *s, const SnCheckTerm *a, const SnCheckTerm *b)
{
    if (!a->nsat && !b->nsat)
        return true;
    int32_t *v = SN_NEW_N(s->a, int32_t, a->nsat + b->nsat + 1),
            *w = v + a->nsat;
    uint32_t n = ordered(s, a, v);

    return n == ordered(s, b, w) && !memcmp(v, w, n * sizeof *v);
}

/* ---- terms ---- */

uint32_t
sn_check_term_with(SnCheckSteps *s, SnCheckTerm t, uint32_t n,
                   const uint32_t *kid)
{
    struct SnCheckTerms *T = s->terms;

    t.nkid = n;
    for (uint32_t i = 0; i < n; i++)
        t.kid[i] = kid[i];
    t.up = T->n;
    SN_PUSH(s->a, T->v, T->n, t);
    return t.up;
}

static uint32_t
class_of(const SnCheckSteps *s, uint32_t i)
{
    while (s->terms->v[i].up != i)
        i = s->terms->v[i].up;
    return i;
}

/* Codes, or reals made from codes: there is no -0 among them. */
static bool
has_one_zero(SnCheckSteps *s, const SnCheckTerm *t)
{
    return (t->kind == 'q' || t->kind == 'd') &&
           !(sn_check_term_may(s, t->type) & SN_TYPE_F32);
}

bool
sn_check_term_commutes(SnCheckSteps *s, const SnCheckTerm *t)
{
    const SnCheckTerm *v = s->terms->v;

    if (t->kind == '*' || t->kind == '+')
        return true;
    return (t->kind == 'x' || t->kind == 'm') &&
           (s->terms->claim != 'e' ||
            (has_one_zero(s, &v[t->kid[0]]) && has_one_zero(s, &v[t->kid[1]])));
}

bool
sn_check_term_alike(SnCheckSteps *s, uint32_t i, uint32_t j)
{
    const SnCheckTerm *a = &s->terms->v[i], *b = &s->terms->v[j];
    bool all = true;

    if (class_of(s, i) == class_of(s, j))
        return true;
    if (a->kind != b->kind || a->name != b->name || a->type != b->type ||
        a->nkid != b->nkid || !same_saturations(s, a, b))
        return false;
    for (uint32_t k = 0; k < a->nkid && all; k++)
        all = sn_check_term_alike(s, a->kid[k], b->kid[k]);
    return all || (a->nkid == 2 && sn_check_term_commutes(s, a) &&
                   sn_check_term_commutes(s, b) &&
                   sn_check_term_alike(s, a->kid[0], b->kid[1]) &&
                   sn_check_term_alike(s, a->kid[1], b->kid[0]));
}

/* ---- lines ---- */

static bool
new_term(SnCheckSteps *s)
{
    struct SnCheckTerms *T = s->terms;
    SnCheckTerm t = {.kind = *s->at};
    int32_t own, n, k, *sat;

    if (!t.kind || !strchr("vcqdxmXMnpPry+-*bfeo", t.kind))
        return sn_step_fail(s, "a term that begins with '%c'", t.kind);
    s->at++;
    if (!sn_step_below(s, 0, 2, &own) ||
        !sn_step_below(s, -1, s->P.n, &t.name) ||
        !sn_step_below(s, -1, s->P.n, &t.type) ||
        !sn_step_below(s, 0, SN_TERM_NKID + 1, &n))
        return false;
    t.own = own;
    t.nkid = (uint32_t)n;
    for (uint32_t i = 0; i < t.nkid; i++) {
        if (!sn_step_below(s, 0, T->nread, &k))
            return false;
        t.kid[i] = T->read[k];
    }
    if (!sn_step_below(s, 0, UINT16_MAX, &n))
        return false;
    t.nsat = (uint32_t)n;
    sat = SN_NEW_N(s->a, int32_t, t.nsat + 1);
    for (uint32_t i = 0; i < t.nsat; i++)
        if (!sn_step_below(s, 0, s->P.n, &sat[i]))
            return false;
    bool leaf = strchr("vcy", t.kind), one = strchr("qdXMn", t.kind),
         two = strchr("xm+-*b", t.kind);
    if ((leaf && t.nkid) || (one && !t.nkid) || (two && t.nkid != 2) ||
        (t.kind != 'q' && t.nsat) ||
        ((t.kind == 'q' || t.kind == 'd') && (t.type < 0 || t.nkid != 1)) ||
        (!leaf && !t.nkid && t.kind != 'f'))
        return sn_step_fail(s, "a term '%c' of %u others", t.kind, t.nkid);
    t.sat = sat;
    if (t.kind == 'd' && T->v[t.kid[0]].kind == 'v') {
        SnCheckFact in = {.kind = 'I',
                          .v = {T->v[t.kid[0]].name, t.type, -1, -1}};
        SN_PUSH(s->a, T->fact, T->nfact, in);
    }
    SN_PUSH(s->a, T->read, T->nread, sn_check_term_with(s, t, t.nkid, t.kid));
    return true;
}

static bool
fact(SnCheckSteps *s, char kind)
{
    SnCheckFact f = {.kind = kind, .v = {-1, -1, -1, -1}};

    s->c->nread++;
    for (int i = 0; i < SN_TERM_NKID && *s->at; i++)
        if (!sn_step_below(s, -1, kind == 'k' && i == 1 ? 64 : s->P.n, &f.v[i]))
            return false;
    SN_PUSH(s->a, s->terms->fact, s->terms->nfact, f);
    return true;
}

static bool
two_terms(SnCheckSteps *s, uint32_t *i, uint32_t *j)
{
    int32_t v[2];

    if (!sn_step_below(s, 0, s->terms->nread, &v[0]) ||
        !sn_step_below(s, 0, s->terms->nread, &v[1]))
        return false;
    *i = s->terms->read[v[0]];
    *j = s->terms->read[v[1]];
    return true;
}

static bool
equal(SnCheckSteps *s)
{
    uint32_t i, j;

    if (!two_terms(s, &i, &j))
        return false;
    char rule = *s->at == ' ' ? s->at[1] : '\0';
    if (s->terms->claim != 'e' || !rule ||
        !(rule == 'c' ? sn_check_term_alike(s, i, j)
                      : sn_check_term_follows(s, rule, i, j)))
        return sn_step_fail(s, "rule '%c' does not give that", rule);
    s->terms->v[class_of(s, i)].up = class_of(s, j);
    return true;
}

static bool
begin(SnCheckSteps *s)
{
    struct SnCheckTerms *T = s->terms;

    if (!*s->at || !strchr("ewr", *s->at) || (T->claim && !s->closed) ||
        (!T->claim && (s->nsplit || s->closed)))
        return sn_step_fail(s, "a claim in the middle, or none: '%.20s'",
                            s->at);
    T->n = T->nread = T->nfact = 0;
    T->claim = *s->at;
    s->closed = false;
    return true;
}

static bool
end(SnCheckSteps *s)
{
    uint32_t i, j;
    char claim = s->terms->claim;

    if (!two_terms(s, &i, &j))
        return false;
    if (!(claim == 'e' ? sn_check_term_alike(s, class_of(s, i), class_of(s, j))
                       : sn_check_term_refines(s, i, j, claim == 'w')))
        return sn_step_fail(s, "both sides are not seen to be equal");
    if (s->c->shown != 'r' && !(s->c->shown == 'w' && claim == 'e'))
        s->c->shown = claim;
    s->c->ncalculus++;
    s->closed = true;
    return true;
}

bool
sn_step_term(SnCheckSteps *s, char kind)
{
    if (kind == 'C')
        return begin(s);
    if (!s->terms->claim || s->closed)
        return sn_step_fail(s, "a term outside of a claim");
    return kind == 't'   ? new_term(s)
           : kind == '~' ? equal(s)
           : kind == 'E' ? end(s)
                         : fact(s, kind);
}
