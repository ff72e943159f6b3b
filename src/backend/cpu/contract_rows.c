// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on 8-bit codes under another arithmetic than
 * float: the tiles' int32 sums, each then put through the arithmetic's row with
 * the constants of its channel. */
#include "backend/cpu/contract.h"

#include "cpu_kernels.h"
#include "kernel/eval/rows.h"

typedef struct Rows {
    const SnConvQ8 *plan; /* of one image */
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

bool
sn_cpu_rows_open(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num,
                 const int8_t *w, const SnType *y)
{
    const SnCall *c = p->call;
    Rows *k = SN_NEW(c->scratch, Rows);
    SnConvNum sums = sn_cpu_rows_sums(num);

    k->geo = *geo;
    k->geo.n = 1;
    if (!sn_cpu_rows_find(c, num, y, &k->rows))
        return false;
    k->plan = sn_conv_q8_plan(c->scratch, sn_isa(), &k->geo, &sums, w);
    k->sums = (size_t)(geo->oh * geo->ow * geo->oc) * sizeof(int32_t);
    k->sums = (k->sums + 63) / 64 * 64;
    p->prep = k;
    p->nwork = k->sums + sn_conv_q8_work(k->plan);
    p->nunit = geo->n * sn_conv_q8_units(k->plan);
    p->cost =
        geo->n * (sn_conv_q8_cost(k->plan) + 3 * geo->oh * geo->ow * geo->oc);
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

void
sn_cpu_rows_run(const SnCall *c, int64_t pitch)
{
    const Rows *k = c->prep;
    const SnConvGeo *o = &k->geo;
    int64_t units = sn_conv_q8_units(k->plan), step = sn_conv_q8_step(k->plan);
    int32_t *sums = c->work;

    for (int64_t u = c->u0, end; u < c->u1; u = end) {
        int64_t image = u / units, from = u % units;
        end = u + step < c->u1 ? u + step : c->u1;
        end = end < (image + 1) * units ? end : (image + 1) * units;
        sn_conv_q8_sums(
            k->plan, (const int8_t *)c->in[0].data + image * o->h * o->w * o->c,
            k->rows.xz, sums, o->oc, (char *)c->work + k->sums, from,
            from + end - u);
        finish(k, sums, sn_conv_q8_part(k->plan, from, from + end - u),
               (int8_t *)c->out[0].data + image * o->oh * o->ow * pitch, pitch);
    }
}
