// SPDX-License-Identifier: Apache-2.0
/* erf of many reals at a time as sn_erff rounds it (base/fmath.h), and rows
 * normalized to mean 0 and variance 1. */
#ifndef SN_ERF_F32_H
#define SN_ERF_F32_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/variant.h"

/* y[i] = sn_erff(x[i]); which NaN is left open.  y may be x. */
void sn_erff_run(SnIsa isa, const float *x, int64_t n, float *y);
/* x * (1 + erf(x / sqrt(2))) / 2 in the ways that models write it; each step
 * rounds, and so do the ways differ. */
typedef struct SnGeluF32 {
    bool divides; /* erf of x / 1.4142135624, not of x * 0.707106781 */
    bool early;   /* (x * 0.5) * (1 + erf), as Gelu of nodes.def does, not
                   * (x * (1 + erf)) * 0.5 */
} SnGeluF32;
/* y may be x. */
void sn_geluf_run(SnIsa isa, const SnGeluF32 *p, const float *x, int64_t n,
                  float *y);
/* nrow rows of n > 0 elements side by side:
 * y = (x - m) / sqrt(mean((x - m)^2) + eps), sums from the first on; m is the
 * row's mean if it is centred, else 0. */
void sn_standardf_run(SnIsa isa, bool centred, float eps, const float *x,
                      int64_t nrow, int64_t n, float *y);

/* ---- variants, for erf_f32.c ---- */

/* erf(x) / x on intervals i of a quarter from 0 on: coefficient k of the
 * Taylor series about the middle of interval i. */
enum { SN_ERF_INTERVALS = 16, SN_ERF_TERMS = 11 };
extern const double sn_erf_terms[SN_ERF_TERMS][SN_ERF_INTERVALS];

#define SN_GELU_ROOT 1.4142135624f
#define SN_GELU_FACTOR 0.707106781f

enum { SN_STANDARD_ROWS = 16, SN_STANDARD_LONGEST = 1 << 24 };
typedef struct SnErfF32 {
    /* y may be x. */
    void (*erf)(const float *x, int64_t n, float *y);
    void (*gelu)(const SnGeluF32 *p, const float *x, int64_t n, float *y);
    /* For SN_STANDARD_ROWS rows: mean, or 0, and mean square of the distance
     * from it. */
    void (*moments)(bool centred, const float *x, int64_t n, float *mean,
                    float *var);
    /* y[i] = (x[i] - mean) / dev */
    void (*scale)(const float *x, int64_t n, float mean, float dev, float *y);
} SnErfF32;
extern SnVariants sn_erf_f32_variants;

#endif
