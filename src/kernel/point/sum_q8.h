// SPDX-License-Identifier: Apache-2.0
/* Sums of two operands of 8-bit codes by one rounding, also in programs that
 * `sinter compile` writes. */
#ifndef SN_SUM_Q8_H
#define SN_SUM_Q8_H

#include <stdbool.h>
#include <stdint.h>

/* ---- sums, without a division ----
 * y = rne(fmaf(ra, a, fmaf(rb, b, f))) + z in [lo, hi], on codes as they are.
 * Its rounding is not that of numerics.md, so it is used only where it was
 * checked to give the right code for each of the 65 536 pairs. */

typedef struct SnSum8 {
    float ra, rb, f;
    int32_t z;
    int8_t lo, hi;
    bool swap; /* a and ra are the inner ones, instead of b and rb */
} SnSum8;
/* n is a multiple of SN_SUM8; swap is ignored. */
typedef void SnSum8Fn(const SnSum8 *p, const int8_t *a, const int8_t *b,
                      int64_t n, int8_t *y);
enum { SN_SUM8 = 64 };
/* In C: the same results as the others while they are below 2^31 before the
 * clamp. */
SnSum8Fn sn_sum8_c;
SnSum8Fn sn_sum8_avx2, sn_sum8_avx512;
/* For any n, with the operands exchanged if p says so. */
void sn_sum8_by(SnSum8Fn *sum, const SnSum8 *p, const int8_t *a,
                const int8_t *b, int64_t n, int8_t *y);

/* ---- programs of `sinter compile` have nothing from here on ---- */

/* Nudges p's f until `sum` gives table[256 * (a + 128) + b + 128] for all pairs
 * of codes; false when no attempt succeeds. */
bool sn_sum8_fit_by(SnSum8Fn *sum, SnSum8 *p, const int8_t *table);

#endif
