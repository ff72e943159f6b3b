// SPDX-License-Identifier: Apache-2.0
/* ONNX export: what is written imports as the same numbers; refusals. */
#include <math.h>
#include "unit/export_graph.h"
#include "sn_arith.h"

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
        "  %y = Normalize(%q) {axis = 2} : qi8<0.02, 5>[1,4,4,2]\n",
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
        SnGraph *g = comes_back(
            sn_format(A,
                      "  %%x = Placeholder() : f32[1,4,4,2]\n"
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
    assert_string_equal(nodes(sum, SN_ONNX_QOPERATOR),
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
refuses_huge_splat(void **state)
{
    (void)state;
    refused("  %x = Placeholder() : f32[20000]\n"
            "  %k = Splat() {value = 1, dims = [20000,20000]} : "
            "f32[20000,20000]\n"
            "  %y = Add(%x, %k) : f32[20000,20000]\n"
            "  Save(%y) {name = \"y\"}\n",
            SN_ONNX_QDQ, 0,
            "t.onnx: node 'k' (Splat): has more than 1024 MiB, which a model "
            "cannot store\n");
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
            "t.onnx: node 'x' (Placeholder): 16-bit codes require opset 21; "
            "the model is written at 17\n   help: give --opset 21\n");
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
    onnx__model_proto__free_unpacked(model(graph(g), SN_ONNX_QDQ, 19, &p, &n),
                                     NULL);
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

/* BN(SHAPE, PARAM, "data"): four parameters of one shape. */
#define BN(shape, param, gamma, beta, mean, var)              \
    "  %g = Constant() {data = [" gamma "]} : f32" param "\n" \
    "  %b = Constant() {data = [" beta "]} : f32" param "\n"  \
    "  %m = Constant() {data = [" mean "]} : f32" param "\n"  \
    "  %v = Constant() {data = [" var "]} : f32" param "\n"   \
    "  %n = BatchNormalization(%a, %g, %b, %m, %v) : f32" shape "\n"
#define THREE(shape, param) \
    BN(shape, param, "1.5, -2, 0.25", "1, 2, -3", "0.5, 0, -1", "1, 4, 0.5")
#define INPUT(shape) "  %a = Placeholder() : f32" shape "\n"
#define OUTPUT "  Save(%n) {name = \"y\"}\n"
#define CONV_OF(v, shape)                                           \
    "  %w = Constant() {data = [1, -2, 3]} : f32[1,1,1,3]\n"        \
    "  %y = Conv2D(" v ", %w, _) {kernel = [1,1]} : f32" shape "\n" \
    "  Save(%y) {name = \"y\"}\n"

/* Channels last and channels first, at the input, at the output and between
 * nodes of either order; parameters that are values, one number, spread along
 * two axes. */
static void
round_trip_batch_norm(void **state)
{
    static const char *const lines[] = {
        INPUT("[2,4,4,3]") THREE("[2,4,4,3]", "[3]") OUTPUT,
        INPUT("[2,3,4,4]") THREE("[2,3,4,4]", "[1,3,1,1]") OUTPUT,
        INPUT("[3,2]") THREE("[3,2]", "[3,1]") OUTPUT,
        INPUT("[3]") THREE("[3]", "[3]") OUTPUT,
        INPUT("[2,3]") THREE("[2,3]", "[3]") OUTPUT,
        INPUT("[2,3,5]") THREE("[2,3,5]", "[3,1]") OUTPUT,
        INPUT("[2,3,4]") BN("[2,3,4]", "[1]", "2", "-1", "0.5", "3") OUTPUT,
        INPUT("[1,3,4,4]")
            THREE("[1,3,4,4]",
                  "[1,3,1,1]") "  %t = Transpose(%n) {perm = [0,2,3,1]} : "
                               "f32[1,4,4,3]\n" CONV_OF("%t", "[1,4,4,1]"),
        INPUT("[1,3,4,4]") "  %r = Relu(%a) : f32[1,3,4,4]\n"
                           "  %t = Transpose(%r) {perm = [0,2,3,1]} : "
                           "f32[1,4,4,3]\n"
                           "  %g = Constant() {data = [1,2,3]} : f32[3]\n"
                           "  %n = BatchNormalization(%t, %g, %g, %g, %g) : "
                           "f32[1,4,4,3]\n" CONV_OF("%n", "[1,4,4,1]"),
        INPUT("[1,4,4,3]") "  %p = Placeholder() : f32[3]\n"
                           "  %q = Exp(%p) : f32[3]\n"
                           "  %n = BatchNormalization(%a, %p, %p, %p, %q) : "
                           "f32[1,4,4,3]\n" OUTPUT,
        INPUT("[1,3,4,4]") "  %p = Placeholder() : f32[1,3,1,1]\n"
                           "  %q = Exp(%p) : f32[1,3,1,1]\n"
                           "  %n = BatchNormalization(%a, %p, %p, %p, %q) : "
                           "f32[1,3,4,4]\n" OUTPUT,
        INPUT(
            "[2,2,3]") "  %g = Constant() {data = [1,2,3, 4,5,6]} : f32[2,3]\n"
                       "  %n = BatchNormalization(%a, %g, %g, %g, %g) : "
                       "f32[2,2,3]\n" OUTPUT,
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        comes_back(lines[i]);
}

/* What ONNX Runtime wants otherwise than a graph has it: the window of a
 * transposed convolution said by its weights, integers padded by integers,
 * points normalized as pictures, biases moved as they are, scalars. */
static void
round_trip_odd(void **state)
{
    static const char *const lines[] = {
        "  %a = Placeholder() : f32[1,2,3,2]\n"
        "  %w = Constant() {data = [1,2,3,4, 5,6,7,8]} : f32[2,1,2,2]\n"
        "  %n = ConvTranspose2D(%a, %w, _) {kernel = [1,1]} : "
        "f32[1,2,4,2]\n" OUTPUT,
        "  %a = Placeholder() : f32[2,2]\n"
        "  %c = Cast(%a) : i32[2,2]\n"
        "  %n = Pad(%c) {pads = [0,1,0,0], value = 3} : i32[2,3]\n" OUTPUT,
        INPUT("[4,6]") "  %n = LRN(%a) {size = 3, k = 2} : f32[4,6]\n" OUTPUT,
        INPUT("[2,4,6]") "  %n = LRN(%a) {size = 5} : f32[2,4,6]\n" OUTPUT,
        INPUT("[]") "  %n = Pad(%a) {pads = [], value = 1} : f32[]\n" OUTPUT,
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        comes_back(lines[i]);
}

/* One node each, in both forms, at each opset at which it is written otherwise.
 * A node that is written as several rounds after each of them. */
static const struct {
    const char *lines;
    int opset[3];
    float off; /* values may be by so much */
} rest[] = {
    {INPUT("[2,5]") "  %n, %i = TopK(%a) {k = 3} : (f32[2,3], i64[2,3])\n"
                    "  Save(%i) {name = \"i\"}\n" OUTPUT,
     {13, 24},
     0},
    {INPUT("[5,2]") "  %n, %i = TopK(%a) {k = 2, axis = 0, largest = false} : "
                    "(f32[2,2], i64[2,2])\n" OUTPUT,
     {17},
     0},
    {INPUT("[2,3]") "  %c = Constant() {data = [1, -2, 3]} : f32[3]\n"
                    "  %n = BatchedAdd(%a, %c) : f32[2,3]\n" OUTPUT,
     {17},
     0},
    {INPUT("[3,4]") "  %c = Constant() {data = [2, 0, 1, 1]} : i64[2,2]\n"
                    "  %n = Gather(%a, %c) {axis = 1} : f32[3,2,2]\n" OUTPUT,
     {17},
     0},
    {INPUT("[3,4]") "  %n = RMSNormalize(%a) : f32[3,4]\n" OUTPUT,
     {13, 18, 23},
     1e-6f},
    {INPUT("[3,4,2]") "  %n = RMSNormalize(%a) {axis = 1, eps = 0.25} : "
                      "f32[3,4,2]\n" OUTPUT,
     {13, 18, 23},
     1e-6f},
    {INPUT("[2,3]") "  %n = Tile(%a) {repeats = [2,1]} : f32[4,3]\n" OUTPUT,
     {13},
     0},
    {INPUT("[2,3]") "  %n = Clip(%a) {low = -0.5, high = inf} : "
                    "f32[2,3]\n" OUTPUT,
     {13},
     0},
    {INPUT("[2,3]") "  %n = Clip(%a) {low = -inf, high = 0.5} : "
                    "f32[2,3]\n" OUTPUT,
     {13},
     0},
    {INPUT("[2,4]") "  %n = ReduceSum(%a) {axes = [-1]} : f32[2,1]\n" OUTPUT,
     {13, 18},
     0},
    {INPUT("[2,4]") "  %n = ReduceMax(%a) {axes = [0], keepdims = false} : "
                    "f32[4]\n" OUTPUT,
     {13, 18},
     0},
    {INPUT("[4,3]") "  %c = Constant() {data = [2, 0, 1, 3]} : i64[2,2]\n"
                    "  %n = EmbeddingSum(%a, %c) : f32[2,3]\n" OUTPUT,
     {13},
     1e-6f},
    {INPUT("[2]") "  %t = Constant() {data = [1, 2, 0.5, -1, 3, 4, 0.25, 2]} : "
                  "row8[2,2]\n"
                  "  %c = Constant() {data = [1, 0, 1, 1]} : i64[2,2]\n"
                  "  %s = EmbeddingSum(%t, %c) : f32[2,2]\n"
                  "  %n = Add(%s, %a) : f32[2,2]\n" OUTPUT,
     {13},
     1e-6f},
    {INPUT("[2,3]") "  %n = GeluTanh(%a) : f32[2,3]\n" OUTPUT, {13, 20}, 1e-6f},
    /* codes: operators on them where ONNX has these */
    {"  %a = Placeholder() : qi8<0.25, 3>[2,3]\n"
     "  %b = Placeholder() : qi8<0.5, -7>[3,4]\n"
     "  %n = MatMul(%a, %b) : qi8<0.5, 5>[2,4]\n" OUTPUT,
     {13, 21},
     0},
    {"  %a = Placeholder() : qi8<0.25, 3>[3,2]\n"
     "  %b = Constant() {data = [1,2,3,-4,5,6]} : qi8<0.5, 0>[2,3]\n"
     "  %n = MatMul(%a, %b) {trans_a = true, trans_b = true} : "
     "qi8<0.5, 5>[2,2]\n" OUTPUT,
     {17},
     0},
    {"  %a = Placeholder() : qi8<0.25, 3>[2,3]\n"
     "  %b = Placeholder() : qi8<0.25, 3>[2,1]\n"
     "  %n = Concat(%a, %b) {axis = 1} : qi8<0.25, 3>[2,4]\n" OUTPUT,
     {17},
     0},
    {"  %a = Placeholder() : qi8<0.25, 3>[1,4,4,2]\n"
     "  %n = AvgPool(%a) {kernel = [2,2], pads = [1,0,1,0]} : "
     "qi8<0.5, -3>[1,5,3,2]\n" OUTPUT,
     {17},
     0},
    {"  %a = Placeholder() : i8[2,3]\n"
     "  %l = Label(%a) : qi8<0.5, 3>[2,3]\n"
     "  %n = Dequantize(%l) : f32[2,3]\n" OUTPUT,
     {17},
     0},
};

static void
assert_close(const Outputs *x, const Outputs *y, float off)
{
    assert_int_equal(x->n, y->n);
    for (uint32_t i = 0; i < x->n; i++) {
        assert_int_equal(x->nbyte[i], y->nbyte[i]);
        if (off == 0)
            assert_memory_equal(x->data[i], y->data[i], x->nbyte[i]);
        for (size_t k = 0; off > 0 && k < x->nbyte[i] / sizeof(float); k++)
            assert_true(fabsf(((const float *)x->data[i])[k] -
                              ((const float *)y->data[i])[k]) <= off);
    }
}

static void
round_trip_rest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        Outputs want = outputs(graph(rest[i].lines));
        for (int k = 0; k < 6; k++) {
            SnOnnxExport e = {.form = k % 2 ? SN_ONNX_QDQ : SN_ONNX_QOPERATOR,
                              .opset = rest[i].opset[k / 2]};
            SnGraph *back;
            void *p;
            size_t n;
            if (e.opset == 0)
                continue;
            if (sn_onnx_pack(A, graph(rest[i].lines), &e, "t.onnx", D, &p,
                             &n) != SN_OK ||
                sn_onnx_parse(A, "t.onnx", NULL, p, n, NULL, D, &back) != SN_OK)
                fail_msg("%s%s", rest[i].lines, sn_diag_text(D, A));
            assert_int_equal(sn_verify(back, D), SN_OK);
            Outputs got = outputs(back);
            assert_close(&want, &got, rest[i].off);
        }
    }
}

static void
refuses_scalars(void **state)
{
    (void)state;
    refused(INPUT("[]") "  %n = GeluTanh(%a) : f32[]\n" OUTPUT, SN_ONNX_QDQ, 17,
            "t.onnx: node 'n' (GeluTanh): FastGelu takes no scalar\n");
}

static void
refuses_what_peers_refuse(void **state)
{
    (void)state;
    refused(INPUT("[1,4,4,2]") "  %n = MaxPool(%a) {kernel = [2,2], pads = "
                               "[2,0,0,0]} : "
                               "f32[1,5,3,2]\n" OUTPUT,
            SN_ONNX_QDQ, 0,
            "t.onnx: node 'n' (MaxPool): its pads are as wide as its window, "
            "which ONNX Runtime does not load\n");
}

static void
refuses_unknown_opset(void **state)
{
    (void)state;
    refused(SUM(""), SN_ONNX_QDQ, 12,
            "t.onnx: opset 12 cannot be written: expected 13 to 25\n");
}

/* A rounding of integers that ONNX's operators do not compute. */
static void
refuses_fixed_point(void **state)
{
    void *p;
    size_t n;
    SnOnnxExport o = {.form = SN_ONNX_QDQ};
    SnGraph *g = graph(SUM(""));

    (void)state;
    g->rounding = SN_ROUNDING_DOUBLE;
    assert_int_equal(sn_onnx_pack(A, g, &o, "t.onnx", D, &p, &n),
                     SN_EUNSUPPORTED);
    assert_string_equal(sn_diag_text(D, A),
                        "t.onnx: the graph computes with rounding double, "
                        "which ONNX has no operators for; what is quantized "
                        "for a backend of rounding float can be written\n"
                        "   help: --format qdq-twin writes operators of reals, "
                        "and how far from the graph's codes they may be\n");
    SnOnnxTwins twins;
    o = (SnOnnxExport){.form = SN_ONNX_TWIN, .twins = &twins};
    assert_int_equal(sn_onnx_pack(A, g, &o, "t.onnx", D, &p, &n), SN_OK);
    assert_true(twins.n > 0);
    for (uint32_t i = 0; i < twins.n; i++)
        assert_null(twins.v[i].bound.by.why);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(round_trip_conv),
        T(round_trip_ops),
        T(round_trip_connected),
        T(round_trip_after),
        T(round_trip_more),
        T(round_trip_integers),
        T(round_trip_float),
        T(round_trip_batch_norm),
        T(round_trip_odd),
        T(round_trip_rest),
        T(refuses_what_peers_refuse),
        T(refuses_scalars),
        T(refuses_kind),
        T(refuses_huge_splat),
        T(refuses_opset),
        T(refuses_hardswish_early),
        T(refuses_dilated_average),
        T(refuses_argmax),
        T(refuses_wide_biases),
        T(refuses_unknown_opset),
        T(refuses_fixed_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
