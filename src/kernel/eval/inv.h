// SPDX-License-Identifier: Apache-2.0
/* Called by generated constraints and invariants: shapes and attribute lists
 * of a call whose tensors have no data.  Every index is safe: a missing
 * operand or dimension is -1.  Numbers and lists are those of rewrite/rule.h.
 */
#ifndef SN_INV_H
#define SN_INV_H

#include <string.h>

#include "graph/desc.h"
#include "graph/list.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first operand of a port, NULL when it is missing. */
static inline const SnShape *
sn_inv_shape(const SnCall *c, uint32_t port)
{
    uint32_t first, count;

    sn_port_slots(c->kind, c->nin, port, &first, &count);
    return count && first < c->nin ? c->in[first].shape : NULL;
}
static inline const SnShape *
sn_inv_out(const SnCall *c, uint32_t port)
{
    return port < c->nout ? c->out[port].shape : NULL;
}
/* Operands of a variadic port. */
static inline int64_t
sn_inv_count(const SnCall *c, uint32_t port)
{
    uint32_t first, count;

    sn_port_slots(c->kind, c->nin, port, &first, &count);
    return count;
}
static inline int64_t
sn_inv_rank(const SnShape *s)
{
    return s ? s->rank : -1;
}
static inline int64_t
sn_inv_dim(const SnShape *s, int64_t axis)
{
    if (s && axis < 0)
        axis += s->rank;
    return s && axis >= 0 && axis < s->rank ? s->dim[axis] : -1;
}
static inline bool
sn_inv_same(const SnShape *a, const SnShape *b)
{
    return a && b && a->rank == b->rank &&
           !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]);
}
static inline SnInts
sn_inv_dims(const SnShape *s)
{
    SnInts v = {s ? (uint32_t)s->rank : 0, s ? s->dim : NULL};
    return v;
}
/* Is v n times k? */
static inline bool
sn_inv_filled(SnInts v, int64_t n, int64_t k)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != k)
            return false;
    return (int64_t)v.n == n;
}

#ifdef __cplusplus
}
#endif

#endif
