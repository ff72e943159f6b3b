// SPDX-License-Identifier: Apache-2.0
/* QDQ models whose biases are not stated on the grid x.scale * w.scale: what
 * the import computes, what the quantized node computes, and what each form
 * computes that is exported and imported again, are the same numbers.
 *
 * With --dump DIR the models are written instead, for ONNX Runtime
 * (tools/oracle/compare.js). */
#include <inttypes.h>
#include "base/file/file.h"
#include "graph/desc.h"
#include "onnx/export/export.h"
#include "quant/island.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, INT8 = 3, INT32 = 6 };

/* ---- models ---- */

static void
reals(const char *name, int n, const float *v)
{
    ob_init(b, name, FLOAT, n > 1 ? sn_format(a, "%d", n) : "", v,
            (size_t)n * sizeof *v);
}

static void
zero(const char *name, int v)
{
    int8_t c = (int8_t)v;

    ob_init(b, name, INT8, "", &c, 1);
}

static void
weights(const char *name, const char *dims, int n)
{
    int8_t *w = sn_alloc(a, (size_t)n);

    for (int i = 0; i < n; i++)
        w[i] = (int8_t)((i * 71 + 13) % 251 - 125);
    ob_init(b, name, INT8, dims, w, (size_t)n);
}

static const float ones[4] = {0.01F, 0.01F, 0.01F, 0.01F};

/* f32 x by way of codes of scale s, to y.d. */
static void
start(const char *dims, float s)
{
    b = ob_new(a, 13);
    ob_input(b, "x", dims);
    reals("s", 1, &s);
    reals("t", 1, &(float){0.0537F});
    zero("z", 5);
    zero("u", -30);
    ob_node(b, "QuantizeLinear", "x s z", "x.q");
    ob_node(b, "DequantizeLinear", "x.q s z", "x.d");
}

static void
end(const char *from, const char *to)
{
    ob_node(b, "QuantizeLinear", sn_format(a, "%s t u", from),
            sn_format(a, "%s.q", to));
    ob_node(b, "DequantizeLinear", sn_format(a, "%s.q t u", to), to);
    ob_output(b, to, NULL);
}

/* An int32 bias of 4 with these scales (1 or 4). */
static void
bias(const char *name, int ns, const float *scale, const int32_t *v)
{
    Onnx__NodeProto *n;

    ob_init(b, name, INT32, "4", v, 4 * sizeof *v);
    reals(sn_format(a, "%s.s", name), ns, scale);
    n = ob_node(b, "DequantizeLinear", sn_format(a, "%s %s.s", name, name),
                sn_format(a, "%s.d", name));
    if (ns > 1)
        ob_int(b, n, "axis", 0);
}

static void
filter(int ns)
{
    Onnx__NodeProto *n;

    weights("w", "4x3x1x1", 12);
    reals("w.s", ns, ones);
    n = ob_node(b, "DequantizeLinear", "w w.s", "w.d");
    if (ns > 1)
        ob_int(b, n, "axis", 0);
}

static const int32_t codes[4] = {900, -700, 330, 50};

/* A convolution: biases of nb scales s0 times x.scale * w.scale, the last
 * one s3 times; nw scales of weights. */
static void
conv(int nb, int nw, float s0, float s3)
{
    float s[4];

    for (int i = 0; i < 4; i++)
        s[i] = 0.05F * 0.01F * (i == 3 ? s3 : s0);
    start("1x3x4x4", 0.05F);
    filter(nw);
    bias("b", nb, s, codes);
    ob_node(b, "Conv", "x.d w.d b.d", "c");
    end("c", "y");
}

static void
conv_ulp(void)
{
    conv(4, 4, 1, 1 + 0x1p-23F);
}
static void
conv_1_5(void)
{
    conv(4, 4, 1.5F, 1.5F);
}
static void
conv_one(void)
{
    conv(4, 4, 1, 0.3F);
}
static void
conv_nine(void)
{
    conv(1, 4, 0.9F, 0.9F);
}
static void
conv_tensor(void)
{
    conv(4, 1, 0.9F, 1.7F);
}

/* One int32 bias for two convolutions of unlike inputs: two grids. */
static void
shared(void)
{
    static const float half = 0.021F;
    const float s = 0.05F * 0.01F;

    start("1x3x4x4", 0.05F);
    filter(1);
    bias("b", 1, &s, codes);
    reals("h", 1, &half);
    ob_node(b, "QuantizeLinear", "x h z", "h.q");
    ob_node(b, "DequantizeLinear", "h.q h z", "h.d");
    ob_node(b, "Conv", "x.d w.d b.d", "c");
    ob_node(b, "Conv", "h.d w.d b.d", "e");
    end("c", "y");
    end("e", "v");
}

/* A bias of 8 bits with a zero point. */
static void
narrow(void)
{
    static const int8_t v[4] = {100, -3, 7, -128};

    start("1x3x4x4", 0.05F);
    filter(4);
    ob_init(b, "b", INT8, "4", v, sizeof v);
    reals("b.s", 1, &(float){0.0123F});
    zero("b.z", 7);
    ob_node(b, "DequantizeLinear", "b b.s b.z", "b.d");
    ob_node(b, "Conv", "x.d w.d b.d", "c");
    end("c", "y");
}

static void
gemm(void)
{
    start("2x3", 0.05F);
    weights("w", "4x3", 12);
    reals("w.s", 1, ones);
    ob_node(b, "DequantizeLinear", "w w.s", "w.d");
    bias("b", 1, &(float){0.0007F}, codes);
    ob_int(b, ob_node(b, "Gemm", "x.d w.d b.d", "c"), "transB", 1);
    end("c", "y");
}

/* MatMul and Add: the bias of a FullyConnected. */
static void
matmul_add(void)
{
    start("2x3", 0.05F);
    weights("w", "3x4", 12);
    reals("w.s", 1, ones);
    ob_node(b, "DequantizeLinear", "w w.s", "w.d");
    bias("b", 1, &(float){0.0007F}, codes);
    ob_node(b, "MatMul", "x.d w.d", "m");
    ob_node(b, "Add", "m b.d", "c");
    end("c", "y");
}

static void
conv_transpose(void)
{
    int64_t two[] = {2, 2};
    Onnx__NodeProto *n;

    start("1x3x4x4", 0.05F);
    weights("w", "3x4x2x2", 48);
    reals("w.s", 1, ones);
    ob_node(b, "DequantizeLinear", "w w.s", "w.d");
    bias("b", 1, &(float){0.0007F}, codes);
    n = ob_node(b, "ConvTranspose", "x.d w.d b.d", "c");
    ob_list(b, n, "kernel_shape", 2, two);
    end("c", "y");
}

/* Codes that the grid has no 32 bits for, and a sum that leaves them. */
static void
beyond(float scale, int32_t v)
{
    const int32_t c[4] = {v, 1, 1, 1};

    start("1x3x4x4", 0.05F);
    filter(1);
    bias("b", 1, &scale, c);
    ob_node(b, "Conv", "x.d w.d b.d", "c");
    end("c", "y");
}

static void
too_large(void)
{
    beyond(0.01F, 200000000);
}
static void
sum_too_large(void)
{
    beyond(0.05F * 0.01F, 2147483000);
}

/* ---- all ways to compute one ---- */

enum { MOST = 1024 };

typedef struct Out {
    uint32_t n;
    int64_t count[2];
    float v[2][MOST];
} Out;

/* Inputs are steps of 0.37 between -6 and 6. */
static void
compute(const SnGraph *g, Out *o)
{
    const SnExec *x;
    SnRun *r;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    r = sn_run_new(a, x);
    for (int64_t i = 0; i < sn_shape_count(x->input[0].shape); i++)
        ((float *)sn_run_input(r, 0))[i] =
            (float)((i * 37 + 11) % 33 - 16) * 0.37F;
    assert_int_equal(sn_run(r), SN_OK);
    o->n = x->noutput;
    for (uint32_t k = 0; k < x->noutput; k++) {
        o->count[k] = sn_shape_count(x->output[k].shape);
        assert_true(o->count[k] <= MOST);
        memcpy(o->v[k], sn_run_output(r, k),
               (size_t)o->count[k] * sizeof(float));
    }
    sn_run_free(r);
}

static void
same(const Out *x, const Out *y, const char *how)
{
    assert_int_equal(x->n, y->n);
    for (uint32_t k = 0; k < x->n; k++) {
        assert_int_equal(x->count[k], y->count[k]);
        for (int64_t i = 0; i < x->count[k]; i++)
            if (x->v[k][i] != y->v[k][i])
                fail_msg("%s: output %u, element %" PRId64 ": %g, not %g", how,
                         k, i, (double)y->v[k][i], (double)x->v[k][i]);
    }
}

static SnGraph *
after(SnGraph *g, const char *passes)
{
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);

    if (sn_rewrite(rw, g, passes) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

static void
exported(const Out *want, SnOnnxForm form)
{
    SnOnnxExport e = {.form = form};
    SnGraph *g, *back = NULL;
    void *p;
    size_t n;
    Out y;

    assert_int_equal(import_as(NULL, &g), SN_OK);
    after(g, "simplify,fold,integerize");
    if (sn_onnx_pack(a, g, &e, "t.onnx", d, &p, &n) != SN_OK ||
        sn_onnx_parse(a, "t.onnx", NULL, p, n, NULL, d, &back) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    compute(after(back, "optimize"), &y);
    same(want, &y, form == SN_ONNX_QDQ ? "qdq" : "qoperator");
}

static uint32_t
biases(const SnGraph *g)
{
    uint32_t n = 0;

    for (SnId i = 1; i < g->nnode; i++)
        n += !sn_node(g, i)->dead && sn_node(g, i)->data != NULL &&
             sn_node(g, i)->res[0].type->elem == SN_QI32;
    return n;
}

typedef struct Case {
    const char *name;
    void (*build)(void);
    uint32_t nbias; /* quantized biases; 0: the node stays float */
    const char *says;
} Case;

static const Case cases[] = {
    {"conv_ulp", conv_ulp, 1, ""},
    {"conv_1_5", conv_1_5, 1,
     "note: c (Conv2D): its bias is stated on 1.5 times the grid "
     "x.scale * w.scale (channel 0; 4 of 4 channels differ): codes "
     "regridded\n"},
    {"conv_one", conv_one, 1,
     "note: c (Conv2D): its bias is stated on 0.3 times the grid "
     "x.scale * w.scale (channel 3; 1 of 4 channels differ): codes "
     "regridded\n"},
    {"conv_nine", conv_nine, 1, "0.9 times"},
    {"conv_tensor", conv_tensor, 1, "1.7 times"},
    {"shared", shared, 2, "note: e (Conv2D): its bias is stated on 2.38"},
    {"narrow", narrow, 1, "24.6 times"},
    {"gemm", gemm, 1, "1.4 times"},
    {"matmul_add", matmul_add, 0, ""}, /* the product is not quantized */
    {"conv_transpose", conv_transpose, 1, "1.4 times"},
    {"too_large", too_large, 0, ""},
    {"sum_too_large", sum_too_large, 0, ""},
};

static void
case_is_right(void **state)
{
    const Case *c = *state;
    Out want, y;
    SnGraph *g;

    c->build();
    if (import_as(NULL, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    compute(g, &want);
    after(g, "optimize");
    if (c->says[0] == 'n' && strchr(c->says, '\n') != NULL)
        assert_string_equal(sn_diag_text(d, a), c->says);
    else if (c->says[0] == '\0')
        assert_string_equal(sn_diag_text(d, a), "");
    else if (strstr(sn_diag_text(d, a), c->says) == NULL)
        fail_msg("says %s", sn_diag_text(d, a));
    compute(g, &y);
    same(&want, &y, "optimize");
    if (biases(g) != c->nbias)
        fail_msg("%u biases", biases(g));
    exported(&want, SN_ONNX_QDQ);
    exported(&want, SN_ONNX_QOPERATOR);
}

/* ---- why a node stays float ---- */

static void
reason(void (*build)(void), const char *want)
{
    SnIslands w;
    SnGraph *g;

    build();
    assert_int_equal(import_as(NULL, &g), SN_OK);
    assert_int_equal(
        sn_why_floats(a, g, &sn_rewrite_defaults, "optimize", NULL, d, &w),
        SN_OK);
    for (uint32_t i = 0; i < w.n; i++)
        if (strcmp(w.node[i].why, want) == 0)
            return;
    fail_msg("%u islands, the first: %s", w.n, w.n ? w.node[0].why : "");
}

static void
reasons_are_given(void **state)
{
    (void)state;
    reason(too_large, "its bias does not fit int32 on the "
                      "accumulator grid");
    reason(sum_too_large, "the accumulator of output channel 0 may "
                          "reach 2147507339 and does not fit int32");
}

/* A bias that is made at run time and is not on the grid. */
static void
made_bias_stays_float(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"g\" {\n"
        "  %x = Placeholder() : qi8<0.05, 5>[1,4,4,3]\n"
        "  %w = Constant() {data = [1,2,3]} : qi8<0.01, 0>[1,1,1,3]\n"
        "  %b = Placeholder() : qi32<0.0007, 0>[1]\n"
        "  %x.d = Dequantize(%x) : f32[1,4,4,3]\n"
        "  %w.d = Dequantize(%w) : f32[1,1,1,3]\n"
        "  %b.d = Dequantize(%b) : f32[1]\n"
        "  %c = Conv2D(%x.d, %w.d, %b.d) {kernel = [1,1]} : f32[1,4,4,1]\n"
        "  %y = Quantize(%c) : qi8<0.05, -30>[1,4,4,1]\n"
        "  Save(%y) {name = \"y\"}\n}\n";
    SnSrc src = {.name = "t.sn", .text = text, .nbyte = sizeof text - 1};
    SnIslands w;
    SnGraph *g;

    (void)state;
    if (sn_parse(a, &src, NULL, d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_int_equal(
        sn_why_floats(a, g, &sn_rewrite_defaults, "optimize", NULL, d, &w),
        SN_OK);
    assert_int_equal(w.n, 1);
    assert_string_equal(w.node[0].why, "its bias 'b' is not on the accumulator "
                                       "grid and not a Constant");
    after(g, "optimize");
}

/* As ONNX Runtime does. */
static void
zero_points_of_int32_are_refused(void **state)
{
    (void)state;
    conv(1, 1, 1, 1);
    ob_init(b, "b.z", INT32, "", &(int32_t){3}, 4);
    Onnx__NodeProto *n = b->node[3];
    assert_string_equal(n->input[0], "b");
    char *in[] = {n->input[0], n->input[1], own(a, "b.z")};
    n->input = sn_memdup(a, in, sizeof in);
    n->n_input = 3;
    refused(SN_EINPUT, "m.onnx: node 'b.d' (DequantizeLinear): scale "
                       "0.0005, zero point 3: the zero point of qi32 must be "
                       "0\n");
}

static int
dump(const char *dir)
{
    setup(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n;
        cases[i].build();
        uint8_t *p = ob_pack(b, &n);
        if (sn_file_write(d, sn_format(a, "%s/%s.onnx", dir, cases[i].name), p,
                          n) != SN_OK)
            return 5;
        free(p);
    }
    return teardown(NULL);
}

int
main(int argc, char **argv)
{
    enum { N = sizeof cases / sizeof cases[0] };
    static struct CMUnitTest tests[N];
    const struct CMUnitTest more[] = {
        cmocka_unit_test_setup_teardown(reasons_are_given, setup, teardown),
        cmocka_unit_test_setup_teardown(made_bias_stays_float, setup, teardown),
        cmocka_unit_test_setup_teardown(zero_points_of_int32_are_refused, setup,
                                        teardown),
    };

    if (argc == 3 && strcmp(argv[1], "--dump") == 0)
        return dump(argv[2]);
    for (size_t i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){.name = cases[i].name,
                                .test_func = case_is_right,
                                .setup_func = setup,
                                .teardown_func = teardown,
                                .initial_state = (void *)(uintptr_t)&cases[i]};
    int r = cmocka_run_group_tests_name("biases", tests, NULL, NULL);
    return cmocka_run_group_tests_name("floats", more, NULL, NULL) + r;
}
