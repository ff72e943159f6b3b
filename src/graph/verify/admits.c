// SPDX-License-Identifier: Apache-2.0
#include "graph/verify/admits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "graph/verify/row_node.h"

typedef struct Admits {
    const SnCall *c;
    const SnArith *arith;
    const SnArithPairs *p;
    SnArena *a;
    int at;
} Admits;

/* ---- kinds ---- */

static bool
is_kind(SnKind k, const char *name)
{
    const SnKindDesc *d = sn_desc(k);

    return !strcmp(d->name, name) ||
           (d->form_of >= 0 &&
            !strcmp(sn_desc((SnKind)d->form_of)->name, name));
}

const SnArithNo *
sn_no_row(SnRounding by, SnKind k)
{
    const SnArithPairs *p = &sn_arith_at(by)->pairs;

    for (uint32_t i = 0; i < p->nno; i++)
        if (!p->no[i].mask && is_kind(k, p->no[i].kind))
            return &p->no[i];
    return NULL;
}

bool
sn_needs_one_type(SnRounding by, SnKind k)
{
    const SnArithPairs *p = &sn_arith_at(by)->pairs;

    for (uint32_t i = 0; i < p->nno; i++)
        if (p->no[i].mask == SN_WHEN_SAME && !p->no[i].is &&
            is_kind(k, p->no[i].kind))
            return true;
    return false;
}

const char *
sn_no_row_why(SnRounding by, SnKind k, SnArena *a)
{
    const SnArithNo *no = sn_no_row(by, k);

    return no ? sn_format(a, "arithmetic %s has no row for %s: %s",
                          sn_arith_at(by)->name, sn_desc(k)->name, no->why)
              : NULL;
}

static bool
on_codes(const SnCall *c)
{
    for (uint32_t i = 0; i < c->nin + c->nout; i++) {
        const SnType *t = i < c->nin ? c->in[i].type : c->out[i - c->nin].type;
        if (t && (sn_elem_quant(t->elem) || t->elem == SN_ROW8))
            return true;
    }
    return false;
}

/* ---- types ---- */

static const char *
range_text(SnArena *a, int32_t lo, int32_t hi)
{
    return lo == hi ? sn_format(a, "%" PRId32, lo)
                    : sn_format(a, "%" PRId32 "..%" PRId32, lo, hi);
}

const char *
sn_role_why(SnRounding by, SnRole role, const SnType *t, const char *what,
            SnArena *a)
{
    const SnArith *ar = sn_arith_at(by);
    const SnArithType *want = &ar->pairs.type[role];
    int e;

    if (!ar->pairs.some || !t)
        return NULL;
    if (t->elem == SN_ROW8 &&
        (want->tensor || want->power || want->zlo != INT32_MIN))
        return sn_format(a,
                         "%s has a scale and an offset in each row, which "
                         "arithmetic %s does not support",
                         what, ar->name);
    if (t->elem != SN_QI8 && t->elem != SN_QI16)
        return NULL;
    if (want->tensor && t->axis >= 0)
        return sn_format(a,
                         "%s has scales along axis %d, arithmetic %s expects "
                         "one scale",
                         what, t->axis, ar->name);
    for (uint32_t i = 0; i < t->nq; i++) {
        const char *slice = t->axis < 0 ? "" : sn_format(a, " in slice %u", i);
        if (t->zp[i] < want->zlo || t->zp[i] > want->zhi)
            return sn_format(a,
                             "%s has zero point %" PRId32 "%s, arithmetic %s "
                             "expects %s",
                             what, t->zp[i], slice, ar->name,
                             range_text(a, want->zlo, want->zhi));
        if (want->power && frexpf(t->scale[i], &e) != 0.5f)
            return sn_format(a,
                             "%s has scale %.9g%s, arithmetic %s expects a "
                             "power of two",
                             what, (double)t->scale[i], slice, ar->name);
    }
    return NULL;
}

static int64_t
code_at(const SnTensor *x, int64_t i)
{
    return x->type->elem == SN_QI8    ? ((const int8_t *)x->data)[i]
           : x->type->elem == SN_QI16 ? ((const int16_t *)x->data)[i]
                                      : ((const int32_t *)x->data)[i];
}

/* The codes of a constant. */
static const char *
codes_why(const Admits *m, const SnTensor *x, SnRole role, const char *what)
{
    const SnArithType *want = &m->p->type[role];
    int64_t n = sn_shape_count(x->shape);

    if (want->lo <= sn_elem_lo(x->type->elem) &&
        want->hi >= sn_elem_hi(x->type->elem))
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = code_at(x, i);
        if (v < want->lo || v > want->hi)
            return sn_format(m->a,
                             "%s has code %" PRId64 " at %" PRId64
                             ", arithmetic %s expects %s",
                             what, v, i, m->arith->name,
                             range_text(m->a, want->lo, want->hi));
    }
    return NULL;
}

/* Does result k keep codes of operands, which are held to the same range? */
static bool
keeps_codes(const Admits *m, unsigned k)
{
    const SnCall *c = m->c;
    const SnSem *s = c->kind->sem ? &c->kind->sem[k] : NULL;
    const SnArithType *want = &m->p->type[SN_ROLE_X];
    const SnType *t = c->out[k].type;

    if (!s || !s->raw || c->kind->out[k].fact != SN_SAME)
        return false;
    if (s->fill < 0)
        return true;
    float v = *(const float *)sn_attr_at(c->attr, &c->kind->attr[s->fill]);
    int32_t q = sn_quant(v, t->scale[0], t->zp[0], (int32_t)sn_elem_lo(t->elem),
                         (int32_t)sn_elem_hi(t->elem));
    return q >= want->lo && q <= want->hi;
}

/* The codes that a node may give. */
static const char *
result_codes_why(const Admits *m, unsigned k)
{
    const SnKindDesc *d = m->c->kind;
    const SnType *t = m->c->out[k].type;
    const SnArithType *want = &m->p->type[SN_ROLE_X];
    int64_t lo = sn_elem_lo(t->elem), hi = sn_elem_hi(t->elem);

    if (k == 0 && d->clamp >= 0) {
        SnRange r =
            *(const SnRange *)sn_attr_at(m->c->attr, &d->attr[d->clamp]);
        lo = r.has_lo && r.lo > (double)lo ? (int64_t)ceil(r.lo) : lo;
        hi = r.has_hi && r.hi < (double)hi ? (int64_t)floor(r.hi) : hi;
    }
    if ((lo >= want->lo && hi <= want->hi) || keeps_codes(m, k))
        return NULL;
    return sn_format(m->a,
                     "%s may have codes %" PRId64 "..%" PRId64
                     ", arithmetic %s expects a clamp to %s",
                     d->out[k].name, lo, hi, m->arith->name,
                     range_text(m->a, want->lo, want->hi));
}

static const char *
types_why(Admits *m, bool known)
{
    const SnCall *c = m->c;
    const SnKindDesc *d = c->kind;
    const SnSem *s = d->sem;
    const char *why = NULL;

    /* of what becomes a real, or another type, only the other type counts */
    for (uint32_t i = 0; i < c->nin && (!s || s->cls != SN_C_CONVERT); i++) {
        const SnTensor *x = &c->in[i];
        uint32_t port = sn_port_of_slot(d, c->nin, i);
        bool w = s && s->form == SN_FORM_CONTRACT && s->port[1] == (int)port;
        m->at = (int)i;
        if (!x->type || !x->data || d->in[port].fact == SN_PIN)
            continue;
        why = sn_role_why(c->rounding, w ? SN_ROLE_W : SN_ROLE_X, x->type,
                          d->in[port].name, m->a);
        if (!why && (x->type->elem == SN_QI8 || x->type->elem == SN_QI16))
            why = codes_why(m, x, w ? SN_ROLE_W : SN_ROLE_X, d->in[port].name);
        if (why)
            return why;
    }
    for (unsigned k = 0; k < c->nout && !known; k++) {
        const SnType *t = c->out[k].type;
        m->at = -1 - (int)k;
        why = sn_role_why(c->rounding, SN_ROLE_X, t, d->out[k].name, m->a);
        if (!why && t && (t->elem == SN_QI8 || t->elem == SN_QI16))
            why = result_codes_why(m, k);
        if (why)
            return why;
    }
    return NULL;
}

/* ---- sums of products ---- */

static const char *
bias_why(Admits *m, int slot)
{
    const SnArithPairs *p = m->p;
    const SnTensor *b = slot < 0 ? NULL : &m->c->in[slot];
    const char *name, *grid;
    int64_t step = p->bias_step, top;

    if (!b || !p->bias_bits || (p->bias_bits == 32 && step == 1))
        return NULL;
    m->at = slot;
    name =
        m->c->kind->in[sn_port_of_slot(m->c->kind, m->c->nin, (uint32_t)slot)]
            .name;
    grid = step == 1 ? "x.scale * w.scale"
                     : sn_format(m->a, "%" PRId64 " * x.scale * w.scale", step);
    if (!b->data || b->type->elem != SN_QI32)
        return sn_format(m->a,
                         "%s is not a constant, arithmetic %s expects one of "
                         "%d bits on %s",
                         name, m->arith->name, (int)p->bias_bits, grid);
    top = INT64_C(1) << (p->bias_bits - 1);
    for (int64_t i = 0, n = sn_shape_count(b->shape); i < n; i++) {
        int64_t v = code_at(b, i), q = v / step;
        if (v % step || q < -top || q >= top)
            return sn_format(m->a,
                             "%s has code %" PRId64 " at %" PRId64
                             ", arithmetic %s expects %d bits on %s",
                             name, v, i, m->arith->name, (int)p->bias_bits,
                             grid);
    }
    return NULL;
}

static bool
too_wide(const Admits *m, double sum, SnSumFault *f)
{
    f->sum = sum;
    return sum >= ldexp(1, m->p->acc_bits - 1);
}

static bool
contract_fault(const Admits *m, const SnType *x, const SnType *wt, int bias,
               SnSumFault *f)
{
    const SnCall *c = m->c;
    const SnTensor *b = bias < 0 ? NULL : &c->in[bias];
    bool known = b && b->data && b->type->elem == SN_QI32;
    double mx = sn_row_most(c, SN_ROLE_X, x), any = b && !known ? 0x1p31 : 0;
    int64_t lo, hi;
    SnWeights w;

    if (!sn_weights(c, &w))
        return too_wide(
            m, sn_row_taps(c) * mx * sn_row_most(c, SN_ROLE_X, wt) + any, f);
    sn_row_span(c, w.data ? SN_ROLE_W : SN_ROLE_X, wt, &lo, &hi);
    for (int64_t k = 0; k < w.nc; k++) {
        double s = sn_weights_sum(&w, k, (int32_t)lo, (int32_t)hi) * mx + any;
        if (known)
            s += fabs((double)((const int32_t *)b->data)[k]);
        f->channel = k;
        f->slot = w.data ? (int)w.wslot : -1;
        if (too_wide(m, s, f))
            return true;
    }
    return false;
}

bool
sn_sum_fault(const SnCall *c, SnSumFault *f)
{
    const SnArith *ar = sn_arith_at(c->rounding);
    const Admits m = {c, ar, &ar->pairs, c->scratch, -1};
    const SnSem *s = c->kind->sem;
    int xs = s ? sn_row_slot(c, 0) : -1, ws = s ? sn_row_slot(c, 1) : -1;

    *f = (SnSumFault){.slot = -1, .channel = -1};
    if (!ar->pairs.acc_bits || xs < 0 || !sn_row_is_code(c->in[xs].type))
        return false;
    if (s->form == SN_FORM_CONTRACT && ws >= 0 &&
        sn_row_is_code(c->in[ws].type))
        return contract_fault(&m, c->in[xs].type, c->in[ws].type,
                              sn_row_bias_slot(c), f);
    return s->form == SN_FORM_MEAN &&
           too_wide(&m,
                    sn_row_taps(c) * sn_row_most(c, SN_ROLE_X, c->in[xs].type),
                    f);
}

static const char *
sums_why(Admits *m)
{
    const SnCall *c = m->c;
    const char *what =
        c->kind->sem->form == SN_FORM_MEAN ? "its sum" : "its accumulator";
    const char *why = NULL;
    SnSumFault f;

    if (c->kind->sem->form == SN_FORM_CONTRACT)
        why = bias_why(m, sn_row_bias_slot(c));
    if (why || !sn_sum_fault(c, &f))
        return why;
    m->at = -1;
    if (f.channel >= 0)
        what = sn_format(m->a, "the accumulator of output channel %" PRId64,
                         f.channel);
    return sn_format(m->a,
                     "%s may reach %.0f and does not fit int%d, in which "
                     "arithmetic %s adds up",
                     what, f.sum, (int)m->p->acc_bits, m->arith->name);
}

/* ---- ratios of scales ---- */

/* m > 0 in a window: s of q * 2^-s lies in it. */
static bool
in_window(const SnArithRatio *r, double m)
{
    int64_t q, s;

    if (!(m > 0) || isinf(m))
        return false;
    sn_ratio_split(m, r->bits, -1074, 2000, &q, &s);
    return s >= r->lo && s <= r->hi;
}

static bool
ratio_of_row(const SnArithRow *row, const SnRowGrids *g, SnRatioFault *f)
{
    for (uint32_t i = 0; i < row->nratio; i++) {
        const SnArithRatio *r = &row->ratio[i];
        double v = r->of(g);
        if (in_window(r, v))
            continue;
        f->ratio = r;
        f->grids = *g;
        f->value = v;
        return true;
    }
    return false;
}

/* The row of operands in these slots (the second may be -1), slice by slice of
 * the second. */
static bool
row_fault(const Admits *m, SnForm form, int xs, int ws, SnRatioFault *f)
{
    const SnCall *c = m->c;
    const SnType *x = c->in[xs].type, *w = ws < 0 ? NULL : c->in[ws].type;
    const SnType *y = c->out[0].type;
    SnRowGrids g = sn_row_grids(c, form);

    for (uint32_t i = 0; i < (w ? w->nq : 1); i++) {
        sn_row_set_types(&g, y, x, w, i);
        const SnArithRow *row = sn_row_of(c, form, x, w, &g);
        f->slot[0] = xs;
        f->slot[1] = ws;
        f->slice = i;
        if (row && ratio_of_row(row, &g, f))
            return true;
    }
    return false;
}

bool
sn_ratio_fault(const SnCall *c, SnRatioFault *f)
{
    const SnArith *ar = sn_arith_at(c->rounding);
    const Admits m = {c, ar, &ar->pairs, c->scratch, -1};
    const SnSem *s = c->kind->sem;

    if (!ar->pairs.some || !s || s->form < 0 || !c->nout ||
        !sn_row_is_code(c->out[0].type))
        return false;
    if (s->form != SN_FORM_CONVERT) {
        int x = sn_row_slot(c, 0), w = sn_row_slot(c, 1);
        return x >= 0 && sn_row_is_code(c->in[x].type) &&
               (w < 0 || sn_row_is_code(c->in[w].type)) &&
               row_fault(&m, (SnForm)s->form, x, w, f);
    }
    for (uint32_t i = 0; i < c->nin; i++)
        if (sn_row_is_code(c->in[i].type) &&
            row_fault(&m, SN_FORM_CONVERT, (int)i, -1, f))
            return true;
    return false;
}

const char *
sn_ratio_why(const SnCall *c, const SnRatioFault *f)
{
    const SnType *w = f->slot[1] < 0 ? NULL : c->in[f->slot[1]].type;

    return sn_format(
        c->scratch,
        "its ratio %s is %.9g%s, arithmetic %s expects 2^%d to "
        "2^%d",
        f->ratio->text, f->value,
        w && w->nq > 1 ? sn_format(c->scratch, " in slice %u", f->slice) : "",
        sn_arith_at(c->rounding)->name, f->ratio->bits - 1 - f->ratio->hi,
        f->ratio->bits - f->ratio->lo);
}

static const char *
ratios_why(Admits *m)
{
    SnRatioFault f;

    if (!sn_ratio_fault(m->c, &f))
        return NULL;
    m->at = m->c->kind->sem->form == SN_FORM_CONVERT ? f.slot[0] : -1;
    return sn_ratio_why(m->c, &f);
}

/* ---- what wraps ---- */

/* Does it fit for all operands in these ranges? */
static bool
row_fits(const SnArithRow *row, const SnRowGrids *g, const int64_t a[2],
         const int64_t b[2])
{
    int64_t k[SN_ROW_NK];
    bool ok = true;

    row->open(g, k);
    for (int i = 0; i < 4 && ok; i++)
        ok = row->fits(k, a[i & 1], b[i >> 1]);
    return ok;
}

/* The result of operands xs and ws (or -1) by rows of the form. */
static bool
wraps(const Admits *m, SnForm form, int xs, int ws)
{
    const SnCall *c = m->c;
    const SnType *x = c->in[xs].type, *wt = ws < 0 ? NULL : c->in[ws].type;
    SnRowGrids g = sn_row_grids(c, form);
    int64_t a[2], b[2] = {0, 0}, n = 1;
    SnWeights one;
    bool contract = form == SN_FORM_CONTRACT, found = false;
    const SnWeights *w = contract && sn_weights(c, &one) ? &one : NULL;

    if (contract)
        n = w ? w->nc : wt->nq; /* channels, or their scales */
    for (int64_t i = 0; i < n && !found; i++) {
        sn_row_set_types(&g, c->out[0].type, x, wt,
                         wt && wt->nq > 1 ? (uint32_t)i : 0);
        const SnArithRow *row = sn_row_of(c, form, x, wt, &g);
        if (!row || !row->fits)
            continue;
        double most = contract
                          ? fmin(sn_row_most_sum(c, x, wt, w, i), 0x1p31 - 1)
                          : sn_row_taps(c) * sn_row_most(c, SN_ROLE_X, x);
        a[1] = (int64_t)most;
        a[0] = -a[1];
        if (!contract && form != SN_FORM_MEAN)
            sn_row_span(c, SN_ROLE_X, x, &a[0], &a[1]);
        if (!contract && wt)
            sn_row_span(c, SN_ROLE_X, wt, &b[0], &b[1]);
        found = !row_fits(row, &g, a, b);
    }
    return found;
}

static const char *
wraps_why(Admits *m)
{
    const SnCall *c = m->c;
    const SnSem *s = c->kind->sem;
    bool found = false;

    if (s->form < 0 || !c->nout || !sn_row_is_code(c->out[0].type))
        return NULL;
    m->at = -1;
    if (s->form != SN_FORM_CONVERT) {
        int x = sn_row_slot(c, 0), w = sn_row_slot(c, 1);
        found = x >= 0 && sn_row_is_code(c->in[x].type) &&
                (w < 0 || sn_row_is_code(c->in[w].type)) &&
                wraps(m, (SnForm)s->form, x, w);
    }
    for (uint32_t i = 0; s->form == SN_FORM_CONVERT && i < c->nin; i++)
        if (!found && sn_row_is_code(c->in[i].type) &&
            wraps(m, SN_FORM_CONVERT, (int)i, -1)) {
            found = true;
            m->at = (int)i;
        }
    return found ? sn_format(m->a,
                             "one of its products may wrap, which arithmetic "
                             "%s does not undo: expected ratios of scales and "
                             "sums that keep all products in range",
                             m->arith->name)
                 : NULL;
}

/* ---- kinds without a row on some types ---- */

static const char *
no_row_there_why(const Admits *m)
{
    const SnCall *c = m->c;
    const SnSem *s = c->kind->sem;
    int xs = sn_row_slot(c, 0), ws = sn_row_slot(c, 1);
    SnRowGrids g = {.n = 1, .kernel = {1, 1}};

    if (s->form < 0 || xs < 0 || !sn_row_is_code(c->in[xs].type) || !c->nout ||
        !sn_row_is_code(c->out[0].type) ||
        (ws >= 0 && !sn_row_is_code(c->in[ws].type)))
        return NULL;
    const SnType *x = c->in[xs].type, *w = ws < 0 ? NULL : c->in[ws].type;
    sn_row_set_types(&g, c->out[0].type, x, w, 0);
    unsigned when = sn_row_when(c, (SnForm)s->form, x, w) |
                    sn_row_same((SnForm)s->form, &g);
    for (uint32_t i = 0; i < m->p->nno; i++) {
        const SnArithNo *no = &m->p->no[i];
        if (no->mask && (when & no->mask) == no->is &&
            is_kind(c->kind->kind, no->kind))
            return sn_format(m->a,
                             "arithmetic %s has no row for %s on these types: "
                             "%s",
                             m->arith->name, c->kind->name, no->why);
    }
    return NULL;
}

/* ---- all ---- */

const char *
sn_admits_why(const SnCall *c, unsigned known, int *at)
{
    const SnArith *ar = sn_arith_at(c->rounding);
    Admits m = {c, ar, &ar->pairs, c->scratch, -1};
    const char *why;

    *at = -1;
    if (!ar->pairs.some || !on_codes(c))
        return NULL;
    why = c->kind->sem && c->kind->sem[0].cls != SN_C_SOURCE
              ? sn_no_row_why(c->rounding, c->kind->kind, m.a)
              : NULL;
    if (!why)
        why = types_why(&m, known & SN_KNOWN);
    if (!why && c->kind->sem) {
        m.at = -1;
        why = no_row_there_why(&m);
    }
    if (!why && c->kind->sem && !(known & SN_PENDING))
        why = sums_why(&m);
    if (!why && c->kind->sem)
        why = ratios_why(&m);
    if (!why && c->kind->sem && !(known & SN_PENDING))
        why = wraps_why(&m);
    *at = m.at;
    return why;
}
