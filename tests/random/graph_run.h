// SPDX-License-Identifier: Apache-2.0
/* One graph by the kernels of a backend, against its evaluators: every
 * instruction set that the processor has, cut for 1 to SN_RUN_THREADS threads,
 * values in memory of their own and shared, as written and as launched.  Steps
 * are cut into as many parts as there are threads, however small; parts run
 * one after the other, and for some graphs on threads, too. */
#ifndef SN_GRAPH_RUN_H
#define SN_GRAPH_RUN_H

#include "rewrite/rewrite.h"

enum { SN_RUN_THREADS = 3 };

/* Values of graph inputs, by name.  An input that has none here gets values
 * that depend on the seed and its name only. */
typedef struct SnGiven {
    const char *name;
    const void *data;
    size_t nbyte;
} SnGiven;
typedef struct SnGivens {
    SnArena *a;
    uint64_t seed;
    uint32_t n;
    SnGiven *v;
} SnGivens;
/* Replaces a value of that name; the bytes are copied. */
void sn_givens_put(SnGivens *gs, const char *name, const void *data,
                   size_t nbyte);
/* Writes the values of the input of that name and type. */
void sn_givens_fill(const SnGivens *gs, const char *name, const SnType *t,
                    const SnShape *s, void *data);

typedef struct SnRunStats {
    uint64_t ngraph, nnode, nrun;
    uint64_t nteam;   /* runs by threads */
    uint64_t nfail;   /* graphs whose run ends in an error */
    uint64_t nlaunch; /* graphs that pipeline `launch` changes */
    uint64_t *kernel; /* [nkernel of the backend] steps prepared, or NULL */
} SnRunStats;

/* Keeps scratch memory between graphs.  Values whose seed is a multiple of
 * `every` go by threads, too, for one of the ways that a graph is run. */
typedef struct SnRunner SnRunner;
SnRunner *sn_runner_new(const SnBackendDesc *b, unsigned every,
                        SnRunStats *stats);
void sn_runner_free(SnRunner *r);

/* NULL, or the first difference (in a).  A NaN may have any sign and payload
 * (docs/numerics.md); nothing else may differ.  g, in an arena of its own, is
 * not changed. */
const char *sn_runner_check(SnRunner *r, SnArena *a, const SnGraph *g,
                            const SnGivens *in);

/* Equal bits, or both NaN. */
bool sn_same_value(SnElem e, const void *x, const void *y);
/* The first element that differs, or -1. */
int64_t sn_first_apart(const SnType *t, const SnShape *s, const void *x,
                       const void *y);

#endif
