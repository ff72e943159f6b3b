// SPDX-License-Identifier: Apache-2.0
/* Which steps can make some rows a call, by the map with shapes filled in;
 * which do; and the loops of their chains as C: the last step requests the rows
 * that it reads, the step before makes them, and so on.  Names: yS rows made by
 * step S, hS rows in the buffer of its operand, rS rows copied there: of type
 * size_t, as an offset is a product of one. */
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/tile.h"
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
    return has_var(n, u->divisor, b->var) || has_var(n, u->number, b->var) ||
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
        b->rows = b->rows && d == axis && walks(n, r->at[d], b) &&
                  (r->inside[d] || (tile && r->els == SN_ME_SKIP));
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

static SnStatus
find(SnProgram *p, uint32_t s)
{
    SnAotNode n = sn_aot_open(p, s, 0);
    const SnNode *nd = sn_node(p->g, n.id);
    const SnShape *y = nd->res[0].shape;
    const SnAotTile *t = p->tile[s];
    SnBand b = {0};

    p->band[s] = b;
    if (p->skipped[s] || nd->nres != 1 || (t && t->plan) ||
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

/* ---- what calls pass ---- */

static SnRef
operand(const SnProgram *p, uint32_t s)
{
    return sn_node(p->g, p->x->step[s].node)->in[p->band[s].x].ref;
}

/* The buffer of its operand, or the operand. */
static const char *
source(const SnProgram *p, uint32_t s)
{
    return p->band[s].copied ? sn_format(p->a, "c%u", s)
                             : sn_aot_arg(p, operand(p, s));
}

void
sn_aot_band_pass(SnProgram *p, uint32_t s)
{
    SnBand *b = &p->band[s];
    const char *x = source(p, s);
    const char *y = sn_aot_arg(p, SN_REF(p->x->step[s].node, 0));

    if (b->held == 0)
        b->in = sn_format(p->a, "%s + %lld * y%u", x, (long long)b->shift, s);
    else if (b->pad)
        b->in =
            sn_format(p->a, "%s + %lld", x, (long long)(b->pad * b->xwidth));
    else
        b->in = x;
    b->out =
        s == b->last
            ? sn_format(p->a, "%s + %lld * y%u", y, (long long)b->width, s)
            : sn_format(p->a, "%s + %lld * h%u", y, (long long)b->width, s + 1);
}

/* ---- loops ---- */

typedef struct Writer {
    SnProgram *p;
    int depth;
} Writer;

static void
line(const Writer *w, const char *s)
{
    for (int i = 0; i < w->depth; i++)
        sn_puts(&w->p->calls, "    ");
    sn_puts(&w->p->calls, s);
    sn_putc(&w->p->calls, '\n');
}

/* Does the step read rows after the operand's last? */
static bool
ends_outside(const SnBand *b)
{
    return (b->nrow - 1) * b->step - b->pad + b->taps > b->xnrow;
}

/* Is the number of rows that step s has made read?  s is not the last step. */
static bool
counts(const SnProgram *p, uint32_t s)
{
    const SnBand *b = &p->band[s];

    return s < b->last && (b->held == 0 || ends_outside(&p->band[s + 1]));
}

static void put_call(Writer *w, uint32_t s);

/* Rows outside hold the zero point, which adds nothing to a sum. */
static void
put_outside(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const char *x = source(p, s);

    line(w, sn_format(p->a, "memset(%s + %lld * h%u, %d, %lld * (%lld - h%u));",
                      x, (long long)b->xwidth, s,
                      (int)sn_type(p->g, operand(p, s))->zp[0],
                      (long long)b->xwidth, (long long)b->need, s));
    line(w, sn_format(p->a, "h%u = %lld;", s, (long long)b->need));
}

/* The next rows of a value. */
static void
put_copy(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const char *x = sn_aot_arg(p, operand(p, s));
    long long width = (long long)b->xwidth;

    line(w,
         sn_format(p->a, "size_t n%u = %lld - h%u;", s, (long long)b->need, s));
    line(w,
         sn_format(p->a, "if (n%u > %lld - r%u)", s, (long long)b->xnrow, s));
    line(w,
         sn_format(p->a, "    n%u = %lld - r%u;", s, (long long)b->xnrow, s));
    line(w, sn_format(p->a,
                      "memcpy(c%u + %lld * h%u, %s + %lld * r%u, "
                      "%lld * n%u * sizeof *c%u);",
                      s, width, s, x, width, s, width, s, s));
    line(w, sn_format(p->a, "r%u += n%u;", s, s));
    line(w, sn_format(p->a, "h%u += n%u;", s, s));
    if (!ends_outside(b))
        return;
    line(w, sn_format(p->a, "if (h%u < %lld) {", s, (long long)b->need));
    w->depth++;
    put_outside(w, s);
    w->depth--;
    line(w, "}");
}

/* The rows that a call of step s reads. */
static void
put_rows(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s], *from = &p->band[s - 1];

    line(w, sn_format(p->a, "while (h%u < %lld) {", s, (long long)b->need));
    w->depth++;
    if (ends_outside(b)) {
        line(w,
             sn_format(p->a, "if (y%u == %lld) {", s - 1, (long long)b->xnrow));
        w->depth++;
        put_outside(w, s);
        line(w, "break;");
        w->depth--;
        line(w, "}");
    }
    put_call(w, s - 1);
    if (counts(p, s - 1))
        line(w, sn_format(p->a, "y%u += %lld;", s - 1, (long long)from->count));
    line(w, sn_format(p->a, "h%u += %lld;", s, (long long)from->count));
    w->depth--;
    line(w, "}");
}

/* Step s once, with what it needs. */
static void
put_call(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    int64_t done = b->count * b->step;
    const char *x = source(p, s);

    if (b->copied)
        put_copy(w, s);
    else if (b->held)
        put_rows(w, s);
    line(w, sn_format(p->a, "%s;", b->call));
    if (b->held == 0)
        return;
    line(w, sn_format(p->a, "h%u -= %lld;", s, (long long)done));
    if (b->held > done)
        line(w,
             sn_format(p->a, "memmove(%s, %s + %lld, %lld * h%u * sizeof *%s);",
                       x, x, (long long)(done * b->xwidth),
                       (long long)b->xwidth, s, x));
}

/* The counters of step s, and rows before the operand's first. */
static void
put_start(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const SnType *t = sn_type(p->g, operand(p, s));
    const char *type = sn_aot_elem(t->elem);

    if (counts(p, s))
        line(w, sn_format(p->a, "size_t y%u = 0;", s));
    if (b->held == 0)
        return;
    line(w, sn_format(p->a, "size_t h%u = %lld;", s, (long long)b->pad));
    if (b->copied) {
        line(w, sn_format(p->a, "size_t r%u = 0;", s));
        line(w, sn_format(p->a, "%s *const c%u = (%s *)(void *)(%s + %lu);",
                          type, s, type, sn_aot_base(p, p->region[b->block]),
                          (unsigned long)p->block[b->block].offset));
    }
    if (b->pad)
        line(w, sn_format(p->a, "memset(%s, %d, %lld);", source(p, s),
                          (int)t->zp[0], (long long)(b->pad * b->xwidth)));
}

void
sn_aot_band_put(SnProgram *p, uint32_t s)
{
    const SnBand *b = &p->band[s];
    Writer w = {p, 1};

    line(&w, "{");
    w.depth++;
    for (uint32_t i = b->first; i <= s; i++)
        put_start(&w, i);
    line(&w, sn_format(p->a, "for (size_t y%u = 0; y%u < %lld; y%u += %lld) {",
                       s, s, (long long)b->nrow, s, (long long)b->count));
    w.depth++;
    put_call(&w, s);
    w.depth--;
    line(&w, "}");
    w.depth--;
    line(&w, "}");
}
