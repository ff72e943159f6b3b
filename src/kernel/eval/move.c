// SPDX-License-Identifier: Apache-2.0
/* Moves.  Where each index follows from one place of the
 * result, the copy uses tables; the rest is copied element by element. */
#include <string.h>

#include "kernel/eval/copy.h"
#include "kernel/eval/map.h"
#include "kernel/eval/mapped.h"
#include "kernel/eval/topk.h"

/* ---- tables ---- */

/* The variable that x depends on, -1: none, -2: several. */
static int
single_var(const SnMapping *u, SnMapNum x)
{
    uint32_t v = sn_num_vars(&u->T, x);

    return v == 0 ? -1 : v & (v - 1) ? -2 : __builtin_ctz(v);
}

static bool
is_separate(const SnMapping *u, const SnMapRead *r)
{
    for (int i = 0; i < r->box.rank; i++)
        if (single_var(u, r->at[i]) == -2)
            return false;
    for (uint32_t i = 0; i < r->nwhen; i++)
        if (single_var(u, r->when[i]) == -2)
            return false;
    return true;
}

/* Variables of the result, which come before those of taps. */
static int
nplace(const SnMapping *u)
{
    int n = 0;

    while (n < (int)u->nvar && !u->var[n].tap)
        n++;
    return n;
}

static void
table_of(SnArena *a, const SnMapping *u, SnCopyTable *t)
{
    t->n = nplace(u);
    t->base = 0;
    for (int i = 0; i < t->n; i++) {
        t->dim[i] = u->var[i].bound.v;
        t->off[i] = SN_NEW_N(a, int64_t, t->dim[i]);
    }
}

/* Offsets that are a sum of places, all inside. */
static bool
by_sum(SnArena *a, const SnMapping *u, const SnMapRead *r, SnCopyTable *t)
{
    int64_t coef[SN_MAP_NVAR], base;

    for (int i = 0; i < r->box.rank; i++)
        if (!r->inside[i])
            return false;
    if (r->nwhen || !sn_term_affine(&u->T, r->off, coef, &base))
        return false;
    table_of(a, u, t);
    t->base = base;
    for (int i = 0; i < t->n; i++) {
        int64_t n = t->dim[i], k = coef[i];
        t->base += k < 0 ? k * (n - 1) : 0;
        for (int64_t j = 0; j < n; j++)
            t->off[i][j] = k < 0 ? -k * (n - 1 - j) : k * j;
    }
    return true;
}

/* The axes that depend on one variable of the result; axes that are sums need
 * not run terms. */
typedef struct Axis {
    SnMapNum at;
    bool sum;
    int64_t k, c0, dim, step;
} Axis;

typedef struct Part {
    int naxis, nwhen;
    Axis axis[SN_MAP_RANK];
    SnMapNum when[SN_MAP_RANK];
    bool sums; /* all of it */
} Part;

/* For variable v, or -1: none. */
static Part
part_of(const SnMapping *u, const SnMapRead *r, int v)
{
    int64_t step = 1, coef[SN_MAP_NVAR];
    Part p = {.sums = true};

    for (int i = r->box.rank - 1; i >= 0; step *= r->box.dim[i--]) {
        if (single_var(u, r->at[i]) != v)
            continue;
        Axis *x = &p.axis[p.naxis++];
        *x = (Axis){.at = r->at[i], .dim = r->box.dim[i], .step = step};
        x->sum = sn_term_affine(&u->T, x->at, coef, &x->c0);
        x->k = x->sum && v >= 0 ? coef[v] : 0;
        p.sums &= x->sum;
    }
    for (uint32_t i = 0; i < r->nwhen; i++)
        if (single_var(u, r->when[i]) == v)
            p.when[p.nwhen++] = r->when[i];
    p.sums &= p.nwhen == 0;
    return p;
}

/* What it adds to the offset at place j; -1: outside.  An unused variable adds
 * 0. */
static int64_t
part_at(const Part *p, int64_t j, const int64_t *val)
{
    int64_t off = 0;

    for (int i = 0; i < p->naxis; i++) {
        const Axis *x = &p->axis[i];
        int64_t k = x->sum ? x->c0 + x->k * j : sn_num_value(x->at, val);
        if (k < 0 || k >= x->dim)
            return -1;
        off += k * x->step;
    }
    for (int i = 0; i < p->nwhen; i++)
        if (sn_num_value(p->when[i], val) != 1)
            return -1;
    return off;
}

/* The smallest entry goes to the base, so that runs begin at 0. */
static void
shift(SnCopyTable *t, int v)
{
    int64_t least = INT64_MAX;

    for (int64_t j = 0; j < t->dim[v]; j++)
        if (t->off[v][j] >= 0 && t->off[v][j] < least)
            least = t->off[v][j];
    for (int64_t j = 0; j < t->dim[v] && least < INT64_MAX; j++)
        if (t->off[v][j] >= 0)
            t->off[v][j] -= least;
    t->base += least < INT64_MAX ? least : 0;
}

/* Places [*lo, *hi) of n at which each axis is inside, where all are sums. */
static void
inside_of(const Part *p, int64_t n, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = n;
    for (int i = 0; i < p->naxis; i++) {
        const Axis *x = &p->axis[i];
        int64_t k = x->k, c = x->c0;
        if (k < 0) { /* as from the other end */
            c = x->dim - 1 - c;
            k = -k;
        }
        int64_t from = k && c < 0 ? (k - 1 - c) / k : 0;
        int64_t to = !k           ? (c >= 0 && c < x->dim ? n : 0)
                     : c < x->dim ? (x->dim - c + k - 1) / k
                                  : 0;
        *lo = from > *lo ? from : *lo;
        *hi = to < *hi ? to : *hi;
    }
    *hi = *hi < *lo ? *lo : *hi;
}

/* lo: NULL, or the table has only places at which the read is inside, from
 * lo[v] on along each variable. */
static void
by_axes(SnArena *a, const SnMapping *u, const SnMapRead *r, SnCopyTable *t,
        int64_t *lo)
{
    int64_t x[SN_MAP_NVAR] = {0}, *val = SN_NEW_N(a, int64_t, u->T.n);

    t->n = nplace(u);
    sn_terms_run(&u->T, 0, x, val);
    Part p = part_of(u, r, -1);
    t->base = part_at(&p, 0, val);
    if (t->base < 0) { /* nothing of it */
        t->n = -1;
        return;
    }
    for (int v = 0; v < t->n; v++) {
        int64_t from = 0, to = u->var[v].bound.v;
        p = part_of(u, r, v);
        if (lo && p.sums)
            inside_of(&p, to, &from, &to);
        t->dim[v] = to - from;
        t->off[v] = SN_NEW_N(a, int64_t, t->dim[v]);
        for (int64_t j = 0; j < t->dim[v]; j++) {
            x[v] = from + j;
            if (!p.sums)
                sn_terms_run(&u->T, UINT32_C(1) << v, x, val);
            t->off[v][j] = part_at(&p, from + j, val);
        }
        if (lo) {
            int64_t n = t->dim[v], k = 0;
            while (k < n && t->off[v][k] < 0)
                k++;
            t->off[v] += k;
            lo[v] = from + k;
            for (t->dim[v] = 0; k < n && t->off[v][t->dim[v]] >= 0; k++)
                t->dim[v]++;
        }
        shift(t, v);
    }
}

static bool
has_hole(const SnCopyTable *t, int v)
{
    for (int64_t j = 0; j < t->dim[v]; j++)
        if (t->off[v][j] < 0)
            return true;
    return false;
}

static SnStatus
outside(const SnCall *c, const SnMapping *u, const SnMapRead *r)
{
    return sn_call_fail(c, "an index of map %s is outside operand '%s'",
                        u->decl->name, u->arg[r->param].name);
}

/* ---- one read of several ---- */

/* A read that has part of the result: the places along one variable, from
 * lo[v] on, where it is inside. */
static SnStatus
copy_part(const SnCall *c, const SnMapping *u, SnCopyTable *t,
          const int64_t *lo, const char *x, char *y, size_t size)
{
    int v = 0, more = 0;
    int64_t outer = 1, inner = 1;

    for (int i = t->n - 1; i >= 0; i--)
        if (t->dim[i] < u->var[i].bound.v) {
            v = i;
            more++;
        }
    if (more > 1)
        return sn_call_fail(c, "the parts of a result are not ranges");
    for (int i = 0; i < v; i++)
        outer *= t->dim[i];
    for (int i = v + 1; i < t->n; i++)
        inner *= t->dim[i];
    int64_t len = t->n ? u->var[v].bound.v : 1, from = t->n ? lo[v] : 0;
    SnCopyTable part = {.n = t->n - v};
    for (int i = v; i < t->n; i++) {
        part.dim[i - v] = t->dim[i];
        part.off[i - v] = t->off[i];
    }
    size_t run = (size_t)sn_copy_run(&part) * size;
    for (int64_t o = 0; o < outer && (t->n == 0 || t->dim[v]); o++) {
        int64_t rest = o;
        part.base = t->base;
        for (int i = v - 1; i >= 0; rest /= t->dim[i--])
            part.base += t->off[i][rest % t->dim[i]];
        char *to = y + (size_t)((o * len + from) * inner) * size;
        if (run)
            memcpy(to, x + part.base * (int64_t)size, run);
        else
            sn_copy_table(&part, x, to, size, NULL);
    }
    return SN_OK;
}

/* ---- element by element ---- */

static SnStatus
copy_each(const SnCall *c, const SnMapping *u, const SnMapRead *r,
          const char *x, char *y, size_t size, const char *fill)
{
    int64_t at[SN_MAP_NVAR] = {0}, n = 1;
    int64_t *val = SN_NEW_N(c->scratch, int64_t, u->T.n);

    for (int i = 0; i < nplace(u); i++)
        n *= u->var[i].bound.v;
    sn_terms_run(&u->T, 0, at, val);
    for (int64_t o = 0; o < n; o++, y += size) {
        sn_terms_run(&u->T, UINT32_MAX, at, val);
        int64_t off = sn_read_offset(r, val);
        if (off == -2)
            return outside(c, u, r);
        if (off >= 0 || r->els == SN_ME_FILL)
            sn_copy_one(y, off < 0 ? fill : x + off * (int64_t)size, size);
        for (int i = nplace(u); i-- > 0;) {
            if (++at[i] < u->var[i].bound.v)
                break;
            at[i] = 0;
        }
    }
    return SN_OK;
}

/* ---- */

static SnStatus
copy_read(const SnCall *c, const SnMapping *u, const SnMapRead *r,
          const SnTensor *x, char *y, size_t size, const char *fill)
{
    SnCopyTable t;
    int64_t lo[SN_MAP_NVAR];

    if (by_sum(c->scratch, u, r, &t)) {
        sn_copy_table(&t, x->data, y, size, fill);
        return SN_OK;
    }
    if (!is_separate(u, r))
        return copy_each(c, u, r, x->data, y, size, fill);
    by_axes(c->scratch, u, r, &t, r->els == SN_ME_SKIP ? lo : NULL);
    if (t.n >= 0 && r->els == SN_ME_SKIP)
        return copy_part(c, u, &t, lo, x->data, y, size);
    if (t.n < 0 && r->els == SN_ME_SKIP)
        return SN_OK;
    for (int i = 0; i < t.n && r->els == SN_ME_NONE; i++)
        if (has_hole(&t, i))
            return outside(c, u, r);
    if (t.n < 0) /* all of it is fill */
        return copy_each(c, u, r, x->data, y, size, fill);
    sn_copy_table(&t, x->data, y, size, fill);
    return SN_OK;
}

/* All of the operand in order, including rows of row8. */
static bool
is_whole(const SnMapping *u, const SnMapRead *r, const SnShape *y)
{
    int64_t coef[SN_MAP_NVAR], base, n = 1;

    for (int i = 0; i < r->box.rank; i++) {
        n *= r->box.dim[i];
        if (!r->inside[i])
            return false;
    }
    if (r->nwhen || n != sn_shape_count(y) ||
        !sn_term_affine(&u->T, r->off, coef, &base) || base)
        return false;
    int64_t step = 1;
    for (int v = nplace(u) - 1; v >= 0; v--) {
        if (coef[v] != step)
            return false;
        step *= u->var[v].bound.v;
    }
    return true;
}

/* Where there are several operands, the formula names the one that is
 * copied. */
static bool
is_moved(const SnCall *c, const SnSem *s, const SnTensor *x)
{
    uint32_t first, count;

    if (s->from < 0)
        return true;
    sn_port_slots(c->kind, c->nin, (uint32_t)s->from, &first, &count);
    return x >= c->in + first && x < c->in + first + count;
}

/* The table lives in a. */
static bool
move_table(const SnCall *c, SnArena *a, SnCopyTable *t)
{
    const SnSem *s = &c->kind->sem[0];
    const SnMapped *m;

    if (sn_map_stmt(s->decl, SN_MS_PRIMITIVE) || !sn_map_known(c, s) ||
        sn_mapped(c, 0, &m) != SN_OK)
        return false;
    const SnMapRead *r = &m->u.read[0];
    if (m->u.nread != 1 || r->one_of || r->els == SN_ME_SKIP ||
        !is_moved(c, s, sn_mapped_tensor(c, 0, r)))
        return false;
    if (by_sum(a, &m->u, r, t))
        return true;
    if (!is_separate(&m->u, r))
        return false;
    by_axes(a, &m->u, r, t, NULL);
    for (int i = 0; i < t->n && r->els == SN_ME_NONE; i++)
        if (has_hole(t, i))
            return false;
    return t->n >= 0;
}

bool
sn_move_table(const SnCall *c, SnCopyTable *t)
{
    SnCall once = *c;

    once.scratch = sn_arena_new();
    bool ok = move_table(&once, c->scratch, t);
    sn_arena_free(once.scratch);
    return ok;
}

SnStatus
sn_move(const SnCall *c, unsigned res, const void *fill)
{
    const SnSem *s = &c->kind->sem[res];
    const SnTensor *out = &c->out[res];
    size_t size = sn_elem_size(out->type->elem);
    const SnMapped *m;
    int64_t zp = 0;

    if (out->data == NULL || sn_shape_count(out->shape) == 0)
        return SN_OK;
    if (sn_map_stmt(s->decl, SN_MS_PRIMITIVE))
        return sn_topk(c, s, res);
    SN_TRY(sn_mapped(c, res, &m));
    if (fill == NULL && out->type->nq == 1) {
        int8_t z8 = (int8_t)out->type->zp[0];
        int16_t z16 = (int16_t)out->type->zp[0];
        memcpy(&zp, size == 1 ? (void *)&z8 : &z16, size < 2 ? 1 : 2);
    }
    for (uint32_t i = 0; i < m->u.nread; i++) {
        const SnMapRead *r = &m->u.read[i];
        const SnTensor *x = sn_mapped_tensor(c, res, r);
        if (!is_moved(c, s, x))
            continue;
        if (!r->one_of && is_whole(&m->u, r, out->shape)) {
            memcpy(out->data, x->data, sn_tensor_nbyte(x->type, x->shape));
            return SN_OK;
        }
        if (x->type->elem == SN_ROW8)
            return sn_call_fail(c, "rows of row8 cannot be rearranged");
        SN_TRY(copy_read(c, &m->u, r, x, out->data, size,
                         fill ? fill : (const char *)&zp));
    }
    return SN_OK;
}

SnStatus
sn_eval_move(const SnCall *c)
{
    for (unsigned r = 0; r < c->nout; r++)
        SN_TRY(sn_move(c, r, NULL));
    return SN_OK;
}
