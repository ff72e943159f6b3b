// SPDX-License-Identifier: Apache-2.0
/* Element types of inputs and outputs: what a file declares, its export
 * declares, with the same values.
 *
 * With --dump DIR the models are written instead, NAME.onnx and what they are
 * exported as, NAME.qdq.onnx, NAME.u8.onnx and NAME.qop.onnx, for ONNX Runtime
 * (tests/long/export_types.sh). */
#include <inttypes.h>
#include "base/file/file.h"
#include "graph/desc.h"
#include "onnx/export/export.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "unit/onnx_text.h"

enum {
    FLOAT = 1,
    UINT8,
    INT8,
    UINT16,
    INT16,
    INT32,
    INT64,
    STRING,
    BOOL,
    FLOAT16,
    DOUBLE,
    UINT32,
    UINT64,
    BFLOAT16 = 16,
    FLOAT8
};

/* ---- models ---- */

static void
one(const char *name, float v)
{
    ob_init(b, name, FLOAT, "", &v, sizeof v);
}

static void
code(const char *name, int elem, int v)
{
    uint8_t c = (uint8_t)v;

    ob_init(b, name, elem, "", &c, 1);
}

static void
cast(const char *in, int to, const char *out)
{
    ob_int(b, ob_node(b, "Cast", in, out), "to", to);
}

/* x of one type to y of another by Cast. */
static void
casts(int from, int to)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", from, "2x3");
    cast("x", to, "y");
    ob_output_of(b, "y", to, "2x3");
}

/* x and y of this type, through a move. */
static void
moves(int elem)
{
    static const int64_t dims[] = {3, 2};

    b = ob_new(a, 13);
    ob_input_of(b, "x", elem, "2x3");
    ob_ints(b, "dims", 2, dims);
    ob_node(b, "Reshape", "x dims", "y");
    ob_output_of(b, "y", elem, "3x2");
}

/* Inputs that are outputs, too. */
static void
passes(int elem)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", elem, "2x3");
    ob_node(b, "Identity", "x", "y");
    ob_output_of(b, "y", elem, "2x3");
}

#define OF(name, elem)            \
    static void move_##name(void) \
    {                             \
        moves(elem);              \
    }                             \
    static void pass_##name(void) \
    {                             \
        passes(elem);             \
    }
OF(f32, FLOAT)
OF(f16, FLOAT16)
OF(bf16, BFLOAT16)
OF(f64, DOUBLE)
OF(u8, UINT8)
OF(i8, INT8)
OF(i32, INT32)
OF(i64, INT64)
OF(bool, BOOL)
#define CAST(x, from, y, to)     \
    static void x##_to_##y(void) \
    {                            \
        casts(from, to);         \
    }
CAST(bool, BOOL, u8, UINT8)
CAST(bool, BOOL, i8, INT8)
CAST(f32, FLOAT, u8, UINT8)
CAST(u8, UINT8, f32, FLOAT)
CAST(u8, UINT8, i32, INT32)
CAST(i32, INT32, u8, UINT8)
CAST(u8, UINT8, i8, INT8)
CAST(i8, INT8, u8, UINT8)
CAST(u8, UINT8, bool, BOOL)
CAST(u8, UINT8, f16, FLOAT16)
CAST(f16, FLOAT16, f64, DOUBLE)
CAST(f64, DOUBLE, i64, INT64)
CAST(i8, INT8, f32, FLOAT)

/* A picture of uint8 that is scaled and convolved. */
static void
picture(void)
{
    static const int64_t k[] = {2, 2};

    b = ob_new(a, 13);
    ob_input_of(b, "x", UINT8, "1x3x4x4");
    cast("x", FLOAT, "f");
    one("k", 0.0625F);
    ob_node(b, "Mul", "f k", "n");
    ob_floats(b, "w", "2x3x2x2");
    ob_list(b, ob_node(b, "Conv", "n w", "c"), "kernel_shape", 2, k);
    ob_node(b, "Relu", "c", "y");
    ob_output(b, "y", "1x2x3x3");
}

/* The same in float16, all of it. */
static void
picture_f16(void)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", FLOAT16, "1x3x4x4");
    ob_node(b, "Relu", "x", "r");
    ob_node(b, "MaxPool", "r", "y");
    ob_list(b, b->node[1], "kernel_shape", 2, (const int64_t[]){2, 2});
    ob_output_of(b, "y", FLOAT16, "1x3x3x3");
}

/* uint8 codes: to a quantized Conv, moved, joined, and back. */
static void
codes(void)
{
    static const int8_t w[12] = {1, -2, 3, 4, 5, -6, 7, 8, 9, 10, -11, 12};

    b = ob_new(a, 13);
    ob_input_of(b, "x", UINT8, "1x3x4x4");
    one("s", 0.5F);
    code("z", UINT8, 130);
    one("ws", 0.25F);
    one("t", 2);
    code("u", UINT8, 7);
    ob_init(b, "w", INT8, "4x3x1x1", w, sizeof w);
    ob_node(b, "DequantizeLinear", "x s z", "d");
    ob_node(b, "DequantizeLinear", "w ws", "wd");
    ob_node(b, "Conv", "d wd", "c");
    ob_node(b, "QuantizeLinear", "c t u", "y");
    ob_output_of(b, "y", UINT8, "1x4x4x4");
}

static void
joins(void)
{
    b = ob_new(a, 14);
    ob_input_of(b, "x", UINT8, "2x3");
    ob_input_of(b, "v", UINT8, "2x3");
    ob_init(b, "k", UINT8, "2x1", "\310\5", 2);
    ob_int(b, ob_node(b, "Concat", "x v k", "c"), "axis", 1);
    ob_list(b, ob_node(b, "Transpose", "c", "y"), "perm", 2,
            (const int64_t[]){1, 0});
    ob_output_of(b, "y", UINT8, "7x2");
    ob_node(b, "Add", "x v", "s"); /* modulo 256 */
    ob_output_of(b, "s", UINT8, "2x3");
    ob_node(b, "Equal", "x v", "e");
    ob_output_of(b, "e", BOOL, "2x3");
}

static void
dynamic(void)
{
    b = ob_new(a, 13);
    ob_input(b, "x", "2x3");
    ob_node(b, "DynamicQuantizeLinear", "x", "y s z");
    ob_output_of(b, "y", UINT8, "2x3");
    ob_output(b, "s", "");
    ob_output_of(b, "z", UINT8, "");
}

static void
integer_conv(void)
{
    static const uint8_t w[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 250};

    b = ob_new(a, 13);
    ob_input_of(b, "x", UINT8, "1x3x4x4");
    ob_init(b, "w", UINT8, "4x3x1x1", w, sizeof w);
    code("z", UINT8, 200);
    code("u", UINT8, 3);
    ob_node(b, "ConvInteger", "x w z u", "y");
    ob_output_of(b, "y", INT32, "1x4x4x4");
}

typedef struct Case {
    const char *name;
    void (*build)(void);
} Case;

#define C(f)  \
    {         \
#f, f \
    }
static const Case cases[] = {
    C(move_f32),  C(move_f16),     C(move_bf16),   C(move_f64),   C(move_u8),
    C(move_i8),   C(move_i32),     C(move_i64),    C(move_bool),  C(pass_f32),
    C(pass_f16),  C(pass_bf16),    C(pass_f64),    C(pass_u8),    C(pass_i8),
    C(pass_i32),  C(pass_i64),     C(pass_bool),   C(bool_to_u8), C(bool_to_i8),
    C(f32_to_u8), C(u8_to_f32),    C(u8_to_i32),   C(i32_to_u8),  C(u8_to_i8),
    C(i8_to_u8),  C(u8_to_bool),   C(u8_to_f16),   C(f16_to_f64), C(f64_to_i64),
    C(i8_to_f32), C(picture),      C(picture_f16), C(codes),      C(joins),
    C(dynamic),   C(integer_conv),
};

/* ---- export ---- */

static const struct {
    const char *name;
    SnOnnxExport o;
} forms[] = {{"qdq", {.form = SN_ONNX_QDQ}},
             {"u8", {.form = SN_ONNX_QDQ, .u8 = true}},
             {"qop", {.form = SN_ONNX_QOPERATOR}}};
enum { NFORM = 3 };

static SnGraph *
imported(void)
{
    SnGraph *g;

    if (import_as(NULL, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

static void
packed(const SnOnnxExport *o, void **p, size_t *n)
{
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);
    SnGraph *g = imported();

    if (sn_rewrite(rw, g, "simplify,fold,integerize") != SN_OK ||
        sn_verify(g, d) != SN_OK ||
        sn_onnx_pack(a, g, o, "t", d, p, n) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
}

static void
same_types(size_t n, Onnx__ValueInfoProto *const *x,
           Onnx__ValueInfoProto *const *y)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(x[i]->name, y[i]->name);
        assert_int_equal(x[i]->type->tensor_type->elem_type,
                         y[i]->type->tensor_type->elem_type);
    }
}

typedef struct Out {
    size_t n;
    uint8_t v[4096];
} Out;

/* The bytes of all outputs, for inputs by a formula. */
static void
compute(const SnGraph *g, Out *o)
{
    const SnExec *x;
    SnRun *r;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    r = sn_run_new(a, x);
    for (uint32_t i = 0; i < x->ninput; i++) {
        const SnPort *p = &x->input[i];
        void *to = sn_run_input(r, i);
        for (int64_t k = 0; k < sn_shape_count(p->shape); k++) {
            int v = (int)((k * 37 + 11 + 5 * i) % 251) - 125;
            if (p->type->elem == SN_F32)
                ((float *)to)[k] = (float)v;
            else if (p->type->elem == SN_I32)
                ((int32_t *)to)[k] = v * 3;
            else if (p->type->elem == SN_I64)
                ((int64_t *)to)[k] = v;
            else if (p->type->elem == SN_BOOL)
                ((uint8_t *)to)[k] = v & 1;
            else
                ((int8_t *)to)[k] = (int8_t)v;
        }
    }
    assert_int_equal(sn_run(r), SN_OK);
    o->n = 0;
    for (uint32_t i = 0; i < x->noutput; i++) {
        size_t n = sn_tensor_nbyte(x->output[i].type, x->output[i].shape);
        assert_true(o->n + n <= sizeof o->v);
        memcpy(o->v + o->n, sn_run_output(r, i), n);
        o->n += n;
    }
    sn_run_free(r);
}

static void
types_stay(void **state)
{
    const Case *c = *state;
    Out want, got;
    void *p;
    size_t n;

    c->build();
    compute(imported(), &want);
    for (size_t i = 0; i < NFORM; i++) {
        SnGraph *back;
        packed(&forms[i].o, &p, &n);
        Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, n, p);
        assert_non_null(m);
        assert_int_equal(m->graph->n_input, b->graph.n_input);
        assert_int_equal(m->graph->n_output, b->graph.n_output);
        same_types(b->graph.n_input, b->in, m->graph->input);
        same_types(b->graph.n_output, b->out, m->graph->output);
        onnx__model_proto__free_unpacked(m, NULL);
        if (sn_onnx_parse(a, "t", NULL, p, n, NULL, d, &back) != SN_OK)
            fail_msg("%s", sn_diag_text(d, a));
        compute(back, &got);
        assert_int_equal(want.n, got.n);
        assert_memory_equal(want.v, got.v, want.n);
    }
}

/* ---- what is written of it ---- */

static const char *
operators(const SnOnnxExport *o)
{
    SnBuf s;
    void *p;
    size_t n;

    packed(o, &p, &n);
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, n, p);
    assert_non_null(m);
    sn_buf_init(&s, a);
    for (size_t i = 0; i < m->graph->n_node; i++)
        sn_putf(&s, "%s%s", i ? " " : "", m->graph->node[i]->op_type);
    onnx__model_proto__free_unpacked(m, NULL);
    return sn_buf_str(&s);
}

/* uint8 is cast and moved as such, not brought to int8 and back. */
static void
no_way_round_int8(void **state)
{
    static const struct {
        void (*build)(void);
        const char *want;
    } t[] = {
        {picture, "Cast Cast Mul Conv Relu"},
        {bool_to_u8, "Cast Cast"},
        {i32_to_u8, "Cast"},
        {u8_to_i32, "Cast"},
        {move_u8, "Reshape"},
        {pass_u8, "Identity"},
        {pass_f16, "Cast Cast"},
        {integer_conv, "ConvInteger"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        t[i].build();
        assert_string_equal(operators(&forms[0].o), t[i].want);
    }
}

/* In the graph they are f32; the type of the file is an attribute. */
static void
reals_have_a_boundary(void **state)
{
    (void)state;
    pass_f16();
    gives("  %x = Placeholder() {boundary = f16} : f32[2,3]\n"
          "  Save(%x) {name = \"y\", boundary = f16}\n");
    f16_to_f64();
    gives("  %x = Placeholder() {boundary = f16} : f32[2,3]\n"
          "  Save(%x) {name = \"y\", boundary = f64}\n");
}

/* ---- refused ---- */

static void
others_are_refused(void **state)
{
    static const struct {
        int elem;
        const char *name;
    } t[] = {{UINT16, "UINT16"}, {INT16, "INT16"},   {UINT32, "UINT32"},
             {UINT64, "UINT64"}, {STRING, "STRING"}, {FLOAT8, "FLOAT8E4M3FN"}};

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        passes(t[i].elem);
        refused(SN_EUNSUPPORTED,
                sn_format(a,
                          "m.onnx: input 'x': elements %s are not supported: "
                          "expected FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8, "
                          "UINT8, INT32, INT64 or BOOL\n",
                          t[i].name));
        casts(FLOAT, t[i].elem);
        refused(SN_EUNSUPPORTED,
                sn_format(a,
                          "m.onnx: node 'y' (Cast): from f32 to elements "
                          "%s; FLOAT, INT8, UINT8, INT32, INT64 and BOOL are "
                          "supported\n",
                          t[i].name));
    }
}

static void
quantized_16(int elem)
{
    b = ob_new(a, 21);
    ob_input(b, "x", "2x3");
    one("s", 0.5F);
    ob_init(b, "z", elem, "", "\1\0", 2);
    ob_node(b, "QuantizeLinear", "x s z", "y");
    ob_output_of(b, "y", elem, "2x3");
}

static void
codes_of_16_bits(void **state)
{
    SnOnnxExport o = {.opset = 17};
    SnGraph *g;
    void *p;
    size_t n;

    (void)state;
    quantized_16(INT16);
    o.opset = 21;
    assert_string_equal(operators(&o), "QuantizeLinear");
    o.opset = 17;
    g = imported();
    assert_int_equal(sn_onnx_pack(a, g, &o, "t", d, &p, &n), SN_EUNSUPPORTED);
    assert_string_equal(
        sn_diag_text(d, a),
        "t: node 'y' (Quantize): 16-bit codes require opset 21; the model is "
        "written at 17\n   help: give --opset 21\n");
    quantized_16(UINT16);
    refused(SN_EUNSUPPORTED, "m.onnx: output 'y': codes of uint16 are not "
                             "supported as an output\n");
}

/* ---- the program ---- */

static void
save(const char *dir, const char *name, const void *p, size_t n)
{
    if (sn_file_write(d, sn_format(a, "%s/%s.onnx", dir, name), p, n) != SN_OK)
        exit(5);
}

static int
dump(const char *dir)
{
    setup(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n;
        void *p;
        cases[i].build();
        p = ob_pack(b, &n);
        save(dir, cases[i].name, p, n);
        free(p);
        for (size_t k = 0; k < NFORM; k++) {
            packed(&forms[k].o, &p, &n);
            save(dir, sn_format(a, "%s.%s", cases[i].name, forms[k].name), p,
                 n);
        }
    }
    return teardown(NULL);
}

int
main(int argc, char **argv)
{
    enum { N = sizeof cases / sizeof cases[0] };
    static struct CMUnitTest tests[N];
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest more[] = {
        T(no_way_round_int8),
        T(reals_have_a_boundary),
        T(others_are_refused),
        T(codes_of_16_bits),
    };

    if (argc == 3 && strcmp(argv[1], "--dump") == 0)
        return dump(argv[2]);
    for (size_t i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){.name = cases[i].name,
                                .test_func = types_stay,
                                .setup_func = setup,
                                .teardown_func = teardown,
                                .initial_state = (void *)(uintptr_t)&cases[i]};
    int r = cmocka_run_group_tests_name("types", tests, NULL, NULL);
    return cmocka_run_group_tests_name("forms", more, NULL, NULL) + r;
}
