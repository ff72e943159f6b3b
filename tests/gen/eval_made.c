// SPDX-License-Identifier: Apache-2.0
/* Evaluators generated from tests/gen/eval.def against independent loops. */
#include "unit/eval_graph.h"
#include "base/lang/vectors.h"
#include "sn_arith.h"
#include "unit/narrow.h"

static const SnType *
qt(SnElem e, float scale, int32_t zp)
{
    return sn_type_quant(g->pool, e, scale, zp);
}

static int
sat8(float v)
{
    return (int)fmaxf(fminf(v, 127), -128);
}

/* A 1x1 convolution, rounded and saturated as `mid`, plus the residual. */
static void
conv_add(void **state)
{
    (void)state;
    enum { P = 20, C = 5, O = 3 };
    const int8_t *x = rnd8(P * C), *w = rnd8(O * C), *r = rnd8(P * O);
    const int32_t b[O] = {7, -300, 41};
    const SnType *mid = q8(0.25f, 1);
    for (int after = 0; after < 2; after++) {
        SnConvAddAttr at = {.kernel = INTS(1, 1),
                            .stride = INTS(1, 1),
                            .pads = INTS(0, 0, 0, 0),
                            .dilate = INTS(1, 1),
                            .group = 1,
                            .mid = mid,
                            .mid_clamp = {1, 100, true, true},
                            .round = after};
        SnId id = sn_conv_add_new(
            g, NULL, con(q8(0.1f, 3), SHAPE(1, 4, 5, C), x),
            con(q8(0.02f, 0), SHAPE(O, 1, 1, C), w),
            con(qt(SN_QI32, 0.1f * 0.02f, 0), SHAPE(O), b),
            con(q8(0.5f, -4), SHAPE(1, 4, 5, O), r), &at, q8(0.5f, 9));
        const int8_t *y = eval(id, 0);
        for (int i = 0; i < P * O; i++) {
            int32_t acc = b[i % O];
            for (int k = 0; k < C; k++)
                acc += (x[i / O * C + k] - 3) * w[i % O * C + k];
            float m = nearbyintf((float)acc * ((0.1f * 0.02f) / 0.25f)) + 1;
            int32_t code = (int32_t)fmaxf(fminf(m, 100), 1);
            /* QLinearAdd: ratios 0.25 / 0.5 and 0.5 / 0.5 */
            float f = 9 - fmaf(0.5f, 1, -4.0f);
            int32_t want =
                after
                    ? sat8(nearbyintf(fmaf(0.5f, (float)code, (float)r[i] + f)))
                    : sat8(nearbyintf(((float)(code - 1) * 0.25f +
                                       (float)(r[i] + 4) * 0.5f) /
                                      0.5f) +
                           9);
            assert_int_equal(y[i], want);
        }
    }
}

static void
wide(void **state)
{
    (void)state;
    enum { M = 2, K = 300, N = 3 };
    int16_t x[M * K], w[N * K];
    for (int i = 0; i < M * K; i++)
        x[i] = (int16_t)(32767 - (int)(rnd() % 50)); /* past int32 sums */
    for (int i = 0; i < N * K; i++)
        w[i] = (int16_t)(32767 - (int)(rnd() % 50));
    SnWideFCAttr at = {.clamp = {0, 0, false, false}};
    SnId id =
        sn_wide_fc_new(g, NULL, con(qt(SN_QI16, 1e-3f, -5), SHAPE(M, K), x),
                       con(qt(SN_QI16, 1e-4f, 0), SHAPE(N, K), w), 0, &at,
                       qt(SN_QI16, 1.0f, 2));
    const int16_t *y = eval(id, 0);

    for (int i = 0; i < M * N; i++) {
        int64_t acc = 0;
        for (int k = 0; k < K; k++)
            acc += (int64_t)(x[i / N * K + k] + 5) * w[i % N * K + k];
        assert_true(acc > INT32_MAX);
        float v = nearbyintf((float)acc * ((1e-3f * 1e-4f) / 1.0f)) + 2;
        assert_int_equal(y[i], (int)fminf(v, 32767));
    }
}

/* By scattering: each x element adds to the results it reaches. */
static void
deconv(void **state)
{
    (void)state;
    enum { H = 3, W = 4, C = 4, O = 6, KH = 3, KW = 2, G = 2 };
    const int8_t *x = rnd8(H * W * C), *w = rnd8(O * KH * KW * C / G);
    SnDeconvAttr at = {.stride = INTS(2, 3),
                       .pads = INTS(1, 0, 0, 1),
                       .dilate = INTS(1, 2),
                       .group = G,
                       .out_pads = INTS(1, 0)};
    SnId id = sn_deconv_new(g, NULL, con(q8(0.1f, 2), SHAPE(1, H, W, C), x),
                            con(q8(0.1f, 1), SHAPE(O, KH, KW, C / G), w), 0,
                            &at, q8(10, 0));
    const int8_t *y = eval(id, 0);
    const SnShape *s = sn_shape_of(g, SN_REF(id, 0));
    int32_t *acc = SN_NEW_N(arena, int32_t, count(id));

    /* (H - 1) * stride - pads + dilate * (K - 1) + 1 + out_pads */
    assert_int_equal(s->dim[1], 2 * 2 - 1 + 2 + 1 + 1);
    assert_int_equal(s->dim[2], 3 * 3 - 1 + 2 + 1);
    for (int i = 0; i < H * W * C; i++) {
        int c = i % C, xw = i / C % W, xh = i / C / W, grp = c / (C / G);
        for (int k = 0; k < O / G * KH * KW; k++) {
            int kw = k % KW, kh = k / KW % KH, o = k / KW / KH + grp * (O / G);
            int64_t oh = xh * 2 - 1 + kh, ow = xw * 3 + kw * 2;
            if (oh < 0 || oh >= s->dim[1] || ow < 0 || ow >= s->dim[2])
                continue;
            acc[(oh * s->dim[2] + ow) * O + o] +=
                (x[i] - 2) *
                (w[((o * KH + kh) * KW + kw) * (C / G) + c % (C / G)] - 1);
        }
    }
    for (int64_t i = 0; i < count(id); i++)
        assert_int_equal(
            y[i], sat8(nearbyintf((float)acc[i] * ((0.1f * 0.1f) / 10.0f))));
}

static void
bag(void **state)
{
    (void)state;
    enum { R = 4, C = 3 };
    const int64_t index[] = {3, 0, 0, 2, 1}, offset[] = {0, 2, 2, 5};
    const float weight[] = {1, -2, 0.5f, 3, 0.25f};
    uint8_t rows[R * (C + 8)];
    float plain_rows[R * C];
    for (int r = 0; r < R; r++) {
        float p[2] = {0.5f + (float)r, -3.25f};
        for (int c = 0; c < C; c++) {
            uint8_t v = (uint8_t)rnd();
            rows[r * (C + 8) + c] = v;
            plain_rows[r * C + c] = p[0] * (float)v + p[1];
        }
        memcpy(rows + r * (C + 8) + C, p, 8);
    }
    SnRef ix = con(plain(SN_I64), SHAPE(5), index);
    SnRef of = con(plain(SN_I64), SHAPE(4), offset);
    SnRef wt = con(plain(SN_F32), SHAPE(5), weight);
    SnId a = sn_bag_new(g, NULL, con(plain(SN_F32), SHAPE(R, C), plain_rows),
                        ix, of, wt, plain(SN_F32));
    SnId b = sn_bag_new(g, NULL, con(plain(SN_ROW8), SHAPE(R, C), rows), ix, of,
                        wt, plain(SN_F32));
    const float *y = eval(a, 0);

    assert_int_equal(count(a), 9);
    assert_memory_equal(y, eval(b, 0), 9 * sizeof *y);
    for (int i = 0; i < 9; i++) {
        float acc = 0;
        for (int64_t k = offset[i / C]; k < offset[i / C + 1]; k++)
            acc = fmaf(plain_rows[index[k] * C + i % C], weight[k], acc);
        assert_true(y[i] == acc);
    }
}

static void
reductions(void **state)
{
    (void)state;
    enum { A = 3, B = 4, C = 5 };
    const int8_t *x = rnd8(A * B * C);
    SnMeanAttr at = {.axes = INTS(0, -1)};
    SnId id = sn_mean_new(g, NULL, con(q8(0.5f, 7), SHAPE(A, B, C), x), &at,
                          q8(0.3f, 1));
    const int8_t *y = eval(id, 0);
    for (int b = 0; b < B; b++) {
        int32_t sum = 0;
        for (int i = 0; i < A * C; i++)
            sum += x[(i / C * B + b) * C + i % C] - 7;
        assert_int_equal(
            y[b],
            sat8(nearbyintf((float)sum * (0.5f / (0.3f * (float)(A * C)))) +
                 1));
    }
    const float f[] = {1, 5, 5, 2, 7, 0};
    SnArgMaxAttr am = {.axes = INTS(1)};
    const int64_t *k =
        eval(sn_arg_max_new(g, NULL, con(plain(SN_F32), SHAPE(2, 3), f), &am,
                            plain(SN_I64)),
             0);
    assert_int_equal(k[0], 2); /* ties last */
    assert_int_equal(k[1], 1);
    const int64_t n[] = {1, 2, 3, 4, 5, 6};
    SnSum64Attr sa = {.axes = INTS(0)};
    const int64_t *s =
        eval(sn_sum64_new(g, NULL, con(plain(SN_I64), SHAPE(2, 3), n), &sa,
                          plain(SN_I64)),
             0);
    assert_true(s[0] == 5 && s[1] == 7 && s[2] == 9);
}

static void
layer_norm(void **state)
{
    (void)state;
    enum { R = 3, N = 6 };
    const float *x = rndf(R * N), *sc = rndf(N), *b = rndf(N);
    SnLayerNormAttr at = {.axis = -1, .eps = 1e-3f};
    const float *y = eval(
        sn_layer_norm_new(g, NULL, con(plain(SN_F32), SHAPE(R, N), x),
                          con(plain(SN_F32), SHAPE(N), sc),
                          con(plain(SN_F32), SHAPE(N), b), &at, plain(SN_F32)),
        0);

    for (int i = 0; i < R * N; i++) {
        double mean = 0, var = 0;
        for (int k = 0; k < N; k++)
            mean += (double)x[i / N * N + k] / N;
        for (int k = 0; k < N; k++)
            var += pow((double)x[i / N * N + k] - mean, 2) / N;
        double v =
            ((double)x[i] - mean) / sqrt(var + 1e-3) * (double)sc[i % N] +
            (double)b[i % N];
        assert_true(fabs((double)y[i] - v) < 1e-5);
    }
}

static void
plain_types(void **state)
{
    (void)state;
    const float a[] = {1, 2, -3.7f, 1e30f}, b[] = {2};
    const int64_t n[] = {0, 5, -2, INT64_MAX};
    SnRef ra = con(plain(SN_F32), SHAPE(4), a);
    SnRef rn = con(plain(SN_I64), SHAPE(4), n);
    SnId less = sn_less_new(g, NULL, ra, con(plain(SN_F32), SHAPE(1), b),
                            plain(SN_BOOL));
    const bool *l = eval(less, 0);
    assert_true(l[0] && !l[1] && l[2] && !l[3]);
    const float *w =
        eval(sn_where_new(g, NULL, SN_REF(less, 0), ra,
                          con(plain(SN_F32), SHAPE(1), b), plain(SN_F32)),
             0);
    assert_true(w[0] == 1 && w[1] == 2 && w[2] == -3.7f && w[3] == 2);
    const int32_t *t = eval(sn_cast_new(g, NULL, ra, plain(SN_I32)), 0);
    assert_true(t[0] == 1 && t[2] == -3 && t[3] == INT32_MAX);
    const bool *z = eval(sn_cast_new(g, NULL, rn, plain(SN_BOOL)), 0);
    assert_true(!z[0] && z[1]);
    SnPolyAttr at = {.k = 3};
    const int64_t *p = eval(sn_poly_new(g, NULL, rn, &at, plain(SN_I64)), 0);
    assert_true(p[0] == -1 && p[1] == 39 && p[2] == -3);
}

static SnRef
one_of(const char *type, const char *text, const SnType **t)
{
    int64_t *v = SN_NEW(arena, int64_t), n = narrow_int(text);
    int32_t n32 = (int32_t)n;
    float f = narrow_real(text);
    bool real = type[0] == 'f', half = type[1] == '3';

    *t = plain(real ? SN_F32 : half ? SN_I32 : SN_I64);
    memcpy(v,
           real   ? (void *)&f
           : half ? (void *)&n32
                  : (void *)&n,
           real || half ? 4 : 8);
    return con(*t, SHAPE(1), v);
}

static void
narrowed(const NarrowLine *l)
{
    SnRef in[2];
    const SnType *from, *to = plain(SN_I8);
    SnSpec s = {.kind = sn_kind_named(l->node), .nin = l->pair ? 2 : 1};

    in[0] = one_of(l->in, l->a, &from);
    in[1] = l->pair ? one_of(l->in, l->b, &from) : in[0];
    if (l->out[1] != '8')
        (void)one_of(l->out, l->want, &to);
    s.in = in;
    s.type = &to;
    const void *y = eval(sn_add(g, &s, NULL), 0);
    int64_t want = narrow_int(l->want);
    bool ok = to->elem == SN_F32   ? *(const float *)y == narrow_real(l->want)
              : to->elem == SN_I8  ? *(const int8_t *)y == want
              : to->elem == SN_I32 ? *(const int32_t *)y == want
                                   : *(const int64_t *)y == want;
    if (!ok)
        fail_msg("%s %s %s is not %s", l->node, l->a, l->b, l->want);
}

static void
narrowing(void **state)
{
    (void)state;
    assert_int_equal(narrow_each(narrowed), 451);
}

static void
moves(void **state)
{
    (void)state;
    const int8_t v[] = {1, 2}, big[12] = {0};
    const int8_t *y =
        eval(sn_expand_new(g, NULL, con(q8(1, 0), SHAPE(2, 1), v),
                           con(q8(1, 0), SHAPE(2, 2, 3), big), q8(1, 0)),
             0);
    const int8_t want[] = {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2};
    assert_memory_equal(y, want, sizeof want);
    int8_t x[16];
    for (int i = 0; i < 16; i++)
        x[i] = (int8_t)i;
    SnDepthToSpaceAttr at = {.b = 2};
    y = eval(sn_depth_to_space_new(g, NULL, con(q8(1, 0), SHAPE(1, 1, 2, 8), x),
                                   &at, q8(1, 0)),
             0);
    const int8_t d2s[] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
    assert_memory_equal(y, d2s, sizeof d2s);
}

/* Each constraint holds, then fails. */
static void
constraints(void **state)
{
    (void)state;
    const SnKindDesc *d = sn_desc(SN_K_LIMITS);
    const SnLimitsAttr ok = {
        .low = 1, .high = 2, .mode = SN_LIMITS_MODE_C, .name = "", .k = 6};
    const char *name[] = {"high", "high", "perm", "mode", "name", "k", "k"};
    SnLimitsAttr bad[] = {ok, ok, ok, ok, ok, ok, ok};
    bad[0].high = 0.5f;
    bad[1].low = bad[1].high = 0;
    bad[2].perm = INTS(0, 2);
    bad[3].mode = SN_LIMITS_MODE_B;
    bad[4].name = "none";
    bad[5].k = 7;
    bad[6].k = 2;
    for (int i = 0; i < 7; i++) {
        const SnAttrDesc *a = sn_attr_named(d, name[i]);
        assert_true(a->check(&ok));
        assert_false(a->check(&bad[i]));
    }
    SnLimitsAttr perm = ok;
    perm.perm = INTS(1, 0);
    assert_true(sn_attr_named(d, "perm")->check(&perm));
    perm.turn = INTS(2, 0, 1); /* a third of a turn: nothing in two */
    assert_false(sn_attr_named(d, "turn")->check(&perm));
    perm.turn = INTS(1, 0);
    assert_true(sn_attr_named(d, "turn")->check(&perm));
    /* an element before the first is 0, and nothing overflows */
    perm.at = INTS(1);
    assert_true(sn_attr_named(d, "at")->check(&perm));
    perm.at = INTS(INT64_MAX);
    assert_false(sn_attr_named(d, "at")->check(&perm));

    SnTensor in[] = {{plain(SN_F32), SHAPE(4, 3), NULL},
                     {plain(SN_F32), SHAPE(1), NULL}};
    SnTensor out = {plain(SN_F32), SHAPE(3, 4), NULL};
    SnCall c = {.kind = d,
                .attr = &perm,
                .nin = 2,
                .nout = 1,
                .in = in,
                .out = &out,
                .scratch = sn_arena_new()};
    assert_int_equal(d->ninv, 3);
    for (uint32_t i = 0; i < d->ninv; i++)
        assert_true(d->inv[i].holds(&c));
    perm.perm = INTS(2, 0, 1);
    assert_false(d->inv[1].holds(&c));
    perm.perm = INTS(1, 1);
    assert_false(d->inv[0].holds(&c));
    in[0].shape = SHAPE(4, 4);
    assert_false(d->inv[2].holds(&c));
    sn_arena_free(c.scratch);
    c.nin = 1; /* no operand in `more` */
    perm.perm = INTS(1, 0);
    assert_false(d->inv[0].holds(&c));
}

/* Integers beside reals, in a list and in a function. */
static void
mixed(void **state)
{
    (void)state;
    const SnKindDesc *d = sn_desc(SN_K_MIXED);
    const SnAttrDesc *low = sn_attr_named(d, "low");
    const float list[] = {1, 2}, other[] = {1, 3};
    SnMixedAttr at = {.f = {2, list}, .k = INTS(2, 3), .low = 0.5f};
    SnTensor in[] = {{plain(SN_F32), SHAPE(1), NULL}};
    SnTensor out = {plain(SN_F32), SHAPE(1), NULL};
    SnCall c = {
        .kind = d, .attr = &at, .nin = 1, .nout = 1, .in = in, .out = &out};

    assert_true(d->inv[0].holds(&c));
    assert_true(low->check(&at));
    at.k = INTS(2, 4); /* max(1, 4) < 3.5 */
    assert_false(d->inv[0].holds(&c));
    at.k = INTS(3, 3); /* f is not [1, 3] */
    assert_false(d->inv[0].holds(&c));
    at.f = (SnReals){2, other}; /* but max(3, 2) is 3 */
    assert_false(d->inv[0].holds(&c));
    at.low = 1.5f; /* min(1.5, 3) */
    assert_false(low->check(&at));
    at.k = INTS(0, 3);
    assert_true(low->check(&at));
}

/* Rows of eval.def's own arithmetics, worked out by hand. */
static void
rows(void **state)
{
    (void)state;
    const SnRowGrids grids = {
        .scale = {2, 0.5f, 0.25f}, .zp = {10, 3, 3}, .n = 4, .kernel = {2, 3}};
    static const struct {
        const SnArith *in;
        SnForm form;
        const char *map;
        unsigned when;
        int64_t a, b, want;
    } c[] = {
        /* a > b and not (b > 0) ? a : -b */
        {&sn_arith_odd, SN_FORM_SUM, NULL, SN_WHEN_SAME, 5, -3, 5},
        {&sn_arith_odd, SN_FORM_SUM, NULL, SN_WHEN_SAME, 5, 2, -2},
        {&sn_arith_odd, SN_FORM_SUM, NULL, SN_WHEN_SAME, -4, -3, 3},
        /* (23 - 3) * 0.25 / 2 = 2.5, up, and b */
        {&sn_arith_odd, SN_FORM_SUM, NULL, 0, 23, -4, -1},
        /* 3.5 to even against 0, and the exponent of 0.5 */
        {&sn_arith_odd, SN_FORM_DIFFERENCE, NULL, 0, 7, 3, 3},
        {&sn_arith_odd, SN_FORM_DIFFERENCE, NULL, 0, 7, 12, 8},
        {&sn_arith_odd, SN_FORM_PRODUCT, NULL, 0, 100, 28, -128 - 72},
        /* -15 / 2 toward zero, less 7 */
        {&sn_arith_odd, SN_FORM_CONVERT, NULL, 0, -5, 0, -14},
        {&sn_arith_odd, SN_FORM_MEAN, "pool", 0, -9, 0, 8},
        {&sn_arith_odd, SN_FORM_MEAN, "reduce", 0, -9, 0, 5},
        /* 3 times, as minus minus 0.5 * 1.5 / 0.25 */
        {&sn_arith_odder, SN_FORM_SUM, NULL, 0, 5, 0, 15},
        /* 0.5 * 0.25 - 2 is below 0.25, b's zero point is 3 */
        {&sn_arith_odder, SN_FORM_PRODUCT, NULL, 0, 8, 9, 8},
    };
    static const struct {
        float value;
        int64_t want;
    } p[] = {{1.1f, 4}, {-0.5f, 1}, {-2, -8}};
    int64_t k[SN_ROW_NK];

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const SnArithRow *r =
            sn_arith_row(c[i].in, c[i].form, c[i].map, c[i].when);
        assert_non_null(r);
        r->open(&grids, k);
        assert_int_equal(r->fn(k, c[i].a, c[i].b), c[i].want);
    }
    const SnArithRow *r = sn_arith_row(&sn_arith_odd, SN_FORM_POINT, NULL, 0);
    assert_non_null(r);
    r->open(&grids, k);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        assert_int_equal(r->fn(k, sn_bits_f32(p[i].value), 0), p[i].want);

    r = sn_arith_row(&sn_arith_odd, SN_FORM_PRODUCT, NULL, 0);
    r->open(&grids, k);
    assert_true(r->fits(k, 100, 27));
    assert_false(r->fits(k, 100, 28));
    assert_false(r->fits(k, -100, 28)); /* b - a is 128 */
    r = sn_arith_row(&sn_arith_odd, SN_FORM_SUM, NULL, 0);
    assert_int_equal(r->nratio, 1);
    assert_true(r->ratio[0].of(&grids) >= 0.125);
    assert_true(r->ratio[0].of(&grids) <= 0.125);

    const SnArithPairs *of = &sn_arith_odd.pairs;
    assert_true(of->some && of->acc_saturate);
    assert_int_equal(of->acc_bits, 16);
    assert_int_equal(of->acc_each, 2);
    assert_int_equal(of->nno, 1);
    assert_string_equal(of->no[0].kind, "Mean");
    assert_int_equal(of->no[0].is, SN_WHEN_WIDE);
    assert_true(sn_arith_odd.hash != sn_arith_odder.hash);
}

/* Results that share a set: each is about its own centre. */
static void
row_lrn(void **state)
{
    (void)state;
    enum { R = 3, C = 7 };
    const int8_t *x = rnd8(R * C);
    SnRowLRNAttr at = {
        .axis = -1, .size = 1, .alpha = 0.01f, .beta = 1, .k = 1};
    SnId id = sn_row_lrn_new(g, NULL, con(q8(0.1f, 3), SHAPE(R, C), x), &at,
                             q8(0.1f, 3));
    const int8_t *y = eval(id, 0);

    for (int r = 0; r < R; r++) {
        float sum = 0;
        for (int c = 0; c < C; c++)
            sum += 0.01f * (float)((x[r * C + c] - 3) * (x[r * C + c] - 3));
        for (int c = 0; c < C; c++) {
            float v = (float)(x[r * C + c] - 3) / (1 + 0.01f * sum) + 3;
            assert_true(fabsf(v - (float)y[r * C + c]) < 0.51f);
        }
    }
}

/* The vectors that the prover computed of the same rows, in the directory
 * VECTORS. */
static void
vectors(void **state)
{
    (void)state;
    static const SnArith *const of[] = {&sn_arith_odd, &sn_arith_odder};
    SnArena *m = sn_arena_new();
    SnDiag *d = sn_diag_new(m);
    int64_t k[SN_ROW_NK];
    uint32_t n = 0;

    for (int i = 0; i < 2; i++) {
        SnVectors f;
        const char *path =
            sn_format(m, "%s/%s.txt", getenv("VECTORS"), of[i]->name);
        assert_int_equal(sn_vectors_read(m, d, path, &f), SN_OK);
        for (uint32_t t = 0; t < f.n; t++) {
            const SnVectorRow *at = &f.table[t].row;
            const SnArithRow *r =
                sn_arith_row(of[i], at->form, at->map, at->when);
            const int32_t hi = sn_vectors_hi(at);
            assert_non_null(r);
            for (uint32_t j = 0; j < f.table[t].n; j++, n++) {
                const SnVector *v = &f.table[t].v[j];
                int64_t a =
                    at->form == SN_FORM_POINT ? sn_bits_f32(v->real) : v->in[0];
                r->open(&v->g, k);
                assert_int_equal(sn_row_code(r, k, a, v->in[1], -hi - 1, hi),
                                 v->want);
            }
        }
    }
    assert_true(n > 1000);
    sn_arena_free(m);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(conv_add),    T(wide),       T(deconv),      T(bag),
        T(reductions),  T(layer_norm), T(plain_types), T(moves),
        T(constraints), T(narrowing),  T(rows),        T(mixed),
        T(row_lrn),     T(vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
