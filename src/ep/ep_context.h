// SPDX-License-Identifier: Apache-2.0
/* Contexts: what a part was compiled to, kept for sessions to come.  ONNX
 * Runtime puts a node EPContext for each part into a model that it writes; the
 * context is in that node, or in a file beside the model that it names. */
#ifndef SN_EP_CONTEXT_H
#define SN_EP_CONTEXT_H

#include "ep/ep_session.h"

/* Where the context of a part is kept, and what it holds. */
typedef struct SnEpKept {
    bool dynamic;     /* a ModelProto, else a .sn text */
    const char *name; /* of the part, unlike that of any other of the model */
    const char *path; /* of the file; NULL: it is in the node */
    const char *file; /* the same without directories */
    const char *pack; /* of SinterSessionConfig */
    void *p;          /* in the node: the bytes, */
    size_t n;
    void *own; /* and where they are to be given to sinter_free */
} SnEpKept;

/* Chooses the place of another context of ep, whose part is in g. */
OrtStatus *sn_ep_place(SnArena *a, SnEp *ep, const OrtGraph *g, bool dynamic,
                       bool codes, SnEpKept *out);
/* Puts it there: m, or of a dynamic part its ModelProto p[0..n). */
OrtStatus *sn_ep_keep(SnArena *a, const SnEp *ep, SnEpKept *k, SinterModel *m,
                      const void *p, size_t n);
/* The node that names it, in place of the fused one. */
OrtStatus *sn_ep_context_node(SnArena *a, const SnEp *ep, const SnEpKept *k,
                              const OrtNode *fused, bool codes, OrtNode **out);

/* Is the node a context of sinter's? */
bool sn_ep_is_context(const SnEpNode *n);
/* What the only node of w, which is one, was made of: its session, its inputs
 * and outputs and, where it is dynamic, its ModelProto, in a. */
OrtStatus *sn_ep_load(SnArena *a, const SnEp *ep, const OrtGraph *of,
                      SnEpWhole *w, SnEpGraph *g, SinterSession **out);

#endif
