// SPDX-License-Identifier: Apache-2.0
/* Threads that help a run.  The caller walks through its steps and offers the
 * parts of those that are cut; each awake thread takes one, and the caller
 * takes the rest.  So it never waits for a thread without a processor, except
 * for one that lost it in the middle of a part. */
#ifndef SN_TEAM_H
#define SN_TEAM_H

#include <stddef.h>

typedef struct SnTeam SnTeam;

enum { SN_TEAM_MAX = 64 }; /* members, and parts */

/* n members, 1 <= n <= SN_TEAM_MAX, the caller of sn_team_do among them; NULL
 * if threads or memory run out. */
SnTeam *sn_team_new(unsigned n);
void sn_team_free(SnTeam *t); /* NULL is allowed */

/* Calls fn(ctx, i) once for each part i of [0, n), part 0 on the caller's
 * thread, the others on any, and returns when all are done; the caller sees
 * what they wrote, and they see what it wrote before.  1 <= n <= SN_TEAM_MAX.
 * Called by one thread at a time.  Helpers stay awake for some 200 microseconds
 * when there is nothing to do, then sleep. */
void sn_team_do(SnTeam *t, unsigned n, void (*fn)(void *ctx, unsigned part),
                void *ctx);

/* Threads lent by the caller: run calls part(arg, i) once for each i below n,
 * on any threads, and returns 0 when all are done; any other number: it failed,
 * and no part is under way. */
typedef struct SnLent {
    int (*run)(void *ctx, size_t n, void (*part)(void *arg, size_t i),
               void *arg);
    void *ctx;
} SnLent;
typedef enum SnLentEnd {
    SN_LENT_DONE,
    SN_LENT_FAILED, /* run reported a failure */
    SN_LENT_WRONG   /* another number of parts than n was called */
} SnLentEnd;
/* As sn_team_do, but part 0 too may run on any thread.  *answer: the value that
 * run returned. */
SnLentEnd sn_lent_do(const SnLent *p, unsigned n,
                     void (*fn)(void *ctx, unsigned part), void *ctx,
                     int *answer);

/* Nanoseconds in which a cache line goes from one thread to another and back,
 * the least of a few tries; 0 when no second thread starts.  Virtual machines
 * may have their processors far apart for some seconds or minutes, which
 * makes everything on two threads slower: below SN_NEAR_NS they are near. */
double sn_team_roundtrip(void);
#define SN_NEAR_NS 150.0

#endif
