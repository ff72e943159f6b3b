// SPDX-License-Identifier: Apache-2.0
/* Operands and results of emitted evaluators: their variables (pointer, scale,
 * zero point, limits), declared on first use, and their current element. */
#include "gen/node/formula.h"

#include <string.h>

#include "dsl/model/reads.h"

SnDefConc
sn_formula_out(const SnFormula *f)
{
    return f->t->out[f->res];
}

bool
sn_conc_code(SnDefConc c)
{
    return c.elem == SN_QI8 || c.elem == SN_QI16 || c.elem == SN_QI32;
}

const SnDefPort *
sn_formula_port(const SnFormula *f, const SnExpr *e)
{
    return e->ek == SN_E_NAME ? sn_def_operand(f->n, e->s) : NULL;
}

bool
sn_formula_mapped(const SnFormula *f, const SnDefPort *p)
{
    for (uint32_t i = 0; i < f->sem->narg; i++)
        if (sn_formula_port(f, f->sem->arg[i]) == p)
            return true;
    return false;
}

bool
sn_formula_once(SnFormula *f, const char *name, uint32_t scope)
{
    const char *key = sn_format(f->a, "%u %s", scope, name);

    if (sn_name_among(f->name, f->nname, key))
        return false;
    SN_PUSH(f->a, f->name, f->nname, key);
    return true;
}

/* ---- variables of ports ---- */

static SnDefConc
conc_of(const SnFormula *f, const SnDefPort *p)
{
    return (p->out ? f->t->out : f->t->in)[p->index];
}

const char *
sn_formula_ptr(SnFormula *f, const SnDefPort *p)
{
    const char *v = sn_local(f->a, p->name);
    const char *ty = sn_elem_ctype(conc_of(f, p).elem);

    if (f->text)
        return sn_format(f->a, p->out ? "%s_out" : "%s_in", p->name);
    if (!sn_formula_once(f, v, 0))
        return v;
    sn_putf(&f->pre,
            p->out ? "%s *%s = c->out[%u].data;\n"
                   : "const %s *%s = sn_opnd(c, %u)->data;\n",
            ty, v, p->index);
    return v;
}

/* The type of a port, in C and as texts call it. */
static const char *
type_of(const SnFormula *f, const SnDefPort *p)
{
    return sn_format(f->a, p->out ? "c->out[%u].type" : "sn_opnd(c, %u)->type",
                     p->index);
}

static const char *
type_word(const SnFormula *f, const SnDefPort *p)
{
    return sn_format(f->a, "%c%u", p->out ? 'o' : 'i', p->index);
}

/* Declares a value before all loops, once. */
static void
declare(SnFormula *f, const char *name, const char *text, const char *c)
{
    if (!sn_formula_once(f, name, 0))
        return;
    if (f->text)
        sn_text_def(f, "%s %s", name, text);
    else
        sn_putf(&f->pre, "const %s;\n", c);
}

typedef struct Param { /* of a type */
    const char *suffix, *what, *ty;
} Param;
static const Param scale = {"s", "scale", "float"}, zp = {"z", "zp", "int32_t"};

static void
declare_param(SnFormula *f, const char *name, const Param *k, const char *word,
              const char *type)
{
    declare(
        f, name, sn_format(f->a, "%s %s", k->what, word),
        sn_format(f->a, "%s %s = sn_%s_of(%s)", k->ty, name, k->what, type));
}

/* The limits of a type's codes within a range, NULL: all. */
static void
declare_lim(SnFormula *f, const char *name, const char *range, const char *word,
            const char *type)
{
    declare(f, name, sn_format(f->a, "lim %s %s", word, range ? range : "-"),
            sn_format(f->a, "SnLim %s = sn_lim(%s, %s)", name, type,
                      range ? sn_format(f->a, "at->%s", sn_field(f->a, range))
                            : "sn_range_open()"));
}

/* Per-axis parameters, an array along the axis, are read once per slice: of the
 * map's slice in point nodes, of the channel in contracts. */
static const char *
param(SnFormula *f, const SnDefPort *p, const Param *k)
{
    const char *v = sn_format(f->a, "%s_%s", p->name, k->suffix);
    const char *all = sn_format(f->a, "%sv", v);
    bool point = f->ctx == SN_IN_POINT;

    if (conc_of(f, p).axis < 0) {
        declare_param(f, v, k, type_word(f, p), type_of(f, p));
        return v;
    }
    f->want_chan = f->want_chan || !point;
    declare(
        f, all, sn_format(f->a, "%ss %s", k->what, type_word(f, p)),
        sn_format(f->a, "%s *%s = %s->%s", k->ty, all, type_of(f, p), k->what));
    if (sn_formula_once(f, v, point ? 0 : f->nscope))
        sn_putf(point ? &f->slice : f->elem, "const %s %s = %s[%s];\n", k->ty,
                v, all,
                f->text ? (point ? "@s" : "@c") : (point ? "m.slice" : "ch"));
    return v;
}

const char *
sn_formula_scale(SnFormula *f, const SnDefPort *p)
{
    return param(f, p, &scale);
}

const char *
sn_formula_zp(SnFormula *f, const SnDefPort *p)
{
    return param(f, p, &zp);
}

const char *
sn_formula_lim(SnFormula *f)
{
    const SnDefPort *y = f->n->out[f->res];
    const char *v = sn_format(f->a, "%s_lim", y->name);

    declare_lim(f, v, f->sem->clamp ? f->sem->clamp->name : NULL,
                type_word(f, y), type_of(f, y));
    return v;
}

const char *
sn_formula_limf(SnFormula *f, const char *range)
{
    const char *v = sn_format(f->a, "%s_lim", range);

    declare(f, v, sn_format(f->a, "limf %s", range),
            sn_format(f->a, "SnLimF %s = sn_limf(at->%s)", v,
                      sn_field(f->a, range)));
    return v;
}

bool
sn_formula_mid(SnFormula *f, const SnExpr *q, SnMid *m)
{
    const SnExpr *t = q->kid[1];

    if (t->ek != SN_E_NAME || !sn_def_attr(f->n, t->s))
        return false;
    const char *at = sn_format(f->a, "at->%s", sn_field(f->a, t->s));
    m->scale = sn_format(f->a, "%s_s", t->s);
    m->zp = sn_format(f->a, "%s_z", t->s);
    m->lim = sn_format(f->a, "%s_lim", t->s);
    if (!f->text && sn_formula_once(f, at, 0))
        sn_putf(&f->pre,
                "if (!sn_is_code(%s))\n"
                "    return sn_call_fail(c, \"%s is no 8- or 16-bit quantized "
                "type\");\n",
                at, t->s);
    declare_param(f, m->scale, &scale, t->s, at);
    declare_param(f, m->zp, &zp, t->s, at);
    declare_lim(f, m->lim, q->nkid > 2 ? q->kid[2]->s : NULL, t->s, at);
    return true;
}

/* ---- elements ---- */

/* Index of operand p's element outside reductions of set maps: its centre, the
 * channel for a vector, else the result's own place. */
static const char *
out_index(SnFormula *f, const SnDefPort *p)
{
    if (sn_formula_mapped(f, p)) {
        if (f->sem->cls == SN_C_CONTRACT) {
            sn_formula_refuse(f, "an operand of a sum is read outside it");
            return "0";
        }
        return sn_text_at(f, 'm', p, "m.c[e]");
    }
    if (p->fact == SN_PIN) {
        f->want_chan = true;
        return f->text ? "@c" : "ch";
    }
    if (f->text)
        return sn_text_at(f, 'v', p, NULL);
    const char *vec = sn_format(f->a, "%s_vec", p->name);
    if (sn_formula_once(f, vec, 0))
        sn_putf(&f->pre, "const bool %s = sn_is_vector(c, %u, %u);\n", vec,
                p->index, f->res);
    f->want_chan = true;
    return sn_format(f->a, "%s ? ch : o", vec);
}

static const char *
set_index(SnFormula *f, const SnDefPort *p)
{
    const SnDefSem *m = f->sem;

    for (uint32_t i = 0; i < m->narg && i < 2; i++)
        if (sn_formula_port(f, m->arg[i]) == p)
            return sn_text_at(f, 'i', p,
                              i ? "m.b[k] + l * m.lane_b"
                                : "m.a[k] + l * m.lane_a");
    if (!sn_formula_mapped(f, p) && sn_formula_map_has(f, SN_MS_BESIDE))
        return f->text ? "@b" : "m.b[k]";
    sn_formula_refuse(f, "an operand that the map does not read is inside a "
                         "reduction");
    return "0";
}

bool
sn_formula_map_has(const SnFormula *f, SnMapStmtKind kind)
{
    return f->sem->decl && sn_map_stmt(f->sem->decl->decl, kind);
}

/* Do an operand's elements choose rows? */
static bool
reads_elements(const SnFormula *f)
{
    const SnMapDecl *d = f->sem->decl ? f->sem->decl->decl : NULL;

    for (unsigned i = 0; d && i < d->nparam; i++)
        if (d->param[i].data)
            return true;
    return false;
}

/* v where the operand is there, else none. */
static const char *
given(SnFormula *f, const SnDefPort *p, const char *v, const char *none)
{
    return sn_text_alt(
        f, f->text ? sn_format(f->a, "in%u", p->index) : sn_formula_ptr(f, p),
        v, none);
}

const char *
sn_formula_code(SnFormula *f, const SnDefPort *p)
{
    const char *v = sn_format(f->a, "v_%s", p->name);
    SnDefConc c = conc_of(f, p);
    const char *idx;

    if (!sn_formula_once(f, v, f->nscope))
        return v;
    const char *ptr = sn_formula_ptr(f, p);
    if (c.elem == SN_ROW8) {
        if (f->ctx != SN_IN_SET || !reads_elements(f))
            sn_formula_refuse(f, "rows of row8 are read by index only");
        sn_putf(f->elem, "const float %s = sn_dequant_row8(%s + %s, %s, %s);\n",
                v, ptr, sn_text_at(f, 'r', p, "m.a[k]"),
                sn_text_at(f, 'l', p, "m.nlane"), sn_text_at(f, 'j', p, "l"));
        return v;
    }
    if (f->ctx == SN_IN_POINT && f->text)
        idx = sn_text_at(f, 'i', p, NULL);
    else if (f->ctx == SN_IN_POINT && !sn_sem_each(f->sem) &&
             sn_sem_each_repeats(f->sem)) {
        sn_putf(&f->slice,
                "const int64_t off%u = m.off[%u], step%u = m.step[%u];\n",
                p->index, p->index, p->index, p->index);
        idx = sn_format(f->a, "off%u + i * step%u", p->index, p->index);
    } else if (f->ctx == SN_IN_POINT)
        idx = conc_of(f, f->n->out[f->res]).axis >= 0 || c.axis >= 0 ? "o + i"
                                                                     : "i";
    else
        idx = f->ctx == SN_IN_SET ? set_index(f, p) : out_index(f, p);
    idx = sn_format(f->a, "%s[%s]", ptr, idx);
    sn_putf(f->elem, "const %s %s = %s;\n", sn_elem_ctype(c.elem), v,
            p->optional ? given(f, p, idx, "0") : idx);
    return v;
}

SnCVal
sn_formula_raw(SnFormula *f, const SnDefPort *p)
{
    SnDefConc c = conc_of(f, p);
    SnCVal v = {.s = sn_formula_code(f, p), .prec = P_PRIM};

    v.ty = c.elem == SN_F32 || c.elem == SN_ROW8 ? SN_TY_REAL
           : c.elem == SN_BOOL                   ? SN_TY_BOOL
                                                 : SN_TY_INT;
    return v;
}

SnCVal
sn_formula_deq(SnFormula *f, const SnDefPort *p)
{
    SnDefConc c = conc_of(f, p);
    const char *v = sn_format(f->a, "d_%s", p->name);

    if (c.elem == SN_ABSENT || c.elem == SN_F16)
        return sn_formula_refuse(f, "this type cannot be read");
    if (!sn_conc_code(c))
        return sn_formula_raw(f, p);
    const char *code = sn_formula_code(f, p);
    if (sn_formula_once(f, v, f->nscope)) {
        const char *s = sn_formula_scale(f, p);
        const char *d = c.elem == SN_QI32
                            ? sn_format(f->a, "sn_dequant32(%s, %s)", code, s)
                            : sn_format(f->a, "sn_dequant(%s, %s, %s)", code, s,
                                        sn_formula_zp(f, p));
        if (p->optional && c.elem != SN_QI32)
            d = given(f, p, d, "0.0f");
        sn_putf(f->elem, "const float %s = %s;\n", v, d);
    }
    return (SnCVal){.s = v, .ty = SN_TY_REAL, .prec = P_PRIM};
}
