// SPDX-License-Identifier: Apache-2.0
/* Every variant of every f32 kernel of the CPU backend against the generated
 * evaluator, bit for bit: one-node graphs over shapes around the unrolled
 * widths, with signed zeros, subnormals, infinities and NaN among the
 * values.  Which NaN a result is, numerics.md leaves open. */
#include "unit/kernel_graph.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/fmath.h"
#include "base/team/team.h"
#include "kernel/conv_f32/conv_f32.h"
#include "kernel/point/point_f32.h"

static float
real(int pattern)
{
    static const float odd[] = {0.0f,      -0.0f,      1.0f,     -1.0f,
                                0x1p-140f, -0x1p-149f, 0x1p127f, -0x1p126f,
                                INFINITY,  -INFINITY,  NAN,      0x1.8p-126f};
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
floats(const SnShape *s)
{
    return input(plain(SN_F32), s);
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

static bool minus_zeros; /* in the place of drawn numbers */

static void
fill(SnRun *r, int pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        int64_t n = sn_shape_count(r->x->input[i].shape);
        float *v = sn_run_input(r, i);
        for (int64_t k = 0; k < n; k++)
            v[k] = minus_zeros ? -0.0f : real(pattern);
    }
}

static void
same(const float *got, const float *want, size_t n, const char *what, SnIsa isa)
{
    for (size_t k = 0; k < n; k++)
        if (!alike(SN_F32, &got[k], &want[k]))
            fail_msg("%s, %s: element %zu is %a, not %a", what,
                     sn_isa_name(isa), k, (double)got[k], (double)want[k]);
}

/* ---- contracts ---- */

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
    int64_t n = sn_conv_f32_pieces(p, &f, &nwork);
    assert_true(n > 0 && nwork > 0);
    float *work = at_end((int64_t)(nwork / sizeof(float)));
    for (int64_t i = n; i > n / 2; i--)
        sn_conv_f32_pack_pieces(p, &f, work, i - 1, i);
    sn_conv_f32_pack_pieces(p, &f, work, 0, n / 2);
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
        assert_true(sn_conv_f32_pieces(p, &f, &nwork) > 0);
        return;
    }
    assert_int_equal(sn_conv_f32_pieces(p, &f, &nwork), 0);
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

/* ---- the others ---- */

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
        cmocka_unit_test(panels_of_few_rows),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
