// SPDX-License-Identifier: Apache-2.0
#include "kernel/conv_f32/conv_f32.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernel/conv_f32/conv_f32_pack.h"
#include "kernel/pack.h"
#include "kernel/eval/rows.h"
#include "kernel/span.h"

SnVariants sn_conv_f32_variants;

static const SnGemmF32 *
gemm_f32(SnIsa isa)
{
    return sn_variant(&sn_conv_f32_variants, isa);
}

/* Taps of a panel that are multiplied before the next panel: they stay in the
 * second cache level. */
enum { BLOCK_TAPS = 1536 };

/* ---- classes ---- */

/* Offset in x of the first tap of a result, relative to image and group. */
static int64_t
first_tap(const SnConvGeo *o, const SnClassF32 *k, int64_t r, int64_t c)
{
    int64_t row = r * o->sh - o->pt + k->r.t0 * o->dh;
    int64_t col = c * o->sw - o->pl + k->c.t0 * o->dw;

    return k->r.nt == 0 || k->c.nt == 0 ? 0 : (row * o->w + col) * o->c;
}

typedef struct Runs {
    SnRunF32 *v;
    uint32_t n;
} Runs;

static void
add_run(SnArena *a, Runs *s, SnRunF32 r)
{
    SnRunF32 *last = s->n ? &s->v[s->n - 1] : NULL;

    if (last && last->x + last->n == r.x && last->k + last->n == r.k)
        last->n += r.n;
    else
        SN_PUSH(a, s->v, s->n, r);
}

/* All taps of a class, in as few runs as possible. */
static Runs
all_runs(SnArena *a, const SnConvGeo *o, const SnClassF32 *k)
{
    Runs s = {0};
    int64_t cig = o->c / o->group;

    for (int64_t i = 0; i < k->r.nt; i++)
        for (int64_t j = 0; j < k->c.nt; j++) {
            int64_t t = (k->r.t0 + i) * o->kw + k->c.t0 + j;
            SnRunF32 r = {(i * o->dh * o->w + j * o->dw) * o->c, t * cig, cig};
            add_run(a, &s, r);
        }
    return s;
}

/* Cuts the runs at the borders of blocks of taps. */
static void
set_runs(SnArena *a, const SnConvF32 *p, SnClassF32 *k)
{
    Runs all = all_runs(a, &p->geo, k), s = {0};
    int64_t *at = SN_NEW_N(a, int64_t, p->nkb + 1);

    for (int64_t b = 0; b < p->nkb; b++) {
        int64_t k0 = b * BLOCK_TAPS, k1 = k0 + BLOCK_TAPS;
        at[b] = s.n;
        for (uint32_t i = 0; i < all.n; i++) {
            SnRunF32 r = all.v[i];
            int64_t lo = r.k > k0 ? r.k : k0, hi = min64(r.k + r.n, k1);
            if (lo >= hi)
                continue;
            SnRunF32 cut = {r.x + lo - r.k, lo, hi - lo};
            SN_PUSH(a, s.v, s.n, cut);
        }
    }
    at[p->nkb] = s.n;
    k->at = at;
    k->run = s.v;
    k->nrun = s.n;
}

static void
set_classes(SnArena *a, SnConvF32 *p)
{
    const SnConvGeo *o = &p->geo;
    SnSpan *r, *c;
    uint32_t nr = sn_spans(a, o->oh, o->kh, o->sh, o->dh, o->pt, o->h, &r);
    uint32_t nc = sn_spans(a, o->ow, o->kw, o->sw, o->dw, o->pl, o->w, &c);
    SnClassF32 *v = SN_NEW_N(a, SnClassF32, (size_t)nr * nc + 1);

    for (uint32_t i = 0; i < nr; i++)
        for (uint32_t j = 0; j < nc; j++) {
            SnClassF32 *k = &v[p->nclass++];
            k->r = r[i];
            k->c = c[j];
            if (!p->depthwise)
                set_runs(a, p, k);
        }
    p->class = v;
}

/* ---- picks ---- */

static bool
is_depthwise(const SnConvGeo *o)
{
    return o->group > 1 && o->group == o->c && o->group == o->oc;
}

/* Filters of more bytes do not stay in the second cache level; such bytes a
 * nanosecond, next to products, and products a nanosecond. */
enum { FILTER_FAR = 1 << 20, FAR_NS = 60, PRODUCTS_NS = 64 };

/* Approximate nanoseconds on two threads that share panels of `wide` channels
 * or rows: the larger share of the products, and the filter, which each thread
 * reads if they share rows. */
static bool
panels_pay(const SnConvGeo *o, int64_t wide)
{
    int64_t rows = o->n * o->oh, ocg = o->oc / o->group;
    int64_t taps = o->kh * o->kw * (o->c / o->group);
    int64_t per = (ocg + wide - 1) / wide, n = o->group * per / 2;
    int64_t c = n / per * ocg + n % per * wide;
    int64_t most = c > o->oc - c ? c : o->oc - c;
    double work = (double)(rows * o->ow) * (double)(o->oc * taps) / PRODUCTS_NS;
    double far = (double)(o->oc * taps) * sizeof(float);

    if (n == 0)
        return false;
    far = far > FILTER_FAR ? far / FAR_NS : 0;
    double by_row = work * (double)((rows + 1) / 2) / (double)rows + far;
    double by_panel = work * (double)most / (double)o->oc + far / 2;
    return by_panel < 0.98 * by_row;
}

static bool
is_flat(const SnConvGeo *o)
{
    return o->kh == 1 && o->kw == 1 && o->sh == 1 && o->sw == 1 && o->pt == 0 &&
           o->pl == 0 && o->oh == o->h && o->ow == o->w;
}

/* Tiles of fewer panels have more rows.  Each tile of a product of few rows
 * reads its panels again: there the fewest tiles win, by 10 to 20 % with 8
 * rows, 4 with 16 and 24; with more rows than MOST_ROWS wide tiles do. */
enum { MOST_ROWS = 32 };

static int
panels_of(const SnGemmF32 *g, const SnConvGeo *o)
{
    int64_t rows = o->n * o->oh * o->ow;
    int best = g->npanel;

    for (int n = best - 1; n > 0 && rows <= MOST_ROWS && is_flat(o); n--)
        if ((rows - 1) / g->nrow[n - 1] < (rows - 1) / g->nrow[best - 1])
            best = n;
    return best;
}

/* Rows of results to a chunk, whose rows of x stay near from panel to panel.
 * That costs reading the filter once for each chunk: a small one. */
enum { FILTER_NEAR = 64 << 10, CHUNK_NEAR = 32 << 10, CHUNK_PX = 48 };

static int64_t
rows_of(const SnConvGeo *o, int npanel)
{
    int64_t filter = o->oc * o->kh * o->kw * (o->c / o->group);
    int64_t row = (o->w * o->c * min64(o->sh, o->h) + o->ow * o->oc) *
                  (int64_t)sizeof(float);

    if (filter > FILTER_NEAR / (int64_t)sizeof(float) ||
        sn_conv_width(o, npanel) >= o->oc)
        return o->oh;
    int64_t rows = CHUNK_NEAR / (row ? row : 1);
    if (rows * o->ow < CHUNK_PX)
        rows = ceil_div(CHUNK_PX, o->ow);
    return min64(rows, o->oh);
}

SnConvPick
sn_conv_f32_rules(SnIsa isa, const SnConvGeo *o)
{
    SnConvPick k = {.rows = o->oh};

    if (is_empty(o))
        return (SnConvPick){0};
    if (is_depthwise(o))
        return k;
    k.npanel = panels_of(gemm_f32(isa), o);
    k.rows = rows_of(o, k.npanel);
    k.by_block = panels_pay(o, sn_conv_width(o, k.npanel));
    return k;
}

bool
sn_conv_f32_fits(SnIsa isa, const SnConvGeo *o, const SnConvPick *k)
{
    if (k->clip || k->tiles)
        return false;
    if (is_empty(o))
        return k->rows == 0 && k->npanel == 0 && !k->by_block;
    if (is_depthwise(o))
        return k->rows == o->oh && k->npanel == 0 && !k->by_block;
    return k->rows >= 1 && k->rows <= o->oh && k->npanel >= 1 &&
           k->npanel <= gemm_f32(isa)->npanel;
}

/* ---- plans ---- */

const SnConvF32 *
sn_conv_f32_plan(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                 const SnFilterF32 *f)
{
    SnConvF32 *p = SN_NEW(a, SnConvF32);
    SnConvPick pick = f->pick ? *f->pick : sn_conv_f32_rules(isa, geo);

    assert(sn_conv_f32_fits(isa, geo, &pick));
    p->g = gemm_f32(isa);
    p->geo = *geo;
    p->lo = f->lo;
    p->hi = f->hi;
    p->depthwise = is_depthwise(geo);
    p->by_panel = pick.by_block;
    p->flat = is_flat(geo);
    p->back = sn_pack_before(f->pack) % 2;
    p->rows = pick.rows == geo->oh ? geo->n * geo->oh : pick.rows;
    p->taps = geo->kh * geo->kw * (geo->c / geo->group);
    p->rate = sn_pack_rate(f->pack, geo->oc * p->taps * 4);
    p->nkb = p->taps ? (p->taps + BLOCK_TAPS - 1) / BLOCK_TAPS : 1;
    if (is_empty(geo))
        return p; /* no panels, no units */
    set_classes(a, p);
    sn_conv_f32_pack_filter(a, p, f, pick.npanel);
    if (p->state)
        p->by_panel = true; /* each panel is made once */
    return p;
}

int64_t
sn_conv_f32_units(const SnConvF32 *p)
{
    if (p->npanel == 0)
        return 0;
    return p->by_panel ? p->npanel : p->geo.n * p->geo.oh;
}

/* 64 products a nanosecond (depthwise a quarter), or the filter as fast as it
 * is read. */
int64_t
sn_conv_f32_cost(const SnConvF32 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t filter = o->oc * p->taps;
    double ns = (double)(o->n * o->oh * o->ow) * (double)filter /
                (p->depthwise ? 16 : 64);

    if (p->state) /* about a nanosecond to read an element of the filter */
        ns += (double)filter;
    if (ns > 0x1p60)
        return INT64_C(1) << 60;
    int64_t read = filter * 4 / p->rate;
    return ns > (double)read ? (int64_t)ns : read;
}

/* ---- running ---- */

/* Rows of the next tile when `left` remain, so that the last ones are even. */
static int
tile_rows(int64_t left, int most)
{
    if (left >= 2 * most)
        return most;
    return (int)(left <= most ? left : (left + 1) / 2);
}

/* The tile for n pixels; tiles of few channels have whole sets. */
static void
run_tile(const SnGemmF32 *g, SnTileF32 *t, int n)
{
    t->nrow = n;
    if (n <= g->nrow[t->npanel - 1]) {
        g->tile[t->npanel - 1][n - 1](t);
        return;
    }
    int sets = (n + g->set - 1) / g->set;
    for (int j = n; j < sets * g->set; j++) {
        t->x[j] = t->x[n - 1];
        t->y[j] = t->y[n - 1];
    }
    g->few[sets - 1](t);
}

/* Multiplies pixels from `from` on, of [from, to), as whole tiles of one call
 * where that can be; returns where the others begin.  What is left may be a
 * tile and a part of one: tile_rows cuts it into even ones. */
static int64_t
run_strip(const SnConvF32 *p, const SnPanelF32 *b, const float *w,
          const float *x, float *y, int64_t from, int64_t to)
{
    const SnConvGeo *o = &p->geo;
    SnStripF32Fn *strip = p->g->strip[b->npanel - 1];
    int64_t most = p->g->nstrip[b->npanel - 1];

    if (!strip || !p->flat || p->nkb > 1 || to - from < most)
        return from;
    SnStripF32 s = {.x = x + from * o->c + b->x0,
                    .y = y + from * o->oc + b->c0,
                    .step = o->c,
                    .pitch = o->oc,
                    .ntile = (to - from) / most - ((to - from) % most != 0),
                    .ntap = p->taps,
                    .w = w,
                    .bias = b->bias,
                    .lo = p->lo,
                    .hi = p->hi,
                    .ncol = b->ncol};
    strip(&s);
    return from + s.ntile * most;
}

/* Pixels of a class at equal distances: those of a row; of a picture of one
 * column, those of the column; or all of them. */
typedef struct Lines {
    bool column;
    int64_t n, wide; /* lines of an image, pixels of a line */
    int64_t step;    /* floats of x from one to the next */
} Lines;

static Lines
lines_of(const SnConvF32 *p, const SnClassF32 *k)
{
    const SnConvGeo *o = &p->geo;

    if (p->flat)
        return (Lines){false, 1, o->n * o->oh * o->ow, o->c};
    if (o->ow == 1)
        return (Lines){true, 1, k->r.no, o->sh * o->w * o->c};
    return (Lines){false, k->r.no, k->c.no, o->sw * o->c};
}

/* Multiplies pixels [from, to) of a class, counted through all images, by a
 * block of taps of a panel. */
static void
run_class(const SnConvF32 *p, const SnClassF32 *k, const SnPanelF32 *b,
          const float *w, int64_t kb, const float *x, float *y, int64_t from,
          int64_t to)
{
    const SnConvGeo *o = &p->geo;
    bool few = b->ncol <= SN_F32_FEW && p->g->few[SN_F32_SETS - 1];
    int most = few ? SN_F32_SETS * p->g->set : p->g->nrow[b->npanel - 1];
    SnTileF32 t = {.w = w,
                   .run = k->run ? k->run + k->at[kb] : NULL,
                   .nrun = k->at[kb + 1] - k->at[kb],
                   .bias = kb == 0 ? b->bias : NULL,
                   .last = kb == p->nkb - 1,
                   .lo = p->lo,
                   .hi = p->hi,
                   .npanel = b->npanel,
                   .ncol = b->ncol};
    if (!few)
        from = run_strip(p, b, w, x, y, from, to);
    Lines l = lines_of(p, k);
    int64_t c = from % l.wide, r = from / l.wide % l.n;
    int64_t i = from / (l.wide * l.n);
    const float *at = NULL; /* of the next pixel, while it is in its line */
    float *to_y = NULL;

    while (from < to) {
        int n = tile_rows(to - from, most);
        for (int j = 0; j < n;) {
            if (!at) {
                int64_t row = k->r.o0 + (l.column ? c : r);
                int64_t col = k->c.o0 + (l.column ? 0 : c);
                at = x + i * o->h * o->w * o->c + b->x0 +
                     first_tap(o, k, row, col);
                to_y = y + ((i * o->oh + row) * o->ow + col) * o->oc + b->c0;
            }
            int end = (int)min64(n, j + l.wide - c);
            c += end - j;
            for (; j < end; j++, at += l.step, to_y += o->oc) {
                t.x[j] = at;
                t.y[j] = to_y;
            }
            if (c == l.wide) {
                at = NULL;
                c = 0;
                if (++r == l.n) {
                    r = 0;
                    i++;
                }
            }
        }
        run_tile(p->g, &t, n);
        from += n;
    }
}

/* Bytes of x that are read for a number of rows, so that they are still in the
 * second cache level when the next channels are due. */
enum { DW_NEAR = 1 << 19 };

/* The pixels of d.  Few columns and more rows, as at the border, are exchanged,
 * so that more of them are computed side by side. */
static void
run_pixels(const SnConvF32 *p, SnDwF32 d)
{
    if (d.npx < 4 && d.nrow > d.npx) {
        swap64(&d.npx, &d.nrow);
        swap64(&d.step, &d.xnext);
        swap64(&d.pitch, &d.ynext);
    }
    p->g->dw(&d);
}

/* Rows [from, to) of a class, counted through all images. */
static void
run_dw(const SnConvF32 *p, const SnClassF32 *k, const float *x, float *y,
       int64_t from, int64_t to)
{
    const SnConvGeo *o = &p->geo;
    int64_t wide = p->panel->npanel * SN_LANE, near = DW_NEAR / sizeof *x;
    SnDwF32 d = {.xnext = o->sh * o->w * o->c,
                 .ynext = o->ow * o->oc,
                 .npx = k->c.no,
                 .step = o->sw * o->c,
                 .pitch = o->oc,
                 .taprow = k->c.nt ? k->r.nt : 0,
                 .xrow = o->dh * o->w * o->c,
                 .wrow = o->kw * wide,
                 .tapcol = k->c.nt,
                 .xcol = o->dw * o->c,
                 .wcol = wide,
                 .w = p->w + (k->r.t0 * o->kw + k->c.t0) * wide,
                 .bias = p->panel->bias,
                 .lo = p->lo,
                 .hi = p->hi,
                 .nc = o->oc};
    int64_t most = d.xnext < near ? near / d.xnext : 1;

    for (; from < to; from += d.nrow) {
        int64_t i = from / k->r.no, r = from % k->r.no, row = k->r.o0 + r;
        d.nrow = min64(min64(to - from, k->r.no - r), most);
        d.x = x + i * o->h * o->w * o->c + first_tap(o, k, row, k->c.o0);
        d.y = y + ((i * o->oh + row) * o->ow + k->c.o0) * o->oc;
        run_pixels(p, d);
    }
}

/* Rows of a class among the first u of all images. */
static int64_t
rows_before(const SnConvF32 *p, const SnClassF32 *k, int64_t u)
{
    int64_t rest = u % p->geo.oh - k->r.o0;

    return u / p->geo.oh * k->r.no + (rest < 0 ? 0 : min64(rest, k->r.no));
}

static void
run_panel(const SnConvF32 *p, const SnPanelF32 *b, const float *w,
          const float *x, float *y, int64_t r0, int64_t r1)
{
    for (int64_t kb = 0; kb < p->nkb; kb++)
        for (uint32_t i = 0; i < p->nclass; i++) {
            const SnClassF32 *k = &p->class[i];
            run_class(p, k, b, w, kb, x, y, rows_before(p, k, r0) * k->c.no,
                      rows_before(p, k, r1) * k->c.no);
        }
}

/* One pixel in all, as the product of a vector has: one panel, without looking
 * for where the pixel begins. */
static void
run_one(const SnConvF32 *p, const SnPanelF32 *b, const float *w, const float *x,
        float *y)
{
    const SnClassF32 *k = p->class;
    SnTileF32 t = {.w = w,
                   .x = {x + b->x0 + first_tap(&p->geo, k, 0, 0)},
                   .y = {y + b->c0},
                   .nrow = 1,
                   .lo = p->lo,
                   .hi = p->hi,
                   .npanel = b->npanel,
                   .ncol = b->ncol};

    for (int64_t kb = 0; kb < p->nkb; kb++) {
        t.run = k->run ? k->run + k->at[kb] : NULL;
        t.nrun = k->at[kb + 1] - k->at[kb];
        t.bias = kb == 0 ? b->bias : NULL;
        t.last = kb == p->nkb - 1;
        p->g->tile[b->npanel - 1][0](&t);
    }
}

static bool
one_pixel(const SnConvGeo *o)
{
    return o->n * o->oh * o->ow == 1;
}

void
sn_conv_f32_run(const SnConvF32 *p, const float *x, float *y, int64_t u0,
                int64_t u1)
{
    sn_conv_f32_run_with(p, NULL, x, y, u0, u1);
}

void
sn_conv_f32_run_with(const SnConvF32 *p, const float *packed, const float *x,
                     float *y, int64_t u0, int64_t u1)
{
    int64_t r0 = p->by_panel ? 0 : u0;
    int64_t r1 = p->by_panel ? p->geo.n * p->geo.oh : u1;
    int64_t b0 = p->by_panel ? u0 : 0, b1 = p->by_panel ? u1 : p->npanel;

    if (p->npanel == 0) /* rows is 0, too */
        return;
    if (p->depthwise) {
        for (uint32_t i = 0; i < p->nclass; i++)
            run_dw(p, &p->class[i], x, y, rows_before(p, &p->class[i], r0),
                   rows_before(p, &p->class[i], r1));
        return;
    }
    const float *w = p->w ? p->w : packed;
    if (one_pixel(&p->geo)) {
        /* Nodes with the same filter, like the steps of an LSTM, alternate the
         * direction: the panels that one node read last are in the first cache
         * level when the next begins. */
        for (int64_t i = b0; r0 < r1 && i < b1; i++) {
            const SnPanelF32 *b = &p->panel[p->back ? b0 + b1 - 1 - i : i];
            run_one(p, b, w + b->at, x, y);
        }
        return;
    }
    for (int64_t r = r0; r < r1; r += p->rows)
        for (int64_t i = b0; i < b1; i++) {
            const SnPanelF32 *b = &p->panel[i];
            run_panel(p, b, w + b->at, x, y, r, min64(r + p->rows, r1));
        }
}

void
sn_conv_f32_run_rows(const SnConvF32 *p, void *work, const float *x, float *y,
                     int64_t u0, int64_t u1)
{
    int64_t n = p->geo.n * p->geo.oh;

    if (!p->state) {
        sn_conv_f32_run(p, x, y, u0, u1);
        return;
    }
    for (int64_t i = u0; i < u1; i++) {
        const SnPanelF32 *b = &p->panel[i];
        const float *w = sn_conv_f32_panel(p, i, work);
        if (one_pixel(&p->geo))
            run_one(p, b, w, x, y);
        for (int64_t r = 0; r < n && !one_pixel(&p->geo); r += p->rows)
            run_panel(p, b, w, x, y, r, min64(r + p->rows, n));
    }
}

/* ---- portable ---- */

static void
tile_ref(const SnTileF32 *t)
{
    SnLimF lim = {t->lo, t->hi};

    for (int r = 0; r < t->nrow; r++) {
        float acc[SN_LANE];
        for (int i = 0; i < SN_LANE; i++)
            acc[i] = t->bias ? t->bias[i] : i < t->ncol ? t->y[r][i] : 0;
        for (int64_t s = 0; s < t->nrun; s++) {
            const float *x = t->x[r] + t->run[s].x;
            const float *w = t->w + t->run[s].k * SN_LANE;
            for (int64_t j = 0; j < t->run[s].n; j++, w += SN_LANE)
                for (int i = 0; i < SN_LANE; i++)
                    acc[i] = fmaf(x[j], w[i], acc[i]);
        }
        for (int i = 0; i < t->ncol; i++)
            t->y[r][i] = t->last ? sn_clampf(acc[i], lim) : acc[i];
    }
}

/* The pixel of row r and column i. */
static void
dw_pixel(const SnDwF32 *d, int64_t r, int64_t i)
{
    SnLimF lim = {d->lo, d->hi};
    const float *x = d->x + r * d->xnext + i * d->step;

    for (int64_t c = 0; c < d->nc; c++) {
        float acc = d->bias[c];
        for (int64_t k = 0; k < d->taprow; k++)
            for (int64_t l = 0; l < d->tapcol; l++)
                acc = fmaf(x[k * d->xrow + l * d->xcol + c],
                           d->w[k * d->wrow + l * d->wcol + c], acc);
        d->y[r * d->ynext + i * d->pitch + c] = sn_clampf(acc, lim);
    }
}

static void
dw_ref(const SnDwF32 *d)
{
    for (int64_t r = 0; r < d->nrow; r++)
        for (int64_t i = 0; i < d->npx; i++)
            dw_pixel(d, r, i);
}

const SnGemmF32 sn_gemm_f32_ref = {
    .npanel = 1,
    .nrow = {4},
    .tile = {{tile_ref, tile_ref, tile_ref, tile_ref}},
    .dw = dw_ref,
};

void sn_register_conv_f32_portable(void);
void
sn_register_conv_f32_portable(void)
{
    sn_variant_add(&sn_conv_f32_variants, SN_ISA_PORTABLE, &sn_gemm_f32_ref);
}
