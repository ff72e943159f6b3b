// SPDX-License-Identifier: Apache-2.0
/* Arenas: blocks, maps, pages, and guards for memory that there is not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"

static void
test_arena(void **state)
{
    SnArena *a = sn_arena_new();
    char *last = NULL;

    (void)state;
    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *p = sn_alloc(a, n);
        assert_true((uintptr_t)p % (n >= 64 ? 64 : 16) == 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xa5, n);
        assert_ptr_not_equal(p, last);
        last = (char *)p;
    }
    char *big = sn_alloc(a, 5 << 20);
    assert_int_equal(big[(5 << 20) - 1], 0);
    big[(5 << 20) - 1] = 1;
    assert_true((uintptr_t)big % 64 == 0);
    assert_true(sn_arena_nbyte(a) > 5 << 20);
    assert_ptr_not_equal(sn_alloc(a, 0), sn_alloc(a, 0));
    assert_string_equal(sn_strndup(a, "abcdef", 3), "abc");
    assert_string_equal(sn_strndup(a, "ab", 30), "ab");
    assert_string_equal(sn_strndup(a, "ab", SIZE_MAX), "ab");
    assert_string_equal(sn_strdup(a, ""), "");
    assert_string_equal(sn_format(a, "%d-%s", 42, "x"), "42-x");
    assert_string_equal(sn_memdup(a, "xyz", 4), "xyz");
    sn_arena_free(a);
    sn_arena_free(NULL);
}

/* Blocks grow with an arena, and stay a part of it: a block is requested for
 * hundreds of kilobytes, and a third more than was asked for is the most. */
static void
test_arena_grows(void **state)
{
    enum { PIECE = 1000, ALL = 64 << 20 };
    SnArena *a = sn_arena_new();
    size_t nblock = 0, nbyte = sn_arena_nbyte(a);

    (void)state;
    for (size_t n = PIECE; n < ALL; n += PIECE) {
        memset(sn_alloc(a, PIECE), 1, PIECE);
        nblock += sn_arena_nbyte(a) != nbyte;
        nbyte = sn_arena_nbyte(a);
        assert_true(nbyte <= n + n / 3 + (3 << 20));
    }
    assert_true(nblock < 48);
    sn_arena_free(a);
}

static void
add_one(void *n)
{
    ++*(int *)n;
}

/* What was written is gone, and so is the memory of all but one block. */
static void
test_arena_clear(void **state)
{
    SnArena *a = sn_arena_new();
    size_t most = 0;
    int nfreed = 0;

    (void)state;
    sn_arena_clear(a); /* nothing yet */
    for (int k = 0; k < 50; k++) {
        sn_arena_at_free(a, add_one, &nfreed);
        for (size_t i = 1; i < 400; i++) {
            unsigned char *p = sn_alloc(a, i);
            for (size_t j = 0; j < i; j++)
                assert_int_equal(p[j], 0);
            memset(p, 0xa5, i);
        }
        memset(sn_alloc(a, 3 << 20), 0xa5, 3 << 20);
        sn_arena_clear(a);
        assert_int_equal(nfreed, k + 1);
        if (k < 10)
            most = sn_arena_nbyte(a);
        assert_true(sn_arena_nbyte(a) <= most);
        assert_true(sn_arena_nbyte(a) < 1 << 20);
    }
    sn_arena_free(a);
    assert_int_equal(nfreed, 50);
}

/* A mapped file reads the same after its pages were let go; other memory is
 * left alone. */
static void
test_map(void **state)
{
    enum { N = 5 * 4096 + 77 };
    SnArena *a = sn_arena_new();
    FILE *f = tmpfile();
    unsigned char *mine = sn_alloc(a, N);

    (void)state;
    assert_non_null(f);
    for (int i = 0; i < N; i++) {
        mine[i] = (unsigned char)(i * 7 + i / 256);
        fputc(mine[i], f);
    }
    fflush(f);
    const unsigned char *p = sn_arena_map(a, fileno(f), N);
    assert_non_null(p);
    assert_memory_equal(p, mine, N);
    sn_arena_unload(a, p, N);
    sn_arena_unload(a, p + 100, 9000);
    sn_arena_unload(a, p + N - 10, 10);
    sn_arena_unload(a, p + 10, N); /* past the end: nothing */
    sn_arena_unload(a, mine, N);
    assert_memory_equal(p, mine, N);
    assert_int_equal(mine[4500], (unsigned char)(4500 * 7 + 4500 / 256));
    fclose(f);
    assert_memory_equal(p, mine, N);
    assert_null(sn_arena_map(a, -1, N));
    sn_arena_free(a);
}

/* Pages are zero, and what was given back is lost. */
static void
test_pages(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 5 * page + 77;
    SnArena *a = sn_arena_new();
    unsigned char *p = sn_arena_pages(a, n);

    (void)state;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 0);
    memset(p, 7, n);
    sn_arena_unload(a, p, 3 * page + 5);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], i < 3 * page ? 0 : 7);
    sn_arena_unload_all(a); /* of files alone */
    for (size_t i = 3 * page; i < n; i++)
        assert_int_equal(p[i], 7);
    assert_true(sn_arena_nbyte(a) >= n);
    sn_arena_free(a);
}

/* Addresses that become memory, which unloading leaves alone. */
static void
test_space(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 5 * page + 77;
    SnArena *a = sn_arena_new();
    unsigned char *p = sn_arena_space(a, n);
    size_t before = sn_arena_nbyte(a);

    (void)state;
    assert_non_null(p);
    sn_arena_unload_all(a);
    sn_arena_open(a, p, n);
    assert_int_equal(sn_arena_nbyte(a), before + n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 0);
    memset(p, 7, n);
    sn_arena_unload(a, p, n);
    sn_arena_unload_all(a);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 7);
    sn_arena_drop(a, p, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 0);
    assert_null(sn_arena_space(a, SIZE_MAX / 2));
    sn_arena_free(a);
}

/* A unit again and again, at every place, also after it was let go. */
static void
test_repeat(void **state)
{
    static const unsigned char one[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const size_t sizes[] = {1, 100, 1 << 16, (1 << 18) + 24};
    SnArena *a = sn_arena_new();

    (void)state;
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t k = 0; k < 4; k++) {
            const unsigned char *p = sn_arena_repeat(a, one, size, sizes[k]);
            assert_non_null(p);
            for (size_t i = 0; i < sizes[k]; i++)
                assert_int_equal(p[i], one[i % size]);
            sn_arena_unload(a, p, sizes[k]);
            assert_int_equal(p[0], 1);
            sn_arena_unload_all(a);
            assert_int_equal(p[sizes[k] - 1], one[(sizes[k] - 1) % size]);
        }
    assert_null(sn_arena_repeat(a, one, 1, SIZE_MAX));
    sn_arena_free(a);
}

static void
test_grow(void **state)
{
    SnArena *a = sn_arena_new();
    int *v = NULL;
    unsigned n = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        SN_PUSH(a, v, n, 3 * i);
    assert_int_equal(n, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v[i], 3 * i);
    n = 5;
    SN_PUSH(a, v, n, -1);
    assert_int_equal(v[5], -1);
    assert_int_equal(v[4], 12);
    sn_arena_free(a);
}

/* Some work that needs many blocks.  Whether it came through. */
static bool
work(SnArena *a)
{
    SnGuard gu;

    if (setjmp(gu.env))
        return false;
    sn_guard_push(&gu);
    SnBuf b;
    sn_buf_init(&b, a);
    for (int i = 0; i < 5000; i++)
        sn_putf(&b, "%d ", i);
    sn_alloc(a, 100000);
    sn_guard_pop(&gu);
    return true;
}

static void
test_alloc_fail(void **state)
{
    unsigned long n = 1;

    (void)state;
    for (;; n++) {
        SnArena *a = sn_arena_new();
        sn_alloc_fail_at(n);
        bool ok = work(a);
        sn_alloc_fail_at(0);
        /* The arena stays usable, and a second try isn't refused. */
        assert_true(work(a));
        sn_arena_free(a);
        if (ok)
            break;
    }
    assert_true(n > 4);
}

static void
test_guard_nesting(void **state)
{
    SnArena *a = sn_arena_new();
    SnGuard outer, inner;
    volatile int step = 0;

    (void)state;
    if (setjmp(outer.env)) {
        assert_int_equal(step, 2);
        step = 3;
    } else {
        sn_guard_push(&outer);
        if (setjmp(inner.env)) {
            assert_int_equal(step, 1);
            step = 2;
            sn_alloc_n(a, SIZE_MAX / 2, 4); /* goes to the outer guard */
            fail();
        }
        sn_guard_push(&inner);
        step = 1;
        sn_alloc(a, SIZE_MAX);
        fail();
    }
    assert_int_equal(step, 3);
    if (!setjmp(outer.env)) {
        sn_guard_push(&outer);
        sn_alloc_fail_at(1);
        sn_arena_new();
        fail();
    }
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_grows),
        cmocka_unit_test(test_arena_clear),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_alloc_fail),
        cmocka_unit_test(test_guard_nesting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
