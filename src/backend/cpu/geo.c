// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/geo.h"

#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

SnRange
sn_cpu_clamp(const SnCall *c)
{
    SnRange open = sn_range_open();

    return c->kind->clamp < 0 ? open
                              : *(const SnRange *)sn_attr_at(
                                    c->attr, &c->kind->attr[c->kind->clamp]);
}

enum { LEAST_CHANNELS = 16 }; /* of stand_up */

static int64_t
at(SnInts v, uint32_t i, int64_t els)
{
    return i < v.n ? v.v[i] : els;
}

SnConvGeo
sn_cpu_window_geo(const SnCall *c, int64_t kh, int64_t kw)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *x = sn_map_port(c, s, 0)->shape, *y = c->out[0].shape;
    SnInts stride = sn_map_ints(c, s, 2), pads = sn_map_ints(c, s, 3);
    SnInts dilate = sn_map_ints(c, s, 4);

    return (SnConvGeo){
        .n = x->dim[0],
        .h = x->dim[1],
        .w = x->dim[2],
        .c = x->dim[3],
        .oh = y->dim[1],
        .ow = y->dim[2],
        .oc = y->dim[3],
        .kh = kh,
        .kw = kw,
        .sh = at(stride, 0, 1),
        .sw = at(stride, 1, 1),
        .dh = at(dilate, 0, 1),
        .dw = at(dilate, 1, 1),
        .pt = at(pads, 0, 0),
        .pl = at(pads, 1, 0),
        .group = 1,
    };
}

/* A picture of one row is the same numbers as one of one column, and so are its
 * filter and its result.  Rows are what threads share; a row of few channels,
 * which kernels copy before they multiply, stays a row. */
static void
stand_up(SnConvGeo *o)
{
    bool depthwise = o->group > 1 && o->group == o->c && o->group == o->oc;

    if (o->h != 1 || o->kh != 1 || o->oh != 1 || o->pt != 0 || depthwise ||
        o->c < LEAST_CHANNELS)
        return;
    swap64(&o->h, &o->w);
    swap64(&o->kh, &o->kw);
    swap64(&o->oh, &o->ow);
    swap64(&o->sh, &o->sw);
    swap64(&o->dh, &o->dw);
    swap64(&o->pt, &o->pl);
    o->dw = 1; /* of one tap: it says nothing */
}

bool
sn_cpu_conv_geo(const SnCall *c, SnConvGeo *geo)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    const SnShape *w = sn_map_port(c, s, 1)->shape;
    const SnShape *y = c->out[0].shape;
    int64_t group = sn_map_int(c, s, 5, 1);

    if (x->rank != 4 || w->rank != 4 || y->rank != 4 || group < 1 ||
        x->dim[3] != w->dim[3] * group || w->dim[0] % group ||
        y->dim[3] != w->dim[0])
        return false;
    *geo = sn_cpu_window_geo(c, w->dim[1], w->dim[2]);
    geo->group = group;
    stand_up(geo);
    return true;
}

/* [m, k] by [k, n] as a convolution of m pixels by 1 x 1 windows. */
static SnConvGeo
product(int64_t m, int64_t k, int64_t n)
{
    return (SnConvGeo){.n = 1,
                       .h = m,
                       .w = 1,
                       .c = k,
                       .oh = m,
                       .ow = 1,
                       .oc = n,
                       .kh = 1,
                       .kw = 1,
                       .sh = 1,
                       .sw = 1,
                       .dh = 1,
                       .dw = 1,
                       .group = 1};
}

bool
sn_cpu_matmul_geo(const SnCall *c, SnConvGeo *geo, bool *transposed)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    const SnShape *w = sn_map_port(c, s, 1)->shape;
    const SnShape *y = c->out[0].shape;

    *transposed = sn_map_int(c, s, 3, 0) != 0;
    if (w->rank != 2 || x->rank < 2 || sn_map_int(c, s, 2, 0) != 0)
        return false;
    int64_t k = x->dim[x->rank - 1], n = w->dim[*transposed ? 0 : 1];
    if (k == 0 || w->dim[*transposed ? 1 : 0] != k || y->dim[y->rank - 1] != n)
        return false;
    *geo = product(sn_shape_count(x) / k, k, n);
    return true;
}

/* Elements from one matrix of operand j to the next along each dimension. */
static void
open_steps(SnCpuMatrices *m, const SnShape *s, int j, int64_t size)
{
    int ahead = m->rank - (s->rank - 2);

    for (int i = s->rank - 3; i >= 0; i--) {
        m->step[j][i + ahead] = s->dim[i] == 1 ? 0 : size;
        size *= s->dim[i];
    }
}

bool
sn_cpu_matrices(const SnCall *c, SnCpuMatrices *m)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *a = sn_map_port(c, s, 0)->shape;
    const SnShape *b = sn_map_port(c, s, 1)->shape;
    const SnShape *y = c->out[0].shape;

    *m = (SnCpuMatrices){.transposed = sn_map_int(c, s, 3, 0) != 0, .count = 1};
    if (a->rank < 2 || b->rank < 2 || y->rank < 2 ||
        sn_map_int(c, s, 2, 0) != 0 || sn_shape_count(y) == 0 ||
        a->dim[a->rank - 1] == 0)
        return false;
    int64_t rows = a->dim[a->rank - 2], k = a->dim[a->rank - 1];
    int64_t n = y->dim[y->rank - 1];
    m->geo = product(rows, k, n);
    m->rank = y->rank - 2;
    for (int i = 0; i < m->rank; i++)
        m->count *= m->dim[i] = y->dim[i];
    open_steps(m, a, 0, rows * k);
    open_steps(m, b, 1, k * n);
    return true;
}

void
sn_cpu_matrices_units(SnPrep *p, const SnCpuMatrices *m)
{
    int64_t size = m->geo.h * m->geo.c;

    p->nunit = m->count;
    if (sn_shape_count(p->call->in[0].shape) != m->count * size)
        return; /* some matrices of a are read again */
    p->reads = size;
    p->writes = m->geo.h * m->geo.oc;
}

void
sn_cpu_matrix_at(const SnCpuMatrices *m, int64_t i, int64_t at[2])
{
    at[0] = at[1] = 0;
    for (int d = m->rank - 1; d >= 0; i /= m->dim[d--])
        for (int j = 0; j < 2; j++)
            at[j] += i % m->dim[d] * m->step[j][d];
}

/* The sets of a pool, in memory that is given back. */
static bool
pool_sets(const SnCall *c, bool *whole, int64_t *ntap)
{
    SnCall once = *c;
    SnMap m;

    once.scratch = sn_arena_new();
    bool ok = sn_map_open(&m, &once, 0) == SN_OK;
    if (ok) {
        *whole = m.whole;
        *ntap = m.maxtap;
    }
    sn_arena_free(once.scratch);
    return ok;
}

bool
sn_cpu_pool_geo(const SnCall *c, SnConvGeo *geo, bool *whole, int64_t *ntap)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *x = c->in[0].shape, *y = c->out[0].shape;
    SnInts kernel = sn_map_ints(c, s, 1);

    if (x->rank != 4 || y->rank != 4 || !pool_sets(c, whole, ntap))
        return false;
    *geo = sn_cpu_window_geo(c, at(kernel, 0, 1), at(kernel, 1, 1));
    geo->oc = geo->c;
    return geo->kh <= SN_POOL_TAPS && geo->kw <= SN_POOL_TAPS / geo->kh;
}
