// SPDX-License-Identifier: Apache-2.0
/* ONNX operators that are terms over nodes, as tables of sn_kinds.c: steps in
 * the order of execution. */
#include <string.h>
#include "dsl/model/expr_tree.h"
#include "dsl/model/onnx.h"
#include "gen/text/emit.h"

typedef struct Steps {
    SnBuf *b, args, sets, steps;
    const SnDefs *d;
    const SnDefOp *o;
    uint32_t id, n;
    const SnDefOpLet **let; /* which made a step */
    int32_t *at;
    uint32_t nlet;
} Steps;

/* ---- values ---- */

/* { i, r, s, n, ints, reals } */
static const char *
val(SnArena *a, const SnExpr *e, SnAttrKind ty)
{
    bool ints = ty == SN_A_INTS;
    double v = 0;

    if (!e)
        return "{ 0 }";
    if (ints || ty == SN_A_REALS)
        return sn_format(
            a, "{ .n = %u, .%s = %s }", e->nkid, ints ? "ints" : "reals",
            sn_lit_list(a, e->kid, e->nkid, ints ? "int64_t" : "float"));
    if (e->ek == SN_E_STR || e->rk == SN_R_WORD)
        return sn_format(a, "{ .s = %s }", sn_lit_str(a, e->s));
    if (ty != SN_A_REAL)
        return sn_format(a, "{ .i = %s }", sn_lit_int(a, e));
    sn_const_num(e, &v);
    return sn_format(a, "{ .r = %s }", sn_lit_f64(a, v));
}

/* ---- steps ---- */

static int32_t put_term(Steps *s, const SnTerm *t, const char *name);

/* { kind, name, in, has_val, val }: of v, or the number e. */
static void
put_from(Steps *s, SnBuf *b, const SnDefOpAttr *v, const SnExpr *e,
         SnAttrKind ty)
{
    const SnExpr *is = v ? v->type->def : e;

    ty = v ? v->type->ty : ty;
    sn_putf(b, "{ %s, %s, %d, %s, ", sn_attr_kind_words[ty].id,
            sn_lit_str(b->a, v ? v->name : NULL),
            v && v->in ? (int)(v->in - s->o->in) : -1, is ? "true" : "false");
    sn_putf(b, "%s }", val(b->a, is, ty));
}

/* The arguments of the map of assignment number i. */
static void
put_map_args(Steps *s, const SnExpr *e, uint32_t i)
{
    SnBuf *b = &s->sets;

    sn_putf(b, "static const SnOnnxArg op%u_set%u_arg%u[] = {\n", s->id, s->n,
            i);
    for (uint32_t k = 0; k < e->nkid; k++) {
        const SnExpr *x = e->kid[k];
        const SnDefOpVal *v =
            x->rk == SN_R_VAR ? ((const SnDefVar *)x->ref)->val : NULL;
        sn_putf(b, "    { %d, ", v && v->in ? (int)(v->in - s->o->in) : -1);
        if (v && v->in)
            sn_putf(b, "{ .name = \"%s\", .in = -1 }", v->in->name);
        else
            put_from(s, b, v ? v->attr : NULL, x,
                     x->ek == SN_E_BOOL ? SN_A_BOOL : SN_A_INT);
        sn_puts(b, " },\n");
    }
    sn_puts(b, "};\n");
}

static void
put_sets(Steps *s, const SnTerm *t)
{
    SnBuf *b = &s->sets;

    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].e->rk == SN_R_MAP)
            put_map_args(s, t->asg[i].e, i);
    if (t->nasg)
        sn_putf(b, "static const SnOnnxSet op%u_set%u[] = {\n", s->id, s->n);
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnAsg *g = &t->asg[i];
        const SnDefVar *v = g->e->rk == SN_R_VAR ? g->e->ref : NULL;
        sn_putf(b, "    { %s", sn_lit_str(b->a, g->name));
        if (g->e->rk == SN_R_MAP) {
            sn_putf(b, ", { .in = -1 }, &%s, op%u_set%u_arg%u, %u },\n",
                    sn_emit_map_symbol(s->d, g->e->ref), s->id, s->n, i,
                    g->e->nkid);
            continue;
        }
        sn_puts(b, ", ");
        put_from(s, b, v ? v->val->attr : NULL, g->e, g->attr->ty);
        sn_puts(b, ", NULL, NULL, 0 },\n");
    }
    if (t->nasg)
        sn_puts(b, "};\n");
}

static int32_t
put_number(Steps *s, const SnDefVar *v)
{
    const SnDefOpVal *x = v->val;
    const SnExpr *num = x->let && !x->count ? x->let->num : NULL;
    int64_t i;

    sn_putf(&s->steps, "    { .name = %s, .elem = -1, .count = %s, .num = ",
            sn_lit_str(s->steps.a, v->name), x->count ? "true" : "false");
    put_from(s, &s->steps, x->attr, num,
             num && sn_expr_int(num, &i) ? SN_A_INT : SN_A_REAL);
    sn_puts(&s->steps, " },\n");
    return (int32_t)s->n++;
}

/* A named value is made once. */
static int32_t
put_var(Steps *s, const SnTerm *t)
{
    const SnDefOpVal *v = t->var->val;
    int32_t at;

    if (v->in && !v->count)
        return ~(int32_t)(v->in - s->o->in);
    for (uint32_t i = 0; i < s->nlet && !v->attr; i++)
        if (s->let[i] == v->let)
            return s->at[i];
    if (v->attr || v->count || !v->let->term)
        at = put_number(s, t->var);
    else
        at = put_term(s, v->let->term, v->let->name);
    if (!v->attr) {
        uint32_t n = s->nlet;
        SN_PUSH(s->b->a, s->let, s->nlet, v->let);
        SN_PUSH(s->b->a, s->at, n, at);
    }
    return at;
}

static int32_t
put_term(Steps *s, const SnTerm *t, const char *name)
{
    SnArena *a = s->b->a;
    int32_t *arg = NULL;
    uint32_t n = 0;

    if (t->tk == SN_T_VAR)
        return put_var(s, t);
    if (t->chain) {
        SN_PUSH(a, arg, n, ~(int32_t)(t->chain->val->in - s->o->in));
    } else {
        for (uint32_t p = 0; p < t->node->nin; p++) {
            bool list = t->node->in[p]->variadic;
            for (uint32_t i = 0; i < (list ? t->nlist : 1); i++) {
                const SnTerm *k = list ? t->list[i] : t->by_port[p];
                int32_t r =
                    k && k->tk != SN_T_NONE ? put_term(s, k, NULL) : INT32_MIN;
                SN_PUSH(a, arg, n, r);
            }
        }
    }
    sn_putf(&s->args, "static const int32_t op%u_arg%u[] = {", s->id, s->n);
    for (uint32_t i = 0; i < n; i++)
        if (arg[i] == INT32_MIN)
            sn_putf(&s->args, "%sSN_ONNX_NONE", i ? ", " : " ");
        else
            sn_putf(&s->args, "%s%d", i ? ", " : " ", (int)arg[i]);
    sn_puts(&s->args, n ? " };\n" : " 0 };\n");
    put_sets(s, t);
    const SnDefType *ty = t->type ? t->type->ref : NULL;
    sn_putf(&s->steps,
            "    { .kind = SN_K_%s, .name = %s, .chain = %s, .elem = %d,\n",
            sn_upper(a, t->node->name),
            sn_lit_str(s->steps.a, name ? name : sn_lower(a, t->node->name)),
            t->chain ? "true" : "false", ty ? ty->conc[0].elem : -1);
    sn_putf(&s->steps, "      .narg = %u, .arg = op%u_arg%u", n, s->id, s->n);
    if (t->nasg)
        sn_putf(&s->steps, ", .nset = %u, .set = op%u_set%u", t->nasg, s->id,
                s->n);
    sn_puts(&s->steps, " },\n");
    return (int32_t)s->n++;
}

/* ---- conditions ---- */

static void
put_ins(SnBuf *b, const SnDefOp *o, uint32_t id)
{
    static const char *const what[] = {"ONE", "MAYBE", "LIST"};

    sn_putf(b, "static const SnOnnxIn op%u_in[] = {\n", id);
    for (uint32_t i = 0; i < o->nin; i++)
        sn_putf(b, "    { SN_ONNX_%s, %d, %s, %s },\n",
                what[o->in[i].value && o->in[i].value->def ? SN_OP_MAYBE
                                                           : o->in[i].what],
                o->in[i].type ? o->in[i].conc.elem : -1,
                o->in[i].value ? "true" : "false",
                o->in[i].layout ? "true" : "false");
    sn_puts(b, "};\n");
}

static uint32_t
put_tests(SnBuf *b, const SnDefOp *o, uint32_t id)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < o->nattr; i++) {
        const SnDefOpAttr *a = &o->attr[i];
        const char *is = !a->is                   ? "GIVEN"
                         : a->is->ek == SN_E_WILD ? "ANY"
                         : a->is->ty == SN_TY_STR ? "IS_STR"
                         : a->is->ty == SN_TY_INT ? "IS_INT"
                                                  : "IS_REAL";
        if (a->type && a->type->def)
            continue;
        if (n++ == 0)
            sn_putf(b, "static const SnOnnxTest op%u_test[] = {\n", id);
        sn_putf(b, "    { %s, SN_ONNX_%s, %s, %s },\n",
                sn_lit_str(b->a, a->name), is, a->maybe ? "true" : "false",
                val(b->a, a->is && a->is->ek != SN_E_WILD ? a->is : NULL,
                    a->is && a->is->ty == SN_TY_REAL ? SN_A_REAL : SN_A_INT));
    }
    if (n)
        sn_puts(b, "};\n");
    return n;
}

/* One node of all operands in their order; values may be its attributes. */
static bool
one_node(const SnDefOp *o)
{
    const SnTerm *t = o->result[0];
    uint32_t n = o->nin;

    if (o->nresult > 1 || t->tk != SN_T_CALL || t->type)
        return false;
    if (t->chain)
        return o->nin == 1;
    while (n > 0 && o->in[n - 1].value)
        n--;
    if (t->narg != n || n != t->node->nin)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (t->arg[i]->tk != SN_T_VAR || t->arg[i]->var->val->in != &o->in[i] ||
            t->arg[i]->port || t->node->in[i]->variadic)
            return false;
    return true;
}

/* ---- tables ---- */

void
sn_emit_ops(SnBuf *b, const SnDefs *d)
{
    for (uint32_t i = 0; i < d->nop; i++) {
        const SnDefOp *o = d->op[i];
        Steps s = {.b = b, .d = d, .o = o, .id = i};
        uint32_t elems = 0;
        SnBuf roots;
        if (!sn_defs_mine(d, o->backend))
            continue;
        sn_buf_init(&roots, b->a);
        sn_buf_init(&s.args, b->a);
        sn_buf_init(&s.sets, b->a);
        sn_buf_init(&s.steps, b->a);
        for (uint32_t k = 0; k < o->nconc; k++)
            elems |= UINT32_C(1) << o->conc[k].elem;
        sn_putf(b, "\n/* ---- %s: %s ---- */\n\n", o->op,
                sn_where(b->a, o->pos));
        put_ins(b, o, i);
        uint32_t ntest = put_tests(b, o, i);
        sn_putf(&roots, "static const int32_t op%u_root[] = {", i);
        for (uint32_t k = 0; k < o->nresult; k++)
            sn_putf(&roots, "%s%d", k ? ", " : " ",
                    (int)put_term(&s, o->result[k], NULL));
        sn_puts(&roots, " };\n");
        sn_puts(b, sn_buf_str(&roots));
        sn_puts(b, sn_buf_str(&s.args));
        sn_puts(b, sn_buf_str(&s.sets));
        if (s.n)
            sn_putf(b, "static const SnOnnxStep op%u_step[] = {\n%s};\n", i,
                    sn_buf_str(&s.steps));
        sn_putf(b, "static const SnOnnxTerm op%u = {\n    %s", i,
                sn_lit_str(b->a, o->text));
        bool one = one_node(o);
        sn_putf(b, ",\n    0x%x, %s, %s, %u, %u, op%u_in, ", elems,
                one ? "true" : "false",
                one && !o->result[0]->nasg ? "true" : "false", o->nin, ntest,
                i);
        sn_puts(b, ntest ? sn_format(b->a, "op%u_test", i) : "NULL");
        sn_putf(b, ", %u, %s, %u, op%u_root\n};\n", s.n,
                s.n ? sn_format(b->a, "op%u_step", i) : "NULL", o->nresult, i);
    }
}

/* The possible operands, for `sinter ops`: f32, i32, constant.  The import
 * converts 8-bit integers to i32 and back. */
static const char *
note(SnArena *a, const SnDefOp *o)
{
    bool wide = false, narrow = false;
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < o->ntype; i++) {
        sn_putf(&b, "%s%s", i ? ", " : "", o->type[i]);
        wide |= o->conc[i].elem == SN_I32;
        narrow |= o->conc[i].elem == SN_I8;
    }
    if (wide && !narrow)
        sn_puts(&b, ", 8-bit integers as i32");
    for (uint32_t i = 0; i < o->nin; i++)
        if (o->in[i].value)
            sn_putf(&b, "%s%s must be constant", b.n ? "; " : "",
                    o->in[i].name);
    return b.n ? sn_buf_str(&b) : NULL;
}

uint32_t
sn_emit_op_rows(SnBuf *b, const SnDefs *d)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->nop; i++) {
        const SnDefOp *o = d->op[i];
        const SnTerm *t = o->result[0];
        const SnDefNode *root;
        if (!sn_defs_mine(d, o->backend))
            continue;
        n++;
        if (!b)
            continue;
        sn_emit_operator(b, o->op);
        sn_putf(b, ", %d, %d, NULL, %s", (int)o->since, (int)o->until,
                sn_lit_str(b->a, note(b->a, o)));
        while (t->tk == SN_T_VAR && t->var->val->let && t->var->val->let->term)
            t = t->var->val->let->term;
        root = t->node;
        sn_putf(b, ", 0, NULL, %s, &op%u, 0, NULL },\n",
                root ? sn_format(b->a, "SN_K_%s", sn_upper(b->a, root->name))
                     : "0",
                i);
    }
    return n;
}
