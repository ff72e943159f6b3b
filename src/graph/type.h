// SPDX-License-Identifier: Apache-2.0
/* Element types and shapes.  Both are interned in a pool: two types (shapes)
 * are equal exactly when their pointers are.
 *
 * real(q) = scale * (q - zp).  A per-axis type carries one scale and zero
 * point for each slice along its axis.  Scales lie in [2^-100, 2^100]; qi32
 * has zero point 0. */
#ifndef SN_TYPE_H
#define SN_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/lang/lang.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnType {
    SnElem elem;
    int axis;           /* -1: one scale and zp for the whole tensor */
    uint32_t nq;        /* 0 for plain kinds, 1 per tensor, else slices */
    const float *scale; /* [nq] */
    const int32_t *zp;  /* [nq] */
} SnType;
/* One scale for the tensor, not for the only slice of an axis. */
static inline bool
sn_type_per_tensor(const SnType *t)
{
    return t->nq == 1 && t->axis < 0;
}

enum { SN_MAXRANK = 8 };

typedef struct SnShape {
    int rank;                /* 0..SN_MAXRANK */
    int64_t dim[SN_MAXRANK]; /* each >= 0; the product is below 2^40 */
} SnShape;

static inline bool
sn_shape_equal(const SnShape *x, const SnShape *y)
{
    bool same = x == y || x->rank == y->rank;

    for (int i = 0; same && x != y && i < x->rank; i++)
        same = x->dim[i] == y->dim[i];
    return same;
}

typedef struct SnPool SnPool;
SnPool *sn_pool_new(SnArena *a);

/* A type without scales: f32, f16, i8, i32, i64, bool, row8. */
const SnType *sn_type_plain(SnPool *p, SnElem e);
/* A quantized type; NULL when a scale or zero point is out of range (the
 * reason is in sn_type_why). */
const SnType *sn_type_quant(SnPool *p, SnElem e, float scale, int32_t zp);
const SnType *sn_type_axis(SnPool *p, SnElem e, int axis, uint32_t nq,
                           const float *scale, const int32_t *zp);
/* What is wrong with these parameters, or NULL. */
const char *sn_type_why(SnElem e, float scale, int32_t zp);
/* NULL when rank, a dimension or the product is out of range. */
const SnShape *sn_shape(SnPool *p, int rank, const int64_t *dim);
int64_t sn_shape_count(const SnShape *s);

static inline bool
sn_elem_quant(SnElem e)
{
    return e == SN_QI8 || e == SN_QI16 || e == SN_QI32;
}
/* Scale and zero point of a per-tensor operand; 1 and 0 when it is missing or
 * plain. */
static inline float
sn_scale_of(const SnType *t)
{
    return t && t->nq ? t->scale[0] : 1.0f;
}
static inline int32_t
sn_zp_of(const SnType *t)
{
    return t && t->nq ? t->zp[0] : 0;
}
/* Bytes of one element (of one code for row8). */
size_t sn_elem_size(SnElem e);
/* Bytes of a tensor: row8 rows hold cols + 8 bytes. */
size_t sn_tensor_nbyte(const SnType *t, const SnShape *s);
/* Storage range of a quantized or integer kind. */
int64_t sn_elem_lo(SnElem e);
int64_t sn_elem_hi(SnElem e);
const char *sn_elem_name(SnElem e); /* "f32", "qi8", ... as in .sn files */

/* "qi8<0.02, -128>", and with a shape "qi8<0.02, -128>[1,28,28,2]". */
void sn_put_type(SnBuf *b, const SnType *t);
void sn_put_shape(SnBuf *b, const SnShape *s);
const char *sn_type_str(SnArena *a, const SnType *t);

#ifdef __cplusplus
}
#endif

#endif
