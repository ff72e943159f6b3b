// SPDX-License-Identifier: Apache-2.0
/* Quantize to 8-bit codes of one scale, also in programs that `sinter compile`
 * writes. */
#ifndef SN_QUANT_Q8_H
#define SN_QUANT_Q8_H

#include <stdint.h>

typedef struct SnQuant8 {
    float scale, lo, hi; /* lo, hi less zp */
    int32_t zp;
} SnQuant8;
typedef void SnQuant8Fn(const SnQuant8 *p, const float *x, int64_t n,
                        int8_t *y);
/* In C, and for tails of the others. */
SnQuant8Fn sn_quant8_c;
SnQuant8Fn sn_quant8_avx2, sn_quant8_avx512;

#endif
