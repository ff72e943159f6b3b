// SPDX-License-Identifier: Apache-2.0
/* Runs samples on worker threads.  Each worker has its own run; the results of
 * a sample depend only on the sample, so results stored by sample number are
 * the same for any number of workers. */
#ifndef SN_BATCH_H
#define SN_BATCH_H

#include "run/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnBatch {
    const SnExec *x;
    int64_t nsample;
    unsigned njob;    /* 0: one per processor, at most SN_MAXJOB */
    unsigned nthread; /* of each worker's run, 0: one */
    /* Called before each sample: is there one?  Only with one worker; NULL:
     * nsample decides. */
    bool (*more)(void *ctx, int64_t sample);
    /* Fills the inputs of r for a sample; called from the workers. */
    SnStatus (*fill)(void *ctx, int64_t sample, SnRun *r);
    /* Sees the outputs of a finished sample; worker < njob.  May be NULL. */
    void (*done)(void *ctx, unsigned worker, int64_t sample, const SnRun *r);
    /* Called once per worker before its first sample; sets hooks.  May be
     * NULL. */
    void (*start)(void *ctx, unsigned worker, SnRun *r);
    /* Called once per worker after its last sample, in its thread.  May be
     * NULL. */
    void (*stop)(void *ctx, unsigned worker, SnRun *r);
    void *ctx;
    bool progress; /* a counter on stderr, then the time it took */
} SnBatch;

enum { SN_MAXJOB = 16 };

/* Workers for samples whose runs take nthread threads each (0: one). */
unsigned sn_batch_njob(unsigned wanted, unsigned nthread, int64_t nsample);

/* The first failing sample decides the status; its message goes to d. */
SnStatus sn_batch_run(const SnBatch *b, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
