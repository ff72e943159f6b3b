// SPDX-License-Identifier: Apache-2.0
/* Constants that own their data (SnNode.own): who does, what folding writes in
 * their memory, and what a run gives back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "unit/onnx_build.h"
#include "unit/parse.h"

/* Filters of 144 KiB. */
enum { NFILTER = 64 * 9 * 64 };

#define HEAD                                                          \
    "sinter-graph 1\ngraph \"g\" {\n"                                 \
    "  %x = Placeholder() : f32[1,4,4,64]\n"                          \
    "  %w = Constant() {splat = 1} : f32[64,3,3,64]\n"                \
    "  %n = Constant() {splat = 2} : f32[64]\n"                       \
    "  %m = Constant() {splat = 3} : f32[64]\n"                       \
    "  %c = Conv2D(%x, %w) {kernel = [3,3], pads = [1,1,1,1]} : "     \
    "f32[1,4,4,64]\n"                                                 \
    "  %y = BatchNormalization(%c, %m, %n, %n, %m) : f32[1,4,4,64]\n" \
    "  Save(%y) {name = \"y\"}\n"
#define SECOND                                                    \
    "  %d = Conv2D(%y, %w) {kernel = [3,3], pads = [1,1,1,1]} : " \
    "f32[1,4,4,64]\n"                                             \
    "  Save(%d) {name = \"d\"}\n"
/* Groups of 8 channels, whose panels are wider than that. */
#define GROUPS                                                               \
    "sinter-graph 1\ngraph \"g\" {\n"                                        \
    "  %x = Placeholder() : f32[1,4,4,512]\n"                                \
    "  %w = Constant() {splat = 1} : f32[64,3,3,64]\n"                       \
    "  %y = Conv2D(%x, %w) {kernel = [3,3], pads = [1,1,1,1], group = 8} : " \
    "f32[1,4,4,64]\n"                                                        \
    "  Save(%y) {name = \"y\"}\n"
#define PRODUCT                               \
    "  %z = Placeholder() : f32[64,3,3,64]\n" \
    "  %p = Mul(%w, %z) : f32[64,3,3,64]\n"   \
    "  Save(%p) {name = \"p\"}\n"

/* The graph, with seeded numbers for w in memory that can be given back. */
static SnGraph *
filter_graph(const char *text, bool owns)
{
    SnGraph *g = parse(text);

    sn_arena_reserve(g->arena, NFILTER * sizeof(float) + 4096, 0);
    float *v = sn_alloc(g->arena, NFILTER * sizeof(float));
    for (int i = 0; i < NFILTER; i++)
        v[i] = (float)((i * 7919) % 1009 - 500) * 0x1p-9f;
    SnNode *w = sn_def(g, sn_find(g, "w"));
    w->data = v;
    w->own = owns;
    return g;
}

static SnGraph *
passed(const char *text, bool owns, const char *pass, const void **was)
{
    SnGraph *g = filter_graph(text, owns);

    *was = sn_def(g, sn_find(g, "w"))->data;
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);
    assert_int_equal(sn_rewrite(rw, g, pass), SN_OK);
    assert_int_equal(sn_verify(g, d), SN_OK);
    return g;
}

static const void *
filter_of(const SnGraph *g, const char *conv)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (!n->dead && n->kind == SN_K_CONV2D &&
            strcmp(n->res[0].name, conv) == 0)
            return sn_def(g, n->in[1].ref)->data;
    }
    fail_msg("no convolution %s", conv);
    return NULL;
}

/* The graph becomes the same one, in the memory of w or in its own. */
static void
same_graph(const char *text, const char *pass, const char *conv, bool inplace)
{
    const void *was, *was_own;
    SnGraph *g = passed(text, false, pass, &was);
    SnGraph *h = passed(text, true, pass, &was_own);
    const char *why = "";

    if (!sn_graph_equal(g, h, a, &why))
        fail_msg("%s", why);
    assert_ptr_not_equal(filter_of(g, conv), was);
    if ((filter_of(h, conv) == was_own) != inplace)
        fail_msg("%s of %s: %s", pass, conv, inplace ? "copied" : "in place");
}

static void
one_reader(void **state)
{
    (void)state;
    same_graph(HEAD "}\n", "simplify", "y", true);
    same_graph(HEAD "}\n", "profile", "y", true);
}

/* The other convolution multiplies by what w was. */
static void
two_readers(void **state)
{
    (void)state;
    same_graph(HEAD SECOND "}\n", "simplify", "y", false);
    same_graph(HEAD PRODUCT "}\n", "profile", "y", false);
}

static void
fold_pass(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"g\" {\n"
        "  %x = Placeholder() : f32[1,4,4,64]\n"
        "  %w = Constant() {splat = 1} : f32[64,3,3,64]\n"
        "  %s = Constant() {splat = 3} : f32[64,1,1,1]\n"
        "  %f = Mul(%s, %w) : f32[64,3,3,64]\n"
        "  %y = Conv2D(%x, %f) {kernel = [3,3], pads = [1,1,1,1]} : "
        "f32[1,4,4,64]\n"
        "  Save(%y) {name = \"y\"}\n}\n";
    static const char twice[] =
        "sinter-graph 1\ngraph \"g\" {\n"
        "  %x = Placeholder() : f32[1,4,4,64]\n"
        "  %w = Constant() {splat = 1} : f32[64,3,3,64]\n"
        "  %f = Mul(%w, %w) : f32[64,3,3,64]\n"
        "  %y = Conv2D(%x, %f) {kernel = [3,3], pads = [1,1,1,1]} : "
        "f32[1,4,4,64]\n"
        "  Save(%y) {name = \"y\"}\n}\n";

    (void)state;
    same_graph(text, "fold", "y", true);
    same_graph(twice, "fold", "y", false);
}

/* What becomes of w: it stays, reads as zero, or is packed where it lies. */
typedef enum Fate { STAYS, GONE, PACKED } Fate;

static Fate
fate_of(const float *w, const float *was)
{
    if (memcmp(w, was, NFILTER * sizeof *w) == 0)
        return STAYS;
    return w[NFILTER / 2] == 0 && w[NFILTER / 2 + 1] == 0 ? GONE : PACKED;
}

/* A filter that is a Constant of the graph of nobody but this SnExec is packed
 * in its own memory by its last reader, or is given back where that reader has
 * a copy already; not when something reads it that has no copy. */
static void
check_run(const char *text, Fate fate)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnGraph *g = filter_graph(text, false), *h = filter_graph(text, true);
    const SnExec *x, *y;

    assert_int_equal(sn_exec_prepare_fast(a, g, cpu, d, &x), SN_OK);
    assert_int_equal(sn_exec_prepare_only(a, h, cpu, NULL, NULL, d, &y), SN_OK);
    assert_int_equal(fate_of(sn_def(h, sn_find(h, "w"))->data,
                             sn_def(g, sn_find(g, "w"))->data),
                     fate);
    SnRun *r = sn_run_new(a, x), *s = sn_run_new(a, y);
    for (uint32_t i = 0; i < x->ninput; i++) {
        int64_t n = sn_shape_count(x->input[i].shape);
        for (int64_t k = 0; k < n; k++) {
            ((float *)sn_run_input(r, i))[k] = (float)(k % 17) - 8;
            ((float *)sn_run_input(s, i))[k] = (float)(k % 17) - 8;
        }
    }
    assert_int_equal(sn_run(r), SN_OK);
    assert_int_equal(sn_run(s), SN_OK);
    for (uint32_t i = 0; i < x->noutput; i++)
        assert_memory_equal(
            sn_run_output(r, i), sn_run_output(s, i),
            sn_tensor_nbyte(x->output[i].type, x->output[i].shape));
    sn_run_free(r);
    sn_run_free(s);
}

static void
packed_filters(void **state)
{
    (void)state;
    check_run(HEAD "}\n", PACKED);
    check_run(HEAD SECOND "}\n", GONE);
    check_run(HEAD PRODUCT "}\n", STAYS);
    check_run(GROUPS "}\n", GONE);
}

/* The initializer w of a model, at an address of which a float cannot be. */
static OnnxBuild *
unaligned(const char *dims, size_t n)
{
    OnnxBuild *b = ob_new(a, 13);
    char *v = sn_alloc(a, n * sizeof(float) + 64);

    ob_input(b, "x", "1x64x4x4");
    ob_output(b, "y", NULL);
    ob_floats(b, "w", dims);
    b->init[0]->raw_data.data =
        memcpy(v + 1, b->init[0]->raw_data.data, n * sizeof(float));
    return b;
}

/* Another reader of w, as it is. */
static void
product(OnnxBuild *b, const char *dims)
{
    ob_input(b, "v", dims);
    ob_node(b, "Mul", "v w", "u");
    ob_output(b, "u", NULL);
}

static uint32_t
owners(OnnxBuild *b)
{
    uint32_t n = 0;
    SnGraph *g;

    assert_int_equal(sn_onnx_message(a, "m.onnx", &b->model, NULL, d, &g),
                     SN_OK);
    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead && sn_node(g, id)->own;
    return n;
}

static void
imported(void **state)
{
    (void)state;
    /* Copied to be permuted, or to be aligned. */
    OnnxBuild *b = unaligned("64x64x3x3", NFILTER);
    ob_node(b, "Conv", "x w", "y");
    assert_int_equal(owners(b), 1);
    b = unaligned("512x64x1x1", 512 * 64);
    ob_node(b, "Conv", "x w", "y");
    assert_int_equal(owners(b), 1);
    /* Two nodes read one Constant, which owns its data. */
    b = unaligned("64x64x3x3", NFILTER);
    ob_node(b, "Conv", "x w", "y");
    ob_node(b, "Conv", "x w", "z");
    ob_output(b, "z", NULL);
    assert_int_equal(owners(b), 1);
    /* One element again and again is not moved: it may lie in the file. */
    b = unaligned("64x64x3x3", NFILTER);
    b->init[0]->raw_data.data =
        memset(b->init[0]->raw_data.data - 1, 0, NFILTER * sizeof(float));
    ob_node(b, "Conv", "x w", "y");
    assert_int_equal(owners(b), 0);
    /* The same bytes are two Constants, channels last and as they are. */
    b = unaligned("512x64x1x1", 512 * 64);
    product(b, "512x64x1x1");
    ob_node(b, "Conv", "x w", "y");
    assert_int_equal(owners(b), 0);
    /* Two Constants with bytes of their own. */
    b = unaligned("64x64x3x3", NFILTER);
    product(b, "64x64x3x3");
    ob_node(b, "Conv", "x w", "y");
    assert_int_equal(owners(b), 2);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(one_reader, setup, teardown),
        cmocka_unit_test_setup_teardown(two_readers, setup, teardown),
        cmocka_unit_test_setup_teardown(fold_pass, setup, teardown),
        cmocka_unit_test_setup_teardown(packed_filters, setup, teardown),
        cmocka_unit_test_setup_teardown(imported, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
