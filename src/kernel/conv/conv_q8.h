// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on 8-bit codes, as implicit GEMM: a plan
 * packs the filter once; a run widens rows of x, with padding, into a small
 * buffer, where the taps of every result pixel are a few runs of bytes, and
 * multiplies tiles of pixels with panels of output channels.  The end of a
 * contract (numerics.md) is part of the tile.
 *
 * Two forms of the widened x: 8-bit codes (+ 128 where the instruction wants
 * u8: the VNNI sets; padding holds x.zp likewise, the correction is in the
 * bias), or s16 differences x - x.zp (padding 0).  With AVX-512 the filter may
 * have codes + 128 instead, which 128 times the sum of a pixel's taps corrects:
 * then codes of x are multiplied as they are read.  Neither saturates on the
 * way; sums wrap modulo 2^32.  Results that miss the same taps, which lie in
 * padding, form a class, with tiles of its own that skip them; where the tiles
 * want codes and no taps are left in padding, x itself is read. */
#ifndef SN_CONV_Q8_H
#define SN_CONV_Q8_H

#include <stdint.h>
#include "base/arena.h"
#include "kernel/conv/conv_run.h"
#include "kernel/conv_geo.h"
#include "kernel/variant.h"

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
    int flip; /* added to each code: 128 or 0 */
} SnPack16;
/* Sets sum to the sums of each channel's codes; false: it cannot pack these and
 * has changed nothing. */
typedef bool SnPack16Fn(const SnPack16 *p, int32_t sum[16]);
#if defined(__x86_64__)
SnPack16Fn sn_conv_pack16_x86;
#endif

/* A variant: what differs between instruction sets. */
typedef struct SnGemm {
    SnIsa isa;
    const SnConvTiles *tiles;
    const SnConvTiles *flipped; /* the same with a flip; NULL: none */
    int kstep;                  /* elements to a step */
    int ntile; /* most panels of SN_LANE channels side by side */
    int rate;  /* products a nanosecond, about */
    int least; /* fewer rows than this in a tile of ntile panels take as long: a
                  sum waits for the one before it */
    int dwblock;
    /* Places in filter, bias and mul: of channel i of a depthwise block, and of
     * one of ntile panels side by side (NULL: in order, as of fewer). */
    SnPlaceFn *dwplace, *place;
    SnPack16Fn *pack16; /* or NULL; esize 1, kstep 4 */
    /* Packs depthwise weights: w[tap][channel], s16, of one block. */
    void (*dwpack)(const int16_t *w, int64_t ntap, void *to);
} SnGemm;
extern const SnConvTiles sn_tiles_portable, sn_tiles_avx2, sn_tiles_avxvnni;
extern const SnConvTiles sn_tiles_vnni256, sn_tiles_vnni, sn_tiles_neon;
extern const SnConvTiles sn_tiles_vnni_flip;
const SnGemm *sn_gemm(SnIsa isa);
extern SnVariants sn_conv_variants;

/* ---- plans ---- */

/* Whether a plan can be made: what one row of results reads, widened with its
 * padding, stays below 2^30 elements, and what all of them read can be counted
 * in bytes.  Windows that reach far out into padding do not. */
bool sn_conv_q8_holds(const SnConvGeo *geo);
/* Whether all taps of a window lie side by side, as in a picture of one column:
 * so they do in packed panels, which are then others. */
bool sn_conv_q8_column(const SnConvGeo *geo);

typedef struct SnConvNum SnConvNum;

/* Whether tiles of two by two results are possible, and exact. */
bool sn_conv_q8_tiles(SnIsa isa, const SnConvGeo *geo, const SnConvNum *num);
/* What the cost rules choose: a function of the set and the sizes, and of
 * whether such tiles are possible. */
SnConvPick sn_conv_q8_rules(SnIsa isa, const SnConvGeo *geo, bool tiles);
/* Whether a plan with this pick is possible. */
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
    const SnArena *from; /* where w is: packed parts are unloaded; or NULL */
    const int8_t *(*filter)(void *ctx); /* gives w, if w is NULL, when it is
                                           first read */
    void *ctx;
    struct SnPackItem *panels, *biases; /* where they are kept when packed, or
                                           NULL; depthwise: NULL */
    const SnConvPick *pick;             /* one that fits, or NULL: the rules' */
    bool sums; /* results are the int32 sums themselves, modulo 2^32, by
                  sn_conv_q8_sums: of all this only wz counts, bias is NULL */
    /* For one that `sinter compile` writes: it has SnGemm.tiles alone. */
    bool program;
};

/* geo is valid; w is [oc, kh, kw, c / group].  Everything is stored in a,
 * panels and biases in their items: if both are ready, w and the bias are not
 * read. */
const SnConvQ8 *sn_conv_q8_plan(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                                const SnConvNum *num, const int8_t *w);
/* Bytes of working memory for a run. */
size_t sn_conv_q8_work(const SnConvQ8 *p);
/* Units that may be computed separately, and approximate nanoseconds for all of
 * them. */
int64_t sn_conv_q8_units(const SnConvQ8 *p);
int64_t sn_conv_q8_cost(const SnConvQ8 *p);
/* sn_conv_q8_run: x [n, h, w, c] to y [n, oh, ow, oc], whose pixels lie `pitch`
 * codes apart: units [u0, u1).  The same for a plan of sums: y = sum((x - xz) *
 * (w - wz)), pixels `pitch` int32 apart. |x - xz| and |w - wz| are at most 255.
 */
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
/* Units per call whose results are still in the caches after it. */
int64_t sn_conv_q8_step(const SnConvQ8 *p);
/* The rows, counted through all images, and channels that units [u0, u1)
 * compute; w: pixels of a row. */
typedef struct SnConvPart {
    int64_t r0, r1, c0, c1, w;
} SnConvPart;
SnConvPart sn_conv_q8_part(const SnConvQ8 *p, int64_t u0, int64_t u1);
/* Whether pitch may be more than oc. */
bool sn_conv_q8_pitched(const SnConvQ8 *p);

#endif
