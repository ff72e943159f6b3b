// SPDX-License-Identifier: Apache-2.0
/* Arguments of maps, opening them, broadcasting. */
#include "kernel/eval/map.h"

#include <stdio.h>
#include <string.h>

#include "kernel/eval/map_sets.h"

const SnTensor *
sn_opnd(const SnCall *c, uint32_t slot)
{
    static const SnTensor none;

    return slot < c->nin ? &c->in[slot] : &none;
}

SnStatus
sn_call_fail(const SnCall *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->why, SN_WHY, fmt, ap);
    va_end(ap);
    return SN_EINPUT;
}

const SnTensor *
sn_map_port(const SnCall *c, const SnSem *s, unsigned arg)
{
    uint32_t first, count;

    if (arg >= s->narg || s->arg[arg].kind != SN_ARG_PORT)
        return sn_opnd(c, c->nin);
    sn_port_slots(c->kind, c->nin, (uint32_t)s->arg[arg].v, &first, &count);
    return sn_opnd(c, count ? first : c->nin);
}

static const SnAttrDesc *
attr_of(const SnCall *c, const SnSem *s, unsigned arg)
{
    if (arg >= s->narg || s->arg[arg].kind != SN_ARG_ATTR)
        return NULL;
    return &c->kind->attr[s->arg[arg].v];
}

int64_t
sn_map_int(const SnCall *c, const SnSem *s, unsigned arg, int64_t els)
{
    const SnAttrDesc *a = attr_of(c, s, arg);

    if (arg >= s->narg)
        return els;
    if (a == NULL)
        return s->arg[arg].kind == SN_ARG_INT ? s->arg[arg].v : els;
    const void *p = sn_attr_at(c->attr, a);
    switch (a->kind) {
    case SN_A_INT:
        return *(const int64_t *)p;
    case SN_A_BOOL:
        return *(const bool *)p;
    case SN_A_ENUM:
        return *(const int32_t *)p;
    case SN_A_REAL:
        return (int64_t) * (const float *)p;
    default:
        return els;
    }
}

SnInts
sn_map_ints(const SnCall *c, const SnSem *s, unsigned arg)
{
    const SnAttrDesc *a = attr_of(c, s, arg);
    SnInts one = {0, NULL};

    if (a && a->kind == SN_A_INTS)
        return *(const SnInts *)sn_attr_at(c->attr, a);
    if (a && a->kind == SN_A_INT) {
        one.n = 1;
        one.v = sn_attr_at(c->attr, a);
    }
    return one;
}

bool
sn_mean_in_parts(const SnCall *c)
{
    const SnAttrDesc *round = sn_attr_named(c->kind, "round");

    /* `round` says where a zero point is added: it does not apply to reals */
    return !round || c->out[0].type->nq == 0 ||
           *(const int32_t *)sn_attr_at(c->attr, round) == 0;
}

int
sn_axis(const SnShape *s, int64_t axis)
{
    if (axis < 0)
        axis += s->rank;
    return axis >= 0 && axis < s->rank ? (int)axis : -1;
}

SnStatus
sn_map_open(SnMap *m, const SnCall *c, unsigned res)
{
    memset(m, 0, sizeof *m);
    m->ngroup = m->nlane = m->nout = 1;
    m->step_a = m->step_b = m->part = 1;
    if (sn_shape_count(c->out[res].shape) == 0) {
        m->ngroup = 0; /* nothing is read, so nothing can be missing */
        return SN_OK;
    }
    SN_TRY(sn_open_sets(m, c, &c->kind->sem[res], res));
    m->a = SN_NEW_N(c->scratch, int64_t, m->maxtap);
    m->b = SN_NEW_N(c->scratch, int64_t, m->maxtap);
    return SN_OK;
}

/* Elements of the operands that the map looks at. */
static int64_t
data_count(const SnMapping *u)
{
    int64_t n = 0;

    for (unsigned i = 0; i < u->decl->nparam; i++) {
        int64_t k = 1;
        const SnMapArg *a = &u->arg[i];
        if (!u->decl->param[i].data || a->n == 0)
            continue;
        for (int j = 0; j < a->box[0].rank; j++)
            k *= a->box[0].dim[j];
        n = k > n ? k : n;
    }
    return n;
}

double
sn_map_taps(const SnCall *c, unsigned res)
{
    const SnShape *y = c->out[res].shape;
    SnMapped *m;

    if (sn_shape_count(y) == 0 || sn_mapped_open(c, res, &m) != SN_OK)
        return 0;
    /* a choice among a set sorts it once for all that are chosen */
    if (sn_map_stmt(m->u.decl, SN_MS_PRIMITIVE))
        return (double)sn_shape_count(
                   sn_map_port(c, &c->kind->sem[res], 0)->shape) /
               (double)sn_shape_count(y);
    /* sets of elements: together they read as many as there are */
    if (m->u.ntap < 0)
        return (double)data_count(&m->u) / (double)y->dim[0];
    return (double)m->u.ntap;
}

/* ---- broadcasting ---- */

/* Strides of operand shape s seen through result shape y, last axes aligned. */
static void
op_strides(const SnShape *s, const SnShape *y, int64_t *stride)
{
    int64_t step = 1;

    for (int i = y->rank - 1, j = s->rank - 1; i >= 0; i--, j--) {
        stride[i] = j >= 0 && s->dim[j] != 1 ? step : 0;
        if (j >= 0)
            step *= s->dim[j];
    }
}

/* The axis of a per-axis type among operands and result, or -1. */
static int
slice_axis(const SnCall *c)
{
    if (c->out[0].type && c->out[0].type->axis >= 0)
        return c->out[0].type->axis;
    for (uint32_t i = 0; i < c->nin; i++)
        if (c->in[i].type && c->in[i].type->axis >= 0)
            return c->in[i].type->axis;
    return -1;
}

/* Per-axis types occur where all operands have the result's shape: a run lies
 * inside one slice. */
static void
open_slices(SnBcast *b, const SnCall *c, int axis)
{
    const SnShape *y = c->out[0].shape;
    int64_t inner = 1;

    for (int i = axis + 1; i < y->rank; i++)
        inner *= y->dim[i];
    b->nslice = y->dim[axis];
    b->rank = 2;
    b->dim[0] = inner ? b->count / inner : 0;
    b->dim[1] = b->run = inner;
    for (int k = 0; k < b->nop; k++) {
        b->stride[0][k] = inner;
        b->stride[1][k] = b->step[k] = 1;
    }
}

void
sn_bcast_open(SnBcast *b, const SnCall *c)
{
    const SnShape *y = c->out[0].shape;
    int64_t raw[8][SN_MAXRANK] = {{0}};
    int axis = slice_axis(c), r = 0;

    memset(b, 0, sizeof *b);
    b->count = sn_shape_count(y);
    b->nop = c->nin < 8 ? (int)c->nin : 8;
    b->nslice = 1;
    if (axis >= 0 && axis < y->rank) {
        open_slices(b, c, axis);
        return;
    }
    for (int k = 0; k < b->nop; k++)
        if (c->in[k].shape && c->in[k].data)
            op_strides(c->in[k].shape, y, raw[k]);
    for (int i = 0; i < y->rank; i++) {
        if (y->dim[i] == 1)
            continue;
        /* merges an axis with the one before where every operand is
         * contiguous */
        bool join = r > 0;
        for (int k = 0; join && k < b->nop; k++)
            join = b->stride[r - 1][k] == raw[k][i] * y->dim[i];
        if (!join)
            b->dim[r++] = 1;
        b->dim[r - 1] *= y->dim[i];
        for (int k = 0; k < b->nop; k++)
            b->stride[r - 1][k] = raw[k][i];
    }
    if (r == 0)
        b->dim[r++] = 1;
    b->rank = r;
    b->run = b->dim[r - 1];
    for (int k = 0; k < b->nop; k++)
        b->step[k] = b->stride[r - 1][k];
}

void
sn_bcast_run(SnBcast *b)
{
    if (++b->slice == b->nslice)
        b->slice = 0;
    for (int i = b->rank - 2; i >= 0; i--) {
        for (int k = 0; k < b->nop; k++)
            b->off[k] += b->stride[i][k];
        if (++b->idx[i] < b->dim[i])
            return;
        for (int k = 0; k < b->nop; k++)
            b->off[k] -= b->stride[i][k] * b->dim[i];
        b->idx[i] = 0;
    }
}
