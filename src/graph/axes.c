// SPDX-License-Identifier: Apache-2.0
#include "graph/axes.h"

#include "graph/map_args.h"
#include "map/facts.h"

static int64_t
axis_below(SnInts perm, int64_t axis)
{
    return perm.v[axis < 0 ? axis + (int64_t)perm.n : axis];
}

/* Where entry i of a list with one for each axis, or two, goes. */
static uint32_t
entry_below(SnInts perm, uint32_t i)
{
    return i / perm.n * perm.n + (uint32_t)perm.v[i % perm.n];
}

static bool
renumber_reals(SnArena *a, SnReals *v, SnInts perm)
{
    float *w = SN_NEW_N(a, float, v->n + 1);

    for (uint32_t i = 0; i < v->n; i++)
        w[entry_below(perm, i)] = v->v[i];
    v->v = w;
    return true;
}

/* Rewrites one attribute from the transposed order to the original one:
 * axis i of the transposed value is axis perm[i] of the original. */
static bool
renumber(SnArena *a, void *at, const SnAttrDesc *ad, SnMapAxisUse use,
         SnInts perm)
{
    if (use == SN_MX_INDEX) {
        if (ad->kind != SN_A_INT)
            return false;
        *(int64_t *)at = axis_below(perm, *(int64_t *)at);
        return true;
    }
    if (ad->kind != SN_A_INTS && ad->kind != SN_A_REALS)
        return false;
    uint32_t n = ad->kind == SN_A_INTS ? ((SnInts *)at)->n : ((SnReals *)at)->n;
    uint32_t want = use == SN_MX_PAIRS ? 2 * perm.n : perm.n;
    if (n == 0) /* all axes, or the default for each */
        return true;
    if (use != SN_MX_LIST && n != want)
        return false;
    if (ad->kind == SN_A_REALS)
        return use != SN_MX_LIST && renumber_reals(a, at, perm);
    SnInts *v = at;
    int64_t *w = SN_NEW_N(a, int64_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (use == SN_MX_LIST)
            w[i] = axis_below(perm, v->v[i]);
        else
            w[entry_below(perm, i)] = v->v[i];
    v->v = w;
    return true;
}

bool
sn_axes_free(const SnKindDesc *d)
{
    return d->sem && d->sem[0].decl && sn_map_axes_free(d->sem[0].decl);
}

bool
sn_axes_repeat(const SnKindDesc *d)
{
    return d->sem && d->sem[0].decl && sn_map_repeats(d->sem[0].decl);
}

bool
sn_axes_renumber(SnArena *a, const SnKindDesc *d, void *attr, SnInts perm)
{
    const SnSem *s = &d->sem[0];

    if (!sn_axes_free(d))
        return false;
    for (unsigned i = 0; i < s->decl->nparam; i++) {
        SnMapAxisUse use = sn_map_axis_use(s->decl, i);
        uint32_t n;
        const SnArg *g = sn_map_param_args(s, i, &n);
        if (use == SN_MX_NONE || !g) /* left out: the default of each axis */
            continue;
        if (g->kind != SN_ARG_ATTR)
            return false;
        const SnAttrDesc *ad = &d->attr[g->v];
        if (!renumber(a, sn_attr_at(attr, ad), ad, use, perm))
            return false;
    }
    return true;
}

bool
sn_axes_constrained(const SnKindDesc *d)
{
    const SnSem *s = d->sem;

    for (unsigned i = 0; s && s->decl && i < s->decl->nparam; i++) {
        uint32_t n;
        const SnArg *g = sn_map_param_args(s, i, &n);
        if (sn_map_axis_use(s->decl, i) != SN_MX_NONE && g &&
            g->kind == SN_ARG_ATTR && d->attr[g->v].check)
            return true;
    }
    return false;
}
