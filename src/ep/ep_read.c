// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_read.h"

#include <stdio.h>
#include <string.h>

bool
sn_ep_good(SnArena *a, const OrtTable *api, OrtStatus *s, const char **why)
{
    char text[1024]; /* memory may run out: s is released before */

    if (!s)
        return true;
    snprintf(text, sizeof text, "%s",
             ORT_AT(api, ORT_ERROR_MESSAGE, OrtStatusText)(s));
    ORT_AT(api, ORT_RELEASE_STATUS, OrtRelease)(s);
    *why = sn_strdup(a, text);
    return false;
}

static bool
good(SnEpWhole *w, OrtStatus *s)
{
    return sn_ep_good(w->a, w->api, s, &w->why);
}

static bool
refuse(SnEpWhole *w, const char *why)
{
    w->why = why;
    return false;
}

/* ---- getting things ---- */

static bool
get(SnEpWhole *w, int slot, const void *of, const void **out)
{
    *out = NULL;
    return good(w, ORT_AT(w->api, slot, OrtGet)(of, out));
}

static bool
get_text(SnEpWhole *w, int slot, const void *of, char **out)
{
    const void *s;

    if (!get(w, slot, of, &s))
        return false;
    *out = sn_strdup(w->a, s ? s : "");
    return true;
}

/* The objects in a list whose number and members are in two slots. */
static bool
get_list(SnEpWhole *w, int count, int slot, const void *of, size_t *n,
         const void ***out)
{
    *n = 0;
    if (!good(w, ORT_AT(w->api, count, OrtGetSize)(of, n)))
        return false;
    *out = SN_NEW_N(w->a, const void *, *n + 1);
    return *n == 0 || good(w, ORT_AT(w->api, slot, OrtGetList)(of, *out, *n));
}

/* ---- tensors ---- */

enum { MAXRANK = 64 };

/* Of the shape that info says; dim has room for MAXRANK.  Allocates nothing, as
 * info may have to be released, but the text of an error of ONNX Runtime's. */
static OrtStatus *
read_shape(SnEpWhole *w, const void *info, SnEpPort *p, int64_t *dim)
{
    OrtStatus *s = ORT_AT(w->api, ORT_ELEMENT_TYPE, OrtGetInt)(info, &p->type);

    if (!s)
        s = ORT_AT(w->api, ORT_RANK, OrtGetSize)(info, &p->rank);
    if (!s && p->rank <= MAXRANK)
        s = ORT_AT(w->api, ORT_DIMS, OrtGetDims)(info, dim, p->rank);
    return s;
}

/* What became of that, in the arena. */
static bool
keep_shape(SnEpWhole *w, OrtStatus *s, SnEpPort *p, const int64_t *dim)
{
    if (!good(w, s))
        return false;
    if (p->rank > MAXRANK)
        return refuse(w, "a tensor of more than 64 dimensions");
    p->dim = SN_NEW_N(w->a, int64_t, p->rank + 1);
    memcpy(p->dim, dim, p->rank * sizeof *dim);
    return true;
}

/* The value of a constant or of an attribute; its bytes are not copied. */
static bool
get_tensor(SnEpWhole *w, const OrtValue *v, Onnx__TensorProto *t)
{
    const void *info, *data;
    SnEpPort p = {0};
    int64_t dim[MAXRANK];
    size_t n;

    if (!get(w, ORT_VALUE_INFO, v, &info))
        return false;
    OrtStatus *s = read_shape(w, info, &p, dim);
    ORT_AT(w->api, ORT_RELEASE_INFO, OrtRelease)((void *)(uintptr_t)info);
    if (!keep_shape(w, s, &p, dim))
        return false;
    if (p.type == ONNX__TENSOR_PROTO__DATA_TYPE__STRING)
        return refuse(w, "a constant of strings");
    if (!good(w, ORT_AT(w->api, ORT_NBYTE, OrtGetSize)(v, &n)) ||
        !get(w, ORT_TENSOR_DATA, v, &data))
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

static uint64_t
hash_of(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * UINT64_C(1099511628211);
    return h;
}

uint32_t
sn_ep_value(SnEpWhole *w, const char *name)
{
    uint64_t h = hash_of(name);
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&w->index, h, &probe)) != SN_HASHES_END)
        if (!strcmp(w->value[i].name, name))
            return i;
    return SN_EP_NONE;
}

/* The type and shape; a value that is not a tensor has the type 0. */
static bool
get_port(SnEpWhole *w, SnEpValue *v)
{
    const void *type, *info;
    int64_t dim[MAXRANK];

    v->port.name = v->name;
    if (!get(w, ORT_TYPE, v->info, &type))
        return false;
    if (!type)
        return true;
    if (!get(w, ORT_TENSOR_INFO_OF, type, &info))
        return false;
    return !info ||
           keep_shape(w, read_shape(w, info, &v->port, dim), &v->port, dim);
}

static bool
get_flag(SnEpWhole *w, int slot, const SnEpValue *v, bool *out)
{
    *out = false;
    return good(w, ORT_AT(w->api, slot, OrtGetBool)(v->info, out));
}

/* The number of the value, which is added where it is new; SN_EP_NONE of one
 * that is absent. */
static bool
get_value(SnEpWhole *w, const OrtValueInfo *info, uint32_t *out)
{
    SnEpValue v = {.info = info};
    bool optional, outer;

    *out = SN_EP_NONE;
    if (!info)
        return true;
    if (!get_text(w, ORT_NAME, info, &v.name))
        return false;
    if (!v.name[0] || (*out = sn_ep_value(w, v.name)) != SN_EP_NONE)
        return true;
    if (!get_port(w, &v) || !get_flag(w, ORT_IS_CONSTANT, &v, &v.constant) ||
        !get_flag(w, ORT_IS_OPTIONAL, &v, &optional) ||
        !get_flag(w, ORT_IS_OUTER, &v, &outer))
        return false;
    v.foreign = !v.constant && (optional || outer);
    *out = (uint32_t)w->nvalue;
    sn_hashes_add(&w->index, hash_of(v.name), *out);
    SN_PUSH(w->a, w->value, w->nvalue, v);
    return true;
}

const Onnx__TensorProto *
sn_ep_constant(SnEpWhole *w, uint32_t value)
{
    SnEpValue *v = &w->value[value];
    const void *data;

    if (v->tensor || !v->constant)
        return v->tensor;
    Onnx__TensorProto *t = SN_NEW(w->a, Onnx__TensorProto);
    onnx__tensor_proto__init(t);
    t->name = v->name;
    if (!get(w, ORT_INITIALIZER, v->info, &data) || !data ||
        !get_tensor(w, data, t))
        return NULL;
    return v->tensor = t;
}

/* ---- attributes ---- */

void
sn_ep_drop(SnEpWhole *w)
{
    if (w->value_held)
        ORT_AT(w->api, ORT_RELEASE_VALUE, OrtRelease)
    ((void *)(uintptr_t)w->value_held);
    w->value_held = NULL;
}

/* The bytes of one, in the arena. */
static bool
read_attr(SnEpWhole *w, const OrtOpAttr *at, int type, size_t *n, void **out)
{
    OrtReadAttr *read = ORT_AT(w->api, ORT_READ_ATTR, OrtReadAttr);
    OrtStatus *s;

    *n = 0;
    s = read(at, type, NULL, 0, n); /* says how many there are */
    if (s)
        ORT_AT(w->api, ORT_RELEASE_STATUS, OrtRelease)(s);
    *out = sn_alloc(w->a, *n + 1);
    return *n == 0 || good(w, read(at, type, *out, *n, n));
}

static bool
attr_tensor(SnEpWhole *w, const OrtOpAttr *at, Onnx__AttributeProto *p)
{
    p->t = SN_NEW(w->a, Onnx__TensorProto);
    onnx__tensor_proto__init(p->t);
    if (!get(w, ORT_ATTR_TENSOR, at, &w->value_held))
        return false;
    bool ok = get_tensor(w, w->value_held, p->t);
    void *data =
        ok ? sn_memdup(w->a, p->t->raw_data.data, p->t->raw_data.len) : NULL;
    p->t->raw_data.data = data;
    sn_ep_drop(w);
    return ok;
}

static bool
attr_value(SnEpWhole *w, const OrtOpAttr *at, int type, Onnx__AttributeProto *p)
{
    void *v = NULL;
    size_t n = 0;

    if (type == ORT_A_TENSOR)
        return attr_tensor(w, at, p);
    if (type < ORT_A_INT || type > ORT_A_STRING)
        return refuse(w, "an attribute that is a graph or a list of strings");
    if (!read_attr(w, at, type, &n, &v))
        return false;
    p->has_i = type == ORT_A_INT;
    p->has_f = type == ORT_A_FLOAT;
    p->has_s = type == ORT_A_STRING;
    if ((p->has_i && n != sizeof p->i) || (p->has_f && n != sizeof p->f))
        return refuse(w, "an attribute without its value");
    if (p->has_i)
        memcpy(&p->i, v, sizeof p->i);
    if (p->has_f)
        memcpy(&p->f, v, sizeof p->f);
    if (p->has_s) { /* with a NUL, or without */
        const uint8_t *s = v;
        p->s = (ProtobufCBinaryData){n && !s[n - 1] ? n - 1 : n, v};
    }
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
add_attr(SnEpWhole *w, const OrtOpAttr *at, Onnx__NodeProto *node)
{
    static const Onnx__AttributeProto__AttributeType types[] = {
        [ORT_A_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
        [ORT_A_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
        [ORT_A_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
        [ORT_A_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
        [ORT_A_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
        [ORT_A_TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
    };
    Onnx__AttributeProto *p = SN_NEW(w->a, Onnx__AttributeProto);
    int type;

    onnx__attribute_proto__init(p);
    if (!get_text(w, ORT_ATTR_NAME, at, &p->name) ||
        !good(w, ORT_AT(w->api, ORT_ATTR_TYPE, OrtGetInt)(at, &type)) ||
        !attr_value(w, at, type, p))
        return false;
    p->has_type = true;
    p->type = types[type];
    SN_PUSH(w->a, node->attribute, node->n_attribute, p);
    return true;
}

/* ---- nodes ---- */

/* The values in a list of the node; names: in a message, or NULL. */
static bool
get_values(SnEpWhole *w, int count, int slot, const OrtNode *of, size_t *n,
           uint32_t **out, char ***names)
{
    const void **v;

    if (!get_list(w, count, slot, of, n, &v))
        return false;
    *out = SN_NEW_N(w->a, uint32_t, *n + 1);
    if (names)
        *names = SN_NEW_N(w->a, char *, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        if (!get_value(w, v[i], &(*out)[i]))
            return false;
        if (names)
            (*names)[i] = (*out)[i] == SN_EP_NONE ? sn_strdup(w->a, "")
                                                  : w->value[(*out)[i]].name;
    }
    return true;
}

/* Copies the node into a message; false, with the reason: it cannot be held. */
static bool
get_attrs(SnEpWhole *w, SnEpNode *n)
{
    const void **attr;
    size_t nattr;

    if (n->nhidden)
        return refuse(w, "it holds a graph");
    if (!get_list(w, ORT_NODE_NATTR, ORT_NODE_ATTRS, n->ort, &nattr, &attr))
        return false;
    for (size_t i = 0; i < nattr; i++)
        if (!add_attr(w, attr[i], n->p))
            return false;
    return true;
}

static bool
get_node(SnEpWhole *w, const OrtNode *of, SnEpNode *n)
{
    Onnx__NodeProto *p = SN_NEW(w->a, Onnx__NodeProto);
    size_t ngraph;

    *n = (SnEpNode){.ort = of, .p = p};
    onnx__node_proto__init(p);
    if (!get_text(w, ORT_NODE_NAME, of, &p->name) ||
        !get_text(w, ORT_NODE_OPERATOR, of, &p->op_type) ||
        !get_text(w, ORT_NODE_DOMAIN, of, &p->domain) ||
        !get_values(w, ORT_NODE_NINPUT, ORT_NODE_INPUTS, of, &n->nread,
                    &n->read, &p->input) ||
        !get_values(w, ORT_NODE_NOUTPUT, ORT_NODE_OUTPUTS, of, &n->nmade,
                    &n->made, &p->output) ||
        !good(w, ORT_AT(w->api, ORT_NODE_NSUBGRAPH, OrtGetSize)(of, &ngraph)))
        return false;
    if (ngraph && !get_values(w, ORT_NODE_NIMPLICIT, ORT_NODE_IMPLICIT, of,
                              &n->nhidden, &n->hidden, NULL))
        return false;
    p->n_input = n->nread;
    p->n_output = n->nmade;
    if (ngraph)
        n->why = "it holds a graph";
    else if (!get_attrs(w, n))
        n->why = w->why;
    return true;
}

static bool
get_opsets(SnEpWhole *w, const OrtGraph *of)
{
    size_t n;

    if (!good(w, ORT_AT(w->api, ORT_GRAPH_NOPSET, OrtGetSize)(of, &n)))
        return false;
    const char **domain = SN_NEW_N(w->a, const char *, n + 1);
    int64_t *version = SN_NEW_N(w->a, int64_t, n + 1);
    if (!good(w, ORT_AT(w->api, ORT_GRAPH_OPSETS, OrtGetOpsets)(of, domain,
                                                                version, n)))
        return false;
    for (size_t i = 0; i < n; i++) {
        Onnx__OperatorSetIdProto *o = SN_NEW(w->a, Onnx__OperatorSetIdProto);
        onnx__operator_set_id_proto__init(o);
        o->domain = sn_strdup(w->a, domain[i]);
        o->has_version = true;
        o->version = version[i];
        SN_PUSH(w->a, w->opset, w->nopset, o);
    }
    return true;
}

int64_t
sn_ep_opset(const SnEpWhole *w, const char *domain)
{
    for (size_t i = 0; i < w->nopset; i++)
        if (!strcmp(w->opset[i]->domain, domain))
            return w->opset[i]->version;
    return 0;
}

bool
sn_ep_read(SnEpWhole *w, SnArena *a, const OrtTable *api, const OrtGraph *g)
{
    const void **node, **v;
    size_t n;
    uint32_t k;

    *w = (SnEpWhole){.a = a, .api = api};
    sn_hashes_init(&w->index, a);
    if (!get_opsets(w, g) ||
        !get_list(w, ORT_GRAPH_NNODE, ORT_GRAPH_NODES, g, &w->nnode, &node))
        return false;
    w->node = SN_NEW_N(a, SnEpNode, w->nnode + 1);
    for (size_t i = 0; i < w->nnode; i++)
        if (!get_node(w, node[i], &w->node[i]))
            return false;
    for (size_t i = 0; i < w->nnode; i++)
        for (size_t m = 0; m < w->node[i].nmade; m++)
            if (w->node[i].made[m] != SN_EP_NONE)
                w->value[w->node[i].made[m]].maker = (uint32_t)i + 1;
    if (!get_list(w, ORT_GRAPH_NOUTPUT, ORT_GRAPH_OUTPUTS, g, &n, &v))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!get_value(w, v[i], &k))
            return false;
        if (k != SN_EP_NONE)
            w->value[k].output = true;
    }
    return true;
}
