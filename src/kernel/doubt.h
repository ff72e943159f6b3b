// SPDX-License-Identifier: Apache-2.0
/* Elements that a kernel has computed and that may round otherwise: loops store
 * a bit for each, and what is in doubt is computed again, together. */
#ifndef SN_DOUBT_H
#define SN_DOUBT_H

#include <stdint.h>
#include <string.h>

/* Writes the places of the bits among nbyte bytes to at[], returns how many.
 * The bytes behind them, up to a multiple of 8, are readable and 0. */
static inline int64_t
sn_doubts(const void *bits, int64_t nbyte, int32_t *at)
{
    const char *from = bits;
    int64_t n = 0;

    for (int64_t i = 0; i < nbyte; i += 8) {
        uint64_t w;
        memcpy(&w, from + i, sizeof w);
        for (; w; w &= w - 1)
            at[n++] = (int32_t)(8 * i + __builtin_ctzll(w));
    }
    return n;
}

#endif
