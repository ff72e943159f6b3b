// SPDX-License-Identifier: Apache-2.0
/* How far the code of a row may be from that of the real operator that it
 * implements, between DequantizeLinear and QuantizeLinear, on equal operands.
 * The operator rounds each step to binary32, adds up in any order, and rounds
 * to nearest once it is quantized (docs/export.md). */
#ifndef SN_ROW_BOUND_H
#define SN_ROW_BOUND_H

#include "base/lang/arithmetic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnRowTask {
    const SnArithRow *row; /* NULL: the meaning's own steps, in binary32 */
    SnForm form;           /* of the node; a row may be one for any point */
    SnRowGrids g;
    double lo[2], hi[2]; /* operands: codes, or a sum */
    double most;  /* of a sum: what its terms' absolute values add up to */
    double nterm; /* and how many there are */
    int32_t code_lo, code_hi; /* of the result */
} SnRowTask;

typedef struct SnRowBound {
    int64_t lo, hi;  /* the row's code less the operator's */
    double rlo, rhi; /* the same of both before they are whole */
    bool exact;      /* some operands reach lo, some hi */
    const char *why; /* why nothing is known; NULL: it is */
} SnRowBound;

SnRowBound sn_row_bound(const SnRowTask *t);
/* The same by trying all operands; false: not of codes, more than SN_ROW_ALL of
 * them, or not by a row of the form. */
enum { SN_ROW_ALL = 1 << 16 };
bool sn_row_bound_all(const SnRowTask *t, SnRowBound *r);
/* The operator's code, where a sum is exact and then rounded to binary32. */
int32_t sn_row_operator(const SnRowTask *t, int64_t a, int64_t b);
/* What holds of both. */
SnRowBound sn_row_bound_join(SnRowBound a, SnRowBound b);

#ifdef __cplusplus
}
#endif

#endif
