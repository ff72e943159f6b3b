// SPDX-License-Identifier: Apache-2.0
/* Moves: results whose elements are copies of operand elements.
 *
 * Nearly every move is a product of one table per axis: the source offset of
 * a result element is the sum of one entry for each of its coordinates, or
 * fill where an entry is negative.  Each map only builds its tables; one
 * routine copies. */
#include "kernel/eval/map.h"

#include <math.h>
#include <string.h>

#include "kernel/eval/topk.h"

typedef struct Table {
    int n;           /* axes */
    int64_t dim[16]; /* of the result, seen so that each axis is alone */
    int64_t *off[16];
    int64_t base;
} Table;

static int64_t *
add_axis(const SnCall *c, Table *t, int64_t n)
{
    int k = t->n++;

    t->dim[k] = n;
    return t->off[k] = SN_NEW_N(c->scratch, int64_t, n);
}

static void
add_plain(const SnCall *c, Table *t, int64_t n, int64_t step)
{
    int64_t *off = add_axis(c, t, n);

    for (int64_t i = 0; i < n; i++)
        off[i] = i * step;
}

static void
steps_of(const SnShape *s, int64_t *step)
{
    int64_t k = 1;

    for (int i = s->rank - 1; i >= 0; i--) {
        step[i] = k;
        k *= s->dim[i];
    }
}

/* ---- copying ---- */

static void
put_one(char *y, const char *x, size_t size)
{
    switch (size) {
    case 1:
        *y = *x;
        break;
    case 2:
        memcpy(y, x, 2);
        break;
    case 4:
        memcpy(y, x, 4);
        break;
    case 8:
        memcpy(y, x, 8);
        break;
    default:
        memcpy(y, x, size);
        break;
    }
}

/* Elements that are copied as one run: those of the trailing axes, from axis
 * *rest on, where source and result go on alike. */
static int64_t
inner_run(const Table *t, int *rest)
{
    int64_t run = 1;
    int k = t->n - 1;

    for (; k >= 0; k--) {
        for (int64_t i = 0; i < t->dim[k]; i++)
            if (t->off[k][i] != i * run) {
                *rest = k + 1;
                return run;
            }
        run *= t->dim[k];
    }
    *rest = 0;
    return run;
}

/* n runs of `run` bytes, from the places that off names, or fill where there
 * is none. */
typedef struct Row {
    const int64_t *off; /* bytes, or negative */
    int64_t n;
    size_t size, run;
    const char *fill;
} Row;

static char *
fill_run(const Row *r, size_t nbyte, char *y)
{
    if (r->size == 1) {
        memset(y, *r->fill, nbyte);
        return y + nbyte;
    }
    for (char *end = y + nbyte; y < end; y += r->size)
        put_one(y, r->fill, r->size);
    return y;
}

/* Runs of one size that the compiler knows. */
#define COPY(N)                                  \
    for (int64_t i = 0; i < r->n; i++, y += (N)) \
        memcpy(y, x + r->off[i], N);             \
    return y

/* All of them are there. */
static char *
copy_whole(const Row *r, const char *x, char *y)
{
    switch (r->run) {
    case 1:
        COPY(1);
    case 2:
        COPY(2);
    case 4:
        COPY(4);
    case 8:
        COPY(8);
    case 16:
        COPY(16);
    case 32:
        COPY(32);
    default:
        COPY(r->run);
    }
}
#undef COPY

static char *
copy_holes(const Row *r, const char *x, char *y)
{
    for (int64_t i = 0; i < r->n; i++) {
        if (r->off[i] < 0) {
            y = fill_run(r, r->run, y);
            continue;
        }
        memcpy(y, x + r->off[i], r->run);
        y += r->run;
    }
    return y;
}

static bool
has_holes(const Row *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (r->off[i] < 0)
            return true;
    return false;
}

/* Along the last axis that is no run, for each place of the ones before. */
static void
copy_table(const Table *t, const char *x, char *y, size_t size,
           const char *fill)
{
    int64_t idx[16] = {0}, count = 1;
    int rest;
    size_t run = (size_t)inner_run(t, &rest) * size;

    x += t->base * (int64_t)size;
    if (rest == 0) {
        memcpy(y, x, run);
        return;
    }
    rest--;
    Row r = {t->off[rest], t->dim[rest], size, run, fill};
    for (int64_t i = 0; i < r.n; i++)
        t->off[rest][i] *= (int64_t)size;
    bool holes = has_holes(&r);
    for (int i = 0; i < rest; i++)
        count *= t->dim[i];
    for (int64_t o = 0; o < count; o++) {
        int64_t off = 0;
        bool pad = false;
        for (int i = 0; i < rest; i++) {
            int64_t v = t->off[i][idx[i]];
            pad = pad || v < 0;
            off += v;
        }
        const char *from = x + off * (int64_t)size;
        if (pad)
            y = fill_run(&r, (size_t)r.n * run, y);
        else
            y = holes ? copy_holes(&r, from, y) : copy_whole(&r, from, y);
        for (int i = rest - 1; i >= 0; i--) {
            if (++idx[i] < t->dim[i])
                break;
            idx[i] = 0;
        }
    }
}

/* ---- the tables of each map ---- */

static SnStatus
permute(const SnCall *c, const SnSem *s, const SnShape *x, Table *t)
{
    SnInts perm = sn_map_ints(c, s, 1);
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    if ((int)perm.n != x->rank)
        return sn_call_fail(c, "%u axes permuted, %d there", perm.n, x->rank);
    for (uint32_t i = 0; i < perm.n; i++) {
        int k = sn_axis(x, perm.v[i]);
        if (k < 0)
            return sn_call_fail(c, "no axis %lld", (long long)perm.v[i]);
        add_plain(c, t, x->dim[k], step[k]);
    }
    return SN_OK;
}

static SnStatus
slice(const SnCall *c, const SnSem *s, const SnShape *x, const SnShape *y,
      Table *t)
{
    SnInts start = sn_map_ints(c, s, 1), by = sn_map_ints(c, s, 3);
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    for (int i = 0; i < x->rank; i++) {
        int64_t *off = add_axis(c, t, y->dim[i]);
        int64_t k = i < (int)start.n ? start.v[i] : 0;
        int64_t d = i < (int)by.n ? by.v[i] : 1;
        for (int64_t j = 0; j < y->dim[i]; j++) {
            int64_t at = k + j * d;
            if (at < 0 || at >= x->dim[i])
                return sn_call_fail(c, "slice leaves axis %d", i);
            off[j] = at * step[i];
        }
    }
    return SN_OK;
}

static void
tile(const SnCall *c, const SnShape *x, const SnShape *y, Table *t)
{
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    for (int i = 0; i < x->rank; i++) {
        int64_t *off = add_axis(c, t, y->dim[i]);
        for (int64_t j = 0; j < y->dim[i]; j++)
            off[j] = j % x->dim[i] * step[i];
    }
}

/* x seen through the result's shape, last axes aligned. */
static void
stretch(const SnCall *c, const SnShape *x, const SnShape *y, Table *t)
{
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    for (int i = 0, k = x->rank - y->rank; i < y->rank; i++, k++)
        add_plain(c, t, y->dim[i], k >= 0 && x->dim[k] != 1 ? step[k] : 0);
}

static SnStatus
flip(const SnCall *c, const SnSem *s, const SnShape *x, Table *t)
{
    SnInts axes = sn_map_ints(c, s, 1);
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    for (int i = 0; i < x->rank; i++)
        add_plain(c, t, x->dim[i], step[i]);
    for (uint32_t k = 0; k < axes.n; k++) {
        int i = sn_axis(x, axes.v[k]);
        if (i < 0)
            return sn_call_fail(c, "no axis %lld", (long long)axes.v[k]);
        for (int64_t j = 0; j < x->dim[i]; j++)
            t->off[i][j] = (x->dim[i] - 1 - j) * step[i];
    }
    return SN_OK;
}

/* Space to depth: y[n, h, w, (bh * b + bw) * C + c] = x[n, h * b + bh,
 * w * b + bw, c]; inverse: depth to space, the same read backwards. */
static SnStatus
block(const SnCall *c, const SnSem *s, const SnShape *x, Table *t)
{
    int64_t b = sn_map_int(c, s, 1, 1), w = x->rank == 4 ? x->dim[2] : 0;

    if (x->rank != 4 || b < 1)
        return sn_call_fail(c, "blocks need a tensor of rank 4 (NHWC)");
    int64_t ch = x->dim[3];
    add_plain(c, t, x->dim[0], x->dim[1] * w * ch);
    if (sn_map_int(c, s, 2, 0)) {
        add_plain(c, t, x->dim[1], w * ch);
        add_plain(c, t, b, ch / b);
        add_plain(c, t, w, ch);
        add_plain(c, t, b, ch / b / b);
        add_plain(c, t, ch / b / b, 1);
    } else {
        add_plain(c, t, x->dim[1] / b, b * w * ch);
        add_plain(c, t, w / b, b * ch);
        add_plain(c, t, b, w * ch);
        add_plain(c, t, b, ch);
        add_plain(c, t, ch, 1);
    }
    return SN_OK;
}

static SnStatus
pad(const SnCall *c, const SnSem *s, const SnShape *x, const SnShape *y,
    Table *t)
{
    SnInts pads = sn_map_ints(c, s, 1);
    const char *mode = sn_map_word(c, s, 2, "constant");
    int64_t step[SN_MAXRANK];
    bool edge = !strcmp(mode, "edge"), mirror = !strcmp(mode, "reflect");

    steps_of(x, step);
    if ((int)pads.n != 2 * x->rank)
        return sn_call_fail(c, "%u pads for rank %d", pads.n, x->rank);
    for (int i = 0; i < x->rank; i++) {
        int64_t *off = add_axis(c, t, y->dim[i]), n = x->dim[i];
        for (int64_t j = 0; j < y->dim[i]; j++) {
            int64_t k = j - pads.v[i];
            if (edge && n > 0)
                k = k < 0 ? 0 : k >= n ? n - 1 : k;
            while (mirror && n > 1 && (k < 0 || k >= n))
                k = k < 0 ? -k : 2 * (n - 1) - k;
            if (mirror && n == 1)
                k = 0;
            off[j] = k < 0 || k >= n ? -1 : k * step[i];
        }
    }
    return SN_OK;
}

static SnStatus
gather(const SnCall *c, const SnSem *s, const SnShape *x, Table *t)
{
    const SnTensor *ix = sn_map_port(c, s, 1);
    int axis = sn_axis(x, sn_map_int(c, s, 2, 0));
    int64_t step[SN_MAXRANK];

    if (axis < 0)
        return sn_call_fail(c, "no such axis in rank %d", x->rank);
    steps_of(x, step);
    for (int i = 0; i < x->rank; i++) {
        if (i != axis) {
            add_plain(c, t, x->dim[i], step[i]);
            continue;
        }
        int64_t n = sn_shape_count(ix->shape), *off = add_axis(c, t, n);
        for (int64_t j = 0; j < n; j++) {
            int64_t k = ix->type->elem == SN_I64
                            ? ((const int64_t *)ix->data)[j]
                            : ((const int32_t *)ix->data)[j];
            if (k < -x->dim[i] || k >= x->dim[i])
                return sn_call_fail(c,
                                    "index %lld is outside axis %d of "
                                    "length %lld",
                                    (long long)k, axis, (long long)x->dim[i]);
            off[j] = (k < 0 ? k + x->dim[i] : k) * step[i];
        }
    }
    return SN_OK;
}

/* The source coordinate of result coordinate j, as ONNX Resize defines it, in
 * binary32. */
static float
source(int64_t j, float scale, int64_t nx, int64_t ny, const char *coord)
{
    float v = (float)j;

    if (!strcmp(coord, "asymmetric"))
        return v / scale;
    if (!strcmp(coord, "align_corners"))
        return ny == 1 ? 0 : v * (float)(nx - 1) / (float)(ny - 1);
    if (!strcmp(coord, "pytorch_half_pixel") && ny == 1)
        return 0;
    return (v + 0.5f) / scale - 0.5f;
}

static int64_t
pick(float v, const char *near)
{
    if (!strcmp(near, "floor"))
        return (int64_t)floorf(v);
    if (!strcmp(near, "ceil"))
        return (int64_t)ceilf(v);
    float low = floorf(v), up = v - low;
    if (!strcmp(near, "round_prefer_ceil"))
        return (int64_t)(up >= 0.5f ? low + 1 : low);
    return (int64_t)(up > 0.5f ? low + 1 : low);
}

static void
nearest(const SnCall *c, const SnSem *s, const SnShape *x, const SnShape *y,
        Table *t)
{
    SnReals scale = sn_map_reals(c, s, 2);
    const char *coord = sn_map_word(c, s, 3, "half_pixel");
    const char *near = sn_map_word(c, s, 4, "round_prefer_floor");
    int64_t step[SN_MAXRANK];

    steps_of(x, step);
    for (int i = 0; i < x->rank; i++) {
        int64_t *off = add_axis(c, t, y->dim[i]), nx = x->dim[i];
        int64_t ny = y->dim[i];
        float f = i < (int)scale.n ? scale.v[i] : (float)ny / (float)nx;
        for (int64_t j = 0; j < ny; j++) {
            int64_t k = nx == ny && f == 1
                            ? j
                            : pick(source(j, f, nx, ny, coord), near);
            off[j] = (k < 0 ? 0 : k >= nx ? nx - 1 : k) * step[i];
        }
    }
}

/* ---- maps that are no product of tables ---- */

static SnStatus
concat(const SnCall *c, const SnSem *s, const SnTensor *out, size_t size)
{
    uint32_t first, count;
    int axis = sn_axis(out->shape, sn_map_int(c, s, 1, 0));
    int64_t outer = 1, inner = 1, at = 0;

    if (axis < 0)
        return sn_call_fail(c, "no such axis in rank %d", out->shape->rank);
    sn_port_slots(c->kind, c->nin, (uint32_t)s->arg[0].v, &first, &count);
    for (int i = 0; i < axis; i++)
        outer *= out->shape->dim[i];
    for (int i = axis + 1; i < out->shape->rank; i++)
        inner *= out->shape->dim[i];
    size_t pitch = (size_t)(out->shape->dim[axis] * inner) * size;
    for (uint32_t k = 0; k < count; k++) {
        const SnTensor *x = &c->in[first + k];
        size_t n = (size_t)(x->shape->dim[axis] * inner) * size;
        for (int64_t o = 0; o < outer && n; o++)
            memcpy((char *)out->data + (size_t)o * pitch + (size_t)at,
                   (const char *)x->data + (size_t)o * n, n);
        at += (int64_t)n;
    }
    return SN_OK;
}

static SnStatus
lookup(const SnCall *c, const SnSem *s, const SnTensor *out, size_t size)
{
    const SnTensor *x = sn_map_port(c, s, 0), *t = sn_map_port(c, s, 1);
    int64_t n = sn_shape_count(out->shape), lo = sn_elem_lo(x->type->elem);
    int64_t len = sn_shape_count(t->shape);

    for (int64_t i = 0; i < n; i++) {
        int64_t k = x->type->elem == SN_QI16 ? ((const int16_t *)x->data)[i]
                                             : ((const int8_t *)x->data)[i];
        if (k - lo >= len)
            return sn_call_fail(c,
                                "the table has %lld entries; code %lld "
                                "needs more",
                                (long long)len, (long long)k);
        put_one((char *)out->data + (size_t)i * size,
                (const char *)t->data + (size_t)(k - lo) * size, size);
    }
    return SN_OK;
}

/* ---- */

static SnStatus
tabled(const SnCall *c, const SnSem *s, const SnTensor *out, size_t size,
       const void *fill)
{
    const SnTensor *in = sn_map_port(c, s, 0);
    const SnShape *x = in->shape, *y = out->shape;
    char zp[8] = {0};
    Table t = {.n = 0};
    SnStatus st = SN_OK;

    if (in->type->elem == SN_ROW8)
        return sn_call_fail(c, "rows of row8 cannot be rearranged");
    switch (s->map) {
    case SN_MAP_PERMUTE:
        st = permute(c, s, x, &t);
        break;
    case SN_MAP_SLICE:
        st = slice(c, s, x, y, &t);
        break;
    case SN_MAP_BROADCAST:
        stretch(c, x, y, &t);
        break;
    case SN_MAP_TILE:
        tile(c, x, y, &t);
        break;
    case SN_MAP_FLIP:
        st = flip(c, s, x, &t);
        break;
    case SN_MAP_BLOCK:
        st = block(c, s, x, &t);
        break;
    case SN_MAP_PAD:
        st = pad(c, s, x, y, &t);
        break;
    case SN_MAP_GATHER:
        st = gather(c, s, x, &t);
        break;
    case SN_MAP_NEAREST:
        nearest(c, s, x, y, &t);
        break;
    default:
        sn_bug("%s: map %d is no move", c->kind->name, (int)s->map);
    }
    if (st != SN_OK)
        return st;
    if (fill == NULL && out->type->nq == 1) {
        int8_t z8 = (int8_t)out->type->zp[0];
        int16_t z16 = (int16_t)out->type->zp[0];
        memcpy(zp, size == 1 ? (void *)&z8 : &z16, size < 2 ? 1 : 2);
    }
    copy_table(&t, in->data, out->data, size, fill ? fill : zp);
    return SN_OK;
}

SnStatus
sn_move(const SnCall *c, unsigned res, const void *fill)
{
    const SnSem *s = &c->kind->sem[res];
    const SnTensor *out = &c->out[res];
    size_t size = sn_elem_size(out->type->elem);

    if (out->data == NULL || sn_shape_count(out->shape) == 0)
        return SN_OK;
    switch (s->map) {
    case SN_MAP_CONCAT:
        return concat(c, s, out, size);
    case SN_MAP_TABLE:
        return lookup(c, s, out, size);
    case SN_MAP_TOPK:
        return sn_topk(c, s, res);
    case SN_MAP_EACH:
    case SN_MAP_RESHAPE: {
        const SnTensor *x = sn_map_port(c, s, 0);
        size_t n = sn_tensor_nbyte(out->type, out->shape);
        if (n != sn_tensor_nbyte(x->type, x->shape))
            return sn_call_fail(c, "rows of row8 cannot be rearranged");
        memcpy(out->data, x->data, n);
        return SN_OK;
    }
    default:
        return tabled(c, s, out, size, fill);
    }
}
