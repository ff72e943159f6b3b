// SPDX-License-Identifier: Apache-2.0
/* Kernels of the CPU backend that only move elements, against the evaluators:
 * codes and reals, whole and in parts. */
#include "unit/kernel_graph.h"

#include "graph/text/text.h"
#include "kernel/eval/copy.h"

enum { LEN = 7 }; /* of the axis that indices name */

static int64_t index_at = -1; /* one index that leaves the axis */

static void
fill(SnRun *r, int pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        int64_t n = sn_shape_count(p->shape);
        if (p->type->elem == SN_I64) {
            int64_t *v = sn_run_input(r, i);
            for (int64_t k = 0; k < n; k++)
                v[k] = (int64_t)(rnd() % (2 * LEN)) - LEN;
            if (index_at >= 0)
                v[index_at] = pattern % 2 ? LEN : -LEN - 1;
            continue;
        }
        char *v = sn_run_input(r, i);
        for (size_t k = 0; k < sn_tensor_nbyte(p->type, p->shape); k++)
            v[k] = (char)(rnd() >> 24);
    }
}

static const SnType *
type(int v)
{
    return v ? plain(SN_F32) : q8(0.1f, -7);
}

static void
slices(void **state)
{
    static const struct {
        int64_t dim[4], start[4], size[4], step[4];
    } at[] = {
        {{2, 5, 6, 9}, {0, 0, 0, 0}, {2, 5, 6, 9}, {1, 1, 1, 1}},
        {{2, 5, 6, 9}, {0, 0, 0, 4}, {2, 5, 6, 5}, {1, 1, 1, 1}},
        {{2, 5, 6, 9}, {1, 4, 0, 8}, {1, 3, 3, 9}, {1, -2, 2, -1}},
        {{1, 1, 70, 130}, {0, 0, 3, 0}, {1, 1, 60, 130}, {1, 1, 1, 1}},
        {{2, 5, 6, 9}, {1, 2, 3, 4}, {1, 1, 1, 1}, {1, 1, 1, 1}},
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof at / sizeof *at; i++) {
        int64_t start[4], size[4], step[4];
        memcpy(start, at[i / 2].start, sizeof start);
        memcpy(size, at[i / 2].size, sizeof size);
        memcpy(step, at[i / 2].step, sizeof step);
        SnSliceAttr a = {{4, start}, {4, size}, {4, step}};
        const SnType *t = type(i % 2);
        SnRef x = input(t, sn_shape(g->pool, 4, at[i / 2].dim));
        compare(SN_REF(sn_slice_new(g, NULL, x, &a, t), 0), 0,
                sn_format(arena, "Slice %zu", i));
    }
}

static void
repeats(void **state)
{
    int64_t times[3] = {2, 1, 3}, axes[2] = {-1, 0};

    (void)state;
    for (int v = 0; v < 2; v++) {
        SnTileAttr a = {{3, times}};
        SnFlipAttr f = {{2, axes}};
        SnRef x = input(type(v), SHAPE(3, 5, 4));
        compare(SN_REF(sn_tile_new(g, NULL, x, &a, type(v)), 0), 0, "Tile");
        x = input(type(v), SHAPE(3, 5, 4));
        compare(SN_REF(sn_flip_new(g, NULL, x, &f, type(v)), 0), 0, "Flip");
    }
}

static void
reshapes(void **state)
{
    int64_t dims[3] = {0, -1, 130};

    (void)state;
    for (int v = 0; v < 2; v++) {
        SnReshapeAttr a = {{3, dims}};
        SnRef x = input(type(v), SHAPE(2, 26, 10, 65));
        compare(SN_REF(sn_reshape_new(g, NULL, x, &a, type(v)), 0), 0,
                "Reshape");
    }
}

static void
blocks(void **state)
{
    (void)state;
    for (int v = 0; v < 2; v++) {
        SnSpaceToDepthAttr a = {2};
        SnDepthToSpaceAttr b = {3};
        SnRef x = input(type(v), SHAPE(2, 4, 6, 5));
        compare(SN_REF(sn_space_to_depth_new(g, NULL, x, &a, type(v)), 0), 0,
                "SpaceToDepth");
        x = input(type(v), SHAPE(2, 4, 3, 18));
        compare(SN_REF(sn_depth_to_space_new(g, NULL, x, &b, type(v)), 0), 0,
                "DepthToSpace");
    }
}

/* Two axes that change sides: few rows, few columns, squares and rests, with
 * elements of 1 to 8 bytes; of few matrices, and of so many that parts are
 * whole matrices. */
static void
exchanges(void **state)
{
    static const int64_t sides[][2] = {
        {2, 37}, {3, 70},  {4, 33}, {37, 2},  {70, 3},   {33, 4},
        {5, 9},  {40, 41}, {8, 64}, {67, 12}, {100, 99}, {3, 8},
        {3, 64}, {3, 150}, {2, 8},  {4, 16},  {3, 24},   {16, 4}};
    static int64_t perm[3] = {0, 2, 1};

    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int v = 0; v < 8; v++) {
            const SnType *t =
                v % 4 < 2 ? type(v % 4) : plain(v % 4 == 2 ? SN_I64 : SN_F32);
            SnTransposeAttr a = {{3, perm}};
            int64_t n = v < 4 ? 3 : 101;
            SnRef x = input(t, SHAPE(n, sides[i][0], sides[i][1]));
            compare(SN_REF(sn_transpose_new(g, NULL, x, &a, t), 0), 0,
                    sn_format(arena, "Transpose %zu, %d", i, v));
        }
}

static void
resizes(void **state)
{
    (void)state;
    for (int v = 0; v < 8; v++) {
        int64_t dims[4] = {2, 9, v / 4 ? 3 : 14, 5};
        float scale[4] = {1, 9.0f / 4, v / 4 ? 0.5f : 2, 1};
        SnResizeNearestAttr a = {
            .dims = {4, dims},
            .scale = {4, scale},
            .coord = v % 2 ? SN_RESIZE_NEAREST_COORD_ASYMMETRIC
                           : SN_RESIZE_NEAREST_COORD_HALF_PIXEL,
            .near = v / 2 % 2 ? SN_RESIZE_NEAREST_NEAR_FLOOR
                              : SN_RESIZE_NEAREST_NEAR_ROUND_PREFER_FLOOR};
        SnRef x = input(type(v % 2), SHAPE(2, 4, 7, 5));
        compare(SN_REF(sn_resize_nearest_new(g, NULL, x, &a, type(v % 2)), 0),
                0, sn_format(arena, "ResizeNearest %d", v));
    }
}

static void
pads(void **state)
{
    static const float value[] = {0, -0.3f, 1000};

    (void)state;
    for (int v = 0; v < 12; v++) {
        int64_t p[6] = {0, 2, 1, 1, v / 6 ? -1 : 0, 2};
        SnPadAttr a = {.pads = {6, p},
                       .mode = v % 6 < 3    ? SN_PAD_MODE_CONSTANT
                               : v % 6 == 4 ? SN_PAD_MODE_REFLECT
                                            : SN_PAD_MODE_EDGE,
                       .value = value[v % 3]};
        if (a.mode == SN_PAD_MODE_REFLECT)
            p[3] = 0;
        SnRef x = input(type(v % 2), SHAPE(2, 3, 4));
        compare(SN_REF(sn_pad_new(g, NULL, x, &a, type(v % 2)), 0), 0,
                sn_format(arena, "Pad %d", v));
    }
}

static void
gathers(void **state)
{
    static const int64_t at[5] = {6, -7, 0, -1, 3};

    (void)state;
    for (int v = 0; v < 12; v++) {
        int64_t d[3] = {3, 4, 5};
        int axis = v / 2 % 3;
        SnGatherAttr a = {v % 4 < 2 ? axis : axis - 3};
        d[axis] = LEN;
        SnRef x = input(type(v % 2), sn_shape(g->pool, 3, d));
        SnRef i = v / 6 ? input(plain(SN_I64), SHAPE(2, 3))
                        : con(plain(SN_I64), SHAPE(5), at);
        compare(SN_REF(sn_gather_new(g, NULL, x, i, &a, type(v % 2)), 0), 0,
                sn_format(arena, "Gather %d", v));
    }
}

/* A run that fails, and says why. */
static void
leave(const SnBackendDesc *b, int pattern)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_exec_prepare(arena, g, b, d, &x), SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    SnRun *r = sn_run_parts(arena, x, 3);
    fill(r, pattern);
    assert_int_equal(sn_run(r), SN_EINPUT);
    assert_non_null(strstr(r->why, pattern % 2
                                       ? "index 7 is outside axis 1 of length 7"
                                       : "index -8 is outside axis 1 of "
                                         "length 7"));
    sn_run_free(r);
}

static void
gather_outside(void **state)
{
    SnSaveAttr save = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    SnGatherAttr a = {1};

    (void)state;
    SnRef x = input(type(1), SHAPE(2, LEN, 3));
    SnRef i = input(plain(SN_I64), SHAPE(4));
    sn_save_new(g, "y", SN_REF(sn_gather_new(g, NULL, x, i, &a, type(1)), 0),
                &save);
    index_at = 2;
    for (int pattern = 0; pattern < 2; pattern++) {
        leave(NULL, pattern);
        leave(sn_backend_named("CPU"), pattern);
    }
    index_at = -1;
    new_graph();
}

/* Slices of a value stay in it where they take half of it: rows 0 to 2 are
 * bounded while rows 1 to 3 are read, so the bound may not be written there.
 * Four steps are left: Neg, Clip, Add and z, which is too small to keep all of
 * s in memory. */
static void
parts(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"g\" {\n"
        "  %x = Placeholder() : f32[4,8]\n"
        "  %n = Neg(%x) : f32[4,8]\n"
        "  %f = Reshape(%n) {dims = [1,32]} : f32[1,32]\n"
        "  %a = Slice(%n) {start = [0,0], size = [2,8], step = [1,1]} :"
        " f32[2,8]\n"
        "  %b = Slice(%n) {start = [1,0], size = [2,8], step = [1,1]} :"
        " f32[2,8]\n"
        "  %c = Clip(%a) {low = -1, high = 1} : f32[2,8]\n"
        "  %s = Add(%c, %b) : f32[2,8]\n"
        "  %z = Slice(%s) {start = [1,2], size = [1,3], step = [1,1]} :"
        " f32[1,3]\n"
        "  Save(%f) {name = \"f\"}\n"
        "  Save(%z) {name = \"z\"}\n"
        "}\n";
    SnSrc src = {"g.sn", text, sizeof text - 1, 0};
    SnDiag *d = sn_diag_new(arena);
    const SnExec *x;
    SnGraph *h = NULL;

    (void)state;
    assert_int_equal(sn_parse(arena, &src, NULL, d, &h), SN_OK);
    assert_int_equal(
        sn_exec_prepare_fast(arena, h, sn_backend_named("CPU"), d, &x), SN_OK);
    assert_int_equal(x->nstep, 4);
    SnRun *r = sn_run_new(arena, x);
    float *v = sn_run_input(r, 0);
    for (int i = 0; i < 32; i++)
        v[i] = (float)(i % 7) - 3;
    assert_int_equal(sn_run(r), SN_OK);
    const float *f = sn_run_output(r, 0), *z = sn_run_output(r, 1);
    for (int i = 0; i < 32; i++)
        assert_true(f[i] == 3 - (float)(i % 7));
    for (int i = 0; i < 3; i++) {
        float low = 3 - (float)((10 + i) % 7), high = 3 - (float)((18 + i) % 7);
        assert_true(z[i] == (low > 1 ? 1 : low < -1 ? -1 : low) + high);
    }
    sn_run_free(r);
}

/* Runs of every length, each byte of which differs from its neighbours: nothing
 * between them is written. */
static void
lines(void **state)
{
    enum { MOST = 300, N = 3, GAP = 5 };
    char x[N * (MOST + GAP)], y[N * (MOST + GAP)];

    (void)state;
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (char)(1 + i % 127);
    for (size_t run = 0; run <= MOST; run++) {
        size_t step = run + run % 2, pitch = run + GAP;
        memset(y, 0, sizeof y);
        sn_copy_lines(x, step, y, pitch, run, N);
        for (size_t i = 0; i < sizeof y; i++) {
            size_t row = i / pitch, at = i % pitch;
            char want = 0;
            if (row < N && at < run)
                want = x[row * step + at];
            assert_int_equal(y[i], want);
        }
    }
}

/* Pixels of one code, of none, and of lengths on both sides of those that are
 * copied in another way; more pixels than are copied by one operand at a time.
 */
static void
concats(void **state)
{
    static const int64_t wide[][3] = {{1, 2, 3},     {4, 7, 0},   {8, 15, 16},
                                      {24, 48, 17},  {33, 1, 64}, {255, 256, 9},
                                      {257, 300, 16}};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof wide / sizeof *wide; i++) {
        const int64_t *w = wide[i / 2];
        const SnType *t = type(i % 2);
        SnConcatAttr a = {3};
        SnRef x[3];
        for (int k = 0; k < 3; k++)
            x[k] = input(t, SHAPE(2, 9, w[0] < 8 ? 200 : 20, w[k]));
        compare(SN_REF(sn_concat_new(g, NULL, 3, x, &a, t), 0), 0, "concat");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices),   cmocka_unit_test(repeats),
        cmocka_unit_test(reshapes), cmocka_unit_test(blocks),
        cmocka_unit_test(resizes),  cmocka_unit_test(pads),
        cmocka_unit_test(gathers),  cmocka_unit_test(gather_outside),
        cmocka_unit_test(parts),    cmocka_unit_test(exchanges),
        cmocka_unit_test(lines),    cmocka_unit_test(concats),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
