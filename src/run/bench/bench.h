// SPDX-License-Identifier: Apache-2.0
/* How long a graph takes, node by node, and what each node computes and
 * moves. */
#ifndef SN_RUN_BENCH_H
#define SN_RUN_BENCH_H

#include "kernel/peak.h"
#include "run/exec.h"

typedef struct SnNodeTime {
    SnId node;
    const char *kernel; /* NULL: the evaluator */
    double s;           /* a run */
    double ops;         /* products and sums; taps in padding count */
    double bytes;       /* operands and results, each once */
    bool codes;         /* computes on 8-bit codes, or sums products of plain
                           integers */
} SnNodeTime;

typedef struct SnBench {
    const SnExec *x;
    unsigned nthread;
    uint32_t nrun;
    double median, least; /* seconds of a run */
    double ops, ops8;     /* of all nodes, and of those on codes */
    double bytes;
    size_t weights, arena; /* bytes */
    double roundtrip;  /* of a cache line between two threads, ns; 0: none */
    unsigned repeated; /* times that it was too long and everything was
                          repeated */
    uint32_t nnode;
    SnNodeTime *node; /* by time, slowest first */
    SnPeak peak;
} SnBench;

/* Runs x on seeded inputs, for half a second and at least 5 times (or nrun
 * times if it is not 0), then as often with a clock between nodes.
 * A team whose processors are far apart (base/team/team.h) waits and is timed
 * again a few times.  Fails when a run does. */
SnStatus sn_bench(SnArena *a, const SnExec *x, unsigned nthread, uint32_t nrun,
                  SnDiag *d, SnBench **out);
/* Seeded inputs: reals in [0, 1), codes, zeros for indices. */
void sn_bench_fill(SnRun *r);
/* The least time at the machine's peak rates: the larger of the times for
 * operations and for bytes. */
double sn_bench_floor(const SnBench *b, const SnNodeTime *n);
/* A picture (SVG): operations a second over operations a byte, the ceilings,
 * a dot for each node with operations, sized by time, and a list of the
 * slowest. */
void sn_bench_roofline(const SnBench *b, SnBuf *out);

#endif
