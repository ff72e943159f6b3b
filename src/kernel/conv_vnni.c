/* Tiles for AVX-512 VNNI: vpdpbusd of u8 codes x + 128, broadcast four taps at
 * a time, with 16 channels of the filter to a register.  Sums are named
 * variables in functions that hold nothing but the loop over taps: gcc 12
 * keeps arrays of them on the stack. */
#include "kernel/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define VNNI        \
    __attribute__(( \
        target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define INLINE static inline __attribute__((always_inline))

VNNI static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    uint8_t *to = y;
    __m512i flip = _mm512_set1_epi8(-128);
    int64_t i = 0;

    (void)z;
    for (; i + 64 <= n; i += 64)
        _mm512_storeu_si512(to + i,
                            _mm512_xor_si512(_mm512_loadu_si512(x + i), flip));
    if (i < n) {
        __mmask64 k = ~0ull >> (64 - (n - i));
        __m512i v = _mm512_maskz_loadu_epi8(k, x + i);
        _mm512_mask_storeu_epi8(to + i, k, _mm512_xor_si512(v, flip));
    }
}

VNNI static int32_t
sum(const char *x, const int64_t *run, int64_t nrun, int64_t len)
{
    __m512i ones = _mm512_set1_epi8(1), s = _mm512_setzero_si512();
    int64_t whole = len / 64 * 64;
    __mmask64 k = len > whole ? ~0ull >> (64 - (len - whole)) : 0;

    for (int64_t r = 0; r < nrun; r++) {
        const char *v = x + run[r];
        for (int64_t i = 0; i < whole; i += 64)
            s = _mm512_dpbusd_epi32(s, _mm512_loadu_si512(v + i), ones);
        s = _mm512_dpbusd_epi32(s, _mm512_maskz_loadu_epi8(k, v + whole), ones);
    }
    return _mm512_reduce_add_epi32(s);
}

/* rne((float)v * mul), saturated above; what is too low or NaN becomes the
 * lowest integer. */
VNNI INLINE __m512i
scale(__m512i v, const float *mul, const SnEnd *e)
{
    __m512 f = _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_loadu_ps(mul));

    if (!e->small) /* NaN, the second operand, goes through */
        f = _mm512_min_ps(_mm512_set1_ps(e->hi), f);
    return _mm512_cvtps_epi32(f);
}

/* Four registers of sums to 64 codes: each step saturates, and the clamp is
 * applied at the end.  The bytes of lane l are 4 of a, 4 of b, of c, of d. */
VNNI INLINE __m512i
codes(const SnEnd *e, __m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i z = _mm512_set1_epi16((int16_t)e->zp);
    __m512i ab = _mm512_adds_epi16(_mm512_packs_epi32(a, b), z);
    __m512i cd = _mm512_adds_epi16(_mm512_packs_epi32(c, d), z);
    __m512i v = _mm512_packs_epi16(ab, cd);

    v = _mm512_max_epi8(v, _mm512_set1_epi8((int8_t)((int)e->lo + e->zp)));
    return _mm512_min_epi8(v, _mm512_set1_epi8((int8_t)((int)e->hi + e->zp)));
}

/* Sum j of row r: the filter's zero points, then the multiplier. */
VNNI INLINE __m512i
end(const SnTile *t, int r, int j, __m512i v)
{
    const SnEnd *e = &t->end;

    if (e->wz) {
        __m512i s = _mm512_set1_epi32(t->rowsum[r]);
        v = _mm512_sub_epi32(
            v, _mm512_mullo_epi32(s, _mm512_loadu_si512(e->wz + 16 * j)));
    }
    return scale(v, e->mul + 16 * j, e);
}

/* Stores row r, n panels of it. */
VNNI INLINE void
put(const SnTile *t, int r, int n, __m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __mmask64 k = ~0ull >> (64 - t->ncol);

    a = end(t, r, 0, a);
    b = n > 1 ? end(t, r, 1, b) : a;
    c = n > 2 ? end(t, r, 2, c) : a;
    d = n > 3 ? end(t, r, 3, d) : b;
    a = codes(&t->end, a, b, c, d);
    a = _mm512_permutexvar_epi32(order, a);
    if (t->ncol == 64)
        _mm512_storeu_si512(t->y[r], a);
    else if (t->ncol == 32)
        _mm256_storeu_si256((void *)t->y[r], _mm512_castsi512_si256(a));
    else if (t->ncol == 16)
        _mm_storeu_si128((void *)t->y[r], _mm512_castsi512_si128(a));
    else
        _mm512_mask_storeu_epi8(t->y[r], k, a);
}

VNNI INLINE __m512i
four(const char *x)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return _mm512_set1_epi32(v);
}

#define DP(r, j) a##r##j = _mm512_dpbusd_epi32(a##r##j, v, w##j)
#define ZERO _mm512_setzero_si512()
#define BIAS(j) _mm512_loadu_si512(t->end.bias + 16 * j)
#define DECL1(r) __m512i a##r##0 = BIAS(0);
#define DECL2(r) DECL1(r) __m512i a##r##1 = BIAS(1);
#define DECL3(r) DECL2(r) __m512i a##r##2 = BIAS(2);
#define DECL4(r) DECL3(r) __m512i a##r##3 = BIAS(3);
#define LOAD1 __m512i w0 = _mm512_loadu_si512(w);
#define LOAD2 LOAD1 __m512i w1 = _mm512_loadu_si512(w + 64);
#define LOAD3 LOAD2 __m512i w2 = _mm512_loadu_si512(w + 128);
#define LOAD4 LOAD3 __m512i w3 = _mm512_loadu_si512(w + 192);
#define STEP1(r)        \
    v = four(x##r + k); \
    DP(r, 0);
#define STEP2(r) STEP1(r) DP(r, 1);
#define STEP3(r) STEP2(r) DP(r, 2);
#define STEP4(r) STEP3(r) DP(r, 3);
#define PUT1(r) put(t, r, 1, a##r##0, ZERO, ZERO, ZERO);
#define PUT2(r) put(t, r, 2, a##r##0, a##r##1, ZERO, ZERO);
#define PUT3(r) put(t, r, 3, a##r##0, a##r##1, a##r##2, ZERO);
#define PUT4(r) put(t, r, 4, a##r##0, a##r##1, a##r##2, a##r##3);
#define FROM(r) const char *x##r = t->x[r] + t->run[i];
#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)

/* One row reads every weight once, from far away: ask for it in time. */
#define AHEAD1(j) _mm_prefetch(w + 4096 + 64 * (j), _MM_HINT_T0);
#define AHEAD2(j)
#define AHEAD3(j)
#define AHEAD4(j)
#define AHEAD5(j)
#define AHEAD6(j)
#define NEXT1
#define NEXT2                         \
    _mm_prefetch(ahead, _MM_HINT_T1); \
    ahead += 64;
#define NEXT3 NEXT2
#define NEXT4 NEXT2
#define NEXT5 NEXT2
#define NEXT6 NEXT2
#define LINES1(P) P(0)
#define LINES2(P) LINES1(P) P(1)
#define LINES3(P) LINES2(P) P(2)
#define LINES4(P) LINES3(P) P(3)

#define TILE(N, M)                                                       \
    VNNI static void tile##N##M(const SnTile *t)                         \
    {                                                                    \
        const char *w = t->w, *ahead = t->ahead;                         \
        int64_t n = t->nstep * 4;                                        \
        ROWS##M(DECL##N) for (int64_t i = 0; i < t->nrun; i++)           \
        {                                                                \
            ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4)             \
            {                                                            \
                __m512i v;                                               \
                NEXT##M LINES##N(AHEAD##M) LOAD##N ROWS##M(STEP##N) w += \
                    64 * N;                                              \
            }                                                            \
        }                                                                \
        (void)ahead;                                                     \
        ROWS##M(PUT##N)                                                  \
    }
#define TILES(N) \
    TILE(N, 1) TILE(N, 2) TILE(N, 3) TILE(N, 4) TILE(N, 5) TILE(N, 6)
TILES(1)
TILES(2)
TILES(3)
TILES(4)

/* ---- depthwise: 64 channels ----
 *
 * Four taps of 64 channels are interleaved so that each lane holds the four
 * bytes of one channel.  Unpacking works inside 128-bit lanes: register q
 * holds channels 16 l + 4 q + 0..3 of lane l, and packing the results puts
 * them back in order. */
static int
place(int i)
{
    return i % 16 / 4 * 16 + i / 16 * 4 + i % 4;
}

static void
pack(const int16_t *w, int64_t ntap, void *to)
{
    int8_t *p = to;

    for (int64_t t = 0; t < ntap; t++)
        for (int i = 0; i < 64; i++)
            p[(t / 4 * 64 + place(i)) * 4 + t % 4] = (int8_t)w[t * 64 + i];
}

VNNI INLINE void
dw_put(const SnEnd *e, __m512i a, __m512i b, __m512i c, __m512i d, __mmask64 k,
       int8_t *y)
{
    a = codes(e, scale(a, e->mul, e), scale(b, e->mul + 16, e),
              scale(c, e->mul + 32, e), scale(d, e->mul + 48, e));
    if (k == ~0ull)
        _mm512_storeu_si512(y, a);
    else
        _mm512_mask_storeu_epi8(y, k, a);
}

/* Four taps of each channel: q0 to q3 from the bytes of a, b, c, e. */
#define QUADS(a, b, c, e)                         \
    __m512i ab_ = _mm512_unpacklo_epi8(a, b);     \
    __m512i ce_ = _mm512_unpacklo_epi8(c, e);     \
    __m512i ab1 = _mm512_unpackhi_epi8(a, b);     \
    __m512i ce1 = _mm512_unpackhi_epi8(c, e);     \
    __m512i q0 = _mm512_unpacklo_epi16(ab_, ce_); \
    __m512i q1 = _mm512_unpackhi_epi16(ab_, ce_); \
    __m512i q2 = _mm512_unpacklo_epi16(ab1, ce1); \
    __m512i q3 = _mm512_unpackhi_epi16(ab1, ce1)
#define W(i) _mm512_loadu_si512((const char *)d->w + 64 * (i))
#define X(at) _mm512_loadu_si512(at)

VNNI static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;
    __mmask64 k = ~0ull >> (64 - d->nc);
    const int32_t *bias = d->end.bias;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m512i s0 = X(bias), s1 = X(bias + 16);
        __m512i s2 = X(bias + 32), s3 = X(bias + 48);
        for (int64_t t = 0; t < d->ntap; t += 4) {
            const int64_t *tap = d->tap + t;
            __m512i a = X(x + tap[0]), b = X(x + tap[1]);
            __m512i c = X(x + tap[2]), e = X(x + tap[3]);
            QUADS(a, b, c, e);
            s0 = _mm512_dpbusd_epi32(s0, q0, W(t));
            s1 = _mm512_dpbusd_epi32(s1, q1, W(t + 1));
            s2 = _mm512_dpbusd_epi32(s2, q2, W(t + 2));
            s3 = _mm512_dpbusd_epi32(s3, q3, W(t + 3));
        }
        dw_put(&d->end, s0, s1, s2, s3, k, y);
    }
}

/* A column of three pixels of x serves the three results it lies under. */
#define COLUMN(at)                                              \
    __m512i c0 = X((at) + d->tap[0]), c1 = X((at) + d->tap[1]); \
    __m512i c2 = X((at) + d->tap[2]);                           \
    QUADS(c0, c1, c2, c2)
#define DP4(to, from, w)                            \
    to##0 = _mm512_dpbusd_epi32(from##0, q0, w##0); \
    to##1 = _mm512_dpbusd_epi32(from##1, q1, w##1); \
    to##2 = _mm512_dpbusd_epi32(from##2, q2, w##2); \
    to##3 = _mm512_dpbusd_epi32(from##3, q3, w##3)
#define DECL_W(w, i) \
    const __m512i w##0 = W(i), w##1 = W(i + 1), w##2 = W(i + 2), w##3 = W(i + 3)
/* With the filter's codes as they are, each column of sums of x counts wz
 * times less. */
#define MINUS(to)                        \
    to##0 = _mm512_sub_epi32(to##0, z0); \
    to##1 = _mm512_sub_epi32(to##1, z1); \
    to##2 = _mm512_sub_epi32(to##2, z2); \
    to##3 = _mm512_sub_epi32(to##3, z3)
#define ZCOLUMN(i) \
    _mm512_mullo_epi32(_mm512_dpbusd_epi32(ZERO, q##i, ones), X(wz + 16 * i))
#define DECL_Z                                          \
    __m512i z0 = ZERO, z1 = ZERO, z2 = ZERO, z3 = ZERO; \
    if (wz) {                                           \
        z0 = ZCOLUMN(0);                                \
        z1 = ZCOLUMN(1);                                \
        z2 = ZCOLUMN(2);                                \
        z3 = ZCOLUMN(3);                                \
    }
#define BIAS4                                                    \
    const __m512i b0 = X(d->end.bias), b1 = X(d->end.bias + 16), \
                  b2 = X(d->end.bias + 32), b3 = X(d->end.bias + 48)

VNNI INLINE void
dw3_by1(const SnDw *d, const int32_t *wz)
{
    const __m512i ones = _mm512_set1_epi32(0x00010101);
    __mmask64 k = ~0ull >> (64 - d->nc);
    const char *x = d->x;
    int8_t *y = d->y - 2 * d->pitch;
    __m512i m0 = ZERO, m1 = ZERO, m2 = ZERO, m3 = ZERO; /* two columns done */
    __m512i n0 = ZERO, n1 = ZERO, n2 = ZERO, n3 = ZERO; /* one */
    DECL_W(u, 0);
    DECL_W(v, 4);
    DECL_W(w, 8);
    BIAS4;

    for (int64_t i = -2; i < d->npx; i++, x += d->step, y += d->pitch) {
        COLUMN(x);
        DECL_Z
        DP4(m, m, w);
        MINUS(m);
        if (i >= 0)
            dw_put(&d->end, m0, m1, m2, m3, k, y);
        DP4(m, n, v);
        MINUS(m);
        DP4(n, b, u);
        MINUS(n);
    }
}

VNNI INLINE void
dw3_by2(const SnDw *d, const int32_t *wz)
{
    const __m512i ones = _mm512_set1_epi32(0x00010101);
    __mmask64 k = ~0ull >> (64 - d->nc);
    const char *x = d->x;
    int64_t half = d->step / 2;
    int8_t *y = d->y - d->pitch;
    __m512i m0 = ZERO, m1 = ZERO, m2 = ZERO, m3 = ZERO;
    DECL_W(u, 0);
    DECL_W(v, 4);
    DECL_W(w, 8);
    BIAS4;

    for (int64_t i = -1; i < d->npx; i++, x += d->step, y += d->pitch) {
        {
            COLUMN(x);
            DECL_Z
            DP4(m, m, w);
            MINUS(m);
            if (i >= 0)
                dw_put(&d->end, m0, m1, m2, m3, k, y);
            if (i + 1 == d->npx)
                break;
            DP4(m, b, u);
            MINUS(m);
        }
        COLUMN(x + half);
        DECL_Z
        DP4(m, m, v);
        MINUS(m);
    }
}

/* Without zero points the subtractions vanish. */
VNNI static void
dw3_step1(const SnDw *d)
{
    if (d->end.wz)
        dw3_by1(d, d->end.wz);
    else
        dw3_by1(d, NULL);
}

VNNI static void
dw3_step2(const SnDw *d)
{
    if (d->end.wz)
        dw3_by2(d, d->end.wz);
    else
        dw3_by2(d, NULL);
}

#define ROW(N)                                                                 \
    {                                                                          \
        tile##N##1, tile##N##2, tile##N##3, tile##N##4, tile##N##5, tile##N##6 \
    }
const SnGemm sn_gemm_vnni = {
    .isa = SN_ISA_VNNI,
    .esize = 1,
    .offset = 128,
    .kstep = 4,
    .mtile = 6,
    .ntile = 4,
    .dwblock = 64,
    .widen = widen,
    .sum = sum,
    .tile = {ROW(1), ROW(2), ROW(3), ROW(4)},
    .dw = dw,
    .dw3 = {dw3_step1, dw3_step2},
    .dwplace = place,
    .dwpack = pack,
};

#else
typedef int sn_no_vnni_t;
#endif
