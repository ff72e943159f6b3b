// SPDX-License-Identifier: Apache-2.0
/* Certificates, line by line. */
#include "dsl/prove/index/trace.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

/* Most of a certificate are numbers, and most of these have one digit. */
static void
put_number(SnBuf *b, uint64_t v)
{
    char s[20];
    size_t n = sizeof s;

    do
        s[--n] = (char)('0' + v % 10);
    while (v /= 10);
    sn_putn(b, s + n, sizeof s - n);
}

void
sn_trace_put(SnBuf *b, SnPoly p)
{
    if (!p.n)
        sn_putc(b, '0');
    for (uint32_t i = 0; i < p.n; i++) {
        const SnMonomial *m = &p.m[i];
        if (i || m->c < 0)
            sn_putc(b, m->c < 0 ? '-' : '+');
        put_number(b, m->c < 0 ? -(uint64_t)m->c : (uint64_t)m->c);
        for (unsigned k = 0; k < m->n; k++) {
            sn_putc(b, '.');
            put_number(b, m->atom[k]);
        }
    }
}

/* Names of one line. */
static void
put_name(SnBuf *b, const char *s)
{
    for (; *s; s++)
        sn_putc(b, *s == '\n' || *s == '\t' || *s == '\r' ? ' ' : *s);
}

/* Atoms are defined before the first line that could use them. */
static void
put_atoms(SnTrace *t)
{
    for (; t->natom < t->P->n; t->natom++) {
        const SnPolyAtom *k = &t->P->atom[t->natom];
        if (k->name) {
            sn_puts(&t->out, "a ");
            put_name(&t->out, k->name);
        } else {
            sn_puts(&t->out, "q ");
            sn_trace_put(&t->out, k->x);
            sn_putc(&t->out, ' ');
            sn_trace_put(&t->out, k->q);
        }
        sn_putc(&t->out, '\n');
    }
}

static void
put_why(SnBuf *b, const SnTraceWhy *why)
{
    sn_putf(b, " %" PRId64, why->den);
    for (uint32_t i = 0; i < why->n; i++) {
        const SnWhyTerm *t = &why->v[i];
        sn_putf(b, " %" PRId64, t->num);
        for (unsigned k = 0; k < t->n; k++)
            sn_putf(b, "%c%u", t->of[k].kind, t->of[k].i);
    }
}

/* ---- events ---- */

static SnBuf *
line(SnTrace *t, char kind)
{
    t->line.n = 0;
    sn_putc(&t->line, kind);
    return &t->line;
}

static SnBuf *
line_of(SnTrace *t, char kind, SnPoly p)
{
    SnBuf *b = line(t, kind);

    sn_putc(b, ' ');
    sn_trace_put(b, p);
    return b;
}

static uint64_t
key_of(const SnBuf *b)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < b->n; i++)
        h = (h ^ (uint8_t)b->s[i]) * 0x100000001b3u;
    return h ^ (h >> 31);
}

static bool
known(const SnTrace *t, uint64_t key)
{
    for (uint32_t i = t->last[key & 255]; i; i = t->event[i - 1].before)
        if (i <= t->at && t->event[i - 1].holds && t->event[i - 1].key == key)
            return true;
    return false;
}

/* The event with this key; true: it is new, and the line in t must be written.
 */
static bool
event(SnTrace *t, uint64_t key)
{
    if (t->at < t->n) {
        t->broken |= t->event[t->at].key != key;
        t->event[t->at++].holds = true;
        return false;
    }
    SnTraceEvent e = {key, t->last[key & 255], true};
    SN_PUSH(t->a, t->event, t->n, e);
    t->last[key & 255] = t->at = t->n;
    return true;
}

static void
write(SnTrace *t)
{
    put_atoms(t);
    sn_putn(&t->out, t->line.s, t->line.n);
    sn_putc(&t->out, '\n');
}

/* The whole line is an event. */
static void
say(SnTrace *t)
{
    if (event(t, key_of(&t->line)))
        write(t);
}

/* Lent facts are written when a step depends on them. */
static void
lend_now(SnTrace *t)
{
    const SnPoly *p = t->lent;

    t->lent = NULL;
    if (!p)
        return;
    t->lent_at = t->at;
    for (uint32_t i = 0; i < t->nlent; i++) {
        line_of(t, '+', p[i]);
        say(t);
    }
}

void
sn_trace_begin(SnTrace *t)
{
    t->at = t->nsplit = t->nlent = 0;
    t->lent = NULL;
    t->closed = false;
    t->line.a = t->out.a = t->a;
}

void
sn_trace_other(SnTrace *t, uint32_t i)
{
    uint32_t keep = t->split[i] + 1;

    t->broken |= i >= t->nsplit;
    while (!t->broken && t->n > keep) {
        const SnTraceEvent *e = &t->event[--t->n];
        t->last[e->key & 255] = e->before;
    }
    sn_putf(&t->out, "\\ %u\n", i);
}

void
sn_trace_fact(SnTrace *t, char kind, SnPoly p)
{
    if (t->closed)
        return;
    line_of(t, kind, p);
    say(t);
}

void
sn_trace_equation(SnTrace *t, char kind, SnPoly p, uint32_t atom)
{
    if (t->closed)
        return;
    sn_putf(line_of(t, kind, p), " %u", atom);
    say(t);
}

void
sn_trace_lend(SnTrace *t, uint32_t kept, uint32_t n, const SnPoly *p)
{
    t->kept = kept;
    t->nlent = n;
    t->lent = n ? p : NULL;
}

void
sn_trace_back(SnTrace *t)
{
    bool written = t->nlent && !t->lent;

    if (written && !t->closed) {
        for (uint32_t i = t->lent_at; i < t->at; i++)
            t->event[i].holds = false;
        sn_putf(line(t, '-'), " %u", t->nlent);
        say(t);
    }
    t->nlent = 0;
    t->lent = NULL;
}

bool
sn_trace_knows(SnTrace *t, SnPoly p)
{
    int64_t v;

    line_of(t, 'y', p);
    return t->closed || (sn_poly_is_int(p, &v) && v >= 0) ||
           known(t, key_of(&t->line));
}

static bool
on_lent(const SnTrace *t, const SnTraceWhy *why)
{
    bool on = false;

    for (uint32_t i = 0; i < why->n; i++)
        for (unsigned k = 0; k < why->v[i].n; k++)
            on |= why->v[i].of[k].kind == 'f' && why->v[i].of[k].i >= t->kept;
    return on;
}

void
sn_trace_yes(SnTrace *t, SnPoly p, const SnTraceWhy *why)
{
    if (t->closed)
        return;
    if (t->lent && on_lent(t, why))
        lend_now(t);
    line_of(t, 'y', p);
    if (!event(t, key_of(&t->line)))
        return;
    put_why(&t->line, why);
    write(t);
}

static void
say_once(SnTrace *t)
{
    if (!t->closed && !known(t, key_of(&t->line)))
        say(t);
}

void
sn_trace_zero(SnTrace *t, SnPoly p, SnPoly rest, SnPoly by)
{
    SnBuf *b = line_of(t, 'z', p);

    sn_putc(b, ' ');
    sn_trace_put(b, rest);
    sn_putc(b, ' ');
    sn_trace_put(b, by);
    say_once(t);
}

void
sn_trace_div(SnTrace *t, SnPoly x, SnPoly q, SnPoly r)
{
    SnBuf *b = line_of(t, 'd', x);

    sn_putc(b, ' ');
    sn_trace_put(b, q);
    sn_putc(b, ' ');
    sn_trace_put(b, r);
    say_once(t);
}

/* ---- splits and ends ---- */

static void
split(SnTrace *t)
{
    if (t->closed)
        return;
    if (t->nsplit == SN_TRACE_NSPLIT)
        t->broken = true;
    else
        t->split[t->nsplit++] = t->at;
    say(t);
}

void
sn_trace_split(SnTrace *t, SnPoly p)
{
    line_of(t, '?', p);
    split(t);
}

void
sn_trace_each(SnTrace *t, const char *text)
{
    SnBuf *b = line(t, '&');

    sn_putc(b, ' ');
    put_name(b, text);
    split(t);
}

void
sn_trace_mark(SnTrace *t, const char *what)
{
    sn_trace_line(t, 'm', what);
}

void
sn_trace_nodes(SnTrace *t, uint32_t n, const char *what)
{
    SnBuf *b = line(t, 'n');

    sn_putf(b, " %u ", n);
    put_name(b, what);
    if (!t->closed)
        say(t);
}

void
sn_trace_goal(SnTrace *t, SnPoly p, const char *what)
{
    SnBuf *b = line_of(t, 'g', p);

    sn_putc(b, ' ');
    put_name(b, what);
    if (!t->closed)
        say(t);
}

void
sn_trace_implied(SnTrace *t, SnPoly p)
{
    if (t->closed)
        return;
    line_of(t, 'i', p);
    say(t);
}

void
sn_trace_line(SnTrace *t, char kind, const char *what)
{
    SnBuf *b = line(t, kind);

    sn_putc(b, ' ');
    put_name(b, what);
    if (!t->closed)
        say(t);
}

void
sn_trace_absurd(SnTrace *t, const SnTraceWhy *why)
{
    if (t->closed)
        return;
    line(t, 'x');
    put_why(&t->line, why);
    say(t);
    t->closed = true;
}

void
sn_trace_end(SnTrace *t, const char *reason)
{
    SnBuf *b = line(t, '.');

    if (t->closed)
        return;
    sn_putc(b, ' ');
    put_name(b, reason);
    say(t);
    t->closed = true;
}
