// SPDX-License-Identifier: Apache-2.0
/* Claiming: a member of an OrtEp. */
#ifndef SN_EP_CLAIM_H
#define SN_EP_CLAIM_H

#include "ep/ep_session.h"

/* Frees what claiming keeps in ep. */
void sn_ep_forget(SnEp *ep);
OrtStatus *sn_ep_capability(OrtEp *ep, const OrtGraph *g, OrtSupport *s);

#endif
