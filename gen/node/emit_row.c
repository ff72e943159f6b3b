// SPDX-License-Identifier: Apache-2.0
/* Rows of the arithmetic contract (docs/numerics.md) that are not the literal
 * composition of a formula's steps. */
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
    const char *fix = sn_format(f->a, "%s_fix", mul);
    if (f->text && sn_formula_once(f, mul, 0)) {
        sn_text_def(f, "%s mults i%u i%u %s", mul, f->dot_x, f->dot_w, grid);
        sn_text_def(f, "%s fixes i%u i%u %s", fix, f->dot_x, f->dot_w, grid);
    }
    if (!f->text && sn_formula_once(f, mul, 0))
        sn_putf(&f->pre,
                "const float *%s = sn_mults(c->scratch, sn_opnd(c, %u)->type, "
                "sn_opnd(c, %u)->type, %s);\n",
                mul, f->dot_x, f->dot_w, ytype);
    if (!f->text && sn_formula_once(f, fix, 0))
        sn_putf(&f->pre,
                "const SnFix *%s = sn_fixes(c, sn_opnd(c, %u)->type, "
                "sn_opnd(c, %u)->type, %s);\n",
                fix, f->dot_x, f->dot_w, ytype);
    const char *acc = f->text ? "acc" : wide ? "dot.w[i]" : "dot.i[i]";
    if (b) {
        const char *code = sn_formula_code(f, b);
        acc = sn_format(f->a, wide ? "%s + %s" : "sn_add32(%s, %s)", acc, code);
    }
    if (cw.axis >= 0)
        f->want_chan = true;
    const char *ch = cw.axis < 0 ? "0" : f->text ? "@c" : "ch";
    const char *w = wide ? "64" : "";
    v->s = sn_text_alt(
        f, f->text ? "fixed" : fix,
        sn_format(f->a, "sn_fix_requant%s(%s, %s[%s], %s, %s.lo, %s.hi)", w,
                  acc, fix, ch, zp, lim, lim),
        sn_format(f->a, "sn_requant%s(%s, %s[%s], %s, %s.lo, %s.hi)", w, acc,
                  mul, ch, zp, lim, lim));
    v->ty = SN_TY_INT;
    v->prec = P_PRIM;
    v->fixed = v->lit = false;
    return true;
}

/* ---- round = after ---- */

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

/* ---- fixed-point policies ---- */

/* Declares `fixed`: the graph's rounding is not float. */
static const char *
fixed_flag(SnFormula *f)
{
    if (!f->text && sn_formula_once(f, "fixed", 0))
        sn_puts(&f->pre, "const bool fixed = c->rounding != "
                         "SN_ROUNDING_FLOAT;\n");
    return "fixed";
}

/* A selection of codes and constants, each rescaled to the grid by itself;
 * NULL: e is none. */
static const char *
selected(SnFormula *f, const SnExpr *e, const SnMid *to, bool *codes)
{
    const char *v[2];
    Code c;

    if (((e->fn == SN_FN_MAX && e->nkid == 2) ||
         (e->fn == SN_FN_MIN && e->nkid == 2))) {
        for (int i = 0; i < 2; i++)
            if (!(v[i] = selected(f, e->kid[i], to, codes)))
                return NULL;
        return sn_format(f->a, "sn_int_%s(%s, %s)", e->s, v[0], v[1]);
    }
    if (e->fn == SN_FN_D) {
        if (!grid_code(f, e, &c))
            return NULL;
        const char *m = sn_format(f->a, "%s_%s_fix", c.s, to->scale);
        if (f->text && sn_formula_once(f, m, 0))
            sn_text_def(f, "%s fix %s %s", m, c.s, to->scale);
        else if (!f->text && sn_formula_once(f, m, 0))
            sn_putf(&f->pre,
                    "const SnFix %s = sn_fix(c->rounding, (double)%s "
                    "/ (double)%s);\n",
                    m, c.s, to->scale);
        *codes = true;
        return sn_format(f->a, "sn_fix_requant(%s - %s, %s, %s, %s.lo, %s.hi)",
                         c.v, c.z, m, to->zp, to->lim, to->lim);
    }
    if (e->ek == SN_E_CALL || e->ek == SN_E_BIN || sn_formula_port(f, e))
        return NULL;
    return sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)",
                     sn_formula_f32(f, sn_formula_expr(f, e)), to->scale,
                     to->zp, to->lim, to->lim);
}

/* Every code of e with its own grid, none along an axis or wide? */
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
    bool codes = false;

    if (f->ctx == SN_IN_SET || !selects(f, e) ||
        (!mid && (out.axis >= 0 || out.elem == SN_QI32)))
        return;
    SnMid to = mid ? *mid
                   : (SnMid){sn_formula_scale(f, y), sn_formula_zp(f, y),
                             sn_formula_lim(f)};
    const char *sel = selected(f, e, &to, &codes);
    if (!codes)
        return;
    v->s = sn_text_alt(f, fixed_flag(f), sel, v->s);
    v->prec = P_PRIM;
    v->fixed = v->lit = false;
}

/* ---- round = after, means ---- */

/* Declares `after` and, with a zp_shift, `sh`; NULL: the node has no `round`
 * attribute with a word `after`. */
static const char *
after_flag(SnFormula *f)
{
    const SnDefAttr *a = sn_def_attr(f->n, "round");
    const SnDefAttr *s = sn_def_attr(f->n, "zp_shift");
    if (!a || a->ty != SN_A_ENUM ||
        !sn_name_among(a->word, a->nword, sn_words[SN_W_AFTER]))
        return NULL;
    if (f->text && sn_formula_once(f, "after", 0))
        sn_text_def(f, "sh shift %s", s && s->ty == SN_A_INT ? s->name : "-");
    if (!f->text && sn_formula_once(f, "after", 0)) {
        sn_putf(&f->pre, "const bool after = at->round == SN_%s_ROUND_AFTER;\n",
                sn_upper(f->a, f->n->name));
        if (s && s->ty == SN_A_INT)
            sn_puts(&f->pre, "const int32_t sh = (int32_t)at->zp_shift;\n");
        else
            sn_puts(&f->pre, "const int32_t sh = 0;\n");
    }
    return "after";
}

/* The `after` form of e, or NULL where it needs the value: then it is
 * rne(v / scale + zp).  Every operand and zero point carries sh. */
static const char *
after_form(SnFormula *f, const SnExpr *e, const char *y, const char *yz,
           const char *lim)
{
    Code a, b;

    if (e->ek != SN_E_BIN || (e->op != SN_OP_ADD && e->op != SN_OP_MUL) ||
        !grid_code(f, e->kid[0], &a) || !grid_code(f, e->kid[1], &b))
        return NULL;
    const char *args = sn_format(f->a,
                                 "%s + sh, %s, %s + sh, %s + sh, %s, %s + sh, "
                                 "%s, %s + sh, %s.lo + sh, %s.hi + sh",
                                 a.v, a.s, a.z, b.v, b.s, b.z, y, yz, lim, lim);
    if (e->op == SN_OP_MUL)
        return sn_format(f->a, "sn_mul_after(%s) - sh", args);
    return sn_format(f->a, "sn_add_after(%s) - sh", args);
}

/* The integer sum of q - x.zp over the set. */
static const char *
int_sum(SnFormula *f, const SnDefPort *x)
{
    const char *z = sn_formula_zp(f, x), *p = sn_formula_ptr(f, x);

    if (!sn_formula_once(f, "isum", f->nscope))
        return "isum";
    if (f->text)
        sn_putf(&f->set,
                "int64_t isum = 0;\n@taps\nisum += %s[@i%u] - %s;\n@end\n", p,
                x->index, z);
    else
        sn_putf(&f->set,
                "int64_t isum = 0;\nfor (int64_t k = 0; k < m.ntap; k++)\n"
                "    isum += %s[m.a[k] + l * m.lane_a] - %s;\n",
                p, z);
    return "isum";
}

/* The row of quantized means over a whole axis or image. */
static const char *
mean_row(SnFormula *f, const SnDefPort *x, const char *ys, const char *yz,
         const char *lim)
{
    const char *sum = int_sum(f, x);

    return sn_format(f->a,
                     "sn_requant64(%s, %s / (%s * (float)%s), "
                     "%s, %s.lo, %s.hi)",
                     sum, sn_formula_scale(f, x), ys, f->text ? "@N" : "m.nall",
                     yz, lim, lim);
}

/* The same by the graph's rounding: nodes without `round`. */
static const char *
mean_any(SnFormula *f, const SnDefPort *x, const char *ys, const char *yz,
         const char *lim)
{
    const char *row = mean_row(f, x, ys, yz, lim);
    const char *xs = sn_formula_scale(f, x);
    const char *m = sn_format(f->a,
                              "sn_fix(c->rounding, (double)%s / ((double)%s * "
                              "(double)m.nall))",
                              xs, ys);

    if (f->text) {
        m = "mean_fix";
        if (sn_formula_once(f, m, 0))
            sn_text_def(f, "%s fixed_mean %s %s", m, xs, ys);
    }
    return sn_text_alt(f, fixed_flag(f),
                       sn_format(f->a,
                                 "sn_fix_requant64(%s, %s, %s, %s.lo, %s.hi)",
                                 int_sum(f, x), m, yz, lim, lim),
                       row);
}

static void
after_or(SnFormula *f, const char *after, const char *before, SnCVal *v)
{
    const char *name = sn_format(f->a, "q%u", f->nhoist++);

    if (f->text)
        sn_putf(f->elem, "const int32_t %s = %s;\n", name,
                sn_text_alt(f, "after", after, before));
    else
        sn_putf(f->elem,
                "int32_t %s;\nif (after)\n    %s = %s;\nelse\n"
                "    %s = %s;\n",
                name, name, after, name, before);
    *v = (SnCVal){.s = name, .ty = SN_TY_INT, .prec = P_PRIM};
}

static bool
mean_quant(SnFormula *f, const SnDefPort *x, const SnExpr *e, const char *ys,
           const char *yz, const char *lim, SnCVal *v)
{
    if (!sn_formula_map_has(f, SN_MS_PARTS)) {
        v->s = mean_any(f, x, ys, yz, lim);
        v->ty = SN_TY_INT;
        v->prec = P_PRIM;
        return true;
    }
    if (!after_flag(f))
        return false;
    const char *row = mean_row(f, x, ys, yz, lim);
    SnCVal m = sn_formula_expr(f, e);
    const char *part = sn_format(
        f->a, "sn_quant_after(%s, %s, %s + sh, %s.lo + sh, %s.hi + sh) - sh",
        m.s, ys, yz, lim, lim);
    const char *after = f->text
                            ? sn_text_alt(f, "whole", row, part)
                            : sn_format(f->a, "m.whole ? %s : %s", row, part);
    after_or(f, after,
             sn_format(f->a, "sn_quant(%s, %s, %s, %s.lo, %s.hi)", m.s, ys, yz,
                       lim, lim),
             v);
    return true;
}

bool
sn_row_quant(SnFormula *f, const SnExpr *q, SnCVal *v)
{
    const SnExpr *e = q->kid[0];
    const SnDefPort *y = f->n->out[f->res], *x;
    SnDefConc out = sn_formula_out(f);

    *v = (SnCVal){.ty = SN_TY_INT, .prec = P_PRIM};
    if (out.axis >= 0 || out.elem == SN_QI32)
        return false;
    if (f->dot || (e->fn == SN_FN_MEAN && e->nkid == 1) || after_flag(f)) {
        const char *yz = sn_formula_zp(f, y), *lim = sn_formula_lim(f);
        if (sn_row_requant(f, e, yz, lim,
                           sn_format(f->a, "c->out[%u].type", f->res), "mul",
                           v))
            return true;
        const char *ys = sn_formula_scale(f, y);
        x = (e->fn == SN_FN_MEAN && e->nkid == 1) ? deq_of(f, e->kid[0]) : NULL;
        if (x && sn_conc_code(f->t->in[x->index]) &&
            f->t->in[x->index].axis < 0 && f->t->in[x->index].elem != SN_QI32)
            return mean_quant(f, x, e, ys, yz, lim, v);
        if (!after_flag(f))
            return false;
        const char *after = after_form(f, e, ys, yz, lim);
        SnCVal r = sn_formula_expr(f, e);
        const char *val =
            r.lit || r.ty != SN_TY_REAL ? sn_formula_f32(f, r) : r.s;
        if (r.prec < P_PRIM) {
            const char *name = sn_format(f->a, "w%u", f->nhoist++);
            sn_putf(f->elem, "const float %s = %s;\n", name, val);
            val = name;
        }
        if (after == NULL)
            after = sn_format(f->a,
                              "sn_quant_after(%s, %s, %s + sh, "
                              "%s.lo + sh, %s.hi + sh) - sh",
                              val, ys, yz, lim, lim);
        after_or(f, after,
                 sn_format(f->a,
                           "sn_quant(%s, %s, %s, %s.lo, "
                           "%s.hi)",
                           val, ys, yz, lim, lim),
                 v);
        return true;
    }
    return false;
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
            "    const int32_t v = %s[%s] - %s;\n    sum += v * v;\n%s\n"
            "const float t = sn_lrn_t(sum, %salpha, (int32_t)%ssize, %s, "
            "%sk);\n",
            sn_text_taps(f), p,
            f->text ? sn_format(f->a, "@i%u", x->index) : "m.a[k]", z,
            f->text ? "@end" : "}", at, at, s, at);
    sn_putf(f->elem, "const float d_x = sn_dequant(%s[%s], %s, %s);\n", p,
            f->text ? "@m0" : "m.c[0]", s, z);
    return (SnCVal){.s = sn_format(f->a,
                                   "sn_quant(sn_lrn_y(d_x, t, %sbeta), %s, %s, "
                                   "%s.lo, %s.hi)",
                                   at, ys, yz, lim, lim),
                    .ty = SN_TY_INT,
                    .prec = P_PRIM};
}
