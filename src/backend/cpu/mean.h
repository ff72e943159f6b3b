// SPDX-License-Identifier: Apache-2.0
/* Means of codes by a row of an integer sum (mean.c), for pools of point.c. */
#ifndef SN_CPU_MEAN_H
#define SN_CPU_MEAN_H

#include "graph/desc.h"
#include "kernel/eval/rows.h"
#include "kernel/point/pool_q8.h"

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
