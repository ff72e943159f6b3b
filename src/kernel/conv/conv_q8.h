// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on 8-bit codes, as implicit GEMM: a plan
 * packs the filter once; a run widens rows of x, with padding, into a small
 * buffer, where the taps of every result pixel are a few runs of bytes, and
 * multiplies tiles of pixels with panels of output channels.  The end of a
 * contract (numerics.md) is part of the tile.
 *
 * Two forms of the widened x: 8-bit codes, + 128 where the instruction wants
 * u8 (VNNI; padding holds x.zp likewise, the correction is in the bias), or
 * s16 differences x - x.zp (padding 0).  Neither saturates on the way; sums
 * wrap modulo 2^32.  Results that miss the same taps, which lie in padding,
 * form a class, with tiles of its own that skip them; where the tiles want
 * codes and no taps are left in padding, x itself is read. */
#ifndef SN_CONV_Q8_H
#define SN_CONV_Q8_H

#include <stdint.h>
#include "base/arena.h"
#include "kernel/conv_geo.h"
#include "kernel/variant.h"

enum { SN_TILE_M = 8, SN_TILE_N = SN_PANELS * SN_LANE };

/* What follows the sum: rne((float)(acc + bias - wz * rowsum) * mul), in
 * [lo, hi], plus zp.  Arrays are per output channel, padded to the panel. */
typedef struct SnEnd {
    const int32_t *bias;
    const float *mul;
    const int32_t *wz; /* NULL: all zero points of the filter are 0 */
    float lo, hi;      /* clamp bounds less zp */
    bool small;        /* every mul < 1: products stay in int32 */
    bool sums;         /* nothing follows: y takes the int32 sums, each pixel
                          of y and t->c0 counted in bytes as ever */
    int32_t zp;
    int8_t low, high; /* clamp bounds, codes */
} SnEnd;

/* Neighbouring taps: where they begin in x, bytes, and in a panel, steps. */
typedef struct SnConvRun {
    int64_t x, w;
} SnConvRun;

/* A result pixel: its first tap in x, its first channel in y. */
typedef struct SnPx {
    const char *x;
    int8_t *y;
} SnPx;

/* Tiles of m pixels each times one panel. */
typedef struct SnTile {
    const SnPx *px;        /* [ntile * m] */
    const int32_t *rowsum; /* of each; used with end.wz */
    int64_t ntile;
    int64_t x0, c0;              /* added to every x and y */
    const void *w;               /* panel: [run][step][lane][elements] */
    const char *ahead, *aheadto; /* will be wanted soon */
    const SnConvRun *run;        /* from x and w on */
    int64_t nrun, nstep;         /* steps in each run */
    int ncol;                    /* channels to store */
    SnEnd end;
} SnTile;
typedef void SnTileFn(const SnTile *t);

/* Depthwise: npx pixels of nc channels.  tap: byte offsets of the taps in
 * widened x, ntap a multiple of 4; w as packed for the variant. */
typedef struct SnDw {
    const char *x; /* first pixel, channel c0 */
    int8_t *y;
    int64_t npx, step; /* bytes between neighbouring pixels of x */
    int64_t pitch;     /* bytes between those of y */
    int64_t ntap;
    const int64_t *tap;
    const void *w;
    int nc; /* up to SnGemm.dwblock */
    SnEnd end;
} SnDw;
typedef void SnDwFn(const SnDw *d);

/* Depthwise, three by three taps on codes, without dilation along the row.
 * Results advance by one or two columns; the first one's window begins at
 * column `col`, and columns outside [0, width) are read from pad.  w: taps by
 * columns, 4 * column + row, every fourth with weight 0. */
typedef struct SnDw3 {
    const int8_t *const *row; /* column 0 of the rows of x, in order; */
    int64_t sh, dh;    /* rows to the next row of results, between taps */
    int64_t x0;        /* added to every row */
    const int8_t *pad; /* codes x.zp, as many as a column has */
    int64_t col, width;
    int64_t px; /* bytes between neighbouring columns */
    int8_t *y;
    int64_t pitch, npx;
    int64_t line, nrow; /* rows of results, bytes apart */
    const void *w;
    int nc;
    SnEnd end;
} SnDw3;
typedef void SnDw3Fn(const SnDw3 *d);

/* y[i] = x[i] widened, z: zero point. */
typedef void SnWidenFn(const int8_t *x, int64_t n, int32_t z, void *y);
/* Sum of the len widened elements of each run. */
typedef int32_t SnSumFn(const char *x, const SnConvRun *run, int64_t nrun,
                        int64_t len);

typedef int SnPlaceFn(int i);

/* Sixteen channels of a filter that comes with a run: channel c's code k at
 * w[c * step_c + k * step_k].  Each step has four codes of each; four channels
 * are neighbours there, and `apart` bytes from the next four. */
typedef struct SnPack16 {
    const int8_t *w;
    int64_t step_c, step_k, len;
    char *to;
    int64_t line; /* bytes to a step */
    int64_t apart;
} SnPack16;
/* Sets sum to that of each channel's codes; false: it cannot pack these, and
 * has done nothing. */
typedef bool SnPack16Fn(const SnPack16 *p, int32_t sum[16]);
#if defined(__x86_64__)
SnPack16Fn sn_conv_pack16_x86;
#endif

/* A variant: what differs between instruction sets. */
typedef struct SnGemm {
    SnIsa isa;
    int esize;   /* bytes of widened x: 1 (a code) or 2 (s16) */
    int offset;  /* added to a code that is widened to 1 byte: 128 (u8) or 0, */
    bool inside; /* by the tiles: widened x is the codes, x itself will do */
    int kstep;   /* elements to a step */
    int mtile[SN_TILE_N / SN_LANE]; /* most rows of a tile; [panels - 1] */
    int ntile; /* most panels of SN_LANE channels side by side */
    int rate;  /* products a nanosecond, about */
    int least; /* rows of a tile of ntile panels that fewer take as long as: a
                  sum waits for the one before it */
    int dwblock;
    SnWidenFn *widen;
    SnSumFn *sum;
    SnTileFn *tile[SN_TILE_N / SN_LANE][SN_TILE_M]; /* [panels - 1][rows - 1] */
    SnDwFn *dw;
    SnDw3Fn *dw3[2]; /* column steps of 1 and 2; or NULL; where .inside */
    /* Places in filter, bias and mul: of channel i of a depthwise block, and of
     * one of ntile panels side by side (NULL: in order, as of fewer). */
    SnPlaceFn *dwplace, *place;
    SnPack16Fn *pack16;        /* or NULL; esize 1, kstep 4 */
    const struct SnWino *wino; /* kernel/conv/conv_wino.h, or NULL; esize 2 */
    /* Packs depthwise weights: w[tap][channel], s16, of one block. */
    void (*dwpack)(const int16_t *w, int64_t ntap, void *to);
} SnGemm;
const SnGemm *sn_gemm(SnIsa isa);
extern SnVariants sn_conv_variants;

/* ---- plans ---- */

/* Whether a plan can be made: what one row of results reads, widened with its
 * padding, stays below 2^30 elements, and what all of them read can be counted
 * in bytes.  Windows that reach far out into padding do not. */
bool sn_conv_q8_holds(const SnConvGeo *geo);

typedef struct SnConvNum SnConvNum;

/* Whether tiles of two by two results are possible, and exact. */
bool sn_conv_q8_tiles(SnIsa isa, const SnConvGeo *geo, const SnConvNum *num);
/* What the cost rules choose: a function of the set and the sizes, and of
 * whether such tiles are possible. */
SnConvPick sn_conv_q8_rules(SnIsa isa, const SnConvGeo *geo, bool tiles);
/* Whether a plan can be made so. */
bool sn_conv_q8_fits(SnIsa isa, const SnConvGeo *geo, bool tiles,
                     const SnConvPick *k);

/* The contract's numbers.  One multiplier and one wz, or one per channel. */
struct SnConvNum {
    int32_t xz, yz, lo, hi;
    const float *mul;
    uint32_t nmul;
    const int32_t *wz;
    uint32_t nwz;
    const int32_t *bias; /* [oc] or NULL */
    const SnArena *from; /* where w is: what was packed is unloaded; or NULL */
    const int8_t *(*filter)(void *ctx); /* gives w, where w is NULL, when it is
                                           looked at first */
    void *ctx;
    struct SnPackItem *panels, *biases; /* where they are kept when packed, or
                                           NULL; depthwise: NULL */
    const SnConvPick *pick;             /* one that fits, or NULL: the rules' */
    bool sums; /* results are the int32 sums themselves, modulo 2^32, by
                  sn_conv_q8_sums: of all this only wz counts, bias is NULL */
};

typedef struct SnConvQ8 SnConvQ8;

/* geo is one that holds; w is [oc, kh, kw, c / group].  Everything lands in a,
 * panels and biases in their items: where both are ready w and the bias are not
 * looked at. */
const SnConvQ8 *sn_conv_q8_plan(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                                const SnConvNum *num, const int8_t *w);
/* Bytes of work for a run. */
size_t sn_conv_q8_work(const SnConvQ8 *p);
/* Units that may be computed apart, and nanoseconds of the whole, about. */
int64_t sn_conv_q8_units(const SnConvQ8 *p);
int64_t sn_conv_q8_cost(const SnConvQ8 *p);
/* x [n, h, w, c] to y [n, oh, ow, oc], whose pixels lie `pitch` codes apart:
 * units [u0, u1). */
void sn_conv_q8_run(const SnConvQ8 *p, const int8_t *x, int8_t *y,
                    int64_t pitch, void *work, int64_t u0, int64_t u1);
/* The same for a plan of sums: y = sum((x - xz) * (w - wz)), pixels `pitch`
 * int32 apart.
 * |x - xz| and |w - wz| are at most 255. */
void sn_conv_q8_sums(const SnConvQ8 *p, const int8_t *x, int32_t xz, int32_t *y,
                     int64_t pitch, void *work, int64_t u0, int64_t u1);
/* Products with a matrix that is computed: p is a plan of one tap without
 * padding, made with any filter, and its biases 0.  Bytes, and a plan in `to`
 * (at 64 of alignment) whose filter is w, channel c's element k at w[c * step_c
 * + k * step_k]; one zero point for all channels, that of p's. */
size_t sn_conv_q8_packed(const SnConvQ8 *p);
const SnConvQ8 *sn_conv_q8_pack(const SnConvQ8 *p, const int8_t *w,
                                int64_t step_c, int64_t step_k, int32_t wz,
                                void *to);
/* Units to a call after which their results are still in the caches. */
int64_t sn_conv_q8_step(const SnConvQ8 *p);
/* What units [u0, u1) are: rows of all images, one after the other, and
 * channels. */
typedef struct SnConvPart {
    int64_t r0, r1, c0, c1;
} SnConvPart;
SnConvPart sn_conv_q8_part(const SnConvQ8 *p, int64_t u0, int64_t u1);
/* Whether pitch may be more than oc. */
bool sn_conv_q8_pitched(const SnConvQ8 *p);

#endif
