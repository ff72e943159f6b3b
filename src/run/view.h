// SPDX-License-Identifier: Apache-2.0
/* Values that do not need their own memory: the operands of a Concat that their
 * kernels can write in place, and results that may take an operand's memory. */
#ifndef SN_VIEW_H
#define SN_VIEW_H

#include "run/exec.h"

/* Chooses views for the steps of x (all prepared): drops the Concats that have
 * nothing left to do, and sets ypitch of the steps that write into one. Returns
 * [nnode << SN_RESBITS] views, base 0 for values with their own memory.
 *
 * A Concat is dropped when every operand is result 0 of a step, used once, of
 * the Concat's type, and either its places lie side by side in the result or
 * its kernel writes rows of the last axis at a distance (SnPrep.pitched).  A
 * result takes the memory of an operand that its kernel allows
 * (SnPrep.inplace), when no other node reads that operand; a Reshape then has
 * nothing left to do and is dropped as well.  So is a move whose result lies
 * unchanged in its operand (SnPrep.part), unless that would keep a large value
 * for a small part of it. */
SnView *sn_choose_views(SnArena *a, SnExec *x);

#endif
