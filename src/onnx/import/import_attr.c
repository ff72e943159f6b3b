// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "onnx/proto/tensor_pb.h"

typedef Onnx__AttributeProto Attr;

enum {
    A_FLOAT = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
    A_INT = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
    A_STRING = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
    A_TENSOR = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
    A_FLOATS = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
    A_INTS = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
};

static const char *
type_name(int t)
{
    static const char *const name[] = {
        "UNDEFINED",      "FLOAT",      "INT",         "STRING",
        "TENSOR",         "GRAPH",      "FLOATS",      "INTS",
        "STRINGS",        "TENSORS",    "GRAPHS",      "SPARSE_TENSOR",
        "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS",
    };

    return t >= 0 && t < (int)(sizeof name / sizeof name[0]) ? name[t]
                                                             : "unknown";
}

/* The stated type, or for files older than the field the one that is set. */
static int
type_of(const Attr *t)
{
    if (t->has_type && t->type != 0)
        return (int)t->type;
    return t->has_f          ? A_FLOAT
           : t->has_i        ? A_INT
           : t->has_s        ? A_STRING
           : t->t != NULL    ? A_TENSOR
           : t->n_floats > 0 ? A_FLOATS
           : t->n_ints > 0   ? A_INTS
                             : 0;
}

/* The attribute, marked as used; NULL when absent. */
static SnStatus
find(SnImport *x, const char *name, int type, const Attr **out)
{
    *out = NULL;
    for (size_t i = 0; i < x->n->n_attribute; i++) {
        const Attr *t = x->n->attribute[i];
        if (t->name == NULL || strcmp(t->name, name) != 0)
            continue;
        x->used[i] = true;
        if (type_of(t) != type)
            return sn_import_fail(x, SN_EINPUT,
                                  "attribute '%s' is %s, expected %s", name,
                                  type_name(type_of(t)), type_name(type));
        *out = t;
        return SN_OK;
    }
    return SN_OK;
}

bool
sn_import_has_attr(const SnImport *x, const char *name)
{
    for (size_t i = 0; i < x->n->n_attribute; i++)
        if (x->n->attribute[i]->name != NULL &&
            strcmp(x->n->attribute[i]->name, name) == 0)
            return true;
    return false;
}

SnStatus
sn_import_int(SnImport *x, const char *name, int64_t def, int64_t *out)
{
    const Attr *t;

    SN_TRY(find(x, name, A_INT, &t));
    *out = t != NULL ? t->i : def;
    return SN_OK;
}

SnStatus
sn_import_real(SnImport *x, const char *name, float def, float *out)
{
    const Attr *t;

    SN_TRY(find(x, name, A_FLOAT, &t));
    *out = t != NULL ? t->f : def;
    if (isnan(*out))
        return sn_import_fail(x, SN_EINPUT,
                              "attribute '%s' is NaN, expected a number", name);
    return SN_OK;
}

SnStatus
sn_import_str(SnImport *x, const char *name, const char *def, const char **out)
{
    const Attr *t;

    SN_TRY(find(x, name, A_STRING, &t));
    *out = def;
    if (t == NULL)
        return SN_OK;
    if (t->s.len > 0 && memchr(t->s.data, 0, t->s.len) != NULL)
        return sn_import_fail(x, SN_EINPUT, "attribute '%s' has a NUL byte",
                              name);
    *out = sn_strndup(x->a, (const char *)t->s.data, t->s.len);
    return SN_OK;
}

SnStatus
sn_import_ints(SnImport *x, const char *name, SnInts *out)
{
    const Attr *t;

    SN_TRY(find(x, name, A_INTS, &t));
    *out = (SnInts){0};
    if (t == NULL)
        return SN_OK;
    if (t->n_ints > UINT16_MAX)
        return sn_import_fail(x, SN_EINPUT, "attribute '%s' has %zu values",
                              name, t->n_ints);
    out->n = (uint32_t)t->n_ints;
    out->v = t->ints;
    return SN_OK;
}

SnStatus
sn_import_reals(SnImport *x, const char *name, SnReals *out)
{
    const Attr *t;

    SN_TRY(find(x, name, A_FLOATS, &t));
    *out = (SnReals){0};
    if (t == NULL)
        return SN_OK;
    if (t->n_floats > UINT32_MAX)
        return sn_import_fail(x, SN_EINPUT, "attribute '%s' has %zu values",
                              name, t->n_floats);
    out->n = (uint32_t)t->n_floats;
    out->v = t->floats;
    for (uint32_t i = 0; i < out->n; i++)
        if (isnan(out->v[i]))
            return sn_import_fail(x, SN_EINPUT,
                                  "attribute '%s' holds NaN, expected numbers",
                                  name);
    return SN_OK;
}

SnStatus
sn_import_tensor(SnImport *x, const char *name, const SnData **out)
{
    const Attr *t;
    SnData *data;

    SN_TRY(find(x, name, A_TENSOR, &t));
    *out = NULL;
    if (t == NULL)
        return SN_OK;
    if (t->t == NULL)
        return sn_import_fail(x, SN_EINPUT, "attribute '%s' has no tensor",
                              name);
    data = SN_NEW(x->a, SnData);
    SN_TRY(sn_import_tensor_pb(x, t->t, x->where, data));
    *out = data;
    return SN_OK;
}

void
sn_import_ignore(SnImport *x, const char *name)
{
    for (size_t i = 0; i < x->n->n_attribute; i++)
        if (x->n->attribute[i]->name != NULL &&
            strcmp(x->n->attribute[i]->name, name) == 0)
            x->used[i] = true;
}

/* Attributes that the standard requires, although their nodes have a
 * default. */
static const struct {
    const char *op, *name;
} needed[] = {
    {"LRN", "size"},
};

SnStatus
sn_import_attrs_needed(SnImport *x)
{
    int64_t training;

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (sn_import_is(x, needed[i].op) &&
            !sn_import_has_attr(x, needed[i].name))
            return sn_import_fail(x, SN_EINPUT, "attribute '%s' is missing",
                                  needed[i].name);
    if (sn_import_is(x, "BatchNormalization")) {
        SN_TRY(sn_import_int(x, "training_mode", 0, &training));
        if (training != 0)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "training mode is not supported");
    }
    return SN_OK;
}

/* Attributes that may be present at these values although no entry of
 * nodes.def mentions them: they change nothing then. */
static const struct {
    const char *op, *name;
    bool any; /* at any value; else at the integer v */
    int64_t v;
} quiet[] = {
    {"BatchNormalization", "momentum", true, 0},
    {"BatchNormalization", "spatial", false, 1},
    {"Cast", "saturate", true, 0},
};

static bool
is_quiet(const SnImport *x, const Attr *t)
{
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        if (sn_import_is(x, quiet[i].op) && strcmp(quiet[i].name, t->name) == 0)
            return quiet[i].any || (type_of(t) == A_INT && t->i == quiet[i].v);
    return false;
}

SnStatus
sn_import_attrs_done(SnImport *x)
{
    for (size_t i = 0; i < x->n->n_attribute; i++) {
        const Attr *t = x->n->attribute[i];
        if (x->used[i] || is_quiet(x, t))
            continue;
        if (type_of(t) == A_INT)
            return sn_import_fail(
                x, SN_EUNSUPPORTED,
                "attribute '%s' = %" PRId64 " is not supported", t->name, t->i);
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "attribute '%s' is not supported", t->name);
    }
    return SN_OK;
}
