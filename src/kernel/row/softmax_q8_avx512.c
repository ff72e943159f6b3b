// SPDX-License-Identifier: Apache-2.0
/* Softmax of codes in AVX-512. */
#include "kernel/row/softmax_q8.h"

#include <string.h>

#if defined(__x86_64__)
#include "kernel/lanes_avx512.h"

#define numbers(p) _mm512_cvtepi32_ps(_mm512_loadu_si512(p))
#define vround(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT)
#define put_codes(p, x, z)                                  \
    _mm_storeu_si128((void *)(p),                           \
                     _mm512_cvtepi32_epi8(_mm512_add_epi32( \
                         _mm512_cvtps_epi32(x), _mm512_set1_epi32(z))))
#define other(a, b) (uint32_t) _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ)
#define some(x) (_mm512_cmp_ps_mask(x, set(0), _CMP_GT_OQ) != 0)

#include "kernel/row/softmax_q8_lanes.inc"

TARGET static int
top(const int8_t *x, int64_t n)
{
    __m512i low = _mm512_set1_epi8(-128), v = low;

    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 k = n - i >= 64 ? ~0ull : (1ull << (n - i)) - 1u;
        v = _mm512_max_epi8(v, _mm512_mask_loadu_epi8(low, k, x + i));
    }
    __m256i h = _mm256_max_epi8(_mm512_castsi512_si256(v),
                                _mm512_extracti64x4_epi64(v, 1));
    __m128i m =
        _mm_max_epi8(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 8));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 4));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 2));
    m = _mm_max_epi8(m, _mm_srli_si128(m, 1));
    return (int8_t)_mm_cvtsi128_si32(m);
}

#define VBMI \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))

typedef struct Table {
    __m512i v[4];
} Table;

VBMI INLINE Table
table_of(const void *from)
{
    const char *p = from;

    return (Table){{_mm512_loadu_si512(p), _mm512_loadu_si512(p + 64),
                    _mm512_loadu_si512(p + 128), _mm512_loadu_si512(p + 192)}};
}

/* Entries i: 128 are looked up at once, bit 7 of i chooses. */
VBMI INLINE __m512i
entries(const Table *t, __m512i i)
{
    __m512i low = _mm512_permutex2var_epi8(t->v[0], i, t->v[1]);
    __m512i high = _mm512_permutex2var_epi8(t->v[2], i, t->v[3]);

    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(i), low, high);
}

VBMI INLINE __mmask64
lanes(int64_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1u;
}

/* A row, and tables of the bytes of s->t. */
typedef struct Row {
    const SnSoftmax *s;
    const int8_t *x;
    int64_t n;
    int most;
    uint64_t sum;
    Table byte[3];
} Row;

/* How far codes [i, i + 64) are below the largest; undefined past the row's
 * end. */
VBMI INLINE __m512i
below(const Row *r, int64_t i)
{
    return _mm512_sub_epi8(_mm512_set1_epi8((char)r->most),
                           _mm512_maskz_loadu_epi8(lanes(r->n - i), r->x + i));
}

/* The sum of s->t over the row.  Bytes are added separately: they are integers,
 * so the order does not matter. */
VBMI static uint64_t
total(const Row *r)
{
    const __m512i none = _mm512_setzero_si512();
    __m512i sum[3] = {none, none, none};

    for (int64_t i = 0; i < r->n; i += 64) {
        __m512i v = below(r, i);
        for (int b = 0; b < 3; b++) {
            __m512i e = entries(&r->byte[b], v);
            e = _mm512_maskz_mov_epi8(lanes(r->n - i), e);
            sum[b] = _mm512_add_epi64(sum[b], _mm512_sad_epu8(e, none));
        }
    }
    sum[0] = _mm512_add_epi64(sum[0], _mm512_slli_epi64(sum[1], 8));
    sum[0] = _mm512_add_epi64(sum[0], _mm512_slli_epi64(sum[2], 16));
    return (uint64_t)_mm512_reduce_add_epi64(sum[0]);
}

/* 16 quotients to the nearest, less zp.  q is off by less than 2^-22 of itself,
 * which is 2^-13 up to 512 and changes nothing above, where it is cut off:
 * `near` gets -1 where the error may decide. */
VBMI INLINE __m512i
quotients(const Row *r, __m512 times, __m512i t, __m512i *near)
{
    __m512 lo = _mm512_set1_ps((float)(r->s->lim.lo - r->s->zp));
    __m512 hi = _mm512_set1_ps((float)(r->s->lim.hi - r->s->zp));
    __m512 q = _mm512_mul_ps(_mm512_cvtepi32_ps(t), times), v = vround(q);
    __m512 off = _mm512_abs_ps(_mm512_sub_ps(q, v));

    *near = _mm512_movm_epi32(
        _mm512_cmp_ps_mask(off, _mm512_set1_ps(0.5f - 0x1p-13f), _CMP_GT_OQ));
    v = _mm512_min_ps(_mm512_max_ps(v, lo), hi);
    return _mm512_add_epi32(_mm512_cvtps_epi32(v), _mm512_set1_epi32(r->s->zp));
}

/* Packs words, in the order that unpacking left, to bytes in order. */
VBMI INLINE __m512i
packed(const __m512i v[4])
{
    return _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]),
                              _mm512_packs_epi32(v[2], v[3]));
}

/* Results of codes [i, i + 64), each divided by itself. */
VBMI INLINE void
divide(const Row *r, __m512 times, int64_t i, int8_t *y)
{
    const __m512i none = _mm512_setzero_si512();
    __m512i v = below(r, i), t[4], near[4];
    __m512i a = entries(&r->byte[0], v), b = entries(&r->byte[1], v);
    __m512i c = entries(&r->byte[2], v);
    __m512i low = _mm512_unpacklo_epi8(a, b),
            high = _mm512_unpacklo_epi8(c, none);
    __mmask64 k = lanes(r->n - i), redo;
    int8_t from[64];

    t[0] = _mm512_unpacklo_epi16(low, high);
    t[1] = _mm512_unpackhi_epi16(low, high);
    low = _mm512_unpackhi_epi8(a, b);
    high = _mm512_unpackhi_epi8(c, none);
    t[2] = _mm512_unpacklo_epi16(low, high);
    t[3] = _mm512_unpackhi_epi16(low, high);
    for (int j = 0; j < 4; j++)
        t[j] = quotients(r, times, t[j], &near[j]);
    redo = _mm512_movepi8_mask(packed(near)) & k;
    if (redo)
        _mm512_storeu_si512(from, v);
    _mm512_mask_storeu_epi8(y + i, k, packed(t));
    for (; redo; redo &= redo - 1) {
        int j = __builtin_ctzll(redo);
        y[i + j] = sn_softmax_code(r->s, (uint8_t)from[j], r->sum);
    }
}

/* A table of results, by how far a code is below the largest. */
VBMI static void
look_up(const Row *r, int8_t *y)
{
    int8_t code[256];
    int count = share(r->s, r->sum, r->most + 129, code);

    if (count < 256)
        memset(code + count, sn_softmax_code(r->s, count, r->sum),
               (size_t)(256 - count));
    Table t = table_of(code);
    for (int64_t i = 0; i < r->n; i += 64)
        _mm512_mask_storeu_epi8(y + i, lanes(r->n - i),
                                entries(&t, below(r, i)));
}

/* As sn_softmax8_run.  Rows longer than the tables are looked up. */
VBMI static bool
whole_row(const SnSoftmax *s, const int8_t *x, int64_t n, int8_t *y)
{
    if (!__builtin_cpu_supports("avx512vbmi"))
        return false;
    Row r = {.s = s, .x = x, .n = n, .most = top(x, n)};
    for (int b = 0; b < 3; b++)
        r.byte[b] = table_of(s->byte[b]);
    r.sum = total(&r);
    __m512 times = set((float)((double)s->one / (double)r.sum));
    if (n > 256)
        look_up(&r, y);
    for (int64_t i = 0; n <= 256 && i < n; i += 64)
        divide(&r, times, i, y);
    return true;
}

static const SnSoftmax8 softmax8 = {top, share, whole_row};

void sn_register_softmax_q8_avx512(void);
void
sn_register_softmax_q8_avx512(void)
{
    sn_variant_add(&sn_softmax_q8_variants, SN_ISA_VNNI, &softmax8);
}

#else

void sn_register_softmax_q8_avx512(void);
void
sn_register_softmax_q8_avx512(void)
{
}

#endif
