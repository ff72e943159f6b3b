/* Values of single operators against ONNX Runtime 1.30.0 (optimizations off):
 * the numbers below were printed by tools/oracle/values.js for the models that
 * `test_onnx_values --dump DIR` writes.  Inputs are filled by a formula that
 * both know: element i is p = (37 i + 11) mod 41 - 20, over 8 for reals, + 20
 * for uint8. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/onnx_build.h"
#include "unit/onnx_run.h"
#include "sn_kinds.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7, BOOL = 9,
       INT4 = 22 };

static SnArena *a;
static OnnxBuild *b;

typedef struct Case {
    const char *name;
    void (*build)(void);
    double tol; /* of the largest magnitude; 0: equal */
    uint32_t n;
    double want[48];
} Case;

/* ---- parts of models ---- */

static int
pattern(int64_t i)
{
    return (int)((37 * i + 11) % 41) - 20;
}

/* The elements of a value by the formula. */
static SnData
filled(int elem, int rank, const int64_t *dim)
{
    SnData t = {.rank = rank};
    int64_t n = sn_dims_count(rank, dim);
    const char *name;
    char *p;

    t.dtype = sn_onnx_dtype(elem, &name);
    memcpy(t.dim, dim, (size_t)rank * sizeof *dim);
    t.data = p = sn_alloc_n(a, (size_t)n, sn_dtype_size(t.dtype));
    for (int64_t i = 0; i < n; i++) {
        int v = pattern(i);
        if (elem == FLOAT)
            ((float *)(void *)p)[i] = (float)v / 8;
        else if (elem == INT32)
            ((int32_t *)(void *)p)[i] = v;
        else if (elem == INT64)
            ((int64_t *)(void *)p)[i] = v;
        else if (elem == BOOL)
            p[i] = (char)(v & 1);
        else
            p[i] = (char)(elem == UINT8 ? v + 20 : v);
    }
    return t;
}

static void
reals(const char *name, const char *dims, int n, const float *v)
{
    ob_init(b, name, FLOAT, dims, v, (size_t)n * sizeof *v);
}

static void
codes(const char *name, int elem, const char *dims)
{
    Onnx__TensorProto *t = ob_init(b, name, elem, dims, "", 0);
    SnData d = filled(elem, (int)t->n_dims, t->dims);

    t->raw_data.len = sn_data_nbyte(&d);
    t->raw_data.data = sn_memdup(a, d.data, t->raw_data.len);
}

static void
code(const char *name, int elem, int v)
{
    int8_t c = (int8_t)v;

    ob_init(b, name, elem, "", &c, 1);
}

/* x -> op -> y */
static Onnx__NodeProto *
model(int64_t opset, const char *op, const char *in, int elem,
      const char *xdims, int yelem)
{
    static Onnx__OperatorSetIdProto own, *both[2];
    const char *dot = strchr(op, ':');
    Onnx__NodeProto *n;

    b = ob_new(a, opset);
    ob_input_of(b, "x", elem, xdims);
    n = ob_node(b, dot != NULL ? dot + 1 : op, in, "y");
    ob_output_of(b, "y", yelem, NULL);
    if (dot == NULL)
        return n;
    n->domain = sn_strndup(a, op, (size_t)(dot - op));
    onnx__operator_set_id_proto__init(&own);
    own.domain = n->domain;
    own.has_version = 1;
    own.version = 1;
    both[0] = b->opsets[0];
    both[1] = &own;
    b->model.opset_import = both;
    b->model.n_opset_import = 2;
    return n;
}

static void
string(Onnx__NodeProto *n, const char *name, const char *s)
{
    ob_str(b, n, name, s);
}

static void
real_list(Onnx__NodeProto *n, const char *name, int count, const float *v)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 6);

    t->n_floats = (size_t)count;
    t->floats = sn_memdup(a, v, (size_t)count * sizeof *v);
}

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
    model(13, "com.microsoft:DynamicQuantizeMatMul", "x w bs bz", FLOAT,
          "2x4", FLOAT);
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
    Onnx__NodeProto *n = model(13, "com.microsoft:QGemm", "x as az w bs bz",
                               INT8, "4x2", FLOAT);

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
    Onnx__NodeProto *n = model(13, "com.microsoft:FusedConv", in, FLOAT,
                               "1x2x3x3", FLOAT);

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
numbers(const char *name, const char *dims, int n, const int64_t *v)
{
    ob_init(b, name, INT64, dims, v, (size_t)n * sizeof *v);
}

static void
gather_elements(void)
{
    static const int64_t i[] = {2, -3, 1, 0, -1, 1};
    Onnx__NodeProto *n = model(13, "GatherElements", "x i", FLOAT, "2x3x2",
                               FLOAT);

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
    Onnx__NodeProto *n = model(21, "QuantizeLinear", "x s z", FLOAT, "2x3",
                               UINT8);

    reals("s", "2x2", 4, s);
    ob_init(b, "z", UINT8, "2x2", z, 4);
    ob_int(b, n, "block_size", 2);
    ob_int(b, n, "axis", 1);
}

static void
dequantize_blocks(void)
{
    static const float s[] = {0.5F, 0.1F, 0.02F, 1, 2, 4};
    Onnx__NodeProto *n = model(21, "DequantizeLinear", "x s", UINT8, "4x3",
                               FLOAT);

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
    ob_int(b, recurrent("LSTM", "x w r b _ h c p", "reverse", 4),
           "input_forget", 1);
}

static void
lstm_clip(void)
{
    ob_real(b, recurrent("LSTM", "x w r b", "bidirectional", 4), "clip",
            0.15F);
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
    ob_int(b, recurrent("GRU", "x w r b _ h", "bidirectional", 3),
           "linear_before_reset", 1);
}

static void
gru_clip(void)
{
    ob_real(b, recurrent("GRU", "x w r b _ h", "reverse", 3), "clip", 0.1F);
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

/* ---- running ---- */

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

/* The wanted numbers in the shape and kind of element of output y. */
static SnData
wanted(const Case *c, SnGraph *g)
{
    SnData t = {.dtype = SN_D_F64, .data = c->want};
    uint32_t n;
    SnId *ids = sn_topo(g, a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *p = sn_node(g, ids[i]);
        if (p->kind != SN_K_SAVE)
            continue;
        const SnShape *s = sn_shape_of(g, p->in[0].ref);
        t.rank = s->rank;
        memcpy(t.dim, s->dim, (size_t)s->rank * sizeof *s->dim);
        if (sn_type(g, p->in[0].ref)->elem != SN_F32) {
            int64_t *v = sn_alloc_n(a, c->n, sizeof *v);
            for (uint32_t k = 0; k < c->n; k++)
                v[k] = (int64_t)c->want[k];
            t.dtype = SN_D_I64;
            t.data = v;
        }
    }
    return t;
}

static void
check(const Case *c)
{
    SnDiag *d = sn_diag_new(a);
    OrIo in = {.n = 1, .name = {"x"}}, want = {.n = 1, .name = {"y"}};
    OrResult r = {.close = false};
    SnGraph *g;
    size_t n;

    c->build();
    uint8_t *p = ob_pack(b, &n);
    SnStatus s = sn_onnx_parse(a, "m.onnx", NULL, p, n, NULL, d, &g);
    if (s == SN_OK) {
        const Onnx__TypeProto__Tensor *t = b->in[0]->type->tensor_type;
        int64_t dim[8];
        for (size_t i = 0; i < t->shape->n_dim; i++)
            dim[i] = t->shape->dim[i]->dim_value;
        in.data[0] = filled(t->elem_type, (int)t->shape->n_dim, dim);
        want.data[0] = wanted(c, g);
        s = or_run(a, g, &in, &want, d, &r);
    }
    if (s != SN_OK || !r.close || r.n != c->n || r.worst > c->tol)
        fail_msg("%s: status %d, worst %g, %lld of %lld: %s", c->name, (int)s,
                 r.worst, (long long)r.ndiff, (long long)r.n,
                 sn_diag_text(d, a));
    free(p);
}

static void
every_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

static int
dump(const char *dir)
{
    a = sn_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n;
        cases[i].build();
        uint8_t *p = ob_pack(b, &n);
        if (sn_file_write(sn_diag_new(a),
                          sn_format(a, "%s/%s.onnx", dir, cases[i].name), p,
                          n) != SN_OK)
            return 5;
        free(p);
    }
    sn_arena_free(a);
    return 0;
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case),
    };

    if (argc == 3 && strcmp(argv[1], "--dump") == 0)
        return dump(argv[2]);
    return cmocka_run_group_tests_name("onnx_values", tests, setup, teardown);
}
