// SPDX-License-Identifier: Apache-2.0
/* Plans of conv_q8.h as they run: what conv_run.c and tiles read.  Plain C,
 * also in programs that `sinter compile` writes. */
#ifndef SN_CONV_RUN_H
#define SN_CONV_RUN_H

#include <stddef.h>

#include "kernel/sizes.h"

enum { SN_TILE_M = 8, SN_TILE_N = SN_PANELS * SN_LANE };

/* What follows the sum: rne((float)(acc + bias - wz * rowsum) * mul), in
 * [lo, hi], plus zp.  Arrays are per output channel, padded to the panel. */
typedef struct SnEnd {
    const int32_t *bias;
    const float *mul;
    const int32_t *wz; /* NULL: all zero points of the filter are 0 */
    float lo, hi;      /* clamp bounds less zp */
    bool small;        /* every mul < 1: products stay in int32 */
    bool sums;         /* nothing follows: y takes the int32 sums; each pixel of
                          y and t->c0 are still counted in bytes */
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
    const int32_t *rowsum; /* of each; used with end.wz, and where the filter
                              has codes + 128 */
    int64_t ntile;
    int64_t x0, c0;              /* added to every x and y */
    const void *w;               /* panel: [run][step][lane][elements] */
    const char *ahead, *aheadto; /* prefetched by tiles of several rows */
    bool far; /* tiles of one row prefetch the filter that they read */
    const SnConvRun *run; /* from x and w on */
    int64_t nrun, nstep;  /* steps in each run */
    int ncol;             /* channels to store */
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
/* Of n pixels, x0 bytes on: the sum of the len widened elements of each run. */
typedef void SnSumFn(const SnPx *px, int64_t n, int64_t x0,
                     const SnConvRun *run, int64_t nrun, int64_t len,
                     int32_t *to);

/* What differs between instruction sets when a plan runs. */
typedef struct SnConvTiles {
    int esize;   /* bytes of widened x: 1 (a code) or 2 (s16) */
    int offset;  /* added to a code that is widened to 1 byte: 128 (u8) or 0, */
    bool inside; /* by the tiles: widened x is the codes, so x itself can be
                    read */
    int mtile[SN_TILE_N / SN_LANE]; /* most rows of a tile; [panels - 1] */
    SnWidenFn *widen;
    SnSumFn *sum;
    SnTileFn *tile[SN_TILE_N / SN_LANE][SN_TILE_M]; /* [panels - 1][rows - 1] */
    SnDwFn *dw;
    SnDw3Fn *dw3[2]; /* column steps of 1 and 2; or NULL; where .inside */
    const struct SnWino *wino; /* kernel/conv/conv_wino.h, or NULL; esize 2 */
    int flip; /* added to a filter's codes: 128, and tiles take 128 * rowsum off
                 sums; or 0 */
} SnConvTiles;

typedef struct SnConvBlock { /* a panel of output channels */
    int64_t c0;              /* first output channel */
    int64_t x0; /* byte offset of its group's channels in a pixel */
    int npanel; /* of SN_LANE channels */
    int ncol;   /* channels that exist */
    const void *w;
    SnEnd end;
    const int32_t *const *bias; /* [class]; depthwise: in end */
} SnConvBlock;

/* The results of rows r and columns c, which read the same taps. */
typedef struct SnConvClass {
    SnSpan r, c;
    int64_t x0; /* bytes from the window's begin to its first tap */
    int64_t nrun, nstep, len; /* len: elements of a run */
    const SnConvRun *run;
} SnConvClass;

typedef struct SnConvQ8 {
    const SnConvTiles *t;
    uint32_t nclass;
    uint32_t nblock;
    const SnConvClass *classes;
    const SnConvBlock *block;
    int32_t xz;
    bool rowsum;
    bool by_block; /* units are blocks, else result rows of all images */
    bool direct;   /* tiles read x itself, */
    bool alone;    /* for one pixel: nothing is listed */
    bool far;      /* SnTile.far: the filter is too large for the first cache */
    bool wino;     /* by tiles of two by two results */
    bool sums;     /* SnConvNum.sums; set before the shape */
    bool depthwise;
    bool columns; /* depthwise: taps by columns, for dw3: x itself is read,
                     where rows outside it, and columns, are npad codes x.zp
                     behind the widened rows, or if rep > 1 those, */
    bool raw;     /* with the filter's codes; its zero points are in end.wz */
    int64_t rate; /* sn_pack_rate of the filter */
    const struct SnGemm *g; /* what it was planned with */
    SnConvGeo geo;
    size_t npad;
    int64_t rep; /* depthwise: pixels side by side in a block */
    /* The widened rows: wp pixels each, pixel j at column j * colstep - pl;
     * a result row advances by bsh of them, a result column by bsw pixels. */
    int64_t wp, bsh, bsw, colstep;
    int64_t rows; /* result rows to a chunk */
    int64_t brows;
    size_t buf, nwork;
    int64_t xpitch;           /* pixels to a row of what tiles read */
    int64_t nrun, nstep, len; /* of a whole window, as packed */
    int64_t ntap;             /* depthwise: taps as packed, */
    const int64_t *tap;       /* and where they are, bytes */
} SnConvQ8;

/* The place of channel i of 64 (AVX-512) or 16 (AVX2) for which packing puts
 * results in order. */
static inline int
sn_place_vnni(int i)
{
    return i % 16 / 4 * 16 + i / 16 * 4 + i % 4;
}
static inline int
sn_place_avx2(int i)
{
    return i % 8 / 4 * 8 + i / 8 * 4 + i % 4;
}

/* Before a tile: may be unused in a program. */
#if defined(__GNUC__)
#define SN_SPARE __attribute__((unused))
#else
#define SN_SPARE
#endif

/* conv_q8.h */
void sn_conv_q8_run(const SnConvQ8 *p, const int8_t *x, int8_t *y,
                    int64_t pitch, void *work, int64_t u0, int64_t u1);

#endif
