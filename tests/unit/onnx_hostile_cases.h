// SPDX-License-Identifier: Apache-2.0
/* The parts of test_onnx_hostile.c that build models: shapes and attributes.
 * Each function sets b. */
#ifndef SN_TEST_ONNX_HOSTILE_CASES_H
#define SN_TEST_ONNX_HOSTILE_CASES_H

#include <math.h>
#include <stdarg.h>
#include "unit/onnx_build.h"

enum {
    FLOAT = 1,
    UINT8 = 2,
    INT8 = 3,
    INT32 = 6,
    INT64 = 7,
    STRING = 8,
    BOOL = 9,
    COMPLEX64 = 14
};

static SnArena *a;
static OnnxBuild *b;

/* x -> op -> y, f32. */
static Onnx__NodeProto *
node(const char *op, const char *in, const char *dims)
{
    b = ob_new(a, 13);
    ob_input(b, "x", dims);
    ob_output(b, "y", NULL);
    return ob_node(b, op, in, "y");
}

/* As ob_int and the like, for a node made in the same expression: b is not
 * set before that. */
static void
set_int(Onnx__NodeProto *n, const char *name, int64_t v)
{
    ob_int(b, n, name, v);
}

static void
set_real(Onnx__NodeProto *n, const char *name, float v)
{
    ob_real(b, n, name, v);
}

static void
set_str(Onnx__NodeProto *n, const char *name, const char *s)
{
    ob_str(b, n, name, s);
}

static void
set_attr(Onnx__NodeProto *n, const char *name, int type)
{
    ob_attr(b, n, name, type);
}

static void
ints(Onnx__NodeProto *n, const char *name, int count, ...)
{
    int64_t v[8];
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++)
        v[i] = va_arg(ap, int64_t);
    va_end(ap);
    ob_list(b, n, name, count, v);
}

static void
init_ints(const char *name, int count, ...)
{
    int64_t v[8];
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++)
        v[i] = va_arg(ap, int64_t);
    va_end(ap);
    ob_ints(b, name, count, v);
}

static void
init_reals(const char *name, const char *dims, int count, ...)
{
    float v[8];
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++)
        v[i] = (float)va_arg(ap, double);
    va_end(ap);
    ob_init(b, name, FLOAT, dims, v, (size_t)count * sizeof *v);
}

#define I(v) INT64_C(v)

/* ---- shapes ---- */

static void
conv(const char *dims, const char *wdims)
{
    node("Conv", "x w", dims);
    ob_floats(b, "w", wdims);
}

static void
shape_reshape_product(void)
{
    node("Reshape", "x s", "6");
    init_ints("s", 3, I(3037000500), I(3037000500), I(1));
}

static void
shape_reshape_two_open(void)
{
    node("Reshape", "x s", "6");
    init_ints("s", 2, I(-1), I(-1));
}

static void
shape_reshape_low(void)
{
    node("Reshape", "x s", "6");
    init_ints("s", 2, INT64_MIN, I(6));
}

static void
shape_expand(void)
{
    node("Expand", "x s", "1");
    init_ints("s", 2, I(1) << 39, I(1) << 39);
}

static void
shape_tile(void)
{
    node("Tile", "x s", "4");
    init_ints("s", 1, INT64_MAX);
}

static void
shape_tile_negative(void)
{
    node("Tile", "x s", "4");
    init_ints("s", 1, I(-1));
}

static void
shape_pad(void)
{
    node("Pad", "x s", "4");
    init_ints("s", 2, INT64_MAX, INT64_MAX);
}

static void
shape_pad_wide(void)
{
    node("Pad", "x s", "4");
    init_ints("s", 2, I(1) << 40, I(1) << 40);
}

static void
shape_conv_pads(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "pads", 4, INT64_MAX, I(0), INT64_MAX, I(0));
}

static void
shape_conv_dilation(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "dilations", 2, I(1) << 62, I(1));
}

static void
shape_conv_stride(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "strides", 2, I(0), I(-1));
}

static void
shape_conv_kernel(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "kernel_shape", 2, I(2), I(3));
}

static void
shape_conv_group(void)
{
    conv("1x4x4x4", "4x1x3x3");
    ob_int(b, b->node[0], "group", INT64_MIN);
}

static void
shape_conv_larger(void)
{
    conv("1x1x2x2", "1x1x3x3");
}

static void
shape_transposed(void)
{
    node("ConvTranspose", "x w", "1x1x4x4");
    ob_floats(b, "w", "1x1x3x3");
    ints(b->node[0], "strides", 2, I(1) << 20, I(1) << 20);
    ints(b->node[0], "output_padding", 2, I(1) << 30, I(1));
}

static void
shape_pool(void)
{
    Onnx__NodeProto *n = node("MaxPool", "x", "1x1x4x4");

    ints(n, "kernel_shape", 2, INT64_MAX, INT64_MAX);
    ints(n, "pads", 4, I(1) << 62, I(1) << 62, I(1) << 62, I(1) << 62);
}

static void
shape_resize(void)
{
    node("Resize", "x _ f", "1x1x4x4");
    init_reals("f", "4", 4, 1.0, 1.0, 1e30, 1.0);
}

static void
shape_resize_nan(void)
{
    node("Resize", "x _ f", "1x1x4x4");
    init_reals("f", "4", 4, 1.0, 1.0, (double)NAN, 1.0);
}

static void
shape_resize_window(void)
{
    set_str(node("Resize", "x w f", "1x4"), "coordinate_transformation_mode",
            "tf_crop_and_resize");
    init_reals("w", "4", 4, 0.0, (double)NAN, 1.0, 1.0);
    init_reals("f", "2", 2, 1.0, 2.0);
}

static void
shape_depth(void)
{
    set_int(node("DepthToSpace", "x", "1x4x2x2"), "blocksize", I(1) << 33);
}

static void
shape_space(void)
{
    set_int(node("SpaceToDepth", "x", "1x4x2x2"), "blocksize", I(1) << 33);
}

static void
shape_concat(void)
{
    set_int(node("Concat", "x x", "549755813888"), "axis", 0);
}

static void
shape_gather(void)
{
    node("Gather", "x i", "1048576x1x1048575");
    ob_int(b, b->node[0], "axis", 1);
    ob_init(b, "i", INT64, "2x2x2", (int64_t[8]){0}, 64);
}

static void
shape_gather_index(void)
{
    node("Gather", "x i", "4");
    init_ints("i", 1, INT64_MIN);
}

static void
shape_split(void)
{
    node("Split", "x s", "4");
    b->node[0]->n_output = names(a, "y z", &b->node[0]->output);
    init_ints("s", 2, INT64_MAX, I(6));
}

static void
shape_slice(void)
{
    node("Slice", "x f t k p", "4");
    init_ints("f", 1, INT64_MIN);
    init_ints("t", 1, INT64_MAX);
    init_ints("k", 1, I(7));
    init_ints("p", 1, INT64_MIN);
}

static void
shape_range(void)
{
    b = ob_new(a, 13);
    ob_node(b, "Range", "f t s", "y");
    init_reals("f", "", 1, 0.0);
    init_reals("t", "", 1, (double)INFINITY);
    init_reals("s", "", 1, 1.0);
    ob_output(b, "y", NULL);
}

static void
shape_one_hot_constant(void)
{
    b = ob_new(a, 13);
    ob_node(b, "ConstantOfShape", "s", "y");
    init_ints("s", 3, I(1) << 30, I(1) << 30, I(1) << 30);
    ob_output(b, "y", NULL);
}

static void
shape_input_product(void)
{
    node("Relu", "x", "2147483648x2147483648x4");
}

static void
shape_matmul(void)
{
    node("MatMul", "x w", "2x3");
    ob_floats(b, "w", "4x2");
}

static void
shape_broadcast(void)
{
    node("Add", "x w", "2x3");
    ob_floats(b, "w", "2");
}

static void
shape_batchnorm(void)
{
    node("BatchNormalization", "x s s s s", "1x3x2x2");
    ob_floats(b, "s", "2");
}

static void
shape_topk(void)
{
    node("TopK", "x k", "4");
    init_ints("k", 1, INT64_MAX);
}

static void
shape_lstm(void)
{
    node("LSTM", "x w r", "1099511627775x1x1");
    ob_floats(b, "w", "1x4x1");
    ob_floats(b, "r", "1x4x1");
}

/* ---- attributes ---- */

static void
attr_real_for_int(void)
{
    set_real(node("Softmax", "x", "2x2"), "axis", 1);
}

static void
attr_int_for_list(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ob_int(b, b->node[0], "pads", 1);
}

static void
attr_short_list(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "pads", 3, I(1), I(1), I(1));
}

static void
attr_empty_list(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ints(b->node[0], "strides", 0);
}

static void
attr_axis_out(void)
{
    set_int(node("Softmax", "x", "2x2"), "axis", INT64_MIN);
}

static void
attr_concat_axis(void)
{
    set_int(node("Concat", "x x", "2x2"), "axis", 2);
}

static void
attr_perm_short(void)
{
    ints(node("Transpose", "x", "2x3x4"), "perm", 2, I(1), I(0));
}

static void
attr_perm_out(void)
{
    ints(node("Transpose", "x", "2x3"), "perm", 2, I(0), INT64_MAX);
}

static void
attr_word(void)
{
    set_str(node("Pad", "x p", "4"), "mode", "mirror");
    init_ints("p", 2, I(1), I(1));
}

static void
attr_auto_pad(void)
{
    conv("1x1x4x4", "1x1x3x3");
    ob_str(b, b->node[0], "auto_pad", "SAME");
}

static void
attr_unknown(void)
{
    set_str(node("Relu", "x", "2"), "mode", "hard");
}

static void
attr_nan(void)
{
    set_real(node("LeakyRelu", "x", "2"), "alpha", NAN);
}

static void
attr_no_tensor(void)
{
    node("Add", "x c", "2");
    Onnx__NodeProto *n = ob_node(b, "Constant", "", "c");
    ob_attr(b, n, "value", 4);
}

static void
attr_graph(void)
{
    set_attr(node("Relu", "x", "2"), "then_branch", 5);
}

static void
attr_cast_to(void)
{
    set_int(node("Cast", "x", "2"), "to", INT64_MAX);
}

static void
attr_cast_none(void)
{
    node("Cast", "x", "2");
}

static void
attr_direction(void)
{
    set_str(node("LSTM", "x w r", "2x1x1"), "direction", "sideways");
    ob_floats(b, "w", "1x4x1");
    ob_floats(b, "r", "1x4x1");
}

static void
attr_activations(void)
{
    set_attr(node("GRU", "x w r", "2x1x1"), "activations", 8);
    ob_floats(b, "w", "1x3x1");
    ob_floats(b, "r", "1x3x1");
}

static void
attr_lrn_size(void)
{
    set_int(node("LRN", "x", "1x3x2x2"), "size", I(-5));
}

static void
attr_lrn_missing(void)
{
    node("LRN", "x", "1x3x2x2");
}

#endif
