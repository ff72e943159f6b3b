/* Which results of a convolution read the same taps, and from where. */
#include "kernel/conv_priv.h"

static int64_t
min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Taps of a whole row of the window lie side by side. */
static bool
whole_rows(const SnConvGeo *o)
{
    return o->group == 1 && o->dw == 1;
}

static void
set_window(SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t cig = o->c / o->group;

    p->len = whole_rows(o) ? o->kw * cig : cig;
    p->nrun = whole_rows(o) ? o->kh : o->kh * o->kw;
    p->nstep = (p->len + p->g->kstep - 1) / p->g->kstep;
}

static SnConvClass
make_class(SnArena *a, const SnConvQ8 *p, SnSpan r, SnSpan c)
{
    const SnConvGeo *o = &p->geo;
    int64_t cig = o->c / o->group, px = o->c * p->g->esize, n = 0;
    bool whole = whole_rows(o);
    int64_t per = whole ? 1 : c.nt;
    SnConvRun *run = SN_NEW_N(a, SnConvRun, r.nt * per + 1);

    for (int64_t i = 0; c.nt > 0 && i < r.nt; i++)
        for (int64_t j = 0; j < per; j++) {
            int64_t row = r.t0 + i, col = c.t0 + j;
            run[n].x = (i * o->dh * p->xpitch + j * o->dw) * px;
            run[n++].w = whole ? row * p->nstep + col * cig / p->g->kstep
                               : (row * o->kw + col) * p->nstep;
        }
    SnConvClass k = {.r = r, .c = c, .nrun = n, .run = run};
    if (n > 0)
        k.x0 = (r.t0 * o->dh * p->xpitch + c.t0 * o->dw) * px;
    k.len = whole ? c.nt * cig : cig;
    k.nstep = (k.len + p->g->kstep - 1) / p->g->kstep;
    return k;
}

/* Steps of whole tiles that n results with `steps` steps each take. */
static int64_t
cost(const SnConvQ8 *p, int64_t n, int64_t steps)
{
    int64_t most = p->g->mtile[p->g->ntile - 1], rest = n % most;

    return steps * (n / most * (most + 1) + (rest ? rest + 1 : 0));
}

/* The same for the classes of all rows and columns, chunk by chunk. */
static int64_t
clipped_cost(const SnConvQ8 *p, const SnSpan *r, uint32_t nr, const SnSpan *c,
             uint32_t nc)
{
    int64_t sum = 0, per = p->nrun * p->nstep;
    int64_t taps = p->geo.kh * p->geo.kw;

    for (uint32_t i = 0; i < nr; i++)
        for (uint32_t j = 0; j < nc; j++) {
            int64_t steps = per * (r[i].nt * c[j].nt) / taps;
            for (int64_t k = r[i].no; k > 0; k -= p->rows)
                sum += cost(p, min64(k, p->rows) * c[j].no, steps);
        }
    return sum;
}

void
sn_conv_classes(SnArena *a, SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    bool fits = o->c / o->group % p->g->kstep == 0 && !p->wino;
    SnSpan *r, *c, row = {0, o->oh, 0, o->kh}, col = {0, o->ow, 0, o->kw};
    uint32_t nr = sn_spans(a, o->oh, o->kh, o->sh, o->dh, o->pt, o->h, &r);
    uint32_t nc = sn_spans(a, o->ow, o->kw, o->sw, o->dw, o->pl, o->w, &c);

    set_window(p);
    bool clip = fits && clipped_cost(p, r, nr, c, nc) <=
                            clipped_cost(p, &row, 1, &col, 1);
    p->direct = clip && p->g->inside;
    p->xpitch = p->direct ? o->w : p->wp;
    if (!clip) {
        r = &row;
        c = &col;
        nr = nc = 1;
    }
    SnConvClass *v = SN_NEW_N(a, SnConvClass, (size_t)nr * nc);
    for (uint32_t i = 0; i < nr; i++)
        for (uint32_t j = 0; j < nc; j++)
            v[i * nc + j] = make_class(a, p, r[i], c[j]);
    p->class = v;
    p->nclass = nr * nc;
}
