// SPDX-License-Identifier: Apache-2.0
/* Large copies that threads share: every piece is done once, and a model that
 * is loaded so has the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/team/spread.h"
#include "base/team/team.h"
#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "run/later.h"
#include "unit/onnx_build.h"
#include "unit/parse.h"

enum { THREADS = 3, PIECES = 1000, LARGE = 1 << 26 };

/* ---- pieces ---- */

typedef struct Seen {
    int at[PIECES];
    int part[SN_TEAM_MAX];
    unsigned nested; /* parts that a copy inside of one would be cut into */
} Seen;

static void
see(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    Seen *s = ctx;

    s->part[part]++;
    if (part == 0)
        s->nested = sn_spread_parts(PIECES, LARGE);
    for (int64_t i = i0; i < i1; i++)
        s->at[i]++;
}

static void
all_once(int64_t n, unsigned nparts)
{
    Seen s = {0};

    sn_spread(n, nparts, see, &s);
    for (int64_t i = 0; i < PIECES; i++)
        assert_int_equal(s.at[i], i < n);
    for (unsigned k = 0; k < SN_TEAM_MAX; k++)
        assert_int_equal(s.part[k], k < nparts);
    assert_int_equal(s.nested, 1);
}

static void
pieces(void **state)
{
    static const int64_t n[] = {1, 2, 5, 7, PIECES};

    (void)state;
    assert_int_equal(sn_spread_parts(PIECES, LARGE), 1); /* alone */
    SnArena *own = sn_arena_new();
    SnSpread *s = sn_spread_new(own, THREADS);
    assert_null(sn_spread_use(s));
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        unsigned most = sn_spread_parts(n[i], LARGE);
        assert_int_equal(most, n[i] < 2 * THREADS ? n[i] : 2 * THREADS);
        for (unsigned k = 1; k <= most; k++)
            all_once(n[i], k);
    }
    assert_int_equal(sn_spread_parts(0, 0), 1);
    assert_int_equal(sn_spread_parts(PIECES, 1000), 1); /* too small */
    assert_ptr_equal(sn_spread_use(NULL), s);
    all_once(PIECES, 4); /* by this thread */
    sn_spread_use(s);
    sn_arena_free(own);
    assert_null(sn_spread_use(NULL)); /* it is not used any more */
}

/* ---- what kernels leave for later ---- */

enum { NLATER = 5, WORK = 100 };

typedef struct Done {
    int64_t n;
    size_t nwork;
    int at[PIECES];
} Done;

static void
do_pieces(void *ctx, void *work, int64_t i0, int64_t i1)
{
    Done *k = ctx;

    assert_true(0 <= i0 && i0 < i1 && i1 <= k->n);
    assert_int_equal((uintptr_t)work % 64, 0);
    memset(work, (int)i0, k->nwork);
    for (int64_t i = i0; i < i1; i++)
        k->at[i]++;
}

/* Pieces of several nodes, of few and of many bytes, each once: by threads, and
 * by one that takes some MiB at a time. */
static void
later_once(void **state)
{
    static const struct {
        int64_t n;
        size_t nbyte;
    } v[NLATER] = {{7, 11 << 20},
                   {1, 5 << 20},
                   {PIECES, 30 << 20},
                   {3, 100},
                   {13, 9 << 20}};

    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        static Done done[NLATER];
        SnLater later[NLATER];
        SnArena *own = sn_arena_new();
        SnSpread *s = sn_spread_new(own, THREADS);
        for (size_t i = 0; i < NLATER; i++) {
            done[i] = (Done){v[i].n, WORK * i, {0}};
            later[i] = (SnLater){do_pieces, &done[i], v[i].n, v[i].nbyte,
                                 done[i].nwork};
        }
        sn_spread_use(alone ? NULL : s);
        sn_later_do(later, NLATER, own);
        sn_later_do(NULL, 0, own);
        for (size_t i = 0; i < NLATER; i++)
            for (int64_t k = 0; k < PIECES; k++)
                assert_int_equal(done[i].at[k], k < v[i].n);
        sn_arena_free(own);
    }
}

/* ---- a model ---- */

/* An initializer of seeded numbers where a float cannot be, as in most files:
 * it is copied. */
static void
weights(OnnxBuild *b, const char *name, const char *dims, float add)
{
    ob_floats(b, name, dims);
    ProtobufCBinaryData *raw = &b->init[b->graph.n_initializer - 1]->raw_data;
    float *v = (float *)(void *)raw->data;
    uint8_t *moved = sn_alloc(b->a, raw->len + 64);

    for (size_t i = 0; i < raw->len / sizeof *v; i++)
        v[i] = (float)((i * 7919) % 1009) * 0x1p-12f + add;
    raw->data = memcpy(moved + 1, v, raw->len);
}

/* A 3x3 and a 1x1 convolution with normalizations that fold into their filters,
 * one of a width that is no multiple of a panel's, and a product. */
static OnnxBuild *
model(void)
{
    OnnxBuild *b = ob_new(a, 13);

    ob_input(b, "x", "1x128x5x5");
    ob_output(b, "y", NULL);
    weights(b, "w", "320x128x3x3", -0.1f);
    weights(b, "u", "1000x320x1x1", -0.1f);
    weights(b, "t", "1000x700", -0.1f);
    weights(b, "p", "320", 0.5f);
    weights(b, "q", "1000", 0.5f);
    ob_node(b, "Conv", "x w", "a");
    ob_node(b, "BatchNormalization", "a p p p p", "b");
    ob_node(b, "Conv", "b u", "c");
    ob_node(b, "BatchNormalization", "c q q q q", "d");
    ob_node(b, "GlobalAveragePool", "d", "e");
    ob_node(b, "Flatten", "e", "f");
    ob_node(b, "MatMul", "f t", "y");
    return b;
}

enum { RESULTS = 700 };

/* What the model computes; only: filters are packed in their own place. */
static void
results(SnSpread *s, bool only, float *y)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    const SnExec *x;
    SnGraph *g;

    sn_spread_use(s);
    assert_int_equal(sn_onnx_message(a, "m.onnx", &model()->model, NULL, d, &g),
                     SN_OK);
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);
    assert_int_equal(sn_rewrite(rw, g, "profile"), SN_OK);
    if (only)
        assert_int_equal(sn_exec_prepare_only(a, g, cpu, NULL, NULL, d, &x),
                         SN_OK);
    else
        assert_int_equal(sn_exec_prepare_fast(a, g, cpu, d, &x), SN_OK);
    sn_spread_use(NULL);
    SnRun *r = sn_run_new(a, x);
    float *in = sn_run_input(r, 0);
    for (int i = 0; i < 128 * 5 * 5; i++)
        in[i] = (float)(i % 17) - 8;
    assert_int_equal(sn_run(r), SN_OK);
    memcpy(y, sn_run_output(r, 0), RESULTS * sizeof *y);
    sn_run_free(r);
}

static void
same_bits(void **state)
{
    SnArena *own = sn_arena_new();
    SnSpread *s = sn_spread_new(own, THREADS);
    float alone[RESULTS], y[RESULTS];

    (void)state;
    results(NULL, false, alone);
    assert_true(alone[0] != 0 && alone[0] != alone[1]);
    for (int only = 0; only < 2; only++) {
        results(s, only, y);
        assert_memory_equal(y, alone, sizeof y);
    }
    sn_arena_free(own);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(later_once),
        cmocka_unit_test_setup_teardown(same_bits, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
