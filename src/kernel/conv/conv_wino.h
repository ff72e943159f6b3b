// SPDX-License-Identifier: Apache-2.0
/* Convolutions of three by three taps without stride, by two by two results at
 * a time with 16 products a channel in place of 36: Y = At [(G w Gt) (Bt x B)]
 * A of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks
 * (2016), F(2x2, 3x3).  In integers, and exactly: with 2 G for G every
 * intermediate is an integer, sums wrap modulo 2^32, and the result is four
 * times the sum of the contract, which is below 2^29 (sn_wino_fits). */
#ifndef SN_CONV_WINO_H
#define SN_CONV_WINO_H

#include "kernel/conv/conv_run.h"

enum { SN_WINO_POS = 16, SN_WINO_TILES = 6 };

/* What a tile of two by two results reads and writes. */
typedef struct SnWinoTile {
    const int16_t *v;  /* [SN_WINO_POS][c], its window transformed */
    int8_t *y;         /* first channel of its first pixel; */
    bool right, below; /* the others that exist */
} SnWinoTile;

/* Up to SN_WINO_TILES tiles, with consecutive v, times one panel. */
typedef struct SnWinoGroup {
    const SnWinoTile *tile;
    int ntile;
    int64_t c, cg;       /* channels of x, and those used: multiples of 16 */
    int64_t x0, c0;      /* added to every v (elements) and every y */
    int64_t pitch, line; /* bytes between pixels of y, and between rows */
    const void *w;       /* [SN_WINO_POS][cg / 2][SN_LANE][2], s16 */
    const char *ahead;   /* the same number of bytes, needed soon: prefetched */
    int turn, turns;     /* where place % turns == turn */
    int ncol;            /* channels to store */
    SnEnd end;
} SnWinoGroup;

/* Blocks [b0, b1) of nr rows of results, from widened x in buf. */
typedef struct SnWinoChunk {
    const struct SnConvQ8 *p;
    const char *buf;
    void *work;
    int8_t *y; /* first pixel */
    int64_t pitch, nr;
    uint32_t b0, b1;
} SnWinoChunk;

typedef struct SnWino {
    /* v[16][c] of the window of four by four pixels at x (s16, c apart), whose
     * rows are `line` elements apart. */
    void (*in)(const int16_t *x, int64_t line, int64_t c, int16_t *v);
    void (*group)(const SnWinoGroup *t);
    void (*run)(const SnWinoChunk *k); /* sn_wino_run */
} SnWino;
extern const SnWino sn_wino_avx2;

void sn_wino_run(const SnWinoChunk *k);

/* ---- programs of `sinter compile` have nothing from here on ---- */

#include "kernel/conv/conv_q8.h"

/* u[16] = (2 G) w (2 G)t of three by three differences w - w.zp. */
void sn_wino_filter(const int16_t w[9], int16_t u[SN_WINO_POS]);

/* Whether the convolution can be computed this way, by its shape, and because
 * no sum exceeds 2^29 whatever x and the filter hold; and whether it is worth
 * it, by the number of products. */
bool sn_wino_fits(const SnConvGeo *o, const SnConvNum *num);
bool sn_wino_pays(const SnConvGeo *o);

/* Result rows to a chunk, an even number, so that transformed x stays in the
 * second cache level together with a panel. */
int64_t sn_wino_rows(const SnConvGeo *o);
/* Bytes of working memory for such a chunk. */
size_t sn_wino_work(const SnConvGeo *o, int64_t rows);

#endif
