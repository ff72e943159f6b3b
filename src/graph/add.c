// SPDX-License-Identifier: Apache-2.0
/* Adding a node: everything is checked on a draft before the graph changes. */
#include <ctype.h>
#include <string.h>

#include "base/budget.h"
#include "graph/graph_priv.h"

typedef struct Draft {
    const SnKindDesc *d;
    uint32_t nin;
    const SnRef *in;
    const SnType **in_type;   /* [nin] */
    const SnShape **in_shape; /* [nin] */
    void *attr;
    const SnType **type;   /* [nout] */
    const SnShape **shape; /* [nout] */
    const void *data;
} Draft;

const SnType *
sn_type_import(SnPool *p, const SnType *t)
{
    if (!t)
        return NULL;
    return t->nq == 0
               ? sn_type_plain(p, t->elem)
               : sn_type_axis(p, t->elem, t->axis, t->nq, t->scale, t->zp);
}

/* The same shape in pool p. */
static const SnShape *
shape_import(SnPool *p, const SnShape *s)
{
    return s ? sn_shape(p, s->rank, s->dim) : NULL;
}

const char *
sn_layout_why(SnArena *a, const SnType *t, const SnShape *s)
{
    if (t->elem == SN_ROW8 && s->rank != 2)
        return sn_format(a, "row8 needs 2 dimensions, not %d", s->rank);
    if (t->axis < 0)
        return NULL;
    if (t->axis >= s->rank)
        return sn_format(a,
                         "the type has scales along axis %d, the shape has "
                         "%d dimensions",
                         t->axis, s->rank);
    if ((int64_t)t->nq == s->dim[t->axis])
        return NULL;
    return sn_format(a,
                     "the type has %u scales for the %lld slices of axis "
                     "%d",
                     (unsigned)t->nq, (long long)s->dim[t->axis], t->axis);
}

/* ---- operands ---- */

/* "takes 2 to 3 operands (x, w, b?), not 1" */
static const char *
arity_why(const SnGraph *g, const SnKindDesc *d, uint32_t nin)
{
    uint32_t need = d->nin, variadic = 0;
    SnBuf b;

    sn_buf_init(&b, g->arena);
    for (uint32_t i = 0; i < d->nin; i++)
        variadic |= d->in[i].variadic;
    while (!variadic && need > 0 && d->in[need - 1].optional)
        need--;
    sn_putf(&b, "takes %s%u", variadic ? "at least " : "", (unsigned)need);
    if (need < d->nin)
        sn_putf(&b, " to %u", d->nin);
    sn_putf(&b, " operand%s", d->nin == 1 ? "" : "s");
    for (uint32_t i = 0; i < d->nin; i++)
        sn_putf(&b, "%s%s%s%s", i ? ", " : " (", d->in[i].name,
                d->in[i].variadic   ? "..."
                : d->in[i].optional ? "?"
                                    : "",
                i + 1 < d->nin ? "" : ")");
    sn_putf(&b, ", not %u", (unsigned)nin);
    return sn_buf_str(&b);
}

/* Operands padded with missing ones at the end, so that every port has its
 * slots. */
static const char *
draft_operands(const SnGraph *g, const SnSpec *s, Draft *r)
{
    const SnKindDesc *d = r->d;
    bool variadic = false;

    for (uint32_t i = 0; i < d->nin; i++)
        variadic |= d->in[i].variadic;
    if (variadic ? s->nin < d->nin : s->nin > d->nin)
        return arity_why(g, d, s->nin);
    r->nin = s->nin > d->nin ? s->nin : d->nin;
    SnRef *in = SN_NEW_N(g->arena, SnRef, r->nin);
    if (s->nin)
        memcpy(in, s->in, s->nin * sizeof *in);
    r->in = in;
    r->in_type = SN_NEW_N(g->arena, const SnType *, r->nin);
    r->in_shape = SN_NEW_N(g->arena, const SnShape *, r->nin);
    for (uint32_t k = 0; k < r->nin; k++) {
        const SnPortDesc *p = &d->in[sn_port_of_slot(d, r->nin, k)];
        SnId id = SN_NODE(in[k]);
        if (!in[k] && p->optional)
            continue;
        if (!in[k])
            return s->nin > k
                       ? sn_format(g->arena, "operand '%s' is missing", p->name)
                       : arity_why(g, d, s->nin);
        if (id == 0 || id >= g->nnode || sn_node(g, id)->dead ||
            SN_RES(in[k]) >= sn_node(g, id)->nres || !sn_type(g, in[k]))
            return sn_format(g->arena, "operand '%s' is not a live result",
                             p->name);
        r->in_type[k] = sn_type(g, in[k]);
        r->in_shape[k] = sn_shape_of(g, in[k]);
    }
    return NULL;
}

/* ---- types ---- */

static const char *
tuple_why(const SnGraph *g, const Draft *r)
{
    SnBuf b;

    sn_buf_init(&b, g->arena);
    sn_putf(&b, "no %s takes ", r->d->name);
    sn_put_signature(&b, r->nin, r->in_type, r->d->nout, r->type);
    sn_puts(&b, "; possible: ");
    sn_put_tuples(&b, r->d, 6);
    return sn_buf_str(&b);
}

static const char *
draft_types(SnGraph *g, const SnSpec *s, Draft *r)
{
    const SnKindDesc *d = r->d;

    r->type = SN_NEW_N(g->arena, const SnType *, d->nout);
    for (uint32_t k = 0; k < d->nout; k++)
        r->type[k] = s->type ? sn_type_import(g->pool, s->type[k]) : NULL;
    if (!sn_tuple_find(d, r->nin, r->in_type, d->nout, r->type))
        return tuple_why(g, r);
    sn_force_types(g->pool, g->arena, d, r->nin, r->in_type, r->type);
    for (uint32_t k = 0; k < d->nout; k++)
        if (!r->type[k] && !d->out[k].optional)
            return sn_format(g->arena, "result '%s' needs a type",
                             d->out[k].name);
    return NULL;
}

/* ---- shapes, data ---- */

static const char *
draft_shapes(SnGraph *g, const SnSpec *s, Draft *r)
{
    const SnKindDesc *d = r->d;

    r->shape = SN_NEW_N(g->arena, const SnShape *, d->nout);
    if (sn_is_source(d)) {
        r->shape[0] = shape_import(g->pool, s->shape);
        if (!r->shape[0])
            return "needs a shape";
    } else {
        char why[SN_WHY];
        if (!sn_infer_shapes(g->pool, d, r->attr, r->nin, r->in_shape, r->shape,
                             why))
            return sn_strdup(g->arena, why);
    }
    for (uint32_t k = 0; k < d->nout; k++) {
        const char *why = r->type[k]
                              ? sn_layout_why(g->arena, r->type[k], r->shape[k])
                              : NULL;
        if (why)
            return why;
    }
    return NULL;
}

static const char *
draft_data(SnGraph *g, const SnSpec *s, Draft *r)
{
    if (!sn_holds_data(r->d))
        return NULL;
    size_t n = sn_tensor_nbyte(r->type[0], r->shape[0]);
    if (n > 0 && !s->data)
        return "needs its data";
    r->data = s->borrow && n > 0 ? s->data : sn_memdup(g->arena, s->data, n);
    return NULL;
}

static const char *
draft(SnGraph *g, const SnSpec *s, Draft *r)
{
    const char *why = draft_operands(g, s, r);

    r->attr = s->attr ? sn_attr_copy(g->arena, r->d, s->attr)
                      : sn_attr_new(g->arena, r->d);
    sn_attrs_import(g->pool, r->d, r->attr);
    if (!why)
        why = draft_types(g, s, r);
    if (!why)
        why =
            sn_attrs_why(g->arena, r->d, r->attr, r->nin, r->in_type, r->type);
    if (!why)
        why = draft_shapes(g, s, r);
    if (!why)
        why = draft_data(g, s, r);
    return why;
}

/* ---- from draft to node ---- */

static const char *
fresh_name(SnGraph *g, const SnKindDesc *d, const char *wanted)
{
    if (wanted && *wanted)
        return sn_names_unique(g->names, wanted);
    char *s = sn_strdup(g->arena, d->name);
    for (char *c = s; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return sn_names_unique(g->names, s);
}

static SnId
commit(SnGraph *g, const SnSpec *s, const Draft *r)
{
    SnNode *n = SN_NEW(g->arena, SnNode);
    SnId id = g->nnode;

    n->kind = s->kind;
    n->nin = r->nin;
    n->nres = r->d->nout;
    n->calibrated = s->calibrated && r->d->clamp >= 0;
    n->in = SN_NEW_N(g->arena, SnUse, r->nin);
    n->res = SN_NEW_N(g->arena, SnResult, n->nres);
    n->attr = r->attr;
    n->data = r->data;
    n->own = s->own && r->data != NULL && r->data == s->data;
    n->late = r->data != NULL && r->data == s->data ? s->late : NULL;
    n->origin = s->origin ? sn_strdup(g->arena, s->origin) : NULL;
    n->source = s->source ? sn_strdup(g->arena, s->source) : NULL;
    for (unsigned k = 0; k < n->nres; k++) {
        n->res[k].type = r->type[k];
        n->res[k].shape = r->shape[k];
    }
    if (n->nres > 0)
        n->res[0].name =
            sn_names_put(g->names, fresh_name(g, r->d, s->name), SN_REF(id, 0));
    n->order = id;
    SN_PUSH(g->arena, g->node, g->nnode, n);
    g->nlive++;
    g->nedit++;
    sn_charge_level(SN_CHARGE_NODES, g->nlive);
    for (uint32_t k = 0; k < r->nin; k++) {
        n->in[k] = (SnUse){.user = id, .slot = k};
        sn_use_link(g, &n->in[k], r->in[k]);
    }
    return id;
}

SnId
sn_try_add(SnGraph *g, const SnSpec *s, const char **why)
{
    Draft r = {.d = NULL};

    if (s->kind == 0 || s->kind >= sn_kind_end())
        sn_bug("sn_add: there is no node kind %u", (unsigned)s->kind);
    if (g->nnode >= 1u << (32 - SN_RESBITS)) {
        *why = "the graph has too many nodes";
        return 0;
    }
    r.d = sn_desc_in(g, s->kind);
    *why = draft(g, s, &r);
    return *why ? 0 : commit(g, s, &r);
}

SnId
sn_add(SnGraph *g, const SnSpec *s, SnDiag *d)
{
    const char *why;
    SnId id = sn_try_add(g, s, &why);

    if (id)
        return id;
    const char *kind = sn_desc(s->kind)->name;
    const char *where = sn_format(
        g->arena, "%s%s%s (%s)", s->origin ? s->origin : "",
        s->origin ? ": " : "", s->name && *s->name ? s->name : "?", kind);
    if (!d)
        sn_bug("%s: %s", where, why);
    sn_fail(d, SN_EINPUT, where, "%s", why);
    return 0;
}
