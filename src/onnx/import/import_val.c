// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <string.h>
#include "base/buf.h"
#include "base/num.h"
#include "base/team/spread.h"
#include "kernel/eval/eval.h"
#include "onnx/proto/tensor_pb.h"
#include "sn_kind_constant.h"
#include "sn_kind_dequantize.h"

/* ---- finding values ---- */

static uint64_t
hash(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *s != '\0'; s++)
        h = (h ^ (uint8_t)*s) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

SnImportVal *
sn_import_val(SnImport *x, const char *name)
{
    SnImportVal *v = x->bucket[hash(name) & (x->nbucket - 1)];

    while (v != NULL && strcmp(v->name, name) != 0)
        v = v->next;
    return v;
}

SnImportVal *
sn_import_new_val(SnImport *x, const char *name)
{
    SnImportVal *v = SN_NEW(x->a, SnImportVal);
    SnImportVal **b = &x->bucket[hash(name) & (x->nbucket - 1)];

    v->name = name;
    v->next = *b;
    *b = v;
    return v;
}

SnImportVal *
sn_import_in(SnImport *x, uint32_t i)
{
    if (i >= x->n->n_input || x->n->input[i][0] == '\0')
        return NULL;
    return sn_import_val(x, x->n->input[i]);
}

SnImportVal *
sn_import_out(SnImport *x, uint32_t k)
{
    SnImportVal *v;

    if (k >= x->n->n_output || x->n->output[k][0] == '\0')
        return NULL;
    v = sn_import_val(x, x->n->output[k]);
    return v->nuse > 0 ? v : NULL;
}

SnStatus
sn_import_need(SnImport *x, uint32_t i, SnImportVal **out)
{
    *out = sn_import_in(x, i);
    if (*out == NULL)
        return sn_import_fail(x, SN_EINPUT, "input %u is missing", i);
    if ((*out)->waits)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "reads the 8-bit input '%s', which has no scale "
                              "yet",
                              (*out)->name);
    return SN_OK;
}

const char *
sn_import_name(SnImport *x, uint32_t k)
{
    return k < x->n->n_output && x->n->output[k][0] != '\0' ? x->n->output[k]
                                                            : NULL;
}

const char *
sn_import_part(SnImport *x, const char *part)
{
    const char *name = sn_import_name(x, 0);

    return name != NULL ? sn_format(x->a, "%s.%s", name, part) : NULL;
}

/* ---- forms ---- */

void
sn_import_last_perm(int rank, int *perm)
{
    for (int i = 0; i < rank; i++)
        perm[i] = rank <= 2 || i == 0 ? i : i == rank - 1 ? 1 : i + 1;
}

static bool
same_perm(int rank, const int *p, const int *q)
{
    for (int i = 0; i < rank; i++)
        if (p[i] != q[i])
            return false;
    return true;
}

static const int identity[SN_MAXRANK] = {0, 1, 2, 3, 4, 5, 6, 7};

/* What a second form of a value is called after. */
static const char *
suffix(int rank, const int *perm)
{
    int last[SN_MAXRANK];

    sn_import_last_perm(rank, last);
    if (same_perm(rank, perm, identity))
        return rank == 4 ? "nchw" : "ncx";
    if (same_perm(rank, perm, last))
        return rank == 4 ? "nhwc" : "nxc";
    return "t";
}

static void
add_form(SnImport *x, SnImportVal *v, const int *perm, SnRef ref)
{
    SnImportForm *f = SN_NEW(x->a, SnImportForm);

    memcpy(f->perm, perm, (size_t)v->rank * sizeof *perm);
    f->ref = ref;
    f->next = v->form;
    v->form = f;
}

const SnType *
sn_import_plain_type(SnImport *x, SnDtype t)
{
    switch (t) {
    case SN_D_F32:
        return sn_type_plain(x->g->pool, SN_F32);
    case SN_D_I8:
    case SN_D_U8:
        return sn_type_plain(x->g->pool, SN_I8);
    case SN_D_I32:
        return sn_type_plain(x->g->pool, SN_I32);
    case SN_D_I64:
        return sn_type_plain(x->g->pool, SN_I64);
    case SN_D_BOOL:
        return sn_type_plain(x->g->pool, SN_BOOL);
    default:
        return NULL;
    }
}

/* The type of codes whose ONNX axes were permuted. */
static SnStatus
code_type(SnImport *x, const SnImportVal *v, const int *perm,
          const SnType **out)
{
    const SnImportScales *q = v->q;
    int axis = -1;

    if (q->axis < 0) {
        *out = sn_type_quant(x->g->pool, q->elem, q->scale[0], q->zp[0]);
    } else {
        for (int i = 0; i < v->rank; i++)
            if (perm[i] == q->axis)
                axis = i;
        *out = sn_type_axis(x->g->pool, q->elem, axis, q->n, q->scale, q->zp);
    }
    if (*out == NULL)
        return sn_import_fail(x, SN_EINPUT,
                              "'%s': scale or zero point out of "
                              "range",
                              v->name);
    return SN_OK;
}

void
sn_import_shift_codes(SnDtype t, void *p, size_t nbyte)
{
    if (t == SN_D_U16) {
        for (size_t i = 0; i < nbyte / 2; i++)
            ((uint16_t *)p)[i] ^= 0x8000;
        return;
    }
    for (size_t i = 0; i < nbyte; i++)
        ((uint8_t *)p)[i] ^= 0x80;
}

/* uint8 codes as int8, uint16 as int16. */
static const void *
shifted(SnImport *x, const SnData *t)
{
    size_t n = sn_data_nbyte(t);
    void *p = sn_memdup(x->a, t->data, n);

    sn_import_shift_codes(t->dtype, p, n);
    return p;
}

static SnStatus
add_constant(SnImport *x, const char *name, const SnType *t,
             const SnShape *shape, const void *data, SnLate *late, SnRef *out)
{
    SnSpec s = {
        .kind = SN_K_CONSTANT,
        .name = name,
        .type = &t,
        .shape = shape,
        .data = data,
        .borrow = true,
        .late = late,
    };

    return sn_import_add(x, &s, out);
}

SnStatus
sn_import_constant(SnImport *x, const char *name, const SnType *t,
                   const SnShape *shape, const void *data, SnRef *out)
{
    return add_constant(x, name, t, shape, data, NULL, out);
}

/* A Constant (and a Dequantize where the value is what codes mean). */
static SnStatus
known_form(SnImport *x, SnImportVal *v, const int *perm, const char *tail,
           SnRef *out)
{
    const SnData *t = v->data;
    const SnType *type;
    const SnShape *shape;
    const void *data;
    const char *name = v->q != NULL ? v->data_name : v->name;
    SnSpec s = {.kind = SN_K_DEQUANTIZE, .nin = 1};
    SnLate *late = NULL;

    if (v->q == NULL)
        late = sn_import_late(x, t, perm, &t);
    if (late == NULL && !same_perm(v->rank, perm, identity))
        SN_TRY(sn_import_permuted(x, t, perm, &t));
    else if (late == NULL)
        t = v->data = sn_import_settle(x, t);
    data = t->data;
    if (v->q != NULL) {
        SN_TRY(code_type(x, v, perm, &type));
        if (v->q->u8)
            data = shifted(x, t);
    } else {
        SN_TRY(sn_import_wider(x, v->name, &t));
        data = t->data;
        type = sn_import_plain_type(x, t->dtype);
        if (type == NULL)
            return sn_import_fail(
                x, SN_EUNSUPPORTED,
                "'%s' has elements %s, which nothing here takes", v->name,
                sn_dtype_name(t->dtype));
        v->u8 = t->dtype == SN_D_U8;
        if (v->u8)
            data = shifted(x, t);
    }
    shape = sn_shape(x->g->pool, t->rank, t->dim);
    if (shape == NULL)
        return sn_import_fail(x, SN_EINPUT, "'%s' is too large", v->name);
    SN_TRY(add_constant(x, sn_format(x->a, "%s%s", name, tail), type, shape,
                        data, late, out));
    if (v->q == NULL)
        return SN_OK;
    s.name = sn_format(x->a, "%s%s", v->name, tail);
    s.in = out;
    return sn_import_add(x, &s, out);
}

/* Codes with a scale for each slice are constants only with that axis first. */
static bool
sliced_elsewhere(const SnImportVal *v, const int *perm)
{
    return v->q != NULL && v->q->axis >= 0 && perm[0] != v->q->axis;
}

static SnStatus
first_form(SnImport *x, SnImportVal *v, SnRef *out)
{
    int perm[SN_MAXRANK], n = 1;

    perm[0] = v->q->axis;
    for (int i = 0; i < v->rank; i++)
        if (i != v->q->axis)
            perm[n++] = i;
    return sn_import_get(x, v, perm, out);
}

/* A Transpose of the form there is. */
static SnStatus
moved_form(SnImport *x, SnImportVal *v, const int *perm, const char *tail,
           SnRef *out)
{
    const SnImportForm *f = v->form;
    int64_t p[SN_MAXRANK];
    SnSpec s = {.nin = 1, .in = &f->ref};
    void *attr;

    for (int i = 0; i < v->rank; i++)
        for (int k = 0; k < v->rank; k++)
            if (f->perm[k] == perm[i])
                p[i] = k;
    SN_TRY(sn_import_kind(x, "Transpose", &s.kind));
    attr = sn_import_attr(x, s.kind);
    sn_import_set_ints(x, s.kind, attr, "perm", (uint32_t)v->rank, p);
    s.attr = attr;
    s.name = sn_format(x->a, "%s%s", v->name, tail);
    return sn_import_add(x, &s, out);
}

SnStatus
sn_import_get(SnImport *x, SnImportVal *v, const int *perm, SnRef *out)
{
    const char *tail = "";

    for (const SnImportForm *f = v->form; f != NULL; f = f->next)
        if (same_perm(v->rank, f->perm, perm)) {
            *out = f->ref;
            return SN_OK;
        }
    if (v->data != NULL && v->form == NULL && sliced_elsewhere(v, perm))
        SN_TRY(first_form(x, v, out));
    if (v->form != NULL)
        tail = sn_format(x->a, ".%s", suffix(v->rank, perm));
    if (v->data != NULL && !sliced_elsewhere(v, perm))
        SN_TRY(known_form(x, v, perm, tail, out));
    else if (v->form != NULL)
        SN_TRY(moved_form(x, v, perm, tail, out));
    else
        sn_bug("onnx: value '%s' was not made", v->name);
    add_form(x, v, perm, *out);
    return SN_OK;
}

SnStatus
sn_import_plain(SnImport *x, SnImportVal *v, SnRef *out)
{
    return sn_import_get(x, v, identity, out);
}

SnStatus
sn_import_last(SnImport *x, SnImportVal *v, SnRef *out)
{
    int perm[SN_MAXRANK];

    sn_import_last_perm(v->rank, perm);
    return sn_import_get(x, v, perm, out);
}

/* ---- known values ---- */

/* The pages of smaller tensors are few, and hold the file's structure, too. */
enum { FORGET_NBYTE = 1 << 16 };

typedef struct Copy {
    const SnFileMap *map;
    const char *from;
    char *to;
} Copy;

static void
copy_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Copy *c = ctx;

    (void)part;
    sn_file_fetch(c->map, c->from + i0, (size_t)(i1 - i0), c->to + i0);
}

const SnData *
sn_import_settle(SnImport *x, const SnData *t)
{
    SnData *r;
    size_t n = sn_data_nbyte(t);

    if ((uintptr_t)t->data % sn_dtype_size(t->dtype) == 0)
        return t;
    r = sn_memdup(x->a, t, sizeof *t);
    void *to = sn_alloc(x->a, n);
    Copy c = {&x->map, t->data, to};
    sn_spread((int64_t)n, sn_spread_parts((int64_t)n, n), copy_part, &c);
    r->data = to;
    sn_import_copied(x, r->data, n);
    if (n >= FORGET_NBYTE)
        sn_file_forget(&x->map, t->data, n);
    return r;
}

const SnData *
sn_import_const(SnImport *x, SnImportVal *v)
{
    SnData *t;
    const void *p;
    SnArena *scratch;

    if (v->data != NULL) {
        v->data = sn_import_settle(x, v->data);
        return v->q == NULL ? v->data : NULL;
    }
    if (v->looked)
        return v->known;
    v->looked = v->form != NULL;
    for (const SnImportForm *f = v->form; f != NULL; f = f->next) {
        const SnShape *s = sn_shape_of(x->g, f->ref);
        SnDtype dt = sn_import_dtype_of(sn_type(x->g, f->ref));
        if (dt == SN_D_NONE || !same_perm(v->rank, f->perm, identity))
            continue;
        scratch = sn_arena_new();
        p = sn_eval_const(x->g, f->ref, scratch);
        if (p != NULL)
            p = sn_memdup(x->a, p, sn_tensor_nbyte(sn_type(x->g, f->ref), s));
        sn_arena_free(scratch);
        if (p == NULL)
            return NULL;
        t = SN_NEW(x->a, SnData);
        t->dtype = dt;
        t->rank = s->rank;
        memcpy(t->dim, s->dim, (size_t)s->rank * sizeof *s->dim);
        t->data = p;
        if (dt == SN_D_I8 && v->u8) {
            t->data = shifted(x, t);
            t->dtype = SN_D_U8;
        }
        v->known = t;
        return t;
    }
    return NULL;
}

SnStatus
sn_import_ints_in(SnImport *x, uint32_t i, const char *what, SnInts *out)
{
    SnImportVal *v = sn_import_in(x, i);
    const SnData *t;
    int64_t n, *p;

    *out = (SnInts){0};
    if (v == NULL)
        return SN_OK;
    t = sn_import_const(x, v);
    if (t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED, "%s '%s' must be constant",
                              what, v->name);
    n = sn_data_count(t);
    if ((t->dtype != SN_D_I64 && t->dtype != SN_D_I32) || t->rank > 1 ||
        n > UINT16_MAX)
        return sn_import_fail(x, SN_EINPUT,
                              "%s '%s' is not a list of int64 or int32", what,
                              v->name);
    p = SN_NEW_N(x->a, int64_t, n);
    for (int64_t k = 0; k < n; k++)
        p[k] = sn_data_int(t, k);
    out->n = (uint32_t)n;
    out->v = p;
    return SN_OK;
}

SnStatus
sn_import_real_in(SnImport *x, uint32_t i, const char *what, float def,
                  float *out)
{
    SnImportVal *v = sn_import_in(x, i);
    const SnData *t;

    *out = def;
    if (v == NULL)
        return SN_OK;
    t = sn_import_const(x, v);
    if (t == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED, "%s '%s' must be constant",
                              what, v->name);
    if (t->dtype != SN_D_F32)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "%s '%s' is %s, f32 is supported", what, v->name,
                              sn_dtype_name(t->dtype));
    if (sn_data_count(t) != 1)
        return sn_import_fail(x, SN_EINPUT, "%s '%s' is not one number", what,
                              v->name);
    *out = (float)sn_data_real(t, 0);
    return SN_OK;
}

SnStatus
sn_import_real_like(SnImport *x, const SnImportVal *v, uint32_t i,
                    const char *what, float def, float *out)
{
    SnImportVal *b = sn_import_in(x, i);
    const SnData *t = b != NULL ? sn_import_const(x, b) : NULL;
    const SnType *type = v->form != NULL ? sn_type(x->g, v->form->ref) : NULL;

    if (t == NULL || type == NULL || type->elem != SN_QI8 ||
        t->dtype != (v->u8 ? SN_D_U8 : SN_D_I8) || sn_data_count(t) != 1)
        return sn_import_real_in(x, i, what, def, out);
    *out = sn_dequant((int32_t)sn_data_int(t, 0) - (v->u8 ? 128 : 0),
                      type->scale[0], type->zp[0]);
    return SN_OK;
}

/* ---- results ---- */

/* Whether the file's element type may represent this type of the graph. */
static bool
elem_fits(SnDtype said, const SnType *t, bool u8)
{
    switch (t->elem) {
    case SN_QI8:
    case SN_I8:
        return said == (u8 ? SN_D_U8 : SN_D_I8);
    case SN_QI16:
        return said == (u8 ? SN_D_U16 : SN_D_I16);
    case SN_QI32:
        return said == SN_D_I32;
    default:
        return said == sn_import_dtype_of(t);
    }
}

static void
put_dims(SnBuf *b, int rank, const int64_t *dim)
{
    sn_putc(b, '[');
    for (int i = 0; i < rank; i++)
        sn_putf(b, i > 0 ? ",%" PRId64 : "%" PRId64, dim[i]);
    sn_putc(b, ']');
}

static bool
dims_agree(const SnImportVal *v, const Onnx__TensorShapeProto *s)
{
    if (s->n_dim != (size_t)v->rank) /* a scalar may be said to be a list */
        return v->rank == 0 && s->n_dim == 1 &&
               s->dim[0]->value_case ==
                   ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
               s->dim[0]->dim_value == 1;
    for (int i = 0; i < v->rank; i++)
        if (s->dim[i]->value_case ==
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            s->dim[i]->dim_value > 0 && s->dim[i]->dim_value != v->dim[i])
            return false;
    return true;
}

/* What the file states about a value against what was inferred.  A stated shape
 * decides nothing: tools that edit a model leave old ones behind. */
static SnStatus
check_info(SnImport *x, const SnImportVal *v, const SnType *type)
{
    const Onnx__TypeProto__Tensor *t;
    SnBuf b;
    const char *name;
    SnDtype said;

    if (v->info == NULL || v->info->type == NULL ||
        v->info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return SN_OK;
    t = v->info->type->tensor_type;
    said = sn_import_dtype(x, t->has_elem_type ? t->elem_type : 0, &name);
    if (type == NULL && said == SN_D_NONE)
        said = sn_onnx_unpacked(t->elem_type);
    if (t->has_elem_type && t->elem_type != 0 &&
        !(type != NULL ? elem_fits(said, type, v->u8) : said == v->data->dtype))
        return sn_import_fail(x,
                              sn_import_plain_type(x, said) != NULL ||
                                      said == SN_D_I16
                                  ? SN_EINPUT
                                  : SN_EUNSUPPORTED,
                              "'%s' is %s, the file says %s", v->name,
                              type != NULL ? sn_elem_name(type->elem)
                                           : sn_dtype_name(v->data->dtype),
                              name);
    if (t->shape == NULL || dims_agree(v, t->shape) || x->nstale++ > 0)
        return SN_OK;
    sn_buf_init(&b, x->a);
    put_dims(&b, v->rank, v->dim);
    sn_puts(&b, ", the file says [");
    for (size_t i = 0; i < t->shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *m = t->shape->dim[i];
        sn_puts(&b, i > 0 ? "," : "");
        if (m->value_case ==
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            sn_putf(&b, "%" PRId64, m->dim_value);
        else
            sn_puts(&b, "?");
    }
    x->stale = sn_format(x->a, "'%s' is %s]", v->name, sn_buf_str(&b));
    return SN_OK;
}

bool
sn_import_elem_agrees(SnImport *x, const SnData *t,
                      const Onnx__ValueInfoProto *vi)
{
    const char *name;

    return vi->type == NULL ||
           vi->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
           !vi->type->tensor_type->has_elem_type ||
           vi->type->tensor_type->elem_type == 0 ||
           sn_import_dtype(x, vi->type->tensor_type->elem_type, &name) ==
               t->dtype ||
           sn_onnx_unpacked(vi->type->tensor_type->elem_type) == t->dtype;
}

/* Results on the grid of a uint8 operand are uint8 in the file, too. */
static bool
from_u8(SnImport *x)
{
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        const SnImportVal *v = sn_import_in(x, i);
        if (v != NULL && v->u8 && v->form != NULL)
            return true;
    }
    return false;
}

static SnStatus
put(SnImport *x, SnImportVal *v, SnRef ref, const int *perm)
{
    const SnShape *s = sn_shape_of(x->g, ref);

    v->made = true;
    if ((sn_type(x->g, ref)->elem == SN_QI8 ||
         sn_type(x->g, ref)->elem == SN_QI16 ||
         sn_type(x->g, ref)->elem == SN_I8) &&
        (x->sign == SN_IMPORT_AS_INPUTS ? from_u8(x) : x->sign == SN_IMPORT_U8))
        v->u8 = true;
    v->rank = s->rank;
    for (int i = 0; i < s->rank; i++)
        v->dim[perm[i]] = s->dim[i];
    add_form(x, v, perm, ref);
    return check_info(x, v, sn_type(x->g, ref));
}

SnStatus
sn_import_put(SnImport *x, uint32_t k, SnRef ref)
{
    SnImportVal *v = sn_import_out(x, k);

    return v != NULL ? put(x, v, ref, identity) : SN_OK;
}

SnStatus
sn_import_put_last(SnImport *x, uint32_t k, SnRef ref)
{
    SnImportVal *v = sn_import_out(x, k);
    int perm[SN_MAXRANK];

    if (v == NULL)
        return SN_OK;
    sn_import_last_perm(sn_shape_of(x->g, ref)->rank, perm);
    return put(x, v, ref, perm);
}

SnStatus
sn_import_put_data(SnImport *x, uint32_t k, const SnData *t)
{
    SnImportVal *v = sn_import_out(x, k);

    if (v == NULL)
        return SN_OK;
    v->made = true;
    v->rank = t->rank;
    memcpy(v->dim, t->dim, (size_t)t->rank * sizeof *t->dim);
    v->data = t;
    return check_info(x, v, NULL);
}

SnStatus
sn_import_alias(SnImport *x, uint32_t k, SnImportVal *from)
{
    SnImportVal *v = sn_import_out(x, k);

    if (v == NULL)
        return SN_OK;
    v->made = true;
    v->rank = from->rank;
    memcpy(v->dim, from->dim, sizeof v->dim);
    v->data = from->data;
    v->q = from->q;
    v->data_name = from->data_name;
    v->form = from->form;
    v->u8 = from->u8;
    if (v->q != NULL)
        return SN_OK;
    return check_info(x, v,
                      v->form != NULL ? sn_type(x->g, v->form->ref) : NULL);
}
