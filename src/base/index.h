// SPDX-License-Identifier: Apache-2.0
/* Numbers found by a hash of what they stand for: an open table beside the
 * caller's own array, which keeps the things and compares them. */
#ifndef SN_INDEX_H
#define SN_INDEX_H

#include <stdint.h>

#include "base/arena.h"

typedef struct SnIndexSlot {
    uint64_t hash;
    uint32_t at; /* number + 1; 0: free */
} SnIndexSlot;

typedef struct SnIndex {
    SnArena *a;
    SnIndexSlot *slot;
    size_t cap, n;   /* cap is 0 or a power of two */
    uint64_t nprobe; /* slots looked at so far, for tests */
} SnIndex;

static inline void
sn_index_init(SnIndex *x, SnArena *a)
{
    *x = (SnIndex){.a = a};
}

#define SN_INDEX_END UINT32_MAX
/* The numbers that were added with this hash, in the order in which they were
 * added: the first from *probe on, which goes on behind it; SN_INDEX_END: no
 * more.  *probe is 0 at first. */
uint32_t sn_index_next(SnIndex *x, uint64_t hash, size_t *probe);
/* number < SN_INDEX_END - 1 */
void sn_index_add(SnIndex *x, uint64_t hash, uint32_t number);

#endif
