// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on 8-bit codes under another arithmetic than
 * float: the tiles' int32 sums, each then put through the arithmetic's row with
 * the constants of its channel. */
#include "backend/cpu/contract.h"

#include "cpu_kernels.h"
#include "kernel/depth/depth_sums.h"
#include "kernel/eval/rows.h"

typedef struct Rows {
    const SnConvQ8 *plan; /* of one image, or NULL: depthwise, by */
    const SnDepthSums *depth;
    SnIsa isa;
    SnConvGeo geo;
    SnCpuRows rows;
    size_t sums; /* bytes of an image's sums, before the plan's own work */
} Rows;

bool
sn_cpu_rows_find(const SnCall *c, const SnConvNum *num, const SnType *y,
                 SnCpuRows *r)
{
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *w = sn_map_port(c, s, 1);
    const SnRowUse *use = sn_row_uses(c, sn_map_port(c, s, 0)->type, w->type, y,
                                      s->decl->name, 0);

    *r = (SnCpuRows){.row = use->row,
                     .xz = num->xz,
                     .lo = num->lo,
                     .hi = num->hi,
                     .bias = num->bias};
    if (!r->row || !r->row->all)
        return false;
    uint32_t nk = r->row->nk, n = nk * w->type->nq;
    int64_t *v = SN_NEW_N(c->scratch, int64_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        v[i] = use[i / nk].k[i % nk];
    r->k = v;
    r->step = w->type->nq > 1 ? nk : 0;
    return true;
}

SnConvNum
sn_cpu_rows_sums(const SnConvNum *num)
{
    return (SnConvNum){.xz = num->xz,
                       .wz = num->wz,
                       .nwz = num->nwz,
                       .from = num->from,
                       .filter = num->filter,
                       .ctx = num->ctx,
                       .sums = true};
}

void
sn_cpu_rows_codes(const SnCpuRows *r, const int32_t *sums, int64_t oc,
                  int64_t npx, int64_t c0, int64_t c1, int8_t *y, int64_t pitch)
{
    const int32_t *bias = r->bias ? r->bias + c0 : NULL;

    for (int64_t i = 0; i < npx; i++)
        r->row->all(r->k + c0 * r->step, r->step, sums + i * oc + c0, bias,
                    c1 - c0, r->lo, r->hi, y + i * pitch + c0);
}

/* The filter's codes by taps, less their zero points; NULL: not depthwise. */
static const SnDepthSums *
open_depth(SnArena *a, const SnConvGeo *o, const SnConvNum *num,
           const int8_t *w)
{
    int64_t taps = o->kh * o->kw;

    if (!w || o->group == 1 || !sn_depth_sums_holds(o))
        return NULL;
    SnDepthSums *k = SN_NEW(a, SnDepthSums);
    int16_t *v = sn_alloc_n(a, (size_t)(taps * o->c), sizeof *v);
    *k = (SnDepthSums){*o, num->xz, v};
    for (int64_t c = 0; c < o->c; c++)
        for (int64_t t = 0; t < taps; t++)
            v[t * o->c + c] =
                (int16_t)(w[c * taps + t] - num->wz[num->nwz > 1 ? c : 0]);
    return k;
}

bool
sn_cpu_rows_open(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num,
                 const int8_t *w, const SnType *y)
{
    const SnCall *c = p->call;
    Rows *k = SN_NEW(c->scratch, Rows);
    SnConvNum sums = sn_cpu_rows_sums(num);
    int64_t n = geo->oh * geo->ow * geo->oc, cost;

    k->geo = *geo;
    k->geo.n = 1;
    k->isa = sn_isa();
    if (!sn_cpu_rows_find(c, num, y, &k->rows))
        return false;
    k->sums = (size_t)n * sizeof(int32_t);
    k->sums = (k->sums + 63) / 64 * 64;
    k->depth = open_depth(c->scratch, &k->geo, num, w);
    if (k->depth) {
        p->nwork = k->sums + sn_depth_sums_work(k->depth);
        p->nunit = geo->n * geo->oh;
        cost = n * geo->kh * geo->kw / 4;
    } else {
        k->plan = sn_conv_q8_plan(c->scratch, k->isa, &k->geo, &sums, w);
        p->nwork = k->sums + sn_conv_q8_work(k->plan);
        p->nunit = geo->n * sn_conv_q8_units(k->plan);
        cost = sn_conv_q8_cost(k->plan);
    }
    p->prep = k;
    p->cost = geo->n * (cost + 3 * n);
    p->pitched = true;
    p->any = true;
    return true;
}

/* Codes of a part of an image, whose sums lie at s. */
static void
finish(const Rows *k, const int32_t *s, SnConvPart part, int8_t *y,
       int64_t pitch)
{
    int64_t px = part.r0 * k->geo.ow;

    sn_cpu_rows_codes(&k->rows, s + px * k->geo.oc, k->geo.oc,
                      (part.r1 - part.r0) * k->geo.ow, part.c0, part.c1,
                      y + px * pitch, pitch);
}

/* Units of an image, and how many leave their sums in the caches. */
static int64_t
units(const Rows *k, int64_t *step)
{
    enum { FEW = 1 << 14 };

    *step =
        k->plan ? sn_conv_q8_step(k->plan) : FEW / (k->geo.ow * k->geo.oc) + 1;
    return k->plan ? sn_conv_q8_units(k->plan) : k->geo.oh;
}

/* Units [u0, u1) of an image. */
static void
run_part(const Rows *k, const int8_t *x, int64_t u0, int64_t u1, char *work,
         int8_t *y, int64_t pitch)
{
    SnConvPart part = {u0, u1, 0, k->geo.oc, k->geo.ow};
    int32_t *sums = (void *)work;

    if (k->plan) {
        sn_conv_q8_sums(k->plan, x, k->rows.xz, sums, k->geo.oc, work + k->sums,
                        u0, u1);
        part = sn_conv_q8_part(k->plan, u0, u1);
    } else {
        sn_depth_sums_run(k->isa, k->depth, x, sums, work + k->sums, u0, u1);
    }
    finish(k, sums, part, y, pitch);
}

void
sn_cpu_rows_run(const SnCall *c, int64_t pitch)
{
    const Rows *k = c->prep;
    const SnConvGeo *o = &k->geo;
    int64_t step, n = units(k, &step);

    for (int64_t u = c->u0, end; u < c->u1; u = end) {
        int64_t image = u / n, from = u % n;
        end = u + step < c->u1 ? u + step : c->u1;
        end = end < (image + 1) * n ? end : (image + 1) * n;
        run_part(k, (const int8_t *)c->in[0].data + image * o->h * o->w * o->c,
                 from, from + end - u, c->work,
                 (int8_t *)c->out[0].data + image * o->oh * o->ow * pitch,
                 pitch);
    }
}
