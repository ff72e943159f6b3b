// SPDX-License-Identifier: Apache-2.0
/* Packing of real filters into panels. */
#include "kernel/conv_f32/conv_f32_pack.h"

#include <string.h>

#include "base/team/spread.h"
#include "kernel/pack.h"

/* Rows of a filter [tap][channel] packed before their pages are released. */
enum { PACK_TAPS = 128 };

/* Taps at a time: 4 lines of a channel, which come faster than one, and on the
 * other side few enough lines to stay in the first cache level. */
enum { PACK_ROWS = 64 };

typedef struct Pack {
    const SnConvF32 *p;
    const SnFilterF32 *f;
    float *w; /* where to */
} Pack;

/* Taps [t0, t1) of n channels, at most SN_LANE, whose filters begin at `from`.
 * Channels lie too far apart for the processor to prefetch. */
static void
pack_lanes(const Pack *k, const float *from, int64_t n, int64_t t0, int64_t t1,
           float *w, int64_t pitch)
{
    const SnFilterF32 *f = k->f;

    w += t0 * pitch;
    if (k->p->g->turn && f->step_k == 1 && n == SN_LANE) {
        k->p->g->turn(from + t0, f->step_c, t1 - t0, w, pitch);
        return;
    }
    for (int64_t c = 0; c < n; c++, from += f->step_c) {
        for (int64_t t = t0; c + 4 < n && t < t1; t += 16)
            __builtin_prefetch(from + 4 * f->step_c + t * f->step_k);
        for (int64_t t = t0; t < t1; t++)
            w[(t - t0) * pitch + c] = from[t * f->step_k];
    }
}

/* Taps [t0, t1) of panel b, as [tap][channel]; a tap is pitch floats from the
 * next. */
static void
pack_taps(const Pack *k, const SnPanelF32 *b, int64_t pitch, int64_t t0,
          int64_t t1)
{
    const SnFilterF32 *f = k->f;
    int64_t n = b->ncol;
    const float *from = f->w + b->c0 * f->step_c;
    float *w = k->w + b->at;

    for (; t0 < t1; t0 += PACK_ROWS) {
        int64_t end = min64(t0 + PACK_ROWS, t1);
        for (int64_t i = 0; i < n; i += SN_LANE) {
            for (int64_t c = i + SN_LANE; c < n && c < i + 2 * SN_LANE; c++)
                for (int64_t t = t0; f->step_k == 1 && t < end; t += 16)
                    __builtin_prefetch(from + c * f->step_c + t);
            pack_lanes(k, from + i * f->step_c, min64(n - i, SN_LANE), t0, end,
                       w + i, pitch);
        }
    }
}

typedef struct Panels {
    const Pack *k;
    const SnPanelF32 *v;
    uint32_t n;
} Panels;

/* Panels [i0, i1) of a filter that has a channel after the other. */
static void
pack_channels(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Panels *p = ctx;
    const SnFilterF32 *f = p->k->f;
    int64_t taps = p->k->p->taps;

    (void)part;
    for (int64_t i = i0; i < i1; i++) {
        const SnPanelF32 *b = &p->v[i];
        pack_taps(p->k, b, b->npanel * SN_LANE, 0, taps);
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
        t1 = min64(t + PACK_TAPS, p->k->p->taps);
        for (uint32_t i = 0; i < p->n; i++)
            pack_taps(p->k, &p->v[i], p->v[i].npanel * SN_LANE, t, t1);
        if (f->from)
            sn_arena_unload(f->from, f->w + from * f->step_k,
                            (size_t)((t1 - from) * f->step_k) * sizeof *f->w);
    }
}

/* All panels, in the filter's order in memory, so that packed pages can be
 * released. */
static void
pack_panels(const Pack *k, const SnPanelF32 *v, uint32_t n, size_t nbyte)
{
    Panels p = {k, v, n};
    int64_t nblock = (k->p->taps + PACK_TAPS - 1) / PACK_TAPS;

    if (k->f->step_k == 1)
        sn_spread(n, sn_spread_parts(n, nbyte), pack_channels, &p);
    else
        sn_spread(nblock, sn_spread_parts(nblock, nbyte), pack_rows, &p);
}

typedef struct PackOwn {
    const Pack *k;
    const SnPanelF32 *v;
    float *tmp; /* of each part: */
    size_t pitch;
} PackOwn;

static void
pack_own_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const PackOwn *o = ctx;
    Pack k = *o->k;
    int64_t taps = k.p->taps;

    k.w = o->tmp + part * o->pitch;
    for (int64_t i = i0; i < i1; i++) {
        SnPanelF32 b = o->v[i];
        b.at = 0;
        pack_taps(&k, &b, b.ncol, 0, taps);
        memcpy(o->k->w + o->v[i].at, k.w,
               (size_t)(b.ncol * taps) * sizeof *k.w);
    }
}

/* Panel after panel in its own place, by way of memory for one. */
static void
pack_own(const Pack *k, const SnPanelF32 *v, uint32_t n, size_t nbyte)
{
    SnArena *tmp = sn_arena_new();
    unsigned nparts = sn_spread_parts(n, nbyte);
    PackOwn o = {.k = k, .v = v};

    for (uint32_t i = 0; i < n; i++)
        o.pitch = o.pitch > (size_t)v[i].ncol ? o.pitch : (size_t)v[i].ncol;
    o.pitch *= (size_t)k->p->taps;
    o.tmp = sn_alloc(tmp, nparts * o.pitch * sizeof *o.tmp);
    sn_spread(n, nparts, pack_own_part, &o);
    sn_arena_free(tmp);
}

/* ---- rows that are made as they are packed ---- */

/* A piece has about so many bytes.  It is of some taps, or of channels of one
 * panel, SN_LANE at least. */
enum { PIECE_NBYTE = 1 << 18 };

static int64_t
fit(int64_t nbyte, int64_t most)
{
    int64_t n = PIECE_NBYTE / nbyte;

    return n > most ? most : n < 1 ? 1 : n;
}

/* Rows of a piece. */
static int64_t
rows_of_piece(const SnConvF32 *p, const SnFilterF32 *f)
{
    int64_t size = (int64_t)sizeof(float);

    return f->step_k == 1
               ? fit(SN_LANE * f->step_c * size, p->panel->npanel) * SN_LANE
               : fit(f->step_k * size, PACK_TAPS);
}

/* Bytes of the rows of a piece and of memory for making them. */
static size_t
rows_nbyte(const SnConvF32 *p, const SnFilterF32 *f)
{
    int64_t n = rows_of_piece(p, f);

    if (f->step_k == 1)
        n = min64(n, p->panel->ncol);
    return 2 * (size_t)(n * (f->step_k == 1 ? f->step_c : f->step_k)) *
           sizeof(float);
}

static int64_t
pieces_of_panel(const SnConvF32 *p, const SnFilterF32 *f)
{
    return ceil_div(p->panel->npanel * SN_LANE, rows_of_piece(p, f));
}

int64_t
sn_conv_f32_pieces(const SnConvF32 *p, size_t *nwork)
{
    const SnFilterF32 *f = &p->late;

    if (!p->fill)
        return 0;
    *nwork = rows_nbyte(p, f);
    return f->step_k == 1 ? p->npanel * pieces_of_panel(p, f)
                          : ceil_div(p->taps, rows_of_piece(p, f));
}

/* At most `most` channels of panel b from its channel i on. */
static void
piece_of_channels(const Pack *k, const SnPanelF32 *b, int64_t i, int64_t most,
                  float *rows)
{
    const SnFilterF32 *f = k->f;
    int64_t n = min64(b->ncol - i, most), c = b->c0 + i;
    float *w = k->w + b->at + i;

    if (n <= 0)
        return;
    f->rows(f->rows_of, c, c + n, rows, rows + n * f->step_c);
    for (int64_t j = 0; j < n; j += SN_LANE)
        pack_lanes(k, rows + j * f->step_c, min64(n - j, SN_LANE), 0,
                   k->p->taps, w + j, b->npanel * SN_LANE);
}

/* Taps [t0, t1) of a filter at from, one after the other. */
static void
copy_taps(const SnConvF32 *p, const float *from, int64_t step, int64_t t0,
          int64_t t1, float *to)
{
    for (uint32_t i = 0; i < p->npanel; i++) {
        const SnPanelF32 *b = &p->panel[i];
        float *w = to + b->at;
        for (int64_t t = t0; t < t1; t++)
            memcpy(w + t * b->npanel * SN_LANE, from + (t - t0) * step + b->c0,
                   (size_t)b->ncol * sizeof *w);
    }
}

void
sn_conv_f32_pack_pieces(const SnConvF32 *p, void *work, int64_t i0, int64_t i1)
{
    const SnFilterF32 *f = &p->late;
    Pack k = {p, f, p->fill};
    int64_t n = rows_of_piece(p, f), per = pieces_of_panel(p, f);
    float *rows = work;

    for (; i0 < i1; i0++) {
        if (f->step_k == 1) {
            piece_of_channels(&k, &p->panel[i0 / per], i0 % per * n, n, rows);
            continue;
        }
        int64_t t0 = i0 * n, t1 = min64(t0 + n, p->taps);
        f->rows(f->rows_of, t0, t1, rows, rows + (t1 - t0) * f->step_k);
        copy_taps(p, rows, f->step_k, t0, t1, p->fill);
    }
}

/* ---- at a run ---- */

/* Filters of fewer bytes are packed before, as their panels read x again and
 * again; so are those of few panels where threads should share rows.  Each
 * thread has memory for a panel and its rows: little beside the filter. */
enum { AT_RUN_NBYTE = 1 << 18, AT_RUN_WORK = 2 << 20, MANY_PANELS = 8 };

enum { NEW, READ_ONCE, BEING_PACKED, PACKED };

/* Floats of the largest panel. */
static int64_t
most_floats(const SnConvF32 *p)
{
    return p->taps * p->panel->npanel * SN_LANE;
}

/* Bytes of a panel and of its rows. */
static size_t
run_nbyte(const SnConvF32 *p, const SnFilterF32 *f)
{
    return (size_t)most_floats(p) * sizeof(float) + rows_nbyte(p, f);
}

/* Whether f, of nbyte packed, is left to runs. */
static bool
leave_to_runs(SnArena *a, SnConvF32 *p, const SnFilterF32 *f, size_t nbyte)
{
    bool fits = f->rows && f->at_run && f->step_k == 1 && !p->depthwise &&
                (p->by_panel ? p->npanel > 1 : p->npanel >= MANY_PANELS) &&
                nbyte >= AT_RUN_NBYTE && run_nbyte(p, f) <= AT_RUN_WORK &&
                run_nbyte(p, f) <= nbyte / 2;
    float *w = fits ? sn_arena_space(a, nbyte) : NULL;

    if (!w)
        return false;
    sn_arena_open(a, w, nbyte); /* which takes no pages yet */
    p->kept = w;
    p->state = SN_NEW_N(a, atomic_int, p->npanel);
    for (uint32_t i = 0; i < p->npanel; i++)
        atomic_init(&p->state[i], NEW);
    return true;
}

size_t
sn_conv_f32_nwork(const SnConvF32 *p)
{
    return p->state ? run_nbyte(p, &p->late) : 0;
}

/* Panel b, to its place in `to`, which may hold anything. */
static void
pack_panel(const SnConvF32 *p, const SnPanelF32 *b, float *to, float *rows)
{
    Pack k = {p, &p->late, to};
    int64_t n = rows_of_piece(p, k.f), pitch = b->npanel * SN_LANE;

    for (int64_t t = 0; b->ncol < pitch && t < p->taps; t++)
        memset(to + b->at + t * pitch + b->ncol, 0,
               (size_t)(pitch - b->ncol) * sizeof *to);
    for (int64_t i = 0; i < b->ncol; i += n)
        piece_of_channels(&k, b, i, n, rows);
}

const float *
sn_conv_f32_panel(const SnConvF32 *p, int64_t i, void *work)
{
    SnPanelF32 b = p->panel[i];
    float *to = work, *own = p->kept + b.at;
    int was = atomic_load_explicit(&p->state[i], memory_order_acquire);

    if (was == PACKED)
        return own;
    if (was < BEING_PACKED &&
        atomic_compare_exchange_strong(&p->state[i], &was, was + 1) &&
        was == READ_ONCE)
        to = own;
    b.at = 0;
    pack_panel(p, &b, to, (float *)work + most_floats(p));
    if (to == own)
        atomic_store_explicit(&p->state[i], PACKED, memory_order_release);
    return to;
}

/* ---- filters ---- */

/* The biases of n channels from c0 on, and zeros. */
static const float *
pad_bias(SnArena *a, const SnFilterF32 *f, int64_t c0, int64_t n, int64_t pitch)
{
    float *v = SN_NEW_N(a, float, pitch);

    for (int64_t i = 0; f->bias && i < n; i++)
        v[i] = f->bias[c0 + i];
    return v;
}

/* Whether each panel takes as much memory as its channels did, which lie there
 * one after the other. */
static bool
same_place(const SnConvF32 *p, const SnFilterF32 *f)
{
    bool same = f->step_k == 1 && f->step_c == p->taps && !p->depthwise;

    for (uint32_t i = 0; same && i < p->npanel; i++)
        same = p->panel[i].ncol == p->panel[i].npanel * SN_LANE;
    return same;
}

/* Packs f, or leaves it to runs or to sn_conv_f32_pack_pieces; floats past the
 * channels of a panel stay 0. */
static void
fill(SnArena *a, SnConvF32 *p, const SnFilterF32 *f)
{
    size_t nbyte = (size_t)sn_conv_f32_packed(p) * sizeof(float);

    if (f->rows)
        p->late = (SnFilterF32){.step_c = f->step_c,
                                .step_k = f->step_k,
                                .rows = f->rows,
                                .rows_of = f->rows_of};
    if (leave_to_runs(a, p, f, nbyte))
        return;
    bool ready, own = f->own && same_place(p, f);
    float *w = own ? sn_pack_take(f->pack, f->own, nbyte, &ready)
                   : sn_pack_piece(f->pack, a, nbyte, &ready);
    Pack k = {p, f, w};

    p->w = w;
    if (ready)
        return;
    if (f->rows)
        p->fill = w;
    else if (own)
        pack_own(&k, p->panel, p->npanel, nbyte);
    else
        pack_panels(&k, p->panel, p->npanel, nbyte);
}

static SnPanelF32
panel_at(SnArena *a, const SnConvF32 *p, const SnFilterF32 *f, int64_t g,
         int64_t c0, int64_t n)
{
    int64_t np = (n + SN_LANE - 1) / SN_LANE;

    return (SnPanelF32){.c0 = c0,
                        .x0 = g * (p->geo.c / p->geo.group),
                        .ncol = (int)n,
                        .npanel = (int)np,
                        .bias = pad_bias(a, f, c0, n, np * SN_LANE)};
}

void
sn_conv_f32_pack_filter(SnArena *a, SnConvF32 *p, const SnFilterF32 *f,
                        int npanel)
{
    const SnConvGeo *o = &p->geo;
    int64_t ocg = p->depthwise ? o->oc : o->oc / o->group;
    int64_t wide = p->depthwise ? o->oc : sn_conv_width(o, npanel), at = 0;
    SnPanelF32 *v = NULL;

    for (int64_t g = 0; g < (p->depthwise ? 1 : o->group); g++)
        for (int64_t c = 0; c < ocg; c += wide) {
            SnPanelF32 b =
                panel_at(a, p, f, g, g * ocg + c, min64(ocg - c, wide));
            b.at = at;
            at += p->taps * b.npanel * SN_LANE;
            SN_PUSH(a, v, p->npanel, b);
        }
    p->panel = v;
    if (f->w || f->rows)
        fill(a, p, f);
}

/* ---- filters that come with each run ---- */

bool
sn_conv_f32_in_place(const SnConvF32 *p, const SnFilterF32 *f)
{
    return f->own && p->w == f->own;
}

int64_t
sn_conv_f32_packed(const SnConvF32 *p)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < p->npanel; i++)
        n += p->taps * p->panel[i].npanel * SN_LANE;
    return n;
}

void
sn_conv_f32_pack(const SnConvF32 *p, const SnFilterF32 *f, float *to)
{
    Pack k = {p, f, to};

    for (uint32_t i = 0; i < p->npanel; i++) {
        const SnPanelF32 *b = &p->panel[i];
        int64_t pitch = b->npanel * SN_LANE;
        float *w = to + b->at;
        for (int64_t t = 0; b->ncol < pitch && t < p->taps; t++)
            memset(w + t * pitch + b->ncol, 0,
                   (size_t)(pitch - b->ncol) * sizeof *to);
        if (f->step_c != 1)
            pack_taps(&k, b, pitch, 0, p->taps);
    }
    if (f->step_c == 1)
        copy_taps(p, f->w, f->step_k, 0, p->taps, to);
}
