// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on reals, for filters that are constants:
 * packed once, run by kernel/conv_f32/conv_f32.h. */
#include <stdio.h>

#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/conv_f32/conv_f32.h"
#include "kernel/pack.h"
#include "kernel/eval/rows.h"
#include "kernel/tune/tune.h"

static bool
is_f32(const SnTensor *t)
{
    return t->type && t->type->elem == SN_F32;
}

/* The operands are f32, w and b constants. */
static bool
fits(const SnCall *c, const SnTensor *x, const SnTensor *w)
{
    const SnTensor *b = sn_opnd(c, 2);

    return is_f32(x) && is_f32(w) && is_f32(&c->out[0]) && w->data &&
           (!b->type || b->data);
}

/* What the packed filter depends on: the set, the sizes, how it is cut, where
 * channels and taps lie, the reals. */
static SnPackItem *
pack_item(const SnPrep *p, const SnConvGeo *geo, const SnFilterF32 *f,
          ptrdiff_t w)
{
    struct {
        char isa[16];
        int64_t taps, oc, group, npanel, step_c, step_k;
        uint64_t hash;
    } key = {.taps = geo->kh * geo->kw * (geo->c / geo->group),
             .oc = geo->oc,
             .group = geo->group,
             .npanel = f->pick->npanel,
             .step_c = f->step_c,
             .step_k = f->step_k};

    if (!p->pack)
        return NULL;
    snprintf(key.isa, sizeof key.isa, "%s f32", sn_isa_name(sn_isa()));
    key.hash = p->hash[w];
    return sn_pack_item(p->pack, &key, sizeof key);
}

static bool
finish(SnPrep *p, const SnConvGeo *geo, const SnTensor *w, SnFilterF32 f)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));

    f.w = w->data;
    f.bias = sn_opnd(c, 2)->data;
    f.lo = lim.lo;
    f.hi = lim.hi;
    f.from = p->constants;
    if (p->last >> (w - c->in) & 1)
        f.own = (float *)(uintptr_t)w->data;
    SnConvPick pick = sn_tune_pick(p->tune, geo, SN_TUNE_REALS, &p->layer);
    f.pick = &pick;
    f.pack = pack_item(p, geo, &f, w - c->in);
    const SnConvF32 *plan = sn_conv_f32_plan(c->scratch, sn_isa(), geo, &f);
    p->prep = plan;
    p->packed = sn_pack_ready(f.pack) ? 1u << (w - c->in) : 0;
    p->copied = 1u << (w - c->in);
    p->taken = sn_conv_f32_in_place(plan, &f) ? p->copied : 0;
    p->nunit = sn_conv_f32_units(plan);
    p->cost = sn_conv_f32_cost(plan);
    return true;
}

bool
sn_cpu_conv_f32_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *x = sn_map_port(c, s, 0), *w = sn_map_port(c, s, 1);
    SnConvGeo geo;

    if (!fits(c, x, w) || !sn_cpu_conv_geo(c, &geo))
        return false;
    SnFilterF32 f = {.step_c = geo.kh * geo.kw * (geo.c / geo.group),
                     .step_k = 1};
    return finish(p, &geo, w, f);
}

bool
sn_cpu_matmul_f32_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *x = sn_map_port(c, s, 0), *w = sn_map_port(c, s, 1);
    SnConvGeo geo;
    bool transposed;

    if (!fits(c, x, w) || !sn_cpu_matmul_geo(c, &geo, &transposed))
        return false;
    SnFilterF32 f = {.step_c = transposed ? geo.c : 1,
                     .step_k = transposed ? 1 : geo.oc};
    return finish(p, &geo, w, f);
}

SnStatus
sn_cpu_contract_f32(const SnCall *c)
{
    sn_conv_f32_run(c->prep, c->in[0].data, c->out[0].data, c->u0, c->u1);
    return SN_OK;
}
