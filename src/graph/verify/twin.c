// SPDX-License-Identifier: Apache-2.0
#include "graph/verify/twin.h"

#include <string.h>
#include "graph/verify/row_node.h"

enum { MOST_N = 1 << 14 }; /* elements of a window that pads may shorten */

typedef struct Twin {
    const SnCall *c;
    SnForm form;
    unsigned when;
    const SnType *x, *w, *y;
    SnTwinBound *out;
    bool any; /* out has a bound */
} Twin;

static void
join(Twin *t, SnRowBound b, const SnArithRow *row)
{
    t->out->by = t->any ? sn_row_bound_join(t->out->by, b) : b;
    t->any = true;
    if (row)
        t->out->row = row->name;
}

static bool
unknown(SnTwinBound *b, const char *why)
{
    *b = (SnTwinBound){.by = {.why = why}};
    return true;
}

/* Opens a task for slice i of w, with the row that an evaluator takes. */
static SnRowTask
task(const Twin *t, uint32_t i)
{
    const SnArith *a = sn_arith_at(t->c->rounding);
    const SnMapDecl *map = t->c->kind->sem->decl;
    const SnAttrDesc *shift = sn_attr_named(t->c->kind, "zp_shift");
    SnRowTask r = {.form = t->form, .g = sn_row_grids(t->c, t->form)};

    sn_row_set_types(&r.g, t->y, t->x, t->w, i);
    if (shift && shift->kind == SN_A_INT)
        r.g.zp_shift = *(const int64_t *)sn_attr_at(t->c->attr, shift);
    r.code_lo = (int32_t)sn_elem_lo(t->y->elem);
    r.code_hi = (int32_t)sn_elem_hi(t->y->elem);
    r.row = sn_arith_row(a, t->form, map ? map->name : NULL,
                         t->when | sn_row_same(t->form, &r.g));
    if (!r.row && t->form != SN_FORM_CONVERT)
        r.row = sn_arith_row(a, SN_FORM_POINT, NULL, t->when);
    return r;
}

static void
set_span(const Twin *t, SnRowTask *r, int i, const SnType *of)
{
    int64_t lo, hi;

    sn_row_span(t->c, SN_ROLE_X, of, &lo, &hi);
    r->lo[i] = (double)lo;
    r->hi[i] = (double)hi;
}

static void
set_sum(SnRowTask *r, double most, double nterm)
{
    r->hi[0] = most;
    r->lo[0] = -most;
    r->most = most;
    r->nterm = nterm;
}

/* ---- forms ---- */

static void
join_codes(Twin *t, const SnRowTask *r)
{
    SnRowBound b;

    if (!sn_row_bound_all(r, &b))
        b = sn_row_bound(r);
    join(t, b, r->row);
}

/* The meaning chooses among operands as reals and constants: each is converted
 * by itself, and what is chosen is off by no more than they are. */
static void
conversions(Twin *t)
{
    join(t, (SnRowBound){.exact = true}, NULL);
    for (uint32_t i = 0; i < t->c->nin; i++) {
        t->x = t->c->in[i].type;
        if (!sn_row_is_code(t->x))
            continue;
        SnRowTask r = task(t, 0);
        set_span(t, &r, 0, t->x);
        join_codes(t, &r);
    }
}

static void
two_codes(Twin *t)
{
    SnRowTask r = task(t, 0);

    set_span(t, &r, 0, t->x);
    set_span(t, &r, 1, t->w);
    join_codes(t, &r);
}

static void
sum_of_products(Twin *t)
{
    const SnCall *c = t->c;
    double nterm = sn_row_taps(c) + 1;
    bool wide = t->when & SN_WHEN_WIDE;
    SnWeights one;
    const SnWeights *w = sn_weights(c, &one) ? &one : NULL;
    int64_t n = w ? w->nc : t->w->nq; /* channels, or their scales */

    for (int64_t i = 0; i < n; i++) {
        SnRowTask r = task(t, t->w->nq > 1 ? (uint32_t)i : 0);
        double most = sn_row_most_sum(c, t->x, t->w, w, i);
        if (most > (wide ? 0x1p62 : 0x1p31 - 1)) {
            unknown(t->out, "its sum may leave the accumulator");
            return;
        }
        set_sum(&r, most, nterm);
        join(t, sn_row_bound(&r), r.row);
    }
}

static void
mean(Twin *t)
{
    const SnMapDecl *map = t->c->kind->sem->decl;
    double most = sn_row_most(t->c, SN_ROLE_X, t->x);
    int64_t taps = (int64_t)sn_row_taps(t->c);
    /* maps are known here by name; of a window pads may leave a part */
    bool window = !map || strcmp(map->name, "reduce") != 0;

    if (window && taps > MOST_N) {
        unknown(t->out, "its window has too many elements");
        return;
    }
    for (int64_t n = window ? 1 : taps; n <= taps; n++)
        for (unsigned whole = 0; whole <= SN_WHEN_WHOLE;
             whole += SN_WHEN_WHOLE) {
            Twin u = *t;
            u.when |= whole;
            SnRowTask r = task(&u, 0);
            r.g.n = n;
            set_sum(&r, (double)n * most, (double)n);
            join(t, sn_row_bound(&r), r.row);
        }
}

/* ---- a node ---- */

static bool
by_form(const SnCall *c, SnTwinBound *b)
{
    const SnSem *s = c->kind->sem;
    Twin t = {.c = c, .form = (SnForm)s->form, .y = c->out[0].type, .out = b};
    int x = sn_row_slot(c, 0), w = sn_row_slot(c, 1);

    if (t.form == SN_FORM_CONVERT) {
        if (s->cls != SN_C_CONVERT && s->cls != SN_C_POINT)
            return unknown(b, "its meaning rounds more than once");
        conversions(&t);
        return true;
    }
    bool two = t.form != SN_FORM_MEAN;
    if (x < 0 || (two && w < 0))
        return unknown(b, "its meaning rounds more than once");
    t.x = c->in[x].type;
    t.w = two ? c->in[w].type : NULL;
    if (!sn_row_is_code(t.x) || (two && !sn_row_is_code(t.w)))
        return unknown(b, "an operand has no codes of 8 or 16 bits");
    t.when = sn_row_when(c, t.form, t.x, t.w);
    if (t.form == SN_FORM_CONTRACT)
        sum_of_products(&t);
    else if (t.form == SN_FORM_MEAN)
        mean(&t);
    else
        two_codes(&t);
    return true;
}

bool
sn_twin_bound(const SnCall *c, SnTwinBound *b)
{
    const SnSem *s = c->kind->sem;

    *b = (SnTwinBound){.row = NULL};
    if (!c->nout || !s || !sn_row_is_code(c->out[0].type) ||
        s->cls == SN_C_SOURCE || !c->nin)
        return false;
    /* codes that are moved or chosen as they are, and QuantizeLinear itself */
    b->by.exact = true;
    if (s->raw || (s->cls == SN_C_CONVERT && !sn_row_is_code(c->in[0].type)))
        return true;
    if (s->form < 0)
        return unknown(b, "ONNX does not say how its operator of reals rounds");
    return by_form(c, b);
}
