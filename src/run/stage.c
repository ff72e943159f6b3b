// SPDX-License-Identifier: Apache-2.0
#include "run/stage.h"

#include "graph/late/late.h"

typedef struct Stage {
    SnArena *a;
    void *p;
    size_t nbyte;
} Stage;

/* Operands of a node that are staged; more are made. */
enum { NSTAGE = 2 };

struct SnStages {
    const SnGraph *g;
    size_t most; /* bytes of the largest Constant that is staged */
    Stage v[NSTAGE];
};

static void
free_arena(void *a)
{
    sn_arena_free(a);
}

static void
free_stages(void *stages)
{
    SnStages *s = stages;

    for (int k = 0; k < NSTAGE; k++) {
        sn_arena_free(s->v[k].a);
        s->v[k] = (Stage){0};
    }
}

SnStages *
sn_stages_new(SnArena *a, const SnGraph *g, bool once)
{
    SnStages *s;
    size_t most = 0;

    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *n = sn_node(g, i);
        if (n->dead || !sn_is_late(n))
            continue;
        if (!once || n->res[0].nuse > 1)
            sn_node_data(g, i);
        else if (n->late->nbyte > most)
            most = n->late->nbyte;
    }
    if (most == 0)
        return NULL;
    s = SN_NEW(a, SnStages);
    s->g = g;
    s->most = most;
    sn_arena_at_free(a, free_stages, s);
    return s;
}

/* All elements of l. */
static void *
staged(const SnStages *s, Stage *t, const SnLate *l)
{
    if (t->nbyte < l->nbyte) {
        sn_arena_free(t->a);
        *t = (Stage){0};
        t->a = sn_arena_new();
        t->p = sn_alloc(t->a, s->most);
        t->nbyte = s->most;
    }
    sn_late_fill(l, t->p);
    return t->p;
}

void
sn_stages_set(SnStages *s, const SnNode *n, SnTensor *in)
{
    int k = 0;

    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef r = n->in[i].ref;
        const SnNode *c = r ? sn_def(s->g, r) : NULL;
        if (!c || !sn_is_late(c))
            continue;
        in[i].data = k < NSTAGE
                         ? staged(s, &s->v[k++], c->late)
                         : (void *)(uintptr_t)sn_node_data(s->g, SN_NODE(r));
    }
}

/* The stage becomes the memory of Constant c. */
static void
give(const SnStages *s, Stage *t, SnNode *c)
{
    c->data = t->p;
    c->late = NULL;
    sn_arena_at_free(s->g->arena, free_arena, t->a);
    *t = (Stage){0};
}

void
sn_stages_keep(SnStages *s, const SnNode *n, const SnTensor *in,
               uint32_t copied)
{
    for (uint32_t i = 0; i < n->nin; i++) {
        SnNode *c = n->in[i].ref ? sn_def(s->g, n->in[i].ref) : NULL;
        if (!c || !sn_is_late(c) || (i < 32 && copied >> i & 1))
            continue;
        for (int k = 0; k < NSTAGE; k++)
            if (s->v[k].p == in[i].data)
                give(s, &s->v[k], c);
    }
}

void
sn_stages_end(SnStages *s, const uint32_t *ncopied)
{
    free_stages(s);
    for (SnId i = 1; i < s->g->nnode; i++) {
        const SnNode *n = sn_node(s->g, i);
        if (!n->dead && sn_is_late(n) && ncopied[i] < n->res[0].nuse)
            sn_node_data(s->g, i);
    }
}
