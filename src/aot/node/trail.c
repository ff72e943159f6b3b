// SPDX-License-Identifier: Apache-2.0
/* How a tile's result may lie over its operand: how far writes must trail
 * behind reads, found by walking the loops of tile_c.c with the shapes filled
 * in. */
#include <string.h>

#include "aot/node/tile.h"

typedef struct Walk {
    SnAotNode *n;
    const SnAotTile *t;
    const SnMapRead *x;
    SnAffine at[SN_MAXRANK]; /* index along each axis of x */
    int64_t stride[SN_MAXRANK];
    int64_t i[SN_MAP_NVAR]; /* places of the batch */
} Walk;

static int64_t
bound(const Walk *w, int v)
{
    return w->n->u.var[v].bound.v;
}

/* The places of number k among those of vars, the last fastest. */
static void
set_places(Walk *w, uint32_t vars, int64_t k)
{
    for (int v = (int)w->n->u.nvar - 1; v >= 0; v--)
        if (vars >> v & 1) {
            w->i[v] = k % bound(w, v);
            k /= bound(w, v);
        }
}

static int64_t
place_of(const Walk *w, const SnAffine *f, uint32_t vars)
{
    int64_t r = f->base;

    for (uint32_t v = 0; v < w->n->u.nvar; v++)
        if (vars >> v & 1)
            r += f->k[v] * w->i[v];
    return r;
}

/* The lowest address read for these places, or a lower one. */
static int64_t
least_read(const Walk *w)
{
    const SnAotTile *t = w->t;
    int64_t least = 0;

    for (int d = 0; d < w->x->box.rank; d++) {
        int64_t r = place_of(w, &w->at[d], t->groups | t->pixels);
        for (uint32_t v = 0; v < w->n->u.nvar; v++)
            if (t->taps >> v & 1 && w->at[d].k[v] < 0)
                r += w->at[d].k[v] * (bound(w, (int)v) - 1);
        int64_t last = w->x->box.dim[d] - 1;
        r = r < 0 ? 0 : r > last ? last : r;
        least += r * w->stride[d];
    }
    return least;
}

static int64_t
most_written(const Walk *w)
{
    const SnAotTile *t = w->t;
    int64_t most = 0;

    for (uint32_t v = 0; v < w->n->u.nvar; v++)
        if ((t->groups | t->pixels) >> v & 1)
            most += sn_aot_step(w->n, v) * w->i[v];
    if (t->filter >= 0)
        most += sn_aot_step(w->n, (uint32_t)t->filter) * (t->nfilter - 1);
    return most;
}

/* By batches whose reads all come before their writes. */
static int64_t
of_windows(Walk *w, SnArena *tmp)
{
    const SnAotTile *t = w->t;
    int64_t tiles = (t->npixel + 3) / 4, n = t->ngroup * tiles;
    int64_t *least = SN_NEW_N(tmp, int64_t, (size_t)n + 1);
    int64_t *most = SN_NEW_N(tmp, int64_t, (size_t)n + 1);
    int64_t far = 0;

    for (int64_t b = 0; b < n; b++) {
        int64_t first = b % tiles * 4;
        if (first + 4 > t->npixel && t->npixel > 4)
            first = t->npixel - 4; /* it is computed from the last four */
        least[b] = INT64_MAX;
        most[b] = b ? most[b - 1] : 0;
        set_places(w, t->groups, b / tiles);
        for (int64_t q = first; q < first + 4 && q < t->npixel; q++) {
            set_places(w, t->pixels, q);
            int64_t r = least_read(w), y = most_written(w) + 1;
            least[b] = r < least[b] ? r : least[b];
            most[b] = y > most[b] ? y : most[b];
        }
    }
    for (int64_t b = n - 1, after = INT64_MAX; b >= 0; b--) {
        if (t->direct) /* filter by filter, until the last has read x */
            after = least[b] < after ? least[b] : after;
        if (after != INT64_MAX && most[b] - after > far)
            far = most[b] - after;
        after = least[b] < after ? least[b] : after;
    }
    return far;
}

/* Calls fn for each element of the plane of these places that x has. */
static void
each_read(const Walk *w, uint32_t rest, uint32_t *last, uint32_t batch)
{
    const SnAotTile *t = w->t;
    const SnTileAxis *a = t->axis;
    int64_t from = place_of(w, &t->off, rest);
    int64_t n1 = t->naxis == 2 ? a[1].n : 1;

    for (int64_t i = 0; i < a[0].n; i++)
        for (int64_t j = 0; j < n1; j++) {
            bool in = a[0].first + i >= 0 && a[0].first + i < a[0].dim;
            if (t->naxis == 2)
                in = in && a[1].first + j >= 0 && a[1].first + j < a[1].dim;
            if (in)
                last[from + i * a[0].stride +
                     (t->naxis == 2 ? j * a[1].stride : 0)] = batch;
        }
}

/* A plane is read as a whole, then its results are written: they may use the
 * memory of x where each lies on elements that only its own plane reads. */
static int64_t
of_planes(Walk *w, SnArena *tmp)
{
    const SnAotTile *t = w->t;
    int64_t size = sn_shape_count(w->n->call.in[t->x].shape);
    uint32_t *last = SN_NEW_N(tmp, uint32_t, (size_t)size + 1);
    uint32_t walked = 0, outer;
    int64_t n = 1, inner = 1;

    for (uint32_t i = 0; i < t->naxis; i++)
        walked |= t->axis[i].place < 0 ? 0 : UINT32_C(1) << t->axis[i].place;
    outer = t->groups | (t->pixels & ~walked);
    for (uint32_t v = 0; v < w->n->u.nvar; v++) {
        n *= outer >> v & 1 ? bound(w, (int)v) : 1;
        inner *= walked >> v & 1 ? bound(w, (int)v) : 1;
    }
    for (int64_t b = 0; b < n; b++) {
        set_places(w, outer, b);
        each_read(w, outer, last, (uint32_t)b);
    }
    for (int64_t b = 0; b < n; b++)
        for (int64_t k = 0; k < inner; k++) {
            set_places(w, outer, b);
            set_places(w, walked, k);
            int64_t y = most_written(w);
            if (y < size && last[y] > (uint32_t)b)
                return -1;
        }
    return 0;
}

int64_t
sn_aot_trail(SnAotNode *n, const SnAotTile *t)
{
    Walk w = {.n = n, .t = t, .x = sn_aot_read_of(n, t->x)};
    int64_t stride = 1;

    if (t->plan || sn_elem_size(n->call.out[0].type->elem) != 1)
        return -1;
    for (int d = w.x->box.rank - 1; d >= 0; d--) {
        w.stride[d] = stride;
        stride *= w.x->box.dim[d];
        if (!sn_term_affine(&n->u.T, w.x->at[d], w.at[d].k, &w.at[d].base))
            return -1;
    }
    SnArena *tmp = sn_arena_new();
    int64_t far =
        t->form == SN_TILE_PLANE ? of_planes(&w, tmp) : of_windows(&w, tmp);
    sn_arena_free(tmp);
    /* farther, nothing lies over anything */
    return far < sn_shape_count(n->call.out[0].shape) ? far : -1;
}
