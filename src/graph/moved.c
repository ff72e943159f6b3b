// SPDX-License-Identifier: Apache-2.0
#include "graph/moved.h"

#include "graph/map_args.h"

/* Does the read take the place of slot 0, always? */
static bool
always_first(const SnKindDesc *d, const SnSem *s, const SnMapping *u)
{
    const SnMapRead *r = u->read;
    uint32_t n;

    if (u->nread != 1 || r->which || r->one_of || r->nwhen || u->ntap != 1)
        return false;
    for (int i = 0; i < r->box.rank; i++)
        if (!r->inside[i])
            return false;
    const SnArg *g = sn_map_param_args(s, (unsigned)r->param, &n);
    return d->nin && g && g->kind == SN_ARG_PORT && g->v == 0;
}

/* Places of the result are parts of one number, the slowest first: offsets that
 * count them in another order of parts, or backwards, take each value once. */
static SnMoved
by_parts(const SnMapping *u)
{
    int64_t coef[SN_MAP_NVAR], base, step = 1, low = 0;
    uint32_t used = 0;
    bool in_order = true;

    if (!sn_term_affine(&u->T, u->read->off, coef, &base))
        return SN_MOVED_ELSE;
    for (uint32_t i = 0; i < u->nvar; i++) {
        uint32_t k = 0;
        while (k < u->nvar &&
               (used >> k & 1 || (coef[k] != step && coef[k] != -step)))
            k++;
        if (k == u->nvar || u->var[k].tap)
            return SN_MOVED_ELSE;
        used |= UINT32_C(1) << k;
        in_order &= k == u->nvar - 1 - i && coef[k] > 0;
        low += coef[k] < 0 ? coef[k] * (u->var[k].bound.v - 1) : 0;
        step *= u->var[k].bound.v;
    }
    return base + low != 0 ? SN_MOVED_ELSE
           : in_order      ? SN_MOVED_IN_ORDER
                           : SN_MOVED_ONCE;
}

static SnMoved
moved(SnArena *a, const SnGraph *g, const SnNode *n, const SnKindDesc *d)
{
    const SnSem *s = &d->sem[0];
    const SnShape **in = SN_NEW_N(a, const SnShape *, n->nin);
    char why[SN_MAP_WHY];
    SnMapArgs m;
    SnMapping u;
    SnMapSplit *split;

    for (uint32_t i = 0; i < n->nin; i++)
        in[i] = n->in[i].ref ? sn_shape_of(g, n->in[i].ref) : NULL;
    sn_map_args(&m, a, d, s, n->attr, n->nin, in);
    if (!sn_mapping_open(&u, s->decl, m.arg, a, why) ||
        !sn_mapping_reads(&u, 0, NULL))
        return SN_MOVED_ELSE;
    uint32_t cuts = sn_mapping_splits(&u, &split);
    if (cuts && !sn_mapping_reads(&u, cuts, split))
        return SN_MOVED_ELSE;
    return always_first(d, s, &u) ? by_parts(&u) : SN_MOVED_ELSE;
}

SnMoved
sn_moved(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    if (!n->nin || n->nres != 1 || !n->in[0].ref || !d->sem ||
        d->sem[0].cls != SN_C_MOVE || !d->sem[0].decl || d->clamp >= 0)
        return SN_MOVED_ELSE;
    int64_t count = sn_shape_count(n->res[0].shape);
    if (count != sn_shape_count(sn_shape_of(g, n->in[0].ref)))
        return SN_MOVED_ELSE;
    if (count == 0)
        return SN_MOVED_IN_ORDER;
    for (unsigned i = 0; i < d->sem[0].decl->nparam; i++)
        if (d->sem[0].decl->param[i].data) /* elements say where */
            return SN_MOVED_ELSE;
    SnArena *a = sn_arena_new();
    SnMoved r = moved(a, g, n, d);
    sn_arena_free(a);
    return r;
}
