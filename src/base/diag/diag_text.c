// SPDX-License-Identifier: Apache-2.0
/* Messages as text: their places, the lines of source, carets, colours. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag/diag_priv.h"

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

/* Where a message goes. */
typedef struct Out {
    SnBuf *b;
    int gutter; /* columns of line numbers */
    bool colour;
    SnPos shown; /* the line of source above; its src is NULL: none */
} Out;

/* Terminals' styles (ECMA-48, SGR). */
#define PLAIN "0"
#define BOLD "1"
#define RED "1;31"
#define GREEN "1;32"
#define MAGENTA "1;35"
#define CYAN "1;36"

static void
style(const Out *o, const char *sgr)
{
    if (o->colour)
        sn_putf(o->b, "\033[%sm", sgr);
}

static void
put_caret(Out *o, const Window *w, uint32_t nbyte)
{
    size_t ncol = 0;

    sn_putf(o->b, "%*s | ", o->gutter, "");
    if (w->from > 0)
        sn_puts(o->b, "   ");
    for (size_t i = w->from; i < w->caret;) {
        size_t len = char_width(w->s + i, w->caret - i, &ncol);
        sn_putn(o->b, w->s[i] == '\t' ? "\t" : "    ", ncol);
        i += len;
    }
    size_t end = w->to - w->caret < nbyte ? w->to : w->caret + nbyte;
    size_t total = 0;
    for (size_t i = w->caret; i < end; total += ncol)
        i += char_width(w->s + i, w->to - i, &ncol);
    style(o, GREEN);
    sn_putc(o->b, '^');
    for (size_t i = 1; i < total; i++)
        sn_putc(o->b, '~');
    style(o, PLAIN);
}

/* The source line (unless the one above is the same) and its caret line. */
static void
put_excerpt(Out *o, SnPos at, const char *remark)
{
    size_t n = 0;
    const char *s = source_line(at, &n);

    if (!s) {
        if (*remark) {
            sn_putf(o->b, "%*s | ", o->gutter, "");
            put_text(o->b, remark);
            sn_putc(o->b, '\n');
        }
        return;
    }
    Window w = window(s, n, at.col);
    if (o->shown.src != at.src || o->shown.line != at.line ||
        n > LINE_MAX_SHOWN)
        put_source(o->b, &w, at.line, o->gutter);
    o->shown = at;
    put_caret(o, &w, at.len);
    if (*remark) {
        sn_putc(o->b, ' ');
        put_text(o->b, remark);
    }
    sn_putc(o->b, '\n');
}

static void
put_span(Out *o, SnPos at, const SnSrc *home, const char *remark)
{
    if (!at.src || at.src == home) {
        put_excerpt(o, at, remark);
        return;
    }
    sn_putc(o->b, ' ');
    put_text(o->b, at.src->name);
    if (at.line)
        sn_putf(o->b, ":%u", at.line);
    if (*remark) {
        sn_puts(o->b, ": ");
        put_text(o->b, remark);
    }
    sn_putc(o->b, '\n');
    o->shown = (SnPos){0};
    put_excerpt(o, at, "");
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
put_head(Out *o, const Msg *m)
{
    static const struct {
        const char *name, *style;
    } sev[] = {{"error", RED}, {"warning", MAGENTA}, {"note", CYAN}};

    style(o, BOLD);
    if (m->where) {
        put_text(o->b, m->where);
    } else if (m->at.src) {
        put_text(o->b, m->at.src->name);
        if (m->at.line)
            sn_putf(o->b, ":%u:%u", m->at.line, m->at.col);
    }
    sn_puts(o->b, m->where || m->at.src ? ": " : "");
    style(o, PLAIN);
    if (!m->where) {
        style(o, sev[m->sev].style);
        sn_puts(o->b, sev[m->sev].name);
        if (m->code)
            sn_putf(o->b, "[%s]", m->code);
        sn_puts(o->b, ":");
        style(o, PLAIN);
        sn_puts(o->b, " ");
    }
    put_text(o->b, m->text);
    sn_putc(o->b, '\n');
}

static void
put_extra(Out *o, const Msg *m, const Extra *e)
{
    switch (e->kind) {
    case EXTRA_SPAN:
        put_span(o, e->at, m->at.src, e->text);
        return;
    case EXTRA_LINE:
        sn_putf(o->b, "%*s | ", o->gutter, "");
        break;
    case EXTRA_HELP:
        sn_puts(o->b, "   ");
        style(o, CYAN);
        sn_puts(o->b, "help:");
        style(o, PLAIN);
        sn_puts(o->b, " ");
        break;
    }
    put_text(o->b, e->text);
    sn_putc(o->b, '\n');
    o->shown = (SnPos){0};
}

static void
put_msg(SnBuf *b, const Msg *m, bool colour)
{
    Out o = {.b = b, .gutter = gutter_width(m), .colour = colour};

    put_head(&o, m);
    put_excerpt(&o, m->at, "");
    for (const Extra *e = m->extra; e; e = e->next)
        put_extra(&o, m, e);
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

static const char *
text_of(SnDiag *d, SnArena *a, bool colour)
{
    SnBuf b;

    sn_buf_init(&b, a);
    Msg **v = sorted(d, a);
    for (size_t i = 0; i < d->n; i++)
        put_msg(&b, v[i], colour);
    return sn_buf_str(&b);
}

const char *
sn_diag_text(SnDiag *d, SnArena *a)
{
    return text_of(d, a, false);
}

/* A terminal, and NO_COLOR is not set (no-color.org). */
static bool
takes_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return !(no && *no) && term && *term && strcmp(term, "dumb") != 0 &&
           isatty(fileno(out));
}

void
sn_diag_print(SnDiag *d, FILE *out)
{
    fputs(text_of(d, d->a, takes_colour(out)), out);
    d->v = d->set = NULL;
    d->n = d->nset = 0;
    d->last = NULL;
}
