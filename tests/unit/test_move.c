// SPDX-License-Identifier: Apache-2.0
/* Moves against values worked by hand: every map, and what is refused at run
 * time. */
#include "unit/eval_graph.h"

static SnRef
codes(const SnShape *s, const int8_t *v)
{
    return con(q8(0.5f, 3), s, v);
}

/* 0, 1, 2, ... */
static SnRef
iota(const SnShape *s)
{
    int64_t n = sn_shape_count(s);
    int8_t *v = SN_NEW_N(arena, int8_t, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = (int8_t)i;
    return codes(s, v);
}

#define WANT(id, ...)                                          \
    do {                                                       \
        const int8_t want_[] = {__VA_ARGS__};                  \
        assert_int_equal(count(id), (int64_t)sizeof want_);    \
        assert_memory_equal(eval(id, 0), want_, sizeof want_); \
    } while (0)

static void
reshape_transpose(void **state)
{
    (void)state;
    SnReshapeAttr r = {.dims = INTS(3, 2)};
    SnTransposeAttr t = {.perm = INTS(1, 0)};
    SnTransposeAttr t3 = {.perm = INTS(2, 0, 1)};
    SnRef x = iota(SHAPE(2, 3));

    WANT(sn_reshape_new(g, NULL, x, &r, q8(0.5f, 3)), 0, 1, 2, 3, 4, 5);
    WANT(sn_transpose_new(g, NULL, x, &t, q8(0.5f, 3)), 0, 3, 1, 4, 2, 5);
    WANT(sn_transpose_new(g, NULL, iota(SHAPE(2, 2, 3)), &t3, q8(0.5f, 3)), 0,
         3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11);
}

static void
slice_tile_flip(void **state)
{
    (void)state;
    SnSliceAttr s = {
        .start = INTS(1, 3), .size = INTS(1, 2), .step = INTS(1, -2)};
    SnTileAttr t = {.repeats = INTS(2, 2)};
    SnFlipAttr f = {.axes = INTS(-1)};

    WANT(sn_slice_new(g, NULL, iota(SHAPE(2, 4)), &s, q8(0.5f, 3)), 7, 5);
    WANT(sn_tile_new(g, NULL, iota(SHAPE(1, 2)), &t, q8(0.5f, 3)), 0, 1, 0, 1,
         0, 1, 0, 1);
    WANT(sn_flip_new(g, NULL, iota(SHAPE(2, 3)), &f, q8(0.5f, 3)), 2, 1, 0, 5,
         4, 3);
}

/* Block position is slowest among the channels. */
static void
space_to_depth(void **state)
{
    (void)state;
    SnSpaceToDepthAttr a = {.block = 2};

    WANT(sn_space_to_depth_new(g, NULL, iota(SHAPE(1, 2, 4, 2)), &a,
                               q8(0.5f, 3)),
         0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
}

static void
pad(void **state)
{
    (void)state;
    SnPadAttr a = {.pads = INTS(1, 0, 0, 2), .value = 1.0f};
    SnPadAttr r = {.pads = INTS(0, 2, 0, 2), .mode = SN_PAD_MODE_REFLECT};
    SnPadAttr e = {.pads = INTS(0, 1, 1, 1), .mode = SN_PAD_MODE_EDGE};
    SnPadAttr cut = {.pads = INTS(0, -1, 0, 1)};
    SnRef x = iota(SHAPE(1, 3));

    /* 1.0 on the grid (0.5, 3) is code 5, 0.0 is code 3 */
    WANT(sn_pad_new(g, NULL, x, &a, q8(0.5f, 3)), 5, 5, 5, 5, 5, 0, 1, 2, 5, 5);
    WANT(sn_pad_new(g, NULL, x, &r, q8(0.5f, 3)), 2, 1, 0, 1, 2, 1, 0);
    WANT(sn_pad_new(g, NULL, x, &e, q8(0.5f, 3)), 0, 0, 1, 2, 2, 0, 0, 1, 2, 2);
    WANT(sn_pad_new(g, NULL, x, &cut, q8(0.5f, 3)), 1, 2, 3);
}

/* Worked by the formulas of ONNX Resize. */
static void
nearest(void **state)
{
    (void)state;
    const float two[] = {2}, down[] = {0.6f};
    SnResizeNearestAttr a = {.dims = INTS(8), .scale = {1, two}};
    SnRef x = iota(SHAPE(4));

    WANT(sn_resize_nearest_new(g, NULL, x, &a, q8(0.5f, 3)), 0, 0, 1, 1, 2, 2,
         3, 3);
    a.coord = SN_RESIZE_NEAREST_COORD_ASYMMETRIC;
    a.near = SN_RESIZE_NEAREST_NEAR_CEIL;
    WANT(sn_resize_nearest_new(g, NULL, x, &a, q8(0.5f, 3)), 0, 1, 1, 2, 2, 3,
         3, 3);
    a.near = SN_RESIZE_NEAREST_NEAR_ROUND_PREFER_FLOOR;
    WANT(sn_resize_nearest_new(g, NULL, x, &a, q8(0.5f, 3)), 0, 0, 1, 1, 2, 2,
         3, 3);
    a.near = SN_RESIZE_NEAREST_NEAR_ROUND_PREFER_CEIL;
    WANT(sn_resize_nearest_new(g, NULL, x, &a, q8(0.5f, 3)), 0, 1, 1, 2, 2, 3,
         3, 3);
    a.coord = SN_RESIZE_NEAREST_COORD_ALIGN_CORNERS;
    a.near = SN_RESIZE_NEAREST_NEAR_FLOOR;
    WANT(sn_resize_nearest_new(g, NULL, x, &a, q8(0.5f, 3)), 0, 0, 0, 1, 1, 2,
         2, 3);
    /* 4 -> 2 with scale 0.6: (0.5 / 0.6 - 0.5, 1.5 / 0.6 - 0.5) */
    SnResizeNearestAttr s = {.dims = INTS(2), .scale = {1, down}};
    WANT(sn_resize_nearest_new(g, NULL, x, &s, q8(0.5f, 3)), 0, 2);
}

static void
concat(void **state)
{
    (void)state;
    const int8_t b[] = {50, 51};
    SnConcatAttr a = {.axis = 1};
    SnRef in[] = {iota(SHAPE(2, 3)), codes(SHAPE(2, 1), b)};

    WANT(sn_concat_new(g, NULL, 2, in, &a, q8(0.5f, 3)), 0, 1, 2, 50, 3, 4, 5,
         51);
}

static void
gather(void **state)
{
    (void)state;
    const int64_t at[] = {2, -3, 1, 1};
    SnGatherAttr a = {.axis = 1};
    SnRef ix = con(plain(SN_I64), SHAPE(2, 2), at);

    WANT(sn_gather_new(g, NULL, iota(SHAPE(2, 3)), ix, &a, q8(0.5f, 3)), 2, 0,
         1, 1, 5, 3, 4, 4);
}

/* The graph is legal; the value of the index is not. */
static void
gather_outside(void **state)
{
    (void)state;
    const int64_t at[] = {0, 3};
    SnGatherAttr a = {.axis = 0};
    SnId id = sn_gather_new(g, "pick", iota(SHAPE(3)),
                            con(plain(SN_I64), SHAPE(2), at), &a, q8(0.5f, 3));
    int8_t x[] = {0, 1, 2}, y[2];
    SnTensor in[] = {{q8(0.5f, 3), SHAPE(3), x},
                     {plain(SN_I64), SHAPE(2), (void *)(uintptr_t)at}};
    SnTensor out = {q8(0.5f, 3), SHAPE(2), y};
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_eval_node(g, id, in, &out, arena, d), SN_EINPUT);
    const char *s = sn_diag_text(d, arena);
    assert_non_null(strstr(s, "pick"));
    assert_non_null(strstr(s, "index 3 is outside axis 0 of length 3"));
    assert_null(sn_eval_const(g, SN_REF(id, 0), arena));
}

static void
top_k(void **state)
{
    (void)state;
    const float x[] = {3, 1, 3, 2, -1, NAN, 0, 5};
    SnTopKAttr a = {.k = 2, .axis = -1, .largest = true};
    SnRef r = con(plain(SN_F32), SHAPE(2, 4), x);
    SnId id = sn_top_k_new(g, NULL, r, &a, plain(SN_F32), plain(SN_I64));
    const float *y = eval(id, 0);
    const int64_t *i = eval(id, 1);

    assert_true(y[0] == 3 && y[1] == 3 && isnan(y[2]) && y[3] == 5);
    assert_true(i[0] == 0 && i[1] == 2 && i[2] == 1 && i[3] == 3);
    a.largest = false;
    a.axis = 0;
    a.k = 1;
    id = sn_top_k_new(g, NULL, r, &a, plain(SN_F32), plain(SN_I64));
    y = eval(id, 0);
    i = eval(id, 1);
    assert_true(y[0] == -1 && y[1] == 1 && y[2] == 0 && y[3] == 2);
    assert_true(i[0] == 1 && i[1] == 0 && i[2] == 1 && i[3] == 0);
}

static void
lookup(void **state)
{
    (void)state;
    int8_t t[256];
    const int8_t x[] = {-128, 0, 127};

    for (int i = 0; i < 256; i++)
        t[i] = (int8_t)(100 - i / 2);
    WANT(sn_lookup_table_new(g, NULL, codes(SHAPE(3), x),
                             con(q8(0.5f, 3), SHAPE(256), t), q8(0.5f, 3)),
         100, 36, -27);
}

/* Constants of constants are folded; what reads an input is not. */
static void
folding(void **state)
{
    (void)state;
    SnFlipAttr f = {.axes = INTS(0)};
    SnConcatAttr c = {.axis = 0};
    SnRef x = iota(SHAPE(2));
    SnRef y = SN_REF(sn_flip_new(g, NULL, x, &f, q8(0.5f, 3)), 0);
    SnRef in[] = {y, x, y};

    WANT(sn_concat_new(g, NULL, 3, in, &c, q8(0.5f, 3)), 1, 0, 0, 1, 1, 0);
    SnRef p = SN_REF(
        sn_placeholder_new(g, "in", SHAPE(2), NULL, NULL, q8(0.5f, 3)), 0);
    SnId id = sn_flip_new(g, NULL, p, &f, q8(0.5f, 3));
    assert_null(sn_eval_const(g, SN_REF(id, 0), arena));
    assert_null(sn_eval_const(g, 0, arena));
    assert_null(sn_eval_why_not(g, id));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(reshape_transpose),
        T(slice_tile_flip),
        T(space_to_depth),
        T(pad),
        T(nearest),
        T(concat),
        T(gather),
        T(gather_outside),
        T(top_k),
        T(lookup),
        T(folding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
