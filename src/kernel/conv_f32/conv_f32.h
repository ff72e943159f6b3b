// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products in f32, as implicit GEMM straight from x:
 * a plan packs the filter once into panels of output channels; a run
 * multiplies tiles of pixels with panels.
 *
 * Every result is one chain acc = fmaf(x, w, acc) from the bias on, ascending
 * (kh, kw, ci), over the taps that lie inside the picture (numerics.md).
 * Lanes run across output channels, tiles across pixels, and a sum that is
 * interrupted is kept in f32, so no blocking changes a bit.  Results at the
 * border have fewer taps; pixels with the same ones form a class, and a tile
 * never mixes classes. */
#ifndef SN_CONV_F32_H
#define SN_CONV_F32_H

#include <stdint.h>
#include "base/arena.h"
#include "kernel/conv_geo.h"
#include "kernel/variant.h"

enum { SN_F32_ROWS = 8, SN_F32_PANELS = 4 };
/* Tiles of few channels: at most SN_F32_FEW, of many pixels: up to SN_F32_SETS
 * sets of 2 or 4 of them. */
enum { SN_F32_FEW = 4, SN_F32_SETS = 8, SN_F32_PIXELS = 4 * SN_F32_SETS };

/* n taps that are neighbours in x, from x[x] on, and rows k.. of the panel. */
typedef struct SnRunF32 {
    int64_t x, k, n;
} SnRunF32;

/* Up to SN_F32_ROWS pixels times one panel of npanel * SN_LANE channels; of few
 * channels nrow pixels, up to SN_F32_PIXELS, whose set is filled up with
 * pixels that are only read. */
typedef struct SnTileF32 {
    const float *x[SN_F32_PIXELS];
    float *y[SN_F32_PIXELS];
    const float *w; /* [taps][npanel * SN_LANE] */
    const SnRunF32 *run;
    int64_t nrun;
    const float *bias; /* [npanel * SN_LANE]; NULL: go on from y */
    bool last;         /* clamp into [lo, hi] */
    float lo, hi;
    int npanel, nrow;
    int ncol; /* channels that exist, more than (npanel - 1) * SN_LANE */
} SnTileF32;
typedef void SnTileF32Fn(const SnTileF32 *t);

/* A strip: ntile whole tiles one after the other, whose pixels lie step floats
 * apart from x on and pitch floats apart from y on.  Each is complete: one run
 * of ntap taps, from the bias to the clamp. */
typedef struct SnStripF32 {
    const float *x;
    float *y;
    int64_t step, pitch;
    int64_t ntile, ntap;
    const float *w, *bias; /* as a tile's */
    float lo, hi;
    int ncol;
} SnStripF32;
typedef void SnStripF32Fn(const SnStripF32 *s);

/* Depthwise: nrow rows of npx pixels with the same taps, all channels. */
typedef struct SnDwF32 {
    const float *x; /* the first tap of the first pixel */
    float *y;
    int64_t nrow, xnext, ynext; /* floats between rows of results */
    int64_t npx, step, pitch;   /* the same between neighbouring pixels */
    int64_t taprow, xrow, wrow; /* rows of taps, floats between them */
    int64_t tapcol, xcol, wcol; /* columns */
    const float *w; /* of the first tap; [taps][channels padded to SN_LANE] */
    const float *bias; /* [channels padded] */
    float lo, hi;
    int64_t nc;
} SnDwF32;
typedef void SnDwF32Fn(const SnDwF32 *d);

/* A variant: what differs between instruction sets. */
typedef struct SnGemmF32 {
    int npanel;              /* most panels of SN_LANE channels */
    int nrow[SN_F32_PANELS]; /* most rows, by panels - 1 */
    SnTileF32Fn *tile[SN_F32_PANELS][SN_F32_ROWS]; /* [panels-1][rows-1] */
    /* [sets-1], of more than nrow[0] pixels; or none */
    SnTileF32Fn *few[SN_F32_SETS];
    int set; /* pixels of a set */
    /* [panels-1], tiles of nstrip pixels; or none */
    SnStripF32Fn *strip[SN_F32_PANELS];
    int nstrip[SN_F32_PANELS];
    SnDwF32Fn *dw;
    /* w[t * pitch + c] = x[c * step + t] of SN_LANE channels c and n taps t, or
     * NULL: they are copied one by one. */
    void (*turn)(const float *x, int64_t step, int64_t n, float *w,
                 int64_t pitch);
} SnGemmF32;
extern const SnGemmF32 sn_gemm_f32_ref;
extern SnVariants sn_conv_f32_variants;

/* ---- plans ---- */

typedef struct SnConvF32 SnConvF32;

/* Writes rows [i0, i1) of a filter, contiguous: its channels where step_k is 1,
 * else its taps; work is scratch memory of that size.  Does not fail; threads
 * may call it at once. */
typedef void SnRowsF32(const void *of, int64_t i0, int64_t i1, void *to,
                       void *work);

/* Channel c's tap k = (kh, kw, ci) is w[c * step_c + k * step_k]; bias [oc] or
 * NULL; results are clamped into [lo, hi]. */
typedef struct SnFilterF32 {
    const float *w, *bias;
    /* One of them is 1; if there is one channel, step_k. */
    int64_t step_c, step_k;
    SnRowsF32 *rows; /* w is NULL: rows are made as they are packed; or NULL */
    const void *rows_of;
    bool at_run; /* rows may be made while it runs, too */
    float lo, hi;
    const SnArena *from; /* where w is: packed parts are unloaded; or NULL */
    float *own;          /* w, where it may be packed in its place; or NULL */
    struct SnPackItem *pack; /* where packed panels are, or NULL */
    const SnConvPick *pick;  /* one that fits, or NULL: the rules' */
} SnFilterF32;

/* As sn_conv_q8_rules and sn_conv_q8_fits.  In a pick for reals, clip and tiles
 * are false: taps in padding are always skipped; rows = oh means all rows of
 * all images. */
SnConvPick sn_conv_f32_rules(SnIsa isa, const SnConvGeo *geo);
bool sn_conv_f32_fits(SnIsa isa, const SnConvGeo *geo, const SnConvPick *k);

/* Reads the filter now, or with rows does not: sn_conv_f32_pieces.  Everything
 * is stored in a, panels in f->pack: if that is ready, w is not read. */
const SnConvF32 *sn_conv_f32_plan(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                                  const SnFilterF32 *f);
/* In how many pieces a filter that rows make is left to be packed, and bytes of
 * memory for one at a time; 0: it is packed, left to runs, or has no element.
 */
int64_t sn_conv_f32_pieces(const SnConvF32 *p, size_t *nwork);
/* Packs pieces [i0, i1), each of them once before p is used, with such memory,
 * 64-aligned.  Other threads may pack others meanwhile. */
void sn_conv_f32_pack_pieces(const SnConvF32 *p, void *work, int64_t i0,
                             int64_t i1);
/* Whether the packed filter is in f->own. */
bool sn_conv_f32_in_place(const SnConvF32 *p, const SnFilterF32 *f);
/* A plan whose filter comes with each run (f->w NULL, no bias; not for
 * depthwise ones): floats of the packed filter, and packing it from the
 * places that f's steps give. */
int64_t sn_conv_f32_packed(const SnConvF32 *p);
void sn_conv_f32_pack(const SnConvF32 *p, const SnFilterF32 *f, float *to);
/* sn_conv_f32_run with such a filter. */
void sn_conv_f32_run_with(const SnConvF32 *p, const float *packed,
                          const float *x, float *y, int64_t u0, int64_t u1);
/* Bytes of memory for a run whose filter is made of rows while it runs, else 0:
 * a large one, if f says at_run.  The first run reads it without storing it:
 * nothing is written that one run does not need.  From the third on it is
 * packed. */
size_t sn_conv_f32_nwork(const SnConvF32 *p);
/* sn_conv_f32_run of any filter, with such memory, 64-aligned. */
void sn_conv_f32_run_rows(const SnConvF32 *p, void *work, const float *x,
                          float *y, int64_t u0, int64_t u1);
/* Units that may be computed separately, and approximate nanoseconds for all of
 * them. */
int64_t sn_conv_f32_units(const SnConvF32 *p);
int64_t sn_conv_f32_cost(const SnConvF32 *p);
/* x [n, h, w, c] to y [n, oh, ow, oc]: units [u0, u1).  Not of a filter that is
 * made while it runs: sn_conv_f32_run_rows. */
void sn_conv_f32_run(const SnConvF32 *p, const float *x, float *y, int64_t u0,
                     int64_t u1);

#endif
