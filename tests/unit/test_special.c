// SPDX-License-Identifier: Apache-2.0
/* NaN and bounds that are crossed: the table of numerics.md, by evaluators and
 * by the kernels of the CPU backend on every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "kernel/isa.h"
#include "run/exec.h"
#include "unit/parse.h"

/* Whole registers and a rest, of every width. */
enum { N = 53 };

/* ---- runs ---- */

/* slow: nodes that the backend has no kernel for. */
static SnRun *
prepared(const char *body, const SnBackendDesc *b, uint32_t slow)
{
    const SnExec *x;
    SnBuf t;

    sn_buf_init(&t, a);
    sn_puts(&t, "sinter-graph 1\ngraph \"t\" {\n");
    sn_puts(&t, body);
    sn_puts(&t, "}\n");
    if (sn_exec_prepare_fast(a, parse(sn_buf_str(&t)), b, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    if (b)
        assert_int_equal(x->nfallback, slow);
    return sn_run_new(a, x);
}

static void
put(SnRun *r, uint32_t i, const float *x)
{
    memcpy(sn_run_input(r, i), x,
           sn_tensor_nbyte(r->x->input[i].type, r->x->input[i].shape));
}

static bool
same(float x, float y)
{
    return x == y ? !signbit(x) == !signbit(y) : isnan(x) && isnan(y);
}

/* Output k has n reals, or indices. */
static void
want(const SnRun *r, uint32_t k, const float *y, int n)
{
    const SnPort *p = &r->x->output[k];
    const char *on = r->x->backend ? sn_isa_name(sn_isa()) : "evaluators";

    assert_int_equal(sn_shape_count(p->shape), n);
    for (int i = 0; i < n; i++) {
        float v = p->type->elem == SN_I64
                      ? (float)((const int64_t *)sn_run_output(r, k))[i]
                  : p->type->elem == SN_QI8
                      ? ((const int8_t *)sn_run_output(r, k))[i]
                      : ((const float *)sn_run_output(r, k))[i];
        if (!same(v, y[i]))
            fail_msg("%s, %s: element %d is %g, expected %g", p->name, on, i,
                     (double)v, (double)y[i]);
    }
}

/* Calls one(ctx, backend) for the evaluators and for each instruction set. */
static void
everywhere(void (*one)(const void *ctx, const SnBackendDesc *b),
           const void *ctx)
{
    SnIsa best = sn_isa();

    one(ctx, NULL);
    for (SnIsa isa = 0; isa < SN_NISA; isa++)
        if (sn_isa_set(isa))
            one(ctx, sn_backend_named("CPU"));
    sn_isa_set(best);
}

/* ---- element by element ---- */

enum { NVALUE = 8 };
static const float value[NVALUE] = {NAN,   1,        -1,        0,
                                    -0.0f, INFINITY, -INFINITY, 2.5f};

typedef struct Unary {
    uint32_t slow; /* see prepared() */
    const char *node;
    float y[NVALUE]; /* of value[] */
} Unary;

static const Unary unary[] = {
    {1, "Sign(%x)", {NAN, 1, -1, 0, 0, 1, -1, 1}},
    {0, "Relu(%x)", {NAN, 1, 0, 0, -0.0f, INFINITY, 0, 2.5f}},
    {0, "Clip(%x) {low = -2, high = 2}", {NAN, 1, -1, 0, -0.0f, 2, -2, 2}},
    {0, "Clip(%x) {low = 3, high = 1}", {NAN, 1, 1, 1, 1, 1, 1, 1}},
    {0, "Clip(%x) {low = 3, high = -1}", {NAN, -1, -1, -1, -1, -1, -1, -1}},
    {0, "Add(%x, %x) {clamp = [-3, 3]}", {NAN, 2, -2, 0, -0.0f, 3, -3, 3}},
    {0, "Mul(%x, %x) {clamp = [2, 4]}", {NAN, 2, 2, 2, 2, 4, 4, 4}},
    {0, "Max(%x, %x)", {NAN, 1, -1, 0, -0.0f, INFINITY, -INFINITY, 2.5f}},
    {0,
     "CPUMaxSplat(%x) {value = 0}",
     {NAN, 1, 0, 0, -0.0f, INFINITY, 0, 2.5f}},
    {0, "HardSigmoid(%x) {alpha = 1, beta = 0}", {NAN, 1, 0, 0, 0, 1, 0, 1}},
    {0,
     "HardSwish(%x)",
     {NAN, 1.0f / 6 + 0.5f, -(-1.0f / 6 + 0.5f), 0, -0.0f, INFINITY, NAN,
      2.5f * (2.5f / 6 + 0.5f)}},
    {0,
     "LeakyRelu(%x) {alpha = 0.5}",
     {NAN, 1, -0.5f, 0, -0.0f, INFINITY, -INFINITY, 2.5f}},
    {1,
     "ThresholdedRelu(%x) {alpha = 1.5}",
     {0, 0, 0, 0, 0, INFINITY, 0, 2.5f}},
};

static void
one_unary(const void *ctx, const SnBackendDesc *b)
{
    const Unary *k = ctx;
    float x[N], y[N];
    SnBuf t;

    sn_buf_init(&t, a);
    sn_putf(&t,
            "  %%x = Placeholder() : f32[%d]\n  %%y = %s : f32[%d]\n"
            "  Save(%%y) {name = \"y\"}\n",
            N, k->node, N);
    for (int i = 0; i < N; i++) {
        x[i] = value[i % NVALUE];
        y[i] = k->y[i % NVALUE];
    }
    SnRun *r = prepared(sn_buf_str(&t), b, k->slow);
    put(r, 0, x);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, y, N);
    sn_run_free(r);
}

static void
elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        everywhere(one_unary, &unary[i]);
}

/* NaN in either operand, against everything. */
static void
one_pair(const void *ctx, const SnBackendDesc *b)
{
    const bool *max = ctx;
    float x[NVALUE * NVALUE], z[NVALUE * NVALUE], y[NVALUE * NVALUE];
    SnBuf t;

    sn_buf_init(&t, a);
    sn_putf(&t,
            "  %%x = Placeholder() : f32[64]\n"
            "  %%z = Placeholder() : f32[64]\n"
            "  %%y = %s(%%x, %%z) : f32[64]\n"
            "  Save(%%y) {name = \"y\"}\n",
            *max ? "Max" : "Min");
    for (int i = 0; i < NVALUE * NVALUE; i++) {
        float p = x[i] = value[i / NVALUE], q = z[i] = value[i % NVALUE];
        bool second = *max ? q > p : q < p; /* of equal ones the first */
        y[i] = isnan(p) || isnan(q) ? NAN : second ? q : p;
    }
    SnRun *r = prepared(sn_buf_str(&t), b, 0);
    put(r, 0, x);
    put(r, 1, z);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, y, NVALUE * NVALUE);
    sn_run_free(r);
}

static void
pairs(void **state)
{
    static const bool max[] = {false, true};

    (void)state;
    everywhere(one_pair, &max[0]);
    everywhere(one_pair, &max[1]);
}

/* ---- windows ---- */

/* A row, or a window: NaN at one place, or nowhere (4). */
static void
row_with(int at, float w[4])
{
    static const float v[] = {5, 4, 3, 6};

    memcpy(w, v, sizeof v);
    if (at < 4)
        w[at] = NAN;
}

static const float arg_max[] = {0, 3, 3, 0, 3}, arg_min[] = {0, 2, 1, 2, 2};

static void
one_rows(const void *ctx, const SnBackendDesc *b)
{
    static const char body[] =
        "  %x = Placeholder() : f32[5,4]\n"
        "  %y0 = ReduceMax(%x) {axes = [1]} : f32[5,1]\n"
        "  %y1 = ReduceMin(%x) {axes = [1]} : f32[5,1]\n"
        "  %y2 = ArgMax(%x) {axes = [1]} : i64[5,1]\n"
        "  %y3 = ArgMin(%x) {axes = [1]} : i64[5,1]\n"
        "  %y4, %y5 = TopK(%x) {k = 4} : (f32[5,4], i64[5,4])\n"
        "  %y6, %y7 = TopK(%x) {k = 2, largest = false} : "
        "(f32[5,2], i64[5,2])\n"
        "  Save(%y0) {name = \"0\"}\n  Save(%y1) {name = \"1\"}\n"
        "  Save(%y2) {name = \"2\"}\n  Save(%y3) {name = \"3\"}\n"
        "  Save(%y4) {name = \"4\"}\n  Save(%y5) {name = \"5\"}\n"
        "  Save(%y6) {name = \"6\"}\n  Save(%y7) {name = \"7\"}\n";
    static const float most[] = {NAN, NAN, NAN, NAN, 6};
    static const float least[] = {NAN, NAN, NAN, NAN, 3};
    static const float top[] = {NAN, 6, 4,   3, NAN, 6, 5, 3, NAN, 6,
                                5,   4, NAN, 5, 4,   3, 6, 5, 4,   3};
    static const float topi[] = {0, 3, 1, 2, 1, 3, 0, 2, 2, 3,
                                 0, 1, 3, 0, 1, 2, 3, 0, 1, 2};
    static const float low[] = {3, 4, 3, 5, 4, 5, 3, 4, 3, 4};
    static const float lowi[] = {2, 1, 2, 0, 1, 0, 2, 1, 2, 1};
    float x[20];

    (void)ctx;
    for (int i = 0; i < 5; i++)
        row_with(i, x + 4 * i);
    SnRun *r = prepared(body, b, 6);
    put(r, 0, x);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, most, 5);
    want(r, 1, least, 5);
    want(r, 2, arg_max, 5);
    want(r, 3, arg_min, 5);
    want(r, 4, top, 20);
    want(r, 5, topi, 20);
    want(r, 6, low, 10);
    want(r, 7, lowi, 10);
    sn_run_free(r);
}

/* MaxPool with and without indices; channel c has NaN at place c % 5. */
static void
one_pool(const void *ctx, const SnBackendDesc *b)
{
    static const char body[] =
        "  %x = Placeholder() : f32[1,2,2,53]\n"
        "  %p = MaxPool(%x) {kernel = [2,2]} : f32[1,1,1,53]\n"
        "  Save(%p) {name = \"max\"}\n"
        "  %v = AvgPool(%x) {kernel = [2,2], clamp = [-1, 4]} : "
        "f32[1,1,1,53]\n"
        "  Save(%v) {name = \"avg\"}\n";
    static const char indexed[] = "  %x = Placeholder() : f32[1,2,2,53]\n"
                                  "  %p, %i = MaxPool(%x) {kernel = [2,2]} : "
                                  "(f32[1,1,1,53], i64[1,1,1,53])\n"
                                  "  Save(%p) {name = \"max\"}\n"
                                  "  Save(%i) {name = \"index\"}\n";
    const bool *index = ctx;
    float x[4 * N], y[N], z[N], w[4];

    for (int c = 0; c < N; c++) {
        row_with(c % 5, w);
        for (int i = 0; i < 4; i++)
            x[i * N + c] = w[i];
        y[c] = c % 5 < 4 ? NAN : 6;
        z[c] = *index ? arg_max[c % 5] * N + (float)c : c % 5 < 4 ? NAN : 4;
    }
    SnRun *r = prepared(*index ? indexed : body, b, *index);
    put(r, 0, x);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, y, N);
    want(r, 1, z, N);
    sn_run_free(r);
}

/* The extreme of a whole tensor, with NaN at each place in turn. */
static void
one_extreme(const void *ctx, const SnBackendDesc *b)
{
    static const char body[] = "  %x = Placeholder() : f32[53]\n"
                               "  %y0 = ReduceMax(%x) {axes = []} : f32[1]\n"
                               "  %y1 = ReduceMin(%x) {axes = []} : f32[1]\n"
                               "  Save(%y0) {name = \"max\"}\n"
                               "  Save(%y1) {name = \"min\"}\n";
    SnRun *r = prepared(body, b, 0);
    float x[N], nan[] = {NAN};

    (void)ctx;
    for (int at = 0; at < N; at++) {
        for (int i = 0; i < N; i++)
            x[i] = i == at ? NAN : (float)(i * 7 % N);
        put(r, 0, x);
        assert_int_equal(sn_run(r), SN_OK);
        want(r, 0, nan, 1);
        want(r, 1, nan, 1);
    }
    sn_run_free(r);
}

static void
windows(void **state)
{
    static const bool index[] = {false, true};

    (void)state;
    everywhere(one_rows, NULL);
    everywhere(one_pool, &index[0]);
    everywhere(one_pool, &index[1]);
    everywhere(one_extreme, NULL);
}

/* ---- sums of products, codes ---- */

/* NaN goes through a convolution's and a product's clamp. */
static void
one_sum(const void *ctx, const SnBackendDesc *b)
{
    static const char body[] =
        "  %x = Placeholder() : f32[1,53,1,1]\n"
        "  %w = Constant() {splat = 1} : f32[17,1,1,1]\n"
        "  %v = Constant() {splat = 1} : f32[1,17]\n"
        "  %c = Conv2D(%x, %w, _) {kernel = [1,1], clamp = [-2, 2]} : "
        "f32[1,53,1,17]\n"
        "  %m = MatMul(%x, %v) {clamp = [-2, 2]} : f32[1,53,1,17]\n"
        "  Save(%c) {name = \"conv\"}\n"
        "  Save(%m) {name = \"product\"}\n";
    static const float clipped[NVALUE] = {NAN, 1, -1, 0, 0, 2, -2, 2};
    float x[N], y[17 * N];

    (void)ctx;
    for (int i = 0; i < N; i++) {
        x[i] = value[i % NVALUE];
        for (int c = 0; c < 17; c++)
            y[17 * i + c] = clipped[i % NVALUE];
    }
    SnRun *r = prepared(body, b, 0);
    put(r, 0, x);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, y, 17 * N);
    want(r, 1, y, 17 * N);
    sn_run_free(r);
}

/* NaN is the lowest code of the clamp; crossed bounds are codes as well. */
static void
one_code(const void *ctx, const SnBackendDesc *b)
{
    static const char body[] =
        "  %x = Placeholder() : f32[53]\n"
        "  %q = Quantize(%x) {clamp = [-20, 90]} : qi8<0.5, 3>[53]\n"
        "  %s = Clip(%q) {low = 3, high = 1} : qi8<0.5, 3>[53]\n"
        "  %o = Clip(%q) {low = 3, high = -1} : qi8<0.25, -7>[53]\n"
        "  Save(%q) {name = \"codes\"}\n"
        "  Save(%s) {name = \"same type\"}\n"
        "  Save(%o) {name = \"other type\"}\n";
    static const float codes[NVALUE] = {-20, 5, 1, 3, 3, 90, -20, 8};
    float x[N], q[N], s[N], o[N];

    (void)ctx;
    for (int i = 0; i < N; i++) {
        x[i] = value[i % NVALUE];
        q[i] = codes[i % NVALUE];
        s[i] = 5;
        o[i] = -11;
    }
    SnRun *r = prepared(body, b, 0);
    put(r, 0, x);
    assert_int_equal(sn_run(r), SN_OK);
    want(r, 0, q, N);
    want(r, 1, s, N);
    want(r, 2, o, N);
    sn_run_free(r);
}

/* Integers that are no codes do not saturate: no clamp is left without effect.
 */
static void
integers(void **state)
{
    static const char *const type[] = {"i32", "i64"};

    (void)state;
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        const char *t = type[i];
        const char *text =
            sn_format(a,
                      "sinter-graph 1\ngraph \"t\" {\n"
                      "  %%x = Placeholder() : %s[4]\n"
                      "  %%y = Add(%%x, %%x) {clamp = [_, 3]} : %s[4]\n"
                      "  Save(%%y) {name = \"out\"}\n}\n",
                      t, t);
        SnSrc src = {"t.sn", text, strlen(text), 0};
        SnGraph *g;
        SnDiag *e = sn_diag_new(a);
        assert_int_equal(sn_parse(a, &src, NULL, e, &g), SN_EINPUT);
        const char *why = sn_format(a,
                                    "y (Add): attribute 'clamp' has a bound, "
                                    "but %s does not saturate: expected none",
                                    t);
        if (!strstr(sn_diag_text(e, a), why))
            fail_msg("%s", sn_diag_text(e, a));
    }
}

static void
sums(void **state)
{
    (void)state;
    everywhere(one_sum, NULL);
}

static void
codes(void **state)
{
    (void)state;
    everywhere(one_code, NULL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {T(elements), T(pairs), T(windows),
                                       T(sums),     T(codes), T(integers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
