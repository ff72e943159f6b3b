// SPDX-License-Identifier: Apache-2.0
/* Types of constants: their own range; one scale per slice where the tuple
 * has it; a scale large enough for the bias that is pinned to it. */
#include "graph/verify/admits.h"
#include "quant/place/place_priv.h"

#include <float.h>
#include <math.h>
#include "kernel/eval/eval.h"

static bool
finite_range(const float *v, int64_t n, int64_t inner, int64_t stride,
             int64_t outer, double *lo, double *hi)
{
    *lo = *hi = 0;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            float x = v[o * stride + i];
            if (!(fabsf(x) <= FLT_MAX))
                return false;
            if ((double)x < *lo)
                *lo = (double)x;
            if ((double)x > *hi)
                *hi = (double)x;
        }
    return n >= 0;
}

const char *
sn_place_const_why(SnPlacing *pl, SnRef r)
{
    const float *v = sn_eval_const(pl->g, r, pl->a);
    int64_t n = sn_shape_count(sn_shape_of(pl->g, r));
    double lo, hi;

    if (!v)
        return sn_format(pl->a, "constant '%s' has more than %zu MiB",
                         sn_name(pl->g, r), SN_EVAL_MOST >> 20);
    return finite_range(v, n, n, n, 1, &lo, &hi)
               ? NULL
               : sn_format(pl->a, "constant '%s' is not finite",
                           sn_name(pl->g, r));
}

const float *
sn_place_elements(SnPlacing *pl, SnRef r)
{
    const float *v = sn_eval_const(pl->g, r, pl->a);

    if (!v)
        sn_bug("place: constant '%s' was not refused", sn_name(pl->g, r));
    return v;
}

/* Contracts of 16-bit codes accumulate 64 bits. */
static bool
wide(SnElem e)
{
    return e == SN_QI16;
}

typedef struct Bias { /* pinned to a constant */
    const float *v;   /* NULL: there is none */
    int64_t n;
    double others;    /* product of the other scales it is pinned to */
    double xmax;      /* of |x - zp| over those operands */
    double most;      /* bias, in steps of the constant */
    double step;      /* of the bias, in steps of the constant; 0: any */
    double mean, var; /* of the last of those operands in the data */
} Bias;

/* Mean and variance of a value by its bins. */
static void
moments(const SnHist *h, double *mean, double *var)
{
    uint64_t room[SN_HIST_MAX], *bin = sn_hist_bins(h, room);
    double n = 0, sum = 0, square = 0;

    for (uint32_t i = 0; i < h->nbin; i++) {
        double v = ldexp((double)(h->first + (int64_t)i) + 0.5, h->exp);
        n += (double)bin[i];
        sum += v * (double)bin[i];
        square += v * v * (double)bin[i];
    }
    *mean = n > 0 ? sum / n : 0;
    *var = n > 0 ? fmax(0, square / n - *mean * *mean) : 0;
}

/* The bias that is pinned to the scale of operand `slot`, 0 when there is none;
 * b gets what the other scales in its pin say. */
static SnRef
bias_on(SnPlacing *pl, SnId id, uint32_t slot, Bias *to)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *f = pl->form[id];
    uint32_t port;

    sn_place_port(f, n->nin, slot, &port);
    for (uint8_t b = 0; b < f->nin; b++) {
        uint32_t first, count;
        bool mine = false;
        if (f->in[b].fact != SN_PIN)
            continue;
        to->others = to->xmax = 1;
        for (uint8_t i = 0; i < f->in[b].npin; i++) {
            sn_port_slots(f, n->nin, f->in[b].pin[i], &first, &count);
            if (f->in[b].pin[i] == port) {
                mine = true;
                continue;
            }
            SnRef x = count ? n->in[first].ref : 0;
            SnElem e = (SnElem)pl->tuple[id]->in[f->in[b].pin[i]].elem;
            const SnType *t =
                x && SN_NODE(x) < pl->nnode && !sn_place_constant(pl, x)
                    ? sn_place_type(pl, x, e)
                    : NULL;
            if (!t || !t->nq)
                return 0;
            to->others *= (double)t->scale[0];
            to->xmax *= wide(e) ? 0 : fmax(127.0 - t->zp[0], t->zp[0] + 128.0);
            const SnHist *h = sn_profile_of(pl->p->profile, pl->g, x);
            if (h)
                moments(h, &to->mean, &to->var);
        }
        sn_port_slots(f, n->nin, b, &first, &count);
        if (mine && count && n->in[first].ref)
            return n->in[first].ref;
    }
    return 0;
}

/* The least scale of weights w[0..n) with which the bias of largest magnitude
 * `bias` and the accumulator fit int32 (numerics.md, "Accumulators"). */
static double
floor_for_bias(const float *w, int64_t n, double scale, double bias,
               double others, double xmax)
{
    const double room = 2147483647.0 * 0.999;
    double sum = 0;

    if (!(bias > 0))
        return 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs((double)w[i]);
    double acc = (sum / scale + 0.5 * (double)n) * xmax;
    return acc < room / 2 ? bias / (others * (room - acc))
                          : bias / (others * (room / 2));
}

typedef struct Slices { /* a constant, cut along an axis or whole */
    const float *v;
    int64_t n, nslice, inner;
} Slices;

static Slices
cut(SnPlacing *pl, SnRef c, int axis)
{
    const SnShape *s = sn_shape_of(pl->g, c);
    Slices k = {sn_place_elements(pl, c), sn_shape_count(s), 1, 1};

    k.inner = k.n;
    if (axis < 0)
        return k;
    k.nslice = s->dim[axis];
    k.inner = 1;
    for (int i = axis + 1; i < s->rank; i++)
        k.inner *= s->dim[i];
    return k;
}

static double
largest_bias(const float *b, int64_t n, int64_t slice, int64_t nslice)
{
    double top = 0;

    for (int64_t i = 0; i < n; i++)
        if ((nslice == 1 || i == slice) && fabs((double)b[i]) > top)
            top = fabs((double)b[i]);
    return top;
}

/* The mean square by which sums of slice i are off, where its weights have the
 * parameters q.  An x that is always about its mean meets all weights of a sum,
 * and so their errors add up; what it varies by meets them one by one. */
static double
slice_error(const Slices *k, int64_t i, SnParam q, const SnCodeLimits *l,
            const Bias *b)
{
    int64_t nc = k->nslice == 1 ? b->n : 1, per = k->inner / nc;
    const float *w = k->v + i * k->inner;
    double step = b->step * (double)q.scale, sum = 0;

    for (int64_t c = 0; c < nc; c++, w += per) {
        double bias = (double)b->v[nc == b->n ? c : i];
        double off = bias - step * rint(bias / step), each = 0;
        for (int64_t j = 0; j < per; j++) {
            int32_t v =
                sn_quant(w[j], q.scale, q.zp, (int32_t)l->qlo, (int32_t)l->qhi);
            double e = (double)w[j] - (double)q.scale * (v - q.zp);
            off += e * b->mean;
            each += e * e;
        }
        sum += off * off + each * b->var;
    }
    return sum;
}

enum { HALVES = 5 };

/* How much of the range of slice i its codes hold.  A bias on a grid that is
 * coarser than the products' gets finer with the weights' scale: cutting the
 * largest of them off may cost less than what that grid does. */
static double
best_part(const SnPlacing *pl, SnRole role, const Slices *k, int64_t i,
          SnSchema schema, SnElem e, const Bias *b, const double range[2])
{
    SnCodeLimits l = sn_code_limits(pl->g->rounding, role, e);
    double best = 0, part = 1;

    /* of narrower codes, those that are cut off would be stored as others */
    if (!b->v || !(b->step > 0) || b->n < 1 || k->inner % b->n ||
        l.qlo > (double)sn_elem_lo(e) || l.qhi < (double)sn_elem_hi(e))
        return 1;
    for (int h = 0; h < HALVES; h++) {
        double f = ldexp(1, -h);
        SnParam q =
            sn_place_choose(pl, role, schema, e, f * range[0], f * range[1], 0);
        double off = slice_error(k, i, q, &l, b);
        if (h == 0 || off < best) {
            best = off;
            part = f;
        }
    }
    return part;
}

/* Parameters of one slice; the floor needs the slice in one piece, which it
 * is wherever there is a bias (weights are [out, ...]). */
static SnParam
slice_param(const SnPlacing *pl, SnRole role, const Slices *k, int64_t i,
            SnSchema schema, SnElem e, const Bias *b, double least,
            float *wanted)
{
    int64_t stride = k->inner * k->nslice;
    int64_t outer = stride ? k->n / stride : 0;
    double lo, hi;

    finite_range(k->v + i * k->inner, k->n, k->inner, stride, outer, &lo, &hi);
    if (outer == 1) {
        double f = best_part(pl, role, k, i, schema, e, b, (double[]){lo, hi});
        lo *= f;
        hi *= f;
    }
    SnParam q = sn_place_choose(pl, role, schema, e, lo, hi, 0);
    *wanted = q.scale;
    if (least > (double)q.scale)
        q = sn_place_choose(pl, role, schema, e, lo, hi, least);
    if (!b->v || outer != 1)
        return q;
    double top = largest_bias(b->v, b->n, i, k->nslice);
    least = fmax(floor_for_bias(k->v + i * k->inner, k->inner, (double)q.scale,
                                top, b->others, b->xmax),
                 top / b->most);
    if (least > (double)q.scale)
        q = sn_place_choose(pl, role, schema, e, lo, hi, least);
    return q;
}

static void
add_raised(SnRaised *r, SnArena *a, uint32_t slice, float from, float to)
{
    uint32_t n = r->nslice, m = n;

    SN_PUSH(a, r->slice, r->nslice, slice);
    SN_PUSH(a, r->from, n, from);
    SN_PUSH(a, r->to, m, to);
}

SnRole
sn_place_role(const SnKindDesc *f, uint32_t port)
{
    return f->sem[0].form == SN_FORM_CONTRACT && f->sem[0].port[1] == (int)port
               ? SN_ROLE_W
               : SN_ROLE_X;
}

const SnType *
sn_place_const_type(SnPlacing *pl, SnId id, uint32_t slot)
{
    const SnNode *n = sn_node(pl->g, id);
    SnRef c = n->in[slot].ref;
    SnArena *kept = pl->p->arena;
    uint32_t port;
    SnRaised r = {0};
    Bias bias = {.others = 1, .xmax = 1};
    const SnArithPairs *pairs = &sn_arith_at(pl->g->rounding)->pairs;
    const double *least = pl->weight ? pl->weight[id] : NULL;

    sn_place_port(pl->form[id], n->nin, slot, &port);
    SnRole role = sn_place_role(pl->form[id], port);
    int axis = pl->tuple[id]->in[port].axis;
    SnElem e = (SnElem)pl->tuple[id]->in[port].elem;
    Slices k = cut(pl, c, axis);
    SnSchema schema = pl->want[id].schema;
    if (axis >= 0)
        schema = sn_schema_of_slices(schema);
    SnRef b = bias_on(pl, id, slot, &bias);
    if (b) {
        bias.v = sn_place_elements(pl, b);
        bias.n = sn_shape_count(sn_shape_of(pl->g, b));
    }
    bias.most =
        bias.others *
        (pairs->bias_bits
             ? ldexp(pairs->bias_step, pairs->bias_bits - 1) - pairs->bias_step
             : 0x1p31);
    bias.step = pairs->bias_bits && pairs->bias_step > 1
                    ? bias.others * pairs->bias_step
                    : 0;
    if (sn_needs_one_type(pl->g->rounding, pl->form[id]->kind))
        return sn_place_type(pl, SN_REF(id, 0), e);
    float *scale = SN_NEW_N(pl->a, float, k.nslice);
    int32_t *zp = SN_NEW_N(pl->a, int32_t, k.nslice);
    for (int64_t i = 0; i < k.nslice; i++) {
        float wanted;
        SnParam q = slice_param(pl, role, &k, i, schema, e, &bias,
                                least ? least[i] : 0, &wanted);
        scale[i] = q.scale;
        zp[i] = q.zp;
        if (q.scale > wanted)
            add_raised(&r, kept, (uint32_t)i, wanted, q.scale);
    }
    if (r.nslice && !pl->planning) {
        r.constant = sn_strdup(kept, sn_name(pl->g, c));
        r.node = sn_label(pl->g, id, kept);
        r.nof = (uint32_t)k.nslice;
        SN_PUSH(kept, pl->p->raised, pl->p->nraised, r);
    }
    if (axis < 0)
        return sn_type_quant(pl->g->pool, e, scale[0], zp[0]);
    return sn_type_axis(pl->g->pool, e, axis, (uint32_t)k.nslice, scale, zp);
}
