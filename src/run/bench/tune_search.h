// SPDX-License-Identifier: Apache-2.0
/* Measures how each convolution or product on codes is best computed on this
 * machine, inside the running model, and how much slower the cost rules are.
 * Results never depend on it (kernel/tune/tune.h). */
#ifndef SN_TUNE_SEARCH_H
#define SN_TUNE_SEARCH_H

#include "kernel/tune/tune.h"
#include "run/exec.h"

typedef struct SnTuneRow { /* a layer: nodes of the same sizes */
    const SnTuneLayer *layer;
    SnId node; /* the first */
    uint32_t nnode;
    SnConvPick rules;
    uint32_t ntried;        /* picks, the rules' among them */
    double rules_s, best_s; /* seconds a run, all its nodes */
} SnTuneRow;

typedef struct SnTuneReport {
    const SnTune *tune; /* the best of each layer */
    uint32_t nrow;
    SnTuneRow *row;                 /* by time, slowest first */
    double rules_s, best_s;         /* of all rows, */
    double rules_run_s, best_run_s; /* and of a run of the whole model */
    uint32_t nrun;
    double spread;    /* of the last runs by the rules: the range from the first
                         to the third quartile over the median */
    double roundtrip; /* of a cache line between two threads, ns; 0: none */
} SnTuneReport;

/* Coordinate by coordinate: panels side by side, taps in padding, tiles, rows
 * to a chunk, what threads share.  The model runs alternately with the best
 * picks so far and with one candidate of every layer, with a clock between
 * nodes; a candidate that is faster by 1 % is kept.  Then the rules and the
 * found picks run alternately twice more: picks that do not win again are
 * dropped, and the reported figures are measured again.  About a second; the
 * model may have no such layer.  Fails when a run does. */
SnStatus sn_tune_search(SnArena *a, const SnGraph *g,
                        const SnBackendDesc *backend, unsigned nthread,
                        SnDiag *d, SnTuneReport **out);

#endif
