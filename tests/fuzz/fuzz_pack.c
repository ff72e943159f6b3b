// SPDX-License-Identifier: Apache-2.0
/* Files of packed weights: the bytes as they are, and as the index and the
 * items of a file whose header and hashes hold, so that lengths and offsets
 * are looked at.  What is not refused is used: every piece can be read or
 * filled, and what was filled is there when the file is opened again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "kernel/pack.h"
#include "kernel/pack_file.h"
#include "sn_pack_id.h"

enum { NKEY = 4, MOST = 4096 };

/* A pack is no link: memfd_create will not do.  Who starts the target removes
 * TMPDIR, since a run that crashes leaves its file. */
static const char *
file_of(SnArena *a, const void *p, size_t n)
{
    const char *dir = getenv("TMPDIR");
    char *path = (char *)(uintptr_t)sn_format(a, "%s/sinter-fuzz-XXXXXX",
                                              dir ? dir : "/tmp");
    int fd = mkstemp(path);

    if (fd < 0 || write(fd, p, n) != (ssize_t)n)
        abort();
    close(fd);
    return path;
}

static uint8_t
pattern(int key, int piece, size_t i)
{
    return (uint8_t)(key * 31 + piece * 7 + (int)i);
}

/* Asks for the pieces of each key, p[k] bytes or so.  With `all`: all of them
 * must be there, as filled. */
static void
use(SnArena *a, SnPack *pack, const uint8_t *p, bool all)
{
    unsigned sum = 0;

    for (int k = 0; k < NKEY; k++) {
        char key[] = {'k', (char)('0' + k)};
        SnPackItem *it = sn_pack_item(pack, key, sizeof key);
        for (int j = 0; j < 2; j++) {
            size_t n = (size_t)p[2 * k + j] * 3;
            bool ready;
            uint8_t *v = sn_pack_piece(it, a, n, &ready);
            for (size_t i = 0; i < n; i++) {
                if (!ready)
                    v[i] = pattern(k, j, i);
                else if (all && v[i] != pattern(k, j, i))
                    sn_bug("piece %d of key %d is another", j, k);
                sum += v[i];
            }
        }
        if (all && !sn_pack_ready(it))
            sn_bug("key %d was not kept", k);
    }
    (void)sum;
}

/* The store is saved only where it holds nothing but what use() filled. */
static void
open_and_use(SnArena *a, const char *path, const uint8_t *sizes, bool fresh)
{
    SnDiag *d = sn_diag_new(a);
    const char *why;
    SnPack *pack = sn_pack_open(a, path, &why);
    bool written;

    use(a, pack, sizes, false);
    if (!fresh)
        return;
    if (sn_pack_save(pack, d, &written) != SN_OK)
        abort();
    use(a, sn_pack_open(a, path, &why), sizes, true);
}

/* Entries of 6 bytes: where and how much, in units of 16, and flags. */
static void *
made(SnArena *a, const uint8_t *p, size_t n, size_t *nbyte)
{
    uint64_t nitem = n ? p[0] % (NKEY + 1) : 0;
    size_t head = sizeof(SnPackHead) + nitem * sizeof(SnPackEntry);
    size_t used = 1 + 6 * (size_t)nitem;
    uint8_t *file = sn_alloc(a, head + n);
    SnPackHead h = {.magic = SN_PACK_MAGIC,
                    .mark = SN_PACK_MARK,
                    .nitem = nitem,
                    .nbyte = head};
    SnPackEntry *e = (SnPackEntry *)(void *)(file + sizeof h);

    if (n > used) {
        memcpy(file + head, p + used, n - used);
        h.nbyte += n - used;
    }
    for (uint64_t i = 0; i < nitem && n >= used; i++) {
        const uint8_t *q = p + 1 + 6 * i;
        char key[] = {'k', (char)('0' + q[0] % NKEY)};
        XXH128_hash_t k = XXH3_128bits(key, sizeof key);
        e[i] = (SnPackEntry){.key = {k.low64, k.high64},
                             .at = (uint64_t)(q[1] | q[2] << 8) * 16,
                             .nbyte = (uint64_t)(q[3] | q[4] << 8) * 16};
        if (q[5] & 1)
            e[i].at = UINT64_MAX - e[i].at + 1;
        if (q[5] & 2)
            e[i].nbyte = UINT64_MAX - e[i].nbyte + 1;
        if (e[i].at <= h.nbyte && e[i].nbyte <= h.nbyte - e[i].at)
            e[i].hash = XXH3_64bits(file + e[i].at, (size_t)e[i].nbyte);
    }
    memcpy(h.build, SN_PACK_ID, sizeof SN_PACK_ID);
    h.hash = XXH3_64bits(e, (size_t)nitem * sizeof *e);
    memcpy(file, &h, sizeof h);
    *nbyte = (size_t)h.nbyte;
    return file;
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    size_t nbyte;

    if (n < 2 * NKEY || n > MOST) {
        sn_arena_free(a);
        return;
    }
    const char *raw = file_of(a, p, n);
    const void *file = made(a, p + 2 * NKEY, n - 2 * NKEY, &nbyte);
    const char *path = file_of(a, file, nbyte);
    open_and_use(a, raw, p, true);
    open_and_use(a, path, p, false);
    unlink(raw);
    unlink(path);
    sn_arena_free(a);
}
