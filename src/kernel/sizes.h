// SPDX-License-Identifier: Apache-2.0
/* Sizes of convolutions, products and pools: plain C, also in programs that
 * `sinter compile` writes. */
#ifndef SN_SIZES_H
#define SN_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* Channels to a lane, and most panels of that width side by side. */
enum { SN_LANE = 16, SN_PANELS = 4 };

typedef struct SnConvGeo {
    int64_t n, h, w, c;
    int64_t oh, ow, oc;
    int64_t kh, kw, sh, sw, dh, dw, pt, pl, group;
} SnConvGeo;

typedef struct SnSpan {
    int64_t o0, no; /* results */
    int64_t t0, nt; /* taps inside; none: nt is 0 */
} SnSpan;

#endif
