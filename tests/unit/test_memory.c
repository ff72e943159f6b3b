// SPDX-License-Identifier: Apache-2.0
/* What loading and running a model takes at its peak: weights and plan, once,
 * and a tenth more. */
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/diag.h"
#include "graph/text/text.h"
#include "kernel/conv/conv_q8.h"
#include "onnx/export/export.h"
#include "onnx/import.h"
#include "proc.h"
#include "run/exec.h"
#include "unit/scratch.h"

/* A convolution and products with weights [in, out] and [out, in]; $ stands for
 * the type of all values, # for a size.  Codes [in, out] are turned round
 * first, which takes their bytes once more, so they come before others. */
static const char each[] =
    "sinter-graph 1\n"
    "graph \"g\" {\n"
    "  %x = Placeholder() : $[1,4,4,512]\n"
    "  %v = Placeholder() : $[1,2048]\n"
    "  %w = Constant() {splat = 1} : $[512,3,3,512]\n"
    "  %m = Constant() {splat = 1} : $[2048,#]\n"
    "  %f = Constant() {splat = 1} : $[1024,#]\n"
    "  %y = Conv2D(%x, %w) {kernel = [3,3], pads = [1,1,1,1]} : "
    "$[1,4,4,512]\n"
    "  %u = MatMul(%v, %m) : $[1,#]\n"
    "  %t = FullyConnected(%u, %f) : $[1,1024]\n";

/* Four nodes read one constant. */
static const char shared[] = "sinter-graph 1\n"
                             "graph \"g\" {\n"
                             "  %x = Placeholder() : $[1,#]\n"
                             "  %w = Constant() {splat = 1} : $[#,#]\n"
                             "  %a = FullyConnected(%x, %w) : $[1,#]\n"
                             "  %b = FullyConnected(%a, %w) : $[1,#]\n"
                             "  %c = FullyConnected(%b, %w) : $[1,#]\n"
                             "  %y = FullyConnected(%c, %w) : $[1,#]\n";

static char sn_path[64], onnx_path[64];

static int
setup(void **state)
{
    if (make_dir(state))
        return 1;
    snprintf(sn_path, sizeof sn_path, "%s/m.sn", dir);
    snprintf(onnx_path, sizeof onnx_path, "%s/m.onnx", dir);
    return 0;
}

static int
teardown(void **state)
{
    remove_sn("m");
    (void)remove(onnx_path);
    return remove_dir(state);
}

/* Seeded numbers. */
static void *
numbers(SnArena *a, const SnResult *r)
{
    size_t count = (size_t)sn_shape_count(r->shape);
    bool real = r->type->elem == SN_F32;
    void *v = sn_alloc_n(a, count, real ? sizeof(float) : 1);
    uint32_t seed = 3;

    for (size_t k = 0; k < count; k++) {
        seed = seed * 1664525u + 1013904223u;
        if (real)
            ((float *)v)[k] = (float)(seed >> 8) * 0x1p-30f;
        else
            ((int8_t *)v)[k] = (int8_t)(seed >> 24);
    }
    return v;
}

/* Writes a model with weights in a side file, or as splats. */
static void
make_model(const char *text, const char *type, const char *size,
           const char *ends, bool splats)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnGraph *g;
    SnBuf b;

    sn_buf_init(&b, a);
    for (const char *c = text; *c; c++)
        if (*c == '$' || *c == '#')
            sn_puts(&b, *c == '$' ? type : size);
        else
            sn_putc(&b, *c);
    sn_puts(&b, ends);
    SnSrc src = {"m.sn", b.s, b.n, 0};
    assert_int_equal(sn_parse(a, &src, NULL, d, &g), SN_OK);
    for (SnId i = 1; i < g->nnode; i++) {
        SnNode *n = sn_node(g, i);
        if (n->data && !splats)
            n->data = numbers(a, &n->res[0]);
    }
    assert_int_equal(sn_text_save(g, sn_path, d), SN_OK);
    sn_arena_free(a);
}

typedef struct Took {
    long kib, weights, plan;
    uint32_t nfallback;
} Took;

static bool from_onnx; /* the same model, written by make_onnx */

static SnStatus
load(SnArena *a, SnDiag *d, SnGraph **g)
{
    if (!from_onnx)
        return sn_text_load(a, sn_path, d, g);
    return sn_onnx_import(a, onnx_path, NULL, d, g);
}

static bool
load_and_run(Took *t, unsigned nthread)
{
    long before = status_kib("VmRSS:");
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    const SnExec *x;
    SnGraph *g;

    if (load(a, d, &g) != SN_OK ||
        sn_exec_prepare_fast(a, g, cpu, d, &x) != SN_OK)
        return false;
    SnRun *r = sn_run_team(a, x, nthread);
    for (uint32_t i = 0; i < x->ninput; i++)
        memset(sn_run_input(r, i), 0,
               sn_tensor_nbyte(x->input[i].type, x->input[i].shape));
    if (sn_run(r) != SN_OK)
        return false;
    t->kib = status_kib("VmHWM:") - before;
    t->weights = (long)(x->plan->constants / 1024);
    t->plan = (long)((x->plan->arena + x->nwork * nthread) / 1024);
    t->nfallback = x->nfallback;
    sn_run_free(r);
    sn_arena_free(a);
    return true;
}

/* In a process of its own, so that what malloc keeps of earlier work does not
 * hide anything. */
static Took
measure(unsigned nthread)
{
    Took t = {0};
    int p[2], status;

    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool ok = load_and_run(&t, nthread);
        _exit(ok && write(p[1], &t, sizeof t) == sizeof t ? 0 : 1);
    }
    close(p[1]);
    assert_int_equal(read(p[0], &t, sizeof t), sizeof t);
    close(p[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return t;
}

#if defined(__SANITIZE_ADDRESS__)
#define SHADOWED true
#elif defined(__has_feature)
#define SHADOWED __has_feature(address_sanitizer)
#else
#define SHADOWED false
#endif

/* Besides the tenth (of more than 20 MiB, so that a large page, which is there
 * before it is filled, lies in it): about 1 MiB of pages of the program and its
 * libraries, which a child touches anew, and 1 MiB because Linux counts
 * resident pages in batches of 32 or more for each processor.  The address
 * sanitizer has memory of its own. */
enum { BESIDES = 2048 };

static void
check(unsigned nthread)
{
    Took t = measure(nthread);

    assert_int_equal(t.nfallback, 0);
    if (SHADOWED)
        return;
    if (t.kib < t.weights ||
        (double)t.kib > 1.1 * (double)(t.weights + t.plan) + BESIDES)
        fail_msg("%u threads: %ld KiB for weights of %ld and a plan of %ld",
                 nthread, t.kib, t.weights, t.plan);
}

static void
test_reals(void **state)
{
    (void)state;
    make_model(each, "f32", "2048",
               "  Save(%y) {name = \"y\"}\n  Save(%t) {name = \"t\"}\n}\n",
               false);
    check(1);
    check(2);
}

static void
make_onnx(void)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnGraph *g;

    assert_int_equal(sn_text_load(a, sn_path, d, &g), SN_OK);
    assert_int_equal(sn_onnx_save(a, g, &(SnOnnxExport){0}, onnx_path, d),
                     SN_OK);
    sn_arena_free(a);
}

/* Of the file of a model itself, whose tensors lie at any address, what is
 * packed is released; a filter that is brought into another order, or that does
 * not lie at a multiple of four bytes, is there twice. */
static void
test_onnx_file(void **state)
{
    (void)state;
    make_model(each, "f32", "2048",
               "  Save(%y) {name = \"y\"}\n  Save(%t) {name = \"t\"}\n}\n",
               false);
    make_onnx();
    from_onnx = true;
    Took t = measure(1);
    from_onnx = false;
    assert_int_equal(t.nfallback, 0);
    if (!SHADOWED && t.kib > 2 * (t.weights + t.plan) + BESIDES)
        fail_msg("%ld KiB for weights of %ld and a plan of %ld", t.kib,
                 t.weights, t.plan);
}

/* What a splat of 16 MiB is filled with is let go as it is packed. */
static void
test_splats(void **state)
{
    (void)state;
    make_model(each, "f32", "2048",
               "  Save(%y) {name = \"y\"}\n  Save(%t) {name = \"t\"}\n}\n",
               true);
    check(1);
}

/* Packed once for four nodes. */
static void
test_shared(void **state)
{
    (void)state;
    make_model(shared, "f32", "2560", "  Save(%y) {name = \"y\"}\n}\n", false);
    check(1);
}

/* Of codes below: where the instruction set wants them widened to s16, filters
 * take twice the bytes, and nothing is asked. */
static void
test_shared_codes(void **state)
{
    (void)state;
    if (sn_gemm(sn_isa())->tiles->esize != 1)
        return;
    make_model(shared, "qi8<0.5, 0>", "5120",
               "  %r = Dequantize(%y) : f32[1,5120]\n"
               "  Save(%r) {name = \"y\"}\n}\n",
               false);
    check(1);
}

static void
test_codes(void **state)
{
    (void)state;
    if (sn_gemm(sn_isa())->tiles->esize != 1)
        return;
    make_model(each, "qi8<0.5, 0>", "8192",
               "  %yr = Dequantize(%y) : f32[1,4,4,512]\n"
               "  %tr = Dequantize(%t) : f32[1,1024]\n"
               "  Save(%yr) {name = \"y\"}\n  Save(%tr) {name = \"t\"}\n}\n",
               false);
    check(1);
    check(2);
}

/* Moves and pools, a hundred, on # values. */
static const SnGraph *
small_nodes(SnArena *a, const char *type, SnDiag *d)
{
    enum { N = 50 };
    SnGraph *g;
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b,
            "sinter-graph 1\ngraph \"g\" {\n"
            "  %%v0 = Placeholder() : %s[1,6,6,4]\n",
            type);
    for (int i = 0; i < N; i++)
        sn_putf(&b,
                "  %%t%d = Transpose(%%v%d) {perm = [0,2,1,3]} : "
                "%s[1,6,6,4]\n"
                "  %%v%d = MaxPool(%%t%d) {kernel = [3,3], pads = "
                "[1,1,1,1]} : (%s[1,6,6,4], i64[1,6,6,4])\n",
                i, i, type, i + 1, i, type);
    sn_putf(&b, "  Save(%%v%d) {name = \"y\"}\n}\n", N);
    SnSrc src = {"m.sn", b.s, b.n, 0};
    assert_int_equal(sn_parse(a, &src, NULL, d, &g), SN_OK);
    return g;
}

/* What a prepared node holds for good is a few KiB (docs/kernels.md, "Memory"):
 * a map that is read to prepare it, 20 to 60, is given back. */
static void
test_held(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnArena *a = sn_arena_new(), *held = sn_arena_new();
        SnDiag *d = sn_diag_new(a);
        const SnGraph *g = small_nodes(a, k ? "f32" : "qi8<0.5, 3>", d);
        const SnExec *x;

        assert_int_equal(
            sn_exec_prepare_fast(held, g, sn_backend_named("CPU"), d, &x),
            SN_OK);
        assert_int_equal(x->nfallback, 0);
        assert_in_range(sn_arena_nbyte(held), 1,
                        (size_t)x->nstep * (3 << 10) + (1 << 16));
        sn_arena_free(held);
        sn_arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals),        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_splats),       cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_codes), cmocka_unit_test(test_held),
        cmocka_unit_test(test_onnx_file),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
