// SPDX-License-Identifier: Apache-2.0
/* What speaks against making codes of a node, in numbers: biases and
 * accumulators that do not fit, sums that would be rounded otherwise. */
#include "rewrite/integerize/integerize.h"

#include <math.h>
#include <stdlib.h>
#include "base/num.h"

bool
sn_integerize_serves(const SnIntPlan *p, SnId q)
{
    return !p->only || sn_node(p->g, q)->res[0].type == p->qt;
}

/* ---- biases and accumulators ---- */

/* Is the node a contract whose data operand is a port, of slot *x? */
static bool
is_contract(const SnIntPlan *p, uint32_t *x)
{
    const SnSem *s = &p->d->sem[0];
    uint32_t count;

    if (s->cls != SN_C_CONTRACT || s->arg[0].kind != SN_ARG_PORT)
        return false;
    sn_port_slots(p->d, p->n->nin, (uint32_t)s->arg[0].v, x, &count);
    return true;
}

const char *
sn_integerize_acc_why(const SnIntPlan *p, const int32_t *bias)
{
    double *mag = NULL;
    uint32_t x;

    if (!is_contract(p, &x))
        return NULL;
    for (uint32_t s = 0; s < p->n->nin; s++) {
        SnRef v = p->n->in[s].ref;
        if (p->d->in[sn_port_of_slot(p->d, p->n->nin, s)].fact != SN_PIN || !v)
            continue;
        int64_t n = sn_shape_count(sn_shape_of(p->g, v));
        const int32_t *b = p->how[s] == SN_INT_UNWRAP
                               ? sn_def(p->g, sn_in(p->g, SN_NODE(v), 0))->data
                               : bias;
        mag = SN_NEW_N(sn_scratch(p->rw), double, n + 1);
        for (int64_t c = 0; b && c < n; c++)
            mag[c] = fabs((double)b[c]);
    }
    return sn_acc_why(p->g, p->id, p->type[x], mag, sn_scratch(p->rw));
}

/* ---- exactness ---- */

/* The slot of the bias, or nin: there is none. */
static uint32_t
bias_slot(const SnIntPlan *p)
{
    for (uint32_t s = 0; s < p->n->nin; s++)
        if (p->n->in[s].ref &&
            p->d->in[sn_port_of_slot(p->d, p->n->nin, s)].fact == SN_PIN)
            return s;
    return p->n->nin;
}

/* The bias of channel c as the float node reads it, exactly; NaN where the
 * product of its code and scale need not be exact. */
static double
stated_bias(const SnIntPlan *p, uint32_t slot, int64_t c)
{
    SnRef v = p->n->in[slot].ref;

    if (p->how[slot] == SN_INT_PINNED)
        return (double)((const float *)sn_node_data(p->g, SN_NODE(v)))[c];
    return sn_stated_bias(p->g, sn_in(p->g, SN_NODE(v), 0), c);
}

/* A contract of codes rounds once.  So does the float node where each product
 * and each partial sum is a binary32: then their order means nothing, and its
 * Quantize divides what the accumulator is multiplied by. */
static const char *
contract_inexact(const SnIntPlan *p, const int32_t *bias)
{
    uint32_t x, b = bias_slot(p);
    SnExactSum e;

    if (!is_contract(p, &x) || p->how[x] != SN_INT_UNWRAP)
        return "its data operand is not dequantized";
    if (!sn_exact_sum(p->g, p->id, p->type[x], p->yt, sn_scratch(p->rw), &e))
        return "its weights are not known codes of 8 bits";
    if (b < p->n->nin &&
        sn_shape_count(sn_shape_of(p->g, p->n->in[b].ref)) != e.n)
        return "its bias has another length than the output channels";
    if (b < p->n->nin && p->how[b] == SN_INT_UNWRAP)
        bias = sn_def(p->g, sn_in(p->g, SN_NODE(p->n->in[b].ref), 0))->data;
    if (b < p->n->nin && !bias)
        return "its bias is not a Constant";
    for (int64_t c = 0; c < e.n; c++) {
        double q = b < p->n->nin ? (double)bias[c] : 0;
        if (e.step[c] == 0)
            return "a ratio of its scales is not a binary32 number";
        if ((e.most[c] + fabs(q)) * e.odd[c] > SN_EXACT_MOST)
            return "its sums need more than the 24 bits of a binary32";
        if (b < p->n->nin && stated_bias(p, b, c) != q * e.step[c])
            return "its bias is not a whole number of steps of the accumulator";
    }
    return NULL;
}

/* Moves, selections and points are q of their formula, of codes as of reals
 * (docs/numerics.md). */
static const char *
operands_inexact(const SnIntPlan *p)
{
    const SnSem *s = &p->d->sem[0];

    if (s->cls != SN_C_MOVE && s->cls != SN_C_POINT &&
        (s->cls != SN_C_WINDOW || !s->monotone))
        return "its sums of reals depend on their order";
    for (uint32_t i = 0; i < p->n->nin; i++) {
        bool moved = s->cls == SN_C_MOVE && p->how[i] == SN_INT_RESCALED;
        SnElem e = p->type[i] ? p->type[i]->elem : SN_BOOL;
        if (p->how[i] == SN_INT_AS_IS && e != SN_F32)
            continue;
        if (p->how[i] != SN_INT_UNWRAP && !moved)
            return "an operand is not quantized yet";
        if (e != SN_QI8 && e != SN_QI16)
            return "binary32 drops bits of its codes";
    }
    return NULL;
}

const char *
sn_integerize_inexact(const SnIntPlan *p, const int32_t *bias)
{
    if (p->g->rounding != SN_ROUNDING_FLOAT)
        return "the arithmetic is not that of reals";
    if (p->after || p->waived)
        return "it writes on another grid than its Quantize";
    for (SnUse *u = p->n->res[0].uses; u; u = u->next)
        if (sn_integerize_serves(p, u->user) &&
            sn_node(p->g, u->user)->res[0].type != p->yt)
            return "it is quantized to several types";
    return p->d->sem[0].cls == SN_C_CONTRACT ? contract_inexact(p, bias)
                                             : operands_inexact(p);
}
