// SPDX-License-Identifier: Apache-2.0
/* Fused nodes: members of an OrtEp. */
#ifndef SN_EP_COMPUTE_H
#define SN_EP_COMPUTE_H

#include "ep/ep_session.h"

OrtStatus *sn_ep_compile(OrtEp *ep, const OrtGraph **g, const OrtNode **fused,
                         size_t n, OrtCompute **out, OrtNode **context);
void sn_ep_release_computes(OrtEp *ep, OrtCompute **c, size_t n);

#endif
