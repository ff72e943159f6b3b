// SPDX-License-Identifier: Apache-2.0
/* ONNX import of files that are wrong, hostile or beyond what is supported:
 * the exact status and message of each. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/budget.h"
#include "base/file/file.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, INT64 = 7 };

/* x -> op -> y, both f32. */
static Onnx__NodeProto *
one_node(int64_t opset, const char *op, const char *in, const char *xdims,
         const char *ydims)
{
    b = ob_new(a, opset);
    ob_input(b, "x", xdims);
    ob_output(b, "y", ydims);
    return ob_node(b, op, in, "y");
}

/* ---- what is refused ---- */

static void
unknown_operators_are_refused_by_name(void **state)
{
    (void)state;
    one_node(13, "Rellu", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Rellu): operator Rellu (opset 13) is not "
            "supported\n   help: did you mean 'Relu'?\n");
    one_node(13, "HardSwish", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (HardSwish): operator HardSwish (opset 13) is "
            "not supported\n   help: it is from opset 14 on\n");
    one_node(13, "Relu", "x", "2", "2");
    b->node[0]->domain = sn_strdup(a, "my.domain");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'y' (Relu): operator my.domain:Relu (opset 0) is "
            "not supported\n   help: did you mean 'Relu'?\n");
    one_node(26, "Relu", "x", "2", "2");
    refused(SN_EUNSUPPORTED,
            "m.onnx: operator set 26; 1 to 25 are supported\n");
}

static void
all_unknown_operators_are_listed(void **state)
{
    (void)state;
    one_node(13, "Foo", "x", "2", "2");
    b->graph.n_node = 0;
    ob_node(b, "Zork", "x", "p");
    ob_node(b, "Zork", "p", "q");
    ob_node(b, "Quux", "q", "y");
    refused(SN_EUNSUPPORTED,
            "m.onnx: node 'p' (Zork): operator Zork (opset 13) is not "
            "supported\n"
            "m.onnx: node 'y' (Quux): operator Quux (opset 13) is not "
            "supported\n"
            "   help: 'sinter ops' lists the supported operators\n");
}

static void
attributes_are_checked(void **state)
{
    static const int64_t two[] = {2, 2}, zero[] = {0, 2};
    Onnx__NodeProto *n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");

    (void)state;
    ob_list(b, n, "kernel_shape", 2, two);
    ob_int(b, n, "order", 1);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (MaxPool): attribute "
                             "'order' = 1 is not supported\n");
    n->attribute[1]->i = 0;
    assert_non_null(strstr(text_of(NULL), "MaxPool"));
    n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");
    ob_real(b, n, "kernel_shape", 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' "
                       "is FLOAT, expected INTS\n");
    n = one_node(13, "MaxPool", "x", "1x1x4x4", "1x1x3x3");
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'kernel_shape' "
                       "is missing\n");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_list(b, n, "strides", 2, zero);
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'strides' "
                       "breaks 'stride > 0'\n");
    n = one_node(13, "Relu", "x", "2", "2");
    ob_int(b, n, "a", 1);
    ob_int(b, n, "a", 1);
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): attribute 'a' is given twice\n");
}

static void
positions_are_by_row_or_column(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n;

    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "1x1x4x4");
    n = ob_node(b, "MaxPool", "x", "y i");
    ob_list(b, n, "kernel_shape", 2, two);
    ob_int(b, n, "storage_order", 2);
    ob_output(b, "y", "1x1x3x3");
    ob_output_of(b, "i", INT64, "1x1x3x3");
    refused(SN_EINPUT, "m.onnx: node 'y' (MaxPool): attribute 'storage_order' "
                       "is 2, not 0 or 1\n");
    n->attribute[1]->i = 1;
    assert_non_null(strstr(text_of(NULL), "%i = Add("));
}

static void
names_are_checked(void **state)
{
    (void)state;
    one_node(13, "Relu", "z", "2", "2");
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): reads 'z', which nothing makes\n");
    one_node(13, "Add", "x _", "2", "2");
    refused(SN_EINPUT, "m.onnx: node 'y' (Add): input 1 is missing\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_node(b, "Relu", "x", "y");
    refused(SN_EINPUT, "m.onnx: node 'y' (Relu): makes 'y', which another "
                       "node makes too\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_node(b, "Relu", "x", "x");
    refused(SN_EINPUT, "m.onnx: node 'x' (Relu): makes 'x', which is an "
                       "input or initializer\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_input(b, "x", "2");
    refused(SN_EINPUT, "m.onnx: input 'x': there are two of this "
                       "name, expected one\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_output(b, "q", "2");
    refused(SN_EINPUT, "m.onnx: output 'q': nothing makes it\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_floats(b, "", "2");
    refused(SN_EINPUT, "m.onnx: an initializer has no name\n");
    one_node(13, "Relu", "x", "2", "2");
    b->graph.n_output = 0;
    refused(SN_EINPUT, "m.onnx: the graph has no output\n");
}

static void
cycles_are_refused(void **state)
{
    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "2");
    ob_node(b, "Add", "x q", "p");
    ob_node(b, "Relu", "p", "q");
    ob_output(b, "q", "2");
    refused(SN_EINPUT, "m.onnx: node 'p' (Add): is on a cycle: its inputs "
                       "depend on its results\n");
}

static void
order_in_the_file_does_not_matter(void **state)
{
    (void)state;
    b = ob_new(a, 13);
    ob_input(b, "x", "2");
    ob_node(b, "Relu", "p", "y");
    ob_node(b, "Tanh", "x", "p");
    ob_output(b, "y", "2");
    assert_string_equal(text_of(NULL), "  %x = Placeholder() : f32[2]\n"
                                       "  %p = Tanh(%x) : f32[2]\n"
                                       "  %y = Relu(%p) : f32[2]\n"
                                       "  Save(%y) {name = \"y\"}\n");
    assert_string_equal(sn_diag_text(d, a),
                        "warning: m.onnx: nodes precede what they read, such "
                        "as 'y'; they are sorted\n");
}

/* As ONNX Runtime does: shapes left behind by a tool are a warning. */
static void
stale_shapes_are_said(void **state)
{
    static const char want[] = "  %x = Placeholder() : f32[2,3]\n"
                               "  %y = Relu(%x) : f32[2,3]\n"
                               "  Save(%y) {name = \"y\"}\n";

    (void)state;
    one_node(13, "Relu", "x", "2x3", "2x4");
    assert_string_equal(text_of(NULL), want);
    assert_string_equal(sn_diag_text(d, a),
                        "warning: m.onnx: 'y' is [2,3], the file says [2,4]; "
                        "the shape computed from its operands is used\n");
    one_node(13, "Relu", "x", "2x3", "2x3x1");
    assert_string_equal(text_of(NULL), want);
    one_node(13, "Relu", "x", "2x3", "4");
    ob_node(b, "Abs", "y", "z");
    ob_node(b, "Neg", "z", "v");
    ob_info(b, "z", "3x2");
    ob_output(b, "v", "2x3");
    assert_non_null(strstr(text_of(NULL), "Neg"));
    assert_string_equal(
        sn_diag_text(d, a),
        "warning: m.onnx: 'y' is [2,3], the file says [4] (and of 1 more "
        "value); the shape computed from its operands is used\n");
}

/* Elements that nothing here holds, in a tensor that nothing reads. */
static void
unused_initializers_may_be_anything(void **state)
{
    enum { COMPLEX64 = 14, NEWER = 99 };
    static const int elem[] = {8, COMPLEX64, 17, 23, NEWER};

    (void)state;
    for (size_t i = 0; i < sizeof elem / sizeof elem[0]; i++) {
        one_node(13, "Relu", "x", "2", "2");
        ob_init(b, "k", elem[i], "1", "", 0);
        assert_string_equal(text_of(NULL), "  %x = Placeholder() : f32[2]\n"
                                           "  %y = Relu(%x) : f32[2]\n"
                                           "  Save(%y) {name = \"y\"}\n");
        assert_string_equal(sn_diag_text(d, a), "");
        /* with the name of an input; read by what reaches no output */
        ob_input_of(b, "k", elem[i], "1");
        ob_node(b, "Tanh", "k", "unused");
        assert_non_null(strstr(text_of(NULL), "Relu"));
        ob_output(b, "k", "1");
        assert_string_equal(text_of(NULL),
                            sn_format(a,
                                      "m.onnx: initializer 'k': elements %s "
                                      "are not supported\n",
                                      i == 0   ? "STRING"
                                      : i == 1 ? "COMPLEX64"
                                      : i == 2 ? "FLOAT8E4M3FN"
                                      : i == 3 ? "FLOAT4E2M1"
                                               : "of an unknown number"));
    }
}

static void
stated_types_are_compared(void **state)
{
    (void)state;
    one_node(13, "Relu", "x", "2x3", "2x3");
    b->graph.n_output = 0;
    ob_output_of(b, "y", INT64, "2x3");
    refused(SN_EINPUT,
            "m.onnx: node 'y' (Relu): 'y' is f32, the file says INT64\n");
    one_node(13, "Relu", "x", "2x3", "2xM");
    assert_non_null(strstr(text_of(NULL), "Relu"));
}

/* The import of b asks for more than a budget of defaults has. */
static void
stopped(const char *where, const char *text)
{
    static const SnLimits defaults;
    SnBudget *budget = sn_budget_new(&defaults);
    SnGuard gu;

    sn_budget_use(budget);
    if (!setjmp(gu.env)) {
        sn_guard_push(&gu);
        text_of(NULL);
        fail_msg("imported");
    }
    sn_budget_use(NULL);
    assert_string_equal(sn_budget_trip()->where, where);
    assert_string_equal(sn_budget_trip()->text, text);
    sn_budget_free(budget);
}

static void
dimensions_are_limited(void **state)
{
    static const int64_t huge[] = {INT64_C(1) << 39};
    Onnx__NodeProto *n;

    (void)state;
    one_node(13, "Relu", "x", "1099511627776x1099511627776", "?");
    refused(SN_EINPUT, "m.onnx: input 'x': the shape is too large\n");
    one_node(13, "Relu", "x", "1x1x1x1x1x1x1x1x1", "?");
    refused(SN_EUNSUPPORTED, "m.onnx: input 'x': 9 dimensions; at most 8 are "
                             "supported\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_init(b, "w", FLOAT, "-1", "", 0);
    refused(SN_EINPUT, "m.onnx: initializer 'w': dimension 0 is -1\n");
    one_node(13, "Relu", "x", "2", "2");
    ob_init(b, "w", FLOAT, "4", "abc", 3);
    refused(SN_EINPUT, "m.onnx: initializer 'w': 3 bytes of elements, the "
                       "shape has 16\n");
    b = ob_new(a, 13);
    ob_ints(b, "s", 1, huge);
    n = ob_node(b, "ConstantOfShape", "s", "y");
    (void)n;
    ob_output(b, "y", "?");
    stopped("m.onnx: node 'y' (ConstantOfShape)",
            "folded constants take 2.199 TB; the limit for files of 70 B is "
            "268.4 MB");
}

static void
broken_operands_are_refused(void **state)
{
    static const int64_t perm[] = {0, 0};
    Onnx__NodeProto *n = one_node(13, "Transpose", "x", "2x3", "3x2");

    (void)state;
    ob_list(b, n, "perm", 2, perm);
    refused(SN_EINPUT, "m.onnx: node 'y' (Transpose): Transpose: 'perm' names "
                       "axis 0 twice\n");
    one_node(13, "Reshape", "x s", "2x3", "2x3");
    ob_ints(b, "s", 2, perm);
    assert_non_null(strstr(text_of(NULL), "dims = [2,3]"));
    one_node(13, "Reshape", "x s", "2x3", NULL);
    ob_input_of(b, "s", INT64, "1");
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (Reshape): input 'shape' "
                             "'s' must be constant\n");
}

/* By maps that say the sizes. */
static void
broken_axes_are_refused(void **state)
{
    static const int64_t twice[] = {1, -2}, many[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int64_t two[] = {2, 2}, one[] = {1};
    Onnx__NodeProto *n = one_node(13, "Flatten", "x", "2x3", NULL);

    (void)state;
    ob_int(b, n, "axis", 3);
    refused(SN_EINPUT, "m.onnx: node 'y' (Flatten): 'axis' is 3, outside "
                       "[-2, 2]\n");
    one_node(13, "Squeeze", "x s", "2x3", NULL);
    ob_ints(b, "s", 1, one);
    refused(SN_EINPUT, "m.onnx: node 'y' (Squeeze): axis 1 has 3 elements, "
                       "not one\n");
    one_node(13, "Unsqueeze", "x s", "2", NULL);
    ob_ints(b, "s", 2, twice);
    refused(SN_EINPUT, "m.onnx: node 'y' (Unsqueeze): an axis is named "
                       "twice\n");
    one_node(13, "Unsqueeze", "x s", "2", NULL);
    ob_ints(b, "s", 8, many);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (Unsqueeze): the result has too "
                             "many dimensions; the limit is 8\n");
    one_node(13, "Expand", "x s", "2x3", NULL);
    ob_ints(b, "s", 2, two);
    refused(SN_EINPUT, "m.onnx: node 'y' (Expand): dimension 1 is 3 and cannot "
                       "become 2\n");
    n = one_node(12, "Softmax", "x", "2x3", NULL);
    ob_int(b, n, "axis", 2);
    refused(SN_EINPUT, "m.onnx: node 'y' (Softmax): there is no axis 2 in 2 "
                       "dimensions\n");
    one_node(13, "GlobalMaxPool", "x", "1x2x3x4x5", NULL);
    refused(SN_EUNSUPPORTED, "m.onnx: node 'y' (GlobalMaxPool): 'kernel' has 3 "
                             "values, 2 are supported (two-dimensional "
                             "pictures)\n");
    n = one_node(13, "DepthToSpace", "x", "1x6x2x2", NULL);
    ob_int(b, n, "blocksize", 2);
    ob_str(b, n, "mode", "CRD");
    refused(SN_EINPUT, "m.onnx: node 'y' (DepthToSpace): 6 channels are not a "
                       "multiple of 4\n");
    one_node(17, "InstanceNormalization", "x c d", "2x3", NULL);
    ob_input_of(b, "c", FLOAT, "3");
    ob_input_of(b, "d", FLOAT, "3");
    refused(SN_EINPUT, "m.onnx: node 'y' (InstanceNormalization): there is no "
                       "axis 2 in 2 dimensions\n");
}

/* ---- bytes ---- */

static void
every_cut_is_refused(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n = one_node(13, "Conv", "x w", "1x1x2x2", "1x1x1x1");
    size_t len;
    uint8_t *p;
    SnGraph *g;

    (void)state;
    ob_floats(b, "w", "1x1x2x2");
    ob_list(b, n, "kernel_shape", 2, two);
    p = ob_pack(b, &len);
    for (size_t k = 0; k < len; k++) {
        uint8_t *q = malloc(k + 1);
        assert_non_null(q);
        memcpy(q, p, k);
        d = sn_diag_new(a);
        assert_int_not_equal(
            sn_onnx_parse(a, "m.onnx", NULL, q, k, NULL, d, &g), SN_OK);
        assert_true(sn_diag_nerror(d) > 0);
        free(q);
    }
    free(p);
}

static void
flipped_bits_do_no_harm(void **state)
{
    static const int64_t two[] = {2, 2};
    Onnx__NodeProto *n = one_node(13, "Conv", "x w", "1x1x2x2", "1x1x1x1");
    size_t len;
    uint8_t *p;
    SnGraph *g;

    (void)state;
    ob_floats(b, "w", "1x1x2x2");
    ob_list(b, n, "kernel_shape", 2, two);
    p = ob_pack(b, &len);
    for (size_t k = 0; k < 8 * len; k++) {
        SnArena *own_arena = sn_arena_new();
        SnDiag *own_diag = sn_diag_new(own_arena);
        SnStatus s;
        p[k / 8] ^= (uint8_t)(1u << (k & 7));
        s = sn_onnx_parse(own_arena, "m.onnx", NULL, p, len, NULL, own_diag,
                          &g);
        assert_true(s == SN_OK || sn_diag_nerror(own_diag) > 0);
        p[k / 8] ^= (uint8_t)(1u << (k & 7));
        sn_arena_free(own_arena);
    }
    free(p);
}

/* Wraps a message: field number, then the length. */
static size_t
wrap(uint8_t *at, unsigned field_number, const uint8_t *body, size_t n)
{
    size_t k = 0, len = n;

    at[k++] = (uint8_t)(field_number << 3 | 2);
    for (; len > 127; len >>= 7)
        at[k++] = (uint8_t)(len | 128);
    at[k++] = (uint8_t)len;
    memcpy(at + k, body, n);
    return k + n;
}

static void
deep_nesting_is_refused(void **state)
{
    enum { SIZE = 1 << 16 };
    uint8_t *p = sn_alloc(a, SIZE), *q = sn_alloc(a, SIZE), *t;
    size_t n = 0;
    SnGraph *g;

    (void)state;
    /* graph { node { attribute { g { node { ... } } } } }, 3000 levels */
    for (int i = 0; i < 1000; i++) {
        n = wrap(q, 6, p, n);
        n = wrap(p, 5, q, n);
        n = wrap(q, 1, p, n);
        t = p;
        p = q;
        q = t;
    }
    n = wrap(q, 7, p, n);
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, q, n, NULL, d, &g),
                     SN_EINPUT);
    assert_non_null(
        strstr(sn_diag_text(d, a), "messages are nested too deeply"));
}

static void
repeated_messages_are_refused(void **state)
{
    static const uint8_t two_graphs[] = {0x3a, 0, 0x3a, 0};
    static const uint8_t group[] = {0x3b};
    static const uint8_t wrong[] = {0x38, 1};
    SnGraph *g;

    (void)state;
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, two_graphs,
                                   sizeof two_graphs, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), "m.onnx: not a ModelProto: graph: "
                                            "given twice (at byte 2)\n");
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, group, 1, NULL, d, &g),
                     SN_EINPUT);
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, wrong, 2, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a),
                        "m.onnx: not a ModelProto: graph: the wrong wire type "
                        "(at byte 0)\n");
    d = sn_diag_new(a);
    assert_int_equal(sn_onnx_parse(a, "m.onnx", NULL, "", 0, NULL, d, &g),
                     SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), "m.onnx: the file is empty\n");
}

static void
external_data_stays_inside(void **state)
{
    static const float v[] = {1, 2, 3};
    char top[] = "/tmp/sinter-ext-XXXXXX";
    const char *dir;
    Onnx__TensorProto *t = ob_tensor(a, "t", FLOAT, "2", "", 0);
    Onnx__StringStringEntryProto e[2], *pe[2] = {&e[0], &e[1]};
    static const char *const outside[] = {
        "/etc/passwd", "../v.bin", "x/../../v.bin", "link", "gone", ".."};
    SnData out;

    (void)state;
    assert_non_null(mkdtemp(top));
    dir = sn_path_join(a, top, "model");
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(mkdir(sn_path_join(a, dir, "x"), 0700), 0);
    assert_int_equal(
        sn_file_write(d, sn_path_join(a, dir, "v.bin"), v, sizeof v), SN_OK);
    assert_int_equal(
        sn_file_write(d, sn_path_join(a, top, "v.bin"), v, sizeof v), SN_OK);
    assert_int_equal(symlink("../v.bin", sn_path_join(a, dir, "link")), 0);
    for (int i = 0; i < 2; i++)
        onnx__string_string_entry_proto__init(&e[i]);
    t->has_raw_data = 0;
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->n_external_data = 2;
    t->external_data = pe;
    e[0].key = sn_strdup(a, "location");
    e[1].key = sn_strdup(a, "offset");
    e[0].value = sn_strdup(a, "v.bin");
    e[1].value = sn_strdup(a, "4");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_OK);
    assert_true(sn_data_real(&out, 0) == 2 && sn_data_real(&out, 1) == 3);
    assert_int_equal(sn_tensor_pb(a, t, NULL, "t", d, &out), SN_EINPUT);
    e[1].value = sn_strdup(a, "8");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_EINPUT);
    e[1].value = sn_strdup(a, "0");
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        e[0].value = sn_strdup(a, outside[i]);
        assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_EINPUT);
    }
    unlink(sn_path_join(a, dir, "link"));
    unlink(sn_path_join(a, dir, "v.bin"));
    unlink(sn_path_join(a, top, "v.bin"));
    rmdir(sn_path_join(a, dir, "x"));
    rmdir(dir);
    rmdir(top);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_operators_are_refused_by_name),
        cmocka_unit_test(all_unknown_operators_are_listed),
        cmocka_unit_test(attributes_are_checked),
        cmocka_unit_test(positions_are_by_row_or_column),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(cycles_are_refused),
        cmocka_unit_test(order_in_the_file_does_not_matter),
        cmocka_unit_test(stale_shapes_are_said),
        cmocka_unit_test(unused_initializers_may_be_anything),
        cmocka_unit_test(stated_types_are_compared),
        cmocka_unit_test(dimensions_are_limited),
        cmocka_unit_test(broken_operands_are_refused),
        cmocka_unit_test(broken_axes_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(repeated_messages_are_refused),
        cmocka_unit_test(external_data_stays_inside),
    };

    return cmocka_run_group_tests_name("onnx_bad", tests, setup, teardown);
}
