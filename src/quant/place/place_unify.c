// SPDX-License-Identifier: Apache-2.0
/* Range unification: what meets in one node gets one type, where its
 * producers can write any.  A node that joins codes (Concat) hands its own
 * type up; the two operands of a commuting node (a residual Add) get one that
 * covers both.  Saves Rescales and per-operand scaling at the price of a
 * coarser grid for the narrower operand. */
#include "quant/place/place_priv.h"

#include <math.h>

/* Does some user write the codes it reads from v? */
static bool
is_kept_below(const SnPlacing *pl, SnRef v, SnId except)
{
    for (const SnUse *u = sn_res(pl->g, v)->uses; u; u = u->next) {
        const SnNode *n = sn_node(pl->g, u->user);
        if (u->user == except || u->user >= pl->nnode || !pl->tuple[u->user])
            continue;
        for (unsigned r = 0; r < n->nres; r++)
            if (sn_place_kept(pl->form[u->user], n, r) == (int)u->slot)
                return true;
    }
    return false;
}

/* Gives v and, through nodes that keep their operand's codes, what it is made
 * of, type t; false, and nothing changes, where a producer cannot. */
static bool
take_type(SnPlacing *pl, SnRef v, SnId user, const SnType *t)
{
    SnId id = SN_NODE(v);
    const SnNode *n = sn_node(pl->g, id);

    if (!pl->tuple[id] || sn_place_elem(pl, id) != t->elem ||
        is_kept_below(pl, v, user))
        return false;
    int kept = sn_place_kept(pl->form[id], n, SN_RES(v));
    if (kept >= 0) {
        if (sn_place_constant(pl, n->in[kept].ref) ||
            !take_type(pl, n->in[kept].ref, id, t))
            return false;
    } else if (pl->form[id]->out[SN_RES(v)].fact != SN_FREE) {
        return false;
    }
    *sn_place_slot(pl, v, t->elem) = t;
    return true;
}

static void
pass_up(SnPlacing *pl, SnRef v, SnId user, const SnType *t)
{
    const SnType *was = *sn_place_slot(pl, v, t->elem);

    if (was == t || sn_place_constant(pl, v) || !take_type(pl, v, user, t))
        return;
    SnUnified u = {sn_strdup(pl->p->arena, sn_name(pl->g, v)),
                   sn_label(pl->g, user, pl->p->arena)};
    SN_PUSH(pl->p->arena, pl->p->unified, pl->p->nunified, u);
}

/* Several operands and the result have one type by declaration. */
static bool
joins(const SnPlacing *pl, SnId id)
{
    const SnKindDesc *f = pl->form[id];
    const SnNode *n = sn_node(pl->g, id);
    uint32_t same = 0, port;

    if (f->out[0].fact != SN_SAME || f->sem[0].cls != SN_C_MOVE)
        return false;
    for (uint32_t i = 0; i < n->nin; i++)
        same +=
            n->in[i].ref && sn_place_port(f, n->nin, i, &port)->fact == SN_SAME;
    return same > 1;
}

/* The two operands of a commuting node that reads reals. */
static bool
meets(const SnPlacing *pl, SnId id)
{
    const SnKindDesc *f = pl->form[id];
    const SnNode *n = sn_node(pl->g, id);

    return f->commutes[0] >= 0 && f->sem[0].cls == SN_C_POINT &&
           !f->sem[0].monotone && n->nin == 2;
}

static SnReach
reach_of(const SnType *t)
{
    SnReach r = {(double)t->scale[0] * (double)(sn_elem_lo(t->elem) - t->zp[0]),
                 (double)t->scale[0] *
                     (double)(sn_elem_hi(t->elem) - t->zp[0])};

    return r;
}

static void
meet(SnPlacing *pl, SnId id)
{
    const SnNode *n = sn_node(pl->g, id);
    SnElem e = sn_place_elem(pl, id);
    const SnType *a = *sn_place_slot(pl, n->in[0].ref, e);
    const SnType *b = *sn_place_slot(pl, n->in[1].ref, e);

    if (!a || !b || a == b)
        return;
    SnReach x = reach_of(a), y = reach_of(b);
    SnParam q = sn_place_choose(pl, SN_ROLE_X, pl->want[id].schema, e,
                                fmin(x.lo, y.lo), fmax(x.hi, y.hi), 0);
    const SnType *t = sn_type_quant(pl->g->pool, e, q.scale, q.zp);
    if (!t)
        return;
    pass_up(pl, n->in[0].ref, id, t);
    pass_up(pl, n->in[1].ref, id, t);
}

void
sn_place_unify(SnPlacing *pl, const SnId *topo, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;) {
        SnId id = topo[i];
        const SnNode *node = sn_node(pl->g, id);
        if (!pl->tuple[id])
            continue;
        if (meets(pl, id))
            meet(pl, id);
        if (!joins(pl, id))
            continue;
        SnElem e = sn_place_elem(pl, id);
        const SnType *t = *sn_place_slot(pl, SN_REF(id, 0), e);
        for (uint32_t s = 0; t && s < node->nin; s++)
            if (node->in[s].ref)
                pass_up(pl, node->in[s].ref, id, t);
    }
}
