// SPDX-License-Identifier: Apache-2.0
/* Expressions of rules in C: operators, comparisons, attribute values. */
#include "gen/rule/rule_expr.h"

#include <string.h>

SnRuleExpr
sn_rule_expr_none(SnRuleGen *cx, const SnExpr *e)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_put_expr(&b, e);
    sn_error(cx->d, e->pos, "SN104", "'%s' has no value here", sn_buf_str(&b));
    return sn_rule_expr_prim(SN_TY_NONE, "0");
}

const char *
sn_rule_expr_paren(SnRuleGen *cx, SnRuleExpr x, int min)
{
    return x.prec < min ? sn_format(cx->a, "(%s)", x.s) : x.s;
}

/* ---- numbers ---- */

const char *
sn_rule_expr_f32(SnRuleGen *cx, double v)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_emit_f32(&b, v);
    return sn_buf_str(&b);
}

static const char *
put_i64(SnRuleGen *cx, int64_t v)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_emit_i64(&b, v);
    return sn_buf_str(&b);
}

const char *
sn_rule_expr_elements(SnRuleGen *cx, const SnExpr *e, bool real, uint32_t *n)
{
    SnBuf b;
    SnExpr *const *k = e->ek == SN_E_LIST ? e->kid : NULL;
    double v;

    *n = k ? e->nkid : 1;
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < *n; i++) {
        const SnExpr *x = k ? k[i] : e;
        sn_puts(&b, i ? ", " : "");
        if (real && sn_const_num(x, &v))
            sn_emit_f32(&b, v);
        else
            sn_puts(&b, sn_rule_expr(cx, x).s);
    }
    return sn_buf_str(&b);
}

/* ---- comparisons ---- */

static const char *const c_op[] = {
    "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};

static const char *
ints(SnRuleGen *cx, const SnExpr *e)
{
    uint32_t n;

    if (e->ek != SN_E_LIST)
        return sn_rule_expr(cx, e).s;
    if (e->nkid == 0)
        return "(SnInts){ .n = 0 }";
    const char *s = sn_rule_expr_elements(cx, e, false, &n);
    return sn_format(cx->a, "(SnInts){ %u, (const int64_t[]){ %s } }", n, s);
}

static const char *
reals(SnRuleGen *cx, const SnExpr *e)
{
    uint32_t n;

    if (e->ek != SN_E_LIST)
        return sn_rule_expr(cx, e).s;
    if (e->nkid == 0)
        return "(SnReals){ .n = 0 }";
    const char *s = sn_rule_expr_elements(cx, e, true, &n);
    return sn_format(cx->a, "(SnReals){ %u, (const float[]){ %s } }", n, s);
}

/* A test that may be negated in front. */
static SnRuleExpr
unless(SnRuleGen *cx, bool not_, const char *s)
{
    return (SnRuleExpr){.s = not_ ? sn_format(cx->a, "!%s", s) : s,
                        .prec = not_ ? P_UNARY : P_PRIM,
                        .ty = SN_TY_BOOL};
}

static SnRuleExpr
compare_types(SnRuleGen *cx, const SnExpr *e, SnRuleExpr a, SnRuleExpr b)
{
    bool ne = e->op == SN_OP_NE;
    SnRuleExpr t = a.conc ? b : a, set = a.conc ? a : b;

    if (a.conc && b.conc)
        return sn_rule_expr_none(cx, e);
    if (set.conc) {
        const char *s = sn_rule_in_set(cx, t.s, set.conc, set.nconc);
        if (set.nconc == 1)
            return unless(cx, ne, s);
        return ne ? unless(cx, true, sn_format(cx->a, "(%s)", s))
                  : (SnRuleExpr){.s = s, .prec = P_OR, .ty = SN_TY_BOOL};
    }
    return (SnRuleExpr){.s =
                            sn_format(cx->a, "%s %s %s", a.s, c_op[e->op], b.s),
                        .prec = P_EQ,
                        .ty = SN_TY_BOOL};
}

static bool
is_full(const SnExpr *e)
{
    return e->ek == SN_E_NAME && e->word == SN_W_FULL;
}

/* Lists: equal to a list, or every element compared with a number. */
static SnRuleExpr
compare_lists(SnRuleGen *cx, const SnExpr *e, SnRuleExpr a, SnRuleExpr b)
{
    bool real = a.ty == SN_TY_REALS;
    const SnExpr *k = e->kid[1];
    bool whole =
        k->ek == SN_E_LIST || b.ty == SN_TY_INTS || b.ty == SN_TY_REALS;

    if (whole)
        return unless(
            cx, e->op == SN_OP_NE,
            real ? sn_format(cx->a, "sn_reals_equal(%s, %s)", a.s, reals(cx, k))
                 : sn_format(cx->a, "sn_ints_equal(%s, %s)", a.s, ints(cx, k)));
    static const char *const name[] = {
        [SN_OP_EQ] = "EQ", [SN_OP_NE] = "NE", [SN_OP_LT] = "LT",
        [SN_OP_LE] = "LE", [SN_OP_GT] = "GT", [SN_OP_GE] = "GE"};
    const char *s = b.s;
    double v;
    if (real && !sn_rule_expr_real(b) && !sn_const_num(k, &v))
        s = sn_format(cx->a, "(double)%s", sn_rule_expr_paren(cx, b, P_UNARY));
    return sn_rule_expr_prim(SN_TY_BOOL,
                             sn_format(cx->a, "sn_%s(%s, SN_CMP_%s, %s)",
                                       real                   ? "reals_all"
                                       : sn_rule_expr_real(b) ? "ints_all_real"
                                                              : "ints_all",
                                       a.s, name[e->op], s));
}

static SnRuleExpr
rx_compare(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *ka = e->kid[0], *kb = e->kid[1];
    bool ne = e->op == SN_OP_NE;

    SnRuleExpr a = ka->ek == SN_E_LIST ? sn_rule_expr_prim(ka->ty, "0")
                                       : sn_rule_expr(cx, ka);
    SnRuleExpr b = kb->ek == SN_E_LIST ? sn_rule_expr_prim(kb->ty, "0")
                                       : sn_rule_expr(cx, kb);
    if (a.ty == SN_TY_ETYPE)
        return compare_types(cx, e, a, b);
    if (a.ty == SN_TY_RANGE || b.ty == SN_TY_RANGE) {
        if (is_full(kb))
            return unless(cx, ne, sn_format(cx->a, "sn_range_full(%s)", a.s));
        return unless(cx, ne,
                      sn_format(cx->a, "sn_range_equal(%s, %s)",
                                sn_rule_expr_range(cx, ka),
                                sn_rule_expr_range(cx, kb)));
    }
    if (a.ty == SN_TY_INTS || a.ty == SN_TY_REALS)
        return compare_lists(cx, e, a, b);
    if (a.ty == SN_TY_STR)
        return (SnRuleExpr){
            .s = sn_format(cx->a, "strcmp(%s, %s) %s 0", a.s, b.s, c_op[e->op]),
            .prec = P_EQ,
            .ty = SN_TY_BOOL};
    int p = e->op == SN_OP_EQ || ne ? P_EQ : P_REL;
    return (SnRuleExpr){
        .s = sn_format(cx->a, "%s %s %s", sn_rule_expr_paren(cx, a, P_ADD),
                       c_op[e->op], sn_rule_expr_paren(cx, b, P_ADD)),
        .prec = p,
        .ty = SN_TY_BOOL};
}

static SnRuleExpr
rx_in(SnRuleGen *cx, const SnExpr *e)
{
    SnRuleExpr a = sn_rule_expr(cx, e->kid[0]);
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 1; i < e->nkid; i++) {
        SnExpr *pair[] = {e->kid[0], e->kid[i]};
        SnExpr q = {.ek = SN_E_BIN,
                    .op = SN_OP_EQ,
                    .pos = e->pos,
                    .nkid = 2,
                    .kid = pair};
        SnRuleExpr x = rx_compare(cx, &q);
        sn_putf(&b, "%s%s", i > 1 ? " || " : "",
                sn_rule_expr_paren(cx, x, P_OR));
    }
    bool many =
        e->nkid > 2 || (a.ty == SN_TY_ETYPE && strstr(sn_buf_str(&b), " || "));
    return (SnRuleExpr){.s = sn_buf_str(&b),
                        .prec = many                  ? P_OR
                                : a.ty == SN_TY_ETYPE ? P_PRIM
                                                      : P_EQ,
                        .ty = SN_TY_BOOL};
}

/* ---- operators ---- */

static SnRuleExpr
rx_arith(SnRuleGen *cx, const SnExpr *e)
{
    static const char *const fn[] = {"add", "sub", "mul", "div"};
    SnRuleExpr a = sn_rule_expr(cx, e->kid[0]), b = sn_rule_expr(cx, e->kid[1]);
    double v;

    if (sn_const_num(e, &v) && (sn_rule_expr_real(a) || sn_rule_expr_real(b)))
        return sn_rule_expr_prim(SN_TY_REAL, sn_rule_expr_f32(cx, v));
    if (!sn_rule_expr_real(a) &&
        !sn_rule_expr_real(b)) /* sizes of a model may be anything */
        return sn_rule_expr_prim(
            SN_TY_INT,
            sn_format(cx->a, "sn_int_%s(%s, %s)", fn[e->op], a.s, b.s));
    int p = e->op <= SN_OP_SUB ? P_ADD : P_MUL;
    const char *l =
        sn_rule_expr_real(a)
            ? sn_rule_expr_paren(cx, a, p)
            : sn_format(cx->a, "(float)%s", sn_rule_expr_paren(cx, a, P_UNARY));
    const char *r =
        sn_rule_expr_real(b)
            ? sn_rule_expr_paren(cx, b, p + 1)
            : sn_format(cx->a, "(float)%s", sn_rule_expr_paren(cx, b, P_UNARY));
    return (SnRuleExpr){.s = sn_format(cx->a, "%s %s %s", l, c_op[e->op], r),
                        .prec = p,
                        .ty = SN_TY_REAL};
}

static SnRuleExpr
rx_logic(SnRuleGen *cx, const SnExpr *e)
{
    int p = e->op == SN_OP_AND ? P_AND : P_OR;
    SnRuleExpr a = sn_rule_expr(cx, e->kid[0]), b = sn_rule_expr(cx, e->kid[1]);

    /* gcc wants brackets around && inside ||. */
    return (SnRuleExpr){
        .s = sn_format(cx->a, "%s %s %s",
                       sn_rule_expr_paren(cx, a, a.prec == p ? p : P_EQ),
                       c_op[e->op],
                       sn_rule_expr_paren(cx, b, b.prec == p ? p : P_EQ)),
        .prec = p,
        .ty = SN_TY_BOOL};
}

static SnRuleExpr
negated(SnRuleGen *cx, const SnExpr *e)
{
    static const SnOp flip[] = {
        [SN_OP_EQ] = SN_OP_NE, [SN_OP_NE] = SN_OP_EQ, [SN_OP_LT] = SN_OP_GE,
        [SN_OP_LE] = SN_OP_GT, [SN_OP_GT] = SN_OP_LE, [SN_OP_GE] = SN_OP_LT};

    if (e->ek == SN_E_NOT)
        return sn_rule_expr(cx, e->kid[0]);
    bool cmp = e->ek == SN_E_BIN && e->op >= SN_OP_EQ && e->op <= SN_OP_GE;
    bool eq = cmp && e->op <= SN_OP_NE;
    if (cmp &&
        (eq || (e->kid[0]->ty == SN_TY_INT && e->kid[1]->ty == SN_TY_INT))) {
        SnExpr q = *e;
        q.op = flip[e->op];
        SnRuleExpr x = sn_rule_expr(cx, e->kid[0]);
        if (x.ty != SN_TY_INTS && x.ty != SN_TY_REALS)
            return rx_compare(cx, &q);
    }
    SnRuleExpr x = sn_rule_expr(cx, e);
    const char *ne = e->ek == SN_E_CALL ? strstr(x.s, " != 0") : NULL;
    const char *eq0 = e->ek == SN_E_CALL ? strstr(x.s, " == 0") : NULL;
    if (ne && x.prec == P_EQ)
        return (SnRuleExpr){.s =
                                sn_format(cx->a, "!%.*s", (int)(ne - x.s), x.s),
                            .prec = P_UNARY,
                            .ty = SN_TY_BOOL};
    if (eq0 && x.prec == P_EQ)
        return (SnRuleExpr){.s =
                                sn_format(cx->a, "%.*s", (int)(eq0 - x.s), x.s),
                            .prec = P_PRIM,
                            .ty = SN_TY_BOOL};
    if (x.s[0] == '!' && x.prec == P_UNARY)
        return sn_rule_expr_prim(SN_TY_BOOL, x.s + 1);
    return (SnRuleExpr){
        .s = sn_format(cx->a, "!%s", sn_rule_expr_paren(cx, x, P_UNARY)),
        .prec = P_UNARY,
        .ty = SN_TY_BOOL};
}

static SnRuleExpr
rx_index(SnRuleGen *cx, const SnExpr *e)
{
    SnRuleExpr a = sn_rule_expr(cx, e->kid[0]), i = sn_rule_expr(cx, e->kid[1]);

    if (a.ty == SN_TY_INTS)
        return sn_rule_expr_prim(
            SN_TY_INT, sn_format(cx->a, "sn_int_at(%s, %s)", a.s, i.s));
    return sn_rule_expr_prim(SN_TY_REAL,
                             sn_format(cx->a, "sn_real_at(%s, %s)", a.s, i.s));
}

SnRuleExpr
sn_rule_expr(SnRuleGen *cx, const SnExpr *e)
{
    SnBuf b;

    switch (e->ek) {
    case SN_E_INT:
        return sn_rule_expr_prim(SN_TY_INT, put_i64(cx, e->i));
    case SN_E_REAL:
        return sn_rule_expr_prim(SN_TY_REAL, sn_rule_expr_f32(cx, e->r));
    case SN_E_STR:
        sn_buf_init(&b, cx->a);
        sn_emit_str(&b, e->s);
        return sn_rule_expr_prim(SN_TY_STR, sn_buf_str(&b));
    case SN_E_BOOL:
        return sn_rule_expr_prim(SN_TY_BOOL, e->i ? "true" : "false");
    case SN_E_NAME:
        return sn_rule_expr_name(cx, e);
    case SN_E_LIST:
        if (e->ty == SN_TY_RANGE)
            return sn_rule_expr_prim(SN_TY_RANGE,
                                     sn_rule_expr_range_list(cx, e));
        if (e->ty == SN_TY_REALS)
            return sn_rule_expr_prim(SN_TY_REALS, reals(cx, e));
        return sn_rule_expr_prim(SN_TY_INTS, ints(cx, e));
    case SN_E_MEMBER:
        return sn_rule_expr_member(cx, e);
    case SN_E_INDEX:
        return rx_index(cx, e);
    case SN_E_CALL:
        return sn_rule_expr_call(cx, e);
    case SN_E_NEG: {
        SnRuleExpr x = sn_rule_expr(cx, e->kid[0]);
        double v;
        if (sn_const_num(e, &v))
            return (SnRuleExpr){.s = sn_rule_expr_real(x)
                                         ? sn_rule_expr_f32(cx, v)
                                         : put_i64(cx, (int64_t)v),
                                .prec = P_UNARY,
                                .ty = x.ty};
        if (x.ty == SN_TY_INT)
            return sn_rule_expr_prim(
                SN_TY_INT, sn_format(cx->a, "sn_int_sub(0, %s)", x.s));
        return (SnRuleExpr){
            .s = sn_format(cx->a, "-%s", sn_rule_expr_paren(cx, x, P_PRIM)),
            .prec = P_UNARY,
            .ty = x.ty};
    }
    case SN_E_NOT:
        return negated(cx, e->kid[0]);
    case SN_E_IN:
        return rx_in(cx, e);
    case SN_E_BIN:
        if (e->op >= SN_OP_AND)
            return rx_logic(cx, e);
        return e->op >= SN_OP_EQ ? rx_compare(cx, e) : rx_arith(cx, e);
    case SN_E_WILD:
    case SN_E_ARG:
        break;
    }
    return sn_rule_expr_none(cx, e);
}

const char *
sn_rule_cond(SnRuleGen *cx, const SnExpr *e, bool negate)
{
    return negate ? negated(cx, e).s : sn_rule_expr(cx, e).s;
}

/* ---- attribute values ---- */

static const char *
word_value(SnRuleGen *cx, const SnDefNode *n, const SnDefAttr *at,
           const SnExpr *e)
{
    for (uint32_t i = 0; e->ek == SN_E_NAME && i < at->nword; i++)
        if (!strcmp(at->word[i], e->s))
            return sn_format(cx->a, "SN_%s_%s_%s", sn_upper(cx->a, n->name),
                             sn_upper(cx->a, at->name), sn_upper(cx->a, e->s));
    return sn_rule_expr(cx, e).s;
}

const char *
sn_rule_value(SnRuleGen *cx, const SnDefNode *n, const SnDefAttr *at,
              const SnExpr *e)
{
    SnRuleExpr x;
    double v;

    switch (at->ty) {
    case SN_AT_RANGE:
        return sn_rule_expr_range(cx, e);
    case SN_AT_TYPE:
        return sn_rule_type(cx, e);
    case SN_AT_INTS:
        return ints(cx, e);
    case SN_AT_REALS:
        return reals(cx, e);
    case SN_AT_ENUM:
        return word_value(cx, n, at, e);
    case SN_AT_REAL:
        if (sn_const_num(e, &v))
            return sn_rule_expr_f32(cx, v);
        x = sn_rule_expr(cx, e);
        return sn_rule_expr_real(x)
                   ? x.s
                   : sn_format(cx->a, "(float)%s",
                               sn_rule_expr_paren(cx, x, P_UNARY));
    case SN_AT_INT:
    case SN_AT_BOOL:
    case SN_AT_STR:
        break;
    }
    return sn_rule_expr(cx, e).s;
}
