// SPDX-License-Identifier: Apache-2.0
/* ONNX files made to do harm: each is refused with status 3 (the file
 * contradicts itself) or 4 (beyond sinter) and one line that names the file,
 * the node or value, what is wrong and what was expected.
 *
 *   test_onnx_hostile --list       the lines of onnx_hostile.inc as they are
 *   test_onnx_hostile --dump DIR   writes DIR/NAME.onnx, and what external data
 *                                  may point to; prints NAME, status, text */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/file.h"
#include "graph/text/text.h"
#include "onnx/import.h"
#include "unit/onnx_hostile_cases.h"

typedef struct Case {
    const char *name;
    void (*build)(void);
    SnStatus status;
    const char *text; /* after "FILE: " */
} Case;

/* ---- operands ---- */

static void
too_many_inputs(void)
{
    node("Relu", "x x x", "2");
}

static void
no_inputs(void)
{
    node("Relu", "", "2");
}

static void
too_many_outputs(void)
{
    node("Relu", "x", "2");
    b->node[0]->n_output = names(a, "y z", &b->node[0]->output);
    ob_output(b, "z", NULL);
}

static void
reals_with_integers(void)
{
    node("Add", "x c", "2");
    init_ints("c", 2, I(1), I(2));
}

static void
truth_added(void)
{
    node("Relu", "c", "2");
    ob_init(b, "c", BOOL, "2", "\1\0", 2);
}

static void
not_truth(void)
{
    node("Where", "c x x", "2");
    ob_init(b, "c", BOOL, "2", "\1\2", 2);
}

static void
string_tensor(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", STRING, "2", "", 0);
}

static void
complex_input(void)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", COMPLEX64, "2");
    ob_node(b, "Relu", "x", "y");
    ob_output(b, "y", NULL);
}

static void
unknown_element(void)
{
    b = ob_new(a, 13);
    ob_input_of(b, "x", 1000000, "2");
    ob_node(b, "Relu", "x", "y");
    ob_output(b, "y", NULL);
}

static void
self_cycle(void)
{
    node("Add", "x y", "2");
}

static void
shape_cycle(void)
{
    node("Reshape", "x s", "2");
    ob_node(b, "Shape", "y", "s");
}

static void
one_name_for_two_results(void)
{
    node("Split", "x", "4");
    b->node[0]->n_output = names(a, "y y", &b->node[0]->output);
}

static void
two_initializers(void)
{
    node("Add", "x c", "2");
    ob_floats(b, "c", "2");
    ob_floats(b, "c", "2");
}

static void
two_outputs(void)
{
    node("Relu", "x", "2");
    ob_output(b, "y", NULL);
}

static void
input_without_name(void)
{
    node("Relu", "x", "2");
    ob_input(b, "", "2");
}

static void
attribute_without_name(void)
{
    set_int(node("Relu", "x", "2"), "", 1);
}

static void
node_without_operator(void)
{
    node("", "x", "2");
}

static void
input_without_type(void)
{
    node("Relu", "x", "2");
    b->in[0]->type = NULL;
}

static void
no_operator_set(void)
{
    node("Relu", "x", "2");
    b->model.n_opset_import = 0;
}

static void
no_graph(void)
{
    node("Relu", "x", "2");
    b->model.graph = NULL;
}

/* ---- sizes ---- */

static void
raw_short(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "1234567", 7);
}

static void
raw_long(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "123456789", 9);
}

static void
raw_huge(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "1048576x1048575", "1234", 4);
}

static void
raw_overflow(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "4294967296x4294967296", "", 0);
}

static void
typed_short(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "2", "", 0)->has_raw_data = 0;
}

static void
typed_other(void)
{
    static int32_t v[] = {1, 300};
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", INT8, "2", "", 0);
    t->has_raw_data = 0;
    t->n_int32_data = 2;
    t->int32_data = v;
}

static void
segmented(void)
{
    static Onnx__TensorProto__Segment s;

    node("Add", "x c", "2");
    onnx__tensor_proto__segment__init(&s);
    ob_init(b, "c", FLOAT, "2", "12345678", 8)->segment = &s;
}

static void
deep_tensor(void)
{
    node("Add", "x c", "2");
    ob_init(b, "c", FLOAT, "1x1x1x1x1x1x1x1x1", "1234", 4);
}

static void
external_without_place(void)
{
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", FLOAT, "2", "", 0);
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

/* ---- scales ---- */

static void
quantized(float scale)
{
    node("QuantizeLinear", "x s z", "2");
    init_reals("s", "", 1, (double)scale);
    ob_init(b, "z", UINT8, "", "\200", 1);
}

static void
scale_zero(void)
{
    quantized(0);
}
static void
scale_negative(void)
{
    quantized(-0.5F);
}
static void
scale_nan(void)
{
    quantized(NAN);
}
static void
scale_inf(void)
{
    quantized(INFINITY);
}
static void
scale_denormal(void)
{
    quantized(1e-40F);
}
static void
scale_small(void)
{
    quantized(0x1p-101F);
}
static void
scale_large(void)
{
    quantized(0x1p101F);
}

static void
scale_of_one_channel(void)
{
    node("DequantizeLinear", "w s", "2");
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2", 2, 0.5, (double)NAN);
}

static void
scales_too_many(void)
{
    node("DequantizeLinear", "w s", "2");
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "3", 3, 0.5, 0.5, 0.5);
}

static void
scale_axis(void)
{
    set_int(node("DequantizeLinear", "w s", "2"), "axis", 2);
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2", 2, 0.5, 0.5);
}

static void
block_zero(void)
{
    set_int(node("DequantizeLinear", "w s", "2"), "block_size", I(-1));
    ob_init(b, "w", INT8, "2x2", "abcd", 4);
    init_reals("s", "2x2", 4, 0.5, 0.5, 0.5, 0.5);
}

static void
zero_point_elsewhere(void)
{
    node("QuantizeLinear", "x s z", "2");
    init_reals("s", "", 1, 0.5);
    ob_init(b, "z", INT32, "", (int32_t[1]){300}, 4);
}

/* ---- external data; the files are made by surroundings() ---- */

static void
external(const char *location, const char *key, const char *value)
{
    static Onnx__StringStringEntryProto e[2], *pe[2] = {&e[0], &e[1]};
    Onnx__TensorProto *t;

    node("Add", "x c", "2");
    t = ob_init(b, "c", FLOAT, "2", "", 0);
    t->has_raw_data = 0;
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->n_external_data = 2;
    t->external_data = pe;
    for (int i = 0; i < 2; i++)
        onnx__string_string_entry_proto__init(&e[i]);
    e[0].key = own(a, "location");
    e[0].value = own(a, location);
    e[1].key = own(a, key);
    e[1].value = own(a, value);
}

#define X(name, location, key, value)   \
    static void name(void)              \
    {                                   \
        external(location, key, value); \
    }
X(external_absolute, "/etc/passwd", "offset", "0")
X(external_up, "../outside.bin", "offset", "0")
X(external_up_later, "below/../../outside.bin", "offset", "0")
X(external_only_up, "..", "offset", "0")
X(external_link, "link.bin", "offset", "0")
X(external_link_above, "above/outside.bin", "offset", "0")
X(external_missing, "gone.bin", "offset", "0")
X(external_directory, "below", "offset", "0")
X(external_pipe, "pipe.bin", "offset", "0")
X(external_empty_name, "", "offset", "0")
X(external_offset_past_end, "inside.bin", "offset", "1")
X(external_offset_far, "inside.bin", "offset", "9223372036854775807")
X(external_offset_too_large, "inside.bin", "offset", "9223372036854775808")
X(external_offset_negative, "inside.bin", "offset", "-8")
X(external_offset_no_number, "inside.bin", "offset", "0x0")
X(external_length_short, "inside.bin", "length", "4")
X(external_length_long, "inside.bin", "length", "9223372036854775807")
X(external_length_negative, "inside.bin", "length", "-1")
#undef X

/* ---- bytes ---- */

/* Wraps n bytes as a field, then the length; returns the size. */
static size_t
wrap(uint8_t *at, unsigned field, const uint8_t *body, size_t n)
{
    size_t k = 0, len = n;

    at[k++] = (uint8_t)(field << 3 | 2);
    for (; len > 127; len >>= 7)
        at[k++] = (uint8_t)(len | 128);
    at[k++] = (uint8_t)len;
    memcpy(at + k, body, n);
    return k + n;
}

static uint8_t raw[1 << 16];
static size_t nraw;

/* graph { node { attribute { g { node ... } } } }: 2900 graphs in 29 KB. */
static void
nested_graphs(void)
{
    uint8_t *p = sn_alloc(a, sizeof raw), *q = sn_alloc(a, sizeof raw), *t;
    size_t n = 0;

    for (int i = 0; i < 2900; i++) {
        n = wrap(q, 6, p, n); /* AttributeProto.g */
        n = wrap(p, 5, q, n); /* NodeProto.attribute */
        n = wrap(q, 1, p, n); /* GraphProto.node */
        t = p;
        p = q;
        q = t;
    }
    nraw = wrap(raw, 7, p, n);
}

static void
bytes(const char *s, size_t n)
{
    memcpy(raw, s, n);
    nraw = n;
}

#define R(name, s)              \
    static void name(void)      \
    {                           \
        bytes(s, sizeof s - 1); \
    }
R(no_bytes, "")
R(text_file, "not a model at all\n")
R(length_past_end, "\x3a\xff\xff\xff\xff\x07")
R(length_of_64_bits, "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
R(endless_number, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
R(field_zero, "\x02\x00")
R(group, "\x3b")
R(graph_as_number, "\x38\x01")
R(graph_twice, "\x3a\x00\x3a\x00")
R(half_a_float, "\x3a\x07\x2a\x05\x22\x03"
                "abc")
R(nul_in_a_name, "\x3a\x05\x12\x03"
                 "a\0b")
#undef R

static const Case cases[] = {
#include "unit/onnx_hostile.inc"
};
enum { NCASE = sizeof cases / sizeof cases[0] };

/* What lies in and beside the model's directory DIR/model. */
static const char *
surroundings(const char *top)
{
    const char *dir = sn_path_join(a, top, "model");
    SnDiag *d = sn_diag_new(a);

    if (mkdir(dir, 0700) != 0 ||
        mkdir(sn_path_join(a, dir, "below"), 0700) != 0 ||
        mkfifo(sn_path_join(a, dir, "pipe.bin"), 0600) != 0 ||
        symlink("../outside.bin", sn_path_join(a, dir, "link.bin")) != 0 ||
        symlink("..", sn_path_join(a, dir, "above")) != 0 ||
        sn_file_write(d, sn_path_join(a, top, "outside.bin"), "12345678", 8) !=
            SN_OK ||
        sn_file_write(d, sn_path_join(a, dir, "inside.bin"), "12345678", 8) !=
            SN_OK)
        return NULL;
    return dir;
}

static void
clear(const char *top)
{
    static const char *const file[] = {"model/pipe.bin", "model/link.bin",
                                       "model/above", "outside.bin",
                                       "model/inside.bin"};

    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        unlink(sn_path_join(a, top, file[i]));
    rmdir(sn_path_join(a, top, "model/below"));
    rmdir(sn_path_join(a, top, "model"));
    rmdir(top);
}

static char top[] = "/tmp/sinter-hostile-XXXXXX";
static const char *dir; /* of the model */

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    dir = mkdtemp(top) != NULL ? surroundings(top) : NULL;
    return dir == NULL;
}

static int
teardown(void **state)
{
    (void)state;
    clear(top);
    sn_arena_free(a);
    return 0;
}

/* The bytes of a case, in a block of their own for the sanitizers. */
static uint8_t *
build(const Case *c, size_t *n)
{
    uint8_t *p;

    b = NULL;
    nraw = 0;
    c->build();
    if (b != NULL)
        return ob_pack(b, n);
    *n = nraw;
    p = malloc(nraw + 1);
    if (p == NULL)
        abort();
    memcpy(p, raw, nraw);
    return p;
}

static SnStatus
import(const Case *c, const char **text)
{
    SnDiag *d = sn_diag_new(a);
    SnGraph *g;
    size_t n;
    uint8_t *p = build(c, &n);
    SnStatus s = sn_onnx_parse(a, "m.onnx", dir, p, n, NULL, d, &g);

    free(p);
    *text = sn_diag_text(d, a);
    return s;
}

static void
is_refused(void **state)
{
    const Case *c = *state;
    const char *text;
    SnStatus s = import(c, &text);

    assert_string_equal(text, sn_format(a, "m.onnx: %s\n", c->text));
    assert_int_equal(s, c->status);
    assert_true(s == SN_EINPUT || s == SN_EUNSUPPORTED);
}

static int
list(void)
{
    static const char *const status[] = {
        [SN_EINPUT] = "SN_EINPUT", [SN_EUNSUPPORTED] = "SN_EUNSUPPORTED"};

    for (size_t i = 0; i < NCASE; i++) {
        const char *text;
        SnStatus s = import(&cases[i], &text);
        printf("{\"%s\", %s, %s,\n \"", cases[i].name, cases[i].name,
               s == SN_EINPUT || s == SN_EUNSUPPORTED ? status[s] : "accepted");
        text += strncmp(text, "m.onnx: ", 8) == 0 ? 8 : 0;
        for (; *text != '\0' && *text != '\n'; text++)
            printf(*text == '"' ? "\\%c" : "%c", *text);
        printf("\"},\n");
    }
    return 0;
}

static int
dump(const char *to)
{
    const char *d = surroundings(to);

    for (size_t i = 0; d != NULL && i < NCASE; i++) {
        size_t n;
        uint8_t *p = build(&cases[i], &n);
        const char *path = sn_format(a, "%s/%s.onnx", d, cases[i].name);
        if (sn_file_write(sn_diag_new(a), path, p, n) != SN_OK)
            return 5;
        free(p);
        printf("%s %d %s\n", cases[i].name, (int)cases[i].status,
               cases[i].text);
    }
    return d == NULL;
}

int
main(int argc, char **argv)
{
    struct CMUnitTest tests[NCASE];
    int r;

    for (size_t i = 0; i < NCASE; i++)
        tests[i] =
            (struct CMUnitTest){.name = cases[i].name,
                                .test_func = is_refused,
                                .initial_state = (void *)(uintptr_t)&cases[i]};
    if (argc < 2)
        return _cmocka_run_group_tests("onnx_hostile", tests, NCASE, setup,
                                       teardown);
    a = sn_arena_new();
    if (strcmp(argv[1], "--list") == 0 && mkdtemp(top) != NULL) {
        dir = surroundings(top);
        r = list();
        clear(top);
    } else {
        r = argc == 3 ? dump(argv[2]) : 2;
    }
    sn_arena_free(a);
    return r;
}
