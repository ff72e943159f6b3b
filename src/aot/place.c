// SPDX-License-Identifier: Apache-2.0
/* Where values lie: with the caller (inputs, outputs), among constants, or in
 * the arena, where those that are not needed together share memory. */
#include <string.h>

#include "aot/program.h"
#include "aot/tile.h"
#include "graph/moved.h"
#include "map/facts.h"

static SnAotValue *
value(const SnProgram *p, SnRef ref)
{
    SnAotValue *v = &p->value[ref];

    while (v->alias)
        v = &p->value[v->alias];
    return v;
}

/* ---- homes ---- */

static void
caller_homes(SnProgram *p)
{
    const SnExec *x = p->x;

    for (uint32_t i = 0; i < x->ninput; i++)
        p->value[x->input[i].ref] = (SnAotValue){SN_HOME_INPUT, i, 0};
    for (uint32_t i = 0; i < x->noutput; i++) {
        SnRef r = x->output[i].ref;
        const SnNode *n = sn_def(p->g, r);
        bool computed = !n->data && p->value[r].home == SN_HOME_NONE;
        if (computed) /* a second output of one value is copied */
            p->value[r] = (SnAotValue){SN_HOME_OUTPUT, i, 0};
    }
}

/* A move that leaves everything in its order has its operand's memory. */
static bool
is_alias(const SnProgram *p, const SnNode *n, SnId id)
{
    return n->nres == 1 && n->nin >= 1 && n->in[0].ref &&
           p->value[SN_REF(id, 0)].home == SN_HOME_NONE &&
           sn_moved(p->g, id) == SN_MOVED_IN_ORDER &&
           sn_tensor_nbyte(n->res[0].type, n->res[0].shape) > 0;
}

static void
arena_homes(SnProgram *p)
{
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        SnId id = p->x->step[s].node;
        const SnNode *n = sn_node(p->g, id);
        if (is_alias(p, n, id)) {
            p->value[SN_REF(id, 0)] = (SnAotValue){.alias = n->in[0].ref};
            p->skipped[s] = true;
            continue;
        }
        for (unsigned r = 0; r < n->nres; r++) {
            SnAotValue *v = &p->value[SN_REF(id, r)];
            SnBlock b = {.nbyte =
                             sn_tensor_nbyte(n->res[r].type, n->res[r].shape),
                         .first = s,
                         .last = s};
            if (v->home != SN_HOME_NONE || (r > 0 && n->res[r].nuse == 0))
                continue;
            *v = (SnAotValue){SN_HOME_ARENA, p->nblock, 0};
            SN_PUSH(p->a, p->block, p->nblock, b);
        }
        if (p->tile[s]) {
            SnBlock b = {.nbyte = p->tile[s]->scratch, .first = s, .last = s};
            p->scratch[s] = p->nblock;
            SN_PUSH(p->a, p->block, p->nblock, b);
            p->work[p->scratch[s]] = true;
        }
    }
}

static void
lives(SnProgram *p)
{
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        const SnNode *n = sn_node(p->g, p->x->step[s].node);
        for (uint32_t i = 0; i < n->nin; i++) {
            SnRef r = n->in[i].ref;
            SnAotValue *v = r && !sn_def(p->g, r)->data ? value(p, r) : NULL;
            if (v && v->home == SN_HOME_ARENA && p->block[v->i].last < s)
                p->block[v->i].last = s;
        }
    }
    for (uint32_t i = 0; i < p->x->noutput; i++) { /* copied at the end */
        SnRef r = p->x->output[i].ref;
        SnAotValue *v = sn_def(p->g, r)->data ? NULL : value(p, r);
        if (v && v->home == SN_HOME_ARENA)
            p->block[v->i].last = p->x->nstep;
    }
}

/* The planner's alignment is 64; ours is smaller, so it sees larger blocks. */
enum { SCALE = SN_PLAN_ALIGN / SN_AOT_ALIGN };

static size_t
up(size_t n)
{
    return (n + SN_AOT_ALIGN - 1) / SN_AOT_ALIGN * SN_AOT_ALIGN;
}

/* Offsets of all blocks, or of those of values. */
static size_t
plan_by_size(SnProgram *p, SnArena *t, bool values)
{
    SnBlock *b = SN_NEW_N(t, SnBlock, p->nblock + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->nblock; i++)
        if (p->block[i].nbyte && !(values && p->work[i])) {
            b[n] = p->block[i];
            b[n++].nbyte *= SCALE;
        }
    size_t size = sn_plan_blocks(t, b, n);
    n = 0;
    for (uint32_t i = 0; i < p->nblock; i++)
        if (p->block[i].nbyte && !(values && p->work[i]))
            p->block[i].offset = b[n++].offset / SCALE;
    return size / SCALE;
}

/* The lowest place for working memory i beside the values of its step; the end
 * of it. */
static size_t
place_work(SnProgram *p, uint32_t i)
{
    SnBlock *w = &p->block[i];
    bool moved = true;

    w->offset = 0;
    while (moved) {
        moved = false;
        for (uint32_t k = 0; k < p->nblock; k++) {
            const SnBlock *b = &p->block[k];
            if (p->work[k] || !b->nbyte || b->first > w->first ||
                b->last < w->first || b->offset >= w->offset + w->nbyte ||
                b->offset + b->nbyte <= w->offset)
                continue;
            w->offset = up(b->offset + b->nbyte);
            moved = true;
        }
    }
    return w->offset + up(w->nbyte);
}

/* Working memory, which only one step needs, goes with the values or after
 * them: what takes less. */
static size_t
plan(SnProgram *p, SnArena *t)
{
    size_t size, together;

    if (p->nblock == 0)
        return 0;
    size = plan_by_size(p, t, true);

    for (uint32_t i = 0; i < p->nblock; i++) {
        size_t end = p->work[i] ? place_work(p, i) : 0;
        size = end > size ? end : size;
    }
    SnBlock *kept = sn_memdup(t, p->block, p->nblock * sizeof *kept);
    together = plan_by_size(p, t, false);
    if (together < size)
        return together;
    memcpy(p->block, kept, p->nblock * sizeof *kept);
    return size;
}

/* ---- in place ---- */

/* Does the node read element i of slot for element i of its result alone? */
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

/* Lets step s write over an operand that nobody reads later, if the arena does
 * not grow. */
static void
try_in_place(SnProgram *p, uint32_t s)
{
    SnId id = p->x->step[s].node;
    const SnNode *n = sn_node(p->g, id);
    SnAotValue *y = &p->value[SN_REF(id, 0)];

    if (y->home != SN_HOME_ARENA)
        return;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef r = n->in[i].ref;
        SnAotValue *v = r && !sn_def(p->g, r)->data ? value(p, r) : NULL;
        bool alone = v && v->home == SN_HOME_ARENA && v->i != y->i &&
                     p->block[v->i].last == s;
        for (uint32_t k = 0; alone && k < n->nin; k++)
            alone = k == i || !n->in[k].ref ||
                    sn_def(p->g, n->in[k].ref)->data ||
                    value(p, n->in[k].ref) != v || n->in[k].ref == r;
        if (!alone || !reads_in_place(p, n, i))
            continue;
        SnBlock *x = &p->block[v->i], was = *x, gone = p->block[y->i];
        x->last = gone.last;
        p->block[y->i].first = p->block[y->i].last = s;
        p->block[y->i].nbyte = 0;
        SnArena *t = sn_arena_new();
        size_t size = plan(p, t);
        sn_arena_free(t);
        if (size <= p->arena) {
            p->arena = size;
            y->i = v->i;
            return;
        }
        *x = was;
        p->block[y->i] = gone;
    }
}

/* ---- */

/* The largest sum of what is needed at one step. */
static size_t
lower_bound(const SnProgram *p)
{
    size_t most = 0;

    for (uint32_t s = 0; s <= p->x->nstep; s++) {
        size_t sum = 0;
        for (uint32_t i = 0; i < p->nblock; i++)
            if (p->block[i].first <= s && s <= p->block[i].last)
                sum += up(p->block[i].nbyte);
        most = sum > most ? sum : most;
    }
    return most;
}

/* More are not tried one by one. */
enum { MOST_STEPS = 1500 };

void
sn_aot_place(SnProgram *p)
{
    p->work =
        SN_NEW_N(p->a, bool, ((size_t)p->g->nnode << SN_RESBITS) + p->x->nstep);
    p->value = SN_NEW_N(p->a, SnAotValue, (size_t)p->g->nnode << SN_RESBITS);
    p->skipped = SN_NEW_N(p->a, bool, p->x->nstep + 1);
    p->fails = SN_NEW_N(p->a, bool, p->x->nstep + 1);
    p->tables = SN_NEW_N(p->a, size_t, p->x->nstep + 1);
    caller_homes(p);
    arena_homes(p);
    lives(p);
    p->arena = plan(p, p->a);
    for (uint32_t s = 0; s < p->x->nstep && p->x->nstep < MOST_STEPS; s++)
        if (!p->skipped[s])
            try_in_place(p, s);
    p->arena = plan(p, p->a);
    p->bound = lower_bound(p);
}

const char *
sn_aot_arg(const SnProgram *p, SnRef ref)
{
    const SnNode *n = sn_def(p->g, ref);

    if (n->data)
        return sn_format(p->a, "%s_c%u", p->name, SN_NODE(ref));
    while (p->value[ref].alias) {
        ref = p->value[ref].alias;
        if (sn_def(p->g, ref)->data)
            return sn_format(p->a, "%s_c%u", p->name, SN_NODE(ref));
    }
    const SnAotValue *v = &p->value[ref];
    if (v->home == SN_HOME_INPUT)
        return sn_format(p->a, "in%u", v->i);
    if (v->home == SN_HOME_OUTPUT)
        return sn_format(p->a, "out%u", v->i);
    return sn_format(p->a, "v%u_%u", SN_NODE(ref), SN_RES(ref));
}
