// SPDX-License-Identifier: Apache-2.0
/* Element by element nodes of plain numbers whose operands may repeat (one
 * number, a row, a column), conversions of them, and extremes of a whole
 * tensor. */
#include <string.h>

#include "backend/cpu/geo.h"
#include "backend/cpu/units.h"
#include "cpu_kernels.h"
#include "kernel/each/each.h"
#include "kernel/each/erf_f32.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

enum { UNIT = SN_CPU_UNIT };

/* ---- two operands ---- */

/* A result is rows; element i of row r comes from off(r) + i * step of each
 * operand.  Short rows of b that repeat are laid out `rep` times first. */
typedef struct Pair {
    SnIsa isa;
    SnEachF32 p;
    SnBcast m;
    int64_t nrow, per; /* rows; of a unit, where there are several */
    int64_t rep;
} Pair;

/* The walk through operands that have no data yet. */
static void
open_walk(const SnCall *c, SnBcast *m)
{
    SnTensor in[2] = {c->in[0], c->in[1]};
    SnCall call = *c;

    for (int i = 0; i < 2; i++)
        in[i].data = in; /* not looked at */
    call.in = in;
    call.nin = 2;
    sn_bcast_open(m, &call);
}

static bool
prepare_pair(SnPrep *p, Pair *k, size_t esize)
{
    const SnCall *c = p->call;
    int64_t n = sn_shape_count(c->out[0].shape);

    open_walk(c, &k->m);
    k->isa = sn_isa();
    p->prep = k;
    if (n == 0)
        return false;
    if (k->m.run == 1) /* one number, or columns: the last axis has 1 */
        k->m.step[0] = k->m.step[1] = k->m.rank == 1;
    k->nrow = n / k->m.run;
    k->per = k->nrow;
    k->rep = 1;
    sn_cpu_units(p, n, UNIT / 3);
    if (k->nrow > 1) {
        bool row = k->m.rank == 2 && k->m.step[0] && k->m.step[1] &&
                   k->m.stride[0][0] == k->m.run && k->m.stride[0][1] == 0;
        if (row && k->m.run < UNIT / 16)
            k->rep = UNIT / 8 / k->m.run;
        if (k->rep > k->nrow / 2)
            k->rep = 1;
        k->per = (UNIT + k->m.run - 1) / k->m.run;
        k->per = (k->per + k->rep - 1) / k->rep * k->rep;
        p->nunit = (k->nrow + k->per - 1) / k->per;
        p->nwork = (size_t)(k->rep * k->m.run) * esize;
    }
    return true;
}

static bool
prepare_f32(SnPrep *p, SnEachOp op)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));
    Pair *k = SN_NEW(c->scratch, Pair);

    for (uint32_t i = 0; i < 2; i++)
        if (sn_shape_count(c->in[i].shape) == sn_shape_count(c->out[0].shape))
            p->inplace |= 1u << i;
    k->p = (SnEachF32){op, lim.lo, lim.hi};
    return prepare_pair(p, k, sizeof(float));
}

bool
sn_cpu_each_add_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_ADD);
}

bool
sn_cpu_each_sub_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_SUB);
}

bool
sn_cpu_each_mul_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MUL);
}

bool
sn_cpu_each_div_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_DIV);
}

bool
sn_cpu_each_max_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MAX);
}

bool
sn_cpu_each_min_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MIN);
}

bool
sn_cpu_difference_prepare(SnPrep *p)
{
    Pair *k = SN_NEW(p->call->scratch, Pair);

    return prepare_pair(p, k, 1);
}

/* n elements from these places on. */
static void
run(const Pair *k, const SnCall *c, int64_t a, const void *b, int64_t ib,
    int64_t n, int64_t y)
{
    const int64_t *step = k->m.step;

    if (c->in[0].type->elem == SN_I8)
        sn_each_difference(k->isa, (const int8_t *)c->in[0].data + a, step[0],
                           (const int8_t *)b + ib, step[1], n,
                           (int32_t *)c->out[0].data + y);
    else
        sn_each_f32(k->isa, &k->p, (const float *)c->in[0].data + a, step[0],
                    (const float *)b + ib, step[1], n,
                    (float *)c->out[0].data + y);
}

/* Rows [r0, r1), any broadcasting. */
static void
run_rows(const Pair *k, const SnCall *c, int64_t r0, int64_t r1)
{
    SnBcast m = k->m;

    for (int64_t i = m.rank - 2, r = r0; i >= 0; r /= m.dim[i--]) {
        m.idx[i] = r % m.dim[i];
        for (int j = 0; j < 2; j++)
            m.off[j] += m.idx[i] * m.stride[i][j];
    }
    for (int64_t r = r0; r < r1; r++, sn_bcast_run(&m))
        run(k, c, m.off[0], c->in[1].data, m.off[1], m.run, r * m.run);
}

/* The same where b is a short row: many of it at a time. */
static void
run_repeated(const Pair *k, const SnCall *c, int64_t r0, int64_t r1)
{
    int64_t row = k->m.run;
    size_t size = (size_t)row * sn_elem_size(c->in[1].type->elem);

    for (int64_t i = 0; i < k->rep; i++)
        memcpy((char *)c->work + (size_t)i * size, c->in[1].data, size);
    for (int64_t r = r0; r < r1; r += k->rep) {
        int64_t n = r1 - r < k->rep ? r1 - r : k->rep;
        run(k, c, r * row, c->work, 0, n * row, r * row);
    }
}

SnStatus
sn_cpu_each_pair(const SnCall *c)
{
    const Pair *k = c->prep;

    if (k->nrow == 1) {
        int64_t from = sn_cpu_first(c);
        run(k, c, from * k->m.step[0], c->in[1].data, from * k->m.step[1],
            sn_cpu_count(c, k->m.count), from);
        return SN_OK;
    }
    int64_t r0 = c->u0 * k->per, r1 = c->u1 * k->per;
    r1 = r1 < k->nrow ? r1 : k->nrow;
    if (k->rep > 1)
        run_repeated(k, c, r0, r1);
    else
        run_rows(k, c, r0, r1);
    return SN_OK;
}

/* ---- one operand ---- */

bool
sn_cpu_each_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    int64_t n = sn_shape_count(c->out[0].shape);
    SnIsa *isa = SN_NEW(c->scratch, SnIsa);

    *isa = sn_isa();
    p->prep = isa;
    sn_cpu_units(p, n, UNIT / 4);
    p->inplace = 1;
    return true;
}

/* The elements of the call's units. */
static int64_t
part(const SnCall *c, int64_t *from)
{
    *from = sn_cpu_first(c);
    return sn_cpu_count(c, sn_shape_count(c->out[0].shape));
}

SnStatus
sn_cpu_each_real(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_real(*isa, (const int32_t *)c->in[0].data + from, n,
                     (float *)c->out[0].data + from);
    return SN_OK;
}

SnStatus
sn_cpu_each_round(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_round(*isa, (const float *)c->in[0].data + from, n,
                      (float *)c->out[0].data + from);
    return SN_OK;
}

typedef struct Lines {
    SnIsa isa;
    SnEachLines p;
} Lines;

static bool
prepare_lines(SnPrep *p, SnEachLine op)
{
    const SnCall *c = p->call;
    const SnAttrDesc *alpha = sn_attr_named(c->kind, "alpha");
    const SnAttrDesc *beta = sn_attr_named(c->kind, "beta");
    Lines *k = SN_NEW(c->scratch, Lines);

    if (!sn_cpu_each_prepare(p))
        return false;
    *k = (Lines){.isa = sn_isa(), .p = {.op = op}};
    if (alpha)
        k->p.alpha = *(const float *)sn_attr_at(c->attr, alpha);
    if (beta)
        k->p.beta = *(const float *)sn_attr_at(c->attr, beta);
    p->prep = k;
    return true;
}

bool
sn_cpu_leaky_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_LEAKY);
}

bool
sn_cpu_hard_sigmoid_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_HARD_SIGMOID);
}

bool
sn_cpu_hard_swish_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_HARD_SWISH);
}

SnStatus
sn_cpu_each_lines(const SnCall *c)
{
    const Lines *k = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_lines(k->isa, &k->p, (const float *)c->in[0].data + from, n,
                      (float *)c->out[0].data + from);
    return SN_OK;
}

SnStatus
sn_cpu_each_erf(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_erff_run(*isa, (const float *)c->in[0].data + from, n,
                    (float *)c->out[0].data + from);
    return SN_OK;
}

SnStatus
sn_cpu_each_gelu(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_geluf_run(*isa, (const float *)c->in[0].data + from, n,
                     (float *)c->out[0].data + from);
    return SN_OK;
}

/* ---- rows to mean 0 and variance 1, along the last axis ---- */

typedef struct Standard {
    SnIsa isa;
    float eps;
    int64_t nrow, row;
} Standard;

bool
sn_cpu_normalize_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *s = c->in[0].shape;
    int axis = sn_axis(s, sn_map_int(c, &c->kind->sem[0], 1, -1));
    Standard *k = SN_NEW(c->scratch, Standard);

    if (axis < 0 || axis != s->rank - 1 || sn_shape_count(s) == 0)
        return false;
    *k = (Standard){.isa = sn_isa(),
                    .eps = *(const float *)sn_attr_at(
                        c->attr, sn_attr_named(c->kind, "eps")),
                    .row = s->dim[axis]};
    k->nrow = sn_shape_count(s) / k->row;
    p->prep = k;
    p->nunit = (k->nrow + SN_STANDARD_ROWS - 1) / SN_STANDARD_ROWS;
    p->cost = sn_shape_count(s);
    return true;
}

SnStatus
sn_cpu_normalize(const SnCall *c)
{
    const Standard *k = c->prep;
    int64_t r0 = c->u0 * SN_STANDARD_ROWS, r1 = c->u1 * SN_STANDARD_ROWS;

    r1 = r1 < k->nrow ? r1 : k->nrow;
    sn_standardf_run(k->isa, k->eps, (const float *)c->in[0].data + r0 * k->row,
                     r1 - r0, k->row, (float *)c->out[0].data + r0 * k->row);
    return SN_OK;
}

/* ---- the extreme of all elements ---- */

typedef struct Extreme {
    SnIsa isa;
    bool largest;
} Extreme;

static bool
prepare_extreme(SnPrep *p, bool largest)
{
    const SnCall *c = p->call;
    Extreme *k = SN_NEW(c->scratch, Extreme);

    *k = (Extreme){sn_isa(), largest};
    p->prep = k;
    return sn_shape_count(c->out[0].shape) == 1 &&
           sn_shape_count(c->in[0].shape) > 0;
}

bool
sn_cpu_largest_prepare(SnPrep *p)
{
    return prepare_extreme(p, true);
}

bool
sn_cpu_least_prepare(SnPrep *p)
{
    return prepare_extreme(p, false);
}

SnStatus
sn_cpu_extreme(const SnCall *c)
{
    const Extreme *k = c->prep;
    float *y = c->out[0].data;

    *y = sn_each_extreme(k->isa, k->largest, c->in[0].data,
                         sn_shape_count(c->in[0].shape));
    return SN_OK;
}
