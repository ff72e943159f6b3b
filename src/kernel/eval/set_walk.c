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
    s->late = 0;
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
    if (s->late) {
        add_step(&s->sum, s->last, s->late);
        s->late = 0;
    }
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
    s->next = s->last && s->at[s->last->v] + 1 < s->last->n ? g + 1 : -1;
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

/* The valid taps of v, [lo, hi), for the group's places. */
static void
valid_range(const SnSets *s, int v, int64_t *lo, int64_t *hi)
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

/* What tap t of v adds; false: it is outside. */
static bool
tap_at(SnSets *s, int v, int64_t t, int64_t *off)
{
    *off = s->a.coef[v] * t;
    s->at[v] = t;
    for (int i = 0; i < s->a.npart; i++) {
        const SnSetPart *p = &s->a.part[i];
        if (p->tv != v)
            continue;
        int64_t k = sn_sets_part(s, p, p->rv < 0 ? 0 : s->at[p->rv], t);
        if (k < 0)
            return false;
        *off += k;
    }
    return true;
}

void
sn_sets_row(SnSets *s, const SnSetLevel *l, SnSetRow *r)
{
    int64_t lo = 0, hi;

    r->n = 0;
    r->len = 1;
    if (!l->range) {
        hi = sn_sets_bound_now(s, l->v);
        for (int64_t t = 0; t < hi; t++)
            if (tap_at(s, l->v, t, &r->tap[r->n].off))
                r->tap[r->n++].t = t;
        return;
    }
    valid_range(s, l->v, &lo, &hi);
    r->len = hi - lo;
    if (lo < hi && tap_at(s, l->v, lo, &r->tap->off)) {
        r->tap->t = lo;
        r->n = 1;
    }
}

/* ---- its taps ---- */

static void
add_seg(SnMap *m, const SnSets *s, int64_t off, int64_t number, int64_t n)
{
    if (m->b_of && s->weight.t != SN_NUM_UNDEFINED) {
        number = m->nseg; /* taps as they come, each with its weight */
        sn_terms_run(&s->u->T, sn_num_vars(&s->u->T, s->weight), s->at, s->val);
        m->b_of[number] = sn_num_value(s->weight, s->val);
    }
    m->seg[m->nseg++] = (SnSeg){off, number, n};
}

static const SnSetRow *
row_of(SnSets *s, SnSetLevel *l)
{
    if (l->row)
        return &l->row[l->rv < 0 ? 0 : s->at[l->rv]];
    sn_sets_row(s, l, &l->now);
    return &l->now;
}

static void
walk(SnMap *m, SnSets *s, int depth, int64_t off, int64_t number)
{
    SnSetLevel *l = &s->level[depth];
    const SnSetRow *r = row_of(s, l);
    int64_t step = s->number[l->v];

    for (int64_t i = 0; i < r->n; i++) {
        int64_t a = off + r->tap[i].off, k = number + r->tap[i].t * step;
        s->at[l->v] = r->tap[i].t;
        if (depth + 1 < s->nlevel)
            walk(m, s, depth + 1, a, k);
        else
            add_seg(m, s, a, k, r->len * s->run);
    }
}

/* The sum of parts that depend on no tap; false: the set is empty. */
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

/* The valid taps of parts_v. */
static int64_t
count_parts(SnSets *s)
{
    for (int i = 0; i < s->nlevel; i++)
        if (s->level[i].v == s->parts_v) {
            const SnSetRow *r = row_of(s, &s->level[i]);
            return r->n * r->len;
        }
    return sn_sets_bound(s->u, s->parts_v);
}

static void
set_parts(SnMap *m, SnSets *s)
{
    if (s->parts_v < 0) {
        m->part = m->ntap;
        m->start = sn_pool_start(true, m->whole, true);
        return;
    }
    int64_t n = count_parts(s);
    m->part = n ? m->ntap / n : 1;
    m->start = sn_pool_start(true, m->whole, //
                             n == sn_sets_bound(s->u, s->parts_v));
}

static inline void
shift(int64_t *at, int64_t n, int64_t by)
{
    for (int64_t i = 0; i < n; i++)
        at[i] += by;
}

/* To the next place of the last variable of the groups. */
static void
next_place(SnMap *m, SnSets *s, int64_t g)
{
    const SnSetStep *t = s->last;
    int64_t r = ++s->at[t->v];

    s->g = g;
    s->next = r + 1 < t->n ? g + 1 : -1;
    s->late++;
    m->b0 += t->b;
    m->y0 += t->y;
    m->chan0 += t->chan;
    if (m->c)
        shift(m->c, m->nout, t->centre);
}

/* The set of the previous place moved on, if it is that. */
static bool
slide(SnMap *m, SnSets *s)
{
    int64_t by = s->slide ? s->slide[s->at[s->last->v]] : SN_SET_NEW;
    SnSeg *seg = m->seg, *end = seg + m->nseg;

    if (by == SN_SET_NEW)
        return false;
    s->slid = by;
    for (; seg < end; seg++)
        seg->a += by;
    return true;
}

/* A set that is one range of one level. */
static void
one_seg(SnMap *m, SnSets *s, int64_t off)
{
    SnSetLevel *l = &s->level[0];
    const SnSetRow *r = row_of(s, l);

    m->nseg = (uint32_t)r->n;
    m->ntap = m->nall = r->n * r->len * s->run;
    if (r->n)
        m->seg[0] =
            (SnSeg){off + r->tap->off, r->tap->t * s->number[l->v], m->ntap};
}

/* All segments of a group whose places add `off`. */
static void
new_segs(SnMap *m, SnSets *s, int64_t off)
{
    if (s->single) {
        one_seg(m, s, off);
        return;
    }
    m->nseg = 0;
    if (m->maxtap > 0 && place_parts(s, &off)) {
        if (s->nlevel > 0)
            walk(m, s, 0, off, 0);
        else
            add_seg(m, s, off, 0, s->run);
    }
    m->ntap = 0;
    for (uint32_t i = 0; i < m->nseg; i++)
        m->ntap += m->seg[i].n;
    m->nall = s->u->divisor.t == SN_NUM_INT ? s->u->divisor.v : m->ntap;
    if (s->in_parts)
        set_parts(m, s);
}

static void
fill_taps(SnMap *m)
{
    int64_t k = 0, *a = m->a, step = m->step_a;

    for (uint32_t i = 0; i < m->nseg; i++) {
        const SnSeg *s = &m->seg[i];
        int64_t at = s->a;
        for (int64_t j = 0, n = s->n; j < n; j++, at += step)
            *a++ = at;
        for (int64_t j = 0; m->two && j < s->n; j++)
            m->b[k + j] =
                m->b0 + (m->b_of ? m->b_of[s->k + j] : (s->k + j) * m->step_b);
        k += s->n;
    }
}

/* Moves m to group g, with its single taps if requested: in one function, since
 * small sets cost little more than a call. */
static void
set_group(SnMap *m, int64_t g, bool taps)
{
    SnSets *s = m->sets;
    bool slid = false;

    if (g != s->next) {
        new_segs(m, s, sn_sets_place(m, s, g));
    } else {
        next_place(m, s, g);
        slid = slide(m, s);
        if (!slid)
            new_segs(m, s, s->sum.a + s->late * s->last->a);
    }
    if (!taps)
        return;
    if (slid && s->filled == g - 1) {
        shift(m->a, m->ntap, s->slid);
        if (m->two && s->last->b)
            shift(m->b, m->ntap, s->last->b);
    } else {
        fill_taps(m);
    }
    s->filled = g;
}

void
sn_map_segs(SnMap *m, int64_t g)
{
    set_group(m, g, false);
}

void
sn_map_set(SnMap *m, int64_t g)
{
    set_group(m, g, true);
}
