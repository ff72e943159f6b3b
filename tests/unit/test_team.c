// SPDX-License-Identifier: Apache-2.0
/* Threads that help a run: parts, and what happens when a step of a run fails
 * or memory runs out in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "graph/text/text.h"
#include "run/exec.h"
#include "base/team/team.h"

/* ---- parts ---- */

enum { MEMBERS = 5, ROUNDS = 400 };

typedef struct Count {
    int round, late;
    int at[SN_TEAM_MAX]; /* plain ints: only the team orders them */
    int wrong[SN_TEAM_MAX];
    pthread_t caller;
    bool moved; /* part 0 was elsewhere */
} Count;

/* Each part sees what the caller wrote, and that nobody had it before. */
static void
count(void *ctx, unsigned i)
{
    Count *c = ctx;

    if (i == 0)
        c->moved |= !pthread_equal(pthread_self(), c->caller);
    if (c->round % 100 == 0 && (int)i == c->late)
        usleep(2000);
    c->wrong[i] += c->at[i] != c->round - 1;
    c->at[i]++;
}

/* All parts are done once, whatever number there is of them and of members,
 * and whether helpers come in time, late or never. */
static void
parts(void **state)
{
    static const unsigned members[] = {1, 2, MEMBERS};
    static const unsigned nparts[] = {1, 2, MEMBERS, SN_TEAM_MAX};

    (void)state;
    for (int m = 0; m < 3; m++) {
        SnTeam *t = sn_team_new(members[m]);
        assert_non_null(t);
        for (int n = 0; n < 4; n++) {
            Count c = {.caller = pthread_self()};
            for (c.round = 1; c.round <= ROUNDS; c.round++) {
                c.late = c.round / 100;
                sn_team_do(t, nparts[n], count, &c);
                for (unsigned i = 0; i < nparts[n]; i++)
                    assert_int_equal(c.at[i], c.round);
            }
            for (unsigned i = 0; i < nparts[n]; i++)
                assert_int_equal(c.wrong[i], 0);
            assert_false(c.moved);
        }
        sn_team_free(t);
    }
    sn_team_free(NULL);
}

static void
roundtrip(void **state)
{
    double ns = sn_team_roundtrip();

    (void)state;
    /* 0 where there is one processor, or the other was never free; light
     * itself goes about 30 cm in a nanosecond. */
    assert_true(ns == 0 || ns > 1);
}

/* ---- runs that end early ---- */

static const char text[] = "sinter-graph 1\n"
                           "graph \"t\" {\n"
                           "  %x = Placeholder() : qi8<0.05, 3>[1,64,64,16]\n"
                           "  %a = Relu(%x) : qi8<0.04, -2>[1,64,64,16]\n"
                           "  %b = Tanh(%a) : qi8<0.0078125, 0>[1,64,64,16]\n"
                           "  %c = Abs(%b) : qi8<0.0078125, 0>[1,64,64,16]\n"
                           "  Save(%c) {name = \"y\"}\n"
                           "}\n";
enum { NVALUE = 64 * 64 * 16 };

static SnArena *arena;
static SnExec *exec;

static int
setup(void **state)
{
    SnGraph *g;
    const SnExec *x;

    (void)state;
    arena = sn_arena_new();
    SnDiag *d = sn_diag_new(arena);
    const SnSrc src = {"t.sn", text, sizeof text - 1, 0};
    if (sn_parse(arena, &src, NULL, d, &g) != SN_OK ||
        sn_exec_prepare(arena, g, sn_backend_named("CPU"), d, &x) != SN_OK ||
        x->nstep != 3)
        return 1;
    exec = sn_memdup(arena, x, sizeof *x);
    exec->step = sn_memdup(arena, x->step, x->nstep * sizeof *x->step);
    for (uint32_t i = 0; i < x->nstep; i++)
        exec->step[i].cost = INT64_MAX;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

/* A run may write over its input. */
static void
fill(SnRun *r)
{
    int8_t *x = sn_run_input(r, 0);

    for (int i = 0; i < NVALUE; i++)
        x[i] = (int8_t)(i * 7);
}

/* Step 1 as it is, or refused: a run writes down once what a step is called
 * with, so that the step of an executable that runs does not change. */
static SnExecStep whole;
static bool refuse;

static SnStatus
may_refuse(const SnCall *c)
{
    SnCall all = *c;

    all.u1 = whole.nunit;
    if (!refuse)
        return whole.fn(&all);
    strcpy(c->why, "not today");
    return SN_EINPUT;
}

static SnStatus
has_no_memory(const SnCall *c)
{
    sn_alloc_n(c->scratch, SIZE_MAX, 2);
    return SN_OK;
}

/* Step 1 by fn, on one thread between two that are cut. */
static SnRun *
run_with(SnEvalFn *fn)
{
    exec->step[1].fn = fn;
    exec->step[1].nunit = 1;
    SnRun *r = sn_run_team(arena, exec, 3);
    assert_non_null(r->team);
    assert_int_equal(sn_step_parts(&exec->step[0], 3), 3);
    assert_int_equal(sn_step_parts(&exec->step[1], 3), 1);
    return r;
}

static void
failing_step(void **state)
{
    SnRun *r;

    (void)state;
    whole = exec->step[1];
    r = run_with(may_refuse);
    refuse = true;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(sn_run(r), SN_EINPUT);
        assert_string_equal(r->why, "not today");
        assert_string_equal(r->where, "b");
    }
    refuse = false; /* the team works on */
    fill(r);
    assert_int_equal(sn_run(r), SN_OK);
    exec->step[1] = whole;
    SnRun *one = sn_run_new(arena, exec);
    fill(one);
    assert_int_equal(sn_run(one), SN_OK);
    assert_memory_equal(sn_run_output(r, 0), sn_run_output(one, 0), NVALUE);
    sn_run_free(one);
    sn_run_free(r);
}

static void
no_memory(void **state)
{
    const SnExecStep kept = exec->step[1];
    SnRun *volatile r = run_with(has_no_memory);
    volatile int ran_out = 0;
    SnGuard gu;

    (void)state;
    if (setjmp(gu.env)) {
        ran_out = 1;
    } else {
        sn_guard_push(&gu);
        sn_run(r);
        sn_guard_pop(&gu);
    }
    assert_int_equal(ran_out, 1);
    exec->step[1] = kept;
    sn_run_calls(r);
    assert_int_equal(sn_run(r), SN_OK);
    sn_run_free(r);
}

/* A hook sees each value when all of it is there. */
static void
see(void *ctx, SnRef ref, const SnTensor *t)
{
    const int8_t *y = t->data;
    uint32_t *sum = ctx;

    for (int i = 0; i < NVALUE; i++)
        sum[SN_NODE(ref) % 8] += (uint32_t)(y[i] + 128) * (uint32_t)(i + 1);
}

static void
hooks(void **state)
{
    uint32_t sum[2][8] = {{0}};

    (void)state;
    for (unsigned n = 1; n < 3; n++) {
        SnRun *r = sn_run_team(arena, exec, n);
        fill(r);
        r->hook = see;
        r->hook_ctx = sum[n - 1];
        assert_int_equal(sn_run(r), SN_OK);
        sn_run_free(r);
    }
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),        cmocka_unit_test(roundtrip),
        cmocka_unit_test(failing_step), cmocka_unit_test(no_memory),
        cmocka_unit_test(hooks),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
