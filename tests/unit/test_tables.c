// SPDX-License-Identifier: Apache-2.0
/* The pass `tables`: what becomes one, what does not, and that all 256 codes
 * give what they gave. */
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

enum { NCODE = 256 };

typedef struct Case {
    const char *name;
    uint32_t ntable; /* LookupTables, */
    uint32_t nother; /* and other nodes that compute */
    const char *body;
} Case;

#define X "  %x = Placeholder() : qi8<0.05, 3>[256]\n"
#define Y "  Save(%y) {name = \"y\"}\n"

static const Case cases[] = {
    {"gate", 1, 0,
     X "  %s = ScaledSigmoid(%x) : qi8<0.0035, -128>[256]\n"
       "  %y = Mul(%x, %s) : qi8<0.03, -100>[256]\n" Y},
    {"reals", 1, 0,
     X "  %d = Dequantize(%x) : f32[256]\n"
       "  %f = Floor(%d) : f32[256]\n"
       "  %y = Quantize(%f) : qi8<0.1, 0>[256]\n" Y},
    {"chain of numbers", 1, 0,
     X "  %k = Constant() {data = [70]} : qi8<0.02, 0>[1]\n"
       "  %a = Add(%x, %k) {clamp = [-100, 90]} : qi8<0.05, 7>[256]\n"
       "  %b = Mul(%a, %a) : qi8<0.2, -128>[256]\n"
       "  %c = Div(%b, %k) : qi8<0.4, 1>[256]\n"
       "  %y = Rescale(%c) : qi8<0.5, 0>[256]\n" Y},
    {"an inner one is read", 2, 0,
     X "  %s = Tanh(%x) : qi8<0.0078125, 0>[256]\n"
       "  %z = Abs(%s) : qi8<0.01, 0>[256]\n"
       "  %y = Mul(%x, %z) : qi8<0.03, -100>[256]\n"
       "  Save(%z) {name = \"z\"}\n" Y},
    {"one node and a number", 1, 0,
     X "  %k = Constant() {data = [70]} : qi8<0.02, 0>[1]\n"
       "  %y = Div(%k, %x) : qi8<0.03, -100>[256]\n" Y},
    {"one node is a table already", 0, 1,
     X "  %y = Swish(%x) : qi8<0.03, -100>[256]\n" Y},
    {"two values", 0, 2,
     X "  %u = Placeholder() : qi8<0.05, 3>[256]\n"
       "  %s = Relu(%u) : qi8<0.05, 3>[256]\n"
       "  %y = Mul(%x, %s) : qi8<0.03, -100>[256]\n" Y},
    {"another shape", 0, 2,
     X "  %k = Constant() {data = [70, 3]} : qi8<0.02, 0>[2,1]\n"
       "  %s = Relu(%x) : qi8<0.05, 3>[256]\n"
       "  %y = Mul(%s, %k) : qi8<0.03, -100>[2,256]\n" Y},
    {"an axis of one slice", 0, 2,
     "  %x = Constant() {data = [7, -76]} : qi8<axis=0, [0.125], [0]>[1,2]\n"
     "  %d = Dequantize(%x) : f32[1,2]\n"
     "  %y = Quantize(%d) : qi8<0.0004, 125>[1,2]\n" Y},
    {"reals are no codes", 0, 2,
     X "  %d = Dequantize(%x) : f32[256]\n"
       "  %y = Exp(%d) : f32[256]\n" Y},
};

static SnGraph *
graph(const Case *c)
{
    SnBuf t;

    sn_buf_init(&t, a);
    sn_putf(&t, "sinter-graph 1\ngraph \"t\" {\n%s}\n", c->body);
    return parse(sn_buf_str(&t));
}

/* All codes in, the bytes of the last output out. */
static const void *
outputs(SnGraph *g, size_t *nbyte)
{
    const SnExec *x;
    SnRun *r;

    if (sn_exec_prepare_fast(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    r = sn_run_new(a, x);
    for (uint32_t i = 0; i < x->ninput; i++)
        for (int k = 0; k < NCODE; k++)
            ((int8_t *)sn_run_input(r, i))[k] = (int8_t)(i ? 11 * k : k - 128);
    if (sn_run(r) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    const SnPort *p = &x->output[x->noutput - 1];
    *nbyte = sn_tensor_nbyte(p->type, p->shape);
    return sn_run_output(r, x->noutput - 1);
}

static void
codes_give_what_they_gave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        SnRewriteOpts o = sn_rewrite_defaults;
        SnGraph *g = graph(c);
        uint32_t ntable = 0, nother = 0;
        size_t n, m;
        const void *want = outputs(graph(c), &n), *got;
        o.verify = true;
        o.backend = sn_backend_named("CPU");
        if (sn_rewrite(sn_rewriter_new(a, &o, d), g, "tables") != SN_OK)
            fail_msg("%s: %s", c->name, sn_diag_text(d, a));
        for (SnId id = 1; id < g->nnode; id++) {
            const SnNode *k = g->node[id];
            if (!k || k->dead || k->data || k->nin == 0 || k->nres == 0)
                continue;
            ntable += k->kind == SN_K_LOOKUP_TABLE;
            nother += k->kind != SN_K_LOOKUP_TABLE;
        }
        if (ntable != c->ntable || nother != c->nother)
            fail_msg("%s: %u tables, %u others", c->name, ntable, nother);
        got = outputs(g, &m);
        assert_int_equal(n, m);
        if (memcmp(want, got, n) != 0)
            fail_msg("%s: other codes", c->name);
    }
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(codes_give_what_they_gave, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
