// SPDX-License-Identifier: Apache-2.0
/* What has the bits of ONNX Runtime's CPU provider without optimizations. */
#ifndef SN_EP_SAME_H
#define SN_EP_SAME_H

#include "ep/ep_read.h"

/* Why node i need not have these bits, or NULL: it has. */
const char *sn_ep_differs(SnEpWhole *w, uint32_t i);
/* Is node i one that is worth a call of sinter's? */
bool sn_ep_works(const SnEpWhole *w, uint32_t i);
/* Does node i add up reals?  It has these bits where sinter makes a sum of
 * codes of it (note "sum 'NAME'" of sinter_model_optimize_exact), and no
 * others. */
bool sn_ep_adds_up(const SnEpWhole *w, uint32_t i);
/* What of the processor the answers depend on, in a word or two. */
const char *sn_ep_processor(void);

#endif
