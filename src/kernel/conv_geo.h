// SPDX-License-Identifier: Apache-2.0
/* The sizes of a convolution, product or pool, and how one is cut: shared by
 * the families on codes and on reals. */
#ifndef SN_CONV_GEO_H
#define SN_CONV_GEO_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/sizes.h"

/* Most taps of a window that a pool's kernel lists. */
enum { SN_POOL_TAPS = 1 << 20 };

/* How a plan does its work; for reals see kernel/conv_f32/conv_f32.h.  Results
 * are the same for every pick. */
typedef struct SnConvPick {
    int64_t rows;  /* result rows to a chunk */
    int npanel;    /* most panels of SN_LANE channels side by side, made of
                      equal widths; depthwise: 0 */
    bool clip;     /* tiles skip taps in padding and read x itself where they
                      can; depthwise: false */
    bool by_block; /* threads share panels, else result rows */
    bool tiles; /* by tiles of two by two results (kernel/conv/conv_wino.h) */
} SnConvPick;
bool sn_conv_same_pick(const SnConvPick *p, const SnConvPick *q);

/* Channels to a panel: at most npanel * SN_LANE, those of a group in as few
 * panels as that allows, of equal widths. */
int64_t sn_conv_width(const SnConvGeo *o, int npanel);

/* Whether there are no results. */
static inline bool
is_empty(const SnConvGeo *o)
{
    return o->oh == 0 || o->ow == 0 || o->n == 0 || o->oc == 0;
}
static inline void
swap64(int64_t *a, int64_t *b)
{
    int64_t was = *a;

    *a = *b;
    *b = was;
}

static inline int64_t
min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t
ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

#endif
