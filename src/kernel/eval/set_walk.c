// SPDX-License-Identifier: Apache-2.0
/* One group of a declared map that map_sets.c has opened: where it lies, and
 * which taps it has. */
#include "kernel/eval/map_sets.h"

/* ---- parts ---- */

int64_t
sn_sets_value(const SnSetPart *p, const int64_t *val)
{
    int64_t k = sn_num_value(p->at, val);

    if (p->when)
        return k == 1 ? 0 : -1;
    return k < 0 || k >= p->dim ? -1 : k * p->step;
}

int64_t
sn_sets_part(const SnSets *s, const SnSetPart *p, int64_t r, int64_t t)
{
    if (p->how == SN_PART_TABLE)
        return p->tab[r * p->nt + t];
    if (p->how == SN_PART_TERM) {
        sn_terms_run(&s->u->T, p->vars ? p->vars : 0, s->at, s->val);
        return sn_sets_value(p, s->val);
    }
    int64_t k = p->cr * r + p->ct * t + p->c0;
    return k < 0 || k >= p->dim ? -1 : k * p->step;
}

/* ---- where a group lies ---- */

static void
add_step(SnSetStep *sum, const SnSetStep *t, int64_t k)
{
    sum->a += k * t->a;
    sum->b += k * t->b;
    sum->y += k * t->y;
    sum->chan += k * t->chan;
    sum->centre += k * t->centre;
}

static void
seek_group(SnSets *s, int64_t g)
{
    s->sum = (SnSetStep){.a = s->a.base, .b = s->b.base, .centre = s->centre0};
    s->g = g;
    for (int i = s->ngroup - 1; i >= 0; i--) {
        const SnSetStep *t = &s->group[i];
        s->at[t->v] = g % t->n;
        g /= t->n;
        add_step(&s->sum, t, s->at[t->v]);
    }
}

/* From one group to the next. */
static void
step_group(SnSets *s)
{
    s->g++;
    for (int i = s->ngroup - 1; i >= 0; i--) {
        const SnSetStep *t = &s->group[i];
        add_step(&s->sum, t, 1);
        if (++s->at[t->v] < t->n)
            return;
        add_step(&s->sum, t, -t->n);
        s->at[t->v] = 0;
    }
}

int64_t
sn_sets_place(SnMap *m, SnSets *s, int64_t g)
{
    if (g > 0 && g == s->g + 1)
        step_group(s);
    else
        seek_group(s, g);
    m->b0 = s->sum.b;
    m->y0 = s->sum.y;
    m->chan0 = s->sum.chan;
    for (int64_t i = 0; m->c && i < m->nout; i++)
        m->c[i] =
            s->sum.centre + (s->shared < 0 ? 0 : i * s->centre[s->shared]);
    return s->sum.a;
}

int64_t
sn_sets_bound_now(const SnSets *s, int v)
{
    SnMapNum b = s->u->var[v].bound;

    if (b.t == SN_NUM_INT)
        return b.v;
    sn_terms_run(&s->u->T, sn_num_vars(&s->u->T, b), s->at, s->val);
    int64_t n = sn_num_value(b, s->val);
    return n > 0 ? n : 0;
}

void
sn_sets_range(const SnSets *s, int v, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = sn_sets_bound(s->u, v);
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->tv != v)
            continue;
        int64_t base = p->c0 + (p->rv < 0 ? 0 : p->cr * s->at[p->rv]);
        int64_t first = base < 0 ? -base : 0;
        int64_t end = base >= p->dim ? 0 : p->dim - base;
        if (p->ct > 1) {
            first = (first + p->ct - 1) / p->ct;
            end = (end + p->ct - 1) / p->ct;
        }
        *lo = first > *lo ? first : *lo;
        *hi = end < *hi ? end : *hi;
    }
    if (*hi < *lo)
        *hi = *lo;
}

int64_t
sn_sets_tap(SnSets *s, int v, int64_t t)
{
    int64_t off = s->a.coef[v] * t;

    s->at[v] = t;

    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->tv != v)
            continue;
        int64_t k = sn_sets_part(s, p, p->rv < 0 ? 0 : s->at[p->rv], t);
        if (k < 0)
            return -1;
        off += k;
    }
    return off;
}

/* ---- its taps ---- */

static void
add_seg(SnMap *m, const SnSets *s, int64_t off, int64_t number)
{
    if (m->b_of && s->weight.t != SN_NUM_UNDEFINED) {
        number = m->nseg; /* taps as they come, each with its weight */
        sn_terms_run(&s->u->T, sn_num_vars(&s->u->T, s->weight), s->at, s->val);
        m->b_of[number] = sn_num_value(s->weight, s->val);
    }
    m->seg[m->nseg++] = (SnSeg){off, number, (s->hi - s->lo) * s->run};
}

static void
walk(SnMap *m, SnSets *s, int depth, int64_t off, int64_t number)
{
    if (depth == s->nwalk) {
        if (s->lo < s->hi)
            add_seg(m, s, off, number);
        return;
    }
    int v = s->walk[depth];
    for (int64_t t = 0, n = sn_sets_bound_now(s, v); t < n; t++) {
        int64_t k = sn_sets_tap(s, v, t);
        if (k >= 0 || !sn_sets_in_part(&s->a, v))
            walk(m, s, depth + 1, off + k, number + t * s->number[v]);
    }
}

/* What the parts add that depend on no tap; false: there is nothing. */
static bool
place_parts(SnSets *s, int64_t *off)
{
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->tv >= 0)
            continue;
        int64_t k = sn_sets_part(s, p, p->rv < 0 ? 0 : s->at[p->rv], 0);
        if (k < 0)
            return false;
        *off += k;
    }
    return true;
}

void
sn_map_segs(SnMap *m, int64_t g)
{
    SnSets *s = m->sets;
    int64_t off = sn_sets_place(m, s, g), number = 0;

    m->nseg = 0;
    s->lo = 0;
    s->hi = 1;
    if (s->range) {
        const SnSetRange *t = &s->range[s->range_v < 0 ? 0 : s->at[s->range_v]];
        s->lo = t->lo;
        s->hi = t->hi;
        off += t->off;
        number = t->lo * s->number[s->part_v];
    } else if (s->part_v >= 0) {
        sn_sets_range(s, s->part_v, &s->lo, &s->hi);
        number = s->lo * s->number[s->part_v];
        if (s->lo < s->hi)
            off += sn_sets_tap(s, s->part_v, s->lo);
    }
    if (m->maxtap > 0 && place_parts(s, &off) && s->lo < s->hi)
        walk(m, s, 0, off, number);
    m->ntap = 0;
    for (uint32_t i = 0; i < m->nseg; i++)
        m->ntap += m->seg[i].n;
    m->nall = s->u->divisor.t == SN_NUM_INT ? s->u->divisor.v : m->ntap;
    m->part = 1;
    m->start = 0;
    if (s->in_parts) {
        int64_t n = 0;
        for (int64_t t = 0;
             s->parts_v >= 0 && t < sn_sets_bound(s->u, s->parts_v); t++)
            n += sn_sets_tap(s, s->parts_v, t) >= 0 ||
                 !sn_sets_in_part(&s->a, s->parts_v);
        bool all = s->parts_v < 0 || n == sn_sets_bound(s->u, s->parts_v);
        m->part = s->parts_v < 0 ? m->ntap : n ? m->ntap / n : 1;
        m->start = sn_pool_start(true, m->whole, all);
    }
}
