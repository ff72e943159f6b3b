// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs that callers bind with a type that graphs do not have:
 * reals of other widths, and uint8 without a scale, which is stored less 128.
 * Called while a graph is exported (export.c, export_val.c). */
#include "onnx/export/export_priv.h"

#include "sn_kind_add.h"
#include "sn_kind_cast.h"
#include "sn_kind_codes.h"
#include "sn_kind_placeholder.h"
#include "sn_kind_save.h"
#include "sn_kind_sub.h"
#include "sn_maps.h"

_Static_assert((int)SN_PLACEHOLDER_BOUNDARY_U8 == (int)SN_SAVE_BOUNDARY_U8 &&
                   (int)SN_PLACEHOLDER_BOUNDARY_F64 ==
                       (int)SN_SAVE_BOUNDARY_F64,
               "inputs and outputs have the same boundaries");

static int32_t
boundary(const SnNode *n)
{
    if (n->kind == SN_K_PLACEHOLDER)
        return ((const SnPlaceholderAttr *)n->attr)->boundary;
    if (n->kind == SN_K_SAVE)
        return ((const SnSaveAttr *)n->attr)->boundary;
    return SN_SAVE_BOUNDARY_NONE;
}

bool
sn_export_bound_u8(const SnNode *n)
{
    return boundary(n) == SN_SAVE_BOUNDARY_U8;
}

int
sn_export_bound_real(const SnNode *n, const SnType *t)
{
    if (t->elem != SN_F32)
        return 0;
    switch (boundary(n)) {
    case SN_SAVE_BOUNDARY_F16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    case SN_SAVE_BOUNDARY_BF16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16;
    case SN_SAVE_BOUNDARY_F64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
    default:
        return 0;
    }
}

void
sn_export_cast_real(SnExport *x, const char *from, const char *to, int dtype)
{
    sn_export_attr_int(x, sn_export_node(x, "", "Cast", 1, &from, to), "to",
                       dtype);
}

/* ---- which values are uint8 ---- */

/* a + 128 or a - 128 for all elements of a: the node's operand a. */
static bool
moves_128(const SnGraph *g, SnRef r, SnKind kind, SnRef *a)
{
    const SnNode *n = sn_def(g, r), *k;
    const SnKindDesc *d = sn_desc(n->kind);

    if (n->kind != kind || n->res[0].type->elem != SN_I32 ||
        !sn_range_full(
            *(const SnRange *)sn_attr_at(n->attr, &d->attr[d->clamp])))
        return false;
    k = sn_def(g, n->in[1].ref);
    *a = n->in[0].ref;
    return k->data != NULL && sn_shape_count(k->res[0].shape) == 1 &&
           *(const int32_t *)k->data == 128 &&
           sn_shape_of(g, *a) == n->res[0].shape;
}

/* Cast of int32 less 128 to int8: uint8 of v. */
static bool
narrows(const SnGraph *g, SnId id, SnRef *v)
{
    const SnNode *n = sn_node(g, id);

    return n->kind == SN_K_CAST && n->res[0].type->elem == SN_I8 &&
           moves_128(g, n->in[0].ref, SN_K_SUB, v);
}

/* The int8 of v as int32, and 128: v as uint8. */
static bool
widens(const SnGraph *g, SnId id, SnRef *v)
{
    SnRef c;

    if (!moves_128(g, SN_REF(id, 0), SN_K_ADD, &c) ||
        sn_kind(g, c) != SN_K_CAST)
        return false;
    *v = sn_in(g, SN_NODE(c), 0);
    return sn_type(g, *v)->elem == SN_I8;
}

/* Elements are unchanged, and none is added. */
static bool
only_moves(const SnKindDesc *d)
{
    return d->sem[0].cls == SN_C_MOVE &&
           (d->sem[0].decl != &sn_map_decl_pad || d->sem[0].fill < 0);
}

static bool
any_u8(const SnExport *x, const SnNode *n)
{
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref != 0 && x->u8[SN_NODE(n->in[s].ref)])
            return true;
    return false;
}

void
sn_export_find_u8(SnExport *x, const SnId *topo, uint32_t n)
{
    x->u8 = SN_NEW_N(x->a, bool, x->g->nnode);
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(x->g, topo[i]);
        SnRef v;
        if (d->nres == 0 || d->res[0].type->elem != SN_I8)
            continue;
        x->u8[topo[i]] =
            d->kind == SN_K_CODES
                ? x->codes == SN_EXPORT_U8
                : sn_export_bound_u8(d) || narrows(x->g, topo[i], &v) ||
                      (only_moves(sn_desc(d->kind)) && any_u8(x, d));
    }
}

bool
sn_export_reads_past(const SnExport *x, SnId id, SnRef *v)
{
    return narrows(x->g, id, v) || (widens(x->g, id, v) && x->u8[SN_NODE(*v)]);
}

/* ---- nodes ---- */

/* An order of axes in which v is available; `by` reads it first. */
static void
available_order(SnExport *x, SnId by, int *perm)
{
    SnId id = x->id;

    x->id = by;
    sn_export_available_order(x, 0, perm);
    x->id = id;
}

bool
sn_export_put_u8(SnExport *x)
{
    int rank = x->n->res[0].shape->rank, perm[SN_MAXRANK];
    bool narrow = x->n->res[0].type->elem == SN_I8;
    const char *in, *out;
    SnRef v;

    if (narrow && only_moves(x->kd) && x->u8[x->id])
        x->as = SN_EXPORT_U8;
    if (!sn_export_reads_past(x, x->id, &v))
        return false;
    x->as = narrow ? SN_EXPORT_U8 : SN_EXPORT_REAL;
    available_order(x, SN_NODE(x->n->in[0].ref), perm);
    in =
        sn_export_get(x, v, rank, perm, narrow ? SN_EXPORT_REAL : SN_EXPORT_U8);
    out = sn_export_open(x, 0, perm);
    sn_export_cast_real(x, in, out, sn_export_dtype(x->n->res[0].type, x->as));
    sn_export_close(x, 0, perm, out);
    return true;
}

static const char *
fresh(SnExport *x, SnRef r, const char *part)
{
    return sn_export_fresh(x, sn_format(x->a, "%s.%s", sn_name(x->g, r), part));
}

const char *
sn_export_other_sign(SnExport *x, SnRef r, int rank, const int *perm,
                     SnExportAs as)
{
    static const int32_t half = 128;
    const char *from, *in[2], *to;
    SnExportAs of = as == SN_EXPORT_U8 ? SN_EXPORT_U8 : SN_EXPORT_CODE;

    if (sn_kind(x->g, r) == SN_K_CODES) {
        SnRef q = sn_in(x->g, SN_NODE(r), 0);
        for (const SnExportForm *f = x->value[q]; f != NULL; f = f->next)
            if (f->as == of)
                return sn_export_get(x, q, rank, perm, of);
    }
    from = sn_export_get(x, r, rank, perm,
                         as == SN_EXPORT_U8 ? SN_EXPORT_REAL : SN_EXPORT_U8);
    in[0] = fresh(x, r, "wide");
    sn_export_cast_real(x, from, in[0], ONNX__TENSOR_PROTO__DATA_TYPE__INT32);
    in[1] = sn_export_init(x, fresh(x, r, "128"),
                           ONNX__TENSOR_PROTO__DATA_TYPE__INT32, 0, NULL, &half,
                           sizeof half);
    to = fresh(x, r, "shifted");
    sn_export_node(x, "", as == SN_EXPORT_U8 ? "Add" : "Sub", 2, in, to);
    from = to;
    to = sn_export_name(x, r, rank, perm, as);
    sn_export_cast_real(x, from, to, sn_export_dtype(sn_type(x->g, r), as));
    return to;
}
