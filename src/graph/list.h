// SPDX-License-Identifier: Apache-2.0
/* Lists of integers and reals, as attributes and shapes hold them: what
 * generated rules, constraints and invariants ask of them. */
#ifndef SN_LIST_H
#define SN_LIST_H

#include <string.h>

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnCmp {
    SN_CMP_EQ,
    SN_CMP_NE,
    SN_CMP_LT,
    SN_CMP_LE,
    SN_CMP_GT,
    SN_CMP_GE
} SnCmp;

/* How two numbers compare.  Of NaN and another number nothing holds but NE. */
static inline bool
sn_cmp(SnCmp op, bool less, bool equal, bool greater)
{
    switch (op) {
    case SN_CMP_EQ:
        return equal;
    case SN_CMP_NE:
        return !equal;
    case SN_CMP_LT:
        return less;
    case SN_CMP_LE:
        return less || equal;
    case SN_CMP_GT:
        return greater;
    case SN_CMP_GE:
        return greater || equal;
    }
    return false;
}
static inline bool
sn_cmp_real(SnCmp op, double x, double k)
{
    return sn_cmp(op, x<k, x == k, x> k);
}
/* Every element compares so with k. */
static inline bool
sn_ints_all(SnInts v, SnCmp op, int64_t k)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (!sn_cmp(op, v.v[i]<k, v.v[i] == k, v.v[i]> k))
            return false;
    return true;
}
static inline bool
sn_ints_all_real(SnInts v, SnCmp op, double k)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (!sn_cmp_real(op, (double)v.v[i], k))
            return false;
    return true;
}
static inline bool
sn_reals_all(SnReals v, SnCmp op, double k)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (!sn_cmp_real(op, (double)v.v[i], k))
            return false;
    return true;
}
static inline bool
sn_ints_equal(SnInts a, SnInts b)
{
    return a.n == b.n && (a.n == 0 || !memcmp(a.v, b.v, a.n * sizeof *a.v));
}
/* By value: -0 equals 0, NaN equals nothing. */
static inline bool
sn_reals_equal(SnReals a, SnReals b)
{
    if (a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.v[i] != b.v[i])
            return false;
    return true;
}
/* 0, 1, 2, ... */
static inline bool
sn_ints_identity(SnInts v)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != i)
            return false;
    return true;
}
/* compose(p, q)[i] = p[q[i]]: one Transpose for two. */
SnInts sn_compose(SnArena *a, SnInts p, SnInts q);
SnInts sn_ints_fill(SnArena *a, int64_t n, int64_t v); /* zeros, ones */

#ifdef __cplusplus
}
#endif

#endif
