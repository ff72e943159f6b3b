// SPDX-License-Identifier: Apache-2.0
/* Shapes against patterns, and parameters. */
#include <string.h>

#include "map/mapping_priv.h"

/* "operand 'x'", of several "operand 2 of 'x'". */
static const char *
operand_name(const SnMapping *u, const SnMapParam *p, uint32_t which)
{
    const SnMapArg *a = &u->arg[p - u->decl->param];

    return a->n > 1 ? sn_format(u->a, "operand %u of '%s'", which + 1, a->name)
                    : sn_format(u->a, "operand '%s'", a->name);
}

/* ---- which axes fall to which item ---- */

/* Items that take one axis each, among v[0..n). */
static int
single(const SnMapItem *v, int n)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        k += v[i].kind == SN_MI_DIM || v[i].kind == SN_MI_AT;
    return k;
}

/* The length of a run that is known; -1. */
static int64_t
run_length(const SnMapping *u, const SnMapItem *it, bool at)
{
    if (it->kind == SN_MI_ALONG)
        return u->slot[it->along].n;
    if (it->kind != SN_MI_RUN || at)
        return -1;
    return u->slot[it->slot].n >= 0 ? u->slot[it->slot].n : u->length[it->slot];
}

/* Runs beside `d @ axis`: what is left and right of the axis. */
static bool
around_axis(const SnMapping *u, const SnMapParam *p, int rank, int at,
            int8_t *len)
{
    int64_t axis = u->slot[p->item[at].along].one.v;
    int left = single(p->item, at);
    int right = single(p->item + at + 1, p->nitem - at - 1);

    for (int i = 0; i < p->nitem; i++)
        if (p->item[i].kind == SN_MI_RUN)
            len[i] = (int8_t)(i < at ? axis - left : rank - 1 - axis - right);
    return axis >= left && rank - 1 - axis >= right;
}

bool
sn_mapping_lengths(const SnMapping *u, const SnMapParam *p, int rank,
                   int8_t *len)
{
    int at = -1, open = -1, left = rank - single(p->item, p->nitem);

    for (int i = 0; i < p->nitem; i++) {
        len[i] = p->item[i].kind == SN_MI_DIM || p->item[i].kind == SN_MI_AT;
        if (p->item[i].kind == SN_MI_AT)
            at = i;
    }
    for (int i = 0; i < p->nitem; i++) {
        const SnMapItem *it = &p->item[i];
        int64_t n = run_length(u, it, at >= 0);
        if (it->kind == SN_MI_MAYBE) {
            len[i] = left > 0 ? 1 : -1;
            left -= left > 0;
        } else if (it->kind > SN_MI_DIM && it->kind < SN_MI_MAYBE && n < 0) {
            open = i;
        } else if (n >= 0) {
            len[i] = (int8_t)n;
            left -= (int)n;
        }
    }
    if (at >= 0)
        return left >= 0 && around_axis(u, p, rank, at, len);
    if (open >= 0)
        len[open] = (int8_t)left;
    return open >= 0 ? left >= 0 : left == 0;
}

/* A rank that does not fit: what would. */
static bool
refuse_rank(SnMapping *u, const SnMapParam *p, int rank, uint32_t which)
{
    int need = single(p->item, p->nitem);
    bool open = false;

    for (int i = 0; i < p->nitem; i++) {
        int64_t n = run_length(u, &p->item[i], false);
        open |= p->item[i].kind == SN_MI_JOIN ||
                p->item[i].kind == SN_MI_MAYBE ||
                (p->item[i].kind == SN_MI_RUN && n < 0);
        need += n > 0 ? (int)n : 0;
    }
    if (open && rank < need)
        return sn_mapping_fail(u, "%s needs at least %d dimension%s, not %d",
                               operand_name(u, p, which), need,
                               need == 1 ? "" : "s", rank);
    return sn_mapping_fail(u, "%s must have %d dimensions, not %d",
                           operand_name(u, p, which), need, rank);
}

/* ---- names ---- */

static bool
join(SnMapping *u, SnMapVal *d, const int64_t *dim, int n)
{
    SnMapVal old = *d;

    if (old.n < n) {
        *d = sn_val_list(u, n);
        for (int64_t i = 0; i < n; i++)
            d->v[i] = i < n - old.n || old.n <= 0 ? sn_num(1)
                                                  : old.v[i - (n - old.n)];
    }
    for (int i = 0; i < n; i++) {
        int64_t *y = &d->v[d->n - n + i].v;
        if (*y != dim[i] && *y != 1 && dim[i] != 1)
            return sn_mapping_fail(u, "cannot broadcast %lld against %lld",
                                   (long long)*y, (long long)dim[i]);
        *y = *y == 1 ? dim[i] : *y;
    }
    return true;
}

static bool
differs(SnMapping *u, const SnMapParam *p, uint32_t which, int axis, int64_t is,
        int64_t want)
{
    return sn_mapping_fail(u, "axis %d of %s has %lld elements, not %lld", axis,
                           operand_name(u, p, which), (long long)is,
                           (long long)want);
}

static bool
bind_run(SnMapping *u, const SnMapParam *p, uint32_t which, int slot, int rank,
         int first, const int64_t *dim, int n)
{
    SnMapVal *d = &u->slot[slot];

    if (d->n < 0) {
        *d = sn_val_list(u, n);
        for (int i = 0; i < n; i++)
            d->v[i] = sn_num(dim[i]);
        return true;
    }
    if (d->n != n)
        return sn_mapping_fail(u, "%s must have %lld dimensions, not %d",
                               operand_name(u, p, which),
                               (long long)(rank + d->n - n), rank);
    for (int i = 0; i < n; i++)
        if (d->v[i].v != dim[i])
            return differs(u, p, which, first + i, dim[i], d->v[i].v);
    return true;
}

static bool
bind_dim(SnMapping *u, const SnMapParam *p, uint32_t which, int slot, int axis,
         int64_t dim)
{
    SnMapVal *d = &u->slot[slot];

    if (d->one.t == SN_NUM_INT && d->one.v != dim)
        return differs(u, p, which, axis, dim, d->one.v);
    d->one = sn_num(dim);
    return true;
}

static bool
bind_item(SnMapping *u, const SnMapParam *p, const SnMapItem *it, int rank,
          int first, const int64_t *dim, int len, uint32_t which)
{
    switch (it->kind) {
    case SN_MI_JOIN:
        return join(u, &u->slot[it->slot], dim, len);
    case SN_MI_RUN:
    case SN_MI_ALONG:
        return bind_run(u, p, which, it->slot, rank, first, dim, len);
    default:
        break;
    }
    if (it->vary) {
        u->slot[it->slot].v[which] = sn_num(*dim);
        return true;
    }
    return bind_dim(u, p, which, it->slot, first, len < 0 ? 1 : *dim);
}

static bool
bind_box(SnMapping *u, const SnMapParam *p, uint32_t which)
{
    const SnMapBox *b = &u->arg[p - u->decl->param].box[which];
    int8_t len[SN_MAP_RANK];
    int first = 0;

    if (!sn_mapping_lengths(u, p, b->rank, len))
        return refuse_rank(u, p, b->rank, which);
    for (int i = 0; i < p->nitem; i++) {
        if (!bind_item(u, p, &p->item[i], b->rank, first, b->dim + first,
                       len[i], which))
            return false;
        first += len[i] > 0 ? len[i] : 0;
    }
    return true;
}

static bool
bind_operand(SnMapping *u, const SnMapParam *p)
{
    const SnMapArg *a = &u->arg[p - u->decl->param];

    if (a->n == 0)
        return sn_mapping_fail(u, "operand '%s' is missing", a->name);
    for (int i = 0; i < p->nitem; i++)
        if (p->item[i].vary)
            u->slot[p->item[i].slot] = sn_val_list(u, a->n);
    for (uint32_t k = 0; k < a->n; k++)
        if (!bind_box(u, p, k))
            return false;
    /* no operand has a dimension there */
    for (int i = 0; i < p->nitem; i++)
        if (p->item[i].kind == SN_MI_JOIN && u->slot[p->item[i].slot].n < 0)
            u->slot[p->item[i].slot] = sn_val_list(u, 0);
    return true;
}

/* ---- parameters ---- */

static SnMapNum
arg_at(const SnMapParam *p, const SnMapArg *a, uint32_t i)
{
    return p->kind == SN_MP_REAL ? sn_num_real(a->reals[i])
                                 : sn_num(a->ints[i]);
}

static SnMapVal
arg_list(SnMapping *u, const SnMapParam *p, const SnMapArg *a)
{
    SnMapVal r = sn_val_list(u, a->n);

    for (uint32_t i = 0; i < a->n; i++)
        r.v[i] = arg_at(p, a, i);
    return r;
}

/* Axes counted from the front, each an axis of its operand and none twice. */
static bool
bind_axes(SnMapping *u, const SnMapParam *p, const SnMapArg *a)
{
    int rank = u->arg[p->along].n ? u->arg[p->along].box[0].rank : 0;
    SnMapVal *s = &u->slot[p->slot], r = arg_list(u, p, a);

    for (uint32_t i = 0; i < a->n; i++) {
        int64_t k = r.v[i].v < 0 ? r.v[i].v + rank : r.v[i].v;
        if (k < 0 || k >= rank)
            return p->kind == SN_MP_AXES
                       ? sn_mapping_fail(
                             u, "'%s' names axis %lld, outside [%d, %d)",
                             a->name, (long long)a->ints[i], -rank, rank)
                       : sn_mapping_fail(
                             u, "there is no axis %lld in %d dimensions",
                             (long long)a->ints[i], rank);
        for (uint32_t j = 0; j < i; j++)
            if (r.v[j].v == k)
                return sn_mapping_fail(u, "'%s' names axis %lld twice", a->name,
                                       (long long)a->ints[i]);
        r.v[i] = sn_num(k);
    }
    *s = p->kind == SN_MP_AXES ? r : sn_val(r.v[0]);
    return true;
}

/* No number of a map is larger than a dimension. */
static bool
numbers_fit(SnMapping *u, const SnMapParam *p, const SnMapArg *a)
{
    const long long most = SN_MAP_DIM - 1;

    for (uint32_t i = 0; p->kind == SN_MP_INT && i < a->n; i++)
        if (a->ints[i] < -most || a->ints[i] > most)
            return sn_mapping_fail(u, "'%s' %s %lld, outside [-%lld, %lld]",
                                   a->name,
                                   p->length == SN_ML_ONE ? "is" : "holds",
                                   (long long)a->ints[i], most, most);
    return true;
}

static bool
bind_param(SnMapping *u, const SnMapParam *p)
{
    const SnMapArg *a = &u->arg[p - u->decl->param];
    SnMapVal *s = &u->slot[p->slot];
    bool list = p->length != SN_ML_ONE;

    if (a->given && !numbers_fit(u, p, a))
        return false;
    if (p->dflt >= 0 && (!a->given || (list && a->n == 0)))
        *s = sn_mapping_eval(u, p->dflt);
    else if (!a->given)
        return sn_mapping_fail(u, "'%s' is missing", a->name);
    else
        *s = list ? arg_list(u, p, a) : sn_val(arg_at(p, a, 0));
    if (p->length != SN_ML_RUN && p->length != SN_ML_PAIR)
        return true;
    int64_t want = u->slot[p->along].n * (p->length == SN_ML_PAIR ? 2 : 1);
    if (s->n < 0 && p->dflt >= 0) { /* a default that is one number */
        SnMapNum one = s->one;
        *s = sn_val_list(u, want);
        for (int64_t i = 0; i < want; i++)
            s->v[i] = one;
    }
    return s->n == want ||
           sn_mapping_fail(u, "'%s' must have %lld number%s, not %lld", a->name,
                           (long long)want, want == 1 ? "" : "s",
                           (long long)s->n);
}

/* A list of a length that no graph can change says how long its run is: not
 * the list is wrong then, but an operand. */
static void
fixed_length(SnMapping *u, const SnMapParam *p)
{
    const SnMapArg *a = &u->arg[p - u->decl->param];

    if (a->given && a->fixed && p->length == SN_ML_RUN)
        u->length[p->along] = (int8_t)a->n;
    if (a->given && a->fixed && p->length == SN_ML_PAIR)
        u->length[p->along] = (int8_t)(a->n / 2);
}

bool
sn_mapping_bind(SnMapping *u)
{
    const SnMapDecl *d = u->decl;
    const SnMapParam *p = d->param, *end = p + d->nparam;

    for (p = d->param; p < end; p++) {
        bool axes = p->kind == SN_MP_AXIS || p->kind == SN_MP_AXES;
        const SnMapArg *a = &u->arg[p - d->param];
        if (axes && !a->given)
            return sn_mapping_fail(u, "'%s' is missing", a->name);
        if (axes && !bind_axes(u, p, a))
            return false;
        if (!axes && p->kind != SN_MP_OPERAND)
            fixed_length(u, p);
    }
    for (p = d->param; p < end; p++)
        if (p->kind == SN_MP_OPERAND && !bind_operand(u, p))
            return false;
    for (p = d->param; p < end; p++)
        if (p->kind < SN_MP_AXIS && p->kind != SN_MP_OPERAND &&
            !bind_param(u, p))
            return false;
    return true;
}
