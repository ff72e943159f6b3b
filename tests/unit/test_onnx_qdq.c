// SPDX-License-Identifier: Apache-2.0
/* Models of QuantizeLinear and DequantizeLinear whose operators stand between
 * moves once they are imported: all of them become nodes of codes, every
 * rewrite on the way is run before and after. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "quant/island.h"
#include "rewrite/rewrite.h"
#include "sn_kinds.h"
#include "unit/onnx_text.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3 };

/* ---- models ---- */

static void
scales(const char *name, float v)
{
    uint8_t z = 128;

    ob_init(b, name, FLOAT, "", &v, sizeof v);
    ob_init(b, sn_format(a, "%s.z", name), UINT8, "", &z, 1);
}

/* A model from x to y, whose values are pairs at scales s (0.05) and t. */
static void
start(const char *xdims, const char *ydims, float t)
{
    b = ob_new(a, 13);
    ob_input(b, "x", xdims);
    ob_output(b, "y", ydims);
    scales("s", 0.05F);
    scales("t", t);
}

/* `to` is `from` once it has been quantized and dequantized. */
static void
pair(const char *from, const char *scale, const char *to)
{
    const char *q = sn_format(a, "%s.codes", to);

    ob_node(b, "QuantizeLinear", sn_format(a, "%s %s %s.z", from, scale, scale),
            q);
    ob_node(b, "DequantizeLinear", sn_format(a, "%s %s %s.z", q, scale, scale),
            to);
}

/* Codes 1, 2, 3, ... with a scale for each of nscale slices of the axis. */
static void
weights(const char *name, const char *dims, int nscale, int64_t axis)
{
    const char *codes = sn_format(a, "%s.codes", name);
    const char *scale = sn_format(a, "%s.scale", name);
    const char *zero = sn_format(a, "%s.zero", name);
    const char *one = nscale > 1 ? sn_format(a, "%d", nscale) : "";
    float *s = SN_NEW_N(a, float, nscale);
    int8_t *w, *z = SN_NEW_N(a, int8_t, nscale);
    Onnx__TensorProto *t = ob_init(b, codes, INT8, dims, "", 0);
    size_t n = 1;

    for (size_t i = 0; i < t->n_dims; i++)
        n *= (size_t)t->dims[i];
    w = SN_NEW_N(a, int8_t, n);
    for (size_t i = 0; i < n; i++)
        w[i] = (int8_t)(i % 100 + 1);
    for (int i = 0; i < nscale; i++)
        s[i] = 0.001F * (float)(i + 1);
    t->raw_data.len = n;
    t->raw_data.data = (uint8_t *)w;
    ob_init(b, scale, FLOAT, one, s, (size_t)nscale * sizeof *s);
    ob_init(b, zero, INT8, one, z, (size_t)nscale);
    ob_int(b,
           ob_node(b, "DequantizeLinear",
                   sn_format(a, "%s %s %s", codes, scale, zero), name),
           "axis", axis);
}

static void
conv1d(const char *x, const char *w, const char *y)
{
    static const int64_t pads[] = {1, 1};

    ob_list(b, ob_node(b, "Conv", sn_format(a, "%s %s", x, w), y), "pads", 2,
            pads);
}

static void
picture_of_one_dimension(void)
{
    start("1x2x8", "1x3x8", 0.02F);
    pair("x", "s", "x1");
    weights("w", "3x2x3", 3, 0);
    conv1d("x1", "w", "c");
    pair("c", "t", "y");
}

/* Two of them, a Relu, a sum with what is before the second and a Concat. */
static void
residual_of_one_dimension(void)
{
    start("1x2x8", "1x4x8", 0.02F);
    pair("x", "s", "x1");
    weights("w", "2x2x3", 2, 0);
    weights("v", "2x2x3", 1, 0);
    conv1d("x1", "w", "c");
    ob_node(b, "Relu", "c", "r");
    pair("r", "t", "r1");
    conv1d("r1", "v", "d");
    pair("d", "t", "d1");
    ob_node(b, "Add", "d1 r1", "e");
    pair("e", "t", "e1");
    ob_int(b, ob_node(b, "Concat", "e1 r1", "f"), "axis", 1);
    pair("f", "t", "y");
}

static void
product_by_one_scale(void)
{
    start("1x4x8", "1x4x3", 0.02F);
    pair("x", "s", "x1");
    weights("w", "8x3", 1, 0);
    ob_node(b, "MatMul", "x1 w", "m");
    pair("m", "t", "y");
}

static void
product_by_columns(void)
{
    start("1x4x8", "1x4x3", 0.02F);
    pair("x", "s", "x1");
    weights("w", "8x3", 3, 1);
    weights("b", "3", 1, 0);
    ob_node(b, "MatMul", "x1 w", "m");
    pair("m", "t", "m1");
    ob_node(b, "Add", "m1 b", "n");
    pair("n", "t", "y");
}

/* x times its sigmoid, whose scale is not the one that Sigmoid fixes. */
static void
gate_off_the_grid(void)
{
    start("1x2x8", "1x2x8", 0.0035F);
    pair("x", "s", "x1");
    ob_node(b, "Sigmoid", "x1", "g");
    pair("g", "t", "g1");
    ob_node(b, "Mul", "x1 g1", "m");
    pair("m", "t", "y");
}

/* ---- what they become ---- */

typedef struct Case {
    const char *name;
    void (*build)(void);
    SnKind kind; /* so many of these, */
    uint32_t n;
    uint32_t nmove; /* and so many Transposes and Reshapes */
} Case;

static uint32_t
count(const SnGraph *g, SnKind kind)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += g->node[id] && !sn_node(g, id)->dead &&
             sn_node(g, id)->kind == kind;
    return n;
}

static void
all_is_codes(void **state)
{
    static const Case cases[] = {
        {"picture", picture_of_one_dimension, SN_K_CHANNELWISE_CONV2D, 1, 4},
        {"residual", residual_of_one_dimension, SN_K_ADD, 1, 4},
        {"product", product_by_one_scale, SN_K_MAT_MUL, 1, 0},
        {"columns", product_by_columns, SN_K_ROWWISE_QUANTIZED_FULLY_CONNECTED,
         1, 2},
        {"gate", gate_off_the_grid, SN_K_SCALED_SIGMOID, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        SnRewriteOpts o = sn_rewrite_defaults;
        SnIslands f;
        SnGraph *g;
        c->build();
        if (import_as(NULL, &g) != SN_OK)
            fail_msg("%s: %s", c->name, sn_diag_text(d, a));
        o.check_passes = o.verify = true;
        SnRewriter *rw = sn_rewriter_new(a, &o, d);
        sn_record_declined(rw, true);
        if (sn_rewrite(rw, g, "optimize") != SN_OK ||
            sn_floats_left(a, g, rw, &o, NULL, d, &f) != SN_OK)
            fail_msg("%s: %s", c->name, sn_diag_text(d, a));
        if (f.n)
            fail_msg("%s: %s: %s", c->name, f.node[0].node, f.node[0].why);
        if (count(g, c->kind) != c->n)
            fail_msg("%s: %u of the kind", c->name, count(g, c->kind));
        assert_int_equal(count(g, SN_K_QUANTIZE), 1);
        assert_int_equal(count(g, SN_K_DEQUANTIZE), 1);
        uint32_t nmove = count(g, SN_K_TRANSPOSE) + count(g, SN_K_RESHAPE);
        if (nmove != c->nmove)
            fail_msg("%s: %u moves", c->name, nmove);
    }
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(all_is_codes, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
