// SPDX-License-Identifier: Apache-2.0
/* Threads that walk through a run together.  One parallel region covers a
 * whole run: inside it the members meet at barriers, which costs some tenths
 * of a microsecond where handing out work anew costs several. */
#ifndef SN_TEAM_H
#define SN_TEAM_H

#include <stddef.h>

typedef struct SnTeam SnTeam;

/* n members, the caller of sn_team_run among them; NULL when threads or
 * memory are short. */
SnTeam *sn_team_new(unsigned n);
void sn_team_free(SnTeam *t); /* NULL is allowed */

/* Calls fn(ctx, i) for each member i of [0, n) at once, 0 on the caller's
 * thread, and waits for all.  Each must meet the others at least once.  The
 * threads stay awake for some milliseconds when runs follow one another, and
 * sleep otherwise. */
void sn_team_run(SnTeam *t, void (*fn)(void *ctx, unsigned i), void *ctx);

/* Returns when all members have called it; what any wrote before, all see
 * after.  Waits awake for about 20 microseconds, then lets others have the
 * processor, then sleeps. */
void sn_team_meet(SnTeam *t);

/* Nanoseconds in which a cache line goes from one thread to another and back,
 * the least of a few tries; 0 when no second thread starts.  Virtual machines
 * may have their processors far apart for some seconds or minutes, which
 * makes everything on two threads slower: below SN_NEAR_NS they are near. */
double sn_team_roundtrip(void);
#define SN_NEAR_NS 150.0

#endif
