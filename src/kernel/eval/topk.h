// SPDX-License-Identifier: Apache-2.0
/* The k largest (or smallest) elements along an axis, sorted; equal elements
 * keep their order; NaN is larger than every number. */
#ifndef SN_TOPK_H
#define SN_TOPK_H

#include "kernel/eval/map.h"

/* Result 0: the elements; any other: their indices along the axis (i64). */
SnStatus sn_topk(const SnCall *c, const SnSem *s, unsigned res);

#endif
