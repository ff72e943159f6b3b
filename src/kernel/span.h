// SPDX-License-Identifier: Apache-2.0
/* Padding without padding: results along one axis of a window operation that
 * read the same taps. */
#ifndef SN_SPAN_H
#define SN_SPAN_H

#include <stdint.h>
#include "base/arena.h"
#include "kernel/sizes.h"

/* The spans of n results in order, of windows of k taps with distance d that
 * advance by s over `size` elements after `pad` absent ones. */
uint32_t sn_spans(SnArena *a, int64_t n, int64_t k, int64_t s, int64_t d,
                  int64_t pad, int64_t size, SnSpan **out);

#endif
