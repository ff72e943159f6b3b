// SPDX-License-Identifier: Apache-2.0
/* The table of hashes and the planner's index: what they find, and that the
 * work for n things grows like n, counted, not timed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/index.h"
#include "run/shelf.h"
#include "unit/arena.h"

static uint64_t
next_u64(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- the table ---- */

/* Hash i of each kind: counted up, spread, pointers, all but the top alike. */
static uint64_t
hash_of(int kind, uint32_t i)
{
    uint64_t seed = i;

    switch (kind) {
    case 0:
        return i;
    case 1:
        return next_u64(&seed);
    case 2:
        return UINT64_C(0x7f0000000000) + 48 * (uint64_t)i;
    default:
        return (uint64_t)i << 40;
    }
}

static void
table(void **state)
{
    enum { N = 100000 };

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        SnIndex x;
        sn_index_init(&x, a);
        size_t probe = 0;
        assert_int_equal(sn_index_next(&x, 0, &probe), SN_INDEX_END);
        for (uint32_t i = 0; i < N; i++)
            sn_index_add(&x, hash_of(kind, i), i);
        for (uint32_t i = 0; i < N; i++) {
            probe = 0;
            assert_int_equal(sn_index_next(&x, hash_of(kind, i), &probe), i);
            assert_int_equal(sn_index_next(&x, hash_of(kind, i), &probe),
                             SN_INDEX_END);
        }
        probe = 0;
        assert_int_equal(sn_index_next(&x, hash_of(kind, N + 7), &probe),
                         SN_INDEX_END);
        /* Half full: some slots a question, and one growth moves two. */
        assert_true(x.nprobe < 20 * (uint64_t)N);
    }
}

/* Numbers of one hash come in the order in which they were added, also after
 * the table has grown. */
static void
table_alike(void **state)
{
    SnIndex x;
    size_t probe = 0;

    (void)state;
    sn_index_init(&x, a);
    for (uint32_t i = 0; i < 3000; i++)
        sn_index_add(&x, i % 30 == 0 ? 7 : hash_of(1, i), i);
    for (uint32_t i = 0; i < 3000; i += 30)
        assert_int_equal(sn_index_next(&x, 7, &probe), i);
    assert_int_equal(sn_index_next(&x, 7, &probe), SN_INDEX_END);
}

/* ---- the planner ---- */

static size_t
room(const SnBlock *b)
{
    return (b->nbyte + SN_PLAN_ALIGN - 1) / SN_PLAN_ALIGN * SN_PLAN_ALIGN;
}

static int
by_place(const void *x, const void *y)
{
    const SnBlock *p = *(SnBlock *const *)x, *q = *(SnBlock *const *)y;

    return (p->offset > q->offset) - (p->offset < q->offset);
}

/* The lowest place of b among done[0..n), found by looking at them all. */
static size_t
first_fit(const SnBlock *b, SnBlock **done, uint32_t n)
{
    size_t at = 0;

    qsort(done, n, sizeof *done, by_place);
    for (uint32_t i = 0; i < n; i++) {
        const SnBlock *o = done[i];
        if (o->last < b->first || o->first > b->last ||
            o->offset + room(o) <= at)
            continue;
        if (o->offset >= at + room(b))
            break;
        at = o->offset + room(o);
    }
    return at;
}

static int
by_size(const void *x, const void *y)
{
    const SnBlock *p = *(SnBlock *const *)x, *q = *(SnBlock *const *)y;

    if (p->nbyte != q->nbyte)
        return p->nbyte > q->nbyte ? -1 : 1;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p > q) - (p < q);
}

static void
check_first_fit(const SnBlock *b, uint32_t n)
{
    SnBlock *c = SN_NEW_N(a, SnBlock, n);
    SnBlock **order = SN_NEW_N(a, SnBlock *, n);
    SnBlock **done = SN_NEW_N(a, SnBlock *, n);

    for (uint32_t i = 0; i < n; i++) {
        c[i] = b[i];
        order[i] = &c[i];
    }
    qsort(order, n, sizeof *order, by_size);
    for (uint32_t i = 0; i < n; i++) {
        order[i]->offset = first_fit(order[i], done, i);
        done[i] = order[i];
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(c[i].offset, b[i].offset);
}

static void
plan_as_first_fit(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t n = 1 + (uint32_t)(next_u64(&seed) % 120);
        uint64_t nstep = 1 + next_u64(&seed) % 100;
        uint64_t life = 1 + next_u64(&seed) % nstep;
        uint64_t sizes = 1 + next_u64(&seed) % 12;
        SnBlock *b = SN_NEW_N(a, SnBlock, n);
        for (uint32_t i = 0; i < n; i++) {
            b[i].nbyte = (size_t)(1 + 100 * (next_u64(&seed) % sizes));
            b[i].first = (uint32_t)(next_u64(&seed) % nstep);
            b[i].last = b[i].first + (uint32_t)(next_u64(&seed) % life);
        }
        sn_plan_blocks(a, b, n);
        check_first_fit(b, n);
    }
}

/* Lives of n blocks: all together; those of a chain that is read back; n that
 * are there from the start and go one by one; a chain; the second again, with
 * a short one at the start that leaves a hole. */
static SnBlock
life_of(int kind, uint32_t i, uint32_t n)
{
    SnBlock b = {.nbyte = 100, .first = i, .last = i + 1};

    if (kind == 0)
        b.last = n;
    else if (kind == 1)
        b.last = 2 * n - i;
    else if (kind == 2)
        b.first = 0;
    else if (kind == 4 && i > 0)
        b.last = 2 * n - i;
    return b;
}

static uint64_t
work_of(int kind, uint32_t n)
{
    SnBlock *b = SN_NEW_N(a, SnBlock, n);
    SnBlock **near = SN_NEW_N(a, SnBlock *, n);
    SnShelf *s = sn_shelf_new(a, 2 * n);
    uint64_t work = 0;

    /* Equal sizes: as sn_plan_blocks does, where nothing is free below. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t step;
        b[i] = life_of(kind, i, n);
        size_t at = sn_shelf_floor(s, &b[i], &step);
        uint32_t m = sn_shelf_near(s, &b[i], at, near);
        assert_true(m <= 1);
        if (m && near[0]->offset < at + room(&b[i]))
            at = near[0]->end;
        b[i].offset = at;
        b[i].end = at + room(&b[i]);
        sn_shelf_put(s, &b[i], step, near, m);
        work += m;
    }
    return work + sn_shelf_work(s);
}

static void
plan_work(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        uint64_t few = work_of(kind, 4000), many = work_of(kind, 32000);
        /* n log n: 8 times the blocks, 15 / 12 of the levels. */
        assert_true(many < 12 * few);
        assert_true(many < 400 * UINT64_C(32000));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(table, setup, teardown),
        cmocka_unit_test_setup_teardown(table_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(plan_as_first_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(plan_work, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
