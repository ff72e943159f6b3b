// SPDX-License-Identifier: Apache-2.0
/* A float graph and its quantized form side by side: for every value they
 * share by name, what quantization loses there.
 *
 *   cumulative  the quantized graph's value against the float graph's, both
 *               run on the same data: the error of everything above;
 *   local       the quantized node alone, fed with the float graph's values
 *               brought to its operands' types: its own error, with that of
 *               its weights; of a Quantize that of its grid;
 *   weights     the Constant against the one it was made from.
 *
 * SQNR = 10 log10(sum of squares / sum of squared errors), over all samples;
 * infinite where nothing differs. */
#ifndef SN_COMPARE_H
#define SN_COMPARE_H

#include "run/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnErrors { /* of one value, summed over its elements */
    double signal, noise; /* squares of x, of y - x */
    double dot, other;    /* x * y, y * y */
    double worst;         /* |y - x| */
    int64_t n;
} SnErrors;

double sn_sqnr(const SnErrors *e);
double sn_cosine(const SnErrors *e);

typedef struct SnCompared {
    const char *name, *node; /* the value, "conv1 (Conv2D)" */
    const char *type;        /* in the quantized graph */
    bool constant, output;
    bool moves;    /* writes codes it reads: its local error is its operand's */
    bool converts; /* the Quantize of a float value */
    bool has_local;
    SnErrors cumulative, local; /* a constant has its error in local */
} SnCompared;

/* How the quantized graph holds a value of the float one: as the type that it
 * is first given there, or float where it is never quantized. */
typedef struct SnMade {
    const char *name; /* in the float graph */
    const SnType *type;
    int rank;
    bool constant;
    bool fixed;       /* the node's own, no choice of the quantizer */
    bool stays_float; /* its node computes reals; type is that of its codes
                         where something reads such */
} SnMade;

typedef struct SnComparison {
    int64_t nsample;
    uint32_t n;
    SnCompared *value;   /* worst local SQNR first, without one last */
    uint32_t nunmatched; /* quantized values that the float graph lacks */
    double worst_output; /* least cumulative SQNR of an output */
    uint32_t nmade;
    SnMade *made; /* in the order of the quantized graph */
} SnComparison;

typedef SnStatus SnFillFn(void *ctx, int64_t sample, SnRun *r);

typedef struct SnCompareOpts {
    const SnExec *flt, *quant;
    SnFillFn *fill_flt, *fill_quant;
    void *ctx_flt, *ctx_quant;
    int64_t nsample;
    unsigned njob, nthread; /* run/batch.h */
} SnCompareOpts;

SnStatus sn_compare(SnArena *a, const SnCompareOpts *o, SnDiag *d,
                    SnComparison *out);

/* Is v a node with an error of its own, which it would not have in float? */
bool sn_compare_is_source(const SnCompared *v);

#ifdef __cplusplus
}
#endif

#endif
