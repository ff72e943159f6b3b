// SPDX-License-Identifier: Apache-2.0
/* The syntax half of the front end, private to dsl/: the lexer (lex.re), the
 * grammar (gram.y) and what its actions call to build the structs of model.h.
 *
 * One SnPs per file being read.  Tokens are handed to the parser one at a time
 * by parse.c, which asks the parser first whether it would take the token, so
 * that a message can name what was expected before any default reduction has
 * thrown that away. */
#ifndef SN_PARSE_H
#define SN_PARSE_H

#include "dsl/model/model.h"

/* Brackets and expressions nest at most this deep: every later stage walks
 * trees by recursion. */
#define SN_PS_DEPTH 200
#define SN_PS_NERROR 100        /* per file, then reading stops */
#define SN_PS_NBYTE (16u << 20) /* of one file */
#define SN_PS_NINCLUDE 64       /* files open at once */

typedef struct SnTok {
    SnPos pos;
    const char *raw; /* in the source text, pos.len bytes */
    const char *str; /* strings: decoded */
    union {
        int64_t i;
        double r;
    } v;
} SnTok;

/* Lists while they grow. */
typedef struct SnExprs {
    uint32_t n;
    SnExpr **v;
} SnExprs;
typedef struct SnPats {
    uint32_t n;
    SnPat **v;
} SnPats;
typedef struct SnTerms {
    uint32_t n;
    SnTerm **v;
} SnTerms;
typedef struct SnAsgs {
    uint32_t n;
    SnAsg *v;
} SnAsgs;
typedef struct SnIds {
    uint32_t n;
    const char **s;
    SnPos *pos;
} SnIds;

/* The optional parts after a pattern or a template. */
typedef struct SnPatSuf {
    SnTok cap, use;
    bool has_type;
    SnIds type;
    SnPos type_pos;
} SnPatSuf;
typedef struct SnTermSuf {
    SnTok like;
    SnAsgs asgs;
    SnExpr *type;
    SnTok as, named;
} SnTermSuf;

typedef struct SnPs {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    const SnSrc *src;
    struct SnPs *up; /* the file that includes this one */
    const char *const *dirs;
    uint32_t ndir;
    /* lexer */
    const char *cur, *end, *bol;
    uint32_t line;
    SnTok prev; /* the last token; raw NULL before the first */
    /* driver */
    bool stop;
    unsigned nerror0; /* of the files before this one */
    bool overflow;    /* the parser's stack was full */
    uint32_t nparen, nbrace;
    SnPos brace[SN_PS_DEPTH + 1];
    bool has_version;
    /* what is being built */
    SnDefBackend *backend; /* of this file */
    SnDefNode *node;
    uint32_t nkern;    /* inside `kernel NAMES { }` of a backend: how many */
    uint32_t nport[2]; /* of node: ins, outs */
    SnDefPass *pass;
    SnDefRule *rule;
    SnDefTest *test;
    SnDefOnnx *onnx;
    /* rules, preferences outside a pass: they make up the pass `backend` */
    SnDefPass *top;
} SnPs;

/* ---- tokens (lex.re, token.c) ---- */

/* Reads the next token; returns its code, 0 at the end of the file. */
int sn_lex(SnPs *P, SnTok *t);
/* The code of a word that means something, else that of a name. */
int sn_tok_word(const char *s, size_t n);
/* How a token is written: "node", ";"; NULL for names and literals. */
const char *sn_tok_spelling(int code);
bool sn_tok_is_word(int code);
/* Literals: fill the value, or report. */
void sn_tok_int(SnPs *P, SnTok *t);
void sn_tok_real(SnPs *P, SnTok *t);
void sn_tok_string(SnPs *P, SnTok *t);
void sn_tok_stray(SnPs *P, const SnTok *t);
void sn_tok_unclosed(SnPs *P, SnTok *t);
void sn_tok_bad_number(SnPs *P, const SnTok *t);

/* ---- the parser (gram.y) ---- */

typedef struct yyParser SnGram;
typedef enum SnTake { SN_TAKE_NO, SN_TAKE_AS_NAME, SN_TAKE_YES } SnTake;

SnGram *sn_gram_new(SnPs *P);
void sn_gram_reset(SnGram *g, SnPs *P);
void sn_gram(void *g, int code, SnTok t);
/* Would the token be taken now?  AS_NAME: only in the place of a name.  Where
 * the parser looks for the end of a faulty statement, the question is about
 * the start of the next one. */
SnTake sn_gram_takes(const SnGram *g, int code);
/* Is it looking for the end of a faulty statement?  *nbrace: how many braces
 * are open around that statement. */
bool sn_gram_lost(const SnGram *g, uint32_t *nbrace);
int sn_gram_ncode(void);
/* Made by lemon, called by the four above. */
void sn_gramInit(void *g, SnPs *P);
void sn_gramFinalize(void *g);
int sn_gramFallback(int code);

/* ---- messages (unexpected.c) ---- */

void sn_ps_unexpected(SnPs *P, const SnGram *g, int code, const SnTok *t);

/* ---- limits (limit.c) ---- */

void sn_ps_too_deep(SnPs *P, SnPos at);
/* Stops reading once the file has too many errors. */
void sn_ps_limit(SnPs *P, SnPos at);
/* Reports a part given a second time (was: the first one, or NULL). */
void sn_ps_once(SnPs *P, SnTok t, const void *was);

/* ---- trees (parse_tree.c) ---- */

const char *sn_ps_name(SnPs *P, SnTok t);
SnPos sn_ps_span(SnPos from, SnPos to);
SnIds sn_ps_ids(SnPs *P, SnIds l, SnTok t);

SnExpr *sn_ps_leaf(SnPs *P, SnEk ek, SnTok t);
SnExpr *sn_ps_unary(SnPs *P, SnEk ek, SnTok t, SnExpr *x);
SnExpr *sn_ps_binary(SnPs *P, SnOp op, SnExpr *x, SnExpr *y);
/* name(args), name = arg: kids are l's */
SnExpr *sn_ps_call(SnPs *P, SnEk ek, SnTok name, SnExprs l);
/* first and l's become the kids; first may be NULL */
SnExpr *sn_ps_group(SnPs *P, SnEk ek, SnExpr *first, SnExprs l, SnPos at);
SnExpr *sn_ps_member(SnPs *P, SnExpr *x, SnTok name);

SnPat *sn_ps_pat(SnPs *P, SnPk pk, SnTok name);
SnPat *sn_ps_pat_suffix(SnPs *P, SnPat *p, SnPatSuf s);
SnTerm *sn_ps_term(SnPs *P, SnTk tk, SnTok name);
SnTerm *sn_ps_term_call(SnPs *P, SnTok name, SnTerms args);
SnTerm *sn_ps_term_suffix(SnPs *P, SnTerm *t, SnTermSuf s);
SnAsg sn_ps_asg(SnPs *P, SnTok name, SnExpr *e);

/* ---- items (parse_item.c) ---- */

void sn_ps_version(SnPs *P, SnTok t);
void sn_ps_type(SnPs *P, SnTok name, SnExprs alt);
void sn_ps_node(SnPs *P, SnTok name, SnTok form, SnTok doc);
void sn_ps_refine(SnPs *P, SnTok name);
void sn_ps_ports(SnPs *P, bool out, SnExprs names);
void sn_ps_kinds(SnPs *P, SnTok kw, SnExprs in, SnExprs out);
SnDefTupleSrc sn_ps_tuple(SnTok at, SnExprs in, SnExprs out);
void sn_ps_add_tuple(SnPs *P, SnDefTupleSrc t, SnTok var, SnTok of);
/* A line of a kernel block: of the node, or of each node that the backend's
 * block names.  prepare.raw NULL: none. */
void sn_ps_add_kernel(SnPs *P, SnDefTupleSrc t, SnTok fn, SnTok prepare);
/* An attribute's type: NAME, NAME(of), NAME[n] (n 0: NAME[]). */
typedef enum { SN_AF_PLAIN, SN_AF_OF, SN_AF_LIST } SnAttrForm;
SnDefAttr *sn_ps_attr_type(SnPs *P, SnAttrForm f, SnTok ty, SnTok of);
SnDefAttr *sn_ps_attr_enum(SnPs *P, SnIds words);
void sn_ps_attr(SnPs *P, SnDefAttr *a, SnTok name, SnExpr *def, SnExpr *where);
void sn_ps_fact(SnPs *P, SnDefFact f, SnTok kw, SnIds l, SnExprs pair,
                SnTok text);
void sn_ps_commutes(SnPs *P, SnTok kw, SnIds l, SnExpr *when);
void sn_ps_invariant(SnPs *P, SnExpr *e, SnTok text);
void sn_ps_sem(SnPs *P, SnTok kw, SnTok cls, SnTok out, SnExpr *formula,
               SnDefSem mods);
void sn_ps_sem_bare(SnPs *P, SnTok cls, SnIds outs);
void sn_ps_effect(SnPs *P, SnIds l);
void sn_ps_onnx(SnPs *P, SnTok op, SnTok since, SnTok until, SnTok hook);
void sn_ps_onnx_ent(SnPs *P, int kind, SnTok name, SnTok value);

void sn_ps_backend(SnPs *P, SnTok name);
void sn_ps_cap(SnPs *P, SnTok name, SnExpr *e);
void sn_ps_keep(SnPs *P, SnTok name, SnExpr *when);
void sn_ps_hook(SnPs *P, SnTok name, SnTok fn);
/* Opens the kernels of these nodes, for the backend being built. */
void sn_ps_kernels_of(SnPs *P, SnIds nodes);

/* ---- passes (parse_pass.c) ---- */

void sn_ps_pass(SnPs *P, bool lowering, SnTok name, SnTok doc);
void sn_ps_allow(SnPs *P, SnDefClaim c);
void sn_ps_class(SnPs *P, SnTok name, SnExpr *e);
void sn_ps_derive(SnPs *P, SnTok family, SnTok what, SnExpr *over);
void sn_ps_prefer(SnPs *P, SnTok kw, SnIds a, SnIds b, SnTok why);
void sn_ps_order(SnPs *P, SnIds l);
void sn_ps_place(SnPs *P, SnTok kw, SnTok what, SnTok min);
void sn_ps_pipeline(SnPs *P, SnTok name, SnIds l);
void sn_ps_rule(SnPs *P, SnTok name, bool lower, bool custom);
void sn_ps_let(SnPs *P, SnTok name, SnTerm *t);
void sn_ps_rhs(SnPs *P, SnTerm *t, SnTerms more);
void sn_ps_builder(SnPs *P, SnTok fn, SnIds components);
void sn_ps_claim(SnPs *P, SnDefClaim c);
/* The claim where the graph's rounding is one of these. */
void sn_ps_under(SnPs *P, SnIds rounding, SnDefClaim c);
/* from: the token `rule` (or `lower`, `custom`); to: the `;` */
void sn_ps_rule_end(SnPs *P, SnTok from, SnTok to);
void sn_ps_test(SnPs *P, SnTok name);
void sn_ps_test_line(SnPs *P, int kind, SnTok at, SnTerm *t, SnExpr *e,
                     SnIds l);
/* At the end of a file: what it declares belongs to its backend. */
void sn_ps_own(SnPs *P);

/* ---- files (parse.c) ---- */

/* A word at the start of a line that is taken for the start of an item even
 * where a block is not closed. */
bool sn_ps_begins_item(int code, const SnTok *t);

void sn_ps_include(SnPs *P, SnTok path);
/* As sn_def_parse, the text given. */
void sn_def_parse_text(SnDefs *defs, SnDiag *d, const char *name,
                       const char *text, size_t nbyte, const char *const *dirs,
                       uint32_t ndir);

#endif
