// SPDX-License-Identifier: Apache-2.0
/* A call's map with the call's shapes, attributes and data filled in. */
#ifndef SN_MAPPED_H
#define SN_MAPPED_H

#include "graph/map_args.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnMapped {
    SnMapping u;
    SnMapArgs args;
} SnMapped;

/* The map of result res, with its reads, places cut so that indices are sums
 * wherever possible: that of c->mapped, or it lives in c->scratch. */
SnStatus sn_mapped(const SnCall *c, unsigned res, const SnMapped **m);
/* The maps of all results, for calls of these shapes and attributes.  NULL for
 * one that is not opened: elements decide about it, the call fails, or its
 * evaluator asks for none.  They live in c->scratch; operands lack data. */
const SnMapped *const *sn_mapped_all(const SnCall *c);
/* The same without its reads; operands may lack data. */
SnStatus sn_mapped_open(const SnCall *c, unsigned res, SnMapped **m);
/* The tensor that a read reads. */
const SnTensor *sn_mapped_tensor(const SnCall *c, unsigned res,
                                 const SnMapRead *r);

#ifdef __cplusplus
}
#endif

#endif
