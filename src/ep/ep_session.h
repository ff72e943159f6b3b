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
    bool lent;     /* option pool: threads of a run are ONNX Runtime's */
    uint32_t threads;
    uint32_t nshaped;    /* option shapes: sessions of a part that are kept */
    char quantize[2048]; /* the path of a profile, or "" */
    char **fixed;        /* inputs of the model; NULL ends them */
    char leave[2048];    /* operators, and nodes as "#12", between commas */
    /* Contexts: options ep.context_* of a session. */
    bool keep;         /* they are made */
    bool embed;        /* in the model, not in files beside it */
    char kept[2048];   /* the path of the model that holds them, or "" */
    char prefix[128];  /* of their names */
    uint32_t ncontext; /* that have been made */
} SnEp;

extern const char sn_ep_name[]; /* the provider's: "sinter" */

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
/* What sees messages; fn NULL: they go to ONNX Runtime's logger. */
typedef struct SnEpLog {
    SinterLogFn *fn;
    void *ctx;
} SnEpLog;
SinterConfig sn_ep_config(const SnEp *ep, SnEpLog log);
/* What a session is made of. */
typedef struct SnEpSource {
    const Onnx__ModelProto *message; /* or NULL: */
    const void *p;                   /* one as bytes */
    size_t n;
    bool codes;               /* it has quantized values */
    const char *const *shape; /* of its inputs, where it is dynamic, or NULL */
    const char *pack;         /* of SinterSessionConfig, or NULL */
    bool pack_save;
} SnEpSource;
/* The model of it after all passes, or NULL and *e; kept: as it can be written
 * and read again. */
SinterModel *sn_ep_model(const SnEp *ep, const SnEpSource *src, bool kept,
                         SnEpLog log, SinterError *e);
/* A session of such a model, which is freed; NULL is passed on. */
SinterSession *sn_ep_session(const SnEp *ep, const SnEpSource *src,
                             SinterModel *m, SinterError *e);
/* Both. */
SinterSession *sn_ep_open(const SnEp *ep, const SnEpSource *src, SnEpLog log,
                          SinterError *e);
/* g as far as it is known: dimensions that are not are 1. */
SnEpSource sn_ep_source(SnArena *a, const SnEpGraph *g);
/* The place of x among p[0..n) by name, if it is its like; else n. */
uint32_t sn_ep_port(const SinterPort *x, const SnEpPort *p, size_t n);
/* The first input or output that s and g do not share, or NULL. */
const char *sn_ep_misfit(const SinterSession *s, const SnEpGraph *g);

#endif
