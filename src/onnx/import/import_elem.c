// SPDX-License-Identifier: Apache-2.0
/* Element types that a graph does not have: other reals become f32, other
 * integers the next wider type. */
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include "onnx/proto/tensor_pb.h"
#include "sn_kind_save.h"

/* FLOAT16, BFLOAT16 and DOUBLE, by number of TensorProto.DataType. */
static bool
other_real(int64_t number)
{
    return number == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16 ||
           number == ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16 ||
           number == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
}

SnDtype
sn_import_dtype(SnImport *x, int64_t number, const char **name)
{
    SnDtype t = sn_onnx_dtype(number, name);

    if (!other_real(number))
        return t;
    x->other_real = *name;
    return SN_D_F32;
}

int32_t
sn_import_boundary(const Onnx__ValueInfoProto *vi)
{
    if (vi == NULL || vi->type == NULL ||
        vi->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return SN_SAVE_BOUNDARY_NONE;
    switch (vi->type->tensor_type->elem_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
        return SN_SAVE_BOUNDARY_F16;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
        return SN_SAVE_BOUNDARY_BF16;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        return SN_SAVE_BOUNDARY_F64;
    default:
        return SN_SAVE_BOUNDARY_NONE;
    }
}

static SnStatus
to_f32(SnImport *x, SnData *t)
{
    int64_t n = sn_data_count(t);
    SnData *r;
    float *p;

    SN_TRY(sn_import_new_data(x, SN_D_F32, t->rank, t->dim, &r));
    p = (float *)(uintptr_t)r->data;
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)sn_data_real(t, i);
    *t = *r;
    return SN_OK;
}

SnStatus
sn_import_tensor_pb(SnImport *x, const Onnx__TensorProto *t, const char *where,
                    SnData *out)
{
    const char *name;

    SN_TRY(sn_tensor_pb(x->a, t, x->dir, where, x->d, out));
    (void)sn_import_dtype(x, t->data_type, &name);
    if (out->dtype == SN_D_F16 || out->dtype == SN_D_F64)
        return to_f32(x, out);
    return SN_OK;
}

SnStatus
sn_import_wider(SnImport *x, const char *name, const SnData **t)
{
    const SnData *in = *t;
    int64_t n = sn_data_count(in);
    SnDtype to = in->dtype == SN_D_I16 || in->dtype == SN_D_U16   ? SN_D_I32
                 : in->dtype == SN_D_U32 || in->dtype == SN_D_U64 ? SN_D_I64
                                                                  : SN_D_NONE;
    SnData *r;

    if (to == SN_D_NONE)
        return SN_OK;
    SN_TRY(sn_import_new_data(x, to, in->rank, in->dim, &r));
    for (int64_t i = 0; i < n; i++) {
        int64_t v = sn_data_int(in, i);
        if (in->dtype == SN_D_U64 &&
            ((const uint64_t *)in->data)[i] > (uint64_t)INT64_MAX)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "'%s' holds an integer above 2^63 - 1", name);
        if (to == SN_D_I64)
            ((int64_t *)(uintptr_t)r->data)[i] = v;
        else
            ((int32_t *)(uintptr_t)r->data)[i] = (int32_t)v;
    }
    *t = r;
    return SN_OK;
}

SnDtype
sn_import_dtype_of(const SnType *t)
{
    switch (t->elem) {
    case SN_F32:
        return SN_D_F32;
    case SN_I8:
        return SN_D_I8;
    case SN_I32:
        return SN_D_I32;
    case SN_I64:
        return SN_D_I64;
    case SN_BOOL:
        return SN_D_BOOL;
    default:
        return SN_D_NONE;
    }
}
