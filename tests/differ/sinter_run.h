// SPDX-License-Identifier: Apache-2.0
/* Running an ONNX model with sinter, from memory, as a caller would: the graph
 * as imported on the evaluators, or rewritten and on the cpu backend. */
#ifndef SN_TEST_SINTER_RUN_H
#define SN_TEST_SINTER_RUN_H

#include "base/diag.h"
#include "onnx/import.h"
#include "peer.h"

typedef struct SrJob {
    const void *p; /* the model's n bytes */
    size_t n;
    const SnOnnxOpts *opts; /* or NULL */
    const char *passes;  /* a pipeline or passes by name; NULL: as imported */
    const char *backend; /* "CPU"; NULL: the evaluators */
    uint32_t nin, nout;
    const OrtIo *in;
    /* found by name, data made in the arena; codes come as the model has
     * them, uint8 included */
    OrtIo *out;
    uint32_t nfloat; /* gets the number of nodes that compute on floats */
    float *step;     /* [nout], or NULL; gets the scale of codes of which an
                        output is the values, else 0 */
} SrJob;

SnStatus sr_run(SnArena *a, SrJob *j, SnDiag *d);

#endif
