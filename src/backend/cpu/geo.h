/* The geometry of contracts as kernel/conv_q8.h wants it, read from a call:
 * a product with a matrix is a convolution of one tap over a picture of one
 * column. */
#ifndef SN_CPU_GEO_H
#define SN_CPU_GEO_H

#include "graph/desc.h"
#include "kernel/conv_q8.h"

/* Of a node over conv(x, w, stride, pads, dilate, group); false when shapes
 * do not fit each other. */
bool sn_cpu_conv_geo(const SnCall *c, SnConvGeo *geo);
/* Of a node over matmul(a, b, trans_a, trans_b) with b a matrix, a not
 * transposed; turned: b is [n, k].  False for others. */
bool sn_cpu_matmul_geo(const SnCall *c, SnConvGeo *geo, bool *turned);
/* Of a node over pool(x, kernel, stride, pads, dilate, ...) whose windows
 * sn_map_open accepts; oc is c, group 1. */
bool sn_cpu_pool_geo(const SnCall *c, SnConvGeo *geo);
/* The clamp of the call's node; open when the kind has none. */
SnRange sn_cpu_clamp(const SnCall *c);

#endif
