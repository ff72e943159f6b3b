// SPDX-License-Identifier: Apache-2.0
/* Pools and LRN on 8-bit codes: what runs them, also in programs that `sinter
 * compile` writes. */
#ifndef SN_POOL_Q8_H
#define SN_POOL_Q8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sizes.h"

typedef struct SnPool8 {
    SnConvGeo geo;
    /* AvgPool */
    bool count_pad;
    bool columns;      /* each of these is added up first (SnMap.part) */
    float xs, ys, off; /* off: added before rounding (`after`) */
    bool whole;        /* the `after` form of a whole image: integer mean */
    int32_t xz, yz;    /* yz: added after rounding */
    float lo, hi;      /* clamp of the rounded value */
} SnPool8;
typedef struct SnLrn8 {
    int64_t npx, c;
    int64_t before, after; /* the window: [c - before, c + after] */
    float coef, k;         /* t = fmaf(coef, S, k) */
    float xs, ys, lo, hi;  /* lo, hi less yz */
    int32_t xz, yz;
} SnLrn8;
/* One result pixel: taps at x[tap[i]], c channels.  avg: `part` of them at a
 * time are added up before they join the rest. */
typedef void SnMax8Fn(const int8_t *x, const int64_t *tap, int64_t ntap,
                      int64_t c, int8_t *y);
typedef void SnAvg8Fn(const SnPool8 *p, const int8_t *x, const int64_t *tap,
                      int64_t ntap, int64_t part, int64_t nall, int8_t *y);
/* npx pixels; sq: `pitch` ints for each, the squares at sq + before, zeros
 * around them already in place.  The squares are written before the first sum
 * is read, so that loads do not wait for stores. */
typedef void SnLrn8Fn(const SnLrn8 *p, const int8_t *x, int64_t npx,
                      int32_t *sq, int64_t pitch, int8_t *y);

/* In C, and by instructions. */
SnMax8Fn sn_max8_c, sn_max8_avx2, sn_max8_avx512;
SnAvg8Fn sn_avg8_c, sn_avg8_avx2, sn_avg8_avx512;
SnLrn8Fn sn_lrn8_c, sn_lrn8_avx2, sn_lrn8_avx512;

/* Runs one of max and avg; tap: room for the taps of a window. */
void sn_pool8_by(SnMax8Fn *max, SnAvg8Fn *avg, const SnPool8 *p,
                 const int8_t *x, int8_t *y, int64_t pitch, int64_t *tap,
                 int64_t r0, int64_t r1);
/* Bytes of working memory for sn_lrn8_by. */
size_t sn_lrn8_work(const SnLrn8 *p);
/* Pixels [p0, p1) of npx. */
void sn_lrn8_by(SnLrn8Fn *lrn, const SnLrn8 *p, const int8_t *x, int8_t *y,
                void *work, int64_t p0, int64_t p1);

#endif
