// SPDX-License-Identifier: Apache-2.0
/* Fused tables: rows of 8-bit codes, each followed by its f32 scale and f32
 * offset, so that a row is read with what it takes to decode it:
 * real = scale * code + offset. */
#ifndef SN_ROW8_H
#define SN_ROW8_H

#include <stddef.h>
#include <stdint.h>

/* v [rows, cols], finite; out takes rows * (cols + 8) bytes.  The offset is the
 * row's smallest value, the scale 1/255 of its range (1 where that is no
 * range), so an element is off by half a scale and its rounding at most. */
void sn_row8_pack(const float *v, int64_t rows, int64_t cols, uint8_t *out);

#endif
