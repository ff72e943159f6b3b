// SPDX-License-Identifier: Apache-2.0
/* Nodes, results, use lists and names.  Adding with its checks is in add.c. */
#include "graph/graph.h"

#include <string.h>

#include "graph/graph_priv.h"

SnGraph *
sn_graph_new(SnArena *a, const char *name)
{
    SnGraph *g = SN_NEW(a, SnGraph);

    g->arena = a;
    g->pool = sn_pool_new(a);
    g->name = sn_strdup(a, name);
    g->names = sn_names_new(a);
    SN_PUSH(a, g->node, g->nnode, NULL);
    return g;
}

/* ---- use lists ---- */

void
sn_use_link(SnGraph *g, SnUse *u, SnRef ref)
{
    u->ref = ref;
    u->next = NULL;
    u->pprev = NULL;
    if (!ref)
        return;
    SnResult *r = sn_res(g, ref);
    u->next = r->uses;
    if (u->next)
        u->next->pprev = &u->next;
    u->pprev = &r->uses;
    r->uses = u;
    r->nuse++;
    g->nedit++;
}

static void
unlink_use(SnGraph *g, SnUse *u)
{
    if (!u->ref)
        return;
    *u->pprev = u->next;
    if (u->next)
        u->next->pprev = u->pprev;
    sn_res(g, u->ref)->nuse--;
    u->ref = 0;
    g->nedit++;
}

static void
check_ref(const SnGraph *g, SnRef r, const char *what)
{
    SnId id = SN_NODE(r);

    if (id == 0 || id >= g->nnode || g->node[id]->dead ||
        SN_RES(r) >= g->node[id]->nres)
        sn_bug("%s: %u:%u is not a result of a live node", what, (unsigned)id,
               SN_RES(r));
}

void
sn_set_in(SnGraph *g, SnId user, uint32_t slot, SnRef ref)
{
    SnNode *n = sn_node(g, user);

    if (n->dead || slot >= n->nin)
        sn_bug("sn_set_in: node %u has no operand %u", (unsigned)user,
               (unsigned)slot);
    if (ref)
        check_ref(g, ref, "sn_set_in");
    unlink_use(g, &n->in[slot]);
    sn_use_link(g, &n->in[slot], ref);
}

void
sn_replace_uses(SnGraph *g, SnRef old, SnRef new_)
{
    check_ref(g, old, "sn_replace_uses");
    check_ref(g, new_, "sn_replace_uses");
    if (old == new_)
        return;
    for (SnUse *u = sn_res(g, old)->uses; u; u = sn_res(g, old)->uses) {
        unlink_use(g, u);
        sn_use_link(g, u, new_);
    }
}

void
sn_replace(SnGraph *g, SnRef old, SnRef new_, SnId mark)
{
    sn_replace_uses(g, old, new_);
    if (old == new_ || SN_NODE(new_) < mark || !sn_res(g, old)->name)
        return;
    /* The two results swap names; a first result is never without one. */
    SnResult *o = sn_res(g, old), *n = sn_res(g, new_);
    const char *name = o->name;
    o->name = n->name;
    n->name = sn_names_put(g->names, name, new_);
    if (o->name)
        o->name = sn_names_put(g->names, o->name, old);
    else if (SN_RES(old) == 0)
        o->name = sn_names_put(g->names, sn_names_unique(g->names, name), old);
}

void
sn_rename(SnGraph *g, SnRef r, const char *name)
{
    check_ref(g, r, "sn_rename");
    SnResult *res = sn_res(g, r);
    if (res->name)
        sn_names_drop(g->names, res->name);
    res->name = sn_names_put(g->names, sn_names_unique(g->names, name), r);
}

/* ---- removing ---- */

static bool
has_use(const SnNode *n)
{
    for (unsigned k = 0; k < n->nres; k++)
        if (n->res[k].uses)
            return true;
    return false;
}

void
sn_remove(SnGraph *g, SnId id)
{
    SnNode *n = sn_node(g, id);

    if (n->dead || has_use(n))
        sn_bug("sn_remove: node %u is %s", (unsigned)id,
               n->dead ? "already gone" : "in use");
    for (uint32_t s = 0; s < n->nin; s++)
        unlink_use(g, &n->in[s]);
    for (unsigned k = 0; k < n->nres; k++) {
        if (n->res[k].name)
            sn_names_drop(g->names, n->res[k].name);
        n->res[k].name = NULL;
    }
    n->dead = true;
    g->nlive--;
    g->nedit++;
}

void
sn_become(SnGraph *g, SnId id, const SnSpec *s)
{
    SnNode *n = sn_node(g, id);

    if (n->dead || n->nres != 1 || !s->data || !s->borrow)
        sn_bug("sn_become: node %u cannot be a Constant", (unsigned)id);
    for (uint32_t k = 0; k < n->nin; k++)
        unlink_use(g, &n->in[k]);
    g->nedit++;
    n->kind = s->kind;
    n->nin = 0;
    n->attr = NULL;
    n->calibrated = false;
    n->data = s->data;
    n->own = s->own;
    n->late = s->late;
}

static bool
useless(const SnNode *n)
{
    return !n->dead && !sn_desc(n->kind)->effect && !has_use(n);
}

/* Removes id and puts those of its operands that are now useless on the work
 * list. */
static void
drop(SnGraph *g, SnId id, size_t *nwork)
{
    SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin; s++) {
        SnId def = SN_NODE(n->in[s].ref);
        unlink_use(g, &n->in[s]);
        if (def && useless(sn_node(g, def)))
            g->names->work[(*nwork)++] = def;
    }
    sn_remove(g, id);
}

uint32_t
sn_dce(SnGraph *g)
{
    SnNames *m = g->names;
    uint32_t live = g->nlive;
    size_t nwork = 0;

    if (m->cleaned == g->nedit)
        return 0;
    if (m->nwork < g->nnode) {
        m->nwork = 2 * (size_t)g->nnode;
        m->work = SN_NEW_N(g->arena, SnId, m->nwork);
    }
    for (SnId id = g->nnode; id-- > 1;) {
        if (!useless(sn_node(g, id)))
            continue;
        drop(g, id, &nwork);
        while (nwork > 0)
            drop(g, m->work[--nwork], &nwork);
    }
    m->cleaned = g->nedit;
    return live - g->nlive;
}

/* ---- names ---- */

const char *
sn_name(const SnGraph *g, SnRef r)
{
    const SnNode *n = sn_def(g, r);

    if (n->nres == 0)
        return sn_label(g, SN_NODE(r), g->arena);
    if (n->res[SN_RES(r)].name)
        return n->res[SN_RES(r)].name;
    return sn_format(g->arena, "%s:%u", n->res[0].name ? n->res[0].name : "?",
                     SN_RES(r));
}

const char *
sn_label(const SnGraph *g, SnId id, SnArena *a)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    const SnAttrDesc *at = n->nres ? NULL : sn_attr_named(d, "name");
    const char *name = n->nres ? n->res[0].name : NULL;

    if (at && at->kind == SN_A_STR)
        name = *(const char *const *)sn_attr_at(n->attr, at);
    return sn_format(a, "%s (%s)", name ? name : "?", d->name);
}

SnRef
sn_find(const SnGraph *g, const char *name)
{
    SnRef r = sn_names_find(g->names, name);
    size_t n = strlen(name);

    if (r || n < 3 || name[n - 2] != ':' || name[n - 1] < '0' ||
        name[n - 1] >= '0' + SN_MAXRES)
        return r;
    SnArena *a = g->arena;
    r = sn_names_find(g->names, sn_strndup(a, name, n - 2));
    unsigned k = (unsigned)(name[n - 1] - '0');
    if (!r || SN_RES(r) != 0 || k >= sn_def(g, r)->nres)
        return 0;
    return SN_REF(SN_NODE(r), k);
}

const char *
sn_unique_name(SnGraph *g, const char *base)
{
    return sn_names_unique(g->names, base);
}
