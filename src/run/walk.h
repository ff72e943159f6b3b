// SPDX-License-Identifier: Apache-2.0
/* What a run is made of (exec.c) and how it goes (walk.c): between these two.
 */
#ifndef SN_WALK_H
#define SN_WALK_H

#include "run/exec.h"

SnTensor sn_run_value(const SnRun *r, SnRef ref);
/* Fills r->call and r->part, once all else of r is there. */
void sn_run_calls(SnRun *r);

#endif
