/* ONNX import: mapping, opset differences, layouts, and hostile files.  Models
 * are built in memory; those under $SHARED/data are read when it is set. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file.h"
#include "graph/desc.h"
#include "graph/text.h"
#include "kernel/eval.h"
#include "onnx/import.h"
#include "onnx/tensor_pb.h"
#include "unit/onnx_build.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7, BOOL = 9 };

static SnArena *a;
static SnDiag *d;
static OnnxBuild *b;

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    d = sn_diag_new(a);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

static SnStatus
import_as(const SnOnnxOpts *o, SnGraph **g)
{
    size_t n;
    uint8_t *p = ob_pack(b, &n);
    SnStatus s;

    d = sn_diag_new(a);
    s = sn_onnx_parse(a, "m.onnx", NULL, p, n, o, d, g);
    free(p);
    return s;
}

/* The graph of the model that was built, as text without its frame. */
static const char *
text_of(const SnOnnxOpts *o)
{
    SnGraph *g;
    SnBuf t;
    char *from, *to;

    if (import_as(o, &g) != SN_OK)
        return sn_diag_text(d, a);
    assert_int_equal(sn_verify(g, d), SN_OK);
    sn_buf_init(&t, a);
    sn_print(g, &t, NULL, NULL);
    from = strchr(strchr(t.s, '{'), '\n');
    to = strrchr(t.s, '}');
    assert_non_null(from);
    assert_non_null(to);
    *to = '\0';
    return from + 1;
}

static void
gives(const char *want)
{
    assert_string_equal(text_of(NULL), want);
}

static void
refused(SnStatus want, const char *text)
{
    SnGraph *g;

    assert_int_equal(import_as(NULL, &g), want);
    assert_string_equal(sn_diag_text(d, a), text);
}

/* x -> op -> y, both f32. */
static Onnx__NodeProto *
one_node(int64_t opset, const char *op, const char *in, const char *xdims,
         const char *ydims)
{
    b = ob_new(a, opset);
    ob_input(b, "x", xdims);
    ob_output(b, "y", ydims);
    return ob_node(b, op, in, "y");
}

/* ---- layout and names ---- */

static void
conv_is_put_into_nhwc(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n = one_node(13, "Conv", "x w", "1x1x2x2", "1x1x1x1");

    (void)state;
    ob_floats(b, "w", "1x1x2x2");
    ob_list(b, n, "kernel_shape", 2, two);
    gives("  %x = Placeholder() : f32[1,1,2,2]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,2,2,1]\n"
          "  %w = Constant() {data = [1, 2, 3, 4]} : f32[1,2,2,1]\n"
          "  %y = Conv2D(%x.nhwc, %w) {kernel = [2,2]} : f32[1,1,1,1]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,1,1,1]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
weights_move_from_oihw(void **state)
{
    (void)state;
    one_node(13, "Conv", "x w b", "1x2x1x2", "1x1x1x1");
    ob_floats(b, "w", "1x2x1x2"); /* 1 2 | 3 4: input channels */
    ob_floats(b, "b", "1");
    gives("  %x = Placeholder() : f32[1,2,1,2]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,1,2,2]\n"
          "  %w = Constant() {data = [1, 3, 2, 4]} : f32[1,1,2,2]\n"
          "  %b = Constant() {data = [1]} : f32[1]\n"
          "  %y = Conv2D(%x.nhwc, %w, %b) {kernel = [1,2]} : f32[1,1,1,1]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,1,1,1]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
layouts_meet_without_transposes(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "1x1x4x4");
    n = ob_node(b, "MaxPool", "x", "p");
    ob_list(b, n, "kernel_shape", 2, two);
    n = ob_node(b, "AveragePool", "p", "y");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_output(b, "y", "1x1x2x2");
    gives("  %x = Placeholder() : f32[1,1,4,4]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,1]\n"
          "  %p = MaxPool(%x.nhwc) {kernel = [2,2]} : f32[1,3,3,1]\n"
          "  %y = AvgPool(%p) {kernel = [2,2]} : f32[1,2,2,1]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,1,2,2]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
global_pool_has_the_picture_as_kernel(void **state)
{
    (void)state;
    one_node(13, "GlobalAveragePool", "x", "1x2x3x4", "1x2x1x1");
    gives("  %x = Placeholder() : f32[1,2,3,4]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,3,4,2]\n"
          "  %y = AvgPool(%x.nhwc) {kernel = [3,4]} : f32[1,1,1,2]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,2,1,1]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
one_dimensional_pictures_are_refused(void **state)
{
    static const int64_t three[] = {3};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", "1x1x8", "1x1x6");

    (void)state;
    ob_list(b, n, "kernel_shape", 1, three);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' has 1 "
            "value, 2 are supported (two-dimensional pictures)\n");
}

/* ---- auto_pad ---- */

static const char *
pads_of(const char *mode, const char *xdims, int64_t k, int64_t stride,
        const char *ydims)
{
    int64_t kernel[] = {k, k}, strides[] = {stride, stride};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", xdims, ydims);
    SnGraph *g;
    SnNode *p = NULL;

    ob_str(b, n, "auto_pad", mode);
    ob_list(b, n, "kernel_shape", 2, kernel);
    ob_list(b, n, "strides", 2, strides);
    if (import_as(NULL, &g) != SN_OK)
        return sn_diag_text(d, a);
    for (SnId i = 1; i < g->nnode; i++)
        if (!g->node[i]->dead && g->node[i]->kind == sn_kind_named("MaxPool"))
            p = g->node[i];
    assert_non_null(p);
    const SnInts *v = sn_attr_at(
        p->attr, sn_attr_named(sn_desc(p->kind), "pads"));
    return sn_format(a, "%d %d %d %d", (int)v->v[0], (int)v->v[1],
                     (int)v->v[2], (int)v->v[3]);
}

static void
auto_pad_is_worked_out(void **state)
{
    (void)state;
    assert_string_equal(pads_of("SAME_UPPER", "1x1x5x4", 2, 1, "1x1x5x4"),
                        "0 0 1 1");
    assert_string_equal(pads_of("SAME_LOWER", "1x1x5x4", 2, 1, "1x1x5x4"),
                        "1 1 0 0");
    assert_string_equal(pads_of("SAME_UPPER", "1x1x5x4", 3, 2, "1x1x3x2"),
                        "1 0 1 1");
    assert_string_equal(pads_of("SAME_UPPER", "1x1x4x4", 1, 2, "1x1x2x2"),
                        "0 0 0 0");
    assert_string_equal(pads_of("VALID", "1x1x5x4", 2, 1, "1x1x4x3"),
                        "0 0 0 0");
    assert_string_equal(pads_of("NOTSET", "1x1x5x4", 2, 1, "1x1x4x3"),
                        "0 0 0 0");
    assert_string_equal(pads_of("SAME", "1x1x5x4", 2, 1, "1x1x4x3"),
                        "m.onnx: node 'y' (MaxPool): attribute 'auto_pad' = "
                        "\"SAME\", expected NOTSET, VALID, SAME_UPPER or "
                        "SAME_LOWER\n");
}

static void
auto_pad_and_pads_exclude_each_other(void **state)
{
    static const int64_t one[] = {1, 1, 1, 1};
    Onnx__NodeProto *n = one_node(13, "AveragePool", "x", "1x1x4x4",
                                  "1x1x4x4");

    (void)state;
    ob_list(b, n, "kernel_shape", 2, one);
    ob_list(b, n, "pads", 4, one);
    ob_str(b, n, "auto_pad", "SAME_UPPER");
    refused(SN_EINPUT, "m.onnx: node 'y' (AveragePool): has both 'pads' and "
                       "'auto_pad' = \"SAME_UPPER\"\n");
}

/* ---- opset differences ---- */

static void
clip_by_attributes_then_by_inputs(void **state)
{
    static const float six = 6, zero = 0;
    static const char want[] =
        "  %x = Placeholder() : f32[4]\n"
        "  %y = Clip(%x) {low = 0, high = 6} : f32[4]\n"
        "  Save(%y) {name = \"y\"}\n";
    Onnx__NodeProto *n = one_node(10, "Clip", "x", "4", "4");

    (void)state;
    ob_real(b, n, "min", 0);
    ob_real(b, n, "max", 6);
    gives(want);
    one_node(11, "Clip", "x lo hi", "4", "4");
    ob_init(b, "lo", FLOAT, "", &zero, sizeof zero);
    ob_init(b, "hi", FLOAT, "", &six, sizeof six);
    gives(want);
    one_node(13, "Clip", "x _ hi", "4", "4");
    ob_init(b, "hi", FLOAT, "", &six, sizeof six);
    gives("  %x = Placeholder() : f32[4]\n"
          "  %y = Clip(%x) {low = -inf, high = 6} : f32[4]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(11, "Clip", "x", "4", "4");
    ob_real(b, n, "min", 0);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Clip): attribute 'min' is not supported\n");
}

static void
softmax_flattens_before_13(void **state)
{
    Onnx__NodeProto *n = one_node(12, "Softmax", "x", "2x3x4", "2x3x4");

    (void)state;
    gives("  %x = Placeholder() : f32[2,3,4]\n"
          "  %y.rows = Reshape(%x) {dims = [2,12]} : f32[2,12]\n"
          "  %y.softmax = Softmax(%y.rows) {axis = 1} : f32[2,12]\n"
          "  %y = Reshape(%y.softmax) {dims = [2,3,4]} : f32[2,3,4]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(13, "Softmax", "x", "2x3x4", "2x3x4");
    ob_int(b, n, "axis", 1);
    gives("  %x = Placeholder() : f32[2,3,4]\n"
          "  %y = Softmax(%x) {axis = 1} : f32[2,3,4]\n"
          "  Save(%y) {name = \"y\"}\n");
    one_node(9, "Softmax", "x", "1x5x1x1", "1x5x1x1");
    gives("  %x = Placeholder() : f32[1,5,1,1]\n"
          "  %y = Softmax(%x) {axis = 1} : f32[1,5,1,1]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
pad_slice_and_axes_change_to_inputs(void **state)
{
    static const int64_t pads[] = {0, 1, 0, 2}, one[] = {1}, three[] = {3};
    static const char padded[] =
        "  %x = Placeholder() : f32[2,4]\n"
        "  %y = Pad(%x) {pads = [0,1,0,2], value = 0.5} : f32[2,7]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const char sliced[] =
        "  %x = Placeholder() : f32[2,4]\n"
        "  %y = Slice(%x) {start = [0,1], size = [2,2], step = [1,1]} : "
        "f32[2,2]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const char wider[] =
        "  %x = Placeholder() : f32[2,4]\n"
        "  %y = Reshape(%x) {dims = [2,1,4]} : f32[2,1,4]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const float half = 0.5f;
    Onnx__NodeProto *n = one_node(10, "Pad", "x", "2x4", "2x7");

    (void)state;
    ob_list(b, n, "pads", 4, pads);
    ob_real(b, n, "value", 0.5f);
    gives(padded);
    one_node(13, "Pad", "x p v", "2x4", "2x7");
    ob_ints(b, "p", 4, pads);
    ob_init(b, "v", FLOAT, "", &half, sizeof half);
    gives(padded);
    n = one_node(9, "Slice", "x", "2x4", "2x2");
    ob_list(b, n, "starts", 1, one);
    ob_list(b, n, "ends", 1, three);
    ob_list(b, n, "axes", 1, one);
    gives(sliced);
    one_node(10, "Slice", "x s e ax", "2x4", "2x2");
    ob_ints(b, "s", 1, one);
    ob_ints(b, "e", 1, three);
    ob_ints(b, "ax", 1, one);
    gives(sliced);
    n = one_node(12, "Unsqueeze", "x", "2x4", "2x1x4");
    ob_list(b, n, "axes", 1, one);
    gives(wider);
    one_node(13, "Unsqueeze", "x ax", "2x4", "2x1x4");
    ob_ints(b, "ax", 1, one);
    gives(wider);
}

/* ---- sums of products, chains ---- */

static void
gemm_becomes_fully_connected(void **state)
{
    Onnx__NodeProto *n = one_node(13, "Gemm", "x w c", "1x2", "1x2");

    (void)state;
    ob_floats(b, "w", "2x2");
    ob_floats(b, "c", "1x2");
    gives("  %x = Placeholder() : f32[1,2]\n"
          "  %w = Constant() {data = [1, 3, 2, 4]} : f32[2,2]\n"
          "  %c = Constant() {data = [1, 2]} : f32[2]\n"
          "  %y = FullyConnected(%x, %w, %c) : f32[1,2]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(13, "Gemm", "x w", "1x2", "1x2");
    ob_floats(b, "w", "2x2");
    ob_int(b, n, "transB", 1);
    ob_real(b, n, "alpha", 0.5f);
    gives("  %x = Placeholder() : f32[1,2]\n"
          "  %w.scaled = Constant() {data = [0.5, 1, 1.5, 2]} : f32[2,2]\n"
          "  %y = FullyConnected(%x, %w.scaled) : f32[1,2]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(13, "Gemm", "x v", "1x2", "1x3");
    ob_input(b, "v", "2x3");
    gives("  %x = Placeholder() : f32[1,2]\n"
          "  %v = Placeholder() : f32[2,3]\n"
          "  %y = MatMul(%x, %v) : f32[1,3]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(13, "Gemm", "x w", "1x2", "1x2");
    ob_floats(b, "w", "3x2");
    refused(SN_EINPUT, "m.onnx: node 'y' (Gemm): sums over 2 and 3 "
                       "elements\n");
}

static void
sums_are_chains(void **state)
{
    (void)state;
    one_node(8, "Sum", "x x x", "2", "2");
    gives("  %x = Placeholder() : f32[2]\n"
          "  %y.1 = Add(%x, %x) : f32[2]\n"
          "  %y = Add(%y.1, %x) : f32[2]\n"
          "  Save(%y) {name = \"y\"}\n");
    one_node(8, "Max", "x", "2", "2");
    gives("  %x = Placeholder() : f32[2]\n"
          "  Save(%x) {name = \"y\"}\n");
}

/* ---- constants and shapes ---- */

static void
shapes_are_worked_out(void **state)
{
    static const int64_t zero = 0, minus[] = {-1};
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "Nx3x4");
    ob_node(b, "Shape", "x", "s");
    n = ob_node(b, "Constant", "", "i");
    ob_attr(b, n, "value", 4)->t = ob_tensor(a, "", INT64, "", &zero, 8);
    ob_node(b, "Gather", "s i", "n");
    ob_node(b, "Unsqueeze", "n ax", "n1");
    ob_ints(b, "ax", 1, &zero);
    ob_ints(b, "rest", 1, minus);
    ob_node(b, "Concat", "n1 rest", "to");
    ob_int(b, b->node[b->graph.n_node - 1], "axis", 0);
    ob_node(b, "Reshape", "x to", "y");
    ob_output(b, "y", "Nx12");
    gives("  %x = Placeholder() : f32[1,3,4]\n"
          "  %y = Reshape(%x) {dims = [1,12]} : f32[1,12]\n"
          "  Save(%y) {name = \"y\"}\n");
    SnOnnxOpts o = {.batch = 5};
    assert_string_equal(
        text_of(&o), "  %x = Placeholder() : f32[5,3,4]\n"
                     "  %y = Reshape(%x) {dims = [5,12]} : f32[5,12]\n"
                     "  Save(%y) {name = \"y\"}\n");
}

static void
constant_of_shape_and_arithmetic(void **state)
{
    static const int64_t three[] = {3}, two[] = {2};
    static const float v = 7;
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "6");
    ob_ints(b, "p", 1, three);
    ob_ints(b, "q", 1, two);
    ob_node(b, "Mul", "p q", "pq");
    n = ob_node(b, "ConstantOfShape", "pq", "c");
    ob_attr(b, n, "value", 4)->t = ob_tensor(a, "", FLOAT, "1", &v, 4);
    ob_node(b, "Add", "x c", "y");
    ob_output(b, "y", "6");
    gives("  %x = Placeholder() : f32[6]\n"
          "  %c = Constant() {splat = 7} : f32[6]\n"
          "  %y = Add(%x, %c) : f32[6]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
what_does_nothing_leaves_nothing(void **state)
{
    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "2");
    ob_node(b, "Identity", "x", "i");
    ob_node(b, "Dropout", "i", "dr _");
    ob_int(b, ob_node(b, "Cast", "dr", "ca"), "to", FLOAT);
    ob_node(b, "Relu", "ca", "y");
    ob_node(b, "Nonsense", "x", "dead");
    ob_output(b, "y", "2");
    gives("  %x = Placeholder() : f32[2]\n"
          "  %y = Relu(%x) : f32[2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
typed_fields_are_read(void **state)
{
    static int32_t narrow[] = {-128, 127, 0};
    static float real[] = {1.5f};
    Onnx__TensorProto *t = ob_tensor(a, "t", INT8, "3", "", 0);
    SnData out;

    (void)state;
    t->has_raw_data = 0;
    t->n_int32_data = 3;
    t->int32_data = narrow;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_OK);
    assert_int_equal(sn_data_int(&out, 0), -128);
    assert_int_equal(sn_data_int(&out, 1), 127);
    narrow[2] = 128;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_EINPUT);
    t = ob_tensor(a, "t", FLOAT, "", "", 0);
    t->has_raw_data = 0;
    t->n_float_data = 1;
    t->float_data = real;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_OK);
    assert_true(sn_data_real(&out, 0) == 1.5);
}

/* ---- quantized boundaries ---- */

static void
uint8_inputs_are_shifted(void **state)
{
    static const float scale = 0.5f;
    static const uint8_t zp = 128;

    (void)state;
    b = ob_new(a, 13);
    ob_input_of(b, "x", UINT8, "1x4");
    ob_init(b, "s", FLOAT, "", &scale, 4);
    ob_init(b, "z", UINT8, "", &zp, 1);
    ob_node(b, "DequantizeLinear", "x s z", "f");
    ob_node(b, "Relu", "f", "r");
    ob_node(b, "QuantizeLinear", "r s z", "y");
    ob_output_of(b, "y", UINT8, "1x4");
    gives("  %x = Placeholder() {boundary = u8} : qi8<0.5, 0>[1,4]\n"
          "  %f = Dequantize(%x) : f32[1,4]\n"
          "  %r = Relu(%f) : f32[1,4]\n"
          "  %y = Quantize(%r) : qi8<0.5, 0>[1,4]\n"
          "  Save(%y) {name = \"y\", boundary = u8}\n");
}

static void
quantized_weights_keep_their_axis(void **state)
{
    static const float scale[] = {0.5f, 0.25f};
    static const int8_t w[] = {1, 2, 3, 4};

    (void)state;
    one_node(13, "Conv", "x wf", "1x2x1x1", "1x2x1x1");
    b->graph.n_node = 0;
    ob_init(b, "w", INT8, "2x2x1x1", w, 4);
    ob_init(b, "s", FLOAT, "2", scale, 8);
    ob_int(b, ob_node(b, "DequantizeLinear", "w s", "wf"), "axis", 0);
    ob_node(b, "Conv", "x wf", "y");
    gives("  %x = Placeholder() : f32[1,2,1,1]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,1,1,2]\n"
          "  %w = Constant() {data = [1, 2, 3, 4]} : "
          "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,1,1,2]\n"
          "  %wf = Dequantize(%w) : f32[2,1,1,2]\n"
          "  %y = Conv2D(%x.nhwc, %wf) {kernel = [1,1]} : f32[1,1,1,2]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,2,1,1]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
bad_scales_are_refused(void **state)
{
    static const float scale[] = {0, -1, NAN, INFINITY};
    SnGraph *g;

    (void)state;
    for (int i = 0; i < 4; i++) {
        one_node(13, "QuantizeLinear", "x s", "4", "4");
        b->graph.n_output = 0;
        ob_output_of(b, "y", UINT8, "4");
        ob_init(b, "s", FLOAT, "", &scale[i], 4);
        assert_int_equal(import_as(NULL, &g), SN_EINPUT);
        assert_non_null(strstr(sn_diag_text(d, a),
                               "m.onnx: node 'y' (QuantizeLinear): "));
    }
}

/* ---- options ---- */

static void
dimensions_are_bound(void **state)
{
    static const char *const hw[] = {"H=4", "W=2", NULL};
    static const char *const shape[] = {"x=3x1x4x2", NULL};
    static const char *const wrong[] = {"X=4", NULL};
    SnOnnxOpts o = {.dims = hw};
    SnGraph *g;

    (void)state;
    one_node(13, "Relu", "x", "Nx1xHxW", "Nx1xHxW");
    assert_string_equal(text_of(&o), "  %x = Placeholder() : f32[1,1,4,2]\n"
                                     "  %y = Relu(%x) : f32[1,1,4,2]\n"
                                     "  Save(%y) {name = \"y\"}\n");
    o = (SnOnnxOpts){.shapes = shape};
    assert_string_equal(text_of(&o), "  %x = Placeholder() : f32[3,1,4,2]\n"
                                     "  %y = Relu(%x) : f32[3,1,4,2]\n"
                                     "  Save(%y) {name = \"y\"}\n");
    refused(SN_EINPUT, "m.onnx: input 'x': dimension 2 ('H') is open\n"
                       "   help: --dim 'H=NUMBER', or --shape 'x=1x...'\n");
    one_node(13, "Relu", "x", "Nx2", "Nx2");
    o = (SnOnnxOpts){.dims = wrong};
    assert_int_equal(import_as(&o, &g), SN_EUSAGE);
    assert_string_equal(sn_diag_text(d, a),
                        "m.onnx: no input has a dimension named 'X'\n"
                        "   help: did you mean 'N'?\n");
    o = (SnOnnxOpts){.shapes = shape};
    assert_int_equal(import_as(&o, &g), SN_EUSAGE);
}

/* ---- what is refused ---- */

static void
unknown_operators_are_refused_by_name(void **state)
{
    (void)state;
    one_node(13, "Rellu", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Rellu): operator Rellu (opset 13) is not "
            "supported\n   help: did you mean 'Relu'?\n");
    one_node(13, "HardSwish", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (HardSwish): operator HardSwish (opset 13) is "
            "not supported\n   help: it is from opset 14 on\n");
    one_node(13, "Relu", "x", "2", "2");
    b->node[0]->domain = sn_strdup(a, "my.domain");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Relu): operator my.domain:Relu (opset 0) is "
            "not supported\n   help: did you mean 'Relu'?\n");
    one_node(6, "Relu", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: operator set 6; 7 to 25 are supported\n");
}

static void
all_unknown_operators_are_listed(void **state)
{
    (void)state;
    one_node(13, "Foo", "x", "2", "2");
    b->graph.n_node = 0;
    ob_node(b, "Zork", "x", "p");
    ob_node(b, "Zork", "p", "q");
    ob_node(b, "Quux", "q", "y");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'p' (Zork): operator Zork (opset 13) is not "
            "supported\n"
            "m.onnx: node 'y' (Quux): operator Quux (opset 13) is not "
            "supported\n");
}

static void
attributes_are_checked(void **state)
{
    static const int64_t two[] = {2, 2}, zero[] = {0, 2};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");

    (void)state;
    ob_list(b, n, "kernel_shape", 2, two);
    ob_int(b, n, "storage_order", 1);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (MaxPool): attribute "
                             "'storage_order' = 1 is not supported\n");
    n->attribute[1]->i = 0;
    assert_non_null(strstr(text_of(NULL), "MaxPool"));
    n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");
    ob_real(b, n, "kernel_shape", 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' "
                       "is FLOAT, expected INTS\n");
    n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' "
                       "is missing\n");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_list(b, n, "strides", 2, zero);
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'strides' "
                       "breaks 'stride > 0'\n");
    n = one_node(13, "Relu", "x", "2", "2");
    ob_int(b, n, "a", 1);
    ob_int(b, n, "a", 1);
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): attribute 'a' is given twice\n");
}

static void
argmax_is_refused_when_used(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "1x1x4x4");
    n = ob_node(b, "MaxPool", "x", "y i");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_output(b, "y", "1x1x3x3");
    assert_non_null(strstr(text_of(NULL), "MaxPool"));
    ob_output_of(b, "i", INT64, "1x1x3x3");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (MaxPool): its result 1 ('i'), positions in "
            "NCHW order, is not supported\n");
}

static void
names_are_checked(void **state)
{
    (void)state;
    one_node(13, "Relu", "z", "2", "2");
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): reads 'z', which nothing makes\n");
    one_node(13, "Add", "x _", "2", "2");
    refused(SN_EINPUT, "m.onnx: node 'y' (Add): input 1 is missing\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_node(b, "Relu", "x", "y");
    refused(SN_EINPUT, "m.onnx: node 'y' (Relu): makes 'y', which another "
                       "node makes too\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_node(b, "Relu", "x", "x");
    refused(SN_EINPUT, "m.onnx: node 'x' (Relu): makes 'x', which is an "
                       "input or initializer\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_input(b, "x", "2");
    refused(SN_EINPUT, "m.onnx: input 'x': there are two\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_output(b, "q", "2");
    refused(SN_EINPUT, "m.onnx: output 'q': nothing makes it\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_floats(b, "", "2");
    refused(SN_EINPUT, "m.onnx: an initializer has no name\n");
    one_node(13, "Relu", "x", "2", "2");
    b->graph.n_output = 0;
    refused(SN_EINPUT, "m.onnx: the graph has no output\n");
}

static void
cycles_are_refused(void **state)
{
    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "2");
    ob_node(b, "Add", "x q", "p");
    ob_node(b, "Relu", "p", "q");
    ob_output(b, "q", "2");
    refused(SN_EINPUT, "m.onnx: node 'p' (Add): is on a cycle: its inputs "
                       "need its results\n");
}

static void
order_in_the_file_does_not_matter(void **state)
{
    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "2");
    ob_node(b, "Relu", "p", "y");
    ob_node(b, "Tanh", "x", "p");
    ob_output(b, "y", "2");
    gives("  %x = Placeholder() : f32[2]\n"
          "  %p = Tanh(%x) : f32[2]\n"
          "  %y = Relu(%p) : f32[2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
stated_shapes_are_compared(void **state)
{
    (void)state;
    one_node(13, "Relu", "x", "2x3", "2x4");
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): 'y' is [2,3], the file says [2,4]\n");
    one_node(13, "Relu", "x", "2x3", "2x3");
    b->graph.n_output = 0;
    ob_output_of(b, "y", INT64, "2x3");
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): 'y' is f32, the file says INT64\n");
    one_node(13, "Relu", "x", "2x3", "2xM");
    assert_non_null(strstr(text_of(NULL), "Relu"));
}

static void
dimensions_are_limited(void **state)
{
    static const int64_t huge[] = {INT64_C(1) << 39};
    Onnx__NodeProto *n;

    (void)state;
    one_node(13, "Relu", "x", "1099511627776x1099511627776", "?");
    refused(SN_EINPUT, "m.onnx: input 'x': the shape is too large\n");
    one_node(13, "Relu", "x", "1x1x1x1x1x1x1x1x1", "?");
    refused(SN_EUNSUPPORTED, "m.onnx: input 'x': 9 dimensions; at most 8 are "
                             "supported\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_init(b, "w", FLOAT, "-1", "", 0);
    refused(SN_EINPUT, "m.onnx: initializer 'w': dimension 0 is -1\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_init(b, "w", FLOAT, "4", "abc", 3);
    refused(SN_EINPUT, "m.onnx: initializer 'w': 3 bytes of elements, the "
                       "shape has 16\n");
    b = ob_new(a, 13);
    ob_ints(b, "s", 1, huge);
    n = ob_node(b, "ConstantOfShape", "s", "y");
    (void)n;
    ob_output(b, "y", "?");
    refused(SN_ENOMEM, "m.onnx: node 'y' (ConstantOfShape): constants worked "
                       "out at import take more than 4 GiB\n");
}

static void
broken_operands_are_refused(void **state)
{
    static const int64_t perm[] = {0, 0};
    Onnx__NodeProto *n = one_node(13, "Transpose", "x", "2x3", "3x2");

    (void)state;
    ob_list(b, n, "perm", 2, perm);
    refused(SN_EINPUT, "m.onnx: node 'y' (Transpose): attribute 'perm' is not "
                       "a permutation\n");
    one_node(13, "Reshape", "x s", "2x3", "?");
    ob_ints(b, "s", 2, perm);
    assert_string_equal(text_of(NULL), "dims = [2,3]");
    one_node(13, "Reshape", "x s", "2x3", "?");
    ob_input_of(b, "s", INT64, "1");
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (Reshape): the shape 's' is "
                             "not known before the model runs\n");
}

/* ---- bytes ---- */

static void
every_cut_is_refused(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n = one_node(13, "Conv", "x w", "1x1x2x2", "1x1x1x1");
    size_t len;
    uint8_t *p;
    SnGraph *g;

    (void)state;
    ob_floats(b, "w", "1x1x2x2");
    ob_list(b, n, "kernel_shape", 2, two);
    p = ob_pack(b, &len);
    for (size_t k = 0; k < len; k++) {
        uint8_t *q = malloc(k + 1);
        assert_non_null(q);
        memcpy(q, p, k);
        d = sn_diag_new(a);
        assert_int_not_equal(
            sn_onnx_parse(a, "m.onnx", NULL, q, k, NULL, d, &g), SN_OK);
        assert_true(sn_diag_nerror(d) > 0);
        free(q);
    }
    free(p);
}

static void
flipped_bits_do_no_harm(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n = one_node(13, "Conv", "x w", "1x1x2x2", "1x1x1x1");
    size_t len;
    uint8_t *p;
    SnGraph *g;

    (void)state;
    ob_floats(b, "w", "1x1x2x2");
    ob_list(b, n, "kernel_shape", 2, two);
    p = ob_pack(b, &len);
    for (size_t k = 0; k < 8 * len; k++) {
        SnArena *own_arena = sn_arena_new();
        SnDiag *own_diag = sn_diag_new(own_arena);
        SnStatus s;
        p[k / 8] ^= (uint8_t)(1u << (k & 7));
        s = sn_onnx_parse(own_arena, "m.onnx", NULL, p, len, NULL, own_diag,
                          &g);
        assert_true(s == SN_OK || sn_diag_nerror(own_diag) > 0);
        p[k / 8] ^= (uint8_t)(1u << (k & 7));
        sn_arena_free(own_arena);
    }
    free(p);
}

/* Wraps a message: field number, then the length. */
static size_t
wrap(uint8_t *at, unsigned field_number, const uint8_t *body, size_t n)
{
    size_t k = 0, len = n;

    at[k++] = (uint8_t)(field_number << 3 | 2);
    for (; len > 127; len >>= 7)
        at[k++] = (uint8_t)(len | 128);
    at[k++] = (uint8_t)len;
    memcpy(at + k, body, n);
    return k + n;
}

static void
deep_nesting_is_refused(void **state)
{
    enum { SIZE = 1 << 16 };
    uint8_t *p = sn_alloc(a, SIZE), *q = sn_alloc(a, SIZE), *t;
    size_t n = 0;
    SnGraph *g;

    (void)state;
    /* graph { node { attribute { g { node { ... } } } } }, 3000 levels */
    for (int i = 0; i < 1000; i++) {
        n = wrap(q, 6, p, n);
        n = wrap(p, 5, q, n);
        n = wrap(q, 1, p, n);
        t = p;
        p = q;
        q = t;
    }
    n = wrap(q, 7, p, n);
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, q, n, NULL, d, &g),
                     SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a),
                           "messages are nested too deeply"));
}

static void
repeated_messages_are_refused(void **state)
{
    static const uint8_t two_graphs[] = {0x3a, 0, 0x3a, 0};
    static const uint8_t group[] = {0x3b};
    static const uint8_t wrong[] = {0x38, 1};
    SnGraph *g;

    (void)state;
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, two_graphs,
                                   sizeof two_graphs, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), "m.onnx: not a ModelProto: graph: "
                                            "given twice (at byte 2)\n");
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, group, 1, NULL, d, &g),
                     SN_EINPUT);
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, wrong, 2, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a),
                        "m.onnx: not a ModelProto: graph: the wrong wire type "
                        "(at byte 0)\n");
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, "", 0, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), "m.onnx: the file is empty\n");
}

static void
external_data_stays_inside(void **state)
{
    static const float v[] = {1, 2, 3};
    char top[] = "/tmp/sinter-ext-XXXXXX";
    const char *dir;
    Onnx__TensorProto *t = ob_tensor(a, "t", FLOAT, "2", "", 0);
    Onnx__StringStringEntryProto e[2], *pe[2] = {&e[0], &e[1]};
    static const char *const outside[] = {"/etc/passwd", "../v.bin",
                                          "x/../../v.bin", "link", "gone",
                                          ".."};
    SnData out;

    (void)state;
    assert_non_null(mkdtemp(top));
    dir = sn_path_join(a, top, "model");
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(mkdir(sn_path_join(a, dir, "x"), 0700), 0);
    assert_int_equal(sn_file_write(d, sn_path_join(a, dir, "v.bin"), v,
                                   sizeof v), SN_OK);
    assert_int_equal(sn_file_write(d, sn_path_join(a, top, "v.bin"), v,
                                   sizeof v), SN_OK);
    assert_int_equal(symlink("../v.bin", sn_path_join(a, dir, "link")), 0);
    for (int i = 0; i < 2; i++)
        onnx__string_string_entry_proto__init(&e[i]);
    t->has_raw_data = 0;
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->n_external_data = 2;
    t->external_data = pe;
    e[0].key = sn_strdup(a, "location");
    e[1].key = sn_strdup(a, "offset");
    e[0].value = sn_strdup(a, "v.bin");
    e[1].value = sn_strdup(a, "4");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_OK);
    assert_true(sn_data_real(&out, 0) == 2 && sn_data_real(&out, 1) == 3);
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_EINPUT);
    e[1].value = sn_strdup(a, "8");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_EINPUT);
    e[1].value = sn_strdup(a, "0");
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        e[0].value = sn_strdup(a, outside[i]);
        assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_EINPUT);
    }
    unlink(sn_path_join(a, dir, "link"));
    unlink(sn_path_join(a, dir, "v.bin"));
    unlink(sn_path_join(a, top, "v.bin"));
    rmdir(sn_path_join(a, dir, "x"));
    rmdir(dir);
    rmdir(top);
}

/* ---- real models ---- */

static const char *
data_dir(void)
{
    const char *s = getenv("SHARED");
    const char *dir = sn_format(a, "%s/data", s != NULL ? s : "../shared");

    return sn_file_exists(dir) ? dir : NULL;
}

static const char *const models[] = {
    "trained/lenet_mnist/model.onnx",
    "trained/lenet_mnist/model_b1_bnfolded.onnx",
    "trained/alexnet_lrn_cifar10/model.onnx",
    "trained/alexnet_lrn_cifar10/model_b1_bnfolded.onnx",
    "trained/inception_lrn_cifar10/model.onnx",
    "trained/inception_lrn_cifar10/model_b1_bnfolded.onnx",
    "trained/mobilenetv2_cifar10/model.onnx",
    "trained/mobilenetv2_cifar10/model_b1_bnfolded.onnx",
    "light/bvlc_alexnet_div16_random/model.onnx",
    "light/densenet121_div8_random/model.onnx",
    "light/inception_v1_div8_random/model.onnx",
    "light/resnet50_div8_random/model.onnx",
    "light/squeezenet_div8_random/model.onnx",
    "light/vgg19_div16_random/model.onnx",
    "light/zfnet512_div16_random/model.onnx",
    "demo/fashion_lrn.onnx",
};

static void
real_models_import(void **state)
{
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        SnArena *own_arena = sn_arena_new();
        SnDiag *own_diag = sn_diag_new(own_arena);
        SnGraph *g;
        SnStatus s = sn_onnx_import(own_arena, sn_path_join(a, dir, models[i]),
                                    NULL, own_diag, &g);
        if (s == SN_OK)
            s = sn_verify(g, own_diag);
        if (s != SN_OK)
            print_error("%s", sn_diag_text(own_diag, a));
        assert_int_equal(s, SN_OK);
        sn_arena_free(own_arena);
    }
}

/* Runs the graph on one input; the data of its only Save. */
static SnTensor
run(SnGraph *g, SnArena *mem, const SnData *x)
{
    uint32_t n;
    SnId *ids = sn_topo(g, mem, &n);
    SnTensor **res = SN_NEW_N(mem, SnTensor *, g->nnode);
    SnArena *scratch = sn_arena_new();
    SnTensor y = {0};

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *p = sn_node(g, ids[i]);
        const SnKindDesc *kd = sn_desc(p->kind);
        SnTensor *in = SN_NEW_N(mem, SnTensor, p->nin);
        SnTensor *out = SN_NEW_N(mem, SnTensor, p->nres);
        for (uint32_t k = 0; k < p->nin; k++)
            if (p->in[k].ref != 0)
                in[k] = res[SN_NODE(p->in[k].ref)][SN_RES(p->in[k].ref)];
        res[ids[i]] = out;
        if (kd->nout == 0) {
            y = in[0];
            continue;
        }
        for (uint32_t k = 0; k < p->nres; k++) {
            out[k].type = p->res[k].type;
            out[k].shape = p->res[k].shape;
            if (p->res[k].nuse > 0)
                out[k].data = sn_alloc(mem, sn_tensor_nbyte(out[k].type,
                                                            out[k].shape));
        }
        if (p->data != NULL) {
            out[0].data = (void *)(uintptr_t)p->data;
        } else if (kd->effect) {
            assert_int_equal(sn_data_nbyte(x),
                             sn_tensor_nbyte(out[0].type, out[0].shape));
            out[0].data = (void *)(uintptr_t)x->data;
        } else {
            assert_int_equal(sn_eval_node(g, ids[i], in, out, scratch, d),
                             SN_OK);
        }
    }
    sn_arena_free(scratch);
    return y;
}

/* The largest difference over the largest expected magnitude.  The reference
 * sums in another order and with wider steps, so the last bits differ. */
static double
difference(const char *model, const char *input, const char *output)
{
    SnArena *mem = sn_arena_new();
    SnGraph *g;
    SnData x, want;
    double worst = 0, top = 0;

    d = sn_diag_new(mem);
    assert_int_equal(sn_pb_read(mem, input, d, &x), SN_OK);
    assert_int_equal(sn_pb_read(mem, output, d, &want), SN_OK);
    SnOnnxOpts o = {.batch = x.dim[0]};
    assert_int_equal(sn_onnx_import(mem, model, &o, d, &g), SN_OK);
    SnTensor y = run(g, mem, &x);
    assert_int_equal(sn_data_count(&want), sn_shape_count(y.shape));
    for (int64_t i = 0; i < sn_data_count(&want); i++) {
        double e = sn_data_real(&want, i);
        double v = (double)((const float *)y.data)[i];
        assert_true(v == v);
        worst = fmax(worst, fabs(v - e));
        top = fmax(top, fabs(e));
    }
    sn_arena_free(mem);
    d = sn_diag_new(a);
    return worst / top;
}

static void
light_models_give_the_reference_outputs(void **state)
{
    static const char *const light[] = {
        "bvlc_alexnet_div16_random",  "densenet121_div8_random",
        "inception_v1_div8_random",   "resnet50_div8_random",
        "squeezenet_div8_random",     "vgg19_div16_random",
        "zfnet512_div16_random",
    };
    const char *dir = data_dir(), *top;

    (void)state;
    if (dir == NULL)
        skip();
    top = sn_path_join(a, dir, "light");
    for (size_t i = 0; i < sizeof light / sizeof light[0]; i++) {
        const char *m = sn_path_join(a, top, light[i]);
        double e = difference(
            sn_path_join(a, m, "model.onnx"),
            sn_path_join(a, top, "input_picture_1x3x224x224.pb"),
            sn_path_join(a, m, "test_data_set_0/output_0.pb"));
        print_message("%-28s %.2e\n", light[i], e);
        assert_true(e < 2e-4);
    }
}

static void
trained_models_give_the_reference_outputs(void **state)
{
    static const char *const trained[] = {
        "lenet_mnist", "alexnet_lrn_cifar10", "inception_lrn_cifar10",
        "mobilenetv2_cifar10",
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof trained / sizeof trained[0]; i++) {
        const char *m = sn_path_join(a, sn_path_join(a, dir, "trained"),
                                     trained[i]);
        double e = difference(
            sn_path_join(a, m, "model.onnx"),
            sn_path_join(a, m, "test_data_set_0/input_0.pb"),
            sn_path_join(a, m, "test_data_set_0/output_0.pb"));
        print_message("%-28s %.2e\n", trained[i], e);
        assert_true(e < 1e-5);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_is_put_into_nhwc),
        cmocka_unit_test(weights_move_from_oihw),
        cmocka_unit_test(layouts_meet_without_transposes),
        cmocka_unit_test(global_pool_has_the_picture_as_kernel),
        cmocka_unit_test(one_dimensional_pictures_are_refused),
        cmocka_unit_test(auto_pad_is_worked_out),
        cmocka_unit_test(auto_pad_and_pads_exclude_each_other),
        cmocka_unit_test(clip_by_attributes_then_by_inputs),
        cmocka_unit_test(softmax_flattens_before_13),
        cmocka_unit_test(pad_slice_and_axes_change_to_inputs),
        cmocka_unit_test(gemm_becomes_fully_connected),
        cmocka_unit_test(sums_are_chains),
        cmocka_unit_test(shapes_are_worked_out),
        cmocka_unit_test(constant_of_shape_and_arithmetic),
        cmocka_unit_test(what_does_nothing_leaves_nothing),
        cmocka_unit_test(typed_fields_are_read),
        cmocka_unit_test(uint8_inputs_are_shifted),
        cmocka_unit_test(quantized_weights_keep_their_axis),
        cmocka_unit_test(bad_scales_are_refused),
        cmocka_unit_test(dimensions_are_bound),
        cmocka_unit_test(unknown_operators_are_refused_by_name),
        cmocka_unit_test(all_unknown_operators_are_listed),
        cmocka_unit_test(attributes_are_checked),
        cmocka_unit_test(argmax_is_refused_when_used),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(cycles_are_refused),
        cmocka_unit_test(order_in_the_file_does_not_matter),
        cmocka_unit_test(stated_shapes_are_compared),
        cmocka_unit_test(dimensions_are_limited),
        cmocka_unit_test(broken_operands_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(repeated_messages_are_refused),
        cmocka_unit_test(external_data_stays_inside),
        cmocka_unit_test(real_models_import),
        cmocka_unit_test(light_models_give_the_reference_outputs),
        cmocka_unit_test(trained_models_give_the_reference_outputs),
    };

    return cmocka_run_group_tests_name("onnx", tests, setup, teardown);
}
