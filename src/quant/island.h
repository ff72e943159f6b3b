// SPDX-License-Identifier: Apache-2.0
/* Float islands: what still computes on reals in a graph with quantized
 * values, and why. */
#ifndef SN_ISLAND_H
#define SN_ISLAND_H

#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnIslandNode {
    const char *node; /* its label */
    const char *from; /* the Dequantize or float node it reads, or NULL */
    const char *to;   /* a node that reads it, or NULL: an output does */
    const char *why;
} SnIslandNode;

typedef struct SnIslands {
    uint32_t n;
    SnIslandNode *node; /* in topological order */
} SnIslands;

/* Works on a copy of g: runs the passes (as for sn_rewrite), then lists every
 * node with an f32 result that reads what was dequantized, or what such a node
 * makes, or feeds a Quantize.  A graph without conversions has none.  name
 * NULL: all, else those that make or read the value of that name. */
SnStatus sn_why_floats(SnArena *a, const SnGraph *g, const SnRewriteOpts *o,
                       const char *passes, const char *name, SnDiag *d,
                       SnIslands *out);

/* The same of g as it stands: rw, which was asked for reasons
 * (sn_record_declined), has run the passes. */
SnStatus sn_floats_left(SnArena *a, const SnGraph *g, const SnRewriter *rw,
                        const SnRewriteOpts *o, const char *name, SnDiag *d,
                        SnIslands *out);

#ifdef __cplusplus
}
#endif

#endif
