// SPDX-License-Identifier: Apache-2.0
/* The text form: what is written, what is read back, what is refused, and
 * what damaged texts do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file/file.h"
#include "graph/desc.h"
#include "graph/text/text.h"
#include "unit/graph_table.h"
#include "unit/scratch.h"

static SnArena *arena;

static int
setup(void **state)
{
    (void)state;
    arena = sn_arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

static SnGraph *
parse_n(const char *text, size_t n, const char *from, const char **errors)
{
    SnSrc *src = SN_NEW(arena, SnSrc);
    SnDiag *d = sn_diag_new(arena);
    SnGraph *g;

    *src = (SnSrc){"t.sn", text, n, 0};
    SnStatus s = sn_parse(arena, src, from, d, &g);
    *errors = sn_diag_text(d, arena);
    assert_int_equal(s, g ? SN_OK : SN_EINPUT);
    assert_int_equal(sn_diag_nerror(d), g ? 0 : 1);
    return g;
}

static SnGraph *
parse(const char *text)
{
    const char *errors;
    SnGraph *g = parse_n(text, strlen(text), NULL, &errors);

    if (!g)
        fail_msg("%s", errors);
    return g;
}

static const char *
print(const SnGraph *g)
{
    SnBuf b;

    sn_buf_init(&b, arena);
    sn_print(g, &b, NULL, NULL);
    return sn_buf_str(&b);
}

/* The text prints as itself, and its graph equals itself after a round. */
static void
same(const char *text)
{
    SnGraph *g = parse(text);
    const char *why;

    assert_string_equal(print(g), text);
    if (!sn_graph_equal(g, parse(print(g)), arena, &why))
        fail_msg("%s", why);
}

#define HEAD "sinter-graph 1\ngraph \"t\" {\n"

static void
test_lenet(void **state)
{
    (void)state;
    const char *text =
        "sinter-graph 1\ngraph \"lenet\" {\n"
        "  %x = Placeholder() : qi8<0.0078431, -1>[1,28,28,1]\n"
        "  %w = Constant() {splat = -3} : "
        "qi8<axis=0, [0.004, 0.005], [0, 0]>[2,5,5,1]\n"
        "  %b = Constant() {data = [1, 2]} : "
        "qi32<axis=0, [0.0000313724, 0.000039215498], [0, 0]>[2]\n"
        "  %c = Conv(%x, %w, %b) {pads = [2,2,2,2], clamp = [-128, _]} : "
        "qi8<0.02, -128>[1,28,28,2]\n"
        "  %r = Rescale(%c) {calibrated = true} : "
        "qi8<0.018, -128>[1,28,28,2]\n"
        "  %p, %i = MaxPool(%r) {kernel = [2,2], stride = [2,2]} : "
        "(qi8<0.018, -128>[1,14,14,2], i64[1,14,14,2])\n"
        "  Save(%p) {name = \"out\"}\n"
        "}\n";
    same(text);
    SnGraph *g = parse(text);
    assert_true(sn_node(g, SN_NODE(sn_find(g, "r")))->calibrated);
    assert_true(sn_verify(g, sn_diag_new(arena)) == SN_OK);
    /* the same, as a person writes it */
    SnGraph *h = parse(
        "; a comment\r\nsinter-graph 1 ; another\ngraph\"lenet\"{"
        "%x=Placeholder():qi8<0.0078431,-1>[1,28,28,1]"
        "%w=Constant(){data=[-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,"
        "-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,"
        "-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3,-3]}:qi8<axis=0,[4e-3,0.005],[0,0]>"
        "[2,5,5,1]%b=Constant(){data=[1,2]}:qi32<axis=0,[3.137242e-05,"
        "3.92155e-05],[0,0]>[2]%c=Conv(%x,%w,%b){clamp=[-128,_],group=1,"
        "pads=[2,2,2,2]}:qi8<0.02,-128>[1,28,28,2]\n"
        "%r=Rescale(%c:0){calibrated=true,clamp=full}:qi8<0.018,-128>"
        "[1,28,28,2] %p,%i=MaxPool(%r){kernel=[2,2],stride=[2,2]}:"
        "(qi8<0.018,-128>[1,14,14,2],i64[1,14,14,2]) Save(%p){name=\"out\"}}");
    const char *why;
    if (!sn_graph_equal(g, h, arena, &why))
        fail_msg("%s", why);
}

static void
test_forms(void **state)
{
    (void)state;
    same(HEAD "}\n");
    /* names */
    same(HEAD "  %\"a/b:0\" = Placeholder() : f32[]\n"
              "  %_ = Placeholder() : f32[]\n"
              "  %a.1_B = Placeholder() : f32[0,3]\n"
              "  %\"1\" = Placeholder() : f32[]\n"
              "  %\"q\\\"\\\\\\n\\t\\x01\xc3\xa9\" = Placeholder() : f32[]\n"
              "}\n");
    /* missing operands, in the middle and at the end; attributes */
    same(HEAD
         "  %a = Placeholder() : f32[2]\n"
         "  %r1 = All(%a, _, %a) {i = -9223372036854775808, r = -inf, "
         "b = false, s = \"x\\\"\", e = red, v = [1,-2], w = [nan, -0, 1e-45],"
         " t = qi8<0.1, 0>, c = [_, 6]} : f32[2]\n"
         "  %r2 = All(%a, %a) {r = 0xffc00000, t = f32, c = [-inf, 0.1]} : "
         "f32[2]\n"
         "  %r3 = All(%a) {s = \"\", t = row8} : f32[2]\n"
         "}\n");
    /* results: unnamed but used, optional ones, types facts do not force */
    same(HEAD "  %x = Placeholder() : f32[1,4,4,1]\n"
              "  %p = MaxPool(%x) {kernel = [1,1]} : f32[1,4,4,1]\n"
              "  %q = MaxPool(%x) {kernel = [1,1]} : "
              "(f32[1,4,4,1], i64[1,4,4,1])\n"
              "  %y = Cell(%x) : f32[1,4,4,1]\n"
              "  %y1 = Cell(%x) : (f32[1,4,4,1], qi8<1, 0>[1,4,4,1])\n"
              "  %y2, _, %c = Cell(%x) : (f32[1,4,4,1], _, f32[1,4,4,1])\n"
              "  %k = Concat(%p, %y, %x) {axis = -1} : f32[1,4,4,3]\n"
              "  Save(%q:1) {name = \"i\"}\n"
              "}\n");
}

static void
test_data(void **state)
{
    (void)state;
    same(HEAD "  %a = Constant() {data = [1, -0, inf, -inf, nan, 0x7fc00001, "
              "1e-45, 3.4028235e38]} : f32[8]\n"
              "  %b = Constant() {data = [1, -0, 65504, 5.9604645e-8, inf, "
              "nan, 0xfe00, "
              "0.33325195]} : f16[8]\n"
              "  %c = Constant() {data = [-128, 127]} : i8[2]\n"
              "  %d = Constant() {data = [-9223372036854775808, "
              "9223372036854775807]} : i64[2]\n"
              "  %e = Constant() {data = [0, 1]} : bool[2]\n"
              "  %f = Constant() {data = [0, 255, 0.5, -1, 7, 8, 2, nan]} : "
              "row8[2,2]\n"
              "  %g = Constant() {data = [5]} : i32[]\n"
              "  %h = Constant() {data = []} : f32[0,3]\n"
              "  %i = Constant() {splat = -32768} : qi16<0.5, 0>[3]\n"
              "  %j = Constant() {data = [1, 2]} : row8[1,0]\n"
              "  %k = Constant() {splat = nan} : f32[2]\n"
              "}\n");
    SnGraph *g = parse(HEAD "%e = Constant() {data = [true, false]} : bool[2]"
                            "%f = Constant() {splat = -0} : f32[2] }");
    const unsigned char *p = sn_node(g, 1)->data;
    assert_true(p[0] == 1 && p[1] == 0);
    float v[2];
    memcpy(v, sn_node(g, 2)->data, sizeof v);
    assert_true(v[1] == 0 && 1 / v[1] < 0);
}

/* ---- sidecar ---- */

static SnGraph *
big_graph(void)
{
    SnGraph *g = sn_graph_new(arena, "big");
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    float v[100];

    for (int k = 0; k < 2; k++) {
        SnSpec s = {.kind = K_CONSTANT,
                    .name = "c",
                    .type = &t,
                    .data = v,
                    .shape = sn_shape(g->pool, 1, (int64_t[]){100})};
        for (int i = 0; i < 100; i++)
            v[i] = (float)(i * (k + 1));
        assert_int_equal(sn_add(g, &s, NULL), k + 1);
    }
    return g;
}

/* Named by what big_graph holds. */
#define SIDE "m.89d1a7437dccea5d.snw"

static void
test_sidecar(void **state)
{
    SnGraph *g = big_graph(), *h;
    const char *path = sn_path_join(arena, dir, "m.sn"), *why;
    SnDiag *d = sn_diag_new(arena);
    size_t n;
    char *text;

    (void)state;
    assert_int_equal(sn_text_save(g, path, d), SN_OK);
    assert_int_equal(sn_file_read(arena, d, path, 0, &text, &n), SN_OK);
    assert_string_equal(text, "sinter-graph 1\ngraph \"big\" {\n"
                              "  %c = Constant() {data = \"" SIDE "\"@0, "
                              "hash = \"cff6c333cc6a5e44\"} : f32[100]\n"
                              "  %c.1 = Constant() {data = \"" SIDE "\"@448, "
                              "hash = \"56c9d887db7ac64c\"} : f32[100]\n}\n");
    assert_int_equal(sn_text_load(arena, path, d, &h), SN_OK);
    if (!sn_graph_equal(g, h, arena, &why))
        fail_msg("%s", why);
    /* written again: the same bytes */
    SnBuf out, side;
    char *old;
    sn_buf_init(&out, arena);
    sn_buf_init(&side, arena);
    sn_print(h, &out, SIDE, &side);
    assert_string_equal(out.s, text);
    assert_int_equal(
        sn_file_read(arena, d, sn_path_join(arena, dir, SIDE), 0, &old, &n),
        SN_OK);
    assert_int_equal(side.n, n);
    assert_memory_equal(side.s, old, n);
}

/* The message of a text whose only constant is `data`. */
static const char *
side_error(const char *data)
{
    const char *text =
        sn_format(arena, HEAD "%%c = Constant() {%s} : f32[100]\n}", data);
    const char *errors;
    SnGraph *g = parse_n(text, strlen(text), dir, &errors);

    assert_null(g);
    errors = strstr(errors, "error: ") + strlen("error: ");
    return sn_strndup(arena, errors, strcspn(errors, "\n"));
}

static void
test_sidecar_refused(void **state)
{
    const char *hash = ", hash = \"0000000000000000\"";
    char buf[100];

    (void)state;
    assert_int_equal(
        sn_file_write(NULL, sn_path_join(arena, dir, "z.snw"), buf, 0), SN_OK);
    assert_int_equal(symlink("z.snw", sn_path_join(arena, dir, "l.snw")), 0);
    assert_string_equal(side_error("data = \"z.snw\"@0"),
                        "data in a file requires its hash");
    assert_string_equal(
        side_error(sn_format(arena, "data = \"../z.snw\"@0%s", hash)),
        "'../z.snw' must be a plain file name");
    assert_string_equal(side_error(sn_format(arena, "data = \"..\"@0%s", hash)),
                        "'..' must be a plain file name");
    assert_string_equal(
        side_error(sn_format(arena, "data = \"l.snw\"@0%s", hash)),
        sn_format(arena, "%s/l.snw is a symbolic link, not a regular file",
                  dir));
    assert_string_equal(
        side_error(sn_format(arena, "data = \"z.snw\"@0%s", hash)),
        "z.snw has 0 bytes, too few for 400 at 0");
    assert_string_equal(
        side_error(sn_format(arena, "data = \"z.snw\"@7%s", hash)),
        "offset 7 is not a multiple of 64");
    assert_string_equal(
        side_error(sn_format(arena, "splat = 0%s", hash)),
        "the data have hash f0da569042075252, not 0000000000000000");
    assert_string_equal(side_error("hash = \"00\", data = [1]"),
                        "expected a string of 16 hex digits, found \"00\"");
    char *side = SN_NEW_N(arena, char, 512);
    assert_int_equal(
        sn_file_write(NULL, sn_path_join(arena, dir, "y.snw"), side, 512),
        SN_OK);
    assert_non_null(
        strstr(side_error(sn_format(arena, "data = \"y.snw\"@64%s", hash)),
               "it is not the file this text was written with"));
}

/* ---- graphs that differ ---- */

static const struct {
    const char *x, *y, *why;
} unequal[] = {
    {"%x = Placeholder() : f32[2]", "%x = Placeholder() : i8[2]",
     "x (Placeholder): type differs: f32 and i8"},
    {"%x = Placeholder() : f32[2]", "%x = Placeholder() : f32[3]",
     "x (Placeholder): shape differs"},
    {"%x = Placeholder() : f32[2]", "%z = Placeholder() : f32[2]",
     "x (Placeholder) is only in the first graph"},
    {"%x = Placeholder() : f32[2]",
     "%x = Placeholder() : f32[2]\n%y = Cell(%x) : f32[2]",
     "1 nodes and 2 nodes"},
    {"%x = Constant() {data = [1, 2]} : f32[2]", "%x = Placeholder() : f32[2]",
     "x (Constant): kind differs"},
    {"%x = Constant() {data = [1, 2]} : f32[2]",
     "%x = Constant() {data = [1, 3]} : f32[2]", "x (Constant): data differs"},
    {"%x = Placeholder() : qi8<1, 0>[2]\n"
     "%y = Rescale(%x) {calibrated = true} : qi8<2, 0>[2]",
     "%x = Placeholder() : qi8<1, 0>[2]\n%y = Rescale(%x) : qi8<2, 0>[2]",
     "y (Rescale): the flag 'calibrated' differs"},
    {"%x = Placeholder() : qi8<1, 0>[2]\n"
     "%y = Rescale(%x) {clamp = [0, _]} : qi8<2, 0>[2]",
     "%x = Placeholder() : qi8<1, 0>[2]\n%y = Rescale(%x) : qi8<2, 0>[2]",
     "y (Rescale): attribute 'clamp' differs: [0, _] and [_, _]"},
    {"%x = Placeholder() : f32[2]\n%y = Concat(%x, %x) {axis = 0} : f32[4]",
     "%x = Placeholder() : f32[2]\n"
     "%y = Concat(%x, %x, %x) {axis = 0} : f32[6]",
     "y (Concat): the number of operands differs"},
    {"%x = Placeholder() : f32[2]\n%z = Placeholder() : f32[2]\n"
     "%y = Concat(%x, %z) {axis = 0} : f32[4]",
     "%x = Placeholder() : f32[2]\n%z = Placeholder() : f32[2]\n"
     "%y = Concat(%x, %x) {axis = 0} : f32[4]",
     "y (Concat): an operand differs"},
    {"%x = Placeholder() : f32[1,2,2,1]\n"
     "%y, %i = MaxPool(%x) {kernel = [1,1]} : (f32[1,2,2,1], i64[1,2,2,1])",
     "%x = Placeholder() : f32[1,2,2,1]\n"
     "%y, %k = MaxPool(%x) {kernel = [1,1]} : (f32[1,2,2,1], i64[1,2,2,1])",
     "y (MaxPool): a result's name differs"},
    {"%x = Placeholder() : f32[2]\n%z = Placeholder() : f32[2]",
     "%z = Placeholder() : f32[2]\n%x = Placeholder() : f32[2]",
     "x (Placeholder): its place among the inputs differs"},
    {"%x = Placeholder() : f32[2]\n%z = Placeholder() : f32[2]\n"
     "Save(%x) {name = \"o\"}\nSave(%z) {name = \"p\"}",
     "%x = Placeholder() : f32[2]\n%z = Placeholder() : f32[2]\n"
     "Save(%z) {name = \"p\"}\nSave(%x) {name = \"o\"}",
     "o (Save): an operand differs"},
};

static void
test_unequal(void **state)
{
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof unequal / sizeof *unequal; i++) {
        SnGraph *x = parse(sn_format(arena, HEAD "%s\n}\n", unequal[i].x));
        SnGraph *y = parse(sn_format(arena, HEAD "%s\n}\n", unequal[i].y));
        assert_false(sn_graph_equal(x, y, arena, &why));
        assert_string_equal(why, unequal[i].why);
        assert_true(sn_graph_equal(x, x, arena, NULL));
        assert_true(sn_graph_hash(x, true) != sn_graph_hash(y, true));
    }
    SnGraph *x = parse(HEAD "%x = Placeholder() : f32[2]\n}\n");
    SnGraph *y = parse("sinter-graph 1\ngraph \"u\" {\n"
                       "%x = Placeholder() : f32[2]\n}\n");
    assert_false(sn_graph_equal(x, y, arena, &why));
    assert_string_equal(why, "graphs 't' and 'u'");
}

/* ---- refused texts ---- */

typedef struct Bad {
    const char *body, *message;
} Bad;

static const Bad bads[] = {
#include "unit/text_refused.inc"
};

static void
test_refused(void **state)
{
    const char *errors;

    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const char *text = sn_format(arena, HEAD "%s\n}\n", bads[i].body);
        assert_null(parse_n(text, strlen(text), NULL, &errors));
        char *line = sn_strndup(arena, errors, strcspn(errors, "\n"));
        assert_string_equal(line, bads[i].message);
    }
    const char *text = HEAD "%input = Placeholder() : f32[2]\n"
                            "Save(%imput) {name = \"o\"}\n}\n";
    assert_null(parse_n(text, strlen(text), NULL, &errors));
    assert_non_null(strstr(errors, "help: did you mean %input?"));
    text = "sinter-graph 2\n";
    assert_null(parse_n(text, strlen(text), NULL, &errors));
    assert_non_null(strstr(errors, "t.sn:1:1: error: the text has version 2; "
                                   "this reader knows version 1"));
    assert_null(parse_n("hello", 5, NULL, &errors));
    assert_non_null(strstr(errors, "expected 'sinter-graph 1' on the first "
                                   "line, found hello"));
    assert_null(parse_n("", 0, NULL, &errors));
    assert_non_null(strstr(errors, "but the text ends here"));
}

/* ---- damage ---- */

/* Reads a damaged text in an arena of its own; whatever it is, a graph that
 * comes out can be verified, printed and read again. */
static void
survive(const char *text, size_t n)
{
    SnArena *saved = arena;
    const char *errors, *why;

    arena = sn_arena_new();
    char *copy = malloc(n ? n : 1); /* its bounds are watched */
    memcpy(copy, text, n);
    SnGraph *g = parse_n(copy, n, NULL, &errors);
    if (g) {
        sn_verify(g, sn_diag_new(arena));
        if (!sn_graph_equal(g, parse(print(g)), arena, &why))
            fail_msg("%s", why);
    }
    free(copy);
    sn_arena_free(arena);
    arena = saved;
}

static void
test_damage(void **state)
{
    static const char text[] = HEAD
        "  %\"a/b\" = Placeholder() : qi8<0.5, -1>[1,4,4,1]\n"
        "  %w = Constant() {splat = -3} : "
        "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,3,3,1]\n"
        "  %b = Constant() {data = [1, -0x2]} : f32[2]\n"
        "  %d = Constant() {data = [1, 2, 0.5, nan]} : row8[1,2]\n"
        "  %c = Conv(%\"a/b\", %w, _) {pads = [1,1,1,1], clamp = [0, _]} : "
        "qi8<0.5, -128>[1,4,4,2]\n"
        "  %p, %i = MaxPool(%c) {kernel = [2,2]} : "
        "(qi8<0.5, -128>[1,3,3,2], i64[1,3,3,2])\n"
        "  %k = Concat(%p, %p) {axis = 3} : qi8<0.5, -128>[1,3,3,4]\n"
        "  Save(%k) {name = \"out\\x01\"}\n"
        "}\n";
    char bad[sizeof text];
    uint32_t seed = 1;

    (void)state;
    for (size_t n = 0; n < sizeof text; n++)
        survive(text, n);
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bad, text, sizeof text);
            bad[i] = (char)(bad[i] ^ 1 << bit);
            survive(bad, sizeof text - 1);
        }
    for (int k = 0; k < 3000; k++) { /* bytes of the text, elsewhere */
        memcpy(bad, text, sizeof text);
        for (int j = 0; j < 3; j++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = seed / 7 % (sizeof text - 1);
            seed = seed * 1664525 + 1013904223;
            bad[at] = text[seed / 7 % (sizeof text - 1)];
        }
        survive(bad, sizeof text - 1);
    }
}

/* ---- memory ---- */

/* Everything of src/graph once; false when memory ran out on the way. */
static bool
all_of_it(const char *text)
{
    SnArena *a = sn_arena_new();
    SnGuard gu;
    SnGraph *g;
    SnBuf b;

    if (setjmp(gu.env)) {
        sn_arena_free(a);
        return false;
    }
    sn_guard_push(&gu);
    SnSrc src = {"t.sn", text, strlen(text), 0};
    SnDiag *d = sn_diag_new(a);
    assert_int_equal(sn_parse(a, &src, NULL, d, &g), SN_OK);
    assert_int_equal(sn_verify(g, d), SN_OK);
    SnGraph *h = sn_graph_clone(g, a);
    assert_true(sn_graph_equal(g, h, a, NULL));
    assert_int_equal(sn_graph_hash(g, true), sn_graph_hash(h, true));
    sn_buf_init(&b, a);
    sn_print(h, &b, NULL, NULL);
    assert_string_equal(b.s, text);
    sn_draw_dot(h, &(SnDrawOpts){0}, &b);
    sn_guard_pop(&gu);
    sn_arena_free(a);
    return true;
}

static void
test_memory(void **state)
{
    unsigned long n = 1;
    SnBuf b;

    (void)state;
    sn_buf_init(&b, arena);
    sn_puts(&b, HEAD "  %x0 = Placeholder() : qi8<0.5, 0>[1,8,8,4]\n");
    for (int i = 0; i < 300; i++)
        sn_putf(&b,
                "  %%x%d = Rescale(%%x%d) : qi8<0.5, %d>[1,8,8,4]\n"
                "  %%c%d = Constant() {data = [1, 2, 3]} : f32[3]\n",
                i + 1, i, i % 100, i);
    sn_puts(&b, "  Save(%x300) {name = \"out\"}\n}\n");
    for (;; n++) {
        sn_alloc_fail_at(n + 1); /* the first is the arena itself */
        bool ok = all_of_it(b.s);
        sn_alloc_fail_at(0);
        if (ok)
            break;
    }
    assert_true(n > 4);
}

static int
clear_dir(void **state)
{
    static const char *const name[] = {"z.snw", "y.snw", "l.snw"};
    SnArena *a = sn_arena_new();

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        unlink(in_dir(a, name[i]));
    remove_sn("m");
    sn_arena_free(a);
    return remove_dir(state);
}

/* Every decimal becomes the f32 that strtof gives: short and long ones, halves
 * between two f32 and their neighbours, ends of the range. */
static void
test_decimals(void **state)
{
    enum { N = 20000 };
    uint32_t seed = 11;
    char(*text)[64] = sn_alloc_n(arena, N, 64);
    SnBuf b;

    (void)state;
    sn_buf_init(&b, arena);
    sn_putf(&b, "sinter-graph 1\ngraph \"g\" {\n  %%x = Constant() "
                "{data = [");
    for (int i = 0; i < N; i++) {
        uint32_t r[3];
        for (int k = 0; k < 3; k++)
            r[k] = seed = seed * 1664525u + 1013904223u;
        int e = (int)(r[0] >> 16) % (i % 2 ? 12 : 36), digits = 1 + i % 17;
        /* 25 bits, the last one set: a tie, or a little beside it */
        unsigned tie = 2 * (r[1] >> 8 | 0x800000) + 1;
        if (i % 5 == 0)
            snprintf(text[i], 64, "%s%u", r[2] >> 31 ? "-" : "", tie);
        else if (i % 5 == 1)
            snprintf(text[i], 64, "%u.%0*u", tie, 5 + i % 4, r[2] >> 31);
        else
            snprintf(text[i], 64, "%s%.*fe%d", r[2] >> 31 ? "-" : "", digits,
                     (double)r[1] * 0x1p-31, e - (i % 2 ? 6 : 18));
        sn_putf(&b, "%s%s", i ? ", " : "", text[i]);
    }
    sn_putf(&b, "]} : f32[%d]\n  Save(%%x) {name = \"y\"}\n}\n", N);
    SnGraph *g = parse(sn_buf_str(&b));
    const float *v = NULL;
    for (SnId i = 1; i < g->nnode; i++)
        if (sn_node(g, i)->data)
            v = sn_node(g, i)->data;
    assert_non_null(v);
    for (int i = 0; i < N; i++) {
        float want = strtof(text[i], NULL);
        if (memcmp(&want, &v[i], sizeof want) != 0)
            fail_msg("%s became %a, not %a", text[i], (double)v[i],
                     (double)want);
    }
}

/* Splats of one value share the bytes of one as large, of another value or
 * width they do not. */
static void
test_splats(void **state)
{
    SnGraph *g = parse("sinter-graph 1\ngraph \"g\" {\n"
                       "  %a = Constant() {splat = 0.5} : f32[100]\n"
                       "  %b = Constant() {splat = 0.5} : f32[7]\n"
                       "  %c = Constant() {splat = 2} : f32[7]\n"
                       "  %d = Constant() {splat = 2} : i64[7]\n"
                       "  %e = Constant() {splat = 0.5} : f32[200]\n"
                       "  %f = Constant() {splat = 3} : i8[90000]\n"
                       "  %g = Constant() {splat = 3} : i8[70000]\n"
                       "  %h = Constant() {splat = 4} : f32[30000]\n"
                       "  %i = Constant() {splat = 4} : f32[20000]\n"
                       "  %j = Constant() {splat = 4} : f32[100000]\n"
                       "}\n");
    const float *a = sn_node(g, 1)->data, *c = sn_node(g, 3)->data;
    const float *e = sn_node(g, 5)->data;
    const int64_t *d = sn_node(g, 4)->data;

    (void)state;
    assert_ptr_equal(sn_node(g, 2)->data, a);
    for (int i = 0; i < 200; i++)
        assert_true(e[i] == 0.5f && a[i % 100] == 0.5f && c[i % 7] == 2 &&
                    d[i % 7] == 2);
    /* large ones, which are mapped */
    const int8_t *f = sn_node(g, 6)->data;
    const float *h = sn_node(g, 8)->data, *j = sn_node(g, 10)->data;
    assert_ptr_equal(sn_node(g, 7)->data, f);
    assert_ptr_equal(sn_node(g, 9)->data, h);
    for (int i = 0; i < 90000; i++)
        assert_true(f[i] == 3 && h[i / 3] == 4);
    for (int i = 0; i < 100000; i++)
        assert_true(j[i] == 4);
}

/* Scales and zero points in lists, written in every way that a list may be. */
static void
test_lists(void **state)
{
    static const char *const gap[] = {", ", ",", " , ", ",\n  ", ", ; x\n"};
    enum { N = 1000 };
    uint32_t seed = 5;
    float scale[N];
    int zp[N];
    SnBuf b;

    (void)state;
    sn_buf_init(&b, arena);
    sn_puts(&b, "sinter-graph 1\ngraph \"g\" {\n  %x = Placeholder() : "
                "qi8<axis=0, [");
    for (int i = 0; i < N; i++) {
        char one[64];
        seed = seed * 1664525u + 1013904223u;
        double v = 0.125 + (double)(seed >> 8 & 0xffff);
        if (seed >> 28 == 1)
            snprintf(one, sizeof one, "%e", v);
        else
            snprintf(one, sizeof one, "%s%.*f", seed >> 28 == 2 ? "00" : "",
                     (int)(seed >> 28), v / 7);
        scale[i] = strtof(one, NULL);
        zp[i] = (int)(seed >> 24) - 128;
        sn_putf(&b, "%s%s", i ? gap[seed >> 12 & 31 ? 0 : seed >> 17 & 3] : "",
                one);
    }
    for (int i = 0; i < N; i++)
        sn_putf(&b, "%s%d", !i ? "], [" : gap[i % 40 ? 0 : 1 + i / 40 % 4],
                zp[i]);
    sn_putf(&b, "]>[%d]\n}\n", N);
    SnGraph *g = parse(sn_buf_str(&b));
    const SnType *t = sn_type(g, SN_REF(1, 0));
    assert_int_equal(t->nq, N);
    assert_memory_equal(t->scale, scale, sizeof scale);
    for (int i = 0; i < N; i++)
        assert_int_equal(t->zp[i], zp[i]);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_lenet),    T(test_forms),           T(test_data),
        T(test_sidecar),  T(test_sidecar_refused), T(test_refused),
        T(test_unequal),  T(test_damage),          T(test_memory),
        T(test_decimals), T(test_lists),           T(test_splats),
    };

    return cmocka_run_group_tests(tests, make_dir, clear_dir);
}
