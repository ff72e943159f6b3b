// SPDX-License-Identifier: Apache-2.0
/* Operators as older opsets write them, against ONNX Runtime 1.30.0
 * (optimizations off): the numbers of onnx_opsets.inc were printed by
 * tools/oracle/values.js for what `test_onnx_opsets --dump DIR` writes. */
#include "unit/onnx_case.h"

static void
list(Onnx__NodeProto *n, const char *name, int count, ...)
{
    int64_t v[8];
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++)
        v[i] = va_arg(ap, int);
    va_end(ap);
    ob_list(b, n, name, count, v);
}

static void
int_list(const char *name, int count, ...)
{
    int64_t v[8];
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++)
        v[i] = va_arg(ap, int);
    va_end(ap);
    ob_ints(b, name, count, v);
}

static void
clip_7(void)
{
    Onnx__NodeProto *n = model(7, "Clip", "x", FLOAT, "9", FLOAT);

    ob_real(b, n, "min", -1);
    ob_real(b, n, "max", 1.25F);
}

static void
clip_11_lower_only(void)
{
    static const float low[] = {-0.5F};

    model(11, "Clip", "x low", FLOAT, "9", FLOAT);
    reals("low", "", 1, low);
}

static void
clip_12_int(void)
{
    static const int64_t high[] = {3};

    model(12, "Clip", "x _ high", INT64, "9", INT64);
    ob_init(b, "high", INT64, "", high, sizeof high);
}

static void
squeeze_7(void)
{
    list(model(7, "Squeeze", "x", FLOAT, "1x3x1x2", FLOAT), "axes", 2, 0, 2);
}

static void
squeeze_13(void)
{
    model(13, "Squeeze", "x k", FLOAT, "1x3x1x2", FLOAT);
    int_list("k", 1, -2);
}

static void
squeeze_all_13(void)
{
    model(13, "Squeeze", "x", FLOAT, "1x3x1x2", FLOAT);
}

static void
unsqueeze_11(void)
{
    list(model(11, "Unsqueeze", "x", FLOAT, "2x3", FLOAT), "axes", 2, 3, 0);
}

static void
unsqueeze_13(void)
{
    model(13, "Unsqueeze", "x k", FLOAT, "2x3", FLOAT);
    int_list("k", 2, -1, 1);
}

static void
reduce_sum_11(void)
{
    Onnx__NodeProto *n = model(11, "ReduceSum", "x", FLOAT, "2x3x2", FLOAT);

    list(n, "axes", 2, 0, -1);
    ob_int(b, n, "keepdims", 0);
}

static void
reduce_sum_13(void)
{
    model(13, "ReduceSum", "x k", FLOAT, "2x3x2", FLOAT);
    int_list("k", 1, 1);
}

static void
reduce_sum_13_noop(void)
{
    Onnx__NodeProto *n = model(13, "ReduceSum", "x", FLOAT, "2x3", FLOAT);

    ob_int(b, n, "noop_with_empty_axes", 1);
}

static void
reduce_mean_13(void)
{
    list(model(13, "ReduceMean", "x", FLOAT, "2x3x2", FLOAT), "axes", 1, -2);
}

static void
reduce_mean_18(void)
{
    model(18, "ReduceMean", "x k", FLOAT, "2x3x2", FLOAT);
    int_list("k", 1, -2);
}

static void
reduce_max_all_12(void)
{
    set_int(model(12, "ReduceMax", "x", FLOAT, "2x3", FLOAT), "keepdims", 0);
}

static void
slice_7(void)
{
    Onnx__NodeProto *n = model(7, "Slice", "x", FLOAT, "3x4", FLOAT);

    list(n, "starts", 1, -3);
    list(n, "ends", 1, 1000);
    list(n, "axes", 1, 1);
}

static void
slice_10_backwards(void)
{
    model(10, "Slice", "x f t k p", FLOAT, "3x4", FLOAT);
    int_list("f", 2, -1, 2);
    int_list("t", 2, -100, 0);
    int_list("k", 2, 1, 0);
    int_list("p", 2, -2, -1);
}

static void
split_7(void)
{
    Onnx__NodeProto *n = model(7, "Split", "x", FLOAT, "5x2", FLOAT);

    n->n_output = names(a, "q y", &n->output);
    list(n, "split", 2, 2, 3);
}

static void
split_13(void)
{
    Onnx__NodeProto *n = model(13, "Split", "x s", FLOAT, "5x2", FLOAT);

    n->n_output = names(a, "q y", &n->output);
    int_list("s", 2, 4, 1);
}

static void
split_18_uneven(void)
{
    Onnx__NodeProto *n = model(18, "Split", "x", FLOAT, "5x2", FLOAT);

    n->n_output = names(a, "q r y", &n->output);
    ob_int(b, n, "num_outputs", 3);
}

static void
pad_7(void)
{
    Onnx__NodeProto *n = model(7, "Pad", "x", FLOAT, "2x3", FLOAT);

    list(n, "pads", 4, 1, 0, 0, 2);
    ob_real(b, n, "value", 7);
}

static void
pad_11_reflect(void)
{
    string(model(11, "Pad", "x p", FLOAT, "2x3", FLOAT), "mode", "reflect");
    int_list("p", 4, 1, 2, 0, 1);
}

static void
pad_18_axes(void)
{
    static const float v[] = {-9};

    model(18, "Pad", "x p v k", FLOAT, "2x3", FLOAT);
    int_list("p", 2, 1, 2);
    reals("v", "", 1, v);
    int_list("k", 1, -1);
}

static void
dropout_7(void)
{
    set_real(model(7, "Dropout", "x", FLOAT, "4", FLOAT), "ratio", 0.3F);
}

static void
dropout_13(void)
{
    static const float ratio[] = {0.3F};

    model(13, "Dropout", "x r", FLOAT, "4", FLOAT);
    reals("r", "", 1, ratio);
}

static void
upsample_7(void)
{
    static const float f[] = {1, 1, 2, 1.5F};

    real_list(model(7, "Upsample", "x", FLOAT, "1x1x2x3", FLOAT), "scales", 4,
              f);
}

static void
upsample_9_linear(void)
{
    static const float f[] = {1, 1, 2, 2};

    string(model(9, "Upsample", "x f", FLOAT, "1x1x2x3", FLOAT), "mode",
           "linear");
    reals("f", "4", 4, f);
}

static void
resize_10(void)
{
    static const float f[] = {1, 1, 2, 3};

    model(10, "Resize", "x f", FLOAT, "1x1x2x3", FLOAT);
    reals("f", "4", 4, f);
}

static void
resize(int64_t opset, const char *mode, const char *coord, const char *near,
       int h, int w)
{
    Onnx__NodeProto *n =
        model(opset, "Resize", "x roi f s", FLOAT, "1x1x4x5", FLOAT);
    static const float roi[] = {0, 0, 0.3F, 0.1F, 1, 1, 0.8F, 1.2F};

    reals("roi", "8", 8, roi);
    reals("f", "0", 0, roi);
    int_list("s", 4, 1, 1, h, w);
    string(n, "mode", mode);
    string(n, "coordinate_transformation_mode", coord);
    if (near != NULL)
        string(n, "nearest_mode", near);
}

static void
resize_11_align(void)
{
    resize(11, "nearest", "align_corners", "round_prefer_floor", 7, 3);
}

static void
resize_11_tf_half(void)
{
    resize(11, "nearest", "tf_half_pixel_for_nn", "floor", 7, 3);
}

static void
resize_11_crop(void)
{
    resize(11, "linear", "tf_crop_and_resize", NULL, 5, 4);
    ob_real(b, b->node[0], "extrapolation_value", 9);
}

static void
resize_11_crop_nearest(void)
{
    resize(11, "nearest", "tf_crop_and_resize", "round_prefer_ceil", 5, 4);
    ob_real(b, b->node[0], "extrapolation_value", 9);
}

static void
resize_13_pytorch(void)
{
    resize(13, "linear", "pytorch_half_pixel", NULL, 6, 1);
}

static void
resize_19_symmetric(void)
{
    static const float f[] = {1, 1, 1.3F, 0.7F};
    Onnx__NodeProto *n = model(19, "Resize", "x _ f", FLOAT, "1x1x4x5", FLOAT);

    reals("f", "4", 4, f);
    string(n, "mode", "nearest");
    string(n, "coordinate_transformation_mode", "half_pixel_symmetric");
}

static void
topk_9(void)
{
    set_int(model(9, "TopK", "x", FLOAT, "2x5", FLOAT), "k", 3);
    b->node[0]->n_output = names(a, "y i", &b->node[0]->output);
}

static void
topk_11_smallest(void)
{
    Onnx__NodeProto *n = model(11, "TopK", "x k", FLOAT, "2x5", INT64);

    n->n_output = names(a, "v y", &n->output);
    int_list("k", 1, 2);
    ob_int(b, n, "largest", 0);
}

static void
softmax_7(void)
{
    model(7, "Softmax", "x", FLOAT, "2x3x2", FLOAT);
}

static void
softmax_13(void)
{
    set_int(model(13, "Softmax", "x", FLOAT, "2x3x2", FLOAT), "axis", 1);
}

static void
log_softmax_11(void)
{
    set_int(model(11, "LogSoftmax", "x", FLOAT, "2x3x2", FLOAT), "axis", 2);
}

static void
batch_norm(int64_t opset)
{
    model(opset, "BatchNormalization", "x g o m v", FLOAT, "2x3x2", FLOAT);
    ob_floats(b, "g", "3");
    codes("o", FLOAT, "3");
    ob_floats(b, "m", "3");
    ob_floats(b, "v", "3");
}

static void
batch_norm_7(void)
{
    batch_norm(7);
}
static void
batch_norm_15(void)
{
    batch_norm(15);
}

static void
gemm_7(void)
{
    Onnx__NodeProto *n = model(7, "Gemm", "x w c", FLOAT, "3x2", FLOAT);

    codes("w", FLOAT, "4x3");
    codes("c", FLOAT, "2x1");
    ob_int(b, n, "transA", 1);
    ob_int(b, n, "transB", 1);
    ob_real(b, n, "alpha", 0.5F);
    ob_real(b, n, "beta", 2);
}

static void
gemm_11_no_c(void)
{
    model(11, "Gemm", "x w", FLOAT, "2x3", FLOAT);
    codes("w", FLOAT, "3x2");
}

static void
average_pool(int64_t opset)
{
    Onnx__NodeProto *n =
        model(opset, "AveragePool", "x", FLOAT, "1x1x5x5", FLOAT);

    list(n, "kernel_shape", 2, 3, 3);
    list(n, "strides", 2, 2, 2);
    list(n, "pads", 4, 1, 1, 1, 1);
}

static void
average_pool_7(void)
{
    average_pool(7);
}

static void
average_pool_10_ceil(void)
{
    Onnx__NodeProto *n = model(10, "AveragePool", "x", FLOAT, "1x1x4x4", FLOAT);

    list(n, "kernel_shape", 2, 3, 3);
    list(n, "strides", 2, 2, 2);
    ob_int(b, n, "ceil_mode", 1);
}

/* Pads count, but not what ceil_mode lets windows see beyond them. */
static void
average_pool_counted(const char *x, int kh, int pad)
{
    Onnx__NodeProto *n = model(19, "AveragePool", "x", FLOAT, x, FLOAT);

    list(n, "kernel_shape", 2, kh, 3);
    list(n, "strides", 2, 2, 2);
    list(n, "pads", 4, pad, pad, 0, pad);
    ob_int(b, n, "ceil_mode", 1);
    ob_int(b, n, "count_include_pad", 1);
}

/* The windows above the row, on it and below step over it: the pads count. */
static void
average_pool_19_of_pads(void)
{
    Onnx__NodeProto *n = model(19, "AveragePool", "x", FLOAT, "1x2x1x3", FLOAT);

    list(n, "kernel_shape", 2, 4, 2);
    list(n, "dilations", 2, 2, 1);
    list(n, "pads", 4, 3, 1, 3, 1);
    ob_int(b, n, "count_include_pad", 1);
}

static void
average_pool_19_past(void)
{
    average_pool_counted("1x1x4x4", 3, 0);
}

static void
average_pool_19_past_pads(void)
{
    average_pool_counted("1x1x4x5", 2, 1);
}

static void
average_pool_19_within(void)
{
    average_pool_counted("1x1x4x5", 2, 0);
}

static void
average_pool_19_dilated(void)
{
    average_pool(19);
    list(b->node[0], "dilations", 2, 2, 1);
    ob_int(b, b->node[0], "count_include_pad", 1);
}

static void
max_pool_12_codes(void)
{
    Onnx__NodeProto *n = model(12, "MaxPool", "x", UINT8, "1x1x4x4", UINT8);

    list(n, "kernel_shape", 2, 2, 2);
    string(n, "auto_pad", "SAME_LOWER");
}

static void
conv_transpose_11(void)
{
    Onnx__NodeProto *n =
        model(11, "ConvTranspose", "x w", FLOAT, "1x2x2x3", FLOAT);

    codes("w", FLOAT, "2x1x2x2");
    list(n, "strides", 2, 2, 1);
    list(n, "output_padding", 2, 1, 0);
    ob_int(b, n, "group", 2);
}

static void
cast_9_truncates(void)
{
    set_int(model(9, "Cast", "x", FLOAT, "9", INT32), "to", INT32);
}

static void
where_9(void)
{
    model(9, "Where", "t x z", FLOAT, "2x3", FLOAT);
    codes("t", BOOL, "2x1");
    codes("z", FLOAT, "3");
}

static void
expand_8(void)
{
    model(8, "Expand", "x s", FLOAT, "3x1", FLOAT);
    int_list("s", 3, 2, 1, 2);
}

static void
gather_11_negative(void)
{
    Onnx__NodeProto *n = model(11, "Gather", "x i", FLOAT, "3x2", FLOAT);

    int_list("i", 2, -1, 0);
    ob_int(b, n, "axis", 0);
}

static void
mean_8(void)
{
    model(8, "Mean", "x z w", FLOAT, "2x3", FLOAT);
    codes("z", FLOAT, "3");
    codes("w", FLOAT, "2x1");
}

static void
max_8_broadcast(void)
{
    model(8, "Max", "x z", FLOAT, "2x3", FLOAT);
    codes("z", FLOAT, "2x1");
}

static void
pow_12_int(void)
{
    static const int64_t two[] = {2};

    model(12, "Pow", "x k", INT32, "7", INT32);
    ob_init(b, "k", INT64, "", two, sizeof two);
}

static void
quantize_10(void)
{
    static const float s[] = {0.3F};

    model(10, "QuantizeLinear", "x s", FLOAT, "12", UINT8);
    reals("s", "", 1, s);
}

static void
quantize_13_axis(void)
{
    static const float s[] = {0.3F, 0.01F, 0.5F};

    model(13, "QuantizeLinear", "x s z", FLOAT, "2x3", INT8);
    reals("s", "3", 3, s);
    codes("z", INT8, "3");
}

static void
dequantize_13_axis(void)
{
    static const float s[] = {0.3F, 0.01F};

    set_int(model(13, "DequantizeLinear", "x s", INT8, "2x3", FLOAT), "axis",
            -2);
    reals("s", "2", 2, s);
}

static void
lrn_7(void)
{
    Onnx__NodeProto *n = model(7, "LRN", "x", FLOAT, "1x4x1x2", FLOAT);

    ob_int(b, n, "size", 3);
    ob_real(b, n, "alpha", 0.5F);
    ob_real(b, n, "bias", 2);
}

static void
hard_sigmoid_7(void)
{
    set_real(model(7, "HardSigmoid", "x", FLOAT, "9", FLOAT), "alpha", 0.3F);
}

static void
prelu_9(void)
{
    model(9, "PRelu", "x k", FLOAT, "2x3x2", FLOAT);
    codes("k", FLOAT, "3x1");
}

static void
layer_norm_17(void)
{
    model(17, "LayerNormalization", "x g o", FLOAT, "2x3x2", FLOAT);
    codes("g", FLOAT, "2");
    codes("o", FLOAT, "2");
}

static const Case cases[] = {
#include "unit/onnx_opsets.inc"
};

int
main(int argc, char **argv)
{
    return run_cases("onnx_opsets", cases, sizeof cases / sizeof cases[0], argc,
                     argv);
}
