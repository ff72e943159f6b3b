// SPDX-License-Identifier: Apache-2.0
/* Order and copies. */
#include <string.h>

#include "graph/graph_priv.h"

/* Ready nodes in a binary heap: the smallest key first. */
typedef struct Heap {
    const SnGraph *g;
    SnId *v;
    uint32_t n;
} Heap;

/* Outputs come last, so that their order survives copying, printing and
 * reading, whatever happens to their operands. `order` is the id of the node,
 * or of the input or output that it represents. */
static bool
before(const SnGraph *g, SnId a, SnId b)
{
    const SnNode *m = sn_node(g, a), *n = sn_node(g, b);
    bool x = sn_is_output(sn_desc(m->kind));
    bool y = sn_is_output(sn_desc(n->kind));

    if (x != y)
        return y;
    return m->order != n->order ? m->order < n->order : a < b;
}

static void
push(Heap *h, SnId id)
{
    uint32_t i = h->n++;

    while (i > 0 && before(h->g, id, h->v[(i - 1) / 2])) {
        h->v[i] = h->v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->v[i] = id;
}

static SnId
pop(Heap *h)
{
    SnId top = h->v[0], last = h->v[--h->n];
    uint32_t i = 0;

    for (;;) {
        uint32_t k = 2 * i + 1;
        if (k >= h->n)
            break;
        if (k + 1 < h->n && before(h->g, h->v[k + 1], h->v[k]))
            k++;
        if (!before(h->g, h->v[k], last))
            break;
        h->v[i] = h->v[k];
        i = k;
    }
    h->v[i] = last;
    return top;
}

/* A cycle's nodes, and what depends on them, are left out. */
SnId *
sn_topo(const SnGraph *g, SnArena *a, uint32_t *n)
{
    SnId *order = SN_NEW_N(a, SnId, g->nlive + 1u);
    uint32_t *wait = SN_NEW_N(a, uint32_t, g->nnode);
    Heap h = {g, SN_NEW_N(a, SnId, g->nlive + 1u), 0};

    *n = 0;
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *d = sn_node(g, id);
        if (d->dead)
            continue;
        for (uint32_t s = 0; s < d->nin; s++)
            wait[id] += d->in[s].ref != 0;
        if (wait[id] == 0)
            push(&h, id);
    }
    while (h.n > 0) {
        SnId id = pop(&h);
        const SnNode *d = sn_node(g, id);
        order[(*n)++] = id;
        for (unsigned k = 0; k < d->nres; k++)
            for (const SnUse *u = d->res[k].uses; u; u = u->next)
                if (--wait[u->user] == 0)
                    push(&h, u->user);
    }
    return order;
}

/* ---- clone ---- */

static SnId
clone_node(const SnGraph *g, SnId id, SnGraph *c, const SnId *map,
           SnArena *scratch)
{
    const SnNode *n = sn_node(g, id);
    SnRef *in = SN_NEW_N(scratch, SnRef, n->nin);
    const SnType **type = SN_NEW_N(scratch, const SnType *, n->nres);

    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef r = n->in[s].ref;
        in[s] = r ? SN_REF(map[SN_NODE(r)], SN_RES(r)) : 0;
    }
    for (unsigned k = 0; k < n->nres; k++)
        type[k] = n->res[k].type;
    SnSpec s = {.kind = n->kind,
                .name = n->nres ? n->res[0].name : NULL,
                .nin = n->nin,
                .in = in,
                .attr = n->attr,
                .type = type,
                .shape = n->nres ? n->res[0].shape : NULL,
                .data = sn_node_data(g, id),
                .calibrated = n->calibrated,
                .origin = n->origin,
                .source = n->source};
    SnId copy = sn_add(c, &s, NULL);
    for (unsigned k = 1; k < n->nres; k++)
        if (n->res[k].name)
            sn_rename(c, SN_REF(copy, k), n->res[k].name);
    return copy;
}

SnGraph *
sn_graph_clone(const SnGraph *g, SnArena *a)
{
    SnGraph *c = sn_graph_new(a, g->name);
    uint32_t n;
    SnId *order = sn_topo(g, a, &n);
    SnId *map = SN_NEW_N(a, SnId, g->nnode);

    if (n != g->nlive)
        sn_bug("clone of a graph with a cycle");
    sn_graph_refine(c, g->nrefine, g->refine);
    c->rounding = g->rounding;
    for (uint32_t i = 0; i < n; i++)
        map[order[i]] = clone_node(g, order[i], c, map, a);
    return c;
}
