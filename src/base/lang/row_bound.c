// SPDX-License-Identifier: Apache-2.0
#include "base/lang/row_bound.h"

#include <math.h>

/* ---- the operator ---- */

static double
away(const SnRowTask *t, const SnLinBox *box, int i)
{
    double z = t->g.zp[1 + i];

    return fmax(fabs(box->lo[i] - z), fabs(box->hi[i] - z));
}

/* The real that an operand's unit is, in steps of the result. */
static double
steps(const SnRowTask *t, int i)
{
    return (double)t->g.scale[1 + i] / (double)t->g.scale[0];
}

/* What n roundings to binary32 move something of this size by, at most. */
static double
roundings(double n, double size)
{
    const double u = 0x1p-24;

    return n * u < 0.5 ? size * (n * u / (1 - n * u)) + 0x1p-100 : INFINITY;
}

/* Is the result a product of its one operand, which rounding moves by so much
 * of itself?  Partial sums may be larger than what they end with. */
static bool
proportional(const SnRowTask *t)
{
    return t->form == SN_FORM_CONVERT ||
           ((t->form == SN_FORM_CONTRACT || t->form == SN_FORM_MEAN) &&
            t->nterm <= 1);
}

/* What the operator's steps before QuantizeLinear rounds to an integer are off
 * by for operands in the box, in steps of the result: products, sums and
 * quotients round once each, a mean multiplies by a reciprocal perhaps.  (A
 * bias is dequantized by a product of scales that is rounded, and multiplied by
 * nothing.) */
static double
operator_error(const SnRowTask *t, const SnLinBox *box)
{
    double ra = steps(t, 0), rb = steps(t, 1), most = t->most;

    if (proportional(t))
        most = fmax(fabs(box->lo[0]), fabs(box->hi[0]));
    switch (t->form) {
    case SN_FORM_CONTRACT:
        return roundings(t->nterm + 4, most * ra * (double)t->g.scale[2]);
    case SN_FORM_MEAN:
        return roundings(t->nterm + 4, most * ra / (double)t->g.n);
    case SN_FORM_SUM:
    case SN_FORM_DIFFERENCE:
        return roundings(3, away(t, box, 0) * ra + away(t, box, 1) * rb);
    case SN_FORM_PRODUCT:
        return roundings(4, away(t, box, 0) * away(t, box, 1) * ra *
                                (double)t->g.scale[2]);
    default:
        return roundings(2, away(t, box, 0) * ra);
    }
}

/* x - its zero point */
static SnLin
centred(const SnRowTask *t, SnLin x, int i)
{
    return sn_lin_sub(x, sn_lin_int(t->g.zp[1 + i]));
}

static SnLin
times(SnLin x, double k)
{
    return sn_lin_mul(x, sn_lin_real(k));
}

/* The result without rounding, in steps. */
static SnLin
ideal(const SnRowTask *t, SnLin a, SnLin b)
{
    double ra = steps(t, 0), rb = steps(t, 1);
    SnLin y;

    switch (t->form) {
    case SN_FORM_CONTRACT:
        y = times(a, ra * (double)t->g.scale[2]);
        break;
    case SN_FORM_MEAN:
        y = times(a, ra / (double)t->g.n);
        break;
    case SN_FORM_SUM:
    case SN_FORM_DIFFERENCE:
        a = times(centred(t, a, 0), ra);
        b = times(centred(t, b, 1), rb);
        y = t->form == SN_FORM_SUM ? sn_lin_add(a, b) : sn_lin_sub(a, b);
        break;
    case SN_FORM_PRODUCT:
        y = times(sn_lin_mul(centred(t, a, 0), centred(t, b, 1)),
                  ra * (double)t->g.scale[2]);
        break;
    default:
        y = times(centred(t, a, 0), ra);
        break;
    }
    return sn_lin_add(y, sn_lin_int(t->g.zp[0]));
}

/* ---- the row ---- */

/* d(x) */
static SnLin
real_of(const SnRowTask *t, SnLin x, int i)
{
    return sn_lin_round(times(centred(t, x, i), (double)t->g.scale[1 + i]));
}

/* What a row for any point is given: the real, by steps in binary32. */
static SnLin
value(const SnRowTask *t, SnLin a, SnLin b)
{
    double sx = (double)t->g.scale[1], e;
    SnLin y;

    switch (t->form) {
    case SN_FORM_MEAN:
        y = times(a, sx / (double)t->g.n);
        e = roundings(t->nterm + 3, t->most * sx / (double)t->g.n);
        y.lo -= e;
        y.hi += e;
        return y;
    case SN_FORM_SUM:
        return sn_lin_round(sn_lin_add(real_of(t, a, 0), real_of(t, b, 1)));
    case SN_FORM_DIFFERENCE:
        return sn_lin_round(sn_lin_sub(real_of(t, a, 0), real_of(t, b, 1)));
    case SN_FORM_PRODUCT:
        return sn_lin_round(sn_lin_mul(real_of(t, a, 0), real_of(t, b, 1)));
    case SN_FORM_CONVERT:
        return real_of(t, a, 0);
    default:
        return sn_lin_none("a sum of products has no row");
    }
}

/* What the row gives for operands in the box. */
static SnLin
by_row(const SnRowTask *t, const SnLinBox *box)
{
    SnLin a = sn_lin_in(box, 0), b = sn_lin_in(box, 1);
    int64_t k[SN_ROW_NK] = {0};

    t->row->open(&t->g, k);
    if (t->row->form == SN_FORM_POINT)
        return t->row->lin(k, value(t, a, b), sn_lin_int(0));
    return t->row->lin(k, a, b);
}

/* ---- how far they are apart ---- */

static SnRowBound
known(const SnRowTask *t, double lo, double hi)
{
    double most = (double)t->code_hi - t->code_lo;
    SnRowBound r = {.rlo = lo, .rhi = hi};

    /* Saturation brings both nearer to each other, or makes them equal. */
    r.lo = (int64_t)fmax(fmin(ceil(lo), 0), -most);
    r.hi = (int64_t)fmin(fmax(floor(hi), 0), most);
    return r;
}

static SnRowBound
unknown(const char *why)
{
    return (SnRowBound){.why = why};
}

/* For operands in the box. */
static SnRowBound
in_box(const SnRowTask *t, const SnLinBox *box)
{
    double e = 0.5 + operator_error(t, box), lo, hi;
    SnLin d = sn_lin_sub(by_row(t, box),
                         ideal(t, sn_lin_in(box, 0), sn_lin_in(box, 1)));

    d.lo -= e;
    d.hi += e;
    sn_lin_range(&d, &lo, &hi);
    if (d.why)
        return unknown(d.why);
    return known(t, lo, hi);
}

/* Operands for which the operator, without rounding, gives code_lo - m to
 * code_hi + m, and one more on each side. */
static SnLinBox
nearby(const SnRowTask *t, double m)
{
    SnLinBox box = {{t->lo[0], t->lo[1]}, {t->hi[0], t->hi[1]}};
    SnLin y = ideal(t, sn_lin_in(&box, 0), sn_lin_in(&box, 1));
    double lo = floor((t->code_lo - m - y.c[0]) / y.c[1]);
    double hi = ceil((t->code_hi + m - y.c[0]) / y.c[1]);

    box.lo[0] = fmin(fmax(lo, t->lo[0]), t->hi[0]);
    box.hi[0] = fmax(fmin(hi, t->hi[0]), t->lo[0]);
    return box;
}

static SnLinBox
whole_box(const SnRowTask *t)
{
    return (SnLinBox){{t->lo[0], t->lo[1]}, {t->hi[0], t->hi[1]}};
}

/* Of a row that does not fall only operands count for which the operator does
 * not saturate, and some more: beyond, the operator stays at its last code, and
 * the row lies between what it gives at the end of the box and that code. */
static SnRowBound
of_one(const SnRowTask *t)
{
    const SnLinBox all = whole_box(t);
    double m = proportional(t) ? 1 : ceil(operator_error(t, &all)) + 1;

    if (!(by_row(t, &all).way & SN_LIN_UP_A))
        return in_box(t, &all);
    SnLinBox box = nearby(t, m);
    return in_box(t, &box);
}

SnRowBound
sn_row_bound(const SnRowTask *t)
{
    const SnLinBox all = whole_box(t);
    bool two = t->form >= SN_FORM_SUM && t->form <= SN_FORM_PRODUCT;

    if (t->form == SN_FORM_FUNCTION)
        return unknown("entries of its table are not the operator's");
    if (t->row)
        return two || t->row->form == SN_FORM_POINT ? in_box(t, &all)
                                                    : of_one(t);
    if (t->form == SN_FORM_CONTRACT)
        return unknown("a sum of products has no row");
    /* Sums are added up in some order; the other steps are the operator's. */
    double e = t->form == SN_FORM_MEAN ? 2 * operator_error(t, &all) + 1 : 0;
    SnRowBound r = known(t, -e, e);
    r.exact = !(e > 0);
    return r;
}

SnRowBound
sn_row_bound_join(SnRowBound a, SnRowBound b)
{
    if (a.why || b.why)
        return a.why ? a : b;
    return (SnRowBound){.lo = a.lo < b.lo ? a.lo : b.lo,
                        .hi = a.hi > b.hi ? a.hi : b.hi,
                        .rlo = fmin(a.rlo, b.rlo),
                        .rhi = fmax(a.rhi, b.rhi),
                        .exact = a.exact && b.exact};
}

/* ---- what the operator computes ---- */

int32_t
sn_row_operator(const SnRowTask *t, int64_t a, int64_t b)
{
    const SnRowGrids *g = &t->g;
    float x = sn_dequant((int32_t)a, g->scale[1], g->zp[1]), y = 0;

    if (t->form >= SN_FORM_SUM && t->form <= SN_FORM_PRODUCT)
        y = sn_dequant((int32_t)b, g->scale[2], g->zp[2]);
    switch (t->form) {
    case SN_FORM_CONTRACT:
        x = (float)((double)a * (double)g->scale[1] * (double)g->scale[2]);
        break;
    case SN_FORM_MEAN:
        x = (float)((double)a * (double)g->scale[1]) / (float)g->n;
        break;
    case SN_FORM_SUM:
        x = x + y;
        break;
    case SN_FORM_DIFFERENCE:
        x = x - y;
        break;
    case SN_FORM_PRODUCT:
        x = sn_mulf(x, y);
        break;
    default:
        break;
    }
    return sn_quant(x, g->scale[0], g->zp[0], t->code_lo, t->code_hi);
}

static int32_t
row_code(const SnRowTask *t, const int64_t *k, int64_t a, int64_t b)
{
    return sn_row_code(t->row, k, a, b, t->code_lo, t->code_hi);
}

bool
sn_row_bound_all(const SnRowTask *t, SnRowBound *r)
{
    bool two = t->form >= SN_FORM_SUM && t->form <= SN_FORM_PRODUCT;
    double n = (t->hi[0] - t->lo[0] + 1) * (two ? t->hi[1] - t->lo[1] + 1 : 1);
    int64_t k[SN_ROW_NK] = {0};

    if ((!two && t->form != SN_FORM_CONVERT) || n > SN_ROW_ALL || !t->row ||
        t->row->form != t->form)
        return false;
    *r = (SnRowBound){.exact = true};
    t->row->open(&t->g, k);
    for (int64_t a = (int64_t)t->lo[0]; a <= (int64_t)t->hi[0]; a++)
        for (int64_t b = two ? (int64_t)t->lo[1] : 0;
             b <= (two ? (int64_t)t->hi[1] : 0); b++) {
            int64_t d = row_code(t, k, a, b) - sn_row_operator(t, a, b);
            r->lo = d < r->lo ? d : r->lo;
            r->hi = d > r->hi ? d : r->hi;
        }
    r->rlo = (double)r->lo;
    r->rhi = (double)r->hi;
    return true;
}
