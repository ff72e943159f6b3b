// SPDX-License-Identifier: Apache-2.0
/* Real filters as the tiles read them: panels of channels, tap after tap.  For
 * conv_f32.c. */
#ifndef SN_CONV_F32_PACK_H
#define SN_CONV_F32_PACK_H

#include "kernel/conv_f32/conv_f32.h"

typedef struct SnPanelF32 {
    int64_t c0; /* first output channel */
    int64_t x0; /* first input channel of its group */
    int npanel, ncol;
    int64_t at; /* in the packed filter */
    const float *bias;
} SnPanelF32;

typedef struct SnPackF32 {
    const SnGemmF32 *g;
    const SnFilterF32 *f;
    int64_t taps;
    float *w; /* where to */
} SnPackF32;

/* Taps [t0, t1) of n channels of panel b, as [tap][channel]; a tap is pitch
 * floats from the next. */
void sn_conv_f32_pack_taps(const SnPackF32 *k, const SnPanelF32 *b, int64_t n,
                           int64_t pitch, int64_t t0, int64_t t1);

/* All n panels, nbyte in all, on the team that shares copies of this thread
 * (base/team/spread.h). */
void sn_conv_f32_pack_panels(const SnPackF32 *k, const SnPanelF32 *v,
                             uint32_t n, size_t nbyte);
/* The same where k->w is the filter, each panel in the place of its
 * channels. */
void sn_conv_f32_pack_own(const SnPackF32 *k, const SnPanelF32 *v, uint32_t n,
                          size_t nbyte);

#endif
