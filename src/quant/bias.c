// SPDX-License-Identifier: Apache-2.0
#include "quant/bias.h"

#include <math.h>
#include "graph/desc.h"
#include "sn_kind_constant.h"

/* The multiple of step = 2^k nearest to v that is a code, divided by it. */
static double
nearest(int32_t v, double step)
{
    return fmin(rint(v / step), floor(INT32_MAX / step));
}

int
sn_bias8_round(int32_t *v, int64_t n)
{
    for (int k = 0;; k++) {
        double step = ldexp(1, k);
        bool fits = true;
        for (int64_t i = 0; i < n && fits; i++) {
            double b = nearest(v[i], step);
            fits = b >= -128 && b <= 127;
        }
        if (!fits)
            continue;
        for (int64_t i = 0; i < n; i++)
            v[i] = (int32_t)(nearest(v[i], step) * step);
        return k;
    }
}

static bool
is_bias(const SnGraph *g, const SnNode *n, uint32_t slot)
{
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnRef b = n->in[slot].ref;

    return d->nin > 0 &&
           d->in[sn_port_of_slot(d, n->nin, slot)].fact == SN_PIN && b &&
           sn_def(g, b)->data && sn_type(g, b)->elem == SN_QI32;
}

static SnRef
rounded(SnGraph *g, SnArena *a, SnRef b, SnBias8 *sum)
{
    const SnShape *s = sn_shape_of(g, b);
    const SnType *t = sn_type(g, b);
    int64_t n = sn_shape_count(s), part = t->nq > 1 ? n / t->nq : n;
    int32_t *v = sn_memdup(a, sn_def(g, b)->data, (size_t)n * sizeof *v);

    for (int64_t i = 0; i < n; i += part) {
        int k = sn_bias8_round(v + i, part);
        bool first = sum->n == 0 && i == 0;
        sum->least = first || k < sum->least ? k : sum->least;
        sum->most = first || k > sum->most ? k : sum->most;
    }
    sum->n++;
    SnSpec c = {.kind = SN_K_CONSTANT,
                .type = &t,
                .shape = s,
                .data = v,
                .name = sn_format(a, "%s.b8", sn_name(g, b)),
                .origin = "bias8"};
    return SN_REF(sn_add(g, &c, NULL), 0);
}

SnBias8
sn_bias8(SnGraph *g, SnArena *scratch)
{
    SnBias8 sum = {0};
    uint32_t n;
    SnId *topo = sn_topo(g, scratch, &n);
    SnRef *made = SN_NEW_N(scratch, SnRef, g->nnode);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t nin = sn_node(g, topo[i])->nin;
        for (uint32_t s = 0; s < nin; s++) {
            if (!is_bias(g, sn_node(g, topo[i]), s))
                continue;
            SnRef b = sn_node(g, topo[i])->in[s].ref;
            SnRef *to = &made[SN_NODE(b)];
            if (!*to)
                *to = rounded(g, scratch, b, &sum);
            sn_set_in(g, topo[i], s, *to);
        }
    }
    sn_dce(g);
    return sum;
}
