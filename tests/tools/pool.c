// SPDX-License-Identifier: Apache-2.0
/* What run/team.c calls of pthreadpool, for make tsan: ThreadSanitizer has to
 * see how threads meet, and Debian's library is compiled without it.  A region
 * gives each thread one item, the caller item 0. */
#include <pthreadpool.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct Worker {
    struct pthreadpool *pool;
    size_t item;
    pthread_t thread;
} Worker;

struct pthreadpool {
    pthread_mutex_t lock;
    pthread_cond_t begins, ended;
    size_t n;       /* threads, the caller among them */
    size_t round;   /* regions so far */
    size_t running; /* workers that have not ended theirs */
    bool over;
    pthreadpool_task_1d_t fn;
    void *ctx;
    Worker worker[]; /* [n]; 0 is the caller and unused */
};

static void *
work(void *arg)
{
    Worker *w = arg;
    struct pthreadpool *p = w->pool;

    pthread_mutex_lock(&p->lock);
    for (size_t done = 0;; done++) {
        while (p->round == done && !p->over)
            pthread_cond_wait(&p->begins, &p->lock);
        if (p->round == done)
            break;
        pthreadpool_task_1d_t fn = p->fn;
        void *ctx = p->ctx;
        pthread_mutex_unlock(&p->lock);
        fn(ctx, w->item);
        pthread_mutex_lock(&p->lock);
        if (--p->running == 0)
            pthread_cond_signal(&p->ended);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

pthreadpool_t
pthreadpool_create(size_t n)
{
    struct pthreadpool *p = calloc(1, sizeof *p + n * sizeof *p->worker);

    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begins, NULL);
    pthread_cond_init(&p->ended, NULL);
    p->n = 1;
    for (size_t i = 1; i < n; i++, p->n++) {
        p->worker[i] = (Worker){.pool = p, .item = i};
        if (pthread_create(&p->worker[i].thread, NULL, work, &p->worker[i])) {
            pthreadpool_destroy(p);
            return NULL;
        }
    }
    return p;
}

size_t
pthreadpool_get_threads_count(pthreadpool_t p)
{
    return p->n;
}

void
pthreadpool_parallelize_1d(pthreadpool_t p, pthreadpool_task_1d_t fn, void *ctx,
                           size_t range, uint32_t flags)
{
    (void)flags;
    if (range != p->n)
        abort(); /* a team has as many members as its pool has threads */
    pthread_mutex_lock(&p->lock);
    p->fn = fn;
    p->ctx = ctx;
    p->running = range - 1;
    p->round++;
    pthread_cond_broadcast(&p->begins);
    pthread_mutex_unlock(&p->lock);
    fn(ctx, 0);
    pthread_mutex_lock(&p->lock);
    while (p->running)
        pthread_cond_wait(&p->ended, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void
pthreadpool_destroy(pthreadpool_t p)
{
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_broadcast(&p->begins);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 1; i < p->n; i++)
        pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->ended);
    pthread_cond_destroy(&p->begins);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
