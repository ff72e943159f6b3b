// SPDX-License-Identifier: Apache-2.0
#include "run/fence.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/shadow.h"

/* The mirror is a copy of the arena as the last step left it, byte for byte.
 * Whatever a step changes outside its results differs from it. */
struct SnFence {
    uint8_t *arena, *mirror;
    size_t nbyte;
    uint32_t nblock, nopen, nclosed;
    SnBlock *block;   /* [nblock] places; lives are the plan's */
    bool *input;      /* [nblock] a caller wrote it: stays unchanged */
    uint32_t *opens;  /* [nblock] by their first step */
    uint32_t *closes; /* [nblock] by their last one */
    uint32_t *when;   /* [nstep of the executable] step of the plan */
};

/* ---- on or off ---- */

static atomic_int chosen; /* 0: not yet, 1: off, 2: on */

static bool
wanted(void)
{
    const char *s = getenv("SINTER_FENCE");

    if (s && *s)
        return strcmp(s, "0") != 0;
#ifdef SN_SHADOW
    return true;
#else
    return false;
#endif
}

bool
sn_fence_on(void)
{
    if (atomic_load(&chosen) == 0)
        sn_fence_set(wanted());
    return atomic_load(&chosen) == 2;
}

void
sn_fence_set(bool on)
{
    atomic_store(&chosen, on ? 2 : 1);
}

/* ---- places ---- */

static void
lay_out(SnFence *f, SnArena *tmp, const SnPlan *p)
{
    SnBlock *b = sn_memdup(tmp, p->block, p->nblock * sizeof *b);

    for (uint32_t i = 0; i < p->nblock; i++) {
        b[i].nbyte += SN_FENCE_GAP;
        if (f->input[i]) /* a caller may run again with what it wrote */
            b[i].last = p->nstep - 1;
    }
    f->nbyte = SN_FENCE_GAP + sn_plan_blocks(tmp, b, p->nblock);
    for (uint32_t i = 0; i < p->nblock; i++)
        f->block[i].offset = SN_FENCE_GAP + b[i].offset;
}

/* Block indices by key, which is below n: v[0 .. nblock). */
static void
sort(SnArena *tmp, uint32_t *v, const uint32_t *key, uint32_t nblock,
     uint32_t n)
{
    uint32_t *at = SN_NEW_N(tmp, uint32_t, n + 1);

    for (uint32_t i = 0; i < nblock; i++)
        at[key[i] + 1]++;
    for (uint32_t i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (uint32_t i = 0; i < nblock; i++)
        v[at[key[i]]++] = i;
}

static void
order(SnFence *f, SnArena *tmp, const SnPlan *p)
{
    uint32_t *key = SN_NEW_N(tmp, uint32_t, p->nblock + 1);

    for (uint32_t i = 0; i < p->nblock; i++)
        key[i] = p->block[i].first;
    sort(tmp, f->opens, key, p->nblock, p->nstep);
    for (uint32_t i = 0; i < p->nblock; i++)
        key[i] = p->block[i].last;
    sort(tmp, f->closes, key, p->nblock, p->nstep);
}

static void
find_steps(SnFence *f, SnArena *tmp, const SnExec *x)
{
    uint32_t *step = SN_NEW_N(tmp, uint32_t, x->g->nnode);

    for (uint32_t i = 0; i < x->plan->nstep; i++)
        step[x->plan->step[i].node] = i;
    for (uint32_t k = 0; k < x->nstep; k++)
        f->when[k] = step[x->step[k].node];
}

/* Memory goes back to its arena open. */
static void
lift(void *ctx)
{
    SnFence *f = ctx;

    sn_shadow_open(f->arena, f->nbyte);
}

SnFence *
sn_fence_new(SnArena *a, const SnExec *x, uint8_t **arena)
{
    const SnPlan *p = x->plan;
    SnFence *f = SN_NEW(a, SnFence);
    SnArena *tmp = sn_arena_new();

    f->nblock = p->nblock;
    f->block = sn_memdup(a, p->block, p->nblock * sizeof *f->block);
    f->input = SN_NEW_N(a, bool, p->nblock + 1);
    f->opens = SN_NEW_N(a, uint32_t, p->nblock + 1);
    f->closes = SN_NEW_N(a, uint32_t, p->nblock + 1);
    f->when = SN_NEW_N(a, uint32_t, x->nstep + 1);
    for (uint32_t i = 0; i < x->ninput; i++)
        f->input[x->block[x->input[i].ref] - 1] = true;
    lay_out(f, tmp, p);
    order(f, tmp, p);
    find_steps(f, tmp, x);
    sn_arena_free(tmp);
    f->arena = sn_alloc(a, f->nbyte);
    f->mirror = sn_alloc(a, f->nbyte);
    sn_arena_at_free(a, lift, f);
    sn_shadow_close(f->arena, f->nbyte);
    for (uint32_t i = 0; i < f->nblock; i++)
        if (f->input[i])
            sn_shadow_open(f->arena + f->block[i].offset, f->block[i].nbyte);
    *arena = f->arena;
    return f;
}

size_t
sn_fence_at(const SnFence *f, uint32_t b)
{
    return f->block[b].offset;
}

void *
sn_fence_nowhere(const SnFence *f)
{
    return f->arena;
}

/* ---- working memory ---- */

typedef struct Work {
    uint8_t *p;
    size_t nbyte;
} Work;

static void
lift_work(void *ctx)
{
    const Work *w = ctx;

    sn_shadow_open(w->p, w->nbyte);
}

void
sn_fence_work(const SnRun *r, SnArena *a)
{
    Work *w = SN_NEW(a, Work);

    *w = (Work){r->work, r->nthread * r->pitch};
    sn_arena_at_free(a, lift_work, w);
    memset(w->p, SN_FENCE_FILL, w->nbyte);
    sn_shadow_close(w->p, w->nbyte);
}

/* Step k may use what it requested and no more. */
static void
open_work(const SnRun *r, uint32_t k)
{
    size_t nwork = r->x->step[k].nwork;

    for (unsigned i = 0; r->work && i < r->nthread; i++) {
        uint8_t *p = r->work + i * r->pitch;
        sn_shadow_open(p, r->pitch);
        memset(p + nwork, SN_FENCE_FILL, r->pitch - nwork);
        sn_shadow_close(p + nwork, r->pitch - nwork);
    }
}

/* ---- steps ---- */

static void
open_blocks(SnFence *f, const SnRun *r, uint32_t k)
{
    const SnPlan *p = r->x->plan;

    for (; f->nopen < f->nblock; f->nopen++) {
        uint32_t i = f->opens[f->nopen];
        if (p->block[i].first > f->when[k])
            break;
        sn_shadow_open(f->arena + f->block[i].offset, f->block[i].nbyte);
    }
    open_work(r, k);
}

/* Those that are unused from step `now` of the plan on. */
static void
close_blocks(SnFence *f, const SnRun *r, uint32_t now)
{
    for (; f->nclosed < f->nblock; f->nclosed++) {
        uint32_t i = f->closes[f->nclosed];
        const SnBlock *b = &f->block[i];
        if (r->x->plan->block[i].last >= now)
            break;
        if (!f->input[i]) {
            memset(f->arena + b->offset, SN_FENCE_FILL, b->nbyte);
            memset(f->mirror + b->offset, SN_FENCE_FILL, b->nbyte);
        }
        sn_shadow_close(f->arena + b->offset, b->nbyte);
    }
}

/* Inputs are copied to the mirror and back: everything else is filled. */
void
sn_fence_begin(SnFence *f, const SnRun *r)
{
    sn_shadow_open(f->arena, f->nbyte);
    memset(f->mirror, SN_FENCE_FILL, f->nbyte);
    for (uint32_t i = 0; i < f->nblock; i++)
        if (f->input[i])
            memcpy(f->mirror + f->block[i].offset,
                   f->arena + f->block[i].offset, f->block[i].nbyte);
    memcpy(f->arena, f->mirror, f->nbyte);
    sn_shadow_close(f->arena, f->nbyte);
    f->nopen = f->nclosed = 0;
    if (r->x->nstep > 0)
        open_blocks(f, r, 0);
}

/* Outputs are open since their step; without a step, since now. */
void
sn_fence_end(SnFence *f, const SnRun *r)
{
    for (uint32_t i = 0; i < f->nblock; i++)
        if (f->input[i] || r->x->plan->block[i].last + 1 == r->x->plan->nstep)
            sn_shadow_open(f->arena + f->block[i].offset, f->block[i].nbyte);
}

/* ---- what was written ---- */

/* The first byte of x[from, to) that differs from y, or `to`. */
SN_UNCHECKED static size_t
first_apart(const uint8_t *x, const uint8_t *y, size_t from, size_t to)
{
    while (from < to) {
        if (from % 8 == 0 && from + 8 <= to &&
            *(const uint64_t *)(const void *)(x + from) ==
                *(const uint64_t *)(const void *)(y + from))
            from += 8;
        else if (x[from] == y[from])
            from++;
        else
            break;
    }
    return from;
}

SN_UNCHECKED static size_t
first_unfilled(const uint8_t *p, size_t from, size_t to)
{
    while (from < to && p[from] == SN_FENCE_FILL)
        from++;
    return from;
}

/* n rows of a result, `pitch` bytes from one to the next. */
typedef struct Rows {
    size_t at, row, pitch, n;
} Rows;

static Rows
rows_of(const SnFence *f, const SnTensor *t, int64_t ypitch)
{
    size_t nbyte = sn_tensor_nbyte(t->type, t->shape);
    Rows w = {(size_t)((const uint8_t *)t->data - f->arena), nbyte, nbyte, 1};

    if (ypitch && nbyte > 0) {
        size_t size = sn_elem_size(t->type->elem);
        w.row = (size_t)t->shape->dim[t->shape->rank - 1] * size;
        w.pitch = (size_t)ypitch * size;
        w.n = nbyte / w.row;
    }
    return w;
}

static uint32_t
all_rows(const SnFence *f, const SnRun *r, const SnExecStep *s, Rows *v)
{
    const SnNode *node = sn_node(r->x->g, s->node);
    uint32_t n = 0;

    for (unsigned i = 0; i < node->nres; i++) {
        const SnTensor *t = &r->out[s->out + i];
        if (!t->data)
            continue;
        Rows w = rows_of(f, t, i == 0 ? s->ypitch : 0);
        uint32_t k = n++;
        for (; k > 0 && v[k - 1].at > w.at; k--)
            v[k] = v[k - 1];
        v[k] = w;
    }
    return n;
}

/* The first byte outside the rows that has changed, or the arena's size; the
 * rows go to the mirror. */
static size_t
strayed(SnFence *f, const Rows *v, uint32_t n)
{
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < v[i].n; k++) {
            size_t row = v[i].at + k * v[i].pitch;
            size_t bad = first_apart(f->arena, f->mirror, at, row);
            if (bad < row)
                return bad;
            at = row + v[i].row;
            if (v[i].row)
                memcpy(f->mirror + row, f->arena + row, v[i].row);
        }
    return first_apart(f->arena, f->mirror, at, f->nbyte);
}

static bool
alive(const SnRun *r, uint32_t i, uint32_t now)
{
    const SnBlock *b = &r->x->plan->block[i];

    return b->first <= now && now <= b->last;
}

/* Reports what is at `bad`, or nearest to it. */
static void
tell(const SnFence *f, SnRun *r, const SnExecStep *s, uint32_t now, size_t bad)
{
    uint32_t best = 0;
    size_t least = SIZE_MAX;
    const char *how = "in";

    for (uint32_t i = 0; i < f->nblock && least > 0; i++) {
        size_t from = f->block[i].offset, to = from + f->block[i].nbyte;
        size_t far = bad < from ? from - bad : bad < to ? 0 : bad - to + 1;
        if (!alive(r, i, now) || far >= least)
            continue;
        least = far;
        best = i;
        how = bad < from ? "before" : bad < to ? "in" : "behind";
    }
    snprintf(r->why, sizeof r->why,
             "%s%s wrote outside its result: byte %zu %s %.80s",
             s->kernel ? "kernel " : "the evaluator",
             s->kernel ? s->kernel : "",
             least ? least : bad - f->block[best].offset + 1, how,
             sn_name(r->x->g, r->x->plan->owner[best]));
}

static bool
work_strayed(SnRun *r, const SnExecStep *s)
{
    for (unsigned i = 0; r->work && i < r->nthread; i++) {
        const uint8_t *p = r->work + i * r->pitch;
        size_t bad = first_unfilled(p, s->nwork, r->pitch);
        if (bad == r->pitch)
            continue;
        snprintf(r->why, sizeof r->why,
                 "%s%s wrote outside its working memory: byte %zu behind %zu",
                 s->kernel ? "kernel " : "the evaluator",
                 s->kernel ? s->kernel : "", bad - s->nwork + 1, s->nwork);
        return true;
    }
    return false;
}

SnStatus
sn_fence_check(SnFence *f, SnRun *r, const SnExecStep *s)
{
    Rows v[SN_MAXRES];
    uint32_t n = all_rows(f, r, s, v);
    size_t bad = strayed(f, v, n);

    if (bad < f->nbyte)
        tell(f, r, s, f->when[s - r->x->step], bad);
    else if (!work_strayed(r, s))
        return SN_OK;
    r->where = sn_name(r->x->g, SN_REF(s->node, 0));
    return SN_EINTERNAL;
}

/* Results as they are now. */
static void
keep_results(SnFence *f, const SnRun *r, const SnExecStep *s)
{
    Rows v[SN_MAXRES];
    uint32_t n = all_rows(f, r, s, v);

    for (uint32_t i = 0; i < n; i++)
        for (size_t j = 0; j < v[i].n && v[i].row; j++)
            memcpy(f->mirror + v[i].at + j * v[i].pitch,
                   f->arena + v[i].at + j * v[i].pitch, v[i].row);
}

void
sn_fence_next(SnFence *f, const SnRun *r, const SnExecStep *s)
{
    uint32_t k = (uint32_t)(s - r->x->step);

    if (k + 1 >= r->x->nstep)
        return;
    if (r->hook)
        keep_results(f, r, s);
    close_blocks(f, r, f->when[k + 1]);
    open_blocks(f, r, k + 1);
}
