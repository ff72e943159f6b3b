// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "onnx/proto/tensor_pb.h"

/* ---- moves ---- */

/* n elements at src, src + step, ..., of a size. */
static void
gather_row(char *dst, const char *src, int64_t step, int64_t n, size_t size)
{
    if (step == (int64_t)size)
        memcpy(dst, src, (size_t)n * size);
    else if (size == 4) /* a store and a load, not a call */
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * 4, src + k * step, 4);
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * (int64_t)size, src + k * step, size);
}

/* Copies the elements at start + sum(i * stride), i over dim, in C order.
 * Nothing is taken to be aligned. */
static void
gather_strided(const SnData *t, const SnData *from, int64_t start,
               const int64_t *stride)
{
    size_t size = sn_dtype_size(t->dtype);
    int64_t idx[SN_MAXRANK] = {0}, at = start, n = sn_data_count(t);
    int last = t->rank - 1;
    int64_t row = last >= 0 ? t->dim[last] : 1;
    int64_t step = last >= 0 ? stride[last] * (int64_t)size : 0;
    char *dst = (char *)(uintptr_t)t->data;
    const char *src = from->data;

    for (int64_t k = 0; k < n; k += row) {
        gather_row(dst + k * (int64_t)size, src + at * (int64_t)size, step, row,
                   size);
        for (int i = last - 1; i >= 0; i--) {
            at += stride[i];
            if (++idx[i] < t->dim[i])
                break;
            at -= stride[i] * t->dim[i];
            idx[i] = 0;
        }
    }
}

static void
strides(const SnData *t, int64_t *stride)
{
    int64_t s = 1;

    for (int i = t->rank - 1; i >= 0; i--) {
        stride[i] = s;
        s *= t->dim[i];
    }
}

/* Are the elements in the same order afterwards? */
static bool
stays(const SnData *t, const int *perm)
{
    int before = -1;

    for (int i = 0; i < t->rank; i++) {
        if (t->dim[perm[i]] == 1)
            continue;
        if (perm[i] < before)
            return false;
        before = perm[i];
    }
    return true;
}

SnStatus
sn_import_permuted(SnImport *x, const SnData *t, const int *perm,
                   const SnData **out)
{
    int64_t st[SN_MAXRANK], dim[SN_MAXRANK], stride[SN_MAXRANK];
    size_t size = sn_dtype_size(t->dtype), n = sn_data_nbyte(t);
    SnData *r;

    /* All elements alike, as from ConstantOfShape, or no axis of more than one
     * passes another: nothing moves. */
    if (stays(t, perm) ||
        (n > size &&
         memcmp(t->data, (const char *)t->data + size, n - size) == 0)) {
        t = sn_import_settle(x, t);
        r = sn_memdup(x->a, t, sizeof *t);
        for (int i = 0; i < t->rank; i++)
            r->dim[i] = t->dim[perm[i]];
        *out = r;
        return SN_OK;
    }
    strides(t, st);
    for (int i = 0; i < t->rank; i++) {
        dim[i] = t->dim[perm[i]];
        stride[i] = st[perm[i]];
    }
    SN_TRY(sn_import_new_data(x, t->dtype, t->rank, dim, &r));
    gather_strided(r, t, 0, stride);
    sn_import_copied(x, r->data, n);
    sn_file_forget(&x->map, t->data, n);
    *out = r;
    return SN_OK;
}

SnStatus
sn_import_sliced(SnImport *x, const SnData *t, const int64_t *start,
                 const int64_t *size, const int64_t *step, const SnData **out)
{
    int64_t st[SN_MAXRANK], at = 0;
    SnData *r;

    strides(t, st);
    for (int i = 0; i < t->rank; i++) {
        at += start[i] * st[i];
        st[i] *= step[i];
    }
    SN_TRY(sn_import_new_data(x, t->dtype, t->rank, size, &r));
    gather_strided(r, t, at, st);
    *out = r;
    return SN_OK;
}

static SnStatus
axis_of(SnImport *x, int rank, int64_t def, int64_t *axis)
{
    SN_TRY(sn_import_int(x, "axis", def, axis));
    if (*axis < -rank || *axis >= rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d dimensions",
                              *axis, rank);
    if (*axis < 0)
        *axis += rank;
    return SN_OK;
}

static SnStatus
fold_gather(SnImport *x, const SnData *const *in)
{
    const SnData *t = in[0], *ix = in[1];
    int64_t axis, dim[2 * SN_MAXRANK], outer = 1, inner = 1, n;
    size_t size = sn_dtype_size(t->dtype);
    int rank = t->rank + ix->rank - 1;
    SnData *r;

    SN_TRY(axis_of(x, t->rank, 0, &axis));
    if (rank > SN_MAXRANK)
        return sn_import_fail(x, SN_EUNSUPPORTED, "more than %d dimensions",
                              SN_MAXRANK);
    for (int i = 0, k = 0; i < t->rank; i++) {
        if (i == axis)
            for (int j = 0; j < ix->rank; j++)
                dim[k++] = ix->dim[j];
        else
            dim[k++] = t->dim[i];
        outer *= i < axis ? t->dim[i] : 1;
        inner *= i > axis ? t->dim[i] : 1;
    }
    SN_TRY(sn_import_new_data(x, t->dtype, rank, dim, &r));
    n = sn_data_count(ix);
    char *p = (char *)(uintptr_t)r->data;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t k = 0; k < n; k++, p += (size_t)inner * size) {
            int64_t i = sn_data_int(ix, k);
            if (i < -t->dim[axis] || i >= t->dim[axis])
                return sn_import_fail(x, SN_EINPUT,
                                      "index %" PRId64 " of %" PRId64 " slices",
                                      i, t->dim[axis]);
            i += i < 0 ? t->dim[axis] : 0;
            memcpy(p,
                   (const char *)t->data +
                       (size_t)((o * t->dim[axis] + i) * inner) * size,
                   (size_t)inner * size);
        }
    return sn_import_put_data(x, 0, r);
}

static SnStatus
fold_concat(SnImport *x, const SnData *const *in)
{
    int64_t axis, dim[SN_MAXRANK], outer = 1;
    SnData *r;
    char *p;

    SN_TRY(axis_of(x, in[0]->rank, 0, &axis));
    memcpy(dim, in[0]->dim, sizeof dim);
    dim[axis] = 0;
    for (size_t i = 0; i < x->n->n_input; i++) {
        bool fits = in[i]->dtype == in[0]->dtype && in[i]->rank == in[0]->rank;
        for (int k = 0; fits && k < in[0]->rank; k++)
            fits = k == axis || in[i]->dim[k] == dim[k];
        if (!fits)
            return sn_import_fail(x, SN_EINPUT,
                                  "input %zu does not fit input 0", i);
        dim[axis] += in[i]->dim[axis];
    }
    SN_TRY(sn_import_new_data(x, in[0]->dtype, in[0]->rank, dim, &r));
    for (int k = 0; k < axis; k++)
        outer *= dim[k];
    p = (char *)(uintptr_t)r->data;
    for (int64_t o = 0; o < outer; o++)
        for (size_t i = 0; i < x->n->n_input; i++) {
            size_t n = sn_data_nbyte(in[i]) / (size_t)outer;
            memcpy(p, (const char *)in[i]->data + (size_t)o * n, n);
            p += n;
        }
    return sn_import_put_data(x, 0, r);
}

/* ---- arithmetic, mostly on shapes ---- */

static SnStatus
int_op(SnImport *x, int64_t a, int64_t b, int64_t *out)
{
    uint64_t u = (uint64_t)a, v = (uint64_t)b;

    switch (x->op.name[0]) {
    case 'A':
        *out = (int64_t)(u + v);
        return SN_OK;
    case 'S':
        *out = (int64_t)(u - v);
        return SN_OK;
    case 'M':
        *out = (int64_t)(u * v);
        return SN_OK;
    default:
        if (b == 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "division of an integer by zero");
        *out = b == -1 ? (int64_t)(0 - u) : a / b;
        return SN_OK;
    }
}

static float
real_op(const SnImport *x, float a, float b)
{
    switch (x->op.name[0]) {
    case 'A':
        return a + b;
    case 'S':
        return a - b;
    case 'M':
        return a * b;
    default:
        return a / b;
    }
}

/* The common shape, and each operand's strides in it (0 where repeated). */
static bool
broadcast(const SnData *const *in, int *rank, int64_t *dim,
          int64_t stride[2][SN_MAXRANK])
{
    int n = in[0]->rank > in[1]->rank ? in[0]->rank : in[1]->rank;

    *rank = n;
    for (int i = 0; i < n; i++)
        dim[i] = 1;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < in[k]->rank; i++) {
            int64_t *d = &dim[n - in[k]->rank + i];
            if (in[k]->dim[i] != 1 && *d != 1 && in[k]->dim[i] != *d)
                return false;
            *d = in[k]->dim[i] != 1 ? in[k]->dim[i] : *d;
        }
    for (int k = 0; k < 2; k++) {
        int64_t own[SN_MAXRANK];
        strides(in[k], own);
        for (int i = 0; i < n; i++) {
            int j = i - (n - in[k]->rank);
            stride[k][i] = j < 0 || in[k]->dim[j] == 1 ? 0 : own[j];
        }
    }
    return true;
}

static SnStatus
store(SnImport *x, const SnData *r, int64_t i, const SnData *const *in,
      int64_t a, int64_t b)
{
    void *p = (void *)(uintptr_t)r->data;
    int64_t v = 0;

    if (r->dtype == SN_D_F32) {
        ((float *)p)[i] = real_op(x, ((const float *)in[0]->data)[a],
                                  ((const float *)in[1]->data)[b]);
        return SN_OK;
    }
    SN_TRY(int_op(x, sn_data_int(in[0], a), sn_data_int(in[1], b), &v));
    if (r->dtype == SN_D_I64)
        ((int64_t *)p)[i] = v;
    else
        ((int32_t *)p)[i] = (int32_t)(uint32_t)(uint64_t)v;
    return SN_OK;
}

static SnStatus
fold_binary(SnImport *x, const SnData *const *in)
{
    int rank;
    int64_t dim[SN_MAXRANK], stride[2][SN_MAXRANK], idx[SN_MAXRANK] = {0};
    int64_t at[2] = {0, 0}, n;
    SnData *r;

    if (in[0]->dtype != in[1]->dtype || !broadcast(in, &rank, dim, stride))
        return sn_import_fail(x, SN_EINPUT, "the inputs do not fit each other");
    SN_TRY(sn_import_new_data(x, in[0]->dtype, rank, dim, &r));
    n = sn_data_count(r);
    for (int64_t k = 0; k < n; k++) {
        SN_TRY(store(x, r, k, in, at[0], at[1]));
        for (int i = rank - 1; i >= 0; i--) {
            at[0] += stride[0][i];
            at[1] += stride[1][i];
            if (++idx[i] < dim[i])
                break;
            at[0] -= stride[0][i] * dim[i];
            at[1] -= stride[1][i] * dim[i];
            idx[i] = 0;
        }
    }
    return sn_import_put_data(x, 0, r);
}

static SnStatus
fold_round(SnImport *x, const SnData *const *in)
{
    int64_t n = sn_data_count(in[0]);
    SnData *r;
    float *p;

    SN_TRY(sn_import_new_data(x, SN_D_F32, in[0]->rank, in[0]->dim, &r));
    p = (float *)(uintptr_t)r->data;
    for (int64_t i = 0; i < n; i++) {
        float v = ((const float *)in[0]->data)[i];
        p[i] = sn_import_is(x, "Floor") ? floorf(v) : ceilf(v);
    }
    return sn_import_put_data(x, 0, r);
}

/* Operators worked out on known inputs.  The first letter tells the
 * arithmetic ones apart. */
static const struct {
    const char *op;
    uint32_t nin;              /* 0: any number from one */
    bool integer, real, other; /* element types of input 0 */
    SnStatus (*fold)(SnImport *x, const SnData *const *in);
} folds[] = {
    {"Add", 2, true, true, false, fold_binary},
    {"Ceil", 1, false, true, false, fold_round},
    {"Concat", 0, true, true, true, fold_concat},
    {"Div", 2, true, true, false, fold_binary},
    {"Floor", 1, false, true, false, fold_round},
    {"Gather", 2, true, true, true, fold_gather},
    {"Mul", 2, true, true, false, fold_binary},
    {"Sub", 2, true, true, false, fold_binary},
};

static bool
takes(size_t i, SnDtype t)
{
    if (t == SN_D_I64 || t == SN_D_I32)
        return folds[i].integer;
    return t == SN_D_F32 ? folds[i].real : folds[i].other;
}

bool
sn_import_foldable(SnOnnxOp op)
{
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (sn_onnx_is(op, folds[i].op))
            return true;
    return false;
}

SnStatus
sn_import_fold(SnImport *x, bool *done)
{
    size_t n = x->n->n_input;
    const SnData **in = SN_NEW_N(x->a, const SnData *, n + 1);

    *done = false;
    for (size_t i = 0; i < n; i++) {
        SnImportVal *v = sn_import_in(x, (uint32_t)i);
        if (v == NULL || v->data == NULL || v->q != NULL)
            return SN_OK;
        in[i] = v->data = sn_import_settle(x, v->data);
    }
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (sn_import_is(x, folds[i].op) && n > 0 &&
            (folds[i].nin == 0 || folds[i].nin == n) &&
            takes(i, in[0]->dtype)) {
            *done = true;
            return folds[i].fold(x, in);
        }
    return SN_OK;
}
