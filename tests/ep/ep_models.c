// SPDX-License-Identifier: Apache-2.0
/* Graphs of which the provider claims parts, in ONNX Runtime: nodes that hold
 * graphs, operators that sinter lacks, values and constants that both sides
 * read, types and ranks that sinter must leave alone.  Usage: ep_models
 * ONNXRUNTIME PROVIDER; prints `ok` and `not ok` lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differ/peer.h"
#include "onnx.pb-c.h"

typedef struct Model {
    SnArena *a;
    Onnx__GraphProto g;
    uint32_t nin;
    OrtIo in[128];
} Model;

enum { FLOAT = 1, INT64 = 7, BOOL = 9, DOUBLE = 11 };

/* ---- models ---- */

static Onnx__ValueInfoProto *
value(Model *m, const char *name, int type, int rank, const int64_t *dim)
{
    Onnx__ValueInfoProto *v = SN_NEW(m->a, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = SN_NEW(m->a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *x = SN_NEW(m->a, Onnx__TypeProto__Tensor);

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(x);
    v->name = sn_strdup(m->a, name);
    v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = x;
    x->has_elem_type = true;
    x->elem_type = type;
    if (rank < 0)
        return v;
    x->shape = SN_NEW(m->a, Onnx__TensorShapeProto);
    onnx__tensor_shape_proto__init(x->shape);
    for (int i = 0; i < rank; i++) {
        Onnx__TensorShapeProto__Dimension *d =
            SN_NEW(m->a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(d);
        d->value_case =
            dim[i] < 0 ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                       : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (dim[i] < 0)
            d->dim_param = sn_format(m->a, "n%lld", (long long)-dim[i]);
        else
            d->dim_value = dim[i];
        SN_PUSH(m->a, x->shape->dim, x->shape->n_dim, d);
    }
    return v;
}

/* An input of that data, declared with its shape, or dim where that is given.
 */
static void
input(Model *m, const char *name, SnData d, const int64_t *dim)
{
    int type = d.dtype == SN_D_F32    ? FLOAT
               : d.dtype == SN_D_I64  ? INT64
               : d.dtype == SN_D_BOOL ? BOOL
                                      : DOUBLE;

    SN_PUSH(m->a, m->g.input, m->g.n_input,
            value(m, name, type, d.rank, dim ? dim : d.dim));
    m->in[m->nin++] = (OrtIo){sn_strdup(m->a, name), d};
}

static SnData
reals(Model *m, int rank, const int64_t *dim)
{
    SnData d = {.dtype = SN_D_F32, .rank = rank};
    int64_t n = 1;

    for (int i = 0; i < rank; i++)
        n *= d.dim[i] = dim[i];
    float *x = SN_NEW_N(m->a, float, n + 1);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)((i * 37 + m->nin * 11) % 23 - 11) * 0.3F;
    d.data = x;
    return d;
}

static void
constant(Model *m, const char *name, const SnData *d)
{
    Onnx__TensorProto *t = SN_NEW(m->a, Onnx__TensorProto);

    onnx__tensor_proto__init(t);
    t->name = sn_strdup(m->a, name);
    t->has_data_type = true;
    t->data_type = d->dtype == SN_D_F32 ? FLOAT : INT64;
    t->n_dims = (size_t)d->rank;
    t->dims = sn_memdup(m->a, d->dim, sizeof d->dim);
    t->has_raw_data = true;
    t->raw_data = (ProtobufCBinaryData){
        sn_data_nbyte(d), sn_memdup(m->a, d->data, sn_data_nbyte(d))};
    SN_PUSH(m->a, m->g.initializer, m->g.n_initializer, t);
}

static Onnx__AttributeProto *
attribute(Model *m, Onnx__NodeProto *n, const char *name)
{
    Onnx__AttributeProto *p = SN_NEW(m->a, Onnx__AttributeProto);

    onnx__attribute_proto__init(p);
    p->name = sn_strdup(m->a, name);
    p->has_type = true;
    SN_PUSH(m->a, n->attribute, n->n_attribute, p);
    return p;
}

static void
set_int(Model *m, Onnx__NodeProto *n, const char *name, int64_t v)
{
    Onnx__AttributeProto *p = attribute(m, n, name);

    p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    p->has_i = true;
    p->i = v;
}

/* "Add x y -> z" */
static Onnx__NodeProto *
node_in(Model *m, Onnx__GraphProto *g, const char *text)
{
    Onnx__NodeProto *n = SN_NEW(m->a, Onnx__NodeProto);
    bool out = false;

    onnx__node_proto__init(n);
    for (char *s = strtok(sn_strdup(m->a, text), " "); s; s = strtok(NULL, " "))
        if (!n->op_type)
            n->op_type = s;
        else if (!strcmp(s, "->"))
            out = true;
        else if (out)
            SN_PUSH(m->a, n->output, n->n_output, s);
        else
            SN_PUSH(m->a, n->input, n->n_input, s);
    SN_PUSH(m->a, g->node, g->n_node, n);
    return n;
}

static Onnx__NodeProto *
node(Model *m, const char *text)
{
    return node_in(m, &m->g, text);
}

static void
output(Model *m, const char *name, int type)
{
    SN_PUSH(m->a, m->g.output, m->g.n_output, value(m, name, type, -1, NULL));
}

/* ---- what is tried ---- */

static const int64_t two_three[] = {2, 3};

/* What graphs inside a node read is a result that the part must give. */
static void
with_if(Model *m)
{
    static const char *const word[] = {"then_branch", "else_branch"};
    static const char *const body[] = {"Cos r -> t", "Sin r -> e"};
    static const char *const name[] = {"t", "e"};
    static const bool yes = true;

    input(m, "x", reals(m, 2, two_three), NULL);
    input(m, "c", (SnData){.dtype = SN_D_BOOL, .rank = 0, .data = &yes}, NULL);
    node(m, "Relu x -> r");
    Onnx__NodeProto *n = node(m, "If c -> y");
    for (int i = 0; i < 2; i++) {
        Onnx__AttributeProto *p = attribute(m, n, word[i]);
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
        p->g = SN_NEW(m->a, Onnx__GraphProto);
        onnx__graph_proto__init(p->g);
        p->g->name = sn_strdup(m->a, word[i]);
        node_in(m, p->g, body[i]);
        SN_PUSH(m->a, p->g->output, p->g->n_output,
                value(m, name[i], FLOAT, 2, two_three));
    }
    node(m, "Add y x -> s");
    node(m, "Abs s -> z");
    output(m, "z", FLOAT);
}

/* A constant and a value that both sides read; two parts around one node. */
static void
shared(Model *m)
{
    SnData w = reals(m, 2, two_three);

    input(m, "x", reals(m, 2, two_three), NULL);
    constant(m, "w", &w);
    node(m, "Add x w -> a");
    node(m, "Sin w -> b");
    node(m, "Sin a -> u");
    node(m, "Mul u w -> v");
    node(m, "Sub a b -> s");
    node(m, "Add v s -> y");
    output(m, "y", FLOAT);
    output(m, "a", FLOAT);
}

static void
of_doubles(Model *m)
{
    static const double x[] = {1.5, -2.25, 0.1, 1e-3};

    input(m, "x", (SnData){.dtype = SN_D_F64, .rank = 1, .dim = {4}, .data = x},
          NULL);
    set_int(m, node(m, "Cast x -> f"), "to", FLOAT);
    node(m, "Relu f -> r");
    set_int(m, node(m, "Cast r -> y"), "to", DOUBLE);
    output(m, "y", DOUBLE);
}

/* Of how many dimensions a value is may show at a run only. */
static void
of_any_rank(Model *m)
{
    static const int64_t to[] = {3, 1, 2}, free_size[] = {-1};

    input(m, "x", reals(m, 2, two_three), NULL);
    input(m, "to",
          (SnData){.dtype = SN_D_I64, .rank = 1, .dim = {3}, .data = to},
          free_size);
    node(m, "Abs x -> a");
    node(m, "Reshape a to -> r");
    node(m, "Relu r -> s");
    node(m, "Cos s -> y");
    output(m, "y", FLOAT);
}

/* A caller may give another value for it. */
static void
of_default(Model *m)
{
    SnData w = reals(m, 2, two_three);

    input(m, "x", reals(m, 2, two_three), NULL);
    SN_PUSH(m->a, m->g.input, m->g.n_input, value(m, "w", FLOAT, 2, two_three));
    constant(m, "w", &w);
    node(m, "Relu x -> r");
    node(m, "Add r w -> y");
    output(m, "y", FLOAT);
}

/* More inputs and outputs than are run without an allocation. */
static void
of_many(Model *m)
{
    const char *sum = "Sum", *split = "Split y ->";
    static const int64_t size[] = {70, 2};

    for (int i = 0; i < 100; i++) {
        const char *name = sn_format(m->a, "x%d", i);
        input(m, name, reals(m, 2, size), NULL);
        sum = sn_format(m->a, "%s %s", sum, name);
    }
    node(m, sn_format(m->a, "%s -> y", sum));
    for (int i = 0; i < 70; i++) {
        split = sn_format(m->a, "%s p%d", split, i);
        output(m, sn_format(m->a, "p%d", i), FLOAT);
    }
    node(m, split);
}

/* Nodes of the same part that read nothing of each other, and one that nobody
 * reads. */
static void
of_strands(Model *m)
{
    input(m, "x", reals(m, 2, two_three), NULL);
    input(m, "y", reals(m, 2, two_three), NULL);
    node(m, "Abs x -> a");
    node(m, "Abs y -> b");
    node(m, "Relu y -> unread");
    output(m, "a", FLOAT);
    output(m, "b", FLOAT);
}

/* ---- reals at the edges, under `bits = same` ---- */

static const uint32_t edge[] = {
    0x00000000, 0x80000000, 0x7fc00000, 0xffc01234, 0x7f800000, 0xff800000,
    0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff,
    0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbf800000, 0x4b000001,
    0x3e99999a, 0xc1200000, 0x40200000,
};
enum { NEDGE = sizeof edge / sizeof *edge };

static const struct {
    const char *text;
    unsigned nclaimed; /* 0: what ONNX Runtime makes of -0 differs */
} edge_node[] = {
    {"Add x y -> z", 1},         {"Sub x y -> z", 1},
    {"Mul x y -> z", 1},         {"Div x y -> z", 1},
    {"Max x y -> z", 0},         {"Min x y -> z", 0},
    {"Sqrt x -> z", 1},          {"Abs x -> z", 1},
    {"Floor x -> z", 1},         {"Ceil x -> z", 1},
    {"Relu x -> z", 1},          {"LeakyRelu x -> z", 1},
    {"PRelu x y -> z", 1},       {"ThresholdedRelu x -> z", 1},
    {"Clip x low high -> z", 1}, {"Equal x y -> z", 1},
    {"Less x y -> z", 1},        {"LessOrEqual x y -> z", 1},
    {"Greater x y -> z", 1},     {"GreaterOrEqual x y -> z", 1},
    {"Where c x y -> z", 0},     {"QuantizeLinear x step zero -> z", 1},
    {"Max x one -> z", 0},       {"Min x one -> z", 0},
    {"Max one x -> z", 0},       {"Min one x -> z", 0},
};

/* Each with each. */
static void
of_edges(Model *m, size_t i)
{
    static const int64_t dim[] = {NEDGE, NEDGE};
    static const float step = 0.3F, nil = 0;
    SnData x = {.dtype = SN_D_F32, .rank = 2, .dim = {NEDGE, NEDGE}}, y = x;
    SnData c = {.dtype = SN_D_BOOL, .rank = 2, .dim = {NEDGE, NEDGE}};
    SnData s = {.dtype = SN_D_F32, .data = &step};
    SnData z = {.dtype = SN_D_F32, .data = &nil};
    uint32_t *px = SN_NEW_N(m->a, uint32_t, NEDGE * NEDGE);
    uint32_t *py = SN_NEW_N(m->a, uint32_t, NEDGE * NEDGE);
    bool *pc = SN_NEW_N(m->a, bool, NEDGE *NEDGE);
    const char *text = edge_node[i].text;

    for (int k = 0; k < NEDGE * NEDGE; k++) {
        px[k] = edge[k / NEDGE];
        py[k] = edge[k % NEDGE];
        pc[k] = k % 3 == 0;
    }
    x.data = px;
    y.data = py;
    c.data = pc;
    input(m, "x", x, dim);
    if (strstr(text, " y "))
        input(m, "y", y, dim);
    if (strstr(text, " c "))
        input(m, "c", c, dim);
    constant(m, "step", &s);
    constant(m, "one", &z);
    constant(m, "low", &z);
    constant(m, "high", &s);
    Onnx__TensorProto *t = m->g.initializer[1];
    if (strstr(text, "zero")) { /* codes: uint8 */
        t->name = sn_strdup(m->a, "zero");
        t->data_type = 2;
        t->raw_data = (ProtobufCBinaryData){1, sn_memdup(m->a, "\x80", 1)};
    }
    node(m, text);
    output(m, "z",
           strstr(text, "Equal") || strstr(text, "Less") ||
                   strstr(text, "Greater")
               ? BOOL
           : strstr(text, "zero") ? 2
                                  : FLOAT);
}

/* 0 times a negative scale is -0, of which Max is ONNX Runtime's. */
static void
of_negative_step(Model *m)
{
    static const float step = 0.3F, less = -0.3F, nil = 0;
    SnData s = {.dtype = SN_D_F32, .data = &step};
    SnData l = {.dtype = SN_D_F32, .data = &less};
    SnData z = {.dtype = SN_D_F32, .data = &nil};

    input(m, "x", reals(m, 2, two_three), NULL);
    constant(m, "step", &s);
    constant(m, "less", &l);
    constant(m, "nil", &z);
    constant(m, "zero", &z);
    Onnx__TensorProto *t = m->g.initializer[3];
    t->data_type = 2; /* uint8 */
    t->raw_data = (ProtobufCBinaryData){1, sn_memdup(m->a, "\x80", 1)};
    node(m, "QuantizeLinear x step zero -> q");
    node(m, "DequantizeLinear q less zero -> d");
    node(m, "Max nil d -> y");
    output(m, "y", FLOAT);
}

/* ---- running ---- */

static unsigned nclaimed, nnode, npart;

static void
hear(void *ctx, const char *text)
{
    const char *s = strstr(text, "sinter: claims ");

    (void)ctx;
    if (getenv("EP_LOG") && strstr(text, "sinter: "))
        fprintf(stderr, "%s\n", text);
    if (s)
        sscanf(s, "sinter: claims %u of %u nodes in %u", &nclaimed, &nnode,
               &npart);
}

static const struct {
    const char *name;
    void (*make)(Model *m);
    unsigned nclaimed, npart;
} tried[] = {
    {"a node that holds graphs", with_if, 3, 2},
    {"what both sides read", shared, 4, 2},
    {"reals of 64 bits", of_doubles, 1, 1},
    {"a rank that is not known", of_any_rank, 1, 1},
    {"an initializer that may be replaced", of_default, 1, 1},
    {"a hundred inputs, seventy outputs", of_many, 2, 1},
    {"strands", of_strands, 3, 1},
};

static bool
run(Model *m, Ort *o, OrtIo *out, const char **why)
{
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto set = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto *sets = &set;

    set.domain = sn_strdup(m->a, "");
    set.has_version = true;
    set.version = 17;
    model.has_ir_version = true;
    model.ir_version = 8;
    model.graph = &m->g;
    model.n_opset_import = 1;
    model.opset_import = &sets;
    size_t n = onnx__model_proto__get_packed_size(&model);
    void *p = sn_alloc(m->a, n);
    onnx__model_proto__pack(&model, p);
    for (size_t i = 0; i < m->g.n_output; i++)
        out[i].name = m->g.output[i]->name;
    return ort_run(o, m->a, p, n, m->nin, m->in, (uint32_t)m->g.n_output, out,
                   why);
}

/* The first element that differs, or -1; one NaN is another. */
static int64_t
differing(const SnData *x, const SnData *y)
{
    size_t size = sn_dtype_size(x->dtype);
    float a = 0, b = 0;

    if (x->dtype != y->dtype || x->rank != y->rank ||
        memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim) != 0)
        return 0;
    for (int64_t i = 0; i < sn_data_count(x); i++) {
        const char *p = (const char *)x->data + (size_t)i * size;
        const char *q = (const char *)y->data + (size_t)i * size;
        if (x->dtype == SN_D_F32) {
            memcpy(&a, p, size);
            memcpy(&b, q, size);
        }
        if (memcmp(p, q, size) != 0 && !(a != a && b != b))
            return i;
    }
    return -1;
}

static bool
try_one(const char *what, const char *name, Model *m, unsigned want_claimed,
        unsigned want_part, Ort *theirs, Ort *ours)
{
    OrtIo want[128], got[128];
    const char *why = "";
    int64_t at;

    bool ok = run(m, theirs, want, &why) && run(m, ours, got, &why);
    for (size_t k = 0; ok && k < m->g.n_output; k++)
        if ((at = differing(&want[k].data, &got[k].data)) >= 0) {
            why = sn_format(m->a, "element %lld of %s differs", (long long)at,
                            want[k].name);
            ok = false;
        }
    if (ok && (nclaimed != want_claimed || npart != want_part)) {
        why = sn_format(m->a, "%u of %u nodes are claimed in %u parts",
                        nclaimed, nnode, npart);
        ok = false;
    }
    printf("%s ep %s: %s%s%s\n", ok ? "ok" : "not ok", what, name,
           ok ? "" : ": ", ok ? "" : why);
    return ok;
}

static void
start(Model *m)
{
    *m = (Model){.a = sn_arena_new()};
    onnx__graph_proto__init(&m->g);
    m->g.name = sn_strdup(m->a, "graph");
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    const char *why = "";
    bool ok = argc == 3;
    Model m;
    OrtOpts plain = {.nthread = 1, .log = hear};
    OrtOpts with = {.nthread = 1,
                    .provider = argv[2],
                    .nkey = 1,
                    .key = {"bits"},
                    .value = {"contract"},
                    .log = hear};

    if (!ok) {
        fprintf(stderr, "ep_models ONNXRUNTIME PROVIDER\n");
        return 2;
    }
    Ort *theirs = ort_open(a, argv[1], &plain, &why);
    Ort *ours = theirs ? ort_open(a, argv[1], &with, &why) : NULL;
    if (!ours) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        start(&m);
        tried[i].make(&m);
        ok = try_one("parts", tried[i].name, &m, tried[i].nclaimed,
                     tried[i].npart, theirs, ours) &&
             ok;
        sn_arena_free(m.a);
    }
    with.key[0] = "small";
    with.value[0] = "1";
    ours = ort_open(a, argv[1], &with, &why);
    for (size_t i = 0; ours && i < sizeof edge_node / sizeof *edge_node; i++) {
        start(&m);
        of_edges(&m, i);
        ok = try_one("edges", edge_node[i].text, &m, edge_node[i].nclaimed,
                     edge_node[i].nclaimed, theirs, ours) &&
             ok;
        sn_arena_free(m.a);
    }
    if (ours) {
        start(&m);
        of_negative_step(&m);
        ok = try_one("parts", "a negative scale", &m, 1, 1, theirs, ours) && ok;
        sn_arena_free(m.a);
    }
    sn_arena_free(a);
    return !ok || !ours;
}
