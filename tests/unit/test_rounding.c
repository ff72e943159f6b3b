// SPDX-License-Identifier: Apache-2.0
/* Rounding policies of graphs: text, evaluators, kernels, rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "random/graph_check.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "sn_arith.h"

static SnArena *A;

static int
setup(void **state)
{
    (void)state;
    A = sn_arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(A);
    return 0;
}

/* A graph of this rounding ("" or " rounding double") from its nodes. */
static SnGraph *
graph(const char *rounding, const char *nodes)
{
    SnDiag *d = sn_diag_new(A);
    SnSrc *src = SN_NEW(A, SnSrc);
    SnGraph *g;

    src->name = "g";
    src->text =
        sn_format(A, "sinter-graph 1\ngraph \"g\"%s {\n%s}\n", rounding, nodes);
    src->nbyte = strlen(src->text);
    if (sn_parse(A, src, ".", d, &g) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, A));
    return g;
}

static const char *const roundings[] = {"", " rounding single",
                                        " rounding double"};

/* %y of the nodes, under each rounding, is want[rounding][0 .. n - 1]. */
static void
gives(const char *nodes, size_t n, const int want[3][8])
{
    for (int r = 0; r < 3; r++) {
        SnGraph *g = graph(roundings[r], nodes);
        SnRef y = sn_find(g, "y");
        bool wide = sn_type(g, y)->elem == SN_QI16;
        const void *v = sn_eval_const(g, y, A);
        assert_non_null(v);
        for (size_t i = 0; i < n; i++) {
            int got = wide ? ((const int16_t *)v)[i] : ((const int8_t *)v)[i];
            if (got != want[r][i])
                fail_msg("%s%s: element %zu is %d, expected %d", nodes,
                         roundings[r], i, got, want[r][i]);
        }
    }
}

/* ---- evaluators ---- */

/* Halves: 0.5 1.5 2.5 -0.5 -1.5.  A quarter's are rounded twice: 1.25 by way of
 * 2.5, 3, 1.5 and 2; 0.25 by way of 0.5, 1 and 0.5; -0.75 by -1.5, -1, -0.5. */
static void
rescales(void **state)
{
    (void)state;
    gives("  %x = Constant() {data = [1, 3, 5, -1, -3]} : qi8<1, 0>[5]\n"
          "  %y = Rescale(%x) : qi8<2, 0>[5]\n",
          5,
          (const int[3][8]){
              {0, 2, 2, 0, -2}, {1, 2, 3, 0, -1}, {1, 2, 3, 0, -1}});
    gives("  %x = Constant() {data = [6, 8, 4, 2, 127]} : qi8<0.5, 3>[5]\n"
          "  %y = Rescale(%x) {clamp = [_, 10]} : qi16<2, -10>[5]\n",
          5,
          (const int[3][8]){{-9, -9, -10, -10, 10},
                            {-9, -9, -10, -10, 10},
                            {-9, -8, -9, -10, 10}});
}

/* A contract, per channel: 3 * 5 = 15 by 1/2 and by 1/4, with bias 3. */
static void
contracts(void **state)
{
    (void)state;
    gives("  %x = Constant() {data = [5]} : qi8<1, 0>[1,1,1,1]\n"
          "  %w = Constant() {data = [3, 1]} : "
          "qi8<axis=0, [1, 0.5], [0, 0]>[2,1,1,1]\n"
          "  %b = Constant() {data = [0, 0]} : "
          "qi32<axis=0, [1, 0.5], [0, 0]>[2]\n"
          "  %y = ChannelwiseConv2D(%x, %w, %b) {kernel = [1,1]} : "
          "qi8<2, 0>[1,1,1,2]\n",
          2, (const int[3][8]){{8, 1}, {8, 1}, {8, 2}});
    gives("  %x = Constant() {data = [5, 1]} : qi16<1, 0>[2,1]\n"
          "  %w = Constant() {data = [1]} : qi8<1, 0>[1,1]\n"
          "  %b = Constant() {data = [0]} : qi32<1, 0>[1]\n"
          "  %y = FullyConnected(%x, %w, %b) : qi16<4, 0>[2,1]\n",
          2, (const int[3][8]){{1, 0}, {1, 0}, {1, 0}});
    gives("  %x = Constant() {data = [5, 1]} : qi8<1, 0>[2,1]\n"
          "  %w = Constant() {data = [1]} : qi8<1, 0>[1,1]\n"
          "  %b = Constant() {data = [0]} : qi32<1, 0>[1]\n"
          "  %y = FullyConnected(%x, %w, %b) : qi8<4, 0>[2,1]\n",
          2, (const int[3][8]){{1, 0}, {1, 0}, {2, 1}});
}

/* Selections rescale each operand and select codes; constants are quantized
 * as ever (2.5 / 2 is 1.25, a code 1). */
static void
selections(void **state)
{
    (void)state;
    gives("  %x = Constant() {data = [-7, 1, 3, 5]} : qi8<1, 0>[4]\n"
          "  %y = Relu(%x) : qi8<2, 1>[4]\n",
          4, (const int[3][8]){{1, 1, 3, 3}, {1, 2, 3, 4}, {1, 2, 3, 4}});
    gives("  %a = Constant() {data = [1, 3, 5]} : qi8<1, 0>[3]\n"
          "  %b = Constant() {data = [9, 5, 1]} : qi8<0.5, 0>[3]\n"
          "  %y = Max(%a, %b) : qi8<2, 0>[3]\n",
          3, (const int[3][8]){{2, 2, 2}, {2, 2, 3}, {3, 2, 3}});
    gives("  %x = Constant() {data = [1, 5, 9]} : qi8<1, 0>[3]\n"
          "  %y = Clip(%x) {low = 2.5, high = 7} : qi8<4, 0>[3]\n",
          3, (const int[3][8]){{1, 1, 2}, {1, 1, 2}, {1, 2, 2}});
}

/* Means along axes: 5 / 2 steps; the sum of a mean is rounded once. */
static void
means(void **state)
{
    (void)state;
    gives("  %x = Constant() {data = [2, 3, -2, -3]} : qi8<1, 0>[2,2]\n"
          "  %y = ReduceMean(%x) {axes = [1], keepdims = true} : "
          "qi8<1, 0>[2,1]\n",
          2, (const int[3][8]){{2, -2}, {3, -2}, {3, -2}});
}

/* ---- text ---- */

static void
src_fails(const char *text, const char *why)
{
    SnDiag *d = sn_diag_new(A);
    SnSrc src = {.name = "g", .text = text, .nbyte = strlen(text)};
    SnGraph *g;

    assert_int_equal(sn_parse(A, &src, ".", d, &g), SN_EINPUT);
    if (!strstr(sn_diag_text(d, A), why))
        fail_msg("%s\nexpected: %s", sn_diag_text(d, A), why);
}

/* An arithmetic that is not sinter's own has a hash behind its name. */
static void
hashes(void **state)
{
    static SnArith own;
    static const SnArith *const list[] = {&own};

    (void)state;
    own = sn_arith_double;
    own.name = "npu";
    own.hash = UINT64_C(0x00123456789abcde);
    sn_more_kinds.narith = 1;
    sn_more_kinds.arith = list;
    SnGraph *g = graph(" rounding npu \"00123456789abcde\"", "");
    assert_int_equal(g->rounding, sn_core_narith);
    assert_non_null(strstr(sn_graph_str(A, g), "graph \"g\" rounding npu "
                                               "\"00123456789abcde\" {"));
    uint64_t h = sn_graph_hash(g, true);
    own.hash++;
    assert_true(sn_graph_hash(g, true) != h);
    src_fails(
        "sinter-graph 1\ngraph \"g\" rounding npu \"00123456789abcde\" {}",
        "g:2:24: error: the graph was made for another arithmetic npu, of "
        "hash \"00123456789abcde\"; this one's is \"00123456789abcdf\"");
    src_fails("sinter-graph 1\ngraph \"g\" rounding npu {}",
              "g:2:24: error: expected the hash of arithmetic npu, "
              "\"00123456789abcdf\", found {");
    sn_more_kinds.narith = 0;
}

static void
text(void **state)
{
    static const char nodes[] = "  %x = Placeholder() : qi8<1, 0>[2]\n"
                                "  %y = Rescale(%x) : qi8<2, 0>[2]\n"
                                "  Save(%y) {name = \"y\"}\n";

    (void)state;
    SnGraph *g = graph(" rounding double", nodes), *f = graph("", nodes);
    SnGraph *c = sn_graph_clone(g, A);
    const char *why;
    assert_int_equal(g->rounding, SN_ROUNDING_DOUBLE);
    assert_int_equal(f->rounding, SN_ROUNDING_FLOAT);
    assert_non_null(
        strstr(sn_graph_str(A, g), "graph \"g\" rounding double {"));
    assert_null(strstr(sn_graph_str(A, f), "rounding"));
    assert_true(sn_graph_equal(g, c, A, &why));
    assert_true(sn_graph_hash(g, true) == sn_graph_hash(c, true));
    assert_true(sn_graph_hash(g, true) != sn_graph_hash(f, true));
    assert_false(sn_graph_equal(g, f, A, &why));
    assert_string_equal(why, "rounding double and float");

    SnDiag *d = sn_diag_new(A);
    c->rounding = (SnRounding)sn_arith_end();
    assert_int_equal(sn_verify(c, d), SN_EINPUT);
    src_fails("sinter-graph 1\ngraph \"g\" rounding double \"12\" {\n}\n",
              "g:2:27: error: arithmetic double is one of sinter's own and has "
              "no hash: expected '{'");
    SnSrc src = {.name = "g",
                 .text = "sinter-graph 1\ngraph \"g\" rounding ideal {\n}\n"};
    src.nbyte = strlen(src.text);
    assert_int_equal(sn_parse(A, &src, ".", d, &g), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, A),
                           "g:2:20: error: expected float, single or double "
                           "after 'rounding'"));
}

/* ---- kernels ---- */

static uint32_t
nkernel(const SnGraph *g)
{
    const SnExec *x;
    uint32_t n = 0;

    assert_int_equal(
        sn_exec_prepare(A, g, sn_backend_named("CPU"), sn_diag_new(A), &x),
        SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        n += x->step[i].kernel != NULL;
    return n;
}

/* The CPU's kernels compute `float`: for other graphs none is picked. */
static void
no_kernels(void **state)
{
    static const char nodes[] = "  %x = Placeholder() : qi8<1, 0>[4,8]\n"
                                "  %r = Rescale(%x) : qi8<2, 0>[4,8]\n"
                                "  %y = Relu(%r) : qi8<2, 0>[4,8]\n"
                                "  Save(%y) {name = \"y\"}\n";

    (void)state;
    assert_int_equal(nkernel(graph("", nodes)), 2);
    assert_int_equal(nkernel(graph(" rounding double", nodes)), 0);
    assert_int_equal(nkernel(graph(" rounding single", nodes)), 0);
}

/* ---- rules ---- */

static SnStatus
rewrite(SnGraph *g, const char *backend, const char *passes, SnDiag *d)
{
    SnRewriteOpts o = sn_rewrite_defaults;

    o.backend = sn_backend_named(backend);
    o.check_passes = true;
    o.verify = true;
    return sn_rewrite(sn_rewriter_new(A, &o, d), g, passes);
}

static const char qdq[] = "  %x = Placeholder() : qi8<1, 0>[4]\n"
                          "  %d = Dequantize(%x) : f32[4]\n"
                          "  %y = Quantize(%d) : qi8<4, 0>[4]\n"
                          "  Save(%y) {name = \"y\"}\n";

/* A graph gets and keeps the rounding of the backend it is rewritten for. */
static void
targets(void **state)
{
    SnDiag *d = sn_diag_new(A);
    SnGraph *g = graph("", qdq);

    (void)state;
    assert_int_equal(rewrite(g, "interp", "quant_cleanup", d), SN_OK);
    assert_int_equal(g->rounding, SN_ROUNDING_FLOAT);
    g = graph("", qdq);
    assert_int_equal(rewrite(g, "interp_double", "quant_cleanup", d), SN_OK);
    assert_int_equal(g->rounding, SN_ROUNDING_DOUBLE);
    assert_int_equal(sn_kind(g, sn_find(g, "y")), SN_K_RESCALE);
    assert_int_equal(rewrite(g, "CPU", "optimize", d), SN_OK);
    assert_int_equal(g->rounding, SN_ROUNDING_DOUBLE);
    assert_int_equal(sn_diag_nerror(d), 0);
    assert_int_equal(rewrite(g, "interp_single", "optimize", d), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, A),
                           "g: is a graph with rounding double; backend "
                           "interp_single computes rounding single"));
}

static uint16_t
rule_named(const char *pass, const char *name)
{
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (!strcmp(sn_rule(i)->pass, pass) && !strcmp(sn_rule(i)->name, name))
            return (uint16_t)i;
    fail_msg("no rule %s.%s", pass, name);
    return 0;
}

/* What is exact for floats is within a step elsewhere: a pass that allows only
 * exact rules lets it fire on graphs of floats alone. */
static void
claims(void **state)
{
    uint16_t r = rule_named("quant_cleanup", "requantize");
    uint16_t f = rule_named("quant_cleanup", "fuse");

    (void)state;
    assert_int_equal(sn_rule_claim(r, SN_ROUNDING_FLOAT).kind, SN_CLAIM_EXACT);
    for (uint32_t by = SN_ROUNDING_SINGLE; by < sn_arith_end(); by++) {
        SnClaim c = sn_rule_claim(r, (SnRounding)by);
        assert_int_equal(c.kind, SN_CLAIM_WITHIN);
        assert_true(c.bound == 1);
        assert_int_equal(sn_rule_claim(f, (SnRounding)by).kind,
                         SN_CLAIM_REFINES);
    }
}

/* ---- switched off ---- */

static uint16_t
family_rule(SnFamilyId f)
{
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (sn_rule(i)->family == f)
            return (uint16_t)i;
    fail_msg("no rule of family %d", (int)f);
    return 0;
}

/* Fires of the rule in a run of the pass over these nodes, under `double`, with
 * the rule off at nodes of that kind; 0: nowhere. */
static uint32_t
fires(uint16_t rule, const char *pass, const char *nodes, SnKind off)
{
    static SnRuleOff entry;
    SnGraph *g = graph(" rounding double", nodes);
    SnRewriteOpts o = sn_rewrite_defaults;
    SnDiag *d = sn_diag_new(A);

    entry = (SnRuleOff){rule, off, SN_ROUNDING_DOUBLE};
    sn_more_rules.noff = off != 0;
    sn_more_rules.off = &entry;
    o.backend = sn_backend_named("interp_double");
    o.verify = true;
    SnRewriter *rw = sn_rewriter_new(A, &o, d);
    if (sn_rewrite(rw, g, pass) != SN_OK)
        fail_msg("%s", sn_diag_text(d, A));
    sn_more_rules.noff = 0;
    sn_more_rules.off = NULL;
    return sn_rule_count(rw, rule);
}

/* A rule or a derived one that is off at a kind under an arithmetic does not
 * fire at nodes of that kind, and does at others. */
static void
off(void **state)
{
    static const struct {
        SnFamilyId family;
        const char *pass, *nodes;
        SnKind kind, other;
    } c[] = {
        {SN_FAM_ABSORB, "quant_cleanup",
         "  %x = Placeholder() : qi8<1, 0>[4]\n"
         "  %r = Rescale(%x) : qi8<2, 0>[4]\n"
         "  %y = Neg(%r) : qi8<1, 0>[4]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_NEG, SN_K_ABS},
        {SN_FAM_MERGE, "quant_cleanup",
         "  %x = Placeholder() : qi8<1, 0>[4]\n"
         "  %n = Add(%x, %x) : qi8<1, 0>[4]\n"
         "  %y = Rescale(%n) : qi8<2, 0>[4]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_ADD, SN_K_MUL},
        {SN_FAM_SINK, "quant_cleanup",
         "  %x = Placeholder() : qi8<1, 0>[2,2]\n"
         "  %r = Rescale(%x) : qi8<2, 0>[2,2]\n"
         "  %y = Transpose(%r) {perm = [1,0]} : qi8<2, 0>[2,2]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_TRANSPOSE, SN_K_RESHAPE},
        {SN_FAM_LAYOUT, "simplify",
         "  %x = Placeholder() : qi8<1, 0>[2,3]\n"
         "  %t = Transpose(%x) {perm = [1,0]} : qi8<1, 0>[3,2]\n"
         "  %y = Neg(%t) : qi8<1, 0>[3,2]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_NEG, SN_K_ABS},
        {SN_FAM_REGROUP, "simplify",
         "  %x = Placeholder() : qi8<1, 0>[2,3]\n"
         "  %t = Reshape(%x) {dims = [6]} : qi8<1, 0>[6]\n"
         "  %y = Neg(%t) : qi8<1, 0>[6]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_NEG, SN_K_ABS},
        {SN_FAM_DEQUANT, "integerize",
         "  %x = Placeholder() : qi8<1, 0>[2,2]\n"
         "  %d = Dequantize(%x) : f32[2,2]\n"
         "  %y = Transpose(%d) {perm = [1,0]} : f32[2,2]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_TRANSPOSE, SN_K_RESHAPE},
        {SN_FAM_INTEGERIZE, "integerize",
         "  %x = Placeholder() : qi8<1, 0>[4]\n"
         "  %d = Dequantize(%x) : f32[4]\n"
         "  %n = Neg(%d) : f32[4]\n"
         "  %y = Quantize(%n) : qi8<2, 0>[4]\n"
         "  Save(%y) {name = \"y\"}\n",
         SN_K_NEG, SN_K_ABS},
    };
    static const char fused[] = "  %x = Placeholder() : qi8<1, 0>[4]\n"
                                "  %r = Rescale(%x) : qi8<2, 0>[4]\n"
                                "  %y = Rescale(%r) : qi8<4, 0>[4]\n"
                                "  Save(%y) {name = \"y\"}\n";

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        uint16_t r = family_rule(c[i].family);
        if (!fires(r, c[i].pass, c[i].nodes, 0) ||
            !fires(r, c[i].pass, c[i].nodes, c[i].other))
            fail_msg("family %d does not fire", (int)c[i].family);
        if (fires(r, c[i].pass, c[i].nodes, c[i].kind))
            fail_msg("family %d fires where it is off", (int)c[i].family);
    }
    uint16_t fuse = rule_named("quant_cleanup", "fuse");
    assert_int_equal(fires(fuse, "quant_cleanup", fused, 0), 1);
    assert_int_equal(fires(fuse, "quant_cleanup", fused, SN_K_RESCALE), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rescales),   cmocka_unit_test(contracts),
        cmocka_unit_test(selections), cmocka_unit_test(means),
        cmocka_unit_test(text),       cmocka_unit_test(hashes),
        cmocka_unit_test(no_kernels), cmocka_unit_test(off),
        cmocka_unit_test(targets),    cmocka_unit_test(claims),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
