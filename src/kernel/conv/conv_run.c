// SPDX-License-Identifier: Apache-2.0
/* Running a plan: chunks of result rows, each widened and multiplied. */
#include "kernel/conv/conv_run.h"

#include <string.h>

#include "kernel/conv/conv_wino.h"

typedef struct Chunk {
    const SnConvQ8 *p;
    const int8_t *x; /* the image */
    int8_t *y;
    int64_t pitch; /* of y's pixels, bytes */
    int32_t xz;
    char *buf;
    SnPx *px; /* of the chunk, class by class, less dx and dy bytes */
    int64_t dx, dy;
    int64_t px0, npx;   /* rows that px was made for */
    int32_t *rowsum;    /* of each pixel */
    const int8_t **row; /* depthwise: of x, for results by columns */
    int8_t *pad;
    int64_t r0, nr;  /* result rows */
    uint32_t b0, b1; /* blocks */
} Chunk;

static int64_t
ysize(const SnConvQ8 *p)
{
    return p->sums ? (int64_t)sizeof(int32_t) : 1;
}

/* ---- widening ---- */

static void
pad(const Chunk *k, char *to, int64_t npx)
{
    const SnConvQ8 *p = k->p;
    int offset = p->t->inside ? 0 : p->t->offset;
    int v = p->t->esize == 1 ? (uint8_t)(k->xz + offset) : 0;

    if (npx > 0)
        memset(to, v, (size_t)(npx * p->geo.c * p->t->esize));
}

/* Pixels of an image row at columns -pl, -pl + colstep, ... */
static void
widen_row(const Chunk *k, const int8_t *x, char *to)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t px = o->c * p->t->esize;

    if (p->colstep != 1) {
        for (int64_t j = 0; j < p->wp; j++) {
            int64_t col = j * p->colstep - o->pl;
            if (col >= 0 && col < o->w)
                p->t->widen(x + col * o->c, o->c, k->xz, to + j * px);
            else
                pad(k, to + j * px, 1);
        }
        return;
    }
    int64_t left = o->pl < p->wp ? o->pl : p->wp;
    int64_t n = p->wp - left < o->w ? p->wp - left : o->w;
    pad(k, to, left);
    p->t->widen(x, n * o->c, k->xz, to + left * px);
    pad(k, to + (left + n) * px, p->wp - left - n);
}

static int64_t
clip(int64_t v, int64_t hi)
{
    return v < 0 ? 0 : v > hi ? hi : v;
}

/* n rows of one pixel each, from `row` on. */
static void
widen_column(const Chunk *k, int64_t row, int64_t n)
{
    const SnConvQ8 *p = k->p;
    int64_t c = p->geo.c, px = c * p->t->esize;
    int64_t from = clip(row, p->geo.h), to = clip(row + n, p->geo.h);
    int64_t above = clip(-row, n), below = n - above - (to - from);

    pad(k, k->buf, above);
    if (to > from)
        p->t->widen(k->x + from * c, (to - from) * c, k->xz,
                    k->buf + above * px);
    pad(k, k->buf + (n - below) * px, below);
}

static void
widen_rows(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t pitch = p->wp * o->c * p->t->esize;
    int64_t nr = p->wino ? (k->nr + 1) / 2 * 2 : k->nr;
    int64_t n = (nr - 1) * p->bsh + (o->kh - 1) * o->dh + 1;
    int64_t rowstep = o->kh == 1 ? o->sh : 1;

    if (o->w == 1 && p->wp == 1 && o->pl == 0 && rowstep == 1) {
        widen_column(k, k->r0 * o->sh - o->pt, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t row = k->r0 * o->sh - o->pt + i * rowstep;
        if (row >= 0 && row < o->h)
            widen_row(k, k->x + row * o->w * o->c, k->buf + i * pitch);
        else
            pad(k, k->buf + i * pitch, p->wp);
    }
}

/* ---- tiles ---- */

/* The rows of a class in a chunk: returns how many, from *r0 on. */
static int64_t
class_rows(const Chunk *k, const SnConvClass *cl, int64_t *r0)
{
    int64_t end = k->r0 + k->nr, last = cl->r.o0 + cl->r.no;

    *r0 = cl->r.o0 > k->r0 ? cl->r.o0 : k->r0;
    return (last < end ? last : end) - *r0;
}

/* Lists the pixels of a class in a chunk, row by row; returns their end. */
static SnPx *
fill_class(const Chunk *k, const SnConvClass *cl, SnPx *px)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t size = o->c * p->t->esize, r, n = class_rows(k, cl, &r);
    int64_t right = (p->direct ? o->sw : p->bsw) * size;
    int64_t down = (p->direct ? o->sh : p->bsh) * p->xpitch * size;
    const char *x = k->buf + cl->x0 + (r - k->r0) * down;

    if (p->direct)
        x = (const char *)k->x + cl->x0 + r * down -
            (o->pt * p->xpitch + o->pl) * size;
    if (cl->nrun == 0) { /* nothing is read */
        x = k->buf;
        right = down = 0;
    }
    int64_t no = cl->c.no;
    if (o->ow == 1 && n > 0) { /* a column is one line of them */
        no = n * no;
        n = 1;
        right = down;
    }
    for (; n > 0; n--, r++, x += down) {
        const char *at = x + cl->c.o0 * right;
        int8_t *y = k->y + (r * o->ow + cl->c.o0) * k->pitch;
        for (SnPx *end = px + no; px < end; at += right, y += k->pitch)
            *px++ = (SnPx){at, y};
    }
    return px;
}

/* Pixels of one class are those of the previous chunk, moved on. */
static void
fill_pixels(Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t down = p->direct ? o->sh * o->w * o->c * p->t->esize : 0;
    SnPx *px = k->px;

    if (p->nclass > 1 || k->npx < k->nr) {
        k->px0 = k->r0;
        k->npx = k->nr;
        for (uint32_t i = 0; i < p->nclass; i++)
            px = fill_class(k, &p->classes[i], px);
    }
    k->dx = (k->r0 - k->px0) * down;
    k->dy = (k->r0 - k->px0) * o->ow * k->pitch;
}

/* Row sums for what is added to the filter of one group. */
static void
sum_rows(const Chunk *k, int64_t x0)
{
    const SnConvQ8 *p = k->p;
    int64_t at = 0, r0;

    for (uint32_t i = 0; i < p->nclass; i++) {
        const SnConvClass *cl = &p->classes[i];
        int64_t n = class_rows(k, cl, &r0) * cl->c.no;
        if (n <= 0)
            continue;
        p->t->sum(k->px + at, n, k->dx + x0, cl->run, cl->nrun, cl->len,
                  k->rowsum + at);
        at += n;
    }
}

/* Rows of the next tile when `left` remain: whole tiles, the last two even. */
static int64_t
tile_rows(int64_t left, int64_t most)
{
    if (left <= most)
        return left;
    if (left < most + 3 && left <= 2 * most)
        return (left + 1) / 2;
    return most;
}

/* n pixels of a class. */
static void
run_tiles(const SnConvTiles *g, SnTile *t, int npanel, int64_t n)
{
    int64_t most = g->mtile[npanel - 1], part = t->nrun * t->nstep * 64;

    while (n > 0) {
        int64_t m = tile_rows(n, most), rest = n % most;
        t->ntile = m < most ? 1 : n / most - (rest > 0 && rest < 3);
        t->ntile += t->ntile == 0;
        g->tile[npanel - 1][m - 1](t);
        n -= t->ntile * m;
        t->px += t->ntile * m;
        if (t->rowsum)
            t->rowsum += t->ntile * m;
        t->ahead += t->ntile * part;
        if (t->ahead > t->aheadto)
            t->ahead = t->aheadto;
    }
}

/* The biases of a class for the x.zp of this run: the plan holds what the taps
 * add for each 1 of it. */
static const int32_t *
biases(const Chunk *k, const SnConvBlock *b, uint32_t class, int32_t *sum)
{
    const int32_t *per = b->bias[class];
    uint32_t shift = (uint32_t)(k->xz + k->p->t->offset);

    if (!k->p->sums || k->p->t->esize != 1)
        return per;
    for (int i = 0; i < b->npanel * SN_LANE; i++)
        sum[i] = (int32_t)(0 - shift * (uint32_t)per[i]);
    return sum;
}

/* While the tiles of a panel are computed, the next one is fetched into the
 * second cache level. */
static void
run_block(const Chunk *k, const SnConvBlock *b, const SnConvBlock *next)
{
    const SnConvQ8 *p = k->p;
    int32_t sum[SN_TILE_N];
    int64_t r0;
    SnTile t = {.px = k->px,
                .rowsum = p->rowsum ? k->rowsum : NULL,
                .x0 = b->x0 + k->dx,
                .c0 = b->c0 * ysize(p) + k->dy,
                .w = b->w,
                .ahead = next->w,
                .far = true,
                .ncol = b->ncol,
                .end = b->end};

    t.aheadto = t.ahead + p->nrun * p->nstep * 64 * next->npanel;
    for (uint32_t i = 0; i < p->nclass; i++) {
        const SnConvClass *cl = &p->classes[i];
        t.run = cl->run;
        t.nrun = cl->nrun;
        t.nstep = cl->nstep;
        t.end.bias = biases(k, b, i, sum);
        run_tiles(p->t, &t, b->npanel, class_rows(k, cl, &r0) * cl->c.no);
    }
}

static void
run_taps(const Chunk *k, int64_t r, const SnConvBlock *b)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t rest = o->ow % p->rep, line = p->wp * o->c * p->t->esize;
    SnDw d = {.x = k->buf + r * p->bsh * line + b->x0,
              .y = k->y + (k->r0 + r) * o->ow * k->pitch + b->c0,
              .npx = o->ow / p->rep,
              .step = p->bsw * p->rep * o->c * p->t->esize,
              .pitch = p->rep * k->pitch,
              .ntap = p->ntap,
              .tap = p->tap,
              .w = b->w,
              .nc = b->ncol,
              .end = b->end};

    p->t->dw(&d);
    if (rest) {
        d.x += d.npx * d.step;
        d.y += d.npx * d.pitch;
        d.npx = 1;
        d.nc = (int)(rest * o->oc);
        p->t->dw(&d);
    }
}

/* The addresses of the rows of x that the chunk reads. */
static void
fill_rows(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t n = (k->nr - 1) * o->sh + 2 * o->dh + 1;

    for (int64_t i = 0; i < n; i++) {
        int64_t row = k->r0 * o->sh - o->pt + i;
        if (!p->direct)
            k->row[i] = (const int8_t *)k->buf + i * p->wp * o->c;
        else
            k->row[i] =
                row >= 0 && row < o->h ? k->x + row * o->w * o->c : k->pad;
    }
}

static void
run_columns(const Chunk *k, const SnConvBlock *b)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t rest = o->ow % p->rep;
    SnDw3 d = {.row = k->row,
               .sh = o->sh,
               .dh = o->dh,
               .x0 = b->x0,
               .pad = k->pad,
               .col = p->direct ? -o->pl : 0,
               .width = p->direct ? o->w : p->wp,
               .px = o->c,
               .y = k->y + k->r0 * o->ow * k->pitch + b->c0,
               .pitch = p->rep * k->pitch,
               .npx = o->ow / p->rep,
               .line = o->ow * k->pitch,
               .nrow = k->nr,
               .w = b->w,
               .nc = b->ncol,
               .end = b->end};

    SnDw3Fn *fn = p->t->dw3[p->bsw * p->rep - 1];
    if (d.npx > 0)
        fn(&d);
    if (rest) {
        d.col += d.npx * p->rep;
        d.y += d.npx * d.pitch;
        d.npx = 1;
        d.nc = (int)(rest * o->oc);
        fn(&d);
    }
}

static void
run_depthwise(const Chunk *k)
{
    if (k->p->columns)
        fill_rows(k);
    for (uint32_t i = k->b0; i < k->b1; i++)
        if (k->p->columns)
            run_columns(k, &k->p->block[i]);
    for (int64_t r = 0; r < k->nr && !k->p->columns; r++)
        for (uint32_t i = k->b0; i < k->b1; i++)
            run_taps(k, r, &k->p->block[i]);
}

static void
run_wino(const Chunk *k)
{
    SnWinoChunk w = {.p = k->p,
                     .buf = k->buf,
                     .work = k->px,
                     .y = k->y + k->r0 * k->p->geo.ow * k->pitch,
                     .pitch = k->pitch,
                     .nr = k->nr,
                     .b0 = k->b0,
                     .b1 = k->b1};

    k->p->t->wino->run(&w);
}

static void
run_chunk(Chunk *k)
{
    const SnConvQ8 *p = k->p;
    int64_t group = -1;

    if (!p->direct)
        widen_rows(k);
    if (p->depthwise) {
        run_depthwise(k);
        return;
    }
    if (p->wino) {
        run_wino(k);
        return;
    }
    fill_pixels(k);
    for (uint32_t i = k->b0; i < k->b1; i++) {
        const SnConvBlock *b = &p->block[i];
        if (p->rowsum && b->x0 != group)
            sum_rows(k, group = b->x0);
        run_block(k, b, i + 1 < k->b1 ? b + 1 : &p->block[k->b0]);
    }
}

/* The one result pixel of a product with a row: small ones take as long to
 * list as to multiply. */
static void
run_alone(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    const SnConvClass *cl = p->classes;
    const SnPx px = {(const char *)k->x + cl->x0 -
                         (o->pt * p->xpitch + o->pl) * o->c * p->t->esize,
                     k->y};
    int32_t rowsum = 0, sum[SN_TILE_N];
    int64_t group = -1;
    SnTile t = {.px = &px,
                .rowsum = p->rowsum ? &rowsum : NULL,
                .ntile = 1,
                .far = p->far,
                .run = cl->run,
                .nrun = cl->nrun,
                .nstep = cl->nstep};

    for (uint32_t i = k->b0; i < k->b1; i++) {
        const SnConvBlock *b = &p->block[i];
        if (p->rowsum && b->x0 != group)
            p->t->sum(&px, 1, group = b->x0, cl->run, cl->nrun, cl->len,
                      &rowsum);
        t.x0 = b->x0;
        t.c0 = b->c0 * ysize(p);
        t.w = t.ahead = t.aheadto = b->w;
        t.ncol = b->ncol;
        t.end = b->end;
        t.end.bias = biases(k, b, 0, sum);
        p->t->tile[b->npanel - 1][0](&t);
    }
}

/* Result rows [r0, r1) of one image. */
static void
run_rows(Chunk *k, int64_t image, int64_t r0, int64_t r1, const int8_t *x,
         int8_t *y)
{
    const SnConvGeo *o = &k->p->geo;

    k->x = x + image * o->h * o->w * o->c;
    k->y = y + image * o->oh * o->ow * k->pitch;
    k->npx = 0;
    for (k->r0 = r0; k->r0 < r1; k->r0 += k->p->rows) {
        k->nr = r1 - k->r0 < k->p->rows ? r1 - k->r0 : k->p->rows;
        run_chunk(k);
    }
}

static void
run_units(const SnConvQ8 *p, const int8_t *x, int32_t xz, int8_t *y,
          int64_t pitch, void *work, int64_t u0, int64_t u1)
{
    int64_t oh = p->geo.oh;
    Chunk k = {.p = p, .pitch = pitch, .xz = xz, .buf = work, .b1 = p->nblock};

    if (p->nblock == 0)
        return;
    if (p->by_block) {
        k.b0 = (uint32_t)u0;
        k.b1 = (uint32_t)u1;
        u0 = 0;
        u1 = p->geo.n * oh;
    }
    if (p->alone) {
        k.x = x;
        k.y = y;
        if (u0 < u1)
            run_alone(&k);
        return;
    }
    k.px = (SnPx *)(void *)((char *)work + p->buf);
    k.row = (const int8_t **)(void *)((char *)work + p->buf);
    k.rowsum = (int32_t *)(void *)(k.px + p->rows * p->geo.ow);
    if (p->columns) {
        k.pad = (int8_t *)work + p->buf - (p->npad + 63) / 64 * 64;
        memset(k.pad, (uint8_t)p->xz, p->npad);
    }
    for (int64_t r = u0; r < u1;) {
        int64_t end = (r / oh + 1) * oh < u1 ? (r / oh + 1) * oh : u1;
        run_rows(&k, r / oh, r % oh, end - r / oh * oh, x, y);
        r = end;
    }
}

void
sn_conv_q8_run(const SnConvQ8 *p, const int8_t *x, int8_t *y, int64_t pitch,
               void *work, int64_t u0, int64_t u1)
{
    run_units(p, x, p->xz, y, pitch, work, u0, u1);
}

/* ---- programs of `sinter compile` have nothing from here on ---- */

void
sn_conv_q8_sums(const SnConvQ8 *p, const int8_t *x, int32_t xz, int32_t *y,
                int64_t pitch, void *work, int64_t u0, int64_t u1)
{
    run_units(p, x, xz, (int8_t *)y, pitch * ysize(p), work, u0, u1);
}
