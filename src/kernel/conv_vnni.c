/* Tiles for AVX-512 VNNI: vpdpbusd of u8 codes x + 128, broadcast four taps at
 * a time, with 16 channels of the filter to a register.  Sums are named
 * variables in functions that hold nothing but the loop over taps: gcc 12
 * keeps arrays of them on the stack. */
#include "kernel/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define VNNI                                                              \
    __attribute__((target(                                                \
        "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define INLINE static inline __attribute__((always_inline))

VNNI static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    uint8_t *to = y;
    __m512i flip = _mm512_set1_epi8(-128);
    int64_t i = 0;

    (void)z;
    for (; i + 64 <= n; i += 64)
        _mm512_storeu_si512(
            to + i, _mm512_xor_si512(_mm512_loadu_si512(x + i), flip));
    if (i < n) {
        __mmask64 k = ~0ull >> (64 - (n - i));
        __m512i v = _mm512_maskz_loadu_epi8(k, x + i);
        _mm512_mask_storeu_epi8(to + i, k, _mm512_xor_si512(v, flip));
    }
}

VNNI static int32_t
sum(const void *x, int64_t n)
{
    const uint8_t *v = x;
    __m512i ones = _mm512_set1_epi8(1), s = _mm512_setzero_si512();
    int64_t i = 0;

    for (; i + 64 <= n; i += 64)
        s = _mm512_dpbusd_epi32(s, _mm512_loadu_si512(v + i), ones);
    if (i < n)
        s = _mm512_dpbusd_epi32(
            s, _mm512_maskz_loadu_epi8(~0ull >> (64 - (n - i)), v + i), ones);
    return _mm512_reduce_add_epi32(s);
}

/* rne(clamp((float)v * mul)), less zp. */
VNNI INLINE __m512i
requant(__m512i v, const float *mul, const SnEnd *e)
{
    __m512 f = _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_loadu_ps(mul));

    f = _mm512_max_ps(f, _mm512_set1_ps(e->lo)); /* NaN gives lo */
    f = _mm512_min_ps(f, _mm512_set1_ps(e->hi));
    return _mm512_cvtps_epi32(f);
}

/* Stores panel j of row r. */
VNNI INLINE void
put(const SnTile *t, int r, int j, __m512i v)
{
    const SnEnd *e = &t->end;
    int n = t->ncol - 16 * j;

    v = _mm512_add_epi32(v, _mm512_loadu_si512(e->bias + 16 * j));
    if (e->wz) {
        __m512i s = _mm512_set1_epi32(t->rowsum[r]);
        v = _mm512_sub_epi32(
            v,
            _mm512_mullo_epi32(s, _mm512_loadu_si512(e->wz + 16 * j)));
    }
    v = _mm512_add_epi32(requant(v, e->mul + 16 * j, e),
                         _mm512_set1_epi32(e->zp));
    if (n >= 16)
        _mm_storeu_si128((void *)(t->y[r] + 16 * j),
                         _mm512_cvtepi32_epi8(v));
    else
        _mm512_mask_cvtepi32_storeu_epi8(t->y[r] + 16 * j,
                                         (__mmask16)((1u << n) - 1u), v);
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
#define DECL1(r) __m512i a##r##0 = ZERO;
#define DECL2(r) DECL1(r) __m512i a##r##1 = ZERO;
#define DECL3(r) DECL2(r) __m512i a##r##2 = ZERO;
#define DECL4(r) DECL3(r) __m512i a##r##3 = ZERO;
#define LOAD1 __m512i w0 = _mm512_loadu_si512(w);
#define LOAD2 LOAD1 __m512i w1 = _mm512_loadu_si512(w + 64);
#define LOAD3 LOAD2 __m512i w2 = _mm512_loadu_si512(w + 128);
#define LOAD4 LOAD3 __m512i w3 = _mm512_loadu_si512(w + 192);
#define STEP1(r) v = four(x##r + k); DP(r, 0);
#define STEP2(r) STEP1(r) DP(r, 1);
#define STEP3(r) STEP2(r) DP(r, 2);
#define STEP4(r) STEP3(r) DP(r, 3);
#define PUT1(r) put(t, r, 0, a##r##0);
#define PUT2(r) PUT1(r) put(t, r, 1, a##r##1);
#define PUT3(r) PUT2(r) put(t, r, 2, a##r##2);
#define PUT4(r) PUT3(r) put(t, r, 3, a##r##3);
#define FROM(r) const char *x##r = t->x[r] + t->run[i];
#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)

#define TILE(N, M)                                       \
    VNNI static void tile##N##M(const SnTile *t)         \
    {                                                    \
        const char *w = t->w;                            \
        int64_t n = t->nstep * 4;                        \
        ROWS##M(DECL##N)                                 \
        for (int64_t i = 0; i < t->nrun; i++) {          \
            ROWS##M(FROM)                                \
            for (int64_t k = 0; k < n; k += 4) {         \
                __m512i v;                               \
                LOAD##N                                  \
                ROWS##M(STEP##N)                         \
                w += 64 * N;                             \
            }                                            \
        }                                                \
        ROWS##M(PUT##N)                                  \
    }
#define TILES(N)                                                       \
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
dw_put(const SnEnd *e, __m512i a, __m512i b, __m512i c, __m512i d,
       __mmask64 k, int8_t *y)
{
    a = _mm512_add_epi32(a, _mm512_loadu_si512(e->bias));
    b = _mm512_add_epi32(b, _mm512_loadu_si512(e->bias + 16));
    c = _mm512_add_epi32(c, _mm512_loadu_si512(e->bias + 32));
    d = _mm512_add_epi32(d, _mm512_loadu_si512(e->bias + 48));
    a = _mm512_packs_epi32(requant(a, e->mul, e), requant(b, e->mul + 16, e));
    c = _mm512_packs_epi32(requant(c, e->mul + 32, e),
                           requant(d, e->mul + 48, e));
    __m512i z = _mm512_set1_epi16((int16_t)e->zp);
    a = _mm512_packs_epi16(_mm512_add_epi16(a, z), _mm512_add_epi16(c, z));
    _mm512_mask_storeu_epi8(y, k, a);
}

VNNI static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;
    __mmask64 k = ~0ull >> (64 - d->nc);

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m512i s0 = ZERO, s1 = ZERO, s2 = ZERO, s3 = ZERO;
        const char *w = d->w;
        for (int64_t t = 0; t < d->ntap; t += 4, w += 256) {
            const int64_t *tap = d->tap + t;
            __m512i a = _mm512_loadu_si512(x + tap[0]);
            __m512i b = _mm512_loadu_si512(x + tap[1]);
            __m512i c = _mm512_loadu_si512(x + tap[2]);
            __m512i e = _mm512_loadu_si512(x + tap[3]);
            __m512i ab = _mm512_unpacklo_epi8(a, b);
            __m512i ce = _mm512_unpacklo_epi8(c, e);
            a = _mm512_unpackhi_epi8(a, b);
            c = _mm512_unpackhi_epi8(c, e);
            s0 = _mm512_dpbusd_epi32(s0, _mm512_unpacklo_epi16(ab, ce),
                                     _mm512_loadu_si512(w));
            s1 = _mm512_dpbusd_epi32(s1, _mm512_unpackhi_epi16(ab, ce),
                                     _mm512_loadu_si512(w + 64));
            s2 = _mm512_dpbusd_epi32(s2, _mm512_unpacklo_epi16(a, c),
                                     _mm512_loadu_si512(w + 128));
            s3 = _mm512_dpbusd_epi32(s3, _mm512_unpackhi_epi16(a, c),
                                     _mm512_loadu_si512(w + 192));
        }
        dw_put(&d->end, s0, s1, s2, s3, k, y);
    }
}

#define ROW(N)                                                         \
    {                                                                  \
        tile##N##1, tile##N##2, tile##N##3, tile##N##4, tile##N##5,    \
            tile##N##6                                                 \
    }
const SnGemm sn_gemm_vnni = {
    .isa = SN_ISA_VNNI,
    .esize = 1,
    .kstep = 4,
    .mtile = 6,
    .ntile = 4,
    .dwblock = 64,
    .widen = widen,
    .sum = sum,
    .tile = {ROW(1), ROW(2), ROW(3), ROW(4)},
    .dw = dw,
    .dwplace = place,
    .dwpack = pack,
};

#else
typedef int sn_no_vnni_t;
#endif
