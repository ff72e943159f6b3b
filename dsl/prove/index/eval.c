// SPDX-License-Identifier: Apache-2.0
/* Expressions of map declarations, evaluated over polynomials: a list at one
 * axis. */
#include "dsl/prove/index/side.h"

static SnIndexNum
number(SnPoly p)
{
    return (SnIndexNum){.p = p};
}

static SnIndexNum
integer(SnIndex *cx, int64_t v)
{
    return number(sn_poly_int(&cx->path.P, v));
}

static SnIndexNum
out(SnIndex *cx, const char *what)
{
    sn_path_stop(&cx->path, SN_PATH_OUT, "%s", what);
    return integer(cx, 0);
}

static const SnMapExpr *
kid(const SnIndexEnv *v, const SnMapExpr *e, unsigned k)
{
    return &v->node->map->expr[e->kid + k];
}

bool
sn_index_is_list(const SnMapDecl *d, int32_t at)
{
    const SnMapExpr *e = &d->expr[at];

    switch ((SnMapOp)e->op) {
    case SN_MO_NAME:
        return d->slot[e->v].list;
    case SN_MO_ELEM:
        return sn_index_is_list(d, e->kid + 1);
    case SN_MO_HALF:
    case SN_MO_AXIS:
    case SN_MO_BEFORE:
    case SN_MO_INVERSE:
    case SN_MO_UNFLAT:
        return true;
    case SN_MO_IN:
        return sn_index_is_list(d, e->kid);
    case SN_MO_COUNT:
    case SN_MO_PRODUCT:
    case SN_MO_SUM:
    case SN_MO_LAST:
    case SN_MO_FLAT:
    case SN_MO_DATA:
        return false;
    default:
        break;
    }
    for (unsigned k = 0; k < e->nkid; k++)
        if (sn_index_is_list(d, e->kid + (int32_t)k))
            return true;
    return false;
}

/* ---- names ---- */

SnPoly
sn_index_opaque(SnIndex *cx, const char *f, uint32_t n, const SnIndexNum *v)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "%s(", f);
    for (uint32_t i = 0; i < n; i++) {
        sn_puts(&b, i ? ", " : "");
        if (v[i].axis)
            sn_puts(&b, sn_axis_text(cx, v[i].at));
        else
            sn_poly_put(&cx->path.P, &b, sn_facts_norm(&cx->path.F, v[i].p));
    }
    sn_putc(&b, ')');
    return sn_poly_name(&cx->path.P, sn_buf_str(&b));
}

static SnIndexNum
real_fn(SnIndex *cx, const char *f, uint32_t n, const SnIndexNum *v)
{
    return (SnIndexNum){.real = true, .p = sn_index_opaque(cx, f, n, v)};
}

/* ---- operators ---- */

static const char *
op_name(SnMapOp op)
{
    for (unsigned i = 0; i < sn_map_nfn; i++)
        if (sn_map_fns[i].op == op)
            return sn_map_fns[i].name;
    switch (op) {
    case SN_MO_ADD:
        return "+";
    case SN_MO_NEG:
    case SN_MO_SUB:
        return "-";
    case SN_MO_MUL:
        return "*";
    case SN_MO_DIV:
        return "/";
    case SN_MO_MOD:
        return "%";
    case SN_MO_LT:
        return "<";
    case SN_MO_LE:
        return "<=";
    case SN_MO_GT:
        return ">";
    case SN_MO_GE:
        return ">=";
    default:
        return "==";
    }
}

static SnPoly
quotient(SnIndex *cx, SnMapOp op, SnPoly a, SnPoly b)
{
    SnFacts *f = &cx->path.F;

    if (!sn_facts_is_at_least(f, sn_poly_plus(&cx->path.P, b, -1)) &&
        (sn_path_decide_zero(&cx->path, b) || !sn_path_decide(&cx->path, b)) &&
        !sn_path_stopped(&cx->path)) {
        sn_path_stop(&cx->path, SN_PATH_OUT, "a divisor that may be 0: %s",
                     sn_poly_text(&cx->path.P, b));
        return b;
    }
    a = sn_facts_norm(f, a);
    b = sn_facts_norm(f, b);
    return op == SN_MO_DIV ? sn_facts_div(f, a, b) : sn_facts_mod(f, a, b);
}

static SnPoly
of_integers(SnIndex *cx, SnMapOp op, SnPoly a, SnPoly b)
{
    SnPolys *P = &cx->path.P;

    switch (op) {
    case SN_MO_NEG:
        return sn_poly_scale(P, a, -1);
    case SN_MO_ADD:
        return sn_poly_add(P, a, b);
    case SN_MO_SUB:
        return sn_poly_sub(P, a, b);
    case SN_MO_MUL:
        return sn_poly_mul(P, a, b);
    case SN_MO_MIN:
        return sn_path_decide(&cx->path, sn_poly_sub(P, b, a)) ? a : b;
    case SN_MO_MAX:
        return sn_path_decide(&cx->path, sn_poly_sub(P, a, b)) ? a : b;
    case SN_MO_ABS:
        return sn_path_decide(&cx->path, a) ? a : sn_poly_scale(P, a, -1);
    default:
        return quotient(cx, op, a, b);
    }
}

static SnIndexNum
arithmetic(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    SnIndexNum k[2] = {{0}};
    SnMapOp op = (SnMapOp)e->op;

    for (unsigned i = 0; i < e->nkid && i < 2; i++)
        k[i] = sn_index_eval(cx, v, e->kid + (int32_t)i, t);
    if (k[0].axis || k[1].axis)
        return out(cx, "arithmetic on the number of an axis");
    if (k[0].real || k[1].real)
        return real_fn(cx, op_name(op), e->nkid, k);
    return number(of_integers(cx, op, k[0].p, k[1].p));
}

/* ---- conditions ---- */

/* The number of an axis against a number: it is at least 0, and below the rank
 * of its operand. */
static bool
axis_number(SnIndex *cx, SnMapOp op, const SnIndexNum *k)
{
    bool first = k[0].axis;
    const SnIndexNum *n = &k[first];
    int64_t v;

    if (sn_poly_is_int(n->p, &v) && v == 0 &&
        op == (first ? SN_MO_GE : SN_MO_LE))
        return true;
    if (sn_poly_same(n->p, sn_index_rank(cx, cx->left)) &&
        op == (first ? SN_MO_LT : SN_MO_GT))
        return true;
    out(cx, "a condition on the number of an axis");
    return true;
}

static bool
compare(SnIndex *cx, SnMapOp op, const SnIndexNum *k)
{
    SnPolys *P = &cx->path.P;
    bool equal = op == SN_MO_EQ || op == SN_MO_NE;

    if (k[0].axis && k[1].axis && equal)
        return sn_axis_decide(cx, k[0].at, k[1].at) == (op == SN_MO_EQ);
    if (k[0].axis || k[1].axis)
        return axis_number(cx, op, k);
    if (k[0].real || k[1].real) {
        SnPoly c = sn_index_opaque(cx, op_name(op), 2, k);
        return sn_path_decide_name(&cx->path,
                                   cx->path.P.atom[c.m[0].atom[0]].name) !=
               (op == SN_MO_NE);
    }
    if (equal)
        return sn_path_decide_zero(&cx->path, sn_poly_sub(P, k[0].p, k[1].p)) ==
               (op == SN_MO_EQ);
    bool less = op == SN_MO_LT || op == SN_MO_LE;
    SnPoly p = sn_poly_sub(P, k[less].p, k[!less].p);
    return sn_path_decide(&cx->path, op == SN_MO_LT || op == SN_MO_GT
                                         ? sn_poly_plus(P, p, -1)
                                         : p);
}

/* Is the axis one of an attribute's? */
static bool
among(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    const SnMapDecl *d = v->node->map;
    SnIndexNum x = sn_index_eval(cx, v, e->kid, t);
    const SnMapExpr *list = kid(v, e, 1);

    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++) {
        const SnIndexAttr *a = sn_index_arg(v->node, i);
        if (d->param[i].kind != SN_MP_AXES || d->param[i].slot != list->v ||
            !x.axis || !a || !a->own)
            continue;
        SnAxis at = a->perm ? sn_axis_apply(cx, x.at, -a->perm) : x.at;
        return sn_path_decide_name(
            &cx->path,
            sn_format(cx->a, "{%s in %s}", sn_axis_text(cx, at), a->own));
    }
    out(cx, "an axis in a list that is written out");
    return true;
}

bool
sn_index_truth(SnIndex *cx, const SnIndexEnv *v, int32_t at, SnAxis t)
{
    const SnMapExpr *e = &v->node->map->expr[at];
    SnIndexNum k[2];

    if (sn_path_stopped(&cx->path))
        return true;
    switch ((SnMapOp)e->op) {
    case SN_MO_NOT:
        return !sn_index_truth(cx, v, e->kid, t);
    case SN_MO_AND:
        return sn_index_truth(cx, v, e->kid, t) &&
               sn_index_truth(cx, v, e->kid + 1, t);
    case SN_MO_OR:
        return sn_index_truth(cx, v, e->kid, t) ||
               sn_index_truth(cx, v, e->kid + 1, t);
    case SN_MO_EQ:
    case SN_MO_NE:
    case SN_MO_LT:
    case SN_MO_LE:
    case SN_MO_GT:
    case SN_MO_GE:
        k[0] = sn_index_eval(cx, v, e->kid, t);
        k[1] = sn_index_eval(cx, v, e->kid + 1, t);
        return sn_path_stopped(&cx->path) || compare(cx, (SnMapOp)e->op, k);
    case SN_MO_IN:
        return among(cx, v, e, t);
    default:
        k[0] = sn_index_eval(cx, v, at, t);
        return sn_path_stopped(&cx->path) ||
               !sn_path_decide_zero(&cx->path, k[0].p);
    }
}

/* States p >= 0 or p = 0. */
static void
claim_numbers(SnIndex *cx, SnMapOp op, SnPoly a, SnPoly b)
{
    bool less = op == SN_MO_LT || op == SN_MO_LE;
    SnPoly p = sn_poly_sub(&cx->path.P, less ? b : a, less ? a : b);

    if (op == SN_MO_EQ)
        sn_path_assume_zero(&cx->path, p);
    else
        sn_path_assume(&cx->path, op == SN_MO_LT || op == SN_MO_GT
                                      ? sn_poly_plus(&cx->path.P, p, -1)
                                      : p);
}

static void
claim_name(SnIndex *cx, SnMapOp op, const SnIndexNum *k)
{
    SnPoly c = sn_index_opaque(cx, op_name(op), 2, k);

    (void)sn_path_first(&cx->path, cx->path.P.atom[c.m[0].atom[0]].name);
    sn_path_assume_zero(&cx->path, sn_poly_plus(&cx->path.P, c, -1));
}

void
sn_index_claim(SnIndex *cx, const SnIndexEnv *v, int32_t at, SnAxis t)
{
    const SnMapExpr *e = &v->node->map->expr[at];
    SnIndexNum a, b;

    if (sn_path_stopped(&cx->path))
        return;
    switch ((SnMapOp)e->op) {
    case SN_MO_AND:
        sn_index_claim(cx, v, e->kid, t);
        sn_index_claim(cx, v, e->kid + 1, t);
        return;
    case SN_MO_OR:
        if (!sn_index_truth(cx, v, e->kid, t))
            sn_index_claim(cx, v, e->kid + 1, t);
        return;
    case SN_MO_EQ:
    case SN_MO_LT:
    case SN_MO_LE:
    case SN_MO_GT:
    case SN_MO_GE:
        a = sn_index_eval(cx, v, e->kid, t);
        b = sn_index_eval(cx, v, e->kid + 1, t);
        if (sn_path_stopped(&cx->path))
            return;
        if (!a.axis && !b.axis && !a.real && !b.real) {
            claim_numbers(cx, (SnMapOp)e->op, a.p, b.p);
            return;
        }
        if (!a.axis && !b.axis) {
            SnIndexNum k[2] = {a, b};
            claim_name(cx, (SnMapOp)e->op, k);
            return;
        }
        break;
    default:
        break;
    }
    if (!sn_index_truth(cx, v, at, t))
        sn_path_stop(&cx->path, SN_PATH_DEAD, "not legal");
}

static SnIndexNum
selected(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    unsigned i = 0;

    while (i + 1 < e->nkid && !sn_index_truth(cx, v, e->kid + (int32_t)i, t))
        i += 2;
    return sn_index_eval(cx, v, e->kid + (int32_t)(i + 1 < e->nkid ? i + 1 : i),
                         t);
}

/* ---- lists ---- */

/* The parameter whose operands a dimension differs between, or -1. */
static int
pieces_of(const SnMapDecl *d, const SnMapExpr *list)
{
    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++)
        for (unsigned k = 0; k < d->param[i].nitem; k++)
            if (d->param[i].item[k].vary && d->param[i].item[k].slot == list->v)
                return (int)i;
    return -1;
}

/* A number of the whole list of operands whose dimension varies: a name for it
 * that includes the dimensions. */
static SnIndexNum
of_pieces(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t,
          const SnIndexNum *which)
{
    SnPoly k = sn_poly_name(&cx->path.P, "k");
    SnIndexEnv in = *v;
    SnIndexNum a[2] = {{0}};

    in.which = &k;
    a[0] = sn_index_eval(cx, &in, e->kid, t);
    if (which)
        a[1] = *which;
    return number(sn_index_opaque(cx,
                                  e->op == SN_MO_SUM     ? "total"
                                  : e->op == SN_MO_COUNT ? "operands"
                                                         : "before",
                                  which ? 2 : 1, a));
}

static SnIndexNum
element(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    const SnMapExpr *list = kid(v, e, 0);
    SnIndexNum at = sn_index_eval(cx, v, e->kid + 1, t);

    if (at.axis)
        return sn_index_eval(cx, v, e->kid, at.at);
    if (list->op == SN_MO_BEFORE &&
        pieces_of(v->node->map, kid(v, list, 0)) >= 0)
        return of_pieces(cx, v, list, t, &at);
    return out(cx, "an element of a list by its number");
}

static SnIndexNum
count(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    const SnMapDecl *d = v->node->map;
    const SnMapExpr *list = kid(v, e, 0);

    if (pieces_of(d, list) >= 0)
        return of_pieces(cx, v, e, t, NULL);
    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++) {
        const SnIndexAttr *a = sn_index_arg(v->node, i);
        if (d->param[i].slot == list->v && d->param[i].kind == SN_MP_AXES &&
            a && a->own)
            return number(sn_poly_name(&cx->path.P,
                                       sn_format(cx->a, "count(%s)", a->own)));
        for (unsigned k = 0; k < d->param[i].nitem; k++)
            if (d->param[i].item[k].slot == list->v)
                return number(
                    sn_index_rank(cx, sn_index_operand(v->node, i, 0)));
    }
    return out(cx, "the length of a list");
}

static SnIndexNum
inverse(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    const SnMapDecl *d = v->node->map;
    const SnMapExpr *list = kid(v, e, 0);

    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++) {
        SnIndexNum id;
        if (d->param[i].kind == SN_MP_OPERAND || d->param[i].slot != list->v)
            continue;
        id = sn_index_param(cx, v->node, i, 0, sn_axis_any());
        if (!id.axis || id.at.base)
            return out(cx, "the inverse of a list that is no permutation");
        for (unsigned k = 0; k < id.at.n; k++)
            t = sn_axis_apply(cx, t, -id.at.word[k]);
        return (SnIndexNum){.axis = true, .at = t};
    }
    return out(cx, "the inverse of a list");
}

static SnIndexNum
half(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    const SnMapDecl *d = v->node->map;
    const SnMapExpr *list = kid(v, e, 0);

    for (unsigned i = 0; i < d->nparam && list->op == SN_MO_NAME; i++)
        if (d->param[i].kind != SN_MP_OPERAND && d->param[i].slot == list->v)
            return sn_index_param(cx, v->node, i, (int)e->v, t);
    return out(cx, "half of a list");
}

/* ---- all expressions ---- */

static SnIndexNum
of_reals(SnIndex *cx, const SnIndexEnv *v, const SnMapExpr *e, SnAxis t)
{
    SnIndexNum k = sn_index_eval(cx, v, e->kid, t);
    SnIndexNum r = real_fn(cx, op_name((SnMapOp)e->op), 1, &k);

    r.real = e->op == SN_MO_TOREAL;
    return r;
}

SnIndexNum
sn_index_eval(SnIndex *cx, const SnIndexEnv *v, int32_t at, SnAxis t)
{
    const SnMapExpr *e = &v->node->map->expr[at];

    if (sn_path_stopped(&cx->path))
        return integer(cx, 0);
    switch ((SnMapOp)e->op) {
    case SN_MO_INT:
        return integer(cx, e->v);
    case SN_MO_REAL:
        return (SnIndexNum){
            .real = true,
            .p = sn_poly_name(&cx->path.P,
                              sn_format(cx->a, "%a", (double)e->r))};
    case SN_MO_NAME:
        return sn_index_slot(cx, v, (int)e->v, t);
    case SN_MO_ELEM:
        return element(cx, v, e, t);
    case SN_MO_HALF:
        return half(cx, v, e, t);
    case SN_MO_SELECT:
        return selected(cx, v, e, t);
    case SN_MO_AXIS:
        return (SnIndexNum){.axis = true, .at = t};
    case SN_MO_COUNT:
        return count(cx, v, e, t);
    case SN_MO_SUM:
        if (pieces_of(v->node->map, kid(v, e, 0)) >= 0)
            return of_pieces(cx, v, e, t, NULL);
        return out(cx, "a sum along axes");
    case SN_MO_INVERSE:
        return inverse(cx, v, e, t);
    case SN_MO_FLOOR:
    case SN_MO_CEIL:
    case SN_MO_TOREAL:
        return of_reals(cx, v, e, t);
    case SN_MO_NEG:
    case SN_MO_ADD:
    case SN_MO_SUB:
    case SN_MO_MUL:
    case SN_MO_DIV:
    case SN_MO_MOD:
    case SN_MO_MIN:
    case SN_MO_MAX:
    case SN_MO_ABS:
        return arithmetic(cx, v, e, t);
    case SN_MO_NOT:
    case SN_MO_AND:
    case SN_MO_OR:
    case SN_MO_IN:
    case SN_MO_EQ:
    case SN_MO_NE:
    case SN_MO_LT:
    case SN_MO_LE:
    case SN_MO_GT:
    case SN_MO_GE:
        return integer(cx, sn_index_truth(cx, v, at, t));
    default:
        return out(cx, "a function of whole lists");
    }
}

SnPoly
sn_index_poly(SnIndex *cx, const SnIndexEnv *v, int32_t e, SnAxis t)
{
    SnIndexNum n = sn_index_eval(cx, v, e, t);

    if (n.axis || n.real)
        out(cx, "a number where an axis or a real stands");
    return n.p;
}
