// SPDX-License-Identifier: Apache-2.0
/* The quantizer: runs the pipeline `quantize` on a float graph with a profile
 * and says what happened. */
#ifndef SN_QUANTIZE_H
#define SN_QUANTIZE_H

#include "quant/bias.h"
#include "quant/place/place.h"
#include "quant/reasons.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnQuantOpts {
    SnControl control; /* precision, scheme, range rule */
    bool channelwise, rowwise, unify;
    bool bias8;            /* biases of 8 bits and a shift (bias.h) */
    SnRewriteOpts rewrite; /* backend, switches; place is set here */
} SnQuantOpts;

typedef struct SnQuantReport {
    SnPlace place;
    /* Rescales: inserted = absorbed + merged + other + left. */
    uint32_t inserted;
    uint32_t sunk;     /* moved below a node; may happen to one repeatedly */
    uint32_t absorbed; /* into a node below */
    uint32_t merged;   /* into the node above */
    uint32_t other;    /* folded, joined or dropped by written rules */
    uint32_t left;
    uint32_t nquant, nfloat; /* computing nodes on codes, on reals */
    uint32_t nquant16;       /* of nquant: on 16-bit codes */
    SnFloatNode *left_float; /* [nfloat] with reasons */
    SnBias8 bias8;
    uint32_t nsite;
    const SnSite *site; /* every fire of the run */
    SnWhy why;          /* the Rescales left */
} SnQuantReport;

/* A copy of g, in a, as it is when types are chosen: what the passes of
 * pipeline "quantize" before `place` leave. */
SnStatus sn_quant_placed(SnArena *a, const SnGraph *g, const SnRewriteOpts *o,
                         SnDiag *d, SnGraph **out);
/* Quantizes g in place.  The report lives in a. */
SnStatus sn_quantize_graph(SnArena *a, SnGraph *g, const SnProfile *p,
                           const SnQuantOpts *o, SnRewriter **rw, SnDiag *d,
                           SnQuantReport *out);

#ifdef __cplusplus
}
#endif

#endif
