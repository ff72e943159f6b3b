/* Guards, attribute values and types of rules as C expressions. */
#include "gen/rule_gen.h"

#include <string.h>

enum { P_ANY, P_OR, P_AND, P_EQ, P_REL, P_ADD, P_MUL, P_UNARY, P_PRIM };

/* The C text of an expression. */
typedef struct Rx {
    const char *s;
    int prec;
    SnTy ty;
    const SnDefConc *conc; /* ETYPE by name: a set of types, s is NULL */
    uint32_t nconc;
    const char *dom;       /* RANGE: the type whose domain it is in */
} Rx;

static Rx rx(SnRg *cx, const SnExpr *e);

static Rx
prim(SnTy ty, const char *s)
{
    return (Rx){ .s = s, .prec = P_PRIM, .ty = ty };
}

static Rx
nothing(SnRg *cx, const SnExpr *e)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_put_expr(&b, e);
    sn_error(cx->d, e->pos, "SN104", "'%s' has no value here",
             sn_buf_str(&b));
    return prim(SN_TY_NONE, "0");
}

static const char *
paren(SnRg *cx, Rx x, int min)
{
    return x.prec < min ? sn_format(cx->a, "(%s)", x.s) : x.s;
}

static bool
is_real(Rx x)
{
    return x.ty == SN_TY_REAL;
}

/* ---- names ---- */

SnDefVar *
sn_rg_var(const SnRg *cx, const char *name)
{
    for (uint32_t i = 0; cx->rule && i < cx->rule->nvar; i++)
        if (!strcmp(cx->rule->var[i]->name, name))
            return cx->rule->var[i];
    return NULL;
}

static const SnDefTestLine *
test_value(const SnRg *cx, const char *name)
{
    for (uint32_t i = 0; cx->test && i < cx->test->nline; i++) {
        const SnDefTestLine *l = cx->test->line[i];
        if ((l->kind == SN_TL_VALUE || l->kind == SN_TL_INPUT) &&
            !strcmp(l->name, name))
            return l;
    }
    return NULL;
}

/* The value an expression names, as an SnRef; NULL when it names none. */
static const char *
ref_of(SnRg *cx, const SnExpr *e)
{
    if (e->ek == SN_E_NAME && test_value(cx, e->s))
        return sn_format(cx->a, "%s%s", cx->values, sn_field(cx->a, e->s));
    if (e->ek == SN_E_NAME) {
        const SnDefVar *v = sn_rg_var(cx, e->s);
        if (!v)
            return NULL;
        const char *s = sn_rg_of(cx, v);
        if (v->vk == SN_V_LIST) /* its first element stands for all */
            return sn_format(cx->a, "sn_in(g, %s, %u)",
                             cx->bind[v->index].run.id,
                             cx->bind[v->index].run.first);
        return v->vk == SN_V_NODE ? sn_format(cx->a, "SN_REF(%s, 0)", s) : s;
    }
    if (e->ek != SN_E_MEMBER || e->kid[0]->ek != SN_E_NAME)
        return NULL;
    const SnDefVar *v = sn_rg_var(cx, e->kid[0]->s);
    const SnDefNode *n = v && v->vk == SN_V_NODE ? v->pat->node : NULL;
    const SnDefPort *p = n ? sn_def_port(n, e->s) : NULL;
    if (!p)
        return NULL;
    return sn_format(cx->a, p->out ? "SN_REF(%s, %u)" : "sn_in(g, %s, %u)",
                     sn_rg_of(cx, v), p->index);
}

static Rx
type_name(SnRg *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || !t->nconc)
        return nothing(cx, e);
    return (Rx){ .prec = P_PRIM, .ty = SN_TY_ETYPE, .conc = t->conc,
                 .nconc = t->nconc };
}

static Rx
rx_attr(SnRg *cx, const char *node, const SnDefNode *kind,
        const SnDefAttr *at)
{
    static const SnTy ty[] = {
        [SN_AT_INT] = SN_TY_INT, [SN_AT_REAL] = SN_TY_REAL,
        [SN_AT_BOOL] = SN_TY_BOOL, [SN_AT_STR] = SN_TY_STR,
        [SN_AT_ENUM] = SN_TY_ENUM, [SN_AT_INTS] = SN_TY_INTS,
        [SN_AT_REALS] = SN_TY_REALS, [SN_AT_TYPE] = SN_TY_ETYPE,
        [SN_AT_RANGE] = SN_TY_RANGE
    };
    const char *field = sn_field(cx->a, at->name);
    Rx x = prim(ty[at->ty], NULL);

    if (kind)
        x.s = sn_format(cx->a, "sn_%s_attr(g, %s)->%s",
                        sn_rg_lower(cx, kind), node, field);
    else if (at->ty == SN_AT_RANGE && !strcmp(at->name, "clamp"))
        x.s = sn_format(cx->a, "sn_clamp_of(g, %s)", node);
    else
        x.s = sn_format(cx->a, "*(%sconst *)sn_attr_of(g, %s, \"%s\")",
                        sn_attr_ctype(at), node, at->name);
    if (x.s[0] == '*')
        x.prec = P_UNARY;
    if (at->range_attr && kind)
        x.dom = sn_format(cx->a, "sn_%s_attr(g, %s)->%s",
                          sn_rg_lower(cx, kind), node,
                          sn_field(cx->a, at->range_attr->name));
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
class_attr(const SnRg *cx, const char *name)
{
    for (uint32_t i = 0; i < cx->defs->nnode; i++) {
        const SnDefAttr *at = sn_def_attr(cx->defs->node[i], name);
        if (at)
            return at;
    }
    return NULL;
}

static Rx
rx_member(SnRg *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = k->ek == SN_E_NAME ? sn_rg_var(cx, k->s) : NULL;
    const char *ref = ref_of(cx, k), *t = NULL;

    if (v && v->vk == SN_V_NODE) {
        const char *id = sn_rg_of(cx, v);
        const SnDefNode *one = v->pat->pk == SN_P_CALL ? v->pat->node : NULL;
        const SnDefAttr *at = v->pat->node
                                  ? sn_def_attr(v->pat->node, e->s)
                                  : class_attr(cx, e->s);
        if (at)
            return rx_attr(cx, id, one, at);
        if (!strcmp(e->s, "calibrated"))
            return prim(SN_TY_BOOL,
                        sn_format(cx->a, "sn_node(g, %s)->calibrated", id));
    }
    if (ref && !strcmp(e->s, "type"))
        return prim(SN_TY_ETYPE, sn_format(cx->a, "sn_type(g, %s)", ref));
    if (ref)
        t = sn_format(cx->a, "sn_type(g, %s)", ref);
    else if (k->ek == SN_E_MEMBER)
        t = rx(cx, k).s;
    if (t && !strcmp(e->s, "scale"))
        return prim(SN_TY_REAL, sn_format(cx->a, "sn_scale_of(%s)", t));
    if (t && !strcmp(e->s, "zp"))
        return prim(SN_TY_INT, sn_format(cx->a, "sn_zp_of(%s)", t));
    ref = ref_of(cx, e);
    return ref ? prim(SN_TY_VALUE, ref) : nothing(cx, e);
}

static Rx
rx_name(SnRg *cx, const SnExpr *e)
{
    const char *ref = ref_of(cx, e);

    if (ref)
        return prim(SN_TY_VALUE, ref);
    if (cx->self && sn_def_attr(cx->self, e->s))
        return rx_attr(cx, "id", cx->self, sn_def_attr(cx->self, e->s));
    if (e->rk == SN_R_WORD)
        return prim(SN_TY_ENUM, sn_format(cx->a, "%lld /* %s */",
                                          (long long)e->i, e->s));
    if (!strcmp(e->s, "full"))
        return prim(SN_TY_RANGE, "(SnRange){ .has_lo = false }");
    return type_name(cx, e);
}

/* ---- types ---- */

const char *
sn_rg_in_set(SnRg *cx, const char *t, const SnDefConc *c, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%ssn_type_is(%s, %s, %d)", i ? " || " : "", t,
                sn_elem_enum(c[i].elem), c[i].axis);
    return sn_buf_str(&b);
}

static const char *
f32(SnRg *cx, double v)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_emit_f32(&b, v);
    return sn_buf_str(&b);
}

static const char *
i64(SnRg *cx, int64_t v)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_emit_i64(&b, v);
    return sn_buf_str(&b);
}

/* The elements of a list, or the number itself; *n of them. */
static const char *
elements(SnRg *cx, const SnExpr *e, bool real, uint32_t *n)
{
    SnBuf b;
    SnExpr *const *k = e->ek == SN_E_LIST ? e->kid : NULL;
    double v;

    *n = k ? e->nkid : 1;
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < *n; i++) {
        const SnExpr *x = k ? k[i] : e;
        sn_puts(&b, i ? ", " : "");
        if (real && sn_const_num(x, &v))
            sn_emit_f32(&b, v);
        else
            sn_puts(&b, rx(cx, x).s);
    }
    return sn_buf_str(&b);
}

/* q8(scale, zp), q8c([scales], [zps]) */
static const char *
type_with(SnRg *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);
    SnDefConc c = t->conc[0];
    uint32_t n, m;
    const char *s = elements(cx, e->kid[0], true, &n);
    const char *z = elements(cx, e->kid[1], false, &m);

    if (c.axis < 0)
        return sn_format(cx->a, "sn_type_quant(g->pool, %s, %s, %s)",
                         sn_elem_enum(c.elem), s, z);
    return sn_format(cx->a, "sn_type_axis(g->pool, %s, %d, %u, (const "
                     "float[]){ %s }, (const int32_t[]){ %s })",
                     sn_elem_enum(c.elem), c.axis, n < m ? n : m, s, z);
}

static Rx
rx_type_call(SnRg *cx, const SnExpr *e)
{
    const SnDefType *t = sn_def_type(cx->defs, e->s);

    if (!t || t->nconc != 1 || e->nkid != 2)
        return nothing(cx, e);
    return prim(SN_TY_ETYPE, type_with(cx, e));
}

const char *
sn_rg_type(SnRg *cx, const SnExpr *e)
{
    if (e->ek == SN_E_INDEX)
        e = e->kid[0];
    Rx x = rx(cx, e);
    if (x.ty == SN_TY_VALUE)
        return sn_format(cx->a, "sn_type(g, %s)", x.s);
    if (x.ty != SN_TY_ETYPE || (!x.s && x.nconc != 1))
        return nothing(cx, e).s;
    if (!x.s)
        return sn_format(cx->a, "sn_type_plain(g->pool, %s)",
                         sn_elem_enum(x.conc[0].elem));
    return x.s;
}

/* ---- clamps and reaches ---- */

/* [lo, hi] with _ for an open side */
static const char *
range_list(SnRg *cx, const SnExpr *e)
{
    static const char *const side[] = { "lo", "hi" };
    SnBuf b;
    double v;
    bool any = false;

    sn_buf_init(&b, cx->a);
    sn_puts(&b, "(SnRange){ ");
    for (uint32_t i = 0; i < 2 && i < e->nkid; i++) {
        if (e->kid[i]->ek == SN_E_WILD)
            continue;
        const char *x = sn_const_num(e->kid[i], &v) ? f32(cx, v)
                                                    : rx(cx, e->kid[i]).s;
        sn_putf(&b, "%s.%s = %s, .has_%s = true", any ? ", " : "", side[i],
                x, side[i]);
        any = true;
    }
    sn_puts(&b, any ? " }" : ".has_lo = false }");
    return sn_buf_str(&b);
}

static const char *
range(SnRg *cx, const SnExpr *e)
{
    return e->ek == SN_E_LIST ? range_list(cx, e) : rx(cx, e).s;
}

/* A clamp, a type or a reach, as a reach. */
static const char *
reach(SnRg *cx, const SnExpr *e)
{
    Rx x = rx(cx, e);

    if (x.ty == SN_TY_REACH)
        return x.s;
    if (x.ty == SN_TY_RANGE && x.dom)
        return sn_format(cx->a, "sn_clamp_reach(%s, %s)", x.dom, x.s);
    if (x.ty == SN_TY_ETYPE || x.ty == SN_TY_VALUE)
        return sn_format(cx->a, "sn_type_reach(%s)", sn_rg_type(cx, e));
    return nothing(cx, e).s;
}

static Rx
rx_image(SnRg *cx, const SnExpr *e)
{
    const char *r = range(cx, e->kid[0]), *to = sn_rg_type(cx, e->kid[2]);
    const SnExpr *from = e->kid[1];
    const SnDefVar *v =
        from->ek == SN_E_NAME ? sn_rg_var(cx, from->s) : NULL;
    Rx x = prim(SN_TY_RANGE, NULL);

    x.dom = to;
    if (v && v->vk == SN_V_NODE)
        x.s = sn_format(cx->a, "sn_image_at(rw, g, %s, %s, %s)", r,
                        sn_rg_of(cx, v), to);
    else
        x.s = sn_format(cx->a, "sn_image(%s, %s, %s, false)", r,
                        sn_rg_type(cx, from), to);
    return x;
}

static Rx
rx_bounds(SnRg *cx, const SnExpr *e)
{
    const char *t = sn_rg_type(cx, e->kid[0]), *v[2];
    bool has[2];

    for (int i = 0; i < 2; i++) {
        has[i] = e->kid[i + 1]->ek != SN_E_WILD;
        v[i] = has[i] ? rx(cx, e->kid[i + 1]).s : "0";
    }
    Rx x = prim(SN_TY_RANGE,
                sn_format(cx->a, "sn_bounds(%s, %s, %s, %s, %s)", t,
                          has[0] ? "true" : "false", v[0],
                          has[1] ? "true" : "false", v[1]));
    x.dom = t;
    return x;
}

/* ---- functions ---- */

static Rx
rx_value_fn(SnRg *cx, const SnExpr *e)
{
    static const struct {
        const char *name, *c;
        SnTy ty;
    } fn[] = {
        { "const", "sn_is_const(g, %s)", SN_TY_BOOL },
        { "rank", "sn_shape_of(g, %s)->rank", SN_TY_INT },
        { "shape", "sn_shape_of(g, %s)", SN_TY_SHAPE },
        { "dims", "sn_dims(sn_scratch(rw), sn_shape_of(g, %s))",
          SN_TY_INTS },
        { "reach", "sn_reach(g, %s)", SN_TY_REACH },
    };
    const char *ref = ref_of(cx, e->kid[0]);

    if (!ref)
        return nothing(cx, e);
    for (size_t i = 0; i < sizeof fn / sizeof *fn; i++) {
        if (strcmp(fn[i].name, e->s))
            continue;
        const char *at = strstr(fn[i].c, "%s");
        return prim(fn[i].ty, sn_format(cx->a, "%.*s%s%s",
                                        (int)(at - fn[i].c), fn[i].c, ref,
                                        at + 2));
    }
    if (!strcmp(e->s, "present"))
        return (Rx){ .s = sn_format(cx->a, "%s != 0", ref), .prec = P_EQ,
                     .ty = SN_TY_BOOL };
    if (!strcmp(e->s, "unused")) {
        const SnExpr *k = e->kid[0];
        unsigned res = 0;
        const char *id = sn_format(cx->a, "SN_NODE(%s)", ref);
        if (k->ek == SN_E_MEMBER) { /* o.idx, which may be left out */
            const SnDefVar *v = sn_rg_var(cx, k->kid[0]->s);
            const SnDefPort *p = sn_def_port(v->pat->node, k->s);
            id = sn_rg_of(cx, v);
            res = p->out ? p->index : 0;
        }
        return prim(SN_TY_BOOL,
                    sn_format(cx->a, "sn_unused(g, %s, %u)", id, res));
    }
    return nothing(cx, e);
}

static Rx
rx_count(SnRg *cx, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    const SnDefVar *v = sn_rg_var(cx, k->s ? k->s : "");

    if (cx->test) {
        const SnDefNode *n = sn_def_node(cx->defs, k->s);
        return n ? prim(SN_TY_INT, sn_format(cx->a, "sn_gt_count(t, %s)",
                                             sn_rg_kind(cx, n)))
                 : nothing(cx, e);
    }
    if (!v || v->vk != SN_V_LIST)
        return nothing(cx, e);
    return prim(SN_TY_INT, sn_format(cx->a, "%s_n",
                                     sn_rg_local(cx, v->name)));
}

static Rx
rx_supports(SnRg *cx, const SnExpr *e)
{
    const SnDefNode *n = sn_def_node(cx->defs, e->kid[0]->s);
    Rx t = rx(cx, e->kid[1]);
    SnBuf b;

    if (!n || !t.conc)
        return nothing(cx, e);
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < t.nconc; i++)
        sn_putf(&b, "%ssn_supports(rw, %s, %s)", i ? " && " : "",
                sn_rg_kind(cx, n), sn_elem_enum(t.conc[i].elem));
    return (Rx){ .s = sn_buf_str(&b), .ty = SN_TY_BOOL,
                 .prec = t.nconc > 1 ? P_AND : P_PRIM };
}

static Rx
rx_number_fn(SnRg *cx, const SnExpr *e)
{
    Rx a = rx(cx, e->kid[0]), b = { .ty = SN_TY_INT };
    bool sq = !strcmp(e->s, "sqrt");

    if (e->nkid > 1)
        b = rx(cx, e->kid[1]);
    bool real = is_real(a) || is_real(b) || sq;
    const char *f = sq ? "sqrtf"
                    : real ? sn_format(cx->a, "f%sf", e->s)
                           : sn_format(cx->a, "sn_int_%s", e->s);
    if (real && !sq && strcmp(e->s, "abs") == 0)
        f = "fabsf";
    return prim(real ? SN_TY_REAL : SN_TY_INT,
                e->nkid > 1 ? sn_format(cx->a, "%s(%s, %s)", f, a.s, b.s)
                            : sn_format(cx->a, "%s(%s)", f, a.s));
}

static Rx
rx_list_fn(SnRg *cx, const SnExpr *e)
{
    const char *a = rx(cx, e->kid[0]).s;

    if (!strcmp(e->s, "identity"))
        return prim(SN_TY_BOOL, sn_format(cx->a, "sn_identity(%s)", a));
    if (!strcmp(e->s, "compose"))
        return prim(SN_TY_INTS,
                    sn_format(cx->a, "sn_compose(sn_scratch(rw), %s, %s)", a,
                              rx(cx, e->kid[1]).s));
    return prim(SN_TY_INTS,
                sn_format(cx->a, "sn_ints_fill(sn_scratch(rw), %s, %d)", a,
                          !strcmp(e->s, "ones")));
}

static bool
among(const char *s, const char *const *v)
{
    for (; *v; v++)
        if (!strcmp(*v, s))
            return true;
    return false;
}

static Rx
rx_call(SnRg *cx, const SnExpr *e)
{
    static const char *const value[] = { "const", "rank", "shape", "dims",
                                         "reach", "present", "unused",
                                         NULL };
    static const char *const number[] = { "min", "max", "abs", "sqrt",
                                          NULL };
    static const char *const list[] = { "identity", "compose", "ones",
                                        "zeros", NULL };
    SnExpr **k = e->kid;

    if (among(e->s, value))
        return rx_value_fn(cx, e);
    if (among(e->s, number))
        return rx_number_fn(cx, e);
    if (among(e->s, list))
        return rx_list_fn(cx, e);
    if (!strcmp(e->s, "dim")) {
        const char *ref = ref_of(cx, k[0]);
        return ref ? prim(SN_TY_INT, sn_format(cx->a, "sn_dim(g, %s, %s)",
                                               ref, rx(cx, k[1]).s))
                   : nothing(cx, e);
    }
    if (!strcmp(e->s, "covers"))
        return prim(SN_TY_BOOL, sn_format(cx->a, "sn_covers(%s, %s)",
                                          reach(cx, k[0]),
                                          reach(cx, k[1])));
    if (!strcmp(e->s, "meet")) {
        Rx x = prim(SN_TY_RANGE, sn_format(cx->a, "sn_meet(%s, %s)",
                                           range(cx, k[0]),
                                           range(cx, k[1])));
        x.dom = rx(cx, k[0]).dom;
        return x;
    }
    if (!strcmp(e->s, "image"))
        return rx_image(cx, e);
    if (!strcmp(e->s, "bounds"))
        return rx_bounds(cx, e);
    if (!strcmp(e->s, "count"))
        return rx_count(cx, e);
    if (!strcmp(e->s, "supports"))
        return rx_supports(cx, e);
    if (!strcmp(e->s, "has")) {
        const SnDefVar *v = sn_rg_var(cx, k[0]->s ? k[0]->s : "");
        return v ? (Rx){ .s = sn_format(cx->a, "sn_attr_of(g, %s, \"%s\") "
                                        "!= NULL",
                                        sn_rg_of(cx, v), k[1]->s),
                         .prec = P_EQ, .ty = SN_TY_BOOL }
                 : nothing(cx, e);
    }
    return rx_type_call(cx, e);
}

/* ---- comparisons ---- */

static const char *const c_op[] = {
    "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||"
};

static const char *
ints(SnRg *cx, const SnExpr *e)
{
    uint32_t n;

    if (e->ek != SN_E_LIST)
        return rx(cx, e).s;
    if (e->nkid == 0)
        return "(SnInts){ .n = 0 }";
    const char *s = elements(cx, e, false, &n);
    return sn_format(cx->a, "(SnInts){ %u, (const int64_t[]){ %s } }", n, s);
}

static const char *
reals(SnRg *cx, const SnExpr *e)
{
    uint32_t n;

    if (e->ek != SN_E_LIST)
        return rx(cx, e).s;
    if (e->nkid == 0)
        return "(SnReals){ .n = 0 }";
    const char *s = elements(cx, e, true, &n);
    return sn_format(cx->a, "(SnReals){ %u, (const float[]){ %s } }", n, s);
}

/* A test that may be negated in front. */
static Rx
unless(SnRg *cx, bool not_, const char *s)
{
    return (Rx){ .s = not_ ? sn_format(cx->a, "!%s", s) : s,
                 .prec = not_ ? P_UNARY : P_PRIM, .ty = SN_TY_BOOL };
}

static Rx
compare_types(SnRg *cx, const SnExpr *e, Rx a, Rx b)
{
    bool ne = e->op == SN_OP_NE;
    Rx t = a.conc ? b : a, set = a.conc ? a : b;

    if (a.conc && b.conc)
        return nothing(cx, e);
    if (set.conc) {
        const char *s = sn_rg_in_set(cx, t.s, set.conc, set.nconc);
        if (set.nconc == 1)
            return unless(cx, ne, s);
        return ne ? unless(cx, true, sn_format(cx->a, "(%s)", s))
                  : (Rx){ .s = s, .prec = P_OR, .ty = SN_TY_BOOL };
    }
    return (Rx){ .s = sn_format(cx->a, "%s %s %s", a.s, c_op[e->op], b.s),
                 .prec = P_EQ, .ty = SN_TY_BOOL };
}

static bool
is_full(const SnExpr *e)
{
    return e->ek == SN_E_NAME && !strcmp(e->s, "full");
}

/* Lists: equal to a list, or every element compared with a number. */
static Rx
compare_lists(SnRg *cx, const SnExpr *e, Rx a, Rx b)
{
    bool real = a.ty == SN_TY_REALS;
    const SnExpr *k = e->kid[1];
    bool whole = k->ek == SN_E_LIST || b.ty == SN_TY_INTS ||
                 b.ty == SN_TY_REALS;

    if (whole)
        return unless(cx, e->op == SN_OP_NE,
                      real ? sn_format(cx->a, "sn_reals_equal(%s, %s)", a.s,
                                       reals(cx, k))
                           : sn_format(cx->a, "sn_ints_equal(%s, %s)", a.s,
                                       ints(cx, k)));
    static const char *const name[] = { [SN_OP_EQ] = "EQ", [SN_OP_NE] = "NE",
                                        [SN_OP_LT] = "LT", [SN_OP_LE] = "LE",
                                        [SN_OP_GT] = "GT",
                                        [SN_OP_GE] = "GE" };
    return prim(SN_TY_BOOL,
                sn_format(cx->a, "sn_%s_all(%s, SN_CMP_%s, %s)",
                          real ? "reals" : "ints", a.s, name[e->op], b.s));
}

static Rx
rx_compare(SnRg *cx, const SnExpr *e)
{
    const SnExpr *ka = e->kid[0], *kb = e->kid[1];
    bool ne = e->op == SN_OP_NE;

    Rx a = ka->ek == SN_E_LIST ? prim(ka->ty, "0") : rx(cx, ka);
    Rx b = kb->ek == SN_E_LIST ? prim(kb->ty, "0") : rx(cx, kb);
    if (a.ty == SN_TY_ETYPE)
        return compare_types(cx, e, a, b);
    if (a.ty == SN_TY_RANGE || b.ty == SN_TY_RANGE) {
        if (is_full(kb))
            return unless(cx, ne,
                          sn_format(cx->a, "sn_range_full(%s)", a.s));
        return unless(cx, ne, sn_format(cx->a, "sn_range_equal(%s, %s)",
                                        range(cx, ka), range(cx, kb)));
    }
    if (a.ty == SN_TY_INTS || a.ty == SN_TY_REALS)
        return compare_lists(cx, e, a, b);
    if (a.ty == SN_TY_STR)
        return (Rx){ .s = sn_format(cx->a, "strcmp(%s, %s) %s 0", a.s, b.s,
                                    c_op[e->op]),
                     .prec = P_EQ, .ty = SN_TY_BOOL };
    int p = e->op == SN_OP_EQ || ne ? P_EQ : P_REL;
    return (Rx){ .s = sn_format(cx->a, "%s %s %s", paren(cx, a, P_ADD),
                                c_op[e->op], paren(cx, b, P_ADD)),
                 .prec = p, .ty = SN_TY_BOOL };
}

static Rx
rx_in(SnRg *cx, const SnExpr *e)
{
    Rx a = rx(cx, e->kid[0]);
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 1; i < e->nkid; i++) {
        SnExpr *pair[] = { e->kid[0], e->kid[i] };
        SnExpr q = { .ek = SN_E_BIN, .op = SN_OP_EQ, .pos = e->pos,
                     .nkid = 2, .kid = pair };
        Rx x = rx_compare(cx, &q);
        sn_putf(&b, "%s%s", i > 1 ? " || " : "", paren(cx, x, P_OR));
    }
    bool many = e->nkid > 2 || (a.ty == SN_TY_ETYPE &&
                                strstr(sn_buf_str(&b), " || "));
    return (Rx){ .s = sn_buf_str(&b), .prec = many ? P_OR
                         : a.ty == SN_TY_ETYPE ? P_PRIM : P_EQ,
                 .ty = SN_TY_BOOL };
}

/* ---- operators ---- */

static Rx
rx_arith(SnRg *cx, const SnExpr *e)
{
    static const char *const fn[] = { "add", "sub", "mul", "div" };
    Rx a = rx(cx, e->kid[0]), b = rx(cx, e->kid[1]);
    double v;

    if (sn_const_num(e, &v) && (is_real(a) || is_real(b)))
        return prim(SN_TY_REAL, f32(cx, v));
    if (!is_real(a) && !is_real(b)) /* sizes of a model may be anything */
        return prim(SN_TY_INT, sn_format(cx->a, "sn_int_%s(%s, %s)",
                                         fn[e->op], a.s, b.s));
    int p = e->op <= SN_OP_SUB ? P_ADD : P_MUL;
    const char *l = is_real(a) ? paren(cx, a, p)
                               : sn_format(cx->a, "(float)%s",
                                           paren(cx, a, P_UNARY));
    const char *r = is_real(b) ? paren(cx, b, p + 1)
                               : sn_format(cx->a, "(float)%s",
                                           paren(cx, b, P_UNARY));
    return (Rx){ .s = sn_format(cx->a, "%s %s %s", l, c_op[e->op], r),
                 .prec = p, .ty = SN_TY_REAL };
}

static Rx
rx_logic(SnRg *cx, const SnExpr *e)
{
    int p = e->op == SN_OP_AND ? P_AND : P_OR;
    Rx a = rx(cx, e->kid[0]), b = rx(cx, e->kid[1]);

    /* gcc wants brackets around && inside ||. */
    return (Rx){ .s = sn_format(cx->a, "%s %s %s",
                                paren(cx, a, a.prec == p ? p : P_EQ),
                                c_op[e->op],
                                paren(cx, b, b.prec == p ? p : P_EQ)),
                 .prec = p, .ty = SN_TY_BOOL };
}

static Rx
negated(SnRg *cx, const SnExpr *e)
{
    static const SnOp flip[] = {
        [SN_OP_EQ] = SN_OP_NE, [SN_OP_NE] = SN_OP_EQ, [SN_OP_LT] = SN_OP_GE,
        [SN_OP_LE] = SN_OP_GT, [SN_OP_GT] = SN_OP_LE, [SN_OP_GE] = SN_OP_LT
    };

    if (e->ek == SN_E_NOT)
        return rx(cx, e->kid[0]);
    bool cmp = e->ek == SN_E_BIN && e->op >= SN_OP_EQ && e->op <= SN_OP_GE;
    bool eq = cmp && e->op <= SN_OP_NE;
    if (cmp && (eq || (e->kid[0]->ty == SN_TY_INT &&
                       e->kid[1]->ty == SN_TY_INT))) {
        SnExpr q = *e;
        q.op = flip[e->op];
        Rx x = rx(cx, e->kid[0]);
        if (x.ty != SN_TY_INTS && x.ty != SN_TY_REALS)
            return rx_compare(cx, &q);
    }
    Rx x = rx(cx, e);
    const char *ne = e->ek == SN_E_CALL ? strstr(x.s, " != 0") : NULL;
    const char *eq0 = e->ek == SN_E_CALL ? strstr(x.s, " == 0") : NULL;
    if (ne && x.prec == P_EQ)
        return (Rx){ .s = sn_format(cx->a, "!%.*s", (int)(ne - x.s), x.s),
                     .prec = P_UNARY, .ty = SN_TY_BOOL };
    if (eq0 && x.prec == P_EQ)
        return (Rx){ .s = sn_format(cx->a, "%.*s", (int)(eq0 - x.s), x.s),
                     .prec = P_PRIM, .ty = SN_TY_BOOL };
    if (x.s[0] == '!' && x.prec == P_UNARY)
        return prim(SN_TY_BOOL, x.s + 1);
    return (Rx){ .s = sn_format(cx->a, "!%s", paren(cx, x, P_UNARY)),
                 .prec = P_UNARY, .ty = SN_TY_BOOL };
}

static Rx
rx_index(SnRg *cx, const SnExpr *e)
{
    Rx a = rx(cx, e->kid[0]), i = rx(cx, e->kid[1]);

    if (a.ty == SN_TY_INTS)
        return prim(SN_TY_INT,
                    sn_format(cx->a, "sn_int_at(%s, %s)", a.s, i.s));
    return prim(SN_TY_REAL,
                sn_format(cx->a, "sn_real_at(%s, %s)", a.s, i.s));
}

static Rx
rx(SnRg *cx, const SnExpr *e)
{
    SnBuf b;

    switch (e->ek) {
    case SN_E_INT:
        return prim(SN_TY_INT, i64(cx, e->i));
    case SN_E_REAL:
        return prim(SN_TY_REAL, f32(cx, e->r));
    case SN_E_STR:
        sn_buf_init(&b, cx->a);
        sn_emit_str(&b, e->s);
        return prim(SN_TY_STR, sn_buf_str(&b));
    case SN_E_BOOL:
        return prim(SN_TY_BOOL, e->i ? "true" : "false");
    case SN_E_NAME:
        return rx_name(cx, e);
    case SN_E_LIST:
        if (e->ty == SN_TY_RANGE)
            return prim(SN_TY_RANGE, range_list(cx, e));
        if (e->ty == SN_TY_REALS)
            return prim(SN_TY_REALS, reals(cx, e));
        return prim(SN_TY_INTS, ints(cx, e));
    case SN_E_MEMBER:
        return rx_member(cx, e);
    case SN_E_INDEX:
        return rx_index(cx, e);
    case SN_E_CALL:
        return rx_call(cx, e);
    case SN_E_NEG: {
        Rx x = rx(cx, e->kid[0]);
        double v;
        if (sn_const_num(e, &v))
            return (Rx){ .s = is_real(x) ? f32(cx, v) : i64(cx, (int64_t)v),
                         .prec = P_UNARY, .ty = x.ty };
        if (x.ty == SN_TY_INT)
            return prim(SN_TY_INT,
                        sn_format(cx->a, "sn_int_sub(0, %s)", x.s));
        return (Rx){ .s = sn_format(cx->a, "-%s", paren(cx, x, P_PRIM)),
                     .prec = P_UNARY, .ty = x.ty };
    }
    case SN_E_NOT:
        return negated(cx, e->kid[0]);
    case SN_E_IN:
        return rx_in(cx, e);
    case SN_E_BIN:
        if (e->op >= SN_OP_AND)
            return rx_logic(cx, e);
        return e->op >= SN_OP_EQ ? rx_compare(cx, e) : rx_arith(cx, e);
    case SN_E_WILD:
    case SN_E_ARG:
        break;
    }
    return nothing(cx, e);
}

const char *
sn_rg_cond(SnRg *cx, const SnExpr *e, bool negate)
{
    return negate ? negated(cx, e).s : rx(cx, e).s;
}

/* ---- attribute values ---- */

static const char *
word_value(SnRg *cx, const SnDefNode *n, const SnDefAttr *at,
           const SnExpr *e)
{
    for (uint32_t i = 0; e->ek == SN_E_NAME && i < at->nword; i++)
        if (!strcmp(at->word[i], e->s))
            return sn_format(cx->a, "SN_%s_%s_%s", sn_upper(cx->a, n->name),
                             sn_upper(cx->a, at->name),
                             sn_upper(cx->a, e->s));
    return rx(cx, e).s;
}

const char *
sn_rg_value(SnRg *cx, const SnDefNode *n, const SnDefAttr *at,
            const SnExpr *e)
{
    Rx x;
    double v;

    switch (at->ty) {
    case SN_AT_RANGE:
        return range(cx, e);
    case SN_AT_TYPE:
        return sn_rg_type(cx, e);
    case SN_AT_INTS:
        return ints(cx, e);
    case SN_AT_REALS:
        return reals(cx, e);
    case SN_AT_ENUM:
        return word_value(cx, n, at, e);
    case SN_AT_REAL:
        if (sn_const_num(e, &v))
            return f32(cx, v);
        x = rx(cx, e);
        return is_real(x) ? x.s
                          : sn_format(cx->a, "(float)%s",
                                      paren(cx, x, P_UNARY));
    case SN_AT_INT:
    case SN_AT_BOOL:
    case SN_AT_STR:
        break;
    }
    return rx(cx, e).s;
}

/* ---- guards ---- */

/* How dear an expression is: pointers, then attributes, then searches. */
static int
cost(const SnExpr *e)
{
    static const struct {
        const char *name;
        int cost;
    } fn[] = { { "present", 0 }, { "const", 4 },  { "reach", 6 },
               { "covers", 6 },  { "image", 7 },  { "supports", 5 },
               { "dims", 5 },    { "compose", 7 } };
    int c = e->ek == SN_E_BIN || e->ek == SN_E_IN ? 1 : 0;

    if (e->ek == SN_E_CALL) {
        c = 3;
        for (size_t i = 0; i < sizeof fn / sizeof *fn; i++)
            if (!strcmp(fn[i].name, e->s))
                c = fn[i].cost;
    }
    if (e->ek == SN_E_MEMBER)
        c = strcmp(e->s, "type") ? 2 : 1;
    for (uint32_t i = 0; i < e->nkid; i++) {
        int k = cost(e->kid[i]);
        c = k > c ? k : c;
    }
    return c;
}

bool
sn_rg_mentions(const SnExpr *e, const char *name)
{
    if (e->ek == SN_E_CALL && !strcmp(e->s, "present"))
        return false;
    if (e->ek == SN_E_NAME && !strcmp(e->s, name))
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (sn_rg_mentions(e->kid[i], name))
            return true;
    return false;
}

bool
sn_rg_asks_present(const SnExpr *e, const char *name)
{
    if (e->ek == SN_E_CALL && !strcmp(e->s, "present"))
        return e->kid[0]->ek == SN_E_NAME && !strcmp(e->kid[0]->s, name);
    for (uint32_t i = 0; i < e->nkid; i++)
        if (sn_rg_asks_present(e->kid[i], name))
            return true;
    return false;
}

/* The run whose elements the expression speaks about, or NULL. */
static const SnRgRun *
run_of(const SnRg *cx, const SnExpr *e)
{
    for (uint32_t i = 0; i < cx->rule->nvar; i++) {
        const SnDefVar *v = cx->rule->var[i];
        if (v->each && cx->neach && sn_rg_mentions(e, v->name))
            return &cx->each[0];
    }
    return NULL;
}

static void
conjuncts(SnRg *cx, const SnExpr *e, const SnExpr ***v, uint32_t *n)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        conjuncts(cx, e->kid[0], v, n);
        conjuncts(cx, e->kid[1], v, n);
        return;
    }
    SN_PUSH(cx->a, *v, *n, e);
}

static void
guard_line(SnRg *cx, const SnExpr *e)
{
    const SnRgRun *r = run_of(cx, e);

    if (!r) {
        sn_rg_fail_if(cx, sn_rg_cond(cx, e, true));
        return;
    }
    sn_rg_loop(cx, r);
    sn_rg_fail_if(cx, sn_rg_cond(cx, e, true));
    sn_rg_loop_end(cx);
}

void
sn_rg_guard(SnRg *cx, const SnExpr *e)
{
    const SnExpr **v = NULL;
    uint32_t n = 0;
    int max = 0;

    conjuncts(cx, e, &v, &n);
    for (uint32_t i = 0; i < n; i++)
        max = cost(v[i]) > max ? cost(v[i]) : max;
    for (int c = 0; c <= max; c++)
        for (uint32_t i = 0; i < n; i++)
            if (cost(v[i]) == c)
                guard_line(cx, v[i]);
}
