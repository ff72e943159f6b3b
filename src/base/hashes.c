// SPDX-License-Identifier: Apache-2.0
#include "base/hashes.h"

/* Hashes need not be good in their low bits. */
static size_t
start(const SnHashes *x, uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(hash >> 32) & (x->cap - 1);
}

uint32_t
sn_hashes_next(SnHashes *x, uint64_t hash, size_t *probe)
{
    if (x->cap == 0)
        return SN_HASHES_END;
    for (size_t s = start(x, hash);;) {
        const SnHashSlot *t = &x->slot[(s + (*probe)++) & (x->cap - 1)];
        x->nprobe++;
        if (t->at == 0)
            return SN_HASHES_END;
        if (t->hash == hash)
            return t->at - 1;
    }
}

static void
put(SnHashes *x, SnHashSlot v)
{
    size_t s = start(x, v.hash);

    for (; x->slot[s].at; s = (s + 1) & (x->cap - 1))
        x->nprobe++;
    x->slot[s] = v;
}

/* Those of one hash stay in their order: all of a run lie between free slots,
 * and the new table is filled from behind one. */
static void
grow(SnHashes *x)
{
    SnHashSlot *old = x->slot;
    size_t cap = x->cap, from = 0;

    x->cap = cap ? 2 * cap : 64;
    x->slot = SN_NEW_N(x->a, SnHashSlot, x->cap);
    while (from < cap && old[from].at)
        from++;
    for (size_t i = 0; i < cap; i++)
        if (old[(from + i) & (cap - 1)].at)
            put(x, old[(from + i) & (cap - 1)]);
}

void
sn_hashes_add(SnHashes *x, uint64_t hash, uint32_t number)
{
    if (2 * (x->n + 1) > x->cap)
        grow(x);
    put(x, (SnHashSlot){hash, number + 1});
    x->n++;
}
