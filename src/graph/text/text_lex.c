// SPDX-License-Identifier: Apache-2.0
/* Tokens of the text form. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "graph/text/text_priv.h"

bool
sn_rd_fail(SnReader *r, SnPos at, const char *fmt, ...)
{
    va_list ap;

    if (!r->failed) {
        va_start(ap, fmt);
        sn_error(r->d, at, NULL, "%s", sn_vformat(r->a, fmt, ap));
        va_end(ap);
    }
    r->failed = true;
    r->m.t.kind = SN_TOK_BAD;
    return false;
}

/* The byte at i, or -1 past the end. */
static int
peek(const SnReader *r, size_t i)
{
    return i < r->src->nbyte ? (unsigned char)r->src->text[i] : -1;
}

static bool
is_alpha(int c)
{
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool
is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static SnPos
pos_at(const SnReader *r, size_t i, size_t n)
{
    SnPos p = {r->src, r->m.line, (uint32_t)(i - r->m.line_start + 1),
               n ? (uint32_t)n : 1};

    return p;
}

/* Skips blanks and comments. */
static void
skip(SnReader *r)
{
    for (;; r->m.i++) {
        int c = peek(r, r->m.i);
        if (c == ';')
            while (peek(r, r->m.i + 1) >= 0 && peek(r, r->m.i + 1) != '\n')
                r->m.i++;
        else if (c == '\n') {
            r->m.line++;
            r->m.line_start = r->m.i + 1;
        } else if (c != ' ' && c != '\t' && c != '\r')
            return;
    }
}

static int
hex_digit(int c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The character that the escape at i (behind its backslash) means, and its
 * length; 0 for an unknown one. */
static size_t
escape(const SnReader *r, size_t i, char *c)
{
    static const char from[] = "\"\\nt", to[] = "\"\\\n\t";
    int e = peek(r, i);
    const char *p = e > 0 ? strchr(from, e) : NULL;

    if (p) {
        *c = to[p - from];
        return 1;
    }
    if (e != 'x')
        return 0;
    int hi = hex_digit(peek(r, i + 1)), lo = hex_digit(peek(r, i + 2));
    if (hi < 0 || lo < 0 || (hi == 0 && lo == 0))
        return 0;
    *c = (char)(16 * hi + lo);
    return 3;
}

/* A string whose opening quote is at i; *end is behind the closing one. */
static const char *
string(SnReader *r, size_t i, size_t *end)
{
    size_t start = i++, j = i;
    char *s, *out;

    while (peek(r, j) >= 0 && peek(r, j) != '"' && peek(r, j) != '\n')
        j += peek(r, j) == '\\' && peek(r, j + 1) != '\n' ? 2 : 1;
    out = s = sn_alloc(r->tmp, j - i + 1);
    while (i < j && i < r->src->nbyte) {
        int c = peek(r, i++);
        if (c == 0 || (c < 0x20 && c != '\t'))
            return sn_rd_fail(r, pos_at(r, i - 1, 1),
                              "byte 0x%02x in a string; write \\x%02x", c, c),
                   NULL;
        *out = (char)c;
        if (c == '\\') {
            size_t n = escape(r, i, out);
            if (n == 0)
                return sn_rd_fail(r, pos_at(r, i - 1, 2),
                                  "unknown escape; there are \\\" \\\\ \\n "
                                  "\\t and \\xNN (but no NUL)"),
                       NULL;
            i += n;
        }
        out++;
    }
    if (peek(r, j) != '"')
        return sn_rd_fail(r, pos_at(r, start, 1),
                          "this string has no closing quote on its line"),
               NULL;
    *end = j + 1;
    return s;
}

static size_t
ident_end(const SnReader *r, size_t i)
{
    while (is_alpha(peek(r, i)) || is_digit(peek(r, i)) || peek(r, i) == '.')
        i++;
    return i;
}

/* Everything that may belong to a number; checked where it is converted. */
static size_t
number_end(const SnReader *r, size_t i)
{
    bool hex = peek(r, i) == '0' && peek(r, i + 1) == 'x';

    if (peek(r, i) == '-')
        i++;
    for (;; i++) {
        int c = peek(r, i), before = i ? peek(r, i - 1) : 0;
        bool sign =
            (c == '+' || c == '-') && !hex && (before == 'e' || before == 'E');
        if (!is_alpha(c) && !is_digit(c) && c != '.' && !sign)
            return i;
    }
}

/* Fills kind, c, s of the token at i; returns its end. */
static size_t
scan(SnReader *r, size_t i, SnTextTok *t)
{
    int c = peek(r, i);
    size_t end = i;

    if (c < 0) {
        t->kind = SN_TOK_END;
    } else if (c == '"') {
        t->kind = SN_TOK_STR;
        t->s = string(r, i, &end);
    } else if (c == '%') {
        t->kind = SN_TOK_NAME;
        if (peek(r, i + 1) == '"') {
            t->s = string(r, i + 1, &end);
            if (t->s && !*t->s)
                sn_rd_fail(r, pos_at(r, i, 3), "a name cannot be empty");
        } else if (is_alpha(peek(r, i + 1))) {
            end = ident_end(r, i + 1);
            t->s = sn_strndup(r->tmp, r->src->text + i + 1, end - i - 1);
        } else {
            sn_rd_fail(r, pos_at(r, i, 1), "expected a name after '%%'");
        }
    } else if (is_digit(c) || c == '-') {
        t->kind = SN_TOK_NUM;
        end = number_end(r, i);
    } else if (is_alpha(c) && (end = ident_end(r, i)) > i + (c == '_')) {
        t->kind = SN_TOK_IDENT;
        t->s = sn_strndup(r->tmp, r->src->text + i, end - i);
    } else if (c && strchr("(){}[]<>,:=@_", c)) {
        t->kind = SN_TOK_PUNCT;
        t->c = (char)c;
        end = i + 1;
    } else if (c > 0x20 && c < 0x7f) {
        sn_rd_fail(r, pos_at(r, i, 1), "unexpected '%c'", c);
    } else {
        sn_rd_fail(r, pos_at(r, i, 1), "unexpected byte 0x%02x", c);
    }
    return end;
}

void
sn_rd_next(SnReader *r)
{
    SnTextTok t = {.kind = SN_TOK_BAD};

    if (r->failed)
        return;
    skip(r);
    size_t i = r->m.i, end = scan(r, i, &t);
    if (r->failed)
        return;
    t.at = r->src->text + i;
    t.pos = pos_at(r, i, end - i);
    r->m.i = end;
    r->m.t = t;
}

bool
sn_rd_is(const SnReader *r, char c)
{
    return r->m.t.kind == SN_TOK_PUNCT && r->m.t.c == c;
}

bool
sn_rd_take(SnReader *r, char c)
{
    if (!sn_rd_is(r, c))
        return false;
    sn_rd_next(r);
    return true;
}

bool
sn_rd_wanted(SnReader *r, const char *what)
{
    const SnTextTok *t = &r->m.t;
    int n = t->pos.len < 40 ? (int)t->pos.len : 40;

    if (t->kind == SN_TOK_END)
        return sn_rd_fail(r, t->pos, "expected %s, but the text ends here",
                          what);
    return sn_rd_fail(r, t->pos, "expected %s, found %.*s%s", what, n, t->at,
                      t->pos.len > 40 ? "..." : "");
}

bool
sn_rd_expect(SnReader *r, char c, const char *where)
{
    if (sn_rd_take(r, c))
        return true;
    return sn_rd_wanted(r, sn_format(r->a, "'%c' %s", c, where));
}

/* ---- numbers ---- */

enum { NUM_MAX = 63 };

/* Copies the next token, a number or one of the words inf and nan. */
static bool
number(SnReader *r, char *s, const char *what)
{
    const SnTextTok *t = &r->m.t;
    bool word = t->kind == SN_TOK_IDENT &&
                (!strcmp(t->s, "inf") || !strcmp(t->s, "nan"));

    if (t->kind != SN_TOK_NUM && !word)
        return sn_rd_wanted(r, what);
    if (t->pos.len > NUM_MAX)
        return sn_rd_fail(r, t->pos, "a number of %u characters is too long",
                          (unsigned)t->pos.len);
    memcpy(s, t->at, t->pos.len);
    s[t->pos.len] = '\0';
    return true;
}

bool
sn_rd_int(SnReader *r, int64_t lo, int64_t hi, int64_t *v)
{
    SnPos pos = r->m.t.pos;
    char s[NUM_MAX + 1], *p = s;
    uint64_t n = 0, max = (uint64_t)INT64_MAX;
    bool neg, fits = true;

    if (!number(r, s, "an integer"))
        return false;
    neg = *p == '-';
    p += neg;
    max += neg;
    if (!is_digit(*p) || p[strspn(p, "0123456789")] != '\0')
        return sn_rd_fail(r, pos, "expected an integer, found %s", s);
    for (; *p && fits; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        fits = n <= (max - digit) / 10;
        n = 10 * n + digit;
    }
    if (fits)
        *v = !neg ? (int64_t)n : n == max ? INT64_MIN : -(int64_t)n;
    if (!fits || *v < lo || *v > hi)
        return sn_rd_fail(r, pos, "%s is outside [%lld, %lld]", s,
                          (long long)lo, (long long)hi);
    sn_rd_next(r);
    return true;
}

/* -?D+(.D+)?([eE][+-]?D+)?, or inf, -inf, nan. */
static bool
real_syntax(const char *s)
{
    static const char digits[] = "0123456789";

    if (*s == '-')
        s++;
    if (!strcmp(s, "inf") || !strcmp(s, "nan"))
        return true;
    if (!is_digit(*s))
        return false;
    s += strspn(s, digits);
    if (*s == '.') {
        if (!is_digit(*++s))
            return false;
        s += strspn(s, digits);
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        if (!is_digit(*s))
            return false;
        s += strspn(s, digits);
    }
    return *s == '\0';
}

/* No finite number may turn into an infinity. */
static bool
too_large(const char *s, double v)
{
    return isinf(v) && !strstr(s, "inf");
}

/* Numbers of at most 15 digits and a small exponent, which most are: digits
 * and power of ten are exact in binary64, so that one operation rounds once.
 * Rounding that to f32 gives what rounding the number itself would, unless it
 * lies just between two f32 (a tie may come of the first rounding); such ones,
 * and those below the normal range, are left to strtof, as is what may be no
 * number: NULL.  Else the end of the longest number that begins at s. */
static const char *
quick_real(const char *s, const char *end, float *v)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *first = s, *point = NULL;
    bool neg = s < end && *s == '-';
    int ndigit = 0, e = 0;
    uint64_t m = 0, bits;

    for (s += neg; s < end && (is_digit(*s) || (*s == '.' && !point)); s++) {
        if (*s == '.') {
            point = s;
        } else if (m > 0 || *s != '0') {
            m = 10 * m + (uint64_t)(*s - '0');
            if (++ndigit > 15)
                return NULL;
        }
    }
    if (s == first + neg || !is_digit(first[neg]) || !is_digit(s[-1]) ||
        s - first > NUM_MAX / 2)
        return NULL;
    int at = point ? (int)(s - point) - 1 : 0;
    if (s < end && (*s == 'e' || *s == 'E')) {
        bool low = ++s < end && *s == '-';
        const char *digits = s += low || (s < end && *s == '+');
        for (; s < end && is_digit(*s) && s - digits < 4; s++)
            e = 10 * e + (*s - '0');
        if (s == digits)
            return NULL;
        e = low ? -e : e;
    }
    e -= at;
    if (e < -22 || e > 22)
        return NULL;
    double d = e < 0 ? (double)m / ten[-e] : (double)m * ten[e];
    memcpy(&bits, &d, sizeof bits);
    if ((d != 0 && d < 0x1p-126) || d > 0x1p127 ||
        (bits & 0x1fffffff) == 0x10000000)
        return NULL;
    *v = (float)(neg ? -d : d);
    return s;
}

bool
sn_rd_real(SnReader *r, float *v)
{
    SnPos pos = r->m.t.pos;
    const char *at = r->m.t.at;
    char s[NUM_MAX + 1], *end;

    if (r->m.t.kind == SN_TOK_NUM &&
        quick_real(at, at + pos.len, v) == at + pos.len) {
        sn_rd_next(r);
        return true;
    }
    if (!number(r, s, "a number"))
        return false;
    if (s[0] == '0' && s[1] == 'x') { /* the bits of a NaN */
        unsigned long long bits = strtoull(s + 2, &end, 16);
        uint32_t u = (uint32_t)bits;
        memcpy(v, &u, sizeof u);
        if (*end || end != s + 10)
            return sn_rd_fail(r, pos, "expected 8 hex digits, found %s", s);
    } else if (!real_syntax(s)) {
        return sn_rd_fail(r, pos, "expected a number, found %s", s);
    } else if (!strcmp(s, "nan") || !strcmp(s, "-nan")) {
        uint32_t u = *s == '-' ? 0xffc00000 : 0x7fc00000;
        memcpy(v, &u, sizeof u);
    } else {
        *v = strtof(s, NULL);
        if (too_large(s, (double)*v))
            return sn_rd_fail(r, pos, "%s is beyond the range of f32", s);
    }
    sn_rd_next(r);
    return true;
}

bool
sn_rd_double(SnReader *r, double *v)
{
    SnPos pos = r->m.t.pos;
    char s[NUM_MAX + 1];

    if (!number(r, s, "a number"))
        return false;
    if (!real_syntax(s) || strstr(s, "nan"))
        return sn_rd_fail(r, pos, "expected a number, found %s", s);
    *v = strtod(s, NULL);
    if (too_large(s, *v))
        return sn_rd_fail(r, pos, "%s is beyond the range of a number", s);
    sn_rd_next(r);
    return true;
}

/* ---- lists ---- */

/* Is there a comma at *s, and a number behind it?  Then *s moves there. */
static bool
more(const char **s, const char *end)
{
    const char *p = *s;

    if (end - p < 3 || p[0] != ',' || p[1] != ' ' ||
        !(is_digit(p[2]) || p[2] == '-'))
        return false;
    *s = p + 2;
    return true;
}

/* Makes the number at s the next token. */
static void
go_to(SnReader *r, const char *s)
{
    if (s == r->m.t.at)
        return;
    r->m.i = (size_t)(s - r->src->text);
    sn_rd_next(r);
}

size_t
sn_rd_reals(SnReader *r, float *v, size_t most)
{
    const char *end = r->src->text + r->src->nbyte, *s = r->m.t.at, *p = s;
    size_t n = 0;

    if (r->m.t.kind != SN_TOK_NUM)
        return 0;
    while (n < most && (p = quick_real(s, end, &v[n])) && more(&p, end)) {
        s = p;
        n++;
    }
    go_to(r, s);
    return n;
}

/* The end of an integer of at most 9 digits that begins at s, or NULL. */
static const char *
quick_int(const char *s, const char *end, int32_t *v)
{
    bool neg = s < end && *s == '-';
    const char *digits = s += neg;
    int32_t x = 0;

    for (; s < end && is_digit(*s) && s - digits < 9; s++)
        x = 10 * x + (*s - '0');
    *v = neg ? -x : x;
    return s > digits ? s : NULL;
}

size_t
sn_rd_ints(SnReader *r, int32_t *v, size_t most)
{
    const char *end = r->src->text + r->src->nbyte, *s = r->m.t.at, *p = s;
    size_t n = 0;

    if (r->m.t.kind != SN_TOK_NUM)
        return 0;
    while (n < most && (p = quick_int(s, end, &v[n])) && more(&p, end)) {
        s = p;
        n++;
    }
    go_to(r, s);
    return n;
}
