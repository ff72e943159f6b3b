// SPDX-License-Identifier: Apache-2.0
#include "base/lang/vectors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/file/file.h"

#define WHEN(ID, word) {SN_WHEN_##ID, word},
static const struct {
    unsigned bit;
    const char *word;
} whens[] = {SN_WHENS(WHEN)};
#undef WHEN
enum { NWHEN = sizeof whens / sizeof *whens };

/* ---- columns ---- */

typedef enum Column {
    END,
    SCALE_0, /* of the result */
    SCALE_1,
    SCALE_2,
    ZP_0,
    ZP_1,
    ZP_2,
    COUNT,
    ROWS,
    COLUMNS,
    SHIFT,
    ABOVE, /* of a function: sn_vectors_second */
    MORE,
    IN_0,
    IN_1,
    REAL
} Column;

enum { NCOLUMN = 10 };
#define PAIR                                                           \
    "a.scale a.zp b.scale b.zp y.scale y.zp zp_shift a b",             \
    {                                                                  \
        SCALE_1, ZP_1, SCALE_2, ZP_2, SCALE_0, ZP_0, SHIFT, IN_0, IN_1 \
    }
static const struct {
    const char *names;
    uint8_t column[NCOLUMN];
} columns[SN_NFORM] = {
    [SN_FORM_CONVERT] = {"x.scale x.zp y.scale y.zp x",
                         {SCALE_1, ZP_1, SCALE_0, ZP_0, IN_0}},
    [SN_FORM_CONTRACT] = {"x.scale w.scale y.scale y.zp acc",
                          {SCALE_1, SCALE_2, SCALE_0, ZP_0, IN_0}},
    [SN_FORM_MEAN] = {"x.scale x.zp y.scale y.zp n kernel[0] kernel[1] sum",
                      {SCALE_1, ZP_1, SCALE_0, ZP_0, COUNT, ROWS, COLUMNS,
                       IN_0}},
    [SN_FORM_SUM] = {PAIR},
    [SN_FORM_DIFFERENCE] = {PAIR},
    [SN_FORM_PRODUCT] = {PAIR},
    [SN_FORM_POINT] = {"y.scale y.zp zp_shift value",
                       {SCALE_0, ZP_0, SHIFT, REAL}},
    [SN_FORM_FUNCTION] = {"y.scale y.zp below above more",
                          {SCALE_0, ZP_0, IN_0, ABOVE, MORE}},
};

static float *
real_of(SnVector *v, Column c)
{
    return c == REAL                      ? &v->real
           : c >= SCALE_0 && c <= SCALE_2 ? &v->g.scale[c - SCALE_0]
                                          : NULL;
}

static int64_t *
int_of(SnVector *v, Column c)
{
    switch (c) {
    case COUNT:
        return &v->g.n;
    case ROWS:
    case ABOVE:
        return &v->g.kernel[0];
    case COLUMNS:
    case MORE:
        return &v->g.kernel[1];
    case SHIFT:
        return &v->g.zp_shift;
    case IN_0:
        return &v->in[0];
    case IN_1:
        return &v->in[1];
    default:
        return NULL;
    }
}

/* ---- writing ---- */

const char *
sn_vectors_row_name(SnArena *a, const SnVectorRow *r)
{
    const char *s = sn_form_words[r->form].word, *by = " when ";

    if (r->map)
        s = sn_format(a, "%s over %s", s, r->map);
    for (unsigned i = 0; i < NWHEN; i++)
        if (r->when & whens[i].bit) {
            s = sn_format(a, "%s%s%s", s, by, whens[i].word);
            by = " and ";
        }
    return s;
}

void
sn_vectors_put_head(SnBuf *b, const char *arith)
{
    sn_putf(b, "sinter-vectors 1 %s\n", arith);
}

void
sn_vectors_put_row(SnBuf *b, const SnVectorRow *r)
{
    sn_putf(b, "row %s : %s y\n", sn_vectors_row_name(b->a, r),
            columns[r->form].names);
}

void
sn_vectors_put(SnBuf *b, const SnVectorRow *r, const SnVector *v)
{
    SnVector x = *v;

    for (const uint8_t *c = columns[r->form].column; *c; c++) {
        const float *f = real_of(&x, (Column)*c);
        const int64_t *n = int_of(&x, (Column)*c);
        if (f)
            sn_putf(b, "%a ", (double)*f);
        else
            sn_putf(b, "%" PRId64 " ", n ? *n : x.g.zp[*c - ZP_0]);
    }
    sn_putf(b, "%" PRId64 "\n", v->want);
}

/* ---- reading ---- */

typedef struct Reader {
    SnArena *a;
    SnDiag *d;
    const char *path;
    uint32_t line;
    char *s; /* what is left of the line */
} Reader;

static const char *
at(const Reader *r)
{
    return sn_format(r->a, "%s:%u", r->path, (unsigned)r->line);
}

/* The next word of the line, NULL: there is none. */
static char *
word(Reader *r)
{
    char *w = r->s + strspn(r->s, " \t\r");
    size_t n = strcspn(w, " \t\r");

    if (!n)
        return NULL;
    r->s = w + n + (w[n] != '\0');
    w[n] = '\0';
    return w;
}

static SnStatus
bad_word(Reader *r, const char *w, const char *want)
{
    return sn_fail(r->d, SN_EINPUT, at(r), "'%s', expected %s",
                   w ? w : "end of line", want);
}

/* FORM [over MAP] [when FLAG and ..] : columns */
static SnStatus
read_row(Reader *r, SnVectorRow *row)
{
    char *w = word(r);
    size_t f = w ? sn_lang_named(sn_form_words, SN_NFORM, w) : SN_NFORM;

    if (f == SN_NFORM)
        return bad_word(r, w, "a form, as contract or sum");
    *row = (SnVectorRow){.form = (SnForm)f};
    w = word(r);
    if (w && !strcmp(w, "over")) {
        row->map = (w = word(r)) ? sn_strdup(r->a, w) : NULL;
        if (!w)
            return bad_word(r, w, "a map");
        w = word(r);
    }
    for (bool more = w && !strcmp(w, "when"); more;) {
        unsigned i = 0;
        w = word(r);
        while (i < NWHEN && (!w || strcmp(whens[i].word, w) != 0))
            i++;
        if (i == NWHEN)
            return bad_word(r, w, "a condition, as depthwise or same_type");
        row->when |= whens[i].bit;
        w = word(r);
        more = w && !strcmp(w, "and");
    }
    if (!w || strcmp(w, ":") != 0)
        return bad_word(r, w, "':' and the columns");
    const char *want = sn_format(r->a, "%s y", columns[f].names);
    if (strcmp(r->s, want) != 0)
        return sn_fail(r->d, SN_EINPUT, at(r), "columns '%s', expected '%s'",
                       r->s, want);
    return SN_OK;
}

static SnStatus
read_int(Reader *r, int64_t lo, int64_t hi, int64_t *to)
{
    char *w = word(r), *end = w;

    errno = 0;
    *to = w ? strtoll(w, &end, 10) : 0;
    if (!w || *end || errno || *to < lo || *to > hi)
        return bad_word(
            r, w,
            sn_format(r->a, "an integer from %" PRId64 " to %" PRId64, lo, hi));
    return SN_OK;
}

static SnStatus
read_real(Reader *r, bool scale, float *to)
{
    char *w = word(r), *end = w;

    *to = w ? strtof(w, &end) : 0;
    if (!w || *end || (scale && !(*to >= 0x1p-100f && *to <= 0x1p100f)))
        return bad_word(r, w,
                        scale ? "a scale from 2^-100 to 2^100" : "a real");
    return SN_OK;
}

static SnStatus
read_vector(Reader *r, const SnVectorRow *row, SnVector *v)
{
    const int64_t code = sn_vectors_hi(row), any = INT64_C(1) << 62;
    int64_t n = 0;

    *v = (SnVector){.line = r->line, .g = {{1, 1, 1}, {0}, 1, 0, {1, 1}}};
    for (const uint8_t *p = columns[row->form].column; *p; p++) {
        Column c = (Column)*p;
        float *f = real_of(v, c);
        int64_t *i = int_of(v, c);
        bool sum = row->form == SN_FORM_CONTRACT || row->form == SN_FORM_MEAN;
        int64_t hi = (c == IN_0 || c == IN_1 || c == ABOVE) && !sum ? code
                     : c == MORE                                    ? 127
                     : c == IN_0 && row->form == SN_FORM_CONTRACT &&
                             !(row->when & SN_WHEN_WIDE)
                         ? INT32_MAX
                     : c == IN_0                 ? any
                     : c == COUNT                ? INT64_C(1) << 40
                     : c == ROWS || c == COLUMNS ? INT32_MAX
                     : c == SHIFT                ? 128
                                                 : 32767;
        int64_t lo = c == COUNT || c == ROWS || c == COLUMNS ? 1
                     : c == SHIFT || c == MORE               ? 0
                                                             : -hi - 1;
        if (f)
            SN_TRY(read_real(r, c != REAL, f));
        else
            SN_TRY(read_int(r, lo, hi, i ? i : &n));
        if (!f && !i)
            v->g.zp[c - ZP_0] = (int32_t)n;
    }
    SN_TRY(read_int(r, -code - 1, code, &v->want));
    char *w = word(r);
    return w ? bad_word(r, w, "the end of the line") : SN_OK;
}

static SnStatus
read_line(Reader *r, SnVectors *v)
{
    if (!strncmp(r->s, "row ", 4)) {
        SnVectorTable t = {.line = r->line};
        r->s += 4;
        SN_TRY(read_row(r, &t.row));
        SN_PUSH(r->a, v->table, v->n, t);
        return SN_OK;
    }
    if (!v->n)
        return sn_fail(r->d, SN_EINPUT, at(r), "values before the first row");
    SnVectorTable *t = &v->table[v->n - 1];
    SnVector x;
    SN_TRY(read_vector(r, &t->row, &x));
    SN_PUSH(r->a, t->v, t->n, x);
    return SN_OK;
}

SnStatus
sn_vectors_read(SnArena *a, SnDiag *d, const char *path, SnVectors *v)
{
    static const char head[] = "sinter-vectors 1 ";
    Reader r = {.a = a, .d = d, .path = path};
    char *text;
    size_t n;

    *v = (SnVectors){.path = path};
    SN_TRY(sn_file_read(a, d, path, 0, &text, &n));
    for (char *end; *text; text = end) {
        size_t len = strcspn(text, "\n");
        end = text + len + (text[len] == '\n');
        text[len] = '\0';
        r.line++;
        r.s = text;
        if (*text == '#' || !*text)
            continue;
        if (v->arith) {
            SN_TRY(read_line(&r, v));
            continue;
        }
        if (strncmp(text, head, sizeof head - 1) != 0)
            return sn_fail(d, SN_EINPUT, at(&r),
                           "'%.40s', expected 'sinter-vectors 1 NAME'", text);
        r.s += sizeof head - 1;
        const char *w = word(&r);
        if (!w)
            return bad_word(&r, w, "the name of an arithmetic");
        v->arith = sn_strdup(a, w);
    }
    if (!v->n)
        return sn_fail(d, SN_EINPUT, path,
                       "no vectors; expected 'sinter-vectors 1 NAME' and rows");
    return SN_OK;
}
