// SPDX-License-Identifier: Apache-2.0
/* Reductions, transposed convolution, and operators made of several nodes. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

/* ---- reductions ---- */

/* Axes are an attribute before opset `since`, input 1 since. */
static SnStatus
reduce_axes(SnImport *x, int64_t since, int rank, SnInts *axes)
{
    if (x->version < since)
        SN_TRY(sn_import_ints(x, "axes", axes));
    else
        SN_TRY(sn_import_ints_in(x, 1, "the axes", axes));
    for (uint32_t i = 0; i < axes->n; i++)
        if (axes->v[i] < -rank || axes->v[i] >= rank)
            return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d",
                                  axes->v[i], rank);
    return SN_OK;
}

static SnStatus
put_reduced(SnImport *x, SnKind k, SnImportVal *v, SnInts axes, bool keep)
{
    void *attr = sn_import_attr(x, k);
    SnRef in, y;
    bool truth;

    for (int i = 0; i < v->rank; i++)
        if (v->dim[i] == 0 && !sn_import_is(x, "ReduceSum"))
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "over no elements is not supported");
    SN_TRY(sn_import_plain(x, v, &in));
    truth = sn_type(x->g, in)->elem == SN_BOOL &&
            (sn_import_is(x, "ReduceMax") || sn_import_is(x, "ReduceMin"));
    if (truth) /* of numbers 0 and 1 */
        SN_TRY(
            sn_import_cast(x, sn_import_part(x, "numbers"), in, SN_I32, &in));
    sn_import_set_ints(x, k, attr, "axes", axes.n, axes.v);
    sn_import_set_flag(k, attr, "keepdims", keep);
    SN_TRY(sn_import_node(x, sn_desc(k)->name,
                          truth ? sn_import_part(x, "reduced")
                                : sn_import_name(x, 0),
                          1, &in, attr, NULL, &y));
    if (truth)
        SN_TRY(sn_import_cast(x, sn_import_name(x, 0), y, SN_BOOL, &y));
    return sn_import_put(x, 0, y);
}

SnStatus
sn_onnx_reduce(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnInts axes;
    int64_t keep, none;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "keepdims", 1, &keep));
    SN_TRY(sn_import_int(x, "noop_with_empty_axes", 0, &none));
    SN_TRY(
        reduce_axes(x, sn_import_is(x, "ReduceSum") ? 13 : 18, v->rank, &axes));
    if (axes.n == 0 && none != 0) {
        if (!sn_import_is(x, "ReduceSum") && !sn_import_is(x, "ReduceMean") &&
            !sn_import_is(x, "ReduceMax") && !sn_import_is(x, "ReduceMin"))
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "over no axes is not supported");
        return sn_import_alias(x, 0, v);
    }
    return put_reduced(x, c->desc->kind, v, axes, keep != 0);
}

/* x as a matrix, the reduced axes as its columns; dim gets the shape of the
 * result, *n its rank. */
static SnStatus
columns(SnImport *x, SnRef in, SnInts axes, bool keep, int64_t *dim, int *n,
        SnRef *out)
{
    const SnShape *s = sn_shape_of(x->g, in);
    bool gone[SN_MAXRANK] = {false};
    int perm[SN_MAXRANK], at = 0;
    int64_t to[2] = {1, 1};

    for (uint32_t i = 0; i < axes.n; i++)
        gone[axes.v[i] + (axes.v[i] < 0 ? s->rank : 0)] = true;
    *n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->rank; i++) {
            if ((gone[i] || axes.n == 0) != (k == 1))
                continue;
            perm[at++] = i;
            to[k] *= s->dim[i];
        }
    for (int i = 0; i < s->rank; i++) {
        bool cut = gone[i] || axes.n == 0;
        if (!cut || keep)
            dim[(*n)++] = cut ? 1 : s->dim[i];
    }
    SN_TRY(sn_import_permute(x, sn_import_part(x, "axes"), in, s->rank, perm,
                             out));
    return sn_import_reshaped(x, sn_import_part(x, "rows"), *out, 2, to, out);
}

/* The product of each row: halves are multiplied with each other. */
static SnStatus
row_products(SnImport *x, SnRef *y)
{
    SnKind concat;

    SN_TRY(sn_import_kind(x, "Concat", &concat));
    for (int k = 0; sn_shape_of(x->g, *y)->dim[1] > 1; k++) {
        int64_t n = sn_shape_of(x->g, *y)->dim[1], half = n / 2;
        const char *part = sn_format(x->a, "half%d", k);
        SnRef in[2], a, b;
        SN_TRY(sn_import_box(x,
                             sn_import_part(x, sn_format(x->a, "%s.a", part)),
                             *y, 1, 0, half, &a));
        SN_TRY(sn_import_box(x,
                             sn_import_part(x, sn_format(x->a, "%s.b", part)),
                             *y, 1, half, half, &b));
        SN_TRY(
            sn_import_binary(x, "Mul", sn_import_part(x, part), a, b, &in[0]));
        if (n % 2 != 0) {
            void *attr = sn_import_attr(x, concat);
            sn_import_set_int(concat, attr, "axis", 1);
            SN_TRY(sn_import_box(
                x, sn_import_part(x, sn_format(x->a, "%s.c", part)), *y, 1,
                n - 1, 1, &in[1]));
            SN_TRY(sn_import_node(
                x, "Concat", sn_import_part(x, sn_format(x->a, "%s.d", part)),
                2, in, attr, NULL, &in[0]));
        }
        *y = in[0];
    }
    return SN_OK;
}

SnStatus
sn_onnx_reduce_prod(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnInts axes;
    int64_t keep, none, dim[SN_MAXRANK];
    SnElem e;
    SnRef y;
    int rank;

    (void)c;
    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "keepdims", 1, &keep));
    SN_TRY(sn_import_int(x, "noop_with_empty_axes", 0, &none));
    SN_TRY(reduce_axes(x, 18, v->rank, &axes));
    if (axes.n == 0 && none != 0)
        return sn_import_alias(x, 0, v);
    for (int i = 0; i < v->rank; i++)
        if (v->dim[i] == 0)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "over no elements is not supported");
    SN_TRY(sn_import_plain(x, v, &y));
    e = sn_type(x->g, y)->elem;
    if (e != SN_F32 && e != SN_I32 && e != SN_I64)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "of %s; f32, int32 and int64 are "
                              "supported",
                              sn_elem_name(e));
    SN_TRY(columns(x, y, axes, keep != 0, dim, &rank, &y));
    SN_TRY(row_products(x, &y));
    SN_TRY(sn_import_reshaped(x, sn_import_name(x, 0), y, rank, dim, &y));
    return sn_import_put(x, 0, y);
}

/* The last of equal values is the first one from the other end. */
static SnStatus
last_index(SnImport *x, const SnImportCall *c, SnImportVal *v, int64_t axis,
           bool keep)
{
    SnKind flip, k = c->desc->kind;
    void *attr;
    SnRef r, n;

    SN_TRY(sn_import_kind(x, "Flip", &flip));
    attr = sn_import_attr(x, flip);
    sn_import_set_ints(x, flip, attr, "axes", 1, &axis);
    SN_TRY(sn_import_plain(x, v, &r));
    SN_TRY(sn_import_node(x, "Flip", sn_import_part(x, "flip"), 1, &r, attr,
                          NULL, &r));
    attr = sn_import_attr(x, k);
    sn_import_set_ints(x, k, attr, "axes", 1, &axis);
    sn_import_set_flag(k, attr, "keepdims", keep);
    SN_TRY(sn_import_node(x, sn_desc(k)->name, sn_import_part(x, "from_end"), 1,
                          &r, attr, NULL, &r));
    SN_TRY(sn_import_int_const(x, sn_import_part(x, "last"), SN_I64,
                               v->dim[axis] - 1, &n));
    SN_TRY(sn_import_binary(x, "Sub", sn_import_name(x, 0), n, r, &r));
    return sn_import_put(x, 0, r);
}

SnStatus
sn_onnx_arg(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    int64_t axis, keep, last;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "axis", 0, &axis));
    SN_TRY(sn_import_int(x, "keepdims", 1, &keep));
    SN_TRY(sn_import_int(x, "select_last_index", 0, &last));
    if (axis < -v->rank || axis >= v->rank)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d", axis,
                              v->rank);
    axis += axis < 0 ? v->rank : 0;
    if (last != 0)
        return last_index(x, c, v, axis, keep != 0);
    return put_reduced(x, c->desc->kind, v, (SnInts){1, &axis}, keep != 0);
}

/* ---- transposed convolution ---- */

/* w [in, out / group, kh, kw] as [out, kh, kw, in / group]. */
static SnStatus
transposed_weights(SnImport *x, SnImportVal *v, int64_t group, SnRef *out)
{
    static const int one[] = {1, 2, 3, 0}, many[] = {0, 2, 3, 4, 1};
    int64_t five[5], four[4];

    if (group == 1)
        return sn_import_get(x, v, one, out);
    five[0] = group;
    five[1] = four[3] = v->dim[0] / group;
    five[2] = v->dim[1];
    five[3] = four[1] = v->dim[2];
    five[4] = four[2] = v->dim[3];
    four[0] = v->dim[1] * group;
    if (v->data != NULL && v->q == NULL && v->data->dtype == SN_D_F32) {
        SnData *t = sn_memdup(x->a, v->data, sizeof *t);
        const SnData *r;
        t->rank = 5;
        memcpy(t->dim, five, sizeof five);
        SN_TRY(sn_import_permuted(x, t, many, &r));
        return sn_import_reals_const(x, v->name, 4, four, r->data, out);
    }
    SN_TRY(sn_import_plain(x, v, out));
    SN_TRY(sn_import_reshaped(x, sn_format(x->a, "%s.groups", v->name), *out, 5,
                              five, out));
    SN_TRY(sn_import_permute(x, sn_format(x->a, "%s.turned", v->name), *out, 5,
                             many, out));
    return sn_import_reshaped(x, sn_format(x->a, "%s.filters", v->name), *out,
                              4, four, out);
}

typedef struct Deconv {
    int64_t kernel[2], stride[2], dilate[2], pads[4], more[2], group;
} Deconv;

static SnStatus
pair(SnImport *x, const char *name, int64_t lo, int64_t *v, uint32_t n)
{
    SnInts a;

    SN_TRY(sn_import_ints(x, name, &a));
    if (a.v == NULL)
        return SN_OK;
    if (a.n != n)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "attribute '%s' has %" PRIu32 " values, %" PRIu32
                              " are supported (two-dimensional pictures)",
                              name, a.n, n);
    for (uint32_t i = 0; i < n; i++) {
        if (a.v[i] < lo || a.v[i] > 1 << 20)
            return sn_import_fail(x, SN_EINPUT,
                                  "attribute '%s' holds %" PRId64
                                  ", expected %" PRId64 " to %d",
                                  name, a.v[i], lo, 1 << 20);
        v[i] = a.v[i];
    }
    return SN_OK;
}

/* Pads that give the wanted size; what is missing is added below and right. */
static void
pads_for(Deconv *d, const SnImportVal *v, const int64_t *want, bool upper)
{
    for (int i = 0; i < 2; i++) {
        int64_t all = d->stride[i] * (v->dim[2 + i] - 1) + d->more[i] +
                      (d->kernel[i] - 1) * d->dilate[i] + 1 - want[i];
        if (all < 0) {
            d->more[i] -= all;
            all = 0;
        }
        d->pads[i] = upper ? all / 2 : all - all / 2;
        d->pads[2 + i] = all - d->pads[i];
    }
}

static SnStatus
deconv_attrs(SnImport *x, const SnImportVal *v, const SnImportVal *w, Deconv *d)
{
    int64_t want[2] = {-1, -1};
    const char *mode;

    *d = (Deconv){{w->dim[2], w->dim[3]}, {1, 1}, {1, 1}, {0}, {0, 0}, 1};
    SN_TRY(pair(x, "kernel_shape", 1, d->kernel, 2));
    SN_TRY(pair(x, "strides", 1, d->stride, 2));
    SN_TRY(pair(x, "dilations", 1, d->dilate, 2));
    SN_TRY(pair(x, "pads", 0, d->pads, 4));
    SN_TRY(pair(x, "output_padding", 0, d->more, 2));
    SN_TRY(pair(x, "output_shape", 1, want, 2));
    SN_TRY(sn_import_int(x, "group", 1, &d->group));
    SN_TRY(sn_import_str(x, "auto_pad", "NOTSET", &mode));
    if (d->kernel[0] != w->dim[2] || d->kernel[1] != w->dim[3] ||
        d->group < 1 || w->dim[0] % d->group != 0 || v->dim[1] != w->dim[0])
        return sn_import_fail(
            x, SN_EINPUT,
            "weights, kernel_shape, group and channels do not "
            "fit");
    if (strncmp(mode, "SAME_", 5) == 0 && want[0] < 0)
        for (int i = 0; i < 2; i++)
            want[i] = v->dim[2 + i] * d->stride[i];
    if (want[0] >= 0)
        pads_for(d, v, want, strcmp(mode, "SAME_UPPER") == 0);
    return SN_OK;
}

SnStatus
sn_onnx_conv_transpose(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    SnImportVal *v, *w, *b = sn_import_in(x, 2);
    SnRef in[3] = {0}, y;
    Deconv d;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_need(x, 1, &w));
    if (v->rank != 4 || w->rank != 4)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "only two-dimensional pictures are supported");
    SN_TRY(deconv_attrs(x, v, w, &d));
    SN_TRY(sn_import_last(x, v, &in[0]));
    SN_TRY(transposed_weights(x, w, d.group, &in[1]));
    if (b != NULL)
        SN_TRY(sn_import_plain(x, b, &in[2]));
    sn_import_set_ints(x, k, attr, "kernel", 2, d.kernel);
    sn_import_set_ints(x, k, attr, "stride", 2, d.stride);
    sn_import_set_ints(x, k, attr, "dilate", 2, d.dilate);
    sn_import_set_ints(x, k, attr, "pads", 4, d.pads);
    sn_import_set_ints(x, k, attr, "more", 2, d.more);
    sn_import_set_int(k, attr, "group", d.group);
    SN_TRY(sn_import_node(x, sn_desc(k)->name, sn_import_name(x, 0), 3, in,
                          attr, NULL, &y));
    return sn_import_put_last(x, 0, y);
}
