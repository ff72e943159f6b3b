// SPDX-License-Identifier: Apache-2.0
#include "base/fmath.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"

#if FLT_EVAL_METHOD != 0
#error "fmath needs float expressions evaluated in their own type"
#endif

/* ln 2 in two parts (Cody-Waite): LN2_HI has 21 trailing zero bits, so that
 * its product with a binary exponent is exact. */
#define LN2_HI 0x1.62e42feep-1
#define LN2_LO 0x1.a39ef35793c76p-33
#define INV_LN2 0x1.71547652b82fep+0
#define ROUNDER 0x1.8p52 /* x + ROUNDER - ROUNDER is x to an integer */

static double
make_nan(void)
{
    return sn_f64_of_bits(UINT64_C(0x7ff8000000000000));
}

static double
make_inf(void)
{
    return sn_f64_of_bits(UINT64_C(0x7ff0000000000000));
}

static bool
is_nan(double x)
{
    return x != x;
}

static double
magnitude(double x)
{
    return sn_f64_of_bits(sn_bits_f64(x) & (UINT64_MAX >> 1));
}

static bool
is_negative(double x)
{
    return sn_bits_f64(x) >> 63;
}

/* 2^k, -1022 <= k <= 1023. */
static double
pow2(int k)
{
    return sn_f64_of_bits((uint64_t)(k + 1023) << 52);
}

/* e^(x + c), |x| <= 750, |c| below an ulp of x: x = k ln 2 + r, |r| <= 0.3466,
 * and the Taylor series of e^r (the term r^14/14! is below 2^-57).  The scale
 * 2^k is applied in two steps of which at most the second rounds. */
static double
exp_sum(double x, double c)
{
    double kd = (x * INV_LN2 + ROUNDER) - ROUNDER;
    double a = x - kd * LN2_HI;
    double b = kd * LN2_LO;
    double t = a - b;
    double p;

    c += (a - t) - b;
    double r = t + c;
    c = (t - r) + c; /* now below an ulp of 0.35 */
    p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = 1.0 + (r + (p * (r * r) + c * (1.0 + r)));

    int k = (int)kd, half = k / 2;
    return p * pow2(half) * pow2(k - half);
}

double
sn_exp(double x)
{
    if (is_nan(x))
        return make_nan();
    if (x > 710.0)
        return make_inf();
    if (x < -746.0)
        return 0.0;
    return exp_sum(x, 0.0);
}

/* x = 2^k * m with sqrt(1/2) <= m < sqrt(2), x positive and finite. */
static double
split_exponent(double x, int *k)
{
    int e = 0;

    if (x < 0x1p-1022) {
        x *= 0x1p54;
        e = -54;
    }
    /* Adding the distance from sqrt(1/2) to 1 carries into the exponent
     * exactly for mantissas from sqrt(2) up. */
    uint64_t u = sn_bits_f64(x);
    const double sqrt_half = 0x1.6a09e667f3bcdp-1;
    uint64_t bump = sn_bits_f64(1.0) - sn_bits_f64(sqrt_half);
    int biased = (int)((u + bump) >> 52);
    *k = e + biased - 1023;
    return sn_f64_of_bits(u - ((uint64_t)(biased - 1023) << 52));
}

/* log m = log(1+f) = f - (f^2/2 - s (f^2/2 + R)), s = f/(2+f), where
 * R = 2 z/3 + 2 z^2/5 + ... with z = s^2 <= 0.0295 (the form is fdlibm's, the
 * coefficients those of the atanh series). */
double
sn_log(double x)
{
    int k;

    if (is_nan(x) || x < 0)
        return make_nan();
    if (x == 0)
        return -make_inf();
    if (x == make_inf())
        return x;
    double f = split_exponent(x, &k) - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double r;
    r = 2.0 / 23.0;
    r = r * z + 2.0 / 21.0;
    r = r * z + 2.0 / 19.0;
    r = r * z + 2.0 / 17.0;
    r = r * z + 2.0 / 15.0;
    r = r * z + 2.0 / 13.0;
    r = r * z + 2.0 / 11.0;
    r = r * z + 2.0 / 9.0;
    r = r * z + 2.0 / 7.0;
    r = r * z + 2.0 / 5.0;
    r = r * z + 2.0 / 3.0;
    r = r * z;
    double kd = k;
    double h = 0.5 * f * f;
    return kd * LN2_HI - ((h - (s * (h + r) + kd * LN2_LO)) - f);
}

/* Below 0.55: tanh x = x - x N/C with C = cosh x = sum z^k/(2k)! and
 * N = C - sinh(x)/x = sum 2k z^k/(2k+1)!, z = x^2.  From there on
 * 1 - 2/(e^2x + 1), which is 1 from 20 on (2 e^-40 < 2^-56). */
double
sn_tanh(double x)
{
    double a = magnitude(x);
    double y = 1.0;

    if (is_nan(x))
        return make_nan();
    if (a < 0x1p-28)
        return x;
    if (a < 0.55) {
        double z = x * x;
        double n = 16.0 / 355687428096000.0;
        n = n * z + 14.0 / 1307674368000.0;
        n = n * z + 12.0 / 6227020800.0;
        n = n * z + 10.0 / 39916800.0;
        n = n * z + 8.0 / 362880.0;
        n = n * z + 6.0 / 5040.0;
        n = n * z + 4.0 / 120.0;
        n = n * z + 2.0 / 6.0;
        n = n * z;
        double c = 1.0 / 20922789888000.0;
        c = c * z + 1.0 / 87178291200.0;
        c = c * z + 1.0 / 479001600.0;
        c = c * z + 1.0 / 3628800.0;
        c = c * z + 1.0 / 40320.0;
        c = c * z + 1.0 / 720.0;
        c = c * z + 1.0 / 24.0;
        c = c * z + 0.5;
        c = c * z + 1.0;
        return x - x * (n / c);
    }
    if (a < 20.0)
        y = 1.0 - 2.0 / (exp_sum(2.0 * a, 0.0) + 1.0);
    return is_negative(x) ? -y : y;
}

/* At c = 1, 1.25, ... 6: erfc(c) and the slope 2/sqrt(pi) e^(-c^2) of erf,
 * computed with 200 bits and rounded. */
static const struct {
    double erfc, slope;
} erf_at[21] = {
    {0x1.4226162fbddd5p-3, 0x1.a911f096fbc26p-2},   /* 1 */
    {0x1.3bcd133aa0ffcp-4, 0x1.e4652fadcb6b2p-3},   /* 1.25 */
    {0x1.15aaa8ec85205p-5, 0x1.e723726b824a9p-4},   /* 1.5 */
    {0x1.b4be201caa4b4p-7, 0x1.b055303221015p-5},   /* 1.75 */
    {0x1.328f5ec350e67p-8, 0x1.529b9e8cf9a1ep-6},   /* 2 */
    {0x1.7f713f9cc9784p-10, 0x1.d4143a9dfe965p-8},  /* 2.25 */
    {0x1.aab859b20ac9ep-12, 0x1.1d83170fbf6fbp-9},  /* 2.5 */
    {0x1.a609f7584d32bp-14, 0x1.3360ccd23db3ap-11}, /* 2.75 */
    {0x1.729df6503422ap-16, 0x1.2408e9ba3327fp-13}, /* 3 */
    {0x1.20c1303550f0ep-18, 0x1.e9b5e8d00ce77p-16}, /* 3.25 */
    {0x1.8ef2a9a18d857p-21, 0x1.6a597219a93dap-18}, /* 3.5 */
    {0x1.e87470e4f4246p-24, 0x1.d9371e2ff7c35p-21}, /* 3.75 */
    {0x1.08ddd13bd35e7p-26, 0x1.10b1488aeb235p-23}, /* 4 */
    {0x1.fcae93fb7323cp-30, 0x1.155a09065d4f7p-26}, /* 4.25 */
    {0x1.b05cfe2e99435p-33, 0x1.f1e3523b41d7dp-30}, /* 4.5 */
    {0x1.453141082302ap-36, 0x1.8a61745ec7d1dp-33}, /* 4.75 */
    {0x1.b0c1a759f7739p-40, 0x1.13af4f04f9998p-36}, /* 5 */
    {0x1.fd5f08ad2b29ap-44, 0x1.5422ef5d8949dp-40}, /* 5.25 */
    {0x1.09182b326b229p-47, 0x1.7258610b3b233p-44}, /* 5.5 */
    {0x1.e7eea02e4ed88p-52, 0x1.63daf8b4b1e0cp-48}, /* 5.75 */
    {0x1.8cf81557d20b6p-56, 0x1.2dc119095729fp-52}, /* 6 */
};

/* |x| < 0.9: the Maclaurin series x (1 + e + z (-2/sqrt(pi)/3 + ...)) with
 * e = 2/sqrt(pi) - 1; term n is (-z)^n / (n! (2n+1)) of 2/sqrt(pi). */
static double
erf_small(double x)
{
    const double two_over_sqrt_pi = 0x1.20dd750429b6dp+0;
    const double e = 0x1.06eba8214db69p-3;
    double z = x * x, p = 0;

    for (int n = 18; n >= 1; n--)
        p = (1.0 / (2 * n + 1) - p) * z / n;
    /* p = z/3 - z^2/10 + ... */
    return x + x * (e - two_over_sqrt_pi * p);
}

/* 0.9 <= a < 6: Taylor series about the nearest c, |h| <= 1/8.  Derivative k+1
 * of erf is slope * (-1)^k H_k(c) (Hermite); u_k = (-1)^k H_k(c) h^k / k!
 * follow from (k+1) u_{k+1} = -2ch u_k - 2h^2 u_{k-1}. */
static double
erf_middle(double a)
{
    int i = (int)(4.0 * a + 0.5);
    double c = 0.25 * i, h = a - c;
    double ch = -2.0 * c * h, hh = -2.0 * h * h;
    double prev = 0, u = 1.0, sum = 0;

    for (int k = 0; k < 20; k++) {
        double next = (ch * u + hh * prev) / (k + 1);
        sum += u / (k + 1);
        prev = u;
        u = next;
    }
    return 1.0 - (erf_at[i - 4].erfc - erf_at[i - 4].slope * h * sum);
}

double
sn_erf(double x)
{
    double a = magnitude(x);

    if (is_nan(x))
        return make_nan();
    if (a < 0.9)
        return erf_small(x);
    double y = a < 6.0 ? erf_middle(a) : 1.0;
    return is_negative(x) ? -y : y;
}

/* An unevaluated sum of two doubles, |lo| at most about an ulp of hi. */
typedef struct Pair {
    double hi, lo;
} Pair;

/* a + b exactly (Knuth). */
static Pair
two_sum(double a, double b)
{
    double s = a + b, t = s - a;

    return (Pair){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly for |a| >= |b| (Dekker). */
static Pair
fast_two_sum(double a, double b)
{
    double s = a + b;

    return (Pair){s, b - (s - a)};
}

/* a * b exactly (Veltkamp's split, Dekker's product); |a|, |b| < 2^900, no
 * underflow. */
static Pair
two_prod(double a, double b)
{
    double p = a * b;
    double t = a * 134217729.0, ah = t - (t - a), al = a - ah;
    double v = b * 134217729.0, bh = v - (v - b), bl = b - bh;

    return (Pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* log x to about 2^-66 relative: 2s (1 + z/3 + z^2/5 + ...), s = f/(2+f),
 * z = s^2, where s, z/3 and the products with them are pairs.  The terms from
 * z^2/5 on are below 2^-12 of the sum and need no second part. */
static Pair
log_pair(double x)
{
    const double third_hi = 0x1.5555555555555p-2;
    const double third_lo = 0x1.5555555555555p-56;
    int k;
    double m = split_exponent(x, &k), f = m - 1.0;

    Pair u = two_sum(m, 1.0);
    double sh = f / u.hi;
    Pair t = two_prod(sh, u.hi);
    double sl = (((f - t.hi) - t.lo) - sh * u.lo) / u.hi;
    Pair z = two_prod(sh, sh);
    z.lo += 2.0 * sh * sl;
    Pair p = two_prod(z.hi, third_hi);
    p.lo += z.lo * third_hi + z.hi * third_lo;
    double r = 1.0 / 25.0;
    for (int i = 23; i >= 5; i -= 2)
        r = r * z.hi + 1.0 / i;
    Pair q = fast_two_sum(p.hi, r * z.hi * z.hi);
    q.lo += p.lo;
    Pair v = two_prod(2.0 * sh, q.hi);
    v.lo += 2.0 * sh * q.lo + 2.0 * sl * q.hi;
    Pair w = fast_two_sum(2.0 * sh, v.hi);
    w.lo += v.lo + 2.0 * sl;
    double kd = k;
    Pair y = two_sum(kd * LN2_HI, w.hi);
    y.lo += kd * LN2_LO + w.lo;
    return fast_two_sum(y.hi, y.lo);
}

/* x^y for x positive, finite, not 1, and y finite, not 0.  Beyond |y| = 2^64
 * the result is out of range, as |log x| >= 2^-53. */
static double
pow_positive(double x, double y)
{
    bool up = (x > 1.0) == (y > 0);

    if (magnitude(y) > 0x1p64)
        return up ? make_inf() : 0.0;
    Pair l = log_pair(x);
    Pair p = two_prod(y, l.hi);
    p.lo += y * l.lo;
    if (p.hi > 710.0)
        return make_inf();
    if (p.hi < -746.0)
        return 0.0;
    return exp_sum(p.hi, p.lo);
}

/* 0: y isn't whole; 1: odd; 2: even. */
static int
wholeness(double y)
{
    double a = magnitude(y);

    if (a >= 0x1p53)
        return 2;
    uint64_t i = (uint64_t)a;
    if ((double)i != a)
        return 0;
    return i & 1 ? 1 : 2;
}

double
sn_pow(double x, double y)
{
    if (x == 1.0 || y == 0)
        return 1.0;
    if (is_nan(x) || is_nan(y))
        return make_nan();
    double a = magnitude(x);
    if (magnitude(y) == make_inf()) {
        if (a == 1.0)
            return 1.0;
        return (a > 1.0) == (y > 0) ? make_inf() : 0.0;
    }
    int whole = wholeness(y);
    bool flip = is_negative(x) && whole == 1;
    double r;
    if (a == 0)
        r = y < 0 ? make_inf() : 0.0;
    else if (a == make_inf())
        r = y < 0 ? 0.0 : make_inf();
    else if (is_negative(x) && whole == 0)
        return make_nan();
    else
        r = a == 1.0 ? 1.0 : pow_positive(a, y);
    return flip ? -r : r;
}

float
sn_expf(float x)
{
    return (float)sn_exp((double)x);
}

float
sn_logf(float x)
{
    return (float)sn_log((double)x);
}

float
sn_tanhf(float x)
{
    return (float)sn_tanh((double)x);
}

float
sn_erff(float x)
{
    return (float)sn_erf((double)x);
}

float
sn_powf(float x, float y)
{
    return (float)sn_pow((double)x, (double)y);
}

float
sn_sqrtf(float x)
{
    return x < 0 || is_nan((double)x) ? (float)make_nan() : sqrtf(x);
}
