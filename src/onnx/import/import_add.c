// SPDX-License-Identifier: Apache-2.0
/* Nodes with their attributes, added to the graph: what breaks a declaration is
 * refused with the name of the model's node. */
#include "onnx/import/import_priv.h"

#include "base/buf.h"
#include "graph/verify/elements.h"

SnStatus
sn_import_kind(SnImport *x, const char *name, SnKind *out)
{
    *out = sn_kind_named(name);
    if (*out == 0)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "requires the node %s, which is not declared",
                              name);
    return SN_OK;
}

void *
sn_import_attr(SnImport *x, SnKind k)
{
    return sn_attr_new(x->a, sn_desc(k));
}

static void *
field(SnKind k, const void *attr, const char *name, SnAttrKind kind)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), name);

    if (a == NULL || a->kind != kind)
        sn_bug("onnx: a hook sets '%s' of %s, which is not so declared", name,
               sn_desc(k)->name);
    return sn_attr_at(attr, a);
}

void
sn_import_set_int(SnKind k, void *attr, const char *name, int64_t v)
{
    *(int64_t *)field(k, attr, name, SN_A_INT) = v;
}

void
sn_import_set_real(SnKind k, void *attr, const char *name, float v)
{
    *(float *)field(k, attr, name, SN_A_REAL) = v;
}

void
sn_import_set_ints(SnImport *x, SnKind k, void *attr, const char *name,
                   uint32_t n, const int64_t *v)
{
    SnInts *a = field(k, attr, name, SN_A_INTS);

    a->n = n;
    a->v = sn_memdup(x->a, v, n * sizeof *v);
}

const SnInts *
sn_import_get_ints(SnKind k, const void *attr, const char *name)
{
    return field(k, attr, name, SN_A_INTS);
}

/* Does the kind have a tuple for these operands and stated types? */
static bool
has_tuple(SnImport *x, const SnSpec *s)
{
    const SnKindDesc *kd = sn_desc(s->kind);
    const SnType **in = SN_NEW_N(x->a, const SnType *, s->nin + 1);
    const SnType *out[SN_MAXRES] = {NULL};

    for (uint32_t i = 0; i < s->nin; i++)
        in[i] = s->in[i] != 0 ? sn_type(x->g, s->in[i]) : NULL;
    for (uint32_t k = 0; s->type != NULL && k < kd->nout; k++)
        out[k] = s->type[k];
    return sn_tuple_find(kd, s->nin, in, kd->nout, out) != NULL;
}

/* The invariants of the declaration, so that a model that breaks one is
 * refused with its own node's name. */
static SnStatus
check_invariants(SnImport *x, SnId id)
{
    const SnNode *n = sn_node(x->g, id);
    const SnKindDesc *kd = sn_desc(n->kind);
    SnTensor *in = SN_NEW_N(x->a, SnTensor, n->nin);
    SnTensor out[SN_MAXRES];
    SnCall c = {.kind = kd,
                .attr = n->attr,
                .nin = n->nin,
                .nout = n->nres,
                .in = in,
                .out = out,
                .scratch = x->a};
    SnBuf b;

    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref != 0)
            in[i] = (SnTensor){sn_type(x->g, n->in[i].ref),
                               sn_shape_of(x->g, n->in[i].ref), NULL};
    for (uint32_t k = 0; k < n->nres; k++)
        out[k] = (SnTensor){n->res[k].type, n->res[k].shape, NULL};
    for (uint32_t i = 0; i < kd->ninv; i++) {
        if (kd->inv[i].holds(&c))
            continue;
        sn_buf_init(&b, x->a);
        for (uint32_t k = 0; k < n->nin; k++)
            if (in[k].shape != NULL) {
                sn_puts(&b, k > 0 ? ", " : "");
                sn_put_shape(&b, in[k].shape);
            }
        return sn_import_fail(x, SN_EINPUT, "%s: operands %s break '%s'",
                              kd->name, sn_buf_str(&b), kd->inv[i].text);
    }
    return SN_OK;
}

SnStatus
sn_import_add(SnImport *x, SnSpec *s, SnRef *out)
{
    const char *why = NULL;
    SnId id;

    s->origin = x->file;
    s->source = x->n && x->n->name && *x->n->name ? x->n->name : NULL;
    id = sn_try_add(x->g, s, &why);
    if (id == 0)
        return sn_import_fail(x, has_tuple(x, s) ? SN_EINPUT : SN_EUNSUPPORTED,
                              "%s: %s", sn_desc(s->kind)->name, why);
    *out = SN_REF(id, 0);
    why = sn_elements_why(x->g, id, x->a);
    if (why != NULL)
        return sn_import_fail(x, SN_EINPUT, "%s: %s", sn_desc(s->kind)->name,
                              why);
    return sn_desc(s->kind)->ninv > 0 ? check_invariants(x, id) : SN_OK;
}
