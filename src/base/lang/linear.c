// SPDX-License-Identifier: Apache-2.0
#include "base/lang/linear.h"

#include <math.h>
#include <stddef.h>

/* ---- intervals ---- */

static double
larger(double lo, double hi)
{
    return fmax(fabs(lo), fabs(hi));
}

/* What bounds the terms of the form, before they cancel. */
static double
form_terms(const SnLin *x)
{
    double a = x->box ? larger(x->box->lo[0], x->box->hi[0]) : 0;
    double b = x->box ? larger(x->box->lo[1], x->box->hi[1]) : 0;

    return fabs(x->c[0]) + fabs(x->c[1]) * a + fabs(x->c[2]) * b +
           fabs(x->c[3]) * a * b;
}

/* The form without its error over the box, whose corners have its ends. */
static void
form_range(const SnLin *x, double *lo, double *hi)
{
    double e = form_terms(x) * 0x1p-50;

    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < 4; i++) {
        double a = 0, b = 0, v;
        if (x->box) {
            a = i & 1 ? x->box->hi[0] : x->box->lo[0];
            b = i & 2 ? x->box->hi[1] : x->box->lo[1];
        }
        v = x->c[0] + x->c[1] * a + x->c[2] * b + x->c[3] * (a * b);
        *lo = fmin(*lo, v);
        *hi = fmax(*hi, v);
    }
    *lo -= e;
    *hi += e;
}

/* Each operation here rounds a few times in binary64: 2^-50 of all terms is
 * more than that. */
static SnLin
outward(SnLin x)
{
    double e = (form_terms(&x) + larger(x.lo, x.hi)) * 0x1p-50;

    x.lo -= e;
    x.hi += e;
    if (!x.why && !(isfinite(x.lo) && isfinite(x.hi)))
        x.why = "its values leave binary64";
    return x;
}

void
sn_lin_range(const SnLin *x, double *lo, double *hi)
{
    form_range(x, lo, hi);
    *lo += x->lo;
    *hi += x->hi;
    *lo -= fabs(*lo) * 0x1p-50;
    *hi += fabs(*hi) * 0x1p-50;
}

/* Is x, an integer, in [lo, hi]?  Of a real: about. */
static bool
within(const SnLin *x, double lo, double hi)
{
    double l, h;

    sn_lin_range(x, &l, &h);
    return l > lo - 0.5 && h < hi + 0.5;
}

/* ---- leaves ---- */

SnLin
sn_lin_real(double v)
{
    SnLin x = {.c = {v}, .way = SN_LIN_ALL_WAYS};

    return x;
}

SnLin
sn_lin_int(int64_t v)
{
    SnLin x = sn_lin_real((double)v);

    return v > -(INT64_C(1) << 53) && v < INT64_C(1) << 53 ? x : outward(x);
}

SnLin
sn_lin_in(const SnLinBox *box, int i)
{
    SnLin x = {.box = box};

    x.c[1 + i] = 1;
    x.way = SN_LIN_ALL_WAYS & ~(unsigned)(i ? SN_LIN_DOWN_B : SN_LIN_DOWN_A);
    return x;
}

SnLin
sn_lin_none(const char *why)
{
    SnLin x = {.why = why};

    return x;
}

/* ---- both kinds of numbers ---- */

static unsigned
turned(unsigned way)
{
    unsigned down = SN_LIN_DOWN_A | SN_LIN_DOWN_B;

    return (way & down) >> 2 | (way & ~down) << 2;
}

SnLin
sn_lin_neg(SnLin x)
{
    double lo = x.lo;

    for (int i = 0; i < 4; i++)
        x.c[i] = -x.c[i];
    x.lo = -x.hi;
    x.hi = -lo;
    x.way = turned(x.way);
    return x;
}

SnLin
sn_lin_add(SnLin x, SnLin y)
{
    for (int i = 0; i < 4; i++)
        x.c[i] += y.c[i];
    x.lo += y.lo;
    x.hi += y.hi;
    x.box = x.box ? x.box : y.box;
    x.way &= y.way;
    x.why = x.why ? x.why : y.why;
    return outward(x);
}

SnLin
sn_lin_sub(SnLin x, SnLin y)
{
    return sn_lin_add(x, sn_lin_neg(y));
}

static bool
constant(const SnLin *x)
{
    return !x->box;
}

/* [lo, hi] grows by the products of two intervals. */
static void
add_products(SnLin *z, double alo, double ahi, double blo, double bhi)
{
    double p[] = {alo * blo, alo * bhi, ahi * blo, ahi * bhi};

    z->lo += fmin(fmin(p[0], p[1]), fmin(p[2], p[3]));
    z->hi += fmax(fmax(p[0], p[1]), fmax(p[2], p[3]));
}

/* Is the product of the forms one?  No operand twice in it. */
static bool
multiplies(const SnLin *x, const SnLin *y)
{
    for (int i = 1; i < 4; i++)
        for (int k = 1; k < 4; k++)
            if (i & k && x->c[i] * y->c[k] != 0)
                return false;
    return true;
}

static unsigned
product_ways(const SnLin *x, const SnLin *y)
{
    const SnLin *k = constant(x) ? x : y, *v = k == x ? y : x;

    if (!constant(k))
        return 0;
    return k->c[0] + k->lo >= 0   ? v->way
           : k->c[0] + k->hi <= 0 ? turned(v->way)
                                  : 0;
}

SnLin
sn_lin_mul(SnLin x, SnLin y)
{
    SnLin z = {.box = x.box ? x.box : y.box,
               .way = product_ways(&x, &y),
               .why = x.why ? x.why : y.why};
    double lo, hi;

    if (!multiplies(&x, &y))
        z.why = z.why ? z.why : "it multiplies an operand by itself";
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            if (!(i & k))
                z.c[i | k] += x.c[i] * y.c[k];
    form_range(&x, &lo, &hi);
    add_products(&z, lo, hi, y.lo, y.hi);
    form_range(&y, &lo, &hi);
    add_products(&z, lo, hi, x.lo, x.hi);
    add_products(&z, x.lo, x.hi, y.lo, y.hi);
    return outward(z);
}

/* The form of x, and an error that holds y as well. */
SnLin
sn_lin_select(SnLin x, SnLin y)
{
    SnLin d = sn_lin_sub(y, x);
    double lo, hi;

    d.lo = d.hi = 0;
    form_range(&d, &lo, &hi); /* y's less x's */
    x.lo = fmin(x.lo, lo + y.lo);
    x.hi = fmax(x.hi, hi + y.hi);
    x.box = d.box;
    x.way = 0;
    x.why = d.why;
    return outward(x);
}

SnLin
sn_lin_min(SnLin x, SnLin y)
{
    unsigned way = x.way & y.way;

    x = sn_lin_select(x, y);
    x.way = way;
    return x;
}

SnLin
sn_lin_max(SnLin x, SnLin y)
{
    return sn_lin_min(x, y);
}

/* x * k, exactly. */
static SnLin
scaled(SnLin x, double k)
{
    return sn_lin_mul(x, sn_lin_real(k));
}

/* ---- integers ---- */

/* What rounding of an integer over d (d > 0), a multiple of 1 / d, to an
 * integer adds. */
static SnLin
rounded(SnLin x, SnLinMode m, double d)
{
    double half = fmod(d, 2) != 0 ? (d - 1) / (2 * d) : 0.5;
    double open = fmod(d, 2) != 0 ? half : 0.5 - 1 / d, rest = 1 - 1 / d;
    double lo = -half, hi = half, vlo, vhi;
    bool neg, pos;

    sn_lin_range(&x, &vlo, &vhi);
    neg = vlo < -0.5 / d;
    pos = vhi > 0.5 / d;
    if (m == SN_LIN_FLOOR || m == SN_LIN_ZERO) {
        lo = m == SN_LIN_FLOOR || pos ? -rest : 0;
        hi = m == SN_LIN_ZERO && neg ? rest : 0;
    } else if (m == SN_LIN_HALF_UP) {
        lo = -open;
    } else if (m == SN_LIN_HALF_AWAY) {
        lo = neg ? -half : -open;
        hi = pos ? half : open;
    }
    x.lo += lo;
    x.hi += hi;
    return outward(x);
}

/* The value of a constant that binary64 has. */
static bool
exact(const SnLin *n, double *v)
{
    *v = n->c[0];
    return constant(n) && !n->why && !(n->lo < 0) && !(n->hi > 0);
}

SnLin
sn_lin_shl(SnLin x, SnLin n)
{
    double by;

    if (!exact(&n, &by)) {
        x.why = "a shift is not constant";
        x.way = 0;
        return x;
    }
    if (by < 0)
        return sn_lin_shr(x, sn_lin_neg(n), SN_LIN_FLOOR);
    return scaled(x, exp2(fmin(by, 64)));
}

SnLin
sn_lin_shr(SnLin x, SnLin n, SnLinMode m)
{
    double by;

    if (!exact(&n, &by) || by < 0)
        return sn_lin_shl(x, sn_lin_neg(n));
    if (by <= 0)
        return x;
    by = exp2(fmin(by, 1000));
    return rounded(scaled(x, 1 / by), m, by);
}

SnLin
sn_lin_div(SnLin x, SnLin d, SnLinMode m)
{
    double by;

    if (!exact(&d, &by) || !(fabs(by) > 0)) {
        x.why = "a divisor is not constant, or 0";
        x.way = 0;
        return x;
    }
    /* x / -d rounds as -x / d does */
    return rounded(scaled(x, 1 / by), m, fabs(by));
}

SnLin
sn_lin_mulshr(SnLin x, SnLin y, SnLin n, SnLinMode m)
{
    double by;
    SnLin z = sn_lin_mul(x, y);

    if (exact(&n, &by) && by < 0)
        n = sn_lin_int(0);
    z = sn_lin_shr(z, n, m);
    if (!z.why && !within(&z, -0x1p63, 0x1p63 - 1024))
        z.why = "a product may leave 64 bits";
    return z;
}

SnLin
sn_lin_sat(SnLin x, int bits)
{
    if (!x.why && !within(&x, -exp2(bits - 1), exp2(bits - 1) - 1))
        x.why = "a part of it may saturate";
    return x;
}

SnLin
sn_lin_wrap(SnLin x, int bits)
{
    if (within(&x, -exp2(bits - 1), exp2(bits - 1) - 1))
        return x;
    x.why = x.why ? x.why : "a part of it may wrap";
    x.way = 0;
    return x;
}

/* ---- reals ---- */

SnLin
sn_lin_round(SnLin x)
{
    double lo, hi, e;

    sn_lin_range(&x, &lo, &hi);
    e = larger(lo, hi) * 0x1p-24 + 0x1p-149;
    x.lo -= e;
    x.hi += e;
    if (!x.why && !(larger(lo, hi) < 0x1p127))
        x.why = "a part of it may leave binary32";
    return outward(x);
}

SnLin
sn_lin_f32(SnLin x)
{
    return within(&x, -0x1p24, 0x1p24) ? x : sn_lin_round(x);
}

SnLin
sn_lin_over(SnLin x, SnLin y)
{
    double by;

    if (!exact(&y, &by) || !(fabs(by) > 0)) {
        x.why = "a divisor is not constant, or 0";
        x.way = 0;
        return x;
    }
    return scaled(x, 1 / by);
}

SnLin
sn_lin_fmaf(SnLin x, SnLin y, SnLin z)
{
    return sn_lin_round(sn_lin_add(sn_lin_mul(x, y), z));
}

SnLin
sn_lin_exponent(SnLin x)
{
    (void)x;
    return sn_lin_none("a shift is not constant");
}

SnLin
sn_lin_ldexp(SnLin x, SnLin n)
{
    double by;

    if (!exact(&n, &by) || fabs(by) > 300) {
        x.why = "a power of two is not constant";
        x.way = 0;
        return x;
    }
    return sn_lin_round(scaled(x, exp2(by)));
}

SnLin
sn_lin_rne(SnLin x)
{
    x.lo -= 0.5;
    x.hi += 0.5;
    if (!x.why && !within(&x, -0x1p62, 0x1p62))
        x.why = "a part of it may leave 64 bits";
    return outward(x);
}
