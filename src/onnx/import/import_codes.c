// SPDX-License-Identifier: Apache-2.0
/* Codes: which inputs of a node are codes, their scales, and the types that
 * these give them. */
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include "sn_kind_placeholder.h"

/* ---- which inputs are codes ---- */

/* The operator's line of nodes.def that says which, or NULL. */
static const SnOnnxDesc *
on_codes(SnOnnxOp op)
{
    for (uint32_t i = 0; i < sn_onnx_end(); i++)
        if (sn_onnx_at(i)->ncode > 0 && sn_onnx_same(sn_onnx_at(i)->op, op))
            return sn_onnx_at(i);
    return NULL;
}

bool
sn_import_code_slot(const Onnx__NodeProto *n, uint32_t i, uint32_t *scale,
                    uint32_t *zp)
{
    const SnOnnxDesc *e = on_codes(sn_import_op_of(n));
    uint32_t at = 0;

    for (uint32_t k = 0; e != NULL && k < e->ncode; k++) {
        const SnOnnxCode *c = &e->code[k];
        bool list = c->port >= 0 && sn_desc(e->kind)->in[c->port].variadic;
        if (c->ninput == 3 && i >= at && (list ? (i - at) % 3 == 0 : i == at)) {
            *scale = i + 1;
            *zp = i + 2;
            return true;
        }
        at += c->ninput;
    }
    return false;
}

/* ---- scales ---- */

/* Inputs is and iz, which must be constant: scale, and zero point or NULL. */
static SnStatus
scale_inputs(SnImport *x, uint32_t is, uint32_t iz, const SnData **s,
             const SnData **z)
{
    SnImportVal *sv, *zv = sn_import_in(x, iz);
    int64_t ns, nz;

    SN_TRY(sn_import_need(x, is, &sv));
    *s = sn_import_const(x, sv);
    *z = zv != NULL ? sn_import_const(x, zv) : NULL;
    if (*s == NULL || (zv != NULL && *z == NULL))
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "scale and zero point must be constant");
    if ((*s)->dtype != SN_D_F32)
        return sn_import_fail(x, SN_EUNSUPPORTED, "scales %s, f32 is supported",
                              sn_dtype_name((*s)->dtype));
    ns = sn_data_count(*s);
    nz = *z != NULL ? sn_data_count(*z) : ns;
    if ((*s)->rank > 1 || ns < 1 || (nz != ns && nz != 1))
        return sn_import_fail(x, SN_EINPUT,
                              "scale and zero point are not of one length");
    return SN_OK;
}

static SnStatus
scale_axis(SnImport *x, const SnImportVal *v, int64_t n, int64_t axis, int *out)
{
    *out = -1;
    if (n == 1)
        return SN_OK;
    int64_t at = axis + (axis < 0 ? v->rank : 0);
    if (at < 0 || at >= v->rank || v->dim[at] != n)
        return sn_import_fail(x, SN_EINPUT,
                              "%" PRId64 " scales do not fit axis %" PRId64
                              " of '%s'",
                              n, axis, v->name);
    *out = (int)at;
    return SN_OK;
}

/* Scales and zero points at inputs is and iz.  codes is the element type in
 * the file; uint8 is moved to int8 by -128.  v NULL: one scale. */
SnStatus
sn_import_scales(SnImport *x, const SnImportVal *v, SnDtype codes, uint32_t is,
                 uint32_t iz, int64_t axis, SnImportScales *q)
{
    const SnData *s = NULL, *z = NULL;
    const char *why;
    float *scale;
    int32_t *zp, half;

    SN_TRY(scale_inputs(x, is, iz, &s, &z));
    q->n = (uint32_t)sn_data_count(s);
    q->axis = -1;
    if (v != NULL)
        SN_TRY(scale_axis(x, v, q->n, axis, &q->axis));
    else if (q->n != 1)
        return sn_import_fail(x, SN_EINPUT, "%" PRIu32 " scales, not one",
                              q->n);
    if (z != NULL && z->dtype != codes)
        return sn_import_fail(x, SN_EINPUT, "a zero point %s for codes %s",
                              sn_dtype_name(z->dtype), sn_dtype_name(codes));
    half = codes == SN_D_U8 ? 128 : codes == SN_D_U16 ? 32768 : 0;
    q->u8 = half != 0;
    q->elem = codes == SN_D_I16 || codes == SN_D_U16 ? SN_QI16
              : codes == SN_D_I32                    ? SN_QI32
                                                     : SN_QI8;
    q->scale = scale = SN_NEW_N(x->a, float, q->n);
    q->zp = zp = SN_NEW_N(x->a, int32_t, q->n);
    for (uint32_t i = 0; i < q->n; i++) {
        scale[i] = ((const float *)s->data)[i];
        zp[i] = z == NULL
                    ? 0
                    : (int32_t)sn_data_int(z, sn_data_count(z) == 1 ? 0 : i);
        zp[i] -= half;
        why = sn_type_why(q->elem, scale[i], zp[i]);
        if (why != NULL)
            return sn_import_fail(x, SN_EINPUT, "scale %g, zero point %d: %s",
                                  (double)scale[i], (int)(zp[i] + half), why);
    }
    return SN_OK;
}

/* The type of codes whose ONNX axes were permuted (NULL: not). */
const SnType *
sn_import_scales_type(SnImport *x, const SnImportScales *q, int rank,
                      const int *perm)
{
    int axis = q->axis;

    if (q->axis < 0)
        return sn_type_quant(x->g->pool, q->elem, q->scale[0], q->zp[0]);
    for (int i = 0; perm != NULL && i < rank; i++)
        if (perm[i] == q->axis)
            axis = i;
    return sn_type_axis(x->g->pool, q->elem, axis, q->n, q->scale, q->zp);
}

/* ---- 8-bit inputs ---- */

/* A graph input of 8-bit codes becomes a Placeholder now that its scale is
 * known. */
SnStatus
sn_import_make_input(SnImport *x, SnImportVal *v, const SnImportScales *q)
{
    SnPlaceholderAttr attr = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    const SnType *type = q->axis > 0
                             ? sn_type_plain(x->g->pool, SN_I8)
                             : sn_import_scales_type(x, q, v->rank, NULL);
    SnSpec s = {
        .kind = SN_K_PLACEHOLDER,
        .name = v->name,
        .attr = &attr,
        .type = &type,
        .shape = sn_shape(x->g->pool, v->rank, v->dim),
    };
    SnImportForm *f = SN_NEW(x->a, SnImportForm);

    if (q->u8)
        attr.boundary = SN_PLACEHOLDER_BOUNDARY_U8;
    SN_TRY(sn_import_add(x, &s, &f->ref));
    for (int i = 0; i < v->rank; i++)
        f->perm[i] = i;
    v->form = f;
    v->made = true;
    v->waits = false;
    v->u8 = q->u8;
    return SN_OK;
}

SnStatus
sn_import_plain_input(SnImport *x, SnImportVal *v)
{
    const SnImportScales q = {.elem = SN_QI8, .axis = 1, .u8 = v->u8};

    return v->waits ? sn_import_make_input(x, v, &q) : SN_OK;
}

static bool
dequantizes(const SnImport *x)
{
    return sn_import_is(x, "DequantizeLinear") ||
           sn_import_is(x, "com.microsoft:DequantizeLinear");
}

SnStatus
sn_import_code_input(SnImport *x, SnImportVal *v)
{
    uint32_t is = 1, iz = 2;
    SnImportVal *s, *z;
    int64_t axis = 1, block = 0;
    SnImportScales q;

    if (dequantizes(x))
        SN_TRY(sn_import_int(x, "block_size", 0, &block));
    if (block != 0)
        return sn_import_plain_input(x, v);
    sn_import_code_slot(x->n, v->reader_in, &is, &iz);
    s = sn_import_in(x, is);
    z = sn_import_in(x, iz);
    if (s == NULL || s->data == NULL || (z != NULL && z->data == NULL))
        return SN_OK;
    if (dequantizes(x))
        SN_TRY(sn_import_int(x, "axis", 1, &axis));
    else if (sn_data_count(s->data) > 1)
        return SN_OK; /* along the axis that its operator knows */
    SN_TRY(sn_import_scales(x, v, v->u8 ? SN_D_U8 : SN_D_I8, is, iz, axis, &q));
    return sn_import_make_input(x, v, &q);
}

/* ---- codes as operands ---- */

/* The file's element type of a value of codes. */
SnStatus
sn_import_codes_of(SnImport *x, const SnImportVal *v, SnDtype *out)
{
    SnElem e = SN_I8;

    if (v->q != NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED, "'%s' is dequantized already",
                              v->name);
    if (v->data != NULL) {
        *out = v->data->dtype;
    } else {
        if (!v->waits)
            e = sn_type(x->g, v->form->ref)->elem;
        *out = e == SN_QI16                  ? (v->u8 ? SN_D_U16 : SN_D_I16)
               : e == SN_QI8 || e == SN_I8   ? (v->u8 ? SN_D_U8 : SN_D_I8)
               : e == SN_QI32 || e == SN_I32 ? SN_D_I32
                                             : SN_D_NONE;
    }
    if (*out != SN_D_U8 && *out != SN_D_I8 && *out != SN_D_I16 &&
        *out != SN_D_U16 && *out != SN_D_I32)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "codes of type %s are not supported; uint8, int8, "
            "uint16, int16 and int32 are",
            v->data != NULL ? sn_dtype_name(*out) : sn_elem_name(e));
    return SN_OK;
}

SnStatus
sn_import_plain_codes(SnImport *x, SnImportVal *v, SnRef *out)
{
    SN_TRY(sn_import_plain(x, v, out));
    if (sn_type(x->g, *out)->elem != SN_QI8)
        return SN_OK;
    return sn_import_unary(x, "Codes", sn_format(x->a, "%s.codes", v->name),
                           *out, out);
}

/* Codes of a form in the graph, as type t. */
SnStatus
sn_import_relabelled(SnImport *x, const SnImportVal *v, SnRef in,
                     const SnType *t, SnRef *out)
{
    const SnType *has = sn_type(x->g, in);

    *out = in;
    if (has == t)
        return SN_OK;
    if (t->elem != SN_QI8 || t->axis >= 0 ||
        (has->elem != SN_QI8 && has->elem != SN_I8))
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "reads '%s' with another scale or zero point than "
            "it was written with",
            v->name);
    if (has->elem == SN_QI8)
        SN_TRY(sn_import_unary(x, "Codes", sn_format(x->a, "%s.codes", v->name),
                               in, out));
    return sn_import_node(x, "Label", sn_format(x->a, "%s.label", v->name), 1,
                          out, NULL, t, out);
}

static SnStatus
known_operand(SnImport *x, const SnImportVal *v, const SnImportScales *q,
              const int *perm, SnRef *out)
{
    const SnData *t = v->data;
    const SnType *type = sn_import_scales_type(x, q, v->rank, perm);
    const SnShape *shape;
    uint8_t *p;
    size_t n;

    if (perm != NULL)
        SN_TRY(sn_import_permuted(x, t, perm, &t));
    shape = sn_shape(x->g->pool, t->rank, t->dim);
    if (type == NULL || shape == NULL)
        return sn_import_fail(x, SN_EINPUT,
                              "'%s': scale, zero point or shape out "
                              "of range",
                              v->name);
    n = sn_data_nbyte(t);
    p = sn_memdup(x->a, t->data, n);
    if (q->u8)
        sn_import_shift_codes(t->dtype, p, n);
    return sn_import_constant(x, v->name, type, shape, p, out);
}

SnStatus
sn_import_codes(SnImport *x, uint32_t i, int axis, const int *perm, SnRef *out)
{
    SnImportVal *v = sn_import_in(x, i);
    uint32_t is, iz;
    SnImportScales q;
    SnDtype codes;
    SnRef in;

    if (v == NULL)
        return sn_import_fail(x, SN_EINPUT, "input %" PRIu32 " is missing", i);
    if (!sn_import_code_slot(x->n, i, &is, &iz))
        sn_bug("onnx: %s: input %" PRIu32 " is no codes", x->op.name, i);
    SN_TRY(sn_import_codes_of(x, v, &codes));
    SN_TRY(sn_import_scales(x, axis >= 0 ? v : NULL, codes, is, iz, axis, &q));
    if (v->data != NULL)
        return known_operand(x, v, &q, perm, out);
    if (v->waits)
        SN_TRY(sn_import_make_input(x, v, &q));
    if (perm != NULL)
        SN_TRY(sn_import_get(x, v, perm, &in));
    else
        SN_TRY(sn_import_plain(x, v, &in));
    return sn_import_relabelled(
        x, v, in, sn_import_scales_type(x, &q, v->rank, perm), out);
}

SnStatus
sn_import_code_type(SnImport *x, uint32_t scale, uint32_t zp,
                    const SnType **out)
{
    SnImportVal *zv = sn_import_in(x, zp);
    const SnData *z = zv != NULL ? sn_import_const(x, zv) : NULL;
    SnDtype codes = SN_D_U8;
    SnImportScales q;

    if (zv != NULL && z == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "scale and zero point must be constant");
    if (z != NULL)
        codes = z->dtype;
    if (codes != SN_D_U8 && codes != SN_D_I8)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "codes of type %s are not supported; uint8 and int8 "
            "are",
            sn_dtype_name(codes));
    SN_TRY(sn_import_scales(x, NULL, codes, scale, zp, 0, &q));
    *out = sn_import_scales_type(x, &q, 0, NULL);
    x->sign = q.u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    return SN_OK;
}

SnStatus
sn_import_code_numbers(SnImport *x, const char *name, SnRef in, bool u8,
                       SnElem to, SnRef *out)
{
    SnRef half;

    if (!u8)
        return sn_import_cast(x, name, in, to, out);
    SN_TRY(
        sn_import_cast(x, sn_format(x->a, "%s.signed", name), in, SN_I32, out));
    SN_TRY(sn_import_int_const(x, sn_format(x->a, "%s.128", name), SN_I32, 128,
                               &half));
    SN_TRY(sn_import_binary(
        x, "Add", to == SN_I32 ? name : sn_format(x->a, "%s.i32", name), *out,
        half, out));
    return sn_import_cast(x, name, *out, to, out);
}
