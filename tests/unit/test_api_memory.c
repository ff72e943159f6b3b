// SPDX-License-Identifier: Apache-2.0
/* Memory that runs out on other threads than the first: each allocation of runs
 * and batches fails once, the call returns a status, and the next one is right.
 * What one thread does alone is in test_api.c. */
#include "sinter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "unit/scratch.h"

/* Large enough that its steps are cut. */
enum { ROWS = 64, DEEP = 128, WIDE = 96, NSAMPLE = 6, JOBS = 3, THREADS = 4 };

/* ---- memory that fails ---- */

typedef struct Heap {
    atomic_long fails_at; /* the n-th allocation from now on; 0: none */
    atomic_size_t held;
    atomic_uint elsewhere; /* that failed on a thread of its own */
    pthread_t first;
} Heap;

static void *
get(void *ctx, size_t n)
{
    Heap *h = ctx;

    if (atomic_load(&h->fails_at) > 0 &&
        atomic_fetch_sub(&h->fails_at, 1) == 1) {
        atomic_fetch_add(&h->elsewhere,
                         !pthread_equal(pthread_self(), h->first));
        return NULL;
    }
    void *p = malloc(n);
    if (p)
        atomic_fetch_add(&h->held, n);
    return p;
}

static void
release(void *ctx, void *p, size_t n)
{
    Heap *h = ctx;

    atomic_fetch_sub(&h->held, n);
    free(p);
}

/* ---- a product ---- */

static float x[NSAMPLE][ROWS * DEEP], want[NSAMPLE][ROWS * WIDE];

static SinterSession *
open_product(Heap *h, uint32_t threads)
{
    SinterConfig c = {
        .size = sizeof c, .alloc = get, .release = release, .alloc_ctx = h};
    SinterSessionConfig o = {.size = sizeof o, .threads = threads};
    SnArena *a = sn_arena_new();
    SinterSession *s;
    SinterModel *m;
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b, "sinter-graph 1\ngraph \"p\" {\n");
    sn_putf(&b, "  %%x = Placeholder() : f32[%d,%d]\n", ROWS, DEEP);
    sn_putf(&b, "  %%w = Constant() {data = [");
    for (int i = 0; i < WIDE * DEEP; i++)
        sn_putf(&b, "%s%d", i ? ", " : "", i * 37 % 23 - 11);
    sn_putf(&b, "]} : f32[%d,%d]\n", WIDE, DEEP);
    sn_putf(&b, "  %%f = FullyConnected(%%x, %%w) : f32[%d,%d]\n", ROWS, WIDE);
    sn_putf(&b, "  Save(%%f) {name = \"out\"}\n}\n");
    const char *text = sn_buf_str(&b);
    h->first = pthread_self();
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, text,
                                        strlen(text), "t.sn", NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    assert_int_equal(sinter_session_new(m, &o, &s, NULL), SINTER_OK);
    sinter_model_free(m);
    sn_arena_free(a);
    return s;
}

static int
fill(void **state)
{
    Heap h = {0};
    SinterSession *s = open_product(&h, 1);

    (void)state;
    for (int k = 0; k < NSAMPLE; k++) {
        const void *in[] = {x[k]};
        void *out[] = {want[k]};
        for (int i = 0; i < ROWS * DEEP; i++)
            x[k][i] = (float)((i + k) * 29 % 31 - 15) * 0.25F;
        if (sinter_session_run(s, in, out, NULL) != SINTER_OK)
            return -1;
    }
    sinter_session_free(s);
    return 0;
}

/* ---- sweeps ---- */

/* Does one thing with s; the first status that is not SINTER_OK. */
typedef SinterStatus Use(SinterSession *s);

static SinterStatus
use_batch(SinterSession *s)
{
    static float y[NSAMPLE][ROWS * WIDE];
    const void *in[] = {x};
    void *out[] = {y};

    memset(y, 0, sizeof y);
    SinterStatus st = sinter_session_run_batch(s, NSAMPLE, JOBS, in, out, NULL);
    if (st == SINTER_OK)
        assert_memory_equal(y, want, sizeof y);
    return st;
}

typedef struct Runner {
    SinterSession *s;
    pthread_barrier_t *all;
    SinterStatus status;
    bool right;
    float y[ROWS * WIDE];
} Runner;

static void *
run_one(void *of)
{
    Runner *r = of;
    const void *in[] = {x[1]};
    void *out[] = {r->y};

    pthread_barrier_wait(r->all);
    r->status = sinter_session_run(r->s, in, out, NULL);
    r->right = !memcmp(r->y, want[1], sizeof r->y);
    return NULL;
}

static SinterStatus
use_threads(SinterSession *s)
{
    static Runner r[THREADS];
    SinterStatus st = SINTER_OK;
    pthread_barrier_t all;
    pthread_t t[THREADS];

    assert_int_equal(pthread_barrier_init(&all, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        r[i].s = s;
        r[i].all = &all;
        assert_int_equal(pthread_create(&t[i], NULL, run_one, &r[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        assert_true(r[i].right || r[i].status != SINTER_OK);
        if (r[i].status != SINTER_OK)
            st = r[i].status;
    }
    pthread_barrier_destroy(&all);
    return st;
}

/* A new session each time: what one thread has made others find.  others: all
 * allocations are made on threads of their own. */
static void
sweep(Use *use, uint32_t threads, bool others)
{
    Heap h = {0};
    SinterStatus st = SINTER_ENOMEM;
    long n = 0;

    while (st == SINTER_ENOMEM) {
        SinterSession *s = open_product(&h, threads);
        atomic_store(&h.fails_at, ++n);
        st = use(s);
        bool met = atomic_exchange(&h.fails_at, 0) <= 0;
        assert_int_equal(st, met ? SINTER_ENOMEM : SINTER_OK);
        assert_int_equal(use(s), SINTER_OK);
        sinter_session_free(s);
        assert_int_equal(atomic_load(&h.held), 0);
    }
    assert_true(n > 3);
    assert_true(!others || atomic_load(&h.elsewhere) == n - 1);
    printf("%ld allocations of %u threads fail, %u of them elsewhere\n", n - 1,
           (unsigned)threads, atomic_load(&h.elsewhere));
}

static void
test_batch(void **state)
{
    (void)state;
    sweep(use_batch, 1, false);
    sweep(use_batch, 2, false);
}

static void
test_runs(void **state)
{
    (void)state;
    sweep(use_threads, 1, true);
    sweep(use_threads, 2, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_runs),
    };

    return cmocka_run_group_tests_name("api_memory", tests, fill, NULL);
}
