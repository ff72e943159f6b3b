// SPDX-License-Identifier: Apache-2.0
/* Bounds of rows against operators of reals: linear forms by values worked out
 * by hand, bounds of the core's rows by all operands, or by drawn ones, and
 * nodes of a graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/lang/row_bound.h"
#include "graph/text/text.h"
#include "graph/verify/twin.h"
#include "graph/verify/weights.h"
#include "kernel/eval/rows.h"
#include "sn_arith.h"
#include "sn_kinds.h"

static uint64_t seed = 17;

static uint64_t
draw(uint64_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (seed * UINT64_C(2685821657736338717) >> 16) % n;
}

static float
scale(void)
{
    double u = draw(3) == 0 ? 1 : 1 + (double)draw(1 << 23) * 0x1p-23;

    return (float)ldexp(u, (int)draw(8) - 6);
}

/* ---- linear forms ---- */

static const SnLinBox box = {{-100, -3}, {50, 7}};

static void
is(SnLin x, double lo, double hi)
{
    assert_null(x.why);
    if (!(fabs(x.lo - lo) < 1e-7 && fabs(x.hi - hi) < 1e-7))
        fail_msg("error in [%.12g, %.12g], expected [%g, %g]", x.lo, x.hi, lo,
                 hi);
}

static void
no_bound(SnLin x, const char *why)
{
    assert_non_null(x.why);
    assert_string_equal(x.why, why);
}

static void
shifts(void **state)
{
    SnLin a = sn_lin_in(&box, 0), b = sn_lin_in(&box, 1);
    SnLin two = sn_lin_int(2), five = sn_lin_int(5);

    (void)state;
    is(sn_lin_shr(a, two, SN_LIN_FLOOR), -0.75, 0);
    is(sn_lin_shr(a, two, SN_LIN_ZERO), -0.75, 0.75);
    is(sn_lin_shr(a, two, SN_LIN_HALF_UP), -0.25, 0.5);
    is(sn_lin_shr(a, two, SN_LIN_HALF_AWAY), -0.5, 0.5);
    is(sn_lin_shr(a, two, SN_LIN_HALF_EVEN), -0.5, 0.5);
    /* of what is not negative */
    a = sn_lin_add(a, sn_lin_int(100));
    is(sn_lin_shr(a, two, SN_LIN_ZERO), -0.75, 0);
    is(sn_lin_shr(a, two, SN_LIN_HALF_AWAY), -0.25, 0.5);
    /* a fifth is never a half */
    is(sn_lin_div(b, five, SN_LIN_HALF_UP), -0.4, 0.4);
    is(sn_lin_div(b, five, SN_LIN_FLOOR), -0.8, 0);
    /* twice: 3/8 and what the second adds */
    b = sn_lin_shr(b, sn_lin_int(3), SN_LIN_HALF_UP);
    is(b, -0.375, 0.5);
    is(sn_lin_shr(b, two, SN_LIN_HALF_UP), -0.34375, 0.625);
    is(sn_lin_shl(b, two), -1.5, 2);
    is(sn_lin_shr(b, sn_lin_int(-1), SN_LIN_FLOOR), -0.75, 1);
}

static void
products(void **state)
{
    SnLin a = sn_lin_in(&box, 0), b = sn_lin_in(&box, 1), p;
    double lo, hi;

    (void)state;
    p = sn_lin_mul(a, b);
    is(p, 0, 0);
    sn_lin_range(&p, &lo, &hi);
    assert_true(lo <= -700 && lo > -700.1 && hi >= 350 && hi < 350.1);
    assert_true(p.c[3] == 1);
    /* -100 and 50 times an error of [0, 1) */
    p = sn_lin_mul(a, sn_lin_shr(sn_lin_shl(b, sn_lin_int(1)), sn_lin_int(1),
                                 SN_LIN_FLOOR));
    is(p, -25, 50);
    no_bound(sn_lin_mul(a, a), "it multiplies an operand by itself");
    no_bound(sn_lin_mul(p, sn_lin_add(a, b)),
             "it multiplies an operand by itself");
    /* 2 a, or 3 a: [-100, 50] apart */
    p = sn_lin_select(sn_lin_mul(a, sn_lin_int(2)),
                      sn_lin_mul(a, sn_lin_int(3)));
    is(p, -100, 50);
}

static void
ends(void **state)
{
    SnLin a = sn_lin_in(&box, 0), b = sn_lin_in(&box, 1);

    (void)state;
    is(sn_lin_sat(a, 8), 0, 0);
    no_bound(sn_lin_sat(a, 7), "a part of it may saturate");
    no_bound(sn_lin_wrap(a, 7), "a part of it may wrap");
    no_bound(sn_lin_shr(a, b, SN_LIN_FLOOR), "a shift is not constant");
    no_bound(sn_lin_div(a, sn_lin_int(0), SN_LIN_FLOOR),
             "a divisor is not constant, or 0");
    /* binary32 has 24 bits */
    is(sn_lin_f32(sn_lin_mul(a, sn_lin_int(100000))), 0, 0);
    SnLin w = sn_lin_f32(sn_lin_mul(a, sn_lin_int(1 << 20)));
    assert_true(w.hi > 6.2 && w.hi < 6.3);
    /* which way it goes, where nothing else is known */
    assert_true(sn_lin_sat(a, 7).way & SN_LIN_UP_A);
    assert_false(sn_lin_wrap(a, 7).way & SN_LIN_UP_A);
    assert_true(sn_lin_neg(a).way & SN_LIN_DOWN_A);
    assert_false(sn_lin_neg(a).way & SN_LIN_UP_A);
}

static void
reals(void **state)
{
    SnLin a = sn_lin_in(&box, 0), b = sn_lin_in(&box, 1), p;
    double lo, hi;

    (void)state;
    p = sn_lin_over(a, sn_lin_real(0.25));
    is(p, 0, 0);
    assert_true(p.c[1] == 4);
    p = sn_lin_over(a, sn_lin_real(-0.25));
    sn_lin_range(&p, &lo, &hi);
    assert_true(lo <= -200 && lo > -200.1 && hi >= 400 && hi < 400.1);
    assert_true(p.way & SN_LIN_DOWN_A);
    assert_false(p.way & SN_LIN_UP_A);
    no_bound(sn_lin_over(a, sn_lin_int(0)), "a divisor is not constant, or 0");
    no_bound(sn_lin_over(a, b), "a divisor is not constant, or 0");
    no_bound(sn_lin_exponent(a), "a shift is not constant");
    p = sn_lin_ldexp(sn_lin_real(3), sn_lin_int(-2));
    sn_lin_range(&p, &lo, &hi);
    assert_true(fabs(lo - 0.75) < 1e-6 && fabs(hi - 0.75) < 1e-6);
    assert_true(sn_lin_ldexp(a, sn_lin_int(4)).c[1] == 16);
    no_bound(sn_lin_ldexp(a, b), "a power of two is not constant");
    no_bound(sn_lin_ldexp(a, sn_lin_int(301)),
             "a power of two is not constant");
    /* The smaller of a and a + 3 is 0 to 3 below a + 3, and does not fall. */
    p = sn_lin_min(a, sn_lin_add(a, sn_lin_int(3)));
    is(p, 0, 3);
    assert_true(p.way & SN_LIN_UP_A);
    p = sn_lin_max(sn_lin_neg(a), sn_lin_int(0));
    sn_lin_range(&p, &lo, &hi);
    assert_true(lo <= -50 && hi >= 100);
    assert_true(p.way & SN_LIN_DOWN_A);
    assert_false(p.way & SN_LIN_UP_A);
}

/* ---- rows ---- */

typedef struct Seen {
    int64_t lo, hi;
    uint32_t n, nlo, nhi; /* bounds, and those that were reached */
} Seen;

static void
hold(Seen *s, const SnRowTask *t, const SnRowBound *b, int64_t lo, int64_t hi)
{
    if (b->why)
        fail_msg("%s: %s", t->row->name, b->why);
    if (lo < b->lo || hi > b->hi)
        fail_msg("%s: %lld to %lld, bound %lld to %lld", t->row->name,
                 (long long)lo, (long long)hi, (long long)b->lo,
                 (long long)b->hi);
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
    s->n++;
    s->nlo += lo == b->lo;
    s->nhi += hi == b->hi;
}

static SnRowTask
drawn(SnRounding by, SnForm form, const char *map, unsigned when)
{
    SnRowTask t = {.form = form,
                   .lo = {-128, -128},
                   .hi = {127, 127},
                   .code_lo = -128,
                   .code_hi = 127};

    t.g = (SnRowGrids){{scale(), scale(), scale()},
                       {(int32_t)draw(256) - 128, (int32_t)draw(256) - 128,
                        (int32_t)draw(256) - 128},
                       1,
                       0,
                       {1, 1}};
    t.row = sn_arith_row(sn_arith_at(by), form, map, when);
    assert_non_null(t.row);
    return t;
}

/* Of codes: the bound from the formula holds what all of them give. */
static Seen
codes(SnRounding by, SnForm form, unsigned when, uint32_t n)
{
    Seen s = {0};

    for (uint32_t i = 0; i < n; i++) {
        SnRowTask t = drawn(by, form, NULL, when);
        SnRowBound b = sn_row_bound(&t), all;
        assert_true(sn_row_bound_all(&t, &all));
        hold(&s, &t, &b, all.lo, all.hi);
    }
    return s;
}

/* Of codes by the row for any point, which is given the real.  sn_row_code
 * takes no reals: the steps are those of numerics.md. */
static Seen
points(SnForm form, uint32_t n)
{
    Seen s = {0};

    for (uint32_t i = 0; i < n; i++) {
        SnRowTask t =
            drawn(SN_ROUNDING_FLOAT, SN_FORM_POINT, NULL, SN_WHEN_AFTER);
        t.form = form;
        SnRowBound b = sn_row_bound(&t);
        int64_t lo = 0, hi = 0;
        for (int64_t j = 0; j < 65536; j += form == SN_FORM_CONVERT ? 256 : 1) {
            int64_t x = j / 256 - 128, y = j % 256 - 128;
            float u = (float)(x - t.g.zp[1]) * t.g.scale[1];
            float v = (float)(y - t.g.zp[2]) * t.g.scale[2];
            float r = form == SN_FORM_CONVERT      ? u
                      : form == SN_FORM_SUM        ? u + v
                      : form == SN_FORM_DIFFERENCE ? u - v
                                                   : u * v;
            float q = r / t.g.scale[0];
            q += (float)t.g.zp[0];
            int64_t code = (int64_t)fmin(fmax(nearbyint((double)q), -128), 127);
            int64_t d = code - sn_row_operator(&t, x, y);
            lo = d < lo ? d : lo;
            hi = d > hi ? d : hi;
        }
        hold(&s, &t, &b, lo, hi);
    }
    return s;
}

/* Of sums up to `most`: drawn ones, more of them near 0. */
static Seen
sums(SnRounding by, SnForm form, const char *map, uint32_t n)
{
    Seen s = {0};

    for (uint32_t i = 0; i < n; i++) {
        SnRowTask t = drawn(by, form, map, 0);
        t.g.n = form == SN_FORM_MEAN ? 1 + (int64_t)draw(100) : 1;
        t.nterm = 1;
        t.hi[0] = t.most = ldexp(1, (int)draw(24) + 6);
        t.lo[0] = -t.most;
        SnRowBound b = sn_row_bound(&t);
        int64_t k[SN_ROW_NK], lo = 0, hi = 0;
        t.row->open(&t.g, k);
        for (int j = 0; j < 4000; j++) {
            int64_t a = (int64_t)draw(UINT64_C(1) << (1 + draw(30)));
            a = (a > (int64_t)t.most ? a % (int64_t)t.most : a) *
                (draw(2) ? 1 : -1);
            int64_t d = sn_row_code(t.row, k, a, 0, -128, 127) -
                        sn_row_operator(&t, a, 0);
            lo = d < lo ? d : lo;
            hi = d > hi ? d : hi;
        }
        hold(&s, &t, &b, lo, hi);
    }
    return s;
}

/* One code less than the bound would not hold. */
static void
reached(const char *what, Seen s, uint32_t least)
{
    print_message("%s: %u bounds, %u reached below, %u above\n", what, s.n,
                  s.nlo, s.nhi);
    assert_true(s.nlo + s.nhi >= least);
    assert_true(s.lo == -1 || s.hi == 1);
}

static void
rows(void **state)
{
    (void)state;
    reached("single convert",
            codes(SN_ROUNDING_SINGLE, SN_FORM_CONVERT, 0, 2000), 40);
    reached("double convert",
            codes(SN_ROUNDING_DOUBLE, SN_FORM_CONVERT, 0, 2000), 400);
    reached("float sum after",
            codes(SN_ROUNDING_FLOAT, SN_FORM_SUM, SN_WHEN_AFTER, 40), 3);
    reached("float product after",
            codes(SN_ROUNDING_FLOAT, SN_FORM_PRODUCT, SN_WHEN_AFTER, 40), 2);
    reached("point convert", points(SN_FORM_CONVERT, 2000), 40);
    reached("point sum", points(SN_FORM_SUM, 40), 1);
    reached("point difference", points(SN_FORM_DIFFERENCE, 40), 1);
    reached("point product", points(SN_FORM_PRODUCT, 40), 1);
    SnRowTask t = drawn(SN_ROUNDING_FLOAT, SN_FORM_POINT, NULL, SN_WHEN_AFTER);
    t.form = SN_FORM_CONTRACT;
    assert_string_equal(sn_row_bound(&t).why, "a sum of products has no row");
    reached("single contract",
            sums(SN_ROUNDING_SINGLE, SN_FORM_CONTRACT, "conv", 200), 3);
    reached("double contract",
            sums(SN_ROUNDING_DOUBLE, SN_FORM_CONTRACT, "conv", 200), 20);
    reached("single mean",
            sums(SN_ROUNDING_SINGLE, SN_FORM_MEAN, "reduce", 200), 3);
}

/* ---- nodes ---- */

static SnGraph *
graph(SnArena *a, const char *text)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnDiag *d = sn_diag_new(a);
    SnGraph *g;

    src->name = "g";
    src->text = text;
    src->nbyte = strlen(text);
    if (sn_parse(a, src, ".", d, &g) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

/* The bound of the node as text, NULL: it is none that has one. */
static const char *
bound_of(SnArena *a, const SnGraph *g, const char *name)
{
    for (SnId i = 1; i < g->nnode; i++) {
        SnTwinBound b;
        if (!sn_node(g, i) || sn_node(g, i)->dead || !sn_node(g, i)->nres ||
            strcmp(sn_name(g, SN_REF(i, 0)), name) != 0)
            continue;
        SnCall c = sn_node_call(g, i, a);
        if (!sn_twin_bound(&c, &b))
            return NULL;
        return b.by.why
                   ? b.by.why
                   : sn_format(a, "%lld..%lld%s%s%s", (long long)b.by.lo,
                               (long long)b.by.hi, b.by.exact ? " reached" : "",
                               b.row ? " by " : "", b.row ? b.row : "");
    }
    fail_msg("no node %s", name);
    return NULL;
}

static void
nodes(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"g\" rounding double {\n"
        "  %f = Placeholder() : f32[1,4,4,2]\n"
        "  %x = Quantize(%f) : qi8<0.05, 3>[1,4,4,2]\n"
        "  %w = Constant() {data = [1, -2, 3, 4]} : "
        "qi8<axis=0, [0.1, 0.2], [0, 0]>[2,1,1,2]\n"
        "  %c = ChannelwiseConv2D(%x, %w, _) {kernel = [1,1]} : "
        "qi8<0.07, -4>[1,4,4,2]\n"
        "  %r = Rescale(%c) : qi8<0.14, 3>[1,4,4,2]\n"
        "  %u = Relu(%c) : qi8<0.14, -128>[1,4,4,2]\n"
        "  %s = Add(%r, %x) : qi8<0.09, 0>[1,4,4,2]\n"
        "  %p = AvgPool(%s) {kernel = [2,2]} : qi8<0.09, 0>[1,3,3,2]\n"
        "  %m, %i = MaxPool(%p) {kernel = [2,2]} : "
        "(qi8<0.09, 0>[1,2,2,2], i64[1,2,2,2])\n"
        "  %t = Sigmoid(%m) : qi8<0.00390625, -128>[1,2,2,2]\n"
        "  %y = Dequantize(%t) : f32[1,2,2,2]\n"
        "  Save(%y) {name = \"y\"}\n"
        "  Save(%u) {name = \"v\"}\n"
        "}\n";
    SnArena *a = sn_arena_new();
    SnGraph *g = graph(a, text);

    (void)state;
    assert_null(bound_of(a, g, "f"));
    assert_null(bound_of(a, g, "w"));
    assert_null(bound_of(a, g, "y"));
    assert_string_equal(bound_of(a, g, "x"), "0..0 reached");
    assert_string_equal(bound_of(a, g, "c"), "-1..1 by sn_double_contract");
    assert_string_equal(bound_of(a, g, "r"),
                        "0..1 reached by sn_double_convert");
    assert_string_equal(bound_of(a, g, "u"),
                        "0..1 reached by sn_double_convert");
    assert_string_equal(bound_of(a, g, "s"), "0..0 reached");
    assert_string_equal(bound_of(a, g, "p"), "-1..1");
    assert_string_equal(bound_of(a, g, "m"), "0..0 reached");
    assert_string_equal(bound_of(a, g, "t"),
                        "ONNX does not say how its operator of reals rounds");
    sn_arena_free(a);
}

/* A filter that is computed, or one for each matrix, has no channels of which
 * more is known: its scales have bounds all the same. */
static void
unknown_filters(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"g\" rounding double {\n"
                               "  %x = Placeholder() : qi8<0.05, 3>[2,16,64]\n"
                               "  %w = Placeholder() : qi8<0.01, 0>[2,64,16]\n"
                               "  %b = MatMul(%x, %w) : qi8<0.03, 0>[2,16,16]\n"
                               "  %v = Placeholder() : qi8<0.01, 0>[64,16]\n"
                               "  %m = MatMul(%x, %v) : qi8<0.03, 0>[2,16,16]\n"
                               "  Save(%b) {name = \"b\"}\n"
                               "  Save(%m) {name = \"m\"}\n"
                               "}\n";
    SnArena *a = sn_arena_new();
    SnGraph *g = graph(a, text);

    (void)state;
    assert_string_equal(bound_of(a, g, "m"), "-1..1 by sn_double_contract");
    assert_string_equal(bound_of(a, g, "b"), bound_of(a, g, "m"));
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts),
        cmocka_unit_test(products),
        cmocka_unit_test(ends),
        cmocka_unit_test(reals),
        cmocka_unit_test(rows),
        cmocka_unit_test(nodes),
        cmocka_unit_test(unknown_filters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
