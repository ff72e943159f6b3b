// SPDX-License-Identifier: Apache-2.0
#include "quant/choose/row8.h"

#include <math.h>
#include <string.h>

static uint8_t
code(float v, float scale, float offset)
{
    double q = rint(((double)v - (double)offset) / (double)scale);

    return (uint8_t)(q < 0 ? 0 : q > 255 ? 255 : q);
}

void
sn_row8_pack(const float *v, int64_t rows, int64_t cols, uint8_t *out)
{
    for (int64_t r = 0; r < rows; r++, v += cols, out += cols + 8) {
        float lo = cols > 0 ? v[0] : 0, hi = lo;
        for (int64_t i = 1; i < cols; i++) {
            lo = v[i] < lo ? v[i] : lo;
            hi = v[i] > hi ? v[i] : hi;
        }
        float scale = (float)(((double)hi - (double)lo) / 255);
        if (!(scale > 0))
            scale = 1;
        for (int64_t i = 0; i < cols; i++)
            out[i] = code(v[i], scale, lo);
        memcpy(out + cols, &scale, 4);
        memcpy(out + cols + 4, &lo, 4);
    }
}
