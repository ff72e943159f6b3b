/* ONNX files made to do harm: each is refused with status 3 (the file
 * contradicts itself) or 4 (beyond sinter) and one line that names the file,
 * the node or value, what is wrong and what was expected.
 *
 *   test_onnx_hostile --list       the lines of onnx_hostile.inc as they are
 *   test_onnx_hostile --dump DIR   writes DIR/NAME.onnx, and what external data
 *                                  may point to; prints NAME, status, text */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "graph/text.h"
#include "onnx/import.h"
#include "unit/onnx_build.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7, STRING = 8,
       BOOL = 9, COMPLEX64 = 14 };

static SnArena *a;
static OnnxBuild *b;

typedef struct Case {
    const char *name;
    void (*build)(void);
    SnStatus status;
    const char *text; /* after "FILE: " */
} Case;

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
shape_depth(void)
{
    set_int(node("DepthToSpace", "x", "1x4x2x2"), "blocksize",
           I(1) << 33);
}

static void
shape_space(void)
{
    set_int(node("SpaceToDepth", "x", "1x4x2x2"), "blocksize",
           I(1) << 33);
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
shape_cumsum(void)
{
    node("CumSum", "x k", "8192");
    init_ints("k", 1, I(0));
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

/* ---- operands ---- */

static void
too_many_inputs(void)
{
    node("Relu", "x x x", "2");
}

static void
no_inputs(void)
{
    node("Relu", "", "2");
}

static void
too_many_outputs(void)
{
    node("Relu", "x", "2");
    b->node[0]->n_output = names(a, "y z", &b->node[0]->output);
    ob_output(b, "z", NULL);
}

static void
reals_with_integers(void)
{
    node("Add", "x c", "2");
    init_ints("c", 2, I(1), I(2));
}

static void
truth_added(void)
{
    node("Relu", "c", "2");
    ob_init(b, "c", BOOL, "2", "\1\0", 2);
}

static void
not_truth(void)
{
    node("Where", "c x x", "2");
    ob_init(b, "c", BOOL, "2", "\1\2", 2);
}

static void
string_tensor(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", STRING, "2", "", 0);
}

static void
complex_input(void)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", COMPLEX64, "2");
    ob_node(b, "Relu", "x", "y");
    ob_output(b, "y", NULL);
}

static void
unknown_element(void)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", 1000000, "2");
    ob_node(b, "Relu", "x", "y");
    ob_output(b, "y", NULL);
}

static void
self_cycle(void)
{
    node("Add", "x y", "2");
}

static void
shape_cycle(void)
{
    node("Reshape", "x s", "2");
    ob_node(b, "Shape", "y", "s");
}

static void
one_name_for_two_results(void)
{
    node("Split", "x", "4");
    b->node[0]->n_output = names(a, "y y", &b->node[0]->output);
}

static void
two_initializers(void)
{
    node("Add", "x c", "2");
    ob_floats(b, "c", "2");
    ob_floats(b, "c", "2");
}

static void
two_outputs(void)
{
    node("Relu", "x", "2");
    ob_output(b, "y", NULL);
}

static void
input_without_name(void)
{
    node("Relu", "x", "2");
    ob_input(b, "", "2");
}

static void
attribute_without_name(void)
{
    set_int(node("Relu", "x", "2"), "", 1);
}

static void
node_without_operator(void)
{
    node("", "x", "2");
}

static void
input_without_type(void)
{
    node("Relu", "x", "2");
    b->in[0]->type = NULL;
}

static void
no_operator_set(void)
{
    node("Relu", "x", "2");
    b->model.n_opset_import = 0;
}

static void
no_graph(void)
{
    node("Relu", "x", "2");
    b->model.graph = NULL;
}

/* ---- sizes ---- */

static void
raw_short(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "1234567", 7);
}

static void
raw_long(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "123456789", 9);
}

static void
raw_huge(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "1048576x1048575", "1234", 4);
}

static void
raw_overflow(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "4294967296x4294967296", "", 0);
}

static void
typed_short(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "", 0)->has_raw_data = 0;
}

static void
typed_other(void)
{
    static int32_t v[] = {1, 300};
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", INT8, "2", "", 0);
    t->has_raw_data = 0;
    t->n_int32_data = 2;
    t->int32_data = v;
}

static void
segmented(void)
{
    static Onnx__TensorProto__Segment s;

    node("Add", "x c", "2");
    onnx__tensor_proto__segment__init(&s);
    ob_init(b, "c", FLOAT, "2", "12345678", 8)->segment = &s;
}

static void
deep_tensor(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "1x1x1x1x1x1x1x1x1", "1234", 4);
}

static void
external_without_place(void)
{
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", FLOAT, "2", "", 0);
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

/* ---- scales ---- */

static void
quantized(float scale)
{
    node("QuantizeLinear", "x s z", "2");
    init_reals("s", "", 1, (double)scale);
    ob_init(b, "z", UINT8, "", "\200", 1);
}

static void scale_zero(void) { quantized(0); }
static void scale_negative(void) { quantized(-0.5F); }
static void scale_nan(void) { quantized(NAN); }
static void scale_inf(void) { quantized(INFINITY); }
static void scale_denormal(void) { quantized(1e-40F); }
static void scale_small(void) { quantized(0x1p-101F); }
static void scale_large(void) { quantized(0x1p101F); }

static void
scale_of_one_channel(void)
{
    node("DequantizeLinear", "w s", "2");
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2", 2, 0.5, (double)NAN);
}

static void
scales_too_many(void)
{
    node("DequantizeLinear", "w s", "2");
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "3", 3, 0.5, 0.5, 0.5);
}

static void
scale_axis(void)
{
    set_int(node("DequantizeLinear", "w s", "2"), "axis", 2);
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2", 2, 0.5, 0.5);
}

static void
block_zero(void)
{
    set_int(node("DequantizeLinear", "w s", "2"), "block_size",
           I(-1));
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2x2", 4, 0.5, 0.5, 0.5, 0.5);
}

static void
zero_point_elsewhere(void)
{
    node("QuantizeLinear", "x s z", "2");
    init_reals("s", "", 1, 0.5);
    ob_init(b, "z", INT32, "", (int32_t[1]){300}, 4);
}

/* ---- external data; the files are made by surroundings() ---- */

static void
external(const char *location, const char *key, const char *value)
{
    static Onnx__StringStringEntryProto e[2], *pe[2] = {&e[0], &e[1]};
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", FLOAT, "2", "", 0);
    t->has_raw_data = 0;
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->n_external_data = 2;
    t->external_data = pe;
    for (int i = 0; i < 2; i++)
        onnx__string_string_entry_proto__init(&e[i]);
    e[0].key = own(a, "location");
    e[0].value = own(a, location);
    e[1].key = own(a, key);
    e[1].value = own(a, value);
}

#define X(name, location, key, value)                                         \
    static void name(void) { external(location, key, value); }
X(external_absolute, "/etc/passwd", "offset", "0")
X(external_up, "../outside.bin", "offset", "0")
X(external_up_later, "below/../../outside.bin", "offset", "0")
X(external_only_up, "..", "offset", "0")
X(external_link, "link.bin", "offset", "0")
X(external_link_above, "above/outside.bin", "offset", "0")
X(external_missing, "gone.bin", "offset", "0")
X(external_directory, "below", "offset", "0")
X(external_pipe, "pipe.bin", "offset", "0")
X(external_empty_name, "", "offset", "0")
X(external_offset_past_end, "inside.bin", "offset", "1")
X(external_offset_far, "inside.bin", "offset", "9223372036854775807")
X(external_offset_too_large, "inside.bin", "offset", "9223372036854775808")
X(external_offset_negative, "inside.bin", "offset", "-8")
X(external_offset_no_number, "inside.bin", "offset", "0x0")
X(external_length_short, "inside.bin", "length", "4")
X(external_length_long, "inside.bin", "length", "9223372036854775807")
X(external_length_negative, "inside.bin", "length", "-1")
#undef X

/* ---- bytes ---- */

/* Wraps n bytes as a field, then the length; returns the size. */
static size_t
wrap(uint8_t *at, unsigned field, const uint8_t *body, size_t n)
{
    size_t k = 0, len = n;

    at[k++] = (uint8_t)(field << 3 | 2);
    for (; len > 127; len >>= 7)
        at[k++] = (uint8_t)(len | 128);
    at[k++] = (uint8_t)len;
    memcpy(at + k, body, n);
    return k + n;
}

static uint8_t raw[1 << 16];
static size_t nraw;

/* graph { node { attribute { g { node ... } } } }: 2900 graphs in 29 KB. */
static void
nested_graphs(void)
{
    uint8_t *p = sn_alloc(a, sizeof raw), *q = sn_alloc(a, sizeof raw), *t;
    size_t n = 0;

    for (int i = 0; i < 2900; i++) {
        n = wrap(q, 6, p, n); /* AttributeProto.g */
        n = wrap(p, 5, q, n); /* NodeProto.attribute */
        n = wrap(q, 1, p, n); /* GraphProto.node */
        t = p;
        p = q;
        q = t;
    }
    nraw = wrap(raw, 7, p, n);
}

static void
bytes(const char *s, size_t n)
{
    memcpy(raw, s, n);
    nraw = n;
}

#define R(name, s) static void name(void) { bytes(s, sizeof s - 1); }
R(no_bytes, "")
R(text_file, "not a model at all\n")
R(length_past_end, "\x3a\xff\xff\xff\xff\x07")
R(length_of_64_bits, "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
R(endless_number, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
R(field_zero, "\x02\x00")
R(group, "\x3b")
R(graph_as_number, "\x38\x01")
R(graph_twice, "\x3a\x00\x3a\x00")
R(half_a_float, "\x3a\x07\x2a\x05\x22\x03" "abc")
R(nul_in_a_name, "\x3a\x05\x12\x03" "a\0b")
#undef R

static const Case cases[] = {
#include "unit/onnx_hostile.inc"
};
enum { NCASE = sizeof cases / sizeof cases[0] };

/* What lies in and beside the model's directory DIR/model. */
static const char *
surroundings(const char *top)
{
    const char *dir = sn_path_join(a, top, "model");
    SnDiag *d = sn_diag_new(a);

    if (mkdir(dir, 0700) != 0 ||
        mkdir(sn_path_join(a, dir, "below"), 0700) != 0 ||
        mkfifo(sn_path_join(a, dir, "pipe.bin"), 0600) != 0 ||
        symlink("../outside.bin", sn_path_join(a, dir, "link.bin")) != 0 ||
        symlink("..", sn_path_join(a, dir, "above")) != 0 ||
        sn_file_write(d, sn_path_join(a, top, "outside.bin"), "12345678",
                      8) != SN_OK ||
        sn_file_write(d, sn_path_join(a, dir, "inside.bin"), "12345678",
                      8) != SN_OK)
        return NULL;
    return dir;
}

static void
clear(const char *top)
{
    static const char *const file[] = {
        "model/pipe.bin", "model/link.bin", "model/above", "outside.bin",
        "model/inside.bin"};

    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        unlink(sn_path_join(a, top, file[i]));
    rmdir(sn_path_join(a, top, "model/below"));
    rmdir(sn_path_join(a, top, "model"));
    rmdir(top);
}

static char top[] = "/tmp/sinter-hostile-XXXXXX";
static const char *dir; /* of the model */

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    dir = mkdtemp(top) != NULL ? surroundings(top) : NULL;
    return dir == NULL;
}

static int
teardown(void **state)
{
    (void)state;
    clear(top);
    sn_arena_free(a);
    return 0;
}

/* The bytes of a case, in a block of their own for the sanitizers. */
static uint8_t *
build(const Case *c, size_t *n)
{
    uint8_t *p;

    b = NULL;
    nraw = 0;
    c->build();
    if (b != NULL)
        return ob_pack(b, n);
    *n = nraw;
    p = malloc(nraw + 1);
    if (p == NULL)
        abort();
    memcpy(p, raw, nraw);
    return p;
}

static SnStatus
import(const Case *c, const char **text)
{
    SnDiag *d = sn_diag_new(a);
    SnGraph *g;
    size_t n;
    uint8_t *p = build(c, &n);
    SnStatus s = sn_onnx_parse(a, "m.onnx", dir, p, n, NULL, d, &g);

    free(p);
    *text = sn_diag_text(d, a);
    return s;
}

static void
is_refused(void **state)
{
    const Case *c = *state;
    const char *text;
    SnStatus s = import(c, &text);

    assert_string_equal(text, sn_format(a, "m.onnx: %s\n", c->text));
    assert_int_equal(s, c->status);
    assert_true(s == SN_EINPUT || s == SN_EUNSUPPORTED);
}

static int
list(void)
{
    static const char *const status[] = {[SN_EINPUT] = "SN_EINPUT",
                                         [SN_EUNSUPPORTED] =
                                             "SN_EUNSUPPORTED"};

    for (size_t i = 0; i < NCASE; i++) {
        const char *text;
        SnStatus s = import(&cases[i], &text);
        printf("{\"%s\", %s, %s,\n \"", cases[i].name, cases[i].name,
               s == SN_EINPUT || s == SN_EUNSUPPORTED ? status[s] : "accepted");
        text += strncmp(text, "m.onnx: ", 8) == 0 ? 8 : 0;
        for (; *text != '\0' && *text != '\n'; text++)
            printf(*text == '"' ? "\\%c" : "%c", *text);
        printf("\"},\n");
    }
    return 0;
}

static int
dump(const char *to)
{
    const char *d = surroundings(to);

    for (size_t i = 0; d != NULL && i < NCASE; i++) {
        size_t n;
        uint8_t *p = build(&cases[i], &n);
        const char *path = sn_format(a, "%s/%s.onnx", d, cases[i].name);
        if (sn_file_write(sn_diag_new(a), path, p, n) != SN_OK)
            return 5;
        free(p);
        printf("%s %d %s\n", cases[i].name, (int)cases[i].status,
               cases[i].text);
    }
    return d == NULL;
}

int
main(int argc, char **argv)
{
    struct CMUnitTest tests[NCASE];
    int r;

    for (size_t i = 0; i < NCASE; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = is_refused,
                                       .initial_state =
                                           (void *)(uintptr_t)&cases[i]};
    if (argc < 2)
        return _cmocka_run_group_tests("onnx_hostile", tests, NCASE, setup,
                                       teardown);
    a = sn_arena_new();
    if (strcmp(argv[1], "--list") == 0 && mkdtemp(top) != NULL) {
        dir = surroundings(top);
        r = list();
        clear(top);
    } else {
        r = argc == 3 ? dump(argv[2]) : 2;
    }
    sn_arena_free(a);
    return r;
}
