// SPDX-License-Identifier: Apache-2.0
/* The pass `chains`: how many Transposes and Reshapes are left, and that every
 * element comes to where it came. */
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
    uint32_t nturn, nshape; /* Transposes and Reshapes left */
    const char *body;
} Case;

#define X(d) "  %x = Placeholder() : i8[" d "]\n"
#define T(y, x, p, d) \
    "  %" y " = Transpose(%" x ") {perm = [" p "]} : i8[" d "]\n"
#define R(y, x, d) "  %" y " = Reshape(%" x ") {dims = [" d "]} : i8[" d "]\n"
#define Y(y) "  Save(%" y ") {name = \"" y "\"}\n"

static const Case cases[] = {
    {"channels are shuffled", 1, 2,
     X("2,3,5,12") T("a", "x", "0,3,1,2", "2,12,3,5") R("b", "a", "2,4,3,3,5")
         T("c", "b", "0,2,1,3,4", "2,3,4,3,5") R("e", "c", "2,12,3,5")
             T("y", "e", "0,2,3,1", "2,3,5,12") Y("y")},
    {"there and back", 0, 0,
     X("2,3,4") T("a", "x", "1,2,0", "3,4,2") R("b", "a", "12,2")
         T("c", "b", "1,0", "2,12") R("y", "c", "2,3,4") Y("y")},
    {"only another shape", 0, 1,
     X("2,3,4") T("a", "x", "1,2,0", "3,4,2") R("b", "a", "12,2")
         T("y", "b", "1,0", "2,12") Y("y")},
    {"parts of parts", 1, 2,
     X("24,2") T("a", "x", "1,0", "2,24") R("b", "a", "2,2,3,4")
         T("c", "b", "0,3,1,2", "2,4,2,3") R("y", "c", "4,2,6") Y("y")},
    {"dimensions of 1", 1, 2,
     X("1,6,1,2") T("a", "x", "3,0,2,1", "2,1,1,6") R("b", "a", "2,3,1,2,1")
         T("y", "b", "1,2,0,4,3", "3,1,2,1,2") Y("y")},
    {"no common part", 2, 1,
     X("4,6") T("a", "x", "1,0", "6,4") R("b", "a", "8,3")
         T("y", "b", "1,0", "3,8") Y("y")},
    {"read between", 2, 1,
     X("4,6") T("a", "x", "1,0", "6,4") R("b", "a", "2,3,4")
         T("y", "b", "0,2,1", "2,4,3") Y("b") Y("y")},
    {"one alone", 1, 1,
     X("4,6") T("a", "x", "1,0", "6,4") R("y", "a", "24") Y("y")},
};

static SnGraph *
graph(const Case *c)
{
    SnBuf t;

    sn_buf_init(&t, a);
    sn_putf(&t, "sinter-graph 1\ngraph \"t\" {\n%s}\n", c->body);
    return parse(sn_buf_str(&t));
}

/* The last output. */
static const void *
output(SnGraph *g, const SnBackendDesc *b, size_t *n)
{
    const SnExec *x;

    if (sn_exec_prepare_fast(a, g, b, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    SnRun *r = sn_run_new(a, x);
    const SnPort *p = &x->output[x->noutput - 1];
    *n = (size_t)sn_shape_count(x->input[0].shape);
    for (size_t k = 0; k < *n; k++)
        ((int8_t *)sn_run_input(r, 0))[k] = (int8_t)(k * 7);
    if (sn_run(r) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return sn_memdup(a, sn_run_output(r, x->noutput - 1),
                     sn_tensor_nbyte(p->type, p->shape));
}

static void
elements_come_where_they_came(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SnRewriteOpts o = sn_rewrite_defaults;
        SnGraph *g = graph(&cases[i]);
        uint32_t nturn = 0, nshape = 0;
        size_t n;
        const void *want = output(graph(&cases[i]), NULL, &n);
        o.verify = true;
        o.backend = sn_backend_named("CPU");
        if (sn_rewrite(sn_rewriter_new(a, &o, d), g, "chains") != SN_OK)
            fail_msg("%s: %s", cases[i].name, sn_diag_text(d, a));
        for (SnId id = 1; id < g->nnode; id++)
            if (g->node[id] && !g->node[id]->dead) {
                nturn += g->node[id]->kind == SN_K_TRANSPOSE;
                nshape += g->node[id]->kind == SN_K_RESHAPE;
            }
        if (nturn != cases[i].nturn || nshape != cases[i].nshape)
            fail_msg("%s: %u Transposes, %u Reshapes", cases[i].name, nturn,
                     nshape);
        for (int k = 0; k < 2; k++)
            if (memcmp(want, output(g, k ? o.backend : NULL, &n), n) != 0)
                fail_msg("%s: other elements", cases[i].name);
    }
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(elements_come_where_they_came, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
