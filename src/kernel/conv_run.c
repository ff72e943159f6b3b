/* Running a plan: chunks of result rows, each widened and multiplied. */
#include "kernel/conv_priv.h"

#include <string.h>

typedef struct Chunk {
    const SnConvQ8 *p;
    const int8_t *x; /* the image */
    int8_t *y;
    int64_t pitch; /* of y's pixels */
    char *buf;
    int32_t *rowsum;
    int64_t r0, nr;  /* result rows */
    uint32_t b0, b1; /* blocks */
} Chunk;

/* ---- widening ---- */

static void
pad(const SnConvQ8 *p, char *to, int64_t npx)
{
    int v = p->g->esize == 1 ? (uint8_t)(p->xz + p->g->offset) : 0;

    if (npx > 0)
        memset(to, v, (size_t)(npx * p->geo.c * p->g->esize));
}

/* Pixels of an image row at columns -pl, -pl + colstep, ... */
static void
widen_row(const SnConvQ8 *p, const int8_t *x, char *to)
{
    const SnConvGeo *o = &p->geo;
    int64_t px = o->c * p->g->esize;

    if (p->colstep != 1) {
        for (int64_t j = 0; j < p->wp; j++) {
            int64_t col = j * p->colstep - o->pl;
            if (col >= 0 && col < o->w)
                p->g->widen(x + col * o->c, o->c, p->xz, to + j * px);
            else
                pad(p, to + j * px, 1);
        }
        return;
    }
    int64_t left = o->pl < p->wp ? o->pl : p->wp;
    int64_t n = p->wp - left < o->w ? p->wp - left : o->w;
    pad(p, to, left);
    p->g->widen(x, n * o->c, p->xz, to + left * px);
    pad(p, to + (left + n) * px, p->wp - left - n);
}

static void
widen(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t pitch = p->wp * o->c * p->g->esize;
    int64_t n = (k->nr - 1) * p->bsh + (o->kh - 1) * o->dh + 1;
    int64_t rowstep = o->kh == 1 ? o->sh : 1;

    for (int64_t i = 0; i < n; i++) {
        int64_t row = k->r0 * o->sh - o->pt + i * rowstep;
        if (row >= 0 && row < o->h)
            widen_row(p, k->x + row * o->w * o->c, k->buf + i * pitch);
        else
            pad(p, k->buf + i * pitch, p->wp);
    }
}

/* ---- tiles ---- */

/* Row sums for the zero points of the filter of one group. */
static void
sum_rows(const Chunk *k, int64_t x0)
{
    const SnConvQ8 *p = k->p;
    int64_t npx = k->nr * p->geo.ow;
    const char *x = k->buf + x0;

    for (int64_t m = 0; m < npx; m++)
        k->rowsum[m] = p->g->sum(x + p->px[m], p->run, p->nrun, p->len);
}

/* Rows of the next tile when `left` remain: whole tiles, the last two even. */
static int
tile_rows(int64_t left, int most)
{
    if (left <= most)
        return (int)left;
    if (left < most + 3 && left - most > 0)
        return (int)((left + 1) / 2);
    return most;
}

/* The panel after b: while the tiles of one are computed, the next is fetched
 * into the second cache level, a part by each tile. */
static void
run_block(const Chunk *k, const SnConvBlock *b, const SnConvBlock *next)
{
    const SnConvQ8 *p = k->p;
    int64_t part = p->nrun * p->nstep * 64, size = part * next->npanel;
    int64_t fetched = 0;
    int64_t npx = k->nr * p->geo.ow, m = 0;
    const char *x = k->buf + b->x0;
    int8_t *y = k->y + k->r0 * p->geo.ow * k->pitch + b->c0;
    SnTile t = {.w = b->w,
                .run = p->run,
                .nrun = p->nrun,
                .nstep = p->nstep,
                .ncol = b->ncol,
                .end = b->end};

    while (m < npx) {
        int n = tile_rows(npx - m, p->g->mtile);
        for (int i = 0; i < n; i++) {
            t.x[i] = x + p->px[m + i];
            t.y[i] = y + (m + i) * k->pitch;
            if (p->rowsum)
                t.rowsum[i] = k->rowsum[m + i];
        }
        t.ahead = fetched < size ? (const char *)next->w + fetched : b->w;
        fetched += part;
        p->g->tile[b->npanel - 1][n - 1](&t);
        m += n;
    }
}

static void
run_depthwise(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t rest = o->ow % p->rep;
    SnDwFn *fn = p->columns ? p->g->dw3[p->bsw - 1] : p->g->dw;

    for (int64_t r = 0; r < k->nr; r++)
        for (uint32_t i = k->b0; i < k->b1; i++) {
            const SnConvBlock *b = &p->block[i];
            SnDw d = {.x = k->buf + p->px[r * o->ow] + b->x0,
                      .y = k->y + (k->r0 + r) * o->ow * k->pitch + b->c0,
                      .npx = o->ow / p->rep,
                      .step = p->bsw * p->rep * o->c * p->g->esize,
                      .pitch = p->rep * k->pitch,
                      .ntap = p->nrun,
                      .tap = p->run,
                      .w = b->w,
                      .nc = b->ncol,
                      .end = b->end};
            fn(&d);
            if (rest) {
                d.x += d.npx * d.step;
                d.y += d.npx * d.pitch;
                d.npx = 1;
                d.nc = (int)(rest * o->oc);
                fn(&d);
            }
        }
}

static void
run_chunk(const Chunk *k)
{
    const SnConvQ8 *p = k->p;
    int64_t group = -1;

    widen(k);
    if (p->depthwise) {
        run_depthwise(k);
        return;
    }
    for (uint32_t i = k->b0; i < k->b1; i++) {
        const SnConvBlock *b = &p->block[i];
        if (p->rowsum && b->x0 != group)
            sum_rows(k, group = b->x0);
        run_block(k, b, i + 1 < k->b1 ? b + 1 : &p->block[k->b0]);
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
    for (k->r0 = r0; k->r0 < r1; k->r0 += k->p->rows) {
        k->nr = r1 - k->r0 < k->p->rows ? r1 - k->r0 : k->p->rows;
        run_chunk(k);
    }
}

void
sn_conv_q8_run(const SnConvQ8 *p, const int8_t *x, int8_t *y, int64_t pitch,
               void *work, int64_t u0, int64_t u1)
{
    int64_t oh = p->geo.oh;
    Chunk k = {.p = p, .pitch = pitch, .buf = work, .b1 = p->nblock};

    if (p->nblock == 0)
        return;
    k.rowsum = (int32_t *)(void *)((char *)work + p->buf);
    if (p->by_block) {
        k.b0 = (uint32_t)u0;
        k.b1 = (uint32_t)u1;
        u0 = 0;
        u1 = p->geo.n * oh;
    }
    for (int64_t r = u0; r < u1;) {
        int64_t end = (r / oh + 1) * oh < u1 ? (r / oh + 1) * oh : u1;
        run_rows(&k, r / oh, r % oh, end - r / oh * oh, x, y);
        r = end;
    }
}
