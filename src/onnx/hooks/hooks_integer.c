// SPDX-License-Identifier: Apache-2.0
/* Operators on plain integers, and those that give reals from them. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>

/* Input i less the zero point at input iz, which lies along an axis of the
 * operand (or is one number); as int32. */
static SnStatus
centred(SnImport *x, uint32_t i, uint32_t iz, int axis, SnRef *out)
{
    SnImportVal *v, *z = sn_import_in(x, iz);
    int64_t dim[SN_MAXRANK], n;
    const char *name;
    SnRef in[2];

    SN_TRY(sn_import_need(x, i, &v));
    name = sn_format(x->a, "%s.centred", v->name);
    SN_TRY(sn_import_plain_codes(x, v, &in[0]));
    if (sn_type(x->g, in[0])->elem != SN_I8)
        return sn_import_fail(x, SN_EINPUT, "'%s' is neither uint8 nor int8",
                              v->name);
    if (z == NULL)
        return sn_import_code_numbers(x, name, in[0], v->u8, SN_I32, out);
    SN_TRY(sn_import_need(x, iz, &z));
    SN_TRY(sn_import_plain_codes(x, z, &in[1]));
    if (sn_type(x->g, in[1])->elem != SN_I8 || z->u8 != v->u8)
        return sn_import_fail(x, SN_EINPUT,
                              "zero point '%s' and '%s' are of unlike types",
                              z->name, v->name);
    n = sn_dims_count(z->rank, z->dim);
    axis += axis < 0 ? v->rank : 0;
    if (n != 1 && (axis < 0 || n != v->dim[axis]))
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "%" PRId64
                              " zero points do not fit axis %d of '%s'",
                              n, axis, v->name);
    for (int k = 0; k < v->rank; k++)
        dim[k] = n != 1 && k == axis ? n : 1;
    SN_TRY(sn_import_reshaped(x, sn_format(x->a, "%s.spread", z->name), in[1],
                              n == 1 ? 0 : v->rank, dim, &in[1]));
    return sn_import_binary(x, "CodeDifference", name, in[0], in[1], out);
}

SnStatus
sn_onnx_matmul_integer(SnImport *x, const SnImportCall *c)
{
    SnRef a, b, y;

    SN_TRY(centred(x, 0, 2, -2, &a));
    SN_TRY(centred(x, 1, 3, -1, &b));
    SN_TRY(sn_import_binary(x, sn_desc(c->desc->kind)->name,
                            sn_import_name(x, 0), a, b, &y));
    return sn_import_put(x, 0, y);
}

SnStatus
sn_onnx_conv_integer(SnImport *x, const SnImportCall *c)
{
    SnKind conv, k = c->desc->kind;
    int perm[SN_MAXRANK];
    SnRef in[2], y;
    void *attr;

    SN_TRY(sn_import_kind(x, "Conv2D", &conv));
    SN_TRY(centred(x, 0, 2, -1, &in[0]));
    SN_TRY(centred(x, 1, 3, 0, &in[1]));
    if (sn_shape_of(x->g, in[0])->rank != 4 ||
        sn_shape_of(x->g, in[1])->rank != 4)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "only two-dimensional pictures are supported");
    sn_import_last_perm(4, perm);
    for (int i = 0; i < 2; i++)
        SN_TRY(sn_import_permute(x, sn_import_part(x, i == 0 ? "x" : "w"),
                                 in[i], 4, perm, &in[i]));
    SN_TRY(sn_import_entry_attrs(x, sn_import_entries(conv, "Conv"), k, 2, in,
                                 &attr));
    SN_TRY(sn_import_node(x, sn_desc(k)->name, sn_import_name(x, 0), 2, in,
                          attr, NULL, &y));
    return sn_import_put_last(x, 0, y);
}

/* Reals as uint8 codes of their own range: out[0] plain codes, out[1] their
 * scale (max - min) / 255, or 1; out[2] the zero point rne(clamp(0 - min /
 * scale)), as plain codes.  What each is called, or NULL. */
static SnStatus
dynamic_codes(SnImport *x, SnRef in, const char *const *name, SnRef *out)
{
    SnRef lo, hi, zero, one, flat, r;

    SN_TRY(sn_import_scalar(x, sn_import_part(x, "zero"), 0, &zero));
    SN_TRY(sn_import_scalar(x, sn_import_part(x, "one"), 1, &one));
    SN_TRY(sn_import_unary(x, "ReduceMin", sn_import_part(x, "min"), in, &lo));
    SN_TRY(sn_import_unary(x, "ReduceMax", sn_import_part(x, "max"), in, &hi));
    SN_TRY(sn_import_reshaped(x, sn_import_part(x, "low"), lo, 0, NULL, &lo));
    SN_TRY(sn_import_reshaped(x, sn_import_part(x, "high"), hi, 0, NULL, &hi));
    SN_TRY(sn_import_binary(x, "Min", sn_import_part(x, "lo"), lo, zero, &lo));
    SN_TRY(sn_import_binary(x, "Max", sn_import_part(x, "hi"), hi, zero, &hi));
    SN_TRY(sn_import_binary(x, "Sub", sn_import_part(x, "span"), hi, lo, &r));
    SN_TRY(sn_import_scalar(x, sn_import_part(x, "255"), 255, &out[1]));
    SN_TRY(
        sn_import_binary(x, "Div", sn_import_part(x, "step"), r, out[1], &r));
    SN_TRY(sn_import_binary(x, "Equal", sn_import_part(x, "flat"), r, zero,
                            &flat));
    SnRef pick[3] = {flat, one, r};
    SN_TRY(sn_import_node(x, "Where", name[1], 3, pick, NULL, NULL, &out[1]));
    SN_TRY(sn_import_binary(x, "Sub", sn_import_part(x, "down"), zero, lo, &r));
    SN_TRY(sn_import_quantized_by(x, name[2], r, out[1], zero, true, &out[2]));
    SN_TRY(sn_import_code_numbers(x, sn_import_part(x, "zp_f32"), out[2], true,
                                  SN_F32, &r));
    return sn_import_quantized_by(x, name[0], in, out[1], r, true, &out[0]);
}

SnStatus
sn_onnx_dynamic_quantize(SnImport *x, const SnImportCall *c)
{
    const char *name[3] = {sn_import_name(x, 0), sn_import_name(x, 1),
                           sn_import_part(x, "zp")};
    SnImportVal *v;
    SnRef in, y[3];

    (void)c;
    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(dynamic_codes(x, in, name, y));
    for (uint32_t k = 0; k < 3; k++)
        SN_TRY(sn_import_put(x, k, y[k]));
    return SN_OK;
}

/* ---- real results ---- */

/* sums * (factor * scale at input ib), then the bias at input ic (0: none);
 * as result 0. */
static SnStatus
put_scaled(SnImport *x, SnRef sums, SnRef factor, uint32_t ib, uint32_t ic)
{
    const char *name = sn_import_name(x, 0);
    SnImportVal *v, *c = ic != 0 ? sn_import_in(x, ic) : NULL;
    SnRef y, r;

    SN_TRY(sn_import_need(x, ib, &v));
    SN_TRY(sn_import_plain(x, v, &r));
    SN_TRY(
        sn_import_binary(x, "Mul", sn_import_part(x, "factor"), factor, r, &r));
    SN_TRY(sn_import_cast(x, sn_import_part(x, "sums_f32"), sums, SN_F32, &y));
    SN_TRY(sn_import_binary(
        x, "Mul", c == NULL ? name : sn_import_part(x, "scaled"), y, r, &y));
    if (c == NULL)
        return sn_import_put(x, 0, y);
    SN_TRY(sn_import_need(x, ic, &c));
    SN_TRY(sn_import_plain(x, c, &r));
    SN_TRY(sn_import_binary(x, "Add", name, y, r, &y));
    return sn_import_put(x, 0, y);
}

/* A, B, scale of A, scale of B, zero points of A and B, bias: the last three
 * may be missing. */
SnStatus
sn_onnx_matmul_to_real(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnRef a, b, y;

    SN_TRY(centred(x, 0, 4, -2, &a));
    SN_TRY(centred(x, 1, 5, -1, &b));
    SN_TRY(sn_import_binary(x, sn_desc(c->desc->kind)->name,
                            sn_import_name(x, 0), a, b, &y));
    SN_TRY(sn_import_need(x, 2, &v));
    SN_TRY(sn_import_plain(x, v, &a));
    return put_scaled(x, y, a, 3, 6);
}

/* A (reals), B, scale of B, zero point of B, bias: the last two may be
 * missing. */
SnStatus
sn_onnx_dynamic_matmul(SnImport *x, const SnImportCall *c)
{
    const char *name[3] = {sn_import_part(x, "a"), sn_import_part(x, "a_scale"),
                           sn_import_part(x, "a_zp")};
    SnImportVal *v;
    SnRef in, b, y, code[3];

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(dynamic_codes(x, in, name, code));
    SN_TRY(sn_import_binary(x, "CodeDifference", sn_import_part(x, "a_centred"),
                            code[0], code[2], &in));
    SN_TRY(centred(x, 1, 3, -1, &b));
    SN_TRY(sn_import_binary(x, sn_desc(c->desc->kind)->name,
                            sn_import_name(x, 0), in, b, &y));
    return put_scaled(x, y, code[1], 2, 4);
}

/* Input i as a matrix with the zero point after it; columns of the zero point
 * lie along the operand's second axis, or its first where it is transposed. */
static SnStatus
transposed(SnImport *x, uint32_t i, bool transpose, SnRef *out)
{
    static const int swapped[] = {1, 0};

    SN_TRY(centred(x, i, i + 2, transpose ? 0 : 1, out));
    if (!transpose)
        return SN_OK;
    return sn_import_permute(x, sn_import_part(x, i == 0 ? "a" : "b"), *out, 2,
                             swapped, out);
}

SnStatus
sn_import_qgemm_real(SnImport *x, bool trans_a, bool trans_b, float alpha)
{
    SnImportVal *v, *c = sn_import_in(x, 6);
    SnKind k;
    SnRef a, b, f, y;

    SN_TRY(transposed(x, 0, trans_a, &a));
    SN_TRY(transposed(x, 3, trans_b, &b));
    SN_TRY(sn_import_kind(x, "IntegerMatMul", &k));
    SN_TRY(sn_import_node(x, sn_desc(k)->name, sn_import_part(x, "sums"), 2,
                          (SnRef[]){a, b}, NULL, NULL, &y));
    if (c != NULL) {
        SN_TRY(sn_import_need(x, 6, &c));
        SN_TRY(sn_import_plain(x, c, &b));
        SN_TRY(
            sn_import_binary(x, "Add", sn_import_part(x, "biased"), y, b, &y));
    }
    SN_TRY(sn_import_need(x, 1, &v));
    SN_TRY(sn_import_plain(x, v, &f));
    if (alpha != 1) {
        SN_TRY(sn_import_scalar(x, sn_import_part(x, "alpha"), alpha, &a));
        SN_TRY(
            sn_import_binary(x, "Mul", sn_import_part(x, "a_scale"), a, f, &f));
    }
    return put_scaled(x, y, f, 4, 0);
}
