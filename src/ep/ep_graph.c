// SPDX-License-Identifier: Apache-2.0
#include "ep/ep.h"

#include <string.h>

#include "onnx.pb-c.h"

typedef struct Reader {
    SnArena *a;
    const OrtTable *api;
    const char *why;
    Onnx__GraphProto *graph;
    bool codes;
} Reader;

bool
sn_ep_good(SnArena *a, const OrtTable *api, OrtStatus *s, const char **why)
{
    if (!s)
        return true;
    *why = sn_strdup(a, ORT_AT(api, ORT_ERROR_MESSAGE, OrtStatusText)(s));
    ORT_AT(api, ORT_RELEASE_STATUS, OrtRelease)(s);
    return false;
}

static bool
good(Reader *r, OrtStatus *s)
{
    return sn_ep_good(r->a, r->api, s, &r->why);
}

static bool
refuse(Reader *r, const char *why)
{
    r->why = why;
    return false;
}

/* ---- getting things ---- */

static bool
get(Reader *r, int slot, const void *of, const void **out)
{
    *out = NULL;
    return good(r, ORT_AT(r->api, slot, OrtGet)(of, out));
}

static bool
get_text(Reader *r, int slot, const void *of, char **out)
{
    const void *s;

    if (!get(r, slot, of, &s))
        return false;
    *out = sn_strdup(r->a, s ? s : "");
    return true;
}

/* The objects in a list whose number and members are in two slots. */
static bool
get_list(Reader *r, int count, int slot, const void *of, size_t *n,
         const void ***out)
{
    if (!good(r, ORT_AT(r->api, count, OrtGetSize)(of, n)))
        return false;
    *out = SN_NEW_N(r->a, const void *, *n + 1);
    return *n == 0 || good(r, ORT_AT(r->api, slot, OrtGetList)(of, *out, *n));
}

/* ---- tensors ---- */

static bool
get_shape(Reader *r, const void *info, SnEpPort *p)
{
    if (!good(r, ORT_AT(r->api, ORT_ELEMENT_TYPE, OrtGetInt)(info, &p->type)) ||
        !good(r, ORT_AT(r->api, ORT_RANK, OrtGetSize)(info, &p->rank)))
        return false;
    p->dim = SN_NEW_N(r->a, int64_t, p->rank + 1);
    return good(r, ORT_AT(r->api, ORT_DIMS, OrtGetDims)(info, p->dim, p->rank));
}

/* The value of a constant or of an attribute; its bytes are not copied. */
static bool
get_tensor(Reader *r, const OrtValue *v, Onnx__TensorProto *t)
{
    const void *info, *data;
    SnEpPort p = {0};
    size_t n;

    if (!get(r, ORT_VALUE_INFO, v, &info))
        return false;
    bool ok = get_shape(r, info, &p);
    ORT_AT(r->api, ORT_RELEASE_INFO, OrtRelease)((void *)(uintptr_t)info);
    if (!ok)
        return false;
    if (p.type == ONNX__TENSOR_PROTO__DATA_TYPE__STRING)
        return refuse(r, "a constant of strings");
    if (!good(r, ORT_AT(r->api, ORT_NBYTE, OrtGetSize)(v, &n)) ||
        !get(r, ORT_TENSOR_DATA, v, &data))
        return false;
    t->has_data_type = true;
    t->data_type = p.type;
    t->n_dims = p.rank;
    t->dims = p.dim;
    t->has_raw_data = true;
    t->raw_data = (ProtobufCBinaryData){n, (uint8_t *)(uintptr_t)data};
    return true;
}

/* ---- values ---- */

/* The constant of this name, which must have been added, or NULL. */
static const Onnx__TensorProto *
constant(const Reader *r, const char *name)
{
    for (size_t i = 0; i < r->graph->n_initializer; i++)
        if (!strcmp(r->graph->initializer[i]->name, name))
            return r->graph->initializer[i];
    return NULL;
}

static bool
add_constant(Reader *r, const OrtValueInfo *v, char *name)
{
    Onnx__GraphProto *g = r->graph;
    Onnx__TensorProto *t = SN_NEW(r->a, Onnx__TensorProto);
    const void *value;
    bool is;

    if (!good(r, ORT_AT(r->api, ORT_IS_CONSTANT, OrtGetBool)(v, &is)))
        return false;
    if (!is || constant(r, name))
        return true;
    onnx__tensor_proto__init(t);
    t->name = name;
    if (!get(r, ORT_INITIALIZER, v, &value) || !get_tensor(r, value, t))
        return false;
    SN_PUSH(r->a, g->initializer, g->n_initializer, t);
    return true;
}

/* The name of an operand; constants come along. */
static bool
get_name(Reader *r, const OrtValueInfo *v, bool operand, char **out)
{
    *out = sn_strdup(r->a, "");
    return !v || (get_text(r, ORT_NAME, v, out) &&
                  (!operand || add_constant(r, v, *out)));
}

static bool
get_names(Reader *r, int count, int slot, const OrtNode *node, bool operands,
          size_t *n, char ***out)
{
    const void **v;

    if (!get_list(r, count, slot, node, n, &v))
        return false;
    *out = SN_NEW_N(r->a, char *, *n + 1);
    for (size_t i = 0; i < *n; i++)
        if (!get_name(r, v[i], operands, &(*out)[i]))
            return false;
    return true;
}

/* ---- attributes ---- */

/* The bytes of one, in the arena. */
static bool
read_attr(Reader *r, const OrtOpAttr *at, int type, size_t *n, void **out)
{
    OrtReadAttr *read = ORT_AT(r->api, ORT_READ_ATTR, OrtReadAttr);
    OrtStatus *s;

    *n = 0;
    s = read(at, type, NULL, 0, n); /* says how many there are */
    if (s)
        ORT_AT(r->api, ORT_RELEASE_STATUS, OrtRelease)(s);
    *out = sn_alloc(r->a, *n + 1);
    return *n == 0 || good(r, read(at, type, *out, *n, n));
}

static bool
attr_tensor(Reader *r, const OrtOpAttr *at, Onnx__AttributeProto *p)
{
    const void *v;

    p->t = SN_NEW(r->a, Onnx__TensorProto);
    onnx__tensor_proto__init(p->t);
    if (!get(r, ORT_ATTR_TENSOR, at, &v))
        return false;
    bool ok = get_tensor(r, v, p->t);
    if (ok)
        p->t->raw_data.data =
            sn_memdup(r->a, p->t->raw_data.data, p->t->raw_data.len);
    ORT_AT(r->api, ORT_RELEASE_VALUE, OrtRelease)((void *)(uintptr_t)v);
    return ok;
}

static bool
attr_value(Reader *r, const OrtOpAttr *at, int type, Onnx__AttributeProto *p)
{
    void *v = NULL;
    size_t n = 0;

    if (type == ORT_A_TENSOR)
        return attr_tensor(r, at, p);
    if (type < ORT_A_INT || type > ORT_A_STRING)
        return refuse(r, "an attribute that is a graph or a list of strings");
    if (!read_attr(r, at, type, &n, &v))
        return false;
    p->has_i = type == ORT_A_INT;
    p->has_f = type == ORT_A_FLOAT;
    p->has_s = type == ORT_A_STRING;
    if ((p->has_i && n != sizeof p->i) || (p->has_f && n != sizeof p->f))
        return refuse(r, "an attribute without its value");
    if (p->has_i)
        memcpy(&p->i, v, sizeof p->i);
    if (p->has_f)
        memcpy(&p->f, v, sizeof p->f);
    if (p->has_s) /* with a NUL, or without */
        p->s = (ProtobufCBinaryData){strnlen(v, n), v};
    if (type == ORT_A_INTS) {
        p->n_ints = n / sizeof *p->ints;
        p->ints = v;
    }
    if (type == ORT_A_FLOATS) {
        p->n_floats = n / sizeof *p->floats;
        p->floats = v;
    }
    return true;
}

static bool
add_attr(Reader *r, const OrtOpAttr *at, Onnx__NodeProto *node)
{
    static const Onnx__AttributeProto__AttributeType types[] = {
        [ORT_A_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
        [ORT_A_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
        [ORT_A_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
        [ORT_A_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
        [ORT_A_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
        [ORT_A_TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
    };
    Onnx__AttributeProto *p = SN_NEW(r->a, Onnx__AttributeProto);
    int type;

    onnx__attribute_proto__init(p);
    if (!get_text(r, ORT_ATTR_NAME, at, &p->name) ||
        !good(r, ORT_AT(r->api, ORT_ATTR_TYPE, OrtGetInt)(at, &type)) ||
        !attr_value(r, at, type, p))
        return false;
    p->has_type = true;
    p->type = types[type];
    SN_PUSH(r->a, node->attribute, node->n_attribute, p);
    return true;
}

/* ---- nodes ---- */

static bool
add_node(Reader *r, const OrtNode *of)
{
    Onnx__GraphProto *g = r->graph;
    Onnx__NodeProto *n = SN_NEW(r->a, Onnx__NodeProto);
    const void **attr;
    size_t nattr, ngraph;

    onnx__node_proto__init(n);
    if (!good(r, ORT_AT(r->api, ORT_NODE_NSUBGRAPH, OrtGetSize)(of, &ngraph)))
        return false;
    if (ngraph)
        return refuse(r, "a node with a graph inside");
    if (!get_text(r, ORT_NODE_NAME, of, &n->name) ||
        !get_text(r, ORT_NODE_OPERATOR, of, &n->op_type) ||
        !get_text(r, ORT_NODE_DOMAIN, of, &n->domain) ||
        !get_names(r, ORT_NODE_NINPUT, ORT_NODE_INPUTS, of, true, &n->n_input,
                   &n->input) ||
        !get_names(r, ORT_NODE_NOUTPUT, ORT_NODE_OUTPUTS, of, false,
                   &n->n_output, &n->output) ||
        !get_list(r, ORT_NODE_NATTR, ORT_NODE_ATTRS, of, &nattr, &attr))
        return false;
    for (size_t i = 0; i < nattr; i++)
        if (!add_attr(r, attr[i], n))
            return false;
    r->codes = r->codes || strstr(n->op_type, "QuantizeLinear") ||
               strstr(n->op_type, "DequantizeLinear") ||
               !strncmp(n->op_type, "QLinear", 7);
    SN_PUSH(r->a, g->node, g->n_node, n);
    return true;
}

/* ---- inputs and outputs ---- */

static bool
get_port(Reader *r, const OrtValueInfo *v, SnEpPort *p)
{
    const void *type, *info;
    char *name;

    if (!get_text(r, ORT_NAME, v, &name) || !get(r, ORT_TYPE, v, &type))
        return false;
    p->name = name;
    if (!type || !get(r, ORT_TENSOR_INFO_OF, type, &info))
        return type ? false : refuse(r, "a value without a type");
    return info ? get_shape(r, info, p)
                : refuse(r, "an input or output that is no tensor");
}

static Onnx__ValueInfoProto *
describe(SnArena *a, const SnEpPort *p)
{
    Onnx__ValueInfoProto *v = SN_NEW(a, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = SN_NEW(a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *x = SN_NEW(a, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *s = SN_NEW(a, Onnx__TensorShapeProto);

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(x);
    onnx__tensor_shape_proto__init(s);
    v->name = sn_strdup(a, p->name);
    v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = x;
    x->has_elem_type = true;
    x->elem_type = p->type;
    x->shape = s;
    for (size_t i = 0; i < p->rank; i++) {
        Onnx__TensorShapeProto__Dimension *d =
            SN_NEW(a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(d);
        if (p->dim[i] >= 0) {
            d->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            d->dim_value = p->dim[i];
        }
        SN_PUSH(a, s->dim, s->n_dim, d);
    }
    return v;
}

static bool
add_ports(Reader *r, const OrtGraph *of, SnEpGraph *out)
{
    Onnx__GraphProto *g = r->graph;
    const void **v;
    size_t n;

    if (!get_list(r, ORT_GRAPH_NINPUT, ORT_GRAPH_INPUTS, of, &n, &v))
        return false;
    for (size_t i = 0; i < n; i++) {
        SnEpPort p = {0};
        if (!get_port(r, v[i], &p))
            return false;
        if (constant(r, p.name))
            continue;
        for (size_t k = 0; k < p.rank; k++)
            out->dynamic = out->dynamic || p.dim[k] < 0;
        SN_PUSH(r->a, out->input, out->ninput, p);
        SN_PUSH(r->a, g->input, g->n_input, describe(r->a, &p));
    }
    if (!get_list(r, ORT_GRAPH_NOUTPUT, ORT_GRAPH_OUTPUTS, of, &n, &v))
        return false;
    for (size_t i = 0; i < n; i++) {
        SnEpPort p = {0};
        if (!get_port(r, v[i], &p))
            return false;
        SN_PUSH(r->a, out->output, out->noutput, p);
        SN_PUSH(r->a, g->output, g->n_output, describe(r->a, &p));
    }
    if (out->ninput > SN_EP_NPORT || out->noutput > SN_EP_NPORT)
        return refuse(r, "more than 64 inputs or outputs");
    return true;
}

static bool
add_opsets(Reader *r, const OrtGraph *of, Onnx__ModelProto *m)
{
    size_t n;

    if (!good(r, ORT_AT(r->api, ORT_GRAPH_NOPSET, OrtGetSize)(of, &n)))
        return false;
    const char **domain = SN_NEW_N(r->a, const char *, n + 1);
    int64_t *version = SN_NEW_N(r->a, int64_t, n + 1);
    if (!good(r, ORT_AT(r->api, ORT_GRAPH_OPSETS, OrtGetOpsets)(of, domain,
                                                                version, n)))
        return false;
    for (size_t i = 0; i < n; i++) {
        Onnx__OperatorSetIdProto *o = SN_NEW(r->a, Onnx__OperatorSetIdProto);
        onnx__operator_set_id_proto__init(o);
        o->domain = sn_strdup(r->a, domain[i]);
        o->has_version = true;
        o->version = version[i];
        SN_PUSH(r->a, m->opset_import, m->n_opset_import, o);
    }
    return true;
}

bool
sn_ep_translate(SnArena *a, const OrtTable *api, const OrtGraph *g,
                SnEpGraph *out, const char **why)
{
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Reader r = {.a = a, .api = api, .graph = &graph};
    const void **node;
    size_t n;

    *out = (SnEpGraph){0};
    bool ok = add_opsets(&r, g, &m) &&
              get_list(&r, ORT_GRAPH_NNODE, ORT_GRAPH_NODES, g, &n, &node);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_node(&r, node[i]);
    ok = ok && add_ports(&r, g, out);
    *why = r.why;
    if (!ok)
        return false;
    graph.name = sn_strdup(a, "graph");
    m.has_ir_version = true;
    m.ir_version = 8;
    m.graph = &graph;
    out->codes = r.codes;
    out->n = onnx__model_proto__get_packed_size(&m);
    out->p = sn_alloc(a, out->n);
    onnx__model_proto__pack(&m, out->p);
    return true;
}
