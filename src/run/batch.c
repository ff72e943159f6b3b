// SPDX-License-Identifier: Apache-2.0
#include "run/batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"

typedef struct Shared {
    const SnBatch *b;
    _Atomic int64_t next;   /* the next sample to take */
    _Atomic int64_t failed; /* lowest failed sample so far, or nsample */
    pthread_mutex_t lock;   /* guards the fields below */
    int64_t why_sample;
    SnStatus status;
    char why[SN_WHY], where[SN_WHY];
    SnTrip trip; /* with SN_ENOMEM */
} Shared;

typedef struct Worker {
    Shared *sh;
    unsigned index;
    SnBudget *budget; /* of the caller */
    pthread_t thread;
    bool started;
} Worker;

unsigned
sn_batch_njob(unsigned wanted, unsigned nthread, int64_t nsample)
{
    long n = wanted ? (long)wanted
                    : sysconf(_SC_NPROCESSORS_ONLN) / (nthread ? nthread : 1);

    if (n > SN_MAXJOB)
        n = SN_MAXJOB;
    if (n > nsample)
        n = (long)nsample;
    return n < 1 ? 1 : (unsigned)n;
}

/* r NULL: a worker's memory ran out. */
static void
note_failure(Shared *sh, int64_t sample, SnStatus st, const SnRun *r)
{
    pthread_mutex_lock(&sh->lock);
    if (sample < atomic_load(&sh->failed)) {
        atomic_store(&sh->failed, sample);
        sh->why_sample = sample;
        sh->status = st;
        if (r) {
            snprintf(sh->where, sizeof sh->where, "%s",
                     r->where ? r->where : "input");
            memcpy(sh->why, r->why, sizeof sh->why);
        }
        sh->trip = *sn_budget_trip();
    }
    pthread_mutex_unlock(&sh->lock);
}

static void
show_progress(const SnBatch *b, int64_t done)
{
    if (b->progress && done % 16 == 0)
        fprintf(stderr, "\r%lld / %lld", (long long)done,
                (long long)b->nsample);
}

static void
show_end(const SnBatch *b, unsigned njob, double s)
{
    if (b->progress)
        fprintf(stderr,
                "\r%lld samples in %.2f s, %.0f a second, %u at a "
                "time\n",
                (long long)b->nsample, s, (double)b->nsample / (s > 0 ? s : 1),
                njob);
}

static void
run_samples(Shared *sh, unsigned index, SnRun *r)
{
    const SnBatch *b = sh->b;

    if (b->start)
        b->start(b->ctx, index, r);
    for (;;) {
        int64_t i = atomic_fetch_add(&sh->next, 1);
        if (i >= b->nsample || i > atomic_load(&sh->failed))
            return;
        if (b->more && !b->more(b->ctx, i))
            return;
        r->where = NULL;
        r->why[0] = '\0';
        SnStatus st = b->fill(b->ctx, i, r);
        if (st == SN_OK)
            st = sn_run(r);
        if (st != SN_OK)
            note_failure(sh, i, st, r);
        else if (b->done)
            b->done(b->ctx, index, i, r);
        show_progress(b, i + 1);
    }
}

static void *
worker_main(void *arg)
{
    Worker *w = arg;
    SnArena *volatile a = NULL;
    SnGuard gu;

    if (setjmp(gu.env)) {
        note_failure(w->sh, -1, SN_ENOMEM, NULL);
        sn_arena_free(a);
        return NULL;
    }
    sn_budget_use(w->budget);
    sn_guard_push(&gu);
    a = sn_arena_new();
    SnRun *r = sn_run_team(a, w->sh->b->x, w->sh->b->nthread);
    run_samples(w->sh, w->index, r);
    if (w->sh->b->stop)
        w->sh->b->stop(w->sh->b->ctx, w->index, r);
    sn_run_free(r);
    sn_guard_pop(&gu);
    sn_arena_free(a);
    return NULL;
}

SnStatus
sn_batch_run(const SnBatch *b, SnDiag *d)
{
    Shared sh = {.b = b, .status = SN_OK};
    Worker w[SN_MAXJOB] = {{0}};
    unsigned n = sn_batch_njob(b->njob, b->nthread, b->nsample);
    double from = sn_now();

    atomic_store(&sh.failed, b->nsample);
    pthread_mutex_init(&sh.lock, NULL);
    for (unsigned i = 0; i < n; i++) {
        w[i].sh = &sh;
        w[i].index = i;
        w[i].budget = sn_budget_now();
        w[i].started = i > 0 && pthread_create(&w[i].thread, NULL, worker_main,
                                               &w[i]) == 0;
    }
    worker_main(&w[0]);
    for (unsigned i = 1; i < n; i++)
        if (w[i].started)
            pthread_join(w[i].thread, NULL);
    pthread_mutex_destroy(&sh.lock);
    if (sh.status == SN_ENOMEM)
        return sn_fail_trip(d, &sh.trip);
    if (sh.status != SN_OK)
        return sn_fail(d, sh.status, sh.where, "sample %lld: %s",
                       (long long)sh.why_sample, sh.why[0] ? sh.why : "failed");
    show_end(b, n, sn_now() - from);
    return SN_OK;
}
