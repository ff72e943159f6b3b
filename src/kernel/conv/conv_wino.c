// SPDX-License-Identifier: Apache-2.0
/* Convolutions by tiles of two by two results: what does not depend on the
 * instruction set. */
#include "kernel/conv/conv_wino.h"

static int64_t
tiles(int64_t n)
{
    return (n + 1) / 2;
}

/* Bytes of a row of transformed windows. */
static int64_t
row_bytes(const SnConvGeo *o)
{
    return tiles(o->ow) * SN_WINO_POS * o->c * (int64_t)sizeof(int16_t);
}

/* Transforms every window of the chunk. */
static void
make_tiles(const SnWinoChunk *k, SnWinoTile *tile, int16_t *v)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t c = o->c, line = k->p->wp * c;
    const int16_t *x = (const int16_t *)(const void *)k->buf;

    for (int64_t i = 0; i < k->nr; i += 2)
        for (int64_t j = 0; j < o->ow; j += 2, v += SN_WINO_POS * c) {
            k->p->t->wino->in(x + i * line + j * c, line, c, v);
            *tile++ = (SnWinoTile){v, k->y + (i * o->ow + j) * k->pitch,
                                   j + 1 < o->ow, i + 1 < k->nr};
        }
}

/* n tiles in groups of about equal size times a block; the next one is
 * fetched meanwhile. */
static void
wino_block(const SnWinoChunk *k, const SnConvBlock *b, const SnConvBlock *next,
           const SnWinoTile *tile, int64_t n)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t groups = (n + SN_WINO_TILES - 1) / SN_WINO_TILES;
    SnWinoGroup t = {.c = o->c,
                     .cg = o->c / o->group,
                     .x0 = b->x0 / (int64_t)sizeof(int16_t),
                     .c0 = b->c0,
                     .pitch = k->pitch,
                     .line = o->ow * k->pitch,
                     .w = b->w,
                     .ahead = next->w,
                     .turns = groups < SN_WINO_POS ? (int)groups : SN_WINO_POS,
                     .ncol = b->ncol,
                     .end = b->end};

    t.end.bias = b->bias[0];
    for (int64_t i = 0; i < groups; i++, t.turn++) {
        int64_t from = n * i / groups, to = n * (i + 1) / groups;
        t.tile = tile + from;
        t.ntile = (int)(to - from);
        k->p->t->wino->group(&t);
    }
}

void
sn_wino_run(const SnWinoChunk *k)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t n = tiles(k->nr) * tiles(o->ow);
    int16_t *v = k->work;
    SnWinoTile *tile =
        (SnWinoTile *)(void *)((char *)k->work + tiles(k->nr) * row_bytes(o));

    make_tiles(k, tile, v);
    for (uint32_t i = k->b0; i < k->b1; i++) {
        const SnConvBlock *b = &k->p->block[i];
        wino_block(k, b, i + 1 < k->b1 ? b + 1 : &k->p->block[k->b0], tile, n);
    }
}

/* ---- programs of `sinter compile` have nothing from here on ---- */

enum {
    WINDOWS_NEAR = 192 << 10, /* bytes of transformed x next to a filter that
                                 stays in the second cache level, */
    WINDOWS_FAR = 448 << 10,  /* and one that is fetched for each chunk */
    FILTER_NEAR = 640 << 10
};

static void
filter_row(const int16_t *w, int step, int16_t *u, int ustep)
{
    int a = w[0], b = w[step], c = w[2 * step];

    u[0] = (int16_t)(2 * a);
    u[ustep] = (int16_t)(a + b + c);
    u[2 * ustep] = (int16_t)(a - b + c);
    u[3 * ustep] = (int16_t)(2 * c);
}

void
sn_wino_filter(const int16_t w[9], int16_t u[SN_WINO_POS])
{
    int16_t t[4][3];

    for (int j = 0; j < 3; j++)
        filter_row(w + j, 3, &t[0][j], 3);
    for (int i = 0; i < 4; i++)
        filter_row(t[i], 1, u + 4 * i, 1);
}

/* The greatest distance of a code from its zero point. */
static int64_t
reach(int32_t zp)
{
    return zp > 0 ? 128 + (int64_t)zp : 127 - (int64_t)zp;
}

/* Taps of n results along an axis of `size`, those in padding left out. */
static int64_t
taps(int64_t n, int64_t pad, int64_t size)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t at = i - pad; at < i - pad + 3; at++)
            sum += at >= 0 && at < size;
    return sum;
}

bool
sn_wino_fits(const SnConvGeo *o, const SnConvNum *num)
{
    int64_t w = 0, cg = o->c / o->group;

    if (o->kh != 3 || o->kw != 3 || o->sh != 1 || o->sw != 1 || o->dh != 1 ||
        o->dw != 1 || cg < 1 || cg % 16 != 0)
        return false;
    for (uint32_t i = 0; i < num->nwz; i++)
        w = reach(num->wz[i]) > w ? reach(num->wz[i]) : w;
    return 9 * cg * reach(num->xz) * w < (int64_t)1 << 29;
}

bool
sn_wino_pays(const SnConvGeo *o)
{
    /* Each product costs about 15 % of extra work here. */
    double direct =
        (double)taps(o->oh, o->pt, o->h) * (double)taps(o->ow, o->pl, o->w);
    return 1.15 * SN_WINO_POS * (double)tiles(o->oh) * (double)tiles(o->ow) <
           direct;
}

int64_t
sn_wino_rows(const SnConvGeo *o)
{
    int64_t filter = o->oc * (o->c / o->group) * SN_WINO_POS * 2;
    int64_t room = filter <= FILTER_NEAR ? WINDOWS_NEAR : WINDOWS_FAR;
    int64_t n = room / row_bytes(o), all = tiles(o->oh);

    n = n < 1 ? 1 : n > all ? all : n;
    return 2 * n;
}

size_t
sn_wino_work(const SnConvGeo *o, int64_t rows)
{
    int64_t n = tiles(rows);

    return (size_t)(n * row_bytes(o)) +
           (size_t)(n * tiles(o->ow)) * sizeof(SnWinoTile);
}
