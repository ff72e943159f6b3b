// SPDX-License-Identifier: Apache-2.0
#include "quant/island.h"

#include <string.h>
#include "sn_kind_dequantize.h"
#include "sn_kind_quantize.h"

/* A node that computes reals: no storage, no conversion. */
static bool
computes_reals(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    return !n->dead && n->nin > 0 && n->nres > 0 && !d->effect &&
           d->sem != NULL && d->sem[0].cls != SN_C_CONVERT &&
           d->sem[0].cls != SN_C_SOURCE && n->res[0].type->elem == SN_F32;
}

/* The operand through which an island is entered: a Dequantize whose own
 * operand is not constant, or a node of the island; 0: none. */
static SnId
entry(const SnGraph *g, const bool *in, SnId id)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t i = 0; i < n->nin; i++) {
        SnId from = SN_NODE(n->in[i].ref);
        if (n->in[i].ref == 0)
            continue;
        if (in[from])
            return from;
        if (sn_node(g, from)->kind == SN_K_DEQUANTIZE &&
            sn_node(g, SN_NODE(sn_in(g, from, 0)))->data == NULL)
            return from;
    }
    return 0;
}

static SnId
user_of(const SnGraph *g, SnId id, SnKind kind)
{
    SnId best = 0;

    for (const SnUse *u = sn_node(g, id)->res[0].uses; u; u = u->next)
        if ((kind == 0 || sn_node(g, u->user)->kind == kind) &&
            (best == 0 || u->user < best))
            best = u->user;
    return best;
}

/* Whether the kind or a form of it has a tuple on codes. */
static bool
has_codes(const SnGraph *g, SnKind kind)
{
    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc_in(g, k);
        if (k != kind && d->form_of != (int32_t)kind)
            continue;
        for (uint16_t i = 0; i < d->ntuple; i++)
            if (d->tuple[i].quant)
                return true;
    }
    return false;
}

/* Who was asked why a node stays float.  The passes that decided know nodes
 * of the graph; what they folded or made last a second look at a copy
 * explains, in which nodes are found by name. */
typedef struct Asked {
    const SnRewriter *decided, *again;
    const SnGraph *copy;
} Asked;

static const char *
reason(SnArena *a, const SnGraph *g, const Asked *k, SnId id)
{
    const char *why = sn_declined_float(k->decided, id);
    SnRef in_copy = sn_find(k->copy, sn_name(g, SN_REF(id, 0)));

    if (why == NULL && in_copy != 0)
        why = sn_declined_float(k->again, SN_NODE(in_copy));
    if (why != NULL)
        return sn_strdup(a, why);
    if (!has_codes(g, sn_node(g, id)->kind))
        return sn_format(a, "%s has no int8 form",
                         sn_desc_in(g, sn_node(g, id)->kind)->name);
    return "no pass handles it";
}

static bool
wanted(const SnGraph *g, SnId id, const char *name)
{
    const SnNode *n = sn_node(g, id);

    if (name == NULL || strcmp(sn_name(g, SN_REF(id, 0)), name) == 0)
        return true;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref != 0 && strcmp(sn_name(g, n->in[i].ref), name) == 0)
            return true;
    return false;
}

static void
list(SnArena *a, const SnGraph *g, const Asked *k, const char *name,
     SnIslands *out)
{
    uint32_t n;
    SnId *topo = sn_topo(g, a, &n);
    bool *in = SN_NEW_N(a, bool, g->nnode);

    for (uint32_t i = 0; i < n; i++) {
        SnId from, to;
        if (!computes_reals(g, topo[i]))
            continue;
        from = entry(g, in, topo[i]);
        to = user_of(g, topo[i], SN_K_QUANTIZE);
        if (from == 0 && to == 0)
            continue;
        in[topo[i]] = true;
        if (!wanted(g, topo[i], name))
            continue;
        to = to != 0 ? to : user_of(g, topo[i], 0);
        SnIslandNode r = {
            sn_label(g, topo[i], a), from != 0 ? sn_label(g, from, a) : NULL,
            to != 0 ? sn_label(g, to, a) : NULL, reason(a, g, k, topo[i])};
        SN_PUSH(a, out->node, out->n, r);
    }
}

SnStatus
sn_floats_left(SnArena *a, const SnGraph *g, const SnRewriter *rw,
               const SnRewriteOpts *o, const char *name, SnDiag *d,
               SnIslands *out)
{
    SnGraph *c = sn_graph_clone(g, a);
    SnRewriteOpts quiet = *o;

    memset(out, 0, sizeof *out);
    quiet.trace = quiet.time_passes = false;
    quiet.print_after = NULL;
    SnRewriter *again = sn_rewriter_new(a, &quiet, d);
    sn_record_declined(again, true);
    SN_TRY(sn_rewrite(again, c, "integerize"));
    list(a, g, &(Asked){rw, again, c}, name, out);
    return SN_OK;
}

SnStatus
sn_why_floats(SnArena *a, const SnGraph *g, const SnRewriteOpts *o,
              const char *passes, const char *name, SnDiag *d, SnIslands *out)
{
    SnGraph *c = sn_graph_clone(g, a);
    SnRewriter *rw = sn_rewriter_new(a, o, d);

    memset(out, 0, sizeof *out);
    sn_record_declined(rw, true);
    SN_TRY(sn_rewrite(rw, c, passes));
    return sn_floats_left(a, c, rw, o, name, d, out);
}
