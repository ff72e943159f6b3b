// SPDX-License-Identifier: Apache-2.0
/* Single convolutions (a 1 x 1 one on one pixel is a fully connected layer),
 * ready to be run again and again, by sinter's rivals.  Each is compiled only
 * where its Debian package is installed. */
#ifndef SN_BENCH_PEERS_H
#define SN_BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Layer {
    const char *name;
    int64_t h, c, oc, k, stride, pad, group;
    int count;     /* times in ResNet-50 */
    double wanted; /* faster than oneDNN by at least; 0: nothing asked */
} Layer;

typedef struct Peer {
    void (*run)(void *state);
    void *state;
} Peer;

static inline int64_t
sn_layer_out(const Layer *l)
{
    return (l->h + 2 * l->pad - l->k) / l->stride + 1;
}

/* int8: u8 (XNNPACK: s8) values, s8 filter with a scale per channel, 8-bit
 * results; else f32.  False: not installed, or it cannot. */
bool sn_dnnl_layer(const Layer *l, bool int8, Peer *p);
bool sn_xnnpack_layer(const Layer *l, bool int8, Peer *p);

#endif
