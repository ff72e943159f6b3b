// SPDX-License-Identifier: Apache-2.0
/* Writes a well-known topology as a float ONNX model with seeded weights, and
 * calibration data for it:
 *
 *     mkmodel NAME OUT.onnx [CALIB.npy]
 *
 * Weights are uniform in +-g sqrt(6 / fan-in) (He's variance for ReLU), biases
 * in +-0.05, from one 64-bit linear congruential sequence started at 1; g is 1
 * but for the last convolution of a residual branch, where 0.3 keeps the sum
 * from growing.  Batch normalization counts as folded.  Calibration data: 4
 * samples (64 for a batch) uniform in [-2, 2].  The run time of a network
 * depends on its shapes, so these weights serve as well as trained ones. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "onnx.pb-c.h"

static Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
static uint64_t state = 1;
static int next_name;

static float
uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(state >> 32) * 0x1p-31f;
}

static void *
more(void *v, size_t n, void *item)
{
    void **p = realloc(v, (n + 1) * sizeof *p);

    p[n] = item;
    return p;
}

static char *
name(const char *what)
{
    char *s = malloc(32);

    snprintf(s, 32, "%s%d", what, next_name++);
    return s;
}

/* ---- nodes ---- */

static Onnx__NodeProto *
node(const char *op, char *x)
{
    Onnx__NodeProto *n = malloc(sizeof *n);

    onnx__node_proto__init(n);
    n->op_type = strdup(op);
    n->name = name(op);
    n->input = more(NULL, n->n_input++, x);
    n->output = more(NULL, n->n_output++, n->name);
    graph.node = more(graph.node, graph.n_node++, n);
    return n;
}

static Onnx__AttributeProto *
attribute(Onnx__NodeProto *n, const char *what, int type)
{
    Onnx__AttributeProto *a = malloc(sizeof *a);

    onnx__attribute_proto__init(a);
    a->name = strdup(what);
    a->has_type = 1;
    a->type = (Onnx__AttributeProto__AttributeType)type;
    n->attribute = more(n->attribute, n->n_attribute++, a);
    return a;
}

static void
real(Onnx__NodeProto *n, const char *what, float v)
{
    Onnx__AttributeProto *a =
        attribute(n, what, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

    a->has_f = 1;
    a->f = v;
}

static void
whole(Onnx__NodeProto *n, const char *what, int v)
{
    Onnx__AttributeProto *a =
        attribute(n, what, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

    a->has_i = 1;
    a->i = v;
}

static void
wholes(Onnx__NodeProto *n, const char *what, size_t count, int v)
{
    Onnx__AttributeProto *a =
        attribute(n, what, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

    a->n_ints = count;
    a->ints = malloc(count * sizeof *a->ints);
    for (size_t i = 0; i < count; i++)
        a->ints[i] = v;
}

static void
input(Onnx__NodeProto *n, char *x)
{
    n->input = more(n->input, n->n_input++, x);
}

/* A constant of uniform numbers in +-size. */
static char *
constant(size_t rank, const int *dim, float size)
{
    Onnx__TensorProto *t = malloc(sizeof *t);
    size_t n = 1;

    onnx__tensor_proto__init(t);
    t->name = name("w");
    t->has_data_type = 1;
    t->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    t->n_dims = rank;
    t->dims = malloc(rank * sizeof *t->dims);
    for (size_t i = 0; i < rank; i++) {
        t->dims[i] = dim[i];
        n *= (size_t)dim[i];
    }
    float *v = malloc(n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = uniform() * size;
    t->has_raw_data = 1;
    t->raw_data.len = n * sizeof *v;
    t->raw_data.data = (uint8_t *)v;
    graph.initializer = more(graph.initializer, graph.n_initializer++, t);
    return t->name;
}

static void
value(const char *what, size_t rank, const int *dim, bool out)
{
    Onnx__ValueInfoProto *v = malloc(sizeof *v);
    Onnx__TypeProto *type = malloc(sizeof *type);
    Onnx__TypeProto__Tensor *t = malloc(sizeof *t);
    Onnx__TensorShapeProto *s = malloc(sizeof *s);

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(t);
    onnx__tensor_shape_proto__init(s);
    for (size_t i = 0; i < rank; i++) {
        Onnx__TensorShapeProto__Dimension *d = malloc(sizeof *d);
        onnx__tensor_shape_proto__dimension__init(d);
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        d->dim_value = dim[i];
        s->dim = more(s->dim, s->n_dim++, d);
    }
    v->name = strdup(what);
    v->type = type;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = t;
    t->has_elem_type = 1;
    t->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    t->shape = s;
    if (out)
        graph.output = more(graph.output, graph.n_output++, v);
    else
        graph.input = more(graph.input, graph.n_input++, v);
}

/* ---- layers ---- */

typedef enum Act { LINEAR, RELU, RELU6 } Act;

static char *
act(char *x, Act a)
{
    static char *zero, *six;

    if (a == LINEAR)
        return x;
    if (a == RELU)
        return node("Relu", x)->name;
    for (int i = 0; !six && i < 2; i++) { /* scalars 0 and 6 */
        char *s = constant(0, NULL, 0);
        *(float *)(void *)graph.initializer[graph.n_initializer - 1]
             ->raw_data.data = (float)(6 * i);
        *(i ? &six : &zero) = s;
    }
    Onnx__NodeProto *n = node("Clip", x);
    input(n, zero);
    input(n, six);
    return n->name;
}

typedef struct Conv {
    int ci, co, k, stride, pad, group;
    float gain;
    Act act;
} Conv;

static char *
conv(char *x, Conv c)
{
    int group = c.group ? c.group : 1, stride = c.stride ? c.stride : 1;
    int dim[] = {c.co, c.ci / group, c.k, c.k};
    float fan = (float)(dim[1] * c.k * c.k);
    Onnx__NodeProto *n = node("Conv", x);

    input(n, constant(4, dim, (c.gain > 0 ? c.gain : 1) * sqrtf(6 / fan)));
    input(n, constant(1, dim, 0.05f));
    wholes(n, "kernel_shape", 2, c.k);
    wholes(n, "strides", 2, stride);
    wholes(n, "pads", 4, c.pad);
    whole(n, "group", group);
    return act(n->name, c.act);
}

static char *
fc(char *x, int in, int out, Act a)
{
    int dim[] = {out, in};
    Onnx__NodeProto *n = node("Gemm", x);

    input(n, constant(2, dim, sqrtf(6 / (float)in)));
    input(n, constant(1, dim, 0.05f));
    whole(n, "transB", 1);
    return act(n->name, a);
}

static char *
pool(char *x, int k, int stride, int pad, bool up)
{
    Onnx__NodeProto *n = node("MaxPool", x);

    wholes(n, "kernel_shape", 2, k);
    wholes(n, "strides", 2, stride);
    wholes(n, "pads", 4, pad);
    if (up)
        whole(n, "ceil_mode", 1);
    return n->name;
}

static char *
lrn(char *x)
{
    Onnx__NodeProto *n = node("LRN", x);

    whole(n, "size", 5);
    real(n, "alpha", 1e-4f);
    real(n, "beta", 0.75f);
    real(n, "bias", 1);
    return n->name;
}

static char *
add(char *a, char *b)
{
    Onnx__NodeProto *n = node("Add", a);

    input(n, b);
    return n->name;
}

static char *
concat(int count, char **x)
{
    Onnx__NodeProto *n = node("Concat", x[0]);

    for (int i = 1; i < count; i++)
        input(n, x[i]);
    whole(n, "axis", 1);
    return n->name;
}

static char *
flat_mean(char *x)
{
    return node("Flatten", node("GlobalAveragePool", x)->name)->name;
}

/* ---- networks; each returns its output ---- */

/* Version 1.5: the 3 x 3 convolution has the stride. */
static char *
resnet50(char *x)
{
    static const int blocks[] = {3, 4, 6, 3};
    int c = 64;

    x = conv(x, (Conv){3, 64, 7, 2, 3, .act = RELU});
    x = pool(x, 3, 2, 1, false);
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < blocks[s]; b++) {
            int m = 64 << s, stride = b == 0 && s > 0 ? 2 : 1;
            char *y = conv(x, (Conv){c, m, 1, .act = RELU});
            y = conv(y, (Conv){m, m, 3, stride, 1, .act = RELU});
            y = conv(y, (Conv){m, 4 * m, 1, .gain = 0.3f});
            if (b == 0)
                x = conv(x, (Conv){c, 4 * m, 1, .stride = stride});
            x = act(add(y, x), RELU);
            c = 4 * m;
        }
    return fc(flat_mean(x), 2048, 1000, LINEAR);
}

static char *
mobilenetv2(char *x)
{
    static const int rows[][4] = {/* expansion, channels, times, stride */
                                  {1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                  {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                  {6, 320, 1, 1}};
    int c = 32;

    x = conv(x, (Conv){3, 32, 3, 2, 1, .act = RELU6});
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < rows[i][2]; j++) {
            int m = c * rows[i][0], o = rows[i][1];
            int stride = j == 0 ? rows[i][3] : 1;
            bool sum = stride == 1 && c == o;
            char *y = x;
            if (m != c)
                y = conv(y, (Conv){c, m, 1, .act = RELU6});
            y = conv(y, (Conv){m, m, 3, stride, 1, m, .act = RELU6});
            y = conv(y, (Conv){m, o, 1, .gain = sum ? 0.3f : 1});
            x = sum ? add(y, x) : y;
            c = o;
        }
    x = conv(x, (Conv){320, 1280, 1, .act = RELU6});
    return fc(flat_mean(x), 1280, 1000, LINEAR);
}

static char *
squeezenet11(char *x)
{
    static const int fire[] = {16, 16, 32, 32, 48, 48, 64, 64};
    int c = 64;

    x = conv(x, (Conv){3, 64, 3, 2, 0, .act = RELU});
    x = pool(x, 3, 2, 0, false);
    for (int i = 0; i < 8; i++) {
        int s = fire[i], e = 4 * s;
        char *y = conv(x, (Conv){c, s, 1, .act = RELU});
        char *part[] = {conv(y, (Conv){s, e, 1, .act = RELU}),
                        conv(y, (Conv){s, e, 3, 1, 1, .act = RELU})};
        x = concat(2, part);
        c = 2 * e;
        if (i == 1 || i == 3)
            x = pool(x, 3, 2, 0, false);
    }
    return flat_mean(conv(x, (Conv){512, 1000, 1, .act = RELU}));
}

static char *
alexnet(char *x)
{
    x = conv(x, (Conv){3, 96, 11, 4, 0, .act = RELU});
    x = pool(lrn(x), 3, 2, 0, false);
    x = conv(x, (Conv){96, 256, 5, 1, 2, 2, .act = RELU});
    x = pool(lrn(x), 3, 2, 0, false);
    x = conv(x, (Conv){256, 384, 3, 1, 1, .act = RELU});
    x = conv(x, (Conv){384, 384, 3, 1, 1, 2, .act = RELU});
    x = conv(x, (Conv){384, 256, 3, 1, 1, 2, .act = RELU});
    x = node("Flatten", pool(x, 3, 2, 0, false))->name;
    x = fc(fc(x, 9216, 4096, RELU), 4096, 4096, RELU);
    return fc(x, 4096, 1000, LINEAR);
}

static char *
googlenet(char *x)
{
    static const int rows[][7] = {
        /* in, 1x1, 3x3 from, 3x3, 5x5 from, 5x5, pooled */
        {192, 64, 96, 128, 16, 32, 32},     {256, 128, 128, 192, 32, 96, 64},
        {480, 192, 96, 208, 16, 48, 64},    {512, 160, 112, 224, 24, 64, 64},
        {512, 128, 128, 256, 24, 64, 64},   {512, 112, 144, 288, 32, 64, 64},
        {528, 256, 160, 320, 32, 128, 128}, {832, 256, 160, 320, 32, 128, 128},
        {832, 384, 192, 384, 48, 128, 128}};

    x = conv(x, (Conv){3, 64, 7, 2, 3, .act = RELU});
    x = lrn(pool(x, 3, 2, 0, true));
    x = conv(x, (Conv){64, 64, 1, .act = RELU});
    x = lrn(conv(x, (Conv){64, 192, 3, 1, 1, .act = RELU}));
    x = pool(x, 3, 2, 0, true);
    for (int i = 0; i < 9; i++) {
        const int *r = rows[i];
        char *b = conv(x, (Conv){r[0], r[2], 1, .act = RELU});
        char *c = conv(x, (Conv){r[0], r[4], 1, .act = RELU});
        char *part[] = {
            conv(x, (Conv){r[0], r[1], 1, .act = RELU}),
            conv(b, (Conv){r[2], r[3], 3, 1, 1, .act = RELU}),
            conv(c, (Conv){r[4], r[5], 5, 1, 2, .act = RELU}),
            conv(pool(x, 3, 1, 1, false), (Conv){r[0], r[6], 1, .act = RELU})};
        x = concat(4, part);
        if (i == 1 || i == 6)
            x = pool(x, 3, 2, 0, true);
    }
    return fc(flat_mean(x), 1024, 1000, LINEAR);
}

static char *
mlp(char *x)
{
    return fc(fc(fc(x, 784, 1024, RELU), 1024, 1024, RELU), 1024, 10, LINEAR);
}

static const struct Net {
    const char *name;
    char *(*build)(char *x);
    int rank, dim[4], nout; /* nout 0: results have the shape of x */
} nets[] = {
    {"resnet50", resnet50, 4, {1, 3, 224, 224}, 1000},
    {"mobilenetv2", mobilenetv2, 4, {1, 3, 224, 224}, 1000},
    {"squeezenet11", squeezenet11, 4, {1, 3, 224, 224}, 1000},
    {"alexnet", alexnet, 4, {1, 3, 227, 227}, 1000},
    {"googlenet", googlenet, 4, {1, 3, 224, 224}, 1000},
    {"mlp", mlp, 2, {1, 784}, 10},
    {"mlp_b64", mlp, 2, {64, 784}, 10},
    {"lrn96", lrn, 4, {1, 96, 55, 55}, 0}, /* AlexNet's two */
    {"lrn256", lrn, 4, {1, 256, 27, 27}, 0},
    {"lrn192", lrn, 4, {1, 192, 56, 56}, 0}, /* GoogLeNet's second */
};

/* ---- files ---- */

static int
save(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
        perror(path);
        return 1;
    }
    return 0;
}

static int
save_model(const char *path)
{
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto op = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto *ops[] = {&op};

    op.has_version = 1;
    op.version = 13;
    m.has_ir_version = 1;
    m.ir_version = 8;
    m.n_opset_import = 1;
    m.opset_import = ops;
    m.graph = &graph;
    size_t n = onnx__model_proto__get_packed_size(&m);
    uint8_t *p = malloc(n);
    onnx__model_proto__pack(&m, p);
    return save(path, p, n);
}

static int
save_calib(const char *path, const struct Net *net)
{
    char head[128];
    int dim[4] = {net->dim[0] > 4 ? net->dim[0] : 4};
    size_t n = (size_t)dim[0];
    int k = snprintf(head, sizeof head,
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (%d",
                     dim[0]);

    for (int i = 1; i < net->rank; i++) {
        k += snprintf(head + k, sizeof head - (size_t)k, ", %d", net->dim[i]);
        n *= (size_t)net->dim[i];
    }
    k += snprintf(head + k, sizeof head - (size_t)k, "), }");
    size_t len = (size_t)(10 + k + 1 + 63) / 64 * 64;
    char *p = calloc(1, len + 4 * n);
    memcpy(p, "\x93NUMPY\x01\x00", 8);
    p[8] = (char)((len - 10) & 255);
    p[9] = (char)((len - 10) >> 8);
    memset(p + 10, ' ', len - 10);
    memcpy(p + 10, head, (size_t)k);
    p[len - 1] = '\n';
    for (size_t i = 0; i < n; i++)
        ((float *)(void *)(p + len))[i] = 2 * uniform();
    return save(path, p, len + 4 * n);
}

int
main(int argc, char **argv)
{
    size_t i = 0, n = sizeof nets / sizeof *nets;

    while (i < n && (argc < 3 || strcmp(argv[1], nets[i].name)))
        i++;
    if (i == n) {
        fputs("usage: mkmodel NAME OUT.onnx [CALIB.npy]; names:", stderr);
        for (i = 0; i < n; i++)
            fprintf(stderr, " %s", nets[i].name);
        fputc('\n', stderr);
        return 2;
    }
    char x[] = "x", title[] = "seeded";
    const int out[] = {nets[i].dim[0], nets[i].nout};
    bool same = nets[i].nout == 0;
    graph.name = title;
    value(x, (size_t)nets[i].rank, nets[i].dim, false);
    value(nets[i].build(x), same ? (size_t)nets[i].rank : 2,
          same ? nets[i].dim : out, true);
    if (save_model(argv[2]))
        return 1;
    return argc > 3 ? save_calib(argv[3], &nets[i]) : 0;
}
