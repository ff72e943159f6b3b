// SPDX-License-Identifier: Apache-2.0
/* What pictures of graphs and of their blocks share: text_draw.c draws node by
 * node, text_blocks.c block by block. */
#ifndef SN_DRAW_H
#define SN_DRAW_H

#include "graph/text/text.h"

/* What a picture shows of a node at first sight, what matters most first. */
typedef enum SnLook {
    SN_LOOK_RESCALE,
    SN_LOOK_CONVERT,
    SN_LOOK_CONTRACT,
    SN_LOOK_END,
    SN_LOOK_OTHER,
    SN_NLOOK
} SnLook;
typedef struct SnLookDesc {
    const char *name, *fill;
    const char *style; /* further attributes in DOT */
} SnLookDesc;
extern const SnLookDesc sn_looks[SN_NLOOK];
SnLook sn_draw_look(const SnKindDesc *d);

/* Text inside a DOT string; the same with the end of what is long. */
void sn_draw_text(SnBuf *b, const char *s);
void sn_draw_short(SnBuf *b, const char *s);
/* "qi8 0.02, 0  1x3x3x4" */
void sn_draw_value(SnBuf *b, const SnResult *r);
void sn_draw_link(SnBuf *b, const char *page, const char *name);
/* The colour of a share of the most, 0 to 1. */
const char *sn_draw_heat(double share, SnArena *a);
/* Up to the nodes: title, legend of the looks there are (or of the heat). */
void sn_draw_begin(SnBuf *b, const SnGraph *g, const SnDrawOpts *o,
                   const bool *looks);

#endif
