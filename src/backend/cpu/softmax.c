// SPDX-License-Identifier: Apache-2.0
/* Softmax along any axis. */
#include "backend/cpu/columns.h"
#include "cpu_kernels.h"
#include "kernel/eval/map.h"
#include "kernel/point/point_f32.h"
#include "kernel/row/softmax_q8.h"
#include "kernel/eval/rows.h"

typedef struct Softmax {
    SnIsa isa;
    int64_t nrow, row, inner; /* elements from one to the next of a row */
    SnCpuColumns columns;
    SnSoftmax s; /* codes */
} Softmax;

static Softmax *
open_rows(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *s = c->in[0].shape;
    int axis = sn_axis(s, sn_map_int(c, &c->kind->sem[0], 1, -1));

    if (axis < 0)
        return NULL;
    Softmax *k = SN_NEW(c->scratch, Softmax);
    *k = (Softmax){.isa = sn_isa(), .columns = sn_cpu_columns_open(s, axis)};
    k->row = k->columns.n;
    k->inner = k->columns.inner;
    k->nrow = k->row ? sn_shape_count(s) / k->row : 0;
    p->prep = k;
    p->any = true; /* its row is one for all */
    p->nunit = k->nrow;
    if (k->inner == 1)
        p->reads = p->writes = k->row;
    p->cost = sn_shape_count(s) * 3;
    return k;
}

bool
sn_cpu_softmax_f32_prepare(SnPrep *p)
{
    const SnType *t = p->call->in[0].type;
    Softmax *k = t->elem == SN_F32 ? open_rows(p) : NULL;

    if (k && k->inner > 1) {
        p->nunit = sn_cpu_columns_units(&k->columns);
        p->nwork = sn_cpu_columns_work(&k->columns);
    }
    return k != NULL;
}

static void
rows(const void *softmax, float *row, int64_t nrow, int64_t n)
{
    const Softmax *k = softmax;

    sn_softmaxf_run(k->isa, row, nrow, n, row);
}

SnStatus
sn_cpu_softmax_f32(const SnCall *c)
{
    const Softmax *k = c->prep;
    const float *x = c->in[0].data;
    float *y = c->out[0].data;

    if (k->inner > 1) {
        sn_cpu_columns(&k->columns, c, rows, k);
        return SN_OK;
    }
    int64_t u1 = c->u1 < k->nrow ? c->u1 : k->nrow, at = c->u0 * k->row;
    sn_softmaxf_run(k->isa, x + at, u1 - c->u0, k->row, y + at);
    return SN_OK;
}

bool
sn_cpu_softmax_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnType *x = c->in[0].type, *y = c->out[0].type;
    Softmax *k = x->elem == SN_QI8 && x->nq == 1 && y->elem == SN_QI8
                     ? open_rows(p)
                     : NULL;

    if (!k)
        return false;
    sn_softmax_open(&k->s, x, y, sn_lim(y, sn_range_open()));
    p->inplace = 1;
    return true;
}

/* Shorter rows have fewer codes than tables have entries. */
enum { LONG_ROW = 24 };

/* A row's elements lie `step` apart.  Each code's result is divided once. */
static void
codes(const SnSoftmax *s, const int8_t *x, int64_t n, int64_t step, int8_t *y)
{
    enum { NONE = 999 };
    int16_t result[256];
    uint64_t sum = 0;
    int top = -128;

    for (int64_t i = 0; i < n; i++)
        top = x[i * step] > top ? x[i * step] : top;
    for (int64_t i = 0; i < n; i++)
        sum += s->t[top - x[i * step]];
    for (int i = 0; i < 256; i++)
        result[i] = NONE;
    for (int64_t i = 0; i < n; i++) {
        int below = top - x[i * step];
        if (result[below] == NONE)
            result[below] = sn_softmax_code(s, below, sum);
        y[i * step] = (int8_t)result[below];
    }
}

SnStatus
sn_cpu_softmax_q8(const SnCall *c)
{
    const Softmax *k = c->prep;
    const int8_t *x = c->in[0].data;
    int8_t *y = c->out[0].data;

    for (int64_t i = c->u0; i < c->u1 && i < k->nrow; i++) {
        int64_t at = i / k->inner * k->row * k->inner + i % k->inner;
        if (k->inner == 1 && k->row >= LONG_ROW)
            sn_softmax8_run(k->isa, &k->s, x + at, k->row, y + at);
        else
            codes(&k->s, x + at, k->row, k->inner, y + at);
    }
    return SN_OK;
}
