// SPDX-License-Identifier: Apache-2.0
/* LSTM and GRU from ONNX on codes: every gate of every step has a range of its
 * own.  Beside it the same model with one range for all gates of a step, as a
 * single wide product would have; what each gate loses is printed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "onnx/import.h"
#include "onnx_build.h"
#include "quant/compare.h"
#include "quant/quantize.h"

enum { STEPS = 12, IN = 10, HIDDEN = 16, NCALIB = 400, NEVAL = 40 };

/* How wide the weights of a gate are, and its bias.  In trained networks gates
 * differ so: the forget gate's bias starts at 1, new values stay small. */
typedef struct Gate {
    const char *name;
    float weight, bias;
} Gate;

static const Gate lstm[] = {
    {"input", 0.5f, -0.5f},
    {"output", 0.8f, 0},
    {"forget", 1.5f, 1},
    {"cell", 0.25f, 0},
};
static const Gate gru[] = {
    {"update", 1.5f, 1},
    {"reset", 0.6f, 0},
    {"hidden", 0.25f, 0},
};

static SnArena *a;
static SnDiag *d;
static uint64_t seed;

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    d = sn_diag_new(a);
    seed = 1;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

/* Even over [-1, 1). */
static float
draw(uint64_t *z)
{
    *z = *z * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(*z >> 32) / 2147483648.0f;
}

static void
weights(OnnxBuild *b, const char *name, const Gate *g, int ngate, int cols)
{
    size_t n = (size_t)(ngate * HIDDEN * cols);
    float *v = sn_alloc_n(a, n, sizeof *v);
    char *dims = sn_format(a, "1x%dx%d", ngate * HIDDEN, cols);

    for (size_t i = 0; i < n; i++)
        v[i] = g[i / (size_t)(HIDDEN * cols)].weight * draw(&seed);
    ob_init(b, name, 1, dims, v, n * sizeof *v);
}

static SnGraph *
model(const char *op, const Gate *g, int ngate)
{
    OnnxBuild *b = ob_new(a, 14);
    float bias[8 * HIDDEN] = {0};
    SnGraph *out = NULL;
    size_t n;

    ob_input(b, "x", sn_format(a, "%dx1x%d", STEPS, IN));
    weights(b, "w", g, ngate, IN);
    weights(b, "r", g, ngate, HIDDEN);
    for (int i = 0; i < ngate * HIDDEN; i++)
        bias[i] = g[i / HIDDEN].bias + 0.1f * draw(&seed);
    ob_init(b, "b", 1, sn_format(a, "1x%d", 2 * ngate * HIDDEN), bias,
            (size_t)(2 * ngate * HIDDEN) * sizeof *bias);
    Onnx__NodeProto *node = ob_node(b, op, "x w r b", "y");
    ob_int(b, node, "hidden_size", HIDDEN);
    if (ngate == 3)
        ob_int(b, node, "linear_before_reset", 1);
    ob_output(b, "y", NULL);
    uint8_t *p = ob_pack(b, &n);
    SnStatus st = sn_onnx_parse(a, op, NULL, p, n, NULL, d, &out);
    free(p);
    if (st != SN_OK || sn_verify(out, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return out;
}

/* Slowly changing signals; ctx is the number of the first sequence. */
static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    uint64_t z = (uint64_t)(*(int64_t *)ctx + sample) * 7919 + 3;
    float *v = sn_run_input(r, 0), now[IN] = {0};

    for (int t = 0; t < STEPS; t++)
        for (int i = 0; i < IN; i++) {
            now[i] = 0.8f * now[i] + 0.5f * draw(&z);
            v[t * IN + i] = now[i];
        }
    return SN_OK;
}

static const SnExec *
exec_of(const SnGraph *g)
{
    const SnExec *x;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

static SnProfile *
profile_of(const SnGraph *g)
{
    SnGraph *f = sn_graph_clone(g, a);
    SnProfile *p = NULL;
    int64_t first = 0;

    if (sn_rewrite(sn_rewriter_new(a, &sn_rewrite_defaults, d), f, "profile") !=
            SN_OK ||
        sn_profile_run(a, exec_of(f), NCALIB, 1, fill, &first,
                       sn_graph_hash(g, true), d, &p) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return p;
}

/* The values before activation and what is summed into them: from_x of all
 * steps, then h and s of each. */
static const char *
name_of(int gate, int part, int t)
{
    return part == 0
               ? sn_format(a, "y.d0.from_x%d", gate)
               : sn_format(a, "y.d0.%c%d_%d", part == 1 ? 'h' : 's', gate, t);
}

static SnHist *
hist(const SnProfile *p, const char *name)
{
    const SnHist *h = sn_profile_find(p, name);

    return h ? &p->hist[h - p->hist] : NULL;
}

/* Every gate gets the range that all gates of its step fill. */
static void
share(SnProfile *p, int ngate)
{
    for (int part = 0; part < 3; part++)
        for (int t = 0; t < (part == 0 ? 1 : STEPS); t++) {
            SnHist all;
            sn_hist_init(&all, a, "all");
            for (int g = 0; g < ngate; g++) {
                SnHist *h = hist(p, name_of(g, part, t));
                if (h)
                    sn_hist_merge(&all, h);
            }
            for (int g = 0; g < ngate; g++) {
                SnHist *h = hist(p, name_of(g, part, t));
                if (!h)
                    continue;
                const char *name = h->name;
                *h = all;
                h->name = name;
            }
        }
}

static SnComparison
quantized(const SnGraph *g, const SnProfile *p, SnGraph **out)
{
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};
    SnGraph *f = sn_graph_clone(g, a);
    SnRewriter *rw;
    SnQuantReport r;
    SnComparison c;
    int64_t first = NCALIB; /* not those that were calibrated on */

    *out = sn_graph_clone(g, a);
    o.rewrite.verify = true;
    if (sn_quantize_graph(a, *out, p, &o, &rw, d, &r) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_int_equal(r.nfloat, 0);
    SnCompareOpts k = {.flt = exec_of(f),
                       .quant = exec_of(*out),
                       .fill_flt = fill,
                       .fill_quant = fill,
                       .ctx_flt = &first,
                       .ctx_quant = &first,
                       .nsample = NEVAL,
                       .njob = 1};
    if (sn_compare(a, &k, d, &c) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return c;
}

/* SQNR of gate g before its activation, over all steps. */
static double
gate_db(const SnComparison *c, int g, bool local)
{
    SnErrors sum = {0};
    int n = 0;

    for (int t = 0; t < STEPS; t++)
        for (uint32_t i = 0; i < c->n; i++) {
            if (c->value[i].constant ||
                strcmp(c->value[i].name, name_of(g, 2, t)) != 0)
                continue;
            const SnErrors *e =
                local ? &c->value[i].local : &c->value[i].cumulative;
            sum.signal += e->signal;
            sum.noise += e->noise;
            n++;
        }
    assert_int_equal(n, STEPS);
    return sn_sqnr(&sum);
}

static float
scale_of(const SnGraph *g, const char *name)
{
    SnRef r = sn_find(g, name);

    assert_true(r != 0 && sn_type(g, r)->elem == SN_QI8);
    return sn_type(g, r)->scale[0];
}

/* A shared range contains each gate's own, so no step of an own grid is wider,
 * and some gate's is narrower.  The error of a gate alone is then less, but
 * for the luck of rounding where the two grids are nearly one: 0.3 dB are
 * allowed for that. */
static void
own_beats_shared(const char *op, const Gate *gate, int ngate)
{
    SnGraph *g = model(op, gate, ngate), *qo, *qs;
    SnProfile *p = profile_of(g), *ps = profile_of(g);

    share(ps, ngate);
    SnComparison own = quantized(g, p, &qo), one = quantized(g, ps, &qs);
    printf("| %s, SQNR in dB before the activation, steps 0 to %d: "
           "own range | one for all gates\n",
           op, STEPS - 1);
    for (int i = 0; i < ngate; i++) {
        double x = gate_db(&own, i, true), y = gate_db(&one, i, true);
        printf("| %s %-7s local %5.1f | %5.1f   cumulative %5.1f | %5.1f\n", op,
               gate[i].name, x, y, gate_db(&own, i, false),
               gate_db(&one, i, false));
        assert_true(x >= y - 0.3);
        float ratio = 0;
        for (int t = 0; t < STEPS; t++) {
            float r =
                scale_of(qo, name_of(i, 2, t)) / scale_of(qs, name_of(i, 2, t));
            assert_true(r <= 1);
            ratio += r / STEPS;
        }
        if (gate[i].weight < 1) { /* the narrow gates gain for certain */
            assert_true(ratio < 0.7f);
            assert_true(x > y + 1);
            assert_true(gate_db(&own, i, false) > gate_db(&one, i, false));
        }
    }
    printf("| %s output: %.1f | %.1f\n", op, own.worst_output,
           one.worst_output);
    assert_true(own.worst_output > one.worst_output);
    assert_true(own.worst_output > 20);
}

static void
lstm_gates(void **state)
{
    (void)state;
    own_beats_shared("LSTM", lstm, 4);
}

static void
gru_gates(void **state)
{
    (void)state;
    own_beats_shared("GRU", gru, 3);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {T(lstm_gates), T(gru_gates)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
