// SPDX-License-Identifier: Apache-2.0
/* Shape inference: every map, with results worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "graph/desc.h"
#include "sn_kinds.h"
#include "unit/graph_table.h"

/* Attributes that any argument of a map can come from. */
typedef struct Bag {
    SnInts v[4];
    int64_t i;
    SnReals r;
    int32_t mode;
} Bag;

static const char *const modes[] = {"constant", "reflect", "edge", NULL};
static const SnAttrDesc bag_attr[] = {
    {.name = "v0", .kind = SN_A_INTS, .offset = offsetof(Bag, v[0])},
    {.name = "v1", .kind = SN_A_INTS, .offset = offsetof(Bag, v[1])},
    {.name = "v2", .kind = SN_A_INTS, .offset = offsetof(Bag, v[2])},
    {.name = "v3", .kind = SN_A_INTS, .offset = offsetof(Bag, v[3])},
    {.name = "i", .kind = SN_A_INT, .offset = offsetof(Bag, i)},
    {.name = "r", .kind = SN_A_REALS, .offset = offsetof(Bag, r)},
    {.name = "mode",
     .kind = SN_A_ENUM,
     .offset = offsetof(Bag, mode),
     .words = modes},
};
#define V(k)           \
    {                  \
        SN_ARG_ATTR, k \
    }
#define I              \
    {                  \
        SN_ARG_ATTR, 4 \
    }
#define R              \
    {                  \
        SN_ARG_ATTR, 5 \
    }
#define MODE           \
    {                  \
        SN_ARG_ATTR, 6 \
    }
#define N(v)          \
    {                 \
        SN_ARG_INT, v \
    }

static SnArena *arena;
static SnPool *pool;
static Bag bag;
static const SnShape *in[4];
static uint32_t nin;
static bool nonempty; /* the set must have an element */
static char text[SN_WHY];

#define INTS(...)                                       \
    (SnInts)                                            \
    {                                                   \
        sizeof((int64_t[]){__VA_ARGS__}) / 8,           \
            sn_memdup(arena, (int64_t[]){__VA_ARGS__},  \
                      sizeof((int64_t[]){__VA_ARGS__})) \
    }
#define SHAPE(...)                                              \
    sn_shape(pool, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), \
             (int64_t[]){__VA_ARGS__})
#define IN(...)                              \
    do {                                     \
        const SnShape *s_[] = {__VA_ARGS__}; \
        nin = sizeof s_ / sizeof *s_;        \
        memcpy(in, s_, sizeof s_);           \
    } while (0)
#define CHECK(want, map, ...)                                      \
    assert_string_equal(                                           \
        run(map, (const SnArg[]){__VA_ARGS__},                     \
            sizeof((const SnArg[]){__VA_ARGS__}) / sizeof(SnArg)), \
        want)

/* The result's shape, or what is wrong. */
static const char *
run(const SnMapDecl *map, const SnArg *arg, size_t narg)
{
    static const SnPortDesc port[] = {{.name = "x"},
                                      {.name = "w"},
                                      {.name = "z", .optional = true},
                                      {.name = "u", .optional = true}};
    static const SnPortDesc many[] = {{.name = "x", .variadic = true}};
    SnSem sem = {.decl = map, .narg = (uint8_t)narg, .nonempty = nonempty};
    SnKindDesc d = {.name = "T",
                    .nout = 1,
                    .out = port,
                    .attr = bag_attr,
                    .nattr = 7,
                    .sem = &sem};
    const SnShape *out;
    char why[SN_WHY];
    SnBuf b;

    d.nin = map == &sn_map_decl_concat ? 1 : (uint8_t)nin;
    d.in = map == &sn_map_decl_concat ? many : port;
    memcpy(sem.arg, arg, narg * sizeof *arg);
    if (!sn_infer_shapes(pool, &d, &bag, nin, in, &out, why)) {
        snprintf(text, sizeof text, "%s", why);
        return text;
    }
    sn_buf_init(&b, arena);
    sn_put_shape(&b, out);
    snprintf(text, sizeof text, "%s", sn_buf_str(&b));
    return text;
}

static int
setup(void **state)
{
    (void)state;
    arena = sn_arena_new();
    pool = sn_pool_new(arena);
    memset(&bag, 0, sizeof bag);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

static void
test_point(void **state)
{
    (void)state;
    IN(SHAPE(2, 3));
    CHECK("[2,3]", &sn_map_decl_each, P(0));
    bag.v[0] = INTS(4, 0, 2);
    CHECK("[4,0,2]", &sn_map_decl_fill, V(0));
    bag.v[0] = INTS(4, -1);
    CHECK("'v0' holds -1, below 0", &sn_map_decl_fill, V(0));
    bag.v[0] = INTS(1 << 20, 1 << 20);
    CHECK("result 'x' is too large", &sn_map_decl_fill, V(0));
    IN(SHAPE(5, 1, 4), SHAPE(3, 1), sn_shape(pool, 0, NULL));
    CHECK("[5,3,4]", &sn_map_decl_broadcast, P(0), P(1), P(2));
    IN(SHAPE(2, 3), SHAPE(4, 3), NULL);
    CHECK("cannot broadcast 2 against 4", &sn_map_decl_broadcast, P(0), P(1));
    IN(SHAPE(0, 3), SHAPE(1, 3));
    CHECK("[0,3]", &sn_map_decl_broadcast, P(0), P(1));
    IN(SHAPE(7, 5), SHAPE(256));
    CHECK("[7,5]", &sn_map_decl_table, P(0), P(1));
}

static void
test_conv(void **state)
{
    (void)state;
    bag.v[0] = INTS(2, 1);       /* stride */
    bag.v[1] = INTS(1, 2, 0, 3); /* top, left, bottom, right */
    bag.v[2] = INTS(1, 2);       /* dilate */
    bag.i = 1;
    IN(SHAPE(2, 9, 10, 3), SHAPE(8, 3, 3, 3));
    /* h: (9 + 1 + 0 - 3) / 2 + 1 = 4; w: 10 + 5 - 5 + 1 = 11 */
    CHECK("[2,4,11,8]", &sn_map_decl_conv, P(0), P(1), V(0), V(1), V(2), I);
    bag.i = 3;
    IN(SHAPE(2, 9, 10, 6), SHAPE(9, 3, 3, 2));
    CHECK("[2,4,11,9]", &sn_map_decl_conv, P(0), P(1), V(0), V(1), V(2), I);
    IN(SHAPE(2, 9, 10, 6), SHAPE(8, 3, 3, 2));
    CHECK("8 filters do not divide into 3 groups", &sn_map_decl_conv, P(0),
          P(1), V(0), V(1), V(2), I);
    IN(SHAPE(2, 9, 10, 7), SHAPE(9, 3, 3, 2));
    CHECK("7 channels in 3 groups do not fit filters over 2", &sn_map_decl_conv,
          P(0), P(1), V(0), V(1), V(2), I);
    bag.i = 1;
    IN(SHAPE(1, 1, 4, 2), SHAPE(8, 3, 3, 2));
    CHECK("a window of 3 does not fit into 2", &sn_map_decl_conv, P(0), P(1),
          V(0), V(1), V(2), I);
    IN(SHAPE(1, 4, 2), SHAPE(8, 3, 3, 2));
    CHECK("operand 'w' must have 3 dimensions, not 4", &sn_map_decl_conv, P(0),
          P(1), V(0), V(1), V(2), I);
    bag.v[0] = INTS(0, 1);
    IN(SHAPE(2, 9, 10, 3), SHAPE(8, 3, 3, 3));
    CHECK("'v0' holds 0, not above 0", &sn_map_decl_conv, P(0), P(1), V(0),
          V(1), V(2), I);
    /* transposed: 2*(4-1) + 1 + 3 - 1 = 9; 11-1 + 0 + 5 - 5 = 10 */
    bag.v[0] = INTS(2, 1);
    bag.v[3] = INTS(1, 0);
    IN(SHAPE(2, 4, 11, 8), SHAPE(3, 3, 3, 8));
    CHECK("[2,9,10,3]", &sn_map_decl_conv_transpose, P(0), P(1), V(0), V(1),
          V(2), I, V(3));
}

static void
test_pool(void **state)
{
    (void)state;
    IN(SHAPE(1, 7, 8, 5));
    bag.v[0] = INTS(2, 3); /* kernel */
    bag.v[1] = INTS(2, 3);
    bag.v[2] = INTS(0, 0, 0, 0);
    bag.v[3] = INTS(1, 1);
    /* floor: (7-2)/2+1 = 3, (8-3)/3+1 = 2; ceil: 4, 3 */
    CHECK("[1,3,2,5]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(0));
    CHECK("[1,4,3,5]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(1));
    /* ceil((3 + 0 + 3 - 2) / 3) + 1 = 3, but the third window would start at
     * 6, past the input */
    IN(SHAPE(1, 3, 3, 1));
    bag.v[0] = INTS(2, 2);
    bag.v[1] = INTS(3, 3);
    bag.v[2] = INTS(0, 0, 3, 3);
    CHECK("[1,2,2,1]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(0));
    CHECK("[1,2,2,1]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(1));
    /* padded 4, extent 2: ceil(2 / 2) + 1 = 2 */
    IN(SHAPE(1, 2, 2, 1));
    bag.v[1] = INTS(2, 2);
    bag.v[2] = INTS(1, 1, 1, 1);
    CHECK("[1,2,2,1]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(1));
    /* dilation 3 spans 4 */
    IN(SHAPE(1, 6, 4, 1));
    bag.v[1] = INTS(1, 1);
    bag.v[2] = INTS(0, 0, 0, 0);
    bag.v[3] = INTS(3, 3);
    CHECK("[1,3,1,1]", &sn_map_decl_pool, P(0), V(0), V(1), V(2), V(3), N(0));
    IN(SHAPE(1, 6, 3, 1));
    CHECK("a window of 4 does not fit into 3", &sn_map_decl_pool, P(0), V(0),
          V(1), V(2), V(3), N(0));
}

static void
test_matmul(void **state)
{
    (void)state;
    IN(SHAPE(2, 3), SHAPE(3, 4));
    CHECK("[2,4]", &sn_map_decl_matmul, P(0), P(1), N(0), N(0));
    IN(SHAPE(2, 3), SHAPE(4, 3));
    CHECK("[2,4]", &sn_map_decl_matmul, P(0), P(1), N(0), N(1));
    IN(SHAPE(3, 2), SHAPE(4, 3));
    CHECK("[2,4]", &sn_map_decl_matmul, P(0), P(1), N(1), N(1));
    IN(SHAPE(5, 1, 2, 3), SHAPE(7, 3, 4));
    CHECK("[5,7,2,4]", &sn_map_decl_matmul, P(0), P(1), N(0), N(0));
    IN(SHAPE(3), SHAPE(3, 4));
    CHECK("[4]", &sn_map_decl_matmul, P(0), P(1), N(0), N(0));
    IN(SHAPE(6, 2, 3), SHAPE(3));
    CHECK("[6,2]", &sn_map_decl_matmul, P(0), P(1), N(0), N(0));
    IN(SHAPE(3), SHAPE(3));
    CHECK("[]", &sn_map_decl_matmul, P(0), P(1), N(0), N(0));
    IN(SHAPE(2, 3), SHAPE(4, 3));
    CHECK("'x' has 3 elements to sum over, 'w' has 4", &sn_map_decl_matmul,
          P(0), P(1), N(0), N(0));
}

static void
test_rows(void **state)
{
    (void)state;
    IN(SHAPE(2, 3, 4));
    CHECK("[2,3,4]", &sn_map_decl_row, P(0), N(-1));
    CHECK("there is no axis 3 in 3 dimensions", &sn_map_decl_row, P(0), N(3));
    bag.v[0] = INTS(0, -1);
    CHECK("[1,3,1]", &sn_map_decl_reduce, P(0), V(0));
    CHECK("[3]", &sn_map_decl_reduce, P(0), V(0), N(0));
    bag.v[0] = (SnInts){0, NULL};
    CHECK("[]", &sn_map_decl_reduce, P(0), V(0), N(0));
    bag.v[0] = INTS(2, -1);
    CHECK("'v0' names axis -1 twice", &sn_map_decl_reduce, P(0), V(0));
    /* Sums over no element are 0; the largest of none is refused, unless no
     * result asks for it. */
    IN(SHAPE(2, 0, 4));
    bag.v[0] = INTS(1);
    CHECK("[2,1,4]", &sn_map_decl_reduce, P(0), V(0));
    nonempty = true;
    CHECK("axis 1 of 'x' has no element to reduce", &sn_map_decl_reduce, P(0),
          V(0));
    bag.v[0] = INTS(0);
    CHECK("[1,0,4]", &sn_map_decl_reduce, P(0), V(0));
    bag.v[0] = (SnInts){0, NULL};
    CHECK("axis 1 of 'x' has no element to reduce", &sn_map_decl_reduce, P(0),
          V(0));
    IN(SHAPE(0, 0, 4));
    bag.v[0] = INTS(1);
    CHECK("[0,1,4]", &sn_map_decl_reduce, P(0), V(0));
    nonempty = false;
    IN(SHAPE(2, 3, 4));
    bag.i = 5;
    CHECK("[2,3,4]", &sn_map_decl_window_channel, P(0), I);
    bag.i = 2;
    CHECK("[2,2,4]", &sn_map_decl_topk, P(0), I, N(1), N(1));
    bag.i = 4;
    CHECK("'i' is 4, but axis 1 has 3 elements", &sn_map_decl_topk, P(0), I,
          N(1));
    IN(SHAPE(9, 4), SHAPE(20), SHAPE(6));
    CHECK("[5,4]", &sn_map_decl_bag_at, P(0), P(1), P(2));
    IN(SHAPE(5, 4, 3), SHAPE(2, 7));
    CHECK("[5,2,7,3]", &sn_map_decl_gather, P(0), P(1), N(1));
    CHECK("[5,4,2,7]", &sn_map_decl_gather, P(0), P(1), N(-1));
    IN(SHAPE(5, 4, 3), sn_shape(pool, 0, NULL));
    CHECK("[4,3]", &sn_map_decl_gather, P(0), P(1), N(0));
}

static void
test_reshape(void **state)
{
    (void)state;
    IN(SHAPE(2, 3, 4));
    bag.v[0] = INTS(0, -1);
    CHECK("[2,12]", &sn_map_decl_reshape, P(0), V(0));
    bag.v[0] = INTS(4, 6);
    CHECK("[4,6]", &sn_map_decl_reshape, P(0), V(0));
    bag.v[0] = INTS(5, -1);
    CHECK("24 elements do not fit into 'v0'", &sn_map_decl_reshape, P(0), V(0));
    bag.v[0] = INTS(-1, -1);
    CHECK("'v0' has more than one -1", &sn_map_decl_reshape, P(0), V(0));
    bag.v[0] = INTS(2, 3, 4, 0);
    CHECK("'v0' keeps dimension 3, but 'x' has 3", &sn_map_decl_reshape, P(0),
          V(0));
    bag.v[0] = INTS(1 << 30, 1 << 30, 1 << 30);
    CHECK("24 elements do not fit into 'v0'", &sn_map_decl_reshape, P(0), V(0));
    IN(SHAPE(0, 3));
    bag.v[0] = INTS(3, 0);
    CHECK("0 elements do not fit into 'v0'", &sn_map_decl_reshape, P(0), V(0));
    bag.v[0] = INTS(0, 7);
    CHECK("[0,7]", &sn_map_decl_reshape, P(0), V(0));
}

static void
test_move(void **state)
{
    (void)state;
    IN(SHAPE(2, 3, 4));
    bag.v[0] = INTS(2, 0, 1);
    CHECK("[4,2,3]", &sn_map_decl_permute, P(0), V(0));
    bag.v[0] = INTS(2, 0, 2);
    CHECK("'v0' names axis 2 twice", &sn_map_decl_permute, P(0), V(0));
    bag.v[0] = INTS(0, 2, 3);
    bag.v[1] = INTS(1, 1, 2);
    bag.v[2] = INTS(1, 1, -3);
    CHECK("[1,1,2]", &sn_map_decl_slice, P(0), V(0), V(1), V(2));
    bag.v[1] = INTS(1, 1, 3);
    CHECK("axis 2: 3 elements from 3 by -3 leave [0, 4)", &sn_map_decl_slice,
          P(0), V(0), V(1), V(2));
    bag.v[1] = INTS(2, 1, 0);
    CHECK("[2,1,0]", &sn_map_decl_slice, P(0), V(0), V(1), V(2));
    bag.v[0] = INTS(1, 2, 3);
    CHECK("[2,6,12]", &sn_map_decl_tile, P(0), V(0));
    bag.v[0] = INTS(0, -1);
    CHECK("[2,3,4]", &sn_map_decl_flip, P(0), V(0));
    bag.v[0] = INTS(0, 3);
    CHECK("'v0' names axis 3, outside [-3, 3)", &sn_map_decl_flip, P(0), V(0));
    IN(SHAPE(2, 3, 4), SHAPE(2, 5, 4), SHAPE(2, 0, 4));
    CHECK("[2,8,4]", &sn_map_decl_concat, P(0), N(1));
    CHECK("[2,8,4]", &sn_map_decl_concat, P(0), N(-2));
    CHECK("axis 1 of operand 2 of 'x' has 5 elements, not 3",
          &sn_map_decl_concat, P(0), N(2));
    IN(SHAPE(1, 4, 6, 3));
    CHECK("[1,2,3,12]", &sn_map_decl_space_to_depth, P(0), N(2));
    CHECK("4 rows are not a multiple of 3", &sn_map_decl_space_to_depth, P(0),
          N(3));
    IN(SHAPE(1, 2, 3, 12));
    CHECK("[1,4,6,3]", &sn_map_decl_depth_to_space, P(0), N(2));
}

static void
test_pad(void **state)
{
    (void)state;
    IN(SHAPE(4, 5));
    bag.v[0] = INTS(1, -2, 0, 3); /* befores, then afters */
    bag.mode = 0;
    CHECK("[5,6]", &sn_map_decl_pad, P(0), V(0), MODE);
    bag.v[0] = INTS(0, -3, 0, -3);
    CHECK("axis 1: 5 elements cropped by 6", &sn_map_decl_pad, P(0), V(0),
          MODE);
    bag.mode = 1;
    bag.v[0] = INTS(3, 0, 3, 4);
    CHECK("[10,9]", &sn_map_decl_pad, P(0), V(0), MODE);
    bag.v[0] = INTS(4, 0, 0, 0);
    CHECK("axis 0: 4 elements are too few to pad by 4", &sn_map_decl_pad, P(0),
          V(0), MODE);
    bag.mode = 2;
    CHECK("[8,5]", &sn_map_decl_pad, P(0), V(0), MODE);
    bag.v[0] = INTS(1, 1, 1);
    CHECK("'v0' must have 4 numbers, not 3", &sn_map_decl_pad, P(0), V(0),
          MODE);
}

static void
test_nearest(void **state)
{
    const float twice[] = {1, 2};

    (void)state;
    IN(SHAPE(4, 5));
    bag.v[0] = INTS(4, 10);
    bag.r = (SnReals){2, twice};
    CHECK("[4,10]", &sn_map_decl_nearest, P(0), V(0), R, N(0), N(0));
    bag.r.n = 0;
    CHECK("[4,10]", &sn_map_decl_nearest, P(0), V(0), R, N(0), N(0));
    bag.r.n = 1;
    CHECK("'r' must have 2 numbers, not 1", &sn_map_decl_nearest, P(0), V(0), R,
          N(0), N(0));
    CHECK("T does not declare the shape of its results", NULL, P(0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_point, setup, teardown),
        cmocka_unit_test_setup_teardown(test_conv, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pool, setup, teardown),
        cmocka_unit_test_setup_teardown(test_matmul, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reshape, setup, teardown),
        cmocka_unit_test_setup_teardown(test_move, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pad, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nearest, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
