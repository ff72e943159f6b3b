// SPDX-License-Identifier: Apache-2.0
/* Streams: steps one after the other, each of which reads what the one before
 * it wrote, unit for unit.  They run block by block, so that a block is still
 * in the cache when the next step reads it: attention's scores, their scale and
 * mask, Softmax and the product, head by head.  Each unit computes the same as
 * without streams: no bit changes. */
#ifndef SN_STREAM_H
#define SN_STREAM_H

#include "run/exec.h"

/* Sets nstream and nblock of x's steps; views are already chosen.  Returns what
 * the plan needs to know. */
const SnPlanRun *sn_find_streams(SnArena *a, SnExec *x);

#endif
