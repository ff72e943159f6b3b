// SPDX-License-Identifier: Apache-2.0
/* Rows of 8-bit codes to variance 1 (numerics.md, Normalize), whose elements
 * are neighbours. */
#ifndef SN_NORMAL_Q8_H
#define SN_NORMAL_Q8_H

#include "base/num.h"
#include "kernel/variant.h"

/* nrow rows of k->n codes; y may be x. */
void sn_normal8_run(SnIsa isa, const SnNormal *k, const int8_t *x, int64_t nrow,
                    int8_t *y);

/* ---- variants, for normal_q8.c ---- */

enum { SN_NORMAL_PART = 1 << 20 };
typedef struct SnNormal8 {
    /* Adds the sum of n codes, at most SN_NORMAL_PART, and of their squares. */
    void (*sums)(const int8_t *x, int64_t n, int64_t *sum, int64_t *squares);
    /* y[i] = sn_line_at(l, x[i]) */
    void (*line)(SnLine l, const int8_t *x, int64_t n, int8_t *y);
} SnNormal8;
extern SnVariants sn_normal_q8_variants;

#endif
