// SPDX-License-Identifier: Apache-2.0
#include "kernel/span.h"

uint32_t
sn_spans(SnArena *a, int64_t n, int64_t k, int64_t s, int64_t d, int64_t pad,
         int64_t size, SnSpan **out)
{
    SnSpan *v = NULL;
    uint32_t nv = 0;

    for (int64_t o = 0; o < n; o++) {
        int64_t at = o * s - pad, t0 = 0, t1 = k;
        while (t0 < k && at + t0 * d < 0)
            t0++;
        while (t1 > t0 && at + (t1 - 1) * d >= size)
            t1--;
        if (nv > 0 && v[nv - 1].t0 == t0 && v[nv - 1].nt == t1 - t0) {
            v[nv - 1].no++;
            continue;
        }
        SnSpan sp = {o, 1, t0, t1 - t0};
        SN_PUSH(a, v, nv, sp);
    }
    *out = v;
    return nv;
}
