// SPDX-License-Identifier: Apache-2.0
/* Ceilings of x86-64.  Ten sums hide the latency of five cycles twice over
 * Equal sums would be merged into one: each must seem to change. */
#include "kernel/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TEN(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVXVNNI __attribute__((target("avx2,fma,avxvnni")))
#define VNNI        \
    __attribute__(( \
        target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))

#define LOOP(name, TARGET, V, from, zero, STEP, OUT, nop)                      \
    TARGET static double name(int64_t n, const void *data, volatile int *sink) \
    {                                                                          \
        V x = from, a0 = zero, a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0,    \
          a6 = a0, a7 = a0, a8 = a0, a9 = a0;                                  \
        (void)data;                                                            \
        for (int64_t k = 0; k < n; k++) {                                      \
            TEN(STEP)                                                          \
        }                                                                      \
        TEN(OUT)                                                               \
        return 10 * nop;                                                       \
    }

/* Unlike the others, the product does not depend on the sum. */
#define MADD(i)                                    \
    {                                              \
        __m256i v;                                 \
        __asm__ volatile("vpmaddwd %2, %2, %0\n\t" \
                         "vpaddd %0, %1, %1"       \
                         : "=&x"(v), "+x"(a##i)    \
                         : "x"(x));                \
    }
#define DOT256(i)                               \
    a##i = _mm256_dpbusd_avx_epi32(a##i, x, x); \
    __asm__ volatile("" : "+x"(a##i));
#define DOT512(i)                           \
    a##i = _mm512_dpbusd_epi32(a##i, x, x); \
    __asm__ volatile("" : "+v"(a##i));
#define FMA256(i)                       \
    a##i = _mm256_fmadd_ps(x, x, a##i); \
    __asm__ volatile("" : "+x"(a##i));
#define FMA512(i)                       \
    a##i = _mm512_fmadd_ps(x, x, a##i); \
    __asm__ volatile("" : "+v"(a##i));
#define CODES256(i) *sink = _mm256_extract_epi32(a##i, 0);
#define CODES512(i) *sink = _mm512_reduce_add_epi32(a##i);
#define REALS256(i) *sink = (int)_mm256_cvtss_f32(a##i);
#define REALS512(i) *sink = (int)_mm512_reduce_add_ps(a##i);

LOOP(s8_avx2, AVX2, __m256i, _mm256_set1_epi16((int16_t)*sink),
     _mm256_setzero_si256(), MADD, CODES256, 32)
LOOP(s8_avxvnni, AVXVNNI, __m256i, _mm256_set1_epi8((char)*sink),
     _mm256_setzero_si256(), DOT256, CODES256, 64)
LOOP(s8_vnni, VNNI, __m512i, _mm512_set1_epi8((char)*sink),
     _mm512_setzero_si512(), DOT512, CODES512, 128)
LOOP(f32_avx2, AVX2, __m256, _mm256_set1_ps((float)*sink), _mm256_setzero_ps(),
     FMA256, REALS256, 16)
LOOP(f32_avx512, VNNI, __m512, _mm512_set1_ps((float)*sink),
     _mm512_setzero_ps(), FMA512, REALS512, 32)

AVX2 static void
pass_avx2(const void *data, size_t n, volatile int *sink)
{
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    const __m256i *p = data;

    for (size_t i = 0; i < n / 32; i += 4) {
        a = _mm256_xor_si256(a, _mm256_load_si256(p + i));
        b = _mm256_xor_si256(b, _mm256_load_si256(p + i + 1));
        c = _mm256_xor_si256(c, _mm256_load_si256(p + i + 2));
        d = _mm256_xor_si256(d, _mm256_load_si256(p + i + 3));
    }
    a = _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
    *sink = _mm256_extract_epi32(a, 0);
}

AVX2 static double
read_avx2(int64_t n, const void *data, volatile int *sink)
{
    for (int64_t k = 0; k < n; k++)
        pass_avx2(data, SN_PEAK_READ, sink);
    return SN_PEAK_READ;
}

static const SnPeakLoops loops_avx2 = {s8_avx2, f32_avx2, read_avx2, pass_avx2};
static const SnPeakLoops loops_avxvnni = {s8_avxvnni, f32_avx2, read_avx2,
                                          pass_avx2};
static const SnPeakLoops loops_vnni256 = {s8_vnni, f32_avx2, read_avx2,
                                          pass_avx2};
static const SnPeakLoops loops_avx512 = {s8_vnni, f32_avx512, read_avx2,
                                         pass_avx2};

void sn_register_peak_avx2(void);
void sn_register_peak_avxvnni(void);
void sn_register_peak_vnni256(void);
void sn_register_peak_avx512(void);

void
sn_register_peak_avx2(void)
{
    sn_variant_add(&sn_peak_variants, SN_ISA_AVX2, &loops_avx2);
}

void
sn_register_peak_avxvnni(void)
{
    sn_variant_add(&sn_peak_variants, SN_ISA_AVXVNNI, &loops_avxvnni);
}

void
sn_register_peak_vnni256(void)
{
    sn_variant_add(&sn_peak_variants, SN_ISA_VNNI256, &loops_vnni256);
}

void
sn_register_peak_avx512(void)
{
    sn_variant_add(&sn_peak_variants, SN_ISA_VNNI, &loops_avx512);
}

#else

void sn_register_peak_avx2(void);
void
sn_register_peak_avx2(void)
{
}

void sn_register_peak_avxvnni(void);
void
sn_register_peak_avxvnni(void)
{
}

void sn_register_peak_vnni256(void);
void
sn_register_peak_vnni256(void)
{
}

void sn_register_peak_avx512(void);
void
sn_register_peak_avx512(void)
{
}

#endif
