// SPDX-License-Identifier: Apache-2.0
/* Fences in a run's arena (run/fence.h): every kernel of the CPU backend and
 * every evaluator that random graphs reach is made to write where it must not,
 * once in each way, and each time the run says so.  Runs of many samples,
 * teams and runs that fail go on between fences as without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/shadow.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "random/graph_gen.h"
#include "random/graph_run.h"
#include "run/exec.h"
#include "run/fence.h"

enum { MAXKERNEL = 512, MOST_GRAPHS = 20000 };

static const SnBackendDesc *cpu;

/* ---- a step that strays ---- */

static SnEvalFn *sound;
static int64_t at;    /* where it writes: bytes behind the end of `into` */
static void *into;    /* NULL: the last result with memory */
static size_t length; /* with `into` */

SN_UNCHECKED static void
damage(uint8_t *p)
{
    *p ^= 1;
}

static SnStatus
straying(const SnCall *c)
{
    SnStatus st = sound ? sound(c) : SN_OK;
    uint8_t *p = into;
    size_t n = length;

    for (unsigned i = 0; !into && i < c->nout; i++)
        if (c->out[i].data) {
            p = c->out[i].data;
            n = sn_tensor_nbyte(c->out[i].type, c->out[i].shape);
        }
    damage(p + (int64_t)n + at);
    return st;
}

static void
fill_inputs(SnRun *r, uint64_t seed)
{
    SnGivens in = {.seed = seed};

    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        if (sn_tensor_nbyte(p->type, p->shape))
            sn_givens_fill(&in, p->name, p->type, p->shape, sn_run_input(r, i));
    }
}

/* Step k strays; all before it is as it should be. */
static SnStatus
run_straying(SnRun *r, uint32_t k)
{
    SnRunStep *s = &r->step[k];
    SnEvalFn *fn = s->fn;

    sound = fn;
    s->fn = straying;
    fill_inputs(r, 1);
    SnStatus st = sn_run(r);
    s->fn = fn;
    return st;
}

static void
must_tell(SnRun *r, const SnExec *x, uint32_t k, const char *what)
{
    SnStatus st = run_straying(r, k);
    const char *kernel = x->step[k].kernel;

    if (st != SN_EINTERNAL || !strstr(r->why, "wrote outside its") ||
        (kernel && !strstr(r->why, kernel)))
        fail_msg("%s, %s: status %d, \"%s\"", kernel ? kernel : "evaluator",
                 what, (int)st, r->why);
}

/* One byte behind the result, at the far end of the gap, before the result,
 * in an operand, and behind the working memory. */
static void
each_way(SnRun *r, const SnExec *x, uint32_t k)
{
    const SnExecStep *s = &x->step[k];
    const SnNode *n = sn_node(x->g, s->node);

    into = NULL;
    at = 0;
    must_tell(r, x, k, "one past its result");
    at = SN_FENCE_GAP / 2;
    must_tell(r, x, k, "further behind its result");
    length = 0;
    at = -1;
    into = r->out[s->out].data;
    must_tell(r, x, k, "one before its result");
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTensor *t = &r->in[s->in + i];
        bool own = t->data && t->data != r->out[s->out].data &&
                   !sn_def(x->g, n->in[i].ref)->data;
        if (!own || sn_tensor_nbyte(t->type, t->shape) == 0)
            continue;
        into = t->data;
        length = sn_tensor_nbyte(t->type, t->shape);
        must_tell(r, x, k, "its operand");
    }
    at = 0;
    into = r->work;
    length = s->nwork;
    if (into)
        must_tell(r, x, k, "one past its working memory");
}

/* ---- every kernel ---- */

typedef struct Sweep {
    bool kernel[MAXKERNEL]; /* of the backend, reached */
    bool eval[1024];        /* by kind */
    uint32_t nkernel, neval;
} Sweep;

static bool *
reached(Sweep *w, const SnExec *x, const SnExecStep *s)
{
    SnKind kind = sn_node(x->g, s->node)->kind;

    if (!s->kernel)
        return kind < 1024 ? &w->eval[kind] : NULL;
    for (uint16_t j = 0; j < cpu->nkernel; j++)
        if (cpu->kernel[j].kind == kind &&
            &sn_desc(kind)->tuple[cpu->kernel[j].tuple] == s->tuple)
            return &w->kernel[j];
    return NULL;
}

static void
sweep_graph(Sweep *w, const SnBackendDesc *b, const SnGraph *g, SnArena *a,
            bool fast)
{
    SnDiag *d = sn_diag_new(a);
    const SnExec *x;

    if ((fast ? sn_exec_prepare_fast(a, g, b, d, &x)
              : sn_exec_prepare(a, g, b, d, &x)) != SN_OK)
        return;
    SnRun *r = NULL;
    for (uint32_t k = 0; k < x->nstep; k++) {
        bool *seen = reached(w, x, &x->step[k]);
        if (!seen || *seen || x->step[k].nunit == 0)
            continue;
        if (!r)
            r = sn_run_new(a, x);
        fill_inputs(r, 1);
        if (sn_run(r) != SN_OK) /* an index out of range, say */
            break;
        each_way(r, x, k);
        *seen = true;
        *(x->step[k].kernel ? &w->nkernel : &w->neval) += 1;
    }
    if (r)
        sn_run_free(r);
}

/* What draws seldom make: a convolution per channel fused with a sum. */
static void
sweep_fused(Sweep *w)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"fused\" {\n"
        "  %x = Placeholder() : qi8<0.5, 3>[1,4,4,2]\n"
        "  %s = Placeholder() : qi8<0.25, -1>[1,4,4,2]\n"
        "  %w = Constant() {data = [1, -2, 3, 4]} : "
        "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,1,1,2]\n"
        "  %y = CPUConvAdd(%x, %w, _, %s) {kernel = [1,1], "
        "mid = qi8<0.5, 0>} : qi8<1, 0>[1,4,4,2]\n"
        "  Save(%y) {name = \"y\"}\n"
        "}\n";
    SnArena *a = sn_arena_new();
    SnSrc src = {"fused.sn", text, strlen(text), 0};
    SnGraph *g = NULL;

    assert_int_equal(sn_parse(a, &src, NULL, sn_diag_new(a), &g), SN_OK);
    sweep_graph(w, cpu, g, a, false);
    sn_arena_free(a);
}

/* Graphs are drawn until all kernels have come up. */
static void
sweep(void)
{
    Sweep w = {.nkernel = 0};
    uint64_t seed = 1;

    sweep_fused(&w);
    for (; seed < MOST_GRAPHS && w.nkernel < cpu->nkernel; seed++) {
        SnArena *a = sn_arena_new();
        SnRandomOpts o = {.seed = seed,
                          .flavour = (SnRandomFlavour)(seed % SN_NRANDOM),
                          .backend = cpu->name,
                          .nnode = 2 + (uint32_t)(seed % 9)};
        if (seed % 2)
            o.from = sn_random_case(a, seed, cpu->name, seed % 4 == 1);
        const SnGraph *g = sn_random_graph(a, &o);
        sweep_graph(&w, cpu, g, a, seed % 3 == 0);
        sweep_graph(&w, NULL, g, a, false);
        sn_arena_free(a);
    }
    for (uint16_t i = 0; i < cpu->nkernel; i++)
        if (!w.kernel[i])
            print_message("not reached: %s of %s, tuple %u\n",
                          cpu->kernel[i].name,
                          sn_desc(cpu->kernel[i].kind)->name,
                          (unsigned)cpu->kernel[i].tuple);
    print_message("%s: %u of %u kernels, %u evaluators, %u graphs\n",
                  sn_isa_name(sn_isa()), w.nkernel, (unsigned)cpu->nkernel,
                  w.neval, (unsigned)seed);
    assert_int_equal(w.nkernel, cpu->nkernel);
    assert_true(w.neval > 50);
}

static void
every_kernel(void **state)
{
    SnIsa best = sn_isa();

    (void)state;
    for (int i = 0; i < SN_NISA; i++)
        if (sn_isa_set((SnIsa)i))
            sweep();
    sn_isa_set(best);
}

/* ---- special places ---- */

static const SnExec *
exec_of(SnArena *a, const char *text, bool fast)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnDiag *d = sn_diag_new(a);
    SnGraph *g = NULL;
    const SnExec *x = NULL;

    *src = (SnSrc){"g.sn", text, strlen(text), 0};
    if (sn_parse(a, src, NULL, d, &g) != SN_OK ||
        (fast ? sn_exec_prepare_fast(a, g, cpu, d, &x)
              : sn_exec_prepare(a, g, cpu, d, &x)) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

static const char parts[] =
    "sinter-graph 1\n"
    "graph \"g\" {\n"
    "  %x = Placeholder() : qi8<0.1, 0>[4,8,8,16]\n"
    "  %a = MaxPool(%x) {kernel = [3, 3], pads = [1, 1, 1, 1]} : "
    "qi8<0.1, 0>[4,8,8,16]\n"
    "  %b = MaxPool(%x) {kernel = [5, 5], pads = [2, 2, 2, 2]} : "
    "qi8<0.1, 0>[4,8,8,16]\n"
    "  %y = Concat(%a, %b) {axis = 3} : qi8<0.1, 0>[4,8,8,32]\n"
    "  Save(%y) {name = \"out\"}\n"
    "}\n";

/* Rows of both operands lie in the result by turns. */
static void
between_rows(void **state)
{
    SnArena *a = sn_arena_new();
    const SnExec *x = exec_of(a, parts, true);
    SnRun *r = sn_run_new(a, x);

    (void)state;
    assert_int_equal(x->nstep, 2);
    assert_int_equal(x->step[1].ypitch, 32);
    fill_inputs(r, 1);
    assert_int_equal(sn_run(r), SN_OK);
    into = r->out[x->step[1].out].data;
    length = 16;
    for (at = 0; at < 16; at += 15)
        must_tell(r, x, 1, "between its rows");
    sn_arena_free(a);
}

static const char nothing[] = "sinter-graph 1\n"
                              "graph \"g\" {\n"
                              "  %x = Placeholder() : f32[0,4]\n"
                              "  %v = Placeholder() : f32[2,4]\n"
                              "  %a = Relu(%x) : f32[0,4]\n"
                              "  %b = Relu(%v) : f32[2,4]\n"
                              "  Save(%a) {name = \"a\"}\n"
                              "  Save(%b) {name = \"b\"}\n"
                              "}\n";

/* A value without elements lies where nothing may be written. */
static void
without_elements(void **state)
{
    SnArena *a = sn_arena_new();
    const SnExec *x = exec_of(a, nothing, false);
    SnRun *r = sn_run_new(a, x);

    (void)state;
    fill_inputs(r, 1);
    assert_int_equal(sn_run(r), SN_OK);
    length = 0;
    at = 0;
    for (uint32_t k = 0; k < x->nstep; k++) {
        if (x->step[k].nunit == 0)
            continue;
        into = sn_run_input(r, 0);
        must_tell(r, x, k, "an input without elements");
        into = (void *)(uintptr_t)sn_run_output(r, 0);
        must_tell(r, x, k, "an output without elements");
    }
    sn_arena_free(a);
}

static const char chain[] = "sinter-graph 1\n"
                            "graph \"g\" {\n"
                            "  %x = Placeholder() : f32[30,40]\n"
                            "  %a = Neg(%x) : f32[30,40]\n"
                            "  %b = Relu(%a) : f32[30,40]\n"
                            "  %c = Neg(%b) : f32[30,40]\n"
                            "  %d = Add(%c, %x) : f32[30,40]\n"
                            "  Save(%d) {name = \"out\"}\n"
                            "}\n";

/* As without fences: on a team, again with the same input, after a failure. */
static void
same_values(void **state)
{
    SnArena *a = sn_arena_new();
    const SnExec *x = exec_of(a, chain, true);

    (void)state;
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    sn_fence_set(false);
    SnRun *want = sn_run_new(a, x);
    sn_fence_set(true);
    assert_null(want->fence);
    fill_inputs(want, 3);
    assert_int_equal(sn_run(want), SN_OK);
    for (unsigned n = 1; n <= 3; n++) {
        SnRun *r = sn_run_team(a, x, n);
        assert_non_null(r->fence);
        fill_inputs(r, 3);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(sn_run(r), SN_OK);
            assert_memory_equal(sn_run_output(r, 0), sn_run_output(want, 0),
                                30 * 40 * sizeof(float));
        }
        into = NULL;
        at = 0;
        must_tell(r, x, 1, "on a team");
        fill_inputs(r, 3);
        assert_int_equal(sn_run(r), SN_OK);
        assert_memory_equal(sn_run_output(r, 0), sn_run_output(want, 0),
                            30 * 40 * sizeof(float));
        sn_run_free(r);
    }
    sn_arena_free(a);
}

static void
negate(void *ctx, SnRef ref, const SnTensor *t)
{
    (void)ref;
    for (int i = 0; i < 30 * 40; i++)
        ((float *)t->data)[i] *= -1;
    ++*(int *)ctx;
}

/* What a hook makes of a result is the result. */
static void
hook_may_write(void **state)
{
    SnArena *a = sn_arena_new();
    const SnExec *x = exec_of(a, chain, true);
    SnRun *r = sn_run_new(a, x);
    int n = 0;

    (void)state;
    r->hook = negate;
    r->hook_ctx = &n;
    fill_inputs(r, 3);
    if (sn_run(r) != SN_OK)
        fail_msg("%s", r->why);
    assert_int_equal(n, x->nstep + 1);
    sn_run_free(r);
    sn_arena_free(a);
}

/* ---- the address sanitizer ---- */

#ifdef SN_SHADOW

static SnStatus
writes_past(const SnCall *c)
{
    volatile uint8_t *p = c->out[0].data;

    p[sn_tensor_nbyte(c->out[0].type, c->out[0].shape)] = 0;
    return SN_OK;
}

static SnStatus
reads_into(const SnCall *c)
{
    const volatile uint8_t *p = into;

    return p[0] == 1 && c->nin == 0 ? SN_EINPUT : SN_OK;
}

/* Ends the process where the mistake is. */
static bool
is_seen(SnRun *r, uint32_t k, SnEvalFn *fn)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(0);
        r->step[k].fn = fn;
        sn_run(r);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status != 0;
}

static void
sanitizer(void **state)
{
    SnArena *a = sn_arena_new();
    const SnExec *x = exec_of(a, chain, false);
    SnRun *r = sn_run_new(a, x);

    (void)state;
    fill_inputs(r, 1);
    assert_true(is_seen(r, 1, writes_past));
    into = r->out[x->step[1].out].data; /* alive from its step on */
    assert_true(is_seen(r, 0, reads_into));
    assert_false(is_seen(r, 1, reads_into));
    into = r->out[x->step[2].out].data;
    into = (uint8_t *)into + 30 * 40 * sizeof(float);
    assert_true(is_seen(r, 2, reads_into));
    sn_arena_free(a);
}

#endif

static int
setup(void **state)
{
    (void)state;
    cpu = sn_backend_named("CPU");
    sn_fence_set(true);
    return cpu && cpu->nkernel <= MAXKERNEL ? 0 : 1;
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(every_kernel),     cmocka_unit_test(between_rows),
        cmocka_unit_test(without_elements), cmocka_unit_test(same_values),
        cmocka_unit_test(hook_may_write),
#ifdef SN_SHADOW
        cmocka_unit_test(sanitizer),
#endif
    };

    return cmocka_run_group_tests(t, setup, NULL);
}
