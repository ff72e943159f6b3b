// SPDX-License-Identifier: Apache-2.0
/* Lists that conditions of declarations make. */
#include "graph/list.h"
#include "base/budget.h"

SnInts
sn_compose(SnArena *a, SnInts p, SnInts q)
{
    int64_t *v = SN_NEW_N(a, int64_t, q.n + 1);

    for (uint32_t i = 0; i < q.n; i++) /* q may be no permutation of p */
        v[i] = q.v[i] >= 0 && q.v[i] < (int64_t)p.n ? p.v[q.v[i]] : -1;
    return (SnInts){q.n, v};
}

SnInts
sn_ints_fill(SnArena *a, int64_t n, int64_t v)
{
    n = n < 0 ? 0 : n;  /* rank(x) - 2 of a vector */
    if (n > UINT32_MAX) /* longer than any list */
        sn_out_of_memory();
    int64_t *p = SN_NEW_N(a, int64_t, n + 1);

    for (int64_t i = 0; i < n; i++)
        p[i] = v;
    return (SnInts){(uint32_t)n, p};
}
