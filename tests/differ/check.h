// SPDX-License-Identifier: Apache-2.0
/* What counts as agreement with ONNX Runtime, and the two ways a model is run
 * to see it. */
#ifndef SN_TEST_DIFFER_CHECK_H
#define SN_TEST_DIFFER_CHECK_H

#include "gen.h"
#include "sinter_run.h"

/* Reals: of the largest magnitude of the output.  The order of summation
 * differs, and with it each partial sum's rounding: 2^-24 times a few hundred
 * terms, and what cancels. */
#define CK_REAL 1e-4
/* Whole quantized models, in dB: steps of one code are passed on and grow. */
#define CK_SQNR 20.0

typedef enum CkRule {
    CK_EXACT, /* integers bit for bit */
    CK_STEP,  /* integers within one step */
    CK_WHOLE, /* signal to noise */
    CK_FLOAT
} CkRule;

typedef struct CkDiff {
    int64_t n, ndiff;
    double most; /* the largest difference, in steps or reals */
    double sqnr; /* dB; INFINITY when equal */
    int64_t at;  /* the first element that differs, or -1 */
    bool shape;  /* shape or type differ */
} CkDiff;

CkDiff ck_compare(const SnData *want, const SnData *got);
/* steps: those allowed by CK_STEP. */
bool ck_agrees(CkRule r, double steps, const SnData *want, const CkDiff *d);

typedef enum CkWay {
    CK_EVAL, /* the graph as imported, on the evaluators */
    CK_CPU,  /* the same on the CPU backend; models on codes only */
    CK_OPT,  /* rewritten, on the CPU backend */
    CK_NWAY
} CkWay;

/* The rule for a model of these operators run one way. */
CkRule ck_rule(GenForm f, uint32_t nop, const char *const *op, CkWay way);
bool ck_applies(GenForm f, CkWay way);
typedef struct CkRun {
    SnStatus status;
    const char *why; /* when not SN_OK */
    SnData out;
    CkDiff diff;
    uint32_t nfloat;
} CkRun;
CkRun ck_run(SnArena *a, GenForm f, bool whole, CkWay way, const void *p,
             size_t n, uint32_t nin, const OrtIo *in, const char *name,
             const SnData *want);
const char *ck_way_name(CkWay way);

#endif
