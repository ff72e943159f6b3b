// SPDX-License-Identifier: Apache-2.0
/* Which results of a convolution read the same taps, and from where. */
#include "kernel/conv/conv_priv.h"

/* Taps of a whole row of the window lie side by side. */
static bool
whole_rows(const SnConvGeo *o)
{
    return o->group == 1 && o->dw == 1;
}

bool
sn_conv_q8_column(const SnConvGeo *o)
{
    return whole_rows(o) && o->dh == 1 && o->kw == 1 && o->w == 1 &&
           o->ow == 1 && o->pl == 0;
}

static void
set_window(SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t cig = o->c / o->group;

    p->len = whole_rows(o) ? o->kw * cig : cig;
    p->nrun = whole_rows(o) ? o->kh : o->kh * o->kw;
    if (sn_conv_q8_column(o)) {
        p->len = o->kh * cig;
        p->nrun = 1;
    }
    p->nstep = (p->len + p->g->kstep - 1) / p->g->kstep;
}

/* With few channels, neighbouring pixels fill the block. */
static void
set_depthwise(SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t block = p->g->dwblock;

    p->rep =
        p->bsw == 1 && o->oc < block && block % o->oc == 0 ? block / o->oc : 1;
    p->columns = p->t->dw3[0] && p->bsw * p->rep <= 2 && o->kh == 3 &&
                 o->kw == 3 && o->dw == 1;
    p->direct = p->columns && p->rep == 1;
}

void
sn_conv_shape(SnConvQ8 *p, SnIsa isa, const SnConvGeo *geo)
{
    const SnConvGeo *o = &p->geo;

    p->g = sn_gemm(isa);
    p->t = p->g->tiles;
    p->geo = *geo;
    p->depthwise =
        o->group > 1 && o->group == o->c && o->group == o->oc && !p->sums;
    p->colstep = o->kw == 1 ? o->sw : 1;
    p->bsh = o->kh == 1 ? 1 : o->sh;
    p->bsw = o->kw == 1 ? 1 : o->sw;
    p->wp = (o->ow - 1) * p->bsw + (o->kw - 1) * o->dw + 1;
    if (p->depthwise)
        set_depthwise(p);
    else
        set_window(p);
}

/* Whether a window along some axis reaches past its end. */
static bool
reaches_out(const SnConvGeo *o)
{
    return o->pt > 0 || o->pl > 0 ||
           (o->oh - 1) * o->sh + (o->kh - 1) * o->dh >= o->h ||
           (o->ow - 1) * o->sw + (o->kw - 1) * o->dw >= o->w;
}

bool
sn_conv_can_clip(const SnConvQ8 *p)
{
    return !p->depthwise && p->geo.c / p->geo.group % p->g->kstep == 0 &&
           (p->t->inside || reaches_out(&p->geo));
}

static SnConvClass
make_class(SnArena *a, const SnConvQ8 *p, SnSpan r, SnSpan c)
{
    const SnConvGeo *o = &p->geo;
    int64_t cig = o->c / o->group, px = o->c * p->t->esize, n = 0;
    bool whole = whole_rows(o), all = sn_conv_q8_column(o);
    int64_t per = whole ? 1 : c.nt, rows = all ? min64(r.nt, 1) : r.nt;
    SnConvRun *run = SN_NEW_N(a, SnConvRun, rows * per + 1);

    for (int64_t i = 0; c.nt > 0 && i < rows; i++)
        for (int64_t j = 0; j < per; j++) {
            int64_t row = r.t0 + i, col = c.t0 + j;
            run[n].x = (i * o->dh * p->xpitch + j * o->dw) * px;
            run[n++].w = all     ? row * cig / p->g->kstep
                         : whole ? row * p->nstep + col * cig / p->g->kstep
                                 : (row * o->kw + col) * p->nstep;
        }
    SnConvClass k = {.r = r, .c = c, .nrun = n, .run = run};
    if (n > 0)
        k.x0 = (r.t0 * o->dh * p->xpitch + c.t0 * o->dw) * px;
    k.len = all ? r.nt * cig : whole ? c.nt * cig : cig;
    k.nstep = (k.len + p->g->kstep - 1) / p->g->kstep;
    return k;
}

/* Bytes of a filter that stays in the first cache level beside the values. */
enum { NEAR = 32 << 10 };

void
sn_conv_classes(SnArena *a, SnConvQ8 *p, bool clip)
{
    const SnConvGeo *o = &p->geo;
    SnSpan *r, *c, row = {0, o->oh, 0, o->kh}, col = {0, o->ow, 0, o->kw};
    uint32_t nr = 1, nc = 1;

    p->direct = clip && p->t->inside;
    p->xpitch = p->direct ? o->w : p->wp;
    if (clip) {
        nr = sn_spans(a, o->oh, o->kh, o->sh, o->dh, o->pt, o->h, &r);
        nc = sn_spans(a, o->ow, o->kw, o->sw, o->dw, o->pl, o->w, &c);
    } else {
        r = &row;
        c = &col;
    }
    SnConvClass *v = SN_NEW_N(a, SnConvClass, (size_t)nr * nc);
    for (uint32_t i = 0; i < nr; i++)
        for (uint32_t j = 0; j < nc; j++)
            v[i * nc + j] = make_class(a, p, r[i], c[j]);
    p->classes = v;
    p->nclass = nr * nc;
    p->alone = p->direct && !p->wino && o->n * o->oh * o->ow == 1;
    p->far = v->nrun * v->len * o->oc * p->t->esize > NEAR;
}
