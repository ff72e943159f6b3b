// SPDX-License-Identifier: Apache-2.0
/* Graphs that begin with one made from a rule's declaration: what a rule looks
 * for seldom comes up by chance, and what it forgets lies close beside it. */
#include "random/gen_priv.h"

#include <string.h>

#include "cases/cases.h"
#include "graph/text/text.h"
#include "sn_kinds.h"

static bool
fits(const SnCase *k, const char *backend, bool own)
{
    if (!k->graph)
        return false;
    return k->backend ? !strcmp(k->backend, backend) : !own;
}

static bool
same_rule(const SnCase *x, const SnCase *y)
{
    return !strcmp(x->pass, y->pass) && !strcmp(x->rule, y->rule);
}

/* Counts rules, one after the other in sn_cases[], and instances of rule
 * `rule`, of which *k is the one numbered `n`. */
static uint32_t
count(const char *backend, bool own, uint64_t rule, uint64_t n,
      uint32_t *ninstance, const SnCase **k)
{
    const SnCase *last = NULL;
    uint32_t nrule = 0;

    *ninstance = 0;
    for (uint32_t i = 0; i < sn_ncase; i++) {
        const SnCase *c = &sn_cases[i];
        if (!fits(c, backend, own))
            continue;
        nrule += !last || !same_rule(last, c);
        last = c;
        if (nrule == rule + 1 && (*ninstance)++ == n)
            *k = c;
    }
    return nrule;
}

static const SnCase *
any_instance(uint64_t n, const char *backend, bool own)
{
    uint32_t i = (uint32_t)(n % sn_ncase);

    while (!fits(&sn_cases[i], backend, own))
        i = (i + 1) % sn_ncase;
    return &sn_cases[i];
}

/* Half the time all rules are alike, half the time all instances: there are
 * hundreds of some derived families. */
static const SnCase *
choose(uint64_t n, const char *backend, bool own)
{
    const SnCase *k = NULL;
    uint32_t ninstance, nrule = count(backend, own, 0, 0, &ninstance, &k);

    if (!nrule)
        return NULL;
    if (n % 2)
        return any_instance(n / 2, backend, own);
    uint64_t rule = n / 2 % nrule;
    count(backend, own, rule, 0, &ninstance, &k);
    count(backend, own, rule, n / 2 / nrule % ninstance, &ninstance, &k);
    return k;
}

SnGraph *
sn_random_case(SnArena *a, uint64_t n, const char *backend, bool own)
{
    const SnCase *k = choose(n, backend, own);

    return k ? sn_case_graph(a, k) : NULL;
}

SnGraph *
sn_case_graph(SnArena *a, const SnCase *k)
{
    SnGraph *g = NULL;
    SnBuf b;

    sn_buf_init(&b, a);
    for (const char *const *line = k->graph; *line; line++)
        sn_putf(&b, "%s\n", *line);
    SnSrc src = {"case.sn", sn_buf_str(&b), b.n, 0};
    return sn_parse(a, &src, NULL, sn_diag_new(a), &g) == SN_OK ? g : NULL;
}

/* How a graph is changed as a whole. */
typedef struct Sizes {
    int64_t from, to;     /* one size, wherever it stands, becomes another; */
    SnId source;          /* or in this source only, */
    int axis;             /* there */
    bool broadcast;       /* single dimensions become 1 */
    bool flat;            /* all but the last do: pictures of one pixel */
    const SnShape *image; /* or all values are codes of this shape, or of one
                             that broadcasts to it: what a rule says of any
                             type it must also do there */
    int64_t perm[SN_MAXRANK]; /* what all Transposes do to them */
} Sizes;

static void
draw_recast(SnGen *p, Sizes *z)
{
    int64_t d[3] = {sn_gen_pick(p, 1, 4), sn_gen_pick(p, 2, 40),
                    sn_gen_size(p)};
    int rank = (int)sn_gen_pick(p, 2, 3), by = (int)sn_gen_pick(p, 1, 2);

    z->image = sn_shape(p->g->pool, rank, d + 3 - rank);
    for (int i = 0; i < rank; i++)
        z->perm[i] = (i + by) % rank;
}

static Sizes
draw_sizes(SnGen *p, const SnGraph *from)
{
    Sizes z = {
        .from = -1, .to = -1, .broadcast = !p->tame && sn_gen_chance(p, 35)};

    if (!p->tame && sn_gen_chance(p, 45))
        draw_recast(p, &z);
    else
        z.flat = !p->tame && sn_gen_chance(p, 20);
    if (p->tame || z.image || sn_gen_chance(p, 40))
        return z;
    for (SnId id = 1; id < from->nnode; id++) {
        const SnNode *n = sn_node(from, id);
        if (n->dead || n->nin || !n->nres || !n->res[0].shape->rank ||
            (z.from >= 0 && sn_gen_chance(p, 50)))
            continue;
        const SnShape *s = n->res[0].shape;
        z.axis = (int)sn_gen_pick(p, 0, s->rank - 1);
        z.from = s->dim[z.axis];
        z.source = id;
    }
    if (sn_gen_chance(p, 50))
        z.source = 0;
    z.to = sn_gen_chance(p, 10)   ? 0
           : sn_gen_chance(p, 50) ? sn_gen_pick(p, 6, 65)
                                  : sn_gen_size(p);
    return z;
}

/* As it is where the new sizes would be too many elements. */
static const SnShape *
resized(SnGen *p, const Sizes *z, SnId id, const SnShape *s)
{
    int64_t d[SN_MAXRANK], n = 1;

    if (z->image) {
        for (int i = 0; i < z->image->rank; i++)
            d[i] = sn_gen_chance(p, 25) ? 1 : z->image->dim[i];
        return sn_shape(p->g->pool, z->image->rank, d);
    }
    for (int i = 0; i < s->rank; i++) {
        bool here =
            z->source ? id == z->source && i == z->axis : s->dim[i] == z->from;
        d[i] = here ? z->to : s->dim[i];
        if (z->broadcast && sn_gen_chance(p, 25))
            d[i] = 1;
        if (z->flat && i + 1 < s->rank)
            d[i] = 1;
        n *= d[i];
    }
    return n > p->most ? s : sn_shape(p->g->pool, s->rank, d);
}

/* The type of result 0, or another of its element type, perhaps close to that
 * of an operand. */
static const SnType *
retyped(SnGen *p, const SnNode *n, const SnRef *in)
{
    const SnType *t = n->res[0].type;
    int64_t k = n->nin ? sn_gen_pick(p, 0, (int64_t)n->nin - 1) : 0;

    if (!t || t->nq != 1 || t->elem == SN_QI32 ||
        !(p->ties || sn_gen_chance(p, 60)))
        return t;
    const SnType *x = n->nin && in[k] ? sn_type(p->g, in[k]) : NULL;
    return x && x->nq == 1 && x->elem == t->elem && sn_gen_chance(p, 80)
               ? sn_gen_beside(p, x)
               : sn_gen_quant(p, t->elem);
}

/* A source of that shape; a Constant keeps its data where it has room, half
 * the time. */
static SnId
graft_source(SnGen *p, const Sizes *z, const SnNode *n, const SnShape *s)
{
    const SnType *t = z->image ? sn_gen_quant(p, SN_QI8) : n->res[0].type;
    const char *why;
    SnSpec sp = {.kind = n->kind,
                 .name = n->res[0].name,
                 .attr = n->attr,
                 .type = &t,
                 .shape = s,
                 .data = n->data};

    if (t->nq > 1 && s != n->res[0].shape) {
        const SnShape *old = n->res[0].shape;
        if (s->dim[t->axis] != old->dim[t->axis])
            return 0;
    }
    bool same = t == n->res[0].type &&
                sn_tensor_nbyte(t, s) == sn_tensor_nbyte(t, n->res[0].shape);
    if (!n->data && sn_gen_chance(p, 20))
        sp.kind = SN_K_CONSTANT;
    if (sp.kind != n->kind ||
        (n->data && (!same || sn_gen_chance(p, p->tame ? 5 : 50)))) {
        void *data = sn_alloc(p->a, sn_tensor_nbyte(t, s) + 1);
        sn_gen_data(p, t, s, data);
        sp.data = data;
    }
    if (sp.kind != n->kind)
        sp.attr = NULL;
    return sn_try_add(p->g, &sp, &why);
}

static void
redraw_attrs(SnGen *p, const SnKindDesc *d, void *attr, const SnType *t,
             const SnShape *x)
{
    for (uint16_t k = 0; k < d->nattr; k++) {
        if (k == d->clamp && sn_gen_chance(p, p->tame ? 15 : 40))
            *(SnRange *)sn_attr_at(attr, &d->attr[k]) = sn_gen_clamp(p, t);
        else if (k != d->clamp && x && d->nin &&
                 sn_gen_chance(p, d->attr[k].kind == SN_A_ENUM ? 50
                                  : p->tame                    ? 3
                                                               : 30))
            sn_gen_attr(p, d, &d->attr[k], attr, x);
    }
}

/* The words of a node's attributes, all alike. */
static void
any_words(SnGen *p, const SnKindDesc *d, void *attr)
{
    for (uint16_t i = 0; i < d->nattr; i++)
        if (d->attr[i].kind == SN_A_ENUM) {
            int32_t n = 0;
            while (d->attr[i].words[n])
                n++;
            *(int32_t *)sn_attr_at(attr, &d->attr[i]) =
                (int32_t)sn_gen_pick(p, 0, n - 1);
        }
}

/* Of a node in a graph whose values are all codes now. */
static void
recast(SnGen *p, const Sizes *z, const SnKindDesc *d, void *attr, SnRef x,
       const SnType **type)
{
    const SnSem *s = &d->sem[0];
    const SnType *t = sn_type(p->g, x);

    if (t->nq == 1 && type[0])
        type[0] = d->out[0].fact == SN_SAME ? t
                  : sn_gen_chance(p, 70)    ? sn_gen_beside(p, t)
                                            : sn_gen_quant(p, t->elem);
    any_words(p, d, attr);
    if (s->decl == &sn_map_decl_permute && s->arg[1].kind == SN_ARG_ATTR)
        *(SnInts *)sn_attr_at(attr, &d->attr[s->arg[1].v]) =
            (SnInts){(uint32_t)z->image->rank, z->perm};
}

static SnId
graft_node(SnGen *p, const Sizes *z, const SnNode *n, const SnRef *in)
{
    const SnKindDesc *d = sn_desc(n->kind);
    const SnType *type[SN_MAXRES] = {0};
    const char *why;

    for (int i = 0; i < NTRY; i++) {
        bool plain = i == NTRY - 1;
        void *attr = d->nattr ? sn_attr_copy(p->a, d, n->attr) : NULL;
        for (unsigned k = 0; k < n->nres; k++)
            type[k] = n->res[k].type;
        if (!plain && n->nres)
            type[0] = retyped(p, n, in);
        if (!plain && attr)
            redraw_attrs(p, d, attr, type[0],
                         n->nin && in[0] ? sn_shape_of(p->g, in[0]) : NULL);
        if (!plain && attr && p->ties)
            any_words(p, d, attr);
        if (z->image && n->nin && in[0])
            recast(p, z, d, attr, in[0], type);
        SnSpec s = {.kind = n->kind,
                    .nin = n->nin,
                    .in = in,
                    .attr = attr,
                    .type = type,
                    .calibrated = n->calibrated};
        SnId id = sn_try_add(p->g, &s, &why);
        if (!id)
            continue;
        if (sn_verify(p->g, sn_diag_new(p->a)) == SN_OK &&
            sn_shape_count(sn_node(p->g, id)->res[0].shape) <= p->most)
            return id;
        sn_remove(p->g, id);
    }
    return 0;
}

static bool
is_source(const SnNode *n)
{
    return n->data || n->kind == SN_K_PLACEHOLDER;
}

/* A source beside a computed value of its shape gets the shape that value has
 * now: where sizes change, they would not meet. */
static void
follow(SnGen *p, const Sizes *z, const SnGraph *from, const SnNode *n,
       SnRef *in)
{
    for (uint32_t k = 0; k < n->nin; k++)
        for (uint32_t j = 0; j < n->nin; j++) {
            SnRef v = n->in[k].ref, w = n->in[j].ref;
            if (!v || !w || !is_source(sn_def(from, v)) ||
                is_source(sn_def(from, w)) ||
                sn_shape_of(from, v) != sn_shape_of(from, w) ||
                sn_shape_of(p->g, in[k]) == sn_shape_of(p->g, in[j]))
                continue;
            SnId id =
                graft_source(p, z, sn_def(from, v), sn_shape_of(p->g, in[j]));
            in[k] = id ? SN_REF(id, 0) : in[k];
        }
}

void
sn_gen_graft(SnGen *p, const SnGraph *from)
{
    uint32_t n;
    SnId *topo = sn_topo(from, p->a, &n);
    SnRef *to = SN_NEW_N(p->a, SnRef, (size_t)from->nnode << SN_RESBITS);

    p->tame = sn_gen_chance(p, 35);
    p->ties = !p->tame && sn_gen_chance(p, 50);
    Sizes z = draw_sizes(p, from);
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *m = sn_node(from, topo[i]);
        SnRef *in = SN_NEW_N(p->a, SnRef, m->nin + 1);
        bool all = m->nres > 0;
        for (uint32_t k = 0; k < m->nin; k++) {
            in[k] = to[m->in[k].ref];
            all = all && (in[k] || !m->in[k].ref);
        }
        if (!all)
            continue;
        bool source = is_source(m);
        if (!source && !z.broadcast)
            follow(p, &z, from, m, in);
        if (m->nin == 2 && sn_desc(m->kind)->sem[0].cls == SN_C_POINT &&
            sn_gen_chance(p, 50)) {
            SnRef v = in[0];
            in[0] = in[1];
            in[1] = v;
        }
        const SnShape *s = source ? m->res[0].shape : NULL;
        SnId id = source ? graft_source(p, &z, m, resized(p, &z, topo[i], s))
                         : graft_node(p, &z, m, in);
        for (unsigned k = 0; id && k < m->nres; k++) {
            SnRef v = to[SN_REF(topo[i], k)] = SN_REF(id, k);
            if (sn_type(p->g, v) && p->nvalue < MAXVALUE)
                p->value[p->nvalue++] = v;
        }
    }
}
