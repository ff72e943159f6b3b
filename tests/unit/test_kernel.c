/* Every variant of every kernel of the CPU backend against the generated
 * evaluator, bit for bit: one-node graphs over shapes around the unrolled
 * widths, odd zero points, clamps and extreme values. */
#include "unit/eval_graph.h"

#include <math.h>

#include "base/num.h"
#include "kernel/conv_q8.h"
#include "kernel/isa.h"
#include "kernel/point_q8.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

/* ---- one node, run by evaluator and kernel ---- */

static SnRef
input(const SnType *t, const SnShape *s)
{
    SnPlaceholderAttr at = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};

    return SN_REF(sn_placeholder_new(g, NULL, s, NULL, &at, t), 0);
}

static void
fill_inputs(SnRun *r, int64_t pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        int8_t *v = sn_run_input(r, i);
        for (size_t k = 0; k < n; k++) {
            if (pattern == 0)
                v[k] = (int8_t)(rnd() >> 24);
            else
                v[k] = pattern == 1   ? -128
                       : pattern == 2 ? 127
                                      : (int8_t)(k % 2 ? 127 : -128);
        }
    }
}

/* A step is cut as far as it goes, however small. */
static void *
result(const SnBackendDesc *b, uint32_t seed0, int64_t pattern,
       unsigned nthread, uint32_t *nfallback)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_exec_prepare(arena, g, b, d, &x), SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    /* Threads are slow to make: each sixteenth time they are real. */
    static int ncut;
    SnRun *r = nthread == 2 && ncut++ % 16 == 0
                   ? sn_run_team(arena, x, nthread)
                   : sn_run_parts(arena, x, nthread);
    seed = seed0;
    fill_inputs(r, pattern);
    SnStatus st = sn_run(r);
    assert_int_equal(st, SN_OK);
    const SnPort *o = &x->output[0];
    void *y = sn_memdup(arena, sn_run_output(r, 0),
                        sn_tensor_nbyte(o->type, o->shape));
    sn_run_free(r);
    *nfallback = x->nfallback;
    return y;
}

/* All variants of the graph that ends in y; kernel says whether a kernel must
 * take it. */
static void
compare(SnRef y, bool kernel, const char *what)
{
    SnSaveAttr at = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    size_t n = sn_tensor_nbyte(sn_type(g, y), sn_shape_of(g, y));
    uint32_t nf, s0 = rnd();
    SnIsa best = sn_isa();

    sn_save_new(g, "y", y, &at);
    assert_non_null(cpu);
    for (int64_t pattern = 0; pattern < 4; pattern++) {
        const uint8_t *want = result(NULL, s0, pattern, 1, &nf);
        for (int i = 0; i < SN_NISA; i++) {
            if (!sn_isa_set((SnIsa)i))
                continue;
            /* one pattern in parts: two, and as many as there are units */
            unsigned most = pattern == 0 ? 3 : 1;
            for (unsigned t = 1; t <= most; t++) {
                const uint8_t *got =
                    result(cpu, s0, pattern, t < 3 ? t : 7, &nf);
                assert_int_equal(nf, kernel ? 0 : 1);
                for (size_t k = 0; k < n; k++)
                    if (got[k] != want[k])
                        fail_msg("%s, %s, pattern %d, threads %u: byte %zu is "
                                 "%d, not %d",
                                 what, sn_isa_name((SnIsa)i), (int)pattern, t,
                                 k, (int8_t)got[k], (int8_t)want[k]);
            }
        }
        sn_isa_set(best);
    }
    sn_arena_free(arena);
    arena = sn_arena_new();
    g = sn_graph_new(arena, "t");
}

/* ---- contracts ---- */

static const int64_t ones[] = {1, 1};
static const SnRange open_range = {0, 0, false, false};

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
    /* panels of equal widths, tiles of up to eight pixels */
    {1, 5, 9, 8, 144, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 6, 7, 12, 24, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 13, 5, 16, 80, 1, 1, 1, {2, 1}, {0}, {1, 1}},
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
    /* classes of pixels with the same taps in padding */
    {1, 7, 7, 64, 64, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 9, 14, 20, 72, 5, 5, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 14, 11, 32, 56, 3, 3, 1, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 9, 12, 8, 40, 3, 3, 1, {1, 1}, {2, 2, 2, 2}, {2, 2}},
    /* by tiles of two by two results (AVX2): odd sizes, borders of any width,
     * channels that fill no panel, several chunks and images */
    {1, 2, 2, 16, 16, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 7, 9, 32, 24, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 5, 4, 48, 33, 3, 3, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {1, 3, 3, 16, 17, 3, 3, 1, {1, 1}, {4, 5, 3, 2}, {1, 1}},
    {1, 4, 17, 16, 40, 3, 3, 1, {1, 1}, {0, 1, 1, 0}, {1, 1}},
    {2, 23, 31, 64, 20, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 6, 7, 96, 40, 3, 3, 2, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 13, 13, 256, 272, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* more rows than a chunk takes, of one class and of several */
    {1, 40, 21, 48, 24, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {2, 60, 20, 32, 16, 1, 1, 1, {2, 1}, {0}, {1, 1}},
    {1, 30, 14, 64, 8, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* groups */
    {1, 8, 8, 12, 20, 3, 3, 4, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 7, 7, 64, 128, 3, 3, 2, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 6, 6, 6, 12, 3, 3, 6, {1, 1}, {1, 1, 1, 1}, {1, 2}},
    {1, 6, 6, 10, 4, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    {1, 10, 9, 16, 144, 3, 3, 2, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* depthwise */
    {1, 7, 9, 5, 5, 3, 3, 5, {1, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 10, 10, 64, 64, 3, 3, 64, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 6, 8, 67, 67, 3, 3, 67, {2, 2}, {0, 0, 1, 1}, {1, 1}},
    {1, 9, 9, 96, 96, 5, 5, 96, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 9, 9, 130, 130, 3, 3, 130, {1, 1}, {2, 2, 2, 2}, {2, 2}},
    {1, 6, 6, 16, 16, 2, 3, 16, {1, 1}, {0, 1, 0, 1}, {1, 2}},
    {1, 5, 5, 40, 40, 1, 1, 40, {2, 2}, {0}, {1, 1}},
    /* depthwise by columns: blocks of 64, 16, 32 channels, in pairs of rows */
    {1, 9, 7, 144, 144, 3, 3, 144, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 11, 9, 96, 96, 3, 3, 96, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {2, 8, 5, 88, 88, 3, 3, 88, {1, 1}, {0, 2, 1, 0}, {1, 1}},
    {1, 7, 8, 120, 120, 3, 3, 120, {2, 2}, {0, 0, 1, 1}, {2, 1}},
    {1, 8, 9, 32, 32, 3, 3, 32, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 8, 8, 32, 32, 3, 3, 32, {2, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 5, 1, 20, 20, 3, 3, 20, {1, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 3, 3, 64, 64, 3, 3, 64, {1, 1}, {4, 4, 4, 4}, {1, 1}},
};

/* An int32 bias without which some sums would leave the codes' range. */
static int32_t *
biases(int64_t n, int shift)
{
    int32_t *b = SN_NEW_N(arena, int32_t, n);

    for (int64_t i = 0; i < n; i++)
        b[i] = (int32_t)rnd() >> shift;
    return b;
}

static SnRef
conv_node(const Geo *o, bool per_channel, int variant)
{
    static const int32_t zps[] = {0, -7, 127, -128};
    int64_t taps = o->kh * o->kw * o->c / o->group, kernel[2] = {o->kh, o->kw};
    float xs = 0.05f, ws = 0.02f, ys = 0.013f * (float)(taps + 5);
    int32_t wz = variant % 2 ? (variant % 4 == 1 ? 3 : -128) : 0;
    SnRange clamp = {-100, 90, variant % 3 == 1, variant % 3 != 0};
    const SnType *yt = q8(ys, zps[variant / 2 % 4] / 2 + 5);
    const SnShape *w_shape = SHAPE(o->oc, o->kh, o->kw, o->c / o->group);
    SnRef x = input(q8(xs, zps[variant % 4]), SHAPE(o->n, o->h, o->w, o->c));
    const int8_t *w = rnd8(o->oc * taps);
    const int32_t *b = biases(o->oc, 20);
    SnInts k = {2, kernel}, s = {2, o->stride}, p = {4, o->pads};
    SnInts d = {2, o->dilate};

    if (!per_channel) {
        SnConv2DAttr at = {k, s, p, d, o->group, clamp};
        SnRef bias = variant % 5 == 4
                         ? 0
                         : con(sn_type_quant(g->pool, SN_QI32, xs * ws, 0),
                               SHAPE(o->oc), b);
        return SN_REF(sn_conv2d_new(g, NULL, x, con(q8(ws, wz), w_shape, w),
                                    bias, &at, yt),
                      0);
    }
    SnChannelwiseConv2DAttr at = {k, s, p, d, o->group, clamp};
    float *wss = SN_NEW_N(arena, float, o->oc), *bss;
    int32_t *wzs = SN_NEW_N(arena, int32_t, o->oc);
    int32_t *bzs = SN_NEW_N(arena, int32_t, o->oc);
    bss = SN_NEW_N(arena, float, o->oc);
    for (int64_t i = 0; i < o->oc; i++) {
        wss[i] = 0.003f * (float)(i % 7 + 1);
        wzs[i] = variant % 2 ? (int32_t)(rnd() >> 24) - 128 : 0;
        bss[i] = xs * wss[i];
    }
    uint32_t n = (uint32_t)o->oc;
    return SN_REF(
        sn_channelwiseconv2d_new(
            g, NULL, x,
            con(sn_type_axis(g->pool, SN_QI8, 0, n, wss, wzs), w_shape, w),
            con(sn_type_axis(g->pool, SN_QI32, 0, n, bss, bzs), SHAPE(o->oc),
                b),
            &at, yt),
        0);
}

static void
conv(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++)
        for (int v = 0; v < 4; v++)
            for (int pc = 0; pc < 2; pc++) {
                SnRef y = conv_node(&geos[i], pc, v + (int)i);
                compare(y, true,
                        sn_format(arena, "convolution %zu, variant %d, %d", i,
                                  v, pc));
            }
}

/* ---- picks ---- */

typedef struct Layer {
    SnConvGeo geo;
    SnConvNum num;
    const int8_t *x, *w;
    size_t ny;
} Layer;

static Layer
draw_layer(const Geo *o, bool zeros)
{
    int64_t taps = o->kh * o->kw * o->c / o->group;
    int64_t eh = (o->kh - 1) * o->dilate[0] + 1;
    int64_t ew = (o->kw - 1) * o->dilate[1] + 1;
    Layer l = {.x = rnd8(o->n * o->h * o->w * o->c), .w = rnd8(o->oc * taps)};
    int32_t *wz = SN_NEW_N(arena, int32_t, o->oc);
    float *mul = SN_NEW_N(arena, float, o->oc);

    for (int64_t i = 0; i < o->oc; i++) {
        wz[i] = zeros ? (int32_t)(rnd() >> 24) - 128 : 0;
        mul[i] = (float)(rnd() >> 24) * 0x1p-16f / (float)taps;
    }
    l.geo = (SnConvGeo){
        .n = o->n, .h = o->h, .w = o->w, .c = o->c, .oc = o->oc,
        .oh = (o->h + o->pads[0] + o->pads[2] - eh) / o->stride[0] + 1,
        .ow = (o->w + o->pads[1] + o->pads[3] - ew) / o->stride[1] + 1,
        .kh = o->kh, .kw = o->kw, .sh = o->stride[0], .sw = o->stride[1],
        .dh = o->dilate[0], .dw = o->dilate[1], .pt = o->pads[0],
        .pl = o->pads[1], .group = o->group};
    l.num = (SnConvNum){.xz = 9, .yz = -3, .lo = -120, .hi = 127, .mul = mul,
                        .nmul = (uint32_t)o->oc, .wz = wz,
                        .nwz = (uint32_t)o->oc, .bias = biases(o->oc, 20)};
    l.ny = (size_t)(o->n * l.geo.oh * l.geo.ow * o->oc);
    return l;
}

/* In `parts` parts; pick NULL: the rules'. */
static int8_t *
run_pick(Layer *l, SnIsa isa, const SnConvPick *pick, int64_t parts)
{
    int8_t *y = SN_NEW_N(arena, int8_t, l->ny);

    l->num.pick = pick;
    const SnConvQ8 *p = sn_conv_q8_plan(arena, isa, &l->geo, &l->num, l->w);
    void *work = sn_alloc(arena, sn_conv_q8_work(p) + 64);
    int64_t n = sn_conv_q8_units(p);
    for (int64_t i = 0; i < parts; i++)
        sn_conv_q8_run(p, l->x, y, l->geo.oc, work, n * i / parts,
                       n * (i + 1) / parts);
    return y;
}

/* Every pick that fits one layer, of these rows; how many there were. */
static int
check_picks(Layer *l, SnIsa isa, const char *what)
{
    const int8_t *want = run_pick(l, SN_ISA_PORTABLE, NULL, 1);
    const int64_t rows[] = {1, 2, 3, l->geo.oh};
    bool tiles = sn_conv_q8_tiles(isa, &l->geo, &l->num);
    int n = 0;

    for (int i = 0; i < 4 * 5 * 2 * 2 * 2; i++) {
        SnConvPick k = {rows[i % 4], i / 4 % 5, i / 20 % 2, i / 40 % 2, i / 80};
        if (!sn_conv_q8_fits(isa, &l->geo, tiles, &k))
            continue;
        const int8_t *got = run_pick(l, isa, &k, 1 + i % 3);
        if (memcmp(got, want, l->ny) != 0)
            fail_msg("%s, %s, rows %d, panels %d, clip %d, by block %d, tiles "
                     "%d differs", what, sn_isa_name(isa), (int)k.rows,
                     k.npanel, k.clip, k.by_block, k.tiles);
        n++;
    }
    return n;
}

/* However a convolution is cut, its results are the same. */
static void
picks(void **state)
{
    int n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++)
        for (int zeros = 0; zeros < 2; zeros++) {
            Layer l = draw_layer(&geos[i], zeros);
            for (int isa = 0; isa < SN_NISA; isa++)
                if (sn_isa_have((SnIsa)isa))
                    n += check_picks(&l, (SnIsa)isa,
                                     sn_format(arena, "convolution %zu, zeros "
                                               "%d", i, zeros));
            sn_arena_free(arena);
            arena = sn_arena_new();
            g = sn_graph_new(arena, "t");
        }
    assert_in_range(n, 2000, 100000);
}

/* Picks of the rules fit, whatever the sizes; others are told apart. */
static void
picks_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++) {
        Layer l = draw_layer(&geos[i], false);
        for (int isa = 0; isa < SN_NISA; isa++) {
            SnConvPick k = sn_conv_q8_rules((SnIsa)isa, &l.geo, false), bad = k;
            assert_true(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &k));
            bad.rows = l.geo.oh + 1;
            assert_false(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &bad));
            bad.rows = 0;
            assert_false(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &bad));
            bad = k;
            bad.npanel = k.npanel ? 0 : 1;
            assert_false(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &bad));
            bad = k;
            bad.tiles = true;
            assert_false(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &bad));
            bad = k;
            bad.npanel = 5;
            assert_false(sn_conv_q8_fits((SnIsa)isa, &l.geo, false, &bad));
        }
    }
    /* three channels are no whole steps of four */
    SnConvGeo first = {1, 8, 8, 3, 8, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1};
    SnConvPick clip = {.rows = 1, .npanel = 1, .clip = true}, none = {0};
    assert_false(sn_conv_q8_fits(SN_ISA_VNNI256, &first, false, &clip));
    assert_false(sn_conv_q8_fits(SN_ISA_VNNI256, &first, false, &none));
    clip.clip = false;
    assert_true(sn_conv_q8_fits(SN_ISA_VNNI256, &first, false, &clip));
    first.oh = 0;
    assert_false(sn_conv_q8_fits(SN_ISA_VNNI256, &first, false, &clip));
    assert_true(sn_conv_q8_fits(SN_ISA_VNNI256, &first, false, &none));
}

/* What the rules choose is fixed by sizes and instruction set.  By panels two
 * threads would both widen all of x, or write to the same lines of 64 codes
 * (channels 32 on of 64): measured, 1.6 and 4 times as long in the first two
 * lines. */
static void
picks_of_rules(void **state)
{
    static const struct {
        SnIsa isa;
        SnConvGeo geo;
        bool tiles;
        SnConvPick want;
    } cases[] = {
        {SN_ISA_AVX2, {1, 224, 224, 3, 111, 111, 64, 3, 3, 2, 2, 1, 1, 0, 0, 1},
         false, {36, 1, false, false, false}},
        {SN_ISA_AVX2, {1, 55, 55, 16, 55, 55, 64, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false, {55, 1, false, false, false}},
        {SN_ISA_AVX2, {1, 14, 14, 96, 14, 14, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         true, {14, 1, false, false, true}},
        {SN_ISA_AVX2, {1, 14, 14, 128, 14, 14, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         true, {14, 1, false, true, true}},
        {SN_ISA_AVX2, {1, 7, 7, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false, {7, 1, true, true, false}},
        {SN_ISA_VNNI, {1, 56, 56, 64, 56, 56, 256, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false, {18, 4, true, false, false}},
        {SN_ISA_VNNI, {1, 14, 14, 576, 14, 14, 96, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false, {14, 4, true, false, false}},
        {SN_ISA_VNNI, {1, 14, 14, 96, 14, 14, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false, {14, 4, true, false, false}},
        {SN_ISA_VNNI, {1, 7, 7, 48, 7, 7, 128, 5, 5, 1, 1, 1, 1, 2, 2, 1},
         false, {7, 4, false, true, false}},
        {SN_ISA_VNNI, {1, 13, 13, 256, 13, 13, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false, {13, 4, true, false, false}},
        {SN_ISA_VNNI, {1, 7, 7, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false, {7, 4, true, true, false}},
        {SN_ISA_VNNI, {1, 1, 1, 2048, 1, 1, 1000, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false, {1, 4, true, true, false}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!sn_isa_have(cases[i].isa))
            continue;
        SnConvPick k = sn_conv_q8_rules(cases[i].isa, &cases[i].geo,
                                        cases[i].tiles);
        const SnConvPick *w = &cases[i].want;
        if (k.rows != w->rows || k.npanel != w->npanel || k.clip != w->clip ||
            k.by_block != w->by_block || k.tiles != w->tiles)
            fail_msg("case %zu: rows %d, panels %d, clip %d, by block %d, "
                     "tiles %d", i, (int)k.rows, k.npanel, k.clip, k.by_block,
                     k.tiles);
    }
}

/* Multipliers that overflow, vanish, and put sums on exact ties. */
static void
conv_extremes(void **state)
{
    static const float scale[][3] = {
        {0x1p-100f, 0x1p-100f, 0x1p100f},
        {0x1p100f, 0x1p-20f, 0x1p-20f},
        {0x1p100f, 0x1p100f, 1},
        {0.5f, 0.25f, 16},
        {1, 1, 2},
        {1, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
        const float *s = scale[i];
        SnConv2DAttr at = {{2, ones}, {2, ones}, {4, (int64_t[4]){0}},
                           {2, ones}, 1,         open_range};
        SnRef w = con(q8(s[1], 0), SHAPE(20, 1, 1, 9), rnd8(180));
        SnRef x = input(q8(s[0], 1), SHAPE(1, 3, 3, 9));
        SnRef y = SN_REF(sn_conv2d_new(g, NULL, x, w, 0, &at, q8(s[2], -3)), 0);
        compare(y, true, sn_format(arena, "scales %zu", i));
    }
}

/* Sums at the ends of int32: a long dot product of equal signs. */
static void
conv_long(void **state)
{
    enum { K = 33000 };

    (void)state;
    int8_t *w = SN_NEW_N(arena, int8_t, 3 * K);
    for (int i = 0; i < 3 * K; i++)
        w[i] = i < K ? -128 : i < 2 * K ? 127 : (int8_t)(i % 2 ? -128 : 127);
    SnFullyConnectedAttr at = {open_range};
    SnRef x = input(q8(0.1f, 127), SHAPE(2, K));
    SnRef y = SN_REF(sn_fullyconnected_new(g, NULL, x,
                                           con(q8(0.1f, 0), SHAPE(3, K), w), 0,
                                           &at, q8(50000, 3)),
                     0);
    compare(y, true, "long");
}

/* Three by three taps whose every product is the greatest there is: 912
 * channels still fit tiles of two by two results, 928 do not. */
static void
conv_great(void **state)
{
    (void)state;
    for (int64_t c = 912; c <= 928; c += 16) {
        int8_t *w = SN_NEW_N(arena, int8_t, 2 * 9 * c);
        memset(w, 127, (size_t)(9 * c));
        memset(w + 9 * c, -128, (size_t)(9 * c));
        float *ws = SN_NEW_N(arena, float, 2);
        int32_t *wz = SN_NEW_N(arena, int32_t, 2);
        ws[0] = ws[1] = 0.1f;
        wz[0] = -128;
        wz[1] = 127;
        int64_t three[2] = {3, 3};
        SnChannelwiseConv2DAttr at = {
            {2, three}, {2, ones}, {4, (int64_t[4]){1, 1, 1, 1}},
            {2, ones},  1,         open_range};
        SnRef x = input(q8(0.1f, 127), SHAPE(1, 4, 5, c));
        SnRef y = SN_REF(sn_channelwiseconv2d_new(
                             g, NULL, x,
                             con(sn_type_axis(g->pool, SN_QI8, 0, 2, ws, wz),
                                 SHAPE(2, 3, 3, c), w),
                             0, &at, q8(70000, 3)),
                         0);
        compare(y, true, sn_format(arena, "great, %d channels", (int)c));
    }
}

static void
products(void **state)
{
    static const int64_t mkn[][3] = {
        {1, 1, 1},    {1, 10, 3},   {1, 64, 64},  {1, 131, 67}, {1, 784, 10},
        {2, 33, 129}, {5, 64, 48},  {6, 3, 16},   {7, 100, 31}, {8, 256, 1},
        {13, 20, 80}, {64, 65, 10}, {300, 7, 17},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mkn / sizeof *mkn; i++)
        for (int v = 0; v < 4; v++) {
            int64_t m = mkn[i][0], k = mkn[i][1], n = mkn[i][2];
            SnRange clamp = {-50, 100, v == 1, v == 2};
            SnRef x = input(q8(0.04f, v * 9 - 20), SHAPE(m, k)), y;
            const int8_t *w = rnd8(n * k);
            const SnType *yt = q8(0.02f * (float)(k + 3), 7 - v);
            SnRef bias = con(sn_type_quant(g->pool, SN_QI32, 0.04f * 0.03f, 0),
                             SHAPE(n), biases(n, 21));
            if (v < 2) {
                SnFullyConnectedAttr at = {clamp};
                y = SN_REF(
                    sn_fullyconnected_new(g, NULL, x,
                                          con(q8(0.03f, v * 5), SHAPE(n, k), w),
                                          bias, &at, yt),
                    0);
            } else {
                SnMatMulAttr at = {.trans_b = v == 3, .clamp = clamp};
                const SnShape *s = v == 3 ? SHAPE(n, k) : SHAPE(k, n);
                y = SN_REF(
                    sn_matmul_new(g, NULL, x, con(q8(0.03f, 2), s, w), &at, yt),
                    0);
            }
            compare(y, true, sn_format(arena, "product %zu, %d", i, v));
        }
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
        compare(SN_REF(sn_relu_new(g, NULL, x, t), 0), true, "Relu");
        t = q8(0.05f, -3), u = q8(0.031f, 7), s = SHAPE(counts[i]);
        compare(SN_REF(sn_relu_new(g, NULL, input(t, s), u), 0), true,
                "Relu, other scale");
        t = q8(0.05f, -3), u = q8(0.031f, 7), s = SHAPE(counts[i]);
        SnRescaleAttr ra = {{-9, 99, true, true}};
        compare(SN_REF(sn_rescale_new(g, NULL, input(t, s), &ra, u), 0), true,
                "Rescale");
        t = q8(0.05f, -3), s = SHAPE(counts[i]);
        compare(
            SN_REF(sn_sigmoid_new(g, NULL, input(t, s), q8(1 / 256.0f, -128)),
                   0),
            true, "Sigmoid");
        t = q8(0.05f, -3), s = SHAPE(counts[i]);
        SnRef table = con(t, SHAPE(256), rnd8(256));
        compare(SN_REF(sn_lookuptable_new(g, NULL, input(t, s), table, t), 0),
                true, "LookupTable");
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
            compare(SN_REF(sn_add_new(g, NULL, a, b, &at, t), 0), true, "Add");
        }
    SnMulAttr ma = {.clamp = open_range};
    SnRef a = input(q8(0.02f, 3), SHAPE(3, 41));
    SnRef b = con(q8(0.03f, -9), SHAPE(3, 41), rnd8(123));
    compare(SN_REF(sn_mul_new(g, NULL, a, b, &ma, q8(0.02f, 1)), 0), true,
            "Mul");
    SnAddAttr aa = {.clamp = open_range};
    for (int v = 0; v < 2; v++) {
        aa.round = v ? SN_ADD_ROUND_AFTER : SN_ADD_ROUND_BEFORE;
        a = input(q8(0.02f, 3), SHAPE(3, 41));
        b = con(q8(0.03f, -9), SHAPE(41), rnd8(41));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), true,
                "Add of a row");
        a = input(q8(0.02f, 3), SHAPE(3, 41));
        b = con(q8(0.03f, -9), SHAPE(3, 1), rnd8(3));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), false,
                "Add of a column");
        a = input(q8(0.02f, 3), SHAPE(41));
        b = con(q8(0.03f, -9), SHAPE(3, 41), rnd8(123));
        compare(SN_REF(sn_add_new(g, NULL, a, b, &aa, q8(0.02f, 1)), 0), false,
                "Add to a row");
    }
    a = input(q8(0.02f, 3), SHAPE(5, 2, 41));
    b = con(q8(0.03f, -9), SHAPE(1, 41), rnd8(41));
    compare(SN_REF(sn_mul_new(g, NULL, a, b, &ma, q8(0.02f, 1)), 0), true,
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
        compare(f, true, "Dequantize");
        s = SHAPE(counts[i]);
        x = input(plain(SN_F32), s); /* random bits: NaN, infinities too */
        compare(SN_REF(sn_quantize_new(g, NULL, x, &at, q8(0.5f, 3)), 0), true,
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
    bool kernel;
} Turn;

static void
transposes(void **state)
{
    static const Turn turns[] = {
        {4, {2, 3, 9, 11}, {0, 2, 3, 1}, true},
        {4, {2, 9, 11, 3}, {0, 3, 1, 2}, true},
        {4, {2, 3, 16, 29}, {0, 2, 3, 1}, true}, /* planes of bytes */
        {4, {1, 40, 35, 5}, {0, 3, 1, 2}, true},
        {4, {1, 5, 33, 34}, {0, 2, 3, 1}, true},
        {4, {2, 3, 4, 5}, {0, 1, 2, 3}, true},
        {4, {2, 3, 4, 5}, {0, 2, 1, 3}, true},
        {4, {1, 7, 1, 5}, {2, 3, 0, 1}, true},
        {2, {70, 3}, {1, 0}, true},
        {3, {2, 3, 4}, {2, 1, 0}, false},
        {4, {2, 3, 4, 5}, {1, 0, 3, 2}, false},
        {1, {6}, {0}, true},
        {3, {1, 1, 1}, {2, 1, 0}, true},
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
            compare(SN_REF(sn_transpose_new(g, NULL, x, &at, t), 0), o->kernel,
                    sn_format(arena, "Transpose %zu, %d", i, v));
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
        compare(SN_REF(sn_maxpool_new(g, NULL, x, &ma, t, plain(SN_I64)), 0),
                true, sn_format(arena, "MaxPool %zu", i));
        for (int v = 0; v < 4; v++) {
            SnAvgPoolAttr aa = {
                .kernel = k,
                .stride = st,
                .pads = p,
                .dilate = di,
                .ceil_mode = o->ceil,
                .count_include_pad = v == 1,
                .round =
                    v > 1 ? SN_AVGPOOL_ROUND_AFTER : SN_AVGPOOL_ROUND_BEFORE,
                .zp_shift = v == 3 ? 128 : 0,
                .clamp = {-20, 90, v == 1, v == 2},
            };
            x = input(q8(v == 0 ? 0.5f : 0.043f, -11),
                      SHAPE(o->n, o->h, o->w, o->c));
            compare(SN_REF(sn_avgpool_new(g, NULL, x, &aa,
                                          q8(v == 0 ? 1 : 0.03f, 5)),
                           0),
                    true, sn_format(arena, "AvgPool %zu, %d", i, v));
        }
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
            compare(SN_REF(sn_lrn_new(g, NULL, x, &at, t), 0), true,
                    sn_format(arena, "LRN of %lld", (long long)size));
        }
    SnLRNAttr at = {.size = 5, .alpha = 0.1f, .beta = 0.5f, .k = 1};
    const SnType *t = q8(0.07f, 3);
    compare(SN_REF(sn_lrn_new(g, NULL, input(t, SHAPE(2, 9)), &at, t), 0),
            false, "another beta");
}

static void
softmax(void **state)
{
    static const int64_t rows[] = {1, 2, 10, 255, 1001};
    static const float scales[] = {0.001f, 0.1f, 3};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int64_t axis = -1; axis < 3; axis++) {
            SnSoftmaxAttr at = {.axis = axis};
            SnRef x = input(q8(scales[i % 3], (int32_t)i * 7 - 3),
                            axis == 0   ? SHAPE(rows[i], 2, 3)
                            : axis == 1 ? SHAPE(2, rows[i], 3)
                                        : SHAPE(3, 2, rows[i]));
            compare(SN_REF(sn_softmax_new(g, NULL, x, &at,
                                          q8(1.0f / 256, -128)),
                           0),
                    true,
                    sn_format(arena, "Softmax of %lld along %lld",
                              (long long)rows[i], (long long)axis));
        }
}

/* What the kernels leave to the evaluator. */
static void
declined(void **state)
{
    (void)state;
    SnMatMulAttr at = {.clamp = open_range};
    SnRef a = input(q8(0.1f, 3), SHAPE(2, 3, 4));
    SnRef b = input(q8(0.1f, 3), SHAPE(2, 4, 5));
    compare(SN_REF(sn_matmul_new(g, NULL, a, b, &at, q8(0.1f, 0)), 0), false,
            "two inputs");
    at.trans_a = true;
    a = input(q8(0.1f, 3), SHAPE(3, 4));
    b = con(q8(0.1f, 0), SHAPE(3, 5), rnd8(15));
    compare(SN_REF(sn_matmul_new(g, NULL, a, b, &at, q8(0.1f, 0)), 0), false,
            "transposed a");
}

/* ---- a convolution and a sum ---- */

/* Filters of c channels to oc, k by k; per channel scales or one; rounds. */
static void
conv_add_case(int64_t size, int64_t c, int64_t oc, int64_t k, int form)
{
    int64_t pad = k / 2;
    SnCPUConvAddAttr at = {.kernel = {2, (int64_t[2]){k, k}},
                           .stride = {2, ones},
                           .pads = {4, (int64_t[4]){pad, pad, pad, pad}},
                           .dilate = {2, ones},
                           .group = 1,
                           .mid = q8(0.31f, 5),
                           .mid_clamp = {-90, 101, true, true},
                           .clamp = open_range};
    float *scale = SN_NEW_N(arena, float, oc);
    int32_t *zp = SN_NEW_N(arena, int32_t, oc);
    const SnType *wt = q8(0.01f, 0), *s = q8(0.11f, 7);
    char what[80];

    for (int64_t i = 0; i < oc; i++)
        scale[i] = 0.005f + 0.001f * (float)(i % 5);
    if (form % 2)
        wt = sn_type_axis(g->pool, SN_QI8, 0, (uint32_t)oc, scale, zp);
    at.round =
        form < 2 ? SN_CPUCONVADD_ROUND_BEFORE : SN_CPUCONVADD_ROUND_AFTER;
    at.zp_shift = form < 2 ? 0 : 128;
    SnRef x = input(q8(0.05f, 3), SHAPE(1, size, size, c));
    SnRef y = input(s, SHAPE(1, size, size, oc));
    SnRef w = con(wt, SHAPE(oc, k, k, c), rnd8(oc * k * k * c));
    snprintf(what, sizeof what, "conv_add %dx%d, %d to %d by %d, form %d",
             (int)size, (int)size, (int)c, (int)oc, (int)k, form);
    compare(
        SN_REF(sn_cpuconvadd_new(g, NULL, x, w, 0, y, &at, q8(0.2f, -9)), 0),
        true, what);
}

static void
conv_add(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        conv_add_case(7, 16, 40, 1, form);
        conv_add_case(5, 8, 200, 3, form); /* cut by channels */
        conv_add_case(19, 3, 17, 3, form);
        conv_add_case(33, 64, 64, 1, form); /* several chunks */
        conv_add_case(22, 64, 40, 3, form);
    }
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
    part[2] = SN_REF(sn_maxpool_new(g, NULL, x, &pa, t, plain(SN_I64)), 0);
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
    const uint8_t *want = result(NULL, 5, 0, 1, &nf);
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
            fill_inputs(r, 0);
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
        cmocka_unit_test(conv),          cmocka_unit_test(conv_extremes),
        cmocka_unit_test(conv_long),     cmocka_unit_test(conv_great),
        cmocka_unit_test(products),      cmocka_unit_test(tables),
        cmocka_unit_test(pairs),         cmocka_unit_test(conversions),
        cmocka_unit_test(quantize_ties), cmocka_unit_test(transposes),
        cmocka_unit_test(pools),         cmocka_unit_test(lrn),
        cmocka_unit_test(declined),      cmocka_unit_test(conv_add),
        cmocka_unit_test(softmax),       cmocka_unit_test(views),
        cmocka_unit_test(picks),         cmocka_unit_test(picks_fit),
        cmocka_unit_test(picks_of_rules),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
