// SPDX-License-Identifier: Apache-2.0
/* Expressions of rules in C: what names refer to (values, attributes, types),
 * and the functions that are more than a call. */
#include "gen/rule/rule_gen.h"

#include <string.h>

static SnCVal
none(SnRuleGen *cx, const SnExpr *e)
{
    return cx->w.none(&cx->w, e);
}

/* ---- names ---- */

SnDefVar *
sn_rule_var(const SnRuleGen *cx, const char *name)
{
    return cx->rule ? sn_named(cx->rule->var, cx->rule->nvar, name) : NULL;
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

static const char *
value_ref(SnRuleGen *cx, const SnExpr *e)
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
        if (v->vk == SN_V_LIST) /* all are of the type of the first */
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

static SnCVal
type_name(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || !t->nconc)
        return none(cx, e);
    return (SnCVal){
        .prec = P_PRIM, .ty = SN_TY_ETYPE, .conc = t->conc, .nconc = t->nconc};
}

static SnCVal
attr_value(SnRuleGen *cx, const char *node, const SnDefNode *kind,
           const SnDefAttr *at)
{
    const char *field = sn_field(cx->a, at->name);
    SnCVal x = sn_cval(sn_attr_ty(at), NULL);

    if (kind)
        x.s = sn_format(cx->a, "sn_%s_attr(g, %s)->%s", sn_rule_lower(cx, kind),
                        node, field);
    else if (at->ty == SN_A_RANGE && at->says == SN_W_CLAMP)
        x.s = sn_format(cx->a, "sn_clamp_of(g, %s)", node);
    else
        x.s = sn_format(cx->a, "*(%sconst *)sn_attr_of(g, %s, \"%s\")",
                        sn_attr_kind_words[at->ty].c, node, at->name);
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

static SnCVal
member_value(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = k->ek == SN_E_NAME ? sn_rule_var(cx, k->s) : NULL;
    const char *ref = value_ref(cx, k), *t = NULL;

    if (v && v->vk == SN_V_NODE) {
        const char *id = sn_rule_of(cx, v);
        const SnDefNode *one = v->pat->pk == SN_P_CALL ? v->pat->node : NULL;
        const SnDefAttr *at = v->pat->node ? sn_def_attr(v->pat->node, e->s)
                                           : class_attr(cx, e->s);
        if (at)
            return attr_value(cx, id, one, at);
        if (e->word == SN_W_CALIBRATED)
            return sn_cval(SN_TY_BOOL,
                           sn_format(cx->a, "sn_node(g, %s)->calibrated", id));
    }
    if (ref && e->word == SN_W_TYPE)
        return sn_cval(SN_TY_ETYPE, sn_format(cx->a, "sn_type(g, %s)", ref));
    if (ref)
        t = sn_format(cx->a, "sn_type(g, %s)", ref);
    else if (k->ek == SN_E_MEMBER)
        t = sn_cw(&cx->w, k).s;
    if (t && e->word == SN_W_SCALE)
        return sn_cval(SN_TY_REAL, sn_format(cx->a, "sn_scale_of(%s)", t));
    if (t && e->word == SN_W_ZP)
        return sn_cval(SN_TY_INT, sn_format(cx->a, "sn_zp_of(%s)", t));
    ref = value_ref(cx, e);
    return ref ? sn_cval(SN_TY_VALUE, ref) : none(cx, e);
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
                return sn_cw_word(cx->a, n, at, e->s);
    }
    return sn_format(cx->a, "%lld", (long long)e->i);
}

static SnCVal
name_value(SnRuleGen *cx, const SnExpr *e)
{
    const char *ref = value_ref(cx, e);

    if (ref)
        return sn_cval(SN_TY_VALUE, ref);
    if (cx->self && sn_def_attr(cx->self, e->s))
        return attr_value(cx, "id", cx->self, sn_def_attr(cx->self, e->s));
    if (e->rk == SN_R_WORD)
        return sn_cval(SN_TY_ENUM, word(cx, e));
    if (e->word == SN_W_FULL)
        return sn_cval(SN_TY_RANGE, "(SnRange){ .has_lo = false }");
    return type_name(cx, e);
}

/* ---- types ---- */

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
    const char *s = sn_cw_elements(&cx->w, e->kid[0], true, &n);
    const char *z = sn_cw_elements(&cx->w, e->kid[1], false, &m);

    if (c.axis < 0)
        return sn_format(cx->a,
                         reads_name(e->kid[1])
                             ? "sn_type_quant(g->pool, %s, %s, sn_int_zp(%s))"
                             : "sn_type_quant(g->pool, %s, %s, %s)",
                         sn_elem_enum(c.elem), s, z);
    SnBuf b; /* one zero point, of all slices */
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", z);
    return sn_format(cx->a,
                     "sn_type_axis(g->pool, %s, %d, %u, (const "
                     "float[]){ %s }, (const int32_t[]){ %s })",
                     sn_elem_enum(c.elem), c.axis, n, s,
                     m == 1 ? sn_buf_str(&b) : z);
}

static SnCVal
type_call(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || t->nconc != 1 || e->nkid != 2)
        return none(cx, e);
    return sn_cval(SN_TY_ETYPE, type_with(cx, e));
}

const char *
sn_rule_type(SnRuleGen *cx, const SnExpr *e)
{
    if (e->ek == SN_E_INDEX)
        e = e->kid[0];
    SnCVal x = sn_cw(&cx->w, e);
    if (x.ty == SN_TY_VALUE)
        return sn_format(cx->a, "sn_type(g, %s)", x.s);
    if (x.ty != SN_TY_ETYPE || (!x.s && x.nconc != 1))
        return none(cx, e).s;
    if (!x.s)
        return sn_format(cx->a, "sn_type_plain(g->pool, %s)",
                         sn_elem_enum(x.conc[0].elem));
    return x.s;
}

/* ---- functions ---- */

static SnCVal
rx_image(SnRuleGen *cx, const SnExpr *e)
{
    const char *r = sn_cw_range(&cx->w, e->kid[0]),
               *to = sn_rule_type(cx, e->kid[2]);
    const SnExpr *from = e->kid[1];
    const SnDefVar *v = from->ek == SN_E_NAME ? sn_rule_var(cx, from->s) : NULL;
    SnCVal x = sn_cval(SN_TY_RANGE, NULL);

    x.dom = to;
    if (v && v->vk == SN_V_NODE)
        x.s = sn_format(cx->a, "sn_image_at(rw, g, %s, %s, %s)", r,
                        sn_rule_of(cx, v), to);
    else
        x.s = sn_format(cx->a, "sn_image(g->rounding, %s, %s, %s, false)", r,
                        sn_rule_type(cx, from), to);
    return x;
}

static SnCVal
rx_bounds(SnRuleGen *cx, const SnExpr *e)
{
    const char *t = sn_rule_type(cx, e->kid[0]), *v[2];
    bool has[2];

    for (int i = 0; i < 2; i++) {
        has[i] = e->kid[i + 1]->ek != SN_E_WILD;
        v[i] = has[i] ? sn_cw(&cx->w, e->kid[i + 1]).s : "0";
    }
    SnCVal x =
        sn_cval(SN_TY_RANGE, sn_format(cx->a, "sn_bounds(%s, %s, %s, %s, %s)",
                                       t, has[0] ? "true" : "false", v[0],
                                       has[1] ? "true" : "false", v[1]));
    x.dom = t;
    return x;
}

static SnCVal
rx_unused(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const char *ref = value_ref(cx, k);
    unsigned res = 0;

    if (!ref)
        return none(cx, e);
    const char *id = sn_format(cx->a, "SN_NODE(%s)", ref);
    if (k->ek == SN_E_MEMBER) { /* o.idx, which may be omitted */
        const SnDefVar *v = sn_rule_var(cx, k->kid[0]->s);
        const SnDefPort *p = sn_def_port(v->pat->node, k->s);
        id = sn_rule_of(cx, v);
        res = p->out ? p->index : 0;
    }
    return sn_cval(SN_TY_BOOL,
                   sn_format(cx->a, "sn_unused(g, %s, %u)", id, res));
}

static SnCVal
rx_has(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = sn_rule_var(cx, k->s ? k->s : "");

    return v ? (SnCVal){.s = sn_format(cx->a,
                                       "sn_attr_of(g, %s, \"%s\") != NULL",
                                       sn_rule_of(cx, v), e->kid[1]->s),
                        .prec = P_EQ,
                        .ty = SN_TY_BOOL}
             : none(cx, e);
}

static SnCVal
rx_count(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = sn_rule_var(cx, k->s ? k->s : "");

    if (cx->test) {
        const SnDefNode *n = sn_def_node(cx->defs, k->s);
        return n ? sn_cval(SN_TY_INT, sn_format(cx->a, "sn_gt_count(t, %s)",
                                                sn_rule_kind(cx, n)))
                 : none(cx, e);
    }
    if (!v || v->vk != SN_V_LIST)
        return none(cx, e);
    return sn_cval(SN_TY_INT,
                   sn_format(cx->a, "%s_n", sn_rule_local(cx, v->name)));
}

static SnCVal
rx_supports(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefNode *n = sn_def_node(cx->defs, e->kid[0]->s);
    SnCVal t = sn_cw(&cx->w, e->kid[1]);
    SnBuf b;

    if (!n || !t.conc)
        return none(cx, e);
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < t.nconc; i++)
        sn_putf(&b, "%ssn_supports(rw, %s, %s)", i ? " && " : "",
                sn_rule_kind(cx, n), sn_elem_enum(t.conc[i].elem));
    return (SnCVal){.s = sn_buf_str(&b),
                    .ty = SN_TY_BOOL,
                    .prec = t.nconc > 1 ? P_AND : P_PRIM};
}

static bool
own_call(SnRuleGen *cx, const SnExpr *e, SnCVal *v)
{
    switch (e->fn) {
    case SN_FN_NONE:
        *v = type_call(cx, e);
        return true;
    case SN_FN_COUNT:
    case SN_FN_COUNT_KIND:
        *v = rx_count(cx, e);
        return true;
    case SN_FN_UNUSED:
        *v = rx_unused(cx, e);
        return true;
    case SN_FN_IMAGE:
        *v = rx_image(cx, e);
        return true;
    case SN_FN_BOUNDS:
        *v = rx_bounds(cx, e);
        return true;
    case SN_FN_HAS:
        *v = rx_has(cx, e);
        return true;
    case SN_FN_SUPPORTS:
        *v = rx_supports(cx, e);
        return true;
    default: /* as in its row */
        return false;
    }
}

/* ---- the writer ---- */

static bool
own(SnCw *w, const SnExpr *e, SnCVal *v)
{
    if (e->ek == SN_E_CALL)
        return own_call(w->of, e, v);
    if (e->ek == SN_E_NAME)
        *v = name_value(w->of, e);
    if (e->ek == SN_E_MEMBER)
        *v = member_value(w->of, e);
    return e->ek == SN_E_NAME || e->ek == SN_E_MEMBER;
}

static const char *
ref(SnCw *w, const SnExpr *e)
{
    return value_ref(w->of, e);
}

static const char *
type(SnCw *w, const SnExpr *e)
{
    return sn_rule_type(w->of, e);
}

static SnCVal
no_value(SnCw *w, const SnExpr *e)
{
    sn_error(w->d, e->pos, "SN104", "'%s' has no value here",
             sn_expr_str(w->a, e));
    return sn_cval(SN_TY_NONE, "0");
}

SnCw
sn_rule_writer(SnRuleGen *cx)
{
    return (SnCw){.a = cx->a,
                  .d = cx->d,
                  .place = SN_CP_RULE,
                  .of = cx,
                  .own = own,
                  .ref = ref,
                  .type = type,
                  .none = no_value};
}

const char *
sn_rule_cond(SnRuleGen *cx, const SnExpr *e, bool negate)
{
    cx->w.calculates = false;
    SnCVal v = negate ? sn_cw_not(&cx->w, e) : sn_cw(&cx->w, e);
    if (!cx->w.calculates)
        return v.s;
    return sn_format(cx->a, negate ? "%s || !fits" : "%s && fits",
                     sn_cw_paren(&cx->w, v, P_EQ));
}

/* ---- attribute values ---- */

const char *
sn_rule_value(SnRuleGen *cx, const SnDefNode *n, const SnDefAttr *at,
              const SnExpr *e)
{
    SnCVal x;
    double v;

    switch (at->ty) {
    case SN_A_RANGE:
        return sn_cw_range(&cx->w, e);
    case SN_A_TYPE:
        return sn_rule_type(cx, e);
    case SN_A_INTS:
        return sn_cw_ints(&cx->w, e);
    case SN_A_REALS:
        return sn_cw_reals(&cx->w, e);
    case SN_A_ENUM:
        return e->rk == SN_R_WORD ? sn_cw_word(cx->a, n, at, e->s)
                                  : sn_cw(&cx->w, e).s;
    case SN_A_REAL:
        if (sn_const_num(e, &v))
            return sn_cw_real(&cx->w, v);
        x = sn_cw(&cx->w, e);
        return sn_cw_f32(&cx->w, x, P_ANY);
    case SN_A_INT:
    case SN_A_BOOL:
    case SN_A_STR:
        break;
    }
    return sn_cw(&cx->w, e).s;
}
