// SPDX-License-Identifier: Apache-2.0
#include "base/team/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/os/os.h"

/* Data written by different threads lies on separate cache lines. */
enum { LINE = 64 };

typedef struct Helper {
    SnTeam *t;
    unsigned i; /* of its first choice of parts */
    pthread_t thread;
} Helper;

struct SnTeam {
    SnBudget *budget;                /* of the team's creator */
    void (*fn)(void *ctx, unsigned); /* of the current parts */
    void *ctx;
    int64_t alone_until; /* nanoseconds: helpers are not used before this
                            time */
    _Alignas(LINE) _Atomic uint64_t free; /* a bit for each part nobody took */
    _Alignas(LINE) atomic_uint left;      /* parts that are not done */
    atomic_bool waited_for;          /* the caller sleeps until left is 0 */
    _Alignas(LINE) atomic_uint bell; /* rings when there are parts */
    atomic_uint asleep;              /* helpers that sleep until then */
    atomic_bool over;
    _Alignas(LINE) unsigned nhelper;
    Helper helper[SN_TEAM_MAX];
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

/* A waiting thread spins for some 20 microseconds, then yields the processor,
 * and sleeps after AWAKE_NS. */
enum { SPINS = 1000, AWAKE_NS = 200000 };

/* Whether *at leaves `value` before it is time to sleep. */
static bool
leaves(atomic_uint *at, unsigned value)
{
    int64_t from;

    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(at, memory_order_acquire) != value)
            return true;
        relax();
    }
    from = sn_now_ns();
    do {
        sched_yield();
        if (atomic_load_explicit(at, memory_order_acquire) != value)
            return true;
    } while (sn_now_ns() - from < AWAKE_NS);
    return false;
}

/* ---- parts ---- */

/* Takes part `first`, or another, if one is free. */
static bool
take(SnTeam *t, unsigned first, unsigned *part)
{
    uint64_t v = atomic_load_explicit(&t->free, memory_order_relaxed);

    while (v) {
        unsigned p = first;
        for (unsigned k = 0; !(v >> p & 1); k++)
            p = k;
        if (atomic_compare_exchange_weak_explicit(
                &t->free, &v, v & ~(UINT64_C(1) << p), memory_order_acquire,
                memory_order_relaxed)) {
            *part = p;
            return true;
        }
    }
    return false;
}

/* A thread with a part keeps the caller waiting: fn and ctx are those of the
 * part until it is done. */
static void
help(SnTeam *t, unsigned first)
{
    unsigned p;

    while (take(t, first, &p)) {
        t->fn(t->ctx, p);
        if (atomic_fetch_sub(&t->left, 1) == 1 && atomic_load(&t->waited_for))
            sn_os_wake(&t->left);
    }
}

static void *
helper(void *arg)
{
    const Helper *h = arg;
    SnTeam *t = h->t;

    sn_budget_use(t->budget);
    for (;;) {
        unsigned bell = atomic_load(&t->bell); /* rings after over is set */
        if (atomic_load(&t->over))
            return NULL;
        help(t, h->i);
        if (leaves(&t->bell, bell))
            continue;
        atomic_fetch_add(&t->asleep, 1);
        while (atomic_load(&t->bell) == bell)
            sn_os_wait(&t->bell, bell);
        atomic_fetch_sub(&t->asleep, 1);
    }
}

static void
ring(SnTeam *t)
{
    atomic_fetch_add(&t->bell, 1);
    if (atomic_load(&t->asleep))
        sn_os_wake(&t->bell);
}

/* A helper that lost its processor in the middle of a part makes the caller
 * wait until it gets the processor back.  On an overloaded machine this happens
 * again and again: the caller then works alone for ALONE times as long as it
 * waited in vain. */
enum { ALONE = 4, LATE_NS = 200000, ALONE_MOST_NS = 50000000 };

static void
wait_for_helpers(SnTeam *t, int64_t from)
{
    int64_t own = sn_now_ns() - from, late;
    unsigned v;

    while ((v = atomic_load_explicit(&t->left, memory_order_acquire)) != 0) {
        if (leaves(&t->left, v))
            continue;
        atomic_store(&t->waited_for, true);
        while ((v = atomic_load(&t->left)) != 0)
            sn_os_wait(&t->left, v);
        atomic_store(&t->waited_for, false);
    }
    late = sn_now_ns() - from - 2 * own;
    if (late < LATE_NS)
        return;
    late = late > ALONE_MOST_NS / ALONE ? ALONE_MOST_NS : late * ALONE;
    t->alone_until = sn_now_ns() + late;
}

void
sn_team_do(SnTeam *t, unsigned n, void (*fn)(void *ctx, unsigned part),
           void *ctx)
{
    int64_t from = sn_now_ns();
    unsigned done = 1, p;

    if (from < t->alone_until) {
        for (unsigned i = 0; i < n; i++)
            fn(ctx, i);
        return;
    }
    t->fn = fn;
    t->ctx = ctx;
    atomic_store_explicit(&t->left, n, memory_order_relaxed);
    atomic_store(&t->free, (UINT64_MAX >> (64 - n)) & ~UINT64_C(1));
    ring(t);
    fn(ctx, 0);
    for (; take(t, 1, &p); done++)
        fn(ctx, p);
    if (atomic_fetch_sub(&t->left, done) != done)
        wait_for_helpers(t, from);
}

/* ---- teams ---- */

SnTeam *
sn_team_new(unsigned n)
{
    SnTeam *t = aligned_alloc(LINE, sizeof *t);

    if (!t)
        return NULL;
    *t = (SnTeam){.budget = sn_budget_now()};
    for (unsigned i = 0; i + 1 < n; i++) {
        Helper *h = &t->helper[i];
        *h = (Helper){.t = t, .i = i + 1};
        if (pthread_create(&h->thread, NULL, helper, h)) {
            sn_team_free(t);
            return NULL;
        }
        t->nhelper++;
    }
    return t;
}

void
sn_team_free(SnTeam *t)
{
    if (!t)
        return;
    atomic_store(&t->over, true);
    ring(t);
    for (unsigned i = 0; i < t->nhelper; i++)
        pthread_join(t->helper[i].thread, NULL);
    free(t);
}

/* ---- threads of the caller ---- */

typedef struct Task {
    void (*fn)(void *ctx, unsigned part);
    void *ctx;
    SnBudget *budget;
    unsigned n;
    atomic_uint ndone;
} Task;

/* fn trusts its numbers: one that is out of range is only counted. */
static void
lent_part(void *arg, size_t i)
{
    Task *l = arg;

    if (i < l->n) {
        SnBudget *was = sn_budget_use(l->budget);
        l->fn(l->ctx, (unsigned)i);
        sn_budget_use(was);
    }
    atomic_fetch_add(&l->ndone, i < l->n ? 1 : SN_TEAM_MAX + 1);
}

SnLentEnd
sn_lent_do(const SnLent *p, unsigned n, void (*fn)(void *ctx, unsigned part),
           void *ctx, int *answer)
{
    Task l = {.fn = fn, .ctx = ctx, .budget = sn_budget_now(), .n = n};

    *answer = p->run(p->ctx, n, lent_part, &l);
    if (*answer)
        return SN_LENT_FAILED;
    return atomic_load(&l.ndone) == n ? SN_LENT_DONE : SN_LENT_WRONG;
}

/* ---- distance ---- */

/* A thread that waits longer than LOST spins (some 30 ms) has lost its partner
 * to another program. */
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
