// SPDX-License-Identifier: Apache-2.0
/* Running a node: its formula over its map's taps, a whole array at a time.
 *
 * Three values are computed together: v as the rows of docs/numerics.md compute
 * it (binary32 kept in doubles; codes), id over the reals with every saturation
 * and no rounding, and er, a bound of how far the roundings so far can have
 * moved the value.  id and er are computed only when a case asks. */
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/model/expr_tree.h"

size_t
sn_case_len(const SnCaseEval *e)
{
    return (size_t)(e->t.no * (e->set ? e->t.nk : 1));
}

SnCaseVec
sn_case_make(SnCaseEval *e)
{
    SnCaseVec r = {0};
    size_t n = sn_case_len(e);

    r.v = SN_NEW_N(e->c->a, double, n + 1);
    if (e->c->ideal) {
        r.id = SN_NEW_N(e->c->a, double, n + 1);
        r.er = SN_NEW_N(e->c->a, double, n + 1);
    }
    return r;
}

double
sn_case_rounded(const SnProofCase *c, double id, double er, unsigned n)
{
    /* 2^-149: a subnormal result */
    return c->counts && n ? er + n * (0x1p-24 * (fabs(id) + er) + 0x1p-149)
                          : er;
}

static SnCaseVec
no(SnCaseEval *e, const char *why)
{
    sn_case_no(e->c, why);
    return sn_case_make(e);
}

static SnCaseVec
integer(SnCaseEval *e, int64_t w)
{
    SnCaseVec r = sn_case_make_whole(e);

    for (size_t i = 0; i < sn_case_len(e); i++) {
        sn_case_put_whole(&r, i, w);
        if (r.id)
            r.id[i] = r.v[i];
    }
    return r;
}

static SnCaseVec
scalar(SnCaseEval *e, double v, double id)
{
    SnCaseVec r = sn_case_make(e);

    for (size_t i = 0; i < sn_case_len(e); i++) {
        r.v[i] = v;
        if (r.id) {
            r.id[i] = id;
            r.er[i] = e->c->counts ? fabs(v - id) : 0;
        }
    }
    return r;
}

static double
f32(double v)
{
    return (double)(float)v;
}

static bool
whole_elem(int8_t elem)
{
    return elem == SN_I8 || elem == SN_I32 || elem == SN_I64;
}

/* Does the value depend on operands? */
static bool
reads_port(const SnExpr *x)
{
    bool r = x->rk == SN_R_PORT;

    for (uint32_t i = 0; i < x->nkid; i++)
        r |= reads_port(x->kid[i]);
    return r;
}

/* ---- operands ---- */

SnCaseVec
sn_case_port(SnCaseEval *e, const SnDefPort *p)
{
    SnCaseVec r = sn_case_make(e);
    uint32_t s = 0;
    bool bias;

    while (s < e->n->nin && e->n->port[s] != p->index)
        s++;
    if (s == e->n->nin || !e->n->in[s]) /* missing: d(b) is 0 */
        return r;
    const SnCaseValue *x = e->n->in[s];
    if (whole_elem(x->type.elem))
        r = sn_case_make_whole(e);
    const int32_t *ix = e->t.ix[s];
    bias = !ix && !e->set;
    bool mapped = ix && (e->set || e->t.nk == 1);
    r.src = x;
    r.ix = ix;
    r.slot = e->t.slot;
    if (x->type.nq) {
        r.code = true;
        r.ct = &x->type;
    }
    for (size_t i = 0; i < sn_case_len(e); i++) {
        const SnCaseValue *y = x;
        int64_t k = (int64_t)i; /* the centre */
        if (r.slot)             /* one operand of many */
            y = e->n->in[s + (uint32_t)r.slot[i]];
        if (mapped)
            k = ix[i];
        else if (e->set)
            k = x->n ? k / e->t.nk % x->n : -1;
        else if (bias || (e->t.nk > 1 && x->n != e->t.no))
            k = x->n ? k % x->n : -1; /* one per channel */
        if (k < 0) {
            r.v[i] = NAN;
            if (r.id)
                r.id[i] = NAN;
            continue;
        }
        r.v[i] = y->v[k];
        if (r.whole)
            r.w[i] = y->w ? y->w[k] : sn_case_whole64(y->v[k]);
        if (r.id) {
            r.id[i] = y->id[k];
            r.er[i] = y->er[k];
        }
    }
    return r;
}

static SnCaseVec
attribute(SnCaseEval *e, const SnExpr *x)
{
    const SnExprValue *v = sn_case_attr(e->n, x->s);

    if (v && (x->ty == SN_TY_INT || x->ty == SN_TY_ENUM))
        return integer(e, sn_case_whole64(v->r));
    return v ? scalar(e, f32(v->r), v->r) : no(e, "an unknown name");
}

static SnCaseVec
deq(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec v = sn_case_vec(e, x);

    if (!v.code)
        return v;
    const SnCaseType *t = v.ct;
    if (t->nq > 1 && !v.src)
        return no(e, "codes along an axis that are no operand's");
    SnCaseVec r = sn_case_make(e);
    bool axis = t->nq > 1 && v.src;
    for (size_t i = 0; i < sn_case_len(e); i++) {
        size_t k = axis ? (size_t)(v.ix ? v.ix[i] : (int64_t)i % v.src->n) : 0;
        uint32_t s =
            axis && k < (size_t)v.src->n ? sn_case_slice(v.src, (int64_t)k) : 0;
        r.v[i] = isnan(v.v[i])
                     ? NAN
                     : f32(f32(v.v[i] - t->zp[s]) * (double)t->scale[s]);
    }
    r.id = v.id;
    r.er = v.er;
    return r;
}

/* ---- arithmetic ---- */

static double
apply_err(SnOp op, double a, double ea, double b, double eb)
{
    switch (op) {
    case SN_OP_ADD:
    case SN_OP_SUB:
        return ea + eb;
    case SN_OP_MUL:
        return fabs(a) * eb + fabs(b) * ea + ea * eb;
    case SN_OP_DIV:
        if (fabs(b) <= eb)
            return ea + eb > 0 ? INFINITY : 0;
        return (ea + fabs(a / b) * eb) / (fabs(b) - eb);
    case SN_OP_AND:
    case SN_OP_OR:
        return fmax(ea, eb);
    default: /* may the comparison turn out the other way? */
        return ea + eb > 0 && fabs(a - b) <= ea + eb;
    }
}

static SnCaseVec
binary(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), b = sn_case_vec(e, x->kid[1]);
    bool both = a.whole && b.whole;
    /* a quotient of numbers and attributes is real */
    bool whole =
        both && (x->op < SN_OP_DIV || (x->op == SN_OP_DIV && reads_port(x)));
    SnCaseVec r = whole ? sn_case_make_whole(e) : sn_case_make(e);
    bool real = !a.whole && !b.whole;

    for (size_t i = 0; real && i < sn_case_len(e); i++)
        r.v[i] = f32(sn_op_apply(x->op, a.v[i], b.v[i]));
    for (size_t i = 0; !real && i < sn_case_len(e); i++) {
        bool none = isnan(a.v[i]) || isnan(b.v[i]);
        if (whole && !none)
            sn_case_put_whole(&r, i, sn_case_whole_op(x->op, a.w[i], b.w[i]));
        else if (both && !none && x->op >= SN_OP_EQ)
            r.v[i] = sn_op_holds(x->op, a.w[i], b.w[i]);
        else
            r.v[i] = f32(sn_op_apply(x->op, sn_case_as_real(&a, i),
                                     sn_case_as_real(&b, i)));
    }
    for (size_t i = 0; r.id && i < sn_case_len(e); i++) {
        r.id[i] = sn_op_apply(x->op, a.id[i], b.id[i]);
        r.er[i] = apply_err(x->op, a.id[i], a.er[i], b.id[i], b.er[i]);
        if (!whole && x->op <= SN_OP_DIV)
            r.er[i] = sn_case_rounded(e->c, r.id[i], r.er[i], 1);
    }
    return r;
}

/* ---- functions ---- */

static double
fn1(SnFn fn, double v, bool exact)
{
    switch (fn) {
    case SN_FN_ABS:
        return fabs(v);
    case SN_FN_SQRT:
        return sqrt(v);
    case SN_FN_EXP:
        return exact ? exp(v) : sn_exp(v);
    case SN_FN_LOG:
        return exact ? log(v) : sn_log(v);
    case SN_FN_FLOOR:
        return floor(v);
    case SN_FN_CEIL:
        return ceil(v);
    case SN_FN_ROUND:
        return rint(v);
    case SN_FN_TANH:
        return exact ? tanh(v) : sn_tanh(v);
    case SN_FN_ERF:
        return exact ? erf(v) : sn_erf(v);
    default:
        sn_bug("%s is no function of one number", sn_fns[fn].word);
    }
}

static SnCaseVec
unary(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), r = sn_case_make(e);

    for (size_t i = 0; i < sn_case_len(e); i++)
        r.v[i] = f32(fn1(x->fn, sn_case_as_real(&a, i), false));
    for (size_t i = 0; r.id && i < sn_case_len(e); i++) { /* monotone, or abs */
        double y = fn1(x->fn, a.id[i], true);
        double lo = fn1(x->fn, a.id[i] - a.er[i], true);
        double hi = fn1(x->fn, a.id[i] + a.er[i], true);
        r.id[i] = y;
        r.er[i] = fmax(fabs(lo - y), fabs(hi - y));
        if (x->fn == SN_FN_ABS)
            r.er[i] = a.er[i];
        r.er[i] = sn_case_rounded(e->c, y, r.er[i], sn_case_fn_rounds(x->fn));
    }
    return r;
}

/* A value that can hold elements of a or b: integers if both are. */
static SnCaseVec
either(SnCaseEval *e, const SnCaseVec *a, const SnCaseVec *b)
{
    SnCaseVec r =
        a->whole && b->whole ? sn_case_make_whole(e) : sn_case_make(e);

    r.code = a->code;
    r.ct = a->ct;
    return r;
}

static void
put_one(SnCaseVec *r, const SnCaseVec *of, size_t i)
{
    r->v[i] = r->whole ? of->v[i] : sn_case_as_real(of, i);
    if (r->whole)
        r->w[i] = of->w[i];
}

static SnCaseVec
select3(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec c = sn_case_vec(e, x->kid[0]), a = sn_case_vec(e, x->kid[1]);
    SnCaseVec b = sn_case_vec(e, x->kid[2]), r = either(e, &a, &b);

    for (size_t i = 0; i < sn_case_len(e); i++)
        put_one(&r, c.v[i] != 0 ? &a : &b, i);
    for (size_t i = 0; r.id && i < sn_case_len(e); i++) {
        r.id[i] = c.id[i] != 0 ? a.id[i] : b.id[i];
        r.er[i] = fmax(a.er[i], b.er[i]);
        if (c.er[i] > 0) /* the other one may be chosen */
            r.er[i] += fabs(a.id[i] - b.id[i]);
    }
    return r;
}

static SnCaseVec
minmax(SnCaseEval *e, const SnExpr *x, bool max)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), b = sn_case_vec(e, x->kid[1]);
    SnCaseVec r = either(e, &a, &b);

    for (size_t i = 0; i < sn_case_len(e); i++) {
        double u = sn_case_as_real(&a, i), v = sn_case_as_real(&b, i);
        bool first = max ? u >= v : u <= v;
        if (r.whole && !isnan(u) && !isnan(v))
            first = max ? a.w[i] >= b.w[i] : a.w[i] <= b.w[i];
        put_one(&r, first || isnan(u) ? &a : &b, i);
    }
    for (size_t i = 0; r.id && i < sn_case_len(e); i++) {
        r.id[i] = max ? fmax(a.id[i], b.id[i]) : fmin(a.id[i], b.id[i]);
        r.er[i] = fmax(a.er[i], b.er[i]);
    }
    return r;
}

static SnCaseVec
power(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), b = sn_case_vec(e, x->kid[1]);
    SnCaseVec r = sn_case_make(e);

    /* the power of the row lrn, also on reals */
    bool lrn = e->sem->row == SN_ROW_LRN;
    for (size_t i = 0; i < sn_case_len(e); i++) {
        double u = sn_case_as_real(&a, i), v = sn_case_as_real(&b, i);
        r.v[i] =
            lrn ? (double)sn_lrn_pow((float)u, (float)v) : f32(sn_pow(u, v));
    }
    for (size_t i = 0; r.id && i < sn_case_len(e); i++) {
        double y = pow(a.id[i], b.id[i]);
        r.id[i] = y;
        r.er[i] = fmax(fabs(pow(a.id[i] - a.er[i], b.id[i]) - y),
                       fabs(pow(a.id[i] + a.er[i], b.id[i]) - y));
        r.er[i] =
            sn_case_rounded(e->c, y, r.er[i], sn_case_fn_rounds(SN_FN_POW));
    }
    return r;
}

/* ---- rounding ---- */

static const SnCaseType *
target(SnCaseEval *e, const SnExpr *x, SnRange *clamp)
{
    *clamp = (SnRange){0};
    if (e->only)
        return e->only;
    if (x->nkid > 1) {
        const SnExprValue *t = sn_case_attr(e->n, x->kid[1]->s);
        const SnExprValue *r =
            x->nkid > 2 ? sn_case_attr(e->n, x->kid[2]->s) : NULL;
        if (r)
            *clamp = r->rg;
        return t ? &t->t : NULL;
    }
    const SnExprValue *r =
        e->sem->clamp ? sn_case_attr(e->n, e->sem->clamp->name) : NULL;
    if (r)
        *clamp = r->rg;
    return &e->n->out[e->res]->type;
}

/* Is saturation of the storage ignored?  Yes if a flag waives it, or if a
 * selection or a conversion rounds to the type that it reads. */
static bool
waived(const SnCaseEval *e, const SnCaseType *t)
{
    bool same = e->sem->monotone;

    for (uint32_t s = 0; s < e->n->nin; s++)
        same &= e->n->in[s] && sn_case_same_type(&e->n->in[s]->type, t);
    return e->c->waive && t->nq && (same || e->n->calibrated);
}

static uint32_t
slice(const SnCaseEval *e, const SnCaseType *t, size_t i)
{
    return t->nq > 1 ? sn_case_slice(e->n->out[e->res], (int64_t)i) : 0;
}

/* Is there a row for a result with scales along an axis?  Conversions and
 * element-by-element nodes, in floats (gen/node/emit_formula.c). */
static bool
along(const SnCaseEval *e, const SnExpr *x)
{
    SnClass cls = e->sem->cls;

    return !e->set && !e->only && x->nkid == 1 &&
           !sn_calculus_own_row(e->sem) &&
           (cls == SN_C_CONVERT ||
            (cls == SN_C_POINT && e->c->pr->round == SN_ROUNDING_FLOAT));
}

/* last: it is the node's own result, to which its flag applies. */
static void
round_ideal(const SnCaseEval *e, SnCaseVec *r, const SnCaseVec *a,
            const SnCaseType *t, SnRange cl, double err, bool last)
{
    size_t n = sn_case_len(e);
    SnReach k[SN_CASE_NQ];
    bool open = last && waived(e, t);

    for (uint32_t s = 0; s < t->nq || !s; s++) {
        SnCaseType one = sn_case_slice_type(t, s);
        k[s] = sn_case_reach(&one, cl);
        if (open && !cl.has_lo)
            k[s].lo = -INFINITY;
        if (open && !cl.has_hi)
            k[s].hi = INFINITY;
    }
    for (size_t i = 0; r->id && i < n; i++) {
        uint32_t s = slice(e, t, i);
        r->id[i] = fmin(fmax(a->id[i], k[s].lo), k[s].hi);
        r->er[i] = a->er[i] + (t->nq ? (double)t->scale[s] * err : 0);
    }
}

/* min(max(v, lo), hi), also where lo is above hi; NaN stays. */
double
sn_case_clamped(double v, SnRange r)
{
    if (r.has_lo && v < r.lo)
        v = r.lo;
    return r.has_hi && v > r.hi ? r.hi : v;
}

static SnCaseVec
quant(SnCaseEval *e, const SnExpr *x)
{
    SnRange cl;
    const SnCaseType *t = target(e, x, &cl);
    SnCaseVec r = sn_case_make(e), a = {0};
    int32_t lo, hi;

    if (!t)
        return no(e, "a rounding to an unknown type");
    if (!t->nq && t->elem != SN_F32) /* rounded when stored */
        return sn_case_vec(e, x->kid[0]);
    if (t->nq > 1 && !along(e, x))
        return no(e, "a rounding along an axis");
    r.code = t->nq > 0;
    r.ct = r.code ? t : NULL;
    double err = 0.5;
    bool row = !e->only && !e->set &&
               sn_case_row(e, x->kid[0], t, cl, x->nkid == 1, &r, &err);
    if (!row || e->c->ideal)
        a = sn_case_vec(e, x->kid[0]);
    if (e->c->ideal)
        round_ideal(e, &r, &a, t, cl, err, x->nkid == 1);
    if (row)
        return r;
    if (t->nq)
        sn_case_limits(t, cl, &lo, &hi);
    bool wide = t->elem == SN_QI32;
    bool point = !e->only && x->nkid == 1 && sn_case_point(e, t, cl, &a, &r);
    for (size_t i = 0; i < sn_case_len(e); i++) {
        float v = (float)sn_case_as_real(&a, i);
        uint32_t s = slice(e, t, i);
        if (isnan(a.v[i]) && !e->set && t->nq && !e->c->unreal)
            return no(e, "no number");
        if (point)
            continue;
        if (t->nq)
            r.v[i] = wide ? sn_quant32(v, t->scale[s], lo, hi)
                          : sn_quant(v, t->scale[s], t->zp[s], lo, hi);
        else
            r.v[i] = sn_case_clamped(sn_case_as_real(&a, i), cl);
    }
    return r;
}

/* ---- formulas ---- */

static SnCaseVec
call(SnCaseEval *e, const SnExpr *x)
{
    switch (x->fn) {
    case SN_FN_D:
        return deq(e, x->kid[0]);
    case SN_FN_Q:
        return quant(e, x);
    case SN_FN_MAX:
    case SN_FN_MIN:
        return x->nkid == 2 ? minmax(e, x, x->fn == SN_FN_MAX)
                            : sn_case_reduce(e, x);
    case SN_FN_SUM:
    case SN_FN_MEAN:
    case SN_FN_ARGMAX:
    case SN_FN_ARGMIN:
        return sn_case_reduce(e, x);
    case SN_FN_ABS:
    case SN_FN_SQRT:
    case SN_FN_EXP:
    case SN_FN_LOG:
    case SN_FN_FLOOR:
    case SN_FN_CEIL:
    case SN_FN_ROUND:
    case SN_FN_TANH:
    case SN_FN_ERF:
        return unary(e, x);
    case SN_FN_POW:
        return power(e, x);
    case SN_FN_SELECT:
        return select3(e, x);
        SN_WHOLE_FNS(SN_FN_CASE)
        return sn_case_whole(e, x);
    SN_CASE_NO_FORMULA:
        break;
    }
    return no(e, "a function the enumerator doesn't run");
}

SnCaseVec
sn_case_vec(SnCaseEval *e, const SnExpr *x)
{
    if (e->c->fail)
        return sn_case_make(e);
    switch (x->ek) {
    case SN_E_INT:
        return integer(e, x->i);
    case SN_E_BOOL:
        return scalar(e, x->i != 0, x->i != 0);
    case SN_E_REAL:
        return scalar(e, f32(x->r), x->r);
    case SN_E_NAME:
        if (x->rk == SN_R_PORT)
            return sn_case_port(e, x->ref);
        if (x->rk == SN_R_WORD)
            return integer(e, x->i);
        return attribute(e, x);
    case SN_E_NEG:
    case SN_E_NOT: {
        SnCaseVec a = sn_case_vec(e, x->kid[0]);
        bool neg = x->ek == SN_E_NEG;
        SnCaseVec r = neg && a.whole ? sn_case_make_whole(e) : sn_case_make(e);
        for (size_t i = 0; i < sn_case_len(e); i++) {
            r.v[i] = neg ? -a.v[i] : a.v[i] == 0;
            if (r.whole && !isnan(a.v[i]))
                sn_case_put_whole(&r, i, sn_int_sub(0, a.w[i]));
            if (r.id) {
                r.id[i] = neg ? -a.id[i] : a.id[i] == 0;
                r.er[i] = a.er[i];
            }
        }
        return r;
    }
    case SN_E_BIN:
        return binary(e, x);
    case SN_E_CALL:
        return call(e, x);
    default:
        return no(e, "a formula the enumerator doesn't run");
    }
}

/* Moves copy codes; padding is `else q(value)`, or the zero point. */
static bool
fill(SnCaseEval *e, SnCaseVec *v)
{
    double code = 0, real = 0;
    const SnCaseType *t = &e->n->out[e->res]->type;

    if (e->sem->cls != SN_C_MOVE)
        return true;
    if (t->nq)
        code = t->zp[0];
    if (e->sem->els) {
        const SnExpr *q = e->sem->els;
        if (t->nq &&
            !sn_case_const_code(e->c, e->n, q->ek == SN_E_CALL ? q->kid[0] : q,
                                t, &code))
            return false;
        const SnExprValue *a = q->ek == SN_E_CALL && q->kid[0]->ek == SN_E_NAME
                                   ? sn_case_attr(e->n, q->kid[0]->s)
                                   : NULL;
        real = a ? a->r : 0;
        if (!t->nq)
            code = f32(real);
        else
            real = sn_case_real(t, code, 0);
    }
    for (size_t i = 0; i < sn_case_len(e); i++)
        if (isnan(v->v[i]) && v->ix && v->ix[i] < 0) {
            if (t->nq > 1)
                return sn_case_no(e->c, "padding along an axis");
            v->v[i] = code;
            if (v->whole)
                v->w[i] = sn_case_whole64(code);
            if (v->id) {
                v->id[i] = real;
                v->er[i] = t->nq ? (double)t->scale[0] / 2 : 0;
            }
        }
    return true;
}

static bool
run(SnProofCase *c, SnCaseNode *n, uint32_t res)
{
    SnCaseEval e = {.c = c, .n = n, .res = res};
    SnCaseValue *y = n->out[res];

    e.sem = n->n->rsem[res];
    if (!e.sem->formula)
        return sn_case_no(c, "opaque");
    if (y->rank < 0)
        return sn_case_no(c, "no shape");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && !sn_case_eval(c, n->in[s]))
            return false;
    if (!sn_case_taps(c, n, &e.t))
        return false;
    SnCaseVec v = sn_case_vec(&e, e.sem->formula);
    if (c->fail || !fill(&e, &v))
        return false;
    for (size_t i = 0; !y->type.nq && i < sn_case_len(&e); i++)
        v.v[i] = sn_case_stored(&v, i, y->type.elem);
    y->v = v.v;
    y->w = v.whole && y->type.elem == SN_I64 ? v.w : NULL;
    y->id = v.id;
    y->er = v.er;
    y->counted = c->counts;
    return true;
}

bool
sn_case_eval(SnProofCase *c, SnCaseValue *t)
{
    if (c->fail)
        return false;
    if (t->done && (t->id || !c->ideal) && (t->counted == c->counts || !t->def))
        return true;
    if (!t->def)
        return sn_case_no(c, "a leaf without values");
    if (t->busy)
        return sn_case_no(c, "a cycle");
    t->busy = true;
    t->done = run(c, t->def, t->res);
    t->busy = false;
    return t->done;
}

bool
sn_case_const_code(SnProofCase *c, const SnCaseNode *n, const SnExpr *x,
                   const SnCaseType *t, double *code)
{
    SnCaseNode copy = *n;
    SnCaseEval e = {.c = c, .n = &copy, .sem = n->n->rsem[0], .only = t};
    bool ideal = c->ideal;

    if (reads_port(x))
        return false;
    e.t.no = e.t.nk = 1;
    c->ideal = false;
    SnCaseVec v = sn_case_vec(&e, x);
    c->ideal = ideal;
    *code = sn_quant((float)v.v[0], t->scale[0], t->zp[0],
                     (int32_t)sn_case_code_lo(t->elem),
                     (int32_t)sn_case_code_hi(t->elem));
    return !c->fail;
}
