// SPDX-License-Identifier: Apache-2.0
/* Shapes of results, by the declarations of maps. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/map_args.h"

/* One inference under way. */
typedef struct SnShapeCall {
    const SnKindDesc *d;
    const void *attr;
    uint32_t nin;
    const SnShape *const *in; /* by slot; NULL for a missing operand */
    const SnSem *sem;
    char *why; /* [SN_WHY] */
    int rank;  /* the result */
    int64_t dim[SN_MAXRANK];
} SnShapeCall;

static bool fail(SnShapeCall *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool
fail(SnShapeCall *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->why, SN_WHY, fmt, ap);
    va_end(ap);
    return false;
}

/* What is pinned to the accumulator of a sum of products (its bias) has one
 * element for each output channel, the last axis of the result. */
static bool
channels_ok(SnShapeCall *c)
{
    if (c->sem->cls != SN_C_CONTRACT || c->rank == 0)
        return true;
    for (uint32_t port = 0; port < c->d->nin; port++) {
        uint32_t first, count;
        if (c->d->in[port].fact != SN_PIN)
            continue;
        sn_port_slots(c->d, c->nin, port, &first, &count);
        const SnShape *s = count ? c->in[first] : NULL;
        int64_t n = c->dim[c->rank - 1];
        if (s && (s->rank != 1 || s->dim[0] != n))
            return fail(c,
                        "operand '%s' must have %lld elements, one "
                        "for each output channel",
                        c->d->in[port].name, (long long)n);
    }
    return true;
}

static bool
shape_of_map(SnShapeCall *c, SnArena *a)
{
    SnMapArgs m;
    SnMapping u;

    if (!c->sem->decl)
        return fail(c, "%s does not declare the shape of its results",
                    c->d->name);
    sn_map_args(&m, a, c->d, c->sem, c->attr, c->nin, c->in);
    if (!sn_mapping_open(&u, c->sem->decl, m.arg, a, c->why))
        return false;
    c->rank = u.rank;
    memcpy(c->dim, u.dim, (size_t)u.rank * sizeof *u.dim);
    /* An empty set, like an empty window, has no maximum and no mean. It is
     * allowed if the result has no elements. */
    bool wanted = c->sem->nonempty && u.ntap == 0;
    for (int i = 0; i < u.rank; i++)
        wanted &= u.dim[i] > 0;
    if (wanted && u.none >= 0)
        return fail(c, "axis %d of '%s' has no element to reduce", u.none,
                    m.arg[0].name);
    if (wanted)
        return fail(c, "'%s' has no element to reduce", m.arg[0].name);
    return true;
}

bool
sn_infer_shapes(SnPool *p, const SnKindDesc *d, const void *attr, uint32_t nin,
                const SnShape *const *in, const SnShape **out, char *why)
{
    why[0] = '\0';
    for (uint32_t k = 0; k < d->nout; k++) {
        SnShapeCall c = {.d = d,
                         .attr = attr,
                         .nin = nin,
                         .in = in,
                         .sem = &d->sem[k],
                         .why = why};
        if (!shape_of_map(&c, sn_pool_arena(p)) || !channels_ok(&c))
            return false;
        out[k] = sn_shape(p, c.rank, c.dim);
        if (!out[k])
            return fail(&c, "result '%s' is too large", d->out[k].name);
    }
    return true;
}
