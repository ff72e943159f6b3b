// SPDX-License-Identifier: Apache-2.0
/* Which steps can make some rows a call, by the map with shapes filled in;
 * which do. */
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "kernel/eval/eval.h"

static bool
has_var(const SnAotNode *n, SnMapNum x, uint32_t v)
{
    return sn_num_vars(&n->u.T, x) >> v & 1;
}

/* The first axis with more than one place; -1: none. */
static int
row_axis(const SnShape *s)
{
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] != 1)
            return s->dim[i] > 1 ? i : -1;
    return -1;
}

static int64_t
width_of(const SnShape *s, int axis)
{
    int64_t k = 1;

    for (int i = axis + 1; i < s->rank; i++)
        k *= s->dim[i];
    return k;
}

/* ---- conditions ---- */

/* The only operand that is not a constant. */
static bool
find_operand(const SnAotNode *n, SnBand *b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n->call.nin; i++)
        if (n->call.in[i].type && !n->call.in[i].data) {
            b->x = i;
            count++;
        }
    return count == 1 && n->call.in[b->x].type->axis < 0 &&
           n->call.in[b->x].type->elem != SN_ROW8;
}

/* The variable whose places are the rows. */
static bool
find_variable(const SnAotNode *n, int axis, SnBand *b)
{
    uint32_t count = 0;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (!n->u.var[v].tap && n->u.var[v].axis == axis) {
            b->var = v;
            count++;
        }
    return count == 1 && n->u.var[b->var].step == 1 &&
           sn_num_is(n->u.var[b->var].bound, b->nrow);
}

/* Is a constant read by the row, or a number that follows from it? */
static bool
is_uneven(SnAotNode *n, const SnBand *b, int axis)
{
    const SnMapping *u = &n->u;

    for (uint32_t i = 0; i < n->call.nin; i++) {
        const SnTensor *t = &n->call.in[i];
        if (t->type && i != b->x && !sn_aot_read_of(n, i) &&
            t->shape->rank != 1)
            return true;
        if (t->type && t->type->axis == axis)
            return true;
    }
    for (uint32_t i = 0; i < u->nread; i++)
        for (uint32_t k = 0; k < u->read[i].nwhen; k++)
            if (has_var(n, u->read[i].when[k], b->var))
                return true;
    for (uint32_t i = 0; i < u->nread; i++)
        for (int d = 0; d < u->read[i].box.rank; d++)
            if (n->source[i] != &n->call.in[b->x] &&
                has_var(n, u->read[i].at[d], b->var))
                return true;
    for (uint32_t i = 0; i < u->nbeside; i++)
        if (has_var(n, u->beside[i], b->var))
            return true;
    for (uint32_t v = 0; v < u->nvar; v++)
        if (u->var[v].bound.t != SN_NUM_INT)
            return true;
    /* of a maximum its place is another result */
    return has_var(n, u->divisor, b->var) ||
           (has_var(n, u->number, b->var) && !sn_aot_is_max(n)) ||
           has_var(n, u->parts, b->var) || sn_aot_parts(n);
}

/* The rows that the index along axis d visits; the row decides this index. */
static bool
walks(const SnAotNode *n, SnMapNum at, SnBand *b)
{
    int64_t k[SN_MAP_NVAR], base;

    if (!sn_term_affine(&n->u.T, at, k, &base) || k[b->var] < 1)
        return false;
    b->step = k[b->var];
    b->taps = 1;
    b->pad = -base;
    for (uint32_t v = 0; v < n->u.nvar; v++) {
        if (v == b->var || !k[v])
            continue;
        if (!n->u.var[v].tap || k[v] < 0)
            return false;
        b->taps += k[v] * (n->u.var[v].bound.v - 1);
    }
    return b->pad >= 0 && b->taps >= b->step && b->pad < b->taps;
}

/* A code that changes no result where the map skips elements outside: the zero
 * point adds nothing to a sum of a tile, and a window of a maximum has an
 * element that is not less than the least code.  False: there is none. */
static bool
find_fill(SnAotNode *n, SnBand *b, bool tile)
{
    b->fill = tile ? n->call.in[b->x].type->zp[0] : INT8_MIN;
    return tile || sn_aot_is_max(n);
}

/* What is read of x; false: it is not the same for each row. */
static bool
find_reads(SnAotNode *n, SnBand *b, bool tile)
{
    const SnMapRead *r = sn_aot_read_of(n, b->x);
    const SnMapRead *centre = &n->u.centre;
    int64_t k[SN_MAP_NVAR], base;
    int d, axis = row_axis(n->call.in[b->x].shape), count = 0;

    for (uint32_t i = 0; i < n->u.nread; i++)
        count += n->source[i] == &n->call.in[b->x];
    if (!r || count != 1 || r->nwhen ||
        !sn_term_affine(&n->u.T, r->off, k, &base) || k[b->var] < 0)
        return false;
    b->shift = k[b->var];
    if (centre->param >= 0 &&
        (!sn_term_affine(&n->u.T, centre->off, k, &base) ||
         k[b->var] != b->shift))
        return false;
    b->plain = b->rows = true;
    for (d = 0; d < r->box.rank; d++) {
        if (!has_var(n, r->at[d], b->var))
            continue;
        b->plain = b->plain && r->inside[d];
        b->rows =
            b->rows && d == axis && walks(n, r->at[d], b) &&
            (r->inside[d] || (r->els == SN_ME_SKIP && find_fill(n, b, tile)));
    }
    b->rows = b->rows && axis >= 0 && b->step > 0;
    if (b->rows) {
        b->xnrow = r->box.dim[axis];
        b->xwidth = width_of(n->call.in[b->x].shape, axis);
        b->xsize = sn_elem_size(n->call.in[b->x].type->elem);
        b->rows = b->shift == b->step * b->xwidth;
    }
    return b->plain || b->rows;
}

/* Is its first result the only one that is read? */
static bool
has_one_result(const SnProgram *p, SnId id)
{
    const SnNode *nd = sn_node(p->g, id);

    for (unsigned r = 1; r < nd->nres; r++)
        if (p->value[SN_REF(id, r)].home != SN_HOME_NONE)
            return false;
    return nd->nres > 0;
}

static SnStatus
find(SnProgram *p, uint32_t s)
{
    SnAotNode n = sn_aot_open(p, s, 0);
    const SnNode *nd = sn_node(p->g, n.id);
    const SnShape *y = nd->res[0].shape;
    const SnAotTile *t = p->tile[s];
    SnBand b = {0};

    p->band[s] = b;
    if (p->skipped[s] || !has_one_result(p, n.id) || (t && t->plan) ||
        (!n.tuple->text && n.kd->sem[0].cls != SN_C_MOVE) ||
        nd->res[0].type->elem == SN_ROW8)
        return SN_OK;
    int axis = row_axis(y);
    if (axis < 0 || !find_operand(&n, &b))
        return SN_OK;
    b.nrow = y->dim[axis];
    b.width = width_of(y, axis);
    SN_TRY(sn_aot_map(&n, 0));
    b.can = !n.wide && !n.u.nlate && !n.u.primitive && n.u.nvar <= 31 &&
            nd->res[0].type->axis != axis && find_variable(&n, axis, &b) &&
            !is_uneven(&n, &b, axis) && find_reads(&n, &b, t != NULL);
    p->band[s] = b;
    return SN_OK;
}

void
sn_aot_band_cut(SnAotNode *n, const SnBand *b)
{
    n->u.var[b->var].bound = sn_num(b->count);
    for (uint32_t i = 0; i < n->u.nread; i++)
        for (int d = 0; d < n->u.read[i].box.rank; d++)
            if (has_var(n, n->u.read[i].at[d], b->var))
                n->u.read[i].inside[d] = true;
    sn_aot_conditions(n);
}

/* ---- which steps do ---- */

static SnRef
result(const SnProgram *p, uint32_t s)
{
    return SN_REF(p->x->step[s].node, 0);
}

/* Is the next step the only reader of its result? */
static bool
is_link(const SnProgram *p, uint32_t s)
{
    const SnBand *a = &p->band[s], *b = &p->band[s + 1];
    const SnNode *n = sn_node(p->g, p->x->step[s + 1].node);

    return a->can && b->can && b->rows && n->in[b->x].ref == result(p, s) &&
           b->xnrow == a->nrow && sn_nuse(p->g, result(p, s)) == 1 &&
           p->value[result(p, s)].home == SN_HOME_ARENA;
}

static const SnAotTile *
whole_tile(const SnProgram *p, uint32_t s)
{
    return p->nform[s] ? p->form[s][p->at[s]].tile : NULL;
}

static SnStatus
way(void *of, uint32_t s, SnBandWay *w)
{
    SnProgram *p = of;
    const SnAotTile *whole = whole_tile(p, s);

    p->band[s].count = w->count;
    SN_TRY(sn_aot_band_tile(p, s, &w->tile));
    w->ok = (whole == NULL) == (w->tile == NULL);
    if (!w->tile || !whole)
        return SN_OK;
    w->scratch = w->tile->scratch;
    w->cost = sn_aot_form_instructions(p, s, w->tile) *
                  (double)(p->band[s].nrow / w->count) -
              sn_aot_form_instructions(p, s, whole);
    return SN_OK;
}

/* Is it a result between these steps, or working memory of one of them? */
static bool
is_inner(const SnProgram *p, uint32_t first, uint32_t last, uint32_t block)
{
    const SnBlock *b = &p->block[block];

    if (p->work[block])
        return b->first >= first && b->last <= last;
    for (uint32_t s = first; s < last; s++)
        if (p->value[result(p, s)].i == block)
            return true;
    return false;
}

static size_t
fixed(void *of, uint32_t first, uint32_t last)
{
    const SnProgram *p = of;
    size_t sum = 0;

    for (uint32_t i = 0; i < p->nblock; i++)
        if (p->block[i].first <= last && p->block[i].last >= first &&
            !is_inner(p, first, last, i))
            sum += (p->block[i].nbyte + SN_AOT_ALIGN - 1) / SN_AOT_ALIGN *
                   SN_AOT_ALIGN;
    return sum;
}

/* The plan of memory with chains as they are. */
static void
place(SnProgram *p, const SnBandSearch *q)
{
    for (uint32_t s = 0; s < p->x->nstep; s++)
        p->tile[s] = p->band[s].on ? p->band[s].tile : whole_tile(p, s);
    p->band_cost = sn_band_cost(q);
    sn_aot_place(p);
}

/* If the plan takes more than the limit because blocks do not fit without gaps,
 * tries a lower limit. */
static SnStatus
keep_limit(SnProgram *p, SnBandSearch *q, size_t limit, size_t most)
{
    SN_TRY(sn_band_reach(q, limit));
    place(p, q);
    for (int k = 0; k < 3 && most && p->arena > most; k++) {
        size_t over = p->arena - most;
        if (over > limit / 20)
            return SN_OK;
        limit -= over;
        sn_band_leave(q);
        place(p, q);
        SN_TRY(sn_band_reach(q, limit));
        place(p, q);
    }
    return SN_OK;
}

SnStatus
sn_aot_bands(SnProgram *p)
{
    size_t limit, most = p->o->max_ram;
    SnBandSearch q = {.a = p->a,
                      .nstep = p->x->nstep,
                      .band = p->band,
                      .of = p,
                      .way = way,
                      .fixed = fixed};

    p->whole = p->arena;
    if (p->o->target->isa != SN_ISA_PORTABLE || p->arena == 0)
        return SN_OK;
    for (uint32_t s = 0; s < q.nstep; s++) {
        SN_TRY(find(p, s));
        if (!p->skipped[s])
            q.all += sn_aot_form_instructions(p, s, whole_tile(p, s));
    }
    for (uint32_t s = 0; s + 1 < q.nstep; s++)
        p->band[s].link = is_link(p, s);
    /* what `fixed` and the search look at is the plan without chains */
    q.least = sn_memdup(p->a, p->least, (q.nstep + 1) * sizeof *p->least);
    sn_band_open(&q);
    SN_TRY(sn_band_limit(&q, p->arena, &limit));
    sn_band_leave(&q);
    if (most && limit > most)
        limit = most;
    if (limit >= p->whole)
        return SN_OK;
    SN_TRY(keep_limit(p, &q, limit, most));
    if (p->arena >= p->whole) {
        sn_band_leave(&q);
        place(p, &q);
    }
    return SN_OK;
}
