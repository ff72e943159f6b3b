// SPDX-License-Identifier: Apache-2.0
#include "kernel/peak.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"

enum { READ_BYTES = 128 << 20, MAXTHREAD = 64 };
static const double SECONDS = 0.06;

/* A loop does n rounds and returns operations (or bytes) a round; what it
 * computes goes to *sink so that it is computed. */
typedef double LoopFn(int64_t n, const void *data, volatile int *sink);

/* ---- portable ---- */

static double
s8_ref(int64_t n, const void *data, volatile int *sink)
{
    uint32_t acc[16] = {0};
    uint32_t w = (uint32_t)*sink + 3;

    (void)data;
    for (int64_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < 16; i++)
            acc[i] += (w + i) * (uint32_t)k;
    for (int i = 0; i < 16; i++)
        *sink = (int)acc[i];
    return 32;
}

static double
f32_ref(int64_t n, const void *data, volatile int *sink)
{
    float acc[16] = {0}, w = (float)*sink;

    (void)data;
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < 16; i++)
            acc[i] = __builtin_fmaf(w, 0.5f, acc[i]);
    for (int i = 0; i < 16; i++)
        *sink = (int)acc[i];
    return 32;
}

static void
pass_ref(const void *data, size_t n, volatile int *sink)
{
    const uint64_t *p = data;
    uint64_t s = 0;

    for (size_t i = 0; i < n / 8; i += 4)
        s += (p[i] ^ p[i + 1]) + (p[i + 2] ^ p[i + 3]);
    *sink = (int)s;
}

static double
read_ref(int64_t n, const void *data, volatile int *sink)
{
    for (int64_t k = 0; k < n; k++)
        pass_ref(data, READ_BYTES, sink);
    return READ_BYTES;
}

/* ---- lanes; ten sums hide the latency of five cycles twice over ----
 * Equal sums would be merged into one: each must seem to change. */

#if defined(__x86_64__)
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
        pass_avx2(data, READ_BYTES, sink);
    return READ_BYTES;
}
#endif

/* ---- timing ---- */

typedef struct Job {
    LoopFn *fn;
    const void *data;
    int64_t n; /* rounds between looks at the clock */
    double rate;
} Job;

/* The best rate within the time. */
static void *
work(void *arg)
{
    Job *j = arg;
    volatile int sink = 0;

    for (double first = sn_now(), last = first; last - first < SECONDS;) {
        double each = j->fn(j->n, j->data, &sink), t = sn_now();
        double rate = each * (double)j->n / (t - last);
        j->rate = rate > j->rate ? rate : j->rate;
        last = t;
    }
    return NULL;
}

static double
rate_of(LoopFn *fn, int64_t n, unsigned nthread, bool reads)
{
    Job job[MAXTHREAD];
    pthread_t id[MAXTHREAD];
    double sum = 0;
    unsigned made = 0;

    for (; made < nthread && made < MAXTHREAD; made++) {
        void *data = reads ? aligned_alloc(64, READ_BYTES) : NULL;
        for (int64_t i = 0; data && i < READ_BYTES; i += 64)
            ((char *)data)[i] = (char)i; /* pages of its own */
        job[made] = (Job){fn, data, n, 0};
        if ((reads && !data) ||
            pthread_create(&id[made], NULL, work, &job[made])) {
            free(data);
            break;
        }
    }
    for (unsigned i = 0; i < made; i++) {
        pthread_join(id[i], NULL);
        free((void *)(uintptr_t)job[i].data);
        sum += job[i].rate;
    }
    return made == nthread ? sum : 0;
}

SnPeak
sn_peak(SnIsa isa, unsigned nthread)
{
    LoopFn *s8 = s8_ref, *f32 = f32_ref, *read = read_ref;

#if defined(__x86_64__)
    if (isa != SN_ISA_PORTABLE) {
        s8 = isa == SN_ISA_AVX2      ? s8_avx2
             : isa == SN_ISA_AVXVNNI ? s8_avxvnni
                                     : s8_vnni;
        f32 = isa == SN_ISA_VNNI ? f32_avx512 : f32_avx2;
        read = read_avx2;
    }
#endif
    (void)isa;
    return (SnPeak){.ops8 = rate_of(s8, 20000, nthread, false),
                    .ops32 = rate_of(f32, 20000, nthread, false),
                    .read = rate_of(read, 1, nthread, true)};
}

void
sn_peak_read(SnIsa isa, const void *p, size_t n)
{
    volatile int sink;

#if defined(__x86_64__)
    if (isa != SN_ISA_PORTABLE) {
        pass_avx2(p, n, &sink);
        return;
    }
#endif
    (void)isa;
    pass_ref(p, n, &sink);
}
