// SPDX-License-Identifier: Apache-2.0
#include "graph/verify/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "map/facts.h"

/* Maps are known here by name: this room includes nothing that is generated. */
static bool
is_over(const SnSem *s, const char *map)
{
    return s->decl && !strcmp(s->decl->name, map);
}

static bool
bool_arg(const SnCall *c, const SnArg *a)
{
    if (a->kind == SN_ARG_INT)
        return a->v != 0;
    return *(const bool *)sn_attr_at(c->attr, &c->kind->attr[a->v]);
}

/* Two numbers of an attribute that the map of the node reads. */
static void
pair_arg(const SnCall *c, uint8_t arg, int64_t *v)
{
    const SnArg *a = &c->kind->sem[0].arg[arg];

    v[0] = v[1] = 1;
    if (a->kind != SN_ARG_ATTR)
        return;
    const SnInts *x = sn_attr_at(c->attr, &c->kind->attr[a->v]);
    for (uint32_t i = 0; i < 2 && i < x->n; i++)
        v[i] = x->v[i];
}

/* i * dilate leaves one remainder modulo stride for every i that is
 * stride / gcd(dilate, stride) further. */
static bool
meeting(const SnCall *c, const SnShape *sh, SnWeights *w)
{
    int64_t stride[2], dilate[2];

    pair_arg(c, 2, stride);
    pair_arg(c, 4, dilate);
    if (sh->rank != 4)
        return false;
    for (int i = 0; i < 2; i++) {
        w->kernel[i] = sh->dim[1 + i];
        w->every[i] = stride[i] / sn_gcd(dilate[i], stride[i]);
    }
    return true;
}

bool
sn_weights(const SnCall *c, SnWeights *w)
{
    const SnSem *s = c->kind->sem;
    bool matmul = s && is_over(s, "matmul");
    uint32_t cnt;

    if (!s || s->cls != SN_C_CONTRACT ||
        (!matmul && (!s->decl || !sn_map_rows(s->decl))))
        return false;
    memset(w, 0, sizeof *w);
    sn_port_slots(c->kind, c->nin, (uint32_t)s->arg[0].v, &w->xslot, &cnt);
    sn_port_slots(c->kind, c->nin, (uint32_t)s->arg[1].v, &w->wslot, &cnt);
    const SnShape *sh = c->in[w->wslot].shape;
    w->type = c->in[w->wslot].type;
    w->transposed = is_over(s, "conv_transpose");
    if (w->transposed && !meeting(c, sh, w))
        return false;
    if (!matmul || bool_arg(c, &s->arg[3])) {
        if (sh->rank < 1 || (matmul && sh->rank != 2))
            return false;
        w->nc = sh->dim[0];
        w->nk = w->nc ? sn_shape_count(sh) / w->nc : 0;
        w->sc = w->nk;
        w->sk = 1;
    } else {
        if (sh->rank != 2)
            return false;
        w->nk = sh->dim[0];
        w->nc = sh->dim[1];
        w->sc = 1;
        w->sk = w->nc;
    }
    w->data = sn_elem_quant(w->type->elem) ? c->in[w->wslot].data : NULL;
    return true;
}

/* |w - zp| of weight k; the worst case when the weights are not known. */
static double
abs_weight(const SnWeights *w, int64_t c, int64_t k, int32_t lo, int32_t hi)
{
    int32_t z = w->type->zp[w->type->nq > 1 ? c : 0];
    int64_t i = c * w->sc + k * w->sk;

    if (!w->data)
        return fmax((double)z - lo, (double)hi - z);
    return w->type->elem == SN_QI8 ? abs(((const int8_t *)w->data)[i] - z)
                                   : abs(((const int16_t *)w->data)[i] - z);
}

/* The same, summed over the weights that meet in one result element with those
 * of that row and column. */
static double
meeting_sum(const SnWeights *w, int64_t c, int64_t row, int64_t col, int32_t lo,
            int32_t hi)
{
    int64_t nk = w->nk / (w->kernel[0] * w->kernel[1]);
    double s = 0;

    for (int64_t r = row; r < w->kernel[0]; r += w->every[0])
        for (int64_t q = col; q < w->kernel[1]; q += w->every[1])
            for (int64_t i = 0; i < nk; i++)
                s += abs_weight(w, c, (r * w->kernel[1] + q) * nk + i, lo, hi);
    return s;
}

double
sn_weights_sum(const SnWeights *w, int64_t c, int32_t lo, int32_t hi)
{
    double s = 0;

    if (w->transposed) {
        for (int64_t r = 0; r < w->every[0] && r < w->kernel[0]; r++)
            for (int64_t q = 0; q < w->every[1] && q < w->kernel[1]; q++)
                s = fmax(s, meeting_sum(w, c, r, q, lo, hi));
        return s;
    }
    for (int64_t k = 0; k < w->nk; k++)
        s += abs_weight(w, c, k, lo, hi);
    return s;
}

SnCall
sn_node_call(const SnGraph *g, SnId id, SnArena *a)
{
    const SnNode *n = sn_node(g, id);
    SnTensor *t = SN_NEW_N(a, SnTensor, n->nin + n->nres + 1u);

    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef r = n->in[s].ref;
        if (r) /* data is never written */
            t[s] = (SnTensor){sn_type(g, r), sn_shape_of(g, r),
                              (void *)(uintptr_t)sn_def(g, r)->data};
    }
    for (unsigned k = 0; k < n->nres; k++)
        t[n->nin + k] = (SnTensor){n->res[k].type, n->res[k].shape, NULL};
    return (SnCall){.kind = sn_desc_in(g, n->kind),
                    .attr = n->attr,
                    .nin = n->nin,
                    .nout = n->nres,
                    .in = t,
                    .out = t + n->nin,
                    .scratch = a,
                    .rounding = g->rounding};
}
