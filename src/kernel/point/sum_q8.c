// SPDX-License-Identifier: Apache-2.0
/* Sums of two operands of codes: what does not depend on the instruction set.
 */
#include "kernel/point/sum_q8.h"

#include <string.h>

#include "base/num.h"

void
sn_sum8_c(const SnSum8 *p, const int8_t *a, const int8_t *b, int64_t n,
          int8_t *y)
{
    const SnSum8 q = *p; /* y may alias anything but this */

    for (int64_t i = 0; i < n; i++) {
        float s = fmaf(q.ra, (float)a[i], fmaf(q.rb, (float)b[i], q.f));
        int32_t v = sn_rne_clamp(s, -32768, 32767) + q.z;
        y[i] = (int8_t)(v < q.lo ? q.lo : v > q.hi ? q.hi : v);
    }
}

static void
in_order(SnSum8Fn *sum, const SnSum8 *p, const int8_t *a, const int8_t *b,
         int64_t n, int8_t *y)
{
    SnSum8 q = *p;

    if (!p->swap) {
        sum(p, a, b, n, y);
        return;
    }
    q.ra = p->rb;
    q.rb = p->ra;
    sum(&q, b, a, n, y);
}

void
sn_sum8_by(SnSum8Fn *sum, const SnSum8 *p, const int8_t *a, const int8_t *b,
           int64_t n, int8_t *y)
{
    int64_t whole = n / SN_SUM8 * SN_SUM8;
    size_t rest = (size_t)(n - whole);
    int8_t u[SN_SUM8] = {0}, v[SN_SUM8] = {0}, w[SN_SUM8];

    in_order(sum, p, a, b, whole, y);
    if (rest == 0)
        return;
    memcpy(u, a + whole, rest);
    memcpy(v, b + whole, rest);
    in_order(sum, p, u, v, SN_SUM8, w);
    memcpy(y + whole, w, rest);
}

/* ---- programs of `sinter compile` have nothing from here on ---- */

static bool
agrees(SnSum8Fn *sum, const SnSum8 *p, const int8_t *table)
{
    int8_t a[256], b[256], y[256];

    for (int i = 0; i < 256; i++)
        b[i] = (int8_t)(i - 128);
    for (int i = 0; i < 256; i++) {
        memset(a, i - 128, sizeof a);
        in_order(sum, p, a, b, 256, y);
        if (memcmp(y, table + 256 * i, 256) != 0)
            return false;
    }
    return true;
}

bool
sn_sum8_fit_by(SnSum8Fn *sum, SnSum8 *p, const int8_t *table)
{
    /* A unit in the last place of the largest results; the ties of the two
     * formulas differ by less. */
    const float step = 0x1p-19f;
    float f = p->f;

    for (int i = 0; i < 96; i++) {
        int j = i / 2;
        p->swap = i % 2;
        p->f = f + step * (float)(j % 2 ? (j + 1) / 2 : -j / 2);
        if (agrees(sum, p, table))
            return true;
    }
    return false;
}
