// SPDX-License-Identifier: Apache-2.0
/* sink Dequantize: a Dequantize above every input of a `same` group moves
 * below the node, which then moves or chooses codes.  Exact: equal types give
 * equal codes equal reals, and larger codes larger ones. */
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kind_dequantize.h"

static bool
in_group(const SnNode *n, const SnKindDesc *d, uint32_t slot)
{
    return d->in[sn_port_of_slot(d, n->nin, slot)].fact == SN_SAME;
}

/* Why the node cannot choose codes, or NULL; *t: what they are. */
static const char *
group(const SnGraph *g, SnId id, const SnType **t)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    *t = NULL;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        if (!in_group(n, d, s))
            continue;
        if (!v || sn_kind(g, v) != SN_K_DEQUANTIZE)
            return "an input is float";
        const SnType *x = sn_type(g, sn_in(g, SN_NODE(v), 0));
        if (x->nq > 1)
            return "an input has scales along an axis";
        if (x->elem != SN_QI8 && x->elem != SN_QI16)
            return "an input has 32 bits, which no quantized node reads";
        if (*t && *t != x)
            return "the inputs are dequantized from different types";
        *t = x;
    }
    for (unsigned i = 1; i < n->nres; i++)
        if (n->res[i].nuse)
            return "a later result is used";
    return NULL;
}

static SnId
first_above(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    uint32_t s = 0;

    while (!in_group(n, d, s))
        s++;
    return SN_NODE(n->in[s].ref);
}

static bool
decline(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, const char *why)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin && sn_records_declined(rw); s++)
        if (n->in[s].ref && sn_kind(g, n->in[s].ref) == SN_K_DEQUANTIZE)
            sn_declined(rw, rule, g, SN_NODE(n->in[s].ref), "sink below %s: %s",
                        sn_label(g, id, sn_scratch(rw)), why);
    return false;
}

bool
sn_sink_dequant(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
                uint32_t join)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *t = NULL;
    const char *why;

    if (n->nres == 0 || !sn_joins(d, join) || n->res[0].type->elem != SN_F32)
        return decline(g, rw, id, rule, "no derive line sinks it");
    why = group(g, id, &t);
    if (why || !t)
        return decline(g, rw, id, rule, why ? why : "no input is a Dequantize");
    SnEdit e = sn_edit(g, id);
    for (uint32_t s = 0; s < n->nin; s++)
        if (in_group(n, d, s))
            e.in[s] = sn_in(g, SN_NODE(n->in[s].ref), 0);
    e.type[0] = t;
    if (!sn_edit_tuple(g, &e))
        return decline(g, rw, id, rule, "it has no tuple for the codes");
    if (!sn_fire(rw, rule, g, id))
        return false;
    /* Codes have the plain name, as those that integerize makes. */
    SnId above = first_above(g, id);
    const char *name = sn_name(g, SN_REF(id, 0));
    const char *real = sn_name(g, SN_REF(above, 0));
    e.name = sn_format(g->arena, "%s.q", name);
    SnRef codes = SN_REF(sn_edit_add(g, &e), 0);
    SnSpec s = {.kind = SN_K_DEQUANTIZE,
                .nin = 1,
                .in = &codes,
                .type = &n->res[0].type};
    SnRef below = SN_REF(sn_add(g, &s, NULL), 0);
    sn_fired(rw, g, SN_REF(id, 0), below);
    if (!sn_fire_end(rw, g))
        return true; /* the next visit declines */
    sn_rename(g, below,
              sn_node(g, above)->dead ? real
                                      : sn_format(g->arena, "%s.dq", name));
    sn_rename(g, codes, name);
    return true;
}
