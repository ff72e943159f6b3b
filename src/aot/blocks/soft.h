// SPDX-License-Identifier: Apache-2.0
/* What programs written by `sinter compile` call instead of a library: a copy
 * of what a program uses goes into its NAME_kernels.h.  Results have the bits
 * of libm and of sinter, whatever the compiler contracts. */
#ifndef SN_SOFT_H
#define SN_SOFT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/num.h"

/* a * b, which no compiler fuses with a sum: the product passes through an
 * object that is opaque to the optimizer. */
static inline float
sn_soft_mulf(float a, float b)
{
    float p = a * b;

#if defined(__GNUC__) && defined(__SSE_MATH__)
    __asm__("" : "+x"(p));
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("" : "+w"(p));
#elif defined(__GNUC__) && defined(__ARM_FP) && !defined(__SOFTFP__)
    __asm__("" : "+t"(p));
#elif defined(__GNUC__) && defined(__riscv_flen)
    __asm__("" : "+f"(p));
#elif defined(__GNUC__)
    __asm__("" : "+r"(p));
#else
    volatile float q = p;
    p = q;
#endif
    return p;
}

/* Rounding to nearest even, subnormal numbers as they are; the modes that the
 * processor had, of 32 bits, which sn_soft_restore sets again.  MXCSR: rounding
 * in bits 13 and 14, flush to zero 15, of operands 6.  FPCR and FPSCR: rounding
 * in 22 and 23, flush to zero 24, of half floats 19, on AArch64 of operands 0.
 */
static inline uint32_t
sn_soft_modes(void)
{
#if defined(__GNUC__) && defined(__SSE_MATH__)
    uint32_t was, now;

    __asm__ volatile("stmxcsr %0" : "=m"(was));
    now = was & ~(uint32_t)0xe040;
    __asm__ volatile("ldmxcsr %0" : : "m"(now) : "memory");
    return was;
#elif defined(__GNUC__) && defined(__aarch64__)
    uint64_t was;

    __asm__ volatile("mrs %0, fpcr" : "=r"(was));
    __asm__ volatile("msr fpcr, %0"
                     :
                     : "r"(was & ~(uint64_t)0x1c80001)
                     : "memory");
    return (uint32_t)was;
#elif defined(__GNUC__) && defined(__ARM_FP) && !defined(__SOFTFP__)
    uint32_t was;

    __asm__ volatile("vmrs %0, fpscr" : "=r"(was));
    __asm__ volatile("vmsr fpscr, %0"
                     :
                     : "r"(was & ~(uint32_t)0x1c80000)
                     : "memory");
    return was;
#elif defined(__GNUC__) && defined(__riscv_flen)
    unsigned long was;

    __asm__ volatile("csrrwi %0, frm, 0" : "=r"(was) : : "memory");
    return (uint32_t)was;
#else
    return 0;
#endif
}

static inline void
sn_soft_restore(uint32_t modes)
{
#if defined(__GNUC__) && defined(__SSE_MATH__)
    __asm__ volatile("ldmxcsr %0" : : "m"(modes) : "memory");
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)modes) : "memory");
#elif defined(__GNUC__) && defined(__ARM_FP) && !defined(__SOFTFP__)
    __asm__ volatile("vmsr fpscr, %0" : : "r"(modes) : "memory");
#elif defined(__GNUC__) && defined(__riscv_flen)
    __asm__ volatile("csrw frm, %0" : : "r"((unsigned long)modes) : "memory");
#else
    (void)modes;
#endif
}

/* v, hidden from gcc except that it has 8 bits.  For a lower limit that it
 * knows, gcc makes a branch for what is cut off, half of all results after a
 * Relu, which no processor predicts: mobilenetv2 took 1.9 times as long (gcc
 * 12, x86-64).  clang makes no branch; a Cortex-M4 has registers only for
 * known limits. */
static inline int32_t
sn_soft_any8(int32_t v)
{
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__clang__)
    __asm__("" : "+r"(v));
    if (v < INT8_MIN || v > INT8_MAX)
        __builtin_unreachable();
#endif
    return v;
}

/* fmaf: the product of two binary32 is exact in binary64; the sum is rounded to
 * odd there (Boldo and Melquiond), so that rounding it again is right. */
static inline float
sn_soft_fmaf(float a, float b, float c)
{
#if defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    double p = (double)a * (double)b, d = (double)c, s = p + d, t = s - p;
    double rest = (p - (s - t)) + (d - t);
    uint64_t u;

    memcpy(&u, &s, sizeof u);
    if (rest != 0 && s - s == 0 && !(u & 1))
        u += (rest > 0) == (s > 0) ? (uint64_t)1 : ~(uint64_t)0;
    memcpy(&s, &u, sizeof s);
    return (float)s;
#endif
}

/* sqrtf, correctly rounded: by the processor, or digit by digit. */
static inline float
sn_soft_sqrtf(float x)
{
#if defined(__GNUC__) && defined(__SSE_MATH__)
    __asm__("sqrtss %0, %0" : "+x"(x));
    return x;
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("fsqrt %s0, %s0" : "+w"(x));
    return x;
#elif defined(__GNUC__) && defined(__ARM_FP) && !defined(__SOFTFP__)
    __asm__("vsqrt.f32 %0, %0" : "+t"(x));
    return x;
#else
    uint32_t u = sn_bits_f32(x), m = u & 0x7fffff, q = 0;
    int e = (int)(u >> 23 & 255);
    uint64_t n, r = 0;

    if (u << 1 == 0 || u == 0x7f800000 || e == 255)
        return u == 0xff800000 ? sn_f32_of_bits(0x7fc00000) : x;
    if (u >> 31)
        return sn_f32_of_bits(0x7fc00000);
    for (e += e == 0; !(m >> 23) && (u >> 23) == 0; e--)
        m <<= 1;
    m |= 0x800000;
    /* x = m * 2^(e - 150); of an odd power the root of m * 2^25 is a number of
     * 25 bits, the last of which decides: there are no ties */
    e -= 150;
    n = (uint64_t)m << 25;
    if (e % 2 == 0) {
        n <<= 1;
        e--;
    }
    for (int i = 25; i >= 0; i--) {
        uint64_t t = (r + ((uint64_t)1 << i)) << i;
        if (t <= n) {
            n -= t;
            r += (uint64_t)2 << i;
            q |= (uint32_t)1 << i;
        }
    }
    q = (q >> 1) + (q & 1);
    return sn_f32_of_bits(((uint32_t)((e - 25) / 2 + 150) << 23) + q);
#endif
}

static inline float
sn_soft_fabsf(float x)
{
    return sn_f32_of_bits(sn_bits_f32(x) & 0x7fffffff);
}

/* x with the sign of s. */
static inline float
sn_soft_sign(float x, float s)
{
    return sn_f32_of_bits((sn_bits_f32(x) & 0x7fffffff) |
                          (sn_bits_f32(s) & 0x80000000));
}

/* From 2^23 on every number is an integer. */
static inline float
sn_soft_floorf(float x)
{
    if (!(sn_soft_fabsf(x) < 8388608.0f))
        return x;
    float t = (float)(int32_t)x;
    return sn_soft_sign(t > x ? t - 1 : t, x);
}

static inline float
sn_soft_ceilf(float x)
{
    if (!(sn_soft_fabsf(x) < 8388608.0f))
        return x;
    float t = (float)(int32_t)x;
    return sn_soft_sign(t < x ? t + 1 : t, x);
}

/* To the nearest integer, ties to even. */
static inline float
sn_soft_rintf(float x)
{
    float a = sn_soft_fabsf(x);

    if (!(a < 8388608.0f))
        return x;
    float t = (float)(int32_t)a, rest = a - t;
    bool up = rest > 0.5f || (rest == 0.5f && ((int32_t)t & 1));
    return sn_soft_sign(up ? t + 1 : t, x);
}

/* ---- indices ---- */

static inline int
sn_soft_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int
sn_soft_max(int a, int b)
{
    return a > b ? a : b;
}

static inline int
sn_soft_abs(int a)
{
    return a < 0 ? -a : a;
}

/* The quotient toward minus infinity, and the remainder. */
static inline int
sn_soft_div(int a, int b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int
sn_soft_mod(int a, int b)
{
    return a - sn_soft_div(a, b) * b;
}

static inline int64_t
sn_soft_min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
sn_soft_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t
sn_soft_abs64(int64_t a)
{
    return a < 0 ? -a : a;
}

static inline int64_t
sn_soft_div64(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t
sn_soft_mod64(int64_t a, int64_t b)
{
    return a - sn_soft_div64(a, b) * b;
}

/* Does an element with value a come before one with value b in the order of
 * topk?  first: it lies before the other. */
static inline bool
sn_soft_before(int64_t a, int64_t b, bool first, int largest)
{
    if (a != b)
        return (a > b) == (largest != 0);
    return first;
}

/* The same for reals: NaN is the largest. */
static inline bool
sn_soft_before_f32(float a, float b, bool first, int largest)
{
    if (a != a || b != b)
        return (a != a) != (b != b) ? (a != a) == (largest != 0) : first;
    if (a > b || a < b)
        return (a > b) == (largest != 0);
    return first;
}

#endif
