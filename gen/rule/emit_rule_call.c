// SPDX-License-Identifier: Apache-2.0
/* The closed set of functions, and clamps, in C. */
#include "gen/rule/rule_expr.h"

#include <string.h>

/* ---- clamps and reaches ---- */

/* An end of a clamp, which is a double. */
static const char *
range_end(SnRuleGen *cx, const SnExpr *e)
{
    double v;

    if (sn_const_num(e, &v))
        return sn_rule_expr_f32(cx, v);
    SnRuleExpr x = sn_rule_expr(cx, e);
    return x.ty == SN_TY_INT ? sn_format(cx->a, "(double)%s",
                                         sn_rule_expr_paren(cx, x, P_UNARY))
                             : x.s;
}

/* [lo, hi] with _ for an open side */
const char *
sn_rule_expr_range_list(SnRuleGen *cx, const SnExpr *e)
{
    static const char *const side[] = {"lo", "hi"};
    SnBuf b;
    bool any = false;

    sn_buf_init(&b, cx->a);
    sn_puts(&b, "(SnRange){ ");
    for (uint32_t i = 0; i < 2 && i < e->nkid; i++) {
        if (e->kid[i]->ek == SN_E_WILD)
            continue;
        sn_putf(&b, "%s.%s = %s, .has_%s = true", any ? ", " : "", side[i],
                range_end(cx, e->kid[i]), side[i]);
        any = true;
    }
    sn_puts(&b, any ? " }" : ".has_lo = false }");
    return sn_buf_str(&b);
}

const char *
sn_rule_expr_range(SnRuleGen *cx, const SnExpr *e)
{
    return e->ek == SN_E_LIST ? sn_rule_expr_range_list(cx, e)
                              : sn_rule_expr(cx, e).s;
}

/* A clamp, a type or a reach, as a reach. */
static const char *
reach(SnRuleGen *cx, const SnExpr *e)
{
    SnRuleExpr x = sn_rule_expr(cx, e);

    if (x.ty == SN_TY_REACH)
        return x.s;
    if (x.ty == SN_TY_RANGE && x.dom)
        return sn_format(cx->a, "sn_clamp_reach(%s, %s)", x.dom, x.s);
    if (x.ty == SN_TY_ETYPE || x.ty == SN_TY_VALUE)
        return sn_format(cx->a, "sn_type_reach(%s)", sn_rule_type(cx, e));
    return sn_rule_expr_none(cx, e).s;
}

static SnRuleExpr
rx_image(SnRuleGen *cx, const SnExpr *e)
{
    const char *r = sn_rule_expr_range(cx, e->kid[0]),
               *to = sn_rule_type(cx, e->kid[2]);
    const SnExpr *from = e->kid[1];
    const SnDefVar *v = from->ek == SN_E_NAME ? sn_rule_var(cx, from->s) : NULL;
    SnRuleExpr x = sn_rule_expr_prim(SN_TY_RANGE, NULL);

    x.dom = to;
    if (v && v->vk == SN_V_NODE)
        x.s = sn_format(cx->a, "sn_image_at(rw, g, %s, %s, %s)", r,
                        sn_rule_of(cx, v), to);
    else
        x.s = sn_format(cx->a, "sn_image(g->rounding, %s, %s, %s, false)", r,
                        sn_rule_type(cx, from), to);
    return x;
}

static SnRuleExpr
rx_bounds(SnRuleGen *cx, const SnExpr *e)
{
    const char *t = sn_rule_type(cx, e->kid[0]), *v[2];
    bool has[2];

    for (int i = 0; i < 2; i++) {
        has[i] = e->kid[i + 1]->ek != SN_E_WILD;
        v[i] = has[i] ? sn_rule_expr(cx, e->kid[i + 1]).s : "0";
    }
    SnRuleExpr x = sn_rule_expr_prim(
        SN_TY_RANGE, sn_format(cx->a, "sn_bounds(%s, %s, %s, %s, %s)", t,
                               has[0] ? "true" : "false", v[0],
                               has[1] ? "true" : "false", v[1]));
    x.dom = t;
    return x;
}

/* ---- functions ---- */

static SnRuleExpr
rx_value_fn(SnRuleGen *cx, const SnExpr *e)
{
    static const struct {
        const char *name, *c;
        SnTy ty;
    } fn[] = {
        {"const", "sn_is_const(g, %s)", SN_TY_BOOL},
        {"rank", "sn_shape_of(g, %s)->rank", SN_TY_INT},
        {"shape", "sn_shape_of(g, %s)", SN_TY_SHAPE},
        {"dims", "sn_dims(sn_scratch(rw), sn_shape_of(g, %s))", SN_TY_INTS},
        {"reach", "sn_reach(g, %s)", SN_TY_REACH},
    };
    const char *ref = sn_rule_expr_ref(cx, e->kid[0]);

    if (!ref)
        return sn_rule_expr_none(cx, e);
    for (size_t i = 0; i < sizeof fn / sizeof *fn; i++) {
        if (strcmp(fn[i].name, e->s))
            continue;
        const char *at = strstr(fn[i].c, "%s");
        return sn_rule_expr_prim(fn[i].ty, sn_format(cx->a, "%.*s%s%s",
                                                     (int)(at - fn[i].c),
                                                     fn[i].c, ref, at + 2));
    }
    if (e->fn == SN_FN_PRESENT)
        return (SnRuleExpr){.s = sn_format(cx->a, "%s != 0", ref),
                            .prec = P_EQ,
                            .ty = SN_TY_BOOL};
    if (e->fn == SN_FN_UNUSED) {
        const SnExpr *k = e->kid[0];
        unsigned res = 0;
        const char *id = sn_format(cx->a, "SN_NODE(%s)", ref);
        if (k->ek == SN_E_MEMBER) { /* o.idx, which may be left out */
            const SnDefVar *v = sn_rule_var(cx, k->kid[0]->s);
            const SnDefPort *p = sn_def_port(v->pat->node, k->s);
            id = sn_rule_of(cx, v);
            res = p->out ? p->index : 0;
        }
        return sn_rule_expr_prim(
            SN_TY_BOOL, sn_format(cx->a, "sn_unused(g, %s, %u)", id, res));
    }
    return sn_rule_expr_none(cx, e);
}

static SnRuleExpr
rx_count(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = sn_rule_var(cx, k->s ? k->s : "");

    if (cx->test) {
        const SnDefNode *n = sn_def_node(cx->defs, k->s);
        return n ? sn_rule_expr_prim(SN_TY_INT,
                                     sn_format(cx->a, "sn_gt_count(t, %s)",
                                               sn_rule_kind(cx, n)))
                 : sn_rule_expr_none(cx, e);
    }
    if (!v || v->vk != SN_V_LIST)
        return sn_rule_expr_none(cx, e);
    return sn_rule_expr_prim(
        SN_TY_INT, sn_format(cx->a, "%s_n", sn_rule_local(cx, v->name)));
}

static SnRuleExpr
rx_supports(SnRuleGen *cx, const SnExpr *e)
{
    const SnDefNode *n = sn_def_node(cx->defs, e->kid[0]->s);
    SnRuleExpr t = sn_rule_expr(cx, e->kid[1]);
    SnBuf b;

    if (!n || !t.conc)
        return sn_rule_expr_none(cx, e);
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < t.nconc; i++)
        sn_putf(&b, "%ssn_supports(rw, %s, %s)", i ? " && " : "",
                sn_rule_kind(cx, n), sn_elem_enum(t.conc[i].elem));
    return (SnRuleExpr){.s = sn_buf_str(&b),
                        .ty = SN_TY_BOOL,
                        .prec = t.nconc > 1 ? P_AND : P_PRIM};
}

static SnRuleExpr
rx_number_fn(SnRuleGen *cx, const SnExpr *e)
{
    SnRuleExpr a = sn_rule_expr(cx, e->kid[0]), b = {.ty = SN_TY_INT};
    bool sq = e->fn == SN_FN_SQRT;

    if (e->nkid > 1)
        b = sn_rule_expr(cx, e->kid[1]);
    bool real = sn_rule_expr_real(a) || sn_rule_expr_real(b) || sq;
    const char *f = sq     ? "sqrtf"
                    : real ? sn_format(cx->a, "f%sf", e->s)
                           : sn_format(cx->a, "sn_int_%s", e->s);
    bool wide = a.wide || b.wide;
    if (real && !sq && e->fn == SN_FN_ABS)
        f = "fabsf";
    if (wide) /* without the last f */
        f = sn_strndup(cx->a, f, strlen(f) - 1);
    SnRuleExpr x = sn_rule_expr_prim(
        real ? SN_TY_REAL : SN_TY_INT,
        e->nkid > 1 ? sn_format(cx->a, "%s(%s, %s)", f, a.s, b.s)
                    : sn_format(cx->a, "%s(%s)", f, a.s));
    x.wide = wide;
    return x;
}

static SnRuleExpr
rx_list_fn(SnRuleGen *cx, const SnExpr *e)
{
    const char *a = sn_rule_expr(cx, e->kid[0]).s;

    if (e->fn == SN_FN_IDENTITY)
        return sn_rule_expr_prim(SN_TY_BOOL,
                                 sn_format(cx->a, "sn_ints_identity(%s)", a));
    if (e->fn == SN_FN_COMPOSE)
        return sn_rule_expr_prim(
            SN_TY_INTS, sn_format(cx->a, "sn_compose(sn_scratch(rw), %s, %s)",
                                  a, sn_rule_expr(cx, e->kid[1]).s));
    return sn_rule_expr_prim(
        SN_TY_INTS, sn_format(cx->a, "sn_ints_fill(sn_scratch(rw), %s, %d)", a,
                              e->fn == SN_FN_ONES));
}

static bool
among(const char *s, const char *const *v)
{
    for (; *v; v++)
        if (!strcmp(*v, s))
            return true;
    return false;
}

SnRuleExpr
sn_rule_expr_call(SnRuleGen *cx, const SnExpr *e)
{
    static const char *const value[] = {"const", "rank",    "shape",  "dims",
                                        "reach", "present", "unused", NULL};
    static const char *const number[] = {"min", "max", "abs", "sqrt", NULL};
    static const char *const list[] = {"identity", "compose", "ones", "zeros",
                                       NULL};
    SnExpr **k = e->kid;

    if (among(e->s, value))
        return rx_value_fn(cx, e);
    if (among(e->s, number))
        return rx_number_fn(cx, e);
    if (among(e->s, list))
        return rx_list_fn(cx, e);
    if (e->fn == SN_FN_DIM) {
        const char *ref = sn_rule_expr_ref(cx, k[0]);
        return ref ? sn_rule_expr_prim(SN_TY_INT,
                                       sn_format(cx->a, "sn_dim(g, %s, %s)",
                                                 ref, sn_rule_expr(cx, k[1]).s))
                   : sn_rule_expr_none(cx, e);
    }
    if (e->fn == SN_FN_COVERS)
        return sn_rule_expr_prim(SN_TY_BOOL,
                                 sn_format(cx->a, "sn_covers(%s, %s)",
                                           reach(cx, k[0]), reach(cx, k[1])));
    if (e->fn == SN_FN_LO || e->fn == SN_FN_HI) {
        SnRuleExpr x = sn_rule_expr_prim(
            SN_TY_REAL, sn_format(cx->a, "%s.%s", reach(cx, k[0]), e->s));
        x.wide = true;
        return x;
    }
    if (e->fn == SN_FN_ROUNDS_ALIKE)
        return sn_rule_expr_prim(
            SN_TY_BOOL,
            sn_format(cx->a, "sn_alike(g->rounding, %s, %s, %s)",
                      sn_rule_expr(cx, k[0]).s, sn_rule_type(cx, k[1]),
                      sn_rule_type(cx, k[2])));
    if (e->fn == SN_FN_MEET) {
        SnRuleExpr x = sn_rule_expr_prim(
            SN_TY_RANGE,
            sn_format(cx->a, "sn_meet(%s, %s)", sn_rule_expr_range(cx, k[0]),
                      sn_rule_expr_range(cx, k[1])));
        x.dom = sn_rule_expr(cx, k[0]).dom;
        return x;
    }
    if (e->fn == SN_FN_IMAGE)
        return rx_image(cx, e);
    if (e->fn == SN_FN_BOUNDS)
        return rx_bounds(cx, e);
    if (e->fn == SN_FN_COUNT)
        return rx_count(cx, e);
    if (e->fn == SN_FN_SUPPORTS)
        return rx_supports(cx, e);
    if (e->fn == SN_FN_HAS) {
        const SnDefVar *v = sn_rule_var(cx, k[0]->s ? k[0]->s : "");
        return v ? (SnRuleExpr){.s = sn_format(cx->a,
                                               "sn_attr_of(g, %s, \"%s\") "
                                               "!= NULL",
                                               sn_rule_of(cx, v), k[1]->s),
                                .prec = P_EQ,
                                .ty = SN_TY_BOOL}
                 : sn_rule_expr_none(cx, e);
    }
    return sn_rule_expr_type_call(cx, e);
}
