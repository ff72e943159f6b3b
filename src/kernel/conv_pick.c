/* How a convolution on codes is cut: the rules that choose it from sizes
 * alone, checked against measurement by `sinter bench --tune`. */
#include "kernel/conv_priv.h"
#include "kernel/conv_wino.h"

/* Bytes of widened x that a chunk may take: little while the filter stays in
 * the second cache level, more when it has to come from further away each
 * time. */
enum {
    CHUNK_NEAR = 24 << 10,
    CHUNK_FAR = 256 << 10,
    FILTER_NEAR = 384 << 10,
    CHUNK_PX = 48 /* pixels at least, so that few tiles are cut */
};

static int64_t
min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

int64_t
sn_conv_width(const SnConvGeo *o, int npanel)
{
    int64_t lanes = ceil_div(o->oc / o->group, SN_LANE);

    return ceil_div(lanes, ceil_div(lanes, npanel)) * SN_LANE;
}

/* ---- rows to a chunk ---- */

static int64_t
rows_of(const SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t row = p->wp * p->g->esize * o->c * p->bsh, rows;
    int64_t filter = o->kh * o->kw * (o->c / o->group) * o->oc * p->g->esize;
    bool near = p->depthwise || filter <= FILTER_NEAR;

    /* A block at a time, of rows that stay near meanwhile. */
    if (p->depthwise && p->direct) {
        rows = CHUNK_FAR / (o->w * o->c * o->sh);
        return min64(rows < 1 ? 1 : rows, o->oh);
    }
    rows = (near ? CHUNK_NEAR : CHUNK_FAR) * p->g->esize / (row ? row : 1);
    if (rows * o->ow < CHUNK_PX)
        rows = ceil_div(CHUNK_PX, o->ow);
    return min64(rows, o->oh);
}

/* ---- taps in padding ---- */

/* Steps of whole tiles that n results with `steps` steps each take. */
static int64_t
cost(const SnConvQ8 *p, int64_t n, int64_t steps)
{
    int64_t most = p->g->mtile[p->g->ntile - 1], rest = n % most;

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
                sum += cost(p, min64(k, rows) * c[j].no, steps);
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

/* Rows or blocks: what falls better into two, else what leaves each thread
 * the larger operand to itself. */
static bool
blocks_pay(const SnConvGeo *o, int64_t blocks)
{
    int64_t rows = o->n * o->oh;
    int64_t filter = o->oc * o->kh * o->kw * (o->c / o->group);
    /* rows / ceil(rows / 2) against blocks / ceil(blocks / 2) */
    int64_t by_row = rows * ((blocks + 1) / 2);
    int64_t by_block = blocks * ((rows + 1) / 2);

    return by_block > by_row ||
           (by_block == by_row && filter > o->n * o->h * o->w * o->c);
}

static int64_t
blocks_of(const SnConvQ8 *p, int npanel)
{
    const SnConvGeo *o = &p->geo;

    if (p->depthwise)
        return ceil_div(o->oc, p->g->dwblock);
    return o->group * ceil_div(o->oc / o->group, sn_conv_width(o, npanel));
}

/* ---- all of it ---- */

static bool
is_empty(const SnConvGeo *o)
{
    return o->oh == 0 || o->ow == 0 || o->n == 0 || o->oc == 0;
}

bool
sn_conv_q8_tiles(SnIsa isa, const SnConvGeo *geo, const SnConvNum *num)
{
    SnConvQ8 p = {0};

    if (is_empty(geo))
        return false;
    sn_conv_shape(&p, isa, geo);
    return p.g->wino && !p.depthwise && sn_wino_fits(geo, num);
}

SnConvPick
sn_conv_q8_rules(SnIsa isa, const SnConvGeo *geo, bool tiles)
{
    SnConvQ8 p = {0};
    SnConvPick k = {0};

    if (is_empty(geo))
        return k;
    sn_conv_shape(&p, isa, geo);
    k.tiles = tiles && sn_wino_pays(geo);
    k.rows = k.tiles ? min64(sn_wino_rows(geo), geo->oh) : rows_of(&p);
    k.npanel = p.depthwise ? 0 : p.g->ntile;
    k.clip = !k.tiles && sn_conv_can_clip(&p) && clip_pays(&p, k.rows);
    k.by_block = blocks_pay(geo, blocks_of(&p, k.npanel));
    return k;
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
