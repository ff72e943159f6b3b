// SPDX-License-Identifier: Apache-2.0
/* How often the driver looks at a node.  No clock: visits are counted, for
 * graphs from 10^3 to 10^5 nodes (SINTER_NODES=N: to N) of the shapes that
 * could make a driver look again and again: conversions sinking through long
 * chains and trees, values with very many users, and the same by the list that
 * passes without a certificate use. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rewrite/internal.h"
#include "sn_kinds.h"

typedef struct Run {
    SnArena *a;
    SnGraph *g;
    const SnType *type[4]; /* f32, and three scales */
} Run;

static Run
run_new(void)
{
    Run r = {.a = sn_arena_new()};

    r.g = sn_graph_new(r.a, "driver");
    r.type[0] = sn_type_plain(r.g->pool, SN_F32);
    for (int i = 1; i < 4; i++)
        r.type[i] = sn_type_quant(r.g->pool, SN_QI8, 0.05f * (float)i, i);
    return r;
}

static SnRef
input(Run *r, const SnType *t, int rank)
{
    static const int64_t dim[] = {1, 4, 4, 2};
    SnPlaceholderAttr at = {0};

    return SN_REF(sn_placeholder_new(r->g, NULL,
                                     sn_shape(r->g->pool, rank, dim), NULL, &at,
                                     t),
                  0);
}

static void
save(Run *r, SnRef x)
{
    SnSaveAttr at = {.name = "y"};

    sn_save_new(r->g, "y", x, &at);
}

static SnRef
rescale(Run *r, SnRef x, const SnType *t)
{
    SnRescaleAttr at = {0};

    return SN_REF(sn_rescale_new(r->g, NULL, x, &at, t), 0);
}

static SnRef
pool(Run *r, SnRef x)
{
    static const int64_t one[] = {1, 1}, none[] = {0, 0, 0, 0};
    SnMaxPoolAttr at = {.kernel = {2, one},
                        .stride = {2, one},
                        .pads = {4, none},
                        .dilate = {2, one}};
    const SnType *t = sn_type(r->g, x);

    return SN_REF(sn_max_pool_new(r->g, NULL, x, &at, t,
                                  sn_type_plain(r->g->pool, SN_I64)),
                  0);
}

static SnRef
transpose(Run *r, SnRef x, bool back)
{
    static const int64_t there[] = {0, 3, 1, 2}, here[] = {0, 2, 3, 1};
    SnTransposeAttr at = {.perm = {4, back ? here : there}};

    return SN_REF(sn_transpose_new(r->g, NULL, x, &at, sn_type(r->g, x)), 0);
}

/* ---- graphs of about n nodes ---- */

/* A Rescale after every third MaxPool: they sink, meet and fuse. */
static void
chain(Run *r, uint32_t n)
{
    SnRef x = input(r, r->type[1], 4);

    for (uint32_t i = 0; i < n; i++)
        x = i % 4 == 0 ? rescale(r, x, r->type[1 + i / 4 % 3]) : pool(r, x);
    save(r, x);
}

/* A tree of Concats over Rescales: two become one at every Concat. */
static SnRef
tree_of(Run *r, SnRef x, int depth)
{
    SnConcatAttr at = {.axis = 0};
    SnRef v[2];

    if (depth == 0)
        return rescale(r, x, r->type[2]);
    for (int i = 0; i < 2; i++)
        v[i] = tree_of(r, x, depth - 1);
    return SN_REF(sn_concat_new(r->g, NULL, 2, v, &at, r->type[2]), 0);
}

static void
tree(Run *r, uint32_t n)
{
    int depth = 0;

    while (UINT32_C(2) << depth < n)
        depth++;
    save(r, tree_of(r, input(r, r->type[1], 1), depth));
}

/* One value with n users: a no-op before each, then what merges. */
static void
star(Run *r, uint32_t n)
{
    SnRef x = input(r, r->type[1], 4);

    for (uint32_t i = 0; i < n / 2; i++)
        save(r, rescale(r, x, r->type[i % 2 ? 1 : 2]));
}

/* Rescales of one shared value into and out of Relus. */
static void
fan(Run *r, uint32_t n)
{
    SnRef x = input(r, r->type[1], 4), y = rescale(r, x, r->type[3]);

    for (uint32_t i = 0; i < n / 3; i++) {
        SnRef v = SN_REF(sn_relu_new(r->g, NULL, y, r->type[2]), 0);
        save(r, rescale(r, v, r->type[1]));
    }
}

/* Transposes that meet below Relus. */
static void
layout(Run *r, uint32_t n)
{
    SnRef x = input(r, r->type[0], 4);

    for (uint32_t i = 0; i < n; i++)
        x = i % 5 == 0 ? transpose(r, x, i / 5 % 2)
                       : SN_REF(sn_sigmoid_new(r->g, NULL, x, r->type[0]), 0);
    save(r, x);
}

/* Quantize, Dequantize around every node. */
static void
qdq(Run *r, uint32_t n)
{
    SnRef x = input(r, r->type[0], 4);

    for (uint32_t i = 0; i < n / 3; i++) {
        SnQuantizeAttr at = {0};
        const SnType *t = r->type[1 + i % 3];
        x = SN_REF(sn_quantize_new(r->g, NULL, x, &at, t), 0);
        x = SN_REF(sn_dequantize_new(r->g, NULL, x, r->type[0]), 0);
        x = SN_REF(sn_relu_new(r->g, NULL, x, r->type[0]), 0);
    }
    save(r, x);
}

typedef void Make(Run *r, uint32_t n);

/* ---- counting ---- */

typedef struct Count {
    double visits; /* for each node */
    uint32_t nfire, nlive;
} Count;

static Count
count(Make *make, uint32_t n, const char *passes, bool worklist)
{
    Run r = run_new();
    SnDiag *d = sn_diag_new(r.a);
    SnRewriteOpts o = sn_rewrite_defaults;
    Count c = {0};

    make(&r, n);
    uint32_t nnode = r.g->nlive;
    o.worklist = worklist;
    SnRewriter *rw = sn_rewriter_new(r.a, &o, d);
    assert_int_equal(sn_rewrite(rw, r.g, passes), SN_OK);
    for (uint32_t i = 0; i < rw->ntime; i++)
        c.visits += rw->time[i].nvisit;
    c.visits /= nnode;
    c.nfire = rw->nfire;
    c.nlive = r.g->nlive;
    assert_int_equal(sn_verify(r.g, d), SN_OK);
    sn_arena_free(r.a);
    return c;
}

/* Visits per node stay where they are from 10^3 nodes on. */
static void
flat(Make *make, const char *shape, const char *passes, double most)
{
    const char *env = getenv("SINTER_NODES");
    uint32_t n = env && *env ? (uint32_t)strtoul(env, NULL, 10) : 100000;
    Count small = count(make, 1000, passes, false);
    Count large = small;

    for (uint32_t k = 10000; k <= n; k *= 10) {
        large = count(make, k, passes, false);
        if (env && *env)
            print_message("| driver %-7s %-14s %8u nodes %6.3f visits a node "
                          "(%.3f at 1000) %8u fires\n",
                          shape, passes, k, large.visits, small.visits,
                          large.nfire);
    }
    assert_true(small.nfire > 0);
    assert_true(large.visits <= most);
    assert_true(large.visits <= small.visits * 1.05 + 0.05);
    assert_true(small.visits <= large.visits * 1.05 + 0.05);
}

static void
flat_chain(void **state)
{
    (void)state;
    flat(chain, "chain", "quant_cleanup", 8);
}

static void
flat_tree(void **state)
{
    (void)state;
    flat(tree, "tree", "quant_cleanup", 8);
}

static void
flat_star(void **state)
{
    (void)state;
    flat(star, "star", "quant_cleanup", 8);
}

static void
flat_fan(void **state)
{
    (void)state;
    flat(fan, "fan", "quant_cleanup", 8);
}

static void
flat_layout(void **state)
{
    (void)state;
    flat(layout, "layout", "simplify", 8);
}

static void
flat_qdq(void **state)
{
    (void)state;
    flat(qdq, "qdq", "integerize", 8);
}

/* The list reaches what the sweep reaches, as nothing is left to fire. */
static void
list_agrees(void **state)
{
    static Make *const make[] = {chain, tree, star, fan, layout, qdq};
    static const char *const passes[] = {
        "quant_cleanup", "quant_cleanup", "quant_cleanup",
        "quant_cleanup", "simplify",      "integerize,quant_cleanup"};

    (void)state;
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        Count s = count(make[i], 2000, passes[i], false);
        Count l = count(make[i], 2000, passes[i], true);
        assert_int_equal(s.nlive, l.nlive);
        Count m = count(make[i], 20000, passes[i], true);
        assert_true(m.visits <= l.visits * 1.05 + 0.05);
    }
}

/* A second run of a pass finds nothing: one sweep was enough. */
static void
one_sweep(void **state)
{
    static Make *const make[] = {chain, tree, star, fan, layout, qdq};
    static const char *const pass[] = {"quant_cleanup", "quant_cleanup",
                                       "quant_cleanup", "quant_cleanup",
                                       "simplify",      "integerize"};

    (void)state;
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        Run r = run_new();
        SnDiag *d = sn_diag_new(r.a);
        make[i](&r, 3000);
        SnRewriter *rw = sn_rewriter_new(r.a, &sn_rewrite_defaults, d);
        assert_int_equal(sn_rewrite(rw, r.g, pass[i]), SN_OK);
        uint32_t n = rw->nfire;
        assert_true(n > 0);
        assert_int_equal(sn_rewrite(rw, r.g, pass[i]), SN_OK);
        assert_int_equal(rw->nfire, n);
        sn_arena_free(r.a);
    }
}

/* Passes share an order for as long as the graph stays as it is. */
static void
order_kept(void **state)
{
    Run r = run_new();
    SnRef x = input(&r, r.type[1], 4), v = rescale(&r, x, r.type[2]);
    SnRewriteOpts o = {0};
    SnRewriter *rw = sn_rewriter_new(r.a, &o, sn_diag_new(r.a));
    uint32_t n;

    (void)state;
    save(&r, v);
    rw->sorting = sn_arena_new();
    const SnId *a = sn_order(rw, r.g, &n);
    assert_int_equal(n, 3);
    assert_ptr_equal(sn_order(rw, r.g, &n), a);
    SnId save_id = a[2];
    sn_set_in(r.g, save_id, 0, pool(&r, v));
    a = sn_order(rw, r.g, &n);
    assert_int_equal(n, 4);
    assert_int_equal(a[3], save_id);
    assert_int_equal(r.g->node[a[2]]->kind, SN_K_MAX_POOL);
    sn_arena_free(rw->sorting);
    sn_arena_free(r.a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_chain),  cmocka_unit_test(flat_tree),
        cmocka_unit_test(flat_star),   cmocka_unit_test(flat_fan),
        cmocka_unit_test(flat_layout), cmocka_unit_test(flat_qdq),
        cmocka_unit_test(order_kept),  cmocka_unit_test(list_agrees),
        cmocka_unit_test(one_sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
