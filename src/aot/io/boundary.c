// SPDX-License-Identifier: Apache-2.0
/* Codes at the boundary: conversions at inputs and outputs become the caller's
 * task; or reals, where the model has codes. */
#include "aot/io/boundary.h"
#include "graph/desc.h"
#include "sn_kind_dequantize.h"
#include "sn_kind_quantize.h"

static bool
is_convert(const SnNode *n)
{
    return n->nin == 1 && n->nres == 1 && !n->data && n->in[0].ref &&
           sn_desc(n->kind)->sem[0].cls == SN_C_CONVERT;
}

/* The one node that reads a float input and makes per-tensor codes of it. */
static SnId
reader(const SnGraph *g, SnId input)
{
    const SnResult *r = &sn_node(g, input)->res[0];
    SnId user = r->nuse == 1 ? r->uses->user : 0;
    const SnNode *u = user ? sn_node(g, user) : NULL;

    return u && r->type->elem == SN_F32 && is_convert(u) &&
                   sn_elem_quant(u->res[0].type->elem) &&
                   sn_type_per_tensor(u->res[0].type)
               ? user
               : 0;
}

static SnStatus
input_codes(SnGraph *g, SnId input, SnId user, SnDiag *d)
{
    const SnNode *n = sn_node(g, input), *u = sn_node(g, user);
    SnRef old = SN_REF(user, 0);
    const char *name = sn_name(g, SN_REF(input, 0));
    SnId order = n->order;
    SnSpec s = {.kind = n->kind,
                .type = (const SnType *const[]){u->res[0].type},
                .shape = n->res[0].shape,
                .source = n->source};
    SnId id = sn_add(g, &s, d);

    if (!id)
        return SN_EUNSUPPORTED;
    sn_replace_uses(g, old, SN_REF(id, 0));
    sn_remove(g, user);
    sn_remove(g, input);
    sn_rename(g, SN_REF(id, 0), name);
    sn_node(g, id)->order = order;
    return SN_OK;
}

SnStatus
sn_aot_codes(SnGraph *g, SnDiag *d)
{
    uint32_t n = g->nnode;

    for (SnId id = 1; id < n; id++) {
        const SnNode *x = sn_node(g, id);
        if (x->dead || !sn_desc(x->kind)->effect)
            continue;
        SnId user = x->nin == 0 ? reader(g, id) : 0;
        if (user)
            SN_TRY(input_codes(g, id, user, d));
        if (x->nin == 0)
            continue;
        SnId from = SN_NODE(x->in[0].ref);
        const SnNode *c = sn_node(g, from);
        if (!is_convert(c) || c->res[0].type->elem != SN_F32 ||
            !sn_type_per_tensor(sn_type(g, c->in[0].ref)))
            continue;
        sn_set_in(g, id, 0, c->in[0].ref);
        if (c->res[0].nuse == 0)
            sn_remove(g, from);
    }
    return SN_OK;
}

/* Are they codes of one scale? */
static bool
is_codes(const SnType *t)
{
    return sn_elem_quant(t->elem) && sn_type_per_tensor(t);
}

/* The codes of a real input. */
static SnStatus
input_reals(SnGraph *g, SnId input, SnDiag *d)
{
    const SnNode *n = sn_node(g, input);
    const SnType *codes = n->res[0].type, *f32 = sn_type_plain(g->pool, SN_F32);
    const char *name = sn_name(g, SN_REF(input, 0));
    SnId order = n->order;
    SnSpec s = {.kind = n->kind,
                .type = &f32,
                .shape = n->res[0].shape,
                .source = n->source};
    SnRef x = SN_REF(sn_add(g, &s, d), 0);
    SnSpec q = {.kind = SN_K_QUANTIZE, .nin = 1, .in = &x, .type = &codes};
    SnId id = x ? sn_add(g, &q, d) : 0;

    if (!id)
        return SN_EUNSUPPORTED;
    sn_replace_uses(g, SN_REF(input, 0), SN_REF(id, 0));
    sn_remove(g, input);
    sn_rename(g, x, name);
    sn_node(g, SN_NODE(x))->order = order;
    return SN_OK;
}

SnStatus
sn_aot_reals(SnGraph *g, SnDiag *d)
{
    const SnType *f32 = sn_type_plain(g->pool, SN_F32);
    uint32_t n = g->nnode;

    for (SnId id = 1; id < n; id++) {
        const SnNode *x = sn_node(g, id);
        if (x->dead || !sn_desc(x->kind)->effect)
            continue;
        if (x->nin == 0) {
            if (is_codes(x->res[0].type))
                SN_TRY(input_reals(g, id, d));
            continue;
        }
        SnRef from = x->in[0].ref;
        SnSpec s = {
            .kind = SN_K_DEQUANTIZE, .nin = 1, .in = &from, .type = &f32};
        if (!is_codes(sn_type(g, from)))
            continue;
        SnId to = sn_add(g, &s, d);
        if (!to)
            return SN_EUNSUPPORTED;
        sn_set_in(g, id, 0, SN_REF(to, 0));
    }
    return SN_OK;
}
