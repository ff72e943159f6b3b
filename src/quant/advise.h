// SPDX-License-Identifier: Apache-2.0
/* What brings a quantized model to a wanted SQNR, found by trying.
 *
 * The float graph is quantized again with what can be read off the quantized
 * one: the types of its values stand for their ranges, its zero points and
 * scales for the scheme, its constants for weights per channel or per row.
 * That gives the same model, and with one setting changed, the model that
 * `sinter quantize` gives with that setting.  Each is run on the samples, and
 * its worst output is held against the float one.
 *
 * Tried are: weights per channel and row, where they are per tensor; int16;
 * and nodes kept float: each of the worst by its local error alone, then added
 * best first until it is enough, then those left out again without which it
 * is.  At most SN_ADVISE_MODELS models are made, and run on at most
 * SN_ADVISE_SAMPLES samples. */
#ifndef SN_ADVISE_H
#define SN_ADVISE_H

#include "quant/compare.h"
#include "quant/quantize.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_ADVISE_MODELS = 64, SN_ADVISE_SAMPLES = 100 };

typedef struct SnAdviseOpts {
    const SnGraph *model; /* float, as it was loaded */
    const SnGraph *flt;   /* the same, as types are chosen for it */
    const SnGraph *quant;
    const SnComparison *c; /* of flt and quant */
    double db;             /* wanted of the worst output */
    SnRewriteOpts rewrite;
    SnFillFn *fill; /* inputs of flt */
    void *ctx;
    SnFillFn *fill_quant; /* inputs of quant */
    void *ctx_quant;
    int64_t nsample;
    unsigned njob, nthread; /* run/batch.h */
} SnAdviseOpts;

/* SQNR of worst outputs in dB.  NaN: not tried. */
typedef struct SnAdvice {
    int64_t nsample;
    uint32_t nmodel;
    double given, again; /* the model, and when made again as it is */
    bool same;           /* the two agree to half a dB; if not, nothing below
                            is tried */
    double sliced;       /* with weights per channel and row */
    double int16;        /* with --precision int16 */
    uint32_t nkeep;
    const char **keep; /* nodes in float */
    double kept;       /* with these */
} SnAdvice;

/* SN_OK also where nothing helps.  A run that fails is reported. */
SnStatus sn_advise(SnArena *a, const SnAdviseOpts *o, SnDiag *d, SnAdvice *out);

#ifdef __cplusplus
}
#endif

#endif
