// SPDX-License-Identifier: Apache-2.0
/* Formulas as C expressions. */
#include "gen/node/formula.h"

#include <string.h>

SnCVal
sn_formula_refuse(SnFormula *f, const char *why)
{
    f->failed = true;
    if (f->why == NULL)
        f->why = why;
    return (SnCVal){.s = "0", .ty = SN_TY_INT, .prec = P_PRIM, .fixed = true};
}

/* ---- conversions ---- */

const char *
sn_formula_f32(SnFormula *f, SnCVal v)
{
    return sn_cw_f32(&f->w, v, P_PRIM);
}

/* A fixed value that is not just a name gets a variable before the loops. */
static SnCVal
hoist(SnFormula *f, SnCVal v)
{
    static const char *const ty[] = {
        [SN_TY_REAL] = "float", [SN_TY_INT] = "int64_t", [SN_TY_BOOL] = "bool"};

    if (!v.fixed || v.prec == P_PRIM || v.lit)
        return v;
    const char *name = sn_format(f->a, "k%u", f->nhoist++);
    sn_putf(&f->pre, "const %s %s = %s;\n", ty[v.ty], name, v.s);
    v.s = name;
    v.prec = P_PRIM;
    return v;
}

static void
hoist_each(SnFormula *f, SnCVal *v, uint32_t n)
{
    bool all = true;

    for (uint32_t i = 0; i < n; i++)
        all = all && v[i].fixed;
    for (uint32_t i = 0; !all && i < n; i++)
        v[i] = hoist(f, v[i]);
}

/* ---- operators ---- */

static SnCVal
attr_value(SnFormula *f, const SnDefAttr *a)
{
    const char *s =
        sn_format(f->a, f->text ? "at_%s" : "at->%s", sn_field(f->a, a->name));
    SnCVal v = {.s = s, .fixed = true, .prec = P_PRIM};

    if (f->text && sn_formula_once(f, s, 0))
        sn_text_def(f, "%s attr %s", s, a->name);

    switch (a->ty) {
    case SN_A_REAL:
        v.ty = SN_TY_REAL;
        return v;
    case SN_A_INT:
    case SN_A_ENUM:
        v.ty = SN_TY_INT;
        return v;
    case SN_A_BOOL:
        v.ty = SN_TY_BOOL;
        return v;
    default:
        return sn_formula_refuse(f,
                                 "an attribute of this type is not a number");
    }
}

static SnCVal
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
        return (SnCVal){
            .s = f->text ? sn_format(f->a, "%u",
                                     sn_name_at(w->word, w->nword, e->s))
                         : sn_cw_word(f->a, f->n, w, e->s),
            .ty = SN_TY_INT,
            .prec = P_PRIM,
            .fixed = true};
    }
    return sn_formula_refuse(
        f, "a name that is neither an operand nor an attribute");
}

/* ---- calls ---- */

static SnCVal reduce(SnFormula *f, const SnExpr *e);

static SnCVal
deq(SnFormula *f, const SnExpr *e)
{
    const SnExpr *x = e->kid[0];
    const SnDefPort *p = sn_formula_port(f, x);
    SnDefConc out = sn_formula_out(f);
    SnMid m;

    if (p)
        return sn_formula_deq(f, p);
    if (!sn_conc_code(out))
        return sn_formula_expr(f, x); /* d and q do nothing */
    SnCVal v = {.ty = SN_TY_REAL, .prec = P_PRIM};
    if (x->fn == SN_FN_Q && x->nkid > 1) {
        const char *code = sn_formula_kept(f, x, &m);
        v.s = sn_format(f->a, "sn_dequant(%s, %s, %s)", code, m.scale, m.zp);
    } else {
        v = sn_formula_expr(f, x);
        const char *ys = sn_formula_scale(f, f->n->out[f->res]);
        const char *yz = sn_formula_zp(f, f->n->out[f->res]);
        v.s = sn_format(f->a, "sn_dequant((int32_t)%s, %s, %s)",
                        sn_cw_paren(&f->w, v, P_PRIM), ys, yz);
    }
    v.ty = SN_TY_REAL;
    v.prec = P_PRIM;
    v.lit = v.fixed = false;
    return v;
}

const char *
sn_formula_kept(SnFormula *f, const SnExpr *q, SnMid *m)
{
    if (!sn_formula_mid(f, q, m)) {
        *m = (SnMid){"0", "0", "0"};
        return sn_formula_refuse(f, "q(e, t): t is not a type attribute").s;
    }
    for (uint32_t i = 0; i < f->nkept; i++)
        if (f->kept[i].scope == f->nscope && sn_expr_equal(f->kept[i].e, q))
            return f->kept[i].name;
    SnCVal v = sn_formula_expr(f, q);
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
static SnCVal
quant_mid(SnFormula *f, const SnExpr *e)
{
    SnCVal v;
    SnMid m;

    if (!sn_formula_mid(f, e, &m))
        return sn_formula_refuse(f, "q(e, t): t is not a type attribute");
    if (sn_row_requant(f, e->kid[0], m.zp, m.lim,
                       sn_format(f->a, "at->%s", sn_field(f->a, e->kid[1]->s)),
                       sn_format(f->a, "%s_mul", e->kid[1]->s), &v))
        return v;
    if (sn_row_mid(f, e->kid[0], &m, &v))
        return v;
    v = sn_formula_expr(f, e->kid[0]);
    v = (SnCVal){.s = sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)",
                                sn_formula_f32(f, v), m.scale, m.zp, m.lim,
                                m.lim),
                 .ty = SN_TY_INT,
                 .prec = P_PRIM,
                 .fixed = v.fixed};
    sn_row_select(f, e->kid[0], &m, &v);
    return v;
}

static SnCVal
quant(SnFormula *f, const SnExpr *e)
{
    SnDefConc out = sn_formula_out(f);
    const SnDefPort *y = f->n->out[f->res];
    SnCVal v, r;

    if (out.elem == SN_F32) { /* the identity within the range */
        v = sn_formula_expr(f, e->kid[0]);
        const char *range = e->nkid > 2 ? e->kid[2]->s
                            : e->nkid == 1 && f->sem->clamp
                                ? f->sem->clamp->name
                                : NULL;
        if (range == NULL)
            return v;
        v.s = sn_format(f->a, "sn_clampf(%s, %s)",
                        v.prec == P_PRIM ? v.s : sn_formula_f32(f, v),
                        sn_formula_limf(f, range));
        v.prec = P_PRIM;
        v.lit = false;
        v.ty = SN_TY_REAL;
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
    r = (SnCVal){.ty = SN_TY_INT, .prec = P_PRIM, .fixed = v.fixed};
    if (out.axis >= 0 && f->ctx != SN_IN_POINT)
        return sn_formula_refuse(f, "a per-axis result outside a point node");
    if (out.axis >= 0)
        r.fixed = false;
    const char *x = v.lit || v.ty != SN_TY_REAL ? sn_formula_f32(f, v) : v.s;
    const char *ys = sn_formula_scale(f, y);
    if (out.elem == SN_QI32)
        r.s = sn_format(f->a, "sn_quant32(%s, %s, %s.lo, %s.hi)", x, ys, lim,
                        lim);
    else
        r.s = sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)", x, ys,
                        sn_formula_zp(f, y), lim, lim);
    if (r.fixed) { /* not an atom for hoisting: it costs a division */
        r.prec = P_ANY;
        r = hoist(f, r);
    } else {
        sn_row_select(f, e->kid[0], NULL, &r);
    }
    return r;
}

/* The first n arguments; are all of them fixed? */
static bool
arguments(SnFormula *f, const SnExpr *e, uint32_t n, SnCVal *v)
{
    bool fixed = true;

    for (uint32_t i = 0; i < n; i++) {
        v[i] = sn_formula_expr(f, e->kid[i]);
        fixed = fixed && v[i].fixed;
    }
    hoist_each(f, v, n);
    return fixed;
}

static SnCVal
minmax(SnFormula *f, const SnExpr *e)
{
    SnCVal v[2], r = {.prec = P_PRIM, .fixed = arguments(f, e, 2, v)};
    bool max = e->fn == SN_FN_MAX;

    r.ty =
        v[0].ty == SN_TY_REAL || v[1].ty == SN_TY_REAL ? SN_TY_REAL : SN_TY_INT;
    if (r.ty == SN_TY_REAL)
        r.s = sn_format(f->a, "%s(%s, %s)", max ? "sn_maxf" : "sn_minf",
                        sn_formula_f32(f, v[0]), sn_formula_f32(f, v[1]));
    else
        r.s = sn_format(f->a, "%s(%s, %s)", max ? "sn_int_max" : "sn_int_min",
                        v[0].s, v[1].s);
    return r;
}

static SnCVal
choose(SnFormula *f, const SnExpr *e)
{
    SnCVal v[3], r = {.fixed = arguments(f, e, 3, v)};
    bool real = v[1].ty == SN_TY_REAL || v[2].ty == SN_TY_REAL;

    r.ty = real ? SN_TY_REAL : v[1].ty;
    for (int i = 1; i < 3; i++)
        v[i].s =
            real ? sn_formula_f32(f, v[i]) : sn_cw_paren(&f->w, v[i], P_PRIM);
    r.s = sn_format(f->a, "%s ? %s : %s", sn_cw_paren(&f->w, v[0], P_PRIM),
                    v[1].s, v[2].s);
    return r;
}

static SnCVal
real_fn(SnFormula *f, const SnExpr *e)
{
    const char *name = sn_fns[e->fn].formula;
    SnCVal v[2];
    bool fixed = arguments(f, e, e->nkid, v);
    const char *x =
        v[0].ty == SN_TY_REAL && !v[0].lit ? v[0].s : sn_formula_f32(f, v[0]);

    if (e->fn == SN_FN_POW && f->sem->row == SN_ROW_LRN)
        name = "sn_lrn_pow"; /* the power of that row, also on reals */
    if (e->nkid > 1)
        x = sn_format(f->a, "%s, %s", x, sn_formula_f32(f, v[1]));
    return (SnCVal){.s = sn_format(f->a, "%s(%s)", name, x),
                    .ty = SN_TY_REAL,
                    .prec = fixed ? P_ANY : P_PRIM,
                    .fixed = fixed};
}

/* On integers, by the row in sn_fns; a mode, the last, rounds its result. */
static SnCVal
whole_fn(SnFormula *f, const SnExpr *e)
{
    const SnFnWord *w = &sn_fns[e->fn];
    bool mode = w->whole[e->nkid - 1] == 'M';
    uint32_t n = e->nkid - mode;
    const char *args = "";
    SnCVal v[2], r = {.ty = SN_TY_INT, .fixed = arguments(f, e, n, v)};

    for (uint32_t i = 0; i < n; i++)
        args = sn_format(f->a, "%s%s%s", args, i ? ", " : "",
                         w->whole[i] == 'R' ? sn_formula_f32(f, v[i]) : v[i].s);
    r.s = sn_format(f->a, "%s(%s)", w->formula, args);
    if (mode)
        r.s =
            sn_format(f->a, "sn_quot_%s(%s)", sn_mode_words[e->kid[n]->i], r.s);
    r.prec = r.fixed ? P_ANY : P_PRIM;
    return r;
}

static SnCVal
binary32(SnFormula *f, const SnExpr *e)
{
    SnCVal v = sn_formula_expr(f, e->kid[0]);

    v.s = sn_formula_f32(f, v);
    v.ty = SN_TY_REAL;
    v.prec = P_UNARY;
    v.lit = false;
    return v;
}

static SnCVal
call(SnFormula *f, const SnExpr *e)
{
    switch (e->fn) {
    case SN_FN_D:
        return deq(f, e);
    case SN_FN_Q:
        return quant(f, e);
    case SN_FN_MAX:
    case SN_FN_MIN:
        return e->nkid == 2 ? minmax(f, e) : reduce(f, e);
    case SN_FN_SELECT:
        return choose(f, e);
    case SN_FN_SUM:
    case SN_FN_MEAN:
    case SN_FN_ARGMAX:
    case SN_FN_ARGMIN:
        return reduce(f, e);
    case SN_FN_EXP:
    case SN_FN_LOG:
    case SN_FN_TANH:
    case SN_FN_ERF:
    case SN_FN_POW:
    case SN_FN_FLOOR:
    case SN_FN_CEIL:
    case SN_FN_ROUND:
    case SN_FN_ABS:
    case SN_FN_SQRT:
        return real_fn(f, e);
    case SN_FN_F32:
        return binary32(f, e);
    case SN_FN_SHR:
    case SN_FN_DIV:
    case SN_FN_SHL:
    case SN_FN_SAT:
    case SN_FN_WRAP:
    case SN_FN_RNE:
        return whole_fn(f, e);
    SN_CASE_NO_FORMULA:
        break;
    }
    return sn_formula_refuse(f, sn_format(f->a, "%s() has no C form", e->s));
}

/* ---- the writer ---- */

static bool
own(SnCw *w, const SnExpr *e, SnCVal *v)
{
    SnFormula *f = w->of;
    const SnDefPort *b;

    if (e->ek == SN_E_BIN && f->dot && sn_row_acc(f, e, &b) &&
        b == f->dot_bias) {
        *v = sn_cval(SN_TY_REAL, f->text ? "acc" : "dot.f[i]");
        return true;
    }
    if (e->ek == SN_E_NAME)
        *v = name_value(f, e);
    if (e->ek == SN_E_CALL)
        *v = call(f, e);
    return e->ek == SN_E_NAME || e->ek == SN_E_CALL;
}

static SnCVal
none(SnCw *w, const SnExpr *e)
{
    (void)e;
    return sn_formula_refuse(w->of, "this form has no C equivalent");
}

static void
hoist_operands(SnCw *w, SnCVal *v, uint32_t n)
{
    if (n == 1)
        *v = hoist(w->of, *v);
    else
        hoist_each(w->of, v, n);
}

void
sn_formula_open(SnFormula *f, const SnDefs *defs, const SnDefNode *n,
                const SnDefTuple *t, uint32_t r)
{
    f->a = defs->arena;
    f->defs = defs;
    f->n = n;
    f->t = t;
    f->sem = n->rsem[r];
    f->res = r;
    f->nscope = f->fresh = 1;
    f->w = (SnCw){.a = f->a,
                  .d = f->d,
                  .place = SN_CP_FORMULA,
                  .of = f,
                  .own = own,
                  .none = none,
                  .hoist = hoist_operands,
                  .apart = f->text};
    sn_buf_init(&f->pre, f->a);
    sn_buf_init(&f->post, f->a);
    sn_buf_init(&f->slice, f->a);
    sn_buf_init(&f->set, f->a);
}

void
sn_formula_into(SnFormula *f, SnBuf *elem, SnCtx ctx)
{
    sn_buf_init(elem, f->a);
    f->elem = elem;
    f->ctx = ctx;
}

SnCVal
sn_formula_expr(SnFormula *f, const SnExpr *e)
{
    return sn_cw(&f->w, e);
}

/* ---- reductions: one loop over the set each, innermost first ---- */

/* Does the sum of e consist of fused products, which set_value writes? */
static bool
is_fused(const SnFormula *f, const SnExpr *e)
{
    const SnExpr *p = e->kid[0];

    return e->fn == SN_FN_SUM && f->sem->cls == SN_C_CONTRACT &&
           p->ek == SN_E_BIN && p->op == SN_OP_MUL;
}

/* A tap's value x joins the sum r, the largest or smallest so far, or its
 * place among the taps. */
static void
put_step(SnFormula *f, const SnExpr *e, const char *r, const char *x, SnTy ty)
{
    bool max = e->fn == SN_FN_MAX || e->fn == SN_FN_ARGMAX;
    bool real = ty == SN_TY_REAL;
    const char *c = real ? "float" : "int64_t";
    const char *k = f->text ? sn_format(f->a, "%s_k", r) : "k";
    SnBuf *b = &f->set;

    if (e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN) {
        if (real && is_fused(f, e))
            sn_putf(b, "%s = %s;\n", r, x);
        else
            sn_putf(b, real ? "%s = %s + %s;\n" : "%s = sn_int_add(%s, %s);\n",
                    r, r, x);
        return;
    }
    sn_putf(b, "const %s v = %s;\n", c, x);
    if (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN)
        sn_putf(b, "%s = %s == 0 ? v : %s(%s, v);\n", r, k,
                real ? (max ? "sn_maxf" : "sn_minf")
                     : (max ? "sn_int_max" : "sn_int_min"),
                r);
    else
        sn_putf(b, "if (%s == 0 || v %s%s %s_v) {\n%s_v = v;\n%s = %s;\n}\n", k,
                max ? ">" : "<", f->sem->last ? "=" : "", r, r, r,
                !sn_formula_map_has(f, SN_MS_NUMBER) ? k
                : f->text                            ? "@n"
                                                     : "m.a[k] + l * m.lane_a");
    if (f->text)
        sn_putf(b, "%s++;\n", k);
}

static void
put_loop(SnFormula *f, const SnExpr *e, const char *r, SnCVal v,
         const char *loads)
{
    const char *ty = v.ty == SN_TY_REAL ? "float" : "int64_t";
    const char *x = v.ty == SN_TY_REAL ? sn_formula_f32(f, v) : v.s;
    const char *end = sn_text_end(f);
    bool arg = e->fn == SN_FN_ARGMAX || e->fn == SN_FN_ARGMIN;
    bool sum = e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN;
    /* A window's mean has its own order (SnMap.part); -0 adds nothing. */
    bool parts = v.ty == SN_TY_REAL && e->fn == SN_FN_MEAN &&
                 sn_formula_map_has(f, SN_MS_PARTS);
    SnBuf *b = &f->set;

    if (parts)
        sn_putf(b,
                f->text ? "@if parts\nfloat %s = @S;\n@parts\n"
                          "float part = -0.0f;\n@rest\n"
                        : "float %s = m.start;\n"
                          "for (int64_t k = 0; k < m.ntap;) {\n"
                          "float part = -0.0f;\n"
                          "for (int64_t end = k + m.part; k < end; k++) {\n",
                r);
    if (parts)
        sn_putf(b, "%spart = part + %s;\n%s\n%s = %s + part;\n%s\n", loads, x,
                end, r, r, end);
    if (parts && !f->text)
        return;
    sn_puts(b, parts ? "@else\n" : "");
    if (arg)
        sn_putf(b, "%s %s_v = 0;\n", ty, r);
    sn_putf(b, "%s %s = 0;\n", arg ? "int64_t" : ty, r);
    if (f->text && !sum)
        sn_putf(b, "int64_t %s_k = 0;\n", r);
    sn_putf(b, "%s\n%s", sn_text_taps(f), loads);
    put_step(f, e, r, x, v.ty);
    sn_putf(b, "%s\n%s", end, parts ? "@fi\n" : "");
}

/* The sum of a float contract is a chain of fused products. */
static SnCVal
set_value(SnFormula *f, const SnExpr *e, const char *r)
{
    const SnExpr *p = e->kid[0];

    if (!is_fused(f, e))
        return sn_formula_expr(f, p);
    SnCVal x = sn_formula_expr(f, p->kid[0]), y = sn_formula_expr(f, p->kid[1]);
    if (x.ty != SN_TY_REAL && y.ty != SN_TY_REAL)
        return sn_formula_expr(f, p);
    return (SnCVal){.s = sn_format(f->a, "fmaf(%s, %s, %s)",
                                   sn_formula_f32(f, x), sn_formula_f32(f, y),
                                   r),
                    .ty = SN_TY_REAL,
                    .prec = P_PRIM};
}

static SnCVal
reduce(SnFormula *f, const SnExpr *e)
{
    SnBuf loads, *elem = f->elem;
    SnCtx ctx = f->ctx;
    uint32_t scope = f->nscope;

    if (f->dot && e->fn == SN_FN_SUM) {
        const SnDefPort *x, *w;
        if (sn_row_sum(f, e, &x, &w) && f->dot_bias == NULL &&
            !sn_conc_code(f->t->in[f->dot_x]))
            return sn_cval(SN_TY_REAL, f->text ? "acc" : "dot.f[i]");
        return sn_formula_refuse(f,
                                 sn_conc_code(sn_formula_out(f))
                                     ? "a quantized contract is q(sum(d(x) * "
                                       "d(w)) + d(b)) over its map, with b "
                                       "pinned"
                                     : "a second sum in a contract");
    }
    for (uint32_t i = 0; i < f->nred; i++)
        if (f->red[i].e && sn_expr_equal(f->red[i].e, e))
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
    SnCVal v = set_value(f, e, r);
    f->elem = elem;
    f->ctx = ctx;
    f->nscope = scope;
    put_loop(f, e, r, v, sn_buf_str(&loads));
    SnCVal out = {
        .s = r, .ty = v.ty == SN_TY_BOOL ? SN_TY_INT : v.ty, .prec = P_PRIM};
    if (e->fn == SN_FN_ARGMAX || e->fn == SN_FN_ARGMIN)
        out.ty = SN_TY_INT;
    if (e->fn == SN_FN_MEAN) {
        const char *q = sn_format(f->a, "%s_mean", r);
        sn_putf(&f->set, "const float %s = %s%s / (float)%s;\n", q,
                v.ty == SN_TY_REAL ? "" : "(float)", r,
                f->text ? "@N" : "m.nall");
        out.s = q;
        out.ty = SN_TY_REAL;
    }
    slot->e = e;
    slot->v = out;
    return out;
}

/* ---- storing ---- */

const char *
sn_formula_store(SnFormula *f, SnCVal v)
{
    SnDefConc out = sn_formula_out(f);
    const char *ty = sn_elem_ctype(out.elem);

    if (out.elem == SN_F32)
        return v.ty == SN_TY_REAL && !v.lit ? v.s : sn_formula_f32(f, v);
    if (out.elem == SN_BOOL)
        return v.ty == SN_TY_BOOL
                   ? v.s
                   : sn_format(f->a, "%s != 0", sn_cw_paren(&f->w, v, P_PRIM));
    if (sn_conc_code(out)) {
        if (v.ty == SN_TY_REAL) {
            sn_formula_refuse(f, "the formula gives a real number where a code "
                                 "is expected: write q(...)");
            return "0";
        }
        return sn_format(f->a, "(%s)%s", ty, sn_cw_paren(&f->w, v, P_PRIM));
    }
    if (v.ty == SN_TY_REAL)
        return sn_format(f->a, "(%s)sn_truncf(%s, %s)", ty, v.s,
                         out.elem == SN_I8    ? "INT8_MIN, INT8_MAX"
                         : out.elem == SN_I32 ? "INT32_MIN, INT32_MAX"
                                              : "INT64_MIN, INT64_MAX");
    return out.elem == SN_I64 && v.ty == SN_TY_INT
               ? v.s
               : sn_format(f->a, "(%s)%s", ty, sn_cw_paren(&f->w, v, P_PRIM));
}
