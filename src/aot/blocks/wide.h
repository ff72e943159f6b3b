// SPDX-License-Identifier: Apache-2.0
/* Sums of products of codes for processors that multiply 64 bits: a word holds
 * an element of two windows, a + b * 2^32, so that one product by an element of
 * a filter is two.  Sums of products stay in int32 (tile.c makes sure of it),
 * so both can be read from a sum of such words. */
#ifndef SN_WIDE_H
#define SN_WIDE_H

#include <stdint.h>

#include "aot/blocks/dot.h"

/* sn_window into the first (half 0) or the second window (half 1) of words; the
 * first is gathered before the second. */
static inline void
sn_wide_window(int64_t *d, int half, const int8_t *x, int at, int lo, int hi,
               int n, int step, int zero)
{
    if (hi <= lo)
        lo = hi = 0;
    if (half) {
        for (int j = lo; j < hi; j++)
            d[j] += (x[at + j * step] - zero) * ((int64_t)1 << 32);
        return;
    }
    for (int j = 0; j < lo; j++)
        d[j] = 0;
    for (int j = lo; j < hi; j++)
        d[j] = x[at + j * step] - zero;
    for (int j = hi; j < n; j++)
        d[j] = 0;
}

/* a[0], a[by]: the two sums of a word. */
static inline void
sn_wide_split(uint64_t v, int32_t *a, int by)
{
    const int32_t lo = (int32_t)(uint32_t)v;

    a[0] = lo;
    a[by] = (int32_t)(uint32_t)((v - (uint64_t)(int64_t)lo) >> 32);
}

/* sum[i]: of window i of 4, of k elements. */
static inline void
sn_wide_sums(const int64_t *d, int k, int32_t *sum)
{
    uint64_t s0 = 0, s1 = 0;

    for (int j = 0; j < k; j++) {
        s0 += (uint64_t)d[j];
        s1 += (uint64_t)d[k + j];
    }
    sn_wide_split(s0, sum, 1);
    sn_wide_split(s1, sum + 2, 1);
}

/* a[4 * i + c]: window i of 4 by filter c of 4, each of k elements. */
static inline void
sn_dot_wide(const int8_t *w, const int64_t *x, int k, int32_t *a)
{
    uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;

    for (int j = 0; j < k; j++) {
        const uint64_t x0 = (uint64_t)x[j], x1 = (uint64_t)x[k + j];
        const uint64_t w0 = (uint64_t)(int64_t)w[j];
        const uint64_t w1 = (uint64_t)(int64_t)w[k + j];
        const uint64_t w2 = (uint64_t)(int64_t)w[2 * k + j];
        const uint64_t w3 = (uint64_t)(int64_t)w[3 * k + j];
        s0 += x0 * w0;
        s1 += x0 * w1;
        s2 += x0 * w2;
        s3 += x0 * w3;
        s4 += x1 * w0;
        s5 += x1 * w1;
        s6 += x1 * w2;
        s7 += x1 * w3;
    }
    sn_wide_split(s0, a, 4);
    sn_wide_split(s1, a + 1, 4);
    sn_wide_split(s2, a + 2, 4);
    sn_wide_split(s3, a + 3, 4);
    sn_wide_split(s4, a + 8, 4);
    sn_wide_split(s5, a + 9, 4);
    sn_wide_split(s6, a + 10, 4);
    sn_wide_split(s7, a + 11, 4);
}

#endif
