// SPDX-License-Identifier: Apache-2.0
/* The pass `beside`: what is joined, what is not, and that no bit changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "unit/parse.h"

typedef struct Case {
    const char *name;
    uint32_t nproduct, nother; /* FullyConnected, and others but Slices */
    uint32_t nmatrix;          /* Constants of rank 2 */
    const char *body;
} Case;

#define X "  %x = Placeholder() : f32[1,3]\n"
#define W                                                            \
    "  %w = Constant() {data = [1, 2, 3, -4, 5, 0.5]} : f32[2,3]\n"  \
    "  %u = Constant() {data = [0.1, -7, 3]} : f32[1,3]\n"           \
    "  %v = Constant() {data = [3, 2, -1, 0, 0.25, 9]} : f32[2,3]\n" \
    "  %b = Constant() {data = [10, -20]} : f32[2]\n"
#define P(y, x, w, n) \
    "  %" y " = FullyConnected(%" x ", %" w ") : f32[1," n "]\n"
#define S(y) "  Save(%" y ") {name = \"" y "\"}\n"

static const Case cases[] = {
    {"two products", 1, 0, 1,
     X W P("p", "x", "w", "2") P("q", "x", "u", "1") S("p") S("q")},
    {"gates", 2, 4, 1,
     X W "  %z = Placeholder() : f32[1,3]\n" /* two sums, each one with a
                                                function of its own */
     P("p", "x", "w", "2") P("q", "x", "u", "1") P("r", "x", "v", "2")
         P("k", "z", "w", "2") P("l", "z", "u", "1")
             P("m", "z", "v", "2") "  %a = Add(%p, %k) : f32[1,2]\n"
                                   "  %c = Add(%q, %l) : f32[1,1]\n"
                                   "  %d = Sub(%r, %m) : f32[1,2]\n"
                                   "  %e = Sigmoid(%a) : f32[1,2]\n"
                                   "  %f = Sigmoid(%c) : f32[1,1]\n"
                                   "  %g = Tanh(%d) : f32[1,2]\n" S("e") S("f")
                                       S("g")},
    {"rows that are read one by one", 1, 1, 1,
     W "  %x = Placeholder() : f32[2,3]\n"
       "  %p = FullyConnected(%x, %w) : f32[2,2]\n"
       "  %q = FullyConnected(%x, %v) : f32[2,2]\n"
       "  %s = Slice(%p) {start = [1,0], size = [1,2], step = [1,1]} :"
       " f32[1,2]\n"
       "  %t = Slice(%q) {start = [1,0], size = [1,2], step = [1,1]} :"
       " f32[1,2]\n"
       "  %e = Relu(%s) : f32[1,2]\n"
       "  %f = Relu(%t) : f32[1,2]\n" S("e") S("f")},
    {"rows that are read at once", 2, 0, 2,
     W "  %x = Placeholder() : f32[2,3]\n"
       "  %p = FullyConnected(%x, %w) : f32[2,2]\n"
       "  %q = FullyConnected(%x, %v) : f32[2,2]\n" S("p") S("q")},
    {"one of them has a bias", 2, 0, 2,
     X W "  %p = FullyConnected(%x, %w, %b) : f32[1,2]\n" P("q", "x", "v", "2")
         S("p") S("q")},
    {"biases", 1, 0, 1,
     X W "  %p = FullyConnected(%x, %w, %b) : f32[1,2]\n"
         "  %q = FullyConnected(%x, %v, %b) : f32[1,2]\n" S("p") S("q")},
    {"one of them is bounded", 2, 0, 2,
     X W "  %p = FullyConnected(%x, %w) {clamp = [0, _]} : f32[1,2]\n" P(
         "q", "x", "v", "2") S("p") S("q")},
    {"attributes differ", 1, 2, 1,
     X W P("p", "x", "w", "2") P(
         "q", "x", "v",
         "2") "  %e = Clip(%p) {low = 0, high = 1} : f32[1,2]\n"
              "  %f = Clip(%q) {low = 0, high = 2} : f32[1,2]\n" S("e") S("f")},
    {"the order of operands differs", 1, 2, 1,
     X W P("p", "x", "w", "2") P("q", "x", "v", "2")
         P("r", "x", "w", "2") "  %e = Sub(%p, %q) : f32[1,2]\n"
                               "  %f = Sub(%r, %q) : f32[1,2]\n" S("e") S("f")},
    {"a number", 1, 1, 1,
     X W "  %one = Constant() {data = [1]} : f32[1,1]\n" P("p", "x", "w", "2")
         P("q", "x", "v", "2") "  %e = Sub(%one, %p) : f32[1,2]\n"
                               "  %f = Sub(%one, %q) : f32[1,2]\n" S("e")
                                   S("f")},
};

static SnGraph *
graph(const Case *c)
{
    SnBuf t;

    sn_buf_init(&t, a);
    sn_putf(&t, "sinter-graph 1\ngraph \"t\" {\n%s}\n", c->body);
    return parse(sn_buf_str(&t));
}

/* All outputs, one after the other. */
static float *
outputs(SnGraph *g, const SnBackendDesc *b, int64_t *n)
{
    const SnExec *x;
    float *v = SN_NEW_N(a, float, 64);
    SnRun *r;

    if (sn_exec_prepare_fast(a, g, b, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    r = sn_run_new(a, x);
    for (uint32_t i = 0; i < x->ninput; i++)
        for (int64_t k = 0; k < sn_shape_count(x->input[i].shape); k++)
            ((float *)sn_run_input(r, i))[k] =
                (float)((5 * k + 3 * i) % 7) / 3 - 1;
    if (sn_run(r) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    *n = 0;
    for (uint32_t i = 0; i < x->noutput; i++) {
        int64_t m = sn_shape_count(x->output[i].shape);
        memcpy(v + *n, sn_run_output(r, i), (size_t)m * sizeof *v);
        *n += m;
    }
    sn_run_free(r);
    return v;
}

static void
count(const SnGraph *g, const Case *c)
{
    uint32_t nproduct = 0, nother = 0, nmatrix = 0;

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *k = g->node[id];
        if (!k || k->dead || k->nres == 0)
            continue;
        if (k->data)
            nmatrix += k->res[0].shape->rank == 2 &&
                       sn_shape_count(k->res[0].shape) > 1;
        else if (k->nin > 0 && k->kind != SN_K_SLICE)
            *(k->kind == SN_K_FULLY_CONNECTED ? &nproduct : &nother) += 1;
    }
    if (nproduct != c->nproduct || nother != c->nother || nmatrix != c->nmatrix)
        fail_msg("%s: %u products, %u others, %u matrices", c->name, nproduct,
                 nother, nmatrix);
}

static void
bits_stay(void **state)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SnRewriteOpts o = sn_rewrite_defaults;
        SnGraph *g = graph(&cases[i]);
        int64_t n, m;
        const float *want = outputs(graph(&cases[i]), NULL, &n);
        o.verify = true;
        o.backend = cpu;
        if (sn_rewrite(sn_rewriter_new(a, &o, d), g, "beside") != SN_OK)
            fail_msg("%s: %s", cases[i].name, sn_diag_text(d, a));
        count(g, &cases[i]);
        for (int k = 0; k < 2; k++) {
            const float *got = outputs(g, k ? cpu : NULL, &m);
            assert_int_equal(n, m);
            assert_memory_equal(want, got, (size_t)n * sizeof *want);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(bits_stay, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
