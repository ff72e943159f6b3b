// SPDX-License-Identifier: Apache-2.0
/* The provider in a runtime of our own (fake.h), for what ONNX Runtime does not
 * do at will: options that are wrong, attributes that cannot be read, threads
 * that fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ep/fake.h"

static OrtFactory *
factory(void)
{
    OrtStatus *s;
    OrtFactory *f = fake_factory(&s);

    assert_null(s);
    return f;
}

/* ---- options ---- */

/* What is said of this value of an option; "": it is taken. */
static const char *
said(const char *key, const char *value)
{
    static char text[256];
    OrtFactory *f = factory();
    OrtEp *ep;

    fake_option(key, value);
    OrtStatus *s = f->create(f, NULL, NULL, 0, NULL, NULL, &ep);
    snprintf(text, sizeof text, "%s", s ? fake_text(s) : "");
    if (s)
        fake_release(s);
    else
        f->release(f, ep);
    fake_option(key, NULL);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, 0);
    return text;
}

static void
test_options(void **state)
{
    static const struct {
        const char *key, *good, *bad, *why;
    } tried[] = {
        {"sinter.bits", "contract", "contrast", "option bits is neither"},
        /* Longer than any value that is known. */
        {"sinter.bits", "same", "contract, and much more", "option bits is"},
        {"sinter.pool", "onnxruntime", "theirs", "option pool is neither"},
        {"sinter.pool", "sinter", "sinter ", "option pool is neither"},
        {"sinter.threads", "64", "65", "option threads is not a number"},
        {"sinter.threads", "1", "-1", "option threads is not a number"},
        {"sinter.threads", "2", "2x", "option threads is not a number"},
        {"sinter.shapes", "1024", "1025", "option shapes is not a number"},
        {"sinter.shapes", "1", "0", "option shapes is not a number"},
        {"sinter.small", "1", "yes", "option small is neither"},
        {"sinter.quantize", "", "/none", "option quantize is not the path"},
        {"context_enable", "0", "true", "ep.context_enable is neither"},
        {"context_node_name_prefix", "a_", "a/b", "or holds a '/'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        assert_string_equal(said(tried[i].key, NULL), "");
        assert_string_equal(said(tried[i].key, tried[i].good), "");
        const char *text = said(tried[i].key, tried[i].bad);
        assert_non_null(strstr(text, tried[i].why));
        assert_int_equal(strncmp(text, "sinter: ", 8), 0);
    }
}

/* ---- graphs ---- */

/* Why a node with that attribute is not claimed. */
static const char *
why_not(const OrtOpAttr *attr)
{
    const OrtNode n = {.op = "x", .attr = attr};
    const OrtGraph g = {.nnode = 1, .node = {&n}};
    OrtFactory *f = factory();
    OrtEp *ep;

    fake_option("sinter.bits", "contract");
    fake.logged[0] = '\0';
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &g, NULL));
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, 0);
    return fake.logged;
}

static void
test_graphs(void **state)
{
    const OrtValueInfo strings = {.name = "s", .type = 8};
    const OrtOpAttr of_strings = {
        .name = "value", .type = ORT_A_TENSOR, .tensor = &strings};
    const OrtOpAttr of_nothing = {.name = "axis", .type = ORT_A_INT};

    (void)state;
    assert_string_equal(why_not(&of_strings), "sinter: node #0 '' (x) is not "
                                              "claimed: a constant of strings");
    assert_string_equal(why_not(&of_nothing),
                        "sinter: node #0 '' (x) is not claimed: an attribute "
                        "without its value");
}

/* ---- threads of the runtime ---- */

enum { ROWS = 256, DEEP = 256, WIDE = 192 };
static float weight[DEEP * WIDE], pixel[ROWS * DEEP];
static const OrtValueInfo x = {.name = "x", 1, 2, {ROWS, DEEP}, NULL, 0},
                          w = {"w", 1, 2, {DEEP, WIDE}, weight, sizeof weight},
                          y = {.name = "y", 1, 2, {ROWS, WIDE}, NULL, 0};
static const OrtNode product = {"MatMul", 2, 1, {&x, &w}, {&y}, NULL};
static const OrtNode fused = {"f", 1, 1, {&x}, {&y}, NULL};
static const OrtGraph graph = {1, 1, {&product}, {&y}};

/* Runs it once more with those threads. */
static OrtStatus *
multiply(const char *pool, FakePool how, float *out)
{
    OrtFactory *f = factory();
    const OrtGraph *g = &graph;
    const OrtNode *node = &fused;
    OrtContext k = {.in = {x}, .out = {y}};
    OrtCompute *c;
    OrtEp *ep;

    fake_option("sinter.bits", "contract");
    fake_option("sinter.pool", pool);
    fake_option("sinter.threads", "5");
    fake.nlent = 0;
    fake.pool = how;
    k.in[0].data = pixel;
    k.out[0].data = out;
    k.out[0].nbyte = sizeof(float) * ROWS * WIDE;
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &graph, NULL));
    assert_null(ep->compile(ep, &g, &node, 1, &c, NULL));
    OrtStatus *s = c->compute(c, NULL, &k);
    for (int i = 0; i < 3 && !s; i++) /* memory is there now */
        s = c->compute(c, NULL, &k);
    ep->release_computes(ep, &c, 1);
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, s != NULL);
    return s;
}

static void
assert_says(OrtStatus *s, const char *text)
{
    assert_non_null(s);
    assert_non_null(strstr(fake_text(s), text));
    fake_release(s);
}

static void
test_pool(void **state)
{
    static float own[ROWS * WIDE], lent[ROWS * WIDE];

    (void)state;
    for (int i = 0; i < DEEP * WIDE; i++)
        weight[i] = (float)(i * 31 % 97 - 48) * 0.37F;
    for (int i = 0; i < ROWS * DEEP; i++)
        pixel[i] = (float)(i * 17 % 89 - 44) * 0.11F;
    assert_null(multiply("sinter", FAKE_RUNS, own));
    assert_int_equal(fake.nlent, 0);
    assert_null(multiply("onnxruntime", FAKE_RUNS, lent));
    assert_int_equal(fake.nlent, 4 * 5);
    assert_memory_equal(own, lent, sizeof own);
    assert_says(multiply("onnxruntime", FAKE_FAILS, lent), "no threads today");
    assert_says(multiply("onnxruntime", FAKE_DROPS, lent),
                "pool: did not run each of 5 parts once before it returned");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_pool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
