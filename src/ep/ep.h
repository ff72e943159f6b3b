// SPDX-License-Identifier: Apache-2.0
/* What the files of the provider share. */
#ifndef SN_EP_H
#define SN_EP_H

#include "base/arena.h"
#include "ep/ort.h"
#include "sinter.h"

/* The function in a slot. */
#define ORT_AT(table, slot, T) ((T *)(table)->fn[slot])

typedef struct SnEpPort { /* an input or output of the graph */
    const char *name;
    int type; /* of its elements, as ONNX numbers them */
    size_t rank;
    int64_t *dim; /* [rank]; -1: not known */
} SnEpPort;

enum { SN_EP_NPORT = 64 }; /* inputs, and outputs, of a graph at most */

typedef struct SnEpGraph {
    void *p; /* the message */
    size_t n;
    size_t ninput, noutput;
    SnEpPort *input, *output; /* constants are no inputs */
    bool dynamic;             /* some dimension of an input is not known */
    bool codes;               /* some node is about quantized values */
} SnEpGraph;

/* In a.  false, with *why: ONNX Runtime refused something, or there is what no
 * ModelProto of sinter's has (nodes with graphs inside, strings). */
bool sn_ep_translate(SnArena *a, const OrtTable *api, const OrtGraph *g,
                     SnEpGraph *out, const char **why);
/* Whether s is no error; the text of one goes to *why, in a, and s is
 * released. */
bool sn_ep_good(SnArena *a, const OrtTable *api, OrtStatus *s,
                const char **why);

typedef struct SnEpFactory {
    OrtFactory base;
    const OrtTable *api, *ep_api;
} SnEpFactory;

typedef struct SnEp {
    OrtEp base;
    SnEpFactory *factory;
    const OrtLogger *logger;
    bool contract; /* option bits */
    uint32_t threads;
} SnEp;

/* ---- errors and messages ---- */

/* A status that sinter gives. */
OrtStatus *sn_ep_failed(const OrtTable *api, const char *text);
OrtStatus *sn_ep_failed_by(const OrtTable *api, const SinterError *e);
OrtStatus *sn_ep_no_memory(const OrtTable *api);
/* By ONNX Runtime's logger; severity is ORT_LOG_INFO and so on. */
void sn_ep_say(const SnEp *ep, int severity, const char *where,
               const char *text);

typedef OrtStatus *SnEpBody(SnArena *a, void *ctx);
/* fn with an arena that is freed afterwards; when memory runs out, a status. */
OrtStatus *sn_ep_guarded(const OrtTable *api, SnEpBody *fn, void *ctx);

/* ---- sessions ---- */

/* "name=1x3x32x32" for each input but scalars, as SinterImport has it. */
const char **sn_ep_shapes(SnArena *a, size_t n, const SnEpPort *p);
/* A session of the model p[0..n), or NULL and *e.  codes: it has quantized
 * values; shape: of its inputs, where it is dynamic, else NULL. */
SinterSession *sn_ep_open(const SnEp *ep, const void *p, size_t n, bool codes,
                          const char *const *shape, SinterError *e);
/* A session of a graph as far as it is known: dimensions that are not are 1. */
SinterSession *sn_ep_try(const SnEp *ep, SnArena *a, const SnEpGraph *g,
                         SinterError *e);
/* The place of x among p[0..n) by name, if it is its like; else n. */
uint32_t sn_ep_port(const SinterPort *x, const SnEpPort *p, size_t n);
/* Every input and output of s is one of g's, and the other way round. */
bool sn_ep_fits(const SinterSession *s, const SnEpGraph *g);

/* ---- fused nodes: members of an OrtEp ---- */

OrtStatus *sn_ep_compile(OrtEp *ep, const OrtGraph **g, const OrtNode **fused,
                         size_t n, OrtCompute **out, OrtNode **context);
void sn_ep_release_computes(OrtEp *ep, OrtCompute **c, size_t n);

#endif
