// SPDX-License-Identifier: Apache-2.0
/* Every variant of the CPU backend's kernels on codes but convolutions against
 * the generated evaluator, bit for bit: shapes around the unrolled widths, odd
 * zero points, clamps and extreme values. */
#include "unit/kernel_graph.h"

#include <math.h>

#include "base/num.h"
#include "kernel/point/point_q8.h"

static void
fill(SnRun *r, int pattern)
{
    fill_codes(r, pattern);
}

/* ---- tables and pairs ---- */

static const int64_t counts[] = {1, 7, 16, 63, 64, 65, 255, 257, 1000};

static void
tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const SnShape *s = SHAPE(counts[i]);
        const SnType *t = q8(0.05f, (int32_t)i * 9 - 40), *u = q8(0.031f, 7);
        SnRef x = input(t, s);
        compare(SN_REF(sn_relu_new(g, NULL, x, t), 0), 0, "Relu");
        t = q8(0.05f, -3), u = q8(0.031f, 7), s = SHAPE(counts[i]);
        compare(SN_REF(sn_relu_new(g, NULL, input(t, s), u), 0), 0,
                "Relu, other scale");
        t = q8(0.05f, -3), u = q8(0.031f, 7), s = SHAPE(counts[i]);
        SnRescaleAttr ra = {{-9, 99, true, true}};
        compare(SN_REF(sn_rescale_new(g, NULL, input(t, s), &ra, u), 0), 0,
                "Rescale");
        t = q8(0.05f, -3), s = SHAPE(counts[i]);
        compare(
            SN_REF(sn_sigmoid_new(g, NULL, input(t, s), q8(1 / 256.0f, -128)),
                   0),
            0, "Sigmoid");
        t = q8(0.05f, -3), s = SHAPE(counts[i]);
        SnRef table = con(t, SHAPE(256), rnd8(256));
        compare(SN_REF(sn_lookup_table_new(g, NULL, input(t, s), table, t), 0),
                0, "LookupTable");
    }
}

static void
pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int32_t v = 0; v < 6; v++) {
            SnRange clamp = {-70, 101, v % 2 == 1, v % 3 == 1};
            SnAddAttr at = {.clamp = clamp, .zp_shift = v == 5 ? 128 : 0};
            const SnShape *s = SHAPE(counts[i]);
            SnRef a = input(q8(v == 2 ? 0.25f : 0.043f, v * 25 - 60), s);
            SnRef b = input(q8(v == 2 ? 0.25f : 0.091f, 31 - v * 11), s);
            const SnType *t = q8(v == 2 ? 0.5f : 0.1003f, v * 7 - 3);
            at.round = v > 3 ? SN_ADD_ROUND_AFTER : SN_ADD_ROUND_BEFORE;
            compare(SN_REF(sn_add_new(g, NULL, a, b, &at, t), 0), 0, "Add");
        }
    SnMulAttr ma = {.clamp = open_range};
    SnRef a = input(q8(0.02f, 3), SHAPE(3, 41));
    SnRef b = con(q8(0.03f, -9), SHAPE(3, 41), rnd8(123));
    compare(SN_REF(sn_mul_new(g, NULL, a, b, &ma, q8(0.02f, 1)), 0), 0, "Mul");
    SnAddAttr aa = {.clamp = open_range};
    for (int v = 0; v < 2; v++) {
        aa.round = v ? SN_ADD_ROUND_AFTER : SN_ADD_ROUND_BEFORE;
        a = input(q8(0.02f, 3), SHAPE(3, 41));
        b = con(q8(0.03f, -9), SHAPE(41), rnd8(41));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), 0,
                "Add of a row");
        a = input(q8(0.02f, 3), SHAPE(3, 41));
        b = con(q8(0.03f, -9), SHAPE(3, 1), rnd8(3));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), 0,
                "Add of a column");
        a = input(q8(0.02f, 3), SHAPE(41));
        b = con(q8(0.03f, -9), SHAPE(3, 41), rnd8(123));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), 0,
                "Add to a row");
    }
    /* factors of channels, of each picture its own; and others that repeat */
    static const int64_t turns[][8] = {
        {2, 5, 3, 17, 2, 1, 1, 17},  {3, 1, 1, 9, 3, 7, 8, 9},
        {2, 5, 3, 1, 2, 5, 3, 1100}, {2, 1, 3, 4, 1, 5, 1, 4},
        {1, 1, 1, 1, 2, 3, 4, 5},    {2, 3, 4, 5, 1, 1, 1, 1},
        {1, 40, 40, 3, 1, 1, 1, 3}};
    for (size_t i = 0; i < 3 * sizeof turns / sizeof *turns; i++) {
        const int64_t *d = turns[i / 3];
        a = input(q8(0.02f, 3), sn_shape(g->pool, 4, d));
        b = input(q8(0.03f, -9), sn_shape(g->pool, 4, d + 4));
        SnDivAttr da = {.clamp = open_range};
        const SnType *t = q8(0.02f, 1);
        SnId y = i % 3 == 0   ? sn_mul_new(g, NULL, a, b, &ma, t)
                 : i % 3 == 1 ? sn_add_new(g, NULL, a, b, &aa, t)
                              : sn_div_new(g, NULL, a, b, &da, t);
        compare(SN_REF(y, 0), 0, sn_format(arena, "repeated, %zu", i));
    }
    a = input(q8(0.02f, 3), SHAPE(5, 2, 41));
    b = con(q8(0.03f, -9), SHAPE(1, 41), rnd8(41));
    compare(SN_REF(sn_mul_new(g, NULL, a, b, &ma, q8(0.02f, 1)), 0), 0,
            "Mul by a row");
}

/* ---- the boundary ---- */

static void
conversions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        SnQuantizeAttr at = {{-90, 77, i % 2 == 1, i % 3 == 1}};
        const SnShape *s = SHAPE(counts[i]);
        SnRef x = input(q8(0.043f, (int32_t)i * 5 - 9), s);
        SnRef f = SN_REF(sn_dequantize_new(g, NULL, x, plain(SN_F32)), 0);
        compare(f, 0, "Dequantize");
        s = SHAPE(counts[i]);
        x = input(plain(SN_F32), s); /* random bits: NaN, infinities too */
        compare(SN_REF(sn_quantize_new(g, NULL, x, &at, q8(0.5f, 3)), 0), 0,
                "Quantize");
    }
}

/* Quotients on ties, next to them, and far outside. */
static void
quantize_ties(void **state)
{
    static const float scale[] = {0.1f, 1 / 255.0f, 0.5f, 3e-20f, 7e19f};
    enum { N = 3 * 1200 };
    static float x[N];
    static int8_t y[N];

    (void)state;
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        SnQuant8 p = {.scale = scale[s], .lo = -131, .hi = 124, .zp = 3};
        for (int i = 0; i < N; i += 3) {
            x[i] = ((float)(i / 3 - 600) + 0.5f) * scale[s];
            x[i + 1] = nextafterf(x[i], -INFINITY);
            x[i + 2] = nextafterf(x[i], INFINITY);
        }
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_set((SnIsa)i))
                continue;
            sn_quant8_run((SnIsa)i, &p, x, N, y);
            for (int k = 0; k < N; k++)
                assert_int_equal(y[k], sn_quant(x[k], scale[s], 3, -128, 127));
        }
    }
}

typedef struct Turn {
    int rank;
    int64_t dim[5], perm[5];
} Turn;

static void
transposes(void **state)
{
    static const Turn turns[] = {
        {4, {2, 3, 9, 11}, {0, 2, 3, 1}},  {4, {2, 9, 11, 3}, {0, 3, 1, 2}},
        {4, {2, 3, 16, 29}, {0, 2, 3, 1}}, /* planes of bytes */
        {4, {1, 40, 35, 5}, {0, 3, 1, 2}}, {4, {1, 5, 33, 34}, {0, 2, 3, 1}},
        {4, {2, 3, 4, 5}, {0, 1, 2, 3}},   {4, {2, 3, 4, 5}, {0, 2, 1, 3}},
        {4, {1, 7, 1, 5}, {2, 3, 0, 1}},   {2, {70, 3}, {1, 0}},
        {3, {5, 4, 24}, {0, 2, 1}},        {3, {5, 24, 4}, {0, 2, 1}},
        {3, {3, 2, 33}, {0, 2, 1}},        {3, {3, 33, 2}, {0, 2, 1}},
        {3, {3, 33, 3}, {0, 2, 1}},        {3, {2, 3, 4}, {2, 1, 0}},
        {4, {2, 3, 4, 5}, {1, 0, 3, 2}},   {1, {6}, {0}},
        {3, {1, 1, 1}, {2, 1, 0}},         {2, {70, 45}, {1, 0}},
        {3, {2, 19, 24}, {0, 2, 1}},       {3, {2, 16, 15}, {0, 2, 1}},
        {3, {3, 4, 47}, {0, 2, 1}},        {3, {7, 2, 31}, {0, 2, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        for (int v = 0; v < 3; v++) {
            const Turn *o = &turns[i];
            SnTransposeAttr at = {{(uint32_t)o->rank, o->perm}};
            const SnType *t = v == 0   ? q8(0.1f, 3)
                              : v == 1 ? plain(SN_I64)
                                       : plain(SN_F32);
            SnRef x = input(t, sn_shape(g->pool, o->rank, o->dim));
            compare(SN_REF(sn_transpose_new(g, NULL, x, &at, t), 0), 0,
                    sn_format(arena, "Transpose %zu, %d", i, v));
        }
}

static void
concats(void **state)
{
    static const int64_t axes[] = {0, 1, -1, -3};
    static const int64_t dims[4][3] = {
        {2, 3, 5}, {2, 3, 1}, {2, 0, 5}, {1, 3, 33}};

    (void)state;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        for (int v = 0; v < 3; v++) {
            const SnType *t = v == 0 ? q8(0.1f, 3)
                              : v == 1
                                  ? sn_type_quant(g->pool, SN_QI16, 0.01f, 7)
                                  : plain(SN_F32);
            int64_t axis = axes[i], at = axis < 0 ? axis + 3 : axis;
            SnConcatAttr a = {axis};
            SnRef x[4];
            for (int k = 0; k < 4; k++) {
                int64_t d[3] = {2, 3, 5};
                d[at] = dims[k][at];
                x[k] = input(t, sn_shape(g->pool, 3, d));
            }
            compare(SN_REF(sn_concat_new(g, NULL, 4, x, &a, t), 0), 0,
                    sn_format(arena, "Concat %zu, %d", i, v));
        }
}

/* ---- windows ---- */

typedef struct Win {
    int64_t n, h, w, c, kernel[2], stride[2], pads[4], dilate[2];
    bool ceil;
} Win;

static const Win wins[] = {
    {1, 7, 7, 64, {3, 3}, {2, 2}, {0}, {1, 1}, false},
    {1, 8, 9, 67, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, false},
    {2, 6, 6, 5, {2, 3}, {1, 2}, {1, 0, 0, 2}, {1, 1}, true},
    {1, 9, 9, 33, {3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2}, false},
    {1, 7, 7, 130, {7, 7}, {1, 1}, {0}, {1, 1}, false},
    {1, 5, 4, 16, {5, 4}, {1, 1}, {0}, {1, 1}, false},
    {1, 5, 5, 129, {1, 1}, {2, 2}, {0}, {1, 1}, false},
    {1, 34, 34, 19, {33, 33}, {1, 1}, {1, 0, 0, 0}, {1, 1}, false},
};

static void
pools(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wins / sizeof *wins; i++) {
        const Win *o = &wins[i];
        SnInts k = {2, o->kernel}, st = {2, o->stride}, p = {4, o->pads};
        SnInts di = {2, o->dilate};
        const SnType *t = q8(0.04f, -11);
        SnMaxPoolAttr ma = {k, st, p, di, o->ceil};
        SnRef x = input(t, SHAPE(o->n, o->h, o->w, o->c));
        compare(SN_REF(sn_max_pool_new(g, NULL, x, &ma, t, plain(SN_I64)), 0),
                0, sn_format(arena, "MaxPool %zu", i));
        for (int v = 0; v < 4; v++) {
            SnAvgPoolAttr aa = {
                .kernel = k,
                .stride = st,
                .pads = p,
                .dilate = di,
                .ceil_mode = o->ceil,
                .count_include_pad = v == 1,
                .round =
                    v > 1 ? SN_AVG_POOL_ROUND_AFTER : SN_AVG_POOL_ROUND_BEFORE,
                .zp_shift = v == 3 ? 128 : 0,
                .clamp = {-20, 90, v == 1, v == 2},
            };
            x = input(q8(v == 0 ? 0.5f : 0.043f, -11),
                      SHAPE(o->n, o->h, o->w, o->c));
            compare(SN_REF(sn_avg_pool_new(g, NULL, x, &aa,
                                           q8(v == 0 ? 1 : 0.03f, 5)),
                           0),
                    0, sn_format(arena, "AvgPool %zu, %d", i, v));
        }
    }
}

static void
means(void **state)
{
    static const int64_t axis[][3] = {{1, 2}, {3}, {0}, {0, 2}, {0, 1, 3}};
    static const uint32_t naxis[] = {2, 1, 1, 2, 3};

    (void)state;
    for (size_t i = 0; i < 6 * 7; i++) {
        size_t k = i % 6;
        const SnShape *s = SHAPE(2, 3, 5, counts[i / 6]);
        SnReduceMeanAttr at = {
            .axes = {k < 5 ? naxis[k] : 0, k < 5 ? axis[k] : NULL},
            .keepdims = i % 2 == 0,
            .clamp = {-60, 71, i % 3 == 1, i % 3 == 2}};
        SnRef x = input(q8(0.043f, -11), s);
        compare(SN_REF(sn_reduce_mean_new(g, NULL, x, &at, q8(0.02f, 5)), 0), 0,
                sn_format(arena, "ReduceMean %zu", i));
    }
}

static void
lrn(void **state)
{
    static const int64_t channels[] = {1, 5, 16, 17, 32, 50, 96};

    (void)state;
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        for (int64_t size = 1; size < 10; size += i % 2 ? 1 : 4) {
            SnLRNAttr at = {.size = size,
                            .alpha = size == 5 ? 1e-4f : 0.3f,
                            .beta = 0.75f,
                            .k = size == 1 ? 2 : 1};
            const SnType *t = q8(0.07f, (int32_t)i * 30 - 100);
            SnRef x = input(t, SHAPE(2, 3, channels[i]));
            compare(SN_REF(sn_lrn_new(g, NULL, x, &at, t), 0), 0,
                    sn_format(arena, "LRN of %lld", (long long)size));
        }
    SnLRNAttr at = {.size = 5, .alpha = 0.1f, .beta = 0.5f, .k = 1};
    const SnType *t = q8(0.07f, 3);
    compare(SN_REF(sn_lrn_new(g, NULL, input(t, SHAPE(2, 9)), &at, t), 0), 1,
            "another beta");
}

static void
softmax(void **state)
{
    static const int64_t rows[] = {1, 2, 10, 255, 1001, 24, 64, 130, 256, 257};
    static const float scales[] = {0.001f, 0.1f, 3};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int64_t axis = -1; axis < 3; axis++) {
            SnSoftmaxAttr at = {.axis = axis};
            SnRef x = input(q8(scales[i % 3], (int32_t)i * 7 - 3),
                            axis == 0   ? SHAPE(rows[i], 2, 3)
                            : axis == 1 ? SHAPE(2, rows[i], 3)
                                        : SHAPE(3, 2, rows[i]));
            compare(
                SN_REF(sn_softmax_new(g, NULL, x, &at, q8(1.0f / 256, -128)),
                       0),
                0,
                sn_format(arena, "Softmax of %lld along %lld",
                          (long long)rows[i], (long long)axis));
        }
    /* Quotients of other sizes: many that are cut off, few, exact halves. */
    for (int i = 0; i < 12; i++) {
        static const float to[] = {0.0001f, 0.01f, 1.0f / 64, 0.5f};
        SnScaledSoftmaxAttr at = {.axis = -1};
        SnRef x = input(q8(scales[i % 3], 5), SHAPE(5, 128 + i % 2));
        compare(SN_REF(sn_scaled_softmax_new(g, NULL, x, &at,
                                             q8(to[i % 4], i * 9 - 50)),
                       0),
                0, sn_format(arena, "ScaledSoftmax %d", i));
    }
}

static void
normalize(void **state)
{
    static const int64_t rows[] = {1,  2,  7,   15,  16,  17,  31,
                                   33, 64, 100, 256, 257, 1001};
    static const float from[] = {0.001f, 0.1f, 3}, to[] = {0.02f, 0.0004f};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int64_t j = 0; j < 8; j++) {
            int64_t axis = j / 2 - 1;
            SnRef x = input(q8(from[i % 3], (int32_t)i * 9 - 50),
                            axis == 0   ? SHAPE(rows[i], 2, 3)
                            : axis == 1 ? SHAPE(2, rows[i], 3)
                                        : SHAPE(3, 2, rows[i]));
            const SnType *t = q8(to[i % 5 == 0], (int32_t)i * 5 - 20);
            SnNormalizeAttr at = {.axis = axis, .eps = i % 4 ? 1e-5f : 0};
            SnRMSNormalizeAttr rms = {.axis = axis, .eps = i % 2 ? 1e-12f : 2};
            SnId y = j % 2 ? sn_rms_normalize_new(g, NULL, x, &rms, t)
                           : sn_normalize_new(g, NULL, x, &at, t);
            compare(SN_REF(y, 0), 0,
                    sn_format(arena, "%lld along %lld", (long long)rows[i],
                              (long long)axis));
        }
}

/* What the kernels leave to the evaluator. */
static void
declined(void **state)
{
    (void)state;
    SnMatMulAttr at = {.trans_a = true, .clamp = open_range};
    SnRef a = input(q8(0.1f, 3), SHAPE(3, 4));
    SnRef b = con(q8(0.1f, 0), SHAPE(3, 5), rnd8(15));
    compare(SN_REF(sn_mat_mul_new(g, NULL, a, b, &at, q8(0.1f, 0)), 0), 1,
            "transposed a");
}

/* ---- values in each other's memory ---- */

static SnRef
conv_of(SnRef x, int64_t c, int64_t oc, const SnType *yt)
{
    SnConv2DAttr at = {{2, ones}, {2, ones}, {4, (int64_t[4]){0}},
                       {2, ones}, 1,         open_range};
    SnRef w = con(q8(0.02f, 0), SHAPE(oc, 1, 1, c), rnd8(oc * c));

    return SN_REF(sn_conv2d_new(g, NULL, x, w, 0, &at, yt), 0);
}

/* Two convolutions into a Concat, its third operand a pool, then a sum and a
 * Reshape: five kernels run, three values have memory of their own. */
static SnRef
shared_values(void)
{
    SnMaxPoolAttr pa = {
        {2, ones}, {2, ones}, {4, (int64_t[4]){0}}, {2, ones}, false};
    SnConcatAttr ca = {3};
    SnAddAttr aa = {.clamp = open_range};
    int64_t dims[] = {1, 36 * 40};
    SnReshapeAttr ra = {{2, dims}};
    const SnType *t = q8(0.1f, -3);
    SnRef x = input(t, SHAPE(1, 6, 6, 7)), part[3];

    part[0] = conv_of(x, 7, 16, t);
    part[1] = conv_of(x, 7, 17, t);
    part[2] = SN_REF(sn_max_pool_new(g, NULL, x, &pa, t, plain(SN_I64)), 0);
    SnRef cat = SN_REF(sn_concat_new(g, NULL, 3, part, &ca, t), 0);
    SnRef y = conv_of(cat, 40, 40, t);
    SnRef sum = SN_REF(sn_add_new(g, NULL, y, cat, &aa, t), 0);
    return SN_REF(sn_reshape_new(g, NULL, sum, &ra, t), 0);
}

static void
views(void **state)
{
    SnSaveAttr at = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    const SnExec *dense, *fast;
    uint32_t nf;

    (void)state;
    sn_save_new(g, "y", shared_values(), &at);
    const uint8_t *want = result(NULL, 1, 5, 0, &nf);
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnDiag *d = sn_diag_new(arena);
    assert_int_equal(sn_exec_prepare(arena, g, cpu, d, &dense), SN_OK);
    assert_int_equal(sn_exec_prepare_fast(arena, g, cpu, d, &fast), SN_OK);
    assert_int_equal(dense->nstep, 7);
    assert_int_equal(fast->nstep, 5);
    assert_int_equal(fast->nfallback, 0);
    assert_int_equal(dense->plan->nblock, 8);
    assert_int_equal(fast->plan->nblock, 3); /* x, cat, y */
    for (unsigned n = 1; n < 4; n++) {
        for (uint32_t i = 0; i < fast->nstep; i++)
            fast->step[i].cost = INT64_MAX;
        SnRun *r = sn_run_parts(arena, fast, n);
        for (int again = 0; again < 2; again++) {
            seed = 5;
            fill(r, 0);
            assert_int_equal(sn_run(r), SN_OK);
            assert_memory_equal(sn_run_output(r, 0), want, 36 * 40);
        }
        sn_run_free(r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),      cmocka_unit_test(pairs),
        cmocka_unit_test(conversions), cmocka_unit_test(quantize_ties),
        cmocka_unit_test(transposes),  cmocka_unit_test(concats),
        cmocka_unit_test(pools),       cmocka_unit_test(lrn),
        cmocka_unit_test(declined),    cmocka_unit_test(softmax),
        cmocka_unit_test(normalize),   cmocka_unit_test(views),
        cmocka_unit_test(means),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
