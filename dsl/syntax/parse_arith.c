// SPDX-License-Identifier: Apache-2.0
/* Builds arithmetics for the parser. */
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
    a->text = ""; /* until its end is read, if it is */
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
word(SnParser *P, SnTok t, const char *line, const char *want)
{
    if (strlen(want) != t.pos.len || strncmp(t.raw, want, t.pos.len))
        sn_error(P->d, t.pos, "SN190", "'%.*s' in %s, expected '%s'",
                 (int)t.pos.len, t.raw, line, want);
}

void
sn_parse_ratio(SnParser *P, SnTok kw, SnTok q, SnTok bits, SnTok unit, SnTok s,
               SnTok lo, SnTok hi)
{
    SnDefRatio *r = &P->arith->ratio;

    sn_parse_once(P, kw, r->pos.src);
    word(P, q, "a ratio", "q");
    word(P, unit, "a ratio", "bits");
    word(P, s, "a ratio", "s");
    r->pos = kw.pos;
    r->bits = bits.v.i;
    r->s_lo = lo.v.i;
    r->s_hi = hi.v.i;
}

void
sn_parse_ratio_more(SnParser *P, SnTok w, SnTok value)
{
    SnDefRatio *r = &P->arith->ratio;
    const char *name = sn_parse_name(P, w);

    if (sn_name_same(name, "outside")) {
        sn_parse_once(P, w, r->outside);
        r->outside = sn_parse_name(P, value);
        r->outside_pos = value.pos;
        return;
    }
    if (!sn_name_same(name, "formed")) {
        sn_error(P->d, w.pos, "SN190",
                 "'%s' in a ratio, expected 'formed' or 'outside'", name);
        return;
    }
    sn_parse_once(P, w, r->formed);
    r->formed = sn_parse_name(P, value);
    r->formed_pos = value.pos;
}

/* ---- types and pairs ---- */

/* The line of a role; a dummy if there is no such role. */
static SnDefArithType *
role(SnParser *P, SnTok t)
{
#define ROLE_WORD(ID, word, ...) word,
    static const char *const words[] = {SN_ROLES(ROLE_WORD)};
#undef ROLE_WORD
    uint32_t at = sn_name_at(words, SN_NROLE, sn_parse_name(P, t));

    if (at < SN_NROLE)
        return &P->arith->type[at];
    sn_error(P->d, t.pos, "SN190",
             "types are declared for x (activations) and w (constants that a "
             "contract reads second), not for '%.*s'",
             (int)t.pos.len, t.raw);
    return SN_NEW(P->a, SnDefArithType);
}

void
sn_parse_codes(SnParser *P, SnTok kw, SnTok r, SnTok lo, SnTok hi)
{
    SnDefArithType *t = role(P, r);

    sn_parse_once(P, kw, t->codes.src);
    t->codes = sn_parse_span(lo.pos, hi.pos);
    t->lo = lo.v.i;
    t->hi = hi.v.i;
}

void
sn_parse_zero(SnParser *P, SnTok kw, SnTok r, SnTok lo, SnTok hi)
{
    SnDefArithType *t = role(P, r);

    sn_parse_once(P, kw, t->zero.src);
    t->zero = lo.raw ? sn_parse_span(lo.pos, hi.pos) : kw.pos;
    t->zlo = lo.raw ? lo.v.i : INT32_MIN;
    t->zhi = lo.raw ? hi.v.i : INT32_MAX;
}

void
sn_parse_scales(SnParser *P, SnTok kw, SnTok r, SnTok per, SnTok what,
                bool power)
{
    SnDefArithType *t = role(P, r);

    sn_parse_once(P, kw, t->scales.src);
    word(P, per, "a line of scales", "per");
    t->scales = what.pos;
    t->per = sn_parse_name(P, what);
    t->power = power;
}

bool
sn_parse_power(SnParser *P, SnTok power, SnTok two)
{
    word(P, power, "a line of scales", "power");
    word(P, two, "a line of scales", "two");
    return true;
}

void
sn_parse_bias(SnParser *P, SnTok kw, SnTok width, SnExpr *grid)
{
    SnDefArith *a = P->arith;

    sn_parse_once(P, kw, a->bias.src);
    a->bias = width.pos;
    a->bias_width = sn_parse_name(P, width);
    a->bias_grid = grid;
}

void
sn_parse_accumulate(SnParser *P, SnTok kw, SnTok width, SnTok mode, SnTok each)
{
    SnDefArith *a = P->arith;

    sn_parse_once(P, kw, a->acc.src);
    a->acc = width.pos;
    a->acc_width = sn_parse_name(P, width);
    a->acc_mode = sn_parse_name(P, mode);
    a->acc_mode_pos = mode.pos;
    a->acc_each = each.raw ? each.v.i : 0;
    a->acc_each_pos = each.pos;
}

void
sn_parse_no_row(SnParser *P, SnIds kinds, SnExpr *when, SnTok why)
{
    for (uint32_t i = 0; i < kinds.n; i++) {
        SnDefNoRow n = {.kind = kinds.s[i],
                        .pos = kinds.pos[i],
                        .when = when,
                        .why = why.str};
        SN_PUSH(P->a, P->arith->no, P->arith->nno, n);
    }
}

/* ---- rows ---- */

void
sn_parse_vectors(SnParser *P, SnTok kw, SnTok file)
{
    word(P, kw, "an arithmetic", "vectors");
    sn_parse_once(P, kw, P->arith->vectors_pos.src);
    P->arith->vectors = file.str;
    P->arith->vectors_pos = file.pos;
}

void
sn_parse_scale(SnParser *P, SnTok name, SnTok v, SnExpr *e)
{
    SnDefScale *s = SN_NEW(P->a, SnDefScale);

    s->name = sn_parse_name(P, name);
    s->pos = name.pos;
    s->v = sn_parse_name(P, v);
    s->e = e;
    if (P->own)
        s->own = *P->own;
    P->own = NULL;
    SN_PUSH(P->a, P->arith->scale, P->arith->nscale, s);
}

void
sn_parse_scale_own(SnParser *P, SnTok s, SnTok lo, SnTok hi)
{
    word(P, s, "a scale", "s");
    P->own = SN_NEW(P->a, SnDefRatio);
    P->own->pos = sn_parse_span(lo.pos, hi.pos);
    P->own->s_lo = lo.v.i;
    P->own->s_hi = hi.v.i;
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
