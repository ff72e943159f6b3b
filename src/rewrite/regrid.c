// SPDX-License-Identifier: Apache-2.0
/* Biases on the accumulator grid: pinned types, regridding, overflow. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "graph/verify/admits.h"
#include "graph/verify/weights.h"
#include "rewrite/rewrite.h"
#include "sn_kind_constant.h"
#include "sn_kind_dequantize.h"

const SnType *
sn_pinned_type(SnGraph *g, const SnPortDesc *p, const SnType *const *in_type)
{
    uint32_t nq = 1;
    int axis = -1;

    for (uint8_t i = 0; i < p->npin; i++)
        if (in_type[p->pin[i]]->axis >= 0) { /* also of one channel */
            nq = in_type[p->pin[i]]->nq > nq ? in_type[p->pin[i]]->nq : nq;
            axis = 0;
        }
    float *s = SN_NEW_N(g->arena, float, nq);
    int32_t *z = SN_NEW_N(g->arena, int32_t, nq);
    for (uint32_t c = 0; c < nq; c++) {
        const SnType *t0 = in_type[p->pin[0]];
        s[c] = t0->scale[t0->nq > 1 ? c : 0];
        for (uint8_t i = 1; i < p->npin; i++) {
            const SnType *t = in_type[p->pin[i]];
            s[c] = sn_pin_scale(s[c], t->scale[t->nq > 1 ? c : 0]);
        }
    }
    if (axis < 0)
        return sn_type_quant(g->pool, SN_QI32, s[0], 0);
    return sn_type_axis(g->pool, SN_QI32, axis, nq, s, z);
}

/* ---- the weights of a contract node ---- */

/* The codes behind a Dequantize: a node that is still float has the weights
 * that its quantized form will read. */
static SnRef
codes_behind(const SnGraph *g, SnRef r)
{
    return sn_kind(g, r) == SN_K_DEQUANTIZE ? sn_in(g, SN_NODE(r), 0) : r;
}

/* False when the node is not a contract over a matrix of weights of 8 bits. */
static bool
weights_of(const SnGraph *g, SnId id, SnArena *a, SnWeights *w)
{
    SnCall c = sn_node_call(g, id, a);
    SnTensor *in = SN_NEW_N(a, SnTensor, c.nin + 1u);

    if (!c.kind->sem || c.kind->sem[0].cls != SN_C_CONTRACT)
        return false;
    for (uint32_t i = 0; i < c.nin; i++) {
        SnRef r = sn_in(g, id, i) ? codes_behind(g, sn_in(g, id, i)) : 0;
        if (r) /* data is never written */
            in[i] = (SnTensor){sn_type(g, r), sn_shape_of(g, r),
                               (void *)(uintptr_t)sn_def(g, r)->data};
    }
    c.in = in;
    return sn_weights(&c, w) && w->type->elem == SN_QI8;
}

static double
abs_sum(const SnWeights *w, int64_t c)
{
    return sn_weights_sum(w, c, INT8_MIN, INT8_MAX);
}

/* ---- regrid ---- */

static float
q_scale(const SnType *t, int64_t c)
{
    return t->scale[t->nq > 1 ? c : 0];
}

/* A bias code moved from scale s0 to s1.  Both factors are binary32, so the
 * product is exact in binary64. */
static double
moved(int32_t q, float s0, float s1)
{
    return (double)q * (double)s0 / (double)s1;
}

/* The largest error that a Rescale between these types makes on a code that it
 * does not saturate; 0 where every value of `from` is one of `to`. */
static double
rescale_error(const SnType *from, const SnType *to)
{
    double lo = (double)to->scale[0] *
                ((double)sn_elem_lo(to->elem) - (double)to->zp[0]);
    double hi = (double)to->scale[0] *
                ((double)sn_elem_hi(to->elem) - (double)to->zp[0]);
    double worst = 0;

    for (int64_t c = sn_elem_lo(from->elem); c <= sn_elem_hi(from->elem); c++) {
        double v = (double)from->scale[0] * (double)(c - from->zp[0]);
        double steps = v / (double)to->scale[0];
        if (v >= lo && v <= hi)
            worst = fmax(worst, fabs(rint(steps) - steps));
    }
    return worst * (double)to->scale[0];
}

static const SnPortDesc *
pin_port(const SnGraph *g, SnId id, SnRef b)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    for (uint32_t s = 0; s < n->nin; s++) {
        const SnPortDesc *p = &d->in[sn_port_of_slot(d, n->nin, s)];
        if (n->in[s].ref == b && p->fact == SN_PIN)
            return p;
    }
    return NULL;
}

static const SnType *
new_pin(SnGraph *g, SnId id, const SnPortDesc *p, const SnType *new_x,
        uint32_t xslot)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *t[32] = {0};

    for (uint32_t s = 0; s < n->nin; s++) {
        uint32_t port = sn_port_of_slot(d, n->nin, s);
        if (port < 32 && n->in[s].ref)
            t[port] = s == xslot ? new_x : sn_type(g, n->in[s].ref);
    }
    return sn_pinned_type(g, p, t);
}

/* Why the arithmetic does not admit the consumer with that data type and that
 * bias, or NULL. */
static const char *
moved_admits_why(const SnGraph *g, SnRef b, SnId consumer, uint32_t xslot,
                 const SnType *x, const SnType *bt, int32_t *bias)
{
    int at;

    if (!sn_restricts(g->rounding))
        return NULL;
    SnCall c = sn_node_call(g, consumer, g->arena);
    SnTensor *in = sn_memdup(g->arena, c.in, c.nin * sizeof *in);
    for (uint32_t i = 0; i < c.nin; i++)
        if (sn_in(g, consumer, i) == b) {
            in[i].type = bt;
            in[i].data = bias;
        }
    in[xslot].type = x;
    in[xslot].data = NULL;
    c.in = in;
    return sn_admits_why(&c, 0, &at);
}

const char *
sn_regrid_why(const SnGraph *g, SnRef b, SnId consumer, const SnType *new_x)
{
    SnWeights w;

    if (!b)
        return NULL;
    if (!sn_def(g, b)->data)
        return "the bias is not a Constant";
    if (!weights_of(g, consumer, g->arena, &w))
        return "the bias belongs to no matrix of weights";
    const SnPortDesc *p = pin_port(g, consumer, b);
    const SnType *bt = sn_type(g, b);
    SnGraph *mut = (SnGraph *)(uintptr_t)g; /* interning only */
    const SnType *nt = p ? new_pin(mut, consumer, p, new_x, w.xslot) : NULL;
    if (!p || !nt || bt->elem != SN_QI32)
        return "the new bias scale is out of range";
    const SnType *old_x = sn_type(g, sn_in(g, consumer, w.xslot));
    const int32_t *q = sn_def(g, b)->data;
    int64_t n = sn_shape_count(sn_shape_of(g, b));
    SnArena *a = sn_arena_new();
    double *mag = SN_NEW_N(a, double, w.nc + 1);
    int32_t *to = SN_NEW_N(a, int32_t, w.nc + 1);
    double err = rescale_error(new_x, old_x);
    const char *why = NULL;
    if (n != w.nc)
        why = "the bias has another length than the output channels";
    for (int64_t c = 0; c < n && !why; c++) {
        double v = moved(q[c], q_scale(bt, c), q_scale(nt, c)), r = rint(v);
        mag[c] = fabs(r);
        if (fabs(r) > (double)INT32_MAX)
            why = "the regridded bias does not fit int32";
        /* The new half step may be no larger than the error that the Rescale
         * could make, unless the bias stays exact. */
        else if (r * (double)q_scale(nt, c) !=
                     (double)q[c] * (double)q_scale(bt, c) &&
                 0.5 * (double)new_x->scale[0] > err * abs_sum(&w, c))
            why = "the new bias grid is coarser than the Rescale's own error";
        to[c] = why ? 0 : (int32_t)r;
    }
    if (!why)
        why = sn_acc_why(g, consumer, new_x, mag, g->arena);
    if (!why)
        why = moved_admits_why(g, b, consumer, w.xslot, new_x, nt, to);
    sn_arena_free(a);
    return why;
}

SnRef
sn_regrid(SnGraph *g, SnRef b, SnId consumer, const SnType *new_x)
{
    SnWeights w;

    if (!b || !weights_of(g, consumer, g->arena, &w))
        return 0;
    const SnPortDesc *p = pin_port(g, consumer, b);
    const SnType *bt = sn_type(g, b);
    const SnType *nt = new_pin(g, consumer, p, new_x, w.xslot);
    if (nt == bt)
        return b;
    int64_t n = sn_shape_count(sn_shape_of(g, b));
    const int32_t *q = sn_def(g, b)->data;
    int32_t *v = SN_NEW_N(g->arena, int32_t, n + 1);
    for (int64_t c = 0; c < n; c++)
        v[c] = (int32_t)rint(moved(q[c], q_scale(bt, c), q_scale(nt, c)));
    const char *name = sn_name(g, b);
    if (sn_nuse(g, b) == 1)
        sn_rename(g, b, sn_format(g->arena, "%s.old", name));
    else
        name =
            sn_format(g->arena, "%s.%s", name, sn_name(g, SN_REF(consumer, 0)));
    SnSpec s = {.kind = SN_K_CONSTANT,
                .name = name,
                .type = &nt,
                .shape = sn_shape_of(g, b),
                .data = v,
                .borrow = true,
                .origin = sn_def(g, b)->origin};
    return SN_REF(sn_add(g, &s, NULL), 0);
}

/* ---- biases of reals ---- */

int32_t *
sn_bias_codes(const SnGraph *g, SnRef v, const SnType *t, double step,
              const char **why)
{
    const SnArithPairs *p = &sn_arith_at(g->rounding)->pairs;
    const double unit = p->bias_bits ? p->bias_step : 1;
    const float *b = sn_node_data(g, SN_NODE(v));
    int64_t n = sn_shape_count(sn_shape_of(g, v));
    int32_t *q = SN_NEW_N(g->arena, int32_t, n + 1);

    for (int64_t c = 0; c < n; c++) {
        double s = (double)q_scale(t, c);
        double r = unit * rint((double)b[c] / (unit * s));
        if (!(fabs(r) <= 2147483647.0)) {
            *why = "its bias does not fit int32 on the accumulator grid";
            return NULL;
        }
        /* Half a step of the accumulators, but below a step of the result;
         * where the machine's biases are coarser, that is its precision. */
        if (unit <= 1 && !(fabs((double)b[c] - r * s) < step)) {
            *why = "its bias is lost on the accumulator grid";
            return NULL;
        }
        q[c] = unit > 1 ? (int32_t)r
                        : sn_quant32(b[c], q_scale(t, c), INT32_MIN, INT32_MAX);
    }
    return q;
}

/* ---- biases that a file states ---- */

/* A stated scale this close to the pinned one was computed in another order or
 * precision; the codes mean what they say on either. */
#define SAME_GRID (1.0 / (1 << 20))

static int64_t
code_at(const SnType *t, const void *data, int64_t i)
{
    return t->elem == SN_QI8    ? ((const int8_t *)data)[i]
           : t->elem == SN_QI16 ? ((const int16_t *)data)[i]
                                : ((const int32_t *)data)[i];
}

const char *
sn_bias_move(const SnGraph *g, SnRef b, const SnType *to, double step,
             SnArena *a, SnBiasMove *out)
{
    const SnType *t = sn_type(g, b);
    const void *data = sn_def(g, b)->data;
    int64_t n = sn_shape_count(sn_shape_of(g, b));

    *out =
        (SnBiasMove){.n = n, .ratio = 1, .code = SN_NEW_N(a, int32_t, n + 1)};
    if ((t->nq > 1 && t->nq != n) || (to->nq > 1 && to->nq != n))
        return "the bias has another length than the output channels";
    for (int64_t c = 0; c < n; c++) {
        double s0 = (double)q_scale(t, c), s1 = (double)q_scale(to, c);
        int64_t q = code_at(t, data, c) - t->zp[t->nq > 1 ? c : 0];
        double r = (double)q;
        if (fabs(s0 - s1) > SAME_GRID * s1) {
            r = rint((double)q * s0 / s1);
            if (out->nmoved++ == 0 ||
                fabs(log(s0 / s1)) > fabs(log(out->ratio))) {
                out->ratio = s0 / s1;
                out->channel = c;
            }
            if (!(fabs((double)q * s0 - r * s1) < step))
                return "its bias is lost on the accumulator grid";
        }
        if (!(fabs(r) <= (double)INT32_MAX))
            return "its bias does not fit int32 on the accumulator grid";
        out->code[c] = (int32_t)r;
    }
    return NULL;
}

void
sn_bias_moved(SnRewriter *rw, const SnGraph *g, SnId id, const SnBiasMove *m)
{
    if (!m->nmoved)
        return;
    sn_note(sn_rw_diag(rw), (SnPos){0}, NULL,
            "%s: its bias is stated on "
            "%.6g times the grid x.scale * w.scale%s: codes regridded",
            sn_label(g, id, sn_scratch(rw)), m->ratio,
            m->n == 1 ? ""
                      : sn_format(sn_scratch(rw),
                                  " (channel %lld; "
                                  "%lld of %lld channels differ)",
                                  (long long)m->channel, (long long)m->nmoved,
                                  (long long)m->n));
}

const char *
sn_acc_why(const SnGraph *g, SnId id, const SnType *x_type,
           const double *bias_abs, SnArena *a)
{
    SnWeights w;

    if (!weights_of(g, id, a, &w) || x_type->elem != SN_QI8)
        return NULL; /* 16-bit contracts accumulate in int64 */
    double lo = (double)x_type->zp[0] - (double)sn_elem_lo(x_type->elem);
    double hi = (double)sn_elem_hi(x_type->elem) - (double)x_type->zp[0];
    double mx = fmax(lo, hi), most = (double)w.nk * 255 * mx, least = 0;
    for (int64_t c = 0; bias_abs && c < w.nc; c++)
        least = fmax(least, bias_abs[c]);
    if (most + least <= (double)INT32_MAX) /* whatever the weights are */
        return NULL;
    for (int64_t c = 0; c < w.nc; c++) {
        double s = abs_sum(&w, c) * mx + (bias_abs ? bias_abs[c] : 0);
        if (s > (double)INT32_MAX)
            return sn_format(a,
                             "the accumulator of output channel %lld may "
                             "reach %.0f and does not fit int32",
                             (long long)c, s);
    }
    return NULL;
}

/* ---- sums that reals hold exactly ---- */

/* x without the factors of two; x is not 0. */
static double
odd_part(double x)
{
    int e;
    double m = frexp(fabs(x), &e);

    while (m != floor(m))
        m *= 2;
    while (fmod(m, 2) == 0)
        m /= 2;
    return m;
}

bool
sn_exact_sum(const SnGraph *g, SnId id, const SnType *x_type,
             const SnType *y_type, SnArena *a, SnExactSum *out)
{
    SnWeights w;

    if (!weights_of(g, id, a, &w) || !w.data || x_type->elem != SN_QI8 ||
        y_type->elem != SN_QI8 || !sn_type_per_tensor(x_type))
        return false;
    double lo = (double)x_type->zp[0] - (double)sn_elem_lo(x_type->elem);
    double hi = (double)sn_elem_hi(x_type->elem) - (double)x_type->zp[0];

    out->n = w.nc;
    out->step = SN_NEW_N(a, double, w.nc + 1);
    out->odd = SN_NEW_N(a, double, w.nc + 1);
    out->most = SN_NEW_N(a, double, w.nc + 1);
    for (int64_t c = 0; c < w.nc; c++) {
        /* of 48 bits at most: exact in binary64 */
        double step = (double)x_type->scale[0] * (double)q_scale(w.type, c);
        float m = (float)step / y_type->scale[0];
        bool exact = (double)(float)step == step && step >= 0x1p-100 &&
                     step <= 0x1p100 &&
                     (double)m * (double)y_type->scale[0] == step;
        out->step[c] = exact ? step : 0;
        out->odd[c] = odd_part(step);
        out->most[c] = abs_sum(&w, c) * fmax(lo, hi);
    }
    return true;
}

double
sn_stated_bias(const SnGraph *g, SnRef b, int64_t c)
{
    const SnType *t = sn_type(g, b);
    int64_t q = code_at(t, sn_def(g, b)->data, c) - t->zp[t->nq > 1 ? c : 0];

    return fabs((double)q) > SN_EXACT_MOST ? (double)NAN
                                           : (double)q * (double)q_scale(t, c);
}
