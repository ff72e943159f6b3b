// SPDX-License-Identifier: Apache-2.0
/* Shared by conv_class.c, conv_pick.c, conv_plan.c and conv_run.c. */
#ifndef SN_CONV_PRIV_H
#define SN_CONV_PRIV_H

#include "kernel/conv/conv_q8.h"
#include "kernel/span.h"

/* Sets g, t, geo and what follows from them and sums only: depthwise, the
 * steps between pixels of widened rows, the runs of a window; of depthwise ones
 * rep, columns and direct. */
void sn_conv_shape(SnConvQ8 *p, SnIsa isa, const SnConvGeo *geo);

/* What sn_conv_q8_rules chooses for a shape that is set and not empty. */
SnConvPick sn_conv_rules(const SnConvQ8 *p, bool tiles);

/* Whether classes can begin at other taps than the window, as their channels
 * are whole steps, and whether that changes anything: some taps lie in padding,
 * or x itself can be read. */
bool sn_conv_can_clip(const SnConvQ8 *p);

/* Sets direct, xpitch and the classes of a convolution that is not depthwise:
 * one class, of widened rows, unless `clip`. */
void sn_conv_classes(SnArena *a, SnConvQ8 *p, bool clip);

#endif
