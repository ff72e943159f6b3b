// SPDX-License-Identifier: Apache-2.0
/* Functions around exp, tanh and log.  A variant without its own vector code
 * uses these functions, on a part of the values at a time: their arguments are
 * in t. */
#include "kernel/point/curve_f32.h"

#include <math.h>

#include "kernel/eval/rows.h"
#include "kernel/point/point_f32.h"

enum { PART = 256 };

static void
gelu_tanh(SnIsa isa, const float *x, int64_t n, float *t, float *y)
{
    for (int64_t i = 0; i < n; i++)
        t[i] = 0.797884561f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    sn_tanhf_run(isa, t, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = 0.5f * x[i] * (1.0f + t[i]);
}

static void
elu(SnIsa isa, float alpha, const float *x, int64_t n, float *t, float *y)
{
    sn_expf_run(isa, x, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? alpha * (t[i] - 1.0f) : x[i];
}

static void
celu(SnIsa isa, float alpha, const float *x, int64_t n, float *t, float *y)
{
    for (int64_t i = 0; i < n; i++)
        t[i] = x[i] / alpha;
    sn_expf_run(isa, t, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = sn_maxf(x[i], 0.0f) + sn_minf(alpha * (t[i] - 1.0f), 0.0f);
}

static void
selu(SnIsa isa, const SnCurveF32 *p, const float *x, int64_t n, float *t,
     float *y)
{
    sn_expf_run(isa, x, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = p->gamma * (x[i] > 0 ? x[i] : p->alpha * (t[i] - 1.0f));
}

/* t = log(1 + exp(0 - |x|)) */
static void
log_of_sum(SnIsa isa, const float *x, int64_t n, float *t)
{
    for (int64_t i = 0; i < n; i++)
        t[i] = 0.0f - fabsf(x[i]);
    sn_expf_run(isa, t, n, t);
    for (int64_t i = 0; i < n; i++)
        t[i] = 1.0f + t[i];
    sn_logf_run(isa, t, n, t);
    for (int64_t i = 0; i < n; i++)
        t[i] = sn_maxf(x[i], 0.0f) + t[i];
}

static void
softplus(SnIsa isa, const float *x, int64_t n, float *t, float *y)
{
    log_of_sum(isa, x, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = t[i];
}

static void
mish(SnIsa isa, const float *x, int64_t n, float *t, float *y)
{
    log_of_sum(isa, x, n, t);
    sn_tanhf_run(isa, t, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * t[i];
}

static void
swish(SnIsa isa, float alpha, const float *x, int64_t n, float *t, float *y)
{
    sn_swishf_run(isa, alpha, x, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = t[i];
}

static void
times_sigmoid(SnIsa isa, const float *x, int64_t n, float *t, float *y)
{
    sn_sigmoidf_run(isa, x, n, t);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * t[i];
}

static void
part(SnIsa isa, const SnCurveF32 *p, const float *x, int64_t n, float *t,
     float *y)
{
    switch (p->op) {
    case SN_CURVE_EXP:
        sn_expf_run(isa, x, n, y);
        break;
    case SN_CURVE_LOG:
        sn_logf_run(isa, x, n, y);
        break;
    case SN_CURVE_TANH:
        sn_tanhf_run(isa, x, n, y);
        break;
    case SN_CURVE_SIGMOID:
        sn_sigmoidf_run(isa, x, n, y);
        break;
    case SN_CURVE_SWISH:
        swish(isa, p->alpha, x, n, t, y);
        break;
    case SN_CURVE_TIMES_SIGMOID:
        times_sigmoid(isa, x, n, t, y);
        break;
    case SN_CURVE_GELU_TANH:
        gelu_tanh(isa, x, n, t, y);
        break;
    case SN_CURVE_ELU:
        elu(isa, p->alpha, x, n, t, y);
        break;
    case SN_CURVE_CELU:
        celu(isa, p->alpha, x, n, t, y);
        break;
    case SN_CURVE_SELU:
        selu(isa, p, x, n, t, y);
        break;
    case SN_CURVE_SOFTPLUS:
        softplus(isa, x, n, t, y);
        break;
    case SN_CURVE_MISH:
        mish(isa, x, n, t, y);
        break;
    }
}

void
sn_curvef_run(SnIsa isa, const SnCurveF32 *p, const float *x, int64_t n,
              float *y)
{
    const SnPointF32 *v = sn_variant(&sn_point_f32_variants, isa);
    float t[PART];

    if (v->curve) {
        v->curve(p, x, n, y);
        return;
    }
    for (int64_t i = 0; i < n; i += PART)
        part(isa, p, x + i, n - i < PART ? n - i : PART, t, y + i);
}
