// SPDX-License-Identifier: Apache-2.0
#include "rewrite/copy.h"

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
