// SPDX-License-Identifier: Apache-2.0
/* Operators of ONNX that are terms: names, element types, conditions, and
 * whether each declaration of an operator can be reached. */
#include <string.h>
#include "dsl/model/expr_tree.h"
#include "dsl/model/onnx.h"
#include "dsl/resolve/resolver.h"

typedef struct Cx {
    SnResolver *rs;
    SnDefOp *o;
    SnScope sc;
    SnDefConc shared; /* the considered type of the operands */
    bool quiet;       /* only checks whether it fits */
    uint32_t nstep;
} Cx;

static void
bad(Cx *c)
{
    c->o->bad = c->sc.bad = true;
}

/* ---- limits ---- */

/* SnOnnxTerm of graph/desc.h, SN_MAXRES of graph/graph.h */
enum { MOST = 255, MOST_NODES = 65535, MOST_RESULTS = 8 };

static void
too_many(Cx *c, SnPos at, int most, const char *what)
{
    sn_error(c->rs->d, at, "SN132", "\"%s\" has more than %d %s", c->o->op,
             most, what);
    bad(c);
}

/* Nodes and numbers of the term. */
static void
count(Cx *c, const SnTerm *t)
{
    if (t->narg > MOST)
        too_many(c, t->arg[MOST]->pos, MOST, "operands of one node");
    if (++c->nstep == MOST_NODES + 1)
        too_many(c, t->pos, MOST_NODES, "nodes");
    for (uint32_t i = 0; i < t->narg && !c->o->bad; i++)
        count(c, t->arg[i]);
}

static void
limits(Cx *c)
{
    SnDefOp *o = c->o;

    if (o->nin > MOST)
        too_many(c, o->in[MOST].pos, MOST, "inputs");
    if (o->nattr > MOST)
        too_many(c, o->attr[MOST].pos, MOST, "attributes");
    for (uint32_t i = 0; i < o->nlet && !o->bad; i++)
        if (o->let[i].term)
            count(c, o->let[i].term);
    for (uint32_t i = 0; i < o->nresult && !o->bad; i++)
        count(c, o->result[i]);
    if (o->nresult > MOST_RESULTS)
        too_many(c, o->result[MOST_RESULTS]->pos, MOST_RESULTS, "results");
}

/* ---- names ---- */

static void
define(Cx *c, const char *name, SnPos pos, SnVk vk, SnDefOpVal val)
{
    SnDefVar *v = sn_resolve_var(&c->sc, name);

    if (v) {
        sn_resolve_twice(c->rs, pos, "name", name, v->pos);
        bad(c);
        return;
    }
    v = SN_NEW(c->rs->a, SnDefVar);
    v->name = name;
    v->pos = pos;
    v->vk = vk;
    v->let = val.let ? val.let->term : NULL;
    v->val = sn_memdup(c->rs->a, &val, sizeof val);
    v->index = c->sc.nvar;
    SN_PUSH(c->rs->a, c->sc.var, c->sc.nvar, v);
}

static bool
plain(Cx *c, const char *name, SnPos pos, SnDefConc *out)
{
    const SnDefType *t = sn_resolve_type(c->rs, pos, name);

    if (t && t->nconc == 1 && !sn_conc_quant(t->conc[0])) {
        *out = t->conc[0];
        return true;
    }
    if (t)
        sn_error(c->rs->d, pos, "SN104",
                 "'%s' is not one plain element type: f32, i32, i64, ...",
                 name);
    bad(c);
    return false;
}

/* The value that replaces that of an attribute. */
static void
value_operand(Cx *c, SnDefOpIn *in)
{
    SnScope sc = {.rs = c->rs, .kind = SN_SC_CONST};
    SnDefNode some = {.name = c->o->op};
    SnDefOpAttr *a = SN_NEW(c->rs->a, SnDefOpAttr);
    SnAttrKind ty = in->value->ty;

    if (in->what != SN_OP_ONE ||
        (ty != SN_A_INT && ty != SN_A_REAL && ty != SN_A_INTS)) {
        sn_error(c->rs->d, in->pos, "SN132",
                 "operand '%s' of \"%s\" is not one of '%s : int', "
                 "'%s : real', '%s : int[]'",
                 in->name, c->o->op, in->name, in->name, in->name);
        bad(c);
        return;
    }
    if (in->value->def)
        sn_resolve_value(&sc, in->value->def, &some, in->value);
    c->o->bad |= sc.bad;
    *a = (SnDefOpAttr){
        .name = in->name, .pos = in->pos, .type = in->value, .in = in};
    define(c, in->name, in->pos, SN_V_VALUE, (SnDefOpVal){.attr = a});
}

static void
operands(Cx *c)
{
    static const char *const layouts[] = {"nchw"};
    SnDefOp *o = c->o;

    for (uint32_t i = 0; i < o->nin; i++) {
        SnDefOpIn *in = &o->in[i];
        if (in->what == SN_OP_LIST && i + 1 < o->nin) {
            sn_error(c->rs->d, in->pos, "SN132",
                     "'%s...' takes all further operands: it is the last one",
                     in->name);
            bad(c);
        }
        if (in->type)
            plain(c, in->type, in->type_pos, &in->conc);
        if (in->value) {
            value_operand(c, in);
            continue;
        }
        if (in->layout && !sn_name_among(layouts, 1, in->layout)) {
            sn_error(c->rs->d, in->layout_pos, "SN132",
                     "a term takes operands in the layout nchw or as they are, "
                     "not in '%s'",
                     in->layout);
            bad(c);
        }
        define(c, in->name, in->pos,
               in->what == SN_OP_LIST ? SN_V_LIST : SN_V_VALUE,
               (SnDefOpVal){.in = in});
    }
    for (uint32_t i = 0; i < o->ntype; i++) {
        SnDefConc k;
        if (plain(c, o->type[i], o->type_pos[i], &k))
            SN_PUSH(c->rs->a, o->conc, o->nconc, k);
    }
}

static void
condition(Cx *c, SnDefOpAttr *a)
{
    SnScope sc = {.rs = c->rs, .kind = SN_SC_CONST};
    SnTy t;
    int64_t i;
    double v;

    if (a->is->ek == SN_E_WILD) /* any value */
        return;
    t = sn_resolve_expr(&sc, a->is);
    if (t == SN_TY_STR)
        return;
    if ((t == SN_TY_INT || t == SN_TY_REAL) &&
        sn_resolve_const(c->rs, a->is, &v)) {
        if (t == SN_TY_REAL || sn_expr_int(a->is, &i))
            return;
        sn_error(c->rs->d, a->is->pos, "SN104",
                 "attribute '%s' of \"%s\": '%s' is not an int of 64 bits",
                 a->name, c->o->op, sn_expr_str(c->rs->a, a->is));
    }
    if (t != SN_TY_NONE && t != SN_TY_INT && t != SN_TY_REAL)
        sn_error(c->rs->d, a->is->pos, "SN104",
                 "attribute '%s' of \"%s\" is compared with an int, a real or "
                 "a string; '%s' is %s",
                 a->name, c->o->op, sn_expr_str(c->rs->a, a->is),
                 sn_ty_name(t));
    bad(c);
}

static void
attributes(Cx *c)
{
    SnScope sc = {.rs = c->rs, .kind = SN_SC_CONST};
    SnDefNode some = {.name = c->o->op};

    for (uint32_t i = 0; i < c->o->nattr; i++) {
        SnDefOpAttr *a = &c->o->attr[i];
        uint32_t was = sn_entry_at(c->o->attr, i, sizeof *a, a->name);
        if (was < i) {
            sn_resolve_twice(c->rs, a->pos, "attribute", a->name,
                             c->o->attr[was].pos);
            bad(c);
        }
        if (a->is) {
            condition(c, a);
            continue;
        }
        if (a->type->ty > SN_A_REALS || a->type->ty == SN_A_ENUM) {
            sn_error(c->rs->d, a->pos, "SN132",
                     "attribute '%s' of \"%s\" is not one of int, real, bool, "
                     "str, int[], real[]",
                     a->name, c->o->op);
            bad(c);
        } else if (a->type->def) {
            sn_resolve_value(&sc, a->type->def, &some, a->type);
        }
        define(c, a->name, a->pos, SN_V_VALUE, (SnDefOpVal){.attr = a});
    }
    c->o->bad |= sc.bad;
}

/* ---- terms ---- */

static const char *
not_here(const SnTerm *t)
{
    return t->tk == SN_T_COPY   ? "copy"
           : t->tk == SN_T_EACH ? "each"
           : t->tk == SN_T_FUNC ? t->name
           : t->like            ? "like"
           : t->as              ? "as"
           : t->named           ? "named"
                                : NULL;
}

/* A node of two operands with a list is applied from the left. */
static void
chain(Cx *c, SnTerm *t)
{
    const SnDefNode *n = sn_def_node(c->rs->defs, t->name);
    const SnDefVar *v;

    if (!n || n->nin != 2 || n->in[0]->variadic || n->in[1]->variadic ||
        t->narg != 1 || t->arg[0]->tk != SN_T_VAR || t->arg[0]->port)
        return;
    v = sn_resolve_var(&c->sc, t->arg[0]->name);
    if (!v || v->vk != SN_V_LIST)
        return;
    SnDefVar *one = sn_memdup(c->rs->a, v, sizeof *v);
    one->name = sn_format(c->rs->a, "%s...", v->name);
    one->vk = SN_V_VALUE;
    if (!sn_resolve_var(&c->sc, one->name))
        SN_PUSH(c->rs->a, c->sc.var, c->sc.nvar, one);
    SnTerm *a = sn_memdup(c->rs->a, t->arg[0], sizeof *a);
    a->name = one->name;
    t->chain = v;
    t->narg = 2;
    t->arg = SN_NEW_N(c->rs->a, SnTerm *, 2);
    t->arg[0] = t->arg[1] = a;
}

static void
prepare(Cx *c, SnTerm *t)
{
    const char *word = not_here(t);

    if (word) {
        sn_error(c->rs->d, t->pos, "SN132",
                 "'%s' is of rules, not of an operator's term", word);
        bad(c);
    }
    if (t->tk != SN_T_CALL)
        return;
    const SnDefNode *n = sn_def_node(c->rs->defs, t->name);
    if (n && !sn_resolve_bad(c->rs, n) &&
        (!n->nout || n->has_effect || n->rsem[0]->cls == SN_C_SOURCE)) {
        sn_error(c->rs->d, t->pos, "SN132",
                 "%s is a source or has an effect: a term cannot use it",
                 n->name);
        if (n->nout && !n->nin)
            sn_diag_help(c->rs->d, "let n = 1, ...: numbers are operands");
        bad(c);
        return;
    }
    chain(c, t);
    for (uint32_t i = 0; i < t->nasg; i++)
        sn_resolve_op_sizes(&c->sc, t->asg[i].e);
    c->o->bad |= c->sc.bad;
    for (uint32_t i = 0; i < t->narg; i++)
        prepare(c, t->arg[i]);
}

static void
read_value(SnDefOpAttr *a)
{
    a->used = true;
    if (a->in)
        a->in->used = true;
}

static void
use(Cx *c, const SnDefVar *v, SnPos at)
{
    const SnDefOpAttr *a = v->val->attr;

    if (v->val->in && !v->val->count)
        v->val->in->used = true;
    if (v->val->let)
        v->val->let->used = true;
    if (!a)
        return;
    read_value(v->val->attr);
    if (a->type->ty == SN_A_INT || a->type->ty == SN_A_REAL)
        return;
    sn_error(c->rs->d, at, "SN104",
             "attribute '%s' is not a number and cannot be an operand",
             a->name);
    bad(c);
}

/* After names: which names are used, and where an operand may be missing. */
static void
walk(Cx *c, SnTerm *t)
{
    for (uint32_t i = 0; t->node && i < t->node->nin; i++) {
        const SnTerm *a = t->by_port[i];
        const SnDefPort *p = t->node->in[i];
        if (!a || a->tk != SN_T_VAR || !a->var->val->in ||
            a->var->val->in->what != SN_OP_MAYBE || p->optional)
            continue;
        sn_error(c->rs->d, a->pos, "SN210",
                 "'%s' may be missing, but operand '%s' of %s is required",
                 a->name, p->name, t->node->name);
        bad(c);
    }
    if (t->tk == SN_T_VAR)
        use(c, t->var, t->pos);
    for (uint32_t i = 0; i < t->narg; i++)
        walk(c, t->arg[i]);
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnExpr *e = t->asg[i].e;
        double v;
        if (e->rk == SN_R_VAR)
            read_value(((const SnDefVar *)e->ref)->val->attr);
        if (e->rk == SN_R_VAR || e->rk == SN_R_MAP)
            continue;
        for (uint32_t k = 0; e->ek == SN_E_LIST && k < e->nkid; k++)
            if (!sn_resolve_const(c->rs, e->kid[k], &v))
                bad(c);
        if (e->ek != SN_E_LIST && sn_ty_is_num(e->ty) &&
            !sn_resolve_const(c->rs, e, &v))
            bad(c);
    }
}

static void
term(Cx *c, SnTerm *t)
{
    c->sc.bad = false;
    prepare(c, t);
    if (c->o->bad || !sn_resolve_term(&c->sc, t) || c->sc.bad)
        bad(c);
    else
        walk(c, t);
}

static void
lets(Cx *c)
{
    for (uint32_t i = 0; i < c->o->nlet && !c->o->bad; i++) {
        SnDefOpLet *l = &c->o->let[i];
        const SnTerm *t = l->term;
        SnDefOpVal v = {.let = l};
        SnVk vk = t ? SN_V_LET : SN_V_VALUE;
        if (t && sn_fn_named(t->name) == SN_FN_COUNT && t->narg == 1 &&
            t->arg[0]->tk == SN_T_VAR) {
            const SnDefVar *of = sn_resolve_var(&c->sc, t->arg[0]->name);
            if (of && of->vk == SN_V_LIST) {
                v.in = of->val->in;
                v.count = true;
                vk = SN_V_VALUE;
            }
        }
        if (vk == SN_V_LET)
            term(c, l->term);
        define(c, l->name, l->pos, vk, v);
    }
}

/* ---- element types ---- */

static bool type_of(Cx *c, const SnTerm *t, SnDefConc *out);

static const char *
types_str(Cx *c, const SnDefConc *k, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, c->rs->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s", i ? ", " : "",
                k[i].elem == SN_ABSENT ? "_" : sn_conc_str(c->rs, k[i]));
    return sn_buf_str(&b);
}

static bool
no_tuple(Cx *c, const SnTerm *t, const char *of)
{
    if (c->quiet)
        return false;
    sn_error(c->rs->d, t->pos, "SN204", "no tuple of %s takes (%s)", t->name,
             of);
    bad(c);
    return false;
}

static bool
call_type(Cx *c, const SnTerm *t, SnDefConc *out)
{
    const SnDefNode *n = t->node;
    SnDefConc *in = SN_NEW_N(c->rs->a, SnDefConc, n->nin + 1), k;
    const SnDefType *want =
        t->type ? sn_def_type(c->rs->defs, t->type->s) : NULL;

    for (uint32_t i = 0; i < n->nin; i++) {
        in[i] = (SnDefConc){SN_ABSENT, -1};
        if (t->by_port[i] && !type_of(c, t->by_port[i], &in[i]))
            return false;
    }
    for (uint32_t i = 0; i < t->nlist; i++)
        if (!type_of(c, t->list[i], &k))
            return false;
        else if (!sn_conc_equal(k, in[0]) && n->nin == 1)
            return no_tuple(c, t, types_str(c, (SnDefConc[]){in[0], k}, 2));
    for (uint32_t i = 0; i < n->ntuple; i++) {
        bool fits = !n->tuple[i].quant;
        for (uint32_t p = 0; p < n->nin; p++)
            fits &= sn_conc_equal(n->tuple[i].in[p], in[p]);
        *out = n->tuple[i].out[0];
        if (fits && (!want || sn_conc_equal(want->conc[0], *out)))
            return true;
    }
    return no_tuple(c, t, types_str(c, in, n->nin));
}

static bool
type_of(Cx *c, const SnTerm *t, SnDefConc *out)
{
    const SnDefOpVal *v = t->tk == SN_T_VAR ? t->var->val : NULL;

    *out = c->shared;
    if (t->tk == SN_T_NONE)
        *out = (SnDefConc){SN_ABSENT, -1};
    else if (!v)
        return call_type(c, t, out);
    else if (v->let && v->let->term && !v->count)
        return type_of(c, v->let->term, out);
    else if (v->in && !v->count && v->in->type)
        *out = v->in->conc;
    else if ((!v->in || v->count) && out->elem != SN_F32 &&
             out->elem != SN_I32 && out->elem != SN_I64) {
        if (!c->quiet) {
            sn_error(c->rs->d, t->pos, "SN204",
                     "number '%s' is f32, i32 or i64, not %s", t->name,
                     sn_conc_str(c->rs, *out));
            bad(c);
        }
        return false;
    }
    return true;
}

static bool
have_types(Cx *c)
{
    SnDefConc out;

    for (uint32_t i = 0; i < c->o->nresult; i++)
        if (!type_of(c, c->o->result[i], &out))
            return false;
    return true;
}

/* Every stated type fits or, without any, some plain type. */
static void
types(Cx *c)
{
    static const int8_t any[] = {SN_F32, SN_I32, SN_I64, SN_I8, SN_BOOL};

    for (uint32_t i = 0; i < c->o->nconc && !c->o->bad; i++) {
        c->shared = c->o->conc[i];
        have_types(c);
    }
    if (c->o->nconc || c->o->bad)
        return;
    c->quiet = true;
    for (uint32_t i = 0; i < sizeof any; i++) {
        c->shared = (SnDefConc){any[i], -1};
        if (have_types(c))
            return;
    }
    c->quiet = false;
    c->shared = (SnDefConc){SN_F32, -1};
    have_types(c);
}

static void
unused(Cx *c, const char *what, const char *name, SnPos at)
{
    sn_error(c->rs->d, at, "SN132", "%s '%s' of \"%s\" is not used", what, name,
             c->o->op);
    bad(c);
}

static void
all_used(Cx *c)
{
    for (uint32_t i = 0; i < c->o->nin && !c->o->bad; i++)
        if (!c->o->in[i].used)
            unused(c, "operand", c->o->in[i].name, c->o->in[i].pos);
    for (uint32_t i = 0; i < c->o->nattr && !c->o->bad; i++)
        if (c->o->attr[i].type && !c->o->attr[i].used)
            unused(c, "attribute", c->o->attr[i].name, c->o->attr[i].pos);
    for (uint32_t i = 0; i < c->o->nlet && !c->o->bad; i++)
        if (!c->o->let[i].used)
            unused(c, "value", c->o->let[i].name, c->o->let[i].pos);
}

/* ---- several declarations ---- */

static bool
overlap(const char *a, int64_t since, int64_t until, const SnDefOp *o)
{
    return !strcmp(a, o->op) && (!until || o->since <= until) &&
           (!o->until || since <= o->until);
}

/* Does a hold whenever all attributes of o do? */
static bool
implied(const SnDefOpAttr *a, const SnDefOp *o)
{
    if ((a->type && a->type->def) || (a->is && a->is->ek == SN_E_WILD))
        return true;
    uint32_t i = sn_entry_at(o->attr, o->nattr, sizeof *a, a->name);
    if (i == o->nattr)
        return false;
    const SnDefOpAttr *b = &o->attr[i];
    if (a->type)
        return b->type ? !b->type->def : !b->maybe;
    return b->is && sn_expr_equal(a->is, b->is) && (a->maybe || !b->maybe);
}

/* Does a accept these operands? */
static bool
takes(const SnDefOp *a, const SnDefOp *o)
{
    for (uint32_t i = 0; i < o->nin || i < a->nin; i++) {
        const SnDefOpIn *x = i < a->nin ? &a->in[i]
                             : a->nin && a->in[a->nin - 1].what == SN_OP_LIST
                                 ? &a->in[a->nin - 1]
                                 : NULL;
        const SnDefOpIn *y = i < o->nin ? &o->in[i] : NULL;
        if (!x || (!y && x->what == SN_OP_ONE) || (!y && i == 0))
            return false;
        if (y && (x->value != NULL) != (y->value != NULL))
            return false;
        if (y && (x->type || y->type) &&
            (!x->type || !y->type || strcmp(x->type, y->type)))
            return false;
        if (y && y->what != x->what && y->what != SN_OP_ONE)
            return false;
    }
    return true;
}

static bool
covers(const SnDefOp *a, const SnDefOp *o)
{
    for (uint32_t i = 0; i < a->nattr; i++)
        if (!implied(&a->attr[i], o))
            return false;
    for (uint32_t i = 0; a->nconc && i < o->nconc; i++) {
        bool in = false;
        for (uint32_t k = 0; k < a->nconc; k++)
            in |= sn_conc_equal(a->conc[k], o->conc[i]);
        if (!in)
            return false;
    }
    return (!a->nconc || o->nconc) && takes(a, o);
}

static void
against_lines(SnResolver *rs, const SnDefOp *o)
{
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        const SnDefNode *n = rs->defs->node[i];
        for (uint32_t j = 0; j < n->nonnx; j++) {
            const SnDefOnnx *l = n->onnx[j];
            if (!overlap(l->op, l->since, l->until, o))
                continue;
            sn_error(
                rs->d, o->pos, "SN103",
                "ONNX operator '%s' of opset %lld is already imported as %s",
                o->op, (long long)(l->since > o->since ? l->since : o->since),
                n->name);
            sn_diag_span(rs->d, l->pos, "here");
            return;
        }
    }
}

static void
against_terms(SnResolver *rs, const SnDefOp *o)
{
    for (uint32_t i = 0; i < rs->defs->nop && rs->defs->op[i] != o; i++) {
        const SnDefOp *a = rs->defs->op[i];
        if (!overlap(a->op, a->since, a->until, o) || a->bad)
            continue;
        if (a->since != o->since || a->until != o->until) {
            sn_error(rs->d, o->pos, "SN103",
                     "ONNX operator '%s' is declared for other opsets that "
                     "these overlap",
                     o->op);
            sn_diag_span(rs->d, a->pos, "here");
            return;
        }
        if (!covers(a, o))
            continue;
        sn_error(rs->d, o->pos, "SN133",
                 "this declaration of \"%s\" is never reached: an earlier one "
                 "applies wherever it does",
                 o->op);
        sn_diag_span(rs->d, a->pos, "%s", a->text);
        return;
    }
}

static void
resolve_op(SnResolver *rs, SnDefOp *o)
{
    Cx c = {.rs = rs, .o = o, .sc = {.rs = rs, .kind = SN_SC_TEST}};

    if (o->until && o->until < o->since) {
        sn_error(rs->d, o->pos, "SN125",
                 "opset range %lld..%lld of \"%s\" is empty",
                 (long long)o->since, (long long)o->until, o->op);
        bad(&c);
    }
    if (!sn_resolve_op_name(rs, o->op, o->pos))
        bad(&c);
    limits(&c);
    operands(&c);
    attributes(&c);
    lets(&c);
    for (uint32_t i = 0; i < o->nresult && !o->bad; i++)
        term(&c, o->result[i]);
    if (!o->bad)
        types(&c);
    if (!o->bad)
        all_used(&c);
    against_lines(rs, o);
    if (!o->bad)
        against_terms(rs, o);
}

void
sn_resolve_ops(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nop; i++)
        resolve_op(rs, rs->defs->op[i]);
}
