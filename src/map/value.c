// SPDX-License-Identifier: Apache-2.0
/* Expressions of a map as numbers and lists. */
#include <string.h>

#include "map/mapping_priv.h"

SnMapVal
sn_val_list(SnMapping *u, int64_t n)
{
    SnMapVal r = {n, sn_num(0), NULL};

    if (n <= (int64_t)(SN_MAP_NPOOL - u->npool)) {
        r.v = &u->pool[u->npool];
        u->npool += (uint32_t)n;
    } else {
        r.v = SN_NEW_N(u->a, SnMapNum, n);
    }
    return r;
}

/* Of lists the shortest: all are of one length where the declaration is right.
 * -1: all are numbers. */
static int64_t
together(const SnMapVal *x, unsigned n)
{
    int64_t len = -1;

    for (unsigned i = 0; i < n; i++)
        if (x[i].n >= 0 && (len < 0 || x[i].n < len))
            len = x[i].n;
    return len;
}

static SnMapVal argument(SnMapping *u, int32_t at);

/* As sn_term_apply, without a call where both are known. */
static inline SnMapNum
apply(SnMapping *u, SnMapOp op, SnMapNum a, SnMapNum b)
{
    SnMapNum r;

    if (a.t == SN_NUM_INT && b.t == SN_NUM_INT &&
        sn_num_apply(op, a.v, b.v, &r))
        return r;
    return sn_term_apply(&u->T, op, a, b);
}

static SnMapVal
lift(SnMapping *u, SnMapOp op, SnMapVal a, SnMapVal b)
{
    SnMapVal both[2] = {a, b};

    if (a.n < 0 && b.n < 0)
        return sn_val(apply(u, op, a.one, b.one));
    int64_t n = together(both, 2);
    SnMapVal r = sn_val_list(u, n);
    for (int64_t i = 0; i < n; i++)
        r.v[i] = apply(u, op, sn_val_at(a, i), sn_val_at(b, i));
    return r;
}

/* select(c, a, c2, a2, ..., b) at element i. */
static SnMapNum
choose(SnMapping *u, const SnMapVal *x, unsigned n, int64_t i)
{
    SnMapNum r = sn_val_at(x[n - 1], i);

    for (unsigned k = n - 1; k >= 2; k -= 2)
        r = sn_term_select(&u->T, sn_val_at(x[k - 2], i),
                           sn_val_at(x[k - 1], i), r);
    return r;
}

static SnMapVal
select(SnMapping *u, const SnMapExpr *e)
{
    SnMapVal x[32];

    for (unsigned k = 0; k < e->nkid; k++)
        x[k] = argument(u, e->kid + (int32_t)k);
    int64_t n = together(x, e->nkid);
    if (n < 0)
        return sn_val(choose(u, x, e->nkid, 0));
    SnMapVal r = sn_val_list(u, n);
    for (int64_t i = 0; i < n; i++)
        r.v[i] = choose(u, x, e->nkid, i);
    return r;
}

/* ---- elements ---- */

static SnMapNum
element_at(SnMapping *u, SnMapVal a, SnMapNum i)
{
    if (i.t >= 0)
        return sn_term_list(&u->T, a.v, a.n, i);
    if (i.t != SN_NUM_INT || i.v < 0 || i.v >= a.n)
        return sn_num_undefined();
    return a.v[i.v];
}

static SnMapVal
element(SnMapping *u, SnMapVal a, SnMapVal i)
{
    if (i.n < 0)
        return sn_val(element_at(u, a, i.one));
    SnMapVal r = sn_val_list(u, i.n);
    for (int64_t k = 0; k < i.n; k++)
        r.v[k] = element_at(u, a, i.v[k]);
    return r;
}

static SnMapNum
contains(SnMapping *u, SnMapNum x, SnMapVal list)
{
    SnMapNum r = sn_num(0);

    for (int64_t i = 0; i < list.n; i++)
        r = sn_term_apply(&u->T, SN_MO_OR, r,
                          sn_term_apply(&u->T, SN_MO_EQ, x, list.v[i]));
    return r;
}

static SnMapVal
in(SnMapping *u, SnMapVal x, SnMapVal list)
{
    if (x.n < 0)
        return sn_val(contains(u, x.one, list));
    SnMapVal r = sn_val_list(u, x.n);
    for (int64_t i = 0; i < x.n; i++)
        r.v[i] = contains(u, x.v[i], list);
    return r;
}

static int64_t
box_count(const SnMapBox *b)
{
    int64_t n = 1;

    for (int i = 0; i < b->rank; i++)
        n *= b->dim[i];
    return n;
}

static SnMapNum
data_at(SnMapping *u, int64_t param, SnMapNum off)
{
    const SnMapArg *a = &u->arg[param];

    if (!a->data || a->n == 0 || off.t == SN_NUM_UNDEFINED)
        return sn_num_undefined();
    return sn_term_data(&u->T, a->data, a->width, box_count(&a->box[0]), off);
}

/* The element of an operand at indices that are numbers or lists. */
static SnMapVal
data(SnMapping *u, const SnMapExpr *e)
{
    const SnMapParam *p = &u->decl->param[e->v];
    const SnMapBox *box = &u->arg[e->v].box[0];
    SnMapNum at[SN_MAP_RANK];
    SnMapVal index[SN_MAP_RANK];

    for (unsigned k = 0; k < e->nkid && k < SN_MAP_RANK; k++)
        index[k] = sn_mapping_eval(u, e->kid + (int32_t)k);
    if (!sn_mapping_place(u, p, box, index, at))
        return sn_val(sn_num_undefined());
    return sn_val(data_at(u, e->v, sn_mapping_offset(u, box, at)));
}

/* ---- functions ---- */

static SnMapNum
fold(SnMapping *u, SnMapOp op, int64_t first, SnMapVal x)
{
    SnMapNum r = sn_num(first);

    for (int64_t i = 0; i < x.n; i++)
        r = sn_term_apply(&u->T, op, r, x.v[i]);
    return r;
}

static SnMapVal
before(SnMapping *u, SnMapVal x)
{
    if (u->summed && u->summed == x.v && u->sums.n == x.n)
        return u->sums;
    SnMapVal r = sn_val_list(u, x.n);
    SnMapNum s = sn_num(0);
    bool known = true;

    for (int64_t i = 0; i < x.n; i++) {
        r.v[i] = s;
        s = sn_term_apply(&u->T, SN_MO_ADD, s, x.v[i]);
        known = known && x.v[i].t == SN_NUM_INT;
    }
    u->summed = known ? x.v : NULL;
    u->sums = r;
    return r;
}

static SnMapVal
numbered(SnMapping *u, int64_t n)
{
    SnMapVal r = sn_val_list(u, n);

    for (int64_t i = 0; i < n; i++)
        r.v[i] = sn_num(i);
    return r;
}

/* No result has more dimensions, so no list of sizes is longer than one more,
 * which refuses it. */
static SnMapVal
numbers(SnMapping *u, SnMapNum n)
{
    if (n.t != SN_NUM_INT)
        return sn_val(sn_num_undefined());
    return numbered(u, n.v < 0 ? 0 : n.v > SN_MAP_RANK ? SN_MAP_RANK + 1 : n.v);
}

/* The row-major number of a place in a box. */
static SnMapNum
flat(SnMapping *u, SnMapVal place, SnMapVal box)
{
    SnMapVal both[2] = {place, box};
    int64_t n = together(both, 2);
    SnMapNum r = sn_num(0);

    for (int64_t i = 0; i < n; i++)
        r = sn_term_apply(&u->T, SN_MO_ADD,
                          sn_term_apply(&u->T, SN_MO_MUL, r, sn_val_at(box, i)),
                          sn_val_at(place, i));
    return r;
}

static SnMapVal
unflat(SnMapping *u, SnMapNum x, SnMapVal box)
{
    SnMapVal r = sn_val_list(u, box.n);
    SnMapNum step = sn_num(1);

    for (int64_t i = box.n - 1; i >= 0; i--) {
        if (sn_num_is(box.v[i], 0)) { /* no place at all */
            r.v[i] = sn_num(0);
            continue;
        }
        SnMapNum q = sn_term_apply(&u->T, SN_MO_DIV, x, step);
        r.v[i] = sn_term_apply(&u->T, SN_MO_MOD, q, box.v[i]);
        step = sn_term_apply(&u->T, SN_MO_MUL, step, box.v[i]);
    }
    return r;
}

/* Undefined unless x is a permutation. */
static SnMapVal
inverse(SnMapping *u, SnMapVal x)
{
    SnMapVal r = sn_val_list(u, x.n);

    for (int64_t i = 0; i < x.n; i++)
        r.v[i] = sn_num_undefined();
    for (int64_t i = 0; i < x.n; i++) {
        SnMapNum k = x.v[i];
        if (k.t == SN_NUM_INT && k.v >= 0 && k.v < x.n)
            r.v[k.v] = sn_num(i);
    }
    return r;
}

static SnMapNum
defined(SnMapping *u, SnMapVal x)
{
    SnMapNum r = sn_num(1);

    if (x.n < 0)
        return sn_term_defined(&u->T, x.one);
    for (int64_t i = 0; i < x.n; i++)
        r = sn_term_apply(&u->T, SN_MO_AND, r, sn_term_defined(&u->T, x.v[i]));
    return r;
}

/* Is this element not below the one before? */
static SnMapNum
ascends_each(SnMapping *u, int64_t param)
{
    int64_t n = box_count(&u->arg[param].box[0]);
    SnMapNum i = sn_term_var(&u->T, SN_MAP_EACH, n - 1);
    SnMapNum prev =
        sn_term_apply(&u->T, SN_MO_MAX,
                      sn_term_apply(&u->T, SN_MO_SUB, i, sn_num(1)), sn_num(0));

    return sn_term_apply(&u->T, SN_MO_LE, data_at(u, param, prev),
                         data_at(u, param, i));
}

static SnMapNum
ascends(SnMapping *u, int64_t param)
{
    int64_t n = box_count(&u->arg[param].box[0]), last = INT64_MIN;

    if (u->open || (u->asks && n > 1)) /* so that the element is named */
        return ascends_each(u, param);
    for (int64_t i = 0; i < n; i++) {
        SnMapTerm t = {
            .v = u->arg[param].width, .n = n, .tab = u->arg[param].data};
        int64_t v = sn_term_element(&t, i);
        if (v < last)
            return sn_num(0);
        last = v;
    }
    return sn_num(1);
}

/* The offset that a tap has in an operand. */
static SnMapNum
offset_of(const SnMapping *u, int64_t param)
{
    for (uint32_t i = 0; i < u->nread; i++)
        if (u->read[i].param == param)
            return u->read[i].off;
    return sn_num_undefined();
}

static SnMapVal
of_operand(SnMapping *u, const SnMapExpr *e)
{
    const SnMapArg *a = &u->arg[e->v];

    switch (e->op) {
    case SN_MO_ASCENDS:
        return sn_val(ascends(u, e->v));
    case SN_MO_RANK:
        return sn_val(sn_num(a->n ? a->box[0].rank : 0));
    case SN_MO_LOW:
        return sn_val(sn_num(a->low));
    default:
        return sn_val(offset_of(u, e->v));
    }
}

static SnMapVal
call(SnMapping *u, const SnMapExpr *e)
{
    SnMapVal x = sn_mapping_eval(u, e->kid);

    switch (e->op) {
    case SN_MO_AXIS:
        return x.n >= 0 ? numbered(u, x.n) : numbers(u, x.one);
    case SN_MO_COUNT:
        return sn_val(sn_num(x.n < 0 ? 1 : x.n));
    case SN_MO_PRODUCT:
        return sn_val(fold(u, SN_MO_MUL, 1, x));
    case SN_MO_SUM:
        return sn_val(fold(u, SN_MO_ADD, 0, x));
    case SN_MO_LAST:
        return sn_val(x.n > 0 ? x.v[x.n - 1] : sn_num_undefined());
    case SN_MO_BEFORE:
        return before(u, x);
    case SN_MO_FLAT:
        return sn_val(flat(u, x, sn_mapping_eval(u, e->kid + 1)));
    case SN_MO_UNFLAT:
        return unflat(u, x.one, sn_mapping_eval(u, e->kid + 1));
    case SN_MO_INVERSE:
        return inverse(u, x);
    default:
        return sn_val(defined(u, x));
    }
}

static SnMapVal
half(SnMapVal x, int64_t which)
{
    return (SnMapVal){x.n / 2, x.one, x.v + which * (x.n / 2)};
}

/* Has the name a value?  That of an operand has none. */
static inline bool
is_bound(const SnMapVal *x)
{
    return x->n >= 0 || x->one.t != SN_NUM_UNDEFINED;
}

static SnMapVal
name(SnMapping *u, const SnMapExpr *e)
{
    const SnMapDecl *d = u->decl;
    const SnMapVal *x = &u->slot[e->v];

    if (is_bound(x))
        return *x;
    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].kind == SN_MP_OPERAND && d->param[i].slot == e->v) {
            SnMapNum each = sn_term_var(&u->T, SN_MAP_EACH, SN_MAP_FAR);
            return sn_val(data_at(u, i, each));
        }
    return *x;
}

/* An argument of an operator: most are numbers and names, which need no call.
 */
static inline SnMapVal
argument(SnMapping *u, int32_t at)
{
    const SnMapExpr *e = &u->decl->expr[at];

    if (e->op == SN_MO_INT)
        return sn_val(sn_num(e->v));
    if (e->op == SN_MO_NAME && is_bound(&u->slot[e->v]))
        return u->slot[e->v];
    return sn_mapping_eval(u, at);
}

SnMapVal
sn_mapping_eval(SnMapping *u, int32_t at)
{
    const SnMapExpr *e = &u->decl->expr[at];

    switch (e->op) {
    case SN_MO_INT:
        return sn_val(sn_num(e->v));
    case SN_MO_REAL:
        return sn_val(sn_num_real(e->r));
    case SN_MO_NAME:
        return name(u, e);
    case SN_MO_ELEM:
        return element(u, sn_mapping_eval(u, e->kid),
                       sn_mapping_eval(u, e->kid + 1));
    case SN_MO_HALF:
        return half(sn_mapping_eval(u, e->kid), e->v);
    case SN_MO_DATA:
        return data(u, e);
    case SN_MO_IN:
        return in(u, sn_mapping_eval(u, e->kid),
                  sn_mapping_eval(u, e->kid + 1));
    case SN_MO_SELECT:
        return select(u, e);
    default:
        break;
    }
    if (e->nkid == 0)
        return of_operand(u, e);
    if (e->op >= SN_MO_AXIS && e->op <= SN_MO_DEFINED)
        return call(u, e);
    SnMapVal a = argument(u, e->kid);
    return lift(u, (SnMapOp)e->op, a,
                e->nkid > 1 ? argument(u, e->kid + 1) : sn_val(sn_num(0)));
}
