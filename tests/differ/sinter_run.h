/* Running an ONNX model with sinter, from memory, as a caller would: the graph
 * as imported on the evaluators, or rewritten and on the cpu backend. */
#ifndef SN_TEST_SINTER_RUN_H
#define SN_TEST_SINTER_RUN_H

#include "base/diag.h"
#include "peer.h"

/* passes: a pipeline or passes by name, or NULL for the graph as imported.
 * backend: "CPU", or NULL for the evaluators.  Outputs are found by name;
 * codes come as the model has them, uint8 included.  *nfloat, unless NULL,
 * gets the number of nodes that compute on floats. */
SnStatus sr_run(SnArena *a, const void *p, size_t n, const char *passes,
                const char *backend, uint32_t nin, const OrtIo *in,
                uint32_t nout, OrtIo *out, SnDiag *d, uint32_t *nfloat);

#endif
