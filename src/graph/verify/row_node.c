// SPDX-License-Identifier: Apache-2.0
#include "graph/verify/row_node.h"

#include <math.h>
#include <string.h>
#include "graph/map_args.h"

void
sn_row_span(const SnCall *c, SnRole role, const SnType *t, int64_t *lo,
            int64_t *hi)
{
    const SnArithPairs *p = &sn_arith_at(c->rounding)->pairs;
    const SnArithType *w = &p->type[role];

    *lo = sn_elem_lo(t->elem);
    *hi = sn_elem_hi(t->elem);
    if (!p->some)
        return;
    *lo = *lo > w->lo ? *lo : w->lo;
    *hi = *hi < w->hi ? *hi : w->hi;
}

double
sn_row_most(const SnCall *c, SnRole role, const SnType *t)
{
    double most = 0;
    int64_t lo, hi;

    sn_row_span(c, role, t, &lo, &hi);
    for (uint32_t i = 0; i < t->nq; i++)
        most = fmax(most, fmax((double)t->zp[i] - (double)lo,
                               (double)hi - (double)t->zp[i]));
    return most;
}

double
sn_row_taps(const SnCall *c)
{
    SnMapping u = {0};
    SnMapArgs args;

    sn_map_call_args(&args, c, c->kind->sem);
    if (!sn_mapping_open(&u, c->kind->sem[0].decl, args.arg, c->scratch,
                         NULL) ||
        u.ntap < 0)
        return (double)sn_shape_count(c->in[0].shape);
    return (double)u.ntap;
}

bool
sn_row_is_code(const SnType *t)
{
    return t && (t->elem == SN_QI8 || t->elem == SN_QI16);
}

int
sn_row_slot(const SnCall *c, int i)
{
    const SnSem *s = c->kind->sem;
    uint32_t slot, n;

    if (s->port[i] < 0)
        return -1;
    sn_port_slots(c->kind, c->nin, (uint32_t)s->port[i], &slot, &n);
    return n ? (int)slot : -1;
}

int
sn_row_bias_slot(const SnCall *c)
{
    for (uint32_t i = 0; i < c->nin; i++)
        if (c->kind->in[sn_port_of_slot(c->kind, c->nin, i)].fact == SN_PIN &&
            c->in[i].type)
            return (int)i;
    return -1;
}

static bool
rounds_after(const SnCall *c)
{
    const SnAttrDesc *a = sn_attr_named(c->kind, "round");

    return a && a->kind == SN_A_ENUM &&
           !strcmp(a->words[*(const int32_t *)sn_attr_at(c->attr, a)], "after");
}

void
sn_row_set_types(SnRowGrids *g, const SnType *y, const SnType *x,
                 const SnType *w, uint32_t slice)
{
    g->scale[0] = y->scale[0];
    g->scale[1] = x->scale[0];
    g->scale[2] = w ? w->scale[slice] : 0;
    g->zp[0] = y->zp[0];
    g->zp[1] = x->zp[0];
    g->zp[2] = w ? w->zp[slice] : 0;
}

unsigned
sn_row_when(const SnCall *c, SnForm form, const SnType *x, const SnType *w)
{
    unsigned when = sn_row_flags(c, 0) | (rounds_after(c) ? SN_WHEN_AFTER : 0);
    bool wide = x->elem == SN_QI16 || (w && w->elem == SN_QI16) ||
                (form != SN_FORM_CONTRACT && c->out[0].type->elem == SN_QI16);

    return when | (wide && form != SN_FORM_CONVERT ? SN_WHEN_WIDE : 0);
}

SnRowGrids
sn_row_grids(const SnCall *c, SnForm form)
{
    SnRowGrids g = {.n = 1, .kernel = {1, 1}};

    if (form == SN_FORM_MEAN) {
        g.n = (int64_t)sn_row_taps(c);
        g.kernel[0] = sn_row_arg(c, 0, "kernel", 0);
        g.kernel[1] = sn_row_arg(c, 0, "kernel", 1);
    }
    return g;
}

const SnArithRow *
sn_row_of(const SnCall *c, SnForm form, const SnType *x, const SnType *w,
          const SnRowGrids *g)
{
    const SnMapDecl *map = c->kind->sem->decl;

    return sn_arith_row(sn_arith_at(c->rounding), form, map ? map->name : NULL,
                        sn_row_when(c, form, x, w) | sn_row_same(form, g));
}

double
sn_row_most_sum(const SnCall *c, const SnType *x, const SnType *wt,
                const SnWeights *w, int64_t at)
{
    int bias = sn_row_bias_slot(c);
    const SnTensor *b = bias < 0 ? NULL : &c->in[bias];
    bool known = b && b->data && b->type->elem == SN_QI32;
    double mx = sn_row_most(c, SN_ROLE_X, x), sum;
    int64_t lo, hi;

    if (w) {
        sn_row_span(c, w->data ? SN_ROLE_W : SN_ROLE_X, wt, &lo, &hi);
        sum = sn_weights_sum(w, at, (int32_t)lo, (int32_t)hi) * mx;
    } else {
        sum = sn_row_taps(c) * mx * sn_row_most(c, SN_ROLE_X, wt);
    }
    if (b)
        sum +=
            known && w ? fabs((double)((const int32_t *)b->data)[at]) : 0x1p31;
    return sum;
}
