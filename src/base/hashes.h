// SPDX-License-Identifier: Apache-2.0
/* Numbers found by a hash of what they represent: an open table beside the
 * caller's own array, which keeps the things and compares them. */
#ifndef SN_HASHES_H
#define SN_HASHES_H

#include <stdint.h>

#include "base/arena.h"

typedef struct SnHashSlot {
    uint64_t hash;
    uint32_t at; /* number + 1; 0: free */
} SnHashSlot;

typedef struct SnHashes {
    SnArena *a;
    SnHashSlot *slot;
    size_t cap, n;   /* cap is 0 or a power of two */
    uint64_t nprobe; /* slots looked at so far, for tests */
} SnHashes;

static inline void
sn_hashes_init(SnHashes *x, SnArena *a)
{
    *x = (SnHashes){.a = a};
}

#define SN_HASHES_END UINT32_MAX
/* The numbers that were added with this hash, in the order in which they were
 * added: the first from *probe on, which goes on behind it; SN_HASHES_END: no
 * more.  *probe is 0 at first. */
uint32_t sn_hashes_next(SnHashes *x, uint64_t hash, size_t *probe);
/* number < SN_HASHES_END - 1 */
void sn_hashes_add(SnHashes *x, uint64_t hash, uint32_t number);

#endif
