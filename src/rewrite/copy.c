// SPDX-License-Identifier: Apache-2.0
#include "rewrite/copy.h"

#include "graph/verify/admits.h"
#include "graph/verify/weights.h"

SnEdit
sn_edit(SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnEdit e = {.kind = n->kind,
                .nin = n->nin,
                .nout = n->nres,
                .calibrated = n->calibrated};

    e.attr = d->nattr ? sn_attr_copy(g->arena, d, n->attr) : NULL;
    e.in = SN_NEW_N(g->arena, SnRef, n->nin + 1);
    for (uint32_t i = 0; i < n->nin; i++)
        e.in[i] = n->in[i].ref;
    e.type = SN_NEW_N(g->arena, const SnType *, n->nres + 1);
    for (unsigned i = 0; i < n->nres; i++)
        e.type[i] = n->res[i].type;
    return e;
}

const SnTuple *
sn_edit_tuple(const SnGraph *g, const SnEdit *e)
{
    const SnType **in = SN_NEW_N(g->arena, const SnType *, e->nin);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = e->in[i] ? sn_type(g, e->in[i]) : NULL;
    return sn_tuple_find(sn_desc(e->kind), e->nin, in, e->nout, e->type);
}

const char *
sn_call_admits_why(const SnGraph *g, SnId id, const SnEdit *e,
                   const SnTensor *in)
{
    SnCall c = sn_node_call(g, id, g->arena);
    SnTensor *out = SN_NEW_N(g->arena, SnTensor, e->nout + 1u);
    int at;

    for (unsigned k = 0; k < e->nout; k++)
        out[k] = (SnTensor){e->type[k], c.out[k].shape, NULL};
    c.kind = sn_desc_in(g, e->kind);
    c.attr = e->attr;
    c.nin = e->nin;
    c.in = in;
    c.out = out;
    return sn_admits_why(&c, 0, &at);
}

const char *
sn_edit_admits_why(const SnGraph *g, SnId id, const SnEdit *e)
{
    if (!sn_restricts(g->rounding))
        return NULL;
    SnTensor *t = SN_NEW_N(g->arena, SnTensor, e->nin + 1u);
    for (uint32_t i = 0; i < e->nin; i++)
        if (e->in[i]) /* data is never written */
            t[i] = (SnTensor){sn_type(g, e->in[i]), sn_shape_of(g, e->in[i]),
                              (void *)(uintptr_t)sn_def(g, e->in[i])->data};
    return sn_call_admits_why(g, id, e, t);
}

void
sn_edit_clamp(SnEdit *e, SnRange r)
{
    const SnKindDesc *d = sn_desc(e->kind);

    *(SnRange *)sn_attr_at(e->attr, &d->attr[d->clamp]) = r;
}

SnId
sn_edit_add(SnGraph *g, const SnEdit *e)
{
    SnSpec s = {.kind = e->kind,
                .name = e->name,
                .nin = e->nin,
                .in = e->in,
                .attr = e->attr,
                .type = e->type,
                .calibrated = e->calibrated};

    return sn_add(g, &s, NULL);
}
