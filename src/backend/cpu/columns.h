// SPDX-License-Identifier: Apache-2.0
/* Functions of rows of reals along any axis: columns are laid out as rows,
 * some at a time. */
#ifndef SN_CPU_COLUMNS_H
#define SN_CPU_COLUMNS_H

#include "graph/desc.h"

/* [outer, n, inner]: elements of a row lie `inner` apart. */
typedef struct SnCpuColumns {
    int64_t outer, n, inner;
} SnCpuColumns;

/* nrow rows of n elements side by side, in place. */
typedef void SnCpuRowsFn(const void *k, float *rows, int64_t nrow, int64_t n);

/* Of x along an axis that is in range. */
SnCpuColumns sn_cpu_columns_open(const SnShape *x, int axis);
/* Units, and bytes of work, where inner is more than 1. */
int64_t sn_cpu_columns_units(const SnCpuColumns *o);
size_t sn_cpu_columns_work(const SnCpuColumns *o);
/* The call's units of its first operand, by fn. */
void sn_cpu_columns(const SnCpuColumns *o, const SnCall *c, SnCpuRowsFn *fn,
                    const void *k);

#endif
