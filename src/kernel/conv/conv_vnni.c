// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX-512 VNNI: vpdpbusd of u8 codes x + 128, broadcast four taps at
 * a time, with 16 channels of the filter to a register.  Flipped ones: of the
 * filter's codes + 128 with codes of x; 128 times the sum of a pixel's taps is
 * taken off where its sums begin.  To add 128 to x takes an instruction for
 * each four taps of a pixel and panel: where two units execute these and the
 * products, a fifth of the time.  Sums are named variables in functions that
 * hold nothing but the loop over taps: gcc 12 keeps arrays of them on the
 * stack. */
#include "kernel/conv/conv_vnni.h"

#include <string.h>

static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    (void)z;
    memcpy(y, x, (size_t)n);
}

#if defined(__x86_64__) && !defined(SN_TWINS)
#include "kernel/tile_rows.h"

/* The sum of a pixel, as 16 parts. */
VNNI INLINE __m512i
pixel_parts(const char *x, const SnConvRun *run, int64_t nrun, int64_t len)
{
    __m512i ones = _mm512_set1_epi8(1), s = _mm512_setzero_si512();
    int64_t whole = len / 64 * 64;
    __mmask64 k = len > whole ? ~0ull >> (64 - (len - whole)) : 0;

    for (int64_t r = 0; r < nrun; r++) {
        const char *v = x + run[r].x;
        for (int64_t i = 0; i < whole; i += 64)
            s = _mm512_dpbusd_epi32(s, ones, _mm512_loadu_si512(v + i));
        if (k)
            s = _mm512_dpbusd_epi32(s, ones,
                                    _mm512_maskz_loadu_epi8(k, v + whole));
    }
    return s;
}

/* Each two neighbours of a, then of b, added: 8 lanes of each, in fours. */
VNNI INLINE __m512i
pixel_pairs(__m512i a, __m512i b)
{
    return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b),
                            _mm512_unpackhi_epi32(a, b));
}

/* Sums of n pixels with `more` added to each: four at a time, whose parts are
 * added side by side. */
VNNI INLINE void
pixel_sums(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run,
           int64_t nrun, int64_t len, int32_t more, int32_t *to)
{
    for (int64_t i = 0; i < n; i += 4) {
        int64_t last = n - 1 - i;
        __m512i v[4];
        for (int64_t j = 0; j < 4; j++)
            v[j] = j <= last ? pixel_parts(px[i + j].x + x0, run, nrun, len)
                             : _mm512_setzero_si512();
        __m512i ab = pixel_pairs(v[0], v[1]), cd = pixel_pairs(v[2], v[3]);
        __m512i s = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd),
                                     _mm512_unpackhi_epi64(ab, cd));
        __m256i h = _mm256_add_epi32(_mm512_castsi512_si256(s),
                                     _mm512_extracti64x4_epi64(s, 1));
        __m128i q = _mm_add_epi32(_mm256_castsi256_si128(h),
                                  _mm256_extracti128_si256(h, 1));
        q = _mm_add_epi32(q, _mm_set1_epi32(more));
        _mm_mask_storeu_epi32(to + i,
                              (__mmask8)(last < 3 ? (2 << last) - 1 : 15), q);
    }
}

VNNI SN_SPARE static void
sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run, int64_t nrun,
    int64_t len, int32_t *to)
{
    pixel_sums(px, n, x0, run, nrun, len, (int32_t)(128 * nrun * len), to);
}

/* The rows of a tile that returns the sums themselves, in order. */
VNNI static __attribute__((noinline)) void
put_sums(const SnTile *t, const SnPx *p, int nrow, int npanel, const __m512i *v)
{
    const int32_t *wz = t->end.wz;

    for (int r = 0; r < nrow; r++) {
        int32_t x = wz ? t->rowsum[p - t->px + r] : 0;
        int8_t *y = p[r].y + t->c0;
        for (int j = 0, n = t->ncol; j < npanel; j++, n -= 16, y += 64) {
            __mmask16 k = (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff);
            __m512i s = *v++;
            if (wz)
                s = _mm512_sub_epi32(
                    s, _mm512_mullo_epi32(_mm512_set1_epi32(x),
                                          _mm512_loadu_si512(wz + 16 * j)));
            _mm512_mask_storeu_epi32(y, k, s);
        }
    }
}

/* The rows of a tile whose filter has zero points or whose products may leave
 * int32: nrow x npanel sums. */
VNNI static __attribute__((noinline)) void
put_any(const SnTile *t, const SnPx *p, int nrow, int npanel, const __m512i *v)
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
                    s[j], _mm512_mullo_epi32(
                              _mm512_set1_epi32(t->rowsum[p - t->px + r]),
                              _mm512_loadu_si512(e->wz + 16 * i)));
            s[j] = scale(s[j], e->mul + 16 * i, e);
        }
        s[0] = codes(&l, s[0], s[1], s[2], s[3]);
        if (npanel < 4)
            s[0] = _mm512_permutexvar_epi32(l.order, s[0]);
        store(p[r].y + t->c0, t->ncol, s[0]);
    }
}

/* Four codes of x, + 128 unless the filter has that, in each lane. */
VNNI INLINE __m512i
four(const char *x, bool flipped)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    __m512i codes = _mm512_set1_epi32(v);
    return flipped ? codes : _mm512_xor_si512(codes, _mm512_set1_epi8(-128));
}

VNNI INLINE __m512i
flip_dot(__m512i sum, __m512i x, __m512i w, bool flipped)
{
    return flipped ? _mm512_dpbusd_epi32(sum, w, x)
                   : _mm512_dpbusd_epi32(sum, x, w);
}

/* The bias, less what 128 more in each code of the filter adds to a sum. */
VNNI INLINE __m512i
unflipped(__m512i bias, __m512i rowsum, bool flipped)
{
    return flipped ? _mm512_sub_epi32(bias, _mm512_slli_epi32(rowsum, 7))
                   : bias;
}

#define DP(r, j) a##r##j = flip_dot(a##r##j, v, w##j, flipped);
#define ZERO _mm512_setzero_si512()
#define BIAS(j) __m512i b##j = _mm512_loadu_si512(t->end.bias + 16 * j);
/* A register: gcc would load it again for each row. */
#define LOAD(j)                                      \
    __m512i w##j = _mm512_loadu_si512(w + 64 * (j)); \
    __asm__("" : "+v"(w##j));
#define MUL(j) __m512 m##j = _mm512_loadu_ps(t->end.mul + 16 * j);
/* There are no sums of rows where nothing uses them. */
#define LESS(r)          \
    const __m512i o##r = \
        flipped ? _mm512_set1_epi32(t->rowsum[p - t->px + (r)]) : ZERO;
#define COPY(r, j) __m512i a##r##j = unflipped(b##j, o##r, flipped);
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
#define FROM(r) const char *x##r = p[r].x + at;
#define STEPS(r, ROW)                \
    {                                \
        v = four(x##r + k, flipped); \
        ROW(DP, r)                   \
    }
#define STEP1(r) STEPS(r, ROW1)
#define STEP2(r) STEPS(r, ROW2)
#define STEP3(r) STEPS(r, ROW3)
#define STEP4(r) STEPS(r, ROW4)
#define DECL1(r) LESS(r) ROW1(COPY, r)
#define DECL2(r) LESS(r) ROW2(COPY, r)
#define DECL3(r) LESS(r) ROW3(COPY, r)
#define DECL4(r) LESS(r) ROW4(COPY, r)
#define ITEMS1(r) ROW1(ITEM, r)
#define ITEMS2(r) ROW2(ITEM, r)
#define ITEMS3(r) ROW3(ITEM, r)
#define ITEMS4(r) ROW4(ITEM, r)
/* Four panels come out in order: sn_place_vnni. */
#define PUTS(r, N, ROW, b, c, d)                                \
    {                                                           \
        ROW(TIMES, r)                                           \
        s0 = codes(&l, s0, b, c, d);                            \
        if (N < 4)                                              \
            s0 = _mm512_permutexvar_epi32(l.order, s0);         \
        store(p[r].y + c0, ncol == 16 * N ? 16 * N : ncol, s0); \
    }
#define PUT1(r) PUTS(r, 1, ROW1, s0, s0, s0)
#define PUT2(r) PUTS(r, 2, ROW2, s1, s0, s1)
#define PUT3(r) PUTS(r, 3, ROW3, s1, s2, s2)
#define PUT4(r) PUTS(r, 4, ROW4, s1, s2, s3)

/* One row reads every weight once, from far away unless there are few:
 * prefetch it. */
#define AHEAD(j) _mm_prefetch(w + 4096 + 64 * (j), _MM_HINT_T0);
#define NEXT1(COLS) \
    if (t->far) {   \
        COLS(AHEAD) \
    }
#define NEXT2(COLS)                   \
    _mm_prefetch(ahead, _MM_HINT_T1); \
    ahead += 64;
#define NEXT3 NEXT2
#define NEXT4 NEXT2
#define NEXT5 NEXT2
#define NEXT6 NEXT2
#define NEXT7 NEXT2
#define NEXT8 NEXT2

#define TILE(NAME, FLIPPED, N, M)                                             \
    VNNI SN_SPARE static void NAME##N##M(const SnTile *t)                     \
    {                                                                         \
        const SnPx *p = t->px, *const end = p + t->ntile * M;                 \
        const char *ahead = t->ahead;                                         \
        const bool flipped = FLIPPED;                                         \
        const int64_t n = t->nstep * 4, c0 = t->c0;                           \
        const int ncol = t->ncol;                                             \
        const bool any = t->end.wz || !t->end.small;                          \
        for (; p < end; p += M) {                                             \
            COLS##N(BIAS) ROWS##M(DECL##N) if (ahead >= t->aheadto) ahead =   \
                t->w;                                                         \
            for (int64_t i = 0; i < t->nrun; i++) {                           \
                const char *w = (const char *)t->w + t->run[i].w * (64 * N);  \
                const int64_t at = t->run[i].x + t->x0;                       \
                ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4, w += 64 * N) \
                {                                                             \
                    __m512i v;                                                \
                    NEXT##M(COLS##N) COLS##N(LOAD) ROWS##M(STEP##N)           \
                }                                                             \
            }                                                                 \
            if (any) {                                                        \
                const __m512i v[] = {ROWS##M(ITEMS##N)};                      \
                (t->end.sums ? put_sums : put_any)(t, p, M, N, v);            \
                continue;                                                     \
            }                                                                 \
            const Last l = last(&t->end);                                     \
            COLS##N(MUL) ROWS##M(PUT##N)                                      \
        }                                                                     \
    }
#define TILES(NAME, FLIPPED, N) \
    TILE(NAME, FLIPPED, N, 1)   \
    TILE(NAME, FLIPPED, N, 2)   \
    TILE(NAME, FLIPPED, N, 3)   \
    TILE(NAME, FLIPPED, N, 4)   \
    TILE(NAME, FLIPPED, N, 5) TILE(NAME, FLIPPED, N, 6)
#define TILES8(NAME, FLIPPED, N) \
    TILES(NAME, FLIPPED, N)      \
    TILE(NAME, FLIPPED, N, 7) TILE(NAME, FLIPPED, N, 8)
TILES8(tile, false, 1)
TILES8(tile, false, 2)
TILES8(tile, false, 3)
TILES(tile, false, 4)

#else
#define TWIN_X(p, i) (((const int8_t *)(p))[i] + 128)
#define TWIN_W int8_t
#define TWIN_STEP 4
#define TWIN_PLACE(n, c) ((n) == 4 ? sn_place_vnni(c) : (c))
#define TWIN_BLOCK 64
#define TWIN_TAPS 4
#define TWIN_DW(c) sn_place_vnni(c)
#include "kernel/conv/conv_twin.inc"

SN_SPARE static void
sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run, int64_t nrun,
    int64_t len, int32_t *to)
{
    for (int64_t p = 0; p < n; p++) {
        int32_t s = 0;
        for (int64_t r = 0; r < nrun; r++)
            for (int64_t i = 0; i < len; i++)
                s += TWIN_X(px[p].x + x0 + run[r].x, i);
        to[p] = s;
    }
}

#define TWINS(N) \
    TWIN(N, 1) TWIN(N, 2) TWIN(N, 3) TWIN(N, 4) TWIN(N, 5) TWIN(N, 6)
TWINS(1)
TWIN(1, 7)
TWIN(1, 8)
TWINS(2)
TWIN(2, 7)
TWIN(2, 8)
TWINS(3)
TWIN(3, 7)
TWIN(3, 8)
TWINS(4)

void
sn_dw_vnni(const SnDw *d)
{
    twin_dw(d);
}

void
sn_dw3_vnni_step1(const SnDw3 *d)
{
    twin_dw3(d, 1);
}

void
sn_dw3_vnni_step2(const SnDw3 *d)
{
    twin_dw3(d, 2);
}
#endif

/* ---- programs of `sinter compile` have nothing from here on ---- */

#define ROW(NAME, N) \
    NAME##N##1, NAME##N##2, NAME##N##3, NAME##N##4, NAME##N##5, NAME##N##6
#define ROW8(NAME, N)                        \
    {                                        \
        ROW(NAME, N), NAME##N##7, NAME##N##8 \
    }
const SnConvTiles sn_tiles_vnni = {
    .esize = 1,
    .offset = 128,
    .inside = true,
    .mtile = {8, 8, 8, 6},
    .widen = widen,
    .sum = sum,
    .tile = {ROW8(tile, 1), ROW8(tile, 2), ROW8(tile, 3), {ROW(tile, 4)}},
    .dw = sn_dw_vnni,
    .dw3 = {sn_dw3_vnni_step1, sn_dw3_vnni_step2},
};

#if defined(__x86_64__) && !defined(SN_TWINS)
TILES8(flip, true, 1)
TILES8(flip, true, 2)
TILES8(flip, true, 3)
TILES(flip, true, 4)

VNNI static void
flip_sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run,
         int64_t nrun, int64_t len, int32_t *to)
{
    pixel_sums(px, n, x0, run, nrun, len, 0, to);
}

const SnConvTiles sn_tiles_vnni_flip = {
    .esize = 1,
    .inside = true,
    .mtile = {8, 8, 8, 6},
    .widen = widen,
    .sum = flip_sum,
    .tile = {ROW8(flip, 1), ROW8(flip, 2), ROW8(flip, 3), {ROW(flip, 4)}},
    .flip = 128,
};
#endif
