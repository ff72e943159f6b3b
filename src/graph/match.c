// SPDX-License-Identifier: Apache-2.0
#include "graph/match.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph_priv.h"

bool
sn_type_equal(const SnType *x, const SnType *y)
{
    if (x == y || !x || !y)
        return x == y;
    return x->elem == y->elem && x->axis == y->axis && x->nq == y->nq &&
           (x->nq == 0 ||
            (!memcmp(x->scale, y->scale, x->nq * sizeof *x->scale) &&
             !memcmp(x->zp, y->zp, x->nq * sizeof *x->zp)));
}

typedef struct Matcher {
    SnArena *a;
    const SnGraph *x, *y;
    SnMatch m;
    SnId *queue; /* nodes of x whose neighbours are to be looked at */
    size_t nqueue, next;
} Matcher;

static void
pair(Matcher *k, SnId x, SnId y)
{
    k->m.of_x[x] = y;
    k->m.of_y[y] = x;
    SN_PUSH(k->a, k->queue, k->nqueue, x);
}

/* ---- by name, by what is computed ---- */

typedef struct Key { /* nodes of both graphs that have it are a pair */
    const char *name;
    uint64_t hash;
    uint32_t at; /* of two with the same key the first comes first */
    SnId id;
} Key;

static int
by_key(const void *p, const void *q)
{
    const Key *x = p, *y = q;
    int c = strcmp(x->name, y->name);

    if (c != 0)
        return c;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Both sorted; of equal keys the first of x is the first of y. */
static void
pair_equal(Matcher *k, Key *x, size_t nx, Key *y, size_t ny)
{
    size_t i = 0, j = 0;

    if (nx && ny) {
        qsort(x, nx, sizeof *x, by_key);
        qsort(y, ny, sizeof *y, by_key);
    }
    while (i < nx && j < ny) {
        Key v = x[i], w = y[j];
        v.at = w.at = 0;
        int c = by_key(&v, &w);
        if (c == 0 && !k->m.of_x[x[i].id] && !k->m.of_y[y[j].id])
            pair(k, x[i].id, y[j].id);
        i += c <= 0;
        j += c >= 0;
    }
}

/* hash NULL: by names. */
static Key *
keys(Matcher *k, const SnGraph *g, const SnId *order, uint32_t n,
     const uint64_t *hash, const SnId *matched, size_t *nkey)
{
    Key *v = SN_NEW_N(k->a, Key, n + 1);

    *nkey = 0;
    for (uint32_t i = 0; i < n; i++) {
        SnId id = order[i];
        const SnNode *d = sn_node(g, id);
        if (matched[id])
            continue;
        /* no value has a name with a space before it */
        const char *name = d->nres
                               ? d->res[0].name
                               : sn_format(k->a, " %s", sn_label(g, id, k->a));
        v[(*nkey)++] = (Key){hash ? "" : name, hash ? hash[id] : 0, i, id};
    }
    return v;
}

/* ---- by neighbours ---- */

static bool
fits(const Matcher *k, SnId x, SnId y)
{
    return x && y && !k->m.of_x[x] && !k->m.of_y[y] &&
           sn_node(k->x, x)->kind == sn_node(k->y, y)->kind;
}

static void
pair_operands(Matcher *k, SnId x, SnId y)
{
    const SnNode *m = sn_node(k->x, x), *n = sn_node(k->y, y);

    if (m->kind != n->kind)
        return;
    for (uint32_t s = 0; s < m->nin && s < n->nin; s++) {
        SnRef p = m->in[s].ref, q = n->in[s].ref;
        if (p && q && SN_RES(p) == SN_RES(q) && fits(k, SN_NODE(p), SN_NODE(q)))
            pair(k, SN_NODE(p), SN_NODE(q));
    }
}

/* The readers of result r of node id that have no pair yet, each for every
 * operand. */
static Key *
readers(Matcher *k, const SnGraph *g, SnId id, unsigned r, const SnId *matched,
        size_t *n)
{
    const SnResult *res = &sn_node(g, id)->res[r];
    Key *v = NULL;

    *n = 0;
    for (const SnUse *u = res->uses; u; u = u->next)
        if (!matched[u->user])
            SN_PUSH(
                k->a, v, *n,
                ((Key){"", (uint64_t)u->slot << 32 | sn_node(g, u->user)->kind,
                       u->user, u->user}));
    return v;
}

static void
pair_readers(Matcher *k, SnId x, SnId y)
{
    const SnNode *m = sn_node(k->x, x), *n = sn_node(k->y, y);

    for (unsigned r = 0; r < m->nres && r < n->nres; r++) {
        size_t p, q;
        Key *v = readers(k, k->x, x, r, k->m.of_x, &p);
        Key *w = readers(k, k->y, y, r, k->m.of_y, &q);
        pair_equal(k, v, p, w, q);
    }
}

SnMatch
sn_graph_match(SnArena *a, const SnGraph *x, const SnGraph *y)
{
    Matcher k = {.a = a, .x = x, .y = y};
    uint32_t nx, ny;
    size_t p, q;
    const SnId *ox = sn_topo(x, a, &nx), *oy = sn_topo(y, a, &ny);

    k.m.of_x = SN_NEW_N(a, SnId, x->nnode);
    k.m.of_y = SN_NEW_N(a, SnId, y->nnode);
    Key *v = keys(&k, x, ox, nx, NULL, k.m.of_x, &p);
    Key *w = keys(&k, y, oy, ny, NULL, k.m.of_y, &q);
    pair_equal(&k, v, p, w, q);
    const uint64_t *hx = sn_node_hashes(x, ox, nx, a, false);
    const uint64_t *hy = sn_node_hashes(y, oy, ny, a, false);
    v = keys(&k, x, ox, nx, hx, k.m.of_x, &p);
    w = keys(&k, y, oy, ny, hy, k.m.of_y, &q);
    pair_equal(&k, v, p, w, q);
    while (k.next < k.nqueue) {
        SnId id = k.queue[k.next++];
        pair_operands(&k, id, k.m.of_x[id]);
        pair_readers(&k, id, k.m.of_x[id]);
    }
    return k.m;
}
