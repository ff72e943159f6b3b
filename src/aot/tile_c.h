// SPDX-License-Identifier: Apache-2.0
/* What the loops of windows (tile_c.c) and of planes (plane_c.c) share. */
#ifndef SN_TILE_C_H
#define SN_TILE_C_H

#include "aot/tile.h"

/* Closes blocks until so many are open. */
void sn_tile_close(SnAotNode *n, int depth);
/* The sum of k * variable over vars, and base; first: what it begins with, or
 * NULL. */
const char *sn_tile_linear(SnAotNode *n, const char *first, const int64_t *k,
                           int64_t base, uint32_t vars);
/* The number of a place among those of vars, the last fastest. */
const char *sn_tile_number(SnAotNode *n, uint32_t vars);
/* The parameter that has the filters, packed or as they are. */
const char *sn_tile_filters(const SnAotNode *n);
/* Opens loops of vars. */
void sn_tile_loops(SnAotNode *n, uint32_t vars);
/* The zero point of filter m of a group, as C; NULL: it is 0. */
const char *sn_tile_zero(SnAotNode *n, const char *m);
/* plane_c.c: all loops. */
void sn_tile_plane(SnAotNode *n);

#endif
