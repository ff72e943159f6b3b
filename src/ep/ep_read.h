// SPDX-License-Identifier: Apache-2.0
/* Graphs of ONNX Runtime: their nodes and values, read once. */
#ifndef SN_EP_READ_H
#define SN_EP_READ_H

#include "base/hashes.h"
#include "ep/ep_part.h"
#include "ep/ort.h"
#include "onnx.pb-c.h"

typedef struct SnEpPort { /* an input or output of the graph */
    const char *name;
    int type; /* of its elements, as ONNX numbers them */
    size_t rank;
    int64_t *dim; /* [rank]; -1: not known */
    bool loose;   /* the shape may be another when it runs: ONNX Runtime worked
                     it out, and does not hold its kernels to it */
} SnEpPort;

typedef struct SnEpValue {
    char *name;
    const OrtValueInfo *info;
    SnEpPort port; /* of what is no tensor, the type is 0 */
    bool constant;
    bool foreign;   /* an initializer that a caller may replace, or a value of
                       the graph around this one */
    bool output;    /* of the graph */
    int plain;      /* 1: no element is NaN or -0; 2: one may be; 0: not known
                       yet (ep_same.c) */
    uint32_t maker; /* node + 1; 0: an input or constant */
    Onnx__TensorProto *tensor; /* of a constant, when it has been asked for */
} SnEpValue;

typedef struct SnEpNode {
    const OrtNode *ort;
    Onnx__NodeProto *p;
    size_t nread, nmade, nhidden; /* values, by number; or SN_EP_NONE */
    uint32_t *read, *made;
    uint32_t *hidden; /* what graphs inside the node read */
    const char *why;  /* a model of sinter's cannot hold it; or NULL */
} SnEpNode;

typedef struct SnEpWhole {
    SnArena *a;
    const OrtTable *api;
    const char *why;        /* what went wrong last */
    const void *value_held; /* of an attribute that is being read, or NULL */
    size_t nnode, nvalue, nopset;
    SnEpNode *node;
    SnEpValue *value;
    Onnx__OperatorSetIdProto **opset;
    SnHashes index; /* of values, by name */
} SnEpWhole;

/* True if s is no error; otherwise its text goes to *why, in a, and s is
 * released. */
bool sn_ep_good(SnArena *a, const OrtTable *api, OrtStatus *s,
                const char **why);

/* Everything is in a, but constants lie where ONNX Runtime has them.  false,
 * with w->why: it refused something. */
bool sn_ep_read(SnEpWhole *w, SnArena *a, const OrtTable *api,
                const OrtGraph *g);
/* Releases what was under way where memory ran out; nothing of w where it was
 * not reached, and is zero. */
void sn_ep_drop(SnEpWhole *w);
/* By name, or SN_EP_NONE. */
uint32_t sn_ep_value(SnEpWhole *w, const char *name);
/* NULL, of a constant with w->why: it cannot be read. */
const Onnx__TensorProto *sn_ep_constant(SnEpWhole *w, uint32_t value);
/* The version of a domain's operators; 0: there is none. */
int64_t sn_ep_opset(const SnEpWhole *w, const char *domain);

#endif
