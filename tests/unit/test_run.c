// SPDX-License-Identifier: Apache-2.0
/* The memory planner, the executor, batches and samples. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "quant/profile/profile.h"
#include "run/batch.h"
#include "run/npy.h"
#include "run/samples.h"
#include "unit/parse.h"
#include "unit/scratch.h"

static uint32_t
next_u32(void)
{
    static uint64_t s = 7;

    s = s * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(s >> 33);
}

/* ---- plan ---- */

static void
plan_chain(void **state)
{
    /* A chain of equal buffers needs two. */
    SnBlock b[6];

    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        b[i] = (SnBlock){.nbyte = 100, .first = i, .last = i + 1};
    assert_int_equal(sn_plan_blocks(a, b, 6), 256);
    for (int i = 0; i + 1 < 6; i++)
        assert_true(b[i].offset != b[i + 1].offset);
}

static void
plan_gap(void **state)
{
    /* The small one fits where the large one was. */
    SnBlock b[] = {{.nbyte = 64, .first = 0, .last = 9},
                   {.nbyte = 640, .first = 0, .last = 3},
                   {.nbyte = 128, .first = 4, .last = 9}};

    (void)state;
    assert_int_equal(sn_plan_blocks(a, b, 3), 704);
    assert_int_equal(b[1].offset, 0);
    assert_int_equal(b[2].offset, 0);
    assert_int_equal(b[0].offset, 640);
}

static void
plan_empty(void **state)
{
    /* Blocks of no bytes lie apart from all others. */
    SnBlock b[] = {{.nbyte = 0, .first = 0, .last = 2},
                   {.nbyte = 10, .first = 0, .last = 9},
                   {.nbyte = 0, .first = 1, .last = 1},
                   {.nbyte = 70, .first = 3, .last = 9}};

    (void)state;
    assert_int_equal(sn_plan_blocks(a, b, 4), 192);
    assert_int_equal(b[3].offset, 0);
    assert_int_equal(b[1].offset, 128);
    assert_int_equal(b[0].offset, 0);
    assert_int_equal(b[2].offset, 64);
}

static void
plan_random(void **state)
{
    enum { N = 60 };

    (void)state;
    for (int round = 0; round < 50; round++) {
        SnBlock b[N];
        size_t live[200] = {0}, peak = 0;
        for (int i = 0; i < N; i++) {
            uint32_t f = next_u32() % 150;
            b[i] = (SnBlock){.nbyte = i % 9 ? next_u32() % 5000 : 0,
                             .first = f,
                             .last = f + next_u32() % 40};
            for (uint32_t s = b[i].first; s <= b[i].last; s++)
                live[s] += b[i].nbyte;
        }
        size_t arena = sn_plan_blocks(a, b, N);
        for (int s = 0; s < 200; s++)
            if (live[s] > peak)
                peak = live[s];
        assert_true(arena >= peak);
        for (int i = 0; i < N; i++) {
            assert_int_equal(b[i].offset % SN_PLAN_ALIGN, 0);
            assert_true(b[i].offset + b[i].nbyte <= arena);
            for (int k = 0; k < i; k++)
                assert_true(b[i].first > b[k].last || b[k].first > b[i].last ||
                            b[i].offset + b[i].nbyte <= b[k].offset ||
                            b[k].offset + b[k].nbyte <= b[i].offset);
        }
    }
}

/* ---- exec ---- */

static const char net[] =
    "sinter-graph 1\n"
    "graph \"n\" {\n"
    "  %x = Placeholder() : f32[1,2,2,1]\n"
    "  %k = Constant() {data = [10, 20, 30, 40]} : f32[1,2,2,1]\n"
    "  %s = Add(%x, %k) : f32[1,2,2,1]\n"
    "  %m = Mul(%s, %x) : f32[1,2,2,1]\n"
    "  %p = MaxPool(%m) {kernel = [2,2]} : f32[1,1,1,1]\n"
    "  Save(%p) {name = \"max\"}\n"
    "  Save(%s) {name = \"sum\"}\n"
    "}\n";

static const SnExec *
prepare(const char *text)
{
    const SnExec *x = NULL;

    if (sn_exec_prepare(a, parse(text), NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

static void
exec_values(void **state)
{
    const SnExec *x = prepare(net);
    SnRun *r = sn_run_new(a, x);
    static const float in[] = {1, -2, 3, 4};

    (void)state;
    assert_int_equal(x->ninput, 1);
    assert_int_equal(x->noutput, 2);
    assert_string_equal(x->input[0].name, "x");
    assert_string_equal(x->output[0].name, "max");
    for (int i = 0; i < 2; i++) { /* a second run is not disturbed */
        memcpy(sn_run_input(r, 0), in, sizeof in);
        assert_int_equal(sn_run(r), SN_OK);
        assert_true(*(const float *)sn_run_output(r, 0) == 176);
        const float *s = sn_run_output(r, 1);
        assert_true(s[0] == 11 && s[1] == 18 && s[2] == 33 && s[3] == 44);
    }
    assert_int_equal(x->plan->constants, 16);
    assert_true(x->plan->arena >= x->plan->peak);
    sn_run_free(r);
}

static void
exec_run_time_error(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"n\" {\n"
                               "  %x = Placeholder() : f32[3,2]\n"
                               "  %i = Placeholder() : i64[1]\n"
                               "  %y = Gather(%x, %i) : f32[1,2]\n"
                               "  Save(%y) {name = \"y\"}\n"
                               "}\n";
    const SnExec *x = prepare(text);
    SnRun *r = sn_run_new(a, x);

    (void)state;
    assert_int_equal(x->ninput, 2);
    *(int64_t *)sn_run_input(r, 1) = 2;
    ((float *)sn_run_input(r, 0))[5] = 7;
    assert_int_equal(sn_run(r), SN_OK);
    assert_true(((const float *)sn_run_output(r, 0))[1] == 7);
    *(int64_t *)sn_run_input(r, 1) = 3;
    assert_int_equal(sn_run(r), SN_EINPUT);
    assert_string_equal(r->where, "y");
    assert_non_null(strstr(r->why, "3"));
    sn_run_free(r);
}

static void *
fetch(void *ctx, size_t n)
{
    ++*(int *)ctx;
    return malloc(n);
}

static void
put_back(void *ctx, void *p, size_t n)
{
    (void)ctx;
    (void)n;
    free(p);
}

/* Evaluators of small nodes find the memory in which those before kept their
 * lists: a sample fetches some blocks, not some for each node. */
static void
exec_scratch_stays(void **state)
{
    int nfetch = 0, before = 0;
    const SnMemory own = {fetch, put_back, &nfetch};
    SnBudget *budget = sn_budget_new(&(SnLimits){0});
    SnBuf b;

    (void)state;
    sn_buf_init(&b, a);
    sn_puts(&b, "sinter-graph 1\ngraph \"n\" {\n"
                "  %m0 = Placeholder() : f32[1,4,4,1]\n");
    for (int i = 0; i < 100; i++)
        sn_putf(&b,
                "  %%m%d = MaxPool(%%m%d) {kernel = [3,3], pads = [1,1,1,1]} "
                ": f32[1,4,4,1]\n",
                i + 1, i);
    sn_puts(&b, "  Save(%m100) {name = \"y\"}\n}\n");
    const SnExec *x = prepare(sn_buf_str(&b));
    sn_budget_set_memory(budget, &own);
    SnBudget *was = sn_budget_use(budget);
    SnArena *of_run = sn_arena_new();
    SnRun *r = sn_run_new(of_run, x);
    for (int i = 0; i < 2; i++) {
        before = nfetch;
        memset(sn_run_input(r, 0), 0, 16 * sizeof(float));
        assert_int_equal(sn_run(r), SN_OK);
    }
    sn_run_free(r);
    sn_arena_free(of_run);
    sn_budget_use(was);
    sn_budget_free(budget);
    assert_true(nfetch - before < 20);
}

/* A pool of 3x3 by the map of a pool of 1x1 copies: calls take maps that the
 * step has.  None is kept where elements decide, or no set is read. */
static void
exec_maps_stay(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"n\" {\n"
                               "  %%x = Placeholder() : f32[1,2,2,1]\n"
                               "  %%y = MaxPool(%%x) {%s} : f32[1,2,2,1]\n"
                               "  %%r = Relu(%%y) : f32[1,2,2,1]\n"
                               "  %%i = Placeholder() : i64[1]\n"
                               "  %%z = Gather(%%r, %%i) : f32[1,2,2,1]\n"
                               "  Save(%%z) {name = \"z\"}\n"
                               "}\n";
    static const float in[] = {1, 2, 3, 4}, largest[] = {4, 4, 4, 4};
    const SnExec *wide =
        prepare(sn_format(a, text, "kernel = [3,3], pads = [1,1,1,1]"));
    const SnExec *one = prepare(sn_format(a, text, "kernel = [1,1]"));
    uint32_t nkept = 0, pool = 0;

    (void)state;
    for (uint32_t i = 0; i < wide->nstep; i++)
        if (wide->step[i].mapped) {
            pool = i;
            nkept++;
        }
    assert_int_equal(nkept, 1);
    assert_true(wide->step[pool].node == one->step[pool].node);
    for (int k = 0; k < 2; k++) {
        SnRun *r = sn_run_new(a, wide);
        if (k)
            r->step[pool].call.mapped = one->step[pool].mapped;
        memcpy(sn_run_input(r, 0), in, sizeof in);
        *(int64_t *)sn_run_input(r, 1) = 0;
        assert_int_equal(sn_run(r), SN_OK);
        assert_memory_equal(sn_run_output(r, 0), k ? in : largest, sizeof in);
        sn_run_free(r);
    }
}

/* Of many steps some open their maps in each call. */
static void
exec_maps_take_little(void **state)
{
    SnBuf b;
    const int n = 10000;
    uint32_t nkept = 0;

    (void)state;
    sn_buf_init(&b, a);
    sn_puts(&b, "sinter-graph 1\ngraph \"n\" {\n"
                "  %m0 = Placeholder() : f32[1,4,4,1]\n");
    for (int i = 0; i < n; i++)
        sn_putf(&b,
                "  %%m%d = MaxPool(%%m%d) {kernel = [3,3], pads = [1,1,1,1]} "
                ": f32[1,4,4,1]\n",
                i + 1, i);
    sn_putf(&b, "  Save(%%m%d) {name = \"y\"}\n}\n", n);
    const SnGraph *g = parse(sn_buf_str(&b));
    size_t was = sn_arena_nbyte(a);
    const SnExec *x;
    assert_int_equal(sn_exec_prepare(a, g, NULL, d, &x), SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        nkept += x->step[i].mapped != NULL;
    assert_true(nkept > 500 && nkept < (uint32_t)n);
    assert_true(sn_arena_nbyte(a) - was < (size_t)32 << 20);
}

/* ---- batches ---- */

typedef struct Batch {
    float out[64];
} Batch;

static SnStatus
fill_index(void *ctx, int64_t sample, SnRun *r)
{
    float *v = sn_run_input(r, 0);

    (void)ctx;
    for (int i = 0; i < 4; i++)
        v[i] = (float)(sample * 3 - i);
    if (sample == 999) {
        strcpy(r->why, "bad sample");
        return SN_EINPUT;
    }
    return SN_OK;
}

static void
keep_max(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    (void)worker;
    ((Batch *)ctx)->out[sample] = *(const float *)sn_run_output(r, 0);
}

static void
batch_any_threads(void **state)
{
    Batch one, four;
    SnBatch b = {.x = prepare(net),
                 .nsample = 64,
                 .njob = 1,
                 .fill = fill_index,
                 .done = keep_max,
                 .ctx = &one};

    (void)state;
    assert_int_equal(sn_batch_run(&b, d), SN_OK);
    b.njob = 4;
    b.ctx = &four;
    assert_int_equal(sn_batch_run(&b, d), SN_OK);
    assert_memory_equal(&one, &four, sizeof one);
    assert_true(one.out[1] == 44); /* 2 * (2 + 20) */
}

static void
batch_reports_failure(void **state)
{
    SnBatch b = {
        .x = prepare(net), .nsample = 1200, .njob = 3, .fill = fill_index};

    (void)state;
    assert_int_equal(sn_batch_run(&b, d), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "sample 999: bad sample"));
}

static void
profile_any_threads(void **state)
{
    SnProfile *p, *q;
    SnBuf b, c;

    (void)state;
    assert_int_equal(
        sn_profile_run(a, prepare(net), 50, 1, fill_index, NULL, 1, d, &p),
        SN_OK);
    assert_int_equal(
        sn_profile_run(a, prepare(net), 50, 4, fill_index, NULL, 1, d, &q),
        SN_OK);
    sn_buf_init(&b, a);
    sn_buf_init(&c, a);
    sn_profile_put(p, &b);
    sn_profile_put(q, &c);
    assert_string_equal(b.s, c.s);
    assert_int_equal(p->nsample, 50);
    assert_int_equal(sn_profile_find(p, "x")->count, 200);
    assert_true(sn_profile_find(p, "x")->min == -3);
    assert_true(sn_profile_find(p, "x")->max == 147);
    assert_null(sn_profile_find(p, "k")); /* a constant */
}

/* ---- samples ---- */

static const char *
npy_path(void)
{
    return in_dir(a, "samples.npy");
}

static SnSamples *
open_samples(const SnPort *port, const SnData *data, SnPixels px, SnStatus want)
{
    SnSamples *s = NULL;
    const char *files[] = {npy_path()};

    assert_int_equal(sn_npy_write(a, d, npy_path(), data), SN_OK);
    SnStatus st = sn_samples_open(a, 1, port, 1, files, &px, -1, d, &s);
    if (st != want)
        fail_msg("status %d: %s", (int)st, sn_diag_text(d, a));
    return s;
}

static SnRun *
fill_one(const char *text, const SnData *data, SnPixels px, int64_t sample)
{
    const SnExec *x = prepare(text);
    SnRun *r = sn_run_new(a, x);
    SnSamples *s = open_samples(&x->input[0], data, px, SN_OK);

    assert_int_equal(sn_samples_fill(s, sample, r), SN_OK);
    unlink(npy_path());
    if (!s->feed[0].file[0].file.data.data) { /* read when it is wanted */
        assert_int_equal(sn_samples_fill(s, sample, r), SN_EINPUT);
        assert_string_equal(r->where, npy_path());
        assert_string_equal(r->why, "cannot read: No such file or directory");
    }
    sn_run_free(r);
    return r;
}

static const char picture[] = "sinter-graph 1\n"
                              "graph \"n\" {\n"
                              "  %x = Placeholder() : f32[1,3,2,1]\n"
                              "  Save(%x) {name = \"y\"}\n"
                              "}\n";

static void
samples_permuted(void **state)
{
    /* Two pictures [2, 1, 3] for a model that wants [3, 2, 1]. */
    static const uint8_t v[] = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};
    static const float mul[] = {1, 2, 3}, add[] = {0, 100, 200};
    SnData t = {SN_D_U8, 4, {2, 2, 1, 3}, v, 0};
    SnPixels px = {
        .layout = SN_LAYOUT_NCHW, .nmul = 3, .nadd = 3, .mul = mul, .add = add};
    SnRun *r = fill_one(picture, &t, px, 1);
    const float *x = sn_run_input(r, 0);

    (void)state;
    assert_true(x[0] == 11 && x[1] == 14);
    assert_true(x[2] == 124 && x[3] == 130);
    assert_true(x[4] == 239 && x[5] == 248);
}

static void
samples_as_is(void **state)
{
    static const float v[] = {1, 2, 3, 4, 5, 6};
    SnData t = {SN_D_F32, 4, {1, 3, 2, 1}, v, 0};
    SnRun *r = fill_one(picture, &t, (SnPixels){0}, 0);

    (void)state;
    assert_memory_equal(sn_run_input(r, 0), v, sizeof v);
}

/* [3, 2, 1] and [2, 1, 3] without an axis for the number of pictures. */
static void
samples_one_picture(void **state)
{
    static const float v[] = {1, 2, 3, 4, 5, 6}, w[] = {1, 3, 5, 2, 4, 6};
    static const float mul[] = {1, 1, 1};
    SnPixels px = {.nmul = 3, .mul = mul};
    SnData t = {SN_D_F32, 3, {3, 2, 1}, v, 0};

    (void)state;
    assert_memory_equal(sn_run_input(fill_one(picture, &t, px, 0), 0), v,
                        sizeof v);
    /* Pixels [1, 3, 5] and [2, 4, 6]. */
    t = (SnData){SN_D_F32, 3, {2, 1, 3}, w, 0};
    assert_memory_equal(sn_run_input(fill_one(picture, &t, px, 0), 0), v,
                        sizeof v);
}

static void
samples_codes(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"n\" {\n"
                               "  %x = Placeholder() : qi8<0.5, -3>[1,2]\n"
                               "  Save(%x) {name = \"y\"}\n"
                               "}\n";
    static const uint8_t u[] = {0, 255};
    static const float f[] = {1.25f, 1000};
    SnData t = {SN_D_U8, 2, {1, 2}, u, 0};
    SnRun *r = fill_one(text, &t, (SnPixels){0}, 0);
    const int8_t *x = sn_run_input(r, 0);

    (void)state;
    assert_true(x[0] == -128 && x[1] == 127);
    t = (SnData){SN_D_F32, 2, {1, 2}, f, 0};
    r = fill_one(text, &t, (SnPixels){0}, 0);
    x = sn_run_input(r, 0);
    assert_true(x[0] == -1 && x[1] == 127); /* rne(2.5) - 3 */
}

/* Halves, an infinity among them, and integers without a sign. */
static void
samples_of_other_types(void **state)
{
    static const uint16_t h[] = {0x3c00, 0xc100, 0x0001, 0x7c00, 0x3555, 0};
    static const uint32_t u[] = {1, 4294967295u, 3, 4, 5, 6};
    SnData t = {SN_D_F16, 4, {1, 3, 2, 1}, h, 0};
    const float *x = sn_run_input(fill_one(picture, &t, (SnPixels){0}, 0), 0);

    (void)state;
    assert_true(x[0] == 1 && x[1] == -2.5f && x[2] == 0x1p-24f);
    assert_true(x[3] == INFINITY && x[4] == 0x1.554p-2f && x[5] == 0);
    t = (SnData){SN_D_U32, 4, {1, 3, 2, 1}, u, 0};
    x = sn_run_input(fill_one(picture, &t, (SnPixels){0}, 0), 0);
    assert_true(x[0] == 1 && x[1] == 4294967296.0f);
}

/* Plain codes: numbers are the codes, less 128 where callers have uint8. */
static void
samples_of_plain_codes(void **state)
{
    static const char u8[] = "sinter-graph 1\n"
                             "graph \"n\" {\n"
                             "  %x = Placeholder() {boundary = u8} : i8[1,2]\n"
                             "  Save(%x) {name = \"y\", boundary = u8}\n"
                             "}\n";
    static const char i8[] = "sinter-graph 1\n"
                             "graph \"n\" {\n"
                             "  %x = Placeholder() : i8[1,2]\n"
                             "  Save(%x) {name = \"y\"}\n"
                             "}\n";
    static const uint8_t u[] = {184, 255};
    static const int8_t s[] = {-72, 127};
    SnData t = {SN_D_U8, 2, {1, 2}, u, 0};
    const int8_t *x = sn_run_input(fill_one(u8, &t, (SnPixels){0}, 0), 0);

    (void)state;
    assert_true(x[0] == 56 && x[1] == 127);
    t = (SnData){SN_D_I8, 2, {1, 2}, s, 0};
    x = sn_run_input(fill_one(i8, &t, (SnPixels){0}, 0), 0);
    assert_true(x[0] == -72 && x[1] == 127);
}

static void
samples_refused(void **state)
{
    static const float v[12] = {0}, mul[] = {1, 2};
    const SnExec *x = prepare(picture);
    SnData t = {SN_D_F32, 2, {2, 5}, v, 0};

    (void)state;
    open_samples(&x->input[0], &t, (SnPixels){0}, SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "holds f32[2, 5], but input "
                                               "'x' is [1, 3, 2, 1]"));
    t = (SnData){SN_D_F32, 4, {1, 2, 1, 3}, v, 0};
    open_samples(&x->input[0], &t, (SnPixels){.nmul = 2, .mul = mul},
                 SN_EUSAGE);
    assert_non_null(strstr(sn_diag_text(d, a), "gives 2 numbers"));
    /* As many elements, but in other axes. */
    t = (SnData){SN_D_F32, 3, {1, 2, 3}, v, 0};
    open_samples(&x->input[0], &t, (SnPixels){0}, SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "holds f32[1, 2, 3]"));
    assert_non_null(strstr(sn_diag_text(d, a), "transpose the file to the "
                                               "model's order of axes"));
    t = (SnData){SN_D_F32, 4, {2, 2, 3, 1}, v, 0};
    open_samples(&x->input[0], &t, (SnPixels){0}, SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "holds f32[2, 2, 3, 1]"));
    /* A row of as many has no axes that could be others. */
    t = (SnData){SN_D_F32, 2, {2, 6}, v, 0};
    assert_int_equal(open_samples(&x->input[0], &t, (SnPixels){0}, SN_OK)->n,
                     2);
    unlink(npy_path());
}

static void
reals_of_types(void **state)
{
    static const int8_t q[] = {-128, 0, 127, 5};
    static const float scale[] = {0.5f, 2};
    static const int32_t zp[] = {-128, 1};
    SnPool *p = sn_pool_new(a);
    const SnShape *s = sn_shape(p, 2, (const int64_t[]){2, 2});
    float v[4];

    (void)state;
    sn_to_real(sn_type_axis(p, SN_QI8, 0, 2, scale, zp), s, q, v);
    assert_true(v[0] == 0 && v[1] == 64 && v[2] == 252 && v[3] == 8);
    sn_to_real(sn_type_axis(p, SN_QI8, 1, 2, scale, zp), s, q, v);
    assert_true(v[0] == 0 && v[1] == -2 && v[2] == 127.5f && v[3] == 8);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(plan_chain),
        T(plan_gap),
        T(plan_empty),
        T(plan_random),
        T(exec_values),
        T(exec_run_time_error),
        T(exec_scratch_stays),
        T(exec_maps_stay),
        T(exec_maps_take_little),
        T(batch_any_threads),
        T(batch_reports_failure),
        T(profile_any_threads),
        T(samples_permuted),
        T(samples_as_is),
        T(samples_codes),
        T(samples_one_picture),
        T(samples_of_plain_codes),
        T(samples_of_other_types),
        T(samples_refused),
        T(reals_of_types),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
