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

static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    (void)z;
    memcpy(y, x, (size_t)n);
}

/* Codes + 128. */
VNNI INLINE __m512i
u8(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_set1_epi8(-128));
}

VNNI static int32_t
sum(const char *x, const SnConvRun *run, int64_t nrun, int64_t len)
{
    __m512i ones = _mm512_set1_epi8(1), s = _mm512_setzero_si512();
    int64_t whole = len / 64 * 64;
    __mmask64 k = len > whole ? ~0ull >> (64 - (len - whole)) : 0;

    for (int64_t r = 0; r < nrun; r++) {
        const char *v = x + run[r].x;
        for (int64_t i = 0; i < whole; i += 64)
            s = _mm512_dpbusd_epi32(s, ones, _mm512_loadu_si512(v + i));
        s = _mm512_dpbusd_epi32(s, ones, _mm512_maskz_loadu_epi8(k, v + whole));
    }
    return _mm512_reduce_add_epi32(s) + (int32_t)(128 * nrun * len);
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

/* What the end of every sum needs, in registers. */
typedef struct Last {
    __m512i zp, low, high, order;
} Last;

VNNI INLINE Last
last(const SnEnd *e)
{
    return (Last){
        _mm512_set1_epi16((int16_t)e->zp),
        _mm512_set1_epi8(e->low),
        _mm512_set1_epi8(e->high),
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
    };
}

/* Four registers of scaled sums to 64 codes: each step saturates, and the
 * clamp is applied at the end.  The bytes of lane l are 4 of a, 4 of b, of c,
 * of d. */
VNNI INLINE __m512i
codes(const Last *l, __m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i ab = _mm512_adds_epi16(_mm512_packs_epi32(a, b), l->zp);
    __m512i cd = _mm512_adds_epi16(_mm512_packs_epi32(c, d), l->zp);

    return _mm512_min_epi8(
        _mm512_max_epi8(_mm512_packs_epi16(ab, cd), l->low), l->high);
}

/* n codes, in order. */
VNNI INLINE void
store(int8_t *y, int n, __m512i v)
{
    if (n == 64) {
        _mm512_storeu_si512(y, v);
    } else if (n == 48) {
        _mm256_storeu_si256((void *)y, _mm512_castsi512_si256(v));
        _mm_storeu_si128((void *)(y + 32), _mm512_extracti32x4_epi32(v, 2));
    } else if (n == 32) {
        _mm256_storeu_si256((void *)y, _mm512_castsi512_si256(v));
    } else if (n == 16) {
        _mm_storeu_si128((void *)y, _mm512_castsi512_si128(v));
    } else {
        _mm512_mask_storeu_epi8(y, ~0ull >> (64 - n), v);
    }
}

/* The rows of a tile whose filter has zero points or whose products may leave
 * int32: nrow x npanel sums. */
VNNI static __attribute__((noinline)) void
put_any(const SnTile *t, int nrow, int npanel, const __m512i *v)
{
    const SnEnd *e = &t->end;
    Last l = last(e);

    for (int r = 0; r < nrow; r++) {
        __m512i s[4];
        for (int j = 0; j < 4; j++) {
            int i = j < npanel ? j : npanel - 1;
            s[j] = v[r * npanel + i];
            if (e->wz)
                s[j] = _mm512_sub_epi32(
                    s[j],
                    _mm512_mullo_epi32(_mm512_set1_epi32(t->rowsum[r]),
                                       _mm512_loadu_si512(e->wz + 16 * i)));
            s[j] = scale(s[j], e->mul + 16 * i, e);
        }
        s[0] = codes(&l, s[0], s[1], s[2], s[3]);
        store(t->y[r], t->ncol, _mm512_permutexvar_epi32(l.order, s[0]));
    }
}

VNNI INLINE __m512i
times(__m512i v, __m512 mul)
{
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(v), mul));
}

/* Four codes + 128, in each lane. */
VNNI INLINE __m512i
four(const char *x, __m512i flip)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return _mm512_xor_si512(_mm512_set1_epi32(v), flip);
}

#define DP(r, j) a##r##j = _mm512_dpbusd_epi32(a##r##j, v, w##j);
#define ZERO _mm512_setzero_si512()
#define BIAS(j) __m512i b##j = _mm512_loadu_si512(t->end.bias + 16 * j);
/* A register: gcc would load it again for each row. */
#define LOAD(j)                                       \
    __m512i w##j = _mm512_loadu_si512(w + 64 * (j)); \
    __asm__("" : "+v"(w##j));
#define MUL(j) __m512 m##j = _mm512_loadu_ps(t->end.mul + 16 * j);
#define COPY(r, j) __m512i a##r##j = b##j;
#define ITEM(r, j) a##r##j,
#define TIMES(r, j) __m512i s##j = times(a##r##j, m##j);
#define COLS1(M) M(0)
#define COLS2(M) M(0) M(1)
#define COLS3(M) M(0) M(1) M(2)
#define COLS4(M) M(0) M(1) M(2) M(3)
#define ROW1(M, r) M(r, 0)
#define ROW2(M, r) M(r, 0) M(r, 1)
#define ROW3(M, r) M(r, 0) M(r, 1) M(r, 2)
#define ROW4(M, r) M(r, 0) M(r, 1) M(r, 2) M(r, 3)
#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)
#define FROM(r) const char *x##r = t->x[r] + t->run[i].x;
#define STEPS(r, ROW)          \
    {                          \
        v = four(x##r + k, f); \
        ROW(DP, r)             \
    }
#define STEP1(r) STEPS(r, ROW1)
#define STEP2(r) STEPS(r, ROW2)
#define STEP3(r) STEPS(r, ROW3)
#define STEP4(r) STEPS(r, ROW4)
#define DECL1(r) ROW1(COPY, r)
#define DECL2(r) ROW2(COPY, r)
#define DECL3(r) ROW3(COPY, r)
#define DECL4(r) ROW4(COPY, r)
#define ITEMS1(r) ROW1(ITEM, r)
#define ITEMS2(r) ROW2(ITEM, r)
#define ITEMS3(r) ROW3(ITEM, r)
#define ITEMS4(r) ROW4(ITEM, r)
#define PUTS(r, N, ROW, b, c, d)                                       \
    {                                                                  \
        ROW(TIMES, r)                                                  \
        s0 = codes(&l, s0, b, c, d);                                   \
        s0 = _mm512_permutexvar_epi32(l.order, s0);                    \
        store(t->y[r], ncol == 16 * N ? 16 * N : ncol, s0);            \
    }
#define PUT1(r) PUTS(r, 1, ROW1, s0, s0, s0)
#define PUT2(r) PUTS(r, 2, ROW2, s1, s0, s1)
#define PUT3(r) PUTS(r, 3, ROW3, s1, s2, s2)
#define PUT4(r) PUTS(r, 4, ROW4, s1, s2, s3)

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

#define TILE(N, M)                                                        \
    VNNI static void tile##N##M(const SnTile *t)                          \
    {                                                                     \
        const char *ahead = t->ahead;                                     \
        const __m512i f = _mm512_set1_epi8(-128);                         \
        int64_t n = t->nstep * 4;                                         \
        COLS##N(BIAS) ROWS##M(DECL##N)                                    \
        for (int64_t i = 0; i < t->nrun; i++) {                           \
            const char *w = (const char *)t->w + t->run[i].w * (64 * N);  \
            ROWS##M(FROM)                                                 \
            for (int64_t k = 0; k < n; k += 4, w += 64 * N) {             \
                __m512i v;                                                \
                NEXT##M COLS##N(AHEAD##M) COLS##N(LOAD) ROWS##M(STEP##N)  \
            }                                                             \
        }                                                                 \
        (void)ahead;                                                      \
        if (t->end.wz || !t->end.small) {                                 \
            const __m512i v[] = {ROWS##M(ITEMS##N)};                      \
            put_any(t, M, N, v);                                          \
            return;                                                       \
        }                                                                 \
        const Last l = last(&t->end);                                     \
        const int ncol = t->ncol;                                         \
        COLS##N(MUL) ROWS##M(PUT##N)                                      \
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
    Last l = last(e);

    a = codes(&l, scale(a, e->mul, e), scale(b, e->mul + 16, e),
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
#define I(at) _mm512_loadu_si512(at)
#define X(at) u8(_mm512_loadu_si512(at))

VNNI static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;
    __mmask64 k = ~0ull >> (64 - d->nc);
    const int32_t *bias = d->end.bias;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m512i s0 = I(bias), s1 = I(bias + 16);
        __m512i s2 = I(bias + 32), s3 = I(bias + 48);
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
    _mm512_mullo_epi32(_mm512_dpbusd_epi32(ZERO, q##i, ones), I(wz + 16 * i))
#define DECL_Z                                          \
    __m512i z0 = ZERO, z1 = ZERO, z2 = ZERO, z3 = ZERO; \
    if (wz) {                                           \
        z0 = ZCOLUMN(0);                                \
        z1 = ZCOLUMN(1);                                \
        z2 = ZCOLUMN(2);                                \
        z3 = ZCOLUMN(3);                                \
    }
#define BIAS4                                                    \
    const __m512i b0 = I(d->end.bias), b1 = I(d->end.bias + 16), \
                  b2 = I(d->end.bias + 32), b3 = I(d->end.bias + 48)

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
    .inside = true,
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
