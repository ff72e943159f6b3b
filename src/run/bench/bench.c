// SPDX-License-Identifier: Apache-2.0
#include "run/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "kernel/eval/eval.h"
#include "base/team/team.h"

enum { LEAST_RUNS = 5, MOST_RUNS = 4000 };
static const double SECONDS = 0.5;

/* ---- what a node does ---- */

static double
nbyte(const SnGraph *g, SnRef r)
{
    return r ? (double)sn_tensor_nbyte(sn_type(g, r), sn_shape_of(g, r)) : 0;
}

static void
count(const SnGraph *g, SnNodeTime *t)
{
    const SnNode *n = sn_node(g, t->node);
    SnClass cls = sn_desc(n->kind)->sem[0].cls;

    /* Plain integers are multiplied by the instructions for codes. */
    t->codes = n->res[0].type->elem == SN_QI8 ||
               (cls == SN_C_CONTRACT && n->res[0].type->elem == SN_I32);
    for (uint32_t i = 0; i < n->nin; i++)
        t->bytes += nbyte(g, n->in[i].ref);
    for (unsigned i = 0; i < n->nres; i++)
        t->bytes += n->res[i].nuse || i == 0 ? nbyte(g, SN_REF(t->node, i)) : 0;
    t->ops = sn_node_ops(g, t->node);
}

/* ---- timing ---- */

typedef struct Clock {
    double **of; /* by id: seconds of each run, or NULL */
    uint32_t run;
    double last;
} Clock;

static void
tick(void *ctx, SnId node)
{
    Clock *c = ctx;
    double s = sn_now();

    if (c->of[node])
        c->of[node][c->run] += s - c->last;
    c->last = sn_now();
}

void
sn_bench_fill(SnRun *r)
{
    uint32_t seed = 7;

    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        uint8_t *v = sn_run_input(r, i);
        memset(v, 0, n);
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525u + 1013904223u;
            if (p->type->elem == SN_QI8)
                v[k] = (uint8_t)(seed >> 24);
            else if (p->type->elem == SN_F32 && k < n / 4)
                ((float *)(void *)v)[k] = (float)(seed >> 8) * 0x1p-24f;
        }
    }
}

static int
slowest(const void *x, const void *y)
{
    const SnNodeTime *a = x, *b = y;

    if (a->s != b->s)
        return a->s < b->s ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static SnStatus
one_run(SnRun *r, SnDiag *d, double *s)
{
    double t0 = sn_now();
    SnStatus st = sn_run(r);
    if (st != SN_OK)
        return sn_fail(d, st, r->where, "%s", r->why);
    *s = sn_now() - t0;
    return SN_OK;
}

static SnStatus
time_whole(SnBench *b, SnRun *r, uint32_t want, SnDiag *d)
{
    double v[MOST_RUNS], first;
    uint32_t most = want && want < MOST_RUNS ? want : MOST_RUNS;

    b->nrun = 0;
    sn_bench_fill(r);
    SN_TRY(one_run(r, d, v)); /* warm */
    for (first = sn_now(); b->nrun < most; b->nrun++) {
        if (!want && b->nrun >= LEAST_RUNS && sn_now() - first > SECONDS)
            break;
        sn_bench_fill(r); /* a run may overwrite its inputs */
        SN_TRY(one_run(r, d, &v[b->nrun]));
    }
    sn_sort(v, b->nrun);
    b->median = v[b->nrun / 2];
    b->least = v[0];
    return SN_OK;
}

/* The median of each node. */
static SnStatus
time_nodes(SnBench *b, SnRun *r, SnArena *a, SnDiag *d)
{
    const SnExec *x = b->x;
    Clock c = {.of = SN_NEW_N(a, double *, x->g->nnode)};
    SnStatus st = SN_OK;
    double s;

    for (uint32_t i = 0; i < b->nnode; i++)
        c.of[b->node[i].node] = SN_NEW_N(a, double, b->nrun);
    r->step_hook = tick;
    r->step_ctx = &c;
    for (; c.run < b->nrun && st == SN_OK; c.run++) {
        sn_bench_fill(r);
        c.last = sn_now();
        st = one_run(r, d, &s);
    }
    r->step_hook = NULL;
    r->step_ctx = NULL;
    for (uint32_t i = 0; i < b->nnode; i++) {
        double *v = c.of[b->node[i].node];
        sn_sort(v, b->nrun);
        b->node[i].s = v[b->nrun / 2];
    }
    return st;
}

/* Waits for processors that are near each other, a few seconds at most. */
enum { MOST_TRIES = 6 };

static SnStatus
time_near(SnBench *b, SnRun *r, uint32_t want, SnDiag *d)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        const struct timespec pause = {.tv_nsec = 300000000};
        if (i > 0)
            nanosleep(&pause, NULL);
        double before = sn_team_roundtrip();
        SN_TRY(time_whole(b, r, want, d));
        b->roundtrip = fmax(before, sn_team_roundtrip());
        b->repeated = (unsigned)i;
        if (b->roundtrip < SN_NEAR_NS)
            break;
    }
    return SN_OK;
}

static SnStatus
measure(SnBench *b, SnRun *r, SnArena *a, uint32_t nrun, SnDiag *d)
{
    if (r->team)
        SN_TRY(time_near(b, r, nrun, d));
    else
        SN_TRY(time_whole(b, r, nrun, d));
    return time_nodes(b, r, a, d);
}

SnStatus
sn_bench(SnArena *a, const SnExec *x, unsigned nthread, uint32_t nrun,
         SnDiag *d, SnBench **out)
{
    const SnGraph *g = x->g;
    SnBench *b = SN_NEW(a, SnBench);

    *b = (SnBench){.x = x, .nthread = nthread, .nnode = x->nstep};
    b->node = SN_NEW_N(a, SnNodeTime, x->nstep + 1);
    for (uint32_t i = 0; i < x->nstep; i++) {
        SnNodeTime *t = &b->node[i];
        t->node = x->step[i].node;
        t->kernel = x->step[i].kernel;
        count(g, t);
        b->ops += t->ops;
        b->ops8 += t->codes ? t->ops : 0;
        b->bytes += t->bytes;
    }
    for (SnId i = 1; i < g->nnode; i++)
        if (!g->node[i]->dead && g->node[i]->data)
            b->weights += (size_t)nbyte(g, SN_REF(i, 0));
    b->arena = x->plan->arena + x->nwork;
    b->peak = sn_peak(sn_isa(), nthread);
    SnRun *r = sn_run_team(a, x, nthread);
    SnStatus st = measure(b, r, a, nrun, d);
    sn_run_free(r);
    qsort(b->node, b->nnode, sizeof *b->node, slowest);
    *out = b;
    return st;
}

double
sn_bench_floor(const SnBench *b, const SnNodeTime *n)
{
    double peak = n->codes ? b->peak.ops8 : b->peak.ops32;
    double compute = peak > 0 ? n->ops / peak : 0;
    double memory = b->peak.read > 0 ? n->bytes / b->peak.read : 0;

    return compute > memory ? compute : memory;
}
