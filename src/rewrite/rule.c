// SPDX-License-Identifier: Apache-2.0
/* Helpers of generated rule functions and backend tables. */
#include "rewrite/rule.h"

#include <string.h>
#include "rewrite/internal.h"

bool
sn_rest_unused(const SnGraph *g, SnId id, unsigned from)
{
    const SnNode *n = sn_node(g, id);

    for (unsigned i = from; i < n->nres; i++)
        if (n->res[i].nuse)
            return false;
    return true;
}

bool
sn_used_once(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    uint64_t sum = 0;

    for (unsigned i = 0; i < n->nres; i++)
        sum += n->res[i].nuse;
    return sum == 1;
}

/* ---- nodes of more than one kind ---- */

const void *
sn_attr_of(const SnGraph *g, SnId id, const char *name)
{
    const SnNode *n = sn_node(g, id);
    const SnAttrDesc *a = sn_attr_named(sn_desc(n->kind), name);

    return a ? sn_attr_at(n->attr, a) : NULL;
}

void *
sn_edit_attr(SnEdit *e, const char *name)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(e->kind), name);

    if (!a)
        sn_bug("%s has no attribute %s", sn_desc(e->kind)->name, name);
    return sn_attr_at(e->attr, a);
}

void
sn_attrs_from(SnGraph *g, SnKind k, void *attr, SnId like)
{
    const SnNode *n = sn_node(g, like);

    if (n && n->attr)
        sn_attr_like(g->arena, sn_desc(k), attr, sn_desc(n->kind), n->attr);
}

const SnRef *
sn_operands(SnRewriter *rw, const SnGraph *g, SnId id, uint32_t first,
            uint32_t n)
{
    SnRef *v = SN_NEW_N(sn_scratch(rw), SnRef, n + 1);

    for (uint32_t i = 0; i < n; i++)
        v[i] = sn_in(g, id, first + i);
    return v;
}

/* ---- steps of rules ---- */

SnRange
sn_image_at(SnRewriter *rw, const SnGraph *g, SnRange r, SnId from,
            const SnType *to)
{
    const SnType *t = sn_type(g, SN_REF(from, 0));
    bool waive =
        sn_node(g, from)->calibrated && !sn_opts(rw)->strict_saturation;
    SnRange v = sn_image(g->rounding, r, t, to, waive);

    if (waive && rw->firing &&
        !sn_range_equal(v, sn_image(g->rounding, r, t, to, false)))
        sn_fire_detail(rw, true,
                       sn_format(sn_scratch(rw), "saturation of %s %s waived",
                                 sn_label(g, from, sn_scratch(rw)),
                                 sn_type_str(sn_scratch(rw), t)));
    return v;
}

const char *
sn_component(SnRewriter *rw, const SnGraph *g, SnId root, const char *what)
{
    return sn_format(sn_scratch(rw), "%s/%s", sn_name(g, SN_REF(root, 0)),
                     what);
}

SnRef
sn_try_fold(SnGraph *g, SnRef v)
{
    SnRef c = sn_is_const(g, v) ? sn_fold(g, v) : 0;

    return c ? c : v;
}

/* Removes node id when nothing reads it, then what only it read. */
static void
drop(SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    if (n->dead || sn_desc(n->kind)->effect || !sn_rest_unused(g, id, 0))
        return;
    uint32_t nin = n->nin;
    SnRef *in = SN_NEW_N(g->arena, SnRef, nin + 1);
    for (uint32_t i = 0; i < nin; i++)
        in[i] = n->in[i].ref;
    sn_remove(g, id);
    for (uint32_t i = 0; i < nin; i++)
        if (in[i])
            drop(g, SN_NODE(in[i]));
}

SnRef
sn_fold_let(SnRewriter *rw, SnGraph *g, SnRef v)
{
    SnRef c;

    if (sn_def(g, v)->dead || !sn_nuse(g, v) || !sn_is_const(g, v))
        return v;
    if (sn_fold_waits(g, v)) {
        SN_PUSH(rw->scratch, rw->late, rw->nlate, v);
        return v;
    }
    c = sn_fold(g, v);
    if (!c || c == v)
        return v;
    sn_replace(g, v, c, 0);
    drop(g, SN_NODE(v));
    return c;
}

void
sn_supersede(SnGraph *g, SnId old, SnId new_)
{
    const char *name = sn_name(g, SN_REF(old, 0));

    if (!sn_rest_unused(g, old, 0))
        return;
    sn_node(g, new_)->order = sn_node(g, old)->order;
    sn_remove(g, old);
    sn_rename(g, SN_REF(new_, 0), name);
}

/* ---- backends ---- */

static bool
supported(const SnTypePat *p, const SnTypePat *type, uint32_t ntype)
{
    if (p->elem < 0)
        return true;
    if (!sn_elem_quant((SnElem)p->elem) && p->elem != SN_F32 &&
        p->elem != SN_F16 && p->elem != SN_ROW8)
        return true;
    for (uint32_t i = 0; i < ntype; i++)
        if (type[i].elem == p->elem && (p->axis < 0 || type[i].axis >= 0))
            return true;
    return false;
}

bool
sn_tuple_within(const char *backend, SnKind k, const SnTuple *t,
                const SnTypePat *type, uint32_t ntype)
{
    const SnKindDesc *d = sn_desc(k);

    if (d->backend && strcmp(d->backend, backend))
        return false;
    for (uint32_t i = 0; i < d->nin; i++)
        if (d->in[i].fact != SN_PIN && !supported(&t->in[i], type, ntype))
            return false;
    for (uint32_t i = 0; i < d->nout; i++)
        if (!supported(&t->out[i], type, ntype))
            return false;
    return true;
}
