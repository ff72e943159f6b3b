// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

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

/* ---- nodes of known inputs ---- */

/* Operators that are worked out where their inputs are known. */
static const char *const folds[] = {
    "Add", "Ceil", "Concat", "Div", "Floor", "Gather", "Mul", "Sub",
};

bool
sn_import_foldable(SnOnnxOp op)
{
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (sn_onnx_is(op, folds[i]))
            return true;
    return false;
}

/* Are all inputs known, and elements as a graph has them? */
static bool
all_known(SnImport *x)
{
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        const SnImportVal *v = sn_import_in(x, i);
        if (v == NULL || v->data == NULL || v->q != NULL ||
            sn_import_plain_type(x, v->data->dtype) == NULL)
            return false;
    }
    return x->n->n_input > 0;
}

/* Nodes give 0. */
static SnStatus
check_divisor(SnImport *x)
{
    const SnData *t =
        sn_import_in(x, 1) != NULL ? sn_import_in(x, 1)->data : NULL;

    if (!sn_import_is(x, "Div") || t == NULL ||
        (t->dtype != SN_D_I32 && t->dtype != SN_D_I64))
        return SN_OK;
    for (int64_t i = 0, n = sn_data_count(t); i < n; i++)
        if (sn_data_int(t, i) == 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "division of an integer by zero");
    return SN_OK;
}

/* The node in a graph of its own, evaluated. */
static SnStatus
evaluated(SnImport *x, const SnOnnxDesc *e, SnData **out)
{
    SnImportVal *y = sn_import_out(x, 0);
    const SnData *t;

    SN_TRY(sn_import_map(x, e));
    if (y == NULL)
        return SN_OK;
    SN_TRY(sn_import_new_data(
        x, y->u8 ? SN_D_U8 : sn_import_dtype_of(sn_type(x->g, y->form->ref)),
        y->rank, y->dim, out));
    t = sn_import_const(x, y);
    if (t == NULL)
        return sn_import_fail(x, SN_EINPUT, "cannot be computed");
    memcpy((void *)(uintptr_t)(*out)->data, t->data, sn_data_nbyte(t));
    return SN_OK;
}

SnStatus
sn_import_fold(SnImport *x, bool *done)
{
    const SnOnnxDesc *other, *e = sn_import_desc(x->op, x->version, &other);
    SnImportVal *y = sn_import_out(x, 0);
    SnGraph *g = x->g;
    SnData *r = NULL;
    SnStatus s;

    *done = e != NULL && sn_import_foldable(x->op) && all_known(x);
    if (!*done)
        return SN_OK;
    SN_TRY(check_divisor(x));
    SnImportForm **was = SN_NEW_N(x->a, SnImportForm *, x->n->n_input);
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        was[i] = sn_import_in(x, i)->form;
        sn_import_in(x, i)->form = NULL;
    }
    x->g = sn_graph_new(x->a, "known");
    s = evaluated(x, e, &r);
    x->g = g;
    for (size_t i = x->n->n_input; i-- > 0;) /* one may be given twice */
        sn_import_in(x, (uint32_t)i)->form = was[i];
    if (s != SN_OK || y == NULL)
        return s;
    y->form = NULL;
    y->known = NULL;
    y->looked = y->u8 = false;
    return sn_import_put_data(x, 0, r);
}
