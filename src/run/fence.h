// SPDX-License-Identifier: Apache-2.0
/* Bounds inside the arena of a run, for debugging: blocks lie apart, and after
 * each step every byte outside its results and its working memory must be
 * unchanged.  Gaps, dead blocks and working memory that a kernel has not
 * requested hold a pattern, and are poisoned for the address sanitizer if the
 * build has it.  Values are those of a run without fences. */
#ifndef SN_FENCE_H
#define SN_FENCE_H

#include "run/exec.h"

/* Bytes between blocks; the value that closed memory is filled with. */
enum { SN_FENCE_GAP = 2 * SN_PLAN_ALIGN, SN_FENCE_FILL = 0xa5 };

typedef struct SnFence SnFence;

/* Whether runs are made with fences: under the address sanitizer, and where
 * the environment variable SINTER_FENCE is neither empty nor 0. */
bool sn_fence_on(void);
void sn_fence_set(bool on); /* for tests: from now on */

/* For runs of x; *arena is theirs.  Fences are lifted when a is freed. */
SnFence *sn_fence_new(SnArena *a, const SnExec *x, uint8_t **arena);
/* Where block b of the plan is in the arena. */
size_t sn_fence_at(const SnFence *f, uint32_t b);
/* Any place where nothing may be: the address of a Constant without
 * elements. */
void *sn_fence_nowhere(const SnFence *f);
/* The run's working memory, which is in a: closed completely. */
void sn_fence_work(const SnRun *r, SnArena *a);

/* Before a run.  Blocks of inputs are open outside of runs. */
void sn_fence_begin(SnFence *f, const SnRun *r);
/* After a step: SN_EINTERNAL if it wrote where it must not; r->why says
 * where. */
SnStatus sn_fence_check(SnFence *f, SnRun *r, const SnExecStep *s);
/* Moves to the next step: a hook may have changed this one's results, and its
 * operands are no longer needed. */
void sn_fence_next(SnFence *f, const SnRun *r, const SnExecStep *s);
void sn_fence_end(SnFence *f, const SnRun *r);

#endif
