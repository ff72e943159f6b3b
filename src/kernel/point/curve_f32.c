// SPDX-License-Identifier: Apache-2.0
/* Functions around exp, tanh and log, one element at a time: the portable
 * variant. */
#include "kernel/point/curve_f32.h"

#include <math.h>

#include "base/fmath.h"
#include "kernel/eval/rows.h"
#include "kernel/point/point_f32.h"

static float
gelu_tanh(float x)
{
    float c = 0.044715f * x * x * x;

    return 0.5f * x * (1.0f + sn_tanhf(0.797884561f * (x + c)));
}

/* alpha * (exp(x) - 1) */
static float
fall(float x, float alpha)
{
    return alpha * (sn_expf(x) - 1.0f);
}

static float
celu(float x, float alpha)
{
    return sn_maxf(x, 0.0f) + sn_minf(fall(x / alpha, alpha), 0.0f);
}

static float
softplus(float x)
{
    return sn_maxf(x, 0.0f) + sn_logf(1.0f + sn_expf(0.0f - fabsf(x)));
}

static float
value(const SnCurveF32 *p, float x)
{
    switch (p->op) {
    case SN_CURVE_EXP:
        return sn_expf(x);
    case SN_CURVE_LOG:
        return sn_logf(x);
    case SN_CURVE_TANH:
        return sn_tanhf(x);
    case SN_CURVE_SIGMOID:
        return 1.0f / (1.0f + sn_expf(-x));
    case SN_CURVE_SWISH:
        return x / (1.0f + sn_expf(-p->alpha * x));
    case SN_CURVE_TIMES_SIGMOID:
        return x * (1.0f / (1.0f + sn_expf(-x)));
    case SN_CURVE_GELU_TANH:
        return gelu_tanh(x);
    case SN_CURVE_ELU:
        return x < 0 ? fall(x, p->alpha) : x;
    case SN_CURVE_CELU:
        return celu(x, p->alpha);
    case SN_CURVE_SELU:
        return p->gamma * (x > 0 ? x : fall(x, p->alpha));
    case SN_CURVE_SOFTPLUS:
        return softplus(x);
    case SN_CURVE_MISH:
        return x * sn_tanhf(softplus(x));
    }
    return x;
}

void
sn_curvef_ref(const SnCurveF32 *p, const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = value(p, x[i]);
}

void
sn_curvef_run(SnIsa isa, const SnCurveF32 *p, const float *x, int64_t n,
              float *y)
{
    const SnPointF32 *v = sn_variant(&sn_point_f32_variants, isa);

    v->curve(p, x, n, y);
}
