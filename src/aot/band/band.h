// SPDX-License-Identifier: Apache-2.0
/* Chains of steps that are computed band by band: a call of each makes some
 * rows of its result, and no value in between is ever complete in memory.  The
 * last rows that the next step reads stay in a buffer, so nothing is computed
 * twice.  A row is what lies at one place of the first axis that has more than
 * one.  These functions say which rows a call reads, and which chains are
 * cheapest for a limit of memory; aot/band_find.c knows nodes. */
#ifndef SN_BAND_H
#define SN_BAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a step reads for a row, and how it runs in a chain. */
typedef struct SnBand {
    bool can;            /* it can be in a chain, */
    bool link;           /* and the next step after it */
    uint32_t x;          /* slot of the only operand that is not a constant */
    uint32_t var;        /* the map's variable of rows */
    int64_t nrow, width; /* rows of the result, elements of one */
    int64_t shift;       /* elements of x between consecutive rows */
    bool plain;          /* reads no row outside of x: x may be a value in its
                            place in memory */
    bool rows;           /* x may be a buffer of rows: */
    int64_t xnrow, xwidth;
    size_t xsize;            /* bytes of an element */
    int64_t step, taps, pad; /* row y reads step * y - pad and taps - 1 more */
    int fill;                /* code of an element in a row outside of x */
    /* in a chain */
    bool on;
    uint32_t first, last;         /* its steps */
    int64_t count;                /* rows of the result that a call makes */
    const struct SnAotTile *tile; /* loops of a call */
    int64_t need;                 /* rows of x that it reads */
    int64_t held;   /* rows of x's buffer; 0: x is a value in its place */
    bool copied;    /* x is a value whose rows are copied */
    uint32_t block; /* the buffer, where they are */
    const char *in, *out, *call; /* what the call passes, in C; the call */
} SnBand;

/* The step makes `count` rows a call, of an operand that is made by `from` rows
 * a call; 0: it is a value in its place, -1: a value that is copied. */
void sn_band_rows(SnBand *b, int64_t count, int64_t from);
/* Bytes of x's buffer; approximate instructions of all copies. */
size_t sn_band_bytes(const SnBand *b);
double sn_band_copying(const SnBand *b);

/* A step that makes this many rows a call. */
typedef struct SnBandWay {
    int64_t count;
    bool ok; /* it has the same loops as without a chain */
    const struct SnAotTile *tile;
    size_t scratch; /* bytes of working memory of a call */
    double cost;    /* instructions beyond those of one call for all rows */
} SnBandWay;

struct SnBandChain;
typedef struct SnBandSearch {
    SnArena *a;
    uint32_t nstep;
    SnBand *band;        /* [nstep] */
    const size_t *least; /* [nstep] least bytes in use without chains */
    double all;          /* instructions of the program without chains */
    void *of;            /* of the functions */
    /* Sets all of w but its count. */
    SnStatus (*way)(void *of, uint32_t s, SnBandWay *w);
    /* Bytes of values that are live while steps first .. last run as a chain,
     * and that the chain does not change. */
    size_t (*fixed)(void *of, uint32_t first, uint32_t last);
    /* private */
    uint32_t *nway; /* [nstep] choices that were requested */
    SnBandWay **known;
    uint32_t nchain;
    struct SnBandChain *chain;
    size_t most, stay; /* bytes that may be in use; what `fixed` says */
    size_t *live;      /* [nstep] bytes in use */
} SnBandSearch;

void sn_band_open(SnBandSearch *q);
/* No step is in a chain. */
void sn_band_leave(SnBandSearch *q);
/* Puts steps into the cheapest chains that keep the bytes in use at every step
 * to about `most`, or into those that come closest. */
SnStatus sn_band_reach(SnBandSearch *q, size_t most);
/* The limit that pays best for an arena of this many bytes; the size of the
 * arena if none pays. */
SnStatus sn_band_limit(SnBandSearch *q, size_t arena, size_t *best);
/* Extra instructions that the chains take. */
double sn_band_cost(const SnBandSearch *q);

#ifdef __cplusplus
}
#endif

#endif
