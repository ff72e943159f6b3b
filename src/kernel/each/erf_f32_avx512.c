// SPDX-License-Identifier: Apache-2.0
/* erf of reals, and rows to mean 0 and variance 1, AVX-512. */
#include "kernel/each/erf_f32.h"

#if defined(__x86_64__)
#include "base/fmath.h"
#include "kernel/doubt.h"
#include "kernel/lanes_avx512.h"

typedef __m512i T;

#define wload(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define wput(p, w) _mm256_storeu_ps(p, _mm512_cvtpd_ps(w))
#define wfma(a, b, c) _mm512_fmadd_pd(a, b, c)
#define wabs(a) _mm512_abs_pd(a)
#define wfloor(a) _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF)
#define terms(w) _mm512_cvttpd_epi64(w)

TARGET INLINE W
term(T t, int k)
{
    const double *c = sn_erf_terms[k];

    return _mm512_permutex2var_pd(_mm512_loadu_pd(c), t,
                                  _mm512_loadu_pd(c + 8));
}

TARGET INLINE W
wone(W x, W a, W y)
{
    W sign = _mm512_and_pd(x, wset(-0.0));
    __mmask8 far = _mm512_cmp_pd_mask(a, wset(4), _CMP_GE_OQ);

    return _mm512_mask_mov_pd(y, far, _mm512_or_pd(sign, wset(1)));
}

TARGET INLINE uint32_t
unlike(W a, W b)
{
    return _mm256_cmp_ps_mask(_mm512_cvtpd_ps(a), _mm512_cvtpd_ps(b),
                              _CMP_NEQ_UQ);
}

TARGET INLINE V
column(const float *p, int64_t n)
{
    __m512i at =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    return _mm512_i32gather_ps(
        _mm512_mullo_epi32(at, _mm512_set1_epi32((int32_t)n)), p, 4);
}

#define vfma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define vfnma(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define ERF(x, n, y) fine(x, n, y)
TARGET static int64_t fine(const float *x, int64_t n, float *y);

#include "kernel/each/erf_f32_lanes.inc"

/* ---- erf in binary32 ---- */

/* erf is near erf(c) + h (erf'(c) + h q(h)), h = |x| - c, for the c next to |x|
 * of 32 that lie at eighths, nearly: at floats whose erf is within 2^-37 of a
 * float (Gal, 1986).  Rows: c; erf(c); erf'(c) as two floats; coefficients of
 * q, by least squares with 40 decimal digits. */
enum { FINE = 32, FINE_TERMS = 8 };
static const float fine_terms[FINE_TERMS][FINE] = {
    {0,
     0x1.ffff9p-4f,
     0x1.fff20ep-3f,
     0x1.8000fp-2f,
     0x1.000788p-1f,
     0x1.400fcp-1f,
     0x1.800e58p-1f,
     0x1.bfd8dcp-1f,
     0x1.ffffe2p-1f,
     0x1.1fe95p+0f,
     0x1.3fe7fcp+0f,
     0x1.60092p+0f,
     0x1.7ff5f6p+0f,
     0x1.a007bap+0f,
     0x1.c005b8p+0f,
     0x1.dfe9b8p+0f,
     0x1.fff7p+0f,
     0x1.0ffaa8p+1f,
     0x1.1ffc88p+1f,
     0x1.2fe12p+1f,
     0x1.3ff308p+1f,
     0x1.4ff6ep+1f,
     0x1.6003dap+1f,
     0x1.701a1cp+1f,
     0x1.7ffaa2p+1f,
     0x1.900132p+1f,
     0x1.a00ca2p+1f,
     0x1.b0463cp+1f,
     0x1.c0ac0ep+1f,
     0x1.cfd5acp+1f,
     0x1.df391p+1f,
     0x1.ea9016p+1f},
    {0,
     0x1.1f5ddcp-3f,
     0x1.1aedeap-2f,
     0x1.9dd1bep-2f,
     0x1.0a8594p-1f,
     0x1.3f2574p-1f,
     0x1.6c25dp-1f,
     0x1.915dbep-1f,
     0x1.af766ep-1f,
     0x1.c6cc6p-1f,
     0x1.d87bp-1f,
     0x1.e579a8p-1f,
     0x1.eea2f2p-1f,
     0x1.f4f7d2p-1f,
     0x1.f92da2p-1f,
     0x1.fbe4ap-1f,
     0x1.fd9a82p-1f,
     0x1.fea3dep-1f,
     0x1.ff402ep-1f,
     0x1.ff98e2p-1f,
     0x1.ffca8cp-1f,
     0x1.ffe50ap-1f,
     0x1.fff2d2p-1f,
     0x1.fff9c2p-1f,
     0x1.fffd1ap-1f,
     0x1.fffeb4p-1f,
     0x1.ffff7p-1f,
     0x1.ffffc4p-1f,
     0x1.ffffe8p-1f,
     0x1.fffff6p-1f,
     0x1.fffffcp-1f,
     0x1.fffffep-1f},
    {0x1.20dd76p+0f,  0x1.1c62fcp+0f,  0x1.0f5e02p+0f,  0x1.f5f076p-1f,
     0x1.c1e92cp-1f,  0x1.86da62p-1f,  0x1.49206ep-1f,  0x1.0ccf54p-1f,
     0x1.a91222p-2f,  0x1.462a9cp-2f,  0x1.e4d6d4p-3f,  0x1.5cc364p-3f,
     0x1.e75cc4p-4f,  0x1.497cf4p-4f,  0x1.b03364p-5f,  0x1.132872p-5f,
     0x1.52cb4p-6f,   0x1.94aa14p-7f,  0x1.d44d52p-8f,  0x1.07bfp-8f,
     0x1.1e13dcp-9f,  0x1.2d594ap-10f, 0x1.332df2p-11f, 0x1.2eef64p-12f,
     0x1.24526cp-13f, 0x1.0f8e42p-14f, 0x1.e87c22p-16f, 0x1.a5bac6p-17f,
     0x1.5d4372p-18f, 0x1.2c36b6p-19f, 0x1.ef3dfcp-21f, 0x1.fa385ap-22f},
    {-0x1.f7ac92p-25f, 0x1.0339c6p-28f,  0x1.085062p-25f,  -0x1.18a59p-26f,
     -0x1.b8cee6p-30f, -0x1.ba4784p-26f, -0x1.8f5ed2p-27f, 0x1.6bc478p-28f,
     0x1.9c5da6p-28f,  0x1.101464p-27f,  -0x1.40029cp-28f, -0x1.09a824p-30f,
     0x1.215aa6p-30f,  -0x1.c92312p-31f, -0x1.bed81cp-33f, -0x1.f82d8ep-31f,
     -0x1.455584p-31f, 0x1.bbd43ap-38f,  0x1.313e76p-33f,  -0x1.72b9b8p-33f,
     0x1.0e179cp-36f,  0x1.b7ddc8p-35f,  0x1.45ae76p-43f,  -0x1.007f9p-38f,
     -0x1.5907c8p-38f, -0x1.364c28p-39f, -0x1.7f598ep-41f, 0x1.2396eap-43f,
     -0x1.7d461p-44f,  0x1.a80ddep-44f,  0x1.1e6d68p-47f,  -0x1.aca39ap-49f},
    {0,
     -0x1.1c62aap-3f,
     -0x1.0f568cp-2f,
     -0x1.78752cp-2f,
     -0x1.c1f652p-2f,
     -0x1.e8a8f2p-2f,
     -0x1.edc30ap-2f,
     -0x1.d641b6p-2f,
     -0x1.a9120cp-2f,
     -0x1.6ed31p-2f,
     -0x1.2eef9p-2f,
     -0x1.df992cp-3f,
     -0x1.6d7c16p-3f,
     -0x1.0bba8cp-3f,
     -0x1.7a31dcp-4f,
     -0x1.01e9f8p-4f,
     -0x1.52c54cp-5f,
     -0x1.adec36p-6f,
     -0x1.07683ep-6f,
     -0x1.3912d4p-7f,
     -0x1.658a04p-8f,
     -0x1.8b79f4p-9f,
     -0x1.a6630ep-10f,
     -0x1.b396p-11f,
     -0x1.b6742ep-12f,
     -0x1.a84decp-13f,
     -0x1.8cef04p-14f,
     -0x1.640d6p-15f,
     -0x1.320e52p-16f,
     -0x1.0ff67ep-17f,
     -0x1.cf8588p-19f,
     -0x1.e50abep-20f},
    {-0x1.81275ap-2f, -0x1.6f5528p-2f, -0x1.3c9ac6p-2f, -0x1.e1058p-3f,
     -0x1.2bdf2cp-3f, -0x1.c75ecap-5f, 0x1.b7fc38p-6f,  0x1.7c1082p-4f,
     0x1.1b611ap-3f,  0x1.4c9f66p-3f,  0x1.5721a6p-3f,  0x1.436bf6p-3f,
     0x1.1c3856p-3f,  0x1.d64a9ap-4f,  0x1.713738p-4f,  0x1.14796ap-4f,
     0x1.8b32a2p-5f,  0x1.0ec892p-5f,  0x1.641152p-6f,  0x1.c38c2cp-7f,
     0x1.121048p-7f,  0x1.40e5p-8f,    0x1.699ba4p-9f,  0x1.884ec6p-10f,
     0x1.9e12eep-11f, 0x1.a35d08p-12f, 0x1.99b636p-13f, 0x1.7f3b7ap-14f,
     0x1.570424p-15f, 0x1.3c02fep-16f, 0x1.16f6f8p-17f, 0x1.2b23e2p-18f},
    {0x1.4325cp-16f,   0x1.18eb88p-4f,   0x1.039456p-3f,   0x1.549864p-3f,
     0x1.76645ep-3f,   0x1.68e2c2p-3f,   0x1.3440b6p-3f,   0x1.cc914p-4f,
     0x1.1b7ep-4f,     0x1.cd80fcp-6f,   -0x1.864f1p-8f,   -0x1.f212d6p-6f,
     -0x1.6c65fcp-5f,  -0x1.96a8ep-5f,   -0x1.899f2cp-5f,  -0x1.5a2bd2p-5f,
     -0x1.1a3a5ep-5f,  -0x1.b0397ep-6f,  -0x1.390316p-6f,  -0x1.b031f8p-7f,
     -0x1.1b7032p-7f,  -0x1.640552p-8f,  -0x1.ac05cep-9f,  -0x1.ed22cp-10f,
     -0x1.130f28p-10f, -0x1.259248p-11f, -0x1.2d5e1ep-12f, -0x1.278e5ep-13f,
     -0x1.14c9a4p-14f, -0x1.096fe4p-15f, -0x1.e6eefcp-17f, -0x1.0585bcp-17f},
    {0x1.cccc82p-4f,  0x1.aa24b4p-4f,  0x1.478728p-4f,  0x1.74465cp-5f,
     0x1.e1a59ap-8f,  -0x1.bffdf2p-6f, -0x1.b3523ap-5f, -0x1.12db76p-4f,
     -0x1.1b0538p-4f, -0x1.f6082ap-5f, -0x1.8277aep-5f, -0x1.f58046p-6f,
     -0x1.e82ec4p-7f, -0x1.1c164p-9f,  0x1.afef56p-8f,  0x1.768f7p-7f,
     0x1.ac3d6ap-7f,  0x1.99191ep-7f,  0x1.5d1cdp-7f,   0x1.121032p-7f,
     0x1.914146p-8f,  0x1.14c3ecp-8f,  0x1.69a81ap-9f,  0x1.c17656p-10f,
     0x1.0b24e2p-10f, 0x1.2f4c14p-11f, 0x1.49dee2p-12f, 0x1.576bep-13f,
     0x1.56aa7ap-14f, 0x1.4e889ep-15f, 0x1.397cfep-16f, 0x1.1dd5a2p-17f},
};

TARGET INLINE V
fine_term(__m512i t, int k)
{
    const float *c = fine_terms[k];

    return _mm512_permutex2var_ps(load(c), t, load(c + 16));
}

/* From here on erf rounds to 1; from the next float on there is no c. */
#define FINE_MOST 0x1.f7fffep+1f
/* Below it a product's rest may underflow. */
#define FINE_LEAST 0x1p-100f
/* What the sum may be off by: parts of its second summand and of the sum. */
#define FINE_SECOND 0x1p-22f
#define FINE_SUM 0x1.8p-32f

/* erf of 16 floats, and in *doubt those that may round otherwise or are NaN. h
 * is exact; erf(c) + h erf'(c) is kept as s and what s rounds off, which with
 * the rest makes l.  Compared with binary64 for each of the floats from
 * FINE_LEAST to 4. */
TARGET INLINE V
fine_erf(V v, uint16_t *doubt)
{
    V a = vmin(set(FINE_MOST), _mm512_abs_ps(v));
    V at = _mm512_fmadd_ps(a, set(8), set(0x1.8p23f));
    __m512i t = _mm512_castps_si512(at);
    V h = vsub(a, fine_term(t, 0)), base = fine_term(t, 1);
    V slope = fine_term(t, 2);
    V q = _mm512_fmadd_ps(h, fine_term(t, 7), fine_term(t, 6));

    q = _mm512_fmadd_ps(h, q, fine_term(t, 5));
    q = _mm512_fmadd_ps(h, q, fine_term(t, 4));
    q = _mm512_fmadd_ps(h, q, fine_term(t, 3));
    V s = _mm512_fmadd_ps(h, slope, base);
    V l = _mm512_fmadd_ps(h, slope, vsub(base, s));
    l = _mm512_fmadd_ps(h, q, l);
    V e = vmul(s, set(FINE_SUM));
    e = _mm512_fmadd_ps(_mm512_abs_ps(l), set(FINE_SECOND), e);
    V y = vadd(s, vsub(l, e));
    __mmask16 m = _mm512_cmp_ps_mask(a, set(FINE_LEAST), _CMP_LT_OQ);
    m = _mm512_mask_cmp_ps_mask(m, a, set(0), _CMP_NEQ_OQ);
    m |= _mm512_cmp_ps_mask(y, vadd(s, vadd(l, e)), _CMP_NEQ_UQ);
    *doubt = m;
    return _mm512_or_ps(y, _mm512_and_ps(v, set(-0.0f)));
}

/* Computes the n elements at[] in binary64. */
TARGET static __attribute__((noinline)) void
fine_mend(const float *x, const int32_t *at, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i += N) {
        int64_t m = n - i < N ? n - i : N;
        float v[N] = {0};
        for (int64_t j = 0; j < m; j++)
            v[j] = x[at[i + j]];
        many(v, N, v);
        for (int64_t j = 0; j < m; j++)
            y[at[i + j]] = v[j];
    }
}

/* Where a float may round otherwise, a lane of each eighth register or so,
 * binary64 decides when a part is done. */
TARGET static int64_t
fine(const float *x, int64_t n, float *y)
{
    enum { SLOTS = 64, PART = SLOTS * N };
    float copy[PART];
    int32_t at[PART];

    for (int64_t m, left = n; left > 0; left -= m, x += m, y += m) {
        uint16_t bits[SLOTS] = {0}, *b = bits;
        const float *from = x;
        int64_t i = 0;
        m = left < PART ? left : PART;
        if (x == y)
            from = memcpy(copy, x, (size_t)m * sizeof *x);
        for (; i + N <= m; i += N)
            put(y + i, fine_erf(load(from + i), b++));
        if (i < m) {
            put_n(y + i, m - i, fine_erf(load_n(from + i, m - i), b));
            *b &= first(m - i);
        }
        int64_t nbad = sn_doubts(bits, (m + 7) / 8, at);
        if (nbad)
            fine_mend(from, at, nbad, y);
    }
    return n;
}

static const SnErfF32 table = {fine, gelu, moments, scale};

void sn_register_erf_f32_avx512(void);
void
sn_register_erf_f32_avx512(void)
{
    sn_variant_add(&sn_erf_f32_variants, SN_ISA_VNNI, &table);
}

#else

void sn_register_erf_f32_avx512(void);
void
sn_register_erf_f32_avx512(void)
{
}

#endif
