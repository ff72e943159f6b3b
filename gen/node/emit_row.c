// SPDX-License-Identifier: Apache-2.0
/* Rows of the arithmetic contract (docs/numerics.md) that are not the literal
 * composition of a formula's steps. */
#include "dsl/model/arith.h"
#include "gen/node/formula.h"

#include <string.h>

/* The operand port of d(PORT), or NULL. */
static const SnDefPort *
deq_of(const SnFormula *f, const SnExpr *e)
{
    return e->fn == SN_FN_D ? sn_formula_port(f, e->kid[0]) : NULL;
}

bool
sn_row_sum(SnFormula *f, const SnExpr *e, const SnDefPort **x,
           const SnDefPort **w)
{
    if (!f->sem->decl || sn_map_count(f->sem->decl->decl, SN_MS_READ) != 2)
        return false;
    if ((e->fn != SN_FN_SUM || e->nkid != 1) || e->kid[0]->ek != SN_E_BIN ||
        e->kid[0]->op != SN_OP_MUL)
        return false;
    const SnDefPort *a = deq_of(f, e->kid[0]->kid[0]);
    const SnDefPort *b = deq_of(f, e->kid[0]->kid[1]);
    *x = sn_formula_port(f, f->sem->arg[0]);
    *w = sn_formula_port(f, f->sem->arg[1]);
    return a && b && ((a == *x && b == *w) || (a == *w && b == *x));
}

bool
sn_row_acc(SnFormula *f, const SnExpr *e, const SnDefPort **b)
{
    const SnDefPort *x, *w;

    *b = NULL;
    if (e->ek != SN_E_BIN)
        return sn_row_sum(f, e, &x, &w);
    if (e->op != SN_OP_ADD || !sn_row_sum(f, e->kid[0], &x, &w))
        return false;
    *b = deq_of(f, e->kid[1]);
    return *b && (*b)->fact == SN_PIN && !sn_formula_mapped(f, *b);
}

/* ---- rows of arithmetics ---- */

/* A code by the row `use`, clamped. */
static const char *
row_at(SnFormula *f, const char *use, const char *of, const char *a,
       const char *b, const char *lim)
{
    if (!f->text)
        return sn_format(f->a, "sn_row_at(&%s, %s, %s, %s.lo, %s.hi)", use, a,
                         b, lim, lim);
    return sn_format(f->a, "(int32_t)sn_clamp64(@>%s%s(%s, %s), %s.lo, %s.hi)",
                     use, of, a, b, lim, lim);
}

/* Does every arithmetic have a row for the form, because `float` has one, which
 * applies where another has none? */
static bool
always(const SnFormula *f, SnForm form, const char *map)
{
    const SnDefArith *a = sn_def_arith(f->defs, SN_ROUNDING_FLOAT);

    for (uint32_t i = 0; a && i < a->nof; i++)
        if (a->of[i].form == form && !a->of[i].mask &&
            (!a->of[i].map || sn_name_same(a->of[i].map, map)))
            return true;
    return false;
}

/* Does sn_requant, with sn_mults, compute the row of `float`? */
static bool
float_contract(const SnFormula *f, const char *map, unsigned when)
{
    const SnDefRowOf *r = sn_def_row(sn_def_arith(f->defs, SN_ROUNDING_FLOAT),
                                     SN_FORM_CONTRACT, map, when);
    const SnX *x = r ? r->x : NULL, *m;

    if (!x || x->xk != SN_X_OP || x->op != SN_OP_ADD ||
        x->kid[1]->xk != SN_X_ZP || x->kid[1]->i != 0)
        return false;
    x = x->kid[0];
    if (x->fn != SN_FN_SAT || x->kid[1]->i != 32 || x->kid[0]->fn != SN_FN_RNE)
        return false;
    m = x->kid[0]->kid[0];
    return m->xk == SN_X_OP && m->op == SN_OP_MUL && m->kid[1]->fixed &&
           m->kid[0]->fn == SN_FN_F32 && m->kid[0]->kid[0]->xk == SN_X_IN;
}

bool
sn_row_requant(SnFormula *f, const SnExpr *e, const char *zp, const char *lim,
               const char *ytype, const char *mul, SnCVal *v)
{
    const SnDefPort *b;
    const char *grid = !strncmp(ytype, "at->", 4)
                           ? sn_format(f->a, "%.*s", (int)strlen(mul) - 4, mul)
                           : sn_format(f->a, "o%u", f->res);

    if (!f->dot || !sn_row_acc(f, e, &b))
        return false;
    SnDefConc cx = f->t->in[f->dot_x], cw = f->t->in[f->dot_w];
    if (!sn_conc_code(cx) || !sn_conc_code(cw))
        return false;
    bool wide = cx.elem == SN_QI16 || cw.elem == SN_QI16;
    if (cx.axis >= 0 || cx.elem == SN_QI32 || cw.elem == SN_QI32 ||
        (b && !sn_conc_code(f->t->in[b->index]))) {
        *v = sn_formula_refuse(f,
                               "a contract takes x per tensor and codes of at "
                               "most 16 bits, with a quantized bias");
        return true;
    }
    const char *rows = sn_format(f->a, "%s_rows", mul);
    const char *map = f->sem->map;
    unsigned when = wide ? SN_WHEN_WIDE : 0;
    if (!float_contract(f, map, when)) {
        *v = sn_formula_refuse(f, "arithmetic float has no row for contracts "
                                  "that is sat(rne(f32(acc) * m), 32) + y.zp; "
                                  "include \"arith.def\"");
        return true;
    }
    if (f->text && sn_formula_once(f, mul, 0)) {
        sn_text_def(f, "%s mults i%u i%u %s", mul, f->dot_x, f->dot_w, grid);
        sn_text_def(f, "%s rows i%u i%u %s %s %u", rows, f->dot_x, f->dot_w,
                    grid, map, when);
    }
    if (!f->text && sn_formula_once(f, rows, 0))
        sn_putf(&f->pre,
                "const SnSumRows %s = sn_sum_rows(c, sn_opnd(c, %u)->type, "
                "sn_opnd(c, %u)->type, %s, \"%s\", %u);\n",
                rows, f->dot_x, f->dot_w, ytype, map, when);
    const char *acc = f->text ? "acc" : wide ? "dot.w[i]" : "dot.i[i]";
    if (b) {
        const char *code = sn_formula_code(f, b);
        acc = sn_format(f->a, wide ? "%s + %s" : "sn_add32(%s, %s)", acc, code);
    }
    if (cw.axis >= 0)
        f->want_chan = true;
    const char *ch = cw.axis < 0 ? "0" : f->text ? "@c" : "ch";
    if (f->text) /* for programs; the DSP has sn_requant in one instruction */
        v->s = sn_text_alt(
            f, sn_format(f->a, "has_%s", rows),
            row_at(f, rows, sn_format(f->a, "[%s]", ch), acc, "0", lim),
            sn_format(f->a, "sn_requant%s(%s, %s[%s], %s, %s.lo, %s.hi)",
                      wide ? "64" : "", acc, mul, ch, zp, lim, lim));
    else
        v->s = sn_format(f->a, "sn_sum_code%s(&%s, %s, %s, %s.lo, %s.hi)",
                         wide ? "64" : "", rows, ch, acc, lim, lim);
    v->ty = SN_TY_INT;
    v->prec = P_PRIM;
    v->fixed = v->lit = false;
    return true;
}

/* ---- codes and their grids ---- */

typedef struct Code { /* a value with its grid: d(x), d(q(e, t, c)) */
    const char *v, *s, *z;
} Code;

static bool
grid_code(SnFormula *f, const SnExpr *e, Code *c)
{
    const SnDefPort *p = deq_of(f, e);
    SnMid m;

    if (p) {
        SnDefConc k = f->t->in[p->index];
        if ((k.elem != SN_QI8 && k.elem != SN_QI16) || k.axis >= 0)
            return false;
        c->v = sn_formula_code(f, p);
        c->s = sn_formula_scale(f, p);
        c->z = sn_formula_zp(f, p);
        return true;
    }
    if (e->fn != SN_FN_D || e->kid[0]->fn != SN_FN_Q || e->kid[0]->nkid < 2)
        return false;
    c->v = sn_formula_kept(f, e->kid[0], &m);
    c->s = m.scale;
    c->z = m.zp;
    return true;
}

/* ---- rows for codes ---- */

static const char *
after_of(SnFormula *f)
{
    const SnDefAttr *a = sn_def_attr(f->n, "round");

    if (!a || a->ty != SN_A_ENUM ||
        !sn_name_among(a->word, a->nword, sn_words[SN_W_AFTER]))
        return NULL;
    return sn_format(f->a, "at->round == SN_%s_ROUND_AFTER",
                     sn_upper(f->a, f->n->name));
}

/* The variable of the row for q(e): operands a and b (or none) on grid y, own:
 * the node's own result, to which `round` applies.  For a mean, it is opened
 * where the map is open. */
static const char *
use_row(SnFormula *f, SnForm form, const Code *a, const Code *b, const SnMid *y,
        bool own)
{
    const Code none = {"0", "0", "0"};
    bool mean = form == SN_FORM_MEAN;
    bool wide = (form != SN_FORM_CONVERT && form != SN_FORM_POINT &&
                 sn_tuple_wide(f->t, f->n));
    const char *after = own ? after_of(f) : NULL,
               *when = wide ? "SN_WHEN_WIDE" : "0";
    const SnDefAttr *sh = sn_def_attr(f->n, "zp_shift");
    const char *name = sn_format(f->a, "use_%s%s%s%s%s", y->scale, a ? "_" : "",
                                 a ? a->s : "", b ? "_" : "", b ? b->s : "");

    if (!sn_formula_once(f, name, 0))
        return name;
    if (f->text) {
        sn_text_def(f, "%s row %d %s %d %s %s %s %s %s %s", name, (int)form,
                    mean ? f->sem->map : "-", own, y->scale, y->zp,
                    a ? a->s : "-", a ? a->z : "-", b ? b->s : "-",
                    b ? b->z : "-");
        return name;
    }
    a = a ? a : &none;
    b = b ? b : &none;
    if (after)
        when = sn_format(f->a, "%s%s(%s ? SN_WHEN_AFTER : 0)", wide ? when : "",
                         wide ? " | " : "", after);
    if (mean)
        when = sn_format(f->a, "%s | (m.whole ? SN_WHEN_WHOLE : 0)", when);
    sn_putf(mean ? &f->post : &f->pre,
            "%sSnRowUse %s = sn_row_use(c->rounding, %s, %s, %s, "
            "(SnRowGrids){{%s, %s, %s}, {%s, %s, %s}, 1, %s, {%s}});\n",
            mean ? "" : "const ", name, sn_form_words[form].id,
            mean ? sn_format(f->a, "\"%s\"", f->sem->map) : "NULL", when,
            y->scale, a->s, b->s, y->zp, a->z, b->z,
            sh && sh->ty == SN_A_INT ? "at->zp_shift" : "0",
            mean ? sn_format(f->a,
                             "sn_row_arg(c, %u, \"kernel\", 0), "
                             "sn_row_arg(c, %u, \"kernel\", 1)",
                             f->res, f->res)
                 : "1, 1");
    return name;
}

/* A selection of codes and constants, each rescaled to the grid separately;
 * NULL: e is not a selection. */
static const char *
selected(SnFormula *f, const SnExpr *e, const SnMid *to, const char **use)
{
    const char *v[2];
    Code c;

    if (((e->fn == SN_FN_MAX && e->nkid == 2) ||
         (e->fn == SN_FN_MIN && e->nkid == 2))) {
        for (int i = 0; i < 2; i++)
            if (!(v[i] = selected(f, e->kid[i], to, use)))
                return NULL;
        return sn_format(f->a, "sn_int_%s(%s, %s)", e->s, v[0], v[1]);
    }
    if (e->fn == SN_FN_D) {
        if (!grid_code(f, e, &c))
            return NULL;
        *use = use_row(f, SN_FORM_CONVERT, &c, NULL, to, false);
        return row_at(f, *use, "", c.v, "0", to->lim);
    }
    if (e->ek == SN_E_CALL || e->ek == SN_E_BIN || sn_formula_port(f, e))
        return NULL;
    return sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)",
                     sn_formula_f32(f, sn_formula_expr(f, e)), to->scale,
                     to->zp, to->lim, to->lim);
}

/* Does every code of e have its own grid, none along an axis or wide? */
static bool
selects(const SnFormula *f, const SnExpr *e)
{
    const SnDefPort *p = deq_of(f, e);

    if (p) {
        SnDefConc k = f->t->in[p->index];
        return (k.elem == SN_QI8 || k.elem == SN_QI16) && k.axis < 0;
    }
    if ((e->fn == SN_FN_MAX && e->nkid == 2) ||
        (e->fn == SN_FN_MIN && e->nkid == 2))
        return selects(f, e->kid[0]) && selects(f, e->kid[1]);
    if (e->fn == SN_FN_D)
        return e->kid[0]->fn == SN_FN_Q && e->kid[0]->nkid > 1;
    return e->ek != SN_E_CALL && e->ek != SN_E_BIN && !sn_formula_port(f, e);
}

void
sn_row_select(SnFormula *f, const SnExpr *e, const SnMid *mid, SnCVal *v)
{
    const SnDefPort *y = f->n->out[f->res];
    SnDefConc out = sn_formula_out(f);
    const char *use = NULL;

    if (f->ctx == SN_IN_SET || !selects(f, e) ||
        (!mid && (out.axis >= 0 || out.elem == SN_QI32)))
        return;
    SnMid to = mid ? *mid
                   : (SnMid){sn_formula_scale(f, y), sn_formula_zp(f, y),
                             sn_formula_lim(f)};
    const char *sel = selected(f, e, &to, &use);
    if (!use)
        return;
    v->s = sn_text_alt(f, sn_format(f->a, f->text ? "has_%s" : "%s.row", use),
                       sel, v->s);
    v->prec = P_PRIM;
    v->fixed = v->lit = false;
}

/* ---- means, sums and products ---- */

/* The integer sum of q - x.zp over the set. */
static const char *
int_sum(SnFormula *f, const SnDefPort *x)
{
    const char *z = sn_formula_zp(f, x), *p = sn_formula_ptr(f, x);

    if (!sn_formula_once(f, "isum", f->nscope))
        return "isum";
    sn_putf(&f->set, "int64_t isum = 0;\n%s\nisum += %s[%s] - %s;\n%s\n",
            sn_text_taps(f), p, sn_text_at(f, 'i', x, "m.a[k] + l * m.lane_a"),
            z, sn_text_end(f));
    return "isum";
}

/* Results of a row get a variable: they are long, and may have conditions. */
static void
keep(SnFormula *f, const char *s, SnCVal *v)
{
    const char *name = sn_format(f->a, "q%u", f->nhoist++);

    sn_putf(f->elem, "const int32_t %s = %s;\n", name, s);
    *v = (SnCVal){.s = name, .ty = SN_TY_INT, .prec = P_PRIM};
}

/* e as a float, if it is only a name. */
static const char *
value_of(SnFormula *f, const SnExpr *e)
{
    SnCVal r = sn_formula_expr(f, e);
    const char *val = r.lit || r.ty != SN_TY_REAL ? sn_formula_f32(f, r) : r.s;

    if (r.prec < P_PRIM) {
        const char *name = sn_format(f->a, "w%u", f->nhoist++);
        sn_putf(f->elem, "const float %s = %s;\n", name, val);
        val = name;
    }
    return val;
}

/* val by the row of a form, by the row for any point, or by its own steps. */
static const char *
by_row(SnFormula *f, const char *use, const char *a, const char *b,
       const char *val, const SnMid *y)
{
    const char *l = y->lim;

    if (!f->text)
        return sn_format(f->a,
                         "sn_row_quant(&%s, %s, %s, %s, %s, %s, %s.lo, %s.hi)",
                         use, a, b, val, y->scale, y->zp, l, l);
    const char *real = sn_format(
        f->a, "(%s == %s ? %s : %s.lo)", val, val,
        row_at(f, use, "", sn_format(f->a, "sn_bits_f32(%s)", val), "0", l), l);
    return sn_text_alt(f, sn_format(f->a, "has_%s", use),
                       sn_text_alt(f, sn_format(f->a, "real_%s", use), real,
                                   row_at(f, use, "", a, b, l)),
                       sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)",
                                 val, y->scale, y->zp, l, l));
}

static void
mean_quant(SnFormula *f, const SnDefPort *x, const SnExpr *e, const SnMid *y,
           SnCVal *v)
{
    Code c = {"0", sn_formula_scale(f, x), sn_formula_zp(f, x)};
    const char *use = use_row(f, SN_FORM_MEAN, &c, NULL, y, true);
    const char *sum = int_sum(f, x);

    if (!f->text && sn_formula_once(f, use, f->nscope))
        sn_putf(&f->set, "sn_row_divide(&%s, m.nall);\n", use);
    if (always(f, SN_FORM_MEAN, f->sem->map))
        *v = (SnCVal){.s = row_at(f, use, "", sum, "0", y->lim),
                      .ty = SN_TY_INT,
                      .prec = P_PRIM};
    else
        keep(f, by_row(f, use, sum, "0", value_of(f, e), y), v);
}

/* q(e) for e of these forms, for which a row may exist. */
static bool
two_codes(SnFormula *f, const SnExpr *e, const SnMid *y, bool own, SnCVal *v)
{
    SnForm form = sn_form_of(f->sem, e);
    bool after = own && after_of(f) != NULL;
    Code a, b;
    bool two = form >= SN_FORM_SUM && form <= SN_FORM_PRODUCT &&
               grid_code(f, e->kid[0], &a) && grid_code(f, e->kid[1], &b);

    if (!two && !after)
        return false;
    const char *use = two ? use_row(f, form, &a, &b, y, own)
                          : use_row(f, SN_FORM_POINT, NULL, NULL, y, own);
    keep(f, by_row(f, use, two ? a.v : "0", two ? b.v : "0", value_of(f, e), y),
         v);
    return true;
}

bool
sn_row_quant(SnFormula *f, const SnExpr *q, SnCVal *v)
{
    const SnExpr *e = q->kid[0];
    const SnDefPort *y = f->n->out[f->res], *x;
    SnDefConc out = sn_formula_out(f);
    SnForm form = sn_form_of(f->sem, e);

    *v = (SnCVal){.ty = SN_TY_INT, .prec = P_PRIM};
    if (out.axis >= 0 || out.elem == SN_QI32)
        return false;
    bool two = form >= SN_FORM_SUM && form <= SN_FORM_PRODUCT;
    if (!f->dot && form != SN_FORM_MEAN && !two && !after_of(f))
        return false;
    SnMid m = {"", f->text ? sn_formula_zp(f, y) : "", sn_formula_lim(f)};
    if (sn_row_requant(f, e, m.zp, m.lim,
                       sn_format(f->a, "c->out[%u].type", f->res), "mul", v))
        return true;
    m.zp = sn_formula_zp(f, y);
    m.scale = sn_formula_scale(f, y);
    x = form == SN_FORM_MEAN ? deq_of(f, e->kid[0]) : NULL;
    if (x && sn_conc_code(f->t->in[x->index]) && f->t->in[x->index].axis < 0 &&
        f->t->in[x->index].elem != SN_QI32) {
        mean_quant(f, x, e, &m, v);
        return true;
    }
    return two_codes(f, e, &m, true, v);
}

bool
sn_row_mid(SnFormula *f, const SnExpr *e, const SnMid *m, SnCVal *v)
{
    return f->ctx != SN_IN_SET && two_codes(f, e, m, false, v);
}

/* ---- windows ---- */

bool
sn_row_window(const SnFormula *f, const SnExpr *e)
{
    if ((e->fn == SN_FN_Q && e->nkid == 1))
        e = e->kid[0];
    if ((e->fn == SN_FN_MEAN && e->nkid == 1))
        return deq_of(f, e->kid[0]) != NULL;
    if (e->ek != SN_E_CALL || e->nkid != 1)
        return false;
    if (e->fn != SN_FN_MAX && e->fn != SN_FN_MIN && e->fn != SN_FN_ARGMAX &&
        e->fn != SN_FN_ARGMIN)
        return false;
    return sn_formula_port(f, e->kid[0]) || deq_of(f, e->kid[0]);
}

SnCVal
sn_row_lrn(SnFormula *f)
{
    static const char *const name[] = {"size", "alpha", "beta", "k"};
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *y = f->n->out[f->res];

    for (int i = 0; i < 4; i++) {
        const SnDefAttr *a = sn_def_attr(f->n, name[i]);
        if (!a || a->ty != (i ? SN_A_REAL : SN_A_INT))
            return sn_formula_refuse(f,
                                     "the row lrn reads attributes size : int, "
                                     "alpha, beta, k : real");
    }
    if (!sn_formula_map_has(f, SN_MS_CENTRE) ||
        f->t->in[x->index].elem != SN_QI8 || sn_formula_out(f).elem != SN_QI8)
        return sn_formula_refuse(f, "the row lrn is for quant(i8) over "
                                    "window_channel");
    const char *p = sn_formula_ptr(f, x), *s = sn_formula_scale(f, x);
    const char *z = sn_formula_zp(f, x), *lim = sn_formula_lim(f);
    const char *ys = sn_formula_scale(f, y), *yz = sn_formula_zp(f, y);
    const char *at = f->text ? "at_" : "at->";
    for (int i = 0; i < 4 && f->text; i++)
        sn_text_def(f, "at_%s attr %s", name[i], name[i]);
    sn_putf(&f->set,
            "int32_t sum = 0;\n%s\n"
            "const int32_t v = %s[%s] - %s;\nsum += v * v;\n%s\n"
            "const float t = sn_lrn_t(sum, %salpha, (int32_t)%ssize, %s, "
            "%sk);\n",
            sn_text_taps(f), p, sn_text_at(f, 'i', x, "m.a[k]"), z,
            sn_text_end(f), at, at, s, at);
    sn_putf(f->elem, "const float d_x = sn_dequant(%s[%s], %s, %s);\n", p,
            sn_text_at(f, 'm', x, "m.c[e]"), s, z);
    return (SnCVal){.s = sn_format(f->a,
                                   "sn_quant(sn_lrn_y(d_x, t, %sbeta), %s, %s, "
                                   "%s.lo, %s.hi)",
                                   at, ys, yz, lim, lim),
                    .ty = SN_TY_INT,
                    .prec = P_PRIM};
}

/* sn_normal_line has the arithmetic; values shared by all rows are prepared
 * once. */
SnCVal
sn_row_normalize(SnFormula *f)
{
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *y = f->n->out[f->res];
    const SnDefAttr *eps = sn_def_attr(f->n, "eps");
    bool centred = f->sem->row == SN_ROW_NORMALIZE;

    if (!eps || eps->ty != SN_A_REAL)
        return sn_formula_refuse(
            f, "the rows normalize and rms read an attribute eps : real");
    if (!sn_formula_map_has(f, SN_MS_CENTRE) ||
        f->t->in[x->index].elem != SN_QI8 || sn_formula_out(f).elem != SN_QI8)
        return sn_formula_refuse(f, "the rows normalize and rms are for "
                                    "quant(i8) over sets with a centre");
    const char *p = sn_formula_ptr(f, x);
    if (f->text)
        sn_text_def(f, "normal normal i%u o%u %s", x->index, f->res,
                    centred ? "mean" : "zp");
    else
        sn_putf(&f->post,
                "SnNormal normal;\n"
                "SN_TRY(sn_normal_open(&normal, c, m.maxtap, at->eps, %s, "
                "c->in[%u].type, c->out[%u].type));\n",
                centred ? "true" : "false", x->index, y->index);
    sn_putf(&f->set,
            "int64_t sum = 0, squares = 0;\n%s\n"
            "const int64_t v = %s[%s];\nsum += v;\nsquares += v * v;\n%s\n"
            "const SnLine line = sn_normal_line(&normal, sum, squares);\n",
            sn_text_taps(f), p, sn_text_at(f, 'i', x, "m.a[k]"),
            sn_text_end(f));
    return (SnCVal){.s = sn_format(f->a, "sn_line_at(line, %s[%s])", p,
                                   sn_text_at(f, 'm', x, "m.c[e]")),
                    .ty = SN_TY_INT,
                    .prec = P_PRIM};
}
