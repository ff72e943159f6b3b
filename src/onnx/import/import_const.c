// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <string.h>
#include "base/budget.h"
#include "base/team/spread.h"
#include "onnx/proto/tensor_pb.h"

/* Of four bytes: a store and a load, not a call. */
static void
gather_row4(char *dst, const char *src, int64_t step, int64_t n)
{
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        const char *at = src + k * step;
        memcpy(dst + k * 4, at, 4);
        memcpy(dst + k * 4 + 4, at + step, 4);
        memcpy(dst + k * 4 + 8, at + 2 * step, 4);
        memcpy(dst + k * 4 + 12, at + 3 * step, 4);
    }
    for (; k < n; k++)
        memcpy(dst + k * 4, src + k * step, 4);
}

/* n elements at src, src + step, ..., of a size. */
static void
gather_row(char *dst, const char *src, int64_t step, int64_t n, size_t size)
{
    if (step == (int64_t)size)
        memcpy(dst, src, (size_t)n * size);
    else if (size == 4)
        gather_row4(dst, src, step, n);
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * (int64_t)size, src + k * step, size);
}

typedef struct Gather {
    const SnData *t, *from;
    int64_t start;
    const int64_t *stride;
} Gather;

/* Elements of t, of one axis at least, whose first index is in [i0, i1), at
 * dst. */
static void
gather_rows(const Gather *g, int64_t i0, int64_t i1, char *dst)
{
    const SnData *t = g->t;
    int64_t size = (int64_t)sn_dtype_size(t->dtype), idx[SN_MAXRANK] = {i0};
    int last = t->rank - 1;
    int64_t row = last > 0 ? t->dim[last] : i1 - i0, each = 1;
    int64_t step = g->stride[last] * size, at = g->start + i0 * g->stride[0];

    for (int i = 1; i <= last; i++)
        each *= t->dim[i];
    for (int64_t k = 0; k < (i1 - i0) * each; k += row) {
        gather_row(dst + k * size, (const char *)g->from->data + at * size,
                   step, row, (size_t)size);
        for (int i = last - 1; i >= 0; i--) {
            at += g->stride[i];
            if (++idx[i] < t->dim[i])
                break;
            at -= g->stride[i] * t->dim[i];
            idx[i] = 0;
        }
    }
}

static void
gather_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Gather *g = ctx;
    int64_t row = (int64_t)sn_data_nbyte(g->t) / g->t->dim[0];

    (void)part;
    gather_rows(g, i0, i1, (char *)(uintptr_t)g->t->data + i0 * row);
}

/* Copies the elements at start + sum(i * stride), i over dim, in C order.
 * Nothing is taken to be aligned. */
static void
gather_strided(const SnData *t, const SnData *from, int64_t start,
               const int64_t *stride)
{
    Gather g = {t, from, start, stride};
    size_t nbyte = sn_data_nbyte(t), size = sn_dtype_size(t->dtype);

    if (t->rank == 0)
        memcpy((void *)(uintptr_t)t->data,
               (const char *)from->data + (size_t)start * size, size);
    else if (nbyte > 0)
        sn_spread(t->dim[0], sn_spread_parts(t->dim[0], nbyte), gather_part,
                  &g);
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

static bool
all_alike(const SnData *t)
{
    size_t size = sn_dtype_size(t->dtype), n = sn_data_nbyte(t);

    return n > size &&
           memcmp(t->data, (const char *)t->data + size, n - size) == 0;
}

/* The same elements with permuted axes. */
static void
permute(const SnData *t, const int *perm, SnData *to, int64_t *stride)
{
    int64_t st[SN_MAXRANK];

    strides(t, st);
    for (int i = 0; i < t->rank; i++) {
        to->dim[i] = t->dim[perm[i]];
        stride[i] = st[perm[i]];
    }
}

SnStatus
sn_import_permuted(SnImport *x, const SnData *t, const int *perm,
                   const SnData **out)
{
    int64_t stride[SN_MAXRANK];
    size_t n = sn_data_nbyte(t);
    SnData to, *r;

    /* All elements alike, as from ConstantOfShape, or no axis of more than one
     * passes another: nothing moves. */
    if (stays(t, perm) || all_alike(t)) {
        t = sn_import_settle(x, t);
        r = sn_memdup(x->a, t, sizeof *t);
        for (int i = 0; i < t->rank; i++)
            r->dim[i] = t->dim[perm[i]];
        *out = r;
        return SN_OK;
    }
    permute(t, perm, &to, stride);
    SN_TRY(sn_import_new_data(x, t->dtype, t->rank, to.dim, &r));
    gather_strided(r, t, 0, stride);
    sn_import_copied(x, r->data, n);
    sn_file_forget(&x->map, t->data, n);
    *out = r;
    return SN_OK;
}

typedef struct LateData {
    SnLate late;
    SnData t, from;
    int64_t stride[SN_MAXRANK];
    /* The file, if rows are contiguous there; else zeros. */
    SnFileMap map;
    bool moves;
} LateData;

static void
late_rows(const SnLate *l, int64_t i0, int64_t i1, void *to, void *work)
{
    const LateData *k = (const LateData *)l;
    Gather g = {&k->t, &k->from, 0, k->stride};
    size_t row = l->nbyte / (size_t)l->nrow;
    const char *at = (const char *)k->from.data + (size_t)i0 * row;
    SnData near = k->from;

    if (!k->map.fd) {
        gather_rows(&g, i0, i1, to);
        return;
    }
    sn_file_fetch(&k->map, at, (size_t)(i1 - i0) * row, k->moves ? work : to);
    near.data = work;
    g.from = &near;
    g.start = -i0 * k->stride[0];
    if (k->moves)
        gather_rows(&g, i0, i1, to);
}

const void *
sn_import_late_from(const SnLate *l)
{
    return ((const LateData *)l)->from.data;
}

SnLate *
sn_import_late(SnImport *x, const SnData *t, const int *perm,
               const SnData **out)
{
    bool moves = !stays(t, perm);
    LateData *k;

    if (x->opts == NULL || x->opts->late == 0 || t->dtype != SN_D_F32 ||
        t->rank == 0 || sn_data_nbyte(t) < x->opts->late || all_alike(t))
        return NULL;
    const SnType *type = sn_type_plain(x->g->pool, SN_F32);
    k = SN_NEW(x->a, LateData);
    k->from = k->t = *t;
    k->moves = moves;
    permute(t, perm, &k->t, k->stride);
    const SnShape *s = sn_shape(x->g->pool, k->t.rank, k->t.dim);
    if (!s)
        return NULL;
    if (!moves && (uintptr_t)t->data % sizeof(float) == 0)
        sn_late_from(&k->late, late_rows, type, s, t->data);
    else if (!sn_late_init(&k->late, x->a, late_rows, type, s, &k->t.data))
        return NULL;
    if (perm[0] == 0 && sn_file_within(&x->map, t->data, k->late.nbyte))
        k->map = x->map;
    k->late.file = k->late.at && k->map.fd;
    if (moves)
        sn_charge(SN_CHARGE_FOLD_NBYTE, k->late.nbyte);
    *out = &k->t;
    return &k->late;
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
