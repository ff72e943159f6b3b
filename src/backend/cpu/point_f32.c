// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools and LRN on f32. */
#include <math.h>

#include "backend/cpu/geo.h"
#include "backend/cpu/units.h"
#include "base/fmath.h"
#include "cpu_kernels.h"
#include "kernel/eval/map.h"
#include "kernel/point/point_f32.h"
#include "kernel/eval/rows.h"

static bool
is_f32(const SnTensor *t)
{
    return t->type && t->type->elem == SN_F32;
}

static float
real(const SnCall *c, const char *name)
{
    return *(const float *)sn_attr_at(c->attr, sn_attr_named(c->kind, name));
}

/* ---- one operand: clamps and functions ---- */

typedef struct Point {
    SnIsa isa;
    float lo, hi;
} Point;

static bool
prepare_point(SnPrep *p, float lo, float hi, int64_t ns)
{
    Point *k = SN_NEW(p->call->scratch, Point);

    *k = (Point){sn_isa(), lo, hi};
    p->prep = k;
    sn_cpu_units_alike(p, sn_shape_count(p->call->out[0].shape), ns);
    return is_f32(&p->call->in[0]);
}

bool
sn_cpu_relu_f32_prepare(SnPrep *p)
{
    return prepare_point(p, 0, INFINITY, 600);
}

bool
sn_cpu_clip_f32_prepare(SnPrep *p)
{
    return prepare_point(p, real(p->call, "low"), real(p->call, "high"), 600);
}

SnStatus
sn_cpu_clamp_f32(const SnCall *c)
{
    const Point *k = c->prep;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;

    sn_clampf_run(k->isa, k->lo, k->hi, x + sn_cpu_first(c),
                  sn_cpu_count(c, sn_shape_count(c->out[0].shape)),
                  y + sn_cpu_first(c));
    return SN_OK;
}

bool
sn_cpu_sigmoid_f32_prepare(SnPrep *p)
{
    return prepare_point(p, 0, 1, 6000);
}

SnStatus
sn_cpu_sigmoid_f32(const SnCall *c)
{
    const SnCurveF32 sigmoid = {.op = SN_CURVE_SIGMOID};
    const Point *k = c->prep;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;

    sn_curvef_run(k->isa, &sigmoid, x + sn_cpu_first(c),
                  sn_cpu_count(c, sn_shape_count(c->out[0].shape)),
                  y + sn_cpu_first(c));
    return SN_OK;
}

/* ---- BatchNormalization: constants, one per channel of the last axis ---- */

typedef struct Norm {
    SnIsa isa;
    SnNormF32 p;
    int64_t nrow, c;
} Norm;

bool
sn_cpu_norm_f32_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *x = c->in[0].shape;
    Norm *k = SN_NEW(c->scratch, Norm);
    float eps = real(c, "eps");

    if (x->rank < 1)
        return false;
    k->c = x->dim[x->rank - 1];
    for (uint32_t i = 1; i < 5; i++)
        if (!c->in[i].data || c->in[i].shape->rank != 1 ||
            c->in[i].shape->dim[0] != k->c)
            return false;
    float *dev = SN_NEW_N(c->scratch, float, k->c);
    const float *var = c->in[4].data;
    for (int64_t i = 0; i < k->c; i++)
        dev[i] = sn_sqrtf(var[i] + eps);
    k->isa = sn_isa();
    k->p = (SnNormF32){.mean = c->in[3].data,
                       .dev = dev,
                       .gamma = c->in[1].data,
                       .beta = c->in[2].data};
    p->prep = k;
    k->nrow = k->c ? sn_shape_count(x) / k->c : 0;
    p->nunit = k->nrow;
    p->cost = sn_shape_count(x) / 4;
    return true;
}

SnStatus
sn_cpu_norm_f32(const SnCall *c)
{
    const Norm *k = c->prep;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;

    for (int64_t i = c->u0; i < c->u1 && i < k->nrow; i++)
        sn_normf_run(k->isa, &k->p, x + i * k->c, k->c, y + i * k->c);
    return SN_OK;
}

/* ---- pools ---- */

typedef struct Pool {
    SnIsa isa;
    SnPoolF32 p;
} Pool;

static bool
prepare_pool(SnPrep *p, bool avg)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));
    int64_t ntap;

    if (!is_f32(&c->in[0]) || p->wanted != 1)
        return false;
    Pool *k = SN_NEW(c->scratch, Pool);
    k->isa = sn_isa();
    k->p = (SnPoolF32){.avg = avg,
                       .count_pad = sn_map_int(c, &c->kind->sem[0], 6, 0) != 0,
                       .lo = lim.lo,
                       .hi = lim.hi};
    p->prep = k;
    if (!sn_cpu_pool_geo(c, &k->p.geo, &k->p.whole, &ntap))
        return false;
    k->p.columns = avg && sn_pool_columns(c, k->p.geo.sw);
    p->nwork = sn_poolf_work(&k->p);
    p->nunit = k->p.geo.n * k->p.geo.oh;
    p->cost = sn_shape_count(c->out[0].shape) * ntap / 8;
    return true;
}

bool
sn_cpu_maxpool_f32_prepare(SnPrep *p)
{
    return prepare_pool(p, false);
}

bool
sn_cpu_avgpool_f32_prepare(SnPrep *p)
{
    return prepare_pool(p, true);
}

SnStatus
sn_cpu_pool_f32(const SnCall *c)
{
    const Pool *k = c->prep;

    if (sn_shape_count(c->out[0].shape) > 0)
        sn_poolf_run(k->isa, &k->p, c->in[0].data, c->out[0].data, c->work,
                     c->u0, c->u1);
    return SN_OK;
}

/* ---- LRN ---- */

typedef struct Lrn {
    SnIsa isa;
    SnLrnF32 p;
    int64_t npx;
} Lrn;

bool
sn_cpu_lrn_f32_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *s = c->in[0].shape;
    int64_t size = sn_map_int(c, &c->kind->sem[0], 1, 1);

    if (!is_f32(&c->in[0]) || s->rank < 1 || real(c, "beta") != 0.75f ||
        size > 64)
        return false;
    Lrn *k = SN_NEW(c->scratch, Lrn);
    k->isa = sn_isa();
    k->p = (SnLrnF32){.c = s->dim[s->rank - 1],
                      .before = (size - 1) / 2,
                      .after = size / 2,
                      .coef = real(c, "alpha") / (float)size,
                      .k = real(c, "k")};
    k->npx = k->p.c ? sn_shape_count(s) / k->p.c : 0;
    p->prep = k;
    p->nwork = sn_lrnf_work(&k->p);
    p->nunit = k->npx;
    p->cost = sn_shape_count(s);
    return true;
}

SnStatus
sn_cpu_lrn_f32(const SnCall *c)
{
    const Lrn *k = c->prep;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;

    if (k->npx)
        sn_lrnf_run(k->isa, &k->p, x + c->u0 * k->p.c, c->u1 - c->u0,
                    y + c->u0 * k->p.c, c->work);
    return SN_OK;
}
