// SPDX-License-Identifier: Apache-2.0
/* Nodes of an ONNX model whose operands are all known: import works them out.
 * The values were worked out by hand from ONNX's definitions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/budget.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7 };

/* y = op(in), of this type, beside a value that depends on the input. */
static Onnx__NodeProto *
known_of(int elem, const char *op, const char *in)
{
    b = ob_new(a, 13);
    ob_input(b, "x", "1");
    ob_node(b, "Relu", "x", "r");
    ob_output(b, "r", "1");
    ob_output_of(b, "y", elem, NULL);
    return ob_node(b, op, in, "y");
}

static Onnx__NodeProto *
known(const char *op, const char *in)
{
    return known_of(INT64, op, in);
}

static void
ints(const char *name, const char *dims, int n, const int64_t *v)
{
    ob_init(b, name, INT64, dims, v, (size_t)n * sizeof *v);
}

#define INTS(name, dims, ...)                                           \
    ints(name, dims, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / 8), \
         (const int64_t[]){__VA_ARGS__})

/* y is a Constant with these elements, of this type. */
static void
is(const char *elements, const char *type)
{
    const char *text = text_of(NULL);
    const char *want =
        sn_format(a, "%%y = Constant() {%s} : %s\n", elements, type);

    if (!strstr(text, want))
        fail_msg("'%s' is not in:\n%s", want, text);
}

static void
fails(SnStatus st, const char *op, const char *why)
{
    refused(st, sn_format(a, "m.onnx: node 'y' (%s): %s\n", op, why));
}

/* ---- which ---- */

/* Whatever is one node that computes or copies elements one by one. */
static void
nodes_of_elements_are_folded(void **state)
{
    Onnx__NodeProto *n;

    (void)state;
    known("GatherElements", "p q");
    INTS("p", "3", 10, 11, 12);
    INTS("q", "2", 2, -3);
    is("data = [12, 10]", "i64[2]");
    n = known_of(FLOAT, "Transpose", "p");
    ob_init(b, "p", FLOAT, "1x2", (const float[]){1.5f, -2}, 8);
    ob_list(b, n, "perm", 2, (const int64_t[]){1, 0});
    is("data = [1.5, -2]", "f32[2,1]");
    n = known_of(FLOAT, "SpaceToDepth", "p"); /* a node of NHWC */
    ob_init(b, "p", FLOAT, "1x1x2x4", (const float[]){0, 1, 2, 3, 4, 5, 6, 7},
            32);
    ob_int(b, n, "blocksize", 2);
    is("data = [0, 2, 1, 3, 4, 6, 5, 7]", "f32[1,4,1,2]");
    known_of(FLOAT, "ReduceMax", "p");
    ob_init(b, "p", FLOAT, "1x2", (const float[]){1.5f, -2}, 8);
    assert_null(strstr(text_of(NULL), "%y = Constant"));
}

/* Operands of other types than the node has, as where they are not known. */
static void
other_types(void **state)
{
    static const float base[] = {1.5f, -2};

    (void)state;
    known_of(FLOAT, "Pow", "p q");
    ob_init(b, "p", FLOAT, "2", base, sizeof base);
    INTS("q", "", 2);
    is("data = [2.25, 4]", "f32[2]");
    known("Pow", "p q");
    INTS("p", "2", 3, -2);
    INTS("q", "", 2);
    is("data = [9, 4]", "i64[2]");
    known_of(INT8, "Abs", "p");
    ob_init(b, "p", INT8, "2", (const int8_t[]){3, -2}, 2);
    is("data = [3, 2]", "i8[2]");
    known_of(UINT8, "Add", "p q");
    ob_init(b, "p", UINT8, "2", (const uint8_t[]){3, 200}, 2);
    ob_init(b, "q", UINT8, "2", (const uint8_t[]){1, 100}, 2);
    is("data = [-124, -84]", "i8[2]"); /* 4 and 44, less 128 */
}

/* ---- moves ---- */

static void
gather(void **state)
{
    Onnx__NodeProto *n;

    (void)state;
    known("Gather", "p q");
    INTS("p", "3", 10, 11, 12);
    INTS("q", "2", -1, 0);
    is("data = [12, 10]", "i64[2]");
    n = known("Gather", "p q");
    INTS("p", "2x3", 1, 2, 3, 4, 5, 6);
    INTS("q", "2x1", 2, -3);
    ob_int(b, n, "axis", -1);
    is("data = [3, 1, 6, 4]", "i64[2,2,1]");
    known("Gather", "p q");
    INTS("p", "2x2", 1, 2, 3, 4);
    INTS("q", "", 1);
    is("data = [3, 4]", "i64[2]");
}

static void
gather_refused(void **state)
{
    Onnx__NodeProto *n;

    (void)state;
    known("Gather", "p q");
    INTS("p", "3", 10, 11, 12);
    INTS("q", "2", 0, 3);
    fails(SN_EINPUT, "Gather", "Gather: index 3 is outside axis 0 of length 3");
    known("Gather", "p q");
    INTS("p", "3", 10, 11, 12);
    INTS("q", "1", -4);
    fails(SN_EINPUT, "Gather",
          "Gather: index -4 is outside axis 0 of length 3");
    n = known("Gather", "p q");
    INTS("p", "3", 10, 11, 12);
    INTS("q", "1", 0);
    ob_int(b, n, "axis", 1);
    fails(SN_EINPUT, "Gather", "Gather: there is no axis 1 in 1 dimensions");
    n->attribute[0]->i = -2;
    fails(SN_EINPUT, "Gather", "Gather: there is no axis -2 in 1 dimensions");
    known("Gather", "p q");
    INTS("p", "1x1x1x1x1x1x1x1", 7);
    INTS("q", "1x1", 0);
    fails(SN_EINPUT, "Gather",
          "Gather: the result has too many dimensions; the limit is 8");
}

static void
concat(void **state)
{
    Onnx__NodeProto *n = known("Concat", "p q");

    (void)state;
    INTS("p", "2x1", 1, 2);
    INTS("q", "2x2", 3, 4, 5, 6);
    ob_int(b, n, "axis", 1);
    is("data = [1, 3, 4, 2, 5, 6]", "i64[2,3]");
    n->attribute[0]->i = -1;
    is("data = [1, 3, 4, 2, 5, 6]", "i64[2,3]");
    n->attribute[0]->i = 0;
    fails(SN_EINPUT, "Concat",
          "Concat: axis 1 of operand 2 of 'x' has 2 elements, not 1");
    n = known("Concat", "p q");
    INTS("p", "2", 1, 2);
    INTS("q", "1x2", 3, 4);
    ob_int(b, n, "axis", 0);
    fails(SN_EINPUT, "Concat",
          "Concat: operand 2 of 'x' must have 1 dimensions, not 2");
    n = known("Concat", "p q");
    INTS("p", "2", 1, 2);
    ob_floats(b, "q", "2");
    ob_int(b, n, "axis", 0);
    fails(SN_EUNSUPPORTED, "Concat",
          "Concat: no Concat takes (i64, f32) -> _; possible: (qi8...) -> qi8; "
          "(qi16...) -> qi16; (f32...) -> f32; (i8...) -> i8; (i32...) -> i32; "
          "(i64...) -> i64; and 1 more");
    n = known("Concat", "p q");
    INTS("p", "", 1);
    INTS("q", "", 2);
    ob_int(b, n, "axis", 0);
    fails(SN_EINPUT, "Concat", "Concat: there is no axis 0 in 0 dimensions");
}

/* ---- arithmetic ---- */

static void
integers(void **state)
{
    static const struct {
        const char *op;
        int64_t p, q, y;
    } cases[] = {
        {"Add", 3, -5, -2},
        {"Sub", 3, -5, 8},
        {"Mul", 3, -5, -15},
        {"Div", 7, -2, -3}, /* towards zero */
        {"Div", -7, 2, -3},
        /* What does not fit wraps. */
        {"Add", INT64_MAX, 1, INT64_MIN},
        {"Sub", INT64_MIN, 1, INT64_MAX},
        {"Mul", INT64_MAX, 2, -2},
        {"Div", INT64_MIN, -1, INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        known(cases[i].op, "p q");
        INTS("p", "1", cases[i].p);
        INTS("q", "1", cases[i].q);
        is(sn_format(a, "data = [%lld]", (long long)cases[i].y), "i64[1]");
    }
    known("Div", "p q");
    INTS("p", "2", 1, 2);
    INTS("q", "2", 1, 0);
    fails(SN_EINPUT, "Div", "division of an integer by zero");
}

static void
narrow_integers(void **state)
{
    static const int32_t p[] = {INT32_MAX, INT32_MIN}, q[] = {1, -1};

    (void)state;
    known_of(INT32, "Add", "p q");
    ob_init(b, "p", INT32, "2", p, sizeof p);
    ob_init(b, "q", INT32, "2", q, sizeof q);
    is("data = [-2147483648, 2147483647]", "i32[2]");
    known_of(INT32, "Div", "p q");
    ob_init(b, "p", INT32, "2", p, sizeof p);
    ob_init(b, "q", INT32, "2", q, sizeof q);
    is("data = [2147483647, -2147483648]", "i32[2]");
}

static void
reals(void **state)
{
    static const char *const op[] = {"Add", "Sub", "Mul", "Div"};
    static const char *const want[] = {"2.5, 3.5", "-0.5, 0.5", "1.5, 3",
                                       "0.6666667, 1.3333334"};
    static const float half[] = {1.5F};
    static const float v[] = {-1.5F, 1.5F, -0.25F};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        known_of(FLOAT, op[i], "p q");
        ob_floats(b, "p", "2");
        ob_init(b, "q", FLOAT, "", half, sizeof half);
        is(sn_format(a, "data = [%s]", want[i]), "f32[2]");
    }
    known_of(FLOAT, "Floor", "p");
    ob_init(b, "p", FLOAT, "3", v, sizeof v);
    is("data = [-2, 1, -1]", "f32[3]");
    known_of(FLOAT, "Ceil", "p");
    ob_init(b, "p", FLOAT, "3", v, sizeof v);
    is("data = [-1, 2, -0]", "f32[3]");
}

/* Both operands may be repeated, each along another axis. */
static void
broadcasts(void **state)
{
    (void)state;
    known("Sub", "p q");
    INTS("p", "2x1", 10, 20);
    INTS("q", "3", 1, 2, 3);
    is("data = [9, 8, 7, 19, 18, 17]", "i64[2,3]");
    known("Sub", "p q");
    INTS("p", "3", 10, 20, 30);
    INTS("q", "2x1x1", 1, 2);
    is("data = [9, 19, 29, 8, 18, 28]", "i64[2,1,3]");
    known("Add", "p q");
    INTS("p", "2", 1, 2);
    INTS("q", "3", 1, 2, 3);
    fails(SN_EINPUT, "Add", "Add: cannot broadcast 2 against 3");
    known("Add", "p q");
    INTS("p", "2", 1, 2);
    ob_floats(b, "q", "2");
    fails(SN_EUNSUPPORTED, "Add",
          "Add: no Add takes (i64, f32) -> _; possible: (qi8, qi8) -> qi8; "
          "(qi16, qi16) -> qi16; (f32, f32) -> f32; (i32, i32) -> i32; (i64, "
          "i64) -> i64");
}

/* y is computed by this node, with its type. */
static void
stays(const char *node)
{
    const char *text = text_of(NULL);

    if (!strstr(text, sn_format(a, "%%y = %s\n", node)))
        fail_msg("no '%s' in:\n%s", node, text);
}

/* A copy larger than folding may take stays a node; others do not. */
static void
large_copies(void **state)
{
    static const SnLimits defaults;
    static const float v[] = {1, 2};
    SnBudget *budget = sn_budget_new(&defaults);

    (void)state;
    known_of(FLOAT, "Tile", "c n");
    ob_init(b, "c", FLOAT, "1x2", v, sizeof v);
    INTS("n", "2", 20000, 10000);
    sn_budget_use(budget);
    stays("Tile(%c) {repeats = [20000,10000]} : f32[20000,20000]");
    sn_budget_use(NULL);
    sn_budget_free(budget);
    known("Tile", "p n");
    INTS("p", "1x2", 3, 4);
    INTS("n", "2", 2, 1);
    is("data = [3, 4, 3, 4]", "i64[2,2]");
}

/* So does any result of more than 1 GiB, whatever the limits are. */
static void
large_results(void **state)
{
    static const float v[16385];

    (void)state;
    known_of(FLOAT, "Tile", "c n");
    ob_init(b, "c", FLOAT, "1x2", v, 2 * sizeof *v);
    INTS("n", "2", 20000, 10000);
    stays("Tile(%c) {repeats = [20000,10000]} : f32[20000,20000]");
    known_of(FLOAT, "Sub", "c d");
    ob_init(b, "c", FLOAT, "16385x1", v, sizeof v);
    ob_init(b, "d", FLOAT, "1x16385", v, sizeof v);
    stays("Sub(%c, %d) : f32[16385,16385]");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_elements_are_folded),
        cmocka_unit_test(other_types),
        cmocka_unit_test(gather),
        cmocka_unit_test(gather_refused),
        cmocka_unit_test(concat),
        cmocka_unit_test(integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(narrow_integers),
        cmocka_unit_test(broadcasts),
        cmocka_unit_test(large_copies),
        cmocka_unit_test(large_results),
    };

    return cmocka_run_group_tests_name("onnx_fold", tests, setup, teardown);
}
