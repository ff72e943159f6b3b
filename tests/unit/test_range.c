// SPDX-License-Identifier: Apache-2.0
/* Range rules, schemes by name, settings by glob, joined profiles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "quant/choose/control.h"
#include "unit/parse.h"
#include "unit/scratch.h"

static uint64_t seed = 1;

static double
next_real(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(seed >> 33) / 2147483648.0;
}

/* A bell of deviation 1 with n values, and one outlier. */
static void
bell(SnHist *h, int n, float outlier)
{
    sn_hist_init(h, a, "v");
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < 12; k++)
            s += next_real();
        float v = (float)(s - 6);
        sn_hist_add(h, &v, 1);
    }
    sn_hist_add(h, &outlier, 1);
}

static SnRangeRule
rule(const char *text)
{
    SnRangeRule r = {0};

    assert_null(sn_range_parse(text, &r));
    return r;
}

static void
names(void **state)
{
    SnRangeRule r;
    SnSchema s;

    (void)state;
    assert_int_equal(rule("minmax").kind, SN_MINMAX);
    assert_true(rule("percentile").p == SN_PERCENTILE_DEFAULT);
    assert_true(rule("percentile=99.5").p == 99.5);
    assert_string_equal(sn_range_str(a, rule("percentile=99.5")),
                        "percentile=99.5");
    assert_string_equal(sn_range_str(a, rule("mse")), "mse");
    assert_non_null(sn_range_parse("percentile=50", &r));
    assert_non_null(sn_range_parse("percentile=101", &r));
    assert_non_null(sn_range_parse("percentile=", &r));
    assert_non_null(sn_range_parse("mse=1", &r));
    assert_non_null(sn_range_parse("max", &r));
    assert_true(sn_schema_named("power-of-two", &s));
    assert_int_equal(s, SN_POWER_OF_TWO);
    assert_true(sn_schema_named("symmetric_with_uint8", &s));
    assert_int_equal(s, SN_SYMMETRIC_UINT8);
    assert_false(sn_schema_named("none", &s));
}

static void
check(SnSchema s, SnElem e, double lo, double hi, float scale, int zp)
{
    SnParam p = sn_choose(s, e, lo, hi, 0);

    assert_true(p.scale == scale);
    assert_int_equal(p.zp, zp);
}

static void
schemes(void **state)
{
    (void)state;
    check(SN_SYMMETRIC_UINT8, SN_QI8, 0, 6, (float)(6.0 / 255), -128);
    check(SN_SYMMETRIC_UINT8, SN_QI8, 2, 6, (float)(6.0 / 255), -128);
    check(SN_SYMMETRIC_UINT8, SN_QI8, -1, 6, (float)(6.0 / 127), 0);
    check(SN_POWER_OF_TWO, SN_QI8, -1, 1, 0x1p-6f, 0);
    check(SN_POWER_OF_TWO, SN_QI8, -1, 127.0 / 128, 0x1p-7f, 0);
    check(SN_POWER_OF_TWO, SN_QI8, 0, 127, 1, 0);
    check(SN_POWER_OF_TWO, SN_QI8, 0, 127.01, 2, 0);
    check(SN_POWER_OF_TWO, SN_QI8, 0, 1e6, 0x1p13f, 0); /* a left shift */
    check(SN_POWER_OF_TWO, SN_QI8, 0, 0, SN_SCALE_LEAST, 0);
    check(SN_ASYMMETRIC, SN_QI16, 0, 6, (float)(6.0 / 65535), -32768);
    check(SN_SYMMETRIC, SN_QI16, -3, 3, (float)(3.0 / 32767), 0);
    assert_int_equal(sn_schema_of_slices(SN_ASYMMETRIC), SN_SYMMETRIC);
    assert_int_equal(sn_schema_of_slices(SN_SYMMETRIC_UINT8), SN_SYMMETRIC);
    assert_int_equal(sn_schema_of_slices(SN_POWER_OF_TWO), SN_POWER_OF_TWO);
    SnParam p = sn_choose(SN_POWER_OF_TWO, SN_QI8, -1, 1, 0.3);
    assert_true(p.scale == 0.5f); /* the floor too is rounded up */
}

static void
percentile(void **state)
{
    SnHist h;
    double lo, hi;

    (void)state;
    sn_hist_init(&h, a, "v");
    for (int i = 0; i < 1000; i++) {
        float v = (float)i;
        sn_hist_add(&h, &v, 1);
    }
    assert_int_equal(h.exp, -1);
    sn_range_choose(rule("minmax"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo == 0 && hi == 999);
    sn_range_choose(rule("percentile=100"), &h, SN_ASYMMETRIC, SN_QI8, &lo,
                    &hi);
    assert_true(lo == 0 && hi == 999);
    /* 5 of 1000 go on each side: 0 to 4 and 995 to 999. */
    sn_range_choose(rule("percentile=99"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo == 5 && hi == 994.5);
}

static void
one_value(void **state)
{
    static const char *const text[] = {"minmax", "percentile=60", "entropy",
                                       "mse"};
    const float v = 3, z = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        SnHist h;
        double lo, hi;
        sn_hist_init(&h, a, "v");
        sn_hist_add(&h, &v, 1);
        sn_range_choose(rule(text[i]), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
        assert_true(lo == 3 && hi == 3);
        sn_hist_init(&h, a, "z");
        sn_hist_add(&h, &z, 1);
        sn_range_choose(rule(text[i]), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
        assert_true(lo == 0 && hi == 0);
    }
}

/* Against the sum over single values, each quantized by its own. */
static void
mse_is_the_error(void **state)
{
    SnHist h;
    uint64_t room[SN_HIST_MAX];

    (void)state;
    bell(&h, 20000, 8);
    const uint64_t *bin = sn_hist_bins(&h, room);
    for (double top = 1; top < 9; top += 1) {
        SnParam q = sn_choose(SN_SYMMETRIC, SN_QI8, -top, top, 0);
        double w = ldexp(1, h.exp), sum = 0;
        for (uint32_t i = 0; i < h.nbin; i++)
            for (int k = 0; k < 64; k++) {
                double x =
                    ldexp((double)(h.first + i), h.exp) + w * (k + 0.5) / 64;
                double n = rint(x / (double)q.scale);
                n = n < -128 ? -128 : n > 127 ? 127 : n;
                double e = x - n * (double)q.scale;
                sum += (double)bin[i] * e * e / 64;
            }
        double got = sn_range_mse(&h, q, SN_QI8);
        assert_true(fabs(got - sum / (double)h.count) < 1e-3 * got + 1e-9);
    }
}

/* No range among those looked at does better than the one chosen. */
static void
mse_is_least(void **state)
{
    SnHist h;
    double lo, hi;

    (void)state;
    bell(&h, 20000, 40);
    sn_range_choose(rule("mse"), &h, SN_SYMMETRIC, SN_QI8, &lo, &hi);
    double best =
        sn_range_mse(&h, sn_choose(SN_SYMMETRIC, SN_QI8, lo, hi, 0), SN_QI8);
    for (double top = 0.5; top <= 40; top += 0.5)
        assert_true(best <=
                    sn_range_mse(&h,
                                 sn_choose(SN_SYMMETRIC, SN_QI8, -top, top, 0),
                                 SN_QI8) *
                        1.01);
    assert_true(hi < 40); /* the outlier saturates */
    assert_true(hi > 3);
}

static void
outlier_saturates(void **state)
{
    SnHist h;
    double lo, hi;

    (void)state;
    bell(&h, 20000, 100);
    sn_range_choose(rule("minmax"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(hi == 100);
    sn_range_choose(rule("percentile=99.9"), &h, SN_ASYMMETRIC, SN_QI8, &lo,
                    &hi);
    assert_true(lo < -2.9 && lo > -4 && hi > 2.9 && hi < 4);
    sn_range_choose(rule("entropy"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo < -2 && hi > 2 && hi < 50);
    sn_range_choose(rule("mse"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo < -2 && hi > 2 && hi < 100);
    /* 16 bits have codes for all of it. */
    sn_range_choose(rule("entropy"), &h, SN_ASYMMETRIC, SN_QI16, &lo, &hi);
    assert_true(hi == 100);
}

/* 256 grey levels, most of them 0 or 255, as an image has: entropy has
 * nothing to say and must not cut them off. */
static void
few_levels(void **state)
{
    SnHist h;
    double lo, hi;

    (void)state;
    sn_hist_init(&h, a, "image");
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < (i == 0 ? 9000 : i == 255 ? 1000 : 10); k++) {
            float v = (float)i * 0.0127282331f - 0.424212918f;
            sn_hist_add(&h, &v, 1);
        }
    sn_range_choose(rule("entropy"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo == (double)h.min && hi == (double)h.max);
}

/* ---- globs ---- */

static const char net[] = "sinter-graph 1\n"
                          "graph \"n\" {\n"
                          "  %x = Placeholder() : f32[4]\n"
                          "  %\"head/a\" = Relu(%x) : f32[4]\n"
                          "  %\"head/b\" = Sqrt(%\"head/a\") : f32[4]\n"
                          "  %k = Constant() {splat = 1} : f32[4]\n"
                          "  %y = Add(%\"head/b\", %k) : f32[4]\n"
                          "  Save(%y) {name = \"y\"}\n"
                          "}\n";

static SnSettings
at(const SnControl *c, const SnGraph *g, const char *name)
{
    return sn_settings_of(c, g, SN_NODE(sn_find(g, name)), NULL);
}

static void
globs(void **state)
{
    SnGraph *g = parse(net);
    SnControl c = {0};
    const char *option;

    (void)state;
    assert_int_equal(
        sn_control_add(a, &c, "--scheme", SN_ASK_SCHEMA, "symmetric", d),
        SN_OK);
    assert_int_equal(sn_control_add(a, &c, "--scheme", SN_ASK_SCHEMA,
                                    "head/*=power-of-two", d),
                     SN_OK);
    assert_int_equal(
        sn_control_add(a, &c, "--scheme", SN_ASK_SCHEMA, "@Sqrt=asymmetric", d),
        SN_OK);
    assert_int_equal(
        sn_control_add(a, &c, "--range", SN_ASK_RANGE, "y=percentile=99", d),
        SN_OK);
    assert_int_equal(sn_control_add(a, &c, "--precision", SN_ASK_PRECISION,
                                    "head/?=int16", d),
                     SN_OK);
    sn_control_keep_float(a, &c, "--keep-float", "head/b");
    assert_int_equal(sn_control_check(&c, g, a, d), SN_OK);
    assert_int_equal(at(&c, g, "x").schema, SN_SYMMETRIC);
    assert_int_equal(at(&c, g, "head/a").schema, SN_POWER_OF_TWO);
    assert_int_equal(at(&c, g, "head/b").schema, SN_ASYMMETRIC);
    assert_int_equal(at(&c, g, "head/a").precision, SN_INT16);
    assert_int_equal(at(&c, g, "head/b").precision, SN_FLOAT);
    assert_int_equal(at(&c, g, "y").precision, SN_INT8);
    assert_int_equal(at(&c, g, "y").range.kind, SN_PERCENTILE);
    assert_true(at(&c, g, "y").range.p == 99);
    assert_int_equal(at(&c, g, "x").range.kind, SN_MINMAX);
    sn_settings_of(&c, g, SN_NODE(sn_find(g, "head/b")), &option);
    assert_string_equal(option, "--keep-float 'head/b'");
}

static void
no_match(const char *glob, const char *message)
{
    SnGraph *g = parse(net);
    SnControl c = {0};
    SnDiag *e = sn_diag_new(a);

    sn_control_keep_float(a, &c, "--keep-float", glob);
    assert_int_equal(sn_control_check(&c, g, a, e), SN_EUSAGE);
    if (!strstr(sn_diag_text(e, a), message))
        fail_msg("got: %s\nwant: %s", sn_diag_text(e, a), message);
}

static void
globs_without_match(void **state)
{
    (void)state;
    no_match("head/c", "--keep-float: no node matches 'head/c'; did you mean "
                       "'head/");
    no_match("@Sqr", "did you mean '@Sqrt'?");
    no_match("nowhere", "no node matches 'nowhere'");
    no_match("k", "no node matches 'k'"); /* a Constant has no settings */
}

/* ---- joined profiles ---- */

static void
save(const char *path, const char *name, const float *v, int n)
{
    SnProfile *p = SN_NEW(a, SnProfile);
    SnHist h;

    p->model = "m";
    p->hash = 7;
    p->nsample = (uint64_t)n;
    sn_hist_init(&h, a, name);
    sn_hist_add(&h, v, n);
    SN_PUSH(a, p->hist, p->n, h);
    sn_profile_index(a, p);
    assert_int_equal(sn_profile_save(p, path, d), SN_OK);
}

static void
join_files(void **state)
{
    static const float v[] = {1, 2, -700, 0.001f, 3};
    const char *path[] = {new_file(a), new_file(a)};
    SnProfile *p, *whole;
    SnBuf x, y;

    (void)state;
    save(path[0], "v", v, 5);
    assert_int_equal(sn_profile_load(a, path[0], d, &whole), SN_OK);
    save(path[0], "v", v, 2);
    save(path[1], "v", v + 2, 3);
    assert_int_equal(sn_profile_join(a, 2, path, d, &p), SN_OK);
    sn_buf_init(&x, a);
    sn_buf_init(&y, a);
    sn_profile_put(p, &x);
    sn_profile_put(whole, &y);
    assert_string_equal(x.s, y.s);
    save(path[1], "w", v + 2, 3);
    assert_int_equal(sn_profile_join(a, 2, path, d, &p), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "has value 'w' where "));
    unlink(path[0]);
    unlink(path[1]);
}

/* Half of the way: [-1, 2], then [-3, 4], then nothing finite. */
static void
moving_average(void **state)
{
    static const float v[3][3] = {
        {-1, 0.5f, 2}, {4, NAN, -3}, {NAN, INFINITY, NAN}};
    SnHist h;
    double lo, hi;

    (void)state;
    sn_hist_init(&h, a, "v");
    for (int i = 0; i < 3; i++) {
        sn_hist_add(&h, v[i], 3);
        sn_hist_average(&h, v[i], 3, 0.5);
    }
    assert_true(h.averaged && h.avg_min == -2 && h.avg_max == 3);
    sn_range_choose(rule("moving-average"), &h, SN_ASYMMETRIC, SN_QI8, &lo,
                    &hi);
    assert_true(lo == -2 && hi == 3);
    sn_range_choose(rule("minmax"), &h, SN_ASYMMETRIC, SN_QI8, &lo, &hi);
    assert_true(lo == -3 && hi == 4);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(names),
        T(schemes),
        T(percentile),
        T(one_value),
        T(mse_is_the_error),
        T(mse_is_least),
        T(outlier_saturates),
        T(few_levels),
        T(moving_average),
        T(globs),
        T(globs_without_match),
        T(join_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
