// SPDX-License-Identifier: Apache-2.0
/* Work on much memory shared among threads: weights that are read, brought into
 * another order, folded or packed while a model is loaded.  The pages that a
 * part writes first are also cleared by its thread.  Results do not depend on
 * the number of threads. */
#ifndef SN_SPREAD_H
#define SN_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* n threads, 1 to SN_TEAM_MAX, the one that shares among them; the others start
 * when there is the first work for them, and end with a. */
typedef struct SnSpread SnSpread;
SnSpread *sn_spread_new(SnArena *a, unsigned n);

/* From now on s shares the work of this thread; NULL: it works alone.  Returns
 * what did before.  One thread uses an SnSpread at a time. */
SnSpread *sn_spread_use(SnSpread *s);

/* How many parts n pieces of work that write nbyte in all are worth, 1 to
 * SN_TEAM_MAX; 1 for a thread that works alone. */
unsigned sn_spread_parts(int64_t n, size_t nbyte);

/* Calls fn once for each part below nparts, with the pieces [i0, i1) of [0, n)
 * that are its own, on any of the threads, and returns when all are done.  fn
 * shares nothing itself, does not fail and takes no memory from arenas. */
typedef void SnSpreadFn(void *ctx, unsigned part, int64_t i0, int64_t i1);
void sn_spread(int64_t n, unsigned nparts, SnSpreadFn *fn, void *ctx);

#endif
