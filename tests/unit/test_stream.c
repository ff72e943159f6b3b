// SPDX-License-Identifier: Apache-2.0
/* Streams: attention on reals and on codes, with masks, runs block by block and
 * gives the bits that its nodes give one after the other by evaluators, on
 * every instruction set, on one thread and on teams; what may not be a stream
 * is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernel/isa.h"
#include "run/exec.h"
#include "unit/parse.h"

typedef struct Case {
    const char *name;
    uint32_t nstep; /* of the one stream; 0: there is none */
    int64_t nblock;
    const char *body;
} Case;

#define QKV(T)                                 \
    "  %q = Placeholder() : " T "[6,256,16]\n" \
    "  %k = Placeholder() : " T "[6,256,16]\n" \
    "  %v = Placeholder() : " T "[6,256,16]\n"
#define SCORES(T) "  %s = MatMul(%q, %k) {trans_b = true} : " T "[6,256,256]\n"
#define SOFT(x, T) "  %p = Softmax(%" x ") : " T "[6,256,256]\n"
#define SAVE(T, d) "  %r = " T "(%y) : f32[" d "]\n  Save(%r) {name = \"y\"}\n"
#define ODD(T)                                 \
    "  %q = Placeholder() : " T "[6,196,16]\n" \
    "  %k = Placeholder() : " T "[6,196,16]\n" \
    "  %v = Placeholder() : " T "[6,196,16]\n" \
    "  %s = MatMul(%q, %k) {trans_b = true} : " T "[6,196,196]\n"
#define Q8 "qi8<0.05, 3>"
#define PROBABILITY "qi8<0.00390625, -128>"

static const Case cases[] = {
    {"reals", 4, 6,
     QKV("f32") SCORES("f32") "  %c = Constant() {data = [0.25]} : f32[1]\n"
                              "  %t = Mul(%s, %c) : f32[6,256,256]\n" SOFT(
                                  "t", "f32") "  %y = MatMul(%p, %v) : "
                                              "f32[6,256,16]\n" SAVE(
                                                  "Abs", "6,256,16")},
    {"reals, a mask of each row", 5, 6,
     QKV("f32") "  %m = Placeholder() : f32[256,256]\n" SCORES(
         "f32") "  %c = Constant() {data = [0.25]} : f32[1]\n"
                "  %t = Mul(%s, %c) : f32[6,256,256]\n"
                "  %u = Add(%t, %m) : f32[6,256,256]\n" SOFT(
                    "u", "f32") "  %y = MatMul(%p, %v) : "
                                "f32[6,256,16]\n" SAVE("Abs", "6,"
                                                              "256,"
                                                              "1"
                                                              "6")},
    {"reals, padding", 4, 6,
     QKV("f32") "  %m = Placeholder() : f32[1,1,256]\n" SCORES(
         "f32") "  %u = Add(%s, %m) : f32[6,256,256]\n" SOFT("u",
                                                             "f32") "  %y "
                                                                    "= "
                                                                    "MatMul"
                                                                    "(%p,"
                                                                    " %v) "
                                                                    ": "
                                                                    "f32[6,"
                                                                    "256,"
                                                                    "16]"
                                                                    "\n" SAVE(
                                                                        "Ab"
                                                                        "s",
                                                                        "6,"
                                                                        "25"
                                                                        "6,"
                                                                        "1"
                                                                        "6")},
    {"a length of which 4096 is no multiple", 4, 6,
     ODD("f32") "  %c = Constant() {data = [0.25]} : f32[1]\n"
                "  %t = Mul(%s, %c) : f32[6,196,196]\n"
                "  %p = Softmax(%t) : f32[6,196,196]\n"
                "  %y = MatMul(%p, %v) : f32[6,196,16]\n" SAVE("Abs",
                                                               "6,196,16")},
    {"the same, padding", 4, 6,
     "  %m = Placeholder() : f32[1,1,196]\n" ODD(
         "f32") "  %u = Add(%s, %m) : f32[6,196,196]\n"
                "  %p = Softmax(%u) : f32[6,196,196]\n"
                "  %y = MatMul(%p, %v) : f32[6,196,16]\n" SAVE("Abs",
                                                               "6,196,16")},
    {"the same, a sum of scores", 4, 6,
     "  %m = Placeholder() : f32[6,196,196]\n" ODD(
         "f32") "  %u = Add(%s, %m) : f32[6,196,196]\n"
                "  %p = Softmax(%u) : f32[6,196,196]\n"
                "  %y = MatMul(%p, %v) : f32[6,196,16]\n" SAVE("Abs",
                                                               "6,196,16")},
    {"codes", 5, 6,
     QKV(Q8) SCORES(
         "qi8<0.3, -7>") "  %c = Constant() {data = [64]} : "
                         "qi8<0.00390625, "
                         "0>[1]\n"
                         "  %t = Mul(%s, %c) : qi8<0.08, "
                         "2>[6,256,256]\n" SOFT(
                             "t",
                             PROBABILITY) "  %y = MatMul(%p, %v) : qi8<0.02, "
                                          "-4>[6,256,16]\n" SAVE("Dequantize",
                                                                 "6,256,16")},
    {"codes, a mask of each row", 5, 6,
     QKV(Q8) "  %m = Placeholder() : qi8<0.1, 0>[256,256]\n" SCORES(
         "qi8<0.3, -7>") "  %u = Add(%s, %m) : qi8<0.2, "
                         "2>[6,256,256]\n" SOFT(
                             "u",
                             PROBABILITY) "  %y = MatMul(%p, %v) : qi8<0.02, "
                                          "-4>[6,256,16]\n" SAVE("Dequantize",
                                                                 "6,256,16")},
    {"scores that are an output, too", 4, 6,
     QKV("f32") SCORES(
         "f32") "  %c = Constant() {data = [0.25]} : f32[1]\n"
                "  %t = Mul(%s, %c) : f32[6,256,256]\n" SOFT(
                    "t", "f32") "  Save(%s) {name = \"s\"}\n"
                                "  %y = MatMul(%p, %v) : f32[6,256,16]\n" SAVE(
                                    "Abs", "6,256,16")},
    {"one head's keys for all", 3, 6,
     "  %q = Placeholder() : f32[6,256,16]\n"
     "  %k = Placeholder() : f32[1,256,16]\n"
     "  %v = Placeholder() : f32[1,256,16]\n" SCORES("f32")
         SOFT("s", "f32") "  %y = MatMul(%p, %v) : f32[6,256,16]\n" SAVE(
             "Abs", "6,256,16")},
    {"small scores stay in the cache", 0, 0,
     "  %q = Placeholder() : f32[4,64,16]\n"
     "  %k = Placeholder() : f32[4,64,16]\n"
     "  %s = MatMul(%q, %k) {trans_b = true} : f32[4,64,64]\n"
     "  %y = Softmax(%s) : f32[4,64,64]\n" SAVE("Abs", "4,64,64")},
    {"the product of a stream with itself", 2, 6,
     "  %q = Placeholder() : f32[6,256,16]\n"
     "  %k = Placeholder() : f32[6,256,16]\n" SCORES("f32")
         SOFT("s", "f32") "  %y = MatMul(%p, %p) : f32[6,256,256]\n" SAVE(
             "Abs", "6,256,256")},
    {"columns", 0, 0,
     "  %q = Placeholder() : f32[6,256,16]\n"
     "  %k = Placeholder() : f32[6,256,16]\n" SCORES("f32") "  %y = "
                                                            "Softmax(%s) "
                                                            "{axis = 0} : "
                                                            "f32[6,256,256]"
                                                            "\n" SAVE("Abs",
                                                                      "6,256,"
                                                                      "256")},
};

static SnGraph *
graph(const Case *c)
{
    return parse(sn_format(a, "sinter-graph 1\ngraph \"t\" {\n%s}\n", c->body));
}

/* Numbers of both signs; a mask is 0 or far below in turn. */
static void
fill(const SnExec *x, SnRun *r)
{
    for (uint32_t i = 0; i < x->ninput; i++) {
        int64_t n = sn_shape_count(x->input[i].shape);
        bool mask = x->input[i].name[0] == 'm';
        uint32_t seed = i + 7;
        for (int64_t k = 0; k < n; k++) {
            seed = seed * 1664525u + 1013904223u;
            int v = (int)(seed >> 24) - 128;
            if (mask)
                v = seed >> 30 ? 0 : -128;
            if (x->input[i].type->elem == SN_F32)
                ((float *)sn_run_input(r, i))[k] = (float)v * 0.05f;
            else
                ((int8_t *)sn_run_input(r, i))[k] = (int8_t)v;
        }
    }
}

static const void *
output(const SnExec *x, SnRun *r, size_t *n)
{
    const SnPort *p = &x->output[x->noutput - 1];

    fill(x, r);
    if (sn_run(r) != SN_OK)
        fail_msg("%s", r->why);
    *n = sn_tensor_nbyte(p->type, p->shape);
    return sn_memdup(a, sn_run_output(r, x->noutput - 1), *n);
}

static void
check_found(const Case *c, const SnExec *x)
{
    uint32_t nstream = 0;

    for (uint32_t i = 0; i < x->nstep; i++)
        if (x->step[i].nstream > 1) {
            nstream++;
            if (x->step[i].nstream != c->nstep ||
                x->step[i].nblock != c->nblock)
                fail_msg("%s: %u steps in %d blocks", c->name,
                         (unsigned)x->step[i].nstream, (int)x->step[i].nblock);
        }
    if (nstream != (c->nstep > 0))
        fail_msg("%s: %u streams", c->name, (unsigned)nstream);
}

static void
check_case(const Case *c)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    const SnExec *x;
    size_t n, m;

    assert_int_equal(sn_exec_prepare(a, graph(c), NULL, d, &x), SN_OK);
    const void *want = output(x, sn_run_new(a, x), &n);
    for (int isa = 0; isa < SN_NISA; isa++) {
        if (!sn_isa_have((SnIsa)isa))
            continue;
        assert_true(sn_isa_set((SnIsa)isa));
        assert_int_equal(sn_exec_prepare_fast(a, graph(c), cpu, d, &x), SN_OK);
        check_found(c, x);
        for (unsigned t = 1; t < 8; t += t < 4 ? 1 : 3) {
            SnRun *r = t < 4 ? sn_run_team(a, x, t) : sn_run_parts(a, x, t);
            const void *y = output(x, r, &m);
            assert_int_equal(m, n);
            if (memcmp(y, want, n))
                fail_msg("%s differs on %s, %u threads", c->name,
                         sn_isa_name((SnIsa)isa), t);
            sn_run_free(r);
        }
    }
    assert_true(sn_isa_set(sn_isa_best()));
}

static void
streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&cases[i]);
        sn_arena_clear(a);
        d = sn_diag_new(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
