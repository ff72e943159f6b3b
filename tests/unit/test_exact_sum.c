// SPDX-License-Identifier: Apache-2.0
/* sinter_model_optimize_exact on dequantized values: what becomes one on codes,
 * what stays a sum of reals and is noted, and that no bit is another. */
#include "sinter.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "unit/scratch.h"

/* ---- models ---- */

static unsigned nnote;
static char noted[64];

static void
hear(void *ctx, SinterSeverity severity, const char *where, const char *text)
{
    (void)ctx;
    if (severity != SINTER_LOG_NOTE || strncmp(where, "sum ", 4) != 0)
        return;
    nnote++;
    snprintf(noted, sizeof noted, "%s: %s", where, text);
}

static SinterModel *
parse(const char *text)
{
    const SinterConfig c = {.size = sizeof c, .log = hear};
    SinterError e;
    SinterModel *m;

    if (sinter_model_parse(&c, SINTER_FORMAT_SN, text, strlen(text), "t.sn",
                           NULL, NULL, &m, &e) != SINTER_OK)
        fail_msg("%s: %s", e.where, e.message);
    return m;
}

/* Is the node `op` of m one on codes? */
static bool
on_codes(SinterModel *m, const char *op)
{
    void *text;
    size_t n;

    assert_int_equal(
        sinter_model_pack(m, SINTER_FORMAT_SN, NULL, &text, &n, NULL),
        SINTER_OK);
    char *at = strstr(text, op);
    assert_non_null(at);
    at = strstr(at, " : ");
    bool is = at && !strncmp(at, " : qi8<", 7);
    sinter_free(text);
    return is;
}

static void
run(SinterModel *m, const void *const *in, float *y)
{
    void *out[] = {y};
    SinterSession *s;

    assert_int_equal(sinter_session_new(m, NULL, &s, NULL), SINTER_OK);
    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    sinter_session_free(s);
}

/* The bits of n results before and after; whether `op` is one on codes. */
static bool
same_and_on_codes(const char *text, const char *op, const void *const *in,
                  size_t n)
{
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    SinterModel *m = parse(text);

    assert_true(x && y);
    run(m, in, x);
    nnote = 0;
    assert_int_equal(sinter_model_optimize_exact(m, NULL), SINTER_OK);
    run(m, in, y);
    assert_memory_equal(x, y, n * sizeof *x);
    bool is = on_codes(m, op);
    sinter_model_free(m);
    free(x);
    free(y);
    return is;
}

/* ---- a product ---- */

/* 518 weights of 127 and one: of |w| they come to 65786 and that, and with data
 * of up to 255 steps to 2^24 - 1 for 7. */
enum { K = 519, NROW = 40 };

typedef struct Product {
    const char *x, *w, *bias, *y; /* types; the bias with its data */
    int last;                     /* weight */
    bool exact;
} Product;

static const char *
product(SnArena *a, const Product *p)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b, "sinter-graph 1\ngraph \"p\" {\n");
    sn_putf(&b, "  %%x = Placeholder() : f32[%d,%d]\n", NROW, K);
    sn_putf(&b, "  %%xq = Quantize(%%x) : qi8<%s>[%d,%d]\n", p->x, NROW, K);
    sn_putf(&b, "  %%xd = Dequantize(%%xq) : f32[%d,%d]\n", NROW, K);
    sn_putf(&b, "  %%w = Constant() {data = [");
    for (int i = 0; i < K; i++)
        sn_putf(&b, "%s%d", i ? ", " : "",
                i + 1 < K ? 127 - 254 * (i % 3 == 0) : p->last);
    sn_putf(&b, "]} : qi8<%s>[1,%d]\n", p->w, K);
    sn_putf(&b, "  %%wd = Dequantize(%%w) : f32[1,%d]\n", K);
    if (p->bias)
        sn_putf(&b, "  %%b = Constant() {data = [%s[1]\n", p->bias);
    if (p->bias && strstr(p->bias, "qi32"))
        sn_putf(&b, "  %%bd = Dequantize(%%b) : f32[1]\n");
    sn_putf(&b, "  %%f = FullyConnected(%%xd, %%wd%s) : f32[%d,1]\n",
            !p->bias                  ? ""
            : strstr(p->bias, "qi32") ? ", %bd"
                                      : ", %b",
            NROW);
    sn_putf(&b, "  %%q = Quantize(%%f) : qi8<%s>[%d,1]\n", p->y, NROW);
    sn_putf(&b, "  %%d = Dequantize(%%q) : f32[%d,1]\n", NROW);
    sn_putf(&b, "  Save(%%d) {name = \"out\"}\n}\n");
    return sn_buf_str(&b);
}

static void
test_product(void **state)
{
    static const Product tried[] = {
        {"0.25, -128", "0.5, 0", NULL, "512, 3", 7, true},
        {"0.25, -128", "0.5, 0", NULL, "512, 3", 8, false}, /* 2^24 + 254 */
        {"0.25, 127", "0.5, 0", NULL, "512, 3", -7, true},
        {"0.25, 0", "0.5, 0", NULL, "512, 3", 127, true}, /* 128 steps */
        /* the bias is a step, and two */
        {"0.25, -128", "0.5, 0", "0.125]} : f32", "512, 3", 7, true},
        {"0.25, -128", "0.5, 0", "-0.25]} : f32", "512, 3", 7, false},
        {"0.25, -128", "0.5, 0", "0.1]} : f32", "512, 3", 1, false},
        {"0.25, -128", "0.5, 0", "1]} : qi32<0.125, 0>", "512, 3", 7, true},
        {"0.25, -128", "0.5, 0", "2]} : qi32<0.125, 0>", "512, 3", 7, false},
        {"0.25, -128", "0.5, 0", "4]} : qi32<0.25, 0>", "512, 3", 1, true},
        {"0.25, -128", "0.5, 0", "40]} : qi32<0.3, 0>", "512, 3", 1, false},
        /* steps of three: a third of the sums */
        {"0.75, 0", "0.5, 0", NULL, "1536, 3", 7, false},
        {"0.25, -128", "0.5, 0", NULL, "513, 3", 7, false}, /* the ratio */
        {"0.3, -128", "0.5, 0", NULL, "512, 3", 7, false},
        {"0.25, -128", "0.01, 0", NULL, "16, 3", 7, false},
    };
    static float x[NROW * K];
    const void *in[] = {x};

    (void)state;
    for (int i = 0; i < NROW * K; i++)
        x[i] = (float)(i * 7919 % 1021 - 510) * 0.1F;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        SnArena *a = sn_arena_new();
        bool is = same_and_on_codes(product(a, &tried[i]), "FullyConnected(",
                                    in, NROW);
        if (is != tried[i].exact || nnote != !tried[i].exact)
            fail_msg("product %zu: on codes %d, %u notes", i, is, nnote);
        if (nnote)
            assert_string_equal(noted,
                                "sum 'f': adds up reals in an order of its "
                                "own");
        sn_arena_free(a);
    }
}

/* A few steps of three are not too many. */
static void
test_odd_step(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"p\" {\n"
        "  %x = Placeholder() : f32[1,4]\n"
        "  %xq = Quantize(%x) : qi8<0.75, 5>[1,4]\n"
        "  %xd = Dequantize(%xq) : f32[1,4]\n"
        "  %w = Constant() {data = [1, -3, 100, 7, 2, 2, -2, 2]} : "
        "qi8<0.5, 0>[2,4]\n"
        "  %wd = Dequantize(%w) : f32[2,4]\n"
        "  %f = FullyConnected(%xd, %wd) : f32[1,2]\n"
        "  %r = Relu(%f) : f32[1,2]\n"
        "  %q = Quantize(%r) : qi8<3, -7>[1,2]\n"
        "  %d = Dequantize(%q) : f32[1,2]\n"
        "  Save(%d) {name = \"out\"}\n"
        "}\n";
    const float x[4] = {1, 2, -3, 40};
    const void *in[] = {x};

    (void)state;
    assert_true(same_and_on_codes(text, "FullyConnected(", in, 2));
    assert_int_equal(nnote, 0);
}

/* ---- points ---- */

static const char *
point(SnArena *a, const char *op, const char *y)
{
    return sn_format(a,
                     "sinter-graph 1\n"
                     "graph \"p\" {\n"
                     "  %%x = Placeholder() : f32[256,1]\n"
                     "  %%z = Placeholder() : f32[1,256]\n"
                     "  %%xq = Quantize(%%x) : qi8<0.0123, 11>[256,1]\n"
                     "  %%zq = Quantize(%%z) : qi8<0.031, -20>[1,256]\n"
                     "  %%xd = Dequantize(%%xq) : f32[256,1]\n"
                     "  %%zd = Dequantize(%%zq) : f32[1,256]\n"
                     "  %%p = %s(%%xd, %%zd) : f32[256,256]\n"
                     "  %%q = Quantize(%%p) : qi8<%s>[256,256]\n"
                     "  %%d = Dequantize(%%q) : f32[256,256]\n"
                     "  Save(%%d) {name = \"out\"}\n"
                     "}\n",
                     op, y);
}

/* Each code with each. */
static void
test_points(void **state)
{
    static const char *const op[] = {"Add", "Sub", "Mul", "Max"};
    SnArena *a = sn_arena_new();
    float x[256], z[256];
    const void *in[] = {x, z};

    (void)state;
    for (int i = 0; i < 256; i++) {
        x[i] = 0.0123F * (float)(i - 128 - 11);
        z[i] = 0.031F * (float)(i - 128 + 20);
    }
    for (int i = 0; i < 4; i++) {
        const char *name = sn_format(a, "%s(", op[i]);
        bool is =
            same_and_on_codes(point(a, op[i], "0.0277, 3"), name, in, 65536);
        if (!is)
            fail_msg("%s is not on codes", op[i]);
        assert_int_equal(nnote, 0);
    }
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_odd_step),
        cmocka_unit_test(test_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
