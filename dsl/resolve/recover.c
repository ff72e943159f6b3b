// SPDX-License-Identifier: Apache-2.0
/* After syntax errors: resolves the rest, and reports only errors that the
 * skipped text cannot have caused. */
#include "dsl/model/model.h"

#include <ctype.h>
#include <string.h>
#include "base/buf.h"

/* A part of a text that was skipped, or not read completely. */
typedef struct Hole {
    const SnSrc *src;
    size_t from, to;
} Hole;

typedef struct Rec {
    SnArena *a;
    Hole *hole;
    uint32_t nhole;
    const char **lost; /* names that a hole declares */
    uint32_t nlost;
} Rec;

/* ---- texts ---- */

static size_t
offset(const SnSrc *s, uint32_t line, uint32_t col)
{
    size_t i = 0;

    for (uint32_t k = 1; k < line && i < s->nbyte; i++)
        k += s->text[i] == '\n';
    i += col > 0 ? col - 1 : 0;
    return i < s->nbyte ? i : s->nbyte;
}

static bool
word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the word at byte i, 0 if none begins there. */
static size_t
word_at(const SnSrc *s, size_t i)
{
    size_t n = 0;

    if (i >= s->nbyte || isdigit((unsigned char)s->text[i]) ||
        (i > 0 && word_byte(s->text[i - 1])))
        return 0;
    while (i + n < s->nbyte && word_byte(s->text[i + n]))
        n++;
    return n;
}

static bool
one_of(const char *w, size_t n, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == n && !strncmp(w, *list, n))
            return true;
    return false;
}

/* The item around byte `at`: from a word in the first column to the next one at
 * which the parser resumes (sn_parse_begins_item). */
static Hole
item_around(const SnSrc *s, size_t at)
{
    static const char *const again[] = {
        "node",    "pass",     "lowering", "backend", "refine",
        "include", "pipeline", "map",      "onnx",    NULL};
    Hole h = {s, 0, s->nbyte};

    for (size_t i = 0; i < s->nbyte; i++) {
        size_t n = i == 0 || s->text[i - 1] == '\n' ? word_at(s, i) : 0;
        if (n && i <= at) {
            h.from = i;
        } else if (n && one_of(s->text + i, n, again)) {
            h.to = i;
            break;
        }
    }
    return h;
}

/* The statement around byte `at`: between ';', '{' or '}' and the next ';'. */
static Hole
statement_around(const SnSrc *s, size_t at)
{
    Hole h = {s, at, at};

    while (h.from > 0 && !strchr(";{}", s->text[h.from - 1]))
        h.from--;
    while (h.to < s->nbyte && s->text[h.to] != ';')
        h.to++;
    return h;
}

static bool
holds_word(const Hole *h, const char *w)
{
    size_t n = strlen(w);
    const char *t = h->src->text;

    for (size_t i = h->from; i + n <= h->to; i++)
        if (!strncmp(t + i, w, n) && (i == 0 || !word_byte(t[i - 1])) &&
            !word_byte(t[i + n]))
            return true;
    return false;
}

/* ---- holes ---- */

/* The name that a declaration at byte i gives; both words if the first does not
 * begin a declaration. */
static void
lose_name(Rec *r, const SnSrc *s, size_t i, size_t to)
{
    static const char *const opens[] = {
        "node",    "type",     "class", "pass",  "lowering",
        "backend", "pipeline", "rule",  "lower", "custom",
        "test",    "refine",   "attr",  "map",   NULL};
    bool first = true;
    int left = 1;

    while (i < to && left > 0) {
        size_t n = word_at(s, i);
        if (n && !one_of(s->text + i, n, opens)) {
            SN_PUSH(r->a, r->lost, r->nlost, sn_strndup(r->a, s->text + i, n));
            left += first ? 0 : -1;
        }
        first = first && !n;
        i += n ? n : 1;
    }
}

/* The names declared by items that begin in the first column of a hole. */
static void
lose_names(Rec *r, const Hole *h)
{
    for (size_t i = h->from; i < h->to; i++)
        if ((i == 0 || h->src->text[i - 1] == '\n') && word_at(h->src, i))
            lose_name(r, h->src, i, h->to);
}

static bool
begins(const Hole *h, const char *word)
{
    return h->to - h->from > strlen(word) &&
           !strncmp(h->src->text + h->from, word, strlen(word)) &&
           !word_byte(h->src->text[h->from + strlen(word)]);
}

/* A pass or a backend is read statement by statement and stays useful; of any
 * other item the name and everything in it are lost.  False: the declarations
 * of an include are not known. */
static bool
add_hole(Rec *r, SnPos at)
{
    size_t i = offset(at.src, at.line, at.col);
    Hole item = item_around(at.src, i), st = statement_around(at.src, i);
    bool parts = begins(&item, "pass") || begins(&item, "lowering") ||
                 begins(&item, "backend");

    if (begins(&item, "include"))
        return false;
    if (parts && st.from > item.from) {
        while (st.from < st.to && !word_at(at.src, st.from))
            st.from++;
        SN_PUSH(r->a, r->hole, r->nhole, st);
        lose_name(r, at.src, st.from, st.to);
        return true;
    }
    SN_PUSH(r->a, r->hole, r->nhole, item);
    lose_names(r, &item);
    return true;
}

static bool
in_hole(const Rec *r, SnPos at)
{
    size_t i = offset(at.src, at.line, at.col);

    for (uint32_t k = 0; k < r->nhole; k++)
        if (r->hole[k].src == at.src && i >= r->hole[k].from &&
            i < r->hole[k].to)
            return true;
    return false;
}

/* Does the message, or its statement, contain a name that a hole may
 * declare? */
static bool
depends(const Rec *r, const SnDiagMsg *m)
{
    Hole st =
        statement_around(m->at.src, offset(m->at.src, m->at.line, m->at.col));
    SnSrc say = {.name = "", .text = m->text, .nbyte = strlen(m->text)};
    Hole text = {&say, 0, say.nbyte};

    for (uint32_t i = 0; i < r->nlost; i++)
        if (holds_word(&st, r->lost[i]) || holds_word(&text, r->lost[i]))
            return true;
    return false;
}

/* A test without its faulty lines expects less than it says. */
static bool
about_whole(const SnDiagMsg *m)
{
    static const char *const code[] = {"SN130", "SN211"};

    return m->code && sn_name_among(code, 2, m->code);
}

/* ---- reporting ---- */

static void
tell(SnDiag *d, const SnDiagMsg *m)
{
    if (m->severity == SN_ERROR)
        sn_error(d, m->at, m->code, "%s", m->text);
    else if (m->severity == SN_WARNING)
        sn_warn(d, m->at, m->code, "%s", m->text);
    else
        sn_note(d, m->at, m->code, "%s", m->text);
    for (size_t i = 0; i < m->nextra; i++) {
        const SnDiagExtra *x = &m->extra[i];
        if (x->kind == SN_EXTRA_SPAN)
            sn_diag_span(d, x->at, "%s", x->text);
        else if (x->kind == SN_EXTRA_LINE)
            sn_diag_line(d, "%s", x->text);
        else
            sn_diag_help(d, "%s", x->text);
    }
}

/* Was the whole text processed?  Not after too many errors, nor if a file is
 * missing. */
static bool
recovered(const SnDiagMsg *m, size_t n)
{
    static const char *const lost[] = {"SN008", "SN009", "SN010", "SN011",
                                       "SN016"};

    for (size_t i = 0; i < n; i++) {
        if (m[i].severity != SN_ERROR)
            continue;
        if (!m[i].at.src || !m[i].code)
            return false;
        if (sn_name_among(lost, sizeof lost / sizeof *lost, m[i].code))
            return false;
    }
    return true;
}

void
sn_def_resolve_rest(SnDefs *defs, SnDiag *d)
{
    Rec r = {.a = defs->arena};
    size_t n;
    const SnDiagMsg *m = sn_diag_messages(d, r.a, &n);
    SnDiag *rest = sn_diag_new(r.a);

    if (!recovered(m, n))
        return;
    for (size_t i = 0; i < n; i++)
        if (m[i].severity == SN_ERROR && !add_hole(&r, m[i].at))
            return;
    sn_def_resolve(defs, rest);
    m = sn_diag_messages(rest, r.a, &n);
    for (size_t i = 0; i < n; i++)
        if (m[i].at.src && m[i].at.line && m[i].severity == SN_ERROR &&
            !about_whole(&m[i]) && !in_hole(&r, m[i].at) && !depends(&r, &m[i]))
            tell(d, &m[i]);
}
