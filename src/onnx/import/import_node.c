// SPDX-License-Identifier: Apache-2.0
/* The node under way: errors about it, and memory for what it works out. */
#include "onnx/import/import_priv.h"

#include <stdarg.h>
#include <string.h>
#include "base/budget.h"
#include "base/buf.h"

SnOnnxOp
sn_import_op_of(const Onnx__NodeProto *n)
{
    bool own = n->domain == NULL || strcmp(n->domain, "ai.onnx") == 0;

    return (SnOnnxOp){own ? "" : n->domain, n->op_type};
}

SnStatus
sn_import_fail(SnImport *x, SnStatus s, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = sn_vformat(x->a, fmt, ap);
    va_end(ap);
    return sn_fail(x->d, s, x->where, "%s", text);
}

/* Without its elements. */
static SnStatus
shaped(SnImport *x, SnDtype t, int rank, const int64_t *dim, SnData **out)
{
    SnData *r = SN_NEW(x->a, SnData);

    if (sn_dims_count(rank, dim) < 0)
        return sn_import_fail(x, SN_EINPUT, "the result is too large");
    r->dtype = t;
    r->rank = rank;
    if (rank > 0)
        memcpy(r->dim, dim, (size_t)rank * sizeof *dim);
    *out = r;
    return SN_OK;
}

SnStatus
sn_import_new_data(SnImport *x, SnDtype t, int rank, const int64_t *dim,
                   SnData **out)
{
    SN_TRY(shaped(x, t, rank, dim, out));
    sn_charge(SN_CHARGE_FOLD_NBYTE, sn_data_nbyte(*out));
    (*out)->data = sn_alloc(x->a, sn_data_nbyte(*out));
    return SN_OK;
}

SnStatus
sn_import_splat(SnImport *x, SnDtype t, int rank, const int64_t *dim,
                const void *one, SnData **out)
{
    enum { LONG = 1 << 16 };
    size_t size = sn_dtype_size(t), n;

    SN_TRY(shaped(x, t, rank, dim, out));
    n = sn_data_nbyte(*out);
    if (n >= LONG)
        (*out)->data = sn_arena_repeat(x->a, one, size, n);
    if ((*out)->data != NULL)
        return SN_OK;
    SN_TRY(sn_import_new_data(x, t, rank, dim, out));
    char *p = (char *)(uintptr_t)(*out)->data;
    if (n > 0)
        memcpy(p, one, size);
    for (size_t k = size; k < n; k *= 2)
        memcpy(p + k, p, k < n - k ? k : n - k);
    return SN_OK;
}
