// SPDX-License-Identifier: Apache-2.0
/* Element-wise kernels are cut at multiples of SN_CPU_UNIT elements. */
#ifndef SN_CPU_UNITS_H
#define SN_CPU_UNITS_H

#include "graph/desc.h"

enum { SN_CPU_UNIT = 4096 };

/* n elements, of which a unit takes `ns` nanoseconds, about. */
static inline void
sn_cpu_units(SnPrep *p, int64_t n, int64_t ns)
{
    p->nunit = (n + SN_CPU_UNIT - 1) / SN_CPU_UNIT;
    p->cost = p->nunit * ns;
}

/* The same of a function of one operand, element by element. */
static inline void
sn_cpu_units_alike(SnPrep *p, int64_t n, int64_t ns)
{
    sn_cpu_units(p, n, ns);
    p->reads = p->writes = SN_CPU_UNIT;
}

/* The elements of the call's units, of n. */
static inline int64_t
sn_cpu_first(const SnCall *c)
{
    return c->u0 * SN_CPU_UNIT;
}

static inline int64_t
sn_cpu_count(const SnCall *c, int64_t n)
{
    return (c->u1 * SN_CPU_UNIT < n ? c->u1 * SN_CPU_UNIT : n) -
           sn_cpu_first(c);
}

#endif
