// SPDX-License-Identifier: Apache-2.0
/* Opening a declared map: what sn_map_open does.
 *
 * Places of the result are cut into groups, lanes and places that share a set
 * by what indices depend on; taps become runs.  An index is a sum of places
 * times constants, or a part: an axis that may lie outside, or whose index is
 * not such a sum, seen as a function of one place and one tap.  Maps with other
 * indices are refused.  set_walk.c walks what is opened here. */
#include <string.h>

#include "kernel/eval/map_sets.h"
#include "map/facts.h"

/* ---- parts ---- */

static int
var_of(uint32_t vars)
{
    return vars ? __builtin_ctz(vars) : -1;
}

/* Variables of the result, or taps, among vars. */
static uint32_t
vars_of(const SnMapping *u, uint32_t vars, bool tap)
{
    uint32_t r = 0;

    for (uint32_t v = 0; v < u->nvar; v++)
        if (vars >> v & 1 && u->var[v].tap == tap)
            r |= UINT32_C(1) << v;
    return r;
}

static bool
is_known(const SnMapping *u, uint32_t vars)
{
    for (uint32_t v = 0; v < u->nvar; v++)
        if (vars >> v & 1 && u->var[v].bound.t != SN_NUM_INT)
            return false;
    return true;
}

/* The largest table; a part that needs a larger one is run at each tap. */
enum { MAXTABLE = 1 << 20 };

static void
tabulate(const SnCall *c, const SnMapping *u, SnSetPart *p)
{
    int64_t x[SN_MAP_NVAR] = {0};
    int64_t *val = SN_NEW_N(c->scratch, int64_t, u->T.n);

    p->how = SN_PART_TABLE;
    p->tab = SN_NEW_N(c->scratch, int64_t, p->nr * p->nt);
    sn_terms_run(&u->T, 0, x, val);
    for (int64_t a = 0; a < p->nr; a++)
        for (int64_t b = 0; b < p->nt; b++) {
            if (p->rv >= 0)
                x[p->rv] = a;
            if (p->tv >= 0)
                x[p->tv] = b;
            if (p->vars)
                sn_terms_run(&u->T, p->vars, x, val);
            p->tab[a * p->nt + b] = sn_sets_value(p, val);
        }
}

/* An index, or a condition, of the read. */
static void
add_part(const SnCall *c, const SnMapping *u, SnSetRead *s, SnSetPart part)
{
    SnSetPart *p = &s->part[s->npart++];
    int64_t coef[SN_MAP_NVAR];

    *p = part;
    p->vars = sn_num_vars(&u->T, p->at);
    uint32_t r = vars_of(u, p->vars, false), t = vars_of(u, p->vars, true);
    bool two = !(r & (r - 1)) && !(t & (t - 1));
    p->rv = var_of(r);
    p->tv = t ? 31 - __builtin_clz(t) : -1;
    p->how = SN_PART_TERM;
    if (!two || !is_known(u, p->vars))
        return;
    p->nr = sn_sets_bound(u, p->rv);
    p->nt = sn_sets_bound(u, p->tv);
    if (!p->when && sn_term_affine(&u->T, p->at, coef, &p->c0)) {
        p->how = SN_PART_SUM;
        p->cr = p->rv < 0 ? 0 : coef[p->rv];
        p->ct = p->tv < 0 ? 0 : coef[p->tv];
    } else if (p->nt == 0 || p->nr <= MAXTABLE / p->nt) {
        tabulate(c, u, p);
    }
}

/* Elements from one place along axis i to the next; each row of row8 is
 * followed by its scale and offset. */
static int64_t
axis_step(const SnMapRead *r, int i, bool row8)
{
    int64_t step = 1;

    for (int k = i + 1; k < r->box.rank; k++)
        step *= r->box.dim[k] + (row8 && k == r->box.rank - 1 ? 8 : 0);
    return step;
}

/* The components of a read: coefficients of variables, and parts. */
static void
take_apart(const SnCall *c, const SnMapping *u, const SnMapRead *r, bool row8,
           SnSetRead *s)
{
    int64_t coef[SN_MAP_NVAR], c0;
    bool plain = r->nwhen == 0 && !row8;

    if (u->ntap == 0) /* nothing is read */
        return;
    for (int i = 0; i < r->box.rank; i++)
        plain &= r->inside[i];
    if (plain && sn_term_affine(&u->T, r->off, s->coef, &s->base))
        return;
    memset(s->coef, 0, sizeof s->coef);
    s->base = 0;
    s->part = SN_NEW_N(c->scratch, SnSetPart, (size_t)r->box.rank + r->nwhen);
    for (int i = r->box.rank - 1; i >= 0; i--) {
        int64_t step = axis_step(r, i, row8);
        if (r->inside[i] && sn_term_affine(&u->T, r->at[i], coef, &c0)) {
            for (int v = 0; v < SN_MAP_NVAR; v++)
                s->coef[v] += coef[v] * step;
            s->base += c0 * step;
            continue;
        }
        add_part(
            c, u, s,
            (SnSetPart){.at = r->at[i], .dim = r->box.dim[i], .step = step});
    }
    for (uint32_t i = 0; i < r->nwhen; i++)
        add_part(c, u, s, (SnSetPart){.at = r->when[i], .when = true});
}

/* ---- opening: groups, lanes, results that share a set ---- */

/* Elements of the result from one place of variable v to the next. */
static int64_t
result_step(const SnMapping *u, int v)
{
    int64_t step = u->var[v].step;

    for (int i = u->var[v].axis + 1; i < u->rank; i++)
        step *= u->dim[i];
    return step;
}

/* May v be added before the existing lanes, as more lanes? */
static bool
is_lane(const SnMap *m, const SnSets *s, int v)
{
    const SnMapping *u = s->u;
    int64_t a = s->a.coef[v], b = s->b.coef[v], y = result_step(u, v);

    if (sn_sets_in_part(&s->a, v) || sn_sets_in_part(&s->b, v) || s->has_centre)
        return false;
    /* operands outside the map are read by lane: chan0 + l */
    if (u->nbeside && s->weight.t == SN_NUM_UNDEFINED && s->chan[v] != m->nlane)
        return false;
    if (s->nlanevar == 0) /* sums of products take neighbours at once */
        return u->nread > 1 ? a == 0 || a == 1 : a != 0;
    return a == m->lane_a * m->nlane && b == m->lane_b * m->nlane &&
           y == m->lane_y * m->nlane;
}

static void
choose_lanes(SnMap *m, SnSets *s)
{
    const SnMapping *u = s->u;

    for (int v = (int)u->nvar - 1; v >= 0; v--) {
        if (u->var[v].tap || s->use[v] == SN_VAR_SHARED)
            continue;
        if (!is_lane(m, s, v))
            return;
        if (s->nlanevar++ == 0) {
            m->lane_a = s->a.coef[v];
            m->lane_b = s->b.coef[v];
            m->lane_y = result_step(u, v);
        }
        m->nlane *= sn_sets_bound(u, v);
        s->use[v] = SN_VAR_LANE;
    }
}

/* If a formula reads its centre in addition to the set, places on which nothing
 * else depends share a set. */
static void
choose_shared(const SnCall *c, SnMap *m, SnSets *s)
{
    const SnMapping *u = s->u;
    int v = -1;

    s->shared = -1;
    if (!s->has_centre)
        return;
    for (int i = 0; i < (int)u->nvar; i++)
        if (!u->var[i].tap && s->a.coef[i] == 0 && !sn_sets_in_part(&s->a, i))
            v = i; /* one is enough: the rest are groups */
    m->nout = sn_sets_bound(u, v);
    m->y = SN_NEW_N(c->scratch, int64_t, m->nout);
    m->c = SN_NEW_N(c->scratch, int64_t, m->nout);
    if (v < 0)
        return;
    s->shared = v;
    s->use[v] = SN_VAR_SHARED;
    m->chan_e = s->chan[v];
    for (int64_t i = 0; i < m->nout; i++)
        m->y[i] = i * result_step(u, v);
}

/* The rest are groups: those that move the second operand go slowest, so that
 * it is packed once for each of their places. */
static void
choose_groups(SnMap *m, SnSets *s)
{
    const SnMapping *u = s->u;

    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < (int)u->nvar; v++)
            if (!u->var[v].tap && s->use[v] == SN_VAR_GROUP &&
                sn_sets_bound(u, v) > 1 && (s->b.coef[v] != 0) == (pass == 0)) {
                s->group[s->ngroup++] = (SnSetStep){.v = v,
                                                    .n = sn_sets_bound(u, v),
                                                    .a = s->a.coef[v],
                                                    .b = s->b.coef[v],
                                                    .y = result_step(u, v),
                                                    .chan = s->chan[v],
                                                    .centre = s->centre[v]};
                m->ngroup *= sn_sets_bound(u, v);
            }
    s->last = s->ngroup ? &s->group[s->ngroup - 1] : NULL;
}

/* ---- opening: taps ---- */

/* Is the part a range of taps with one step, whatever the place? */
static bool
is_range(const SnSets *s, int v, int64_t *step)
{
    *step = 0;
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->vars >> v & 1 && (p->how != SN_PART_SUM || p->ct <= 0))
            return false;
        if (p->tv == v)
            *step += p->ct * p->step;
    }
    *step += s->a.coef[v];
    return true;
}

/* The last taps that are one run: whole, and one more in part. */
static void
choose_run(SnMap *m, SnSets *s)
{
    int64_t step;

    m->step_a = 0;
    while (s->nlevel > 0) {
        SnSetLevel *l = &s->level[s->nlevel - 1];
        if (!is_range(s, l->v, &step) ||
            (m->step_a && step != m->step_a * s->run))
            break;
        if (!m->step_a)
            m->step_a = step;
        if (sn_sets_in_part(&s->a, l->v)) {
            l->range = true;
            break;
        }
        s->nlevel--;
        s->run *= sn_sets_bound(s->u, l->v);
    }
    if (!m->step_a)
        m->step_a = 1;
}

/* Number of a tap in its box, for each variable, and the order in which taps
 * are walked: as they are numbered, or `parts` first. */
static void
order_taps(SnMap *m, SnSets *s, bool mean)
{
    const SnMapping *u = s->u;
    int64_t number = 1, coef[SN_MAP_NVAR], c0;
    int first = -1;

    for (int v = (int)u->nvar - 1; v >= 0; v--)
        if (u->var[v].tap) {
            s->by_elements |= u->var[v].bound.t != SN_NUM_INT;
            s->number[v] = number;
            number *= sn_sets_bound(u, v);
        }
    m->maxtap = u->ntap < 0 ? 0 : u->ntap; /* 0 where a bound is */
    s->in_parts = mean && u->parts.t != SN_NUM_UNDEFINED;
    if (s->in_parts && sn_term_affine(&u->T, u->parts, coef, &c0))
        for (int v = 0; v < (int)u->nvar; v++)
            if (coef[v])
                first = v;
    if (first >= 0)
        s->level[s->nlevel++] = (SnSetLevel){.v = first};
    for (int v = 0; v < (int)u->nvar; v++)
        if (u->var[v].tap && v != first)
            s->level[s->nlevel++] = (SnSetLevel){.v = v};
    s->parts_v = first;
}

/* The second operand is read in the order of taps, or at any places. */
static void
order_second(const SnCall *c, SnMap *m, const SnSets *s)
{
    const SnMapping *u = s->u;
    bool even = true;

    m->step_b = 1;
    for (int v = (int)u->nvar - 1, seen = 0; v >= 0; v--) {
        if (!u->var[v].tap)
            continue;
        if (!seen++)
            m->step_b = s->b.coef[v];
        even &= s->b.coef[v] == m->step_b * s->number[v];
    }
    if (even)
        return;
    m->step_b = 1;
    m->b_of = SN_NEW_N(c->scratch, int64_t, m->maxtap);
    for (int64_t k = 0; k < m->maxtap; k++)
        for (int v = 0; v < (int)u->nvar; v++)
            if (u->var[v].tap)
                m->b_of[k] +=
                    k / s->number[v] % sn_sets_bound(u, v) * s->b.coef[v];
}

/* A set without an element, where the formula has no value for one. */
static SnStatus
check_nonempty(const SnCall *c, const SnSets *s)
{
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        for (int64_t r = 0; p->how != SN_PART_TERM && r < p->nr; r++) {
            int64_t t = 0;
            while (t < p->nt && sn_sets_part(s, p, r, t) < 0)
                t++;
            if (t == p->nt)
                return sn_call_fail(
                    c,
                    "the window at %lld along axis %d of the result has no "
                    "valid element",
                    (long long)r, p->rv < 0 ? 0 : s->u->var[p->rv].axis);
        }
    }
    return SN_OK;
}

static bool
is_row8(const SnCall *c, unsigned res, const SnMapRead *r)
{
    return sn_mapped_tensor(c, res, r)->type->elem == SN_ROW8;
}

/* The operands, and those outside the map: a weight for each tap is read like a
 * second operand. */
static SnStatus
open_reads(SnSets *s, const SnCall *c, unsigned res)
{
    const SnMapping *u = s->u;
    int64_t base;

    take_apart(c, u, &u->read[0], is_row8(c, res, &u->read[0]), &s->a);
    if (u->nread > 1)
        take_apart(c, u, &u->read[1], false, &s->b);
    s->has_centre = u->centre.param >= 0;
    bool even = s->b.npart == 0;
    if (s->has_centre)
        even &= sn_term_affine(&u->T, u->centre.off, s->centre, &s->centre0);
    if (u->nbeside && sn_map_beside_tap(u->decl))
        s->weight = u->beside[0];
    else if (u->nbeside)
        even &= sn_term_affine(&u->T, u->beside[0], s->chan, &base);
    return even ? SN_OK
                : sn_call_fail(c, "map %s: its sets cannot be run",
                               u->decl->name);
}

/* Allocates room for the taps of any set, and of each level. */
static SnStatus
size_taps(SnMap *m, SnSets *s, const SnCall *c)
{
    int64_t most = 1, room[SN_MAP_NVAR] = {0};

    for (int64_t g = 0; g < (s->by_elements ? m->ngroup : 1); g++) {
        int64_t n = 1;
        sn_sets_place(m, s, g);
        for (int i = 0; i < s->nlevel; i++) {
            const SnSetLevel *l = &s->level[i];
            int64_t k = l->range ? 1 : sn_sets_bound_now(s, l->v);
            if (__builtin_mul_overflow(n, k, &n))
                return sn_call_fail(c, "map %s: a set is too large",
                                    s->u->decl->name);
            room[i] = k > room[i] ? k : room[i];
        }
        most = n > most ? n : most;
    }
    if (s->by_elements)
        m->maxtap = most;
    m->seg = SN_NEW_N(c->scratch, SnSeg, most);
    if (s->weight.t != SN_NUM_UNDEFINED)
        m->b_of = SN_NEW_N(c->scratch, int64_t, m->maxtap);
    for (int i = 0; i < s->nlevel; i++)
        s->level[i].now.tap = SN_NEW_N(c->scratch, SnSetTap, room[i]);
    return SN_OK;
}

/* ---- opening: what is known before the groups are walked ---- */

/* The valid taps of the level for each place that they depend on, where that is
 * one variable. */
static void
tabulate_level(SnSets *s, SnSetLevel *l, const SnCall *c)
{
    const SnMapping *u = s->u;

    l->rv = -1;
    if (u->var[l->v].bound.t != SN_NUM_INT)
        return;
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->tv != l->v)
            continue;
        if (p->how == SN_PART_TERM ||
            (l->rv >= 0 && p->rv >= 0 && p->rv != l->rv))
            return;
        l->rv = p->rv >= 0 ? p->rv : l->rv;
    }
    int64_t nr = sn_sets_bound(u, l->rv);
    int64_t nt = l->range ? 1 : sn_sets_bound(u, l->v);
    if (nt > MAXTABLE / nr)
        return;
    SnSetTap *tap = SN_NEW_N(c->scratch, SnSetTap, nr * nt);
    SnSetRow *row = SN_NEW_N(c->scratch, SnSetRow, nr);
    for (int64_t r = 0; r < nr; r++) {
        if (l->rv >= 0)
            s->at[l->rv] = r;
        row[r].tap = tap + r * nt;
        sn_sets_row(s, l, &row[r]);
    }
    l->row = row;
}

/* Are these the same taps, all of them *d further on? */
static bool
is_shift(const SnSetRow *x, const SnSetRow *y, int64_t *d)
{
    *d = x->n && y->n ? y->tap->off - x->tap->off : 0;
    if (x->n != y->n || x->len != y->len)
        return false;
    for (int64_t i = 0; i < x->n; i++)
        if (y->tap[i].t != x->tap[i].t || y->tap[i].off != x->tap[i].off + *d)
            return false;
    return true;
}

/* From place r - 1 of variable v to place r. */
static int64_t
slide_of(const SnSets *s, int v, int64_t r)
{
    int64_t sum = s->a.coef[v], d;

    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->rv != v || p->tv >= 0)
            continue;
        int64_t x = sn_sets_part(s, p, r - 1, 0);
        int64_t y = sn_sets_part(s, p, r, 0);
        if (x < 0 || y < 0)
            return SN_SET_NEW;
        sum += y - x;
    }
    for (int i = 0; i < s->nlevel; i++) {
        const SnSetLevel *l = &s->level[i];
        if (l->rv != v)
            continue;
        if (!is_shift(&l->row[r - 1], &l->row[r], &d))
            return SN_SET_NEW;
        sum += d;
    }
    return sum;
}

static bool
is_single(const SnSets *s)
{
    for (int i = 0; i < s->a.npart; i++)
        if (s->a.part[i].tv < 0)
            return false;
    return s->nlevel == 1 && s->level[0].range && s->level[0].row &&
           !s->in_parts && s->u->divisor.t != SN_NUM_INT;
}

/* Neighbouring groups mostly read the same taps, moved on.  If the place
 * decides anything else, there are no slides. */
static void
tabulate_slides(SnSets *s, const SnCall *c)
{
    const SnSetStep *t = s->last;

    if (t == NULL || s->weight.t != SN_NUM_UNDEFINED)
        return;
    for (int i = 0; i < s->a.npart; i++)
        if (s->a.part[i].how == SN_PART_TERM)
            return;
    for (int i = 0; i < s->nlevel; i++)
        if (s->level[i].row == NULL)
            return;
    s->slide = SN_NEW_N(c->scratch, int64_t, t->n);
    for (int64_t r = 1; r < t->n; r++)
        s->slide[r] = slide_of(s, t->v, r);
}

SnStatus
sn_open_sets(SnMap *m, const SnCall *c, const SnSem *sem, unsigned res)
{
    SnSets *s = SN_NEW(c->scratch, SnSets);
    const SnMapped *of;

    m->sets = s;
    s->weight = sn_num_undefined();
    SN_TRY(sn_mapped(c, res, &of));
    s->u = &of->u;
    s->val = SN_NEW_N(c->scratch, int64_t, s->u->T.n);
    sn_terms_run(&s->u->T, 0, s->at, s->val);
    SN_TRY(open_reads(s, c, res));
    choose_shared(c, m, s);
    choose_lanes(m, s);
    if (s->u->ntap != 0 && is_row8(c, res, &s->u->read[0]) &&
        m->nlane != s->u->read[0].box.dim[s->u->read[0].box.rank - 1])
        return sn_call_fail(c, "map %s: rows of row8 are not read whole",
                            s->u->decl->name);
    choose_groups(m, s);
    order_taps(m, s, sem->mean && sn_mean_in_parts(c));
    m->two = s->u->nread > 1 || s->weight.t != SN_NUM_UNDEFINED;
    if (s->u->nread > 1)
        order_second(c, m, s);
    m->whole = s->u->whole;
    s->run = 1;
    if (!s->by_elements && s->weight.t == SN_NUM_UNDEFINED)
        choose_run(m, s);
    if (sem->nonempty)
        SN_TRY(check_nonempty(c, s));
    SN_TRY(size_taps(m, s, c));
    for (int i = 0; i < s->nlevel; i++)
        tabulate_level(s, &s->level[i], c);
    tabulate_slides(s, c);
    s->single = m->maxtap > 0 && is_single(s);
    s->g = -2; /* places are of no group yet */
    s->next = s->filled = -1;
    return SN_OK;
}
