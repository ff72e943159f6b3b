// SPDX-License-Identifier: Apache-2.0
/* Which operators have the bits of ONNX Runtime's CPU provider. */
#include "ep/ep_same.h"

const char *
sn_ep_differs(SnEpWhole *w, uint32_t i)
{
    (void)w;
    (void)i;
    return "what has the same bits as the CPU provider is not told apart yet";
}
