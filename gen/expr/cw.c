// SPDX-License-Identifier: Apache-2.0
/* Expressions as C: numbers, lists, operators, comparisons. */
#include "gen/expr/cw.h"

#include <string.h>

/* ---- numbers and lists ---- */

const char *
sn_cw_paren(const SnCw *w, SnCVal v, int min)
{
    if (w->place != SN_CP_RULE)
        min = P_PRIM;
    return v.prec < min ? sn_format(w->a, "(%s)", v.s) : v.s;
}

const char *
sn_cw_real(const SnCw *w, double v)
{
    return w->place == SN_CP_CONSTRAINT ? sn_lit_f64(w->a, v)
                                        : sn_lit_f32(w->a, v);
}

const char *
sn_cw_f32(const SnCw *w, SnCVal v, int min)
{
    if (v.lit)
        return sn_cw_real(w, v.num);
    if (sn_cw_is_real(v))
        return sn_cw_paren(w, v, min);
    return sn_format(w->a, "(float)%s", sn_cw_paren(w, v, P_UNARY));
}

/* An element of a list, whose reals are binary32. */
static const char *
element_of(const SnCw *w, SnCVal v, bool real)
{
    bool cast =
        real && (v.ty == SN_TY_INT || v.wide || w->place == SN_CP_CONSTRAINT);

    return cast ? sn_format(w->a, "(float)%s", sn_cw_paren(w, v, P_UNARY))
                : v.s;
}

const char *
sn_cw_elements(SnCw *w, const SnExpr *e, bool real, uint32_t *n)
{
    SnBuf b;
    SnExpr *const *k = e->ek == SN_E_LIST ? e->kid : NULL;
    double v;

    *n = k ? e->nkid : 1;
    sn_buf_init(&b, w->a);
    for (uint32_t i = 0; i < *n; i++) {
        const SnExpr *x = k ? k[i] : e;
        sn_putf(&b, "%s%s", i ? ", " : "",
                real && sn_const_num(x, &v) ? sn_lit_f32(w->a, v)
                                            : element_of(w, sn_cw(w, x), real));
    }
    return sn_buf_str(&b);
}

static const char *
list(SnCw *w, const SnExpr *e, bool real)
{
    const char *ty = real ? "SnReals" : "SnInts";
    uint32_t n;

    if (e->ek != SN_E_LIST)
        return sn_cw(w, e).s;
    if (e->nkid == 0)
        return sn_format(w->a, "(%s){ .n = 0 }", ty);
    const char *s = sn_cw_elements(w, e, real, &n);
    return sn_format(w->a, "(%s){ %u, (const %s[]){ %s } }", ty, n,
                     real ? "float" : "int64_t", s);
}

const char *
sn_cw_ints(SnCw *w, const SnExpr *e)
{
    return list(w, e, false);
}

const char *
sn_cw_reals(SnCw *w, const SnExpr *e)
{
    return list(w, e, true);
}

/* A bound of a clamp, which is a double. */
static const char *
range_end(SnCw *w, const SnExpr *e)
{
    double v;

    if (sn_const_num(e, &v))
        return sn_cw_real(w, v);
    SnCVal x = sn_cw(w, e);
    return x.ty == SN_TY_INT
               ? sn_format(w->a, "(double)%s", sn_cw_paren(w, x, P_UNARY))
               : x.s;
}

/* [lo, hi] with _ for an open side */
const char *
sn_cw_range(SnCw *w, const SnExpr *e)
{
    static const char *const side[] = {"lo", "hi"};
    SnBuf b;
    bool any = false;

    if (e->ek != SN_E_LIST)
        return sn_cw(w, e).s;
    sn_buf_init(&b, w->a);
    sn_puts(&b, "(SnRange){ ");
    for (uint32_t i = 0; i < 2 && i < e->nkid; i++) {
        if (e->kid[i]->ek == SN_E_WILD)
            continue;
        sn_putf(&b, "%s.%s = %s, .has_%s = true", any ? ", " : "", side[i],
                range_end(w, e->kid[i]), side[i]);
        any = true;
    }
    sn_puts(&b, any ? " }" : ".has_lo = false }");
    return sn_buf_str(&b);
}

static SnCVal
list_value(SnCw *w, const SnExpr *e)
{
    if (w->place == SN_CP_FORMULA)
        return w->none(w, e);
    if (e->ty == SN_TY_RANGE)
        return sn_cval(SN_TY_RANGE, sn_cw_range(w, e));
    return e->ty == SN_TY_REALS ? sn_cval(SN_TY_REALS, sn_cw_reals(w, e))
                                : sn_cval(SN_TY_INTS, sn_cw_ints(w, e));
}

static SnCVal
element(SnCw *w, const SnExpr *e)
{
    if (w->place == SN_CP_FORMULA)
        return w->none(w, e);
    SnCVal a = sn_cw(w, e->kid[0]), i = sn_cw(w, e->kid[1]);
    if (a.ty == SN_TY_INTS)
        return sn_cval(SN_TY_INT,
                       sn_format(w->a, "sn_int_at(%s, %s)", a.s, i.s));
    return sn_cval(SN_TY_REAL, sn_format(w->a, "sn_real_at(%s, %s)", a.s, i.s));
}

const char *
sn_cw_word(SnArena *a, const SnDefNode *n, const SnDefAttr *at,
           const char *word)
{
    return sn_format(a, "SN_%s_%s_%s", sn_upper(a, n->name),
                     sn_upper(a, at->name), sn_upper(a, word));
}

const char *
sn_cw_in_set(const SnCw *w, const char *t, const SnDefConc *c, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, w->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%ssn_type_is(%s, %s, %d)", i ? " || " : "", t,
                sn_elem_enum(c[i].elem), c[i].axis);
    return sn_buf_str(&b);
}

/* ---- comparisons ---- */

/* A test that can be negated by a prefix. */
static SnCVal
unless(SnCw *w, bool not_, const char *s)
{
    return (SnCVal){.s = not_ ? sn_format(w->a, "!%s", s) : s,
                    .prec = not_ && w->place == SN_CP_RULE ? P_UNARY : P_PRIM,
                    .ty = SN_TY_BOOL};
}

static SnCVal
infix(SnCw *w, SnOp op, int prec, const char *a, const char *b)
{
    return (SnCVal){.s = sn_format(w->a, "%s %s %s", a, sn_op_c(op), b),
                    .prec = prec,
                    .ty = SN_TY_BOOL};
}

static SnCVal
compare_types(SnCw *w, const SnExpr *e, SnCVal a, SnCVal b)
{
    bool ne = e->op == SN_OP_NE;
    SnCVal t = a.conc ? b : a, set = a.conc ? a : b;

    if (a.conc && b.conc)
        return w->none(w, e);
    if (!set.conc)
        return infix(w, e->op, P_EQ, a.s, b.s);
    const char *s = sn_cw_in_set(w, t.s, set.conc, set.nconc);
    if (set.nconc == 1)
        return unless(w, ne, s);
    return ne ? unless(w, true, sn_format(w->a, "(%s)", s))
              : (SnCVal){.s = s, .prec = P_OR, .ty = SN_TY_BOOL};
}

/* Lists: equal to a list, or every element compared with a number. */
static SnCVal
compare_lists(SnCw *w, const SnExpr *e, SnCVal a, SnCVal b)
{
    static const char *const name[] = {
        [SN_OP_EQ] = "EQ", [SN_OP_NE] = "NE", [SN_OP_LT] = "LT",
        [SN_OP_LE] = "LE", [SN_OP_GT] = "GT", [SN_OP_GE] = "GE"};
    bool real = a.ty == SN_TY_REALS;
    const SnExpr *k = e->kid[1];
    const char *s = b.s;
    double v;

    if (!real && e->op <= SN_OP_NE &&
        (k->fn == SN_FN_ONES || k->fn == SN_FN_ZEROS)) /* of any length */
        return unless(w, e->op == SN_OP_NE,
                      sn_format(w->a, "%s(%s, %s, %d)",
                                w->place == SN_CP_RULE ? "sn_ints_filled"
                                                       : "sn_inv_filled",
                                a.s, sn_cw(w, k->kid[0]).s,
                                k->fn == SN_FN_ONES));
    if (k->ek == SN_E_LIST || b.ty == SN_TY_INTS || b.ty == SN_TY_REALS)
        return unless(w, e->op == SN_OP_NE,
                      sn_format(w->a, "sn_%s_equal(%s, %s)",
                                real ? "reals" : "ints", a.s,
                                real ? sn_cw_reals(w, k) : sn_cw_ints(w, k)));
    if (real && !sn_cw_is_real(b) && !sn_const_num(k, &v))
        s = sn_format(w->a, "(double)%s", sn_cw_paren(w, b, P_UNARY));
    return sn_cval(SN_TY_BOOL, sn_format(w->a, "sn_%s(%s, SN_CMP_%s, %s)",
                                         real               ? "reals_all"
                                         : sn_cw_is_real(b) ? "ints_all_real"
                                                            : "ints_all",
                                         a.s, name[e->op], s));
}

static const char *
as_double(const SnCw *w, SnCVal v)
{
    return sn_format(w->a, "(double)%s", sn_cw_paren(w, v, P_UNARY));
}

static SnCVal
compare_numbers(SnCw *w, const SnExpr *e, SnCVal a, SnCVal b)
{
    int prec = e->op <= SN_OP_NE ? P_EQ : P_REL;
    const char *x = sn_cw_paren(w, a, P_ADD), *y = sn_cw_paren(w, b, P_ADD);

    if (w->place == SN_CP_FORMULA && (sn_cw_is_real(a) || sn_cw_is_real(b))) {
        x = sn_cw_f32(w, a, P_ADD);
        y = sn_cw_f32(w, b, P_ADD);
    }
    if (w->place == SN_CP_CONSTRAINT && sn_cw_is_real(a) != sn_cw_is_real(b)) {
        x = as_double(w, a);
        y = as_double(w, b);
    }
    SnCVal r = infix(w, e->op, prec, x, y);
    r.fixed = a.fixed && b.fixed;
    return r;
}

static SnCVal
compare(SnCw *w, const SnExpr *e)
{
    const SnExpr *k[2] = {e->kid[0], e->kid[1]};
    bool ne = e->op == SN_OP_NE;
    SnCVal v[2];

    for (int i = 0; i < 2; i++)
        v[i] = k[i]->ek == SN_E_LIST ? sn_cval(k[i]->ty, "0") : sn_cw(w, k[i]);
    if (w->hoist)
        w->hoist(w, v, 2);
    switch (v[0].ty) {
    case SN_TY_ETYPE:
        return compare_types(w, e, v[0], v[1]);
    case SN_TY_RANGE:
        if (k[1]->ek == SN_E_NAME && k[1]->word == SN_W_FULL)
            return unless(w, ne, sn_format(w->a, "sn_range_full(%s)", v[0].s));
        return unless(w, ne,
                      sn_format(w->a, "sn_range_equal(%s, %s)",
                                sn_cw_range(w, k[0]), sn_cw_range(w, k[1])));
    case SN_TY_INTS:
    case SN_TY_REALS:
        return compare_lists(w, e, v[0], v[1]);
    case SN_TY_STR:
        return infix(w, e->op, P_EQ,
                     sn_format(w->a, "strcmp(%s, %s)", v[0].s, v[1].s), "0");
    case SN_TY_SHAPE: /* of a graph they are one in memory */
        if (w->place == SN_CP_CONSTRAINT)
            return unless(
                w, ne, sn_format(w->a, "sn_inv_same(%s, %s)", v[0].s, v[1].s));
        break;
    default:
        break;
    }
    return compare_numbers(w, e, v[0], v[1]);
}

static SnCVal
in(SnCw *w, const SnExpr *e)
{
    SnCVal a = sn_cw(w, e->kid[0]);
    SnBuf b;

    sn_buf_init(&b, w->a);
    for (uint32_t i = 1; i < e->nkid; i++) {
        SnExpr *pair[] = {e->kid[0], e->kid[i]};
        SnExpr q = {.ek = SN_E_BIN,
                    .op = SN_OP_EQ,
                    .pos = e->pos,
                    .nkid = 2,
                    .kid = pair};
        SnCVal x = compare(w, &q);
        sn_putf(&b, "%s%s", i > 1 ? " || " : "", sn_cw_paren(w, x, P_OR));
    }
    bool many =
        e->nkid > 2 || (a.ty == SN_TY_ETYPE && strstr(sn_buf_str(&b), " || "));
    return (SnCVal){.s = sn_buf_str(&b),
                    .prec = many                  ? P_OR
                            : a.ty == SN_TY_ETYPE ? P_PRIM
                                                  : P_EQ,
                    .ty = SN_TY_BOOL};
}

/* ---- operators ---- */

static SnCVal
whole(SnCw *w, const SnExpr *e, SnOp op, const char *a, const char *b)
{
    static const char *const fn[] = {"add", "sub", "mul", "div"};

    return sn_cval(SN_TY_INT,
                   sn_cw_int(w, e, fn[op], sn_format(w->a, "%s, %s", a, b)));
}

static SnCVal
arith(SnCw *w, const SnExpr *e)
{
    SnCVal v[2] = {sn_cw(w, e->kid[0]), sn_cw(w, e->kid[1])}, r;
    bool formula = w->place == SN_CP_FORMULA;
    bool fixed = v[0].fixed && v[1].fixed;
    double n;

    if (w->hoist)
        w->hoist(w, v, 2);
    bool real = sn_cw_is_real(v[0]) || sn_cw_is_real(v[1]);
    if (w->place == SN_CP_CONSTRAINT && (real || e->op == SN_OP_DIV)) {
        r = infix(w, e->op, P_MUL, as_double(w, v[0]), as_double(w, v[1]));
        r.ty = SN_TY_REAL;
        return r;
    }
    if (!formula && real && sn_const_num(e, &n))
        return sn_cval(SN_TY_REAL, sn_cw_real(w, n));
    /* in a formula a quotient of numbers and attributes is real */
    if (real ||
        (e->op == SN_OP_DIV && (formula ? fixed : e->ty == SN_TY_REAL))) {
        int p = e->op <= SN_OP_SUB ? P_ADD : P_MUL;
        const char *x = sn_cw_f32(w, v[0], p), *y = sn_cw_f32(w, v[1], p + 1);
        r = w->apart && e->op == SN_OP_MUL
                ? sn_cval(SN_TY_REAL, sn_format(w->a, "sn_mulf(%s, %s)", x, y))
                : infix(w, e->op, p, x, y);
        r.ty = SN_TY_REAL;
    } else {
        r = whole(w, e, e->op, v[0].s, v[1].s);
    }
    r.fixed = fixed;
    return r;
}

static SnCVal
logic(SnCw *w, const SnExpr *e)
{
    int p = e->op == SN_OP_AND ? P_AND : P_OR;
    SnCVal v[2] = {sn_cw(w, e->kid[0]), sn_cw(w, e->kid[1])};

    if (w->hoist)
        w->hoist(w, v, 2);
    /* gcc warns about && inside || without brackets. */
    SnCVal r =
        infix(w, e->op, p, sn_cw_paren(w, v[0], v[0].prec == p ? p : P_EQ),
              sn_cw_paren(w, v[1], v[1].prec == p ? p : P_EQ));
    r.fixed = v[0].fixed && v[1].fixed;
    return r;
}

static SnCVal
binary(SnCw *w, const SnExpr *e)
{
    if (e->op >= SN_OP_AND)
        return logic(w, e);
    return e->op >= SN_OP_EQ ? compare(w, e) : arith(w, e);
}

/* The part of a test's text before this end, or NULL if it ends otherwise. */
static const char *
before(SnCw *w, const SnExpr *e, SnCVal x, const char *end)
{
    const char *at = strstr(x.s, end);

    return e->ek == SN_E_CALL && at && x.prec == P_EQ
               ? sn_format(w->a, "%.*s", (int)(at - x.s), x.s)
               : NULL;
}

SnCVal
sn_cw_not(SnCw *w, const SnExpr *e)
{
    if (e->ek == SN_E_NOT)
        return sn_cw(w, e->kid[0]);
    bool cmp = e->ek == SN_E_BIN && e->op >= SN_OP_EQ && e->op <= SN_OP_GE;
    bool eq = cmp && e->op <= SN_OP_NE;
    if (cmp &&
        (eq || (e->kid[0]->ty == SN_TY_INT && e->kid[1]->ty == SN_TY_INT))) {
        SnExpr q = *e;
        q.op = sn_op_opposite(e->op);
        SnCVal x = sn_cw(w, e->kid[0]);
        if (x.ty != SN_TY_INTS && x.ty != SN_TY_REALS)
            return compare(w, &q);
    }
    SnCVal x = sn_cw(w, e);
    const char *ne = before(w, e, x, " != 0"), *eq0 = before(w, e, x, " == 0");
    if (ne)
        return unless(w, true, ne);
    if (eq0)
        return sn_cval(SN_TY_BOOL, eq0);
    if (x.s[0] == '!' && x.prec == P_UNARY)
        return sn_cval(SN_TY_BOOL, x.s + 1);
    return (SnCVal){.s = sn_format(w->a, "!%s", sn_cw_paren(w, x, P_UNARY)),
                    .prec = P_UNARY,
                    .ty = SN_TY_BOOL};
}

static SnCVal
unary(SnCw *w, const SnExpr *e)
{
    bool formula = w->place == SN_CP_FORMULA;
    int64_t i;
    double n;

    if (e->ek == SN_E_NOT && !formula)
        return sn_cw_not(w, e->kid[0]);
    SnCVal v = sn_cw(w, e->kid[0]), r = v;
    if (w->hoist)
        w->hoist(w, &v, 1);
    r.prec = P_UNARY;
    r.dom = NULL;
    if (e->ek == SN_E_NOT) {
        r.ty = SN_TY_BOOL;
        r.s = sn_format(w->a, "!%s", sn_cw_paren(w, v, P_UNARY));
        r.lit = false;
    } else if (v.lit) {
        r.num = -v.num;
        r.s = sn_format(w->a, "(-%s)", v.s);
        r.prec = P_PRIM;
    } else if (!formula && !sn_cw_is_real(v) && sn_expr_int(e, &i)) {
        r.s = sn_lit_i64(w->a, i);
    } else if (!formula && sn_cw_is_real(v) && sn_const_num(e, &n)) {
        r.s = sn_cw_real(w, n);
    } else if (v.ty == SN_TY_INT) {
        r = whole(w, e, SN_OP_SUB, "0", v.s);
        r.fixed = v.fixed;
    } else {
        r.s = sn_format(w->a, "-%s", sn_cw_paren(w, v, P_PRIM));
    }
    return r;
}

SnCVal
sn_cw(SnCw *w, const SnExpr *e)
{
    SnCVal v;

    if (w->own(w, e, &v))
        return v;
    switch (e->ek) {
    case SN_E_INT:
        v = sn_cval(SN_TY_INT, sn_lit_i64(w->a, e->i));
        v.lit = w->place == SN_CP_FORMULA;
        v.num = (double)e->i;
        v.fixed = true;
        return v;
    case SN_E_REAL:
        v = sn_cval(SN_TY_REAL, sn_cw_real(w, e->r));
        v.lit = w->place == SN_CP_FORMULA;
        v.num = e->r;
        v.fixed = true;
        return v;
    case SN_E_STR:
        return sn_cval(SN_TY_STR, sn_lit_str(w->a, e->s));
    case SN_E_BOOL:
        v = sn_cval(SN_TY_BOOL, e->i ? "true" : "false");
        v.fixed = true;
        return v;
    case SN_E_LIST:
        return list_value(w, e);
    case SN_E_INDEX:
        return element(w, e);
    case SN_E_CALL:
        return sn_cw_call(w, e);
    case SN_E_NEG:
    case SN_E_NOT:
        return unary(w, e);
    case SN_E_IN:
        return in(w, e);
    case SN_E_BIN:
        return binary(w, e);
    case SN_E_NAME:
    case SN_E_MEMBER:
    case SN_E_WILD:
    case SN_E_ARG:
    case SN_E_RATIO:
        break;
    }
    return w->none(w, e);
}
