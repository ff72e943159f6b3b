// SPDX-License-Identifier: Apache-2.0
/* Rows of docs/numerics.md that are more than one expression. */
#include "kernel/eval/rows.h"

#include <inttypes.h>

SnLim
sn_lim(const SnType *t, SnRange r)
{
    int64_t lo = sn_elem_lo(t->elem), hi = sn_elem_hi(t->elem);
    SnLim l = {(int32_t)lo, (int32_t)hi};

    if (r.has_lo && r.lo > (double)l.lo)
        l.lo = r.lo >= (double)hi ? (int32_t)hi : (int32_t)ceil(r.lo);
    if (r.has_hi && r.hi < (double)l.hi)
        l.hi = r.hi <= (double)lo ? (int32_t)lo : (int32_t)floor(r.hi);
    if (l.hi < l.lo) /* min(max(q, lo), hi) */
        l.lo = l.hi;
    return l;
}

SnLimF
sn_limf(SnRange r)
{
    return (SnLimF){r.has_lo ? (float)r.lo : -INFINITY,
                    r.has_hi ? (float)r.hi : INFINITY};
}

bool
sn_is_code(const SnType *t)
{
    return t && t->nq == 1 && (t->elem == SN_QI8 || t->elem == SN_QI16);
}

/* The row of `float` for contracts over any map. */
static const SnArithRow *
float_contract(void)
{
    return sn_arith_row(sn_arith_at(SN_ROUNDING_FLOAT), SN_FORM_CONTRACT, NULL,
                        0);
}

const float *
sn_mults(SnArena *a, const SnType *x, const SnType *w, const SnType *y)
{
    const SnArithRow *r = float_contract();
    float *m = SN_NEW_N(a, float, w->nq);
    int64_t k[SN_ROW_NK];

    for (uint32_t i = 0; i < w->nq; i++) {
        SnRowGrids g = {
            {y->scale[0], x->scale[0], w->scale[i]}, {0}, 1, 0, {1, 1}};
        r->open(&g, k);
        m[i] = sn_f32_of_bits((uint32_t)k[0]);
    }
    return m;
}

SnRowUse
sn_row_use(SnRounding by, SnForm form, const char *map, unsigned when,
           SnRowGrids g)
{
    const SnArith *a = sn_arith_at(by);
    SnRowUse u = {.g = g};

    u.row = sn_arith_row(a, form, map, when | sn_row_same(form, &g));
    if (!u.row && form != SN_FORM_CONVERT) {
        u.row = sn_arith_row(a, SN_FORM_POINT, NULL, when);
        u.real = true;
    }
    if (u.row)
        u.row->open(&u.g, u.k);
    return u;
}

bool
sn_row_as_float(const SnRowUse *u, SnForm form, const char *map, unsigned when)
{
    SnRowUse f = sn_row_use(SN_ROUNDING_FLOAT, form, map, when, u->g);

    return u->row && f.row ? !strcmp(u->row->name, f.row->name)
                           : !u->row && !f.row;
}

/* The row of slice i of w; when has the flags of the call, too. */
static SnRowUse
slice_use(const SnCall *c, const SnType *x, const SnType *w, const SnType *y,
          const char *map, unsigned when, uint32_t i)
{
    SnRowGrids g = {{y->scale[0], x->scale[0], w->scale[i]},
                    {y->zp[0], x->zp[0], w->zp[i]},
                    1,
                    0,
                    {1, 1}};

    return sn_row_use(c->rounding, SN_FORM_CONTRACT, map, when, g);
}

const SnRowUse *
sn_row_uses(const SnCall *c, const SnType *x, const SnType *w, const SnType *y,
            const char *map, unsigned when)
{
    SnRowUse *u = SN_NEW_N(c->scratch, SnRowUse, w->nq);

    when |= sn_row_flags(c, 0);
    for (uint32_t i = 0; i < w->nq; i++)
        u[i] = slice_use(c, x, w, y, map, when, i);
    return u;
}

SnSumRows
sn_sum_rows(const SnCall *c, const SnType *x, const SnType *w, const SnType *y,
            const char *map, unsigned when)
{
    SnSumRows r = {NULL, NULL, y->zp[0]};

    if (slice_use(c, x, w, y, map, when | sn_row_flags(c, 0), 0).row ==
        float_contract())
        r.mul = sn_mults(c->scratch, x, w, y);
    else
        r.use = sn_row_uses(c, x, w, y, map, when);
    return r;
}

void
sn_row_divide(SnRowUse *u, int64_t n)
{
    if (u->g.n == n)
        return;
    u->g.n = n;
    if (u->row)
        u->row->open(&u->g, u->k);
}

void
sn_codes8(int8_t code[256])
{
    for (int i = 0; i < 256; i++)
        code[i] = (int8_t)(i - 128);
}

SnStatus
sn_normal_open(SnNormal *k, const SnCall *c, int64_t n, float eps, bool centred,
               const SnType *x, const SnType *y)
{
    if (n > SN_NORMAL_MOST)
        return sn_call_fail(c,
                            "%" PRId64 " codes along the axis, more than %d: "
                            "keep the node float",
                            n, (int)SN_NORMAL_MOST);
    *k = sn_normal(n > 0 ? n : 1, sn_normal_eps(eps), centred, x->scale[0],
                   x->zp[0], y->scale[0], y->zp[0]);
    return SN_OK;
}

void
sn_softmax_open(SnSoftmax *s, const SnType *x, const SnType *y, SnLim lim)
{
    for (int i = 0; i < 256; i++) {
        double v = 8388608.0 * sn_exp(-(double)i * (double)x->scale[0]);
        s->t[i] = (uint32_t)(v + 0.5);
        for (int b = 0; b < 3; b++)
            s->byte[b][i] = (uint8_t)(s->t[i] >> 8 * b);
    }
    /* 2^23 times this must fit; every result is far above such steps. */
    s->one = (uint64_t)fminf(floorf(1.0f / y->scale[0]), 0x1p40f);
    s->zp = y->zp[0];
    s->lim = lim;
}

int8_t
sn_softmax_code(const SnSoftmax *s, int below, uint64_t sum)
{
    int64_t q = (int64_t)sn_div_rne(s->t[below] * s->one, sum) + s->zp;

    return (int8_t)(q < s->lim.lo ? s->lim.lo : q > s->lim.hi ? s->lim.hi : q);
}

void
sn_softmax_row(const SnSoftmax *s, const SnMap *m, const int8_t *x, int8_t *y)
{
    const int64_t *a = m->a;
    uint64_t sum = 0;
    int top = -128;

    for (int64_t k = 0; k < m->ntap; k++)
        if (x[a[k]] > top)
            top = x[a[k]];
    for (int64_t k = 0; k < m->ntap; k++)
        sum += s->t[top - x[a[k]]];
    for (int64_t k = 0; k < m->ntap; k++)
        y[m->y0 + m->y[k]] = sn_softmax_code(s, top - x[a[k]], sum);
}
