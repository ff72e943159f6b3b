// SPDX-License-Identifier: Apache-2.0
/* `sinter run --backend c`: the model as a program in C, compiled by the
 * machine's compiler and run. */
#ifndef SN_RUN_C_H
#define SN_RUN_C_H

#include "cli/score.h"

/* As sn_results_run, by the program; r->x is prepared by evaluators. */
SnStatus sn_run_c(SnCli *c, SnResults *r);

#endif
