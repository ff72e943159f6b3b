// SPDX-License-Identifier: Apache-2.0
/* Times a program of `sinter compile` against the CPU backend on the same graph
 * with codes at its boundary, in turn, in one process:
 *
 *     compiled GRAPH.sn PROGRAM.so [ROUNDS]
 *
 * PROGRAM.so has bench_run (compiled.sh).  The graph has one input and one
 * output; outputs must be equal, bit for bit.  A round's figure is the least
 * run of each, as others use the processors, the result the median over rounds
 * of their ratio, so that a slow spell of the machine falls on both.  Prints
 * one line of JSON. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aot/aot.h"
#include "aot/io/boundary.h"
#include "base/clock.h"
#include "base/diag.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

enum { MOST = 4000, LEAST = 5, MOST_ROUNDS = 101 };
static const double SECONDS = 0.05;

typedef int RunFn(const void *in, void *out);

typedef struct Side {
    SnRun *r;    /* the CPU backend, or */
    RunFn *call; /* the program */
    const void *in;
    void *out;
} Side;

static int
run(const Side *s)
{
    return s->call ? s->call(s->in, s->out) : (int)sn_run(s->r);
}

static double
least_run(const Side *s)
{
    static double t[MOST];
    double first = sn_now();
    size_t n = 0;

    while (n < MOST && (n < LEAST || sn_now() - first < SECONDS)) {
        double from = sn_now();
        run(s);
        t[n++] = sn_now() - from;
    }
    sn_sort(t, n);
    return t[0];
}

static int
compare(const char *name, const Side *cpu, const Side *program, size_t nbyte,
        int rounds)
{
    double ratio[MOST_ROUNDS], a[MOST_ROUNDS], b[MOST_ROUNDS];

    if (run(cpu) != 0 || run(program) != 0)
        return 1;
    if (memcmp(cpu->out, program->out, nbyte) != 0) {
        fprintf(stderr, "%s: outputs differ\n", name);
        return 1;
    }
    for (int i = 0; i < rounds; i++) {
        a[i] = least_run(cpu);
        b[i] = least_run(program);
        ratio[i] = b[i] / a[i];
    }
    sn_sort(ratio, (size_t)rounds);
    sn_sort(a, (size_t)rounds);
    sn_sort(b, (size_t)rounds);
    printf("{\"model\": \"%s\", \"cpu\": \"%s\", \"backend_us\": %.1f, "
           "\"program_us\": %.1f, \"ratio\": %.3f, \"least\": %.3f, "
           "\"most\": %.3f}\n",
           name, sn_isa_name(sn_isa()), a[rounds / 2] * 1e6,
           b[rounds / 2] * 1e6, ratio[rounds / 2], ratio[0], ratio[rounds - 1]);
    return 0;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnRewriteOpts o = sn_rewrite_defaults;
    int rounds = argc > 3 ? atoi(argv[3]) : 21;
    const SnExec *x;
    SnGraph *g;

    o.backend = sn_backend_named("CPU");
    if (argc < 3 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "compiled GRAPH.sn PROGRAM.so [ROUNDS]\n");
        return 2;
    }
    if (sn_text_load(a, argv[1], d, &g) != SN_OK ||
        sn_aot_codes(g, d) != SN_OK || sn_launch(&o, a, g, d) != SN_OK ||
        sn_exec_prepare_fast(a, g, o.backend, d, &x) != SN_OK)
        return 1;
    void *so = dlopen(argv[2], RTLD_NOW);
    void *fn = so ? dlsym(so, "bench_run") : NULL;
    if (!fn || x->ninput != 1 || x->noutput != 1) {
        fprintf(stderr, "%s: no such function, or not one input and output\n",
                argv[2]);
        return 1;
    }
    SnRun *r = sn_run_team(a, x, 1);
    size_t nin = sn_tensor_nbyte(x->input[0].type, x->input[0].shape);
    size_t nout = sn_tensor_nbyte(x->output[0].type, x->output[0].shape);
    uint8_t *in = sn_alloc(a, nin + 1); /* a run may write over its own */
    uint32_t seed = 7;
    for (size_t i = 0; i < nin; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (uint8_t)(seed >> 24);
    }
    memcpy(sn_run_input(r, 0), in, nin);
    Side cpu = {.r = r, .out = (void *)(uintptr_t)sn_run_output(r, 0)};
    Side program = {.in = in, .out = sn_alloc(a, nout + 64)};
    memcpy(&program.call, &fn, sizeof fn);
    int rc = compare(argv[1], &cpu, &program, nout, rounds);
    sn_run_free(r);
    sn_arena_free(a);
    return rc;
}
