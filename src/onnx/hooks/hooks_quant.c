// SPDX-License-Identifier: Apache-2.0
/* QuantizeLinear and DequantizeLinear. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>
#include "onnx/proto/tensor_pb.h"

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
    SN_TRY(sn_import_scales(x, v, codes, 1, 2, axis, &q));
    if (q.axis > 0 && q.elem == SN_QI8)
        return quantize_along(x, v, &q);
    type = sn_import_scales_type(x, &q, v->rank, NULL);
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
    SN_TRY(sn_import_codes_of(x, v, &codes));
    if (block != 0)
        return sn_import_dequantize_blocks(x, v, axis, block, codes);
    if (dynamic(x))
        return dequantize_dynamic(x, v);
    SN_TRY(sn_import_scales(x, v, codes, 1, 2, axis, &q));
    if (v->data != NULL)
        return known_codes(x, v, &q);
    if (v->waits)
        SN_TRY(sn_import_make_input(x, v, &q));
    SN_TRY(sn_import_plain(x, v, &in));
    if (sn_type(x->g, in)->elem == SN_I32 ||
        (q.axis > 0 && sn_type(x->g, in)->elem == SN_I8))
        return dequantize_along(x, v, &q);
    SN_TRY(sn_import_relabelled(
        x, v, in, sn_import_scales_type(x, &q, v->rank, NULL), &in));
    s.name = sn_import_name(x, 0);
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}
