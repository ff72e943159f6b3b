// SPDX-License-Identifier: Apache-2.0
/* Sums of products of codes, in tiles: which nodes have them, and how their
 * loops run.  Chosen by the text (@dot) and the map, never by a node's name. */
#ifndef SN_TILE_H
#define SN_TILE_H

#include "aot/node/aot_node.h"
#include "aot/node/target.h"
#include "aot/tuned/tuned.h"

typedef enum SnTileForm {
    SN_TILE_WINDOWS, /* 4 windows are gathered, then multiplied by 2 filters at
                        a time */
    SN_TILE_ROWS,    /* one window in all, multiplied by 4 filters at a time */
    SN_TILE_PLANE,   /* one filter a channel: the channel is laid out with its
                        borders, filters stay in registers */
    SN_TILE_PLAN     /* as the CPU backend runs it */
} SnTileForm;

/* A number that is linear in the variables of a map. */
typedef struct SnAffine {
    int64_t k[SN_MAP_NVAR], base;
} SnAffine;

/* An axis of an operand that places and taps index together. */
typedef struct SnTileAxis {
    int place, tap;    /* variables */
    int64_t stride;    /* of the operand, from one index to the next */
    int64_t first, n;  /* indices first .. first + n - 1 are read, counted from
                          anywhere where all are there */
    int64_t dim;       /* those in 0 .. dim - 1 are there */
    int64_t step, gap; /* from one place, tap to the next */
} SnTileAxis;

typedef struct SnAotTile {
    SnTileForm form;
    bool dsp;           /* for ARM's DSP instructions */
    bool mve;           /* for ARM's vectors; planes: four results along the
                           last axis at a time */
    bool wide;          /* windows: two in a word of 64 bits */
    bool direct;        /* windows by vectors are read where they lie, */
    int64_t xstep;      /* the next pixel's is this far away */
    uint32_t x, w;      /* slots: the computed operand, the constant */
    SnAffine off, woff; /* offsets of their reads */
    /* variables of the result: only x depends on pixels, only w on a filter,
     * both on groups */
    uint32_t pixels, groups, taps;
    int filter; /* -1: none */
    int64_t npixel, nfilter, ngroup, k;
    int64_t block;  /* filters that are multiplied at a time */
    int64_t kp, mp; /* k and nfilter, rounded up */
    int32_t xz;
    const int32_t *wz; /* [ngroup * mp] zero points; NULL: all 0 */
    /* windows: taps of a run are gathered by one call */
    uint32_t run;              /* its variables */
    int64_t nrun, inner, step; /* elements; elements per tap of its slowest
                                  variable; distance of these in x */
    int slowest;               /* of run */
    bool quads;
    /* planes */
    uint32_t naxis;
    SnTileAxis axis[2];
    int64_t pitch; /* elements from one row of the plane to the next */
    bool twos;     /* two results along the last axis at a time */
    /* */
    const SnTuned *plan;
    size_t scratch;     /* bytes */
    const int8_t *pack; /* filters as the loops read them; NULL: as they are */
    size_t npack;
} SnAotTile;

/* The tiles that node n, whose map is open, can have, fastest first; all of
 * them, or one.  num: the numbers line_c.c found, for a target with plans, or
 * NULL. */
enum { SN_TILES = 2 };
uint32_t sn_aot_tiles_of(SnAotNode *n, const char *const *text,
                         const SnAotTarget *target, const SnConvNum *num,
                         bool all, const SnAotTile *tile[SN_TILES]);
/* trail.c: how far before x's memory the result must begin so that only
 * elements already read are overwritten; -1: no distance is enough. */
int64_t sn_aot_trail(SnAotNode *n, const SnAotTile *t);
/* Replaces @each, @dot, the last @end and the lines between, which it takes
 * from sn_aot_tile_lines as often as it needs them. */
void sn_aot_tile_put(SnAotNode *n);
void sn_aot_tile_lines(SnAotNode *n); /* text_c.c */
/* Reads once the elements of tables that the lines use for the filter. */
void sn_aot_tile_hoist(SnAotNode *n);
/* Offset in the result, for such a line. */
const char *sn_aot_tile_out(SnAotNode *n);

/* line_c.c: the numbers of a result that is a bias, or none, a product with a
 * multiplier and saturation, by the nline lines of sn_aot_lines: those of a
 * plan except x and the zero points of filters. */
bool sn_aot_tile_numbers(SnAotNode *n, const char *const *text,
                         const char **line, uint32_t nline, SnConvNum *num);
/* text_c.c: the text's lines that hold and are read, without a tile's sum. */
uint32_t sn_aot_lines(SnAotNode *n, const char *const *text,
                      const char ***line);

#endif
