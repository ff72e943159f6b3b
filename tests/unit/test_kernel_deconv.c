// SPDX-License-Identifier: Apache-2.0
/* Transposed convolutions of the CPU backend against the evaluators, bit for
 * bit: strides, what is cut off, dilation, groups, results that no tap of x
 * reaches, channels around the unrolled widths. */
#include "unit/kernel_graph.h"

typedef struct Shape {
    int64_t n, h, w, c, oc, kh, kw, group;
    int64_t stride[2], pads[4], dilate[2], more[2];
    bool evaluated; /* some result has no tap: no kernel */
} Shape;

static const Shape shapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, {1, 1}, {0}, {1, 1}, {0}, false},
    {1, 4, 5, 8, 16, 2, 2, 1, {2, 2}, {0}, {1, 1}, {0}, false},
    {2, 5, 4, 17, 33, 4, 4, 1, {2, 2}, {1, 1, 1, 1}, {1, 1}, {0}, false},
    {1, 6, 5, 7, 19, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}, {0}, false},
    {1, 5, 6, 12, 20, 5, 3, 4, {2, 3}, {2, 0, 1, 2}, {1, 1}, {1, 2}, false},
    {1, 1, 23, 6, 10, 1, 8, 1, {1, 4}, {0, 2, 0, 2}, {1, 1}, {0}, false},
    {2, 4, 4, 5, 5, 3, 3, 5, {2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 1}, false},
    {1, 5, 5, 4, 18, 3, 3, 1, {1, 1}, {0, 2, 3, 1}, {2, 3}, {0}, false},
    {1, 4, 5, 9, 8, 4, 3, 1, {2, 4}, {3, 0, 0, 1}, {3, 6}, {1, 0}, true},
    {1, 4, 5, 9, 8, 4, 6, 1, {2, 4}, {3, 7, 2, 6}, {3, 3}, {1, 0}, false},
    {1, 3, 3, 4, 4, 6, 6, 1, {3, 3}, {5, 6, 5, 4}, {1, 1}, {0}, false},
    {1, 2, 2, 3, 2, 2, 2, 1, {3, 3}, {0}, {1, 1}, {0}, true},
};

static void
fill(SnRun *r, int pattern)
{
    static const float odd[] = {0.0f,     -0.0f,    0x1p-140f,
                                0x1p127f, INFINITY, NAN};

    if (r->x->input[0].type->elem != SN_F32) {
        fill_codes(r, pattern);
        return;
    }
    float *v = sn_run_input(r, 0);
    for (int64_t k = 0; k < sn_shape_count(r->x->input[0].shape); k++) {
        uint32_t d = rnd();
        v[k] = pattern == 2 && d % 16 == 0
                   ? odd[d / 16 % (sizeof odd / sizeof *odd)]
                   : (float)((int32_t)rnd() >> 8) * 0x1p-20f;
    }
}

static const float *
reals(int64_t n)
{
    float *v = SN_NEW_N(arena, float, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = (float)((int32_t)rnd() >> 8) * 0x1p-23f;
    return v;
}

static int32_t *
biases(int64_t n)
{
    int32_t *b = SN_NEW_N(arena, int32_t, n);

    for (int64_t i = 0; i < n; i++)
        b[i] = (int32_t)rnd() >> 20;
    return b;
}

typedef struct Lists {
    int64_t kernel[2], stride[2], pads[4], dilate[2], more[2];
} Lists;

static SnConvTranspose2DAttr
attr(const Shape *o, Lists *l, SnRange clamp)
{
    *l = (Lists){.kernel = {o->kh, o->kw}};
    memcpy(l->stride, o->stride, sizeof l->stride);
    memcpy(l->pads, o->pads, sizeof l->pads);
    memcpy(l->dilate, o->dilate, sizeof l->dilate);
    memcpy(l->more, o->more, sizeof l->more);
    return (SnConvTranspose2DAttr){{2, l->kernel}, {2, l->stride}, {4, l->pads},
                                   {2, l->dilate}, o->group,       {2, l->more},
                                   clamp};
}

static void
on_reals(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const SnType *t = plain(SN_F32);
        const Shape *o = &shapes[i / 2];
        SnRange clamp = {-1, 2, i % 4 == 0, i % 4 == 0};
        Lists l;
        SnConvTranspose2DAttr at = attr(o, &l, clamp);
        int64_t e = o->c / o->group;
        SnRef x = input(t, SHAPE(o->n, o->h, o->w, o->c));
        SnRef w = con(t, SHAPE(o->oc, o->kh, o->kw, e),
                      reals(o->oc * o->kh * o->kw * e));
        SnRef b = i % 2 ? con(t, SHAPE(o->oc), reals(o->oc)) : 0;
        compare(SN_REF(sn_conv_transpose2d_new(g, NULL, x, w, b, &at, t), 0),
                o->evaluated, sn_format(arena, "on reals, %zu", i));
    }
}

static void
on_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const Shape *o = &shapes[i / 2];
        SnRange clamp = {-100, 90, i % 3 == 1, i % 3 == 2};
        Lists l;
        SnConvTranspose2DAttr at = attr(o, &l, clamp);
        int64_t e = o->c / o->group, taps = o->kh * o->kw * e;
        float xs = 0.05f, ws = 0.02f;
        SnRef x =
            input(q8(xs, i % 2 ? -7 : 127), SHAPE(o->n, o->h, o->w, o->c));
        SnRef w = con(q8(ws, i % 2 ? 3 : 0), SHAPE(o->oc, o->kh, o->kw, e),
                      rnd8(o->oc * taps));
        SnRef b = i % 2 ? con(sn_type_quant(g->pool, SN_QI32, xs * ws, 0),
                              SHAPE(o->oc), biases(o->oc))
                        : 0;
        const SnType *y = q8(0.013f * (float)(taps + 5), -11);
        compare(SN_REF(sn_conv_transpose2d_new(g, NULL, x, w, b, &at, y), 0),
                o->evaluated, sn_format(arena, "on codes, %zu", i));
    }
}

static void
by_channel(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const Shape *o = &shapes[i];
        Lists l;
        SnConvTranspose2DAttr a = attr(o, &l, open_range);
        SnChannelwiseConvTranspose2DAttr at = {
            a.kernel, a.stride, a.pads, a.dilate, a.group, a.more, a.clamp};
        int64_t e = o->c / o->group, taps = o->kh * o->kw * e;
        float *ws = SN_NEW_N(arena, float, o->oc);
        float *bs = SN_NEW_N(arena, float, o->oc);
        int32_t *wz = SN_NEW_N(arena, int32_t, o->oc);
        int32_t *bz = SN_NEW_N(arena, int32_t, o->oc);
        for (int64_t k = 0; k < o->oc; k++) {
            ws[k] = 0.003f * (float)(k % 7 + 1);
            wz[k] = i % 2 ? (int32_t)(rnd() >> 24) - 128 : 0;
            bs[k] = 0.05f * ws[k];
            bz[k] = 0;
        }
        uint32_t n = (uint32_t)o->oc;
        SnRef x = input(q8(0.05f, 3), SHAPE(o->n, o->h, o->w, o->c));
        SnRef w = con(sn_type_axis(g->pool, SN_QI8, 0, n, ws, wz),
                      SHAPE(o->oc, o->kh, o->kw, e), rnd8(o->oc * taps));
        SnRef b = con(sn_type_axis(g->pool, SN_QI32, 0, n, bs, bz),
                      SHAPE(o->oc), biases(o->oc));
        const SnType *y = q8(0.013f * (float)(taps + 5), 4);
        compare(SN_REF(sn_channelwise_conv_transpose2d_new(g, NULL, x, w, b,
                                                           &at, y),
                       0),
                o->evaluated, sn_format(arena, "by channel, %zu", i));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_reals),
        cmocka_unit_test(on_codes),
        cmocka_unit_test(by_channel),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
