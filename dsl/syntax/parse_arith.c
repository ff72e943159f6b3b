// SPDX-License-Identifier: Apache-2.0
/* Arithmetics as the parser meets them. */
#include <string.h>
#include "dsl/model/arith.h"
#include "dsl/syntax/parse.h"

void
sn_parse_arith(SnParser *P, SnTok name, SnTok from, SnTok doc)
{
    SnDefArith *a = SN_NEW(P->a, SnDefArith);

    a->name = sn_parse_name(P, name);
    a->pos = name.pos;
    a->doc = doc.str;
    a->plugin = P->defs->is_plugin;
    if (from.raw) {
        a->from = sn_parse_name(P, from);
        a->from_pos = from.pos;
    }
    P->arith = a;
    SN_PUSH(P->a, P->defs->arith, P->defs->narith, a);
}

void
sn_parse_arith_end(SnParser *P, SnTok from, SnTok to)
{
    P->arith->text = sn_parse_text(P, from, to);
    P->arith = NULL;
}

/* The word must be this one: the line has a fixed form. */
static void
word(SnParser *P, SnTok t, const char *want)
{
    if (strlen(want) != t.pos.len || strncmp(t.raw, want, t.pos.len))
        sn_error(P->d, t.pos, "SN190", "'%.*s' in a ratio, expected '%s'",
                 (int)t.pos.len, t.raw, want);
}

void
sn_parse_ratio(SnParser *P, SnTok kw, SnTok q, SnTok bits, SnTok unit, SnTok s,
               SnTok lo, SnTok hi, SnTok formed)
{
    SnDefArith *a = P->arith;

    sn_parse_once(P, kw, a->ratio.src);
    word(P, q, "q");
    word(P, unit, "bits");
    word(P, s, "s");
    a->ratio = kw.pos;
    a->bits = bits.v.i;
    a->s_lo = lo.v.i;
    a->s_hi = hi.v.i;
    if (formed.raw) {
        a->formed = sn_parse_name(P, formed);
        a->formed_pos = formed.pos;
    }
}

SnTok
sn_parse_formed(SnParser *P, SnTok w, SnTok type)
{
    word(P, w, "formed");
    return type;
}

void
sn_parse_scale(SnParser *P, SnTok name, SnTok v, SnExpr *e)
{
    SnDefScale *s = SN_NEW(P->a, SnDefScale);

    s->name = sn_parse_name(P, name);
    s->pos = name.pos;
    s->v = sn_parse_name(P, v);
    s->v_pos = v.pos;
    s->e = e;
    SN_PUSH(P->a, P->arith->scale, P->arith->nscale, s);
}

void
sn_parse_row(SnParser *P, SnTok kw, bool any, SnIds of)
{
    SnDefRow *r = SN_NEW(P->a, SnDefRow);

    r->pos = kw.pos;
    r->any = any;
    r->of = of;
    P->row = r;
}

void
sn_parse_row_over(SnParser *P, SnTok map)
{
    P->row->over = sn_parse_name(P, map);
    P->row->over_pos = map.pos;
}

void
sn_parse_row_when(SnParser *P, SnExpr *e)
{
    P->row->when = e;
}

void
sn_parse_row_let(SnParser *P, SnTok name, SnExpr *e)
{
    SnDefLet l = {sn_parse_name(P, name), name.pos, e};

    SN_PUSH(P->a, P->row->let, P->row->nlet, l);
}

void
sn_parse_row_end(SnParser *P, SnTok from, SnTok to, SnExpr *e)
{
    P->row->e = e;
    P->row->text = sn_parse_text(P, from, to);
    SN_PUSH(P->a, P->arith->row, P->arith->nrow, P->row);
}

SnExpr *
sn_parse_at_ratio(SnParser *P, SnExpr *v, SnExpr *ratio)
{
    SnExprs l = {0};

    SN_PUSH(P->a, l.v, l.n, v);
    SN_PUSH(P->a, l.v, l.n, ratio);
    return sn_parse_group(P, SN_E_RATIO, NULL, l,
                          sn_parse_span(v->pos, ratio->pos));
}
