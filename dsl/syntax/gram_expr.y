// SPDX-License-Identifier: Apache-2.0
/* The second half of the grammar, after gram.y: maps and expressions. */
/* ---- maps ---- */
item ::= maphead(K) LB mstats close(T).        { sn_parse_map_end(P, K, T); }
%type maphead {SnTok}
maphead(T) ::= MAP(K) ID(N) LP mparams(L) RP docopt(D). { T = K;
                                     sn_parse_map(P, N, L, D); }
%type mparams {SnMapParams}
mparams(L) ::= mparam(X).          { L = (SnMapParams){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
mparams(L) ::= mparams(M) COMMA mparam(X). { L = M;
                                     SN_PUSH(P->a, L.v, L.n, X); }
%type mparam {SnDefMapParam *}
mparam(X) ::= ID(N) LK mitems(L) RK mdata(D).  { X = sn_parse_map_operand(P, N,
                                                     L, D); }
mparam(X) ::= ID(N) DOTS LK mitems(L) RK.      { X = sn_parse_map_operand(P, N,
                                                     L, (SnTok){0});
                                     X->variadic = true; }
mparam(X) ::= ID(N) COLON mtype(T) adef(E).    { X = T;
                                     X->name = sn_parse_name(P, N);
                                     X->pos = N.pos;
                                     X->def = E; }
%type mdata {SnTok}
mdata(T) ::= .                     { T = (SnTok){0}; }
mdata(T) ::= COLON ID(N).          { T = N; }
%type mtype {SnDefMapParam *}
mtype(X) ::= ID(T).                { X = sn_parse_map_type(P, SN_TF_PLAIN, T); }
mtype(X) ::= ID(T) LP ID(F) RP.    { X = sn_parse_map_type(P, SN_TF_OF, T);
                                     X->of = sn_parse_name(P, F);
                                     X->of_pos = F.pos; }
mtype(X) ::= ID(T) LK exprs(L) RK. { X = sn_parse_map_type(P, SN_TF_LIST, T);
                                     X->nlen = L.n;
                                     X->len = L.v; }
mtype(X) ::= ENUM(T) LB ids(L) RB. { X = sn_parse_map_type(P, SN_TF_PLAIN, T);
                                     X->word = L; }
%type mitems {SnMapItems}
mitems(L) ::= mitem(X).            { L = (SnMapItems){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
mitems(L) ::= mitems(M) COMMA mitem(X). { L = M;
                                     SN_PUSH(P->a, L.v, L.n, X); }
%type mitem {SnDefMapItem}
mitem(X) ::= ID(N).                { X = sn_parse_map_item(P, SN_MI_DIM, N,
                                         (SnTok){0}); }
mitem(X) ::= ID(N) QUEST.          { X = sn_parse_map_item(P, SN_MI_MAYBE, N,
                                         (SnTok){0}); }
mitem(X) ::= ID(N) DOTS.           { X = sn_parse_map_item(P, SN_MI_RUN, N,
                                         (SnTok){0}); }
mitem(X) ::= ID(N) LK ID(R) RK DOTS. { X = sn_parse_map_item(P, SN_MI_ALONG, N,
                                         R); }
mitem(X) ::= INT(I) BAR ID(N) DOTS. { X = sn_parse_map_item(P, SN_MI_JOIN, N,
                                         I); }
mitem(X) ::= ID(N) AT ID(A).       { X = sn_parse_map_item(P, SN_MI_AT, N, A); }
mitem(X) ::= ID(N) LK ID(R) RK AT ID(A). { X = sn_parse_map_item(P, SN_MI_AT, N,
                                         A);
                                     X.each = sn_parse_name(P, R);
                                     X.each_pos = R.pos; }
mstats ::= .
mstats ::= mstats mstat.
mstat ::= error SEMI.
mstat ::= LET(K) ID(N) EQ expr(E) SEMI.        { sn_parse_map_let(P, K, N, E); }
mstat ::= REQUIRE(K) expr(E) orelse(S) SEMI.   { sn_parse_map_require(P, K, E,
                                                     S); }
mstat ::= RESULT(K) LK mbounds(L) RK SEMI.     { sn_parse_map_box(P,
                                                     SN_MS_RESULT, K, L); }
mstat ::= TAPS(K) LK mbounds(L) RK SEMI.       { sn_parse_map_box(P, SN_MS_TAPS,
                                                     K, L); }
mstat ::= READ(K) prim(E) mwhen(W) melse(M) SEMI. { sn_parse_map_read(P, K, E,
                                                     W, M); }
mstat ::= CENTRE(K) prim(E) SEMI.  { sn_parse_map_stmt(P, SN_MS_CENTRE, K, E,
                                         NULL); }
mstat ::= BESIDE(K) LK exprs(L) RK SEMI.       { sn_parse_map_beside(P, K, L); }
mstat ::= DIVISOR(K) expr(E) mwhen(W) SEMI.    { sn_parse_map_stmt(P,
                                                     SN_MS_DIVISOR, K, E, W); }
mstat ::= PARTS(K) expr(E) mwhen(W) SEMI.      { sn_parse_map_stmt(P,
                                                     SN_MS_PARTS, K, E, W); }
mstat ::= NUMBER(K) expr(E) SEMI.  { sn_parse_map_stmt(P, SN_MS_NUMBER, K, E,
                                         NULL); }
mstat ::= WHOLE(K) expr(E) SEMI.   { sn_parse_map_stmt(P, SN_MS_WHOLE, K, E,
                                         NULL); }
mstat ::= PRIMITIVE(K) SEMI.       { sn_parse_map_stmt(P, SN_MS_PRIMITIVE, K,
                                         NULL, NULL); }
mstat ::= TEST(K) LP mtargs(L) RP ELSE STR(T) SEMI. {
                                     sn_parse_map_test(P, K, L)->text = T.str; }
mstat ::= TEST(K) LP mtargs(L) RP ARROWR prim(S) mtlists(M) SEMI. {
                                     SnDefMapTest *t = sn_parse_map_test(P, K, L);
                                     t->shape = S;
                                     t->nlist = M.n;
                                     t->list = M.v; }
%type mtargs {SnMapTestArgs}
mtargs(L) ::= mtarg(X).            { L = (SnMapTestArgs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
mtargs(L) ::= mtargs(M) COMMA mtarg(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type mtarg {SnDefMapTestArg}
mtarg(X) ::= expr(E).              { X = (SnDefMapTestArg){E, NULL}; }
mtarg(X) ::= expr(E) COLON prim(D). { X = (SnDefMapTestArg){E, D}; }
%type mtlists {SnMapTestLists}
mtlists(L) ::= .                   { L = (SnMapTestLists){0}; }
mtlists(L) ::= mtlists(M) COMMA mtwhat(W) COLON prim(E). {
                                     W.e = E;
                                     L = M; SN_PUSH(P->a, L.v, L.n, W); }
%type mtwhat {SnDefMapTestList}
mtwhat(W) ::= prim(E).   { W = sn_parse_map_list(SN_MS_READ); W.what = E; }
mtwhat(W) ::= CENTRE.   { W = sn_parse_map_list(SN_MS_CENTRE); }
mtwhat(W) ::= DIVISOR.  { W = sn_parse_map_list(SN_MS_DIVISOR); }
mtwhat(W) ::= NUMBER.   { W = sn_parse_map_list(SN_MS_NUMBER); }
mtwhat(W) ::= PARTS.    { W = sn_parse_map_list(SN_MS_PARTS); }
mtwhat(W) ::= BESIDE.   { W = sn_parse_map_list(SN_MS_BESIDE); }
mtwhat(W) ::= WHOLE.    { W = sn_parse_map_list(SN_MS_WHOLE); }
%type mbounds {SnMapBounds}
mbounds(L) ::= .                   { L = (SnMapBounds){0}; }
mbounds(L) ::= mbounds1(M).        { L = M; }
%type mbounds1 {SnMapBounds}
mbounds1(L) ::= mbound(X).         { L = (SnMapBounds){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
mbounds1(L) ::= mbounds1(M) COMMA mbound(X). { L = M;
                                     SN_PUSH(P->a, L.v, L.n, X); }
%type mbound {SnDefMapBound}
mbound(X) ::= ID(N) LT expr(E) mwhen(W).       { X = (SnDefMapBound){
                                         .name = sn_parse_name(P, N),
                                         .pos = N.pos, .e = E, .when = W }; }
%type mwhen {SnExpr *}
mwhen(E) ::= .                     { E = NULL; }
mwhen(E) ::= WHEN expr(X).         { E = X; }
%type melse {SnMapElse}
melse(M) ::= .                     { M = SN_ME_NONE; }
melse(M) ::= ELSE SKIP.            { M = SN_ME_SKIP; }
melse(M) ::= ELSE FILL.            { M = SN_ME_FILL; }

/* ---- expressions ---- */
%type expr {SnExpr *}
expr(E) ::= expr(X) OR expr(Y).    { E = sn_parse_binary(P, SN_OP_OR, X, Y); }
expr(E) ::= expr(X) AND expr(Y).   { E = sn_parse_binary(P, SN_OP_AND, X, Y); }
expr(E) ::= NOT(K) expr(X).        { E = sn_parse_unary(P, SN_E_NOT, K, X); }
expr(E) ::= expr(X) EQEQ expr(Y).  { E = sn_parse_binary(P, SN_OP_EQ, X, Y); }
expr(E) ::= expr(X) NE expr(Y).    { E = sn_parse_binary(P, SN_OP_NE, X, Y); }
expr(E) ::= expr(X) LT expr(Y).    { E = sn_parse_binary(P, SN_OP_LT, X, Y); }
expr(E) ::= expr(X) LE expr(Y).    { E = sn_parse_binary(P, SN_OP_LE, X, Y); }
expr(E) ::= expr(X) GT expr(Y).    { E = sn_parse_binary(P, SN_OP_GT, X, Y); }
expr(E) ::= expr(X) GE expr(Y).    { E = sn_parse_binary(P, SN_OP_GE, X, Y); }
expr(E) ::= expr(X) IN prim(Y).    { E = sn_parse_in(P, X, Y); }
expr(E) ::= expr(X) SHL(K) expr(Y). { E = sn_parse_shift(P, K, X, Y); }
expr(E) ::= expr(X) PLUS expr(Y).  { E = sn_parse_binary(P, SN_OP_ADD, X, Y); }
expr(E) ::= expr(X) MINUS expr(Y). { E = sn_parse_binary(P, SN_OP_SUB, X, Y); }
expr(E) ::= expr(X) STAR expr(Y).  { E = sn_parse_binary(P, SN_OP_MUL, X, Y); }
expr(E) ::= expr(X) SLASH expr(Y). { E = sn_parse_binary(P, SN_OP_DIV, X, Y); }
expr(E) ::= expr(X) PERCENT expr(Y). { E = sn_parse_binary(P, SN_OP_MOD, X, Y); }
expr(E) ::= MINUS(K) expr(X). [UMINUS] { E = sn_parse_unary(P, SN_E_NEG, K, X); }
expr(E) ::= prim(X).               { E = X; }
%type prim {SnExpr *}
prim(E) ::= INT(T).                { E = sn_parse_leaf(P, SN_E_INT, T); }
prim(E) ::= REAL(T).               { E = sn_parse_leaf(P, SN_E_REAL, T); }
prim(E) ::= STR(T).                { E = sn_parse_leaf(P, SN_E_STR, T); }
prim(E) ::= TRUE(T).               { E = sn_parse_leaf(P, SN_E_BOOL, T);
                                     E->i = 1; }
prim(E) ::= FALSE(T).              { E = sn_parse_leaf(P, SN_E_BOOL, T); }
prim(E) ::= UNDERSCORE(T).         { E = sn_parse_leaf(P, SN_E_WILD, T); }
prim(E) ::= LP expr(X) RP.         { E = X; }
prim(E) ::= LK(A) exprs(L) RK(B).  { E = sn_parse_group(P, SN_E_LIST, NULL, L,
                                         sn_parse_span(A.pos, B.pos)); }
prim(E) ::= prim(X) DOT ID(N).     { E = sn_parse_member(P, X, N); }
prim(E) ::= prim(X) LK exprs(L) RK(K). { E = sn_parse_group(P, SN_E_INDEX, X, L,
                                         sn_parse_span(X->pos, K.pos)); }
prim(E) ::= ID(N).                 { E = sn_parse_leaf(P, SN_E_NAME, N); }
prim(E) ::= fname(N) LP args(L) RP. { E = sn_parse_call(P, SN_E_CALL, N, L); }
%type fname {SnTok}
fname(T) ::= ID(N).                { T = N; }
fname(T) ::= SAME(N).              { T = N; }
fname(T) ::= FREE(N).              { T = N; }
fname(T) ::= SEM(N).               { T = N; }
%type exprs {SnExprs}
exprs(L) ::= .                     { L = (SnExprs){0}; }
exprs(L) ::= exprs1(M).            { L = M; }
%type exprs1 {SnExprs}
exprs1(L) ::= expr(X).             { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
exprs1(L) ::= exprs1(M) COMMA expr(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type args {SnExprs}
args(L) ::= .                      { L = (SnExprs){0}; }
args(L) ::= args1(M).              { L = M; }
%type args1 {SnExprs}
args1(L) ::= arg(X).               { L = (SnExprs){0};
                                     SN_PUSH(P->a, L.v, L.n, X); }
args1(L) ::= args1(M) COMMA arg(X). { L = M; SN_PUSH(P->a, L.v, L.n, X); }
%type arg {SnExpr *}
arg(E) ::= expr(X).                { E = X; }
arg(E) ::= ID(N) EQ expr(X).       { SnExprs l = {0};
                                     SN_PUSH(P->a, l.v, l.n, X);
                                     E = sn_parse_call(P, SN_E_ARG, N, l); }

%code {
/* The parser lives in the arena, so that nothing leaks when an action runs out
 * of memory. */
SnGram *
sn_gram_new(SnParser *P)
{
    yyParser *g = SN_NEW(P->a, yyParser);

    sn_gramInit(g, P);
    return g;
}

void
sn_gram_reset(SnGram *g, SnParser *P)
{
    sn_gramInit(g, P);
}

/* The tables' action for a token in a state, as yy_find_shift_action; *as_name:
 * only because the token was read as a name. */
static unsigned
table_action(unsigned state, int code, bool *as_name)
{
    *as_name = false;
    if (state > YY_MAX_SHIFT)
        return state;
    for (;;) {
        unsigned i = (unsigned)yy_shift_ofst[state] + (unsigned)code;

        if (yy_lookahead[i] == code)
            return yy_action[i];
        if (!yyFallback[code]) {
            *as_name = false;
            return yy_default[state];
        }
        code = yyFallback[code];
        *as_name = true;
    }
}

/* Runs the reductions a token would cause on a copy of the top of the stack
 * and sees whether they end in a shift: up[0..nup) lies above the parser's own
 * entries 0..at. */
SnTake
sn_gram_takes(const SnGram *g, int code)
{
    enum { NUP = 64 };
    YYACTIONTYPE up[NUP];
    long nup = 0, at = g->yytos - g->yystack;
    bool as_name;

    if (g->yytos->major == YYERRORSYMBOL && at > 0)
        at--;
    for (;;) {
        unsigned state = nup ? up[nup - 1] : g->yystack[at].stateno;
        unsigned act = table_action(state, code, &as_name);
        unsigned rule;

        if (act <= YY_MAX_SHIFTREDUCE || act == YY_ACCEPT_ACTION)
            return as_name ? SN_TAKE_AS_NAME : SN_TAKE_YES;
        if (act < YY_MIN_REDUCE)
            return SN_TAKE_NO;
        rule = act - YY_MIN_REDUCE;
        nup += yyRuleInfoNRhs[rule];
        if (nup < 0) {
            at += nup;
            nup = 0;
        }
        if (nup == NUP)
            sn_bug("%d reductions for one token", NUP);
        state = nup ? up[nup - 1] : g->yystack[at].stateno;
        act = yy_find_reduce_action((YYACTIONTYPE)state, yyRuleInfoLhs[rule]);
        up[nup++] = (YYACTIONTYPE)act;
    }
}

bool
sn_gram_lost(const SnGram *g, uint32_t *nbrace)
{
    if (g->yytos->major != YYERRORSYMBOL)
        return false;
    *nbrace = 0;
    for (const yyStackEntry *e = g->yystack + 1; e < g->yytos; e++)
        *nbrace += e->major == T_LB;
    return true;
}

int
sn_gram_ncode(void)
{
    return YYNTOKEN;
}
}
