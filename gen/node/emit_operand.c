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
    if (p->out)
        sn_putf(&f->pre, "%s *%s = c->out[%u].data;\n", ty, v, p->index);
    else
        sn_putf(&f->pre, "const %s *%s = sn_opnd(c, %u)->data;\n", ty, v,
                p->index);
    return v;
}

/* "x_t": the SnType of a port. */
static const char *
type_var(SnFormula *f, const SnDefPort *p)
{
    const char *v = sn_format(f->a, "%s_t", p->name);

    if (sn_formula_once(f, v, 0)) {
        if (p->out)
            sn_putf(&f->pre, "const SnType *%s = c->out[%u].type;\n", v,
                    p->index);
        else
            sn_putf(&f->pre, "const SnType *%s = sn_opnd(c, %u)->type;\n", v,
                    p->index);
    }
    return v;
}

/* The same in a text: an array `NAMEv` along the axis. */
static const char *
param_text(SnFormula *f, const SnDefPort *p, const char *suffix, const char *ty)
{
    const char *v = sn_format(f->a, "%s_%s", p->name, suffix);
    const char *what = *suffix == 's' ? "scale" : "zp";
    char side = p->out ? 'o' : 'i';

    if (conc_of(f, p).axis < 0) {
        if (sn_formula_once(f, v, 0))
            sn_text_def(f, "%s %s %c%u", v, what, side, p->index);
        return v;
    }
    bool point = f->ctx == SN_IN_POINT;
    const char *all = sn_format(f->a, "%sv", v);
    f->want_chan = f->want_chan || !point;
    if (sn_formula_once(f, all, 0))
        sn_text_def(f, "%s %ss %c%u", all, what, side, p->index);
    if (sn_formula_once(f, v, point ? 0 : f->nscope))
        sn_putf(point ? &f->slice : f->elem, "const %s %s = %s[%s];\n", ty, v,
                all, point ? "@s" : "@c");
    return v;
}

/* Per-axis parameters are read once per slice: of the map's slice in point
 * nodes, of the channel in contracts. */
static const char *
param(SnFormula *f, const SnDefPort *p, const char *suffix, const char *ty,
      const char *field, const char *fn)
{
    const char *v = sn_format(f->a, "%s_%s", p->name, suffix);

    if (f->text)
        return param_text(f, p, suffix, ty);
    if (conc_of(f, p).axis >= 0) {
        const char *t = type_var(f, p);
        bool point = f->ctx == SN_IN_POINT;
        if (!point)
            f->want_chan = true;
        if (sn_formula_once(f, v, point ? 0 : f->nscope))
            sn_putf(point ? &f->slice : f->elem, "const %s %s = %s->%s[%s];\n",
                    ty, v, t, field, point ? "m.slice" : "ch");
    } else if (sn_formula_once(f, v, 0)) {
        sn_putf(&f->pre, "const %s %s = %s(%s);\n", ty, v, fn,
                sn_format(f->a,
                          p->out ? "c->out[%u].type" : "sn_opnd(c, %u)->type",
                          p->index));
    }
    return v;
}

const char *
sn_formula_scale(SnFormula *f, const SnDefPort *p)
{
    return param(f, p, "s", "float", "scale", "sn_scale_of");
}

const char *
sn_formula_zp(SnFormula *f, const SnDefPort *p)
{
    return param(f, p, "z", "int32_t", "zp", "sn_zp_of");
}

const char *
sn_formula_lim(SnFormula *f)
{
    const SnDefPort *y = f->n->out[f->res];
    const char *v = sn_format(f->a, "%s_lim", y->name);
    const char *range = f->sem->clamp ? f->sem->clamp->name : "-";

    if (!sn_formula_once(f, v, 0))
        return v;
    if (f->text)
        sn_text_def(f, "%s lim o%u %s", v, f->res, range);
    else
        sn_putf(&f->pre, "const SnLim %s = sn_lim(c->out[%u].type, %s);\n", v,
                f->res,
                f->sem->clamp ? sn_format(f->a, "at->%s",
                                          sn_field(f->a, f->sem->clamp->name))
                              : "sn_range_open()");
    return v;
}

const char *
sn_formula_limf(SnFormula *f, const char *range)
{
    const char *v = sn_format(f->a, "%s_lim", range);

    if (!sn_formula_once(f, v, 0))
        return v;
    if (f->text)
        sn_text_def(f, "%s limf %s", v, range);
    else
        sn_putf(&f->pre, "const SnLimF %s = sn_limf(at->%s);\n", v,
                sn_field(f->a, range));
    return v;
}

bool
sn_formula_mid(SnFormula *f, const SnExpr *q, SnMid *m)
{
    const SnExpr *t = q->kid[1];
    const char *lim = q->nkid > 2 ? q->kid[2]->s : NULL;

    if (t->ek != SN_E_NAME || !sn_def_attr(f->n, t->s))
        return false;
    m->scale = sn_format(f->a, "%s_s", t->s);
    m->zp = sn_format(f->a, "%s_z", t->s);
    m->lim = sn_format(f->a, "%s_lim", t->s);
    if (!sn_formula_once(f, m->scale, 0))
        return true;
    if (f->text) {
        sn_text_def(f, "%s scale %s", m->scale, t->s);
        sn_text_def(f, "%s zp %s", m->zp, t->s);
        sn_text_def(f, "%s lim %s %s", m->lim, t->s, lim ? lim : "-");
    } else {
        const char *fld = sn_field(f->a, t->s);
        sn_putf(&f->pre,
                "if (!sn_is_code(at->%s))\n"
                "    return sn_call_fail(c, \"%s is no 8- or 16-bit quantized "
                "type\");\n",
                fld, t->s);
        sn_putf(&f->pre, "const float %s = sn_scale_of(at->%s);\n", m->scale,
                fld);
        sn_putf(&f->pre, "const int32_t %s = sn_zp_of(at->%s);\n", m->zp, fld);
        sn_putf(&f->pre, "const SnLim %s = sn_lim(at->%s, %s);\n", m->lim, fld,
                lim ? sn_format(f->a, "at->%s", sn_field(f->a, lim))
                    : "sn_range_open()");
    }
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
        return f->text ? sn_format(f->a, "@m%u", p->index) : "m.c[e]";
    }
    if (p->fact == SN_PIN) {
        f->want_chan = true;
        return f->text ? "@c" : "ch";
    }
    if (f->text)
        return sn_format(f->a, "@v%u", p->index);
    const char *vec = sn_format(f->a, "%s_vec", p->name);
    if (sn_formula_once(f, vec, 0))
        sn_putf(&f->pre, "const bool %s = sn_is_vector(c, %u, %u);\n", vec,
                p->index, f->res);
    f->want_o = true;
    f->want_chan = true;
    return sn_format(f->a, "%s ? ch : o", vec);
}

static const char *
set_index(SnFormula *f, const SnDefPort *p)
{
    const SnDefSem *m = f->sem;

    if (f->text && sn_formula_mapped(f, p))
        return sn_format(f->a, "@i%u", p->index);
    if (f->text && sn_formula_map_has(f, SN_MS_BESIDE))
        return "@b";
    if (m->narg > 0 && sn_formula_port(f, m->arg[0]) == p)
        return "m.a[k] + l * m.lane_a";
    const SnDefPort *w = m->narg > 1 ? sn_formula_port(f, m->arg[1]) : NULL;
    if (w == p)
        return "m.b[k] + l * m.lane_b";
    if (!sn_formula_mapped(f, p) && sn_formula_map_has(f, SN_MS_BESIDE))
        return "m.b[k]";
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
        if (f->text)
            sn_putf(f->elem,
                    "const float %s = sn_dequant_row8(%s + @r%u, @l%u, "
                    "@j%u);\n",
                    v, ptr, p->index, p->index, p->index);
        else
            sn_putf(f->elem,
                    "const float %s = sn_dequant_row8(%s + m.a[k], "
                    "m.nlane, l);\n",
                    v, ptr);
        return v;
    }
    if (f->ctx == SN_IN_POINT && f->text)
        idx = sn_format(f->a, "@i%u", p->index);
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
    if (p->optional && f->text)
        sn_putf(f->elem, "const %s %s = %s;\n", sn_elem_ctype(c.elem), v,
                sn_text_alt(f, sn_format(f->a, "in%u", p->index),
                            sn_format(f->a, "%s[%s]", ptr, idx), "0"));
    else if (p->optional)
        sn_putf(f->elem, "const %s %s = %s ? %s[%s] : 0;\n",
                sn_elem_ctype(c.elem), v, ptr, ptr, idx);
    else
        sn_putf(f->elem, "const %s %s = %s[%s];\n", sn_elem_ctype(c.elem), v,
                ptr, idx);
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
        const char *z = c.elem == SN_QI32 ? "" : sn_formula_zp(f, p);
        if (c.elem == SN_QI32)
            sn_putf(f->elem, "const float %s = sn_dequant32(%s, %s);\n", v,
                    code, s);
        else if (p->optional && f->text)
            sn_putf(f->elem, "const float %s = %s;\n", v,
                    sn_text_alt(
                        f, sn_format(f->a, "in%u", p->index),
                        sn_format(f->a, "sn_dequant(%s, %s, %s)", code, s, z),
                        "0.0f"));
        else if (p->optional)
            sn_putf(f->elem,
                    "const float %s = %s ? sn_dequant(%s, %s, %s) "
                    ": 0.0f;\n",
                    v, sn_formula_ptr(f, p), code, s, z);
        else
            sn_putf(f->elem, "const float %s = sn_dequant(%s, %s, %s);\n", v,
                    code, s, z);
    }
    return (SnCVal){.s = v, .ty = SN_TY_REAL, .prec = P_PRIM};
}
