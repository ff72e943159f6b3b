// SPDX-License-Identifier: Apache-2.0
/* How a convolution on codes is cut: the rules that choose it from the sizes
 * only, checked against measurements by `sinter bench --tune`; and the units,
 * cost and memory of a plan so cut. */
#include "kernel/conv/conv_priv.h"
#include "kernel/conv/conv_wino.h"

/* Codes of x that a chunk may hold.  Widened rows stay near while the filter
 * stays in the second cache level; there are fewer where only rows of few
 * channels are widened, and more when the filter has to be fetched from farther
 * away each time.  Depthwise rows are read once, and overlap with those of the
 * next chunk.  Where x is read in place a chunk may be larger: it only has to
 * stay in the second level from one panel to the next. */
enum {
    CHUNK_FIRST = 24 << 10,
    CHUNK_NEAR = 48 << 10,
    CHUNK_FAR = 256 << 10,
    CHUNK_DW = 96 << 10,
    FILTER_NEAR = 384 << 10,
    CHUNK_PX = 48,   /* pixels at least, so that few tiles are cut */
    MOST_PX = 1024,  /* pixels in place: their list stays near */
    CLASS_STEPS = 64 /* of a pixel: what a class of results adds */
};

/* Approximate costs, in nanoseconds, for dividing work among threads. */
enum {
    LINE = 64,
    SHARED_NS = 15,       /* a panel of a line of y that two threads write */
    WIDENED_NS = 16,      /* elements widened in one */
    TAPS_NS = 40,         /* depthwise taps in one */
    FILTER_FAR = 1 << 20, /* bytes that the second cache level does not keep; */
    FAR_NS = 60           /* such bytes in one, next to products */
};

/* ---- rows to a chunk ---- */

static int64_t
chunk_of(const SnConvQ8 *p, bool inside)
{
    const SnConvGeo *o = &p->geo;
    int64_t filter = o->kh * o->kw * (o->c / o->group) * o->oc * p->t->esize;

    if (p->depthwise)
        return (p->columns ? CHUNK_DW / 2 : CHUNK_DW) * p->t->esize;
    if (inside || filter > FILTER_NEAR)
        return CHUNK_FAR * p->t->esize;
    return (p->t->inside ? CHUNK_FIRST : CHUNK_NEAR) * p->t->esize;
}

/* inside: x is read in place, as far as is known before that is chosen. */
static int64_t
rows_of(const SnConvQ8 *p, bool inside)
{
    const SnConvGeo *o = &p->geo;
    int64_t row = p->wp * p->t->esize * o->c * p->bsh, rows;

    /* A block at a time, of rows that stay near meanwhile. */
    if (p->depthwise && p->direct) {
        int64_t line = o->w * o->c * min64(o->sh, o->h);
        rows = line > 0 ? CHUNK_FAR / line : o->oh;
        return min64(rows < 1 ? 1 : rows, o->oh);
    }
    rows = chunk_of(p, inside) / (row ? row : 1);
    if (inside)
        rows = min64(rows, MOST_PX / o->ow);
    if (rows * o->ow < CHUNK_PX)
        rows = ceil_div(CHUNK_PX, o->ow);
    return min64(rows, o->oh);
}

/* ---- taps in padding ---- */

/* Steps of whole tiles that n results with `steps` steps each take.  Small
 * tiles wait for their sums. */
static int64_t
cost(const SnConvQ8 *p, int64_t n, int64_t steps)
{
    int64_t most = p->t->mtile[p->g->ntile - 1], rest = n % most;

    if (rest > 0 && rest < p->g->least)
        rest = p->g->least;
    return steps * (n / most * (most + 1) + (rest ? rest + 1 : 0));
}

/* The same for the classes of all rows and columns, chunk by chunk. */
static int64_t
clipped_cost(const SnConvQ8 *p, int64_t rows, const SnSpan *r, uint32_t nr,
             const SnSpan *c, uint32_t nc)
{
    int64_t sum = 0, per = p->nrun * p->nstep;
    int64_t taps = p->geo.kh * p->geo.kw;

    for (uint32_t i = 0; i < nr; i++)
        for (uint32_t j = 0; j < nc; j++) {
            int64_t steps = per * (r[i].nt * c[j].nt) / taps;
            for (int64_t k = r[i].no; k > 0; k -= rows)
                sum += cost(p, min64(k, rows) * c[j].no, steps) + CLASS_STEPS;
        }
    return sum;
}

static bool
clip_pays(const SnConvQ8 *p, int64_t rows)
{
    const SnConvGeo *o = &p->geo;
    SnSpan *r, *c, row = {0, o->oh, 0, o->kh}, col = {0, o->ow, 0, o->kw};
    SnArena *a = sn_arena_new();
    uint32_t nr = sn_spans(a, o->oh, o->kh, o->sh, o->dh, o->pt, o->h, &r);
    uint32_t nc = sn_spans(a, o->ow, o->kw, o->sw, o->dw, o->pl, o->w, &c);
    bool pays = clipped_cost(p, rows, r, nr, c, nc) <=
                clipped_cost(p, rows, &row, 1, &col, 1);

    sn_arena_free(a);
    return pays;
}

/* ---- threads ---- */

/* The share of n units of the slower of two threads. */
static double
half(int64_t n)
{
    return (double)ceil_div(n, 2) / (double)n;
}

/* The first channel of the second of two threads that share panels of `width`
 * channels. */
static int64_t
second(const SnConvQ8 *p, int64_t width)
{
    const SnConvGeo *o = &p->geo;
    int64_t ocg = p->depthwise ? o->oc : o->oc / o->group;
    int64_t per = ceil_div(ocg, width), n = (o->oc / ocg) * per / 2;

    return n / per * ocg + n % per * width;
}

/* Approximate nanoseconds on two threads that share rows or panels.  If they
 * share panels, each widens all rows, and they may write to the same lines;
 * else each reads the whole filter. */
static bool
blocks_pay(const SnConvQ8 *p, int64_t width, bool inside, bool tiles)
{
    const SnConvGeo *o = &p->geo;
    int64_t px = o->n * o->oh * o->ow, taps = o->kh * o->kw * (o->c / o->group);
    int64_t c = second(p, width), most = c > o->oc - c ? c : o->oc - c;
    int64_t r = tiles ? o->n * ceil_div(o->oh, 2) : o->n * o->oh;
    double work = (double)(px * o->oc) * (double)taps /
                  (p->depthwise ? TAPS_NS : p->g->rate * (tiles ? 2 : 1));
    double wide =
        (double)(o->n * o->h * o->w * o->c) * (tiles ? 4 : 1) / WIDENED_NS;

    if (c == 0) /* one panel */
        return false;
    if (inside || (p->depthwise && p->direct))
        wide = 0;
    double shared = c % LINE == 0 && o->oc % LINE == 0
                        ? 0
                        : (double)(px * ceil_div(LINE, width));
    double far = (double)(o->oc * taps * p->t->esize);
    far = far > FILTER_FAR ? far / FAR_NS : 0;
    double rows = (work + wide) * half(r) + far;
    double blocks = work * (double)most / (double)o->oc + wide +
                    shared * SHARED_NS + far / 2;
    return blocks < 0.98 * rows;
}

/* ---- all of it ---- */

bool
sn_conv_q8_holds(const SnConvGeo *o)
{
    double window = (double)(o->kh - 1) * (double)o->dh + 1;
    double high = (double)o->oh * (double)o->sh + window;
    double line = (double)(o->ow - 1) * (double)o->sw +
                  (double)(o->kw - 1) * (double)o->dw + 1;

    return line * window * (double)o->c < 0x1p30 &&
           line * high * (double)o->c < 0x1p60;
}

bool
sn_conv_q8_tiles(SnIsa isa, const SnConvGeo *geo, const SnConvNum *num)
{
    SnConvQ8 p = {0};

    if (is_empty(geo) || num->sums)
        return false;
    sn_conv_shape(&p, isa, geo);
    return p.t->wino && !p.depthwise && sn_wino_fits(geo, num);
}

SnConvPick
sn_conv_rules(const SnConvQ8 *p, bool tiles)
{
    const SnConvGeo *geo = &p->geo;
    bool inside = p->t->inside && sn_conv_can_clip(p);
    SnConvPick k = {.tiles = tiles && sn_wino_pays(geo)};

    k.rows = k.tiles ? min64(sn_wino_rows(geo), geo->oh) : rows_of(p, inside);
    k.npanel = p->depthwise ? 0 : p->g->ntile;
    k.clip = !k.tiles && sn_conv_can_clip(p) && clip_pays(p, k.rows);
    if (inside && !k.clip)
        k.rows = rows_of(p, false);
    k.by_block = blocks_pay(
        p, p->depthwise ? p->g->dwblock : sn_conv_width(geo, k.npanel),
        k.clip && p->t->inside, k.tiles);
    return k;
}

SnConvPick
sn_conv_q8_rules(SnIsa isa, const SnConvGeo *geo, bool tiles)
{
    SnConvQ8 p = {0};

    if (is_empty(geo))
        return (SnConvPick){0};
    sn_conv_shape(&p, isa, geo);
    return sn_conv_rules(&p, tiles);
}

bool
sn_conv_q8_fits(SnIsa isa, const SnConvGeo *geo, bool tiles,
                const SnConvPick *k)
{
    SnConvQ8 p = {0};

    if (is_empty(geo))
        return k->rows == 0 && k->npanel == 0 && !k->clip && !k->by_block &&
               !k->tiles;
    sn_conv_shape(&p, isa, geo);
    if (k->rows < 1 || k->rows > geo->oh ||
        (k->clip && (k->tiles || !sn_conv_can_clip(&p))) ||
        (k->tiles && !tiles))
        return false;
    return p.depthwise ? k->npanel == 0
                       : k->npanel >= 1 && k->npanel <= p.g->ntile;
}

bool
sn_conv_flip_pays(const SnConvQ8 *p)
{
    int64_t ocg = p->geo.oc / p->geo.group;
    int64_t npanel = (ocg + SN_LANE - 1) / SN_LANE;
    int64_t nblock = (npanel + p->g->ntile - 1) / p->g->ntile;
    int64_t sums = p->nrun * (2 * ((p->len + 63) / 64) + 3) + 8;

    return !p->depthwise &&
           2 * p->nrun * p->nstep * nblock > 3 * (sums + npanel + nblock);
}

/* ---- what a plan tells those that run it ---- */

bool
sn_conv_q8_pitched(const SnConvQ8 *p)
{
    return !p->depthwise || p->rep == 1;
}

int64_t
sn_conv_q8_units(const SnConvQ8 *p)
{
    if (p->nblock == 0) /* no results */
        return 0;
    return p->by_block ? p->nblock : p->geo.n * p->geo.oh;
}

int64_t
sn_conv_q8_step(const SnConvQ8 *p)
{
    if (p->nblock == 0) /* continues all the same */
        return 1;
    return p->by_block ? p->nblock : p->rows;
}

SnConvPart
sn_conv_q8_part(const SnConvQ8 *p, int64_t u0, int64_t u1)
{
    SnConvPart all = {0, p->geo.n * p->geo.oh, 0, p->geo.oc, p->geo.ow};

    if (u0 >= u1)
        return (SnConvPart){0};
    if (!p->by_block)
        return (SnConvPart){u0, u1, 0, all.c1, all.w};
    all.c0 = p->block[u0].c0;
    all.c1 = p->block[u1 - 1].c0 + p->block[u1 - 1].ncol;
    return all;
}

/* Products at five eighths of the peak rate, as in small layers (depthwise: 25
 * a nanosecond), or the filter as fast as it is read. */
int64_t
sn_conv_q8_cost(const SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t filter = o->oc * o->kh * o->kw * (o->c / o->group);
    int64_t read = filter / p->rate;
    double ns = (double)(o->n * o->oh * o->ow) * (double)filter /
                (p->depthwise ? 25 : (p->g->rate * 5 + 7) / 8);

    if (ns > 0x1p60)
        return INT64_C(1) << 60;
    return ns > (double)read ? (int64_t)ns : read;
}

size_t
sn_conv_q8_work(const SnConvQ8 *p)
{
    return p->nwork;
}
