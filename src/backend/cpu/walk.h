// SPDX-License-Identifier: Apache-2.0
/* Two operands that may repeat (one number, a row, a column, any dimension of
 * 1), by rows along which each advances or stands. */
#ifndef SN_CPU_WALK_H
#define SN_CPU_WALK_H

#include "graph/desc.h"
#include "kernel/eval/map.h"

/* A result is rows; element i of row r comes from off(r) + i * step of each
 * operand.  Short rows of b that repeat are laid out `rep` times first. */
typedef struct SnCpuWalk {
    int64_t nrow;    /* rows of the result */
    int64_t unit;    /* elements of the result to a unit */
    int64_t count;   /* elements of the result */
    int64_t step[2]; /* of each operand along a row: 1, or 0 where it stands */
    int64_t per;     /* rows to a unit, where there are several */
    int64_t rep;
    SnBcast m;
} SnCpuWalk;

/* Sets the units, which take `ns` nanoseconds about for SN_CPU_UNIT elements,
 * the working memory, and which operands the result may take the memory of.
 * False where there are no results. */
bool sn_cpu_walk_open(SnPrep *p, SnCpuWalk *w, int64_t ns);

/* Whether neither operand repeats: a unit is the same elements of all three
 * tensors. */
bool sn_cpu_walk_plain(const SnCpuWalk *w);
/* Then: the first element of the call's units, and how many they have. */
int64_t sn_cpu_walk_part(const SnCpuWalk *w, const SnCall *c, int64_t *n);

/* n elements: element i from a[i * step_a] and b[i * step_b]. */
typedef void SnCpuWalkFn(const void *k, const void *a, int64_t step_a,
                         const void *b, int64_t step_b, int64_t n, void *y);
/* The call's units, by fn(k, ...). */
void sn_cpu_walk(const SnCpuWalk *w, const SnCall *c, SnCpuWalkFn *fn,
                 const void *k);

#endif
