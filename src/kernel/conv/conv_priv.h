// SPDX-License-Identifier: Apache-2.0
/* Between conv_class.c, conv_pick.c, conv_plan.c and conv_run.c. */
#ifndef SN_CONV_PRIV_H
#define SN_CONV_PRIV_H

#include "kernel/conv/conv_q8.h"
#include "kernel/span.h"

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

struct SnConvQ8 {
    const SnGemm *g;
    SnConvGeo geo;
    int32_t xz;
    bool depthwise;
    bool columns; /* depthwise: taps by columns, for dw3: x itself is read,
                     where rows outside it, and columns, are npad codes x.zp
                     behind the widened rows, or if rep > 1 those, */
    size_t npad;
    bool raw;    /* with the filter's codes; its zero points are in end.wz */
    int64_t rep; /* depthwise: pixels side by side in a block */
    /* The widened rows: wp pixels each, pixel j at column j * colstep - pl;
     * a result row advances by bsh of them, a result column by bsw pixels. */
    int64_t wp, bsh, bsw, colstep;
    int64_t rows; /* result rows to a chunk */
    int64_t brows;
    size_t buf, nwork;
    int64_t xpitch;           /* pixels to a row of what tiles read */
    int64_t nrun, nstep, len; /* of a whole window, as it is packed */
    uint32_t nclass;
    const SnConvClass *class;
    int64_t ntap;       /* depthwise: taps as packed, */
    const int64_t *tap; /* and where they are, bytes */
    uint32_t nblock;
    const SnConvBlock *block;
    bool rowsum;
    bool by_block; /* units are blocks, else result rows of all images */
    bool direct;   /* tiles read x itself */
    bool wino;     /* by tiles of two by two results */
    bool sums;     /* SnConvNum.sums; set before the shape */
};

/* Sets g, geo and what follows from them and sums alone: depthwise, the steps
 * between pixels of widened rows, the runs of a window; of depthwise ones rep,
 * columns and direct. */
void sn_conv_shape(SnConvQ8 *p, SnIsa isa, const SnConvGeo *geo);

/* What sn_conv_q8_rules chooses for a shape that is set and not empty. */
SnConvPick sn_conv_rules(const SnConvQ8 *p, bool tiles);

/* Whether classes can begin at other taps than the window, as their channels
 * are whole steps, and whether that changes anything: some taps lie in padding,
 * or x itself can be read. */
bool sn_conv_can_clip(const SnConvQ8 *p);

/* Sets direct, xpitch and the classes of a convolution that is not depthwise:
 * one class, of widened rows, unless `clip`. */
void sn_conv_classes(SnArena *a, SnConvQ8 *p, bool clip);

#endif
