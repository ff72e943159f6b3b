// SPDX-License-Identifier: Apache-2.0
/* ATen embedding_bag, as the exporter of PyTorch leaves it: inputs weight,
 * indices, offsets and per_sample_weights, as of torch.nn.functional.
 * Without offsets, indices are a matrix and each row of it is a bag. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

static SnStatus
check_attrs(SnImport *x, int64_t *last)
{
    int64_t mode, padding;
    const char *what;

    SN_TRY(sn_import_str(x, "operator", "", &what));
    if (strcmp(what, "embedding_bag") != 0)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the operator '%s' of ATen is not supported; "
                              "embedding_bag is",
                              what);
    sn_import_ignore(x, "overload_name");
    sn_import_ignore(x, "scale_grad_by_freq"); /* of training */
    sn_import_ignore(x, "sparse");
    SN_TRY(sn_import_int(x, "mode", 0, &mode));
    SN_TRY(sn_import_int(x, "padding_idx", -1, &padding));
    SN_TRY(sn_import_int(x, "include_last_offset", 0, last));
    if (mode != 0)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "mode %" PRId64 " is not supported; 0, the sum, is", mode);
    if (padding >= 0)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "a padding_idx (%" PRId64 ") is not supported",
                              padding);
    for (uint32_t k = 1; k < 4; k++)
        if (sn_import_out(x, k) != NULL)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "result %" PRIu32 " is used; only the sums, "
                                  "result 0, are supported",
                                  k);
    return SN_OK;
}

static SnStatus
as_i64(SnImport *x, SnImportVal *v, const char *part, SnRef *out)
{
    SN_TRY(sn_import_plain(x, v, out));
    return sn_import_cast(x, sn_import_part(x, part), *out, SN_I64, out);
}

/* Bags of `size` indices each. */
static SnStatus
even_offsets(SnImport *x, int64_t nbag, int64_t size, SnRef *out)
{
    int64_t n = nbag + 1, *v;
    SnData *t;

    SN_TRY(sn_import_new_data(x, SN_D_I64, 1, &n, &t));
    v = (int64_t *)(uintptr_t)t->data;
    for (int64_t i = 0; i < n; i++)
        v[i] = i * size;
    return sn_import_constant(x, sn_import_part(x, "offsets"),
                              sn_type_plain(x->g->pool, SN_I64),
                              sn_shape(x->g->pool, 1, &n), v, out);
}

/* Where each bag begins, and after the last one where it ends. */
static SnStatus
offsets(SnImport *x, const SnImportVal *index, int64_t include_last, SnRef *out)
{
    SnImportVal *v = sn_import_in(x, 2);
    int64_t one = 1;
    SnRef in[2];
    SnKind k;

    if (v == NULL && index->rank != 2)
        return sn_import_fail(x, SN_EINPUT,
                              "without offsets, the indices have "
                              "%d dimensions, expected 2",
                              index->rank);
    if (v == NULL)
        return even_offsets(x, index->dim[0], index->dim[1], out);
    if (v->rank != 1 || index->rank != 1)
        return sn_import_fail(x, SN_EINPUT,
                              "indices and offsets have %d and %d "
                              "dimensions, expected 1",
                              index->rank, v->rank);
    SN_TRY(as_i64(x, v, "offsets", &in[0]));
    *out = in[0];
    if (include_last != 0)
        return SN_OK;
    SN_TRY(sn_import_int_const(x, sn_import_part(x, "count"), SN_I64,
                               index->dim[0], &in[1]));
    SN_TRY(sn_import_reshaped(x, sn_import_part(x, "end"), in[1], 1, &one,
                              &in[1]));
    SN_TRY(sn_import_kind(x, "Concat", &k));
    void *attr = sn_import_attr(x, k);
    sn_import_set_int(k, attr, "axis", 0);
    return sn_import_node(x, "Concat", sn_import_part(x, "ends"), 2, in, attr,
                          NULL, out);
}

SnStatus
sn_onnx_aten(SnImport *x, const SnImportCall *c)
{
    SnImportVal *table, *index, *weight;
    int64_t last, n;
    SnRef in[4], y;
    uint32_t nin = 0;

    (void)c;
    SN_TRY(check_attrs(x, &last));
    SN_TRY(sn_import_need(x, 0, &table));
    SN_TRY(sn_import_need(x, 1, &index));
    weight = sn_import_in(x, 3);
    if (table->rank != 2)
        return sn_import_fail(x, SN_EINPUT,
                              "the table has %d dimensions, "
                              "expected 2",
                              table->rank);
    n = sn_dims_count(index->rank, index->dim);
    if (weight != NULL && sn_dims_count(weight->rank, weight->dim) != n)
        return sn_import_fail(x, SN_EINPUT,
                              "%" PRId64 " weights for %" PRId64 " indices",
                              sn_dims_count(weight->rank, weight->dim), n);
    SN_TRY(sn_import_plain(x, table, &in[nin++]));
    if (weight != NULL) {
        SN_TRY(sn_import_plain(x, weight, &in[nin]));
        if (weight->rank != 1)
            SN_TRY(sn_import_reshaped(x, sn_import_part(x, "weights"), in[nin],
                                      1, &n, &in[nin]));
        nin++;
    }
    SN_TRY(as_i64(x, index, "indices", &in[nin]));
    if (index->rank != 1)
        SN_TRY(sn_import_reshaped(x, sn_import_part(x, "rows"), in[nin], 1, &n,
                                  &in[nin]));
    nin++;
    SN_TRY(offsets(x, index, last, &in[nin++]));
    SN_TRY(sn_import_node(x, weight ? "WeightedEmbeddingBag" : "EmbeddingBag",
                          sn_import_name(x, 0), nin, in, NULL, NULL, &y));
    return sn_import_put(x, 0, y);
}
