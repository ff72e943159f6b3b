// SPDX-License-Identifier: Apache-2.0
/* Writing down what passes do.  Between two calls of the watcher lies one
 * change: the graph is compared with what it was, so that nothing depends on
 * what a pass says of itself. */
#include <string.h>
#include "base/buf.h"
#include "graph/text/text.h"
#include "rewrite/witness/witness_priv.h"

/* A node as it was at the last call. */
typedef struct Was {
    bool live;
    uint32_t nin;
    SnRef *in;
} Was;

struct SnWitness {
    SnArena *a;
    SnGraph *all; /* every node of the graph before, and every added one */
    SnId *to;     /* [nwas] a node of the graph as one of `all` */
    Was *was;     /* [nwas] */
    uint32_t nwas, cap;
    const SnRewriter *rw; /* whose sites were counted */
    uint32_t nsite;
    SnSteps steps;
};

static SnRef
mapped(const SnWitness *w, SnRef r)
{
    return r ? SN_REF(w->to[SN_NODE(r)], SN_RES(r)) : 0;
}

static void
grow(SnWitness *w, uint32_t n)
{
    uint32_t cap = w->cap ? w->cap : 64;

    while (cap < n)
        cap *= 2;
    if (cap > w->cap) {
        SnId *to = SN_NEW_N(w->a, SnId, cap);
        Was *was = SN_NEW_N(w->a, Was, cap);
        if (w->nwas) {
            memcpy(to, w->to, w->nwas * sizeof *to);
            memcpy(was, w->was, w->nwas * sizeof *was);
        }
        w->to = to;
        w->was = was;
        w->cap = cap;
    }
    w->nwas = n;
}

/* Keeps what node id reads. */
static void
keep(SnWitness *w, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    Was *k = &w->was[id];

    k->live = !n->dead;
    if (n->dead)
        return;
    if (!k->in)
        k->in = SN_NEW_N(w->a, SnRef, n->nin + 1);
    k->nin = n->nin;
    for (uint32_t s = 0; s < n->nin; s++)
        k->in[s] = n->in[s].ref;
}

static void
begin(SnWitness *w, const SnGraph *g)
{
    uint32_t n;
    SnId *order = sn_topo(g, w->a, &n);

    w->all = sn_graph_clone(g, w->a);
    grow(w, g->nnode);
    for (uint32_t i = 0; i < n; i++)
        w->to[order[i]] = i + 1; /* as sn_graph_clone numbers them */
    for (SnId id = 1; id < g->nnode; id++)
        keep(w, g, id);
}

static SnId
copy(SnWitness *w, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    SnRef *in = SN_NEW_N(w->a, SnRef, n->nin + 1);
    const SnType **type = SN_NEW_N(w->a, const SnType *, n->nres + 1);

    for (uint32_t s = 0; s < n->nin; s++)
        in[s] = mapped(w, n->in[s].ref);
    for (unsigned k = 0; k < n->nres; k++)
        type[k] = n->res[k].type;
    SnSpec s = {.kind = n->kind,
                .name = sn_format(w->a, "step%u", w->steps.n + 1),
                .nin = n->nin,
                .in = in,
                .attr = n->attr,
                .type = type,
                .shape = n->nres ? n->res[0].shape : NULL,
                .data = sn_node_data(g, id),
                .calibrated = n->calibrated};
    return sn_add(w->all, &s, NULL);
}

/* Are all operands of id there already? */
static bool
ready(const SnWitness *w, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && !w->to[SN_NODE(n->in[s].ref)])
            return false;
    return true;
}

/* Nodes that are new and still there; most read only those before them. */
static void
added(SnWitness *w, const SnGraph *g, SnId first, SnWitnessStep *s)
{
    bool more = true;

    while (more) {
        more = false;
        for (SnId id = first; id < g->nnode; id++) {
            if (sn_node(g, id)->dead || w->to[id] || !ready(w, g, id))
                continue;
            w->to[id] = copy(w, g, id);
            SN_PUSH(w->a, s->add, s->nadd, w->to[id]);
            more = true;
        }
    }
}

static void
changed(SnWitness *w, const SnGraph *g, SnId id, SnWitnessStep *s)
{
    const SnNode *n = sn_node(g, id);
    const Was *k = &w->was[id];

    if (!k->live)
        return;
    if (n->dead) {
        SN_PUSH(w->a, s->drop, s->ndrop, w->to[id]);
        return;
    }
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRedirect u = {w->to[id], i, mapped(w, n->in[i].ref)};
        if (n->in[i].ref != k->in[i])
            SN_PUSH(w->a, s->use, s->nuse, u);
    }
}

static void
label(SnWitness *w, const SnRewriter *rw, const char *pass, SnWitnessStep *s)
{
    uint32_t n;
    const SnSite *site = sn_sites(rw, &n);

    if (rw != w->rw)
        w->nsite = 0;
    w->rw = rw;
    s->by = pass ? sn_strdup(w->a, pass) : "outside";
    if (n > w->nsite) {
        const SnRuleDesc *r = sn_rule(site[n - 1].rule);
        s->by = sn_format(w->a, "%s.%s", r->pass, r->name);
        s->waived = site[n - 1].waived;
    }
    w->nsite = n;
}

static void
watch(void *ctx, const SnRewriter *rw, const SnGraph *g, const char *pass)
{
    SnWitness *w = ctx;
    SnWitnessStep s = {0};
    SnId first = w->nwas;

    if (!w->all) {
        begin(w, g);
        return;
    }
    label(w, rw, pass, &s);
    grow(w, g->nnode);
    added(w, g, first, &s);
    for (SnId id = 1; id < g->nnode; id++) {
        if (id < first)
            changed(w, g, id, &s);
        keep(w, g, id);
    }
    if (s.nadd || s.nuse || s.ndrop)
        SN_PUSH(w->a, w->steps.v, w->steps.n, s);
}

SnWitness *
sn_witness_new(SnArena *a, SnRewriteOpts *o)
{
    SnWitness *w = SN_NEW(a, SnWitness);

    w->a = a;
    o->watch = watch;
    o->watch_ctx = w;
    return w;
}

/* Nodes as they are numbered in the text: in sn_topo's order. */
static void
renumber(SnSteps *s, const SnId *place)
{
    for (uint32_t i = 0; i < s->n; i++) {
        SnWitnessStep *t = &s->v[i];
        for (uint32_t k = 0; k < t->nadd; k++)
            t->add[k] = place[t->add[k]];
        for (uint32_t k = 0; k < t->ndrop; k++)
            t->drop[k] = place[t->drop[k]];
        for (uint32_t k = 0; k < t->nuse; k++) {
            SnRedirect *u = &t->use[k];
            u->user = place[u->user];
            u->now = SN_REF(place[SN_NODE(u->now)], SN_RES(u->now));
        }
    }
    for (uint32_t i = 0; i < s->ncalled; i++)
        s->called[i].ref =
            SN_REF(place[SN_NODE(s->called[i].ref)], SN_RES(s->called[i].ref));
}

/* What results of g are called, where `all` has another name for them. */
static void
called(SnWitness *w, const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        for (unsigned k = 0; !n->dead && k < n->nres; k++) {
            SnCalled c = {SN_REF(w->to[id], k), n->res[k].name};
            const char *now = sn_res(w->all, c.ref)->name;
            if (c.name && (!now || strcmp(now, c.name)))
                SN_PUSH(w->a, w->steps.called, w->steps.ncalled, c);
        }
    }
}

SnStatus
sn_witness_save(SnWitness *w, const SnGraph *g, const char *path, SnDiag *d)
{
    uint32_t n;
    SnBuf b;

    if (!w->all)
        begin(w, g);
    called(w, g);
    SnId *order = sn_topo(w->all, w->a, &n);
    SnId *place = SN_NEW_N(w->a, SnId, w->all->nnode);
    for (uint32_t i = 0; i < n; i++)
        place[order[i]] = i + 1;
    renumber(&w->steps, place);
    sn_buf_init(&b, w->a);
    sn_puts(&b, "; what sinter opt did, for sinter verify\n");
    sn_witness_put(&b, &w->steps);
    return sn_text_save_noted(w->all, sn_buf_str(&b), path, d);
}
