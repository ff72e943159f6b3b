// SPDX-License-Identifier: Apache-2.0
/* What the names of a rule stand for in C: values, attributes, types. */
#include "gen/rule/rule_expr.h"

#include <string.h>

/* ---- names ---- */

SnDefVar *
sn_rule_var(const SnRuleGen *cx, const char *name)
{
    for (uint32_t i = 0; cx->rule && i < cx->rule->nvar; i++)
        if (!strcmp(cx->rule->var[i]->name, name))
            return cx->rule->var[i];
    return NULL;
}

static const SnDefTestLine *
test_value(const SnRuleGen *cx, const char *name)
{
    for (uint32_t i = 0; cx->test && i < cx->test->nline; i++) {
        const SnDefTestLine *l = cx->test->line[i];
        if ((l->kind == SN_TL_VALUE || l->kind == SN_TL_INPUT) &&
            !strcmp(l->name, name))
            return l;
    }
    return NULL;
}

const char *
sn_rule_expr_ref(SnRuleGen *cx, const SnExpr *e)
{
    if (e->ek == SN_E_NAME && cx->ran && test_value(cx, e->s))
        return sn_format(cx->a, "sn_gt_value(t, \"%s\")", e->s);
    if (e->ek == SN_E_NAME && test_value(cx, e->s))
        return sn_format(cx->a, "%s%s", cx->values, sn_field(cx->a, e->s));
    if (e->ek == SN_E_NAME) {
        const SnDefVar *v = sn_rule_var(cx, e->s);
        if (!v)
            return NULL;
        const char *s = sn_rule_of(cx, v);
        if (v->vk == SN_V_LIST) /* its first element stands for all */
            return sn_format(cx->a, "sn_in(g, %s, %u)",
                             cx->bind[v->index].run.id,
                             cx->bind[v->index].run.first);
        return v->vk == SN_V_NODE ? sn_format(cx->a, "SN_REF(%s, 0)", s) : s;
    }
    if (e->ek != SN_E_MEMBER || e->kid[0]->ek != SN_E_NAME)
        return NULL;
    const SnDefVar *v = sn_rule_var(cx, e->kid[0]->s);
    const SnDefNode *n = v && v->vk == SN_V_NODE ? v->pat->node : NULL;
    const SnDefPort *p = n ? sn_def_port(n, e->s) : NULL;
    if (!p)
        return NULL;
    return sn_format(cx->a, p->out ? "SN_REF(%s, %u)" : "sn_in(g, %s, %u)",
                     sn_rule_of(cx, v), p->index);
}

static SnRuleExpr
type_name(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || !t->nconc)
        return sn_rule_expr_none(cx, e);
    return (SnRuleExpr){
        .prec = P_PRIM, .ty = SN_TY_ETYPE, .conc = t->conc, .nconc = t->nconc};
}

static SnRuleExpr
sn_rule_expr_attr(SnRuleGen *cx, const char *node, const SnDefNode *kind,
                  const SnDefAttr *at)
{
    static const SnTy ty[] = {
        [SN_AT_INT] = SN_TY_INT,     [SN_AT_REAL] = SN_TY_REAL,
        [SN_AT_BOOL] = SN_TY_BOOL,   [SN_AT_STR] = SN_TY_STR,
        [SN_AT_ENUM] = SN_TY_ENUM,   [SN_AT_INTS] = SN_TY_INTS,
        [SN_AT_REALS] = SN_TY_REALS, [SN_AT_TYPE] = SN_TY_ETYPE,
        [SN_AT_RANGE] = SN_TY_RANGE};
    const char *field = sn_field(cx->a, at->name);
    SnRuleExpr x = sn_rule_expr_prim(ty[at->ty], NULL);

    if (kind)
        x.s = sn_format(cx->a, "sn_%s_attr(g, %s)->%s", sn_rule_lower(cx, kind),
                        node, field);
    else if (at->ty == SN_AT_RANGE && !strcmp(at->name, "clamp"))
        x.s = sn_format(cx->a, "sn_clamp_of(g, %s)", node);
    else
        x.s = sn_format(cx->a, "*(%sconst *)sn_attr_of(g, %s, \"%s\")",
                        sn_attr_ctype(at), node, at->name);
    if (x.s[0] == '*')
        x.prec = P_UNARY;
    if (at->range_attr && kind)
        x.dom =
            sn_format(cx->a, "sn_%s_attr(g, %s)->%s", sn_rule_lower(cx, kind),
                      node, sn_field(cx->a, at->range_attr->name));
    else if (at->range_port && !at->range_port->out)
        x.dom = sn_format(cx->a, "sn_type(g, sn_in(g, %s, %u))", node,
                          at->range_port->index);
    else
        x.dom = sn_format(cx->a, "sn_type(g, SN_REF(%s, %u))", node,
                          at->range_port ? at->range_port->index : 0);
    return x;
}

/* The attribute of that name of a node of a class: any member's. */
static const SnDefAttr *
class_attr(const SnRuleGen *cx, const char *name)
{
    for (uint32_t i = 0; i < cx->defs->nnode; i++) {
        const SnDefAttr *at = sn_def_attr(cx->defs->node[i], name);
        if (at)
            return at;
    }
    return NULL;
}

SnRuleExpr
sn_rule_expr_member(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = k->ek == SN_E_NAME ? sn_rule_var(cx, k->s) : NULL;
    const char *ref = sn_rule_expr_ref(cx, k), *t = NULL;

    if (v && v->vk == SN_V_NODE) {
        const char *id = sn_rule_of(cx, v);
        const SnDefNode *one = v->pat->pk == SN_P_CALL ? v->pat->node : NULL;
        const SnDefAttr *at = v->pat->node ? sn_def_attr(v->pat->node, e->s)
                                           : class_attr(cx, e->s);
        if (at)
            return sn_rule_expr_attr(cx, id, one, at);
        if (e->word == SN_W_CALIBRATED)
            return sn_rule_expr_prim(
                SN_TY_BOOL, sn_format(cx->a, "sn_node(g, %s)->calibrated", id));
    }
    if (ref && e->word == SN_W_TYPE)
        return sn_rule_expr_prim(SN_TY_ETYPE,
                                 sn_format(cx->a, "sn_type(g, %s)", ref));
    if (ref)
        t = sn_format(cx->a, "sn_type(g, %s)", ref);
    else if (k->ek == SN_E_MEMBER)
        t = sn_rule_expr(cx, k).s;
    if (t && e->word == SN_W_SCALE)
        return sn_rule_expr_prim(SN_TY_REAL,
                                 sn_format(cx->a, "sn_scale_of(%s)", t));
    if (t && e->word == SN_W_ZP)
        return sn_rule_expr_prim(SN_TY_INT,
                                 sn_format(cx->a, "sn_zp_of(%s)", t));
    ref = sn_rule_expr_ref(cx, e);
    return ref ? sn_rule_expr_prim(SN_TY_VALUE, ref) : sn_rule_expr_none(cx, e);
}

/* The constant of a word, under the name of the node that declares it. */
static const char *
word(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefAttr *at = e->ref;

    for (uint32_t i = 0; i < cx->defs->nnode; i++) {
        const SnDefNode *n = cx->defs->node[i];
        for (uint32_t k = 0; k < n->nall; k++)
            if (n->all[k] == at)
                return sn_format(cx->a, "SN_%s_%s_%s", sn_upper(cx->a, n->name),
                                 sn_upper(cx->a, at->name),
                                 sn_upper(cx->a, e->s));
    }
    return sn_format(cx->a, "%lld", (long long)e->i);
}

SnRuleExpr
sn_rule_expr_name(SnRuleGen *cx, const SnExpr *e)
{
    const char *ref = sn_rule_expr_ref(cx, e);

    if (ref)
        return sn_rule_expr_prim(SN_TY_VALUE, ref);
    if (cx->self && sn_def_attr(cx->self, e->s))
        return sn_rule_expr_attr(cx, "id", cx->self,
                                 sn_def_attr(cx->self, e->s));
    if (e->rk == SN_R_WORD)
        return sn_rule_expr_prim(SN_TY_ENUM, word(cx, e));
    if (e->word == SN_W_FULL)
        return sn_rule_expr_prim(SN_TY_RANGE, "(SnRange){ .has_lo = false }");
    return type_name(cx, e);
}

/* ---- types ---- */

const char *
sn_rule_in_set(SnRuleGen *cx, const char *t, const SnDefConc *c, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%ssn_type_is(%s, %s, %d)", i ? " || " : "", t,
                sn_elem_enum(c[i].elem), c[i].axis);
    return sn_buf_str(&b);
}

static bool
reads_name(const SnExpr *e)
{
    bool r = e->rk == SN_R_VAR;

    for (uint32_t i = 0; i < e->nkid; i++)
        r |= reads_name(e->kid[i]);
    return r;
}

/* q8(scale, zp), q8c([scales], [zps]) */
static const char *
type_with(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);
    SnDefConc c = t->conc[0];
    uint32_t n, m;
    const char *s = sn_rule_expr_elements(cx, e->kid[0], true, &n);
    const char *z = sn_rule_expr_elements(cx, e->kid[1], false, &m);

    if (c.axis < 0)
        return sn_format(cx->a,
                         reads_name(e->kid[1])
                             ? "sn_type_quant(g->pool, %s, %s, sn_int_zp(%s))"
                             : "sn_type_quant(g->pool, %s, %s, %s)",
                         sn_elem_enum(c.elem), s, z);
    SnBuf b; /* one zero point stands for all slices */
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", z);
    return sn_format(cx->a,
                     "sn_type_axis(g->pool, %s, %d, %u, (const "
                     "float[]){ %s }, (const int32_t[]){ %s })",
                     sn_elem_enum(c.elem), c.axis, n, s,
                     m == 1 ? sn_buf_str(&b) : z);
}

SnRuleExpr
sn_rule_expr_type_call(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || t->nconc != 1 || e->nkid != 2)
        return sn_rule_expr_none(cx, e);
    return sn_rule_expr_prim(SN_TY_ETYPE, type_with(cx, e));
}

const char *
sn_rule_type(SnRuleGen *cx, const SnExpr *e)
{
    if (e->ek == SN_E_INDEX)
        e = e->kid[0];
    SnRuleExpr x = sn_rule_expr(cx, e);
    if (x.ty == SN_TY_VALUE)
        return sn_format(cx->a, "sn_type(g, %s)", x.s);
    if (x.ty != SN_TY_ETYPE || (!x.s && x.nconc != 1))
        return sn_rule_expr_none(cx, e).s;
    if (!x.s)
        return sn_format(cx->a, "sn_type_plain(g->pool, %s)",
                         sn_elem_enum(x.conc[0].elem));
    return x.s;
}
