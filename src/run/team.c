// SPDX-License-Identifier: Apache-2.0
#include "run/team.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/os/os.h"

/* What is written by different threads lies on lines of its own. */
enum { LINE = 64 };

struct SnTeam {
    pthreadpool_t pool;
    unsigned n;
    void (*fn)(void *ctx, unsigned i);
    void *ctx;
    SnBudget *budget;                 /* of who made the team */
    int64_t ended;                    /* nanoseconds: the last run */
    _Alignas(LINE) atomic_uint here;  /* members that wait */
    _Alignas(LINE) atomic_uint round; /* meetings so far */
    _Alignas(LINE) atomic_uint asleep;
};

static void
relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

SnTeam *
sn_team_new(unsigned n)
{
    SnTeam *t = aligned_alloc(LINE, sizeof *t);

    if (!t)
        return NULL;
    *t = (SnTeam){.n = n, .budget = sn_budget_now()};
    t->pool = pthreadpool_create(n);
    if (!t->pool || pthreadpool_get_threads_count(t->pool) != n) {
        sn_team_free(t);
        return NULL;
    }
    return t;
}

void
sn_team_free(SnTeam *t)
{
    if (t && t->pool)
        pthreadpool_destroy(t->pool);
    free(t);
}

/* ---- regions ---- */

/* The pool gives each thread one member and nobody can take a second one:
 * none ends before all have begun, because they meet. */
static void
member(void *ctx, size_t i)
{
    SnTeam *t = ctx;
    SnBudget *was = sn_budget_use(t->budget);

    t->fn(t->ctx, (unsigned)i);
    sn_budget_use(was);
}

/* Runs this close behind each other keep the threads awake. */
enum { CLOSE_NS = 1000000 };

void
sn_team_run(SnTeam *t, void (*fn)(void *ctx, unsigned i), void *ctx)
{
    bool close = sn_now_ns() - t->ended < CLOSE_NS;

    t->fn = fn;
    t->ctx = ctx;
    pthreadpool_parallelize_1d(t->pool, member, t, t->n,
                               close ? 0 : PTHREADPOOL_FLAG_YIELD_WORKERS);
    t->ended = sn_now_ns();
}

/* ---- barrier ---- */

enum { SPINS = 1000, YIELDS = 200 };

static void
sleep_while(SnTeam *t, unsigned round)
{
    atomic_fetch_add(&t->asleep, 1);
    while (atomic_load(&t->round) == round)
        sn_os_wait(&t->round, round);
    atomic_fetch_sub(&t->asleep, 1);
}

void
sn_team_meet(SnTeam *t)
{
    unsigned round = atomic_load_explicit(&t->round, memory_order_relaxed);

    if (atomic_fetch_add(&t->here, 1) + 1 == t->n) {
        atomic_store_explicit(&t->here, 0, memory_order_relaxed);
        atomic_store(&t->round, round + 1);
        if (atomic_load(&t->asleep))
            sn_os_wake(&t->round);
        return;
    }
    for (int i = 0; i < SPINS + YIELDS; i++) {
        if (atomic_load_explicit(&t->round, memory_order_acquire) != round)
            return;
        if (i < SPINS)
            relax();
        else
            sched_yield();
    }
    sleep_while(t, round);
}

/* ---- distance ---- */

/* Who waits longer than LOST spins (some 30 ms) has lost its partner to
 * somebody else. */
enum { TRIPS = 50, TRIES = 200, LOST = 2000000, BALL_NS = 100000000 };

typedef struct Ball {
    _Alignas(LINE) atomic_int at; /* even: flies there, odd: back; < 0: over */
} Ball;

static int
wait_for(Ball *b, int odd)
{
    for (int i = 0; i < LOST; i++) {
        int v = atomic_load_explicit(&b->at, memory_order_acquire);
        if (v < 0 || (v & 1) == odd)
            return v;
        relax();
    }
    return -1;
}

static void *
respond(void *ctx)
{
    Ball *b = ctx;
    int v;

    atomic_store(&b->at, 1);
    while ((v = wait_for(b, 0)) >= 0)
        atomic_store_explicit(&b->at, v + 1, memory_order_release);
    return NULL;
}

double
sn_team_roundtrip(void)
{
    Ball b = {0};
    pthread_t other;
    double best = 0;
    int64_t first = sn_now_ns();

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2 ||
        pthread_create(&other, NULL, respond, &b))
        return 0;
    int v = wait_for(&b, 1);
    for (int i = 0; i < TRIES && v > 0 && sn_now_ns() - first < BALL_NS; i++) {
        int64_t t0 = sn_now_ns();
        for (int k = 0; k < TRIPS && v > 0; k++) {
            atomic_store_explicit(&b.at, v + 1, memory_order_release);
            v = wait_for(&b, 1);
        }
        double ns = (double)(sn_now_ns() - t0) / TRIPS;
        if (v > 0 && (best == 0 || ns < best))
            best = ns;
    }
    atomic_store(&b.at, -1);
    pthread_join(other, NULL);
    return best;
}
