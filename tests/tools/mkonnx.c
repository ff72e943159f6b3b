// SPDX-License-Identifier: Apache-2.0
/* Writes a small ONNX model for a test: a chain of operators without
 * parameters on one input, of f32, or of int8, uint8, int32 or int64.
 *
 *     mkonnx OUT.onnx OPSET 1x4x4x8[:1x4x4x2] LRN:size=3 Roll@com.x:by=0/1 ...
 *     mkonnx OUT.onnx OPSET 1x4i8 Neg; 1x4u8 Neg; 1x4i32 Neg; 1x4i64 Neg
 *     mkonnx OUT.onnx OPSET 1x4i8 +QLinearSigmoid@com.microsoft
 *
 * The result has the shape of the input where none is given.  Attributes are
 * integers, lists of them (with slashes) or reals (with a point); a domain of
 * another name than ONNX's is of version 1.  After a plus stands an operator on
 * int8: operand and result have the scale 0.5 and the zero point 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "onnx.pb-c.h"

enum { MAXOP = 32, MAXINTS = 8 };

static Onnx__ValueInfoProto *
value(char *name, const char *dims)
{
    static Onnx__TensorShapeProto__Dimension dim[2][8];
    static Onnx__TensorShapeProto__Dimension *pd[2][8];
    static Onnx__TensorShapeProto shape[2];
    static Onnx__TypeProto__Tensor tt[2];
    static Onnx__TypeProto type[2];
    static Onnx__ValueInfoProto v[2];
    static int k;
    int i = k++, elem = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    size_t n = 0;

    onnx__tensor_shape_proto__init(&shape[i]);
    for (const char *s = dims; *s && n < 8; n++) {
        char *end;
        onnx__tensor_shape_proto__dimension__init(&dim[i][n]);
        dim[i][n].value_case =
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim[i][n].dim_value = strtoll(s, &end, 10);
        pd[i][n] = &dim[i][n];
        elem = !strcmp(end, "i32")   ? ONNX__TENSOR_PROTO__DATA_TYPE__INT32
               : !strcmp(end, "i64") ? ONNX__TENSOR_PROTO__DATA_TYPE__INT64
               : *end == 'i'         ? ONNX__TENSOR_PROTO__DATA_TYPE__INT8
               : *end == 'u'         ? ONNX__TENSOR_PROTO__DATA_TYPE__UINT8
                                     : elem;
        s = *end == 'x' ? end + 1 : "";
    }
    shape[i].n_dim = n;
    shape[i].dim = pd[i];
    onnx__type_proto__tensor__init(&tt[i]);
    tt[i].has_elem_type = 1;
    tt[i].elem_type = elem;
    tt[i].shape = &shape[i];
    onnx__type_proto__init(&type[i]);
    type[i].value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type[i].tensor_type = &tt[i];
    onnx__value_info_proto__init(&v[i]);
    v[i].name = name;
    v[i].type = &type[i];
    return &v[i];
}

static void
fill_attr(Onnx__AttributeProto *a, char *text)
{
    onnx__attribute_proto__init(a);
    a->has_type = 1;
    if (strchr(text, '.')) {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
        a->has_f = 1;
        a->f = strtof(text, NULL);
    } else if (strchr(text, '/')) {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        a->ints = calloc(MAXINTS, sizeof *a->ints);
        for (char *p = text; p && a->n_ints < MAXINTS; p = strchr(p, '/')) {
            p += *p == '/';
            a->ints[a->n_ints++] = strtoll(p, NULL, 10);
        }
    } else {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        a->has_i = 1;
        a->i = strtoll(text, NULL, 10);
    }
}

/* What operators on codes read. */
static char scale[] = "scale", zero[] = "zero";

static void
add_grid(Onnx__GraphProto *g)
{
    static Onnx__TensorProto t[2], *pt[2] = {&t[0], &t[1]};
    static float half = 0.5F;
    static int32_t none = 0;

    for (int i = 0; i < 2; i++)
        onnx__tensor_proto__init(&t[i]);
    t[0].name = scale;
    t[0].has_data_type = t[1].has_data_type = 1;
    t[0].data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    t[0].n_float_data = 1;
    t[0].float_data = &half;
    t[1].name = zero;
    t[1].data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    t[1].n_int32_data = 1;
    t[1].int32_data = &none;
    g->n_initializer = 2;
    g->initializer = pt;
}

/* "LRN:size=3,alpha=0.5", "Roll@com.x:by=0/1" */
static void
fill_node(Onnx__NodeProto *n, char *spec, char *in, char *out)
{
    char *at = strchr(spec, ':');
    static char *names[6 * MAXOP];
    static int k;

    onnx__node_proto__init(n);
    if (at)
        *at++ = 0;
    char *domain = strchr(spec, '@');
    if (domain) {
        *domain++ = 0;
        n->domain = domain;
    }
    n->op_type = spec + (*spec == '+');
    n->name = out;
    n->input = &names[k];
    n->n_input = *spec == '+' ? 5 : 1;
    for (size_t i = 0; i < n->n_input; i++)
        names[k++] = i == 0 ? in : i % 2 != 0 ? scale : zero;
    names[k] = out;
    n->output = &names[k++];
    n->n_output = 1;
    n->attribute = calloc(8, sizeof *n->attribute);
    for (char *p = at; p && *p && n->n_attribute < 8;) {
        Onnx__AttributeProto *a = malloc(sizeof *a);
        char *eq = strchr(p, '='), *next = strchr(p, ',');
        if (next)
            *next++ = 0;
        *eq++ = 0;
        fill_attr(a, eq);
        a->name = p;
        n->attribute[n->n_attribute++] = a;
        p = next;
    }
}

int
main(int argc, char **argv)
{
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto g = ONNX__GRAPH_PROTO__INIT;
    Onnx__OperatorSetIdProto op = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto other[MAXOP], *ops[MAXOP + 1] = {&op};
    size_t nops = 1;
    Onnx__NodeProto node[MAXOP], *pn[MAXOP];
    Onnx__ValueInfoProto *in[1], *out[1];
    static char name[MAXOP + 1][16];
    int n = argc - 4;

    if (n < 1 || n > MAXOP) {
        fprintf(stderr, "usage: mkonnx OUT OPSET DIMS OP[:a=v,...]...\n");
        return 2;
    }
    strcpy(name[0], "x");
    for (int i = 0; i < n; i++) {
        snprintf(name[i + 1], sizeof name[0], "y%d", i);
        if (*argv[4 + i] == '+')
            add_grid(&g);
        fill_node(&node[i], argv[4 + i], name[i], name[i + 1]);
        pn[i] = &node[i];
        size_t k = 1;
        while (k < nops && node[i].domain &&
               strcmp(ops[k]->domain, node[i].domain))
            k++;
        if (node[i].domain && *node[i].domain && k == nops) {
            ops[nops] = &other[nops - 1];
            onnx__operator_set_id_proto__init(ops[nops]);
            ops[nops]->domain = node[i].domain;
            ops[nops]->has_version = 1;
            ops[nops++]->version = 1;
        }
    }
    char graph_name[] = "test";
    g.name = graph_name;
    g.n_node = (size_t)n;
    g.node = pn;
    const char *given = strchr(argv[3], ':');
    in[0] = value(name[0], argv[3]);
    out[0] = value(name[n], given ? given + 1 : argv[3]);
    g.n_input = g.n_output = 1;
    g.input = in;
    g.output = out;
    op.has_version = 1;
    op.version = atoi(argv[2]);
    m.has_ir_version = 1;
    m.ir_version = 8;
    m.n_opset_import = nops;
    m.opset_import = ops;
    m.graph = &g;
    size_t size = onnx__model_proto__get_packed_size(&m);
    uint8_t *buf = malloc(size);
    onnx__model_proto__pack(&m, buf);
    FILE *f = fopen(argv[1], "wb");
    if (!f || fwrite(buf, 1, size, f) != size || fclose(f)) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
