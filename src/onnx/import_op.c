// SPDX-License-Identifier: Apache-2.0
/* Operators that make no node of their own: constants, shapes, and what does
 * nothing at inference. */
#include "onnx/import_op.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "onnx/hooks/hooks_all.h"
#include "onnx/import.h"
#include "onnx/proto/tensor_pb.h"

static SnStatus
put_ints(SnImport *x, int rank, int64_t n, const int64_t *v)
{
    SnData *r;

    SN_TRY(sn_import_new_data(x, SN_D_I64, rank, &n, &r));
    if (n > 0)
        memcpy((void *)(uintptr_t)r->data, v, (size_t)n * sizeof *v);
    return sn_import_put_data(x, 0, r);
}

static SnStatus
put_reals(SnImport *x, int rank, int64_t n, const float *v)
{
    SnData *r;

    SN_TRY(sn_import_new_data(x, SN_D_F32, rank, &n, &r));
    if (n > 0)
        memcpy((void *)(uintptr_t)r->data, v, (size_t)n * sizeof *v);
    return sn_import_put_data(x, 0, r);
}

static SnStatus
op_constant(SnImport *x)
{
    const SnData *t;
    SnInts ints;
    SnReals reals;
    int64_t i;
    float v;

    if (sn_import_has_attr(x, "value")) {
        SN_TRY(sn_import_tensor(x, "value", &t));
        return sn_import_put_data(x, 0, t);
    }
    if (sn_import_has_attr(x, "value_int")) {
        SN_TRY(sn_import_int(x, "value_int", 0, &i));
        return put_ints(x, 0, 1, &i);
    }
    if (sn_import_has_attr(x, "value_ints")) {
        SN_TRY(sn_import_ints(x, "value_ints", &ints));
        return put_ints(x, 1, ints.n, ints.v);
    }
    if (sn_import_has_attr(x, "value_float")) {
        SN_TRY(sn_import_real(x, "value_float", 0, &v));
        return put_reals(x, 0, 1, &v);
    }
    if (sn_import_has_attr(x, "value_floats")) {
        SN_TRY(sn_import_reals(x, "value_floats", &reals));
        return put_reals(x, 1, reals.n, reals.v);
    }
    return sn_import_fail(
        x, SN_EUNSUPPORTED,
        "no value that is a tensor, number or list of numbers");
}

static SnStatus
op_constant_of_shape(SnImport *x)
{
    static const float zero;
    const SnData *t;
    SnData *r;
    SnInts dims;
    int64_t dim[SN_MAXRANK];

    SN_TRY(sn_import_tensor(x, "value", &t));
    SN_TRY(sn_import_ints_in(x, 0, "the shape", &dims));
    if (dims.n > SN_MAXRANK)
        return sn_import_fail(x, SN_EUNSUPPORTED, "more than %d dimensions",
                              SN_MAXRANK);
    for (uint32_t i = 0; i < dims.n; i++)
        dim[i] = dims.v[i];
    if (t != NULL && sn_data_count(t) != 1)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'value' is not one value");
    SN_TRY(sn_import_splat(x, t != NULL ? t->dtype : SN_D_F32, (int)dims.n, dim,
                           t != NULL ? t->data : &zero, &r));
    return sn_import_put_data(x, 0, r);
}

static SnStatus
op_identity(SnImport *x)
{
    SnImportVal *v;

    SN_TRY(sn_import_need(x, 0, &v));
    return sn_import_alias(x, 0, v);
}

/* Which elements were kept: all. */
static SnStatus
put_mask(SnImport *x, const SnImportVal *v)
{
    SnData *r;

    if (sn_import_out(x, 1) == NULL)
        return SN_OK;
    SN_TRY(sn_import_new_data(x, SN_D_BOOL, v->rank, v->dim, &r));
    memset((void *)(uintptr_t)r->data, 1, sn_data_nbyte(r));
    return sn_import_put_data(x, 1, r);
}

static SnStatus
op_dropout(SnImport *x)
{
    SnImportVal *v;
    const SnData *t;
    float ratio;

    sn_import_ignore(x, "ratio");
    sn_import_ignore(x, "seed");
    v = sn_import_in(x, 2);
    t = v != NULL ? sn_import_const(x, v) : NULL;
    if (v != NULL &&
        (t == NULL || sn_data_count(t) != 1 || sn_data_int(t, 0) != 0)) {
        SN_TRY(sn_import_real_in(x, 1, "the ratio", 0.5F, &ratio));
        if (t == NULL || ratio != 0)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "training mode is not supported");
    }
    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(put_mask(x, v));
    return sn_import_alias(x, 0, v);
}

static SnStatus
op_shape(SnImport *x)
{
    SnImportVal *v;
    int64_t from, to;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "start", 0, &from));
    SN_TRY(sn_import_int(x, "end", v->rank, &to));
    from += from < 0 ? v->rank : 0;
    to += to < 0 ? v->rank : 0;
    from = from < 0 ? 0 : from > v->rank ? v->rank : from;
    to = to < from ? from : to > v->rank ? v->rank : to;
    return put_ints(x, 1, to - from, v->dim + from);
}

static SnStatus
op_size(SnImport *x)
{
    SnImportVal *v;
    int64_t n;

    SN_TRY(sn_import_need(x, 0, &v));
    n = sn_dims_count(v->rank, v->dim);
    return put_ints(x, 0, 1, &n);
}

static void
cast_element(const SnData *r, const SnData *t, int64_t i)
{
    void *p = (void *)(uintptr_t)r->data;

    switch (r->dtype) {
    case SN_D_F32:
        ((float *)p)[i] = (float)sn_data_real(t, i);
        break;
    case SN_D_I64:
        ((int64_t *)p)[i] = sn_data_int(t, i);
        break;
    case SN_D_I32:
        ((int32_t *)p)[i] = (int32_t)(uint32_t)(uint64_t)sn_data_int(t, i);
        break;
    case SN_D_BOOL:
        ((uint8_t *)p)[i] = sn_data_real(t, i) != 0;
        break;
    default:
        ((uint8_t *)p)[i] = (uint8_t)sn_data_int(t, i);
        break;
    }
}

/* The file's element type of a value. */
static SnDtype
elements_of(SnImport *x, const SnImportVal *v)
{
    if (v->q != NULL)
        return SN_D_F32;
    if (v->data != NULL)
        return v->data->bits == 4 ? SN_D_NONE : v->data->dtype;
    const SnType *t = sn_type(x->g, v->form->ref);
    switch (t->elem) {
    case SN_QI8:
    case SN_I8:
        return v->u8 ? SN_D_U8 : SN_D_I8;
    case SN_QI32:
        return SN_D_I32;
    default:
        return sn_import_dtype_of(t);
    }
}

static SnStatus
no_cast(SnImport *x, const SnImportVal *v, const char *name)
{
    return sn_import_fail(x, SN_EUNSUPPORTED,
                          "from %s to elements %s; FLOAT, INT8, UINT8, INT32, "
                          "INT64 and BOOL are supported",
                          sn_dtype_name(elements_of(x, v)), name);
}

/* A value that is worked out at run time. */
static SnStatus
cast_node(SnImport *x, SnImportVal *v, SnDtype dt, const char *name)
{
    static const struct {
        SnDtype dt;
        SnElem elem;
    } to[] = {{SN_D_F32, SN_F32},   {SN_D_I32, SN_I32}, {SN_D_I64, SN_I64},
              {SN_D_BOOL, SN_BOOL}, {SN_D_I8, SN_I32},  {SN_D_U8, SN_I32}};
    bool narrow = dt == SN_D_I8 || dt == SN_D_U8;
    const char *to_name =
        narrow ? sn_import_part(x, "i32") : sn_import_name(x, 0);
    SnRef r;

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        if (to[i].dt != dt)
            continue;
        SN_TRY(sn_import_need(x, 0, &v));
        SN_TRY(sn_import_plain_codes(x, v, &r));
        if (sn_type(x->g, r)->elem == SN_I8)
            SN_TRY(
                sn_import_code_numbers(x, to_name, r, v->u8, to[i].elem, &r));
        else
            SN_TRY(sn_import_cast(x, to_name, r, to[i].elem, &r));
        if (narrow)
            return sn_import_put_narrow(x, r, dt == SN_D_U8);
        return sn_import_put(x, 0, r);
    }
    return no_cast(x, v, name);
}

/* Input 0 as elements dt, which ONNX calls name. */
static SnStatus
cast_to(SnImport *x, SnDtype dt, const char *name)
{
    SnImportVal *v;
    const SnData *t;
    SnData *r;
    int64_t n;

    SN_TRY(sn_import_need(x, 0, &v));
    sn_import_ignore(x, "saturate"); /* for float8 only */
    if (dt != SN_D_NONE && dt == elements_of(x, v))
        return sn_import_alias(x, 0, v);
    t = sn_import_const(x, v);
    if (t == NULL)
        return cast_node(x, v, dt, name);
    if ((dt != SN_D_F32 && dt != SN_D_I64 && dt != SN_D_I32 &&
         dt != SN_D_BOOL && dt != SN_D_U8 && dt != SN_D_I8))
        return no_cast(x, v, name);
    SN_TRY(sn_import_new_data(x, dt, t->rank, t->dim, &r));
    n = sn_data_count(t);
    for (int64_t i = 0; i < n; i++)
        cast_element(r, t, i);
    return sn_import_put_data(x, 0, r);
}

static SnStatus
op_cast(SnImport *x)
{
    int64_t to;
    const char *name;
    SnDtype dt;

    if (!sn_import_has_attr(x, "to"))
        return sn_import_fail(x, SN_EINPUT, "attribute 'to' is missing");
    SN_TRY(sn_import_int(x, "to", 0, &to));
    dt = sn_import_dtype(x, to, &name);
    return cast_to(x, dt, name);
}

static SnStatus
op_cast_like(SnImport *x)
{
    SnImportVal *like;
    SnDtype dt;

    SN_TRY(sn_import_need(x, 1, &like));
    dt = elements_of(x, like);
    return cast_to(x, dt, dt == SN_D_NONE ? "4 bits" : sn_dtype_name(dt));
}

/* How many of from, from + by, ... lie before limit. */
static double
range_count(const SnData *const *in)
{
    double from = sn_data_real(in[0], 0), to = sn_data_real(in[1], 0),
           by = sn_data_real(in[2], 0);
    uint64_t a = (uint64_t)sn_data_int(in[0], 0),
             b = (uint64_t)sn_data_int(in[1], 0),
             step = (uint64_t)sn_data_int(in[2], 0);
    bool up = by > 0;

    if (in[0]->dtype == SN_D_F32 || by == 0)
        return ceil((to - from) / by);
    if (sn_data_int(in[0], 0) == sn_data_int(in[1], 0) ||
        (sn_data_int(in[0], 0) < sn_data_int(in[1], 0)) != up)
        return 0;
    return (double)(up ? (b - a - 1) / step : (a - b - 1) / (0 - step)) + 1;
}

/* start, start + delta, ... below limit, all known. */
static SnStatus
op_range(SnImport *x)
{
    const SnData *in[3];
    SnImportVal *v;
    SnData *r;
    int64_t n = 0;

    for (uint32_t i = 0; i < 3; i++) {
        SN_TRY(sn_import_need(x, i, &v));
        in[i] = sn_import_const(x, v);
        if (in[i] == NULL)
            return sn_import_fail(x, SN_EUNSUPPORTED, "'%s' must be constant",
                                  v->name);
        if (sn_data_count(in[i]) != 1 || in[i]->dtype != in[0]->dtype)
            return sn_import_fail(x, SN_EINPUT, "'%s' does not fit", v->name);
    }
    double from = sn_data_real(in[0], 0), by = sn_data_real(in[2], 0);
    double count = range_count(in);
    if (in[0]->dtype != SN_D_F32 && in[0]->dtype != SN_D_I32 &&
        in[0]->dtype != SN_D_I64)
        return sn_import_fail(x, SN_EUNSUPPORTED, "of %s",
                              sn_dtype_name(in[0]->dtype));
    if (by == 0 || !(count < 1e9))
        return sn_import_fail(x, SN_EINPUT,
                              "from %g to %g by %g, expected less than 1e9 "
                              "elements",
                              from, sn_data_real(in[1], 0), by);
    n = count > 0 ? (int64_t)count : 0;
    SN_TRY(sn_import_new_data(x, in[0]->dtype, 1, &n, &r));
    for (int64_t i = 0; i < n; i++) {
        void *p = (void *)(uintptr_t)r->data;
        int64_t k = (int64_t)((uint64_t)sn_data_int(in[0], 0) +
                              (uint64_t)i * (uint64_t)sn_data_int(in[2], 0));
        if (r->dtype == SN_D_F32)
            ((float *)p)[i] = (float)(from + (double)i * by);
        else if (r->dtype == SN_D_I64)
            ((int64_t *)p)[i] = k;
        else
            ((int32_t *)p)[i] = (int32_t)k;
    }
    return sn_import_put_data(x, 0, r);
}

static const struct {
    const char *op;
    SnImportOp *fn;
    const char *note;
} ops[] = {
    {"Cast", op_cast, "between f32, int32, int64, bool, int8 and uint8"},
    {"CastLike", op_cast_like, "as Cast"},
    {"Constant", op_constant, NULL},
    {"ConstantOfShape", op_constant_of_shape, "the shape must be constant"},
    {"Dropout", op_dropout, "as at inference: it drops nothing"},
    {"Identity", op_identity, NULL},
    {"Range", op_range, "operands must be constant"},
    {"Shape", op_shape, NULL},
    {"Size", op_size, NULL},
};

const char *
sn_onnx_structural_note(size_t i)
{
    return i < sizeof ops / sizeof ops[0] ? ops[i].note : NULL;
}

const char *
sn_onnx_structural(size_t i)
{
    return i < sizeof ops / sizeof ops[0] ? ops[i].op : NULL;
}

SnImportOp *
sn_import_structural(SnOnnxOp op)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (sn_onnx_is(op, ops[i].op))
            return ops[i].fn;
    return NULL;
}
