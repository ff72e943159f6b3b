// SPDX-License-Identifier: Apache-2.0
/* Conditions and attribute values of rules on a concrete case: the functions of
 * the closed expression language, as in src/rewrite/expr.c. */
#include "dsl/prove/trial/case.h"
#include "dsl/prove/trial/prove_arith.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/model/expr_tree.h"

static SnExprValue
num(double r)
{
    return (SnExprValue){.ty = SN_TY_REAL, .r = r};
}

/* A real as C has it (gen/expr): a double in constraints and where a bound of a
 * reach is in it, else binary32. */
static SnExprValue
real(const SnProofCase *c, double r, bool wide)
{
    SnExprValue v = num(c->self || wide ? r : (double)(float)r);

    v.wide = wide;
    return v;
}

static SnExprValue
truth(bool b)
{
    return (SnExprValue){.ty = SN_TY_BOOL, .r = b};
}

static SnExprValue
bad(SnProofCase *c, const char *why)
{
    sn_case_no(c, why);
    return (SnExprValue){.ty = SN_TY_NONE};
}

/* Rules make lists with one element per axis of a type, and pairs of these. */
enum { LONGEST = 4096 };

/* n times fill; none below 0, as in a rule's C (sn_ints_fill). */
static SnExprValue
list_of(SnProofCase *c, double len, double fill)
{
    uint32_t n = len > 0 && len <= LONGEST ? (uint32_t)len : 0;

    if (len > LONGEST) {
        c->large = true;
        return bad(c, "a list longer than the prover runs");
    }

    double *v = SN_NEW_N(c->a, double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        v[i] = fill;
    return (SnExprValue){.ty = SN_TY_INTS, .n = n, .list = v};
}

/* ---- names ---- */

static const SnCaseBind *
bound(const SnProofCase *c, const SnExpr *e)
{
    const SnDefVar *v = e->ref;

    return &c->bind[v->index];
}

static SnExprValue
of_value(SnCaseValue *t)
{
    SnExprValue v = {.ty = SN_TY_VALUE, .v = t};

    if (t) {
        v.t = t->type;
        v.typed = true;
    }
    return v;
}

static SnExprValue
of_node(SnCaseNode *n)
{
    SnExprValue v = of_value(n->out[0]);

    v.ty = SN_TY_NODE;
    v.node = n;
    return v;
}

static SnExprValue
var(SnProofCase *c, const SnExpr *e)
{
    const SnCaseBind *b = bound(c, e);
    const SnDefVar *dv = e->ref;

    if (dv->vk == SN_V_NODE)
        return b->nodes  ? of_node(b->nodes[c->in_each ? c->each : 0])
               : b->node ? of_node(b->node)
                         : bad(c, "an unbound node");
    if (dv->vk == SN_V_LIST) {
        SnExprValue v = of_value(b->n ? b->list[0] : NULL);
        v.n = b->n;
        return v;
    }
    if (b->list)
        return of_value(b->list[c->in_each ? c->each : 0]);
    return of_value(b->v);
}

static SnCaseValue *
port_value(const SnCaseNode *n, const SnDefPort *p)
{
    if (p->out)
        return p->index < SN_CASE_MAXRES ? n->out[p->index] : NULL;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->port[s] == p->index)
            return n->in[s];
    return NULL;
}

/* A port of the node itself; for a variadic port the first operand, and the
 * number of operands. */
static SnExprValue
of_slot(const SnCaseNode *n, const SnDefPort *p)
{
    SnExprValue v = of_value(port_value(n, p));

    for (uint32_t s = 0; p->variadic && s < n->nin; s++)
        v.n += n->port[s] == p->index;
    return v;
}

static SnExprValue
name(SnProofCase *c, const SnExpr *e)
{
    SnExprValue v = {.ty = e->ty};

    switch (e->rk) {
    case SN_R_VAR:
        return var(c, e);
    case SN_R_ATTR: {
        const SnExprValue *a = c->self ? sn_case_its(c->self, e->ref) : NULL;
        return a ? *a : bad(c, "an attribute of something that is not a node");
    }
    case SN_R_PORT:
        return c->self ? of_slot(c->self, e->ref) : bad(c, "a port of no node");
    case SN_R_WORD:
        v.r = (double)e->i;
        return v;
    case SN_R_TYPE: {
        const SnDefType *t = e->ref;
        v.set = t;
        v.t.elem = t->conc[0].elem;
        v.t.axis = -1;
        return v;
    }
    case SN_R_FUNC:
        v.full = true;
        return v;
    default:
        return bad(c, "a name the prover doesn't know");
    }
}

static SnExprValue
member(SnProofCase *c, const SnExpr *e)
{
    SnExprValue k = sn_case_expr(c, e->kid[0]);

    if (c->fail)
        return k;
    if (e->ty == SN_TY_ETYPE && e->word == SN_W_TYPE) {
        if (!k.v)
            return bad(c, "a missing operand's type");
        k.ty = SN_TY_ETYPE;
        k.t = k.v->type;
        k.set = NULL;
        return k;
    }
    if (k.node && e->rk == SN_R_PORT)
        return of_value(port_value(k.node, e->ref));
    if (k.node) {
        SnExprValue *a = sn_case_attr(k.node, e->s);
        if (a) {
            SnExprValue v = *a;
            v.ty = e->ty;
            if (v.ty == SN_TY_RANGE) {
                v.t = k.node->out[0]->type;
                v.typed = true;
            }
            return v;
        }
        if (e->word == SN_W_CALIBRATED)
            return truth(k.node->calibrated);
    }
    if (!k.v && k.ty != SN_TY_ETYPE)
        return bad(c, "a missing operand");
    if (e->word == SN_W_SCALE)
        return num((double)(k.t.nq ? k.t.scale[0] : 1.0f));
    if (e->word == SN_W_ZP)
        return num(k.t.nq ? k.t.zp[0] : 0);
    return bad(c, "a member the prover doesn't know");
}

/* ---- calls ---- */

/* The reals a clamp, type or reach admits. */
static bool
bounds_of(SnProofCase *c, SnExprValue v, const SnExprValue *other, SnReach *to)
{
    SnRange none = {0};

    if (v.ty == SN_TY_REACH) {
        *to = (SnReach){v.lo, v.hi};
        return true;
    }
    if (v.ty == SN_TY_RANGE && !v.typed) {
        if (!other->typed)
            return sn_case_no(c, "a clamp in no known type");
        v.t = other->t;
    }
    if (v.set && !v.typed)
        return sn_case_no(c, "a type without a scale");
    *to = sn_case_reach(&v.t, v.ty == SN_TY_RANGE ? v.rg : none);
    return true;
}

static SnExprValue
reach(SnProofCase *c, const SnExprValue *v)
{
    SnExprValue r = {.ty = SN_TY_REACH};
    SnRange none = {0};

    if (!v->v)
        return bad(c, "reach of a missing operand");
    SnCaseNode *d = v->v->def;
    SnReach k = sn_case_reach(&v->v->type,
                              d && v->v->res == 0 ? sn_case_clamp_of(d) : none);
    r.lo = k.lo;
    r.hi = k.hi;
    return r;
}

static SnExprValue
dims_of(SnProofCase *c, const SnExprValue *v)
{
    SnExprValue r;

    if (!v->v || v->v->rank < 0)
        return bad(c, "dims of a missing operand");
    r = list_of(c, v->v->rank, 0);
    for (int i = 0; i < v->v->rank; i++)
        ((double *)(uintptr_t)r.list)[i] = (double)v->v->dim[i];
    return r;
}

static bool
is_const(const SnCaseValue *t)
{
    if (!t)
        return false;
    if (!t->def)
        return t->is_const;
    if (t->def->n->has_effect || !t->def->nin)
        return t->is_const;
    for (uint32_t i = 0; i < t->def->nin; i++)
        if (t->def->in[i] && !is_const(t->def->in[i]))
            return false;
    return true;
}

/* q8(scale, zp), or a list of each along an axis. */
static SnExprValue
grid(SnProofCase *c, const SnExpr *e)
{
    SnDefConc k = ((const SnDefType *)e->ref)->conc[0];
    SnExprValue s = sn_case_expr(c, e->kid[0]), z = sn_case_expr(c, e->kid[1]);
    SnExprValue r = {.ty = SN_TY_ETYPE, .typed = true};
    double lo = k.elem == SN_QI32 ? 0 : sn_case_code_lo(k.elem);
    double hi = k.elem == SN_QI32 ? 0 : sn_case_code_hi(k.elem);

    r.t = (SnCaseType){.elem = k.elem, .axis = k.axis, .nq = s.list ? s.n : 1};
    if (!r.t.nq || r.t.nq > SN_CASE_NQ || (z.list && z.n != r.t.nq))
        return bad(c, "a type without slices, or with more than 8");
    for (uint32_t i = 0; i < r.t.nq; i++) {
        double scale = s.list ? s.list[i] : s.r, zp = z.list ? z.list[i] : z.r;
        if (!(scale >= 0x1p-100 && scale <= 0x1p100) || !(zp >= lo && zp <= hi))
            return bad(c, "a calculated scale or zero point is not valid");
        r.t.scale[i] = (float)scale;
        r.t.zp[i] = (int32_t)zp;
    }
    return r;
}

/* Of clamps, types and reaches. */
static SnExprValue
bounds_fn(SnProofCase *c, const SnExpr *e, SnExprValue *v)
{
    SnExprValue r = {.ty = SN_TY_RANGE, .t = v[0].t, .typed = true};
    SnReach a, b;

    if (e->fn == SN_FN_COVERS)
        return bounds_of(c, v[0], &v[1], &a) && bounds_of(c, v[1], &v[0], &b)
                   ? truth(sn_covers(a, b))
                   : v[0];
    if (e->fn == SN_FN_LO || e->fn == SN_FN_HI)
        return bounds_of(c, v[0], &v[0], &a)
                   ? real(c, e->fn == SN_FN_LO ? a.lo : a.hi, true)
                   : v[0];
    if (e->fn == SN_FN_MEET) {
        r = v[0].typed ? v[0] : v[1];
        r.rg = sn_meet(v[0].rg, v[1].rg);
        r.full = false;
        return r;
    }
    if (e->fn == SN_FN_BOUNDS) {
        SnGrid k = sn_case_grid(&v[0].t);
        r.rg = sn_grid_bounds(&k, (SnRange){v[1].r, v[2].r,
                                            e->kid[1]->ek != SN_E_WILD,
                                            e->kid[2]->ek != SN_E_WILD});
        return r;
    }
    SnGrid from = sn_case_grid(&v[1].t), to = sn_case_grid(&v[2].t);
    SnRescaler by = sn_row_rescaler(c->pv->defs, c->pr->round);
    if (e->fn == SN_FN_ROUNDS_ALIKE)
        return truth(sn_grid_alike(&by, v[0].r, &from, &to));
    r.t = v[2].t;
    r.rg = sn_grid_image(&by, v[0].rg, &from, &to,
                         v[1].node && v[1].node->calibrated);
    return r;
}

static SnExprValue
compose(SnProofCase *c, const SnExprValue *v)
{
    SnExprValue r = list_of(c, v[1].n, 0);

    for (uint32_t i = 0; !c->fail && i < v[1].n; i++) {
        double k = v[1].list[i];
        bool in = k >= 0 && k < v[0].n;
        ((double *)(uintptr_t)r.list)[i] =
            in ? v[0].list[(uint32_t)k] : -1; /* as sn_compose */
    }
    return r;
}

static bool
identity(const SnExprValue *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->list[i] != i)
            return false;
    return true;
}

static SnExprValue
dim(SnProofCase *c, const SnExprValue *v)
{
    if (!v[0].v)
        return bad(c, "a dimension of a missing operand");
    int k = sn_case_axis(v[0].v, v[1].r);
    return num(k < 0 ? 0 : (double)v[0].v->dim[k]); /* as sn_dim does */
}

/* r of one of e's operands, of which v[0] and v[1] are the values. */
static SnExprValue
chosen(const SnExpr *e, double r, const SnExprValue *v)
{
    SnExprValue x = num(r);

    x.wide = v[0].wide || (e->nkid > 1 && v[1].wide);
    return x;
}

static SnExprValue
call_fn(SnProofCase *c, const SnExpr *e, SnExprValue *v)
{
    switch (e->fn) {
    case SN_FN_COVERS:
    case SN_FN_LO:
    case SN_FN_HI:
    case SN_FN_MEET:
    case SN_FN_BOUNDS:
    case SN_FN_ROUNDS_ALIKE:
    case SN_FN_IMAGE:
        return bounds_fn(c, e, v);
    case SN_FN_REACH:
        return reach(c, &v[0]);
    case SN_FN_COMPOSE:
        return compose(c, v);
    case SN_FN_IDENTITY:
        return truth(identity(&v[0]));
    case SN_FN_ONES:
    case SN_FN_ZEROS:
        return list_of(c, v[0].r, e->fn == SN_FN_ONES);
    case SN_FN_MIN:
        return chosen(e, sn_min(v[0].r, v[1].r), v);
    case SN_FN_MAX:
        return chosen(e, sn_max(v[0].r, v[1].r), v);
    case SN_FN_ABS:
        return chosen(e, fabs(v[0].r), v);
    case SN_FN_SQRT:
        return real(c, sqrt(v[0].r), v[0].wide);
    case SN_FN_HAS:
        return truth(v[0].node && sn_case_attr(v[0].node, e->kid[1]->s));
    case SN_FN_SUPPORTS:
        return truth(true);
    case SN_FN_DIM:
        return dim(c, v);
    case SN_FN_RANK:
        return v[0].v ? num(v[0].v->rank) : bad(c, "a missing operand");
    case SN_FN_COUNT:
        return num(v[0].n);
    case SN_FN_PRESENT:
        return truth(v[0].v != NULL);
    case SN_FN_SHAPE:
    case SN_FN_DIMS:
        return dims_of(c, &v[0]);
    case SN_FN_CONST:
        return truth(is_const(v[0].v));
    case SN_FN_UNUSED:
        return truth(!v[0].v || !v[0].v->def ||
                     !v[0].v->def->used[v[0].v->res]);
    case SN_FN_FOLD:
    case SN_FN_REGRID:
    case SN_FN_COUNT_KIND:
    SN_CASE_NO_GUARD:
        break;
    }
    return bad(c, "a function the prover doesn't know");
}

static SnExprValue
call(SnProofCase *c, const SnExpr *e)
{
    SnExprValue v[3] = {{.ty = SN_TY_NONE}};

    if (e->rk == SN_R_TYPE)
        return grid(c, e);
    for (uint32_t i = 0; i < e->nkid && i < 3; i++) {
        char arg = sn_fns[e->fn].args[i]; /* names have no value */
        if (e->kid[i]->ek != SN_E_WILD && arg != 'K' && arg != 'A' &&
            arg != 'E')
            v[i] = sn_case_expr(c, e->kid[i]);
    }
    return c->fail ? v[0] : call_fn(c, e, v);
}

/* ---- comparisons ---- */

static bool
conc_in(const SnCaseType *t, const SnDefType *set)
{
    for (uint32_t i = 0; i < set->nconc; i++)
        if (set->conc[i].elem == t->elem && set->conc[i].axis == t->axis)
            return true;
    return false;
}

static bool
equal(const SnExprValue *a, const SnExprValue *b)
{
    if (a->ty == SN_TY_ETYPE) {
        if (b->set)
            return conc_in(&a->t, b->set);
        if (a->set)
            return conc_in(&b->t, a->set);
        return sn_case_same_type(&a->t, &b->t);
    }
    if (a->ty == SN_TY_RANGE) {
        SnRange x = a->rg, y = b->rg;
        if (b->ty != SN_TY_RANGE && b->n == 2)
            y = (SnRange){b->list[0], b->list[1], true, true};
        return x.has_lo == y.has_lo && x.has_hi == y.has_hi &&
               (!x.has_lo || x.lo == y.lo) && (!x.has_hi || x.hi == y.hi);
    }
    if (a->list || b->list) {
        if (!a->list || !b->list) { /* every element with a number */
            const SnExprValue *l = a->list ? a : b, *s = a->list ? b : a;
            for (uint32_t i = 0; i < l->n; i++)
                if (l->list[i] != s->r)
                    return false;
            return true;
        }
        return a->n == b->n &&
               !memcmp(a->list, b->list, a->n * sizeof *a->list);
    }
    return a->r == b->r;
}

/* Every element of a list compares so with a number (rewrite/rule.h). */
static SnExprValue
each_compares(SnOp op, const SnExprValue *a, double b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (sn_op_apply(op, a->list[i], b) == 0)
            return truth(false);
    return truth(true);
}

static bool
is_list(const SnExpr *e)
{
    return e->ty == SN_TY_INTS || e->ty == SN_TY_REALS;
}

/* a op b of reals.  Products, sums and quotients of binary32 are rounded to it
 * through binary64 as they are at once; numbers of the declarations are
 * calculated before they are rounded. */
static SnExprValue
calculated(SnProofCase *c, const SnExpr *e, const SnExprValue *a,
           const SnExprValue *b)
{
    bool wide = a->wide || b->wide;
    double x = a->r, y = b->r;

    if (sn_expr_number(e, &x))
        return real(c, x, false);
    if (!c->self && !wide) {
        x = (double)(float)x;
        y = (double)(float)y;
    }
    return real(c, e->op == SN_OP_DIV ? x / y : sn_op_apply(e->op, x, y), wide);
}

static SnExprValue
binary(SnProofCase *c, const SnExpr *e)
{
    SnExprValue a = sn_case_expr(c, e->kid[0]);

    if (c->fail || (e->op == SN_OP_AND && a.r == 0) ||
        (e->op == SN_OP_OR && a.r != 0))
        return a;
    SnExprValue b = sn_case_expr(c, e->kid[1]);
    if (c->fail)
        return b;
    if (e->op >= SN_OP_EQ && e->op <= SN_OP_GE && is_list(e->kid[0]) &&
        !is_list(e->kid[1]))
        return each_compares(e->op, &a, b.r);
    switch (e->op) {
    case SN_OP_AND:
    case SN_OP_OR:
        return b;
    case SN_OP_EQ:
        return truth(equal(&a, &b));
    case SN_OP_NE:
        return truth(!equal(&a, &b));
    case SN_OP_DIV:
        if (e->ty == SN_TY_INT) /* as sn_int_div */
            return num(b.r == 0 ? 0 : trunc(a.r / b.r));
        return calculated(c, e, &a, &b);
    default:
        if (e->op < SN_OP_DIV && e->ty == SN_TY_REAL)
            return calculated(c, e, &a, &b);
        return e->op < SN_OP_DIV ? num(sn_op_apply(e->op, a.r, b.r))
                                 : truth(sn_op_apply(e->op, a.r, b.r) != 0);
    }
}

static SnExprValue
list(SnProofCase *c, const SnExpr *e)
{
    SnExprValue v = {.ty = e->ty};

    if (e->ty == SN_TY_RANGE) {
        v.rg.has_lo = e->kid[0]->ek != SN_E_WILD;
        v.rg.has_hi = e->kid[1]->ek != SN_E_WILD;
        v.rg.lo = v.rg.has_lo ? sn_case_expr(c, e->kid[0]).r : 0;
        v.rg.hi = v.rg.has_hi ? sn_case_expr(c, e->kid[1]).r : 0;
        return v;
    }
    SnExprValue r = list_of(c, e->nkid, 0);
    if (c->fail)
        return r;
    for (uint32_t i = 0; i < e->nkid; i++)
        ((double *)(uintptr_t)r.list)[i] = sn_case_expr(c, e->kid[i]).r;
    r.ty = e->ty;
    return r;
}

/* The list of its characters. */
static SnExprValue
string(SnProofCase *c, const SnExpr *e)
{
    SnExprValue r = list_of(c, (uint32_t)strlen(e->s), 0);

    for (uint32_t i = 0; i < r.n; i++)
        ((double *)(uintptr_t)r.list)[i] = (double)(unsigned char)e->s[i];
    r.ty = SN_TY_STR;
    return r;
}

SnExprValue
sn_case_expr(SnProofCase *c, const SnExpr *e)
{
    switch (e->ek) {
    case SN_E_STR:
        return string(c, e);
    case SN_E_INT:
        return num((double)e->i);
    case SN_E_REAL:
        return real(c, e->r, false);
    case SN_E_BOOL:
        return truth(e->i != 0);
    case SN_E_NAME:
        return name(c, e);
    case SN_E_LIST:
        return list(c, e);
    case SN_E_MEMBER:
        return member(c, e);
    case SN_E_INDEX: {
        SnExprValue v = sn_case_expr(c, e->kid[0]),
                    i = sn_case_expr(c, e->kid[1]);
        return num(i.r >= 0 && i.r < v.n ? v.list[(uint32_t)i.r] : 0);
    }
    case SN_E_CALL:
        return call(c, e);
    case SN_E_NEG: {
        SnExprValue v = sn_case_expr(c, e->kid[0]);
        return chosen(e, -v.r, &v);
    }
    case SN_E_NOT:
        return truth(sn_case_expr(c, e->kid[0]).r == 0);
    case SN_E_BIN:
        return binary(c, e);
    case SN_E_IN: {
        SnExprValue a = sn_case_expr(c, e->kid[0]);
        for (uint32_t i = 1; i < e->nkid && !c->fail; i++) {
            SnExprValue b = sn_case_expr(c, e->kid[i]);
            if (equal(&a, &b))
                return truth(true);
        }
        return truth(false);
    }
    default:
        return bad(c, "an expression the prover doesn't know");
    }
}

bool
sn_case_cond(SnProofCase *c, const SnExpr *e)
{
    SnExprValue v = sn_case_expr(c, e);

    return !c->fail && v.r != 0;
}

/* The `where` or invariant that does not hold, or NULL. */
static const SnExpr *
broken(SnProofCase *c, const SnCaseNode *n)
{
    for (uint32_t i = 0; i < n->n->nall; i++)
        if (n->n->all[i]->where && !sn_case_cond(c, n->n->all[i]->where))
            return n->n->all[i]->where;
    for (uint32_t i = 0; i < n->n->nrinv; i++)
        if (!sn_case_cond(c, n->n->rinv[i]->expr))
            return n->n->rinv[i]->expr;
    return NULL;
}

/* The scale facts: one type in a `same` group, fixed and pinned types. */
static bool
facts_hold(const SnCaseNode *n)
{
    const SnCaseValue *same = NULL;

    for (uint32_t i = 0; i < n->nin + n->n->nout && i < n->nin + SN_CASE_MAXRES;
         i++) {
        const SnCaseValue *t = i < n->nin ? n->in[i] : n->out[i - n->nin];
        const SnDefPort *p =
            i < n->nin ? n->n->in[n->port[i]] : n->n->out[i - n->nin];
        if (!t)
            continue;
        if (p->fact == SN_SAME && same &&
            !sn_case_same_type(&same->type, &t->type))
            return false;
        if (p->fact == SN_SAME)
            same = t;
        if (p->fact == SN_FIXED && t->type.nq &&
            (t->type.scale[0] != (float)p->fixed_scale ||
             t->type.zp[0] != (int32_t)p->fixed_zp))
            return false;
        if (p->fact == SN_PIN && t->type.nq) {
            SnCaseType pin = sn_case_pinned(n, p, t);
            pin.axis = pin.nq > 1 ? pin.axis : t->type.axis;
            if (!sn_case_same_type(&pin, &t->type))
                return false;
        }
    }
    return true;
}

bool
sn_case_holds(SnProofCase *c, const SnCaseNode *n)
{
    c->self = n;
    bool ok = facts_hold(n) && !broken(c, n);
    c->self = NULL;
    return ok;
}

const char *
sn_case_broken(SnProofCase *c, const SnCaseNode *n)
{
    c->self = n;
    const SnExpr *e = facts_hold(n) ? broken(c, n) : NULL;
    c->self = NULL;
    if (c->fail)
        return c->fail;
    return e ? sn_format(c->pv->a, "required: %s", sn_expr_str(c->pv->a, e))
             : "its types break a fact of its ports";
}
