// SPDX-License-Identifier: Apache-2.0
/* Formulas as C expressions. */
#include "gen/node/formula.h"

#include <string.h>

SnVal
sn_formula_refuse(SnFormula *f, const char *why)
{
    f->failed = true;
    if (f->why == NULL)
        f->why = why;
    return (SnVal){.s = "0", .ct = SN_CT_INT, .atom = true, .fixed = true};
}

bool
sn_is_call(const SnExpr *e, const char *fn, uint32_t nkid)
{
    return e->ek == SN_E_CALL && e->nkid == nkid && !strcmp(e->s, fn);
}

static bool
same_expr(const SnExpr *a, const SnExpr *b)
{
    if (a->ek != b->ek || a->nkid != b->nkid || a->i != b->i || a->r != b->r)
        return false;
    if (a->ek == SN_E_BIN && a->op != b->op)
        return false;
    if ((a->s == NULL) != (b->s == NULL) || (a->s && strcmp(a->s, b->s)))
        return false;
    for (uint32_t i = 0; i < a->nkid; i++)
        if (!same_expr(a->kid[i], b->kid[i]))
            return false;
    return true;
}

/* ---- conversions ---- */

static const char *
paren(SnFormula *f, SnVal v)
{
    return v.atom ? v.s : sn_format(f->a, "(%s)", v.s);
}

const char *
sn_formula_f32(SnFormula *f, SnVal v)
{
    if (v.lit) {
        SnBuf b;
        sn_buf_init(&b, f->a);
        sn_emit_f32(&b, v.num);
        return sn_buf_str(&b);
    }
    if (v.ct == SN_CT_F32)
        return paren(f, v);
    return sn_format(f->a, "(float)%s", paren(f, v));
}

/* A fixed value that is more than a name gets a variable before the loops. */
static SnVal
hoist(SnFormula *f, SnVal v)
{
    static const char *const ty[] = {"", "float", "int64_t", "bool"};

    if (!v.fixed || v.atom || v.lit)
        return v;
    const char *name = sn_format(f->a, "k%u", f->nhoist++);
    sn_putf(&f->pre, "const %s %s = %s;\n", ty[v.ct], name, v.s);
    v.s = name;
    v.atom = true;
    return v;
}

static void
hoist_each(SnFormula *f, SnVal *v, uint32_t n)
{
    bool all = true;

    for (uint32_t i = 0; i < n; i++)
        all = all && v[i].fixed;
    for (uint32_t i = 0; !all && i < n; i++)
        v[i] = hoist(f, v[i]);
}

/* ---- operators ---- */

static SnVal
attr_value(SnFormula *f, const SnDefAttr *a)
{
    SnVal v = {.s = sn_format(f->a, "at->%s", sn_field(f->a, a->name)),
               .fixed = true,
               .atom = true};

    switch (a->ty) {
    case SN_AT_REAL:
        v.ct = SN_CT_F32;
        return v;
    case SN_AT_INT:
    case SN_AT_ENUM:
        v.ct = SN_CT_INT;
        return v;
    case SN_AT_BOOL:
        v.ct = SN_CT_BOOL;
        return v;
    default:
        return sn_formula_refuse(f, "an attribute of this type is no number");
    }
}

static SnVal
name_value(SnFormula *f, const SnExpr *e)
{
    const SnDefPort *p = sn_formula_port(f, e);
    const SnDefAttr *a = p ? NULL : sn_def_attr(f->n, e->s);

    if (p)
        return sn_formula_raw(f, p);
    if (a)
        return attr_value(f, a);
    if (e->rk == SN_R_WORD && e->ref) {
        const SnDefAttr *w = e->ref;
        return (SnVal){
            .s = sn_format(f->a, "SN_%s_%s_%s", sn_upper(f->a, f->n->name),
                           sn_upper(f->a, w->name), sn_upper(f->a, e->s)),
            .ct = SN_CT_INT,
            .atom = true,
            .fixed = true};
    }
    return sn_formula_refuse(f, "a name that is no operand and no attribute");
}

static SnVal
arith(SnFormula *f, const SnExpr *e, SnVal *v)
{
    static const char *const op[] = {"+", "-", "*", "/"};
    static const char *const fn[] = {"sn_iadd", "sn_isub", "sn_imul",
                                     "sn_idiv"};
    bool real = v[0].ct == SN_CT_F32 || v[1].ct == SN_CT_F32;
    SnVal r = {.fixed = v[0].fixed && v[1].fixed};

    /* a quotient of numbers and attributes is a real one */
    if (e->op == SN_OP_DIV && r.fixed)
        real = true;
    if (real) {
        r.ct = SN_CT_F32;
        r.s = sn_format(f->a, "%s %s %s", sn_formula_f32(f, v[0]), op[e->op],
                        sn_formula_f32(f, v[1]));
    } else {
        r.ct = SN_CT_INT;
        r.atom = true;
        r.s = sn_format(f->a, "%s(%s, %s)", fn[e->op], v[0].s, v[1].s);
    }
    return r;
}

static SnVal
binary(SnFormula *f, const SnExpr *e)
{
    static const char *const cmp[] = {"==", "!=", "<", "<=", ">", ">="};
    SnVal v[2], r = {.ct = SN_CT_BOOL};

    v[0] = sn_formula_expr(f, e->kid[0]);
    v[1] = sn_formula_expr(f, e->kid[1]);
    r.fixed = v[0].fixed && v[1].fixed;
    hoist_each(f, v, 2);
    if (e->op <= SN_OP_DIV)
        return arith(f, e, v);
    if (e->op == SN_OP_AND || e->op == SN_OP_OR)
        r.s = sn_format(f->a, "%s %s %s", paren(f, v[0]),
                        e->op == SN_OP_AND ? "&&" : "||", paren(f, v[1]));
    else if (v[0].ct == SN_CT_F32 || v[1].ct == SN_CT_F32)
        r.s = sn_format(f->a, "%s %s %s", sn_formula_f32(f, v[0]),
                        cmp[e->op - SN_OP_EQ], sn_formula_f32(f, v[1]));
    else
        r.s = sn_format(f->a, "%s %s %s", paren(f, v[0]), cmp[e->op - SN_OP_EQ],
                        paren(f, v[1]));
    return r;
}

static SnVal
unary(SnFormula *f, const SnExpr *e)
{
    SnVal v = hoist(f, sn_formula_expr(f, e->kid[0]));
    SnVal r = {.ct = v.ct, .fixed = v.fixed};

    if (e->ek == SN_E_NOT) {
        r.ct = SN_CT_BOOL;
        r.s = sn_format(f->a, "!%s", paren(f, v));
    } else if (v.lit) {
        r = v;
        r.num = -v.num;
        r.s = sn_format(f->a, "(-%s)", v.s);
    } else if (v.ct == SN_CT_INT) {
        r.s = sn_format(f->a, "sn_isub(0, %s)", v.s);
        r.atom = true;
    } else {
        r.s = sn_format(f->a, "-%s", paren(f, v));
    }
    return r;
}

/* ---- calls ---- */

static SnVal reduce(SnFormula *f, const SnExpr *e);

static SnVal
deq(SnFormula *f, const SnExpr *e)
{
    const SnExpr *x = e->kid[0];
    const SnDefPort *p = sn_formula_port(f, x);
    SnDefConc out = sn_formula_out(f);
    SnMid m;

    if (p)
        return sn_formula_deq(f, p);
    if (!sn_conc_code(out))
        return sn_formula_expr(f, x); /* d and q stand for nothing */
    SnVal v = {.ct = SN_CT_F32, .atom = true};
    if (x->ek == SN_E_CALL && x->fn == SN_FN_Q && x->nkid > 1) {
        const char *code = sn_formula_kept(f, x, &m);
        v.s = sn_format(f->a, "sn_dequant(%s, %s, %s)", code, m.scale, m.zp);
    } else {
        v = sn_formula_expr(f, x);
        const char *ys = sn_formula_scale(f, f->n->out[f->res]);
        const char *yz = sn_formula_zp(f, f->n->out[f->res]);
        v.s = sn_format(f->a, "sn_dequant((int32_t)%s, %s, %s)", paren(f, v),
                        ys, yz);
    }
    v.ct = SN_CT_F32;
    v.atom = true;
    v.lit = v.fixed = false;
    return v;
}

const char *
sn_formula_kept(SnFormula *f, const SnExpr *q, SnMid *m)
{
    if (!sn_formula_mid(f, q, m)) {
        *m = (SnMid){"0", "0", "0"};
        return sn_formula_refuse(f, "q(e, t): t is no type attribute").s;
    }
    for (uint32_t i = 0; i < f->nkept; i++)
        if (f->kept[i].scope == f->nscope && same_expr(f->kept[i].e, q))
            return f->kept[i].name;
    SnVal v = sn_formula_expr(f, q);
    if (f->nkept == 4)
        return sn_formula_refuse(f, "more than 4 kept roundings").s;
    const char *name =
        sn_format(f->a, "q_%s%s", q->kid[1]->s,
                  f->nkept ? sn_format(f->a, "%u", f->nkept) : "");
    sn_putf(f->elem, "const int32_t %s = %s;\n", name, v.s);
    f->kept[f->nkept].e = q;
    f->kept[f->nkept].scope = f->nscope;
    f->kept[f->nkept++].name = name;
    return name;
}

/* q(e, t, c): a rounding to type attribute t, kept. */
static SnVal
quant_mid(SnFormula *f, const SnExpr *e)
{
    SnVal v;
    SnMid m;

    if (!sn_formula_mid(f, e, &m))
        return sn_formula_refuse(f, "q(e, t): t is no type attribute");
    if (sn_row_requant(f, e->kid[0], m.zp, m.lim,
                       sn_format(f->a, "at->%s", sn_field(f->a, e->kid[1]->s)),
                       sn_format(f->a, "%s_mul", e->kid[1]->s), &v))
        return v;
    v = sn_formula_expr(f, e->kid[0]);
    v = (SnVal){.s = sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)",
                               sn_formula_f32(f, v), m.scale, m.zp, m.lim,
                               m.lim),
                .ct = SN_CT_INT,
                .atom = true,
                .fixed = v.fixed};
    sn_row_select(f, e->kid[0], &m, &v);
    return v;
}

static SnVal
quant(SnFormula *f, const SnExpr *e)
{
    SnDefConc out = sn_formula_out(f);
    const SnDefPort *y = f->n->out[f->res];
    SnVal v, r;

    if (out.elem == SN_DE_F32) { /* the identity within the range */
        v = sn_formula_expr(f, e->kid[0]);
        const char *range = e->nkid > 2 ? e->kid[2]->s
                            : e->nkid == 1 && f->sem->clamp
                                ? f->sem->clamp->name
                                : NULL;
        if (range == NULL)
            return v;
        v.s = sn_format(f->a, "sn_clampf(%s, %s)",
                        v.atom ? v.s : sn_formula_f32(f, v),
                        sn_formula_limf(f, range));
        v.atom = true;
        v.lit = false;
        v.ct = SN_CT_F32;
        return v;
    }
    if (!sn_conc_code(out)) /* plain integers: rounded when stored */
        return sn_formula_expr(f, e->kid[0]);
    if (e->nkid > 1)
        return quant_mid(f, e);
    if (sn_row_quant(f, e, &r)) {
        sn_row_select(f, e->kid[0], NULL, &r);
        return r;
    }
    v = hoist(f, sn_formula_expr(f, e->kid[0]));
    const char *lim = sn_formula_lim(f);
    r = (SnVal){.ct = SN_CT_INT, .atom = true, .fixed = v.fixed};
    if (out.axis >= 0 && f->ctx != SN_IN_POINT)
        return sn_formula_refuse(f, "a per-axis result outside a point node");
    if (out.axis >= 0)
        r.fixed = false;
    const char *x = v.lit || v.ct != SN_CT_F32 ? sn_formula_f32(f, v) : v.s;
    const char *ys = sn_formula_scale(f, y);
    if (out.elem == SN_DE_QI32)
        r.s = sn_format(f->a, "sn_quant32(%s, %s, %s.lo, %s.hi)", x, ys, lim,
                        lim);
    else
        r.s = sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)", x, ys,
                        sn_formula_zp(f, y), lim, lim);
    if (r.fixed) { /* not an atom for hoisting: it costs a division */
        r.atom = false;
        r = hoist(f, r);
    } else {
        sn_row_select(f, e->kid[0], NULL, &r);
    }
    return r;
}

static SnVal
minmax(SnFormula *f, const SnExpr *e)
{
    SnVal v[2], r = {.atom = true};
    bool max = e->fn == SN_FN_MAX;

    v[0] = sn_formula_expr(f, e->kid[0]);
    v[1] = sn_formula_expr(f, e->kid[1]);
    r.fixed = v[0].fixed && v[1].fixed;
    hoist_each(f, v, 2);
    if (v[0].ct == SN_CT_F32 || v[1].ct == SN_CT_F32) {
        r.ct = SN_CT_F32;
        r.s = sn_format(f->a, "%s(%s, %s)", max ? "sn_maxf" : "sn_minf",
                        sn_formula_f32(f, v[0]), sn_formula_f32(f, v[1]));
    } else {
        r.ct = SN_CT_INT;
        r.s = sn_format(f->a, "%s(%s, %s)", max ? "sn_imax" : "sn_imin", v[0].s,
                        v[1].s);
    }
    return r;
}

static SnVal
choose(SnFormula *f, const SnExpr *e)
{
    SnVal v[3];

    for (int i = 0; i < 3; i++)
        v[i] = sn_formula_expr(f, e->kid[i]);
    SnVal r = {.fixed = v[0].fixed && v[1].fixed && v[2].fixed};
    hoist_each(f, v, 3);
    if (v[1].ct == SN_CT_F32 || v[2].ct == SN_CT_F32) {
        r.ct = SN_CT_F32;
        r.s = sn_format(f->a, "%s ? %s : %s", paren(f, v[0]),
                        sn_formula_f32(f, v[1]), sn_formula_f32(f, v[2]));
    } else {
        r.ct = v[1].ct;
        r.s = sn_format(f->a, "%s ? %s : %s", paren(f, v[0]), paren(f, v[1]),
                        paren(f, v[2]));
    }
    return r;
}

static SnVal
real_fn(SnFormula *f, const SnExpr *e)
{
    static const char *const fn[][2] = {
        {"exp", "sn_expf"},   {"log", "sn_logf"},  {"sqrt", "sn_sqrtf"},
        {"tanh", "sn_tanhf"}, {"erf", "sn_erff"},  {"pow", "sn_powf"},
        {"abs", "fabsf"},     {"floor", "floorf"}, {"ceil", "ceilf"},
        {"round", "rintf"}};
    SnVal v[2] = {{.s = ""}};

    for (size_t i = 0; i < sizeof fn / sizeof *fn; i++) {
        if (strcmp(fn[i][0], e->s) || e->nkid == 0 || e->nkid > 2)
            continue;
        bool fixed = true;
        for (uint32_t k = 0; k < e->nkid; k++) {
            v[k] = sn_formula_expr(f, e->kid[k]);
            fixed = fixed && v[k].fixed;
        }
        hoist_each(f, v, e->nkid);
        const char *x = v[0].ct == SN_CT_F32 && !v[0].lit
                            ? v[0].s
                            : sn_formula_f32(f, v[0]);
        SnVal r = {.ct = SN_CT_F32, .fixed = fixed, .atom = !fixed};
        const char *name = fn[i][1];
        if (f->sem->by && !strcmp(f->sem->by, "lrn") && e->fn == SN_FN_POW)
            name = "sn_lrn_pow"; /* the power of that row, on reals too */
        r.s = e->nkid == 1 ? sn_format(f->a, "%s(%s)", name, x)
                           : sn_format(f->a, "%s(%s, %s)", name, x,
                                       sn_formula_f32(f, v[1]));
        return r;
    }
    return sn_formula_refuse(f, sn_format(f->a, "%s() has no C form", e->s));
}

static SnVal
call(SnFormula *f, const SnExpr *e)
{
    if (sn_is_call(e, "d", 1))
        return deq(f, e);
    if (e->fn == SN_FN_Q)
        return quant(f, e);
    if (e->fn == SN_FN_PRESENT && e->nkid == 1 && sn_formula_port(f, e->kid[0]))
        return (SnVal){
            .s = sn_format(f->a, "%s != NULL",
                           sn_formula_ptr(f, sn_formula_port(f, e->kid[0]))),
            .ct = SN_CT_BOOL,
            .fixed = true};
    if ((e->fn == SN_FN_MAX || e->fn == SN_FN_MIN) && e->nkid == 2)
        return minmax(f, e);
    if (e->fn == SN_FN_SELECT && e->nkid == 3)
        return choose(f, e);
    if (e->nkid == 1 &&
        (e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN || e->fn == SN_FN_MAX ||
         e->fn == SN_FN_MIN || e->fn == SN_FN_ARGMAX || e->fn == SN_FN_ARGMIN))
        return reduce(f, e);
    return real_fn(f, e);
}

SnVal
sn_formula_expr(SnFormula *f, const SnExpr *e)
{
    SnVal lit = {.lit = true, .fixed = true, .atom = true};
    const SnDefPort *b;

    switch (e->ek) {
    case SN_E_INT:
        lit.s = sn_format(f->a, "%lld", (long long)e->i);
        lit.ct = SN_CT_INT;
        lit.num = (double)e->i;
        return lit;
    case SN_E_REAL:
        lit.ct = SN_CT_F32;
        lit.num = e->r;
        lit.s = sn_formula_f32(f, lit);
        return lit;
    case SN_E_BOOL:
        return (SnVal){.s = e->i ? "true" : "false",
                       .ct = SN_CT_BOOL,
                       .atom = true,
                       .fixed = true};
    case SN_E_NAME:
        return name_value(f, e);
    case SN_E_NEG:
    case SN_E_NOT:
        return unary(f, e);
    case SN_E_BIN:
        if (f->dot && sn_row_acc(f, e, &b) && b == f->dot_bias)
            return (SnVal){.s = "dot.f[i]", .ct = SN_CT_F32, .atom = true};
        return binary(f, e);
    case SN_E_CALL:
        return call(f, e);
    default:
        return sn_formula_refuse(f, "this form has no C equivalent");
    }
}

/* ---- reductions: one loop over the set each, innermost first ---- */

static void
put_loop(SnFormula *f, const SnExpr *e, const char *r, SnVal v,
         const char *loads)
{
    const char *ty = v.ct == SN_CT_F32 ? "float" : "int64_t";
    const char *x = v.ct == SN_CT_F32 ? sn_formula_f32(f, v) : v.s;
    bool arg = !strncmp(e->s, "arg", 3);
    bool max = strstr(e->s, "max") != NULL;
    /* A window's mean has an order of its own (SnMap.part). */
    bool parts = v.ct == SN_CT_F32 && e->fn == SN_FN_MEAN &&
                 sn_formula_map_has(f, SN_MS_PARTS);
    bool last = f->sem->ties && !strcmp(f->sem->ties, "last");
    SnBuf *b = &f->set;

    if (arg)
        sn_putf(b, "%s %s_v = 0;\nint64_t %s = 0;\n", ty, r, r);
    else
        sn_putf(b, "%s %s = %s;\n", ty, r, parts ? "m.start" : "0");
    if (parts) /* -0 is what adds nothing */
        sn_puts(b, "for (int64_t k = 0; k < m.ntap;) {\n"
                   "    float part = -0.0f;\n"
                   "    for (int64_t end = k + m.part; k < end; k++) {\n");
    else
        sn_puts(b, "for (int64_t k = 0; k < m.ntap; k++) {\n");
    for (const char *p = loads; *p;) {
        const char *nl = strchr(p, '\n');
        sn_putf(b, "    %s%.*s\n", parts ? "    " : "", (int)(nl - p), p);
        p = nl + 1;
    }
    if (parts) {
        sn_putf(b, "        part = part + %s;\n    }\n    %s = %s + part;\n", x,
                r, r);
    } else if (arg) {
        const char *pos =
            sn_formula_map_has(f, SN_MS_NUMBER) ? "m.a[k] + l * m.lane_a" : "k";
        sn_putf(b,
                "    const %s v = %s;\n    if (k == 0 || v %s%s %s_v) {\n"
                "        %s_v = v;\n        %s = %s;\n    }\n",
                ty, x, max ? ">" : "<", last ? "=" : "", r, r, r, pos);
    } else if (e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN) {
        const SnExpr *p = e->kid[0];
        if (f->sem->cls == SN_DC_CONTRACT && v.ct == SN_CT_F32 &&
            p->ek == SN_E_BIN && p->op == SN_OP_MUL)
            sn_putf(b, "    %s = %s;\n", r, x);
        else if (v.ct == SN_CT_F32)
            sn_putf(b, "    %s = %s + %s;\n", r, r, x);
        else
            sn_putf(b, "    %s = sn_iadd(%s, %s);\n", r, r, x);
    } else {
        const char *fn = v.ct == SN_CT_F32 ? (max ? "sn_maxf" : "sn_minf")
                                           : (max ? "sn_imax" : "sn_imin");
        sn_putf(b,
                "    const %s v = %s;\n"
                "    %s = k == 0 ? v : %s(%s, v);\n",
                ty, x, r, fn, r);
    }
    sn_puts(b, "}\n");
}

/* The sum of a float contract is a chain of fused products. */
static SnVal
set_value(SnFormula *f, const SnExpr *e, const char *r)
{
    const SnExpr *p = e->kid[0];

    if (e->fn != SN_FN_SUM || f->sem->cls != SN_DC_CONTRACT ||
        p->ek != SN_E_BIN || p->op != SN_OP_MUL)
        return sn_formula_expr(f, p);
    SnVal x = sn_formula_expr(f, p->kid[0]), y = sn_formula_expr(f, p->kid[1]);
    if (x.ct != SN_CT_F32 && y.ct != SN_CT_F32)
        return sn_formula_expr(f, p);
    return (SnVal){.s =
                       sn_format(f->a, "fmaf(%s, %s, %s)", sn_formula_f32(f, x),
                                 sn_formula_f32(f, y), r),
                   .ct = SN_CT_F32,
                   .atom = true};
}

static SnVal
reduce(SnFormula *f, const SnExpr *e)
{
    SnBuf loads, *elem = f->elem;
    SnCtx ctx = f->ctx;
    uint32_t scope = f->nscope;

    if (f->dot && e->fn == SN_FN_SUM) {
        const SnDefPort *x, *w;
        if (sn_row_sum(f, e, &x, &w) && f->dot_bias == NULL &&
            !sn_conc_code(f->t->in[f->dot_x]))
            return (SnVal){.s = "dot.f[i]", .ct = SN_CT_F32, .atom = true};
        return sn_formula_refuse(f,
                                 sn_conc_code(sn_formula_out(f))
                                     ? "a quantized contract is q(sum(d(x) * "
                                       "d(w)) + d(b)) over its map, with b "
                                       "pinned"
                                     : "a second sum in a contract");
    }
    for (uint32_t i = 0; i < f->nred; i++)
        if (f->red[i].e && same_expr(f->red[i].e, e))
            return f->red[i].v;
    if (ctx == SN_IN_POINT)
        return sn_formula_refuse(f, "a reduction needs a map with sets");
    if (f->nred == 16)
        return sn_formula_refuse(f, "more than 16 reductions");
    sn_buf_init(&loads, f->a);
    f->elem = &loads;
    f->ctx = SN_IN_SET;
    /* nested reductions of the same set come out first; each loop is a scope */
    f->nscope = ++f->fresh;
    const char *r = sn_format(f->a, "r%u", f->nred);
    SnRed *slot = &f->red[f->nred++];
    SnVal v = set_value(f, e, r);
    f->elem = elem;
    f->ctx = ctx;
    f->nscope = scope;
    put_loop(f, e, r, v, sn_buf_str(&loads));
    SnVal out = {
        .s = r, .ct = v.ct == SN_CT_BOOL ? SN_CT_INT : v.ct, .atom = true};
    if (!strncmp(e->s, "arg", 3))
        out.ct = SN_CT_INT;
    if (e->fn == SN_FN_MEAN) {
        const char *q = sn_format(f->a, "%s_mean", r);
        sn_putf(&f->set, "const float %s = %s%s / (float)m.nall;\n", q,
                v.ct == SN_CT_F32 ? "" : "(float)", r);
        out.s = q;
        out.ct = SN_CT_F32;
    }
    slot->e = e;
    slot->v = out;
    return out;
}

/* ---- storing ---- */

const char *
sn_formula_store(SnFormula *f, SnVal v)
{
    SnDefConc out = sn_formula_out(f);
    const char *ty = sn_elem_ctype(out.elem);

    if (out.elem == SN_DE_F32)
        return v.ct == SN_CT_F32 && !v.lit ? v.s : sn_formula_f32(f, v);
    if (out.elem == SN_DE_BOOL)
        return v.ct == SN_CT_BOOL ? v.s
                                  : sn_format(f->a, "%s != 0", paren(f, v));
    if (sn_conc_code(out)) {
        if (v.ct == SN_CT_F32) {
            sn_formula_refuse(f,
                              "the formula gives a real number where a code is "
                              "wanted: write q(...)");
            return "0";
        }
        return sn_format(f->a, "(%s)%s", ty, paren(f, v));
    }
    if (v.ct == SN_CT_F32)
        return sn_format(f->a, "(%s)sn_truncf(%s, %s)", ty, v.s,
                         out.elem == SN_DE_I8    ? "INT8_MIN, INT8_MAX"
                         : out.elem == SN_DE_I32 ? "INT32_MIN, INT32_MAX"
                                                 : "INT64_MIN, INT64_MAX");
    return out.elem == SN_DE_I64 && v.ct == SN_CT_INT
               ? v.s
               : sn_format(f->a, "(%s)%s", ty, paren(f, v));
}
