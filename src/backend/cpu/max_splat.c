// SPDX-License-Identifier: Apache-2.0
/* Maximum with a constant.  x and y: the same shape and type; the constant is
 * quantized to that type (numerics.md, selections). */
#include <string.h>
#include "base/num.h"
#include "cpu_kernels.h"
#include "sn_kind_cpu_max_splat.h"
#include "kernel/eval/rows.h"

SnStatus
sn_cpu_max_splat_i8(const SnCall *c)
{
    const SnType *t = c->in[0].type;
    const SnCPUMaxSplatAttr *a = c->attr;
    const int8_t *x = c->in[0].data;
    int8_t *y = c->out[0].data;
    int64_t n = sn_shape_count(c->in[0].shape);
    int8_t v = (int8_t)sn_quant(a->value, t->scale[0], t->zp[0], -128, 127);

    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > v ? x[i] : v;
    return SN_OK;
}

SnStatus
sn_cpu_max_splat_f32(const SnCall *c)
{
    const SnCPUMaxSplatAttr *a = c->attr;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;
    int64_t n = sn_shape_count(c->in[0].shape);

    for (int64_t i = 0; i < n; i++)
        y[i] = sn_maxf(x[i], a->value);
    return SN_OK;
}
