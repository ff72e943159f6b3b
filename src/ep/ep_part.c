// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_part.h"

#include <string.h>

enum {
    MANY = 64
}; /* parts: among more, only those that read each other are
      joined */

typedef struct Divider {
    const SnEpDag *g;
    uint32_t *depth; /* [n] changes between nodes that can and others above */
    uint32_t *up;    /* [n] towards the one that names the part */
    uint32_t *next;  /* [n] another member; SN_EP_NONE: no more */
    uint32_t *last;  /* [n] of the part that the node names */
    uint32_t *nafter, **after;
    uint32_t *mark, now; /* parts that were met */
    uint32_t *stack;
} Divider;

/* An order in which each node comes after what it reads; false: a circle. */
static bool
sort(SnArena *a, Divider *v, uint32_t *order)
{
    const SnEpDag *g = v->g;
    uint32_t *left = SN_NEW_N(a, uint32_t, g->n + 1), n = 0;

    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t b = 0; b < g->nbefore[i]; b++)
            SN_PUSH(a, v->after[g->before[i][b]], v->nafter[g->before[i][b]],
                    i);
    for (uint32_t i = 0; i < g->n; i++)
        if (!(left[i] = g->nbefore[i]))
            order[n++] = i;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t s = 0; s < v->nafter[order[k]]; s++)
            if (--left[v->after[order[k]][s]] == 0)
                order[n++] = v->after[order[k]][s];
    return n == g->n;
}

static uint32_t
name_of(Divider *v, uint32_t i)
{
    while (v->up[i] != i)
        i = v->up[i] = v->up[v->up[i]];
    return i;
}

static void
join(Divider *v, uint32_t x, uint32_t y)
{
    v->up[y] = x;
    v->next[v->last[x]] = y;
    v->last[x] = v->last[y];
}

/* Does a path from part x to part y lead over another? */
static bool
leads_round(Divider *v, uint32_t x, uint32_t y)
{
    uint32_t n = 0;

    v->now++;
    v->mark[x] = v->now;
    v->stack[n++] = x;
    while (n) {
        uint32_t p = v->stack[--n];
        for (uint32_t i = p; i != SN_EP_NONE; i = v->next[i])
            for (uint32_t s = 0; s < v->nafter[i]; s++) {
                uint32_t q = name_of(v, v->after[i][s]);
                if (q == y && p != x)
                    return true;
                if (q == y || v->mark[q] == v->now)
                    continue;
                v->mark[q] = v->now;
                v->stack[n++] = q;
            }
    }
    return false;
}

/* Joins a part with one that reads it, as long as there are such. */
static void
join_more(Divider *v, const bool *can, const uint32_t *order)
{
    const SnEpDag *g = v->g;
    bool again = true;

    while (again) {
        again = false;
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t i = order[k];
            for (uint32_t b = 0; can[i] && b < g->nbefore[i]; b++) {
                uint32_t x = name_of(v, g->before[i][b]), y = name_of(v, i);
                if (!can[g->before[i][b]] || x == y || leads_round(v, x, y))
                    continue;
                join(v, x, y);
                again = true;
            }
        }
    }
}

/* Does a path lead from part x to part y? */
static bool
leads_to(Divider *v, uint32_t x, uint32_t y)
{
    for (uint32_t i = x; i != SN_EP_NONE; i = v->next[i])
        for (uint32_t s = 0; s < v->nafter[i]; s++)
            if (name_of(v, v->after[i][s]) == y)
                return true;
    return leads_round(v, x, y);
}

/* Joins parts that do not depend on each other: one call is less than two. */
static void
join_others(Divider *v, SnArena *a, const bool *can)
{
    uint32_t *part = NULL, n = 0;

    for (uint32_t i = 0; i < v->g->n; i++)
        if (can[i] && name_of(v, i) == i)
            SN_PUSH(a, part, n, i);
    for (uint32_t i = 0; i < n && n <= MANY; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            uint32_t x = name_of(v, part[i]), y = name_of(v, part[k]);
            if (x != y && !leads_to(v, x, y) && !leads_to(v, y, x))
                join(v, x, y);
        }
}

uint32_t
sn_ep_parts(SnArena *a, const SnEpDag *g, const bool *can, uint32_t *part)
{
    uint32_t n = g->n, npart = 0;
    uint32_t *order = SN_NEW_N(a, uint32_t, n + 1);
    Divider v = {.g = g,
                 .depth = SN_NEW_N(a, uint32_t, n + 1),
                 .up = SN_NEW_N(a, uint32_t, n + 1),
                 .next = SN_NEW_N(a, uint32_t, n + 1),
                 .last = SN_NEW_N(a, uint32_t, n + 1),
                 .nafter = SN_NEW_N(a, uint32_t, n + 1),
                 .after = SN_NEW_N(a, uint32_t *, n + 1),
                 .mark = SN_NEW_N(a, uint32_t, n + 1),
                 .stack = SN_NEW_N(a, uint32_t, n + 1)};

    memset(part, 0, n * sizeof *part);
    if (!sort(a, &v, order))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        v.up[i] = v.last[i] = i;
        v.next[i] = SN_EP_NONE;
    }
    /* Nodes of one depth that read each other are a part: a path that leaves
     * them and comes back ends deeper. */
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = order[k];
        for (uint32_t b = 0; b < g->nbefore[i]; b++) {
            uint32_t p = g->before[i][b], d = v.depth[p] + (can[p] != can[i]);
            v.depth[i] = d > v.depth[i] ? d : v.depth[i];
        }
        for (uint32_t b = 0; can[i] && b < g->nbefore[i]; b++) {
            uint32_t p = g->before[i][b], x = name_of(&v, p);
            if (can[p] && v.depth[p] == v.depth[i] && x != name_of(&v, i))
                join(&v, x, name_of(&v, i));
        }
    }
    join_more(&v, can, order);
    join_others(&v, a, can);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = order[k], x = name_of(&v, i);
        if (can[i])
            part[i] = part[x] ? part[x] : (part[x] = ++npart);
    }
    return npart;
}
