// SPDX-License-Identifier: Apache-2.0
/* The kernels of a backend on whole graphs.
 *
 * Memory is watched without a sanitizer, too, by fences (run/fence.h): in the
 * mode "plain" always, in the others once.  Without them the arena is full of
 * another run's rubbish and has such bytes behind its end. */
#include "random/graph_run.h"

#include <math.h>
#include <string.h>

#include "kernel/isa.h"
#include "random/graph_gen.h"
#include "run/exec.h"
#include "run/fence.h"
#include "base/team/team.h"

enum { RUBBISH = 0x5a };

typedef enum Mode {
    PLAIN,    /* as --check-kernels runs a graph, between fences */
    FAST,     /* as the verbs run one: values share memory where they can */
    LAUNCHED, /* the same, after the pipeline `launch` */
    NMODE
} Mode;
static const char *const modes[] = {"plain", "fast", "launched"};

struct SnRunner {
    const SnBackendDesc *b;
    SnRunStats *stats;
    SnArena *own, *scratch;
    unsigned every;
    bool threads; /* in the runs under way */
};

typedef struct Values { /* outputs of a run */
    SnStatus status;
    uint32_t n;
    const SnPort *port;
    const void **data;
} Values;

/* ---- inputs ---- */

void
sn_givens_put(SnGivens *gs, const char *name, const void *data, size_t nbyte)
{
    SnGiven v = {sn_strdup(gs->a, name), sn_memdup(gs->a, data, nbyte), nbyte};

    for (uint32_t i = 0; i < gs->n; i++)
        if (!strcmp(gs->v[i].name, name)) {
            gs->v[i] = v;
            return;
        }
    SN_PUSH(gs->a, gs->v, gs->n, v);
}

void
sn_givens_fill(const SnGivens *gs, const char *name, const SnType *t,
               const SnShape *s, void *data)
{
    uint64_t seed = gs->seed;

    for (uint32_t i = 0; i < gs->n; i++)
        if (!strcmp(gs->v[i].name, name) &&
            gs->v[i].nbyte == sn_tensor_nbyte(t, s)) {
            memcpy(data, gs->v[i].data, gs->v[i].nbyte);
            return;
        }
    for (; *name; name++)
        seed = seed * 31 + (unsigned char)*name;
    sn_random_data(&seed, t, s, data);
}

static void
fill_inputs(SnRun *r, const SnGivens *in)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        if (sn_tensor_nbyte(p->type, p->shape))
            sn_givens_fill(in, p->name, p->type, p->shape, sn_run_input(r, i));
    }
}

/* ---- values ---- */

bool
sn_same_value(SnElem e, const void *x, const void *y)
{
    float u, v;

    if (!memcmp(x, y, sn_elem_size(e)))
        return true;
    if (e != SN_F32)
        return false;
    memcpy(&u, x, sizeof u);
    memcpy(&v, y, sizeof v);
    return isnan(u) && isnan(v);
}

int64_t
sn_first_apart(const SnType *t, const SnShape *s, const void *x, const void *y)
{
    size_t nbyte = sn_tensor_nbyte(t, s), size = sn_elem_size(t->elem);
    const char *u = x, *v = y;

    if (nbyte == 0 || !memcmp(x, y, nbyte))
        return -1;
    if (t->elem == SN_ROW8)
        return 0;
    for (int64_t i = 0; i < sn_shape_count(s); i++)
        if (!sn_same_value(t->elem, u + (size_t)i * size, v + (size_t)i * size))
            return i;
    return -1;
}

/* A real with its sign where it is 0; a code as a number. */
static const char *
value_str(SnArena *a, const SnType *t, const void *data, int64_t i)
{
    size_t size = sn_elem_size(t->elem);
    const char *p = (const char *)data + (size_t)i * size;
    int64_t v = 0;
    float f;

    if (t->elem == SN_F32) {
        memcpy(&f, p, sizeof f);
        return sn_format(a, "%.9g", (double)f);
    }
    memcpy(&v, p, size);
    if (size < 8 && v >> (8 * size - 1) & 1 && t->elem != SN_BOOL)
        v -= (int64_t)1 << 8 * size;
    return sn_format(a, "%lld", (long long)v);
}

static const char *
compare(SnArena *a, const Values *want, const Values *got, const char *how)
{
    if (want->status != got->status)
        return sn_format(a,
                         "%s: the run ends with status %d, evaluators "
                         "with %d",
                         how, (int)got->status, (int)want->status);
    if (want->status != SN_OK)
        return NULL;
    if (want->n != got->n)
        return sn_format(a, "%s: %u outputs, expected %u", how, got->n,
                         want->n);
    for (uint32_t i = 0; i < want->n; i++) {
        const SnPort *p = &want->port[i], *q = &got->port[i];
        if (strcmp(p->name, q->name) ||
            strcmp(sn_type_str(a, p->type), sn_type_str(a, q->type)) ||
            sn_tensor_nbyte(p->type, p->shape) !=
                sn_tensor_nbyte(q->type, q->shape))
            return sn_format(a, "%s: output %s is not %s", how, q->name,
                             p->name);
        int64_t k =
            sn_first_apart(p->type, p->shape, want->data[i], got->data[i]);
        if (k >= 0)
            return sn_format(a,
                             "%s: output %s, element %lld of %lld is %s, "
                             "expected %s",
                             how, p->name, (long long)k,
                             (long long)sn_shape_count(p->shape),
                             value_str(a, p->type, got->data[i], k),
                             value_str(a, p->type, want->data[i], k));
    }
    return NULL;
}

/* The outputs of the run that has just ended; copies where `keep`. */
static void
take(SnArena *a, const SnRun *r, SnStatus status, bool keep, Values *v)
{
    const SnExec *x = r->x;

    *v = (Values){status, x->noutput, x->output,
                  SN_NEW_N(a, const void *, x->noutput + 1)};
    for (uint32_t i = 0; i < v->n; i++) {
        const SnPort *p = &x->output[i];
        v->data[i] = sn_run_output(r, i);
        if (keep && v->data[i])
            v->data[i] =
                sn_memdup(a, v->data[i], sn_tensor_nbyte(p->type, p->shape));
    }
}

/* ---- memory ---- */

static bool
untouched(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != RUBBISH)
            return false;
    return true;
}

/* What was written behind the last value of a run without fences; or NULL. */
static const char *
strayed(SnArena *a, const SnRun *r, const char *how)
{
    size_t n = r->x->plan->arena;

    if (r->fence || untouched(r->arena + n, SN_PLAN_ALIGN))
        return NULL;
    return sn_format(a, "%s: memory behind the last value was written", how);
}

/* The block, beside b, that is alive together with the empty b and in which b
 * lies; or NULL. */
static const SnBlock *
around(const SnPlan *p, const SnBlock *b)
{
    for (uint32_t i = 0; i < p->nblock; i++) {
        const SnBlock *o = &p->block[i];
        size_t n = o->nbyte ? o->nbyte : 1;
        if (o != b && o->first <= b->last && b->first <= o->last &&
            b->offset >= o->offset && b->offset < o->offset + n)
            return o;
    }
    return NULL;
}

/* A value without elements that has no place to itself: whatever a kernel
 * writes there would be another one's.  NULL: there is none. */
static const char *
placed(SnArena *a, const SnExec *x)
{
    const SnPlan *p = x->plan;

    for (uint32_t i = 0; i < p->nblock; i++) {
        const SnBlock *o = p->block[i].nbyte ? NULL : around(p, &p->block[i]);
        if (o)
            return sn_format(a, "%s has no element and lies in %s",
                             sn_name(x->g, p->owner[i]),
                             sn_name(x->g, p->owner[o - p->block]));
    }
    for (SnId id = 1; x->view && id < x->g->nnode; id++) {
        const SnNode *n = sn_node(x->g, id);
        for (unsigned k = 0; !n->dead && k < n->nres; k++)
            if (x->view[SN_REF(id, k)].base &&
                !sn_tensor_nbyte(n->res[k].type, n->res[k].shape))
                return sn_format(a, "%s has no element and is a view",
                                 sn_name(x->g, SN_REF(id, k)));
    }
    return NULL;
}

/* ---- runs ---- */

static const char *
reference(SnRunner *rn, SnArena *a, const SnGraph *g, const SnGivens *in,
          Values *v)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(a);

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        return sn_diag_text(d, a);
    SnRun *r = sn_run_new(a, x);
    fill_inputs(r, in);
    take(a, r, sn_run(r), true, v);
    sn_run_free(r);
    rn->stats->nrun++;
    return NULL;
}

static void
count_kernels(SnRunner *rn, const SnExec *x)
{
    for (uint32_t i = 0; rn->stats->kernel && i < x->nstep; i++) {
        const SnExecStep *s = &x->step[i];
        SnKind k = sn_node(x->g, s->node)->kind;
        for (uint16_t j = 0; s->kernel && j < rn->b->nkernel; j++)
            if (rn->b->kernel[j].kind == k &&
                &sn_desc(k)->tuple[rn->b->kernel[j].tuple] == s->tuple)
                rn->stats->kernel[j]++;
    }
}

/* Fills memory with rubbish, where fences do not, runs, and looks at what there
 * is. */
static const char *
run_once(SnArena *a, SnRun *r, Mode mode, const SnGivens *in,
         const Values *want)
{
    const char *how = sn_format(
        a, "%s, %u %s%s, %s%s", sn_isa_name(sn_isa()), r->nthread,
        r->team ? "thread" : "part", r->nthread == 1 ? "" : "s", modes[mode],
        r->fence && mode != PLAIN ? " between fences" : "");
    Values got;

    if (!r->fence)
        memset(r->arena, RUBBISH, r->x->plan->arena + SN_PLAN_ALIGN);
    if (!r->fence && r->work)
        memset(r->work, RUBBISH, SN_RUN_THREADS * r->pitch);
    fill_inputs(r, in);
    take(a, r, sn_run(r), false, &got);
    if (got.status == SN_EINTERNAL)
        return sn_format(a, "%s: %s", how, r->why);
    const char *why = compare(a, want, &got, how);
    return why ? why : strayed(a, r, how);
}

static SnRun *
new_run(SnArena *a, const SnExec *x, bool fence)
{
    bool was = sn_fence_on();

    sn_fence_set(fence);
    SnRun *r = sn_run_parts(a, x, SN_RUN_THREADS);
    sn_fence_set(was);
    return r;
}

/* x, prepared for this mode, cut for 1 to SN_RUN_THREADS threads.  A team
 * lives for one run: its threads stay awake for milliseconds, which would
 * take longer than all other runs of the graph.  Where values share memory
 * they do so between fences, too, once. */
static const char *
by_threads(SnRunner *rn, SnArena *a, const SnExec *x, Mode mode,
           const SnGivens *in, const Values *want)
{
    SnRun *r = new_run(a, x, mode == PLAIN);
    const char *why = NULL;

    for (unsigned n = 1; n <= SN_RUN_THREADS && !why; n++) {
        r->nthread = n;
        sn_run_calls(r);
        why = run_once(a, r, mode, in, want);
        rn->stats->nrun++;
        if (why || n == 1 || !rn->threads)
            continue;
        r->team = sn_team_new(n);
        why = run_once(a, r, mode, in, want);
        sn_team_free(r->team);
        r->team = NULL;
        rn->stats->nteam++;
    }
    sn_run_free(r);
    if (why || mode == PLAIN)
        return why;
    r = new_run(a, x, true);
    why = run_once(a, r, mode, in, want);
    rn->stats->nrun++;
    sn_run_free(r);
    return why;
}

static const char *
by_kernels(SnRunner *rn, SnArena *a, const SnGraph *g, Mode mode,
           const SnGivens *in, const Values *want)
{
    SnDiag *d = sn_diag_new(a);
    const SnExec *x;
    SnStatus st = mode == PLAIN ? sn_exec_prepare(a, g, rn->b, d, &x)
                                : sn_exec_prepare_fast(a, g, rn->b, d, &x);

    if (st != SN_OK)
        return sn_format(a, "%s, %s: %s", sn_isa_name(sn_isa()), modes[mode],
                         sn_diag_text(d, a));
    const char *why = placed(a, x);
    if (why)
        return sn_format(a, "%s, %s: %s", sn_isa_name(sn_isa()), modes[mode],
                         why);
    count_kernels(rn, x);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    return by_threads(rn, a, x, mode, in, want);
}

/* g as it is launched; its evaluators must give the same values. */
static const char *
launch(SnRunner *rn, SnArena *a, const SnGraph *g, const SnGivens *in,
       const Values *want, SnGraph **out)
{
    SnRewriteOpts o = sn_rewrite_defaults;
    SnDiag *d = sn_diag_new(a);
    SnGraph *h = sn_graph_clone(g, a);
    uint32_t before = g->nlive;
    Values got;

    o.backend = rn->b;
    o.verify = true;
    if (sn_launch(&o, a, h, d) != SN_OK)
        return sn_format(a, "launch: %s", sn_diag_text(d, a));
    rn->stats->nlaunch += h->nlive != before;
    const char *why = reference(rn, a, h, in, &got);
    *out = h;
    return why ? why : compare(a, want, &got, "evaluators, launched");
}

const char *
sn_runner_check(SnRunner *rn, SnArena *a, const SnGraph *g, const SnGivens *in)
{
    SnIsa best = sn_isa();
    /* Which of the ways, if any, goes by threads as well. */
    bool some = in->seed % rn->every == 0;
    int way = (int)(in->seed / rn->every % (SN_NISA * NMODE));
    SnGraph *launched = NULL;
    Values want;
    const char *why = reference(rn, a, g, in, &want);

    rn->stats->ngraph++;
    rn->stats->nnode += g->nlive;
    if (why || (why = launch(rn, a, g, in, &want, &launched)) != NULL)
        return why;
    rn->stats->nfail += want.status != SN_OK;
    for (int i = 0; i < SN_NISA && !why; i++) {
        if (!sn_isa_set((SnIsa)i))
            continue;
        for (int m = 0; m < NMODE && !why; m++) {
            rn->threads = some && way == i * NMODE + m;
            const char *s =
                by_kernels(rn, rn->scratch, m == LAUNCHED ? launched : g,
                           (Mode)m, in, &want);
            why = s ? sn_strdup(a, s) : NULL;
            sn_arena_clear(rn->scratch);
        }
    }
    sn_isa_set(best);
    return why;
}

/* ---- runners ---- */

SnRunner *
sn_runner_new(const SnBackendDesc *b, unsigned every, SnRunStats *stats)
{
    SnArena *a = sn_arena_new();
    SnRunner *r = SN_NEW(a, SnRunner);

    *r = (SnRunner){.b = b,
                    .stats = stats,
                    .own = a,
                    .every = every,
                    .scratch = sn_arena_new()};
    return r;
}

void
sn_runner_free(SnRunner *r)
{
    sn_arena_free(r->scratch);
    sn_arena_free(r->own);
}
