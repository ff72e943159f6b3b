// SPDX-License-Identifier: Apache-2.0
/* A float model and its int8 form on the same data: what `compare` and `report`
 * begin with. */
#ifndef SN_PAIR_H
#define SN_PAIR_H

#include "cli/inputs.h"
#include "quant/compare.h"

typedef struct SnTwoModels {
    const SnGraph *model;   /* the float graph as it was loaded */
    SnCompareOpts o;        /* both graphs, prepared, and their samples: */
    SnSamples *flt, *quant; /* of the one, of the other */
    SnInputs *in;           /* what the int8 model was given */
    SnComparison k;
} SnTwoModels;

/* Where samples come from: files of an option, the first n (-1: all) after
 * skip. */
typedef struct SnWindow {
    const SnStrs *files;
    const char *option, *skip_option;
    long n, skip;
} SnWindow;

/* --input with -n and --skip. */
SnWindow sn_cli_input_window(SnCli *c);
/* The two models of the command line, the float one first. */
SnStatus sn_cli_pair_load(SnCli *c, SnTwoModels *p);
/* Two graphs that are there: flt has the types chosen for it (sn_cli_placed).
 * Both must stay. */
SnStatus sn_cli_pair_prepare(SnCli *c, const SnGraph *flt, const SnGraph *quant,
                             SnTwoModels *p);
/* Runs both on the samples and fills p->k; warns of inputs that are not what
 * the int8 model was calibrated on. */
SnStatus sn_cli_pair_run(SnCli *c, SnTwoModels *p, const SnWindow *w);

#endif
