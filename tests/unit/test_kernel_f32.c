// SPDX-License-Identifier: Apache-2.0
/* Every variant of the kernels of reals of the CPU backend, but for
 * convolutions and products (test_kernel_f32_conv.c), against the generated
 * evaluator, bit for bit: one-node graphs over shapes around the unrolled
 * widths. */
#include "unit/kernel_f32.h"

#include "base/fmath.h"
#include "kernel/point/point_f32.h"

static const int64_t sizes[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 130};
enum { NSIZE = sizeof sizes / sizeof *sizes };

static void
clamps(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnClipAttr at = {.low = i % 2 ? -0.25f : 0.0f, .high = 0.5f};
        SnRef x = floats(SHAPE(2, sizes[i]));
        compare(SN_REF(sn_relu_new(g, NULL, x, plain(SN_F32)), 0), 0, "Relu");
        x = floats(SHAPE(sizes[i]));
        compare(SN_REF(sn_clip_new(g, NULL, x, &at, plain(SN_F32)), 0), 0,
                "Clip");
    }
}

static void
pairs(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        int64_t n = sizes[i];
        SnRange r = {-0.75f, 0.5f, i % 2 == 0, i % 3 == 0};
        SnAddAttr add = {.clamp = r};
        SnSubAttr sub = {.clamp = r};
        SnMulAttr mul = {.clamp = r};
        SnRef a = floats(SHAPE(3, n)), b = floats(SHAPE(3, n));
        const SnType *t = plain(SN_F32);
        compare(SN_REF(sn_add_new(g, NULL, a, b, &add, t), 0), 0, "Add");
        a = floats(SHAPE(3, n));
        b = weights(SHAPE(n), 2);
        compare(SN_REF(sn_sub_new(g, NULL, a, b, &sub, plain(SN_F32)), 0), 0,
                "Sub of a row");
        a = floats(SHAPE(n));
        b = floats(SHAPE(n));
        compare(SN_REF(sn_mul_new(g, NULL, a, b, &mul, plain(SN_F32)), 0), 0,
                "Mul");
    }
    SnAddAttr add = {.clamp = {0}};
    SnRef a = floats(SHAPE(3, 1)), b = floats(SHAPE(1, 4));
    compare(SN_REF(sn_add_new(g, NULL, a, b, &add, plain(SN_F32)), 0), 0,
            "both broadcast");
}

static void
norms(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnBatchNormalizationAttr at = {.eps = 1e-3f};
        const SnShape *s = SHAPE(sizes[i]);
        SnRef x = floats(SHAPE(2, 2, sizes[i])), v[4];
        for (int k = 0; k < 4; k++)
            v[k] = weights(s, i % 3);
        SnId y = sn_batch_normalization_new(g, NULL, x, v[0], v[1], v[2], v[3],
                                            &at, plain(SN_F32));
        compare(SN_REF(y, 0), 0, "BatchNormalization");
    }
}

typedef struct Pool {
    int64_t h, w, c, kh, kw, stride[2], pads[4];
} Pool;
static const Pool pools[] = {
    {7, 7, 5, 3, 3, {2, 2}, {1, 1, 1, 1}},
    {8, 8, 64, 2, 2, {2, 2}, {0}},
    {6, 5, 67, 3, 3, {1, 1}, {1, 1, 1, 1}},
    {7, 7, 130, 7, 7, {1, 1}, {0}},
    {9, 4, 17, 1, 4, {3, 1}, {0}},
    {5, 5, 31, 5, 5, {2, 2}, {2, 2, 2, 2}},
    {30, 30, 16, 30, 30, {1, 1}, {0}},
    {4, 4, 33, 2, 3, {1, 2}, {1, 0, 0, 2}},
    {70, 61, 5, 70, 60, {1, 1}, {0}},
};

static void
pooling(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        for (int v = 0; v < 3; v++) {
            const Pool *o = &pools[i];
            int64_t kernel[2] = {o->kh, o->kw}, one[2] = {1, 1};
            SnInts k = {2, kernel}, s = {2, o->stride}, p = {4, o->pads};
            SnRef x = floats(SHAPE(2, o->h, o->w, o->c)), y;
            if (v == 0) {
                SnMaxPoolAttr at = {k, s, p, {2, one}, false};
                y = SN_REF(
                    sn_max_pool_new(g, NULL, x, &at, plain(SN_F32), NULL), 0);
            } else {
                SnAvgPoolAttr at = {.kernel = k,
                                    .stride = s,
                                    .pads = p,
                                    .dilate = {2, one},
                                    .count_include_pad = v == 2,
                                    .clamp = {0, 0.1f, v == 1, true}};
                y = SN_REF(sn_avg_pool_new(g, NULL, x, &at, plain(SN_F32)), 0);
            }
            compare(y, 0, sn_format(arena, "pool %zu, variant %d", i, v));
        }
}

/* Means of -0, as ONNX Runtime 1.30 gives them: the signs of one channel. */
static const struct {
    int64_t h, w, kh, kw, stride[2], pads[4];
    bool pads_count;
    const char *sign;
} zero_means[] = {
    {2, 3, 1, 1, {1, 1}, {0}, false, "------"},
    {1, 5, 1, 1, {1, 1}, {0}, false, "-----"},
    {5, 1, 1, 1, {1, 1}, {0}, false, "-----"},
    {4, 5, 1, 1, {1, 2}, {0}, false, "------------"},
    {4, 5, 1, 1, {3, 1}, {0}, false, "----------"},
    {2, 4, 2, 2, {1, 1}, {0}, false, "---"},
    {4, 5, 2, 2, {1, 1}, {1, 0, 1, 0}, false, "--------------------"},
    {4, 5, 2, 2, {1, 1}, {1, 0, 1, 0}, true, "--------------------"},
    {2, 2, 2, 2, {1, 1}, {1, 0, 0, 0}, false, "--"},
    /* a column of padding */
    {4, 5, 2, 2, {1, 1}, {0, 1, 0, 1}, false, "+----++----++----+"},
    {2, 5, 2, 2, {1, 1}, {1, 1, 1, 1}, false, "+----++----++----+"},
    /* a horizontal stride of 3 */
    {4, 5, 1, 1, {1, 3}, {0}, false, "++++++++"},
    /* the whole image */
    {1, 1, 1, 1, {1, 1}, {0}, false, "+"},
    {2, 2, 2, 2, {1, 1}, {0}, false, "+"},
    {2, 4, 2, 4, {2, 2}, {0}, false, "+"},
};

static void
means_of_zeros(void **state)
{
    enum { C = 37 };
    SnSaveAttr save = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    int64_t one[2] = {1, 1};
    uint32_t nf;

    (void)state;
    minus_zeros = true;
    for (size_t i = 0; i < sizeof zero_means / sizeof *zero_means; i++) {
        int64_t kernel[2] = {zero_means[i].kh, zero_means[i].kw};
        int64_t stride[2], pads[4];
        memcpy(stride, zero_means[i].stride, sizeof stride);
        memcpy(pads, zero_means[i].pads, sizeof pads);
        SnAvgPoolAttr at = {.kernel = {2, kernel},
                            .stride = {2, stride},
                            .pads = {4, pads},
                            .dilate = {2, one},
                            .count_include_pad = zero_means[i].pads_count};
        SnRef x = floats(SHAPE(1, zero_means[i].h, zero_means[i].w, C));
        SnRef y = SN_REF(sn_avg_pool_new(g, NULL, x, &at, plain(SN_F32)), 0);
        sn_save_new(g, "y", y, &save);
        assert_int_equal(sn_shape_count(sn_shape_of(g, y)),
                         C * strlen(zero_means[i].sign));
        SnIsa best = sn_isa();
        for (int v = 0; v <= SN_NISA; v++) { /* the last: evaluators */
            if (v < SN_NISA && !sn_isa_set((SnIsa)v))
                continue;
            const float *got = result(
                v < SN_NISA ? sn_backend_named("CPU") : NULL, 1, 1, 0, &nf);
            for (size_t k = 0; k < C * strlen(zero_means[i].sign); k++)
                if (got[k] != 0 ||
                    !signbit(got[k]) != (zero_means[i].sign[k / C] == '+'))
                    fail_msg("case %zu, variant %d: element %zu is %g", i, v, k,
                             (double)got[k]);
        }
        sn_isa_set(best);
        new_graph();
    }
    minus_zeros = false;
}

static void
lrn(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++)
        for (int64_t size = 1; size < 8; size += 2 - size % 2) {
            SnLRNAttr at = {.size = size,
                            .alpha = 0.3f,
                            .beta = 0.75f,
                            .k = i % 2 ? 1.0f : 0.0f};
            SnRef x = floats(SHAPE(2, 3, sizes[i]));
            compare(SN_REF(sn_lrn_new(g, NULL, x, &at, plain(SN_F32)), 0), 0,
                    "LRN");
        }
    SnLRNAttr at = {.size = 5, .alpha = 0.3f, .beta = 0.5f, .k = 1};
    SnRef x = floats(SHAPE(2, 9));
    compare(SN_REF(sn_lrn_new(g, NULL, x, &at, plain(SN_F32)), 0), 1,
            "LRN of another exponent");
}

static void
straight_lines(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        const SnShape *s = SHAPE(sizes[i]);
        SnLeakyReluAttr leak = {.alpha = i % 2 ? -0.3f : 1.7f};
        SnHardSigmoidAttr hard = {.alpha = 0.21f, .beta = i % 2 ? 0.4f : -2};
        SnRef x = floats(s);
        compare(SN_REF(sn_leaky_relu_new(g, NULL, x, &leak, plain(SN_F32)), 0),
                0, "LeakyRelu");
        x = floats(SHAPE(sizes[i]));
        compare(
            SN_REF(sn_hard_sigmoid_new(g, NULL, x, &hard, plain(SN_F32)), 0), 0,
            "HardSigmoid");
        x = floats(SHAPE(sizes[i]));
        compare(SN_REF(sn_hard_swish_new(g, NULL, x, plain(SN_F32)), 0), 0,
                "HardSwish");
    }
}

static void
exponentials(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnSoftmaxAttr at = {.axis = -1};
        SnRef x = floats(SHAPE(i % 2 ? 3 : 19, sizes[i]));
        compare(SN_REF(sn_softmax_new(g, NULL, x, &at, plain(SN_F32)), 0), 0,
                "Softmax");
        x = floats(SHAPE(sizes[i]));
        compare(SN_REF(sn_sigmoid_new(g, NULL, x, plain(SN_F32)), 0), 0,
                "Sigmoid");
    }
    for (int i = 0; i < NSIZE; i++) {
        SnSoftmaxAttr at = {.axis = i % 2};
        SnNormalizeAttr norm = {.axis = i % 2, .eps = 1e-5f};
        SnRef x = floats(SHAPE(3, i % 3 ? 19 : 5, sizes[i]));
        compare(SN_REF(sn_softmax_new(g, NULL, x, &at, plain(SN_F32)), 0), 0,
                "Softmax down columns");
        x = floats(SHAPE(3, i % 3 ? 19 : 5, sizes[i]));
        compare(SN_REF(sn_normalize_new(g, NULL, x, &norm, plain(SN_F32)), 0),
                0, "Normalize down columns");
        SnRMSNormalizeAttr rms = {.axis = i % 2 ? -1 : 1, .eps = 1e-6f};
        x = floats(SHAPE(3, i % 3 ? 19 : 5, sizes[i]));
        compare(
            SN_REF(sn_rms_normalize_new(g, NULL, x, &rms, plain(SN_F32)), 0), 0,
            "RMSNormalize");
    }
}

/* Numbers up to 16, so that the functions bend. */
static SnRef
wide(int64_t n)
{
    float *c = SN_NEW(arena, float);
    SnMulAttr at = {.clamp = open_range};

    *c = 16;
    return SN_REF(sn_mul_new(g, NULL, floats(SHAPE(n)),
                             con(plain(SN_F32), SHAPE(1), c), &at,
                             plain(SN_F32)),
                  0);
}

static void
functions(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        int64_t n = sizes[i];
        SnSwishAttr swish = {.alpha = i % 3 ? 1.0f : -1.702f};
        SnEluAttr elu = {.alpha = i % 2 ? 1.0f : 0.3f};
        SnCeluAttr celu = {.alpha = i % 2 ? 1.0f : 0.3f};
        SnSeluAttr selu = {.alpha = 1.67326319f, .gamma = 1.05070102f};
        compare(SN_REF(sn_exp_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "Exp");
        compare(SN_REF(sn_log_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "Log");
        compare(SN_REF(sn_tanh_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "Tanh");
        compare(
            SN_REF(sn_swish_new(g, NULL, wide(n), &swish, plain(SN_F32)), 0), 0,
            "Swish");
        compare(
            SN_REF(sn_cpu_times_sigmoid_new(g, NULL, wide(n), plain(SN_F32)),
                   0),
            0, "CPUTimesSigmoid");
        compare(SN_REF(sn_gelu_tanh_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "GeluTanh");
        compare(SN_REF(sn_elu_new(g, NULL, wide(n), &elu, plain(SN_F32)), 0), 0,
                "Elu");
        compare(SN_REF(sn_celu_new(g, NULL, wide(n), &celu, plain(SN_F32)), 0),
                0, "Celu");
        compare(SN_REF(sn_selu_new(g, NULL, wide(n), &selu, plain(SN_F32)), 0),
                0, "Selu");
        compare(SN_REF(sn_softplus_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "Softplus");
        compare(SN_REF(sn_mish_new(g, NULL, wide(n), plain(SN_F32)), 0), 0,
                "Mish");
    }
}

/* exp, tanh and log over their whole range: each of 2^18 floats at even
 * distances of bits. */
static void
functions_everywhere(void **state)
{
    enum { COUNT = 1 << 18 };
    static const struct {
        const char *name;
        float (*one)(float);
        SnCurveF32 curve;
    } fn[] = {{"exp", sn_expf, {.op = SN_CURVE_EXP}},
              {"tanh", sn_tanhf, {.op = SN_CURVE_TANH}},
              {"log", sn_logf, {.op = SN_CURVE_LOG}}};
    float *x = SN_NEW_N(arena, float, COUNT);
    float *y = SN_NEW_N(arena, float, COUNT);
    float *want = SN_NEW_N(arena, float, COUNT);

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i << 14 | (i * 2654435761u) >> 18;
        memcpy(&x[i], &bits, sizeof bits);
    }
    for (size_t f = 0; f < sizeof fn / sizeof *fn; f++) {
        for (uint32_t i = 0; i < COUNT; i++)
            want[i] = fn[f].one(x[i]);
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_have((SnIsa)i))
                continue;
            sn_curvef_run((SnIsa)i, &fn[f].curve, x, COUNT, y);
            same(y, want, COUNT, fn[f].name, (SnIsa)i);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamps),
        cmocka_unit_test(pairs),
        cmocka_unit_test(norms),
        cmocka_unit_test(pooling),
        cmocka_unit_test(means_of_zeros),
        cmocka_unit_test(lrn),
        cmocka_unit_test(straight_lines),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(functions),
        cmocka_unit_test(functions_everywhere),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
