// SPDX-License-Identifier: Apache-2.0
#include "base/saturate.h"

/* The same saturation with lo <= hi. */
static SnRange
ordered(SnRange r)
{
    if (r.has_lo && r.has_hi && r.lo > r.hi)
        r.lo = r.hi;
    return r;
}

SnReach
sn_grid_reach(const SnGrid *t, SnRange r)
{
    SnReach v = {-INFINITY, INFINITY};

    r = ordered(r);
    if (t->nq == 0) {
        if (r.has_lo)
            v.lo = r.lo;
        if (r.has_hi)
            v.hi = r.hi;
        return v;
    }
    double lo = r.has_lo && r.lo > t->lo ? r.lo : t->lo;
    double hi = r.has_hi && r.hi < t->hi ? r.hi : t->hi;
    v.lo = sn_grid_real(t, 0, lo);
    v.hi = sn_grid_real(t, 0, hi);
    for (uint32_t i = 1; i < t->nq; i++) {
        v.lo = fmin(v.lo, sn_grid_real(t, i, lo));
        v.hi = fmax(v.hi, sn_grid_real(t, i, hi));
    }
    return v;
}

SnRange
sn_meet(SnRange a, SnRange b)
{
    a = ordered(a);
    b = ordered(b);
    SnRange r = a;

    /* Of equal bounds b's: it is met first, and a keeps its -0 or +0. */
    if (b.has_lo && (!r.has_lo || b.lo >= r.lo)) {
        r.has_lo = true;
        r.lo = b.lo;
    }
    if (b.has_hi && (!r.has_hi || b.hi <= r.hi)) {
        r.has_hi = true;
        r.hi = b.hi;
    }
    /* Disjoint: everything ends on a's bound next to b. */
    if (r.has_lo && r.has_hi && r.lo > r.hi) {
        if (a.has_hi && r.hi == a.hi)
            r.lo = r.hi;
        else
            r.hi = r.lo;
    }
    return r;
}

SnRange
sn_grid_bounds(const SnGrid *t, SnRange reals)
{
    SnRange r = {0};

    reals = ordered(reals);
    r.has_lo = reals.has_lo && reals.lo > -INFINITY;
    r.has_hi = reals.has_hi && reals.hi < INFINITY;
    if (r.has_lo)
        r.lo = reals.lo;
    if (r.has_hi)
        r.hi = reals.hi;
    if (t->nq && r.has_lo)
        r.lo = sn_quant((float)r.lo, t->scale[0], t->zp[0], (int32_t)t->lo,
                        (int32_t)t->hi);
    if (t->nq && r.has_hi)
        r.hi = sn_quant((float)r.hi, t->scale[0], t->zp[0], (int32_t)t->lo,
                        (int32_t)t->hi);
    return r;
}

static double
rescaled(const SnRescaler *by, double code, const SnGrid *from,
         const SnGrid *to)
{
    return sn_rescale_by(by, (int32_t)code, from->scale[0], from->zp[0],
                         to->scale[0], to->zp[0], (int32_t)to->lo,
                         (int32_t)to->hi);
}

bool
sn_grid_alike(const SnRescaler *by, double v, const SnGrid *a, const SnGrid *b)
{
    SnRange r = {v, 0, true, false}, x, y;

    x = sn_grid_bounds(a, r);
    y = sn_grid_bounds(b, r);
    if (a->nq == 0 || b->nq == 0)
        return a->nq == b->nq;
    return x.has_lo && y.has_lo && rescaled(by, x.lo, a, b) == y.lo;
}

SnRange
sn_grid_image(const SnRescaler *by, SnRange r, const SnGrid *from,
              const SnGrid *to, bool calibrated)
{
    SnRange v = {0};

    r = ordered(r);
    if (from->nq == 0)
        return sn_grid_bounds(to, r);
    if (to->nq == 0) {
        v.has_lo = r.has_lo;
        v.has_hi = r.has_hi;
        v.lo = r.has_lo ? sn_grid_real(from, 0, r.lo) : 0;
        v.hi = r.has_hi ? sn_grid_real(from, 0, r.hi) : 0;
        return v;
    }
    if (r.has_lo || !calibrated) {
        v.lo = rescaled(by, r.has_lo && r.lo > from->lo ? r.lo : from->lo, from,
                        to);
        v.has_lo = r.has_lo || v.lo > to->lo;
    }
    if (r.has_hi || !calibrated) {
        v.hi = rescaled(by, r.has_hi && r.hi < from->hi ? r.hi : from->hi, from,
                        to);
        v.has_hi = r.has_hi || v.hi < to->hi;
    }
    if (!v.has_lo)
        v.lo = 0;
    if (!v.has_hi)
        v.hi = 0;
    return v;
}
