// SPDX-License-Identifier: Apache-2.0
#include "run/later.h"

#include "base/team/spread.h"

typedef struct Laters {
    const SnLater *v;
    uint32_t n;
    const SnArena *constants;
    char *work; /* of each part: */
    size_t pitch;
} Laters;

/* Bytes that are written between two times that files are unloaded. */
enum { UNLOAD_NBYTE = 4 << 20 };

/* Where in l the first `at` of its bytes end. */
static int64_t
piece_at(const SnLater *l, size_t at)
{
    return at >= l->nbyte
               ? l->n
               : (int64_t)((double)l->n * (double)at / (double)l->nbyte);
}

/* What writes bytes [from, to) of all. */
static void
do_bytes(const Laters *k, void *work, size_t from, size_t to)
{
    size_t before = 0;

    for (uint32_t i = 0; i < k->n && before < to; i++) {
        const SnLater *l = &k->v[i];
        size_t end = before + l->nbyte;
        if (end > from) {
            int64_t i0 = from > before ? piece_at(l, from - before) : 0;
            int64_t i1 = piece_at(l, to - before);
            if (i0 < i1)
                l->fn(l->ctx, work, i0, i1);
        }
        before = end;
    }
}

static void
do_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Laters *k = ctx;
    size_t to;

    for (size_t at = (size_t)i0; at < (size_t)i1; at = to) {
        to = (size_t)i1 - at > UNLOAD_NBYTE ? at + UNLOAD_NBYTE : (size_t)i1;
        do_bytes(k, k->work + part * k->pitch, at, to);
        sn_arena_unload_all(k->constants);
    }
}

void
sn_later_do(const SnLater *v, uint32_t n, const SnArena *constants)
{
    Laters k = {.v = v, .n = n, .constants = constants};
    SnArena *tmp = sn_arena_new();
    size_t nbyte = 0;
    int64_t npiece = 0;

    for (uint32_t i = 0; i < n; i++) {
        nbyte += v[i].nbyte;
        npiece += v[i].n;
        if (v[i].nwork > k.pitch)
            k.pitch = v[i].nwork;
    }
    unsigned nparts = sn_spread_parts(npiece, nbyte);
    k.pitch = (k.pitch + 63) / 64 * 64;
    while (nparts > 1 && nparts * k.pitch > nbyte)
        nparts--; /* their memory would be more than what they write */
    k.work = sn_alloc(tmp, nparts * k.pitch);
    sn_spread((int64_t)nbyte, nparts, do_part, &k);
    sn_arena_free(tmp);
}
