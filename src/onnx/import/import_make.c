// SPDX-License-Identifier: Apache-2.0
/* Nodes that hooks put together. */
#include "onnx/import/import_priv.h"

#include <string.h>

SnStatus
sn_import_node(SnImport *x, const char *kind, const char *name, uint32_t nin,
               SnRef *in, void *attr, const SnType *type, SnRef *out)
{
    SnSpec s = {.name = name, .nin = nin, .in = in, .attr = attr};

    SN_TRY(sn_import_kind(x, kind, &s.kind));
    if (attr == NULL && sn_desc(s.kind)->nattr > 0)
        s.attr = sn_import_attr(x, s.kind);
    if (type != NULL)
        s.type = &type;
    return sn_import_add(x, &s, out);
}

SnStatus
sn_import_unary(SnImport *x, const char *kind, const char *name, SnRef in,
                SnRef *out)
{
    return sn_import_node(x, kind, name, 1, &in, NULL, NULL, out);
}

SnStatus
sn_import_binary(SnImport *x, const char *kind, const char *name, SnRef a,
                 SnRef b, SnRef *out)
{
    SnRef in[2] = {a, b};

    return sn_import_node(x, kind, name, 2, in, NULL, NULL, out);
}

SnStatus
sn_import_cast(SnImport *x, const char *name, SnRef in, SnElem to, SnRef *out)
{
    const SnType *t = sn_type_plain(x->g->pool, to);

    *out = in;
    if (sn_type(x->g, in) == t)
        return SN_OK;
    return sn_import_node(x, "Cast", name, 1, &in, NULL, t, out);
}

SnStatus
sn_import_reshaped(SnImport *x, const char *name, SnRef in, int rank,
                   const int64_t *dim, SnRef *out)
{
    SnKind k;
    void *attr;

    SN_TRY(sn_import_kind(x, "Reshape", &k));
    attr = sn_import_attr(x, k);
    sn_import_set_ints(x, k, attr, "dims", (uint32_t)rank, dim);
    return sn_import_node(x, "Reshape", name, 1, &in, attr, NULL, out);
}

SnStatus
sn_import_permute(SnImport *x, const char *name, SnRef in, int rank,
                  const int *perm, SnRef *out)
{
    int64_t p[SN_MAXRANK];
    SnKind k;
    void *attr;

    for (int i = 0; i < rank; i++)
        p[i] = perm[i];
    SN_TRY(sn_import_kind(x, "Transpose", &k));
    attr = sn_import_attr(x, k);
    sn_import_set_ints(x, k, attr, "perm", (uint32_t)rank, p);
    return sn_import_node(x, "Transpose", name, 1, &in, attr, NULL, out);
}

SnStatus
sn_import_box(SnImport *x, const char *name, SnRef in, int axis, int64_t from,
              int64_t n, SnRef *out)
{
    const SnShape *s = sn_shape_of(x->g, in);
    int64_t start[SN_MAXRANK] = {0}, size[SN_MAXRANK], step[SN_MAXRANK];
    uint32_t rank = (uint32_t)s->rank;
    SnKind k;
    void *attr;

    for (int i = 0; i < s->rank; i++) {
        size[i] = s->dim[i];
        step[i] = 1;
    }
    start[axis] = from;
    size[axis] = n;
    SN_TRY(sn_import_kind(x, "Slice", &k));
    attr = sn_import_attr(x, k);
    sn_import_set_ints(x, k, attr, "start", rank, start);
    sn_import_set_ints(x, k, attr, "size", rank, size);
    sn_import_set_ints(x, k, attr, "step", rank, step);
    return sn_import_node(x, "Slice", name, 1, &in, attr, NULL, out);
}

SnStatus
sn_import_reals_room(SnImport *x, int rank, const int64_t *dim, float **v)
{
    SnData *t;

    SN_TRY(sn_import_new_data(x, SN_D_F32, rank, dim, &t));
    *v = (float *)(uintptr_t)t->data;
    memset(*v, 0, sn_data_nbyte(t));
    return SN_OK;
}

SnStatus
sn_import_reals_const(SnImport *x, const char *name, int rank,
                      const int64_t *dim, const float *v, SnRef *out)
{
    const SnShape *s = sn_shape(x->g->pool, rank, dim);
    float *copy;

    if (s == NULL)
        return sn_import_fail(x, SN_EINPUT, "'%s' is too large", name);
    SN_TRY(sn_import_reals_room(x, rank, dim, &copy));
    if (sn_shape_count(s) > 0)
        memcpy(copy, v, (size_t)sn_shape_count(s) * sizeof *v);
    return sn_import_constant(x, name, sn_type_plain(x->g->pool, SN_F32), s,
                              copy, out);
}

SnStatus
sn_import_scalar(SnImport *x, const char *name, float v, SnRef *out)
{
    return sn_import_reals_const(x, name, 0, NULL, &v, out);
}

SnStatus
sn_import_int_const(SnImport *x, const char *name, SnElem e, int64_t v,
                    SnRef *out)
{
    const SnShape *one = sn_shape(x->g->pool, 0, NULL);
    int32_t narrow = (int32_t)v;
    const void *p = e == SN_I64 ? sn_memdup(x->a, &v, sizeof v)
                                : sn_memdup(x->a, &narrow, sizeof narrow);

    return sn_import_constant(x, name, sn_type_plain(x->g->pool, e), one, p,
                              out);
}

void
sn_import_set_flag(SnKind k, void *attr, const char *name, bool v)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), name);

    if (a == NULL || a->kind != SN_A_BOOL)
        sn_bug("onnx: %s has no flag '%s'", sn_desc(k)->name, name);
    *(bool *)sn_attr_at(attr, a) = v;
}

void
sn_import_set_enum(SnKind k, void *attr, const char *name, const char *word)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), name);

    if (a == NULL || a->kind != SN_A_ENUM)
        sn_bug("onnx: %s has no choice '%s'", sn_desc(k)->name, name);
    for (int32_t i = 0; a->words[i] != NULL; i++)
        if (strcmp(a->words[i], word) == 0) {
            *(int32_t *)sn_attr_at(attr, a) = i;
            return;
        }
    sn_bug("onnx: %s.%s cannot be '%s'", sn_desc(k)->name, name, word);
}
