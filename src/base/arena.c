// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/os/os.h"
#include "base/status.h"

/* Blocks are chained newest first.  Small objects are carved from the block
 * at `open`; an object above a quarter of the block size gets a block of its
 * own, so that the rest of the open block isn't lost. */
enum {
    BLOCK_MIN = 4096,
    BLOCK_MAX = 1 << 20,
    PAGE_PART = 4,  /* of an arena: blocks grow on to large pages, */
    BLOCK_PART = 8, /* and from there to this part of it, or two */
    ALIGN_SMALL = 16,
    ALIGN_LARGE = 64,
    PAGED = 1 << 14, /* blocks for small objects that are mapped */
    HUGE = 2 << 20   /* bytes of a large page, where there are any */
};

/* Large objects lie in large pages, but where a sanitizer looks after the
 * bytes around each: it knows those of the C library. */
#if defined(__SANITIZE_ADDRESS__)
#define LARGE_PAGED false
#elif defined(__has_feature)
#define LARGE_PAGED (!__has_feature(address_sanitizer))
#else
#define LARGE_PAGED true
#endif

typedef struct Block {
    struct Block *next;
    size_t nbyte; /* with this header */
    bool mapped;
} Block;

typedef struct AtFree {
    struct AtFree *next;
    void (*fn)(void *ctx);
    void *ctx;
} AtFree;

typedef struct Map {
    struct Map *next;
    char *p;
    size_t n;
    bool only; /* what is let go is lost: sn_arena_pages */
} Map;

struct SnArena {
    Block *block;
    AtFree *at_free; /* in blocks of the arena */
    Map *map;
    Map *space;        /* of sn_arena_space */
    char *open, *end;  /* free part of the open block, zeroed */
    Block *opened;     /* that block; NULL: none */
    size_t block_size; /* of the next block */
    size_t nbyte;
    bool lazy;            /* the open block is charged as it is used */
    size_t charged;       /* to the budget, */
    SnBudget *budget;     /* or NULL */
    SnArena *prev, *next; /* among those of the budget */
};

struct SnArenaList {
    SnArena *first, *last;
    pthread_mutex_t lock;
};

static _Thread_local SnGuard *guard_top;
static _Thread_local unsigned long fail_at;

static char *
align_up(char *p, size_t align)
{
    return p + ((align - ((uintptr_t)p & (align - 1))) & (align - 1));
}

/* For sn_alloc_fail_at: counts a request. */
static bool
refused(void)
{
    return fail_at && --fail_at == 0;
}

/* Pages; from HUGE on they begin at a large one. */
static void *
map_pages(size_t nbyte)
{
    size_t spare = nbyte >= HUGE ? HUGE : 0;
    char *p = mmap(NULL, nbyte + spare, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || spare == 0)
        return p == MAP_FAILED ? NULL : p;
    char *at = align_up(p, HUGE);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (nbyte + page - 1) / page * page;
    if (at > p)
        munmap(p, (size_t)(at - p));
    if (at + used < p + nbyte + spare)
        munmap(at + used, (size_t)(p + nbyte + spare - (at + used)));
    return at;
}

/* Zeroed memory for arenas of budget b. */
static void *
request(const SnBudget *b, size_t nbyte, bool paged)
{
    const SnMemory *m = sn_budget_memory(b);

    if (refused())
        return NULL;
    if (m) {
        void *q = m->alloc(m->ctx, nbyte);
        return q ? memset(q, 0, nbyte) : NULL;
    }
    return paged ? map_pages(nbyte) : calloc(1, nbyte);
}

/* Gives back what request returned. */
static void
give_back(const SnBudget *b, void *p, size_t nbyte, bool paged)
{
    const SnMemory *m = sn_budget_memory(b);

    if (m)
        m->release(m->ctx, p, nbyte);
    else if (paged)
        munmap(p, nbyte);
    else
        free(p);
}

/* Whole large pages inside a block may be such: hundreds of page faults less
 * for each tensor.  Advice only. */
static void
prefer_huge(void *p, size_t nbyte)
{
#ifdef MADV_HUGEPAGE
    uintptr_t at = ((uintptr_t)p + HUGE - 1) / HUGE * HUGE;
    uintptr_t end = ((uintptr_t)p + nbyte) / HUGE * HUGE;

    if (at < end)
        (void)madvise((void *)at, end - at, MADV_HUGEPAGE);
#else
    (void)p;
    (void)nbyte;
#endif
}

void
sn_guard_jump(void)
{
    SnGuard *gu = guard_top;
    const SnTrip *t = sn_budget_trip();

    if (gu) {
        guard_top = gu->up;
        longjmp(gu->env, 1);
    }
    fprintf(stderr, "%s: %s\n", t->where, t->text);
    exit(SN_ENOMEM);
}

/* ---- the budget's list ---- */

SnArenaList *
sn_arena_list_new(void)
{
    SnArenaList *l = calloc(1, sizeof *l);

    if (l)
        pthread_mutex_init(&l->lock, NULL);
    return l;
}

void
sn_arena_list_free(SnArenaList *l)
{
    while (l->first)
        sn_arena_free(l->first);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void
enlist(SnArena *a)
{
    SnArenaList *l = sn_budget_arenas(a->budget);

    pthread_mutex_lock(&l->lock);
    a->prev = l->last;
    *(a->prev ? &a->prev->next : &l->first) = a;
    l->last = a;
    pthread_mutex_unlock(&l->lock);
}

static void
strike(SnArena *a)
{
    SnArenaList *l = sn_budget_arenas(a->budget);

    pthread_mutex_lock(&l->lock);
    *(a->prev ? &a->prev->next : &l->first) = a->next;
    *(a->next ? &a->next->prev : &l->last) = a->prev;
    pthread_mutex_unlock(&l->lock);
}

/* a becomes now, in the same place of the list: its neighbours come and go on
 * other threads. */
static void
renew(SnArena *a, SnArena now)
{
    SnArenaList *l = a->budget ? sn_budget_arenas(a->budget) : NULL;

    if (l)
        pthread_mutex_lock(&l->lock);
    now.prev = a->prev;
    now.next = a->next;
    *a = now;
    if (l)
        pthread_mutex_unlock(&l->lock);
}

/* Charges the budget, or ends in a guard. */
static void
charge(SnArena *a, size_t nbyte)
{
    if (!sn_budget_take(a->budget, nbyte))
        sn_guard_jump();
    a->charged += nbyte;
}

void
sn_guard_push(SnGuard *gu)
{
    gu->up = guard_top;
    guard_top = gu;
}

void
sn_guard_pop(SnGuard *gu)
{
    assert(guard_top == gu);
    guard_top = gu->up;
}

void
sn_alloc_fail_at(unsigned long n)
{
    fail_at = n;
}

SnArena *
sn_arena_new(void)
{
    SnBudget *budget = sn_budget_now();
    SnArena *a = request(budget, sizeof *a, false);

    if (!a)
        sn_out_of_memory();
    a->block_size = BLOCK_MIN;
    a->nbyte = sizeof *a;
    a->budget = budget;
    if (a->budget)
        enlist(a);
    return a;
}

/* keep, one of the blocks or NULL, stays. */
static void
let_go(SnArena *a, const Block *keep)
{
    for (AtFree *f = a->at_free; f; f = f->next)
        f->fn(f->ctx);
    for (const Map *m = a->map; m; m = m->next)
        munmap(m->p, m->n);
    for (const Map *m = a->space; m; m = m->next)
        munmap(m->p, m->n);
    for (Block *b = a->block, *next; b; b = next) {
        next = b->next;
        if (b == keep)
            continue;
        give_back(a->budget, b, b->nbyte, b->mapped);
    }
}

void
sn_arena_free(SnArena *a)
{
    if (!a)
        return;
    if (a->budget)
        strike(a);
    let_go(a, NULL);
    sn_budget_give(a->budget, a->charged);
    give_back(a->budget, a, sizeof *a, false);
}

void
sn_arena_clear(SnArena *a)
{
    Block *b = a->opened;
    SnArena now = {
        .block_size = BLOCK_MIN, .nbyte = sizeof *a, .budget = a->budget};

    let_go(a, b);
    sn_budget_give(a->budget, a->charged);
    if (b) {
        char *base = (char *)(b + 1);
        memset(base, 0, (size_t)(a->open - base));
        b->next = NULL;
        now.block = now.opened = b;
        now.open = base;
        now.end = a->end;
        now.block_size = a->block_size;
        now.nbyte += (size_t)(a->end - (char *)b);
        now.lazy = a->lazy;
    }
    renew(a, now);
    if (b && !a->lazy)
        charge(a, (size_t)(a->end - (char *)b));
}

void
sn_arena_at_free(SnArena *a, void (*fn)(void *ctx), void *ctx)
{
    AtFree *f = sn_alloc(a, sizeof *f);

    *f = (AtFree){a->at_free, fn, ctx};
    a->at_free = f;
}

/* A chained block with room for nbyte and a spare part, which never has large
 * pages, at any alignment up to ALIGN_LARGE, or NULL.  `paged`: it will be
 * filled bit by bit, and pages are taken as that happens; calloc may clear, and
 * so take, all of them at once. */
static char *
try_block(SnArena *a, size_t nbyte, size_t spare, bool paged)
{
    size_t total = sizeof(Block) + ALIGN_LARGE + nbyte + spare;
    Block *b = request(a->budget, total, paged);

    if (!b)
        return NULL;
    prefer_huge(b, total - spare); /* before the header takes a small page */
    b->nbyte = total;
    b->mapped = paged;
    b->next = a->block;
    a->block = b;
    a->nbyte += total;
    return (char *)(b + 1);
}

/* A block for one object. */
static char *
own_block(SnArena *a, size_t nbyte)
{
    charge(a, nbyte);
    char *p = try_block(a, nbyte, 0, LARGE_PAGED && nbyte >= HUGE);
    if (!p)
        sn_out_of_memory();
    return p;
}

/* The next block for small objects. */
static void
open_block(SnArena *a)
{
    size_t n = a->block_size;

    charge(a, n);
    char *p = try_block(a, n, 0, n >= PAGED);
    if (!p)
        sn_out_of_memory();
    a->open = p;
    a->end = p + ALIGN_LARGE + n;
    a->opened = a->block;
    a->lazy = false;
    size_t part = a->block_size < HUGE ? PAGE_PART : BLOCK_PART;
    if (a->block_size < BLOCK_MAX || a->block_size < a->nbyte / part)
        a->block_size *= 2;
}

void
sn_arena_reserve(SnArena *a, size_t nbyte, size_t spare)
{
    bool fits = nbyte < PTRDIFF_MAX / 4 && spare < PTRDIFF_MAX / 4 &&
                sn_budget_has(a->budget, nbyte);
    char *p = fits ? try_block(a, nbyte, spare, true) : NULL;

    if (!p)
        return;
    a->open = p;
    a->end = p + ALIGN_LARGE + nbyte + spare;
    a->opened = a->block;
    a->lazy = true;
}

/* Takes nbyte of the open block, or returns NULL. */
static char *
take(SnArena *a, size_t nbyte, size_t align)
{
    char *p = a->open ? align_up(a->open, align) : NULL;

    if (!p || p > a->end || nbyte > (size_t)(a->end - p))
        return NULL;
    if (a->lazy)
        charge(a, nbyte);
    a->open = p + nbyte;
    return p;
}

void *
sn_alloc(SnArena *a, size_t nbyte)
{
    size_t align = nbyte >= ALIGN_LARGE ? ALIGN_LARGE : ALIGN_SMALL;

    if (nbyte > PTRDIFF_MAX - 2 * (size_t)HUGE)
        sn_out_of_memory();
    if (nbyte == 0)
        nbyte = 1;
    char *p = take(a, nbyte, align);
    if (!p && nbyte > a->block_size / 4)
        return align_up(own_block(a, nbyte), align);
    if (!p) {
        open_block(a);
        p = take(a, nbyte, align);
    }
    return p;
}

static void *
map(SnArena *a, size_t n, int prot, int flags, int fd)
{
    Map *m = SN_NEW(a, Map);
    void *p = mmap(NULL, n, prot, MAP_PRIVATE | flags, fd, 0);

    if (p == MAP_FAILED)
        return NULL;
    *m = (Map){.next = a->map, .p = p, .n = n};
    a->map = m;
    return p;
}

/* The file begins at no multiple of a large page, so that its pages come, and
 * go, some at a time: what the system holds as large pages would else be there
 * whole when one byte is looked at.  whole: it begins at one. */
static const void *
map_file(SnArena *a, int fd, size_t n, bool whole)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), spare = whole ? HUGE : page;
    char *p = n < PTRDIFF_MAX - spare
                  ? map(a, n + spare, PROT_NONE, MAP_ANONYMOUS, -1)
                  : NULL;

    if (!p)
        return NULL;
    if (whole)
        p = align_up(p, HUGE);
    else if ((uintptr_t)p % HUGE == 0)
        p += page;
    p = mmap(p, n, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

const void *
sn_arena_map(SnArena *a, int fd, size_t n)
{
    return map_file(a, fd, n, false);
}

const void *
sn_arena_map_whole(SnArena *a, int fd, size_t n)
{
    return map_file(a, fd, n, true);
}

void *
sn_arena_pages(SnArena *a, size_t n)
{
    charge(a, n);
    void *p =
        refused() ? NULL : map(a, n, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
    if (!p)
        sn_out_of_memory();
    a->map->only = true;
    a->nbyte += n;
    return p;
}

void *
sn_arena_space(SnArena *a, size_t n)
{
    if (sn_budget_memory(a->budget))
        return NULL;
    void *p = map(a, n, PROT_NONE, MAP_ANONYMOUS, -1);
    if (p) {
        Map *m = a->map;
        a->map = m->next;
        m->next = a->space;
        a->space = m;
    }
    return p;
}

void
sn_arena_open(SnArena *a, void *p, size_t n)
{
    charge(a, n);
    if (refused() || mprotect(p, n, PROT_READ | PROT_WRITE) != 0)
        sn_out_of_memory();
    if (n >= HUGE)
        prefer_huge(p, n);
    a->nbyte += n;
}

/* Bytes of the file that is mapped many times: more for much, since a process
 * has some 65 000 mappings in all. */
enum { WINDOW = 1 << 16, WINDOW_MAX = 1 << 22, NWINDOW = 1024 };

static size_t
window_for(size_t n)
{
    size_t w = WINDOW;

    while (w < WINDOW_MAX && n / w >= NWINDOW)
        w *= 2;
    return w;
}

/* The file, of n bytes, or -1. */
static int
repeated(const void *one, size_t size, size_t n)
{
    int fd = sn_os_memory_file();
    char page[1 << 12];
    bool ok = fd >= 0;

    for (size_t i = 0; i < sizeof page; i += size)
        memcpy(page + i, one, size);
    for (size_t i = 0; ok && i < n; i += sizeof page)
        ok = write(fd, page, sizeof page) == (ssize_t)sizeof page;
    if (ok || fd < 0)
        return fd;
    close(fd);
    return -1;
}

const void *
sn_arena_repeat(SnArena *a, const void *one, size_t size, size_t n)
{
    const size_t w = window_for(n);
    int fd = n / w < NWINDOW ? repeated(one, size, w) : -1;
    size_t total = (n / w + 1) * w;
    char *p = fd < 0 ? NULL : map(a, total, PROT_NONE, MAP_ANONYMOUS, -1);
    bool ok = p != NULL;

    for (size_t i = 0; ok && i < total; i += w)
        ok = mmap(p + i, w, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) !=
             MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return ok ? p : NULL;
}

void
sn_arena_unload(const SnArena *a, const void *p, size_t n)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)p;

    for (const Map *m = a->map; m; m = m->next) {
        uintptr_t base = (uintptr_t)m->p;
        if (at < base || at - base > m->n || n > m->n - (at - base))
            continue;
        size_t from = (at - base + page - 1) / page * page;
        size_t to = (at - base + n) / page * page;
        if (to > from)
            madvise(m->p + from, to - from, MADV_DONTNEED);
    }
}

void
sn_arena_drop(const SnArena *a, const void *p, size_t n)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)p;

    for (const Block *b = a->block; b; b = b->next) {
        uintptr_t base = (uintptr_t)b;
        if (at < base || at - base > b->nbyte || n > b->nbyte - (at - base))
            continue;
        uintptr_t from = (at + page - 1) / page * page;
        uintptr_t to = (at + n) / page * page;
        if (to > from && b->mapped && !sn_budget_memory(a->budget))
            madvise((void *)from, to - from, MADV_DONTNEED);
        return;
    }
    for (const Map *m = a->space; m; m = m->next)
        if (p == m->p && n == m->n)
            madvise(m->p, n, MADV_DONTNEED);
}

void
sn_arena_unload_all(const SnArena *a)
{
    for (const Map *m = a->map; m; m = m->next)
        if (!m->only)
            madvise(m->p, m->n, MADV_DONTNEED);
}

void *
sn_alloc_n(SnArena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        sn_out_of_memory();
    return sn_alloc(a, n * size);
}

void *
sn_memdup(SnArena *a, const void *p, size_t nbyte)
{
    void *q = sn_alloc(a, nbyte);

    if (nbyte)
        memcpy(q, p, nbyte);
    return q;
}

char *
sn_strdup(SnArena *a, const char *s)
{
    return sn_memdup(a, s, strlen(s) + 1);
}

char *
sn_strndup(SnArena *a, const char *s, size_t n)
{
    const char *nul = n ? memchr(s, 0, n) : NULL;
    size_t len = nul ? (size_t)(nul - s) : n;

    if (len == SIZE_MAX)
        sn_out_of_memory();
    char *t = sn_alloc(a, len + 1);
    if (len)
        memcpy(t, s, len);
    return t;
}

char *
sn_vformat(SnArena *a, const char *fmt, va_list ap)
{
    char small[256], *s;
    va_list ap2;

    va_copy(ap2, ap);
    size_t n = sn_vprint(small, sizeof small, fmt, ap2);
    va_end(ap2);
    if (n < sizeof small)
        return sn_memdup(a, small, n + 1);
    s = sn_alloc(a, n + 1);
    sn_vprint(s, n + 1, fmt, ap);
    return s;
}

char *
sn_format(SnArena *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    char *s = sn_vformat(a, fmt, ap);
    va_end(ap);
    return s;
}

size_t
sn_arena_nbyte(const SnArena *a)
{
    return a->nbyte;
}

void *
sn_grow(SnArena *a, void *v, size_t n, size_t size)
{
    if (n & (n - 1))
        return v;
    if (n > SIZE_MAX / 2)
        sn_out_of_memory();
    void *w = sn_alloc_n(a, n ? 2 * n : 1, size);
    if (n)
        memcpy(w, v, n * size);
    return w;
}
