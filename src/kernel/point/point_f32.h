// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools, LRN and softmax on f32.  Lanes run across results, so
 * that sums keep the order of numerics.md; every variant gives the
 * evaluator's bits (numerics.md leaves open which NaN). */
#ifndef SN_POINT_F32_H
#define SN_POINT_F32_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/conv_geo.h"
#include "kernel/variant.h"
#include "kernel/point/curve_f32.h"

/* ---- element by element ---- */

/* y[i] = clamp(x[i]) into [lo, hi]; NaN passes through, -0 equals 0. */
void sn_clampf_run(SnIsa isa, float lo, float hi, const float *x, int64_t n,
                   float *y);

/* y[i] = (x[i] - mean[i]) / dev[i] * gamma[i] + beta[i], each step rounded. */
typedef struct SnNormF32 {
    const float *mean, *dev, *gamma, *beta;
} SnNormF32;
void sn_normf_run(SnIsa isa, const SnNormF32 *p, const float *x, int64_t n,
                  float *y);

/* ---- pools: NHWC, each window with a valid element ---- */

typedef struct SnPoolF32 {
    SnConvGeo geo;
    bool avg;
    bool count_pad; /* an average counts padding, */
    bool columns;   /* adds up each column first (SnMap.part) */
    bool whole;     /* each window is a whole image, without pads */
    float lo, hi;   /* clamp of an average */
} SnPoolF32;
/* Bytes of working memory, aligned to 8. */
size_t sn_poolf_work(const SnPoolF32 *p);
/* Images and rows of results [from, to), counted through. */
void sn_poolf_run(SnIsa isa, const SnPoolF32 *p, const float *x, float *y,
                  void *work, int64_t from, int64_t to);

/* ---- LRN, beta 0.75, along the last axis ---- */

typedef struct SnLrnF32 {
    int64_t c;
    int64_t before, after; /* the window: [i - before, i + after] */
    float coef, k;         /* t = k + coef * sum */
} SnLrnF32;
/* Bytes of working memory. */
size_t sn_lrnf_work(const SnLrnF32 *p);
/* npx pixels of c channels. */
void sn_lrnf_run(SnIsa isa, const SnLrnF32 *p, const float *x, int64_t npx,
                 float *y, void *work);

/* ---- softmax ---- */

/* nrow rows of n > 0 elements: exp(x - max) / sum(exp(x - max)), sums from the
 * first element on.  y may be x. */
void sn_softmaxf_run(SnIsa isa, const float *x, int64_t nrow, int64_t n,
                     float *y);

/* ---- variants, for point_f32.c ---- */

/* One window: taps at x[tap[t]], ntap > 0. */
typedef void SnMaxF32Fn(const float *x, const int64_t *tap, int64_t ntap,
                        int64_t c, float *y);
/* Sums in the order of the taps, `part` of them before these join the rest,
 * added to `start`, over `all`, clamped. */
typedef struct SnAvgF32 {
    int64_t part;
    float start, all, lo, hi;
} SnAvgF32;
typedef void SnAvgF32Fn(const SnAvgF32 *p, const float *x, const int64_t *tap,
                        int64_t ntap, int64_t c, float *y);
/* One pixel; sq: the squares at sq + before, zeros around them. */
typedef void SnLrnF32Fn(const SnLrnF32 *p, const float *x, float *sq, float *y);

typedef struct SnPointF32 {
    void (*clamp)(float lo, float hi, const float *x, int64_t n, float *y);
    void (*norm)(const SnNormF32 *p, const float *x, int64_t n, float *y);
    SnMaxF32Fn *max;
    SnAvgF32Fn *avg;
    SnLrnF32Fn *lrn;
    void (*softmax)(const float *x, int64_t nrow, int64_t n, float *y);
    void (*curve)(const SnCurveF32 *p, const float *x, int64_t n, float *y);
} SnPointF32;
extern const SnPointF32 sn_point_f32_ref;
extern SnVariants sn_point_f32_variants;

#endif
