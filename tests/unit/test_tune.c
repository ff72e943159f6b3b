// SPDX-License-Identifier: Apache-2.0
/* Measured picks in a file: what is read is what was written, or refused with
 * the line that is wrong; results are the same under whatever was measured. */
#include <string.h>

#include "base/file/file.h"
#include "kernel/isa.h"
#include "run/bench/tune_search.h"
#include "sn_kinds.h"
#include "unit/arena.h"
#include "unit/scratch.h"

static const char *path;

static int
fresh(void **state)
{
    setup(state);
    path = in_dir(a, "t");
    return 0;
}

static int
clean(void **state)
{
    unlink(path);
    return teardown(state);
}

/* ---- files ---- */

static const SnConvGeo geos[] = {
    {1, 56, 56, 64, 56, 56, 64, 1, 1, 1, 1, 1, 1, 0, 0, 1},
    {2, 14, 14, 64, 7, 7, 96, 3, 3, 2, 2, 1, 1, 1, 1, 1},
    {1, 9, 12, 8, 9, 12, 40, 3, 3, 1, 1, 2, 2, 2, 2, 2},
    {1, 14, 14, 32, 14, 14, 32, 3, 3, 1, 1, 1, 1, 1, 1, 32},
    /* without elements */
    {0, 14, 14, 64, 14, 14, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1},
    {1, 4, 0, 64, 4, 2, 64, 3, 3, 1, 1, 1, 1, 1, 2, 64},
    {1, 4, 4, 0, 4, 4, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1},
};
enum { NGEO = sizeof geos / sizeof *geos };

/* Writes a set of all of them, one with a pick of its own. */
static SnTune *
write_set(void)
{
    SnTune *t = sn_tune_new(a, SN_ISA_VNNI256, 2);

    for (uint32_t i = 0; i < NGEO; i++)
        assert_int_equal(sn_tune_ask(t, &geos[i], SN_TUNE_CODES), i + 1);
    assert_int_equal(sn_tune_ask(t, &geos[1], SN_TUNE_CODES), 2);
    assert_int_equal(t->nlayer, NGEO);
    t->layer[0].pick.rows = 5;
    t->layer[0].pick.by_block = !t->layer[0].pick.by_block;
    assert_int_equal(sn_tune_write(t, path, d), SN_OK);
    return t;
}

static SnStatus
read_set(SnTune **t)
{
    return sn_tune_read(a, path, SN_ISA_VNNI256, 2, d, t);
}

static void
round_trip(void **state)
{
    SnTune *t, *want = write_set();

    (void)state;
    assert_int_equal(read_set(&t), SN_OK);
    assert_int_equal(t->nlayer, NGEO);
    for (uint32_t i = 0; i < NGEO; i++) {
        const SnConvPick *p = &t->layer[i].pick, *q = &want->layer[i].pick;
        assert_memory_equal(&t->layer[i].geo, &geos[i], sizeof *geos);
        assert_int_equal(p->rows, q->rows);
        assert_int_equal(p->npanel, q->npanel);
        assert_int_equal(p->clip, q->clip);
        assert_int_equal(p->by_block, q->by_block);
        assert_int_equal(p->tiles, q->tiles);
        assert_int_equal(sn_tune_ask(t, &geos[i], SN_TUNE_CODES), i + 1);
    }
    assert_int_equal(t->nmissed, 0);
    SnConvGeo other = geos[2];
    other.oh--;
    assert_int_equal(sn_tune_ask(t, &other, SN_TUNE_CODES), 0);
    assert_int_equal(sn_tune_ask(t, &geos[2], SN_TUNE_TILES), 0);
    assert_int_equal(t->nmissed, 2);
    assert_memory_equal(&t->missed, &other, sizeof other);
    assert_string_equal(sn_tune_name(a, &geos[2], SN_TUNE_CODES),
                        "3x3 8>40 @9x12 g2 d2");
    assert_string_equal(sn_tune_name(a, &geos[1], SN_TUNE_REALS),
                        "3x3/2 64>96 @14x14 b2 f32");
    const SnConvPick p = {5, 4, true, true, false},
                     q = {.rows = 1, .npanel = 1, .tiles = true};
    assert_string_equal(sn_tune_text(a, &p),
                        "rows 5, panels 4, clip, by panel");
    assert_string_equal(sn_tune_text(a, &q), "rows 1, panels 1, tiles");
}

static void
write_text(const char *s, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(s, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Whatever stands in the file: it is refused, or all picks can be computed. */
static bool
refused(void)
{
    SnTune *t = NULL;
    SnStatus st = read_set(&t);

    if (st != SN_OK) {
        assert_int_equal(st, SN_EINPUT);
        assert_null(t);
        assert_true(sn_diag_nerror(d) > 0);
        return true;
    }
    for (uint32_t i = 0; i < t->nlayer; i++) {
        const SnTuneLayer *l = &t->layer[i];
        assert_true(sn_tune_fits(SN_ISA_VNNI256, &l->geo, l->kind, &l->pick));
    }
    return false;
}

/* Every byte changed in several ways and every length. */
static void
damage(void **state)
{
    static const char put[] = {0, '\n', ' ', '0', '9', '-', ':', (char)0xff};
    char *text;
    size_t n, naccepted = 0;

    (void)state;
    write_set();
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    for (size_t i = 0; i < n; i++) {
        write_text(text, i);
        assert_true(refused());
        for (size_t k = 0; k < sizeof put; k++) {
            char was = text[i];
            text[i] = put[k];
            write_text(text, n);
            naccepted += !refused() && put[k] != was;
            text[i] = was;
        }
        SnArena *old = a; /* messages of so many files */
        a = sn_arena_new();
        d = sn_diag_new(a);
        text = sn_memdup(a, text, n + 1);
        path = in_dir(a, "t");
        sn_arena_free(old);
    }
    /* other sizes, other picks that fit, the remark in the second line */
    assert_in_range(naccepted, 1, n * 3);
}

/* The file with `from` in it replaced is refused, and says why. */
static void
edit(const char *from, const char *to, const char *want)
{
    char *text;
    size_t n;

    write_set();
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    char *at = strstr(text, from);
    assert_non_null(at);
    const char *made =
        sn_format(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    write_text(made, strlen(made));
    d = sn_diag_new(a);
    assert_true(refused());
    if (!strstr(sn_diag_text(d, a), want))
        fail_msg("%s for %s: %s", to, from, sn_diag_text(d, a));
}

static void
messages(void **state)
{
    /* what is replaced, by what, what is said */
    static const char *const v[][3] = {
        {"sinter-tune 1", "sinter-pack 1",
         "t:1:1: error: is not a file of measured picks"},
        {"sinter-tune 1 ", "sinter-tune 1 f",
         "was measured with other kernels"},
        {"vnni256", "avx2",
         "was measured with the instructions 'avx2', and this run uses "
         "'vnni256'"},
        {" 2\n#", " 3\n#", "was measured with --threads 3, and this run has 2"},
        {" 2\n#", " x\n#", "expected the number of threads"},
        {"1 56 56", "1 -56 56", "t:3:1: error: expected a layer"},
        {"1 56 56", "1 99999999999 56", "t:3:1: error: expected a layer"},
        {"1 56 56", "1 2000000000 56", "t:3:1: error: expected a layer"},
        {"64 1 1 1 1 1 1 0", "64 0 1 1 1 1 1 0",
         "t:3:1: error: no convolution has these sizes"},
        {"64 1 1 1 1 1 1 0", "64 1 1 0 1 1 1 0", "no convolution has these"},
        {"64 1 1 1 1 1 1 0", "64 1 1 1 1 1 0 0", "no convolution has these"},
        {"0 0 1 0: 5", "0 0 0 0: 5", "no convolution has these sizes"},
        {"0 0 1 0: 5", "0 0 3 0: 5", "no convolution has these sizes"},
        {": 5 ", ": 57 ",
         "t:3:1: error: the layer cannot be computed in this way"},
        {": 5 ", ": 0 ", "the layer cannot be computed in this way"},
        {": 5 1", ": 5 2", "the layer cannot be computed in this way"},
        {": 5 1", ": 5 0", "the layer cannot be computed in this way"},
        {": 5 1", ": 5", "expected a layer"},
        {"end 7", "end 5", "expected 'end 7' and nothing after it"},
        {"end 7\n", "end 7\nend 7\n", "expected 'end 7' and nothing after"},
        {"end 7\n", "", "the file has been cut short"},
        {"end 7\n",
         "1 56 56 64 56 56 64 1 1 1 1 1 1 0 0 1 0: 5 1 0 0 0\nend 8\n",
         "the layer is listed twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        edit(v[i][0], v[i][1], v[i][2]);
}

/* ---- models ---- */

static uint32_t seed = 3;

static int8_t *
codes(int64_t n)
{
    int8_t *v = sn_alloc(a, (size_t)n);

    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (int8_t)(seed >> 24);
    }
    return v;
}

static SnRef
conv(SnGraph *g, SnRef x, int64_t c, int64_t oc, int64_t k, int64_t group)
{
    const int64_t one[2] = {1, 1}, kernel[2] = {k, k};
    const int64_t pad[4] = {k / 2, k / 2, k / 2, k / 2};
    SnConv2DAttr at = {.kernel = {2, kernel},
                       .stride = {2, one},
                       .pads = {4, pad},
                       .dilate = {2, one},
                       .group = group};
    const SnShape *s = sn_shape(g->pool, 4, (int64_t[4]){oc, k, k, c / group});
    const SnType *wt = sn_type_quant(g->pool, SN_QI8, 0.01f, 0);
    SnRef w =
        SN_REF(sn_constant_new(g, NULL, s, codes(sn_shape_count(s)), wt), 0);

    return SN_REF(sn_conv2d_new(g, NULL, x, w, 0, &at,
                                sn_type_quant(g->pool, SN_QI8, 0.2f, 1)),
                  0);
}

/* Layers of several sizes, two of them the same. */
static SnGraph *
model(void)
{
    SnGraph *g = sn_graph_new(a, "t");
    SnPlaceholderAttr pa = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    SnSaveAttr sa = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    SnRef x =
        SN_REF(sn_placeholder_new(
                   g, NULL, sn_shape(g->pool, 4, (int64_t[4]){1, 12, 11, 3}),
                   NULL, &pa, sn_type_quant(g->pool, SN_QI8, 0.05f, 3)),
               0);

    x = conv(g, x, 3, 64, 3, 1);
    x = conv(g, x, 64, 64, 3, 1);
    x = conv(g, x, 64, 64, 3, 1);
    x = conv(g, x, 64, 144, 1, 1);
    x = conv(g, x, 144, 144, 3, 144);
    sn_save_new(g, "y", conv(g, x, 144, 40, 1, 1), &sa);
    return g;
}
enum { NLAYER = 5, NOUT = 12 * 11 * 40 };

static int8_t *
run_with(const SnGraph *g, SnTune *tune, unsigned nthread)
{
    const SnExec *x;

    assert_int_equal(
        sn_exec_prepare_tune(a, g, sn_backend_named("CPU"), NULL, tune, d, &x),
        SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    SnRun *r = sn_run_parts(a, x, nthread);
    memcpy(sn_run_input(r, 0), "some input that is no zero", 26);
    assert_int_equal(sn_run(r), SN_OK);
    int8_t *y = sn_memdup(a, sn_run_output(r, 0), NOUT);
    sn_run_free(r);
    return y;
}

/* What is measured knows each layer once, times are positive, and the results
 * under it are those of the rules. */
static void
measured(void **state)
{
    SnGraph *g = model();
    SnIsa best = sn_isa();

    (void)state;
    for (int i = 0; i < SN_NISA; i++)
        for (unsigned n = 1; n < 3 && sn_isa_set((SnIsa)i); n++) {
            SnTuneReport *t;
            SnTune *back;
            const int8_t *want = run_with(g, NULL, n);
            assert_int_equal(
                sn_tune_search(a, g, sn_backend_named("CPU"), n, d, &t), SN_OK);
            assert_int_equal(t->nrow, NLAYER);
            for (uint32_t j = 0; j < t->nrow; j++) {
                const SnTuneRow *r = &t->row[j];
                assert_true(r->rules_s > 0 && r->best_s > 0);
                assert_true(r->ntried > 1);
                assert_int_equal(
                    r->nnode,
                    r->layer->geo.c == 64 && r->layer->geo.kh == 3 ? 2 : 1);
            }
            assert_int_equal(sn_tune_write(t->tune, path, d), SN_OK);
            assert_int_equal(sn_tune_read(a, path, (SnIsa)i, n, d, &back),
                             SN_OK);
            assert_memory_equal(run_with(g, back, n), want, NOUT);
            assert_int_equal(back->nmissed, 0);
        }
    sn_isa_set(best);
}

/* The same with other picks than the machine would choose; the packed layers
 * that keep their pick are shared. */
static void
retuned(void **state)
{
    SnGraph *g = model();
    const int8_t *want = run_with(g, NULL, 1);
    SnTune *rules = sn_tune_new(a, sn_isa(), 1), *other;
    const SnExec *x;
    int nshared = 0;

    (void)state;
    assert_int_equal(
        sn_exec_prepare_tune(a, g, sn_backend_named("CPU"), NULL, rules, d, &x),
        SN_OK);
    other = sn_tune_copy(a, rules);
    for (uint32_t i = 1; i < other->nlayer; i++)
        other->layer[i].pick.rows = 1;
    const SnExec *y = sn_exec_retune(a, x, rules, other);
    SnRun *r = sn_run_new(a, x);
    for (int i = 0; i < 4; i++) {
        sn_run_switch(r, a, i % 2 ? x : y);
        memset(sn_run_input(r, 0), 0, 12 * 11 * 3);
        memcpy(sn_run_input(r, 0), "some input that is no zero", 26);
        assert_int_equal(sn_run(r), SN_OK);
        assert_memory_equal(sn_run_output(r, 0), want, NOUT);
    }
    sn_run_free(r);
    for (uint32_t i = 0; i < x->nstep; i++)
        nshared += x->step[i].prep == y->step[i].prep;
    assert_int_equal(nshared, 1);
}

/* From steps that need no working memory to such that need little. */
static void
little_work(void **state)
{
    const SnExec *x;

    (void)state;
    SnTune *rules = sn_tune_new(a, sn_isa(), 1);
    assert_int_equal(sn_exec_prepare_tune(a, model(), sn_backend_named("CPU"),
                                          NULL, rules, d, &x),
                     SN_OK);
    SnExec none = *x, little = *x;
    none.nwork = 0;
    little.nwork = 10;
    SnRun *r = sn_run_new(a, &none);
    assert_null(r->work);
    sn_run_switch(r, a, &none);
    assert_null(r->work);
    sn_run_switch(r, a, &little);
    assert_non_null(r->work);
    sn_run_free(r);
}

/* A model without such layers. */
static void
nothing(void **state)
{
    SnGraph *g = sn_graph_new(a, "t");
    const SnType *t = sn_type_quant(g->pool, SN_QI8, 0.05f, 3);
    SnPlaceholderAttr pa = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    SnSaveAttr sa = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    SnRef x = SN_REF(sn_placeholder_new(g, NULL,
                                        sn_shape(g->pool, 1, (int64_t[1]){8}),
                                        NULL, &pa, t),
                     0);
    SnTuneReport *k;

    (void)state;
    sn_save_new(g, "y", SN_REF(sn_relu_new(g, NULL, x, t), 0), &sa);
    assert_int_equal(sn_tune_search(a, g, sn_backend_named("CPU"), 1, d, &k),
                     SN_OK);
    assert_int_equal(k->nrow, 0);
    assert_true(k->rules_s == 0 && k->best_s == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, fresh, clean),
        cmocka_unit_test_setup_teardown(damage, fresh, clean),
        cmocka_unit_test_setup_teardown(messages, fresh, clean),
        cmocka_unit_test_setup_teardown(measured, fresh, clean),
        cmocka_unit_test_setup_teardown(retuned, fresh, clean),
        cmocka_unit_test_setup_teardown(little_work, fresh, clean),
        cmocka_unit_test_setup_teardown(nothing, fresh, clean),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
