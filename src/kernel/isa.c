#include "kernel/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"portable", "avx2", "vnni"};
/* 0: not chosen yet, else the choice + 1. */
static atomic_int chosen;

const char *
sn_isa_name(SnIsa isa)
{
    return names[isa];
}

bool
sn_isa_have(SnIsa isa)
{
    if (isa == SN_ISA_PORTABLE)
        return true;
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == SN_ISA_AVX2)
        return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

static SnIsa
choose(void)
{
    const char *want = getenv("SINTER_CPU");
    int top = SN_NISA - 1;

    for (int i = 0; want && i < SN_NISA; i++)
        if (!strcmp(want, names[i]))
            top = i;
    while (!sn_isa_have((SnIsa)top))
        top--;
    return (SnIsa)top;
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
