// SPDX-License-Identifier: Apache-2.0
/* Runs on threads of the caller's: sinter_session_run_on. */
#include "sinter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "unit/scratch.h"

/* Large enough that its steps are cut. */
enum { ROWS = 64, DEEP = 128, WIDE = 96, THREADS = 4, NRUN = 3 };

static SinterSession *
open_product(SnArena *a, uint32_t threads)
{
    SinterSessionConfig c = {.size = sizeof c, .threads = threads};
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
    assert_int_equal(sinter_model_parse(NULL, SINTER_FORMAT_SN, text,
                                        strlen(text), "t.sn", NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    assert_int_equal(sinter_session_new(m, &c, &s, NULL), SINTER_OK);
    sinter_model_free(m);
    return s;
}

/* ---- a pool ---- */

typedef enum How {
    BACKWARDS, /* on the caller's thread */
    AT_ONCE,   /* each part on a thread of its own */
    FAILS,
    DROPS,  /* a part */
    TWICE,  /* the same */
    BEYOND, /* with a number that there is not */
    NESTED  /* a run of the same session in a part of another */
} How;

typedef struct Pool {
    How how;
    SinterSession *s;
    atomic_uint ncall, npart;
} Pool;

typedef struct Part {
    SinterPartFn *part;
    void *arg;
    size_t i;
} Part;

static void *
run_part(void *of)
{
    const Part *p = of;

    p->part(p->arg, p->i);
    return NULL;
}

static void run_inside(SinterSession *s);

static int
run_parts(void *ctx, size_t n, SinterPartFn *part, void *arg)
{
    Pool *p = ctx;
    pthread_t t[64];
    Part one[64];

    atomic_fetch_add(&p->ncall, 1);
    atomic_fetch_add(&p->npart, (unsigned)n);
    if (p->how == FAILS)
        return 7;
    if (p->how == NESTED)
        run_inside(p->s);
    if (p->how == BEYOND)
        part(arg, n);
    for (size_t i = 0; i < n && p->how == AT_ONCE; i++) {
        one[i] = (Part){part, arg, i};
        if (pthread_create(&t[i], NULL, run_part, &one[i]) != 0)
            abort();
    }
    for (size_t i = n; i-- > (p->how == DROPS);)
        if (p->how == AT_ONCE)
            pthread_join(t[i], NULL);
        else
            part(arg, i);
    if (p->how == TWICE)
        part(arg, 0);
    return 0;
}

/* ---- runs ---- */

static float x[ROWS * DEEP], want[ROWS * WIDE];

static void
fill(void)
{
    for (int i = 0; i < ROWS * DEEP; i++)
        x[i] = (float)(i * 29 % 31 - 15) * 0.3F;
}

static SinterStatus
run_on(SinterSession *s, const SinterPool *pool, SinterError *e)
{
    float y[ROWS * WIDE] = {0};
    const void *in[] = {x};
    void *out[] = {y};

    SinterStatus st = sinter_session_run_on(s, pool, in, out, e);
    if (st == SINTER_OK && memcmp(y, want, sizeof y) != 0)
        abort();
    return st;
}

static void
run_own(SinterSession *s)
{
    float y[ROWS * WIDE];
    const void *in[] = {x};
    void *out[] = {y};

    if (sinter_session_run(s, in, out, NULL) != SINTER_OK ||
        memcmp(y, want, sizeof y) != 0)
        abort();
}

static void
run_inside(SinterSession *s)
{
    Pool inner = {.how = BACKWARDS};
    const SinterPool pool = {sizeof pool, run_parts, &inner};

    run_own(s);
    if (run_on(s, &pool, NULL) != SINTER_OK)
        abort();
}

static void
set_want(SnArena *a)
{
    SinterSession *s = open_product(a, 1);
    const void *in[] = {x};
    void *out[] = {want};

    fill();
    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    sinter_session_free(s);
}

static void
test_bits(void **state)
{
    static const How hows[] = {BACKWARDS, AT_ONCE, NESTED};
    SnArena *a = sn_arena_new();
    SinterSession *s = open_product(a, THREADS);

    (void)state;
    set_want(a);
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++) {
        Pool p = {.how = hows[h], .s = s};
        const SinterPool pool = {sizeof pool, run_parts, &p};
        for (int i = 0; i < NRUN; i++) {
            assert_int_equal(run_on(s, &pool, NULL), SINTER_OK);
            run_own(s);
        }
        assert_int_equal(p.ncall, NRUN);
        assert_int_equal(p.npart, NRUN * THREADS);
    }
    sinter_session_free(s);
    s = open_product(a, 1); /* nothing to share */
    Pool p = {.how = FAILS};
    const SinterPool pool = {sizeof pool, run_parts, &p};
    assert_int_equal(run_on(s, &pool, NULL), SINTER_OK);
    assert_int_equal(p.ncall, 0);
    sinter_session_free(s);
    sn_arena_free(a);
}

static void
test_errors(void **state)
{
    static const struct {
        How how;
        const char *message;
    } tried[] = {
        {FAILS, "failed with 7"},
        {DROPS, "did not run each of 4 parts once before it returned"},
        {TWICE, "did not run each of 4 parts once before it returned"},
        {BEYOND, "did not run each of 4 parts once before it returned"},
    };
    SnArena *a = sn_arena_new();
    SinterSession *s = open_product(a, THREADS);
    SinterError e;

    (void)state;
    set_want(a);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        Pool p = {.how = tried[i].how};
        const SinterPool pool = {sizeof pool, run_parts, &p};
        assert_int_equal(run_on(s, &pool, &e), SINTER_EUSAGE);
        assert_string_equal(e.where, "pool");
        assert_string_equal(e.message, tried[i].message);
        p.how = BACKWARDS; /* the session is as it was */
        assert_int_equal(run_on(s, &pool, &e), SINTER_OK);
    }
    sinter_session_free(s);
    sn_arena_free(a);
}

static void
test_arguments(void **state)
{
    struct {
        SinterPool pool;
        int later; /* of another version */
    } more = {{sizeof more, run_parts, NULL}, 1};
    const SinterPool small = {1, run_parts, NULL}, none = {.size = sizeof none};
    SnArena *a = sn_arena_new();
    SinterSession *s = open_product(a, 2);
    SinterError e;

    (void)state;
    assert_int_equal(run_on(s, NULL, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "SinterPool");
    assert_string_equal(e.message, "is NULL");
    assert_int_equal(run_on(s, &none, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "run is NULL");
    assert_int_equal(run_on(s, &small, &e), SINTER_EUSAGE);
    assert_non_null(strstr(e.message, "its size is not set"));
    assert_int_equal(run_on(s, &more.pool, &e), SINTER_EUSAGE);
    assert_non_null(strstr(e.message, "a later version"));
    sinter_session_free(s);
    sn_arena_free(a);
}

/* ---- memory ---- */

typedef struct Heap {
    long until; /* the allocation that fails; 0: none */
    long held;
} Heap;

static void *
get(void *ctx, size_t n)
{
    Heap *h = ctx;

    if (h->until && --h->until == 0)
        return NULL;
    h->held++;
    return malloc(n);
}

static void
release(void *ctx, void *p, size_t n)
{
    (void)n;
    ((Heap *)ctx)->held--;
    free(p);
}

static void
test_memory(void **state)
{
    static const char text[] = "sinter-graph 1\ngraph \"p\" {\n"
                               "  %x = Placeholder() : f32[64,128]\n"
                               "  %y = Relu(%x) : f32[64,128]\n"
                               "  Save(%y) {name = \"out\"}\n}\n";
    Heap h = {0, 0};
    SinterConfig c = {
        .size = sizeof c, .alloc = get, .release = release, .alloc_ctx = &h};
    SinterSessionConfig o = {.size = sizeof o, .threads = THREADS};
    Pool p = {.how = BACKWARDS};
    const SinterPool pool = {sizeof pool, run_parts, &p};
    static float y[64 * 128];
    const void *in[] = {x};
    void *out[] = {y};
    SinterSession *s;
    SinterModel *m;
    SinterError e;
    long n = 0;

    (void)state;
    fill();
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, text,
                                        strlen(text), "t.sn", NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    assert_int_equal(sinter_session_new(m, &o, &s, NULL), SINTER_OK);
    sinter_model_free(m);
    for (;;) {
        h.until = ++n;
        SinterStatus st = sinter_session_run_on(s, &pool, in, out, &e);
        if (st == SINTER_OK)
            break;
        assert_int_equal(st, SINTER_ENOMEM);
    }
    assert_true(n > 2);
    h.until = 0;
    long held = h.held;
    assert_int_equal(sinter_session_run_on(s, &pool, in, out, &e), SINTER_OK);
    assert_int_equal(h.held, held);
    sinter_session_free(s);
    assert_int_equal(h.held, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
