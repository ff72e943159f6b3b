// SPDX-License-Identifier: Apache-2.0
/* Measured limits of this machine: `sinter bench` reports shares of these
 * ceilings. */
#ifndef SN_PEAK_H
#define SN_PEAK_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/variant.h"

typedef struct SnPeak {
    double ops8, ops32; /* a second: 8-bit products and sums, and f32 ones, by
                           the instructions that the kernels of the set use */
    double read;        /* bytes a second, from memory beyond the caches */
} SnPeak;

/* nthread at once; takes about 0.3 s and 128 MiB per thread.  A ceiling that
 * cannot be measured (no thread, no memory) is 0. */
SnPeak sn_peak(SnIsa isa, unsigned nthread);

/* Reads n bytes once, in order, as a ceiling for code that has to read them: n
 * is a multiple of 128, aligned to 64. */
void sn_peak_read(SnIsa isa, const void *p, size_t n);

/* ---- variants ---- */

enum { SN_PEAK_READ = 128 << 20 }; /* bytes that one round of `read` reads */
/* A loop does n rounds and returns operations (or bytes) a round; its result
 * goes to *sink so that it is not optimized away. */
typedef double SnPeakFn(int64_t n, const void *data, volatile int *sink);
typedef struct SnPeakLoops {
    SnPeakFn *s8, *f32, *read;
    /* Reads n bytes once, as sn_peak_read. */
    void (*pass)(const void *data, size_t n, volatile int *sink);
} SnPeakLoops;
extern SnVariants sn_peak_variants;

#endif
