// SPDX-License-Identifier: Apache-2.0
/* Interleaves two or four runs of elements of 1 or 4 bytes, or three of 4, for
 * transposes of few rows: the channels of shuffled groups; takes two to four
 * interleaved runs apart; and transposes squares of four by four elements of 4
 * bytes.  Every x86-64 has SSE2; elsewhere the caller's loop does everything.
 */
#ifndef SN_ZIP_H
#define SN_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <emmintrin.h>

#define SN_ZIP_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define SN_ZIP_HALF(p) _mm_loadl_epi64((const __m128i *)(p))
#define SN_ZIP_STORE(p, v) _mm_storeu_si128((__m128i *)(p), (v))

/* Elements [j, to) of runs that begin b apart, to y[runs * j] and on, by EACH
 * or half as many at a time; returns where the rest begins. */
#define SN_ZIP(T, EACH, LO, HI)                                           \
    static inline int64_t sn_zip2_##T(const T *x, int64_t b, int64_t j,   \
                                      int64_t to, T *y)                   \
    {                                                                     \
        for (; j + EACH <= to; j += EACH) {                               \
            __m128i p = SN_ZIP_LOAD(x + j), q = SN_ZIP_LOAD(x + b + j);   \
            SN_ZIP_STORE(y + 2 * j, LO(p, q));                            \
            SN_ZIP_STORE(y + 2 * j + EACH, HI(p, q));                     \
        }                                                                 \
        for (; j + EACH / 2 <= to; j += EACH / 2)                         \
            SN_ZIP_STORE(y + 2 * j,                                       \
                         LO(SN_ZIP_HALF(x + j), SN_ZIP_HALF(x + b + j))); \
        return j;                                                         \
    }                                                                     \
    static inline int64_t sn_zip4_##T(const T *x, int64_t b, int64_t j,   \
                                      int64_t to, T *y)                   \
    {                                                                     \
        const T *x1 = x + b, *x2 = x1 + b, *x3 = x2 + b;                  \
        for (; j + EACH <= to; j += EACH) {                               \
            __m128i p = SN_ZIP_LOAD(x + j), q = SN_ZIP_LOAD(x1 + j);      \
            __m128i r = SN_ZIP_LOAD(x2 + j), s = SN_ZIP_LOAD(x3 + j);     \
            SN_ZIP_STORE(y + 4 * j, LO(LO(p, r), LO(q, s)));              \
            SN_ZIP_STORE(y + 4 * j + EACH, HI(LO(p, r), LO(q, s)));       \
            SN_ZIP_STORE(y + 4 * j + 2 * EACH, LO(HI(p, r), HI(q, s)));   \
            SN_ZIP_STORE(y + 4 * j + 3 * EACH, HI(HI(p, r), HI(q, s)));   \
        }                                                                 \
        for (; j + EACH / 2 <= to; j += EACH / 2) {                       \
            __m128i p = LO(SN_ZIP_HALF(x + j), SN_ZIP_HALF(x2 + j));      \
            __m128i q = LO(SN_ZIP_HALF(x1 + j), SN_ZIP_HALF(x3 + j));     \
            SN_ZIP_STORE(y + 4 * j, LO(p, q));                            \
            SN_ZIP_STORE(y + 4 * j + EACH, HI(p, q));                     \
        }                                                                 \
        return j;                                                         \
    }
SN_ZIP(int8_t, 16, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
SN_ZIP(int32_t, 4, _mm_unpacklo_epi32, _mm_unpackhi_epi32)
#undef SN_ZIP

/* x holds R runs of a elements, one element of each in turn; they go to y, run
 * after run, EACH elements of each run at a time.  Returns how many elements of
 * each run were copied.  A round interleaves the two halves of R * EACH
 * elements, which moves element p to 2 * p modulo R * EACH - 1: element
 * R * i + r is at EACH * r + i after log2(EACH) rounds. */
#define SN_ZIP_TOP(v) _mm_unpackhi_epi64(v, v)
#define SN_APART(T, EACH, LO, HI)                                           \
    static inline int64_t sn_apart2_##T(const T *x, int64_t a, T *y)        \
    {                                                                       \
        int64_t i = 0;                                                      \
        for (; i + EACH <= a; i += EACH) {                                  \
            __m128i p = SN_ZIP_LOAD(x + 2 * i);                             \
            __m128i q = SN_ZIP_LOAD(x + 2 * i + EACH);                      \
            for (int n = 1; n < EACH; n *= 2) {                             \
                __m128i s = LO(p, q);                                       \
                q = HI(p, q);                                               \
                p = s;                                                      \
            }                                                               \
            SN_ZIP_STORE(y + i, p);                                         \
            SN_ZIP_STORE(y + a + i, q);                                     \
        }                                                                   \
        return i;                                                           \
    }                                                                       \
    static inline int64_t sn_apart3_##T(const T *x, int64_t a, T *y)        \
    {                                                                       \
        int64_t i = 0;                                                      \
        for (; i + EACH <= a; i += EACH) {                                  \
            __m128i p = SN_ZIP_LOAD(x + 3 * i);                             \
            __m128i q = SN_ZIP_LOAD(x + 3 * i + EACH);                      \
            __m128i r = SN_ZIP_LOAD(x + 3 * i + 2 * EACH);                  \
            for (int n = 1; n < EACH; n *= 2) {                             \
                __m128i s = LO(p, SN_ZIP_TOP(q)), t = LO(SN_ZIP_TOP(p), r); \
                r = LO(q, SN_ZIP_TOP(r));                                   \
                p = s;                                                      \
                q = t;                                                      \
            }                                                               \
            SN_ZIP_STORE(y + i, p);                                         \
            SN_ZIP_STORE(y + a + i, q);                                     \
            SN_ZIP_STORE(y + 2 * a + i, r);                                 \
        }                                                                   \
        return i;                                                           \
    }                                                                       \
    static inline int64_t sn_apart4_##T(const T *x, int64_t a, T *y)        \
    {                                                                       \
        int64_t i = 0;                                                      \
        for (; i + EACH <= a; i += EACH) {                                  \
            __m128i v[4];                                                   \
            for (int k = 0; k < 4; k++)                                     \
                v[k] = SN_ZIP_LOAD(x + 4 * i + k * EACH);                   \
            for (int n = 1; n < EACH; n *= 2) {                             \
                __m128i s = LO(v[1], v[3]), t = HI(v[1], v[3]);             \
                v[1] = HI(v[0], v[2]);                                      \
                v[0] = LO(v[0], v[2]);                                      \
                v[2] = s;                                                   \
                v[3] = t;                                                   \
            }                                                               \
            for (int k = 0; k < 4; k++)                                     \
                SN_ZIP_STORE(y + k * a + i, v[k]);                          \
        }                                                                   \
        return i;                                                           \
    }
SN_APART(int8_t, 16, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
SN_APART(int32_t, 4, _mm_unpacklo_epi32, _mm_unpackhi_epi32)
#undef SN_APART
#undef SN_ZIP_TOP

/* Elements h, i of p, then k, l of q. */
#define SN_ZIP_PICK(p, q, h, i, k, l) \
    _mm_shuffle_ps(p, q, _MM_SHUFFLE(l, k, i, h))
#define SN_ZIP_FLOATS(p) _mm_castsi128_ps(SN_ZIP_LOAD(p))
#define SN_ZIP_PUT(p, v) SN_ZIP_STORE(p, _mm_castps_si128(v))
static inline int64_t
sn_zip3_int32_t(const int32_t *x, int64_t b, int64_t j, int64_t to, int32_t *y)
{
    for (; j + 4 <= to; j += 4) {
        __m128 p = SN_ZIP_FLOATS(x + j), q = SN_ZIP_FLOATS(x + b + j);
        __m128 r = SN_ZIP_FLOATS(x + 2 * b + j);
        __m128 rp0 = SN_ZIP_PICK(r, p, 0, 0, 1, 1);
        __m128 qr1 = SN_ZIP_PICK(q, r, 1, 1, 1, 1);
        __m128 pq2 = SN_ZIP_PICK(p, q, 2, 2, 2, 2);
        __m128 rp3 = SN_ZIP_PICK(r, p, 2, 2, 3, 3);
        SN_ZIP_PUT(y + 3 * j,
                   SN_ZIP_PICK(_mm_unpacklo_ps(p, q), rp0, 0, 1, 0, 2));
        SN_ZIP_PUT(y + 3 * j + 4, SN_ZIP_PICK(qr1, pq2, 0, 2, 0, 2));
        SN_ZIP_PUT(y + 3 * j + 8,
                   SN_ZIP_PICK(rp3, _mm_unpackhi_ps(q, r), 0, 2, 2, 3));
    }
    return j;
}

/* Whether there is one: rows x + i b to rows y + j a. */
static inline bool
sn_square4(const int32_t *x, int64_t b, int32_t *y, int64_t a)
{
    __m128 p = SN_ZIP_FLOATS(x), q = SN_ZIP_FLOATS(x + b);
    __m128 r = SN_ZIP_FLOATS(x + 2 * b), s = SN_ZIP_FLOATS(x + 3 * b);

    _MM_TRANSPOSE4_PS(p, q, r, s);
    SN_ZIP_PUT(y, p);
    SN_ZIP_PUT(y + a, q);
    SN_ZIP_PUT(y + 2 * a, r);
    SN_ZIP_PUT(y + 3 * a, s);
    return true;
}
#undef SN_ZIP_PICK
#undef SN_ZIP_FLOATS
#undef SN_ZIP_PUT
#undef SN_ZIP_LOAD
#undef SN_ZIP_HALF
#undef SN_ZIP_STORE

#else

#define SN_ZIP(NAME, T)                                                      \
    static inline int64_t NAME(const T *x, int64_t b, int64_t j, int64_t to, \
                               T *y)                                         \
    {                                                                        \
        (void)x;                                                             \
        (void)b;                                                             \
        (void)to;                                                            \
        (void)y;                                                             \
        return j;                                                            \
    }
SN_ZIP(sn_zip2_int8_t, int8_t)
SN_ZIP(sn_zip4_int8_t, int8_t)
SN_ZIP(sn_zip2_int32_t, int32_t)
SN_ZIP(sn_zip3_int32_t, int32_t)
SN_ZIP(sn_zip4_int32_t, int32_t)
#undef SN_ZIP

#define SN_APART(NAME, T)                                   \
    static inline int64_t NAME(const T *x, int64_t a, T *y) \
    {                                                       \
        (void)x;                                            \
        (void)a;                                            \
        (void)y;                                            \
        return 0;                                           \
    }
SN_APART(sn_apart2_int8_t, int8_t)
SN_APART(sn_apart3_int8_t, int8_t)
SN_APART(sn_apart4_int8_t, int8_t)
SN_APART(sn_apart2_int32_t, int32_t)
SN_APART(sn_apart3_int32_t, int32_t)
SN_APART(sn_apart4_int32_t, int32_t)
#undef SN_APART

static inline bool
sn_square4(const int32_t *x, int64_t b, int32_t *y, int64_t a)
{
    (void)x;
    (void)b;
    (void)y;
    (void)a;
    return false;
}

#endif

#endif
