/* Every variant of every f32 kernel of the CPU backend against the generated
 * evaluator, bit for bit: one-node graphs over shapes around the unrolled
 * widths, with signed zeros, subnormals, infinities and NaN among the
 * values.  Which NaN a result is, numerics.md leaves open. */
#include "unit/eval_graph.h"

#include "base/fmath.h"
#include "kernel/conv_f32.h"
#include "kernel/point_f32.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

static float
real(int pattern)
{
    static const float odd[] = {0.0f,     -0.0f,    1.0f,      -1.0f,
                                0x1p-140f, -0x1p-149f, 0x1p127f, -0x1p126f,
                                INFINITY, -INFINITY, NAN,       0x1.8p-126f};
    uint32_t v = rnd();

    if (pattern == 1 && v % 4 == 0)
        return v % 8 ? 0.0f : -0.0f;
    if (pattern == 2 && v % 16 == 0)
        return odd[v / 16 % (sizeof odd / sizeof *odd)];
    if (pattern == 3)
        return (float)((int32_t)rnd() >> 29) * 0x1p-70f;
    return (float)((int32_t)v >> 8) * 0x1p-23f;
}

static SnRef
input(const SnShape *s)
{
    SnPlaceholderAttr at = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};

    return SN_REF(sn_placeholder_new(g, NULL, s, NULL, &at, plain(SN_F32)), 0);
}

static const float *
reals(int64_t n, int pattern)
{
    float *v = SN_NEW_N(arena, float, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = real(pattern);
    return v;
}

static SnRef
weights(const SnShape *s, int pattern)
{
    return con(plain(SN_F32), s, reals(sn_shape_count(s), pattern));
}

static const float *
result(const SnBackendDesc *b, unsigned npart, uint32_t seed0, int pattern,
       uint32_t *nfallback)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_exec_prepare(arena, g, b, d, &x), SN_OK);
    SnRun *r = sn_run_parts(arena, x, npart);
    seed = seed0;
    for (uint32_t i = 0; i < x->ninput; i++) {
        int64_t n = sn_shape_count(x->input[i].shape);
        float *v = sn_run_input(r, i);
        for (int64_t k = 0; k < n; k++)
            v[k] = real(pattern);
    }
    assert_int_equal(sn_run(r), SN_OK);
    const SnPort *o = &x->output[0];
    void *y = sn_memdup(arena, sn_run_output(r, 0),
                        sn_tensor_nbyte(o->type, o->shape));
    sn_run_free(r);
    *nfallback = x->nfallback;
    return y;
}

static void
same(const float *got, const float *want, size_t n, const char *what,
     int isa, int pattern)
{
    for (size_t k = 0; k < n; k++)
        if (memcmp(&got[k], &want[k], sizeof *got) &&
            !(got[k] != got[k] && want[k] != want[k]))
            fail_msg("%s, %s, pattern %d: element %zu is %a, not %a", what,
                     sn_isa_name((SnIsa)isa), pattern, k, (double)got[k],
                     (double)want[k]);
}

/* All variants of the graph that ends in y; kernel says whether a kernel must
 * take it. */
static void
compare(SnRef y, bool kernel, const char *what)
{
    SnSaveAttr at = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    size_t n = (size_t)sn_shape_count(sn_shape_of(g, y));
    uint32_t nf, s0 = rnd();
    SnIsa best = sn_isa();

    sn_save_new(g, "y", y, &at);
    for (int pattern = 0; pattern < 4; pattern++) {
        const float *want = result(NULL, 1, s0, pattern, &nf);
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_set((SnIsa)i))
                continue;
            for (unsigned part = 1; part < 4; part++) {
                const float *got = result(cpu, part, s0, pattern, &nf);
                assert_int_equal(nf, kernel ? 0 : 1);
                same(got, want, n, what, i, pattern);
            }
        }
        sn_isa_set(best);
    }
    sn_arena_free(arena);
    arena = sn_arena_new();
    g = sn_graph_new(arena, "t");
}

/* ---- contracts ---- */

typedef struct Geo {
    int64_t n, h, w, c, oc, kh, kw, group;
    int64_t stride[2], pads[4], dilate[2];
} Geo;

static const Geo geos[] = {
    /* pointwise, channels around the unroll */
    {1, 5, 5, 1, 1, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 7, 7, 4, 16, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 7, 7, 64, 64, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {2, 3, 5, 63, 65, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 6, 6, 67, 47, 1, 1, 1, {2, 2}, {0}, {1, 1}},
    {1, 9, 4, 17, 33, 1, 1, 1, {1, 3}, {1, 2, 0, 1}, {1, 1}},
    {1, 14, 14, 30, 130, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    /* more taps than a block */
    {1, 2, 3, 1700, 17, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 4, 4, 520, 66, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 3, 3, 400, 33, 3, 3, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    /* first layers */
    {1, 17, 19, 3, 16, 7, 7, 1, {2, 2}, {3, 3, 3, 3}, {1, 1}},
    {1, 23, 23, 3, 96, 11, 11, 1, {4, 4}, {0}, {1, 1}},
    {1, 12, 12, 1, 8, 5, 5, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 30, 30, 3, 32, 3, 3, 1, {2, 2}, {0, 0, 1, 1}, {1, 1}},
    /* general */
    {1, 8, 8, 16, 24, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 9, 7, 13, 15, 3, 3, 1, {2, 1}, {1, 0, 2, 1}, {1, 1}},
    {1, 11, 11, 5, 70, 3, 3, 1, {2, 2}, {2, 2, 2, 2}, {2, 2}},
    {1, 8, 9, 6, 18, 3, 2, 1, {1, 1}, {0, 1, 1, 0}, {1, 3}},
    {1, 4, 4, 20, 9, 4, 4, 1, {1, 1}, {0}, {1, 1}},
    {1, 3, 3, 8, 8, 3, 3, 1, {1, 1}, {5, 5, 5, 5}, {1, 1}},
    {1, 5, 40, 32, 16, 1, 7, 1, {1, 1}, {0, 3, 0, 3}, {1, 1}},
    {1, 40, 5, 31, 20, 7, 1, 1, {1, 1}, {3, 0, 3, 0}, {1, 1}},
    /* groups */
    {1, 8, 8, 12, 20, 3, 3, 4, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 7, 7, 64, 128, 3, 3, 2, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 6, 6, 6, 12, 3, 3, 6, {1, 1}, {1, 1, 1, 1}, {1, 2}},
    {1, 6, 6, 10, 4, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    /* depthwise */
    {1, 7, 9, 5, 5, 3, 3, 5, {1, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 10, 10, 64, 64, 3, 3, 64, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 6, 8, 67, 67, 3, 3, 67, {2, 2}, {0, 0, 1, 1}, {1, 1}},
    {1, 9, 9, 96, 96, 5, 5, 96, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 9, 9, 29, 29, 3, 3, 29, {1, 1}, {2, 2, 2, 2}, {2, 2}},
    {1, 6, 6, 16, 16, 2, 3, 16, {1, 1}, {0, 1, 0, 1}, {1, 2}},
    {1, 3, 3, 8, 8, 3, 3, 8, {1, 1}, {5, 5, 5, 5}, {1, 1}},
};

static SnRef
conv_node(const Geo *o, int variant)
{
    int64_t kernel[2] = {o->kh, o->kw};
    SnRange clamp = {-0.5f, 1.5f, variant % 3 == 1, variant % 3 != 0};
    SnRef x = input(SHAPE(o->n, o->h, o->w, o->c));
    SnRef w = weights(SHAPE(o->oc, o->kh, o->kw, o->c / o->group),
                      variant == 2 ? 2 : 1);
    SnRef b = variant == 0 ? 0 : weights(SHAPE(o->oc), 1);
    SnConv2DAttr at = {{2, kernel},    {2, o->stride}, {4, o->pads},
                       {2, o->dilate}, o->group,       clamp};

    return SN_REF(sn_conv2d_new(g, NULL, x, w, b, &at, plain(SN_F32)), 0);
}

static void
conv(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++)
        for (int v = 0; v < 3; v++) {
            const Geo *o = &geos[i];
            SnRef y = conv_node(o, v);
            compare(y, true,
                    sn_format(arena, "conv %zu, variant %d", i, v));
        }
}

/* However a convolution is cut: every pick of these rows that fits. */
static void
check_picks(const SnConvGeo *geo, SnFilterF32 *f, const float *x,
            const float *want, int64_t n, size_t conv)
{
    const int64_t rows[] = {1, 2, 3, geo->oh};
    float *got = SN_NEW_N(arena, float, n);
    int nfit = 0;

    for (int i = 0; i < 4 * 6 * 2; i++) {
        SnConvPick k = {.rows = rows[i % 4], .npanel = i / 4 % 6,
                        .by_block = i / 24};
        for (int isa = 0; isa < SN_NISA; isa++) {
            if (!sn_isa_have((SnIsa)isa) ||
                !sn_conv_f32_fits((SnIsa)isa, geo, &k))
                continue;
            f->pick = &k;
            const SnConvF32 *p = sn_conv_f32_plan(arena, (SnIsa)isa, geo, f);
            int64_t nu = sn_conv_f32_units(p), cut = nu / 2;
            memset(got, 0, (size_t)n * sizeof *got);
            sn_conv_f32_run(p, x, got, 0, cut);
            sn_conv_f32_run(p, x, got, cut, nu);
            same(got, want, (size_t)n, sn_format(arena, "picks of conv %zu",
                                                 conv), isa, i);
            nfit++;
        }
    }
    f->pick = NULL;
    assert_true(nfit > 0);
}

/* Any split gives the same bits and leaves nothing out. */
static void
conv_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++) {
        const Geo *o = &geos[i];
        int64_t oh = (o->h + o->pads[0] + o->pads[2] -
                      (o->kh - 1) * o->dilate[0] - 1) / o->stride[0] + 1;
        int64_t ow = (o->w + o->pads[1] + o->pads[3] -
                      (o->kw - 1) * o->dilate[1] - 1) / o->stride[1] + 1;
        SnConvGeo geo = {o->n, o->h, o->w, o->c, oh, ow, o->oc, o->kh, o->kw,
                         o->stride[0], o->stride[1], o->dilate[0],
                         o->dilate[1], o->pads[0], o->pads[1], o->group};
        int64_t taps = o->kh * o->kw * o->c / o->group;
        int64_t n = o->n * oh * ow * o->oc;
        SnFilterF32 f = {.w = reals(o->oc * taps, 0), .step_c = taps,
                         .step_k = 1, .lo = -INFINITY, .hi = INFINITY};
        const float *x = reals(o->n * o->h * o->w * o->c, 0);
        float *want = SN_NEW_N(arena, float, n);
        float *got = SN_NEW_N(arena, float, n);
        const SnConvF32 *p = sn_conv_f32_plan(arena, sn_isa(), &geo, &f);
        int64_t nu = sn_conv_f32_units(p), cut = nu / 3;
        sn_conv_f32_run(p, x, want, 0, nu);
        sn_conv_f32_run(p, x, got, cut, nu);
        sn_conv_f32_run(p, x, got, 0, cut);
        same(got, want, (size_t)n, sn_format(arena, "parts of conv %zu", i),
             (int)sn_isa(), 0);
        check_picks(&geo, &f, x, want, n, i);
    }
}

static void
products(void **state)
{
    static const int64_t mkn[][3] = {{1, 1, 1},    {1, 64, 64},  {3, 7, 5},
                                     {13, 33, 65}, {64, 20, 10}, {2, 1600, 40}};

    (void)state;
    for (size_t i = 0; i < sizeof mkn / sizeof *mkn; i++) {
        int64_t m = mkn[i][0], k = mkn[i][1], n = mkn[i][2];
        SnFullyConnectedAttr fa = {.clamp = {-1, 1, i % 2, i % 3 != 0}};
        SnRef x = input(SHAPE(m, k)), w = weights(SHAPE(n, k), 1);
        SnRef b = i % 2 ? weights(SHAPE(n), 0) : 0;
        SnId y = sn_fullyconnected_new(g, NULL, x, w, b, &fa, plain(SN_F32));
        compare(SN_REF(y, 0), true, "fully connected");
        for (int turn = 0; turn < 2; turn++) {
            SnMatMulAttr ma = {.trans_b = turn};
            SnRef a = input(SHAPE(2, m, k));
            SnRef c = weights(turn ? SHAPE(n, k) : SHAPE(k, n), 1);
            SnId z = sn_matmul_new(g, NULL, a, c, &ma, plain(SN_F32));
            compare(SN_REF(z, 0), true, "matrix product");
        }
    }
}

/* Both matrices computed, or one for each of several products; leading
 * dimensions that repeat, on either side. */
static void
computed_products(void **state)
{
    static const struct {
        int na, nb;
        int64_t a[4], b[4];
    } v[] = {
        {2, 2, {4, 5}, {5, 3}},
        {3, 3, {6, 20, 33}, {6, 33, 17}},
        {4, 4, {2, 3, 9, 64}, {2, 3, 64, 130}},
        {4, 4, {2, 1, 9, 8}, {1, 3, 8, 16}},
        {2, 3, {7, 12}, {5, 12, 4}},
        {3, 2, {5, 7, 12}, {12, 70}},
        {3, 3, {1, 2, 1600}, {2, 1600, 40}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        for (int turn = 0; turn < 2; turn++)
            for (int constant = 0; constant < 2; constant++) {
                SnMatMulAttr ma = {.trans_b = turn,
                                   .clamp = {-1, 1, i % 2, i % 3 == 0}};
                int64_t d[4];
                memcpy(d, v[i].b, sizeof d);
                if (turn) {
                    d[v[i].nb - 2] = v[i].b[v[i].nb - 1];
                    d[v[i].nb - 1] = v[i].b[v[i].nb - 2];
                }
                SnRef a = input(sn_shape(g->pool, v[i].na, v[i].a));
                const SnShape *s = sn_shape(g->pool, v[i].nb, d);
                SnRef b = constant ? weights(s, 1) : input(s);
                SnId y = sn_matmul_new(g, NULL, a, b, &ma, plain(SN_F32));
                compare(SN_REF(y, 0), true,
                        sn_format(arena, "computed product %zu, %d", i, turn));
            }
    SnMatMulAttr ma = {.trans_a = true};
    SnRef a = input(SHAPE(5, 4)), c = input(SHAPE(5, 3));
    SnId z = sn_matmul_new(g, NULL, a, c, &ma, plain(SN_F32));
    compare(SN_REF(z, 0), false, "the first one turned");
}

/* ---- the others ---- */

static const int64_t sizes[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 130};
enum { NSIZE = sizeof sizes / sizeof *sizes };

static void
clamps(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnClipAttr at = {.low = i % 2 ? -0.25f : 0.0f, .high = 0.5f};
        SnRef x = input(SHAPE(2, sizes[i]));
        compare(SN_REF(sn_relu_new(g, NULL, x, plain(SN_F32)), 0), true,
                "Relu");
        x = input(SHAPE(sizes[i]));
        compare(SN_REF(sn_clip_new(g, NULL, x, &at, plain(SN_F32)), 0), true,
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
        SnRef a = input(SHAPE(3, n)), b = input(SHAPE(3, n));
        const SnType *t = plain(SN_F32);
        compare(SN_REF(sn_add_new(g, NULL, a, b, &add, t), 0), true, "Add");
        a = input(SHAPE(3, n));
        b = weights(SHAPE(n), 2);
        compare(SN_REF(sn_sub_new(g, NULL, a, b, &sub, plain(SN_F32)), 0),
                true, "Sub of a row");
        a = input(SHAPE(n));
        b = input(SHAPE(n));
        compare(SN_REF(sn_mul_new(g, NULL, a, b, &mul, plain(SN_F32)), 0),
                true, "Mul");
    }
    SnAddAttr add = {.clamp = {0}};
    SnRef a = input(SHAPE(3, 1)), b = input(SHAPE(1, 4));
    compare(SN_REF(sn_add_new(g, NULL, a, b, &add, plain(SN_F32)), 0), true,
            "both broadcast");
}

static void
norms(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnBatchNormalizationAttr at = {.eps = 1e-3f};
        const SnShape *s = SHAPE(sizes[i]);
        SnRef x = input(SHAPE(2, 2, sizes[i])), v[4];
        for (int k = 0; k < 4; k++)
            v[k] = weights(s, i % 3);
        SnId y = sn_batchnormalization_new(g, NULL, x, v[0], v[1], v[2], v[3],
                                           &at, plain(SN_F32));
        compare(SN_REF(y, 0), true, "BatchNormalization");
    }
}

typedef struct Pool {
    int64_t h, w, c, kh, kw, stride[2], pads[4];
} Pool;
static const Pool pools[] = {
    {7, 7, 5, 3, 3, {2, 2}, {1, 1, 1, 1}}, {8, 8, 64, 2, 2, {2, 2}, {0}},
    {6, 5, 67, 3, 3, {1, 1}, {1, 1, 1, 1}}, {7, 7, 130, 7, 7, {1, 1}, {0}},
    {9, 4, 17, 1, 4, {3, 1}, {0}},          {5, 5, 31, 5, 5, {2, 2}, {2, 2, 2, 2}},
    {30, 30, 16, 30, 30, {1, 1}, {0}},      {4, 4, 33, 2, 3, {1, 2}, {1, 0, 0, 2}},
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
            SnRef x = input(SHAPE(2, o->h, o->w, o->c)), y;
            if (v == 0) {
                SnMaxPoolAttr at = {k, s, p, {2, one}, false};
                y = SN_REF(sn_maxpool_new(g, NULL, x, &at, plain(SN_F32),
                                          NULL), 0);
            } else {
                SnAvgPoolAttr at = {.kernel = k, .stride = s, .pads = p,
                                    .dilate = {2, one},
                                    .count_include_pad = v == 2,
                                    .clamp = {0, 0.1f, v == 1, true}};
                y = SN_REF(sn_avgpool_new(g, NULL, x, &at, plain(SN_F32)), 0);
            }
            compare(y, true, sn_format(arena, "pool %zu, variant %d", i, v));
        }
}

static void
lrn(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++)
        for (int64_t size = 1; size < 8; size += 2 - size % 2) {
            SnLRNAttr at = {.size = size, .alpha = 0.3f, .beta = 0.75f,
                            .k = i % 2 ? 1.0f : 0.0f};
            SnRef x = input(SHAPE(2, 3, sizes[i]));
            compare(SN_REF(sn_lrn_new(g, NULL, x, &at, plain(SN_F32)), 0),
                    true, "LRN");
        }
    SnLRNAttr at = {.size = 5, .alpha = 0.3f, .beta = 0.5f, .k = 1};
    SnRef x = input(SHAPE(2, 9));
    compare(SN_REF(sn_lrn_new(g, NULL, x, &at, plain(SN_F32)), 0), false,
            "LRN of another exponent");
}

static void
exponentials(void **state)
{
    (void)state;
    for (int i = 0; i < NSIZE; i++) {
        SnSoftmaxAttr at = {.axis = -1};
        SnRef x = input(SHAPE(i % 2 ? 3 : 19, sizes[i]));
        compare(SN_REF(sn_softmax_new(g, NULL, x, &at, plain(SN_F32)), 0),
                true, "Softmax");
        x = input(SHAPE(sizes[i]));
        compare(SN_REF(sn_sigmoid_new(g, NULL, x, plain(SN_F32)), 0),
                true, "Sigmoid");
    }
    SnSoftmaxAttr at = {.axis = 0};
    SnRef x = input(SHAPE(3, 4));
    compare(SN_REF(sn_softmax_new(g, NULL, x, &at, plain(SN_F32)), 0), false,
            "Softmax down columns");
}

/* exp over its whole range: each of 2^18 floats at even distances of bits. */
static void
exp_everywhere(void **state)
{
    enum { COUNT = 1 << 18 };
    float *x = SN_NEW_N(arena, float, COUNT), *y = SN_NEW_N(arena, float, COUNT);
    float *want = SN_NEW_N(arena, float, COUNT);

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i << 14 | (i * 2654435761u) >> 18;
        memcpy(&x[i], &bits, sizeof bits);
        want[i] = sn_expf(x[i]);
    }
    for (int i = 0; i < SN_NISA; i++) {
        if (!sn_isa_have((SnIsa)i))
            continue;
        sn_expf_run((SnIsa)i, x, COUNT, y);
        same(y, want, COUNT, "exp", i, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv),
        cmocka_unit_test(conv_parts),
        cmocka_unit_test(products),
        cmocka_unit_test(computed_products),
        cmocka_unit_test(clamps),
        cmocka_unit_test(pairs),
        cmocka_unit_test(norms),
        cmocka_unit_test(pooling),
        cmocka_unit_test(lrn),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(exp_everywhere),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
