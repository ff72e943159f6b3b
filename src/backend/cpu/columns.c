// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/columns.h"

enum { SIDE = 16 }; /* columns to a unit: a line of the cache */

SnCpuColumns
sn_cpu_columns_open(const SnShape *x, int axis)
{
    SnCpuColumns o = {1, x->dim[axis], 1};

    for (int i = 0; i < axis; i++)
        o.outer *= x->dim[i];
    for (int i = axis + 1; i < x->rank; i++)
        o.inner *= x->dim[i];
    return o;
}

static int64_t
blocks(const SnCpuColumns *o)
{
    return (o->inner + SIDE - 1) / SIDE;
}

int64_t
sn_cpu_columns_units(const SnCpuColumns *o)
{
    return o->outer * blocks(o);
}

size_t
sn_cpu_columns_work(const SnCpuColumns *o)
{
    return (size_t)(SIDE * o->n) * sizeof(float);
}

void
sn_cpu_columns(const SnCpuColumns *o, const SnCall *c, SnCpuRowsFn *fn,
               const void *k)
{
    float *row = c->work;

    for (int64_t u = c->u0; u < c->u1; u++) {
        int64_t j = u % blocks(o) * SIDE;
        int64_t at = u / blocks(o) * o->n * o->inner + j;
        int64_t m = o->inner - j < SIDE ? o->inner - j : SIDE;
        const float *x = (const float *)c->in[0].data + at;
        float *y = (float *)c->out[0].data + at;
        for (int64_t i = 0; i < o->n; i++)
            for (int64_t r = 0; r < m; r++)
                row[r * o->n + i] = x[i * o->inner + r];
        fn(k, row, m, o->n);
        for (int64_t i = 0; i < o->n; i++)
            for (int64_t r = 0; r < m; r++)
                y[i * o->inner + r] = row[r * o->n + i];
    }
}
