// SPDX-License-Identifier: Apache-2.0
/* fmath against libm in long double, and the special values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fmath.h"

enum { NCASE = 200000 };

static uint64_t seed = 20240611;

/* xorshift64*. */
static uint64_t
next_u64(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

static double
uniform(double lo, double hi)
{
    return lo + (hi - lo) * ((double)(next_u64() >> 11) * 0x1p-53);
}

/* A random sign and mantissa, exponent in [elo, ehi]. */
static double
spread(int elo, int ehi)
{
    int e = elo + (int)(next_u64() % (unsigned)(ehi - elo + 1));

    return ldexp(uniform(1, 2), e) * (next_u64() & 1 ? 1 : -1);
}

/* The distance of got from the long double value, in ulps of the double
 * nearest to it (of the smallest subnormal below the normal range).  The bound
 * is the header's 2 ulp.  An x87 long double has 64 bits, so that an error of
 * one ulp of libm's own is 2^-11 of what is measured; where long double is
 * double, libm's error of up to one ulp comes out of the margin (the functions
 * stay below 1.4). */
static double
ulps(double got, long double want)
{
    int e;

    if (isinf(got))
        return (double)want == got ? 0 : HUGE_VAL;
    (void)frexp((double)want, &e);
    long double ulp = ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
    return (double)fabsl(((long double)got - want) / ulp);
}

static double worst;

static void
check(const char *name, double x, double got, long double want)
{
    double u = ulps(got, want);

    if (u > worst)
        worst = u;
    if (!(u < 2.0))
        fail_msg("%s(%a) = %a, want %La: %g ulp", name, x, got, want, u);
}

static void
report(const char *name)
{
    print_message("%s: worst %.3f ulp\n", name, worst);
    worst = 0;
}

static bool
same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void
assert_nan(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    assert_true(u == UINT64_C(0x7ff8000000000000));
}

static void
assert_same(double a, double b)
{
    if (!same(a, b))
        fail_msg("%a is not %a", a, b);
}

static void
test_exp(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        double x = uniform(-745, 709.7);
        check("exp", x, sn_exp(x), expl((long double)x));
        x = uniform(-2, 2);
        check("exp", x, sn_exp(x), expl((long double)x));
        x = spread(-60, 5);
        check("exp", x, sn_exp(x), expl((long double)x));
    }
    report("exp");
    assert_same(sn_exp(0.0), 1.0);
    assert_same(sn_exp(-0.0), 1.0);
    assert_same(sn_exp(1e-300), 1.0);
    assert_same(sn_exp(709.79), INFINITY);
    assert_same(sn_exp(1e300), INFINITY);
    assert_same(sn_exp((double)INFINITY), INFINITY);
    assert_same(sn_exp(-745.2), 0.0);
    assert_same(sn_exp(-(double)INFINITY), 0.0);
    assert_true(sn_exp(-745.1) == 0x1p-1074);
    assert_true(isfinite(sn_exp(709.782712893384)));
    assert_nan(sn_exp(-(double)NAN));
}

static void
test_log(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        double x = fabs(spread(-1074, 1023));
        check("log", x, sn_log(x), logl((long double)x));
        x = uniform(0.4, 2.5);
        check("log", x, sn_log(x), logl((long double)x));
        x = 1 + spread(-52, -5);
        check("log", x, sn_log(x), logl((long double)x));
    }
    report("log");
    assert_same(sn_log(1.0), 0.0);
    assert_same(sn_log(0.0), -(double)INFINITY);
    assert_same(sn_log(-0.0), -(double)INFINITY);
    assert_same(sn_log((double)INFINITY), INFINITY);
    assert_nan(sn_log(-1.0));
    assert_nan(sn_log(-(double)INFINITY));
    assert_nan(sn_log((double)NAN));
}

static void
test_tanh(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        double x = uniform(-21, 21);
        check("tanh", x, sn_tanh(x), tanhl((long double)x));
        x = uniform(-1, 1);
        check("tanh", x, sn_tanh(x), tanhl((long double)x));
        x = spread(-40, 1);
        check("tanh", x, sn_tanh(x), tanhl((long double)x));
        assert_same(sn_tanh(-x), -sn_tanh(x));
    }
    report("tanh");
    assert_same(sn_tanh(0.0), 0.0);
    assert_same(sn_tanh(-0.0), -0.0);
    assert_same(sn_tanh(0x1p-1074), 0x1p-1074);
    assert_same(sn_tanh(25), 1.0);
    assert_same(sn_tanh((double)INFINITY), 1.0);
    assert_same(sn_tanh(-(double)INFINITY), -1.0);
    assert_nan(sn_tanh((double)NAN));
}

static void
test_erf(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        double x = uniform(-6.5, 6.5);
        check("erf", x, sn_erf(x), erfl((long double)x));
        x = uniform(0.5, 1.5);
        check("erf", x, sn_erf(x), erfl((long double)x));
        x = spread(-200, 1);
        check("erf", x, sn_erf(x), erfl((long double)x));
        assert_same(sn_erf(-x), -sn_erf(x));
    }
    report("erf");
    assert_same(sn_erf(0.0), 0.0);
    assert_same(sn_erf(-0.0), -0.0);
    assert_same(sn_erf(6.0), 1.0);
    assert_same(sn_erf((double)INFINITY), 1.0);
    assert_same(sn_erf(-(double)INFINITY), -1.0);
    assert_nan(sn_erf((double)NAN));
}

static void
test_pow(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        double x = fabs(spread(-1074, 1023)), y = spread(-60, 9);
        long double want = powl((long double)x, (long double)y);
        /* Past the range powl still has finite values: compare only what a
         * double can hold, and the overflow on its own. */
        if (want < 0x1.fffffffffffffp1023L)
            check("pow", x, sn_pow(x, y), want);
        else if (want > 0x1.00001p1024L)
            assert_same(sn_pow(x, y), INFINITY);
        x = uniform(0.5, 2);
        y = uniform(-1000, 1000);
        check("pow", x, sn_pow(x, y), powl((long double)x, (long double)y));
        x = uniform(0.001, 100);
        y = uniform(-10, 10);
        check("pow", x, sn_pow(x, y), powl((long double)x, (long double)y));
        x = 1 + spread(-30, -8);
        y = spread(0, 40);
        want = powl((long double)x, (long double)y);
        if (want < 0x1p1000L)
            check("pow", x, sn_pow(x, y), want);
    }
    report("pow");
}

static void
test_pow_special(void **state)
{
    const double inf = (double)INFINITY, nan = (double)NAN;

    (void)state;
    assert_same(sn_pow(nan, 0), 1.0);
    assert_same(sn_pow(1, nan), 1.0);
    assert_nan(sn_pow(nan, 1));
    assert_nan(sn_pow(2, nan));
    assert_nan(sn_pow(-2, 0.5));
    assert_nan(sn_pow(-1, 0x1p-60));
    assert_same(sn_pow(-1, inf), 1.0);
    assert_same(sn_pow(-1, -inf), 1.0);
    assert_same(sn_pow(0.5, inf), 0.0);
    assert_same(sn_pow(0.5, -inf), inf);
    assert_same(sn_pow(-3, inf), inf);
    assert_same(sn_pow(-3, -inf), 0.0);
    assert_same(sn_pow(0.0, 3), 0.0);
    assert_same(sn_pow(-0.0, 3), -0.0);
    assert_same(sn_pow(-0.0, 2), 0.0);
    assert_same(sn_pow(-0.0, 2.5), 0.0);
    assert_same(sn_pow(-0.0, -3), -inf);
    assert_same(sn_pow(0.0, -0.5), inf);
    assert_same(sn_pow(inf, 0.5), inf);
    assert_same(sn_pow(inf, -0.5), 0.0);
    assert_same(sn_pow(-inf, 3), -inf);
    assert_same(sn_pow(-inf, 2), inf);
    assert_same(sn_pow(-inf, -3), -0.0);
    assert_same(sn_pow(-inf, 0.5), inf);
    assert_same(sn_pow(-2, 3), -8.0);
    assert_same(sn_pow(-2, 4), 16.0);
    assert_same(sn_pow(-1, 0x1p53 - 1), -1.0);
    assert_same(sn_pow(-1, 0x1p53), 1.0);
    assert_same(sn_pow(2, 1023), 0x1p1023);
    assert_same(sn_pow(2, 1024), inf);
    assert_same(sn_pow(-2, 1025), -inf);
    assert_same(sn_pow(2, -1074), 0x1p-1074);
    assert_same(sn_pow(2, -1076), 0.0);
    assert_same(sn_pow(-2, -1077), -0.0);
    assert_same(sn_pow(1 + 0x1p-52, 1e300), inf);
    assert_same(sn_pow(1 - 0x1p-53, 1e300), 0.0);
    assert_same(sn_pow(3, 0x1p-1074), 1.0);
    for (int n = 0; n <= 33; n++)
        assert_same(sn_pow(3, n), (double)powl(3, n));
}

/* Off by less than 1.4 ulp of a double, the value can round to another float
 * only within 1.4 * 2^-29 float ulps of a tie: none is expected here. */
static void
test_float(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        float x = (float)uniform(-9, 9), p = fabsf(x) + 0x1p-20f;
        assert_true(sn_expf(x) == (float)expl((long double)x));
        assert_true(sn_logf(p) == (float)logl((long double)p));
        assert_true(sn_tanhf(x) == (float)tanhl((long double)x));
        assert_true(sn_erff(x) == (float)erfl((long double)x));
        assert_true(sn_powf(p, x) ==
                    (float)powl((long double)p, (long double)x));
        assert_true(sn_sqrtf(p) == (float)sqrtl((long double)p));
    }
    assert_true(sn_expf(89) == INFINITY);
    assert_true(sn_expf(-104) == 0);
    assert_true(isnan(sn_sqrtf(-1)));
    assert_true(isnan(sn_sqrtf(NAN)));
    assert_same((double)sn_sqrtf(-0.0f), -0.0);
    assert_true(sn_sqrtf(INFINITY) == INFINITY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),   cmocka_unit_test(test_log),
        cmocka_unit_test(test_tanh),  cmocka_unit_test(test_erf),
        cmocka_unit_test(test_pow),   cmocka_unit_test(test_pow_special),
        cmocka_unit_test(test_float),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
