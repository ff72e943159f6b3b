// SPDX-License-Identifier: Apache-2.0
/* Convolutions and products on codes, every variant against the generated
 * evaluator, bit for bit: shapes around the unrolled widths, odd zero points,
 * clamps and extreme values, every way in which they can be cut. */
#include "unit/kernel_graph.h"

#include "kernel/conv/conv_priv.h"

#include "kernel/conv/conv_q8.h"

static void
fill(SnRun *r, int pattern)
{
    fill_codes(r, pattern);
}

static const Geo geos[] = {
    GEOS,
    /* panels of equal widths, tiles of up to eight pixels */
    {1, 5, 9, 8, 144, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 6, 7, 12, 24, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 13, 5, 16, 80, 1, 1, 1, {2, 1}, {0}, {1, 1}},
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
    /* one pixel: of a vector, in padding, all of x, of groups, no tap of x */
    {1, 1, 1, 64, 144, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 1, 1, 600, 272, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 1, 1, 16, 24, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 2, 3, 16, 24, 3, 3, 1, {1, 1}, {1, 0, 0, 0}, {1, 1}},
    {1, 5, 4, 8, 40, 3, 3, 1, {4, 4}, {0, 0, 0, 0}, {1, 1}},
    {1, 1, 1, 96, 216, 1, 1, 3, {1, 1}, {0}, {1, 1}},
    {1, 1, 1, 16, 24, 2, 2, 1, {1, 1}, {1, 1, 2, 2}, {3, 3}},
    /* groups */
    {1, 10, 9, 16, 144, 3, 3, 2, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* depthwise */
    {1, 9, 9, 130, 130, 3, 3, 130, {1, 1}, {2, 2, 2, 2}, {2, 2}},
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
    /* nothing but padding */
    {1, 4, 0, 64, 64, 3, 3, 64, {1, 1}, {1, 2, 1, 2}, {1, 1}},
    {2, 0, 3, 8, 40, 3, 3, 1, {1, 1}, {2, 1, 2, 1}, {1, 1}},
    {1, 2, 2, 0, 24, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
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
        sn_channelwise_conv2d_new(
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
                compare(y, 0,
                        sn_format(arena, "convolution %zu, variant %d, %d", i,
                                  v, pc));
            }
}

/* Windows so far out in padding that nobody widens rows for them: 2^64 bytes
 * here. */
static void
conv_far(void **state)
{
    enum { FAR = (1 << 30) - 1 };
    static const Geo far[] = {
        {1, 1, 1, 16, 16, 2, 2, 16, {1, 1}, {FAR, FAR, 0, 0}, {FAR, FAR}},
        {1, 1, 1, 16, 16, 2, 2, 1, {1, 1}, {FAR, FAR, 0, 0}, {FAR, FAR}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (int pc = 0; pc < 2; pc++)
            compare(conv_node(&far[i], pc, 1), 1,
                    sn_format(arena, "far %zu, %d", i, pc));
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
        .n = o->n,
        .h = o->h,
        .w = o->w,
        .c = o->c,
        .oc = o->oc,
        .oh = (o->h + o->pads[0] + o->pads[2] - eh) / o->stride[0] + 1,
        .ow = (o->w + o->pads[1] + o->pads[3] - ew) / o->stride[1] + 1,
        .kh = o->kh,
        .kw = o->kw,
        .sh = o->stride[0],
        .sw = o->stride[1],
        .dh = o->dilate[0],
        .dw = o->dilate[1],
        .pt = o->pads[0],
        .pl = o->pads[1],
        .group = o->group};
    l.num = (SnConvNum){.xz = 9,
                        .yz = -3,
                        .lo = -120,
                        .hi = 127,
                        .mul = mul,
                        .nmul = (uint32_t)o->oc,
                        .wz = wz,
                        .nwz = (uint32_t)o->oc,
                        .bias = biases(o->oc, 20)};
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
                     "%d differs",
                     what, sn_isa_name(isa), (int)k.rows, k.npanel, k.clip,
                     k.by_block, k.tiles);
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
                                     sn_format(arena,
                                               "convolution %zu, zeros "
                                               "%d",
                                               i, zeros));
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
        {SN_ISA_AVX2,
         {1, 224, 224, 3, 111, 111, 64, 3, 3, 2, 2, 1, 1, 0, 0, 1},
         false,
         {36, 1, false, false, false}},
        {SN_ISA_AVX2,
         {1, 55, 55, 16, 55, 55, 64, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false,
         {55, 1, false, false, false}},
        {SN_ISA_AVX2,
         {1, 14, 14, 96, 14, 14, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         true,
         {14, 1, false, false, true}},
        {SN_ISA_AVX2,
         {1, 14, 14, 128, 14, 14, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         true,
         {14, 1, false, true, true}},
        {SN_ISA_AVX2,
         {1, 7, 7, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false,
         {7, 1, true, true, false}},
        {SN_ISA_VNNI,
         {1, 56, 56, 64, 56, 56, 256, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false,
         {18, 4, true, false, false}},
        {SN_ISA_VNNI,
         {1, 14, 14, 576, 14, 14, 96, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false,
         {14, 4, true, false, false}},
        {SN_ISA_VNNI,
         {1, 14, 14, 96, 14, 14, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false,
         {14, 4, true, false, false}},
        {SN_ISA_VNNI,
         {1, 7, 7, 48, 7, 7, 128, 5, 5, 1, 1, 1, 1, 2, 2, 1},
         false,
         {7, 4, false, true, false}},
        {SN_ISA_VNNI,
         {1, 13, 13, 256, 13, 13, 208, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false,
         {13, 4, true, false, false}},
        {SN_ISA_VNNI,
         {1, 7, 7, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1},
         false,
         {7, 4, true, true, false}},
        {SN_ISA_VNNI,
         {1, 1, 1, 2048, 1, 1, 1000, 1, 1, 1, 1, 1, 1, 0, 0, 1},
         false,
         {1, 4, true, true, false}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!sn_isa_have(cases[i].isa))
            continue;
        SnConvPick k =
            sn_conv_q8_rules(cases[i].isa, &cases[i].geo, cases[i].tiles);
        const SnConvPick *w = &cases[i].want;
        if (k.rows != w->rows || k.npanel != w->npanel || k.clip != w->clip ||
            k.by_block != w->by_block || k.tiles != w->tiles)
            fail_msg("case %zu: rows %d, panels %d, clip %d, by block %d, "
                     "tiles %d",
                     i, (int)k.rows, k.npanel, k.clip, k.by_block, k.tiles);
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
        compare(y, 0, sn_format(arena, "scales %zu", i));
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
    SnRef y = SN_REF(sn_fully_connected_new(g, NULL, x,
                                            con(q8(0.1f, 0), SHAPE(3, K), w), 0,
                                            &at, q8(50000, 3)),
                     0);
    compare(y, 0, "long");
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
        SnRef y = SN_REF(sn_channelwise_conv2d_new(
                             g, NULL, x,
                             con(sn_type_axis(g->pool, SN_QI8, 0, 2, ws, wz),
                                 SHAPE(2, 3, 3, c), w),
                             0, &at, q8(70000, 3)),
                         0);
        compare(y, 0, sn_format(arena, "great, %d channels", (int)c));
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
                y = SN_REF(sn_fully_connected_new(
                               g, NULL, x,
                               con(q8(0.03f, v * 5), SHAPE(n, k), w), bias, &at,
                               yt),
                           0);
            } else {
                SnMatMulAttr at = {.trans_b = v == 3, .clamp = clamp};
                const SnShape *s = v == 3 ? SHAPE(n, k) : SHAPE(k, n);
                y = SN_REF(sn_mat_mul_new(g, NULL, x, con(q8(0.03f, 2), s, w),
                                          &at, yt),
                           0);
            }
            compare(y, 0, sn_format(arena, "product %zu, %d", i, v));
        }
}

/* Two convolutions of one column with one filter: the windows of one lie in it,
 * with their taps side by side, those of the other reach out of it. */
static void
columns(void **state)
{
    static const int64_t sizes[][2] = {{3, 20}, {16, 384}, {20, 33}};
    static const int64_t step[2] = {1, 2}, kernel[2] = {3, 1};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        int64_t c = sizes[i / 2][0], oc = sizes[i / 2][1];
        const SnType *t = q8(0.5f, 4);
        SnRef x = input(q8(0.05f, 3), SHAPE(1, 9, 1, c));
        SnRef w = con(q8(0.02f, 0), SHAPE(oc, 3, 1, c), rnd8(oc * 3 * c));
        SnConv2DAttr at = {{2, kernel},
                           {2, i % 2 ? step : ones},
                           {4, (int64_t[4]){1, 0, 1}},
                           {2, ones},
                           1,
                           open_range};
        SnRef a = SN_REF(sn_conv2d_new(g, NULL, x, w, 0, &at, t), 0);
        at.pads.v = i % 2 ? (int64_t[4]){1, 1, 1, 0} : (int64_t[4]){1, 1, 1, 1};
        SnRef b = SN_REF(sn_conv2d_new(g, NULL, x, w, 0, &at, t), 0);
        SnConcatAttr ca = {.axis = 2};
        SnRef ab[2] = {a, b};
        compare(SN_REF(sn_concat_new(g, NULL, 2, ab, &ca, t), 0), 0,
                sn_format(arena, "two columns, %zu", i));
    }
}

/* ---- a convolution and a sum ---- */

/* Filters of c channels to oc, k by k (of one row: 1 by k); per channel scales
 * or one; rounds. */
static void
conv_add_case(int64_t rows, int64_t size, int64_t c, int64_t oc, int64_t k,
              int form)
{
    int64_t pad = k / 2, kh = rows > 1 ? k : 1, top = kh / 2;
    SnCPUConvAddAttr at = {.kernel = {2, (int64_t[2]){kh, k}},
                           .stride = {2, ones},
                           .pads = {4, (int64_t[4]){top, pad, top, pad}},
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
        form < 2 ? SN_CPU_CONV_ADD_ROUND_BEFORE : SN_CPU_CONV_ADD_ROUND_AFTER;
    at.zp_shift = form < 2 ? 0 : 128;
    SnRef x = input(q8(0.05f, 3), SHAPE(1, rows, size, c));
    SnRef y = input(s, SHAPE(1, rows, size, oc));
    SnRef w = con(wt, SHAPE(oc, kh, k, c), rnd8(oc * kh * k * c));
    snprintf(what, sizeof what, "conv_add %dx%d, %d to %d by %d, form %d",
             (int)rows, (int)size, (int)c, (int)oc, (int)k, form);
    compare(
        SN_REF(sn_cpu_conv_add_new(g, NULL, x, w, 0, y, &at, q8(0.2f, -9)), 0),
        0, what);
}

static void
conv_add(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        conv_add_case(7, 7, 16, 40, 1, form);
        conv_add_case(5, 5, 8, 200, 3, form); /* cut by channels */
        conv_add_case(19, 19, 3, 17, 3, form);
        conv_add_case(33, 33, 64, 64, 1, form); /* several chunks */
        conv_add_case(22, 22, 64, 40, 3, form);
        conv_add_case(1, 50, 32, 40, 3, form);
        conv_add_case(1, 50, 4, 40, 3, form);
    }
}

/* A matrix that is computed, or one for each of several products. */
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
        {3, 3, {1, 2, 1601}, {2, 1601, 40}},
    };

    (void)state;
    for (size_t i = 0; i < 4 * sizeof v / sizeof *v; i++) {
        size_t k = i / 4;
        SnMatMulAttr ma = {.trans_b = i % 2,
                           .clamp = {-90, 101, k % 2, k % 3 == 0}};
        int64_t d[4];
        memcpy(d, v[k].b, sizeof d);
        if (i % 2) {
            d[v[k].nb - 2] = v[k].b[v[k].nb - 1];
            d[v[k].nb - 1] = v[k].b[v[k].nb - 2];
        }
        const SnType *at = q8(0.02f, k % 2 ? -7 : 127);
        const SnType *bt = q8(0.03f, i % 3 ? (int32_t)i - 9 : 0);
        const SnShape *s = sn_shape(g->pool, v[k].nb, d);
        SnRef a = input(at, sn_shape(g->pool, v[k].na, v[k].a));
        SnRef b =
            i / 2 % 2 ? con(bt, s, rnd8(sn_shape_count(s))) : input(bt, s);
        float ys = 0.006f * (float)(v[k].a[v[k].na - 1] + 9);
        compare(SN_REF(sn_mat_mul_new(g, NULL, a, b, &ma, q8(ys, 11)), 0), 0,
                sn_format(arena, "computed product %zu", i));
    }
    SnMatMulAttr ma = {.trans_a = true, .clamp = open_range};
    SnRef a = input(q8(0.02f, 3), SHAPE(5, 4));
    SnRef b = input(q8(0.02f, 3), SHAPE(5, 3));
    compare(SN_REF(sn_mat_mul_new(g, NULL, a, b, &ma, q8(0.1f, 1)), 0), 1,
            "the first one turned");
}

/* What is packed at a run is what a plan packs, also for instructions that this
 * processor lacks: nothing is multiplied. */
static void
packed_alike(void **state)
{
    static const int64_t sizes[][2] = {{1, 1},   {5, 7},    {64, 64},
                                       {63, 65}, {33, 130}, {130, 48}};

    (void)state;
    for (int isa = 0; isa < SN_NISA; isa++)
        for (size_t i = 0; sn_gemm((SnIsa)isa) && i < 12; i++) {
            int64_t k = sizes[i / 2][0], n = sizes[i / 2][1];
            SnConvGeo o = {1, 9, 1, k, 9, 1, n, 1, 1, 1, 1, 1, 1, 0, 0, 1};
            int32_t wz = i % 2 ? -5 : 0;
            float mul = 0.01f;
            SnConvNum num = {.xz = 7,
                             .lo = -128,
                             .hi = 127,
                             .mul = &mul,
                             .nmul = 1,
                             .wz = &wz,
                             .nwz = 1};
            const int8_t *w = rnd8(n * k);
            int8_t *turned = sn_alloc_n(arena, (size_t)n, (size_t)k);
            for (int64_t e = 0; e < n * k; e++)
                turned[e % k * n + e / k] = w[e];
            const SnConvQ8 *p = sn_conv_q8_plan(arena, (SnIsa)isa, &o, &num, w);
            const SnConvQ8 *any =
                sn_conv_q8_plan(arena, (SnIsa)isa, &o, &num,
                                sn_alloc_n(arena, (size_t)n, (size_t)k));
            for (int t = 0; t < 2; t++) {
                void *to = sn_alloc(arena, sn_conv_q8_packed(any) + 64);
                const SnConvQ8 *q = sn_conv_q8_pack(
                    any, t ? turned : w, t ? 1 : k, t ? n : 1, wz, to);
                assert_int_equal(q->nblock, p->nblock);
                for (uint32_t b = 0; b < p->nblock; b++) {
                    const SnConvBlock *x = &p->block[b], *y = &q->block[b];
                    size_t lanes = (size_t)(x->npanel * SN_LANE);
                    assert_memory_equal(
                        x->w, y->w,
                        (size_t)p->nstep * lanes *
                            (size_t)(p->g->kstep * p->t->esize));
                    for (uint32_t c = 0; c < p->nclass; c++)
                        assert_memory_equal(x->bias[c], y->bias[c],
                                            lanes * sizeof(int32_t));
                }
            }
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv),         cmocka_unit_test(conv_extremes),
        cmocka_unit_test(conv_long),    cmocka_unit_test(conv_great),
        cmocka_unit_test(products),     cmocka_unit_test(columns),
        cmocka_unit_test(conv_add),     cmocka_unit_test(picks),
        cmocka_unit_test(picks_fit),    cmocka_unit_test(picks_of_rules),
        cmocka_unit_test(conv_far),     cmocka_unit_test(computed_products),
        cmocka_unit_test(packed_alike),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
