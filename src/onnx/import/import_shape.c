// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

typedef struct Dim {
    const char *name;
    int64_t value;
    bool used, batch; /* batch: bound by position, not by the user */
} Dim;

typedef struct Shape {
    const char *name; /* NULL: the only input */
    int rank;
    int64_t dim[SN_MAXRANK];
    bool used;
} Shape;

struct SnImportDims {
    Dim *dim;
    size_t ndim;
    Shape *shape;
    size_t nshape;
    const char **seen; /* names of symbolic dimensions in the model */
    size_t nseen;
    int64_t batch;
    bool batch_fits; /* it is the leading dimension of some input */
};

/* ---- options ---- */

static bool
number(const char *s, const char **end, int64_t *out)
{
    char *e;

    if (*s < '0' || *s > '9')
        return false;
    errno = 0;
    *out = strtoll(s, &e, 10);
    *end = e;
    return errno == 0 && *out > 0 && *out < INT64_C(1) << 40;
}

static SnStatus
read_dim(SnImport *x, const char *text)
{
    const char *eq = strrchr(text, '='), *end;
    Dim m = {0};

    if (eq == NULL || eq == text || !number(eq + 1, &end, &m.value) ||
        *end != '\0')
        return sn_fail(x->d, SN_EUSAGE, x->file,
                       "dimension '%s' is not NAME=NUMBER, the number 1 to "
                       "2^40 - 1",
                       text);
    m.name = sn_strndup(x->a, text, (size_t)(eq - text));
    for (size_t i = 0; i < x->dims->ndim; i++)
        if (strcmp(x->dims->dim[i].name, m.name) == 0)
            return sn_fail(x->d, SN_EUSAGE, x->file,
                           "dimension '%s' is given twice", m.name);
    SN_PUSH(x->a, x->dims->dim, x->dims->ndim, m);
    return SN_OK;
}

static SnStatus
read_shape(SnImport *x, const char *text)
{
    const char *eq = strrchr(text, '='), *p = eq != NULL ? eq + 1 : text;
    Shape s = {0};
    bool ok = eq != text;

    if (eq != NULL)
        s.name = sn_strndup(x->a, text, (size_t)(eq - text));
    while (ok) {
        ok = s.rank < SN_MAXRANK && number(p, &p, &s.dim[s.rank++]);
        if (ok && *p == '\0')
            break;
        ok = ok && (*p == 'x' || *p == ',');
        p++;
    }
    if (!ok)
        return sn_fail(x->d, SN_EUSAGE, x->file,
                       "shape '%s' is not INPUT=1x3x32x32 with at most %d "
                       "dimensions",
                       text, SN_MAXRANK);
    for (size_t i = 0; i < x->dims->nshape; i++) {
        const char *other = x->dims->shape[i].name;
        if (s.name == NULL || other == NULL || strcmp(s.name, other) == 0)
            return sn_fail(
                x->d, SN_EUSAGE, x->file, "the shape of %s%s%s is given twice",
                s.name != NULL ? "input '" : "the only input",
                s.name != NULL ? s.name : "", s.name != NULL ? "'" : "");
    }
    SN_PUSH(x->a, x->dims->shape, x->dims->nshape, s);
    return SN_OK;
}

SnStatus
sn_import_dims_open(SnImport *x)
{
    const SnOnnxOpts *o = x->opts;

    x->dims = SN_NEW(x->a, SnImportDims);
    x->dims->batch = 1;
    if (o == NULL)
        return SN_OK;
    if (o->batch < 0 || o->batch >= INT64_C(1) << 40)
        return sn_fail(x->d, SN_EUSAGE, x->file, "batch %" PRId64, o->batch);
    if (o->batch > 0)
        x->dims->batch = o->batch;
    for (size_t i = 0; o->dims != NULL && o->dims[i] != NULL; i++)
        SN_TRY(read_dim(x, o->dims[i]));
    for (size_t i = 0; o->shapes != NULL && o->shapes[i] != NULL; i++)
        SN_TRY(read_shape(x, o->shapes[i]));
    return SN_OK;
}

/* ---- inputs ---- */

static size_t
ninput(SnImport *x)
{
    size_t n = 0;

    for (size_t i = 0; i < x->pb->n_input; i++)
        n += sn_import_val(x, x->pb->input[i]->name)->data == NULL;
    return n;
}

static Shape *
override(SnImport *x, const char *name)
{
    Shape *s = x->dims->shape;

    for (size_t i = 0; i < x->dims->nshape; i++)
        if (s[i].name != NULL ? strcmp(s[i].name, name) == 0 : ninput(x) == 1) {
            s[i].used = true;
            return &s[i];
        }
    return NULL;
}

static Dim *
bound(SnImport *x, const char *name)
{
    for (size_t i = 0; i < x->dims->ndim; i++)
        if (strcmp(x->dims->dim[i].name, name) == 0) {
            x->dims->dim[i].used = true;
            return &x->dims->dim[i];
        }
    return NULL;
}

/* The dimensions that --dim gave and no input read so far has; NULL: none. */
static const char *
unused_dims(SnImport *x)
{
    const SnImportDims *s = x->dims;
    SnBuf b;

    sn_buf_init(&b, x->a);
    for (size_t i = 0; i < s->ndim; i++)
        if (!s->dim[i].used)
            sn_putf(&b, "%s'%s'", b.n > 0 ? ", " : "", s->dim[i].name);
    return b.n > 0 ? sn_buf_str(&b) : NULL;
}

/* A dimension without a number: bound by name, or the batch. */
static SnStatus
free_dim(SnImport *x, const char *name, int i, const char *param, int64_t *out)
{
    Dim m = {
        .name = param, .value = x->dims->batch, .used = true, .batch = true};
    const Dim *b = NULL;

    if (param != NULL && param[0] != '\0') {
        SN_PUSH(x->a, x->dims->seen, x->dims->nseen, param);
        b = bound(x, param);
    }
    if (b != NULL) {
        *out = b->value;
        return SN_OK;
    }
    if (i == 0) {
        *out = x->dims->batch;
        if (param != NULL && param[0] != '\0')
            SN_PUSH(x->a, x->dims->dim, x->dims->ndim, m);
        return SN_OK;
    }
    sn_fail(x->d, SN_EINPUT, sn_format(x->a, "%s: input '%s'", x->file, name),
            "dimension %d%s%s%s is open", i, param != NULL ? " ('" : "",
            param != NULL ? param : "", param != NULL ? "')" : "");
    if (param != NULL)
        sn_diag_help(x->d, "--dim '%s=NUMBER', or --shape '%s=1x...'", param,
                     name);
    else
        sn_diag_help(x->d, "--shape '%s=1x...'", name);
    const char *given = unused_dims(x);
    if (given != NULL)
        sn_diag_help(x->d,
                     "no input up to this one has a dimension %s, "
                     "which --dim gives",
                     given);
    return SN_EINPUT;
}

/* A dimension of 0 or less is open, as some exporters write it. */
static SnStatus
stated_shape(SnImport *x, const char *name, const Onnx__TensorShapeProto *s,
             SnImportVal *v)
{
    v->rank = (int)s->n_dim;
    for (int i = 0; i < v->rank; i++) {
        const Onnx__TensorShapeProto__Dimension *m = s->dim[i];
        const char *param = NULL;
        if (m->value_case ==
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            m->dim_value > 0) {
            v->dim[i] = m->dim_value;
            continue;
        }
        if (m->value_case ==
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
            param = m->dim_param;
        SN_TRY(free_dim(x, name, i, param, &v->dim[i]));
    }
    return SN_OK;
}

/* The dimension that the file calls param has this value in a shape that was
 * given; other inputs get the same. */
static SnStatus
bind(SnImport *x, const char *name, const char *param, int64_t value)
{
    Dim m = {.name = param, .value = value, .used = true};
    const Dim *b;

    if (param == NULL || param[0] == '\0')
        return SN_OK;
    SN_PUSH(x->a, x->dims->seen, x->dims->nseen, param);
    b = bound(x, param);
    if (b == NULL)
        SN_PUSH(x->a, x->dims->dim, x->dims->ndim, m);
    else if (b->value != value)
        return sn_fail(x->d, SN_EUSAGE, x->file,
                       "dimension '%s' is %" PRId64 " in the shape given for "
                       "input '%s', and %" PRId64 " elsewhere",
                       param, value, name, b->value);
    return SN_OK;
}

/* "[1, 3, height, width]"; what the file leaves open without a name is "?". */
static const char *
stated_str(SnImport *x, const Onnx__TensorShapeProto *s)
{
    SnBuf b;

    sn_buf_init(&b, x->a);
    for (size_t i = 0; i < s->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *m = s->dim[i];
        sn_puts(&b, i > 0 ? ", " : "[");
        if (m->value_case ==
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            m->dim_value > 0)
            sn_putf(&b, "%" PRId64, m->dim_value);
        else
            sn_puts(&b,
                    m->value_case ==
                            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                        ? m->dim_param
                        : "?");
    }
    sn_puts(&b, s->n_dim > 0 ? "]" : "[]");
    return sn_buf_str(&b);
}

static SnStatus
given_shape(SnImport *x, const char *name, const Shape *o,
            const Onnx__TensorShapeProto *s, SnImportVal *v)
{
    bool fits = s == NULL || s->n_dim == (size_t)o->rank;

    v->rank = o->rank;
    memcpy(v->dim, o->dim, sizeof o->dim);
    for (int i = 0; fits && s != NULL && i < o->rank; i++)
        fits = s->dim[i]->value_case !=
                   ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ||
               s->dim[i]->dim_value <= 0 || s->dim[i]->dim_value == o->dim[i];
    if (!fits)
        return sn_fail(x->d, SN_EUSAGE, x->file,
                       "the shape given for input '%s' does not fit %s, which "
                       "the file says",
                       name, stated_str(x, s));
    for (int i = 0; s != NULL && i < o->rank; i++)
        if (s->dim[i]->value_case ==
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
            SN_TRY(bind(x, name, s->dim[i]->dim_param, o->dim[i]));
    return SN_OK;
}

SnStatus
sn_import_input_shape(SnImport *x, const Onnx__ValueInfoProto *vi,
                      SnImportVal *v)
{
    const char *where = sn_format(x->a, "%s: input '%s'", x->file, vi->name);
    const Onnx__TypeProto__Tensor *t;
    const Shape *o = override(x, vi->name);

    if (vi->type == NULL ||
        vi->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return sn_fail(x->d, SN_EUNSUPPORTED, where, "is not a tensor");
    t = vi->type->tensor_type;
    if (t->shape == NULL && o == NULL) {
        sn_fail(x->d, SN_EINPUT, where, "has no shape in the file");
        sn_diag_help(x->d, "--shape '%s=1x...'", vi->name);
        return SN_EINPUT;
    }
    if (t->shape != NULL && t->shape->n_dim > SN_MAXRANK)
        return sn_fail(x->d, SN_EUNSUPPORTED, where,
                       "%zu dimensions; at most %d are supported",
                       t->shape->n_dim, SN_MAXRANK);
    if (o != NULL)
        SN_TRY(given_shape(x, vi->name, o, t->shape, v));
    else
        SN_TRY(stated_shape(x, vi->name, t->shape, v));
    if (sn_dims_count(v->rank, v->dim) < 0)
        return sn_fail(x->d, SN_EINPUT, where, "the shape is too large");
    if (v->rank > 0 && v->dim[0] == x->dims->batch)
        x->dims->batch_fits = true;
    return SN_OK;
}

/* The symbolic dimensions of inputs, each once. */
static const char *
names_str(SnImport *x)
{
    const SnImportDims *s = x->dims;
    uint32_t n = 0;
    SnBuf b;

    sn_buf_init(&b, x->a);
    for (size_t i = 0; i < s->nseen; i++) {
        size_t k = 0;
        while (strcmp(s->seen[k], s->seen[i]) != 0)
            k++;
        if (k == i)
            sn_putf(&b, "%s'%s'", n++ > 0 ? ", " : "there is ", s->seen[i]);
    }
    return n > 0 ? sn_buf_str(&b) : "no dimension of an input has a name";
}

SnStatus
sn_import_dims_done(SnImport *x)
{
    const SnImportDims *s = x->dims;
    const char *near;

    for (size_t i = 0; i < s->ndim; i++) {
        if (s->dim[i].used)
            continue;
        near = sn_closest(s->dim[i].name, s->seen, s->nseen);
        sn_fail(x->d, SN_EUSAGE, x->file, "no input has a dimension named '%s'",
                s->dim[i].name);
        if (near != NULL)
            sn_diag_help(x->d, "did you mean '%s'?", near);
        else
            sn_diag_help(x->d, "%s", names_str(x));
        return SN_EUSAGE;
    }
    for (size_t i = 0; i < s->nshape; i++) {
        if (s->shape[i].used)
            continue;
        if (s->shape[i].name == NULL)
            return sn_fail(x->d, SN_EUSAGE, x->file,
                           "a shape without a name fits models with one "
                           "input only");
        return sn_fail(x->d, SN_EUSAGE, x->file, "there is no input '%s'",
                       s->shape[i].name);
    }
    if (x->opts != NULL && x->opts->batch > 0 && !s->batch_fits)
        return sn_fail(x->d, SN_EUSAGE, x->file,
                       "no input has a leading dimension that is free for a "
                       "batch of %" PRId64,
                       s->batch);
    return SN_OK;
}
