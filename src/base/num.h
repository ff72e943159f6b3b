// SPDX-License-Identifier: Apache-2.0
/* The only place that defines rounding: scalar forms of the rows of
 * docs/numerics.md, which every kernel, evaluator and constant fold follows,
 * first for `rounding float`, then (sn_fix) for the fixed-point policies.
 *
 * Arithmetic is binary32 in the order written, round to nearest even, never
 * contracted (compile with -ffp-contract=off); fmaf, where it stands, is the
 * fused operation.  rne(v) is v rounded to the nearest integer, ties to even.
 * Throughout: scales lie in [2^-100, 2^100]; q, zp, lo and hi are codes of a
 * storage type of at most 16 bits, unless a function says otherwise; lo <= hi;
 * NaN gives lo, infinities saturate; results lie in [lo, hi]. */
#ifndef SN_NUM_H
#define SN_NUM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fmath.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "sinter maps files of little-endian numbers: no big-endian machine"
#endif
#if FLT_EVAL_METHOD != 0
#error "num.h needs float expressions evaluated in their own type"
#endif

/* Reals as their bits, and back. */
static inline uint32_t
sn_bits_f32(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float
sn_f32_of_bits(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* The larger and the smaller of two reals (docs/numerics.md): NaN goes through,
 * of equal values it is the first. */
static inline float
sn_maxf(float a, float b)
{
    return a >= b || a != a ? a : b;
}

static inline float
sn_minf(float a, float b)
{
    return a <= b || a != a ? a : b;
}

static inline double
sn_max(double a, double b)
{
    return a >= b || a != a ? a : b;
}

static inline double
sn_min(double a, double b)
{
    return a <= b || a != a ? a : b;
}

static inline uint64_t
sn_bits_f64(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double
sn_f64_of_bits(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* rne(clamp(v, lo, hi)); NaN -> lo.  Any int32 bounds.  Bounds within 2^22 take
 * the short way: in v + 1.5 * 2^23 one unit is one ulp, so that the addition
 * rounds v to an integer, found in the low bits.  The sum is positive, so its
 * bits grow with it and the upper clamp may come last, on integers.  Wider
 * bounds do the same in binary64.  (gcc 12 makes loops over this vector code
 * if the bounds are variables; for constant ones it needs -fno-trapping-math,
 * which changes no bit.) */
static inline int32_t
sn_rne_clamp(float v, int32_t lo, int32_t hi)
{
    if (lo >= -(1 << 22) && hi <= 1 << 22) {
        float flo = (float)lo, t;
        int32_t r;

        t = (v > flo ? v : flo) + 12582912.0f;
        memcpy(&r, &t, sizeof r);
        r -= 0x4b400000;
        return r < hi ? r : hi;
    }
    double d = (double)v, dlo = lo, dhi = hi;
    d = d > dlo ? d : dlo;
    d = d < dhi ? d : dhi;
    return (int32_t)((d + 6755399441055744.0) - 6755399441055744.0);
}

/* The greatest common divisor of a and b, which are not negative; of 0 and b
 * it is b. */
static inline int64_t
sn_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* rne(n / d), exactly.  d > 0. */
static inline uint64_t
sn_div_rne(uint64_t n, uint64_t d)
{
    uint64_t q = n / d, r = n % d, rest = d - r;

    return q + (r > rest || (r == rest && (q & 1)));
}

/* a * b.  Products whose value may meet a sum are made here, as programs that
 * `sinter compile` writes are compiled by other flags than this file. */
static inline float
sn_mulf(float a, float b)
{
    return a * b;
}

/* (float)(q - zp) * scale. */
static inline float
sn_dequant(int32_t q, float scale, int32_t zp)
{
    return sn_mulf((float)(q - zp), scale);
}

/* (float)q * scale: qi32, any q. */
static inline float
sn_dequant32(int32_t q, float scale)
{
    return sn_mulf((float)q, scale);
}

/* rne(v / scale) + zp, clamped to [lo, hi] before rounding. */
static inline int32_t
sn_quant(float v, float scale, int32_t zp, int32_t lo, int32_t hi)
{
    return sn_rne_clamp(v / scale, lo - zp, hi - zp) + zp;
}

/* rne(v / scale) clamped to any int32 [lo, hi]: qi32. */
static inline int32_t
sn_quant32(float v, float scale, int32_t lo, int32_t hi)
{
    return sn_rne_clamp(v / scale, lo, hi);
}

/* Quantize(Dequantize(q)): from (sx, zx) to (sy, zy). */
static inline int32_t
sn_rescale(int32_t q, float sx, int32_t zx, float sy, int32_t zy, int32_t lo,
           int32_t hi)
{
    return sn_quant(sn_dequant(q, sx, zx), sy, zy, lo, hi);
}

/* xs * ws: the pinned scale of a bias. */
static inline float
sn_pin_scale(float xs, float ws)
{
    return xs * ws;
}

/* rne((float)acc * m) + zp, clamped: the end of a contract.  Any acc. */
static inline int32_t
sn_requant(int32_t acc, float m, int32_t zp, int32_t lo, int32_t hi)
{
    return sn_rne_clamp(sn_mulf((float)acc, m), lo - zp, hi - zp) + zp;
}

/* The same for an int64 accumulator, which is rounded once to binary32. */
static inline int32_t
sn_requant64(int64_t acc, float m, int32_t zp, int32_t lo, int32_t hi)
{
    return sn_rne_clamp(sn_mulf((float)acc, m), lo - zp, hi - zp) + zp;
}

/* fmaf((alpha / size) * scale^2, (float)s, k): the base of LRN's power; s is
 * the window sum of (q - zp)^2, size > 0 the nominal window. */
static inline float
sn_lrn_t(int32_t s, float alpha, int32_t size, float scale, float k)
{
    return fmaf((alpha / (float)size) * (scale * scale), (float)s, k);
}

/* t^beta, t >= 0: for beta 0.75 sqrt(t) * sqrt(sqrt(t)), each step correctly
 * rounded, else sn_pow rounded to binary32. */
static inline float
sn_lrn_pow(float t, float beta)
{
    if (beta == 0.75f) {
        float r = sqrtf(t);
        return r * sqrtf(r);
    }
    return (float)sn_pow((double)t, (double)beta);
}

/* d / t^beta, d = d(x). */
static inline float
sn_lrn_y(float d, float t, float beta)
{
    return d / sn_lrn_pow(t, beta);
}

/* ---- rows of codes to variance 1 (numerics.md, Normalize) ---- */

enum { SN_NORMAL_MOST = 1 << 23 };

/* What all rows of n elements share.  Sums of squares are taken n times, in
 * steps of 2^(-2 * half), and stay below 2^62. */
typedef struct SnNormal {
    int64_t n;    /* elements, 1 to SN_NORMAL_MOST */
    bool centred; /* about their mean, else about zx */
    int32_t zx, zy;
    int half;     /* below 0 where eps is that large */
    uint64_t eps; /* eps * n^2 / sx^2 in such steps */
    uint64_t f;   /* n / sy = f * 2^fe; 2^29 <= f <= 2^30 */
    int fe;
} SnNormal;

/* (a * x + b) >> shift, saturated: the result of code x.  For every code it
 * stays in 32 bits. */
typedef struct SnLine {
    int32_t a, b;
    int shift;
} SnLine;

static inline SnNormal
sn_normal(int64_t n, float eps, bool centred, float sx, int32_t zx, float sy,
          int32_t zy)
{
    double e = (double)eps * ((double)n * (double)n);
    SnNormal k;
    uint32_t bits;
    uint64_t q;
    int up = 0, cut = 0;

    memset(&k, 0, sizeof k);
    k.n = n;
    k.centred = centred;
    k.zx = zx;
    k.zy = zy;
    k.half = 8;

    while (k.half > 0 && n > (int64_t)1 << (23 - k.half))
        k.half--;
    e = e / ((double)sx * (double)sx) * (double)(1 << 2 * k.half);
    for (; e >= 0x1p62; e /= 4)
        k.half--;
    k.eps = (uint64_t)(e + 0.5);
    k.eps += k.eps == 0 && eps > 0; /* else a row of one value were 0 / 0 */
    /* sy is m * 2^(exponent - 150); a scale is never subnormal. */
    memcpy(&bits, &sy, sizeof bits);
    while ((uint64_t)n << up < (uint64_t)1 << 62)
        up++;
    q = ((uint64_t)n << up) / ((bits & 0x7fffff) | 0x800000);
    while (q >> cut >= 1 << 30)
        cut++;
    k.f = (q + ((uint64_t)1 << (cut - 1))) >> cut;
    k.fe = 150 - (int)(bits >> 23 & 255) - up + cut;
    return k;
}

/* The integer at or below the root of v, which is 2^62 or more. */
static inline uint64_t
sn_root(uint64_t v)
{
    uint64_t r = (uint64_t)sqrtf((float)v);

    r = (r + v / r) / 2;
    while (r >> 32 || r * r > v)
        r--;
    while (r < UINT32_MAX && (r + 1) * (r + 1) <= v)
        r++;
    return r;
}

/* The line of a row: the sums of its codes, and of their squares. */
static inline SnLine
sn_normal_line(const SnNormal *k, int64_t sum, int64_t squares)
{
    const SnLine none = {0, -128, 0}, steep = {1 << 22, 0, 0};
    const int64_t mid = k->centred ? sum : k->n * k->zx;
    uint64_t w = (uint64_t)(k->n * squares - mid * (2 * sum - mid)), p;
    int z = 0;

    if (k->half >= 0)
        w = (w << 2 * k->half) + k->eps;
    else
        w = (k->half > -32 ? w >> -2 * k->half : 0) + k->eps;
    if (w == 0) /* 0 / 0 */
        return none;
    for (int s = 32; s > 1; s /= 2)
        if (w >> (64 - s) == 0) {
            w <<= s;
            z += s;
        }
    p = k->f * (UINT64_MAX / sn_root(w));
    /* A step of x is p * 2^(-41 - shift) of y; a has 21 or 22 bits. */
    int shift = 23 - k->fe - k->half - z / 2;
    int cut = shift > 22 ? 19 + shift : 41;
    SnLine l = {0, 0, 0};
    l.shift = shift > 22 ? 22 : shift;
    l.a = cut > 63 ? 0 : (int32_t)((p + ((uint64_t)1 << (cut - 1))) >> cut);
    if (shift < 0)
        l = steep;
    int64_t at = l.a * mid + k->n / 2, down = at / k->n;
    down -= at % k->n < 0;
    l.b = (int32_t)(k->zy * ((int64_t)1 << l.shift) - down +
                    (l.shift ? (int64_t)1 << (l.shift - 1) : 0));
    return l;
}

/* The code of x. */
static inline int32_t
sn_line_at(SnLine l, int32_t x)
{
    int32_t v = (l.a * x + l.b) >> l.shift;

    return v < -128 ? -128 : v > 127 ? 127 : v;
}

/* ---- integers: of any size, never undefined ----
 *
 * What plain integers of a model are calculated by: modulo 2^64, quotients
 * toward zero.  Those of rules and constraints must fit: sn_int_add_in of
 * rewrite/rule.h. */

/* Accumulators of codes: modulo 2^32. */
static inline int32_t
sn_add32(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int64_t
sn_int_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t
sn_int_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t
sn_int_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* 0 when b is 0. */
static inline int64_t
sn_int_div(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? sn_int_sub(0, a) : a / b;
}

static inline int64_t
sn_int_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
sn_int_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t
sn_int_abs(int64_t a)
{
    return a < 0 ? sn_int_sub(0, a) : a;
}

/* ---- integers as a chip narrows them ----
 *
 * What formulas of nodes say by shr, div, <<, sat, wrap and rne.  Any operands:
 * a result that does not fit is modulo 2^64. */

/* v * 2^n; from 64 on 0; where n < 0 floor(v / 2^-n). */
static inline int64_t
sn_int_shl(int64_t v, int64_t n)
{
    if (n < 0)
        return n < -63 ? (v < 0 ? -1 : 0) : v >= 0 ? v >> -n : ~(~v >> -n);
    return n > 63 ? 0 : (int64_t)((uint64_t)v << n);
}

/* The nearest of the integers of so many bits, 1 to 64. */
static inline int64_t
sn_int_sat(int64_t v, int bits)
{
    int64_t hi = (int64_t)((UINT64_C(1) << (bits - 1)) - 1), lo = -hi - 1;

    return v < lo ? lo : v > hi ? hi : v;
}

/* The one of them that equals v modulo 2^bits. */
static inline int64_t
sn_int_wrap(int64_t v, int bits)
{
    return sn_int_shl(sn_int_shl(v, 64 - bits), bits - 64);
}

static inline bool
sn_int_fits(int64_t v, int bits)
{
    return sn_int_sat(v, bits) == v;
}

/* rne(v), saturated; NaN is below all, as sn_rne_clamp has it. */
static inline int64_t
sn_int_rne(float v)
{
    return v >= 0x1p63f       ? INT64_MAX
           : !(v >= -0x1p63f) ? INT64_MIN
                              : (int64_t)rintf(v);
}

/* n where 2^n <= |r| < 2^(n + 1), as r's bits have it: -127 below 2^-126, 128
 * of infinities and NaN. */
static inline int64_t
sn_exponent(float r)
{
    return (int64_t)(sn_bits_f32(r) >> 23 & 255) - 127;
}

/* r * 2^n, rounded to nearest even where it leaves binary32. */
static inline float
sn_ldexp(float r, int64_t n)
{
    int64_t e = n < -300 ? -300 : n > 300 ? 300 : n;

    return (float)((double)r * sn_f64_of_bits((uint64_t)(e + 1023) << 52));
}

/* A quotient before it is rounded: (q + r / (r + rest)), negative where neg.
 * r + rest is what is divided by; r < r + rest. */
typedef struct SnQuot {
    uint64_t q, r, rest;
    bool neg;
} SnQuot;

/* |v|, also of INT64_MIN. */
static inline uint64_t
sn_int_magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* v / 2^n; where n < 0 sn_int_shl(v, -n). */
static inline SnQuot
sn_quot_shr(int64_t v, int64_t n)
{
    SnQuot x = {sn_int_magnitude(v), 0, 1, v < 0};

    if (n < 0) {
        v = n < -63 ? 0 : sn_int_shl(v, -n);
        x.q = sn_int_magnitude(v);
        x.neg = v < 0;
    } else if (n > 64 || (n == 64 && x.q == 0)) { /* below a half */
        x.r = x.q != 0;
        x.rest = 2;
        x.q = 0;
    } else if (n == 64) {
        x.r = x.q;
        x.rest = 0 - x.r;
        x.q = 0;
    } else if (n > 0) {
        uint64_t d = UINT64_C(1) << n;
        x.r = x.q & (d - 1);
        x.rest = d - x.r;
        x.q >>= n;
    }
    return x;
}

/* a / b; 0 where b is 0. */
static inline SnQuot
sn_quot_div(int64_t a, int64_t b)
{
    uint64_t n = sn_int_magnitude(a), d = sn_int_magnitude(b);
    SnQuot x = {0, 0, 1, (a < 0) != (b < 0)};

    if (d != 0) {
        x.q = n / d;
        x.r = n % d;
        x.rest = d - x.r;
    }
    return x;
}

/* a * b / 2^n, the product exact; what does not fit in 64 bits ends at the
 * bounds.  n below 0 counts as 0. */
static inline SnQuot
sn_quot_mulshr(int64_t a, int64_t b, int64_t n)
{
    const uint64_t low = UINT64_C(0xffffffff);
    uint64_t u = sn_int_magnitude(a), v = sn_int_magnitude(b);
    uint64_t p = (u & low) * (v & low), q = (u >> 32) * (v & low) + (p >> 32);
    uint64_t t = (u & low) * (v >> 32) + (q & low);
    uint64_t h = (u >> 32) * (v >> 32) + (q >> 32) + (t >> 32);
    uint64_t l = (t << 32) | (p & low), half, rest;
    SnQuot x = {0, 0, 4, (a < 0) != (b < 0)};

    /* half: the bit below the quotient, rest: what follows */
    if (n > 127) {
        half = 0;
        rest = h | l;
        h = 0;
    } else if (n > 64) {
        half = h >> (n - 65) & 1;
        rest = l | (h & ((UINT64_C(1) << (n - 65)) - 1));
        x.q = h >> (n - 64);
        h = 0;
    } else if (n > 0) {
        half = l >> (n - 1) & 1;
        rest = l & ((UINT64_C(1) << (n - 1)) - 1);
        x.q = n == 64 ? h : h << (64 - n) | l >> n;
        h = n == 64 ? 0 : h >> n;
    } else {
        half = rest = 0;
        x.q = l;
    }
    x.r = 2 * half + (rest != 0);
    x.rest -= x.r;
    uint64_t top = (UINT64_C(1) << 63) - !x.neg;
    if (h != 0 || x.q >= top) {
        x.q = top;
        x.r = 0;
        x.rest = 1;
    }
    return x;
}

/* The integer next to it on the side of 0, or with up the one behind. */
static inline int64_t
sn_quot_int(SnQuot x, bool up)
{
    uint64_t q = x.q + up;

    return (int64_t)(x.neg ? 0 - q : q);
}

static inline int64_t
sn_quot_floor(SnQuot x)
{
    return sn_quot_int(x, x.neg && x.r != 0);
}

/* Toward zero. */
static inline int64_t
sn_quot_zero(SnQuot x)
{
    return sn_quot_int(x, false);
}

/* To nearest, ties upward, away from 0, to even. */
static inline int64_t
sn_quot_half_up(SnQuot x)
{
    return sn_quot_int(x, x.r > x.rest || (x.r == x.rest && !x.neg));
}

static inline int64_t
sn_quot_half_away(SnQuot x)
{
    return sn_quot_int(x, x.r >= x.rest);
}

static inline int64_t
sn_quot_half_even(SnQuot x)
{
    return sn_quot_int(x, x.r > x.rest || (x.r == x.rest && (x.q & 1) != 0));
}

/* v / 2^n rounded, by a sum and a shift: what sn_quot_shr and the mode give
 * where 0 <= n <= 62 and |v| <= 2^62. */
static inline int64_t
sn_near_floor(int64_t v, int64_t n)
{
    return v >= 0 ? v >> n : ~(~v >> n);
}

static inline int64_t
sn_near_half_up(int64_t v, int64_t n)
{
    return sn_near_floor(v + ((INT64_C(1) << n) >> 1), n);
}

static inline int64_t
sn_near_half_away(int64_t v, int64_t n)
{
    int64_t half = (INT64_C(1) << n) >> 1;

    return sn_near_floor(v + half - (half != 0 && v < 0), n);
}

static inline int64_t
sn_near_zero(int64_t v, int64_t n)
{
    return sn_near_floor(v + (v < 0 ? (INT64_C(1) << n) - 1 : 0), n);
}

/* ---- arithmetics ----
 *
 * What machines compute on codes is declared (arith.def) and has a number:
 * float 0, then others as they are declared, a plugin's last.  sn_arith.h has
 * SN_ROUNDING_NAME of each. */
typedef uint32_t SnRounding;
enum { SN_ROUNDING_FLOAT = 0 };

static inline int64_t
sn_clamp64(int64_t v, int64_t lo, int64_t hi)
{
    int64_t low = v < lo ? lo : v;

    return low > hi ? hi : low;
}

#ifdef __cplusplus
}
#endif

#endif
