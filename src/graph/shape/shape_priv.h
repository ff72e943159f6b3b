// SPDX-License-Identifier: Apache-2.0
/* One shape inference under way: the arguments of a result's map, and the
 * result's dimensions as they become known. */
#ifndef SN_SHAPE_PRIV_H
#define SN_SHAPE_PRIV_H

#include "graph/desc.h"

typedef struct SnShapeCall {
    const SnKindDesc *d;
    const void *attr;
    uint32_t nin;
    const SnShape *const *in; /* by slot; NULL for a missing operand */
    const SnSem *sem;
    char *why;   /* [SN_WHY] */
    int64_t one; /* an integer argument seen as a list */
    int rank;    /* the result */
    int64_t dim[SN_MAXRANK];
} SnShapeCall;

typedef bool SnShapeFn(SnShapeCall *c);

/* Writes why and returns false. */
bool sn_shape_fail(SnShapeCall *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Shape of argument i, an operand; rank < 0: any rank. */
bool sn_arg_shape(SnShapeCall *c, unsigned i, int rank, const SnShape **s);
/* Argument i as an integer (a word counts as its number); dflt when the map
 * was written without it. */
int64_t sn_arg_int(const SnShapeCall *c, unsigned i, int64_t dflt);
/* Argument i as a list of n integers, each in [lo, hi]; n < 0: any number. */
bool sn_arg_ints(SnShapeCall *c, unsigned i, int n, int64_t lo, int64_t hi,
                 SnInts *v);
bool sn_arg_reals(SnShapeCall *c, unsigned i, SnReals *v);
/* Argument i, an enum, as its word. */
const char *sn_arg_word(const SnShapeCall *c, unsigned i, const char *dflt);
const char *sn_arg_name(const SnShapeCall *c, unsigned i);
/* The result so far is a copy of s. */
void sn_shape_like(SnShapeCall *c, const SnShape *s);
/* Adds a shape to the result by the rules of broadcasting. */
bool sn_shape_join(SnShapeCall *c, const int64_t *dim, int rank);

SnShapeFn sn_shape_conv, sn_shape_conv_transpose, sn_shape_pool,
    sn_shape_matmul;
SnShapeFn sn_shape_permute, sn_shape_reshape, sn_shape_concat, sn_shape_slice,
    sn_shape_tile, sn_shape_flip, sn_shape_block, sn_shape_pad, sn_shape_gather,
    sn_shape_nearest;

#endif
