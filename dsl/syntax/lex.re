// SPDX-License-Identifier: Apache-2.0
/* The lexer of .def files (re2c).  It never fails: text that is not a token is
 * reported and skipped.  The text ends with a NUL byte at P->end; a NUL before
 * that is a stray byte. */
#include "dsl/syntax/parse.h"
#include "gram.h"

int
sn_lex(SnParser *P, SnTok *t)
{
    const unsigned char *YYCURSOR = (const unsigned char *)P->cur;
    const unsigned char *YYMARKER, *start;
    int code;

again:
    if (P->stop) /* too many errors */
        return 0;
    start = YYCURSOR;
    *t = (SnTok){.raw = (const char *)start};
    t->pos = (SnPos){P->src, P->line, (uint32_t)(t->raw - P->bol) + P->col, 1};

#define LEN() (t->pos.len = (uint32_t)(YYCURSOR - start))
#define IS(x)                                                            \
    do {                                                                 \
        code = T_##x;                                                    \
        LEN();                                                           \
        goto done;                                                       \
    } while (0)

    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:yyfill:enable = 0;

    id   = [A-Za-z_][A-Za-z0-9_]*;
    dec  = [0-9]+;
    exp  = [eE] [+-]? dec;
    real = dec "." dec exp? | dec exp;
    text = ([^"\\\n\x00] | [\\] [^\n\x00])*;

    "\x00" {
        if ((const char *)start < P->end) {
            LEN();
            sn_tok_stray(P, t);
            goto again;
        }
        P->cur = (const char *)start;
        return 0;
    }
    "\n" {
        P->line++;
        P->col = 1;
        P->bol = (const char *)YYCURSOR;
        goto again;
    }
    [ \t\r]+         { goto again; }
    "//" [^\n\x00]*  { goto again; }

    id   { LEN(); code = sn_tok_word(t->raw, t->pos.len); goto done; }
    dec  { LEN(); sn_tok_int(P, t); code = T_INT; goto done; }
    real { LEN(); sn_tok_real(P, t); code = T_REAL; goto done; }
    (dec | real) id {
        LEN();
        sn_tok_bad_number(P, t);
        code = T_INT;
        goto done;
    }
    ["] text ["] { LEN(); sn_tok_string(P, t); code = T_STR; goto done; }
    ["] text [\\]? {
        /* Most often only the quote is missing: a `;` or brace that ends
         * the line is left to the parser. */
        while (YYCURSOR > start + 1 &&
               (YYCURSOR[-1] == ';' || YYCURSOR[-1] == '}' ||
                YYCURSOR[-1] == '{' || YYCURSOR[-1] == ' ' ||
                YYCURSOR[-1] == '\t' || YYCURSOR[-1] == '\r'))
            YYCURSOR--;
        LEN();
        sn_tok_unclosed(P, t);
        code = T_STR;
        goto done;
    }

    "=>"  { IS(ARROWR); }
    "->"  { IS(ARROW); }
    "=="  { IS(EQEQ); }
    "!="  { IS(NE); }
    "<="  { IS(LE); }
    "<<"  { IS(SHL); }
    ">="  { IS(GE); }
    "<"   { IS(LT); }
    ">"   { IS(GT); }
    "="   { IS(EQ); }
    "..." { IS(DOTS); }
    ".."  { IS(DOTDOT); }
    "."   { IS(DOT); }
    "?"   { IS(QUEST); }
    "|"   { IS(BAR); }
    "{"   { IS(LB); }
    "}"   { IS(RB); }
    "("   { IS(LP); }
    ")"   { IS(RP); }
    "["   { IS(LK); }
    "]"   { IS(RK); }
    ","   { IS(COMMA); }
    ";"   { IS(SEMI); }
    ":"   { IS(COLON); }
    "@"   { IS(AT); }
    "+"   { IS(PLUS); }
    "-"   { IS(MINUS); }
    "*"   { IS(STAR); }
    "/"   { IS(SLASH); }
    "%"   { IS(PERCENT); }
    [\x80-\xff]+ | "&&" | "||" { LEN(); sn_tok_stray(P, t); goto again; }
    *     { LEN(); sn_tok_stray(P, t); goto again; }
    */
done:
    P->cur = (const char *)YYCURSOR;
    return code;
}
