// SPDX-License-Identifier: Apache-2.0
/* What is derived of rows' formulas (prove_property.c): which property each
 * has, and that those derived hold for codes on several grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dsl/prove/trial/prove_arith.h"
#include "unit/defs.h"

/* D: derived, R: run, X: refuted, -: neither. */
static const struct {
    const char *form, *formula;
    const char *truth; /* monotone, odd, and that it commutes */
} cases[] = {
    {"convert", "x", "DD-"},
    {"convert", "-x", "XD-"},
    {"convert", "-(-x)", "DD-"},
    {"convert", "x + 1", "DX-"},
    {"convert", "x * 0", "DD-"},
    {"convert", "3 - x", "XX-"},
    {"convert", "x * -2", "XD-"},
    {"convert", "x * (2 - 5)", "XD-"},
    {"convert", "-2 * (x * -2)", "DD-"},
    {"convert", "x * x", "XX-"},
    {"convert", "x * x * x", "-D-"},
    {"convert", "div(x, 2, zero)", "DD-"},
    {"convert", "div(x, -2, zero)", "XD-"},
    {"convert", "div(x, 2, floor)", "DX-"},
    {"convert", "div(x, 2, half_even)", "DD-"},
    {"convert", "div(100, x * x + 1, zero)", "XX-"},
    {"convert", "shr(x, 1, half_away)", "DD-"},
    {"convert", "shr(x, 1, half_up)", "DX-"},
    {"convert", "shr(8, max(x, 0), zero)", "XX-"},
    {"convert", "x << 1", "DD-"},
    {"convert", "1 << min(max(x, 0), 4)", "-X-"},
    {"convert", "mulshr(x, 3, 1, zero)", "DD-"},
    {"convert", "mulshr(x, x, 1, zero)", "XX-"},
    {"convert", "mulshr(x, x, 1, floor)", "XX-"},
    {"convert", "mulshr(x, 3, 1, floor)", "DX-"},
    {"convert", "mulshr(3, x, 1, zero)", "DD-"},
    {"convert", "mulshr(x.zp, x, 1, zero)", "XD-"},
    {"convert", "sat(x * 2, 8)", "DD-"},
    {"convert", "wrap(x, 8)", "DD-"},
    {"convert", "rne(f32(x) * 0.5)", "DD-"},
    {"convert", "rne(f32(x) * -0.5)", "XD-"},
    {"convert", "rne(f32(x) / x.scale)", "DD-"},
    {"convert", "rne(f32(x) / (x.scale - y.scale))", "XD-"},
    {"convert", "rne(f32(x) / 3)", "DD-"},
    {"convert", "rne(2.0 / f32(x * x + 1))", "XX-"},
    {"convert", "rne(ldexp(f32(x), 1))", "DD-"},
    {"convert", "rne(fma(f32(x), x.scale, f32(x)))", "DD-"},
    {"convert", "rne(fma(f32(x), f32(x), 1))", "XX-"},
    {"convert", "rne(fma(f32(x), 0.5, y.zp))", "D--"},
    {"convert", "rne(fma(2, 0.5, f32(x)))", "DX-"},
    {"convert", "min(x, 7)", "DX-"},
    {"convert", "max(-x, x)", "XX-"},
    {"convert", "max(x, x * 2)", "DX-"},
    {"convert", "select(x >= 0, 1, -1)", "D--"},
    {"convert", "select(x > 0, -1, 1)", "X--"},
    {"convert", "select(x < 0, -1, 1)", "D--"},
    {"convert", "select(x <= 0, 1, -1)", "X--"},
    {"convert", "select(x > 3, 1, -1)", "-X-"},
    {"convert", "select(x == 0, 1, -1)", "XX-"},
    {"convert", "select(not (x > 0), 1, -1)", "X--"},
    {"convert", "select(x > 0 and x > 1, 1, -1)", "-X-"},
    {"convert", "select(x > 0, x, -1)", "-X-"},
    {"convert", "select(x > 0, y.zp, 1)", "XX-"},
    {"convert", "select(y.zp > 0, x, x * 2)", "DD-"},
    {"convert", "select(x.zp == 0, x * x, 1)", "XX-"},
    {"convert", "select(x * x > 4, x, x)", "-D-"},
    {"convert", "x + exponent(x.scale)", "DX-"},
    {"convert", "x + exponent(f32(x))", "XX-"},
    {"convert", "scale(x - x.zp : x.scale / y.scale) + y.zp", "DX-"},
    {"convert", "even(x - x.zp : x.scale / y.scale) + y.zp", "DD-"},
    {"sum", "a + b", "DDD"},
    {"sum", "rne(a * a.scale) + b", "DD-"},
    {"sum", "rne(a.scale * f32(a) + b.scale * f32(b))", "DDD"},
    {"sum", "rne(a.scale * f32(a) + a.scale * f32(b))", "DD-"},
    {"sum", "a - b", "-D-"},
    {"sum", "max(a, b)", "D-D"},
    {"sum", "max(a + 1, b + 2)", "D--"},
    {"sum", "min(a * 2, b * 3)", "D--"},
    {"sum", "shr(a, 1, zero) + shr(b, 1, half_away)", "DD-"},
    {"sum", "a + 0 * b", "DD-"},
    {"sum", "(a + b) + a", "DD-"},
    {"sum", "select(a > b, a, b)", "---"},
    {"difference", "a - b", "DD-"},
    {"difference", "b - a", "-D-"},
    {"product", "a * b", "--D"},
    {"product", "(a - a.zp) * (b - b.zp) + y.zp", "--D"},
    {"product", "(a - a.zp) * b", "---"},
    {"mean", "div(sum, n, half_away)", "DD-"},
    {"mean", "sum + n", "D--"},
    {"contract", "acc", "DD-"},
};

static const SnDefRowOf *
row_of(const char *form, const char *formula)
{
    defs = sn_defs_new(a);
    d = sn_diag_new(a);
    declare("maps.def",
            sn_format(a,
                      "include \"arith.def\";\narithmetic t { ratio q 15 bits, "
                      "s -8..62;\n"
                      "scale(v) = shr(v * q, s, half_up);\n"
                      "even(v) = shr(v * q, s, half_even);\n"
                      "row any %s%s = %s; }",
                      form, strcmp(form, "convert") ? " when not wide" : "",
                      formula));
    for (uint32_t i = 0; i < defs->narith; i++)
        if (!strcmp(defs->arith[i]->name, "t"))
            return &defs->arith[i]->of[0];
    return NULL;
}

static char
letter(SnRowProperty p)
{
    return "-DRX"[p.truth];
}

/* ---- do they hold? ---- */

static const int codes[] = {-128, -127, -65, -9, -3, -2,  -1, 0,
                            1,    2,    3,   8,  64, 126, 127};
enum { NCODE = sizeof codes / sizeof *codes };
static const float scales[] = {1, 0.5f, 0.3f, 0.02f};
static const int zps[] = {0, 5, -128};

static bool
value(const SnX *x, SnRowAt at, int64_t p, int64_t q, int64_t *v)
{
    at.in[0] = p;
    at.in[1] = q;
    if (sn_row_outside(x, &at) || !sn_row_fits(x, &at))
        return false;
    *v = sn_row_value(x, &at);
    return true;
}

static void
holds_monotone(const SnDefRowOf *r, SnRowAt at)
{
    bool fewer = r->form == SN_FORM_DIFFERENCE;
    int64_t v, w;

    for (int i = 0; i < NCODE; i++)
        for (int j = 0; j + 1 < NCODE; j++) {
            if (value(r->x, at, codes[j], codes[i], &v) &&
                value(r->x, at, codes[j + 1], codes[i], &w))
                assert_true(v <= w);
            if (value(r->x, at, codes[i], codes[j], &v) &&
                value(r->x, at, codes[i], codes[j + 1], &w))
                assert_true(fewer ? v >= w : v <= w);
        }
}

static void
holds_odd(const SnDefRowOf *r, SnRowAt at)
{
    int64_t v, w;

    at.g.zp[0] = at.g.zp[1] = at.g.zp[2] = 0;
    for (int i = 0; i < NCODE; i++)
        for (int j = 0; j < NCODE; j++)
            if (value(r->x, at, codes[i], codes[j], &v) &&
                value(r->x, at, -codes[i], -codes[j], &w) && v > -127 &&
                v < 127) /* not saturated */
                assert_int_equal(v, -w);
}

static void
holds_exchange(const SnDefRowOf *r, SnRowAt at)
{
    SnRowAt to = at;
    int64_t v, w;

    to.g.scale[1] = at.g.scale[2];
    to.g.scale[2] = at.g.scale[1];
    to.g.zp[1] = at.g.zp[2];
    to.g.zp[2] = at.g.zp[1];
    for (int i = 0; i < NCODE; i++)
        for (int j = 0; j < NCODE; j++)
            if (value(r->x, at, codes[i], codes[j], &v) &&
                value(r->x, to, codes[j], codes[i], &w))
                assert_int_equal(v, w);
}

static void
holds(const SnDefRowOf *r, const char *truth)
{
    for (int i = 0; i < 4 * 4 * 3 * 3; i++) {
        SnRowAt at = {
            .g = {{scales[i % 4], scales[i / 4 % 4], scales[(i + 1) % 4]},
                  {zps[i / 16 % 3], zps[i / 48 % 3], zps[i % 3]},
                  9,
                  0,
                  {3, 3}}};
        if (truth[0] == 'D')
            holds_monotone(r, at);
        if (truth[1] == 'D')
            holds_odd(r, at);
        if (truth[2] == 'D')
            holds_exchange(r, at);
    }
}

static void
test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const SnDefRowOf *r = row_of(cases[i].form, cases[i].formula);
        const char truth[] = {letter(sn_row_monotone(a, r)),
                              letter(sn_row_odd(a, r)),
                              letter(sn_row_commutes(r)), 0};
        if (strcmp(truth, cases[i].truth))
            fail_msg("%s %s: %s, expected %s", cases[i].form, cases[i].formula,
                     truth, cases[i].truth);
        holds(r, truth);
    }
}

/* A counterexample is of the first codes that refute it. */
static void
test_counter(void **state)
{
    (void)state;
    const SnDefRowOf *r = row_of("convert", "-x");
    assert_string_equal(
        sn_row_monotone(a, r).counter,
        "x:q8(0.0399999991,0)=-127 -> 127, -126 -> 126, on q8(0.0399999991,0)");
    assert_string_equal(
        sn_row_identity(a, r).counter,
        "x:q8(0.0399999991,0)=-128 -> 127, on q8(0.0399999991,0)");
    r = row_of("convert", "x + 1");
    assert_string_equal(
        sn_row_odd(a, r).counter,
        "x:q8(0.0399999991,0)=1 -> 2, -1 -> 0, on q8(0.0399999991,0)");
    assert_int_equal(sn_row_identity(a, row_of("convert", "x")).truth,
                     SN_ROW_RUN);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup_defs, teardown)
    const struct CMUnitTest tests[] = {T(test_cases), T(test_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
