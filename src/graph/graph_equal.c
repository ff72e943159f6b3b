// SPDX-License-Identifier: Apache-2.0
/* Equality and hash of graphs.  Nodes are matched by name, graph outputs by
 * their order, so that ids do not matter. */
#include <string.h>
#include <xxhash.h>

#include "graph/graph_priv.h"
#include "graph/match.h"

typedef struct Pair {
    const SnGraph *x, *y;
    SnArena *a;
    const char *why;
} Pair;

static bool
differ(Pair *p, SnId id, const char *what)
{
    p->why = sn_format(p->a, "%s: %s differs", sn_label(p->x, id, p->a), what);
    return false;
}

static bool
same_str(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static bool
same_ref(const Pair *p, SnRef x, SnRef y)
{
    if (!x || !y)
        return x == y;
    return SN_RES(x) == SN_RES(y) &&
           same_str(sn_def(p->x, x)->res[0].name, sn_def(p->y, y)->res[0].name);
}

static bool
same_attrs(Pair *p, SnId id, const SnNode *m, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(m->kind);
    SnBuf b;

    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        if (sn_attr_equal(at, m->attr, n->attr))
            continue;
        sn_buf_init(&b, p->a);
        sn_putf(&b, "%s: attribute '%s' differs: ", sn_label(p->x, id, p->a),
                at->name);
        sn_put_attr(&b, at, m->attr);
        sn_puts(&b, " and ");
        sn_put_attr(&b, at, n->attr);
        p->why = sn_buf_str(&b);
        return false;
    }
    return true;
}

static bool
same_results(Pair *p, SnId id, const SnNode *m, const SnNode *n)
{
    for (unsigned k = 0; k < m->nres; k++) {
        const SnResult *r = &m->res[k], *s = &n->res[k];
        if (!sn_type_equal(r->type, s->type)) {
            p->why = sn_format(
                p->a, "%s: type differs: %s and %s", sn_label(p->x, id, p->a),
                sn_type_str(p->a, r->type), sn_type_str(p->a, s->type));
            return false;
        }
        if (!sn_shape_equal(r->shape, s->shape))
            return differ(p, id, "shape");
        if (!same_str(r->name, s->name))
            return differ(p, id, "a result's name");
    }
    return true;
}

static bool
same_node(Pair *p, SnId x, SnId y)
{
    const SnNode *m = sn_node(p->x, x), *n = sn_node(p->y, y);

    if (m->kind != n->kind)
        return differ(p, x, "kind");
    if (m->calibrated != n->calibrated)
        return differ(p, x, "the flag 'calibrated'");
    if (m->nin != n->nin)
        return differ(p, x, "the number of operands");
    for (uint32_t s = 0; s < m->nin; s++)
        if (!same_ref(p, m->in[s].ref, n->in[s].ref))
            return differ(p, x, "an operand");
    if (!same_results(p, x, m, n) || !same_attrs(p, x, m, n))
        return false;
    if (!sn_holds_data(sn_desc(m->kind)))
        return true;
    size_t nbyte = sn_tensor_nbyte(m->res[0].type, m->res[0].shape);
    if (nbyte &&
        memcmp(sn_node_data(p->x, x), sn_node_data(p->y, y), nbyte) != 0)
        return differ(p, x, "data");
    return true;
}

/* The next graph input or output of a topological order, from *i on; 0 when
 * there is none. */
static SnId
next_border(const SnGraph *g, const SnId *topo, uint32_t n, uint32_t *i,
            bool out)
{
    while (*i < n) {
        SnId id = topo[(*i)++];
        const SnKindDesc *d = sn_desc(sn_node(g, id)->kind);
        if (out ? sn_is_output(d) : sn_is_input(d))
            return id;
    }
    return 0;
}

/* Inputs and outputs pair up in their order. */
static bool
same_border(Pair *p)
{
    uint32_t nx, ny, i = 0, k = 0;
    SnId x, y;
    const SnId *tx = sn_topo(p->x, p->a, &nx), *ty = sn_topo(p->y, p->a, &ny);

    while (x = next_border(p->x, tx, nx, &i, false),
           y = next_border(p->y, ty, ny, &k, false), x && y)
        if (strcmp(sn_node(p->x, x)->res[0].name,
                   sn_node(p->y, y)->res[0].name) != 0)
            return differ(p, x, "its place among the inputs");
    i = k = 0;
    while (x = next_border(p->x, tx, nx, &i, true),
           y = next_border(p->y, ty, ny, &k, true), x && y)
        if (!same_node(p, x, y))
            return false;
    return true;
}

static bool
graph_equal(Pair *p)
{
    const SnGraph *x = p->x, *y = p->y;

    if (strcmp(x->name, y->name) != 0) {
        p->why = sn_format(p->a, "graphs '%s' and '%s'", x->name, y->name);
        return false;
    }
    if (x->rounding != y->rounding) {
        p->why = sn_format(p->a, "rounding %s and %s",
                           sn_arith_at(x->rounding)->name,
                           sn_arith_at(y->rounding)->name);
        return false;
    }
    for (SnId id = 1; id < x->nnode; id++) {
        const SnNode *n = sn_node(x, id);
        if (n->dead || n->nres == 0)
            continue;
        SnRef r = sn_names_find(y->names, n->res[0].name);
        if (!r || SN_RES(r) != 0) {
            p->why = sn_format(p->a, "%s is only in the first graph",
                               sn_label(x, id, p->a));
            return false;
        }
        if (!same_node(p, id, SN_NODE(r)))
            return false;
    }
    if (!same_border(p))
        return false;
    if (x->nlive == y->nlive)
        return true;
    p->why = sn_format(p->a, "%u nodes and %u nodes", (unsigned)x->nlive,
                       (unsigned)y->nlive);
    return false;
}

bool
sn_graph_equal(const SnGraph *x, const SnGraph *y, SnArena *a, const char **why)
{
    Pair p = {x, y, a, NULL};
    bool same = graph_equal(&p);

    if (why)
        *why = p.why;
    return same;
}

/* ---- hash ---- */

static void
put_u64(SnBuf *b, uint64_t v)
{
    char s[8];

    memcpy(s, &v, sizeof s);
    sn_putn(b, s, sizeof s);
}

/* All of a node but what makes its operands, which is in their hashes. */
static void
put_node(SnBuf *b, const SnGraph *g, SnId id, bool with_names)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    sn_putf(b, "%s %d %u", d->name, n->calibrated, (unsigned)n->nin);
    for (uint32_t i = 0; i < d->nattr; i++) {
        sn_putc(b, ' ');
        sn_put_attr(b, &d->attr[i], n->attr);
    }
    for (unsigned k = 0; k < n->nres; k++) {
        const SnResult *r = &n->res[k];
        sn_putc(b, ' ');
        sn_put_type(b, r->type);
        sn_put_shape(b, r->shape);
        if (with_names && r->name)
            sn_put_quoted(b, r->name);
    }
    if (sn_holds_data(d))
        put_u64(b, XXH64(sn_node_data(g, id),
                         sn_tensor_nbyte(n->res[0].type, n->res[0].shape), 0));
}

uint64_t *
sn_node_hashes(const SnGraph *g, const SnId *order, uint32_t n, SnArena *a,
               bool with_names)
{
    uint64_t *hash = SN_NEW_N(a, uint64_t, g->nnode);
    uint32_t ninput = 0;
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(g, order[i]);
        b.n = 0;
        put_node(&b, g, order[i], with_names);
        if (sn_is_input(sn_desc(d->kind)))
            put_u64(&b, ninput++);
        for (uint32_t s = 0; s < d->nin; s++) {
            SnRef r = d->in[s].ref;
            put_u64(&b, r ? hash[SN_NODE(r)] + SN_RES(r) : 1);
        }
        hash[order[i]] = XXH64(b.s, b.n, 1);
    }
    return hash;
}

uint64_t
sn_graph_hash(const SnGraph *g, bool with_names)
{
    SnArena *a = g->arena;
    uint32_t n;
    SnId *order = sn_topo(g, a, &n);
    const uint64_t *hash = sn_node_hashes(g, order, n, a, with_names);
    uint64_t all = with_names ? XXH64(g->name, strlen(g->name), 0) : 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *h = &hash[order[i]];
        sum += *h;
        if (sn_node(g, order[i])->nres == 0)
            all = XXH64(h, sizeof *h, all);
    }
    return XXH64(&sum, sizeof sum,
                 all + (uint64_t)g->rounding + sn_arith_at(g->rounding)->hash);
}
