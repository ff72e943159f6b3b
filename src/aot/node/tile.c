// SPDX-License-Identifier: Apache-2.0
/* Which sums of products run in tiles: conditions on a node's text, map and
 * shapes, and filters in the order in which loops read them. */
#include "aot/node/tile_help.h"

#include <stdlib.h>
#include <string.h>

/* |code - zero point| is at most 255, and so is a weight's. */
enum { MAX_TAPS = INT32_MAX / (255 * 255), MAX_UNROLLED = 49 };

static int64_t
bound(const SnAotNode *n, int v)
{
    return n->u.var[v].bound.v;
}

static bool
affine(const SnAotNode *n, SnMapNum x, SnAffine *f)
{
    return sn_term_affine(&n->u.T, x, f->k, &f->base);
}

/* Variables that it depends on. */
static uint32_t
vars_of(const SnAotNode *n, const SnAffine *f)
{
    uint32_t r = 0;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (f->k[v])
            r |= UINT32_C(1) << v;
    return r;
}

static int
only(uint32_t vars)
{
    return vars && !(vars & (vars - 1)) ? __builtin_ctz(vars) : -1;
}

static int64_t
product(const SnAotNode *n, uint32_t vars)
{
    int64_t k = 1;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (vars >> v & 1)
            k *= bound(n, (int)v);
    return k;
}

/* ---- what the text requires ---- */

/* Slots of the operands of @dot. */
static bool
operands(const SnAotNode *n, const char *const *text, SnAotTile *t)
{
    unsigned p, q;
    uint32_t a, b, count;

    while (*text && sscanf(*text, "@dot %u %u", &p, &q) != 2)
        text++;
    if (!*text)
        return false;
    sn_port_slots(n->kd, n->call.nin, p, &a, &count);
    sn_port_slots(n->kd, n->call.nin, q, &b, &count);
    const SnTensor *in = n->call.in;
    if ((in[a].data != NULL) == (in[b].data != NULL))
        return false;
    t->w = in[b].data ? b : a;
    t->x = in[b].data ? a : b;
    return in[a].type->elem == SN_QI8 && in[b].type->elem == SN_QI8 &&
           sn_type_per_tensor(in[t->x].type);
}

/* Marks of a line after the sum: those of a result, none of a tap. */
static bool
is_plain_line(const char *s)
{
    for (; (s = strchr(s, '@')) != NULL; s++)
        if (!strchr("ocbsv?|>}", s[1]))
            return false;
    return true;
}

static bool
has_plain_text(const char *const *text)
{
    bool inside = false;

    for (; *text; text++) {
        if (!strncmp(*text, "@dot ", 5))
            inside = true;
        if (**text == '@') {
            inside = inside && strcmp(*text, "@end");
            if (strncmp(*text, "@def ", 5) && strncmp(*text, "@dot ", 5) &&
                strncmp(*text, "@if ", 4) && strcmp(*text, "@else") &&
                strcmp(*text, "@fi") && strcmp(*text, "@each") &&
                strcmp(*text, "@taps") && strcmp(*text, "@end"))
                return false;
        } else if (!inside && !is_plain_line(*text)) {
            return false;
        }
    }
    return true;
}

/* ---- what the map requires ---- */

/* The index along axis d of the operand that is not the filter: at most one tap
 * decides whether it is inside, and no other axis depends on the same tap. */
static bool
is_cut(const SnAotNode *n, const SnAotTile *t, const SnMapRead *r, int d,
       uint32_t *had)
{
    SnAffine f;

    if (r->inside[d])
        return true;
    if (r->els != SN_ME_SKIP || !affine(n, r->at[d], &f))
        return false;
    uint32_t tap = vars_of(n, &f) & t->taps;
    if (only(tap) < 0 || (tap & *had))
        return false;
    *had |= tap;
    return true;
}

static bool
reads(SnAotNode *n, SnAotTile *t)
{
    const SnMapping *u = &n->u;
    const SnMapRead *x = sn_aot_read_of(n, t->x), *w = sn_aot_read_of(n, t->w);
    uint32_t had = 0;

    if (n->wide || u->nlate || u->nread != 2 || !x || !w || x == w ||
        x->nwhen || w->nwhen || u->centre.param >= 0 || u->nvar > 31)
        return false;
    for (uint32_t v = 0; v < u->nvar; v++) {
        if (u->var[v].bound.t != SN_NUM_INT || bound(n, (int)v) <= 0)
            return false;
        if (u->var[v].tap)
            t->taps |= UINT32_C(1) << v;
    }
    for (int d = 0; d < x->box.rank; d++)
        if (!is_cut(n, t, x, d, &had))
            return false;
    for (int d = 0; d < w->box.rank; d++)
        if (!w->inside[d])
            return false;
    return affine(n, x->off, &t->off) && affine(n, w->off, &t->woff);
}

/* Pixels, filter, groups. */
static bool
sort_variables(SnAotNode *n, SnAotTile *t)
{
    const SnMapRead *x = sn_aot_read_of(n, t->x);
    uint32_t ofx = vars_of(n, &t->off), ofw = vars_of(n, &t->woff);
    uint32_t filters = 0;

    for (int d = 0; d < x->box.rank; d++) {
        SnAffine f;
        if (affine(n, x->at[d], &f))
            ofx |= vars_of(n, &f);
    }
    for (uint32_t v = 0; v < n->u.nvar; v++) {
        uint32_t bit = UINT32_C(1) << v;
        if (n->u.var[v].tap)
            continue;
        if (!(ofw & bit))
            t->pixels |= bit;
        else if (ofx & bit)
            t->groups |= bit;
        else
            filters |= bit;
    }
    t->filter = only(filters);
    t->npixel = product(n, t->pixels);
    t->ngroup = product(n, t->groups);
    t->nfilter = product(n, filters);
    t->k = product(n, t->taps);
    return (!filters || t->filter >= 0) && t->taps && t->k <= MAX_TAPS &&
           t->npixel <= INT32_MAX / 8;
}

/* Is it already a sum of variables? */
static bool
is_plain(const SnAotNode *n, SnMapNum x)
{
    const SnMapTerm *t = x.t < 0 ? NULL : &n->u.T.v[x.t];

    if (!t || t->op == SN_TM_VAR)
        return true;
    for (int64_t i = 0; t->op == SN_TM_LIN && i < t->n; i++)
        if (n->u.T.v[t->lin[i].t].op != SN_TM_VAR)
            return false;
    return t->op == SN_TM_LIN;
}

/* Do operands outside a set, or a slice, depend on pixels? */
static bool
beside_pixels(const SnAotNode *n, const SnAotTile *t)
{
    SnAffine f;
    int axis = n->call.out[n->res].type->axis;

    for (uint32_t i = 0; i < n->call.nin && axis < 0; i++)
        axis = n->call.in[i].type ? n->call.in[i].type->axis : -1;
    for (uint32_t i = 0; i < n->u.nbeside; i++)
        if (!is_plain(n, n->u.beside[i]) || !affine(n, n->u.beside[i], &f) ||
            (vars_of(n, &f) & t->pixels))
            return true;
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (axis >= 0 && n->u.var[v].axis == axis && (t->pixels >> v & 1))
            return true;
    return false;
}

/* ---- filters ---- */

/* Value of f at group g, filter m, tap k. */
static int64_t
value_at(const SnAotNode *n, const SnAotTile *t, const SnAffine *f, int64_t g,
         int64_t m, int64_t k)
{
    int64_t r = f->base;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        uint32_t bit = UINT32_C(1) << v;
        int64_t b = bound(n, v);
        if (t->taps & bit) {
            r += f->k[v] * (k % b);
            k /= b;
        } else if (t->groups & bit) {
            r += f->k[v] * (g % b);
            g /= b;
        } else if (v == t->filter) {
            r += f->k[v] * m;
        }
    }
    return r;
}

static bool
zero_points(SnAotNode *n, SnAotTile *t)
{
    const SnType *wt = n->call.in[t->w].type;
    const SnMapRead *r = sn_aot_read_of(n, t->w);
    int32_t *z = SN_NEW_N(n->a, int32_t, (size_t)(t->ngroup * t->mp));
    SnAffine f;
    bool any = false;

    memset(&f, 0, sizeof f);
    if (wt->axis >= 0 &&
        (!affine(n, r->at[wt->axis], &f) || (vars_of(n, &f) & t->taps)))
        return false;
    for (int64_t g = 0; g < t->ngroup; g++)
        for (int64_t m = 0; m < t->nfilter; m++) {
            int64_t i = wt->axis < 0 ? 0 : value_at(n, t, &f, g, m, 0);
            z[g * t->mp + m] = wt->zp[i];
            any = any || wt->zp[i];
        }
    t->xz = n->call.in[t->x].type->zp[0];
    t->wz = any ? z : NULL;
    return true;
}

/* The tap in a half of a word of a window: sn_pair_window, sn_quad_window; k
 * or more: none. */
static int64_t
element(const SnAotTile *t, int64_t word, int half)
{
    int64_t e = (word & ~INT64_C(1)) * 2 + (word & 1) + 2 * half;
    int64_t fours = t->nrun & ~INT64_C(3), left = t->nrun - fours;
    int64_t all = fours * (t->k / t->nrun);

    if (!t->quads)
        return 2 * word + half;
    if (e < all)
        return e / fours * t->nrun + e % fours;
    e -= all;
    return left == 0 ? t->k : e / left * t->nrun + fours + e % left;
}

static int8_t
weight(const SnAotNode *n, const SnAotTile *t, int64_t g, int64_t m, int64_t k)
{
    const int8_t *w = n->call.in[t->w].data;

    return m < t->nfilter && k < t->k ? w[value_at(n, t, &t->woff, g, m, k)]
                                      : 0;
}

/* A block of filters by pairs of elements: sn_dot_pair_windows. */
static int8_t *
put_block(const SnAotNode *n, const SnAotTile *t, int8_t *p, int64_t g,
          int64_t m)
{
    for (int64_t word = 0; word < t->kp / 2; word++)
        for (int64_t c = m; c < m + t->block; c += 2)
            for (int half = 0; half < 2; half++) {
                int64_t k = element(t, word, half);
                *p++ = weight(n, t, g, c, k);
                *p++ = weight(n, t, g, c + 1, k);
            }
    return p;
}

static void
pack(SnAotNode *n, SnAotTile *t)
{
    size_t size = (size_t)(t->ngroup * t->mp * t->kp);
    int8_t *all = SN_NEW_N(n->a, int8_t, size), *p = all;

    for (int64_t g = 0; g < t->ngroup; g++)
        for (int64_t m = 0; m < t->mp; m += t->block) {
            if (t->dsp && !t->mve && t->form != SN_TILE_PLANE) {
                p = put_block(n, t, p, g, m);
                continue;
            }
            for (int64_t c = m; c < m + t->block; c++)
                for (int64_t k = 0; k < t->kp; k++)
                    *p++ = weight(n, t, g, c, k);
        }
    const SnTensor *w = &n->call.in[t->w];
    if (size == sn_tensor_nbyte(w->type, w->shape) &&
        !memcmp(all, w->data, size))
        return;
    t->pack = all;
    t->npack = size;
}

/* ---- windows ---- */

static int64_t
round_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by * by;
}

/* Is there an axis where the variable decides which elements are inside? */
static bool
decides(SnAotNode *n, const SnAotTile *t, int v)
{
    const SnMapRead *r = sn_aot_read_of(n, t->x);
    SnAffine f;

    for (int d = 0; d < r->box.rank; d++)
        if (!r->inside[d] && affine(n, r->at[d], &f) && f.k[v])
            return true;
    return false;
}

/* The taps that are consecutive in x, fastest first. */
static void
find_run(SnAotNode *n, SnAotTile *t)
{
    t->nrun = 1;
    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        uint32_t bit = UINT32_C(1) << v;
        if (!(t->taps & bit))
            continue;
        if (t->run && t->off.k[v] != t->step * t->nrun)
            return;
        if (!t->run)
            t->step = t->off.k[v];
        t->run |= bit;
        t->slowest = v;
        t->inner = t->nrun;
        t->nrun *= bound(n, v);
        if (decides(n, t, v))
            return;
    }
}

/* Does any filter have a zero point? */
static bool
has_zero(const SnAotNode *n, const SnAotTile *t)
{
    const SnType *w = n->call.in[t->w].type;

    for (uint32_t i = 0; i < w->nq; i++)
        if (w->zp[i])
            return true;
    return false;
}

/* Windows of codes as they are; where a window is a row of x, it stays there.
 */
static void
vectors(SnAotNode *n, SnAotTile *t)
{
    const SnMapRead *r = sn_aot_read_of(n, t->x);

    if (t->npixel < 4 || t->step != 1 || has_zero(n, t))
        return;
    t->mve = true;
    t->quads = false;
    t->block = 1;
    t->kp = t->k;
    t->mp = t->nfilter;
    t->xstep = sn_tile_even_step(n, t->pixels, t->off.k);
    t->direct = t->run == t->taps && t->xstep > 0;
    for (int d = 0; d < r->box.rank; d++)
        t->direct = t->direct && r->inside[d];
    t->scratch = t->direct ? 0 : (size_t)t->k * 4;
}

static bool
windows(SnAotNode *n, SnAotTile *t, const SnAotTarget *target)
{
    if (t->filter < 0)
        return false;
    t->form = t->npixel == 1 ? SN_TILE_ROWS : SN_TILE_WINDOWS;
    t->wide = target->wide && t->npixel > 1;
    t->block = t->npixel == 1 || t->wide ? 4 : 2;
    find_run(n, t);
    t->quads = t->dsp && t->step == 1;
    t->kp = t->dsp ? round_up(t->k, 4) : t->k;
    t->mp = round_up(t->nfilter, t->block);
    t->scratch = (size_t)(t->kp * (t->npixel == 1 ? 1 : 4)) * 2;
    if (t->wide)
        t->scratch *= 2;
    if (target->mve)
        vectors(n, t);
    return true;
}

/* ---- planes ---- */

static bool
add_axis(const SnAotNode *n, SnAotTile *t, const SnMapRead *r, int d,
         uint32_t *had)
{
    SnTileAxis *a = &t->axis[t->naxis];
    SnAffine f;

    if (!affine(n, r->at[d], &f))
        return false;
    uint32_t vars = vars_of(n, &f);
    if (!(vars & t->taps))
        return r->inside[d];
    a->tap = only(vars & t->taps);
    a->place = only(vars & ~t->taps);
    if (t->naxis == 2 || a->tap < 0 || (vars & *had) ||
        ((vars & ~t->taps) && (a->place < 0 || !(t->pixels >> a->place & 1))))
        return false;
    a->step = a->place < 0 ? 0 : f.k[a->place];
    a->gap = f.k[a->tap];
    if (a->step < 0 || a->gap < 0)
        return false;
    a->first = r->inside[d] ? 0 : f.base;
    a->n = (a->place < 0 ? 0 : a->step * (bound(n, a->place) - 1)) +
           a->gap * (bound(n, a->tap) - 1) + 1;
    a->dim = r->inside[d] ? a->n : r->box.dim[d];
    a->stride = 1;
    for (int i = d + 1; i < r->box.rank; i++)
        a->stride *= r->box.dim[i];
    *had |= vars;
    t->naxis++;
    return true;
}

/* Does another axis depend on a variable of an axis with taps? */
static bool
elsewhere(const SnAotNode *n, const SnMapRead *r, const SnAotTile *t,
          uint32_t had)
{
    SnAffine f;

    for (int d = 0; d < r->box.rank; d++)
        if (affine(n, r->at[d], &f) && !(vars_of(n, &f) & t->taps) &&
            (vars_of(n, &f) & had))
            return true;
    return false;
}

/* How often a row of the plane makes two results at a time along the axis; 0:
 * impossible. */
static int64_t
pairs(const SnAotNode *n, const SnTileAxis *a)
{
    int64_t count = a->place < 0 ? 0 : bound(n, a->place);

    return count >= 2 && a->gap == 1 && (a->step == 1 || a->step == 2)
               ? (count + 1) / 2
               : 0;
}

/* The same for four at a time by vectors.  Places of eight elements of the
 * operand are numbers of 16 bits. */
static int64_t
fours(const SnAotNode *n, const SnTileAxis *a)
{
    int64_t count = a->place < 0 ? 0 : bound(n, a->place);

    return count >= 4 && a->stride * 7 <= UINT16_MAX ? (count + 3) / 4 : 0;
}

/* The axis along which several results are made at a time comes last: the one
 * that leaves fewer single results.  times: how often a row makes several;
 * false: there is no such axis. */
static bool
choose_axis(const SnAotNode *n, SnAotTile *t,
            int64_t (*times)(const SnAotNode *n, const SnTileAxis *a))
{
    SnTileAxis *a = t->axis;
    int64_t first = t->naxis ? times(n, &a[0]) : 0;
    int64_t second = t->naxis == 2 ? times(n, &a[1]) : 0;

    if (first == 0 && second == 0)
        return false;
    if (t->naxis < 2)
        return true;
    int64_t n0 = a[0].place < 0 ? 1 : bound(n, a[0].place);
    int64_t n1 = a[1].place < 0 ? 1 : bound(n, a[1].place);
    if (second == 0 || (first && first * n1 < second * n0)) {
        SnTileAxis was = a[0];
        a[0] = a[1];
        a[1] = was;
    }
    return true;
}

static bool
plane(SnAotNode *n, SnAotTile *t, bool mve)
{
    const SnMapRead *r = sn_aot_read_of(n, t->x);
    uint32_t had = 0;

    if (t->filter >= 0 || t->k > MAX_UNROLLED || t->npixel < 4)
        return false;
    for (int d = 0; d < r->box.rank; d++)
        if (!add_axis(n, t, r, d, &had))
            return false;
    if ((t->taps & ~had) || elsewhere(n, r, t, had))
        return false;
    t->form = SN_TILE_PLANE;
    t->block = t->mp = 1;
    t->kp = t->k;
    t->mve = mve && choose_axis(n, t, fours);
    t->twos = t->dsp && !t->mve && choose_axis(n, t, pairs);
    const SnTileAxis *in = &t->axis[t->naxis - 1];
    t->pitch = t->twos ? round_up(in->n, 2) : in->n;
    t->scratch = (size_t)(t->pitch * (t->naxis == 2 ? t->axis[0].n : 1)) *
                 (t->mve ? 1 : 2);
    return true;
}

/* ---- plans ---- */

static SnTunedRole
role(const SnAotNode *n, const SnAotTile *t, uint32_t v)
{
    uint32_t bit = UINT32_C(1) << v;

    return n->u.var[v].tap       ? SN_TUNED_TAP
           : (t->groups & bit)   ? SN_TUNED_GROUP
           : t->filter == (int)v ? SN_TUNED_FILTER
                                 : SN_TUNED_PIXEL;
}

static bool
index_of(const SnAotNode *n, SnMapNum x, SnTunedIndex *i)
{
    SnAffine f;

    if (!affine(n, x, &f))
        return false;
    memcpy(i->k, f.k, n->u.nvar * sizeof *f.k);
    i->base = f.base;
    return true;
}

static bool
open_map(SnAotNode *n, const SnAotTile *t, SnTunedMap *m)
{
    const SnMapRead *x = sn_aot_read_of(n, t->x), *w = sn_aot_read_of(n, t->w);

    memset(m, 0, sizeof *m);
    if (n->u.nvar > SN_TUNED_VARS || x->box.rank > SN_TUNED_RANK ||
        n->u.nbeside > 1 ||
        (n->u.nbeside && !index_of(n, n->u.beside[0], &m->channel)))
        return false;
    m->nvar = n->u.nvar;
    for (uint32_t v = 0; v < m->nvar; v++) {
        m->bound[v] = bound(n, (int)v);
        m->role[v] = role(n, t, v);
        m->step[v] = n->u.var[v].tap ? 0 : sn_aot_step(n, v);
    }
    m->rank = x->box.rank;
    for (int d = 0; d < m->rank; d++) {
        m->dim[d] = x->box.dim[d];
        if (!index_of(n, x->at[d], &m->at[d]))
            return false;
    }
    return index_of(n, w->off, &m->w);
}

/* The plan with which the CPU backend would run it. */
static bool
planned(SnAotNode *n, SnAotTile *t, SnConvNum num, SnIsa isa)
{
    static const int32_t zero = 0;
    const SnTensor *w = &n->call.in[t->w];
    SnTunedMap m;
    SnConvGeo geo;

    t->mp = t->nfilter;
    if (!open_map(n, t, &m) || !sn_tuned_geo(&m, &geo) || !zero_points(n, t))
        return false;
    num.xz = t->xz;
    num.wz = t->wz ? t->wz : &zero;
    num.nwz = t->wz ? (uint32_t)geo.oc : 1;
    t->plan = sn_tuned_open(n->a, isa, &geo, &num,
                            sn_tuned_filter(n->a, &m, &geo, w->data));
    t->form = SN_TILE_PLAN;
    t->scratch = sn_conv_q8_work(t->plan->q);
    t->pack = t->plan->pack;
    t->npack = t->plan->npack;
    return true;
}

uint32_t
sn_aot_tiles_of(SnAotNode *n, const char *const *text,
                const SnAotTarget *target, const SnConvNum *num, bool all,
                const SnAotTile *tile[SN_TILES])
{
    SnAotTile t = {.dsp = target->dsp, .filter = -1}, *q;
    uint32_t k = 0;

    if (!operands(n, text, &t) || !has_plain_text(text) || !reads(n, &t) ||
        !sort_variables(n, &t) || beside_pixels(n, &t))
        return 0;
    q = sn_memdup(n->a, &t, sizeof t);
    if (num && planned(n, q, *num, target->isa)) {
        tile[k++] = q;
        q = sn_memdup(n->a, &t, sizeof t);
    }
    if ((k == 0 || all) &&
        (plane(n, q, target->mve) || windows(n, q, target)) &&
        zero_points(n, q)) {
        pack(n, q);
        tile[k++] = q;
    }
    return k;
}
