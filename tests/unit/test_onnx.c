// SPDX-License-Identifier: Apache-2.0
/* ONNX import: mapping, layouts, names, opset differences, options. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "graph/desc.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT64 = 7 };

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

/* Only windows of padding alone are refused (onnx_refused.inc). */
static void
no_window_starts_in_the_pads_behind(void **state)
{
    static const int64_t one[] = {1, 1}, two[] = {2, 2}, pads[] = {0, 0, 1, 1};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", "1x1x3x3", "1x1x2x2");

    (void)state;
    ob_list(b, n, "kernel_shape", 2, one);
    ob_list(b, n, "strides", 2, two);
    ob_list(b, n, "pads", 4, pads);
    gives("  %x = Placeholder() : f32[1,1,3,3]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : f32[1,3,3,1]\n"
          "  %y = MaxPool(%x.nhwc) {kernel = [1,1], stride = [2,2], "
          "pads = [0,0,1,1]} : f32[1,2,2,1]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : f32[1,1,2,2]\n"
          "  Save(%y.nchw) {name = \"y\"}\n");
}

static void
one_dimensional_pictures_get_a_height(void **state)
{
    static const int64_t three[] = {3}, cube[] = {3, 3, 3};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", "1x1x8", "1x1x6");

    (void)state;
    ob_list(b, n, "kernel_shape", 1, three);
    gives("  %x = Placeholder() : f32[1,1,8]\n"
          "  %x.2d = Reshape(%x) {dims = [1,1,1,8]} : f32[1,1,1,8]\n"
          "  %x.2d.nhwc = Transpose(%x.2d) {perm = [0,2,3,1]} : "
          "f32[1,1,8,1]\n"
          "  %y.2d = MaxPool(%x.2d.nhwc) {kernel = [1,3]} : f32[1,1,6,1]\n"
          "  %y.2d.nchw = Transpose(%y.2d) {perm = [0,3,1,2]} : "
          "f32[1,1,1,6]\n"
          "  %y = Reshape(%y.2d.nchw) {dims = [1,1,6]} : f32[1,1,6]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = one_node(13, "MaxPool", "x", "1x1x8x8x8", "1x1x6x6x6");
    ob_list(b, n, "kernel_shape", 3, cube);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' has 3 "
            "values, 2 are supported (two-dimensional pictures)\n");
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
    const SnInts *v =
        sn_attr_at(p->attr, sn_attr_named(sn_desc(p->kind), "pads"));
    return sn_format(a, "%d %d %d %d", (int)v->v[0], (int)v->v[1], (int)v->v[2],
                     (int)v->v[3]);
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
    Onnx__NodeProto *n = one_node(13, "AveragePool", "x", "1x1x4x4", "1x1x4x4");

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
    static const char want[] = "  %x = Placeholder() : f32[4]\n"
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

/* A scale of 1, as export writes it, is nothing; steps of one row otherwise. */
static void
normalizations(void **state)
{
    static const float one[] = {1, 1, 1, 1}, two[] = {1, 2, 1, 1};
    Onnx__NodeProto *n = one_node(23, "RMSNormalization", "x g", "2x4", "2x4");

    (void)state;
    ob_init(b, "g", FLOAT, "4", one, sizeof one);
    ob_real(b, n, "epsilon", 0.5f);
    gives("  %x = Placeholder() : f32[2,4]\n"
          "  %y = RMSNormalize(%x) {eps = 0.5} : f32[2,4]\n"
          "  Save(%y) {name = \"y\"}\n");
    one_node(23, "RMSNormalization", "x g", "2x4", "2x4");
    ob_init(b, "g", FLOAT, "4", two, sizeof two);
    gives("  %x = Placeholder() : f32[2,4]\n"
          "  %y.norm = RMSNormalize(%x) : f32[2,4]\n"
          "  %g = Constant() {data = [1, 2, 1, 1]} : f32[4]\n"
          "  %y = Mul(%y.norm, %g) : f32[2,4]\n"
          "  Save(%y) {name = \"y\"}\n");
    one_node(17, "LayerNormalization", "x g", "2x4", "2x4");
    ob_init(b, "g", FLOAT, "4", one, sizeof one);
    gives("  %x = Placeholder() : f32[2,4]\n"
          "  %y = Normalize(%x) : f32[2,4]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
softmax_flattens_before_13(void **state)
{
    Onnx__NodeProto *n = one_node(12, "Softmax", "x", "2x3x4", "2x3x4");

    (void)state;
    gives("  %x = Placeholder() : f32[2,3,4]\n"
          "  %y.rows = Reshape(%x) {dims = [2,12,1]} : f32[2,12,1]\n"
          "  %y.softmax = Softmax(%y.rows) {axis = 1} : f32[2,12,1]\n"
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
    assert_string_equal(text_of(&o),
                        "  %x = Placeholder() : f32[5,3,4]\n"
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
        assert_non_null(
            strstr(sn_diag_text(d, a), "m.onnx: node 'y' (QuantizeLinear): "));
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
    one_node(13, "Relu", "x", "1x2", "1x2");
    o = (SnOnnxOpts){.batch = 4};
    assert_int_equal(import_as(&o, &g), SN_EUSAGE);
    assert_string_equal(sn_diag_text(d, a),
                        "m.onnx: no input has a leading dimension that is "
                        "free for a batch of 4\n");
}

/* x [N, H] and z [H, N]. */
static void
two_inputs(void)
{
    b = ob_new(a, 13);
    ob_input(b, "x", "NxH");
    ob_input(b, "z", "HxN");
    ob_node(b, "MatMul", "x z", "y");
    ob_output(b, "y", "NxN");
}

/* What --dim and --shape say of the dimensions of two inputs, and what is said
 * of it. */
static void
bindings_agree(void **state)
{
    static const char *const both[] = {"N=3", "H=2", NULL};
    static const char *const twice[] = {"N=3", "N=3", NULL};
    static const char *const other[] = {"N=3", "H=2", "K=2", NULL};
    static const char *const empty[] = {"=3", NULL};
    static const char *const zero[] = {"N=0", NULL};
    static const char *const large[] = {"N=1099511627776", NULL};
    static const char *const x32[] = {"x=3x2", NULL};
    static const char *const clash[] = {"x=3x2", "z=2x4", NULL};
    static const char *const again[] = {"x=3x2", "x=3x2", NULL};
    static const char *const nameless[] = {"3x2", NULL};
    static const char *const gone[] = {"q=3x2", NULL};
    static const char *const rank[] = {"x=3x2x1", NULL};
    static const struct {
        const char *const *dims, *const *shapes;
        SnStatus want;
        const char *text; /* after the file's name */
    } cases[] = {
        {twice, NULL, SN_EUSAGE, "dimension 'N' is given twice\n"},
        {other, NULL, SN_EUSAGE,
         "no input has a dimension named 'K'\n"
         "   help: did you mean 'N'?\n"},
        {empty, NULL, SN_EUSAGE,
         "dimension '=3' is not NAME=NUMBER, the number 1 to 2^40 - 1\n"},
        {zero, NULL, SN_EUSAGE,
         "dimension 'N=0' is not NAME=NUMBER, the number 1 to 2^40 - 1\n"},
        {large, NULL, SN_EUSAGE,
         "dimension 'N=1099511627776' is not NAME=NUMBER, the "
         "number 1 to 2^40 - 1\n"},
        {NULL, NULL, SN_EINPUT,
         "input 'x': dimension 1 ('H') is open\n"
         "   help: --dim 'H=NUMBER', or --shape 'x=1x...'\n"},
        {NULL, clash, SN_EUSAGE,
         "dimension 'N' is 4 in the shape given for input 'z', and "
         "3 elsewhere\n"},
        {both, clash, SN_EUSAGE,
         "dimension 'N' is 4 in the shape given for input 'z', and "
         "3 elsewhere\n"},
        {NULL, again, SN_EUSAGE, "the shape of input 'x' is given twice\n"},
        {NULL, nameless, SN_EINPUT,
         "input 'x': dimension 1 ('H') is open\n"
         "   help: --dim 'H=NUMBER', or --shape 'x=1x...'\n"},
        {both, gone, SN_EUSAGE, "there is no input 'q'\n"},
        {both, rank, SN_EUSAGE,
         "the shape given for input 'x' does not fit [N, H], which "
         "the file says\n"},
    };
    SnOnnxOpts good = {.dims = both}, o = {.shapes = x32};
    SnGraph *g;

    (void)state;
    two_inputs();
    assert_int_equal(import_as(&good, &g), SN_OK);
    assert_string_equal(sn_diag_text(d, a), "");
    assert_string_equal(text_of(&o), "  %x = Placeholder() : f32[3,2]\n"
                                     "  %z = Placeholder() : f32[2,3]\n"
                                     "  %y = MatMul(%x, %z) : f32[3,3]\n"
                                     "  Save(%y) {name = \"y\"}\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SnOnnxOpts bad = {.dims = cases[i].dims, .shapes = cases[i].shapes};
        assert_int_equal(import_as(&bad, &g), cases[i].want);
        assert_string_equal(sn_diag_text(d, a),
                            sn_format(a, "m.onnx: %s", cases[i].text));
    }
}

static void
inputs_keep_their_order(void **state)
{
    static const float scale = 0.5f;

    (void)state;
    b = ob_new(a, 13);
    ob_input_of(b, "x", INT8, "1x4");
    ob_input(b, "z", "1x4");
    ob_init(b, "s", FLOAT, "", &scale, 4);
    ob_node(b, "DequantizeLinear", "x s", "f");
    ob_node(b, "Add", "z f", "y");
    ob_output(b, "y", "1x4");
    gives("  %x = Placeholder() : qi8<0.5, 0>[1,4]\n"
          "  %z = Placeholder() : f32[1,4]\n"
          "  %f = Dequantize(%x) : f32[1,4]\n"
          "  %y = Add(%z, %f) : f32[1,4]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* A message is read where it is: its weights are not copied, and the graph is
 * that of its bytes. */
static void
messages_are_borrowed(void **state)
{
    OnnxBuild *m = ob_new(a, 13);
    SnGraph *g = NULL, *of_bytes = NULL;
    const void *seen = NULL;
    size_t n;

    (void)state;
    ob_input(m, "x", "2,3");
    ob_output(m, "y", "2,3");
    ob_floats(m, "k", "2,3");
    Onnx__NodeProto *sum = ob_node(m, "Add", "x k", "y");
    assert_int_equal(sn_onnx_message(a, "m", &m->model, NULL, d, &g), SN_OK);
    for (SnId i = 1; i < g->nnode; i++)
        if (sn_node(g, i)->data)
            seen = sn_node(g, i)->data;
    assert_ptr_equal(seen, m->init[0]->raw_data.data);
    void *p = ob_pack(m, &n);
    assert_int_equal(sn_onnx_parse(a, "m", NULL, p, n, NULL, d, &of_bytes),
                     SN_OK);
    free(p);
    assert_true(sn_graph_hash(g, true) == sn_graph_hash(of_bytes, true));
    sum->op_type = own(a, "Strange");
    assert_int_equal(sn_onnx_message(a, "m", &m->model, NULL, d, &g),
                     SN_EUNSUPPORTED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_is_put_into_nhwc),
        cmocka_unit_test(weights_move_from_oihw),
        cmocka_unit_test(layouts_meet_without_transposes),
        cmocka_unit_test(global_pool_has_the_picture_as_kernel),
        cmocka_unit_test(no_window_starts_in_the_pads_behind),
        cmocka_unit_test(one_dimensional_pictures_get_a_height),
        cmocka_unit_test(auto_pad_is_worked_out),
        cmocka_unit_test(auto_pad_and_pads_exclude_each_other),
        cmocka_unit_test(clip_by_attributes_then_by_inputs),
        cmocka_unit_test(normalizations),
        cmocka_unit_test(softmax_flattens_before_13),
        cmocka_unit_test(pad_slice_and_axes_change_to_inputs),
        cmocka_unit_test(gemm_becomes_fully_connected),
        cmocka_unit_test(sums_are_chains),
        cmocka_unit_test(shapes_are_worked_out),
        cmocka_unit_test(constant_of_shape_and_arithmetic),
        cmocka_unit_test(what_does_nothing_leaves_nothing),
        cmocka_unit_test(typed_fields_are_read),
        cmocka_unit_test(messages_are_borrowed),
        cmocka_unit_test(uint8_inputs_are_shifted),
        cmocka_unit_test(quantized_weights_keep_their_axis),
        cmocka_unit_test(bad_scales_are_refused),
        cmocka_unit_test(inputs_keep_their_order),
        cmocka_unit_test(dimensions_are_bound),
        cmocka_unit_test(bindings_agree),
    };

    return cmocka_run_group_tests_name("onnx", tests, setup, teardown);
}
