// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <string.h>
#include "onnx/proto/tensor_pb.h"

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
