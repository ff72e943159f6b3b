// SPDX-License-Identifier: Apache-2.0
/* The weights of a node that sums products over a matrix of them, and how
 * large its sums may become: for rewrites that move biases and for what
 * bounds accumulators. */
#ifndef SN_WEIGHTS_H
#define SN_WEIGHTS_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Output channel c reads weights w[c * sc + k * sk], k < nk.  A transposed
 * convolution reads, for each result element, only those whose row and column
 * leave one remainder modulo the stride. */
typedef struct SnWeights {
    uint32_t xslot, wslot;
    int64_t nc, nk, sc, sk;
    const SnType *type;
    const void *data; /* NULL: not known */
    bool transposed;
    int64_t kernel[2], every[2]; /* rows and columns this far apart meet */
} SnWeights;

/* The node as c has it: types and shapes, and data of constants. */
bool sn_weights(const SnCall *c, SnWeights *w);
/* The largest sum of |w - w.zp| that a result element of channel c is made of;
 * codes of weights that are not known lie in [lo, hi]. */
double sn_weights_sum(const SnWeights *w, int64_t c, int32_t lo, int32_t hi);

/* The node as a call: types and shapes, and data of constants. */
SnCall sn_node_call(const SnGraph *g, SnId id, SnArena *a);

#ifdef __cplusplus
}
#endif

#endif
