// SPDX-License-Identifier: Apache-2.0
/* Histograms, profile files, schemes and the step `place`. */
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

#include "base/file/file.h"
#include "quant/quantize.h"
#include "sn_kinds.h"
#include "unit/parse.h"
#include "unit/scratch.h"

static uint64_t seed = 1;

static float
next_f32(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (float)((double)(seed >> 33) / 2147483648.0 - 0.5);
}

/* ---- histograms ---- */

static uint64_t
in_bin(const SnHist *h, uint32_t i)
{
    uint64_t room[SN_HIST_MAX];

    return sn_hist_bins(h, room)[i];
}

static void
hist_small(void **state)
{
    const float v[] = {0, 1, 2, 3, 3};
    SnHist h;

    (void)state;
    sn_hist_init(&h, a, "v");
    sn_hist_add(&h, v, 5);
    assert_int_equal(h.count, 5);
    assert_true(h.min == 0 && h.max == 3);
    /* 3 / 2^-9 = 1536 < 2048; at 2^-10 it would take 3073 bins. */
    assert_int_equal(h.exp, -9);
    assert_int_equal(h.first, 0);
    assert_int_equal(h.nbin, 1537);
    assert_int_equal(in_bin(&h, 0), 1);
    assert_int_equal(in_bin(&h, 512), 1);
    assert_int_equal(in_bin(&h, 1024), 1);
    assert_int_equal(in_bin(&h, 1536), 2);
}

static void
hist_negative_edges(void **state)
{
    const float v[] = {-1, -0.25f, -1e-9f, 0};
    SnHist h;

    (void)state;
    sn_hist_init(&h, a, "v");
    sn_hist_add(&h, v, 4);
    assert_int_equal(h.exp, -10); /* -1024 .. 0 */
    assert_int_equal(h.first, -1024);
    assert_int_equal(h.nbin, 1025);
    assert_int_equal(in_bin(&h, 0), 1);
    assert_int_equal(in_bin(&h, 1024 - 256), 1);
    assert_int_equal(in_bin(&h, 1023), 1); /* just below 0 */
    assert_int_equal(in_bin(&h, 1024), 1);
}

static void
hist_constant_and_zero(void **state)
{
    const float z[] = {0, -0.0f}, c[] = {1.5f, 1.5f};
    SnHist h;

    (void)state;
    sn_hist_init(&h, a, "z");
    sn_hist_add(&h, z, 2);
    assert_int_equal(h.nbin, 1);
    assert_int_equal(in_bin(&h, 0), 2);
    assert_int_equal(h.exp, -149);
    assert_false(signbit(h.min));
    sn_hist_init(&h, a, "c");
    sn_hist_add(&h, c, 2);
    assert_int_equal(h.exp, -30); /* 2^-30 of the magnitude */
    assert_int_equal(h.nbin, 1);
    assert_int_equal(in_bin(&h, 0), 2);
}

static void
hist_nonfinite(void **state)
{
    const float v[] = {NAN, 1, INFINITY, -INFINITY};
    SnHist h;

    (void)state;
    sn_hist_init(&h, a, "v");
    sn_hist_add(&h, v, 4);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.nonfinite, 3);
    assert_true(h.min == 1 && h.max == 1);
}

static bool
same_hist(const SnHist *x, const SnHist *y)
{
    uint64_t rx[SN_HIST_MAX], ry[SN_HIST_MAX];

    return x->min == y->min && x->max == y->max && x->count == y->count &&
           x->exp == y->exp && x->first == y->first && x->nbin == y->nbin &&
           memcmp(sn_hist_bins(x, rx), sn_hist_bins(y, ry),
                  x->nbin * sizeof *rx) == 0;
}

/* The result depends on the values alone: not on their order, nor on how they
 * were split and merged. */
static void
hist_merge_any_order(void **state)
{
    enum { N = 3000 };
    static float v[N];
    SnHist all, up, down, left, right;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++)
            v[i] = next_f32() * ldexpf(1, (i * 7 + round) % 40 - 20);
        sn_hist_init(&all, a, "v");
        sn_hist_init(&up, a, "v");
        sn_hist_init(&down, a, "v");
        sn_hist_init(&left, a, "v");
        sn_hist_init(&right, a, "v");
        sn_hist_add(&all, v, N);
        for (int i = 0; i < N; i++)
            sn_hist_add(&up, v + i, 1);
        for (int i = N; i-- > 0;)
            sn_hist_add(&down, v + i, 1);
        int cut = (round * 131) % N;
        sn_hist_add(&left, v, cut);
        sn_hist_add(&right, v + cut, N - cut);
        sn_hist_merge(&right, &left);
        assert_true(same_hist(&all, &up));
        assert_true(same_hist(&all, &down));
        assert_true(same_hist(&all, &right));
        uint64_t sum = 0;
        for (uint32_t i = 0; i < all.nbin; i++)
            sum += in_bin(&all, i);
        assert_int_equal(sum, N);
        assert_true(all.nbin <= SN_HIST_MAX);
    }
}

/* Few occupied bins are listed, more are not: the counts are the same, also
 * where one is above what a listed bin holds. */
static void
hist_few_and_many(void **state)
{
    enum { N = 1000 };
    SnHist h, twice;

    (void)state;
    sn_hist_init(&h, a, "v");
    assert_null(h.bin);
    for (int i = 0; i < N; i++) {
        float v = (float)(i * 7 % N);
        sn_hist_add(&h, &v, 1);
        assert_true((h.bin != NULL) == (h.nfew == 0));
    }
    assert_non_null(h.bin);
    assert_int_equal(h.exp, -1);
    for (uint32_t i = 0; i < h.nbin; i++)
        assert_int_equal(in_bin(&h, i), i % 2 == 0);

    const float ends[] = {0, 1};
    sn_hist_init(&h, a, "v");
    sn_hist_add(&h, ends, 2);
    sn_hist_put(&h, 5, UINT32_MAX);
    h.count += UINT32_MAX;
    assert_null(h.bin);
    sn_hist_init(&twice, a, "v");
    sn_hist_merge(&twice, &h);
    sn_hist_merge(&twice, &h);
    assert_non_null(twice.bin);
    assert_true(in_bin(&twice, 5) == 2 * (uint64_t)UINT32_MAX);
    assert_int_equal(in_bin(&twice, 0), 2);
    assert_int_equal(in_bin(&twice, h.nbin - 1), 2);
    /* A wider range puts bins together: 4 and 5, with one each. */
    sn_hist_put(&h, 4, 1);
    h.count++;
    const float far = 2;
    sn_hist_add(&h, &far, 1);
    assert_true(in_bin(&h, 2) == (uint64_t)UINT32_MAX + 1);
}

/* ---- profile files ---- */

static const char *
file_path(void)
{
    return in_dir(a, "profile.json");
}

static SnProfile *
small_profile(void)
{
    static const float x[] = {-1, 0.5f, 2}, y[] = {0.1f, 0.2f};
    SnProfile *p = SN_NEW(a, SnProfile);
    SnHist h;

    p->model = "m";
    p->hash = 0x123456789abcdef0u;
    p->nsample = 3;
    sn_hist_init(&h, a, "x");
    sn_hist_add(&h, x, 3);
    SN_PUSH(a, p->hist, p->n, h);
    sn_hist_init(&h, a, "a/b:\"0\"");
    sn_hist_add(&h, y, 2);
    SN_PUSH(a, p->hist, p->n, h);
    sn_hist_init(&h, a, "never");
    SN_PUSH(a, p->hist, p->n, h);
    sn_profile_index(a, p);
    return p;
}

static void
profile_round_trip(void **state)
{
    SnProfile *p = small_profile(), *q;
    SnBuf b, c;

    (void)state;
    assert_int_equal(sn_profile_save(p, file_path(), d), SN_OK);
    assert_int_equal(sn_profile_load(a, file_path(), d, &q), SN_OK);
    assert_int_equal(q->n, 3);
    assert_true(q->hash == p->hash);
    assert_true(same_hist(sn_profile_find(q, "x"), &p->hist[0]));
    assert_true(same_hist(sn_profile_find(q, "a/b:\"0\""), &p->hist[1]));
    assert_int_equal(sn_profile_find(q, "never")->count, 0);
    assert_null(sn_profile_find(q, "other"));
    sn_buf_init(&b, a);
    sn_buf_init(&c, a);
    sn_profile_put(p, &b);
    sn_profile_put(q, &c);
    assert_string_equal(b.s, c.s);
    unlink(file_path());
}

static void
refuse(const char *from, const char *to, const char *message)
{
    SnProfile *p = small_profile(), *q;
    SnBuf b;

    sn_buf_init(&b, a);
    sn_profile_put(p, &b);
    char *at = from ? strstr(b.s, from) : NULL;
    SnBuf t;
    sn_buf_init(&t, a);
    if (at) {
        sn_putn(&t, b.s, (size_t)(at - b.s));
        sn_puts(&t, to);
        sn_puts(&t, at + strlen(from));
    } else {
        assert_null(from);
        sn_puts(&t, to);
    }
    SnDiag *e = sn_diag_new(a);
    assert_int_equal(sn_file_write(e, file_path(), t.s, t.n), SN_OK);
    assert_int_equal(sn_profile_load(a, file_path(), e, &q), SN_EINPUT);
    if (!strstr(sn_diag_text(e, a), message))
        fail_msg("got: %s\nwant: %s", sn_diag_text(e, a), message);
    unlink(file_path());
}

static void
profile_hostile(void **state)
{
    (void)state;
    refuse(NULL, "[]", "expected a JSON object");
    refuse(NULL, "{\"format\": \"sinter-profile\"", "line 1");
    refuse("sinter-profile", "other", "must be \"sinter-profile\"");
    refuse("\"version\": 1", "\"version\": 2",
           "\"version\" must be an "
           "integer from 1 to 1");
    refuse("123456789abcdef0", "12345678", "16 hexadecimal digits");
    refuse("\"samples\": 3", "\"samples\": -3", "\"samples\"");
    refuse("\"max\": 2", "\"max\": -2", "\"max\" must be at least");
    refuse("\"max\": 2", "\"max\": 1e300", "finite 32-bit number");
    refuse("\"max\": 2", "\"max\": \"2\"", "finite 32-bit number");
    refuse("\"exp\": -9", "\"exp\": -10", "\"exp\" must be -9");
    refuse("\"first\": -512", "\"first\": 0", "\"first\" must be -512");
    refuse("\"bins\": [1, ", "\"bins\": [2, ", "whose sum is \"count\"");
    refuse("\"bins\": [1, ", "\"bins\": [", "an array of 1537 counts");
    refuse("\"bins\": [1, ", "\"bins\": [-1, ", "counts of zero or more");
    refuse("\"name\": \"never\"", "\"name\": \"x\"", "appears twice");
    refuse("\"name\": \"never\"", "\"nam\": \"x\"", "\"name\" must be");
    refuse("\"count\": 3", "\"count\": 99999999999999999999", "line");
    refuse("\"count\": 3", "\"count\": -1", "\"count\" must be an integer");
    refuse("\"nonfinite\": 0", "\"nonfinite\": 0.5", "\"nonfinite\" must be");
    refuse("\"min\": -1", "\"min\": null", "\"min\" must be a finite");
    refuse("\"exp\": -9", "\"exp\": -150", "\"exp\" must be an integer");
    refuse("\"first\": -512", "\"first\": \"\"", "\"first\" must be an");
    refuse("\"bins\": [1, ", "\"bins\": [0.5, ", "counts of zero or more");
    refuse("\"bins\": [1, ", "\"bins\": 1, \"b\": [", "an array of 1537");
    refuse("123456789abcdef0", "123456789abcdefg", "16 hexadecimal digits");
    refuse("\"model\": \"m\"", "\"model\": 1", "\"model\" must be a string");
    refuse("\"name\": \"x\"", "\"name\": \"\\u0000\"", "line 4");
    refuse("\"values\": [", "\"values\": 1, \"v\": [", "must be an array");
    refuse("\"values\": [", "\"values\": [1, ", "an array of objects");
}

/* What averages and shards add. */
static void
profile_hostile_parts(void **state)
{
    static const struct {
        const char *add, *says; /* before "values" */
    } c[] = {
        {"\"moving_average\": 0, ", "above 0 and at most 1"},
        {"\"moving_average\": 1.5, ", "above 0 and at most 1"},
        {"\"moving_average\": true, ", "a finite 32-bit number"},
        {"\"shards\": 1, ", "\"shards\" must be an integer from 2"},
        {"\"shards\": 2, ", "some of the shards, not none and not all"},
        {"\"shards\": 2, \"parts\": [0, 1], ", "not none and not all"},
        {"\"shards\": 3, \"parts\": [1, 0], ", "rising"},
        {"\"shards\": 3, \"parts\": [1, 1], ", "rising"},
        {"\"shards\": 3, \"parts\": [3], ", "rising"},
        {"\"shards\": 3, \"parts\": [0.5], ", "rising"},
    };
    static const char *const average[] = {"1",         "[0]",       "[0, 1, 2]",
                                          "[0, true]", "[\"\", 1]", "[1, 0]",
                                          "[-2, 1]",   "[0, 3]"};

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        refuse("\"values\": [", sn_format(a, "%s\"values\": [", c[i].add),
               c[i].says);
    for (size_t i = 0; i < sizeof average / sizeof average[0]; i++)
        refuse("\"count\": 3",
               sn_format(a, "\"average\": %s, \"count\": 3", average[i]),
               "two numbers between \"min\" and \"max\"");
}

/* ---- schemes ---- */

static void
check_param(SnSchema s, double lo, double hi, double scale, int zp)
{
    SnParam p = sn_choose(s, SN_QI8, lo, hi, 0);

    assert_true(fabs((double)p.scale - scale) <= 1e-3 * scale + 1e-30);
    assert_int_equal(p.zp, zp);
}

static void
scheme_ranges(void **state)
{
    (void)state;
    check_param(SN_ASYMMETRIC, 0, 6, 6.0 / 255, -128);
    check_param(SN_ASYMMETRIC, -3, 3, 6.0 / 255, 0);
    check_param(SN_ASYMMETRIC, -2, 5, 7.0 / 255, -55);
    check_param(SN_ASYMMETRIC, 2, 5, 5.0 / 255, -128);
    check_param(SN_ASYMMETRIC, -8, -2, 8.0 / 255, 127);
    check_param(SN_SYMMETRIC, 0, 6, 6.0 / 127, 0);
    check_param(SN_SYMMETRIC, -3, 3, 3.0 / 127, 0);
    check_param(SN_SYMMETRIC, -2, 5, 5.0 / 127, 0);
    check_param(SN_SYMMETRIC, -8, -2, 8.0 / 128, 0);
}

static void
scheme_degenerate(void **state)
{
    (void)state;
    SnParam p = sn_choose(SN_ASYMMETRIC, SN_QI8, 0, 0, 0);
    assert_true(p.scale == SN_SCALE_LEAST);
    assert_int_equal(p.zp, -128);
    p = sn_choose(SN_SYMMETRIC, SN_QI8, 0, 0, 0);
    assert_true(p.scale == SN_SCALE_LEAST);
    p = sn_choose(SN_SYMMETRIC, SN_QI8, -1, 1, 0.5);
    assert_true(p.scale == 0.5f);
    p = sn_choose(SN_ASYMMETRIC, SN_QI8, NAN, NAN, 0);
    assert_true(p.scale == SN_SCALE_LEAST);
}

/* Zero has a code, and no real of the range saturates by more than half a
 * step. */
static void
scheme_covers(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = (double)next_f32() * 20, y = (double)next_f32() * 20;
        double lo = fmin(fmin(x, y), 0), hi = fmax(fmax(x, y), 0);
        for (SnSchema s = SN_ASYMMETRIC; s < SN_NSCHEMA; s++) {
            SnParam p = sn_choose(s, SN_QI8, x < y ? x : y, x < y ? y : x, 0);
            double sc = (double)p.scale;
            assert_true(p.zp >= -128 && p.zp <= 127);
            assert_true((-128.5 - p.zp) * sc <= lo + 1e-5);
            assert_true((127.5 - p.zp) * sc >= hi - 1e-5);
        }
    }
}

/* ---- place ---- */

static const char net[] =
    "sinter-graph 1\n"
    "graph \"net\" {\n"
    "  %x = Placeholder() : f32[1,2,2,1]\n"
    "  %w = Constant() {data = [1, -2]} : f32[2,1,1,1]\n"
    "  %b = Constant() {data = [0.5, 0.25]} : f32[2]\n"
    "  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,2,2,2]\n"
    "  %p = MaxPool(%c) {kernel = [2,2]} : f32[1,1,1,2]\n"
    "  %s = Softmax(%p) : f32[1,1,1,2]\n"
    "  Save(%s) {name = \"out\"}\n"
    "}\n";

static SnProfile *
ranges(uint32_t n, const char *const *name, const float (*range)[2])
{
    SnProfile *p = SN_NEW(a, SnProfile);

    p->model = "net";
    for (uint32_t i = 0; i < n; i++) {
        SnHist h;
        sn_hist_init(&h, a, name[i]);
        sn_hist_add(&h, range[i], 2);
        SN_PUSH(a, p->hist, p->n, h);
    }
    sn_profile_index(a, p);
    return p;
}

static SnGraph *
place(const char *text, SnPlace *pl)
{
    SnGraph *g = parse(text);
    SnRewriteOpts o = sn_rewrite_defaults;

    pl->arena = a;
    o.place = sn_place;
    o.place_ctx = pl;
    SnRewriter *rw = sn_rewriter_new(a, &o, d);
    if (sn_rewrite(rw, g, "place") != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

static const SnType *
type_named(const SnGraph *g, const char *name)
{
    SnRef r = sn_find(g, name);

    if (!r)
        fail_msg("no value '%s'", name);
    return sn_type(g, r);
}

static const char *const net_name[] = {"x", "c", "p", "s"};
static const float net_range[][2] = {{0, 1}, {-1, 3}, {-1, 3}, {0, 1}};

static void
place_network(void **state)
{
    SnPlace pl = {.profile = ranges(4, net_name, net_range)};
    SnGraph *g = place(net, &pl);

    (void)state;
    assert_int_equal(pl.nvalue, 4);
    assert_int_equal(pl.nconst, 1);
    assert_int_equal(pl.nfloat, 0);
    assert_true(type_named(g, "c.q")->scale[0] == (float)(4.0 / 255));
    /* A move or monotone window keeps its input's type. */
    assert_ptr_equal(type_named(g, "p.q"), type_named(g, "c.q"));
    /* A fixed port has its own. */
    assert_true(type_named(g, "s.q")->scale[0] == 1.0f / 256);
    assert_int_equal(type_named(g, "s.q")->zp[0], -128);
    /* Every use reads the Dequantize, the output too. */
    assert_string_equal(sn_name(g, sn_in(g, SN_NODE(sn_find(g, "c")), 0)),
                        "x.dq");
    assert_int_equal(sn_nuse(g, sn_find(g, "s")), 1);
    assert_true(sn_def(g, sn_find(g, "c.q"))->calibrated);
    /* The bias is pinned: no pair. */
    assert_int_equal(sn_find(g, "b.q"), 0);
    assert_true(type_named(g, "w.q")->nq == 1);
}

static void
place_channelwise(void **state)
{
    SnPlace pl = {.profile = ranges(4, net_name, net_range),
                  .channelwise = true};
    SnGraph *g = place(net, &pl);
    const SnType *w = type_named(g, "w.q");

    (void)state;
    assert_int_equal(w->axis, 0);
    assert_int_equal(w->nq, 2);
    assert_true(w->scale[0] == (float)(1.0 / 127));
    assert_true(w->scale[1] == (float)(2.0 / 128));
    assert_int_equal(w->zp[0], 0);
}

static void
place_without_range(void **state)
{
    SnPlace pl = {.profile = ranges(1, net_name, net_range)};
    SnGraph *g = place(net, &pl);

    (void)state;
    assert_int_equal(pl.nvalue, 0);
    assert_int_equal(pl.nfloat, 3);
    assert_string_equal(pl.left_float[0].name, "c (Conv2D)");
    assert_string_equal(pl.left_float[0].why,
                        "the profile has no range for 'c'");
    assert_int_equal(sn_find(g, "x.q"), 0);
}

/* Probabilities far below a step of the fixed type would all round to 0: the
 * form that writes on any grid takes their range. */
static void
place_unfit_fixed_type(void **state)
{
    static const float range[][2] = {{0, 1}, {-1, 3}, {-1, 3}, {0, 0.001f}};
    SnPlace pl = {.profile = ranges(4, net_name, range)};
    SnGraph *g = place(net, &pl);

    (void)state;
    assert_int_equal(pl.nfloat, 0);
    assert_true(type_named(g, "s.q")->scale[0] == 0.001f / 255);
    assert_int_equal(type_named(g, "s.q")->zp[0], -128);
    assert_string_equal(sn_name(g, sn_in(g, SN_NODE(sn_find(g, "s")), 0)),
                        "p.dq");
}

/* A splat that is larger than what folding works out is not read. */
static void
place_huge_splat(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"n\" {\n"
        "  %x = Placeholder() : f32[1,20000]\n"
        "  %w = Splat() {value = 0.5, dims = [20000,20000]} : "
        "f32[20000,20000]\n"
        "  %c = MatMul(%x, %w) : f32[1,20000]\n"
        "  Save(%c) {name = \"y\"}\n"
        "}\n";
    SnPlace pl = {.profile = ranges(4, net_name, net_range)};

    (void)state;
    place(text, &pl);
    assert_int_equal(pl.nfloat, 1);
    assert_string_equal(pl.left_float[0].why,
                        "constant 'w' has more than 1024 MiB");
}

/* A value whose producer is float is quantized only where a port asks. */
static void
place_unquantized_producer(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"n\" {\n"
                               "  %x = Placeholder() : f32[2]\n"
                               "  %e = Floor(%x) : f32[2]\n"
                               "  %y = Add(%e, %x) : f32[2]\n"
                               "  Save(%e) {name = \"e\"}\n"
                               "  Save(%y) {name = \"y\"}\n"
                               "}\n";
    static const char *const name[] = {"x", "e", "y"};
    static const float range[][2] = {{0, 1}, {0, 2}, {0, 3}};
    SnPlace pl = {.profile = ranges(3, name, range)};
    SnGraph *g = place(text, &pl);

    (void)state;
    assert_int_equal(pl.nvalue, 3);
    assert_int_equal(pl.nfloat, 1);
    assert_string_equal(pl.left_float[0].name, "e (Floor)");
    assert_string_equal(sn_name(g, sn_in(g, SN_NODE(sn_find(g, "e")), 0)), "x");
    assert_string_equal(sn_name(g, sn_in(g, SN_NODE(sn_find(g, "y")), 0)),
                        "e.dq");
    assert_string_equal(sn_name(g, sn_in(g, SN_NODE(sn_find(g, "y")), 1)),
                        "x.dq");
    assert_int_equal(sn_nuse(g, sn_find(g, "e")), 2); /* e.q and the Save */
}

/* Weights of 1e-12 under a bias of 1: the bias would need 10^13 steps. */
static void
place_raises_scale(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"n\" {\n"
        "  %x = Placeholder() : f32[1,1,1,1]\n"
        "  %w = Constant() {data = [1e-12, 1]} : f32[2,1,1,1]\n"
        "  %b = Constant() {data = [1, 1]} : f32[2]\n"
        "  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,1,1,2]\n"
        "  Save(%c) {name = \"c\"}\n"
        "}\n";
    static const char *const name[] = {"x", "c"};
    static const float range[][2] = {{0, 1}, {0, 2}};
    SnPlace pl = {.profile = ranges(2, name, range), .channelwise = true};
    SnGraph *g = place(text, &pl);
    const SnType *w = type_named(g, "w.q"), *x = type_named(g, "x.q");

    (void)state;
    assert_int_equal(pl.nraised, 1);
    assert_int_equal(pl.raised[0].nslice, 1);
    assert_int_equal(pl.raised[0].nof, 2);
    assert_int_equal(pl.raised[0].slice[0], 0);
    assert_true(pl.raised[0].from[0] == (float)(1e-12 / 127));
    assert_true(pl.raised[0].to[0] == w->scale[0]);
    assert_true(1.0 / ((double)x->scale[0] * (double)w->scale[0]) <
                2147483647.0);
    assert_true(w->scale[1] == (float)(1.0 / 127));
    assert_non_null(strstr(sn_diag_text(d, a),
                           "1 of 2 weight scales of 'w' "
                           "raised so that the bias fits 32 bits"));
}

/* The whole pipeline: everything becomes int8. */
static void
quantize_network(void **state)
{
    SnGraph *g = parse(net);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};
    SnRewriter *rw;
    SnQuantReport r;

    (void)state;
    o.rewrite.verify = true;
    SnStatus st =
        sn_quantize_graph(a, g, ranges(4, net_name, net_range), &o, &rw, d, &r);
    if (st != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_int_equal(r.nquant, 3);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(r.left, 0);
    assert_int_equal(r.inserted, r.absorbed + r.merged + r.other + r.left);
    assert_int_equal(type_named(g, "c")->elem, SN_QI8);
    assert_int_equal(type_named(g, "p")->elem, SN_QI8);
    assert_int_equal(type_named(g, "s")->elem, SN_QI8);
}

/* 8 bits and the smallest shift that holds all codes. */
static void
bias_of_8_bits(void **state)
{
    static const struct {
        int32_t v[3], want[3];
        int k;
    } c[] = {
        {{0, 0, 0}, {0, 0, 0}, 0},
        {{127, -128, 5}, {127, -128, 5}, 0},
        {{128, -3, 5}, {128, -4, 4}, 1}, /* -1.5 to -2, 2.5 to 2 */
        {{1000, -1024, 3}, {1000, -1024, 0}, 3},
        {{INT32_MAX, INT32_MIN, 0}, {127 << 24, INT32_MIN, 0}, 24},
    };

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        int32_t v[3];
        memcpy(v, c[i].v, sizeof v);
        assert_int_equal(sn_bias8_round(v, 3), c[i].k);
        assert_memory_equal(v, c[i].want, sizeof v);
    }
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(hist_small),
        T(hist_negative_edges),
        T(hist_constant_and_zero),
        T(hist_nonfinite),
        T(hist_merge_any_order),
        T(hist_few_and_many),
        T(profile_round_trip),
        T(profile_hostile),
        T(profile_hostile_parts),
        T(scheme_ranges),
        T(scheme_degenerate),
        T(scheme_covers),
        T(place_network),
        T(place_channelwise),
        T(place_without_range),
        T(place_unfit_fixed_type),
        T(place_huge_splat),
        T(place_unquantized_producer),
        T(place_raises_scale),
        T(bias_of_8_bits),
        T(quantize_network),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
