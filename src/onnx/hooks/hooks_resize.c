// SPDX-License-Identifier: Apache-2.0
/* Resize and Upsample.  nearest is a node of its own; linear and cubic
 * interpolation are products with constant matrices, axis by axis. */
#include "onnx/hooks/hooks_all.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Resize {
    SnImportVal *v;
    int64_t dim[SN_MAXRANK];
    float scale[SN_MAXRANK];
    float from[SN_MAXRANK], to[SN_MAXRANK]; /* tf_crop_and_resize */
    const char *coord, *mode;
    float cubic, outside;
    int64_t exclude, antialias;
} Resize;

/* ---- sizes ---- */

/* Input i as one factor for each axis; n 0 when absent or empty. */
static SnStatus
factors(SnImport *x, uint32_t i, const char *what, SnReals *out)
{
    SnImportVal *v = sn_import_in(x, i);
    const SnData *t = v != NULL ? sn_import_const(x, v) : NULL;

    *out = (SnReals){0};
    if (v == NULL)
        return SN_OK;
    if (t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "the %s '%s' must be constant", what, v->name);
    if (t->dtype != SN_D_F32 || t->rank != 1 || t->dim[0] > 2 * SN_MAXRANK)
        return sn_import_fail(x, SN_EINPUT,
                              "the %s '%s' are not a list of floats", what,
                              v->name);
    out->n = (uint32_t)t->dim[0];
    out->v = t->data;
    return SN_OK;
}

/* One scale for all sizes, so that the result is not larger (or smaller) than
 * they say. */
static SnStatus
keep_ratio(SnImport *x, Resize *r, const SnInts *size, const int64_t *axis)
{
    const char *policy;
    float scale = 0;

    SN_TRY(sn_import_str(x, "keep_aspect_ratio_policy", "stretch", &policy));
    if (strcmp(policy, "stretch") == 0)
        return SN_OK;
    if (strcmp(policy, "not_larger") != 0 && strcmp(policy, "not_smaller") != 0)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'keep_aspect_ratio_policy' = \"%s\"",
                              policy);
    for (uint32_t i = 0; i < size->n; i++) {
        float f = (float)size->v[i] / (float)r->v->dim[axis[i]];
        if (i == 0 || (policy[4] == 'l' ? f < scale : f > scale))
            scale = f;
    }
    for (uint32_t i = 0; i < size->n; i++) {
        r->scale[axis[i]] = scale;
        r->dim[axis[i]] =
            (int64_t)floorf(scale * (float)r->v->dim[axis[i]] + 0.5F);
    }
    return SN_OK;
}

static SnStatus
set_sizes(SnImport *x, Resize *r, SnReals factor, SnInts size)
{
    int64_t axis[SN_MAXRANK];
    uint32_t n = factor.n > 0 ? factor.n : size.n;
    SnInts axes;

    SN_TRY(sn_import_ints(x, "axes", &axes));
    if ((factor.n > 0) == (size.n > 0) ||
        n != (axes.v != NULL ? axes.n : (uint32_t)r->v->rank))
        return sn_import_fail(x, SN_EINPUT,
                              "%" PRIu32 " factors and %" PRIu32
                              " sizes for %d dimensions",
                              factor.n, size.n, r->v->rank);
    for (int i = 0; i < r->v->rank; i++) {
        r->scale[i] = 1;
        r->dim[i] = r->v->dim[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t k = axes.v != NULL ? axes.v[i] : (int64_t)i;
        double out;
        k += k < 0 ? r->v->rank : 0;
        if (k < 0 || k >= r->v->rank)
            return sn_import_fail(x, SN_EINPUT, "axis %" PRId64 " of %d",
                                  axes.v[i], r->v->rank);
        axis[i] = k;
        out = size.n > 0 ? (double)size.v[i]
                         : floor((double)((float)r->v->dim[k] * factor.v[i]));
        if (!(out >= 1 && out < 1e9) || r->v->dim[k] == 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "dimension %" PRId64 " of %" PRId64
                                  " elements would get %g, expected 1 to 1e9",
                                  k, r->v->dim[k], out);
        r->dim[k] = (int64_t)out;
        r->scale[k] =
            size.n > 0 ? (float)r->dim[k] / (float)r->v->dim[k] : factor.v[i];
    }
    return size.n > 0 ? keep_ratio(x, r, &size, axis) : SN_OK;
}

/* ---- nearest ---- */

static SnStatus
put_nearest(SnImport *x, SnKind k, const Resize *r, void *attr)
{
    uint32_t n = (uint32_t)r->v->rank;
    const SnAttrDesc *sa = sn_attr_named(sn_desc(k), "scale");
    SnRef in, y;

    if (sa == NULL || sa->kind != SN_A_REALS)
        sn_bug("onnx: %s has no factors 'scale'", sn_desc(k)->name);
    *(SnReals *)sn_attr_at(attr, sa) =
        (SnReals){n, sn_memdup(x->a, r->scale, n * sizeof *r->scale)};
    sn_import_set_ints(x, k, attr, "dims", n, r->dim);
    SN_TRY(sn_import_plain(x, r->v, &in));
    SN_TRY(sn_import_node(x, sn_desc(k)->name, sn_import_name(x, 0), 1, &in,
                          attr, NULL, &y));
    return sn_import_put(x, 0, y);
}

/* ---- coordinates ---- */

/* Where result j lies in the operand. */
static double
source(const Resize *r, int axis, int64_t j)
{
    double scale = (double)r->scale[axis], v = (double)j;
    double nx = (double)r->v->dim[axis], ny = (double)r->dim[axis];
    double a = (double)r->from[axis], b = (double)r->to[axis];

    if (strcmp(r->coord, "asymmetric") == 0)
        return v / scale;
    if (strcmp(r->coord, "align_corners") == 0)
        return ny == 1 ? 0 : v * (nx - 1) / (ny - 1);
    if (strcmp(r->coord, "pytorch_half_pixel") == 0 && ny == 1)
        return 0;
    if (strcmp(r->coord, "tf_crop_and_resize") == 0)
        return ny > 1 ? a * (nx - 1) + v * (b - a) * (nx - 1) / (ny - 1)
                      : 0.5 * (a + b) * (nx - 1);
    if (strcmp(r->coord, "half_pixel_symmetric") == 0)
        return nx / 2 * (1 - ny / (scale * nx)) + (v + 0.5) / scale - 0.5;
    if (strcmp(r->coord, "tf_half_pixel_for_nn") == 0)
        return (v + 0.5) / scale;
    return (v + 0.5) / scale - 0.5;
}

static bool
coord_known(const char *word)
{
    static const char *const known[] = {
        "half_pixel",           "half_pixel_symmetric", "pytorch_half_pixel",
        "asymmetric",           "align_corners",        "tf_crop_and_resize",
        "tf_half_pixel_for_nn",
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], word) == 0)
            return true;
    return false;
}

/* Is this place outside the operand, so that it is filled? */
static bool
outside(const Resize *r, int axis, double at)
{
    return strcmp(r->coord, "tf_crop_and_resize") == 0 &&
           (at < 0 || at > (double)(r->v->dim[axis] - 1));
}

/* ---- interpolation ---- */

/* The weight of an element d away. */
static double
kernel(const Resize *r, double d)
{
    double a = (double)r->cubic;

    d = fabs(d);
    if (r->mode[0] == 'l')
        return d < 1 ? 1 - d : 0;
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* Row j of the matrix; false when it lies outside and is filled. */
static bool
weights(const Resize *r, int axis, int64_t j, double *w)
{
    int64_t n = r->v->dim[axis], from, to;
    double at = source(r, axis, j), wide = r->mode[0] == 'l' ? 1 : 2;
    double shrink = 1, sum = 0;

    if (outside(r, axis, at))
        return false;
    if (r->antialias != 0 && r->scale[axis] < 1)
        shrink = fmax((double)r->scale[axis], 1.0 / (double)(1 << 20));
    from = (int64_t)floor(at) + (int64_t)floor(-wide / shrink) + 1;
    to = (int64_t)floor(at) + 1 - ((int64_t)floor(-wide / shrink) + 1);
    for (int64_t i = from; i <= to; i++) {
        double v = kernel(r, ((double)i - at) * shrink);
        int64_t k = i < 0 ? 0 : i >= n ? n - 1 : i;
        if (r->exclude != 0 && k != i)
            continue;
        w[k] += v;
        sum += v;
    }
    for (int64_t k = 0; k < n && sum != 0; k++)
        w[k] /= sum;
    return true;
}

/* The matrix [dim of v, dim of the result] and the rows inside. */
static SnStatus
matrix(SnImport *x, const Resize *r, int axis, float **m, bool **inside)
{
    int64_t nx = r->v->dim[axis], ny = r->dim[axis];
    int64_t dim[2] = {nx, ny};
    double *w;

    if (nx > 1 << 20 || ny > 1 << 20)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "from %" PRId64 " to %" PRId64 " elements", nx,
                              ny);
    SN_TRY(sn_import_reals_room(x, 2, dim, m));
    w = SN_NEW_N(x->a, double, nx);
    *inside = SN_NEW_N(x->a, bool, ny);
    for (int64_t j = 0; j < ny; j++) {
        memset(w, 0, (size_t)nx * sizeof *w);
        (*inside)[j] = weights(r, axis, j, w);
        for (int64_t i = 0; i < nx && (*inside)[j]; i++)
            (*m)[i * ny + j] = (float)w[i];
    }
    return SN_OK;
}

/* One axis of in, by a product along the last one. */
static SnStatus
resize_axis(SnImport *x, const Resize *r, int axis, const float *m, SnRef *in)
{
    int64_t dim[2] = {r->v->dim[axis], r->dim[axis]};
    int perm[SN_MAXRANK], rank = r->v->rank;
    const char *part = sn_import_part(x, sn_format(x->a, "axis%d", axis));
    SnRef w;

    for (int i = 0; i < rank; i++)
        perm[i] = i;
    perm[axis] = rank - 1;
    perm[rank - 1] = axis;
    SN_TRY(sn_import_reals_const(x, sn_format(x->a, "%s.weights", part), 2, dim,
                                 m, &w));
    if (axis != rank - 1)
        SN_TRY(sn_import_permute(x, sn_format(x->a, "%s.last", part), *in, rank,
                                 perm, in));
    SN_TRY(sn_import_binary(x, "MatMul", part, *in, w, in));
    if (axis != rank - 1)
        SN_TRY(sn_import_permute(x, sn_format(x->a, "%s.back", part), *in, rank,
                                 perm, in));
    return SN_OK;
}

/* What lies outside the operand gets its own value. */
static SnStatus
fill_outside(SnImport *x, const Resize *r, bool *const *inside, SnRef *y)
{
    int64_t n;
    bool any = false;
    float *v;
    SnRef c;

    for (int a = 0; a < r->v->rank; a++)
        for (int64_t j = 0; inside[a] != NULL && j < r->dim[a]; j++)
            any |= !inside[a][j];
    if (!any || r->outside == 0)
        return SN_OK;
    SN_TRY(sn_import_reals_room(x, r->v->rank, r->dim, &v));
    n = sn_dims_count(r->v->rank, r->dim);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int a = r->v->rank - 1; a >= 0; a--) {
            if (inside[a] != NULL && !inside[a][rest % r->dim[a]])
                v[i] = r->outside;
            rest /= r->dim[a];
        }
    }
    SN_TRY(sn_import_reals_const(x, sn_import_part(x, "outside"), r->v->rank,
                                 r->dim, v, &c));
    return sn_import_binary(x, "Add", sn_import_part(x, "filled"), *y, c, y);
}

static SnStatus
put_interpolated(SnImport *x, const Resize *r)
{
    bool *inside[SN_MAXRANK] = {NULL};
    float *m = NULL;
    SnRef y;

    if (r->v->rank < 2)
        return sn_import_fail(x, SN_EUNSUPPORTED, "of %d dimensions",
                              r->v->rank);
    SN_TRY(sn_import_plain(x, r->v, &y));
    for (int axis = r->v->rank - 1; axis >= 0; axis--) {
        if (r->dim[axis] == r->v->dim[axis] && r->scale[axis] == 1 &&
            strcmp(r->coord, "tf_crop_and_resize") != 0)
            continue;
        if (strcmp(r->coord, "tf_crop_and_resize") == 0 &&
            r->dim[axis] == r->v->dim[axis] && r->from[axis] == 0 &&
            r->to[axis] == 1)
            continue;
        SN_TRY(matrix(x, r, axis, &m, &inside[axis]));
        SN_TRY(resize_axis(x, r, axis, m, &y));
    }
    SN_TRY(fill_outside(x, r, inside, &y));
    SN_TRY(
        sn_import_reshaped(x, sn_import_name(x, 0), y, r->v->rank, r->dim, &y));
    return sn_import_put(x, 0, y);
}

/* ---- nearest, by other coordinates ---- */

static int64_t
nearest_index(const Resize *r, const char *near, int axis, int64_t j,
              bool *inside)
{
    double at = source(r, axis, j), v;
    int64_t n = r->v->dim[axis], k;

    *inside = !outside(r, axis, at);
    v = strcmp(near, "floor") == 0               ? floor(at)
        : strcmp(near, "ceil") == 0              ? ceil(at)
        : strcmp(near, "round_prefer_ceil") == 0 ? floor(at + 0.5)
                                                 : ceil(at - 0.5);
    k = v < 0 ? 0 : v > (double)(n - 1) ? n - 1 : (int64_t)v;
    return k;
}

/* Slices of one axis, by number. */
static SnStatus
pick_axis(SnImport *x, const Resize *r, const char *near, int axis,
          bool **inside, SnRef *y)
{
    const char *part = sn_import_part(x, sn_format(x->a, "axis%d", axis));
    int64_t n = r->dim[axis], *v;
    SnRef in[2] = {*y, 0};
    SnData *t;
    SnKind k;
    void *attr;

    SN_TRY(sn_import_new_data(x, SN_D_I64, 1, &n, &t));
    v = (int64_t *)(uintptr_t)t->data;
    *inside = SN_NEW_N(x->a, bool, n);
    for (int64_t j = 0; j < n; j++)
        v[j] = nearest_index(r, near, axis, j, &(*inside)[j]);
    SN_TRY(sn_import_constant(x, sn_format(x->a, "%s.index", part),
                              sn_type_plain(x->g->pool, SN_I64),
                              sn_shape(x->g->pool, 1, &n), v, &in[1]));
    SN_TRY(sn_import_kind(x, "Gather", &k));
    attr = sn_import_attr(x, k);
    sn_import_set_int(k, attr, "axis", axis);
    return sn_import_node(x, "Gather", part, 2, in, attr, NULL, y);
}

/* The value for places outside, where there are any. */
static SnStatus
filled(SnImport *x, const Resize *r, bool *const *inside, SnRef *y)
{
    int64_t n = sn_dims_count(r->v->rank, r->dim);
    bool any = false;
    SnRef in[3] = {0, *y, 0};
    SnData *t;
    uint8_t *p;

    SN_TRY(sn_import_new_data(x, SN_D_BOOL, r->v->rank, r->dim, &t));
    p = (uint8_t *)(uintptr_t)t->data;
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        p[i] = 1;
        for (int k = r->v->rank - 1; k >= 0; k--) {
            if (inside[k] != NULL && !inside[k][rest % r->dim[k]])
                p[i] = 0;
            rest /= r->dim[k];
        }
        any |= p[i] == 0;
    }
    if (!any)
        return SN_OK;
    SN_TRY(sn_import_constant(
        x, sn_import_part(x, "inside"), sn_type_plain(x->g->pool, SN_BOOL),
        sn_shape(x->g->pool, r->v->rank, r->dim), p, &in[0]));
    SN_TRY(
        sn_import_scalar(x, sn_import_part(x, "outside"), r->outside, &in[2]));
    return sn_import_node(x, "Where", sn_import_part(x, "filled"), 3, in, NULL,
                          NULL, y);
}

static SnStatus
put_picked(SnImport *x, const Resize *r, const char *near)
{
    bool *inside[SN_MAXRANK] = {NULL};
    SnRef y;

    SN_TRY(sn_import_plain(x, r->v, &y));
    for (int axis = 0; axis < r->v->rank; axis++) {
        bool crop = strcmp(r->coord, "tf_crop_and_resize") == 0 &&
                    (r->from[axis] != 0 || r->to[axis] != 1);
        if (crop || r->dim[axis] != r->v->dim[axis] || r->scale[axis] != 1)
            SN_TRY(pick_axis(x, r, near, axis, &inside[axis], &y));
    }
    SN_TRY(filled(x, r, inside, &y));
    SN_TRY(
        sn_import_reshaped(x, sn_import_name(x, 0), y, r->v->rank, r->dim, &y));
    return sn_import_put(x, 0, y);
}

/* ---- operators ---- */

static SnStatus
read_mode(SnImport *x, Resize *r)
{
    SN_TRY(sn_import_need(x, 0, &r->v));
    SN_TRY(sn_import_str(x, "mode", "nearest", &r->mode));
    if (strcmp(r->mode, "nearest") == 0 || strcmp(r->mode, "linear") == 0 ||
        strcmp(r->mode, "cubic") == 0)
        return SN_OK;
    return sn_import_fail(
        x, SN_EINPUT,
        "attribute 'mode' = \"%s\", expected nearest, linear or "
        "cubic",
        r->mode);
}

/* Upsample and Resize of opset 10: coordinates are divided by the factor and
 * cut.  Implementations disagree for factors below 1. */
static SnStatus
old_resize(SnImport *x, const SnImportCall *c, Resize *r, SnReals factor)
{
    void *attr = sn_import_attr(x, c->desc->kind);

    for (uint32_t i = 0; i < factor.n; i++)
        if (!(factor.v[i] >= 1))
            return sn_import_fail(
                x, SN_EUNSUPPORTED,
                "factors below 1 are supported from opset 11");
    SN_TRY(set_sizes(x, r, factor, (SnInts){0}));
    r->coord = "asymmetric";
    if (r->mode[0] != 'n')
        return put_interpolated(x, r);
    sn_import_set_enum(c->desc->kind, attr, "coord", "asymmetric");
    sn_import_set_enum(c->desc->kind, attr, "near", "floor");
    return put_nearest(x, c->desc->kind, r, attr);
}

SnStatus
sn_onnx_upsample(SnImport *x, const SnImportCall *c)
{
    Resize r = {.cubic = -0.75F};
    SnReals factor;

    SN_TRY(read_mode(x, &r));
    if (x->version < 9)
        SN_TRY(sn_import_reals(x, "scales", &factor));
    else
        SN_TRY(factors(x, 1, "factors", &factor));
    return old_resize(x, c, &r, factor);
}

/* The window of tf_crop_and_resize: starts, then ends, of the axes. */
static SnStatus
read_window(SnImport *x, Resize *r)
{
    SnReals roi;
    SnInts axes;

    for (int i = 0; i < r->v->rank; i++)
        r->to[i] = 1;
    if (strcmp(r->coord, "tf_crop_and_resize") != 0)
        return SN_OK;
    SN_TRY(factors(x, 1, "window", &roi));
    SN_TRY(sn_import_ints(x, "axes", &axes));
    uint32_t n = axes.v != NULL ? axes.n : (uint32_t)r->v->rank;
    if (roi.n != 2 * n)
        return sn_import_fail(
            x, SN_EINPUT, "a window of %" PRIu32 " numbers, expected %" PRIu32,
            roi.n, 2 * n);
    for (uint32_t i = 0; i < roi.n; i++)
        if (!isfinite(roi.v[i]))
            return sn_import_fail(x, SN_EINPUT,
                                  "the window holds %g, expected finite "
                                  "numbers",
                                  (double)roi.v[i]);
    for (uint32_t i = 0; i < n; i++) {
        int64_t k = axes.v != NULL ? axes.v[i] : (int64_t)i;
        k += k < 0 ? r->v->rank : 0;
        assert(k >= 0 && k < r->v->rank); /* as set_sizes has seen */
        r->from[k] = roi.v[i];
        r->to[k] = roi.v[n + i];
    }
    return SN_OK;
}

SnStatus
sn_onnx_resize(SnImport *x, const SnImportCall *c)
{
    SnKind k = c->desc->kind;
    void *attr = sn_import_attr(x, k);
    Resize r = {.coord = "half_pixel"};
    SnReals factor;
    SnInts size;
    const char *near;

    SN_TRY(read_mode(x, &r));
    if (x->version < 11) {
        SN_TRY(factors(x, 1, "factors", &factor));
        return old_resize(x, c, &r, factor);
    }
    SN_TRY(sn_import_real(x, "cubic_coeff_a", -0.75F, &r.cubic));
    SN_TRY(sn_import_int(x, "exclude_outside", 0, &r.exclude));
    SN_TRY(sn_import_real(x, "extrapolation_value", 0, &r.outside));
    SN_TRY(sn_import_int(x, "antialias", 0, &r.antialias));
    sn_import_ignore(x, "keep_aspect_ratio_policy"); /* means sizes only */
    SN_TRY(sn_import_str(x, "coordinate_transformation_mode", "half_pixel",
                         &r.coord));
    SN_TRY(sn_import_str(x, "nearest_mode", "round_prefer_floor", &near));
    SN_TRY(factors(x, 2, "factors", &factor));
    SN_TRY(sn_import_ints_in(x, 3, "the sizes", &size));
    SN_TRY(set_sizes(x, &r, factor, size));
    if (!coord_known(r.coord))
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "attribute 'coordinate_transformation_mode' = "
                              "\"%s\" is not supported",
                              r.coord);
    SN_TRY(read_window(x, &r));
    if (r.mode[0] != 'n')
        return put_interpolated(x, &r);
    SN_TRY(sn_import_set_word(x, k, attr, "near", "nearest_mode", near));
    if (strcmp(r.coord, "tf_crop_and_resize") == 0 ||
        strcmp(r.coord, "tf_half_pixel_for_nn") == 0 ||
        strcmp(r.coord, "half_pixel_symmetric") == 0)
        return put_picked(x, &r, near);
    SN_TRY(sn_import_set_word(x, k, attr, "coord",
                              "coordinate_transformation_mode", r.coord));
    return put_nearest(x, k, &r, attr);
}
