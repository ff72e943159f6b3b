// SPDX-License-Identifier: Apache-2.0
/* The plan of the arena, where values that are not needed at the same time
 * share memory. */
#include <stdlib.h>
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "map/facts.h"

static size_t
up(size_t n)
{
    return (n + SN_AOT_ALIGN - 1) / SN_AOT_ALIGN * SN_AOT_ALIGN;
}

/* ---- what may lie over what ---- */

/* Does the node read element i of slot only for element i of its result? */
static bool
reads_in_place(const SnProgram *p, const SnNode *n, uint32_t slot)
{
    const SnKindDesc *kd = sn_desc(n->kind);
    const SnShape *y = n->res[0].shape;
    SnRef r = n->in[slot].ref;

    return n->nres == 1 && kd->sem[0].decl &&
           sn_map_in_place(kd->sem[0].decl) && r &&
           sn_shape_equal(sn_shape_of(p->g, r), y) &&
           sn_tensor_nbyte(sn_type(p->g, r), y) ==
               sn_tensor_nbyte(n->res[0].type, y);
}

/* How far before operand slot the result of step s must begin so that only
 * elements already read are overwritten; -1: they must not overlap. */
static int64_t
distance(const SnProgram *p, uint32_t s, const SnNode *n, uint32_t slot)
{
    const SnAotTile *t = p->tile[s];

    if (t)
        return t->x == slot ? p->trail[s] : -1;
    return reads_in_place(p, n, slot) ? 0 : -1;
}

/* Is no other operand of n in the memory of that value? */
static bool
is_alone(const SnProgram *p, const SnNode *n, uint32_t slot,
         const SnAotValue *v)
{
    SnRef r = n->in[slot].ref;

    for (uint32_t k = 0; k < n->nin; k++) {
        SnRef q = n->in[k].ref;
        if (k != slot && q && !sn_def(p->g, q)->data && q != r &&
            sn_aot_value(p, q) == v)
            return false;
    }
    return true;
}

/* The block of step s's result may begin `gap` bytes before block `under`,
 * which is not used later. */
typedef struct Tie {
    uint32_t under;
    size_t gap;
    bool is, on; /* it exists; it is used */
} Tie;

static Tie
find_tie(const SnProgram *p, uint32_t s)
{
    SnId id = p->x->step[s].node;
    const SnNode *n = sn_node(p->g, id);
    const SnAotValue *y = &p->value[SN_REF(id, 0)];
    Tie t = {0};

    if (p->skipped[s] || p->band[s].on || n->nres != 1 ||
        y->home != SN_HOME_ARENA || p->block[y->i].nbyte == 0)
        return t;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef r = n->in[i].ref;
        SnAotValue *v = r && !sn_def(p->g, r)->data ? sn_aot_value(p, r) : NULL;
        int64_t d = v && v->home == SN_HOME_ARENA && v->i != y->i &&
                            p->block[v->i].last == s &&
                            p->block[v->i].first < s && is_alone(p, n, i, v)
                        ? distance(p, s, n, i)
                        : -1;
        if (d < 0 || (t.is && up((size_t)d) >= t.gap))
            continue;
        t = (Tie){.under = v->i, .gap = up((size_t)d), .is = true};
    }
    return t;
}

/* ---- the plan ---- */

/* Tied blocks lie at fixed distances from each other: a group, which is placed
 * as a whole. */
typedef struct Group {
    uint32_t first, n; /* of `member` */
    size_t size;       /* from its lowest place to its end */
    size_t most;       /* bytes of its largest member */
    uint32_t from;     /* the step that writes its first */
    bool work;         /* working memory of one step */
} Group;

typedef struct Plan {
    const SnProgram *p;
    const Tie *tie;  /* [nstep] */
    uint32_t *order; /* [nblock] members, group by group */
    size_t *rel;     /* [nblock] from the lowest place of the group */
    uint32_t ngroup;
    Group *group;
    size_t *offset;   /* [nblock] */
    uint32_t *region; /* [nblock] */
    struct {
        uint32_t n, *block; /* that are placed, in order of offsets */
        size_t end;
    } in[SN_AOT_REGIONS];
} Plan;

/* Sizes of regions: that of the last one is not limited here. */
static size_t
limit(const SnProgram *p, uint32_t region)
{
    return region + 1 < p->nregion ? p->o->region[region] : SIZE_MAX / 4;
}

static int
larger(const void *x, const void *y)
{
    const Group *a = x, *b = y;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Working memory is placed last, between the other blocks. */
static int
work_last(const void *x, const void *y)
{
    const Group *a = x, *b = y;

    return a->work != b->work ? a->work - b->work : larger(x, y);
}

static int
larger_member(const void *x, const void *y)
{
    const Group *a = x, *b = y;

    if (a->work != b->work)
        return a->work - b->work;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return larger(x, y);
}

static int
earlier(const void *x, const void *y)
{
    const Group *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return larger(x, y);
}

static int
later(const void *x, const void *y)
{
    return -earlier(x, y);
}

/* Orders in which groups are placed; the best is kept. */
static int (*const orders[])(const void *, const void *) = {
    larger, work_last, larger_member, earlier, later};
enum { NORDER = sizeof orders / sizeof *orders };

static void
group_blocks(Plan *q, SnArena *t)
{
    const SnProgram *p = q->p;
    uint32_t *after = SN_NEW_N(t, uint32_t, p->nblock + 1); /* + 1; 0: none */
    size_t *gap = SN_NEW_N(t, size_t, p->nblock + 1), n = 0;
    bool *inner = SN_NEW_N(t, bool, p->nblock + 1);

    for (uint32_t s = 0; s < p->x->nstep; s++)
        if (q->tie[s].on) {
            uint32_t y = p->value[SN_REF(p->x->step[s].node, 0)].i;
            after[q->tie[s].under] = y + 1;
            gap[y] = q->tie[s].gap;
            inner[y] = true;
        }
    for (uint32_t i = 0; i < p->nblock; i++) {
        Group g = {.first = (uint32_t)n,
                   .from = p->block[i].first,
                   .work = p->work[i]};
        size_t down = 0, at = 0;
        if (inner[i] || p->block[i].nbyte == 0)
            continue;
        for (uint32_t k = i + 1; k; k = after[k - 1])
            down += gap[k - 1];
        for (uint32_t k = i + 1; k; k = after[k - 1]) {
            at += gap[k - 1];
            q->rel[k - 1] = down - at;
            q->order[n++] = k - 1;
            size_t end = down - at + up(p->block[k - 1].nbyte);
            g.size = end > g.size ? end : g.size;
            g.most =
                p->block[k - 1].nbyte > g.most ? p->block[k - 1].nbyte : g.most;
        }
        g.n = (uint32_t)n - g.first;
        SN_PUSH(t, q->group, q->ngroup, g);
    }
}

/* The lowest place of the group, from `at` on, where its block i overlaps no
 * placed block. */
static size_t
pushed(const Plan *q, uint32_t i, size_t at, uint32_t region)
{
    const SnBlock *b = &q->p->block[i];
    size_t lo = at + q->rel[i], n = up(b->nbyte);

    for (uint32_t k = 0; k < q->in[region].n; k++) {
        uint32_t j = q->in[region].block[k];
        const SnBlock *c = &q->p->block[j];
        size_t end = q->offset[j] + up(c->nbyte);
        if (q->offset[j] >= lo + n)
            break;
        if (c->first <= b->last && c->last >= b->first && end > lo)
            lo = end;
    }
    return lo - q->rel[i];
}

static void
put(Plan *q, uint32_t i, size_t offset, uint32_t region)
{
    uint32_t *v = q->in[region].block, k = q->in[region].n++;

    q->offset[i] = offset;
    q->region[i] = region;
    for (; k > 0 && q->offset[v[k - 1]] > offset; k--)
        v[k] = v[k - 1];
    v[k] = i;
}

static void
place_group(Plan *q, const Group *g)
{
    for (uint32_t r = 0; r < q->p->nregion; r++) {
        size_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t i = g->first; i < g->first + g->n; i++) {
                size_t to = pushed(q, q->order[i], at, r);
                moved = moved || to != at;
                at = to;
            }
        }
        if (at + g->size > limit(q->p, r))
            continue;
        for (uint32_t i = g->first; i < g->first + g->n; i++)
            put(q, q->order[i], at + q->rel[q->order[i]], r);
        if (at + g->size > q->in[r].end)
            q->in[r].end = at + g->size;
        return;
    }
}

/* Groups as they are ordered.  Bytes of all regions together; bytes beyond the
 * last region count so much that nothing can make up for them. */
static size_t
place_all(Plan *q)
{
    const SnProgram *p = q->p;
    size_t all = 0, last = p->nregion - 1;

    for (uint32_t r = 0; r < p->nregion; r++) {
        q->in[r].n = 0;
        q->in[r].end = 0;
    }
    for (uint32_t i = 0; i < q->ngroup; i++)
        place_group(q, &q->group[i]);
    for (uint32_t r = 0; r < p->nregion; r++)
        all += q->in[r].end;
    if (p->o->nregion && q->in[last].end > p->o->region[last])
        all += 64 * (q->in[last].end - p->o->region[last]);
    return all;
}

/* The group that ends highest. */
static uint32_t
top_of(const Plan *q)
{
    size_t most = 0;
    uint32_t top = 0;

    for (uint32_t i = 0; i < q->ngroup; i++) {
        const Group *g = &q->group[i];
        uint32_t b = q->order[g->first];
        size_t end = q->offset[b] - q->rel[b] + g->size;
        top = end > most ? i : top;
        most = end > most ? end : most;
    }
    return top;
}

/* Of one region: places first what ends highest, again and again, and keeps the
 * best order. */
enum { MOST_RAISED = 12, MOST_GROUPS = 200 };

static void
raise_tops(Plan *q, Group *best, size_t least)
{
    const SnProgram *p = q->p;

    for (int k = 0; k < MOST_RAISED && least > p->bound; k++) {
        uint32_t top = top_of(q);
        Group g = q->group[top];
        if (top == 0)
            break;
        memmove(q->group + 1, q->group, top * sizeof g);
        q->group[0] = g;
        size_t size = place_all(q);
        if (size >= least)
            continue;
        least = size;
        memcpy(best, q->group, q->ngroup * sizeof g);
    }
}

static size_t
plan(SnProgram *p, const Tie *tie, SnArena *t, Plan **out)
{
    Plan *q = SN_NEW(t, Plan);
    size_t least = SIZE_MAX;

    *q = (Plan){.p = p,
                .tie = tie,
                .order = SN_NEW_N(t, uint32_t, p->nblock + 1),
                .rel = SN_NEW_N(t, size_t, p->nblock + 1),
                .offset = SN_NEW_N(t, size_t, p->nblock + 1),
                .region = SN_NEW_N(t, uint32_t, p->nblock + 1)};
    for (uint32_t r = 0; r < p->nregion; r++)
        q->in[r].block = SN_NEW_N(t, uint32_t, p->nblock + 1);
    group_blocks(q, t);
    Group *best = SN_NEW_N(t, Group, q->ngroup + 1);
    for (int i = 0; i < NORDER && q->ngroup; i++) {
        qsort(q->group, q->ngroup, sizeof *best, orders[i]);
        size_t size = place_all(q);
        if (size < least) {
            least = size;
            memcpy(best, q->group, q->ngroup * sizeof *best);
        }
    }
    if (q->ngroup)
        memcpy(q->group, best, q->ngroup * sizeof *best);
    *out = q;
    least = place_all(q);
    if (p->nregion > 1 || q->ngroup > MOST_GROUPS || least <= p->bound)
        return least;
    raise_tops(q, best, least);
    memcpy(q->group, best, q->ngroup * sizeof *best);
    return place_all(q);
}

static size_t
size_of(SnProgram *p, const Tie *tie)
{
    SnArena *t = sn_arena_new();
    Plan *q;
    size_t n = plan(p, tie, t, &q);

    sn_arena_free(t);
    return n;
}

/* With more steps, either all or none are tied; with more blocks, the planner
 * of runs places them one by one, with an alignment that is a multiple of
 * ours. */
enum {
    MOST_HALVED = 1500,
    MOST_BLOCKS = 3000,
    SCALE = SN_PLAN_ALIGN / SN_AOT_ALIGN
};

/* Uses the ties of steps lo .. hi - 1 if the arena does not grow: all of them,
 * or those of each half. */
static void
try_ties(SnProgram *p, Tie *tie, uint32_t lo, uint32_t hi, size_t *size)
{
    uint32_t n = 0;

    for (uint32_t s = lo; s < hi; s++) {
        tie[s].on = tie[s].is;
        n += tie[s].on;
    }
    if (n == 0)
        return;
    size_t with = size_of(p, tie);
    if (with <= *size) {
        *size = with;
        return;
    }
    for (uint32_t s = lo; s < hi; s++)
        tie[s].on = false;
    if (hi - lo == 1 || hi - lo > MOST_HALVED)
        return;
    try_ties(p, tie, lo, lo + (hi - lo) / 2, size);
    try_ties(p, tie, lo + (hi - lo) / 2, hi, size);
}

/* Graphs with more ties keep what the halves gave. */
enum { MOST_TIES = 400, MOST_PAIRS = 64 };

/* Changes ties one by one, then by twos, while the arena shrinks.  A tie that
 * saves nothing is removed: it only gets in the way of others. */
static void
climb(SnProgram *p, Tie *tie, size_t *size)
{
    uint32_t *at = SN_NEW_N(p->a, uint32_t, p->x->nstep + 1), n = 0;
    bool better = true;

    for (uint32_t s = 0; s < p->x->nstep; s++)
        if (tie[s].is)
            at[n++] = s;
    while (better && n <= MOST_TIES && *size > p->bound) {
        better = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i; k < (n <= MOST_PAIRS ? n : i + 1); k++) {
                Tie *t = &tie[at[i]], *u = &tie[at[k]];
                bool was = t->on, was2 = u->on;
                u->on = !was2;
                t->on = !was;
                size_t now = size_of(p, tie);
                if (now < *size || (now == *size && i == k && was)) {
                    better = better || now < *size;
                    *size = now;
                } else {
                    u->on = was2;
                    t->on = was;
                }
            }
    }
}

/* ---- */

/* Sets sum[s], for each step s and the end, to the bytes of blocks that live at
 * it; aligned: each with the gap behind it. */
static void
add_blocks(const SnProgram *p, bool aligned, size_t *sum)
{
    uint32_t n = p->x->nstep;

    /* Differences here, sums below: wrapping is undone by the sum. */
    memset(sum, 0, (n + 1u) * sizeof *sum);
    for (uint32_t i = 0; i < p->nblock; i++) {
        const SnBlock *b = &p->block[i];
        size_t nbyte = aligned ? up(b->nbyte) : b->nbyte;
        if (b->first > n)
            continue;
        sum[b->first] += nbyte;
        if (b->last < n)
            sum[b->last + 1] -= nbyte;
    }
    for (uint32_t s = 1; s <= n; s++)
        sum[s] += sum[s - 1];
}

/* The largest sum of bytes needed at one step, a result overlapping its operand
 * as far as allowed. */
static size_t
lower_bound(SnProgram *p, const Tie *tie)
{
    size_t most = 0;

    add_blocks(p, true, p->least);
    for (uint32_t s = 0; s <= p->x->nstep; s++) {
        size_t sum = p->least[s];
        if (s < p->x->nstep && tie[s].is) {
            const SnAotValue *v = &p->value[SN_REF(p->x->step[s].node, 0)];
            size_t x = up(p->block[tie[s].under].nbyte);
            size_t y = up(p->block[v->i].nbyte);
            size_t both = x + tie[s].gap > y ? x + tie[s].gap : y;
            sum -= both < x + y ? x + y - both : 0;
        }
        most = sum > most ? sum : most;
        p->least[s] = sum;
    }
    return most;
}

/* Without ties and regions. */
static void
plan_many(SnProgram *p)
{
    SnBlock *b = SN_NEW_N(p->a, SnBlock, p->nblock + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->nblock; i++)
        if (p->block[i].nbyte) {
            b[n] = p->block[i];
            b[n++].nbyte *= SCALE;
        }
    p->arena = p->size[0] = sn_plan_blocks(p->a, b, n) / SCALE;
    n = 0;
    for (uint32_t i = 0; i < p->nblock; i++)
        if (p->block[i].nbyte)
            p->block[i].offset = b[n++].offset / SCALE;
    p->region = SN_NEW_N(p->a, uint32_t, p->nblock + 1);
}

/* Bytes that are in use at each step; shared bytes count once. */
static void
set_live(SnProgram *p)
{
    add_blocks(p, false, p->live);
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        if (!p->tied[s])
            continue;
        const SnAotValue *v = &p->value[SN_REF(p->x->step[s].node, 0)];
        const SnBlock *y = &p->block[v->i], *x = &p->block[p->under[s]];
        size_t end = x->offset + x->nbyte;
        size_t over = y->offset + y->nbyte < end ? y->nbyte : end - y->offset;
        size_t gap = x->offset - y->offset;
        p->live[s] -= over > gap ? over - gap : 0;
    }
}

static void
plan_tied(SnProgram *p, Tie *tie)
{
    Plan *q;

    for (uint32_t s = 0; s < p->x->nstep; s++)
        tie[s] = find_tie(p, s);
    size_t size = size_of(p, tie);
    p->bound = lower_bound(p, tie);
    try_ties(p, tie, 0, p->x->nstep, &size);
    climb(p, tie, &size);
    plan(p, tie, p->a, &q);
    p->region = q->region;
    for (uint32_t r = 0; r < p->nregion; r++)
        p->arena += p->size[r] = q->in[r].end;
    for (uint32_t i = 0; i < p->nblock; i++)
        p->block[i].offset = q->offset[i];
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        p->tied[s] = tie[s].on;
        p->under[s] = tie[s].under;
    }
}

void
sn_aot_place(SnProgram *p)
{
    uint32_t n = p->x->nstep;
    Tie *tie = SN_NEW_N(p->a, Tie, n + 1);

    p->work =
        SN_NEW_N(p->a, bool, ((size_t)p->g->nnode << SN_RESBITS) + 2 * n + 1);
    p->value = SN_NEW_N(p->a, SnAotValue, (size_t)p->g->nnode << SN_RESBITS);
    p->skipped = SN_NEW_N(p->a, bool, n + 1);
    p->fails = SN_NEW_N(p->a, bool, n + 1);
    p->tables = SN_NEW_N(p->a, size_t, n + 1);
    p->tied = SN_NEW_N(p->a, bool, n + 1);
    p->under = SN_NEW_N(p->a, uint32_t, n + 1);
    p->live = SN_NEW_N(p->a, size_t, n + 1);
    p->least = SN_NEW_N(p->a, size_t, n + 1);
    p->nregion = p->o->nregion ? p->o->nregion : 1;
    p->nblock = 0;
    p->block = NULL;
    p->arena = p->bound = 0;
    sn_aot_homes(p);
    if (p->nblock > MOST_BLOCKS && p->nregion == 1) {
        plan_many(p);
        p->bound = lower_bound(p, tie);
    } else {
        plan_tied(p, tie);
    }
    set_live(p);
}
