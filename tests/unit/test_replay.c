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
replay(SnArena *a, const char *path, const SnProof *p)
{
    SnDiag *d = sn_diag_new(a);
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g = NULL;

    src->name = path;
    src->text = p->counter->graph;
    src->nbyte = strlen(src->text);
    if (sn_parse(a, src, NULL, d, &g))
        fail_msg("%s: %s\n%s", path, sn_diag_text(d, a), src->text);
    double l = saved(a, g, "left", p->counter->at);
    double r = saved(a, g, "right", p->counter->at);
    if (!same(l, p->counter->left) || !same(r, p->counter->right))
        fail_msg("%s: the message says %.9g and %.9g, the evaluator %.9g and "
                 "%.9g\n%s\n%s",
                 path, p->counter->left, p->counter->right, l, r,
                 p->counter->line, src->text);
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
            replay(a, path, &s->v[i]);
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
        cmocka_unit_test(plain_fuse),
        cmocka_unit_test(shipped),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
