// SPDX-License-Identifier: Apache-2.0
/* Functions of one real around exp, tanh, log and erf. */
#include "backend/cpu/units.h"
#include "cpu_kernels.h"
#include "kernel/each/erf_f32.h"
#include "kernel/point/curve_f32.h"

typedef struct Curve {
    SnIsa isa;
    SnCurveF32 p;
} Curve;

/* The attribute of that name, or 0. */
static float
real(const SnCall *c, const char *name)
{
    const SnAttrDesc *a = sn_attr_named(c->kind, name);

    return a ? *(const float *)sn_attr_at(c->attr, a) : 0;
}

static bool
prepare(SnPrep *p, SnCurve op)
{
    const SnCall *c = p->call;
    Curve *k = SN_NEW(c->scratch, Curve);

    *k = (Curve){sn_isa(), {op, real(c, "alpha"), real(c, "gamma")}};
    p->prep = k;
    p->inplace = 1;
    sn_cpu_units_alike(p, sn_shape_count(c->out[0].shape), 3000);
    return true;
}

bool
sn_cpu_exp_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_EXP);
}

bool
sn_cpu_log_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_LOG);
}

bool
sn_cpu_tanh_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_TANH);
}

bool
sn_cpu_swish_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_SWISH);
}

bool
sn_cpu_times_sigmoid_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_TIMES_SIGMOID);
}

bool
sn_cpu_gelu_tanh_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_GELU_TANH);
}

bool
sn_cpu_elu_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_ELU);
}

bool
sn_cpu_celu_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_CELU);
}

bool
sn_cpu_selu_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_SELU);
}

bool
sn_cpu_softplus_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_SOFTPLUS);
}

bool
sn_cpu_mish_prepare(SnPrep *p)
{
    return prepare(p, SN_CURVE_MISH);
}

SnStatus
sn_cpu_function(const SnCall *c)
{
    const Curve *k = c->prep;
    int64_t from = sn_cpu_first(c);

    sn_curvef_run(k->isa, &k->p, (const float *)c->in[0].data + from,
                  sn_cpu_count(c, sn_shape_count(c->out[0].shape)),
                  (float *)c->out[0].data + from);
    return SN_OK;
}

/* ---- Gelu, in the ways that models write it ---- */

typedef struct Gelu {
    SnIsa isa;
    SnGeluF32 p;
} Gelu;

static bool
prepare_gelu(SnPrep *p, SnGeluF32 form)
{
    Gelu *k = SN_NEW(p->call->scratch, Gelu);

    *k = (Gelu){sn_isa(), form};
    p->prep = k;
    p->inplace = 1;
    sn_cpu_units_alike(p, sn_shape_count(p->call->out[0].shape), 3000);
    return true;
}

bool
sn_cpu_gelu_prepare(SnPrep *p)
{
    return prepare_gelu(p, (SnGeluF32){.early = true});
}

bool
sn_cpu_gelu_div_prepare(SnPrep *p)
{
    return prepare_gelu(p, (SnGeluF32){.divides = true});
}

bool
sn_cpu_gelu_mul_prepare(SnPrep *p)
{
    return prepare_gelu(p, (SnGeluF32){0});
}

bool
sn_cpu_gelu_early_prepare(SnPrep *p)
{
    return prepare_gelu(p, (SnGeluF32){.divides = true, .early = true});
}

SnStatus
sn_cpu_gelu(const SnCall *c)
{
    const Gelu *k = c->prep;
    int64_t from = sn_cpu_first(c);
    int64_t n = sn_cpu_count(c, sn_shape_count(c->out[0].shape));

    if (n > 0)
        sn_geluf_run(k->isa, &k->p, (const float *)c->in[0].data + from, n,
                     (float *)c->out[0].data + from);
    return SN_OK;
}
