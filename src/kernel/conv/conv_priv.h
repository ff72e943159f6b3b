// SPDX-License-Identifier: Apache-2.0
/* Shared by conv_class.c, conv_pack.c, conv_pick.c, conv_plan.c and conv_run.c.
 */
#ifndef SN_CONV_PRIV_H
#define SN_CONV_PRIV_H

#include <string.h>

#include "kernel/conv/conv_q8.h"
#include "kernel/span.h"

/* Sets g, t, geo and what follows from them and sums only: depthwise, the
 * steps between pixels of widened rows, the runs of a window; of depthwise ones
 * rep, columns and direct. */
void sn_conv_shape(SnConvQ8 *p, SnIsa isa, const SnConvGeo *geo);

/* Whether adding 128 to the filter's codes takes fewer instructions than adding
 * it to those of x, by half: it takes sums over the taps of each pixel, and one
 * more for each sum of a tile, in place of one for each step of each panel. */
bool sn_conv_flip_pays(const SnConvQ8 *p);

/* Stores up to four codes of a filter, `step` apart, as tiles read them; the
 * places of missing ones are 0 and stay so. */
static inline void
sn_conv_four(const SnConvQ8 *p, const int8_t *w, int64_t step, int64_t n,
             char *to)
{
    if (step == 1 && n >= 4) {
        uint32_t v;
        memcpy(&v, w, sizeof v);
        v ^= (uint32_t)p->t->flip * 0x01010101u;
        memcpy(to, &v, sizeof v);
        return;
    }
    for (int64_t e = 0; e < 4 && e < n; e++)
        to[e] = (char)(uint8_t)(w[e * step] + p->t->flip);
}

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
