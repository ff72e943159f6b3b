// SPDX-License-Identifier: Apache-2.0
/* Sums of products of codes, called by the programs that `sinter compile`
 * writes (tile_c.c).  A window is what one result reads: codes less their zero
 * point, 0 where the map reads outside.  No sum leaves int32: tile_c.c makes
 * sure of it.  The functions for all machines come first, then those for
 * processors with ARM's DSP instructions, each with an equivalent in C. */
#ifndef SN_DOT_H
#define SN_DOT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aot/blocks/unroll.h"
#include "base/num.h"

/* d[0 .. n): x[at + j * step] - zero for lo <= j < hi, else 0. */
static inline void
sn_window(int16_t *d, const int8_t *x, int at, int lo, int hi, int n, int step,
          int zero)
{
    int j = 0;

    if (lo <= 0 && hi >= n) { /* whole: a count that compilers know */
        for (j = 0; j < n; j++)
            d[j] = (int16_t)(x[at + j * step] - zero);
        return;
    }
    if (hi <= lo)
        lo = hi = 0;
    for (; j < lo; j++)
        d[j] = 0;
    for (; j < hi; j++)
        d[j] = (int16_t)(x[at + j * step] - zero);
    for (; j < n; j++)
        d[j] = 0;
}

/* sum[i]: of window i, of `count` windows of k elements. */
static inline void
sn_window_sums(const int16_t *d, int k, int count, int32_t *sum)
{
    for (int i = 0; i < count; i++) {
        int32_t s = 0;
        for (int j = 0; j < k; j++)
            s += d[i * k + j];
        sum[i] = s;
    }
}

/* a[2 * i + c] += elements [from, to) of window i of 4 by those of filter c of
 * 2, each of k elements.  Products have 16 bits and the count is known to be
 * a multiple of 16, so compilers vectorize the loop. */
static SN_INLINE void
sn_dot_windows_part(const int8_t *w, const int16_t *x, int k, int from, int to,
                    int32_t *a)
{
    int32_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    int32_t a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];

    for (int j = from; j < to; j++) {
        const int16_t w0 = w[j], w1 = w[k + j];
        a0 += x[j] * w0;
        a1 += x[j] * w1;
        a2 += x[k + j] * w0;
        a3 += x[k + j] * w1;
        a4 += x[2 * k + j] * w0;
        a5 += x[2 * k + j] * w1;
        a6 += x[3 * k + j] * w0;
        a7 += x[3 * k + j] * w1;
    }
    a[0] = a0;
    a[1] = a1;
    a[2] = a2;
    a[3] = a3;
    a[4] = a4;
    a[5] = a5;
    a[6] = a6;
    a[7] = a7;
}

/* The sums of whole windows. */
static SN_INLINE void
sn_dot_windows(const int8_t *w, const int16_t *x, int k, int32_t *a)
{
    for (int i = 0; i < 8; i++)
        a[i] = 0;
    sn_dot_windows_part(w, x, k, 0, k & ~15, a);
    sn_dot_windows_part(w, x, k, k & ~15, k, a);
}

/* a[c] += elements [from, to) of one window by those of filter c of 4. */
static SN_INLINE void
sn_dot_rows_part(const int8_t *w, const int16_t *x, int k, int from, int to,
                 int32_t *a)
{
    int32_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];

    for (int j = from; j < to; j++) {
        const int16_t w0 = w[j], w1 = w[k + j];
        const int16_t w2 = w[2 * k + j], w3 = w[3 * k + j];
        a0 += x[j] * w0;
        a1 += x[j] * w1;
        a2 += x[j] * w2;
        a3 += x[j] * w3;
    }
    a[0] = a0;
    a[1] = a1;
    a[2] = a2;
    a[3] = a3;
}

static SN_INLINE void
sn_dot_rows(const int8_t *w, const int16_t *x, int k, int32_t *a)
{
    for (int i = 0; i < 4; i++)
        a[i] = 0;
    sn_dot_rows_part(w, x, k, 0, k & ~15, a);
    sn_dot_rows_part(w, x, k, k & ~15, k, a);
}

/* ---- DSP instructions ---- */

/* Four bytes, the first lowest. */
static inline uint32_t
sn_ld32(const void *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packed weights are those of a little-endian processor"
#endif
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void
sn_st32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

/* Words 0 and 1 from p[at] on, which is aligned to 4 bytes; at is a
 * compile-time constant, 0 .. 510. */
static SN_INLINE void
sn_ld_two(const int16_t *p, int at, uint32_t *a, uint32_t *b)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__) && defined(__OPTIMIZE__)
    __asm__("ldrd %0, %1, [%2, %3]"
            : "=r"(*a), "=r"(*b)
            : "r"(p), "i"(2 * at), "m"(*(const int16_t(*)[4])(p + at)));
#else
    *a = sn_ld32(p + at);
    *b = sn_ld32(p + at + 2);
#endif
}

/* c + the products of the low and of the high halves. */
static inline int32_t
sn_smlad(uint32_t a, uint32_t b, int32_t c)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    int32_t r;

    __asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return c + (int16_t)(a & 0xffff) * (int16_t)(b & 0xffff) +
           (int16_t)(a >> 16) * (int16_t)(b >> 16);
#endif
}

/* The sum of the products of the low and of the high halves. */
static inline int32_t
sn_smuad(uint32_t a, uint32_t b)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    int32_t r;

    __asm__("smuad %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return sn_smlad(a, b, 0);
#endif
}

/* The high half of a by the low one of b. */
static inline int32_t
sn_smultb(uint32_t a, uint32_t b)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    int32_t r;

    __asm__("smultb %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return (int16_t)(a >> 16) * (int16_t)(b & 0xffff);
#endif
}

/* c + the low half of a by the high one of b. */
static inline int32_t
sn_smlabt(uint32_t a, uint32_t b, int32_t c)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    int32_t r;

    __asm__("smlabt %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return c + (int16_t)(a & 0xffff) * (int16_t)(b >> 16);
#endif
}

/* c + the high half of a by the low one of b. */
static inline int32_t
sn_smlatb(uint32_t a, uint32_t b, int32_t c)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    int32_t r;

    __asm__("smlatb %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return c + (int16_t)(a >> 16) * (int16_t)(b & 0xffff);
#endif
}

/* Bytes 0 and 2, widened into the halves. */
static inline uint32_t
sn_even_bytes(uint32_t v)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    uint32_t r;

    __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(v));
    return r;
#else
    return (uint32_t)(uint16_t)(int8_t)(v & 0xff) |
           (uint32_t)(uint16_t)(int8_t)(v >> 16 & 0xff) << 16;
#endif
}

/* Bytes 1 and 3. */
static inline uint32_t
sn_odd_bytes(uint32_t v)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    uint32_t r;

    __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(v));
    return r;
#else
    return sn_even_bytes(v >> 8);
#endif
}

/* Both halves of a less those of b. */
static inline uint32_t
sn_sub_halves(uint32_t a, uint32_t b)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    uint32_t r;

    __asm__("ssub16 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return ((a - b) & 0xffff) | ((a >> 16) - (b >> 16)) << 16;
#endif
}

/* Two numbers of 16 bits as halves. */
static inline uint32_t
sn_halves(int32_t lo, int32_t hi)
{
    return ((uint32_t)lo & 0xffff) | (uint32_t)hi << 16;
}

/* Where element e of a window made of pairs lies: a word has an even element
 * and the next; words of `count` windows alternate. */
static inline int
sn_pair_at(int e, int count)
{
    return (e >> 1) * 2 * count + (e & 1);
}

/* sn_window into such words.  d is the first word of this window, k the place
 * of x's first element in it. */
static inline void
sn_pair_window(int16_t *d, int k, const int8_t *x, int at, int lo, int hi,
               int n, int step, int zero, int count)
{
    int j = 0;

    if (hi <= lo)
        lo = hi = 0;
    for (; j < lo; j++)
        d[sn_pair_at(k + j, count)] = 0;
    for (; j < hi; j++)
        d[sn_pair_at(k + j, count)] = (int16_t)(x[at + j * step] - zero);
    for (; j < n; j++)
        d[sn_pair_at(k + j, count)] = 0;
}

/* Where element e of a window made of fours lies: one word has elements 0 and 2
 * of a four, the next 1 and 3, as one instruction widens them. */
static inline int
sn_quad_at(int e, int count)
{
    return ((e >> 2) * 2 + (e & 1)) * 2 * count + ((e >> 1) & 1);
}

/* sn_window into such words, from x's next to next: n elements, of which the
 * fours are elements first, first + 1, .. of the window, and the remaining ones
 * rest, rest + 1, ..  For windows at a border, of which there are few. */
static SN_APART void
sn_quad_border(int16_t *d, int first, int rest, const int8_t *x, int lo, int hi,
               int n, int zero, int count)
{
    const uint32_t zeros = sn_halves(zero, zero);
    const int fours = n & ~3;
    int16_t *e = d + first * count;
    int j = 0;

    if (((lo | hi | n) & 3) != 0) {
        for (; j < n; j++)
            d[sn_quad_at(j < fours ? first + j : rest + j - fours, count)] =
                j >= lo && j < hi ? (int16_t)(x[j] - zero) : (int16_t)0;
        return;
    }
    for (; j < n; j += 4, e += 4 * count) {
        const bool in = j >= lo && j < hi;
        const uint32_t v = in ? sn_ld32(x + j) : 0;
        sn_st32(e, in ? sn_sub_halves(sn_even_bytes(v), zeros) : 0);
        sn_st32(e + 2 * count, in ? sn_sub_halves(sn_odd_bytes(v), zeros) : 0);
    }
}

/* The same for any window. */
static inline void
sn_quad_window(int16_t *d, int first, int rest, const int8_t *x, int at, int lo,
               int hi, int n, int zero, int count)
{
    const uint32_t zeros = sn_halves(zero, zero);
    const int fours = n & ~3;
    int16_t *e = d + first * count;
    int j = 0;

    x += at;
    if (lo != 0 || hi != n) {
        sn_quad_border(d, first, rest, x, lo, hi, n, zero, count);
        return;
    }
    SN_UNROLL
    for (j = 0; j < fours; j += 4, e += 4 * count) {
        const uint32_t v = sn_ld32(x + j);
        sn_st32(e, sn_sub_halves(sn_even_bytes(v), zeros));
        sn_st32(e + 2 * count, sn_sub_halves(sn_odd_bytes(v), zeros));
    }
    SN_UNROLL
    for (j = fours; j < n; j++)
        d[sn_quad_at(rest + j - fours, count)] = (int16_t)(x[j] - zero);
}

/* sum[i]: of window i, of `count` windows of k elements, k even. */
static inline void
sn_pair_sums(const int16_t *d, int k, int count, int32_t *sum)
{
    for (int i = 0; i < count; i++) {
        int32_t s = 0;
        for (int j = 0; j < k; j += 2)
            s = sn_smlad(sn_ld32(d + j * count + 2 * i), 0x10001, s);
        sum[i] = s;
    }
}

/* As sn_dot_windows, of pairs; w holds, for each word of a window, the two
 * elements of filter 0 in its bytes 0 and 2, of filter 1 in bytes 1 and 3.
 * k is a multiple of 4, above 0; x is aligned to 4 bytes.  Sums take eight
 * registers, words four, pointers two; this is not left to the compiler. */
static SN_APART void
sn_dot_pair_windows(const int8_t *w, const int16_t *x, int k, int32_t *a)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    register const int8_t *r0 __asm__("r0") = w;
    register const int16_t *r1 __asm__("r1") = x;
    register const int8_t *r2 __asm__("r2") = w + 2 * k;
    register int32_t *r3 __asm__("r3") = a;

    __asm__ volatile("push {r4-r11, lr}\n\t"
                     "push {r2, r3}\n\t"
                     "movs r4, #0\n\tmovs r5, #0\n\t"
                     "movs r6, #0\n\tmovs r7, #0\n\t"
                     "mov r8, r4\n\tmov r9, r4\n\t"
                     "mov r10, r4\n\tmov r11, r4\n"
                     "sub lr, r2, r0\n\ttst lr, #8\n\tbne 2f\n"
                     "1:\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "2:\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr r2, [sp]\n\t"
                     "cmp r0, r2\n\t"
                     "bne 1b\n\t"
                     "pop {r2, r3}\n\t"
                     "stm r3, {r4-r11}\n\t"
                     "pop {r4-r11, lr}"
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                     :
                     : "r12", "cc", "memory");
#else
    for (int i = 0; i < 8; i++)
        a[i] = 0;
    for (int j = 0; j < k; j += 2, w += 4, x += 8)
        for (int i = 0; i < 4; i++) {
            const uint32_t v = sn_ld32(w), u = sn_ld32(x + 2 * i);
            a[2 * i] = sn_smlad(sn_even_bytes(v), u, a[2 * i]);
            a[2 * i + 1] = sn_smlad(sn_odd_bytes(v), u, a[2 * i + 1]);
        }
#endif
}

/* As sn_dot_rows, of pairs: two words of w for each of the window.  k is a
 * multiple of 4, above 0; w and x are aligned to 4 bytes. */
static SN_APART void
sn_dot_pair_rows(const int8_t *w, const int16_t *x, int k, int32_t *a)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__)
    register const int8_t *r0 __asm__("r0") = w;
    register const int16_t *r1 __asm__("r1") = x;
    register const int8_t *r2 __asm__("r2") = w + 4 * k;
    register int32_t *r3 __asm__("r3") = a;

    __asm__ volatile("push {r4-r11, lr}\n\t"
                     "movs r4, #0\n\tmovs r5, #0\n\t"
                     "movs r6, #0\n\tmovs r7, #0\n\t"
                     "sub lr, r2, r0\n\ttst lr, #16\n\tbne 2f\n"
                     "1:\n\t"
                     "ldrd r8, r9, [r1], #8\n\t"
                     "ldrd r10, r11, [r0], #8\n\t"
                     "sxtb16 r12, r10\n\tsmlad r4, r12, r8, r4\n\t"
                     "sxtb16 r12, r10, ror #8\n\tsmlad r5, r12, r8, r5\n\t"
                     "sxtb16 r12, r11\n\tsmlad r6, r12, r8, r6\n\t"
                     "sxtb16 r12, r11, ror #8\n\tsmlad r7, r12, r8, r7\n\t"
                     "ldrd r10, r11, [r0], #8\n\t"
                     "sxtb16 r12, r10\n\tsmlad r4, r12, r9, r4\n\t"
                     "sxtb16 r12, r10, ror #8\n\tsmlad r5, r12, r9, r5\n\t"
                     "sxtb16 r12, r11\n\tsmlad r6, r12, r9, r6\n\t"
                     "sxtb16 r12, r11, ror #8\n\tsmlad r7, r12, r9, r7\n\t"
                     "2:\n\t"
                     "ldrd r8, r9, [r1], #8\n\t"
                     "ldrd r10, r11, [r0], #8\n\t"
                     "sxtb16 r12, r10\n\tsmlad r4, r12, r8, r4\n\t"
                     "sxtb16 r12, r10, ror #8\n\tsmlad r5, r12, r8, r5\n\t"
                     "sxtb16 r12, r11\n\tsmlad r6, r12, r8, r6\n\t"
                     "sxtb16 r12, r11, ror #8\n\tsmlad r7, r12, r8, r7\n\t"
                     "ldrd r10, r11, [r0], #8\n\t"
                     "sxtb16 r12, r10\n\tsmlad r4, r12, r9, r4\n\t"
                     "sxtb16 r12, r10, ror #8\n\tsmlad r5, r12, r9, r5\n\t"
                     "sxtb16 r12, r11\n\tsmlad r6, r12, r9, r6\n\t"
                     "sxtb16 r12, r11, ror #8\n\tsmlad r7, r12, r9, r7\n\t"
                     "cmp r0, r2\n\t"
                     "bne 1b\n\t"
                     "stm r3, {r4-r7}\n\t"
                     "pop {r4-r11, lr}"
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                     :
                     : "r12", "cc", "memory");
#else
    for (int i = 0; i < 4; i++)
        a[i] = 0;
    for (int j = 0; j < k; j += 2, w += 8, x += 2)
        for (int i = 0; i < 4; i += 2) {
            const uint32_t v = sn_ld32(w + 2 * i), u = sn_ld32(x);
            a[i] = sn_smlad(sn_even_bytes(v), u, a[i]);
            a[i + 1] = sn_smlad(sn_odd_bytes(v), u, a[i + 1]);
        }
#endif
}

/* sn_requant by the FPU's conversion, which saturates and rounds as its mode
 * says, to nearest even. */
static inline int32_t
sn_dsp_requant(int32_t acc, float m, int32_t zp, int32_t lo, int32_t hi)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__) && defined(__ARM_FP) && \
    !defined(__SOFTFP__)
    float v = (float)acc * m;
    int32_t r;

    __asm__("vcvtr.s32.f32 %0, %0" : "+t"(v));
    memcpy(&r, &v, sizeof r);
    __asm__("qadd %0, %1, %2" : "=r"(r) : "r"(r), "r"(zp));
    if (lo == -128 && hi == 127)
        __asm__("ssat %0, #8, %1" : "=r"(r) : "r"(r));
    else
        r = r < lo ? lo : r > hi ? hi : r;
    return r;
#else
    return sn_rne_clamp(sn_mulf((float)acc, m), lo - zp, hi - zp) + zp;
#endif
}

/* Four windows and all filters of a node, two at a time, and what is done with
 * their sums: bias, multiplier, zero point, saturation to 8 bits. */
typedef struct SnPut {
    const int16_t *win;
    int32_t nbyte; /* of two filters: 2 * k */
    const int32_t *bias;
    const float *mult;
    int32_t mstep; /* bytes from the multipliers of two filters to the next */
    int8_t *y;     /* filter 0 of the first of four pixels, */
    int32_t step;  /* whose next pixel exists */
    int32_t zp;
    int32_t count; /* of twos */
} SnPut;

static SN_APART void
sn_put_windows(const int8_t *w, SnPut *p)
{
#if defined(__ARM_FEATURE_DSP) && defined(__thumb__) && defined(__ARM_FP) && \
    !defined(__SOFTFP__)
    register const int8_t *r0 __asm__("r0") = w;
    register SnPut *r1 __asm__("r1") = p;

    __asm__ volatile("push {r4-r11, lr}\n\tsub sp, #8\n\t"
                     "str r1, [sp, #4]\n"
                     "3:\n\t"
                     "ldr r12, [sp, #4]\n\tldrd r1, r2, [r12]\n\t"
                     "add r2, r0\n\tstr r2, [sp]\n\t"
                     "ldr r3, [r12, #8]\n\tldrd r4, r5, [r3], #8\n\t"
                     "str r3, [r12, #8]\n\t"
                     "mov r6, r4\n\tmov r7, r5\n\tmov r8, r4\n\t"
                     "mov r9, r5\n\tmov r10, r4\n\tmov r11, r5\n\t"
                     "sub lr, r2, r0\n\ttst lr, #8\n\tbne 2f\n"
                     "1:\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "2:\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr lr, [r0], #4\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "sxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t"
                     "smlad r4, r12, r2, r4\n\tsmlad r5, lr, r2, r5\n\t"
                     "smlad r6, r12, r3, r6\n\tsmlad r7, lr, r3, r7\n\t"
                     "ldrd r2, r3, [r1], #8\n\t"
                     "smlad r8, r12, r2, r8\n\tsmlad r9, lr, r2, r9\n\t"
                     "smlad r10, r12, r3, r10\n\tsmlad r11, lr, r3, r11\n\t"
                     "ldr r2, [sp]\n\tcmp r0, r2\n\tbne 1b\n\t"
                     "vmov s0, s1, r4, r5\n\t"
                     "vmov s2, s3, r6, r7\n\t"
                     "vmov s4, s5, r8, r9\n\t"
                     "vmov s6, s7, r10, r11\n\t"
                     "ldr r12, [sp, #4]\n\tldrd r2, r3, [r12, #12]\n\t"
                     "vldr s8, [r2]\n\tvldr s9, [r2, #4]\n\t"
                     "add r2, r3\n\tstr r2, [r12, #12]\n\t"
                     "vcvt.f32.s32 s0, s0\n\tvcvt.f32.s32 s1, s1\n\t"
                     "vcvt.f32.s32 s2, s2\n\tvcvt.f32.s32 s3, s3\n\t"
                     "vcvt.f32.s32 s4, s4\n\tvcvt.f32.s32 s5, s5\n\t"
                     "vcvt.f32.s32 s6, s6\n\tvcvt.f32.s32 s7, s7\n\t"
                     "vmul.f32 s0, s0, s8\n\tvmul.f32 s1, s1, s9\n\t"
                     "vmul.f32 s2, s2, s8\n\tvmul.f32 s3, s3, s9\n\t"
                     "vmul.f32 s4, s4, s8\n\tvmul.f32 s5, s5, s9\n\t"
                     "vmul.f32 s6, s6, s8\n\tvmul.f32 s7, s7, s9\n\t"
                     "vcvtr.s32.f32 s0, s0\n\tvcvtr.s32.f32 s1, s1\n\t"
                     "vcvtr.s32.f32 s2, s2\n\tvcvtr.s32.f32 s3, s3\n\t"
                     "vcvtr.s32.f32 s4, s4\n\tvcvtr.s32.f32 s5, s5\n\t"
                     "vcvtr.s32.f32 s6, s6\n\tvcvtr.s32.f32 s7, s7\n\t"
                     "vmov r4, r5, s0, s1\n\t"
                     "vmov r6, r7, s2, s3\n\t"
                     "vmov r8, r9, s4, s5\n\t"
                     "vmov r10, r11, s6, s7\n\t"
                     "ldrd r2, r3, [r12, #20]\n\tldr lr, [r12, #28]\n\t"
                     "add r1, r2, #2\n\tstr r1, [r12, #20]\n\t"
                     "qadd r4, r4, lr\n\tqadd r5, r5, lr\n\t"
                     "qadd r6, r6, lr\n\tqadd r7, r7, lr\n\t"
                     "qadd r8, r8, lr\n\tqadd r9, r9, lr\n\t"
                     "qadd r10, r10, lr\n\tqadd r11, r11, lr\n\t"
                     "ssat r4, #8, r4\n\tssat r5, #8, r5\n\t"
                     "ssat r6, #8, r6\n\tssat r7, #8, r7\n\t"
                     "ssat r8, #8, r8\n\tssat r9, #8, r9\n\t"
                     "ssat r10, #8, r10\n\tssat r11, #8, r11\n\t"
                     "strb r4, [r2]\n\tstrb r5, [r2, #1]\n\tadd r2, r3\n\t"
                     "strb r6, [r2]\n\tstrb r7, [r2, #1]\n\tadd r2, r3\n\t"
                     "strb r8, [r2]\n\tstrb r9, [r2, #1]\n\tadd r2, r3\n\t"
                     "strb r10, [r2]\n\tstrb r11, [r2, #1]\n\t"
                     "ldr r2, [r12, #32]\n\tsubs r2, #1\n\t"
                     "str r2, [r12, #32]\n\tbne 3b\n\t"
                     "add sp, #8\n\tpop {r4-r11, lr}"
                     : "+r"(r0), "+r"(r1)
                     :
                     : "r2", "r3", "r12", "s0", "s1", "s2", "s3", "s4", "s5",
                       "s6", "s7", "s8", "s9", "cc", "memory");
#else
    for (; p->count; p->count--) {
        int32_t a[8];
        sn_dot_pair_windows(w, p->win, p->nbyte / 2, a);
        for (int i = 0; i < 8; i++)
            p->y[i / 2 * p->step + i % 2] =
                (int8_t)sn_dsp_requant(sn_add32(a[i], p->bias[i % 2]),
                                       p->mult[i % 2], p->zp, -128, 127);
        w += p->nbyte;
        p->bias += 2;
        p->mult += p->mstep / 4;
        p->y += 2;
    }
#endif
}

/* Windows that are rows of x, of n pixels (4 or more), `step` from one to the
 * next: four at a time, the last four end with the last; words lie as those of
 * sn_quad_window. */
static SN_APART void
sn_put_points(const int8_t *w, const int8_t *x, int16_t *win, int step, int n,
              int zero, const SnPut *all)
{
    const uint32_t zeros = sn_halves(zero, zero);
    const int k = all->nbyte / 2;

    for (int t = 0; t < n; t += 4) {
        const int at = t + 4 > n ? n - 4 : t;
        const int8_t *const x0 = x + at * step, *const x1 = x0 + step;
        const int8_t *const x2 = x1 + step, *const x3 = x2 + step;
        int16_t *d = win;
        SnPut put = *all;

        for (int j = 0; j < k; j += 4, d += 16) {
            const uint32_t v0 = sn_ld32(x0 + j), v1 = sn_ld32(x1 + j);
            const uint32_t v2 = sn_ld32(x2 + j), v3 = sn_ld32(x3 + j);
            sn_st32(d, sn_sub_halves(sn_even_bytes(v0), zeros));
            sn_st32(d + 2, sn_sub_halves(sn_even_bytes(v1), zeros));
            sn_st32(d + 4, sn_sub_halves(sn_even_bytes(v2), zeros));
            sn_st32(d + 6, sn_sub_halves(sn_even_bytes(v3), zeros));
            sn_st32(d + 8, sn_sub_halves(sn_odd_bytes(v0), zeros));
            sn_st32(d + 10, sn_sub_halves(sn_odd_bytes(v1), zeros));
            sn_st32(d + 12, sn_sub_halves(sn_odd_bytes(v2), zeros));
            sn_st32(d + 14, sn_sub_halves(sn_odd_bytes(v3), zeros));
        }
        put.y += at * all->step;
        sn_put_windows(w, &put);
    }
}

#endif
