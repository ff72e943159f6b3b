// SPDX-License-Identifier: Apache-2.0
/* One-dimensional pictures [N, C, L] are seen as [N, C, 1, L]: the node is
 * mapped as a two-dimensional one between two Reshapes.  Weights with a scale
 * for each column make a product a FullyConnected. */
#include "onnx/hooks/hooks_all.h"

#include <string.h>

/* Does the line take channels first, as the file has them? */
static SnStatus
channels_first(SnImport *x, const SnOnnxDesc *e, bool *first)
{
    int64_t last = 0;

    *first = e->hook != NULL || (e->term != NULL && e->term->in[0].last);
    for (uint32_t i = 0; i < e->nmap && !*first; i++)
        if (e->map[i].entry == SN_IMPORT_LAYOUT) {
            *first = true;
            if (e->map[i].unless != NULL)
                SN_TRY(sn_import_int(x, e->map[i].unless, 0, &last));
        }
    *first &= last == 0;
    return SN_OK;
}

/* Is the node about pictures of two dimensions: has it one number for each?
 * Others that take channels first are mapped with any rank. */
static bool
of_pictures(const SnKindDesc *d)
{
    for (uint32_t i = 0; i < d->nattr; i++)
        if (d->attr[i].kind == SN_A_INTS && d->attr[i].fixed == 2)
            return true;
    return false;
}

/* Attributes with one number per axis get one for the height before it. */
static const struct {
    const char *name;
    int64_t height;
} attrs[] = {
    {"kernel_shape", 1}, {"strides", 1},        {"dilations", 1},
    {"output_shape", 1}, {"output_padding", 0},
};

static Onnx__AttributeProto *
lifted_attr(SnImport *x, Onnx__AttributeProto *a)
{
    Onnx__AttributeProto *r = sn_memdup(x->a, a, sizeof *a);
    int64_t *v = SN_NEW_N(x->a, int64_t, 4);

    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++)
        if (strcmp(a->name, attrs[i].name) == 0 && a->n_ints == 1) {
            v[0] = attrs[i].height;
            v[1] = a->ints[0];
            r->n_ints = 2;
            r->ints = v;
        }
    if (strcmp(a->name, "pads") == 0 && a->n_ints == 2) {
        v[1] = a->ints[0];
        v[3] = a->ints[1];
        r->n_ints = 4;
        r->ints = v;
    }
    return r;
}

static const char *
free_name(SnImport *x, const char *name)
{
    const char *s = sn_format(x->a, "%s.2d", name);

    while (sn_import_val(x, s) != NULL)
        s = sn_format(x->a, "%s_", s);
    return s;
}

/* The value with a height of 1; its name. */
static SnStatus
lifted_value(SnImport *x, SnImportVal *v, const char **name)
{
    int64_t dim[4] = {v->dim[0], v->dim[1], 1, v->dim[2]};
    SnImportVal *r;
    SnRef in;

    *name = free_name(x, v->name);
    r = sn_import_new_val(x, *name);
    r->rank = 4;
    memcpy(r->dim, dim, sizeof dim);
    r->made = true;
    r->nuse = 1;
    r->u8 = v->u8;
    if (v->data != NULL) {
        SnData *t = sn_memdup(x->a, v->data, sizeof *t);
        t->rank = 4;
        memcpy(t->dim, dim, sizeof dim);
        r->data = t;
        r->data_name = v->data_name;
        if (v->q != NULL) {
            SnImportScales *q = sn_memdup(x->a, v->q, sizeof *q);
            q->axis += q->axis == 2;
            r->q = q;
        }
        return SN_OK;
    }
    SN_TRY(sn_import_plain(x, v, &in));
    SN_TRY(sn_import_reshaped(x, *name, in, 4, dim, &in));
    r->form = SN_NEW(x->a, SnImportForm);
    r->form->ref = in;
    for (int i = 0; i < 4; i++)
        r->form->perm[i] = i;
    return SN_OK;
}

static SnStatus
map_lifted(SnImport *x, const SnOnnxDesc *e)
{
    SnImportCall c = {.desc = e};

    return e->term != NULL   ? sn_import_term(x, e)
           : e->hook == NULL ? sn_import_map(x, e)
                             : e->hook(x, &c);
}

static SnStatus
lower_result(SnImport *x, SnImportVal *y2)
{
    int64_t dim[3];
    SnRef y;

    SN_TRY(sn_import_plain(x, y2, &y));
    dim[0] = y2->dim[0];
    dim[1] = y2->dim[1];
    dim[2] = y2->dim[3];
    x->sign = y2->u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    SN_TRY(sn_import_reshaped(x, sn_import_name(x, 0), y, 3, dim, &y));
    return sn_import_put(x, 0, y);
}

/* A MatMul with constant weights that have a scale for each column. */
static bool
by_columns(SnImport *x)
{
    const SnImportVal *a = sn_import_in(x, 0), *b = sn_import_in(x, 1);

    return sn_import_is(x, "MatMul") && a != NULL && b != NULL && a->rank > 1 &&
           sn_import_by_column(b);
}

SnStatus
sn_import_lift(SnImport *x, const SnOnnxDesc *e, bool *done)
{
    const Onnx__NodeProto *n = x->n;
    Onnx__NodeProto flat = *n;
    const char *name;
    SnImportVal *v = sn_import_in(x, 0), *y2;
    bool first;

    *done = false;
    if (by_columns(x)) {
        *done = true;
        return sn_import_times_columns(x);
    }
    if (v == NULL || v->waits || v->rank != 3 ||
        !of_pictures(sn_desc(e->kind)) ||
        (n->n_output > 1 && sn_import_out(x, 1) != NULL))
        return SN_OK;
    SN_TRY(channels_first(x, e, &first));
    if (!first)
        return SN_OK;
    *done = true;
    flat.input = SN_NEW_N(x->a, char *, n->n_input);
    for (size_t i = 0; i < n->n_input; i++) {
        SnImportVal *in = sn_import_in(x, (uint32_t)i);
        flat.input[i] = n->input[i];
        if (in == NULL || in->waits || in->rank != 3)
            continue;
        SN_TRY(lifted_value(x, in, &name));
        flat.input[i] = sn_strndup(x->a, name, strlen(name));
    }
    flat.attribute = SN_NEW_N(x->a, Onnx__AttributeProto *, n->n_attribute);
    for (size_t i = 0; i < n->n_attribute; i++)
        flat.attribute[i] = lifted_attr(x, n->attribute[i]);
    name = free_name(x, n->output[0]);
    y2 = sn_import_new_val(x, name);
    y2->nuse = 1;
    flat.n_output = 1;
    flat.output = SN_NEW_N(x->a, char *, 1);
    flat.output[0] = sn_strndup(x->a, name, strlen(name));
    x->n = &flat;
    SN_TRY(map_lifted(x, e));
    SN_TRY(sn_import_attrs_done(x));
    x->n = n;
    return lower_result(x, y2);
}
