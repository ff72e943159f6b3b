/* ONNX export: operators, names, orders of axes, codes, refusals; and what is
 * written imports as the same numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "graph/text.h"
#include "onnx.pb-c.h"
#include "onnx/export.h"
#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

static SnArena *A;
static SnDiag *D;

static int
setup(void **state)
{
    (void)state;
    A = sn_arena_new();
    D = sn_diag_new(A);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(A);
    return 0;
}

/* A graph "t" of these lines. */
static SnGraph *
graph(const char *lines)
{
    SnSrc *src = SN_NEW(A, SnSrc);
    SnGraph *g = NULL;

    src->name = "t.sn";
    src->text = sn_format(A, "sinter-graph 1\ngraph \"t\" {\n%s}\n", lines);
    src->nbyte = strlen(src->text);
    if (sn_parse(A, src, NULL, D, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    return g;
}

static Onnx__ModelProto *
model(const SnGraph *g, SnOnnxForm form, int opset, void **p, size_t *n)
{
    SnOnnxExport o = {.form = form, .opset = opset};
    Onnx__ModelProto *m;

    if (sn_onnx_pack(A, g, &o, "t.onnx", D, p, n) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    m = onnx__model_proto__unpack(NULL, *n, *p);
    assert_non_null(m);
    return m;
}

static void
put_attr(SnBuf *b, const Onnx__AttributeProto *a)
{
    sn_putf(b, " %s=", a->name);
    if (a->has_i)
        sn_putf(b, "%" PRId64, a->i);
    if (a->has_f)
        sn_put_f32(b, a->f);
    if (a->has_s)
        sn_putn(b, (const char *)a->s.data, a->s.len);
    for (size_t i = 0; i < a->n_ints; i++)
        sn_putf(b, "%s%" PRId64, i > 0 ? "," : "", a->ints[i]);
}

/* One line for each node: "y = Op(a, b) attr=1". */
static const char *
nodes(const char *lines, SnOnnxForm form)
{
    void *p;
    size_t n;
    Onnx__ModelProto *m = model(graph(lines), form, 0, &p, &n);
    SnBuf b;

    sn_buf_init(&b, A);
    for (size_t i = 0; i < m->graph->n_node; i++) {
        const Onnx__NodeProto *d = m->graph->node[i];
        assert_string_equal(d->name, d->output[0]);
        for (size_t k = 0; k < d->n_output; k++)
            sn_putf(&b, "%s%s", k > 0 ? ", " : "", d->output[k]);
        sn_putf(&b, " = %s(", d->op_type);
        for (size_t k = 0; k < d->n_input; k++)
            sn_putf(&b, "%s%s", k > 0 ? ", " : "", d->input[k]);
        sn_putc(&b, ')');
        for (size_t k = 0; k < d->n_attribute; k++)
            put_attr(&b, d->attribute[k]);
        sn_putc(&b, '\n');
    }
    onnx__model_proto__free_unpacked(m, NULL);
    return sn_buf_str(&b);
}

/* The initializer of this name: "2[3] 1 2 3" is its type, shape, bytes. */
static const char *
initializer(const char *lines, SnOnnxForm form, const char *name)
{
    void *p;
    size_t n;
    Onnx__ModelProto *m = model(graph(lines), form, 0, &p, &n);
    SnBuf b;

    sn_buf_init(&b, A);
    for (size_t i = 0; i < m->graph->n_initializer; i++) {
        const Onnx__TensorProto *t = m->graph->initializer[i];
        if (strcmp(t->name, name) != 0)
            continue;
        sn_putf(&b, "%d[", t->data_type);
        for (size_t k = 0; k < t->n_dims; k++)
            sn_putf(&b, "%s%" PRId64, k > 0 ? "," : "", t->dims[k]);
        sn_putc(&b, ']');
        for (size_t k = 0; k < t->raw_data.len; k++)
            sn_putf(&b, " %d", t->raw_data.data[k]);
    }
    onnx__model_proto__free_unpacked(m, NULL);
    return sn_buf_str(&b);
}

static void
refused(const char *lines, SnOnnxForm form, int opset, const char *text)
{
    SnOnnxExport o = {.form = form, .opset = opset};
    SnGraph *g = graph(lines);
    void *p;
    size_t n;

    assert_int_equal(sn_onnx_pack(A, g, &o, "t.onnx", D, &p, &n),
                     SN_EUNSUPPORTED);
    assert_string_equal(sn_diag_text(D, A), text);
}

/* ---- running ---- */

typedef struct Outputs {
    uint32_t n;
    size_t nbyte[4];
    const void *data[4];
} Outputs;

/* Outputs for seeded inputs: reals within 2, or any codes. */
static Outputs
outputs(const SnGraph *g)
{
    const SnExec *x;
    SnRun *r;
    Outputs o = {0};
    uint32_t z = 7;

    if (sn_exec_prepare(A, g, NULL, D, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    r = sn_run_new(A, x);
    for (uint32_t i = 0; i < x->ninput; i++) {
        const SnPort *q = &x->input[i];
        int64_t n = sn_shape_count(q->shape);
        for (int64_t k = 0; k < n; k++) {
            z = z * 1664525u + 1013904223u;
            if (q->type->elem == SN_F32)
                ((float *)sn_run_input(r, i))[k] =
                    (float)(int32_t)z / 1073741824.0f;
            else
                ((int8_t *)sn_run_input(r, i))[k] = (int8_t)(z >> 24);
        }
    }
    assert_int_equal(sn_run(r), SN_OK);
    o.n = x->noutput;
    for (uint32_t i = 0; i < x->noutput && i < 4; i++) {
        o.nbyte[i] = sn_tensor_nbyte(x->output[i].type, x->output[i].shape);
        o.data[i] = sn_memdup(A, sn_run_output(r, i), o.nbyte[i]);
    }
    sn_run_free(r);
    return o;
}

/* What is written imports and becomes a graph that computes the same codes. */
static SnGraph *
form_back(const char *lines, SnOnnxForm form)
{
    SnGraph *g = graph(lines), *back;
    SnOnnxExport e = {.form = form};
    Outputs x = outputs(g), y;
    SnRewriter *rw = sn_rewriter_new(A, &sn_rewrite_defaults, D);
    void *p, *again;
    size_t n = 0, nagain = 0;

    if (sn_onnx_pack(A, g, &e, "t.onnx", D, &p, &n) != SN_OK ||
        sn_onnx_pack(A, g, &e, "t.onnx", D, &again, &nagain) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    assert_int_equal(n, nagain);
    assert_memory_equal(p, again, n);
    if (sn_onnx_parse(A, "t.onnx", NULL, p, n, NULL, D, &back) != SN_OK ||
        sn_rewrite(rw, back, "optimize") != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    assert_int_equal(sn_verify(back, D), SN_OK);
    y = outputs(back);
    assert_int_equal(x.n, y.n);
    for (uint32_t i = 0; i < x.n; i++) {
        assert_int_equal(x.nbyte[i], y.nbyte[i]);
        assert_memory_equal(x.data[i], y.data[i], x.nbyte[i]);
    }
    return back;
}

/* Both forms; the graph that the QDQ form becomes. */
static SnGraph *
comes_back(const char *lines)
{
    form_back(lines, SN_ONNX_QOPERATOR);
    return form_back(lines, SN_ONNX_QDQ);
}

static uint32_t
count_kind(const SnGraph *g, const char *kind)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead &&
             sn_node(g, id)->kind == sn_kind_named(kind);
    return n;
}

/* ---- forms ---- */

#define PICTURE                                                            \
    "  %x = Placeholder() : f32[1,2,4,4]\n"                                \
    "  %x.q = Quantize(%x) : qi8<0.02, 3>[1,2,4,4]\n"                      \
    "  %x.t = Transpose(%x.q) {perm = [0,2,3,1]} : qi8<0.02, 3>[1,4,4,2]\n"

#define CONV                                                               \
    PICTURE                                                                \
    "  %w = Constant() {data = [1,2,3,4, 5,6,7,8]} : "                     \
    "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,1,2,2]\n"                          \
    "  %b = Constant() {data = [9, -9]} : "                                \
    "qi32<axis=0, [0.01, 0.005], [0, 0]>[2]\n"                             \
    "  %y = ChannelwiseConv2D(%x.t, %w, %b) {kernel = [1,2], "             \
    "clamp = [-5, 100]} : qi8<0.05, -5>[1,4,3,2]\n"                        \
    "  %p = MaxPool(%y) {kernel = [2,2]} : qi8<0.05, -5>[1,3,2,2]\n"       \
    "  %t = Transpose(%p) {perm = [0,3,1,2]} : qi8<0.05, -5>[1,2,3,2]\n"   \
    "  %f = Reshape(%t) {dims = [1,12]} : qi8<0.05, -5>[1,12]\n"           \
    "  %out = Dequantize(%f) : f32[1,12]\n"                                \
    "  Save(%out) {name = \"y\"}\n"

static void
writes_qdq(void **state)
{
    (void)state;
    assert_string_equal(
        nodes(CONV, SN_ONNX_QDQ),
        "x.q = QuantizeLinear(x, x.q.scale, x.q.zp)\n"
        "x.q.dq = DequantizeLinear(x.q, x.q.scale, x.q.zp)\n"
        "w.dq = DequantizeLinear(w, w.scale, w.zp) axis=0\n"
        "b.dq = DequantizeLinear(b, b.scale) axis=0\n"
        "y.c = Conv(x.q.dq, w.dq, b.dq) kernel_shape=1,2 strides=1,1 "
        "pads=0,0,0,0 dilations=1,1 group=1\n"
        "y.f = Clip(y.c, y.min, y.max)\n"
        "y.q = QuantizeLinear(y.f, y.scale, y.zp)\n"
        "y.dq = DequantizeLinear(y.q, y.scale, y.zp)\n"
        "p = MaxPool(y.dq) kernel_shape=2,2 strides=1,1 pads=0,0,0,0 "
        "dilations=1,1 ceil_mode=0\n"
        "p.q = QuantizeLinear(p, y.scale, y.zp)\n"
        "p.dq = DequantizeLinear(p.q, y.scale, y.zp)\n"
        "f = Reshape(p.dq, f.shape)\n"
        "f.q = QuantizeLinear(f, y.scale, y.zp)\n"
        "y = DequantizeLinear(f.q, y.scale, y.zp)\n");
    assert_string_equal(initializer(CONV, SN_ONNX_QDQ, "w"),
                        "3[2,2,1,2] 1 3 2 4 5 7 6 8");
    assert_string_equal(initializer(CONV, SN_ONNX_QDQ, "b"),
                        "6[2] 9 0 0 0 247 255 255 255");
    assert_string_equal(initializer(CONV, SN_ONNX_QDQ, "y.zp"), "3[] 251");
    assert_string_equal(initializer(CONV, SN_ONNX_QDQ, "y.min"),
                        "1[] 0 0 0 0");
}

static void
writes_qoperator(void **state)
{
    (void)state;
    assert_string_equal(
        nodes(CONV, SN_ONNX_QOPERATOR),
        "x.q = QuantizeLinear(x, x.q.scale, x.q.zp)\n"
        "y.c = QLinearConv(x.q, x.q.scale, x.q.zp, w, w.scale, w.zp, "
        "y.scale, y.zp, b) kernel_shape=1,2 strides=1,1 pads=0,0,0,0 "
        "dilations=1,1 group=1\n"
        "y.q = Clip(y.c, y.min, y.max)\n"
        "p = MaxPool(y.q) kernel_shape=2,2 strides=1,1 pads=0,0,0,0 "
        "dilations=1,1 ceil_mode=0\n"
        "f = Reshape(p, f.shape)\n"
        "y = DequantizeLinear(f, y.scale, y.zp)\n");
    assert_string_equal(initializer(CONV, SN_ONNX_QOPERATOR, "y.min"),
                        "3[] 251");
}

static void
model_header(void **state)
{
    static const struct {
        int opset;
        int64_t ir;
    } want[] = {{0, 8}, {13, 8}, {18, 8}, {19, 9}, {21, 10}, {23, 11}};
    void *p;
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        Onnx__ModelProto *m =
            model(graph(CONV), SN_ONNX_QDQ, want[i].opset, &p, &n);
        assert_int_equal(m->ir_version, want[i].ir);
        assert_int_equal(m->n_opset_import, 1);
        assert_int_equal(m->opset_import[0]->version,
                         want[i].opset != 0 ? want[i].opset : 17);
        assert_string_equal(m->graph->name, "t");
        assert_string_equal(m->graph->input[0]->name, "x");
        assert_string_equal(m->graph->output[0]->name, "y");
        assert_int_equal(
            m->graph->output[0]->type->tensor_type->shape->dim[1]->dim_value,
            12);
        onnx__model_proto__free_unpacked(m, NULL);
    }
}

/* A lower side at real 0 is a Relu, one at the end of the storage nothing. */
static void
clamps(void **state)
{
    (void)state;
    static const char f[] = "  %%x = Placeholder() : qi8<0.5, %d>[4]\n"
                            "  %%y = Add(%%x, %%x) {clamp = %s} : "
                            "qi8<0.5, %d>[4]\n"
                            "  Save(%%y) {name = \"o\"}\n";

    assert_non_null(strstr(nodes(sn_format(A, f, 4, "[4, _]", 4),
                                 SN_ONNX_QDQ),
                           "y = Relu(y.c)\n"));
    assert_non_null(strstr(nodes(sn_format(A, f, -128, "[-128, 127]", -128),
                                 SN_ONNX_QDQ),
                           "y = Relu(y.c)\n"));
    assert_non_null(strstr(nodes(sn_format(A, f, 4, "[-128, 127]", 4),
                                 SN_ONNX_QDQ),
                           "y = Add(x.dq, x.dq)\n"));
    assert_non_null(strstr(nodes(sn_format(A, f, 4, "[_, 9]", 4),
                                 SN_ONNX_QDQ),
                           "y = Clip(y.c, , y.max)\n"));
}

static void
float_clamp(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %a = Placeholder() : f32[4]\n"
              "  %y = Add(%a, %a) {clamp = [0, 6]} : f32[4]\n"
              "  Save(%y) {name = \"y\"}\n",
              SN_ONNX_QDQ),
        "y.c = Add(a, a)\ny = Clip(y.c, y.min, y.max)\n");
}

/* ---- orders of axes ---- */

/* What works element by element keeps the order at hand; axes follow. */
static void
follows_order(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : f32[1,2,4,4]\n"
              "  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,2]\n"
              "  %r = Relu(%t) : f32[1,4,4,2]\n"
              "  %k = Constant() {data = [1,2]} : f32[2]\n"
              "  %a = Add(%r, %k) : f32[1,4,4,2]\n"
              "  %c = Concat(%a, %r) {axis = 3} : f32[1,4,4,4]\n"
              "  %s = Slice(%c) {start = [0,0,0,1], size = [1,4,4,2], "
              "step = [1,1,1,2]} : f32[1,4,4,2]\n"
              "  %m = Softmax(%s) : f32[1,4,4,2]\n"
              "  %y = Transpose(%m) {perm = [0,3,1,2]} : f32[1,2,4,4]\n"
              "  Save(%y) {name = \"y\"}\n",
              SN_ONNX_QDQ),
        "r = Relu(x)\n"
        "a = Add(r, k)\n"
        "c = Concat(a, r) axis=1\n"
        "s = Slice(c, s.starts, s.ends, s.axes, s.steps)\n"
        "y = Softmax(s) axis=1\n");
    assert_string_equal(
        initializer("  %x = Placeholder() : f32[1,2,3,3]\n"
                    "  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,3,3,2]\n"
                    "  %k = Constant() {data = [1,2]} : f32[2]\n"
                    "  %a = Add(%t, %k) : f32[1,3,3,2]\n"
                    "  %y = Transpose(%a) {perm = [0,3,1,2]} : f32[1,2,3,3]\n"
                    "  Save(%y) {name = \"y\"}\n",
                    SN_ONNX_QDQ, "k"),
        "1[1,2,1,1] 0 0 128 63 0 0 0 64");
}

/* Elements in another order are moved by a Transpose, once. */
static void
writes_transpose(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : f32[1,4,4,2]\n"
              "  %p = MaxPool(%x) {kernel = [1,1]} : f32[1,4,4,2]\n"
              "  %r = Reshape(%p) {dims = [1,32]} : f32[1,32]\n"
              "  Save(%r) {name = \"r\"}\n"
              "  Save(%p) {name = \"p\"}\n",
              SN_ONNX_QDQ),
        "x.nchw = Transpose(x) perm=0,3,1,2\n"
        "p.nchw = MaxPool(x.nchw) kernel_shape=1,1 strides=1,1 pads=0,0,0,0 "
        "dilations=1,1 ceil_mode=0\n"
        "p = Transpose(p.nchw) perm=0,2,3,1\n"
        "r = Reshape(p, r.shape)\n");
}

/* Axes of one element do not matter to a Reshape. */
static void
no_idle_transpose(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : f32[1,2,4,4]\n"
              "  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,2]\n"
              "  %p = AvgPool(%t) {kernel = [4,4]} : f32[1,1,1,2]\n"
              "  %r = Reshape(%p) {dims = [1,2]} : f32[1,2]\n"
              "  Save(%r) {name = \"r\"}\n",
              SN_ONNX_QDQ),
        "p = AveragePool(x) kernel_shape=4,4 strides=1,1 pads=0,0,0,0 "
        "ceil_mode=0 count_include_pad=0\n"
        "r = Reshape(p, r.shape)\n");
}

static void
transposed_operand(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : f32[2,3]\n"
              "  %w = Constant() {data = [1,2,3,4,5,6]} : f32[2,3]\n"
              "  %y = MatMul(%x, %w) {trans_b = true} : f32[2,2]\n"
              "  Save(%y) {name = \"y\"}\n",
              SN_ONNX_QDQ),
        "y = MatMul(x, w)\n");
    assert_string_equal(
        initializer("  %x = Placeholder() : f32[1,2]\n"
                    "  %w = Constant() {data = [1,2]} : f32[1,2]\n"
                    "  %y = MatMul(%x, %w) {trans_b = true} : f32[1,1]\n"
                    "  Save(%y) {name = \"y\"}\n",
                    SN_ONNX_QDQ, "w"),
        "1[2,1] 0 0 128 63 0 0 0 64");
}

/* ---- rounding and uint8 ---- */

/* Zero points of values leave as uint8 when asked for, those of weights not. */
static void
codes_by_choice(void **state)
{
    static const char *const lines =
        "%x = Placeholder() : f32[1, 4]\n"
        "%q = Quantize(%x) : qi8<0.5, 3>[1, 4]\n"
        "%w = Constant() {data = [1,2,3,4, 5,6,7,8]} : qi8<0.25, 0>[2,4]\n"
        "%y = FullyConnected(%q, %w) : qi8<0.5, -128>[1, 2]\n"
        "%d = Dequantize(%y) : f32[1, 2]\n"
        "Save(%d) {name = \"out\"}\n";
    SnOnnxExport o = {.form = SN_ONNX_QDQ, .u8 = true};
    int zps[3] = {0}; /* of 131 and 0 as uint8, of 0 as int8 */
    void *p;
    size_t n;

    (void)state;
    if (sn_onnx_pack(A, graph(lines), &o, "t.onnx", D, &p, &n) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, n, p);
    assert_non_null(m);
    for (size_t i = 0; i < m->graph->n_initializer; i++) {
        const Onnx__TensorProto *t = m->graph->initializer[i];
        if (!strstr(t->name, ".zp"))
            continue;
        uint8_t v = t->raw_data.data[0];
        bool u8 = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
        zps[0] += u8 && v == 131;
        zps[1] += u8 && v == 0;
        zps[2] += !u8 && v == 0;
    }
    assert_int_equal(zps[0], 1);
    assert_int_equal(zps[1], 1);
    assert_int_equal(zps[2], 1);
    onnx__model_proto__free_unpacked(m, NULL);
}

#define SUM(attr)                                                          \
    "  %a = Placeholder() : qi8<0.25, 3>[1,4]\n"                           \
    "  %b = Placeholder() : qi8<0.5, -7>[1,4]\n"                           \
    "  %y = Add(%a, %b)" attr " : qi8<0.5, 5>[1,4]\n"                      \
    "  Save(%y) {name = \"y\"}\n"

static void
rounding_decides(void **state)
{
    (void)state;
    assert_string_equal(
        nodes(SUM(""), SN_ONNX_QOPERATOR),
        "a.dq = DequantizeLinear(a, a.scale, a.zp)\n"
        "b.dq = DequantizeLinear(b, b.scale, b.zp)\n"
        "y.f = Add(a.dq, b.dq)\n"
        "y = QuantizeLinear(y.f, y.scale, y.zp)\n");
    assert_string_equal(
        nodes(SUM(" {round = after}"), SN_ONNX_QOPERATOR),
        "y = QLinearAdd(a, a.scale, a.zp, b, b.scale, b.zp, y.scale, "
        "y.zp)\n");
    assert_int_equal(sn_diag_nwarning(D), 0);
    nodes(SUM(" {round = after}"), SN_ONNX_QDQ);
    assert_string_equal(
        sn_diag_text(D, A),
        "warning: t.onnx: 1 node that rounds after the zero point is added "
        "(first 'y') is written as float operators, which round before: "
        "results may differ by one step\n");
}

/* The rounding of a uint8 model needs uint8 codes; int8 inputs and outputs are
 * converted by what they mean. */
static void
shifted_rounding(void **state)
{
    (void)state;
    assert_string_equal(
        nodes(SUM(" {round = after, zp_shift = 128}"), SN_ONNX_QOPERATOR),
        "a.dq = DequantizeLinear(a, a.scale, a.zp)\n"
        "a.q = QuantizeLinear(a.dq, a.scale, a.zp.1)\n"
        "b.dq = DequantizeLinear(b, b.scale, b.zp)\n"
        "b.q = QuantizeLinear(b.dq, b.scale, b.zp.1)\n"
        "y.q = QLinearAdd(a.q, a.scale, a.zp.1, b.q, b.scale, b.zp.1, "
        "y.scale, y.zp)\n"
        "y.dq = DequantizeLinear(y.q, y.scale, y.zp)\n"
        "y = QuantizeLinear(y.dq, y.scale, y.zp.1)\n");
    assert_string_equal(initializer(SUM(" {round = after, zp_shift = 128}"),
                                    SN_ONNX_QOPERATOR, "a.zp.1"),
                        "2[] 131");
}

#define BYTES                                                              \
    "  %x = Placeholder() {boundary = u8} : qi8<0.25, -128>[1,4]\n"        \
    "  %w = Constant() {data = [1,2,-3,4]} : qi8<0.5, 0>[1,4]\n"           \
    "  %y = FullyConnected(%x, %w, _) : qi8<0.5, -100>[1,1]\n"             \
    "  Save(%y) {name = \"y\", boundary = u8}\n"

static void
bytes_at_the_border(void **state)
{
    void *p;
    size_t n;
    Onnx__ModelProto *m;

    (void)state;
    assert_string_equal(
        nodes(BYTES, SN_ONNX_QOPERATOR),
        "y = QGemm(x, x.scale, x.zp, w, w.scale, w.zp, , y.scale, y.zp) "
        "transB=1\n");
    assert_string_equal(initializer(BYTES, SN_ONNX_QOPERATOR, "x.zp"),
                        "2[] 0");
    assert_string_equal(initializer(BYTES, SN_ONNX_QOPERATOR, "w"),
                        "3[1,4] 1 2 253 4");
    m = model(graph(BYTES), SN_ONNX_QOPERATOR, 0, &p, &n);
    assert_int_equal(m->graph->input[0]->type->tensor_type->elem_type, 2);
    assert_int_equal(m->graph->output[0]->type->tensor_type->elem_type, 2);
    assert_int_equal(m->n_opset_import, 2);
    assert_string_equal(m->opset_import[1]->domain, "com.microsoft");
    onnx__model_proto__free_unpacked(m, NULL);
}

/* ---- names ---- */

/* Outputs keep their names, whatever else has them; one value of two outputs
 * is copied. */
static void
output_names(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : f32[4]\n"
              "  %out = Relu(%x) : f32[4]\n"
              "  %x.q = Tanh(%out) : f32[4]\n"
              "  Save(%x.q) {name = \"out\"}\n"
              "  Save(%x.q) {name = \"two\"}\n"
              "  Save(%x) {name = \"three\"}\n",
              SN_ONNX_QDQ),
        "out.f = Relu(x)\n"
        "out = Tanh(out.f)\n"
        "two = Identity(out)\n"
        "three = Identity(x)\n");
}

/* A made name gives way to a value's own. */
static void
made_names(void **state)
{
    (void)state;
    assert_string_equal(
        nodes("  %x = Placeholder() : qi8<0.5, 0>[4]\n"
              "  %x.dq = Relu(%x) : qi8<0.5, 0>[4]\n"
              "  Save(%x.dq) {name = \"y\"}\n",
              SN_ONNX_QDQ),
        "x.dq.1 = DequantizeLinear(x, x.scale, x.zp)\n"
        "x.dq = Relu(x.dq.1)\n"
        "y = QuantizeLinear(x.dq, x.scale, x.zp)\n");
}

/* ---- there and back ---- */

static void
round_trip_conv(void **state)
{
    SnGraph *g;

    (void)state;
    g = comes_back(CONV);
    assert_int_equal(count_kind(g, "ChannelwiseConv2D"), 1);
    assert_int_equal(count_kind(g, "Dequantize"), 1);
    assert_int_equal(count_kind(g, "Transpose"), 2);
}

static void
round_trip_ops(void **state)
{
    static const char *const body[] = {
        "  %y = Rescale(%q) {clamp = [-90, 100]} : qi8<0.5, -7>[1,4,4,2]\n",
        "  %y = LRN(%q) {alpha = 0.1} : qi8<0.02, 3>[1,4,4,2]\n",
        "  %y = AvgPool(%q) {kernel = [2,2]} : qi8<0.01, 3>[1,3,3,2]\n",
        "  %y = Softmax(%q) {axis = 2} : qi8<0.00390625, -128>[1,4,4,2]\n",
        "  %y = Sigmoid(%q) : qi8<0.00390625, -128>[1,4,4,2]\n",
        "  %y = LeakyRelu(%q) {alpha = 0.3} : qi8<0.01, 1>[1,4,4,2]\n",
        "  %y = Clip(%q) {low = -0.3, high = 1} : qi8<0.01, 1>[1,4,4,2]\n",
        "  %k = Splat() {value = 0.3, dims = [1,4,4,2]} : "
        "qi8<0.03, 1>[1,4,4,2]\n"
        "  %y = Max(%q, %k) : qi8<0.03, 1>[1,4,4,2]\n",
        "  %k = Constant() {data = [7, -9]} : qi8<0.03, 1>[2]\n"
        "  %y = Mul(%q, %k) {clamp = [-100, 1]} : qi8<0.01, 1>[1,4,4,2]\n",
        "  %y = Pad(%q) {pads = [0,1,0,0,0,0,2,0], value = 0.5} : "
        "qi8<0.02, 3>[1,5,6,2]\n",
        "  %y = Flip(%q) {axes = [1,3]} : qi8<0.02, 3>[1,4,4,2]\n",
        "  %y = Slice(%q) {start = [0,3,0,1], size = [1,2,4,1], "
        "step = [1,-2,1,1]} : qi8<0.02, 3>[1,2,4,1]\n",
        "  %y = ResizeNearest(%q) {dims = [1,8,8,2], scale = [1,2,2,1]} : "
        "qi8<0.02, 3>[1,8,8,2]\n",
        "  %y = SpaceToDepth(%q) {block = 2} : qi8<0.02, 3>[1,2,2,8]\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        const char *dims = strrchr(body[i], '[');
        SnGraph *g = comes_back(sn_format(
            A, "  %%x = Placeholder() : f32[1,4,4,2]\n"
               "  %%q = Quantize(%%x) : qi8<0.02, 3>[1,4,4,2]\n%s"
               "  %%d = Dequantize(%%y) : f32%.*s\n"
               "  Save(%%d) {name = \"d\"}\n",
            body[i], (int)strcspn(dims, "\n"), dims));
        assert_int_equal(count_kind(g, "Dequantize"), 1);
    }
}

static void
round_trip_connected(void **state)
{
    SnGraph *g;

    (void)state;
    g = comes_back("  %x = Placeholder() : qi8<0.25, 3>[3,4]\n"
                   "  %w = Constant() {data = [1,2,-3,4,50,60,70,80]} : "
                   "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,4]\n"
                   "  %b = Constant() {data = [100, -70]} : "
                   "qi32<axis=0, [0.125, 0.0625], [0, 0]>[2]\n"
                   "  %y = RowwiseQuantizedFullyConnected(%x, %w, %b) "
                   "{clamp = [-9, _]} : qi8<0.7, -9>[3,2]\n"
                   "  Save(%y) {name = \"y\"}\n");
    assert_int_equal(count_kind(g, "RowwiseQuantizedFullyConnected"), 1);
    assert_int_equal(count_kind(g, "Dequantize"), 0);
}

/* Rounding after the zero point survives on codes only. */
static void
round_trip_after(void **state)
{
    static const char *const attr[] = {"round = after",
                                       "round = after, zp_shift = 128"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        SnGraph *g = form_back(
            sn_format(A,
                      "  %%x = Placeholder() {boundary = u8} : "
                      "qi8<0.25, 3>[1,4,4,2]\n"
                      "  %%r = Placeholder() {boundary = u8} : "
                      "qi8<0.5, -7>[1,4,4,2]\n"
                      "  %%a = Add(%%x, %%r) {%s, clamp = [-100, 90]} : "
                      "qi8<0.5, 5>[1,4,4,2]\n"
                      "  %%m = Mul(%%a, %%r) {%s} : qi8<9, 5>[1,4,4,2]\n"
                      "  %%p = AvgPool(%%m) {kernel = [2,2], %s} : "
                      "qi8<7, 5>[1,3,3,2]\n"
                      "  %%d = Pad(%%p) {pads = [0,0,1,0,0,0,0,0], "
                      "value = 21} : qi8<7, 5>[1,3,4,2]\n"
                      "  Save(%%d) {name = \"y\", boundary = u8}\n",
                      attr[i], attr[i], attr[i]),
            SN_ONNX_QOPERATOR);
        assert_int_equal(count_kind(g, "AvgPool"), 1);
        assert_int_equal(count_kind(g, "Add"), 1);
        assert_int_equal(count_kind(g, "Clip"), 0);
    }
}

/* Over axes, to other types, the other way round: floats and integers. */
static void
round_trip_more(void **state)
{
    static const char *const body[] = {
        "  %y = ReduceMean(%t) {axes = [1,2], keepdims = false} : f32[1,2]\n",
        "  %y = ReduceSum(%t) {axes = [3]} : f32[1,4,4,1]\n",
        "  %y = ReduceMax(%t) {axes = []} : f32[1,1,1,1]\n",
        "  %y = ArgMax(%t) {axes = [2], keepdims = false} : i64[1,4,2]\n",
        "  %y = LogSoftmax(%t) {axis = 3} : f32[1,4,4,2]\n",
        "  %y = Normalize(%t) {axis = 1} : f32[1,4,4,2]\n",
        "  %y = Gelu(%t) : f32[1,4,4,2]\n",
        "  %y = Elu(%t) {alpha = 0.5} : f32[1,4,4,2]\n",
        "  %y = Cast(%t) : i32[1,4,4,2]\n",
        "  %k = Constant() {data = [1, 2]} : f32[2]\n"
        "  %y = PRelu(%t, %k) : f32[1,4,4,2]\n",
        "  %c = Constant() {data = [1, 0]} : bool[2]\n"
        "  %k = Constant() {data = [7]} : f32[1]\n"
        "  %y = Where(%c, %t, %k) : f32[1,4,4,2]\n",
        "  %k = Constant() {data = [1,2,3,4, 5,6,7,8]} : f32[2,2,1,2]\n"
        "  %y = ConvTranspose2D(%t, %k, _) {kernel = [2,1], "
        "stride = [2,1]} : f32[1,8,4,2]\n",
        "  %r = Reshape(%t) {dims = [1,2,2,8]} : f32[1,2,2,8]\n"
        "  %y = DepthToSpace(%r) {block = 2} : f32[1,4,4,2]\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++)
        form_back(sn_format(A,
                            "  %%x = Placeholder() : f32[1,2,4,4]\n"
                            "  %%t = Transpose(%%x) {perm = [0,2,3,1]} : "
                            "f32[1,4,4,2]\n%s"
                            "  Save(%%y) {name = \"y\"}\n",
                            body[i]),
                  SN_ONNX_QDQ);
}

/* Sums of codes less zero points are written as one operator. */
static void
round_trip_integers(void **state)
{
    static const char sum[] =
        "  %x = Placeholder() : f32[2,3]\n"
        "  %q = Quantize(%x) : qi8<0.05, -15>[2,3]\n"
        "  %c = Codes(%q) : i8[2,3]\n"
        "  %z = Constant() {data = [-15]} : i8[]\n"
        "  %d = CodeDifference(%c, %z) : i32[2,3]\n"
        "  %w = Constant() {data = [1,2,-200,4,5,6]} : i32[3,2]\n"
        "  %y = IntegerMatMul(%d, %w) : i32[2,2]\n"
        "  Save(%y) {name = \"y\"}\n";

    (void)state;
    form_back(sum, SN_ONNX_QDQ);
    assert_string_equal(
        nodes(sum, SN_ONNX_QOPERATOR),
        "q = QuantizeLinear(x, q.scale, q.zp)\n"
        "y = MatMulInteger(q, w.codes, z, w.zp)\n");
    assert_string_equal(initializer(sum, SN_ONNX_QDQ, "w.codes"),
                        "3[3,2] 73 74 128 76 77 78");
}

static void
round_trip_float(void **state)
{
    (void)state;
    comes_back("  %x = Placeholder() : f32[1,2,4,4]\n"
               "  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,2]\n"
               "  %w = Constant() {data = [1,2,3,4]} : f32[2,1,1,2]\n"
               "  %c = Conv2D(%t, %w, _) {kernel = [1,1], clamp = [0, _]} : "
               "f32[1,4,4,2]\n"
               "  %p = AvgPool(%c) {kernel = [2,2]} : f32[1,3,3,2]\n"
               "  %y = Transpose(%p) {perm = [0,3,1,2]} : f32[1,2,3,3]\n"
               "  Save(%y) {name = \"y\"}\n");
}

/* ---- refusals ---- */

static void
refuses_kind(void **state)
{
    (void)state;
    refused("  %x = Placeholder() : qi8<0.5, 0>[2]\n"
            "  %k = Splat() {value = 1, dims = [256]} : qi8<0.5, 0>[256]\n"
            "  %y = LookupTable(%x, %k) : qi8<0.5, 0>[2]\n"
            "  Save(%y) {name = \"y\"}\n",
            SN_ONNX_QDQ, 0,
            "t.onnx: node 'y' (LookupTable): has no form in ONNX at opset "
            "17\n");
}

static void
refuses_opset(void **state)
{
    static const char wide[] = "  %x = Placeholder() : qi16<0.5, 0>[2]\n"
                               "  Save(%x) {name = \"y\"}\n";
    void *p;
    size_t n;

    (void)state;
    refused(wide, SN_ONNX_QDQ, 0,
            "t.onnx: node 'x' (Placeholder): 16-bit codes need opset 21; the "
            "model is written at 17\n"
            "   help: give --opset 21\n");
    onnx__model_proto__free_unpacked(
        model(graph(wide), SN_ONNX_QDQ, 21, &p, &n), NULL);
}

static void
refuses_hardswish_early(void **state)
{
    (void)state;
    refused("  %x = Placeholder() : f32[2]\n"
            "  %y = HardSwish(%x) : f32[2]\n"
            "  Save(%y) {name = \"y\"}\n",
            SN_ONNX_QDQ, 13,
            "t.onnx: node 'y' (HardSwish): has no form in ONNX at opset 13\n");
}

static void
refuses_dilated_average(void **state)
{
    static const char g[] =
        "  %x = Placeholder() : f32[1,4,4,2]\n"
        "  %y = AvgPool(%x) {kernel = [2,2], dilate = [2,2]} : "
        "f32[1,2,2,2]\n"
        "  Save(%y) {name = \"y\"}\n";
    void *p;
    size_t n;

    (void)state;
    onnx__model_proto__free_unpacked(
        model(graph(g), SN_ONNX_QDQ, 19, &p, &n), NULL);
    refused(g, SN_ONNX_QDQ, 0,
            "t.onnx: node 'y' (AvgPool): AveragePool has 'dilations' from "
            "opset 19 on; the model is written at 17\n");
}

static void
refuses_argmax(void **state)
{
    (void)state;
    refused("  %x = Placeholder() : f32[1,4,4,2]\n"
            "  %y, %i = MaxPool(%x) {kernel = [2,2]} : "
            "(f32[1,3,3,2], i64[1,3,3,2])\n"
            "  Save(%i) {name = \"i\"}\n",
            SN_ONNX_QDQ, 0,
            "t.onnx: node 'y' (MaxPool): its result 'idx' has no form in "
            "ONNX: it counts elements with channels last\n");
}

static void
refuses_wide_biases(void **state)
{
    (void)state;
    refused("  %x = Placeholder() : f32[2]\n"
            "  %y = Quantize(%x) : qi32<0.5, 0>[2]\n"
            "  Save(%y) {name = \"y\"}\n",
            SN_ONNX_QDQ, 0,
            "t.onnx: node 'y' (Quantize): QuantizeLinear does not write "
            "int32\n");
}

static void
refuses_unknown_opset(void **state)
{
    (void)state;
    refused(SUM(""), SN_ONNX_QDQ, 12,
            "t.onnx: opset 12; 13 to 25 can be written\n");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(writes_qdq),
        T(writes_qoperator),
        T(model_header),
        T(clamps),
        T(float_clamp),
        T(follows_order),
        T(writes_transpose),
        T(no_idle_transpose),
        T(transposed_operand),
        T(rounding_decides),
        T(shifted_rounding),
        T(codes_by_choice),
        T(bytes_at_the_border),
        T(output_names),
        T(made_names),
        T(round_trip_conv),
        T(round_trip_ops),
        T(round_trip_connected),
        T(round_trip_after),
        T(round_trip_more),
        T(round_trip_integers),
        T(round_trip_float),
        T(refuses_kind),
        T(refuses_opset),
        T(refuses_hardswish_early),
        T(refuses_dilated_average),
        T(refuses_argmax),
        T(refuses_wide_biases),
        T(refuses_unknown_opset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
