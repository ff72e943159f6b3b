// SPDX-License-Identifier: Apache-2.0
/* Scales that the quantizer chooses where an arithmetic restricts types and
 * pairs of types.  The arithmetic is this test's own, with the rows of
 * `single`. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "quant/quantize.h"
#include "sn_arith.h"
#include "sn_kinds.h"
#include "unit/parse.h"

static SnArith arith;
static SnArithRow row[16];

static const SnArithPairs any = {
    .some = true,
    .type = {{INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false},
             {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false}}};

static int
chip(void **state)
{
    static const SnArith *const list[] = {&arith};

    setup(state);
    arith = sn_arith_single;
    arith.name = "chip";
    arith.pairs = any;
    sn_more_kinds.narith = 1;
    sn_more_kinds.arith = list;
    return 0;
}

/* ---- limits ---- */

static void
limits(void **state)
{
    SnCodeLimits l = {-128, 127, -128, 127, true};
    SnParam p = sn_choose_within(SN_ASYMMETRIC, &l, -1, 3, 0);

    (void)state;
    assert_true(p.scale == 0x1p-5f && p.zp == 0);
    p = sn_choose_within(SN_ASYMMETRIC, &l, -1, 3, 0.04);
    assert_true(p.scale == 0x1p-4f && p.zp == 0);
    l.power = false;
    l.zlo = l.zhi = 0;
    p = sn_choose_within(SN_ASYMMETRIC, &l, -1, 3, 0);
    assert_true(p.scale == (float)(3.0 / 127) && p.zp == 0);
    l.qlo = -127;
    p = sn_choose_within(SN_SYMMETRIC, &l, -3, 1, 0);
    assert_true(p.scale == (float)(3.0 / 127));
    /* 0 is no zero point: all codes from -120 on are there for [0, 2.47] */
    l = (SnCodeLimits){-128, 127, -120, -100, false};
    p = sn_choose_within(SN_SYMMETRIC, &l, 0, 2.47, 0);
    assert_true(p.zp == -120 && p.scale == (float)(2.47 / 247));
    l.power = true;
    p = sn_choose_within(SN_ASYMMETRIC, &l, 0, 2.47, 0);
    assert_true(p.zp == -120 && p.scale == 0x1p-6f);
    /* what float has is what it had */
    p = sn_choose(SN_ASYMMETRIC, SN_QI8, -1, 3, 0);
    assert_true(p.scale == (float)(4.0 / 255) && p.zp == -64);
}

/* ---- graphs ---- */

static SnProfile *
ranges(uint32_t n, const char *const *name, const float (*range)[2])
{
    SnProfile *p = SN_NEW(a, SnProfile);

    p->model = "net";
    for (uint32_t i = 0; i < n; i++) {
        SnHist h;
        sn_hist_init(&h, a, name[i]);
        sn_hist_add(&h, range[i], 2);
        SN_PUSH(a, p->hist, p->n, h);
    }
    sn_profile_index(a, p);
    return p;
}

static SnStatus
quantize(const char *nodes, const SnProfile *p, SnGraph **g, SnQuantReport *r)
{
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};
    SnRewriter *rw;

    *g = parse(sn_format(a, "sinter-graph 1\ngraph \"net\" {\n%s}\n", nodes));
    (*g)->rounding = sn_arith_named("chip");
    o.channelwise = o.rowwise = true;
    o.rewrite.verify = true;
    return sn_quantize_graph(a, *g, p, &o, &rw, d, r);
}

static SnGraph *
quantized(const char *nodes, uint32_t n, const char *const *name,
          const float (*range)[2], uint32_t nfloat)
{
    SnQuantReport r;
    SnGraph *g;

    if (quantize(nodes, ranges(n, name, range), &g, &r) != SN_OK ||
        sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    if (r.nfloat != nfloat)
        fail_msg("%u nodes stay float: %s", r.nfloat,
                 r.nfloat ? r.left_float[0].why : "");
    return g;
}

static const SnType *
type_named(const SnGraph *g, const char *name)
{
    SnRef r = sn_find(g, name);

    if (!r)
        fail_msg("no value '%s'", name);
    return sn_type(g, r);
}

static uint32_t
count(const SnGraph *g, SnKind k)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead && sn_node(g, id)->kind == k;
    return n;
}

static const char dense[] = "  %x = Placeholder() : f32[1,2]\n"
                            "  %w = Constant() {data = [1, -2, 0.5, 0.25]} : "
                            "f32[2,2]\n"
                            "  %b = Constant() {data = [1.3, -0.7]} : f32[2]\n"
                            "  %y = FullyConnected(%x, %w, %b) : f32[1,2]\n"
                            "  Save(%y) {name = \"out\"}\n";
static const char *const dense_name[] = {"x", "y"};
static const float dense_range[][2] = {{-1, 1}, {-4, 4}};

/* Powers of two, one scale for all weights, biases of 8 bits in steps of 16. */
static void
powers(void **state)
{
    SnArithPairs *p = &arith.pairs;

    (void)state;
    *p = any;
    for (int i = 0; i < SN_NROLE; i++) {
        p->type[i].zlo = p->type[i].zhi = 0;
        p->type[i].power = p->type[i].tensor = true;
    }
    p->bias_bits = 8;
    p->bias_step = 16;
    SnGraph *g = quantized(dense, 2, dense_name, dense_range, 0);
    assert_true(type_named(g, "x.q")->scale[0] == 0x1p-6f);
    assert_true(type_named(g, "y")->scale[0] == 0x1p-4f);
    const SnNode *n = sn_def(g, sn_find(g, "y"));
    const SnType *w = sn_type(g, n->in[1].ref);
    /* not 2^-6, which is enough for the weights: 1.3 is 332.8 * 16 * 2^-12 */
    assert_true(w->axis < 0 && w->scale[0] == 0x1p-4f);
    const int32_t *b = sn_def(g, n->in[2].ref)->data;
    assert_int_equal(b[0], 83 * 16);
    assert_int_equal(b[1], -45 * 16);
}

/* A bias of 8 bits that would not fit raises the weights' scale. */
static void
biases(void **state)
{
    (void)state;
    arith.pairs = any;
    arith.pairs.bias_bits = 8;
    arith.pairs.bias_step = 1;
    arith.pairs.type[SN_ROLE_X].zlo = arith.pairs.type[SN_ROLE_X].zhi = 0;
    SnGraph *g = quantized(dense, 2, dense_name, dense_range, 0);
    const SnNode *n = sn_def(g, sn_find(g, "y"));
    const SnType *w = sn_type(g, n->in[1].ref);
    const int32_t *b = sn_def(g, n->in[2].ref)->data;
    assert_int_equal(b[0], 127);
    assert_int_equal(b[1], -127);
    assert_true(fabs((double)w->scale[0] - 1.3) < 1e-3);
}

/* Where the grid of biases is coarse, and x is small nearly always, the largest
 * weight is cut off for a grid half as wide; never where the grid is fine. */
static void
coarse_biases(void **state)
{
    static const char nodes[] =
        "  %x = Placeholder() : f32[1,2]\n"
        "  %w = Constant() {data = [2, 0.5, 0.25, 0.5]}"
        " : f32[2,2]\n"
        "  %b = Constant() {data = [0.007936, 0.023808]} : "
        "f32[2]\n"
        "  %y = FullyConnected(%x, %w, %b) : f32[1,2]\n"
        "  Save(%y) {name = \"out\"}\n";
    static const float range[][2] = {{0, 1}, {-4, 4}};
    const double want[] = {1, 2};

    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        SnProfile *p = ranges(2, dense_name, range);
        SnQuantReport r;
        SnGraph *g;
        arith.pairs = any;
        arith.pairs.bias_bits = 16;
        arith.pairs.bias_step = fine ? 1 : 128;
        for (int i = 0; i < SN_NROLE; i++) {
            arith.pairs.type[i].zlo = arith.pairs.type[i].zhi = 0;
            arith.pairs.type[i].tensor = true;
        }
        sn_hist_put(&p->hist[0], 0, 100000000);
        p->hist[0].count += 100000000;
        assert_int_equal(quantize(nodes, p, &g, &r), SN_OK);
        assert_int_equal(sn_verify(g, d), SN_OK);
        const SnNode *n = sn_def(g, sn_find(g, "y"));
        const SnType *w = sn_type(g, n->in[1].ref);
        assert_true(w->scale[0] == (float)(want[fine] / 127));
        const int8_t *q = sn_def(g, n->in[1].ref)->data;
        assert_int_equal(q[0], 127);
        assert_int_equal(q[1], fine ? 32 : 64);
    }
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

/* Rows of the form have this window. */
static void
window(SnForm form, int bits, int lo, int hi)
{
    static SnArithRatio r;

    r = (SnArithRatio){form == SN_FORM_CONTRACT ? "x.scale * w.scale / y.scale"
                                                : "x.scale / y.scale",
                       form == SN_FORM_CONTRACT ? product_of : ratio_of, bits,
                       lo, hi};
    assert_true(arith.nrow <= 16);
    for (uint32_t i = 0; i < sn_arith_single.nrow; i++) {
        row[i] = sn_arith_single.row[i];
        row[i].nratio = row[i].form == form;
        row[i].ratio = &r;
    }
    arith.row = row;
}

/* 1/127 * 2/127 / (4/127) is 2^-8: with ratios from 2^-4 on the weights get a
 * larger scale, with ratios below 2^-10 the result does. */
static void
ratios(void **state)
{
    (void)state;
    arith.pairs = any;
    for (int i = 0; i < SN_NROLE; i++)
        arith.pairs.type[i].zlo = arith.pairs.type[i].zhi = 0;
    window(SN_FORM_CONTRACT, 8, 2, 11);
    SnGraph *g = quantized(dense, 2, dense_name, dense_range, 0);
    const SnNode *n = sn_def(g, sn_find(g, "y"));
    double x = (double)type_named(g, "x.q")->scale[0];
    double y = (double)type_named(g, "y")->scale[0];
    const SnType *w = sn_type(g, n->in[1].ref);
    assert_true(y == (double)(float)(4.0 / 127));
    for (uint32_t i = 0; i < 2; i++) {
        double m = x * (double)w->scale[i] / y;
        assert_true(m >= 0x1p-4 && m < 0x1.01p-4);
    }
    window(SN_FORM_CONTRACT, 8, 18, 30);
    g = quantized(dense, 2, dense_name, dense_range, 0);
    n = sn_def(g, sn_find(g, "y"));
    y = (double)type_named(g, "y")->scale[0];
    w = sn_type(g, n->in[1].ref);
    double m = x * (double)w->scale[0] / y;
    assert_true(m < 0x1p-10 && m > 0x1.fp-11);
    arith.row = sn_arith_single.row;
}

static const char join[] = "  %x = Placeholder() : f32[1,2]\n"
                           "  %r = Relu(%x) : f32[1,2]\n"
                           "  %t = Tanh(%x) : f32[1,2]\n"
                           "  %n = Neg(%t) : f32[1,2]\n"
                           "  %y = Concat(%r, %n) {axis = 1} : f32[1,4]\n"
                           "  Save(%y) {name = \"out\"}\n";
static const char *const join_name[] = {"x", "r", "t", "n", "y"};
static const float join_range[][2] = {
    {-2, 4}, {0, 4}, {-1, 1}, {-1, 1}, {-1, 4}};

/* Where no Rescale can stand, what a node joins has one type. */
static void
no_rescale(void **state)
{
    static const SnArithNo no[] = {
        {"Rescale", "there is no unit for it", 0, 0}};

    (void)state;
    arith.pairs = any;
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    SnGraph *g = quantized(join, 5, join_name, join_range, 0);
    assert_int_equal(count(g, SN_K_RESCALE), 0);
    assert_ptr_equal(type_named(g, "r"), type_named(g, "y"));
    assert_ptr_equal(type_named(g, "n"), type_named(g, "y"));
    /* it covers -1 to 4 */
    const SnType *t = type_named(g, "y");
    assert_true((double)t->scale[0] * (127 - t->zp[0]) >= 4 - 0.01);
    assert_true((double)t->scale[0] * (-128 - t->zp[0]) <= -1 + 0.01);
}

/* A sum between values of one type alone gives all three the widest. */
static void
one_type(void **state)
{
    static const char nodes[] = "  %x = Placeholder() : f32[1,2]\n"
                                "  %a = Neg(%x) : f32[1,2]\n"
                                "  %b = Abs(%x) : f32[1,2]\n"
                                "  %y = Add(%a, %b) : f32[1,2]\n"
                                "  Save(%y) {name = \"out\"}\n";
    static const char *const name[] = {"x", "a", "b", "y"};
    static const float range[][2] = {{-1, 2}, {-2, 1}, {0, 2}, {-1, 3}};
    static const SnArithNo no[] = {
        {"Add", "there is no multiplier", SN_WHEN_SAME, 0}};

    (void)state;
    arith.pairs = any;
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    arith.pairs.type[SN_ROLE_X].zlo = arith.pairs.type[SN_ROLE_X].zhi = 0;
    SnGraph *g = quantized(nodes, 4, name, range, 0);
    assert_ptr_equal(type_named(g, "a"), type_named(g, "y"));
    assert_ptr_equal(type_named(g, "b"), type_named(g, "y"));
    assert_true(type_named(g, "y")->scale[0] == (float)(3.0 / 127));
    assert_true(type_named(g, "x.q")->scale[0] == (float)(2.0 / 127));
}

/* No scales will do: Relu's operand and result have one type, but a ratio of 1
 * is none that the machine has. */
static void
impossible(void **state)
{
    static const char nodes[] = "  %x = Placeholder() : f32[1,2]\n"
                                "  %r = Relu(%x) : f32[1,2]\n"
                                "  %y = Concat(%r, %x) {axis = 1} : f32[1,4]\n"
                                "  Save(%y) {name = \"out\"}\n";
    static const char *const name[] = {"x", "r", "y"};
    static const float range[][2] = {{-2, 2}, {0, 2}, {-2, 2}};
    static const SnArithNo no[] = {
        {"Rescale", "there is no unit for it", 0, 0}};
    SnQuantReport r;
    SnGraph *g;

    (void)state;
    arith.pairs = any;
    arith.pairs.nno = 1;
    arith.pairs.no = no;
    window(SN_FORM_CONVERT, 8, 10, 20);
    assert_int_equal(quantize(nodes, ranges(3, name, range), &g, &r),
                     SN_EUNSUPPORTED);
    assert_non_null(strstr(sn_diag_text(d, a),
                           "r (Relu): no scales above those of the profile "
                           "are admitted: its ratio x.scale / y.scale is 1, "
                           "arithmetic chip expects 2^-13 to 2^-2"));
    arith.row = sn_arith_single.row;
}

/* Sums within 12 bits: 2 * 128 * 127 would take 16. */
static void
sums(void **state)
{
    (void)state;
    arith.pairs = any;
    arith.pairs.acc_bits = 12;
    for (int i = 0; i < SN_NROLE; i++)
        arith.pairs.type[i].zlo = arith.pairs.type[i].zhi = 0;
    static const char nodes[] = "  %x = Placeholder() : f32[1,2]\n"
                                "  %w = Constant() {data = [1, -1, 0.5, 0.25]} "
                                ": f32[2,2]\n"
                                "  %y = FullyConnected(%x, %w) : f32[1,2]\n"
                                "  Save(%y) {name = \"out\"}\n";
    SnGraph *g = quantized(nodes, 2, dense_name, dense_range, 0);
    const SnNode *n = sn_def(g, sn_find(g, "y"));
    const int8_t *w = sn_def(g, n->in[1].ref)->data;
    assert_true(w[0] > 0 && w[1] < 0);
    assert_true((w[0] - w[1]) * 128 < 2048);
    assert_true((w[2] + w[3]) * 128 < 2048);
    assert_true((w[0] - w[1]) * 128 >= 1500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),        cmocka_unit_test(powers),
        cmocka_unit_test(biases),        cmocka_unit_test(ratios),
        cmocka_unit_test(no_rescale),    cmocka_unit_test(one_type),
        cmocka_unit_test(impossible),    cmocka_unit_test(sums),
        cmocka_unit_test(coarse_biases),
    };

    return cmocka_run_group_tests(tests, chip, teardown);
}
