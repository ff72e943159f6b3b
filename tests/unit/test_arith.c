// SPDX-License-Identifier: Apache-2.0
/* The rows of float, single and double (arith.def) against functions that were
 * written apart from them: the fixed-point multiplier of gemmlowp and TFLite's
 * reference kernels, and the quantized operators of ONNX Runtime. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "kernel/eval/rows.h"
#include "sn_arith.h"

enum { NCASE = 200000 };
static uint64_t seed = 78;

static uint64_t
next_u64(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

static int32_t
code(void)
{
    return (int8_t)(next_u64() >> 40);
}

/* A scale: a power of two, or any. */
static float
scale(void)
{
    int e = (int)(next_u64() % 12) - 8;
    double u =
        next_u64() % 3 == 0 ? 1 : 1 + (double)(next_u64() >> 12) * 0x1p-52;

    return (float)ldexp(u, e);
}

/* ---- what the rows must give ---- */

/* A multiplier q * 2^(shift - 31): 2^30 <= q < 2^31 and -31 <= shift <= 30, or
 * q = 0. */
typedef struct Fix {
    int32_t q;
    int16_t shift;
    int16_t rounding; /* SnRounding: single or double */
} Fix;

/* m > 0 with a q of 31 bits, rounded to nearest; 0 below 2^-32, and the
 * largest multiplier there is from 2^30 on.  Ratios are formed in binary64:
 * xs / ys of a Rescale, (xs * ws) / ys of a contract, xs / (ys * n) of a mean
 * over n elements. */
static Fix
fix(SnRounding r, double m)
{
    int e;
    double f = frexp(m, &e);
    int64_t q = (int64_t)(f * 2147483648.0 + 0.5);

    if (q == INT64_C(1) << 31) {
        q /= 2;
        e++;
    }
    if (e < -31) {
        q = 0;
        e = 0;
    } else if (e > 30) {
        q = INT32_MAX;
        e = 30;
    }
    Fix fix = {(int32_t)q, (int16_t)e, (int16_t)r};
    return fix;
}

/* floor(v / 2^n), 0 <= n <= 62. */
static int64_t
shift_down(int64_t v, int n)
{
    return v >= 0 ? v >> n : ~(~v >> n);
}

/* v * m, rounded by m's policy, saturated to int32.  A shift to the left
 * happens before the product and saturates. */
static int32_t
fix_mul(int32_t v, Fix m)
{
    if (m.rounding == SN_ROUNDING_SINGLE) {
        int n = 31 - m.shift;
        int64_t p = (int64_t)v * m.q + (INT64_C(1) << (n - 1));
        return (int32_t)sn_clamp64(shift_down(p, n), INT32_MIN, INT32_MAX);
    }
    int right = m.shift < 0 ? -m.shift : 0;
    int64_t left = INT64_C(1) << (m.shift > 0 ? m.shift : 0);
    int64_t x = sn_clamp64(v * left, INT32_MIN, INT32_MAX), p = x * m.q;
    /* the upper half of 2 * p: to nearest, ties upward */
    int64_t h = (p + (p >= 0 ? 1 << 30 : 1 - (1 << 30))) / (INT64_C(1) << 31);
    int64_t mask = (INT64_C(1) << right) - 1, rest = h & mask;
    return (int32_t)(shift_down(h, right) + (rest > (mask >> 1) + (h < 0)));
}

/* v * m + zp, clamped: Rescale (v = q - zx), and the end of a contract. */
static int32_t
fix_requant(int32_t v, Fix m, int32_t zp, int32_t lo, int32_t hi)
{
    return (int32_t)sn_clamp64(fix_mul(v, m), lo - zp, hi - zp) + zp;
}

/* The same for an int64 accumulator and for integer means, under both policies
 * with the whole product rounded once, ties upward: contracts of 16 bits.
 * (TFLite's kernels shorten the multiplier to 15 bits there, which alone moves
 * results by a code.)  Saturates from |v| = 2^61 on. */
static int32_t
fix_requant64(int64_t v, Fix m, int32_t zp, int32_t lo, int32_t hi)
{
    const int64_t half = INT64_C(1) << 31, top = INT64_C(1) << 61;
    int64_t c = sn_clamp64(v, -top, top), r;
    int64_t h = shift_down(c, 31) * m.q, l = (c & (half - 1)) * m.q;
    int n = 31 - m.shift; /* v * q = h * 2^31 + l */

    if (n > 31) {
        h += shift_down(l, 31) + (INT64_C(1) << (n - 32));
        r = shift_down(h, n - 31);
    } else {
        int64_t up = INT64_C(1) << (31 - n);
        h = sn_clamp64(h, -top / up, top / up);
        r = h * up + shift_down(l + (INT64_C(1) << (n - 1)), n);
    }
    return (int32_t)sn_clamp64(r, lo - zp, hi - zp) + zp;
}

/* ra = sa / sc, rb = sb / sc, F = (float)zc - fmaf(ra, (float)za,
 * rb * (float)zb): rne(fmaf(ra, (float)a, fmaf(rb, (float)b, F))), clamped.
 * The order of a and b matters. */
static int32_t
add_after(int32_t a, float sa, int32_t za, int32_t b, float sb, int32_t zb,
          float sc, int32_t zc, int32_t lo, int32_t hi)
{
    float ra = sa / sc, rb = sb / sc;
    float f = (float)zc - fmaf(ra, (float)za, rb * (float)zb);

    return sn_rne_clamp(fmaf(ra, (float)a, fmaf(rb, (float)b, f)), lo, hi);
}

/* rne((float)((a - za) * (b - zb)) * ((sa * sb) / sc) + (float)zc), clamped;
 * the float product and the sum are rounded separately.  The integer product
 * is exact for 16 bits too. */
static int32_t
mul_after(int32_t a, float sa, int32_t za, int32_t b, float sb, int32_t zb,
          float sc, int32_t zc, int32_t lo, int32_t hi)
{
    float p = sn_mulf((float)((int64_t)(a - za) * (b - zb)), (sa * sb) / sc);

    return sn_rne_clamp(p + (float)zc, lo, hi);
}

/* rne(v / scale + (float)zp) clamped to [lo, hi]: `round = after`. */
static int32_t
quant_after(float v, float scale, int32_t zp, int32_t lo, int32_t hi)
{
    float r = v / scale;

    return sn_rne_clamp(r + (float)zp, lo, hi);
}

/* rne((float)sum * (xs / (ys * n))) + zp, clamped: GlobalAvgPool and quantized
 * means; sum is the integer sum of q - x.zp. */
static int32_t
mean_i32(int32_t sum, float xs, float ys, float n, int32_t zp, int32_t lo,
         int32_t hi)
{
    return sn_requant(sum, xs / (ys * n), zp, lo, hi);
}

/* ---- the rows ---- */

/* x * m by the row of a Rescale whose scales have that ratio. */
static int32_t
by_convert(SnRounding r, int32_t v, float m)
{
    SnRowGrids g = {{1, m, 0}, {0, 0, 0}, 1, 0, {1, 1}};
    SnRowUse u = sn_row_use(r, SN_FORM_CONVERT, NULL, 0, g);

    return sn_row_at(&u, v, 0, INT32_MIN, INT32_MAX);
}

static SnRowUse
use(SnRounding r, SnForm form, const char *map, unsigned when, SnRowGrids g)
{
    SnRowUse u = sn_row_use(r, form, map, when, g);

    assert_non_null(u.row);
    return u;
}

/* v, multiplier, what single and double give. */
static const struct {
    int32_t v;
    double m;
    int32_t one, two;
} fixed[] = {
    /* tensorflow issue 25087: 11.4991... is 11; halved twice it is 12 */
    {7984, 0.00144027, 11, 12},
    {0, 0.3, 0, 0},
    /* ties: of the product upward, of the shift away from 0 */
    {1, 0.5, 1, 1},
    {-1, 0.5, 0, 0},
    {3, 0.5, 2, 2},
    {-3, 0.5, -1, -1},
    {5, 0.5, 3, 3},
    {2, 0.25, 1, 1},
    {-2, 0.25, 0, -1},
    {-6, 0.25, -1, -2},
    /* rounded twice: 1.25 by way of 2.5, 3 and 1.5; 0.25 by way of 0.5 and 1 */
    {5, 0.25, 1, 2},
    {1, 0.25, 0, 1},
    {-1, 0.25, 0, 0},
    {-5, 0.25, -1, -1},
    {1, 0.125, 0, 0},
    {3, 0.125, 0, 1},
    /* no shift, and to the left */
    {127, 1, 127, 127},
    {-128, 1, -128, -128},
    {-7, 4, -28, -28},
    {3, 1.5, 5, 5},
    {-3, 1.5, -4, -4},
    {100, 3.7, 370, 370},
    /* saturation */
    {INT32_MAX, 0.5, 1 << 30, 1 << 30},
    {INT32_MIN, 0.5, -(1 << 30), -(1 << 30)},
    {INT32_MIN, 1, INT32_MIN, -(1 << 30)},
    {INT32_MAX, 1, INT32_MAX, 1 << 30},
    {1 << 20, 0x1p29, INT32_MAX, 1 << 30},
};

static void
test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        float m = (float)fixed[i].m;
        SnRowGrids g = {{1, m, 1}, {0, 0, 0}, 1, 0, {1, 1}};
        SnRowUse one = use(SN_ROUNDING_SINGLE, SN_FORM_CONTRACT, "conv", 0, g);
        SnRowUse two = use(SN_ROUNDING_DOUBLE, SN_FORM_CONTRACT, "conv", 0, g);
        if ((double)m != fixed[i].m && fixed[i].v > 1000)
            continue; /* the table's ratio is no binary32 */
        assert_int_equal(sn_row_at(&one, fixed[i].v, 0, INT32_MIN, INT32_MAX),
                         fixed[i].one);
        assert_int_equal(sn_row_at(&two, fixed[i].v, 0, INT32_MIN, INT32_MAX),
                         fixed[i].two);
        if (fixed[i].v >= -128 && fixed[i].v < 128) {
            assert_int_equal(by_convert(SN_ROUNDING_SINGLE, fixed[i].v, m),
                             fixed[i].one);
            assert_int_equal(by_convert(SN_ROUNDING_DOUBLE, fixed[i].v, m),
                             fixed[i].two);
        }
    }
    assert_true(sn_arith_at(SN_ROUNDING_FLOAT)->error == 0.5);
    assert_true(sn_arith_at(SN_ROUNDING_SINGLE)->error == 0.5);
    assert_true(sn_arith_at(SN_ROUNDING_DOUBLE)->error == 0.75);
    assert_int_equal(sn_arith_named("double"), SN_ROUNDING_DOUBLE);
    assert_int_equal((uint32_t)sn_arith_named("triple"), sn_arith_end());
}

/* Rescales and contracts: codes, and sums of 32 bits that are any. */
static void
test_multipliers(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        SnRounding r = i & 1 ? SN_ROUNDING_SINGLE : SN_ROUNDING_DOUBLE;
        float xs = scale(), ws = scale(), ys = scale();
        int32_t zx = code(), zy = code(), q = code();
        int32_t acc = (int32_t)(next_u64() >> 32) >> (next_u64() % 31);
        SnRowGrids g = {{ys, xs, ws}, {zy, zx, 0}, 1, 0, {1, 1}};
        SnRowUse u = use(r, SN_FORM_CONVERT, NULL, 0, g);
        assert_int_equal(sn_row_at(&u, q, 0, -128, 127),
                         fix_requant(q - zx, fix(r, (double)xs / (double)ys),
                                     zy, -128, 127));
        u = use(r, SN_FORM_CONTRACT, "matmul", 0, g);
        Fix f = fix(r, (double)xs * (double)ws / (double)ys);
        assert_int_equal(sn_row_at(&u, acc, 0, -128, 127),
                         fix_requant(acc, f, zy, -128, 127));
        assert_int_equal(sn_row_at(&u, acc, 0, -32768, 32767),
                         fix_requant(acc, f, zy, -32768, 32767));
    }
}

/* Sums of 64 bits, and means. */
static void
test_wide(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        SnRounding r = i & 1 ? SN_ROUNDING_SINGLE : SN_ROUNDING_DOUBLE;
        float xs = scale(), ws = scale(), ys = scale();
        int64_t acc = (int64_t)next_u64() >> (next_u64() % 62 + 2);
        int32_t zy = (int16_t)(next_u64() >> 33);
        SnRowGrids g = {{ys, xs, ws},
                        {zy, 0, 0},
                        (int64_t)(next_u64() % 5000) + 1,
                        0,
                        {1, 1}};
        SnRowUse u = use(r, SN_FORM_CONTRACT, "conv", SN_WHEN_WIDE, g);
        Fix f = fix(r, (double)xs * (double)ws / (double)ys);
        assert_int_equal(sn_row_at(&u, acc, 0, -32768, 32767),
                         fix_requant64(acc, f, zy, -32768, 32767));
        u = use(r, SN_FORM_MEAN, "reduce", SN_WHEN_WIDE, g);
        f = fix(r, (double)xs / ((double)ys * (double)g.n));
        assert_int_equal(sn_row_at(&u, acc, 0, -32768, 32767),
                         fix_requant64(acc, f, zy, -32768, 32767));
        sn_row_divide(&u, g.n + 1);
        f = fix(r, (double)xs / ((double)ys * (double)(g.n + 1)));
        assert_int_equal(sn_row_at(&u, acc, 0, -32768, 32767),
                         fix_requant64(acc, f, zy, -32768, 32767));
    }
}

/* Rows of float, which the others inherit. */
static void
test_float(void **state)
{
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        SnRounding r = (SnRounding)(i % 3);
        int32_t sh = i & 1 ? 128 : 0, a = code(), b = code();
        int32_t za = code(), zb = code(), zy = code();
        float sa = scale(), sb = scale(), ys = scale();
        SnRowGrids g = {{ys, sa, sb}, {zy, za, zb}, 1, sh, {1, 1}};
        SnRowUse u = use(r, SN_FORM_SUM, NULL, SN_WHEN_AFTER, g);
        assert_int_equal(sn_row_at(&u, a, b, -128, 127),
                         add_after(a + sh, sa, za + sh, b + sh, sb, zb + sh, ys,
                                   zy + sh, sh - 128, sh + 127) -
                             sh);
        u = use(r, SN_FORM_PRODUCT, NULL, SN_WHEN_AFTER, g);
        assert_int_equal(sn_row_at(&u, a, b, -128, 127),
                         mul_after(a + sh, sa, za + sh, b + sh, sb, zb + sh, ys,
                                   zy + sh, sh - 128, sh + 127) -
                             sh);
        float v = (float)a * sa * 0.37f;
        u = use(r, SN_FORM_DIFFERENCE, NULL, SN_WHEN_AFTER, g);
        assert_true(u.real);
        assert_int_equal(sn_row_quant(&u, 0, 0, v, ys, zy, -128, 127),
                         quant_after(v, ys, zy + sh, sh - 128, sh + 127) - sh);
        u = sn_row_use(r, SN_FORM_SUM, NULL, 0, g);
        assert_null(u.row);
        assert_int_equal(sn_row_quant(&u, 0, 0, v, ys, zy, -128, 127),
                         sn_quant(v, ys, zy, -128, 127));
        int32_t sum = (int32_t)(next_u64() >> 32) >> (next_u64() % 31);
        g.n = (int64_t)(next_u64() % 999) + 1;
        u = use(SN_ROUNDING_FLOAT, SN_FORM_MEAN, "reduce", SN_WHEN_WIDE, g);
        assert_int_equal(sn_row_at(&u, sum, 0, -128, 127),
                         mean_i32(sum, sa, ys, (float)g.n, zy, -128, 127));
        u = use(SN_ROUNDING_FLOAT, SN_FORM_CONTRACT, "conv", 0, g);
        assert_int_equal(sn_row_at(&u, sum, 0, -128, 127),
                         sn_requant(sum, (sa * sb) / ys, zy, -128, 127));
    }
    SnRowGrids g = {{1, 1, 1}, {3, 0, 0}, 1, 0, {1, 1}};
    SnRowUse u = use(SN_ROUNDING_FLOAT, SN_FORM_POINT, NULL, SN_WHEN_AFTER, g);
    u.real = true;
    assert_int_equal(sn_row_quant(&u, 0, 0, NAN, 1, 3, -100, 127), -100);
    assert_int_equal(sn_row_quant(&u, 0, 0, INFINITY, 1, 3, -128, 90), 90);
    assert_int_equal(sn_row_quant(&u, 0, 0, -INFINITY, 1, 3, -128, 90), -128);
    /* the whole image, without pads; else as any point */
    u = use(SN_ROUNDING_DOUBLE, SN_FORM_MEAN, "pool",
            SN_WHEN_WIDE | SN_WHEN_AFTER | SN_WHEN_WHOLE, g);
    assert_false(u.real);
    u = use(SN_ROUNDING_DOUBLE, SN_FORM_MEAN, "pool",
            SN_WHEN_WIDE | SN_WHEN_AFTER, g);
    assert_true(u.real);
    assert_null(
        sn_row_use(SN_ROUNDING_DOUBLE, SN_FORM_MEAN, "pool", SN_WHEN_WIDE, g)
            .row);
}

/* The split of a ratio. */
static void
test_ratio(void **state)
{
    int64_t q, s;

    (void)state;
    sn_ratio_split(0.5, 31, 1, 62, &q, &s);
    assert_int_equal(q, 1 << 30);
    assert_int_equal(s, 31);
    /* 0.00144027 * 2^9 = 0.73741824; * 2^31 = 1583593612.14 */
    sn_ratio_split(0.00144027, 31, 1, 62, &q, &s);
    assert_int_equal(q, 1583593612);
    assert_int_equal(s, 40);
    /* just below 1 rounds up to a power of two */
    sn_ratio_split(1 - 0x1p-40, 31, 1, 62, &q, &s);
    assert_int_equal(q, 1 << 30);
    assert_int_equal(s, 30);
    sn_ratio_split(0x1p-33, 31, 1, 62, &q, &s);
    assert_int_equal(q, 0);
    sn_ratio_split(0x1p40, 31, 1, 62, &q, &s);
    assert_int_equal(q, INT32_MAX);
    assert_int_equal(s, 1);
    /* a power of two is a shift */
    sn_ratio_split(0x1p-5, 1, -8, 22, &q, &s);
    assert_int_equal(q, 1);
    assert_int_equal(s, 5);
    sn_ratio_split(16, 1, -8, 22, &q, &s);
    assert_int_equal(q, 1);
    assert_int_equal(s, -4);
    for (int i = 0; i < 100000; i++) {
        int bits = (int)(next_u64() % 31) + 1;
        double m = (double)scale() * (double)scale();
        sn_ratio_split(m, bits, -62, 126, &q, &s);
        assert_in_range(q, INT64_C(1) << (bits - 1), (INT64_C(1) << bits) - 1);
        /* half a unit of the multiplier */
        assert_true(fabs(ldexp((double)q, (int)-s) - m) <=
                    ldexp(0.5 + 1e-9, (int)-s));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_multipliers), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_float),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
