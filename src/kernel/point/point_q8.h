// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels on 8-bit codes.  Each is prepared for its types
 * (a struct of constants) and takes the instruction set as an argument; all
 * give the bits of numerics.md. */
#ifndef SN_POINT_Q8_H
#define SN_POINT_Q8_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/conv_geo.h"
#include "kernel/point/pool_q8.h"
#include "kernel/point/quant_q8.h"
#include "kernel/point/sum_q8.h"
#include "kernel/variant.h"

/* ---- y = table[x] ---- */

typedef struct SnTable8 {
    int8_t t[256]; /* of codes -128 .. 127 */
    bool clamp;    /* the table is y = x clamped to [lo, hi] */
    int8_t lo, hi;
} SnTable8;
void sn_table8_open(SnTable8 *p, const int8_t t[256]);
void sn_table8_run(SnIsa isa, const SnTable8 *p, const int8_t *x, int64_t n,
                   int8_t *y);

/* ---- y = table[a][b], any function of two codes ---- */

void sn_table16_run(const int8_t *t, const int8_t *a, const int8_t *b,
                    int64_t n, int8_t *y);

/* ---- Add and Mul, `before` ---- */

typedef struct SnPair8 {
    bool mul;
    float as, bs, ys, lo, hi; /* lo, hi less yz */
    int32_t az, bz, yz;
} SnPair8;
void sn_pair8_run(SnIsa isa, const SnPair8 *p, const int8_t *a, const int8_t *b,
                  int64_t n, int8_t *y);

/* ---- sums, without a division: kernel/point/sum_q8.h ---- */

/* The target is table[256 * (a + 128) + b + 128] or, if table is NULL, the
 * formula; p is as near as it is known.  Nudges f until all pairs agree; false
 * when no attempt succeeds. */
bool sn_sum8_fit(SnIsa isa, SnSum8 *p, const int8_t *table,
                 const SnPair8 *formula);
void sn_sum8_run(SnIsa isa, const SnSum8 *p, const int8_t *a, const int8_t *b,
                 int64_t n, int8_t *y);

/* ---- Quantize and Dequantize, per tensor ---- */

void sn_quant8_run(SnIsa isa, const SnQuant8 *p, const float *x, int64_t n,
                   int8_t *y);
void sn_dequant8_run(SnIsa isa, const SnQuant8 *p, const int8_t *x, int64_t n,
                     float *y);

/* ---- planes of bytes to pixels of three ---- */

void sn_planes8_run(SnIsa isa, const int8_t *r, const int8_t *g,
                    const int8_t *b, int64_t n, int8_t *y);

/* ---- codes in another order ---- */

/* y[i] = x[index[i]] in each of `count` groups of n codes, n up to 64; false,
 * and nothing done, where no instruction does it. */
bool sn_permute8_run(SnIsa isa, const uint8_t index[64], int64_t n,
                     const int8_t *x, int64_t count, int8_t *y);

/* ---- pools ---- */

/* Bytes of working memory, aligned to 8. */
size_t sn_pool8_work(const SnPool8 *p);
/* Result rows [r0, r1) of all n * oh; pixels of y lie `pitch` codes apart. */
void sn_maxpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                     int64_t pitch, void *work, int64_t r0, int64_t r1);
void sn_avgpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                     int64_t pitch, void *work, int64_t r0, int64_t r1);

/* ---- LRN, beta 0.75 ---- */

/* Pixels [p0, p1) of npx. */
void sn_lrn8_run(SnIsa isa, const SnLrn8 *p, const int8_t *x, int8_t *y,
                 void *work, int64_t p0, int64_t p1);

/* ---- variants, for point_q8.c ----
 * Loops over channels or elements; each handles any n. */

typedef void SnPair8Fn(const SnPair8 *p, const int8_t *a, const int8_t *b,
                       int64_t n, int8_t *y);
typedef void SnDequant8Fn(const SnQuant8 *p, const int8_t *x, int64_t n,
                          float *y);
typedef void SnTable8Fn(const SnTable8 *p, const int8_t *x, int64_t n,
                        int8_t *y);
/* Three planes of n as pixels; returns how many pixels were done, from the
 * first. */
typedef int64_t SnPlanes8Fn(const int8_t *r, const int8_t *g, const int8_t *b,
                            int64_t n, int8_t *y);

typedef bool SnPermute8Fn(const uint8_t index[64], int64_t n, const int8_t *x,
                          int64_t count, int8_t *y);

typedef struct SnPoint8 {
    SnPair8Fn *pair;
    SnSum8Fn *sum; /* n a multiple of SN_SUM8, swap ignored; or NULL */
    SnQuant8Fn *quant;
    SnDequant8Fn *dequant;
    SnTable8Fn *table;
    SnMax8Fn *max;
    SnAvg8Fn *avg;
    SnLrn8Fn *lrn;
    SnPlanes8Fn *planes;   /* or NULL */
    SnPermute8Fn *permute; /* or NULL */
} SnPoint8;
/* The portable variant, which the others use for tails. */
extern const SnPoint8 sn_point8_ref;
extern SnVariants sn_point_q8_variants;

#endif
