// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <inttypes.h>
#include <string.h>
#include "base/buf.h"

enum { OPSET = 17, IR = 8, MAX_SHOWN = 8 };

int
dm_value(Dm *m, DmFrom from, SnDtype t, int rank, const int64_t *dim,
         const void *data)
{
    int i = (int)m->nval++;
    DmVal *v = &m->val[i];

    memset(v, 0, sizeof *v);
    v->from = from;
    v->name = sn_format(m->a, "%c%d",
                        from == DM_INPUT   ? 'x'
                        : from == DM_CONST ? 'c'
                                           : 'y',
                        i);
    v->data.dtype = t;
    v->data.rank = rank;
    for (int k = 0; k < rank; k++)
        v->data.dim[k] = dim[k];
    if (data != NULL)
        v->data.data = sn_memdup(m->a, data, sn_data_nbyte(&v->data));
    return i;
}

int
dm_f32(Dm *m, float v)
{
    return dm_value(m, DM_CONST, SN_D_F32, 0, NULL, &v);
}

int
dm_i64s(Dm *m, int n, const int64_t *v)
{
    int64_t count = n;

    return dm_value(m, DM_CONST, SN_D_I64, 1, &count, v);
}

DmNode *
dm_node(Dm *m, const char *domain, const char *op)
{
    DmNode *n = &m->node[m->nnode++];

    memset(n, 0, sizeof *n);
    n->op = op;
    n->domain = domain;
    n->out = dm_value(m, DM_MADE, SN_D_NONE, 0, NULL, NULL);
    m->out = n->out;
    return n;
}

void
dm_in(DmNode *n, int value)
{
    n->in[n->nin++] = value;
}

int
dm_more(Dm *m, DmNode *n)
{
    return n->more[n->nmore++] = dm_value(m, DM_MADE, SN_D_NONE, 0, NULL, NULL);
}

static DmAttr *
attr(DmNode *n, const char *name)
{
    DmAttr *t = &n->attr[n->nattr++];

    t->name = name;
    return t;
}

void
dm_int(DmNode *n, const char *name, int64_t v)
{
    DmAttr *t = attr(n, name);

    t->kind = DM_INT;
    t->i = v;
}

void
dm_real(DmNode *n, const char *name, float v)
{
    DmAttr *t = attr(n, name);

    t->kind = DM_REAL;
    t->f = v;
}

void
dm_ints(DmNode *n, const char *name, size_t count, const int64_t *v)
{
    DmAttr *t = attr(n, name);

    t->kind = DM_INTS;
    t->n = count;
    memcpy(t->ints, v, count * sizeof *v);
}

void
dm_text(DmNode *n, const char *name, const char *v)
{
    DmAttr *t = attr(n, name);

    t->kind = DM_TEXT;
    t->s = v;
}

void
dm_undo(Dm *m)
{
    m->nnode--;
    m->out = m->nnode > 0 ? m->node[m->nnode - 1].out : -1;
}

/* ---- what is needed ---- */

static void
mark(const Dm *m, bool *val, bool *node)
{
    if (m->out >= 0)
        val[m->out] = true;
    for (uint32_t i = m->nnode; i-- > 0;) {
        const DmNode *n = &m->node[i];
        bool read = val[n->out] && m->val[n->out].from == DM_MADE;
        for (uint32_t k = 0; k < n->nmore; k++)
            read |= val[n->more[k]] && m->val[n->more[k]].from == DM_MADE;
        if (!read)
            continue;
        node[i] = true;
        for (uint32_t k = 0; k < n->nin; k++)
            if (n->in[k] >= 0)
                val[n->in[k]] = true;
    }
}

bool
dm_needs(const Dm *m, uint32_t i)
{
    bool val[DM_MAXVAL] = {false}, node[DM_MAXNODE] = {false};

    mark(m, val, node);
    return node[i];
}

uint32_t
dm_inputs(const Dm *m, OrtIo *io)
{
    bool val[DM_MAXVAL] = {false}, node[DM_MAXNODE] = {false};
    uint32_t n = 0;

    mark(m, val, node);
    for (uint32_t i = 0; i < m->nval; i++)
        if (val[i] && m->val[i].from == DM_INPUT)
            io[n++] = (OrtIo){m->val[i].name, m->val[i].data};
    return n;
}

/* ---- bytes ---- */

static int32_t
pb_dtype(SnDtype t)
{
    switch (t) {
    case SN_D_F32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    case SN_D_U8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    case SN_D_I8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case SN_D_I32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    case SN_D_I64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    default:
        return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    }
}

static char *
text(SnArena *a, const char *s)
{
    return sn_strdup(a, s != NULL ? s : "");
}

static Onnx__TensorProto *
tensor(SnArena *a, const char *name, const SnData *t)
{
    Onnx__TensorProto *p = SN_NEW(a, Onnx__TensorProto);

    onnx__tensor_proto__init(p);
    p->name = text(a, name);
    p->has_data_type = 1;
    p->data_type = pb_dtype(t->dtype);
    p->n_dims = (size_t)t->rank;
    p->dims = sn_memdup(a, t->dim, (size_t)t->rank * sizeof *t->dim);
    p->has_raw_data = 1;
    p->raw_data.len = sn_data_nbyte(t);
    p->raw_data.data = (uint8_t *)(uintptr_t)t->data;
    return p;
}

/* shaped: with its dimensions; results leave theirs to be inferred. */
static Onnx__ValueInfoProto *
info(SnArena *a, const DmVal *v, bool shaped)
{
    Onnx__ValueInfoProto *p = SN_NEW(a, Onnx__ValueInfoProto);
    Onnx__TypeProto *type = SN_NEW(a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *t = SN_NEW(a, Onnx__TypeProto__Tensor);
    size_t rank = (size_t)v->data.rank;

    onnx__value_info_proto__init(p);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(t);
    p->name = text(a, v->name);
    p->type = type;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = t;
    t->has_elem_type = 1;
    t->elem_type = pb_dtype(v->data.dtype);
    if (!shaped)
        return p;
    t->shape = SN_NEW(a, Onnx__TensorShapeProto);
    onnx__tensor_shape_proto__init(t->shape);
    t->shape->n_dim = rank;
    t->shape->dim = SN_NEW_N(a, Onnx__TensorShapeProto__Dimension *, rank);
    for (size_t i = 0; i < rank; i++) {
        Onnx__TensorShapeProto__Dimension *d =
            SN_NEW(a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(d);
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        d->dim_value = v->data.dim[i];
        t->shape->dim[i] = d;
    }
    return p;
}

static Onnx__AttributeProto *
pb_attr(SnArena *a, const DmAttr *t)
{
    Onnx__AttributeProto *p = SN_NEW(a, Onnx__AttributeProto);

    onnx__attribute_proto__init(p);
    p->name = text(a, t->name);
    p->has_type = 1;
    switch (t->kind) {
    case DM_INT:
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        p->has_i = 1;
        p->i = t->i;
        break;
    case DM_REAL:
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
        p->has_f = 1;
        p->f = t->f;
        break;
    case DM_INTS:
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        p->n_ints = t->n;
        p->ints = sn_memdup(a, t->ints, t->n * sizeof *t->ints);
        break;
    case DM_TEXT:
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
        p->has_s = 1;
        p->s.data = (uint8_t *)text(a, t->s);
        p->s.len = strlen(t->s);
        break;
    }
    return p;
}

static Onnx__NodeProto *
pb_node(SnArena *a, const Dm *m, const DmNode *n)
{
    Onnx__NodeProto *p = SN_NEW(a, Onnx__NodeProto);

    onnx__node_proto__init(p);
    p->op_type = text(a, n->op);
    p->domain = text(a, n->domain);
    p->name = sn_format(a, "%s_%d", n->op, n->out);
    p->input = SN_NEW_N(a, char *, n->nin);
    for (uint32_t k = 0; k < n->nin; k++)
        p->input[k] = text(a, n->in[k] >= 0 ? m->val[n->in[k]].name : NULL);
    p->n_input = n->nin;
    p->output = SN_NEW_N(a, char *, 1 + n->nmore);
    p->output[0] = text(a, m->val[n->out].name);
    for (uint32_t k = 0; k < n->nmore; k++)
        p->output[1 + k] = text(a, m->val[n->more[k]].name);
    p->n_output = 1 + n->nmore;
    p->attribute = SN_NEW_N(a, Onnx__AttributeProto *, n->nattr);
    for (uint32_t k = 0; k < n->nattr; k++)
        p->attribute[k] = pb_attr(a, &n->attr[k]);
    p->n_attribute = n->nattr;
    return p;
}

static void
imports(SnArena *a, Onnx__ModelProto *p)
{
    static const char *const domain[] = {"", "com.microsoft"};

    p->n_opset_import = 2;
    p->opset_import = SN_NEW_N(a, Onnx__OperatorSetIdProto *, 2);
    for (int i = 0; i < 2; i++) {
        Onnx__OperatorSetIdProto *o = SN_NEW(a, Onnx__OperatorSetIdProto);
        onnx__operator_set_id_proto__init(o);
        o->domain = text(a, domain[i]);
        o->has_version = 1;
        o->version = i == 0 ? OPSET : 1;
        p->opset_import[i] = o;
    }
}

void
dm_pack(const Dm *m, SnArena *a, void **p, size_t *size)
{
    bool val[DM_MAXVAL] = {false}, node[DM_MAXNODE] = {false};
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto g = ONNX__GRAPH_PROTO__INIT;
    Onnx__ValueInfoProto *out;

    mark(m, val, node);
    g.name = text(a, m->name);
    g.node = SN_NEW_N(a, Onnx__NodeProto *, m->nnode);
    g.input = SN_NEW_N(a, Onnx__ValueInfoProto *, m->nval);
    g.initializer = SN_NEW_N(a, Onnx__TensorProto *, m->nval);
    for (uint32_t i = 0; i < m->nval; i++) {
        const DmVal *v = &m->val[i];
        if (!val[i])
            continue;
        if (v->from == DM_INPUT)
            g.input[g.n_input++] = info(a, v, true);
        else if (v->from == DM_CONST)
            g.initializer[g.n_initializer++] = tensor(a, v->name, &v->data);
    }
    for (uint32_t i = 0; i < m->nnode; i++)
        if (node[i])
            g.node[g.n_node++] = pb_node(a, m, &m->node[i]);
    out = info(a, &m->val[m->out], false);
    if (m->val[m->out].data.dtype == SN_D_NONE) { /* not worked out yet */
        onnx__value_info_proto__init(out);
        out->name = text(a, m->val[m->out].name);
    }
    g.n_output = 1;
    g.output = &out;
    model.has_ir_version = 1;
    model.ir_version = IR;
    model.producer_name = text(a, "sinter-differ");
    model.graph = &g;
    imports(a, &model);
    *size = onnx__model_proto__get_packed_size(&model);
    *p = sn_alloc(a, *size);
    onnx__model_proto__pack(&model, *p);
}

void
dm_pack_tensor(SnArena *a, const char *name, const SnData *t, void **p,
               size_t *n)
{
    Onnx__TensorProto *m = tensor(a, name, t);

    *n = onnx__tensor_proto__get_packed_size(m);
    *p = sn_alloc(a, *n);
    onnx__tensor_proto__pack(m, *p);
}

/* ---- running a node ---- */

bool
dm_eval(Dm *m, Ort *o, const char **why)
{
    const DmNode *n = &m->node[m->nnode - 1];
    Dm *one = SN_NEW(m->a, Dm);
    OrtIo in[DM_MAXIN], out = {.name = m->val[n->out].name};
    void *p;
    size_t size;
    uint32_t nin;

    *one = *m;
    for (uint32_t k = 0; k < n->nin; k++)
        if (n->in[k] >= 0 && one->val[n->in[k]].from == DM_MADE)
            one->val[n->in[k]].from = DM_INPUT;
    one->out = n->out;
    dm_pack(one, m->a, &p, &size);
    nin = dm_inputs(one, in);
    if (!ort_run(o, m->a, p, size, nin, in, 1, &out, why))
        return false;
    m->val[n->out].data = out.data;
    for (uint32_t k = 0; k < n->nmore; k++) {
        one->out = n->more[k];
        out.name = m->val[n->more[k]].name;
        dm_pack(one, m->a, &p, &size);
        nin = dm_inputs(one, in);
        if (!ort_run(o, m->a, p, size, nin, in, 1, &out, why))
            return false;
        m->val[n->more[k]].data = out.data;
    }
    return true;
}

/* ---- text ---- */

static void
show_value(SnBuf *b, const DmVal *v)
{
    int64_t n = sn_data_count(&v->data);

    sn_putf(b, "%s:%s[", v->name, sn_dtype_name(v->data.dtype));
    for (int i = 0; i < v->data.rank; i++)
        sn_putf(b, "%s%" PRId64, i > 0 ? "," : "", v->data.dim[i]);
    sn_puts(b, "]");
    if (v->data.data == NULL || n > MAX_SHOWN)
        return;
    sn_puts(b, "{");
    for (int64_t i = 0; i < n; i++) {
        sn_puts(b, i > 0 ? " " : "");
        if (v->data.dtype == SN_D_F32)
            sn_put_f32(b, (float)sn_data_real(&v->data, i));
        else
            sn_putf(b, "%" PRId64, sn_data_int(&v->data, i));
    }
    sn_puts(b, "}");
}

static void
show_attr(SnBuf *b, const DmAttr *t)
{
    sn_putf(b, " %s=", t->name);
    switch (t->kind) {
    case DM_INT:
        sn_putf(b, "%" PRId64, t->i);
        break;
    case DM_REAL:
        sn_put_f32(b, t->f);
        break;
    case DM_TEXT:
        sn_puts(b, t->s);
        break;
    case DM_INTS:
        for (size_t i = 0; i < t->n; i++)
            sn_putf(b, "%s%" PRId64, i > 0 ? "," : "", t->ints[i]);
        break;
    }
}

const char *
dm_show(const Dm *m, SnArena *a, uint32_t i)
{
    const DmNode *n = &m->node[i];
    SnBuf b;

    sn_buf_init(&b, a);
    show_value(&b, &m->val[n->out]);
    sn_putf(&b, " = %s(", n->op);
    for (uint32_t k = 0; k < n->nin; k++) {
        sn_puts(&b, k > 0 ? ", " : "");
        if (n->in[k] >= 0)
            show_value(&b, &m->val[n->in[k]]);
        else
            sn_puts(&b, "_");
    }
    sn_puts(&b, ")");
    for (uint32_t k = 0; k < n->nattr; k++)
        show_attr(&b, &n->attr[k]);
    return sn_buf_str(&b);
}
