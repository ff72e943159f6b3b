// SPDX-License-Identifier: Apache-2.0
/* The built-in step `place`: calibrated Quantize/Dequantize pairs around the
 * values of a float graph, and nothing else.  What a node may
 * hold comes from its descriptor; no node is known here by name. */
#ifndef SN_PLACE_H
#define SN_PLACE_H

#include "quant/choose/control.h"
#include "quant/profile/profile.h"
#include "quant/choose/scheme.h"
#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnFloatNode { /* a node that place leaves float */
    SnId id;
    const char *name; /* "fc1 (LSTM)" */
    const char *why;
} SnFloatNode;

typedef struct SnRaised { /* weights whose scale was raised for the bias */
    const char *constant, *node;
    uint32_t nslice, nof; /* slices raised, of how many */
    uint32_t *slice;      /* [nslice] which, ascending */
    float *from, *to;     /* [nslice] the scale that the weights ask for, and
                             the one they got */
} SnRaised;

typedef struct SnUnified { /* a value that took the type of another */
    const char *name, *with;
} SnUnified;

typedef struct SnPlace {
    /* in */
    const SnProfile *profile;
    SnControl control;
    bool channelwise; /* per-axis weights of convolutions */
    bool rowwise;     /* per-axis weights of matrix products */
    bool unify;       /* one type for all that a node joins */
    SnArena *arena;   /* the report lives here */
    /* out */
    uint32_t nvalue, nconst; /* pairs around values, around constants */
    uint32_t nfloat, nraised, nnarrow, ncoarse, nunified;
    SnFloatNode *left_float;
    SnFloatNode *narrow; /* asked for int16, got int8 */
    SnFloatNode *coarse; /* weights asked for by slice, got one scale */
    SnRaised *raised;
    SnUnified *unified;
} SnPlace;

/* SnRewriteOpts.place; ctx is an SnPlace. */
SnStatus sn_place(SnGraph *g, SnRewriter *rw, void *ctx);

#ifdef __cplusplus
}
#endif

#endif
