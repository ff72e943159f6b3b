// SPDX-License-Identifier: Apache-2.0
/* The node under way: errors about it, and memory for what it works out. */
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "base/buf.h"

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

SnStatus
sn_import_new_data(SnImport *x, SnDtype t, int rank, const int64_t *dim,
                   SnData **out)
{
    uint64_t limit = x->opts != NULL ? x->opts->max_nbyte : 0;
    int64_t n = sn_dims_count(rank, dim);
    SnData *r = SN_NEW(x->a, SnData);

    if (n < 0)
        return sn_import_fail(x, SN_EINPUT, "the result is too large");
    limit = limit != 0 ? limit : UINT64_C(1) << 32;
    x->nbyte += (uint64_t)n * sn_dtype_size(t);
    if (x->nbyte > limit)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "constants worked out at import take more than %" PRIu64 " MiB",
            limit >> 20);
    r->dtype = t;
    r->rank = rank;
    if (rank > 0)
        memcpy(r->dim, dim, (size_t)rank * sizeof *dim);
    r->data = sn_alloc_n(x->a, (size_t)n, sn_dtype_size(t));
    *out = r;
    return SN_OK;
}
