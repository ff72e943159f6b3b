// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on reals, for filters that are constants:
 * packed once, run by kernel/conv_f32/conv_f32.h. */
#include <stdio.h>

#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "graph/late/late.h"
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

static void
pack_later(void *ctx, void *work, int64_t i0, int64_t i1)
{
    sn_conv_f32_pack_pieces(ctx, work, i0, i1);
}

static void
late_rows(const void *of, int64_t i0, int64_t i1, void *to, void *work)
{
    const SnLate *l = of;

    l->rows(l, i0, i1, to, work);
}

static const SnLate *
late_of(const SnPrep *p, const SnTensor *t)
{
    return p->late && t->data ? p->late[t - p->call->in] : NULL;
}

/* The elements of a Constant, made in tmp if they are not in memory. */
static const float *
elements(const SnPrep *p, const SnTensor *t, SnArena *tmp)
{
    const SnLate *l = late_of(p, t);
    float *all = l ? sn_alloc(tmp, l->nbyte) : t->data;

    if (l)
        sn_late_fill(l, all);
    return all;
}

/* The filter's elements, or what makes its rows. */
static void
set_elements(const SnPrep *p, const SnTensor *w, SnFilterF32 *f, SnArena *tmp)
{
    const SnLate *l = late_of(p, w);
    int64_t row = f->step_k == 1 ? f->step_c : f->step_k;

    if (l && (size_t)(l->nrow * row) * sizeof(float) == l->nbyte) {
        f->rows = late_rows;
        f->rows_of = l;
        f->at_run = p->pack && !sn_pack_kept(p->pack);
    } else {
        f->w = elements(p, w, tmp);
    }
}

/* What is left of packing the filter, if anything. */
static SnLater
left(const SnConvF32 *plan)
{
    size_t nwork = 0;
    int64_t n = sn_conv_f32_pieces(plan, &nwork);

    if (n == 0)
        return (SnLater){0};
    return (SnLater){.fn = pack_later,
                     .ctx = (void *)(uintptr_t)plan,
                     .n = n,
                     .nbyte = (size_t)sn_conv_f32_packed(plan) * sizeof(float),
                     .nwork = nwork};
}

static bool
finish(SnPrep *p, const SnConvGeo *geo, const SnTensor *w, SnFilterF32 f)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));
    SnArena *tmp = sn_arena_new();

    set_elements(p, w, &f, tmp);
    f.bias = elements(p, sn_opnd(c, 2), tmp);
    f.lo = lim.lo;
    f.hi = lim.hi;
    f.from = p->constants;
    if (!f.rows && p->last >> (w - c->in) & 1)
        f.own = (float *)(uintptr_t)w->data;
    SnConvPick pick = sn_tune_pick(p->tune, geo, SN_TUNE_REALS, &p->layer);
    f.pick = &pick;
    f.pack = pack_item(p, geo, &f, w - c->in);
    const SnConvF32 *plan = sn_conv_f32_plan(c->scratch, sn_isa(), geo, &f);
    p->later = left(plan);
    p->prep = plan;
    p->packed = sn_pack_ready(f.pack) ? 1u << (w - c->in) : 0;
    p->copied = 1u << (w - c->in);
    p->taken = sn_conv_f32_in_place(plan, &f) ? p->copied : 0;
    p->nwork = sn_conv_f32_nwork(plan);
    p->nunit = sn_conv_f32_units(plan);
    p->cost = sn_conv_f32_cost(plan);
    sn_arena_free(tmp);
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
    bool by_tap = !transposed && geo.oc > 1;
    SnFilterF32 f = {.step_c = by_tap ? 1 : geo.c,
                     .step_k = by_tap ? geo.oc : 1};
    return finish(p, &geo, w, f);
}

SnStatus
sn_cpu_contract_f32(const SnCall *c)
{
    sn_conv_f32_run_rows(c->prep, c->work, c->in[0].data, c->out[0].data, c->u0,
                         c->u1);
    return SN_OK;
}
