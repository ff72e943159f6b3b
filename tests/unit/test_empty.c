// SPDX-License-Identifier: Apache-2.0
/* Sets and results without elements, by evaluators and by the kernels of the
 * CPU backend on every instruction set, whole and in parts, with memory of
 * their own and shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "kernel/eval/eval.h"
#include "kernel/isa.h"
#include "run/exec.h"
#include "unit/parse.h"

/* ---- graphs ---- */

/* A graph that holds the nodes of `body`, and one node beside them whose
 * operand and result must keep their values. */
typedef struct Graph {
    const char *name, *body;
    uint32_t nstep; /* that are called: the one beside, and what has results;
                       0: not said */
} Graph;

#define BESIDE                              \
    "  %beside = Placeholder() : f32[40]\n" \
    "  %kept = Neg(%beside) : f32[40]\n"    \
    "  Save(%kept) {name = \"kept\"}\n"

static const Graph graphs[] = {
    {"sum with a row",
     "  %e = Placeholder() : qi8<0.1, 0>[2,0,6,2]\n"
     "  %c = Constant() {data = [14, -126]} : qi8<0.2, 0>[2]\n"
     "  %y = Add(%e, %c) : qi8<0.3, 0>[2,0,6,2]\n",
     1},
    {"sum after rounding",
     "  %e = Placeholder() : qi8<0.1, 0>[0,70]\n"
     "  %c = Constant() {splat = 5} : qi8<0.2, 0>[70]\n"
     "  %y = Add(%e, %c) {round = after} : qi8<0.3, 1>[0,70]\n",
     1},
    {"difference by table",
     "  %e = Placeholder() : qi8<0.1, 0>[3,0]\n"
     "  %c = Placeholder() : qi8<0.2, 0>[3,0]\n"
     "  %y = Sub(%e, %c) : qi8<0.3, 0>[3,0]\n",
     1},
    {"product with a row",
     "  %e = Placeholder() : qi8<0.1, 0>[0,300]\n"
     "  %c = Placeholder() : qi8<0.2, 0>[300]\n"
     "  %m = Mul(%e, %c) : qi8<0.3, 0>[0,300]\n"
     "  %y = Relu(%m) : qi8<0.3, 0>[0,300]\n",
     1},
    {"reals, element by element",
     "  %e = Placeholder() : f32[0,9]\n"
     "  %c = Placeholder() : f32[9]\n"
     "  %b = BatchedAdd(%e, %c) : f32[0,9]\n"
     "  %s = Max(%b, %c) : f32[0,9]\n"
     "  %k = Clip(%s) {low = -1, high = 1} : f32[0,9]\n"
     "  %g = Sigmoid(%k) : f32[0,9]\n"
     "  %r = Erf(%g) : f32[0,9]\n"
     "  %y = Round(%r) : f32[0,9]\n",
     1},
    {"no columns of reals",
     "  %e = Placeholder() : f32[4,3]\n"
     "  %c = Constant() {data = []} : f32[3,0]\n"
     "  %y = MatMul(%e, %c) : f32[4,0]\n",
     1},
    {"no computed columns",
     "  %e = Placeholder() : f32[2,4,3]\n"
     "  %c = Placeholder() : f32[2,3,0]\n"
     "  %y = MatMul(%e, %c) : f32[2,4,0]\n",
     1},
    {"nothing to sum over",
     "  %e = Placeholder() : f32[4,0]\n"
     "  %c = Placeholder() : f32[0,5]\n"
     "  %y = MatMul(%e, %c) : f32[4,5]\n",
     2},
    {"no rows of codes",
     "  %e = Placeholder() : qi8<0.1, 0>[0,3]\n"
     "  %c = Constant() {splat = 3} : qi8<0.2, 0>[70,3]\n"
     "  %y = FullyConnected(%e, %c, _) : qi8<0.3, 0>[0,70]\n",
     1},
    {"no columns of codes",
     "  %e = Placeholder() : qi8<0.1, 0>[5,3]\n"
     "  %c = Constant() {data = []} : qi8<0.2, 0>[3,0]\n"
     "  %y = MatMul(%e, %c) : qi8<0.3, 0>[5,0]\n",
     1},
    {"no products of integers",
     "  %e = Placeholder() : i32[0,3]\n"
     "  %c = Constant() {splat = 3} : i32[3,20]\n"
     "  %y = IntegerMatMul(%e, %c) : i32[0,20]\n",
     1},
    {"no pictures",
     "  %e = Placeholder() : qi8<0.1, 0>[0,4,4,3]\n"
     "  %w = Constant() {splat = 2} : qi8<0.2, 0>[5,3,3,3]\n"
     "  %s = Placeholder() : qi8<0.1, 0>[0,2,2,5]\n"
     "  %v = Conv2D(%e, %w, _) {kernel = [3,3]} : "
     "qi8<0.3, 0>[0,2,2,5]\n"
     "  %t = CPUConvAdd(%e, %w, _, %s) {kernel = [3,3], mid = "
     "qi8<0.5, 1>} : qi8<0.3, 0>[0,2,2,5]\n"
     "  %y = Concat(%v, %t) {axis = 3} : qi8<0.3, 0>[0,2,2,10]\n",
     1},
    {"no filters",
     "  %e = Placeholder() : f32[1,4,4,3]\n"
     "  %w = Constant() {data = []} : f32[0,3,3,3]\n"
     "  %y = Conv2D(%e, %w, _) {kernel = [3,3]} : f32[1,2,2,0]\n",
     1},
    {"no channels to sum over",
     "  %e = Placeholder() : f32[1,4,4,0]\n"
     "  %w = Constant() {data = []} : f32[2,3,3,0]\n"
     "  %b = Constant() {data = [3, -4]} : f32[2]\n"
     "  %y = Conv2D(%e, %w, %b) {kernel = [3,3]} : f32[1,2,2,2]\n",
     2},
    {"codes without channels to sum over",
     "  %e = Placeholder() : qi8<0.1, 0>[1,4,4,0]\n"
     "  %w = Constant() {data = []} : qi8<0.1, 0>[2,3,3,0]\n"
     "  %b = Constant() {data = [300, -400]} : "
     "qi32<0.0100000007, 0>[2]\n"
     "  %y = Conv2D(%e, %w, %b) {kernel = [3,3]} : qi8<0.1, 0>[1,2,2,2]\n",
     2},
    {"a window without an element, and no channels",
     "  %e = Placeholder() : f32[1,2,2,0]\n"
     "  %m = MaxPool(%e) {kernel = [1,1], pads = [1,1,1,1]} : "
     "f32[1,4,4,0]\n"
     "  %v = AvgPool(%m) {kernel = [1,1], pads = [1,1,1,1]} : "
     "f32[1,6,6,0]\n"
     "  %y = LRN(%v) {size = 3} : f32[1,6,6,0]\n",
     1},
    {"codes in such a window",
     "  %e = Placeholder() : qi8<0.1, 3>[1,2,2,0]\n"
     "  %m = MaxPool(%e) {kernel = [1,1], pads = [1,1,1,1]} : "
     "qi8<0.1, 3>[1,4,4,0]\n"
     "  %v = AvgPool(%m) {kernel = [1,1], pads = [1,1,1,1]} : "
     "qi8<0.2, 3>[1,6,6,0]\n"
     "  %y = LRN(%v) {size = 3} : qi8<0.2, 3>[1,6,6,0]\n",
     1},
    {"rows of nothing",
     "  %e = Placeholder() : f32[5,0]\n"
     "  %s = Softmax(%e) : f32[5,0]\n"
     "  %n = Normalize(%s) : f32[5,0]\n"
     "  %y = LogSoftmax(%n) : f32[5,0]\n",
     1},
    {"softmax of no codes",
     "  %e = Placeholder() : qi8<0.1, 0>[5,0,3]\n"
     "  %y = Softmax(%e) {axis = 1} : qi8<0.00390625, -128>[5,0,3]\n",
     1},
    {"moves",
     "  %e = Placeholder() : f32[0,4,3]\n"
     "  %t = Transpose(%e) {perm = [2,0,1]} : f32[3,0,4]\n"
     "  %r = Reshape(%t) {dims = [4,0,7]} : f32[4,0,7]\n"
     "  %s = Slice(%r) {start = [1,0,2], size = [2,0,3], step = [1,1,1]} "
     ": f32[2,0,3]\n"
     "  %l = Tile(%s) {repeats = [2,5,1]} : f32[4,0,3]\n"
     "  %f = Flip(%l) {axes = [0]} : f32[4,0,3]\n"
     "  %y = Pad(%f) {pads = [0,1,0,0,2,0], value = 7} : f32[4,3,3]\n",
     2},
    {"conversions",
     "  %e = Placeholder() : f32[0]\n"
     "  %q = Quantize(%e) : qi8<0.1, 4>[0]\n"
     "  %r = Rescale(%q) : qi8<0.2, 4>[0]\n"
     "  %y = Dequantize(%r) : f32[0]\n",
     1},
    {"parts of a Concat",
     "  %e = Placeholder() : f32[2,0]\n"
     "  %a = Relu(%e) : f32[2,0]\n"
     "  %p = Placeholder() : f32[2,3]\n"
     "  %b = Neg(%p) : f32[2,3]\n"
     "  %c = Relu(%e) : f32[2,0]\n"
     "  %y = Concat(%a, %b, %c) {axis = 1} : f32[2,3]\n",
     3},
    {"a Concat of rows",
     "  %e = Placeholder() : f32[0,3]\n"
     "  %a = Relu(%e) : f32[0,3]\n"
     "  %p = Placeholder() : f32[2,3]\n"
     "  %b = Relu(%p) : f32[2,3]\n"
     "  %c = Clip(%p) {low = -1, high = 1} : f32[2,3]\n"
     "  %y = Concat(%a, %b, %a, %c) {axis = 0} : f32[4,3]\n",
     4},
    {"bad indices that nobody reads by",
     "  %e = Placeholder() : f32[2,0]\n"
     "  %i = Constant() {data = [7, -9]} : i64[2,1]\n"
     "  %g = Gather(%e, %i) : f32[2,1,0]\n"
     "  %s = EmbeddingSum(%e, %i) : f32[2,0]\n"
     "  Save(%g) {name = \"g\"}\n"
     "  %y = Neg(%s) : f32[2,0]\n",
     1},
    {"no rows to choose from",
     "  %e = Placeholder() : f32[0,4]\n"
     "  %t, %i = TopK(%e) {k = 2} : (f32[0,2], i64[0,2])\n"
     "  %a = ArgMax(%e) {axes = [1]} : i64[0,1]\n"
     "  %m = ReduceMax(%e) {axes = [1]} : f32[0,1]\n"
     "  Save(%i) {name = \"i\"}\n"
     "  Save(%a) {name = \"a\"}\n"
     "  %y = Add(%t, %m) : f32[0,2]\n",
     1},
    {"elements of no set, not asked for",
     "  %e = Placeholder() : f32[0,0]\n"
     "  %a = ArgMin(%e) {axes = [1]} : i64[0,1]\n"
     "  %m = ReduceMean(%e) {axes = [1]} : f32[0,1]\n"
     "  Save(%a) {name = \"a\"}\n"
     "  %y = Neg(%m) : f32[0,1]\n",
     1},
};

static const char *
text(const Graph *k)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "sinter-graph 1\ngraph \"t\" {\n" BESIDE);
    sn_puts(&b, k->body);
    sn_puts(&b, "  Save(%y) {name = \"y\"}\n}\n");
    return sn_buf_str(&b);
}

/* ---- runs ---- */

/* What input byte k is. */
static char
byte_at(size_t k)
{
    return (char)(k % 4 == 3 ? 0x3f : 17 * k + 1);
}

/* Threads are slow to make; without a team the parts come one by one. */
static SnRun *
run(const SnExec *x, unsigned nthread, bool team)
{
    SnRun *r = team ? sn_run_team(a, x, nthread) : sn_run_parts(a, x, nthread);

    for (uint32_t i = 0; i < x->ninput; i++) {
        const SnPort *p = &x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        char *v = sn_run_input(r, i);
        for (size_t k = 0; k < n; k++)
            v[k] = byte_at(k);
    }
    if (sn_run(r) != SN_OK)
        fail_msg("%s: %s", r->where, r->why);
    return r;
}

static void
compare(const char *name, const SnRun *got, const SnRun *want)
{
    for (uint32_t i = 0; i < got->x->noutput; i++) {
        const SnPort *p = &got->x->output[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        if (n && memcmp(sn_run_output(got, i), sn_run_output(want, i), n))
            fail_msg("%s: %s differs on %s", name, p->name,
                     sn_isa_name(sn_isa()));
    }
}

/* The value beside the graph is what it was. */
static void
untouched(const char *name, const SnRun *r)
{
    float in[40], out[40];

    for (size_t k = 0; k < sizeof in; k++)
        ((char *)in)[k] = byte_at(k);
    for (uint32_t i = 0; i < r->x->noutput; i++) {
        if (strcmp(r->x->output[i].name, "kept"))
            continue;
        memcpy(out, sn_run_output(r, i), sizeof out);
        for (int k = 0; k < 40; k++)
            if (out[k] != -in[k])
                fail_msg("%s: value %d is not kept on %s", name, k,
                         sn_isa_name(sn_isa()));
        return;
    }
    fail_msg("%s: nothing is kept", name);
}

static uint32_t
called(const SnExec *x)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < x->nstep; i++)
        n += x->step[i].nunit > 0;
    return n;
}

typedef SnStatus Prepare(SnArena *a, const SnGraph *g, const SnBackendDesc *b,
                         SnDiag *d, const SnExec **x);

static void
by_kernels(const Graph *k, const SnGraph *g, const SnRun *want, bool fast)
{
    static Prepare *const prepare[] = {sn_exec_prepare, sn_exec_prepare_fast};
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    const SnExec *x;

    if (prepare[fast](a, g, cpu, d, &x) != SN_OK)
        fail_msg("%s: %s", k->name, sn_diag_text(d, a));
    if (!fast && k->nstep)
        assert_int_equal(called(x), k->nstep);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX; /* cut, however small */
    for (unsigned n = 1; n <= 3; n++) {
        SnRun *r = run(x, n, k->nstep > 0);
        compare(k->name, r, want);
        untouched(k->name, r);
        sn_run_free(r);
    }
}

static void
one(const Graph *k)
{
    SnGraph *g = parse(text(k));
    const SnExec *x;
    SnIsa best = sn_isa();

    assert_int_equal(sn_verify(g, d), SN_OK);
    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s: %s", k->name, sn_diag_text(d, a));
    if (k->nstep)
        assert_int_equal(called(x), k->nstep);
    SnRun *want = run(x, 1, false);
    untouched(k->name, want);
    for (SnIsa isa = 0; isa < SN_NISA; isa++)
        for (int fast = 0; fast < 2 && sn_isa_set(isa); fast++)
            by_kernels(k, g, want, fast);
    sn_isa_set(best);
    sn_run_free(want);
}

static void
results(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        one(&graphs[i]);
}

/* Every dimension 0 or not: convolutions, */
static void
one_conv(const int64_t v[5], bool codes)
{
    static const char *const x[] = {"f32", "qi8<0.1, 3>"};
    static const char *const w[] = {"f32", "qi8<0.2, 0>"};
    static const char *const y[] = {"f32", "qi8<0.3, -4>"};
    long long n = v[0], h = v[1], c = v[2], oc = v[3], k = v[4];
    long long p = k / 2, group = c == oc && c > 1 && k == 3 ? c : 1;
    long long out = h + 2 * p - k + 1;
    SnBuf b;

    if (out < 1)
        return;
    sn_buf_init(&b, a);
    sn_putf(&b, "  %%e = Placeholder() : %s[%lld,%lld,4,%lld]\n", x[codes], n,
            h, c);
    sn_putf(&b, "  %%w = Constant() {splat = 2} : %s[%lld,%lld,%lld,%lld]\n",
            w[codes], oc, k, k, c / group);
    sn_putf(&b,
            "  %%y = Conv2D(%%e, %%w, _) {kernel = [%lld,%lld], "
            "pads = [%lld,%lld,%lld,%lld], group = %lld} : "
            "%s[%lld,%lld,4,%lld]\n",
            k, k, p, p, p, p, group, y[codes], n, out, oc);
    one(&(Graph){sn_format(a,
                           "%lld pictures of %lld rows, %lld channels to "
                           "%lld by %lld",
                           n, h, c, oc, k),
                 sn_buf_str(&b), 0});
}

static void
convolutions(void **state)
{
    static const int64_t many[] = {0, 1, 16, 17};

    (void)state;
    for (int i = 0; i < 3 * 3 * 4 * 4 * 4; i++) {
        const int64_t v[] = {i % 3, i / 3 % 3 * 2, many[i / 9 % 4],
                             many[i / 36 % 4], i / 144 % 2 * 2 + 1};
        one_conv(v, i / 288);
        if (i % 64 == 0) { /* not all of it at once */
            teardown(NULL);
            setup(NULL);
        }
    }
}

/* and products, of constant and computed matrices. */
static void
products(void **state)
{
    static const int64_t many[] = {0, 1, 17};
    static const char *const x[] = {"f32", "qi8<0.1, 3>", "i32"};
    static const char *const y[] = {"f32", "qi8<0.3, -4>", "i32"};
    SnBuf b;

    (void)state;
    for (int i = 0; i < 3 * 3 * 3 * 2 * 3; i++) {
        long long m = many[i % 3], k = many[i / 3 % 3], n = many[i / 9 % 3];
        int t = i / 54;
        sn_buf_init(&b, a);
        sn_putf(&b, "  %%e = Placeholder() : %s[%lld,%lld]\n", x[t], m, k);
        sn_putf(&b, "  %%w = %s : %s[%lld,%lld]\n",
                i / 27 % 2 ? "Placeholder()" : "Constant() {splat = 3}", x[t],
                k, n);
        sn_putf(&b, "  %%y = %s(%%e, %%w) : %s[%lld,%lld]\n",
                t == 2 ? "IntegerMatMul" : "MatMul", y[t], m, n);
        one(&(Graph){sn_format(a, "product %lld, %lld, %lld", m, k, n),
                     sn_buf_str(&b), 0});
    }
}

/* What has elements although its set has none. */
static void
values(void **state)
{
    static const char sums[] =
        "sinter-graph 1\n"
        "graph \"t\" {\n"
        "  %e = Placeholder() : f32[2,0]\n"
        "  %i = Placeholder() : i64[2,0]\n"
        "  %t = Placeholder() : f32[3,1]\n"
        "  %s = ReduceSum(%e) {axes = [1], keepdims = false} : f32[2]\n"
        "  %l = ReduceLogSumExp(%e) {axes = [1], keepdims = false} : f32[2]\n"
        "  %b = EmbeddingSum(%t, %i) : f32[2,1]\n"
        "  Save(%s) {name = \"s\"}\n"
        "  Save(%l) {name = \"l\"}\n"
        "  Save(%b) {name = \"b\"}\n"
        "}\n";
    const SnExec *x;

    (void)state;
    assert_int_equal(
        sn_exec_prepare(a, parse(sums), sn_backend_named("CPU"), d, &x), SN_OK);
    SnRun *r = run(x, 2, false);
    for (uint32_t i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            float v = ((const float *)sn_run_output(r, i))[k];
            assert_true(i == 1 ? v == -INFINITY : v == 0);
        }
    sn_run_free(r);
}

/* An index is looked at where it is used, by every node alike. */
static void
indices(void **state)
{
    static const char *const body[] = {
        "  %y = Gather(%t, %i) : f32[2,1,1]\n",
        "  %y = EmbeddingSum(%t, %i) : f32[2,1]\n"};
    SnBuf b;

    (void)state;
    for (int k = 0; k < 2; k++) {
        const SnExec *x;
        sn_buf_init(&b, a);
        sn_putf(&b,
                "sinter-graph 1\ngraph \"t\" {\n"
                "  %%t = Placeholder() : f32[3,1]\n"
                "  %%i = Constant() {data = [2, 3]} : i64[2,1]\n%s"
                "  Save(%%y) {name = \"y\"}\n}\n",
                body[k]);
        assert_int_equal(sn_exec_prepare(a, parse(sn_buf_str(&b)), NULL, d, &x),
                         SN_OK);
        SnRun *r = sn_run_new(a, x);
        memset(sn_run_input(r, 0), 0, 12);
        assert_int_equal(sn_run(r), SN_EINPUT);
        assert_non_null(strstr(r->why, "index 3 is outside"));
        sn_run_free(r);
    }
}

/* What needs an element is refused before anything runs. */
static void
refused(void **state)
{
    static const char *const node[] = {
        "ArgMax(%x) {axes = [1]} : i64[2,1]",
        "ArgMin(%x) {axes = []} : i64[1,1]",
        "ReduceMax(%x) {axes = [1]} : f32[2,1]",
        "ReduceMin(%x) {axes = [1]} : f32[2,1]",
        "ReduceMean(%x) {axes = [1]} : f32[2,1]"};
    SnBuf b;

    (void)state;
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) {
        SnSrc *src = SN_NEW(a, SnSrc);
        SnGraph *g = NULL;
        sn_buf_init(&b, a);
        sn_puts(&b, "sinter-graph 1\ngraph \"t\" {\n"
                    "  %x = Placeholder() : f32[2,0]\n  %y = ");
        sn_puts(&b, node[i]);
        sn_puts(&b, "\n  Save(%y) {name = \"y\"}\n}\n");
        *src = (SnSrc){"test", sn_buf_str(&b), b.n, 0};
        assert_int_equal(sn_parse(a, src, NULL, d, &g), SN_EINPUT);
        assert_non_null(strstr(sn_diag_text(d, a),
                               "axis 1 of 'x' has no element to reduce"));
        d = sn_diag_new(a);
    }
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {T(results),      T(values),
                                       T(indices),      T(refused),
                                       T(convolutions), T(products)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
