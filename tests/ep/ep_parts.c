// SPDX-License-Identifier: Apache-2.0
/* How graphs are divided into parts, on drawn graphs: what sn_ep_parts promises
 * is looked up in the closure of who depends on whom. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ep/ep_part.h"

enum { MAX = 40 };

typedef struct Drawn {
    SnArena *a;
    uint64_t seed;
    SnEpDag g;
    bool can[MAX];
    uint32_t part[MAX], npart;
    uint32_t whole[MAX]; /* the part, or a number of its own */
} Drawn;

static uint32_t
draw(Drawn *d, uint32_t n)
{
    d->seed = d->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(d->seed >> 33) % n;
}

static void
draw_graph(Drawn *d)
{
    uint32_t n = 1 + draw(d, MAX), dense = 1 + draw(d, 3);
    uint32_t taken = 1 + draw(d, 8), name[MAX];

    d->g.n = n;
    d->g.nbefore = SN_NEW_N(d->a, uint32_t, n);
    d->g.before = SN_NEW_N(d->a, uint32_t *, n);
    for (uint32_t i = 0; i < n; i++) { /* numbers are in no order */
        uint32_t k = draw(d, i + 1);
        name[i] = name[k];
        name[k] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        d->can[i] = draw(d, 8) < taken;
        for (uint32_t e = draw(d, dense + 1); i > 0 && e > 0; e--)
            SN_PUSH(
                d->a, d->g.before[name[i]], d->g.nbefore[name[i]],
                name[draw(d, 3) && i > 3 ? i - 1 - draw(d, 3) : draw(d, i)]);
    }
}

/* reach[x][y]: whole y depends on whole x. */
static void
close_over(const Drawn *d, const uint32_t *whole, bool (*reach)[2 * MAX])
{
    memset(reach, 0, sizeof(bool[2 * MAX][2 * MAX]));
    for (uint32_t i = 0; i < d->g.n; i++)
        for (uint32_t b = 0; b < d->g.nbefore[i]; b++)
            if (whole[d->g.before[i][b]] != whole[i])
                reach[whole[d->g.before[i][b]]][whole[i]] = true;
    for (uint32_t k = 0; k < 2 * MAX; k++)
        for (uint32_t i = 0; i < 2 * MAX; i++)
            for (uint32_t j = 0; reach[i][k] && j < 2 * MAX; j++)
                reach[i][j] = reach[i][j] || reach[k][j];
}

/* A circle over wholes, where there is one. */
static bool
is_circular(const Drawn *d, const uint32_t *whole)
{
    static bool reach[2 * MAX][2 * MAX];

    close_over(d, whole, reach);
    for (uint32_t i = 0; i < 2 * MAX; i++)
        if (reach[i][i])
            return true;
    return false;
}

static void
check(Drawn *d)
{
    bool seen[MAX + 1] = {false};
    uint32_t other[MAX];

    for (uint32_t i = 0; i < d->g.n; i++) {
        assert_int_equal(d->part[i] != 0, d->can[i]);
        assert_true(d->part[i] <= d->npart);
        seen[d->part[i]] = true;
        d->whole[i] = d->part[i] ? d->part[i] : MAX + i;
    }
    for (uint32_t p = 1; p <= d->npart; p++)
        assert_true(seen[p]);
    assert_false(is_circular(d, d->whole));
    for (uint32_t p = 1; p <= d->npart; p++)
        for (uint32_t q = p + 1; q <= d->npart; q++) {
            for (uint32_t i = 0; i < d->g.n; i++)
                other[i] = d->whole[i] == q ? p : d->whole[i];
            assert_true(is_circular(d, other)); /* could not be one */
        }
}

static void
test_drawn(void **state)
{
    uint32_t most = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Drawn d = {.a = sn_arena_new(), .seed = seed * 977 + 1};
        draw_graph(&d);
        d.npart = sn_ep_parts(d.a, &d.g, d.can, d.part);
        check(&d);
        most = d.npart > most ? d.npart : most;
        sn_arena_free(d.a);
    }
    assert_true(most > 3);
}

/* Two that can be taken around one that cannot: no part holds both. */
static void
test_around(void **state)
{
    uint32_t zero = 0, both[] = {0, 1}, *before[] = {NULL, &zero, both};
    uint32_t nbefore[] = {0, 1, 2}, part[3];
    SnEpDag g = {3, nbefore, before};
    SnArena *a = sn_arena_new();

    (void)state;
    assert_int_equal(sn_ep_parts(a, &g, (bool[]){true, false, true}, part), 2);
    assert_int_equal(part[1], 0);
    assert_int_not_equal(part[0], part[2]);
    assert_int_equal(sn_ep_parts(a, &g, (bool[]){true, true, true}, part), 1);
    assert_int_equal(sn_ep_parts(a, &g, (bool[]){false, true, true}, part), 1);
    assert_int_equal(part[1], part[2]);
    sn_arena_free(a);
}

/* Nothing is taken of a graph that is none. */
static void
test_circle(void **state)
{
    uint32_t zero = 0, one = 1, *before[] = {&one, &zero};
    uint32_t nbefore[] = {1, 1}, part[2];
    SnEpDag g = {2, nbefore, before};
    SnArena *a = sn_arena_new();

    (void)state;
    assert_int_equal(sn_ep_parts(a, &g, (bool[]){true, true}, part), 0);
    assert_int_equal(part[0], 0);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_around),
        cmocka_unit_test(test_circle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
