// SPDX-License-Identifier: Apache-2.0
/* Operators on codes: QLinear*, QGemm, and those on plain integers. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include "sn_kind_fully_connected.h"

/* ---- sums of products ---- */

bool
sn_import_by_column(const SnImportVal *v)
{
    return v->data != NULL && v->q != NULL && v->rank == 2 && v->q->axis == 1;
}

/* a . w, w constant with a scale for each column, a of any rank as the rows of
 * one matrix. */
SnStatus
sn_import_times_columns(SnImport *x)
{
    static const int swapped[] = {1, 0};
    SnImportVal *a, *w;
    int64_t dim[SN_MAXRANK], rows[2] = {1, 0};
    SnRef in[3] = {0}, y;

    SN_TRY(sn_import_need(x, 0, &a));
    SN_TRY(sn_import_need(x, 1, &w));
    rows[1] = w->dim[0];
    if (a->dim[a->rank - 1] != w->dim[0])
        return sn_import_fail(x, SN_EINPUT,
                              "sums over %" PRId64 " and %" PRId64 " elements",
                              a->dim[a->rank - 1], w->dim[0]);
    SN_TRY(sn_import_plain(x, a, &in[0]));
    SN_TRY(sn_import_get(x, w, swapped, &in[1]));
    if (a->rank == 2) {
        SN_TRY(sn_import_node(x, "FullyConnected", sn_import_name(x, 0), 3, in,
                              NULL, NULL, &y));
        return sn_import_put(x, 0, y);
    }
    for (int i = 0; i < a->rank - 1; i++) {
        dim[i] = a->dim[i];
        rows[0] *= dim[i];
    }
    dim[a->rank - 1] = w->dim[1];
    SN_TRY(sn_import_reshaped(x, sn_import_part(x, "rows"), in[0], 2, rows,
                              &in[0]));
    SN_TRY(sn_import_node(x, "FullyConnected", sn_import_part(x, "product"), 3,
                          in, NULL, NULL, &y));
    SN_TRY(sn_import_reshaped(x, sn_import_name(x, 0), y, a->rank, dim, &y));
    return sn_import_put(x, 0, y);
}

/* The shape of a bias of n elements at input i, which may be a row of a
 * matrix; *s is NULL where it is a vector or nothing. */
static SnStatus
row_shape(SnImport *x, uint32_t i, int64_t rows, int64_t n, const SnShape **s)
{
    const SnImportVal *v = sn_import_in(x, i);
    int64_t m, last;

    *s = NULL;
    if (v == NULL || v->rank > 2)
        return SN_OK;
    last = v->rank > 0 ? v->dim[v->rank - 1] : 1;
    m = v->rank > 1 ? v->dim[0] : 1;
    if (m == 1 && last == n)
        *s = sn_shape(x->g->pool, 1, &n);
    else if ((m == 1 || m == rows) && (last == 1 || last == n))
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "'%s' is broadcast; one value for each of %" PRId64
            " columns is supported",
            v->name, n);
    return SN_OK;
}

/* x . w^T + b, w [out, in] known. */
static SnStatus
connected(SnImport *x, SnRef a, uint32_t iw, uint32_t ib, bool transposed,
          const SnType *type, SnRef *y)
{
    static const int as_is[] = {0, 1}, swapped[] = {1, 0};
    SnRef in[3] = {a, 0, 0};
    const SnShape *s;
    SnKind k;

    SN_TRY(sn_import_codes(x, iw, transposed ? 0 : 1,
                           transposed ? as_is : swapped, &in[1]));
    k = sn_import_form(x, SN_K_FULLY_CONNECTED, 3, in, type);
    if (ib != 0) {
        SN_TRY(row_shape(x, ib, sn_shape_of(x->g, a)->dim[0],
                         sn_shape_of(x->g, in[1])->dim[0], &s));
        SN_TRY(sn_import_pinned(x, k, 3, in, 2, ib, s));
    }
    return sn_import_node(x, sn_desc(k)->name, sn_import_name(x, 0), 3, in,
                          NULL, type, y);
}

static bool
many(SnImport *x, uint32_t i)
{
    const SnImportVal *v = sn_import_in(x, i);

    return v != NULL && sn_dims_count(v->rank, v->dim) > 1;
}

SnStatus
sn_onnx_qlinear_matmul(SnImport *x, const SnImportCall *c)
{
    const SnImportVal *b = sn_import_in(x, 3);
    const SnType *type;
    SnRef ra, rb, y;

    if (many(x, 1) || many(x, 2))
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "a scale for each row of A is not supported");
    SN_TRY(sn_import_codes(x, 0, -1, NULL, &ra));
    SN_TRY(sn_import_code_type(x, 6, 7, &type));
    if (b != NULL && (many(x, 4) || many(x, 5))) {
        if (b->rank != 2)
            return sn_import_fail(
                x, SN_EUNSUPPORTED,
                "a scale for each column of B is supported for "
                "two dimensions only");
        SN_TRY(connected(x, ra, 3, 0, false, type, &y));
        return sn_import_put(x, 0, y);
    }
    SN_TRY(sn_import_codes(x, 3, -1, NULL, &rb));
    SN_TRY(sn_import_node(x, sn_desc(c->desc->kind)->name, sn_import_name(x, 0),
                          2, (SnRef[]){ra, rb}, NULL, type, &y));
    return sn_import_put(x, 0, y);
}

/* alpha * a.scale as the scale of A. */
static SnStatus
with_alpha(SnImport *x, float alpha, SnRef *a)
{
    const SnType *t = sn_type(x->g, *a), *to;

    if (alpha == 1)
        return SN_OK;
    to = sn_type_quant(x->g->pool, t->elem, alpha * t->scale[0], t->zp[0]);
    if (to == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "attribute 'alpha' is %g; its product with the "
                              "scale of A must be a scale",
                              (double)alpha);
    SN_TRY(sn_import_unary(x, "Codes", sn_import_part(x, "codes"), *a, a));
    return sn_import_node(x, "Label", sn_import_part(x, "alpha"), 1, a, NULL,
                          to, a);
}

SnStatus
sn_onnx_qgemm(SnImport *x, const SnImportCall *c)
{
    static const int swapped[] = {1, 0};
    const SnImportVal *a = sn_import_in(x, 0), *b = sn_import_in(x, 3);
    int64_t trans_a, trans_b;
    const SnType *type;
    float alpha;
    SnRef ra, y;

    (void)c;
    SN_TRY(sn_import_int(x, "transA", 0, &trans_a));
    SN_TRY(sn_import_int(x, "transB", 0, &trans_b));
    SN_TRY(sn_import_real(x, "alpha", 1, &alpha));
    if (a == NULL || b == NULL || a->rank != 2 || b->rank != 2)
        return sn_import_fail(x, SN_EINPUT, "the operands are not matrices");
    if (sn_import_in(x, 7) == NULL)
        return sn_import_qgemm_real(x, trans_a != 0, trans_b != 0, alpha);
    SN_TRY(sn_import_codes(x, 0, -1, trans_a != 0 ? swapped : NULL, &ra));
    SN_TRY(with_alpha(x, alpha, &ra));
    SN_TRY(sn_import_code_type(x, 7, 8, &type));
    SN_TRY(connected(x, ra, 3, 6, trans_b != 0, type, &y));
    return sn_import_put(x, 0, y);
}

/* ---- attributes and order of operands ---- */

/* zp is added before rounding; a uint8 model's is 128 larger. */
SnStatus
sn_onnx_round_after(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;

    sn_import_set_enum(k, c->attr, "round", "after");
    sn_import_set_int(k, c->attr, "zp_shift",
                      x->sign == SN_IMPORT_U8 ? 128 : 0);
    return SN_OK;
}

/* Is a value of shape a the same along the innermost axis of a sum with b that
 * has more than one element? */
static bool
runs_flat(const SnShape *a, const SnShape *b)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;

    for (int i = 1; i <= rank; i++) {
        int64_t na = i <= a->rank ? a->dim[a->rank - i] : 1;
        int64_t nb = i <= b->rank ? b->dim[b->rank - i] : 1;
        if (na != 1 || nb != 1)
            return na == 1;
    }
    return true;
}

/* ONNX Runtime exchanges the operands of a sum whose first one does not change
 * along the innermost axis; Add takes them as they stand (numerics.md). */
SnStatus
sn_onnx_varying_first(SnImport *x, const SnImportCall *c)
{
    SnRef a = c->in[0], b = c->in[1];

    if (!runs_flat(sn_shape_of(x->g, a), sn_shape_of(x->g, b)))
        return SN_OK;
    c->in[0] = b;
    c->in[1] = a;
    return SN_OK;
}

/* Left out: none, which means all. */
SnStatus
sn_onnx_axes(SnImport *x, const SnImportCall *c)
{
    SnInts axes;

    SN_TRY(sn_import_ints(x, "axes", &axes));
    sn_import_set_ints(x, c->desc->kind, c->attr, "axes", axes.n, axes.v);
    return SN_OK;
}

/* The window is the picture, which has channels last. */
SnStatus
sn_onnx_whole_picture(SnImport *x, const SnImportCall *c)
{
    const SnShape *s = sn_shape_of(x->g, c->in[0]);

    if (s->rank != 4)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "only two-dimensional pictures are supported");
    sn_import_set_ints(x, c->desc->kind, c->attr, "kernel", 2, s->dim + 1);
    return SN_OK;
}

/* ---- functions ---- */

/* Before opset 13 all axes from `axis` on are one. */
SnStatus
sn_onnx_qlinear_softmax(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    const SnType *type;
    const SnShape *s;
    int64_t axis, opset, two[2] = {1, 1};
    SnRef r;
    bool flat;

    SN_TRY(sn_import_int(x, "opset", 13, &opset));
    SN_TRY(sn_import_int(x, "axis", opset < 13 ? 1 : -1, &axis));
    SN_TRY(sn_import_codes(x, 0, -1, NULL, &r));
    SN_TRY(sn_import_code_type(x, 3, 4, &type));
    s = sn_shape_of(x->g, r);
    if (axis < -s->rank || axis >= s->rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d dimensions",
                              axis, s->rank);
    axis += axis < 0 ? s->rank : 0;
    flat = opset < 13 && axis + 1 < s->rank;
    for (int i = 0; i < s->rank; i++)
        two[i >= axis] *= s->dim[i];
    if (flat)
        SN_TRY(sn_import_reshaped(x, sn_import_part(x, "rows"), r, 2, two, &r));
    sn_import_set_int(k, attr, "axis", flat ? 1 : axis);
    SN_TRY(sn_import_node(x, sn_desc(sn_import_form(x, k, 1, &r, type))->name,
                          flat ? sn_import_part(x, "softmax")
                               : sn_import_name(x, 0),
                          1, &r, attr, type, &r));
    if (flat)
        SN_TRY(sn_import_reshaped(x, sn_import_name(x, 0), r, s->rank, s->dim,
                                  &r));
    return sn_import_put(x, 0, r);
}
