// SPDX-License-Identifier: Apache-2.0
#include "kernel/peak.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"

enum { READ_BYTES = SN_PEAK_READ, MAXTHREAD = 64 };
static const double SECONDS = 0.06;

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

static const SnPeakLoops portable = {s8_ref, f32_ref, read_ref, pass_ref};
SnVariants sn_peak_variants;

void sn_register_peak_portable(void);
void
sn_register_peak_portable(void)
{
    sn_variant_add(&sn_peak_variants, SN_ISA_PORTABLE, &portable);
}

/* ---- timing ---- */

typedef struct Job {
    SnPeakFn *fn;
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
rate_of(SnPeakFn *fn, int64_t n, unsigned nthread, bool reads)
{
    Job job[MAXTHREAD];
    pthread_t id[MAXTHREAD];
    double sum = 0;
    unsigned made = 0;

    for (; made < nthread && made < MAXTHREAD; made++) {
        void *data = reads ? aligned_alloc(64, READ_BYTES) : NULL;
        for (int64_t i = 0; data && i < READ_BYTES; i += 64)
            ((char *)data)[i] = (char)i; /* its own pages */
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
    const SnPeakLoops *v = sn_variant(&sn_peak_variants, isa);

    return (SnPeak){.ops8 = rate_of(v->s8, 20000, nthread, false),
                    .ops32 = rate_of(v->f32, 20000, nthread, false),
                    .read = rate_of(v->read, 1, nthread, true)};
}

void
sn_peak_read(SnIsa isa, const void *p, size_t n)
{
    const SnPeakLoops *v = sn_variant(&sn_peak_variants, isa);
    volatile int sink;

    v->pass(p, n, &sink);
}
