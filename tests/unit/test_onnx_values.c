// SPDX-License-Identifier: Apache-2.0
/* Values of single operators against ONNX Runtime 1.30.0 (optimizations off):
 * the numbers of onnx_values.inc were printed by tools/oracle/values.js for the
 * models that `test_onnx_values --dump DIR` writes. */
#include "unit/onnx_case.h"

/* ---- products of codes with real results ---- */

static const float ascale[] = {0.03F}, bscale[] = {0.02F, 0.5F, 0.007F};
static const float bias[] = {0.5F, -1, 0.25F};

static void
matmul_to_float(void)
{
    model(13, "com.microsoft:MatMulIntegerToFloat", "x w as bs az bz c", UINT8,
          "2x4", FLOAT);
    codes("w", INT8, "4x3");
    reals("as", "", 1, ascale);
    reals("bs", "3", 3, bscale);
    code("az", UINT8, 19);
    codes("bz", INT8, "3");
    reals("c", "3", 3, bias);
}

static void
matmul_to_float_short(void)
{
    model(13, "com.microsoft:MatMulIntegerToFloat", "x w as bs", INT8, "2x4",
          FLOAT);
    codes("w", INT8, "4x3");
    reals("as", "1", 1, ascale);
    reals("bs", "", 1, bscale);
}

static void
dynamic_matmul(void)
{
    model(13, "com.microsoft:DynamicQuantizeMatMul", "x w bs bz c", FLOAT,
          "2x4", FLOAT);
    codes("w", INT8, "4x3");
    reals("bs", "3", 3, bscale);
    codes("bz", INT8, "3");
    reals("c", "3", 3, bias);
}

static void
dynamic_matmul_u8(void)
{
    model(13, "com.microsoft:DynamicQuantizeMatMul", "x w bs bz", FLOAT, "2x4",
          FLOAT);
    codes("w", UINT8, "4x3");
    reals("bs", "", 1, bscale);
    code("bz", UINT8, 17);
}

static void
qgemm_real(void)
{
    Onnx__NodeProto *n = model(13, "com.microsoft:QGemm", "x as az w bs bz c",
                               UINT8, "2x4", FLOAT);

    codes("w", INT8, "3x4");
    reals("as", "", 1, ascale);
    reals("bs", "3", 3, bscale);
    code("az", UINT8, 19);
    codes("bz", INT8, "3");
    codes("c", INT32, "3");
    ob_int(b, n, "transB", 1);
    ob_real(b, n, "alpha", 1.5F);
}

static void
qgemm_real_turned(void)
{
    Onnx__NodeProto *n =
        model(13, "com.microsoft:QGemm", "x as az w bs bz", INT8, "4x2", FLOAT);

    codes("w", INT8, "4x3");
    reals("as", "", 1, ascale);
    reals("bs", "", 1, bscale);
    code("az", INT8, -3);
    code("bz", INT8, 2);
    ob_int(b, n, "transA", 1);
}

/* ---- fused convolutions ---- */

static Onnx__NodeProto *
fused(const char *in, const char *act)
{
    static const int64_t two[] = {2, 2}, pads[] = {1, 0, 0, 1};
    Onnx__NodeProto *n =
        model(13, "com.microsoft:FusedConv", in, FLOAT, "1x2x3x3", FLOAT);

    codes("w", FLOAT, "2x2x2x2");
    codes("c", FLOAT, "2");
    codes("z", FLOAT, "1x2x3x3");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_list(b, n, "pads", 4, pads);
    string(n, "activation", act);
    return n;
}

static void
fused_conv(void)
{
    static const float alpha[] = {0.2F};

    real_list(fused("x w c z", "LeakyRelu"), "activation_params", 1, alpha);
}

static void
fused_conv_clip(void)
{
    static const float ends[] = {-1.5F, 2};

    real_list(fused("x w c", "Clip"), "activation_params", 2, ends);
}

/* ---- indices, sums, widths, blocks ---- */

static void
gather_elements(void)
{
    static const int64_t i[] = {2, -3, 1, 0, -1, 1};
    Onnx__NodeProto *n =
        model(13, "GatherElements", "x i", FLOAT, "2x3x2", FLOAT);

    numbers("i", "1x3x2", 6, i);
    ob_int(b, n, "axis", 1);
}

/* The indices are the input: elements of a constant. */
static void
gather_elements_at_run_time(void)
{
    static const int64_t low[] = {-3}, high[] = {2};

    model(13, "Clip", "x low high", INT64, "2x3x2", FLOAT);
    b->node[0]->output[0] = own(a, "i");
    numbers("low", "", 1, low);
    numbers("high", "", 1, high);
    codes("t", FLOAT, "2x3x2");
    Onnx__NodeProto *n = ob_node(b, "GatherElements", "t i", "y");
    ob_int(b, n, "axis", -2);
}

static void
cumsum(void)
{
    static const int64_t axis[] = {-2};
    Onnx__NodeProto *n = model(14, "CumSum", "x k", FLOAT, "2x3x2", FLOAT);

    numbers("k", "", 1, axis);
    ob_int(b, n, "reverse", 1);
    ob_int(b, n, "exclusive", 1);
}

static void
cumsum_int(void)
{
    static const int64_t axis[] = {0};

    model(14, "CumSum", "x k", INT32, "7", INT32);
    numbers("k", "", 1, axis);
}

static void
trilu(void)
{
    static const int64_t k[] = {-1};
    Onnx__NodeProto *n = model(14, "Trilu", "x k", INT64, "2x3x4", INT64);

    numbers("k", "", 1, k);
    ob_int(b, n, "upper", 0);
}

static void
pad_cuts(void)
{
    static const int64_t widths[] = {-1, 2, 1, -2};

    model(18, "Pad", "x p v", FLOAT, "3x4", FLOAT);
    numbers("p", "4", 4, widths);
    reals("v", "", 1, bscale + 1);
}

static void
pad_wraps(void)
{
    static const int64_t widths[] = {1, 1, 2, -1};
    Onnx__NodeProto *n = model(19, "Pad", "x p", FLOAT, "3x3", FLOAT);

    numbers("p", "4", 4, widths);
    string(n, "mode", "wrap");
}

static void
cast_to_codes(void)
{
    Onnx__NodeProto *n = model(13, "Cast", "x", FLOAT, "12", INT8);

    ob_int(b, n, "to", INT8);
}

static void
quantize_blocks(void)
{
    static const float s[] = {0.5F, 0.1F, 0.02F, 1};
    static const uint8_t z[] = {3, 0, 255, 128};
    Onnx__NodeProto *n =
        model(21, "QuantizeLinear", "x s z", FLOAT, "2x3", UINT8);

    reals("s", "2x2", 4, s);
    ob_init(b, "z", UINT8, "2x2", z, 4);
    ob_int(b, n, "block_size", 2);
    ob_int(b, n, "axis", 1);
}

static void
dequantize_blocks(void)
{
    static const float s[] = {0.5F, 0.1F, 0.02F, 1, 2, 4};
    Onnx__NodeProto *n =
        model(21, "DequantizeLinear", "x s", UINT8, "4x3", FLOAT);

    reals("s", "2x3", 6, s);
    ob_int(b, n, "block_size", 2);
    ob_int(b, n, "axis", 0);
}

/* 4-bit weights with a scale for each block, as MatMul reads them. */
static void
weights_in_blocks(void)
{
    static const float s[] = {0.5F, 0.1F, 0.02F, 1};
    static const uint8_t w[] = {0x1f, 0x82, 0x7a, 0x05};
    Onnx__NodeProto *n = model(21, "MatMul", "x v", FLOAT, "3x4", FLOAT);

    n = ob_node(b, "DequantizeLinear", "w s", "v");
    b->node[1] = b->node[0];
    b->node[0] = n;
    ob_init(b, "w", INT4, "4x2", w, 4);
    reals("s", "2x2", 4, s);
    ob_int(b, n, "block_size", 2);
    ob_int(b, n, "axis", 0);
}

/* Codes of uint16 between reals, and a known tensor of them. */
static void
codes_of_uint16(void)
{
    static const float s[] = {0.001F}, t[] = {0.002F};
    static const uint16_t z[] = {40000}, w[] = {0, 1000, 65535, 32768},
                          v[] = {30000};

    model(21, "QuantizeLinear", "x s z", FLOAT, "3x4", FLOAT);
    b->node[0]->output[0] = own(a, "q");
    ob_node(b, "Reshape", "q d", "r");
    ob_node(b, "DequantizeLinear", "r s z", "f");
    ob_node(b, "DequantizeLinear", "w t v", "g");
    ob_node(b, "Add", "f g", "y");
    numbers("d", "2", 2, (int64_t[]){3, 4});
    reals("s", "", 1, s);
    reals("t", "", 1, t);
    ob_init(b, "z", 4, "", z, 2);
    ob_init(b, "v", 4, "", v, 2);
    ob_init(b, "w", 4, "4", w, 8);
}

/* ---- operators that take codes for the numbers they are ---- */

/* The node reads codes q (and p) that have a scale and an odd zero point. */
static Onnx__NodeProto *
on_codes(const char *op, const char *in, int type)
{
    static const float s[] = {0.02F}, t[] = {0.05F};

    model(14, "QuantizeLinear", "x s z", FLOAT, "3x4", type);
    b->node[0]->output[0] = own(a, "q");
    ob_node(b, "QuantizeLinear", "x t w", "p");
    reals("s", "", 1, s);
    reals("t", "", 1, t);
    code("z", type, 37);
    code("w", type, 91);
    return ob_node(b, op, in, "y");
}

static void
relu_of_codes(void)
{
    on_codes("Relu", "q", INT8);
}

static void
abs_of_codes(void)
{
    on_codes("Abs", "q", INT8);
}

static void
sign_of_codes(void)
{
    on_codes("Sign", "q", UINT8);
}

static void
concat_of_codes(void)
{
    ob_int(b, on_codes("Concat", "p q p", UINT8), "axis", 1);
}

static void
pad_of_codes(void)
{
    on_codes("Pad", "q d", UINT8);
    numbers("d", "4", 4, (int64_t[]){1, 0, 0, 1});
}

static void
pad_codes_with(void)
{
    on_codes("Pad", "q d v", UINT8);
    code("v", UINT8, 200);
    numbers("d", "4", 4, (int64_t[]){1, 0, 0, 1});
}

static void
pad_integers(void)
{
    model(13, "Pad", "x d v", INT64, "2x2", INT64);
    numbers("v", "", 1, (int64_t[]){-7});
    numbers("d", "4", 4, (int64_t[]){1, 0, 0, 1});
}

static void
max_of_codes(void)
{
    on_codes("ReduceMax", "q", UINT8);
}

/* ---- products and remainders ---- */

static void
reduce_prod(void)
{
    Onnx__NodeProto *n = model(13, "ReduceProd", "x", FLOAT, "3x5x2", FLOAT);

    ob_list(b, n, "axes", 2, (int64_t[]){-2, 0});
    ob_int(b, n, "keepdims", 0);
}

static void
reduce_prod_int(void)
{
    model(18, "ReduceProd", "x d", INT64, "2x7", INT64);
    numbers("d", "1", 1, (int64_t[]){1});
}

static void
mod_floor(void)
{
    model(13, "Mod", "x d", INT64, "2x6", INT64);
    numbers("d", "6", 6, (int64_t[]){3, -3, 7, -7, 1, 5});
}

static void
mod_as_c(void)
{
    Onnx__NodeProto *n = model(13, "Mod", "x d", INT64, "2x6", INT64);

    numbers("d", "6", 6, (int64_t[]){3, -3, 7, -7, 1, 5});
    ob_int(b, n, "fmod", 1);
}

static void
mod_bytes(void)
{
    model(13, "Mod", "x d", INT8, "2x6", INT8);
    code("d", INT8, -7);
}

/* ---- recurrences ---- */

/* Weights of the pattern over 64; two directions, hidden size 3, unless they
 * are forward or reverse. */
static Onnx__NodeProto *
recurrent(const char *op, const char *in, const char *dir, int gates)
{
    int ndir = dir[0] == 'b' ? 2 : 1, rows = 3 * gates;
    Onnx__NodeProto *n = model(14, op, in, FLOAT, "4x2x2", FLOAT);
    const struct {
        const char *name, *dims;
    } part[] = {
        {"w", sn_format(a, "%dx%dx2", ndir, rows)},
        {"r", sn_format(a, "%dx%dx3", ndir, rows)},
        {"b", sn_format(a, "%dx%d", ndir, 2 * rows)},
        {"h", sn_format(a, "%dx2x3", ndir)},
        {"c", sn_format(a, "%dx2x3", ndir)},
        {"p", sn_format(a, "%dx9", ndir)},
    };

    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        codes(part[i].name, FLOAT, part[i].dims);
        Onnx__TensorProto *t = b->init[b->graph.n_initializer - 1];
        float *v = (float *)(void *)t->raw_data.data;
        for (size_t k = 0; k < t->raw_data.len / sizeof *v; k++)
            v[k] = v[k] / 8 + (float)i / 16;
    }
    string(n, "direction", dir);
    ob_int(b, n, "hidden_size", 3);
    return n;
}

static void
words(Onnx__NodeProto *n, const char *name, const char *list)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 8);
    char **v;

    t->n_strings = names(a, list, &v);
    t->strings = SN_NEW_N(a, ProtobufCBinaryData, t->n_strings);
    for (size_t i = 0; i < t->n_strings; i++) {
        t->strings[i].len = strlen(v[i]);
        t->strings[i].data = (uint8_t *)(void *)v[i];
    }
}

static void
lengths(void)
{
    static const int32_t len[] = {4, 2};

    ob_init(b, "l", INT32, "2", len, sizeof len);
}

static void
lstm_peepholes(void)
{
    Onnx__NodeProto *n = recurrent("LSTM", "x w r b _ h c p", "forward", 4);

    words(n, "activations", "Sigmoid Tanh Relu");
}

static void
lstm_coupled_backwards(void)
{
    set_int(recurrent("LSTM", "x w r b _ h c p", "reverse", 4), "input_forget",
            1);
}

static void
lstm_clip(void)
{
    set_real(recurrent("LSTM", "x w r b", "bidirectional", 4), "clip", 0.15F);
}

static void
lstm_lengths(void)
{
    recurrent("LSTM", "x w r b l h c", "bidirectional", 4);
    lengths();
}

/* The cell after the last step. */
static void
lstm_lengths_cell(void)
{
    Onnx__NodeProto *n = recurrent("LSTM", "x w r b l h c", "reverse", 4);

    n->n_output = names(a, "q h1 y", &n->output);
    lengths();
}

static void
gru_linear(void)
{
    set_int(recurrent("GRU", "x w r b _ h", "bidirectional", 3),
            "linear_before_reset", 1);
}

static void
gru_clip(void)
{
    set_real(recurrent("GRU", "x w r b _ h", "reverse", 3), "clip", 0.1F);
}

static void
gru_lengths_state(void)
{
    Onnx__NodeProto *n = recurrent("GRU", "x w r b l h", "bidirectional", 3);

    n->n_output = names(a, "q y", &n->output);
    lengths();
}

static void
rnn_relu(void)
{
    words(recurrent("RNN", "x w r b _ h", "bidirectional", 1), "activations",
          "Relu Tanh");
}

static const Case cases[] = {
#include "unit/onnx_values.inc"
};

int
main(int argc, char **argv)
{
    return run_cases("onnx_values", cases, sizeof cases / sizeof cases[0], argc,
                     argv);
}
