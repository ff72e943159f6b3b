// SPDX-License-Identifier: Apache-2.0
/* Quantize: what does not depend on the instruction set. */
#include "kernel/point/quant_q8.h"

#include <string.h> /* for programs: num.h is picked there */

#include "base/num.h"

void
sn_quant8_c(const SnQuant8 *p, const float *x, int64_t n, int8_t *y)
{
    const SnQuant8 q = *p; /* y may alias anything but this */
    int32_t lo = (int32_t)q.lo, hi = (int32_t)q.hi;

    for (int64_t i = 0; i < n; i++)
        y[i] = (int8_t)(sn_rne_clamp(x[i] / q.scale, lo, hi) + q.zp);
}
