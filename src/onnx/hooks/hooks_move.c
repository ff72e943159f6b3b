// SPDX-License-Identifier: Apache-2.0
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/num.h"

/* ---- Slice, Split ---- */

typedef struct Box {
    int64_t start[SN_MAXRANK], size[SN_MAXRANK], step[SN_MAXRANK];
} Box;

static void
whole(const SnImportVal *v, Box *b)
{
    for (int i = 0; i < v->rank; i++) {
        b->start[i] = 0;
        b->size[i] = v->dim[i];
        b->step[i] = 1;
    }
}

static SnStatus
put_box(SnImport *x, const SnImportCall *c, SnImportVal *v, const Box *b,
        uint32_t result)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    uint32_t n = (uint32_t)v->rank;
    const SnData *t;
    SnRef in, y;
    SnSpec s = {
        .kind = k, .name = sn_import_name(x, result), .nin = 1, .in = &in};

    if (v->data != NULL && v->q == NULL) {
        SN_TRY(sn_import_sliced(x, v->data, b->start, b->size, b->step, &t));
        return sn_import_put_data(x, result, t);
    }
    SN_TRY(sn_import_plain(x, v, &in));
    sn_import_set_ints(x, k, attr, "start", n, b->start);
    sn_import_set_ints(x, k, attr, "size", n, b->size);
    sn_import_set_ints(x, k, attr, "step", n, b->step);
    s.attr = attr;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, result, y);
}

static int64_t
clamped(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* One axis, as numpy does it: negative counts from the end, then clamped. */
static void
slice_axis(Box *b, int64_t axis, int64_t dim, int64_t start, int64_t end,
           int64_t step)
{
    int64_t span;

    start = start < 0 ? (start < -dim ? -1 : start + dim) : start;
    end = end < 0 ? (end < -dim ? -1 : end + dim) : end;
    if (step > 0) {
        start = clamped(start, 0, dim);
        end = clamped(end, 0, dim);
        span = end - start;
    } else {
        start = clamped(start, 0, dim - 1);
        end = clamped(end, -1, dim - 1);
        span = start - end;
        step = step < -dim ? -dim - 1 : step;
    }
    step = step > dim ? dim + 1 : step;
    b->step[axis] = step;
    b->size[axis] = span <= 0 ? 0 : (span - 1) / (step > 0 ? step : -step) + 1;
    b->start[axis] = b->size[axis] > 0 ? start : 0;
    if (b->size[axis] <= 1)
        b->step[axis] = 1;
}

SnStatus
sn_onnx_slice(SnImport *x, const SnImportCall *c)
{
    SnImportVal *v;
    SnInts start, end, axes, step = {0};
    uint32_t seen = 0;
    Box b;

    SN_TRY(sn_import_need(x, 0, &v));
    if (x->version < 10) {
        SN_TRY(sn_import_ints(x, "starts", &start));
        SN_TRY(sn_import_ints(x, "ends", &end));
        SN_TRY(sn_import_ints(x, "axes", &axes));
    } else {
        SN_TRY(sn_import_ints_in(x, 1, "the starts", &start));
        SN_TRY(sn_import_ints_in(x, 2, "the ends", &end));
        SN_TRY(sn_import_ints_in(x, 3, "the axes", &axes));
        SN_TRY(sn_import_ints_in(x, 4, "the steps", &step));
    }
    if (start.v == NULL || start.n != end.n || start.n > (uint32_t)v->rank ||
        (axes.v != NULL && axes.n != start.n) ||
        (step.v != NULL && step.n != start.n))
        return sn_import_fail(x, SN_EINPUT,
                              "starts, ends, axes and steps do not match");
    whole(v, &b);
    for (uint32_t i = 0; i < start.n; i++) {
        int64_t k = axes.v != NULL ? axes.v[i] : i;
        int64_t by = step.v != NULL ? step.v[i] : 1;
        k += k < 0 ? v->rank : 0;
        if (k < 0 || k >= v->rank || (seen >> k & 1) || by == 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "axis %" PRId64 " with step %" PRId64
                                  ": expected an axis of %d, once, and a step "
                                  "other than 0",
                                  axes.v != NULL ? axes.v[i] : i, by, v->rank);
        seen |= 1u << k;
        slice_axis(&b, k, v->dim[k], start.v[i], end.v[i], by);
    }
    return put_box(x, c, v, &b, 0);
}

/* Sizes as given, or equal parts (a smaller last one since opset 18). */
static SnStatus
split_sizes(SnImport *x, int64_t dim, uint32_t n, int64_t *size)
{
    SnInts given;
    int64_t parts, sum = 0;

    if (x->version < 13)
        SN_TRY(sn_import_ints(x, "split", &given));
    else
        SN_TRY(sn_import_ints_in(x, 1, "the sizes", &given));
    SN_TRY(sn_import_int(x, "num_outputs", n, &parts));
    if (parts != n || (given.v != NULL && given.n != n))
        return sn_import_fail(x, SN_EINPUT, "%" PRId64 " parts for %u results",
                              given.v != NULL && given.n != n ? given.n : parts,
                              n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t part = dim / n + (dim % n != 0);
        size[i] =
            given.v != NULL ? given.v[i] : clamped(dim - i * part, 0, part);
        if (size[i] < 0 || size[i] > dim - sum)
            return sn_import_fail(x, SN_EINPUT,
                                  "the parts do not add up to %" PRId64, dim);
        sum += size[i];
    }
    if (sum != dim || (given.v == NULL && x->version < 18 && dim % n != 0))
        return sn_import_fail(x, SN_EINPUT,
                              "the parts do not add up to %" PRId64, dim);
    return SN_OK;
}

SnStatus
sn_onnx_split(SnImport *x, const SnImportCall *c)
{
    uint32_t n = (uint32_t)x->n->n_output;
    int64_t axis, *size = SN_NEW_N(x->a, int64_t, n);
    SnImportVal *v;
    Box b;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_int(x, "axis", 0, &axis));
    if (axis < -v->rank || axis >= v->rank || n == 0)
        return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d", axis,
                              v->rank);
    axis += axis < 0 ? v->rank : 0;
    SN_TRY(split_sizes(x, v->dim[axis], n, size));
    whole(v, &b);
    b.size[axis] = 0;
    for (uint32_t i = 0; i < n; i++) {
        b.start[axis] += b.size[axis];
        b.size[axis] = size[i];
        if (sn_import_out(x, i) != NULL)
            SN_TRY(put_box(x, c, v, &b, i));
    }
    return SN_OK;
}

/* ---- Pad ---- */

/* The element that operand 2 gives, or 0, as the node takes it: a real, or one
 * of the graph's integers. */
static SnStatus
pad_value(SnImport *x, const SnType *type, bool u8, float *value)
{
    SnImportVal *v = sn_import_in(x, 2);
    const SnData *t = v != NULL ? sn_import_const(x, v) : NULL;
    bool q8 = type->elem == SN_QI8 || type->elem == SN_I8;
    SnDtype want = q8                      ? (u8 ? SN_D_U8 : SN_D_I8)
                   : type->elem == SN_QI16 ? (u8 ? SN_D_U16 : SN_D_I16)
                   : type->elem == SN_I32  ? SN_D_I32
                                           : SN_D_I64;
    int64_t code;

    if (type->elem == SN_F32)
        return sn_import_real_in(x, 2, "the value", 0, value);
    if (v != NULL && t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the value '%s' must be constant", v->name);
    if (t != NULL && (t->dtype != want || sn_data_count(t) != 1))
        return sn_import_fail(x, SN_EINPUT, "the value '%s' is not one %s",
                              v->name, sn_dtype_name(want));
    code = t != NULL ? sn_data_int(t, 0) : 0;
    if (code < -(1 << 24) || code > 1 << 24)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the value '%s' is %" PRId64
                              ", within 2^24 is supported",
                              v->name, code);
    if (u8)
        code -= q8 ? 128 : 32768;
    *value = sn_elem_quant(type->elem)
                 ? sn_dequant((int32_t)code, type->scale[0], type->zp[0])
                 : (float)code;
    return SN_OK;
}

/* Widths for each axis, before and after; a negative one cuts off. */
static SnStatus
pad_widths(SnImport *x, const SnImportVal *v, const SnType *type, int64_t *pads,
           float *value)
{
    SnInts given, axes = {0};
    uint32_t rank = (uint32_t)v->rank, n;

    if (x->version < 11) {
        SN_TRY(sn_import_ints(x, "pads", &given));
        SN_TRY(sn_import_real(x, "value", 0, value));
    } else {
        SN_TRY(sn_import_ints_in(x, 1, "the widths", &given));
        SN_TRY(pad_value(x, type, v->u8, value));
        SN_TRY(sn_import_ints_in(x, 3, "the axes", &axes));
    }
    n = axes.v != NULL ? axes.n : rank;
    if (given.v == NULL || n > rank || given.n != 2 * n)
        return sn_import_fail(x, SN_EINPUT,
                              "%" PRIu32 " widths for %" PRIu32 " axes",
                              given.n, n);
    memset(pads, 0, 2 * rank * sizeof *pads);
    for (uint32_t i = 0; i < n; i++) {
        int64_t k = axes.v != NULL ? axes.v[i] : i;
        k += k < 0 ? v->rank : 0;
        if (k < 0 || k >= v->rank)
            return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d",
                                  axes.v[i], v->rank);
        if (given.v[i] < -(INT64_C(1) << 40) || given.v[i] > INT64_C(1) << 40 ||
            given.v[n + i] < -(INT64_C(1) << 40) ||
            given.v[n + i] > INT64_C(1) << 40)
            return sn_import_fail(x, SN_EINPUT,
                                  "widths %" PRId64 " and %" PRId64
                                  " of axis %" PRId64
                                  ", expected -2^40 to 2^40",
                                  given.v[i], given.v[n + i], k);
        pads[k] = given.v[i];
        pads[(uint32_t)k + rank] = given.v[n + i];
    }
    return SN_OK;
}

SnStatus
sn_import_set_word(SnImport *x, SnKind k, void *attr, const char *name,
                   const char *what, const char *word)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), name);

    if (a == NULL || a->kind != SN_A_ENUM)
        sn_bug("onnx: %s has no words '%s'", sn_desc(k)->name, name);
    for (int32_t i = 0; a->words[i] != NULL; i++)
        if (strcmp(a->words[i], word) == 0) {
            *(int32_t *)sn_attr_at(attr, a) = i;
            return SN_OK;
        }
    return sn_import_fail(x, SN_EUNSUPPORTED,
                          "attribute '%s' = \"%s\" is not supported", what,
                          word);
}

/* Cuts off what negative widths say and makes them 0. */
static SnStatus
cropped(SnImport *x, const SnImportVal *v, int64_t *pads, SnRef *in)
{
    for (int i = 0; i < v->rank; i++) {
        int64_t *before = &pads[i], *after = &pads[i + v->rank];
        int64_t from = *before < 0 ? -*before : 0;
        int64_t n = v->dim[i] - from + (*after < 0 ? *after : 0);
        if (from == 0 && *after >= 0)
            continue;
        if (n < 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "widths cut off more than the %" PRId64
                                  " elements of axis %d",
                                  v->dim[i], i);
        SN_TRY(sn_import_box(x, sn_import_part(x, sn_format(x->a, "cut%d", i)),
                             *in, i, from, n, in));
        *before = *before < 0 ? 0 : *before;
        *after = *after < 0 ? 0 : *after;
    }
    return SN_OK;
}

/* The elements over again beyond either end: slices by number. */
static SnStatus
wrapped(SnImport *x, int rank, const int64_t *pads, SnRef *y)
{
    SnKind k;

    SN_TRY(sn_import_kind(x, "Gather", &k));
    for (int i = 0; i < rank; i++) {
        int64_t n = sn_shape_of(x->g, *y)->dim[i];
        int64_t all = n + pads[i] + pads[i + rank];
        const char *part = sn_format(x->a, "wrap%d", i);
        void *attr = sn_import_attr(x, k);
        SnRef in[2] = {*y, 0};
        SnData *t;
        if (all == n)
            continue;
        if (n == 0)
            return sn_import_fail(x, SN_EINPUT, "axis %d has no elements", i);
        SN_TRY(sn_import_new_data(x, SN_D_I64, 1, &all, &t));
        for (int64_t j = 0; j < all; j++)
            ((int64_t *)(uintptr_t)t->data)[j] = ((j - pads[i]) % n + n) % n;
        SN_TRY(sn_import_constant(
            x, sn_import_part(x, sn_format(x->a, "%s.index", part)),
            sn_type_plain(x->g->pool, SN_I64), sn_shape(x->g->pool, 1, &all),
            t->data, &in[1]));
        sn_import_set_int(k, attr, "axis", i);
        SN_TRY(sn_import_node(x, "Gather", sn_import_part(x, part), 2, in, attr,
                              NULL, y));
    }
    return sn_import_put(x, 0, *y);
}

SnStatus
sn_onnx_pad(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    int64_t pads[2 * SN_MAXRANK];
    const char *mode;
    float value;
    SnImportVal *v;
    SnRef in, y;
    SnSpec s = {.kind = k, .name = sn_import_name(x, 0), .nin = 1, .in = &in};

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(pad_widths(x, v, sn_type(x->g, in), pads, &value));
    SN_TRY(sn_import_str(x, "mode", "constant", &mode));
    SN_TRY(cropped(x, v, pads, &in));
    if (strcmp(mode, "wrap") == 0)
        return wrapped(x, v->rank, pads, &in);
    SN_TRY(sn_import_set_word(x, k, attr, "mode", "mode", mode));
    sn_import_set_ints(x, k, attr, "pads", 2 * (uint32_t)v->rank, pads);
    sn_import_set_real(k, attr, "value", value);
    s.attr = attr;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}
