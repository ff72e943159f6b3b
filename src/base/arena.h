// SPDX-License-Identifier: Apache-2.0
/* Arenas own all memory: objects live until their arena is freed as a whole.
 * Allocation never returns NULL: when memory runs out, or the budget of the
 * thread that made the arena (budget.h), control goes to the innermost SN_GUARD
 * of the thread, or, without one, the process prints a line and exits with
 * SN_ENOMEM. */
#ifndef SN_ARENA_H
#define SN_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnArena SnArena;

SnArena *sn_arena_new(void);
void sn_arena_free(SnArena *a); /* NULL is allowed */
/* As sn_arena_free and sn_arena_new at once; the memory that small objects came
 * from last stays for those that come next. */
void sn_arena_clear(SnArena *a);
/* Has fn(ctx) called when a is freed, the latest first. */
void sn_arena_at_free(SnArena *a, void (*fn)(void *ctx), void *ctx);

/* Zeroed memory, aligned for any scalar (64 bytes when nbyte >= 64).  nbyte 0
 * gives a unique pointer. */
void *sn_alloc(SnArena *a, size_t nbyte);
/* What is allocated next comes from one piece of nbyte, which may be of large
 * pages, and a spare part, which is not: for many large objects.  Memory that
 * is not used is not taken. */
void sn_arena_reserve(SnArena *a, size_t nbyte, size_t spare);
/* n * size with overflow treated as out of memory. */
void *sn_alloc_n(SnArena *a, size_t n, size_t size);
void *sn_memdup(SnArena *a, const void *p, size_t nbyte);
char *sn_strdup(SnArena *a, const char *s);
char *sn_strndup(SnArena *a, const char *s, size_t n);
char *sn_format(SnArena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
char *sn_vformat(SnArena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* n bytes (more than 0) of the open regular file fd, to be read only, as long
 * as the arena lives; they are fetched when they are looked at.  NULL when the
 * file cannot be mapped.  The file must not be changed in place meanwhile. */
const void *sn_arena_map(SnArena *a, int fd, size_t n);
/* As sn_arena_map, for a file that is read as a whole soon: it is mapped where
 * large pages are possible, so that some MiB of it are in memory at a time. */
const void *sn_arena_map_whole(SnArena *a, int fd, size_t n);
/* n bytes (more than 0), zero, of which sn_arena_unload gives back what is not
 * needed any more: it is lost then, and reads as zero. */
void *sn_arena_pages(SnArena *a, size_t n);
/* Reserves addresses for n > 0 bytes that take no memory and cannot be read.
 * NULL: none are left, or a host program supplies the memory.  sn_arena_open
 * makes them n zero bytes; called once, with the p and n of sn_arena_space. */
void *sn_arena_space(SnArena *a, size_t n);
void sn_arena_open(SnArena *a, void *p, size_t n);
/* n read-only bytes (more than 0) that repeat `one`, of size bytes (1, 2, 4 or
 * 8). They are one short unnamed file, mapped many times, and the system may
 * drop their pages. NULL where that cannot be done, and for 4 GiB and more. */
const void *sn_arena_repeat(SnArena *a, const void *one, size_t size, size_t n);
/* [p, p + n) will not be read soon: whole pages of it are released if they
 * belong to a file that a maps (they are read again when needed) or to
 * sn_arena_pages. Other memory is left alone. */
void sn_arena_unload(const SnArena *a, const void *p, size_t n);
/* [p, p + n), memory of a, is not needed any more: its whole pages are given
 * back where that can be done, and read as zero then. */
void sn_arena_drop(const SnArena *a, const void *p, size_t n);
/* As sn_arena_unload for all files that a maps, and for nothing else. */
void sn_arena_unload_all(const SnArena *a);
size_t sn_arena_nbyte(const SnArena *a); /* bytes obtained from the system */

/* The arenas made under one budget, the oldest first: for budget.c.  NULL: no
 * memory.  Freeing the list frees those that are left. */
typedef struct SnArenaList SnArenaList;
SnArenaList *sn_arena_list_new(void);
void sn_arena_list_free(SnArenaList *l);

#define SN_NEW(a, T) ((T *)sn_alloc((a), sizeof(T)))
#define SN_NEW_N(a, T, n) ((T *)sn_alloc_n((a), (size_t)(n), sizeof(T)))

/* Makes room for one more element in an arena array whose capacity is the
 * next power of two above n; returns the (moved) array.  The caller stores at
 * [n] and then adds one.  v must have been grown from NULL by sn_grow alone,
 * or hold exactly a power of two of elements; n may have shrunk since. */
void *sn_grow(SnArena *a, void *v, size_t n, size_t size);
#define SN_PUSH(a, v, n, x)                                \
    do {                                                   \
        (v) = sn_grow((a), (v), (size_t)(n), sizeof *(v)); \
        (v)[(n)++] = (x);                                  \
    } while (0)

/* Out-of-memory guards.  Usage:
 *     SnGuard gu;
 *     if (setjmp(gu.env)) { ... memory ran out below ... return SN_ENOMEM; }
 *     sn_guard_push(&gu);  ...  sn_guard_pop(&gu);
 * When memory runs out the guard is popped before control goes to it.  What
 * was opened below (files, arenas) is the guard's to close; locals changed
 * after setjmp must be volatile. */
typedef struct SnGuard {
    jmp_buf env;
    struct SnGuard *up;
} SnGuard;
void sn_guard_push(SnGuard *gu);
void sn_guard_pop(SnGuard *gu);
/* Control goes to the innermost guard; sn_budget_trip (budget.h) says why. */
void sn_guard_jump(void) __attribute__((noreturn));

/* For tests: this thread's n-th block request from now (sn_arena_new is one)
 * fails once; 0 switches off. */
void sn_alloc_fail_at(unsigned long n);

#ifdef __cplusplus
}
#endif

#endif
