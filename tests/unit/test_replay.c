// SPDX-License-Identifier: Apache-2.0
/* Counterexamples of the soundness engine, replayed: the graph of each is read
 * and run by the generated evaluators, which know nothing of the engine, and
 * must give the two values that the message prints. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file/file.h"
#include "base/num.h"
#include "dsl/model/arith.h"
#include "dsl/prove/prove.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "sn_kinds.h"

static SnProofs *
proofs_of(SnArena *a, const char *path)
{
    static const char *const dirs[] = {"."};
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);

    sn_def_parse(s, d, path, dirs, 1);
    if (!sn_diag_nerror(d))
        sn_def_resolve(s, d);
    return sn_diag_nerror(d) ? NULL : sn_prove(s, d, NULL);
}

static double
element(const SnType *t, const void *data, int64_t at)
{
    switch (t->elem) {
    case SN_F32:
        return (double)((const float *)data)[at];
    case SN_QI8:
    case SN_I8:
        return ((const int8_t *)data)[at];
    case SN_QI16:
        return ((const int16_t *)data)[at];
    case SN_QI32:
    case SN_I32:
        return ((const int32_t *)data)[at];
    case SN_I64:
        return (double)((const int64_t *)data)[at];
    case SN_BOOL:
        return ((const bool *)data)[at];
    default:
        fail_msg("element of type %d", (int)t->elem);
        return 0;
    }
}

static double
saved(SnArena *a, const SnGraph *g, const char *name, int64_t at)
{
    for (SnId id = 1; id < g->nnode; id++) {
        if (g->node[id]->dead || g->node[id]->kind != SN_K_SAVE ||
            strcmp(sn_save_attr(g, id)->name, name))
            continue;
        SnRef v = sn_in(g, id, 0);
        const void *data = sn_eval_const(g, v, a);
        if (!data)
            fail_msg("'%s' could not be run", name);
        return element(sn_type(g, v), data, at);
    }
    fail_msg("no result '%s'", name);
    return 0;
}

static bool
same(double x, double y)
{
    return (x == y && !signbit(x) == !signbit(y)) || (isnan(x) && isnan(y));
}

static void
replay(SnArena *a, const char *path, const SnCounter *p)
{
    SnDiag *d = sn_diag_new(a);
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g = NULL;

    src->name = path;
    src->text = p->graph;
    src->nbyte = strlen(src->text);
    if (sn_parse(a, src, NULL, d, &g))
        fail_msg("%s: %s\n%s", path, sn_diag_text(d, a), src->text);
    double l = saved(a, g, "left", p->at);
    double r = saved(a, g, "right", p->at);
    if (!same(l, p->left) || !same(r, p->right))
        fail_msg("%s: the message says %.9g and %.9g, the evaluator %.9g and "
                 "%.9g\n%s\n%s",
                 path, p->left, p->right, l, r, p->line, src->text);
    assert_false(same(l, r));
}

static void
corpus(void **state)
{
    DIR *dir = opendir("tests/corpus");
    unsigned nfile = 0, nreplay = 0;

    (void)state;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".def"))
            continue;
        SnArena *a = sn_arena_new();
        const char *path = sn_path_join(a, "tests/corpus", e->d_name);
        SnProofs *s = proofs_of(a, path);
        bool refused = !s;
        nfile++;
        for (uint32_t i = 0; s && i < s->n; i++) {
            if (s->v[i].layer != SN_LAYER_REFUSED)
                continue;
            refused = true;
            if (!s->v[i].counter)
                fail_msg("%s: refused without a counterexample", path);
            replay(a, path, s->v[i].counter);
            nreplay++;
        }
        if (!refused)
            fail_msg("%s: accepted", path);
        sn_arena_free(a);
    }
    closedir(dir);
    assert_true(nfile >= 25);
    assert_true(nreplay >= 20);
}

/* ---- machines ---- */

/* Rows of tests/dsl/prove/sn307_*.def, by hand: multipliers of so many bits. */
static void
open_bits(const SnRowGrids *g, int64_t *k, int bits, int lo, int hi)
{
    sn_ratio_split((double)g->scale[1] / (double)g->scale[0], bits, lo, hi,
                   &k[0], &k[1]);
    k[2] = g->zp[1];
    k[3] = g->zp[0];
}

static void
open_narrow(const SnRowGrids *g, int64_t *k)
{
    open_bits(g, k, 18, 0, 62);
}

static int64_t
narrow(const int64_t *k, int64_t v, int64_t b)
{
    int64_t p = (int32_t)(uint32_t)(uint64_t)((v - k[2]) * k[0]);

    (void)b;
    return (p >> k[1]) + k[3];
}

static void
open_eight(const SnRowGrids *g, int64_t *k)
{
    open_bits(g, k, 8, -8, 62);
}

static int64_t
eight(const int64_t *k, int64_t v, int64_t b)
{
    int64_t p = (v - k[2]) * k[0];

    (void)b;
    return (k[1] > 0    ? (p + (INT64_C(1) << (k[1] - 1))) >> k[1]
            : k[1] == 0 ? p
                        : p * (INT64_C(1) << -k[1])) +
           k[3];
}

/* Half away from 0. */
static int64_t
away(int64_t p, int64_t s)
{
    int64_t m = p < 0 ? -p : p;

    m = s > 0 ? (m + (INT64_C(1) << (s - 1))) >> s : m;
    return p < 0 ? -m : m;
}

static void
open_first(const SnRowGrids *g, int64_t *k)
{
    sn_ratio_split((double)g->scale[2] / (double)g->scale[1], 15, 0, 63, &k[0],
                   &k[1]);
    sn_ratio_split((double)g->scale[1] / (double)g->scale[0], 15, 0, 63, &k[2],
                   &k[3]);
    for (int i = 0; i < 3; i++)
        k[4 + i] = g->zp[i];
}

static int64_t
first(const int64_t *k, int64_t a, int64_t b)
{
    int64_t sum = a - k[5] + away((b - k[6]) * k[0], k[1]);

    return away(sum * k[2], k[3]) + k[4];
}

/* A product that wraps around, a sum that does not commute, a multiplier of 8
 * bits: each claim is refused, or off, by a counterexample that a machine gives
 * which is written here. */
static void
machines(void **state)
{
    static const SnArithRow rows[] = {
        {"narrow", 4, SN_FORM_CONVERT, NULL, 0, 0, open_narrow, narrow, 0, NULL,
         NULL, NULL, NULL, NULL, 0},
        {"eight", 4, SN_FORM_CONVERT, NULL, 0, 0, open_eight, eight, 0, NULL,
         NULL, NULL, NULL, NULL, 0},
        {"first", 7, SN_FORM_SUM, NULL, SN_WHEN_WIDE, 0, open_first, first, 0,
         NULL, NULL, NULL, NULL, NULL, 0}};
    static const struct {
        const char *file, *arith, *rule;
        bool off;
        uint32_t row;
        double worst;
    } c[] = {
        {"tests/dsl/prove/sn307_wrap.def", "narrow", "requantize", false, 0,
         100},
        {"tests/dsl/prove/sn307_bits.def", "eight", "fuse", false, 1, 1},
        {"tests/dsl/prove/sn307_swap.def", "first", "exchange", true, 2, 1}};
    static SnArith arith;
    static const SnArith *const list[] = {&arith};

    (void)state;
    sn_more_kinds.narith = 1;
    sn_more_kinds.arith = list;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        static const char *const dirs[] = {"."};
        SnArena *a = sn_arena_new();
        SnDiag *d = sn_diag_new(a);
        SnDefs *s = sn_defs_new(a);
        const SnDefArith *by = NULL;
        unsigned n = 0;
        sn_def_parse(s, d, c[i].file, dirs, 1);
        sn_def_resolve(s, d);
        assert_int_equal(sn_diag_nerror(d), 0);
        for (uint32_t k = 0; k < s->narith; k++)
            if (!strcmp(s->arith[k]->name, c[i].arith))
                by = s->arith[k];
        assert_non_null(by);
        arith = (SnArith){.name = by->name,
                          .hash = by->hash,
                          .error = 1,
                          .nrow = 1,
                          .row = &rows[c[i].row]};
        SnProofs *p = sn_prove(s, d, NULL);
        for (uint32_t k = 0; k < p->n; k++) {
            const SnCounter *x = c[i].off ? p->v[k].off_by : p->v[k].counter;
            if (strcmp(p->v[k].rule->name, c[i].rule) || !x ||
                strstr(x->graph, "ChipAdd"))
                continue;
            replay(a, c[i].file, x);
            assert_true(fabs(x->left - x->right) >= c[i].worst);
            n++;
        }
        if (!n)
            fail_msg("%s: no counterexample\n%s", c[i].file,
                     sn_diag_text(d, a));
        sn_arena_free(a);
    }
    sn_more_kinds.narith = 0;
}

/* The one of section 6, by hand: fusing two Rescales without the clamp. */
static void
plain_fuse(void **state)
{
    (void)state;
    int32_t m = sn_rescale(127, 0.04f, 0, 0.01f, 0, -128, 127);
    assert_int_equal(m, 127);
    assert_int_equal(sn_rescale(m, 0.01f, 0, 0.04f, 0, -128, 127), 32);
    assert_int_equal(sn_rescale(127, 0.04f, 0, 0.04f, 0, -128, 127), 127);
}

/* Shipped declarations: nothing refused, nothing derived is trusted, every
 * proof has a layer that the report names. */
static void
shipped(void **state)
{
    static const char *const dirs[] = {"."};
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);

    (void)state;
    sn_def_parse(s, d, "nodes.def", dirs, 1);
    sn_def_parse(s, d, "passes.def", dirs, 1);
    sn_def_parse(s, d, "src/backend/cpu/cpu.def", dirs, 1);
    sn_def_resolve(s, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    SnProofs *p = sn_prove(s, d, NULL);
    if (sn_diag_nerror(d))
        fail_msg("%s", sn_diag_text(d, a));
    uint32_t derived = 0, lemma = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->v[i].derive)
            continue;
        derived++;
        lemma += p->v[i].layer == SN_LAYER_LEMMA;
        assert_int_not_equal(p->v[i].layer, SN_LAYER_TRUSTED);
        assert_true(p->v[i].ndraw > 0 || p->v[i].layer == SN_LAYER_LEMMA);
    }
    assert_true(derived > 100);
    assert_true(lemma * 10 > derived * 9);
    assert_non_null(strstr(p->report, "absorb Conv2D.x"));
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(corpus),
        cmocka_unit_test(machines),
        cmocka_unit_test(plain_fuse),
        cmocka_unit_test(shipped),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
