/* Between conv_plan.c and conv_run.c. */
#ifndef SN_CONV_PRIV_H
#define SN_CONV_PRIV_H

#include "kernel/conv_q8.h"

typedef struct SnConvBlock { /* a panel of output channels */
    int64_t c0;              /* first output channel */
    int64_t x0; /* byte offset of its group's channels in a pixel */
    int npanel; /* of SN_LANE channels */
    int ncol;   /* channels that exist */
    const void *w;
    SnEnd end;
} SnConvBlock;

struct SnConvQ8 {
    const SnGemm *g;
    SnConvGeo geo;
    int32_t xz;
    bool depthwise;
    bool columns; /* depthwise: taps by columns, for dw3, */
    bool raw;     /* with the filter's codes; its zero points are in end.wz */
    int64_t rep;  /* depthwise: pixels side by side in a block */
    /* The widened rows: wp pixels each, pixel j at column j * colstep - pl;
     * a result row advances by bsh of them, a result column by bsw pixels. */
    int64_t wp, bsh, bsw, colstep;
    int64_t rows; /* result rows to a chunk */
    int64_t brows;
    size_t buf, nwork;
    int64_t nrun, nstep, len; /* len: elements of a run */
    const int64_t *run;
    uint32_t nblock;
    const SnConvBlock *block;
    bool rowsum;
    bool by_block; /* units are blocks, else result rows of all images */
    const int64_t *px; /* [rows * ow] where a chunk's pixels begin, bytes */
};

#endif
