// SPDX-License-Identifier: Apache-2.0
/* A run walks through its steps, alone or with a team.  What a step passes to
 * its kernel was stored when the run was made: small steps take little longer
 * than their arithmetic. */
#include "run/exec.h"

#include <stdio.h>

#include "base/budget.h"
#include "run/fence.h"
#include "base/team/team.h"

/* Evaluators keep index lists in scratch; it is freed once it has grown, and
 * after every sample, except one block of at most this size: a sample of small
 * steps would allocate a hundred. */
enum { SCRATCH_MAX = 1 << 18, SCRATCH_KEPT = 1 << 19 };

static void
reset_scratch(SnRun *r)
{
    sn_arena_clear(r->scratch);
    if (sn_arena_nbyte(r->scratch) <= SCRATCH_KEPT)
        return;
    sn_arena_free(r->scratch);
    r->scratch = NULL; /* in case there is no other */
    r->scratch = sn_arena_new();
}

/* Offering a part and fetching what the other thread wrote takes a microsecond
 * or two: a part is worth that. */
enum { PART_NS = 1500 };

unsigned
sn_step_parts(const SnExecStep *s, unsigned n)
{
    int64_t most = s->cost / PART_NS;

    if (most > s->nunit)
        most = s->nunit;
    if (most > (int64_t)n)
        most = (int64_t)n;
    return most < 1 ? 1 : (unsigned)most;
}

static SnCall
call_of(const SnRun *r, const SnExecStep *s)
{
    const SnNode *n = sn_node(r->x->g, s->node);
    const SnKindDesc *kd = sn_desc(n->kind);

    return (SnCall){.kind = kd,
                    .attr = n->attr,
                    .nin = n->nin,
                    .nout = kd->nout,
                    .in = r->in + s->in,
                    .out = r->out + s->out,
                    .why = (char *)(uintptr_t)r->why,
                    .rounding = r->x->g->rounding,
                    .prep = s->prep,
                    .mapped = s->mapped,
                    .work = r->work,
                    .u1 = s->nunit,
                    .ypitch = s->ypitch};
}

void
sn_run_calls(SnRun *r)
{
    for (uint32_t i = 0; i < r->x->nstep; i++) {
        const SnExecStep *s = &r->x->step[i];
        r->step[i] = (SnRunStep){.call = call_of(r, s),
                                 .fn = s->nunit ? s->fn : NULL,
                                 .part = sn_step_parts(s, r->nthread),
                                 .evaluator = !s->kernel,
                                 .streams = s->nstream > 1};
    }
}

static const char *
step_name(const SnRun *r, uint32_t i)
{
    return sn_name(r->x->g, SN_REF(r->x->step[i].node, 0));
}

static SnStatus
run_whole(SnRun *r, uint32_t i)
{
    SnRunStep *s = &r->step[i];

    if (!s->fn)
        return SN_OK;
    if (s->evaluator)
        sn_budget_at("running", step_name(r, i));
    s->call.scratch = r->scratch;
    r->why[0] = '\0';
    SnStatus st = s->fn(&s->call);
    if (st != SN_OK)
        r->where = step_name(r, i);
    return st;
}

/* A step in parts. */
typedef struct Parts {
    SnRun *r;
    uint32_t step;
    unsigned n;
} Parts;

/* Part k of n: the units from nunit * k / n on. */
static void
run_part(void *ctx, unsigned part)
{
    const Parts *p = ctx;
    SnRun *r = p->r;
    const SnExecStep *s = &r->x->step[p->step];
    SnCall c = r->step[p->step].call;
    int64_t n = p->n, k = part;

    c.why = NULL;
    c.work = r->work ? r->work + (size_t)k * r->pitch : NULL;
    c.u0 = s->nunit / n * k + s->nunit % n * k / n;
    k++;
    c.u1 = s->nunit / n * k + s->nunit % n * k / n;
    if (r->step[p->step].fn(&c) != SN_OK)
        sn_bug("kernel %s failed in parts", s->kernel);
}

/* The same on threads lent by the caller, which may fail. */
static SnStatus
run_lent(SnRun *r, Parts *p)
{
    int answer;
    SnLentEnd end = sn_lent_do(r->pool, p->n, run_part, p, &answer);

    if (end == SN_LENT_DONE)
        return SN_OK;
    r->where = "pool";
    if (end == SN_LENT_FAILED)
        snprintf(r->why, sizeof r->why, "failed with %d", answer);
    else
        snprintf(r->why, sizeof r->why,
                 "did not run each of %u parts once before it returned", p->n);
    return SN_EUSAGE;
}

/* Lets the fence and the hooks look at step s. */
static SnStatus
show_step(SnRun *r, const SnExecStep *s)
{
    const SnNode *n = sn_node(r->x->g, s->node);

    if (r->fence)
        SN_TRY(sn_fence_check(r->fence, r, s));
    if (r->hook && !s->ypitch)
        for (unsigned k = 0; k < n->nres; k++)
            if (r->out[s->out + k].data)
                r->hook(r->hook_ctx, SN_REF(s->node, k), &r->out[s->out + k]);
    if (r->step_hook)
        r->step_hook(r->step_ctx, s->node);
    if (r->fence)
        sn_fence_next(r->fence, r, s);
    return SN_OK;
}

static bool
is_seen(const SnRun *r)
{
    return r->fence || r->hook || r->step_hook;
}

/* The work between two steps. */
static SnStatus
after_step(SnRun *r, uint32_t i)
{
    if (is_seen(r))
        SN_TRY(show_step(r, &r->x->step[i]));
    if (sn_arena_nbyte(r->scratch) > SCRATCH_MAX)
        reset_scratch(r);
    return SN_OK;
}

static SnStatus
run_step(SnRun *r, uint32_t i)
{
    Parts p = {r, i, r->step[i].part};

    if (p.n == 1)
        SN_TRY(run_whole(r, i));
    else if (r->pool)
        SN_TRY(run_lent(r, &p));
    else if (r->team)
        sn_team_do(r->team, p.n, run_part, &p);
    else
        for (unsigned k = 0; k < p.n; k++)
            run_part(&p, k);
    return after_step(r, i);
}

/* ---- streams ---- */

/* Block b of step i. */
static void
run_block(SnRun *r, uint32_t i, int64_t b, int64_t nblock, uint8_t *work)
{
    const SnExecStep *s = &r->x->step[i];
    SnCall c = r->step[i].call;
    int64_t n = s->nunit / nblock;

    c.why = NULL;
    c.work = work;
    c.u0 = b * n;
    c.u1 = c.u0 + n;
    if (r->step[i].fn(&c) != SN_OK)
        sn_bug("kernel %s failed in parts", s->kernel);
}

/* Part k of n: the blocks from nblock * k / n on. */
static void
run_blocks(void *ctx, unsigned part)
{
    const Parts *p = ctx;
    SnRun *r = p->r;
    const SnExecStep *s = &r->x->step[p->step];
    uint8_t *work = r->work ? r->work + (size_t)part * r->pitch : NULL;
    int64_t to = s->nblock * ((int64_t)part + 1) / p->n;

    for (int64_t b = s->nblock * (int64_t)part / p->n; b < to; b++)
        for (uint32_t k = 0; k < s->nstream; k++)
            run_block(r, p->step + k, b, s->nblock, work);
}

/* The parts of the stream that begins at step i, of which each is worth
 * offering and a thread has one at least; 0: its steps run one by one. */
static unsigned
stream_parts(const SnRun *r, uint32_t i)
{
    const SnExecStep *s = &r->x->step[i];
    unsigned n = 1;

    if (!r->step[i].streams || is_seen(r))
        return 0;
    for (uint32_t k = 0; k < s->nstream; k++)
        n = r->step[i + k].part > n ? r->step[i + k].part : n;
    return s->nblock % n == 0 || s->nblock >= 4 * (int64_t)n ? n : 0;
}

static SnStatus
run_stream(SnRun *r, uint32_t i, unsigned n)
{
    Parts p = {r, i, n};

    if (n > 1 && r->team)
        sn_team_do(r->team, n, run_blocks, &p);
    for (unsigned k = 0; k < n && !(n > 1 && r->team); k++)
        run_blocks(&p, k);
    return after_step(r, i + r->x->step[i].nstream - 1);
}

SnStatus
sn_run(SnRun *r)
{
    const SnExec *x = r->x;
    SnStatus st = SN_OK;

    sn_budget_at("running", x->g->name);
    for (uint32_t i = 0; r->hook && i < x->ninput; i++) {
        SnTensor t = sn_run_value(r, x->input[i].ref);
        r->hook(r->hook_ctx, x->input[i].ref, &t);
    }
    if (r->fence)
        sn_fence_begin(r->fence, r);
    for (uint32_t i = 0; i < x->nstep && st == SN_OK;) {
        unsigned n = stream_parts(r, i);
        st = n ? run_stream(r, i, n) : run_step(r, i);
        i += n ? x->step[i].nstream : 1;
    }
    if (r->fence)
        sn_fence_end(r->fence, r);
    if (sn_arena_nbyte(r->scratch) > 0)
        reset_scratch(r);
    return st;
}
