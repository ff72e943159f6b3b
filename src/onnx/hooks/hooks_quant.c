// SPDX-License-Identifier: Apache-2.0
/* Scales of codes, QuantizeLinear and DequantizeLinear. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>
#include "onnx/proto/tensor_pb.h"
#include "sn_kind_placeholder.h"

/* ---- which inputs are codes ---- */

typedef struct Slots { /* input `code` has scale and zp; step: repeated */
    const char *op;
    uint32_t code, scale, zp, step;
} Slots;

static const Slots slots[] = {
    {"DequantizeLinear", 0, 1, 2, 0},
    {"com.microsoft:DequantizeLinear", 0, 1, 2, 0},
    {"QLinearConv", 0, 1, 2, 0},
    {"QLinearConv", 3, 4, 5, 0},
    {"com.microsoft:QLinearConv", 0, 1, 2, 0},
    {"com.microsoft:QLinearConv", 3, 4, 5, 0},
    {"QLinearMatMul", 0, 1, 2, 0},
    {"QLinearMatMul", 3, 4, 5, 0},
    {"com.microsoft:QGemm", 0, 1, 2, 0},
    {"com.microsoft:QGemm", 3, 4, 5, 0},
    {"com.microsoft:QLinearAdd", 0, 1, 2, 0},
    {"com.microsoft:QLinearAdd", 3, 4, 5, 0},
    {"com.microsoft:QLinearMul", 0, 1, 2, 0},
    {"com.microsoft:QLinearMul", 3, 4, 5, 0},
    {"com.microsoft:QLinearAveragePool", 0, 1, 2, 0},
    {"com.microsoft:QLinearGlobalAveragePool", 0, 1, 2, 0},
    {"com.microsoft:QLinearReduceMean", 0, 1, 2, 0},
    {"com.microsoft:QLinearSigmoid", 0, 1, 2, 0},
    {"com.microsoft:QLinearLeakyRelu", 0, 1, 2, 0},
    {"com.microsoft:QLinearSoftmax", 0, 1, 2, 0},
    {"com.microsoft:QLinearWhere", 1, 2, 3, 0},
    {"com.microsoft:QLinearWhere", 4, 5, 6, 0},
    {"com.microsoft:QLinearConcat", 2, 3, 4, 3},
};

bool
sn_import_code_slot(const Onnx__NodeProto *n, uint32_t i, uint32_t *scale,
                    uint32_t *zp)
{
    for (size_t k = 0; k < sizeof slots / sizeof slots[0]; k++) {
        const Slots *s = &slots[k];
        uint32_t by = s->step != 0 && i >= s->code ? i - s->code : 0;
        if (i != s->code && (by == 0 || by % s->step != 0))
            continue;
        if (!sn_onnx_is(sn_import_op_of(n), s->op))
            continue;
        *scale = s->scale + by;
        *zp = s->zp + by;
        return true;
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
static SnStatus
read_scales(SnImport *x, const SnImportVal *v, SnDtype codes, uint32_t is,
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
static const SnType *
scales_type(SnImport *x, const SnImportScales *q, int rank, const int *perm)
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
static SnStatus
make_input(SnImport *x, SnImportVal *v, const SnImportScales *q)
{
    SnPlaceholderAttr attr = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    const SnType *type = q->axis > 0 ? sn_type_plain(x->g->pool, SN_I8)
                                     : scales_type(x, q, v->rank, NULL);
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

    return v->waits ? make_input(x, v, &q) : SN_OK;
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
    SN_TRY(read_scales(x, v, v->u8 ? SN_D_U8 : SN_D_I8, is, iz, axis, &q));
    return make_input(x, v, &q);
}

/* ---- codes as operands ---- */

/* The file's element type of a value of codes. */
static SnStatus
codes_of(SnImport *x, const SnImportVal *v, SnDtype *out)
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
static SnStatus
relabelled(SnImport *x, const SnImportVal *v, SnRef in, const SnType *t,
           SnRef *out)
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
    const SnType *type = scales_type(x, q, v->rank, perm);
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
    SN_TRY(codes_of(x, v, &codes));
    SN_TRY(read_scales(x, axis >= 0 ? v : NULL, codes, is, iz, axis, &q));
    if (v->data != NULL)
        return known_operand(x, v, &q, perm, out);
    if (v->waits)
        SN_TRY(make_input(x, v, &q));
    if (perm != NULL)
        SN_TRY(sn_import_get(x, v, perm, &in));
    else
        SN_TRY(sn_import_plain(x, v, &in));
    return relabelled(x, v, in, scales_type(x, &q, v->rank, perm), out);
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
    SN_TRY(read_scales(x, NULL, codes, scale, zp, 0, &q));
    *out = scales_type(x, &q, 0, NULL);
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

/* ---- QuantizeLinear ---- */

/* The element type that a QuantizeLinear writes. */
static SnStatus
code_dtype(SnImport *x, SnDtype *out)
{
    SnImportVal *zv = sn_import_in(x, 2);
    const SnData *z = zv != NULL ? sn_import_const(x, zv) : NULL;
    const char *name = "UINT8";
    int64_t stated;

    SN_TRY(sn_import_int(x, "output_dtype", 0, &stated));
    *out = SN_D_U8;
    if (stated != 0)
        *out = sn_onnx_dtype(stated, &name);
    if (z != NULL) {
        if (stated != 0 && *out != z->dtype)
            return sn_import_fail(x, SN_EINPUT,
                                  "writes %s, its zero point is %s", name,
                                  sn_dtype_name(z->dtype));
        *out = z->dtype;
        if (z->bits == 4)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "codes of 4 bits are supported as constants "
                                  "only");
    } else if (zv != NULL && zv->form != NULL) {
        *out = zv->u8 ? SN_D_U8 : SN_D_I8;
    }
    if (*out != SN_D_U8 && *out != SN_D_I8 && *out != SN_D_I16 &&
        *out != SN_D_U16)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "codes of type %s are not supported; uint8, int8, "
            "uint16 and int16 are",
            stated != 0 ? name : sn_dtype_name(*out));
    return SN_OK;
}

/* Is scale or zero point worked out at run time? */
static bool
dynamic(SnImport *x)
{
    SnImportVal *s = sn_import_in(x, 1), *z = sn_import_in(x, 2);

    return s != NULL && !s->waits &&
           (sn_import_const(x, s) == NULL ||
            (z != NULL && !z->waits && sn_import_const(x, z) == NULL));
}

/* Input i, a scale or the zero point of 8-bit codes, as one f32. */
static SnStatus
one_number(SnImport *x, uint32_t i, SnRef *out)
{
    SnImportVal *v = sn_import_in(x, i);

    if (v == NULL)
        return sn_import_scalar(x, sn_import_part(x, "zero"), 0, out);
    SN_TRY(sn_import_need(x, i, &v));
    if (sn_dims_count(v->rank, v->dim) != 1)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "'%s' must be constant or one number", v->name);
    SN_TRY(sn_import_plain_codes(x, v, out));
    SN_TRY(sn_import_reshaped(x, sn_format(x->a, "%s.one", v->name), *out, 0,
                              NULL, out));
    return sn_import_code_numbers(x, sn_format(x->a, "%s.f32", v->name), *out,
                                  v->u8, SN_F32, out);
}

/* rne(v / scale) + zp, saturated, as plain codes. */
SnStatus
sn_import_quantized_by(SnImport *x, const char *name, SnRef v, SnRef scale,
                       SnRef zp, bool u8, SnRef *out)
{
    const SnType *t = sn_type_quant(x->g->pool, SN_QI8, 1, u8 ? -128 : 0);

    SN_TRY(sn_import_binary(x, "Div", sn_format(x->a, "%s.scaled", name), v,
                            scale, out));
    SN_TRY(sn_import_unary(x, "Round", sn_format(x->a, "%s.round", name), *out,
                           out));
    SN_TRY(sn_import_binary(x, "Add", sn_format(x->a, "%s.shifted", name), *out,
                            zp, out));
    SN_TRY(sn_import_node(x, "Quantize", sn_format(x->a, "%s.saturated", name),
                          1, out, NULL, t, out));
    x->sign = u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    return sn_import_unary(x, "Codes", name, *out, out);
}

static SnStatus
quantize_dynamic(SnImport *x, SnImportVal *v, SnDtype codes)
{
    SnRef in, scale, zp, y;

    if (codes == SN_D_I16 || codes == SN_D_U16)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "scale and zero point must be constant");
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(one_number(x, 1, &scale));
    SN_TRY(one_number(x, 2, &zp));
    SN_TRY(sn_import_quantized_by(x, sn_import_name(x, 0), in, scale, zp,
                                  codes == SN_D_U8, &y));
    return sn_import_put(x, 0, y);
}

/* Scales and zero points as constants along their axis. */
static SnStatus
along_axis(SnImport *x, const SnImportVal *v, const SnImportScales *q,
           SnRef *scale, SnRef *zp)
{
    int64_t dim[SN_MAXRANK];
    float *z = SN_NEW_N(x->a, float, q->n);

    for (int i = 0; i < v->rank; i++)
        dim[i] = i == q->axis ? v->dim[i] : 1;
    for (uint32_t i = 0; i < q->n; i++)
        z[i] = (float)(q->zp[i] + (q->u8 ? 128 : 0));
    SN_TRY(sn_import_reals_const(x, sn_import_part(x, "scale"),
                                 q->axis < 0 ? 0 : v->rank, dim, q->scale,
                                 scale));
    return sn_import_reals_const(x, sn_import_part(x, "zp"),
                                 q->axis < 0 ? 0 : v->rank, dim, z, zp);
}

/* A type has scales along its first axis only; others take plain nodes. */
static SnStatus
quantize_along(SnImport *x, SnImportVal *v, const SnImportScales *q)
{
    SnRef in, scale, zp, y;

    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(along_axis(x, v, q, &scale, &zp));
    SN_TRY(sn_import_quantized_by(x, sn_import_name(x, 0), in, scale, zp, q->u8,
                                  &y));
    return sn_import_put(x, 0, y);
}

SnStatus
sn_onnx_quantize(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnImportScales q;
    SnDtype codes;
    const SnType *type;
    SnRef in, out;
    int64_t axis, block;
    SnSpec s = {.kind = c->desc->kind, .nin = 1, .in = &in, .type = &type};

    sn_import_ignore(x, "saturate"); /* for float8 only */
    SN_TRY(sn_import_int(x, "block_size", 0, &block));
    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(code_dtype(x, &codes));
    SN_TRY(sn_import_int(x, "axis", 1, &axis));
    if (block != 0)
        return sn_import_quantize_blocks(x, v, axis, block, codes);
    if (dynamic(x))
        return quantize_dynamic(x, v, codes);
    SN_TRY(read_scales(x, v, codes, 1, 2, axis, &q));
    if (q.axis > 0 && q.elem == SN_QI8)
        return quantize_along(x, v, &q);
    type = scales_type(x, &q, v->rank, NULL);
    if (type == NULL)
        return sn_import_fail(x, SN_EINPUT, "scale or zero point out of range");
    SN_TRY(sn_import_plain(x, v, &in));
    s.name = sn_import_name(x, 0);
    SN_TRY(sn_import_add(x, &s, &out));
    x->sign = q.u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    return sn_import_put(x, 0, out);
}

/* ---- DequantizeLinear ---- */

/* Codes that are known: a Constant where the value is wanted, in the layout
 * that is wanted. */
static SnStatus
known_codes(SnImport *x, SnImportVal *v, const SnImportScales *q)
{
    SnImportVal *y = sn_import_out(x, 0);

    if (y == NULL)
        return SN_OK;
    y->made = true;
    y->rank = v->rank;
    memcpy(y->dim, v->dim, sizeof y->dim);
    y->data = v->data;
    y->data_name = v->name;
    y->q = sn_memdup(x->a, q, sizeof *q);
    return SN_OK;
}

/* (codes - zp) * scale, by nodes on plain numbers. */
static SnStatus
dequantize_plain(SnImport *x, SnImportVal *v, SnRef scale, SnRef zp)
{
    SnRef in, y;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_plain_codes(x, v, &in));
    SN_TRY(sn_import_code_numbers(x, sn_import_part(x, "f32"), in, v->u8,
                                  SN_F32, &y));
    if (zp != 0)
        SN_TRY(
            sn_import_binary(x, "Sub", sn_import_part(x, "moved"), y, zp, &y));
    SN_TRY(sn_import_binary(x, "Mul", sn_import_name(x, 0), y, scale, &y));
    return sn_import_put(x, 0, y);
}

static SnStatus
dequantize_dynamic(SnImport *x, SnImportVal *v)
{
    SnRef scale, zp = 0;

    SN_TRY(one_number(x, 1, &scale));
    if (sn_import_in(x, 2) != NULL)
        SN_TRY(one_number(x, 2, &zp));
    return dequantize_plain(x, v, scale, zp);
}

/* int32 without a scale of its own (sums of MatMulInteger, for example), and
 * scales along an axis that a type cannot have. */
static SnStatus
dequantize_along(SnImport *x, SnImportVal *v, const SnImportScales *q)
{
    SnRef scale, zp;

    SN_TRY(along_axis(x, v, q, &scale, &zp));
    return dequantize_plain(x, v, scale, q->elem == SN_QI32 ? 0 : zp);
}

SnStatus
sn_onnx_dequantize(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v = sn_import_in(x, 0);
    SnImportScales q;
    SnDtype codes;
    SnRef in, y;
    int64_t axis, to, block;
    const char *name;
    SnSpec s = {.kind = c->desc->kind, .nin = 1, .in = &in};

    if (v == NULL)
        return sn_import_fail(x, SN_EINPUT, "input 0 is missing");
    SN_TRY(sn_import_int(x, "axis", 1, &axis));
    SN_TRY(sn_import_int(x, "block_size", 0, &block));
    SN_TRY(sn_import_int(x, "output_dtype", 0, &to));
    if (to != 0 && sn_import_dtype(x, to, &name) != SN_D_F32)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "attribute 'output_dtype' is %s, reals are "
                              "supported",
                              name);
    SN_TRY(codes_of(x, v, &codes));
    if (block != 0)
        return sn_import_dequantize_blocks(x, v, axis, block, codes);
    if (dynamic(x))
        return dequantize_dynamic(x, v);
    SN_TRY(read_scales(x, v, codes, 1, 2, axis, &q));
    if (v->data != NULL)
        return known_codes(x, v, &q);
    if (v->waits)
        SN_TRY(make_input(x, v, &q));
    SN_TRY(sn_import_plain(x, v, &in));
    if (sn_type(x->g, in)->elem == SN_I32 ||
        (q.axis > 0 && sn_type(x->g, in)->elem == SN_I8))
        return dequantize_along(x, v, &q);
    SN_TRY(relabelled(x, v, in, scales_type(x, &q, v->rank, NULL), &in));
    s.name = sn_import_name(x, 0);
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}
