// SPDX-License-Identifier: Apache-2.0
/* What claiming and running share: errors, messages, sessions of graphs. */
#ifndef SN_EP_SESSION_H
#define SN_EP_SESSION_H

#include "ep/ep_graph.h"
#include "sinter.h"

typedef struct SnEpFactory {
    OrtFactory base;
    const OrtTable *api, *ep_api;
} SnEpFactory;

typedef struct SnEp {
    OrtEp base;
    SnEpFactory *factory;
    const OrtLogger *logger;
    bool contract; /* option bits */
    bool small;    /* option small: parts of whatever size */
    uint32_t threads;
    char quantize[2048]; /* the path of a profile, or "" */
    char **fixed;        /* inputs of the model; NULL ends them */
    char leave[2048];    /* operators, and nodes as "#12", between commas */
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
 * values; shape: of its inputs, where it is dynamic, else NULL.  log: sees the
 * messages, with ctx; NULL: they go to ONNX Runtime's. */
SinterSession *sn_ep_open(const SnEp *ep, const void *p, size_t n, bool codes,
                          const char *const *shape, SinterLogFn *log, void *ctx,
                          SinterError *e);
/* A session of a graph as far as it is known: dimensions that are not are 1. */
SinterSession *sn_ep_try(const SnEp *ep, SnArena *a, const SnEpGraph *g,
                         SinterLogFn *log, void *ctx, SinterError *e);
/* The place of x among p[0..n) by name, if it is its like; else n. */
uint32_t sn_ep_port(const SinterPort *x, const SnEpPort *p, size_t n);
/* The first input or output that s and g do not share, or NULL. */
const char *sn_ep_misfit(const SinterSession *s, const SnEpGraph *g);

#endif
