// SPDX-License-Identifier: Apache-2.0
/* ONNX import of operators on codes: what graph each becomes, and what is
 * refused about scales, zero points, biases and attributes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "graph/desc.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7, BOOL = 9 };

/* ---- models of one operator ---- */

static void
scalar(const char *name, float v)
{
    ob_init(b, name, FLOAT, "", &v, sizeof v);
}

static void
zero_point(const char *name, int elem, int v)
{
    int8_t c = (int8_t)v;

    ob_init(b, name, elem, "", &c, 1);
}

/* x and y of these codes; s, z for x, t, u for y. */
static Onnx__NodeProto *
start(const char *op, const char *in, int elem, const char *xdims,
      const char *ydims)
{
    Onnx__NodeProto *n;

    b = ob_new(a, 13);
    ob_input_of(b, "x", elem, xdims);
    ob_output_of(b, "y", elem, ydims);
    n = ob_node(b, op, in, "y");
    scalar("s", 0.5F);
    zero_point("z", elem, elem == UINT8 ? 130 : 2);
    scalar("t", 0.25F);
    zero_point("u", elem, elem == UINT8 ? 128 : 0);
    return n;
}

static void
microsoft(Onnx__NodeProto *n)
{
    static Onnx__OperatorSetIdProto own, *both[2];

    n->domain = sn_strdup(a, "com.microsoft");
    onnx__operator_set_id_proto__init(&own);
    own.domain = sn_strdup(a, "com.microsoft");
    own.has_version = 1;
    own.version = 1;
    both[0] = b->opsets[0];
    both[1] = &own;
    b->model.opset_import = both;
    b->model.n_opset_import = 2;
}

/* ---- what they become ---- */

static void
sums_round_after_the_zero_point(void **state)
{
    (void)state;
    microsoft(start("QLinearAdd", "x s z x s z t u", UINT8, "2", "2"));
    gives("  %x = Placeholder() {boundary = u8} : qi8<0.5, 2>[2]\n"
          "  %y = Add(%x, %x) {round = after, zp_shift = 128} : "
          "qi8<0.25, 0>[2]\n"
          "  Save(%y) {name = \"y\", boundary = u8}\n");
    microsoft(start("QLinearMul", "x s z x s z t u", INT8, "2", "2"));
    gives("  %x = Placeholder() : qi8<0.5, 2>[2]\n"
          "  %y = Mul(%x, %x) {round = after} : qi8<0.25, 0>[2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* ONNX Runtime takes the second operand first where the first one does not
 * change along the innermost axis; Add takes them as they stand. */
static void
sums_take_operands_in_order(void **state)
{
    static const int8_t k[] = {1, 2};

    (void)state;
    microsoft(start("QLinearAdd", "k s z x s z t u", INT8, "2x3", "2x3"));
    ob_init(b, "k", INT8, "2x1", k, 2);
    gives("  %x = Placeholder() : qi8<0.5, 2>[2,3]\n"
          "  %k = Constant() {data = [1, 2]} : qi8<0.5, 2>[2,1]\n"
          "  %y = Add(%x, %k) {round = after} : qi8<0.25, 0>[2,3]\n"
          "  Save(%y) {name = \"y\"}\n");
    microsoft(start("QLinearAdd", "x s z k s z t u", INT8, "2x3", "2x3"));
    ob_init(b, "k", INT8, "2x1", k, 2);
    gives("  %x = Placeholder() : qi8<0.5, 2>[2,3]\n"
          "  %k = Constant() {data = [1, 2]} : qi8<0.5, 2>[2,1]\n"
          "  %y = Add(%x, %k) {round = after} : qi8<0.25, 0>[2,3]\n"
          "  Save(%y) {name = \"y\"}\n");
    microsoft(start("QLinearAdd", "k s z x s z t u", INT8, "2x2x1", "2x2x1"));
    ob_init(b, "k", INT8, "2x1", k, 2); /* spread along an outer axis */
    gives("  %x = Placeholder() : qi8<0.5, 2>[2,2,1]\n"
          "  %k = Constant() {data = [1, 2]} : qi8<0.5, 2>[2,1]\n"
          "  %y = Add(%k, %x) {round = after} : qi8<0.25, 0>[2,2,1]\n"
          "  Save(%y) {name = \"y\"}\n");
    microsoft(start("QLinearAdd", "k s z x s z t u", INT8, "1", "1"));
    ob_init(b, "k", INT8, "1", k, 1); /* nothing changes along an axis */
    gives("  %x = Placeholder() : qi8<0.5, 2>[1]\n"
          "  %k = Constant() {data = [1]} : qi8<0.5, 2>[1]\n"
          "  %y = Add(%x, %k) {round = after} : qi8<0.25, 0>[1]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* The mean along an axis, or of all. */
static void
means_keep_their_axes(void **state)
{
    static const int64_t axis = 1;
    Onnx__NodeProto *n =
        start("QLinearReduceMean", "x s z t u", INT8, "2x3", "2x1");

    (void)state;
    microsoft(n);
    ob_list(b, n, "axes", 1, &axis);
    gives("  %x = Placeholder() : qi8<0.5, 2>[2,3]\n"
          "  %y = ReduceMean(%x) {axes = [1]} : qi8<0.25, 0>[2,1]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = start("QLinearReduceMean", "x s z t u", UINT8, "2x3", "");
    microsoft(n);
    ob_int(b, n, "keepdims", 0);
    gives(
        "  %x = Placeholder() {boundary = u8} : qi8<0.5, 2>[2,3]\n"
        "  %y = ReduceMean(%x) {axes = [], keepdims = false} : qi8<0.25, 0>[]\n"
        "  Save(%y) {name = \"y\", boundary = u8}\n");
}

static void
choices_are_put_on_one_grid(void **state)
{
    static const int8_t k[] = {1, 2};

    (void)state;
    microsoft(start("QLinearWhere", "c x s z k t z t u", INT8, "2", "2"));
    ob_input_of(b, "c", BOOL, "2");
    ob_init(b, "k", INT8, "2", k, 2);
    gives("  %x = Placeholder() : qi8<0.5, 2>[2]\n"
          "  %c = Placeholder() : bool[2]\n"
          "  %k = Constant() {data = [1, 2]} : qi8<0.25, 2>[2]\n"
          "  %y = Where(%c, %x, %k) : qi8<0.25, 0>[2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
convolutions_take_a_scale_per_filter(void **state)
{
    static const float ws[] = {0.5F, 0.25F};
    static const int8_t w[] = {1, 2}, wz[] = {0, 0};
    static const int32_t bias[] = {5, -6};

    (void)state;
    start("QLinearConv", "x s z w ws wz t u b", UINT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    ob_init(b, "ws", FLOAT, "2", ws, 8);
    ob_init(b, "wz", INT8, "2", wz, 2);
    ob_init(b, "b", INT32, "2", bias, 8);
    gives("  %x = Placeholder() {boundary = u8} : qi8<0.5, 2>[1,1,1,1]\n"
          "  %x.nhwc = Transpose(%x) {perm = [0,2,3,1]} : "
          "qi8<0.5, 2>[1,1,1,1]\n"
          "  %w = Constant() {data = [1, 2]} : "
          "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,1,1,1]\n"
          "  %b = Constant() {data = [5, -6]} : "
          "qi32<axis=0, [0.25, 0.125], [0, 0]>[2]\n"
          "  %y = ChannelwiseConv2D(%x.nhwc, %w, %b) {kernel = [1,1]} : "
          "qi8<0.25, 0>[1,1,1,2]\n"
          "  %y.nchw = Transpose(%y) {perm = [0,3,1,2]} : "
          "qi8<0.25, 0>[1,2,1,1]\n"
          "  Save(%y.nchw) {name = \"y\", boundary = u8}\n");
}

static void
products_fold_alpha_into_the_scale(void **state)
{
    static const int8_t w[] = {1, 2};
    Onnx__NodeProto *n;

    (void)state;
    n = start("QGemm", "x s z w s z  t u", INT8, "1x2", "1x1");
    microsoft(n);
    ob_init(b, "w", INT8, "2x1", w, 2);
    ob_real(b, n, "alpha", 2);
    n->n_input = 9; /* x s z w s z "" t u */
    n->input = SN_NEW_N(a, char *, 9);
    for (int i = 0; i < 9; i++)
        n->input[i] =
            sn_strdup(a, (const char *const[]){"x", "s", "z", "w", "s", "z", "",
                                               "t", "u"}[i]);
    gives("  %x = Placeholder() : qi8<0.5, 2>[1,2]\n"
          "  %y.codes = Codes(%x) : i8[1,2]\n"
          "  %y.alpha = Label(%y.codes) : qi8<1, 2>[1,2]\n"
          "  %w = Constant() {data = [1, 2]} : qi8<0.5, 2>[1,2]\n"
          "  %y = FullyConnected(%y.alpha, %w) : qi8<0.25, 0>[1,1]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* C of a QGemm: for each column, as a vector or as the row of a matrix. */
static Onnx__NodeProto *
biased_product(const char *cdims, size_t nbyte)
{
    static const int8_t w[] = {1, 2, 3, 4};
    static const int32_t c[] = {5, -6, 7, 8};
    Onnx__NodeProto *n =
        start("QGemm", "x s z w s z c t u", INT8, "2x2", "2x2");

    microsoft(n);
    ob_init(b, "w", INT8, "2x2", w, 4);
    ob_init(b, "c", INT32, cdims, c, nbyte);
    return n;
}

static void
products_add_a_row(void **state)
{
    static const char same[] =
        "  %x = Placeholder() : qi8<0.5, 2>[2,2]\n"
        "  %w = Constant() {data = [1, 3, 2, 4]} : qi8<0.5, 2>[2,2]\n"
        "  %c = Constant() {data = [5, -6]} : qi32<0.25, 0>[2]\n"
        "  %y = FullyConnected(%x, %w, %c) : qi8<0.25, 0>[2,2]\n"
        "  Save(%y) {name = \"y\"}\n";

    (void)state;
    biased_product("2", 8);
    gives(same);
    biased_product("1x2", 8);
    gives(same);
    biased_product("2x2", 16);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (QGemm): 'c' is broadcast; one value for each of "
            "2 columns is supported\n");
    biased_product("1", 4);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (QGemm): 'c' is broadcast; one value for each of "
            "2 columns is supported\n");
    biased_product("3", 12);
    refused(SN_EINPUT,
            "m.onnx: node 'y' (QGemm): FullyConnected: operand 'b' must have 2 "
            "elements, one for each output channel\n");
}

/* Channels are last in the file already where an attribute says so. */
static void
pictures_may_have_channels_last(void **state)
{
    static const int64_t one = 1;
    Onnx__NodeProto *n = start("QLinearGlobalAveragePool", "x s z t u", INT8,
                               "1x2x3x4", "1x1x1x4");

    (void)state;
    microsoft(n);
    ob_int(b, n, "channels_last", 1);
    gives("  %x = Placeholder() : qi8<0.5, 2>[1,2,3,4]\n"
          "  %y = AvgPool(%x) {kernel = [2,3], round = after} : "
          "qi8<0.25, 0>[1,1,1,4]\n"
          "  Save(%y) {name = \"y\"}\n");
    /* of one dimension: no height is put before the channels */
    n = start("QLinearAveragePool", "x s z t u", INT8, "1x3x4", "1x3x4");
    microsoft(n);
    ob_int(b, n, "channels_last", 1);
    ob_list(b, n, "kernel_shape", 1, &one);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (QLinearAveragePool): 'x' has rank 3; only "
            "two-dimensional pictures are supported\n");
}

/* A line of a plugin whose attribute is an input after those of codes(..). */
static void
attributes_may_follow_the_codes(void **state)
{
    static const SnOnnxMap map[] = {
        {SN_IMPORT_INPUT, "alpha", NULL, 5, NULL, NULL}};
    static const SnOnnxCode code[] = {{0, 3}, {-1, 2}};
    static SnOnnxDesc line = {.op = {"com.microsoft", "QSlope"},
                              .since = 1,
                              .nmap = 1,
                              .map = map,
                              .ncode = 2,
                              .code = code};

    (void)state;
    line.kind = sn_kind_named("LeakyRelu");
    sn_more_kinds.nonnx = 1;
    sn_more_kinds.onnx = &line;
    microsoft(start("QSlope", "x s z t u t", INT8, "2", "2"));
    gives("  %x = Placeholder() : qi8<0.5, 2>[2]\n"
          "  %y = LeakyRelu(%x) {alpha = 0.25} : qi8<0.25, 0>[2]\n"
          "  Save(%y) {name = \"y\"}\n");
    microsoft(start("QSlope", "x s z t u t s", INT8, "2", "2"));
    refused(SN_EINPUT, "m.onnx: node 'y' (QSlope): 7 inputs, at most 6 "
                       "expected\n");
    sn_more_kinds.nonnx = 0;
    sn_more_kinds.onnx = NULL;
}

/* Filters that are an input may have a scale each, where the line has them. */
static void
filters_may_be_an_input(void **state)
{
    static const float ws[] = {0.5F, 0.25F};
    static const int8_t wz[] = {0, 0};
    Onnx__NodeProto *n =
        start("QGemm", "x s z w ws wz c t u", INT8, "1x3", "1x2");
    static const int32_t c[] = {5, -6};

    (void)state;
    microsoft(n);
    ob_input_of(b, "w", INT8, "2x3");
    ob_int(b, n, "transB", 1);
    ob_init(b, "ws", FLOAT, "2", ws, 8);
    ob_init(b, "wz", INT8, "2", wz, 2);
    ob_init(b, "c", INT32, "2", c, 8);
    gives("  %x = Placeholder() : qi8<0.5, 2>[1,3]\n"
          "  %w = Placeholder() : qi8<axis=0, [0.5, 0.25], [0, 0]>[2,3]\n"
          "  %c = Constant() {data = [5, -6]} : "
          "qi32<axis=0, [0.25, 0.125], [0, 0]>[2]\n"
          "  %y = RowwiseQuantizedFullyConnected(%x, %w, %c) : "
          "qi8<0.25, 0>[1,2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* The kind that has a scale of its own, or its form on any. */
static void
a_fixed_scale_chooses_the_node(void **state)
{
    (void)state;
    microsoft(start("QLinearSigmoid", "x s z t u", INT8, "2", "2"));
    gives("  %x = Placeholder() : qi8<0.5, 2>[2]\n"
          "  %y = ScaledSigmoid(%x) : qi8<0.25, 0>[2]\n"
          "  Save(%y) {name = \"y\"}\n");
    microsoft(start("QLinearSigmoid", "x s z t u", INT8, "2", "2"));
    *(float *)(void *)b->init[2]->raw_data.data = 1 / 256.0F;
    *(int8_t *)b->init[3]->raw_data.data = -128;
    gives("  %x = Placeholder() : qi8<0.5, 2>[2]\n"
          "  %y = Sigmoid(%x) : qi8<0.00390625, -128>[2]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
unlike_operands_of_concat_are_rescaled(void **state)
{
    Onnx__NodeProto *n =
        start("QLinearConcat", "t u x s z x t u", INT8, "2", "4");

    (void)state;
    microsoft(n);
    ob_int(b, n, "axis", 0);
    gives("  %x = Placeholder() : qi8<0.25, 0>[2]\n"
          "  %x.codes = Codes(%x) : i8[2]\n"
          "  %x.label = Label(%x.codes) : qi8<0.5, 2>[2]\n"
          "  %y.0 = Rescale(%x.label) : qi8<0.25, 0>[2]\n"
          "  %y = Concat(%y.0, %x) {axis = 0} : qi8<0.25, 0>[4]\n"
          "  Save(%y) {name = \"y\"}\n");
    n = start("QLinearConcat", "t u x s", INT8, "2", "2");
    microsoft(n);
    ob_int(b, n, "axis", 0);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConcat): 4 inputs: expected "
                       "2, and three for each operand 'x'\n");
}

static void
integer_products_take_differences(void **state)
{
    static const uint8_t w[] = {7, 9};

    (void)state;
    b = ob_new(a, 13);
    ob_input_of(b, "x", UINT8, "1x2");
    ob_output_of(b, "y", INT32, "1x1");
    ob_node(b, "MatMulInteger", "x w z", "y");
    ob_init(b, "w", UINT8, "2x1", w, 2);
    zero_point("z", UINT8, 130);
    gives("  %x = Placeholder() {boundary = u8} : i8[1,2]\n"
          "  %z = Constant() {data = [2]} : i8[]\n"
          "  %z.spread = Reshape(%z) {dims = []} : i8[]\n"
          "  %x.centred = CodeDifference(%x, %z.spread) : i32[1,2]\n"
          "  %w = Constant() {data = [-121, -119]} : i8[2,1]\n"
          "  %w.centred.signed = Cast(%w) : i32[2,1]\n"
          "  %w.centred.128 = Constant() {data = [128]} : i32[]\n"
          "  %w.centred = Add(%w.centred.signed, %w.centred.128) : i32[2,1]\n"
          "  %y = IntegerMatMul(%x.centred, %w.centred) : i32[1,1]\n"
          "  Save(%y) {name = \"y\"}\n");
}

/* ---- what is refused ---- */

/* Every place where a scale can stand. */
static void
impossible_scales_are_refused_everywhere(void **state)
{
    static const struct {
        const char *op, *in, *bad;
        bool own;
    } at[] = {
        {"QLinearAdd", "x s z x s z t u", "s", true},
        {"QLinearAdd", "x s z x s z t u", "t", true},
        {"QLinearMul", "x s z x s z t u", "t", true},
        {"QLinearSigmoid", "x s z t u", "s", true},
        {"QLinearLeakyRelu", "x s z t u", "t", true},
        {"QLinearSoftmax", "x s z t u", "t", true},
        {"QLinearConcat", "t u x s z", "t", true},
        {"QLinearConcat", "t u x s z", "s", true},
        {"QLinearMatMul", "x s z x s z t u", "s", false},
        {"QLinearMatMul", "x s z x s z t u", "t", false},
    };
    static const float scale[] = {0.0F,      -0.5F,  NAN,       INFINITY,
                                  -INFINITY, 1e-40F, 0x1p-101F, 0x1p101F};
    SnGraph *g;

    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++)
        for (size_t i = 0; i < sizeof scale / sizeof scale[0]; i++) {
            Onnx__NodeProto *n = start(at[k].op, at[k].in, INT8, "2x2", "2x2");
            if (at[k].own)
                microsoft(n);
            ob_int(b, n, "axis", 0);
            n->n_attribute = strcmp(at[k].op, "QLinearConcat") == 0;
            float *v = (float *)(void *)b->init[at[k].bad[0] == 's' ? 0 : 2]
                           ->raw_data.data;
            memcpy(v, &scale[i], sizeof *v);
            assert_int_equal(import_as(NULL, &g), SN_EINPUT);
            assert_non_null(strstr(sn_diag_text(d, a), "m.onnx: node 'y' ("));
            assert_non_null(strstr(sn_diag_text(d, a), "scale"));
        }
}

static void
scales_of_the_wrong_kind_are_refused(void **state)
{
    static const float two[] = {0.5F, 0.5F};
    static const int64_t wide = 1;
    Onnx__NodeProto *n;

    (void)state;
    n = start("QLinearAdd", "x w z x s z t u", INT8, "2", "2");
    microsoft(n);
    ob_init(b, "w", FLOAT, "2", two, 8);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearAdd): 2 scales, not one\n");
    n = start("QLinearAdd", "x w z x s z t u", INT8, "2", "2");
    microsoft(n);
    ob_init(b, "w", INT64, "", &wide, 8);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (QLinearAdd): scales i64, f32 "
                             "is supported\n");
    n = start("QLinearAdd", "x s w x s z t u", INT8, "2", "2");
    microsoft(n);
    zero_point("w", UINT8, 3);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearAdd): a zero point u8 for "
                       "codes i8\n");
    n = start("QLinearAdd", "x f z x s z t u", INT8, "2", "2");
    microsoft(n);
    ob_input(b, "f", "");
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (QLinearAdd): scale and zero "
                             "point must be constant\n");
    n = start("QLinearAdd", "x s z x s z", INT8, "2", "2");
    microsoft(n);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearAdd): input 6 is missing\n");
}

static void
convolutions_are_checked(void **state)
{
    static const int8_t w[] = {1, 2};
    static const int32_t bias[] = {1, 2, 3};
    static const float ws[] = {1, 1, 1};

    (void)state;
    start("QLinearConv", "x s z w s z t u b", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    ob_init(b, "b", INT32, "3", bias, 12);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConv): Conv2D: operand 'b' "
                       "must have 2 elements, one for each output channel\n");
    start("QLinearConv", "x s z w s z t u w", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConv): operand b ('w') is i8, "
                       "expected int32\n");
    start("QLinearConv", "x s z w s z t u b", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    ob_input_of(b, "b", INT32, "2");
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (QLinearConv): operand b ('b') "
                             "must be constant\n");
    start("QLinearConv", "x s z w s z t u", INT8, "1x1x1x1x1", "1x2x1x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (QLinearConv): 'x' has rank 5; "
                             "only two-dimensional pictures are supported\n");
    start("QLinearConv", "x s z w s z t u x x", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConv): 10 inputs, at most 9 "
                       "expected\n");
    start("QLinearConv", "x s z w ws z t u", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    ob_init(b, "ws", FLOAT, "3", ws, 12);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConv): 3 scales do not fit "
                       "axis 0 of 'w'\n");
    start("QLinearConv", "x s z w s z t u", INT8, "1x1x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2", w, 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (QLinearConv): 'w' has rank 1, not 4 "
                       "(oihw)\n");
    start("QLinearConv", "x s z w s z t u", INT8, "1x3x1x1", "1x2x1x1");
    ob_init(b, "w", INT8, "2x1x1x1", w, 2);
    refused(SN_EINPUT,
            "m.onnx: node 'y' (QLinearConv): Conv2D: 3 channels in 1 groups "
            "do not fit filters over 1\n");
}

static void
blocks_and_other_widths_are_refused(void **state)
{
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 21);
    ob_input(b, "x", "4");
    ob_output_of(b, "y", UINT8, "4");
    n = ob_node(b, "QuantizeLinear", "x s", "y");
    scalar("s", 0.5F);
    ob_int(b, n, "block_size", 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (QuantizeLinear): blocks of 2 along "
                       "axis 1 of 1\n");
    ob_int(b, n, "axis", 0);
    refused(SN_EINPUT,
            "m.onnx: node 'y' (QuantizeLinear): scales or zero points are not "
            "one for each block of 2 along axis 0 of 'x'\n");
    n->n_attribute = 0;
    ob_int(b, n, "output_dtype", 17);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (QuantizeLinear): codes of type FLOAT8E4M3FN "
            "are not supported; uint8, int8, uint16 and int16 are\n");
    n->n_attribute = 0;
    ob_int(b, n, "output_dtype", 4);
    b->out[0]->type->tensor_type->elem_type = 4;
    refused(SN_EUNSUPPORTED, "m.onnx: output 'y': codes of uint16 are not "
                             "supported as an output\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_round_after_the_zero_point),
        cmocka_unit_test(sums_take_operands_in_order),
        cmocka_unit_test(means_keep_their_axes),
        cmocka_unit_test(choices_are_put_on_one_grid),
        cmocka_unit_test(convolutions_take_a_scale_per_filter),
        cmocka_unit_test(products_fold_alpha_into_the_scale),
        cmocka_unit_test(products_add_a_row),
        cmocka_unit_test(attributes_may_follow_the_codes),
        cmocka_unit_test(filters_may_be_an_input),
        cmocka_unit_test(pictures_may_have_channels_last),
        cmocka_unit_test(a_fixed_scale_chooses_the_node),
        cmocka_unit_test(unlike_operands_of_concat_are_rescaled),
        cmocka_unit_test(integer_products_take_differences),
        cmocka_unit_test(impossible_scales_are_refused_everywhere),
        cmocka_unit_test(scales_of_the_wrong_kind_are_refused),
        cmocka_unit_test(convolutions_are_checked),
        cmocka_unit_test(blocks_and_other_widths_are_refused),
    };

    return cmocka_run_group_tests_name("onnx_quant", tests, setup, teardown);
}
