// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include "base/budget.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

typedef enum {
    EXTRA_SPAN = SN_EXTRA_SPAN,
    EXTRA_LINE = SN_EXTRA_LINE,
    EXTRA_HELP = SN_EXTRA_HELP
} ExtraKind;

typedef struct Extra {
    struct Extra *next;
    ExtraKind kind;
    SnPos at; /* of a span */
    const char *text;
} Extra;

typedef struct Msg {
    SnSeverity sev;
    SnPos at;
    const char *code, *where, *text; /* where: of sn_fail only */
    Extra *extra, **tail;
    size_t seq;
    uint32_t hash;
    SnStatus status;
} Msg;

/* set is an open hash table over the pending messages, nset a power of two
 * above twice their number. */
struct SnDiag {
    SnArena *a;
    Msg **v;
    size_t n;
    Msg **set;
    size_t nset;
    Msg *last; /* what spans and helps are added to; NULL: nothing */
    unsigned nerror, nwarning, nnote;
    SnStatus status; /* of the first error */
};

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

static void
put_text(SnBuf *b, const char *s)
{
    sn_put_escaped(b, s, strlen(s));
}

/* Line number at.line of at.src without its end; NULL when there is none. */
static const char *
source_line(SnPos at, size_t *n)
{
    if (!at.src || !at.src->text || at.line == 0)
        return NULL;
    const char *s = at.src->text, *end = s + at.src->nbyte;
    for (uint32_t i = 1; i < at.line; i++) {
        s = memchr(s, '\n', (size_t)(end - s));
        if (!s)
            return NULL;
        s++;
    }
    const char *nl = memchr(s, '\n', (size_t)(end - s));
    *n = (size_t)((nl ? nl : end) - s);
    if (*n > 0 && s[*n - 1] == '\r')
        --*n;
    return s;
}

/* Bytes of the character at s[0..n) (n > 0) and the columns it is shown in;
 * a tab counts 1 and is copied into the caret line instead. */
static size_t
char_width(const char *s, size_t n, size_t *ncol)
{
    size_t len = sn_printable(s, n);

    *ncol = len || *s == '\t' ? 1 : 4; /* \xNN */
    return len ? len : 1;
}

static bool
is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The part of a line that is shown: all of it, or about LINE_MAX_SHOWN bytes
 * around the caret. */
enum { LINE_MAX_SHOWN = 160 };

typedef struct Window {
    const char *s;
    size_t from, caret, to, n;
} Window;

static Window
window(const char *s, size_t n, uint32_t col)
{
    Window w = {.s = s, .to = n, .n = n};

    w.caret = col > 0 ? col - 1 : 0;
    if (w.caret > n)
        w.caret = n;
    if (n <= LINE_MAX_SHOWN)
        return w;
    if (w.caret > LINE_MAX_SHOWN / 2)
        w.from = w.caret - LINE_MAX_SHOWN / 2;
    while (w.from < w.caret && is_continuation(s[w.from]))
        w.from++;
    if (n - w.from > LINE_MAX_SHOWN)
        w.to = w.from + LINE_MAX_SHOWN;
    while (w.to > w.caret && w.to < n && is_continuation(s[w.to]))
        w.to--;
    return w;
}

static void
put_source(SnBuf *b, const Window *w, uint32_t line, int gutter)
{
    sn_putf(b, "%*u |", gutter, line);
    if (w->n > 0)
        sn_putc(b, ' ');
    if (w->from > 0)
        sn_puts(b, "...");
    for (size_t i = w->from; i < w->to;) {
        size_t ncol, len = char_width(w->s + i, w->to - i, &ncol);
        if (w->s[i] == '\t')
            sn_putc(b, '\t');
        else
            sn_put_escaped(b, w->s + i, len);
        i += len;
    }
    sn_puts(b, w->to < w->n ? "...\n" : "\n");
}

static void
put_caret(SnBuf *b, const Window *w, uint32_t nbyte, int gutter)
{
    size_t ncol = 0;

    sn_putf(b, "%*s | ", gutter, "");
    if (w->from > 0)
        sn_puts(b, "   ");
    for (size_t i = w->from; i < w->caret;) {
        size_t len = char_width(w->s + i, w->caret - i, &ncol);
        sn_putn(b, w->s[i] == '\t' ? "\t" : "    ", ncol);
        i += len;
    }
    size_t end = w->to - w->caret < nbyte ? w->to : w->caret + nbyte;
    size_t total = 0;
    for (size_t i = w->caret; i < end; total += ncol)
        i += char_width(w->s + i, w->to - i, &ncol);
    sn_putc(b, '^');
    for (size_t i = 1; i < total; i++)
        sn_putc(b, '~');
}

/* The source line (unless the one above is the same) and its caret line. */
static void
put_excerpt(SnBuf *b, SnPos at, SnPos *shown, int gutter, const char *remark)
{
    size_t n = 0;
    const char *s = source_line(at, &n);

    if (!s) {
        if (*remark) {
            sn_putf(b, "%*s | ", gutter, "");
            put_text(b, remark);
            sn_putc(b, '\n');
        }
        return;
    }
    Window w = window(s, n, at.col);
    if (shown->src != at.src || shown->line != at.line || n > LINE_MAX_SHOWN)
        put_source(b, &w, at.line, gutter);
    *shown = at;
    put_caret(b, &w, at.len, gutter);
    if (*remark) {
        sn_putc(b, ' ');
        put_text(b, remark);
    }
    sn_putc(b, '\n');
}

static void
put_span(SnBuf *b, SnPos at, const SnSrc *home, SnPos *shown, int gutter,
         const char *remark)
{
    if (!at.src || at.src == home) {
        put_excerpt(b, at, shown, gutter, remark);
        return;
    }
    sn_putc(b, ' ');
    put_text(b, at.src->name);
    if (at.line)
        sn_putf(b, ":%u", at.line);
    if (*remark) {
        sn_puts(b, ": ");
        put_text(b, remark);
    }
    sn_putc(b, '\n');
    *shown = (SnPos){0};
    put_excerpt(b, at, shown, gutter, "");
}

static int
gutter_width(const Msg *m)
{
    uint32_t max = m->at.line;
    int width = 1;

    for (const Extra *e = m->extra; e; e = e->next)
        if (e->kind == EXTRA_SPAN && e->at.line > max)
            max = e->at.line;
    for (; max >= 10; max /= 10)
        width++;
    return width < 4 ? 4 : width;
}

static void
put_head(SnBuf *b, const Msg *m)
{
    static const char *const name[] = {"error", "warning", "note"};

    if (m->where) {
        put_text(b, m->where);
        sn_puts(b, ": ");
    } else {
        if (m->at.src) {
            put_text(b, m->at.src->name);
            if (m->at.line)
                sn_putf(b, ":%u:%u", m->at.line, m->at.col);
            sn_puts(b, ": ");
        }
        sn_puts(b, name[m->sev]);
        if (m->code)
            sn_putf(b, "[%s]", m->code);
        sn_puts(b, ": ");
    }
    put_text(b, m->text);
    sn_putc(b, '\n');
}

static void
put_msg(SnBuf *b, const Msg *m)
{
    int gutter = gutter_width(m);
    SnPos shown = {0};

    put_head(b, m);
    put_excerpt(b, m->at, &shown, gutter, "");
    for (const Extra *e = m->extra; e; e = e->next) {
        switch (e->kind) {
        case EXTRA_SPAN:
            put_span(b, e->at, m->at.src, &shown, gutter, e->text);
            break;
        case EXTRA_LINE:
            sn_putf(b, "%*s | ", gutter, "");
            put_text(b, e->text);
            sn_putc(b, '\n');
            shown = (SnPos){0};
            break;
        case EXTRA_HELP:
            sn_puts(b, "   help: ");
            put_text(b, e->text);
            sn_putc(b, '\n');
            shown = (SnPos){0};
            break;
        }
    }
}

static int
order(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

static int
by_position(const void *pa, const void *pb)
{
    const Msg *a = *(Msg *const *)pa, *b = *(Msg *const *)pb;
    int c = order(!a->at.src, !b->at.src);

    if (c == 0 && a->at.src) {
        c = order(a->at.src->order, b->at.src->order);
        c = c ? c : order(a->at.line, b->at.line);
        c = c ? c : order(a->at.col, b->at.col);
        c = c ? c : order(a->sev, b->sev);
    }
    return c ? c : order(a->seq, b->seq);
}

static Msg **
sorted(const SnDiag *d, SnArena *a)
{
    if (d->n == 0)
        return NULL;
    Msg **v = sn_memdup(a, d->v, d->n * sizeof *d->v);
    qsort(v, d->n, sizeof *v, by_position);
    return v;
}

const SnDiagMsg *
sn_diag_messages(const SnDiag *d, SnArena *a, size_t *n)
{
    Msg **v = sorted(d, a);
    SnDiagMsg *m = SN_NEW_N(a, SnDiagMsg, d->n + 1);

    for (size_t i = 0; i < d->n; i++) {
        m[i] = (SnDiagMsg){v[i]->sev,  v[i]->at, v[i]->code, v[i]->where,
                           v[i]->text, 0,        NULL};
        SnDiagExtra *x = NULL;
        for (const Extra *e = v[i]->extra; e; e = e->next) {
            SnDiagExtra k = {.at = e->at, .text = e->text};
            k.kind = e->kind == EXTRA_SPAN   ? SN_EXTRA_SPAN
                     : e->kind == EXTRA_LINE ? SN_EXTRA_LINE
                                             : SN_EXTRA_HELP;
            SN_PUSH(a, x, m[i].nextra, k);
        }
        m[i].extra = x;
    }
    *n = d->n;
    return m;
}

const char *
sn_diag_text(SnDiag *d, SnArena *a)
{
    SnBuf b;

    sn_buf_init(&b, a);
    Msg **v = sorted(d, a);
    for (size_t i = 0; i < d->n; i++)
        put_msg(&b, v[i]);
    return sn_buf_str(&b);
}

void
sn_diag_print(SnDiag *d, FILE *out)
{
    fputs(sn_diag_text(d, d->a), out);
    d->v = d->set = NULL;
    d->n = d->nset = 0;
    d->last = NULL;
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

/* Damerau-Levenshtein distance in which no substring is edited twice
 * (optimal string alignment); na, nb <= WORD_MAX. */
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
            unsigned best = prev[j - 1] + (a[i - 1] != b[j - 1]);
            best = min2(best, min2(prev[j], cur[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
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
