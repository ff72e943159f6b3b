// SPDX-License-Identifier: Apache-2.0
/* topk by sorting indices of one row at a time. */
#include "kernel/eval/topk.h"

#include <stdlib.h>
#include <string.h>

typedef struct Item {
    double key; /* exact for every element but i64 */
    int64_t code;
    int64_t i;
} Item;

static int
by_key(const Item *a, const Item *b)
{
    bool na = a->key != a->key, nb = b->key != b->key;

    if (na || nb)
        return (int)nb - (int)na;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    if (a->code != b->code)
        return a->code > b->code ? -1 : 1;
    return 0;
}

static int
larger(const void *p, const void *q)
{
    const Item *a = p, *b = q;
    int r = by_key(a, b);

    return r ? r : (a->i > b->i) - (a->i < b->i);
}

static int
smaller(const void *p, const void *q)
{
    const Item *a = p, *b = q;
    int r = by_key(b, a);

    return r ? r : (a->i > b->i) - (a->i < b->i);
}

static Item
item(const SnTensor *x, int64_t off, int64_t i)
{
    Item t = {0, 0, i};

    switch (x->type->elem) {
    case SN_F32:
        t.key = ((const float *)x->data)[off];
        return t;
    case SN_QI16:
        t.code = ((const int16_t *)x->data)[off];
        break;
    case SN_QI32:
    case SN_I32:
        t.code = ((const int32_t *)x->data)[off];
        break;
    case SN_I64:
        t.code = ((const int64_t *)x->data)[off];
        break;
    default:
        t.code = ((const int8_t *)x->data)[off];
        break;
    }
    t.key = (double)t.code;
    return t;
}

SnStatus
sn_topk(const SnCall *c, const SnSem *s, unsigned res)
{
    const SnTensor *x = sn_map_port(c, s, 0), *out = &c->out[res];
    int axis = sn_axis(x->shape, sn_map_int(c, s, 2, -1));
    int64_t k = sn_map_int(c, s, 1, 1), inner = 1, outer = 1;
    bool largest = sn_map_int(c, s, 3, 1) != 0;

    if (axis < 0 || k < 0 || k > x->shape->dim[axis])
        return sn_call_fail(c, "k = %lld does not fit axis %lld", (long long)k,
                            (long long)sn_map_int(c, s, 2, -1));
    int64_t len = x->shape->dim[axis];
    for (int i = 0; i < axis; i++)
        outer *= x->shape->dim[i];
    for (int i = axis + 1; i < x->shape->rank; i++)
        inner *= x->shape->dim[i];
    Item *v = SN_NEW_N(c->scratch, Item, len);
    size_t size = sn_elem_size(x->type->elem);
    for (int64_t o = 0; o < outer * inner; o++) {
        int64_t x0 = o / inner * len * inner + o % inner;
        int64_t y0 = o / inner * k * inner + o % inner;
        for (int64_t i = 0; i < len; i++)
            v[i] = item(x, x0 + i * inner, i);
        qsort(v, (size_t)len, sizeof *v, largest ? larger : smaller);
        for (int64_t i = 0; i < k; i++) {
            int64_t y = y0 + i * inner;
            if (res)
                ((int64_t *)out->data)[y] = v[i].i;
            else
                memcpy((char *)out->data + (size_t)y * size,
                       (const char *)x->data +
                           (size_t)(x0 + v[i].i * inner) * size,
                       size);
        }
    }
    return SN_OK;
}
