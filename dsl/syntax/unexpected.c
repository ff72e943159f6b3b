// SPDX-License-Identifier: Apache-2.0
/* The message for an unexpected token: tries with the parser which tokens would
 * be accepted instead, and summarizes them. */
#include "dsl/syntax/parse.h"

#include <string.h>
#include "base/buf.h"
#include "gram.h"

enum { NCODE = 256, NLIST = 6 };

/* Tokens that a reader sees as one thing.  When all of the first `need` are
 * possible, `text` replaces the whole list. */
static const struct group {
    const char *text;
    int need, n;
    unsigned char code[28];
} groups[] = {
    {"an item (node, pass, rule, ...)",
     3,
     18,
     {T_NODE, T_PIPELINE, T_INCLUDE, T_VERSION, T_TYPE, T_BACKEND, T_REFINE,
      T_PASS, T_LOWERING, T_CLASS, T_RULE, T_LOWER, T_CUSTOM, T_PREFER, T_TEST,
      T_MAP, T_ONNX, T_ARITHMETIC}},
    {"a line of an arithmetic (ratio, row, codes, NAME(v) = ...)",
     3,
     9,
     {T_RATIO, T_ROW, T_CODES, T_ZERO, T_SCALES, T_BIAS, T_ACCUMULATE, T_NO,
      T_ID}},
    {"a statement of a map (let, require, result, taps, read, ...)",
     3,
     12,
     {T_LET, T_REQUIRE, T_RESULT, T_TAPS, T_READ, T_CENTRE, T_BESIDE, T_DIVISOR,
      T_NUMBER, T_PARTS, T_WHOLE, T_PRIMITIVE}},
    {"a line of a node (in, out, kinds, attr, sem, ...)",
     3,
     17,
     {T_KINDS, T_ATTR, T_IN, T_OUT, T_FREE, T_SAME, T_GIVEN, T_FIXED, T_PIN,
      T_COMMUTES, T_INVARIANT, T_SHAPE, T_SEM, T_COST, T_EFFECT, T_KERNEL,
      T_ONNX}},
    {"a line of a pass (allow, derive, rule, prefer, ...)",
     2,
     10,
     {T_ALLOW, T_DERIVE, T_CLASS, T_RULE, T_LOWER, T_CUSTOM, T_PREFER, T_ORDER,
      T_PLACE, T_TEST}},
    {"a line of a test (expect, using, NAME = ..., ...)",
     3,
     5,
     {T_EXPECT, T_REJECT, T_USING, T_ASSUME, T_ID}},
    {"a clause (when, exact, within, refines, ...)",
     3,
     13,
     {T_WHEN, T_WORTH, T_EXACT, T_LOSSY, T_WITHIN, T_REFINES, T_KREAL,
      T_TRUSTED, T_OPTIN, T_REQUIRES, T_NOTE, T_UNDER, T_ELSE}},
    {"a claim (exact, within, refines, ...)",
     3,
     5,
     {T_EXACT, T_LOSSY, T_WITHIN, T_REFINES, T_KREAL}},
    {"an expression",
     4,
     14,
     {T_INT, T_STR, T_MINUS, T_LP, T_NOT, T_REAL, T_TRUE, T_FALSE, T_UNDERSCORE,
      T_LK, T_ID, T_SAME, T_FREE, T_SEM}},
    {"an operator",
     3,
     17,
     {T_PLUS, T_AND, T_EQEQ, T_SLASH, T_OR, T_NE, T_LT, T_LE, T_GT, T_GE, T_IN,
      T_MINUS, T_STAR, T_DOT, T_LK, T_PERCENT, T_SHL}},
    {"'+'",
     2,
     8,
     {T_PLUS, T_SLASH, T_MINUS, T_STAR, T_DOT, T_LK, T_PERCENT, T_SHL}},
    {"a pattern", 3, 5, {T_ID, T_ANY, T_FORMS, T_UNDERSCORE, T_EACH}},
};

/* The order of single tokens in the list: what ends something first. */
static const unsigned char first[] = {T_SEMI, T_RB, T_RP, T_RK,   T_COMMA,
                                      T_LB,   T_LP, T_EQ, T_COLON};

typedef struct Expected {
    bool ok[NCODE];
    uint32_t n;
    const char *v[NLIST];
    bool more;
} Expected;

static void
add(Expected *e, const char *s)
{
    if (e->n < NLIST)
        e->v[e->n++] = s;
    else
        e->more = true;
}

static void
add_code(SnParser *P, Expected *e, int code)
{
    const char *s = sn_tok_spelling(code);

    if (!e->ok[code])
        return;
    e->ok[code] = false;
    if (code == T_ID)
        add(e, "a name");
    else if (code == T_INT)
        add(e, "an integer");
    else if (code == T_REAL)
        add(e, "a real number");
    else if (code == T_STR)
        add(e, "a string");
    else if (code == 0)
        add(e, "the end of the file");
    else if (s)
        add(e, sn_format(P->a, "'%s'", s));
}

static void
list(SnParser *P, const SnGram *g, Expected *e)
{
    for (int c = 0; c < sn_gram_ncode() && c < NCODE; c++)
        e->ok[c] = sn_gram_takes(g, c) == SN_TAKE_YES;
    e->ok[0] = false; /* allowed wherever an item may begin: not worth
                         listing */
    for (size_t i = 0; i < sizeof first; i++)
        if (!(first[i] == T_LP && e->ok[T_NOT]))
            add_code(P, e, first[i]);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const struct group *r = &groups[i];
        bool all = true;

        for (int j = 0; j < r->need; j++)
            all = all && e->ok[r->code[j]];
        if (!all)
            continue;
        add(e, r->text);
        for (int j = 0; j < r->n; j++)
            e->ok[r->code[j]] = false;
    }
    for (int c = 0; c < sn_gram_ncode() && c < NCODE; c++)
        add_code(P, e, c);
}

/* The word that a misspelt one was meant to be, among those allowed here. */
static const char *
closest_word(SnParser *P, const SnGram *g, const SnTok *t)
{
    const char *cand[NCODE];
    size_t n = 0;

    for (int c = 1; c < sn_gram_ncode() && c < NCODE; c++)
        if (sn_tok_is_word(c) && c != T_UNDERSCORE &&
            sn_gram_takes(g, c) == SN_TAKE_YES)
            cand[n++] = sn_tok_spelling(c);
    return sn_closest(sn_parse_name(P, *t), cand, n);
}

static const char *
found(SnParser *P, int code, const SnTok *t)
{
    SnBuf b;

    if (code == 0)
        return P->in_hole ? "the '}' of the text" : "the end of the file";
    sn_buf_init(&b, P->a);
    sn_putc(&b, '\'');
    for (uint32_t i = 0; i < t->pos.len && i < 40; i++) {
        unsigned char c = (unsigned char)t->raw[i];

        if (c < ' ' || c >= 0x7f)
            sn_putf(&b, "\\x%02x", c);
        else
            sn_putc(&b, (char)c);
    }
    sn_puts(&b, t->pos.len > 40 ? "...'" : "'");
    return sn_buf_str(&b);
}

static bool
compares(int code)
{
    return code == T_EQEQ || code == T_NE || code == T_LT || code == T_LE ||
           code == T_GT || code == T_GE || code == T_IN;
}

static void
help(SnParser *P, const SnGram *g, int code, const SnTok *t)
{
    const char *word;

    if (P->nbrace && (code == 0 || sn_parse_begins_item(code, t))) {
        SnPos at = P->brace[P->nbrace - 1];

        sn_diag_span(P->d, at, "'{' is not closed");
        return;
    }
    if (code == T_EQ && sn_gram_takes(g, T_EQEQ) == SN_TAKE_YES) {
        sn_diag_help(P->d, "equality is written '=='");
        return;
    }
    if (compares(code) && sn_gram_takes(g, T_PLUS) == SN_TAKE_YES) {
        sn_diag_help(P->d, "comparisons do not chain; join them by 'and'");
        return;
    }
    if (sn_tok_is_word(code) && sn_gram_takes(g, T_ID) == SN_TAKE_YES &&
        sn_gram_takes(g, T_INT) == SN_TAKE_NO) {
        sn_diag_help(P->d, "'%s' is a word of the language and no name",
                     sn_tok_spelling(code));
        return;
    }
    if (P->prev.raw && P->prev.pos.line < t->pos.line &&
        sn_gram_takes(g, T_SEMI) == SN_TAKE_YES) {
        sn_diag_help(P->d, "is a ';' missing at the end of line %u?",
                     P->prev.pos.line);
        return;
    }
    if (code == T_ID || sn_tok_is_word(code)) {
        word = closest_word(P, g, t);
        if (word)
            sn_diag_help(P->d, "did you mean '%s'?", word);
    }
}

void
sn_parse_unexpected(SnParser *P, const SnGram *g, int code, const SnTok *t)
{
    Expected e = {0};
    SnBuf b;

    list(P, g, &e);
    sn_buf_init(&b, P->a);
    if (e.n > 1)
        sn_puts(&b, "one of ");
    for (uint32_t i = 0; i < e.n; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", e.v[i]);
    if (e.more)
        sn_puts(&b, ", ...");
    if (e.n)
        sn_error(P->d, t->pos, "SN001", "expected %s, not %s", sn_buf_str(&b),
                 found(P, code, t));
    else
        sn_error(P->d, t->pos, "SN001", "%s is not allowed here",
                 found(P, code, t));
    help(P, g, code, t);
}
