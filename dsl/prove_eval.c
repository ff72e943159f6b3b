/* Running a node: its formula over its map's taps, a whole array at a time.
 *
 * Three values travel together: v as the rows of docs/numerics.md compute it
 * (binary32 kept in doubles; codes), id over the reals with every saturation
 * and no rounding, and er, a bound of how far the roundings so far can have
 * moved the value.  id and er are computed only when a case asks. */
#include "dsl/prove_priv.h"

#include <math.h>
#include <string.h>
#include "base/num.h"

typedef struct Vec {
    double *v, *id, *er;
    bool code;      /* codes of type ct; else reals or plain numbers */
    const PvType *ct;
    const PvT *src; /* a port read as it is: for scales along an axis */
    const int32_t *ix;
    int32_t *slot;
} Vec;

typedef struct Ev {
    PvCase *c;
    PvNode *n;
    const SnDefSem *sem;
    PvTaps t;
    bool set;       /* inside a reduction */
    uint32_t res;
    const PvType *only; /* pv_const_code: the type q(..) would have */
} Ev;

static Vec expr(Ev *e, const SnExpr *x);

static size_t
len(const Ev *e)
{
    return (size_t)(e->t.no * (e->set ? e->t.nk : 1));
}

static Vec
make(Ev *e)
{
    Vec r = {0};
    size_t n = len(e);

    r.v = SN_NEW_N(e->c->a, double, n + 1);
    if (e->c->ideal) {
        r.id = SN_NEW_N(e->c->a, double, n + 1);
        r.er = SN_NEW_N(e->c->a, double, n + 1);
    }
    return r;
}

static Vec
no(Ev *e, const char *why)
{
    pv_no(e->c, why);
    return make(e);
}

static Vec
scalar(Ev *e, double v, double id)
{
    Vec r = make(e);

    for (size_t i = 0; i < len(e); i++) {
        r.v[i] = v;
        if (r.id)
            r.id[i] = id;
    }
    return r;
}

static double
f32(double v)
{
    return (double)(float)v;
}

/* ---- operands ---- */

static Vec
port(Ev *e, const SnDefPort *p)
{
    Vec r = make(e);
    uint32_t s = 0;
    bool bias;

    while (s < e->n->nin && e->n->port[s] != p->index)
        s++;
    if (s == e->n->nin || !e->n->in[s]) /* missing: d(b) is 0 */
        return r;
    const PvT *x = e->n->in[s];
    const int32_t *ix = e->t.ix[s];
    bias = !ix && !e->set;
    r.src = x;
    r.ix = ix;
    r.slot = e->t.slot;
    if (x->type.nq) {
        r.code = true;
        r.ct = &x->type;
    }
    for (size_t i = 0; i < len(e); i++) {
        size_t o = e->set ? i / (size_t)e->t.nk : i;
        const PvT *y = x;
        int64_t k;
        if (r.slot) /* one operand of many */
            y = e->n->in[s + (uint32_t)r.slot[i]];
        if (e->set || (ix && e->t.nk == 1))
            k = ix ? ix[i] : (int64_t)o % x->n;
        else if (bias || (e->t.nk > 1 && x->n != e->t.no))
            k = (int64_t)o % x->n; /* one per channel */
        else
            k = (int64_t)o; /* the centre */
        if (k < 0) {
            r.v[i] = NAN;
            if (r.id)
                r.id[i] = NAN;
            continue;
        }
        r.v[i] = y->v[k];
        if (r.id) {
            r.id[i] = y->id[k];
            r.er[i] = y->er[k];
        }
    }
    return r;
}

static Vec
attribute(Ev *e, const SnExpr *x)
{
    const PvVal *v = pv_attr(e->n, x->s);

    return v ? scalar(e, f32(v->r), v->r) : no(e, "an unknown name");
}

static Vec
deq(Ev *e, const SnExpr *x)
{
    Vec v = expr(e, x);

    if (!v.code)
        return v;
    Vec r = make(e);
    const PvType *t = v.ct;
    bool axis = t->nq > 1 && v.src;
    int64_t per = axis ? v.src->n / v.src->dim[0] : 1;
    for (size_t i = 0; i < len(e); i++) {
        size_t k = axis ? (size_t)(v.ix ? v.ix[i]
                                        : (int64_t)i % v.src->n)
                        : 0;
        uint32_t s = axis && k < (size_t)v.src->n ? (uint32_t)((int64_t)k / per)
                                                  : 0;
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
apply(SnOp op, double a, double b)
{
    switch (op) {
    case SN_OP_ADD:
        return a + b;
    case SN_OP_SUB:
        return a - b;
    case SN_OP_MUL:
        return a * b;
    case SN_OP_DIV:
        return a / b;
    case SN_OP_EQ:
        return a == b;
    case SN_OP_NE:
        return a != b;
    case SN_OP_LT:
        return a < b;
    case SN_OP_LE:
        return a <= b;
    case SN_OP_GT:
        return a > b;
    case SN_OP_GE:
        return a >= b;
    case SN_OP_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

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
    default:
        return 0;
    }
}

static Vec
binary(Ev *e, const SnExpr *x)
{
    Vec a = expr(e, x->kid[0]), b = expr(e, x->kid[1]), r = make(e);

    for (size_t i = 0; i < len(e); i++)
        r.v[i] = f32(apply(x->op, a.v[i], b.v[i]));
    for (size_t i = 0; r.id && i < len(e); i++) {
        r.id[i] = apply(x->op, a.id[i], b.id[i]);
        r.er[i] = apply_err(x->op, a.id[i], a.er[i], b.id[i], b.er[i]);
    }
    return r;
}

/* ---- functions ---- */

static double
fn1(const char *s, double v, bool exact)
{
    if (!strcmp(s, "abs"))
        return fabs(v);
    if (!strcmp(s, "sqrt"))
        return sqrt(v);
    if (!strcmp(s, "exp"))
        return exact ? exp(v) : sn_exp(v);
    if (!strcmp(s, "log"))
        return exact ? log(v) : sn_log(v);
    if (!strcmp(s, "tanh"))
        return exact ? tanh(v) : sn_tanh(v);
    return exact ? erf(v) : sn_erf(v);
}

static bool
is_fn1(const char *s)
{
    static const char *const v[] = {"abs", "sqrt", "exp",
                                    "log", "tanh", "erf"};

    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (!strcmp(v[i], s))
            return true;
    return false;
}

static Vec
unary(Ev *e, const SnExpr *x)
{
    Vec a = expr(e, x->kid[0]), r = make(e);

    for (size_t i = 0; i < len(e); i++)
        r.v[i] = f32(fn1(x->s, a.v[i], false));
    for (size_t i = 0; r.id && i < len(e); i++) { /* monotone, or abs */
        double y = fn1(x->s, a.id[i], true);
        double lo = fn1(x->s, a.id[i] - a.er[i], true);
        double hi = fn1(x->s, a.id[i] + a.er[i], true);
        r.id[i] = y;
        r.er[i] = fmax(fabs(lo - y), fabs(hi - y));
        if (!strcmp(x->s, "abs"))
            r.er[i] = a.er[i];
    }
    return r;
}

static Vec
select3(Ev *e, const SnExpr *x)
{
    Vec c = expr(e, x->kid[0]), a = expr(e, x->kid[1]);
    Vec b = expr(e, x->kid[2]), r = make(e);

    r.code = a.code;
    r.ct = a.ct;
    for (size_t i = 0; i < len(e); i++)
        r.v[i] = c.v[i] != 0 ? a.v[i] : b.v[i];
    for (size_t i = 0; r.id && i < len(e); i++) {
        r.id[i] = c.id[i] != 0 ? a.id[i] : b.id[i];
        r.er[i] = fmax(a.er[i], b.er[i]);
    }
    return r;
}

static Vec
minmax(Ev *e, const SnExpr *x, bool max)
{
    Vec a = expr(e, x->kid[0]), b = expr(e, x->kid[1]), r = make(e);

    r.code = a.code;
    r.ct = a.ct;
    for (size_t i = 0; i < len(e); i++) {
        bool first = max ? a.v[i] >= b.v[i] : a.v[i] <= b.v[i];
        r.v[i] = first || isnan(a.v[i]) ? a.v[i] : b.v[i];
    }
    for (size_t i = 0; r.id && i < len(e); i++) {
        r.id[i] = max ? fmax(a.id[i], b.id[i]) : fmin(a.id[i], b.id[i]);
        r.er[i] = fmax(a.er[i], b.er[i]);
    }
    return r;
}

static Vec
power(Ev *e, const SnExpr *x)
{
    Vec a = expr(e, x->kid[0]), b = expr(e, x->kid[1]), r = make(e);

    for (size_t i = 0; i < len(e); i++)
        r.v[i] = f32(sn_pow(a.v[i], b.v[i]));
    for (size_t i = 0; r.id && i < len(e); i++) {
        double y = pow(a.id[i], b.id[i]);
        r.id[i] = y;
        r.er[i] = fmax(fabs(pow(a.id[i] - a.er[i], b.id[i]) - y),
                       fabs(pow(a.id[i] + a.er[i], b.id[i]) - y));
    }
    return r;
}

/* ---- reductions ---- */

typedef enum Red { R_MAX, R_MIN, R_SUM, R_MEAN, R_ARG } Red;

/* The j-th largest of a set with ties by index: order statistics of topk. */
static int64_t
ranked(const double *v, int64_t n, int64_t j, bool largest)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t before = 0;
        for (int64_t m = 0; m < n; m++) {
            bool ahead = largest ? v[m] > v[k] : v[m] < v[k];
            before += ahead || (v[m] == v[k] && m < k);
        }
        if (before == j)
            return k;
    }
    return 0;
}

static int64_t
pick(const Ev *e, const double *v, int64_t nk, int64_t o, bool max)
{
    int64_t best = -1;

    if (e->sem->map && !strcmp(e->sem->map, "topk")) {
        const PvT *y = e->n->out[0];
        int ax = pv_axis(y, pv_map_num(e->n, 2, -1));
        int64_t in = 1;
        for (int i = ax + 1; i < y->rank; i++)
            in *= y->dim[i];
        return ranked(v, nk, o / in % y->dim[ax],
                      pv_map_num(e->n, 3, 1) != 0);
    }
    for (int64_t k = 0; k < nk; k++)
        if (!isnan(v[k]) &&
            (best < 0 || (max ? v[k] > v[best] : v[k] < v[best])))
            best = k;
    return best < 0 ? 0 : best;
}

static void
reduce_one(Ev *e, Red how, const Vec *a, Vec *r, int64_t o)
{
    int64_t nk = e->t.nk, cnt = 0;
    const double *v = a->v + o * nk;
    double s = 0, id = 0, er = 0;

    if (how == R_MAX || how == R_MIN) {
        int64_t k = pick(e, v, nk, o, how == R_MAX);
        r->v[o] = v[k];
        if (!r->id)
            return;
        int64_t j = pick(e, a->id + o * nk, nk, o, how == R_MAX);
        r->id[o] = a->id[o * nk + (isnan(v[j]) ? k : j)];
        for (int64_t m = 0; m < nk; m++)
            if (!isnan(v[m]))
                er = fmax(er, a->er[o * nk + m]);
        r->er[o] = er;
        return;
    }
    if (how == R_ARG) {
        int64_t k = pick(e, v, nk, o, true);
        r->v[o] = a->ix ? a->ix[o * nk + k] : (double)k;
        if (e->sem->map && !strcmp(e->sem->map, "topk"))
            r->v[o] = (double)k;
        if (r->id)
            r->id[o] = r->v[o];
        return;
    }
    for (int64_t k = 0; k < nk; k++) {
        if (isnan(v[k]))
            continue;
        s = f32(s + v[k]);
        cnt++;
        if (r->id) {
            id += a->id[o * nk + k];
            er += a->er[o * nk + k];
        }
    }
    double d = how == R_MEAN ? (e->t.div ? e->t.div[o] : (double)cnt) : 1;
    r->v[o] = f32(s / d);
    if (r->id) {
        r->id[o] = id / d;
        r->er[o] = er / d;
    }
}

static Vec
widen(Ev *e, Vec a)
{
    size_t nk = (size_t)e->t.nk;

    e->set = true;
    Vec r = make(e);
    r.code = a.code;
    r.ct = a.ct;
    for (size_t i = 0; i < len(e); i++) {
        r.v[i] = a.v[i / nk];
        if (r.id) {
            r.id[i] = a.id[i / nk];
            r.er[i] = a.er[i / nk];
        }
    }
    return r;
}

static Vec
reduce(Ev *e, const SnExpr *x, Red how)
{
    bool was = e->set;

    e->set = true;
    Vec a = expr(e, x->kid[0]);
    e->set = false;
    Vec r = make(e);
    if (how != R_ARG) {
        r.code = a.code;
        r.ct = a.ct;
    }
    for (int64_t o = 0; o < e->t.no; o++)
        reduce_one(e, how, &a, &r, o);
    if (was)
        r = widen(e, r);
    e->set = was;
    return r;
}

/* ---- rounding ---- */

static const PvType *
target(Ev *e, const SnExpr *x, PvRange *clamp)
{
    *clamp = (PvRange){0};
    if (e->only)
        return e->only;
    if (x->nkid > 1) {
        const PvVal *t = pv_attr(e->n, x->kid[1]->s);
        const PvVal *r = x->nkid > 2 ? pv_attr(e->n, x->kid[2]->s) : NULL;
        if (r)
            *clamp = r->rg;
        return t ? &t->t : NULL;
    }
    const PvVal *r = e->sem->clamp ? pv_attr(e->n, e->sem->clamp->name) : NULL;
    if (r)
        *clamp = r->rg;
    return &e->n->out[e->res]->type;
}

static void
round_ideal(Vec *r, const Vec *a, const PvType *t, PvRange cl, size_t n)
{
    double lo, hi, half = t->nq ? (double)t->scale[0] / 2 : 0;

    pv_clamp_real(t, cl, &lo, &hi);
    for (size_t i = 0; r->id && i < n; i++) {
        r->id[i] = fmin(fmax(a->id[i], lo), hi);
        r->er[i] = a->er[i] + half;
    }
}

/* sum(d(x) * d(w)) [+ d(b)], rounded once: the row of a contract. */
static const SnExpr *
dot_of(const SnExpr *x, const SnExpr **bias)
{
    *bias = NULL;
    if (x->ek == SN_E_BIN && x->op == SN_OP_ADD &&
        x->kid[1]->ek == SN_E_CALL && !strcmp(x->kid[1]->s, "d")) {
        *bias = x->kid[1];
        x = x->kid[0];
    }
    if (x->ek != SN_E_CALL || strcmp(x->s, "sum") || x->nkid != 1)
        return NULL;
    x = x->kid[0];
    return x->ek == SN_E_BIN && x->op == SN_OP_MUL &&
                   !strcmp(x->kid[0]->s ? x->kid[0]->s : "", "d") &&
                   !strcmp(x->kid[1]->s ? x->kid[1]->s : "", "d")
               ? x
               : NULL;
}

static const SnDefPort *
dot_port(const SnExpr *x)
{
    return x->kid[0]->rk == SN_R_PORT ? x->kid[0]->ref : NULL;
}

static const PvT *
operand(const Ev *e, const SnDefPort *p)
{
    for (uint32_t s = 0; p && s < e->n->nin; s++)
        if (e->n->port[s] == p->index)
            return e->n->in[s];
    return NULL;
}

static bool
contract(Ev *e, const SnExpr *x, const PvType *t, PvRange cl, Vec *r)
{
    const SnExpr *be, *m = dot_of(x, &be);
    int32_t lo, hi;

    if (!m || e->sem->cls != SN_DC_CONTRACT || e->set)
        return false;
    const SnDefPort *px = dot_port(m->kid[0]), *pw = dot_port(m->kid[1]);
    const SnDefPort *pb = be ? dot_port(be) : NULL;
    const PvT *tx = operand(e, px), *tw = operand(e, pw);
    if (!tx || !tw || !px || !pw)
        return false;
    Vec b = {0};
    if (pb)
        b = port(e, pb);
    e->set = true;
    Vec vx = port(e, px), vw = port(e, pw);
    e->set = false;
    if (t->nq)
        pv_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *iw = vw.ix;
        double acc = pb ? b.v[o] : 0;
        uint32_t ch = 0;
        if (tw->type.nq > 1)
            ch = (uint32_t)(o % e->n->out[0]->dim[e->n->out[0]->rank - 1]);
        for (int64_t k = o * e->t.nk; k < (o + 1) * e->t.nk; k++) {
            if (isnan(vx.v[k]) || isnan(vw.v[k]))
                continue;
            if (t->nq && tx->type.nq)
                acc += (vx.v[k] - tx->type.zp[0]) *
                       (vw.v[k] - tw->type.zp[ch]);
            else
                acc = (double)fmaf((float)vx.v[k], (float)vw.v[k],
                                   (float)acc);
        }
        (void)iw;
        if (t->nq && tx->type.nq) {
            float mul = sn_mult(tx->type.scale[0], tw->type.scale[ch],
                                t->scale[0]);
            r->v[o] = sn_requant64((int64_t)acc, mul, t->zp[0], lo, hi);
        } else {
            r->v[o] = acc;
            if (cl.has_lo && r->v[o] < cl.lo)
                r->v[o] = cl.lo;
            if (cl.has_hi && r->v[o] > cl.hi)
                r->v[o] = cl.hi;
        }
    }
    return true;
}

static bool
lrn(Ev *e, const PvType *t, PvRange cl, Vec *r)
{
    const PvT *x = e->n->in[0];
    const PvVal *size = pv_attr(e->n, "size"), *al = pv_attr(e->n, "alpha");
    const PvVal *be = pv_attr(e->n, "beta"), *k = pv_attr(e->n, "k");
    int32_t lo, hi;

    if (!e->sem->by || strcmp(e->sem->by, "lrn") || !t->nq || !x->type.nq)
        return false;
    pv_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        int32_t s = 0;
        for (int64_t m = o * e->t.nk; m < (o + 1) * e->t.nk; m++) {
            if (e->t.ix[0][m] < 0)
                continue;
            int32_t d = (int32_t)x->v[e->t.ix[0][m]] - x->type.zp[0];
            s += d * d;
        }
        float tt = sn_lrn_t(s, (float)al->r, (int32_t)size->r,
                            x->type.scale[0], (float)k->r);
        float d = sn_dequant((int32_t)x->v[o], x->type.scale[0],
                             x->type.zp[0]);
        r->v[o] = sn_quant(sn_lrn_y(d, tt, (float)be->r), t->scale[0],
                           t->zp[0], lo, hi);
    }
    return true;
}

static bool
softmax(Ev *e, const PvType *t, PvRange cl, Vec *r)
{
    const PvT *x = e->n->in[0];
    int32_t lo, hi;

    if (!e->sem->by || strcmp(e->sem->by, "softmax") || !t->nq ||
        x->type.elem != SN_DE_QI8)
        return false;
    pv_limits(t, cl, &lo, &hi);
    uint64_t one = (uint64_t)floorf(1.0f / t->scale[0]);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *ix = e->t.ix[0] + o * e->t.nk;
        double top = -1e9;
        uint64_t sum = 0, mine = 0;
        for (int64_t k = 0; k < e->t.nk; k++)
            top = fmax(top, x->v[ix[k]]);
        for (int64_t k = 0; k < e->t.nk; k++) {
            double d = top - x->v[ix[k]];
            uint64_t w = (uint64_t)(8388608.0 *
                                        sn_exp(-d * (double)x->type.scale[0]) +
                                    0.5);
            sum += w;
            if (ix[k] == o)
                mine = w;
        }
        double q = (double)sn_div_rne(mine * one, sum) + t->zp[0];
        r->v[o] = fmin(fmax(q, lo), hi);
    }
    return true;
}

static Vec
quant(Ev *e, const SnExpr *x)
{
    PvRange cl;
    const PvType *t = target(e, x, &cl);
    Vec r = make(e), a = {0};
    int32_t lo, hi;

    if (!t)
        return no(e, "a rounding to an unknown type");
    r.code = t->nq > 0;
    r.ct = r.code ? t : NULL;
    bool row = !e->only && !e->set &&
               (contract(e, x->kid[0], t, cl, &r) || lrn(e, t, cl, &r) ||
                softmax(e, t, cl, &r));
    if (!row || e->c->ideal)
        a = expr(e, x->kid[0]);
    if (e->c->ideal)
        round_ideal(&r, &a, t, cl, len(e));
    if (row)
        return r;
    if (t->nq > 1)
        return no(e, "a rounding along an axis");
    if (t->nq)
        pv_limits(t, cl, &lo, &hi);
    bool wide = t->elem == SN_DE_QI32;
    for (size_t i = 0; i < len(e); i++) {
        float v = (float)a.v[i];
        if (t->nq)
            r.v[i] = wide ? sn_quant32(v, t->scale[0], lo, hi)
                          : sn_quant(v, t->scale[0], t->zp[0], lo, hi);
        else
            r.v[i] = cl.has_lo && a.v[i] < cl.lo   ? cl.lo
                     : cl.has_hi && a.v[i] > cl.hi ? cl.hi
                                                   : a.v[i];
    }
    return r;
}

/* ---- formulas ---- */

static Vec
call(Ev *e, const SnExpr *x)
{
    static const char *const red[] = {"max", "min", "sum", "mean", "argmax"};

    if (!strcmp(x->s, "d"))
        return deq(e, x->kid[0]);
    if (!strcmp(x->s, "q"))
        return quant(e, x);
    if (!strcmp(x->s, "max") && x->nkid == 2)
        return minmax(e, x, true);
    if (!strcmp(x->s, "min") && x->nkid == 2)
        return minmax(e, x, false);
    for (size_t i = 0; i < 5; i++)
        if (!strcmp(x->s, red[i]) && x->nkid == 1)
            return reduce(e, x, (Red)i);
    if (is_fn1(x->s))
        return unary(e, x);
    if (!strcmp(x->s, "pow"))
        return power(e, x);
    if (!strcmp(x->s, "select"))
        return select3(e, x);
    return no(e, "a function the enumerator doesn't run");
}

static Vec
expr(Ev *e, const SnExpr *x)
{
    if (e->c->fail)
        return make(e);
    switch (x->ek) {
    case SN_E_INT:
        return scalar(e, (double)x->i, (double)x->i);
    case SN_E_REAL:
        return scalar(e, f32(x->r), x->r);
    case SN_E_NAME:
        if (x->rk == SN_R_PORT)
            return port(e, x->ref);
        if (x->rk == SN_R_WORD)
            return scalar(e, (double)x->i, (double)x->i);
        return attribute(e, x);
    case SN_E_NEG: {
        Vec a = expr(e, x->kid[0]), r = make(e);
        for (size_t i = 0; i < len(e); i++) {
            r.v[i] = -a.v[i];
            if (r.id) {
                r.id[i] = -a.id[i];
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

/* Moves carry codes over; padding is `else q(value)`, or the zero point. */
static bool
fill(Ev *e, Vec *v)
{
    double code = 0, real = 0;
    const PvType *t = &e->n->out[e->res]->type;

    if (e->sem->cls != SN_DC_MOVE)
        return true;
    if (t->nq)
        code = t->zp[0];
    if (e->sem->els) {
        const SnExpr *q = e->sem->els;
        if (t->nq && !pv_const_code(e->c, e->n,
                                    q->ek == SN_E_CALL ? q->kid[0] : q, t,
                                    &code))
            return false;
        const PvVal *a = q->ek == SN_E_CALL && q->kid[0]->ek == SN_E_NAME
                             ? pv_attr(e->n, q->kid[0]->s)
                             : NULL;
        real = a ? a->r : 0;
        if (!t->nq)
            code = f32(real);
        else
            real = pv_real(t, code, 0);
    }
    for (size_t i = 0; i < len(e); i++)
        if (isnan(v->v[i]) && v->ix && v->ix[i] < 0) {
            v->v[i] = code;
            if (v->id) {
                v->id[i] = real;
                v->er[i] = t->nq ? (double)t->scale[0] / 2 : 0;
            }
        }
    return true;
}

static bool
run(PvCase *c, PvNode *n, uint32_t res)
{
    Ev e = {.c = c, .n = n, .res = res};
    PvT *y = n->out[res];

    e.sem = n->n->rsem[res];
    if (!e.sem->formula)
        return pv_no(c, "opaque");
    if (y->rank < 0)
        return pv_no(c, "no shape");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && !pv_eval(c, n->in[s]))
            return false;
    if (!pv_taps(c, n, &e.t))
        return false;
    Vec v = expr(&e, e.sem->formula);
    if (c->fail || !fill(&e, &v))
        return false;
    y->v = v.v;
    y->id = v.id;
    y->er = v.er;
    return true;
}

bool
pv_eval(PvCase *c, PvT *t)
{
    if (c->fail)
        return false;
    if (t->done && (t->id || !c->ideal))
        return true;
    if (!t->def)
        return pv_no(c, "a leaf without values");
    if (t->busy)
        return pv_no(c, "a cycle");
    t->busy = true;
    t->done = run(c, t->def, t->res);
    t->busy = false;
    return t->done;
}

static bool
reads_port(const SnExpr *x)
{
    bool r = x->rk == SN_R_PORT;

    for (uint32_t i = 0; i < x->nkid; i++)
        r |= reads_port(x->kid[i]);
    return r;
}

bool
pv_const_code(PvCase *c, const PvNode *n, const SnExpr *x, const PvType *t,
              double *code)
{
    PvNode copy = *n;
    Ev e = {.c = c, .n = &copy, .sem = n->n->rsem[0], .only = t};
    bool ideal = c->ideal;

    if (reads_port(x))
        return false;
    e.t.no = e.t.nk = 1;
    c->ideal = false;
    Vec v = expr(&e, x);
    c->ideal = ideal;
    *code = sn_quant((float)v.v[0], t->scale[0], t->zp[0],
                     (int32_t)pv_code_lo(t->elem),
                     (int32_t)pv_code_hi(t->elem));
    return !c->fail;
}
