// SPDX-License-Identifier: Apache-2.0
#include "onnx/hooks/hooks_all.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- windows ---- */

/* The attributes of a node over windows of a picture, NHWC. */
typedef struct Windows {
    const SnInts *kernel, *stride, *pads, *dilate;
    const SnShape *in;
    int64_t ceil_mode;
    bool plain; /* two axes, numbers that the node may have */
} Windows;

static bool
sane(const SnInts *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->v[i] < 1 || v->v[i] > INT32_MAX)
            return false;
    return v->n == 2;
}

static SnStatus
windows_read(SnImport *x, const SnImportCall *c, Windows *w)
{
    SnKind k = c->desc->kind;

    *w = (Windows){.kernel = sn_import_get_ints(k, c->attr, "kernel"),
                   .stride = sn_import_get_ints(k, c->attr, "stride"),
                   .pads = sn_import_get_ints(k, c->attr, "pads"),
                   .dilate = sn_import_get_ints(k, c->attr, "dilate"),
                   .in = sn_shape_of(x->g, c->in[0])};
    w->plain = w->in->rank == 4 && sane(w->kernel) && sane(w->stride) &&
               sane(w->dilate);
    w->ceil_mode = 0; /* of a convolution it is unknown, and refused */
    return sn_attr_named(sn_desc(k), "ceil_mode")
               ? sn_import_int(x, "ceil_mode", 0, &w->ceil_mode)
               : SN_OK;
}

/* The elements from the first to the last tap along axis i. */
static int64_t
span_of(const Windows *w, int i)
{
    return (w->kernel->v[i] - 1) * w->dilate->v[i] + 1;
}

/* Padding so that there are ceil(input / stride) results; an odd one more goes
 * after the picture (SAME_UPPER) or before it (SAME_LOWER). */
static void
same_pads(const Windows *w, bool upper, int64_t pads[4])
{
    for (int i = 0; i < 2; i++) {
        int64_t n = w->in->dim[1 + i], s = w->stride->v[i];
        int64_t out = n / s + (n % s != 0);
        int64_t all = (out - 1) * s + span_of(w, i) - n;

        all = all > 0 ? all : 0;
        pads[upper ? i : 2 + i] = all / 2;
        pads[upper ? 2 + i : i] = all - all / 2;
    }
}

/* Is one of the windows that begin at 0, s, 2 s, .., last of a row of n
 * elements behind `before` padded ones between them?  All reach over the row
 * or into it, so that only taps further apart than n can miss it: those of a
 * window at a are at a mod d, a mod d + d, ... */
static bool
steps_over(int64_t n, int64_t before, int64_t s, int64_t d, int64_t last)
{
    int64_t r = (d - before % d) % d, first = r;

    if (d <= n)
        return false;
    for (int64_t at = 0; r < n; at += s) {
        if (at >= last)
            return false;
        r = (r + s) % d;
        if (r == first)
            return false;
    }
    return true;
}

/* Pads that a node can have: sums with sizes do not overflow. */
static bool
pads_fit(const SnInts *pads)
{
    for (uint32_t i = 0; i < pads->n; i++)
        if (pads->v[i] < 0 || pads->v[i] >> 40 != 0)
            return false;
    return pads->n == 4;
}

/* The first axis along which some window lies in the padding; 2: none. */
static int
axis_of_padding(const Windows *w, const int64_t *pads)
{
    for (int i = 0; i < 2; i++) {
        int64_t n = w->in->dim[1 + i], s = w->stride->v[i], before = pads[i];
        int64_t d = w->dilate->v[i], span = span_of(w, i);
        int64_t room = n + before + pads[2 + i] - span;
        int64_t last = (w->ceil_mode ? (room + s - 1) / s : room / s) * s;
        if (room < 0)
            continue; /* the node's own declaration refuses it */
        if (w->ceil_mode && last >= n + before)
            last -= s; /* ceil_mode starts none behind the picture */
        if (before >= span || last - before >= n ||
            steps_over(n, before, s, d, last))
            return i;
    }
    return 2;
}

/* A window that lies in the padding has no largest element, and no mean where
 * pads are not counted. */
static SnStatus
check_windows(SnImport *x, const Windows *w, const int64_t *pads)
{
    int i = axis_of_padding(w, pads);
    int64_t counted = 0;

    if (i == 2)
        return SN_OK;
    if (sn_import_is(x, "AveragePool"))
        SN_TRY(sn_import_int(x, "count_include_pad", 0, &counted));
    if (counted)
        return SN_OK; /* sn_onnx_ceil_pad */
    return sn_import_fail(
        x, SN_EINPUT,
        "'pads' = [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
        "]: along axis %d a window of %" PRId64 " is padding only",
        pads[0], pads[1], pads[2], pads[3], 2 + i, span_of(w, i));
}

SnStatus
sn_onnx_auto_pad(SnImport *x, const SnImportCall *c)
{
    bool nonempty = sn_desc(c->desc->kind)->sem->nonempty;
    int64_t made[4] = {0};
    const char *mode;
    Windows w;

    SN_TRY(windows_read(x, c, &w));
    SN_TRY(sn_import_str(x, "auto_pad", "NOTSET", &mode));
    nonempty &= w.plain && w.in->dim[0] != 0 && w.in->dim[3] != 0;
    if (strcmp(mode, "NOTSET") == 0)
        return nonempty && pads_fit(w.pads) ? check_windows(x, &w, w.pads->v)
                                            : SN_OK;
    if (strcmp(mode, "VALID") != 0 && strcmp(mode, "SAME_UPPER") != 0 &&
        strcmp(mode, "SAME_LOWER") != 0)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'auto_pad' = \"%s\", expected NOTSET, "
                              "VALID, SAME_UPPER or SAME_LOWER",
                              mode);
    for (uint32_t i = 0; i < w.pads->n; i++)
        if (w.pads->v[i] != 0)
            return sn_import_fail(
                x, SN_EINPUT, "has both 'pads' and 'auto_pad' = \"%s\"", mode);
    if (!w.plain)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "'auto_pad' is supported for two-dimensional "
                              "pictures only");
    if (mode[0] == 'S')
        same_pads(&w, mode[5] == 'U', made);
    sn_import_set_ints(x, c->desc->kind, c->attr, "pads", 4, made);
    return nonempty ? check_windows(x, &w, made) : SN_OK;
}

/* Along one axis of n elements: how far windows that start inside reach past
 * the padded end (*past), and how much of the pad behind they see (*after). */
static void
reach(int64_t n, int64_t kernel, int64_t stride, int64_t before, int64_t *after,
      int64_t *past)
{
    int64_t whole = n + before + *after, nwin, end;

    nwin = whole < kernel ? 1 : (whole - kernel + stride - 1) / stride + 1;
    if ((nwin - 1) * stride >= n + before)
        nwin--;
    end = (nwin - 1) * stride + kernel;
    *past = end > whole ? end - whole : 0;
    if (end < whole)
        *after = end > n + before ? end - n - before : 0;
}

/* A window that ceil_mode lets reach past the pads counts the pads, but not
 * what is beyond: the pads become a Pad, and only what is inside is counted.
 * (QLinearAveragePool divides by the whole window instead.)  They become one
 * also where a window lies in them, so that it is not empty. */
SnStatus
sn_onnx_ceil_pad(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind, pad;
    int64_t counted, p[4], past[4] = {0}, all[8] = {0};
    void *attr;
    Windows w;

    SN_TRY(windows_read(x, c, &w));
    SN_TRY(sn_import_int(x, "count_include_pad", 0, &counted));
    if (!counted || !sn_import_is(x, "AveragePool") || !w.plain ||
        !pads_fit(w.pads))
        return SN_OK;
    memcpy(p, w.pads->v, sizeof p);
    for (int i = 0; i < 2 && w.ceil_mode; i++)
        reach(w.in->dim[1 + i], span_of(&w, i), w.stride->v[i], p[i], &p[2 + i],
              &past[2 + i]);
    if (past[2] == 0 && past[3] == 0 && axis_of_padding(&w, w.pads->v) == 2)
        return SN_OK;
    for (int i = 0; i < 4; i++)
        all[i < 2 ? 1 + i : 3 + i] = p[i];
    SN_TRY(sn_import_kind(x, "Pad", &pad));
    attr = sn_import_attr(x, pad);
    sn_import_set_ints(x, pad, attr, "pads", 8, all);
    SN_TRY(sn_import_node(x, "Pad", sn_import_part(x, "padded"), 1, c->in, attr,
                          NULL, c->in));
    sn_import_set_ints(x, k, c->attr, "pads", 4, past);
    sn_import_set_flag(k, c->attr, "ceil_mode", false);
    sn_import_set_flag(k, c->attr, "count_include_pad", false);
    return SN_OK;
}

/* Positions are transposed where they are made (sn_import_nchw_positions). */
SnStatus
sn_onnx_argmax(SnImport *x, const SnImportCall *c)
{
    int64_t order;

    (void)c;
    SN_TRY(sn_import_int(x, "storage_order", 0, &order));
    if (order == 0 || order == 1)
        return SN_OK;
    return sn_import_fail(
        x, SN_EINPUT, "attribute 'storage_order' is %" PRId64 ", not 0 or 1",
        order);
}

/* ---- Gemm: alpha * A * B + beta * C ---- */

typedef struct Gemm {
    SnImportVal *a, *b, *c; /* c may be NULL */
    int64_t trans_a, trans_b;
    float alpha, beta;
    int64_t m, k, n;
} Gemm;

static SnStatus
gemm_read(SnImport *x, Gemm *g)
{
    int64_t kb;

    SN_TRY(sn_import_need(x, 0, &g->a));
    SN_TRY(sn_import_need(x, 1, &g->b));
    g->c = sn_import_in(x, 2);
    SN_TRY(sn_import_real(x, "alpha", 1, &g->alpha));
    SN_TRY(sn_import_real(x, "beta", 1, &g->beta));
    SN_TRY(sn_import_int(x, "transA", 0, &g->trans_a));
    SN_TRY(sn_import_int(x, "transB", 0, &g->trans_b));
    if (g->a->rank != 2 || g->b->rank != 2)
        return sn_import_fail(x, SN_EINPUT,
                              "operands of %d and %d dimensions, expected 2",
                              g->a->rank, g->b->rank);
    g->m = g->a->dim[g->trans_a != 0];
    g->k = g->a->dim[g->trans_a == 0];
    kb = g->b->dim[g->trans_b != 0];
    g->n = g->b->dim[g->trans_b == 0];
    if (g->k != kb)
        return sn_import_fail(x, SN_EINPUT,
                              "sums over %" PRId64 " and %" PRId64 " elements",
                              g->k, kb);
    if (g->c != NULL && g->beta == 0)
        g->c = NULL;
    return SN_OK;
}

/* A known f32 tensor times f, as a new value. */
static SnStatus
scaled(SnImport *x, SnImportVal *v, float f, SnImportVal **out)
{
    SnData *r;
    int64_t n;
    float *p;

    *out = v;
    if (f == 1)
        return SN_OK;
    v->data = sn_import_settle(x, v->data);
    SN_TRY(sn_import_new_data(x, SN_D_F32, v->rank, v->dim, &r));
    n = sn_data_count(r);
    p = (float *)(uintptr_t)r->data;
    for (int64_t i = 0; i < n; i++)
        p[i] = ((const float *)v->data->data)[i] * f;
    *out = SN_NEW(x->a, SnImportVal);
    (*out)->name = sn_format(x->a, "%s.scaled", v->name);
    (*out)->made = true;
    (*out)->rank = v->rank;
    memcpy((*out)->dim, v->dim, sizeof v->dim);
    (*out)->data = r;
    return SN_OK;
}

static bool
known_f32(const SnImportVal *v)
{
    return v->data != NULL && v->q == NULL && v->data->dtype == SN_D_F32;
}

/* C as one value for each of n columns; *out NULL when it varies by row or is
 * not known. */
static SnStatus
column_bias(SnImport *x, const Gemm *g, SnImportVal **out)
{
    SnImportVal *c = g->c, *v;
    int64_t count = sn_dims_count(c->rank, c->dim);
    SnData *r;

    *out = NULL;
    if (c->q != NULL && g->beta == 1 && c->rank == 1 && c->dim[0] == g->n)
        *out = c;
    if (!known_f32(c) || (count != g->n && count != 1) ||
        (c->rank > 0 && c->dim[c->rank - 1] != count))
        return SN_OK;
    SN_TRY(scaled(x, c, g->beta, &v));
    *out = v;
    if (v->rank == 1 && v->dim[0] == g->n)
        return SN_OK;
    SN_TRY(sn_import_new_data(x, SN_D_F32, 1, &g->n, &r));
    v->data = sn_import_settle(x, v->data);
    for (int64_t i = 0; i < g->n; i++)
        ((float *)(uintptr_t)r->data)[i] =
            ((const float *)v->data->data)[count == 1 ? 0 : i];
    *out = SN_NEW(x->a, SnImportVal);
    (*out)->name = v->name;
    (*out)->made = true;
    (*out)->rank = 1;
    (*out)->dim[0] = g->n;
    (*out)->data = r;
    return SN_OK;
}

/* The form of a FullyConnected: constant weights as [out, in], a bias for each
 * output; *done says whether it fits. */
static SnStatus
gemm_connected(SnImport *x, SnKind k, const Gemm *g, bool *done)
{
    static const int as_is[] = {0, 1}, swapped[] = {1, 0};
    SnImportVal *w, *b = NULL;
    SnRef in[3] = {0}, y;
    SnSpec s = {.kind = k, .name = sn_import_name(x, 0), .nin = 3, .in = in};

    *done = false;
    if (g->trans_a || g->b->data == NULL || (g->alpha != 1 && !known_f32(g->b)))
        return SN_OK;
    if (g->c != NULL) {
        SN_TRY(column_bias(x, g, &b));
        if (b == NULL)
            return SN_OK;
    }
    SN_TRY(scaled(x, g->b, g->alpha, &w));
    SN_TRY(sn_import_plain(x, g->a, &in[0]));
    SN_TRY(sn_import_get(x, w, g->trans_b ? as_is : swapped, &in[1]));
    if (b != NULL)
        SN_TRY(sn_import_plain(x, b, &in[2]));
    *done = true;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}

/* y * f, where f is not 1. */
static SnStatus
times(SnImport *x, const char *name, SnRef y, float f, SnRef *out)
{
    const SnShape *one = sn_shape(x->g->pool, 0, NULL);
    float *p = sn_memdup(x->a, &f, sizeof f);
    SnRef in[2] = {y, 0};
    SnSpec s = {.name = name, .nin = 2, .in = in};

    *out = y;
    if (f == 1)
        return SN_OK;
    SN_TRY(sn_import_kind(x, "Mul", &s.kind));
    SN_TRY(sn_import_constant(x, sn_format(x->a, "%s.factor", name),
                              sn_type_plain(x->g->pool, SN_F32), one, p,
                              &in[1]));
    return sn_import_add(x, &s, out);
}

static SnStatus
gemm_general(SnImport *x, const Gemm *g)
{
    const char *name = sn_import_name(x, 0);
    bool last = g->alpha == 1 && g->c == NULL;
    SnRef in[2], y, c;
    SnSpec s = {.nin = 2, .in = in}, add = {.name = name, .nin = 2};

    SN_TRY(sn_import_kind(x, "MatMul", &s.kind));
    s.name = last ? name : sn_import_part(x, "product");
    s.attr = sn_import_attr(x, s.kind);
    sn_import_set_flag(s.kind, (void *)(uintptr_t)s.attr, "trans_a",
                       g->trans_a != 0);
    sn_import_set_flag(s.kind, (void *)(uintptr_t)s.attr, "trans_b",
                       g->trans_b != 0);
    SN_TRY(sn_import_plain(x, g->a, &in[0]));
    SN_TRY(sn_import_plain(x, g->b, &in[1]));
    SN_TRY(sn_import_add(x, &s, &y));
    SN_TRY(times(x, g->c == NULL ? name : sn_import_part(x, "alpha"), y,
                 g->alpha, &y));
    if (g->c == NULL)
        return sn_import_put(x, 0, y);
    SN_TRY(sn_import_plain(x, g->c, &c));
    SN_TRY(times(x, sn_import_part(x, "beta"), c, g->beta, &in[1]));
    in[0] = y;
    add.in = in;
    SN_TRY(sn_import_kind(x, "Add", &add.kind));
    SN_TRY(sn_import_add(x, &add, &y));
    return sn_import_put(x, 0, y);
}

SnStatus
sn_onnx_gemm(SnImport *x, const SnImportCall *c)
{
    Gemm g;
    bool done;

    SN_TRY(gemm_read(x, &g));
    SN_TRY(gemm_connected(x, c->desc->kind, &g, &done));
    return done ? SN_OK : gemm_general(x, &g);
}

/* ---- element by element ---- */

SnStatus
sn_onnx_clip(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    SnImportVal *v;
    float lo, hi;
    const SnType *type;
    SnRef in, y;
    SnSpec s = {.kind = k, .name = sn_import_name(x, 0), .nin = 1, .in = &in};

    SN_TRY(sn_import_need(x, 0, &v));
    if (x->version < 11) {
        SN_TRY(sn_import_real(x, "min", -FLT_MAX, &lo));
        SN_TRY(sn_import_real(x, "max", FLT_MAX, &hi));
    } else {
        SN_TRY(sn_import_real_like(x, v, 1, "the lower bound", -FLT_MAX, &lo));
        SN_TRY(sn_import_real_like(x, v, 2, "the upper bound", FLT_MAX, &hi));
    }
    if (isnan(lo) || isnan(hi))
        return sn_import_fail(x, SN_EINPUT, "a bound is not a number");
    /* Bounds at the ends of binary32 mean that there are none. */
    lo = lo <= -FLT_MAX ? -INFINITY : lo;
    hi = hi >= FLT_MAX ? INFINITY : hi;
    if (isinf(lo) && lo < 0 && isinf(hi) && hi > 0)
        return sn_import_alias(x, 0, v);
    SN_TRY(sn_import_plain(x, v, &in));
    sn_import_set_real(k, attr, "low", lo);
    sn_import_set_real(k, attr, "high", hi);
    s.attr = attr;
    type = sn_type(x->g, in);
    if (sn_elem_quant(type->elem))
        s.type = &type;
    SN_TRY(sn_import_add(x, &s, &y));
    return sn_import_put(x, 0, y);
}
