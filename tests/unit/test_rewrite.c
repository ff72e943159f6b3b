// SPDX-License-Identifier: Apache-2.0
/* The functions of the rule language and the driver's switches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "graph/text/text.h"
#include "kernel/eval/rows.h"
#include "rewrite/copy.h"
#include "rewrite/internal.h"
#include "rewrite/rule.h"
#include "sn_kinds.h"

static SnArena *A;
static SnDiag *D;

static int
setup(void **state)
{
    (void)state;
    A = sn_arena_new();
    D = sn_diag_new(A);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(A);
    return 0;
}

static SnGraph *
parse(const char *text)
{
    SnSrc src = {"test.sn", text, strlen(text), 0};
    SnGraph *g = NULL;

    if (sn_parse(A, &src, NULL, D, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    return g;
}

static uint32_t
count(const SnGraph *g, SnKind k)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead && sn_node(g, id)->kind == k;
    return n;
}

static void
image_of_ranges(void **state)
{
    (void)state;
    SnPool *p = sn_pool_new(A);
    const SnType *mid = sn_type_quant(p, SN_QI8, 0.01f, 0);
    const SnType *out = sn_type_quant(p, SN_QI8, 0.04f, 0);
    SnRange full = {0}, v = sn_image(SN_ROUNDING_FLOAT, full, mid, out, false);

    /* -1.28 and 1.27 in steps of 0.04: -32 and 31.75, which rounds to 32. */
    assert_true(v.has_lo && v.has_hi);
    assert_true(v.lo == -32 && v.hi == 32);
    /* Calibrated: an open side is an artefact and stays open. */
    assert_true(
        sn_range_full(sn_image(SN_ROUNDING_FLOAT, full, mid, out, true)));
    /* An explicit side is kept, even for a calibrated value. */
    SnRange relu = {.lo = 0, .has_lo = true};
    v = sn_image(SN_ROUNDING_FLOAT, relu, mid, out, true);
    assert_true(v.has_lo && v.lo == 0 && !v.has_hi);
    /* The other way nothing is cut off. */
    assert_true(
        sn_range_full(sn_image(SN_ROUNDING_FLOAT, full, out, mid, false)));
}

static void
meet_and_bounds(void **state)
{
    (void)state;
    SnPool *p = sn_pool_new(A);
    const SnType *q = sn_type_quant(p, SN_QI8, 0.5f, -3);
    SnRange a = {.lo = -5, .has_lo = true},
            b = {.lo = 2, .hi = 9, .has_lo = true, .has_hi = true};
    SnRange m = sn_meet(a, b);

    assert_true(m.has_lo && m.lo == 2 && m.has_hi && m.hi == 9);
    m = sn_bounds(q, true, 0, true, 6);
    assert_true(m.lo == -3 && m.hi == 9);
    m = sn_bounds(q, true, 0, false, 0);
    assert_true(m.has_lo && !m.has_hi);
    /* Past the storage the bound is the storage's, and still explicit. */
    m = sn_bounds(q, true, -1000, false, 0);
    assert_true(m.has_lo && m.lo == -128);
    SnReach r = sn_clamp_reach(q, b);
    assert_true(r.lo == 0.5 * 5 && r.hi == 0.5 * 12);
    /* Crossed bounds are min(max(v, lo), hi): all of it is hi. */
    SnRange x = {.lo = 7, .hi = 4, .has_lo = true, .has_hi = true};
    m = sn_meet(b, x);
    assert_true(m.lo == 4 && m.hi == 4);
    m = sn_meet(x, b);
    assert_true(m.lo == 4 && m.hi == 4);
    m = sn_meet(x, (SnRange){.lo = 5, .has_lo = true});
    assert_true(m.lo == 4 && m.hi == 4);
    m = sn_bounds(q, true, 6, true, 1);
    assert_true(m.lo == -1 && m.hi == -1);
    m = sn_bounds(sn_type_plain(p, SN_F32), true, 6, true, 1);
    assert_true(m.lo == 1 && m.hi == 1);
    r = sn_clamp_reach(q, x);
    assert_true(r.lo == 0.5 * 7 && r.hi == 0.5 * 7);
    SnLim l = sn_lim(q, x);
    assert_true(l.lo == 4 && l.hi == 4);
}

static const char conv_text[] =
    "sinter-graph 1\n"
    "graph \"g\" {\n"
    "  %x = Placeholder() : qi8<0.5, 3>[1,1,1,2]\n"
    "  %r = Rescale(%x) : qi8<0.75, 0>[1,1,1,2]\n"
    "  %w = Constant() {data = [10, -20]} : qi8<0.5, 0>[1,1,1,2]\n"
    "  %b = Constant() {data = [100]} : qi32<0.375, 0>[1]\n"
    "  %c = Conv2D(%r, %w, %b) {kernel = [1, 1]} : qi8<2, 0>[1,1,1,1]\n"
    "  Save(%c) {name = \"out\"}\n"
    "}\n";

static void
regrid_values(void **state)
{
    (void)state;
    SnGraph *g = parse(conv_text);
    SnRef b = sn_find(g, "b"), c = sn_find(g, "c");
    const SnType *x = sn_type(g, sn_find(g, "x"));

    assert_null(sn_regrid_why(g, b, SN_NODE(c), x));
    SnRef n = sn_regrid(g, b, SN_NODE(c), x);
    /* 100 * 0.375 = 37.5 in steps of 0.25 */
    assert_int_equal(*(const int32_t *)sn_def(g, n)->data, 150);
    assert_true(sn_type(g, n)->scale[0] == 0.25f);
    assert_string_equal(sn_name(g, n), "b");
    /* A grid far coarser than what the Rescale could err by is refused. */
    const SnType *huge = sn_type_quant(g->pool, SN_QI8, 1024, 0);
    const char *why = sn_regrid_why(g, b, SN_NODE(c), huge);
    assert_non_null(why);
    assert_non_null(strstr(why, "coarser"));
}

static SnRewriter *
rewriter(SnRewriteOpts o)
{
    return sn_rewriter_new(A, &o, D);
}

static void
driver_switches(void **state)
{
    (void)state;
    SnRewriteOpts o = sn_rewrite_defaults;
    const char *const pass[] = {"quant_cleanup", NULL};
    const char *const any[] = {"*.absorb", NULL};

    o.verify = true;
    o.check_passes = true;
    SnGraph *g = parse(conv_text);
    assert_int_equal(sn_rewrite(rewriter(o), g, "quant_cleanup"), SN_OK);
    assert_int_equal(count(g, SN_K_RESCALE), 0);

    o.opt_limit = 0;
    g = parse(conv_text);
    assert_int_equal(sn_rewrite(rewriter(o), g, "quant_cleanup"), SN_OK);
    assert_int_equal(count(g, SN_K_RESCALE), 1);

    o.opt_limit = -1;
    o.disable = pass;
    g = parse(conv_text);
    sn_rewrite(rewriter(o), g, "quant_cleanup");
    assert_int_equal(count(g, SN_K_RESCALE), 1);
    o.disable = any;
    g = parse(conv_text);
    SnRewriter *rw = rewriter(o);
    sn_rewrite(rw, g, "quant_cleanup");
    assert_int_equal(count(g, SN_K_RESCALE), 1);
    assert_int_equal(sn_family_count(rw, SN_FAM_ABSORB), 0);
}

/* The Rescale is merged, and the check of it accepts the values of each seed.
 */
static void
merged_at_every_seed(const char *text, uint64_t n)
{
    for (uint64_t seed = 1; seed <= n; seed++) {
        SnRewriteOpts o = sn_rewrite_defaults;
        SnGraph *g = parse(text);
        o.check_passes = true;
        o.seed = seed;
        if (sn_rewrite(rewriter(o), g, "quant_cleanup") != SN_OK)
            fail_msg("seed %d: %s", (int)seed, sn_diag_text(D, A));
        assert_int_equal(count(g, SN_K_RESCALE), 0);
    }
}

/* A merge that drops a rounding, so its error is smaller for sure; but the
 * results of nearly all values saturate, without an error on either side. */
static void
refines_by_the_worst_case(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"g\" {\n"
        "  %x = Placeholder() : qi8<0.1, 3>[1,2,2,4]\n"
        "  %w = Placeholder() : qi8<0.00705, 88>[4,1,1,2]\n"
        "  %s = Placeholder() : qi8<0.0056294827, -97>[1,3,2,4]\n"
        "  %y = CPUConvAdd(%x, %w, _, %s) {kernel = [1,1],"
        " pads = [0,0,1,0], group = 2, mid = qi8<0.03525, 33>}"
        " : qi8<0.0060384953, -128>[1,3,2,4]\n"
        "  %r = Rescale(%y) : qi8<0.0141, -6>[1,3,2,4]\n"
        "  Save(%r) {name = \"out\"}\n"
        "}\n";

    (void)state;
    merged_at_every_seed(text, 600);
}

/* Terms that cancel in binary32 lose whole codes, with every type of the
 * result others. */
static void
refines_but_for_binary32(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"g\" {\n"
        "  %a = Placeholder() : qi8<0.1, 3>[8,65]\n"
        "  %b = Placeholder() : qi8<65536, -128>[65]\n"
        "  %y = BatchedAdd(%a, %b) {round = after}"
        " : qi8<0.022380607, -61>[8,65]\n"
        "  %r = Rescale(%y) : qi8<0.011190304, 2>[8,65]\n"
        "  Save(%r) {name = \"out\"}\n"
        "}\n";

    (void)state;
    merged_at_every_seed(text, 20);
}

static void
second_run_does_nothing(void **state)
{
    (void)state;
    SnGraph *g = parse(conv_text);
    SnRewriter *rw = rewriter(sn_rewrite_defaults);
    uint32_t n;

    sn_rewrite(rw, g, "quant_cleanup");
    sn_sites(rw, &n);
    assert_int_equal(n, 1);
    sn_rewrite(rw, g, "quant_cleanup");
    sn_sites(rw, &n);
    assert_int_equal(n, 1);
}

static void
folding_keeps_names(void **state)
{
    (void)state;
    SnGraph *g =
        parse("sinter-graph 1\n"
              "graph \"g\" {\n"
              "  %w = Constant() {data = [1, 2, 3, 4, 5, 6]} : f32[2,3]\n"
              "  %t = Transpose(%w) {perm = [1, 0]} : f32[3,2]\n"
              "  Save(%t) {name = \"out\"}\n"
              "}\n");

    assert_int_equal(sn_rewrite(rewriter(sn_rewrite_defaults), g, "fold"),
                     SN_OK);
    assert_int_equal(count(g, SN_K_TRANSPOSE), 0);
    SnRef w = sn_find(g, "w");
    const float want[] = {1, 4, 2, 5, 3, 6};
    assert_true(w != 0);
    assert_memory_equal(sn_def(g, w)->data, want, sizeof want);
}

static void
equal_nodes_become_one(void **state)
{
    (void)state;
    SnGraph *g = parse("sinter-graph 1\n"
                       "graph \"g\" {\n"
                       "  %x = Placeholder() : f32[4]\n"
                       "  %a = Relu(%x) : f32[4]\n"
                       "  %b = Relu(%x) : f32[4]\n"
                       "  %c = Add(%a, %b) : f32[4]\n"
                       "  Save(%c) {name = \"out\"}\n"
                       "}\n");

    assert_int_equal(sn_rewrite(rewriter(sn_rewrite_defaults), g, "cse"),
                     SN_OK);
    assert_int_equal(count(g, SN_K_RELU), 1);
}

/* What generated rules say of values: `alike`, zero points, lists. */
static void
values_of_rules(void **state)
{
    static const float v[] = {0.5f, -2};

    (void)state;
    SnPool *p = sn_pool_new(A);
    const SnType *fine = sn_type_quant(p, SN_QI8, 0.5f, 0);
    const SnType *coarse = sn_type_quant(p, SN_QI8, 1, 2);
    const SnType *f32 = sn_type_plain(p, SN_F32);
    static const struct {
        double v;
        bool alike;
    } at[] = {{4, true}, {0.5, true}, {-60, true}, {63.5, true}, {100, false}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_int_equal(sn_alike(SN_ROUNDING_FLOAT, at[i].v, fine, coarse),
                         at[i].alike);
    assert_true(sn_alike(SN_ROUNDING_FLOAT, 100, f32, f32));
    assert_false(sn_alike(SN_ROUNDING_FLOAT, 4, f32, coarse));

    assert_int_equal(sn_int_zp(INT32_MAX), INT32_MAX);
    assert_int_equal(sn_int_zp(-7), -7);
    assert_int_equal(sn_int_zp((int64_t)INT32_MAX + 1), INT32_MIN);
    assert_int_equal(sn_int_zp((int64_t)INT32_MIN - 1), INT32_MIN);

    const SnReals r = {2, v};
    assert_true(sn_real_at(r, 0) == 0.5f && sn_real_at(r, 1) == -2);
    assert_true(sn_real_at(r, 2) == 0 && sn_real_at(r, -1) == 0);
    assert_int_equal(sn_int_abs(-3), 3);
    assert_int_equal(sn_int_abs(3), 3);
    assert_int_equal(sn_int_abs(INT64_MIN), INT64_MIN);
}

/* What rules over several kinds of nodes do. */
static void
nodes_of_rules(void **state)
{
    (void)state;
    SnGraph *g = parse(conv_text);
    SnRef c = sn_find(g, "c");
    SnRewriter *rw = rewriter(sn_rewrite_defaults);
    SnEdit e = sn_edit(g, SN_NODE(c));

    rw->scratch = A; /* as during a pass */
    const SnRef *in = sn_operands(rw, g, SN_NODE(c), 1, 2);
    assert_true(in[0] == sn_find(g, "w") && in[1] == sn_find(g, "b"));
    assert_ptr_equal(sn_edit_attr(&e, "group"),
                     &((SnConv2DAttr *)e.attr)->group);
    *(int64_t *)sn_edit_attr(&e, "group") = 2;
    assert_int_equal(*(const int64_t *)sn_attr_of(g, SN_NODE(c), "group"), 1);
}

static void
unknown_pass(void **state)
{
    (void)state;
    SnGraph *g = parse(conv_text);

    assert_int_equal(sn_rewrite(rewriter(sn_rewrite_defaults), g, "simplfy"),
                     SN_EUSAGE);
    assert_non_null(strstr(sn_diag_text(D, A), "did you mean 'simplify'"));
}

/* A Constant beside a Transpose that is larger than what is evaluated. */
static void
transpose_beside_huge(void **state)
{
    SnGraph *g = parse("sinter-graph 1\n"
                       "graph \"g\" {\n"
                       "  %x = Placeholder() : f32[9000,16000]\n"
                       "  %t = Transpose(%x) {perm = [1,0]} : f32[16000,9000]\n"
                       "  %y = Tanh(%t) : f32[16000,9000]\n"
                       "  Save(%y) {name = \"y\"}\n"
                       "}\n");
    SnRef t = sn_find(g, "t");
    const SnType *type = sn_type(g, t);
    size_t n = sn_tensor_nbyte(type, sn_shape_of(g, t));
    void *zeros = mmap(NULL, n, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    (void)state;
    assert_true(zeros != MAP_FAILED);
    SnSpec c = {.kind = SN_K_CONSTANT,
                .name = "c",
                .type = &type,
                .shape = sn_shape_of(g, t),
                .data = zeros,
                .borrow = true};
    SnRef in[] = {t, SN_REF(sn_add(g, &c, NULL), 0)};
    SnSpec sum = {
        .kind = SN_K_ADD, .name = "s", .type = &type, .nin = 2, .in = in};
    SnId s = sn_add(g, &sum, D);
    sn_set_in(g, SN_NODE(sn_find(g, "y")), 0, SN_REF(s, 0));
    assert_int_equal(sn_rewrite(rewriter(sn_rewrite_defaults), g, "simplify"),
                     SN_OK);
    assert_int_equal(sn_verify(g, D), SN_OK);
    assert_int_equal(sn_kind(g, sn_in(g, SN_NODE(sn_find(g, "s")), 0)),
                     SN_K_TRANSPOSE);
    assert_ptr_equal(sn_def(g, sn_find(g, "c"))->data, zeros);
    munmap(zeros, n);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(image_of_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(meet_and_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(regrid_values, setup, teardown),
        cmocka_unit_test_setup_teardown(driver_switches, setup, teardown),
        cmocka_unit_test_setup_teardown(refines_by_the_worst_case, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(refines_but_for_binary32, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(second_run_does_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(folding_keeps_names, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_nodes_become_one, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(values_of_rules, setup, teardown),
        cmocka_unit_test_setup_teardown(nodes_of_rules, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_pass, setup, teardown),
        cmocka_unit_test_setup_teardown(transpose_beside_huge, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
