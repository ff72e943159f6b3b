// SPDX-License-Identifier: Apache-2.0
/* --check-passes: the fired subgraph, before and after, on the same border
 * values, compared within the rule's claim.
 *
 * While a fire is under way, the old nodes are still there: the border is what
 * the new nodes read from before the fire.  Old and new results are evaluated
 * from random border values (codes within their reach), and, for `refines`,
 * the old subgraph a third time over the reals. */
#include <math.h>
#include <string.h>
#include "kernel/eval/eval.h"
#include "rewrite/internal.h"
#include "sn_kind_rescale.h"

typedef struct Val {
    SnRef ref;
    SnTensor t;
} Val;
typedef struct Env {
    SnRewriter *rw;
    SnGraph *g;
    SnArena *a;
    Val *val; /* border values and results so far, as codes */
    uint32_t nval;
    Val *real; /* the same over the reals (f32) */
    uint32_t nreal;
    SnRef *border;
    uint32_t nborder;
    SnRef *leaf; /* constants from before the fire: neither drawn nor taken
                    apart */
    uint32_t nleaf;
    uint64_t seed;
    bool again; /* drawn once more: codes one by one, not all of them */
    bool ran;   /* some result was compared */
} Env;

static uint64_t
next(Env *e) /* splitmix64 */
{
    uint64_t z = (e->seed += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool
in_list(const SnRef *v, uint32_t n, SnRef r)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] == r)
            return true;
    return false;
}

/* What the new nodes read that was there before. */
static void
find_border(Env *e, SnRef v)
{
    SnId id = SN_NODE(v);

    if (sn_def(e->g, v)->data)
        return;
    if (!sn_made_now(e->rw, id)) {
        /* A rule may fold a constant, which then has the value it has; but a
         * single value says nothing about the worst case, nor, outside a
         * waived range, about values inside. */
        const SnSite *s = &e->rw->site[e->rw->nsite - 1];
        bool leaf = !s->waived && sn_is_const(e->g, v) &&
                    sn_rule(s->rule)->claim.kind != SN_CLAIM_REFINES;
        if (leaf && !in_list(e->leaf, e->nleaf, v))
            SN_PUSH(e->a, e->leaf, e->nleaf, v);
        if (!leaf && !in_list(e->border, e->nborder, v))
            SN_PUSH(e->a, e->border, e->nborder, v);
        return;
    }
    const SnNode *n = sn_node(e->g, id);
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref)
            find_border(e, n->in[i].ref);
}

/* A border value made of others is computed, not drawn: a node may read both
 * a Rescale and what is above it. */
static void
drop_derived(Env *e)
{
    uint32_t kept = 0;
    bool *derived = SN_NEW_N(e->a, bool, e->nborder + 1);

    for (uint32_t i = 0; i < e->nborder; i++) {
        const SnNode *n = sn_def(e->g, e->border[i]);
        for (uint32_t s = 0; s < n->nin; s++)
            derived[i] |= in_list(e->border, e->nborder, n->in[s].ref);
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->in[s].ref && !sn_def(e->g, n->in[s].ref)->data &&
                !in_list(e->border, e->nborder, n->in[s].ref))
                derived[i] = false;
    }
    for (uint32_t i = 0; i < e->nborder; i++)
        if (!derived[i])
            e->border[kept++] = e->border[i];
    e->nborder = kept;
}

static SnTensor
tensor(Env *e, const SnType *t, const SnShape *s)
{
    size_t n = sn_tensor_nbyte(t, s);

    return (SnTensor){t, s, sn_alloc(e->a, n ? n : 1)};
}

/* Did the fire replace node id, or something that reads it? */
static bool
replaced(const Env *e, SnId id)
{
    for (uint32_t i = 0; i < e->rw->npair; i++) {
        SnId old = SN_NODE(e->rw->pair[i].old);
        const SnNode *n = sn_node(e->g, old);
        if (old == id)
            return true;
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->in[s].ref && SN_NODE(n->in[s].ref) == id)
                return true;
    }
    return false;
}

/* The range border value v is drawn from: its reach, and under the waiver
 * the reach of the Rescales of the fire that read it. */
static SnReach
draw_range(Env *e, SnRef v)
{
    SnReach r = sn_reach(e->g, v);

    if (!e->rw->site[e->rw->nsite - 1].waived)
        return r;
    for (SnUse *u = sn_res(e->g, v)->uses; u; u = u->next) {
        if (sn_node(e->g, u->user)->kind != SN_K_RESCALE ||
            !replaced(e, u->user))
            continue;
        SnReach c = sn_clamp_reach(sn_type(e->g, SN_REF(u->user, 0)),
                                   sn_clamp_of(e->g, u->user));
        r.lo = fmax(r.lo, c.lo);
        r.hi = fmin(r.hi, c.hi);
    }
    return r;
}

static void
draw(Env *e, SnRef v)
{
    const SnType *ty = sn_type(e->g, v);
    SnTensor t = tensor(e, ty, sn_shape_of(e->g, v));
    int64_t n = sn_shape_count(t.shape);
    SnReach r = {0};

    if (ty->nq || ty->elem == SN_F32)
        r = draw_range(e, v);
    double lo = fmax(r.lo, -4), hi = fmin(r.hi, 4);
    bool exact = e->rw->fire_claim.kind == SN_CLAIM_EXACT && !ty->nq;
    uint64_t odd = next(e) | 1, off = odd >> 32;
    for (int64_t i = 0; i < n; i++) {
        double u = (double)(next(e) >> 11) / 9007199254740992.0;
        if (!e->again && i < 256 && n >= 256 && ty->elem == SN_QI8)
            /* every code */
            u = ((double)(((uint64_t)i * odd + off) & 255) + 0.5) / 256;
        bool zero = exact && lo <= 0 && hi >= 0 && next(e) % 8 == 0;
        if (ty->elem == SN_F32) {
            float real = (float)(lo + u * (hi - lo));
            ((float *)t.data)[i] = zero ? copysignf(0, real) : real;
        } else if (ty->elem == SN_QI8 || ty->elem == SN_QI16) {
            double s = (double)ty->scale[0], z = (double)ty->zp[0];
            double a = ceil(r.lo / s + z - 1e-9);
            double b = floor(r.hi / s + z + 1e-9);
            double c = fmin(b, a + floor(u * (b - a + 1)));
            if (ty->elem == SN_QI8)
                ((int8_t *)t.data)[i] = (int8_t)c;
            else
                ((int16_t *)t.data)[i] = (int16_t)c;
        }
    }
    Val x = {v, t};
    SN_PUSH(e->a, e->val, e->nval, x);
}

static const SnTensor *
find(const Val *v, uint32_t n, SnRef r)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i].ref == r)
            return &v[i].t;
    return NULL;
}

/* Evaluates r from the border; NULL when something has no evaluator. */
static const SnTensor *
eval(Env *e, SnRef r)
{
    const SnTensor *have = find(e->val, e->nval, r);
    SnId id = SN_NODE(r);
    const SnNode *n = sn_node(e->g, id);

    if (have)
        return have;
    if (n->data) {
        Val v = {r,
                 {n->res[0].type, n->res[0].shape,
                  (void *)(uintptr_t)sn_node_data(e->g, id)}};
        SN_PUSH(e->a, e->val, e->nval, v);
        return find(e->val, e->nval, r);
    }
    if (sn_desc(n->kind)->effect) { /* a Placeholder above the border */
        draw(e, r);
        return find(e->val, e->nval, r);
    }
    if (sn_eval_why_not(e->g, id))
        return NULL;
    SnTensor *in = SN_NEW_N(e->a, SnTensor, n->nin + 1);
    SnTensor *out = SN_NEW_N(e->a, SnTensor, n->nres);
    for (uint32_t i = 0; i < n->nin; i++) {
        if (!n->in[i].ref)
            continue;
        const SnTensor *t = eval(e, n->in[i].ref);
        if (!t)
            return NULL;
        in[i] = *t;
    }
    for (unsigned i = 0; i < n->nres; i++)
        out[i] = tensor(e, n->res[i].type, n->res[i].shape);
    if (sn_eval_node(e->g, id, in, out, e->a, sn_diag_new(e->a)) != SN_OK)
        return NULL; /* what fails before may fail after */
    for (unsigned i = 0; i < n->nres; i++) {
        Val v = {SN_REF(id, i), out[i]};
        SN_PUSH(e->a, e->val, e->nval, v);
    }
    return find(e->val, e->nval, r);
}

/* ---- over the reals ---- */

static double
code_at(const SnTensor *t, int64_t i)
{
    switch (t->type->elem) {
    case SN_QI8:
    case SN_I8:
        return ((const int8_t *)t->data)[i];
    case SN_QI16:
        return ((const int16_t *)t->data)[i];
    case SN_QI32:
    case SN_I32:
        return ((const int32_t *)t->data)[i];
    case SN_I64:
        return (double)((const int64_t *)t->data)[i];
    case SN_F32:
        return (double)((const float *)t->data)[i];
    default:
        return ((const uint8_t *)t->data)[i];
    }
}

/* Which scale and zero point element i has. */
static uint32_t
slice_at(const SnTensor *t, int64_t i)
{
    int64_t inner = 1;

    if (t->type->nq == 1)
        return 0;
    for (int d = t->type->axis + 1; d < t->shape->rank; d++)
        inner *= t->shape->dim[d];
    return (uint32_t)(i / inner % (int64_t)t->type->nq);
}

static double
real_at(const SnTensor *t, int64_t i)
{
    double c = code_at(t, i);

    if (!t->type->nq)
        return c;
    uint32_t k = slice_at(t, i);
    return (double)t->type->scale[k] * (c - (double)t->type->zp[k]);
}

/* What a row may compute with on the way to that real: the zero point apart
 * from the code. */
static double
size_at(const SnTensor *t, int64_t i)
{
    double c = fabs(code_at(t, i));

    if (!t->type->nq)
        return c;
    uint32_t k = slice_at(t, i);
    return (double)t->type->scale[k] * (c + fabs((double)t->type->zp[k]));
}

static SnTensor
as_real(Env *e, const SnTensor *t)
{
    SnTensor r = tensor(e, sn_type_plain(e->g->pool, SN_F32), t->shape);
    int64_t n = sn_shape_count(t->shape);

    for (int64_t i = 0; i < n; i++)
        ((float *)r.data)[i] = (float)real_at(t, i);
    return r;
}

/* Keeps the saturation of a quantized result, drops its rounding. */
static void
saturate(Env *e, SnTensor *t, SnId id)
{
    SnReach c =
        sn_clamp_reach(sn_type(e->g, SN_REF(id, 0)), sn_clamp_of(e->g, id));
    int64_t n = sn_shape_count(t->shape);

    for (int64_t i = 0; i < n; i++)
        ((float *)t->data)[i] =
            (float)fmin(fmax((double)((float *)t->data)[i], c.lo), c.hi);
}

static const SnTensor *eval_real(Env *e, SnRef r);

/* Ranges of codes of a type attribute (a kept inner rounding) as the reals that
 * they and the type let through. */
static void
real_ranges(const SnKindDesc *d, void *attr)
{
    for (unsigned i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        if (at->kind != SN_A_RANGE || at->range_of != SN_RANGE_ATTR)
            continue;
        SnRange *r = sn_attr_at(attr, at);
        const SnType *const *t = sn_attr_at(attr, &d->attr[at->range_port]);
        SnReach k = sn_clamp_reach(*t, *r);
        *r = (SnRange){k.lo, k.hi, true, true};
    }
}

static bool
run_real(Env *e, SnId id, SnTensor *out)
{
    const SnNode *n = sn_node(e->g, id);
    const SnKindDesc *d = sn_desc_in(e->g, n->kind);
    const SnType *f32 = sn_type_plain(e->g->pool, SN_F32);
    const SnType **ti = SN_NEW_N(e->a, const SnType *, n->nin);
    const SnType *to[SN_MAXRES];
    SnTensor *in = SN_NEW_N(e->a, SnTensor, n->nin + 1);
    char why[SN_WHY];

    if (n->nres != 1)
        return false;
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTensor *t = n->in[i].ref ? eval_real(e, n->in[i].ref) : NULL;
        if (n->in[i].ref && !t)
            return false;
        ti[i] = t ? t->type : NULL;
        if (t)
            in[i] = *t;
    }
    *out = tensor(e, f32, n->res[0].shape);
    to[0] = f32;
    if (d->sem[0].cls == SN_C_CONVERT) {
        memcpy(out->data, in[0].data,
               sizeof(float) * (size_t)sn_shape_count(out->shape));
        return true;
    }
    if (d->form_of > 0)
        d = sn_desc((SnKind)d->form_of);
    const SnTuple *tp = sn_tuple_find(d, n->nin, ti, 1, to);
    SnEvalFn *fn = tp ? tp->eval : d->real;
    if (!fn)
        return false;
    void *attr = d->nattr ? sn_attr_new(e->a, d) : NULL;
    if (d->nattr)
        sn_attr_like(e->a, d, attr, sn_desc(n->kind), n->attr);
    if (d->clamp >= 0)
        *(SnRange *)sn_attr_at(attr, &d->attr[d->clamp]) = (SnRange){0};
    if (fn == d->real)
        real_ranges(d, attr);
    SnCall c = {.kind = d,
                .attr = attr,
                .nin = n->nin,
                .nout = 1,
                .in = in,
                .out = out,
                .scratch = e->a,
                .why = why,
                .rounding = SN_ROUNDING_FLOAT};
    return fn(&c) == SN_OK;
}

static const SnTensor *
eval_real(Env *e, SnRef r)
{
    const SnTensor *have = find(e->real, e->nreal, r);
    const SnTensor *code = find(e->val, e->nval, r);
    const SnNode *n = sn_def(e->g, r);
    Val v = {r, {0}};

    if (have)
        return have;
    if (!code && in_list(e->leaf, e->nleaf, r))
        code = eval(e, r);
    if (in_list(e->border, e->nborder, r) || in_list(e->leaf, e->nleaf, r) ||
        n->data || sn_desc(n->kind)->effect) {
        if (!code)
            return NULL;
        v.t = as_real(e, code);
    } else {
        if (SN_RES(r) != 0 || !run_real(e, SN_NODE(r), &v.t))
            return NULL;
        if (n->res[0].type->nq || sn_desc(n->kind)->clamp >= 0)
            saturate(e, &v.t, SN_NODE(r));
    }
    SN_PUSH(e->a, e->real, e->nreal, v);
    return find(e->real, e->nreal, r);
}

/* ---- comparing ---- */

static SnStatus
differ(Env *e, const SnPair *p, const char *claim, int64_t i, double x,
       double y, double bound)
{
    const SnSite *s = &e->rw->site[e->rw->nsite - 1];
    const SnRuleDesc *r = sn_rule(s->rule);

    return sn_fail(e->rw->d, SN_ECHECK, s->node,
                   "%s.%s (%s) claims %s, but result %s differs at element "
                   "%lld: %.9g before, %.9g after, allowed %.9g",
                   r->pass, r->name, r->where, claim, sn_name(e->g, p->new_),
                   (long long)i, x, y, bound);
}

static SnFamilyId
family(const Env *e)
{
    return sn_rule(e->rw->site[e->rw->nsite - 1].rule)->family;
}

/* The value whose saturation the fire waived: below an old Rescale, or the
 * integer node above a new one (docs/proofs.md); 0: none. */
static SnRef
waived_value(const Env *e, const SnPair *p)
{
    const SnNode *o = sn_def(e->g, p->old), *n = sn_def(e->g, p->new_);

    if (!e->rw->site[e->rw->nsite - 1].waived)
        return 0;
    if (family(e) == SN_FAM_INTEGERIZE)
        return n->kind == SN_K_RESCALE ? n->in[0].ref : 0;
    return o->kind == SN_K_RESCALE && sn_def(e->g, o->in[0].ref)->calibrated
               ? o->in[0].ref
               : 0;
}

/* Results are compared inside the range that such a value had. */
static double
inside_waived(const Env *e, const SnPair *p, double v)
{
    SnRef w = waived_value(e, p);

    if (!w)
        return v;
    SnReach c = sn_reach(e->g, w);
    return fmin(fmax(v, c.lo), c.hi);
}

static double
code_inside_waived(const Env *e, const SnPair *p, const SnType *t, double v)
{
    if (t->nq != 1)
        return v;
    double s = (double)t->scale[0], z = (double)t->zp[0];
    return rint(inside_waived(e, p, s * (v - z)) / s + z);
}

static double
worst_error(Env *e, const SnPair *p)
{
    const SnTensor *x = eval(e, p->old), *r = eval_real(e, p->old);
    double worst = 0;

    for (int64_t i = 0; x && r && i < sn_shape_count(x->shape); i++)
        worst = fmax(worst, fabs(real_at(x, i) - real_at(r, i)));
    return worst;
}

enum { MORE = 256 };

/* Some roundings to 24 bits of terms that may cancel, of the largest of them:
 * the claim is about roundings to codes. */
#define BINARY32 0x1p-21

/* The claim is about the worst case; a few values may all be near ties.  More
 * of them, until the old form's error reaches `need`; a row of every code in
 * another order would be the same row of a Softmax each time. */
static double
worst_of_many(const Env *e, const SnPair *p, double need)
{
    double worst = 0;

    for (uint64_t k = 1; k <= MORE && worst < need; k++) {
        Env f = *e;
        f.a = sn_arena_new();
        f.again = true;
        f.seed += k * 0x632be59bd9b4e019u;
        f.nval = f.nreal = 0;
        f.val = f.real = NULL;
        for (uint32_t i = 0; i < f.nborder; i++)
            draw(&f, f.border[i]);
        worst = fmax(worst, worst_error(&f, p));
        sn_arena_free(f.a);
    }
    return worst;
}

/* The largest finite number on the way, of reals only or of codes, too: where
 * terms cancel, the result's own size says nothing about the rounding before
 * it. */
static double
largest(const Env *e, bool codes)
{
    double big = 0;

    for (uint32_t k = 0; k < e->nval; k++) {
        const SnTensor *t = &e->val[k].t;
        bool in = t->type->elem == SN_F32 || (codes && t->type->nq);
        int64_t n = in ? sn_shape_count(t->shape) : 0;
        for (int64_t i = 0; i < n; i++)
            if (isfinite(size_at(t, i)))
                big = fmax(big, size_at(t, i));
    }
    return big;
}

/* Whether a number on the way may have left the range of binary32: a product
 * of two beyond 2^64, or of one with the reciprocal of a small number. */
static bool
overflows(const Env *e)
{
    if (largest(e, false) < 0x1p64)
        return false;
    for (uint32_t k = 0; k < e->nval; k++) {
        const SnTensor *t = &e->val[k].t;
        int64_t n = t->type->elem == SN_F32 ? sn_shape_count(t->shape) : 0;
        for (int64_t i = 0; i < n; i++)
            if (isinf(code_at(t, i)))
                return true;
    }
    return false;
}

/* Where the old form ends in a conversion, what element i may be off by: as
 * much as the value that is converted was before its rounding, and the two
 * roundings.  That value may be within its range for few of those drawn, and
 * the worst of them says little. */
static double
carried_error(Env *e, const SnPair *p, int64_t i)
{
    SnId id = SN_NODE(p->old);
    const SnKindDesc *d = sn_desc(sn_node(e->g, id)->kind);
    double share = sn_arith_at(e->g->rounding)->error;

    if (!d->sem || d->sem[0].cls != SN_C_CONVERT)
        return 0;
    const SnTensor *v = eval(e, sn_in(e->g, id, 0));
    const SnTensor *r = eval_real(e, sn_in(e->g, id, 0));
    const SnType *to = sn_type(e->g, p->old);
    if (!v || !r || !v->type->nq || to->nq != 1)
        return 0;
    double steps =
        (double)v->type->scale[slice_at(v, i)] + (double)to->scale[0];
    return fabs(real_at(v, i) - real_at(r, i)) + share * steps;
}

/* Largest error that the real-valued result permits: what the old form made,
 * or half a step of the result. */
static SnStatus
refines(Env *e, const SnPair *p, const SnTensor *x, const SnTensor *y)
{
    const SnTensor *r = eval_real(e, p->old);
    int64_t n = sn_shape_count(x->shape), at = -1;
    double most = 0;

    if (!r)
        return SN_OK; /* no float form: the codes were compared in bits */
    e->ran = true;
    /* 1e-4 of a step covers the binary32 rounding of the reference. */
    double step = y->type->nq ? (double)y->type->scale[0] : 0;
    double worst =
        fmax(worst_error(e, p), sn_arith_at(e->g->rounding)->error * step) +
        1e-4 * step;
    for (int64_t i = 0; i < n; i++) {
        double v = inside_waived(e, p, real_at(y, i));
        double w = inside_waived(e, p, real_at(r, i));
        double err = fabs(v - w) - 2e-6 * fabs(w);
        if (!(err <= worst) && (at < 0 || err > most) &&
            !(err <= carried_error(e, p, i) + 1e-4 * step)) {
            most = err;
            at = i;
        }
    }
    if (at >= 0)
        worst = fmax(worst, worst_of_many(e, p, most) + 1e-4 * step) +
                BINARY32 * largest(e, true);
    return at < 0 || most <= worst ? SN_OK
                                   : differ(e, p, "refines", at, real_at(x, at),
                                            real_at(y, at), worst);
}

/* The extra steps of a node that is rescaled after (integerize,
 * docs/proofs.md): half a step of its grid, and one more where its row is not
 * rounded to the nearest code. */
static double
forced_step(Env *e, const SnPair *p, double step)
{
    const SnNode *n = sn_def(e->g, p->new_);

    if (family(e) != SN_FAM_INTEGERIZE || n->kind != SN_K_RESCALE)
        return 0;
    SnRef v = n->in[0].ref;
    SnFact fact = sn_desc(sn_kind(e->g, v))->out[SN_RES(v)].fact;
    return ceil((fact == SN_GIVEN ? 1.5 : 0.5) *
                (double)sn_type(e->g, v)->scale[0] / step);
}

/* A NaN becomes the lowest code where it is quantized; quantizing earlier
 * may change the result, on which nothing relies. */
static bool
any_nan(const Env *e)
{
    for (uint32_t k = 0; k < e->nval; k++) {
        const SnTensor *t = &e->val[k].t;
        int64_t n = t->type->elem == SN_F32 ? sn_shape_count(t->shape) : 0;
        for (int64_t i = 0; i < n; i++)
            if (isnan(code_at(t, i)))
                return true;
    }
    return false;
}

static SnStatus
compare(Env *e, const SnPair *p)
{
    if (!sn_nuse(e->g, p->new_))
        return SN_OK; /* a second result that nobody reads */
    const SnTensor *x = eval(e, p->old), *y = eval(e, p->new_);
    SnClaim c = e->rw->fire_claim;

    if (!x || !y)
        return SN_OK; /* nothing runs this kind: lowered before it runs */
    if (family(e) == SN_FAM_INTEGERIZE && any_nan(e))
        return SN_OK;
    int64_t n = sn_shape_count(x->shape);
    if (x->type != y->type || n != sn_shape_count(y->shape))
        return sn_fail(e->rw->d, SN_ECHECK, e->rw->site[e->rw->nsite - 1].node,
                       "the fire changed the type or shape of %s",
                       sn_name(e->g, p->new_));
    if (c.kind == SN_CLAIM_REFINES)
        return refines(e, p, x, y);
    if (c.kind == SN_CLAIM_LOSSY || c.kind == SN_CLAIM_NONE)
        return SN_OK;
    e->ran = true;
    double bound = 0;
    if (c.kind == SN_CLAIM_WITHIN)
        bound = c.bound;
    if (x->type->nq)
        bound += forced_step(e, p, (double)x->type->scale[0]);
    if (c.kind == SN_CLAIM_REAL)
        bound = c.bound * largest(e, false);
    for (int64_t i = 0; i < n; i++) {
        double u = code_inside_waived(e, p, x->type, code_at(x, i));
        double v = code_inside_waived(e, p, y->type, code_at(y, i));
        if (c.kind == SN_CLAIM_REAL && !isfinite(u))
            continue; /* equal over the reals, which u is not among */
        if (c.kind == SN_CLAIM_REAL && !isfinite(v) && overflows(e))
            continue; /* and relative to a number that v was computed with */
        bool zero = c.kind == SN_CLAIM_EXACT && u == 0 && v == 0 &&
                    !signbit(u) != !signbit(v);
        if (zero ||
            (!(fabs(u - v) <= bound) && !(isnan(u) && isnan(v)) && u != v))
            return differ(e, p,
                          c.kind == SN_CLAIM_EXACT  ? "exact"
                          : c.kind == SN_CLAIM_REAL ? "real"
                                                    : "within lsb",
                          i, u, v, bound);
    }
    return SN_OK;
}

SnStatus
sn_check_fire(SnRewriter *rw, SnGraph *g)
{
    SnStatus s = SN_OK;
    bool ran = false;
    int most = rw->nround ? rw->nround : 2;

    for (int round = 0; round < most && s == SN_OK; round++) {
        Env e = {.rw = rw,
                 .g = g,
                 .a = sn_arena_new(),
                 .seed = rw->o.seed * 1000003u + rw->nfire * (uint64_t)most +
                         (uint64_t)round};
        for (uint32_t i = 0; i < rw->npair; i++)
            find_border(&e, rw->pair[i].new_);
        /* A waived range binds each value by itself. */
        if (!rw->site[rw->nsite - 1].waived)
            drop_derived(&e);
        for (uint32_t i = 0; i < e.nborder; i++)
            draw(&e, e.border[i]);
        for (uint32_t i = 0; i < rw->npair && s == SN_OK; i++)
            s = compare(&e, &rw->pair[i]);
        ran |= e.ran;
        sn_arena_free(e.a);
    }
    rw->nchecked += ran;
    return s;
}
