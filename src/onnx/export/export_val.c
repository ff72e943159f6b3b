// SPDX-License-Identifier: Apache-2.0
/* Names, initializers and tensors of an exported model. */
#include "onnx/export/export_priv.h"

#include <string.h>
#include "kernel/eval/eval.h"
#include "sn_kind_splat.h"
#include "sn_kind_transpose.h"
#include "sn_maps.h"

const int sn_export_identity[SN_MAXRANK] = {0, 1, 2, 3, 4, 5, 6, 7};

bool
sn_export_same(int rank, const int *p, const int *q)
{
    for (int i = 0; i < rank; i++)
        if (p[i] != q[i])
            return false;
    return true;
}

/* ---- names ---- */

static SnExportName **
slot_of(SnExport *x, const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);
    SnExportName **p;

    for (const char *s = name; *s != '\0'; s++)
        h = (h ^ (uint8_t)*s) * UINT64_C(1099511628211);
    p = &x->bucket[(h ^ h >> 29) & (x->nbucket - 1)];
    while (*p != NULL && strcmp((*p)->name, name) != 0)
        p = &(*p)->next;
    return p;
}

void
sn_export_keep(SnExport *x, const char *name, SnRef owner)
{
    SnExportName **p = slot_of(x, name);

    if (*p != NULL)
        return;
    *p = SN_NEW(x->a, SnExportName);
    (*p)->name = name;
    (*p)->owner = owner;
}

const char *
sn_export_own(SnExport *x, const char *name, SnRef owner)
{
    SnExportName *s;

    sn_export_keep(x, name, owner);
    s = *slot_of(x, name);
    if (s->taken || s->owner != owner)
        return NULL;
    s->taken = true;
    return s->name;
}

const char *
sn_export_fresh(SnExport *x, const char *base)
{
    const char *name = base;
    SnExportName *s = *slot_of(x, base);

    while (*slot_of(x, name) != NULL)
        name = sn_format(x->a, "%s.%u", base, ++s->tried);
    sn_export_keep(x, name, 0);
    (*slot_of(x, name))->taken = true;
    return name;
}

const char *
sn_export_part(SnExport *x, const char *part)
{
    return sn_export_fresh(
        x, sn_format(x->a, "%s.%s", sn_name(x->g, SN_REF(x->id, 0)), part));
}

/* ---- nodes ---- */

static char *
own_str(SnExport *x, const char *s)
{
    return sn_strdup(x->a, s);
}

static void
use_domain(SnExport *x, const char *domain)
{
    for (uint32_t i = 0; i < x->ndomain; i++)
        if (strcmp(x->domain[i], domain) == 0)
            return;
    SN_PUSH(x->a, x->domain, x->ndomain, domain);
}

Onnx__NodeProto *
sn_export_node(SnExport *x, const char *domain, const char *op, uint32_t nin,
               const char *const *in, const char *out)
{
    Onnx__NodeProto *n = SN_NEW(x->a, Onnx__NodeProto);

    onnx__node_proto__init(n);
    while (nin > 0 && in[nin - 1] == NULL)
        nin--;
    n->op_type = own_str(x, op);
    n->name = own_str(x, out);
    if (domain[0] != '\0') {
        n->domain = own_str(x, domain);
        use_domain(x, domain);
    }
    n->n_input = nin;
    n->input = SN_NEW_N(x->a, char *, nin + 1);
    for (uint32_t i = 0; i < nin; i++)
        n->input[i] = own_str(x, in[i] != NULL ? in[i] : "");
    n->n_output = 1;
    n->output = SN_NEW_N(x->a, char *, 8);
    n->output[0] = own_str(x, out);
    SN_PUSH(x->a, x->node, x->nnode, n);
    return n;
}

static Onnx__AttributeProto *
new_attr(SnExport *x, Onnx__NodeProto *n, const char *name,
         Onnx__AttributeProto__AttributeType type)
{
    Onnx__AttributeProto *t = SN_NEW(x->a, Onnx__AttributeProto);

    onnx__attribute_proto__init(t);
    t->name = own_str(x, name);
    t->has_type = 1;
    t->type = type;
    n->attribute =
        sn_grow(x->a, n->attribute, n->n_attribute, sizeof *n->attribute);
    n->attribute[n->n_attribute++] = t;
    return t;
}

void
sn_export_attr_int(SnExport *x, Onnx__NodeProto *n, const char *name, int64_t v)
{
    Onnx__AttributeProto *t =
        new_attr(x, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

    t->has_i = 1;
    t->i = v;
}

void
sn_export_attr_real(SnExport *x, Onnx__NodeProto *n, const char *name, float v)
{
    Onnx__AttributeProto *t =
        new_attr(x, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

    t->has_f = 1;
    t->f = v;
}

void
sn_export_attr_str(SnExport *x, Onnx__NodeProto *n, const char *name,
                   const char *v)
{
    Onnx__AttributeProto *t =
        new_attr(x, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);

    t->has_s = 1;
    t->s.len = strlen(v);
    t->s.data = (uint8_t *)own_str(x, v);
}

void
sn_export_attr_ints(SnExport *x, Onnx__NodeProto *n, const char *name, SnInts v)
{
    Onnx__AttributeProto *t =
        new_attr(x, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

    t->n_ints = v.n;
    t->ints = sn_memdup(x->a, v.v, v.n * sizeof *v.v);
}

void
sn_export_attr_reals(SnExport *x, Onnx__NodeProto *n, const char *name,
                     SnReals v)
{
    Onnx__AttributeProto *t =
        new_attr(x, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);

    t->n_floats = v.n;
    t->floats = sn_memdup(x->a, v.v, v.n * sizeof *v.v);
}

/* ---- initializers ---- */

const char *
sn_export_init(SnExport *x, const char *name, int dtype, int rank,
               const int64_t *dim, const void *data, size_t nbyte)
{
    Onnx__TensorProto *t = SN_NEW(x->a, Onnx__TensorProto);

    onnx__tensor_proto__init(t);
    t->name = own_str(x, name);
    t->has_data_type = 1;
    t->data_type = dtype;
    t->n_dims = (size_t)rank;
    t->dims = sn_memdup(x->a, dim, (size_t)rank * sizeof *dim);
    t->has_raw_data = 1;
    t->raw_data.len = nbyte;
    t->raw_data.data = (uint8_t *)(uintptr_t)data;
    SN_PUSH(x->a, x->init, x->ninit, t);
    return name;
}

const char *
sn_export_ints(SnExport *x, const char *part, SnInts v)
{
    int64_t n = v.n;

    return sn_export_init(
        x, sn_export_part(x, part), ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, &n,
        sn_memdup(x->a, v.v, v.n * sizeof *v.v), v.n * sizeof *v.v);
}

const char *
sn_export_real(SnExport *x, const char *part, float v)
{
    return sn_export_init(x, sn_export_part(x, part),
                          ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, NULL,
                          sn_memdup(x->a, &v, sizeof v), sizeof v);
}

SnExportAs
sn_export_as(const SnType *t, SnExportAs as)
{
    if (t->elem == SN_I8)
        return as == SN_EXPORT_U8 ? SN_EXPORT_U8 : SN_EXPORT_REAL;
    if (!sn_elem_quant(t->elem))
        return SN_EXPORT_REAL;
    return as == SN_EXPORT_U8 && t->elem != SN_QI8 ? SN_EXPORT_CODE : as;
}

int
sn_export_dtype(const SnType *t, SnExportAs as)
{
    if (sn_elem_quant(t->elem) && as == SN_EXPORT_REAL)
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    switch (t->elem) {
    case SN_F32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    case SN_QI8:
    case SN_I8:
        return as == SN_EXPORT_U8 ? ONNX__TENSOR_PROTO__DATA_TYPE__UINT8
                                  : ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case SN_QI16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT16;
    case SN_QI32:
    case SN_I32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    case SN_I64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    case SN_BOOL:
        return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    default:
        return 0;
    }
}

/* n integers as elements of a type. */
static const void *
as_elements(SnExport *x, const SnType *t, SnExportAs as, uint32_t n,
            const int32_t *v)
{
    uint8_t *p = sn_alloc(x->a, n * sn_elem_size(t->elem));

    for (uint32_t i = 0; i < n; i++) {
        if (sn_elem_size(t->elem) == 1)
            p[i] = (uint8_t)(v[i] + (as == SN_EXPORT_U8 ? 128 : 0));
        else if (t->elem == SN_QI16)
            ((int16_t *)(void *)p)[i] = (int16_t)v[i];
        else
            ((int32_t *)(void *)p)[i] = v[i];
    }
    return p;
}

const char *
sn_export_one_code(SnExport *x, const char *part, const SnType *t,
                   SnExportAs as, int64_t code)
{
    int32_t v = (int32_t)code;
    const void *p = t->elem == SN_I64 ? sn_memdup(x->a, &code, sizeof code)
                                      : as_elements(x, t, as, 1, &v);

    return sn_export_init(x, sn_export_part(x, part), sn_export_dtype(t, as), 0,
                          NULL, p, sn_elem_size(t->elem));
}

static SnExportParam *
param(SnExport *x, const SnType *t, int part)
{
    uint64_t hash = (uint64_t)(uintptr_t)t * 8 + (uint64_t)(part + 1);
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&x->of_param, hash, &probe)) != SN_HASHES_END)
        if (x->param[i].type == t && x->param[i].part == part)
            return &x->param[i];
    SnExportParam p = {.type = t, .part = part};
    sn_hashes_add(&x->of_param, hash, x->nparam);
    SN_PUSH(x->a, x->param, x->nparam, p);
    return &x->param[x->nparam - 1];
}

const char *
sn_export_scale(SnExport *x, const SnType *t, const char *base)
{
    SnExportParam *p = param(x, t, -1);
    int64_t n = t->nq;

    if (p->name == NULL)
        p->name = sn_export_init(
            x, sn_export_fresh(x, sn_format(x->a, "%s.scale", base)),
            ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, t->nq > 1, &n, t->scale,
            t->nq * sizeof *t->scale);
    return p->name;
}

const char *
sn_export_zp(SnExport *x, const SnType *t, SnExportAs as, const char *base)
{
    SnExportParam *p;
    int64_t n = t->nq;

    as = sn_export_as(t, as);
    p = param(x, t, (int)as);
    if (p->name == NULL)
        p->name = sn_export_init(
            x, sn_export_fresh(x, sn_format(x->a, "%s.zp", base)),
            sn_export_dtype(t, as), t->nq > 1, &n,
            as_elements(x, t, as, t->nq, t->zp), t->nq * sn_elem_size(t->elem));
    return p->name;
}

/* ---- tensors of a value ---- */

SnRef
sn_export_root(const SnExport *x, SnRef r, int rank, int *perm)
{
    while (sn_def(x->g, r)->nres == 1 &&
           sn_desc(sn_kind(x->g, r))->sem[0].decl == &sn_map_decl_permute) {
        const SnTransposeAttr *t = sn_transpose_attr(x->g, SN_NODE(r));
        for (int i = 0; i < rank; i++)
            perm[i] = (int)t->perm.v[perm[i]];
        r = sn_in(x->g, SN_NODE(r), 0);
    }
    return r;
}

bool
sn_export_constant(const SnExport *x, SnRef r)
{
    return sn_def(x->g, r)->data != NULL || sn_kind(x->g, r) == SN_K_SPLAT;
}

static bool
is_form(const SnExportForm *f, int rank, const int *perm, SnExportAs as)
{
    return f->as == as && f->rank == rank &&
           sn_export_same(rank, f->perm, perm);
}

static const SnExportForm *
find(const SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as)
{
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        if (is_form(f, rank, perm, as))
            return f;
    return NULL;
}

void
sn_export_add(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as,
              const char *name)
{
    SnExportForm *f = SN_NEW(x->a, SnExportForm), **p = &x->value[r];

    f->as = as;
    f->rank = rank;
    memcpy(f->perm, perm, (size_t)rank * sizeof *perm);
    f->name = name;
    while (*p != NULL)
        p = &(*p)->next;
    *p = f;
}

/* The name from which a tensor in a new order of axes gets its name. */
static const char *
tail(int rank, const int *perm)
{
    static const int first[] = {0, 3, 1, 2}, last[] = {0, 2, 3, 1};

    if (rank == 4 && sn_export_same(rank, perm, first))
        return "nchw";
    if (rank == 4 && sn_export_same(rank, perm, last))
        return "nhwc";
    return "t";
}

const char *
sn_export_name(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as)
{
    const SnType *t = sn_type(x->g, r);
    const char *base = sn_name(x->g, r), *name;
    bool quant = sn_elem_quant(t->elem), again = false;

    for (SnExportWish *w = x->wish[r]; w != NULL; w = w->next)
        if (!w->met && is_form(&w->form, rank, perm, as)) {
            w->met = true;
            return w->form.name;
        }
    if (quant && as == SN_EXPORT_REAL)
        return sn_export_fresh(x, sn_format(x->a, "%s.dq", base));
    name = sn_export_own(x, base, r);
    if (name != NULL)
        return name;
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        again |= f->as == as;
    if (!again && (quant || t->elem == SN_I8))
        return sn_export_fresh(x, sn_format(x->a, "%s.q", base));
    if (!again && sn_export_same(rank, perm, sn_export_identity))
        return sn_export_fresh(x, sn_format(x->a, "%s.f", base));
    return sn_export_fresh(x, sn_format(x->a, "%s.%s", base, tail(rank, perm)));
}

/* ---- Constants ---- */

static void
permute(const SnShape *s, int rank, const int *perm, size_t size,
        const uint8_t *from, uint8_t *to, int64_t *dim)
{
    int64_t stride[SN_MAXRANK], step = 1, at[SN_MAXRANK] = {0}, n = 1;
    int64_t full[SN_MAXRANK];
    int pad = rank - s->rank;

    for (int i = rank; i-- > 0;) {
        full[i] = i < pad ? 1 : s->dim[i - pad];
        stride[i] = step;
        step *= full[i];
    }
    for (int i = 0; i < rank; i++) {
        dim[i] = full[perm[i]];
        n *= dim[i];
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t o = 0;
        for (int i = 0; i < rank; i++)
            o += at[i] * stride[perm[i]];
        memcpy(to + (size_t)k * size, from + (size_t)o * size, size);
        for (int i = rank; i-- > 0 && ++at[i] == dim[i];)
            at[i] = 0;
    }
}

const void *
sn_export_elements(SnExport *x, SnRef r, int rank, const int *perm,
                   int64_t *dim)
{
    const SnShape *s = sn_shape_of(x->g, r);
    size_t size = sn_elem_size(sn_type(x->g, r)->elem);
    const void *from = sn_node_data(x->g, SN_NODE(r));
    uint8_t *p = sn_alloc(x->a, (size_t)sn_shape_count(s) * size);

    if (from == NULL)
        from = sn_eval_const(x->g, r, x->a);
    if (rank == 0)
        memcpy(p, from, size);
    else
        permute(s, rank, perm, size, from, p, dim);
    return p;
}

static const char *
make_constant(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as)
{
    const SnType *t = sn_type(x->g, r);
    size_t size = sn_elem_size(t->elem);
    size_t n = rank == 0 ? 1 : (size_t)sn_shape_count(sn_shape_of(x->g, r));
    int64_t dim[SN_MAXRANK] = {0};
    const char *name;
    uint8_t *p =
        (uint8_t *)(uintptr_t)sn_export_elements(x, r, rank, perm, dim);

    for (size_t i = 0; as == SN_EXPORT_U8 && i < n; i++)
        p[i] ^= 0x80;
    if (n > 1 && memcmp(p, p + size, (n - 1) * size) == 0)
        x->nsplat += n * size;
    name = sn_export_name(x, r, rank, perm, as);
    return sn_export_init(x, name, sn_export_dtype(t, as), rank, dim, p,
                          n * size);
}

/* ---- conversions ---- */

static int
axis_of(const SnExport *x, SnRef r, int rank, const int *perm)
{
    const SnType *t = sn_type(x->g, r);
    int axis = t->axis + rank - sn_shape_of(x->g, r)->rank;

    if (t->nq < 2)
        return -1;
    for (int i = 0; i < rank; i++)
        if (perm[i] == axis)
            return i;
    sn_bug("export: '%s' lost its axis of scales", sn_name(x->g, r));
}

void
sn_export_convert(SnExport *x, const char *op, SnRef r, int rank,
                  const int *perm, SnExportAs as, const char *from,
                  const char *to)
{
    const SnType *t = sn_type(x->g, r);
    const char *base = sn_name(x->g, r);
    const char *in[3] = {from, sn_export_scale(x, t, base), NULL};
    int axis = axis_of(x, r, rank, perm);
    Onnx__NodeProto *n;

    if (t->elem != SN_QI32) /* whose zero point is always 0 */
        in[2] = sn_export_zp(x, t, as, base);
    n = sn_export_node(x, "", op, 3, in, to);
    if (axis >= 0)
        sn_export_attr_int(x, n, "axis", axis);
}

static const char *
transpose(SnExport *x, SnRef r, const SnExportForm *f, const int *perm)
{
    int64_t p[SN_MAXRANK] = {0};
    const char *name = sn_export_name(x, r, f->rank, perm, f->as);

    for (int i = 0; i < f->rank; i++)
        for (int k = 0; k < f->rank; k++)
            if (f->perm[k] == perm[i])
                p[i] = k;
    sn_export_attr_ints(x,
                        sn_export_node(x, "", "Transpose", 1, &f->name, name),
                        "perm", (SnInts){(uint32_t)f->rank, p});
    return name;
}

/* Codes of either kind; existing tensors first. */
static const char *
any_codes(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs *as)
{
    SnExportAs other = x->codes == SN_EXPORT_U8 ? SN_EXPORT_CODE : SN_EXPORT_U8;
    const SnType *t = sn_type(x->g, r);

    *as = sn_export_as(t, sn_export_constant(x, r) ? SN_EXPORT_CODE : x->codes);
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        if (f->as == *as || (f->as == other && t->elem == SN_QI8)) {
            *as = f->as;
            break;
        }
    return sn_export_get(x, r, rank, perm, *as);
}

static const char *
make(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as)
{
    const SnType *t = sn_type(x->g, r);
    const char *from, *name;
    SnExportAs codes;

    if (sn_export_constant(x, r) &&
        (as != SN_EXPORT_REAL || !sn_elem_quant(t->elem)))
        return make_constant(x, r, rank, perm, as);
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        if (f->as == as && f->rank == rank && !sn_export_constant(x, r) &&
            (as != SN_EXPORT_REAL || !sn_elem_quant(t->elem)))
            return transpose(x, r, f, perm);
    if (as == SN_EXPORT_REAL && sn_elem_quant(t->elem)) {
        from = any_codes(x, r, rank, perm, &codes);
        name = sn_export_name(x, r, rank, perm, as);
        sn_export_convert(x, "DequantizeLinear", r, rank, perm, codes, from,
                          name);
        return name;
    }
    if (x->value[r] != NULL && t->elem == SN_I8)
        return sn_export_other_sign(x, r, rank, perm, as);
    if (as == SN_EXPORT_REAL || x->value[r] == NULL)
        sn_bug("export: value '%s' was not made", sn_name(x->g, r));
    /* codes of the other kind, through the reals they mean */
    from = sn_export_get(x, r, rank, perm, SN_EXPORT_REAL);
    name = sn_export_name(x, r, rank, perm, as);
    sn_export_convert(x, "QuantizeLinear", r, rank, perm, as, from, name);
    return name;
}

const char *
sn_export_get(SnExport *x, SnRef r, int rank, const int *perm, SnExportAs as)
{
    int p[SN_MAXRANK];
    const SnExportForm *f;
    const char *name;

    memcpy(p, perm, (size_t)rank * sizeof *perm);
    if (rank == sn_shape_of(x->g, r)->rank)
        r = sn_export_root(x, r, rank, p);
    as = sn_export_as(sn_type(x->g, r), as);
    f = find(x, r, rank, p, as);
    if (f != NULL)
        return f->name;
    name = make(x, r, rank, p, as);
    sn_export_add(x, r, rank, p, as, name);
    return name;
}

const char *
sn_export_plain(SnExport *x, SnRef r, SnExportAs as)
{
    return sn_export_get(x, r, sn_shape_of(x->g, r)->rank, sn_export_identity,
                         as);
}
