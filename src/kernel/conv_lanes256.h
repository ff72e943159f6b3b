/* Tiles for 256-bit vpdpbusd: one text for its two encodings.  The includer
 * defines TARGET, GEMM (the table's name), GEMM_ISA and DPBUSD(sum, u8, s8).
 * u8 codes x + 128 are broadcast four taps at a time; two registers hold 16
 * channels of the filter.  No include guard: it makes functions. */

#define INLINE static inline __attribute__((always_inline))
#define LOAD(p) _mm256_loadu_si256((const void *)(p))

TARGET static void
widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    uint8_t *to = y;
    __m256i flip = _mm256_set1_epi8(-128);
    int64_t i = 0;

    (void)z;
    for (; i + 32 <= n; i += 32)
        _mm256_storeu_si256((void *)(to + i),
                            _mm256_xor_si256(LOAD(x + i), flip));
    for (; i < n; i++)
        to[i] = (uint8_t)(x[i] + 128);
}

TARGET static int32_t
sum(const char *x, const int64_t *run, int64_t nrun, int64_t len)
{
    __m256i ones = _mm256_set1_epi8(1), s = _mm256_setzero_si256();
    int32_t lane[8], rest = 0;

    for (int64_t r = 0; r < nrun; r++) {
        const uint8_t *v = (const uint8_t *)x + run[r];
        int64_t i = 0;
        for (; i + 32 <= len; i += 32)
            s = DPBUSD(s, LOAD(v + i), ones);
        for (; i < len; i++)
            rest += v[i];
    }
    _mm256_storeu_si256((void *)lane, s);
    for (int i = 0; i < 8; i++)
        rest += lane[i];
    return rest;
}

TARGET INLINE __m256i
requant(__m256i v, const float *mul, const SnEnd *e)
{
    __m256 f = _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_loadu_ps(mul));

    f = _mm256_max_ps(f, _mm256_set1_ps(e->lo)); /* NaN gives lo */
    f = _mm256_min_ps(f, _mm256_set1_ps(e->hi));
    return _mm256_cvtps_epi32(f);
}

/* 16 channels, bias included, to n codes. */
TARGET INLINE void
store(const SnEnd *e, __m256i a, __m256i b, int n, int8_t *y)
{
    a = _mm256_packs_epi32(requant(a, e->mul, e), requant(b, e->mul + 8, e));
    a = _mm256_permute4x64_epi64(a, 0xd8);
    a = _mm256_add_epi16(a, _mm256_set1_epi16((int16_t)e->zp));
    __m128i v = _mm_packs_epi16(_mm256_castsi256_si128(a),
                                _mm256_extracti128_si256(a, 1));
    if (n >= 16) {
        _mm_storeu_si128((void *)y, v);
    } else {
        int8_t tail[16];
        _mm_storeu_si128((void *)tail, v);
        memcpy(y, tail, (size_t)n);
    }
}

TARGET INLINE void
put(const SnTile *t, int r, __m256i a, __m256i b)
{
    const SnEnd *e = &t->end;

    if (e->wz) {
        __m256i s = _mm256_set1_epi32(t->rowsum[r]);
        a = _mm256_sub_epi32(a, _mm256_mullo_epi32(s, LOAD(e->wz)));
        b = _mm256_sub_epi32(b, _mm256_mullo_epi32(s, LOAD(e->wz + 8)));
    }
    store(e, a, b, t->ncol, t->y[r]);
}

TARGET INLINE __m256i
four(const char *x)
{
    int32_t v;

    memcpy(&v, x, sizeof v);
    return _mm256_set1_epi32(v);
}

#define DECL(r) \
    __m256i a##r = LOAD(t->end.bias), b##r = LOAD(t->end.bias + 8);
#define FROM(r) const char *x##r = t->x[r] + t->run[i];
#define STEP(r)                 \
    v = four(x##r + k);         \
    a##r = DPBUSD(a##r, v, w0); \
    b##r = DPBUSD(b##r, v, w1);
#define PUT(r) put(t, r, a##r, b##r);
#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)
#define TILE(M)                                                 \
    TARGET static void tile##M(const SnTile *t)                 \
    {                                                           \
        const char *w = t->w;                                   \
        int64_t n = t->nstep * 4;                               \
        ROWS##M(DECL) for (int64_t i = 0; i < t->nrun; i++)     \
        {                                                       \
            ROWS##M(FROM) for (int64_t k = 0; k < n; k += 4)    \
            {                                                   \
                __m256i v, w0 = LOAD(w), w1 = LOAD(w + 32);     \
                ROWS##M(STEP) w += 64;                          \
            }                                                   \
        }                                                       \
        ROWS##M(PUT)                                            \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

/* ---- depthwise: 16 channels, four taps of each interleaved ---- */

static int
place(int i)
{
    return i;
}

static void
pack(const int16_t *w, int64_t ntap, void *to)
{
    int8_t *p = to;

    for (int64_t t = 0; t < ntap; t++)
        for (int i = 0; i < 16; i++)
            p[(t / 4 * 16 + i) * 4 + t % 4] = (int8_t)w[t * 16 + i];
}

TARGET INLINE __m128i
sixteen(const char *x)
{
    return _mm_loadu_si128((const void *)x);
}

TARGET static void
dw(const SnDw *d)
{
    const char *x = d->x;
    int8_t *y = d->y;

    for (int64_t i = 0; i < d->npx; i++, x += d->step, y += d->pitch) {
        __m256i s0 = LOAD(d->end.bias), s1 = LOAD(d->end.bias + 8);
        const char *w = d->w;
        for (int64_t t = 0; t < d->ntap; t += 4, w += 64) {
            const int64_t *tap = d->tap + t;
            __m128i a = sixteen(x + tap[0]), b = sixteen(x + tap[1]);
            __m128i c = sixteen(x + tap[2]), e = sixteen(x + tap[3]);
            __m128i ab0 = _mm_unpacklo_epi8(a, b);
            __m128i ab1 = _mm_unpackhi_epi8(a, b);
            __m128i ce0 = _mm_unpacklo_epi8(c, e);
            __m128i ce1 = _mm_unpackhi_epi8(c, e);
            __m256i q0 = _mm256_set_m128i(_mm_unpackhi_epi16(ab0, ce0),
                                          _mm_unpacklo_epi16(ab0, ce0));
            __m256i q1 = _mm256_set_m128i(_mm_unpackhi_epi16(ab1, ce1),
                                          _mm_unpacklo_epi16(ab1, ce1));
            s0 = DPBUSD(s0, q0, LOAD(w));
            s1 = DPBUSD(s1, q1, LOAD(w + 32));
        }
        store(&d->end, s0, s1, d->nc, y);
    }
}

const SnGemm GEMM = {
    .isa = GEMM_ISA,
    .esize = 1,
    .offset = 128,
    .kstep = 4,
    .mtile = 6,
    .ntile = 1,
    .dwblock = 16,
    .widen = widen,
    .sum = sum,
    .tile = {{tile1, tile2, tile3, tile4, tile5, tile6}},
    .dw = dw,
    .dwplace = place,
    .dwpack = pack,
};
