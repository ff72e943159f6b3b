// SPDX-License-Identifier: Apache-2.0
/* Homes of values: with the caller (inputs, outputs), among constants, or in
 * the arena, with the steps that need them. */
#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "graph/moved.h"

SnAotValue *
sn_aot_value(const SnProgram *p, SnRef ref)
{
    SnAotValue *v = &p->value[ref];

    while (v->alias)
        v = &p->value[v->alias];
    return v;
}

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

/* A move that keeps the order of all elements shares its operand's memory. */
static bool
is_alias(const SnProgram *p, const SnNode *n, SnId id)
{
    return n->nres == 1 && n->nin >= 1 && n->in[0].ref &&
           p->value[SN_REF(id, 0)].home == SN_HOME_NONE &&
           sn_moved(p->g, id) == SN_MOVED_IN_ORDER &&
           sn_tensor_nbyte(n->res[0].type, n->res[0].shape) > 0;
}

/* The steps during which the blocks of step s are needed: all steps of a chain
 * run alternately. */
static uint32_t
first_of(const SnProgram *p, uint32_t s)
{
    return p->band[s].on ? p->band[s].first : s;
}

static uint32_t
last_of(const SnProgram *p, uint32_t s)
{
    return p->band[s].on ? p->band[s].last : s;
}

/* Bytes of a result that lie in the arena. */
static size_t
bytes_of(const SnProgram *p, uint32_t s, const SnNode *n, unsigned r)
{
    return p->band[s].on && s < p->band[s].last
               ? sn_band_bytes(&p->band[s + 1])
               : sn_tensor_nbyte(n->res[r].type, n->res[r].shape);
}

/* Working memory of step s. */
static uint32_t
add_work(SnProgram *p, uint32_t s, size_t nbyte)
{
    SnBlock b = {
        .nbyte = nbyte, .first = first_of(p, s), .last = last_of(p, s)};
    uint32_t i = p->nblock;

    SN_PUSH(p->a, p->block, p->nblock, b);
    p->work[i] = true;
    return i;
}

/* Working memory of a step; steps of a chain share it. */
static void
add_scratch(SnProgram *p, uint32_t s)
{
    const SnAotTile *t = p->tile[s];

    if (p->band[s].copied && p->band[s].on)
        p->band[s].block = add_work(p, s, sn_band_bytes(&p->band[s]));
    if (!t)
        return;
    for (uint32_t k = first_of(p, s); k < s; k++)
        if (p->tile[k]) {
            SnBlock *b = &p->block[p->scratch[k]];
            p->scratch[s] = p->scratch[k];
            b->nbyte = b->nbyte > t->scratch ? b->nbyte : t->scratch;
            return;
        }
    p->scratch[s] = add_work(p, s, t->scratch);
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
            SnBlock b = {.nbyte = bytes_of(p, s, n, r),
                         .first = first_of(p, s),
                         .last = last_of(p, s)};
            if (v->home != SN_HOME_NONE || (r > 0 && n->res[r].nuse == 0))
                continue;
            *v = (SnAotValue){SN_HOME_ARENA, p->nblock, 0};
            SN_PUSH(p->a, p->block, p->nblock, b);
        }
        add_scratch(p, s);
    }
}

static void
lives(SnProgram *p)
{
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        const SnNode *n = sn_node(p->g, p->x->step[s].node);
        for (uint32_t i = 0; i < n->nin; i++) {
            SnRef r = n->in[i].ref;
            SnAotValue *v =
                r && !sn_def(p->g, r)->data ? sn_aot_value(p, r) : NULL;
            if (v && v->home == SN_HOME_ARENA &&
                p->block[v->i].last < last_of(p, s))
                p->block[v->i].last = last_of(p, s);
        }
    }
    for (uint32_t i = 0; i < p->x->noutput; i++) { /* copied at the end */
        SnRef r = p->x->output[i].ref;
        SnAotValue *v = sn_def(p->g, r)->data ? NULL : sn_aot_value(p, r);
        if (v && v->home == SN_HOME_ARENA)
            p->block[v->i].last = p->x->nstep;
    }
}

void
sn_aot_homes(SnProgram *p)
{
    caller_homes(p);
    arena_homes(p);
    lives(p);
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
