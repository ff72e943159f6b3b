// SPDX-License-Identifier: Apache-2.0
/* Concat: rows of each operand behind one another. */
#include <string.h>

#include "cpu_kernels.h"
#include "kernel/eval/map.h"

/* Units are places before the axis: one row of each operand. */
typedef struct Rows {
    uint32_t n;
    size_t nbyte;  /* of the result's row */
    size_t row[1]; /* [n] of each operand's */
} Rows;

bool
sn_cpu_concat_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *y = c->out[0].shape;
    int64_t axis = sn_map_int(c, &c->kind->sem[0], 1, 0);
    size_t size = sn_elem_size(c->out[0].type->elem);
    int64_t outer = 1;

    if (c->out[0].type->elem == SN_ROW8 || sn_shape_count(y) == 0)
        return false;
    axis += axis < 0 ? y->rank : 0;
    Rows *k = sn_alloc(c->scratch, sizeof *k + c->nin * sizeof k->row[0]);
    *k = (Rows){.n = c->nin};
    for (int i = 0; i < axis; i++)
        outer *= y->dim[i];
    for (uint32_t i = 0; i < c->nin; i++) {
        k->row[i] = (size_t)(sn_shape_count(c->in[i].shape) / outer) * size;
        k->nbyte += k->row[i];
    }
    p->prep = k;
    p->nunit = outer;
    p->cost = outer * (int64_t)k->nbyte / 4;
    return true;
}

SnStatus
sn_cpu_concat(const SnCall *c)
{
    const Rows *k = c->prep;
    char *y = (char *)c->out[0].data + (size_t)c->u0 * k->nbyte;

    for (int64_t u = c->u0; u < c->u1; u++)
        for (uint32_t i = 0; i < k->n; i++) {
            if (k->row[i])
                memcpy(y, (const char *)c->in[i].data + (size_t)u * k->row[i],
                       k->row[i]);
            y += k->row[i];
        }
    return SN_OK;
}
