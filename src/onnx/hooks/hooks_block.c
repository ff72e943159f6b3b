// SPDX-License-Identifier: Apache-2.0
/* QuantizeLinear and DequantizeLinear with a scale for each block of elements
 * along an axis. No type has such scales: they are written out, one for each
 * element, and plain nodes use them. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

typedef struct Blocks {
    const SnImportVal *v;
    int64_t axis, size;
    const SnData *s, *z;     /* z may be NULL */
    int64_t dim[SN_MAXRANK]; /* of s and z */
} Blocks;

/* Input i, which must be constant. */
static SnStatus
constant(SnImport *x, uint32_t i, const SnData **t)
{
    SnImportVal *v;

    SN_TRY(sn_import_need(x, i, &v));
    *t = sn_import_const(x, v);
    if (*t == NULL)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "scales and zero points of blocks must be constant");
    return SN_OK;
}

static bool
fits(const Blocks *b, const SnData *t)
{
    bool ok = t->rank == b->v->rank;

    for (int i = 0; ok && i < t->rank; i++)
        ok = t->dim[i] == b->dim[i];
    return ok;
}

static SnStatus
read_blocks(SnImport *x, const SnImportVal *v, int64_t axis, int64_t size,
            SnDtype codes, Blocks *b)
{
    *b =
        (Blocks){.v = v, .axis = axis + (axis < 0 ? v->rank : 0), .size = size};
    if (size < 1 || b->axis < 0 || b->axis >= v->rank)
        return sn_import_fail(
            x, SN_EINPUT, "blocks of %" PRId64 " along axis %" PRId64 " of %d",
            size, axis, v->rank);
    memcpy(b->dim, v->dim, sizeof b->dim);
    b->dim[b->axis] = v->dim[b->axis] / size + (v->dim[b->axis] % size != 0);
    SN_TRY(constant(x, 1, &b->s));
    if (sn_import_in(x, 2) != NULL)
        SN_TRY(constant(x, 2, &b->z));
    if (b->s->dtype != SN_D_F32)
        return sn_import_fail(x, SN_EUNSUPPORTED, "scales %s, f32 is supported",
                              sn_dtype_name(b->s->dtype));
    if (b->z != NULL && b->z->dtype != codes)
        return sn_import_fail(x, SN_EINPUT, "a zero point %s for codes %s",
                              sn_dtype_name(b->z->dtype), sn_dtype_name(codes));
    if (!fits(b, b->s) || (b->z != NULL && !fits(b, b->z)))
        return sn_import_fail(
            x, SN_EINPUT,
            "scales or zero points are not one for each block "
            "of %" PRId64 " along axis %" PRId64 " of '%s'",
            size, b->axis, v->name);
    for (int64_t i = 0; i < sn_data_count(b->s); i++) {
        const char *why =
            sn_type_why(SN_QI8, ((const float *)b->s->data)[i], 0);
        if (why != NULL)
            return sn_import_fail(x, SN_EINPUT, "scale %g: %s",
                                  (double)((const float *)b->s->data)[i], why);
    }
    return SN_OK;
}

/* The block of element k. */
static int64_t
block_of(const Blocks *b, int64_t k)
{
    int64_t at = 0, stride = 1;

    for (int i = b->v->rank - 1; i >= 0; i--) {
        int64_t c = k % b->v->dim[i];
        k /= b->v->dim[i];
        at += (i == b->axis ? c / b->size : c) * stride;
        stride *= b->dim[i];
    }
    return at;
}

/* A constant with one number of t for each element; t NULL: zeros. */
static SnStatus
spread(SnImport *x, const Blocks *b, const SnData *t, const char *part,
       SnRef *out)
{
    int64_t n = sn_dims_count(b->v->rank, b->v->dim);
    float *p;

    SN_TRY(sn_import_reals_room(x, b->v->rank, b->v->dim, &p));
    for (int64_t k = 0; t != NULL && k < n; k++)
        p[k] = (float)sn_data_real(t, block_of(b, k));
    return sn_import_reals_const(x, sn_import_part(x, part), b->v->rank,
                                 b->v->dim, p, out);
}

SnStatus
sn_import_quantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                          int64_t size, SnDtype codes)
{
    Blocks b;
    SnRef in, s, z, y;

    if (codes != SN_D_U8 && codes != SN_D_I8)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "blocks of %s codes are not supported; uint8 and "
                              "int8 are",
                              sn_dtype_name(codes));
    SN_TRY(read_blocks(x, v, axis, size, codes, &b));
    SN_TRY(spread(x, &b, b.s, "scale", &s));
    SN_TRY(spread(x, &b, b.z, "zp", &z));
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(sn_import_quantized_by(x, sn_import_name(x, 0), in, s, z,
                                  codes == SN_D_U8, &y));
    return sn_import_put(x, 0, y);
}

/* Codes that are known become the reals they mean. */
static SnStatus
put_known(SnImport *x, const Blocks *b)
{
    const SnData *t = b->v->data;
    int64_t n = sn_data_count(t);
    SnData *r;

    SN_TRY(sn_import_new_data(x, SN_D_F32, t->rank, t->dim, &r));
    for (int64_t k = 0; k < n; k++) {
        int64_t at = block_of(b, k);
        int64_t z = b->z != NULL ? sn_data_int(b->z, at) : 0;
        ((float *)(uintptr_t)r->data)[k] =
            (float)(sn_data_int(t, k) - z) * ((const float *)b->s->data)[at];
    }
    return sn_import_put_data(x, 0, r);
}

SnStatus
sn_import_dequantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                            int64_t size, SnDtype codes)
{
    Blocks b;
    SnRef in, s, z, y;

    SN_TRY(sn_import_plain_input(x, v));
    SN_TRY(read_blocks(x, v, axis, size, codes, &b));
    if (v->data != NULL)
        return put_known(x, &b);
    SN_TRY(sn_import_plain_codes(x, v, &in));
    SN_TRY(spread(x, &b, b.s, "scale", &s));
    SN_TRY(spread(x, &b, b.z, "zp", &z));
    SN_TRY(sn_import_code_numbers(x, sn_import_part(x, "f32"), in, v->u8,
                                  SN_F32, &y));
    SN_TRY(sn_import_binary(x, "Sub", sn_import_part(x, "moved"), y, z, &y));
    SN_TRY(sn_import_binary(x, "Mul", sn_import_name(x, 0), y, s, &y));
    return sn_import_put(x, 0, y);
}
