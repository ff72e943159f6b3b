// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_priv.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/diag.h"

/* Interned objects, by hash; open addressing, never deleted from. */
typedef struct Slot {
    uint64_t hash;
    const void *p; /* NULL: free */
} Slot;

typedef struct Set {
    Slot *slot;
    size_t n, cap;
} Set;

struct SnPool {
    SnArena *a;
    SnType plain[SN_NELEM];
    Set type, shape;
    const int32_t *zeros; /* [nzero] the zero points of most types */
    uint32_t nzero;
};

typedef bool EqFn(const void *x, const void *y);

static const struct {
    size_t size;
    int64_t lo, hi;
} elems[SN_NELEM] = {
    [SN_F32] = {4, 0, 0},
    [SN_F16] = {2, 0, 0},
    [SN_QI8] = {1, INT8_MIN, INT8_MAX},
    [SN_QI16] = {2, INT16_MIN, INT16_MAX},
    [SN_QI32] = {4, INT32_MIN, INT32_MAX},
    [SN_ROW8] = {1, 0, UINT8_MAX},
    [SN_I8] = {1, INT8_MIN, INT8_MAX},
    [SN_I32] = {4, INT32_MIN, INT32_MAX},
    [SN_I64] = {8, INT64_MIN, INT64_MAX},
    [SN_BOOL] = {1, 0, 1},
};

size_t
sn_elem_size(SnElem e)
{
    return elems[e].size;
}

int64_t
sn_elem_lo(SnElem e)
{
    return elems[e].lo;
}

int64_t
sn_elem_hi(SnElem e)
{
    return elems[e].hi;
}

const char *
sn_elem_name(SnElem e)
{
    return sn_elem_words[e].name;
}

/* ---- the pool ---- */

static Slot *
set_slot(const Set *s, uint64_t hash, EqFn *eq, const void *key)
{
    size_t i = (size_t)hash & (s->cap - 1);

    while (s->slot[i].p) {
        if (s->slot[i].hash == hash && eq(s->slot[i].p, key))
            break;
        i = (i + 1) & (s->cap - 1);
    }
    return &s->slot[i];
}

static void
set_grow(Set *s, SnArena *a)
{
    Set big = {NULL, s->n, s->cap ? 2 * s->cap : 64};

    big.slot = SN_NEW_N(a, Slot, big.cap);
    for (size_t i = 0; i < s->cap; i++) {
        if (!s->slot[i].p)
            continue;
        size_t j = (size_t)s->slot[i].hash & (big.cap - 1);
        while (big.slot[j].p)
            j = (j + 1) & (big.cap - 1);
        big.slot[j] = s->slot[i];
    }
    *s = big;
}

/* The slot of key, with room to fill it. */
static Slot *
set_at(Set *s, SnArena *a, uint64_t hash, EqFn *eq, const void *key)
{
    if (2 * (s->n + 1) > s->cap)
        set_grow(s, a);
    return set_slot(s, hash, eq, key);
}

SnPool *
sn_pool_new(SnArena *a)
{
    SnPool *p = SN_NEW(a, SnPool);

    p->a = a;
    for (int e = 0; e < SN_NELEM; e++) {
        p->plain[e].elem = (SnElem)e;
        p->plain[e].axis = -1;
    }
    return p;
}

SnArena *
sn_pool_arena(const SnPool *p)
{
    return p->a;
}

/* ---- types ---- */

static bool
type_eq(const void *x, const void *y)
{
    const SnType *a = x, *b = y;

    return a->elem == b->elem && a->axis == b->axis && a->nq == b->nq &&
           !memcmp(a->scale, b->scale, a->nq * sizeof *a->scale) &&
           !memcmp(a->zp, b->zp, a->nq * sizeof *a->zp);
}

static uint64_t
type_hash(const SnType *t)
{
    uint64_t h = XXH64(t->scale, t->nq * sizeof *t->scale,
                       (uint64_t)t->elem * 31 + (uint64_t)(t->axis + 1));

    return XXH64(t->zp, t->nq * sizeof *t->zp, h);
}

const SnType *
sn_type_plain(SnPool *p, SnElem e)
{
    if ((unsigned)e >= SN_NELEM || sn_elem_quant(e))
        sn_bug("sn_type_plain of element kind %d", (int)e);
    return &p->plain[e];
}

const SnType *
sn_type_quant(SnPool *p, SnElem e, float scale, int32_t zp)
{
    return sn_type_axis(p, e, -1, 1, &scale, &zp);
}

static const int32_t *
keep_zp(SnPool *p, const int32_t *zp, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (zp[i])
            return sn_memdup(p->a, zp, n * sizeof *zp);
    if (n > p->nzero) {
        p->nzero = n > 2 * p->nzero ? n : 2 * p->nzero;
        p->zeros = SN_NEW_N(p->a, int32_t, p->nzero);
    }
    return p->zeros;
}

const SnType *
sn_type_axis(SnPool *p, SnElem e, int axis, uint32_t nq, const float *scale,
             const int32_t *zp)
{
    SnType key = {e, axis, nq, scale, zp};

    if (axis < -1 || axis >= SN_MAXRANK || nq == 0 || (axis < 0 && nq != 1))
        return NULL;
    for (uint32_t i = 0; i < nq; i++)
        if (sn_type_why(e, scale[i], zp[i]))
            return NULL;
    uint64_t h = type_hash(&key);
    Slot *s = set_at(&p->type, p->a, h, type_eq, &key);
    if (!s->p) {
        SnType *t = SN_NEW(p->a, SnType);
        *t = key;
        t->scale = sn_memdup(p->a, scale, nq * sizeof *scale);
        t->zp = keep_zp(p, zp, nq);
        *s = (Slot){h, t};
        p->type.n++;
    }
    return s->p;
}

const char *
sn_type_why(SnElem e, float scale, int32_t zp)
{
    if (!sn_elem_quant(e))
        return "only qi8, qi16 and qi32 carry a scale";
    if (isnan(scale))
        return "the scale must be a number";
    if (scale <= 0)
        return "the scale must be positive";
    if (scale < 0x1p-100f || scale > 0x1p100f)
        return "the scale must lie in [2^-100, 2^100]";
    if (e == SN_QI32 && zp != 0)
        return "the zero point of qi32 must be 0";
    if (zp < elems[e].lo || zp > elems[e].hi)
        return e == SN_QI8 ? "the zero point must lie in [-128, 127]"
                           : "the zero point must lie in [-32768, 32767]";
    return NULL;
}

/* ---- shapes ---- */

static bool
shape_eq(const void *x, const void *y)
{
    return sn_shape_equal(x, y);
}

/* Besides the product itself, the product of the non-zero dimensions is kept
 * below 2^40, so that no partial product can overflow either. */
const SnShape *
sn_shape(SnPool *p, int rank, const int64_t *dim)
{
    const int64_t max = (INT64_C(1) << 40) - 1;
    SnShape key = {.rank = rank};
    int64_t left = max;

    if (rank < 0 || rank > SN_MAXRANK)
        return NULL;
    for (int i = 0; i < rank; i++) {
        if (dim[i] < 0 || dim[i] > left)
            return NULL;
        if (dim[i] > 1)
            left /= dim[i];
        key.dim[i] = dim[i];
    }
    uint64_t h = XXH64(key.dim, (size_t)rank * sizeof *dim, (uint64_t)rank);
    Slot *s = set_at(&p->shape, p->a, h, shape_eq, &key);
    if (!s->p) {
        *s = (Slot){h, sn_memdup(p->a, &key, sizeof key)};
        p->shape.n++;
    }
    return s->p;
}

int64_t
sn_shape_count(const SnShape *s)
{
    int64_t n = 1;

    for (int i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

size_t
sn_tensor_nbyte(const SnType *t, const SnShape *s)
{
    size_t n = (size_t)sn_shape_count(s);

    if (t->elem == SN_ROW8 && s->rank > 0) {
        size_t rows = 1;
        for (int i = 0; i < s->rank - 1; i++)
            rows *= (size_t)s->dim[i];
        n += 8 * rows;
    }
    return n * sn_elem_size(t->elem);
}

/* ---- printing ---- */

void
sn_put_type(SnBuf *b, const SnType *t)
{
    if (!t) {
        sn_puts(b, "_");
        return;
    }
    sn_puts(b, sn_elem_name(t->elem));
    if (t->nq == 0)
        return;
    if (t->axis < 0) {
        sn_putc(b, '<');
        sn_put_f32(b, t->scale[0]);
        sn_putf(b, ", %d>", (int)t->zp[0]);
        return;
    }
    sn_putf(b, "<axis=%d, [", t->axis);
    for (uint32_t i = 0; i < t->nq; i++) {
        sn_puts(b, i ? ", " : "");
        sn_put_f32(b, t->scale[i]);
    }
    sn_puts(b, "], [");
    for (uint32_t i = 0; i < t->nq; i++)
        sn_putf(b, "%s%d", i ? ", " : "", (int)t->zp[i]);
    sn_puts(b, "]>");
}

void
sn_put_shape(SnBuf *b, const SnShape *s)
{
    sn_putc(b, '[');
    for (int i = 0; i < s->rank; i++)
        sn_putf(b, "%s%lld", i ? "," : "", (long long)s->dim[i]);
    sn_putc(b, ']');
}

const char *
sn_type_str(SnArena *a, const SnType *t)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_type(&b, t);
    return sn_buf_str(&b);
}
