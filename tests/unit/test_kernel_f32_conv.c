// SPDX-License-Identifier: Apache-2.0
/* Every variant of convolutions and products of reals on the CPU backend
 * against the generated evaluator, bit for bit: one-node graphs over shapes
 * around the unrolled widths, however they are cut and whenever their filters
 * are packed. */
#include "unit/kernel_f32.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/team/team.h"
#include "kernel/conv_f32/conv_f32.h"

static const Geo geos[] = {
    GEOS,
    /* more taps than a block */
    {1, 2, 3, 1700, 17, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 4, 4, 520, 66, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 3, 3, 400, 33, 3, 3, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    /* many panels: made while they run */
    {1, 2, 3, 700, 530, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 1, 1, 640, 600, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 3, 2, 80, 520, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* few channels: many pixels at a time, all rests of taps and of pixels */
    {2, 9, 13, 19, 3, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 5, 23, 1702, 2, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 37, 11, 21, 4, 1, 2, 1, {2, 1}, {0, 0, 0, 0}, {1, 1}},
    {3, 6, 10, 16, 12, 2, 2, 4, {1, 1}, {0, 1, 1, 0}, {1, 1}},
    {1, 1, 67, 7, 1, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    /* groups of one tap: strips of few taps, whole and partial panels */
    {2, 5, 9, 32, 32, 1, 1, 4, {1, 1}, {0}, {1, 1}},
    {1, 6, 11, 64, 64, 1, 1, 4, {1, 1}, {0}, {1, 1}},
    {1, 6, 11, 32, 20, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    {3, 3, 7, 16, 10, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    {1, 7, 10, 40, 24, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    {1, 5, 7, 48, 48, 1, 1, 2, {1, 1}, {0}, {1, 1}},
    {2, 5, 13, 20, 41, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    /* depthwise */
    {1, 9, 9, 29, 29, 3, 3, 29, {1, 1}, {2, 2, 2, 2}, {2, 2}},
    {1, 3, 3, 8, 8, 3, 3, 8, {1, 1}, {5, 5, 5, 5}, {1, 1}},
    {2, 9, 23, 35, 35, 3, 3, 35, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 8, 5, 16, 16, 3, 3, 16, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 11, 26, 20, 20, 5, 5, 20, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 13, 27, 17, 17, 3, 3, 17, {2, 2}, {0, 0, 1, 1}, {1, 1}},
    {1, 4, 31, 9, 9, 1, 7, 9, {1, 2}, {0, 3, 0, 3}, {1, 1}},
    {1, 7, 30, 24, 24, 7, 7, 24, {1, 1}, {3, 3, 3, 3}, {1, 1}},
    {1, 7, 35, 20, 20, 7, 7, 20, {1, 1}, {3, 3, 3, 3}, {1, 1}},
    {1, 5, 29, 20, 20, 3, 3, 20, {2, 2}, {0, 0, 0, 0}, {1, 1}},
    {1, 6, 16, 33, 33, 3, 5, 33, {1, 1}, {1, 2, 1, 2}, {1, 1}},
    {1, 12, 21, 7, 7, 5, 5, 7, {2, 2}, {2, 2, 2, 2}, {1, 1}},
    {1, 9, 17, 40, 40, 5, 3, 40, {1, 2}, {4, 2, 4, 2}, {2, 2}},
    {1, 23, 2, 18, 18, 3, 3, 18, {1, 1}, {1, 1, 1, 1}, {1, 1}},     /* rows */
    {2, 21, 60, 288, 288, 3, 3, 288, {1, 1}, {1, 1, 1, 1}, {1, 1}}, /* chunks */
};

static SnRef
conv_node(const Geo *o, int variant)
{
    int64_t kernel[2] = {o->kh, o->kw};
    SnRange clamp = {-0.5f, 1.5f, variant % 3 == 1, variant % 3 != 0};
    SnRef x = floats(SHAPE(o->n, o->h, o->w, o->c));
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
            compare(y, 0, sn_format(arena, "conv %zu, variant %d", i, v));
        }
}

/* Memory for n floats, behind which there is none. */
static float *
at_end(int64_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           size = (size_t)n * sizeof(float);
    size_t most = (size + page - 1) / page * page;
    char *p = mmap(NULL, most + page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + most, page, PROT_NONE), 0);
    return (float *)(void *)(p + most - size);
}

typedef struct Rows {
    const float *w;
    int64_t n; /* elements of a row */
} Rows;

static void
copy_rows(const void *of, int64_t i0, int64_t i1, void *to, void *work)
{
    const Rows *r = of;

    memset(work, 255, (size_t)((i1 - i0) * r->n) * sizeof(float));
    memcpy(to, r->w + i0 * r->n, (size_t)((i1 - i0) * r->n) * sizeof(float));
}

/* The filter as [tap][channel]. */
static const float *
by_taps(const SnConvGeo *geo, const SnFilterF32 *f)
{
    int64_t oc = geo->oc, taps = f->step_c;
    float *w = SN_NEW_N(arena, float, oc *taps);

    for (int64_t c = 0; c < oc; c++)
        for (int64_t t = 0; t < taps; t++)
            w[t * oc + c] = f->w[c * taps + t];
    return w;
}

/* The plan of a filter whose rows are made as they are packed, the last first:
 * channels, or (turned, not NULL) taps. */
static const SnConvF32 *
in_pieces(SnIsa isa, const SnConvGeo *geo, SnFilterF32 f, const float *turned)
{
    Rows r = {turned ? turned : f.w, turned ? geo->oc : f.step_c};
    size_t nwork = 0;

    f.w = NULL;
    f.rows = copy_rows;
    f.rows_of = &r;
    f.step_k = turned ? geo->oc : 1;
    f.step_c = turned ? 1 : f.step_c;
    const SnConvF32 *p = sn_conv_f32_plan(arena, isa, geo, &f);
    int64_t n = sn_conv_f32_pieces(p, &nwork);
    assert_true(n > 0 && nwork > 0);
    float *work = at_end((int64_t)(nwork / sizeof(float)));
    for (int64_t i = n; i > n / 2; i--)
        sn_conv_f32_pack_pieces(p, work, i - 1, i);
    sn_conv_f32_pack_pieces(p, work, 0, n / 2);
    return p;
}

static int nat_run; /* filters that were left to runs */

/* The same while it runs: made for the first run, packed by the second, there
 * from the third on; in any split. */
static void
at_runs(SnIsa isa, const SnConvGeo *geo, SnFilterF32 f, const float *x,
        const float *want, float *got, int64_t n)
{
    Rows r = {f.w, f.step_c};

    f.w = NULL;
    f.rows = copy_rows;
    f.rows_of = &r;
    f.at_run = true;
    const SnConvF32 *p = sn_conv_f32_plan(arena, isa, geo, &f);
    size_t nwork = sn_conv_f32_nwork(p);
    if (nwork == 0) {
        assert_true(sn_conv_f32_pieces(p, &nwork) > 0);
        return;
    }
    assert_int_equal(sn_conv_f32_pieces(p, &nwork), 0);
    nat_run++;
    float *work = at_end((int64_t)(nwork / sizeof(float)));
    int64_t nu = sn_conv_f32_units(p);
    for (int k = 0; k < 4; k++) {
        int64_t cut = nu * k / 4;
        if (k == 3)
            r.w = NULL; /* packed by now */
        memset(work, 255, nwork);
        memset(got, 0, (size_t)n * sizeof *got);
        sn_conv_f32_run_rows(p, work, x, got, cut, nu);
        sn_conv_f32_run_rows(p, work, x, got, 0, cut);
        same(got, want, (size_t)n, sn_format(arena, "run %d", k), isa);
    }
}

/* However a convolution is cut: every pick of these rows that fits, between
 * values that lie at the end of memory. */
static void
check_picks(const SnConvGeo *geo, SnFilterF32 *f, const float *x,
            const float *want, int64_t n, size_t conv)
{
    const int64_t rows[] = {1, 2, 3, geo->oh};
    int64_t nx = geo->n * geo->h * geo->w * geo->c;
    float *got = at_end(n), *from = at_end(nx);
    const float *turned = by_taps(geo, f);
    int nfit = 0;

    memcpy(from, x, (size_t)nx * sizeof *x);
    for (int i = 0; i < 4 * 6 * 2; i++) {
        SnConvPick k = {
            .rows = rows[i % 4], .npanel = i / 4 % 6, .by_block = i / 24};
        for (int isa = 0; isa < SN_NISA; isa++) {
            if (!sn_isa_have((SnIsa)isa) ||
                !sn_conv_f32_fits((SnIsa)isa, geo, &k))
                continue;
            f->pick = &k;
            const SnConvF32 *p = sn_conv_f32_plan(arena, (SnIsa)isa, geo, f);
            int64_t nu = sn_conv_f32_units(p), cut = nu / 2;
            memset(got, 0, (size_t)n * sizeof *got);
            sn_conv_f32_run(p, from, got, 0, cut);
            sn_conv_f32_run(p, from, got, cut, nu);
            same(got, want, (size_t)n,
                 sn_format(arena, "conv %zu, pick %d", conv, i), (SnIsa)isa);
            p = in_pieces((SnIsa)isa, geo, *f,
                          nfit % 2 && geo->oc > 1 ? turned : NULL);
            memset(got, 0, (size_t)n * sizeof *got);
            sn_conv_f32_run(p, from, got, 0, nu);
            same(got, want, (size_t)n,
                 sn_format(arena, "pieces of conv %zu, pick %d", conv, i),
                 (SnIsa)isa);
            at_runs((SnIsa)isa, geo, *f, from, want, got, n);
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
        int64_t oh =
            (o->h + o->pads[0] + o->pads[2] - (o->kh - 1) * o->dilate[0] - 1) /
                o->stride[0] +
            1;
        int64_t ow =
            (o->w + o->pads[1] + o->pads[3] - (o->kw - 1) * o->dilate[1] - 1) /
                o->stride[1] +
            1;
        SnConvGeo geo = {o->n,         o->h,         o->w,         o->c,
                         oh,           ow,           o->oc,        o->kh,
                         o->kw,        o->stride[0], o->stride[1], o->dilate[0],
                         o->dilate[1], o->pads[0],   o->pads[1],   o->group};
        int64_t taps = o->kh * o->kw * o->c / o->group;
        int64_t n = o->n * oh * ow * o->oc;
        SnFilterF32 f = {.w = reals(o->oc * taps, 0),
                         .step_c = taps,
                         .step_k = 1,
                         .lo = -INFINITY,
                         .hi = INFINITY};
        const float *x = reals(o->n * o->h * o->w * o->c, 0);
        float *want = SN_NEW_N(arena, float, n);
        float *got = SN_NEW_N(arena, float, n);
        const SnConvF32 *p = sn_conv_f32_plan(arena, sn_isa(), &geo, &f);
        int64_t nu = sn_conv_f32_units(p), cut = nu / 3;
        sn_conv_f32_run(p, x, want, 0, nu);
        sn_conv_f32_run(p, x, got, cut, nu);
        sn_conv_f32_run(p, x, got, 0, cut);
        same(got, want, (size_t)n, sn_format(arena, "parts of conv %zu", i),
             sn_isa());
        check_picks(&geo, &f, x, want, n, i);
    }
    assert_true(nat_run > 0);
}

enum { BESIDE = 6, BESIDE_OC = 600, BESIDE_TAPS = 700, BESIDE_PX = 5 };

typedef struct Beside {
    const SnConvF32 *p;
    const float *x;
    char *work;
    float y[BESIDE][BESIDE_PX * BESIDE_OC];
} Beside;

static void
run_beside(void *ctx, unsigned part)
{
    Beside *s = ctx;

    sn_conv_f32_run_rows(s->p, s->work + part * sn_conv_f32_nwork(s->p), s->x,
                         s->y[part], 0, sn_conv_f32_units(s->p));
}

/* Runs at the same time that make, pack and read the same panels. */
static void
at_runs_beside(void **state)
{
    SnConvGeo geo = {1, 1, BESIDE_PX, BESIDE_TAPS, 1, BESIDE_PX, BESIDE_OC, 1,
                     1, 1, 1,         1,           1, 0,         0,         1};
    SnFilterF32 f = {.step_c = BESIDE_TAPS,
                     .step_k = 1,
                     .rows = copy_rows,
                     .at_run = true,
                     .lo = -INFINITY,
                     .hi = INFINITY};
    Rows r = {reals(BESIDE_OC * BESIDE_TAPS, 0), BESIDE_TAPS};
    Beside s = {.x = reals(BESIDE_PX * BESIDE_TAPS, 0)};
    SnTeam *t = sn_team_new(3);
    float want[BESIDE_PX * BESIDE_OC];

    (void)state;
    f.rows_of = &r;
    s.p = sn_conv_f32_plan(arena, sn_isa(), &geo, &f);
    assert_true(sn_conv_f32_nwork(s.p) > 0);
    s.work = sn_alloc(arena, BESIDE * sn_conv_f32_nwork(s.p));
    SnFilterF32 now = {.w = r.w,
                       .step_c = BESIDE_TAPS,
                       .step_k = 1,
                       .lo = -INFINITY,
                       .hi = INFINITY};
    const SnConvF32 *p = sn_conv_f32_plan(arena, sn_isa(), &geo, &now);
    sn_conv_f32_run(p, s.x, want, 0, sn_conv_f32_units(p));
    for (int k = 0; k < 3; k++) {
        memset(s.y, 0, sizeof s.y);
        sn_team_do(t, BESIDE, run_beside, &s);
        for (int i = 0; i < BESIDE; i++)
            same(s.y[i], want, BESIDE_PX * BESIDE_OC, "beside", sn_isa());
    }
    sn_team_free(t);
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
        SnRef x = floats(SHAPE(m, k)), w = weights(SHAPE(n, k), 1);
        SnRef b = i % 2 ? weights(SHAPE(n), 0) : 0;
        SnId y = sn_fully_connected_new(g, NULL, x, w, b, &fa, plain(SN_F32));
        compare(SN_REF(y, 0), 0, "fully connected");
        for (int turn = 0; turn < 2; turn++) {
            SnMatMulAttr ma = {.trans_b = turn};
            SnRef a = floats(SHAPE(2, m, k));
            SnRef c = weights(turn ? SHAPE(n, k) : SHAPE(k, n), 1);
            SnId z = sn_mat_mul_new(g, NULL, a, c, &ma, plain(SN_F32));
            compare(SN_REF(z, 0), 0, "matrix product");
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
                SnRef a = floats(sn_shape(g->pool, v[i].na, v[i].a));
                const SnShape *s = sn_shape(g->pool, v[i].nb, d);
                SnRef b = constant ? weights(s, 1) : floats(s);
                SnId y = sn_mat_mul_new(g, NULL, a, b, &ma, plain(SN_F32));
                compare(SN_REF(y, 0), 0,
                        sn_format(arena, "computed product %zu, %d", i, turn));
            }
    SnMatMulAttr ma = {.trans_a = true};
    SnRef a = floats(SHAPE(5, 4)), c = floats(SHAPE(5, 3));
    SnId z = sn_mat_mul_new(g, NULL, a, c, &ma, plain(SN_F32));
    compare(SN_REF(z, 0), 1, "the first one turned");
    ma.trans_a = false;
    SnRef p = floats(SHAPE(3, 5, 4)), u = weights(SHAPE(4), 1);
    SnId q = sn_mat_mul_new(g, NULL, p, u, &ma, plain(SN_F32));
    compare(SN_REF(q, 0), 1, "a vector");
}

/* Products of few rows take the panels of which the fewest tiles go beneath
 * each other; others take the widest. */
static void
panels_of_few_rows(void **state)
{
    static const struct {
        int64_t rows;
        int npanel; /* of AVX-512, with 6 rows of 4 panels and 8 of 3 */
    } want[] = {{1, 4},  {6, 4},  {7, 3},  {8, 3},  {12, 4}, {13, 3},
                {16, 3}, {18, 4}, {24, 3}, {32, 3}, {33, 4}, {128, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        SnConvGeo geo = {.n = 1,
                         .h = want[i].rows,
                         .w = 1,
                         .c = 512,
                         .oh = want[i].rows,
                         .ow = 1,
                         .oc = 1024,
                         .kh = 1,
                         .kw = 1,
                         .group = 1,
                         .sh = 1,
                         .sw = 1,
                         .dh = 1,
                         .dw = 1};
        SnConvPick k = sn_conv_f32_rules(SN_ISA_VNNI, &geo);
        if (sn_isa_have(SN_ISA_VNNI) && k.npanel != want[i].npanel)
            fail_msg("%lld rows: %d panels", (long long)want[i].rows, k.npanel);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv),
        cmocka_unit_test(conv_parts),
        cmocka_unit_test(at_runs_beside),
        cmocka_unit_test(products),
        cmocka_unit_test(computed_products),
        cmocka_unit_test(panels_of_few_rows),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
