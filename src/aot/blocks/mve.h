// SPDX-License-Identifier: Apache-2.0
/* Sums of products of codes by the vectors of Cortex-M55 and similar processors
 * (MVE), each with an equivalent in C.  A window is what one result reads:
 * codes, and the zero point where the map reads outside. */
#ifndef SN_MVE_H
#define SN_MVE_H

#include <stdint.h>
#include <string.h>

#include "aot/blocks/dot.h"

/* d[0 .. n): x[at + j] for lo <= j < hi, else zero. */
static inline void
sn_mve_window(int8_t *d, const int8_t *x, int at, int lo, int hi, int n,
              int zero)
{
    if (hi <= lo)
        lo = hi = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    for (int j = lo; j < hi; j += 16) {
        const mve_pred16_t p = vctp8q((uint32_t)(hi - j));
        vstrbq_p_s8(d + j, vldrbq_z_s8(x + at + j, p), p);
    }
#else
    for (int j = lo; j < hi; j++)
        d[j] = x[at + j];
#endif
    for (int j = 0; j < lo; j++)
        d[j] = (int8_t)zero;
    for (int j = hi; j < n; j++)
        d[j] = (int8_t)zero;
}

/* a[i]: the k elements of w by those of window i of 4, stride apart, less their
 * zero point.  Without optimization there are not enough registers. */
static SN_INLINE void
sn_mve_dots(const int8_t *w, const int8_t *x, int stride, int k, int zero,
            int32_t *a)
{
    int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, sum = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && \
    defined(__OPTIMIZE__)
    const int8_t *x0 = x, *x1 = x + stride, *x2 = x1 + stride;
    const int8_t *x3 = x2 + stride;

    __asm__ volatile(
        "wlstp.8 lr, %[k], 2f\n"
        "1:\n\t"
        "vldrb.8 q0, [%[w]], #16\n\t"
        "vldrb.8 q1, [%[x0]], #16\n\t"
        "vmladava.s8 %[a0], q0, q1\n\t"
        "vldrb.8 q2, [%[x1]], #16\n\t"
        "vmladava.s8 %[a1], q0, q2\n\t"
        "vldrb.8 q1, [%[x2]], #16\n\t"
        "vmladava.s8 %[a2], q0, q1\n\t"
        "vldrb.8 q2, [%[x3]], #16\n\t"
        "vmladava.s8 %[a3], q0, q2\n\t"
        "vaddva.s8 %[sum], q0\n\t"
        "letp lr, 1b\n"
        "2:"
        : [a0] "+Te"(a0), [a1] "+Te"(a1), [a2] "+Te"(a2), [a3] "+Te"(a3),
          [sum] "+Te"(sum), [w] "+r"(w), [x0] "+r"(x0), [x1] "+r"(x1),
          [x2] "+r"(x2), [x3] "+r"(x3)
        : [k] "r"(k)
        : "lr", "q0", "q1", "q2", "cc", "memory");
#else
    for (int j = 0; j < k; j++) {
        sum += w[j];
        a0 += w[j] * x[j];
        a1 += w[j] * x[stride + j];
        a2 += w[j] * x[2 * stride + j];
        a3 += w[j] * x[3 * stride + j];
    }
#endif
    sum *= zero;
    a[0] = a0 - sum;
    a[1] = a1 - sum;
    a[2] = a2 - sum;
    a[3] = a3 - sum;
}

/* Four sums, or four places, side by side. */
typedef struct SnFour {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    int32x4_t v;
#else
    int32_t v[4];
#endif
} SnFour;

static SN_INLINE SnFour
sn_mve_same(int32_t x)
{
    SnFour a;

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    a.v = vdupq_n_s32(x);
#else
    for (int i = 0; i < 4; i++)
        a.v[i] = x;
#endif
    return a;
}

/* 0, step, 2 * step, 3 * step. */
static SN_INLINE SnFour
sn_mve_places(int32_t step)
{
    SnFour a;

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    a.v = vmulq_n_s32(vreinterpretq_s32_u32(vidupq_n_u32(0, 1)), step);
#else
    for (int i = 0; i < 4; i++)
        a.v[i] = i * step;
#endif
    return a;
}

/* Four numbers in memory, each plus `more`. */
static SN_INLINE SnFour
sn_mve_of(const int32_t *p, int32_t more)
{
    SnFour a;

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    a.v = vaddq_n_s32(vldrwq_s32(p), more);
#else
    for (int i = 0; i < 4; i++)
        a.v[i] = sn_add32(p[i], more);
#endif
    return a;
}

static SN_INLINE void
sn_mve_sums(SnFour a, int32_t *p)
{
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    vstrwq_s32(p, a.v);
#else
    for (int i = 0; i < 4; i++)
        p[i] = a.v[i];
#endif
}

/* a + x[0 .. 3] * w. */
static SN_INLINE SnFour
sn_mve_tap(SnFour a, const int8_t *x, int32_t w)
{
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    a.v = vmlaq_n_s32(a.v, vldrbq_s32(x), w);
#else
    for (int i = 0; i < 4; i++)
        a.v[i] = sn_add32(a.v[i], x[i] * w);
#endif
    return a;
}

/* The same for x at these places. */
static SN_INLINE SnFour
sn_mve_tap_at(SnFour a, const int8_t *x, SnFour at, int32_t w)
{
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    const uint32x4_t from = vreinterpretq_u32_s32(at.v);
    a.v = vmlaq_n_s32(a.v, vldrbq_gather_offset_s32(x, from), w);
#else
    for (int i = 0; i < 4; i++)
        a.v[i] = sn_add32(a.v[i], x[at.v[i]] * w);
#endif
    return a;
}

/* y at these places: a by a multiplier, with a zero point, saturated to 8
 * bits. */
static SN_INLINE void
sn_mve_codes(SnFour a, float m, int32_t zp, int8_t *y, SnFour at)
{
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    int32x4_t q = vcvtnq_s32_f32(vmulq_n_f32(vcvtq_f32_s32(a.v), m));

    q = vqaddq_n_s32(q, zp);
    /* 32 bits to 16, 16 to 8, in place */
    __asm__("vqmovnb.s32 %q0, %q0\n\tvqmovnb.s16 %q0, %q0" : "+w"(q));
    vstrbq_scatter_offset_s32(y, vreinterpretq_u32_s32(at.v), q);
#else
    for (int i = 0; i < 4; i++)
        y[at.v[i]] = (int8_t)sn_dsp_requant(a.v[i], m, zp, -128, 127);
#endif
}

/* d[r * pitch + j]: x[r * down + j * right]. */
static SN_APART void
sn_mve_plane(int8_t *d, const int8_t *x, int rows, int cols, int down,
             int right, int pitch)
{
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    const uint16x8_t at = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)right);
#endif

    for (int r = 0; r < rows; r++, d += pitch, x += down) {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
        const int8_t *from = x;
        int8_t *to = d;
        __asm__ volatile(
            "wlstp.16 lr, %[cols], 2f\n"
            "1:\n\t"
            "vldrb.s16 q3, [%[from], %q[at]]\n\t"
            "vstrb.16 q3, [%[to]], #8\n\t"
            "add %[from], %[from], %[eight]\n\t"
            "letp lr, 1b\n"
            "2:"
            : [from] "+r"(from), [to] "+l"(to)
            : [cols] "r"(cols), [at] "w"(at), [eight] "r"(8 * right)
            : "lr", "q3", "cc", "memory");
#else
        for (int j = 0; j < cols; j++)
            d[j] = x[j * right];
#endif
    }
}

/* Four windows and all filters of a node, one at a time, and what is done with
 * their sums: bias, multiplier, zero point, saturation to 8 bits. */
typedef struct SnMvePut {
    const int8_t *x; /* the first window, the next `stride` after it */
    int32_t stride, k, zero;
    const int32_t *bias;
    const float *mult;
    int32_t mstep; /* from the multiplier of one filter to the next: 0, 1 */
    int8_t *y;     /* filter 0 of the first of four pixels, */
    int32_t step;  /* whose next pixel exists */
    int32_t zp;
    int32_t count; /* of filters */
} SnMvePut;

static SN_APART void
sn_mve_put(const int8_t *w, const SnMvePut *p)
{
    const SnFour at = sn_mve_places(p->step);
    const float *m = p->mult;

    for (int32_t f = 0; f < p->count; f++, w += p->k, m += p->mstep) {
        int32_t a[4];
        sn_mve_dots(w, p->x, p->stride, p->k, p->zero, a);
        sn_mve_codes(sn_mve_of(a, p->bias[f]), *m, p->zp, p->y + f, at);
    }
}

#endif
