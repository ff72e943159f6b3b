// SPDX-License-Identifier: Apache-2.0
/* The verifier: first the graph's structure, then, node by node, every fact
 * the declarations state.  A message names the node; lines below it name the
 * types in question and the nodes that set them. */
#include <string.h>

#include "graph/verify/admits.h"
#include "graph/graph_priv.h"
#include "graph/verify/weights.h"

typedef struct Verify {
    const SnGraph *g;
    SnDiag *d;
    SnArena *a;
    unsigned nbad;
    bool *known; /* [nnode] results follow from constants alone; NULL where the
                    arithmetic restricts nothing */
    /* the node at hand */
    SnId id;
    const SnNode *n;
    const SnKindDesc *k;
    const SnType **type; /* operand types by slot */
    const SnShape **shape;
    SnTensor *tensor; /* operands, then results */
} Verify;

static void bad(Verify *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
bad(Verify *v, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = sn_vformat(v->a, fmt, ap);
    va_end(ap);
    sn_fail(v->d, SN_EINPUT, sn_label(v->g, v->id, v->a), "%s", text);
    v->nbad++;
}

/* A type for a message: of many scales only the first are shown. */
static const char *
brief(SnArena *a, const SnType *t)
{
    SnBuf b;

    if (!t || t->nq <= 4)
        return sn_type_str(a, t);
    sn_buf_init(&b, a);
    sn_putf(&b, "%s<axis=%d, [", sn_elem_name(t->elem), t->axis);
    for (uint32_t i = 0; i < 3; i++) {
        sn_put_f32(&b, t->scale[i]);
        sn_puts(&b, ", ");
    }
    sn_putf(&b, "... %u scales], ...>", (unsigned)t->nq);
    return sn_buf_str(&b);
}

/* "x is qi8<0.1, 0>, set by r (Rescale), passes.def:41" */
static void
say_setter(Verify *v, const char *port, const SnType *t, SnId by)
{
    const SnNode *n = sn_node(v->g, by);

    sn_diag_line(v->d, "%s is %s, set by %s%s%s", port, brief(v->a, t),
                 sn_label(v->g, by, v->a), n->origin ? ", " : "",
                 n->origin ? n->origin : "");
}

static void
say_in(Verify *v, uint32_t slot)
{
    uint32_t port = sn_port_of_slot(v->k, v->n->nin, slot);

    say_setter(v, v->k->in[port].name, v->type[slot],
               SN_NODE(v->n->in[slot].ref));
}

/* ---- structure ---- */

static bool
ref_ok(const SnGraph *g, SnRef r)
{
    SnId id = SN_NODE(r);

    return id > 0 && id < g->nnode && !g->node[id]->dead &&
           SN_RES(r) < g->node[id]->nres;
}

static bool
operands_ok(Verify *v)
{
    unsigned before = v->nbad;

    if (v->n->kind == 0 || v->n->kind >= sn_kind_end()) {
        v->nbad++;
        sn_fail(v->d, SN_EINPUT, v->g->name, "node %u has unknown kind %u",
                (unsigned)v->id, (unsigned)v->n->kind);
        return false;
    }
    if (v->n->nin < v->k->nin || v->n->nres != v->k->nout)
        bad(v,
            "has %u operand slots and %u results, but %u and %u are declared",
            (unsigned)v->n->nin, v->n->nres, v->k->nin, v->k->nout);
    for (uint32_t s = 0; s < v->n->nin && v->nbad == before; s++) {
        const SnUse *u = &v->n->in[s];
        const SnPortDesc *p = &v->k->in[sn_port_of_slot(v->k, v->n->nin, s)];
        if (!u->ref && !p->optional)
            bad(v, "operand '%s' is missing", p->name);
        else if (u->ref && !ref_ok(v->g, u->ref))
            bad(v, "operand '%s' is not a result of a live node", p->name);
        else if (u->user != v->id || u->slot != s)
            bad(v, "operand '%s' has a wrong entry in a use list", p->name);
    }
    return v->nbad == before;
}

/* Each entry of the list is an operand that reads this result. */
static bool
uses_ok(const Verify *v, SnRef ref, const SnResult *r)
{
    SnUse *const *link = &r->uses;
    uint32_t n = 0;

    for (const SnUse *u = r->uses; u; link = &u->next, u = u->next) {
        if (++n > r->nuse || u->ref != ref || u->pprev != link || !u->user ||
            u->user >= v->g->nnode)
            return false;
        const SnNode *user = sn_node(v->g, u->user);
        if (user->dead || u->slot >= user->nin || &user->in[u->slot] != u)
            return false;
    }
    return n == r->nuse;
}

static void
results_ok(Verify *v)
{
    for (unsigned k = 0; k < v->n->nres; k++) {
        const SnResult *r = &v->n->res[k];
        SnRef ref = SN_REF(v->id, k);
        if (!uses_ok(v, ref, r))
            bad(v, "the use list of result '%s' is inconsistent",
                v->k->out[k].name);
        if (!r->name && k == 0)
            bad(v, "result '%s' has no name", v->k->out[k].name);
        else if (r->name && sn_names_find(v->g->names, r->name) != ref)
            bad(v, "the name '%s' belongs to another result", r->name);
        if (!r->type && r->nuse)
            bad(v, "result '%s' is used, but has no type", v->k->out[k].name);
        if (!r->type && !v->k->out[k].optional)
            bad(v, "result '%s' has no type", v->k->out[k].name);
        if (r->type && sn_type_import(v->g->pool, r->type) != r->type)
            bad(v, "the type of result '%s' is not interned",
                v->k->out[k].name);
        if (!r->shape)
            bad(v, "result '%s' has no shape", v->k->out[k].name);
    }
}

static bool
structure_ok(Verify *v)
{
    uint64_t nuse = 0, nref = 0;
    uint32_t nlive = 0, n;

    for (SnId id = 1; id < v->g->nnode; id++) {
        v->id = id;
        v->n = sn_node(v->g, id);
        if (v->n->dead)
            continue;
        v->k = sn_desc_in(v->g, v->n->kind);
        nlive++;
        if (!operands_ok(v))
            continue;
        results_ok(v);
        for (uint32_t s = 0; s < v->n->nin; s++)
            nref += v->n->in[s].ref != 0;
        for (unsigned k = 0; k < v->n->nres; k++)
            nuse += v->n->res[k].nuse;
    }
    if (v->nbad)
        return false;
    if (nuse != nref || nlive != v->g->nlive) {
        sn_fail(v->d, SN_EINPUT, v->g->name,
                "%llu uses and %llu operands; %u live nodes, %u counted",
                (unsigned long long)nuse, (unsigned long long)nref,
                (unsigned)nlive, (unsigned)v->g->nlive);
        return false;
    }
    const SnId *order = sn_topo(v->g, v->a, &n);
    if (n == nlive)
        return true;
    bool *seen = SN_NEW_N(v->a, bool, v->g->nnode);
    for (uint32_t i = 0; i < n; i++)
        seen[order[i]] = true;
    for (v->id = 1; sn_node(v->g, v->id)->dead || seen[v->id];)
        v->id++;
    bad(v, "depends on itself, in a cycle");
    return false;
}

/* ---- facts about types ---- */

static void
check_tuple(Verify *v, const SnType **out)
{
    SnBuf b;

    sn_buf_init(&b, v->a);
    sn_put_tuples(&b, v->k, 6);
    bad(v, "no %s has these types; possible: %s", v->k->name, sn_buf_str(&b));
    for (uint32_t s = 0; s < v->n->nin; s++)
        if (v->type[s])
            say_in(v, s);
    for (unsigned k = 0; k < v->n->nres; k++)
        say_setter(v, v->k->out[k].name, out[k], v->id);
}

/* The first present slot or result of the `same` group; false: none. */
static bool
same_first(const Verify *v, const char **port, const SnType **t, SnId *by)
{
    for (uint32_t s = 0; s < v->n->nin; s++) {
        const SnPortDesc *p = &v->k->in[sn_port_of_slot(v->k, v->n->nin, s)];
        if (p->fact == SN_SAME && v->type[s]) {
            *port = p->name;
            *t = v->type[s];
            *by = SN_NODE(v->n->in[s].ref);
            return true;
        }
    }
    for (unsigned k = 0; k < v->n->nres; k++)
        if (v->k->out[k].fact == SN_SAME && v->n->res[k].type) {
            *port = v->k->out[k].name;
            *t = v->n->res[k].type;
            *by = v->id;
            return true;
        }
    return false;
}

static void
say_same(Verify *v, const char *port, const SnType *t, SnId by,
         const SnPortDesc *other, const SnType *type, SnId set)
{
    const char *why = other->because;

    if (!strcmp(port, other->name))
        bad(v, "all of %s must have one type%s%s", port, why ? ": " : "",
            why ? why : "");
    else
        bad(v, "%s and %s must have one type%s%s", port, other->name,
            why ? ": " : "", why ? why : "");
    say_setter(v, port, t, by);
    say_setter(v, other->name, type, set);
}

/* One message for a group is enough. */
static void
check_same(Verify *v)
{
    const char *port;
    const SnType *t;
    SnId by;

    if (!same_first(v, &port, &t, &by))
        return;
    for (uint32_t s = 0; s < v->n->nin; s++) {
        const SnPortDesc *p = &v->k->in[sn_port_of_slot(v->k, v->n->nin, s)];
        if (p->fact == SN_SAME && v->type[s] && v->type[s] != t) {
            say_same(v, port, t, by, p, v->type[s], SN_NODE(v->n->in[s].ref));
            return;
        }
    }
    for (unsigned k = 0; k < v->n->nres; k++) {
        const SnPortDesc *p = &v->k->out[k];
        const SnType *u = v->n->res[k].type;
        if (p->fact == SN_SAME && u && u != t) {
            say_same(v, port, t, by, p, u, v->id);
            return;
        }
    }
}

static void
check_fixed(Verify *v, const SnPortDesc *p, const SnType *t, SnId by)
{
    SnBuf b;

    if (p->fact != SN_FIXED || !t || t->nq == 0)
        return;
    for (uint32_t i = 0; i < t->nq; i++) {
        if (t->scale[i] == p->fixed_scale && t->zp[i] == p->fixed_zp)
            continue;
        sn_buf_init(&b, v->a);
        sn_put_f32(&b, p->fixed_scale);
        bad(v, "%s must have scale %s and zero point %d%s%s", p->name,
            sn_buf_str(&b), (int)p->fixed_zp, p->because ? ": " : "",
            p->because ? p->because : "");
        say_setter(v, p->name, t, by);
        return;
    }
}

/* "x.scale * w.scale" */
static const char *
product(Verify *v, const SnPortDesc *p)
{
    SnBuf b;

    sn_buf_init(&b, v->a);
    for (uint32_t i = 0; i < p->npin; i++)
        sn_putf(&b, "%s%s.scale", i ? " * " : "", v->k->in[p->pin[i]].name);
    return sn_buf_str(&b);
}

static void
check_pin(Verify *v, const SnPortDesc *p, const SnTypePat *pat, const SnType *t,
          SnId by)
{
    if (p->fact != SN_PIN || !t || t->nq == 0)
        return;
    const SnType *want =
        sn_pin_type(v->g->pool, v->a, v->k, p, pat, v->n->nin, v->type);
    if (want == t)
        return;
    const char *tail = p->because ? p->because : "";
    const char *sep = p->because ? ": " : "";
    uint32_t i = 0;
    while (want && i < t->nq && i < want->nq && t->scale[i] == want->scale[i])
        i++;
    if (!want)
        bad(v, "%s has no scale %s%s%s", p->name, product(v, p), sep, tail);
    else if (t->nq > 4 && i < t->nq && i < want->nq)
        bad(v,
            "%s must have the scale %s; in slice %u that is %.9g, not "
            "%.9g%s%s",
            p->name, product(v, p), (unsigned)i, (double)want->scale[i],
            (double)t->scale[i], sep, tail);
    else
        bad(v, "%s must have the scale %s, which makes it %s%s%s", p->name,
            product(v, p), brief(v->a, want), sep, tail);
    say_setter(v, p->name, t, by);
    for (uint32_t k = 0; k < p->npin; k++) {
        uint32_t first, count;
        sn_port_slots(v->k, v->n->nin, p->pin[k], &first, &count);
        if (count && v->type[first])
            say_in(v, first);
    }
}

static void
check_types(Verify *v)
{
    const SnTuple *t = sn_node_tuple(v->g, v->id);
    const SnType **out = SN_NEW_N(v->a, const SnType *, v->n->nres);

    for (unsigned k = 0; k < v->n->nres; k++)
        out[k] = v->n->res[k].type;
    if (!t) {
        check_tuple(v, out);
        return;
    }
    check_same(v);
    for (uint32_t s = 0; s < v->n->nin; s++) {
        uint32_t port = sn_port_of_slot(v->k, v->n->nin, s);
        SnId by = SN_NODE(v->n->in[s].ref);
        check_fixed(v, &v->k->in[port], v->type[s], by);
        check_pin(v, &v->k->in[port], &t->in[port], v->type[s], by);
    }
    for (unsigned k = 0; k < v->n->nres; k++) {
        check_fixed(v, &v->k->out[k], out[k], v->id);
        check_pin(v, &v->k->out[k], &t->out[k], out[k], v->id);
    }
    const char *why =
        sn_attrs_why(v->a, v->k, v->n->attr, v->n->nin, v->type, out);
    if (why)
        bad(v, "%s", why);
}

/* ---- shapes, data ---- */

static const char *
shape_str(SnArena *a, const SnShape *s)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_shape(&b, s);
    return sn_buf_str(&b);
}

static void
check_shapes(Verify *v)
{
    const SnShape *want[SN_MAXRES] = {NULL};
    char why[SN_WHY];

    for (unsigned k = 0; k < v->n->nres; k++) {
        const SnResult *r = &v->n->res[k];
        const char *no =
            r->type ? sn_layout_why(v->a, r->type, r->shape) : NULL;
        if (no)
            bad(v, "%s", no);
    }
    if (sn_is_source(v->k))
        return;
    if (!sn_infer_shapes(v->g->pool, v->k, v->n->attr, v->n->nin, v->shape,
                         want, why)) {
        bad(v, "%s", why);
        return;
    }
    for (unsigned k = 0; k < v->n->nres; k++)
        if (!sn_shape_equal(want[k], v->n->res[k].shape))
            bad(v, "result '%s' has shape %s, its operands make it %s",
                v->k->out[k].name, shape_str(v->a, v->n->res[k].shape),
                shape_str(v->a, want[k]));
}

static void
check_invariants(Verify *v)
{
    SnTensor *out = v->tensor + v->n->nin;
    SnCall c = {.kind = v->k,
                .attr = v->n->attr,
                .nin = v->n->nin,
                .nout = v->n->nres,
                .in = v->tensor,
                .out = out,
                .scratch = v->a};

    for (uint32_t s = 0; s < v->n->nin; s++)
        v->tensor[s] = (SnTensor){v->type[s], v->shape[s], NULL};
    for (unsigned k = 0; k < v->n->nres; k++)
        out[k] = (SnTensor){v->n->res[k].type, v->n->res[k].shape, NULL};
    for (uint32_t i = 0; i < v->k->ninv; i++)
        if (!v->k->inv[i].holds(&c)) {
            bad(v, "does not satisfy: %s", v->k->inv[i].text);
            for (uint32_t s = 0; s < v->n->nin; s++)
                if (v->shape[s])
                    sn_diag_line(
                        v->d, "%s has shape %s",
                        v->k->in[sn_port_of_slot(v->k, v->n->nin, s)].name,
                        shape_str(v->a, v->shape[s]));
        }
}

static void
check_data(Verify *v)
{
    const SnResult *r = v->n->res;
    const unsigned char *p = v->n->data;

    if (v->n->calibrated && v->k->clamp < 0)
        bad(v, "is marked calibrated, but has no clamp");
    if (!sn_holds_data(v->k))
        return;
    size_t n = sn_tensor_nbyte(r->type, r->shape);
    if (n > 0 && !p) {
        bad(v, "has no data");
        return;
    }
    for (size_t i = 0; r->type->elem == SN_BOOL && i < n; i++)
        if (p[i] > 1) {
            bad(v, "element %zu is %u; a bool is 0 or 1", i, p[i]);
            return;
        }
}

/* ---- the arithmetic ---- */

/* Nodes whose results follow from constants alone. */
static void
find_known(Verify *v)
{
    uint32_t n;
    const SnId *order = sn_topo(v->g, v->a, &n);

    v->known = SN_NEW_N(v->a, bool, v->g->nnode);
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(v->g, order[i]);
        bool known = !sn_desc(node->kind)->effect;
        for (uint32_t s = 0; s < node->nin; s++)
            known &= !node->in[s].ref || v->known[SN_NODE(node->in[s].ref)];
        v->known[order[i]] = known;
    }
}

static void
check_admits(Verify *v)
{
    SnCall c = sn_node_call(v->g, v->id, v->a);
    int at;
    unsigned known = v->known[v->id] ? SN_KNOWN : 0;

    for (uint32_t s = 0; s < v->n->nin; s++) {
        SnRef r = v->n->in[s].ref;
        if (r && v->known[SN_NODE(r)] && !sn_def(v->g, r)->data)
            known |= SN_PENDING;
    }
    const char *why = sn_admits_why(&c, known, &at);

    if (!why)
        return;
    bad(v, "%s", why);
    if (at >= 0)
        say_in(v, (uint32_t)at);
    else if ((unsigned)(-1 - at) < v->n->nres && v->n->res[-1 - at].type)
        say_setter(v, v->k->out[-1 - at].name, v->n->res[-1 - at].type, v->id);
}

static void
check_node(Verify *v)
{
    for (uint32_t s = 0; s < v->n->nin; s++) {
        SnRef r = v->n->in[s].ref;
        v->type[s] = r ? sn_type(v->g, r) : NULL;
        v->shape[s] = r ? sn_shape_of(v->g, r) : NULL;
    }
    unsigned before = v->nbad;
    check_types(v);
    check_shapes(v);
    check_data(v);
    if (v->nbad == before)
        check_invariants(v);
    if (v->known && v->nbad == before)
        check_admits(v);
}

SnStatus
sn_verify(const SnGraph *g, SnDiag *d)
{
    Verify v = {.g = g, .d = d, .a = g->arena};
    uint32_t most = 0;

    if (!structure_ok(&v))
        return SN_EINPUT;
    if ((uint32_t)g->rounding >= sn_arith_end())
        return sn_fail(d, SN_EINPUT, g->name,
                       "has rounding %d, which is not a rounding policy",
                       (int)g->rounding);
    for (SnId id = 1; id < g->nnode; id++)
        if (!sn_node(g, id)->dead && sn_node(g, id)->nin > most)
            most = sn_node(g, id)->nin;
    if (sn_restricts(g->rounding))
        find_known(&v);
    v.type = SN_NEW_N(v.a, const SnType *, most + 1u);
    v.shape = SN_NEW_N(v.a, const SnShape *, most + 1u);
    v.tensor = SN_NEW_N(v.a, SnTensor, most + SN_MAXRES);
    for (SnId id = 1; id < g->nnode; id++) {
        v.id = id;
        v.n = sn_node(g, id);
        if (v.n->dead)
            continue;
        v.k = sn_desc_in(v.g, v.n->kind);
        check_node(&v);
    }
    return v.nbad ? SN_EINPUT : SN_OK;
}
