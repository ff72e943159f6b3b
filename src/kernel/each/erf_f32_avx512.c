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

#include "kernel/each/erf_f32_lanes.inc"

/* ---- erf in binary32 ---- */

/* Coefficients of the Taylor series of erf about c = i / 8, computed with 80
 * decimal digits: erf(c) and erf'(c) as two floats each, then those of h^2 to
 * h^7. */
enum { FINE = 32, FINE_TERMS = 10 };
static const float fine_terms[FINE_TERMS][FINE] = {
    {0,
     0x1.1f5e1ap-3f,
     0x1.1af54ep-2f,
     0x1.9dd0d2p-2f,
     0x1.0a7ef6p-1f,
     0x1.3f196ep-1f,
     0x1.6c1c98p-1f,
     0x1.91724ap-1f,
     0x1.af767ap-1f,
     0x1.c6dad2p-1f,
     0x1.d8865ep-1f,
     0x1.e5768cp-1f,
     0x1.eea556p-1f,
     0x1.f4f694p-1f,
     0x1.f92d08p-1f,
     0x1.fbe61ep-1f,
     0x1.fd9ae2p-1f,
     0x1.fea422p-1f,
     0x1.ff4048p-1f,
     0x1.ff996p-1f,
     0x1.ffcaa8p-1f,
     0x1.ffe514p-1f,
     0x1.fff2dp-1f,
     0x1.fff9bap-1f,
     0x1.fffd1ap-1f,
     0x1.fffeb4p-1f,
     0x1.ffff7p-1f,
     0x1.ffffc4p-1f,
     0x1.ffffe8p-1f,
     0x1.fffff6p-1f,
     0x1.fffffcp-1f,
     0x1.fffffep-1f},
    {0,
     0x1.ae1dc4p-30f,
     0x1.196b04p-29f,
     0x1.6e43e8p-27f,
     -0x1.f38916p-28f,
     -0x1.978766p-28f,
     -0x1.4c5e34p-26f,
     -0x1.5c8e08p-26f,
     0x1.d04222p-27f,
     0x1.053d8cp-26f,
     -0x1.9d508p-27f,
     0x1.da51fep-28f,
     -0x1.1d90a4p-26f,
     -0x1.2610a2p-27f,
     -0x1.00e552p-26f,
     0x1.de99eep-26f,
     -0x1.7b0d44p-26f,
     -0x1.ca69aep-27f,
     -0x1.3f9ccap-26f,
     0x1.e7d664p-26f,
     0x1.e9937ep-26f,
     0x1.77b832p-26f,
     -0x1.3eeb0ap-27f,
     0x1.083a0ep-27f,
     0x1.8826cp-26f,
     -0x1.44d984p-29f,
     -0x1.82606ap-27f,
     -0x1.d24c26p-26f,
     -0x1.de5534p-26f,
     0x1.8c3da6p-29f,
     0x1.78b8f2p-28f,
     0x1.259db2p-26f},
    {0x1.20dd76p+0f,  0x1.1c62fap+0f,  0x1.0f5d16p+0f,  0x1.f5f0cep-1f,
     0x1.c1efcap-1f,  0x1.86e96ap-1f,  0x1.492e42p-1f,  0x1.0cab62p-1f,
     0x1.a911fp-2f,   0x1.45e99cp-2f,  0x1.e4653p-3f,   0x1.5ce596p-3f,
     0x1.e72372p-4f,  0x1.499d48p-4f,  0x1.b0553p-5f,   0x1.12ceb4p-5f,
     0x1.529b9ep-6f,  0x1.94624ep-7f,  0x1.d4143ap-8f,  0x1.06918cp-8f,
     0x1.1d8318p-9f,  0x1.2ce898p-10f, 0x1.3360ccp-11f, 0x1.30539p-12f,
     0x1.2408eap-13f, 0x1.0f9e1cp-14f, 0x1.e9b5e8p-16f, 0x1.abe09ep-17f,
     0x1.6a5972p-18f, 0x1.296a7p-19f,  0x1.d9371ep-21f, 0x1.6ce1aap-22f},
    {-0x1.f7ac92p-25f, 0x1.e869b6p-28f,  0x1.7bf206p-31f,  -0x1.43ab3cp-27f,
     0x1.269404p-27f,  -0x1.7d968cp-26f, 0x1.af1a58p-26f,  -0x1.ef68dap-30f,
     0x1.2df784p-27f,  -0x1.a24376p-29f, -0x1.48d254p-29f, -0x1.dd527ap-30f,
     0x1.ae092ap-30f,  -0x1.d0d632p-30f, 0x1.91080ap-32f,  -0x1.000c88p-30f,
     0x1.19f344p-31f,  0x1.e383ecp-33f,  0x1.3bfd2cp-33f,  -0x1.39553cp-33f,
     -0x1.e0812p-34f,  0x1.01248ap-35f,  0x1.a47b68p-36f,  -0x1.12204cp-38f,
     -0x1.17336p-39f,  -0x1.645924p-39f, 0x1.a019cep-41f,  0x1.22896cp-42f,
     0x1.9a93dap-46f,  0x1.e8280ap-44f,  0x1.7fbe1ap-48f,  0x1.febdeep-49f},
    {0,
     -0x1.1c62fap-3f,
     -0x1.0f5d16p-2f,
     -0x1.78749ap-2f,
     -0x1.c1efcap-2f,
     -0x1.e8a3c4p-2f,
     -0x1.edc564p-2f,
     -0x1.d62becp-2f,
     -0x1.a911fp-2f,
     -0x1.6ea6dp-2f,
     -0x1.2ebf3ep-2f,
     -0x1.dfbbaep-3f,
     -0x1.6d5a96p-3f,
     -0x1.0bcfcap-3f,
     -0x1.7a4a8ap-4f,
     -0x1.01a1c8p-4f,
     -0x1.529b9ep-5f,
     -0x1.ada874p-6f,
     -0x1.074b6p-6f,
     -0x1.37ccd6p-7f,
     -0x1.64e3dcp-8f,
     -0x1.8af148p-9f,
     -0x1.a6a51ap-10f,
     -0x1.b5781ep-11f,
     -0x1.b60d5ep-12f,
     -0x1.a8670ap-13f,
     -0x1.8de3cep-14f,
     -0x1.690586p-15f,
     -0x1.3d0e44p-16f,
     -0x1.0d8876p-17f,
     -0x1.bba3acp-19f,
     -0x1.617a9cp-20f},
    {-0x1.812746p-2f, -0x1.6f552ep-2f, -0x1.3c9744p-2f, -0x1.e106c6p-3f,
     -0x1.2bf532p-3f, -0x1.c8105p-5f,  0x1.b6e85ap-6f,  0x1.7c9d76p-4f,
     0x1.1b614cp-3f,  0x1.4cb3dp-3f,   0x1.571d02p-3f,  0x1.4374d8p-3f,
     0x1.1c2a02p-3f,  0x1.d6631ep-4f,  0x1.7148c4p-4f,  0x1.143d1cp-4f,
     0x1.8b0ae4p-5f,  0x1.0ea476p-5f,  0x1.63ef62p-6f,  0x1.c1ec1p-7f,
     0x1.119dap-7f,   0x1.407fbep-8f,  0x1.69cf46p-9f,  0x1.89e17cp-10f,
     0x1.9db74cp-11f, 0x1.a3737ep-12f, 0x1.9aa48ap-13f, 0x1.84523p-14f,
     0x1.62cceap-15f, 0x1.394b2p-16f,  0x1.0b6a7cp-17f, 0x1.b95fa4p-19f},
    {0,
     0x1.196c9cp-4f,
     0x1.040e8ap-3f,
     0x1.5529acp-3f,
     0x1.76f27ep-3f,
     0x1.6963c8p-3f,
     0x1.349b5ep-3f,
     0x1.cc6056p-4f,
     0x1.1b614cp-4f,
     0x1.ca5084p-6f,
     -0x1.93a9a8p-8f,
     -0x1.f3b8d6p-6f,
     -0x1.6d5a96p-5f,
     -0x1.974c04p-5f,
     -0x1.8a0da6p-5f,
     -0x1.5a3166p-5f,
     -0x1.1a2c5ap-5f,
     -0x1.afe554p-6f,
     -0x1.38a984p-6f,
     -0x1.ae5962p-7f,
     -0x1.1a89bap-7f,
     -0x1.62d4c6p-8f,
     -0x1.ab0c28p-9f,
     -0x1.ed4ac8p-10f,
     -0x1.11c85cp-10f,
     -0x1.24545p-11f,
     -0x1.2c7d5ep-12f,
     -0x1.298f8ep-13f,
     -0x1.1c0772p-14f,
     -0x1.05760ap-15f,
     -0x1.d06f58p-17f,
     -0x1.8e1fc4p-18f},
    {0x1.ce2f22p-4f,  0x1.aaba62p-4f,  0x1.47e5dp-4f,   0x1.7488b8p-5f,
     0x1.dfeeb6p-8f,  -0x1.c1242ep-6f, -0x1.b42a18p-5f, -0x1.1350f4p-4f,
     -0x1.1b614cp-4f, -0x1.f65d16p-5f, -0x1.8281cep-5f, -0x1.f572c4p-6f,
     -0x1.e72372p-7f, -0x1.17d43p-9f,  0x1.b22258p-8f,  0x1.779b1ep-7f,
     0x1.ace74p-7f,   0x1.9973b4p-7f,  0x1.5d3b18p-7f,  0x1.11dae4p-7f,
     0x1.90e812p-8f,  0x1.146c4cp-8f,  0x1.693596p-9f,  0x1.c11f28p-10f,
     0x1.0a7b56p-10f, 0x1.2e7e76p-11f, 0x1.490a4ep-12f, 0x1.577578p-13f,
     0x1.586bbp-14f,  0x1.4c1fe4p-15f, 0x1.3436bcp-16f, 0x1.137172p-17f},
    {0,
     -0x1.734ea6p-6f,
     -0x1.4c0b26p-5f,
     -0x1.9a7946p-5f,
     -0x1.99f13cp-5f,
     -0x1.52b266p-5f,
     -0x1.b8477ap-6f,
     -0x1.53bb4ap-7f,
     0x1.2e45a6p-8f,
     0x1.fd1c6cp-7f,
     0x1.5d0004p-6f,
     0x1.6b16f6p-6f,
     0x1.3ca3d8p-6f,
     0x1.d857f2p-7f,
     0x1.25b378p-7f,
     0x1.0d099cp-8f,
     0x1.e1935ep-12f,
     -0x1.dd78eep-10f,
     -0x1.7cae0ep-9f,
     -0x1.982b28p-9f,
     -0x1.6ecdcp-9f,
     -0x1.267f3cp-9f,
     -0x1.b2755cp-10f,
     -0x1.2add1cp-10f,
     -0x1.82f236p-11f,
     -0x1.da496ep-12f,
     -0x1.145464p-12f,
     -0x1.330aacp-13f,
     -0x1.46154p-14f,
     -0x1.4b982p-15f,
     -0x1.4357b6p-16f,
     -0x1.2eb29p-17f},
    {-0x1.b82ce4p-6f, -0x1.89258ep-6f,  -0x1.08d946p-6f,  -0x1.65c10cp-8f,
     0x1.623c62p-8f,  0x1.c7cd9cp-7f,   0x1.2e0afcp-6f,   0x1.30ac22p-6f,
     0x1.f096fep-7f,  0x1.3acc78p-7f,   0x1.db43cap-9f,   -0x1.73ffaap-10f,
     -0x1.36d73ap-8f, -0x1.954abp-8f,   -0x1.8d10fcp-8f,  -0x1.42fcbap-8f,
     -0x1.bae0acp-9f, -0x1.ea03bcp-10f, -0x1.5f8314p-11f, 0x1.0283ep-13f,
     0x1.1c610cp-11f, 0x1.64f892p-11f,  0x1.52b626p-11f,  0x1.151f78p-11f,
     0x1.998b48p-12f, 0x1.176cf6p-12f,  0x1.647f72p-13f,  0x1.ac9998p-14f,
     0x1.e827fap-15f, 0x1.085c1p-15f,   0x1.110de4p-16f,  0x1.0d8c36p-17f},
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
#define FINE_SUM 0x1p-35f

/* erf of 16 floats, and in *doubt those that may round otherwise or are NaN.
 * With c = i / 8 the nearest, h = |v| - c is exact; erf(c) + h erf'(c) is kept
 * as s and what s rounds off, which with the rest of the series makes l, a
 * float: h^2 times the rest is below 2^-9, and 4 roundings go into it. Compared
 * with binary64 for each of the floats from FINE_LEAST to 4. */
TARGET INLINE V
fine_erf(V v, uint16_t *doubt)
{
    V a = vmin(set(FINE_MOST), _mm512_abs_ps(v));
    V at = _mm512_fmadd_ps(a, set(8), set(0x1.8p23f));
    V h = _mm512_fnmadd_ps(vsub(at, set(0x1.8p23f)), set(0.125f), a);
    __m512i t = _mm512_castps_si512(at);
    V one = fine_term(t, 0), slope = fine_term(t, 2), hh = vmul(h, h);
    V q = _mm512_fmadd_ps(h, fine_term(t, 9), fine_term(t, 8));

    q = _mm512_fmadd_ps(h, q, fine_term(t, 7));
    q = _mm512_fmadd_ps(h, q, fine_term(t, 6));
    q = _mm512_fmadd_ps(h, q, fine_term(t, 5));
    q = _mm512_fmadd_ps(h, q, fine_term(t, 4));
    V s = _mm512_fmadd_ps(h, slope, one);
    V l = _mm512_fmadd_ps(h, slope, vsub(one, s));
    l = vadd(_mm512_fmadd_ps(h, fine_term(t, 3), l), fine_term(t, 1));
    l = _mm512_fmadd_ps(hh, q, l);
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

static const SnErfF32 table = {fine, moments, scale};

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
