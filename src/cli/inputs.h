// SPDX-License-Identifier: Apache-2.0
/* What data does to the inputs of a graph: what lies beyond the range that an
 * input is held to, and what is not finite. */
#ifndef SN_INPUTS_H
#define SN_INPUTS_H

#include <pthread.h>
#include "cli/cli.h"
#include "run/samples.h"

typedef struct SnInputSeen { /* of one f32 input, over all samples seen */
    bool ranged;             /* [from, to] is what it is held to */
    float from, to;
    double filled;     /* data that uses a smaller part of it is warned of */
    float lo, hi;      /* of its finite elements; lo > hi: it had none */
    int64_t n, beyond; /* finite elements; those outside of [from, to] */
    int64_t nonfinite; /* NaN and infinities, */
    int64_t first;     /* first in this sample of the files */
} SnInputSeen;

typedef struct SnInputs {
    const SnExec *x;
    SnSamples *s;
    SnInputSeen *seen;    /* [x->ninput] */
    pthread_mutex_t lock; /* guards it: samples come from several threads */
} SnInputs;

/* Inputs that go through a Quantize are held to what its codes can say, half a
 * step more on each side; others have no range until the caller gives one. */
SnInputs *sn_inputs_new(SnArena *a, const SnExec *x, SnSamples *s);
/* SnResults.seen; ctx is the SnInputs.  Sums do not depend on the order. */
void sn_inputs_see(void *ctx, int64_t sample, SnRun *r);
/* SnBatch.fill: fills a sample, then sees it. */
SnStatus sn_inputs_fill(void *ctx, int64_t sample, SnRun *r);
/* Warns of inputs that are quantized, but get other numbers than the range of
 * their codes is for: what happens without --mul and --add.  option: where the
 * data comes from. */
void sn_inputs_warn_range(SnCli *c, const SnInputs *in, const char *option);
/* Warns of NaN and infinities, naming the first sample with some. */
void sn_inputs_warn_finite(SnCli *c, const SnInputs *in, const char *option);

#endif
