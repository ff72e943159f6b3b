// SPDX-License-Identifier: Apache-2.0
#include "aot/node/target.h"

#include <string.h>

#include "base/buf.h"
#include "base/diag.h"

static const SnAotTarget targets[] = {
    {.name = "portable", .what = "any machine"},
    {.name = "armv7em",
     .what = "Cortex-M4, M7 and others with DSP instructions",
     .dsp = true},
    {.name = "armv8.1m-mve",
     .what = "Cortex-M55 and others with vectors",
     .dsp = true,
     .mve = true},
    {.name = "x86-avx2", .what = "x86-64 with AVX2", .isa = SN_ISA_AVX2},
    {.name = "x86-avx512vnni",
     .what = "x86-64 with AVX-512 VNNI",
     .isa = SN_ISA_VNNI},
    {.name = "aarch64-dotprod",
     .what = "AArch64 with the dot product",
     .isa = SN_ISA_NEON},
    {.name = "rv64",
     .what = "RISC-V of 64 bits, and others without vectors",
     .wide = true},
};

/* The best for this processor, within what SINTER_CPU allows. */
static const SnAotTarget *
native(void)
{
    SnIsa isa = sn_isa();

    if (isa == SN_ISA_AVXVNNI || isa == SN_ISA_VNNI256)
        isa = SN_ISA_AVX2;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (isa != SN_ISA_PORTABLE && targets[i].isa == isa)
            return &targets[i];
    return targets;
}

const SnAotTarget *
sn_aot_target(const char *name)
{
    if (name && !strcmp(name, "native"))
        return native();
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!name || !strcmp(name, targets[i].name))
            return &targets[i];
    return NULL;
}

const char *
sn_aot_no_target(SnArena *a, const char *name)
{
    const char *cand[sizeof targets / sizeof *targets + 1] = {"native"};
    SnBuf b;

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        cand[i + 1] = targets[i].name;
    const char *near = sn_closest(name, cand, sizeof cand / sizeof *cand);
    if (near)
        return sn_format(a, "no target is named '%s'; did you mean '%s'?", name,
                         near);
    sn_buf_init(&b, a);
    sn_putf(&b, "no target is named '%s'; there are ", name);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        sn_putf(&b, "%s%s (%s)", i ? ", " : "", targets[i].name,
                targets[i].what);
    sn_puts(&b, ", native (the best of them here)");
    return sn_buf_str(&b);
}
