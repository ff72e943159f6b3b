// SPDX-License-Identifier: Apache-2.0
/* Copies by tables: the source offset of a result element is the sum of one
 * entry for each of its coordinates, or fill where an entry is negative. */
#ifndef SN_COPY_H
#define SN_COPY_H

#include <stddef.h>
#include <stdint.h>

typedef struct SnCopyTable {
    int n;           /* axes */
    int64_t dim[32]; /* of the result, reshaped so that each axis is
                        independent */
    int64_t *off[32];
    int64_t base;
} SnCopyTable;

/* One element of size bytes. */
void sn_copy_one(char *y, const char *x, size_t size);
/* n runs of `run` bytes, which begin `step` bytes apart in x and `pitch` in y;
 * the runs of y overlap neither each other nor x. */
void sn_copy_lines(const char *x, size_t step, char *y, size_t pitch,
                   size_t run, int64_t n);
/* The number of elements of the table if they lie side by side, else 0. */
int64_t sn_copy_run(const SnCopyTable *t);
/* Copies elements of `size` bytes of x to y, row by row. */
void sn_copy_table(const SnCopyTable *t, const char *x, char *y, size_t size,
                   const char *fill);
/* The number of its rows, and copying rows [from, to): y is the whole
 * result. */
int64_t sn_copy_rows(const SnCopyTable *t);
void sn_copy_some(const SnCopyTable *t, const char *x, char *y, size_t size,
                  const char *fill, int64_t from, int64_t to);

#endif
