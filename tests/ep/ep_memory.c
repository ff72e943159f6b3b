// SPDX-License-Identifier: Apache-2.0
/* Each allocation of the provider fails once, from the library's first call to
 * its last, in a runtime of our own (fake.h) that holds one graph: whatever is
 * called then returns a status or does its work, and nothing stays held.  And
 * how many sessions of a part are kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ep/fake.h"

/* ---- memory (the linker puts these in place of the calls) ---- */

static atomic_long fails_at, ncall, live;

static bool
fails(void)
{
    return atomic_fetch_add(&ncall, 1) + 1 == atomic_load(&fails_at);
}

static void *
count(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void *__real_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);
void *__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at);

void *
__wrap_malloc(size_t n)
{
    return fails() ? NULL : count(__real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : count(__real_calloc(n, size));
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
    return fails() ? NULL : count(__real_aligned_alloc(align, n));
}

void
__wrap_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __real_free(p);
}

char *
__wrap_strdup(const char *s)
{
    char *p = __wrap_malloc(strlen(s) + 1);

    return p ? strcpy(p, s) : NULL;
}

void *
__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
    return fails() ? MAP_FAILED : __real_mmap(p, n, prot, flags, fd, at);
}

/* ---- one graph ---- */

static const char *keep; /* option context_enable */

static const float weight[8] = {1, -2, 3, 0.5F, -1, 2, 0.25F, 4};
static const OrtValueInfo x = {.name = "x", 1, 2, {-1, 4}, NULL, 0},
                          y = {.name = "y", 1, 2, {-1, 4}, NULL, 0},
                          w = {"w", 1, 2, {4, 2}, weight, sizeof weight},
                          a = {.name = "a", 1, 2, {-1, 4}, NULL, 0},
                          s = {.name = "s", 1, 2, {-1, 4}, NULL, 0},
                          p = {.name = "p", 1, 2, {-1, 2}, NULL, 0},
                          q = {.name = "q", 1, 2, {-1, 2}, NULL, 0};
/* What takes a block of memory of its own. */
static float many[1 << 18];
static const OrtValueInfo large = {"value", 1, 1, {1 << 18}, many, sizeof many};
static OrtOpAttr attr = {
    .name = "value", .type = ORT_A_TENSOR, .tensor = &large};
static const OrtNode nodes[] = {
    {.op = "Add", 2, 1, {&x, &y}, {&a}, NULL},
    {.op = "Sin", 1, 1, {&y}, {&s}, &attr}, /* is not taken */
    {.op = "MatMul", 2, 1, {&a, &w}, {&p}, NULL},
    {.op = "Relu", 1, 1, {&p}, {&q}, NULL},
};
static const OrtGraph whole = {
    4, 2, {&nodes[0], &nodes[1], &nodes[2], &nodes[3]}, {&q, &s}};
static const OrtGraph part = {3, 1, {&nodes[0], &nodes[2], &nodes[3]}, {&q}};
static const OrtNode fused = {.op = "f", 2, 1, {&y, &x}, {&q}, NULL};

/* ---- everything that is called, until something fails ---- */

enum { MOST = 40 }; /* rows of a batch */

/* Row r of an input is one of these, so that each batch is another. */
static const float xs[12] = {1, 2, 3, 4, 0, 1, 0, -1, 2, 2, 2, 2};
static const float ys[12] = {0, 1, 0, 1, -3, 0, 1, 0, 1, 1, 1, -8};

/* Batches of n: (x + y) * w, cut at 0.  *right: that is what comes. */
static OrtStatus *
run(OrtCompute *c, void *state, int64_t n, bool *right)
{
    float in[2][4 * MOST], out[2 * MOST];
    OrtContext k = {.in = {y, x}, .out = {q}}; /* as the fused node has them */

    for (int64_t i = 0; i < 4 * n; i++) {
        in[0][i] = ys[i % 12];
        in[1][i] = xs[i % 12];
    }
    k.in[0].dim[0] = k.in[1].dim[0] = n;
    k.in[0].data = in[0];
    k.in[1].data = in[1];
    k.out[0].data = out;
    k.out[0].nbyte = sizeof out;
    OrtStatus *st = c->compute(c, state, &k);
    *right = true;
    for (int64_t i = 0; i < n && !st; i++)
        for (int j = 0; j < 2; j++) {
            float sum = 0;
            for (int e = 0; e < 4; e++)
                sum +=
                    (in[0][4 * i + e] + in[1][4 * i + e]) * weight[2 * e + j];
            *right = *right && out[2 * i + j] == (sum > 0 ? sum : 0);
        }
    return st;
}

static OrtStatus *
use_compute(OrtCompute *c)
{
    static const int64_t sizes[] = {1, 2, 3, 2};
    void *state;
    bool right;
    OrtStatus *st = c->start(c, NULL, &state);

    if (st)
        return st;
    for (int i = 0; i < 4 && !st; i++) {
        st = run(c, state, sizes[i], &right);
        assert_true(right);
    }
    c->end(c, state);
    return st;
}

/* What is between the library's first call and its last. */
typedef struct Use {
    OrtFactory *factory;
    OrtEp *ep;
    OrtCompute *c;
} Use;

static OrtStatus *
begin(Use *u, size_t *nclaimed)
{
    const OrtGraph *g = &part;
    const OrtNode *f = &fused;
    OrtNode *context = NULL;
    OrtStatus *st;

    *u = (Use){NULL, NULL, NULL};
    fake.nfused = 0;
    u->factory = fake_factory(&st);
    if (st)
        return st;
    st = u->factory->create(u->factory, NULL, NULL, 0, NULL, NULL, &u->ep);
    if (st)
        return st;
    st = u->ep->capability(u->ep, &whole, NULL);
    *nclaimed = fake.nfused;
    if (!st)
        st = u->ep->compile(u->ep, &g, &f, 1, &u->c, &context);
    if (!st)
        assert_int_equal(context != NULL, *keep == '1');
    __real_free(context);
    return st;
}

static void
finish(Use *u)
{
    if (u->c)
        u->ep->release_computes(u->ep, &u->c, 1);
    if (u->ep)
        u->factory->release(u->factory, u->ep);
    if (u->factory)
        assert_null(ReleaseEpFactory(u->factory));
}

static OrtStatus *
use_all(size_t *nclaimed)
{
    Use u;
    OrtStatus *st = begin(&u, nclaimed);

    if (!st)
        st = use_compute(u.c);
    finish(&u);
    return st;
}

static void
set_options(const char *of_shapes, const char *of_keep)
{
    keep = of_keep;
    fake_option("sinter.bits", "contract");
    fake_option("sinter.shapes", of_shapes);
    fake_option("context_enable", keep);
    fake_option("context_embed_mode", keep);
}

static void
sweep(const char *what)
{
    long n = 0, nfail = 0, held, calls;
    size_t nclaimed;

    assert_null(use_all(&nclaimed));
    assert_int_equal(nclaimed, 3);
    held = atomic_load(&live);
    do {
        atomic_store(&ncall, 0);
        atomic_store(&fails_at, ++n);
        OrtStatus *st = use_all(&nclaimed);
        calls = atomic_load(&ncall);
        atomic_store(&fails_at, 0);
        if (st) {
            assert_non_null(strstr(fake_text(st), "out of memory"));
            fake_release(st);
            nfail++;
        } else {
            assert_int_equal(nclaimed, 3);
        }
        assert_int_equal(fake.held, 0);
        assert_int_equal(atomic_load(&live), held);
    } while (calls >= n);
    printf("%ld of %ld allocations end in a status%s\n", nfail, n - 1, what);
    assert_true(nfail > 100);
}

static void
test_memory(void **state)
{
    (void)state;
    set_options(NULL, "0");
    sweep("");
}

/* Statuses of the runtime are released where there is no room for their
 * texts. */
static void
test_statuses(void **state)
{
    (void)state;
    set_options(NULL, "0");
    attr.type = 0;
    sweep(", where an attribute cannot be read");
    attr.type = ORT_A_TENSOR;
}

static void
test_few_shapes(void **state)
{
    (void)state;
    set_options("1", "0");
    sweep(", where sessions take each other's place");
}

static void
test_context(void **state)
{
    (void)state;
    set_options(NULL, "1");
    sweep(", where contexts are made");
}

/* ---- how many sessions are kept ---- */

/* Allocations of a batch of n. */
static long
calls_of(const Use *u, int64_t n)
{
    bool right;

    atomic_store(&ncall, 0);
    assert_null(run(u->c, NULL, n, &right));
    assert_true(right);
    return atomic_load(&ncall);
}

/* As many as option shapes says, those that were used last. */
static void
test_bound(void **state)
{
    size_t nclaimed;
    Use u;

    (void)state;
    set_options("2", "0");
    assert_null(begin(&u, &nclaimed));
    calls_of(&u, 1); /* its session is there from the beginning */
    assert_true(calls_of(&u, 2) > 0);
    assert_int_equal(calls_of(&u, 2), 0);
    assert_int_equal(calls_of(&u, 1), 0);
    long held = atomic_load(&live);
    assert_true(calls_of(&u, 3) > 0); /* in the place of 2 */
    assert_int_equal(calls_of(&u, 1), 0);
    assert_true(calls_of(&u, 2) > 0); /* of 3 */
    assert_int_equal(calls_of(&u, 1), 0);
    assert_true(calls_of(&u, 3) > 0);
    for (int64_t n = 4; n <= MOST; n++)
        assert_true(calls_of(&u, n) > 0);
    calls_of(&u, 2);
    calls_of(&u, 1);
    assert_int_equal(atomic_load(&live), held);
    finish(&u);
    assert_int_equal(fake.held, 0);
}

enum { NTHREAD = 4, NRUN = 200 };
typedef struct Lane {
    const Use *u;
    uint32_t seed;
    bool right;
    pthread_t thread;
} Lane;

static void *
run_lane(void *of)
{
    Lane *l = of;
    bool right;

    l->right = true;
    for (int i = 0; i < NRUN; i++) {
        l->seed = l->seed * 1664525 + 1013904223;
        int64_t n = 1 + (l->seed >> 16) % 5;
        l->right = !run(l->u->c, NULL, n, &right) && right && l->right;
    }
    return NULL;
}

/* A session that runs on one thread is not taken away by another. */
static void
test_threads(void **state)
{
    Lane l[NTHREAD];
    size_t nclaimed;
    Use u;

    (void)state;
    set_options("1", "0");
    assert_null(begin(&u, &nclaimed));
    for (uint32_t i = 0; i < NTHREAD; i++) {
        l[i] = (Lane){.u = &u, .seed = i};
        assert_int_equal(pthread_create(&l[i].thread, NULL, run_lane, &l[i]),
                         0);
    }
    for (int i = 0; i < NTHREAD; i++) {
        pthread_join(l[i].thread, NULL);
        assert_true(l[i].right);
    }
    finish(&u);
    assert_int_equal(fake.held, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_few_shapes), cmocka_unit_test(test_context),
        cmocka_unit_test(test_bound),      cmocka_unit_test(test_threads),
    };

    fake.take = __real_malloc;
    fake.give = __real_free;
    fake.fails = fails;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
