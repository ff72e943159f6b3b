// SPDX-License-Identifier: Apache-2.0
/* Certificates, line by line. */
#include "dsl/prove/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "dsl/prove/check/terms.h"

bool
sn_step_fail(SnCheckSteps *s, const char *fmt, ...)
{
    va_list ap;

    if (s->c->error)
        return false;
    va_start(ap, fmt);
    s->c->error = sn_vformat(s->says, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- words of a line ---- */

void
sn_step_blank(SnCheckSteps *s)
{
    while (*s->at == ' ')
        s->at++;
}

bool
sn_step_number(SnCheckSteps *s, int64_t *v)
{
    sn_step_blank(s);
    const char *from = s->at + (*s->at == '-' || *s->at == '+'), *p = from;
    int64_t sign = *s->at == '-' ? -1 : 1;
    bool over = false;

    for (*v = 0; *p >= '0' && *p <= '9' && !over; p++)
        over = __builtin_mul_overflow(*v, 10, v) ||
               __builtin_add_overflow(*v, sign * (*p - '0'), v);
    if (p == from || over || *v == INT64_MAX || *v == INT64_MIN)
        return sn_step_fail(s, "expected a number at '%.20s'", s->at);
    s->at = p;
    return true;
}

bool
sn_step_below(SnCheckSteps *s, int64_t least, uint32_t end, int32_t *v)
{
    int64_t n;

    *v = 0;
    if (!sn_step_number(s, &n))
        return false;
    if (n < least || n >= end)
        return sn_step_fail(s, "%lld is not in [%lld, %u)", (long long)n,
                            (long long)least, end);
    *v = (int32_t)n;
    return true;
}

static bool
monomial(SnCheckSteps *s, SnMonomial *m)
{
    int32_t atom;

    if (!sn_step_number(s, &m->c))
        return false;
    while (*s->at == '.') {
        s->at++;
        if (!sn_step_below(s, 0, s->P.n, &atom))
            return false;
        if (m->n == SN_POLY_DEGREE)
            return sn_step_fail(s, "numbers that are too large");
        unsigned i = m->n++;
        for (; i && m->atom[i - 1] > atom; i--)
            m->atom[i] = m->atom[i - 1];
        m->atom[i] = (uint16_t)atom;
    }
    return true;
}

bool
sn_step_read(SnCheckSteps *s, SnPoly *p)
{
    uint32_t most = 1, n = 0;

    sn_step_blank(s);
    for (const char *c = s->at; *c && *c != ' '; c++)
        most += *c == '+' || *c == '-';
    SnMonomial *v = SN_NEW_N(s->a, SnMonomial, most);
    do {
        if (!monomial(s, &v[n++]))
            return false;
    } while (*s->at == '+' || *s->at == '-');
    if (*s->at != ' ' && *s->at)
        return sn_step_fail(
            s, "expected a polynomial, then a blank, at '%.20s'", s->at);
    *p = sn_poly_sum(&s->P, n, v);
    return true;
}

/* ---- sides and paths ---- */

/* The fact of a side of a distinction. */
static void
take_side(SnCheckSteps *s, const SnStepSplit *t)
{
    SnPoly no = sn_poly_plus(&s->P, sn_poly_scale(&s->P, t->p, -1), -1);

    if (t->kind == '?') {
        sn_step_add(s, &s->now.known, t->other ? no : t->p);
    } else if (t->kind == '&' && !t->other) {
        s->now.same = false;
        s->now.owed = 0;
    } else if (t->kind == '&') {
        s->now.owed--;
    }
}

static bool
split(SnCheckSteps *s, char kind, SnPoly p)
{
    SnStepSplit t = {kind, false, p, s->now};

    if (s->nlent)
        return sn_step_fail(s, "a distinction while facts are lent");
    if (kind == '&' && !s->now.owed)
        return sn_step_fail(s, "an operand that no node has");
    SN_PUSH(s->a, s->split, s->nsplit, t);
    take_side(s, &t);
    return true;
}

static bool
other_side(SnCheckSteps *s)
{
    int64_t number;

    if (!sn_step_number(s, &number))
        return false;
    while (s->nsplit && s->split[s->nsplit - 1].other)
        s->nsplit--;
    if (!s->closed || !s->nsplit)
        return sn_step_fail(s, "%s",
                            s->closed ? "no distinction is open"
                                      : "the path is not closed");
    if (number != (int64_t)s->nsplit - 1)
        return sn_step_fail(s, "distinction %u lacks its other side",
                            s->nsplit - 1);
    SnStepSplit *t = &s->split[s->nsplit - 1];
    t->other = true;
    s->now = t->before;
    take_side(s, t);
    s->reals = NULL;
    s->closed = false;
    return true;
}

static bool
is(const char *text, const char *begin)
{
    return !strncmp(text, begin, strlen(begin));
}

/* The end of a path: closed by its reason, or by a contradiction (x). */
static bool
path_ends(SnCheckSteps *s, char kind)
{
    bool closed = kind == '.' && !is(s->at, "through");

    if (s->nlent)
        return sn_step_fail(s, "a path that ends while facts are lent");
    if (kind == 'x' && !sn_step_why(s, sn_poly_int(&s->P, -1)))
        return false;
    if (kind == '.' && !closed && (!s->now.shape || !s->now.same))
        return sn_step_fail(s,
                            "the path ends, and it has not been seen that "
                            "%s are equal",
                            s->now.shape ? "elements" : "shapes");
    if (kind == '.' && !closed && s->now.owed)
        return sn_step_fail(s, "%u operands have not been seen", s->now.owed);
    s->c->nabsurd += kind == 'x';
    s->c->nlemma += closed && is(s->at, "lemma ");
    s->c->nclosed += closed && !is(s->at, "lemma ");
    s->c->nthrough += kind == '.' && !closed;
    s->c->npath++;
    return s->closed = true;
}

/* A word for a fact that was seen. */
static bool
seen(SnCheckSteps *s, const char *text)
{
    s->now.shape |= is(text, "shape");
    s->now.same |= is(text, "same");
    return true;
}

static bool
nodes(SnCheckSteps *s)
{
    int32_t n;

    if (!sn_step_below(s, 0, UINT16_MAX, &n))
        return false;
    if (s->now.owed)
        return sn_step_fail(s, "a node before the operands of another one");
    s->now.owed = (uint32_t)n;
    s->now.same = true;
    return true;
}

/* ---- lines ---- */

static bool
lend(SnCheckSteps *s, SnPoly p)
{
    if (!s->nlent++)
        s->before_lent = s->now;
    sn_step_add(s, &s->now.fact, p);
    return true;
}

static bool
give_back(SnCheckSteps *s)
{
    int64_t n;

    if (!sn_step_number(s, &n))
        return false;
    if (n != s->nlent || !n)
        return sn_step_fail(s, "%u facts are lent, not %lld", s->nlent,
                            (long long)n);
    s->before_lent.implied = s->now.implied;
    s->before_lent.nimplied = s->now.nimplied;
    s->now = s->before_lent;
    s->nlent = 0;
    return true;
}

/* The state saved while facts are lent. */
static bool
implied(SnCheckSteps *s, SnPoly p)
{
    SnStepImplied m = {.p = p, .n = s->nlent};

    if (!sn_step_at_least(s, p))
        return sn_step_fail(s, "%s >= 0 is not known", sn_poly_text(&s->P, p));
    if (m.n)
        m.lent = sn_memdup(s->a, &s->now.fact.v[s->before_lent.fact.n],
                           m.n * sizeof p);
    SN_PUSH(s->a, s->now.implied, s->now.nimplied, m);
    return true;
}

static bool
equation(SnCheckSteps *s, SnPoly p)
{
    int64_t atom;

    return sn_step_number(s, &atom) && sn_step_equation(s, p, (uint32_t)atom);
}

static bool
zero(SnCheckSteps *s, SnPoly p)
{
    SnPoly rest, by;

    if (!sn_step_read(s, &rest) || !sn_step_read(s, &by))
        return false;
    SnPoly d = sn_poly_sub(&s->P, p, sn_poly_mul(&s->P, rest, by));
    if (!sn_step_zero(s, rest) || sn_step_norm(s, d).n)
        return sn_step_fail(s, "%s = 0 is not shown", sn_poly_text(&s->P, p));
    sn_step_add(s, &s->now.zero, p);
    return true;
}

static bool
goal(SnCheckSteps *s, SnPoly p, bool told)
{
    if (!sn_step_zero(s, p))
        return sn_step_fail(s, "%s = 0 is not shown", sn_poly_text(&s->P, p));
    return !told || seen(s, s->at);
}

static bool
new_atom(SnCheckSteps *s, char kind)
{
    uint32_t n = s->P.n;
    SnPoly x, q;

    if (kind == 'a')
        (void)sn_poly_name(&s->P, sn_strdup(s->a, s->at));
    else if (!sn_step_read(s, &x) || !sn_step_read(s, &q))
        return false;
    else
        (void)sn_poly_quotient(&s->P, x, q);
    return s->P.n == n + 1 || sn_step_fail(s, "an atom twice, or too many");
}

/* The lines that begin with a polynomial. */
static bool
of_poly(SnCheckSteps *s, char kind)
{
    SnPoly p, q, r;

    if (!sn_step_read(s, &p))
        return false;
    sn_step_blank(s);
    switch (kind) {
    case '>':
    case '/':
        s->c->nread++;
        sn_step_add(s, kind == '>' ? &s->now.fact : &s->now.known, p);
        return true;
    case 's':
        sn_step_add(s, &s->now.fact, p);
        return sn_step_at_least(s, p) ||
               sn_step_fail(s, "%s >= 0 is not known", sn_poly_text(&s->P, p));
    case '=':
        s->c->nread++;
        return equation(s, p);
    case 'e':
        return goal(s, p, false) && equation(s, p);
    case '+':
        return lend(s, p);
    case 'i':
        return implied(s, p);
    case '?':
        return split(s, kind, p);
    case 'y':
        if (!sn_step_why(s, p))
            return false;
        sn_step_add(s, &s->now.known, p);
        return true;
    case 'z':
        return zero(s, p);
    case 'g':
        return goal(s, p, true);
    default:
        return sn_step_read(s, &q) && sn_step_read(s, &r) &&
               sn_step_div(s, p, q, r);
    }
}

static bool
step(SnCheckSteps *s, char *line)
{
    char kind = line[0];

    s->at = line + (kind && line[1] == ' ' ? 2 : 1);
    if (s->closed && (!kind || !strchr("\\aqC", kind)))
        return sn_step_fail(s, "a step after the end of a path");
    s->c->nstep++;
    if (kind && strchr("Ct~EkVBOWHK", kind))
        return sn_step_term(s, kind);
    if (s->terms->claim && kind != 'a')
        return sn_step_fail(s, "a line that begins with '%c' among terms",
                            kind);
    switch (kind) {
    case 'a':
    case 'q':
        return new_atom(s, kind);
    case 'm':
        return seen(s, s->at);
    case 'n':
        return nodes(s);
    case '&':
        return split(s, kind, (SnPoly){0});
    case '-':
        return give_back(s);
    case 'x':
    case '.':
        return path_ends(s, kind);
    case '\\':
        return other_side(s);
    case '\0':
        return sn_step_fail(s, "an empty line");
    default:
        break;
    }
    if (strchr("Rrbfhl", kind))
        return sn_step_real(s, kind);
    if (!strchr(">/s=e+?yzgdi", kind))
        return sn_step_fail(s, "a line that begins with '%c'", kind);
    return of_poly(s, kind);
}

static bool
complete(SnCheckSteps *s)
{
    if (!s->closed)
        return sn_step_fail(s, "it ends, and the last path is not closed");
    for (uint32_t i = s->nsplit; i-- > 0;)
        if (!s->split[i].other)
            return sn_step_fail(s, "a distinction has one side only");
    return true;
}

bool
sn_check_certificate(SnArena *a, const char *text, SnCheck *c)
{
    SnArena *mine = c->scratch ? c->scratch : sn_arena_new();
    SnCheckSteps *s = SN_NEW(mine, SnCheckSteps);
    char *p = sn_strdup(mine, text);
    bool ok = true;

    s->a = s->P.a = mine;
    s->terms = SN_NEW(mine, struct SnCheckTerms);
    s->says = a;
    s->c = c;
    c->error = NULL;
    c->line = 0;
    while (ok && *p) {
        char *nl = strchr(p, '\n'), *end = nl ? nl : p + strlen(p);
        c->line++;
        *end = '\0';
        ok = step(s, p) &&
             (!s->P.over || sn_step_fail(s, "numbers that are too large"));
        p = nl ? nl + 1 : end;
    }
    ok = ok && complete(s);
    if (c->scratch)
        sn_arena_clear(mine);
    else
        sn_arena_free(mine);
    return ok;
}
