// SPDX-License-Identifier: Apache-2.0
/* The geometry of contracts, as kernel/conv/conv_q8.h takes it, read from a
 * call: a product with a matrix is a convolution of one tap over a picture of
 * one column. */
#ifndef SN_CPU_GEO_H
#define SN_CPU_GEO_H

#include "graph/desc.h"
#include "kernel/conv_geo.h"

/* Windows of kh by kw, of a map over pictures x whose arguments 2 to 4 are
 * stride, pads and dilate; oc is of the result, group 1. */
SnConvGeo sn_cpu_window_geo(const SnCall *c, int64_t kh, int64_t kw);
/* Of a node over conv(x, w, stride, pads, dilate, group), whose picture of one
 * row may come as one of one column: rows and columns are those of geo, not of
 * the shapes.  False when shapes do not fit each other. */
bool sn_cpu_conv_geo(const SnCall *c, SnConvGeo *geo);
/* Of a node over matmul(a, b, trans_a, trans_b) with b a matrix, a not
 * transposed; *transposed: b is [n, k].  False for others. */
bool sn_cpu_matmul_geo(const SnCall *c, SnConvGeo *geo, bool *transposed);
/* Several products of a node over matmul(a, b, false, trans_b), a matrix of a
 * with one of b each: geo is that of one, b its filter. */
typedef struct SnCpuMatrices {
    SnConvGeo geo;
    bool transposed; /* b is [n, k] */
    int64_t count;   /* of products; y lies matrix by matrix */
    int rank;        /* leading dimensions, along which a and b may repeat */
    int64_t dim[SN_MAXRANK], step[2][SN_MAXRANK];
} SnCpuMatrices;
/* False where there are no results, no taps, or a is transposed. */
bool sn_cpu_matrices(const SnCall *c, SnCpuMatrices *m);
/* The units that are products. */
void sn_cpu_matrices_units(SnPrep *p, const SnCpuMatrices *m);
/* The first elements of product i in a and b. */
void sn_cpu_matrix_at(const SnCpuMatrices *m, int64_t i, int64_t at[2]);
/* Of a node over pool(x, kernel, stride, pads, dilate, ...); oc is c, group 1.
 * *whole: a window is all of an image; *ntap: valid elements of a window, at
 * most.  False where a window has no valid element (sn_map_open). */
bool sn_cpu_pool_geo(const SnCall *c, SnConvGeo *geo, bool *whole,
                     int64_t *ntap);
/* The clamp of the call's node; open when the kind has none. */
SnRange sn_cpu_clamp(const SnCall *c);

#endif
