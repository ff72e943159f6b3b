// SPDX-License-Identifier: Apache-2.0
/* ONNX import of element types that a graph does not have: what they become,
 * and the warning. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/onnx_text.h"

enum {
    FLOAT = 1,
    UINT8 = 2,
    INT8 = 3,
    UINT16 = 4,
    INT64 = 7,
    FLOAT16 = 10,
    DOUBLE = 11,
    UINT32 = 12,
    UINT64 = 13,
    BFLOAT16 = 16,
    UINT4 = 21,
    INT4 = 22
};

static void
warns(const char *want, const char *said)
{
    gives(want);
    assert_string_equal(sn_diag_text(d, a), said);
}

/* y = x + c. */
static void
sum(int elem, const char *dims, int celem, const void *c, size_t n)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", elem, dims);
    ob_node(b, "Add", "x c", "y");
    ob_init(b, "c", celem, dims, c, n);
    ob_output_of(b, "y", elem, dims);
}

static void
other_reals_become_f32_with_one_warning(void **state)
{
    static const uint16_t half[] = {0x3c00, 0x7bff, 0x8001};
    static const uint16_t upper[] = {0x3f80, 0xc2c8, 0x7f80};
    static const double wide[] = {1, 0.1, 1e300};

    (void)state;
    sum(FLOAT16, "3", FLOAT16, half, sizeof half);
    warns("  %x = Placeholder() {boundary = f16} : f32[3]\n"
          "  %c = Constant() {data = [1, 65504, -5.9604645e-8]} : f32[3]\n"
          "  %y = Add(%x, %c) : f32[3]\n"
          "  Save(%y) {name = \"y\", boundary = f16}\n",
          "warning: m.onnx: elements of type FLOAT16 are computed as f32; an "
          "exported model has the types of this file\n");
    sum(BFLOAT16, "3", BFLOAT16, upper, sizeof upper);
    warns("  %x = Placeholder() {boundary = bf16} : f32[3]\n"
          "  %c = Constant() {data = [1, -100, inf]} : f32[3]\n"
          "  %y = Add(%x, %c) : f32[3]\n"
          "  Save(%y) {name = \"y\", boundary = bf16}\n",
          "warning: m.onnx: elements of type BFLOAT16 are computed as f32; an "
          "exported model has the types of this file\n");
    sum(DOUBLE, "3", DOUBLE, wide, sizeof wide);
    warns("  %x = Placeholder() {boundary = f64} : f32[3]\n"
          "  %c = Constant() {data = [1, 0.1, inf]} : f32[3]\n"
          "  %y = Add(%x, %c) : f32[3]\n"
          "  Save(%y) {name = \"y\", boundary = f64}\n",
          "warning: m.onnx: elements of type DOUBLE are computed as f32; an "
          "exported model has the types of this file\n");
}

static void
known_integers_become_wider(void **state)
{
    static const uint32_t big[] = {4294967295u};
    static const uint64_t huge[] = {UINT64_C(1) << 63};

    (void)state;
    sum(INT64, "1", UINT32, big, sizeof big);
    warns("  %x = Placeholder() : i64[1]\n"
          "  %c = Constant() {data = [4294967295]} : i64[1]\n"
          "  %y = Add(%x, %c) : i64[1]\n"
          "  Save(%y) {name = \"y\"}\n",
          "");
    sum(INT64, "1", UINT64, huge, sizeof huge);
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Add): 'c' holds an integer above 2^63 - 1\n");
    sum(UINT16, "1", UINT16, big, 2);
    refused(
        SN_EUNSUPPORTED,
        "m.onnx: input 'x': elements UINT16 are not supported: expected FLOAT, "
        "FLOAT16, BFLOAT16, DOUBLE, INT8, UINT8, INT32, INT64 or BOOL\n");
}

/* Weights of 4 bits, dequantized: x + (w - z) * s. */
static void
weights(int elem, const char *dims, const void *w, size_t n, uint8_t z)
{
    static const float s = 0.5F;
    Onnx__NodeProto *q;

    b = ob_new(a, 21);
    ob_input(b, "x", dims);
    q = ob_node(b, "DequantizeLinear", "w s z", "v");
    (void)q;
    ob_node(b, "Add", "x v", "y");
    ob_init(b, "w", elem, dims, w, n);
    ob_init(b, "s", FLOAT, "", &s, sizeof s);
    ob_init(b, "z", elem, "", &z, 1);
    ob_output(b, "y", dims);
}

static void
weights_of_4_bits_become_8_wide(void **state)
{
    static const uint8_t w[] = {0x87, 0x0f};

    (void)state;
    weights(INT4, "3", w, 2, 0x0e);
    warns("  %x = Placeholder() : f32[3]\n"
          "  %w = Constant() {data = [7, -8, -1]} : qi8<0.5, -2>[3]\n"
          "  %v = Dequantize(%w) : f32[3]\n"
          "  %y = Add(%x, %v) : f32[3]\n"
          "  Save(%y) {name = \"y\"}\n",
          "");
    weights(UINT4, "3", w, 2, 0x0e);
    warns("  %x = Placeholder() : f32[3]\n"
          "  %w = Constant() {data = [-121, -120, -113]} : qi8<0.5, -114>[3]\n"
          "  %v = Dequantize(%w) : f32[3]\n"
          "  %y = Add(%x, %v) : f32[3]\n"
          "  Save(%y) {name = \"y\"}\n",
          "");
    weights(INT4, "5", w, 2, 0);
    SnGraph *g;
    assert_int_equal(import_as(NULL, &g), SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a),
                        "m.onnx: initializer 'w': 2 bytes of elements, the "
                        "shape has 3\n");
}

/* Numbers of 8 bits that two scales stand beside, which ONNX Runtime does not
 * take for most of these operators. */
static void
two_codes(const char *op, const char *in)
{
    static const float s = 0.5F, t = 0.25F;
    static const int8_t z = 5, w = -3;

    b = ob_new(a, 14);
    ob_input(b, "x", "6");
    ob_node(b, "QuantizeLinear", "x s z", "q");
    ob_node(b, "QuantizeLinear", "x t w", "p");
    ob_node(b, op, in, "y");
    ob_init(b, "s", FLOAT, "", &s, sizeof s);
    ob_init(b, "t", FLOAT, "", &t, sizeof t);
    ob_init(b, "z", INT8, "", &z, 1);
    ob_init(b, "w", INT8, "", &w, 1);
    ob_output_of(b, "y", INT8, "6");
}

static void
codes_of_other_scales_are_numbers(void **state)
{
    (void)state;
    two_codes("Max", "p p");
    gives("  %x = Placeholder() : f32[6]\n"
          "  %p = Quantize(%x) : qi8<0.25, -3>[6]\n"
          "  %y = Max(%p, %p) : qi8<0.25, -3>[6]\n"
          "  Save(%y) {name = \"y\"}\n");
    two_codes("Add", "q p");
    gives("  %x = Placeholder() : f32[6]\n"
          "  %q = Quantize(%x) : qi8<0.5, 5>[6]\n"
          "  %p = Quantize(%x) : qi8<0.25, -3>[6]\n"
          "  %q.codes = Codes(%q) : i8[6]\n"
          "  %q.wide = Cast(%q.codes) : i32[6]\n"
          "  %p.codes = Codes(%p) : i8[6]\n"
          "  %p.wide = Cast(%p.codes) : i32[6]\n"
          "  %y.1 = Add(%q.wide, %p.wide) : i32[6]\n"
          "  %y = Cast(%y.1) : i8[6]\n"
          "  Save(%y) {name = \"y\"}\n");
}

static void
packed_numbers_are_read(void **state)
{
    static int32_t nibbles[] = {0x21, 0x43}, halves[] = {0x3f80, 0x10000};
    Onnx__TensorProto *t = ob_tensor(a, "t", UINT4, "4", "", 0);
    SnData out;

    (void)state;
    t->has_raw_data = 0;
    t->n_int32_data = 2;
    t->int32_data = nibbles;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_OK);
    assert_int_equal(out.dtype, SN_D_U8);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sn_data_int(&out, i), i + 1);
    t->n_int32_data = 1;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_EINPUT);
    t->data_type = BFLOAT16;
    t->n_int32_data = 2;
    t->int32_data = halves;
    t->dims[0] = 2;
    d = sn_diag_new(a);
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), "t: packed element 1 is not "
                                            "within 16 bits\n");
    halves[1] = 0xc000;
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_OK);
    assert_true(sn_data_real(&out, 0) == 1 && sn_data_real(&out, 1) == -2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_reals_become_f32_with_one_warning),
        cmocka_unit_test(known_integers_become_wider),
        cmocka_unit_test(weights_of_4_bits_become_8_wide),
        cmocka_unit_test(codes_of_other_scales_are_numbers),
        cmocka_unit_test(packed_numbers_are_read),
    };

    return cmocka_run_group_tests_name("onnx_elem", tests, setup, teardown);
}
