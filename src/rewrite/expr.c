// SPDX-License-Identifier: Apache-2.0
/* The functions of the rule language: ranges, clamps, dimensions. */
#include "graph/verify/admits.h"
#include "rewrite/rewrite.h"
#include "kernel/eval/eval.h"

static SnGrid
grid(const SnType *t)
{
    return (SnGrid){t->nq, t->scale, t->zp, (double)sn_elem_lo(t->elem),
                    (double)sn_elem_hi(t->elem)};
}

SnReach
sn_clamp_reach(const SnType *t, SnRange r)
{
    SnGrid k = grid(t);

    return sn_grid_reach(&k, r);
}

SnReach
sn_reach(const SnGraph *g, SnRef v)
{
    SnRange full = {0};

    return sn_clamp_reach(sn_type(g, v),
                          SN_RES(v) == 0 ? sn_clamp_of(g, SN_NODE(v)) : full);
}

static int64_t
row_code(const SnRescaler *r, int32_t q, float sx, int32_t zx, float sy,
         int32_t zy)
{
    int64_t k[SN_ROW_NK];

    sn_row_open(r->of, sx, zx, sy, zy, k);
    return ((const SnArithRow *)r->of)->fn(k, q, 0);
}

/* Rescales of a graph with that arithmetic. */
static SnRescaler
rescaler(SnRounding by)
{
    const SnArithRow *row =
        sn_arith_row(sn_arith_at(by), SN_FORM_CONVERT, NULL, 0);

    return (SnRescaler){row ? row_code : NULL, row};
}

SnRange
sn_image(SnRounding by, SnRange r, const SnType *from, const SnType *to,
         bool calibrated)
{
    SnGrid a = grid(from), b = grid(to);
    SnRescaler how = rescaler(by);

    return sn_grid_image(&how, r, &a, &b, calibrated);
}

bool
sn_alike(SnRounding by, double v, const SnType *a, const SnType *b)
{
    SnGrid x = grid(a), y = grid(b);
    SnRescaler how = rescaler(by);

    return sn_grid_alike(&how, v, &x, &y);
}

SnRange
sn_bounds(const SnType *t, bool has_lo, double lo, bool has_hi, double hi)
{
    SnGrid k = grid(t);

    return sn_grid_bounds(&k, (SnRange){lo, hi, has_lo, has_hi});
}

bool
sn_is_const(const SnGraph *g, SnRef v)
{
    const SnNode *n;

    if (!v)
        return false;
    n = sn_def(g, v);
    if (n->data)
        return true;
    const SnKindDesc *d = sn_desc(n->kind);
    if (d->effect || !d->sem || d->sem[0].cls == SN_C_SOURCE ||
        d->sem[0].cls == SN_C_OPAQUE || sn_eval_why_not(g, SN_NODE(v)) ||
        sn_eval_too_large(g, SN_NODE(v)))
        return false;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref && !sn_is_const(g, n->in[i].ref))
            return false;
    return true;
}

bool
sn_supports(const SnRewriter *rw, SnKind k, SnElem e)
{
    const SnBackendDesc *b = sn_opts(rw)->backend;
    const SnKindDesc *d = sn_desc(k);

    for (uint16_t i = 0; i < d->ntuple; i++) {
        const SnTuple *t = &d->tuple[i];
        if (d->nout && t->out[0].elem != (int8_t)e)
            continue;
        if (t->quant && sn_no_row(b->rounding, k))
            continue;
        if (!b->supports || b->supports(k, t))
            return true;
    }
    return false;
}

SnInts
sn_dims(SnArena *a, const SnShape *s)
{
    int64_t *p = SN_NEW_N(a, int64_t, s->rank + 1);

    for (int i = 0; i < s->rank; i++)
        p[i] = s->dim[i];
    return (SnInts){(uint32_t)s->rank, p};
}

bool
sn_unused(const SnGraph *g, SnId id, unsigned res)
{
    const SnNode *n = sn_node(g, id);

    return res >= n->nres || n->res[res].nuse == 0;
}
