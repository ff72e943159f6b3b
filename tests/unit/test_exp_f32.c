// SPDX-License-Identifier: Apache-2.0
/* Softmax, erf and the functions around exp of reals: every instruction set
 * against the portable variant, over the whole range of floats, in place and
 * not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fmath.h"
#include "kernel/each/erf_f32.h"
#include "kernel/isa.h"
#include "kernel/point/point_f32.h"

static uint32_t state32 = 12345;

static uint32_t
next(void)
{
    state32 = state32 * 1664525u + 1013904223u;
    return state32 >> 8;
}

/* Within [-1, 1]. */
static float
unit(void)
{
    return (float)next() / 0x1p23f - 1;
}

static void
same(const float *got, const float *want, int64_t n, const char *what,
     SnIsa isa)
{
    for (int64_t i = 0; i < n; i++) {
        bool nan = isnan(want[i]);
        if (nan ? !isnan(got[i]) : memcmp(&got[i], &want[i], sizeof *got) != 0)
            fail_msg("%s, %s: element %ld is %a, not %a", what,
                     sn_isa_name(isa), (long)i, (double)got[i],
                     (double)want[i]);
    }
}

/* The first BASES of which the others are made. */
static const SnCurve curves[] = {
    SN_CURVE_EXP,       SN_CURVE_LOG,      SN_CURVE_TANH,
    SN_CURVE_SIGMOID,   SN_CURVE_SWISH,    SN_CURVE_TIMES_SIGMOID,
    SN_CURVE_GELU_TANH, SN_CURVE_ELU,      SN_CURVE_CELU,
    SN_CURVE_SELU,      SN_CURVE_SOFTPLUS, SN_CURVE_MISH};
enum { BASES = 3, CURVES = sizeof curves / sizeof *curves };

/* Of n floats at x erf by each instruction set. */
static void
erf_too(const float *x, int64_t n)
{
    float *y = malloc((size_t)n * sizeof *y);
    float *want = malloc((size_t)n * sizeof *want);

    assert_non_null(y);
    assert_non_null(want);
    for (int64_t i = 0; i < n; i++)
        want[i] = sn_erff(x[i]);
    for (int i = 0; i < SN_NISA; i++) {
        if (!sn_isa_have((SnIsa)i))
            continue;
        sn_erff_run((SnIsa)i, x, n, y);
        same(y, want, n, "erf", (SnIsa)i);
        memcpy(y, x, (size_t)n * sizeof *y);
        sn_erff_run((SnIsa)i, y, n, y);
        same(y, want, n, "erf in place", (SnIsa)i);
    }
    free(y);
    free(want);
}

/* Of n floats at x the first ncurve functions, and erf, by each instruction
 * set. */
static void
some_curves(int ncurve, const float *x, int64_t n)
{
    float *y = malloc((size_t)n * sizeof *y);
    float *want = malloc((size_t)n * sizeof *want);

    assert_non_null(y);
    assert_non_null(want);
    for (int f = 0; f < ncurve; f++) {
        SnCurveF32 p = {curves[f], 0.7f, 1.05f};
        char what[32];
        snprintf(what, sizeof what, "function %d", (int)p.op);
        sn_curvef_ref(&p, x, n, want);
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_have((SnIsa)i))
                continue;
            sn_curvef_run((SnIsa)i, &p, x, n, y);
            same(y, want, n, what, (SnIsa)i);
            memcpy(y, x, (size_t)n * sizeof *y);
            sn_curvef_run((SnIsa)i, &p, y, n, y);
            same(y, want, n, "in place", (SnIsa)i);
        }
    }
    free(y);
    free(want);
    erf_too(x, n);
}

static void
all_curves(const float *x, int64_t n)
{
    some_curves(CURVES, x, n);
}

/* Floats at even distances of bits, numbers of every size. */
static void
everywhere(void **state)
{
    enum { COUNT = 1 << 16 };
    static float x[COUNT];

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i << 16 | (i * 2654435761u) >> 16;
        memcpy(&x[i], &bits, sizeof bits);
    }
    all_curves(x, COUNT);
}

/* Each float, with SINTER_FLOATS=K/N a part: blocks K, K + N, ... of 65 536
 * (tests/long/floats.sh). */
static void
each(void **state)
{
    enum { COUNT = 1 << 16 };
    static float x[COUNT];
    const char *part = getenv("SINTER_FLOATS");
    unsigned first, every;

    (void)state;
    if (!part)
        return;
    assert_int_equal(sscanf(part, "%u/%u", &first, &every), 2);
    assert_true(every > 0);
    for (uint32_t high = first; high < 1 << 16; high += every) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t bits = high << 16 | i;
            memcpy(&x[i], &bits, sizeof bits);
        }
        some_curves(BASES, x, COUNT);
    }
}

/* Where the functions bend, in every length. */
static void
near_zero(void **state)
{
    float x[2100];

    (void)state;
    for (int64_t n = 1; n < 2100; n += n < 70 ? 1 : 677) {
        for (int64_t i = 0; i < n; i++)
            x[i] = 20 * unit() * unit();
        all_curves(x, n);
    }
}

/* Evenly over each interval of the tables that tanh and erf have. */
static void
intervals(void **state)
{
    enum { COUNT = 1 << 17 };
    static float x[COUNT];

    (void)state;
    for (int64_t i = 0; i < COUNT; i++)
        x[i] = 10 * (float)i / COUNT * (i % 2 ? -1.0f : 1.0f);
    all_curves(x, COUNT);
}

/* Around the places where kernels change: for e^x the bounds of binary32, of
 * results that are no normal floats, of 0 and of infinity; for tanh those of
 * its tables and of 1. */
static void
bounds(void **state)
{
    static const float at[] = {
        64,        -64, -80,    -86, -87.33655f, -103.9f, -104,      -103.98f,
        88.72284f, 86,  0.125f, -1,  3,          7,       9.010913f, -9.5f};
    float x[1024];

    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        x[0] = at[k];
        for (int i = 1; i < 1024; i++)
            x[i] =
                i == 512 ? at[k] : nextafterf(x[i - 1], i < 512 ? 200 : -200);
        all_curves(x, 1024);
    }
}

typedef float Draw(void);

static float
drawn_scores(void)
{
    return 6 * unit();
}

/* A mask: most of it far below the rest. */
static float
drawn_masked(void)
{
    static const float far[] = {-INFINITY, -1e9f, -1e4f, -70, -90, -103.9f};

    return next() % 2 ? far[next() % 6] + unit() : 6 * unit();
}

static float
drawn_wide(void)
{
    return 60 * unit();
}

static float
drawn_any(void)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, -0.0f, 3e38f, 1e-40f};

    return next() % 64 ? 3 * unit() : odd[next() % 6];
}

static void
softmax(void **state)
{
    enum { MOST = 20000 };
    static const int64_t rows[] = {1,   2,   7,    8,    9,    15,
                                   16,  17,  31,   36,   100,  128,
                                   200, 512, 1023, 1024, 1025, 2500};
    static Draw *const draws[] = {drawn_scores, drawn_masked, drawn_wide,
                                  drawn_any};
    static float x[MOST], y[MOST], want[MOST];

    (void)state;
    for (size_t k = 0; k < 4 * sizeof rows / sizeof *rows; k++) {
        int64_t n = rows[k / 4], nrow = n > 1000 ? 8 : 19;
        for (int64_t i = 0; i < nrow * n; i++)
            x[i] = draws[k % 4]();
        sn_softmaxf_run(SN_ISA_PORTABLE, x, nrow, n, want);
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_have((SnIsa)i))
                continue;
            sn_softmaxf_run((SnIsa)i, x, nrow, n, y);
            same(y, want, nrow * n, "Softmax", (SnIsa)i);
            memcpy(y, x, sizeof y);
            sn_softmaxf_run((SnIsa)i, y, nrow, n, y);
            same(y, want, nrow * n, "Softmax in place", (SnIsa)i);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everywhere), cmocka_unit_test(each),
        cmocka_unit_test(near_zero),  cmocka_unit_test(intervals),
        cmocka_unit_test(bounds),     cmocka_unit_test(softmax)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
