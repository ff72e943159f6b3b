// SPDX-License-Identifier: Apache-2.0
/* Two ways to run a graph, node by node on equal operands: what --check-kernels
 * and --check-twin do. */
#ifndef SN_BESIDE_H
#define SN_BESIDE_H

#include "cli/cli.h"
#include "run/samples.h"

/* A result of the second run, before it is replaced by `want`: the same of the
 * first run, in t's type and shape.  Results without elements are left out. */
typedef void SnBesideFn(void *ctx, int64_t sample, SnRef ref, const SnTensor *t,
                        const void *want);

/* Each sample by `first` and then by `second`, runs of the graph whose steps x
 * has.  Nodes of `second` are given the results of `first` as operands, so that
 * each is compared by itself.  Uses the hooks of both runs, and frees the runs.
 * Errors: those of samples and of runs, with the sample's number. */
SnStatus sn_cli_beside(SnCli *c, SnSamples *s, const SnExec *x, SnRun *first,
                       SnRun *second, SnBesideFn *compare, void *ctx);

#endif
