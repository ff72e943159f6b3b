// SPDX-License-Identifier: Apache-2.0
/* Packing of real filters into panels. */
#include "kernel/conv_f32/conv_f32_pack.h"

#include <string.h>

#include "base/team/spread.h"

/* Rows of a filter [tap][channel] packed before their pages are released. */
enum { PACK_TAPS = 128 };

/* Taps at a time: 4 lines of a channel, which come faster than one, and on the
 * other side few enough lines to stay in the first cache level. */
enum { PACK_ROWS = 64 };

/* Taps [t0, t1) of n channels from c0 on, as [tap][channel].  Channels lie too
 * far apart for the processor to prefetch. */
void
sn_conv_f32_pack_taps(const SnPackF32 *k, const SnPanelF32 *b, int64_t n,
                      int64_t pitch, int64_t t0, int64_t t1)
{
    const SnFilterF32 *f = k->f;
    float *w = k->w + b->at;

    for (; t0 < t1; t0 += PACK_ROWS) {
        int64_t end = min64(t0 + PACK_ROWS, t1), i = 0;
        for (; k->g->turn && f->step_k == 1 && i + SN_LANE <= n; i += SN_LANE) {
            const float *from = f->w + (b->c0 + i) * f->step_c;
            for (int64_t c = SN_LANE; c < 2 * SN_LANE && i + c < n; c++)
                for (int64_t t = t0; t < end; t += 16)
                    __builtin_prefetch(from + c * f->step_c + t);
            k->g->turn(from + t0, f->step_c, end - t0, w + t0 * pitch + i,
                       pitch);
        }
        for (; i < n; i++) {
            const float *from = f->w + (b->c0 + i) * f->step_c;
            for (int64_t t = t0; i + 4 < n && t < end; t += 16)
                __builtin_prefetch(from + 4 * f->step_c + t * f->step_k);
            for (int64_t t = t0; t < end; t++)
                w[t * pitch + i] = from[t * f->step_k];
        }
    }
}

typedef struct Panels {
    const SnPackF32 *k;
    const SnPanelF32 *v;
    uint32_t n;
} Panels;

/* Panels [i0, i1) of a filter that has a channel after the other. */
static void
pack_channels(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Panels *p = ctx;
    const SnFilterF32 *f = p->k->f;
    int64_t taps = p->k->taps;

    (void)part;
    for (int64_t i = i0; i < i1; i++) {
        const SnPanelF32 *b = &p->v[i];
        sn_conv_f32_pack_taps(p->k, b, b->ncol, b->npanel * SN_LANE, 0, taps);
        if (f->from) {
            const float *w = f->w + p->v[i0].c0 * taps;
            int64_t n = (b->c0 + b->ncol - p->v[i0].c0) * taps;
            sn_arena_unload(f->from, w, (size_t)n * sizeof *w);
        }
    }
}

/* Taps of blocks [i0, i1) of one that has a tap after the other. */
static void
pack_rows(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Panels *p = ctx;
    const SnFilterF32 *f = p->k->f;
    int64_t from = i0 * PACK_TAPS;

    (void)part;
    for (int64_t t = from, t1; i0 < i1; i0++, t = t1) {
        t1 = min64(t + PACK_TAPS, p->k->taps);
        for (uint32_t i = 0; i < p->n; i++)
            sn_conv_f32_pack_taps(p->k, &p->v[i], p->v[i].ncol,
                                  p->v[i].npanel * SN_LANE, t, t1);
        if (f->from)
            sn_arena_unload(f->from, f->w + from * f->step_k,
                            (size_t)((t1 - from) * f->step_k) * sizeof *f->w);
    }
}

/* All panels, in the filter's order in memory, so that packed pages can be
 * released. */
void
sn_conv_f32_pack_panels(const SnPackF32 *k, const SnPanelF32 *v, uint32_t n,
                        size_t nbyte)
{
    Panels p = {k, v, n};
    int64_t nblock = (k->taps + PACK_TAPS - 1) / PACK_TAPS;

    if (k->f->step_k == 1)
        sn_spread(n, sn_spread_parts(n, nbyte), pack_channels, &p);
    else
        sn_spread(nblock, sn_spread_parts(nblock, nbyte), pack_rows, &p);
}

typedef struct PackOwn {
    const SnPackF32 *k;
    const SnPanelF32 *v;
    float *tmp; /* of each part: */
    size_t pitch;
} PackOwn;

static void
pack_own_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const PackOwn *o = ctx;
    SnPackF32 k = *o->k;
    int64_t taps = k.taps;

    k.w = o->tmp + part * o->pitch;
    for (int64_t i = i0; i < i1; i++) {
        SnPanelF32 b = o->v[i];
        b.at = 0;
        sn_conv_f32_pack_taps(&k, &b, b.ncol, b.ncol, 0, taps);
        memcpy(o->k->w + o->v[i].at, k.w,
               (size_t)(b.ncol * taps) * sizeof *k.w);
    }
}

/* Panel after panel in its own place, by way of memory for one. */
void
sn_conv_f32_pack_own(const SnPackF32 *k, const SnPanelF32 *v, uint32_t n,
                     size_t nbyte)
{
    SnArena *tmp = sn_arena_new();
    unsigned nparts = sn_spread_parts(n, nbyte);
    PackOwn o = {.k = k, .v = v};

    for (uint32_t i = 0; i < n; i++)
        o.pitch = o.pitch > (size_t)v[i].ncol ? o.pitch : (size_t)v[i].ncol;
    o.pitch *= (size_t)k->taps;
    o.tmp = sn_alloc(tmp, nparts * o.pitch * sizeof *o.tmp);
    sn_spread(n, nparts, pack_own_part, &o);
    sn_arena_free(tmp);
}
