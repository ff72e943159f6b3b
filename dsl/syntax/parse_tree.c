// SPDX-License-Identifier: Apache-2.0
/* Builds expressions, patterns and templates for the parser. */
#include "dsl/syntax/parse.h"

#include "dsl/model/expr_tree.h"

const char *
sn_parse_name(SnParser *P, SnTok t)
{
    return sn_strndup(P->a, t.raw, t.pos.len);
}

const char *
sn_parse_text(SnParser *P, SnTok from, SnTok to)
{
    return sn_strndup(P->a, from.raw, (size_t)(to.raw - from.raw) + to.pos.len);
}

/* From the start of one place to the end of another; to the end of the first
 * when they lie on different lines. */
SnPos
sn_parse_span(SnPos from, SnPos to)
{
    if (from.line == to.line && to.col + to.len > from.col + from.len)
        from.len = to.col + to.len - from.col;
    return from;
}

SnIds
sn_parse_ids(SnParser *P, SnIds l, SnTok t)
{
    uint32_t n = l.n;

    SN_PUSH(P->a, l.s, l.n, sn_parse_name(P, t));
    SN_PUSH(P->a, l.pos, n, t.pos);
    return l;
}

/* ---- expressions ---- */

static SnExpr *
new_expr(SnParser *P, SnEk ek, SnPos at, uint32_t nkid)
{
    SnExpr *e = SN_NEW(P->a, SnExpr);

    e->ek = ek;
    e->pos = at;
    e->nkid = nkid;
    e->kid = nkid ? SN_NEW_N(P->a, SnExpr *, nkid) : NULL;
    e->depth = 1;
    return e;
}

/* Sets the depth; reports and drops what is too deep. */
static SnExpr *
measure(SnParser *P, SnExpr *e)
{
    for (uint32_t i = 0; i < e->nkid; i++)
        if (e->depth <= e->kid[i]->depth)
            e->depth = e->kid[i]->depth + 1;
    if (e->depth <= SN_PARSE_DEPTH)
        return e;
    sn_parse_too_deep(P, e->pos);
    return new_expr(P, SN_E_WILD, e->pos, 0);
}

SnExpr *
sn_parse_leaf(SnParser *P, SnEk ek, SnTok t)
{
    SnExpr *e = new_expr(P, ek, t.pos, 0);

    switch (ek) {
    case SN_E_INT:
        e->i = t.v.i;
        break;
    case SN_E_REAL:
        e->r = t.v.r;
        e->s = sn_parse_name(P, t);
        break;
    case SN_E_STR:
        e->s = t.str;
        break;
    case SN_E_NAME:
        sn_expr_say(e, sn_parse_name(P, t));
        break;
    default:
        break;
    }
    return e;
}

SnExpr *
sn_parse_unary(SnParser *P, SnEk ek, SnTok t, SnExpr *x)
{
    SnExpr *e = new_expr(P, ek, sn_parse_span(t.pos, x->pos), 1);

    e->kid[0] = x;
    return measure(P, e);
}

SnExpr *
sn_parse_binary(SnParser *P, SnOp op, SnExpr *x, SnExpr *y)
{
    SnExpr *e = new_expr(P, SN_E_BIN, sn_parse_span(x->pos, y->pos), 2);

    e->op = op;
    e->kid[0] = x;
    e->kid[1] = y;
    return measure(P, e);
}

/* x << y: a call of the function with that word. */
SnExpr *
sn_parse_shift(SnParser *P, SnTok t, SnExpr *x, SnExpr *y)
{
    SnExpr *e = new_expr(P, SN_E_CALL, sn_parse_span(x->pos, y->pos), 2);

    sn_expr_say(e, sn_parse_name(P, t));
    e->kid[0] = x;
    e->kid[1] = y;
    return measure(P, e);
}

/* A literal list is a separate node; outside maps it is the only one. */
SnExpr *
sn_parse_in(SnParser *P, SnExpr *x, SnExpr *y)
{
    SnExprs l = {y->nkid, y->kid};

    if (y->ek == SN_E_LIST)
        return sn_parse_group(P, SN_E_IN, x, l, sn_parse_span(x->pos, y->pos));
    return sn_parse_binary(P, SN_OP_AMONG, x, y);
}

SnExpr *
sn_parse_call(SnParser *P, SnEk ek, SnTok name, SnExprs l)
{
    SnExpr *e = new_expr(P, ek, name.pos, 0);

    sn_expr_say(e, sn_parse_name(P, name));
    e->nkid = l.n;
    e->kid = l.v;
    return measure(P, e);
}

SnExpr *
sn_parse_group(SnParser *P, SnEk ek, SnExpr *first, SnExprs l, SnPos at)
{
    uint32_t k = first ? 1 : 0;
    SnExpr *e = new_expr(P, ek, at, l.n + k);

    if (first)
        e->kid[0] = first;
    for (uint32_t i = 0; i < l.n; i++)
        e->kid[i + k] = l.v[i];
    return measure(P, e);
}

SnExpr *
sn_parse_member(SnParser *P, SnExpr *x, SnTok name)
{
    SnExpr *e = new_expr(P, SN_E_MEMBER, sn_parse_span(x->pos, name.pos), 1);

    e->kid[0] = x;
    sn_expr_say(e, sn_parse_name(P, name));
    return measure(P, e);
}

SnAsg
sn_parse_asg(SnParser *P, SnTok name, SnExpr *e)
{
    const char *s = sn_parse_name(P, name);

    return (SnAsg){
        .name = s, .word = sn_word_named(s), .pos = name.pos, .e = e};
}

/* ---- patterns ---- */

SnPat *
sn_parse_pat(SnParser *P, SnPk pk, SnTok name)
{
    SnPat *p = SN_NEW(P->a, SnPat);

    p->pk = pk;
    p->pos = name.pos;
    p->name = sn_parse_name(P, name);
    return p;
}

SnPat *
sn_parse_pat_suffix(SnParser *P, SnPat *p, SnPatSuf s)
{
    if (s.cap.raw)
        p->capture = sn_parse_name(P, s.cap);
    if (s.use.raw)
        p->nuse = s.use.v.i;
    p->ntype = s.type.n;
    p->type = s.type.s;
    p->type_pos = s.type_pos;
    return p;
}

/* ---- templates ---- */

SnTerm *
sn_parse_term(SnParser *P, SnTk tk, SnTok name)
{
    SnTerm *t = SN_NEW(P->a, SnTerm);

    t->tk = tk;
    t->pos = name.pos;
    t->name = sn_parse_name(P, name);
    return t;
}

/* The functions on values are a closed set; any other name is a kind. */
SnTerm *
sn_parse_term_call(SnParser *P, SnTok name, SnTerms args)
{
    SnTerm *t = sn_parse_term(P, SN_T_CALL, name);

    SnFn fn = sn_fn_named(t->name);
    if (fn == SN_FN_FOLD || fn == SN_FN_REGRID) {
        t->tk = SN_T_FUNC;
        t->fn = fn;
    }
    t->narg = args.n;
    t->arg = args.v;
    return t;
}

SnTerm *
sn_parse_term_suffix(SnParser *P, SnTerm *t, SnTermSuf s)
{
    if (s.like.raw) {
        t->like = sn_parse_name(P, s.like);
        t->like_pos = s.like.pos;
    }
    t->nasg = s.asgs.n;
    t->asg = s.asgs.v;
    if (s.type)
        t->type = s.type;
    if (s.as.raw)
        t->as = sn_parse_name(P, s.as);
    if (s.named.raw)
        t->named = sn_parse_name(P, s.named);
    return t;
}
