// SPDX-License-Identifier: Apache-2.0
/* Sums of products over a map: the inner loops of contractions, for the
 * generated evaluators.  Integer sums are exact modulo 2^32 (or 2^64); every
 * float sum is one chain acc = fmaf(x, w, acc) in the order of its taps, from
 * the bias on, so that neither vector width nor blocking changes a bit. */
#ifndef SN_DOT_H
#define SN_DOT_H

#include "kernel/eval/map.h"
#include "kernel/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_LANES = 64 };

/* Walks all groups and lanes of a map in blocks of up to SN_LANES lanes:
 *     sn_dot_open(&dot, &m, c, x, w, bias);
 *     while (sn_dot_next(&dot))
 *         for (i = 0; i < dot.n; i++)
 *             ... lane dot.l0 + i of the map's current group: dot.f[i] ... */
typedef struct SnDot {
    int64_t l0, n;
    float f[SN_LANES];   /* f32 operands */
    int32_t i[SN_LANES]; /* sum of (x - x.zp) * (w - w.zp), both qi8 */
    int64_t w[SN_LANES]; /* the same, any of them qi16 */
    /* private */
    SnMap *m;
    const SnTensor *x, *wt;
    const float *bias;
    int64_t g, width, pack_b0, pack_l0, kpad;
    void *pack, *taps;
    const struct SnDotLoops *loops;
} SnDot;

/* x and w are the first and second mapped operand; both f32, or both quantized
 * with at most 16 bits, x per tensor.  bias: f32 [channels] or NULL, for f32
 * only.  m is open. */
void sn_dot_open(SnDot *d, SnMap *m, const SnCall *c, const SnTensor *x,
                 const SnTensor *w, const float *bias);
bool sn_dot_next(SnDot *d);

/* ---- variants ---- */

/* acc[0..width) += taps of the map's runs, x shared by all lanes; pack is
 * [maxtap][width], width a multiple of 8. */
typedef void SnDotF32(const SnMap *m, const float *x, const float *pack,
                      int64_t width, float *acc);
/* acc[0..width) = sum over kpad taps; pack is [kpad / 2][width][2]. */
typedef void SnDotS16(const int16_t *x, const int16_t *pack, int64_t kpad,
                      int64_t width, int32_t *acc);
/* acc[i] = fmaf(x[i], w[i], acc[i]); acc[i] += (x[i] - zx) * w[i] */
typedef void SnMacF32(const float *x, const float *w, int64_t n, float *acc);
typedef void SnMacS8(const int8_t *x, int32_t zx, const int16_t *w, int64_t n,
                     int32_t *acc);

typedef struct SnDotLoops {
    SnDotF32 *f32;
    SnDotS16 *s16;
    SnMacF32 *mac_f32;
    SnMacS8 *mac_s8;
} SnDotLoops;
/* Evaluators take the best that the processor has: SINTER_CPU is for kernels,
 * which are compared with them. */
extern SnVariants sn_dot_variants;

#ifdef __cplusplus
}
#endif

#endif
