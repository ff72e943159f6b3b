// SPDX-License-Identifier: Apache-2.0
/* Steps as they are in a log.  Nodes are numbered by their place in its graph,
 * from 1. */
#ifndef SN_WITNESS_PRIV_H
#define SN_WITNESS_PRIV_H

#include "rewrite/witness/witness.h"

/* Operand `slot` of node `user` reads `now` from this step on. */
typedef struct SnRedirect {
    SnId user;
    uint32_t slot;
    SnRef now;
} SnRedirect;

typedef struct SnWitnessStep {
    const char *by; /* "pass.rule", or the name of a built-in pass */
    bool waived;    /* a saturation of a calibrated node */
    SnId *add, *drop;
    SnRedirect *use;
    uint32_t nadd, ndrop, nuse;
} SnWitnessStep;

/* Result `ref` is called `name` in the end. */
typedef struct SnCalled {
    SnRef ref;
    const char *name;
} SnCalled;

typedef struct SnSteps {
    SnWitnessStep *v;
    uint32_t n;
    SnCalled *called;
    uint32_t ncalled;
} SnSteps;

/* As comments above a graph, and from the text of a log. */
void sn_witness_put(SnBuf *b, const SnSteps *s);
SnStatus sn_witness_read(SnArena *a, const char *path, SnDiag *d, SnSteps *out);

#endif
