// SPDX-License-Identifier: Apache-2.0
#include "kernel/variant.h"

#include <pthread.h>
#include <stddef.h>

/* The version a family uses if it has none for an instruction set. */
static const SnIsa below[SN_NISA] = {
    [SN_ISA_AVX2] = SN_ISA_PORTABLE, [SN_ISA_AVXVNNI] = SN_ISA_AVX2,
    [SN_ISA_VNNI256] = SN_ISA_AVX2,  [SN_ISA_VNNI] = SN_ISA_VNNI256,
    [SN_ISA_NEON] = SN_ISA_PORTABLE,
};

void
sn_variant_add(SnVariants *v, SnIsa isa, const void *table)
{
    __atomic_store_n(&v->of[isa], table, __ATOMIC_RELEASE);
}

const void *
sn_variant(const SnVariants *v, SnIsa isa)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const void *own = __atomic_load_n(&v->of[isa], __ATOMIC_ACQUIRE);

    if (own) /* each call of a kernel comes here */
        return own;
    pthread_once(&once, sn_variants_register);
    while (!v->of[isa] && isa != SN_ISA_PORTABLE)
        isa = below[isa];
    return v->of[isa];
}
