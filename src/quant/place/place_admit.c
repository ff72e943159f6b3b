// SPDX-License-Identifier: Apache-2.0
/* Scales that an arithmetic admits: ratios of scales within the windows of its
 * multipliers, sums within its accumulators.  A larger scale never saturates,
 * so scales only grow: node by node, each ratio or sum that is not admitted
 * raises what it is made of, as in Bellman and Ford's relaxation of differences
 * of logarithms, until nothing changes.  That is the least solution above the
 * scales that the profile asks for; where there is none, a node is left whose
 * scales cannot grow any further, and it is named. */
#include <math.h>
#include "graph/verify/admits.h"
#include "graph/verify/weights.h"
#include "kernel/eval/eval.h"
#include "quant/place/place_priv.h"
#include "sn_kind_rescale.h"

enum { NSLOT = 3 }; /* of SnRowGrids.scale: the result's, the operands' */

typedef struct Solve {
    SnPlacing *pl;
    SnRef *up;            /* [ref] union-find: values of one type */
    const SnType **first; /* [ref] as the profile has it */
    double *least;        /* [ref] of a root: its scale is at least this */
    uint32_t nref;
    bool changed;
} Solve;

static SnRef
root(const Solve *s, SnRef r)
{
    while (s->up[r] != r)
        r = s->up[r] = s->up[s->up[r]];
    return r;
}

/* ---- values of one type ---- */

static const SnType *
type_now(const Solve *s, SnRef r)
{
    SnPlacing *pl = s->pl;

    return pl->type8[r] ? pl->type8[r] : pl->type16[r];
}

static void
join(Solve *s, SnRef a, SnRef b)
{
    const SnType *x = s->first[a], *y = s->first[b];

    if (x && y && x->elem == y->elem)
        s->up[root(s, a)] = root(s, b);
}

/* Where no Rescale can stand, `same` ports share the type that is written. */
static void
join_node(Solve *s, SnId id, bool rescales)
{
    const SnPlacing *pl = s->pl;
    const SnKindDesc *f = pl->form[id];
    const SnNode *n = sn_node(pl->g, id);
    bool one = sn_needs_one_type(pl->g->rounding, f->kind);
    uint32_t port;

    for (unsigned r = 0; r < n->nres; r++) {
        int kept = sn_place_kept(f, n, r);
        if (kept >= 0 && !sn_place_constant(pl, n->in[kept].ref))
            join(s, SN_REF(id, r), n->in[kept].ref);
        for (uint32_t i = 0; i < n->nin; i++) {
            bool same = f->out[r].fact == SN_SAME && n->in[i].ref &&
                        sn_place_port(f, n->nin, i, &port)->fact == SN_SAME;
            if (n->in[i].ref && !sn_place_constant(pl, n->in[i].ref) &&
                (one || (same && !rescales)))
                join(s, SN_REF(id, r), n->in[i].ref);
        }
    }
}

static bool
is_fixed(const Solve *s, SnRef r)
{
    const SnPlacing *pl = s->pl;
    SnId id = SN_NODE(r);

    return pl->tuple[id] && pl->form[id]->out[SN_RES(r)].fact == SN_FIXED;
}

/* The type of a group: covers what its members reach.  NULL: there is none. */
static const SnType *
group_type(const Solve *s, SnRef top)
{
    const SnPlacing *pl = s->pl;
    const SnType *one = NULL, *fixed = NULL;
    double lo = 0, hi = 0;
    bool alike = true;

    for (SnRef r = 0; r < s->nref; r++) {
        const SnType *t = s->first[r];
        if (!t || root(s, r) != top)
            continue;
        if (is_fixed(s, r)) {
            if (fixed && fixed != t)
                return NULL;
            fixed = t;
        }
        alike &= !one || one == t;
        one = t;
        SnCodeLimits l = sn_code_limits(pl->g->rounding, SN_ROLE_X, t->elem);
        lo = fmin(lo, (double)t->scale[0] * (l.qlo - t->zp[0]));
        hi = fmax(hi, (double)t->scale[0] * (l.qhi - t->zp[0]));
    }
    if (fixed)
        return s->least[top] > (double)fixed->scale[0] ? NULL : fixed;
    if (!one)
        return NULL;
    if (alike && s->least[top] <= (double)one->scale[0])
        return one;
    SnParam q = sn_place_choose(pl, SN_ROLE_X, pl->want[SN_NODE(top)].schema,
                                one->elem, lo, hi, s->least[top]);
    return sn_type_quant(pl->g->pool, one->elem, q.scale, q.zp);
}

/* Gives the group of r its type; false where none is. */
static bool
retype(Solve *s, SnRef r)
{
    SnRef top = root(s, r);
    const SnType *t = group_type(s, top);

    for (SnRef v = 0; t && v < s->nref; v++)
        if (s->first[v] && root(s, v) == top) {
            const SnType **at = sn_place_slot(s->pl, v, t->elem);
            s->changed |= *at != t;
            *at = t;
        }
    return t != NULL;
}

/* ---- a node as it will be ---- */

/* The codes of a constant, for sums. */
static void *
codes_of(Solve *s, SnRef c, const SnType *t)
{
    SnPlacing *pl = s->pl;
    const SnShape *sh = sn_shape_of(pl->g, c);
    const float *v = sn_place_elements(pl, c);
    int64_t n = sn_shape_count(sh), per = t->nq > 1 ? n / t->nq : n;
    int8_t *q = sn_alloc(pl->a, (size_t)n + 1);

    if (t->elem != SN_QI8 || t->axis > 0)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = per ? i / per : 0;
        q[i] = (int8_t)sn_quant(v[i], t->scale[t->nq > 1 ? k : 0],
                                t->zp[t->nq > 1 ? k : 0], -128, 127);
    }
    return q;
}

/* Types of the node's operands and results as they are decided now; data of
 * constants where sums are bounded.  False: some have none. */
static bool
call_of(Solve *s, SnId id, SnCall *c)
{
    SnPlacing *pl = s->pl;
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *f = pl->form[id];
    const SnTuple *t = pl->tuple[id];
    bool sums = sn_arith_at(pl->g->rounding)->pairs.acc_bits != 0;

    *c = sn_node_call(pl->g, id, pl->a);
    SnTensor *x = SN_NEW_N(pl->a, SnTensor, n->nin + n->nres + 1u);
    for (unsigned k = 0; k < n->nres; k++) {
        SnTensor *y = &x[n->nin + k];
        *y = c->out[k];
        if (sn_elem_quant((SnElem)t->out[k].elem))
            y->type = sn_place_type(pl, SN_REF(id, k), (SnElem)t->out[k].elem);
        if (!y->type)
            return false;
    }
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef v = n->in[i].ref;
        uint32_t port;
        const SnPortDesc *p = sn_place_port(f, n->nin, i, &port);
        SnElem e = (SnElem)t->in[port].elem;
        x[i] = c->in[i];
        x[i].data = NULL;
        if (!v || !sn_elem_quant(e))
            continue;
        if (p->fact == SN_PIN)
            x[i].type = NULL;
        else if (!sn_place_constant(pl, v))
            x[i].type = sn_place_type(pl, v, e);
        else if (sn_place_takes_result_type(f, p))
            x[i].type = x[n->nin].type;
        else
            x[i].type = sn_place_const_type(pl, id, i);
        if (p->fact != SN_PIN && !x[i].type)
            return false;
        if (sums && p->fact != SN_PIN && sn_place_constant(pl, v) &&
            x[i].type->nq)
            x[i].data = codes_of(s, v, x[i].type);
    }
    c->kind = f;
    c->attr = n->attr;
    if (f->kind != n->kind && f->nattr) {
        void *attr = sn_attr_new(pl->a, f);
        sn_attr_like(pl->a, f, attr, sn_desc_in(pl->g, n->kind), n->attr);
        c->attr = attr;
    }
    c->in = x;
    c->out = x + n->nin;
    return true;
}

/* ---- raising ---- */

/* Slice k of the constant in operand `slot` of id; false: it is as large as it
 * gets. */
static bool
raise_constant(Solve *s, SnId id, int slot, uint32_t k, double scale)
{
    SnPlacing *pl = s->pl;
    const SnType *t = sn_place_const_type(pl, id, (uint32_t)slot);

    if (!pl->weight[id])
        pl->weight[id] = SN_NEW_N(pl->a, double, t->nq);
    k = k < t->nq ? k : 0;
    pl->weight[id][k] = scale;
    const SnType *now = sn_place_const_type(pl, id, (uint32_t)slot);
    s->changed = true;
    return now && now->scale[k] > t->scale[k];
}

static bool
raise_value(Solve *s, SnRef v, double scale)
{
    SnRef top = root(s, v);
    double was = s->least[top];
    const SnType *t = type_now(s, v);

    s->least[top] = scale;
    if (retype(s, v) && type_now(s, v)->scale[0] > t->scale[0])
        return true;
    s->least[top] = was;
    return false;
}

/* Makes the scale in place k of the row's grids f times larger. */
static bool
raise(Solve *s, SnId id, const SnRatioFault *r, int k, double f)
{
    SnPlacing *pl = s->pl;
    const SnNode *n = sn_node(pl->g, id);
    double scale = (double)r->grids.scale[k] * f;
    uint32_t port;

    if (k == 0)
        return raise_value(s, SN_REF(id, 0), scale);
    if (r->slot[k - 1] < 0)
        return false;
    uint32_t slot = (uint32_t)r->slot[k - 1];
    SnRef v = n->in[slot].ref;
    if (!sn_place_constant(pl, v))
        return raise_value(s, v, scale);
    if (sn_place_takes_result_type(
            pl->form[id], sn_place_port(pl->form[id], n->nin, slot, &port)))
        return false;
    return raise_constant(s, id, (int)slot, k == 2 ? r->slice : 0, scale);
}

/* Raises a scale that brings the ratio into its window. */
static bool
raise_for_ratio(Solve *s, SnId id, const SnRatioFault *r)
{
    const SnArithRatio *ratio = r->ratio;
    double least = ldexp(1, ratio->bits - 1 - ratio->hi);
    double most = ldexp(1, ratio->bits - ratio->lo);
    bool large = !(r->value < most / 2) && r->value > least;
    /* a multiplier that is rounded up may leave the window */
    double f = large ? r->value / most * (1 + ldexp(1, -ratio->bits))
                     : least / r->value * (1 + 0x1p-20);
    static const int order[2][NSLOT] = {{2, 1, 0}, {0, 1, 2}};

    if (!(f > 1))
        f = 1 + 0x1p-20;
    for (int i = 0; i < NSLOT; i++) {
        int k = order[large][i];
        SnRowGrids g = r->grids;
        g.scale[k] *= 2;
        double v = ratio->of(&g);
        if ((large ? v < r->value : v > r->value) && raise(s, id, r, k, f))
            return true;
    }
    return false;
}

/* A sum grows no smaller than its weights: their scale. */
static bool
raise_for_sum(Solve *s, SnId id, const SnCall *c, const SnSumFault *f)
{
    double most = ldexp(1, sn_arith_at(s->pl->g->rounding)->pairs.acc_bits - 1);

    if (f->slot < 0)
        return false;
    const SnType *t = c->in[f->slot].type;
    uint32_t k = t->nq > 1 ? (uint32_t)f->channel : 0;
    return raise_constant(s, id, f->slot, k,
                          (double)t->scale[k] * f->sum / most * 1.001);
}

/* ---- all nodes ---- */

static SnStatus
impossible(const Solve *s, SnId id, const char *why)
{
    const SnPlacing *pl = s->pl;

    return sn_fail(
        sn_rw_diag(pl->rw), SN_EUNSUPPORTED, sn_label(pl->g, id, pl->a),
        "no scales above those of the profile are admitted: %s; keep "
        "it float (--keep-float), or quantize for another backend",
        why);
}

static SnStatus
admit_node(Solve *s, SnId id)
{
    SnRatioFault r;
    SnSumFault sum;
    SnCall c;

    while (call_of(s, id, &c) && sn_ratio_fault(&c, &r))
        if (!raise_for_ratio(s, id, &r))
            return impossible(s, id, sn_ratio_why(&c, &r));
    /* where no scale helps, integerize says why the node stays float */
    while (call_of(s, id, &c) && sn_sum_fault(&c, &sum))
        if (!raise_for_sum(s, id, &c, &sum))
            break;
    return SN_OK;
}

static SnStatus
one_type(Solve *s, const SnId *topo, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (unsigned k = 0; k < sn_node(s->pl->g, topo[i])->nres; k++) {
            SnRef r = SN_REF(topo[i], k);
            if (s->first[r] && root(s, r) == r && !retype(s, r))
                return impossible(
                    s, topo[i],
                    "values that share its type have different fixed types");
        }
    return SN_OK;
}

SnStatus
sn_place_admit(SnPlacing *pl, const SnId *topo, uint32_t n)
{
    Solve s = {.pl = pl, .nref = pl->nnode << SN_RESBITS};
    bool rescales = !sn_no_row(pl->g->rounding, SN_K_RESCALE);

    if (!sn_restricts(pl->g->rounding))
        return SN_OK;
    s.up = SN_NEW_N(pl->a, SnRef, s.nref + 1);
    s.first = SN_NEW_N(pl->a, const SnType *, s.nref + 1);
    s.least = SN_NEW_N(pl->a, double, s.nref + 1);
    pl->weight = SN_NEW_N(pl->a, double *, pl->nnode);
    pl->planning = true;
    for (SnRef r = 0; r < s.nref; r++) {
        s.up[r] = r;
        s.first[r] = type_now(&s, r);
    }
    for (uint32_t i = 0; i < n; i++)
        if (pl->tuple[topo[i]])
            join_node(&s, topo[i], rescales);
    SN_TRY(one_type(&s, topo, n));
    /* Each round ends one more chain of scales that grow by each other. */
    for (uint32_t round = 0; round <= n + 1; round++) {
        s.changed = false;
        for (uint32_t i = 0; i < n; i++)
            if (pl->tuple[topo[i]])
                SN_TRY(admit_node(&s, topo[i]));
        if (!s.changed)
            break;
    }
    pl->planning = false;
    return SN_OK;
}
