// SPDX-License-Identifier: Apache-2.0
/* Functions of one real that take several steps of rounded arithmetic around
 * exp, tanh and log: nodes.def has their formulas. */
#ifndef SN_CURVE_F32_H
#define SN_CURVE_F32_H

#include <stdint.h>
#include "kernel/variant.h"

typedef enum SnCurve {
    SN_CURVE_EXP,
    SN_CURVE_LOG,
    SN_CURVE_TANH,
    SN_CURVE_SIGMOID,
    SN_CURVE_SWISH,         /* alpha */
    SN_CURVE_TIMES_SIGMOID, /* x * (1 / (1 + exp(-x))) */
    SN_CURVE_GELU_TANH,     /* nodes.def, GeluTanh */
    SN_CURVE_ELU,           /* alpha */
    SN_CURVE_CELU,          /* alpha */
    SN_CURVE_SELU,          /* alpha, gamma */
    SN_CURVE_SOFTPLUS,
    SN_CURVE_MISH
} SnCurve;

typedef struct SnCurveF32 {
    SnCurve op;
    float alpha, gamma;
} SnCurveF32;

/* y[i] = f(x[i]) with the bits of the node's evaluator (numerics.md leaves open
 * which NaN).  y may be x. */
void sn_curvef_run(SnIsa isa, const SnCurveF32 *p, const float *x, int64_t n,
                   float *y);
/* The portable variant. */
void sn_curvef_ref(const SnCurveF32 *p, const float *x, int64_t n, float *y);

#endif
