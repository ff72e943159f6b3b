// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include "base/budget.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag/diag_priv.h"

SnDiag *
sn_diag_new(SnArena *a)
{
    SnDiag *d = SN_NEW(a, SnDiag);

    d->a = a;
    return d;
}

static bool
same_str(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_msg(const Msg *a, const Msg *b)
{
    return a->hash == b->hash && a->sev == b->sev && a->at.src == b->at.src &&
           a->at.line == b->at.line && a->at.col == b->at.col &&
           same_str(a->code, b->code) && same_str(a->where, b->where) &&
           strcmp(a->text, b->text) == 0;
}

/* FNV-1a. */
static uint32_t
hash_str(uint32_t h, const char *s)
{
    for (; s && *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

/* The slot that holds m's equal, or the free one where it belongs. */
static Msg **
find_slot(Msg **set, size_t nset, const Msg *m)
{
    size_t i = m->hash & (nset - 1);

    while (set[i] && !same_msg(set[i], m))
        i = (i + 1) & (nset - 1);
    return &set[i];
}

static void
reserve_slot(SnDiag *d)
{
    if (2 * (d->n + 1) < d->nset)
        return;
    size_t nset = d->nset ? 2 * d->nset : 16;
    Msg **set = SN_NEW_N(d->a, Msg *, nset);
    for (size_t i = 0; i < d->n; i++)
        *find_slot(set, nset, d->v[i]) = d->v[i];
    d->set = set;
    d->nset = nset;
}

/* All memory is taken before anything is linked, so that running out leaves d
 * as it was. */
static void
add(SnDiag *d, const Msg *proto)
{
    Msg *m = sn_memdup(d->a, proto, sizeof *proto);

    if (m->code)
        m->code = sn_strdup(d->a, m->code);
    if (m->where)
        m->where = sn_strdup(d->a, m->where);
    m->hash = hash_str(2166136261u, m->where);
    m->hash = hash_str(m->hash, m->text);
    m->hash = (m->hash ^ m->at.line) * 16777619u;
    m->hash = (m->hash ^ m->at.col) * 16777619u;
    m->tail = &m->extra;
    m->seq = d->n;
    reserve_slot(d);
    d->v = sn_grow(d->a, d->v, d->n, sizeof *d->v);
    Msg **slot = find_slot(d->set, d->nset, m);
    d->last = NULL;
    if (*slot)
        return;
    *slot = m;
    d->v[d->n++] = m;
    d->last = m;
    if (m->sev == SN_ERROR && d->nerror++ == 0)
        d->status = m->status;
    d->nwarning += m->sev == SN_WARNING;
    d->nnote += m->sev == SN_NOTE;
}

#define ADD_FORMATTED(severity)                              \
    do {                                                     \
        va_list ap;                                          \
        va_start(ap, fmt);                                   \
        Msg m = {.sev = (severity), .at = at, .code = code}; \
        m.status = SN_ECHECK;                                \
        m.text = sn_vformat(d->a, fmt, ap);                  \
        va_end(ap);                                          \
        add(d, &m);                                          \
    } while (0)

void
sn_error(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
{
    ADD_FORMATTED(SN_ERROR);
}

void
sn_warn(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
{
    ADD_FORMATTED(SN_WARNING);
}

void
sn_note(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
{
    ADD_FORMATTED(SN_NOTE);
}

SnStatus
sn_fail(SnDiag *d, SnStatus s, const char *where, const char *fmt, ...)
{
    va_list ap;
    Msg m = {.sev = SN_ERROR, .where = where, .status = s};

    va_start(ap, fmt);
    m.text = sn_vformat(d->a, fmt, ap);
    va_end(ap);
    add(d, &m);
    return s;
}

SnStatus
sn_fail_trip(SnDiag *d, const SnTrip *t)
{
    sn_fail(d, SN_ENOMEM, sn_strdup(d->a, t->where), "%s", t->text);
    if (t->option)
        sn_diag_help(d, "%s allows more", t->option);
    return SN_ENOMEM;
}

static void add_extra(SnDiag *d, ExtraKind kind, SnPos at, const char *fmt,
                      va_list ap) __attribute__((format(printf, 4, 0)));

static void
add_extra(SnDiag *d, ExtraKind kind, SnPos at, const char *fmt, va_list ap)
{
    if (!d->last)
        return;
    Extra *e = SN_NEW(d->a, Extra);
    e->kind = kind;
    e->at = at;
    e->text = sn_vformat(d->a, fmt, ap);
    *d->last->tail = e;
    d->last->tail = &e->next;
}

void
sn_diag_span(SnDiag *d, SnPos at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_extra(d, EXTRA_SPAN, at, fmt, ap);
    va_end(ap);
}

void
sn_diag_line(SnDiag *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_extra(d, EXTRA_LINE, (SnPos){0}, fmt, ap);
    va_end(ap);
}

void
sn_diag_help(SnDiag *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_extra(d, EXTRA_HELP, (SnPos){0}, fmt, ap);
    va_end(ap);
}

unsigned
sn_diag_nerror(const SnDiag *d)
{
    return d->nerror;
}

SnStatus
sn_diag_status(const SnDiag *d)
{
    return d->status;
}

void
sn_diag_defect(SnDiag *d)
{
    d->status = SN_EINTERNAL;
}

unsigned
sn_diag_nwarning(const SnDiag *d)
{
    return d->nwarning;
}

unsigned
sn_diag_nnote(const SnDiag *d)
{
    return d->nnote;
}

void
sn_bug(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fputs("sinter: internal error: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

enum { WORD_MAX = 128 };

static unsigned
min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static char
lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Damerau-Levenshtein distance in which no substring is edited twice
 * (optimal string alignment), without regard to case; na, nb <= WORD_MAX. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned row[3][WORD_MAX + 1];
    unsigned *prev2 = row[0], *prev = row[1], *cur = row[2];

    for (size_t j = 0; j <= nb; j++)
        prev[j] = prev2[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        cur[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            unsigned best = prev[j - 1] + (x != y);
            best = min2(best, min2(prev[j], cur[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
                best = min2(best, prev2[j - 2] + 1);
            cur[j] = best;
        }
        unsigned *t = prev2;
        prev2 = prev, prev = cur, cur = t;
    }
    return prev[nb];
}

const char *
sn_closest(const char *word, const char *const *cand, size_t n)
{
    size_t nword = strlen(word);
    const char *best = NULL;

    if (nword > WORD_MAX)
        return NULL;
    unsigned limit = nword < 6 ? 1 : (unsigned)(nword / 3);
    for (size_t i = 0; i < n; i++) {
        size_t ncand = strlen(cand[i]);
        if (ncand > WORD_MAX)
            continue;
        unsigned dist = distance(word, nword, cand[i], ncand);
        if (dist < limit || (dist == limit && !best)) {
            limit = dist;
            best = cand[i];
        }
    }
    return best;
}
