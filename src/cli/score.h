// SPDX-License-Identifier: Apache-2.0
/* The outputs of a model on data, and what they are worth: top-1 against
 * labels, SQNR and the class chosen against another model. */
#ifndef SN_SCORE_H
#define SN_SCORE_H

#include "cli/cli.h"
#include "quant/profile/profile.h"
#include "run/samples.h"

typedef struct SnResults {
    const SnExec *x;
    SnSamples *samples;
    int64_t *count; /* [noutput] elements of one sample */
    float **value;  /* [noutput][nsample * count], reals */
    /* Sees the inputs of each sample, from the workers.  May be NULL. */
    void (*seen)(void *ctx, int64_t sample, SnRun *r);
    void *seen_ctx;
} SnResults;

typedef struct SnScore {
    int64_t right, n; /* rows whose largest output is their label */
    int64_t right5;   /* rows whose label is one of the five largest */
    int64_t nclass;
} SnScore;

/* Runs r->x on r->samples (both set before) with --jobs and --threads. */
SnStatus sn_results_run(SnCli *c, SnResults *r);
/* Rows of output k in a sample: the model's batch, where the output has it. */
int64_t sn_results_rows(const SnResults *r, uint32_t k);
/* Does anything say of which class each sample is? */
bool sn_results_labelled(SnCli *c, const SnSamples *s);
/* Class numbers of the samples from --labels, or from the folders that they lie
 * in, each a class of output 0. */
SnStatus sn_results_labels(SnCli *c, const SnExec *x, const SnSamples *s,
                           SnData *out);
/* --classes: prints of each sample the names of the largest elements of output
 * 0: five of one sample, else one. */
SnStatus sn_results_classes(SnCli *c, const SnResults *r);
SnScore sn_results_score(const SnResults *r, const SnData *labels);
/* 10 log10 of signal over error of output k over all samples, `ref` being the
 * signal. */
double sn_results_sqnr(const SnResults *ref, const SnResults *r, uint32_t k);
/* Rows of output k whose largest element is at the same place. */
int64_t sn_results_agree(const SnResults *ref, const SnResults *r, uint32_t k);
/* The first of the largest; -1 when there is none. */
int64_t sn_argmax(const float *v, int64_t n);

/* ---- quantize --eval (eval.c) ---- */

typedef struct SnEval {
    SnResults flt, quant;             /* on --eval */
    SnResults calib_flt, calib_quant; /* on --calib, where that is given */
    SnData labels;
    SnScore flt_score, quant_score; /* n is 0 without --labels */
} SnEval;

/* Before any work: opens --eval and --labels for the float model g, and
 * refuses samples that are calibrated on too.  *out is NULL without --eval. */
SnStatus sn_cli_eval_open(SnCli *c, const SnGraph *g, SnEval **out);
/* Runs both models; q is the quantized one, p what gave its ranges.  Warns of
 * inputs that were calibrated on data of another kind. */
SnStatus sn_cli_eval_run(SnCli *c, SnEval *e, const SnGraph *q,
                         const SnProfile *p);
void sn_cli_eval_text(const SnEval *e, SnBuf *b);
/* One JSON object. */
void sn_cli_eval_json(const SnEval *e, SnBuf *b);

#endif
