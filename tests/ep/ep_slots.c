// SPDX-License-Identifier: Apache-2.0
/* A provider that compares what it is shown of a graph with the model's file:
 * whether the slots of ort.h are those of the ONNX Runtime that it runs in.  It
 * is libsinter_ep.so with this before its sn_ep_capability.  Prints a line. */
#include <stdio.h>
#include <string.h>

#include "ep/ep_claim.h"
#include "onnx/proto/tensor_pb.h"

OrtStatus *__wrap_sn_ep_capability(OrtEp *base, const OrtGraph *g,
                                   OrtSupport *s);
OrtStatus *__real_sn_ep_capability(OrtEp *base, const OrtGraph *g,
                                   OrtSupport *s);

typedef struct Look {
    SnArena *a;
    SnDiag *d;
    SnEpWhole w;
    const Onnx__ModelProto *file;
    const char *dir;
    uint32_t nattr, nconstant, nport; /* compared */
} Look;

/* Says what is wrong, for ep_host's output. */
static bool
wrong(const char *what, const char *name)
{
    printf("slots: %s of '%s' is not that of the file\n", what, name);
    return false;
}

static bool
same_tensor(Look *l, const Onnx__TensorProto *x, const Onnx__TensorProto *y)
{
    SnData p, q;

    if (!x || !y || sn_tensor_pb(l->a, x, l->dir, "ours", l->d, &p) != SN_OK ||
        sn_tensor_pb(l->a, y, l->dir, "file", l->d, &q) != SN_OK)
        return false;
    size_t n = sn_data_nbyte(&q);
    return p.dtype == q.dtype && p.rank == q.rank &&
           !memcmp(p.dim, q.dim, (size_t)q.rank * sizeof *q.dim) &&
           (n == 0 || !memcmp(p.data, q.data, n));
}

/* ---- values ---- */

static bool
same_port(Look *l, const Onnx__ValueInfoProto *f, bool output)
{
    uint32_t i = sn_ep_value(&l->w, f->name);

    if (i == SN_EP_NONE) /* an input that nobody reads, or an initializer's */
        return true;
    const SnEpValue *v = &l->w.value[i];
    const Onnx__TypeProto__Tensor *t = f->type ? f->type->tensor_type : NULL;
    if (output && !v->output)
        return wrong("the use as an output", f->name);
    if (t && v->port.type != t->elem_type)
        return wrong("the type", f->name);
    if (!t || output) { /* whose shape they work out */
        l->nport++;
        return true;
    }
    if (t->shape && v->port.rank != t->shape->n_dim)
        return wrong("the rank", f->name);
    for (size_t k = 0; t->shape && k < v->port.rank; k++) {
        const Onnx__TensorShapeProto__Dimension *d = t->shape->dim[k];
        bool known = d->value_case ==
                     ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (known && v->port.dim[k] != d->dim_value)
            return wrong("the shape", f->name);
        if (!known && v->port.dim[k] >= 0)
            return wrong("a free dimension", f->name);
    }
    l->nport++;
    return true;
}

static bool
same_constant(Look *l, const Onnx__TensorProto *f)
{
    uint32_t i = sn_ep_value(&l->w, f->name);
    SnDtype known = sn_onnx_unpacked(f->data_type);

    if (i == SN_EP_NONE || known == SN_D_NONE || f->data_type == 16)
        return true; /* unread, or of a type that sinter lacks */
    if (!l->w.value[i].constant) {
        bool input = false; /* which a caller may replace */
        for (size_t k = 0; k < l->file->graph->n_input; k++)
            input = input || !strcmp(l->file->graph->input[k]->name, f->name);
        return input || wrong("that it is constant", f->name);
    }
    if (!same_tensor(l, sn_ep_constant(&l->w, i), f))
        return wrong("the data", f->name);
    l->nconstant++;
    return true;
}

/* ---- nodes ---- */

static bool
same_attr(Look *l, const Onnx__AttributeProto *x, const Onnx__AttributeProto *f)
{
    l->nattr++;
    switch (f->type) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        return x->has_i && x->i == f->i;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        return x->has_f && !memcmp(&x->f, &f->f, sizeof x->f);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
        return x->has_s && x->s.len == f->s.len &&
               !memcmp(x->s.data, f->s.data, f->s.len);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        return x->n_ints == f->n_ints &&
               !memcmp(x->ints, f->ints, f->n_ints * sizeof *f->ints);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
        return x->n_floats == f->n_floats &&
               !memcmp(x->floats, f->floats, f->n_floats * sizeof *f->floats);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
        return same_tensor(l, x->t, f->t);
    default:
        return true; /* a list of strings, a graph: not read */
    }
}

static const char *
domain_of(const Onnx__NodeProto *p)
{
    return p->domain && strcmp(p->domain, "ai.onnx") != 0 ? p->domain : "";
}

/* Each node of theirs reads a DequantizeLinear of its own, which they copy. */
static bool
is_copy(Look *l, const char *name)
{
    uint32_t v = sn_ep_value(&l->w, name);
    uint32_t maker = v == SN_EP_NONE ? 0 : l->w.value[v].maker;

    return maker &&
           !strcmp(l->w.node[maker - 1].p->op_type, "DequantizeLinear");
}

static bool
same_names(Look *l, size_t n, char **x, size_t nf, char **f)
{
    for (size_t i = 0; i < n || i < nf; i++) { /* absent ones may end a list */
        const char *name = i < n ? x[i] : "";
        if (strcmp(name, i < nf ? f[i] : "") != 0 && !is_copy(l, name))
            return false;
    }
    return true;
}

static bool
same_node(Look *l, const Onnx__NodeProto *f)
{
    uint32_t v = sn_ep_value(&l->w, f->output[0]);
    const char *name = f->output[0];

    if (v == SN_EP_NONE || !l->w.value[v].maker)
        return !strcmp(f->op_type, "Constant") || /* an initializer for them */
               wrong("the node", name);
    const SnEpNode *n = &l->w.node[l->w.value[v].maker - 1];
    const Onnx__NodeProto *p = n->p;
    if (strcmp(p->op_type, f->op_type) != 0 ||
        strcmp(domain_of(p), domain_of(f)) != 0 ||
        strcmp(p->name, f->name ? f->name : "") != 0)
        return wrong("the operator", name);
    if (!same_names(l, p->n_input, p->input, f->n_input, f->input) ||
        !same_names(l, p->n_output, p->output, f->n_output, f->output))
        return wrong("a list", name);
    for (size_t i = 0; i < f->n_attribute && !n->why; i++) {
        size_t k = 0;
        while (k < p->n_attribute &&
               strcmp(p->attribute[k]->name, f->attribute[i]->name) != 0)
            k++;
        if (k == p->n_attribute ||
            !same_attr(l, p->attribute[k], f->attribute[i]))
            return wrong(f->attribute[i]->name, name);
    }
    return true;
}

/* ---- all ---- */

static bool
same_graph(Look *l)
{
    const Onnx__GraphProto *g = l->file->graph;
    bool same = true;

    for (size_t i = 0; i < l->file->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = l->file->opset_import[i];
        const char *domain = o->domain ? o->domain : "";
        if (!strcmp(domain, "ai.onnx"))
            domain = "";
        if (sn_ep_opset(&l->w, domain) != o->version)
            same = wrong("the opset", domain);
    }
    for (size_t i = 0; i < g->n_node; i++)
        same &= same_node(l, g->node[i]);
    for (size_t i = 0; i < g->n_initializer; i++)
        same &= same_constant(l, g->initializer[i]);
    for (size_t i = 0; i < g->n_input; i++)
        same &= same_port(l, g->input[i], false);
    for (size_t i = 0; i < g->n_output; i++)
        same &= same_port(l, g->output[i], true);
    return same && (l->w.nnode > 0 || wrong("a node", g->name));
}

static void
look(const OrtTable *api, const OrtGraph *g)
{
    Look l = {.a = sn_arena_new()};
    ProtobufCMessage *m;
    const void *path;

    l.d = sn_diag_new(l.a);
    OrtStatus *s = ORT_AT(api, ORT_GRAPH_PATH, OrtGet)(g, &path);
    if (s || sn_pb_load(l.a, &onnx__model_proto__descriptor, path, l.d, &m)) {
        printf("slots: not the path of a model\n");
    } else if (!sn_ep_read(&l.w, l.a, api, g)) {
        printf("slots: %s\n", l.w.why);
    } else {
        const char *slash = strrchr(path, '/');
        l.file = (const Onnx__ModelProto *)m;
        l.dir =
            slash ? sn_strndup(l.a, path, (size_t)(slash - (const char *)path))
                  : ".";
        if (same_graph(&l))
            printf("slots: %zu nodes with %u attributes, %u constants, %u "
                   "inputs and outputs are the file's\n",
                   l.w.nnode, l.nattr, l.nconstant, l.nport);
    }
    sn_ep_drop(&l.w);
    sn_arena_free(l.a);
}

OrtStatus *
__wrap_sn_ep_capability(OrtEp *base, const OrtGraph *g, OrtSupport *s)
{
    const OrtTable *api = ((SnEp *)base)->factory->api;
    const void *parent = NULL;

    if (!ORT_AT(api, ORT_GRAPH_PARENT, OrtGet)(g, &parent) && !parent)
        look(api, g);
    return __real_sn_ep_capability(base, g, s);
}
