// SPDX-License-Identifier: Apache-2.0
/* Nodes of many operands and values of many readers: no array has a length of
 * its own, and what stays float has its reason. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "quant/compare.h"
#include "quant/quantize.h"
#include "sn_kinds.h"
#include "unit/parse.h"

static const SnExec *
exec_of(const SnGraph *g, const char *backend)
{
    const SnExec *x;

    if (sn_exec_prepare_fast(a, g, sn_backend_named(backend), d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

/* Every value is computed, none lies in another. */
static const SnExec *
plain_of(const SnGraph *g)
{
    const SnExec *x;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    float *v = sn_run_input(r, 0);
    int64_t n = sn_shape_count(r->x->input[0].shape);

    (void)ctx;
    for (int64_t k = 0; k < n; k++)
        v[k] = (float)((k * 37 + sample * 11) % 101) / 50.0f - 1;
    return SN_OK;
}

/* y = Concat of n Relus, each of two numbers of x. */
static SnGraph *
concat_of(uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b,
            "sinter-graph 1\ngraph \"wide\" {\n"
            "  %%x = Placeholder() : f32[1,%u]\n",
            2 * n);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b,
                "  %%s%u = Slice(%%x) {start = [0, %u], size = [1, 2], "
                "step = [1, 1]} : f32[1,2]\n"
                "  %%r%u = Relu(%%s%u) : f32[1,2]\n",
                i, 2 * i, i, i);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%s%%r%u", i ? ", " : "  %y = Concat(", i);
    sn_putf(&b, ") {axis = 1} : f32[1,%u]\n  Save(%%y) {name = \"y\"}\n}\n",
            2 * n);
    return parse(sn_buf_str(&b));
}

static const void *
run(const SnExec *x)
{
    SnRun *r = sn_run_new(a, x);

    fill(NULL, 3, r);
    if (sn_run(r) != SN_OK)
        fail_msg("%s: %s", r->where, r->why);
    const void *y = sn_run_output(r, 0); /* in a */
    sn_run_free(r);
    return y;
}

static void
concat_is_quantized(uint32_t n)
{
    SnGraph *g = concat_of(n), *q = sn_graph_clone(g, a);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};
    SnProfile *p;
    SnRewriter *rw;
    SnQuantReport r;
    SnComparison c;

    o.rewrite.verify = o.rewrite.check_passes = true;
    if (sn_profile_run(a, plain_of(g), 10, 1, fill, NULL,
                       sn_graph_hash(g, true), d, &p) != SN_OK ||
        sn_quantize_graph(a, q, p, &o, &rw, d, &r) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    for (uint32_t i = 0; i < r.nfloat; i++)
        fail_msg("%s: %s", r.left_float[i].name, r.left_float[i].why);
    assert_int_equal(r.nquant, 2 * n + 1);
    SnCompareOpts co = {.flt = plain_of(g),
                        .quant = plain_of(q),
                        .fill_flt = fill,
                        .fill_quant = fill,
                        .nsample = 6,
                        .njob = 1};
    if (sn_compare(a, &co, d, &c) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_true(c.worst_output > 40); /* dB; a code of 8 bits, rounded twice */
    size_t nbyte = 2 * (size_t)n * sizeof(float);
    assert_memory_equal(run(exec_of(q, "CPU")), run(exec_of(q, "interp")),
                        nbyte);
    assert_memory_equal(run(exec_of(g, "CPU")), run(exec_of(g, "interp")),
                        nbyte);
}

static void
operands(void **state)
{
    (void)state;
    concat_is_quantized(65);
    concat_is_quantized(1000);
}

/* A Relu of codes that n Quantizes read, `ntype` types in turn of which the
 * first covers the others. */
static SnGraph *
readers_of(uint32_t n, uint32_t ntype)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "sinter-graph 1\ngraph \"readers\" {\n"
                "  %x = Placeholder() : qi8<0.5, 0>[3]\n"
                "  %d = Dequantize(%x) : f32[3]\n"
                "  %r = Relu(%d) : f32[3]\n");
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b,
                "  %%q%u = Quantize(%%r) {calibrated = true} : "
                "qi8<%g, 0>[3]\n"
                "  Save(%%q%u) {name = \"y%u\"}\n",
                i, 0.5 / (1 + i % ntype), i, i);
    sn_puts(&b, "}\n");
    return parse(sn_buf_str(&b));
}

static uint32_t
count(const SnGraph *g, SnKind kind, SnElem e)
{
    uint32_t n = 0;

    for (SnId i = 1; i < g->nnode; i++)
        n += !sn_node(g, i)->dead && sn_node(g, i)->kind == kind &&
             sn_node(g, i)->res[0].type->elem == e;
    return n;
}

static void
readers_are_served(uint32_t n, uint32_t ntype)
{
    SnGraph *g = readers_of(n, ntype), *was = sn_graph_clone(g, a);
    SnRewriteOpts o = sn_rewrite_defaults;
    static const int8_t x[] = {-7, 0, 9};

    o.verify = o.check_passes = true;
    if (sn_rewrite(sn_rewriter_new(a, &o, d), g, "integerize") != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_int_equal(count(g, SN_K_RELU, SN_QI8), 1);
    assert_int_equal(count(g, SN_K_RELU, SN_F32), 0);
    assert_int_equal(count(g, SN_K_RESCALE, SN_QI8), n - (n - 1) / ntype - 1);
    SnRun *r = sn_run_new(a, exec_of(g, "interp"));
    SnRun *s = sn_run_new(a, exec_of(was, "interp"));
    memcpy(sn_run_input(r, 0), x, sizeof x);
    memcpy(sn_run_input(s, 0), x, sizeof x);
    assert_int_equal(sn_run(r), SN_OK);
    assert_int_equal(sn_run(s), SN_OK);
    for (uint32_t i = 0; i < n; i++)
        assert_memory_equal(sn_run_output(r, i), sn_run_output(s, i), sizeof x);
    sn_run_free(r);
    sn_run_free(s);
}

static void
readers(void **state)
{
    (void)state;
    readers_are_served(65, 1);
    readers_are_served(1000, 1);
    readers_are_served(1000, 13);
    readers_are_served(1000, 1000);
}

/* ---- what is not done is explained ---- */

/* Fails unless `want` is among the reasons at the value named so. */
static void
check_said(const char *text, const char *pass, const char *name,
           const char *want)
{
    static const char *const off[] = {"*.fuse", NULL};
    SnRewriteOpts o = sn_rewrite_defaults;
    SnGraph *g = parse(text);
    SnBuf all;

    o.disable = off;
    SnRewriter *rw = sn_rewriter_new(a, &o, d);
    sn_buf_init(&all, a);
    sn_record_declined(rw, true);
    if (sn_rewrite(rw, g, pass) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    uint32_t i = sn_declines_of(rw, SN_NODE(sn_find(g, name)));
    for (; i; i = sn_declines(rw)[i].before) {
        if (!strcmp(sn_declines(rw)[i].text, want))
            return;
        sn_putf(&all, "%s; ", sn_declines(rw)[i].text);
    }
    fail_msg("not said: %s; but: %s", want, sn_buf_str(&all));
}

static void
reasons(void **state)
{
    static const char lone[] =
        "sinter-graph 1\ngraph \"lone\" {\n"
        "  %x = Placeholder() : qi8<0.5, 0>[3]\n"
        "  %d = Dequantize(%x) : f32[3]\n  %r = Relu(%d) : f32[3]\n"
        "  %e = Exp(%r) : f32[3]\n  Save(%e) {name = \"y\"}\n}\n";
    static const char row[] =
        "sinter-graph 1\ngraph \"row\" {\n"
        "  %x = Placeholder() : qi8<0.5, 0>[3]\n"
        "  %r = Rescale(%x) : qi8<0.25, 0>[3]\n"
        "  %s = Rescale(%r) {clamp = [-3, 3]} : qi8<0.5, 0>[3]\n"
        "  Save(%s) {name = \"y\"}\n  Save(%r) {name = \"z\"}\n}\n";
    static const char transposed[] =
        "sinter-graph 1\ngraph \"turned\" {\n"
        "  %x = Placeholder() : f32[2,3]\n"
        "  %t = Transpose(%x) {perm = [1, 0]} : f32[3,2]\n"
        "  %y = Relu(%t) : f32[3,2]\n  Save(%y) {name = \"y\"}\n"
        "  Save(%t) {name = \"z\"}\n}\n";

    (void)state;
    check_said(lone, "integerize", "r", "e (Exp) reads its float value");
    check_said(row, "quant_cleanup", "s",
               "merge: two Rescales in a row are for written rules");
    check_said(row, "quant_cleanup", "s",
               "--disable excludes quant_cleanup.fuse");
    check_said(transposed, "simplify", "t",
               "sink below y (Relu): another node reads the Transpose");
    check_said(transposed, "simplify", "t",
               "sink below z (Save): nothing moves across an output");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operands, setup, teardown),
        cmocka_unit_test_setup_teardown(readers, setup, teardown),
        cmocka_unit_test_setup_teardown(reasons, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
