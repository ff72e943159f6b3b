// SPDX-License-Identifier: Apache-2.0
#include "kernel/pack.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file/file.h"
#include "base/hashes.h"
#include "kernel/pack_file.h"
#include "sn_pack_id.h"

static const char MAGIC[16] = SN_PACK_MAGIC;

/* State of an item while it is filled. */
typedef struct Piece {
    void *p;
    size_t nbyte;
} Piece;

struct SnPackItem {
    SnPack *store;
    uint64_t key[2];
    const char *data; /* in the file, or NULL */
    size_t nbyte, used;
    bool ready; /* all pieces so far were in the file or in `same` */
    uint32_t npiece;
    Piece *piece;
    SnPackItem *same; /* requested before, or NULL */
    uint32_t before;  /* items with its key that were requested before; nmore of
                         the first counts the others */
    uint32_t nmore;
};

struct SnPack {
    SnArena *a;
    SnArena *room;    /* of sn_pack_reserve, or NULL */
    const char *path; /* NULL: it has no file */
    const char *file; /* NULL: none usable */
    const SnPackEntry *entry;
    uint64_t nentry;
    uint32_t nitem;
    SnPackItem **item;
    SnHashes of_entry, of_item; /* by the key's first half */
};

static size_t
padded(size_t n)
{
    return (n + SN_PACK_ALIGN - 1) / SN_PACK_ALIGN * SN_PACK_ALIGN;
}

/* ---- reading ---- */

static const char *
check_head(const SnPackHead *h, size_t n)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return "is not a file of packed weights";
    if (h->mark != SN_PACK_MARK ||
        strncmp(h->build, SN_PACK_ID, sizeof h->build) != 0)
        return "was written by another build";
    if (h->nbyte != n || h->nitem > (n - sizeof *h) / sizeof(SnPackEntry) ||
        h->nitem >= SN_HASHES_END)
        return "has been cut short";
    const SnPackEntry *e = (const SnPackEntry *)(const void *)(h + 1);
    if (XXH3_64bits(e, (size_t)h->nitem * sizeof *e) != h->hash)
        return "is damaged";
    for (uint64_t i = 0; i < h->nitem; i++)
        if (e[i].at % SN_PACK_ALIGN != 0 || e[i].at > n ||
            e[i].nbyte > n - e[i].at)
            return "is damaged";
    return NULL;
}

/* A regular file, or NULL. */
static const char *
map_file(SnArena *a, const char *path, size_t *n)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    const char *p = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (size_t)st.st_size >= sizeof(SnPackHead)) {
        *n = (size_t)st.st_size;
        p = sn_arena_map(a, fd, *n);
    }
    close(fd);
    if (p)
        sn_file_mapped_add(a, path, p, &st, false);
    return p;
}

static void
free_arena(void *ctx)
{
    sn_arena_free(ctx);
}

SnPack *
sn_pack_new(SnArena *a)
{
    SnPack *p = SN_NEW(a, SnPack);

    p->a = a;
    sn_hashes_init(&p->of_entry, a);
    sn_hashes_init(&p->of_item, a);
    return p;
}

void
sn_pack_reserve(SnPack *p, size_t nbyte, size_t spare)
{
    p->room = sn_arena_new();
    sn_arena_at_free(p->a, free_arena, p->room);
    sn_arena_reserve(p->room, nbyte, spare);
}

bool
sn_pack_kept(const SnPack *p)
{
    return p->path != NULL;
}

SnPack *
sn_pack_open(SnArena *a, const char *path, const char **why)
{
    SnPack *p = sn_pack_new(a);
    SnArena *own = sn_arena_new(); /* not unloaded when others in a are */
    size_t n = 0;
    const char *file = map_file(own, path, &n), *wrong = "cannot be read";

    sn_arena_at_free(a, free_arena, own);
    p->path = sn_strdup(a, path);
    if (file)
        wrong = check_head((const SnPackHead *)(const void *)file, n);
    if (!wrong) {
        const SnPackHead *h = (const SnPackHead *)(const void *)file;
        p->file = file;
        p->entry = (const SnPackEntry *)(const void *)(h + 1);
        p->nentry = h->nitem;
        for (uint64_t i = 0; i < p->nentry; i++)
            sn_hashes_add(&p->of_entry, p->entry[i].key[0], (uint32_t)i);
    }
    if (why)
        *why = wrong;
    return p;
}

static bool
same_key(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static const SnPackEntry *
find(SnPack *p, const uint64_t key[2])
{
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&p->of_entry, key[0], &probe)) != SN_HASHES_END)
        if (same_key(p->entry[i].key, key))
            return &p->entry[i];
    return NULL;
}

static SnPackItem *
asked_for(SnPack *p, const uint64_t key[2])
{
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&p->of_item, key[0], &probe)) != SN_HASHES_END)
        if (same_key(p->item[i]->key, key))
            return p->item[i];
    return NULL;
}

SnPackItem *
sn_pack_item(SnPack *p, const void *key, size_t nkey)
{
    if (!p)
        return NULL;
    SnPackItem *it = SN_NEW(p->a, SnPackItem);
    XXH128_hash_t h = XXH3_128bits(key, nkey);
    it->store = p;
    it->key[0] = h.low64;
    it->key[1] = h.high64;
    it->same = asked_for(p, it->key);
    if (it->same) {
        it->before = ++it->same->nmore;
        it->ready = true;
        return it;
    }
    const SnPackEntry *e = find(p, it->key);
    if (e && XXH3_64bits(p->file + e->at, (size_t)e->nbyte) == e->hash) {
        it->data = p->file + e->at;
        it->nbyte = (size_t)e->nbyte;
        it->ready = true;
    }
    sn_hashes_add(&p->of_item, it->key[0], p->nitem);
    SN_PUSH(p->a, p->item, p->nitem, it);
    return it;
}

/* The next piece of an item, or NULL if there is none of nbyte. */
static void *
there(SnPackItem *it, size_t nbyte)
{
    const SnPackItem *s = it->same;

    if (s)
        return it->npiece < s->npiece && s->piece[it->npiece].nbyte == nbyte
                   ? s->piece[it->npiece].p
                   : NULL;
    if (!it->data || padded(nbyte) > it->nbyte - it->used)
        return NULL;
    it->used += padded(nbyte);
    /* read-only pages: writing them in spite of *ready causes a fault */
    return (void *)(uintptr_t)(it->data + it->used - padded(nbyte));
}

/* In memory own, or new memory of the store or a. */
static void *
piece(SnPackItem *it, SnArena *a, void *own, size_t nbyte, bool *ready)
{
    Piece x = {it ? there(it, nbyte) : NULL, nbyte};

    *ready = x.p != NULL;
    if (it && it->store->room)
        a = it->store->room;
    if (!x.p)
        x.p = own ? own
                  : sn_alloc(a, nbyte < SN_PACK_ALIGN ? SN_PACK_ALIGN : nbyte);
    if (!it)
        return x.p;
    it->ready &= *ready;
    SN_PUSH(it->store->a, it->piece, it->npiece, x);
    return x.p;
}

void *
sn_pack_piece(SnPackItem *it, SnArena *a, size_t nbyte, bool *ready)
{
    return piece(it, a, NULL, nbyte, ready);
}

void *
sn_pack_take(SnPackItem *it, void *p, size_t nbyte, bool *ready)
{
    return piece(it, NULL, p, nbyte, ready);
}

bool
sn_pack_ready(const SnPackItem *it)
{
    return it && it->ready && it->used == it->nbyte &&
           (!it->same || it->npiece == it->same->npiece);
}

uint32_t
sn_pack_before(const SnPackItem *it)
{
    return it ? it->before : 0;
}

int64_t
sn_pack_rate(const SnPackItem *it, int64_t nbyte)
{
    enum { NEAR = 512 << 10 };

    return sn_pack_before(it) > 0 && nbyte <= NEAR ? 128 : 32;
}

void
sn_pack_count(const SnPack *p, uint32_t *nitem, uint32_t *nready)
{
    *nitem = p->nitem;
    *nready = 0;
    for (uint32_t i = 0; i < p->nitem; i++)
        *nready += sn_pack_ready(p->item[i]);
}

/* ---- writing ---- */

/* The file: its head and index, then the memory of the items. */
typedef struct Out {
    SnArena *a;
    SnPiece *v;
    uint32_t n;
    size_t nbyte;
    XXH3_state_t *hash; /* of the item so far */
} Out;

static void
put_bytes(Out *o, const void *p, size_t n)
{
    SnPiece x = {p, n};

    if (n == 0)
        return;
    SN_PUSH(o->a, o->v, o->n, x);
    o->nbyte += n;
}

static void
put_hashed(Out *o, const void *p, size_t n)
{
    put_bytes(o, p, n);
    XXH3_64bits_update(o->hash, p, n);
}

static void
put_item(Out *o, const SnPackItem *it, SnPackEntry *e)
{
    static const char zeros[SN_PACK_ALIGN];
    size_t at = o->nbyte;

    XXH3_64bits_reset(o->hash);
    for (uint32_t i = 0; i < it->npiece; i++) {
        size_t n = it->piece[i].nbyte;
        put_hashed(o, it->piece[i].p, n);
        put_hashed(o, zeros, padded(n) - n);
    }
    *e = (SnPackEntry){.key = {it->key[0], it->key[1]},
                       .at = at,
                       .nbyte = o->nbyte - at,
                       .hash = XXH3_64bits_digest(o->hash)};
}

static SnStatus
save(Out *o, const SnPack *p, SnDiag *d)
{
    SnPackEntry *e = SN_NEW_N(o->a, SnPackEntry, p->nitem + 1u);
    SnPackHead h = {.mark = SN_PACK_MARK, .nitem = p->nitem};

    put_bytes(o, &h, sizeof h);
    put_bytes(o, e, p->nitem * sizeof *e);
    for (uint32_t i = 0; i < p->nitem; i++)
        put_item(o, p->item[i], &e[i]);
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.build, SN_PACK_ID, sizeof SN_PACK_ID);
    h.nbyte = o->nbyte;
    h.hash = XXH3_64bits(e, p->nitem * sizeof *e);
    return sn_file_write_pieces(d, p->path, o->v, o->n);
}

SnStatus
sn_pack_save(const SnPack *p, SnDiag *d, bool *written)
{
    uint32_t nitem, nready;

    sn_pack_count(p, &nitem, &nready);
    bool same = nready == nitem && p->nentry == nitem;
    if (written)
        *written = !same;
    if (same)
        return SN_OK;
    Out o = {.a = sn_arena_new(), .hash = XXH3_createState()};
    SnStatus st = o.hash ? save(&o, p, d)
                         : sn_fail(d, SN_ENOMEM, p->path, "out of memory");
    XXH3_freeState(o.hash);
    sn_arena_free(o.a);
    return st;
}
