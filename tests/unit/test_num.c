// SPDX-License-Identifier: Apache-2.0
/* Rounding, ties, odd zero points, NaN, infinities and saturation. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"

static uint64_t seed = 77;

static uint64_t
next_u64(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

static float
random_f32(void)
{
    uint32_t u = (uint32_t)(next_u64() >> 32);
    float v;

    memcpy(&v, &u, sizeof v);
    return v;
}

/* Independent of sn_rne_clamp: by rint in binary64. */
static int32_t
slow_rne(double v, int32_t lo, int32_t hi)
{
    if (isnan(v) || v <= lo)
        return lo;
    if (v >= hi)
        return hi;
    return (int32_t)rint(v);
}

static void
test_rne_clamp(void **state)
{
    static const int32_t bound[][2] = {
        {-128, 127},
        {0, 255},
        {-32768, 32767},
        {-127, -5},
        {7, 7},
        {-(1 << 22), 1 << 22},
        {-(1 << 22) - 1, 5},
        {-(1 << 24), 1 << 24},
        {INT32_MIN, INT32_MAX},
        {INT32_MIN, INT32_MIN + 1},
        {INT32_MAX - 1, INT32_MAX},
    };

    (void)state;
    for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
        int32_t lo = bound[k][0], hi = bound[k][1];
        assert_int_equal(sn_rne_clamp(NAN, lo, hi), lo);
        assert_int_equal(sn_rne_clamp(-NAN, lo, hi), lo);
        assert_int_equal(sn_rne_clamp(INFINITY, lo, hi), hi);
        assert_int_equal(sn_rne_clamp(-INFINITY, lo, hi), lo);
        for (int i = -140000; i <= 140000; i++) {
            float v = (float)i * 0.25f;
            assert_int_equal(sn_rne_clamp(v, lo, hi),
                             slow_rne((double)v, lo, hi));
        }
        for (int i = 0; i < 300000; i++) {
            float v = random_f32();
            assert_int_equal(sn_rne_clamp(v, lo, hi),
                             slow_rne((double)v, lo, hi));
            v = (float)((int32_t)next_u64()) * 0x1p-8f; /* |v| <= 2^23 */
            assert_int_equal(sn_rne_clamp(v, lo, hi),
                             slow_rne((double)v, lo, hi));
        }
    }
    assert_int_equal(sn_rne_clamp(0.5f, -128, 127), 0);
    assert_int_equal(sn_rne_clamp(1.5f, -128, 127), 2);
    assert_int_equal(sn_rne_clamp(-0.5f, -128, 127), 0);
    assert_int_equal(sn_rne_clamp(-2.5f, -128, 127), -2);
    assert_int_equal(sn_rne_clamp(126.5f, -128, 127), 126);
    assert_int_equal(sn_rne_clamp(127.5f, -128, 127), 127);
    assert_int_equal(sn_rne_clamp(-128.5f, -128, 127), -128);
    assert_int_equal(sn_rne_clamp(4194303.5f, -(1 << 22), 1 << 22), 4194304);
    assert_int_equal(sn_rne_clamp(16777215.0f, -(1 << 24), 1 << 24), 16777215);
    assert_int_equal(sn_rne_clamp(0x1p31f, INT32_MIN, INT32_MAX), INT32_MAX);
    assert_int_equal(sn_rne_clamp(0x1.fffffep30f, INT32_MIN, INT32_MAX),
                     2147483520);
    assert_int_equal(sn_rne_clamp(-0x1p31f, INT32_MIN, INT32_MAX), INT32_MIN);
}

static void
test_div_rne(void **state)
{
    (void)state;
    assert_int_equal(sn_div_rne(5, 2), 2);
    assert_int_equal(sn_div_rne(7, 2), 4);
    assert_int_equal(sn_div_rne(1, 2), 0);
    assert_int_equal(sn_div_rne(7, 3), 2);
    assert_int_equal(sn_div_rne(8, 3), 3);
    assert_int_equal(sn_div_rne(0, 9), 0);
    assert_true(sn_div_rne(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(sn_div_rne(UINT64_MAX, 2) == UINT64_C(1) << 63);
    assert_true(sn_div_rne(UINT64_MAX - 1, UINT64_MAX) == 1);
}

static void
test_dequant(void **state)
{
    (void)state;
    assert_true(sn_dequant(-128, 0.25f, 127) == -63.75f);
    assert_true(sn_dequant(3, 0.1f, 3) == 0.0f);
    assert_true(sn_dequant(127, 0.1f, -1) == 128.0f * 0.1f);
    assert_true(sn_dequant32(INT32_MIN, 0x1p-31f) == -1.0f);
    assert_true(sn_dequant32(16777217, 1.0f) == 16777216.0f);
    assert_true(sn_dequant32(16777219, 1.0f) == 16777220.0f);
}

/* With an odd zero point a tie goes to the even quotient before the zp is
 * added. */
static void
test_quant(void **state)
{
    (void)state;
    assert_int_equal(sn_quant(0.25f, 0.5f, 3, -128, 127), 3);
    assert_int_equal(sn_quant(0.75f, 0.5f, 3, -128, 127), 5);
    assert_int_equal(sn_quant(0.25f, 0.5f, 2, -128, 127), 2);
    assert_int_equal(sn_quant(-0.75f, 0.5f, -5, -128, 127), -7);

    assert_int_equal(sn_quant(1e30f, 0.5f, 3, -128, 127), 127);
    assert_int_equal(sn_quant(-1e30f, 0.5f, 3, -128, 127), -128);
    assert_int_equal(sn_quant(INFINITY, 0.5f, -128, -128, 100), 100);
    assert_int_equal(sn_quant(-INFINITY, 0.5f, 127, -20, 127), -20);
    assert_int_equal(sn_quant(NAN, 0.5f, 17, -100, 127), -100);
    assert_int_equal(sn_quant(62.0f, 0.5f, 3, -128, 127), 127);
    assert_int_equal(sn_quant(62.25f, 0.5f, 3, -128, 127), 127);
    assert_int_equal(sn_quant(61.75f, 0.5f, 3, -128, 127), 127);
    assert_int_equal(sn_quant(1e9f, 1.0f, 32767, -32768, 32767), 32767);
    assert_int_equal(sn_quant(-65535.0f, 1.0f, 32767, -32768, 32767), -32768);
    assert_int_equal(sn_quant(-65534.5f, 1.0f, 32767, -32768, 32767), -32767);

    /* A true division: 0.35 / 0.1 is 3.5 in binary32 (to even: 4). */
    assert_int_equal(sn_quant(0.35f, 0.1f, 0, -128, 127),
                     slow_rne((double)(0.35f / 0.1f), -128, 127));
    for (int i = 0; i < 200000; i++) {
        float v = random_f32(), s = 0.0173f;
        int32_t zp = (int32_t)(next_u64() % 256) - 128;
        int32_t want = slow_rne((double)(v / s), -128 - zp, 127 - zp) + zp;
        assert_int_equal(sn_quant(v, s, zp, -128, 127), want);
        want = slow_rne((double)(v / s + (float)zp), -128, 127);
    }
}

static void
test_quant32(void **state)
{
    (void)state;
    assert_int_equal(sn_quant32(1e20f, 1, INT32_MIN, INT32_MAX), INT32_MAX);
    assert_int_equal(sn_quant32(-1e20f, 1, INT32_MIN, INT32_MAX), INT32_MIN);
    assert_int_equal(sn_quant32(NAN, 1, INT32_MIN, INT32_MAX), INT32_MIN);
    assert_int_equal(sn_quant32(0x1p30f, 0.5f, INT32_MIN, INT32_MAX),
                     INT32_MAX);
    assert_int_equal(sn_quant32(0x1.fffffep29f, 0.5f, INT32_MIN, INT32_MAX),
                     2147483520);
    assert_int_equal(sn_quant32(1.25f, 0.5f, INT32_MIN, INT32_MAX), 2);
    assert_int_equal(sn_quant32(1.75f, 0.5f, INT32_MIN, INT32_MAX), 4);
    assert_int_equal(sn_quant32(9e9f, 1, -5, 2147483646), 2147483646);
    assert_int_equal(sn_quant32(9.0f, 1, -5, 5), 5);
}

static void
test_rescale(void **state)
{
    (void)state;
    for (int zp = -128; zp <= 127; zp++)
        for (int q = -128; q <= 127; q++)
            assert_int_equal(sn_rescale(q, 0.037f, zp, 0.037f, zp, -128, 127),
                             q);
    assert_int_equal(sn_rescale(5, 0.5f, 2, 1.0f, 1, -128, 127), 3);
    assert_int_equal(sn_rescale(7, 0.5f, 2, 1.0f, 1, -128, 127), 3);
    assert_int_equal(sn_rescale(127, 0.04f, 0, 0.01f, 0, -128, 127), 127);
}

static void
test_requant(void **state)
{
    (void)state;
    assert_true(sn_pin_scale(0.1f, 0.2f) == 0.1f * 0.2f);
    assert_int_equal(sn_requant(3, 0.5f, 1, -128, 127), 3);
    assert_int_equal(sn_requant(5, 0.5f, 1, -128, 127), 3);
    assert_int_equal(sn_requant(-3, 0.5f, -7, -128, 127), -9);
    assert_int_equal(sn_requant(INT32_MIN, 1, 127, -128, 127), -128);
    assert_int_equal(sn_requant(INT32_MAX, 1, 127, -128, 126), 126);
    /* 2^24 + 1 is rounded to 2^24 before the product. */
    assert_int_equal(sn_requant(16777217, 0x1p-20f, 0, -128, 127), 16);
    assert_int_equal(sn_requant(8388609 * 2 - 1, 0x1p-25f, 3, -128, 127), 3);
    assert_int_equal(sn_requant64(INT64_C(3) << 40, 0x1p-41f, 1, -128, 127), 3);
    assert_int_equal(sn_requant64(INT64_MIN, 1, 5, -32768, 32767), -32768);
    assert_int_equal(sn_requant64(INT64_MAX, 1, 5, -32768, 32767), 32767);
    for (int i = 0; i < 100000; i++) {
        int32_t acc = (int32_t)next_u64() >> (next_u64() % 32);
        assert_int_equal(sn_requant(acc, 0.00123f, 13, -128, 127),
                         sn_requant64(acc, 0.00123f, 13, -128, 127));
    }
}

static void
test_lrn(void **state)
{
    (void)state;
    float c = (1e-4f / 5.0f) * (0.02f * 0.02f);
    assert_true(sn_lrn_t(81234, 1e-4f, 5, 0.02f, 1) == fmaf(c, 81234.0f, 1));
    assert_true(sn_lrn_t(0, 1e-4f, 5, 0.02f, 2) == 2.0f);
    assert_true(sn_lrn_y(3, 16, 0.75f) == 0.375f);
    assert_true(sn_lrn_y(3, 16, 0.5f) == 0.75f);
    assert_true(sn_lrn_y(-3, 4, 1.0f) == -0.75f);
    float t = 1.7f, r = sqrtf(t);
    assert_true(sn_lrn_y(0.3f, t, 0.75f) == 0.3f / (r * sqrtf(r)));
}

/* A row of n codes, lo to lo + spread - 1 in turn, beside the formula in
 * binary64. */
static void
normal_row(int64_t n, int lo, int spread, float eps, bool centred, float sx,
           float sy)
{
    const int zx = lo + spread / 3, zy = spread % 50 - 20;
    SnNormal k = sn_normal(n, eps, centred, sx, zx, sy, zy);
    int64_t sum = 0, squares = 0;
    double mid = zx, var = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t v = lo + i % spread;
        sum += v;
        squares += v * v;
    }
    if (centred)
        mid = (double)sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double v = (double)(lo + i % spread) - mid;
        var += v * v;
    }
    SnLine l = sn_normal_line(&k, sum, squares);
    double dev = sqrt(var / (double)n * (double)sx * (double)sx + (double)eps);
    for (int x = lo; x < lo + spread; x++) {
        double y = (x - mid) * (double)sx / dev / (double)sy + zy;
        double want = fmin(fmax(floor(y + 0.5), -128), 127);
        int got = sn_line_at(l, x);
        if (dev == 0)
            assert_int_equal(got, -128);
        else if (got != (int)want) /* 2^-9: a has 21 bits or more, x 8 */
            assert_true(fabs(y - floor(y) - 0.5) < 0x1p-9 &&
                        abs(got - (int)want) == 1);
    }
}

static void
test_normal(void **state)
{
    static const int64_t n[] = {1,    2,     3,       64,     768,
                                4097, 32769, 1 << 20, 1 << 23};
    static const float eps[] = {0, 1e-12f, 1e-5f, 3, 1e30f};

    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (size_t e = 0; e < sizeof eps / sizeof *eps; e++)
            for (int j = 0; j < (n[i] > 5000 ? 3 : 60); j++) {
                int spread = 1 + (j * 37 + (int)i) % 256;
                normal_row(n[i], -128 + (j * 11) % (257 - spread), spread,
                           eps[e], j % 2, j % 5 ? 0.03f : 0x1p-20f,
                           j % 3 ? 0.02f : 0x1p-9f);
            }
    /* A row of the same code twice, and the next one: -1, -1, 2 over sqrt(2).
     */
    SnNormal k = sn_normal(3, 0, true, 0.5f, 7, 0x1p-5f, 3);
    SnLine l = sn_normal_line(&k, 10 + 10 + 11, 100 + 100 + 121);
    assert_int_equal(sn_line_at(l, 10), 3 - 23);
    assert_int_equal(sn_line_at(l, 11), 3 + 45);
    assert_int_equal(sn_root(UINT64_MAX), UINT32_MAX);
    assert_int_equal(sn_root((uint64_t)1 << 62), (uint64_t)1 << 31);
    assert_int_equal(sn_root(((uint64_t)1 << 62) - 1 + ((uint64_t)1 << 32)),
                     (uint64_t)1 << 31);
}

/* ---- integers that rows narrow ---- */

/* a * b / 2^n by parts: a = a1 2^31 + a0. */
static void
test_mulshr(void **state)
{
    static const struct {
        int64_t a, b, n, floor, up, away, even;
    } v[] = {
        {3, 1, 1, 1, 2, 2, 2},
        {-3, 1, 1, -2, -1, -2, -2},
        {5, -1, 1, -3, -2, -3, -2},
        {INT64_MIN, INT64_MIN, 126, 1, 1, 1, 1},
        {INT64_MIN, INT64_MIN, 127, 0, 1, 1, 0},
        {INT64_MIN, INT64_MIN, 128, 0, 0, 0, 0},
        {INT64_MIN, 1, 200, -1, 0, 0, 0},
        {INT64_MAX, INT64_MAX, 0, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        {INT64_MIN, INT64_MAX, 3, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
        {INT64_MAX, 2, 1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        {INT64_MIN, 2, 1, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
        {INT64_C(1) << 62, 3, 64, 0, 1, 1, 1},
        {INT64_C(1) << 62, 2, 64, 0, 1, 1, 0},
        {INT64_C(1) << 62, 1, 63, 0, 1, 1, 0},
        {-(INT64_C(1) << 62), 1, 63, -1, 0, -1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        SnQuot q = sn_quot_mulshr(v[i].a, v[i].b, v[i].n);
        assert_int_equal(sn_quot_floor(q), v[i].floor);
        assert_int_equal(sn_quot_half_up(q), v[i].up);
        assert_int_equal(sn_quot_half_away(q), v[i].away);
        assert_int_equal(sn_quot_half_even(q), v[i].even);
    }
    for (int i = 0; i < 200000; i++) {
        int64_t a = (int64_t)next_u64() >> (next_u64() % 32 + 32);
        int64_t b = (int64_t)next_u64() >> (next_u64() % 31 + 33);
        int64_t n = (int64_t)(next_u64() % 64);
        SnQuot q = sn_quot_mulshr(a, b, n), r = sn_quot_shr(a * b, n);
        assert_int_equal(sn_quot_floor(q), sn_quot_floor(r));
        assert_int_equal(sn_quot_zero(q), sn_quot_zero(r));
        assert_int_equal(sn_quot_half_up(q), sn_quot_half_up(r));
        assert_int_equal(sn_quot_half_away(q), sn_quot_half_away(r));
        assert_int_equal(sn_quot_half_even(q), sn_quot_half_even(r));
    }
}

/* Exponents are those of the bits; ldexp rounds once. */
static void
test_exponent(void **state)
{
    (void)state;
    assert_int_equal(sn_exponent(1), 0);
    assert_int_equal(sn_exponent(-1.99f), 0);
    assert_int_equal(sn_exponent(0.5f), -1);
    assert_int_equal(sn_exponent(0x1.fffffep-3f), -3);
    assert_int_equal(sn_exponent(0x1p100f), 100);
    assert_int_equal(sn_exponent(0x1p-130f), -127);
    assert_int_equal(sn_exponent(0), -127);
    assert_int_equal(sn_exponent(INFINITY), 128);
    assert_true(sn_ldexp(0.75f, 20) == 0x1.8p19f);
    assert_true(sn_ldexp(-3, -2) == -0.75f);
    assert_true(sn_ldexp(0x1.000002p0f, -149) == 0x1p-149f);
    assert_true(sn_ldexp(0x1p-149f, 149) == 1);
    assert_true(sn_ldexp(1, 128) == INFINITY);
    assert_true(sn_ldexp(1, INT64_MIN) == 0);
    assert_true(sn_ldexp(1, INT64_MAX) == INFINITY);
}

/* Shifts by a sum are those of quotients. */
static void
test_near(void **state)
{
    const int64_t most = INT64_C(1) << 62;
    uint64_t u = 99;

    (void)state;
    for (int i = 0; i < 300000; i++) {
        u = u * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t n = (int64_t)(u >> 33) % 63, v = (int64_t)(u ^ u << 31) / 2;
        if (i % 3)
            v /= INT64_C(1) << (u >> 7) % 62;
        if (i % 5 == 0) /* halves and wholes */
            v = v / (INT64_C(1) << n) * (INT64_C(1) << n) +
                (i % 2 ? (INT64_C(1) << n) / 2 : 0);
        v = v > most ? most : v < -most ? -most : v;
        SnQuot q = sn_quot_shr(v, n);
        assert_true(sn_near_floor(v, n) == sn_quot_floor(q));
        assert_true(sn_near_zero(v, n) == sn_quot_zero(q));
        assert_true(sn_near_half_up(v, n) == sn_quot_half_up(q));
        assert_true(sn_near_half_away(v, n) == sn_quot_half_away(q));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),      cmocka_unit_test(test_exponent),
        cmocka_unit_test(test_rne_clamp), cmocka_unit_test(test_div_rne),
        cmocka_unit_test(test_dequant),   cmocka_unit_test(test_quant),
        cmocka_unit_test(test_quant32),   cmocka_unit_test(test_rescale),
        cmocka_unit_test(test_requant),   cmocka_unit_test(test_lrn),
        cmocka_unit_test(test_normal),    cmocka_unit_test(test_mulshr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
