// SPDX-License-Identifier: Apache-2.0
/* Generated evaluators against values worked by hand and against independent
 * loops: contracts, point nodes, windows. */
#include "unit/eval_graph.h"

/* ---- convolution ---- */

typedef struct Geo {
    int64_t n, h, w, c, oc, kh, kw, group;
    int64_t stride[2], pads[4], dilate[2];
} Geo;

static const Geo geos[] = {
    {1, 5, 5, 3, 4, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 7, 6, 4, 6, 3, 2, 2, {2, 1}, {1, 0, 2, 1}, {1, 1}},
    {1, 9, 9, 2, 70, 3, 3, 1, {2, 2}, {2, 2, 2, 2}, {2, 2}},
    {1, 6, 8, 5, 5, 3, 3, 5, {1, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 6, 8, 20, 20, 3, 3, 20, {1, 1}, {2, 2, 0, 0}, {2, 1}},
    {1, 4, 4, 8, 8, 1, 1, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {1, 8, 5, 6, 12, 2, 3, 6, {1, 1}, {0, 1, 0, 1}, {1, 2}},
};

static int64_t
out_len(int64_t n, int64_t k, int64_t s, int64_t p, int64_t d)
{
    return (n + p - d * (k - 1) - 1) / s + 1;
}

static SnConv2DAttr
conv_attr(const Geo *o, SnRange clamp)
{
    return (SnConv2DAttr){
        .kernel = {2, (const int64_t[]){0, 0}},
        .stride = {2, o->stride},
        .pads = {4, o->pads},
        .dilate = {2, o->dilate},
        .group = o->group,
        .clamp = clamp,
    };
}

typedef struct At {
    int64_t y, x, w; /* offsets; x < 0: padded */
} At;

/* The taps of result (n, oh, ow, oc), in order, one by one. */
static bool
tap(const Geo *o, int64_t n, int64_t oh, int64_t ow, int64_t oc, int64_t k,
    At *at)
{
    int64_t cg = o->c / o->group, ci = k % cg, kw = k / cg % o->kw;
    int64_t kh = k / cg / o->kw;
    int64_t h = oh * o->stride[0] - o->pads[0] + kh * o->dilate[0];
    int64_t w = ow * o->stride[1] - o->pads[1] + kw * o->dilate[1];

    at->w = ((oc * o->kh + kh) * o->kw + kw) * cg + ci;
    at->x =
        ((n * o->h + h) * o->w + w) * o->c + oc / (o->oc / o->group) * cg + ci;
    return h >= 0 && h < o->h && w >= 0 && w < o->w;
}

static const SnShape *
x_shape(const Geo *o)
{
    return SHAPE(o->n, o->h, o->w, o->c);
}

static const SnShape *
w_shape(const Geo *o)
{
    return SHAPE(o->oc, o->kh, o->kw, o->c / o->group);
}

static void
conv_q8(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++) {
        const Geo *o = &geos[i];
        int64_t taps = o->kh * o->kw * o->c / o->group;
        int64_t ohn = out_len(o->h, o->kh, o->stride[0],
                              o->pads[0] + o->pads[2], o->dilate[0]);
        int64_t own = out_len(o->w, o->kw, o->stride[1],
                              o->pads[1] + o->pads[3], o->dilate[1]);
        float xs = 0.05f, ws = 0.02f, ys = 0.31f;
        int32_t xz = -7, wz = i % 2 ? 3 : 0, yz = 11;
        SnRange clamp = {-100, 90, true, i % 3 != 0};
        const int8_t *x = rnd8(o->n * o->h * o->w * o->c);
        const int8_t *w = rnd8(o->oc * taps);
        int32_t *b = SN_NEW_N(arena, int32_t, o->oc);
        SnConv2DAttr at = conv_attr(o, clamp);
        int64_t kernel[2] = {o->kh, o->kw};

        at.kernel.v = kernel;
        for (int64_t k = 0; k < o->oc; k++)
            b[k] = (int32_t)rnd() >> 20;
        SnRef bias = i == 1 ? 0
                            : con(sn_type_quant(g->pool, SN_QI32, xs * ws, 0),
                                  SHAPE(o->oc), b);
        SnId id = sn_conv2d_new(g, NULL, con(q8(xs, xz), x_shape(o), x),
                                con(q8(ws, wz), w_shape(o), w), bias, &at,
                                q8(ys, yz));
        const int8_t *y = eval(id, 0);
        assert_int_equal(count(id), o->n * ohn * own * o->oc);
        float m = (xs * ws) / ys;
        for (int64_t p = 0; p < count(id); p++) {
            int64_t oc = p % o->oc, ow = p / o->oc % own;
            int64_t oh = p / o->oc / own % ohn, n = p / o->oc / own / ohn;
            int32_t acc = bias ? b[oc] : 0;
            for (int64_t k = 0; k < taps; k++) {
                At t;
                if (tap(o, n, oh, ow, oc, k, &t))
                    acc += (x[t.x] - xz) * (w[t.w] - wz);
            }
            int32_t hi = clamp.has_hi ? 90 : 127;
            float v = (float)acc * m;
            int32_t q = (int32_t)fmaxf(
                fminf(nearbyintf(v) + (float)yz, (float)hi), -100.0f);
            assert_int_equal(y[p], q);
        }
    }
}

static void
conv_per_channel(void **state)
{
    (void)state;
    const Geo *o = &geos[0];
    int64_t taps = o->kh * o->kw * o->c;
    float ws[4] = {0.02f, 0.5f, 0.0013f, 0.07f}, bs[4], xs = 0.05f;
    int32_t wz[4] = {0, 5, -1, 0}, bz[4] = {0}, b[4] = {5, -90, 0, 1000};
    const int8_t *x = rnd8(75), *w = rnd8(4 * taps);
    SnConv2DAttr c2 = conv_attr(o, (SnRange){0, 0, false, false});
    SnChannelwiseConv2DAttr at = {.kernel = INTS(3, 3),
                                  .stride = c2.stride,
                                  .pads = c2.pads,
                                  .dilate = c2.dilate,
                                  .group = 1};

    for (int k = 0; k < 4; k++)
        bs[k] = xs * ws[k];
    SnId id = sn_channelwise_conv2d_new(
        g, NULL, con(q8(xs, 4), x_shape(o), x),
        con(sn_type_axis(g->pool, SN_QI8, 0, 4, ws, wz), w_shape(o), w),
        con(sn_type_axis(g->pool, SN_QI32, 0, 4, bs, bz), SHAPE(4), b), &at,
        q8(0.9f, -3));
    const int8_t *y = eval(id, 0);
    for (int64_t p = 0; p < count(id); p++) {
        int64_t oc = p % 4;
        int32_t acc = b[oc];
        for (int64_t k = 0; k < taps; k++) {
            At t;
            if (tap(o, 0, p / 20, p / 4 % 5, oc, k, &t))
                acc += (x[t.x] - 4) * (w[t.w] - wz[oc]);
        }
        float v = nearbyintf((float)acc * ((xs * ws[oc]) / 0.9f)) - 3.0f;
        assert_int_equal(y[p], (int)fmaxf(fminf(v, 127), -128));
    }
}

static void
conv_f32(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++) {
        const Geo *o = &geos[i];
        int64_t taps = o->kh * o->kw * o->c / o->group;
        int64_t kernel[2] = {o->kh, o->kw};
        const float *x = rndf(o->n * o->h * o->w * o->c);
        const float *w = rndf(o->oc * taps), *b = rndf(o->oc);
        SnConv2DAttr at = conv_attr(o, (SnRange){-2, 0, true, false});

        at.kernel.v = kernel;
        SnId id = sn_conv2d_new(g, NULL, con(plain(SN_F32), x_shape(o), x),
                                con(plain(SN_F32), w_shape(o), w),
                                con(plain(SN_F32), SHAPE(o->oc), b), &at,
                                plain(SN_F32));
        const float *y = eval(id, 0);
        const SnShape *s = sn_shape_of(g, SN_REF(id, 0));
        for (int64_t p = 0; p < count(id); p++) {
            int64_t oc = p % o->oc, ow = p / o->oc % s->dim[2];
            int64_t oh = p / o->oc / s->dim[2] % s->dim[1];
            float acc = b[oc];
            for (int64_t k = 0; k < taps; k++) {
                At t;
                if (tap(o, p / o->oc / s->dim[2] / s->dim[1], oh, ow, oc, k,
                        &t))
                    acc = fmaf(x[t.x], w[t.w], acc);
            }
            acc = acc < -2 ? -2 : acc;
            assert_memory_equal(&y[p], &acc, sizeof acc); /* every bit */
        }
    }
}

/* ---- products of matrices ---- */

static void
fully_connected(void **state)
{
    (void)state;
    enum { M = 3, K = 131, N = 67 };
    const int8_t *x = rnd8(M * K), *w = rnd8(N * K);
    SnFullyConnectedAttr at = {.clamp = {0, 0, false, false}};
    SnId id = sn_fully_connected_new(g, NULL, con(q8(0.03f, 1), SHAPE(M, K), x),
                                     con(q8(0.01f, 0), SHAPE(N, K), w), 0, &at,
                                     q8(0.2f, 0));
    const int8_t *y = eval(id, 0);

    for (int i = 0; i < M * N; i++) {
        int32_t acc = 0;
        for (int k = 0; k < K; k++)
            acc += (x[i / N * K + k] - 1) * w[i % N * K + k];
        float v = nearbyintf((float)acc * ((0.03f * 0.01f) / 0.2f));
        assert_int_equal(y[i], (int)fmaxf(fminf(v, 127), -128));
    }
}

static void
matmul_one(bool ta, bool tb)
{
    enum { B = 2, M = 4, K = 5, N = 9 };
    const float *a = rndf(B * M * K), *b = rndf(K * N);
    SnMatMulAttr at = {.trans_a = ta, .trans_b = tb};
    SnId id = sn_mat_mul_new(
        g, NULL, con(plain(SN_F32), ta ? SHAPE(B, K, M) : SHAPE(B, M, K), a),
        con(plain(SN_F32), tb ? SHAPE(1, N, K) : SHAPE(1, K, N), b), &at,
        plain(SN_F32));
    const float *y = eval(id, 0);

    for (int i = 0; i < B * M * N; i++) {
        int n = i % N, m = i / N % M, bt = i / N / M;
        float acc = 0;
        for (int k = 0; k < K; k++)
            acc = fmaf(a[bt * M * K + (ta ? k * M + m : m * K + k)],
                       b[tb ? n * K + k : k * N + n], acc);
        assert_memory_equal(&y[i], &acc, sizeof acc);
    }
}

static void
matmul(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        matmul_one(i & 1, i & 2);
}

/* A vector is a row on the left and a column on the right; swapping means
 * nothing for it, and it leaves no dimension behind. */
static void
matmul_vectors(void **state)
{
    enum { B = 3, M = 4, K = 5, N = 6 };
    const float *m = rndf(B * M * K), *n = rndf(B * K * N), *v = rndf(K);
    SnMatMulAttr at = {.trans_a = true}, bt = {.trans_b = true}, no = {0};
    const SnType *t = plain(SN_F32);
    SnRef row = con(t, SHAPE(K), v), a = con(t, SHAPE(B, M, K), m);
    SnRef b = con(t, SHAPE(B, K, N), n), none = con(t, SHAPE(2, K), m);
    SnId y = sn_mat_mul_new(g, NULL, row, b, &at, t);
    SnId z = sn_mat_mul_new(g, NULL, a, row, &bt, t);
    SnId w = sn_mat_mul_new(g, NULL, row, row, &no, t);
    const float *yv = eval(y, 0), *zv = eval(z, 0), *wv = eval(w, 0);
    float dot = 0;

    (void)state;
    assert_ptr_equal(sn_shape_of(g, SN_REF(y, 0)), SHAPE(B, N));
    assert_ptr_equal(sn_shape_of(g, SN_REF(z, 0)), SHAPE(B, M));
    assert_int_equal(sn_shape_of(g, SN_REF(w, 0))->rank, 0);
    for (int i = 0; i < B * N; i++) {
        float acc = 0;
        for (int k = 0; k < K; k++)
            acc = fmaf(v[k], n[i / N * K * N + k * N + i % N], acc);
        assert_true(yv[i] == acc);
    }
    for (int i = 0; i < B * M; i++) {
        float acc = 0;
        for (int k = 0; k < K; k++)
            acc = fmaf(m[i * K + k], v[k], acc);
        assert_true(zv[i] == acc);
    }
    for (int k = 0; k < K; k++)
        dot = fmaf(v[k], v[k], dot);
    assert_true(wv[0] == dot);
    const float *pair = eval(sn_mat_mul_new(g, NULL, none, row, &no, t), 0);
    assert_true(pair[0] == zv[0] && pair[1] == zv[1]);
}

/* The same on codes and on integers. */
static void
matmul_vectors_of_codes(void **state)
{
    enum { K = 19, N = 3 };
    const int8_t *v = rnd8(K), *m = rnd8(K * N);
    const SnType *tv = q8(0.5f, 3), *tm = q8(0.25f, -1), *ty = q8(16, 2);
    int32_t iv[K], im[K * N];
    SnMatMulAttr no = {0};

    (void)state;
    for (int i = 0; i < K * N; i++) {
        im[i] = m[i];
        iv[i % K] = v[i % K];
    }
    SnId y = sn_mat_mul_new(g, NULL, con(tv, SHAPE(K), v),
                            con(tm, SHAPE(K, N), m), &no, ty);
    SnId z = sn_integer_mat_mul_new(g, NULL, con(plain(SN_I32), SHAPE(K), iv),
                                    con(plain(SN_I32), SHAPE(K, N), im),
                                    plain(SN_I32));
    const int8_t *yv = eval(y, 0);
    const int32_t *zv = eval(z, 0);
    for (int j = 0; j < N; j++) {
        int32_t acc = 0, sum = 0;
        for (int k = 0; k < K; k++) {
            acc += (v[k] - 3) * (m[k * N + j] + 1);
            sum += v[k] * m[k * N + j];
        }
        assert_int_equal(zv[j], sum);
        assert_int_equal(yv[j],
                         sn_requant(acc, 0.5f * 0.25f / 16, 2, -128, 127));
    }
}

/* ---- point nodes ---- */

/* Scales that are powers of two make exact ties; an odd zero point shows
 * where it is added. */
static void
add_rounds(void **state)
{
    (void)state;
    const int8_t a[] = {1, 3, 5, -1, 100, 2}, b[] = {0, 0, 0, 0, 100, 1};
    for (int after = 0; after < 2; after++) {
        SnAddAttr at = {.round = after};
        SnId id = sn_add_new(g, NULL, con(q8(0.5f, 0), SHAPE(6), a),
                             con(q8(0.5f, 0), SHAPE(6), b), &at, q8(1.0f, 1));
        const int8_t *y = eval(id, 0);
        /* before: rne(0.5) + 1 = 1, rne(1.5) + 1 = 3, rne(2.5) + 1 = 3 */
        static const int8_t want[2][6] = {{1, 3, 3, 1, 101, 3},
                                          {2, 2, 4, 0, 101, 2}};
        assert_memory_equal(y, want[after], 6);
    }
}

static void
mul_rounds(void **state)
{
    (void)state;
    const int8_t a[] = {2, 4, 6, 1}, b[] = {2};
    for (int after = 0; after < 2; after++) {
        SnMulAttr at = {.round = after};
        SnId id = sn_mul_new(g, NULL, con(q8(0.5f, 1), SHAPE(2, 2), a),
                             con(q8(1.0f, 1), SHAPE(1), b), &at, q8(1.0f, 3));
        const int8_t *y = eval(id, 0);
        /* reals: 0.5, 1.5, 2.5, 0 */
        static const int8_t want[2][4] = {{3, 5, 5, 3}, {4, 4, 6, 3}};
        assert_memory_equal(y, want[after], 4);
    }
}

/* zp_shift is a change of name for uint8: codes and zero points move alike,
 * ties included. */
static void
shift_ties(void **state)
{
    (void)state;
    const int8_t a[] = {-127, -125, 7}, b[] = {-128, -128, -128};
    SnAddAttr at = {.round = SN_ADD_ROUND_AFTER, .zp_shift = 128};
    SnId id = sn_add_new(g, NULL, con(q8(0.5f, -128), SHAPE(3), a),
                         con(q8(0.5f, -128), SHAPE(3), b), &at, q8(1.0f, -128));
    const int8_t *y = eval(id, 0);

    /* u8: rne(0.5) = 0, rne(1.5) = 2, rne(67.5) = 68 */
    assert_int_equal(y[0], -128);
    assert_int_equal(y[1], -126);
    assert_int_equal(y[2], -60);
}

static void
broadcast(void **state)
{
    (void)state;
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20};
    const float want[] = {11, 12, 13, 24, 25, 26};
    SnAddAttr at = {0};
    SnId id =
        sn_add_new(g, NULL, con(plain(SN_F32), SHAPE(1, 2, 3), a),
                   con(plain(SN_F32), SHAPE(2, 1), b), &at, plain(SN_F32));

    assert_memory_equal(eval(id, 0), want, sizeof want);
}

/* Above 256 elements the table answers; it must be the formula. */
static void
tables(void **state)
{
    (void)state;
    const int8_t *x = rnd8(1000);
    SnId id = sn_sigmoid_new(g, NULL, con(q8(0.04f, 9), SHAPE(1000), x),
                             q8(1 / 256.0f, -128));
    const int8_t *y = eval(id, 0);

    for (int i = 0; i < 1000; i++) {
        double r = 1 / (1 + exp(-(double)((float)(x[i] - 9) * 0.04f)));
        double v = r * 256 - 128;
        assert_true(fabs(y[i] - v) <= 0.5001 || (y[i] == 127 && v > 127));
    }
}

static void
per_axis(void **state)
{
    (void)state;
    const float s[] = {0.5f, 2.0f, 1.0f}, x[] = {1, 2, 3, 4, 5, 6};
    const int32_t z[] = {0, 1, -2};
    const SnType *t = sn_type_axis(g->pool, SN_QI8, 0, 3, s, z);
    SnQuantizeAttr at = {.clamp = {0, 0, false, false}};
    SnId id =
        sn_quantize_new(g, NULL, con(plain(SN_F32), SHAPE(3, 2), x), &at, t);
    static const int8_t want[] = {2, 4, 3, 3, 3, 4};
    static const float back[] = {1, 2, 4, 4, 5, 6};

    assert_memory_equal(eval(id, 0), want, 6);
    SnId d = sn_dequantize_new(g, NULL, SN_REF(id, 0), plain(SN_F32));
    assert_memory_equal(eval(d, 0), back, sizeof back);
}

/* ---- windows ---- */

static void
max_pool(void **state)
{
    (void)state;
    enum { H = 5, W = 6, C = 3 };
    const int8_t *x = rnd8(H * W * C);
    SnMaxPoolAttr at = {.kernel = INTS(3, 2),
                        .stride = INTS(2, 1),
                        .pads = INTS(1, 0, 1, 1),
                        .dilate = INTS(1, 2)};
    SnId id = sn_max_pool_new(g, NULL, con(q8(0.1f, 5), SHAPE(1, H, W, C), x),
                              &at, q8(0.1f, 5), plain(SN_I64));
    const int8_t *y = eval(id, 0);
    const int64_t *idx = eval(id, 1);
    const SnShape *s = sn_shape_of(g, SN_REF(id, 0));

    for (int64_t p = 0; p < count(id); p++) {
        int64_t c = p % C, ow = p / C % s->dim[2], oh = p / C / s->dim[2];
        int best = -1000;
        int64_t at_best = -1;
        for (int kh = 0; kh < 3; kh++)
            for (int kw = 0; kw < 2; kw++) {
                int64_t h = oh * 2 - 1 + kh, w = ow + kw * 2;
                if (h < 0 || h >= H || w < 0 || w >= W)
                    continue;
                int64_t off = (h * W + w) * C + c;
                if (x[off] > best) {
                    best = x[off];
                    at_best = off;
                }
            }
        assert_int_equal(y[p], best);
        assert_int_equal(idx[p], at_best);
    }
}

static void
avg_pool(void **state)
{
    (void)state;
    enum { H = 5, W = 5, C = 2 };
    const int8_t *x = rnd8(H * W * C);
    for (int i = 0; i < 4; i++) {
        bool after = i & 1, pad = i & 2;
        SnAvgPoolAttr at = {.kernel = INTS(3, 3),
                            .stride = INTS(2, 2),
                            .pads = INTS(1, 1, 1, 1),
                            .dilate = INTS(1, 1),
                            .count_include_pad = pad,
                            .round = after};
        float xs = 0.25f, ys = 0.125f;
        SnId id = sn_avg_pool_new(
            g, NULL, con(q8(xs, -3), SHAPE(1, H, W, C), x), &at, q8(ys, 7));
        const int8_t *y = eval(id, 0);
        for (int64_t p = 0; p < count(id); p++) {
            int64_t c = p % C, ow = p / C % 3, oh = p / C / 3, n = 0;
            float sum = 0;
            for (int64_t h = oh * 2 - 1; h < oh * 2 + 2; h++)
                for (int64_t w = ow * 2 - 1; w < ow * 2 + 2; w++)
                    if (h >= 0 && h < H && w >= 0 && w < W) {
                        sum += (float)(x[(h * W + w) * C + c] + 3) * xs;
                        n++;
                    }
            float v = (sum / (float)(pad ? 9 : n)) / ys;
            v = after ? nearbyintf(v + 7.0f) : nearbyintf(v) + 7.0f;
            assert_int_equal(y[p], (int)fmaxf(fminf(v, 127), -128));
        }
    }
}

/* The sign of a zero too. */
static void
neg_zero(void **state)
{
    static const float x[] = {0.0f, -0.0f, 3, -INFINITY};
    static const float want[] = {-0.0f, 0.0f, -3, INFINITY};

    (void)state;
    SnId id =
        sn_neg_new(g, NULL, con(plain(SN_F32), SHAPE(4), x), plain(SN_F32));
    assert_memory_equal(eval(id, 0), want, sizeof want);
}

/* Sums go down the columns for strides 1 and 2, along the rows for others and
 * where the zero point is added before rounding. */
static void
avg_pool_order(void **state)
{
    (void)state;
    static const float x[] = {0x1p25f, 1, -0x1p25f, 1};
    static const struct {
        int64_t stride;
        bool after;
        float want;
    } c[] = {{1, false, 0.5f},
             {2, false, 0.5f},
             {3, false, 0.25f},
             {2, true, 0.5f}}; /* `round` means nothing of reals */
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        SnAvgPoolAttr at = {.kernel = INTS(2, 2),
                            .pads = INTS(0, 0, 0, 0),
                            .stride = INTS(1, c[i].stride),
                            .dilate = INTS(1, 1),
                            .round = c[i].after};
        SnId id =
            sn_avg_pool_new(g, NULL, con(plain(SN_F32), SHAPE(1, 2, 2, 1), x),
                            &at, plain(SN_F32));
        const float *y = eval(id, 0);
        assert_true(y[0] == c[i].want);
    }
}

/* A window that is the whole image: the row of quantized means. */
static void
global_avg_pool(void **state)
{
    (void)state;
    const int8_t *x = rnd8(49 * 3);
    SnAvgPoolAttr at = {.kernel = INTS(7, 7),
                        .stride = INTS(1, 1),
                        .pads = INTS(0, 0, 0, 0),
                        .dilate = INTS(1, 1),
                        .round = SN_AVG_POOL_ROUND_AFTER};
    SnId id = sn_avg_pool_new(g, NULL, con(q8(0.3f, 2), SHAPE(1, 7, 7, 3), x),
                              &at, q8(0.11f, -5));
    const int8_t *y = eval(id, 0);

    for (int c = 0; c < 3; c++) {
        int32_t sum = 0;
        for (int i = 0; i < 49; i++)
            sum += x[i * 3 + c] - 2;
        float v = nearbyintf((float)sum * (0.3f / (0.11f * 49.0f))) - 5.0f;
        assert_int_equal(y[c], (int)fmaxf(fminf(v, 127), -128));
    }
}

static void
softmax(void **state)
{
    (void)state;
    enum { R = 4, N = 10 };
    const int8_t *x = rnd8(R * N);
    const float *xf = rndf(R * N);
    SnSoftmaxAttr at = {.axis = 1};
    SnId id = sn_softmax_new(g, NULL, con(q8(0.02f, 3), SHAPE(R, N), x), &at,
                             q8(1 / 256.0f, -128));
    SnId fd = sn_softmax_new(g, NULL, con(plain(SN_F32), SHAPE(R, N), xf), &at,
                             plain(SN_F32));
    const int8_t *y = eval(id, 0);
    const float *yf = eval(fd, 0);

    for (int r = 0; r < R; r++) {
        double sum = 0, sumf = 0;
        for (int i = 0; i < N; i++) {
            sum += exp(0.02 * x[r * N + i]);
            sumf += exp((double)xf[r * N + i]);
        }
        for (int i = 0; i < N; i++) {
            double v = exp(0.02 * x[r * N + i]) / sum * 256 - 128;
            assert_true(fabs(y[r * N + i] - fmin(v, 127)) < 0.501);
            assert_true(
                fabs(yf[r * N + i] - exp((double)xf[r * N + i]) / sumf) < 1e-6);
        }
    }
}

static void
lrn(void **state)
{
    (void)state;
    enum { P = 3, C = 7 };
    const int8_t *x = rnd8(P * C);
    SnLRNAttr at = {.size = 4, .alpha = 0.1f, .beta = 0.75f, .k = 1.0f};
    SnId id = sn_lrn_new(g, NULL, con(q8(0.06f, -2), SHAPE(1, P, 1, C), x), &at,
                         q8(0.06f, -2));
    const int8_t *y = eval(id, 0);

    for (int p = 0; p < P * C; p++) {
        double sum = 0;
        for (int c = p % C - 1; c <= p % C + 2; c++) /* 1 before, 2 after */
            if (c >= 0 && c < C)
                sum += pow(0.06 * (x[p / C * C + c] + 2), 2);
        double v = 0.06 * (x[p] + 2) / pow(1 + 0.1 / 4 * sum, 0.75);
        assert_true(fabs(y[p] - (v / 0.06 - 2)) < 0.501);
    }
}

/* ---- the loops under contracts ---- */

static void
variants(void **state)
{
    (void)state;
    enum { K = 37 };
    const SnDotLoops *ref = sn_variant(&sn_dot_variants, SN_ISA_PORTABLE);
    const SnDotLoops *avx2 = sn_variant(&sn_dot_variants, SN_ISA_AVX2);

    if (!sn_isa_have(SN_ISA_AVX2))
        skip();
    for (int64_t width = 8; width <= 64; width += 8) {
        SnSeg seg[2] = {{0, 0, 20}, {50, 24, 13}};
        SnMap m = {.nseg = 2, .seg = seg, .step_a = 1};
        const float *x = rndf(100), *w = rndf(K * width);
        float a[64], b[64];
        for (int i = 0; i < 64; i++)
            a[i] = b[i] = (float)i;
        ref->f32(&m, x, w, width, a);
        avx2->f32(&m, x, w, width, b);
        assert_memory_equal(a, b, sizeof a);
        int16_t xs[38], *ws = SN_NEW_N(arena, int16_t, 38 * width);
        int32_t u[64], v[64];
        for (int i = 0; i < 38; i++)
            xs[i] = (int16_t)((int)(rnd() % 511) - 255);
        for (int i = 0; i < 38 * width; i++)
            ws[i] = (int16_t)((int)(rnd() % 511) - 255);
        ref->s16(xs, ws, 38, width, u);
        avx2->s16(xs, ws, 38, width, v);
        assert_memory_equal(u, v, (size_t)width * 4);
        for (int64_t n = width - 7; n <= width; n++) {
            ref->mac_f32(x, w, n, a);
            avx2->mac_f32(x, w, n, b);
            assert_memory_equal(a, b, sizeof a);
            ref->mac_s8((const int8_t *)x, 3, ws, n, u);
            avx2->mac_s8((const int8_t *)x, 3, ws, n, v);
            assert_memory_equal(u, v, (size_t)width * 4);
        }
    }
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(conv_q8),
        T(conv_per_channel),
        T(conv_f32),
        T(fully_connected),
        T(matmul),
        T(matmul_vectors),
        T(matmul_vectors_of_codes),
        T(add_rounds),
        T(mul_rounds),
        T(shift_ties),
        T(broadcast),
        T(tables),
        T(per_axis),
        T(max_pool),
        T(avg_pool),
        T(avg_pool_order),
        T(neg_zero),
        T(global_avg_pool),
        T(softmax),
        T(lrn),
        T(variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
