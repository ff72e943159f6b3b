// SPDX-License-Identifier: Apache-2.0
#include "kernel/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const char *const names[SN_NISA] = {
    [SN_ISA_PORTABLE] = "portable", [SN_ISA_AVX2] = "avx2",
    [SN_ISA_AVXVNNI] = "avxvnni",   [SN_ISA_VNNI256] = "vnni256",
    [SN_ISA_VNNI] = "vnni",         [SN_ISA_NEON] = "neon",
};
/* 0: not chosen yet, else the choice + 1. */
static atomic_int chosen;

const char *
sn_isa_name(SnIsa isa)
{
    return names[isa];
}

#if defined(__x86_64__)
/* CPUID leaf 7, subleaf 1, EAX bit 4; __builtin_cpu_supports of gcc 12 does
 * not know it.  AVX2, which was checked before, implies that registers are
 * saved. */
static bool
have_avxvnni(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;

    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 4 & 1;
}
#endif

bool
sn_isa_have(SnIsa isa)
{
    if (isa == SN_ISA_PORTABLE)
        return true;
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == SN_ISA_AVX2)
        return avx2;
    if (isa == SN_ISA_AVXVNNI)
        return avx2 && have_avxvnni();
    return (isa == SN_ISA_VNNI256 || isa == SN_ISA_VNNI) && avx2 &&
           __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__) && defined(__linux__)
    return isa == SN_ISA_NEON && getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
#elif defined(__ARM_FEATURE_DOTPROD)
    return isa == SN_ISA_NEON;
#else
    return false;
#endif
}

bool
sn_isa_named(const char *name, SnIsa *out)
{
    for (int i = 0; i < SN_NISA; i++)
        if (!strcmp(name, names[i])) {
            *out = (SnIsa)i;
            return true;
        }
    return false;
}

static SnIsa
best_from(SnIsa top)
{
    while (!sn_isa_have(top))
        top--;
    return top;
}

SnIsa
sn_isa_best(void)
{
    return best_from(SN_NISA - 1);
}

static SnIsa
choose(void)
{
    const char *want = getenv("SINTER_CPU");
    SnIsa top = SN_NISA - 1;

    if (want)
        sn_isa_named(want, &top);
    return best_from(top);
}

SnIsa
sn_isa(void)
{
    int c = atomic_load(&chosen);

    if (c == 0) {
        c = (int)choose() + 1;
        atomic_store(&chosen, c);
    }
    return (SnIsa)(c - 1);
}

bool
sn_isa_set(SnIsa isa)
{
    if (!sn_isa_have(isa))
        return false;
    atomic_store(&chosen, (int)isa + 1);
    return true;
}
