// SPDX-License-Identifier: Apache-2.0
/* Sums of depthwise convolutions on 8-bit codes: one channel to a group, as
 * many results.  For contracts whose end the tiles of conv_q8.h do not have. */
#ifndef SN_DEPTH_SUMS_H
#define SN_DEPTH_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/conv_geo.h"
#include "kernel/variant.h"

typedef struct SnDepthSums {
    SnConvGeo geo; /* of one image, of fewer than 2^14 taps */
    int32_t xz;
    const int16_t *w; /* [kh][kw][c]: codes less their zero points */
} SnDepthSums;

/* Taps of a result that lie in the image: place i of n is at x[at[i]] and
 * w[of[i]] of its first channel. */
typedef struct SnDepthTaps {
    int64_t n;
    const int64_t *at, *of;
} SnDepthTaps;
/* y[c] = sum((x - xz) * w) over the taps, c of n channels. */
typedef void SnDepthFn(const SnDepthSums *k, const int8_t *x, SnDepthTaps taps,
                       int64_t n, int32_t *y);
typedef struct SnDepth {
    SnDepthFn *sums;
} SnDepth;
extern SnVariants sn_depth_variants;

bool sn_depth_sums_holds(const SnConvGeo *geo);
/* Bytes of working memory for a run. */
size_t sn_depth_sums_work(const SnDepthSums *k);
/* Result rows [r0, r1) of the image: pixels of y are `c` apart. */
void sn_depth_sums_run(SnIsa isa, const SnDepthSums *k, const int8_t *x,
                       int32_t *y, void *work, int64_t r0, int64_t r1);

#endif
