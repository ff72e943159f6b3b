// SPDX-License-Identifier: Apache-2.0
/* Builds small ONNX models in memory, for tests. */
#ifndef SN_ONNX_BUILD_H
#define SN_ONNX_BUILD_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "onnx.pb-c.h"

enum { OB_MAX = 64 };

typedef struct OnnxBuild {
    SnArena *a;
    Onnx__ModelProto model;
    Onnx__OperatorSetIdProto opset, other, *opsets[2];
    Onnx__GraphProto graph;
    Onnx__NodeProto *node[OB_MAX];
    Onnx__ValueInfoProto *in[OB_MAX], *out[OB_MAX], *info[OB_MAX];
    Onnx__TensorProto *init[OB_MAX];
} OnnxBuild;

static inline char *
own(SnArena *a, const char *s)
{
    return sn_strdup(a, s);
}

static inline OnnxBuild *
ob_new(SnArena *a, int64_t opset)
{
    OnnxBuild *b = SN_NEW(a, OnnxBuild);

    b->a = a;
    onnx__model_proto__init(&b->model);
    onnx__operator_set_id_proto__init(&b->opset);
    onnx__graph_proto__init(&b->graph);
    b->model.has_ir_version = 1;
    b->model.ir_version = 7;
    b->opset.has_version = 1;
    b->opset.version = opset;
    b->opsets[0] = &b->opset;
    b->model.n_opset_import = 1;
    b->model.opset_import = b->opsets;
    b->model.graph = &b->graph;
    b->graph.name = own(a, "g");
    b->graph.node = b->node;
    b->graph.input = b->in;
    b->graph.output = b->out;
    b->graph.value_info = b->info;
    b->graph.initializer = b->init;
    return b;
}

/* The model uses a version of another domain, too. */
static inline void
ob_domain(OnnxBuild *b, const char *domain, int64_t version)
{
    onnx__operator_set_id_proto__init(&b->other);
    b->other.domain = own(b->a, domain);
    b->other.has_version = 1;
    b->other.version = version;
    b->opsets[1] = &b->other;
    b->model.n_opset_import = 2;
}

/* dims: "1x3x4x4"; a name is a symbolic dimension, "?" a nameless one; NULL:
 * no shape.  elem: the number of a TensorProto.DataType. */
static inline Onnx__ValueInfoProto *
ob_value(SnArena *a, const char *name, int elem, const char *dims)
{
    Onnx__ValueInfoProto *v = SN_NEW(a, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = SN_NEW(a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *tt = SN_NEW(a, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *s = SN_NEW(a, Onnx__TensorShapeProto);
    char *save = NULL;

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(tt);
    onnx__tensor_shape_proto__init(s);
    v->name = own(a, name);
    v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = tt;
    tt->has_elem_type = 1;
    tt->elem_type = elem;
    if (dims == NULL)
        return v;
    tt->shape = s;
    s->dim = SN_NEW_N(a, Onnx__TensorShapeProto__Dimension *, 16);
    for (char *p = strtok_r(own(a, dims), "x", &save); p != NULL;
         p = strtok_r(NULL, "x", &save)) {
        Onnx__TensorShapeProto__Dimension *m =
            SN_NEW(a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(m);
        if ((*p >= '0' && *p <= '9') || *p == '-') {
            m->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            m->dim_value = strtoll(p, NULL, 10);
        } else if (*p != '?') {
            m->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            m->dim_param = own(a, p);
        }
        s->dim[s->n_dim++] = m;
    }
    return v;
}

static inline void
ob_input_of(OnnxBuild *b, const char *name, int elem, const char *dims)
{
    b->in[b->graph.n_input++] = ob_value(b->a, name, elem, dims);
}

static inline void
ob_input(OnnxBuild *b, const char *name, const char *dims)
{
    ob_input_of(b, name, 1, dims);
}

static inline void
ob_output_of(OnnxBuild *b, const char *name, int elem, const char *dims)
{
    b->out[b->graph.n_output++] = ob_value(b->a, name, elem, dims);
}

static inline void
ob_output(OnnxBuild *b, const char *name, const char *dims)
{
    ob_output_of(b, name, 1, dims);
}

static inline void
ob_info(OnnxBuild *b, const char *name, const char *dims)
{
    b->info[b->graph.n_value_info++] = ob_value(b->a, name, 1, dims);
}

/* n raw bytes of elements. */
static inline Onnx__TensorProto *
ob_tensor(SnArena *a, const char *name, int elem, const char *dims,
          const void *data, size_t n)
{
    Onnx__TensorProto *t = SN_NEW(a, Onnx__TensorProto);
    char *save = NULL;

    onnx__tensor_proto__init(t);
    t->name = own(a, name);
    t->has_data_type = 1;
    t->data_type = elem;
    t->dims = SN_NEW_N(a, int64_t, 16);
    for (char *p = strtok_r(own(a, dims), "x", &save); p != NULL;
         p = strtok_r(NULL, "x", &save))
        t->dims[t->n_dims++] = strtoll(p, NULL, 10);
    t->has_raw_data = 1;
    t->raw_data.len = n;
    t->raw_data.data = sn_memdup(a, data, n);
    return t;
}

static inline Onnx__TensorProto *
ob_init(OnnxBuild *b, const char *name, int elem, const char *dims,
        const void *data, size_t n)
{
    Onnx__TensorProto *t = ob_tensor(b->a, name, elem, dims, data, n);

    b->init[b->graph.n_initializer++] = t;
    return t;
}

/* An f32 initializer of 1, 2, 3, ... */
static inline void
ob_floats(OnnxBuild *b, const char *name, const char *dims)
{
    Onnx__TensorProto *t = ob_init(b, name, 1, dims, "", 0);
    size_t n = 1;

    for (size_t i = 0; i < t->n_dims; i++)
        n *= (size_t)t->dims[i];
    t->raw_data.len = n * sizeof(float);
    t->raw_data.data = sn_alloc(b->a, n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        ((float *)(void *)t->raw_data.data)[i] = (float)(i + 1);
}

static inline void
ob_ints(OnnxBuild *b, const char *name, int n, const int64_t *v)
{
    ob_init(b, name, 7, sn_format(b->a, "%d", n), v, (size_t)n * sizeof *v);
}

static inline size_t
names(SnArena *a, const char *list, char ***out)
{
    char *save = NULL;
    size_t n = 0;

    *out = SN_NEW_N(a, char *, OB_MAX);
    for (char *p = strtok_r(own(a, list), " ", &save); p != NULL;
         p = strtok_r(NULL, " ", &save))
        (*out)[n++] = strcmp(p, "_") == 0 ? own(a, "") : p;
    return n;
}

/* in and out: names separated by spaces, "_" for an absent one. */
static inline Onnx__NodeProto *
ob_node(OnnxBuild *b, const char *op, const char *in, const char *out)
{
    Onnx__NodeProto *n = SN_NEW(b->a, Onnx__NodeProto);

    onnx__node_proto__init(n);
    n->op_type = own(b->a, op);
    n->n_input = names(b->a, in, &n->input);
    n->n_output = names(b->a, out, &n->output);
    n->attribute = SN_NEW_N(b->a, Onnx__AttributeProto *, OB_MAX);
    b->node[b->graph.n_node++] = n;
    return n;
}

static inline Onnx__AttributeProto *
ob_attr(OnnxBuild *b, Onnx__NodeProto *n, const char *name, int type)
{
    Onnx__AttributeProto *t = SN_NEW(b->a, Onnx__AttributeProto);

    onnx__attribute_proto__init(t);
    t->name = own(b->a, name);
    t->has_type = 1;
    t->type = (Onnx__AttributeProto__AttributeType)type;
    n->attribute[n->n_attribute++] = t;
    return t;
}

static inline void
ob_int(OnnxBuild *b, Onnx__NodeProto *n, const char *name, int64_t v)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 2);

    t->has_i = 1;
    t->i = v;
}

static inline void
ob_real(OnnxBuild *b, Onnx__NodeProto *n, const char *name, float v)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 1);

    t->has_f = 1;
    t->f = v;
}

static inline void
ob_str(OnnxBuild *b, Onnx__NodeProto *n, const char *name, const char *s)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 3);

    t->has_s = 1;
    t->s.len = strlen(s);
    t->s.data = (uint8_t *)own(b->a, s);
}

static inline void
ob_list(OnnxBuild *b, Onnx__NodeProto *n, const char *name, int count,
        const int64_t *v)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 7);

    t->n_ints = (size_t)count;
    t->ints = sn_memdup(b->a, v, (size_t)count * sizeof *v);
}

/* The bytes of the model; the caller frees them. */
static inline uint8_t *
ob_pack(OnnxBuild *b, size_t *n)
{
    uint8_t *p;

    *n = onnx__model_proto__get_packed_size(&b->model);
    p = malloc(*n + 1); /* its own block, for the sanitizers */
    if (p == NULL)
        abort();
    onnx__model_proto__pack(&b->model, p);
    return p;
}

#endif
