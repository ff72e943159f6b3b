// SPDX-License-Identifier: Apache-2.0
/* Softmax of rows of 8-bit codes whose elements are neighbours. */
#ifndef SN_SOFTMAX_Q8_H
#define SN_SOFTMAX_Q8_H

#include "kernel/eval/rows.h"
#include "kernel/variant.h"

/* One row of n codes, by the Softmax row of numerics.md; y may be x. */
void sn_softmax8_run(SnIsa isa, const SnSoftmax *s, const int8_t *x, int64_t n,
                     int8_t *y);

/* ---- variants, for softmax_q8.c ---- */

typedef struct SnSoftmax8 {
    /* The largest of n > 0 codes. */
    int (*top)(const int8_t *x, int64_t n);
    /* y[b] = sn_softmax_code(s, b, sum) for b below the result, which is n, or
     * less if all others have a share of 0.  y has room for n rounded up to a
     * multiple of 16. */
    int (*share)(const SnSoftmax *s, uint64_t sum, int n, int8_t *y);
    /* The whole row, or NULL; false: this processor cannot do it this way. */
    bool (*row)(const SnSoftmax *s, const int8_t *x, int64_t n, int8_t *y);
} SnSoftmax8;
extern SnVariants sn_softmax_q8_variants;

#endif
