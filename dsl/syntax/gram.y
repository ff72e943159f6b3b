// SPDX-License-Identifier: Apache-2.0
/* The grammar of .def files (lemon); gram_expr.y continues with maps and
 * expressions.  Actions only call the builders of parse.h.  A statement ends
 * with `;` and a block with `}`: parsing resumes at both after a fault, see
 * `close` and the rules with `error`. */
%name sn_gram
%token_prefix T_
%token_type {SnTok}
%extra_context {SnParser *P}
%stack_size 3000
%include {
#define NDEBUG 1 /* no trace functions */
#include "dsl/model/onnx.h"
#include "dsl/syntax/parse.h"
#include "gram.h"
#define sn_gram_ENGINEALWAYSONSTACK 1
}
%stack_overflow { P->overflow = true; }
%syntax_error { (void)yymajor; (void)yyminor; } /* parse.c checks beforehand */
%token_destructor { (void)P; (void)yypminor; }  /* everything is in the arena */
/* No rule uses it; it makes the parser look for the end of a statement. */
%token BAD.

%left OR.
%left AND.
%right NOT.
%nonassoc EQEQ NE LT LE GT GE IN.
%left SHL.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right UMINUS.
/* Words that stay usable as names wherever the word itself is not allowed. */
%fallback ID SHAPE COST TEST OVER NOTE USING THROUGH INTO LIKE CLASS KERNEL
  TYPE OPAQUE SOURCE FIXED PASS EACH LSB VERSION BACKEND EFFECT KINDS ONNX FORM
  FORMS OF GIVEN PIN WHERE ENUM TIES BY COPY ANY LOWER LOWERING CUSTOM CONTRACT
  BUILDER COMPONENTS AS NAMED LET PIPELINE KEEP KREAL CLAIM MAKES REMOVES
  MATCHES WORTH UNDER LAYOUT HOOK PREPARE LATE INPUT BECAUSE FOR ON ASSUME PLACE
  MINIMIZING
  MAP RESULT TAPS READ CENTRE BESIDE DIVISOR PARTS NUMBER REQUIRE PRIMITIVE WHOLE SKIP
  FILL ARITHMETIC FROM RATIO ROW CODES ZERO SCALES BIAS ACCUMULATE NO.

file ::= items.
/* An expression inside a string; no file begins like this (sn_parse_hole). */
file ::= HOLE expr(E).                         { P->hole = E; }
items ::= .
items ::= items item.
item ::= error SEMI.
item ::= error RB.
item ::= VERSION INT(N) SEMI.                  { sn_parse_version(P, N); }
item ::= INCLUDE STR(S) SEMI.                  { sn_parse_include(P, S); }
item ::= TYPE(K) ID(N) EQ talts(L) SEMI(S).    { sn_parse_type(P, N, L)->text =
                                     sn_parse_text(P, K, S); }

%type talts {SnExprs}
talts(L) ::= talt(X).             { L = (SnExprs){0};
                                    SN_PUSH(P->a, L.v, L.n, X); }
talts(L) ::= talts(M) BAR talt(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type talt {SnExpr *}
talt(X) ::= ID(N).                { X = sn_parse_leaf(P, SN_E_NAME, N); }
talt(X) ::= ID(N) LP args(L) RP.  { X = sn_parse_call(P, SN_E_CALL, N, L); }

%type ids {SnIds}
ids(L) ::= ID(N).                 { L = sn_parse_ids(P, (SnIds){0}, N); }
ids(L) ::= ids(M) COMMA ID(N).    { L = sn_parse_ids(P, M, N); }
%type docopt {SnTok}
docopt(D) ::= .                   { D = (SnTok){0}; }
docopt(D) ::= STR(S).             { D = S; }
%type orelse {SnTok}
orelse(D) ::= .                   { D = (SnTok){0}; }
orelse(D) ::= ELSE STR(S).        { D = S; }
/* The end of any block, also after a fault in its last statement. */
%type close {SnTok}
close(T) ::= RB(K).               { T = K; }
close(T) ::= error RB(K).         { T = K; }

/* ---- backends ---- */
item ::= backhead LB caps close.
backhead ::= BACKEND ID(N).                    { sn_parse_backend(P, N); }
caps ::= .
caps ::= caps cap.
cap ::= error SEMI.
cap ::= ID(N) expr(E) SEMI.                    { sn_parse_cap(P, N, E); }
cap ::= ARITHMETIC(K) expr(E) SEMI.            { sn_parse_cap(P, K, E); }
cap ::= KEEP keeps SEMI.
cap ::= HOOK ID(N) EQ ID(F) SEMI.              { sn_parse_hook(P, N, F); }
cap ::= kernof LB kers close.                  { P->nkern = 0; }
kernof ::= KERNEL ids(L).                      { sn_parse_kernels_of(P, L); }
keeps ::= keep.
keeps ::= keeps COMMA keep.
keep ::= ID(N).                                { sn_parse_keep(P, N, NULL); }
keep ::= ID(N) WHEN expr(E).                   { sn_parse_keep(P, N, E); }

/* ---- nodes ---- */
item ::= nodehead(K) LB members close(T).      { sn_parse_node_end(P, K, T); }
%type nodehead {SnTok}
nodehead(T) ::= NODE(K) ID(N) docopt(D).       { T = K;
                                                 sn_parse_node(P, N,
                                                            (SnTok){0}, D); }
nodehead(T) ::= NODE(K) ID(N) FORM OF ID(F) docopt(D). { T = K;
                                                 sn_parse_node(P, N, F, D); }
nodehead(T) ::= REFINE(K) ID(N).               { T = K;
                                                 sn_parse_refine(P, N); }
members ::= .
members ::= members member.
member ::= error SEMI.
member ::= IN ports(L) SEMI.                   { sn_parse_ports(P, false, L); }
member ::= OUT ports(L) SEMI.                  { sn_parse_ports(P, true, L); }
/* Ports are names with i: 0 plain, 1 variadic, 2 optional. */
%type ports {SnExprs}
ports(L) ::= port(X).              { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
ports(L) ::= ports(M) COMMA port(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type port {SnExpr *}
port(X) ::= ID(N).                 { X = sn_parse_leaf(P, SN_E_NAME, N); }
port(X) ::= ID(N) DOTS.            { X = sn_parse_leaf(P, SN_E_NAME, N);
                                     X->i = 1; }
port(X) ::= ID(N) QUEST.           { X = sn_parse_leaf(P, SN_E_NAME, N);
                                     X->i = 2; }
member ::= kindhead LB tuples close.
kindhead ::= KINDS(K) LP sig(I) RP ARROW sigout(O).
                                               { sn_parse_kinds(P, K, I, O); }
%type sig {SnExprs}
sig(L) ::= .                       { L = (SnExprs){0}; }
sig(L) ::= sig1(M).                { L = M; }
%type sig1 {SnExprs}
sig1(L) ::= sigp(X).               { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
sig1(L) ::= sig1(M) COMMA sigp(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type sigp {SnExpr *}
sigp(X) ::= ID(N).                 { X = sn_parse_leaf(P, SN_E_NAME, N); }
sigp(X) ::= ID(N) DOTS.            { X = sn_parse_leaf(P, SN_E_NAME, N);
                                     X->i = 1; }
sigp(X) ::= UNDERSCORE(N).         { X = sn_parse_leaf(P, SN_E_WILD, N); }
%type sigout {SnExprs}
sigout(L) ::= ID(N).               { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n,
                                             sn_parse_leaf(P, SN_E_NAME, N)); }
sigout(L) ::= LP sig(M) RP.        { L = M; }
%type arrow {SnDefTupleSrc}
arrow(A) ::= LP(T) sig(I) RP ARROW sigout(O).  { A = sn_parse_tuple(T, I, O); }
tuples ::= .
tuples ::= tuples tuple.
tuple ::= error SEMI.
tuple ::= arrow(A) SEMI.                       { sn_parse_add_tuple(P, A,
                                                     (SnTok){0}, (SnTok){0}); }
tuple ::= arrow(A) FOR ID(V) IN ID(F) SEMI.    { sn_parse_add_tuple(P, A, V, F); }

member ::= ATTR ID(N) COLON aty(A) adef(D) awhere(W) SEMI.
                                               { sn_parse_attr(P, A, N, D, W); }
%type aty {SnDefAttr *}
aty(A) ::= ID(T).                  { A = sn_parse_attr_type(P, SN_TF_PLAIN, T,
                                                         (SnTok){0}); }
aty(A) ::= ID(T) LP ID(F) RP.      { A = sn_parse_attr_type(P, SN_TF_OF, T, F); }
aty(A) ::= ID(T) LK RK.            { A = sn_parse_attr_type(P, SN_TF_LIST, T,
                                                         (SnTok){0}); }
aty(A) ::= ID(T) LK INT(N) RK.     { A = sn_parse_attr_type(P, SN_TF_LIST, T,
                                                         N); }
aty(A) ::= ENUM LB ids(L) RB.      { A = sn_parse_attr_enum(P, L); }
%type adef {SnExpr *}
adef(E) ::= .                      { E = NULL; }
adef(E) ::= EQ expr(X).            { E = X; }
%type awhere {SnExpr *}
awhere(E) ::= .                    { E = NULL; }
awhere(E) ::= WHERE expr(X).       { E = X; }

/* facts */
member ::= FREE(K) ids(L) SEMI.                { sn_parse_fact(P, SN_FREE, K,
                                                     L, (SnExprs){0},
                                                     (SnTok){0}); }
member ::= SAME(K) ids(L) SEMI.                { sn_parse_fact(P, SN_SAME, K,
                                                     L, (SnExprs){0},
                                                     (SnTok){0}); }
member ::= SAME(K) ids(L) BECAUSE STR(S) SEMI. { sn_parse_fact(P, SN_SAME, K,
                                                     L, (SnExprs){0}, S); }
member ::= GIVEN(K) ids(L) SEMI.               { sn_parse_fact(P, SN_GIVEN, K,
                                                     L, (SnExprs){0},
                                                     (SnTok){0}); }
member ::= FIXED(K) ID(N) pair(A) SEMI.        { sn_parse_fact(P, SN_FIXED, K,
                                                     sn_parse_ids(P, (SnIds){0},
                                                               N),
                                                     A, (SnTok){0}); }
member ::= PIN(K) ID(N) pair(A) orelse(S) SEMI. { sn_parse_fact(P, SN_PIN, K,
                                                     sn_parse_ids(P, (SnIds){0},
                                                               N),
                                                     A, S); }
member ::= COMMUTES(K) ids(L) SEMI.            { sn_parse_commutes(P, K, L,
                                                              NULL); }
member ::= COMMUTES(K) ids(L) WHEN expr(E) SEMI. { sn_parse_commutes(P, K, L,
                                                                E); }
member ::= INVARIANT expr(E) orelse(S) SEMI.   { sn_parse_invariant(P, E, S); }
%type pair {SnExprs}
pair(L) ::= LP expr(X) COMMA expr(Y) RP. { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n, X);
                                     SN_PUSH(P->a, L.v, L.n, Y); }

/* meaning */
member ::= SHAPE(K) ID(N) EQ expr(E) SEMI.     { sn_parse_once(P, K,
                                                            P->node->shape);
                                     P->node->shape_of = sn_parse_name(P, N);
                                     P->node->shape = E; }
member ::= SEM(K) ID(C) ID(N) EQ expr(E) semmods(M) SEMI.
                                               { sn_parse_sem(P, K, C, N, E,
                                                           M); }
member ::= SEM OPAQUE(C) ids(L) SEMI.          { sn_parse_sem_bare(P, C, L); }
member ::= SEM SOURCE(C) ID(N) SEMI.           { sn_parse_sem_bare(P, C,
                                                     sn_parse_ids(P, (SnIds){0},
                                                               N)); }
%type semmods {SnDefSem}
semmods(M) ::= .                   { M = (SnDefSem){0}; }
semmods(M) ::= semmods(L) WITHIN(K) ID(N).     { M = L;
                                     sn_parse_once(P, K, M.within);
                                     M.within = sn_parse_name(P, N);
                                     M.within_pos = N.pos; }
semmods(M) ::= semmods(L) OVER(K) ID(N) LP args(A) RP. { M = L;
                                     sn_parse_once(P, K, M.map);
                                     M.map = sn_parse_name(P, N);
                                     M.over = sn_known_map(M.map);
                                     M.map_pos = N.pos;
                                     M.narg = A.n;
                                     M.arg = A.v; }
semmods(M) ::= semmods(L) ELSE(K) expr(E).     { M = L;
                                     sn_parse_once(P, K, M.els);
                                     M.els = E; }
semmods(M) ::= semmods(L) TIES(K) ID(N).       { M = L;
                                     sn_parse_once(P, K, M.ties);
                                     M.ties = sn_parse_name(P, N); }
semmods(M) ::= semmods(L) BY(K) ID(N).         { M = L;
                                     sn_parse_once(P, K, M.by);
                                     M.by = sn_parse_name(P, N); }
semmods(M) ::= semmods(L) TRUSTED(K) STR(S).   { M = L;
                                     sn_parse_once(P, K, M.trusted);
                                     M.trusted = S.str; }
member ::= COST(K) expr(E) SEMI.               { sn_parse_once(P, K,
                                                            P->node->cost);
                                     P->node->cost = E; }
member ::= EFFECT ids(L) SEMI.                 { sn_parse_effect(P, L); }
member ::= KERNEL LB kers close.
kers ::= .
kers ::= kers ker.
ker ::= error SEMI.
ker ::= arrow(A) COLON ID(F) SEMI.             { sn_parse_add_kernel(P, A, F,
                                                     (SnTok){0}, false); }
ker ::= arrow(A) COLON ID(F) PREPARE ID(G) SEMI.
                                               { sn_parse_add_kernel(P, A, F,
                                                     G, false); }
ker ::= arrow(A) COLON ID(F) PREPARE ID(G) LATE SEMI.
                                               { sn_parse_add_kernel(P, A, F,
                                                     G, true); }

/* outside names */
member ::= onnxhead opcodes LB oents close.
onnxhead ::= ONNX STR(S) INT(A) DOTDOT until(B).
                                               { sn_parse_onnx(P, S, A, B); }
member ::= onnxhead opcodes HOOK ID(H) docopt(D) SEMI.
                                               { sn_parse_onnx_hook(P, H, D); }
opcodes ::= .
opcodes ::= CODES(K) LP ids(L) RP.             { sn_parse_onnx_codes(P, K, L); }
%type until {SnTok}
until(T) ::= .                     { T = (SnTok){0}; }
until(T) ::= INT(N).               { T = N; }
oents ::= .
oents ::= oents oent.
oent ::= error SEMI.
oent ::= LAYOUT ID(N) EQ ID(V) SEMI.           { sn_parse_onnx_ent(P,
                                                     SN_OE_LAYOUT, N, V); }
oent ::= LAYOUT ID(N) EQ ID(V) WHEN NOT ID(A) SEMI.
                                               { sn_parse_onnx_ent(P,
                                                     SN_OE_LAYOUT, N, V);
                                                 sn_parse_onnx_unless(P, A); }
oent ::= UNDERSCORE(N) EQ ID(V) SEMI.                { sn_parse_onnx_ent(P,
                                                     SN_OE_ANY, N, V); }
oent ::= ID(N) EQ ID(V) SEMI.                  { sn_parse_onnx_ent(P,
                                                     SN_OE_ATTR, N, V); }
oent ::= ID(N) EQ INPUT LP INT(V) RP SEMI.     { sn_parse_onnx_ent(P,
                                                     SN_OE_INPUT, N, V); }
oent ::= ID(N) EQ HOOK ID(V) SEMI.             { sn_parse_onnx_ent(P,
                                                     SN_OE_HOOK, N, V); }

/* operators as terms */
item ::= ophead(K) LP opins RP opattrs opfor oplets(L) ARROWR(T) opresults SEMI(E).
                                               { sn_parse_op_end(P, K,
                                                     L.raw ? L : T, E); }
opresults ::= term(X).                         { sn_parse_op_result(P, X); }
opresults ::= opresults COMMA term(X).         { sn_parse_op_result(P, X); }
%type ophead {SnTok}
ophead(T) ::= ONNX(K) STR(S) INT(A) DOTDOT until(B). { T = K;
                                     sn_parse_op(P, S, A, B); }
opins ::= opin.
opins ::= opins COMMA opin.
opin ::= LAYOUT ID(N) EQ ID(V).    { sn_parse_op_in(P,
                                         sn_parse_leaf(P, SN_E_NAME, N),
                                         (SnTok){0}, false, NULL);
                                     sn_parse_op_layout(P, V); }
opin ::= port(X).                  { sn_parse_op_in(P, X, (SnTok){0}, false,
                                                     NULL); }
opin ::= port(X) COLON ID(T) adef(E). { sn_parse_op_in(P, X, T, false, E); }
opin ::= port(X) COLON ID(T) LK RK adef(E). { sn_parse_op_in(P, X, T, true, E); }
opattrs ::= .
opattrs ::= LB opattrl RB.
opattrl ::= opattr.
opattrl ::= opattrl COMMA opattr.
opattr ::= ID(N) EQ expr(E).       { sn_parse_op_is(P, N, E, false); }
opattr ::= ID(N) EQ expr(E) QUEST. { sn_parse_op_is(P, N, E, true); }
opattr ::= ID(N) COLON aty(A) adef(E). { sn_parse_op_attr(P, A, N, E); }
opfor ::= .
opfor ::= FOR optypes.
optypes ::= ID(T).                 { sn_parse_op_type(P, T); }
optypes ::= optypes BAR ID(T).     { sn_parse_op_type(P, T); }
%type oplets {SnTok}
oplets(T) ::= .                    { T = (SnTok){0}; }
oplets(T) ::= LET(K) opletl.       { T = K; }
opletl ::= oplet.
opletl ::= opletl COMMA oplet.
oplet ::= ID(N) EQ term(T).        { sn_parse_op_let(P, N, T, NULL); }
oplet ::= ID(N) EQ opnum(E).       { sn_parse_op_let(P, N, NULL, E); }
%type opnum {SnExpr *}
opnum(E) ::= INT(T).               { E = sn_parse_leaf(P, SN_E_INT, T); }
opnum(E) ::= REAL(T).              { E = sn_parse_leaf(P, SN_E_REAL, T); }
opnum(E) ::= MINUS(K) opnum(X).    { E = sn_parse_unary(P, SN_E_NEG, K, X); }

/* ---- passes ---- */
item ::= passhead LB pitems close.             { P->pass = NULL; }
passhead ::= PASS ID(N) docopt(D).             { sn_parse_pass(P, false, N, D); }
passhead ::= LOWERING ID(N) docopt(D).         { sn_parse_pass(P, true, N, D); }
item ::= PIPELINE ID(N) EQ ids(L) SEMI.        { sn_parse_pipeline(P, N, L); }
item ::= classdef.
item ::= rule.
item ::= prefer.
item ::= test.
pitems ::= .
pitems ::= pitems pitem.
pitem ::= error SEMI.
pitem ::= ALLOW budget(C) SEMI.                { sn_parse_allow(P, C); }
pitem ::= classdef.
pitem ::= DERIVE ID(F) SEMI.                   { sn_parse_derive(P, F, (SnTok){0},
                                                              NULL); }
pitem ::= DERIVE ID(F) ID(W) derover(E) SEMI.  { sn_parse_derive(P, F, W, E); }
pitem ::= rule.
pitem ::= prefer.
pitem ::= ORDER ids(L) SEMI.                   { sn_parse_order(P, L); }
pitem ::= PLACE(K) ID(W) MINIMIZING ID(M) SEMI. { sn_parse_place(P, K, W, M); }
pitem ::= test.
prefer ::= PREFER(K) ids(A) OVER ids(B) docopt(W) SEMI.
                                               { sn_parse_prefer(P, K, A, B,
                                                              W); }
classdef ::= CLASS(K) ID(N) EQ expr(E) SEMI(S). { sn_parse_class(P, N, E)->text =
                                     sn_parse_text(P, K, S); }
%type derover {SnExpr *}
derover(E) ::= THROUGH expr(X).    { E = X; }
derover(E) ::= INTO expr(X).       { E = X; }
%type budget {SnDefClaim}
budget(C) ::= EXACT(K).            { C = (SnDefClaim){.kind = SN_CLAIM_EXACT,
                                                      .pos = K.pos}; }
budget(C) ::= REFINES(K).          { C = (SnDefClaim){.kind = SN_CLAIM_REFINES,
                                                      .pos = K.pos}; }
budget(C) ::= KREAL(K).            { C = (SnDefClaim){.kind = SN_CLAIM_REAL,
                                                      .pos = K.pos}; }
budget(C) ::= expr(E) LSB.         { C = (SnDefClaim){.kind = SN_CLAIM_WITHIN,
                                                      .pos = E->pos,
                                                      .bound = E}; }

/* rules */
rule ::= rulehead(K) pat(L) lets ARROWR rhs clauses SEMI(S).
                                               { P->rule->pat = L;
                                     sn_parse_rule_end(P, K, S); }
%type rulehead {SnTok}
rulehead(T) ::= RULE(K) ID(N) COLON.           { T = K;
                                     sn_parse_rule(P, N, false, false); }
rulehead(T) ::= LOWER(K) ID(N) COLON.          { T = K;
                                     sn_parse_rule(P, N, true, false); }
lets ::= .
lets ::= LET letl.
letl ::= let.
letl ::= letl COMMA let.
let ::= ID(N) EQ term(T).                      { sn_parse_let(P, N, T); }
rhs ::= term(T).                               { sn_parse_rhs(P, T,
                                                           (SnTerms){0}); }
rhs ::= LP term(T) COMMA terms(L) RP.          { sn_parse_rhs(P, T, L); }
rhs ::= BUILDER ID(F) COMPONENTS ids(L).       { sn_parse_builder(P, F, L); }
%type terms {SnTerms}
terms(L) ::= term(X).              { L = (SnTerms){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
terms(L) ::= terms(M) COMMA term(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
clauses ::= .
clauses ::= clauses clause.
clause ::= WHEN(K) expr(E).        { sn_parse_once(P, K, P->rule->need);
                                     P->rule->need = E; }
clause ::= WORTH(K) expr(E).       { sn_parse_once(P, K, P->rule->worth);
                                     P->rule->worth = E; }
clause ::= claim(C).               { sn_parse_claim(P, C); }
clause ::= UNDER ids(L) claim(C).  { sn_parse_under(P, L, C); }
clause ::= ELSE claim(C).          { sn_parse_other(P, C); }
clause ::= TRUSTED(K) STR(S).      { sn_parse_once(P, K, P->rule->trusted);
                                     P->rule->trusted = S.str; }
clause ::= OPTIN(K) STR(S).        { sn_parse_once(P, K, P->rule->optin);
                                     P->rule->optin = S.str; }
clause ::= REQUIRES(K) expr(E).    { sn_parse_once(P, K, P->rule->requires);
                                     P->rule->requires = E; }
clause ::= NOTE(K) STR(S).         { sn_parse_once(P, K, P->rule->note);
                                     P->rule->note = S.str; }
%type claim {SnDefClaim}
claim(C) ::= EXACT(K).             { C = (SnDefClaim){.kind = SN_CLAIM_EXACT,
                                                      .pos = K.pos}; }
claim(C) ::= REFINES(K).           { C = (SnDefClaim){.kind = SN_CLAIM_REFINES,
                                                      .pos = K.pos}; }
claim(C) ::= WITHIN(K) expr(E) LSB. { C = (SnDefClaim){.kind = SN_CLAIM_WITHIN,
                                                       .pos = K.pos,
                                                       .bound = E}; }
claim(C) ::= KREAL(K) REAL(N).     { C = (SnDefClaim){.kind = SN_CLAIM_REAL,
                                                      .pos = K.pos,
                                                      .real = N.v.r}; }
claim(C) ::= LOSSY(K) STR(S).      { C = (SnDefClaim){.kind = SN_CLAIM_LOSSY,
                                                      .pos = K.pos,
                                                      .text = S.str}; }
rule ::= contract(K) BUILDER ID(F) TRUSTED STR(S) SEMI(E).
                                               { P->rule->trusted = S.str;
                                     sn_parse_builder(P, F, (SnIds){0});
                                     sn_parse_rule_end(P, K, E); }
/* A separate rule, so that a fault after the block is not taken for one in
 * it. */
%type contract {SnTok}
contract(T) ::= customhead(K) LB citems close. { T = K; }
%type customhead {SnTok}
customhead(T) ::= CUSTOM(K) RULE ID(N) ON ID(O) docopt(D) CONTRACT. { T = K;
                                     sn_parse_rule(P, N, false, true);
                                     P->rule->on = sn_parse_name(P, O);
                                     P->rule->on_pos = O.pos;
                                     P->rule->doc = D.str; }
citems ::= .
citems ::= citems citem.
citem ::= error SEMI.
citem ::= MATCHES(K) pat(L) SEMI.  { sn_parse_once(P, K, P->rule->pat);
                                     P->rule->pat = L; }
citem ::= WHEN(K) expr(E) SEMI.    { sn_parse_once(P, K, P->rule->need);
                                     P->rule->need = E; }
citem ::= MAKES(K) ids(L) SEMI.    { sn_parse_once(P, K, P->rule->makes);
                                     P->rule->nmakes = L.n;
                                     P->rule->makes = L.s;
                                     P->rule->makes_pos = L.pos; }
citem ::= REMOVES(K) ids(L) SEMI.  { sn_parse_once(P, K, P->rule->removes);
                                     P->rule->nremoves = L.n;
                                     P->rule->removes = L.s;
                                     P->rule->removes_pos = L.pos; }
citem ::= CLAIM claim(C) SEMI.     { sn_parse_claim(P, C); }
citem ::= UNDER ids(L) claim(C) SEMI. { sn_parse_under(P, L, C); }
citem ::= ELSE claim(C) SEMI.         { sn_parse_other(P, C); }

/* patterns */
%type pat {SnPat *}
pat(A) ::= ID(N) patsuf(S).        { A = sn_parse_pat_suffix(P,
                                         sn_parse_pat(P, SN_P_VAR, N), S); }
pat(A) ::= ID(N) DOTS patsuf(S).   { A = sn_parse_pat_suffix(P,
                                         sn_parse_pat(P, SN_P_LIST, N), S); }
pat(A) ::= ANY ID(N) patsuf(S).    { A = sn_parse_pat_suffix(P,
                                         sn_parse_pat(P, SN_P_ANY, N), S); }
pat(A) ::= call(C) patsuf(S).      { A = sn_parse_pat_suffix(P, C, S); }
pat(A) ::= FORMS call(C) patsuf(S). { C->pk = SN_P_FORMS;
                                     A = sn_parse_pat_suffix(P, C, S); }
%type call {SnPat *}
call(A) ::= ID(N) LP patargs(L) RP pattrs(G). {
                                     A = sn_parse_pat(P, SN_P_CALL, N);
                                     A->narg = L.n;
                                     A->arg = L.v;
                                     A->nasg = G.n;
                                     A->asg = G.v; }
%type patargs {SnPats}
patargs(L) ::= .                   { L = (SnPats){0}; }
patargs(L) ::= patlist(M).         { L = M; }
%type patlist {SnPats}
patlist(L) ::= patarg(X).          { L = (SnPats){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
patlist(L) ::= patlist(M) COMMA patarg(X). { L = M;
                                     SN_PUSH(P->a, L.v, L.n, X); }
%type patarg {SnPat *}
patarg(A) ::= patval(B).           { A = B; }
patarg(A) ::= ID(N) EQ patval(B).  { A = B; A->port = sn_parse_name(P, N); }
%type patval {SnPat *}
patval(A) ::= pat(B).              { A = B; }
patval(A) ::= UNDERSCORE(K).       { A = sn_parse_pat(P, SN_P_WILD, K);
                                     A->name = NULL; }
patval(A) ::= EACH(K) pat(B).      { A = sn_parse_pat(P, SN_P_EACH, K);
                                     A->name = NULL;
                                     SN_PUSH(P->a, A->arg, A->narg, B); }
%type patsuf {SnPatSuf}
patsuf(S) ::= .                    { S = (SnPatSuf){0}; }
patsuf(S) ::= patsuf(R) AT(K) ID(N). { S = R;
                                     sn_parse_once(P, K, S.cap.raw);
                                     S.cap = N; }
patsuf(S) ::= patsuf(R) COLON(K) INT(N). { S = R;
                                     sn_parse_once(P, K, S.use.raw);
                                     S.use = N; }
patsuf(S) ::= patsuf(R) COLON(K) LB ids(L) RB. { S = R;
                                     sn_parse_once(P, K, S.type.s);
                                     S.type = L;
                                     S.type_pos = L.pos[0]; }
%type pattrs {SnAsgs}
pattrs(L) ::= .                    { L = (SnAsgs){0}; }
pattrs(L) ::= LB asgs(M) RB.       { L = M; }
%type asgs {SnAsgs}
asgs(L) ::= asg(X).                { L = (SnAsgs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
asgs(L) ::= asgs(M) COMMA asg(X).  { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type asg {SnAsg}
asg(X) ::= ID(N) EQ expr(E).       { X = sn_parse_asg(P, N, E); }

/* templates */
%type term {SnTerm *}
term(A) ::= ID(N).                 { A = sn_parse_term(P, SN_T_VAR, N); }
term(A) ::= COPY ID(N) tattrs(S) ttype(T) tas(U). {
                                     S.type = T;
                                     S.as = U.as;
                                     S.named = U.named;
                                     A = sn_parse_term_suffix(P,
                                         sn_parse_term(P, SN_T_COPY, N), S); }
term(A) ::= tcall(C) ttype(T) tas(U). {
                                     C->type = T;
                                     C->as = U.as.raw ? sn_parse_name(P, U.as)
                                                      : NULL;
                                     C->named = U.named.raw
                                         ? sn_parse_name(P, U.named) : NULL;
                                     A = C; }
%type tcall {SnTerm *}
tcall(A) ::= ID(N) LP targs(L) RP tattrs(S). {
                                     A = sn_parse_term_suffix(P,
                                         sn_parse_term_call(P, N, L), S); }
%type targs {SnTerms}
targs(L) ::= .                     { L = (SnTerms){0}; }
targs(L) ::= tlist(M).             { L = M; }
%type tlist {SnTerms}
tlist(L) ::= targ(X).              { L = (SnTerms){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
tlist(L) ::= tlist(M) COMMA targ(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type targ {SnTerm *}
targ(A) ::= tval(B).               { A = B; }
targ(A) ::= ID(N) EQ tval(B).      { A = B; A->port = sn_parse_name(P, N); }
%type tval {SnTerm *}
tval(A) ::= term(B).               { A = B; }
tval(A) ::= UNDERSCORE(K).         { A = sn_parse_term(P, SN_T_NONE, K);
                                     A->name = NULL; }
tval(A) ::= EACH(K) term(B).       { A = sn_parse_term(P, SN_T_EACH, K);
                                     A->name = NULL;
                                     SN_PUSH(P->a, A->arg, A->narg, B); }
%type tattrs {SnTermSuf}
tattrs(S) ::= .                    { S = (SnTermSuf){0}; }
tattrs(S) ::= LIKE ID(N).          { S = (SnTermSuf){.like = N}; }
tattrs(S) ::= LB asgs(L) RB.       { S = (SnTermSuf){.asgs = L}; }
tattrs(S) ::= LIKE ID(N) LB asgs(L) RB. { S = (SnTermSuf){.like = N,
                                                          .asgs = L}; }
%type ttype {SnExpr *}
ttype(E) ::= .                     { E = NULL; }
ttype(E) ::= COLON expr(X).        { E = X; }
%type tas {SnTermSuf}
tas(S) ::= .                       { S = (SnTermSuf){0}; }
tas(S) ::= AS ID(N).               { S = (SnTermSuf){.as = N}; }
tas(S) ::= NAMED ID(N).            { S = (SnTermSuf){.named = N}; }

/* tests */
test ::= testhead LB tlines close.             { P->test = NULL; }
testhead ::= TEST ID(N).                       { sn_parse_test(P, N); }
tlines ::= .
tlines ::= tlines tline.
tline ::= error SEMI.
tline ::= ID(N) EQ tterm(T) SEMI.  { sn_parse_test_line(P, SN_TL_VALUE, N, T,
                                                     NULL, (SnIds){0}); }
tline ::= ID(N) COLON expr(E) SEMI. { sn_parse_test_line(P, SN_TL_INPUT, N, NULL,
                                                     E, (SnIds){0}); }
tline ::= EXPECT ID(N) EQ tterm(T) SEMI. { sn_parse_test_line(P, SN_TL_EXPECT, N,
                                                     T, NULL, (SnIds){0}); }
tline ::= EXPECT ID(N) EQ ID(V) SEMI. { sn_parse_test_line(P, SN_TL_EXPECT, N,
                                                     sn_parse_term(P, SN_T_VAR,
                                                                V),
                                                     NULL, (SnIds){0}); }
tline ::= EXPECT(K) expr(E) SEMI.  { sn_parse_test_line(P, SN_TL_COND, K, NULL, E,
                                                     (SnIds){0}); }
tline ::= REJECT STR(S) SEMI.      { sn_parse_test_line(P, SN_TL_REJECT, S, NULL,
                                                     NULL, (SnIds){0}); }
tline ::= USING(K) ids(L) SEMI.    { sn_parse_test_line(P, SN_TL_USING, K, NULL,
                                                     NULL, L); }
tline ::= ASSUME ID(N) SEMI.       { sn_parse_test_line(P, SN_TL_ASSUME, N, NULL,
                                                     NULL, (SnIds){0}); }
%type tterm {SnTerm *}
tterm(A) ::= tcall(C) ttype(T).    { A = C; A->type = T; }
