// SPDX-License-Identifier: Apache-2.0
/* The syntax half of the front end, private to dsl/: the lexer (lex.re), the
 * grammar (gram.y) and what its actions call to build the structs of model.h.
 *
 * One SnParser per file being read.  Tokens are handed to the parser one at a
 * time by parse.c, which asks the parser first whether it would take the token,
 * so that a message can name what was expected before any default reduction has
 * thrown that away. */
#ifndef SN_PARSE_H
#define SN_PARSE_H

#include "dsl/model/model.h"

/* Brackets and expressions nest at most this deep: every later stage walks
 * trees by recursion. */
#define SN_PARSE_DEPTH 200
#define SN_PARSE_NERROR 100        /* per file, then reading stops */
#define SN_PARSE_NBYTE (16u << 20) /* of one file */
#define SN_PARSE_NINCLUDE 64       /* files open at once */

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
typedef struct SnMapItems {
    uint32_t n;
    SnDefMapItem *v;
} SnMapItems;
typedef struct SnMapTestArgs {
    uint32_t n;
    SnDefMapTestArg *v;
} SnMapTestArgs;
typedef struct SnMapTestLists {
    uint32_t n;
    SnDefMapTestList *v;
} SnMapTestLists;
typedef struct SnMapParams {
    uint32_t n;
    SnDefMapParam **v;
} SnMapParams;
typedef struct SnMapBounds {
    uint32_t n;
    SnDefMapBound *v;
} SnMapBounds;

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

typedef struct SnParser {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    const SnSrc *src;
    struct SnParser *up; /* the file that includes this one */
    const char *const *dirs;
    uint32_t ndir;
    /* lexer */
    const char *cur, *end, *bol;
    uint32_t line, col; /* of bol */
    SnTok prev;         /* the last token; raw NULL before the first */
    /* driver */
    struct yyParser *gram;
    bool stop;
    unsigned nerror0; /* of the files before this one */
    bool overflow;    /* the parser's stack was full */
    uint32_t nparen, nbrace;
    SnPos brace[SN_PARSE_DEPTH + 1];
    bool has_version;
    /* what is being built */
    SnDefBackend *backend; /* of this file */
    SnDefNode *node;
    uint32_t nkern;    /* inside `kernel NAMES { }` of a backend: how many */
    uint32_t nport[2]; /* of node: ins, outs */
    SnDefPass *pass;
    SnDefRule *rule;
    SnDefTest *test;
    struct SnDefOnnx *onnx;
    struct SnDefOp *op;
    SnDefMap *map;
    struct SnDefArith *arith;
    struct SnDefRow *row;   /* of arith */
    struct SnDefRatio *own; /* shifts of the scale that follows, or NULL */
    struct SnParser *in;    /* of the holes in strings, once there was one */
    bool in_hole;           /* this is it: no file but an expression */
    SnExpr *hole;           /* which has been read */
    /* rules, preferences outside a pass: they make up the pass `backend` */
    SnDefPass *top;
} SnParser;

/* ---- tokens (lex.re, token.c) ---- */

/* Reads the next token; returns its code, 0 at the end of the file. */
int sn_lex(SnParser *P, SnTok *t);
/* The code of a word that means something, else that of a name. */
int sn_tok_word(const char *s, size_t n);
/* How a token is written: "node", ";"; NULL for names and literals. */
const char *sn_tok_spelling(int code);
bool sn_tok_is_word(int code);
/* Literals: fill the value, or report. */
void sn_tok_int(SnParser *P, SnTok *t);
void sn_tok_real(SnParser *P, SnTok *t);
void sn_tok_string(SnParser *P, SnTok *t);
void sn_tok_stray(SnParser *P, const SnTok *t);
void sn_tok_unclosed(SnParser *P, SnTok *t);
void sn_tok_bad_number(SnParser *P, const SnTok *t);

/* ---- the parser (gram.y) ---- */

typedef struct yyParser SnGram;
typedef enum SnTake { SN_TAKE_NO, SN_TAKE_AS_NAME, SN_TAKE_YES } SnTake;

SnGram *sn_gram_new(SnParser *P);
void sn_gram_reset(SnGram *g, SnParser *P);
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
void sn_gramInit(void *g, SnParser *P);
void sn_gramFinalize(void *g);
int sn_gramFallback(int code);

/* ---- messages (unexpected.c) ---- */

void sn_parse_unexpected(SnParser *P, const SnGram *g, int code,
                         const SnTok *t);

/* ---- limits (limit.c) ---- */

void sn_parse_too_deep(SnParser *P, SnPos at);
/* Stops reading once the file has too many errors. */
void sn_parse_limit(SnParser *P, SnPos at);
/* Reports a part given a second time (was: the first one, or NULL). */
void sn_parse_once(SnParser *P, SnTok t, const void *was);

/* ---- trees (parse_tree.c) ---- */

const char *sn_parse_name(SnParser *P, SnTok t);
/* The source between two tokens, with both. */
const char *sn_parse_text(SnParser *P, SnTok from, SnTok to);
SnPos sn_parse_span(SnPos from, SnPos to);
SnIds sn_parse_ids(SnParser *P, SnIds l, SnTok t);

SnExpr *sn_parse_leaf(SnParser *P, SnEk ek, SnTok t);
SnExpr *sn_parse_unary(SnParser *P, SnEk ek, SnTok t, SnExpr *x);
SnExpr *sn_parse_binary(SnParser *P, SnOp op, SnExpr *x, SnExpr *y);
SnExpr *sn_parse_shift(SnParser *P, SnTok t, SnExpr *x, SnExpr *y);
SnExpr *sn_parse_in(SnParser *P, SnExpr *x, SnExpr *y);
/* name(args), name = arg: kids are l's */
SnExpr *sn_parse_call(SnParser *P, SnEk ek, SnTok name, SnExprs l);
/* first and l's become the kids; first may be NULL */
SnExpr *sn_parse_group(SnParser *P, SnEk ek, SnExpr *first, SnExprs l,
                       SnPos at);
SnExpr *sn_parse_member(SnParser *P, SnExpr *x, SnTok name);

SnPat *sn_parse_pat(SnParser *P, SnPk pk, SnTok name);
SnPat *sn_parse_pat_suffix(SnParser *P, SnPat *p, SnPatSuf s);
SnTerm *sn_parse_term(SnParser *P, SnTk tk, SnTok name);
SnTerm *sn_parse_term_call(SnParser *P, SnTok name, SnTerms args);
SnTerm *sn_parse_term_suffix(SnParser *P, SnTerm *t, SnTermSuf s);
SnAsg sn_parse_asg(SnParser *P, SnTok name, SnExpr *e);

/* ---- items (parse_item.c) ---- */

void sn_parse_version(SnParser *P, SnTok t);
SnDefType *sn_parse_type(SnParser *P, SnTok name, SnExprs alt);
void sn_parse_node(SnParser *P, SnTok name, SnTok form, SnTok doc);
void sn_parse_refine(SnParser *P, SnTok name);
void sn_parse_node_end(SnParser *P, SnTok from, SnTok to);
void sn_parse_ports(SnParser *P, bool out, SnExprs names);
void sn_parse_kinds(SnParser *P, SnTok kw, SnExprs in, SnExprs out);
SnDefTupleSrc sn_parse_tuple(SnTok at, SnExprs in, SnExprs out);
void sn_parse_add_tuple(SnParser *P, SnDefTupleSrc t, SnTok var, SnTok of);
/* A line of a kernel block: of the node, or of each node that the backend's
 * block names.  prepare.raw NULL: none. */
void sn_parse_add_kernel(SnParser *P, SnDefTupleSrc t, SnTok fn, SnTok prepare);
/* An attribute's type: NAME, NAME(of), NAME[n] (n 0: NAME[]). */
SnDefAttr *sn_parse_attr_type(SnParser *P, SnTypeForm f, SnTok ty, SnTok of);
SnDefAttr *sn_parse_attr_enum(SnParser *P, SnIds words);
void sn_parse_attr(SnParser *P, SnDefAttr *a, SnTok name, SnExpr *def,
                   SnExpr *where);
void sn_parse_fact(SnParser *P, SnFact f, SnTok kw, SnIds l, SnExprs pair,
                   SnTok text);
void sn_parse_commutes(SnParser *P, SnTok kw, SnIds l, SnExpr *when);
void sn_parse_invariant(SnParser *P, SnExpr *e, SnTok text);
void sn_parse_sem(SnParser *P, SnTok kw, SnTok cls, SnTok out, SnExpr *formula,
                  SnDefSem mods);
void sn_parse_sem_bare(SnParser *P, SnTok cls, SnIds outs);
void sn_parse_effect(SnParser *P, SnIds l);
void sn_parse_onnx(SnParser *P, SnTok op, SnTok since, SnTok until);
void sn_parse_onnx_hook(SnParser *P, SnTok hook, SnTok note);
void sn_parse_onnx_ent(SnParser *P, int kind, SnTok name, SnTok value);

/* ---- operators as terms (parse_op.c) ---- */

void sn_parse_op(SnParser *P, SnTok op, SnTok since, SnTok until);
/* An operand, as `port` reads it; type.raw NULL: none is written. */
void sn_parse_op_in(SnParser *P, SnExpr *port, SnTok type, bool list,
                    SnExpr *def);
void sn_parse_op_is(SnParser *P, SnTok name, SnExpr *value, bool maybe);
void sn_parse_op_attr(SnParser *P, SnDefAttr *a, SnTok name, SnExpr *def);
void sn_parse_op_type(SnParser *P, SnTok type);
/* Of the operand before. */
void sn_parse_op_layout(SnParser *P, SnTok layout);
void sn_parse_op_let(SnParser *P, SnTok name, SnTerm *t, SnExpr *num);
/* The head ends before `end`, the declaration with `to`. */
void sn_parse_op_result(SnParser *P, SnTerm *t);
void sn_parse_op_end(SnParser *P, SnTok from, SnTok end, SnTok to);

void sn_parse_backend(SnParser *P, SnTok name);
void sn_parse_cap(SnParser *P, SnTok name, SnExpr *e);
void sn_parse_keep(SnParser *P, SnTok name, SnExpr *when);
void sn_parse_hook(SnParser *P, SnTok name, SnTok fn);
/* Opens the kernels of these nodes, for the backend being built. */
void sn_parse_kernels_of(SnParser *P, SnIds nodes);

/* ---- maps (parse_map.c) ---- */

void sn_parse_map(SnParser *P, SnTok name, SnMapParams l, SnTok doc);
void sn_parse_map_end(SnParser *P, SnTok from, SnTok to);
/* data.raw NULL: its elements are not read by the map. */
SnDefMapParam *sn_parse_map_operand(SnParser *P, SnTok name, SnMapItems l,
                                    SnTok data);
SnDefMapParam *sn_parse_map_type(SnParser *P, SnTypeForm f, SnTok ty);
/* arg: of ALONG the run, of AT the axis, of JOIN the 1. */
SnDefMapItem sn_parse_map_item(SnParser *P, SnMapItemKind k, SnTok name,
                               SnTok arg);
SnDefMapStmt *sn_parse_map_stmt(SnParser *P, SnMapStmtKind k, SnTok kw,
                                SnExpr *e, SnExpr *when);
void sn_parse_map_let(SnParser *P, SnTok kw, SnTok name, SnExpr *e);
void sn_parse_map_require(SnParser *P, SnTok kw, SnExpr *e, SnTok text);
void sn_parse_map_box(SnParser *P, SnMapStmtKind k, SnTok kw, SnMapBounds l);
void sn_parse_map_read(SnParser *P, SnTok kw, SnExpr *e, SnExpr *when,
                       SnMapElse els);
void sn_parse_map_beside(SnParser *P, SnTok kw, SnExprs l);
SnDefMapTest *sn_parse_map_test(SnParser *P, SnTok kw, SnMapTestArgs l);
SnDefMapTestList sn_parse_map_list(SnMapStmtKind k);

/* ---- arithmetics (parse_arith.c) ---- */

/* from.raw NULL: it inherits from none. */
void sn_parse_arith(SnParser *P, SnTok name, SnTok from, SnTok doc);
void sn_parse_arith_end(SnParser *P, SnTok from, SnTok to);
void sn_parse_ratio(SnParser *P, SnTok kw, SnTok q, SnTok bits, SnTok unit,
                    SnTok s, SnTok lo, SnTok hi);
/* formed f64, outside refuse */
void sn_parse_ratio_more(SnParser *P, SnTok word, SnTok value);
void sn_parse_codes(SnParser *P, SnTok kw, SnTok role, SnTok lo, SnTok hi);
/* lo.raw NULL: any */
void sn_parse_zero(SnParser *P, SnTok kw, SnTok role, SnTok lo, SnTok hi);
void sn_parse_scales(SnParser *P, SnTok kw, SnTok role, SnTok per, SnTok what,
                     bool power);
/* power of two */
bool sn_parse_power(SnParser *P, SnTok power, SnTok two);
void sn_parse_bias(SnParser *P, SnTok kw, SnTok width, SnExpr *grid);
/* each.raw NULL: all at once */
void sn_parse_accumulate(SnParser *P, SnTok kw, SnTok width, SnTok mode,
                         SnTok each);
void sn_parse_no_row(SnParser *P, SnIds kinds, SnExpr *when, SnTok why);
void sn_parse_vectors(SnParser *P, SnTok kw, SnTok file);
void sn_parse_scale(SnParser *P, SnTok name, SnTok v, SnExpr *e);
/* Shifts of the scale that follows. */
void sn_parse_scale_own(SnParser *P, SnTok s, SnTok lo, SnTok hi);
void sn_parse_row(SnParser *P, SnTok kw, bool any, SnIds of);
void sn_parse_row_over(SnParser *P, SnTok map);
void sn_parse_row_when(SnParser *P, SnExpr *e);
void sn_parse_row_let(SnParser *P, SnTok name, SnExpr *e);
void sn_parse_row_end(SnParser *P, SnTok from, SnTok to, SnExpr *e);
/* v : ratio, the argument of a scale. */
SnExpr *sn_parse_at_ratio(SnParser *P, SnExpr *v, SnExpr *ratio);

/* ---- passes (parse_pass.c) ---- */

void sn_parse_pass(SnParser *P, bool lowering, SnTok name, SnTok doc);
void sn_parse_allow(SnParser *P, SnDefClaim c);
SnDefClass *sn_parse_class(SnParser *P, SnTok name, SnExpr *e);
void sn_parse_derive(SnParser *P, SnTok family, SnTok what, SnExpr *over);
void sn_parse_prefer(SnParser *P, SnTok kw, SnIds a, SnIds b, SnTok why);
void sn_parse_order(SnParser *P, SnIds l);
void sn_parse_place(SnParser *P, SnTok kw, SnTok what, SnTok min);
void sn_parse_pipeline(SnParser *P, SnTok name, SnIds l);
void sn_parse_rule(SnParser *P, SnTok name, bool lower, bool custom);
void sn_parse_let(SnParser *P, SnTok name, SnTerm *t);
void sn_parse_rhs(SnParser *P, SnTerm *t, SnTerms more);
void sn_parse_builder(SnParser *P, SnTok fn, SnIds components);
void sn_parse_claim(SnParser *P, SnDefClaim c);
/* The claim where the graph's rounding is one of these. */
void sn_parse_under(SnParser *P, SnIds names, SnDefClaim c);
void sn_parse_other(SnParser *P, SnDefClaim c); /* else */
/* from: the token `rule` (or `lower`, `custom`); to: the `;` */
void sn_parse_rule_end(SnParser *P, SnTok from, SnTok to);
void sn_parse_test(SnParser *P, SnTok name);
void sn_parse_test_line(SnParser *P, int kind, SnTok at, SnTerm *t, SnExpr *e,
                        SnIds l);
/* At the end of a file: what it declares belongs to its backend. */
void sn_parse_own(SnParser *P);

/* ---- files (parse.c) ---- */

/* A word at the start of a line that is taken for the start of an item even
 * where a block is not closed. */
bool sn_parse_begins_item(int code, const SnTok *t);

void sn_parse_include(SnParser *P, SnTok path);
/* The expression that n bytes of a string of this file make, which stand at
 * `at`; NULL where they make none. */
SnExpr *sn_parse_hole(SnParser *P, SnPos at, const char *text, size_t n);
/* As sn_def_parse, the text given. */
void sn_def_parse_text(SnDefs *defs, SnDiag *d, const char *name,
                       const char *text, size_t nbyte, const char *const *dirs,
                       uint32_t ndir);

#endif
