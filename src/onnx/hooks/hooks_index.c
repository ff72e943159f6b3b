// SPDX-License-Identifier: Apache-2.0
/* Operators that are moves or products once their indices, axes or masks are
 * written out: GatherElements, CumSum, Trilu. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_SUM = 4096 }; /* elements in a running sum */

/* ---- GatherElements ---- */

typedef struct Pick {
    int rank;
    int64_t axis, n; /* n slices along axis */
    int64_t stride;  /* of axis in the flat operand */
    int64_t count;   /* of all elements */
    const SnImportVal *index;
    int64_t *rest; /* flat position of each index at slice 0 */
} Pick;

static SnStatus
int_data(SnImport *x, int rank, const int64_t *dim, SnData **t, int64_t **v)
{
    SN_TRY(sn_import_new_data(x, SN_D_I64, rank, dim, t));
    *v = (int64_t *)(uintptr_t)(*t)->data;
    return SN_OK;
}

static SnStatus
int_constant(SnImport *x, const char *name, const SnData *t, SnRef *out)
{
    return sn_import_constant(x, name, sn_type_plain(x->g->pool, SN_I64),
                              sn_shape(x->g->pool, t->rank, t->dim), t->data,
                              out);
}

/* Where each index lies but for its own axis. */
static SnStatus
other_axes(SnImport *x, const SnImportVal *v, Pick *p, SnData **t)
{
    int64_t stride[SN_MAXRANK], at[SN_MAXRANK] = {0}, s = 1;

    for (int i = v->rank - 1; i >= 0; i--) {
        stride[i] = s;
        s *= v->dim[i];
        if (i != p->axis && p->index->dim[i] > v->dim[i])
            return sn_import_fail(
                x, SN_EINPUT,
                "dimension %d of '%s' is %" PRId64 ", of '%s' %" PRId64, i,
                p->index->name, p->index->dim[i], v->name, v->dim[i]);
    }
    p->stride = stride[p->axis];
    p->count = s;
    SN_TRY(int_data(x, p->rank, p->index->dim, t, &p->rest));
    int64_t n = sn_data_count(*t);
    for (int64_t k = 0; k < n; k++) {
        p->rest[k] = 0;
        for (int i = 0; i < p->rank; i++)
            p->rest[k] += i != p->axis ? at[i] * stride[i] : 0;
        for (int i = p->rank - 1; i >= 0; i--) {
            if (++at[i] < p->index->dim[i])
                break;
            at[i] = 0;
        }
    }
    return SN_OK;
}

static SnStatus
known_positions(SnImport *x, const Pick *p, const SnData *index, SnRef *out)
{
    int64_t n = sn_data_count(index), *flat;
    SnData *t;

    if (index->dtype != SN_D_I64 && index->dtype != SN_D_I32)
        return sn_import_fail(x, SN_EINPUT, "'%s' is neither int32 nor int64",
                              p->index->name);
    SN_TRY(int_data(x, p->rank, p->index->dim, &t, &flat));
    for (int64_t k = 0; k < n; k++) {
        int64_t i = sn_data_int(index, k);
        if (i < -p->n || i >= p->n)
            return sn_import_fail(x, SN_EINPUT,
                                  "index %" PRId64 " of %" PRId64 " slices", i,
                                  p->n);
        flat[k] = p->rest[k] + (i < 0 ? i + p->n : i) * p->stride;
    }
    return int_constant(x, p->index->name, t, out);
}

static SnStatus
step(SnImport *x, const char *kind, const char *name, SnRef a, int64_t v,
     SnRef *out)
{
    SnRef c;

    SN_TRY(sn_import_int_const(x, NULL, SN_I64, v, &c));
    return sn_import_binary(
        x, kind, name != NULL ? sn_import_part(x, name) : NULL, a, c, out);
}

static SnStatus
choose(SnImport *x, const char *name, SnRef c, SnRef yes, SnRef no, SnRef *out)
{
    SnRef in[3] = {c, yes, no};

    return sn_import_node(x, "Where", sn_import_part(x, name), 3, in, NULL,
                          NULL, out);
}

/* Indices that are worked out at run time.  One out of range becomes a flat
 * one out of range, which Gather refuses. */
static SnStatus
run_positions(SnImport *x, const Pick *p, SnImportVal *index,
              const SnData *rest, SnRef *out)
{
    SnRef i, c, d, r;

    SN_TRY(sn_import_plain(x, index, &i));
    SN_TRY(sn_import_cast(x, sn_import_part(x, "i64"), i, SN_I64, &i));
    SN_TRY(step(x, "Less", NULL, i, -p->n, &c));
    SN_TRY(step(x, "GreaterOrEqual", NULL, i, p->n, &d));
    SN_TRY(sn_import_binary(x, "Or", sn_import_part(x, "outside"), c, d, &d));
    SN_TRY(step(x, "Less", "negative", i, 0, &c));
    SN_TRY(step(x, "Add", "from_end", i, p->n, &r));
    SN_TRY(choose(x, "slice", c, r, i, &i));
    SN_TRY(step(x, "Mul", "offset", i, p->stride, &i));
    SN_TRY(int_constant(x, sn_import_part(x, "rest"), rest, &r));
    SN_TRY(sn_import_binary(x, "Add", sn_import_part(x, "flat"), i, r, &i));
    SN_TRY(sn_import_int_const(x, sn_import_part(x, "count"), SN_I64, p->count,
                               &r));
    return choose(x, "position", d, r, i, out);
}

SnStatus
sn_onnx_gather_elements(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v, *index;
    const SnData *known;
    SnData *rest = NULL;
    SnRef in[2], y;
    Pick p = {0};

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_need(x, 1, &index));
    SN_TRY(sn_import_int(x, "axis", 0, &p.axis));
    if (v->rank < 1 || v->rank != index->rank)
        return sn_import_fail(x, SN_EINPUT,
                              "%d dimensions, the indices have %d", v->rank,
                              index->rank);
    if (p.axis < -v->rank || p.axis >= v->rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d", p.axis,
                              v->rank);
    p.axis += p.axis < 0 ? v->rank : 0;
    p.rank = v->rank;
    p.index = index;
    p.n = v->dim[p.axis];
    SN_TRY(other_axes(x, v, &p, &rest));
    known = sn_import_const(x, index);
    if (known != NULL)
        SN_TRY(known_positions(x, &p, known, &in[1]));
    else
        SN_TRY(run_positions(x, &p, index, rest, &in[1]));
    SN_TRY(sn_import_plain(x, v, &in[0]));
    if (v->rank > 1)
        SN_TRY(sn_import_reshaped(x, sn_import_part(x, "all"), in[0], 1,
                                  &p.count, &in[0]));
    SN_TRY(sn_import_node(x, sn_desc(c->desc->kind)->name, sn_import_name(x, 0),
                          2, in, NULL, NULL, &y));
    return sn_import_put(x, 0, y);
}

/* ---- CumSum ---- */

/* Is element i in the sum at j? */
static bool
counted(int64_t i, int64_t j, bool reverse, bool exclusive)
{
    return (reverse ? i > j : i < j) || (i == j && !exclusive);
}

/* The matrix of ones [n, n] whose column j adds up the sum at j. */
static SnStatus
ones(SnImport *x, SnElem e, int64_t n, bool reverse, bool exclusive, SnRef *out)
{
    int64_t dim[2] = {n, n};
    const SnShape *s = sn_shape(x->g->pool, 2, dim);
    SnData *t;

    SN_TRY(
        sn_import_new_data(x, e == SN_F32 ? SN_D_F32 : SN_D_I32, 2, dim, &t));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            bool in = counted(i, j, reverse, exclusive);
            void *p = (void *)(uintptr_t)t->data;
            if (e == SN_F32)
                ((float *)p)[i * n + j] = in ? 1 : 0;
            else
                ((int32_t *)p)[i * n + j] = in ? 1 : 0;
        }
    return sn_import_constant(x, sn_import_part(x, "ones"),
                              sn_type_plain(x->g->pool, e), s, t->data, out);
}

static SnStatus
sum_axis(SnImport *x, int rank, int64_t *axis)
{
    SnImportVal *v;
    const SnData *t;

    SN_TRY(sn_import_need(x, 1, &v));
    t = sn_import_const(x, v);
    if (t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the axis '%s' must be constant", v->name);
    if ((t->dtype != SN_D_I64 && t->dtype != SN_D_I32) || sn_data_count(t) != 1)
        return sn_import_fail(x, SN_EINPUT, "the axis '%s' is not one integer",
                              v->name);
    *axis = sn_data_int(t, 0);
    if (*axis < -rank || *axis >= rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d", *axis,
                              rank);
    *axis += *axis < 0 ? rank : 0;
    return SN_OK;
}

SnStatus
sn_onnx_cumsum(SnImport *x, const SnImportCall *c)
{
    int64_t axis = 0, reverse, exclusive, n;
    int perm[SN_MAXRANK], last;
    SnImportVal *v;
    SnRef y, w;
    SnElem e;

    (void)c;
    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "reverse", 0, &reverse));
    SN_TRY(sn_import_int(x, "exclusive", 0, &exclusive));
    SN_TRY(sum_axis(x, v->rank, &axis));
    SN_TRY(sn_import_plain(x, v, &y));
    e = sn_type(x->g, y)->elem;
    n = v->dim[axis];
    last = v->rank - 1;
    if ((e != SN_F32 && e != SN_I32) || n > MAX_SUM)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "running sums of %" PRId64
                              " %s; of at most %d f32 "
                              "or int32 are supported",
                              n, sn_elem_name(e), MAX_SUM);
    for (int i = 0; i < v->rank; i++)
        perm[i] = i;
    perm[axis] = last;
    perm[last] = (int)axis;
    SN_TRY(ones(x, e, n, reverse != 0, exclusive != 0, &w));
    if (v->rank == 1) {
        int64_t row[2] = {1, n};
        SN_TRY(sn_import_reshaped(x, sn_import_part(x, "row"), y, 2, row, &y));
    } else if (axis != last) {
        SN_TRY(sn_import_permute(x, sn_import_part(x, "last"), y, v->rank, perm,
                                 &y));
    }
    SN_TRY(sn_import_binary(x, e == SN_F32 ? "MatMul" : "IntegerMatMul",
                            v->rank > 1 && axis == last
                                ? sn_import_name(x, 0)
                                : sn_import_part(x, "sums"),
                            y, w, &y));
    if (v->rank == 1)
        SN_TRY(sn_import_reshaped(x, sn_import_name(x, 0), y, 1, &n, &y));
    else if (axis != last)
        SN_TRY(
            sn_import_permute(x, sn_import_name(x, 0), y, v->rank, perm, &y));
    return sn_import_put(x, 0, y);
}

/* ---- Trilu ---- */

/* On which side of the diagonal k an element is kept. */
static SnStatus
triangle(SnImport *x, const SnImportVal *v, int64_t k, bool upper, SnRef *out)
{
    int64_t h = v->dim[v->rank - 2], w = v->dim[v->rank - 1], dim[2] = {h, w};
    SnData *t;
    uint8_t *p;

    SN_TRY(sn_import_new_data(x, SN_D_BOOL, 2, dim, &t));
    p = (uint8_t *)(uintptr_t)t->data;
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++)
            p[i * w + j] = upper ? j - k >= i : j - k <= i;
    return sn_import_constant(x, sn_import_part(x, "kept"),
                              sn_type_plain(x->g->pool, SN_BOOL),
                              sn_shape(x->g->pool, 2, dim), t->data, out);
}

SnStatus
sn_onnx_trilu(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v, *kv = sn_import_in(x, 1);
    const SnData *t = kv != NULL ? sn_import_const(x, kv) : NULL;
    int64_t upper, k = 0;
    SnRef in[3], y;
    SnElem e;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "upper", 1, &upper));
    if (v->rank < 2)
        return sn_import_fail(x, SN_EINPUT, "of %d dimensions, not a matrix",
                              v->rank);
    if (kv != NULL && t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the diagonal '%s' must be constant", kv->name);
    if (t != NULL && (t->dtype != SN_D_I64 || sn_data_count(t) != 1))
        return sn_import_fail(x, SN_EINPUT,
                              "the diagonal '%s' is not one int64", kv->name);
    if (t != NULL)
        k = sn_data_int(t, 0);
    k = k < -(INT64_C(1) << 40) ? -(INT64_C(1) << 40)
        : k > INT64_C(1) << 40  ? INT64_C(1) << 40
                                : k;
    SN_TRY(triangle(x, v, k, upper != 0, &in[0]));
    SN_TRY(sn_import_plain(x, v, &in[1]));
    e = sn_type(x->g, in[1])->elem;
    if (e == SN_I32 || e == SN_I64)
        SN_TRY(sn_import_int_const(x, sn_import_part(x, "zero"), e, 0, &in[2]));
    else if (e == SN_F32)
        SN_TRY(sn_import_scalar(x, sn_import_part(x, "zero"), 0, &in[2]));
    else
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "of %s; f32, int32 and int64 are supported",
                              sn_elem_name(e));
    SN_TRY(sn_import_node(x, sn_desc(c->desc->kind)->name, sn_import_name(x, 0),
                          3, in, NULL, NULL, &y));
    return sn_import_put(x, 0, y);
}
