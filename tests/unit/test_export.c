// SPDX-License-Identifier: Apache-2.0
/* ONNX export: operators, names, orders of axes, codes. */
#include "unit/export_graph.h"

/* ---- forms ---- */

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
    assert_string_equal(initializer(CONV, SN_ONNX_QDQ, "y.min"), "1[] 0 0 0 0");
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

    assert_non_null(strstr(nodes(sn_format(A, f, 4, "[4, _]", 4), SN_ONNX_QDQ),
                           "y = Relu(y.c)\n"));
    assert_non_null(
        strstr(nodes(sn_format(A, f, -128, "[-128, 127]", -128), SN_ONNX_QDQ),
               "y = Relu(y.c)\n"));
    assert_non_null(
        strstr(nodes(sn_format(A, f, 4, "[-128, 127]", 4), SN_ONNX_QDQ),
               "y = Add(x.dq, x.dq)\n"));
    assert_non_null(strstr(nodes(sn_format(A, f, 4, "[_, 9]", 4), SN_ONNX_QDQ),
                           "y = Clip(y.c, , y.max)\n"));
}

static void
float_clamp(void **state)
{
    (void)state;
    assert_string_equal(nodes("  %a = Placeholder() : f32[4]\n"
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

/* Without factors the sizes are written; of a scalar there is none. */
static void
resize_without_factors(void **state)
{
    static const char *const lines =
        "%x = Placeholder() : f32[2, 3]\n"
        "%y = ResizeNearest(%x) {dims = [2, 5], scale = []} : f32[2, 5]\n"
        "Save(%y) {name = \"y\"}\n"
        "%s = Placeholder() : f32[]\n"
        "%z = ResizeNearest(%s) {dims = [], scale = []} : f32[]\n"
        "Save(%z) {name = \"z\"}\n";

    (void)state;
    assert_string_equal(nodes(lines, SN_ONNX_QDQ),
                        "y = Resize(x, , , y.sizes) mode=nearest "
                        "coordinate_transformation_mode=half_pixel "
                        "nearest_mode=round_prefer_floor\n"
                        "z = Identity(s)\n");
}

/* ONNX crops before it reflects. */
static void
reflected_elements_stay(void **state)
{
    static const char *const cut_off =
        "%x = Placeholder() : f32[1, 3]\n"
        "%y = Pad(%x) {pads = [0,-1,0,2], mode = reflect} : f32[1, 4]\n"
        "Save(%y) {name = \"y\"}\n";
    SnOnnxExport o = {.form = SN_ONNX_QDQ};
    void *p;
    size_t n;

    (void)state;
    nodes("%x = Placeholder() : f32[1, 3]\n"
          "%y = Pad(%x) {pads = [0,-1,0,1], mode = reflect} : f32[1, 3]\n"
          "Save(%y) {name = \"y\"}\n",
          SN_ONNX_QDQ);
    assert_int_equal(sn_onnx_pack(A, graph(cut_off), &o, "t.onnx", D, &p, &n),
                     SN_EUNSUPPORTED);
    assert_non_null(strstr(sn_diag_text(D, A),
                           "axis 1 reflects elements that its other end cuts "
                           "off; ONNX has only the 2 that are left"));
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

static void
rounding_decides(void **state)
{
    (void)state;
    assert_string_equal(nodes(SUM(""), SN_ONNX_QOPERATOR),
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

#define ORDERED(a, b, y)                                        \
    "  %a = Placeholder() : qi8<0.5, 1>[" a "]\n"               \
    "  %b = Placeholder() : qi8<0.25, 2>[" b "]\n"              \
    "  %y = Add(%a, %b) {round = after} : qi8<0.5, 3>[" y "]\n" \
    "  Save(%y) {name = \"y\"}\n"

/* ONNX Runtime exchanges the operands where the first does not change along the
 * innermost axis: that one is spread out, or, of one element, comes second. */
static void
sums_keep_their_order(void **state)
{
    (void)state;
    assert_string_equal(
        nodes(ORDERED("2,3", "2,1", "2,3"), SN_ONNX_QOPERATOR),
        "y = QLinearAdd(a, a.scale, a.zp, b, b.scale, b.zp, y.scale, "
        "y.zp)\n");
    assert_string_equal(
        nodes(ORDERED("2,1", "2,3", "2,3"), SN_ONNX_QOPERATOR),
        "y.spread = Expand(a, y.shape)\n"
        "y = QLinearAdd(y.spread, a.scale, a.zp, b, b.scale, b.zp, y.scale, "
        "y.zp)\n");
    assert_string_equal(
        nodes(ORDERED("1", "1", "1"), SN_ONNX_QOPERATOR),
        "y = QLinearAdd(b, b.scale, b.zp, a, a.scale, a.zp, y.scale, "
        "y.zp)\n");
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

#define BYTES                                                       \
    "  %x = Placeholder() {boundary = u8} : qi8<0.25, -128>[1,4]\n" \
    "  %w = Constant() {data = [1,2,-3,4]} : qi8<0.5, 0>[1,4]\n"    \
    "  %y = FullyConnected(%x, %w, _) : qi8<0.5, -100>[1,1]\n"      \
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
    assert_string_equal(initializer(BYTES, SN_ONNX_QOPERATOR, "x.zp"), "2[] 0");
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
    assert_string_equal(nodes("  %x = Placeholder() : f32[4]\n"
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
    assert_string_equal(nodes("  %x = Placeholder() : qi8<0.5, 0>[4]\n"
                              "  %x.dq = Relu(%x) : qi8<0.5, 0>[4]\n"
                              "  Save(%x.dq) {name = \"y\"}\n",
                              SN_ONNX_QDQ),
                        "x.dq.1 = DequantizeLinear(x, x.scale, x.zp)\n"
                        "x.dq = Relu(x.dq.1)\n"
                        "y = QuantizeLinear(x.dq, x.scale, x.zp)\n");
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
        T(sums_keep_their_order),
        T(shifted_rounding),
        T(resize_without_factors),
        T(reflected_elements_stay),
        T(codes_by_choice),
        T(bytes_at_the_border),
        T(output_names),
        T(made_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
