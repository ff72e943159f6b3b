// SPDX-License-Identifier: Apache-2.0
/* The grammar of arithmetics, a part of the grammar that begins in gram.y. */
item ::= arithhead(K) LB ariths close(T).      { sn_parse_arith_end(P, K, T); }
%type arithhead {SnTok}
arithhead(T) ::= ARITHMETIC(K) ID(N) docopt(D). { T = K;
                                     sn_parse_arith(P, N, (SnTok){0}, D); }
arithhead(T) ::= ARITHMETIC(K) ID(N) FROM ID(F) docopt(D). { T = K;
                                     sn_parse_arith(P, N, F, D); }
ariths ::= .
ariths ::= ariths arith.
arith ::= error SEMI.
arith ::= ratio SEMI.
ratio ::= RATIO(K) ID(Q) INT(B) ID(W) COMMA ID(S) sint(L) DOTDOT sint(H).
                                   { sn_parse_ratio(P, K, Q, B, W, S, L, H); }
%type sint {SnTok}
sint(T) ::= INT(N).                { T = N; }
sint(T) ::= MINUS(K) INT(N).       { T = N; T.v.i = -N.v.i; T.raw = K.raw;
                                     T.pos = sn_parse_span(K.pos, N.pos); }
ratio ::= ratio COMMA ID(W) ID(V). { sn_parse_ratio_more(P, W, V); }
/* types and pairs */
arith ::= CODES(K) ID(R) sint(L) DOTDOT sint(H) SEMI. { sn_parse_codes(P, K, R, L,
                                                     H); }
arith ::= ZERO(K) ID(R) ANY SEMI.  { sn_parse_zero(P, K, R, (SnTok){0},
                                                (SnTok){0}); }
arith ::= ZERO(K) ID(R) sint(Z) SEMI. { sn_parse_zero(P, K, R, Z, Z); }
arith ::= ZERO(K) ID(R) sint(L) DOTDOT sint(H) SEMI. { sn_parse_zero(P, K, R, L,
                                                     H); }
arith ::= SCALES(K) ID(R) ID(W) ID(P1) SEMI. { sn_parse_scales(P, K, R, W, P1,
                                                     false); }
arith ::= SCALES(K) ID(R) ID(W) ID(P1) ID(A) OF ID(B) SEMI. {
                                     sn_parse_scales(P, K, R, W, P1,
                                         sn_parse_power(P, A, B)); }
arith ::= BIAS(K) ID(W) ON expr(E) SEMI. { sn_parse_bias(P, K, W, E); }
arith ::= ACCUMULATE(K) ID(W) ID(M) SEMI. { sn_parse_accumulate(P, K, W, M,
                                                     (SnTok){0}); }
arith ::= ACCUMULATE(K) ID(W) ID(M) EACH INT(N) SEMI. { sn_parse_accumulate(P, K, W,
                                                     M, N); }
arith ::= ID(W) STR(S) SEMI.       { sn_parse_vectors(P, W, S); }
arith ::= NO ROW ids(L) STR(S) SEMI. { sn_parse_no_row(P, L, NULL, S); }
arith ::= NO ROW ids(L) WHEN expr(E) STR(S) SEMI. { sn_parse_no_row(P, L, E, S); }
arith ::= ID(N) LP ID(V) RP scaleown EQ expr(E) SEMI. { sn_parse_scale(P, N, V, E); }
scaleown ::= .
scaleown ::= COMMA ID(S) sint(L) DOTDOT sint(H). { sn_parse_scale_own(P, S, L, H); }
arith ::= rowhead(K) rowover rowwhen rowlets EQ expr(E) SEMI(T). { sn_parse_row_end(P,
                                                     K, T, E); }
%type rowhead {SnTok}
rowhead(T) ::= ROW(K) ids(L).      { T = K; sn_parse_row(P, K, false, L); }
rowhead(T) ::= ROW(K) ANY formword(N). { T = K; sn_parse_row(P, K, true,
                                     sn_parse_ids(P, (SnIds){0}, N)); }
%type formword {SnTok}
formword(T) ::= ID(N).             { T = N; }
formword(T) ::= CONTRACT(N).       { T = N; }
rowover ::= .
rowover ::= OVER ID(N).            { sn_parse_row_over(P, N); }
rowwhen ::= .
rowwhen ::= WHEN expr(E).          { sn_parse_row_when(P, E); }
rowlets ::= .
rowlets ::= LET rowletl.
rowletl ::= rowlet.
rowletl ::= rowletl COMMA rowlet.
rowlet ::= ID(N) EQ expr(E).       { sn_parse_row_let(P, N, E); }
/* scale(v : m) */
arg(E) ::= expr(X) COLON expr(Y).  { E = sn_parse_at_ratio(P, X, Y); }

