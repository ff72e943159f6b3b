// SPDX-License-Identifier: Apache-2.0
/* Plans, and real filters as the tiles read them: panels of channels, tap after
 * tap.  For conv_f32.c. */
#ifndef SN_CONV_F32_PACK_H
#define SN_CONV_F32_PACK_H

#include <stdatomic.h>

#include "kernel/conv_f32/conv_f32.h"
#include "kernel/span.h"

typedef struct SnPanelF32 {
    int64_t c0; /* first output channel */
    int64_t x0; /* first input channel of its group */
    int npanel, ncol;
    int64_t at; /* in the packed filter */
    const float *bias;
} SnPanelF32;

typedef struct SnClassF32 {
    SnSpan r, c;
    int64_t nrun;      /* all, */
    const int64_t *at; /* [nkb + 1] where those of a block of taps begin */
    const SnRunF32 *run;
} SnClassF32;

struct SnConvF32 {
    const SnGemmF32 *g;
    SnConvGeo geo;
    bool depthwise;
    bool by_panel;     /* units are panels, else rows of results */
    bool back;         /* run_one begins with the last panel */
    bool flat;         /* pixels of results lie as those of x, in one row */
    int64_t rate;      /* sn_pack_rate of the filter */
    int64_t rows;      /* of results, before the next panel's turn */
    int64_t taps, nkb; /* taps of a result, and blocks of them */
    uint32_t nclass, npanel;
    const SnClassF32 *class;
    const SnPanelF32 *panel; /* depthwise: one, whole */
    const float *w; /* the packed filter, or NULL: each run brings it */
    /* A filter whose rows are made later: packed into fill by
     * sn_conv_f32_pack_pieces, or, where there are states of panels, at runs:
     * by the second one into kept.  Units are panels then. */
    SnFilterF32 late;
    float *fill, *kept;
    atomic_int *state; /* [npanel] */
    float lo, hi;
};

/* Sets p->panel and p->w: packs f, but where its rows are made later.  Panels
 * are of at most npanel * SN_LANE channels. */
void sn_conv_f32_pack_filter(SnArena *a, SnConvF32 *p, const SnFilterF32 *f,
                             int npanel);

/* The packed filter of panel i that is made at runs, from its first element on;
 * it may be in work, of sn_conv_f32_nwork bytes.  Threads may call it at once.
 */
const float *sn_conv_f32_panel(const SnConvF32 *p, int64_t i, void *work);

#endif
