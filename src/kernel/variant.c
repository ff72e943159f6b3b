// SPDX-License-Identifier: Apache-2.0
#include "kernel/variant.h"

#include <pthread.h>
#include <stdatomic.h>
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
    v->of[isa] = table;
}

const void *
sn_variant(const SnVariants *v, SnIsa isa)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static atomic_bool ready; /* looked at by each call of a kernel */

    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_once(&once, sn_variants_register);
        atomic_store_explicit(&ready, true, memory_order_release);
    }
    while (!v->of[isa] && isa != SN_ISA_PORTABLE)
        isa = below[isa];
    return v->of[isa];
}
