// SPDX-License-Identifier: Apache-2.0
/* Parts of graphs as models for sinter. */
#ifndef SN_EP_GRAPH_H
#define SN_EP_GRAPH_H

#include "ep/ep_read.h"

typedef struct SnEpGraph {           /* a part of a graph, for sinter */
    const Onnx__ModelProto *message; /* constants are where ONNX Runtime has
                                        them; NULL: as bytes alone */
    void *p;                         /* the bytes, where somebody asked */
    size_t n;
    size_t ninput, noutput;
    SnEpPort *input, *output; /* constants are no inputs; what nobody reads
                                 outside is no output */
    bool dynamic;             /* some input may have several shapes */
    bool codes;               /* some node is about quantized values */
} SnEpGraph;

/* The model of nodes part[0..n), in whose order they stand in it.  Nodes are
 * called "n0", "n1" by their numbers in w where numbered.  false, with w->why:
 * a constant cannot be read. */
bool sn_ep_pack(SnEpWhole *w, const uint32_t *part, size_t n, bool numbered,
                SnEpGraph *out);

/* All nodes of w; fixed, a NULL-ended list, is the inputs that have the shapes
 * that they are said to have.  false, with w->why: ONNX Runtime refused
 * something, or there is what no ModelProto of sinter's has (graphs inside,
 * strings). */
bool sn_ep_translate(SnEpWhole *w, char *const *fixed, SnEpGraph *out);

/* Its message as bytes, in a. */
void sn_ep_bytes(SnArena *a, SnEpGraph *g);

#endif
