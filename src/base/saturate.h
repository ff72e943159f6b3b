// SPDX-License-Identifier: Apache-2.0
/* Saturations: ranges of codes or reals, what they let through, and what
 * conversions make of them.  One definition for the rules that run and for
 * the proofs about them. */
#ifndef SN_SATURATE_H
#define SN_SATURATE_H

#include "base/num.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A saturation in its value's own domain (codes, or reals for f32).  A side
 * without has_ is the bound of the storage.  It is min(max(v, lo), hi), also
 * where lo lies above hi: then everything ends on hi. */
typedef struct SnRange {
    double lo, hi;
    bool has_lo, has_hi;
} SnRange;

/* Bounds of reals. */
typedef struct SnReach {
    double lo, hi;
} SnReach;

/* What a type says of codes: nq scales and zero points, and the bounds of the
 * storage.  nq 0: reals, and nothing else counts. */
typedef struct SnGrid {
    uint32_t nq;
    const float *scale;
    const int32_t *zp;
    double lo, hi;
} SnGrid;

/* How a Rescale computes codes: the row of an arithmetic, not clamped yet; code
 * NULL: quantizes what it dequantizes. */
typedef struct SnRescaler {
    int64_t (*code)(const struct SnRescaler *r, int32_t q, float sx, int32_t zx,
                    float sy, int32_t zy);
    const void *of;
} SnRescaler;
static inline int32_t
sn_rescale_by(const SnRescaler *r, int32_t q, float sx, int32_t zx, float sy,
              int32_t zy, int32_t lo, int32_t hi)
{
    if (!r->code)
        return sn_rescale(q, sx, zx, sy, zy, lo, hi);
    return (int32_t)sn_clamp64(r->code(r, q, sx, zx, sy, zy), lo, hi);
}

static inline bool
sn_covers(SnReach a, SnReach b)
{
    return a.lo <= b.lo && a.hi >= b.hi;
}
/* scale * (code - zp) of a slice, exactly: 24 bits times at most 33. */
static inline double
sn_grid_real(const SnGrid *t, uint32_t slice, double code)
{
    return (double)t->scale[slice] * (code - (double)t->zp[slice]);
}
/* The reals that r lets through, over all slices. */
SnReach sn_grid_reach(const SnGrid *t, SnRange r);
/* Saturation to b, then to a: their common part, or the bound of a that all of
 * b ends on.  The result is not crossed, whatever a and b are. */
SnRange sn_meet(SnRange a, SnRange b);
/* Reals as codes of t (of its first slice): each finite side is quantized, even
 * one past the storage, which becomes its explicit bound; an infinite side is
 * open.  For nq 0 they stay what they are.  Not crossed, whatever reals is. */
SnRange sn_grid_bounds(const SnGrid *t, SnRange reals);
/* Is the code of v in grid a, rescaled to b, the code of v in b?  First slices
 * of quantized grids; else equal reals are alike. */
bool sn_grid_alike(const SnRescaler *by, double v, const SnGrid *a,
                   const SnGrid *b);
/* The saturation r of a value of grid `from`, seen in grid `to` by a Rescale
 * that computes as `by`.  An open side is the storage bound of `from`, or open
 * where the value is calibrated; what lands on `to`'s own bound is open.  From
 * reals it is sn_grid_bounds, to reals the reals of the codes. */
SnRange sn_grid_image(const SnRescaler *by, SnRange r, const SnGrid *from,
                      const SnGrid *to, bool calibrated);

#ifdef __cplusplus
}
#endif

#endif
