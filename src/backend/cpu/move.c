// SPDX-License-Identifier: Apache-2.0
/* Moves by tables that are worked out once, Gather by indices that are
 * computed, and Concat: rows of each operand behind one another. */
#include <string.h>

#include "backend/cpu/units.h"
#include "base/num.h"
#include "cpu_kernels.h"
#include "kernel/eval/copy.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

/* Units are rows of the table. */
typedef struct Move {
    SnCopyTable t;
    size_t size;
    char fill[8]; /* of one element */
} Move;

static bool
prepare(SnPrep *p, const void *fill)
{
    const SnCall *c = p->call;
    SnElem e = c->out[0].type->elem;
    Move *k = SN_NEW(c->scratch, Move);

    if (e == SN_ROW8 || sn_shape_count(c->out[0].shape) == 0 ||
        !sn_move_table(c, &k->t))
        return false;
    k->size = sn_elem_size(e);
    memcpy(k->fill, fill, k->size);
    p->prep = k;
    p->nunit = sn_copy_rows(&k->t);
    if (sn_copy_run(&k->t) > 0)
        p->part = k->t.base * (int64_t)k->size;
    p->cost = sn_shape_count(c->out[0].shape) * (int64_t)k->size / 4;
    return true;
}

bool
sn_cpu_move_prepare(SnPrep *p)
{
    return prepare(p, (char[8]){0});
}

bool
sn_cpu_pad_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnType *t = c->out[0].type;
    float value =
        *(const float *)sn_attr_at(c->attr, sn_attr_named(c->kind, "value"));
    char fill[8] = {0};

    if (t->elem == SN_QI8 && t->nq == 1) {
        SnLim lim = sn_lim(t, sn_range_open());
        int8_t code =
            (int8_t)sn_quant(value, t->scale[0], t->zp[0], lim.lo, lim.hi);
        memcpy(fill, &code, sizeof code);
    } else if (t->elem == SN_F32) {
        memcpy(fill, &value, sizeof value);
    } else {
        return false;
    }
    return prepare(p, fill);
}

SnStatus
sn_cpu_move(const SnCall *c)
{
    const Move *k = c->prep;

    sn_copy_some(&k->t, c->in[0].data, c->out[0].data, k->size, k->fill, c->u0,
                 c->u1);
    return SN_OK;
}

/* ---- elements as they are, in another shape ---- */

bool
sn_cpu_reshape_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    int64_t n = sn_shape_count(c->out[0].shape);

    if (c->out[0].type->elem == SN_ROW8 || c->out[0].type->nq > 1 || n == 0)
        return false;
    p->inplace = 1;
    p->part = 0;
    sn_cpu_units(
        p, n, SN_CPU_UNIT / 32 * (int64_t)sn_elem_size(c->out[0].type->elem));
    return true;
}

SnStatus
sn_cpu_reshape(const SnCall *c)
{
    size_t size = sn_elem_size(c->out[0].type->elem);
    size_t from = (size_t)sn_cpu_first(c) * size;
    int64_t n = sn_cpu_count(c, sn_shape_count(c->out[0].shape));

    if (c->in[0].data != c->out[0].data)
        memcpy((char *)c->out[0].data + from,
               (const char *)c->in[0].data + from, (size_t)n * size);
    return SN_OK;
}

/* ---- slices that computed indices name ---- */

/* x [outer, len, inner] to y [outer, count, inner]; inner in bytes.  It may
 * fail, and so is not cut. */
typedef struct Gather {
    const Move *move; /* constant indices; else NULL */
    int axis;
    int64_t n, len, count; /* slices of y */
    size_t inner;
} Gather;

bool
sn_cpu_gather_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *x = c->in[0].shape;
    Gather *k = SN_NEW(c->scratch, Gather);
    int64_t n = sn_shape_count(c->out[0].shape), inner = 1;

    if (c->in[1].data) {
        if (!sn_cpu_move_prepare(p))
            return false;
        k->move = p->prep;
        p->prep = k;
        return true;
    }
    k->axis = sn_axis(x, sn_map_int(c, &c->kind->sem[0], 2, 0));
    if (k->axis < 0 || c->out[0].type->elem == SN_ROW8 || n == 0)
        return false;
    for (int i = k->axis + 1; i < x->rank; i++)
        inner *= x->dim[i];
    k->len = x->dim[k->axis];
    k->count = sn_shape_count(c->in[1].shape);
    k->inner = (size_t)inner * sn_elem_size(c->in[0].type->elem);
    k->n = n / inner;
    p->prep = k;
    return true;
}

SnStatus
sn_cpu_gather(const SnCall *c)
{
    const Gather *k = c->prep;
    const int64_t *index = c->in[1].data;
    const char *x = c->in[0].data;
    char *y = c->out[0].data;

    if (k->move) {
        SnCall call = *c;
        call.prep = k->move;
        return sn_cpu_move(&call);
    }
    for (int64_t u = 0; u < k->n; u++, y += k->inner) {
        int64_t at = index[u % k->count];
        if (at < -k->len || at >= k->len)
            return sn_call_fail(c,
                                "index %lld is outside axis %d of length %lld",
                                (long long)at, k->axis, (long long)k->len);
        at += u / k->count * k->len + (at < 0 ? k->len : 0);
        memcpy(y, x + (size_t)at * k->inner, k->inner);
    }
    return SN_OK;
}

/* ---- Concat ---- */

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
    p->cost = outer * (c->nin + (int64_t)k->nbyte / 16);
    return true;
}

/* Bytes of the result that are written by one operand after the other, so that
 * they are in a cache. */
enum { NEAR = 1 << 14 };

SnStatus
sn_cpu_concat(const SnCall *c)
{
    const Rows *k = c->prep;
    int64_t most = NEAR / (int64_t)k->nbyte + 1;

    for (int64_t u = c->u0, n; u < c->u1; u += n) {
        char *y = (char *)c->out[0].data + (size_t)u * k->nbyte;
        n = c->u1 - u < most ? c->u1 - u : most;
        for (uint32_t i = 0; i < k->n; i++) {
            sn_copy_lines((const char *)c->in[i].data + (size_t)u * k->row[i],
                          k->row[i], y, k->nbyte, k->row[i], n);
            y += k->row[i];
        }
    }
    return SN_OK;
}
