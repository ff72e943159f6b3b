// SPDX-License-Identifier: Apache-2.0
/* Times a whole model, on one thread or THREADS.
 * Usage: model GRAPH.sn [BACKEND [nodes|- [THREADS]]]
 * BACKEND "evaluators" (or none): the generated evaluators.  Prints one JSON
 * line with the median and least milliseconds of a run; "nodes" adds a line
 * per node, slowest first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "run/exec.h"
#include "base/team/team.h"

enum { MOST = 2001 };
static const double SECONDS = 0.5;

typedef struct Spent { /* by a node, over all runs */
    SnId node;
    double t;
} Spent;
typedef struct Clock {
    Spent *node; /* by id */
    double last;
} Clock;

static void
tick(void *ctx, SnRef ref, const SnTensor *t)
{
    Clock *c = ctx;
    double s = sn_now();

    (void)t;
    c->node[SN_NODE(ref)].node = SN_NODE(ref);
    c->node[SN_NODE(ref)].t += s - c->last;
    c->last = s;
}

static void
fill(SnRun *r)
{
    uint32_t seed = 7;

    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        uint8_t *v = sn_run_input(r, i);
        if (p->type->elem == SN_F32) {
            float *f = sn_run_input(r, i);
            for (size_t k = 0; k < n / sizeof *f; k++) {
                seed = seed * 1664525u + 1013904223u;
                f[k] = (float)(seed >> 8) * 0x1p-24f;
            }
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525u + 1013904223u;
            v[k] = p->type->elem == SN_QI8 ? (uint8_t)(seed >> 24) : 0;
        }
    }
}

static int
slowest(const void *x, const void *y)
{
    double a = ((const Spent *)x)->t, b = ((const Spent *)y)->t;

    return (a < b) - (a > b);
}

static void
per_node(SnArena *a, SnRun *r, int nrun)
{
    const SnGraph *g = r->x->g;
    Clock c = {.node = SN_NEW_N(a, Spent, g->nnode)};
    double all = 0;

    r->hook = tick;
    r->hook_ctx = &c;
    for (int i = 0; i < nrun; i++) {
        c.last = sn_now();
        sn_run(r);
    }
    qsort(c.node, g->nnode, sizeof *c.node, slowest);
    for (uint32_t i = 0; i < g->nnode; i++)
        all += c.node[i].t;
    for (uint32_t i = 0; i < g->nnode && c.node[i].t > 0; i++) {
        const char *kernel = NULL;
        for (uint32_t k = 0; k < r->x->nstep; k++)
            if (r->x->step[k].node == c.node[i].node)
                kernel = r->x->step[k].kernel;
        printf("%9.1f us %5.1f %%  %-40s %s\n", c.node[i].t / nrun * 1e6,
               100 * c.node[i].t / all, sn_label(g, c.node[i].node, a),
               kernel ? kernel : "(evaluator)");
    }
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const SnBackendDesc *b = argc > 2 ? sn_backend_named(argv[2]) : NULL;
    const SnExec *x;
    SnGraph *g;
    double *t = SN_NEW_N(a, double, MOST), first;
    int n = 0;

    SnRewriteOpts o = sn_rewrite_defaults;
    if (b)
        o.backend = b;
    if (argc < 2 || sn_text_load(a, argv[1], d, &g) != SN_OK ||
        (b && sn_launch(&o, a, g, d) != SN_OK) ||
        sn_exec_prepare_fast(a, g, b, d, &x) != SN_OK)
        return 1;
    SnRun *r = sn_run_team(a, x, argc > 4 ? (unsigned)atoi(argv[4]) : 1);
    fill(r);
    if (sn_run(r) != SN_OK)
        return 1;
    double trip = r->team ? sn_team_roundtrip() : 0;
    first = sn_now();
    for (; n < MOST && (n < 5 || sn_now() - first < SECONDS); n++) {
        double t0 = sn_now();
        sn_run(r);
        t[n] = sn_now() - t0;
    }
    sn_sort(t, (size_t)n);
    printf("{\"model\": \"%s\", \"backend\": \"%s\", \"cpu\": \"%s\", "
           "\"runs\": %d, \"median_ms\": %.4f, \"least_ms\": %.4f, "
           "\"arena\": %zu, \"fallback\": %u, \"roundtrip_ns\": %.0f, "
           "\"roundtrip_after_ns\": %.0f}\n",
           argv[1], b ? b->name : "evaluators", sn_isa_name(sn_isa()), n,
           t[n / 2] * 1e3, t[0] * 1e3, x->plan->arena, x->nfallback, trip,
           r->team ? sn_team_roundtrip() : 0);
    if (argc > 3 && !strcmp(argv[3], "nodes"))
        per_node(a, r, n);
    sn_run_free(r);
    sn_arena_free(a);
    return 0;
}
