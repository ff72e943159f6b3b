// SPDX-License-Identifier: Apache-2.0
/* Kernels used around integer products: element by element functions of plain
 * numbers whose operands repeat, conversions between them, and their extremes.
 * Each gives the bits of its evaluator on every instruction set (which NaN,
 * numerics.md leaves open).  y may be an operand of elements of its size. */
#ifndef SN_EACH_H
#define SN_EACH_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/variant.h"

typedef enum SnEachOp {
    SN_EACH_ADD,
    SN_EACH_SUB,
    SN_EACH_MUL,
    SN_EACH_DIV,
    SN_EACH_MAX,
    SN_EACH_MIN
} SnEachOp;
typedef struct SnEachF32 {
    SnEachOp op;
    float lo, hi; /* clamp of the result; -INFINITY and INFINITY: none */
} SnEachF32;
/* y[i] = clamp(op(a[i * sa], b[i * sb])); sa and sb are 1, or 0: one number. */
void sn_each_f32(SnIsa isa, const SnEachF32 *p, const float *a, int64_t sa,
                 const float *b, int64_t sb, int64_t n, float *y);
/* y[i] = a[i * sa] - b[i * sb] */
void sn_each_difference(SnIsa isa, const int8_t *a, int64_t sa, const int8_t *b,
                        int64_t sb, int64_t n, int32_t *y);

/* Functions of one operand, made of straight lines. */
typedef enum SnEachLine {
    SN_EACH_LEAKY,        /* x < 0 ? x * alpha : x */
    SN_EACH_HARD_SIGMOID, /* min(max(alpha * x + beta, 0), 1) */
    SN_EACH_HARD_SWISH    /* x * min(max(x / 6 + 0.5, 0), 1) */
} SnEachLine;
typedef struct SnEachLines {
    SnEachLine op;
    float alpha, beta;
} SnEachLines;
void sn_each_lines(SnIsa isa, const SnEachLines *p, const float *x, int64_t n,
                   float *y);

/* y[i] = x[i], as binary32 (ties to even). */
void sn_each_real(SnIsa isa, const int32_t *x, int64_t n, float *y);
/* y[i] = x[i] to the nearest integer, ties to even. */
void sn_each_round(SnIsa isa, const float *x, int64_t n, float *y);
/* y[i] = x[i] + zp, which must be a code. */
void sn_each_code(SnIsa isa, const int32_t *x, int64_t n, int32_t zp,
                  int8_t *y);
/* Widens [*lo, *hi] so that all x lie in it. */
void sn_each_bounds(SnIsa isa, const int32_t *x, int64_t n, int32_t *lo,
                    int32_t *hi);
/* The largest, or least, of n > 0 numbers as sn_maxf and sn_minf find it from
 * the first on: NaN if there is one, the first of several zeros. */
float sn_each_extreme(SnIsa isa, bool largest, const float *x, int64_t n);

/* ---- variants, for each.c ---- */

typedef struct SnEach {
    void (*f32)(const SnEachF32 *p, const float *a, int64_t sa, const float *b,
                int64_t sb, int64_t n, float *y);
    void (*difference)(const int8_t *a, int64_t sa, const int8_t *b, int64_t sb,
                       int64_t n, int32_t *y);
    void (*lines)(const SnEachLines *p, const float *x, int64_t n, float *y);
    void (*real)(const int32_t *x, int64_t n, float *y);
    void (*round)(const float *x, int64_t n, float *y);
    void (*code)(const int32_t *x, int64_t n, int32_t zp, int8_t *y);
    void (*bounds)(const int32_t *x, int64_t n, int32_t *lo, int32_t *hi);
    /* Ignores NaN, which *nan reports, and the sign of zeros. */
    float (*extreme)(bool largest, const float *x, int64_t n, bool *nan);
} SnEach;
extern const SnEach sn_each_ref;
extern SnVariants sn_each_variants;

#endif
