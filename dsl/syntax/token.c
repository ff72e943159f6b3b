// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gram.h"

/* Every word with a meaning, in byte order: the lexer looks words up here and
 * messages spell them from here. */
static const struct word {
    const char *s;
    int code;
} words[] = {
    {"_", T_UNDERSCORE},
    {"accumulate", T_ACCUMULATE},
    {"allow", T_ALLOW},
    {"and", T_AND},
    {"any", T_ANY},
    {"arithmetic", T_ARITHMETIC},
    {"as", T_AS},
    {"assume", T_ASSUME},
    {"attr", T_ATTR},
    {"backend", T_BACKEND},
    {"because", T_BECAUSE},
    {"beside", T_BESIDE},
    {"bias", T_BIAS},
    {"builder", T_BUILDER},
    {"by", T_BY},
    {"centre", T_CENTRE},
    {"claim", T_CLAIM},
    {"class", T_CLASS},
    {"codes", T_CODES},
    {"commutes", T_COMMUTES},
    {"components", T_COMPONENTS},
    {"contract", T_CONTRACT},
    {"copy", T_COPY},
    {"cost", T_COST},
    {"custom", T_CUSTOM},
    {"derive", T_DERIVE},
    {"divisor", T_DIVISOR},
    {"each", T_EACH},
    {"effect", T_EFFECT},
    {"else", T_ELSE},
    {"enum", T_ENUM},
    {"exact", T_EXACT},
    {"expect", T_EXPECT},
    {"false", T_FALSE},
    {"fill", T_FILL},
    {"fixed", T_FIXED},
    {"for", T_FOR},
    {"form", T_FORM},
    {"forms", T_FORMS},
    {"free", T_FREE},
    {"from", T_FROM},
    {"given", T_GIVEN},
    {"hook", T_HOOK},
    {"in", T_IN},
    {"include", T_INCLUDE},
    {"input", T_INPUT},
    {"into", T_INTO},
    {"invariant", T_INVARIANT},
    {"keep", T_KEEP},
    {"kernel", T_KERNEL},
    {"kinds", T_KINDS},
    {"late", T_LATE},
    {"layout", T_LAYOUT},
    {"let", T_LET},
    {"like", T_LIKE},
    {"lossy", T_LOSSY},
    {"lower", T_LOWER},
    {"lowering", T_LOWERING},
    {"lsb", T_LSB},
    {"makes", T_MAKES},
    {"map", T_MAP},
    {"matches", T_MATCHES},
    {"minimizing", T_MINIMIZING},
    {"named", T_NAMED},
    {"no", T_NO},
    {"node", T_NODE},
    {"not", T_NOT},
    {"note", T_NOTE},
    {"number", T_NUMBER},
    {"of", T_OF},
    {"on", T_ON},
    {"onnx", T_ONNX},
    {"opaque", T_OPAQUE},
    {"optin", T_OPTIN},
    {"or", T_OR},
    {"order", T_ORDER},
    {"out", T_OUT},
    {"over", T_OVER},
    {"parts", T_PARTS},
    {"pass", T_PASS},
    {"pin", T_PIN},
    {"pipeline", T_PIPELINE},
    {"place", T_PLACE},
    {"prefer", T_PREFER},
    {"prepare", T_PREPARE},
    {"primitive", T_PRIMITIVE},
    {"ratio", T_RATIO},
    {"read", T_READ},
    {"real", T_KREAL},
    {"refine", T_REFINE},
    {"refines", T_REFINES},
    {"reject", T_REJECT},
    {"removes", T_REMOVES},
    {"require", T_REQUIRE},
    {"requires", T_REQUIRES},
    {"result", T_RESULT},
    {"row", T_ROW},
    {"rule", T_RULE},
    {"same", T_SAME},
    {"scales", T_SCALES},
    {"sem", T_SEM},
    {"shape", T_SHAPE},
    {"skip", T_SKIP},
    {"source", T_SOURCE},
    {"taps", T_TAPS},
    {"test", T_TEST},
    {"through", T_THROUGH},
    {"ties", T_TIES},
    {"true", T_TRUE},
    {"trusted", T_TRUSTED},
    {"type", T_TYPE},
    {"under", T_UNDER},
    {"using", T_USING},
    {"version", T_VERSION},
    {"when", T_WHEN},
    {"where", T_WHERE},
    {"whole", T_WHOLE},
    {"within", T_WITHIN},
    {"worth", T_WORTH},
    {"zero", T_ZERO},
};

static const char *const marks[] = {
    [T_ARROWR] = "=>", [T_ARROW] = "->", [T_EQEQ] = "==",   [T_NE] = "!=",
    [T_LE] = "<=",     [T_GE] = ">=",    [T_LT] = "<",      [T_GT] = ">",
    [T_EQ] = "=",      [T_DOTS] = "...", [T_DOTDOT] = "..", [T_DOT] = ".",
    [T_QUEST] = "?",   [T_BAR] = "|",    [T_LB] = "{",      [T_RB] = "}",
    [T_LP] = "(",      [T_RP] = ")",     [T_LK] = "[",      [T_RK] = "]",
    [T_COMMA] = ",",   [T_SEMI] = ";",   [T_COLON] = ":",   [T_AT] = "@",
    [T_PLUS] = "+",    [T_MINUS] = "-",  [T_STAR] = "*",    [T_SLASH] = "/",
    [T_PERCENT] = "%", [T_SHL] = "<<",
};

#define COUNT(v) (sizeof(v) / sizeof *(v))

int
sn_tok_word(const char *s, size_t n)
{
    size_t lo = 0, hi = COUNT(words);

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = strncmp(words[mid].s, s, n);

        if (c == 0 && words[mid].s[n])
            c = 1;
        if (c == 0)
            return words[mid].code;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return T_ID;
}

const char *
sn_tok_spelling(int code)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].code == code)
            return words[i].s;
    return (size_t)code < COUNT(marks) ? marks[code] : NULL;
}

bool
sn_tok_is_word(int code)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].code == code)
            return true;
    return false;
}

/* A token of digits is not NUL-terminated if the file continues; strto* stop at
 * its end by themselves. */
void
sn_tok_int(SnParser *P, SnTok *t)
{
    errno = 0;
    intmax_t v = strtoimax(t->raw, NULL, 10);

    if (errno || v > INT64_MAX) {
        sn_error(P->d, t->pos, "SN007", "integer out of range");
        sn_diag_help(P->d, "at most %" PRId64, INT64_MAX);
        v = 0;
    }
    t->v.i = v;
}

static bool
any_digit_but_0(const SnTok *t)
{
    for (uint32_t i = 0; i < t->pos.len; i++) {
        if (t->raw[i] == 'e' || t->raw[i] == 'E')
            break;
        if (t->raw[i] >= '1' && t->raw[i] <= '9')
            return true;
    }
    return false;
}

void
sn_tok_real(SnParser *P, SnTok *t)
{
    double v = strtod(t->raw, NULL);

    if (v > 1.7976931348623157e308 || (v <= 0 && any_digit_but_0(t))) {
        sn_error(P->d, t->pos, "SN007", "real number out of range");
        sn_diag_help(P->d, "binary64 holds 4.9e-324 to 1.7976931348623157e308");
        v = 1;
    }
    t->v.r = v;
}

void
sn_tok_bad_number(SnParser *P, const SnTok *t)
{
    sn_error(P->d, t->pos, "SN007", "'%.*s' is neither a number nor a name",
             (int)(t->pos.len < 40 ? t->pos.len : 40), t->raw);
}

static int
hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes the escape after the backslash at s[0] (end: the closing quote);
 * returns its length, 0 if it is not an escape. */
static uint32_t
escape(const char *s, const char *end, char *c)
{
    switch (s[1]) {
    case 'n':
        *c = '\n';
        return 2;
    case 't':
        *c = '\t';
        return 2;
    case '"':
    case '\\':
        *c = s[1];
        return 2;
    case 'x':
        /* never a NUL: strings are C strings */
        if (end - s >= 4 && hex(s[2]) >= 0 && hex(s[3]) >= 0 &&
            hex(s[2]) + hex(s[3]) > 0) {
            *c = (char)(hex(s[2]) * 16 + hex(s[3]));
            return 4;
        }
        return 0;
    default:
        return 0;
    }
}

void
sn_tok_string(SnParser *P, SnTok *t)
{
    const char *s = t->raw + 1, *end = t->raw + t->pos.len - 1;
    char *out = sn_alloc(P->a, t->pos.len);
    size_t n = 0;

    while (s < end && !P->stop) {
        uint32_t len;

        if (*s != '\\') {
            out[n++] = *s++;
            continue;
        }
        len = escape(s, end, &out[n]);
        if (len) {
            n++;
        } else {
            SnPos at = t->pos;

            at.col += (uint32_t)(s - t->raw);
            at.len = 2;
            sn_error(P->d, at, "SN006", "unknown escape in a string");
            sn_diag_help(P->d, "\\n, \\t, \\\", \\\\ and \\x01 to \\xff");
            sn_parse_limit(P, at);
            len = 2;
        }
        s += len;
    }
    out[n] = '\0';
    t->str = out;
}

void
sn_tok_unclosed(SnParser *P, SnTok *t)
{
    sn_error(P->d, t->pos, "SN005", "string without closing '\"'");
    sn_diag_help(P->d, "a string ends on the line it begins on");
    t->str = sn_strndup(P->a, t->raw + 1, t->pos.len - 1);
}

void
sn_tok_stray(SnParser *P, const SnTok *t)
{
    unsigned char c = (unsigned char)t->raw[0];
    const char *help = NULL;

    if (c > ' ' && c < 0x7f)
        sn_error(P->d, t->pos, "SN004", "stray '%.*s'", (int)t->pos.len,
                 t->raw);
    else
        sn_error(P->d, t->pos, "SN004", "stray byte 0x%02x", c);
    if (c == '&')
        help = "conditions are joined by 'and'";
    else if (c == '|')
        help = "conditions are joined by 'or'";
    else if (c == '!')
        help = "a condition is negated by 'not'";
    else if (c == '\'')
        help = "strings stand in double quotes";
    else if (c == '#')
        help = "comments begin with '//'";
    else if (c >= 0x80)
        help = "only strings and comments may hold bytes beyond ASCII";
    if (help)
        sn_diag_help(P->d, "%s", help);
    sn_parse_limit(P, t->pos);
}
