// SPDX-License-Identifier: Apache-2.0
/* What the loops of windows (tile_c.c, mve_c.c) and of planes (plane_c.c)
 * share; in tile_help.c unless another file is named. */
#ifndef SN_TILE_HELP_H
#define SN_TILE_HELP_H

#include "aot/node/tile.h"

/* Closes blocks until this many are open. */
void sn_tile_close(SnAotNode *n, int depth);
/* The sum of k * variable over vars, and base; first: what it begins with, or
 * NULL. */
const char *sn_tile_linear(SnAotNode *n, const char *first, const int64_t *k,
                           int64_t base, uint32_t vars);
/* The number of a place among those of vars, the last fastest. */
const char *sn_tile_number(SnAotNode *n, uint32_t vars);
/* The parameter that holds the filters, packed or as they are. */
const char *sn_tile_filters(const SnAotNode *n);
/* Opens loops of vars. */
void sn_tile_loops(SnAotNode *n, uint32_t vars);
/* The zero point of filter m of a group, as C; NULL: it is 0. */
const char *sn_tile_zero(SnAotNode *n, const char *m);
/* line_c.c: the lines of a result if they do what sn_put_windows (dot.h) does:
 * a bias, a product with a multiplier, saturation to 8 bits.  Names in C. */
typedef struct SnTilePlain {
    char bias[64], mult[64], zero[64], limit[64];
    bool each; /* a multiplier for each filter */
} SnTilePlain;
bool sn_aot_tile_plain(const SnAotNode *n, SnTilePlain *p);
/* The index of a filter's bias, and of its multiplier where each has one. */
const char *sn_aot_tile_beside(SnAotNode *n);
/* Are the lines plain, and places and filters adjacent in the result?
 */
bool sn_tile_plain(const SnAotNode *n, SnTilePlain *p);
/* Declares the variable of the filter as 0, for addresses; and that of a
 * pixel. */
void sn_tile_first_filter(SnAotNode *n, SnTilePlain *p, int copies);
/* Distance from one place of vars to the next, the last fastest, with factor k
 * of each; 0: not the same for all. */
int64_t sn_tile_even_step(const SnAotNode *n, uint32_t vars, const int64_t *k);
/* Distance from one pixel of a tile to the next in the result; 0: not the same
 * for all. */
int64_t sn_tile_pixel_step(const SnAotNode *n);
/* The offset in the result by vars; first: as for sn_tile_linear. */
const char *sn_tile_out_of(SnAotNode *n, const char *first, uint32_t vars);
/* acc: the sum of a filter and pixel tq, less the filter's zero point's
 * part. */
void sn_tile_acc(SnAotNode *n);
/* Pixels of a tile. */
int sn_tile_count(const SnAotTile *t);
/* Results of one filter for the pixels of a tile. */
void sn_tile_pixels(SnAotNode *n);
/* mve_c.c: all filters of a tile. */
void sn_tile_mve(SnAotNode *n, const char *group);
/* plane_c.c: all loops. */
void sn_tile_plane(SnAotNode *n);
/* Elements of the plane along axis i that the operand has: lo .. hi - 1. */
void sn_tile_inside(const SnAotTile *t, uint32_t i, int64_t *lo, int64_t *hi);
/* The place of tap number k in the plane, from that of its result. */
int64_t sn_tile_tap_at(const SnAotNode *n, int64_t k);
/* Declares the taps of a filter, tw0, tw1, .. */
void sn_tile_taps(SnAotNode *n);
/* Variables of places that occur in the axes of the plane. */
uint32_t sn_tile_walked(const SnAotTile *t);
/* mve_c.c: fills the plane by vectors, and makes four results at a time. */
void sn_tile_fill_lanes(SnAotNode *n);
void sn_tile_lanes(SnAotNode *n);

#endif
