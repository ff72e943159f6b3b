// SPDX-License-Identifier: Apache-2.0
/* Reals for the kernels' tests: with signed zeros, subnormals, infinities and
 * NaN among them.  Which NaN a result is, numerics.md leaves open. */
#ifndef SN_KERNEL_F32_H
#define SN_KERNEL_F32_H

#include "unit/kernel_graph.h"

static inline float
real(int pattern)
{
    static const float odd[] = {0.0f,      -0.0f,      1.0f,     -1.0f,
                                0x1p-140f, -0x1p-149f, 0x1p127f, -0x1p126f,
                                INFINITY,  -INFINITY,  NAN,      0x1.8p-126f};
    uint32_t v = rnd();

    if (pattern == 1 && v % 4 == 0)
        return v % 8 ? 0.0f : -0.0f;
    if (pattern == 2 && v % 16 == 0)
        return odd[v / 16 % (sizeof odd / sizeof *odd)];
    if (pattern == 3)
        return (float)((int32_t)rnd() >> 29) * 0x1p-70f;
    return (float)((int32_t)v >> 8) * 0x1p-23f;
}

static inline SnRef
floats(const SnShape *s)
{
    return input(plain(SN_F32), s);
}

static inline const float *
reals(int64_t n, int pattern)
{
    float *v = SN_NEW_N(arena, float, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = real(pattern);
    return v;
}

static inline SnRef
weights(const SnShape *s, int pattern)
{
    return con(plain(SN_F32), s, reals(sn_shape_count(s), pattern));
}

static bool minus_zeros; /* in the place of drawn numbers */

static void
fill(SnRun *r, int pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        int64_t n = sn_shape_count(r->x->input[i].shape);
        float *v = sn_run_input(r, i);
        for (int64_t k = 0; k < n; k++)
            v[k] = minus_zeros ? -0.0f : real(pattern);
    }
}

static inline void
same(const float *got, const float *want, size_t n, const char *what, SnIsa isa)
{
    for (size_t k = 0; k < n; k++)
        if (!alike(SN_F32, &got[k], &want[k]))
            fail_msg("%s, %s: element %zu is %a, not %a", what,
                     sn_isa_name(isa), k, (double)got[k], (double)want[k]);
}

#endif
