// SPDX-License-Identifier: Apache-2.0
/* What an arithmetic admits: types, pairs of types, kinds.  The arithmetic is
 * this test's own, with the rows of `single`, so that each line is alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/verify/admits.h"
#include "graph/text/text.h"
#include "rewrite/rewrite.h"
#include "sn_arith.h"
#include "sn_kinds.h"

static SnArena *A;
static SnArith arith;

static const SnArithPairs any = {
    .some = true,
    .type = {{INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false},
             {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false}}};

static int
setup(void **state)
{
    static const SnArith *const list[] = {&arith};

    (void)state;
    A = sn_arena_new();
    arith = sn_arith_single;
    arith.name = "chip";
    arith.pairs = any;
    sn_more_kinds.narith = 1;
    sn_more_kinds.arith = list;
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
graph(const char *nodes, SnDiag *d)
{
    SnSrc *src = SN_NEW(A, SnSrc);
    SnGraph *g;

    src->name = "g";
    src->text = sn_format(
        A, "sinter-graph 1\ngraph \"g\" rounding chip {\n%s}\n", nodes);
    src->nbyte = strlen(src->text);
    if (sn_parse(A, src, ".", d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, A));
    return g;
}

static void
admitted(const char *nodes)
{
    SnDiag *d = sn_diag_new(A);
    SnGraph *g = graph(nodes, d);

    if (sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, A));
}

static void
refused(const char *nodes, const char *why)
{
    SnDiag *d = sn_diag_new(A);
    SnGraph *g = graph(nodes, d);

    assert_int_equal(sn_verify(g, d), SN_EINPUT);
    if (!strstr(sn_diag_text(d, A), why))
        fail_msg("%s\nexpected: %s", sn_diag_text(d, A), why);
}

/* x of this type, rescaled to that one. */
static const char *
rescale(const char *x, const char *y)
{
    return sn_format(A,
                     "  %%x = Placeholder() : %s[1,4]\n"
                     "  %%y = Rescale(%%x) : %s[1,4]\n"
                     "  Save(%%y) {name = \"y\"}\n",
                     x, y);
}

/* ---- types ---- */

static void
zero_points(void **state)
{
    (void)state;
    arith.pairs = any;
    arith.pairs.type[SN_ROLE_X].zlo = -3;
    arith.pairs.type[SN_ROLE_X].zhi = 4;
    admitted(rescale("qi8<0.1, -3>", "qi8<0.2, 4>"));
    refused(rescale("qi8<0.1, -4>", "qi8<0.2, 4>"),
            "x (Placeholder): y has zero point -4, arithmetic chip expects "
            "-3..4");
    refused(rescale("qi8<0.1, 0>", "qi16<0.2, 5>"),
            "y (Rescale): y has zero point 5, arithmetic chip expects -3..4");
    arith.pairs.type[SN_ROLE_X].zlo = arith.pairs.type[SN_ROLE_X].zhi = 0;
    refused(rescale("qi8<0.1, 0>", "qi8<0.2, 1>"),
            "y has zero point 1, arithmetic chip expects 0");
}

static void
powers(void **state)
{
    (void)state;
    arith.pairs = any;
    arith.pairs.type[SN_ROLE_X].power = true;
    admitted(rescale("qi8<0.0625, 7>", "qi8<2, 0>"));
    refused(rescale("qi8<0.0625, 0>", "qi8<0.75, 0>"),
            "y (Rescale): y has scale 0.75, arithmetic chip expects a power "
            "of two");
}

static const char conv[] =
    "  %%x = Placeholder() : qi8<1, 0>[1,1,1,2]\n"
    "  %%w = Constant() {data = [%d, -127, 3, 4]} : "
    "qi8<axis=0, [1, 0.5], [0, %d]>[2,1,1,2]\n"
    "  %%b = Constant() {data = [%d, -256]} : "
    "qi32<axis=0, [1, 0.5], [0, 0]>[2]\n"
    "  %%y = ChannelwiseConv2D(%%x, %%w, %%b) {kernel = [1,1]} : "
    "qi8<%s, 0>[1,1,1,2]\n"
    "  Save(%%y) {name = \"y\"}\n";

static void
weights(void **state)
{
    SnArithType *w = &arith.pairs.type[SN_ROLE_W];

    (void)state;
    arith.pairs = any;
    w->lo = w->zlo = -127;
    w->hi = 127;
    w->zhi = 5;
    admitted(sn_format(A, conv, -127, 5, 0, "1"));
    refused(sn_format(A, conv, -128, 5, 0, "1"),
            "w has code -128 at 0, arithmetic chip expects -127..127");
    refused(sn_format(A, conv, -127, 6, 0, "1"),
            "w has zero point 6 in slice 1, arithmetic chip expects -127..5");
    w->tensor = true;
    refused(sn_format(A, conv, -127, 5, 0, "1"),
            "w has scales along axis 0, arithmetic chip expects one scale");
    /* which says nothing about activations */
    arith.pairs.type[SN_ROLE_W].zhi = 0;
    admitted(rescale("qi8<0.1, 7>", "qi8<0.2, 7>"));
}

/* A constant that is no weight is an activation; one that is still to be
 * computed counts where it is read. */
static void
constants(void **state)
{
    static const char add[] = "  %%x = Placeholder() : qi8<1, 0>[2]\n"
                              "  %%c = Constant() {data = [%d, 3]} : "
                              "qi8<1, %d>[2]\n"
                              "  %%y = Add(%%x, %%c) {clamp = [-5, 5]} : "
                              "qi8<1, 0>[2]\n"
                              "  Save(%%y) {name = \"y\"}\n";
    SnArithType *x = &arith.pairs.type[SN_ROLE_X];

    (void)state;
    arith.pairs = any;
    x->zlo = x->zhi = 0;
    admitted(sn_format(A, add, 9, 0));
    refused(sn_format(A, add, 9, 1), "y (Add): b has zero point 1");
    arith.pairs.type[SN_ROLE_W] = *x;
    admitted("  %x = Placeholder() : f32[1,1,1,2]\n"
             "  %c = Constant() {data = [1, 2]} : f32[1,1,1,2]\n"
             "  %q = Quantize(%c) : qi8<1, 9>[1,1,1,2]\n"
             "  %w = Dequantize(%q) : f32[1,1,1,2]\n"
             "  %y = Conv2D(%x, %w) {kernel = [1,1]} : f32[1,1,1,1]\n"
             "  Save(%y) {name = \"y\"}\n");
}

static void
codes(void **state)
{
    static const char nodes[] =
        "  %%x = Placeholder() : f32[1,4,4,1]\n"
        "  %%q = Quantize(%%x) {clamp = [%d, 100]} : qi8<1, 0>[1,4,4,1]\n"
        "  %%p, %%i = MaxPool(%%q) {kernel = [2,2]} : "
        "(qi8<1, 0>[1,3,3,1], i64[1,3,3,1])\n"
        "  %%d = Pad(%%p) {pads = [0,0,0,0,1,0,0,0], value = %d} : "
        "qi8<1, 0>[2,3,3,1]\n"
        "  %%y = Add(%%d, %%d) {clamp = [-100, 100]} : qi8<1, 0>[2,3,3,1]\n"
        "  Save(%%y) {name = \"y\"}\n";

    (void)state;
    arith.pairs = any;
    arith.pairs.type[SN_ROLE_X].lo = -100;
    arith.pairs.type[SN_ROLE_X].hi = 100;
    admitted(sn_format(A, nodes, -100, 100));
    refused(sn_format(A, nodes, -101, 100),
            "q (Quantize): y may have codes -101..100, arithmetic chip "
            "expects a clamp to -100..100");
    refused(sn_format(A, nodes, -100, 101),
            "d (Pad): y may have codes -128..127, arithmetic chip expects a "
            "clamp to -100..100");
    refused(rescale("qi8<1, 0>", "qi8<2, 0>"),
            "x (Placeholder): y may have codes -128..127");
}

/* ---- pairs ---- */

static void
biases(void **state)
{
    (void)state;
    arith.pairs = any;
    arith.pairs.bias_bits = 8;
    arith.pairs.bias_step = 128;
    admitted(sn_format(A, conv, 1, 0, 127 * 128, "1"));
    admitted(sn_format(A, conv, 1, 0, -128 * 128, "1"));
    refused(sn_format(A, conv, 1, 0, 128 * 128, "1"),
            "b has code 16384 at 0, arithmetic chip expects 8 bits on 128 * "
            "x.scale * w.scale");
    refused(sn_format(A, conv, 1, 0, 64, "1"), "b has code 64 at 0");
    arith.pairs.bias_step = 1;
    refused(sn_format(A, conv, 1, 0, 1, "1"),
            "b has code -256 at 1, arithmetic chip expects 8 bits on x.scale "
            "* w.scale");
}

/* Channel 0: |x| <= 128, weights 1 and -127, bias 100: 128 * 128 + 100. */
static void
sums(void **state)
{
    static const char product[] = "  %a = Placeholder() : qi8<1, 0>[2,2,3]\n"
                                  "  %b = Placeholder() : qi8<1, 1>[2,3,2]\n"
                                  "  %y = MatMul(%a, %b) : qi8<1, 0>[2,2,2]\n"
                                  "  Save(%y) {name = \"y\"}\n";
    static const char mean[] = "  %x = Placeholder() : qi8<1, 0>[2,3]\n"
                               "  %y = ReduceMean(%x) {axes = [1], keepdims = "
                               "true} : qi8<1, 0>[2,1]\n"
                               "  Save(%y) {name = \"y\"}\n";

    (void)state;
    arith.pairs = any;
    arith.pairs.acc_bits = 16;
    admitted(sn_format(A, conv, 1, 0, 100, "1"));
    admitted(sn_format(A, conv, 1, 0, 32767 - 16384, "1"));
    refused(sn_format(A, conv, 1, 0, 32768 - 16384, "1"),
            "y (ChannelwiseConv2D): the accumulator of output channel 0 may "
            "reach 32768 and does not fit int16, in which arithmetic chip "
            "adds up");
    /* 3 * 128 * 129 and 3 * 128 */
    refused(product, "its accumulator may reach 49536 and does not fit int16");
    arith.pairs.acc_bits = 17;
    admitted(product);
    arith.pairs.acc_bits = 9;
    refused(mean, "its sum may reach 384 and does not fit int9");
    arith.pairs.acc_bits = 10;
    admitted(mean);
    /* codes are as few as the arithmetic says */
    arith.pairs.type[SN_ROLE_X].lo = -85;
    arith.pairs.type[SN_ROLE_X].hi = 85;
    arith.pairs.acc_bits = 9;
    refused(mean, "may have codes");
}

static double
ratio_of(const SnRowGrids *g)
{
    return (double)g->scale[1] / (double)g->scale[0];
}

static double
product_of(const SnRowGrids *g)
{
    return (double)g->scale[1] * (double)g->scale[2] / (double)g->scale[0];
}

/* q of 3 bits, shifts 2..5: ratios from 2^(2-5) to below 2^(3-2). */
static void
ratios(void **state)
{
    static const SnArithRatio r = {"x.scale / y.scale", ratio_of, 3, 2, 5};
    static const SnArithRatio m = {"x.scale * w.scale / y.scale", product_of, 3,
                                   2, 5};
    static SnArithRow row[16];

    (void)state;
    arith.pairs = any;
    assert_true(arith.nrow <= 16);
    for (uint32_t i = 0; i < arith.nrow; i++) {
        row[i] = arith.row[i];
        row[i].nratio = row[i].form <= SN_FORM_CONTRACT;
        row[i].ratio = row[i].form == SN_FORM_CONTRACT ? &m : &r;
    }
    const SnArithRow *was = arith.row;
    arith.row = row;
    admitted(rescale("qi8<0.125, 0>", "qi8<1, 0>"));
    admitted(rescale("qi8<1.75, 0>", "qi8<1, 0>"));
    refused(rescale("qi8<2, 0>", "qi8<1, 0>"),
            "y (Rescale): its ratio x.scale / y.scale is 2, arithmetic chip "
            "expects 2^-3 to 2^1");
    /* what a multiplier of 3 bits rounds up to 2^-3 is in the window */
    admitted(rescale("qi8<0.1171875, 0>", "qi8<1, 0>"));
    refused(rescale("qi8<0.109375, 0>", "qi8<1, 0>"),
            "its ratio x.scale / y.scale is 0.109375");
    admitted(sn_format(A, conv, 1, 0, 0, "4"));
    refused(sn_format(A, conv, 1, 0, 0, "8"),
            "its ratio x.scale * w.scale / y.scale is 0.0625 in slice 1, "
            "arithmetic chip expects 2^-3 to 2^1");
    /* a selection converts each operand */
    refused("  %a = Placeholder() : qi8<1, 0>[3]\n"
            "  %b = Placeholder() : qi8<4, 0>[3]\n"
            "  %y = Max(%a, %b) : qi8<2, 0>[3]\n"
            "  Save(%y) {name = \"y\"}\n",
            "y (Max): its ratio x.scale / y.scale is 2");
    arith.row = was;
}

static void
kinds(void **state)
{
    static const SnArithNo no[] = {{"Sigmoid", "the host has tables", 0, 0}};

    (void)state;
    arith.pairs = any;
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    admitted("  %x = Placeholder() : f32[3]\n"
             "  %y = Sigmoid(%x) : f32[3]\n"
             "  Save(%y) {name = \"y\"}\n");
    refused("  %x = Placeholder() : qi8<1, 0>[3]\n"
            "  %y = Sigmoid(%x) : qi8<0.00390625, -128>[3]\n"
            "  Save(%y) {name = \"y\"}\n",
            "y (Sigmoid): arithmetic chip has no row for Sigmoid: the host "
            "has tables");
    refused("  %x = Placeholder() : qi8<1, 0>[3]\n"
            "  %y = ScaledSigmoid(%x) : qi8<0.01, -128>[3]\n"
            "  Save(%y) {name = \"y\"}\n",
            "arithmetic chip has no row for ScaledSigmoid");
}

/* Sums between values of one type alone. */
static void
same_types(void **state)
{
    static const SnArithNo no[] = {
        {"Add", "there is no multiplier", SN_WHEN_SAME, 0}};
    static const char add[] = "  %%x = Placeholder() : qi8<1, 0>[3]\n"
                              "  %%z = Placeholder() : qi8<%s, 0>[3]\n"
                              "  %%y = Add(%%x, %%z) : qi8<%s, 0>[3]\n"
                              "  Save(%%y) {name = \"y\"}\n";

    (void)state;
    arith.pairs = any;
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    admitted(sn_format(A, add, "1", "1"));
    refused(sn_format(A, add, "2", "1"),
            "y (Add): arithmetic chip has no row for Add on these types: there "
            "is no multiplier");
    refused(sn_format(A, add, "1", "2"), "has no row for Add on these types");
}

/* ---- rewrites ---- */

/* Runs `pass` for a backend of float; *why: what was declined at node y. */
static SnGraph *
cleaned(const char *nodes, const char *pass, const char **why)
{
    SnDiag *d = sn_diag_new(A);
    SnGraph *g = graph(nodes, d);
    SnRewriteOpts o = sn_rewrite_defaults;

    o.backend = sn_backend_named("interp");
    o.verify = o.check_passes = true;
    SnRewriter *rw = sn_rewriter_new(A, &o, d);
    sn_record_declined(rw, true);
    if (sn_rewrite(rw, g, pass) != SN_OK)
        fail_msg("%s", sn_diag_text(d, A));
    *why = "";
    for (SnId id = 1; id < g->nnode; id++)
        for (uint32_t k = sn_declines_of(rw, id); k;
             k = sn_declines(rw)[k].before)
            *why = sn_format(A, "%s%s\n", *why, sn_declines(rw)[k].text);
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

/* The Rescale goes where the pair of types that is left has a ratio, a bias and
 * sums that are admitted, and stays where it has not. */
static void
families(void **state)
{
    static const char below[] =
        "  %x = Placeholder() : qi8<1, 0>[1,2]\n"
        "  %r = Rescale(%x) : qi8<2, 0>[1,2]\n"
        "  %w = Constant() {data = [3, 4]} : qi8<1, 0>[1,2]\n"
        "  %b = Constant() {data = [120]} : qi32<2, 0>[1]\n"
        "  %y = FullyConnected(%r, %w, %b) : qi8<1, 0>[1,1]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const char above[] =
        "  %x = Placeholder() : qi8<1, 0>[1,2]\n"
        "  %w = Constant() {data = [3, 4]} : qi8<1, 0>[1,2]\n"
        "  %c = FullyConnected(%x, %w) : qi8<1, 0>[1,1]\n"
        "  %y = Rescale(%c) : qi8<16, 0>[1,1]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const SnArithRatio m = {"x.scale * w.scale / y.scale", product_of, 3,
                                   2, 5};
    static SnArithRow row[16];
    const char *why;

    (void)state;
    arith.pairs = any;
    assert_int_equal(count(cleaned(below, "quant_cleanup", &why), SN_K_RESCALE),
                     0);
    arith.pairs.bias_bits = 8;
    arith.pairs.bias_step = 1;
    assert_int_equal(count(cleaned(below, "quant_cleanup", &why), SN_K_RESCALE),
                     1);
    assert_non_null(strstr(why, "absorb into y (FullyConnected).x: b has code "
                                "240 at 0, arithmetic chip expects 8 bits on "
                                "x.scale * w.scale"));
    arith.pairs = any;
    assert_int_equal(count(cleaned(above, "quant_cleanup", &why), SN_K_RESCALE),
                     0);
    for (uint32_t i = 0; i < arith.nrow; i++) {
        row[i] = arith.row[i];
        row[i].nratio = row[i].form == SN_FORM_CONTRACT;
        row[i].ratio = &m;
    }
    const SnArithRow *was = arith.row;
    arith.row = row;
    assert_int_equal(count(cleaned(above, "quant_cleanup", &why), SN_K_RESCALE),
                     1);
    assert_non_null(strstr(why, "merge: its ratio x.scale * w.scale / y.scale "
                                "is 0.0625, arithmetic chip expects 2^-3 to "
                                "2^1"));
    arith.row = was;
}

/* A written rule fires on what its nodes would be: two Rescales by 1/4 are one
 * by 1/16 where there is such a ratio. */
static void
written(void **state)
{
    static const char nodes[] = "  %x = Placeholder() : qi8<1, 0>[3]\n"
                                "  %r = Rescale(%x) : qi8<4, 0>[3]\n"
                                "  %y = Rescale(%r) : qi8<16, 0>[3]\n"
                                "  Save(%y) {name = \"y\"}\n";
    static const SnArithRatio r = {"x.scale / y.scale", ratio_of, 3, 2, 5};
    static SnArithRow row[16];
    const char *why;

    (void)state;
    arith.pairs = any;
    assert_int_equal(count(cleaned(nodes, "quant_cleanup", &why), SN_K_RESCALE),
                     1);
    for (uint32_t i = 0; i < arith.nrow; i++) {
        row[i] = arith.row[i];
        row[i].nratio = row[i].form == SN_FORM_CONVERT;
        row[i].ratio = &r;
    }
    const SnArithRow *was = arith.row;
    arith.row = row;
    SnGraph *g = cleaned(nodes, "quant_cleanup", &why);
    assert_int_equal(count(g, SN_K_RESCALE), 2);
    assert_non_null(strstr(why, "its ratio x.scale / y.scale is 0.0625, "
                                "arithmetic chip expects 2^-3 to 2^1"));
    assert_int_equal(sn_kind(g, sn_find(g, "y")), SN_K_RESCALE);
    assert_int_equal(sn_kind(g, sn_find(g, "r")), SN_K_RESCALE);
    arith.row = was;
}

/* A float node between Quantize and Dequantize stays float where its form of
 * codes is not admitted. */
static void
integerized(void **state)
{
    static const char nodes[] =
        "  %x = Placeholder() : qi8<1, 0>[3]\n"
        "  %d = Dequantize(%x) : f32[3]\n"
        "  %f = Sigmoid(%d) : f32[3]\n"
        "  %y = Quantize(%f) : qi8<0.00390625, -128>[3]\n"
        "  Save(%y) {name = \"y\"}\n";
    static const SnArithNo no[] = {{"Sigmoid", "the host has tables", 0, 0}};
    const char *why;

    (void)state;
    arith.pairs = any;
    assert_int_equal(count(cleaned(nodes, "integerize", &why), SN_K_QUANTIZE),
                     0);
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    assert_int_equal(count(cleaned(nodes, "integerize", &why), SN_K_QUANTIZE),
                     1);
    assert_non_null(strstr(why, "arithmetic chip has no row for Sigmoid: the "
                                "host has tables"));
}

static bool
within(const int64_t *k, int64_t a, int64_t b)
{
    (void)k;
    (void)b;
    return a > -2600 && a < 2600;
}

/* What wraps is seen by the sums that constants allow, and by codes. */
static void
products(void **state)
{
    static const char nodes[] = "  %%x = Placeholder() : qi8<1, 0>[1,2]\n"
                                "  %%w = Constant() {data = [%d, -10]} : "
                                "qi8<1, 0>[1,2]\n"
                                "  %%b = Constant() {data = [%d]} : "
                                "qi32<1, 0>[1]\n"
                                "  %%y = FullyConnected(%%x, %%w, %%b) : "
                                "qi8<32, 0>[1,1]\n"
                                "  Save(%%y) {name = \"y\"}\n";
    static const char why[] =
        "one of its products may wrap, which arithmetic chip";
    const SnArithRow *was = arith.row;
    SnArithRow row[16];

    (void)state;
    arith.pairs = any;
    assert_true(arith.nrow <= 16);
    memcpy(row, was, arith.nrow * sizeof *row);
    for (uint32_t i = 0; i < arith.nrow; i++)
        row[i].fits = row[i].form == SN_FORM_CONTRACT ? within : NULL;
    arith.row = row;
    admitted(sn_format(A, nodes, 10, 39)); /* 20 * 128 + 39 is 2599 */
    refused(sn_format(A, nodes, 10, 40), why);
    refused(sn_format(A, nodes, 10, -40), why);
    refused(sn_format(A, nodes, -11, 0), why);
    admitted(rescale("qi16<0.5, 0>", "qi16<0.25, 0>"));
    for (uint32_t i = 0; i < arith.nrow; i++)
        row[i].fits = row[i].form == SN_FORM_CONVERT ? within : NULL;
    admitted(rescale("qi8<0.5, 0>", "qi8<0.25, 0>"));
    refused(rescale("qi16<0.5, 0>", "qi16<0.25, 0>"), why);
    arith.row = was;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_points), cmocka_unit_test(powers),
        cmocka_unit_test(weights),     cmocka_unit_test(constants),
        cmocka_unit_test(codes),       cmocka_unit_test(biases),
        cmocka_unit_test(sums),        cmocka_unit_test(ratios),
        cmocka_unit_test(kinds),       cmocka_unit_test(same_types),
        cmocka_unit_test(families),    cmocka_unit_test(written),
        cmocka_unit_test(integerized), cmocka_unit_test(products),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
