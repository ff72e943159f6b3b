// SPDX-License-Identifier: Apache-2.0
/* What files of kernels on codes share (contract.c, contract_rows.c, point.c,
 * sums.c). */
#ifndef SN_CPU_CONTRACT_H
#define SN_CPU_CONTRACT_H

#include "graph/desc.h"
#include "kernel/conv/conv_q8.h"
#include "kernel/eval/rows.h"
#include "kernel/point/pool_q8.h"

/* Packs the convolution of the call (operands x, w, b? in its first three
 * slots, its attributes those of Conv2D) with results of type y, cut to clamp;
 * sets all of p but inplace.  NULL: not one that the kernel can do. */
const SnConvQ8 *sn_cpu_conv_open(SnPrep *p, const SnType *y, SnRange clamp);

/* x and w of the call as q8, b constant or absent, results of type y: fills
 * num, whose multipliers are in tmp.  False where they are not. */
bool sn_cpu_conv_numbers(SnArena *tmp, const SnCall *c, const SnType *y,
                         SnRange clamp, SnConvNum *num);

/* Under another arithmetic than float (contract_rows.c) plans give sums, which
 * a row makes codes of: with the constants of its channel, k, `step` apart. */
typedef struct SnCpuRows {
    const SnArithRow *row;
    const int64_t *k;
    int64_t step;
    int32_t xz, lo, hi;
    const int32_t *bias; /* or NULL */
} SnCpuRows;
/* The rows of the call's contract with results of type y; num is that of
 * sn_cpu_conv_numbers.  False: the evaluator does it. */
bool sn_cpu_rows_find(const SnCall *c, const SnConvNum *num, const SnType *y,
                      SnCpuRows *r);
/* What of num a plan of sums takes. */
SnConvNum sn_cpu_rows_sums(const SnConvNum *num);
/* Codes of channels [c0, c1) of npx pixels, whose sums lie `oc` apart. */
void sn_cpu_rows_codes(const SnCpuRows *r, const int32_t *sums, int64_t oc,
                       int64_t npx, int64_t c0, int64_t c1, int8_t *y,
                       int64_t pitch);

/* sn_cpu_conv_open by rows: of num multipliers and picks do not count. False:
 * the evaluator does it. */
bool sn_cpu_rows_open(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num,
                      const int8_t *w, const SnType *y);
/* A run of what that made; pixels of the result lie `pitch` codes apart. */
void sn_cpu_rows_run(const SnCall *c, int64_t pitch);

/* What sn_cpu_add_q8_prepare made, run on n codes that lie side by side; y may
 * be a or b. */
void sn_cpu_pair_codes(const void *pair, const int8_t *a, const int8_t *b,
                       int64_t n, int8_t *y);

/* ---- means by a row of an integer sum (sums.c) ---- */

/* The row of the call's mean; when: SN_WHEN_ flags.  False: there is none, or
 * it is one of a real. */
bool sn_cpu_mean_row(const SnCall *c, unsigned when, int64_t zp_shift,
                     SnRowUse *use);

typedef struct SnCpuPoolRow SnCpuPoolRow;
/* Prepares the windows of `pool` by that row; p->nwork is that of the pool. */
const SnCpuPoolRow *sn_cpu_pool_row(SnPrep *p, const SnPool8 *pool, SnLim lim,
                                    const SnRowUse *use);
/* The call's units; pixels of the result lie `pitch` codes apart. */
void sn_cpu_pool_row_run(const SnCpuPoolRow *k, const SnCall *c, int64_t pitch);

#endif
