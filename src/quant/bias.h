// SPDX-License-Identifier: Apache-2.0
/* Biases of 8 bits.  A pinned bias sits on the accumulator's grid with 32 bits;
 * devices that store 8 shift them left: code = b * 2^k, -128 <= b <= 127, with
 * the smallest k for which the tensor's codes fit (those of each slice, where
 * the grid has a scale per slice).  A bias rounded so stays a 32-bit Constant
 * of codes, and every kernel takes it as it is. */
#ifndef SN_BIAS_H
#define SN_BIAS_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnBias8 {
    uint32_t n;      /* biases rounded */
    int least, most; /* shifts used */
} SnBias8;

/* v becomes the nearest b * 2^k (ties to even b); returns k. */
int sn_bias8_round(int32_t *v, int64_t n);
/* Rounds the Constant of every pinned operand of g, in copies named
 * "NAME.b8". */
SnBias8 sn_bias8(SnGraph *g, SnArena *scratch);

#ifdef __cplusplus
}
#endif

#endif
