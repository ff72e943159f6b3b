// SPDX-License-Identifier: Apache-2.0
/* The smallest graph that still has a fault, and files with which to see it
 * again. */
#ifndef SN_GRAPH_SHRINK_H
#define SN_GRAPH_SHRINK_H

#include "random/graph_run.h"

/* NULL, or what is wrong with g (in a). */
typedef const char *SnFaultFn(void *ctx, SnArena *a, const SnGraph *g);
typedef struct SnFault {
    SnFaultFn *fn;
    void *ctx;
    SnGivens *in; /* NULL, or the inputs' values: where a value becomes an
                     input it keeps what evaluators computed */
    bool apart;   /* fn is asked in a process of its own, which may crash or
                     not end */
} SnFault;

/* The fault of g, by f; for `apart`, that it crashed. */
const char *sn_graph_fault(const SnFault *f, SnArena *a, const SnGraph *g);

/* A graph with a fault, from g which has one: outputs and nodes go, attributes
 * become their defaults as long as there is any fault.  *why is that of the
 * graph that is left. */
SnGraph *sn_graph_shrink(SnArena *a, const SnGraph *g, const SnFault *f,
                         const char **why);

/* Writes PREFIX.sn and for each input PREFIX_NAME.npy; *args: the options with
 * which `sinter run PREFIX.sn` reads them.  Inputs of a type that files cannot
 * hold become Constants. */
SnStatus sn_graph_keep(SnArena *a, const SnGraph *g, const SnGivens *in,
                       const char *prefix, SnDiag *d, const char **args);

#endif
