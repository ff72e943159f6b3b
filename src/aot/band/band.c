// SPDX-License-Identifier: Apache-2.0
/* Rows that calls of a step read, and the buffer that holds them. */
#include "aot/band/band.h"

void
sn_band_rows(SnBand *b, int64_t count, int64_t from)
{
    int64_t have = b->pad, made = 0;

    b->count = count;
    b->need = from ? (count - 1) * b->step + b->taps : 0;
    b->held = b->need;
    for (int64_t y = 0; y < b->nrow && from > 0; y += count) {
        for (; have < b->need && made < b->xnrow; made += from)
            have += from;
        b->held = have > b->held ? have : b->held;
        have = (have < b->need ? b->need : have) - count * b->step;
    }
}

size_t
sn_band_bytes(const SnBand *b)
{
    return (size_t)(b->held * b->xwidth) * b->xsize;
}

/* newlib on a Cortex-M copies by words: .6 instructions a byte.  A call takes
 * 150 to set up its loops, and 150 for its copy. */
double
sn_band_copying(const SnBand *b)
{
    double calls = (double)(b->nrow / b->count), bytes;

    if (b->held == 0)
        return calls * 150;
    bytes = (double)sn_band_bytes(b) / (double)b->held;
    bytes *= (double)(b->need - b->count * b->step) * calls +
             (b->copied ? (double)b->xnrow : 0);
    return calls * 300 + bytes * .6;
}
