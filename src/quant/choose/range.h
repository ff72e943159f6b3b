// SPDX-License-Identifier: Apache-2.0
/* Which part of what a value was seen to be gets codes: rules that choose a
 * range [lo, hi] from a histogram.  What lies outside saturates.
 *
 * minmax      everything that was seen.
 * percentile  the shortest range of whole bins that leaves out at most
 *             (100 - p) / 2 percent of the values on each side.
 * moving-average  the moving averages of the smallest and of the largest value
 *             of each sample; only of profiles that have them.
 * mse         the range with the least expected square of the error, values
 *             taken as spread evenly over their bin.
 * entropy     the range whose quantized histogram is closest to the profiled
 *             one by the Kullback-Leibler divergence; values in the bin of 0
 *             are left out of it, because 0 has a code in every range.  A
 *             part of the range with fewer bins than codes, or three in four
 *             of them empty, is not considered, and 16 bits take everything.
 *
 * mse and entropy look at both ends in turn, in steps of 1/SN_RANGE_STEPS of
 * the profiled end, and take the larger range where two are equally good. */
#ifndef SN_RANGE_H
#define SN_RANGE_H

#include "quant/profile/profile.h"
#include "quant/choose/scheme.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_RANGE_STEPS = 64 };

typedef enum SnRangeKind {
    SN_MINMAX,
    SN_PERCENTILE,
    SN_ENTROPY,
    SN_MSE,
    SN_AVERAGE,
    SN_NRANGE
} SnRangeKind;

typedef struct SnRangeRule {
    SnRangeKind kind;
    double p; /* SN_PERCENTILE: in (50, 100] */
} SnRangeRule;

#define SN_PERCENTILE_DEFAULT 99.99

/* "minmax", "percentile", "percentile=99.9", "entropy", "mse",
 * "moving-average"; what is wrong
 * with the text, or NULL. */
const char *sn_range_parse(const char *text, SnRangeRule *out);
const char *sn_range_str(SnArena *a, SnRangeRule r);

/* The range of h, which is not empty, under rule r when its values get a type
 * of scheme s and kind e.  It lies within [min, max]. */
void sn_range_choose(SnRangeRule r, const SnHist *h, SnSchema s, SnElem e,
                     double *lo, double *hi);

/* The expected square error per value of h under parameters q. */
double sn_range_mse(const SnHist *h, SnParam q, SnElem e);

#ifdef __cplusplus
}
#endif

#endif
