// SPDX-License-Identifier: Apache-2.0
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

/* Input 0 with another shape of the same count. */
static SnStatus
with_dims(SnImport *x, const SnImportCall *c, SnImportVal *v, uint32_t rank,
          const int64_t *dim)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    SnRef in, y;
    SnSpec s = {.kind = k, .name = sn_import_name(x, 0), .nin = 1, .in = &in};

    if (rank > SN_MAXRANK)
        return sn_import_fail(x, SN_EUNSUPPORTED, "more than %d dimensions",
                              SN_MAXRANK);
    int64_t n = sn_dims_count((int)rank, dim);
    int64_t want = sn_dims_count(v->rank, v->dim);
    if (n != want)
        return sn_import_fail(
            x, SN_EINPUT, "the new shape has %s elements, expected %" PRId64,
            n < 0 ? "2^40 or more" : sn_format(x->a, "%" PRId64, n), want);
    if (v->data != NULL && v->q == NULL) {
        SnData *r = sn_memdup(x->a, v->data, sizeof *r);
        r->rank = (int)rank;
        memcpy(r->dim, dim, rank * sizeof *dim);
        return sn_import_put_data(x, 0, r);
    }
    SN_TRY(sn_import_plain(x, v, &in));
    sn_import_set_ints(x, k, attr, "dims", rank, dim);
    s.attr = attr;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}

/* 0 keeps a dimension (unless allowzero), one -1 is worked out. */
SnStatus
sn_onnx_reshape(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnInts want;
    int64_t zero, dim[SN_MAXRANK], known = 1, count;
    int64_t open = -1;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "allowzero", 0, &zero));
    if (sn_import_in(x, 1) == NULL)
        return sn_import_fail(x, SN_EINPUT, "the shape is missing");
    SN_TRY(sn_import_ints_in(x, 1, "the shape", &want));
    if (want.n > SN_MAXRANK)
        return sn_import_fail(x, SN_EUNSUPPORTED, "more than %d dimensions",
                              SN_MAXRANK);
    for (uint32_t i = 0; i < want.n; i++) {
        dim[i] = want.v[i];
        if (dim[i] == 0 && !zero) {
            if ((int)i >= v->rank)
                return sn_import_fail(x, SN_EINPUT,
                                      "keeps dimension %" PRIu32 " of %d", i,
                                      v->rank);
            dim[i] = v->dim[i];
        }
        if (dim[i] < -1 || (dim[i] == -1 && open >= 0))
            return sn_import_fail(x, SN_EINPUT,
                                  "dimension %" PRIu32 " of the new shape is "
                                  "%" PRId64,
                                  i, dim[i]);
        if (dim[i] == -1)
            open = i;
    }
    count = sn_dims_count(v->rank, v->dim);
    if (open >= 0) {
        dim[open] = 1;
        known = sn_dims_count((int)want.n, dim);
        if (known <= 0 || count % known != 0)
            return sn_import_fail(
                x, SN_EINPUT, "%" PRId64 " elements do not fill the new shape",
                count);
        dim[open] = count / known;
    }
    return with_dims(x, c, v, want.n, dim);
}

SnStatus
sn_onnx_flatten(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    int64_t axis, dim[2] = {1, 1};

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "axis", 1, &axis));
    if (axis < -v->rank || axis > v->rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d dimensions",
                              axis, v->rank);
    axis += axis < 0 ? v->rank : 0;
    for (int i = 0; i < v->rank; i++)
        dim[i >= axis] *= v->dim[i];
    return with_dims(x, c, v, 2, dim);
}

/* Axes come as an attribute before opset 13, as an input since.  *set has a
 * bit for each. */
static SnStatus
axes(SnImport *x, int rank, bool *given, uint32_t *set)
{
    SnInts a;

    *set = 0;
    if (x->version < 13)
        SN_TRY(sn_import_ints(x, "axes", &a));
    else
        SN_TRY(sn_import_ints_in(x, 1, "the axes", &a));
    *given = a.v != NULL;
    for (uint32_t i = 0; i < a.n; i++) {
        int64_t k = a.v[i] < 0 ? a.v[i] + rank : a.v[i];
        if (k < 0 || k >= rank || (*set >> k & 1))
            return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d",
                                  a.v[i], rank);
        *set |= 1u << k;
    }
    return SN_OK;
}

SnStatus
sn_onnx_squeeze(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    bool given;
    uint32_t drop, n = 0;
    int64_t dim[SN_MAXRANK];

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(axes(x, v->rank, &given, &drop));
    for (int i = 0; i < v->rank; i++) {
        if (given ? drop >> i & 1 : v->dim[i] == 1) {
            if (v->dim[i] != 1)
                return sn_import_fail(x, SN_EINPUT,
                                      "axis %d has %" PRId64 " slices, not one",
                                      i, v->dim[i]);
            continue;
        }
        dim[n++] = v->dim[i];
    }
    return with_dims(x, c, v, n, dim);
}

SnStatus
sn_onnx_unsqueeze(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    bool given;
    uint32_t added;
    int64_t dim[SN_MAXRANK];
    SnInts a;
    int rank;

    SN_TRY(sn_import_need(x, 0, &v));
    if (x->version < 13)
        SN_TRY(sn_import_ints(x, "axes", &a));
    else
        SN_TRY(sn_import_ints_in(x, 1, "the axes", &a));
    if (a.v == NULL)
        return sn_import_fail(x, SN_EINPUT, "the axes are missing");
    if (a.n > (uint32_t)(SN_MAXRANK - v->rank))
        return sn_import_fail(x, SN_EUNSUPPORTED, "more than %d dimensions",
                              SN_MAXRANK);
    rank = v->rank + (int)a.n;
    SN_TRY(axes(x, rank, &given, &added));
    for (int i = 0, k = 0; i < rank; i++)
        dim[i] = added >> i & 1 ? 1 : v->dim[k++];
    return with_dims(x, c, v, (uint32_t)rank, dim);
}

SnStatus
sn_onnx_transpose(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    SnImportVal *v;
    SnInts want;
    int perm[SN_MAXRANK];
    int64_t wide[SN_MAXRANK];
    uint32_t seen = 0;
    const SnData *t;
    SnRef in, y;
    SnSpec s = {.kind = k, .name = sn_import_name(x, 0), .nin = 1, .in = &in};

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_ints(x, "perm", &want));
    if (want.v != NULL && want.n != (uint32_t)v->rank)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'perm' has %" PRIu32 " axes of %d",
                              want.n, v->rank);
    for (int i = 0; i < v->rank; i++) {
        wide[i] = want.v != NULL ? want.v[i] : v->rank - 1 - i;
        if (wide[i] < 0 || wide[i] >= v->rank || (seen >> wide[i] & 1))
            return sn_import_fail(x, SN_EINPUT,
                                  "attribute 'perm' is not a permutation");
        seen |= 1u << wide[i];
        perm[i] = (int)wide[i];
    }
    if (v->data != NULL && v->q == NULL) {
        SN_TRY(sn_import_permuted(x, v->data, perm, &t));
        return sn_import_put_data(x, 0, t);
    }
    SN_TRY(sn_import_plain(x, v, &in));
    sn_import_set_ints(x, k, attr, "perm", (uint32_t)v->rank, wide);
    s.attr = attr;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}
