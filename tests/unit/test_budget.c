// SPDX-License-Identifier: Apache-2.0
/* Budgets: what is charged and given back, what a trip says, what is freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"

/* Runs fn under b; whether a limit was met. */
static bool
stopped(SnBudget *b, void (*fn)(void *ctx), void *ctx)
{
    SnGuard gu;

    if (setjmp(gu.env)) {
        sn_budget_use(NULL);
        return true;
    }
    sn_guard_push(&gu);
    sn_budget_use(b);
    sn_budget_at(NULL, NULL);
    fn(ctx);
    sn_guard_pop(&gu);
    sn_budget_use(NULL);
    return false;
}

static SnBudget *
of(uint64_t memory, uint64_t ops, uint64_t nodes)
{
    const SnLimits l = {.memory = memory, .ops = ops, .nodes = nodes};

    return sn_budget_new(&l);
}

static void
check_trip(const char *where, const char *text, const char *option)
{
    assert_string_equal(sn_budget_trip()->where, where);
    assert_string_equal(sn_budget_trip()->text, text);
    if (option)
        assert_string_equal(sn_budget_trip()->option, option);
    else
        assert_null(sn_budget_trip()->option);
}

/* ---- memory ---- */

static void
two_at_once(void *ctx)
{
    SnArena *a = sn_arena_new(), *b = sn_arena_new();

    (void)ctx;
    sn_alloc(a, 600000);
    sn_budget_at("folding", "r (ReduceSum)");
    sn_alloc(b, 600000);
}

static void
one_after_the_other(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < 100; i++) {
        SnArena *a = sn_arena_new();
        sn_alloc(a, 600000);
        sn_arena_free(a);
    }
}

static void
cleared(void *ctx)
{
    SnArena *a = sn_arena_new();

    (void)ctx;
    for (int i = 0; i < 100; i++) {
        sn_alloc(a, 600000);
        sn_arena_clear(a);
    }
    sn_arena_free(a);
}

static void
reserved(void *ctx)
{
    SnArena *a = sn_arena_new();
    size_t n = *(const size_t *)ctx;

    sn_arena_reserve(a, 900000, 0); /* takes nothing */
    for (size_t i = 0; i < n; i++)
        sn_alloc(a, 100000);
    sn_arena_free(a);
}

static void
test_memory(void **state)
{
    SnBudget *b = of(1000000, 0, 0);
    size_t six = 6, twelve = 12;

    (void)state;
    assert_true(stopped(b, two_at_once, NULL));
    check_trip("r (ReduceSum)",
               "folding asks for 600 kB of memory in addition to the 600 kB in "
               "use; the limit is 1 MB",
               "--max-memory");
    sn_budget_free(b); /* and both arenas: a leak is an error of make san */
    b = of(1000000, 0, 0);
    assert_false(stopped(b, one_after_the_other, NULL));
    assert_false(stopped(b, cleared, NULL));
    assert_false(stopped(b, reserved, &six));
    assert_true(stopped(b, reserved, &twelve));
    sn_budget_free(b);
}

static void
count(void *ctx)
{
    ++*(int *)ctx;
}

static void
leaves_one(void *ctx)
{
    sn_arena_at_free(sn_arena_new(), count, ctx);
    sn_charge(SN_CHARGE_UNROLL, UINT64_MAX);
}

static void
test_left(void **state)
{
    SnBudget *b = of(0, 0, 0);
    int n = 0;

    (void)state;
    assert_true(stopped(b, leaves_one, &n));
    assert_int_equal(n, 0);
    sn_budget_free(b);
    assert_int_equal(n, 1);
}

static void *
other_thread(void *ctx)
{
    assert_true(stopped(ctx, two_at_once, NULL));
    return NULL;
}

static void
test_thread(void **state)
{
    SnBudget *b = of(1000000, 0, 0);
    pthread_t t;

    (void)state;
    assert_int_equal(pthread_create(&t, NULL, other_thread, b), 0);
    pthread_join(t, NULL);
    sn_budget_free(b);
}

/* ---- what is in proportion to files ---- */

typedef struct Charge {
    uint64_t model, beside;
    SnCharge what;
    uint64_t n;
} Charge;

static void
charge(void *ctx)
{
    const Charge *c = ctx;

    if (c->model)
        sn_budget_model(c->model);
    sn_budget_beside(c->beside);
    sn_budget_at("import", "m.onnx: node 'y' (LSTM)");
    sn_charge(c->what, c->n - 1);
    sn_charge(c->what, 1);
}

static void
test_proportion(void **state)
{
    const uint64_t base = UINT64_C(1) << 17;
    Charge at = {1000, 500, SN_CHARGE_UNROLL, base + 1500};
    Charge past = {1000, 500, SN_CHARGE_UNROLL, base + 1501};
    SnBudget *b = of(0, 0, 0);

    (void)state;
    assert_false(stopped(b, charge, &at));
    sn_budget_free(b);
    b = of(0, 0, 0);
    assert_true(stopped(b, charge, &past));
    check_trip(
        "m.onnx: node 'y' (LSTM)",
        "loops unroll to 132.6 k nodes; the limit for files of 1.5 kB is "
        "132.6 k nodes",
        "--max-nodes");
    sn_budget_free(b);
    b = of(0, 0, 200000); /* what is given counts, whatever the file */
    assert_false(stopped(b, charge, &past));
    sn_budget_free(b);
    b = of(0, 0, 1000);
    assert_true(stopped(b, charge, &at));
    check_trip("m.onnx: node 'y' (LSTM)",
               "loops unroll to 132.6 k nodes; the limit is 1 k nodes",
               "--max-nodes");
    sn_budget_free(b);
}

/* ---- models ---- */

typedef struct Model {
    const char *text;
} Model;

static void
load(void *ctx)
{
    const Model *m = ctx;
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnSrc src = {.name = "t.sn", .text = m->text};
    SnGraph *g;

    src.nbyte = strlen(m->text);
    assert_int_equal(sn_parse(a, &src, NULL, d, &g), SN_OK);
    sn_arena_free(a);
}

static void
test_nodes(void **state)
{
    Model m = {.text = "sinter-graph 1\ngraph \"g\" {\n"
                       "  %x = Placeholder() : f32[4]\n"
                       "  %a = Relu(%x) : f32[4]\n"
                       "  %b = Relu(%a) : f32[4]\n"
                       "  Save(%b) {name = \"y\"}\n}\n"};
    SnBudget *b = of(0, 0, 4);

    (void)state;
    assert_false(stopped(b, load, &m));
    sn_budget_free(b);
    b = of(0, 0, 3);
    assert_true(stopped(b, load, &m));
    check_trip("sinter", "the graph has 4 nodes; the limit is 3 nodes",
               "--max-nodes");
    sn_budget_free(b);
}

/* Charges of single nodes: products, sums, and elements of results.  Shapes
 * say all, also where a map needs data to run. */
static void
test_ops(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"g\" {\n"
        "  %x = Placeholder() : f32[4,100]\n"
        "  %t = Placeholder() : f32[10,3]\n"
        "  %i = Placeholder() : i64[6]\n"
        "  %o = Placeholder() : i64[3]\n"
        "  %w = Placeholder() : f32[100,7]\n"
        "  %v, %n = TopK(%x) {k = 5} : (f32[4,5], i64[4,5])\n"
        "  %bag = EmbeddingBag(%t, %i, %o) : f32[2,3]\n"
        "  %m = MatMul(%x, %w) : f32[4,7]\n"
        "  %r = Relu(%m) : f32[4,7]\n"
        "  Save(%v) {name = \"v\"}\n  Save(%n) {name = \"n\"}\n"
        "  Save(%bag) {name = \"b\"}\n  Save(%r) {name = \"r\"}\n}\n";
    static const struct {
        const char *name;
        uint64_t charge;
    } want[] = {
        {"v", 4 * 100 + 2 * 20},
        {"bag", 2 * (6 * 3) + 6},
        {"m", 2 * (4 * 7 * 100) + 28},
        {"r", 28 + 28},
    };
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnSrc src = {.name = "t.sn", .text = text, .nbyte = sizeof text - 1};
    SnGraph *g;

    (void)state;
    if (sn_parse(a, &src, NULL, d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_int_equal(sn_node_charge(g, SN_NODE(sn_find(g, want[i].name))),
                         want[i].charge);
    sn_arena_free(a);
}

static void
nothing(void *ctx)
{
    (void)ctx;
    sn_budget_at("running", "g");
}

static void
test_time(void **state)
{
    const SnLimits past = {.seconds = 1e-9}, long_ = {.seconds = 1e6};
    SnBudget *b = sn_budget_new(&past);

    (void)state;
    assert_true(stopped(b, nothing, NULL));
    check_trip("sinter", "the limit of 1e-09 s is over", "--timeout");
    sn_budget_free(b);
    b = sn_budget_new(&long_);
    assert_false(stopped(b, nothing, NULL));
    sn_budget_free(b);
}

static void
no_memory(void *ctx)
{
    (void)ctx;
    sn_budget_at("planning", "g");
    sn_alloc_fail_at(1);
    sn_arena_new();
}

static void
test_system(void **state)
{
    SnBudget *b = of(0, 0, 0);

    (void)state;
    assert_true(stopped(b, no_memory, NULL));
    check_trip("g", "out of memory", NULL);
    sn_budget_free(b);
}

/* An arena that is cleared while its neighbours in the budget's list come and
 * go, again and again. */
static void *
clears(void *ctx)
{
    sn_budget_use(ctx);
    for (int i = 0; i < 20000; i++) {
        SnArena *a = sn_arena_new();
        sn_alloc(a, 64);
        sn_arena_clear(a);
        sn_arena_free(a);
    }
    sn_budget_use(NULL);
    return NULL;
}

static void
test_neighbours(void **state)
{
    SnBudget *b = of(0, 0, 0);
    pthread_t t[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, clears, b), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    sn_budget_free(b); /* frees what the list still holds */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_left),
        cmocka_unit_test(test_thread),     cmocka_unit_test(test_proportion),
        cmocka_unit_test(test_nodes),      cmocka_unit_test(test_time),
        cmocka_unit_test(test_system),     cmocka_unit_test(test_ops),
        cmocka_unit_test(test_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
